// The person's passkeys, with which they can sign in on any device that has them.
import { confirmAction } from "../dashboard/confirm.js";
import { icon } from "../icons.js";
import { learn, loadPerson, personApi } from "../person.js";
import { ApiError, h, toast } from "../shell.js";
import { date, t } from "../strings.js";
import { createPasskey, hasPasskeys } from "./webauthn.js";

export function passkeysCard() {
  const list = h("ul", { class: "things" });
  const show = async () => list.replaceChildren(...(await loadPasskeys()).map((passkey) => passkeyRow(passkey, show)));
  show().catch((error) => list.replaceChildren(h("li", { class: "note bad", role: "alert" }, error.message)));
  const add = async () => {
    try {
      const credential = await createPasskey(await personApi("/web/passkeys/options", { body: {} }));
      learn((await personApi("/web/passkeys", { body: { credential } })).person);
      await show();
      toast(t("me.passkeys.added"), "good");
    } catch (error) {
      toast(passkeyProblem(error), "bad");
    }
  };
  return h("section", { class: "card", "aria-labelledby": "me-passkeys" }, h("h2", { id: "me-passkeys" }, t("me.passkeys")), h("p", { class: "muted hint" }, t("me.passkeys.text")),
    h("div", { class: "stack" }, list, hasPasskeys()
      ? h("div", { class: "row" }, h("button", { class: "plain", type: "button", onclick: add }, icon("key"), t("me.passkeys.add")))
      : h("p", { class: "note" }, t("me.passkeys.none"))));
}

const loadPasskeys = async () => (await personApi("/web/me/devices")).passkeys;

function passkeyRow({ id, label, createdAt }, show) {
  const name = label || t("me.devices.unknown");
  const remove = () => confirmAction({ title: t("me.passkeys.remove.title"), text: t("me.passkeys.remove.text"), action: t("me.remove") }, async () => {
    await personApi(`/web/passkeys/${encodeURIComponent(id)}`, { method: "DELETE" });
    await Promise.all([show(), loadPerson()]);
    toast(t("me.passkeys.removed"), "good");
  });
  return h("li", {}, h("span", {}, h("strong", {}, name), h("span", { class: "hint" }, t("me.passkeys.since", { date: date(createdAt, { dateStyle: "medium" }) }))),
    h("button", { class: "plain", type: "button", onclick: remove, "aria-label": `${t("me.remove")}: ${name}` }, t("me.remove")));
}

/** The page's message for a failure: browsers only say that it was cancelled or took too long. */
export function passkeyProblem(error) {
  if (error instanceof ApiError) return error.message;
  if (error.name === "InvalidStateError") return t("me.passkeys.known");
  if (error.name === "NotAllowedError") return t("me.passkeys.cancelled");
  console.error(error);
  return t("me.passkeys.failed");
}
