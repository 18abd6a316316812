// Texts of checkers; those of the board are in its own `words`.
export default {
  "title": "Checkers",
  "tagline": "Jump, chain, crown a king.",
  "text": "English draughts: men move forward, captures are mandatory, and if you can't move, you lose.",
  "tip": "Drag a piece, or tap it and then its destination. Pieces that can move are ringed.",
  "placeholder": "11-15 or 22x15",
  "taken": "{count} captured",
  "king": "King!",
  "reason.forty_moves": "forty moves without progress",
  "over.forty_moves.draw": "Forty moves without progress.",
};
