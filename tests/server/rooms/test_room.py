"""Every client in a room gets every message once and in order, whenever it joins, leaves and returns."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest
from tests.room_schemas import as_strangers_see
from tests.server.rooms.harness import Received, RoomHarness, Tab, with_harness
from tests.service.parts import FakeClock, random_play
from tests.service.platforms import advance

from ludus.games import GAMES
from ludus.service.commands import Resign
from ludus.service.table import Table

every_game = pytest.mark.parametrize("game", GAMES)


def numbered(tab: Tab) -> list[Received]:
    """The numbered messages that a tab received."""
    return [received for received in tab.received if isinstance(received.data, dict) and "part" in received.data]


def place(received: Received) -> tuple[int, int]:
    return received.data["version"], received.data["part"]


async def move(harness: RoomHarness, room: str, rng: Random) -> Table:
    table = (await harness.platform.tables.load(room)).table
    result = await harness.platform.tables.execute(room, random_play(table, rng))
    await harness.platform.bus.drain()
    return result.table


async def play_for_a_while(harness: RoomHarness, clock: FakeClock, room: str, rng: Random) -> None:
    """A random game with idle warnings that ends with a resignation."""
    for _ in range(30):
        await move(harness, room, rng)
        if rng.random() < 0.2:
            await advance(harness.platform, clock, 61)
    await harness.platform.tables.execute(room, Resign(1))
    await harness.platform.bus.drain()


async def pair_with_tokens(harness: RoomHarness, game: str) -> tuple[Tab, str, Tab, str]:
    tickets = [await harness.session(name, game=game) for name in ("ann", "ben")]
    tabs = [await harness.connect(ticket.token, game) for ticket in tickets]
    for tab in tabs:
        await tab.emit("matchmaking:join", {})
    return tabs[0], tickets[0].token, tabs[1], tickets[1].token


@every_game
@with_harness
async def test_a_client_that_names_its_last_message_gets_exactly_those_after_it(
    harness: RoomHarness, clock: FakeClock, game: str
) -> None:
    ann, token, _, _ = await pair_with_tokens(harness, game)
    await play_for_a_while(harness, clock, ann.room, Random(game))
    messages = numbered(ann)
    assert messages[-1].event == "game:over"
    assert [place(received) for received in messages] == sorted({place(received) for received in messages})
    for cut in [(0, 0), (1, 0), *map(place, messages)]:
        back = await harness.connect(token, game)
        await back.emit("game:reconnect", {"version": cut[0], "part": cut[1]})
        assert back.received[:-1] == [received for received in messages if place(received) > cut]
        assert back.received[-1].event == "game:reconnected"
        await back.drop()


@with_harness
async def test_a_version_without_a_part_means_all_of_it(harness: RoomHarness) -> None:
    ann, token, _, _ = await pair_with_tokens(harness, "backgammon")
    rng = Random(3)
    for _ in range(4):
        await move(harness, ann.room, rng)
    messages = numbered(ann)
    for version in range(6):
        back = await harness.connect(token, "backgammon")
        await back.emit("game:reconnect", {"version": version})
        assert back.received[:-1] == [received for received in messages if received.data["version"] > version]


@every_game
@with_harness
async def test_a_player_who_keeps_disconnecting_gets_every_message_once(harness: RoomHarness, game: str) -> None:
    ann, _, ben, token = await pair_with_tokens(harness, game)
    rng, received = Random(f"{game} drops"), list[Received]()
    while not (await move(harness, ann.room, rng)).outcome:
        if rng.random() < 0.2:
            received += numbered(ben)
            await ben.drop()
            for _ in range(rng.randrange(3)):
                if not (await harness.table(ann)).outcome:
                    await move(harness, ann.room, rng)
            seen = dict(zip(("version", "part"), place(received[-1]), strict=True)) if received else {"version": 1}
            ben = await harness.connect(token, game)
            await ben.emit("game:reconnect", seen)
            if (await harness.table(ann)).outcome:
                break
    received += numbered(ben)
    assert received == numbered(ann)
    assert [each.event for each in received].count("game:over") == 1


@every_game
@with_harness
async def test_the_state_on_return_is_the_one_on_the_board(harness: RoomHarness, game: str) -> None:
    ann, token, _, _ = await pair_with_tokens(harness, game)
    rng = Random(5)
    for _ in range(6):
        await move(harness, ann.room, rng)
        back = await harness.connect(token, game)
        await back.emit("game:reconnect", {})
        state, last = back.last("game:reconnected"), ann.last("game:move:made")
        same = ("board", "moveHistory") if game == "checkers" else ("board", "bar", "off", "moveHistory")
        assert {name: state[name] for name in same} == {name: last[name] for name in same}
        table = await harness.table(ann)
        assert (state["version"], state["currentTurn"]) == (table.version, table.mover)
        await back.drop()


@with_harness
async def test_spectators_who_join_between_moves_get_all_later_messages(harness: RoomHarness) -> None:
    ann, *_ = await pair_with_tokens(harness, "checkers")
    rng = Random(7)
    watchers = [await harness.connect() for _ in range(12)]

    async def watch(number: int, tab: Tab) -> None:
        await asyncio.sleep(number * 0.002)
        await tab.emit("game:spectate", {"roomId": ann.room})

    async def make_moves() -> None:
        for _ in range(30):
            await move(harness, ann.room, rng)

    await asyncio.gather(make_moves(), *(watch(number, tab) for number, tab in enumerate(watchers)))
    messages, players = numbered(ann), ann.last("game:started")["players"]
    assert len(messages) == 30
    for tab in watchers:
        joined, *rest = tab.received
        assert joined.event == "game:spectate:joined"
        later = [received for received in messages if received.data["version"] > joined.data["version"]]
        assert rest == [Received(event, as_strangers_see(data, players)) for event, data in later]
        assert len(joined.data["moveHistory"]) == joined.data["version"] - 1


@with_harness
async def test_two_tabs_of_a_player_get_the_same_messages(harness: RoomHarness) -> None:
    ann, token, _, _ = await pair_with_tokens(harness, "backgammon")
    other = await harness.connect(token, "backgammon")
    await other.emit("game:reconnect", {})
    for _ in range(5):
        await move(harness, ann.room, Random(1))
    assert numbered(other) == numbered(ann)


@with_harness
async def test_a_rematch_starts_even_if_a_joining_client_caught_up_with_it_first(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    room = one.room
    await one.act("game:resign")
    await one.act("game:rematch")
    first, second = await harness.connect(), await harness.connect()
    begun: list[asyncio.Task[Any]] = []

    async def before(tab: Tab, _: str) -> None:
        if tab is first:  # `second` now waits for `first`, and then catches up with the rematch
            harness.before = None
            begun.append(asyncio.create_task(second.emit("game:spectate", {"roomId": room})))
            await asyncio.sleep(0.01)
            begun.append(asyncio.create_task(two.act("game:rematch")))
            await asyncio.sleep(0.02)

    harness.before = before
    await first.emit("game:spectate", {"roomId": room})
    await asyncio.gather(*begun)
    assert one.room == two.room != room
    assert one.names.count("game:started") == two.names.count("game:started") == 2


@every_game
@with_harness
async def test_compact_and_other_clients_share_a_room(harness: RoomHarness, clock: FakeClock, game: str) -> None:
    ann, token, ben, _ = await pair_with_tokens(harness, game)
    short = await harness.connect_compact(token, game)
    await short.emit("game:reconnect", {})
    watcher = await harness.connect_compact(game=game)
    await watcher.emit("game:spectate", {"roomId": ann.room})
    for tab in (short, watcher):
        assert tab.received[0].data["moveHistory"] == []
    await play_for_a_while(harness, clock, ann.room, Random(game))
    assert numbered(ben) == numbered(ann)
    for tab in (short, watcher):
        assert [(each.event, *place(each)) for each in numbered(tab)] == [
            (each.event, *place(each)) for each in numbered(ann)
        ]
        assert [data["moveNumber"] for data in tab.all("game:move:made")] == [
            len(data["moveHistory"]) for data in ann.all("game:move:made")
        ]
        assert not any("moveHistory" in data for data in tab.all("game:move:made"))


@every_game
@with_harness
async def test_a_compact_client_that_returns_gets_what_it_missed_in_that_form(harness: RoomHarness, game: str) -> None:
    ann, token, _, _ = await pair_with_tokens(harness, game)
    short = await harness.connect_compact(token, game)
    await short.emit("game:reconnect", {})
    rng = Random(9)
    for _ in range(8):
        await move(harness, ann.room, rng)
    messages = numbered(short)
    back = await harness.connect_compact(token, game)
    await back.emit("game:reconnect", {"version": 4})
    assert back.received[:-1] == [received for received in messages if received.data["version"] > 4]
    assert back.last("game:reconnected")["moveHistory"] == ann.last("game:move:made")["moveHistory"]


@with_harness
async def test_who_stayed_and_is_compact_gets_no_state_when_the_opponent_returns(harness: RoomHarness) -> None:
    ann, ann_token, ben, ben_token = await pair_with_tokens(harness, "checkers")
    short = await harness.connect_compact(ann_token)
    await short.emit("game:reconnect", {})
    await ben.drop()
    back = await harness.connect(ben_token)
    await back.emit("game:reconnect", {})
    assert ann.names[-2:] == ["player:reconnected", "game:reconnected"]
    assert short.names[-2:] == ["player:disconnected", "player:reconnected"]


@pytest.mark.parametrize("compact", ["yes", 1, None, []])
@with_harness
async def test_compact_is_true_or_false(harness: RoomHarness, compact: object) -> None:
    tab = await harness.connect_with({"compact": compact})
    assert not tab.is_open and tab.refusal["data"]["code"] == "malformed"
