// What puzzles are about.
export default {
  "checker_play": "checker play",
  "double_or_not": "double or not",
  "take_or_drop": "take or drop",
  "opening": "opening",
  "bar": "on the bar",
  "blitz": "blitz",
  "prime": "prime",
  "back_game": "back game",
  "holding_game": "holding game",
  "race": "race",
  "bear_off": "bearing off",
};
