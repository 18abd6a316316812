// Names of players in the page's language.

import { isolated } from "../isolation.js";
import { has, t } from "../strings.js";

export function playerName(player) {
  if (!player) return "";
  return player.isBot && has(`play.bot.${player.id}`) ? t(`play.bot.${player.id}`) : isolated(player.displayName);
}
