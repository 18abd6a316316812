// The person's own finished games.
import { nameOf } from "../people.js";
import { loadPerson } from "../person.js";
import { fill, h, mount } from "../shell.js";
import { t } from "../strings.js";
import { gameList } from "./games.js";
import { reportOpponent } from "./report.js";

const main = mount({ active: "me", title: t("history.title") });
main.classList.add("page");

await fill(main, async () => {
  const person = await loadPerson();
  const list = person ? await gameList("/web/me/history", { actions: report, none: t("history.none.own") }) : h("p", { class: "muted" }, t("history.none.own"));
  main.replaceChildren(
    h("div", { class: "title-row" }, h("h1", {}, t("history.title")),
      person ? h("div", { class: "row" }, h("a", { class: "button plain", href: `/people/${person.id}` }, t("profile.own")), h("a", { class: "button plain", href: "/me/friends" }, t("friends.title"))) : null),
    h("section", { class: "card" }, list),
    person ? "" : h("div", { class: "row" }, h("a", { class: "button", href: "/" }, t("shell.play"))),
  );
});

function report(game) {
  if (!game.opponent.id.startsWith("person:")) return null;
  return h("button", { class: "link", type: "button", onclick: () => reportOpponent(game.id, nameOf(game.opponent)) }, t("report.do"));
}
