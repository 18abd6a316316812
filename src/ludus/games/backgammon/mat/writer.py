"""Writes games and matches as MAT files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ludus.core.rules import Player, Reason
from ludus.games.backgammon import plays
from ludus.games.backgammon.mat import text as texts
from ludus.games.backgammon.mat.text import Caption
from ludus.games.backgammon.match import match_games
from ludus.games.backgammon.position import CubeAction, Play, Position, Resignation, Roll, Stage
from ludus.games.backgammon.position_text import write_xgid
from ludus.games.backgammon.variants import settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ludus.core.game import Game
    from ludus.games.backgammon.match import Part
    from ludus.games.backgammon.rules import Backgammon, Move

VARIATIONS: Final = {"nackgammon": "NackGammon", "hypergammon": "HyperGammon (3)"}
"""Variants that GNU Backgammon has too, in its spelling."""


def write(rules: Backgammon, games: Iterable[Game[Position, Move]]) -> str:
    """Writes the records one after the other. What has no place in the format goes into headers at the top."""
    records = [_Record(rules, game, ordinal) for ordinal, game in enumerate(games, start=1)]
    body = list(_body(records))
    if texts.has_cube_actions("\n".join(body)):
        for record in records:
            record.deny_cube()
    return "\n".join([*_head(records), "", *(body or [" 0 point match", ""])]).lstrip("\n")


def _body(records: Sequence[_Record]) -> Iterator[str]:
    length = None
    for record in records:
        if record.length or record.length != length:
            length = record.length
            yield from (f" {length} point match", "")
        yield from record.body()


def _head(records: Sequence[_Record]) -> Iterator[str]:
    shared = set.intersection(*(set(record.headers) for record in records)) if records else set()
    # GNU Backgammon chokes on a header that begins with [Game, but not if a number comes first.
    shared = {line for line in shared if not line.startswith("[Game")}
    if records:
        yield from (f"; {line}" for line in records[0].headers if line in shared)
    for record in records:
        yield from (f"; {{{record.ordinal}}} {line}" for line in record.headers if line not in shared)
        yield from (f"; {texts.write_comment(record.ordinal, *comment)}" for comment in record.game.comments.items())


class _Record:
    """A game or a match: its headers and its body."""

    def __init__(self, rules: Backgammon, game: Game[Position, Move], ordinal: int) -> None:
        self._rules = rules
        self.game = game
        self.ordinal = ordinal
        match = game.start.match
        self.length = match.length if match else 0
        self._caption = texts.caption_of(game.tags, 1 if match else ordinal)
        read = texts.names_of(self._caption) if match else texts.tags_of(self._caption, ordinal)
        if match and self._caption.number != 1:
            read["Game"] = str(self._caption.number)
        tags = (texts.write_tag(*tag) for tag in game.tags.items() if tag not in read.items())
        self.headers = [*tags, *self._facts()]

    def deny_cube(self) -> None:
        """Says that a game has no cube, for a file in which others have one."""
        if not self.length and self.game.start.cube is None and self.game.variant:
            self.headers.append(texts.write_fact("CubeLimit", "1"))

    def _facts(self) -> Iterator[str]:
        start, variant = self.game.start, self.game.variant
        if variant is None:
            yield texts.write_fact("XGID", write_xgid(start))
        else:
            layout = settings(variant).layout
            if layout != "standard":
                yield texts.write_fact("Variation", VARIATIONS.get(layout, layout))
            yield from _cube_facts(start)
        yield from self._last_facts()

    def _last_facts(self) -> Iterator[str]:
        """How the record ends, if rows and result don't show it."""
        game, ending = self.game, self.game.ending
        is_single = game.start.cube is None and game.start.match is None
        cube = game.position.cube
        if cube and cube.stage is Stage.ROLLING and game.moves and game.moves[-1] is CubeAction.NO_DOUBLE:
            yield texts.write_fact("Next", "dice")
        if is_single and game.moves and isinstance(game.moves[-1], Resignation):
            yield texts.write_fact("Next", "resignation")
        if ending and not is_single:
            winner = "nobody" if ending.winner is None else self._rules.players[ending.winner]
            yield texts.write_fact("Ending", f"{winner} {ending.points} {ending.stake} {ending.reason}")
        elif ending:
            if ending.reason != Reason.RESIGNATION or ending.winner is None:
                yield texts.write_fact("Termination", ending.reason)
            if ending.winner is None and ending.points != 1:
                yield texts.write_fact("Points", str(ending.points))

    def body(self) -> Iterator[str]:
        parts = match_games(self.game)
        if len(parts) > 1 and parts[-1].first == parts[-1].end and not self.game.ending:
            parts.pop()  # the next game of the match has not begun
        for number, part in enumerate(parts, start=self._caption.number):
            yield from texts.write_caption(self._part_caption(part, number))
            yield from texts.write_rows(_cells(self.game, part))
            yield from self._result(part, is_last=part is parts[-1])
            yield ""

    def _part_caption(self, part: Part, number: int) -> Caption:
        match = self.game.position_at(part.first).match
        if match is None:
            return self._caption
        return self._caption._replace(number=number, white_score=match.white, black_score=match.black)

    def _result(self, part: Part, *, is_last: bool) -> Iterator[str]:
        """The result, even if the players ended the game: programs that skip that header still see who won."""
        outcome, match = part.outcome, self.game.position.match
        if outcome is None or outcome.winner is None:
            return
        is_over = is_last and self.game.outcome is not None
        points = match.away(outcome.winner) if match and is_over and self.game.ending else outcome.points
        yield texts.write_win(outcome.winner, points, is_match=is_over and match is not None)


