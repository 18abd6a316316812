"""Positions as text: XGID, which is complete, GNU Backgammon's position and match IDs, and Snowie's line of text.

`XGID=-b----E-C---eE---c-e----B-:1:-1:1:52:3:2:0:7:10`: black's bar, points 1 to 24 and white's bar, as white counts
them, with capital letters for white's men; then the cube's value as a power of two and its owner (1 white, -1 black, 0
in the middle), the player on roll (1 or -1), the dice (`00` before they are rolled, `D` if a double has to be answered,
`B` if a beaver has), white's and black's points, the Crawford game (1) or, outside matches, the Jacoby rule (1) and
beavers (2), the match length and the cube's limit, another power of two.

Three things are ours: the turn 0 before the opening roll; two more fields for white's and black's number of men, if
these are not 15 and 15; and, behind a blank where other programs stop reading, the layout of a match, `rolling` if the
player on roll has decided not to double, or the double has been taken, and `1:dropped:2:2` for a game that has ended
without the men showing it: the winner, the reason, the points and the cube. Men that are not on the board are off.

No match, no Jacoby rule, a cube that was never turned and the limit 10 mean a game without a cube, as do matches with
the limit 0. A money game with such a cube is written with the limit 12, the 4,096 that the cube can reach.

`4HPwATDgc/ABMA:cIkKAAAAAAAE`: the position ID, which holds only the men, and the match ID, which holds the rest and may
be missing; GNU Backgammon's boards have them on two lines, `Position ID: …` and `Match ID: …`. The lower player is
white. Five of the match ID's bits, which GNU Backgammon ignores, say what the format has no place for.

`7;0;0;0;1;Ann;Bob;0;3;2;2;-1;0;-2;…;5;2;` is what Snowie exports, and GNU Backgammon as `snowietxt`; it is only read.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from ludus.core.errors import MalformedPosition
from ludus.core.rules import Outcome, Player, Reason
from ludus.games.backgammon import kernel
from ludus.games.backgammon.position import (
    BAR,
    MOST_MEN,
    OFF,
    VARIANTS,
    Cube,
    Match,
    Men,
    Position,
    Stage,
    men,
)
from ludus.games.backgammon.variants import LONGEST_MATCH

if TYPE_CHECKING:
    from collections.abc import Mapping

POINTS: Final = range(1, 26)
"""The points and the bar."""
XGID: Final = re.compile(
    r"(?:XGID=|xgid=)?([a-o-][A-Oa-o-]{24}[A-O-]):([0-9]{1,4}):([01]|-1):([01]|-1):([0-9A-Za-z]{1,2})"
    r":([0-9]{1,4}):([0-9]{1,4}):([0-9]{1,4}):([0-9]{1,4}):([0-9]{1,4})(?::([0-9]{1,2}):([0-9]{1,2}))?"
    r"(?: (printed|nackgammon|hypergammon))?(?: (rolling))?(?: (1|-1):([a-z_]{1,30}):([0-9]{1,5}):([0-9]{1,4}))?"
)
XGID_FORM: Final = "an XGID such as XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10"
DICE: Final = re.compile("00|[1-6][1-6]")
TURNS: Final = {"1": Player.FIRST, "-1": Player.SECOND, "0": None}
SIGNS: Final = {player: sign for sign, player in TURNS.items()}
STAGES: Final = {"D": Stage.DOUBLED, "B": Stage.BEAVERED}
LETTERS: Final = {stage: letter for letter, stage in STAGES.items()}
HIGHEST_POWER: Final = 12
"""The cube's limit, 4,096, as a power of two."""
USUAL_POWER: Final = 10
"""The limit that other programs write."""
JACOBY, BEAVERS = 1, 2
POSITION_ID: Final = re.compile(
    r"(?:(?:GNU Backgammon\s+)?(?:GNUBG|Position)[ -]ID\s*:\s*)?([A-Za-z0-9+/]{14})={0,2}"
    r"(?:(?::|\s+(?:Match[ -]ID\s*:\s*)?)([A-Za-z0-9+/]{12}))?",
    re.IGNORECASE | re.ASCII,
)
POSITION_ID_FORM: Final = "a position ID such as 4HPwATDgc/ABMA"
SNOWIE: Final = re.compile(r"(?:-?[0-9]{1,4};){5}[^;\n]{0,80};[^;\n]{0,80};(?:-?[0-9]{1,4};){32}-?[0-9]{1,4};?")
SNOWIE_FORM: Final = "a line of Snowie's text"
LAYOUTS: Final = tuple(VARIANTS)


