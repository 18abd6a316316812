"""One match over requests and sockets, with everything that can go wrong."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.client.scripted import Scripted, over, refusal, state
from tests.client.scripted_sockets import ArenaSocket, Scene, scripted_arena
from tests.wire.views import BACKGAMMON

from ludus.client import Agent, GameOver, Refused, Unexpected, View, match, play

FIRST = {"type": "move", "moves": BACKGAMMON["legalMoves"][0]}
SECOND = {"type": "move", "moves": BACKGAMMON["legalMoves"][1]}
RESIGN = {"type": "resign"}


class Player:
    """Plays the first legal move or, after a refusal, the next; records its views."""

    def __init__(self) -> None:
        self.seen: list[View] = []

    def __call__(self, view: View) -> Any:
        self.seen.append(view)
        return view["legalMoves"][1 if "refused" in view else 0]


def accepted(after: dict[str, Any]) -> dict[str, Any]:
    return {"success": True, "state": after}


def by_requests(script: Scripted, agent: Agent) -> GameOver:
    async def work() -> GameOver:
        async with script.arena() as arena:
            return await play(arena, "m1", agent, sockets=False)

    return asyncio.run(work())


def over_sockets(script: Scripted, agent: Agent, *scenes: Scene | int) -> GameOver:
    async def work() -> GameOver:
        async with scripted_arena(script, *scenes) as arena:
            return await play(arena, "m1", agent)

    return asyncio.run(work())


def actions(script: Scripted) -> list[Any]:
    return [(body["sequence"], body["action"]) for method, _, body in script.asked if method == "POST"]


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "POLL_SECONDS", 0.0)


def test_a_match_by_requests() -> None:
    script = Scripted(
        state("not_started", 1), state("your_turn", 2), accepted(state("waiting", 4)), state("waiting", 4),
        state("your_turn", 6), accepted(over(7)),
    )  # fmt: skip
    ended = by_requests(script, player := Player())
    assert ended.outcome == "win"
    assert actions(script) == [(2, FIRST), (6, FIRST)]
    assert len(player.seen) == 2
    assert [path.partition("?")[2] for _, path, _ in script.asked if "?" in path] == [
        "wait=false", "wait=true&afterSequence=1", "wait=true&afterSequence=4", "wait=true&afterSequence=4",
    ]  # fmt: skip


def test_a_match_that_is_over_is_not_played() -> None:
    assert by_requests(Scripted(over(3)), Player()).outcome == "win"
    assert over_sockets(Scripted(over(3)), Player()).outcome == "win"


def test_after_a_refusal_the_agent_is_asked_again() -> None:
    script = Scripted(
        state("your_turn", 2), refusal(400, "invalid_action", details="no man is on 8"), accepted(over(3))
    )
    by_requests(script, player := Player())
    assert actions(script) == [(2, FIRST), (2, SECOND)]
    assert player.seen[1]["refused"] == {"action": FIRST, "error": "invalid_action", "details": "no man is on 8"}


def test_an_agent_that_is_refused_three_times_resigns() -> None:
    no = refusal(400, "invalid_action", details="never")
    script = Scripted(state("your_turn", 2), no, no, no, accepted(over(3)))
    with pytest.raises(Refused, match="invalid_action"):
        by_requests(script, Player())
    assert actions(script) == [(2, FIRST), (2, SECOND), (2, SECOND), (2, RESIGN)]


@pytest.mark.parametrize("error", ["stale_sequence", "not_your_turn", "game_already_over"])
def test_a_stale_sequence_refreshes_the_state(error: str) -> None:
    script = Scripted(state("your_turn", 2), refusal(409, error, currentSequence=4), over(9))
    assert by_requests(script, Player()).outcome == "win"


def test_an_arena_that_refuses_the_turn_it_asks_for_is_not_asked_forever() -> None:
    script = Scripted(state("your_turn", 2), refusal(409, "stale_sequence"), state("your_turn", 2))
    with pytest.raises(Refused, match="stale_sequence"):
        by_requests(script, Player())


def test_other_refusals_are_raised() -> None:
    with pytest.raises(Refused, match="not_a_player"):
        by_requests(Scripted(refusal(403, "not_a_player")), Player())
    with pytest.raises(Refused, match="not_a_player"):
        by_requests(Scripted(state("your_turn", 2), refusal(403, "not_a_player")), Player())


def test_a_match_over_a_socket() -> None:
    heard: list[Any] = []

    async def scene(socket: ArenaSocket) -> None:
        for sequence in (2, 6):
            await socket.send_turn(sequence)
            heard.append(await socket.receive())
        await socket.send_end()

    ended = over_sockets(Scripted(state("your_turn", 2)), Player(), scene)
    assert heard == [{"type": "action", "sequence": sequence, "payload": FIRST} for sequence in (2, 6)]
    assert (ended.outcome, ended.game, ended.reason) == ("win", "backgammon", "borne_off")


def test_a_socket_that_breaks_is_replaced_and_the_same_action_sent_again() -> None:
    heard: list[Any] = []

    async def breaking(socket: ArenaSocket) -> None:
        await socket.send_turn(2)
        heard.append(await socket.receive())

    async def sound(socket: ArenaSocket) -> None:
        await socket.send_turn(2)
        heard.append(await socket.receive())
        await socket.send_end()

    script = Scripted(state("your_turn", 2), state("your_turn", 2))
    over_sockets(script, player := Player(), breaking, sound)
    assert heard[0] == heard[1]
    assert len(player.seen) == 1


def test_an_end_between_two_sockets_is_not_missed() -> None:
    async def breaking(socket: ArenaSocket) -> None:
        await socket.send_turn(2)
        await socket.receive()

    assert over_sockets(Scripted(state("your_turn", 2), over(3)), Player(), breaking).outcome == "win"


def test_after_a_refused_frame_the_agent_is_asked_again() -> None:
    heard: list[Any] = []

    async def scene(socket: ArenaSocket) -> None:
        await socket.send_turn(2)
        heard.append(await socket.receive())
        await socket.send("error", error="invalid_action", details="no")
        heard.append(await socket.receive())
        await socket.send_end()

    over_sockets(Scripted(state("your_turn", 2)), Player(), scene)
    assert [frame["payload"] for frame in heard] == [FIRST, SECOND]


def test_a_rate_limited_frame_is_sent_again_later() -> None:
    heard: list[Any] = []

    async def scene(socket: ArenaSocket) -> None:
        await socket.send_turn(2)
        heard.append(await socket.receive())
        await socket.send("error", error="rate_limited", retryAfterMs=5)
        heard.append(await socket.receive())
        await socket.send_end()

    over_sockets(Scripted(state("your_turn", 2)), player := Player(), scene)
    assert heard[0] == heard[1]
    assert len(player.seen) == 1


def test_a_frame_that_could_not_be_stored_is_sent_again() -> None:
    heard: list[Any] = []

    async def scene(socket: ArenaSocket) -> None:
        await socket.send_turn(2)
        heard.append(await socket.receive())
        for _ in range(2):
            await socket.send("error", error="unavailable")
            heard.append(await socket.receive())
        await socket.send_end()

    over_sockets(Scripted(state("your_turn", 2)), player := Player(), scene)
    assert heard == heard[:1] * 3
    assert len(player.seen) == 1


def test_a_stale_sequence_opens_another_socket() -> None:
    async def stale(socket: ArenaSocket) -> None:
        await socket.send_turn(2)
        await socket.receive()
        await socket.send("error", error="stale_sequence", currentSequence=4)
        await socket.socket.wait_closed()

    async def fresh(socket: ArenaSocket) -> None:
        await socket.send_turn(4)
        assert (await socket.receive())["sequence"] == 4
        await socket.send_end()

    over_sockets(Scripted(state("your_turn", 2), state("your_turn", 4)), Player(), stale, fresh)


def test_a_socket_that_another_program_took_is_not_taken_back() -> None:
    async def scene(socket: ArenaSocket) -> None:
        await socket.send("replaced")
        await socket.socket.close(1000)

    with pytest.raises(Refused, match="another program plays as this agent"):
        over_sockets(Scripted(state("your_turn", 2)), Player(), scene)


@pytest.mark.parametrize("status", [404, 403])
def test_without_sockets_plain_requests_are_used(status: int) -> None:
    script = Scripted(state("your_turn", 2), state("your_turn", 2), accepted(over(3)))
    assert over_sockets(script, Player(), status).outcome == "win"
    assert actions(script) == [(2, FIRST)]


def test_sockets_that_only_greet_are_abandoned_for_requests() -> None:
    async def mute(socket: ArenaSocket) -> None:
        return None

    waiting = state("waiting", 2)
    script = Scripted(waiting, waiting, waiting, waiting, over(3))
    assert over_sockets(script, Player(), mute, mute, mute).outcome == "win"


def test_a_frame_that_is_not_an_object_is_reported() -> None:
    async def scene(socket: ArenaSocket) -> None:
        await socket.socket.send("[]")
        await socket.socket.wait_closed()

    with pytest.raises(Unexpected, match="a frame that is not a JSON object"):
        over_sockets(Scripted(state("your_turn", 2)), Player(), scene)


def test_unknown_frames_are_ignored() -> None:
    async def scene(socket: ArenaSocket) -> None:
        await socket.send("message", text="hello")
        await socket.send_end()

    assert over_sockets(Scripted(state("waiting", 2)), Player(), scene).outcome == "win"


def test_an_error_in_the_agent_reaches_the_caller() -> None:
    def agent(view: View) -> Any:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        by_requests(Scripted(state("your_turn", 2)), agent)
