export default {
  rules: `
English draughts, as played in American and British clubs.

### The board

Only the dark squares are used; they are numbered 1 to 32. Red has twelve men on 1 to 12, at the bottom of the board, and black
twelve on 21 to 32. **Red moves first.**

### Moves

1. A man moves one square diagonally forward, onto an empty square.
2. A king moves one square diagonally in any direction.
3. A man captures by jumping diagonally forward over an adjacent opposing piece onto the empty square behind it. A king jumps in any direction.
4. **If you can jump, you must.** With several jumps to choose from, you're free to pick any.
5. If the same piece can keep jumping, it must: a chain of jumps is one move and has to be completed.
6. A man that reaches the far row becomes a king. The move ends there, even if the new king could jump again.

![A man moves one square forward.](B:W30:B11 | 11-16)
![A man jumps over the piece in front of it and captures it.](B:W18:B15 | 15x22)
![It can jump again, so it must: two captures in one move.](B:W18,26:B15 | 15x22x31)
![On the far row a man becomes a king.](B:W5:B26 | 26-31)
![A king also moves backward.](B:W32:BK18 | 18-14)

### The end

If you can't move, because all your pieces are captured or blocked, you lose.

The game is drawn when the same position comes up for the third time with the same side to move, when each side has made 40 moves in a row
without a capture or a man's advance, or when both players agree. Resigning or running out of time loses.`,
  strategy: `
### Every turn, in this order

1. **Jumps are forced, for both sides.** Look at what your opponent must take after your move, and at what you can take after that. Most games are decided by *shots*: give one man to take two.
2. **Count.** A king is worth about a man and a half. Being a man up wins most endings: trade pieces when you're ahead, never when you're behind.
3. **Make kings**, and keep your opponent from making any. Leave two men on the back row as long as you can: 1 and 3 for red, 30 and 32 for black.
4. **Hold the center.** Men on and around 14, 15, 18 and 19 control the game; men on the edge have half the moves. Given the choice, capture toward the center.
5. **Stay together.** A man with another behind it can't be jumped. Stragglers far ahead get lost.
6. **Don't run out of moves.** Late in the game, the player with the last waiting move wins, and an exchange usually changes who that is.

### Openings

Good first moves for red: 11-15 (most active), 9-14, 11-16, 10-14, 12-16, 9-13 (quiet). 10-15 is the weakest.

Good replies to 11-15: 23-19, 22-18 (offers a trade in the center), 24-19, 22-17. To 9-14: 22-18. To 9-13: 22-18, 24-20.

### Endings to know

- **Two kings against one** win, unless the lone king sits in a double corner (1 and 5, or 28 and 32): offer a trade there that it can't refuse.
- **Three kings against two** win: force an exchange.
- **A king in front of a man** stops it.
- Forty moves without a capture or a man's advance are a draw: advance a man, if only to gain time.`,
};
