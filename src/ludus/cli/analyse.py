"""`ludus analyse`: the strongest engine's opinion of a position, or of every decision in a game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from ludus.cli.annotated import (
    PLAY_ON,
    Json,
    continuation,
    cube_lines,
    cube_to_json,
    line_to_json,
    move_to_json,
    name_of,
    rows,
    text_of,
    to_json,
    window_to_json,
)
from ludus.cli.replay import SkipBadOption, open_file, read_game, result
from ludus.cli.terminal import GameOption, counted, drawn, output
from ludus.core.errors import BadInput, LudusError
from ludus.core.game import Game
from ludus.core.rules import Player, Rules, Turn
from ludus.engines import Limit, Line, adapter, analyst
from ludus.engines.review import MoveReview, assess, review, summary, turns
from ludus.engines.statistics import statistics
from ludus.engines.study import CubeEquities, CubeWindow, MoveKind, Study
from ludus.games import ABOUT, GAMES

FIRST_SEARCH: Final = "thinking (the first time, the engine is compiled, which takes a while)"
BARS: Final = "▁▂▃▄▅▆▇█"
GRAPH_WIDTH: Final = 60
CUBELESS: Final = "read as a position without a doubling cube; --cube adds one"
LINES: Final = 5
"""How many moves are shown for a position."""
WINDOW_LABELS: Final = (
    "take point",
    "take point, dead cube",
    "take point, live cube",
    "doubling point",
    "cash point",
    "too good from",
    "market losers, rolls",
    "market losers, with a reply",
)


def analyse(
    what: Annotated[
        str,
        typer.Argument(
            metavar="FILE|POSITION",
            help="A game file (PDN, MAT) or a position (FEN, XGID, GNU ID).",
            show_default=False,
        ),
    ],
    number: Annotated[int | None, typer.Option("--number", "-n", min=1, help="Which game in the file.")] = None,
    game: GameOption = None,
    lines: Annotated[int | None, typer.Option(min=1, max=50, help="How many moves to show for a position.")] = None,
    seconds: Annotated[float | None, typer.Option(min=0.01, max=3600, help="Time for each decision.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, max=10**12, help="Positions searched for each decision.")] = None,
    depth: Annotated[int | None, typer.Option(min=0, max=60, help="Moves, or rolls, to look ahead.")] = None,
    annotate: Annotated[
        bool, typer.Option("--annotate", help="Print every move of a game with its candidates, luck and figures.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    skip_bad: SkipBadOption = False,
    cube: Annotated[
        bool | None,
        typer.Option("--cube/--no-cube", help="Whether a position has a cube; by default, if its text says so."),
    ] = None,
) -> None:
    """Show the best moves of a position, or the mistakes of a game and what they cost."""
    asked = Limit(seconds, nodes, depth)
    if is_file(what):
        if cube is not None:
            raise BadInput("--cube is for a position; a file says whether its games have one")
        if lines is not None:
            raise BadInput("--lines is for a position; for a game every mistake is shown")
        record = read_game(open_file(Path(what), game), number or 1, skip_bad=skip_bad)
        limit = _limit(asked, record.rules.name)
        if _is_position(record) and not annotate:
            remark = "" if as_json else _cubeless(record.rules, record.start)
            _analyse_position(record.rules, record.start, limit, LINES, as_json, remark)
        else:
            _analyse_game(record, limit, annotate, as_json)
    else:
        rules, position = read_position(what, game)
        if number is not None:
            raise BadInput("--number is for a file of games; this is one position")
        if annotate:
            raise BadInput("--annotate is for a file of games; this is one position")
        if cube is not None:
            position = _with_cube(rules, position, cube)
        remark = "" if cube is not None or as_json else _cubeless(rules, position)
        _analyse_position(rules, position, _limit(asked, rules.name), lines or LINES, as_json, remark)


def _limit(asked: Limit, game: str) -> Limit:
    return adapter(game).default_limit if asked == Limit() else asked


def is_file(text: str) -> bool:
    """Whether it is anything but a folder; a shell's `<(…)` counts too."""
    try:
        return Path(text).exists() and not Path(text).is_dir()
    except OSError:  # the name is too long
        return False


