// Times are the store's: its clock is carried on by the browser's, whatever that shows.

import {locale} from "./i18n.js";

let offset = null;

/** Takes note of what the store's clock showed when a message was sent. */
export function sync(now) {
  if (!now) return;
  const measured = Date.parse(now) - Date.now();
  // A message that took long shows a clock that is behind; the least delay is nearest.
  offset = offset === null || measured > offset || measured < offset - 2000 ? measured : offset;
}

export const storeNow = () => Date.now() + (offset ?? 0);
export const ageMillis = (iso) => Math.max(0, storeNow() - Date.parse(iso));
export const leftMillis = (iso) => Math.max(0, Date.parse(iso) - storeNow());

/** Returns such as 250 ms, 4.2 s, 1m 30s, 2h 05m, 3d 04h. */
export function duration(millis) {
  const seconds = Math.floor(millis / 1000);
  const two = (number) => String(number).padStart(2, "0");
  if (millis < 1000) return `${Math.round(millis)} ms`;
  if (seconds < 60) return `${(Math.floor(millis / 100) / 10).toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)}h ${two(Math.floor(seconds / 60) % 60)}m`;
  return `${Math.floor(seconds / 86400)}d ${two(Math.floor(seconds / 3600) % 24)}h`;
}

/** Whole seconds, for what changes all the time. */
export const shortDuration = (millis) => duration(millis < 60000 ? Math.floor(millis / 1000) * 1000 : millis).replace(/^0 ms$/, "0 s").replace(/\.0 s$/, " s");

/** Returns the time of the day, and the date where it is another day. */
export function moment(iso) {
  const time = new Date(iso);
  const today = new Date(storeNow()).toDateString() === time.toDateString();
  return time.toLocaleString(locale(), today
    ? {hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false}
    : {year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false});
}
