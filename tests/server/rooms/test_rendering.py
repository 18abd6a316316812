"""Messages are rendered once for all who ask, and are the same as if they were rendered for each."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import orjson
import pytest
from tests.server.rooms.harness import RoomHarness, Tab, with_harness
from tests.server.rooms.test_room import move, pair_with_tokens
from tests.service.games import finished_game
from tests.service.parts import redaction

from ludus.games import GAMES
from ludus.server.rooms.messages import MessageRenderer
from ludus.server.rooms.rendering import Cursor, Rendering, Renderings
from ludus.service.commands import Resign
from ludus.service.documents import SizedCache
from ludus.service.table import folded
from ludus.service.tables import LoadedTable

every_game = pytest.mark.parametrize("game", GAMES)
MANY = 25


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """How often each version was rendered."""
    counts: Counter[int] = Counter()
    render = MessageRenderer.render

    def counting(self: MessageRenderer, event: Any, table: Any, *forms: Any) -> Any:
        counts[event.version] += 1
        return render(self, event, table, *forms)

    monkeypatch.setattr(MessageRenderer, "render", counting)
    return counts


async def finished(harness: RoomHarness, game: str) -> tuple[str, str]:
    """A finished game's room, which everyone has left, and a token of one of its players."""
    ann, token, ben, _ = await pair_with_tokens(harness, game)
    room = ann.room
    for _ in range(20):
        await move(harness, room, Random(5))
    await harness.platform.tables.execute(room, Resign(1))
    await ann.drop()
    await ben.drop()
    return room, token


async def watch(harness: RoomHarness, room: str, game: str) -> Tab:
    tab = await harness.connect(game=game)
    assert (await tab.emit("game:spectate", {"roomId": room}))["ok"]
    return tab


@every_game
@with_harness
async def test_many_spectators_of_a_finished_game_share_one_build(
    harness: RoomHarness, game: str, rendered: Counter[int]
) -> None:
    room, _ = await finished(harness, game)
    first = await watch(harness, room, game)
    await first.drop()
    rendered.clear()
    for _ in range(MANY):
        tab = await watch(harness, room, game)  # the room is empty each time, as for strangers who come and go
        assert tab.received == first.received
        assert tab.names[0] == "game:spectate:joined" and tab.names[-1] == "game:over"
        await tab.drop()
    assert not rendered


@every_game
@with_harness
async def test_a_player_who_returns_again_and_again_gets_the_end_from_one_build(
    harness: RoomHarness, game: str, rendered: Counter[int]
) -> None:
    room, token = await finished(harness, game)
    back = await harness.connect(token, game)
    await back.emit("game:reconnect", {"version": 0})
    await back.drop()
    rendered.clear()
    for _ in range(MANY):
        again = await harness.connect(token, game)
        assert (await again.emit("game:reconnect", {"version": 0}))["roomId"] == room
        assert again.received == back.received
        await again.drop()
    assert not rendered


@every_game
@with_harness
async def test_a_live_game_is_rendered_on_from_where_it_was(
    harness: RoomHarness, game: str, rendered: Counter[int]
) -> None:
    ann, _, _, _ = await pair_with_tokens(harness, game)
    rng = Random(3)
    for _ in range(10):
        await move(harness, ann.room, rng)
    await (await watch(harness, ann.room, game)).drop()
    rendered.clear()
    table = await move(harness, ann.room, rng)
    await watch(harness, ann.room, game)
    assert set(rendered) == {table.version} and rendered[table.version] == 2  # for players, and for spectators


@every_game
@with_harness
async def test_the_name_of_a_deleted_player_is_not_kept(harness: RoomHarness, game: str) -> None:
    room, token = await finished(harness, game)
    back = await harness.connect(token, game)
    await back.emit("game:reconnect", {})
    await back.drop()
    renderings: Renderings = harness.gateway._seats._renderings
    assert len(renderings._cache) > 0
    harness.platform.tables.discard(room)
    assert len(renderings._cache) == 0


@with_harness
async def test_who_is_still_there_sees_no_name_whose_deletion_was_not_heard_of(harness: RoomHarness) -> None:
    ann, _, ben, token = await pair_with_tokens(harness, "checkers")
    tables = harness.platform.tables
    await tables.execute(ann.room, Resign(1))
    live = await tables.load(ann.room)
    seat = live.table.seat_of("acme/live/ann")
    assert seat is not None
    await harness.platform.store.commit(redaction(live, seat))
    await tables.catch_up()
    again = await harness.connect(token)  # Ben's first tab keeps the room
    assert (await again.emit("game:reconnect", {"version": 0}))["ok"]
    assert "Ann" in str(ben.received)
    assert len(again.received) > 1 and "Ann" not in str(again.received)


@with_harness
async def test_a_player_whose_deletion_was_not_heard_of_is_disconnected(harness: RoomHarness) -> None:
    ann, _, ben, _ = await pair_with_tokens(harness, "checkers")
    waiting = await harness.connect()
    tables = harness.platform.tables
    await tables.execute(ann.room, Resign(1))
    live = await tables.load(ann.room)
    seat = live.table.seat_of("acme/live/ann")
    assert seat is not None
    await harness.gateway.end_erased()
    assert ann.is_open
    await harness.platform.store.commit(redaction(live, seat))
    await harness.platform._read_changes()
    await harness.settle()
    assert [tab.is_open for tab in (ann, ben, waiting)] == [False, True, True]


@every_game
@pytest.mark.parametrize("is_public", [False, True])
def test_messages_are_those_of_a_plain_renderer(game: str, is_public: bool) -> None:
    events = finished_game(game).events
    live = LoadedTable(list(events), folded(events))
    plain = MessageRenderer(live.table, None)
    expected = [message for event in events for message in plain.render(event, live.table)]
    rendering = Rendering(live.table, is_public=is_public)
    rendering.catch_up(live, len(events) // 2)
    half = rendering.after(Cursor(0, -1), live)
    rendering.catch_up(live, len(events))
    whole = rendering.after(Cursor(0, -1), live)
    assert [message.event for message in whole] == [message.event for message in expected]
    if not is_public:
        for is_compact in (False, True):
            kept = rendering.after(Cursor(0, -1), live, is_compact=is_compact)
            assert [orjson.loads(orjson.dumps(each.data)) for each in kept] == [
                orjson.loads(orjson.dumps(each.form(is_compact=is_compact))) for each in expected
            ]
    assert [orjson.dumps(each.data) for each in half] == [orjson.dumps(each.data) for each in whole[: len(half)]]
    assert rendering.size > sum(len(each.start) for each in rendering._rendered) / 2


def test_a_cache_keeps_what_was_used_last_within_its_size() -> None:
    cache: SizedCache[str, str] = SizedCache(1500 + 400)
    for key in "abc":
        cache.put(key, key, 300)
    assert cache.get("a") == "a"
    cache.put("d", "d", 300)
    assert [cache.get(key) for key in "abcd"] == ["a", None, "c", "d"]
    assert cache.size == 3 * 500
    cache.put("a", "A", 1200)
    assert (cache.get("a"), len(cache), cache.size) == ("A", 2, 1900)
    cache.put("e", "e", 5000)
    assert (len(cache), cache.size) == (0, 0)
