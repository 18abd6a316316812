"""Nobody acts for another player: neither with their id, nor with an expired, forged or misused token."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from pathlib import Path
from typing import Any

import jwt
import pytest

from ludus.server.settings import Settings, secret_of

from ..rooms.raw_client import Payload, RawClient, Refused
from ..server_process import ServerProcess, Tenant
from .tables import MOVE, Spectator, Table, refused, seated
from .test_payloads import AT_A_TABLE

ANN = {"id": "ann", "displayName": "Ann"}
LONG = 5000
"""More characters than a URL may have."""
EVE = {"id": "eve", "displayName": "Eve"}


def session(server: ServerProcess, key: str, player: dict[str, str] = ANN, **more: Any) -> Payload:
    made: Payload = server.post("/v1/sessions", key, {"game": "checkers", "players": [player], **more})
    return made


def turned_away(server: ServerProcess, token: object, namespace: str = "/checkers") -> str:
    """The code that a token is refused with, the same in the handshake and in the query."""
    with pytest.raises(Refused) as refusal:
        RawClient(server.url, namespace, auth={"token": token})
    assert set(refusal.value.data) == {"message", "data"}
    code = refusal.value.data["data"]["code"]
    assert refusal.value.data["data"] == {"code": code, "message": refusal.value.data["message"]}
    if isinstance(token, str) and len(token) < LONG:
        with pytest.raises(Refused) as refusal:
            RawClient(server.url, namespace, token=token)
        assert refusal.value.data["data"]["code"] == code
    return str(code)


def part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@pytest.fixture
def secret(server: ServerProcess, server_data: Path) -> bytes:
    """The server's secret, as an operator can read it."""
    return secret_of(Settings(data=str(server_data)))


@pytest.mark.parametrize("event", AT_A_TABLE)
def test_anothers_id_is_refused(table: Table, spectator: Spectator, event: str) -> None:
    before = spectator.version()
    forged = table.own(0, move=MOVE, position=42, phrase="hello", points=1)
    refused(table.second, event, forged, "forbidden")
    assert spectator.version() == before


@pytest.mark.parametrize("event", AT_A_TABLE)
def test_strangers_spectators_and_players_of_other_tables_are_refused(
    server: ServerProcess, table: Table, spectator: Spectator, event: str
) -> None:
    before = spectator.version()
    payload = table.own(0, move=MOVE, position=42, phrase="hello", points=1)
    own = {key: value for key, value in payload.items() if key != "playerId"}
    with RawClient(server.url) as stranger:
        refused(stranger, event, payload, "forbidden")
        refused(stranger, event, own, "forbidden")
        stranger.must("game:spectate", {"roomId": table.room, "username": "Eve"})
        refused(stranger, event, payload, "forbidden")
        refused(stranger, event, own, "forbidden")
        stranger.must("matchmaking:join", {"username": "Eve", "playerId": table.ids[0], "wantsBot": True})
        assert stranger.wait("game:started")["playerId"] not in table.ids
        refused(stranger, event, payload, "forbidden")
        refused(stranger, event, own, "forbidden")
    assert spectator.version() == before


def test_an_id_alone_resumes_no_game(server: ServerProcess, table: Table, spectator: Spectator) -> None:
    before = spectator.version()
    with RawClient(server.url) as stranger:
        refused(stranger, "game:reconnect", {"playerId": table.ids[0]}, "not_found")
    refused(table.second, "game:reconnect", {"playerId": table.ids[0]}, "forbidden")
    assert spectator.version() == before


def test_a_guests_token_is_valid_for_its_own_table_only(
    server: ServerProcess, table: Table, spectator: Spectator
) -> None:
    before = spectator.version()
    other = seated(server.url)
    with RawClient(server.url, auth={"token": other.tokens[0]}) as eve:
        refused(eve, "game:move", table.own(0, move=MOVE), "forbidden")
        assert eve.must("game:reconnect", {"playerId": other.ids[0]})["roomId"] == other.room
        refused(eve, "game:move", table.own(0, move=MOVE), "forbidden")
        refused(eve, "game:move", {"roomId": table.room, "move": MOVE}, "forbidden")
    other.close()
    assert turned_away(server, table.tokens[0], "/backgammon") == "unauthorized"
    assert spectator.version() == before


def test_a_guests_token_for_an_unknown_table_is_refused(server: ServerProcess, secret: bytes) -> None:
    for claims in ({"table": "none", "guest": "guest/none"}, {"table": 7, "guest": 7}, {"guest": "guest/none"}, {}):
        token = jwt.encode(claims, secret, "HS256")
        assert turned_away(server, token) in ("unauthorized", "not_found")


def test_a_token_with_anothers_key_does_not_give_the_seat(
    server: ServerProcess, table: Table, spectator: Spectator, secret: bytes
) -> None:
    before = spectator.version()
    for key in (f"guest/{table.ids[0]}x", table.ids[0], "", "bot/easy"):
        token = jwt.encode({"table": table.room, "guest": key}, secret, "HS256")
        assert turned_away(server, token) == "unauthorized"
    assert spectator.version() == before


