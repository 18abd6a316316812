"""The backgammon board as a picture."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from ludus.core import palette
from ludus.core.board import Board, Line, Span, disc
from ludus.core.palette import Look
from ludus.core.picture import Circle, Picture, Polygon, Rect, Shape, Text
from ludus.core.rules import Outcome, Player
from ludus.games.backgammon.position import BAR, OFF, Men, Position, Stage

NAMES: Final = ("white", "black")
LOOKS: Final = (palette.LIGHT, palette.DARK)
MEN: Final = "○●"
DICE: Final = " ⚀⚁⚂⚃⚄⚅"
TOP: Final = range(13, 25)
BOTTOM: Final = range(12, 0, -1)
TALLEST: Final = 5
"""The most men drawn on a point; the last of a taller stack has their number on it."""

NARROW: Final = 39
"""Columns of the drawing for narrow terminals."""

POINT: Final = 40
RADIUS: Final = 19
MARGIN: Final = 26
LEFT: Final = 16
BAR_WIDTH: Final = 46
RIGHT: Final = LEFT + 6 * POINT + BAR_WIDTH
TRAY: Final = RIGHT + 6 * POINT + 14
TRAY_WIDTH: Final = 46
SLAB: Final = 10
DIE: Final = 34
CUBE: Final = 36
WIDTH: Final = TRAY + TRAY_WIDTH + LEFT
HEIGHT: Final = 440 + 2 * MARGIN
CENTRE: Final = HEIGHT / 2
PIPS: Final = (
    (),
    ((0, 0),),
    ((-1, -1), (1, 1)),
    ((-1, -1), (0, 0), (1, 1)),
    ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
)


@dataclass(frozen=True)
class BackgammonBoard(Board):
    """White's home is at the bottom right unless flipped; `highlight` contains points as white counts them, 1 to 24.

    `left` are the dice still to be played in the middle of a turn.
    """

    position: Position
    left: tuple[int, ...] | None = None
    outcome: Outcome | None = None

    def _men(self, player: Player) -> Men:
        return self.position.white if player is Player.FIRST else self.position.black

    def _on(self, point: int) -> tuple[Player, int]:
        """The owner and number of men on a point, as white counts it."""
        black = self.position.black.on(25 - point)
        return (Player.SECOND, black) if black else (Player.FIRST, self.position.white.on(point))

    def _winner(self) -> Player | None:
        if self.outcome:
            return self.outcome.winner
        return next((player for player in Player if not self._men(player).pips), None)

    def _mover(self) -> Player | None:
        return self.position.mover if self.outcome is None and self._winner() is None else None

    def _dice(self) -> tuple[int, ...]:
        """The dice to draw; four for a double."""
        if self.left is not None:
            return self.left
        dice = self.position.dice
        return dice * 2 if len(set(dice)) == 1 else dice

    def picture(self, *, flipped: bool = False, highlight: Collection[int] = ()) -> Picture:
        shapes = [*_furniture(), *_points(flipped, highlight), *self._stacks(), *self._thrown(), *self._cube()]
        for player in Player:
            shapes += [*self._borne_off(player), *self._score(player, flipped)]
        picture = Picture(WIDTH, HEIGHT, tuple(shapes), self._title(), " ".join(map(self._describe, Player)))
        return picture.turned() if flipped else picture

    def _title(self) -> str:
        winner, mover, dice = self._winner(), self._mover(), self._dice()
        if winner is not None:
            return f"Backgammon: {NAMES[winner]} has won"
        if self.outcome:
            return "Backgammon: nobody has won"
        if mover is None:
            return "Backgammon: the first roll"
        if self._is_offered():
            return f"Backgammon: {self._answering()} to answer {self._offer()}"
        return f"Backgammon: {NAMES[mover]} to " + (f"play {_thrown_text(dice)}" if dice else "roll")

    def _is_offered(self) -> bool:
        cube = self.position.cube
        return cube is not None and cube.stage in (Stage.DOUBLED, Stage.BEAVERED) and self._mover() is not None

    def _answering(self) -> str:
        mover, cube = self.position.mover, self.position.cube
        assert mover is not None and cube is not None
        return NAMES[mover if cube.stage is Stage.BEAVERED else mover.other]

    def _offer(self) -> str:
        cube = self.position.cube
        assert cube is not None
        return f"a {'beaver' if cube.stage is Stage.BEAVERED else 'double'} to {cube.offered}"

    def _describe(self, player: Player) -> str:
        names = {OFF: "off", BAR: "on the bar"}
        counts = list(enumerate(self._men(player).counts))
        places = [f"{count} {names.get(point, f'on {point}')}" for point, count in reversed(counts) if count]
        extras = "".join(f"; {text}" for text in (self._cube_text(player), self._score_text(player)) if text)
        return f"{NAMES[player].capitalize()}: {', '.join(places)}; {self._men(player).pips} pips{extras}."

    def _cube_text(self, player: Player) -> str:
        cube = self.position.cube
        return f"cube {cube.value}" if cube is not None and cube.owner is player else ""

    def _score_text(self, player: Player) -> str:
        match = self.position.match
        return "" if match is None else f"{match.score(player)} of {match.length} points"

    def _stacks(self) -> Iterator[Shape]:
        for point in range(1, 25):
            player, count = self._on(point)
            edge, way = (MARGIN, 1) if point in TOP else (HEIGHT - MARGIN, -1)
            yield from _stack(_column(point), edge + way * (RADIUS + 1), way, count, LOOKS[player])
        for player in Player:
            way = -1 if player is Player.FIRST else 1
            x, y = RIGHT - BAR_WIDTH / 2, CENTRE + way * 2 * RADIUS
            yield from _stack(x, y, way, self._men(player).on(BAR), LOOKS[player])

    def _thrown(self) -> Iterator[Shape]:
        """The dice, on the right of the player who rolled."""
        if (mover := self._mover()) is None:
            return
        middle = (RIGHT if mover is Player.FIRST else LEFT) + 3 * POINT
        dice = self._dice()
        for i, die in enumerate(dice):
            x = middle + (2 * i - len(dice) + 1) * (DIE / 2 + 5)
            yield from _die(x, CENTRE, die, LOOKS[mover], pip=LOOKS[mover.other].body)

    def _cube(self) -> Iterator[Shape]:
        """On the bar: in the middle, or on its owner's side; beside the bar while a double is answered."""
        cube, x, y = self.position.cube, RIGHT - BAR_WIDTH / 2, CENTRE
        if cube is None:
            return
        if self._is_offered():
            x = (LEFT if self.position.mover is Player.FIRST else RIGHT) + 3 * POINT
        elif cube.owner is not None:
            y = HEIGHT - MARGIN - CUBE / 2 if cube.owner is Player.FIRST else MARGIN + CUBE / 2
        value = str(cube.offered)
        yield Rect(x - CUBE / 2, y - CUBE / 2, CUBE, CUBE, palette.DARK.edge, 6)
        yield Rect(x - CUBE / 2 + 1, y - CUBE / 2 + 1, CUBE - 2, CUBE - 2, palette.LIGHT.body, 5)
        yield Text(x, y, value, 18 if len(value) < 3 else 12, palette.DARK.body)

    def _borne_off(self, player: Player) -> Iterator[Shape]:
        look = LOOKS[player]
        for i in range(self._men(player).on(OFF)):
            y = HEIGHT - MARGIN - 3 - (i + 1) * SLAB if player is Player.FIRST else MARGIN + 3 + i * SLAB
            yield Rect(TRAY + 3, y, TRAY_WIDTH - 6, SLAB, look.edge, 2)
            yield Rect(TRAY + 4, y + 1, TRAY_WIDTH - 8, SLAB - 2, look.body, 1.5)

    def _score(self, player: Player, flipped: bool) -> Iterator[Shape]:
        """The pip count between the trays, and a marker for the player to move."""
        look, x = LOOKS[player], TRAY + TRAY_WIDTH / 2
        down, line = (1 if player is Player.FIRST else -1), (-1 if flipped else 1)
        y = CENTRE + down * 34
        yield Rect(TRAY, y - 20, TRAY_WIDTH, 40, look.edge, 5)
        yield Rect(TRAY + 1, y - 19, TRAY_WIDTH - 2, 38, look.body, 4)
        yield Text(x, y - line * 5, str(self._men(player).pips), 17, look.mark)
        yield Text(x, y + line * 11, "pips", 9, look.mark)
        if (match := self.position.match) is not None:
            edge = HEIGHT - MARGIN / 2 if player is Player.FIRST else MARGIN / 2
            yield Text(x, edge, f"{match.score(player)}/{match.length}", 13, palette.LETTER)
        if player is self._mover():
            base, tip = CENTRE - down * 5, CENTRE + down * 6
            yield Polygon(((x - 9, base), (x + 9, base), (x, tip)), palette.GOLD)

    def lines(self, *, flipped: bool = False, highlight: Collection[int] = ()) -> list[Line]:
        top = Player.FIRST if flipped else Player.SECOND
        above, below = (BOTTOM, TOP) if flipped else (TOP, BOTTOM)
        return [
            self._caption(top, "┌", "┐"),
            _frame("├", _border(above, "┬", flipped, highlight), "┤", flipped),
            *(_frame("│", row, "│", flipped) for row in self._rows(highlight)[:: -1 if flipped else 1]),
            _frame("├", _border(below, "┴", flipped, highlight), "┤", flipped),
            self._caption(top.other, "└", "┘"),
        ]

    def narrow_lines(self, *, flipped: bool = False, highlight: Collection[int] = ()) -> list[Line]:
        """Two lines of points; each stack is a man and its number."""
        top = Player.FIRST if flipped else Player.SECOND
        above, below = (BOTTOM[::-1], TOP[::-1]) if flipped else (TOP, BOTTOM)
        return [
            self._narrow_caption(top),
            _narrow_row([_narrow_number(point, flipped, highlight) for point in above]),
            _narrow_row([self._narrow_cell(point, point in highlight) for point in above]),
            self._narrow_middle(),
            _narrow_row([self._narrow_cell(point, point in highlight) for point in below]),
            _narrow_row([_narrow_number(point, flipped, highlight) for point in below]),
            self._narrow_caption(top.other),
        ]

    def _narrow_caption(self, player: Player) -> Line:
        men, man = self._men(player), Span(MEN[player], LOOKS[player].ink)
        word = "" if self._is_offered() else self._word(player)
        words = f" {NAMES[player]} {word}{men.pips} pips, bar {men.on(BAR)}, off {men.on(OFF)}"
        return [man, Span(words.ljust(NARROW - 1))]

    def _narrow_middle(self) -> Line:
        mover, dice = self._mover(), self._dice()
        text = "".join(DICE[die] for die in dice) + f" {_thrown_text(dice)}" if dice else ""
        ink = palette.FELT_INK if mover is None else LOOKS[mover].ink
        text = "  ".join(part for part in (text, self._narrow_stakes()) if part)
        return [Span("│"), Span(f"{text:^37}", ink, palette.FELT_PAPER), Span("│")]

    def _narrow_stakes(self) -> str:
        """The open offer, or else the cube and the score."""
        cube, match, parts = self.position.cube, self.position.match, []
        if self._is_offered():
            return f"{self._answering()} to answer {self._offer()}"
        if cube is not None:
            owner = "" if cube.owner is None else f" {NAMES[cube.owner]}"
            parts.append(f"cube {cube.value}{owner}")
        if match is not None:
            parts.append(f"{match.white}-{match.black} to {match.length}{' Cr.' if match.is_crawford else ''}")
        return ", ".join(parts)

    def _narrow_cell(self, point: int, is_marked: bool) -> Span:
        player, count = self._on(point)
        paper = palette.BRASS_PAPER if is_marked else palette.RUST_PAPER if point % 2 else palette.TAN_PAPER
        text = f"{MEN[player]}{count}" if count else "·"
        return Span(f"{text:>3}", LOOKS[player].ink, paper)

    def _rows(self, highlight: Collection[int]) -> list[Line]:
        upper = [self._level(TOP, level, highlight) for level in range(TALLEST)]
        lower = [self._level(BOTTOM, level, highlight) for level in range(TALLEST)]
        return [*upper, self._middle(), *reversed(lower)]

    def _level(self, points: range, level: int, highlight: Collection[int]) -> Line:
        """A row of men, counted from the edge. White's men on the bar enter at the top; black's off are there too."""
        cells = [self._cell(point, level, point in highlight) for point in points]
        barred = Player.FIRST if points is TOP else Player.SECOND
        bar = _glyph(barred, self._men(barred).on(BAR), TALLEST - 1 - level)
        off = MEN[barred.other] * min(3, self._men(barred.other).on(OFF) - 3 * level)
        tray = Span(f" {off:3} ", LOOKS[barred.other].ink, palette.FELT_PAPER)
        return _row(cells[:6], Span(f"{bar:^5}", LOOKS[barred].ink), cells[6:], tray)

    def _cell(self, point: int, level: int, is_marked: bool) -> Span:
        player, count = self._on(point)
        paper = palette.BRASS_PAPER if is_marked else palette.RUST_PAPER if point % 2 else palette.TAN_PAPER
        glyph = _glyph(player, count, level)
        return Span(f" {glyph:2}", LOOKS[player].ink, paper) if glyph else Span(" · ", paper, paper)

    def _middle(self) -> Line:
        mover, dice = self._mover(), self._dice()
        faces = "".join(DICE[die] for die in dice) + f" {_thrown_text(dice)}" if dice else ""
        cells = [Span(" " * 18, palette.FELT_INK, palette.FELT_PAPER) for _ in Player]
        if mover is not None:
            cells[mover.other] = Span(f"{faces:^18}", LOOKS[mover].ink, palette.FELT_PAPER)
        cube = self.position.cube
        middle = f"[{cube.value}]" if cube is not None and cube.owner is None and not self._is_offered() else ""
        return _row(cells[:1], Span(f"{middle:^5}"), cells[1:], Span("     ", palette.FELT_INK, palette.FELT_PAPER))

    def _caption(self, player: Player, left: str, right: str) -> Line:
        man = Span(MEN[player], LOOKS[player].ink)
        pips = f" {self._men(player).pips} pips ─"
        words = f" {NAMES[player]} {self._word(player)}{self._stakes(player)}"
        return [Span(f"{left}─ "), man, Span(words.ljust(37, "─") + f"{pips:─>13}{right}")]

    def _word(self, player: Player) -> str:
        """A player's state and a blank; empty if there is nothing to say."""
        if player is self._winner():
            return "has won "
        cube = self.position.cube
        if cube is not None and self._is_offered():
            verb = "beavers" if cube.stage is Stage.BEAVERED else "doubles"
            return "to answer " if NAMES[player] == self._answering() else f"{verb} to {cube.offered} "
        if player is not self._mover():
            return ""
        return "to play " if self.position.dice else "to roll "

    def _stakes(self, player: Player) -> str:
        """A player's cube and score, each followed by a blank."""
        match, parts = self.position.match, [] if self._is_offered() else [self._cube_text(player)]
        if match is not None:
            crawford = ", Crawford" if match.is_crawford and match.away(player) == 1 else ""
            parts.append(f"{match.score(player)}/{match.length}{crawford}")
        return "".join(f"({part}) " for part in parts if part)


