"""`ludus analyse`: what the strongest engine thinks of a position, or of every decision of a game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ludus.cli.replay import read_game, result, rules_for
from ludus.cli.terminal import GameOption, counted, has_colour
from ludus.core.errors import BadInput, LudusError
from ludus.core.game import Game
from ludus.core.rules import Player, Rules, Turn
from ludus.engines import Limit, Line, analyst
from ludus.games import GAMES

if TYPE_CHECKING:
    from ludus.engines.review import Verdict

OWN_LIMITS: Final = {"checkers": Limit(seconds=0.5), "backgammon": Limit(depth=2)}
"""Where nobody names one; all there is at backgammon takes less than that, and then depends on no clock."""
FIRST_THOUGHT = "thinking (the first time the engine is compiled, which takes a while)"
BARS = "▁▂▃▄▅▆▇█"
WIDEST = 60
LINES: Final = 5
"""Moves of a position that are shown."""
BEGINNINGS: Final = {"B:": "checkers", "W:": "checkers", "XGID": "backgammon"}
"""Of positions' texts: what is wrong with one is told in its own game's words alone."""


def analyse(
    what: Annotated[
        str,
        typer.Argument(
            metavar="FILE|POSITION", help="A PDN or MAT file, a FEN, an XGID or a GNU ID.", show_default=False
        ),
    ],
    number: Annotated[int | None, typer.Option("--number", "-n", min=1, help="Which game of the file.")] = None,
    game: GameOption = None,
    lines: Annotated[int | None, typer.Option(min=1, max=50, help="How many moves of a position.")] = None,
    seconds: Annotated[float | None, typer.Option(min=0.01, max=3600, help="Time for a decision.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, max=10**12, help="Positions looked at for a decision.")] = None,
    depth: Annotated[int | None, typer.Option(min=0, max=60, help="Moves, or rolls, looked ahead.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the best moves of a position, or the mistakes of a game and what they cost."""
    asked = Limit(seconds, nodes, depth)
    if is_file(what):
        if lines is not None:
            raise BadInput("--lines is for a position; of a game each mistake is shown")
        record = read_game(GAMES[game] if game else rules_for(Path(what)), Path(what), number or 1)
        _analyse_game(record, _limit(asked, record.rules.name), as_json)
    else:
        rules, position = read_position(what, game)
        if number is not None:
            raise BadInput("--number is for a file of games; this is one position")
        _analyse_position(rules, position, _limit(asked, rules.name), lines or LINES, as_json)


def _limit(asked: Limit, game: str) -> Limit:
    return OWN_LIMITS[game] if asked == Limit() else asked


def is_file(text: str) -> bool:
    """Of any kind but a folder: what a shell makes of `<(…)` is one too."""
    try:
        return Path(text).exists() and not Path(text).is_dir()
    except OSError:  # a name longer than names can be
        return False


def read_position(text: str, game: str | None) -> tuple[Rules[Any, Any], Any]:
    """The game is the one whose notation reads the text, if nobody says which."""
    problems = []
    game = game or next((name for start, name in BEGINNINGS.items() if text.upper().startswith(start)), None)
    for rules in [GAMES[game]] if game else GAMES.values():
        try:
            return rules, rules.notation.read_position(text)
        except LudusError as error:
            problems.append(str(error))
    raise BadInput(f"there is no file {text}, and it is no position: {'; '.join(problems)}")


def _analyse_position(rules: Rules[Any, Any], position: Any, limit: Limit, lines: int, as_json: bool) -> None:
    turn = rules.turn(position)
    if turn is Turn.OVER:
        raise BadInput("the game is over in this position")
    if turn is Turn.DICE and position.mover is None:
        raise BadInput("it is nobody's turn before the opening roll; say whose: 1 or -1 in an XGID")
    found = _think(rules, position, limit, lines)
    if as_json:
        typer.echo(json.dumps([shown(rules, position, line) for line in found], indent=1))
        return
    typer.echo(rules.board(position).text(colour=has_colour()))
    _print_lines(rules, position, found)


def _think(rules: Rules[Any, Any], position: Any, limit: Limit, lines: int) -> tuple[Line[Any], ...]:
    from rich.console import Console

    with Console(stderr=True).status(FIRST_THOUGHT):
        if rules.turn(position) is Turn.DICE:
            from ludus.engines.backgammon.player import BackgammonPlayer

            return (BackgammonPlayer().prospects(position, limit),)
        engine = analyst(rules.name)
        engine.analyse(rules, position, Limit(depth=1), (), 1)  # it is loaded by then, off the clock
        return engine.analyse(rules, position, limit, (), lines)


