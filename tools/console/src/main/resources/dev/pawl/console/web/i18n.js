// The words of the page in two languages; chosen by the browser, and by the person.

import {en} from "./words-en.js";
import {zh} from "./words-zh.js";
import {findings} from "./findings-zh.js";
import {keep, kept} from "./kept.js";

const LANGUAGES = {en, zh};
const KEY = "pawl.language";

function initial() {
  const chosen = kept(KEY);
  if (chosen in LANGUAGES) return chosen;
  return (navigator.languages ?? [navigator.language]).some((each) => each.toLowerCase().startsWith("zh")) &&
    !navigator.language.toLowerCase().startsWith("en") ? "zh" : "en";
}

let language = initial();

export const currentLanguage = () => language;
export const locale = () => (language === "zh" ? "zh-CN" : "en-GB");

export function setLanguage(next) {
  language = next;
  keep(KEY, next);
}

/** Why something was refused, or failed, in the words of the page. */
export function explain({reason, code, values, message}) {
  const key = `error_${String(reason ?? code).replaceAll("-", "_")}`;
  return t(key in en ? key : "error_other", {...values, message});
}

const literal = (text) => text.replace(/[.*+?^$()[\]\\|]/g, "\\$&");
let rules = null;

/** What the doctor says, in the language of the page; null if it has no words for it. */
export function diagnosis(text) {
  if (language === "en" || !text) return text;
  rules ??= findings.map(([from, to]) => [new RegExp(`^${literal(from).replace(/\{\d\}/g, "(.+?)")}$`, "s"), to]);
  for (const [pattern, to] of rules) {
    const match = pattern.exec(text);
    if (match) return to.replace(/\{(\d)\}/g, (all, n) => diagnosis(match[n]) ?? match[n]);
  }
  return null;
}

/** Returns the words for a key, with what is in braces filled in. */
export function t(key, values = {}) {
  const words = LANGUAGES[language][key] ?? en[key] ?? key;
  return words.replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));
}
