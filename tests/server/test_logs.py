"""Every line goes one way, carries its ids, and gives nothing secret away."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jwt
import pytest
import structlog
from hypothesis import example, given
from hypothesis import strategies as st
from tests.service.parts import FakeClock
from tests.service.platforms import FirstMove, advance, enter, found_tenant, open_platform, play, seated, until, wanted

from ludus.server.logs import MAX_CAUSES, REDACTED, Cause, Throttle, about, open_logs, scrubbed
from ludus.service import bots
from ludus.service.ports.store import Unavailable

OPAQUE = st.text(string.ascii_letters + string.digits + "_-", min_size=12, max_size=40).map("Zq9".__add__)
"""A token that no pattern recognizes."""
FORMS = st.sampled_from(["text", "json"])


def signed(claims: dict[str, int]) -> str:
    return jwt.encode(claims, "k" * 32, algorithm="HS256")


JWTS = st.dictionaries(st.sampled_from(["exp", "iat", "x"]), st.integers(0, 10**9)).map(signed)
KEYS = st.builds("ludus_{}_{}".format, st.sampled_from(["live", "test"]), OPAQUE)
NAMES = st.sampled_from([
    "token", "secret", "authorization", "key", "password", "cookie", "Authorization", "Set-Cookie", "apiKey", "api_key",
    "sessionToken", "webhookSecret", "liveKey", "keys", "X-API-KEY",
])  # fmt: skip
PLAIN = st.sampled_from(["a", "user", "headers", "0", "payload"])
WAYS: list[Callable[[str], str]] = [
    "GET /socket.io/?EIO=4&token={}&transport=polling".format,
    "https://house.example/v1/sessions/validate?token={}".format,
    "next=https%3A%2F%2Fhouse.example%2F%3Ftoken%3D{}".format,
    "Authorization: Bearer {}".format,
    "authorization: Basic {}".format,
    "bearer  {} was refused".format,
    "Cookie: session={}; theme=dark".format,
    '{{"sessionToken": "{}"}}'.format,
    '{{\\"token\\": \\"{}\\"}}'.format,
    "{{'token': '{}'}}".format,
    "Session(id='1', token='{}')".format,
    "[(b'authorization', b'Bearer {}')]".format,
    "('secret', '{}')".format,
    "password={} host=db".format,
    "postgresql://ludus:{}@db/ludus".format,
    "postgresql://ludus:a:{}@b@db/ludus".format,
    "bad webhook secret whsec_{}".format,
]


@pytest.fixture(autouse=True)
def untouched() -> Iterator[None]:
    """Leaves logging as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def opened(form: str, level: str = "info") -> io.StringIO:
    stream = io.StringIO()
    open_logs(level, form, stream)
    return stream


