// Who is not known yet: how to get in.

import {loadSession, signIn} from "./api.js";
import {h, setText} from "./dom.js";
import {explain, t} from "./i18n.js";
import {keeps} from "./kept.js";

/** Where the console itself remembers who has signed in. */
const BY_COOKIE = ["link", "password"];
const HINTS = {link: "byLink", proxy: "byProxy", application: "byApplication"};

export function signInPage(how, done) {
  if (BY_COOKIE.includes(how) && !keeps()) {
    return h("section", {class: "card sign-in", id: "signed-out"}, h("h1", {}, t("signedOut")), h("p", {id: "no-cookies"}, t("noCookies")));
  }
  if (how !== "password") {
    return h("section", {class: "card sign-in", id: "signed-out"}, h("h1", {}, t("signedOut")), h("p", {class: "muted"}, t(HINTS[how] ?? "byLink")),
      how !== "link" && h("button", {class: "primary", type: "button", id: "sign-in-there", onclick: () => location.reload()}, t("signIn")));
  }
  const problem = h("p", {class: "error-text", role: "alert"});
  const user = h("input", {id: "user", name: "user", autocomplete: "username", required: true, autofocus: true});
  const password = h("input", {id: "password", name: "password", type: "password", autocomplete: "current-password", required: true});
  const button = h("button", {class: "primary", type: "submit"}, t("signIn"));
  const form = h("form", {onsubmit: async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await signIn(user.value, password.value);
      if (!(await loadSession()).session) throw {code: "no-cookie"};
      done();
    } catch (refusal) {
      setText(problem, explain(refusal));
      password.value = "";
      password.focus();
    } finally {
      button.disabled = false;
    }
  }}, h("label", {}, t("user"), user), h("label", {}, t("password"), password), problem, button);
  return h("section", {class: "card sign-in", id: "signed-out"}, h("h1", {}, t("signIn")), form);
}
