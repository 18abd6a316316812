// De qué tratan los problemas.
export default {
  "checker_play": "jugada de fichas",
  "double_or_not": "doblar o no",
  "take_or_drop": "aceptar o pasar",
  "opening": "apertura",
  "bar": "en la barra",
  "blitz": "blitz",
  "prime": "bloqueo (prime)",
  "back_game": "backgame",
  "holding_game": "juego de retención",
  "race": "carrera",
  "bear_off": "salida de fichas",
};
