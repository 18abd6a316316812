// Asks for confirmation before a friendship ends or somebody is blocked.
import { isolated } from "../isolation.js";
import { ask } from "../play/dialog.js";
import { api, toast } from "../shell.js";
import { t } from "../strings.js";

/** Whether the friendship was ended. */
export async function removeFriend({ id, name }) {
  const shown = isolated(name);
  const answers = [["yes", t("friends.remove"), "danger"], ["no", t("friends.keep"), "plain"]];
  if ((await ask({ title: t("friends.remove.title", { name: shown }), text: t("friends.remove.text"), answers })) !== "yes") return false;
  await api(`/web/me/friends/${id}`, { method: "DELETE" });
  toast(t("friends.removed", { name: shown }), "good");
  return true;
}

/** Whether the person is blocked now. */
export async function block({ id, name }) {
  const shown = isolated(name);
  const answers = [["yes", t("block.do"), "danger"], ["no", t("block.cancel"), "plain"]];
  if ((await ask({ title: t("block.title", { name: shown }), text: t("block.text", { name: shown }), answers })) !== "yes") return false;
  await api("/web/me/blocks", { body: { person: id } });
  toast(t("block.done", { name: shown }), "good");
  return true;
}

export async function unblock({ id, name }) {
  await api(`/web/me/blocks/${id}`, { method: "DELETE" });
  toast(t("block.ended", { name: isolated(name) }), "good");
}
