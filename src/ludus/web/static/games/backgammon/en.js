// Texts of backgammon; those of the board are in its own `words`.
export default {
  "title": "Backgammon",
  "tagline": "Roll, race, hit, bear off.",
  "text": "A race with dice and fifteen checkers a side. Run, block, hit, bear off; a gammon counts double.",
  "tip": "Drag a checker, or tap it and then its destination. Double-tap to use the first die. Tap the dice to swap them.",
  "placeholder": "13/7 8/5",
  "pips": "{count} pips",
  "chances": "Best move: {win} wins, {gammon} gammons",
  "result.single": "Single win",
  "result.gammon": "Gammon",
  "result.backgammon": "Backgammon",
  "badge.gammon": "gammon",
  "badge.backgammon": "backgammon",
  "reason.borne_off": "all checkers borne off",
  "over.borne_off.won": "You bore off all your checkers.",
  "over.borne_off.lost": "{name} bore off all their checkers.",
};
