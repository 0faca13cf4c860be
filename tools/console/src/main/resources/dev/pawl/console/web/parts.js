// What several pages are made of.

import {foreign, h, s, setText} from "./dom.js";
import {currentLanguage, t} from "./i18n.js";
import {ageMillis, leftMillis, moment, shortDuration} from "./time.js";

export const badge = (text, kind = "") => h("span", {class: `badge ${kind}`}, text);
export const time = (iso) => h("time", {datetime: iso, title: iso, class: "num"}, moment(iso));
export const lockLink = (name, className = "") =>
  h("a", {class: className, href: `#/locks/${encodeURIComponent(name)}`}, foreign(name));

export function head(title, sub, ...end) {
  return h("div", {class: "head"}, h("h1", {}, title), sub && h("span", {class: "sub num", id: "count"}, sub), h("div", {class: "end"}, ...end));
}

export function card(title, ...body) {
  return h("section", {class: "card"}, title && h("header", {}, h("h2", {}, title)), ...body);
}

const PICTURES = {
  lock: "M20 28v-8a12 12 0 0 1 24 0M14 28h36v26H14zM32 38v6",
  clock: "M32 10a22 22 0 1 0 0 44 22 22 0 0 0 0-44M32 20v13l9 6",
  graph: "M14 20a6 6 0 1 0 .1 0M50 20a6 6 0 1 0 .1 0M32 46a6 6 0 1 0 .1 0M20 26h24M18 31l11 15M46 31L36 46",
  search: "M28 12a16 16 0 1 0 0 32 16 16 0 0 0 0-32M40 40l14 14",
  page: "M18 8h20l10 10v38H18zM38 8v10h10M25 30h16M25 39h16",
};

/** What is shown where there is nothing. */
export function empty(picture, title, hint, ...more) {
  return h("div", {class: "empty"},
    s("svg", {viewBox: "0 0 64 64", "aria-hidden": "true"},
      s("path", {d: PICTURES[picture], fill: "none", stroke: "currentColor", "stroke-width": 3, "stroke-linecap": "round", "stroke-linejoin": "round"})),
    h("h2", {}, title), hint && h("p", {}, hint), ...more);
}

export const loading = () => h("div", {class: "empty", "aria-busy": "true"}, h("p", {}, t("loading")));

/** A lease as a bar that runs down; the browser moves it without us. */
export function leaseBar() {
  const bar = h("i");
  const text = h("span", {class: "num muted"});
  const element = h("div", {class: "lease"}, h("div", {class: "meter", "aria-hidden": "true"}, bar), text);
  let expires = null;
  let motion = null;
  const tick = () => {
    if (!expires) return setText(text, "");
    const left = leftMillis(expires);
    bar.classList.toggle("low", left < 2000);
    setText(text, left > 0 ? shortDuration(left) : t("expired"));
  };
  return {
    element,
    tick,
    set(next, seconds) {
      if (next !== expires) {
        expires = next;
        motion?.cancel();
        const left = next ? leftMillis(next) : 0;
        motion = bar.animate(
          [{transform: `scaleX(${Math.min(1, left / (seconds * 1000) || 0)})`}, {transform: "scaleX(0)"}],
          {duration: Math.max(1, left), fill: "forwards"});
      }
      tick();
    },
  };
}

/** A text that says how long ago something was, and goes on by itself. */
export function age(iso, words = (text) => text) {
  return h("span", {class: "num", "data-since": iso, title: iso}, words(shortDuration(ageMillis(iso))));
}

/** Has it say that of another moment. */
export function setAge(element, iso) {
  element.dataset.since = iso;
  element.title = iso;
  setText(element, shortDuration(ageMillis(iso)));
}

let toastTimer = null;
export function toast(text) {
  const place = document.getElementById("toast");
  place.replaceChildren(h("p", {}, text));
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => place.replaceChildren(), 6000);
}

/** A command to copy. */
export function command(line) {
  return h("div", {class: "command"}, h("code", {tabindex: 0}, line),
    h("button", {class: "quiet", type: "button", "aria-label": `${t("copy")}: ${line}`, onclick: async () => {
      await navigator.clipboard?.writeText(line).catch(() => {});
      toast(t("copied"));
    }}, t("copy")));
}

/** A text that the store has in English alone, for whoever opens it. */
export function inTheWordsOfTheStore(text) {
  return currentLanguage() !== "en" && h("details", {lang: "en"}, h("summary", {lang: "zh-CN"}, t("original")), foreign(text));
}

/** A name as a shell takes it. */
export const quoted = (name) => (/^[A-Za-z0-9_.:/@%+=-]+$/.test(name) && !name.startsWith("-") ? name : `'${name.replaceAll("'", "'\\''")}'`);
