from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.server.http.errors import Malformed
from ludus.server.http.fields import LONGEST_NAME
from ludus.server.rooms import requests
from ludus.server.rooms.requests import Request, parse

KINDS = [kind for kind in vars(requests).values() if isinstance(kind, type) and issubclass(kind, Request)]
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=200),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=20), inner, max_size=4),
    max_leaves=10,
)
names = sorted({name for kind in KINDS for name in kind.model_fields})
payloads = anything | st.dictionaries(st.sampled_from(names), anything, max_size=8)


@pytest.mark.parametrize("kind", [requests.Join, requests.Leave, requests.Reconnect])
def test_no_payload_equals_an_empty_object_if_all_fields_are_optional(kind: type[Request]) -> None:
    assert parse(kind, None) == parse(kind, {}) == kind()


@pytest.mark.parametrize("kind", [requests.InRoom, requests.MakeMove, requests.AfkCheck, requests.Spectate])
def test_a_room_id_is_required(kind: type[Request]) -> None:
    with pytest.raises(Malformed, match=r"^roomId: "):
        parse(kind, None)


def test_defaults_match_the_contract() -> None:
    join = parse(requests.Join, {"username": "  Ann "})
    assert join.username == "Ann"
    assert (join.wantsBot, join.botDifficulty, join.afkTimeoutEnabled) == (False, None, None)


@pytest.mark.parametrize(("given", "kept"), [
    ("\u202eevil", "evil"),
    ("Ann\u2067 \u200e", "Ann"),
    ("A\nB\u0085", "AB"),
    ("\u200b\u2066", ""),
    ("\u200d", ""),
    ("\u05d3\u05d5\u05d3", "\u05d3\u05d5\u05d3"),
    ("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469"),
])  # fmt: skip
def test_hidden_characters_are_removed_from_a_guests_name(given: str, kept: str) -> None:
    assert parse(requests.Join, {"username": given}).username == kept


def test_unknown_fields_are_ignored() -> None:
    assert parse(requests.AfkCheck, {"roomId": "r", "more": {"deep": [1]}}) == requests.AfkCheck(roomId="r")


@pytest.mark.parametrize(
    ("kind", "payload", "field"),
    [
        (requests.Join, {"username": "x" * (LONGEST_NAME + 1)}, "username"),
        (requests.Join, {"username": 5}, "username"),
        (requests.Join, {"wantsBot": "true"}, "wantsBot"),
        (requests.Join, {"wantsBot": None}, "wantsBot"),
        (requests.Join, {"botDifficulty": "God-like"}, "botDifficulty"),
        (requests.Join, {"sessionId": ""}, "sessionId"),
        (requests.Leave, {"playerId": "x" * 129}, "playerId"),
        (requests.Reconnect, {"version": -1}, "version"),
        (requests.Reconnect, {"version": 1.5}, "version"),
        (requests.Reconnect, {"version": 10**9 + 1}, "version"),
        (requests.Reconnect, {"version": True}, "version"),
        (requests.Reconnect, {"version": 1, "part": "0"}, "part"),
        (requests.InRoom, {"roomId": ["r"]}, "roomId"),
        (requests.InRoom, {"roomId": "r", "commandId": 7}, "commandId"),
        (requests.MakeMove, {"roomId": "r"}, "move"),
    ],
)
def test_an_error_names_the_invalid_field(kind: type[Request], payload: Any, field: str) -> None:
    with pytest.raises(Malformed, match=rf"^{field}: "):
        parse(kind, payload)


@pytest.mark.parametrize("payload", ["text", 5, [], True, [{"roomId": "r"}]])
def test_a_payload_that_is_no_object_is_refused(payload: Any) -> None:
    with pytest.raises(Malformed):
        parse(requests.Join, payload)


@given(payload=payloads)
def test_any_payload_is_parsed_or_refused_with_a_short_message(payload: Any) -> None:
    for kind in KINDS:
        try:
            parse(kind, payload)
        except Malformed as error:
            assert 0 < len(str(error)) < 200


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_does_not_repeat_the_input(kind: type[Request]) -> None:
    for field in kind.model_fields:
        for value in ("secret " * 200, ["secret"], {"secret": "secret"}):
            try:
                parse(kind, {"roomId": "r", "move": {}, field: value})
            except Malformed as error:
                assert "secret" not in str(error)
