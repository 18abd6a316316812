// How a game ended, in a line.
import { nameOf } from "../people.js";
import { t, word } from "../strings.js";

export function endingOf(record) {
  const { result, players } = record;
  if (!result) return t("result.going_on");
  const reason = word("reason.", result.reason);
  if (result.winner === null) return t("result.draw", { reason });
  const kind = result.kind && result.kind !== "single" ? `, ${t(`result.${result.kind}`)}` : "";
  return t("result.won", { name: nameOf(players[result.winner]), reason: reason + kind });
}
