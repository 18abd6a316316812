// Texts of an embedded game; it's a page of its own, so its texts are too.
export const WORDS = {
  en: {
    connecting: "Connecting…", waiting: "Waiting for an opponent…", yours: "Your move", theirs: "{name} is thinking", won: "You won", lost: "{name} won", draw: "Draw",
    offline: "Connection lost. Reconnecting…", resign: "Resign", sure: "Really resign?", again: "Rematch", agreed: "Waiting for {name}…", wants: "{name} wants a rematch", left: "{name} left",
    offer: "Offer draw", offered: "You offered a draw", asked: "{name} offers a draw", accept: "Accept draw", decline: "Decline", declined: "{name} declined the draw",
    away: "{name} disconnected: {seconds} s left", afk: "Move now: {seconds} s left", clock: "Time left to move", theirClock: "Opponent's clock", yourClock: "Your clock", days: "{days} d {hours} h", label: "Game",
    moves: "{name} plays {value}", passes: "{name} has no legal move", rolls: "{name} rolled {value}", rolled: "You rolled {value}", unknown: "Unknown game: {name}",
    score: "Match: {value}", says: "{name}: {value}", resigns: "{name} offers to resign this game", resigning: "You offered to resign this game", agree: "Accept",
    unavailable: "The server can't save anything right now. Trying again…",
  },
  de: {
    connecting: "Verbindung wird aufgebaut …", waiting: "Warten auf einen Gegner …", yours: "Du bist am Zug", theirs: "{name} denkt nach", won: "Gewonnen", lost: "{name} hat gewonnen", draw: "Remis",
    offline: "Verbindung unterbrochen. Wird wiederhergestellt …", resign: "Aufgeben", sure: "Wirklich aufgeben?", again: "Revanche", agreed: "Warten auf {name} …", wants: "{name} möchte eine Revanche", left: "{name} ist gegangen",
    offer: "Remis anbieten", offered: "Du hast Remis angeboten", asked: "{name} bietet Remis an", accept: "Remis annehmen", decline: "Ablehnen", declined: "{name} hat das Remis abgelehnt",
    away: "{name} hat die Verbindung verloren: noch {seconds} s", afk: "Jetzt ziehen: noch {seconds} s", clock: "Restzeit für den Zug", theirClock: "Uhr des Gegners", yourClock: "Deine Uhr", days: "{days} T. {hours} Std.", label: "Partie",
    moves: "{name} zieht {value}", passes: "{name} kann nicht ziehen", rolls: "{name} hat {value} gewürfelt", rolled: "Du hast {value} gewürfelt", unknown: "Unbekanntes Spiel: {name}",
    score: "Match: {value}", says: "{name}: {value}", resigns: "{name} möchte dieses Spiel aufgeben", resigning: "Du hast angeboten, dieses Spiel aufzugeben", agree: "Annehmen",
    unavailable: "Der Server kann gerade nichts speichern. Neuer Versuch …",
  },
  es: {
    connecting: "Conectando…", waiting: "Esperando rival…", yours: "Te toca", theirs: "{name} está pensando", won: "Has ganado", lost: "Ha ganado {name}", draw: "Tablas",
    offline: "Conexión perdida. Reconectando…", resign: "Abandonar", sure: "¿Seguro que abandonas?", again: "Revancha", agreed: "Esperando a {name}…", wants: "{name} quiere la revancha", left: "{name} se ha ido",
    offer: "Ofrecer tablas", offered: "Has ofrecido tablas", asked: "{name} ofrece tablas", accept: "Aceptar tablas", decline: "Rechazar", declined: "{name} ha rechazado las tablas",
    away: "{name} se ha desconectado: quedan {seconds} s", afk: "Mueve ya: quedan {seconds} s", clock: "Tiempo para mover", theirClock: "Reloj del rival", yourClock: "Tu reloj", days: "{days} d {hours} h", label: "Partida",
    moves: "{name} juega {value}", passes: "{name} no tiene jugada legal", rolls: "{name} ha sacado {value}", rolled: "Has sacado {value}", unknown: "Juego desconocido: {name}",
    score: "Match: {value}", says: "{name}: {value}", resigns: "{name} ofrece abandonar esta partida", resigning: "Has ofrecido abandonar esta partida", agree: "Aceptar",
    unavailable: "El servidor no puede guardar nada ahora mismo. Reintentando…",
  },
  fr: {
    connecting: "Connexion…", waiting: "En attente d'un adversaire…", yours: "À vous de jouer", theirs: "{name} réfléchit", won: "Vous avez gagné", lost: "{name} a gagné", draw: "Nulle",
    offline: "Connexion perdue. Reconnexion…", resign: "Abandonner", sure: "Vraiment abandonner ?", again: "Revanche", agreed: "En attente de {name}…", wants: "{name} veut une revanche", left: "{name} est parti",
    offer: "Proposer la nulle", offered: "Vous avez proposé la nulle", asked: "{name} propose la nulle", accept: "Accepter la nulle", decline: "Refuser", declined: "{name} a refusé la nulle",
    away: "{name} s'est déconnecté : encore {seconds} s", afk: "À vous de jouer : encore {seconds} s", clock: "Temps restant pour jouer", theirClock: "Pendule de l'adversaire", yourClock: "Votre pendule", days: "{days} j {hours} h", label: "Partie",
    moves: "{name} joue {value}", passes: "{name} n'a aucun coup légal", rolls: "{name} a fait {value}", rolled: "Vous avez fait {value}", unknown: "Jeu inconnu : {name}",
    score: "Match : {value}", says: "{name} : {value}", resigns: "{name} propose d'abandonner cette partie", resigning: "Vous avez proposé d'abandonner cette partie", agree: "Accepter",
    unavailable: "Le serveur ne peut rien enregistrer pour le moment. Nouvelle tentative…",
  },
};
