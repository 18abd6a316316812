"""`/ws/game/ID`: turns, actions, refusals and the end."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.arena.socket_client import SocketApp, settle, version, with_app, with_strict_app
from tests.service.faults import read_only
from tests.service.platforms import until

from ludus.service.ports.bus import SocketOpened

RESIGN = {"type": "resign"}


@with_app
async def test_the_player_to_move_is_notified_and_the_other_waits(app: SocketApp) -> None:
    match, ann, ben = await app.pair()
    one, two = await app.opened(f"/ws/game/{match}", ann), await app.opened(f"/ws/game/{match}", ben)
    await one.hear("connected", "your_turn")
    await settle()
    assert two.frames == [{"type": "connected", "matchId": match, "gameId": "checkers", "agentId": ben.id}]
    turn = one.frames[1]
    assert turn["sequence"] == 1
    assert turn["view"]["isYourTurn"] and turn["view"]["you"] == ann.id
    assert turn["view"]["legalMoves"]
    assert turn["turnEndsAt"].endswith("Z")


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
@with_app
async def test_a_move_on_one_socket_is_a_turn_on_the_other(app: SocketApp, game: str) -> None:
    match, ann, ben = await app.pair(game)
    one, two = await app.opened(f"/ws/game/{match}", ann), await app.opened(f"/ws/game/{match}", ben)
    await one.hear("connected", "your_turn")
    first = one.frames[1]
    move = first["view"]["legalMoves"][0]
    one.act(first["sequence"], {"type": "move", **(move if game == "checkers" else {"moves": move})})
    await two.hear("connected", "your_turn")
    assert two.frames[1]["sequence"] > first["sequence"]
    await settle()
    assert one.kinds == ["connected", "your_turn"]  # there is no acknowledgement


@with_app
async def test_a_move_over_http_is_a_turn_on_the_socket(app: SocketApp) -> None:
    match, ann, ben = await app.pair()
    two = await app.opened(f"/ws/game/{match}", ben)
    await app.play(match, ann)
    await two.hear("connected", "your_turn")


@with_app
async def test_a_pending_turn_is_sent_again_on_every_reconnect(app: SocketApp) -> None:
    match, ann, _ = await app.pair()
    turns = []
    for _ in range(3):
        socket = await app.opened(f"/ws/game/{match}", ann)
        await socket.hear("connected", "your_turn")
        turns.append(socket.frames[1])
        await socket.leave()
    assert turns[0] == turns[1] == turns[2]


@with_app
async def test_the_newest_socket_at_the_table_wins(app: SocketApp) -> None:
    match, ann, _ = await app.pair()
    older = await app.opened(f"/ws/game/{match}", ann)
    newer = await app.opened(f"/ws/game/{match}", ann)
    await older.end()
    assert older.kinds == ["connected", "your_turn", "replaced"]
    assert older.code == 1000
    await newer.hear("connected", "your_turn")
    newer.play()
    await until(lambda: version(app, match) == 2)


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
@with_app
async def test_what_cannot_be_taken_is_answered_with_an_error(app: SocketApp, data: Any, error: str) -> None:
    match, ann, _ = await app.pair()
    socket = await app.opened(f"/ws/game/{match}", ann)
    socket.send(data)
    await socket.hear("connected", "your_turn", "error")
    said = socket.frames[2]
    assert said["error"] == error
    assert isinstance(said.get("details"), {"invalid_input": list, "invalid_action": str}.get(error, type(None)))
    assert said.get("currentSequence") == (1 if error == "stale_sequence" else None)
    assert not str(said.get("details", "")).startswith("['action")  # which is called payload here
    socket.play()
    await until(lambda: version(app, match) == 2)


@with_app
async def test_an_action_out_of_turn_is_an_error(app: SocketApp) -> None:
    match, ann, ben = await app.pair()
    socket = await app.opened(f"/ws/game/{match}", ben)
    socket.act(1, {"type": "move", "from": 22, "to": 18})
    await socket.hear("connected", "error")
    assert socket.frames[1] == {"type": "error", "error": "not_your_turn"}
    await app.play(match, ann)
    await socket.hear("connected", "error", "your_turn")


@with_app
async def test_what_is_no_action_at_all_is_counted_as_over_http(app: SocketApp) -> None:
    match, ann, ben = await app.pair()
    one, two = await app.opened(f"/ws/game/{match}", ann), await app.opened(f"/ws/game/{match}", ben)
    payloads: list[Any] = [None, [], {"type": "dance"}]
    for payload in payloads:
        one.act(1, payload)
    await one.end()
    assert one.kinds == ["connected", "your_turn", "error", "error", "error", "game_over"]
    assert {frame["error"] for frame in one.all("error")} == {"invalid_input"}
    await two.end()
    assert two.last("game_over")["reason"] == "aborted"


@with_app
async def test_what_comes_out_of_turn_is_not_counted_whatever_it_says(app: SocketApp) -> None:
    match, ann, ben = await app.pair()
    one, two = await app.opened(f"/ws/game/{match}", ann), await app.opened(f"/ws/game/{match}", ben)
    payloads: list[Any] = [None, {"type": "dance"}, {"type": "move", "from": 1, "to": 32}]
    for payload in payloads * 2:
        two.act(1, payload)
        one.act(7, payload)
    await until(lambda: len(one.all("error")) == len(two.all("error")) == 6)
    assert {frame["error"] for frame in two.all("error")} == {"not_your_turn"}
    assert {(frame["error"], frame["currentSequence"]) for frame in one.all("error")} == {("stale_sequence", 1)}
    assert one.is_open and two.is_open


@with_app
async def test_one_refused_action_too_many_ends_the_match(app: SocketApp) -> None:
    match, ann, ben = await app.pair()
    one, two = await app.opened(f"/ws/game/{match}", ann), await app.opened(f"/ws/game/{match}", ben)
    for _ in range(3):
        one.act(1, {"type": "move", "from": 1, "to": 32})
    await one.end()
    await two.end()
    assert one.kinds == ["connected", "your_turn", "error", "error", "error", "game_over"]
    assert two.last("game_over")["reason"] == "aborted"


@with_app
async def test_a_repeated_action_is_taken_once_and_answered_by_how_things_stand(app: SocketApp) -> None:
    match, ann, ben = await app.pair()
    one = await app.opened(f"/ws/game/{match}", ann)
    await one.hear("connected", "your_turn")
    one.play()
    one.play()
    await until(lambda: version(app, match) == 2)
    await settle()
    assert one.kinds == ["connected", "your_turn"]
    repeated = {"type": "move", **one.frames[1]["view"]["legalMoves"][0]}
    await app.play(match, ben)
    await one.hear("connected", "your_turn", "your_turn")
    one.act(1, repeated)
    await one.hear("connected", "your_turn", "your_turn", "your_turn")
    assert one.frames[2] == one.frames[3]
    assert version(app, match) == 3


@with_app
async def test_the_end_is_sent_to_both_and_closes_both(app: SocketApp) -> None:
    match, ann, ben = await app.pair()
    one, two = await app.opened(f"/ws/game/{match}", ann), await app.opened(f"/ws/game/{match}", ben)
    one.act(1, RESIGN)
    await one.end()
    await two.end()
    assert (one.kinds, two.kinds) == (["connected", "your_turn", "game_over"], ["connected", "game_over"])
    assert (one.code, two.code) == (1000, 1000)
    end = two.last("game_over")
    assert {each["agentId"]: each["outcome"] for each in end["results"]} == {ann.id: "loss", ben.id: "win"}
    assert end["reason"] == "resignation"
    assert (one.last("game_over")["rating"]["after"], end["rating"]) == (pytest.approx(1490, abs=20), None)  # too early
    assert end["replayUrl"] == f"http://arena.example/api/matches/{match}"
    assert end["view"]["you"] == ben.id


@with_app
async def test_a_player_who_connects_after_the_end_gets_the_result(app: SocketApp) -> None:
    match, ann, ben = await app.pair()
    await app.act(match, ann, 1, RESIGN)
    socket = app.open(f"/ws/game/{match}", ben)
    await socket.end()
    assert socket.kinds == ["connected", "game_over"]
    assert socket.code == 1000


@with_app
async def test_a_match_with_a_bot_goes_on_by_itself(app: SocketApp) -> None:
    ann = await app.agent()
    match = await app.queue(ann, "checkers", "easy")
    socket = await app.opened(f"/ws/game/{match}", ann)
    for turn in range(1, 6):
        await until(lambda turn=turn: len(socket.all("your_turn")) == turn)  # type: ignore[misc]  # mypy infers no lambda with a default
        socket.play()
    sequences = [frame["sequence"] for frame in socket.all("your_turn")]
    assert sequences == sorted(set(sequences))


@with_strict_app
async def test_too_many_frames_close_the_socket(app: SocketApp) -> None:
    match, ann, _ = await app.pair()
    socket = await app.opened(f"/ws/game/{match}", ann)
    for _ in range(20):
        socket.send("{}")
    await socket.end()
    errors = [frame["error"] for frame in socket.all("error")]
    assert errors[-1] == "rate_limited" and socket.last("error")["retryAfterMs"] == 1000
    assert set(errors[:-1]) == {"invalid_input"} and len(errors) <= 8
    assert socket.code == 1008


@with_app
async def test_an_internal_error_is_reported_as_such_and_closes_the_socket(
    app: SocketApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, ann, _ = await app.pair()

    def fail(*_: object) -> Any:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(app.arena, "turn_ends_at", fail)
    socket = app.open(f"/ws/game/{match}", ann)
    await socket.end()
    assert socket.code == 1011
    assert "secret" not in str(socket.frames)
    monkeypatch.undo()
    await (await app.opened(f"/ws/game/{match}", ann)).hear("connected", "your_turn")


@with_app
async def test_an_action_that_could_not_be_stored_is_refused_and_can_be_sent_again(app: SocketApp) -> None:
    match, ann, ben = await app.pair()
    one, two = await app.opened(f"/ws/game/{match}", ann), await app.opened(f"/ws/game/{match}", ben)
    await one.hear("connected", "your_turn")
    turn = one.frames[1]
    action = {"type": "move", **turn["view"]["legalMoves"][0]}
    with read_only(app.platform):
        one.act(turn["sequence"], action)
        await one.hear("connected", "your_turn", "error")
        assert one.frames[2] == {"type": "error", "error": "unavailable"}
    one.act(turn["sequence"], action)
    await two.hear("connected", "your_turn")


@with_app
async def test_a_newer_socket_at_another_process_wins(app: SocketApp) -> None:
    match, ann, ben = await app.pair()
    older, other = await app.opened(f"/ws/game/{match}", ann), await app.opened(f"/ws/game/{match}", ben)
    table = (await app.platform.tables.load(match)).table
    at = app.platform.clock.moment().clock
    app.platform.bus.notify(SocketOpened(f"{match}/{table.mover}", at - 1, "z"))
    await app.platform.bus.drain()
    assert older.is_open
    app.platform.bus.notify(SocketOpened(f"{match}/{table.mover}", at, "z"))
    await older.end()
    assert older.kinds == ["connected", "your_turn", "replaced"]
    assert other.is_open