def nested(leaf: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """The leaf deep in dicts, lists, tuples and bytes."""
    return st.recursive(
        leaf,
        lambda inner: (
            st.dictionaries(PLAIN, inner, min_size=1, max_size=2)
            | st.lists(inner, min_size=1, max_size=3)
            | st.tuples(st.just("x"), inner)
        ),
        max_leaves=4,
    )


def hidden_at_some_depth(token: str) -> st.SearchStrategy[Any]:
    """The token under a name that says what it is, as text, bytes, a pair or something larger."""
    value = st.sampled_from([token, token.encode(), [token], {"a": {"b": token}}])
    named = st.dictionaries(NAMES, value, min_size=1) | st.tuples(NAMES, value)
    raw = st.tuples(NAMES.map(str.encode), st.just(token.encode()))
    return nested(named | raw)


@given(FORMS, OPAQUE, st.data())
def test_a_token_under_its_name_never_appears(form: str, token: str, data: st.DataObject) -> None:
    stream = opened(form)
    value = data.draw(hidden_at_some_depth(token))
    structlog.get_logger().info("seen", payload=value, **{data.draw(NAMES): token})
    with about(table=value):
        logging.getLogger("library").warning("seen")
    assert stream.getvalue().count("seen") == 2
    assert token not in stream.getvalue()


@pytest.mark.parametrize("way", WAYS, ids=[way("T") for way in WAYS])
def test_every_way_to_write_a_secret_is_known(way: Callable[[str], str]) -> None:
    assert "Zq9-opaque_0" not in scrubbed(way("Zq9-opaque_0"))


@pytest.mark.parametrize("text", ["passw" * 100_000, "a-" * 100_000 + "passw" + "d" * 100_000, "token" * 100_000])
def test_long_words_cost_little(text: str) -> None:
    assert scrubbed(text) == text


@given(FORMS, OPAQUE | JWTS | KEYS, st.sampled_from(WAYS), st.data())
def test_a_token_in_a_text_never_appears(form: str, token: str, way: Callable[[str], str], data: st.DataObject) -> None:
    stream = opened(form)
    text = way(token)
    structlog.get_logger().info(text, value=data.draw(nested(st.just(text))))
    logging.getLogger("uvicorn.access").info('%s - "%s"', "127.0.0.1", text)
    try:
        raise ValueError(text)
    except ValueError:
        structlog.get_logger().exception("failed")
        logging.getLogger("library").exception("failed")
    assert stream.getvalue().count("Traceback") == 2
    assert token not in stream.getvalue()


@given(FORMS, JWTS | KEYS, st.text(" abc/.\"'{}[]=:,\n", max_size=20), st.text(" /\"'}])\n&;,", max_size=5))
@example("text", signed({}), "", "")
def test_a_token_with_a_look_of_its_own_never_appears_wherever_it_is(
    form: str, token: str, before: str, after: str
) -> None:
    stream = opened(form)
    structlog.get_logger().info(before + token + after, roomId=token, **{"k" + token[-4:]: [token]})
    logging.getLogger("library").info("%s", {token: token})
    assert stream.getvalue().count("[info") + stream.getvalue().count('"level"') == 2
    assert token not in stream.getvalue()


@pytest.mark.parametrize("text", [
    "the monkey sat on the keyboard", "GET /v1/rooms?game=checkers", "game 17: 11-15 23-19", "it took 3.5 s",
    "KeyError: 'roomId'", "http://127.0.0.1:8000/v1/rooms", "see https://example.org/a:b",
])  # fmt: skip
def test_what_is_no_secret_stays(text: str) -> None:
    assert scrubbed(text) == text


def test_the_rest_of_a_line_stays() -> None:
    assert (
        scrubbed("GET /socket.io/?EIO=4&token=abc&t=1 HTTP/1.1")
        == f"GET /socket.io/?EIO=4&token={REDACTED}&t=1 HTTP/1.1"
    )
    assert scrubbed("postgresql://ludus:p@ss@db/ludus") == f"postgresql://ludus:{REDACTED}@db/ludus"


def test_ids_are_bound_to_the_lines_inside_and_to_no_others() -> None:
    stream = opened("json")
    with about(request="r1"):
        with about(table="t1"):
            structlog.get_logger().info("inner", moves=3)
        logging.getLogger("library").warning("foreign")
    structlog.get_logger().info("outer")
    inner, foreign, outer = (json.loads(line) for line in stream.getvalue().splitlines())
    assert (inner["request"], inner["table"], inner["moves"], inner["level"]) == ("r1", "t1", 3, "info")
    assert (foreign["request"], foreign["event"], foreign["logger"]) == ("r1", "foreign", "library")
    assert "table" not in foreign
    assert "request" not in outer
    assert inner["timestamp"].endswith("Z")


@pytest.mark.parametrize("form", ["text", "json"])
def test_lines_below_the_level_are_not_written(form: str) -> None:
    stream = opened(form, "warning")
    structlog.get_logger().info("quiet")
    logging.getLogger("library").info("quiet")
    structlog.get_logger().warning("loud")
    logging.getLogger("library").warning("loud")
    assert "quiet" not in stream.getvalue()
    assert stream.getvalue().count("loud") == 2


@pytest.mark.parametrize("form", ["text", "json"])
def test_tracebacks_are_written(form: str) -> None:
    stream = opened(form)
    try:
        raise ZeroDivisionError("by nothing")
    except ZeroDivisionError:
        structlog.get_logger().exception("failed")
    assert "ZeroDivisionError: by nothing" in stream.getvalue()
    assert "test_tracebacks_are_written" in stream.getvalue()


def test_nobody_forges_a_line_or_moves_the_cursor() -> None:
    stream = opened("text")
    structlog.get_logger().info("joined\n2026-01-01 [info] forged", username="\x1b[2Jx", mean="a\u2028b\x85c\r\nd")
    logging.getLogger("library").info("also\nforged \x9b")
    assert len(stream.getvalue().splitlines()) == 2
    assert "\x1b" not in stream.getvalue()
    assert r"username=\x1b[2Jx" in stream.getvalue()


def test_uvicorn_has_no_way_of_its_own() -> None:
    logger = logging.getLogger("uvicorn.access")
    aside = io.StringIO()
    logger.addHandler(logging.StreamHandler(aside))
    logger.propagate = False
    stream = opened("text")
    logger.info('%s - "GET %s"', "127.0.0.1", "/?token=abc123")
    assert aside.getvalue() == ""
    assert f"token={REDACTED}" in stream.getvalue()


@pytest.mark.parametrize(("level", "lines"), [("info", 1), ("warning", 0)])
def test_a_text_that_cannot_be_read_is_no_error_of_ours(level: str, lines: int) -> None:
    stream = opened("text", level)
    try:
        b"\xff".decode()
    except UnicodeDecodeError:
        logging.getLogger("uvicorn.error").exception("Invalid UTF-8 sequence received from client.")
    assert stream.getvalue().count("[info ") == len(stream.getvalue().splitlines()) == lines


def test_opening_the_logs_again_moves_them() -> None:
    first, second = opened("text"), opened("json")
    structlog.get_logger().info("moved")
    assert first.getvalue() == ""
    assert second.getvalue().count("moved") == 1


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError("token=abc123")


class Session(NamedTuple):
    id: str
    token: str


def test_whatever_is_logged_comes_out_as_something() -> None:
    stream = opened("json")
    loop: list[object] = []
    loop.append(loop)
    numbers: dict[int, set[int]] = {1: {2}}
    structlog.get_logger().info("odd", a=Broken(), b=loop, c=numbers, d=Session("s1", "abc123"), e=b"\xff", f=object)
    line = json.loads(stream.getvalue())
    assert line["a"] == "<a Broken whose repr raised RuntimeError>"
    assert "[too deep]" in str(line["b"])
    assert (line["c"], line["d"], line["e"]) == ({"1": [2]}, {"id": "s1", "token": REDACTED}, "\\xff")
    assert "abc123" not in stream.getvalue()


def test_a_line_that_cannot_be_written_is_mentioned_without_its_content(capsys: pytest.CaptureFixture[str]) -> None:
    stream = opened("text")
    logging.getLogger("library").info("%d moves", "token=abc123")
    said = "".join(capsys.readouterr()) + stream.getvalue()
    assert said == "a line of library could not be logged\n"


def about_table(stream: io.StringIO, event: str) -> list[str]:
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    return [line["table"] for line in lines if line["event"] == event]


def test_a_line_about_a_bot_that_fails_says_at_which_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "RETRY_SECONDS", 0)
    stream = opened("json")

    async def tell() -> str:
        async with open_platform(tmp_path, FakeClock(), FirstMove(failures=1)) as platform:
            await found_tenant(platform)
            table = await enter(platform, await platform.sessions.create(wanted(match_type="bot")))
            assert table is not None
            await play(platform, table.id)
            await until(lambda: not platform.bots._running)
            return table.id

    table = asyncio.run(tell())
    assert about_table(stream, "a bot could not act: this bot fails on purpose") == [table]


