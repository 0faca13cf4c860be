// The frame: which page, who looks, how it is going.

import {currentSession, loadSession, on, signOut} from "./api.js";
import {h, redraw, setText, show} from "./dom.js";
import {currentLanguage, explain, setLanguage, t} from "./i18n.js";
import {keep, kept} from "./kept.js";
import {ageMillis, moment, shortDuration, storeNow} from "./time.js";
import {empty, inTheWordsOfTheStore} from "./parts.js";
import {signInPage} from "./signin.js";
import {locksPage} from "./locks.js";
import {lockPage} from "./lock.js";
import {jobsPage} from "./jobs.js";
import {nodesPage} from "./nodes.js";
import {graphPage} from "./graph.js";
import {storePage} from "./store.js";
import {auditPage} from "./audit.js";

const PAGES = {locks: locksPage, jobs: jobsPage, nodes: nodesPage, graph: graphPage, store: storePage, audit: auditPage};
const pageOf = (key) => (Object.hasOwn(PAGES, key) ? PAGES[key] : null);
const THEME = "pawl.theme";
const main = document.getElementById("main");
const live = h("span", {class: "live", id: "live"});
let page = null;
let state = "connecting";
let store = {trouble: null, absent: false, mode: null};
let since = null;

function theme() {
  const chosen = kept(THEME);
  return chosen ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function drawFrame() {
  document.documentElement.lang = currentLanguage() === "zh" ? "zh-CN" : "en";
  document.documentElement.dataset.theme = theme();
  setText(document.getElementById("skip"), t("skip"));
  const session = currentSession();
  const here = location.hash.split("/")[1] || "locks";
  const nav = document.getElementById("nav");
  nav.setAttribute("aria-label", "Pawl");
  redraw(nav, session ? Object.keys(PAGES).map((key) =>
    h("a", {href: `#/${key}`, "aria-current": key === here ? "page" : null}, t(key))) : []);
  redraw(document.getElementById("tools"),
    session && live,
    h("button", {class: "quiet", type: "button", id: "language", title: t("languageTitle"), lang: currentLanguage() === "zh" ? "en" : "zh-CN", onclick: () => {
      setLanguage(currentLanguage() === "zh" ? "en" : "zh");
      go();
    }}, t("language")),
    h("button", {class: "quiet", type: "button", id: "theme", "aria-label": t("theme"), title: t("theme"), onclick: () => {
      keep(THEME, theme() === "dark" ? "light" : "dark");
      drawFrame();
    }}, theme() === "dark" ? "☀" : "☾"),
    session?.expires && h("button", {class: "quiet", type: "button", id: "sign-out", title: `${session.user} (${t(session.operator ? "operator" : "viewer")})`, onclick: async () => {
      await signOut().catch(() => {});
      location.reload();
    }}, t("signOut")));
  drawState();
}

function drawState() {
  live.dataset.state = state;
  setText(live, t(state === "on" ? "live" : state === "connecting" ? "connecting" : "offline"));
  const notes = [];
  if (state === "off") notes.push(h("p", {class: "note bad", id: "server-gone"}, t("serverGone", {time: moment(new Date(since).toISOString())})));
  else if (state === "full") notes.push(h("p", {class: "note bad", id: "console-full"}, t("error_too_many")));
  else if (store.trouble) notes.push(h("div", {class: "note bad", id: "store-gone"}, h("p", {}, t("storeGone", {why: explain(store.trouble)})), inTheWordsOfTheStore(store.trouble.message)));
  else if (store.absent) notes.push(h("p", {class: "note warn"}, t("absent")));
  if (store.mode && store.mode !== "primary") notes.push(h("p", {class: "note warn", id: "pair-mode"}, t(`mode_${store.mode}`)));
  show(document.getElementById("banner"), notes);
}

on("state", (next) => {
  if (next === state) return;
  if (next === "off") since = storeNow();
  state = next;
  drawState();
});
on("store", (next) => {
  store = next;
  drawState();
});
on("signedOut", (how) => showSignIn(how));

function leavePage() {
  page?.close?.();
  page = null;
  // What it asks is about what it showed.
  document.querySelectorAll("dialog").forEach((dialog) => dialog.close());
}

function showSignIn(how) {
  leavePage();
  state = "connecting";
  drawFrame();
  main.dataset.page = "sign-in";
  show(main, signInPage(how, go));
}

async function go() {
  let known;
  try {
    known = await loadSession();
  } catch {
    state = "off";
    since ??= storeNow();
    drawState();
    setTimeout(go, 2000);
    return;
  }
  leavePage();
  if (!known.session) {
    showSignIn(known.signIn);
    return;
  }
  const [, key = "", ...rest] = location.hash.split("/");
  const name = rest.length ? decode(rest.join("/")) : "";
  drawFrame();
  const make = key === "locks" && name ? (place) => lockPage(place, name) : pageOf(key || "locks");
  document.title = `${name || t(pageOf(key) ? key : "locks")} · Pawl`;
  show(main);
  main.dataset.page = location.hash;
  if (!make) {
    show(main, empty("search", t("notFound"), "", h("a", {href: "#/locks"}, t("back"))));
    return;
  }
  page = make(main);
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

addEventListener("hashchange", () => {
  go();
  main.focus({preventScroll: true});
  scrollTo(0, 0);
});
addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName)) {
    const filter = document.getElementById("filter");
    if (filter) {
      event.preventDefault();
      filter.focus();
    }
  }
});
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawFrame);

// Ages go on by themselves, once a second for all of them.
setInterval(() => {
  if (document.hidden) return;
  for (const each of document.querySelectorAll("[data-since]")) {
    const text = shortDuration(ageMillis(each.dataset.since));
    setText(each, each.dataset.words ? each.dataset.words.replace("{time}", text) : text);
  }
  page?.tick?.();
}, 1000);

go();
