"""The doubling cube, matches and offered resignations over the sockets of rooms."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.server.rooms.harness import RoomHarness, Tab, open_harness, with_harness
from tests.service.parts import FakeClock
from tests.service.platforms import FirstMove, run_in, until

from ludus.engines.engine import Limit, Line
from ludus.engines.review import Assessment
from ludus.games import GAMES
from ludus.service.table import folded
from ludus.service.time_control import Kind, TimeControl

CUBE = "standard+cube"
MATCH = "standard+match3"
MONEY = "standard+cube+jacoby+beavers"
NEW = {"cube", "match", "options", "resignOffer", "ended", "stake"}


class Players:
    """Two players at a table; the events say whose turn it is."""

    def __init__(self, *tabs: Tab, tokens: Sequence[str] = ()) -> None:
        self.tabs = {tab.id: tab for tab in tabs}
        self.tokens = dict(zip(self.tabs, tokens, strict=False))

    @property
    def shown(self) -> Any:
        """The last message with a turn."""
        tab = next(iter(self.tabs.values()))
        return next(data for _, data in reversed(tab.received) if "currentPlayerId" in data)

    @property
    def mover(self) -> Tab:
        return self.tabs[self.shown["currentPlayerId"]]

    @property
    def cube(self) -> Any:
        tab = next(iter(self.tabs.values()))
        return next(data["cube"] for _, data in reversed(tab.received) if "cube" in data)

    def other(self, tab: Tab) -> Tab:
        return next(each for each in self.tabs.values() if each is not tab)

    async def play(self) -> None:
        """The first legal play of the player to move."""
        moves = (await self.mover.act("game:get_moves", ackOnly=True))["moves"]
        assert (await self.mover.act("game:move", move={"moves": moves[0]}))["ok"]

    async def until_cube(self) -> Tab:
        while not self.is_cube_due:
            await self.play()
        return self.mover

    @property
    def is_cube_due(self) -> bool:
        return self.shown.get("dice") == [] and bool(self.cube["actions"])


async def seated(harness: RoomHarness, variant: str = CUBE, **changes: Any) -> Players:
    tickets = [await harness.session(name, game="backgammon", variant=variant, **changes) for name in ("ann", "ben")]
    tabs = [await harness.connect(ticket.token, "backgammon") for ticket in tickets]
    for tab in tabs:
        await tab.emit("matchmaking:join")
    return Players(*tabs, tokens=[ticket.token for ticket in tickets])


@with_harness
async def test_a_plain_game_has_nothing_new_in_its_messages(harness: RoomHarness) -> None:
    players = Players(*await harness.pair(game="backgammon"))
    for _ in range(6):
        await players.play()
    await players.mover.act("game:resign")
    for tab in players.tabs.values():
        assert not [name for name, data in tab.received if NEW & set(data)]
        assert {tuple(data["move"]) for name, data in tab.received if name == "game:move:made"} == {("moves",)}


@with_harness
async def test_the_state_shows_the_options_the_cube_and_the_score(harness: RoomHarness) -> None:
    players = await seated(harness, MATCH)
    for tab in players.tabs.values():
        started = tab.last("game:started")
        assert started["options"] == {"matchLength": 3, "cube": True}
        assert started["match"] == {"length": 3, "score": {"white": 0, "black": 0}, "isCrawford": False, "game": 1}
        assert (started["cube"]["value"], started["cube"]["owner"], started["cube"]["actions"]) == (1, None, [])


@with_harness
async def test_a_player_who_may_double_is_asked_before_the_roll(harness: RoomHarness) -> None:
    players = await seated(harness)
    mover = await players.until_cube()
    assert players.cube["actions"] == ["roll", "double"]
    asked = await mover.act("game:get_moves", ackOnly=True)
    assert [move["cube"] for move in asked["moves"]] == ["roll", "double"]
    refused = await mover.act("game:move", move={"moves": []})
    assert (refused["error"]["code"], "roll, double" in refused["error"]["message"]) == ("illegal_move", True)
    explained = await mover.act("game:get_moves", ackOnly=True, explain=True, position=24)
    assert (explained["moves"], explained["refusal"]) == ([], {"reason": "cube_first", "places": []})
    assert (await mover.act("game:roll"))["ok"]
    assert [name for name, _ in mover.received[-2:]] == ["game:move:made", "game:dice"]
    made = mover.last("game:move:made")
    assert made["move"] == {"moves": [], "cube": "roll"} and made["moveHistory"][-1]["dice"] == []
    refused = await mover.act("game:double:offer")
    assert (refused["error"]["code"], "already rolled" in refused["error"]["message"]) == ("illegal_move", True)


@with_harness
async def test_a_match_to_three_points_from_start_to_end(harness: RoomHarness) -> None:
    players = await seated(harness, MATCH)
    spectator = await harness.connect(game="backgammon")
    room = next(iter(players.tabs.values())).room
    await spectator.emit("game:spectate", {"roomId": room})
    leader = await players.until_cube()  # the first game: doubled and dropped
    loser = players.other(leader)
    colors = {tab.id: tab.last("game:started")["color"] for tab in players.tabs.values()}
    assert (await leader.act("game:double:offer"))["ok"]
    assert players.mover is loser
    assert (await leader.act("game:roll"))["error"]["code"] == "not_your_turn"
    assert (await loser.act("game:double:beaver"))["error"]["code"] == "illegal_move", "not in a match"
    assert (await loser.act("game:double:drop"))["ok"]
    made = leader.last("game:move:made")
    assert made["ended"] == made["moveHistory"][-1]["ended"] == {
        "winner": colors[leader.id], "points": 1, "stake": 1, "kind": "single", "reason": "dropped",
        "score": {colors[leader.id]: 1, colors[loser.id]: 0},
    }  # fmt: skip
    assert (made["match"]["game"], made["match"]["score"][colors[leader.id]]) == (2, 1)
    assert made["board"] == leader.last("game:started")["board"], "the next game has begun"

    doubler = await players.until_cube()  # the second: doubled, taken and resigned
    await doubler.act("game:double:offer")
    taker = players.other(doubler)
    await taker.drop()
    back = await harness.connect(players.tokens[taker.id], "backgammon")
    await back.emit("game:reconnect")
    state = back.last("game:reconnected")
    assert (state["cube"]["offered"], state["cube"]["offeredTo"]) == (2, colors[taker.id])
    assert (state["currentPlayerId"], state["match"]["game"]) == (taker.id, 2)
    back.received.insert(0, taker.received[taker.names.index("game:started")])
    players.tabs = {id: back if id == taker.id else tab for id, tab in players.tabs.items()}
    leader, loser = (back if tab is taker else tab for tab in (leader, loser))
    assert (await back.act("game:double:take"))["ok"]
    assert (players.cube["value"], players.cube["owner"]) == (2, colors[taker.id])
    assert (await leader.act("game:resign:offer", points=1))["ok"]
    assert loser.last("game:resign:offered")["points"] == 1
    assert (await leader.act("game:resign:accept"))["error"]["code"] == "no_offer"
    assert (await loser.act("game:resign:decline"))["ok"]
    assert (await leader.act("game:resign:offer", points=1))["error"]["code"] == "too_many_offers"
    assert (await leader.act("game:resign:offer", points=2))["ok"]
    assert (await loser.act("game:resign:decline"))["ok"]
    await players.play()
    assert (await leader.act("game:resign:offer", points=1))["ok"]
    assert (await loser.act("game:resign:accept"))["ok"]
    made = loser.last("game:move:made")
    assert made["move"] == {"moves": [], "resign": {"color": colors[leader.id], "points": 1}}
    assert (made["playerId"], made["ended"]["points"], made["ended"]["stake"]) == (leader.id, 2, 2)
    assert made["match"] == {
        "length": 3, "score": {colors[leader.id]: 1, colors[loser.id]: 2}, "isCrawford": True, "game": 3,
    }  # fmt: skip

    for _ in range(4):  # the third is the Crawford game: nobody is asked about the cube
        await players.play()
    assert (await leader.act("game:resign:offer", points=1))["ok"]
    assert (await loser.act("game:resign:accept"))["ok"]
    over = loser.last("game:over")
    assert (over["winner"], over["reason"], over["points"], over["stake"]) == (loser.id, "resignation", 1, 1)
    assert over["match"]["score"] == {colors[leader.id]: 1, colors[loser.id]: 3}
    assert spectator.last("game:over")["match"] == over["match"]

    loaded = await harness.platform.tables.load(room)
    assert folded(loaded.events).game == loaded.table.game
    late = await harness.connect(game="backgammon")
    await late.emit("game:spectate", {"roomId": room})
    history = late.last("game:spectate:joined")["moveHistory"]
    reasons = [entry["ended"]["reason"] for entry in history if "ended" in entry]
    assert reasons == ["dropped", "resignation", "resignation"]
    boards = (await loser.act("game:boards"))["boards"]
    assert len(boards) == len(history) + 1


@with_harness
async def test_a_resignation_has_no_dice_if_the_other_player_has_rolled(harness: RoomHarness) -> None:
    players = await seated(harness, MATCH)
    mover = players.mover
    loser = players.other(mover)
    assert (await loser.act("game:resign:offer", points=1))["ok"]
    assert (await mover.act("game:resign:accept"))["ok"]
    made = mover.last("game:move:made")["moveHistory"][-1]
    assert (made["playerId"], made["dice"]) == (loser.id, [])


@with_harness
async def test_a_beaver_is_answered_by_the_one_who_doubled(harness: RoomHarness) -> None:
    players = await seated(harness, MONEY)
    doubler = await players.until_cube()
    await doubler.act("game:double:offer")
    taker = players.other(doubler)
    assert players.cube["actions"] == ["take", "drop", "beaver"]
    assert (await taker.act("game:double:beaver"))["ok"]
    assert (players.mover, players.cube["offered"], players.cube["actions"]) == (doubler, 4, ["take", "drop"])
    assert (await doubler.act("game:double:drop"))["ok"]
    over = taker.last("game:over")
    assert (over["winner"], over["reason"], over["points"], over["stake"], over["result"]) == (
        taker.id, "victory", 2, 2, "single",
    )  # fmt: skip


@with_harness
async def test_an_open_resignation_is_in_the_state_and_ends_with_a_move_of_the_other(harness: RoomHarness) -> None:
    players = Players(*await harness.pair(game="backgammon"))
    mover = players.mover
    other = players.other(mover)
    assert (await other.act("game:resign:offer", points=3))["ok"]
    watcher = await harness.connect(game="backgammon")
    await watcher.emit("game:spectate", {"roomId": mover.room})
    assert watcher.last("game:spectate:joined")["resignOffer"]["points"] == 3
    await players.play()
    assert (await mover.act("game:resign:accept"))["error"]["code"] == "no_offer"
    again = await harness.connect(game="backgammon")
    await again.emit("game:spectate", {"roomId": mover.room})
    assert "resignOffer" not in again.last("game:spectate:joined")


@with_harness
async def test_the_clock_of_the_one_who_is_doubled_runs(harness: RoomHarness, clock: FakeClock) -> None:
    players = await seated(harness, time_control=TimeControl(Kind.FISCHER, 300, 3))
    doubler = await players.until_cube()
    await doubler.act("game:double:offer")
    taker = players.other(doubler)
    seat = await harness.seat(taker)
    before = taker.last("game:move:made")["clock"]
    assert before["running"] == seat
    clock.wait(20)
    await taker.act("game:double:take")
    after = taker.last("game:dice")["clock"]
    assert after["remainingMs"][seat] == before["remainingMs"][seat] - 17_000 and after["running"] == 1 - seat


@with_harness
async def test_players_with_different_options_do_not_meet(harness: RoomHarness) -> None:
    one = await harness.enter("ann", game="backgammon", variant=MATCH)
    two = await harness.enter("ben", game="backgammon")
    three = await harness.enter("cat", game="backgammon", variant="standard+match5")
    assert [tab.names for tab in (one, two, three)] == [["matchmaking:waiting"]] * 3
    four = await harness.enter("dan", game="backgammon", variant=MATCH)
    assert "game:started" in one.names and one.room == four.room
    assert "game:started" not in (*two.names, *three.names)


@with_harness
async def test_guests_choose_their_options_when_they_join(harness: RoomHarness) -> None:
    plain, one, two = [await harness.connect(game="backgammon") for _ in range(3)]
    await plain.emit("matchmaking:join", {"username": "Gus"})
    for tab in (one, two):
        await tab.emit("matchmaking:join", {"username": "Gus", "matchLength": 5})
    assert [tab.last("game:started")["options"] for tab in (one, two)] == [{"matchLength": 5, "cube": True}] * 2
    assert "game:started" not in plain.names
    odd = await harness.connect(game="backgammon")
    refused = await odd.emit("matchmaking:join", {"username": "Gus", "matchLength": 5, "jacoby": True})
    assert refused["error"]["code"] == "unknown_option"
    checkers = await harness.connect(game="checkers")
    assert (await checkers.emit("matchmaking:join", {"cube": True}))["error"]["code"] == "unknown_option"


@with_harness
async def test_a_rematch_has_the_same_options(harness: RoomHarness) -> None:
    players = await seated(harness, MATCH)
    one, two = players.tabs.values()
    await one.act("game:resign")
    over = one.last("game:over")
    assert over["match"]["score"] == {"white": 0, "black": 0} and over["winner"] == two.id
    for tab in (one, two):
        await tab.act("game:rematch")
    assert one.last("game:started")["options"] == {"matchLength": 3, "cube": True}


@pytest.mark.parametrize("event", ["game:roll", "game:double:offer", "game:double:take"])
@with_harness
async def test_there_is_no_cube_in_checkers(harness: RoomHarness, event: str) -> None:
    one, _ = await harness.pair()
    ack = await one.emit(event, {"roomId": one.room})
    assert ack["error"]["code"] == "malformed_move"
    ack = await one.emit("game:resign:offer", {"roomId": one.room, "points": 1})
    assert ack["error"]["code"] == "illegal_move"


class Judge(FirstMove):
    """Rolls, and says what a position is worth to the player to move."""

    value = 0.0

    async def assess(self, game: str, position: Any, limit: Limit, *_args: Any, **_more: Any) -> Assessment:
        return Assessment([Line(GAMES[game].moves(position)[0], self.value)])


@asynccontextmanager
async def open_with_judge(folder: Path, clock: FakeClock) -> AsyncIterator[RoomHarness]:
    async with open_harness(folder, clock, Judge()) as harness:
        yield harness


@pytest.mark.parametrize(("value", "points", "is_accepted"), [(-1.0, 1, True), (-1.4, 1, False), (-1.4, 2, True)])
@run_in(open_with_judge)
async def test_a_bot_accepts_what_is_worth_as_much_as_playing_on(
    harness: RoomHarness, value: float, points: int, is_accepted: bool
) -> None:
    """The value is that of the person, who is to move."""
    judge = harness.platform.bots._engine_pool
    assert isinstance(judge, Judge)
    judge.value = value
    tab = await harness.enter("ann", game="backgammon", match_type="bot", variant=CUBE)
    await until(lambda: Players(tab).shown["currentPlayerId"] == tab.id)
    assert (await tab.act("game:resign:offer", points=points))["ok"]
    await until(lambda: bool({"game:over", "game:resign:declined"} & set(tab.names)))
    assert ("game:over" in tab.names) is is_accepted