def _thrown_text(dice: tuple[int, ...]) -> str:
    """Two dice in players' words, or the one that is left."""
    return f"{dice[0]}-{dice[-1]}" if len(dice) > 1 else str(dice[0])


def _furniture() -> Iterator[Shape]:
    yield Rect(0, 0, WIDTH, HEIGHT, palette.FRAME, 8)
    yield Rect(RIGHT - BAR_WIDTH / 2 - 1, 0, 2, HEIGHT, palette.HINGE)
    for x in (LEFT, RIGHT):
        yield Rect(x, MARGIN, 6 * POINT, HEIGHT - 2 * MARGIN, palette.FELT)
    depth = 15 * SLAB + 6
    for y in (MARGIN, HEIGHT - MARGIN - depth):
        yield Rect(TRAY, y, TRAY_WIDTH, depth, palette.FELT, 3)


def _points(flipped: bool, highlight: Collection[int]) -> Iterator[Shape]:
    for point in range(1, 25):
        x, edge, tip, label = _column(point), MARGIN, MARGIN + 184, MARGIN / 2
        if point in BOTTOM:
            edge, tip, label = HEIGHT - edge, HEIGHT - tip, HEIGHT - label
        fill = palette.GOLD if point in highlight else palette.RUST if point % 2 else palette.BUFF
        yield Polygon(((x - POINT / 2 + 1, edge), (x + POINT / 2 - 1, edge), (x, tip)), fill)
        yield Text(x, label, str(25 - point if flipped else point), 13, palette.LETTER)