def read_position(text: str, game: str | None) -> tuple[Rules[Any, Any], Any]:
    """The position, of the given game or one whose notation can read the text. A known prefix keeps the error short."""
    problems = []
    prefixed = (name for name in GAMES if text.upper().startswith(ABOUT[name].position_prefixes))
    game = game or next(prefixed, None)
    for rules in [GAMES[game]] if game else GAMES.values():
        try:
            return rules, rules.notation.read_position(text)
        except LudusError as error:
            problems.append(str(error))
    raise BadInput(f"there is no file {text}, and it is not a position: {'; '.join(problems)}")


def _is_position(record: Game[Any, Any]) -> bool:
    """Whether a record is another program's export of a single position."""
    return not record.moves and record.variant is None and record.outcome is None


def _with_cube(rules: Rules[Any, Any], position: Any, has_cube: bool) -> Any:
    study = adapter(rules.name).study
    if study is None:
        raise BadInput("--cube is for games with a doubling cube")
    return study.with_cube(position, has_cube)


def _cubeless(rules: Rules[Any, Any], position: Any) -> str:
    """A remark for users who may expect a decision about the cube."""
    study = adapter(rules.name).study
    return CUBELESS if study is not None and study.is_cubeless(position) else ""


def _analyse_position(
    rules: Rules[Any, Any], position: Any, limit: Limit, lines: int, as_json: bool, remark: str
) -> None:
    if rules.turn(position) is Turn.OVER:
        raise BadInput("the game is over in this position")
    found, study = _think(rules, position, limit, lines), adapter(rules.name).study
    if as_json:
        shown: Json = {"lines": [line_to_json(rules, position, line) for line in found]}
        typer.echo(json.dumps(shown | (_studied(rules, study, position, limit) if study else {}), indent=1))
        return
    typer.echo(drawn(rules.board(position)))
    if remark:
        typer.echo(remark)
    _print_lines(rules, position, found)
    if study is None:
        return
    for remark in study.remarks(position):
        typer.echo(remark)
    if (cube := _cube(rules, study, position, limit)) is not None:
        _print_cube(cube, study.window(position, cube))


def _cube(rules: Rules[Any, Any], study: Study, position: Any, limit: Limit) -> CubeEquities | None:
    """The cube equities, if there is a decision to make about the cube."""
    return None if rules.turn(position) is Turn.DICE else study.cube(position, limit)


def _studied(rules: Rules[Any, Any], study: Study, position: Any, limit: Limit) -> Json:
    cube = _cube(rules, study, position, limit)
    counts = zip(rules.players, study.effective_pips(position), strict=True)
    return {
        "cube": None if cube is None else cube_to_json(cube),
        "window": None if cube is None else window_to_json(study.window(position, cube)),
        "effective_pips": {name: round(count, 4) for name, count in counts if count is not None},
    }


def _print_cube(cube: CubeEquities, window: CubeWindow) -> None:
    from rich.table import Table

    for line in cube_lines(cube):
        typer.echo(line.strip())
    table = Table(box=None, pad_edge=False, show_header=False)
    for label, value in zip(WINDOW_LABELS, window, strict=True):
        if value is not None:
            table.add_row(label, f"{value:.1%}")
    output().print(table)


def _think(rules: Rules[Any, Any], position: Any, limit: Limit, lines: int) -> tuple[Line[Any], ...]:
    from rich.console import Console

    with Console(stderr=True).status(FIRST_SEARCH):
        if rules.turn(position) is Turn.DICE:
            prospects = adapter(rules.name).prospects
            if prospects is None:
                raise BadInput("the dice have to be rolled first")
            return (prospects(position, limit),)
        engine = analyst(rules.name)
        engine.analyse(rules, position, Limit(depth=1), (), 1)  # load it before the clock starts
        return engine.analyse(rules, position, limit, (), lines)


