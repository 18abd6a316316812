"""The three sockets of the arena: who is let in, what is told to whom, and when they close."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.server.arena.wires import Hall, Wire, in_a_hall, in_a_strict_hall
from tests.service.houses import until
from tests.service.parts import FakeClock

from ludus.server.arena import sockets_line
from ludus.server.arena.sockets_listeners import MISSED
from ludus.service.decisions import Resign

RESIGN = {"type": "resign"}


async def settle() -> None:
    """Long enough for all that was said to be heard."""
    for _ in range(50):
        await asyncio.sleep(0)


# Letting in


@pytest.mark.parametrize("path", ["/ws/agent", "/ws/game/any"])
@in_a_hall
async def test_who_has_no_key_gets_a_401_and_no_socket(hall: Hall, path: str) -> None:
    wire = hall.open(path)
    assert await wire.refusal() == (401, {"error": "unauthorized"})
    assert wire.headers["www-authenticate"] == "Bearer"


@in_a_hall
async def test_who_has_a_wrong_key_gets_a_401(hall: Hall) -> None:
    ann = await hall.agent()
    ann.key += "0"
    assert await hall.open("/ws/agent", ann).refusal() == (401, {"error": "unauthorized"})


@in_a_hall
async def test_there_is_no_socket_at_a_table_that_is_not_there(hall: Hall) -> None:
    ann = await hall.agent()
    for path in ("/ws/game/nothing", f"/ws/game/{'x' * 5000}", "/ws/watch/nothing"):
        assert await hall.open(path, ann).refusal() == (404, {"error": "match_not_found"})


@in_a_hall
async def test_a_match_of_others_can_be_watched_but_not_played(hall: Hall) -> None:
    match, _, _ = await hall.pair()
    stranger = await hall.agent()
    assert await hall.open(f"/ws/game/{match}", stranger).refusal() == (403, {"error": "not_a_player"})
    assert (await hall.opened(f"/ws/watch/{match}", stranger)).kinds == ["state"]


@in_a_strict_hall
async def test_one_address_has_so_many_sockets(hall: Hall) -> None:
    match, ann, _ = await hall.pair()
    wires = [await hall.opened(f"/ws/watch/{match}") for _ in range(2)]
    refused = hall.open("/ws/agent", ann)
    assert await refused.refusal() == (429, {"error": "rate_limited"})
    assert int(refused.headers["retry-after"]) > 0
    assert {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"} <= set(refused.headers)
    assert (await _open_from_elsewhere(hall, match)).is_open
    await wires[0].leave()
    assert (await hall.opened("/ws/agent", ann)).is_open


async def _open_from_elsewhere(hall: Hall, match: str) -> Wire:
    wire = hall.open(f"/ws/watch/{match}", address="192.0.2.2")
    await until(lambda: bool(wire.frames))
    return wire


@in_a_strict_hall
async def test_opening_a_socket_counts_as_a_request(hall: Hall) -> None:
    ann = await hall.agent()
    for _ in range(4):
        await (await hall.opened("/ws/agent", ann)).leave()
    refused = hall.open("/ws/agent", ann)
    assert await refused.refusal() == (429, {"error": "rate_limited"})
    assert int(refused.headers["retry-after"]) > 0
    assert {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"} <= set(refused.headers)


@in_a_hall
async def test_the_answer_to_every_upgrade_tells_how_many_requests_are_left(hall: Hall) -> None:
    ann = await hall.agent()
    wires = [await hall.opened("/ws/agent", ann), hall.open("/ws/agent"), hall.open("/ws/game/nothing", ann)]
    for wire in wires[1:]:
        await wire.refusal()
    left = [int(wire.headers["x-ratelimit-remaining"]) for wire in wires]
    assert left[0] == left[2] + 1, "those of an agent are counted together"
    assert all("x-ratelimit-limit" in wire.headers and "x-ratelimit-reset" in wire.headers for wire in wires)


@in_a_hall
async def test_a_refused_socket_is_not_counted_as_open(hall: Hall) -> None:
    await hall.open("/ws/agent").refusal()
    wire = await hall.opened("/ws/agent", await hall.agent())
    assert "ludus_socket_connections 1.0" in hall.arena.metrics.render()[0].decode()
    await wire.leave()
    assert "ludus_socket_connections 0.0" in hall.arena.metrics.render()[0].decode()


# /ws/agent


@in_a_hall
async def test_both_players_are_told_of_their_match(hall: Hall) -> None:
    ann, ben = await hall.agent(), await hall.agent()
    wires = [await hall.opened("/ws/agent", who) for who in (ann, ben)]
    await hall.queue(ann)
    match = await hall.queue(ben)
    for wire, who in zip(wires, (ann, ben), strict=True):
        await wire.hear("connected", "match_found")
        assert wire.frames == [
            {"type": "connected", "agentId": who.id},
            {"type": "match_found", "matchId": match, "gameId": "checkers"},
        ]


@in_a_hall
async def test_a_match_with_a_bot_is_told_too(hall: Hall) -> None:
    ann = await hall.agent()
    wire = await hall.opened("/ws/agent", ann)
    match = await hall.queue(ann, "backgammon", "easy")
    await wire.hear("connected", "match_found")
    assert wire.frames[1] == {"type": "match_found", "matchId": match, "gameId": "backgammon"}


@in_a_hall
async def test_others_are_not_told(hall: Hall) -> None:
    wire = await hall.opened("/ws/agent", await hall.agent())
    await hall.pair()
    await settle()
    assert wire.kinds == ["connected"]


@in_a_hall
async def test_the_newest_socket_wins(hall: Hall) -> None:
    ann, ben = await hall.agent(), await hall.agent()
    older, newer = await hall.opened("/ws/agent", ann), await hall.opened("/ws/agent", ann)
    await older.end()
    assert older.kinds == ["connected", "replaced"]
    assert older.code == 1000
    await hall.queue(ann)
    await hall.queue(ben)
    await newer.hear("connected", "match_found")


@pytest.mark.parametrize("data", ["hello", '{"type":"ping"}', b"\0"])
@in_a_hall
async def test_whatever_a_client_says_on_the_agents_socket_closes_it(hall: Hall, data: Any) -> None:
    wire = await hall.opened("/ws/agent", await hall.agent())
    wire.send(data)
    await wire.end()
    assert wire.kinds == ["connected"]
    assert wire.code == 1008


@in_a_hall
async def test_what_was_missed_is_sent_on_reconnect(hall: Hall, clock: FakeClock) -> None:
    match, ann, _ = await hall.pair()
    clock.wait(MISSED / 1000)
    wire = await hall.opened("/ws/agent", ann)
    await wire.hear("connected", "match_found")
    assert wire.frames[1]["matchId"] == match


@in_a_hall
async def test_what_was_missed_long_ago_is_not(hall: Hall, clock: FakeClock) -> None:
    _, ann, _ = await hall.pair()
    clock.wait(MISSED / 1000 + 1)
    wire = await hall.opened("/ws/agent", ann)
    await settle()
    assert wire.kinds == ["connected"]


@in_a_hall
async def test_a_finished_match_is_no_news(hall: Hall) -> None:
    match, ann, _ = await hall.pair()
    await hall.house.tables.do(match, Resign(0))
    wire = await hall.opened("/ws/agent", ann)
    await settle()
    assert wire.kinds == ["connected"]


@in_a_hall
async def test_who_sits_at_the_table_already_has_missed_nothing(hall: Hall) -> None:
    match, ann, _ = await hall.pair()
    game = await hall.opened(f"/ws/game/{match}", ann)
    wire = await hall.opened("/ws/agent", ann)
    await settle()
    assert wire.kinds == ["connected"]
    await game.leave()
    await wire.leave()
    await (await hall.opened("/ws/agent", ann)).hear("connected", "match_found")


# /ws/game


@in_a_hall
async def test_whose_turn_it_is_is_told_and_the_other_waits(hall: Hall) -> None:
    match, ann, ben = await hall.pair()
    one, two = await hall.opened(f"/ws/game/{match}", ann), await hall.opened(f"/ws/game/{match}", ben)
    await one.hear("connected", "your_turn")
    await settle()
    assert two.frames == [{"type": "connected", "matchId": match, "gameId": "checkers", "agentId": ben.id}]
    turn = one.frames[1]
    assert turn["sequence"] == 1
    assert turn["view"]["isYourTurn"] and turn["view"]["you"] == ann.id
    assert turn["view"]["legalMoves"]
    assert turn["turnEndsAt"].endswith("Z")


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
@in_a_hall
async def test_a_move_on_one_socket_is_a_turn_on_the_other(hall: Hall, game: str) -> None:
    match, ann, ben = await hall.pair(game)
    one, two = await hall.opened(f"/ws/game/{match}", ann), await hall.opened(f"/ws/game/{match}", ben)
    await one.hear("connected", "your_turn")
    first = one.frames[1]
    move = first["view"]["legalMoves"][0]
    one.act(first["sequence"], {"type": "move", **(move if game == "checkers" else {"moves": move})})
    await two.hear("connected", "your_turn")
    assert two.frames[1]["sequence"] > first["sequence"]
    await settle()
    assert one.kinds == ["connected", "your_turn"]  # there is no acknowledgement


@in_a_hall
async def test_a_move_over_http_is_a_turn_on_the_socket(hall: Hall) -> None:
    match, ann, ben = await hall.pair()
    two = await hall.opened(f"/ws/game/{match}", ben)
    await hall.play(match, ann)
    await two.hear("connected", "your_turn")


@in_a_hall
async def test_a_pending_turn_is_told_again_on_every_reconnect(hall: Hall) -> None:
    match, ann, _ = await hall.pair()
    turns = []
    for _ in range(3):
        wire = await hall.opened(f"/ws/game/{match}", ann)
        await wire.hear("connected", "your_turn")
        turns.append(wire.frames[1])
        await wire.leave()
    assert turns[0] == turns[1] == turns[2]


@in_a_hall
async def test_the_newest_socket_at_the_table_wins(hall: Hall) -> None:
    match, ann, _ = await hall.pair()
    older = await hall.opened(f"/ws/game/{match}", ann)
    newer = await hall.opened(f"/ws/game/{match}", ann)
    await older.end()
    assert older.kinds == ["connected", "your_turn", "replaced"]
    assert older.code == 1000
    await newer.hear("connected", "your_turn")
    newer.play()
    await until(lambda: _version(hall, match) == 2)


def _version(hall: Hall, match: str) -> int:
    return hall.house.tables._live[match].table.version


@pytest.mark.parametrize(
    ("data", "error"),
    [
        ("no json", "invalid_input"),
        ("[]", "invalid_input"),
        ("{}", "invalid_input"),
        (b"{}", "invalid_input"),
        ({"type": "action"}, "invalid_input"),
        ({"type": "action", "sequence": True, "payload": RESIGN}, "invalid_input"),
        ({"type": "action", "sequence": "1", "payload": RESIGN}, "invalid_input"),
        ({"type": "action", "sequence": -1, "payload": RESIGN}, "invalid_input"),
        ({"type": "action", "sequence": 1, "action": RESIGN}, "invalid_input"),
        ({"type": "action", "sequence": 1, "payload": []}, "invalid_input"),
        ({"type": "action", "sequence": 1, "payload": {"type": "castle"}}, "invalid_input"),
        ({"type": "action", "sequence": 1, "payload": {"type": "move", "from": 33, "to": 1}}, "invalid_input"),
        ({"type": "action", "sequence": 1, "payload": {"type": "move", "from": 1, "to": 32}}, "invalid_action"),
        ({"type": "action", "sequence": 7, "payload": RESIGN}, "stale_sequence"),
        ({"type": "action", "sequence": 10**30, "payload": RESIGN}, "stale_sequence"),
    ],
)
@in_a_hall
async def test_what_cannot_be_taken_is_answered_with_an_error(hall: Hall, data: Any, error: str) -> None:
    match, ann, _ = await hall.pair()
    wire = await hall.opened(f"/ws/game/{match}", ann)
    wire.send(data)
    await wire.hear("connected", "your_turn", "error")
    said = wire.frames[2]
    assert said["error"] == error
    assert isinstance(said.get("details"), {"invalid_input": list, "invalid_action": str}.get(error, type(None)))
    assert said.get("currentSequence") == (1 if error == "stale_sequence" else None)
    wire.play()
    await until(lambda: _version(hall, match) == 2)


@in_a_hall
async def test_an_action_out_of_turn_is_an_error(hall: Hall) -> None:
    match, ann, ben = await hall.pair()
    wire = await hall.opened(f"/ws/game/{match}", ben)
    wire.act(1, {"type": "move", "from": 22, "to": 18})
    await wire.hear("connected", "error")
    assert wire.frames[1] == {"type": "error", "error": "not_your_turn"}
    await hall.play(match, ann)
    await wire.hear("connected", "error", "your_turn")


@in_a_hall
async def test_what_is_no_action_at_all_is_counted_as_over_http(hall: Hall) -> None:
    match, ann, ben = await hall.pair()
    one, two = await hall.opened(f"/ws/game/{match}", ann), await hall.opened(f"/ws/game/{match}", ben)
    payloads: list[Any] = [None, [], {"type": "dance"}]
    for payload in payloads:
        one.act(1, payload)
    await one.end()
    assert one.kinds == ["connected", "your_turn", "error", "error", "game_over"]
    assert {frame["error"] for frame in one.all("error")} == {"invalid_input"}
    await two.end()
    assert two.last("game_over")["reason"] == "invalid_actions"


@in_a_hall
async def test_what_comes_out_of_turn_is_not_counted_whatever_it_says(hall: Hall) -> None:
    match, ann, ben = await hall.pair()
    one, two = await hall.opened(f"/ws/game/{match}", ann), await hall.opened(f"/ws/game/{match}", ben)
    payloads: list[Any] = [None, {"type": "dance"}, {"type": "move", "from": 1, "to": 32}]
    for payload in payloads * 2:
        two.act(1, payload)
        one.act(7, payload)
    await until(lambda: len(one.all("error")) == len(two.all("error")) == 6)
    assert {frame["error"] for frame in two.all("error")} == {"not_your_turn"}
    assert {(frame["error"], frame["currentSequence"]) for frame in one.all("error")} == {("stale_sequence", 1)}
    assert one.is_open and two.is_open


@in_a_hall
async def test_one_refused_action_too_many_ends_the_match(hall: Hall) -> None:
    match, ann, ben = await hall.pair()
    one, two = await hall.opened(f"/ws/game/{match}", ann), await hall.opened(f"/ws/game/{match}", ben)
    for _ in range(3):
        one.act(1, {"type": "move", "from": 1, "to": 32})
    await one.end()
    await two.end()
    assert one.kinds == ["connected", "your_turn", "error", "error", "game_over"]
    assert two.last("game_over")["reason"] == "invalid_actions"


@in_a_hall
async def test_a_repeated_action_is_taken_once_and_answered_by_how_things_stand(hall: Hall) -> None:
    match, ann, ben = await hall.pair()
    one = await hall.opened(f"/ws/game/{match}", ann)
    await one.hear("connected", "your_turn")
    one.play()
    one.play()
    await until(lambda: _version(hall, match) == 2)
    await settle()
    assert one.kinds == ["connected", "your_turn"]
    repeated = {"type": "move", **one.frames[1]["view"]["legalMoves"][0]}
    await hall.play(match, ben)
    await one.hear("connected", "your_turn", "your_turn")
    one.act(1, repeated)
    await one.hear("connected", "your_turn", "your_turn", "your_turn")
    assert one.frames[2] == one.frames[3]
    assert _version(hall, match) == 3


@in_a_hall
async def test_the_end_is_told_to_both_and_closes_both(hall: Hall) -> None:
    match, ann, ben = await hall.pair()
    one, two = await hall.opened(f"/ws/game/{match}", ann), await hall.opened(f"/ws/game/{match}", ben)
    one.act(1, RESIGN)
    await one.end()
    await two.end()
    assert (one.kinds, two.kinds) == (["connected", "your_turn", "game_over"], ["connected", "game_over"])
    assert (one.code, two.code) == (1000, 1000)
    end = two.last("game_over")
    assert {each["agentId"]: each["outcome"] for each in end["results"]} == {ann.id: "loss", ben.id: "win"}
    assert end["reason"] == "resignation"
    assert end["rating"]["after"] > end["rating"]["before"]
    assert end["replayUrl"] == f"http://arena.example/api/matches/{match}"
    assert end["view"]["you"] == ben.id


@in_a_hall
async def test_who_comes_after_the_end_is_told_of_it(hall: Hall) -> None:
    match, ann, ben = await hall.pair()
    await hall.act(match, ann, 1, RESIGN)
    wire = hall.open(f"/ws/game/{match}", ben)
    await wire.end()
    assert wire.kinds == ["connected", "game_over"]
    assert wire.code == 1000


@in_a_hall
async def test_a_match_with_a_bot_goes_on_by_itself(hall: Hall) -> None:
    ann = await hall.agent()
    match = await hall.queue(ann, "checkers", "easy")
    wire = await hall.opened(f"/ws/game/{match}", ann)
    for turn in range(1, 6):
        await until(lambda turn=turn: len(wire.all("your_turn")) == turn)  # type: ignore[misc]
        wire.play()
    sequences = [frame["sequence"] for frame in wire.all("your_turn")]
    assert sequences == sorted(set(sequences))


@in_a_strict_hall
async def test_too_many_frames_close_the_socket(hall: Hall) -> None:
    match, ann, _ = await hall.pair()
    wire = await hall.opened(f"/ws/game/{match}", ann)
    for _ in range(20):
        wire.send("{}")
    await wire.end()
    errors = [frame["error"] for frame in wire.all("error")]
    assert errors[-1] == "rate_limited" and wire.last("error")["retryAfterMs"] == 1000
    assert set(errors[:-1]) == {"invalid_input"} and len(errors) <= 8
    assert wire.code == 1008


@in_a_hall
async def test_an_error_of_ours_is_told_as_such_and_closes_the_socket(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, ann, _ = await hall.pair()

    async def fail(*_: object) -> Any:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(hall.arena, "shown", fail)
    wire = hall.open(f"/ws/game/{match}", ann)
    await wire.end()
    assert wire.code == 1011
    assert "secret" not in str(wire.frames)
    monkeypatch.undo()
    await (await hall.opened(f"/ws/game/{match}", ann)).hear("connected", "your_turn")


# /ws/watch


@in_a_hall
async def test_a_watcher_sees_how_things_stand_then_every_move_then_the_result(hall: Hall) -> None:
    match, ann, ben = await hall.pair()
    await hall.play(match, ann)
    wire = await hall.opened(f"/ws/watch/{match}")
    state = wire.frames[0]
    assert (state["matchId"], state["gameId"], state["sequence"], state["status"]) == (match, "checkers", 2, "active")
    assert [player["id"] for player in state["players"]] == [ann.id, ben.id]
    assert state["view"]["currentPlayer"] == ben.id and state["view"]["you"] is None
    assert not state["view"]["legalMoves"]
    await hall.play(match, ben)
    await hall.play(match, ann)
    await wire.hear("state", "move", "move")
    assert [frame["sequence"] for frame in wire.frames] == [2, 3, 4]
    assert [frame["move"]["player"] for frame in wire.all("move")] == [ben.id, ann.id]
    assert wire.frames[2]["view"]["lastMove"]["to"] == wire.frames[2]["move"]["to"]
    await hall.act(match, ben, 4, RESIGN)
    await wire.end()
    assert wire.kinds == ["state", "move", "move", "game_over"]
    assert {each["agentId"]: each["outcome"] for each in wire.frames[3]["results"]} == {ann.id: "win", ben.id: "loss"}
    assert "rating" not in wire.frames[3]
    assert wire.frames[3]["replayUrl"] == f"http://arena.example/api/matches/{match}"
    assert wire.frames[3]["replayMarkdownUrl"] == f"http://arena.example/api/matches/{match}/replay.md"
    assert wire.code == 1000


@in_a_hall
async def test_a_watcher_of_backgammon_sees_the_dice_of_each_play(hall: Hall) -> None:
    match, ann, _ = await hall.pair("backgammon")
    wire = await hall.opened(f"/ws/watch/{match}")
    state = await hall.arena.state(match, await hall.arena.agents.get(ann.id))
    move = {"type": "move", "moves": state["view"]["legalMoves"][0]}
    await hall.act(match, ann, 1, move)
    await wire.hear("state", "move")
    assert wire.frames[1]["move"]["dice"] == state["view"]["dice"][:2]
    assert wire.frames[1]["move"]["moves"] == move["moves"]
    assert wire.frames[1]["move"]["notation"]


@in_a_hall
async def test_a_match_that_is_over_shows_its_result(hall: Hall) -> None:
    match, ann, _ = await hall.pair()
    await hall.act(match, ann, 1, RESIGN)
    wire = hall.open(f"/ws/watch/{match}")
    await wire.end()
    assert wire.kinds == ["state", "game_over"]
    assert wire.frames[0]["status"] == "game_over"
    assert wire.code == 1000


@in_a_hall
async def test_a_watcher_has_nothing_to_say(hall: Hall) -> None:
    match, _, _ = await hall.pair()
    wire = await hall.opened(f"/ws/watch/{match}")
    wire.send({"type": "action", "sequence": 1, "payload": RESIGN})
    await wire.end()
    assert wire.code == 1008
    assert _version(hall, match) == 1


# Those who do not read


@in_a_hall
async def test_who_does_not_read_is_dropped_and_hurts_nobody(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets_line.Line.__init__, "__defaults__", (10_000,))
    match, ann, ben = await hall.pair()
    stuck, keen = await hall.opened(f"/ws/watch/{match}"), await hall.opened(f"/ws/watch/{match}")
    stuck.reading.clear()
    moves = 0
    while not stuck.task.done():
        await hall.play(match, (ann, ben)[moves % 2])
        moves += 1
        await settle()
        assert moves < 30, "it is kept although it does not read"
    await until(lambda: len(keen.all("move")) == moves)
    assert stuck.kinds == ["state"]
    assert keen.is_open
    again = await hall.opened(f"/ws/watch/{match}")
    assert again.frames[0]["sequence"] == moves + 1


@in_a_hall
async def test_a_player_who_does_not_read_holds_up_nobody(hall: Hall) -> None:
    match, ann, ben = await hall.pair()
    one, two = await hall.opened(f"/ws/game/{match}", ann), await hall.opened(f"/ws/game/{match}", ben)
    await settle()
    two.reading.clear()
    one.play()
    await until(lambda: _version(hall, match) == 2)
    state = await hall.play(match, ben)
    assert state["status"] == "waiting"
    await one.hear("connected", "your_turn", "your_turn")
    two.reading.set()
    await two.hear("connected", "your_turn")


@in_a_hall
async def test_nothing_is_left_of_sockets_that_are_gone(hall: Hall) -> None:
    match, ann, ben = await hall.pair()
    wires = [
        await hall.opened(path, who)
        for path in ("/ws/agent", f"/ws/game/{match}", f"/ws/watch/{match}")
        for who in (ann, ben, ann)
    ]
    for wire in wires:
        if not wire.task.done():
            await wire.leave()
    listen = hall.arena.listeners[0].__self__  # type: ignore[attr-defined]
    assert len(listen._listeners) == 0
    assert not listen._players.has(match)
    assert not listen._watchers.has(match)
    await hall.play(match, ann)
