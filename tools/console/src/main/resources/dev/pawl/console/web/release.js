// A forced release: by the token that is on the screen, with a reason, after a confirmation.

import {change, segment} from "./api.js";
import {foreign, h, keepFocus, setText} from "./dom.js";
import {explain, t} from "./i18n.js";
import {age, toast} from "./parts.js";

/** Asks for a reason, in a dialog that says what will happen; runs {@code act} with it. */
export function confirm({title, facts, what, field, label, act, changed = "changed"}) {
  const problem = h("p", {class: "problem", role: "alert"});
  const reason = h("textarea", {id: "reason", rows: 2, maxlength: 500, required: true});
  const button = h("button", {class: "danger", type: "submit", id: "confirm"}, label);
  const dialog = h("dialog", {"aria-labelledby": "dialog-title"}, h("form", {onsubmit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await act(reason.value.replace(/\s+/g, " ").trim(), field?.value);
      dialog.close();
    } catch (refusal) {
      const why = explain(refusal);
      setText(problem, refusal.reason === "outcome-unknown" ? why : t(refusal.code === "changed" ? changed : "failed", {why}));
      // What was on the screen is no longer so: nothing here can be confirmed any more.
      button.hidden = refusal.code === "changed";
    } finally {
      button.disabled = false;
    }
  }},
  h("h2", {id: "dialog-title"}, title),
  h("dl", {class: "facts"}, facts.map(([term, value]) => [h("dt", {}, term), h("dd", {}, value)])),
  h("p", {}, what),
  field?.element,
  h("label", {}, t("reason"), reason, h("span", {class: "muted"}, t("reasonHint"))),
  problem,
  h("div", {class: "row"}, h("button", {type: "button", onclick: () => dialog.close()}, t("cancel")), button)));
  const main = document.getElementById("main");
  const focusAgain = keepFocus(main);
  dialog.addEventListener("close", () => {
    dialog.remove();
    // The page has gone on meanwhile: what was clicked may have been drawn anew, or be gone.
    if (!focusAgain()) main.focus({preventScroll: true});
  });
  document.body.append(dialog);
  dialog.showModal();
  reason.focus();
}

export function askRelease(lock, holder) {
  const next = lock.waiters ? t("releaseNext", {n: lock.waiters}) : t("releaseNone");
  confirm({
    title: t("releaseTitle"),
    label: t("releaseDo"),
    facts: [[t("name"), foreign(lock.name)], [t("holder"), foreign(holder.node)], [t("age"), age(holder.since)], [t("token"), h("code", {}, holder.token)]],
    what: t("releaseWhat", {holder: holder.node, next}),
    act: async (reason) => {
      await change(`locks/${segment(lock.name)}/release`, {token: holder.token, reason});
      toast(t("released", {name: lock.name, holder: holder.node}));
    },
  });
}