def _cube_facts(start: Position) -> Iterator[str]:
    cube, match = start.cube, start.match
    if match and cube is None:
        yield texts.write_fact("CubeLimit", "1")
    if cube and match is None:
        yield texts.write_fact("Jacoby", "On" if cube.has_jacoby else "Off")
        yield texts.write_fact("Beaver", "On" if cube.has_beavers else "Off")


def _cells(game: Game[Position, Move], part: Part) -> Iterator[tuple[Player, str]]:
    for ply in range(part.first, part.end):
        position, move = game.position_at(ply), game.move_at(ply)
        if position.mover is None:
            continue
        match move:
            case Play():
                text = plays.write_steps(position, move) or "Cannot Move"
                yield position.mover, "{}{}: {}".format(*position.dice, text)
            case CubeAction():
                is_rolled = ply + 1 < part.end and isinstance(game.move_at(ply + 1), Roll)
                yield from _cube_cell(position, move, is_rolled=is_rolled)
            case Resignation(player, _):
                yield from _resigned_cell(position, player, game.move_at(ply - 1) if ply > part.first else None)
    last = game.position_at(part.end)
    if part.outcome is None or part.outcome is game.ending:
        yield from _unplayed(last, is_begun=part.end > part.first)


def _unplayed(position: Position, *, is_begun: bool) -> Iterator[tuple[Player, str]]:
    if is_begun and position.dice and position.mover is not None:
        yield position.mover, "{}{}:".format(*position.dice)


def _cube_cell(position: Position, action: CubeAction, *, is_rolled: bool) -> Iterator[tuple[Player, str]]:
    """The cell of an action, if any: GNU Backgammon expects the roll right behind a beaver that is taken."""
    cube, mover = position.cube, position.mover
    assert cube is not None and mover is not None
    answerer = mover if cube.stage is Stage.BEAVERED else mover.other
    match action:
        case CubeAction.DOUBLE:
            yield mover, f" Doubles => {2 * cube.value}"
        case CubeAction.BEAVER:
            yield answerer, f" Beavers => {2 * cube.offered}"
        case CubeAction.TAKE if cube.stage is Stage.DOUBLED or not is_rolled:
            yield answerer, " Takes"
        case CubeAction.DROP:
            yield answerer, " Drops"


def _resigned_cell(position: Position, player: Player, last: Move | None) -> Iterator[tuple[Player, str]]:
    """A roll that was not played, and a mark where the result alone would be read as something else."""
    yield from _unplayed(position, is_begun=True)
    if last is CubeAction.NO_DOUBLE:
        yield player, f" Resigns {texts.WHILE_ROLLING}"
    elif position.cube and position.cube.stage in (Stage.DOUBLED, Stage.BEAVERED):
        yield player, " Resigns"
