"""A reviewed game as text for people, and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ludus.cli.terminal import counted
from ludus.core.game import Game
from ludus.core.rules import Player, Rules
from ludus.engines import Line, adapter
from ludus.engines.review import MoveReview, Summary, glyph, rolled
from ludus.engines.statistics import Statistics, luck_mark, statistics
from ludus.engines.study import CubeEquities, CubeWindow, MoveKind, Part

Json = dict[str, Any]

INDENT: Final = "      "
PLAY_ON: Final = "play on"
"""The better choice when a resignation was wrong."""
ACTIONS: Final = {
    "no_double": "no double, take",
    "too_good": "too good to double, pass",
    "double_take": "double, take",
    "double_pass": "double, pass",
    "no_double_beaver": "no double, beaver",
    "double_beaver": "double, beaver",
}


def name_of(record: Game[Any, Any], player: Player) -> str:
    """The name in the file with the colour, or the colour alone."""
    colour = record.rules.players[player]
    name = record.tags.get(colour.capitalize())
    return colour if name in (None, "", "?") else f"{name} ({colour})"


def text_of(record: Game[Any, Any], reviews: Sequence[MoveReview]) -> Iterator[str]:
    """Every move with what could have been played instead; reviews are in the order of the game."""
    parts = parts_of(record)
    for number, part in enumerate(parts, start=1):
        if len(parts) > 1:
            yield f"Game {number}: {_score(record, part)}"
            yield ""
        own = [each for each in reviews if part.first_ply <= each.ply < part.end_ply or _is_end(record, each, part)]
        for move, each in enumerate(own, start=1):
            yield from _move(record, each, move)
            yield ""


def parts_of(record: Game[Any, Any]) -> list[Part]:
    study = adapter(record.rules.name).study
    return [Part(0, record.length, (0, 0), None, 0, "")] if study is None else study.parts(record)


def _is_end(record: Game[Any, Any], review: MoveReview, part: Part) -> bool:
    return review.ply == record.length == part.end_ply


def _score(record: Game[Any, Any], part: Part) -> str:
    return ", ".join(f"{name_of(record, player)} {part.score[player]}" for player in Player)


def _move(record: Game[Any, Any], review: MoveReview, number: int) -> Iterator[str]:
    rules, position = record.rules, record.position_at(review.ply)
    roll = rolled(record, review.ply)
    dice = "" if roll is None else f" {rules.notation.write_move(*roll)}:"
    played = "not played" if review.played is None else rules.notation.write_move(position, review.played)
    mark = "" if review.is_forced else glyph(rules.name, review.cost)
    loss = f" {-review.cost:.3f}" if mark else ""
    luck = "" if review.luck is None else f"   luck {review.luck:+.3f}{_words(luck_mark(review.luck))}"
    yield f"{number:3}. {name_of(record, review.player)}{dice} {played}{mark}{loss}{luck}"
    yield f"{INDENT}{rules.notation.write_position(position)}"
    if review.kind is MoveKind.RESIGNATION:
        yield from _resignation_lines(review)
    elif review.cube is not None:
        yield from cube_lines(review.cube)
    elif not review.is_forced:
        yield from _lines(rules, position, review)


def _resignation_lines(review: MoveReview) -> Iterator[str]:
    yield f"{INDENT}{PLAY_ON:<16}{review.best.value:+.3f}  {_percentages(review.best.chances)}".rstrip()
    yield f"{INDENT}{'resign':<16}{review.value:+.3f} ({review.value - review.best.value:+.3f})"


def _words(mark: str | None) -> str:
    return "" if mark is None else f" ({mark.replace('_', ' ')})"


def cube_lines(cube: CubeEquities) -> Iterator[str]:
    yield f"{INDENT}{_percentages(cube.chances)}"
    best = max(cube.no_double, cube.double)
    choices = [("no double", cube.no_double), ("double, take", cube.double_take)]
    choices += [] if cube.double_beaver is None else [("double, beaver", cube.double_beaver)]
    for name, value in choices:
        yield f"{INDENT}{name:<16}{value:+.3f}{'' if value == best else f' ({value - best:+.3f})'}"
    yield f"{INDENT}{'double, pass':<16}{cube.double_pass:+.3f}"
    yield f"{INDENT}right: {ACTIONS[cube.action]}"


def _lines(rules: Rules[Any, Any], position: Any, review: MoveReview) -> Iterator[str]:
    width = max(len(rules.notation.write_move(position, line.move)) for line in review.lines)
    for place, line in enumerate(review.lines, start=1):
        star = "*" if line.move == review.played else " "
        loss = "" if place == 1 else f" ({line.value - review.best.value:+.3f})"
        more = _percentages(line.chances) or " ".join(continuation(rules, position, line)[1:])
        text = rules.notation.write_move(position, line.move)
        yield f"    {star} {place}. {text:<{width}}  {line.value:+.3f}{loss:<9}  {more}".rstrip()


def _percentages(chances: Sequence[float]) -> str:
    """The chances of any win, a gammon and a backgammon, then of the same losses."""
    if not chances:
        return ""
    win, *rest = chances
    shares = [win, *rest[:2], 1 - win, *rest[2:]]
    texts = [f"{share:.1%}" for share in shares]
    return f"{' '.join(texts[: len(shares) // 2])} - {' '.join(texts[len(shares) // 2 :])}"


def continuation(rules: Rules[Any, Any], position: Any, line: Line[Any]) -> list[str]:
    """The moves of a line in notation."""
    texts = []
    for move in line.moves:
        texts.append(rules.notation.write_move(position, move))
        position = rules.play(position, move)
    return texts


def rows(record: Game[Any, Any], found: Sequence[Statistics]) -> Iterator[tuple[str, ...]]:
    """A table of both players' figures."""
    yield "", *(name_of(record, player) for player in Player)
    yield "PR", *(_number(each.pr, "{:.2f}") for each in found)
    yield "rating", *((each.rating or "-").replace("_", " ") for each in found)
    yield "Snowie error rate", *(_number(each.snowie_error_rate, "{:.2f}") for each in found)
    yield "checker error", *(_error(each.checker) for each in found)
    yield "cube error", *(_error(each.cube) for each in found)
    yield "cube errors", *(_cube_errors(each) for each in found)
    yield "luck", *(_number(each.luck, "{:+.3f}") for each in found)
    unit, scale = ("{:+.1f} %", 100) if found[0].is_match else ("{:+.3f}", 1)
    if any(each.result_luck != each.luck for each in found):
        yield "luck in result", *(_number(each.result_luck, unit, scale) for each in found)
    yield "result", *(_number(each.result, unit, scale) for each in found)
    yield "without luck", *(_number(each.luck_adjusted, unit, scale) for each in found)


