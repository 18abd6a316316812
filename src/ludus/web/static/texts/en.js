// The rules and how to play well, for people; programs are told by the arena in its own words.

const checkers = {
  rules: `
English draughts, as it is played in American and British clubs.

### The board

Only the dark squares are used; they are numbered 1 to 32. Red has twelve men on 1 to 12, at the bottom of the board, and black
twelve on 21 to 32. **Red moves first.**

### Moves

1. A man moves one square diagonally forward, onto an empty square.
2. A king moves one square diagonally in any direction.
3. A man jumps diagonally forward over a piece of the other side that is next to it, onto the empty square behind, and takes it. A king jumps in any direction.
4. **Who can jump must jump.** Among several jumps you choose freely.
5. If the same piece can jump on, it must: a chain of jumps is one move, and is played to its end.
6. A man that reaches the far row becomes a king. The move ends there, even if the new king could jump on.

### The end

Who cannot move, because no piece is left or all are blocked, loses.

The game is a draw when the same position has come up three times with the same side to move, when each side has made 40 moves in a row
without a capture and without moving a man, or when both agree. Resigning and running out of time lose.`,
  strategy: `
### Every turn, in this order

1. **Jumps are forced, for both.** Look at what they must take after your move, and at what you can take after that. Most games are decided by *shots*: give one man to take two.
2. **Count.** A king is worth about a man and a half. One man ahead wins most endings: trade pieces evenly when ahead, never when behind.
3. **Make kings**, and keep them from making theirs. Leave two men of the back row at home as long as you can: for red 1 and 3, for black 30 and 32.
4. **The centre.** Men on 14, 15, 18, 19 and next to them control the game; men at the side have half the moves. Take toward the centre when you can choose.
5. **Stay together.** A man with another behind it cannot be jumped. Single men far ahead are lost.
6. **Do not run out of moves.** Late in the game the last waiting move decides; an exchange usually changes who has it.

### Openings

Good first moves of red: 11-15 (most active), 9-14, 11-16, 10-14, 12-16, 9-13 (quiet). 10-15 is weakest.

Good answers to 11-15: 23-19, 22-18 (offers a trade in the centre), 24-19, 22-17. To 9-14: 22-18. To 9-13: 22-18, 24-20.

### Endings to know

- **Two kings against one** win, unless the one sits in a double corner (1 and 5, or 28 and 32): offer a trade there that it cannot refuse.
- **Three kings against two** win: force an exchange.
- **A king in front of a man** stops it.
- Forty moves without a capture or a man's advance draw: advance a man, if only to win time.`,
};

const backgammon = {
  rules: `
Two players, white and black, race fifteen men each around 24 points and off the board. The numbers at the board's edge are those of whoever
sits at the bottom: your men run from 24 down to 1.

### Setup

| men | on your point |
|---|---|
| two | 24 |
| five | 13 |
| three | 8 |
| five | 6 |

Points 1 to 6 are your home board. The other side stands the same way, counted from its own end.

### The opening

Each side rolls one die, again on a tie. The higher one begins and plays both dice. The server rolls all dice and commits to them before the
first; after the game anybody can check them.

### A turn

1. Each die moves one man by as many points; one man may take both, touching down between. Doubles are played four times.
2. A man may land on a point that is empty, has men of your own, or has a single man of the other side, a *blot*. Two or more block a point.
3. Landing on a blot hits it: it goes to the bar.
4. Men on the bar come first. They enter on the points 24 to 19, as the die counts from outside.
5. You must use both dice if you can, in either order. If only one of them can be played, and either could, it must be the higher.
6. If nothing can be played, the turn passes by itself.

### Bearing off

When all your men are in your home board, a die may bear a man off from the point it counts. If there is no man there, and none farther
away, it bears one off from the farthest point that has one. If a man is hit meanwhile, it must come home again first.

### Winning

Who has borne off all fifteen men wins.

| | | points |
|---|---|---|
| single | the loser has borne off at least one man | 1 |
| gammon | the loser has borne off none | 2 |
| backgammon | none, and has a man on the bar or in the winner's home board | 3 |

There are no draws and there is no doubling cube. Resigning and running out of time lose a single game.`,
  strategy: `
### Every turn, in this order

1. **Compare the race.** The pips beside the names say how far both have to go. Ahead by a tenth or more: race, get your back men out, avoid being hit. Behind: hold points and wait for a shot.
2. **Can you hit?** Hitting takes from the other side all the way that man has come. In your own home board hit loose only if being hit back costs little.
3. **Can you make a good point?** In order: your 5 point, the 4 point, the 7 point, the 3 point; theirs too (20 or 21, an *anchor*). Six in a row, a *prime*, cannot be passed.
4. **Count shots at your blots.** If you must leave one, leave it far back, and more than six points away from their men: that is three times as safe.
5. **Do not bury men** on your 1 and 2 points early, and do not stack more than four on one point.

### Shots

Of 36 rolls a blot is hit, when nothing is between, by:

| distance | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
| rolls | 11 | 12 | 14 | 15 | 15 | 17 | 6 | 6 | 5 | 3 | 2 | 3 |

### Openings that are known to be best

| roll | play | roll | play |
|---|---|---|---|
| 31 | 8/5 6/5 | 21 | 13/11 6/5 or 24/23 13/11 |
| 42 | 8/4 6/4 | 41 | 24/23 13/9 |
| 53 | 8/3 6/3 | 51 | 24/23 13/8 |
| 61 | 13/7 8/7 | 32 | 24/21 13/11 |
| 65 | 24/13 | 43 | 24/20 13/10 or 13/10 13/9 |
| 64 | 24/14, 8/2 6/2 or 24/18 13/9 | 52 | 13/8 13/11 or 24/22 13/8 |
| 63 | 24/18 13/10 | 54 | 13/8 24/20 or 13/8 13/9 |
| 62 | 24/18 13/11 | | |

### Plans

- **Running game:** ahead and past each other. Waste no pips, and bear a man off whenever the die allows.
- **Holding game:** an anchor on 20 or 18 and patience.
- **Priming game:** four to six points in a row in front of their back men. Close the gap, then hit.
- **Blitz:** they have two or more men back and you have ten men near: attack every blot in your board.

### Bearing off against contact

Clear from the back, 6 point first. Keep an even number of men on the two highest points. Safety goes before speed.`,
};

export default { checkers, backgammon };
