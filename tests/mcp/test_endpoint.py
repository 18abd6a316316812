"""`POST /mcp` of the server itself, with the SDK's client."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference
from tests.client.conftest import UNLIMITED
from tests.mcp.model import Model
from tests.server_process import PATIENCE, ServerProcess

from ludus.engines.levels import LEVELS
from ludus.server.app import Server
from ludus.server.settings import Settings
from mcp import Client

Use = Callable[[Client], Awaitable[None]]
JSON = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@asynccontextmanager
async def connected(server: ServerProcess, key: str | None = None, **options: Any) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    http = httpx2.AsyncClient(headers=headers, timeout=PATIENCE)
    async with http, Client(streamable_http_client(f"{server.url}/mcp", http_client=http), **options) as client:
        yield client


def use(server: ServerProcess, work: Use, key: str | None = None, **options: Any) -> None:
    async def run() -> None:
        async with connected(server, key, **options) as client:
            await work(client)

    asyncio.run(run())


def register(server: ServerProcess, name: str) -> str:
    key: str = server.post("/api/agents", None, {"name": name})["apiKey"]
    return key


def content(result: Any) -> str:
    return "".join(part.text for part in result.contents)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_whole_match_by_either_kind_of_client(server: ServerProcess, name: str, mode: str) -> None:
    async def play(client: Client) -> None:
        model = Model(client)
        assert (await model.call("queue_match", gameId="backgammon", opponent="house:easy")).startswith("matched: ")
        turns, last = await model.play()
        assert turns > 5
        assert re.search(r"game_over: (win|loss|draw) \(\w+\)\. Rating 1500 to \d+\.", last)

    use(server, play, register(server, name), mode=mode)


def test_a_model_registers_and_passes_its_key(server: ServerProcess, name: str) -> None:
    async def enter(client: Client) -> None:
        model = Model(client)
        assert "then pass agentKey" in await model.fail("get_turn")
        told = await model.call("register_agent", name=name)
        assert f"Your operator can claim you at {server.url}/claim?agent=" in told
        found = re.search(r"^agentKey: (\S+)$", told, re.MULTILINE)
        assert found
        model.always["agentKey"] = found[1]
        assert await model.call("get_turn") == "not_joined: call queue_match first."
        assert found[1] not in server.log

    use(server, enter)


def test_schemas_list_the_games_the_lanes_and_the_bots(server: ServerProcess) -> None:
    async def look(client: Client) -> None:
        tools = await Model(client).tools()
        fields = tools["queue_match"]["properties"]
        assert fields["gameId"]["enum"] == ["checkers", "backgammon"]
        assert fields["lane"]["enum"] == ["standard", "fast"]
        assert fields["opponent"]["enum"] == [f"house:{level}" for level in LEVELS]
        for tool in ("get_rules", "get_strategy", "leave_queue"):
            assert tools[tool]["properties"]["gameId"]["enum"] == ["checkers", "backgammon"]

    use(server, look)


def test_resources_are_the_guide_and_the_texts_of_each_game(server: ServerProcess) -> None:
    async def read(client: Client) -> None:
        listed = {str(resource.uri): resource for resource in (await client.list_resources()).resources}
        texts = [
            f"ludus://games/{game}/{text}" for game in ("checkers", "backgammon") for text in ("rules", "strategy")
        ]
        assert list(listed) == ["ludus://guide", *texts]
        assert listed["ludus://games/checkers/rules"].title == "Checkers: rules"
        assert content(await client.read_resource("ludus://guide")) == server.request("GET", "/api/guide").text
        for uri in texts:
            _, game, text = uri.removeprefix("ludus://").split("/")
            assert content(await client.read_resource(uri)) == server.get(f"/api/games/{game}/{text}")["content"]
        with pytest.raises(MCPError):
            await client.read_resource("ludus://games/chess/rules")

    use(server, read)


def test_prompts_start_a_game_or_a_review(server: ServerProcess, name: str) -> None:
    async def ask(client: Client) -> None:
        prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        assert [argument.name for argument in prompts["play_game"].arguments or ()] == ["game", "opponent", "points"]
        wanted = {"game": "checkers", "opponent": "house:hard"}
        said = (await client.get_prompt("play_game", wanted)).messages[0].content
        assert "queue_match with gameId checkers and opponent house:hard" in getattr(said, "text", "")
        said = (await client.get_prompt("play_game", {"game": "backgammon"})).messages[0].content
        assert "against another agent" in getattr(said, "text", "")
        said = (await client.get_prompt("play_game", {"game": "backgammon", "points": "7"})).messages[0].content
        assert "a match to 7 points" in getattr(said, "text", "") and "matchLength 7" in getattr(said, "text", "")
        for wrong in ({"game": "backgammon", "points": "x"}, {"game": "checkers", "points": "3"}):
            with pytest.raises(MCPError, match="match_length"):
                await client.get_prompt("play_game", wrong)
        with pytest.raises(MCPError, match="game is one of: checkers, backgammon"):
            await client.get_prompt("play_game", {"game": "chess"})

        model = Model(client)
        queued = await model.call("queue_match", gameId="checkers", opponent="house:easy")
        match = queued.removeprefix("matched: match ").partition(".")[0]
        await model.call("get_turn")
        await model.call("take_turn", action="resign")
        said = (await client.get_prompt("review_match", {"match": match})).messages[0].content
        record = server.request("GET", f"/api/matches/{match}/replay.md").text
        assert getattr(said, "text", "").endswith(record)
        with pytest.raises(MCPError, match="match_not_found"):
            await client.get_prompt("review_match", {"match": "nothing"})

    use(server, ask, register(server, name))


def test_arguments_of_prompts_are_completed(server: ServerProcess) -> None:
    async def ask(client: Client) -> None:
        prompt = PromptReference(name="play_game")
        found = await client.complete(prompt, {"name": "game", "value": "b"})
        assert found.completion.values == ["backgammon"]
        found = await client.complete(prompt, {"name": "opponent", "value": "house:"})
        assert found.completion.values == [f"house:{level}" for level in LEVELS]

    use(server, ask)


def test_a_wrong_key_is_refused_before_anything_is_read(server: ServerProcess) -> None:
    answer = server.request("POST", "/mcp", "ludus_agent_wrong", json=LIST_TOOLS)
    assert (answer.status_code, answer.json()["error"]) == (401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_plain_json_is_answered_with_plain_json(server: ServerProcess) -> None:
    answer = httpx2.post(f"{server.url}/mcp", json=LIST_TOOLS, headers=JSON, timeout=PATIENCE)
    assert answer.status_code == 200
    assert len(answer.json()["result"]["tools"]) == 12


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_there_are_no_streams_and_no_sessions_to_end(server: ServerProcess, method: str) -> None:
    answer = server.request(method, "/mcp")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert answer.json()["error"] == "method_not_allowed"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"jsonrpc": "1.0"}', b'{"jsonrpc": "2.0", "id": 1}'])
def test_nonsense_is_refused_without_a_trace(server: ServerProcess, body: bytes) -> None:
    answer = httpx2.post(f"{server.url}/mcp", content=body, headers=JSON, timeout=PATIENCE)
    assert answer.status_code in (400, 422)
    assert "Traceback" not in answer.text
    assert "Traceback" not in server.log


def test_pages_of_any_origin_may_call(server: ServerProcess) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Origin": "https://host.example"}
    answer = httpx2.request("OPTIONS", f"{server.url}/mcp", headers=asked, timeout=PATIENCE)
    assert answer.status_code == 204
    assert "MCP-Protocol-Version" in answer.headers["access-control-allow-headers"]
    answer = httpx2.post(f"{server.url}/mcp", json=LIST_TOOLS, headers={**JSON, "Origin": "https://host.example"})
    assert answer.headers["access-control-allow-origin"] == "https://host.example"


@pytest.mark.slow
def test_requests_are_bounded_and_counted_like_others(tmp_path: Path) -> None:
    strict = ServerProcess(tmp_path / "data", **(UNLIMITED | {"agent_rate_limit": 20, "max_body": 2000}))
    try:
        key = register(strict, "Often")
        large = {**LIST_TOOLS, "params": {"cursor": "x" * 2000}}
        answer = httpx2.post(f"{strict.url}/mcp", json=large, headers=JSON, timeout=PATIENCE)
        assert (answer.status_code, answer.json()["error"]) == (413, "too_large")
        headers = {**JSON, "Authorization": f"Bearer {key}"}
        with httpx2.Client(headers=headers, timeout=PATIENCE) as http:
            answers = [http.post(f"{strict.url}/mcp", json=LIST_TOOLS) for _ in range(21)]
        assert [answer.status_code for answer in answers] == [200] * 20 + [429]
        assert answers[-1].json()["error"] == "rate_limited"
        assert int(answers[-1].headers["retry-after"]) > 0
        assert strict.request("GET", "/api/agents/me", key).status_code == 429
    finally:
        strict.close()


def test_a_call_that_waits_ends_when_the_server_stops(tmp_path: Path) -> None:
    async def work() -> httpx2.Response:
        server = Server(Settings(data=str(tmp_path)))
        await server.open()
        http = httpx2.AsyncClient(transport=httpx2.ASGITransport(server), base_url="http://ludus", timeout=PATIENCE)
        try:
            made = await http.post("/api/agents", json={"name": "Waiting"})
            http.headers.update({**JSON, "Authorization": f"Bearer {made.json()['apiKey']}"})
            await http.post("/api/matchmaking/queue", json={"gameId": "checkers"})
            call = {"name": "get_turn", "arguments": {}}
            waiting = asyncio.create_task(
                http.post("/mcp", json={**LIST_TOOLS, "method": "tools/call", "params": call})
            )
            while not server.mcp.waiting:
                await asyncio.sleep(0)
            await server.prepare_to_stop()
            return await waiting
        finally:
            await http.aclose()
            await server.close()

    answer = asyncio.run(work())
    assert (answer.status_code, answer.json()["error"]) == (503, "stopping")
    assert answer.headers["retry-after"] == "1"