def _column(point: int) -> float:
    """The x coordinate of a point's middle."""
    index = TOP.index(point) if point in TOP else BOTTOM.index(point)
    return (LEFT if index < 6 else RIGHT) + (index % 6 + 0.5) * POINT


def _stack(x: float, y: float, way: int, count: int, look: Look) -> Iterator[Shape]:
    """Men from (x, y) on, down (1) or up (-1)."""
    for level in range(min(count, TALLEST)):
        yield from disc(x, y + way * level * 2 * RADIUS, RADIUS, look)
    if count > TALLEST:
        yield Text(x, y + way * (TALLEST - 1) * 2 * RADIUS, str(count), 16, look.mark)


def _die(x: float, y: float, die: int, look: Look, pip: str) -> Iterator[Shape]:
    yield Rect(x - DIE / 2, y - DIE / 2, DIE, DIE, look.edge, 7)
    yield Rect(x - DIE / 2 + 1, y - DIE / 2 + 1, DIE - 2, DIE - 2, look.body, 6)
    for dx, dy in PIPS[die]:
        yield Circle(x + dx * 9, y + dy * 9, 3.4, pip)


def _glyph(player: Player, count: int, level: int) -> str:
    """One level of a stack, counted from its foot."""
    if level >= count:
        return ""
    return str(count) if count > TALLEST and level == TALLEST - 1 else MEN[player]


