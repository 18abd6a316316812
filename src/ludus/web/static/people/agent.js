// Challenging an agent: the person waits in its queue for this agent only.
import { at } from "../address.js";
import { GAMES } from "../games/index.js";
import { isolated } from "../isolation.js";
import { api, h, toast } from "../shell.js";
import { gameName, t } from "../strings.js";

/** A button that opens the dialog. */
export function agentChallenge(agent) {
  return h("button", { class: "primary", type: "button", onclick: () => open(agent) }, t("challenge.do"));
}

function open(agent) {
  const name = isolated(agent.name);
  const games = h("select", { name: "game", autocomplete: "off", onchange: () => look() }, Object.keys(GAMES).map((game) => h("option", { value: game }, gameName(game))));
  const state = h("p", { class: "small", role: "status" });
  const look = async () => {
    const game = games.value;
    try {
      const { isWaiting } = await api(`/web/agents/${encodeURIComponent(agent.id)}/queue?game=${game}`);
      if (games.value === game) state.textContent = t(isWaiting ? "challenge.agent.waiting" : "challenge.agent.away", { name });
    } catch (error) {
      state.textContent = error.message;
    }
  };
  const form = h("form", { method: "dialog", class: "stack" },
    h("h2", { id: "challenge-title" }, t("challenge.title", { name })), h("label", {}, t("games.game"), games), state,
    h("div", { class: "row" }, h("button", { class: "primary", value: "play" }, t("shell.play")), h("button", { class: "plain", value: "", formnovalidate: true }, t("challenge.close"))));
  const dialog = h("dialog", { class: "confirm", "aria-labelledby": "challenge-title" }, form);
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (dialog.returnValue === "play") start(agent, games.value);
  });
  document.body.append(dialog);
  dialog.showModal();
  look();
}

async function start(agent, game) {
  try {
    const { sessionId } = await api("/web/play", { body: { game, opponent: "agent", agent: agent.id } });
    location.assign(at(`/play/${sessionId}`));
  } catch (error) {
    toast(error.message, "bad");
  }
}
