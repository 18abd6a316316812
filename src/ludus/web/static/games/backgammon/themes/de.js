// Worum es in Aufgaben geht.
export default {
  "checker_play": "Zug mit den Steinen",
  "double_or_not": "doppeln oder nicht",
  "take_or_drop": "annehmen oder aufgeben",
  "opening": "Eröffnung",
  "bar": "auf der Bar",
  "blitz": "Blitz",
  "prime": "Blockade (Prime)",
  "back_game": "Backgame",
  "holding_game": "Halteposition",
  "race": "Rennen",
  "bear_off": "Auswürfeln",
};