def _frame(left: str, row: Line, right: str, flipped: bool) -> Line:
    return [Span(left), *(reversed(row) if flipped else row), Span(right)]


def _row(left: Line, bar: Span, right: Line, tray: Span, edge: str = "│") -> Line:
    pad = Span("─") if edge != "│" else Span(" ", palette.FELT_INK, palette.FELT_PAPER)
    return [pad, *left, pad, Span(edge), bar, Span(edge), pad, *right, pad, Span(edge), tray]


def _border(points: range, edge: str, flipped: bool, highlight: Collection[int]) -> Line:
    cells = [_number(25 - point if flipped else point, point in highlight) for point in points]
    return _row(cells[:6], Span("─bar─"), cells[6:], Span("─off─"), edge)


def _narrow_row(cells: Line) -> Line:
    return [Span("│"), *cells[:6], Span("│"), *cells[6:], Span("│")]


def _narrow_number(point: int, flipped: bool, highlight: Collection[int]) -> Span:
    text = f"{'▸' if point in highlight else ''}{25 - point if flipped else point}"
    return Span(f"{text:>3}")


def _number(number: int, is_marked: bool) -> Span:
    text = f"{'▸' if is_marked else '─'}{number}".ljust(3, "─")
    return Span(text, paper=palette.BRASS_PAPER) if is_marked else Span(text)
