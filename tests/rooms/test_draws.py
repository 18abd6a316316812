"""Draws are offered, declined and agreed; resigning needs nobody's consent."""

from __future__ import annotations

import pytest

from .checkers import make, opening
from .door import Door, seated
from .player import WAYS, Way
from .shapes import refused, wait_for_over

every_way = pytest.mark.parametrize("way", WAYS, ids=str)
both_games = pytest.mark.parametrize("game", ["checkers", "backgammon"])


@every_way
def test_a_draw_by_agreement(door: Door, way: Way) -> None:
    sessions = [door.session("Ann"), door.session("Ben")]
    ann, ben = (door.enter(session, way) for session in sessions)
    seated(ann, ben)
    ann.act("game:draw:offer")
    assert ben.wait("game:draw:offered")["playerId"] == ann.id
    ben.act("game:draw:accept")
    over = wait_for_over([ann, ben])
    assert (over["winner"], over["reason"]) == (None, "draw")
    for session in sessions:
        result = door.status(session)["result"]
        assert (result["winner"], result["reason"]) == (None, "draw")


def test_backgammon_knows_no_draw(door: Door) -> None:
    players = door.pair(game="backgammon")
    refused(players[0], "game:draw:offer", players[0].own())
    assert not players[1].heard("game:draw:offered")


@every_way
def test_a_declined_offer_is_gone_and_the_game_goes_on(door: Door, way: Way) -> None:
    red, black = door.pair((way, way))
    red.act("game:draw:offer")
    assert black.wait("game:draw:offered")["playerId"] == red.id
    black.act("game:draw:decline")
    assert red.wait("game:draw:declined")["playerId"] == black.id
    refused(black, "game:draw:accept", black.own())
    make(red, [black], opening(), {"from": 42, "to": 33, "captures": []})
    assert not black.heard("game:over")


def test_nobody_accepts_or_declines_the_own_offer_or_none_at_all(door: Door) -> None:
    red, black = door.pair()
    for name in ("game:draw:accept", "game:draw:decline"):
        refused(black, name, black.own())
    red.act("game:draw:offer")
    for name in ("game:draw:accept", "game:draw:decline"):
        refused(red, name, red.own())
    assert not red.heard("game:over")


@every_way
@both_games
def test_resigning_gives_the_game_away_in_anybodys_turn(door: Door, way: Way, game: str) -> None:
    _, second = players = door.pair((way, way), game)
    second.act("game:resign")
    over = wait_for_over(players)
    assert (over["winner"], over["reason"]) == (players[0].id, "resignation")
    if game == "backgammon":
        assert over["points"] in (1, 2, 3)
        assert over["result"] in ("single", "gammon", "backgammon")
        assert over["dice"]["commitment"] == second.started["diceCommitment"]
