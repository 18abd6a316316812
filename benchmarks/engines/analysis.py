"""Our analysis of matches beside GNU Backgammon's: `python -m benchmarks.engines.analysis [--matches N] [--plies N] …`.

Needs the program `gnubg` (`apt-get install gnubg`). It plays matches against itself with noise, so that there are
errors to find, and analyses them; we read its records and analyse them as deep. Each side is compared: error rates in
thousandths of a point a decision (mEMG), luck in points, and the result without luck in chances to win the match.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import correlation, mean
from typing import Final, NamedTuple

from benchmarks.report import heading, machine, row
from ludus.core.rules import Player
from ludus.engines import Limit
from ludus.engines.review import assess, review
from ludus.engines.statistics import Statistics, statistics
from ludus.games.backgammon.rules import Backgammon

RULES: Final = Backgammon().compiled()
NOISE: Final = (0.015, 0.04)
"""Of the two players."""
NUMBER: Final = r"([+-]?[0-9]+(?:\.[0-9]+)?)"
MINUTES: Final = 20


class Side(NamedTuple):
    """One player's figures in a match."""

    checker_decisions: float
    checker_error: float
    cube_decisions: float
    cube_error: float
    snowie: float
    luck: float
    adjusted: float
    lost: float
    """Chances to win the match that errors cost."""

    @property
    def rate(self) -> float:
        """Thousandths of a point a decision: twice the PR."""
        return 1000 * (self.checker_error + self.cube_error) / max(1, self.checker_decisions + self.cube_decisions)


def commands(seed: int, length: int, plies: int, file: Path) -> str:
    lines = ["set display off", f"set rng mersenne {seed}"]
    for player, noise in enumerate(NOISE):
        lines.append(f"set player {player} gnubg")
        for kind in ("chequer", "cubedecision"):
            lines.append(f"set player {player} {kind} evaluation plies 0")
            lines.append(f"set player {player} {kind} evaluation noise {noise}")
    for kind in ("chequerplay", "cubedecision"):
        lines.append(f"set analysis {kind} evaluation plies {plies}")
    lines += ["set analysis luckanalysis plies 0", f"new match {length}", f"export match mat {file}"]
    return "\n".join([*lines, "analyse match", "show statistics match", "quit", "y", ""])


def played(seed: int, length: int, plies: int) -> tuple[str, str]:
    """A match as GNU Backgammon writes it, and its figures."""
    program = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
    if program is None:
        raise SystemExit("this needs the program gnubg: apt-get install gnubg")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "match.mat"
        asked = commands(seed, length, plies, file)
        run = [program, "-t", "-q"]
        done = subprocess.run(run, input=asked, capture_output=True, text=True, timeout=60 * MINUTES, check=True)
        return file.read_text(), done.stdout


def theirs(text: str) -> tuple[Side, Side]:
    """From `show statistics match`."""
    text = text[text.rindex("Chequerplay statistics") :]
    checker, luck, cube, overall = re.split("(?:Luck|Cube|Overall) statistics", text)

    def both(part: str, label: str, scale: int = 1) -> tuple[float, float]:
        return _both(part, rf"{re.escape(label)} +{NUMBER}.*? {{2,}}{NUMBER}", scale)

    columns = (
        both(checker, "Unforced moves"),
        both(checker, "Error total EMG (MWC)", -1),
        both(cube, "Close or actual cube decisions"),
        both(cube, "Error total EMG (MWC)", -1),
        both(overall, "Snowie error rate", -1),
        both(luck, "Luck total EMG (MWC)"),
        _both(overall, f"Luck adjusted result +{NUMBER}% +{NUMBER}%", 0.01),
        _both(overall, rf"Error total EMG \(MWC\).*?\( *{NUMBER}%\).*?\( *{NUMBER}%\)", -0.01),
    )
    first, second = (Side(*values) for values in zip(*columns, strict=True))
    return first, second


def _both(part: str, pattern: str, scale: float) -> tuple[float, float]:
    found = re.search(f"^{pattern}", part, re.MULTILINE)
    assert found is not None, pattern
    return float(found[1]) * scale, float(found[2]) * scale


def ours(record: str, depth: int) -> tuple[Side, Side]:
    [game] = RULES.notation.each_game(record)
    limit = Limit(depth=depth)
    reviews = list(review(game, lambda position, *rest: assess(RULES, position, limit, *rest)))
    found = statistics(game, reviews)
    assert found is not None
    lost = [sum(each.cost * each.stake for each in reviews if each.player is player) for player in Player]
    first, second = (_side(*each) for each in zip(found, lost, strict=True))
    return first, second


def _side(found: Statistics, lost: float) -> Side:
    assert found.luck_adjusted is not None
    return Side(
        found.checker.decisions,
        found.checker.error,
        found.cube.decisions,
        found.cube.error,
        found.snowie_error_rate or 0.0,
        found.luck,
        found.luck_adjusted,
        lost,
    )


class Compared(NamedTuple):
    ours: tuple[Side, Side]
    theirs: tuple[Side, Side]


def compared(matches: int, length: int, plies: int) -> Iterator[Compared]:
    for seed in range(1, matches + 1):
        record, figures = played(seed, length, plies)
        yield Compared(ours(record, plies), theirs(figures))


def unexplained(sides: tuple[Side, Side]) -> float:
    """The part of a result that is neither luck nor errors, which is the evaluation's own fault."""
    first, second = sides
    return abs(first.adjusted - (second.lost - first.lost))


FIGURES: Final[dict[str, tuple[Callable[[Side], float], int]]] = {
    "error rate, mEMG a decision": (lambda side: side.rate, 1),
    "Snowie error rate": (lambda side: side.snowie, 1),
    "checker error, points a match": (lambda side: side.checker_error, 3),
    "cube error, points a match": (lambda side: side.cube_error, 3),
    "checker decisions a match": (lambda side: side.checker_decisions, 1),
    "cube decisions a match": (lambda side: side.cube_decisions, 1),
    "luck, points a match": (lambda side: side.luck, 3),
    "luck-adjusted result, chance to win": (lambda side: side.adjusted, 3),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=10)
    parser.add_argument("--length", type=int, default=5)
    parser.add_argument("--plies", type=int, default=0)
    options = parser.parse_args()
    matches = list(compared(options.matches, options.length, options.plies))
    pairs = [pair for match in matches for pair in zip(*match, strict=True)]
    print(f"{machine()}; {options.matches} matches to {options.length}, {options.plies} rolls ahead\n")
    heading("what, on average of both sides", "ours", "GNU Backgammon", "mean difference", "correlation")
    for name, (figure, digits) in FIGURES.items():
        mine, other = [figure(pair[0]) for pair in pairs], [figure(pair[1]) for pair in pairs]
        difference = mean(abs(one - two) for one, two in zip(mine, other, strict=True))
        together = correlation(mine, other) if len(set(mine)) > 1 < len(set(other)) else 1.0
        shown = (f"{value:.{digits}f}" for value in (mean(mine), mean(other), difference))
        row(name, *shown, f"{together:.3f}")
    left = (mean(unexplained(sides) for sides in both) for both in zip(*matches, strict=True))
    row("result that neither luck nor errors explain", *(f"{share:.3f}" for share in left), "", "")


if __name__ == "__main__":
    main()
