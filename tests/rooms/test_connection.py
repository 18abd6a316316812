"""How a client connects: library, transport, path, and where the token is sent."""

from __future__ import annotations

import jwt
import pytest

from ..server_process import Tenant
from .app import App
from .player import CLIENT_KINDS, UPGRADES, ClientKind
from .shapes import fits

every_client_kind = pytest.mark.parametrize("kind", CLIENT_KINDS, ids=str)


@pytest.mark.parametrize("kind", [*CLIENT_KINDS, *UPGRADES], ids=str)
@pytest.mark.parametrize("path", ["/socket.io", "/api/socket/io"])
@pytest.mark.parametrize("in_query", [False, True], ids=["token in auth", "token in query"])
def test_a_player_connects_on_either_path(app: App, kind: ClientKind, path: str, in_query: bool) -> None:
    session = app.session("Ann", matchType="bot")
    player = app.connect("Ann", kind, session["sessionToken"], path=path, in_query=in_query)
    player.must("matchmaking:join", {"username": "Ann", "sessionId": session["sessionId"]})
    assert player.begin()["playerId"] == session["players"][0]["id"]


def forged(token: str) -> list[str]:
    """The same claims unsigned or signed with another key, and a signature of other claims."""
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


@every_client_kind
def test_a_forged_token_is_refused(app: App, kind: ClientKind) -> None:
    for token in forged(app.session("Ann")["sessionToken"]):
        assert app.is_refused(token, kind), token


@every_client_kind
def test_a_token_of_one_game_is_refused_by_the_other(app: App, kind: ClientKind) -> None:
    assert app.is_refused(app.session("Ann", "checkers")["sessionToken"], kind, "backgammon")


def test_an_api_key_is_refused_as_a_token(app: App, tenant: Tenant) -> None:
    assert app.is_refused(tenant.live)


@every_client_kind
def test_many_events_at_once_are_all_answered_in_order(app: App, kind: ClientKind) -> None:
    player = app.enter(app.session("Ann", matchType="bot"), kind)
    player.begin()
    for position in range(64):
        player.send("game:get_moves", player.own(position=position))
    assert [player.wait("game:valid_moves")["position"] for _ in range(64)] == list(range(64))


@every_client_kind
def test_an_acknowledgement_is_answered_and_may_be_left_out(app: App, kind: ClientKind) -> None:
    player = app.connect("Ann", kind)
    fits(player.emit("game:spectate", {"roomId": "none", "username": "Ann"}), {"ok": {False}, "error": {"code": str}})
    first = player.wait("game:error")
    player.send("game:spectate", {"roomId": "none", "username": "Ann"})
    assert player.wait("game:error") == first
    assert (first["code"], first["event"]) == ("not_found", "game:spectate")
