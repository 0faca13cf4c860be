// Every intervention: who, when, why.

import {listen} from "./api.js";
import {foreign, h, redraw, show} from "./dom.js";
import {diagnosis, t} from "./i18n.js";
import {badge, empty, loading, lockLink, time} from "./parts.js";

export function auditPage(place) {
  const body = h("section", {class: "card"}, loading());
  show(place, h("div", {class: "head"}, h("h1", {}, t("audit"))), body);
  return listen({view: "audit"}, ({entries}) => redraw(body, entries.length ? table(entries) : empty("page", t("noAudit"), t("noAuditHint"))));
}

function table(entries) {
  const words = ["when", "who", "what", "on", "reason", "details"].map((key) => t(key));
  return h("table", {class: "plain"},
    h("thead", {}, h("tr", {}, words.map((word) => h("th", {scope: "col"}, word)))),
    h("tbody", {}, entries.map((entry) => {
      const {by, reason = "", holder, from, to, tick, mode} = entry.details;
      return h("tr", {},
        h("td", {"data-label": words[0]}, time(entry.at)),
        h("td", {"data-label": words[1]}, by ? foreign(by) : h("span", {class: "muted"}, t("byItself"))),
        h("td", {"data-label": words[2]}, badge(t(`kind_${entry.kind.replaceAll("-", "_")}`), "warn")),
        h("td", {"data-label": words[3]}, mode ? t("pair") : lockLink(entry.name)),
        h("td", {"data-label": words[4]}, foreign(by ? reason : diagnosis(reason) ?? reason)),
        h("td", {"data-label": words[5], class: "muted"}, holder && ["← ", foreign(holder)], from && foreign(`${from} → ${to}`), tick && foreign(tick), mode && t(`modeName_${mode.toLowerCase()}`)));
    })));
}
