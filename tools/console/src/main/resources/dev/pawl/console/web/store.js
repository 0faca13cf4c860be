// What the doctor finds.

import {listen} from "./api.js";
import {foreign, h, redraw, show} from "./dom.js";
import {diagnosis, t} from "./i18n.js";
import {badge, card, command, inTheWordsOfTheStore, loading} from "./parts.js";

const KINDS = {fine: "good", warning: "warn", unsafe: "bad"};
const RANK = {unsafe: 0, warning: 1, fine: 2};

export function storePage(place) {
  const body = h("div", {}, loading());
  show(place, h("div", {class: "head"}, h("h1", {}, t("store"))), body);
  return listen({view: "doctor"}, (doctor) => {
    const findings = [...doctor.findings].sort((a, b) => RANK[a.level] - RANK[b.level]);
    redraw(body,
      h("div", {class: "tiles"},
        h("div", {class: "card tile"}, h("span", {class: "muted"}, t("storeAt")), h("p", {}, h("strong", {}, foreign(doctor.store))),
          badge(doctor.unsafe ? t("unfit") : t("fit"), doctor.unsafe ? "bad" : "good"),
          doctor.mode && [" ", badge(t(`modeName_${doctor.mode}`), doctor.mode === "primary" ? "good" : "warn")]),
        tile(t("unsafe"), doctor.unsafe), tile(t("warnings"), doctor.warnings)),
      card(t("examined"), findings.length ? h("div", {}, findings.map(finding)) : h("p", {class: "body muted"}, t("noFindings"))),
      card(t("fromShell"), h("div", {class: "body"}, command("pawl doctor"), doctor.mode && command("pawl mode"))));
  });
}

const tile = (word, number) => h("div", {class: "card tile"}, h("span", {class: "muted"}, word), h("b", {class: "num"}, String(number)));

function finding(each) {
  return h("div", {class: "finding"}, badge(t(`level_${each.level}`), KINDS[each.level]),
    h("div", {}, h("p", {}, said(each.what)), each.why && h("p", {}, t("why"), ": ", said(each.why)), each.remedy && h("p", {}, t("remedy"), ": ", said(each.remedy))));
}

function said(text) {
  const words = diagnosis(text);
  return words === null ? [t("unknownFinding"), inTheWordsOfTheStore(text)] : foreign(words);
}