def _print_lines(rules: Rules[Any, Any], position: Any, lines: tuple[Line[Any], ...]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for head in (
        "before the roll" if lines[0].move is None else "move",
        "points",
        "depth",
        "goes on" if not lines[0].chances else "win / gammon / backgammon, then lost",
    ):
        table.add_column(head, justify="right" if head in ("points", "depth") else "left")
    for line in lines:
        value = f"{line.value:+.3f}{'!' if line.is_exact else ' '}"
        more = " ".join(f"{chance:.1%}" for chance in line.chances) or _continuation(rules, position, line)
        table.add_row(_move(rules, position, line) or "", value, str(line.depth), more)
    Console(emoji=False).print(table)
    if any(line.is_exact for line in lines):
        typer.echo("! is proven, not estimated")


def _move(rules: Rules[Any, Any], position: Any, line: Line[Any]) -> str | None:
    """The text of a line's move; before the roll it has none."""
    return None if line.move is None else rules.notation.write_move(position, line.move)


def _continuation(rules: Rules[Any, Any], position: Any, line: Line[Any]) -> str:
    return " ".join(_texts(rules, position, line)[1:])


def _texts(rules: Rules[Any, Any], position: Any, line: Line[Any]) -> list[str]:
    texts = []
    for move in line.moves:
        texts.append(rules.notation.write_move(position, move))
        position = rules.play(position, move)
    return texts


def shown(rules: Rules[Any, Any], position: Any, line: Line[Any]) -> dict[str, Any]:
    found = {"move": _move(rules, position, line), "value": round(line.value, 4), "exact": line.is_exact}
    found |= {"depth": line.depth, "nodes": line.nodes}
    if line.chances:
        return found | {"chances": [round(chance, 4) for chance in line.chances]}
    return found | {"moves": _texts(rules, position, line)}


def _analyse_game(record: Game[Any, Any], limit: Limit, as_json: bool) -> None:
    verdicts = _verdicts(record, limit)
    if as_json:
        typer.echo(json.dumps([_as_data(record, verdict) for verdict in verdicts], indent=1))
        return
    if not verdicts:
        typer.echo("No move was made in this game.")
        return
    _print_mistakes(record, verdicts)
    typer.echo(f"\n{_name(record, Player.FIRST)}'s prospects  {graph(verdicts)}")
    _print_summary(record, verdicts)
    typer.echo(result(record))


def _verdicts(record: Game[Any, Any], limit: Limit) -> list[Verdict]:
    from rich.console import Console
    from rich.progress import track

    from ludus.engines.review import review, turns

    engine, rules, console = analyst(record.rules.name), record.rules, Console(stderr=True)
    found = review(record, lambda position, past, lines: engine.analyse(rules, position, limit, past, lines))
    plies = turns(record)
    with console.status(FIRST_THOUGHT):
        for ply in plies[-1:]:  # with which the review begins: the engine is loaded by then, off the clock
            engine.analyse(rules, record.position_at(ply), Limit(depth=1), (), 1)
    done = track(found, "thinking", len(plies), console=console, transient=True, disable=not console.is_terminal)
    return list(done)[::-1]


def _as_data(record: Game[Any, Any], verdict: Verdict) -> dict[str, Any]:
    from ludus.engines.review import sign

    rules, position = record.rules, record.position_at(verdict.ply)
    return {
        "ply": verdict.ply,
        "player": rules.players[verdict.player],
        "played": rules.notation.write_move(position, verdict.played),
        "value": round(verdict.value, 4),
        "cost": round(verdict.cost, 4),
        "mark": sign(rules.name, verdict.cost),
        "best": shown(rules, position, verdict.best),
    }


def _print_mistakes(record: Game[Any, Any], verdicts: list[Verdict]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for head in ("ply", "player", "played", "", "cost", "better", "points"):
        table.add_column(head, justify="right" if head in ("ply", "cost", "points") else "left")
    for row in (_as_data(record, verdict) for verdict in verdicts):
        if row["mark"]:
            best = row["best"]
            cells = (str(row["ply"]), row["player"], row["played"], row["mark"], f"{row['cost']:.3f}", best["move"])
            table.add_row(*cells, f"{best['value']:+.3f}")
    if table.row_count:
        Console(emoji=False).print(table)
    else:
        typer.echo("No doubtful move.")


def graph(verdicts: list[Verdict]) -> str:
    """What the game was worth to the first player, a bar for each move or for a few of them.

    A game won is as high as it goes: on a scale with room for backgammons most games would be a flat line.
    """
    values = [verdict.value if verdict.player is Player.FIRST else -verdict.value for verdict in verdicts]
    step = max(1, -(-len(values) // WIDEST))
    groups = [values[start : start + step] for start in range(0, len(values), step)]
    return "".join(BARS[_height(sum(group) / len(group))] for group in groups)


def _height(share: float) -> int:
    """Of a value from -1 to 1, or beyond."""
    return max(0, min(len(BARS) - 1, int((share + 1) / 2 * len(BARS))))


def _name(record: Game[Any, Any], player: Player) -> str:
    """As the file has it, with the colour; or the colour alone."""
    colour = record.rules.players[player]
    name = record.tags.get(colour.capitalize())
    return colour if name in (None, "", "?") else f"{name} ({colour})"


def _print_summary(record: Game[Any, Any], verdicts: list[Verdict]) -> None:
    from ludus.engines.review import summary

    for player in Player:
        told = summary(record.rules.name, verdicts, player)
        typer.echo(
            f"{_name(record, player)}: {told.rate * 1000:.1f} thousandths of a point given away on average in"
            f" {counted(told.decisions, 'decision')}; {told.doubtful} doubtful, {counted(told.mistakes, 'mistake')},"
            f" {counted(told.blunders, 'blunder')}"
        )
