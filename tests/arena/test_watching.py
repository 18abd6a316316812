"""Whoever wants to can watch a match, without a key."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from websockets.exceptions import ConnectionClosed

from .boards import board_fields
from .client import Agent, Json, Refused, Socket, Visitor
from .players import paired, play

NewOne = Callable[..., Agent]


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_a_watcher_sees_the_whole_match(new_agent: NewOne, visitor: Visitor, game: str) -> None:
    agents = [new_agent(), new_agent()]
    match = paired(game, agents, lane="fast")
    with visitor.watch(match.id) as socket:
        state = socket.next()
        assert (state["matchId"], state["gameId"]) == (match.id, game)
        with ThreadPoolExecutor(1) as pool:  # who does not read is cut off after a while
            ending = pool.submit(socket.ending)
            played = play(match, agents, ["http", "socket"], seed=11)
        assert ending.result() == 1000
    frames = socket.heard
    assert frames[-1]["type"] == "game_over"
    assert {frame["type"] for frame in frames[1:-1]} == {"move"}
    record = visitor.get(f"/api/matches/{match.id}")
    assert [frame["move"]["notation"] for frame in frames[1:-1]] == [move["notation"] for move in record["moves"]]
    assert [frame["move"]["player"] for frame in frames[1:-1]] == [move["player"] for move in record["moves"]]
    boards = [board_fields(game, frame["view"]) for frame in frames[1:-1]]
    assert all(board in boards for each in played for board in each.after)
    assert frames[-1]["results"] == played[0].end["results"]
    assert frames[-1]["reason"] == played[0].end["reason"]


def test_a_watcher_is_shown_nothing_that_is_a_players_own(new_agent: NewOne, visitor: Visitor) -> None:
    agents = [new_agent(), new_agent()]
    match = paired("checkers", agents)
    with visitor.watch(match.id) as socket:
        text = str(socket.next())
    assert not any(str(agent.key) in text or agent.code in text for agent in agents)


def test_who_comes_late_sees_how_it_ended(new_agent: NewOne, visitor: Visitor) -> None:
    agents = [new_agent(), new_agent()]
    match = paired("checkers", agents)
    agents[0].act(match.id, 1, {"type": "resign"})
    with visitor.watch(match.id) as socket:
        assert socket.ending() == 1000
    assert socket.heard[-1]["type"] == "game_over"
    assert socket.heard[-1]["results"]


def test_a_match_that_is_not_there_cannot_be_watched(visitor: Visitor) -> None:
    with pytest.raises(Refused) as refused:
        visitor.watch("nothing")
    assert (refused.value.status, refused.value.body) == (404, {"error": "match_not_found"})


def test_watchers_who_do_not_read_or_just_vanish_do_no_harm(new_agent: NewOne, visitor: Visitor) -> None:
    agents = [new_agent(), new_agent()]
    match = paired("backgammon", agents, lane="fast")
    with ExitStack() as stack:
        watchers = [stack.enter_context(visitor.watch(match.id)) for _ in range(30)]
        for watcher in watchers[:10]:
            watcher.drop()
        with ThreadPoolExecutor(10) as pool:  # who does not read is cut off after a while
            watching = [pool.submit(_watch_on, watcher) for watcher in watchers[20:]]
            played = play(match, agents, ["socket", "socket"], seed=5)
        for watched in watching:
            assert watched.result()["results"] == played[0].end["results"]
        for watcher in watchers[10:20]:
            watcher.drop()  # its close would wait for an answer behind all that it has not read


def _watch_on(socket: Socket) -> Json:
    """The last frame it receives."""
    try:
        while True:
            socket.next()
    except ConnectionClosed:
        return socket.heard[-1]
