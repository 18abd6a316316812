// What a tournament is about, in a line or two, and the time until something happens in it.
import { optionsText } from "../move-text.js";
import { h } from "../shell.js";
import { ago, date, gameName, language, longDuration, number, t, tn } from "../strings.js";
import { timeControlName } from "../time-controls.js";
import "./texts.js";

export const SYSTEMS = ["arena", "swiss", "round_robin", "knockout"];
export const KINDS = ["person", "agent", "bot"];
const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

/** "Checkers · Swiss, 5 rounds · 5+3 · rated". */
export function facts({ game, options, system, rounds, minutes, timeControl, rated }) {
  const length = minutes ? tn("tournaments.minutes", minutes) : rounds ? tn("tournaments.rounds", rounds) : "";
  const kind = [t(`tournaments.system.${system}`), length].filter(Boolean).join(", ");
  return [gameName(game), optionsText(game, options), kind, timeControlName(timeControl), t(rated ? "replay.rated" : "replay.unrated")].filter(Boolean).join(" · ");
}

/** "For people, AI agents and bots". */
export const admitted = (admits) => t("tournaments.for", { kinds: new Intl.ListFormat(language).format(admits.map((kind) => t(`tournaments.kind.${kind}`))) });

export const entered = ({ entrants, maxEntrants, state }) => (state === "created" ? tn("tournaments.entrants.of", entrants, { most: number(maxEntrants) }) : tn("tournaments.entrants", entrants));

/** When it starts or started, ends or ended. */
export function when({ state, startsAt, startsWhenFull, startedAt, endedAt, round, rounds, system, endsAt }) {
  if (state === "finished" || state === "cancelled") return t("tournaments.ended", { time: ago(endedAt) });
  if (state === "created") return startsAt ? t("tournaments.starts", { time: moment(startsAt) }) : t(startsWhenFull ? "tournaments.starts.full" : "tournaments.starts.owner");
  if (system === "arena" && endsAt) return t("tournaments.until", { time: date(endsAt, { timeStyle: "short" }) });
  if (!round) return t("tournaments.started", { time: ago(startedAt) });
  return rounds ? t("tournaments.round.of", { round: number(round), rounds: number(rounds) }) : t("tournaments.round", { round: number(round) });
}

/** A time of today, or a date with its time. */
function moment(value) {
  const isSoon = Math.abs(new Date(value) - Date.now()) < DAY / 2;
  return date(value, isSoon ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}

export const badge = ({ state }) => h("span", { class: `badge ${{ created: "warn", running: "good" }[state] ?? ""}` }, state === "running" ? h("span", { class: "live-dot" }) : null, t(`tournaments.state.${state}`));

/** Milliseconds as a clock shows them; a long time in words. */
export function countdownText(ms) {
  if (ms >= DAY) return longDuration(ms / SECOND);
  const seconds = Math.max(0, Math.ceil(ms / SECOND));
  const two = (value) => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  return minutes >= 60 ? `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** What the page counts down to: the start, or the end of an arena; null if there's neither. */
export function awaited({ state, startsAt, endsAt, system }) {
  if (state === "created" && startsAt) return { key: "tournaments.starts.in", at: new Date(startsAt).getTime() };
  return state === "running" && system === "arena" && endsAt ? { key: "tournaments.ends.in", at: new Date(endsAt).getTime() } : null;
}
