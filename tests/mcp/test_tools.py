"""The tools as a model uses them, over both transports and against a real arena."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import httpx2
from mcp.client.streamable_http import streamable_http_client
from tests.mcp.model import Model, command, over_http, over_stdio, served
from tests.server_process import PATIENCE, ServerProcess

from ludus.client import Arena, Keyring
from ludus.mcp.server import build
from ludus.mcp.session import Sessions
from mcp import Client

TOOLS = {
    "register_agent", "list_games", "queue_match", "leave_queue", "get_turn", "take_turn", "get_rules", "get_strategy",
    "list_tournaments", "get_tournament", "join_tournament", "leave_tournament",
}  # fmt: skip
Use = Callable[[Model], Awaitable[None]]


def with_stdio(server: ServerProcess, keys: Path, use: Use, *options: str) -> None:
    async def work() -> None:
        async with over_stdio(server.url, keys, *options) as model:
            await use(model)

    asyncio.run(work())


def with_tools(server: ServerProcess, keys: Path | None, use: Use, seconds: float = 60.0) -> None:
    """In this process: the same server and the SDK's client."""
    sessions = Sessions(partial(Arena, server.url), None if keys is None else Keyring(keys), None, seconds)

    async def work() -> None:
        async with Client(build(sessions)) as client:
            await use(Model(client))

    asyncio.run(work())


def key_in(text: str) -> str:
    found = re.search(r"^agentKey: (\S+)$", text, re.MULTILINE)
    assert found, text
    return found[1]


def timeless(text: str) -> str:
    """A turn without its deadline, which a busy machine may push back."""
    return re.sub(r", until \S+", "", text)


def test_there_are_twelve_tools_with_short_schemas(server: ServerProcess, tmp_path: Path) -> None:
    async def use(model: Model) -> None:
        tools = await model.tools()
        assert set(tools) == TOOLS
        assert not [name for name, schema in tools.items() if "agentKey" in schema["properties"]]
        assert len(json.dumps(tools)) < 3100

    with_tools(server, tmp_path, use)


def test_a_whole_match_over_stdio(server: ServerProcess, tmp_path: Path, name: str) -> None:
    async def use(model: Model) -> None:
        told = await model.call("register_agent", name=name, model="thoughtless")
        assert told.startswith(f"registered as {name}. Your operator can claim you at {server.url}/claim?agent=")
        assert "ludus_agent_" not in told
        assert (await model.call("queue_match", gameId="backgammon", opponent="house:easy")).startswith("matched: ")
        turns, last = await model.play()
        assert turns > 5
        assert re.search(r"game_over: (win|loss|draw) \(\w+\)\. Rating 1500 to \d+\.", last)
        assert await model.call("get_turn") == "not_joined: call queue_match first."

    with_stdio(server, tmp_path, use)


def test_a_turn_is_a_board_the_legal_moves_and_whose_turn_it_is(
    server: ServerProcess, tmp_path: Path, name: str
) -> None:
    async def use(model: Model) -> None:
        await model.call("register_agent", name=name)
        await model.call("queue_match", gameId="backgammon", opponent="house:easy")
        turn = await model.call("get_turn")
        lines = turn.splitlines()
        assert re.match(
            r"your_turn: backgammon, you are (white|black) \([OX]\), moving .*; turnToken \d+, until ", turn
        )
        assert lines[1] == " 13 14 15 16 17 18 | 19 20 21 22 23 24"
        assert "Legal moves: 1 " in lines[-1]
        assert len(turn) < 2500
        assert timeless(await model.call("get_turn")) == timeless(turn)

    with_tools(server, tmp_path, use)


def test_moves_in_words_are_played_and_bad_ones_explained(server: ServerProcess, tmp_path: Path, name: str) -> None:
    async def use(model: Model) -> None:
        await model.call("register_agent", name=name)
        await model.call("queue_match", gameId="checkers", opponent="house:easy")
        turn = await model.call("get_turn")
        move, token = re.search(r"Legal moves: 1 ([\d-]+)", turn), re.search(r"turnToken (\d+)", turn)
        assert move and token
        assert await model.fail("take_turn", action="1-32") == "1-32 is not among the legal moves"
        assert "no move number 99" in await model.fail("take_turn", action=99)
        assert "is not a move such as 11-15" in await model.fail("take_turn", action="the best one")
        illegal = {"type": "move", "from": 1, "to": 32}
        assert re.match(r"invalid_action \(.+\)\. Give the number", await model.fail("take_turn", action=illegal))
        assert (await model.fail("take_turn", action=1, turnToken=999)).startswith("stale_sequence. Call get_turn")
        after = await model.call("take_turn", action=move[1], turnToken=int(token[1]))
        assert "your_turn: checkers" in after
        assert "game_over: loss (resignation)" in await model.call("take_turn", action="resign")

    with_tools(server, tmp_path, use)


