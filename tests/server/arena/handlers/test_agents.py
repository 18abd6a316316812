"""Registration, profiles, and what an agent has played."""

from __future__ import annotations

import pytest
from tests.server.arena.arena_app import HOST, ArenaApp, with_app, with_strict_app
from tests.service.parts import START

from ludus.engines.levels import LEVELS
from ludus.service.tenants import hashed


@with_app
async def test_registering_returns_a_key_and_what_the_owner_needs(app: ArenaApp) -> None:
    answer = await app.ask("POST", "/api/agents", {"name": "Deep Thought", "model": "earth-1"})
    profile = answer.json()
    assert answer.status_code == 201
    assert set(profile) == {"id", "name", "model", "apiKey", "claim_url", "verification_code"}
    assert (profile["name"], profile["model"]) == ("Deep Thought", "earth-1")
    assert profile["claim_url"] == f"{HOST}/claim?agent={profile['id']}"
    assert profile["verification_code"].startswith("sc-verify-")
    assert len(bytes.fromhex(profile["verification_code"].removeprefix("sc-verify-"))) == 8
    assert answer.headers["Location"] == f"/api/agents/{profile['id']}"


@with_app
async def test_the_key_is_stored_hashed_and_shown_nowhere(app: ArenaApp) -> None:
    agent = await app.agent()
    stored = await app.platform.store.agent(agent.id)
    assert stored is not None and stored.key_hash == hashed(agent.key)
    for path in (f"/api/agents/{agent.id}", "/api/agents/me"):
        text = (await agent.ask("GET", path)).text
        assert agent.key not in text and agent.registration["verification_code"] not in text


@with_app
async def test_a_name_is_taken_whatever_its_case_and_spacing(app: ArenaApp) -> None:
    await app.agent("Deep Thought")
    answer = await app.ask("POST", "/api/agents", {"name": "deep  thought"})
    assert (answer.status_code, answer.json()) == (409, {"error": "name_taken"})


@pytest.mark.parametrize("body", [
    {}, [], 7, None, {"name": None}, {"name": 7}, {"name": ""}, {"name": "x"}, {"name": "x" * 65}, {"name": "  "},
    {"name": "-_"}, {"name": "a.b"}, {"name": "äb"}, {"name": "ab\n"}, {"name": "ab", "model": 7},
    {"name": "ab", "model": ""}, {"name": "ab", "model": "x" * 101}, {"name": "ab", "model": "a\tb"},
    {"name": "ab", "model": " "}, {"name": "ab", "model": "a\u202eb"}, {"name": "ab", "model": "a\u200cb"},
    {"name": "ab", "model": "a\u200db"}, b"", b"{", b"\xff", b'{"name": "\xed\xa0\x80"}',
])  # fmt: skip
@with_app
async def test_what_is_no_registration_is_refused_with_a_list_of_reasons(app: ArenaApp, body: object) -> None:
    answer = await app.ask("POST", "/api/agents", body)
    profile = answer.json()
    assert (answer.status_code, profile["error"]) == (400, "invalid_input")
    assert profile["details"] and all(isinstance(detail, str) for detail in profile["details"])


@pytest.mark.parametrize("name", ["ab ", " ab", " a", "a  b", "_1", "x" * 64])
@with_app
async def test_a_name_is_kept_as_it_was_given(app: ArenaApp, name: str) -> None:
    assert (await app.agent(name)).registration["name"] == name


@with_app
async def test_what_is_wrong_with_a_model_is_said_with_its_place(app: ArenaApp) -> None:
    answer = await app.ask("POST", "/api/agents", {"name": "ab", "model": "a\tb"})
    assert answer.json()["details"] == ["model: must have 1 to 100 printable characters"]
    assert (await app.agent("ab", "Modèle 9 \U0001f600")).registration["model"] == "Modèle 9 \U0001f600"


@with_app
async def test_bots_are_worth_something_before_they_have_played(app: ArenaApp) -> None:
    ratings = (await app.get("/api/agents/house:hard"))["ratings"]
    assert {game: (each["rating"], each["games"]) for game, each in ratings.items()} == {
        "backgammon": (1700.0, 0),
        "checkers": (1700.0, 0),
    }


@with_app
async def test_all_mistakes_are_reported_at_once(app: ArenaApp) -> None:
    answer = await app.ask("POST", "/api/agents", {"name": 7, "model": 8})
    assert [detail.partition(":")[0] for detail in answer.json()["details"]] == ["name", "model"]


@pytest.mark.parametrize("name", ["x", "x" * 65, "  ", "a.b"])
@with_app
async def test_what_is_wrong_with_a_name_is_said_in_words(app: ArenaApp, name: str) -> None:
    answer = await app.ask("POST", "/api/agents", {"name": name})
    assert answer.json()["details"] == [
        "name: must have 2 to 64 letters (A to Z), digits, spaces, hyphens or underscores, a letter or digit among them"
    ]


@with_app
async def test_names_and_models_at_their_limits_are_taken(app: ArenaApp) -> None:
    assert (await app.agent("ab")).registration["model"] is None
    assert (await app.agent("x" * 64, "y" * 100)).registration["model"] == "y" * 100
    assert (await app.agent("a-_ 9", "größer ✓")).registration["model"] == "größer ✓"


