"""Backgammon in a room: whole plays, or a turn step by step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import sub
from typing import Any, Final, NamedTuple

from ludus.core.errors import AmbiguousMove, IllegalMove, MalformedMove
from ludus.core.rules import Turn
from ludus.games.backgammon import kernel
from ludus.games.backgammon.about import ABOUT
from ludus.games.backgammon.match import game_ended
from ludus.games.backgammon.position import (
    BAR,
    OFF,
    Cube,
    CubeAction,
    Match,
    Men,
    Play,
    Position,
    Resignation,
    Stage,
    Step,
)
from ludus.games.backgammon.rules import Backgammon
from ludus.wire.backgammon.places import MOST_STEPS, RANGE, is_place, names, own_point, write_steps
from ludus.wire.protocols import Refusal, RoomSchemas

POINT_SCHEMA: Final = {"type": "integer", "minimum": 1, "maximum": 24}
FROM_SCHEMA: Final = {"anyOf": [POINT_SCHEMA, {"const": "bar"}]}
TO_SCHEMA: Final = {"anyOf": [POINT_SCHEMA, {"const": "off"}]}
STEP_SCHEMA: Final = {
    "title": "Step",
    "description": "One man moved by one die; points are numbered from white's side.",
    "type": "object",
    "properties": {"from": FROM_SCHEMA, "to": TO_SCHEMA},
    "required": ["from", "to"],
}
STEPS_SCHEMA: Final = {"type": "array", "items": STEP_SCHEMA, "maxItems": MOST_STEPS}
COLORS: Final = ("white", "black")
COLOR_SCHEMA: Final = {"type": "string", "enum": list(COLORS)}
CUBE_WORDS: Final = [action.value for action in CubeAction]
CUBE_WORD_SCHEMA: Final = {
    "type": "string",
    "enum": CUBE_WORDS,
    "description": "A decision about the doubling cube; `roll` is to roll without doubling.",
}
MOVE_SCHEMA: Final = {
    "title": "Move",
    "description": "A whole play: a step for each die that can be used, and none for a pass.",
    "type": "object",
    "properties": {
        "moves": STEPS_SCHEMA,
        "cube": CUBE_WORD_SCHEMA,
        "resign": {
            "type": "object",
            "description": "A resignation that was accepted, as a single (1), gammon (2) or backgammon (3).",
            "properties": {"color": COLOR_SCHEMA, "points": {"type": "integer", "minimum": 1, "maximum": 3}},
            "required": ["color", "points"],
        },
    },
    "required": ["moves"],
}
MOVE_REQUEST_SCHEMA: Final = {
    "title": "MoveRequest",
    "description": "A whole play or, with `cube`, a decision about the doubling cube.",
    "type": "object",
    "properties": {"moves": STEPS_SCHEMA, "cube": CUBE_WORD_SCHEMA},
    "anyOf": [{"required": ["moves"]}, {"required": ["cube"]}],
}


def _count_schema(most: int) -> dict[str, Any]:
    count = {"type": "integer", "minimum": 0, "maximum": most}
    return {"type": "object", "properties": {"white": count, "black": count}, "required": ["white", "black"]}


def _points_schema(description: str) -> dict[str, Any]:
    count = {"type": "integer", "minimum": 0}
    properties = dict.fromkeys(COLORS, count)
    return {"type": "object", "properties": properties, "required": list(COLORS), "description": description}


CUBE_SCHEMA: Final = {
    "title": "Cube",
    "description": "The doubling cube, in games with one.",
    "type": "object",
    "properties": {
        "value": {"type": "integer", "minimum": 1, "description": "What a single win is worth."},
        "owner": {"anyOf": [COLOR_SCHEMA, {"type": "null"}], "description": "Null while the cube is centred."},
        "offered": {
            "anyOf": [{"type": "integer", "minimum": 2}, {"type": "null"}],
            "description": "The value if the open double or beaver is taken; null if none is open.",
        },
        "offeredTo": {"anyOf": [COLOR_SCHEMA, {"type": "null"}], "description": "Who has to answer it."},
        "actions": {
            "type": "array",
            "items": {"type": "string", "enum": CUBE_WORDS},
            "description": "What the player to move can do with the cube now; empty if there are dice to play.",
        },
        "jacoby": {"type": "boolean", "description": "Whether gammons count only after a double."},
        "beavers": {"type": "boolean"},
    },
    "required": ["value", "owner", "offered", "offeredTo", "actions", "jacoby", "beavers"],
}
MATCH_SCHEMA: Final = {
    "title": "Match",
    "description": "The state of the match, in matches.",
    "type": "object",
    "properties": {
        "length": {"type": "integer", "minimum": 1, "description": "The points that win the match."},
        "score": _points_schema("The points won so far."),
        "isCrawford": {"type": "boolean", "description": "Whether this is the Crawford game, which has no doubles."},
        "layout": {
            "type": "string",
            "description": "The variant that every game starts from; missing if it is the standard one.",
        },
        "game": {"type": "integer", "minimum": 1, "description": "The number of the current game."},
    },
    "required": ["length", "score", "isCrawford"],
}
STAKE_SCHEMA: Final = {
    "type": "integer",
    "minimum": 1,
    "description": "The value of the cube, which is part of `points`.",
}
ENDED_SCHEMA: Final = {
    "title": "EndedGame",
    "description": "How a game of a match ended.",
    "type": "object",
    "properties": {
        "winner": COLOR_SCHEMA,
        "points": {"type": "integer", "minimum": 1},
        "stake": STAKE_SCHEMA,
        "kind": {"type": "string", "enum": list(ABOUT.wins)},
        "reason": {"type": "string", "enum": ["borne_off", "dropped", "resignation"]},
        "score": _points_schema("The points won so far."),
    },
    "required": ["winner", "points", "stake", "kind", "reason", "score"],
}

SCHEMAS: Final = RoomSchemas(
    board={
        "board": {
            "type": "array",
            "items": {"type": "integer", "minimum": -15, "maximum": 15},
            "minItems": 25,
            "maxItems": 25,
            "description": "The men on points 1 to 24, positive for white and negative for black; the first is unused.",
        },
        "bar": {**_count_schema(15), "description": "The men on the bar."},
        "off": {**_count_schema(15), "description": "The men borne off."},
        "dice": {
            "type": "array",
            "items": {"type": "integer", "minimum": 1, "maximum": 6},
            "maxItems": MOST_STEPS,
            "description": "The dice to play, the higher first, a double as four numbers; empty before a roll.",
        },
        "pipCounts": _count_schema(15 * 25),
    },
    move=MOVE_SCHEMA,
    move_request=MOVE_REQUEST_SCHEMA,
    place={**FROM_SCHEMA, "description": "Only the steps from there."},
    steps={**STEPS_SCHEMA, "description": "The steps already made; lists the steps that can come next."},
    legal_move={
        "title": "LegalMove",
        "description": "A whole play or, if `position` or `soFar` was given, a step; before the roll, a decision"
        " about the cube.",
        "anyOf": [STEPS_SCHEMA, STEP_SCHEMA, MOVE_SCHEMA],
    },
    move_fields={"becameKing": {"const": False, "description": "There are no kings."}},
    events={},
    board_options={"cube": CUBE_SCHEMA, "match": MATCH_SCHEMA},
    move_options={"ended": ENDED_SCHEMA},
    result_options={"stake": STAKE_SCHEMA, "match": MATCH_SCHEMA},
    target=TO_SCHEMA,
)


class Midway(NamedTuple):
    """A turn after some of its steps: the mover's men and the dice left."""

    low: int
    high: int
    dice: tuple[int, ...]


