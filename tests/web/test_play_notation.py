"""The page reads the server's notation of every legal move."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from ludus.core.rules import Turn
from ludus.games import GAMES
from ludus.wire import codec

from .conftest import Visit

READ = """async ([module, game, cases]) => {
  const { readMove } = await import(module);
  return cases.map(({ text, moves, color, position }) => readMove(game, text, { moves, color, position }));
}"""
MOST_MOVES = 60


def cases(game: str, seed: int) -> list[dict[str, Any]]:
    """Moves of a random game in the server's notation, each with all legal moves."""
    rules, rng = GAMES[game], Random(seed)
    position: Any = rules.variants["standard"]
    found: list[dict[str, Any]] = []
    while rules.turn(position) is not Turn.OVER and len(found) < MOST_MOVES:
        move = rng.choice([*rules.moves(position), *[each for each, _ in rules.chances(position)]])
        if not rules.chances(position) and move != rules.pass_move:
            found.append(case(game, position, move))
        position = rules.play(position, move)
    assert found
    return found


def case(game: str, position: Any, move: Any) -> dict[str, Any]:
    rules, view = GAMES[game], codec(game).rooms
    shown = [view.move(position, each) for each in rules.moves(position)]
    return {
        "text": rules.notation.write_move(position, move),
        "moves": [each["moves"] for each in shown] if game == "backgammon" else shown,
        "position": view.board(position),
        "color": view.colors[int(position.mover)],
        "move": view.move(position, move),
    }


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_every_move_in_the_server_s_notation_is_read(visit: Visit, game: str) -> None:
    page = visit().open("/")
    module = (page.locator("script[type=module]").get_attribute("src") or "").replace("page.js", "notation-box.js")
    played = [each for seed in range(4) for each in cases(game, seed)]
    understood = page.evaluate(READ, [module, game, played])
    for asked, answer in zip(played, understood, strict=True):
        assert answer == {"move": asked["move"]}, asked["text"]


def test_text_that_is_no_checkers_move_is_refused(visit: Visit) -> None:
    page = visit().open("/")
    module = (page.locator("script[type=module]").get_attribute("src") or "").replace("page.js", "notation-box.js")
    start = cases("checkers", 1)[0]
    asked = [{**start, "text": text} for text in ("hello", "", "11", "24/23", "11-32")]
    said = [answer["problem"] for answer in page.evaluate(READ, [module, "checkers", asked])]
    assert said == ["unreadable", "unreadable", "unreadable", "unreadable", "none"]