@with_strict_app
async def test_an_address_registers_so_many_agents_in_an_hour(app: ArenaApp) -> None:
    for _ in range(3):
        await app.agent()
    answer = await app.ask("POST", "/api/agents", {"name": "One more"})
    assert (answer.status_code, answer.json()) == (429, {"error": "rate_limited"})
    assert answer.headers["X-RateLimit-Limit"] == "3"
    assert answer.headers["Retry-After"] == "3600"
    assert answer.headers["X-RateLimit-Reset"] == str(START // 1000 + 3600)
    app.clock.wait(int(answer.headers["Retry-After"]))
    await app.agent("One more")


@with_app
async def test_the_model_is_set_once(app: ArenaApp) -> None:
    agent = await app.agent()
    assert (await agent.must("PATCH", "/api/agents/me", {"model": "earth-2"}))["model"] == "earth-2"
    assert (await app.get(f"/api/agents/{agent.id}"))["model"] == "earth-2"
    answer = await agent.ask("PATCH", "/api/agents/me", {"model": "earth-3"})
    assert (answer.status_code, answer.json()) == (409, {"error": "model_already_set"})
    assert (await agent.ask("PATCH", "/api/agents/me", {"model": None})).status_code == 400


@with_app
async def test_a_profile_is_open_to_everybody(app: ArenaApp) -> None:
    match, one, two = await app.pair("backgammon")
    await app.win(match, two, one)
    profile = await app.get(f"/api/agents/{two.id}")
    assert set(profile) == {"id", "name", "model", "kind", "owner", "createdAt", "ratings", "badges"}
    assert (profile["kind"], profile["owner"], profile["badges"]) == ("agent", None, ["first_win"])
    assert profile["createdAt"] == "2023-11-14T22:13:20.000Z"
    standing = profile["ratings"]["backgammon"]
    assert (standing["games"], standing["wins"], standing["draws"], standing["losses"]) == (1, 1, 0, 0)
    assert standing["provisional"] and standing["display"] == f"{standing['rating']:.0f}?"
    assert "checkers" not in profile["ratings"]
    assert (await one.must("GET", "/api/agents/me"))["id"] == one.id


@pytest.mark.parametrize("id", ["nobody", "x" * 65, "house:mighty", "house:", "%00", "%ED%A0%80", "agent%2F1"])
@pytest.mark.parametrize("rest", ["", "/matches"])
@with_app
async def test_an_unknown_agent_is_not_found(app: ArenaApp, id: str, rest: str) -> None:
    answer = await app.ask("GET", f"/api/agents/{id}{rest}")
    assert answer.status_code == 404
    assert answer.json()["error"] in ("agent_not_found", "not_found")


@pytest.mark.parametrize("level", LEVELS)
@with_app
async def test_house_bots_have_profiles_and_ratings(app: ArenaApp, level: str) -> None:
    agent = await app.agent()
    match = (await agent.queue("checkers", opponent=f"house:{level}"))["matchId"]
    await agent.resign(match)
    profile = await app.get(f"/api/agents/house:{level}")
    assert (profile["id"], profile["kind"], profile["owner"]) == (f"house:{level}", "bot", None)
    assert profile["ratings"]["checkers"]["wins"] == 0  # it was resigned too early to be one
    (listed,) = (await app.get(f"/api/agents/house:{level}/matches"))["matches"]
    assert (listed["id"], listed["outcome"], listed["opponent"]["id"]) == (match, "win", agent.id)


@with_app
async def test_matches_are_listed_the_newest_first(app: ArenaApp) -> None:
    agent = await app.agent()
    ids = []
    for _ in range(3):
        app.clock.wait(60)
        ids.append((await agent.queue("checkers", opponent="house:easy"))["matchId"])
        if len(ids) < 3:
            await agent.resign(ids[-1])
    listed = (await app.get(f"/api/agents/{agent.id}/matches"))["matches"]
    assert [match["id"] for match in listed] == ids[::-1]
    live, over = listed[0], listed[1]
    assert set(live) == {"id", "gameId", "status", "moveCount", "opponent", "startedAt"}
    assert set(over) - set(live) == {"outcome", "finishedAt", "reason", "detail"}
    assert (live["status"], over["status"]) == ("active", "finished")
    assert (over["outcome"], over["reason"]) == ("loss", "resignation")
    assert over["opponent"] == {"id": "house:easy", "name": "Easy bot", "kind": "bot"}
    assert [match["id"] for match in (await app.get(f"/api/agents/{agent.id}/matches?limit=1"))["matches"]] == ids[2:]


@pytest.mark.parametrize("limit", ["0", "101", "-1", "x", "1.5", "", "9" * 30, "٣"])
@with_app
async def test_a_limit_is_a_number_up_to_a_hundred(app: ArenaApp, limit: str) -> None:
    agent = await app.agent()
    answer = await app.client.get(f"/api/agents/{agent.id}/matches", params={"limit": limit})
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_input")
    assert answer.json()["details"] == ["limit: must be a whole number from 1 to 100"]
