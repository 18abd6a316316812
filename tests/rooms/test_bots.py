"""Bots of all levels, in both games."""

from __future__ import annotations

import pytest

from . import backgammon, checkers
from .app import App
from .player import ClientKind, Player
from .shapes import STARTED, fits, is_in_order, wait_for_over

LEVELS = {
    "easy": ClientKind("js", "websocket"),
    "medium": ClientKind("python", "polling"),
    "hard": ClientKind("js", "polling"),
}
every_level = pytest.mark.parametrize("level", LEVELS)
A_FEW = 5
PLENTY = 500
"""Turns of the person, within which every game ends."""


def against(app: App, game: str, level: str, kind: ClientKind | None = None) -> Player:
    player = app.enter(app.session("Ann", game, matchType="bot", botDifficulty=level), kind or LEVELS[level])
    fits(player.begin(), STARTED)
    person, bot = player.started["players"]
    assert (person["id"], person["isBot"], bot["isBot"]) == (player.id, False, True)
    assert player.started["color"] == {"checkers": "red", "backgammon": "white"}[game]
    return player


def bot_of(player: Player) -> str:
    return str(player.started["players"][1]["id"])


@every_level
def test_a_checkers_bot_plays_a_whole_game(app: App, level: str) -> None:
    player = against(app, "checkers", level)
    moves_made = checkers.play_a_bot(player, seed=1, most=PLENTY)
    over = player.only("game:over")
    assert (over["winner"], over["reason"]) in [(player.id, "victory"), (bot_of(player), "victory"), (None, "draw")]
    assert [made["playerId"] for made in moves_made] == [
        (player.id, bot_of(player))[turn % 2] for turn in range(len(moves_made))
    ]
    assert is_in_order(player)


@every_level
def test_a_backgammon_bot_plays_a_whole_game(app: App, level: str) -> None:
    player = against(app, "backgammon", level)
    follower = backgammon.play_out([player], [], seed=1, most=4 * PLENTY)
    assert (follower.over["winner"], follower.over["reason"]) in [(player.id, "victory"), (bot_of(player), "victory")]
    assert {made["playerId"] for made in follower.moves_made} == {player.id, bot_of(player)}
    assert is_in_order(player)


def test_a_person_may_resign_a_game_of_checkers_against_a_bot(app: App) -> None:
    player = against(app, "checkers", "hard", ClientKind("python", "websocket"))
    assert len(checkers.play_a_bot(player, seed=2, most=A_FEW)) == 2 * A_FEW
    resigned(player)


def test_a_person_may_resign_a_game_of_backgammon_against_a_bot(app: App) -> None:
    player = against(app, "backgammon", "hard", ClientKind("python", "websocket"))
    assert not backgammon.play_out([player], [], seed=2, most=4 * A_FEW).over
    resigned(player)


def resigned(player: Player) -> None:
    player.act("game:resign")
    over = wait_for_over([player])
    assert (over["winner"], over["reason"]) == (bot_of(player), "resignation")


def test_a_bot_of_the_operators_own_plays_a_whole_game(impatient_app: App) -> None:
    player = against(impatient_app, "checkers", "dreamer", ClientKind("python", "websocket"))
    assert player.started["players"][1]["displayName"] == "Dreamer bot"
    checkers.play_a_bot(player, seed=3, most=PLENTY)
    assert player.only("game:over")["reason"] in ("victory", "draw")


def test_an_unknown_bot_is_refused_with_the_names_of_the_known_ones(app: App) -> None:
    body = {"game": "checkers", "players": [app.new_user("Ann")], "matchType": "bot", "botDifficulty": "godlike"}
    refused = app.server.request("POST", "/v1/sessions", app.tenant.live, json=body)
    assert refused.status_code == 400
    assert refused.json() == {
        "error": "there is no bot 'godlike' at checkers; there are beginner, novice, easy, steady, medium, hard",
        "code": "unknown_option"
    }  # fmt: skip
    player = app.enter(app.session("Ben"), ClientKind("js", "websocket"))
    ack = player.emit("matchmaking:join", {"playerId": player.id, "wantsBot": True, "botDifficulty": "godlike"})
    assert isinstance(ack, dict) and ack["error"]["code"] == "unknown_option"
