"""Agents that play a whole match, over HTTP or over WebSockets, and check everything they receive."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any, NamedTuple

from .boards import applied, board_fields, check_view, choose
from .client import Agent

Json = dict[str, Any]


class Playthrough(NamedTuple):
    """What one player of a match has seen."""

    turns: int
    end: Json
    after: list[Json]
    """The board after each of the player's own moves, as it should be."""


class Match(NamedTuple):
    id: str
    game: str
    players: list[str]

    def check(self, agent: Agent, state: Json) -> None:
        assert state["matchId"] == self.id and state["gameId"] == self.game
        assert state["gameType"] == "sequential"
        assert state["status"] in ("your_turn", "waiting", "game_over")
        assert isinstance(state["sequence"], int)
        check_view(self.game, state["view"], agent.id, self.players)
        assert state["view"]["isYourTurn"] is (state["status"] == "your_turn")


def over_http(match: Match, agent: Agent, rng: Random) -> Playthrough:
    """With long polls between the turns."""
    after: list[Json] = []
    state = agent.state(match.id)
    while state["status"] != "game_over":
        match.check(agent, state)
        if state["status"] == "your_turn":
            action = choose(state["view"], rng)
            after.append(applied(match.game, state["view"], action))
            before = state["sequence"]
            state = agent.act(match.id, before, action)
            match.check(agent, state)
            assert state["sequence"] > before
        else:
            state = agent.state(match.id, after=state["sequence"])
    match.check(agent, state)
    return Playthrough(len(after), state, after)


def over_socket(match: Match, agent: Agent, rng: Random) -> Playthrough:
    after: list[Json] = []
    sequence = -1
    with agent.game(match.id) as socket:
        socket.expect("connected")
        while (frame := socket.next(60))["type"] == "your_turn":
            check_view(match.game, frame["view"], agent.id, match.players)
            assert frame["view"]["isYourTurn"] and frame["sequence"] > sequence and frame["turnEndsAt"]
            sequence = frame["sequence"]
            action = choose(frame["view"], rng)
            after.append(applied(match.game, frame["view"], action))
            socket.act(sequence, action)
        assert frame["type"] == "game_over", frame
        assert socket.ending() == 1000
    return Playthrough(len(after), frame, after)


WAYS = {"http": over_http, "socket": over_socket}


def play(match: Match, agents: list[Agent], ways: list[str], seed: int) -> list[Playthrough]:
    """Both at once, each in its own way."""
    with ThreadPoolExecutor(len(agents)) as pool:
        jobs = [
            pool.submit(_play, way, match, agent, Random(f"{seed} {way} {number}"))
            for number, (agent, way) in enumerate(zip(agents, ways, strict=True))
        ]
        return [job.result() for job in jobs]


def _play(way: str, match: Match, agent: Agent, rng: Random) -> Playthrough:
    """A player that fails resigns, so that no one waits for it."""
    try:
        return WAYS[way](match, agent, rng)
    except BaseException:
        agent.try_action(match.id, agent.state(match.id)["sequence"], {"type": "resign"})
        raise


def paired(game: str, agents: list[Agent], **more: Any) -> Match:
    """The first of them waits for the second."""
    first, second = agents
    assert first.queue(game, **more) == {"status": "queued", "position": 1}
    found = second.queue(game, **more)
    assert found["status"] == "matched", found
    assert sorted(found["players"]) == sorted([first.id, second.id])
    return Match(found["matchId"], game, found["players"])


def mover_first(match: Match, agents: list[Agent]) -> tuple[Agent, Agent]:
    """The one whose turn it is, and the other."""
    one, two = agents
    return (one, two) if one.state(match.id)["status"] == "your_turn" else (two, one)


def board_of(match: Match, agent: Agent) -> Json:
    return board_fields(match.game, agent.state(match.id)["view"])
