// The page /me: name, preferences, devices, passkeys and the person's data. There is no account and no password.
import { loadPerson, listenToPerson } from "../person.js";
import { fill, h, mount } from "../shell.js";
import { t } from "../strings.js";
import { dataCard } from "./data.js";
import { devicesCard } from "./devices.js";
import { passkeysCard } from "./passkeys.js";
import { preferencesCard } from "./preferences.js";
import { profileCard } from "./profile.js";
import { codeInAddress, signInCard } from "./sign-in.js";

const main = mount({ active: "me", title: t("me.title") });
let code = codeInAddress();

/** Sections that don't depend on the person are drawn once, so that open choices survive signing in. */
const preferences = preferencesCard();
let shown;

function draw(person) {
  if (shown !== undefined && shown === (person?.id ?? null)) return;
  shown = person?.id ?? null;
  const signIn = signInCard(person, code);
  const title = h("div", {}, h("div", { class: "title-row" }, h("h1", {}, t("me.title")), person ? links(person) : null), h("p", { class: "lead" }, t(person ? "me.text" : "me.text.nobody")));
  const left = [profileCard(person), preferences];
  const right = person ? [devicesCard(), passkeysCard(), signIn, dataCard()] : [signIn];
  if (code || !person) left.unshift(...right.splice(right.indexOf(signIn), 1)); // they came to sign in
  main.replaceChildren(title, h("div", { class: "cards" }, [left, right].filter((cards) => cards.length).map((cards) => h("div", { class: "stack" }, cards))));
  code = ""; // a link is for one try
}

function links({ id }) {
  const places = [["/me/games", "history.title"], ["/me/friends", "friends.title"], [`/people/${id}`, "profile.own"]];
  return h("nav", { class: "row", "aria-label": t("me.title") }, places.map(([href, key]) => h("a", { class: "button plain", href }, t(key))));
}

fill(main, async () => {
  const hasCode = Boolean(code);
  draw(await loadPerson());
  listenToPerson(draw);
  if (hasCode) main.querySelector(".sign-in button[type=submit]").focus();
});
