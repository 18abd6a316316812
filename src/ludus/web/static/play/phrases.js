// Set phrases: no free text. Each side reads them in its own language; they can be muted, and the opponent reported.

import { h, toast } from "../shell.js";
import { icon } from "../icons.js";
import { reportOpponent } from "../people/report.js";
import { person } from "../person.js";
import { get } from "../preferences.js";
import { problemText, t } from "../strings.js";
import { play as sound } from "../boards/sounds.js";
import { playerName } from "./names.js";

export const PHRASES = ["hello", "good_luck", "nice_move", "oops", "sorry", "well_played", "thanks", "bye"];
const SHOWN_MS = 6000;

/** Only between people. `announce` speaks to screen readers. */
export function phrases({ room }, announce) {
  let isMuted = false;
  let timer = null;
  const bubbles = { top: h("p", { class: "bubble", hidden: true }), bottom: h("p", { class: "bubble mine", hidden: true }) };
  const say = async (phrase) => {
    menu.open = false;
    try {
      await room.say(phrase);
    } catch (error) {
      toast(problemText(error), "bad");
    }
  };
  const mute = h("button", { class: "plain", type: "button", "data-phrase": "mute", onclick: () => { isMuted = !isMuted; showMute(); } });
  const report = h("button", { class: "plain", type: "button", "data-phrase": "report", onclick: () => reportOpponent(room.roomId, playerName(room.opponent)) }, t("play.report"));
  const showMute = () => {
    mute.textContent = t(isMuted ? "play.phrase.unmute" : "play.phrase.mute", { name: playerName(room.opponent) });
    mute.setAttribute("aria-pressed", String(isMuted));
  };
  const menu = h("details", { class: "phrases" }, h("summary", { class: "button plain", "data-action": "say" }, icon("say"), h("span", {}, t("play.action.say"))),
    h("div", { class: "phrase-menu" }, PHRASES.map((phrase) => h("button", { class: "plain", type: "button", "data-phrase": phrase, onclick: () => say(phrase) }, t(`play.phrase.${phrase}`))), mute, report));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  const show = ({ playerId, phrase }) => {
    const isMine = playerId === room.playerId;
    if (!PHRASES.includes(phrase) || (!isMine && (isMuted || !get("phrases")))) return;
    const text = t(`play.phrase.${phrase}`);
    const bubble = bubbles[isMine ? "bottom" : "top"];
    bubble.textContent = text;
    bubble.hidden = false;
    clearTimeout(timer);
    timer = setTimeout(() => { bubbles.top.hidden = bubbles.bottom.hidden = true; }, SHOWN_MS);
    if (isMine) return;
    sound("phrase");
    announce(t("play.phrase.said", { name: playerName(room.opponent), text }));
  };
  const update = (kind, data) => {
    menu.hidden = !get("phrases") || Boolean(room.opponent?.isBot) || !room.opponent;
    report.hidden = !person();
    showMute();
    if (kind === "game:phrase:said") show(data);
    if (kind === "game:started") isMuted = false;
  };
  return { menu, bubbles, update };
}
