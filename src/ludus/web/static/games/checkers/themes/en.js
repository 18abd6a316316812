// What puzzles are about.
export default {
  "win": "win",
  "draw": "save a draw",
  "shot": "shot",
  "two_for_one": "two for one",
  "three_for_one": "three for one",
  "three_for_two": "three for two",
  "exchange": "exchange",
  "choice": "which jump?",
  "crown": "crowning",
  "kings": "kings only",
  "block": "block",
  "opening": "opening",
  "midgame": "middlegame",
  "endgame": "endgame",
};
