// The table of locks: of thousands of rows, those in the window are there, and listened to.

import {listen} from "./api.js";
import {foreign, h, keepFocus, setText, show} from "./dom.js";
import {t} from "./i18n.js";
import {age, badge, empty, leaseBar, loading, lockLink, setAge} from "./parts.js";

const AROUND = 8;
const COLUMNS = [["name", "name"], ["holder", "holder"], ["since", "heldFor"], ["token", "token"], ["left", "leaseLeft"], ["waiters", "waiters"]];
const kept = {filter: "", sort: "name", order: "asc"};

export function locksPage(place) {
  const count = h("span", {class: "sub num", id: "count", role: "status"});
  const filter = h("input", {class: "filter", id: "filter", type: "search", placeholder: t("filter"), "aria-label": t("filter"), value: kept.filter, maxlength: 300, autocomplete: "off", spellcheck: "false"});
  const top = h("div", {class: "row top", role: "row"});
  const space = h("div", {class: "space", role: "rowgroup"});
  const table = h("div", {role: "table", "aria-label": t("locks")}, h("div", {role: "rowgroup", class: "top-group"}, top), space);
  const nothing = h("div", {}, loading());
  const foot = h("div", {class: "foot"});
  const grid = h("section", {class: "card grid"}, table, nothing, foot);
  show(place, h("div", {class: "locks"},
    h("div", {class: "head"}, h("h1", {}, t("locks")), count, h("div", {class: "end"}, filter)), grid));

  const rows = new Map();
  let stream = null;
  let offset = 0;
  let limit = 0;
  let total = 0;
  let order = [];
  let seen = false;
  let height = rowHeight();

  /** How high a row is: on a small screen it has two lines. */
  function rowHeight() {
    return parseFloat(getComputedStyle(grid).getPropertyValue("--row")) || 46;
  }

  function drawTop() {
    show(top, COLUMNS.map(([key, word]) => h("div",
      {role: "columnheader", class: `c-${key === "left" ? "lease" : key}${key === "waiters" ? " end" : ""}`,
        "aria-sort": kept.sort === key ? (kept.order === "asc" ? "ascending" : "descending") : "none"},
      h("button", {type: "button", "data-sort": key, onclick: () => sort(key)},
        t(word), kept.sort === key ? (kept.order === "asc" ? " ↑" : " ↓") : ""))));
  }

  function sort(key) {
    kept.order = kept.sort === key && kept.order === "asc" ? "desc" : "asc";
    if (kept.sort !== key && key === "waiters") kept.order = "desc";
    kept.sort = key;
    drawTop();
    open(true);
    top.querySelector(`[data-sort="${key}"]`).focus();
  }

  /** Which rows the window shows, and some more. */
  function wanted() {
    const above = Math.max(0, -space.getBoundingClientRect().top);
    const first = Math.max(0, Math.floor(above / height / AROUND) * AROUND - AROUND);
    return {first, length: Math.ceil(innerHeight / height / AROUND) * AROUND + 3 * AROUND};
  }

  function open(anew) {
    if (anew) scrollTo(0, 0);
    const {first, length} = anew ? {first: 0, length: wanted().length} : wanted();
    offset = first;
    limit = Math.min(length, 500);
    stream?.close();
    order = [];
    stream = listen({view: "locks", ...kept, offset, limit}, receive);
  }

  function receive(message) {
    total = message.total;
    const fresh = new Map(message.rows.map((row) => [row.name, row]));
    const moved = Boolean(message.order);
    if (moved) order = message.order;
    for (const [name, row] of rows) {
      if (moved && !order.includes(name)) {
        row.element.remove();
        rows.delete(name);
      }
    }
    const focusAgain = keepFocus(space);
    order.forEach((name, i) => {
      let row = rows.get(name);
      if (!row) {
        row = makeRow(name);
        rows.set(name, row);
      }
      // In the order of the table, which the keyboard and screen readers follow.
      if (space.children[i] !== row.element) space.insertBefore(row.element, space.children[i] ?? null);
      if (fresh.has(name)) row.set(fresh.get(name), seen && !moved);
      row.move(offset + i, height);
    });
    focusAgain();
    seen = true;
    space.style.height = `${total * height}px`;
    table.setAttribute("aria-rowcount", String(total + 1));
    setText(count, kept.filter ? t("countFound", {n: total, all: message.all}) : t("countLocks", {n: total}));
    setText(foot, message.more ? t("more", {n: message.all}) : "");
    foot.hidden = !message.more;
    table.hidden = total === 0;
    show(nothing, total > 0 ? [] : kept.filter
      ? empty("search", t("noMatch"), t("noMatchHint", {filter: kept.filter}), h("button", {type: "button", onclick: () => {
        filter.value = kept.filter = "";
        open(true);
      }}, t("clear")))
      : empty("lock", t("noLocks"), t("noLocksHint"), h("code", {}, "pawl run hello -- sleep 20")));
  }

  let typing = null;
  filter.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      kept.filter = filter.value;
      open(true);
    }, 120);
  });
  let scrolling = null;
  const onScroll = () => {
    const {first, length} = wanted();
    const enough = first >= offset && Math.min(total, first + length) <= offset + limit;
    if (!enough && first < total) {
      clearTimeout(scrolling);
      scrolling = setTimeout(() => open(false), 50);
    }
  };
  addEventListener("scroll", onScroll, {passive: true});
  const onResize = () => {
    if (height !== rowHeight()) {
      height = rowHeight();
      space.style.height = `${total * height}px`;
      order.forEach((name, i) => rows.get(name)?.move(offset + i, height));
    }
    onScroll();
  };
  addEventListener("resize", onResize);
  drawTop();
  open(true);

  return {
    tick: () => rows.forEach((row) => row.tick()),
    close() {
      removeEventListener("scroll", onScroll);
      removeEventListener("resize", onResize);
      clearTimeout(typing);
      clearTimeout(scrolling);
      stream.close();
    },
  };
}

