"""After somebody is deleted, no text in the database and no byte of its files names them."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import asyncpg
import pytest
from tests.service.parts import FakeClock, random_play
from tests.service.platforms import SECRET, TIMEOUTS, FirstMove, enter, erasures_of, wanted

from ludus.bus.memory import MemoryBus
from ludus.service.agents import Agents
from ludus.service.agents import player_key as agent_key
from ludus.service.commands import OfferDraw, Resign
from ludus.service.erasure import Erasures
from ludus.service.lobby import AGENTS, ARENA, Seeker
from ludus.service.people import People
from ludus.service.platform import Platform
from ludus.service.player_keys import person_key
from ludus.service.ports.store import FIRST_PAGE
from ludus.service.ports.writes import PutErasure, PutTenant
from ludus.service.proof import document, prove
from ludus.service.records import Erasure, Tenant
from ludus.service.sessions import PAGE_TENANT
from ludus.service.table import Seat, SeatKind, Table
from ludus.service.tournaments.terms import Terms
from ludus.service.tournaments.tournaments import Applicant, bot_applicant
from ludus.service.webhooks.outbox import WebhookOutbox
from ludus.storage import store_for

pytestmark = pytest.mark.anyio

ANN = {"id": "ann-7f3/é", "displayName": "Ann Xylophone"}
BEN = {"id": "ben-91c", "displayName": "Ben Quartz"}
MODES = ("live", "test", "training")


class House:
    def __init__(self, platform: Platform, database: str) -> None:
        self.platform, self.store, self.database = platform, platform.store, database
        self.clock = FakeClock()
        self.agents = Agents(
            self.store, self.clock, lambda: str(uuid.uuid4()), lambda: secrets.token_hex(32), lambda: "c0de"
        )
        self.erasures: Erasures = erasures_of(platform, self.agents, self.clock)

    async def game(self, match_type: str = "private", moves: int = 20, **changes: object) -> Table:
        """Ann against Ben, or against a bot; to the end."""
        is_bot = match_type == "bot"
        players = (ANN,) if is_bot else (ANN, BEN)
        fields = {"theme": {"for": ANN["displayName"]}, **changes}
        ticket = await self.platform.sessions.create(wanted(match_type=match_type, players=players, **fields))
        table = await enter(self.platform, ticket)
        if table is None:
            other = await self.platform.sessions.join("acme", "checkers", ticket.session.room_code or "", BEN)
            table = await enter(self.platform, other)
        assert table is not None
        return await self.play(table, moves)

    async def play(self, table: Table, moves: int) -> Table:
        rng = Random(1)
        for number in range(moves):
            now = (await self.platform.tables.load(table.id)).table
            if now.mover is not None:
                name = f"{now.seats[now.mover].id} {number}"
                await self.platform.tables.execute(table.id, random_play(now, rng), name=name)
        return (await self.platform.tables.load(table.id)).table

    async def resign(self, table: Table, key: str) -> None:
        seat = table.seat_of(key)
        assert seat is not None
        await self.platform.tables.execute(table.id, Resign(seat))

    async def texts(self) -> str:
        """Everything in the database."""
        if self.database.startswith("sqlite:"):
            file = Path(self.database.removeprefix("sqlite:"))
            files = [each for each in file.parent.iterdir() if each.name.startswith(file.name)]
            return "".join(each.read_bytes().decode("utf-8", "replace") for each in files)
        connection = await asyncpg.connect(self.database)
        try:
            tables = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
            rows = [await connection.fetch(f'SELECT x::text FROM "{name}" x') for (name,) in tables]
            return "".join(str(row[0]) for found in rows for row in found)
        finally:
            await connection.close()

    async def traces(self, *words: str) -> list[str]:
        found = await self.texts()
        return [word for word in words if word in found]


@pytest.fixture
async def house(database: str, tmp_path: Path) -> AsyncIterator[House]:
    store, clock = store_for(database, tmp_path), FakeClock()
    platform = Platform(store, MemoryBus(), FirstMove(), SECRET, TIMEOUTS, clock=clock, rng=Random(1))
    outbox = WebhookOutbox(store, lambda: "1", clock, lambda: None)
    platform.tables.hooks.append(outbox.on_decision)
    platform.expiry_hooks.append(outbox.expired)
    await store.open()
    await store.commit(PutTenant(Tenant("acme", "Acme Games", 0, "https://acme.example/hook")))
    yield House(platform, database)
    await platform.bots.stop()
    await store.close()


async def forget(house: House, modes: tuple[str, ...] = MODES) -> None:
    assert await house.erasures.finish(await house.erasures.request_player("acme", ANN["id"], modes))


async def test_nothing_names_a_deleted_player_and_every_game_can_still_be_verified(house: House) -> None:
    tables = [await house.game(is_new) for is_new in ("private", "private", "bot")]
    await house.resign(tables[0], f"acme/live/{BEN['id']}")
    await house.platform.tables.execute(tables[1].id, OfferDraw(0))
    await house.platform.sessions.create(wanted(players=(ANN,)))  # never joined
    queued = await house.platform.sessions.create(wanted(players=(ANN,), mode="test"))
    assert await enter(house.platform, queued) is None
    words = (ANN["id"], ANN["displayName"])
    assert await house.traces(*words) == list(words)
    ben = await house.store.ratings_of(f"acme/live/{BEN['id']}")
    await forget(house)
    assert await house.traces(*words) == []
    assert await house.store.erasures(10) == []
    assert await house.traces(*BEN.values()) == list(BEN.values())
    for table in tables:
        row, events = await house.store.table(table.id), await house.store.events(table.id)
        assert row is not None and row.status == "over"
        assert prove(document(row, events)).is_good
        live = await house.platform.tables.load(table.id)
        assert "Deleted player" in [seat.name for seat in live.table.seats]
        assert live.events == events
    after = await house.store.ratings_of(f"acme/live/{BEN['id']}")
    assert after[0].games == ben[0].games + 1 and after[0].wins == ben[0].wins + 1  # Ann resigned the second game


async def test_nothing_names_a_deleted_person_of_the_page(house: House) -> None:
    store = house.store
    people = People(
        store, house.clock, lambda: str(uuid.uuid4()), lambda: secrets.token_hex(32), secrets.choice, SECRET
    )
    await store.commit(PutTenant(Tenant(PAGE_TENANT, "The page itself", 0)))
    new = await people.create(ANN["displayName"], "Mosaic on Plan 9")
    await people.change(new.person, preferences={"boardTheme": "malachite"})
    await people.add_passkey(new.person, "credential-5c1", "public-key-5c1", 0, "Mosaic on Plan 9")
    code, _ = await people.new_code(new.person)
    player = {"id": new.person.id, "displayName": new.person.name}
    ticket = await house.platform.sessions.create(
        wanted(tenant=PAGE_TENANT, mode="training", match_type="bot", players=(player,))
    )
    table = await enter(house.platform, ticket)
    assert table is not None
    await house.platform.seat_codes.create(ticket.session.id, new.person.id)
    puzzle = house.platform.puzzles.daily("checkers")
    await house.platform.puzzles.try_move(person_key(new.person.id), puzzle, 0, puzzle.moves[0])
    stored = await store.code(code[:3])
    assert stored is not None
    words = (new.person.id, new.person.name, "Plan 9", "malachite", "credential-5c1", "public-key-5c1")
    hashes = (new.device.hash, new.device.id, stored.hash)
    assert await house.traces(*words, *hashes) == [*words, *hashes]
    assert await house.erasures.finish(await house.erasures.request_person(new.person))
    assert await house.traces(*words, *hashes) == []
    assert (await house.platform.tables.load(table.id)).table.outcome is not None


async def test_a_deleted_person_is_a_pseudonym_in_tournaments(house: House) -> None:
    tournaments, key = house.platform.tournaments, "person/ann-7f3"
    entered = await tournaments.create("person/ben", Terms("Friday", "checkers", "swiss"))
    for applicant in (Applicant(key, "ann-7f3", "Ann Xylophone", "person"), bot_applicant("easy")):
        await tournaments.join(entered.id, applicant)
    await tournaments.start(entered.id, "person/ben")
    upcoming = await tournaments.create("person/ben", Terms("Monday", "checkers", "swiss"))
    await tournaments.join(upcoming.id, Applicant(key, "ann-7f3", "Ann Xylophone", "person"))
    owned = await tournaments.create(key, Terms("The Xylophone Cup", "checkers", "arena"))
    await house.store.commit(PutErasure(Erasure(key, PAGE_TENANT, 0)))
    assert await house.traces("ann-7f3", "Xylophone") == ["ann-7f3", "Xylophone"]
    assert await house.erasures.finish(await house.store.erasures(10))
    assert await house.traces("ann-7f3", "Xylophone") == []
    view = await tournaments.view(await tournaments.get(entered.id))
    assert [(each.name, each.is_in) for each in view.entrants] == [("Deleted player", False), ("Easy bot", True)]
    assert [(await tournaments.get(each.id)).entrants for each in (entered, upcoming)] == [2, 0]
    assert (await tournaments.get(owned.id)).state == "cancelled"


async def test_a_deleted_tenants_tournaments_are_gone(house: House) -> None:
    made = await house.platform.tournaments.create("acme", Terms("Cup", "checkers", "swiss"), "acme", "live")
    tenant = await house.store.tenant("acme")
    assert tenant is not None
    assert await house.erasures.finish(await house.erasures.request_tenant(tenant))
    assert await house.store.tournament(made.id) is None


async def test_what_another_person_has_stays_as_it_was(house: House) -> None:
    table = await house.game()
    await house.resign(table, f"acme/live/{ANN['id']}")
    rating = await house.store.rating_change(table.id, f"acme/live/{BEN['id']}")
    deliveries = await house.store.deliveries_page("acme", "", 1000)
    assert len(deliveries) > 20
    await forget(house)
    assert await house.store.rating_change(table.id, f"acme/live/{BEN['id']}") == rating
    kept = await house.store.deliveries_page("acme", "", 1000)
    assert [each._replace(body="") for each in kept] == [each._replace(body="") for each in deliveries]
    (session,) = await house.store.sessions_of(table.id)
    assert [each["displayName"] for each in session.players] == ["Deleted player", BEN["displayName"]]
    assert session.result is not None and session.result["winner"] == BEN["id"] and session.theme is None
    ended = next(each for each in kept if each.event == "game.ended")
    assert f'"winner":"{BEN["id"]}"' in ended.body


async def test_only_the_modes_that_were_asked_for_are_erased(house: House) -> None:
    await house.resign(await house.game(mode="test"), f"acme/test/{ANN['id']}")
    await house.resign(await house.game(), f"acme/live/{ANN['id']}")
    await forget(house, ("test",))
    assert await house.traces(ANN["displayName"]) == [ANN["displayName"]]
    assert await house.store.tables_page(f"acme/test/{ANN['id']}", FIRST_PAGE, 1) == []
    assert len(await house.store.tables_page(f"acme/live/{ANN['id']}", FIRST_PAGE, 9)) == 1
    await forget(house, ("live", "training"))
    assert await house.traces(*ANN.values()) == []


async def test_an_interrupted_erasure_is_completed(house: House) -> None:
    await house.resign(await house.game(), f"acme/live/{ANN['id']}")
    (erasure,) = await house.erasures.request_player("acme", ANN["id"], MODES)
    await house.store.commit(PutErasure(erasure))  # as another process would
    assert await house.traces(*ANN.values()) == list(ANN.values())
    assert await house.erasures.finish(await house.store.erasures(10))
    assert await house.traces(*ANN.values()) == []


async def test_nothing_names_a_deleted_agent(house: House) -> None:
    new = await house.agents.register("Robo Zephyr", "model-q9")
    await house.agents.claim(new.agent.id, new.code, "Owner Wolfram")
    other = await house.agents.register("Other", None)
    for agent in (new.agent, other.agent):
        seat = Seat(agent_key(agent.id), agent.id, agent.name, SeatKind.AGENT)
        seeker = Seeker(seat, "checkers", "fast", AGENTS[0], 1500.0, True, None, channel=ARENA, is_rated=True)
        joined = await house.platform.lobby.join(seeker)
    assert joined.table is not None
    await house.play(joined.table, 10)
    words = (new.agent.id, "Robo Zephyr", "robo zephyr", "model-q9", "Owner Wolfram", new.agent.key_hash)
    assert await house.traces(*words) == list(words)
    assert await house.agents.authenticate(new.key) == await house.agents.get(new.agent.id)
    requested = await house.erasures.request_agent(await house.agents.get(new.agent.id))
    assert await house.agents.authenticate(new.key) is None
    assert await house.erasures.finish(requested)
    assert await house.traces(*words) == []
    (rating,) = await house.store.ratings_of(agent_key(other.agent.id))
    assert rating.wins == 1


async def test_nothing_of_a_deleted_tenant_is_left(house: House) -> None:
    await house.resign(await house.game(), f"acme/live/{ANN['id']}")
    await house.game("bot")
    await house.game(moves=4)  # still running
    await house.platform.sessions.create(wanted(players=(BEN,)))
    tally = await house.store.tally("checkers")
    tenant = await house.store.tenant("acme")
    assert tenant is not None
    assert await house.erasures.finish(await house.erasures.request_tenant(tenant))
    words = (*ANN.values(), *BEN.values(), "acme", "Acme")
    assert await house.traces(*words) == []
    assert (await house.store.tally("checkers")).matches == tally.matches
    assert await house.store.tenants() == []


async def test_a_game_with_someone_elses_player_outlives_the_tenant(house: House) -> None:
    await house.store.commit(PutTenant(Tenant("other", "Other", 0)))
    tables = []
    for tenant, player in (("acme", ANN), ("other", BEN)):
        ticket = await house.platform.sessions.create(wanted(tenant=tenant, mode="training", players=(player,)))
        tables.append(await enter(house.platform, ticket))
    table = tables[1]
    assert table is not None
    acme = await house.store.tenant("acme")
    assert acme is not None
    assert await house.erasures.finish(await house.erasures.request_tenant(acme))
    assert await house.traces(*ANN.values(), "acme") == []
    row = await house.store.table(table.id)
    assert row is not None and row.result is not None and row.result["reason"] == "cancelled"
    assert {player["name"] for player in row.players} == {"Deleted player", BEN["displayName"]}
    assert [each.tenant for each in await house.store.sessions_of(table.id)] == ["other"]
