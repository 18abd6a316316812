"""Everybody in a room gets every message once and in order, whenever they come, go and come back."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest
from tests.server.rooms.harness import Heard, Stage, Tab, staged
from tests.service.parts import FakeClock, random_play
from tests.service.platforms import spend

from ludus.games import GAMES
from ludus.service.commands import Resign
from ludus.service.table import Table

every_game = pytest.mark.parametrize("game", GAMES)


def numbered(tab: Tab) -> list[Heard]:
    """What a tab heard of the room's story."""
    return [heard for heard in tab.heard if isinstance(heard.data, dict) and "part" in heard.data]


def place(heard: Heard) -> tuple[int, int]:
    return heard.data["version"], heard.data["part"]


async def move(stage: Stage, room: str, rng: Random) -> Table:
    table = (await stage.platform.tables.load(room)).table
    return (await stage.platform.tables.execute(room, random_play(table, rng))).table


async def play_for_a_while(stage: Stage, clock: FakeClock, room: str, rng: Random) -> None:
    """A random game in which the clock is heard of, too, and which somebody gives up."""
    for _ in range(30):
        await move(stage, room, rng)
        if rng.random() < 0.2:
            await spend(stage.platform, clock, 61)
    await stage.platform.tables.execute(room, Resign(1))


async def pair_with_tokens(stage: Stage, game: str) -> tuple[Tab, str, Tab, str]:
    tickets = [await stage.session(name, game=game) for name in ("ann", "ben")]
    tabs = [await stage.connect(ticket.token, game) for ticket in tickets]
    for tab in tabs:
        await tab.emit("matchmaking:join", {})
    return tabs[0], tickets[0].token, tabs[1], tickets[1].token


@every_game
@staged
async def test_whoever_names_the_last_message_gets_exactly_those_after_it(
    stage: Stage, clock: FakeClock, game: str
) -> None:
    ann, token, _, _ = await pair_with_tokens(stage, game)
    await play_for_a_while(stage, clock, ann.room, Random(game))
    story = numbered(ann)
    assert story[-1].event == "game:over"
    assert [place(heard) for heard in story] == sorted({place(heard) for heard in story})
    for cut in [(0, 0), (1, 0), *map(place, story)]:
        back = await stage.connect(token, game)
        await back.emit("game:reconnect", {"version": cut[0], "part": cut[1]})
        assert back.heard[:-1] == [heard for heard in story if place(heard) > cut]
        assert back.heard[-1].event == "game:reconnected"
        await back.drop()


@staged
async def test_a_version_without_a_part_means_all_of_it(stage: Stage) -> None:
    ann, token, _, _ = await pair_with_tokens(stage, "backgammon")
    rng = Random(3)
    for _ in range(4):
        await move(stage, ann.room, rng)
    story = numbered(ann)
    for version in range(6):
        back = await stage.connect(token, "backgammon")
        await back.emit("game:reconnect", {"version": version})
        assert back.heard[:-1] == [heard for heard in story if heard.data["version"] > version]


@every_game
@staged
async def test_a_player_who_drops_again_and_again_misses_nothing_and_hears_nothing_twice(
    stage: Stage, game: str
) -> None:
    ann, _, ben, token = await pair_with_tokens(stage, game)
    rng, heard = Random(f"{game} drops"), list[Heard]()
    while not (await move(stage, ann.room, rng)).outcome:
        if rng.random() < 0.2:
            heard += numbered(ben)
            await ben.drop()
            for _ in range(rng.randrange(3)):
                if not (await stage.table(ann)).outcome:
                    await move(stage, ann.room, rng)
            seen = dict(zip(("version", "part"), place(heard[-1]), strict=True)) if heard else {"version": 1}
            ben = await stage.connect(token, game)
            await ben.emit("game:reconnect", seen)
            if (await stage.table(ann)).outcome:
                break
    heard += numbered(ben)
    assert heard == numbered(ann)
    assert [each.event for each in heard].count("game:over") == 1


@every_game
@staged
async def test_the_state_on_return_is_the_one_on_the_board(stage: Stage, game: str) -> None:
    ann, token, _, _ = await pair_with_tokens(stage, game)
    rng = Random(5)
    for _ in range(6):
        await move(stage, ann.room, rng)
        back = await stage.connect(token, game)
        await back.emit("game:reconnect", {})
        state, last = back.last("game:reconnected"), ann.last("game:move:made")
        same = ("board", "moveHistory") if game == "checkers" else ("board", "bar", "off", "moveHistory")
        assert {name: state[name] for name in same} == {name: last[name] for name in same}
        table = await stage.table(ann)
        assert (state["version"], state["currentTurn"]) == (table.version, table.mover)
        await back.drop()


@staged
async def test_spectators_who_come_amid_moves_see_all_that_follows_their_first_sight(stage: Stage) -> None:
    ann, *_ = await pair_with_tokens(stage, "checkers")
    rng = Random(7)
    watchers = [await stage.connect() for _ in range(12)]

    async def watch(number: int, tab: Tab) -> None:
        await asyncio.sleep(number * 0.002)
        await tab.emit("game:spectate", {"roomId": ann.room})

    async def make_moves() -> None:
        for _ in range(30):
            await move(stage, ann.room, rng)

    await asyncio.gather(make_moves(), *(watch(number, tab) for number, tab in enumerate(watchers)))
    story = numbered(ann)
    assert len(story) == 30
    for tab in watchers:
        joined, *rest = tab.heard
        assert joined.event == "game:spectate:joined"
        assert rest == [heard for heard in story if heard.data["version"] > joined.data["version"]]
        assert len(joined.data["moveHistory"]) == joined.data["version"] - 1


@staged
async def test_two_tabs_of_a_player_hear_the_same(stage: Stage) -> None:
    ann, token, _, _ = await pair_with_tokens(stage, "backgammon")
    other = await stage.connect(token, "backgammon")
    await other.emit("game:reconnect", {})
    for _ in range(5):
        await move(stage, ann.room, Random(1))
    assert numbered(other) == numbered(ann)


@staged
async def test_a_rematch_is_begun_also_if_its_news_was_told_to_somebody_who_came_in(stage: Stage) -> None:
    one, two = await stage.pair()
    room = one.room
    await one.act("game:resign")
    await one.act("game:rematch")
    first, second = await stage.connect(), await stage.connect()
    begun: list[asyncio.Task[Any]] = []

    async def before(tab: Tab, _: str) -> None:
        if tab is first:  # who comes in now waits until `first` is in, and then has the news to tell
            stage.before = None
            begun.append(asyncio.create_task(second.emit("game:spectate", {"roomId": room})))
            await asyncio.sleep(0.01)
            begun.append(asyncio.create_task(two.act("game:rematch")))
            await asyncio.sleep(0.02)

    stage.before = before
    await first.emit("game:spectate", {"roomId": room})
    await asyncio.gather(*begun)
    assert one.room == two.room != room
    assert one.names.count("game:started") == two.names.count("game:started") == 2