def _number(value: float | None, form: str, scale: int = 1) -> str:
    return "-" if value is None else form.format(value * scale)


def _error(found: Summary) -> str:
    return f"{found.error:.3f} in {found.decisions}"


def _cube_errors(found: Statistics) -> str:
    errors = [counted(count, error.replace("_", " ")) for error, count in sorted(found.cube_errors.items())]
    return ", ".join(errors) or "-"


def line_to_json(rules: Rules[Any, Any], position: Any, line: Line[Any]) -> Json:
    move = None if line.move is None else rules.notation.write_move(position, line.move)
    found = {"move": move, "value": round(line.value, 4), "exact": line.is_exact}
    found |= {"depth": line.depth, "nodes": line.nodes}
    if line.chances:
        return found | {"chances": [round(chance, 4) for chance in line.chances]}
    return found | {"moves": continuation(rules, position, line)}


def move_to_json(record: Game[Any, Any], review: MoveReview) -> Json:
    rules, position = record.rules, record.position_at(review.ply)
    found: Json = {
        "ply": review.ply,
        "player": rules.players[review.player],
        "played": None if review.played is None else rules.notation.write_move(position, review.played),
        "value": round(review.value, 4),
        "cost": round(review.cost, 4),
        "mark": glyph(rules.name, review.cost),
        "best": line_to_json(rules, position, review.best),
    }
    if adapter(rules.name).study is not None:
        found |= {"kind": str(review.kind), "luck": review.luck, "cube": None}
    if review.cube is not None:
        found["cube"] = cube_to_json(review.cube) | {"error": review.cube_error}
    return found


def cube_to_json(cube: CubeEquities) -> Json:
    """The cube equities as JSON; `double_beaver` is null if beavers are not allowed."""
    found = cube.rounded(4)._asdict() | {"action": cube.action}
    del found["chances"]
    return found


def window_to_json(window: CubeWindow) -> Json:
    return window.rounded(4)._asdict()


def to_json(record: Game[Any, Any], reviews: Sequence[MoveReview]) -> Json:
    """Everything: moves with their candidates, the games of a match, and both players' figures."""
    found = statistics(record, reviews)
    return {
        "moves": [_annotated(record, each) for each in reviews],
        "games": [part._asdict() for part in parts_of(record)],
        "players": None if found is None else [_statistics_to_json(each) for each in found],
    }


def _annotated(record: Game[Any, Any], review: MoveReview) -> Json:
    rules, position = record.rules, record.position_at(review.ply)
    candidates = [line_to_json(rules, position, line) for line in review.lines]
    text = rules.notation.write_position(position)
    decision = {"position": text, "forced": review.is_forced, "decision": review.is_decision}
    return move_to_json(record, review) | decision | {"candidates": candidates}


def _statistics_to_json(found: Statistics) -> Json:
    summaries = {"total": found.total, "checker": found.checker, "cube": found.cube}
    return {
        "pr": found.pr,
        "rating": found.rating,
        "snowie_error_rate": found.snowie_error_rate,
        **{name: each._asdict() for name, each in summaries.items()},
        "cube_errors": dict(found.cube_errors),
        "luck": found.luck,
        "result_luck": found.result_luck,
        "result": found.result,
        "luck_adjusted": found.luck_adjusted,
    }
