// The words of the page in two languages; chosen by the browser, and by the person.

import {en} from "./words-en.js";
import {zh} from "./words-zh.js";

const LANGUAGES = {en, zh};
const KEY = "pawl.language";

function initial() {
  const chosen = localStorage.getItem(KEY);
  if (chosen in LANGUAGES) return chosen;
  return (navigator.languages ?? [navigator.language]).some((each) => each.toLowerCase().startsWith("zh")) &&
    !navigator.language.toLowerCase().startsWith("en") ? "zh" : "en";
}

let language = initial();

export const currentLanguage = () => language;
export const locale = () => (language === "zh" ? "zh-CN" : "en-GB");

export function setLanguage(next) {
  language = next;
  localStorage.setItem(KEY, next);
}

/** Returns the words for a key, with what is in braces filled in. */
export function t(key, values = {}) {
  const words = LANGUAGES[language][key] ?? en[key] ?? key;
  return words.replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));
}
