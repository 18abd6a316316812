"""The program GNU Backgammon, which knows the cube and matches; `gnubg.py` has only its networks."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

from benchmarks.engines.gnubg import board
from ludus.games.backgammon.position import Play, Position, Step
from ludus.games.backgammon.rules import Backgammon

PEER: Final = Path(__file__).with_name("gnubg_program_peer.py")
RULES: Final = Backgammon().compiled()


def find_program() -> str:
    program = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
    if program is None:
        raise SystemExit("this needs the program gnubg: apt-get install gnubg")
    return program


class GnubgProgram:
    """A process of it; use it in a `with`."""

    def __init__(self) -> None:
        program = find_program()
        self._folder = tempfile.TemporaryDirectory()
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"{self._folder.name}/socket")
            listener.listen()
            command = [program, "-t", "-q", "-p", str(PEER)]
            where = {"cwd": self._folder.name, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
            self._process = subprocess.Popen(command, **where)  # type: ignore[call-overload]  # options by name
            self._line = listener.accept()[0]
        self._file = self._line.makefile("rw")

    def __enter__(self) -> GnubgProgram:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._line.close()
        self._process.wait()
        self._folder.cleanup()

    def ask(self, name: str, *arguments: Any) -> Any:
        self._file.write(json.dumps([name, arguments]) + "\n")
        self._file.flush()
        return json.loads(self._file.readline())

    def decision(self, position: Position, plies: int) -> dict[str, Any]:
        """The equities `no_double` and `double_take` of the player on roll, GNU's words for it, and the `chances`."""
        found: dict[str, Any] = self.ask("decision", question(position), plies)
        return found

    def play(self, position: Position, plies: int) -> Play:
        found = self.ask("steps", question(position), position.dice, plies)
        steps = [Step(source, max(target, 0)) for source, target in zip(found[::2], found[1::2], strict=True) if source]
        plays = RULES.resolve(position, sorted(steps, reverse=True))
        if len(plays) != 1:
            raise ValueError(f"{steps} are not one legal play in {position}")
        return plays[0]

    def match_equities(self, length: int) -> Any:
        """Its table before the Crawford game, and the rows after it."""
        return self.ask("match_equities", length)


def question(position: Position) -> dict[str, Any]:
    """A position as the player on roll sees it."""
    mover, match, cube = position.mover, position.match, position.cube
    assert mover is not None and cube is not None
    return {
        "board": board(position),
        "value": cube.value,
        "owner": -1 if cube.owner is None else int(cube.owner is not mover),
        "length": match.length if match else 0,
        "score": [match.score(mover), match.score(mover.other)] if match else [0, 0],
        "crawford": bool(match and match.is_crawford),
    }
