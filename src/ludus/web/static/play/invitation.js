// A friend's invitation: the host, the game and its terms.

import { isolated } from "../isolation.js";
import { api, h, toast } from "../shell.js";
import { gameName, t } from "../strings.js";
import { choiceMade, nameField } from "./lobby.js";
import { joinFriend } from "./seat.js";
import { terms } from "./terms.js";

/** Hosts who open their own invitation get the waiting view. Returns a function that removes the view. */
export async function showInvitation(main, code, { takeSeat, open }) {
  let found;
  try {
    found = await api(`/web/invitations/${encodeURIComponent(code)}`);
  } catch (error) {
    if (![400, 404].includes(error.status)) throw error;
    main.replaceChildren(closed());
    return () => {};
  }
  if (found.isOwn || found.isMine) {
    await open(`/play/${found.sessionId}`);
    return () => {};
  }
  main.replaceChildren(found.isFull ? full(found) : invitation(found, code, takeSeat));
  main.querySelector("input[name=name]")?.focus();
  return () => {};
}

function invitation(found, code, takeSeat) {
  const choice = choiceMade();
  const join = h("button", { class: "primary big", type: "submit" }, t("play.join"));
  const submit = async (event) => {
    event.preventDefault();
    join.disabled = true;
    try {
      await takeSeat(await joinFriend(code, choice.name));
    } catch (error) {
      join.disabled = false;
      toast(error.message, "bad");
    }
  };
  const name = isolated(found.host.name);
  return h("section", { class: "card invited", "data-invitation": code },
    h("h1", {}, t("play.invited", { name, game: gameName(found.game) })),
    terms(found),
    h("form", { class: "join-form", onsubmit: submit }, nameField(choice), join));
}

function full({ game, host }) {
  return message(t("play.invited.full"), t("play.invited.full.text", { name: isolated(host.name), game: gameName(game) }));
}

function closed() {
  return message(t("play.invited.closed"), t("play.invited.closed.text"));
}

function message(title, text) {
  return h("section", { class: "card invited", "data-invitation": "" }, h("h1", {}, title), h("p", { class: "lead" }, text),
    h("div", { class: "row" }, h("a", { class: "button", href: "/" }, t("play.invited.other"))));
}
