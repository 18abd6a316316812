// Texts of an embedded game; it's a page of its own, so its texts are too.
export const WORDS = {
  en: {
    connecting: "Connecting…", waiting: "Waiting for an opponent…", yours: "Your move", theirs: "{name} is thinking", won: "You won", lost: "{name} won", draw: "Draw",
    offline: "Connection lost. Reconnecting…", resign: "Resign", sure: "Really resign?", again: "Rematch", agreed: "Waiting for {name}…", wants: "{name} wants a rematch", left: "{name} left",
    offer: "Offer draw", offered: "You offered a draw", asked: "{name} offers a draw", accept: "Accept draw", decline: "Decline", declined: "{name} declined the draw",
    away: "{name} disconnected: {seconds} s left", afk: "Move now: {seconds} s left", clock: "Time left to move", label: "Game",
    moves: "{name} plays {value}", passes: "{name} has no legal move", rolls: "{name} rolled {value}", rolled: "You rolled {value}", unknown: "Unknown game: {name}",
    unavailable: "The server can't save anything right now. Trying again…",
  },
  de: {
    connecting: "Verbindung wird aufgebaut …", waiting: "Warten auf einen Gegner …", yours: "Du bist am Zug", theirs: "{name} denkt nach", won: "Gewonnen", lost: "{name} hat gewonnen", draw: "Remis",
    offline: "Verbindung unterbrochen. Wird wiederhergestellt …", resign: "Aufgeben", sure: "Wirklich aufgeben?", again: "Revanche", agreed: "Warten auf {name} …", wants: "{name} möchte eine Revanche", left: "{name} ist gegangen",
    offer: "Remis anbieten", offered: "Du hast Remis angeboten", asked: "{name} bietet Remis an", accept: "Remis annehmen", decline: "Ablehnen", declined: "{name} hat das Remis abgelehnt",
    away: "{name} hat die Verbindung verloren: noch {seconds} s", afk: "Jetzt ziehen: noch {seconds} s", clock: "Restzeit für den Zug", label: "Partie",
    moves: "{name} zieht {value}", passes: "{name} kann nicht ziehen", rolls: "{name} hat {value} gewürfelt", rolled: "Du hast {value} gewürfelt", unknown: "Unbekanntes Spiel: {name}",
    unavailable: "Der Server kann gerade nichts speichern. Neuer Versuch …",
  },
};
