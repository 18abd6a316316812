// Reporting the opponent of a game to the operator.
import { ask } from "../play/dialog.js";
import { api, toast } from "../shell.js";
import { t } from "../strings.js";

const REASONS = ["abuse", "cheating", "stalling", "name", "other"];

/** Asks for the reason and sends the report; `name` is the opponent's name as the page shows it. */
export async function reportOpponent(game, name) {
  const answers = REASONS.map((reason) => [reason, t(`play.report.${reason}`), "plain"]);
  const reason = await ask({ title: t("play.report.title", { name }), text: t("play.report.text"), answers: [...answers, ["", t("play.cancel"), "plain"]] });
  if (!reason) return;
  try {
    await api("/web/me/reports", { body: { game, reason } });
    toast(t("play.report.done"));
  } catch (error) {
    toast(error.message, "bad");
  }
}
