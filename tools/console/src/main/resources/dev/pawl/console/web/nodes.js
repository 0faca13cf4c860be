// Who is there, by what they hold, wait for and have run.

import {listen} from "./api.js";
import {foreign, h, redraw, setText, show} from "./dom.js";
import {t} from "./i18n.js";
import {badge, empty, loading, time} from "./parts.js";

export function nodesPage(place) {
  const count = h("span", {class: "sub num"});
  const body = h("section", {class: "card"}, loading());
  show(place, h("div", {class: "head"}, h("h1", {}, t("nodes")), count), body);
  return listen({view: "nodes"}, ({nodes}) => {
    setText(count, t("countNodes", {n: nodes.filter((node) => node.there).length}));
    redraw(body, nodes.length ? table(nodes) : empty("page", t("noNodes"), t("noNodesHint")));
  });
}

function table(nodes) {
  const words = ["node", "state", "holds", "waits", "runs", "runsFailed", "leasesLost", "firstSeen"].map((key) => t(key));
  const number = (value, label, kind) => h("td", {class: "num", "data-label": label}, value > 0 && kind ? badge(String(value), kind) : String(value));
  return h("table", {class: "plain"},
    h("thead", {}, h("tr", {}, words.map((word, i) => h("th", {scope: "col", class: i > 1 && i < 7 ? "num" : null}, word)))),
    h("tbody", {}, nodes.map((node) => h("tr", {},
      h("td", {"data-label": words[0]}, h("strong", {}, foreign(node.node))),
      h("td", {"data-label": words[1]}, node.there ? badge(t("there"), "good") : h("span", {class: "muted"}, ...around(t("gone", {time: "\u0000"}), time(node.last)))),
      number(node.holds, words[2]), number(node.waits, words[3]), number(node.runs, words[4]),
      number(node.failed, words[5], "bad"), number(node.lost, words[6], "bad"),
      h("td", {"data-label": words[7]}, time(node.first))))));
}

const around = (words, element) => {
  const [before, after = ""] = words.split("\u0000");
  return [before, element, after];
};
