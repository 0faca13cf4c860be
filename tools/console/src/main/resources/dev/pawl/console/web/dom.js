// Elements without markup: whatever comes from a store becomes text, and nothing else.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [key, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Makes an element: h("a", {href: "#/"}, "text", child). */
export const h = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);

/** Makes an element of a drawing. */
export const s = (tag, properties, ...children) => fill(document.createElementNS(SVG, tag), properties, children);

/** Puts these children in the place of those that are there. */
export const show = (element, ...children) => element.replaceChildren(...children.flat(Infinity).filter(Boolean));

const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";
const focusKey = (element) => element.dataset?.focus || element.id || `${element.tagName} ${element.getAttribute("href") ?? element.getAttribute("aria-label") ?? element.textContent}`;

/**
 * Returns what gives the focus back to the element that has it, or to the one in its place, and
 * returns false if there is none any more.
 */
export function keepFocus(place) {
  const focused = document.activeElement;
  if (!focused || !place.contains(focused) || focused === place) return () => true;
  const alike = () => [...place.querySelectorAll(FOCUSABLE)].filter((each) => focusKey(each) === key);
  const key = focusKey(focused);
  const which = alike().indexOf(focused);
  return () => {
    const next = focused.isConnected ? focused : alike()[which];
    if (next && next !== document.activeElement) next.focus({preventScroll: true});
    return Boolean(next);
  };
}

/** Puts these children in the place of those that are there; who uses the keyboard stays where he is. */
export function redraw(place, ...children) {
  const focusAgain = keepFocus(place);
  show(place, ...children);
  if (!focusAgain()) document.getElementById("main").focus({preventScroll: true});
}

/** Sets a text if it is another one: what has not changed is not drawn again. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** What nobody sees, or what turns the text around: two names that differ in it would look alike. */
const UNSEEN = /([\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|^ +| +$)/;
const code = (text) => (text[0] === " " ? "␣".repeat(text.length) : `U+${text.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`);

/** A text of somebody else, whose direction does not spill over: names, labels, reasons. */
export const foreign = (text, className = "") => h("bdi", {class: `text ${className}`.trim(), title: text},
  String(text).split(UNSEEN).map((part, i) => (i % 2 ? h("span", {class: "unseen", "data-code": code(part)}, part) : part)));