def test_a_call_made_too_early_says_what_to_do(server: ServerProcess, tmp_path: Path, name: str) -> None:
    async def use(model: Model) -> None:
        assert await model.fail("get_turn") == "not registered: call register_agent first"
        assert (await model.fail("register_agent", name="!")).startswith("'!' is not a name")
        await model.call("register_agent", name=name)
        assert await model.call("get_turn") == "not_joined: call queue_match first."
        assert await model.call("take_turn", action=1) == "not_joined: call queue_match first."
        assert await model.fail("queue_match", gameId="chess") == "game_not_found. list_games has the ids."
        assert "invalid_input" in await model.fail("queue_match", gameId="checkers", lane="slow")

    with_tools(server, tmp_path, use)


def test_two_models_play_a_match_with_the_cube(server: ServerProcess, name: str) -> None:
    async def turn(model: Model) -> str:
        while not (text := await model.call("get_turn")).startswith("your_turn"):
            assert text.startswith("waiting: ")
        return text

    async def use(first: Model) -> None:
        second = Model(first.client)
        for model, side in ((first, "A"), (second, "B")):
            model.always["agentKey"] = key_in(await model.call("register_agent", name=f"{name} {side}"))
            await model.call("queue_match", gameId="backgammon", matchLength=3)
        if (await first.call("get_turn")).startswith("waiting"):
            first, second = second, first
        assert "Match to 3, game 1: white 0, black 0\nCube at 1, centred\n" in await turn(first)
        await first.call("take_turn", action="1")
        assert (await turn(second)).endswith(" Legal moves: 1 roll; 2 double.")
        await second.call("take_turn", action="double")
        doubled = await turn(first)
        assert re.search(r"^Double to 2: (white|black) takes it, or drops and loses 1$", doubled, re.MULTILINE)
        assert doubled.endswith("Legal moves: 1 take; 2 drop.")
        assert (await first.fail("take_turn", action="beaver")).startswith("invalid_action")
        await first.call("take_turn", action="take")
        own = "white" if "you are white" in doubled else "black"
        assert f"Cube at 2, {own}\n" in await turn(second), "who took it owns it"
        await second.call("take_turn", action="1")
        await turn(first)
        await first.call("take_turn", action="2")
        assert "Double to 4: " in await turn(second)
        after = await second.call("take_turn", action="drop")
        score = "white 2, black 0" if own == "white" else "white 0, black 2"
        if after.startswith("waiting: "):
            after = await turn(first)
            await first.call("take_turn", action="1")
        assert f"Match to 3, game 2: {score}; the Crawford game, without doubles\n" in after
        assert "double" not in (await turn(second)).rpartition("Legal moves: ")[2]
        await second.call("take_turn", action="offer resignation 1")
        await second.call("take_turn", action="1")
        assert "Your opponent offers to resign a single game. " in await turn(first)
        won = await first.call("take_turn", action="accept resignation")
        assert won.startswith("game_over: win (resignation)")
        assert (await second.call("get_turn")).startswith("game_over: loss (resignation)")

    with_tools(server, None, use, seconds=0.1)


def test_a_model_plays_a_tournament(server: ServerProcess, name: str) -> None:
    async def use(model: Model) -> None:
        assert await model.call("list_tournaments") == "no tournament for agents at the moment."
        model.always["agentKey"] = key = key_in(await model.call("register_agent", name=name))
        terms = {"name": f"{name}'s", "gameId": "checkers", "system": "round_robin", "rated": True, "rounds": 2}
        id = server.post("/api/tournaments", key, terms)["id"]
        server.post(f"/api/tournaments/{id}/bots", key, {"bot": "house:beginner"})
        head = f'"{name}\'s": checkers, round robin, 5+3, rated; not started, 1 of at most 32 entrants'
        assert head in await model.call("list_tournaments")
        assert await model.call("get_turn", tournamentId=id) == "not_joined: call join_tournament first."
        joined = await model.call("join_tournament", tournamentId=id)
        assert joined.startswith(f"joined. It hasn't begun. Call get_turn with tournamentId {id}")
        assert await model.call("get_turn", tournamentId=id) == (
            "no_match: the tournament hasn't begun. Call get_turn again."
        )
        server.post(f"/api/tournaments/{id}/start", key, {})
        for _ in range(2):
            while not (turn := await model.call("get_turn", tournamentId=id)).startswith("your_turn: checkers"):
                assert turn.startswith(("no_match: you have no opponent", "waiting: "))
            assert ": playing" in await model.call("get_tournament", tournamentId=id)
            assert "game_over: loss (resignation)" in await model.call("take_turn", action="resign")
        while not (turn := await model.call("get_turn", tournamentId=id)).startswith("tournament_over: "):
            assert turn.startswith("no_match: ")
        assert turn == (
            "tournament_over: you finished in place 2 of 2 with 0 points. get_tournament has the standings."
        )
        head, _, *standings, title, pairing = (await model.call("get_tournament", tournamentId=id)).splitlines()
        assert "; finished, won by Beginner bot, 2 of " in head
        assert standings == [
            "1 Beginner bot #1: 2 points (2 won, 0 drawn, 0 lost)",
            f"2 {name} #2 (you): 0 points (0 won, 0 drawn, 2 lost)",
        ]
        assert title == "The latest pairings:"
        assert pairing in (f"Beginner bot #1 - {name} #2 (you): 1-0", f"{name} #2 (you) - Beginner bot #1: 0-1")

    with_tools(server, None, use, seconds=1.5)


