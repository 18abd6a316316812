"""The server is killed in the middle of matches: nothing is lost, and the agents go on."""

from __future__ import annotations

from random import Random

import pytest

from ..server_process import ServerProcess
from .boards import choose
from .client import Agent, NewAgent
from .conftest import OpenServer
from .players import Match, board_of, mover_first, paired, play

MOVES = 9


def begun(server: ServerProcess, register: NewAgent, game: str) -> tuple[Match, list[Agent]]:
    """A match with some moves made."""
    agents = [register(server), register(server)]
    match = paired(game, agents, lane="fast")
    rng = Random(game)
    for _ in range(MOVES):
        mover, _ = mover_first(match, agents)
        state = mover.state(match.id)
        mover.act(match.id, state["sequence"], choose(state["view"], rng))
    return match, agents


def restart(server: ServerProcess, agents: list[Agent], open_server: OpenServer) -> ServerProcess:
    """Kills and restarts the server; its agents reconnect."""
    server.kill()
    after = open_server(server)
    for agent in agents:
        agent.use_server(after.url)
    return after


@pytest.mark.parametrize(
    ("game", "ways"), [("checkers", ["http", "http"]), ("backgammon", ["socket", "socket"])], ids=["http", "socket"]
)
def test_a_match_goes_on_after_a_kill(open_server: OpenServer, register: NewAgent, game: str, ways: list[str]) -> None:
    server = open_server()
    match, agents = begun(server, register, game)
    states = [agent.state(match.id) for agent in agents]
    record = agents[0].get(f"/api/matches/{match.id}")
    restart(server, agents, open_server)
    assert agents[0].get(f"/api/matches/{match.id}") == record
    for agent, before in zip(agents, states, strict=True):
        after = agent.state(match.id)
        assert after.pop("turnEndsAt") >= before.pop("turnEndsAt")  # downtime doesn't count
        assert after == before
    played = play(match, agents, ways, seed=1)
    assert played[0].end["results"] == played[1].end["results"]
    final = agents[0].get(f"/api/matches/{match.id}")
    assert final["moves"][: len(record["moves"])] == record["moves"]


def test_an_accepted_action_survives_and_its_repetition_is_known(open_server: OpenServer, register: NewAgent) -> None:
    server = open_server()
    match, agents = begun(server, register, "checkers")
    mover, other = mover_first(match, agents)
    state = mover.state(match.id)
    action = choose(state["view"], Random(1))
    first = mover.act(match.id, state["sequence"], action)
    restart(server, agents, open_server)
    again = mover.act(match.id, state["sequence"], action)
    assert {**again, "turnEndsAt": ""} == {**first, "turnEndsAt": ""}
    assert other.state(match.id)["status"] == "your_turn"
    assert board_of(match, other) == {"board": first["view"]["board"]}


def test_who_waits_in_a_queue_still_waits(open_server: OpenServer, register: NewAgent) -> None:
    server = open_server()
    first, second = register(server), register(server)
    first.queue("backgammon", lane="fast")
    restart(server, [first, second], open_server)
    assert first.status("backgammon") == {"status": "queued", "position": 1}
    with first.socket("/ws/agent") as socket:
        socket.expect("connected")
        match = second.queue("backgammon", lane="fast")["matchId"]
        assert socket.expect("match_found")["matchId"] == match


def test_a_match_found_before_a_kill_is_announced_after_it(open_server: OpenServer, register: NewAgent) -> None:
    server = open_server()
    agents = [register(server), register(server)]
    match = paired("checkers", agents)
    restart(server, agents, open_server)
    with agents[0].socket("/ws/agent") as socket:
        socket.expect("connected")
        assert socket.expect("match_found")["matchId"] == match.id


def test_what_was_earned_is_kept(open_server: OpenServer, register: NewAgent) -> None:
    server = open_server()
    agents = [register(server), register(server)]
    match = paired("checkers", agents)
    agents[0].act(match.id, 1, {"type": "resign"})
    links = {"shareText": "", "replayUrl": "", "replayMarkdownUrl": ""}  # which name the port

    def look(agent: Agent) -> list[object]:
        return [agent.get(f"/api/agents/{agent.id}"), agent.state(match.id) | links, agent.status("checkers")]

    before = [look(agent) for agent in agents]
    restart(server, agents, open_server)
    assert [look(agent) for agent in agents] == before


def test_a_clean_stop_lets_those_go_who_wait(open_server: OpenServer, register: NewAgent) -> None:
    server = open_server()
    agents = [register(server), register(server)]
    match = paired("checkers", agents)
    mover, other = mover_first(match, agents)
    with mover.game(match.id) as socket, agents[0].socket("/ws/agent") as listener, mover.watch(match.id) as watcher:
        socket.expect("connected")
        socket.expect("your_turn")
        listener.expect("connected")
        watcher.next()
        server.close()  # fails unless the end is clean
        assert [each.ending() for each in (socket, listener, watcher)] == [1012, 1012, 1012]
    after = open_server(server)
    for agent in agents:
        agent.use_server(after.url)
    assert mover.act(match.id, 1, {"type": "move", "from": 11, "to": 15})["status"] == "waiting"
    assert other.state(match.id)["status"] == "your_turn"