class Wanted(NamedTuple):
    """A man's point and its destination, both as the mover counts; None for any place."""

    source: int
    goal: int | None


class BackgammonRoomCodec:
    colors: Final = COLORS
    schemas: Final = SCHEMAS

    def __init__(self, rules: Backgammon) -> None:
        self._rules = rules

    def board(self, position: Position) -> dict[str, Any]:
        white, black = _counts(position.white), _counts(position.black)
        fields = {
            "board": [0, *map(sub, white[1:25], black[24:0:-1])],
            "bar": {"white": white[BAR], "black": black[BAR]},
            "off": {"white": white[OFF], "black": black[OFF]},
            "dice": list(_dice(position)),
            "pipCounts": {"white": _pips(white), "black": _pips(black)},
        }
        if position.cube is not None:
            fields["cube"] = self._cube(position, position.cube)
        if position.match is not None:
            fields["match"] = _match(position.match)
        return fields

    def _cube(self, position: Position, cube: Cube) -> dict[str, Any]:
        is_open = cube.stage in (Stage.DOUBLED, Stage.BEAVERED)
        decider = self._rules.turn(position).player
        is_due = decider is not None and not position.dice
        return {
            "value": cube.value,
            "owner": None if cube.owner is None else COLORS[cube.owner],
            "offered": cube.offered if is_open else None,
            "offeredTo": COLORS[decider] if is_open and decider is not None else None,
            "actions": [move.value for move in self._rules.moves(position) if isinstance(move, CubeAction)]
            if is_due
            else [],
            "jacoby": cube.has_jacoby,
            "beavers": cube.has_beavers,
        }

    def packed_board(self, position: Position) -> dict[str, Any]:
        return self.board(position)

    def move(self, position: Position, move: Play | CubeAction | Resignation) -> dict[str, Any]:
        if isinstance(move, CubeAction):
            return {"moves": [], "cube": move.value}
        if isinstance(move, Resignation):
            return {"moves": [], "resign": {"color": COLORS[move.player], "points": move.win}}
        return {"moves": write_steps(position, move.steps)}

    def parse_move(self, position: Position, payload: object) -> Play | CubeAction:
        if not isinstance(payload, dict):
            raise MalformedMove("a move is an object with moves")
        if "cube" in payload:
            if payload.get("moves"):
                raise MalformedMove("a decision about the cube has no steps: send moves or cube")
            return self.find_cube_action(position, payload["cube"])
        return self.find_play(position, _parse_steps(payload.get("moves"), "moves", position))

    def find_cube_action(self, position: Position, word: object) -> CubeAction:
        if not isinstance(word, str) or word not in CUBE_WORDS:
            raise MalformedMove(f"cube must be one of {', '.join(CUBE_WORDS)}")
        self._rules.notation.read_move(position, word)  # says why it is not legal
        return CubeAction(word)

    def find_play(self, position: Position, steps: tuple[Step, ...]) -> Play:
        """The legal play that these steps make, in whatever order."""
        self._require_play_turn(position)
        play = Play(steps)
        if play in self._rules.moves(position):
            return play
        found = self._rules.resolve(position, steps)
        if not found:
            raise IllegalMove(self._why(position, steps))
        if len(found) > 1:
            raise AmbiguousMove("these steps could be several plays; give one for each die")
        return found[0]

    def moves_from(self, position: Position, place: object = None, so_far: object = None) -> list[Any]:
        """Whole plays or, given a place or the steps made so far, the steps that can come next; nothing to pass."""
        point = None if place is None else _parse_place(place, "bar", "position", position)
        steps = None if so_far is None else _parse_steps(so_far, "soFar", position)
        if self._rules.turn(position).player is None:
            return []
        if not position.dice:
            is_asked = point is None and steps is None
            return [self.move(position, move) for move in self.legal_moves(position)] if is_asked else []
        if point is None and steps is None:
            return [write_steps(position, play.steps) for play in self._plays(position) if play.steps]
        nexts = _next_steps(position, steps or ())
        return write_steps(position, [step for step in nexts if point in (None, step.source)])

    def refusal(
        self, position: Position, place: object, target: object = None, so_far: object = None
    ) -> Refusal | None:
        source = _parse_place(place, "bar", "position", position)
        goal = None if target is None else _parse_place(target, "off", "target", position)
        if self._rules.turn(position).player is None:
            return Refusal("not_your_turn")
        if not position.dice:
            return Refusal("cube_first")
        steps = _parse_steps([] if so_far is None else so_far, "soFar", position)
        nexts = _next_steps(position, steps)
        if any(step.source == source and goal in (None, step.target) for step in nexts):
            return None
        reason = _reason(position, _midways(position, steps), Wanted(source, goal), nexts)
        named = names(position)
        if reason == "unreachable":
            return Refusal(reason, tuple(named[step.target] for step in nexts if step.source == source))
        return Refusal(reason, tuple(dict.fromkeys(named[step.source] for step in nexts)))

    def move_fields(self, before: Position, move: Any, after: Position) -> dict[str, Any]:
        """A field that the contract has in both games."""
        return {"becameKing": False}

    def ended(self, before: Position, move: Any, after: Position) -> dict[str, Any] | None:
        outcome = game_ended(before, move, after)
        if outcome is None or outcome.winner is None or after.match is None:
            return None
        return {
            "winner": COLORS[outcome.winner],
            "points": outcome.points,
            "stake": outcome.stake,
            "kind": ABOUT.win(outcome.win),
            "reason": str(outcome.reason),
            "score": _score(after.match),
        }

    def events(self, before: Position, move: Any, after: Position) -> Iterator[tuple[str, dict[str, Any]]]:
        if isinstance(move, CubeAction) and move is not CubeAction.NO_DOUBLE and before.cube is not None:
            value = after.cube.offered if move in (CubeAction.DOUBLE, CubeAction.BEAVER) and after.cube else None
            yield move.value, {"value": value or before.cube.offered}
        if (ended := self.ended(before, move, after)) is not None:
            yield "game_ended", ended

    def legal_moves(self, position: Position) -> list[Play | CubeAction]:
        return [move for move in self._rules.moves(position) if isinstance(move, Play | CubeAction)]

    def _plays(self, position: Position) -> list[Play]:
        return [move for move in self._rules.moves(position) if isinstance(move, Play)]

    def _require_play_turn(self, position: Position) -> None:
        match self._rules.turn(position):
            case Turn.OVER:
                raise IllegalMove("the game is over")
            case Turn.DICE:
                raise IllegalMove("the dice must be rolled first")
        if not position.dice:
            actions = [move.value for move in self._rules.moves(position) if isinstance(move, CubeAction)]
            raise IllegalMove(f"decide about the cube first: {', '.join(actions)}")

    def _why(self, position: Position, steps: tuple[Step, ...]) -> str:
        """Why these steps are not a legal play."""
        needed = len(self._plays(position)[0].steps)
        if not needed:
            return "no man can move"
        if problem := _obstacle(position, steps):
            return problem
        if _midways(position, steps):
            return f"{needed} steps must be played"
        higher, lower = max(position.dice), min(position.dice)
        if needed == 1 and steps[0].source - steps[0].target == lower:
            return "the higher die must be played"
        return f"this does not use the dice {higher} and {lower} as required"


