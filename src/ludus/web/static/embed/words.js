// What an embedded game says; it stands alone, so its words are its own.
export const WORDS = {
  en: {
    connecting: "Connecting…", waiting: "Waiting for an opponent…", yours: "Your move", theirs: "{name} is thinking", won: "You won", lost: "{name} won", draw: "A draw",
    offline: "Connection lost. Trying again…", resign: "Resign", sure: "Really resign?", again: "Play again", agreed: "Waiting for {name}…", wants: "{name} would like to play again", left: "{name} has left", offer: "Offer draw", offered: "You have offered a draw", asked: "{name} offers a draw", accept: "Accept draw", decline: "Decline", declined: "{name} declines the draw",
    away: "{name} is gone: {seconds} s left", afk: "Move now: {seconds} s left", clock: "Time left to move", label: "Game",
    moves: "{name} plays {value}", passes: "{name} cannot move", rolls: "{name} rolled {value}", rolled: "You rolled {value}",
  },
  de: {
    connecting: "Verbindung wird aufgebaut…", waiting: "Warten auf einen Gegner…", yours: "Du bist am Zug", theirs: "{name} denkt nach", won: "Gewonnen", lost: "{name} hat gewonnen", draw: "Remis",
    offline: "Verbindung unterbrochen. Neuer Versuch…", resign: "Aufgeben", sure: "Wirklich aufgeben?", again: "Noch einmal", agreed: "Warten auf {name}…", wants: "{name} möchte noch einmal spielen", left: "{name} ist gegangen", offer: "Remis anbieten", offered: "Du hast Remis angeboten", asked: "{name} bietet Remis an", accept: "Remis annehmen", decline: "Ablehnen", declined: "{name} lehnt das Remis ab",
    away: "{name} ist weg: noch {seconds} s", afk: "Jetzt ziehen: noch {seconds} s", clock: "Zeit für den Zug", label: "Partie",
    moves: "{name} zieht {value}", passes: "{name} kann nicht ziehen", rolls: "{name} hat {value} gewürfelt", rolled: "Du hast {value} gewürfelt",
  },
};
