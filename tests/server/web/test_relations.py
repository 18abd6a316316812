"""Friends, challenges, blocks and reports, as browsers use them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest
from tests.server.rest.rest_app import RestApp, open_app
from tests.server.web.test_people import browser, change
from tests.service.test_history import seeker

from ludus.server.web.profiles import PAGE
from ludus.service import live_games
from ludus.service.challenges import MOST_A_DAY, MOST_WAITING, QUICK_MS, SLOW_MS
from ludus.service.commands import Resign
from ludus.service.lobby import Seeker
from ludus.service.player_keys import person_key
from ludus.service.ports.store import NEWEST
from ludus.service.ports.writes import PutAgent, PutFriendship, PutRating
from ludus.service.ratings import fresh
from ludus.service.records import Agent, Friendship
from ludus.service.relations import DAY, MOST_BLOCKS, MOST_FRIENDS, MOST_REPORTS, ONLINE_MS
from ludus.service.sessions import pool_of
from ludus.service.table import SeatKind, Table
from ludus.service.time_control import TimeControl

pytestmark = pytest.mark.anyio

FISCHER = {"type": "fischer", "seconds": 300, "increment": 3}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Visitor:
    """A browser with a person."""

    def __init__(self, client: httpx2.AsyncClient, person: Any) -> None:
        self.client = client
        self.id: str = person["id"]
        self.name: str = person["name"]

    async def ask(self, method: str, path: str, status: int = 200, json: Any = None) -> Any:
        body = json if json is not None or method != "POST" else {}
        answer = await self.client.request(method, f"/web{path}", json=body)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    async def get(self, path: str, status: int = 200) -> Any:
        return await self.ask("GET", path, status)

    async def post(self, path: str, status: int = 201, **json: Any) -> Any:
        return await self.ask("POST", path, status, json)

    async def delete(self, path: str, status: int = 204) -> Any:
        return await self.ask("DELETE", path, status)

    async def challenge(self, other: Visitor, status: int = 201, **terms: Any) -> Any:
        return await self.post("/me/challenges", status, **{"person": other.id, "game": "checkers", **terms})

    async def inbox(self) -> Any:
        return await self.get("/me/challenges")


class Place(NamedTuple):
    app: RestApp
    ann: Visitor
    ben: Visitor

    async def game(self, loser: Visitor, **changes: Any) -> Table:
        """A finished game of the two."""
        table: Table | None = None
        for who in (self.ann, self.ben):
            table = (await self.app.platform.lobby.join(_seeker(who, **changes))).table
        assert table is not None
        seat = table.seat_of(person_key(loser.id))
        assert seat is not None
        return (await self.app.platform.tables.execute(table.id, Resign(seat))).table

    def now(self) -> int:
        return self.app.platform.clock.moment().at


def _seeker(who: Visitor, **changes: Any) -> Seeker:
    found = seeker(person_key(who.id), **changes)
    return found._replace(seat=found.seat._replace(name=who.name))


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(open_app(tmp_path))
        clients = [await stack.enter_async_context(browser(app)) for _ in range(2)]
        ann, ben = [
            Visitor(each, await change(each, name=name)) for each, name in zip(clients, ("Ann", "Ben"), strict=True)
        ]
        yield Place(app, ann, ben)


async def befriend(place: Place) -> None:
    code = (await place.ann.get("/me/friends"))["code"]
    await place.ben.post("/me/friends", code=code)


async def test_a_link_makes_two_friends_once_it_is_confirmed(place: Place) -> None:
    _, ann, ben = place
    code = (await ann.get("/me/friends"))["code"]
    shown = await ben.get(f"/friends/{code}")
    assert (shown["person"]["name"], shown["isOwn"], shown["isFriend"]) == ("Ann", False, False)
    assert (await ben.get("/me/friends"))["friends"] == []
    for _ in range(2):
        await ben.post("/me/friends", code=code)
    assert [each["name"] for each in (await ann.get("/me/friends"))["friends"]] == ["Ben"]
    assert [each["name"] for each in (await ben.get("/me/friends"))["friends"]] == ["Ann"]
    assert (await ben.get(f"/friends/{code}"))["isFriend"]
    await ann.delete(f"/me/friends/{ben.id}")
    assert (await ben.get("/me/friends"))["friends"] == []


async def test_someone_who_never_played_becomes_a_person_by_confirming(place: Place) -> None:
    code = (await place.ann.get("/me/friends"))["code"]
    async with browser(place.app) as client:
        assert "set-cookie" not in (await client.get(f"/web/friends/{code}")).headers
        answer = await client.post("/web/me/friends", json={"code": code})
        assert (answer.status_code, "set-cookie" in answer.headers) == (201, True)
    assert len((await place.ann.get("/me/friends"))["friends"]) == 1


async def test_ones_own_link_and_unknown_links_are_refused(place: Place) -> None:
    _, ann, ben = place
    old = (await ann.get("/me/friends"))["code"]
    assert (await ann.post("/me/friends", 409, code=old))["code"] == "own_link"
    new = (await ann.post("/me/friends/link"))["code"]
    assert new != old
    for code in (old, "x", "ABCDEFGHJKLM"):
        await ben.post("/me/friends", 404, code=code)
    await ben.get(f"/friends/{old}", 404)
    await ben.post("/me/friends", code=new)


async def test_nobody_has_too_many_friends(place: Place) -> None:
    code = (await place.ann.get("/me/friends"))["code"]
    many = [PutFriendship(Friendship(place.ann.id, f"friend-{number}", 1)) for number in range(MOST_FRIENDS)]
    await place.app.platform.store.commit(*many)
    assert (await place.ben.post("/me/friends", 409, code=code))["code"] == "too_many_friends"


async def test_a_challenge_is_shown_to_both_and_leads_both_to_one_session(place: Place) -> None:
    app, ann, ben = place
    made = await ann.challenge(ben, timeControl=FISCHER)
    assert (made["state"], made["timeControl"], made["person"]["name"]) == ("waiting", FISCHER, "Ben")
    (asked,) = (await ben.inbox())["incoming"]
    assert (asked["id"], asked["game"], asked["person"]["name"], asked["rated"]) == (
        made["id"],
        "checkers",
        "Ann",
        False,
    )
    (waiting,) = (await ann.inbox())["outgoing"]
    assert (waiting["state"], waiting["sessionId"]) == ("waiting", None)
    accepted = await ben.post(f"/me/challenges/{made['id']}/accept", 200)
    again = await ben.post(f"/me/challenges/{made['id']}/accept", 200)
    assert accepted == again
    (begun,) = (await ann.inbox())["outgoing"]
    assert (begun["state"], begun["sessionId"]) == ("accepted", accepted["sessionId"])
    assert (await ben.inbox())["incoming"] == []
    session = await app.platform.sessions.get(accepted["sessionId"])
    assert [player["id"] for player in session.players] == [ann.id, ben.id]
    assert session.time_control == TimeControl.from_data(FISCHER)
    assert pool_of(session).startswith("room/")


async def test_a_challenge_keeps_the_options_of_the_game(place: Place) -> None:
    app, ann, ben = place
    made = await ann.challenge(ben, game="backgammon", matchLength=7)
    (asked,) = (await ben.inbox())["incoming"]
    assert made["options"] == asked["options"] == {"matchLength": 7, "cube": True}
    accepted = await ben.post(f"/me/challenges/{made['id']}/accept", 200)
    assert (await app.platform.sessions.get(accepted["sessionId"])).variant == "standard+match7"
    assert (await ann.challenge(ben, 400, cube=True))["code"] == "unknown_option", "not in checkers"


async def test_only_the_one_who_is_asked_may_accept_or_decline(place: Place) -> None:
    _, ann, ben = place
    id = (await ann.challenge(ben))["id"]
    await ann.post(f"/me/challenges/{id}/accept", 404)
    await ann.post(f"/me/challenges/{id}/decline", 404)
    await ben.delete(f"/me/challenges/{id}", 404)
    await ben.post("/me/challenges/none/accept", 404)
    await ben.post(f"/me/challenges/{id}/decline", 204)
    await ben.post(f"/me/challenges/{id}/decline", 204)
    (told,) = (await ann.inbox())["outgoing"]
    assert told["state"] == "declined"
    assert (await ben.post(f"/me/challenges/{id}/accept", 409))["code"] == "challenge_gone"


async def test_a_challenge_that_is_accepted_twice_at_once_leads_to_one_game(place: Place) -> None:
    _, ann, ben = place
    id = (await ann.challenge(ben))["id"]
    first, second = await asyncio.gather(*[ben.post(f"/me/challenges/{id}/accept", 200) for _ in range(2)])
    assert first == second


async def test_challenges_lead_to_no_more_games_than_a_person_may_have(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, ann, ben = place
    id = (await ann.challenge(ben))["id"]
    monkeypatch.setattr(live_games, "MOST_LIVE", 1)
    await app.platform.lobby.play_bot(_seeker(ben), "easy")
    assert (await ben.post(f"/me/challenges/{id}/accept", 409))["code"] == "too_many_live_games"
    assert (await ben.challenge(ann, 409))["code"] == "too_many_live_games"
    assert len((await ben.inbox())["incoming"]) == 1


async def test_accepted_challenges_count_as_games_of_the_address(tmp_path: Path) -> None:
    async with open_app(tmp_path, guest_games=2) as app, browser(app) as one, browser(app) as two:
        ann, ben = [Visitor(each, await change(each, name="Ann")) for each in (one, two)]
        for status in (200, 200, 429):
            id = (await ann.challenge(ben))["id"]
            answer = await ben.post(f"/me/challenges/{id}/accept", status)
        assert answer["code"] == "too_many_games"


async def test_a_challenge_can_be_withdrawn(place: Place) -> None:
    _, ann, ben = place
    id = (await ann.challenge(ben))["id"]
    await ann.delete(f"/me/challenges/{id}")
    assert (await ben.inbox())["incoming"] == (await ann.inbox())["outgoing"] == []
    assert (await ben.post(f"/me/challenges/{id}/accept", 409))["code"] == "challenge_gone"


@pytest.mark.parametrize(
    ("control", "milliseconds"),
    [(None, QUICK_MS), (FISCHER, QUICK_MS), ({"type": "correspondence", "days": 2}, SLOW_MS)],
)
async def test_a_challenge_expires(place: Place, control: Any, milliseconds: int) -> None:
    app, ann, ben = place
    id = (await ann.challenge(ben, timeControl=control))["id"]
    app.clock.ms += milliseconds - 1
    assert len((await ben.inbox())["incoming"]) == 1
    app.clock.ms += 1
    assert (await ben.inbox())["incoming"] == (await ann.inbox())["outgoing"] == []
    assert (await ben.post(f"/me/challenges/{id}/accept", 409))["code"] == "challenge_gone"


async def test_a_new_challenge_replaces_the_one_before(place: Place) -> None:
    _, ann, ben = place
    first = await ann.challenge(ben)
    second = await ann.challenge(ben, game="backgammon")
    assert [each["id"] for each in (await ben.inbox())["incoming"]] == [second["id"]]
    assert (await ben.post(f"/me/challenges/{first['id']}/accept", 409))["code"] == "challenge_gone"


async def test_challenges_have_limits(place: Place) -> None:
    app, ann, _ = place
    async with AsyncExitStack() as stack:
        others = []
        for number in range(MOST_WAITING + 1):
            client = await stack.enter_async_context(browser(app, address=f"203.0.113.{number}"))
            others.append(Visitor(client, await change(client, name=f"Guest {number}")))
        for other in others[:-1]:
            await ann.challenge(other)
        assert (await ann.challenge(others[-1], 409))["code"] == "too_many_challenges"
        await ann.challenge(others[0])
        app.clock.ms += QUICK_MS
        for _ in range(MOST_A_DAY - MOST_WAITING - 1):
            await ann.challenge(others[0])
        assert (await ann.challenge(others[-1], 409))["code"] == "too_many_challenges"
        app.clock.ms += DAY
        await ann.challenge(others[-1])


@pytest.mark.parametrize(
    "body",
    [
        {"game": "chess"},
        {"rated": "yes"},
        {"timeControl": {"type": "fischer"}},
        {"person": ""},
        {"person": 7},
        {"extra": 1},
        {"rated": True, "timeControl": {"type": "none"}},
    ],
    ids=str,
)
async def test_what_is_no_challenge_is_refused(place: Place, body: dict[str, Any]) -> None:
    await place.ann.challenge(place.ben, 400, **body)
    assert (await place.ben.inbox())["incoming"] == []


async def test_nobody_challenges_themselves_or_nobody(place: Place) -> None:
    await place.ann.challenge(place.ann, 400)
    await place.ann.post("/me/challenges", 404, person="nobody", game="checkers")
    async with browser(place.app) as client:
        answer = await client.post("/web/me/challenges", json={"person": place.ann.id, "game": "checkers"})
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
        assert (await client.get("/web/me/challenges")).json() == {"incoming": [], "outgoing": []}


async def test_a_rated_challenge_leads_to_a_rated_public_game(place: Place) -> None:
    _, ann, ben = place
    id = (await ann.challenge(ben, rated=True, timeControl=FISCHER))["id"]
    accepted = await ben.post(f"/me/challenges/{id}/accept", 200)
    session = await place.app.platform.sessions.get(accepted["sessionId"])
    assert (session.mode, session.is_public) == ("live", True)


async def test_blocked_people_are_no_friends_and_take_no_challenges(place: Place) -> None:
    _, ann, ben = place
    await befriend(place)
    await ben.challenge(ann)
    await ann.post("/me/blocks", person=ben.id)
    assert (await ann.inbox())["incoming"] == (await ben.inbox())["outgoing"] == []
    assert (await ben.get("/me/friends"))["friends"] == []
    for one, two in ((ann, ben), (ben, ann)):
        assert (await one.challenge(two, 403))["code"] == "not_available"
    code = (await ann.get("/me/friends"))["code"]
    assert (await ben.post("/me/friends", 403, code=code))["code"] == "not_available"
    assert [each["name"] for each in (await ann.get("/me/blocks"))["people"]] == ["Ben"]
    assert (await ben.get("/me/blocks"))["people"] == []
    assert (await ann.get(f"/people/{ben.id}"))["withMe"]["isBlocked"]
    assert not (await ben.get(f"/people/{ann.id}"))["withMe"]["isBlocked"]
    await ann.delete(f"/me/blocks/{ben.id}")
    await ben.challenge(ann)


async def test_nobody_blocks_themselves_or_too_many(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    await place.ann.post("/me/blocks", 400, person=place.ann.id)
    await place.ann.post("/me/blocks", 404, person="nobody")
    monkeypatch.setattr("ludus.service.relations.MOST_BLOCKS", 0)
    assert MOST_BLOCKS == 500
    assert (await place.ann.post("/me/blocks", 409, person=place.ben.id))["code"] == "too_many_blocks"


async def test_friends_see_who_is_online_but_not_whom_they_blocked(place: Place) -> None:
    app, ann, ben = place
    await befriend(place)

    async def is_online() -> list[bool]:
        friends = (await ann.get("/me/friends"))["friends"]
        return [each["isOnline"] for each in friends] + [(await ann.get(f"/people/{ben.id}"))["withMe"]["isOnline"]]

    assert await is_online() == [False, False]
    await ben.inbox()
    assert await is_online() == [True, True]
    app.clock.ms += ONLINE_MS
    assert await is_online() == [False, False]
    await ben.inbox()
    await ben.post("/me/blocks", person=ann.id)
    assert await is_online() == [False]


async def test_a_player_is_reported_once_for_each_reason(place: Place) -> None:
    app, ann, ben = place
    table = await place.game(ann)
    first = await ann.post("/me/reports", game=table.id, reason="abuse")
    assert await ann.post("/me/reports", game=table.id, reason="abuse") == first
    await ann.post("/me/reports", game=table.id, reason="stalling")
    stored = await app.platform.store.reports(NEWEST, 9)
    assert {(each.person, each.player, each.reason) for each in stored} == {
        (ann.id, person_key(ben.id), "abuse"), (ann.id, person_key(ben.id), "stalling"),
    }  # fmt: skip


async def test_reports_are_about_ones_own_games_and_limited(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await place.game(place.ann)
    await place.ann.post("/me/reports", 404, game="nowhere", reason="abuse")
    await place.ann.post("/me/reports", 400, game=table.id, reason="because")
    async with browser(place.app) as client:
        stranger = Visitor(client, await change(client, name="Cid"))
        await stranger.post("/me/reports", 404, game=table.id, reason="abuse")
    assert MOST_REPORTS == 20
    monkeypatch.setattr("ludus.service.relations.MOST_REPORTS", 1)
    await place.ann.post("/me/reports", game=table.id, reason="abuse")
    assert (await place.ann.post("/me/reports", 409, game=table.id, reason="other"))["code"] == "too_many_reports"


async def test_a_profile_has_results_and_head_to_head(place: Place) -> None:
    _, ann, ben = place
    await place.game(ben)
    await place.game(ann, pool="room/1")
    seen = await ann.get(f"/people/{ben.id}")
    assert (seen["person"]["name"], seen["isOwn"]) == ("Ben", False)
    assert seen["withMe"]["scores"] == [{"game": "checkers", "wins": 1, "draws": 0, "losses": 1}]
    assert seen["scores"] == [{"game": "checkers", "wins": 0, "draws": 0, "losses": 1, "opponents": "people"}]
    own = await ben.get(f"/people/{ben.id}")
    assert (own["isOwn"], own["withMe"], len(own["scores"])) == (True, None, 2)
    async with browser(place.app) as client:
        assert (await client.get(f"/web/people/{ben.id}")).json()["withMe"] is None
        assert (await client.get("/web/people/nobody")).status_code == 404


async def test_finished_games_are_shown_from_ones_own_side(place: Place) -> None:
    _, ann, ben = place
    public = await place.game(ben)
    place.app.clock.ms += 1
    private = await place.game(ann, pool="room/1")
    first, second = (await ann.get(f"/people/{ann.id}/games"))["games"]
    assert [(each["id"], each["outcome"], each["isPrivate"]) for each in (first, second)] == [
        (private.id, "loss", True), (public.id, "win", False),
    ]  # fmt: skip
    assert first["opponent"] == {"id": f"person:{ben.id}", "name": "Ben", "kind": "person"}
    assert (first["reason"], first["rating"]) == ("resignation", None)
    assert (await ann.get("/me/history"))["games"] == [first, second]
    (seen,) = (await ann.get(f"/people/{ben.id}/games"))["games"]
    assert (seen["id"], seen["outcome"]) == (public.id, "loss")
    async with browser(place.app) as client:
        assert (await client.get("/web/me/history")).json() == {"games": [], "before": None}


async def test_games_come_in_pages(place: Place) -> None:
    ids = []
    for _ in range(PAGE + 1):
        place.app.clock.ms += 1
        ids.append((await place.game(place.ann)).id)
    page = await place.ben.get(f"/people/{place.ben.id}/games")
    rest = await place.ben.get(f"/people/{place.ben.id}/games?before={page['before']}")
    assert [each["id"] for each in [*page["games"], *rest["games"]]] == ids[::-1]
    assert rest["before"] is None
    for wrong in ("x", "1.", f"1.{'a' * 65}", "1.%00"):
        await place.ben.get(f"/people/{place.ben.id}/games?before={wrong}", 400)


async def test_a_rated_game_shows_what_it_changed(place: Place) -> None:
    table = await place.game(place.ben, mode="live", pool="page/live", is_rated=True)
    (seen,) = (await place.ann.get(f"/people/{place.ben.id}/games"))["games"]
    assert seen["id"] == table.id and seen["rating"]["after"] < seen["rating"]["before"] == 1500
    (rating,) = (await place.ann.get(f"/people/{place.ben.id}"))["ratings"]
    assert (rating["game"], rating["provisional"], rating["losses"]) == ("checkers", True, 1)
    assert [point["rating"] for point in rating["history"]] == [round(seen["rating"]["after"])]


async def test_people_have_a_leaderboard(place: Place) -> None:
    app, ann, _ = place
    for key, points in ((person_key(ann.id), 1700.0), ("person/gone", 1800.0), ("agent/a", 1900.0)):
        settled: dict[str, Any] = {"rating": points, "deviation": 60.0, "games": 1, "opponents": 5}
        await app.platform.store.commit(PutRating(fresh(key, "checkers", place.now())._replace(**settled)))
    (leader,) = (await ann.get("/leaders?game=checkers"))["leaders"]
    assert (leader["rank"], leader["person"]["name"], leader["rating"], leader["provisional"]) == (
        1,
        "Ann",
        1700,
        False,
    )
    assert (await ann.get("/leaders?game=backgammon"))["leaders"] == []
    await ann.get("/leaders?game=chess", 404)


async def test_the_page_tells_whether_an_agent_waits_for_people(place: Place) -> None:
    app, ann, _ = place
    agent = Agent("deep", 1, "Deep", "deep", None, "key", "code", None, 0)
    await app.platform.store.commit(PutAgent(agent))
    assert await ann.get("/agents/deep/queue?game=checkers") == {"isWaiting": False}
    for meets_people in (False, True):
        fields: dict[str, Any] = {
            "mode": "fast",
            "pool": "arena/fast",
            "channel": "arena",
            "meets_people": meets_people,
        }
        await app.platform.lobby.join(seeker("agent/deep", SeatKind.AGENT, **fields))
        assert await ann.get("/agents/deep/queue?game=checkers") == {"isWaiting": meets_people}
    made = await ann.post("/play", game="checkers", opponent="agent", agent="deep")
    assert (await app.platform.sessions.get(made["sessionId"])).opponent == "agent/deep"
    await ann.post("/play", 404, game="checkers", opponent="agent", agent="nobody")
    await ann.post("/play", 400, game="checkers", opponent="anyone", agent="deep")
    await ann.get("/agents/nobody/queue?game=checkers", 404)
    await ann.get("/agents/deep/queue?game=chess", 404)


async def test_an_export_has_what_people_did_with_each_other_and_no_other_persons_name(place: Place) -> None:
    _, ann, ben = place
    await befriend(place)
    await ann.challenge(ben, timeControl=FISCHER)
    table = await place.game(ben)
    await ann.post("/me/reports", game=table.id, reason="stalling")
    exported = await ann.get("/me/export")
    assert (len(exported["friends"]), exported["blocks"], len(exported["friendLink"])) == (1, [], 12)
    (challenge,) = exported["challenges"]
    assert (challenge["game"], challenge["timeControl"], challenge["state"]) == ("checkers", FISCHER, "waiting")
    assert [(each["table"], each["reason"]) for each in exported["reports"]] == [(table.id, "stalling")]
    assert exported["results"] == [{"game": "checkers", "opponents": "people", "wins": 1, "draws": 0, "losses": 0}]
    assert ben.id not in str(exported) and "Ben" not in str(exported)


async def test_a_deleted_person_is_nobodys_friend_opponent_or_challenger(place: Place) -> None:
    app, ann, ben = place
    await befriend(place)
    await ann.challenge(ben)
    table = await place.game(ben)
    await ann.delete("/me", 200)
    assert (await ben.get("/me/friends"))["friends"] == (await ben.inbox())["incoming"] == []
    (game,) = (await ben.get(f"/people/{ben.id}/games"))["games"]
    assert (game["id"], game["opponent"]["name"]) == (table.id, "Deleted player")
    await ben.get(f"/people/{ann.id}", 404)
    assert await app.platform.store.history(person_key(ann.id), NEWEST, 9) == []
    assert await app.platform.store.scores_between(person_key(ben.id), person_key(ann.id)) == []


async def test_a_wrong_address_of_a_person_or_a_link_is_not_found(place: Place) -> None:
    code = (await place.ann.get("/me/friends"))["code"]
    for path, status in {
        f"/people/{place.ann.id}": 200,
        "/people/nobody": 404,
        f"/people/{'x' * 100}": 404,
        f"/friends/{code}": 200,
        "/friends/ABCDEFGHJKLM": 404,
        "/me/games": 200,
        "/me/friends": 200,
    }.items():
        answer = await place.ann.client.get(path, headers={"Accept": "text/html"})
        assert (answer.status_code, answer.headers["content-type"]) == (status, "text/html; charset=utf-8"), path


async def test_everything_survives_a_restart(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app, browser(app) as one, browser(app) as two:
        ann, ben = [Visitor(each, await change(each, name=name)) for each, name in ((one, "Ann"), (two, "Ben"))]
        place = Place(app, ann, ben)
        await befriend(place)
        made = await ann.challenge(ben, timeControl=FISCHER)
        table = await place.game(ben)
        cookies = dict(two.cookies)
    async with open_app(tmp_path) as app, browser(app) as client:
        client.cookies.update(cookies)
        again = Visitor(client, {"id": ben.id, "name": "Ben"})
        assert [each["name"] for each in (await again.get("/me/friends"))["friends"]] == ["Ann"]
        assert [each["id"] for each in (await again.inbox())["incoming"]] == [made["id"]]
        assert [each["id"] for each in (await again.get("/me/history"))["games"]] == [table.id]
        await again.post(f"/me/challenges/{made['id']}/accept", 200)


async def test_a_private_game_can_be_replayed_by_its_players_only(place: Place) -> None:
    table = await place.game(place.ben, pool="room/1")
    shown = await place.ann.get(f"/tables/{table.id}")
    assert {player["name"] for player in shown["players"]} == {"Ann", "Ben"}
    async with browser(place.app) as stranger:
        assert (await stranger.get(f"/web/tables/{table.id}")).status_code == 404
