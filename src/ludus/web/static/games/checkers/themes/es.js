// De qué tratan los problemas.
export default {
  "win": "victoria",
  "draw": "salvar las tablas",
  "shot": "golpe",
  "two_for_one": "dos por una",
  "three_for_one": "tres por una",
  "three_for_two": "tres por dos",
  "exchange": "cambio",
  "choice": "¿qué captura?",
  "crown": "coronación",
  "kings": "solo damas",
  "block": "bloqueo",
  "opening": "apertura",
  "midgame": "medio juego",
  "endgame": "final",
};
