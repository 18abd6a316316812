"""Bots of three levels, at both games."""

from __future__ import annotations

import pytest

from . import backgammon, checkers
from .door import Door
from .player import Player, Way
from .shapes import STARTED, fits, is_in_order, wait_for_over

LEVELS = {"easy": Way("js", "websocket"), "medium": Way("python", "polling"), "hard": Way("js", "polling")}
every_level = pytest.mark.parametrize("level", LEVELS)
TURNS_AGAINST_HARD = 5  # it may take its time: then the person gives up


def against(door: Door, game: str, level: str) -> Player:
    player = door.enter(door.session("Ann", game, matchType="bot", botDifficulty=level), LEVELS[level])
    fits(player.begin(), STARTED)
    person, bot = player.started["players"]
    assert (person["id"], person["isBot"], bot["isBot"]) == (player.id, False, True)
    assert player.started["color"] == {"checkers": "red", "backgammon": "white"}[game]
    return player


@every_level
def test_a_checkers_bot_plays_to_the_end(door: Door, level: str) -> None:
    player = against(door, "checkers", level)
    story = checkers.play_a_bot(player, seed=1, most=TURNS_AGAINST_HARD if level == "hard" else 500)
    if len(story) == 2 * TURNS_AGAINST_HARD:
        player.act("game:resign")
    over = player.only("game:over")
    bot = player.started["players"][1]["id"]
    assert (over["winner"], over["reason"]) in ends(player.id, bot, resigned=level == "hard")
    assert is_in_order(player)


@every_level
def test_a_backgammon_bot_plays_to_the_end(door: Door, level: str) -> None:
    player = against(door, "backgammon", level)
    teller = backgammon.play_out([player], [], seed=1, most=4 * TURNS_AGAINST_HARD if level == "hard" else 1000)
    if not teller.over:
        assert level == "hard"
        player.act("game:resign")
        teller.over = wait_for_over([player])
    bot = player.started["players"][1]["id"]
    assert teller.over["reason"] != "draw"
    assert (teller.over["winner"], teller.over["reason"]) in ends(player.id, bot, resigned=level == "hard")
    assert {made["playerId"] for made in teller.story} == {player.id, bot}


def ends(person: str, bot: str, resigned: bool) -> list[tuple[str | None, str]]:
    """Against hard the person may have resigned; otherwise the game has been played out."""
    played = [(person, "victory"), (bot, "victory"), (None, "draw")]
    return [*played, (bot, "resignation")] if resigned else played
