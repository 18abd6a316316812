"""Nothing a stranger can look at has a person's name, or the id their app knows them by."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.server.rest.rest_app import ADDRESS, RestApp, open_app

from ludus.server.arena.sockets.watch import Watchers
from ludus.service.commands import Resign
from ludus.service.table import SeatKind, Table

pytestmark = pytest.mark.anyio

PERSON = {"id": "user-4711", "displayName": "Marguerite"}
OTHER = {"id": "user-4712", "displayName": "Bartholomew"}
ELSEWHERE = "198.51.100.9"
SECRETS = [*PERSON.values(), *OTHER.values()]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[RestApp]:
    async with open_app(tmp_path, open_seats="live") as app:
        yield app


async def between_people(app: RestApp) -> Table:
    made = [await app.create(players=[player]) for player in (PERSON, OTHER)]
    return await app.play(await app.seat(*[each["sessionToken"] for each in made]), most=6)


async def with_an_agent(app: RestApp) -> tuple[Table, str]:
    """A person's game with an agent, and the agent's key."""
    agent = (await app.client.post("/api/agents", json={"name": "Robo", "model": "m"})).json()
    headers = {"Authorization": f"Bearer {agent['apiKey']}"}
    body = {"gameId": "checkers", "lane": "fast", "people": True}
    assert (await app.client.post("/api/matchmaking/queue", json=body, headers=headers)).status_code == 200
    made = await app.create(matchType="agent", players=[PERSON])
    table = await app.play(await app.seat(made["sessionToken"]), most=6)
    assert {seat.kind for seat in table.seats} == {SeatKind.PERSON, SeatKind.AGENT}
    return table, agent["apiKey"]


def paths(table: Table) -> list[str]:
    """What anyone can ask for about a game and its list."""
    id, game = table.id, table.opening.game
    pages = [f"/web/tables/{id}", f"/web/tables/{id}/file", f"/matches/{id}"]
    pages += [f"/web/tables/{id}/{picture}" for picture in ("board.svg", "card.svg", "card.png")]
    matches = [f"/api/matches/{id}", f"/api/matches/{id}?format=pdn", f"/api/matches/{id}/replay.md"]
    lists = [f"/v1/rooms?game={game}", f"/web/live?game={game}", f"/api/leaderboard?gameId={game}"]
    lists += [f"/web/explorer/{game}", f"/api/explorer?gameId={game}"]
    lists += [f"/api/matches?gameId={game}&status={status}" for status in ("active", "finished")]
    return [*pages, *matches, *lists]


async def check(app: RestApp, table: Table, key: str = "") -> None:
    shown = 0
    for path in paths(table):
        answer = await app.ask("GET", path, key=key)
        may_be_missing = path.startswith("/api/matches/")  # which has the arena's matches only
        assert answer.status_code == 200 or (may_be_missing and answer.status_code == 404), (path, answer.status_code)
        shown += table.id in answer.text
        assert not [secret for secret in SECRETS if secret in answer.text], path
    assert shown


async def test_a_game_between_people(app: RestApp) -> None:
    table = await between_people(app)
    await check(app, table)
    await app.platform.tables.execute(table.id, Resign(0))
    await check(app, table)


async def test_a_persons_game_with_an_agent(app: RestApp) -> None:
    table, key = await with_an_agent(app)
    await check(app, table)
    await check(app, table, key)
    await app.platform.tables.execute(table.id, Resign(0))
    await check(app, table)
    await check(app, table, key)


async def test_what_the_agent_itself_is_told(app: RestApp) -> None:
    table, key = await with_an_agent(app)
    own = [
        f"/api/matches/{table.id}/state",
        "/api/agents/me",
        "/api/agents/me/export",
        "/api/matchmaking/status?gameId=checkers",
    ]
    for is_over in (False, True):
        if is_over:
            await app.platform.tables.execute(table.id, Resign(1))
        for path in own:
            answer = await app.ask("GET", path, key=key)
            assert answer.status_code == 200, path
            assert not [secret for secret in SECRETS if secret in answer.text], path


async def test_what_watchers_of_a_match_are_sent(app: RestApp) -> None:
    table, _ = await with_an_agent(app)
    table = (await app.platform.tables.execute(table.id, Resign(0))).table
    watchers = Watchers(app.server.arena)
    live = await app.platform.tables.load(table.id)
    frames: list[Any] = [text for event in live.events for text in watchers._frames(live, event, "")]
    assert any('"game_over"' in text for text in frames)
    assert not [secret for secret in SECRETS if secret in "".join(frames)]


async def test_an_agents_address_is_stored_as_a_keyed_hash_only(app: RestApp, tmp_path: Path) -> None:
    agent = (await app.client.post("/api/agents", json={"name": "Robo"})).json()
    key = f"agent/{agent['id']}"
    assert len(await app.server.store.address_marks(key, 9)) == 1
    elsewhere = httpx2.ASGITransport(app.server, client=(ELSEWHERE, 1))
    async with httpx2.AsyncClient(transport=elsewhere, base_url="http://ludus") as client:
        headers = {"Authorization": f"Bearer {agent['apiKey']}"}
        for _ in range(2):
            answer = await client.post("/api/matchmaking/queue", json={"gameId": "checkers"}, headers=headers)
            assert answer.status_code == 200
    marks = [each.mark for each in await app.server.store.address_marks(key, 9)]
    assert len(set(marks)) == 2
    exported = (await app.ask("GET", "/api/agents/me/export", key=agent["apiKey"])).json()["addresses"]
    assert [f"address/{each['hash']}" for each in exported] == marks
    stored = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert marks[0].encode() in stored
    assert not [address for address in (ADDRESS, ELSEWHERE) if address.encode() in stored]


async def test_bots_know_an_agents_address_as_a_keyed_hash_only(app: RestApp, monkeypatch: pytest.MonkeyPatch) -> None:
    owners: list[str] = []
    monkeypatch.setattr(app.platform.bots, "note_owner", lambda _table, owner: owners.append(owner))
    agent = (await app.client.post("/api/agents", json={"name": "Robo"})).json()
    headers = {"Authorization": f"Bearer {agent['apiKey']}"}
    body = {"gameId": "checkers", "opponent": "house:easy"}
    assert (await app.client.post("/api/matchmaking/queue", json=body, headers=headers)).status_code == 200
    assert owners == [app.platform.address_marks.mark(ADDRESS)]