def _print_lines(rules: Rules[Any, Any], position: Any, lines: tuple[Line[Any], ...]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for head in (
        "before the roll" if lines[0].move is None else "move",
        "points",
        "depth",
        "continuation" if not lines[0].chances else f"{' / '.join(('win', *ABOUT[rules.name].wins[1:]))}, then lost",
    ):
        table.add_column(head, justify="right" if head in ("points", "depth") else "left")
    for line in lines:
        value = f"{line.value:+.3f}{'!' if line.is_exact else ' '}"
        more = " ".join(f"{chance:.1%}" for chance in line.chances) or " ".join(continuation(rules, position, line)[1:])
        table.add_row(_move(rules, position, line) or "", value, str(line.depth), more)
    output().print(table)
    if any(line.is_exact for line in lines):
        typer.echo("! means proven, not estimated")


def _move(rules: Rules[Any, Any], position: Any, line: Line[Any]) -> str | None:
    """The text of a line's move; None before the roll."""
    return None if line.move is None else rules.notation.write_move(position, line.move)


def _analyse_game(record: Game[Any, Any], limit: Limit, annotate: bool, as_json: bool) -> None:
    reviews = _reviews(record, limit)
    if as_json:
        found = to_json(record, reviews) if annotate else [move_to_json(record, each) for each in reviews]
        typer.echo(json.dumps(found, indent=1))
        return
    if not reviews:
        typer.echo("No move was made in this game.")
        return
    if annotate:
        for line in text_of(record, reviews):
            typer.echo(line)
    else:
        _print_mistakes(record, reviews)
    typer.echo(f"\n{name_of(record, Player.FIRST)}'s prospects  {graph(reviews)}")
    _print_summary(record, reviews)
    typer.echo(result(record))


def _reviews(record: Game[Any, Any], limit: Limit) -> list[MoveReview]:
    from rich.console import Console
    from rich.progress import track

    engine, rules, console = analyst(record.rules.name), record.rules, Console(stderr=True)
    found = review(record, lambda position, *rest: assess(rules, position, limit, *rest))
    plies = turns(record)
    with console.status(FIRST_SEARCH):
        for ply in plies[-1:]:  # where the review starts; load the engine before the clock starts
            engine.analyse(rules, record.position_at(ply), Limit(depth=1), (), 1)
    done = track(found, "thinking", len(plies), console=console, transient=True, disable=not console.is_terminal)
    return list(done)[::-1]


def _print_mistakes(record: Game[Any, Any], reviews: list[MoveReview]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for head in ("ply", "player", "played", "", "cost", "better", "points"):
        table.add_column(head, justify="right" if head in ("ply", "cost", "points") else "left")
    for row in (move_to_json(record, each) for each in reviews):
        if row["mark"]:
            best = row["best"]
            better = PLAY_ON if row.get("kind") == MoveKind.RESIGNATION else best["move"]
            cells = (str(row["ply"]), row["player"], row["played"], row["mark"], f"{row['cost']:.3f}", better)
            table.add_row(*cells, f"{best['value']:+.3f}")
    if table.row_count:
        output().print(table)
    else:
        typer.echo("No doubtful move.")


def graph(reviews: list[MoveReview]) -> str:
    """The first player's prospects over the game, as one bar for every move or every few moves.

    The scale ends at one point, since with room for greater wins most games would be a flat line.
    """
    values = [each.value if each.player is Player.FIRST else -each.value for each in reviews]
    step = max(1, -(-len(values) // GRAPH_WIDTH))
    groups = [values[start : start + step] for start in range(0, len(values), step)]
    return "".join(BARS[_height(sum(group) / len(group))] for group in groups)


def _height(value: float) -> int:
    """`value` is cut off at -1 and 1."""
    return max(0, min(len(BARS) - 1, int((value + 1) / 2 * len(BARS))))


def _print_summary(record: Game[Any, Any], reviews: list[MoveReview]) -> None:
    from rich.table import Table

    for player in Player:
        found = summary(record.rules.name, reviews, player)
        typer.echo(
            f"{name_of(record, player)}: {found.rate * 1000:.1f} thousandths of a point lost on average in"
            f" {counted(found.decisions, 'decision')}; {found.doubtful} doubtful, {counted(found.mistakes, 'mistake')},"
            f" {counted(found.blunders, 'blunder')}"
        )
    if (both := statistics(record, reviews)) is not None:
        table = Table(box=None, pad_edge=False, show_header=False)
        for row in rows(record, both):
            table.add_row(*row)
        output().print(table)
