"""Whole games of checkers between two people, one of each client library, with a spectator."""

from __future__ import annotations

import pytest

from .app import App
from .checkers import Board, opening, options, options_by_piece, play_out
from .player import ClientKind, Payload, Player
from .shapes import RESULT, WATCHED, fits, refused, wait_for_over

GAMES = [
    ((ClientKind("js", "websocket"), ClientKind("python", "polling")), 39),
    ((ClientKind("python", "websocket"), ClientKind("js", "polling")), 46),
]


def check_options(player: Player, board: Board, moves: list[Payload]) -> None:
    """The moves are those of all pieces; a chain must be complete: its first jump alone is refused."""
    assert sorted(map(str, options_by_piece(player, board))) == sorted(map(str, moves))
    for move in moves:
        jumps = [(2 * over - move["from"], over) for over in move["captures"][:1]]
        for to, over in jumps:
            part = {"from": move["from"], "to": to, "captures": [over]}
            if part not in moves:
                refused(player, "game:move", player.own(move=part), "illegal_move")
                return


@pytest.mark.parametrize(("kinds", "seed"), GAMES, ids=["first", "second"])
def test_a_whole_game_with_captures_chains_and_a_king_is_won(
    app: App, kinds: tuple[ClientKind, ClientKind], seed: int
) -> None:
    sessions = [app.session("Ann"), app.session("Ben")]
    ann = app.enter(sessions[0], kinds[0])
    ann.wait("matchmaking:waiting")
    ben = app.enter(sessions[1], kinds[1])
    players = sorted((ann, ben), key=lambda player: player.begin()["color"], reverse=True)
    watcher = app.connect("Wim", kinds[1])
    watcher.must("game:spectate", {"roomId": ann.room, "username": "Wim"})
    fits(watcher.wait("game:spectate:joined"), WATCHED)

    moves_made = play_out(players, [watcher], seed, check_options)

    assert any(len(made["move"]["captures"]) == 1 for made in moves_made)
    assert any(len(made["move"]["captures"]) > 1 for made in moves_made)
    assert any(made["becameKing"] for made in moves_made)
    over = wait_for_over([*players, watcher])
    winner = players[(len(moves_made) - 1) % 2].id
    assert (over["winner"], over["reason"]) == (winner, "victory")
    for session in sessions:
        found = app.status(session)
        assert found["status"] == "ended"
        fits(found["result"], {**RESULT, "pdn": str})
        assert '[GameType "21' in found["result"]["pdn"]
        result = (found["result"]["winner"], found["result"]["reason"], found["result"]["moveCount"])
        assert result == (winner, "victory", len(moves_made))
        public = app.server.get("/v1/sessions/validate", token=session["sessionToken"])
        assert (public["status"], public["result"]) == ("ended", found["result"])


def test_only_the_movers_pieces_have_moves(app: App) -> None:
    red, black = app.pair()
    assert {(move["from"], move["to"]) for move in options_by_piece(red, opening())} == {
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


def test_a_capture_is_forced_and_need_not_be_spelled_out(app: App) -> None:
    red, black = app.pair()
    red.act("game:move", move={"from": 42, "to": 35})
    assert black.wait("game:move:made")["move"] == {"from": 42, "to": 35, "captures": []}
    black.act("game:move", move={"from": 17, "to": 26})
    board = red.wait("game:move:made") and red.wait("game:move:made")["board"]
    capture = {"from": 35, "to": 17, "captures": [26]}
    assert options(red) == options_by_piece(red, board) == [capture]
    refused(red, "game:move", red.own(move={"from": 40, "to": 33}), "illegal_move")
    refused(red, "game:move", red.own(move={**capture, "captures": [28]}), "illegal_move")
    refused(red, "game:move", red.own(move={**capture, "captures": []}), "illegal_move")
    red.act("game:move", move={"from": 35, "to": 17})
    made = red.wait("game:move:made")
    assert made["move"] == capture
    assert made["board"][26] is None
