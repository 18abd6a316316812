"""Backgammon against GNU Backgammon's networks: `python -m benchmarks.engines.backgammon [PART…] [--games N] …`.

Parts: `games` (the raw network against 0-ply or, with `--plies`, equal lookahead; cubeless money, duplicate dice, also
luck-adjusted), `decisions` (equity lost, with 2-ply as referee, on positions of 0-ply's self-play), `evaluations` and
`moves` (per second, on one core). All by default.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from random import Random
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

from benchmarks.engines.gnubg import Gnubg, board
from benchmarks.report import heading, machine, row
from ludus.core.game import Game
from ludus.core.kernel import compiled
from ludus.core.rules import Player, Turn
from ludus.engines.backgammon.luck import luck
from ludus.engines.backgammon.network import Network
from ludus.engines.backgammon.player import BackgammonPlayer
from ludus.engines.backgammon.tables import bearoff_tables
from ludus.engines.engine import Limit, roll
from ludus.games.backgammon import kernel as plain
from ludus.games.backgammon.position import Play, Position, Roll
from ludus.games.backgammon.rules import Backgammon

Choose = Callable[[Position], Play]
RULES: Final = Backgammon().compiled()
START: Final = RULES.variants["standard"]
REFEREE_PLIES: Final = 2
SAMPLED: Final = 0.25
"""Share of a game's decisions that is used, because neighbouring ones are alike."""
BLUNDER: Final = 0.08
NO_RNG: Final = Random(0)


def ours(depth: int) -> Choose:
    player, limit = BackgammonPlayer(), Limit(depth=depth)
    return lambda position: player.choose(RULES, position, limit, NO_RNG)  # type: ignore[return-value]  # of backgammon, so a play


def raw() -> Choose:
    """The network's favourite, without lookahead or tables."""
    network, kernel = Network.load(), compiled(plain)
    words = np.zeros(plain.MOST_PLAYS * plain.WORDS, np.int64)

    def choose(position: Position) -> Play:
        number = kernel.write_plays(words, 0, *position.own, *position.other, *position.dice)
        return RULES.moves(position)[int(network.equities(words, number).argmax())]  # type: ignore[return-value]  # of backgammon, so a play

    return choose


