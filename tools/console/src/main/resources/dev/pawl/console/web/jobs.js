// Each job a lane on a time line: its runs, by node and by how they ended.

import {listen} from "./api.js";
import {decisions} from "./decide.js";
import {foreign, h, redraw, s, setText, show} from "./dom.js";
import {locale, t} from "./i18n.js";
import {badge, empty, loading} from "./parts.js";
import {duration, moment, storeNow} from "./time.js";

const HEIGHT = 54;
const RANGES = [15, 60, 360, 1440];
const STEPS = [1, 5, 15, 30, 60, 180, 360];
const WORDS = {ran: "ran", failed: "runFailed", retried: "retried", lost: "lost", left: "left"};
let minutes = 60;

export function jobsPage(place) {
  const count = h("span", {class: "sub num"});
  const range = h("select", {id: "range", "aria-label": t("range"), onchange: () => {
    minutes = Number(range.value);
    draw();
  }}, RANGES.map((each) => h("option", {value: each, selected: each === minutes}, t(`range${each}`))));
  const body = h("section", {class: "card"}, loading());
  show(place, h("div", {class: "head"}, h("h1", {}, t("jobs")), count, h("div", {class: "end"}, range)), body);
  let lanes = null;
  // Only the lanes that somebody sees have their runs drawn: there may be hundreds of both.
  const seen = new IntersectionObserver((entries) => entries.forEach(({target, isIntersecting}) => {
    const lane = lanes?.get(target.dataset.job);
    if (lane?.element === target) lane.show(isIntersecting);
  }), {rootMargin: "400px"});

  function draw() {
    if (!lanes) return;
    drawn = Math.max(240, body.clientWidth - (innerWidth > 720 ? 282 : 2));
    body.querySelector(".axis")?.replaceWith(axis());
    lanes.forEach((lane) => lane.draw());
  }

  function arrange(order) {
    lanes = new Map(order.map((name) => [name, lanes?.get(name) ?? makeLane(name)]));
    setText(count, t("countJobs", {n: order.length}));
    redraw(body, order.length
      ? [axis(), ...[...lanes.values()].map((lane) => lane.element), key()]
      : empty("clock", t("noJobs"), t("noJobsHint"), h("code", {}, "pawl run hello --once-per 1m -- date")));
    seen.disconnect();
    lanes.forEach((lane) => seen.observe(lane.element));
  }

  const stream = listen({view: "jobs"}, ({jobs, order}) => {
    drawn = Math.max(240, body.clientWidth - (innerWidth > 720 ? 282 : 2));
    if (order) arrange(order);
    jobs.forEach((job) => lanes.get(job.job)?.set(job));
  });
  let ticks = 0;
  return {
    tick: () => {
      if (++ticks % 10 === 0) draw();
    },
    close() {
      seen.disconnect();
      stream.close();
    },
  };
}

let drawn = 600;
const width = () => drawn;
const place = (millis) => (1 - (storeNow() - millis) / (minutes * 60000)) * (width() - 24) + 4;

function lines() {
  const step = STEPS.find((each) => minutes / each <= width() / 90) ?? 360;
  const first = Math.ceil((storeNow() - minutes * 60000) / (step * 60000)) * step * 60000;
  const all = [];
  for (let at = first; at <= storeNow(); at += step * 60000) all.push(at);
  return all;
}

function axis() {
  return h("div", {class: "axis"}, h("div", {class: "about"}, t("range"), ": ", t(`range${minutes}`)),
    h("div", {}, s("svg", {height: 34, "aria-hidden": "true"},
      lines().map((at) => s("text", {class: "tick-text", x: Math.min(place(at), width() - 40), y: 21},
        new Date(at).toLocaleTimeString(locale(), {hour: "2-digit", minute: "2-digit", hour12: false}))))));
}

/** A colour for a node: the same on every page, and apart from red, which means something. */
export function hue(text) {
  let hash = 7;
  for (const c of text) hash = (hash * 31 + c.codePointAt(0)) >>> 0;
  return 70 + (hash % 250);
}

/** A lane: what is known of the job on the left, its runs on the right where somebody sees them. */
function makeLane(name) {
  const left = h("div", {class: "about"});
  const right = h("div", {class: "track"});
  const element = h("div", {class: "lane", "data-job": name}, left, right);
  let job = null;
  let visible = false;
  const draw = () => {
    if (job && visible) redraw(right, track(job));
  };
  return {
    element,
    draw,
    set(next) {
      job = next;
      redraw(left, about(job));
      draw();
    },
    show(next) {
      visible = next;
      if (visible) draw();
      else show(right);
    },
  };
}

