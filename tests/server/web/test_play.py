"""Games that people start on the page: opponents, terms, and how people get back to their seats."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.server.rest.rest_app import ADDRESS, RestApp, open_app

from ludus.server.web import play
from ludus.server.web.viewers import SEAT_COOKIE
from ludus.service import live_games
from ludus.service.commands import AskRematch, Leave, Resign, Tick
from ludus.service.lobby import Seeker
from ludus.service.seat_codes import LIFE_MS
from ludus.service.sessions import pool_of
from ludus.service.table import Limits, Table

pytestmark = pytest.mark.anyio

DAYS = 24 * 3_600_000
FISCHER = {"type": "fischer", "seconds": 300, "increment": 3}
NO_LIMIT = {"type": "none"}


class Browser:
    """A browser with cookies of its own."""

    def __init__(self, app: RestApp) -> None:
        transport = httpx2.ASGITransport(app.server, raise_app_exceptions=False, client=(ADDRESS, 1))
        self.client = httpx2.AsyncClient(transport=transport, base_url="http://ludus")

    async def get(self, path: str, status: int = 200, token: str = "") -> Any:
        answer = await self.client.get(path, headers={"Authorization": f"Bearer {token}"} if token else {})
        assert answer.status_code == status, answer.text
        return answer.json()

    async def post(self, path: str, status: int = 200, **body: Any) -> Any:
        answer = await self.client.post(path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def play(self, status: int = 201, **fields: Any) -> Any:
        return await self.post("/web/play", status, **{"game": "checkers", "opponent": "friend", **fields})

    async def join(self, made: Any, status: int = 200, name: str = "Ben") -> Any:
        return await self.post("/web/play/join", status, code=made["roomCode"].lower(), name=name)

    async def games(self) -> Any:
        return (await self.get("/web/me/games?status=live"))["games"]


async def seat(app: RestApp, *seats: Any) -> Table:
    """What the sockets do with the seats' tokens."""
    table = None
    for each in seats:
        session, claims = await app.platform.sessions.admit(each["sessionToken"])
        player = app.platform.sessions.seat(session, claims)
        seeker = Seeker(player, session.game, session.mode, pool_of(session), 1500.0, session.has_afk_limit, None)
        seeker = seeker._replace(
            time_control=session.time_control, is_public=session.is_public, is_rated=session.mode != "training"
        )
        if session.match_type == "bot":
            return await app.platform.lobby.play_bot(seeker, session.bot_level)
        table = (await app.platform.lobby.join(seeker)).table
    assert table is not None
    return table


async def friends(app: RestApp, **fields: Any) -> tuple[Browser, Browser, Table]:
    ann, ben = Browser(app), Browser(app)
    made = await ann.play(name="Ann", **fields)
    return ann, ben, await seat(app, made, await ben.join(made))


async def test_a_game_against_a_bot_waits_for_weeks_and_nobody_loses(app: RestApp) -> None:
    ann = Browser(app)
    made = await ann.play(opponent="bot", level="hard", name="Ann")
    table = await seat(app, made)
    assert table.opening.limits == Limits(None, None, None, 30 * DAYS)
    assert not table.opening.is_rated and table.seats[1].level == "hard"
    await app.platform.tables.execute(table.id, Leave(0))
    app.clock.ms += 29 * DAYS
    assert (await app.platform.tables.execute(table.id, Tick())).event is None
    (game,) = await ann.games()
    assert (game["id"], game["isMyTurn"], game["opponent"]["id"]) == (table.id, True, "house:hard")
    app.clock.ms += 2 * DAYS
    ended = (await app.platform.tables.execute(table.id, Tick())).table
    assert ended.outcome is not None and (ended.outcome.winner, ended.outcome.reason) == (None, "cancelled")
    assert await ann.games() == []


async def test_people_have_three_minutes_to_return_and_no_limit_without_a_clock(app: RestApp) -> None:
    _, _, table = await friends(app)
    assert table.opening.limits == Limits(60_000, 90_000, 180_000, 30 * DAYS)
    _, _, table = await friends(app, timeControl=FISCHER)
    assert table.opening.limits == Limits(None, None, 180_000, 30 * DAYS)
    for time_control in (NO_LIMIT, {"type": "correspondence", "days": 2}):
        _, _, table = await friends(app, timeControl=time_control)
        assert table.opening.limits.reconnect is None