def read_position(text: str, men: int = MOST_MEN) -> Position:
    text = text.strip()
    if POSITION_ID.fullmatch(text):
        return read_position_id(text, men)
    if XGID.fullmatch(text):
        return read_xgid(text, men)
    if SNOWIE.fullmatch(text):
        return read_snowie(text)
    raise MalformedPosition(f"{text[:60]!r} is neither {XGID_FORM} nor {POSITION_ID_FORM}")


def write_xgid(position: Position) -> str:
    white, black, mover, dice, cube, match, ended = position
    points = "".join(_letter(white.on(point), black.on(25 - point)) for point in range(1, BAR))
    places = f"{_letter(0, black.on(BAR))}{points}{_letter(white.on(BAR), 0)}"
    power, owner = (_power(cube.value), SIGNS[cube.owner]) if cube else (0, "0")
    rolled = LETTERS.get(cube.stage) if cube and not dice else None
    rolled = rolled or "".join(map(str, dice)) or "00"
    score = f"{match.white}:{match.black}" if match else "0:0"
    fields = (places, power, owner, SIGNS[mover], rolled, score, _flags(position), match.length if match else 0)
    totals = sum(white.counts), sum(black.counts)
    sizes = "" if totals == (MOST_MEN, MOST_MEN) else f":{totals[0]}:{totals[1]}"
    more = [match.layout] if match and match.layout != "standard" else []
    more += ["rolling"] if cube and cube.stage is Stage.ROLLING else []
    more += [f"{SIGNS[ended.winner]}:{ended.reason}:{ended.points}:{ended.stake}"] if ended else []
    return " ".join((f"XGID={':'.join(map(str, fields))}:{_limit(position)}{sizes}", *more))


def undecided(position: Position) -> Position:
    """The position as other programs write it, without a player's decision to roll."""
    cube = position.cube
    if cube is None or cube.stage is not Stage.ROLLING:
        return position
    return position._replace(cube=cube._replace(stage=Stage.ON_ROLL))


def _letter(white: int, black: int) -> str:
    return chr(ord("A") + white - 1) if white else chr(ord("a") + black - 1) if black else "-"


def _power(value: int) -> int:
    return value.bit_length() - 1


def _flags(position: Position) -> int:
    cube, match = position.cube, position.match
    if match:
        return int(match.is_crawford and match.length > 1)
    return JACOBY * cube.has_jacoby + BEAVERS * cube.has_beavers if cube else 0


def _limit(position: Position) -> int:
    """The cube limit to write; it distinguishes games with and without a cube if nothing else in the text does."""
    cube = position.cube
    if cube is None:
        return USUAL_POWER if position.match is None else 0
    is_seen = position.match or _flags(position) or cube.value > 1 or cube.owner is not None or cube.stage in LETTERS
    return USUAL_POWER if is_seen else HIGHEST_POWER


def read_xgid(text: str, men: int = MOST_MEN) -> Position:
    match = XGID.fullmatch(text.strip())
    if not match:
        raise MalformedPosition(f"{text[:60]!r} is not {XGID_FORM}")
    places, power, owner, turn, dice, *numbers = match.groups()[:10]
    white_size, black_size, layout, rolling, *ended = match.groups()[10:]
    white = {place: ord(letter) - 64 for place, letter in enumerate(places) if letter.isupper()}
    black = {25 - place: ord(letter) - 96 for place, letter in enumerate(places) if letter.islower()}
    sides = _sides(white, black, int(white_size or men), int(black_size or men))
    first, second, flags, length, limit = map(int, numbers)
    stage = STAGES.get(dice.upper(), Stage.ROLLING if rolling else Stage.ON_ROLL)
    has_cube = bool(int(power) or TURNS[owner] is not None or stage is not Stage.ON_ROLL)
    if length:
        has_cube |= limit > 0
    else:
        has_cube |= bool(flags & (JACOBY | BEAVERS)) or limit not in (0, USUAL_POWER)
    state = _State(
        TURNS[turn],
        () if stage in LETTERS else _read_dice(dice),
        _cube(int(power), TURNS[owner], stage, 0 if length else flags) if has_cube else None,
        _match(length, first, second, flags == 1, layout or "standard", is_over=ended[0] is not None)
        if length
        else None,
        _ended(*ended) if ended[0] else None,
    )
    return state.with_men(*sides)


