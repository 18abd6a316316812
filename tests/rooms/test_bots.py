"""Bots of three levels, at both games."""

from __future__ import annotations

import pytest

from . import backgammon, checkers
from .conftest import OpenHouse
from .door import Clients, Door
from .player import Player, Way
from .shapes import STARTED, fits, is_in_order, wait_for_over

LEVELS = {"easy": Way("js", "websocket"), "medium": Way("python", "polling"), "hard": Way("js", "polling")}
every_level = pytest.mark.parametrize("level", LEVELS)
A_FEW = 5
PLENTY = 500
"""Turns of the person, within which every game is over."""


def against(door: Door, game: str, level: str, way: Way | None = None) -> Player:
    player = door.enter(door.session("Ann", game, matchType="bot", botDifficulty=level), way or LEVELS[level])
    fits(player.begin(), STARTED)
    person, bot = player.started["players"]
    assert (person["id"], person["isBot"], bot["isBot"]) == (player.id, False, True)
    assert player.started["color"] == {"checkers": "red", "backgammon": "white"}[game]
    return player


def bot_of(player: Player) -> str:
    return str(player.started["players"][1]["id"])


@every_level
def test_a_checkers_bot_plays_a_whole_game(door: Door, level: str) -> None:
    player = against(door, "checkers", level)
    story = checkers.play_a_bot(player, seed=1, most=PLENTY)
    over = player.only("game:over")
    assert (over["winner"], over["reason"]) in [(player.id, "victory"), (bot_of(player), "victory"), (None, "draw")]
    assert [made["playerId"] for made in story] == [(player.id, bot_of(player))[turn % 2] for turn in range(len(story))]
    assert is_in_order(player)


@every_level
def test_a_backgammon_bot_plays_a_whole_game(door: Door, level: str) -> None:
    player = against(door, "backgammon", level)
    teller = backgammon.play_out([player], [], seed=1, most=4 * PLENTY)
    assert (teller.over["winner"], teller.over["reason"]) in [(player.id, "victory"), (bot_of(player), "victory")]
    assert {made["playerId"] for made in teller.story} == {player.id, bot_of(player)}
    assert is_in_order(player)


def test_a_person_may_resign_a_game_of_checkers_against_a_bot(door: Door) -> None:
    player = against(door, "checkers", "hard", Way("python", "websocket"))
    assert len(checkers.play_a_bot(player, seed=2, most=A_FEW)) == 2 * A_FEW
    resigned(player)


def test_a_person_may_resign_a_game_of_backgammon_against_a_bot(door: Door) -> None:
    player = against(door, "backgammon", "hard", Way("python", "websocket"))
    assert not backgammon.play_out([player], [], seed=2, most=4 * A_FEW).over
    resigned(player)


def resigned(player: Player) -> None:
    player.act("game:resign")
    over = wait_for_over([player])
    assert (over["winner"], over["reason"]) == (bot_of(player), "resignation")


def test_a_bot_of_the_operators_own_plays_a_whole_game(open_platform: OpenHouse, clients: Clients) -> None:
    house = open_platform(players="dreamer=random")
    door = Door(house, house.tenant("app"), clients)
    player = against(door, "checkers", "dreamer", Way("python", "websocket"))
    assert player.started["players"][1]["displayName"] == "Dreamer bot"
    checkers.play_a_bot(player, seed=3, most=PLENTY)
    assert player.only("game:over")["reason"] in ("victory", "draw")


def test_a_bot_that_is_not_there_is_refused_with_the_names_of_those_that_are(door: Door) -> None:
    body = {"game": "checkers", "players": [door.person("Ann")], "matchType": "bot", "botDifficulty": "godlike"}
    refused = door.house.request("POST", "/v1/sessions", door.tenant.live, json=body)
    assert refused.status_code == 400
    assert refused.json() == {
        "error": "there is no bot 'godlike' at checkers; there are easy, medium, hard", "code": "unknown_option"
    }  # fmt: skip
    player = door.enter(door.session("Ben"), Way("js", "websocket"))
    ack = player.emit("matchmaking:join", {"playerId": player.id, "wantsBot": True, "botDifficulty": "godlike"})
    assert isinstance(ack, dict) and ack["error"]["code"] == "unknown_option"
