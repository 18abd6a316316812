// What can be done at a table besides moving: buttons with a word on each.

import { GAMES } from "../games/index.js";
import { h, toast } from "../shell.js";
import { icon } from "../icons.js";
import { problemText, t, tn } from "../strings.js";
import { get, set } from "../preferences.js";
import { ask } from "./dialog.js";
import { continueElsewhere } from "./hand-over.js";
import { leaveGame, startAnother } from "./leaving.js";
import { playerName } from "./names.js";

/** A hint that hasn't come after this time may never come. */
const HINT_MS = 20_000;
/** Events that answer a request for a hint, or make it pointless. */
const ANSWERS = new Set(["game:hint:found", "game:move:made", "game:takeback:made", "game:over"]);

export function actions(state) {
  const { room, board, home, phrases, tournament } = state;
  let hinting = null;
  const stopHinting = () => {
    clearTimeout(hinting);
    hinting = null;
    update();
  };
  const askHint = async () => {
    hinting = setTimeout(() => { stopHinting(); toast(t("play.hint.none"), "bad"); }, HINT_MS);
    update();
    await attempt(room.hint()).then((isAsked) => isAsked || stopHinting());
  };
  const buttons = {
    takeback: button("takeback", "again", () => attempt(room.takeBack())),
    hint: button("hint", "light", askHint),
    tutor: button("tutor", "tutor", () => { set("tutor", !get("tutor")); update(); }),
    draw: button("draw", "draw", () => attempt(room.offerDraw())),
    resign: button("resign", "flag", () => (GAMES[room.game].resignations(room.position) ? chooseResignation(room) : confirmResign(room))),
    rules: button("rules", "rules", () => attempt(import("./rules.js").then(({ showRules }) => showRules(state)))),
    flip: button("flip", "flip", () => board.toggleAttribute("flip")),
    sound: button("sound", "sound", () => { set("sound", !get("sound")); update(); }),
    device: button("device", "share", () => continueElsewhere(room)),
    leave: button("leave", "close", () => leaveGame(room, home)),
    new: button("new", "run", () => startAnother(room, home)),
  };
  const update = (kind) => {
    if (ANSWERS.has(kind)) {
      clearTimeout(hinting);
      hinting = null;
    }
    const { takeback, hint, tutor, draw, resign, sound, device, new: other } = buttons;
    const isOver = Boolean(room.over);
    takeback.hidden = hint.hidden = tutor.hidden = !room.practice || isOver;
    tutor.hidden ||= !GAMES[room.game].hasAnalysis;
    tutor.setAttribute("aria-pressed", String(get("tutor")));
    hint.hidden ||= !get("hints");
    takeback.disabled = !room.history.some(({ playerId, move }) => playerId === room.playerId && !GAMES[room.game].isPass(move));
    hint.disabled = !room.isMine || hinting !== null || state.presentation.isLooking || Boolean(board.mustRoll);
    draw.hidden = !GAMES[room.game].hasDraws || isOver;
    draw.disabled = Boolean(room.offer);
    resign.disabled = room.resignOffer?.playerId === room.playerId;
    resign.hidden = device.hidden = other.hidden = isOver;
    other.hidden ||= Boolean(tournament);
    sound.setAttribute("aria-pressed", String(get("sound")));
    sound.firstChild.replaceWith(icon(get("sound") ? "sound" : "mute"));
  };
  state.presentation.addEventListener("change", () => update());
  return { element: h("div", { class: "actions" }, Object.values(buttons), phrases.menu), update };
}

function button(name, picture, onclick) {
  return h("button", { class: "plain", type: "button", "data-action": name, onclick }, icon(picture), h("span", {}, t(`play.action.${name}`)));
}

/** Whether the server has accepted it. */
async function attempt(promise) {
  try {
    await promise;
    return true;
  } catch (error) {
    toast(problemText(error), "bad");
    return false;
  }
}

async function confirmResign(room) {
  const answer = await ask({
    title: t("play.resign.title"),
    text: t("play.resign.text"),
    answers: [["yes", t("play.resign.yes"), "danger"], ["", t("play.resign.no"), "plain"]],
  });
  if (answer === "yes" && !room.over) await attempt(room.resign());
}

/** In games with several kinds of wins the loser says which it is, and the other side accepts or refuses. */
async function chooseResignation(room) {
  const answers = GAMES[room.game].resignations(room.position).map(({ win, points }) => [String(win), tn(`${room.game}.resign.${win}`, points), "danger"]);
  const answer = await ask({
    title: t("play.resign.title"),
    text: t("play.resign.offer.text", { name: playerName(room.opponent) }),
    answers: [...answers, ["", t("play.resign.no"), "plain"]],
  });
  if (answer && !room.over) await attempt(room.offerResignation(Number(answer)));
}