async def test_the_limits_of_the_page_are_settings(tmp_path: Path) -> None:
    async with open_app(tmp_path, page_reconnect_seconds=7, page_abandon_days=0) as app:
        _, _, table = await friends(app)
        assert (table.opening.limits.reconnect, table.opening.limits.abandon) == (7_000, None)


async def test_an_apps_game_keeps_its_limits(app: RestApp) -> None:
    made = await app.create(matchType="bot")
    assert (await app.seat(made["sessionToken"])).opening.limits == Limits(60_000, 90_000, 60_000)


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
async def test_two_people_meet_by_a_code_and_keep_their_names(app: RestApp, game: str) -> None:
    _, _, table = await friends(app, game=game)
    assert {seat.name for seat in table.seats} == {"Ann", "Ben"}
    assert table.opening.mode == "training" and not table.opening.is_rated and table.opening.is_private


async def test_a_game_has_two_seats(app: RestApp) -> None:
    ann, ben, eve = Browser(app), Browser(app), Browser(app)
    made = await ann.play()
    await ben.join(made)
    assert (await eve.join(made, 409))["code"] == "room_full"
    assert (await eve.post("/web/play/join", 404, code="ABCDEF"))["code"] == "not_found"
    assert (await eve.post("/web/play/join", 400, code="no code"))["code"] == "invalid_input"


async def test_an_invitation_says_who_invites_to_what(app: RestApp) -> None:
    ann, ben = Browser(app), Browser(app)
    made = await ann.play(name="Ann", game="backgammon", timeControl=FISCHER)
    found = await ben.get(f"/web/invitations/{made['roomCode'].lower()}")
    assert (found["game"], found["host"]["name"], found["timeControl"]) == ("backgammon", "Ann", FISCHER)
    assert (found["isRated"], found["isPublic"], found["isFull"], found["isOwn"]) == (False, False, False, False)
    assert found["expiresAt"] == "2023-11-15T22:13:20.000Z"
    assert found["sessionId"] is None, "a stranger has no seat yet"
    assert "sessionToken" not in found
    app.clock.ms += DAYS + 1
    assert (await ben.get(f"/web/invitations/{made['roomCode']}", 404))["code"] == "not_found"


async def test_your_own_invitation_leads_to_your_own_seat(app: RestApp) -> None:
    ann = Browser(app)
    made = await ann.play(name="Ann")
    found = await ann.get(f"/web/invitations/{made['roomCode']}")
    assert found["isOwn"] and found["sessionId"] == made["sessionId"]
    again = await ann.join(made, name="Ann again")
    assert (again["sessionId"], again["playerId"]) == (made["sessionId"], made["playerId"])
    session = await app.platform.sessions.get(made["sessionId"])
    assert [player["displayName"] for player in session.players] == ["Ann"]


async def test_looking_at_an_invitation_makes_nobody_a_person(app: RestApp) -> None:
    made = await Browser(app).play()
    ben = Browser(app)
    await ben.get(f"/web/invitations/{made['roomCode']}")
    assert (await ben.get("/web/me"))["person"] is None
    assert await ben.games() == []


async def test_every_tab_of_a_person_gets_the_seat(app: RestApp) -> None:
    ann, ben = Browser(app), Browser(app)
    made = await ann.play(name="Ann")
    waiting = await ann.get(f"/web/play/{made['sessionId']}")
    assert (waiting["tableId"], waiting["roomCode"], waiting["opponent"]) == (None, made["roomCode"], "friend")
    table = await seat(app, made, await ben.join(made))
    app.clock.ms += 3_600_000  # the first token has long expired
    for id in (table.id, made["sessionId"]):
        taken = await ann.get(f"/web/play/{id}")
        session, claims = await app.platform.sessions.admit(taken["sessionToken"])
        assert (session.table, claims.player, taken["tableId"]) == (table.id, made["playerId"], table.id)


async def test_a_rematch_has_an_address_too(app: RestApp) -> None:
    ann, ben, table = await friends(app)
    await app.platform.tables.execute(table.id, Resign(0))
    for number in (0, 1):
        id = "11111111-1111-4111-8111-111111111111"
        await app.platform.tables.execute(table.id, AskRematch(number, id))
    for browser in (ann, ben):
        taken = await browser.get(f"/web/play/{id}")
        session, _ = await app.platform.sessions.admit(taken["sessionToken"])
        assert session.table == id


