"""GNU Backgammon as the benchmarks call it: positions in, equities and plays out."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from ludus.games.backgammon.position import Play, Position, Step
from ludus.games.backgammon.rules import Backgammon

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / ".venv-peers" / "gnubg"
REQUIREMENTS: Final = ("--pre", "gnubg-nn==1.1.0a11", "numpy")
PYTHON: Final = FOLDER / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def set_up() -> None:
    """Installs it, unless it is installed already."""
    stamp, wanted = FOLDER / "installed.txt", " ".join(REQUIREMENTS)
    if stamp.exists() and stamp.read_text() == wanted:
        return
    print(f"installing {wanted}", flush=True)
    venv.create(FOLDER, clear=True, with_pip=True)
    subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", *REQUIREMENTS], check=True)
    stamp.write_text(wanted)


def board(position: Position) -> list[list[int]]:
    return [list(side.counts[1:]) for side in (position.other, position.own)]


class Gnubg:
    """A GNU Backgammon process; use it in a `with`."""

    def __init__(self) -> None:
        set_up()
        command = [str(PYTHON), "-m", "benchmarks.engines.gnubg_peer"]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self._rules = Backgammon().compiled()

    def __enter__(self) -> Gnubg:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def ask(self, name: str, *arguments: Any) -> Any:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps([name, arguments]) + "\n")
        return json.loads(self._process.stdout.readline())

    def equities(self, positions: Sequence[Position], plies: int) -> list[float]:
        """Each position's equity for the side to roll."""
        found: list[float] = self.ask("equities", [board(position) for position in positions], plies)
        return found

    def choose(self, position: Position, plies: int) -> Play:
        return self._play(position, self.ask("steps", board(position), position.dice, plies))

    def choose_by_pubeval(self, position: Position) -> Play:
        return self._play(position, self.ask("pubeval_steps", board(position), position.dice))

    def _play(self, position: Position, steps: Sequence[Sequence[int]]) -> Play:
        """The legal play of these steps, which are in any order."""
        plays = self._rules.resolve(position, sorted((Step(*step) for step in steps), reverse=True))
        if len(plays) != 1:
            raise ValueError(f"{steps} are not one legal play in {position}")
        return plays[0]
