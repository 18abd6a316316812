r"""Games of backgammon as MAT files, the match format of JellyFish that GNU Backgammon and many sites write.

The left column is white's, the right one black's. Above a match is its length, as in `7 point match`; all its games are
one record. Outside matches, `0 point match`, every game is a record of its own.

Above the rows of a game are its number, the players' names and the score. The names are the tags `White` and `Black`.
Outside a match the tags `Game` and `Score` keep the number and the score. Tags with the default values are not kept: a
number that counts the records of the file, players called white and black, 0-0.

A cell of a row is a roll with its play, `31: 8/5 6/5`, a cube action, `Doubles => 2`, or the end, `Wins 1 point`. Cells
are recognized by how they begin, since a long one runs into the next column; a cell alone in its row is the right one
if there is a gap before it. A player who rolls though a double was possible has decided not to double. A win that
neither the board nor the cube shows is a resignation: in a match or with a cube it is a move, else an ending.

Lines that begin with a semicolon are headers. `; [Event "Open"]` is a tag of all records that follow,
`; {2} [Event "Open"]` one of the second record only, and `; {2/7} well rolled` a comment in it after seven moves,
rolls and cube actions included. A few names aren't tags: those in `FACTS` say how a record starts and ends, and those
in `RULES`, which other programs write too, say how the cube is used. If a tag has such a name, or one that isn't plain,
the name is quoted. In quoted text and in comments a quote or backslash is escaped by a backslash, and a control
character is written like `\u000a`.
"""

from ludus.games.backgammon.mat.reader import read, recognizes
from ludus.games.backgammon.mat.writer import write

__all__ = ["read", "recognizes", "write"]