def _match(match: Match) -> dict[str, Any]:
    layout = {} if match.layout == "standard" else {"layout": match.layout}
    return {"length": match.length, "score": _score(match), "isCrawford": match.is_crawford, **layout}


def _score(match: Match) -> dict[str, int]:
    return {"white": match.white, "black": match.black}


def _counts(men: Men) -> list[int]:
    """`Men.counts`, but several times faster: visits only occupied places."""
    low, high = men
    counts = [0] * 26
    places = kernel.occupied(low, high)
    while places:
        length = places.bit_length()
        counts[26 - length] = kernel.men_on(low, high, length - 1)
        places ^= 1 << length - 1
    return counts


def _pips(counts: list[int]) -> int:
    return sum(point * count for point, count in enumerate(counts))


def _dice(position: Position) -> tuple[int, ...]:
    """The dice to play, four for a double."""
    dice = tuple(sorted(position.dice, reverse=True))
    return dice * 2 if len(set(dice)) == 1 else dice


def _parse_steps(value: object, name: str, position: Position) -> tuple[Step, ...]:
    if not isinstance(value, list) or len(value) > MOST_STEPS:
        raise MalformedMove(f"{name} must be a list of at most {MOST_STEPS} steps")
    return tuple(_parse_step(item, name, position) for item in value)


