"""A page gets in if its origin is on the list, and by no trick."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.errors import BadInput
from ludus.service.origins import is_allowed, read_origin

LISTED = [
    "https://play.example",
    "http://localhost:3000",
    "capacitor://localhost",
    "https://[::1]:8443",
    "https://kiosk.example",
]


@pytest.mark.parametrize("origin", [
    "https://play.example", "https://PLAY.Example", "HTTPS://play.example", "https://play.example:443",
    "http://localhost:3000", "capacitor://localhost", "https://[::1]:8443",
])  # fmt: skip
def test_a_listed_origin_is_allowed_however_it_is_spelled(origin: str) -> None:
    assert is_allowed(origin, LISTED)


@pytest.mark.parametrize("origin", [
    "", "null", "*", "play.example", "//play.example", "http://play.example", "https://play.example:444",
    "https://play.example.evil.example", "https://evilplay.example", "https://evil.example/https://play.example",
    "https://play.example@evil.example", "https://play.example:443@evil.example", "https://play.example/",
    "https://play.example#evil", "https://play.example?evil", "https://play.example\n", " https://play.example",
    "https://play.example,https://evil.example", "https://play.example https://evil.example", "https://play.example.",
    "https://sub.play.example", "https://play.example:", "https://play.example:0443x", "https://play.example\\.evil",
    "https://play.example%2eevil", "https://play.exam\u200bple", "https://\u212aiosk.example", "http://localhost",
    "http://localhost:3001", "https://[::1]", "https://play_example", "https://*.example", "HTTPS://PLAY.EXAMPLE\x00",
])  # fmt: skip
def test_anything_else_is_not(origin: str) -> None:
    assert not is_allowed(origin, LISTED)


def test_the_star_lets_every_page_in_but_no_nonsense() -> None:
    assert is_allowed("https://anybody.example", ["*"])
    assert is_allowed("null", ["*"])
    assert not is_allowed("nonsense", ["*"])
    assert not is_allowed("*", ["*"])


def test_null_is_allowed_where_it_is_listed() -> None:
    assert is_allowed("null", ["null"])
    assert not is_allowed("null", ["https://play.example"])
    assert not is_allowed("https://play.example", ["null"])


def test_a_request_of_no_page_is_not_judged() -> None:
    assert is_allowed(None, [])
    assert not is_allowed("https://play.example", [])


def test_a_star_inside_an_entry_is_no_pattern() -> None:
    assert not is_allowed("https://a.example", ["https://*.example", "https://*"])


@pytest.mark.parametrize(("text", "entry"), [
    ("https://Play.Example:443", "https://play.example"),
    ("http://play.example:80", "http://play.example"),
    ("http://play.example:443", "http://play.example:443"),
    ("http://localhost:03000", "http://localhost:3000"),
    ("*", "*"),
    ("null", "null"),
])  # fmt: skip
def test_an_entry_is_kept_in_its_plainest_form(text: str, entry: str) -> None:
    assert read_origin(text) == entry


@pytest.mark.parametrize("text", [
    "", "play.example", "https://play.example/", "https://*.play.example", "https://user@play.example", "NULL",
    "https://bücher.example", "https://play.example:65536", "https://", "https://" + "a" * 300,
])  # fmt: skip
def test_what_is_no_origin_cannot_be_listed(text: str) -> None:
    with pytest.raises(BadInput, match="is not an origin: write scheme://host"):
        read_origin(text)


@given(st.text())
def test_no_text_that_is_not_listed_gets_in(text: str) -> None:
    assert is_allowed(text, LISTED) <= (text.lower() in {*LISTED, "https://play.example:443"})


@given(st.from_regex(r"(https?|app)://[a-zA-Z0-9]([a-zA-Z0-9.-]{0,20}[a-zA-Z0-9])?(:[0-9]{1,4})?", fullmatch=True))
def test_what_can_be_listed_is_allowed_once_it_is(text: str) -> None:
    assert is_allowed(text, [read_origin(text)])
    assert read_origin(read_origin(text)) == read_origin(text)
