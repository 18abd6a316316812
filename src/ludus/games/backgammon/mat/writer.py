"""Writing MAT files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ludus.core.rules import Reason
from ludus.games.backgammon import plays
from ludus.games.backgammon.mat.caption import NUMBER, caption_of, tags_of, write_caption
from ludus.games.backgammon.mat.cells import CUBE_TEXT, Cube, write_rows, write_win
from ludus.games.backgammon.mat.header import write_comment, write_fact, write_tag
from ludus.games.backgammon.position import Roll
from ludus.games.backgammon.position_text import write_xgid

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ludus.core.game import Game
    from ludus.core.rules import Player
    from ludus.games.backgammon.position import Play, Position
    from ludus.games.backgammon.rules import Backgammon, Move

VARIATIONS: Final = {"nackgammon": "NackGammon", "hypergammon": "HyperGammon (3)"}
"""Variants that GNU Backgammon knows too, as it spells them."""


def write(rules: Backgammon, games: Iterable[Game[Position, Move]]) -> str:
    """The games as one match; what the format has no place for goes into headers before the first of them."""
    games = list(games)
    length = _match_length(games)
    pages = [_Page(rules, game, ordinal, length) for ordinal, game in enumerate(games, start=1)]
    lines = [*_head(pages), "", f" {length} point match", ""]
    for page in pages:
        lines += [*page.body(), ""]
    return "\n".join(lines).lstrip("\n")


def _match_length(games: Sequence[Game[Position, Move]]) -> str:
    lengths = {game.tags.get("MatchLength", "") for game in games}
    length = lengths.pop() if len(lengths) == 1 else ""
    return length if NUMBER.fullmatch(length) else "0"


def _head(pages: Sequence[_Page]) -> Iterator[str]:
    shared = set.intersection(*(set(page.headers) for page in pages)) if pages else set()
    # GNU Backgammon falls over a header that begins with [Game; with a number before it, it does not.
    shared = {line for line in shared if not line.startswith("[Game")}
    if pages:
        yield from (f"; {line}" for line in pages[0].headers if line in shared)
    for page in pages:
        yield from (f"; {{{page.ordinal}}} {line}" for line in page.headers if line not in shared)
        yield from (f"; {write_comment(page.ordinal, *comment)}" for comment in page.comments.items())


class _Page:
    """One game as it goes into a file: its headers, the comments that are no cells, and its body."""

    def __init__(self, rules: Backgammon, game: Game[Position, Move], ordinal: int, length: str) -> None:
        self.ordinal = ordinal
        self.comments = dict(game.comments)
        self._rules = rules
        self._game = game
        self._caption = caption_of(game.tags, ordinal, length)
        told = tags_of(self._caption, ordinal).items()
        self.headers = [*(write_tag(*tag) for tag in game.tags.items() if tag not in told), *_facts(game)]
        self._cube = Cube()
        self._cells: list[tuple[Player, str]] = []
        self._fill()

    def body(self) -> Iterator[str]:
        yield from write_caption(self._caption)
        yield from write_rows(self._cells)
        outcome = self._game.outcome
        if outcome and outcome.winner is not None:
            yield write_win(outcome.winner, self._cube.stake * outcome.points)

    def _fill(self) -> None:
        positions = self._game.positions
        for number, (position, move) in enumerate(zip(positions, self._game.moves, strict=False)):
            if isinstance(move, Roll):
                self._tell_cube(number, position)
                self._cube.take()
            else:
                self._tell_play(position, move)
        last = positions[-1]
        self._tell_cube(len(positions) - 1, last)
        if self._game.moves and last.dice and last.mover is not None:
            self._cells.append((last.mover, "{}{}:".format(*last.dice)))

    def _tell_play(self, position: Position, play: Play) -> None:
        if position.mover is not None:
            text = plays.write_steps(position, play) or "Cannot Move"
            self._cells.append((position.mover, "{}{}: {}".format(*position.dice, text)))

    def _tell_cube(self, number: int, position: Position) -> None:
        """Makes cells of a comment that tells what was done with the cube, if it can be read back from them."""
        text, player = self.comments.get(number, ""), position.mover
        if player is None or position.dice or self._rules.outcome(position) or not CUBE_TEXT.fullmatch(text):
            return
        offerer = player if text.count("=>") % 2 else player.other
        if text.endswith("Drops") and not self._is_won_by(offerer, number):
            return
        del self.comments[number]
        for action in text.split("; "):
            self._cells.append((player, f" {action}"))
            self._turn_cube(player, action)
            player = player.other

    def _turn_cube(self, player: Player, action: str) -> None:
        word, _, value = action.partition(" => ")
        if value:
            self._cube.double(player, int(value))
        elif word == "Takes":
            self._cube.take()

    def _is_won_by(self, player: Player, number: int) -> bool:
        """Whether the player was given the game after so many moves."""
        ending = self._game.ending
        return ending is not None and ending.winner is player and number == len(self._game.moves)


def _facts(game: Game[Position, Move]) -> Iterator[str]:
    if game.variant is None:
        yield write_fact("XGID", write_xgid(game.start))
    elif game.variant != "standard":
        yield write_fact("Variation", VARIATIONS.get(game.variant, game.variant))
    ending = game.ending
    if ending and (ending.reason != Reason.RESIGNATION or ending.winner is None):
        yield write_fact("Termination", ending.reason)
    if ending and ending.winner is None and ending.points != 1:
        yield write_fact("Points", str(ending.points))
