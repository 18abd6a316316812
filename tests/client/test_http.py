"""Requests and retries."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest
from tests.client.scripted import Scripted, lost, over, refusal, state

from ludus.client import Arena, Refused, Unexpected, Unreachable
from ludus.core.errors import BadInput

MADE = {"id": "a1", "name": "Ann", "model": None, "apiKey": "k", "claim_url": "u", "verification_code": "c"}


def ask(script: Scripted, call: Any, **options: Any) -> Any:
    async def work() -> Any:
        async with script.arena(**options) as arena:
            return await call(arena)

    return asyncio.run(work())


def test_the_key_goes_with_every_request() -> None:
    script = Scripted({"status": "not_queued"})
    ask(script, lambda arena: arena.status("checkers"), key="secret")
    assert script.headers[0]["authorization"] == "Bearer secret"


def test_without_a_key_there_is_no_header() -> None:
    script = Scripted([])
    ask(script, lambda arena: arena.games(), key=None)
    assert "authorization" not in script.headers[0]


@pytest.mark.parametrize(
    "failure",
    [
        lost(),
        lost(httpx2.ConnectError),
        lost(httpx2.ReadTimeout),
        refusal(503, "stopping"),
        refusal(503, "unavailable"),
    ],
)
def test_a_retried_action_is_unchanged(failure: Any) -> None:
    script = Scripted(failure, failure, {"success": True, "state": state("waiting", 9)})
    after = ask(script, lambda arena: arena.act("m1", 7, {"type": "move", "moves": []}))
    assert after.sequence == 9
    assert script.asked[0] == script.asked[1] == script.asked[2]
    assert script.asked[0][2] == {"sequence": 7, "action": {"type": "move", "moves": []}}


def test_pauses_grow_up_to_a_limit() -> None:
    script = Scripted(*[lost()] * 5, [])
    ask(script, lambda arena: arena.games(), tries=6)
    assert all(most / 2 <= pause <= most for pause, most in zip(script.pauses, [1, 2, 3, 3, 3], strict=True))


def test_retries_end() -> None:
    script = Scripted(*[lost()] * 4)
    with pytest.raises(Unreachable, match="does not answer: connection lost"):
        ask(script, lambda arena: arena.games())
    assert script.is_done


def test_a_registration_that_may_have_arrived_is_not_repeated() -> None:
    script = Scripted(lost())
    with pytest.raises(Unreachable):
        ask(script, lambda arena: arena.register("Ann"))
    assert len(script.asked) == 1


def test_a_registration_that_may_have_been_stored_is_not_repeated() -> None:
    script = Scripted(refusal(503, "unavailable"))
    with pytest.raises(Refused, match="unavailable"):
        ask(script, lambda arena: arena.register("Ann"))
    assert len(script.asked) == 1


def test_pauses_grow_while_an_arena_cannot_store() -> None:
    script = Scripted(*[refusal(503, "unavailable", headers={"Retry-After": "1"})] * 4, [])
    ask(script, lambda arena: arena.games(), tries=2)  # however often other requests are tried
    assert all(least <= pause <= least * 2.1 for pause, least in zip(script.pauses, [1, 1, 1.5, 1.5], strict=True))


def test_a_registration_that_never_left_is_repeated() -> None:
    script = Scripted(lost(httpx2.ConnectError), httpx2.Response(201, json=MADE))
    assert ask(script, lambda arena: arena.register("Ann")).key == "k"


def test_the_arena_says_how_long_to_wait() -> None:
    script = Scripted(
        refusal(429, "rate_limited", {"retry-after": "7"}), refusal(429, "rate_limited", retryAfterMs=2500), over(3)
    )
    assert ask(script, lambda arena: arena.state("m1")).over
    assert script.pauses == [pytest.approx(7.05, abs=0.05), pytest.approx(2.55, abs=0.05)]


def test_a_wait_of_hours_is_not_waited_for() -> None:
    script = Scripted(refusal(429, "rate_limited", {"retry-after": "3600"}))
    with pytest.raises(Refused, match="rate_limited"):
        ask(script, lambda arena: arena.register("Ann"))
    assert script.pauses == []


def test_a_refusal_has_the_arenas_own_words() -> None:
    script = Scripted(refusal(400, "invalid_input", details=["name: too short", "model: too long"]))
    with pytest.raises(Refused) as caught:
        ask(script, lambda arena: arena.register("A"))
    assert (caught.value.status, caught.value.error) == (400, "invalid_input")
    assert str(caught.value) == "invalid_input (name: too short; model: too long)"


def test_a_refusal_in_an_unknown_form_is_still_a_refusal() -> None:
    script = Scripted(httpx2.Response(404, text="<html>"))
    with pytest.raises(Refused, match="status 404"):
        ask(script, lambda arena: arena.rules("checkers"))


@pytest.mark.parametrize("body", ["no JSON", "[" * 100_000, '"text"', "{}"])
def test_an_answer_outside_the_contract_is_reported(body: str) -> None:
    script = Scripted(httpx2.Response(200, text=body))
    with pytest.raises(Unexpected):
        ask(script, lambda arena: arena.state("m1"))


def test_an_address_needs_its_scheme() -> None:
    with pytest.raises(BadInput, match=r"'127\.0\.0\.1:8000' is not the address of an arena"):
        Arena("127.0.0.1:8000")
