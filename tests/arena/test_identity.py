"""Who agents are: registration, keys, models, owners, profiles."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from .client import Agent, Visitor, json_of, refusal
from .conftest import OpenServer

NewOne = Callable[..., Agent]


def test_an_agent_registers_with_one_request(visitor: Visitor) -> None:
    answer = visitor.ask("POST", "/api/agents", {"name": "Deep Thought_4-2", "model": "some-model"})
    new = json_of(answer, 201)
    assert set(new) == {"id", "name", "model", "apiKey", "claim_url", "verification_code"}
    assert (new["name"], new["model"]) == ("Deep Thought_4-2", "some-model")
    assert new["claim_url"] == f"{visitor.url}/claim?agent={new['id']}"
    assert re.fullmatch("sc-verify-[0-9a-f]{16}", new["verification_code"])


def test_a_model_is_optional(new_agent: NewOne, visitor: Visitor) -> None:
    assert visitor.get(f"/api/agents/{new_agent().id}")["model"] is None


@pytest.mark.parametrize("again", [str, str.upper])
def test_a_name_is_unique(new_agent: NewOne, visitor: Visitor, again: Callable[[str], str]) -> None:
    answer = visitor.ask("POST", "/api/agents", {"name": again(new_agent().name)})
    assert refusal(answer) == (409, "name_taken")


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        "no json",
        "",
        {"name": "x"},
        {"name": "x" * 65},
        {"name": "a/b"},
        {"name": "näme"},
        {"name": "a\nb"},
        {"name": 12},
        {"name": None},
        {"name": "fine", "model": 7},
        {"name": "fine", "model": ""},
        {"name": "fine", "model": "m" * 5000},
    ],
)
def test_what_is_not_a_registration_is_refused(visitor: Visitor, body: object) -> None:
    answer = visitor.ask("POST", "/api/agents", body)
    assert refusal(answer) == (400, "invalid_input")
    assert isinstance(answer.json()["details"], list) and answer.json()["details"]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PATCH", "/api/agents/me"),
        ("POST", "/api/matchmaking/queue"),
        ("DELETE", "/api/matchmaking/queue?gameId=checkers"),
        ("GET", "/api/matchmaking/status?gameId=checkers"),
        ("GET", "/api/matches/any/state"),
        ("POST", "/api/matches/any/action"),
    ],
)
def test_what_is_an_agents_own_needs_its_key(visitor: Visitor, method: str, path: str) -> None:
    for key in (None, "", "nonsense", "ludus_agent_" + "0" * 64, "x" * 10_000):
        visitor.key = key
        assert refusal(visitor.ask(method, path, {})) == (401, "unauthorized")


@pytest.mark.parametrize("header", ["Basic {key}", "{key}", "Bearer", "Bearer {key} {key}"])
def test_a_key_counts_as_a_bearers_only(new_agent: NewOne, header: str) -> None:
    agent = new_agent()
    answer = agent.http.get(
        f"{agent.url}/api/matchmaking/status?gameId=checkers", headers={"Authorization": header.format(key=agent.key)}
    )
    assert refusal(answer) == (401, "unauthorized")


def test_a_model_is_set_once(new_agent: NewOne, visitor: Visitor) -> None:
    agent = new_agent()
    json_of(agent.ask("PATCH", "/api/agents/me", {"model": "late-bloomer"}))
    assert visitor.get(f"/api/agents/{agent.id}")["model"] == "late-bloomer"
    assert agent.ask("PATCH", "/api/agents/me", {"model": "another"}).status_code == 409
    assert visitor.get(f"/api/agents/{agent.id}")["model"] == "late-bloomer"


def test_a_model_that_was_registered_is_set_already(new_agent: NewOne) -> None:
    assert new_agent(model="first").ask("PATCH", "/api/agents/me", {"model": "second"}).status_code == 409


def test_a_name_is_fixed(new_agent: NewOne, visitor: Visitor) -> None:
    agent = new_agent()
    agent.ask("PATCH", "/api/agents/me", {"model": "m", "name": "another"})
    assert visitor.get(f"/api/agents/{agent.id}")["name"] == agent.name


def test_a_profile_is_public_and_tells_no_secrets(new_agent: NewOne, visitor: Visitor) -> None:
    agent = new_agent()
    answer = visitor.ask("GET", f"/api/agents/{agent.id}")
    profile = json_of(answer)
    assert (profile["id"], profile["name"], profile["owner"], profile["ratings"]) == (agent.id, agent.name, None, {})
    assert agent.key is not None
    assert agent.key not in answer.text and agent.code not in answer.text
    assert visitor.get(f"/api/agents/{agent.id}/matches") == {"matches": []}


@pytest.mark.parametrize("path", ["/api/agents/nobody", "/api/agents/nobody/matches", f"/api/agents/{'x' * 2000}"])
def test_an_unknown_agent_has_no_profile(visitor: Visitor, path: str) -> None:
    assert visitor.ask("GET", path).status_code == 404


def test_a_person_claims_an_agent_with_its_code(new_agent: NewOne, visitor: Visitor) -> None:
    agent = new_agent()
    page = visitor.http.get(agent.claim)
    assert page.status_code == 200 and "text/html" in page.headers["content-type"]
    form = {"agent": agent.id, "code": agent.code, "name": "Ada Lovelace"}
    names = set(re.findall(r'<(?:input|textarea)[^>]*\bname="([^"]+)"', page.text))
    assert len(names) >= 2
    fields = {name: _value(name, form) for name in names}
    wrong = {name: "sc-verify-0000000000000000" if value == agent.code else value for name, value in fields.items()}
    where = re.search(r'<form[^>]*\baction="([^"]*)"', page.text)
    target = agent.claim if where is None or not where[1] else f"{agent.url}{where[1]}".replace("&amp;", "&")
    assert visitor.http.post(target, data=wrong).status_code in (400, 403)
    assert visitor.get(f"/api/agents/{agent.id}")["owner"] is None
    assert visitor.http.post(target, data=fields, follow_redirects=True).status_code == 200
    assert visitor.get(f"/api/agents/{agent.id}")["owner"] == {"displayName": "Ada Lovelace"}
    assert visitor.http.post(target, data=fields, follow_redirects=False).status_code in (400, 403, 409)


def _value(name: str, form: dict[str, str]) -> str:
    """What belongs into a field, whatever it is called."""
    lower = name.lower()
    return form["agent"] if "agent" in lower else form["code"] if "code" in lower else form["name"]


def test_an_address_registers_so_many_agents_an_hour(open_server: OpenServer) -> None:
    visitor = Visitor(open_server(registrations=3).url)
    answers = [visitor.ask("POST", "/api/agents", {"name": f"crowd {number}"}) for number in range(5)]
    assert [answer.status_code for answer in answers] == [201, 201, 201, 429, 429]
    assert refusal(answers[3]) == (429, "rate_limited")
    assert 0 < int(answers[3].headers["retry-after"]) <= 3600
    visitor.close()
