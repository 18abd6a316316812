"""Draw offers and resignation."""

from __future__ import annotations

import pytest

from .app import App, seated
from .checkers import make, opening
from .player import CLIENT_KINDS, ClientKind
from .shapes import refused, wait_for_over

every_client_kind = pytest.mark.parametrize("kind", CLIENT_KINDS, ids=str)
both_games = pytest.mark.parametrize("game", ["checkers", "backgammon"])


@every_client_kind
def test_a_draw_by_agreement(app: App, kind: ClientKind) -> None:
    sessions = [app.session("Ann"), app.session("Ben")]
    ann, ben = (app.enter(session, kind) for session in sessions)
    seated(ann, ben)
    ann.act("game:draw:offer")
    assert ben.wait("game:draw:offered")["playerId"] == ann.id
    ben.act("game:draw:accept")
    over = wait_for_over([ann, ben])
    assert (over["winner"], over["reason"]) == (None, "draw")
    for session in sessions:
        result = app.status(session)["result"]
        assert (result["winner"], result["reason"]) == (None, "draw")


def test_backgammon_has_no_draws(app: App) -> None:
    players = app.pair(game="backgammon")
    refused(players[0], "game:draw:offer", players[0].own())
    assert not players[1].heard("game:draw:offered")


@every_client_kind
def test_a_declined_offer_lapses_and_the_game_continues(app: App, kind: ClientKind) -> None:
    red, black = app.pair((kind, kind))
    red.act("game:draw:offer")
    assert black.wait("game:draw:offered")["playerId"] == red.id
    black.act("game:draw:decline")
    assert red.wait("game:draw:declined")["playerId"] == black.id
    refused(black, "game:draw:accept", black.own())
    make(red, [black], opening(), {"from": 42, "to": 33, "captures": []})
    assert not black.heard("game:over")


def test_players_cannot_answer_their_own_offer_or_none_at_all(app: App) -> None:
    red, black = app.pair()
    for name in ("game:draw:accept", "game:draw:decline"):
        refused(black, name, black.own())
    red.act("game:draw:offer")
    for name in ("game:draw:accept", "game:draw:decline"):
        refused(red, name, red.own())
    assert not red.heard("game:over")


@every_client_kind
@both_games
def test_a_player_may_resign_in_either_players_turn(app: App, kind: ClientKind, game: str) -> None:
    _, second = players = app.pair((kind, kind), game)
    second.act("game:resign")
    over = wait_for_over(players)
    assert (over["winner"], over["reason"]) == (players[0].id, "resignation")
    if game == "backgammon":
        assert over["points"] in (1, 2, 3)
        assert over["result"] in ("single", "gammon", "backgammon")
        assert over["dice"]["commitment"] == second.started["diceCommitment"]
