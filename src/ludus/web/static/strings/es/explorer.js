// Texts of the opening explorer.
export default {
  "explorer.title": "Explorador de aperturas",
  "explorer.moves": "Jugadas en esta posición, las más frecuentes primero",
  "explorer.count": "Partidas",
  "explorer.results": "Resultados",
  "explorer.games_one": "{count} partida en este servidor",
  "explorer.games_other": "{count} partidas en este servidor",
  "explorer.none": "Aquí nadie ha jugado todavía esta posición.",
  "explorer.more_one": "{count} jugada más",
  "explorer.more_other": "{count} jugadas más",
  "explorer.rating": "puntuación media {rating}",
  "explorer.last": "por última vez el {date}",
  "explorer.ballot": "sorteo n.º {number}",
  "explorer.result": "{wins} % ganadas, {draws} % tablas, {losses} % perdidas",
  "explorer.examples": "Partidas para ver",
};