function about(job) {
  const failed = job.runs.find((run) => run.error);
  return [
    h("div", {}, h("a", {class: "name", href: `#/locks/${encodeURIComponent(`job:${job.job}`)}`}, foreign(job.job))),
    h("div", {}, job.runner ? badge(t("running"), "good") : badge(t("idleJob")), " ",
      job.runner && foreign(job.runner.node), job.standbys.length > 0 && h("span", {class: "muted", title: job.standbys.map((each) => each.node).join(", ")}, ` · ${t("standby", {n: job.standbys.length})}`),
      job.tick && h("span", {class: "muted"}, job.runner ? " · " : "", t("lastTick", {time: moment(job.tick)}))),
    failed && h("div", {class: "error-text"}, t("lastError"), ": ", foreign(failed.error)),
    decisions(job),
  ];
}

function track(job) {
  const from = storeNow() - minutes * 60000;
  const runs = job.runs.filter((run) => Date.parse(run.start) + run.seconds * 1000 >= from);
  const missed = job.missed.filter((tick) => Date.parse(tick) >= from);
  return s("svg", {role: "list", "aria-label": job.job},
    lines().map((at) => s("line", {class: "grid-line", x1: place(at), x2: place(at), y1: 0, y2: "100%"})),
    job.moreRuns && before(Date.parse(job.runs.at(-1).start)),
    runs.map((run) => drawRun(run)),
    missed.map((tick) => s("g", {role: "listitem", "aria-label": `${t("missed")} ${moment(tick)}`}, s("title", {}, `${t("missed")} ${moment(tick)}`),
      s("path", {class: "mark", d: cross(place(Date.parse(tick)), HEIGHT + 8)}))),
    job.runner && s("rect", {class: "run now", x: place(Date.parse(job.runner.since)), y: 14, height: HEIGHT - 20, width: Math.max(6, place(storeNow()) - place(Date.parse(job.runner.since))), fill: `hsl(${hue(job.runner.node)} 55% 50%)`, opacity: 0.55},
      s("title", {}, `${t("running")}: ${job.runner.node}`)));
}

/** What was before the runs that are shown, and is not empty for that. */
const before = (millis) => place(millis) > 4 && s("rect", {class: "before", x: 0, y: 14, height: HEIGHT - 20, width: place(millis) - 2}, s("title", {}, t("olderRuns")));

const cross = (x, y) => `M${x - 4} ${y - 4}L${x + 4} ${y + 4}M${x + 4} ${y - 4}L${x - 4} ${y + 4}`;

function drawRun(run) {
  const x = place(Date.parse(run.start));
  const words = t("runTitle", {ending: t(WORDS[run.ending] ?? run.ending), node: run.node, tick: moment(run.tick), took: duration(run.seconds * 1000)}) +
    (run.takeOver ? ` · ${t("takeOver")}` : "") + (run.error ? ` · ${run.error}` : "");
  return s("g", {role: "listitem", "aria-label": words, tabindex: run.error || run.takeOver ? 0 : null, "data-focus": `${run.token} ${run.tick}`},
    s("title", {}, words),
    s("rect", {class: `run ${run.ending}`, x, y: 14, height: HEIGHT - 20, width: Math.max(5, place(Date.parse(run.start) + run.seconds * 1000) - x), fill: `hsl(${hue(run.node)} 55% 50%)`}),
    run.takeOver && s("path", {class: "take", d: `M${x - 5} 4l5 6l5 -6`}));
}

function key() {
  const item = (word, ...shapes) => h("span", {}, s("svg", {viewBox: "0 0 14 14", "aria-hidden": "true"}, ...shapes), t(word));
  const box = (name, fill) => s("rect", {class: `run ${name}`, width: 14, height: 14, fill});
  return h("div", {class: "key"}, item("ran", box("ran", "hsl(150 55% 50%)")), item("runFailed", box("failed", "red")), item("left", box("left", "orange")),
    item("takeOver", s("path", {class: "take", d: "M2 3l5 6l5 -6"})), item("missed", s("path", {class: "mark", d: cross(7, 7)})));
}
