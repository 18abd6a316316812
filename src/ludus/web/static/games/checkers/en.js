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
  "why.jump_due": "You must jump. The pieces that can jump are ringed.",
  "why.finish_jump": "Finish your jump first: the same piece must keep jumping.",
  "why.blocked": "That piece is blocked. The pieces that can move are ringed.",
  "situation.jump": "You can jump, so you must. If there are several jumps, choose any of them.",
  "situation.chain": "A piece that can keep jumping must keep jumping.",
  "situation.step": "There's nothing to jump: move one piece diagonally onto an empty square. Men only move forward.",
  "situation.king": "Your kings move and jump in all four directions, one square at a time.",
};