def test_a_model_leaves_a_tournament_and_hears_why_it_cannot_enter(server: ServerProcess, name: str) -> None:
    async def use(model: Model) -> None:
        model.always["agentKey"] = key = key_in(await model.call("register_agent", name=name))
        terms = {"name": "Cup", "gameId": "checkers", "system": "knockout"}
        id, closed = (
            server.post("/api/tournaments", key, {**terms, "admits": admits})["id"]
            for admits in (["agent"], ["person"])
        )
        assert closed not in await model.call("list_tournaments")
        assert (await model.fail("join_tournament", tournamentId=closed)).startswith("not_admitted")
        await model.call("join_tournament", tournamentId=id)
        left = await model.call("leave_tournament", tournamentId=id)
        assert left == "left. A match that has started goes on."
        assert await model.call("get_turn", tournamentId=id) == "not_joined: call join_tournament first."
        for each in (id, closed):
            server.post(f"/api/tournaments/{each}/cancel", key, {})
        assert await model.call("get_turn", tournamentId=id) == "tournament_over: it was cancelled."
        missing = await model.fail("join_tournament", tournamentId="none")
        assert missing.startswith("not_found") and missing.endswith(" list_tournaments has the ids.")

    with_tools(server, None, use, seconds=0.1)


def test_rules_and_strategy_can_be_read(server: ServerProcess, tmp_path: Path) -> None:
    async def use(model: Model) -> None:
        assert {line.partition(":")[0] for line in (await model.call("list_games")).splitlines()} == {
            "checkers", "backgammon",
        }  # fmt: skip
        assert "bar" in await model.call("get_rules", gameId="backgammon")
        assert len(await model.call("get_strategy", gameId="checkers")) > 200
        assert "game_not_found" in await model.fail("get_rules", gameId="chess")

    with_tools(server, tmp_path, use)


def test_an_agent_is_the_same_after_a_restart_and_finds_its_match(
    server: ServerProcess, tmp_path: Path, name: str
) -> None:
    turns: list[str] = []

    async def begin(model: Model) -> None:
        await model.call("register_agent", name=name)
        await model.call("queue_match", gameId="checkers", opponent="house:easy")
        turns.append(await model.call("get_turn"))

    async def go_on(model: Model) -> None:
        assert await model.call("register_agent", name=name) == f"already registered as {name}."
        turns.append(await model.call("get_turn"))

    with_stdio(server, tmp_path, begin)
    with_stdio(server, tmp_path, go_on)
    assert timeless(turns[0]) == timeless(turns[1])
    assert turns[0].startswith("your_turn")


def test_a_process_can_be_given_a_name(server: ServerProcess, tmp_path: Path, name: str) -> None:
    async def use(model: Model) -> None:
        assert (await model.call("queue_match", gameId="checkers", opponent="house:easy")).startswith("matched")

    with_stdio(server, tmp_path, use, "--name", name, "--model", "thoughtless")
    with_stdio(server, tmp_path, use, "--name", name)


def test_two_models_meet_over_http_and_each_has_its_key(server: ServerProcess, name: str) -> None:
    async def enter(address: str, side: str) -> tuple[int, str]:
        async with over_http(address) as model:
            assert "agentKey" in (await model.tools())["take_turn"]["properties"]
            assert "then pass agentKey" in await model.fail("get_turn")
            model.always["agentKey"] = key_in(await model.call("register_agent", name=f"{name} {side}"))
            await model.call("queue_match", gameId="checkers")
            return await model.play()

    async def work(address: str) -> tuple[tuple[int, str], tuple[int, str]]:
        return await asyncio.gather(enter(address, "A"), enter(address, "B"))

    with served(server.url) as address:
        (turns, one), (others, two) = asyncio.run(work(address))
    assert min(turns, others) > 5
    outcomes = {re.findall(r"game_over: (\w+)", text)[0] for text in (one, two)}
    assert outcomes in ({"win", "loss"}, {"draw"})


