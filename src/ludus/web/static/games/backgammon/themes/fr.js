// De quoi parlent les problèmes.
export default {
  "checker_play": "jeu de pions",
  "double_or_not": "doubler ou non",
  "take_or_drop": "prendre ou passer",
  "opening": "ouverture",
  "bar": "sur la barre",
  "blitz": "blitz",
  "prime": "prime",
  "back_game": "backgame",
  "holding_game": "jeu d'attente",
  "race": "course",
  "bear_off": "sortie des pions",
};