async def test_nobody_else_gets_a_seat(app: RestApp) -> None:
    ann = Browser(app)
    made = await ann.play(opponent="bot")
    for eve in (Browser(app), await person(app)):
        assert (await eve.get(f"/web/play/{made['sessionId']}", 404))["code"] == "not_found"
    table = await seat(app, made)
    refused = await (await person(app)).get(f"/web/play/{table.id}", 403)
    assert (refused["code"], refused["canWatch"], refused["isOver"]) == ("forbidden", True, False)
    for id in ("nothing", "x" * 100, "%00"):
        assert (await ann.get(f"/web/play/{id}", 404))["code"] == "not_found"


async def person(app: RestApp) -> Browser:
    browser = Browser(app)
    await browser.play(opponent="bot")
    return browser


PLACES = (
    "/web/tables/{}",
    "/web/tables/{}/file",
    "/web/tables/{}/board.svg",
    "/web/tables/{}/analysis",
    "/web/play/{}",
)


@pytest.mark.parametrize("place", PLACES)
async def test_a_private_game_is_for_its_players_alone(app: RestApp, place: str) -> None:
    ann, ben, table = await friends(app)
    path = place.format(table.id)
    for is_over in (False, True):
        if is_over:
            await app.platform.tables.execute(table.id, Resign(0))
        for stranger in (Browser(app), await person(app)):
            assert (await stranger.client.get(path)).status_code == 404
        for player in (ann, ben):
            assert (await player.client.get(path)).status_code == 200
    refused = await Browser(app).client.post(f"/web/tables/{table.id}/analysis", json={})
    assert refused.status_code == 404


async def test_a_seats_token_shows_a_private_game_too(app: RestApp) -> None:
    ann, _, table = await friends(app)
    token = (await ann.get(f"/web/play/{table.id}"))["sessionToken"]
    assert (await Browser(app).get(f"/web/tables/{table.id}", token=token))["id"] == table.id
    other = await Browser(app).play(opponent="bot")
    await Browser(app).get(f"/web/tables/{table.id}", 404, token=other["sessionToken"])


async def test_a_device_that_took_a_seat_over_can_replay_this_game_alone(app: RestApp) -> None:
    ann, ben, table = await friends(app)
    made = await ann.post(f"/web/play/{table.id}/code", 201)
    token = (await Browser(app).post("/web/play/seats", code=made["code"]))["sessionToken"]
    await app.platform.tables.execute(table.id, Resign(0))
    again = await ann.play()
    other = await seat(app, again, await ben.join(again))
    places = ("/matches/{}", "/web/tables/{}", "/web/tables/{}/file", "/web/tables/{}/analysis")
    for place in places:
        for id, cookie, status in ((table.id, token, 200), (other.id, token, 404), (table.id, "broken", 404)):
            answer = await Browser(app).client.get(place.format(id), headers={"Cookie": f"{SEAT_COOKIE}={cookie}"})
            assert answer.status_code == status, (place, cookie)
    await Browser(app).get(f"/web/tables/{other.id}", 404, token=token)
    headers = {"Authorization": f"Bearer {token}"}
    refused = await Browser(app).client.post(f"/web/play/{other.id}/code", json={}, headers=headers)
    assert refused.status_code == 404


async def test_friends_may_let_anyone_watch(app: RestApp) -> None:
    ann, ben = Browser(app), Browser(app)
    made = await ann.play(public=True)
    assert (await ben.get(f"/web/invitations/{made['roomCode']}"))["isPublic"]
    table = await seat(app, made, await ben.join(made))
    assert (await Browser(app).get(f"/web/tables/{table.id}"))["id"] == table.id
    assert [each["id"] for each in (await Browser(app).get("/web/live"))["tables"]] == [table.id]


async def test_an_apps_private_room_can_be_watched_by_its_id(app: RestApp) -> None:
    made = await app.create(matchType="private")
    table = await app.seat(made["sessionToken"], (await app.join(made))["sessionToken"])
    assert (await Browser(app).get(f"/web/tables/{table.id}"))["id"] == table.id


