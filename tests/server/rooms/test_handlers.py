from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.server.rooms.harness import RoomHarness, with_harness
from tests.service.parts import FakeClock, first_play
from tests.service.platforms import advance

from ludus.service.ports.bus import AdviceWanted, HintWanted, Note
from ludus.service.tournaments.terms import Terms
from ludus.service.tournaments.tournaments import Applicant
from ludus.wire import codec

MOVE = {"from": 40, "to": 33, "captures": []}
REPLY = {"from": 17, "to": 24, "captures": []}


def code(answer: dict[str, Any]) -> str:
    return str(answer["error"]["code"])


@with_harness
async def test_a_move_is_acknowledged_with_its_version_and_sent_to_both(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    assert await one.act("game:move", move=MOVE) == {"ok": True, "version": 2}
    assert one.last("game:move:made") == two.last("game:move:made")
    assert one.last("game:move:made")["move"] == MOVE


@with_harness
async def test_only_the_sender_learns_of_a_refused_move_which_changes_nothing(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    answer = await one.act("game:move", move={"from": 40, "to": 24})
    assert code(answer) == "illegal_move"
    assert one.last("game:error") == answer["error"] | {"event": "game:move"}
    assert code(await two.act("game:move", move=REPLY)) == "not_your_turn"
    assert "game:error" not in two.names[:-1]
    assert (await harness.table(one)).version == 1


@with_harness
async def test_a_repeated_command_is_harmless(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    answers = [await one.act("game:move", move=MOVE, commandId="c1") for _ in range(2)]
    assert answers == [{"ok": True, "version": 2}] * 2
    assert two.names.count("game:move:made") == 1
    assert await two.act("game:move", move=REPLY, commandId="c1") == {"ok": True, "version": 3}


@with_harness
async def test_a_move_chosen_in_an_older_state_is_refused(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    await two.act("game:draw:offer")
    assert code(await one.act("game:move", move=MOVE, version=1)) == "stale_version"
    assert (await one.act("game:move", move=MOVE, version=2))["ok"]


@with_harness
async def test_players_cannot_act_for_each_other_or_in_another_room(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    cid = await harness.enter("cid", match_type="bot")
    for event in ("game:move", "game:resign", "game:draw:offer", "game:get_moves", "game:rematch"):
        for payload in ({"roomId": one.room, "playerId": two.id}, {"roomId": cid.room}, {"roomId": "nowhere"}):
            assert code(await one.emit(event, payload | {"move": MOVE, "position": 40})) == "forbidden"
    assert [(await harness.table(tab)).version for tab in (one, cid)] == [1, 1]


@with_harness
async def test_the_player_to_move_gets_the_moves_of_a_piece(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    answer = await one.act("game:get_moves", position=42)
    assert sorted(move["to"] for move in answer["moves"]) == [33, 35]
    assert one.last("game:valid_moves") == {
        "roomId": one.room,
        "position": 42,
        "moves": answer["moves"],
        "version": 1,
    }
    assert (await two.act("game:get_moves", position=17))["moves"] == []
    assert code(await one.act("game:get_moves", position="a1")) == "malformed"


@pytest.mark.parametrize(("game", "many"), [("checkers", 7), ("backgammon", None)])
@with_harness
async def test_all_moves_of_a_turn_come_in_one_answer(harness: RoomHarness, game: str, many: int | None) -> None:
    tabs = await harness.pair(game=game)
    one, two = sorted(tabs, key=lambda tab: tab.id != tabs[0].last("game:started")["currentPlayerId"])
    moves = (await one.act("game:get_moves"))["moves"]
    assert moves and len(moves) == (many or len(moves))
    assert one.all("game:valid_moves") == [{"roomId": one.room, "position": None, "moves": moves, "version": 1}]
    for move in moves:
        wanted = move if game == "checkers" else {"moves": move}
        codec(game).rooms.parse_move((await harness.table(one)).game.position, wanted)
    assert await two.act("game:get_moves") == {"ok": True, "moves": []}


@with_harness
async def test_on_request_moves_come_in_the_acknowledgement_only(harness: RoomHarness) -> None:
    one, _ = await harness.pair()
    assert len((await one.act("game:get_moves", ackOnly=True))["moves"]) == 7
    assert "game:valid_moves" not in one.names


@with_harness
async def test_there_are_no_moves_after_the_end(harness: RoomHarness) -> None:
    one, _ = await harness.pair()
    await one.act("game:resign")
    assert (await one.act("game:get_moves", position=42))["moves"] == []
    assert code(await one.act("game:move", move=MOVE)) == "game_over"


@with_harness
async def test_a_draw_is_offered_declined_and_agreed(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    await one.act("game:draw:offer")
    assert two.last("game:draw:offered")["playerId"] == one.id
    assert code(await one.act("game:draw:accept")) == "no_offer"
    await two.act("game:draw:decline")
    assert one.last("game:draw:declined")["playerId"] == two.id
    assert code(await one.act("game:draw:offer")) == "too_many_offers"
    await two.act("game:draw:offer")
    await one.act("game:draw:accept")
    assert (one.last("game:over")["winner"], one.last("game:over")["reason"]) == (None, "draw")


@with_harness
async def test_players_and_spectators_may_ask_for_the_idle_clock(harness: RoomHarness, clock: FakeClock) -> None:
    one, two = await harness.pair()
    eve = await harness.connect()
    assert code(await eve.emit("afk:check", {"roomId": one.room})) == "forbidden"
    await eve.emit("game:spectate", {"roomId": one.room})
    clock.wait(10)
    for tab in (one, two, eve):
        answer = await tab.emit("afk:check", {"roomId": one.room})
        assert answer["status"] == tab.last("afk:status")
        mover = "person:0" if tab is eve else one.id
        status = {"playerId": mover, "expiresAt": clock.time + 80_000, "secondsRemaining": 80.0}
        assert answer["status"] == status
    await one.act("game:resign")
    assert (await two.act("afk:check"))["status"] is None


@with_harness
async def test_the_idle_clock_of_a_tournament_says_that_it_is_about_the_first_move(
    harness: RoomHarness, clock: FakeClock
) -> None:
    tournaments = harness.platform.tournaments
    made = await tournaments.create("person/ann", Terms("Friday", "checkers", "swiss"))
    for name in ("ann", "ben"):
        await tournaments.join(made.id, Applicant(f"person/{name}", name, name.title(), "person"))
    view = await tournaments.view(await tournaments.start(made.id, "person/ann"))
    table = view.pairings[0].tables[-1]
    eve = await harness.connect()
    await eve.emit("game:spectate", {"roomId": table})
    clock.wait(10)
    seen = []
    for _ in range(3):
        status = (await eve.emit("afk:check", {"roomId": table}))["status"]
        seen.append((status["playerId"], status.get("isFirstMove"), status["secondsRemaining"]))
        await harness.platform.tables.execute(table, first_play((await harness.platform.tables.load(table)).table))
    assert seen == [("person:ann", True, 110.0), ("person:ben", True, 120.0), ("person:ann", None, 293.0)]


@pytest.mark.parametrize("seconds", [-3600, 120])
@with_harness
async def test_players_are_told_when_their_deadline_moves(harness: RoomHarness, clock: FakeClock, seconds: int) -> None:
    players = await harness.pair()
    others = await harness.pair(has_afk_limit=False)
    clock.wait(10)
    clock.jump(seconds)
    await harness.platform._heartbeat()
    await harness.platform.bus.drain()
    for player in players:
        status = {"playerId": players[0].id, "expiresAt": clock.time + 80_000, "secondsRemaining": 80.0}
        assert player.last("afk:status") == status
    assert not [player for player in others if "afk:status" in player.names]


@with_harness
async def test_a_game_without_an_idle_limit_has_no_idle_clock(harness: RoomHarness, clock: FakeClock) -> None:
    one, _ = await harness.pair(has_afk_limit=False)
    started = one.last("game:started")
    assert (started["afkTimeoutEnabled"], started["afkTimeoutSeconds"]) == (False, None)
    assert (await one.act("afk:check"))["status"] is None
    await advance(harness.platform, clock, 1000)
    assert "game:over" not in one.names


@with_harness
async def test_both_players_get_warnings_their_end_and_a_forfeit(harness: RoomHarness, clock: FakeClock) -> None:
    one, two = await harness.pair()
    await advance(harness.platform, clock, 60)
    warning = two.last("checkers:afk_warning")
    assert (warning["playerId"], warning["secondsRemaining"]) == (one.id, 30)
    await one.act("game:move", move=MOVE)
    assert two.names[-2:] == ["checkers:afk_warning_cleared", "game:move:made"]
    for _ in range(2):
        await advance(harness.platform, clock, 60)
    assert (one.last("game:over")["winner"], one.last("game:over")["reason"]) == (one.id, "afk_timeout")
    assert one.received[-3:] == two.received[-3:]


@with_harness
async def test_both_may_ask_for_a_rematch_at_once(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    await one.act("game:resign")
    await asyncio.gather(one.act("game:rematch"), two.act("game:rematch"))
    assert one.room == two.room
    assert len(await harness.platform.store.live_tables()) == 1


@with_harness
async def test_engines_and_the_bus_know_a_player_by_one_mark_that_does_not_tell_the_address(
    harness: RoomHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, platform = "203.0.113.7", harness.platform
    notes: list[Note] = []
    owners: dict[str, str] = {}
    choose = platform.engine_pool.choose

    async def listen(note: Note) -> None:
        notes.append(note)

    async def record(game: str, position: Any, level: str, seed: int, past: Any, owner: str, *more: Any) -> Any:
        owners[level] = owner
        return await choose(game, position, level, seed, past, owner, *more)

    platform.bus.subscribe(listen)
    monkeypatch.setattr(platform.engine_pool, "choose", record)
    ticket = await harness.session("ann", match_type="bot", mode="training")
    ann = await harness.connect(ticket.token, address=address)
    await ann.emit("matchmaking:join", {"username": "ann"})
    seat = await harness.seat(ann)
    for _ in range(2):  # in between the bot moves
        while (await harness.table(ann)).mover != seat:
            await asyncio.sleep(0)
        move = (await ann.act("game:get_moves"))["moves"][0]
        assert (await ann.act("game:tutor", move=move))["ok"]
        assert (await ann.act("game:hint"))["ok"]
        while "hard" not in owners:
            await asyncio.sleep(0)
        assert (await ann.act("game:move", move=move))["ok"]
    mark = platform.address_marks.mark(address)
    asked = [note for note in notes if isinstance(note, HintWanted | AdviceWanted)]
    assert [note.owner for note in asked] == [mark] * 4
    assert owners == {"easy": mark, "hard": mark}  # the bot's moves and the hints
    assert not [note for note in notes if address in str(note)]