def test_a_session_token_is_valid_for_its_own_session_only(server: ServerProcess, tenant: Tenant) -> None:
    ann, eve = session(server, tenant.live), session(server, tenant.live, EVE)
    with RawClient(server.url, auth={"token": eve["sessionToken"]}) as client:
        refused(client, "matchmaking:join", {"sessionId": ann["sessionId"]}, "forbidden")
        refused(client, "matchmaking:join", {"playerId": "ann"}, "forbidden")
        refused(client, "matchmaking:leave", {"playerId": "ann"}, "forbidden")
        refused(client, "game:reconnect", {"playerId": "ann"}, "forbidden")
    assert turned_away(server, eve["sessionToken"], "/backgammon") == "forbidden"
    key = tenant.live
    for each in (ann, eve):
        assert server.get(f"/v1/sessions/{each['sessionId']}", key)["status"] == "pending"


def claims_of(made: Payload) -> Payload:
    claims: Payload = jwt.decode(made["sessionToken"], options={"verify_signature": False})
    return claims


def signed(header: object, claims: object, key: bytes, digest: str = "sha256") -> str:
    text = f"{part(header)}.{part(claims)}"
    mac = hmac.new(key, text.encode(), digest).digest()
    return f"{text}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def test_a_forged_token_is_refused(server: ServerProcess, tenant: Tenant, secret: bytes) -> None:
    made = session(server, tenant.live)
    head, body, mac = made["sessionToken"].split(".")
    claims = claims_of(made)
    other = hashlib.sha256(b"another").digest()
    forged = [
        f"{part({'alg': 'none', 'typ': 'JWT'})}.{body}.",
        f"{part({'alg': 'None'})}.{body}.{mac}",
        f"{part({'alg': 'nOnE'})}.{body}.",
        f"{part({})}.{body}.{mac}",
        f"{head}.{body}.",
        f"{head}.{body}",
        f"{head}..{mac}",
        f"{head}.{part({**claims, 'players': [EVE]})}.{mac}",
        signed({"alg": "HS256", "typ": "JWT"}, claims, other),
        signed({"alg": "HS256", "typ": "JWT"}, claims, b""),
        signed({"alg": "HS256", "kid": "../../dev/null"}, claims, b""),
        signed({"alg": "HS256", "jwk": {"kty": "oct", "k": ""}}, claims, b""),
        signed({"alg": "HS512"}, claims, secret, "sha512"),
        signed({"alg": "RS256"}, claims, secret),
        signed({"alg": "ES256"}, claims, secret),
        signed({"alg": "HS256"}, [claims], secret),
        signed({"alg": "HS256", "crit": ["exp"]}, claims, secret),
        made["sessionToken"][:-2],
        "..",
        "token",
        "ключ",
        "x" * 10_000,
    ]
    for token in forged:
        assert turned_away(server, token) == "unauthorized", token
    for thing in (7, True, ["a"], {"a": 1}):
        assert turned_away(server, thing) == "unauthorized"
    status = server.get(f"/v1/sessions/{made['sessionId']}", tenant.live)["status"]
    assert status == "pending"


def test_an_expired_token_is_refused(server: ServerProcess, tenant: Tenant, secret: bytes) -> None:
    made = session(server, tenant.live)
    for exp in (int(time.time()) - 1, 0, -1):
        token = signed({"alg": "HS256", "typ": "JWT"}, {**claims_of(made), "exp": exp}, secret)
        assert turned_away(server, token) == "expired"


def test_a_token_for_a_player_not_in_the_session_is_refused(
    server: ServerProcess, tenant: Tenant, secret: bytes
) -> None:
    made = session(server, tenant.live)
    header = {"alg": "HS256", "typ": "JWT"}
    strange = signed(header, {**claims_of(made), "players": [EVE]}, secret)
    assert turned_away(server, strange) == "forbidden"
    for claims in ({**claims_of(made), "players": []}, {"sessionId": made["sessionId"]}, {}):
        assert turned_away(server, signed(header, claims, secret)) == "unauthorized"


def test_an_api_key_is_refused_as_a_token(server: ServerProcess, tenant: Tenant) -> None:
    assert turned_away(server, tenant.live) == "unauthorized"


def test_a_public_socket_id_grants_nothing(server: ServerProcess, table: Table) -> None:
    table.second.close()
    socket_id = table.first.wait("player:disconnected")["socketId"]
    assert socket_id not in (table.second.engine["sid"], table.first.engine["sid"])
    address = f"/socket.io/?EIO=4&transport=polling&sid={socket_id}"
    assert server.request("GET", address).status_code == 400
    assert server.request("POST", address, content="40/checkers,").status_code == 400
