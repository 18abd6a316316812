"""Agents from registration to the end of a match, on a real server."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.client.conftest import UNLIMITED
from tests.server_process import ServerProcess

from ludus.client import Agent, GameOver, Keyring, Refused, Registration, View, resigned, run
from ludus.client.positions import action_of, position_of
from ludus.engines import ENGINES, OWN_LIMIT
from ludus.games import GAMES

each_game = pytest.mark.parametrize("game", GAMES)
each_way = pytest.mark.parametrize("sockets", [True, False], ids=["sockets", "requests"])


def random_agent(view: View) -> Any:
    return Random().choice(view["legalMoves"])


def engine_agent(game: str, engine: str) -> Agent:
    rng = Random(1)

    def agent(view: View) -> Any:
        position = position_of(game, view)
        return action_of(position, ENGINES[engine].choose(GAMES[game], position, OWN_LIMIT, rng))

    return agent


def meet(*lives: dict[str, Any]) -> list[list[GameOver]]:
    """Runs agents side by side."""
    with ThreadPoolExecutor(len(lives)) as pool:
        return [options.result(timeout=120) for options in [pool.submit(run, **options) for options in lives]]


@each_game
@each_way
def test_two_agents_meet_and_play_to_the_end(
    server: ServerProcess, keys: Keyring, name: str, game: str, sockets: bool
) -> None:
    options = {
        "url": server.url,
        "game": game,
        "keys": keys,
        "sockets": sockets,
        "lane": "fast" if sockets else "standard",
    }
    (one,), (two,) = meet(
        {**options, "name": f"{name} A", "agent": random_agent},
        {**options, "name": f"{name} B", "agent": engine_agent(game, "easy")},
    )
    assert one.match == two.match
    assert sorted((one.outcome, two.outcome)) in (["loss", "win"], ["draw", "draw"])
    assert one.game == game
    assert one.rating and two.rating
    assert one.rating.after - one.rating.before == pytest.approx(two.rating.before - two.rating.after)
    assert one.outcomes == two.outcomes


@each_game
@each_way
def test_an_agent_meets_a_house_bot(server: ServerProcess, keys: Keyring, name: str, game: str, sockets: bool) -> None:
    told: list[GameOver] = []
    ended = run(random_agent, url=server.url, game=game, name=name, matches=2, opponent="house:easy", keys=keys,
                sockets=sockets, tell=told.append)  # fmt: skip
    assert ended == told
    assert len({over.match for over in ended}) == 2
    assert all("house:easy" in over.outcomes for over in ended)


@each_way
def test_an_agent_that_resigns_has_lost(server: ServerProcess, keys: Keyring, name: str, sockets: bool) -> None:
    options: dict[str, Any] = {"url": server.url, "game": "checkers", "keys": keys, "sockets": sockets}
    (over,) = run(lambda _: resigned(), name=name, opponent="house:easy", **options)
    assert (over.outcome, over.reason) == ("loss", "resignation")


def test_a_restarted_agent_resumes_its_match(server: ServerProcess, keys: Keyring, name: str) -> None:
    options: dict[str, Any] = {
        "url": server.url,
        "game": "checkers",
        "name": name,
        "keys": keys,
        "opponent": "house:easy",
    }
    asked: list[View] = []

    def fainting(view: View) -> Any:
        asked.append(view)
        if len(asked) > 3:
            raise KeyboardInterrupt
        return view["legalMoves"][0]

    async def fainting_along(view: View) -> Any:
        return fainting(view)

    with pytest.raises(KeyboardInterrupt):
        run(fainting_along, **options)
    after: list[View] = []

    def going_on(view: View) -> Any:
        after.append(view)
        return random_agent(view)

    assert run(going_on, **options)[0].outcome in ("win", "loss", "draw")
    assert after[0]["fen"] == asked[-1]["fen"]


@each_way
def test_an_agent_that_only_makes_illegal_moves_resigns(
    server: ServerProcess, keys: Keyring, name: str, sockets: bool
) -> None:
    seen: list[View] = []

    def agent(view: View) -> Any:
        seen.append(view)
        return {"from": 1, "to": 32}

    options: dict[str, Any] = {"url": server.url, "game": "checkers", "name": name, "keys": keys}
    with pytest.raises(Refused, match=r"invalid_action \(the piece on 1 cannot move to 32\)|invalid_action"):
        run(agent, opponent="house:easy", sockets=sockets, **options)
    assert len(seen) == 3
    assert "refused" in seen[1]
    assert run(random_agent, opponent="house:easy", **options)[0].match


def test_a_taken_name_is_reported(server: ServerProcess, keys: Keyring, tmp_path: Path, name: str) -> None:
    options: dict[str, Any] = {"url": server.url, "game": "checkers", "name": name, "opponent": "house:easy"}
    run(lambda _: resigned(), **options, keys=keys)
    with pytest.raises(Refused, match="name_taken"):
        run(lambda _: resigned(), **options, keys=Keyring(tmp_path / "others"))


def test_an_agent_that_the_server_does_not_know_is_registered_again(
    server: ServerProcess, keys: Keyring, name: str
) -> None:
    keys.keep(server.url, Registration("gone", name, None, "stale", "", ""))
    run(lambda _: resigned(), url=server.url, game="checkers", name=name, opponent="house:easy", keys=keys)
    again = keys.find(server.url, name)
    assert again and again.id != "gone"


def test_killing_and_restarting_the_server_loses_no_match(tmp_path: Path, name: str) -> None:
    """Both agents wait until it is back on the same port, then continue."""
    first = ServerProcess(tmp_path / "data", **UNLIMITED)
    port = int(first.url.rpartition(":")[2])
    moved = threading.Semaphore(0)

    def agent(view: View) -> Any:
        moved.release()
        return view["legalMoves"][0]

    options: dict[str, Any] = {"url": first.url, "game": "checkers", "keys": Keyring(tmp_path / "keys"), "agent": agent}
    with ThreadPoolExecutor(2) as pool:
        lives = [pool.submit(run, **options, name=f"{name} {side}", sockets=side == "A") for side in "AB"]
        for _ in range(12):
            assert moved.acquire(timeout=60)
        first.kill()
        second = ServerProcess(tmp_path / "data", port=port, **UNLIMITED)
        try:
            (one,), (two,) = (options.result(timeout=120) for options in lives)
        finally:
            second.kill()
    assert one.match == two.match
    assert one.outcomes == two.outcomes