def test_a_key_may_come_in_a_header(server: ServerProcess, name: str) -> None:
    async def work(address: str) -> None:
        async with over_http(address) as model:
            key = key_in(await model.call("register_agent", name=name))
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=PATIENCE)
        async with http, Client(streamable_http_client(address, http_client=http)) as client:
            assert await Model(client).call("get_turn") == "not_joined: call queue_match first."

    with served(server.url) as address:
        asyncio.run(work(address))


def test_a_wrong_key_is_refused(server: ServerProcess) -> None:
    async def use(model: Model) -> None:
        problem = await model.fail("queue_match", gameId="checkers", agentKey="ludus_agent_x")
        assert problem == "unauthorized. Call register_agent."

    with_tools(server, None, use)


def test_a_queued_agent_sees_its_position_and_can_leave(server: ServerProcess, name: str) -> None:
    async def use(model: Model) -> None:
        model.always["agentKey"] = key_in(await model.call("register_agent", name=name))
        assert await model.call("leave_queue") == "you were not in a queue."
        queued = await model.call("queue_match", gameId="backgammon")
        assert queued == "queued for backgammon, position 1. Call get_turn; it waits for an opponent."
        assert (await model.call("queue_match", gameId="backgammon")).startswith("already_queued for backgammon")
        waiting = await model.call("get_turn")
        assert waiting == "no_match: queued for backgammon, position 1. Call get_turn again."
        assert await model.call("leave_queue") == "left. A match that has started goes on."
        assert await model.call("get_turn") == "not_joined: call queue_match first."

    with_tools(server, None, use, seconds=0.1)


def test_a_server_with_a_name_plays_only_as_that_agent(server: ServerProcess, tmp_path: Path, name: str) -> None:
    async def use(model: Model) -> None:
        problem = await model.fail("register_agent", name=f"{name} the other")
        assert problem == f"this server plays as {name}: call queue_match"
        assert (await model.call("register_agent", name=name)).startswith(f"registered as {name}.")
        assert (await model.call("queue_match", gameId="checkers", opponent="house:easy")).startswith("matched")

    with_stdio(server, tmp_path, use, "--name", name)


def test_a_server_with_a_name_and_a_token_requires_the_token(server: ServerProcess, tmp_path: Path, name: str) -> None:
    async def enter(address: str, token: str) -> None:
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE)
        async with http, Client(streamable_http_client(address, http_client=http)) as client:
            model = Model(client)
            assert "this server plays as" in await model.fail("register_agent", name="Somebody else")
            assert (await model.call("queue_match", gameId="checkers", opponent="house:easy")).startswith("matched")

    options = ("--name", name, "--keys", str(tmp_path), "--token", "open sesame")
    with served(server.url, *options) as address:
        for wrong in ({}, {"Authorization": "Bearer close sesame"}, {"Authorization": "Basic open sesame"}):
            answer = httpx2.post(address, json={}, headers=wrong, timeout=PATIENCE)
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        asyncio.run(enter(address, "open sesame"))


def test_serving_a_name_to_other_machines_generates_a_token(server: ServerProcess, tmp_path: Path, name: str) -> None:
    words = command("--url", server.url, "--transport", "http", "--port", "0", "--host", "0.0.0.0")
    words += ["--name", name, "--keys", str(tmp_path)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout
        try:
            port = process.stdout.readline().rpartition(":")[2].partition("/")[0]
            line = process.stdout.readline()
            found = re.fullmatch(rf"Callers play as {name} and must send Authorization: (Bearer \S{{43}})\n", line)
            assert found, line
            url, known = f"http://127.0.0.1:{port}/mcp", {"Authorization": found[1]}
            statuses = [httpx2.post(url, json={}, headers=each, timeout=PATIENCE).status_code for each in ({}, known)]
        finally:
            process.terminate()
    assert statuses[0] == 401 and statuses[1] != 401


def test_on_loopback_a_name_needs_no_token(server: ServerProcess, tmp_path: Path, name: str) -> None:
    async def enter(address: str) -> None:
        async with over_http(address) as model:
            assert "agentKey" not in (await model.tools())["take_turn"]["properties"]
            assert (await model.call("queue_match", gameId="checkers", opponent="house:easy")).startswith("matched")

    with served(server.url, "--name", name, "--keys", str(tmp_path)) as address:
        asyncio.run(enter(address))
