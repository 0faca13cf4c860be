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

/** Sets a text if it is another one: what has not changed is not drawn again. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A text of somebody else, whose direction does not spill over: names, labels, reasons. */
export const foreign = (text, className = "") => h("bdi", {class: `text ${className}`.trim(), title: text}, text);
