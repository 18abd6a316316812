// The person's friends and whether they are online, the friend link, and blocked people.
import { HOME } from "../address.js";
import { avatar } from "../avatar.js";
import { isolated } from "../isolation.js";
import { changePerson, loadPerson } from "../person.js";
import { api, copy, fill, h, mount, toast } from "../shell.js";
import { t } from "../strings.js";
import { refresh } from "./banner.js";
import { challengeDialog } from "./challenge.js";
import { removeFriend, unblock } from "./confirm.js";

const main = mount({ active: "me", title: t("friends.title") });
main.classList.add("page");

await fill(main, show);

async function show() {
  const person = await loadPerson();
  if (!person) return main.replaceChildren(h("div", {}, h("h1", {}, t("friends.title")), h("p", { class: "lead" }, t("friends.lead"))), beginning());
  const [{ friends, code }, { people: blocked }] = await Promise.all([api("/web/me/friends"), api("/web/me/blocks")]);
  main.replaceChildren(
    h("div", {}, h("div", { class: "title-row" }, h("h1", {}, t("friends.title")), h("a", { class: "button plain", href: `/people/${person.id}` }, t("profile.own"))), h("p", { class: "lead" }, t("friends.lead"))),
    linkBox(code),
    h("section", { class: "card" }, h("h2", {}, t("friends.list")), friends.length ? h("ul", { class: "people" }, friends.map(friendRow)) : h("p", { class: "muted" }, t("friends.none"))),
    blocked.length ? h("section", { class: "card" }, h("h2", {}, t("block.list")), h("ul", { class: "people" }, blocked.map(blockedRow))) : "",
  );
}

/** For a browser in which nobody has played yet. */
function beginning() {
  const begin = () => changePerson({}).then(show).catch((error) => toast(error.message, "bad"));
  return h("div", { class: "row" }, h("button", { class: "primary", type: "button", onclick: begin }, t("friends.begin")));
}

function linkBox(code) {
  const address = `${HOME}/friends/${code}`;
  const field = h("input", { readonly: true, value: address, "aria-label": t("friends.link") });
  const renew = () => act(async () => {
    await api("/web/me/friends/link", { body: {} });
    toast(t("friends.renewed"), "good");
    await show();
  });
  return h("section", { class: "card stack" }, h("h2", {}, t("friends.link")), h("p", {}, t("friends.link.text")),
    h("div", { class: "link-box" }, field, h("button", { class: "primary", type: "button", onclick: () => copy(address) }, t("shell.copy")), h("button", { class: "plain", type: "button", onclick: renew }, t("friends.renew"))));
}

function friendRow(friend) {
  const challenge = () => act(async () => (await challengeDialog(friend)) && refresh());
  const remove = () => act(async () => (await removeFriend(friend)) && show());
  return h("li", { class: "person-row" }, who(friend),
    h("button", { class: "primary", type: "button", onclick: challenge, "aria-label": t("challenge.title", { name: isolated(friend.name) }) }, t("challenge.do")),
    h("button", { class: "plain", type: "button", onclick: remove }, t("friends.remove")));
}

function blockedRow(person) {
  const end = () => act(async () => {
    await unblock(person);
    await show();
  });
  return h("li", { class: "person-row" }, who(person), h("button", { class: "plain", type: "button", onclick: end }, t("block.end")));
}

function who(person) {
  return h("div", { class: "who" }, avatar(person), h("div", {}, h("a", { href: `/people/${person.id}` }, isolated(person.name)), person.isOnline ? h("div", { class: "small online" }, t("profile.online")) : null));
}

async function act(work) {
  try {
    await work();
  } catch (error) {
    toast(error.message, "bad");
  }
}
