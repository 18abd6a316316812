// Name, color and ratings.
import { COLORS, avatar } from "../avatar.js";
import { changePerson } from "../person.js";
import { h, toast } from "../shell.js";
import { gameName, number, t } from "../strings.js";

const LONGEST_NAME = 40;

/** With null, saving a name creates the person. */
export function profileCard(person) {
  let known = person ?? { name: "", color: COLORS[4] };
  const picture = h("span", {}, avatar(known, "large"));
  const name = h("input", { name: "name", value: known.name, maxlength: LONGEST_NAME, required: true, autocomplete: "nickname", spellcheck: "false" });
  const save = async (fields) => {
    try {
      known = await changePerson(fields);
      picture.replaceChildren(avatar(known, "large"));
      name.value = known.name;
      toast(t("me.saved"), "good");
    } catch (error) {
      toast(error.message, "bad");
    }
  };
  const submit = (event) => {
    event.preventDefault();
    const color = form.elements.color?.value;
    save(person ? { name: name.value } : { name: name.value, color });
  };
  const form = h("form", { class: "stack", onsubmit: submit },
    h("div", { class: "who" }, picture, h("label", {}, t("me.name"), name)),
    colorChoice(known.color, (color) => {
      picture.replaceChildren(avatar({ ...known, name: name.value, color }, "large"));
      if (person) save({ color });
    }),
    h("div", { class: "row" }, h("button", { class: "primary", type: "submit" }, t("me.save"))));
  return h("section", { class: "card", "aria-labelledby": "me-profile" }, h("h2", { id: "me-profile" }, t("me.profile")),
    h("p", { class: "muted hint" }, t(person ? "me.profile.text" : "me.profile.nobody")), form, person?.ratings.length ? ratings(person.ratings) : null);
}

function colorChoice(chosen, choose) {
  const discs = COLORS.map((color) => h("label", { class: `color monogram monogram-${color}`, title: t(`me.color.${color}`) },
    h("input", { type: "radio", name: "color", value: color, checked: color === chosen, onchange: () => choose(color) }),
    h("span", { class: "visually-hidden" }, t(`me.color.${color}`))));
  return h("fieldset", { class: "colors" }, h("legend", {}, t("me.color")), discs);
}

function ratings(known) {
  const rows = known.map(({ game, rating, deviation, games, provisional }) => h("div", {}, h("dt", {}, gameName(game)),
    h("dd", {}, number(rating), h("span", { class: "small muted" }, ` ± ${number(2 * deviation)}`)),
    h("dd", { class: "small muted" }, provisional ? t("me.rating.provisional", { games: number(games) }) : t("me.rating.games", { games: number(games) }))));
  return h("dl", { class: "figures" }, rows);
}