def test_a_line_about_a_table_that_cannot_be_looked_after_says_which(tmp_path: Path) -> None:
    stream = opened("json")

    async def tell() -> str:
        clock = FakeClock()
        async with open_platform(tmp_path, clock) as platform:
            await found_tenant(platform)
            good, *_ = await seated(platform)
            bad, *_ = await seated(platform)
            (await platform.tables.load(bad.id)).table = None  # type: ignore[assignment]  # as broken as can be
            await advance(platform, clock, 61)
            assert (await platform.tables.load(good.id)).table.is_warned
            return bad.id

    bad = asyncio.run(tell())
    assert about_table(stream, "a table could not be swept") == [bad]


class Storm:
    """Lines of the log, at times that the test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, form: str = "text") -> None:
        self.time = 1000.0
        monkeypatch.setattr(Throttle.__init__, "__defaults__", (lambda: self.time,))
        self._stream = opened(form)

    def take(self) -> list[str]:
        said = self._stream.getvalue().splitlines()
        self._stream.seek(0)
        self._stream.truncate()
        return said


def fail(log: Any, times: int, error: Exception | None = None) -> None:
    for _ in range(times):
        try:
            raise error or ValueError("no such thing")
        except Exception:
            log.exception("it failed")


@pytest.mark.parametrize("log", [logging.getLogger("ours"), structlog.get_logger("ours")])
def test_a_storm_is_one_traceback_and_then_a_line_a_second(log: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    storm = Storm(monkeypatch)
    fail(log, 1000)
    said = storm.take()
    assert [line for line in said if "it failed" in line] == said[:1]
    assert said[-1] == "ValueError: no such thing"
    storm.time += 1
    fail(log, 1000)
    (line,) = storm.take()
    assert "it failed" in line and "ValueError: no such thing" in line and "999" in line
    storm.time += 60
    fail(log, 1)
    assert storm.take()[-1] == "ValueError: no such thing"


def test_other_causes_are_not_suppressed(monkeypatch: pytest.MonkeyPatch) -> None:
    storm = Storm(monkeypatch)
    log = logging.getLogger("ours")
    for text in ("too hot", "too cold", "too hot"):
        log.warning(text)
    fail(log, 2)
    fail(log, 2, KeyError("other"))
    said = "\n".join(storm.take())
    assert [said.count(text) for text in ("too hot", "too cold", "it failed")] == [1, 1, 2]


def test_every_request_has_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = Storm(monkeypatch)
    for _ in range(5):
        structlog.get_logger("ludus.access").info("request", status=200)
    assert len(lines.take()) == 5


def test_the_end_of_a_storm_is_counted_by_the_next_line(monkeypatch: pytest.MonkeyPatch) -> None:
    storm = Storm(monkeypatch)
    for _ in range(10):
        logging.getLogger("ours").warning("too hot")
    storm.take()
    storm.time += 5
    logging.getLogger("other").warning("good news")
    said = storm.take()
    assert "too hot (9 more like this)" in said[0]
    assert "good news" in said[1]


def test_a_failing_store_leaves_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    storm = Storm(monkeypatch)
    for name in ("ours", "theirs"):
        fail(logging.getLogger(name), 2, Unavailable("disk full"))
    fail(structlog.get_logger("third"), 2, Unavailable("disk full"))
    said = storm.take()
    assert len(said) == 3
    assert all("disk full" in line for line in said)


def test_causes_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    throttle = Throttle(lambda: 0.0)
    for number in range(2 * MAX_CAUSES):
        throttle.admit(Cause("ours", str(number), None))
    assert len(throttle._seen) == MAX_CAUSES
