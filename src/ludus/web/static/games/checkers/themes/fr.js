// De quoi parlent les problèmes.
export default {
  "win": "gain",
  "draw": "sauver la nulle",
  "shot": "coup (combinaison)",
  "two_for_one": "deux pour un",
  "three_for_one": "trois pour un",
  "three_for_two": "trois pour deux",
  "exchange": "échange",
  "choice": "quelle prise ?",
  "crown": "promotion",
  "kings": "dames seules",
  "block": "blocage",
  "opening": "ouverture",
  "midgame": "milieu de partie",
  "endgame": "finale",
};
