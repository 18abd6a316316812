// A game's result in one line.
import { nameOf } from "../people.js";
import { gameWord, t } from "../strings.js";

export function endingOf(record) {
  const { result, players } = record;
  if (!result) return t("result.live");
  const reason = gameWord(record.game, "reason.", result.reason);
  if (result.reason === "cancelled") return t("result.cancelled");
  if (result.winner === null) return t("result.draw", { reason });
  const kind = result.kind && result.kind !== "single" ? `, ${gameWord(record.game, "result.", result.kind).toLowerCase()}` : "";
  return t("result.won", { name: nameOf(players[result.winner]), reason: reason + kind });
}