class _State(NamedTuple):
    """Everything in a position but the men."""

    mover: Player | None
    dice: tuple[()] | tuple[int, int]
    cube: Cube | None = None
    match: Match | None = None
    ended: Outcome | None = None

    def with_men(self, white: Men, black: Men) -> Position:
        if self.mover is None and (self.dice or (self.cube and self.cube.stage is not Stage.ON_ROLL)):
            raise MalformedPosition("before the opening roll, turn 0, the dice are 00")
        if self.cube and self.mover is not None:
            self._check_double(self.cube, self.mover)
        return Position(white, black, *self)

    def _check_double(self, cube: Cube, mover: Player) -> None:
        if cube.stage in LETTERS and cube.owner is mover.other:
            raise MalformedPosition("a double is offered by the player who does not have the cube")
        if cube.stage is not Stage.ON_ROLL and self.dice:
            raise MalformedPosition("the dice are rolled, so nobody is rolling or has to answer a double")
        if cube.stage is Stage.BEAVERED and self.match:
            raise MalformedPosition("there are no beavers in a match")
        if cube.stage is Stage.DOUBLED and self.match and self.ended is None:
            self._check_match_double(self.match, cube.value, mover)

    @staticmethod
    def _check_match_double(match: Match, value: int, mover: Player) -> None:
        if match.is_dead(value, mover):
            raise MalformedPosition("a double is of no use to a player who wins the match without it")
        if match.is_crawford:
            raise MalformedPosition("nobody doubles in the Crawford game")


def _cube(power: int, owner: Player | None, stage: Stage, flags: int) -> Cube:
    if power > HIGHEST_POWER - (1 if stage is Stage.DOUBLED else 2 if stage is Stage.BEAVERED else 0):
        raise MalformedPosition(f"the cube does not go beyond {1 << HIGHEST_POWER:,}")
    has_beavers = bool(flags & BEAVERS) or stage is Stage.BEAVERED
    return Cube(1 << power, owner, stage, bool(flags & JACOBY), has_beavers)


def _match(length: int, white: int, black: int, is_crawford: bool, layout: str, *, is_over: bool) -> Match:
    """A match; the Crawford flag is kept only if a side has one point to go."""
    if length > LONGEST_MATCH:
        raise MalformedPosition(f"a match is played to {LONGEST_MATCH} points at most, not {length}")
    if max(white, black) >= length and not is_over:
        raise MalformedPosition(f"the match to {length} is over at {white}-{black}")
    can_be = max(white, black) == length - 1
    return Match(length, white, black, can_be and (is_crawford or length == 1), layout)


def _ended(winner: str, reason: str, points: str, stake: str) -> Outcome:
    total, single = int(points), int(stake)
    if not single or total not in (single, 2 * single, 3 * single):
        raise MalformedPosition(f"a game played for {single} is not won with {total} points")
    return Outcome(TURNS[winner], Reason.named(reason), total, single)


def _read_dice(text: str) -> tuple[()] | tuple[int, int]:
    if text.upper() == "R":
        raise MalformedPosition("a raccoon, the third double in a row, is not played here")
    if not DICE.fullmatch(text):
        raise MalformedPosition(f"the dice {text!r} are not two of 1 to 6, nor 00 before they are rolled")
    one, two = int(text[0]), int(text[1])
    return (max(one, two), min(one, two)) if one else ()


def write_position_id(position: Position) -> str:
    """The men from the side on roll, or from white's before the opening roll."""
    bits = "".join("1" * side.on(point) + "0" for side in (position.other, position.own) for point in POINTS)
    return base64.b64encode(int(bits[::-1], 2).to_bytes(10, "little")).decode().rstrip("=")


def write_gnu_id(position: Position) -> str:
    """The position ID and the match ID."""
    return f"{write_position_id(position)}:{write_match_id(position)}"


def read_position_id(text: str, men: int = MOST_MEN) -> Position:
    """Reads a position ID. Without a match ID, white is on roll and has not rolled, and there is no cube."""
    match = POSITION_ID.fullmatch(text.strip())
    if not match:
        raise MalformedPosition(f"{text[:60]!r} is not {POSITION_ID_FORM}")
    bits = int.from_bytes(base64.b64decode(match[1] + "=="), "little")
    other, bits = _count(bits)
    own, bits = _count(bits)
    fields = _read_match_id(match[2]) if match[2] else None
    is_white = fields is None or bool(fields["mover"])
    white, black = _sides(*((own, other) if is_white else (other, own)), men, men)
    position = Position(white, black, Player.FIRST if is_white else Player.SECOND)
    if bits or write_position_id(position) != match[1]:
        raise MalformedPosition(f"{match[1]!r} has more in it than a position")
    return _state(fields, white, black).with_men(white, black) if fields else position


