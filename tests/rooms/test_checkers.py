"""Whole games of checkers between two people, one of each client library, with a spectator."""

from __future__ import annotations

import pytest

from .checkers import Board, opening, options, play_out
from .door import Door
from .player import Payload, Player, Way
from .shapes import RESULT, WATCHED, fits, refused, wait_for_over

GAMES = [
    ((Way("js", "websocket"), Way("python", "polling")), 39),
    ((Way("python", "websocket"), Way("js", "polling")), 46),
]


def first_jump(player: Player, board: Board, moves: list[Payload]) -> None:
    """A chain must be complete: its first jump alone is refused."""
    for move in moves:
        jumps = [(2 * over - move["from"], over) for over in move["captures"][:1]]
        for to, over in jumps:
            part = {"from": move["from"], "to": to, "captures": [over]}
            if part not in moves:
                refused(player, "game:move", player.own(move=part), "illegal_move")
                return


@pytest.mark.parametrize(("ways", "seed"), GAMES, ids=["first", "second"])
def test_a_whole_game_with_captures_chains_and_a_king_is_won(door: Door, ways: tuple[Way, Way], seed: int) -> None:
    sessions = [door.session("Ann"), door.session("Ben")]
    ann = door.enter(sessions[0], ways[0])
    ann.wait("matchmaking:waiting")
    ben = door.enter(sessions[1], ways[1])
    players = sorted((ann, ben), key=lambda player: player.begin()["color"], reverse=True)
    watcher = door.connect("Wim", ways[1])
    watcher.must("game:spectate", {"roomId": ann.room, "username": "Wim"})
    fits(watcher.wait("game:spectate:joined"), WATCHED)

    story = play_out(players, [watcher], seed, first_jump)

    assert any(len(made["move"]["captures"]) == 1 for made in story)
    assert any(len(made["move"]["captures"]) > 1 for made in story)
    assert any(made["becameKing"] for made in story)
    over = wait_for_over([*players, watcher])
    winner = players[(len(story) - 1) % 2].id
    assert (over["winner"], over["reason"]) == (winner, "victory")
    for session in sessions:
        found = door.status(session)
        assert found["status"] == "ended"
        fits(found["result"], {**RESULT, "pdn": str})
        assert '[GameType "21' in found["result"]["pdn"]
        result = (found["result"]["winner"], found["result"]["reason"], found["result"]["moveCount"])
        assert result == (winner, "victory", len(story))
        public = door.house.get("/v1/sessions/validate", token=session["sessionToken"])
        assert (public["status"], public["result"]) == ("ended", found["result"])


def test_only_the_movers_pieces_have_moves(door: Door) -> None:
    red, black = door.pair()
    assert {(move["from"], move["to"]) for move in options(red, opening())} == {
        (40, 33),
        (42, 33),
        (42, 35),
        (44, 35),
        (44, 37),
        (46, 37),
        (46, 39),
    }
    for player, position in ((red, 0), (red, 1), (red, 26), (red, 62), (black, 17), (black, 40)):
        answer = player.ask_moves(position=position)
        assert (answer["position"], answer["moves"]) == (position, [])


def test_a_capture_is_forced_and_need_not_be_spelt_out(door: Door) -> None:
    red, black = door.pair()
    red.act("game:move", move={"from": 42, "to": 35})
    assert black.wait("game:move:made")["move"] == {"from": 42, "to": 35, "captures": []}
    black.act("game:move", move={"from": 17, "to": 26})
    board = red.wait("game:move:made") and red.wait("game:move:made")["board"]
    capture = {"from": 35, "to": 17, "captures": [26]}
    assert options(red, board) == [capture]
    refused(red, "game:move", red.own(move={"from": 40, "to": 33}), "illegal_move")
    refused(red, "game:move", red.own(move={**capture, "captures": [28]}), "illegal_move")
    refused(red, "game:move", red.own(move={**capture, "captures": []}), "illegal_move")
    red.act("game:move", move={"from": 35, "to": 17})
    made = red.wait("game:move:made")
    assert made["move"] == capture
    assert made["board"][26] is None
