// What an embedded game says; it stands alone, so its words are its own.
export const WORDS = {
  en: {
    connecting: "Connecting…", waiting: "Waiting for an opponent…", yours: "Your move", theirs: "{name} is thinking", won: "You won", lost: "{name} won", draw: "A draw",
    offline: "Connection lost. Trying again…", resign: "Resign", sure: "Really resign?", again: "Play again", agreed: "Waiting for {name}…", accept: "Accept draw", label: "Game", by: "Ludus",
  },
  de: {
    connecting: "Verbindung wird aufgebaut…", waiting: "Warten auf einen Gegner…", yours: "Du bist am Zug", theirs: "{name} denkt nach", won: "Gewonnen", lost: "{name} hat gewonnen", draw: "Remis",
    offline: "Verbindung unterbrochen. Neuer Versuch…", resign: "Aufgeben", sure: "Wirklich aufgeben?", again: "Noch einmal", agreed: "Warten auf {name}…", accept: "Remis annehmen", label: "Partie", by: "Ludus",
  },
};
