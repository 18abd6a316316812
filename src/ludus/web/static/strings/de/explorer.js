// Texts of the opening explorer.
export default {
  "explorer.title": "Eröffnungen",
  "explorer.moves": "Züge in dieser Stellung, die häufigsten zuerst",
  "explorer.count": "Partien",
  "explorer.results": "Ergebnisse",
  "explorer.games_one": "{count} Partie auf diesem Server",
  "explorer.games_other": "{count} Partien auf diesem Server",
  "explorer.none": "Diese Stellung hat hier noch niemand gespielt.",
  "explorer.more_one": "{count} weiterer Zug",
  "explorer.more_other": "{count} weitere Züge",
  "explorer.rating": "Wertung im Schnitt {rating}",
  "explorer.last": "zuletzt am {date}",
  "explorer.ballot": "Ballot {number}",
  "explorer.result": "{wins} % gewonnen, {draws} % remis, {losses} % verloren",
  "explorer.examples": "Partien zum Ansehen",
};
