// Names of players in the page's language.

import { isolated } from "../isolation.js";
import { has, t } from "../strings.js";

/** What the server calls people who have chosen no name. */
const NO_NAME = "Guest";

export function playerName(player) {
  if (!player) return "";
  if (player.displayName === NO_NAME) return t("play.name.none");
  return player.isBot && has(`play.bot.${player.id}`) ? t(`play.bot.${player.id}`) : isolated(player.displayName);
}
