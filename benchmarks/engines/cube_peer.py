"""GNU Backgammon's cube, asked by `cube.py`: run by the Python inside the program, `gnubg -t -q -p FILE`.

The questions are in the file `questions.json` of the working folder, the answers go to `answers.json`. Boards are the
other side's men and then those of the player on roll, on points 1 to 24 and the bar, as their owner counts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gnubg  # type: ignore[import-not-found]  # a module inside the program

PLAYER = 0
"""The one on roll."""


def answer(question: dict[str, Any], plies: int) -> dict[str, Any]:
    board = tuple(map(tuple, question["board"]))
    score, is_crawford = tuple(question["score"]), int(question["crawford"])
    cube = gnubg.cubeinfo(question["value"], question["owner"], PLAYER, question["length"], score, is_crawford, 0)
    context = {"cubeful": 1, "plies": plies, "deterministic": 1, "noise": 0.0}
    _, no_double, take, _, _, words = gnubg.cfevaluate(board, cube, context)
    return {
        "no_double": no_double,
        "double_take": take,
        "words": words,
        "chances": gnubg.evaluate(board, cube, context)[:5],
    }


gnubg.command("set jacoby off")
asked = json.loads(Path("questions.json").read_text())
answers = {
    "met": gnubg.met(25),
    "decisions": [answer(question, asked["plies"]) for question in asked["questions"]],
}
Path("answers.json").write_text(json.dumps(answers))