def games(gnubg: Gnubg, options: argparse.Namespace) -> None:
    """Points a game at equal lookahead, as they fell and less the luck of the rolls.

    Games come in pairs with the same dice and sides swapped; the errors are those of the pairs. Luck is valued one roll
    less far ahead than the players look: whatever values it, it has no bias, and the better ones leave less to chance.
    """
    for plies in options.plies:
        seats = ours(plies) if plies else raw(), partial(gnubg.choose, plies=plies)
        plain, adjusted = [], []
        for pair in range(options.games // 2):
            dice = f"{options.seed} {pair}"
            results = [_result(seats, side, Random(dice), luck_depth=max(plies - 1, 0)) for side in Player]
            plain.append(sum(result.points for result in results) / 2)
            adjusted.append(sum(result.points - result.luck for result in results) / 2)
            if len(plain) % PROGRESS == 0:
                so_far = f"{2 * len(plain):,} games: {_mean(adjusted)} luck-adjusted; {_mean(plain)} as they fell"
                print(so_far, file=sys.stderr, flush=True)
        name = f"{plies} rolls ahead" if plies > 1 else ("raw network", "one roll ahead")[plies]
        result = f"{_mean(adjusted)} points, luck-adjusted; {_mean(plain)} as they fell"
        row(f"{name}, {2 * len(plain):,} games, seed {options.seed}", result, f"gnubg {plies}-ply", GAME_AIMS[plies])


PROGRESS: Final = 10
"""Pairs of games between two reports of how it stands, which show the result of a run that is cut short."""
GAME_AIMS: Final = ("≥ +0.055", "≥ +0.03", "≥ 0")


def _mean(values: Sequence[float]) -> str:
    return f"{statistics.mean(values):+.4f} ± {statistics.stdev(values) / len(values) ** 0.5:.4f}"


class _Result(NamedTuple):
    """A game's points for one side, and the luck of all its rolls, to that side."""

    points: int
    luck: float


def _result(seats: tuple[Choose, Choose], first: Player, dice: Random, *, luck_depth: int) -> _Result:
    """For the first of the seats, which plays the side `first`."""
    game, lucky = Game(RULES, "standard"), 0.0
    while (turn := game.turn) is not Turn.OVER:
        position = game.position
        if turn is Turn.DICE:
            rolled = roll(RULES, position, dice)
            assert isinstance(rolled, Roll)
            game.play(rolled)
            lucky += luck(position, rolled, luck_depth) * (1 if game.position.mover is first else -1)
        else:
            game.play(seats[turn.player is not first](position))
    outcome = game.outcome
    assert outcome is not None
    return _Result(outcome.points if outcome.winner is first else -outcome.points, lucky)


def decisions(gnubg: Gnubg, options: argparse.Namespace) -> None:
    """Equity lost per unforced decision in thousandths of a point, and the share of wrong decisions."""
    players: dict[str, Choose] = {
        "raw network": raw(),
        "bear-off tables, no lookahead": ours(0),
        "one roll ahead": ours(1),
        "two rolls ahead": ours(2),
        "gnubg 0-ply": lambda position: gnubg.choose(position, 0),
        "gnubg 1-ply": lambda position: gnubg.choose(position, 1),
    }
    losses: dict[str, list[float]] = {name: [] for name in players}
    for position in _unforced(gnubg, options.decisions, Random(options.seed)):
        chosen = {name: RULES.play(position, choose(position)) for name, choose in players.items()}
        equities = _refereed(gnubg, position, set(chosen.values()))
        for name, after in chosen.items():
            losses[name].append(max(equities.values()) - equities[after])
    for name, found in losses.items():
        error = statistics.stdev(found) / len(found) ** 0.5
        wrong, blunders = (sum(loss > least for loss in found) / len(found) for least in (1e-9, BLUNDER))
        result = (
            f"{1000 * statistics.mean(found):.2f} ± {1000 * error:.2f} mEq, {wrong:.1%} wrong, {blunders:.2%} blunders"
        )
        row(f"{name}, {len(found):,} decisions", result, "gnubg 2-ply referees", _AIMS.get(name, ""))


_AIMS: Final[Mapping[str, str]] = MappingProxyType({"raw network": "≤ 2.0", "two rolls ahead": "≤ 1.2"})


def _unforced(gnubg: Gnubg, number: int, rng: Random) -> Iterator[Position]:
    """Positions with a choice, from self-play of gnubg 0-ply."""
    position = START
    while number:
        match RULES.turn(position):
            case Turn.OVER:
                position = START
                continue
            case Turn.DICE:
                position = RULES.play(position, roll(RULES, position, rng))
                continue
        if len(RULES.moves(position)) > 1 and rng.random() < SAMPLED:
            number -= 1
            yield position
        position = RULES.play(position, gnubg.choose(position, 0))


def _refereed(gnubg: Gnubg, position: Position, chosen: set[Position]) -> dict[Position, float]:
    """The equities of the chosen plays and of gnubg's own best four, for the side that makes them."""
    afters = [RULES.play(position, play) for play in RULES.moves(position)]
    first = _equities(gnubg, afters, 0)
    best = sorted(afters, key=lambda after: first[after], reverse=True)[:4]
    return _equities(gnubg, sorted({*best, *chosen}), REFEREE_PLIES)


def _equities(gnubg: Gnubg, afters: Sequence[Position], plies: int) -> dict[Position, float]:
    going = [after for after in afters if RULES.outcome(after) is None]
    equities = {after: -value for after, value in zip(going, gnubg.equities(going, plies), strict=True)}
    ended = ((after, RULES.outcome(after)) for after in afters)
    return equities | {after: float(outcome.points) for after, outcome in ended if outcome}


def evaluations(gnubg: Gnubg, options: argparse.Namespace) -> None:
    """Positions evaluated per second and core: the plays of games, features included; gnubg is called from Python."""
    positions = list(_unforced(gnubg, options.positions, Random(options.seed)))
    all_afters = {RULES.play(position, play) for position in positions for play in RULES.moves(position)}
    afters = sorted(after for after in all_afters if RULES.outcome(after) is None)
    words = np.array([(*after.other, *after.own, 0) for after in afters], np.int64).ravel()
    network = Network.load()
    mine = min(_seconds(lambda: network.equities(words, len(afters))) for _ in range(6))
    with Gnubg() as fresh:  # with an empty cache
        theirs = fresh.ask("seconds", [board(after) for after in afters])
    speeds = len(afters) / mine, len(afters) / theirs
    row(
        f"evaluations a second, {len(afters):,} positions",
        f"{speeds[0]:,.0f}",
        f"{speeds[1]:,.0f} (gnubg-nn)",
        f"≥ 300,000; here {speeds[0] / speeds[1]:.1f} × the peer",
    )


def moves(gnubg: Gnubg, options: argparse.Namespace) -> None:
    """Moves per second and core, two rolls ahead."""
    positions = list(_unforced(gnubg, options.moves, Random(options.seed)))
    choose = ours(2)
    choose(positions[0])
    bearoff_tables()
    times = [_seconds(partial(choose, position)) for position in positions]
    boards, dice = [board(position) for position in positions], [position.dice for position in positions]
    with Gnubg() as fresh:
        theirs = fresh.ask("move_seconds", boards, dice, 2) / len(positions)
    peer = f"{1 / theirs:.1f} (gnubg 2-ply)"
    row(f"moves a second, two rolls ahead, {len(times)} positions", f"{1 / statistics.mean(times):.1f}", peer, "")
    longest = f"median {statistics.median(times):.3f} s, longest {max(times):.3f} s"
    row("a move, two rolls ahead", longest, "", "median ≤ 1 s")


def _seconds(work: Callable[[], Any]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


PARTS: Final[Mapping[str, Callable[[Gnubg, argparse.Namespace], None]]] = MappingProxyType(
    {"games": games, "decisions": decisions, "evaluations": evaluations, "moves": moves}
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--games", type=int, default=4_000)
    parser.add_argument("--plies", type=int, nargs="+", choices=(0, 1, 2), default=[0], help="rolls ahead in games")
    parser.add_argument("--decisions", type=int, default=2_000)
    parser.add_argument("--positions", type=int, default=1_000, help="whose plays are evaluated")
    parser.add_argument("--moves", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"Backgammon, {machine()}\n")
    heading("what", "ours", "peer", "aim")
    with Gnubg() as gnubg:
        for part in options.parts or PARTS:
            PARTS[part](gnubg, options)


if __name__ == "__main__":
    main()
