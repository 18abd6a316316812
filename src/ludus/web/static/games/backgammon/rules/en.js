export default {
  rules: `
Two players, white and black, race fifteen checkers each around 24 points and off the board. The numbers on the board's edge are those of the player
at the bottom: your checkers run from 24 down to 1.

### Setup

| checkers | on your point |
|---|---|
| two | 24 |
| five | 13 |
| three | 8 |
| five | 6 |

Points 1 to 6 are your home board. Your opponent's setup is the same, counted from the other end.

### The opening

Each side rolls one die, and rerolls a tie. The higher roll goes first and plays both dice. The server rolls all dice and commits to them before the
first roll; after the game anyone can verify them.

### A turn

1. Each die moves one checker that many points; one checker may use both, touching down in between. Doubles are played four times.
2. A checker may land on a point that's empty, holds your own checkers, or holds a single opposing checker, a *blot*. Two or more opposing checkers block a point.
3. Landing on a blot hits it: that checker goes to the bar.
4. Checkers on the bar must enter first, on points 24 to 19: a 1 enters on 24, a 6 on 19.
5. You must use both dice if you can, in either order. If you can play either die but not both, you must play the higher one.
6. If there's no legal move, your turn passes.

![A 3 and a 1 make a point: nobody can land there.](XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10 | 8/5 6/5)
![A single checker is hit on the way, and goes to the bar.](XGID=-b----E-C---dE---c-e-a--B-:0:0:1:31:0:0:0:0:10 | 24/21*/20)
![The checker on the bar enters first, here with the 3.](XGID=-b----E-C---eE---c-e----AA:0:0:1:31:0:0:0:0:10 | bar/22 24/23)

### Bearing off

When all your checkers are in your home board, a die may bear off a checker from the point with its number. If that point and all higher ones
are empty, it bears one off from your highest point. If one of your checkers is hit, it must come home before you bear off any more.

![All checkers are home: a 2 and a 1 bear off two.](XGID=-BBB---------------bbb----:0:0:1:21:0:0:0:0:10 | 2/off 1/off)

### Winning

The first player to bear off all fifteen checkers wins.

| | | points |
|---|---|---|
| single | the loser has borne off at least one checker | 1 |
| gammon | the loser has borne off none | 2 |
| backgammon | none, and still has a checker on the bar or in the winner's home board | 3 |

There are no draws. Running out of time loses a single game, or the match.

### The doubling cube

If a game is played with the cube, it starts in the middle: the game is worth one point. Before rolling, a player who thinks they're ahead
may double. The opponent either *drops* and loses the points at stake before the double, or *takes*: the game goes on for twice the points, and only
the player who took may double next. Gammons and backgammons count two and three times the cube.

A player who can't double rolls at once: the opponent owns the cube, or the player already needs no more than the cube is worth.

### Matches

Matches are usually played to an odd number of points: 3, 5, 7 and so on. The games' points add up, and the first to reach that number wins.

- **Crawford rule:** when a player first needs only one more point, the next game is played without doubling. After it, doubling is allowed again.
- Points beyond that number don't count.

### Money rules

For single games with the cube there are two options:

- **Jacoby rule:** gammons and backgammons count only if the cube has been turned. It speeds up games that are already decided.
- **Beavers:** a player who is doubled may redouble at once and keep the cube. The player who doubled then takes or drops that.

### Resigning

You can offer to lose a game with the cube, or a game of a match, as a single game, a gammon or a backgammon. The opponent accepts, or refuses and plays on.`,
  strategy: `
### Every turn, in this order

1. **Compare the race.** The pip counts next to the names show how far each side has to go. Ahead by a tenth or more: race, get your back checkers out, avoid being hit. Behind: hold points and wait for a shot.
2. **Can you hit?** A hit costs your opponent all the pips that checker has traveled. In your own home board, hit loose only if being hit back costs little.
3. **Can you make a good point?** In order: your 5 point, 4 point, 7 point, 3 point; also theirs (20 or 21, an *anchor*). Six in a row, a *prime*, can't be jumped.
4. **Count the shots at your blots.** If you must leave one, leave it far back and more than six points away from their checkers: that's three times as safe.
5. **Don't bury checkers** on your 1 and 2 points early, and don't stack more than four on a point.

### Shots

Rolls out of 36 that hit a blot with nothing in the way:

| distance | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
| rolls | 11 | 12 | 14 | 15 | 15 | 17 | 6 | 6 | 5 | 3 | 2 | 3 |

### Best opening plays

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

- **Running game:** you're ahead and there's no more contact. Waste no pips, and bear off a checker whenever the dice allow.
- **Holding game:** an anchor on 20 or 18 and patience.
- **Priming game:** four to six points in a row in front of their back checkers. Close the gap, then hit.
- **Blitz:** they have two or more checkers back and you have ten nearby: attack every blot in your board.

### Bearing off against contact

Clear from the back, 6 point first. Keep an even number of checkers on your two highest points. Safety comes before speed.`,
};