async def test_a_code_hands_one_seat_over_to_another_device_once(app: RestApp) -> None:
    ann, _, table = await friends(app)
    made = await ann.post(f"/web/play/{table.id}/code", 201)
    assert made["seconds"] == LIFE_MS // 1000
    phone = Browser(app)
    taken = await phone.post("/web/play/seats", code=made["code"].lower())
    session, claims = await app.platform.sessions.admit(taken["sessionToken"])
    me = (await ann.get("/web/me"))["person"]
    assert (session.table, claims.player, taken["tableId"]) == (table.id, me["id"], table.id)
    assert (await phone.get("/web/me"))["person"] is None, "nothing but the seat is handed over"
    assert (await phone.post("/web/play/seats", 404, code=made["code"]))["code"] == "not_found"
    assert (await phone.post("/web/play/seats", 400, code="short"))["code"] == "invalid_input"


async def test_a_seats_code_expires(app: RestApp) -> None:
    ann, _, table = await friends(app)
    made = await ann.post(f"/web/play/{table.id}/code", 201)
    app.clock.ms += LIFE_MS
    assert (await Browser(app).post("/web/play/seats", 404, code=made["code"]))["code"] == "not_found"
    assert made["code"] not in str(stored_codes(app)), "only a hash is stored"
    await ann.post(f"/web/play/{table.id}/code", 201)
    assert len(stored_codes(app)) == 1, "what has expired is forgotten"


def stored_codes(app: RestApp) -> list[Any]:
    with closing(sqlite3.connect(Path(app.server.settings.data) / "ludus.sqlite3")) as file:
        return file.execute("SELECT * FROM seat_codes").fetchall()


async def test_pages_of_invitations_do_not_tell_which_codes_exist_for_long(tmp_path: Path) -> None:
    async with open_app(tmp_path, agent_rate_limit=3) as app:
        pages = [await Browser(app).client.get("/invite/ABCDEF") for _ in range(4)]
        assert [page.status_code for page in pages] == [404, 404, 404, 200], "it is the page's scripts that are refused"
        assert (await Browser(app).get("/web/invitations/ABCDEF", 429))["code"] == "too_fast"


async def test_codes_of_seats_cannot_be_guessed_for_long(tmp_path: Path) -> None:
    async with open_app(tmp_path, sign_ins=3) as app:
        eve = Browser(app)
        for _ in range(3):
            await eve.post("/web/play/seats", 404, code="ABC2345")
        assert (await eve.post("/web/play/seats", 429, code="ABC2345"))["code"] == "too_fast"


async def test_only_a_player_can_hand_a_seat_over(app: RestApp) -> None:
    ann, _, table = await friends(app)
    for eve in (Browser(app), await person(app)):
        await eve.post(f"/web/play/{table.id}/code", 404)
    await app.platform.tables.execute(table.id, Resign(0))
    await ann.post(f"/web/play/{table.id}/code", 404)


async def test_the_games_in_progress_come_with_whose_turn_it_is(app: RestApp) -> None:
    ann, ben, table = await friends(app, timeControl=FISCHER)
    shown = {who: (await browser.games())[0] for who, browser in (("Ann", ann), ("Ben", ben))}
    mover = table.seats[0].name
    other = {"Ann": "Ben", "Ben": "Ann"}
    for who, game in shown.items():
        assert (game["isMyTurn"], game["opponent"]["name"]) == (who == mover, other[who])
        assert (game["timeControl"], game["deadline"] is not None) == (FISCHER, who == mover)


async def test_an_open_invitation_is_shown_with_the_friend_who_waits(app: RestApp) -> None:
    ann, ben = Browser(app), Browser(app)
    made = await ann.play(name="Ann")
    await ann.play(opponent="anyone")  # someone who is only queued is not shown
    (waiting,) = await ann.games()
    assert (waiting["id"], waiting["status"], waiting["opponent"]) == (made["sessionId"], "waiting", None)
    await ben.join(made)
    assert [game["opponent"]["name"] for game in await ann.games()] == ["Ben"]
    assert [game["opponent"]["name"] for game in await ben.games()] == ["Ann"]


async def test_rated_games_are_against_random_opponents(app: RestApp) -> None:
    made = await Browser(app).play(opponent="anyone", rated=True, timeControl=FISCHER)
    session = await app.platform.sessions.get(made["sessionId"])
    assert (session.mode, pool_of(session)) == ("live", "page/live@5+3")
    casual = await Browser(app).play(opponent="anyone")
    assert pool_of(await app.platform.sessions.get(casual["sessionId"])) == "training"


async def test_an_agent_can_be_asked_for(app: RestApp) -> None:
    made = await Browser(app).play(opponent="agent")
    assert made["roomCode"] is None and (await app.platform.sessions.get(made["sessionId"])).match_type == "agent"


