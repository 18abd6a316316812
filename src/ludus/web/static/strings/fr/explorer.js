// Texts of the opening explorer.
export default {
  "explorer.title": "Explorateur d'ouvertures",
  "explorer.moves": "Coups joués dans cette position, les plus fréquents d'abord",
  "explorer.count": "Parties",
  "explorer.results": "Résultats",
  "explorer.games_one": "{count} partie sur ce serveur",
  "explorer.games_other": "{count} parties sur ce serveur",
  "explorer.none": "Personne n'a encore joué cette position ici.",
  "explorer.more_one": "{count} autre coup",
  "explorer.more_other": "{count} autres coups",
  "explorer.rating": "classement moyen {rating}",
  "explorer.last": "dernière fois le {date}",
  "explorer.ballot": "ouverture tirée n° {number}",
  "explorer.result": "{wins} % gagnées, {draws} % nulles, {losses} % perdues",
  "explorer.examples": "Parties à regarder",
};