function makeRow(name) {
  const holder = h("div", {role: "cell", class: "c-holder"});
  const since = h("div", {role: "cell", class: "c-since num"});
  const token = h("div", {role: "cell", class: "c-token mono num muted"});
  const bar = leaseBar();
  const lease = h("div", {role: "cell", class: "c-lease"}, bar.element);
  const waiters = h("div", {role: "cell", class: "c-waiters end num"});
  const element = h("div", {class: "row", role: "row", "data-name": name},
    h("div", {role: "cell", class: "c-name"}, lockLink(name, "name"), name.startsWith("job:") && [" ", badge(t("job"), "accent")]),
    holder, since, token, lease, waiters);
  let place = -1;
  // What is shown, so that only what has changed is drawn: hundreds change in a second.
  let shown = null;
  let shownHolder = null;
  let shownWaiters = null;
  return {
    element,
    tick: bar.tick,
    move(next, height) {
      if (next * height === place) return;
      place = next * height;
      element.style.transform = `translateY(${place}px)`;
      element.setAttribute("aria-rowindex", String(next + 2));
    },
    set(row, changed) {
      const first = row.holders[0];
      const key = first ? `${first.token} ${row.holderCount}` : "";
      if (key !== shown) {
        const who = first ? `${row.holderCount} ${first.node}` : "";
        if (who !== shownHolder) {
          show(holder, first ? [foreign(first.node), row.holderCount > 1 && h("span", {class: "muted"}, " ", t("others", {n: row.holderCount - 1}))] : h("span", {class: "muted"}, t("nobody")));
          shownHolder = who;
        }
        if (first && since.firstChild) setAge(since.firstChild, first.since);
        else show(since, first && age(first.since));
        setText(token, first?.token ?? "");
        if (shown && changed) {
          element.classList.remove("fresh");
          requestAnimationFrame(() => element.classList.add("fresh"));
        }
        shown = key;
      }
      bar.set(first?.expires ?? null, first?.leaseSeconds ?? 1);
      if (row.waiters === shownWaiters) return;
      shownWaiters = row.waiters;
      show(waiters, row.waiters > 0 ? badge(String(row.waiters), "warn") : h("span", {class: "muted"}, "0"));
    },
  };
}
