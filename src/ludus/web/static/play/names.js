// What people are called on the page; bots have their names in the page's language.

import { has, t } from "../strings.js";

export function playerName(player) {
  if (!player) return "";
  return player.isBot && has(`play.bot.${player.id}`) ? t(`play.bot.${player.id}`) : player.displayName;
}
