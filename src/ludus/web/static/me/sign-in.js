// Signing in as a person from another device: with a code from there, or with a passkey.
import { confirmAction } from "../dashboard/confirm.js";
import { icon } from "../icons.js";
import { isolated } from "../isolation.js";
import { learn, person as currentPerson } from "../person.js";
import { api, h, toast } from "../shell.js";
import { t } from "../strings.js";
import { passkeyProblem } from "./passkeys.js";
import { hasPasskeys, usePasskey } from "./webauthn.js";

/** The code of a link from another device. It is in the fragment, which isn't sent, and is removed from the history. */
export function codeInAddress() {
  const code = /^#code=([A-Za-z0-9-]{1,20})$/.exec(location.hash)?.[1] ?? "";
  if (code) history.replaceState(null, "", location.pathname + location.search);
  return code;
}

export function signInCard(person, code = "") {
  const field = h("input", { name: "code", value: code, required: true, maxlength: 12, placeholder: "ABCD-2345", autocomplete: "off", autocapitalize: "characters", spellcheck: "false" });
  const become = (work) => async () => {
    const found = learn((await work()).person);
    toast(t("me.sign_in.done", { name: isolated(found.name) }), "good");
  };
  const attempt = (work) => {
    if (currentPerson()) confirmAction({ title: t("me.sign_in.switch"), text: t("me.sign_in.switch.text", { name: isolated(currentPerson().name) }), action: t("me.sign_in.switch.yes") }, work);
    else work().catch((error) => toast(passkeyProblem(error), "bad"));
  };
  const useCode = become(() => api("/web/me/devices", { body: { code: field.value } }));
  const signIn = become(async () => {
    try {
      return await api("/web/passkeys/login", { body: { credential: await usePasskey(await api("/web/passkeys/login/options", { body: {} })) } });
    } catch (error) {
      throw new Error(passkeyProblem(error));
    }
  });
  const submit = (event) => {
    event.preventDefault();
    attempt(useCode);
  };
  return h("section", { class: "card sign-in", "aria-labelledby": "me-sign-in" }, h("h2", { id: "me-sign-in" }, t(person ? "me.sign_in.other" : "me.sign_in")), h("p", { class: "muted hint" }, t("me.sign_in.text")),
    h("div", { class: "stack" },
      h("form", { class: "code-form", onsubmit: submit }, h("label", {}, t("me.sign_in.code"), field), h("button", { class: person ? "plain" : "primary", type: "submit" }, t("me.sign_in.use"))),
      hasPasskeys() ? h("div", { class: "row" }, h("button", { class: "plain", type: "button", onclick: () => attempt(signIn) }, icon("key"), t("me.sign_in.passkey"))) : null));
}