MATCH_ID: Final = {
    "power": 4, "owner": 2, "mover": 1, "is_crawford": 1, "phase": 3, "turn": 1, "is_doubled": 1, "resigned": 2,
    "one": 3, "two": 3, "length": 15, "black": 15, "white": 15, "no_jacoby": 1,
    "is_rolling": 1, "has_beavers": 1, "is_odd_cube": 1, "layout": 2,
}  # fmt: skip
"""The fields of a match ID and their sizes in bits, lowest bit first; player 0 is black. The last four are ours."""
PHASES: Final = ("", "", Reason.BORNE_OFF, Reason.RESIGNATION, Reason.DROPPED, Reason.RESIGNATION)
"""0 before a game, 1 during it, then how it ended; 5 is ours."""
OTHER_RESIGNED: Final = 5
"""The player who is not on roll resigned."""
OWNERS: Final = {Player.SECOND: 0, Player.FIRST: 1, None: 3}


def write_match_id(position: Position) -> str:
    mover, dice, cube, match, ended = position[2:]
    stage = cube.stage if cube else Stage.ON_ROLL
    is_beavered, is_white = stage is Stage.BEAVERED, mover is not Player.SECOND
    fields = {
        "power": _power(cube.value) + is_beavered if cube else 0,
        "owner": OWNERS[mover.other if is_beavered and mover is not None else cube.owner if cube else None],
        "mover": is_white,
        "is_crawford": match is not None and match.is_crawford and match.length > 1,
        "phase": _phase(position),
        "turn": is_white ^ (stage is Stage.DOUBLED),
        "is_doubled": stage in LETTERS and not (ended and ended.reason == Reason.DROPPED),
        "one": dice[0] if dice else 0,
        "two": dice[1] if dice else 0,
        "no_jacoby": not (cube and cube.has_jacoby),
        "is_rolling": stage is Stage.ROLLING or is_beavered,
        "has_beavers": cube is not None and cube.has_beavers,
        "is_odd_cube": (cube is None) if match else cube is not None and _limit(position) == HIGHEST_POWER,
    }
    if match:
        layout = LAYOUTS.index(match.layout)
        fields |= {"length": match.length, "white": match.white, "black": match.black, "layout": layout}
    if ended and ended.reason == Reason.RESIGNATION:
        fields["resigned"] = ended.win
    bits = shift = 0
    for name, size in MATCH_ID.items():
        bits |= int(fields.get(name, 0)) << shift
        shift += size
    return base64.b64encode(bits.to_bytes(9, "little")).decode()


def _phase(position: Position) -> int:
    if position.ended:
        reason = position.ended.reason
        if reason == Reason.RESIGNATION and position.ended.winner is (position.mover or Player.FIRST):
            return OTHER_RESIGNED
        return PHASES.index(reason) if reason in PHASES else 1
    if not any(position.white.counts[1:]) or not any(position.black.counts[1:]):
        return PHASES.index(Reason.BORNE_OFF)
    return 0 if position.mover is None else 1


def _read_match_id(text: str) -> dict[str, int]:
    bits = int.from_bytes(base64.b64decode(text), "little")
    fields = {}
    for name, size in MATCH_ID.items():
        fields[name] = bits & (1 << size) - 1
        bits >>= size
    return fields


def _state(fields: Mapping[str, int], white: Men, black: Men) -> _State:
    mover = Player.FIRST if fields["mover"] else Player.SECOND
    turn = Player.FIRST if fields["turn"] else Player.SECOND
    dice = _read_dice(f"{fields['one']}{fields['two']}")
    reason = PHASES[fields["phase"]] if fields["phase"] < len(PHASES) else ""
    is_answered = fields["is_doubled"] or reason == Reason.DROPPED
    stage = Stage.ROLLING if fields["is_rolling"] else Stage.ON_ROLL
    if is_answered:
        is_beavered = fields["is_rolling"] if reason == Reason.RESIGNATION else turn is mover
        stage = Stage.BEAVERED if is_beavered else Stage.DOUBLED
    cube = _gnu_cube(fields, stage)
    can_be_start = not dice and not is_answered and fields["phase"] != 1
    is_start = can_be_start and (white, black) in {start[:2] for start in VARIANTS.values()}
    ended = _gnu_end(fields, reason, turn, (white, black), cube)
    match = None
    if fields["length"]:
        layout, is_crawford = LAYOUTS[fields["layout"]], bool(fields["is_crawford"])
        score = fields["length"], fields["white"], fields["black"]
        match = _match(*score, is_crawford, layout, is_over=ended is not None)
    is_shown = ended is not None and ended.reason == Reason.BORNE_OFF and match is None
    return _State(None if is_start else mover, dice, cube, match, None if is_shown else ended)