def _parse_step(value: object, name: str, position: Position) -> Step:
    if not isinstance(value, dict):
        raise MalformedMove(f"each of {name} must be an object with from and to")
    source = _parse_place(value.get("from"), "bar", "from", position)
    return Step(source, _parse_place(value.get("to"), "off", "to", position))


def _parse_place(value: Any, word: str, name: str, position: Position) -> int:
    if not is_place(value, word):
        raise MalformedMove(f'{name} must be {RANGE} or "{word}"')
    return own_point(position, value)


def _next_steps(position: Position, steps: tuple[Step, ...]) -> list[Step]:
    """The steps that can follow these in a legal play; none if the play is complete."""
    midways = _midways(position, steps)
    if not midways:
        raise IllegalMove("soFar does not begin a legal play")
    blocked = kernel.blocked_by(*position.other)
    return list(dict.fromkeys(step for midway in midways for step, _ in _ways_on(midway, blocked)))


def _midways(position: Position, steps: tuple[Step, ...]) -> list[Midway]:
    """Where these steps can lead; there are two ways if either die bears a man off."""
    blocked = kernel.blocked_by(*position.other)
    midways = [Midway(*position.own, _dice(position))]
    for made in steps:
        midways = [after for midway in midways for step, after in _ways_on(midway, blocked) if step == made]
    return midways


