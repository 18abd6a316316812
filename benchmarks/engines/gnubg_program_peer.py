"""GNU Backgammon's answers, asked by `gnubg_program.py`: run by the Python inside the program, `gnubg -t -q -p FILE`.

Questions and answers are lines of JSON on the Unix socket `socket` of the working folder. Boards are the other side's
men and then those of the player on roll, on points 1 to 24 and the bar, as their owner counts.
"""

from __future__ import annotations

import json
import socket
from typing import Any

import gnubg  # type: ignore[import-not-found]  # a module inside the program

PLAYER = 0
"""The one on roll."""


def cube_info(question: dict[str, Any]) -> Any:
    score, is_crawford = tuple(question["score"]), int(question["crawford"])
    return gnubg.cubeinfo(question["value"], question["owner"], PLAYER, question["length"], score, is_crawford, 0)


def context(plies: int) -> dict[str, Any]:
    return {"cubeful": 1, "plies": plies, "deterministic": 1, "noise": 0.0}


def decision(question: dict[str, Any], plies: int) -> dict[str, Any]:
    board, cube = tuple(map(tuple, question["board"])), cube_info(question)
    _, no_double, take, _, _, words = gnubg.cfevaluate(board, cube, context(plies))
    chances = gnubg.evaluate(board, cube, context(plies))[:5]
    return {"no_double": no_double, "double_take": take, "words": words, "chances": chances}


def steps(question: dict[str, Any], dice: list[int], plies: int) -> list[int]:
    """Sources and targets by turns; the bar is 25, off is 0."""
    board = tuple(map(tuple, question["board"]))
    return list(gnubg.findbestmove(board, cube_info(question), context(plies), tuple(dice)))


def match_equities(length: int) -> Any:
    return gnubg.met(length)


ANSWERS: dict[str, Any] = {"decision": decision, "steps": steps, "match_equities": match_equities}

gnubg.command("set jacoby off")
with socket.socket(socket.AF_UNIX) as line:
    line.connect("socket")
    file = line.makefile("rw")
    for text in file:
        name, arguments = json.loads(text)
        file.write(json.dumps(ANSWERS[name](*arguments)) + "\n")
        file.flush()
