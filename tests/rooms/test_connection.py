"""How a client comes in: library, transport, path, and where the token travels."""

from __future__ import annotations

import jwt
import pytest

from .door import Door
from .house import Tenant
from .player import UPGRADES, WAYS, Way
from .shapes import fits

every_way = pytest.mark.parametrize("way", WAYS, ids=str)


@pytest.mark.parametrize("way", [*WAYS, *UPGRADES], ids=str)
@pytest.mark.parametrize("path", ["/socket.io", "/api/socket/io"])
@pytest.mark.parametrize("in_query", [False, True], ids=["token in auth", "token in query"])
def test_a_player_comes_in_on_either_path(door: Door, way: Way, path: str, in_query: bool) -> None:
    session = door.session("Ann", matchType="bot")
    player = door.connect("Ann", way, session["sessionToken"], path=path, in_query=in_query)
    player.must("matchmaking:join", {"username": "Ann", "sessionId": session["sessionId"]})
    assert player.begin()["playerId"] == session["players"][0]["id"]


def forged(token: str) -> list[str]:
    """The same claims, signed by nobody or by somebody else, and a signature for other claims."""
    claims = jwt.decode(token, options={"verify_signature": False})
    head, body, seal = token.split(".")
    other = jwt.encode({**claims, "players": [{"id": "eve", "displayName": "Eve"}]}, "x" * 32, "HS256").split(".")[1]
    return [
        jwt.encode(claims, "", "none"),
        jwt.encode(claims, "x" * 32, "HS256"),
        f"{head}.{other}.{seal}",
        f"{head}.{body}.",
        "nonsense",
    ]


@every_way
def test_a_token_that_is_not_ours_opens_nothing(door: Door, way: Way) -> None:
    for token in forged(door.session("Ann")["sessionToken"]):
        assert door.is_turned_away(token, way), token


@every_way
def test_a_token_of_one_game_opens_no_other(door: Door, way: Way) -> None:
    assert door.is_turned_away(door.session("Ann", "checkers")["sessionToken"], way, "backgammon")


def test_a_key_is_no_token(door: Door, tenant: Tenant) -> None:
    assert door.is_turned_away(tenant.live)


@every_way
def test_many_events_at_once_are_all_answered_in_order(door: Door, way: Way) -> None:
    player = door.enter(door.session("Ann", matchType="bot"), way)
    player.begin()
    for position in range(64):
        player.send("game:get_moves", player.own(position=position))
    assert [player.wait("game:valid_moves")["position"] for _ in range(64)] == list(range(64))


@every_way
def test_an_acknowledgement_is_answered_and_may_be_left_out(door: Door, way: Way) -> None:
    player = door.connect("Ann", way)
    fits(player.emit("game:spectate", {"roomId": "none", "username": "Ann"}), {"ok": {False}, "error": {"code": str}})
    first = player.wait("game:error")
    player.send("game:spectate", {"roomId": "none", "username": "Ann"})
    assert player.wait("game:error") == first
    assert (first["code"], first["event"]) == ("not_found", "game:spectate")