def _ways_on(midway: Midway, blocked: int) -> Iterator[tuple[Step, Midway]]:
    """The steps that continue a legal play, and what they lead to."""
    low, high, dice = midway
    for die, places in _open_places(midway, blocked):
        left = dice[1:] if die == dice[0] else dice[:1]
        while places:
            place = (places & -places).bit_length() - 1
            places &= places - 1
            after_low, after_high, _ = kernel.step(low, high, 0, place, die)
            yield Step(25 - place, max(25 - place - die, OFF)), Midway(after_low, after_high, left)


def _open_places(midway: Midway, blocked: int) -> Iterable[tuple[int, int]]:
    """The places to continue from, for each die."""
    low, high, dice = midway
    if len(set(dice)) == 2:
        return zip(dice, kernel.first_steps(low, high, blocked, *dice), strict=True)
    return [(die, kernel.sources(low, high, blocked, die)) for die in dice[:1]]


def _reason(position: Position, midways: list[Midway], wanted: Wanted, nexts: list[Step]) -> str:
    """Why a man can't be moved from this point or, if one is given, to that one."""
    source, goal = wanted
    counts = _counts(Men(midways[0].low, midways[0].high))
    if not counts[source]:
        return "not_yours" if 0 < source < BAR and position.other.on(25 - source) else "empty"
    if not nexts:
        return "complete"
    if counts[BAR] and source != BAR:
        return "enter_first"
    dice = sorted({die for midway in midways for die in midway.dice if goal in (None, max(source - die, OFF))})
    if not dice:
        return "unreachable"
    blocked = kernel.blocked_by(*position.other)
    low, high, left = midways[0]
    if any(kernel.sources(low, high, blocked, die) >> 25 - source & 1 for die in dice):  # but it begins no legal play
        return "higher_die" if _is_one_die_played(position) and dice[0] == min(left) else "both_dice"
    if all(source - die <= OFF for die in dice):
        return "not_home" if any(counts[7:]) else "farther_back"
    return "blocked"


def _is_one_die_played(position: Position) -> bool:
    """Whether either die can be played, but not both."""
    blocked = kernel.blocked_by(*position.other)
    start = Midway(*position.own, _dice(position))
    return not any(True for _, after in _ways_on(start, blocked) for _ in _ways_on(after, blocked))


def _obstacle(position: Position, steps: tuple[Step, ...]) -> str:
    """The obstacle on the board to these steps; empty if there is none."""
    named, counts = names(position), _counts(position.own)
    for source, target in steps:
        if not counts[source]:
            return f"you have no man on {'the bar' if source == BAR else named[source]}"
        if counts[BAR] and source != BAR:
            return "men on the bar must enter first"
        if source <= target:
            return f"your men move from {named[24]} to {named[1]}"
        if target != OFF and position.other.on(25 - target) > 1:
            return f"the other side holds {named[target]}"
        counts[source] -= 1
        counts[target] += 1
        if target == OFF and any(counts[7:]):
            return "men can be borne off only when all are home"
    return ""
