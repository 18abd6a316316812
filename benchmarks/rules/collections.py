"""`python -m benchmarks.rules.collections`: how many games are read of files in the manners of public collections.

The games are random ones in which kings go back and forth, so that some go on after a third repetition. With FILES,
files of any game or folders of them, it is their records that are counted.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random

from tests.games.checkers.collections import STYLES, random_game, written

from ludus import GAMES
from ludus.core.errors import MalformedRecord

NOTATION = GAMES["checkers"].notation


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--games", type=int, default=1000, help="in each style")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.files:
        read_files(options.files)
    else:
        read_styles(options.games, options.seed)


def read_styles(number: int, seed: int) -> None:
    rules, rng = GAMES["checkers"].compiled(), Random(seed)
    games = [random_game(rules, rng) for _ in range(number)]  # type: ignore[arg-type]  # these rules are checkers'
    moves = [game.moves for game in games]
    repeated = sum(has_gone_on(game.positions, rules.repeats) for game in games)
    print(f"{number:,} games of {sum(map(len, moves)):,} moves; {repeated:,} go on after a third repetition")
    for name, write in STYLES.items():
        text = written(games, itertools.repeat(write))
        began = time.process_time()
        read = [game.moves for game in NOTATION.each_game(text, errors="skip")]
        seconds = time.process_time() - began
        same = sum(one == other for one, other in zip(read, moves, strict=False)) if len(read) == number else 0
        print(f"{name:>20} {same:,} of {number:,} games, {len(text) / seconds:,.0f} characters a second")


def has_gone_on(positions: Iterable[object], repeats: object) -> bool:
    assert callable(repeats)
    counts = Counter(map(repeats, list(positions)[:-1]))
    return max(counts.values()) >= 3


def read_files(paths: Iterable[Path]) -> None:
    files = [file for path in paths for file in (sorted(path.rglob("*.*")) if path.is_dir() else [path])]
    games, reasons = 0, Counter[str]()
    for file in filter(Path.is_file, files):
        skipped: list[MalformedRecord] = []
        text = file.read_text(errors="replace")
        notation = next((rules.notation for rules in GAMES.values() if rules.notation.recognizes(text)), NOTATION)
        games += len(notation.read_games(text, errors="skip", skipped=skipped))
        for problem in skipped:
            print(f"{file}: {problem}")
            reasons[problem.problem.partition(":")[2] or problem.problem] += 1
    total = games + reasons.total()
    print(f"{len(files):,} files: {games:,} of {total:,} games read ({games / max(total, 1):.2%})")
    for reason, number in reasons.most_common(10):
        print(f"{number:>7,} {reason.strip()}")


if __name__ == "__main__":
    main()
