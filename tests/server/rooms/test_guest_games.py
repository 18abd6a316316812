"""How many games the guests of one address may start in an hour and have at once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tests.server.rooms.harness import RoomHarness, Tab, open_harness
from tests.service.parts import FakeClock
from tests.service.platforms import run_in

from ludus.service.ports.writes import PutTenant
from ludus.service.records import Tenant
from ludus.service.sessions import PAGE_TENANT

PER_HOUR, AT_ONCE = 6, 3
BOT: dict[str, Any] = {"wantsBot": True, "botDifficulty": "easy"}
WAIT_FOR_AN_END = 60


@asynccontextmanager
async def limited(folder: Path, clock: FakeClock, **limits: Any) -> AsyncIterator[RoomHarness]:
    async with open_harness(folder, clock, **limits) as harness:
        yield harness


per_hour = run_in(partial(limited, guest_games=PER_HOUR))
at_once = run_in(partial(limited, max_guest_games=AT_ONCE))


async def join(harness: RoomHarness, address: str = "192.0.2.1", **options: Any) -> tuple[Tab, Any]:
    tab = await harness.connect(address=address)
    return tab, await tab.emit("matchmaking:join", options)


def refusal(seconds: int) -> dict[str, Any]:
    message = f"too many games from this address; try again in {seconds} s"
    return {"ok": False, "error": {"code": "too_many_games", "message": message, "retryAfter": seconds}}


@per_hour
async def test_an_address_may_start_so_many_games_an_hour(harness: RoomHarness, clock: FakeClock) -> None:
    for _ in range(PER_HOUR):
        tab, answer = await join(harness, **BOT)
        assert answer["ok"]
        clock.wait(60)
    tab, answer = await join(harness, **BOT)
    seconds = 3600 - PER_HOUR * 60
    assert answer == refusal(seconds)
    assert tab.last("game:error") == answer["error"] | {"event": "matchmaking:join"}
    assert tab.is_open, "the page waits and tries again"
    assert (await join(harness, "203.0.113.5", **BOT))[1]["ok"]
    clock.wait(seconds)
    assert (await tab.emit("matchmaking:join", BOT))["ok"]


@per_hour
async def test_one_connection_counts_each_of_its_games(harness: RoomHarness) -> None:
    tab = await harness.connect()
    for _ in range(PER_HOUR):
        assert (await tab.emit("matchmaking:join", BOT))["ok"]
        await tab.act("game:resign")
    assert (await tab.emit("matchmaking:join", BOT))["error"]["code"] == "too_many_games"


@per_hour
async def test_a_rematch_counts_like_any_game(harness: RoomHarness) -> None:
    tab, _ = await join(harness, **BOT)
    for _ in range(PER_HOUR - 1):
        await tab.act("game:resign")
        assert (await tab.act("game:rematch"))["ok"]
    await tab.act("game:resign")
    assert (await tab.act("game:rematch"))["error"]["code"] == "too_many_games"
    assert (await harness.table(tab)).rematch is None


@per_hour
async def test_a_rematch_that_is_only_offered_does_not_count(harness: RoomHarness) -> None:
    one, two = await harness.guests()
    await one.act("game:resign")
    for _ in range(PER_HOUR):
        assert (await one.act("game:rematch"))["ok"]
    assert (await two.act("game:rematch"))["ok"]


@per_hour
async def test_waiting_for_an_opponent_counts_once_and_not_if_none_came(harness: RoomHarness) -> None:
    tab = await harness.connect()
    for _ in range(2 * PER_HOUR):
        assert (await tab.emit("matchmaking:join", {}))["ok"]
    for _ in range(2 * PER_HOUR):
        assert (await tab.emit("matchmaking:leave", {}))["ok"]
        assert (await tab.emit("matchmaking:join", {}))["ok"]
    assert (await tab.emit("matchmaking:join", BOT))["ok"], "tired of waiting"
    for _ in range(PER_HOUR - 1):
        assert (await join(harness, **BOT))[1]["ok"]
    assert (await join(harness))[1]["error"]["code"] == "too_many_games"


@per_hour
async def test_a_game_that_is_refused_for_another_reason_does_not_count(harness: RoomHarness) -> None:
    for _ in range(2 * PER_HOUR):
        _, answer = await join(harness, wantsBot=True, botDifficulty="nobody")
        assert answer["error"]["code"] == "unknown_option"
    assert (await join(harness, **BOT))[1]["ok"]


@per_hour
async def test_players_with_a_session_of_an_app_do_not_count(harness: RoomHarness) -> None:
    for number in range(2 * PER_HOUR):
        tab = await harness.enter(f"player {number}", match_type="bot")
        assert not tab.all("game:error")


@at_once
async def test_an_address_may_have_so_many_games_at_once(harness: RoomHarness) -> None:
    tabs = [(await join(harness, **BOT))[0] for _ in range(AT_ONCE)]
    late, answer = await join(harness, **BOT)
    assert answer == refusal(WAIT_FOR_AN_END)
    assert (await join(harness, "203.0.113.5", **BOT))[1]["ok"]
    await tabs[0].act("game:resign")
    assert (await late.emit("matchmaking:join", BOT))["ok"]


@at_once
async def test_a_game_counts_until_it_ends_even_if_its_guest_has_left(harness: RoomHarness) -> None:
    for _ in range(AT_ONCE):
        tab, _ = await join(harness, **BOT)
        await tab.drop()
    assert (await join(harness, **BOT))[1]["error"]["code"] == "too_many_games"


@at_once
async def test_coming_back_to_a_game_is_always_possible(harness: RoomHarness) -> None:
    tabs = [(await join(harness, **BOT))[0] for _ in range(AT_ONCE)]
    token = tabs[0].last("game:started")["reconnectToken"]
    await tabs[0].drop()
    back = await harness.connect(token)
    assert (await back.emit("game:reconnect", {}))["ok"]
    assert (await join(harness, **BOT))[1]["error"]["code"] == "too_many_games"


@at_once
async def test_nothing_is_kept_of_games_that_have_ended(harness: RoomHarness) -> None:
    for _ in range(AT_ONCE):
        tab, _ = await join(harness, **BOT)
        await tab.act("game:resign")
    assert not harness.guest_games._live and not harness.guest_games.busy.open


@at_once
async def test_a_game_on_the_page_that_waits_for_its_player_takes_nobodys_place(harness: RoomHarness) -> None:
    await harness.platform.store.commit(PutTenant(Tenant(PAGE_TENANT, "The page", 0)))
    tokens = []
    for number in range(AT_ONCE):
        ticket = await harness.session(f"ann{number}", tenant=PAGE_TENANT, mode="training", match_type="bot")
        tab = await harness.connect(ticket.token, address="192.0.2.1")
        assert (await tab.emit("matchmaking:join", {}))["ok"]
        await tab.drop()
        tokens.append(ticket.token)
    assert (await join(harness, **BOT))[1]["ok"], "nobody sits at the others"
    for token in tokens[1:AT_ONCE]:
        tab = await harness.connect(token, address="192.0.2.1")
        assert (await tab.emit("game:reconnect", {}))["ok"]
    assert (await join(harness, **BOT))[1] == refusal(WAIT_FOR_AN_END)
