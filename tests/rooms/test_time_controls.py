"""Games on a clock, with real clients; the arithmetic is in tests/service/test_game_clock.py.

These tests run in real time, so one test waits for the flags of both games.
"""

from __future__ import annotations

from .app import App
from .shapes import wait_for_over

GAMES = ("checkers", "backgammon")


def test_a_flag_falls_once_and_for_all_to_see(app: App) -> None:
    tables = {game: app.pair(game=game, timeControl="3s/move") for game in GAMES}
    for game, players in tables.items():
        assert players[0].started["timeControl"] == {"type": "move", "seconds": 3}
        mover = players[0].started["currentTurn"]
        over = wait_for_over(players)
        assert (over["winner"], over["reason"]) == (players[1 - mover].id, "afk_timeout")
        assert over["clock"] == {"remainingMs": [0, 3000] if mover == 0 else [3000, 0], "running": None}
        for player in players:
            assert len(player.heard("game:over")) == 1
            assert not player.heard(f"{game}:afk_warning")


def test_who_comes_back_gets_the_clock_as_it_is_by_then(app: App) -> None:
    first, second = app.pair(timeControl={"type": "bronstein", "seconds": 600, "delay": 5})
    first.act("game:move", move=first.act("game:get_moves", ackOnly=True)["moves"][0])
    made = first.wait("game:move:made")
    assert made == second.wait("game:move:made")
    assert made["clock"] == {"remainingMs": [600_000, 600_000], "running": 1, "delayMs": 5000}
    second.disconnect()
    assert first.wait("player:disconnected")["secondsRemaining"] == 60
    back = app.reconnect(second)
    back.must("game:reconnect", {"playerId": back.id})
    state = back.wait("game:reconnected")
    assert state["timeControl"] == {"type": "bronstein", "seconds": 600, "delay": 5}
    assert state["clock"]["running"] == 1 and state["clock"]["delayMs"] <= 5000
    assert state["clock"]["remainingMs"][0] == 600_000 >= state["clock"]["remainingMs"][1]
