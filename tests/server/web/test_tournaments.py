"""Tournaments, as the page uses them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.server.rest.rest_app import open_app
from tests.server.web.test_people import browser
from tests.server.web.test_relations import Place, Visitor, anyio_backend, place
from tests.storage.test_tournaments import entrant, tournament

from ludus.server.web import tournaments
from ludus.server.web.written_pages import tournament_status
from ludus.service.clock import iso
from ludus.service.commands import Resign
from ludus.service.records import PairingRow
from ludus.service.tournaments.tournaments import View

__all__ = ["anyio_backend", "place"]  # fixtures

pytestmark = pytest.mark.anyio

TERMS = {"name": "Friday", "game": "checkers", "system": "swiss", "rounds": 1}


async def made(visitor: Visitor, **changes: Any) -> Any:
    return await visitor.post("/tournaments", **{**TERMS, **changes})


async def test_two_people_meet_in_a_tournament(place: Place) -> None:
    app, ann, ben = place
    shown = await made(ann)
    assert shown["state"] == "created" and shown["me"] == {"isOwner": True, "isIn": False, "number": None, "game": None}
    path = f"/tournaments/{shown['id']}"
    for visitor in (ann, ben):
        joined = await visitor.post(f"{path}/join", 200)
        assert joined["me"]["isIn"]
    assert [each["player"]["name"] for each in joined["standings"]] == ["Ann", "Ben"]
    assert [each["id"] for each in (await ben.get("/tournaments"))["upcoming"]] == [shown["id"]]
    await ben.post(f"{path}/start", 403)
    begun = await ann.post(f"{path}/start", 200)
    game = begun["me"]["game"]
    assert begun["state"] == "running" and begun["pairings"][0]["games"] == [game]
    seat = await ben.get(f"/play/{game}")
    assert (seat["tableId"], seat["tournamentId"], seat["playerId"]) == (game, shown["id"], ben.id)
    assert [each["id"] for each in (await ben.get("/me/games"))["games"]] == [game]
    await app.platform.tables.execute(game, Resign(0))
    await app.platform.director.sweep()
    over = await ben.get(path)
    assert over["state"] == "finished" and over["me"]["game"] is None
    assert [each["score"] for each in over["standings"]] == [1, 0]
    (pairing,) = over["pairings"]
    assert (pairing["outcome"], pairing["score"], pairing["round"]) == ("played", 0, 1)
    assert over["winner"] == over["standings"][0]["player"] == {"id": ben.id, "name": "Ben", "kind": "person"}
    (listed,) = (await ben.get("/tournaments"))["finished"]
    assert (listed["id"], listed["winner"]) == (shown["id"], over["winner"])


async def test_what_has_not_changed_is_not_sent_again(place: Place) -> None:
    _, ann, ben = place
    path = f"/web/tournaments/{(await made(ann))['id']}"
    first = await ben.client.get(path)
    again = await ben.client.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    await ann.post(f"{path.removeprefix('/web')}/join", 200)
    changed = await ben.client.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert changed.status_code == 200 and changed.json()["entrants"] == 1


async def test_the_end_of_an_arena_moves_when_the_server_did_not_work(place: Place) -> None:
    app, ann, ben = place
    path = f"/tournaments/{(await made(ann, system='arena', rounds=0, minutes=5))['id']}"
    for visitor in (ann, ben):
        await visitor.post(f"{path}/join", 200)
    await ann.post(f"{path}/start", 200)
    before = (await ben.get(path))["endsAt"]
    app.platform.clock.note_fault()
    app.clock.ms += 10_000
    await app.platform._heartbeat()
    assert (await ben.get(path))["endsAt"] > before


async def test_a_stranger_becomes_a_person_by_joining(place: Place) -> None:
    id = (await made(place.ann))["id"]
    async with browser(place.app) as client:
        shown = await client.get(f"/web/tournaments/{id}")
        assert shown.json()["me"] is None and "set-cookie" not in shown.headers
        assert (await client.post("/web/tournaments/none/join", json={})).status_code == 404
        joined = await client.post(f"/web/tournaments/{id}/join", json={"name": "Cid"})
        assert (joined.status_code, "set-cookie" in joined.headers) == (200, True)
        assert [each["player"]["name"] for each in joined.json()["standings"]] == ["Cid"]


async def test_the_owner_adds_bots_and_takes_them_out_again(place: Place) -> None:
    _, ann, ben = place
    path = f"/tournaments/{(await made(ann))['id']}"
    shown = await ann.post(f"{path}/bots", 200, level="easy")
    assert shown["standings"][0]["player"] == {"id": "bot-easy", "name": "Easy bot", "kind": "bot", "level": "easy"}
    assert (await ben.post(f"{path}/bots", 403, level="hard"))["code"] == "forbidden"
    assert (await ann.post(f"{path}/bots", 400, level="nobody"))["code"] == "unknown_option"
    await ben.delete(f"{path}/bots/easy", 403)
    assert (await ann.delete(f"{path}/bots/easy", 200))["standings"] == []


async def test_people_leave_and_owners_call_off(place: Place) -> None:
    _, ann, ben = place
    path = f"/tournaments/{(await made(ann))['id']}"
    await ben.post(f"{path}/join", 200)
    assert (await ben.post(f"{path}/withdraw", 200))["standings"] == []
    await ben.post(f"{path}/cancel", 403)
    assert (await ann.post(f"{path}/cancel", 200))["state"] == "cancelled"
    assert (await ben.post(f"{path}/join", 409))["code"] == "tournament_closed"


async def test_one_address_makes_few_tournaments_a_day_however_many_people_it_has(tmp_path: Path) -> None:
    async with open_app(tmp_path, new_tournaments=2) as app:
        statuses = []
        for terms in (TERMS, {**TERMS, "rounds": 99}, TERMS, TERMS):
            async with browser(app) as stranger:
                answer = await stranger.post("/web/tournaments", json=terms)
                statuses.append(answer.status_code)
        assert statuses == [201, 400, 201, 429]
        assert (answer.json()["code"], answer.headers["retry-after"]) == ("too_fast", "86400")
        app.clock.ms += 86_400_000
        async with browser(app) as stranger:
            assert (await stranger.post("/web/tournaments", json=TERMS)).status_code == 201


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"system": "ladder"}, 400),
        ({"name": " "}, 400),
        ({"game": "chess"}, 400),
        ({"startsAt": "tomorrow"}, 400),
        ({"startsAt": "2001-01-01T00:00:00Z"}, 400),
        ({"maxEntrants": 1000}, 400),
        ({"admits": ["person", "person", "bot", "agent"]}, 400),
        ({"timeControl": "soon"}, 400),
        ({"cube": True}, 400),
        ({"owner": "somebody"}, 400),
    ],
)
async def test_terms_are_checked(place: Place, changes: Any, status: int) -> None:
    await place.ann.post("/tournaments", status, **{**TERMS, **changes})


async def test_a_tournament_has_the_options_of_its_game(place: Place) -> None:
    terms = {"game": "backgammon", "matchLength": 3, "timeControl": "10+5", "system": "arena", "rounds": 0}
    starts_at = iso(place.now() + 3_600_000)
    shown = await made(place.ann, **terms, minutes=30, startsAt=starts_at, admits=["agent", "person"])
    assert shown["options"] == {"matchLength": 3, "cube": True}
    assert shown["timeControl"] == {"type": "fischer", "seconds": 600, "increment": 5}
    assert (shown["startsAt"], shown["minutes"], shown["admits"]) == (starts_at, 30, ["person", "agent"])


async def test_older_ones_come_page_by_page(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournaments, "PAGE", 2)
    _, ann, ben = place
    ids = []
    for _ in range(3):
        ids.append((await made(ann))["id"])
        for visitor in (ann, ben):
            await visitor.post(f"/tournaments/{ids[-1]}/join", 200)
        game = (await ann.post(f"/tournaments/{ids[-1]}/start", 200))["me"]["game"]
        await place.app.platform.tables.execute(game, Resign(0))
        await place.app.platform.director.sweep()
    first = await ben.get("/tournaments")
    second = await ben.get(f"/tournaments?before={first['before']}")
    assert [each["id"] for page in (first, second) for each in page["finished"]] == sorted(ids, reverse=True)
    assert second["before"] is None
    assert (await ben.client.get("/web/tournaments?before=yesterday")).status_code == 400


async def test_upcoming_ones_come_page_by_page_the_next_to_start_first(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournaments, "MOST_LISTED", 2)
    now = place.now()
    starts = [None, iso(now + 7_200_000), iso(now + 3_600_000)]
    for visitor, start in zip((place.ann, place.ann, place.ben), starts, strict=True):
        await made(visitor, startsAt=start)
    first = await place.ben.get("/tournaments")
    second = await place.ben.get(f"/tournaments?after={first['after']}")
    assert [each["startsAt"] for page in (first, second) for each in page["upcoming"]] == [*starts[:0:-1], None]
    assert second == {"upcoming": second["upcoming"], "after": None}
    assert (await place.ben.client.get("/web/tournaments?after=soon")).status_code == 400


@pytest.mark.parametrize(
    ("state", "scores", "text"),
    [
        ("created", [], "1 player. Open for entries."),
        ("running", [], "2 players. Running."),
        ("running", [1.0], "2 players. Running; Ann leads."),
        ("running", [1.0, 0.0], "2 players. Running."),
        ("finished", [0.0], "2 players. Won by Ben."),
        ("finished", [None], "2 players. Nobody scored."),
        ("cancelled", [1.0], "2 players. Cancelled."),
    ],
)
def test_a_status_names_a_leader_or_a_winner_only_if_there_is_one(
    state: str, scores: list[float | None], text: str
) -> None:
    has_begun = state != "created"
    row = tournament(state=state, starts_at=None, entrants=1 + has_begun)
    entered = [entrant(number, name, seed=number - 1) for number, name in enumerate(("ann", "ben"), 1)]
    pairings = [
        PairingRow("t0", at, 1, 1, 0, 1, "over", (), "double_forfeit" if score is None else "played", score, at)
        for at, score in enumerate(scores, 1)
    ]
    status = tournament_status(View(row, entered if has_begun else [entrant(1, "ann")], pairings))
    assert status == f"Swiss tournament, {text}"


async def test_a_link_says_what_the_tournament_is_and_who_has_won(place: Place) -> None:
    _, ann, ben = place
    id = (await made(ann, name="<b>Friday</b>"))["id"]
    page = await ben.client.get(f"/tournaments/{id}", headers={"Accept": "text/html"})
    assert "<title>&lt;b&gt;Friday&lt;/b&gt; · Checkers tournament · Ludus</title>" in page.text
    assert 'og:description" content="Swiss tournament, 0 players. Open for entries."' in page.text
    for visitor in (ann, ben):
        await visitor.post(f"/tournaments/{id}/join", 200)
    game = (await ann.post(f"/tournaments/{id}/start", 200))["me"]["game"]
    page = await ben.client.get(f"/tournaments/{id}")
    assert "2 players. Running.<" in page.text and f'<a href="/people/{ann.id}">Ann</a>' in page.text
    await place.app.platform.tables.execute(game, Resign(0))
    await place.app.platform.director.sweep()
    winner = (await ben.get(f"/tournaments/{id}"))["standings"][0]["player"]["name"]
    assert f"Won by {winner}." in (await ben.client.get(f"/tournaments/{id}")).text
    missing = await ben.client.get("/tournaments/none", headers={"Accept": "text/html"})
    assert (missing.status_code, "Page not found" in missing.text) == (404, True)
