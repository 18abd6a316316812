"""Whole games of backgammon between two people, one of each client library, with a spectator."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from typing import Any

import pytest

from .app import App
from .backgammon import SIGN, GameFollower, men_of, options, play_out, tapped
from .player import ClientKind
from .shapes import RESULT, WATCHED, fits, is_in_order, refused

GAMES = [
    ((ClientKind("js", "websocket"), ClientKind("python", "polling")), 1),
    ((ClientKind("python", "websocket"), ClientKind("js", "polling")), 2),
]
RESULTS = {1: "single", 2: "gammon", 3: "backgammon"}


def faces(seed: str, room: str, roll: int) -> Iterator[int]:
    """The documented scheme; no roll needs more than two digests."""
    for block in (0, 1):
        message = f"ludus dice 1/{room}/{roll}/{block}".encode()
        yield from (byte % 6 + 1 for byte in hmac.digest(bytes.fromhex(seed), message, "sha256") if byte < 252)


def check_dice(room: str, follower: GameFollower) -> None:
    """The seed matches the commitment, and every roll of the game follows from it."""
    seed, promised = follower.over["dice"]["seed"], follower.over["dice"]["commitment"]
    assert hashlib.sha256(f"ludus dice 1 commitment/{room}/{seed}".encode()).hexdigest() == promised
    for number, dice in enumerate(follower.rolls):
        pairs = batched(faces(seed, room, number))
        roll = next(pair for pair in pairs if number or pair[0] != pair[1])
        assert sorted(roll) == sorted(dice[:2])


def batched(stream: Iterator[int]) -> Iterator[tuple[int, int]]:
    return zip(stream, stream, strict=False)


@pytest.mark.parametrize(("kinds", "seed"), GAMES, ids=["first", "second"])
def test_a_whole_game_is_won(app: App, kinds: tuple[ClientKind, ClientKind], seed: int) -> None:
    session = app.session("Ann", "backgammon")
    ann = app.enter(session, kinds[0])
    ann.wait("matchmaking:waiting")
    ben = app.enter(app.session("Ben", "backgammon"), kinds[1])
    players = sorted((ann, ben), key=lambda player: player.begin()["color"], reverse=True)

    follower = play_out(players, [], seed)

    winner = next(player for player in players if player.id == follower.over["winner"])
    color, points = winner.started["color"], follower.over["points"]
    assert follower.men.off[color] == 15
    assert (follower.over["reason"], follower.over["result"]) == ("victory", RESULTS[points])
    loser = "black" if color == "white" else "white"
    assert (follower.men.off[loser] == 0) == (points > 1)
    assert follower.over["dice"]["commitment"] == ann.started["diceCommitment"]
    check_dice(ann.room, follower)
    assert all(is_in_order(player) for player in players)
    result = app.status(session)["result"]
    fits(result, {**RESULT, "mat": str})
    assert (result["winner"], result["reason"]) == (winner.id, "victory")


def test_a_spectator_sees_men_and_dice(app: App) -> None:
    white, black = app.pair(game="backgammon")
    watcher = app.connect("Wim", game="backgammon")
    watcher.must("game:spectate", {"roomId": white.room, "username": "Wim"})
    seen = watcher.wait("game:spectate:joined")
    fits(seen, WATCHED)
    assert men_of(seen) == men_of(white.started)
    mover = (white, black)[white.started["currentTurn"]]
    mover.act("game:move", move={"moves": options(mover)[0]})
    seated = white.started["players"]
    assert watcher.wait("game:move:made") == watcher.sees(white.wait("game:move:made"), seated)
    white.wait("game:dice")  # the opening roll, which the spectator may have missed
    roll = watcher.sees(white.wait("game:dice"), seated)
    watcher.until(lambda: roll in watcher.heard("game:dice"), "the next roll")


@pytest.mark.parametrize("kind", [ClientKind("js", "websocket"), ClientKind("python", "polling")], ids=str)
def test_a_play_can_be_built_man_by_man(app: App, kind: ClientKind) -> None:
    players = app.pair((kind, kind), "backgammon")
    follower, taps = GameFollower(players, []), 0
    while taps < 6:
        name, payload = follower.next()
        if name != "game:dice":
            continue
        mover = next(player for player in players if player.id == payload["playerId"])
        if play := tapped(mover, follower.men):  # otherwise the turn was passed
            color, taps = mover.started["color"], taps + 1
            assert follower.men.played(color, play) in [follower.men.played(color, other) for other in options(mover)]
            mover.act("game:move", move={"moves": play})


def test_an_invalid_play_is_refused(app: App) -> None:
    players = app.pair(game="backgammon")
    turn = players[0].started["currentTurn"]
    mover, other = players[turn], players[1 - turn]
    plays = options(mover)
    assert options(other) == []
    refused(other, "game:move", other.own(move={"moves": plays[0]}), "not_your_turn")
    for steps in ([], plays[0][:1], [*plays[0], *plays[0]], [{"from": "bar", "to": 20}], [{"from": 2, "to": "off"}]):
        refused(mover, "game:move", mover.own(move={"moves": steps}), "illegal_move")
    strange: list[Any] = [
        {},
        {"moves": "all"},
        {"moves": [{}]},
        {"moves": [{"from": 0, "to": 30}]},
        {"from": 24, "to": 20},
    ]
    for move in strange:
        refused(mover, "game:move", mover.own(move=move), "malformed", "malformed_move")
    mover.act("game:move", move={"moves": plays[0]})
    assert SIGN.keys() == set(mover.wait("game:move:made")["bar"])
