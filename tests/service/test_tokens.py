from __future__ import annotations

from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.service.records import Session
from ludus.service.tokens import ALGORITHM, MAX_LENGTH, Claims, GuestClaims, Tokens, Unauthorized

SECRET = b"a secret of thirty-two bytes....."
TOKENS = Tokens(SECRET)
ANN, BEN = ({"id": name, "displayName": name.capitalize()} for name in ("ann", "ben"))
SESSION = Session(
    "s-1", 1, "acme", "checkers", "live", "private", "pending", (ANN, BEN), "easy", True, {"dark": True}, "ABCDEF",
    None, 1, 1,
)  # fmt: skip
CLAIMS = Claims("s-1", "ann", 1_300)


def signed(payload: dict[str, Any], secret: bytes = SECRET, algorithm: str = ALGORITHM) -> str:
    return jwt.encode(payload, secret, algorithm)


def payload_of(token: str) -> dict[str, Any]:
    return dict(jwt.decode(token, options={"verify_signature": False}))


def test_a_token_says_what_is_written_into_it() -> None:
    assert payload_of(TOKENS.write(SESSION, CLAIMS, 1_000)) == {
        "sessionId": "s-1",
        "game": "checkers",
        "matchType": "private",
        "players": [ANN, BEN],
        "theme": {"dark": True},
        "iat": 1_000,
        "exp": 1_300,
    }


@pytest.mark.parametrize("player", ["ann", "ben"])
def test_the_own_player_comes_first_and_is_read_back(player: str) -> None:
    token = TOKENS.write(SESSION, CLAIMS._replace(player=player), 1_000)
    assert payload_of(token)["players"][0]["id"] == player
    assert TOKENS.read(token) == Claims("s-1", player, 1_300)


def test_a_token_is_read_long_after_its_time_since_the_caller_judges_that() -> None:
    assert TOKENS.read(TOKENS.write(SESSION, CLAIMS._replace(expires_at=1), 0)).expires_at == 1


def test_a_token_of_another_secret_is_not_ours() -> None:
    with pytest.raises(Unauthorized):
        Tokens(b"another secret of thirty-two bytes").read(TOKENS.write(SESSION, CLAIMS, 1_000))


@pytest.mark.parametrize("algorithm", ["none", "HS512"])
def test_a_token_signed_in_another_way_is_not_ours(algorithm: str) -> None:
    payload = payload_of(TOKENS.write(SESSION, CLAIMS, 1_000))
    forged = jwt.encode(payload, "" if algorithm == "none" else SECRET * 2, algorithm)
    with pytest.raises(Unauthorized):
        TOKENS.read(forged)


def test_a_token_whose_player_was_changed_is_not_ours() -> None:
    header, _, signature = TOKENS.write(SESSION, CLAIMS, 1_000).split(".")
    _, body, _ = TOKENS.write(SESSION, CLAIMS._replace(player="ben"), 1_000).split(".")
    with pytest.raises(Unauthorized):
        TOKENS.read(f"{header}.{body}.{signature}")


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"sessionId": "s-1", "exp": 1},
        {"sessionId": "s-1", "exp": 1, "players": []},
        {"sessionId": "s-1", "exp": 1, "players": [{}]},
        {"sessionId": "s-1", "exp": 1, "players": "ann"},
        {"sessionId": "s-1", "exp": None, "players": [ANN]},
    ],
)
def test_what_we_signed_for_something_else_is_no_session_s_token(payload: dict[str, Any]) -> None:
    with pytest.raises(Unauthorized):
        TOKENS.read(signed(payload))


def test_a_guest_s_token_names_a_table_and_a_seat() -> None:
    token = TOKENS.write_guest(GuestClaims("t-1", "guest/1"))
    assert TOKENS.read_guest(token) == GuestClaims("t-1", "guest/1")


def test_guests_and_sessions_have_different_tokens() -> None:
    assert TOKENS.read_guest(TOKENS.write(SESSION, CLAIMS, 1_000)) is None
    with pytest.raises(Unauthorized):
        TOKENS.read(TOKENS.write_guest(GuestClaims("t-1", "guest/1")))


def test_a_forged_guest_s_token_is_refused_and_not_taken_for_a_session_s() -> None:
    with pytest.raises(Unauthorized):
        TOKENS.read_guest(signed({"table": "t-1", "guest": "guest/1"}, b"another secret of thirty-two bytes"))


def test_an_endless_token_is_refused_however_it_is_signed() -> None:
    assert TOKENS.read_guest(signed({"theme": "x" * 1000})) is None
    with pytest.raises(Unauthorized):
        TOKENS.read_guest(signed({"theme": "x" * MAX_LENGTH}))


@given(text=st.text() | st.text(alphabet="abcXYZ019-_=.", max_size=60))
def test_no_text_is_a_token_by_chance(text: str) -> None:
    for read in (TOKENS.read, TOKENS.read_guest):
        with pytest.raises(Unauthorized):
            read(text)
