// A friend link: whose it is, and the question whether to become friends.
import { avatar } from "../avatar.js";
import { isolated } from "../isolation.js";
import { loadPerson } from "../person.js";
import { api, fill, h, lastOf, mount, toast } from "../shell.js";
import { t } from "../strings.js";

const code = lastOf(location.pathname);
const main = mount({ active: "", title: t("friends.invitation") });

await fill(main, show);

async function show() {
  const { person, isOwn, isFriend } = await api(`/web/friends/${encodeURIComponent(code)}`);
  const name = isolated(person.name);
  const profile = h("a", { class: "button plain", href: `/people/${person.id}` }, t("profile.of", { name }));
  const text = isOwn ? t("friends.own_link") : isFriend ? t("friends.already", { name }) : t("friends.invitation.text", { name });
  const confirm = h("button", { class: "primary", type: "button", onclick: () => accept(person, confirm) }, t("friends.accept"));
  main.replaceChildren(h("div", { class: "empty" }, avatar(person, "large"),
    h("h1", {}, isOwn ? t("friends.link") : isFriend ? name : t("friends.invitation.title", { name })), h("p", {}, text),
    h("div", { class: "row" }, isOwn ? h("a", { class: "button", href: "/me/friends" }, t("friends.title")) : isFriend ? profile : [confirm, profile])));
}

async function accept(person, button) {
  button.disabled = true;
  try {
    await api("/web/me/friends", { body: { code } });
    await loadPerson();
    toast(t("friends.made", { name: isolated(person.name) }), "good");
    await show();
  } catch (error) {
    button.disabled = false;
    toast(error.message, "bad");
  }
}
