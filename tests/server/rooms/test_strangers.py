"""No message to a spectator has a player's name, or the id their app knows them by."""

from __future__ import annotations

import json
from random import Random

import pytest
from tests.server.rooms.harness import RoomHarness, Tab, with_harness
from tests.service.parts import FakeClock, random_play
from tests.service.platforms import advance

NAMES = ("user-4711", "user-4712")
SECRETS = ("user-", "User-")


def said(tab: Tab) -> str:
    return json.dumps([received.data for received in tab.received])


async def play(harness: RoomHarness, room: str, moves: int) -> None:
    for _ in range(moves):
        table = (await harness.platform.tables.load(room)).table
        await harness.platform.tables.execute(room, random_play(table, Random(1)))


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
@with_harness
async def test_a_spectator_learns_neither_names_nor_ids(harness: RoomHarness, clock: FakeClock, game: str) -> None:
    tickets = [await harness.session(name, game=game) for name in NAMES]
    tabs = [await harness.connect(ticket.token, game) for ticket in tickets]
    for tab in tabs:
        await tab.emit("matchmaking:join", {})
    room = tabs[0].room
    early, late = await harness.connect(game=game), await harness.connect(game=game)
    await early.emit("game:spectate", {"roomId": room})
    await play(harness, room, 4)
    await advance(harness.platform, clock, 61)
    await early.emit("afk:check", {"roomId": room})
    await tabs[0].drop()
    back = await harness.connect(tickets[0].token, game)
    await back.emit("game:reconnect", {})
    if game == "checkers":
        await tabs[1].act("game:draw:offer")
        await back.emit("game:draw:decline", {"roomId": room})
    await tabs[1].act("game:resign")
    await late.emit("game:spectate", {"roomId": room})
    for tab in (tabs[1], back):
        await tab.emit("game:rematch", {"roomId": room})
    heard = {"game:spectate:joined", "game:move:made", f"{game}:afk_warning", "player:disconnected", "game:over"}
    assert heard | {"game:rematch:agreed", "afk:status"} <= set(early.names)
    assert {"game:spectate:joined", "game:over"} <= set(late.names)
    assert all(secret in said(tabs[1]) for secret in SECRETS)
    for spectator in (early, late):
        assert "person:0" in said(spectator) and not [secret for secret in SECRETS if secret in said(spectator)]


@with_harness
async def test_a_player_of_another_room_is_a_stranger_too(harness: RoomHarness) -> None:
    one, _ = await harness.enter(NAMES[0]), await harness.enter(NAMES[1])
    other = await harness.enter("cid", match_type="bot")
    await other.emit("game:spectate", {"roomId": one.room})
    await one.act("game:resign")
    assert other.last("game:over")["winner"].startswith("person:")
    assert not [secret for secret in SECRETS if secret in said(other)]
