"""Games of backgammon as MAT files, the match format of JellyFish that GNU Backgammon and others write.

The left column is white's, the right one black's. The house has no doubling cube, but files have one: what was done
with it is kept as a comment such as `Doubles => 2; Takes` where it happened, and what a win is worth is told without
it. A drop is a resignation, and so is any win that the board does not show, unless a header gives another reason.
"""

from ludus.games.backgammon.mat.reader import read
from ludus.games.backgammon.mat.writer import write

__all__ = ["read", "write"]
