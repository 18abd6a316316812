// Worum es in Aufgaben geht.
export default {
  "win": "Gewinn",
  "draw": "Remis retten",
  "shot": "Schlagkombination",
  "two_for_one": "zwei für einen",
  "three_for_one": "drei für einen",
  "three_for_two": "drei für zwei",
  "exchange": "Abtausch",
  "choice": "welcher Schlag?",
  "crown": "Umwandlung",
  "kings": "nur Damen",
  "block": "Blockade",
  "opening": "Eröffnung",
  "midgame": "Mittelspiel",
  "endgame": "Endspiel",
};