@pytest.mark.parametrize(
    "fields",
    [
        {"game": "chess"},
        {"opponent": "me"},
        {"name": "x" * 41},
        {"name": 7},
        {"rated": True},
        {"opponent": "bot", "public": True},
        {"opponent": "anyone", "timeControl": NO_LIMIT},
        {"timeControl": {"type": "fischer"}},
        {"timeControl": 5},
        {"opponent": "bot", "level": "Hard"},
    ],
)
async def test_what_is_no_game_is_refused(app: RestApp, fields: dict[str, Any]) -> None:
    browser = Browser(app)
    assert (await browser.play(400, **fields))["code"] == "invalid_input"
    assert (await browser.get("/web/me"))["person"] is None


async def test_an_unknown_level_is_refused(app: RestApp) -> None:
    assert (await Browser(app).play(400, opponent="bot", level="godlike"))["code"] == "unknown_option"


async def test_the_games_of_an_address_are_limited(tmp_path: Path) -> None:
    async with open_app(tmp_path, guest_games=2) as app:
        ann, ben = Browser(app), Browser(app)
        made = await ann.play()
        await ann.play()
        refused = await ann.client.post("/web/play", json={"game": "checkers", "opponent": "friend"})
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_games")
        assert refused.headers["Retry-After"] == "3600"
        await ben.join(made)  # an invited player takes nobody's place


async def test_the_games_of_a_person_are_limited(app: RestApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_games, "MOST_LIVE", 2)
    ann = Browser(app)
    tables = [await seat(app, await ann.play(opponent="bot")) for _ in range(2)]
    assert (await ann.play(409))["code"] == "too_many_live_games"
    await app.platform.tables.execute(tables[0].id, Resign(0))
    await ann.play()


async def test_a_private_game_stays_private_when_its_players_are_deleted(app: RestApp) -> None:
    ann, ben, table = await friends(app)
    for each in (ann, ben):
        assert (await each.client.delete("/web/me")).json() == {"status": "deleted"}
        await Browser(app).get(f"/web/tables/{table.id}", 404)


async def test_who_is_refused_becomes_nobody(tmp_path: Path) -> None:
    async with open_app(tmp_path, guest_games=4) as app:
        ann, ben = Browser(app), Browser(app)
        *_, made = [await ann.play() for _ in range(4)]
        await ben.join(made)
        await Browser(app).join(made, 409)
        await Browser(app).play(429)
        assert len(await app.server.store.people_unseen(2 * app.clock.ms, 9)) == 2


async def test_a_game_that_cannot_be_read_hides_no_other(app: RestApp) -> None:
    ann, ben, public = await friends(app, public=True)
    whole = await seat(app, await ann.play(opponent="bot"))
    app.platform.tables.discard(public.id)
    app.platform.tables.unreadable.add(public.id)
    assert [each["id"] for each in await ann.games()] == [whole.id]
    assert await ben.get("/web/live") == {"tables": []}


async def test_an_invitation_is_listed_among_many_searches(app: RestApp) -> None:
    ann = Browser(app)
    for _ in range(play.MOST_WAITING):
        await ann.play(opponent="anyone")
    made = await ann.play()
    assert [each["id"] for each in await ann.games()] == [made["sessionId"]]


async def test_the_pages_own_tenant_has_no_key(app: RestApp) -> None:
    await Browser(app).play()
    for key in ("page", "none", ""):
        assert (await app.ask("GET", "/v1/tenant", key=key or "x")).status_code == 401


async def test_without_guests_nobody_plays_on_the_page(tmp_path: Path) -> None:
    async with open_app(tmp_path, guests=False) as app:
        assert (await Browser(app).play(401))["code"] == "unauthorized"
        assert (await Browser(app).post("/web/play/join", 401, code="ABCDEF"))["code"] == "unauthorized"


async def test_another_sites_page_cannot_act_with_the_cookie(app: RestApp) -> None:
    ann, _, table = await friends(app)
    foreign = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    for path in ("/web/play", "/web/play/join", "/web/play/seats", f"/web/play/{table.id}/code"):
        body = {"game": "checkers", "opponent": "bot", "code": "ABC2345" if "seats" in path else "ABC234"}
        answer = await ann.client.post(path, json=body, headers=foreign)
        assert (answer.status_code, answer.json()["code"]) in ((403, "forbidden"), (404, "not_found")), path
    assert len(await ann.games()) == 1