def _gnu_cube(fields: Mapping[str, int], stage: Stage) -> Cube | None:
    """The cube; None if nothing in the text shows that there is one."""
    power, has_jacoby = fields["power"], not fields["no_jacoby"] and not fields["length"]
    owner = {number: player for player, number in OWNERS.items()}.get(fields["owner"])
    if stage is Stage.BEAVERED:  # a beaver is a take and a double of the new owner
        if not power:
            raise MalformedPosition("a beaver follows a double, so the cube shows at least 2")
        power -= 1
        owner = owner.other if power > 0 and owner is not None else None
    is_seen = power or owner is not None or has_jacoby or stage is not Stage.ON_ROLL or fields["has_beavers"]
    if fields["is_odd_cube"] if not fields["length"] else not fields["is_odd_cube"]:
        is_seen = True
    return _cube(power, owner, stage, JACOBY * has_jacoby | BEAVERS * fields["has_beavers"]) if is_seen else None


def _gnu_end(
    fields: Mapping[str, int], reason: str, turn: Player, sides: tuple[Men, Men], cube: Cube | None
) -> Outcome | None:
    stake = 1 << fields["power"]
    if reason == Reason.DROPPED:
        return Outcome(turn.other, reason, stake, stake)
    counts_gammons = cube is None or not cube.has_jacoby or stake > 1
    if reason == Reason.RESIGNATION:
        win = max(fields["resigned"], 1) if counts_gammons else 1
        mover = Player.FIRST if fields["mover"] else Player.SECOND
        winner = mover if fields["phase"] == OTHER_RESIGNED else mover.other
        return Outcome(winner, reason, stake * win, stake)
    if reason == Reason.BORNE_OFF:
        off = [player for player, side in zip(Player, sides, strict=True) if not any(side.counts[1:])]
        if not off:
            raise MalformedPosition("the game is over, but nobody has borne off all men")
        loser = sides[off[0].other]
        win = kernel.points_lost(*loser) if counts_gammons else 1
        return Outcome(off[0], reason, stake * win, stake)
    return None


def read_snowie(text: str) -> Position:
    """The board is from the side of the player on roll, the first one named."""
    match = SNOWIE.fullmatch(text.strip())
    if not match:
        raise MalformedPosition(f"{text[:60]!r} is not {SNOWIE_FORM}")
    fields = text.strip().removesuffix(";").split(";")
    length, jacoby, _, _, turn = map(int, fields[:5])
    is_crawford, own_score, other_score, value, owner, own_bar, *numbers = map(int, fields[7:])
    *points, other_bar, one, two = numbers
    own = {point: number for point, number in enumerate(points, 1) if number > 0} | {BAR: abs(own_bar)}
    other = {25 - point: -number for point, number in enumerate(points, 1) if number < 0} | {BAR: abs(other_bar)}
    mover = Player.SECOND if turn == 0 else Player.FIRST
    sides = _sides(*((own, other) if mover is Player.FIRST else (other, own)), MOST_MEN, MOST_MEN)
    if value < 1 or value & value - 1:
        raise MalformedPosition(f"the cube's value {value} is not a power of two")
    holder = {1: mover, -1: mover.other}.get(owner)
    scores = (own_score, other_score) if mover is Player.FIRST else (other_score, own_score)
    score = _match(length, *scores, bool(is_crawford), "standard", is_over=False) if length else None
    cube = _cube(_power(value), holder, Stage.ON_ROLL, 0 if length else JACOBY * bool(jacoby))
    return _State(mover, _read_dice(f"{one}{two}"), cube, score).with_men(*sides)


def _count(bits: int) -> tuple[dict[int, int], int]:
    """One side's men, on each point a one for each man and then a zero, and the bits after them."""
    found = {}
    for point in POINTS:
        number = (~bits & bits + 1).bit_length() - 1
        found[point] = number
        bits >>= number + 1
    return found, bits


def _sides(white: Mapping[int, int], black: Mapping[int, int], white_size: int, black_size: int) -> tuple[Men, Men]:
    for point in range(1, BAR):
        if white.get(point) and black.get(25 - point):
            raise MalformedPosition(f"both sides have men on white's point {point}")
    if not any(white.values()) and not any(black.values()):
        raise MalformedPosition("both sides have all their men off")
    return _side("white", white, white_size), _side("black", black, black_size)


def _side(name: str, standing: Mapping[int, int], size: int) -> Men:
    number = sum(standing.values())
    if not 1 <= size <= MOST_MEN:
        raise MalformedPosition(f"a side has 1 to {MOST_MEN} men, not {size}")
    if number > size:
        raise MalformedPosition(f"{name} has {number} men on the board; {size} is the most")
    return men({**standing, OFF: size - number})
