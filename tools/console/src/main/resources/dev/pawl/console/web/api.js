// The way to the server: questions, changes, and what it tells by itself.

import {sync} from "./time.js";

let session = null;
const listeners = {state: () => {}, store: () => {}, signedOut: () => {}};

export const on = (event, listener) => (listeners[event] = listener);
export const currentSession = () => session;

/** A refusal by the server, with its reason. */
export class Refusal extends Error {
  constructor(status, body, otherwise) {
    super(body.error?.message ?? otherwise);
    Object.assign(this, {status, body, code: body.error?.code, reason: body.error?.reason, values: body.error?.values});
  }
}

async function call(path, options = {}) {
  const response = await fetch(`api/v1/${path}`, {credentials: "same-origin", cache: "no-store", redirect: "manual", ...options});
  const body = await response.json().catch(() => null);
  // The API never leads elsewhere and speaks JSON: this is the login page of who guards it.
  if (response.type === "opaqueredirect" || (response.ok && !body)) throw new Refusal(401, {error: {code: "signed-out"}});
  if (!response.ok) {
    throw new Refusal(response.status, body ?? {}, response.statusText);
  }
  return body;
}

/** Finds out who we are; null if nobody, then with how to sign in. */
export async function loadSession() {
  try {
    session = await call("session");
    return {session};
  } catch (refusal) {
    if (refusal.status !== 401 && refusal.status !== 403) throw refusal;
    session = null;
    // Who guards the console, and not the console itself, does not say how.
    return {session: null, signIn: refusal.body.signIn ?? "application"};
  }
}

const json = (method, body, headers = {}) =>
  ({method, body: JSON.stringify(body), headers: {"Content-Type": "application/json", ...headers}});

export const signIn = (user, password) => call("session", json("POST", {user, password}));
export const signOut = () => call("session", {method: "DELETE", headers: {"X-Pawl-Csrf": session.csrfToken}});

/** Changes something; who has signed in anew meanwhile has another token. */
export async function change(path, body) {
  const send = () => call(path, json("POST", body, {"X-Pawl-Csrf": session?.csrfToken ?? ""}));
  try {
    return await send();
  } catch (refusal) {
    if (refusal.code !== "csrf" || !(await loadSession()).session) throw refusal;
    return send();
  }
}

/** A name as a part of a path: in a form that every proxy lets through. */
export function segment(name) {
  if (/^[A-Za-z0-9][A-Za-z0-9._:-]*$/.test(name)) return name;
  const bytes = new TextEncoder().encode(name);
  return "~" + btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Listens to a view until it is closed. A page that nobody sees has no connection open, of which a
 * browser has only six for a server; one that was cut off tries again.
 */
export function listen(parameters, onMessage) {
  let source = null;
  let timer = null;
  let watchdog = null;
  let closed = false;
  let wait = 500;

  const alive = () => {
    wait = 500;
    listeners.state("on");
    clearTimeout(watchdog);
    // The server says something every five seconds; a connection that is silent is dead.
    watchdog = setTimeout(() => lost(), 13000);
  };
  const stop = () => {
    clearTimeout(timer);
    clearTimeout(watchdog);
    source?.close();
    source = null;
  };
  const lost = (why = "off") => {
    stop();
    if (closed || document.hidden) return;
    listeners.state(why);
    timer = setTimeout(again, wait);
    wait = Math.min(wait * 1.6, 5000);
  };
  const again = async () => {
    try {
      const known = await loadSession();
      if (closed) return;
      if (known.session?.full) lost("full");
      else if (known.session) open();
      else listeners.signedOut(known.signIn);
    } catch {
      lost();
    }
  };
  const open = () => {
    stop();
    if (closed || document.hidden) return;
    source = new EventSource(`api/v1/events?${new URLSearchParams(parameters)}`);
    source.onopen = alive;
    source.onerror = () => lost();
    source.addEventListener("beat", (event) => {
      alive();
      sync(JSON.parse(event.data).now);
    });
    source.addEventListener("store", (event) => {
      const {trouble, code, ...standing} = JSON.parse(event.data);
      listeners.store({trouble: trouble && {message: trouble, code}, ...standing});
    });
    // Who it is has to be asked again: the session has ended, or the application may say another.
    for (const asked of ["signed-out", "again"]) {
      source.addEventListener(asked, () => {
        stop();
        again();
      });
    }
    source.addEventListener("view", (event) => {
      alive();
      const message = JSON.parse(event.data);
      sync(message.now);
      onMessage(message);
    });
  };
  document.addEventListener("visibilitychange", open);
  open();
  return {
    close() {
      closed = true;
      document.removeEventListener("visibilitychange", open);
      stop();
    },
  };
}
