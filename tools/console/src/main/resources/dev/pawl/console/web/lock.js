// One name: who holds it, who waits, what has happened, and the way to step in.

import {currentSession, listen} from "./api.js";
import {foreign, h, redraw, show} from "./dom.js";
import {diagnosis, t} from "./i18n.js";
import {age, badge, card, command, leaseBar, loading, lockLink, quoted, time} from "./parts.js";
import {drawGraph} from "./graph.js";
import {askRelease} from "./release.js";

export function lockPage(place, name) {
  const title = h("div", {class: "head"}, h("h1", {}, foreign(name)), name.startsWith("job:") && badge(t("job"), "accent"));
  const body = h("div", {}, loading());
  show(place, h("p", {}, h("a", {href: "#/locks"}, "← ", t("locks"))), title, body);
  let bars = [];
  const stream = listen({view: "lock", name}, (lock) => {
    bars = [];
    redraw(body, h("div", {class: "split"}, holders(lock, bars), queue(lock)), graph(lock), history(lock), shell(lock));
  });
  return {tick: () => bars.forEach((bar) => bar.tick()), close: stream.close};
}

function holders(lock, bars) {
  const list = lock.holders.map((holder) => {
    const bar = leaseBar();
    bar.set(holder.expires, holder.leaseSeconds);
    bars.push(bar);
    return h("div", {class: "holder", "data-token": holder.token},
      h("div", {class: "line"}, h("strong", {}, foreign(holder.node)),
        !holder.exclusive && badge(holder.permits > 1 ? t("permits", {n: holder.permits}) : t("shared")),
        h("span", {class: "muted"}, t("heldFor"), " ", age(holder.since)),
        currentSession()?.operator && h("button", {class: "warn-text end", type: "button", "data-release": holder.token, "data-focus": `release ${holder.token}`, onclick: () => askRelease(lock, holder)}, t("release"))),
      bar.element,
      h("div", {class: "line muted"}, h("span", {}, t("token"), " ", h("code", {}, holder.token)),
        h("span", {}, t("thread", {name: ""}), foreign(holder.thread)), h("span", {}, t("claim", {id: ""}), h("code", {}, holder.claim))),
      holder.waitsFor && h("div", {class: "line"}, badge(t("waitsFor"), "warn"), lockLink(holder.waitsFor)));
  });
  return card(t("holders"), list.length ? h("div", {}, list) : h("p", {class: "body muted"}, lock.waiters ? t("nobody") : t("idle")));
}

function queue(lock) {
  return card(`${t("queue")}${lock.waiters ? ` (${lock.waiters})` : ""}`, lock.queue.length
    ? h("ol", {class: "queue"}, lock.queue.map((waiter) => h("li", {}, h("span", {}, foreign(waiter.node), " ", h("span", {class: "muted"}, foreign(waiter.thread))),
      !waiter.exclusive && badge(waiter.permits > 1 ? t("permits", {n: waiter.permits}) : t("shared")),
      h("span", {class: "end muted"}, age(waiter.since)))))
    : h("p", {class: "body muted"}, t("noQueue")));
}

function graph(lock) {
  if (!lock.graph.edges.length) return null;
  return card(t("waitFor"), h("div", {class: "graph", tabindex: 0, role: "group", "aria-label": t("waitFor")}, drawGraph(lock.graph)));
}

function history(lock) {
  return card(t("history"), lock.journal.length
    ? h("ul", {class: "history"}, lock.journal.map((entry) => h("li", {}, h("span", {class: "muted"}, time(entry.at)), h("div", {}, describe(entry)))))
    : h("p", {class: "body muted"}, t("noHistory")));
}

const ENDINGS = {"ran": "ran", "failed": "runFailed", "failed, left to another node": "retried", "lost, left to another node": "lost", "left to another node": "left"};
const ending = (words) => (Object.hasOwn(ENDINGS, words) ? t(ENDINGS[words]) : words);

/** An entry of the journal in words. */
export function describe(entry) {
  const {by, reason, holder, error, outcome, tick, ...others} = entry.details;
  const kind = entry.kind === "job-run" ? (outcome === "ran" ? "good" : "bad") : entry.kind === "lease-lost" ? "bad" : "warn";
  return [
    h("p", {}, badge(entry.kind === "job-run" ? ending(outcome) : t(`kind_${entry.kind.replaceAll("-", "_")}`), kind), " ",
      foreign(by ?? entry.node), holder && [" ← ", foreign(holder)], tick && h("span", {class: "muted"}, ` · ${tick}`)),
    reason && h("p", {}, "“", foreign(entry.kind === "lease-lost" ? diagnosis(reason) ?? reason : reason), "”"),
    error && h("p", {class: "error-text"}, foreign(error)),
    entry.token !== "0" && h("p", {class: "muted"}, t("token"), " ", h("code", {}, entry.token)),
    others.mode && h("p", {class: "muted"}, t(`modeName_${others.mode.toLowerCase()}`)),
    entry.kind === "job-reset" && h("p", {class: "muted"}, foreign(`${others.from} → ${others.to}`)),
  ].filter(Boolean);
}

function shell(lock) {
  const first = lock.holders[0];
  const name = quoted(lock.name);
  return card(t("fromShell"), h("div", {class: "body"},
    command(`pawl show ${name}`), command(`pawl journal ${name}`),
    first && command(`pawl release ${name} --token ${first.token} --reason '…'`)));
}
