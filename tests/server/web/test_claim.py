"""A person becomes an agent's owner: a page, a form, a code."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.server.arena.arena_app import HOST, Agent, Answer, ArenaApp, with_app, with_strict_app

from ludus.server.web.languages import LANGUAGES


async def claim(app: ArenaApp, who: Agent, **changes: Any) -> Answer:
    form = {"agent": who.id, "code": who.registration["verification_code"], "displayName": "Ann", **changes}
    body = urlencode({name: value for name, value in form.items() if value is not None}).encode()
    kind = "application/x-www-form-urlencoded"
    return await app.client.post("/claim", content=body, headers={"Content-Type": kind})


@with_app
async def test_the_claim_url_leads_to_a_form_that_makes_one_the_owner(app: ArenaApp) -> None:
    agent = await app.agent("Deep Thought", "earth-1")
    page = await app.ask("GET", agent.registration["claim_url"].removeprefix(HOST))
    assert page.status_code == 200 and page.headers["Content-Type"].startswith("text/html")
    assert '<form method="post" action="/claim?lang=en">' in page.text
    assert "Deep Thought" in page.text and "earth-1" in page.text
    assert f'name="agent" value="{agent.id}"' in page.text
    assert set(re.findall(r'name="(\w+)"', page.text.split("<form")[1])) == {"agent", "code", "displayName"}
    done = await claim(app, agent)
    assert done.status_code == 200 and "belongs to Ann" in done.text
    assert (await app.get(f"/api/agents/{agent.id}"))["owner"] == {"displayName": "Ann"}
    again = await app.ask("GET", f"/claim?agent={agent.id}")
    assert "belongs to Ann" in again.text and "<form" not in again.text


@with_app
async def test_no_page_runs_scripts_or_loads_anything(app: ArenaApp) -> None:
    agent = await app.agent()
    for page in (
        await app.ask("GET", f"/claim?agent={agent.id}"),
        await app.ask("GET", "/claim"),
        await claim(app, agent, code="wrong"),
        await claim(app, agent),
    ):
        policy = page.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none';") and "script" not in policy and "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy and "form-action 'self'" in policy
        assert "<script" not in page.text and "src=" not in page.text and " style=" not in page.text
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        assert page.headers["Cache-Control"] == "no-store"


@with_app
async def test_spaces_around_a_copied_code_do_not_matter(app: ArenaApp) -> None:
    agent = await app.agent()
    assert (await claim(app, agent, code=f" {agent.registration['verification_code']}\n")).status_code == 200


@with_app
async def test_a_wrong_code_claims_nothing_and_shows_the_form_again(app: ArenaApp) -> None:
    agent, other = await app.agent(), await app.agent()
    for code in ("", "sc-verify-0000000000000000", other.registration["verification_code"], agent.key, "é", "x" * 5000):
        answer = await claim(app, agent, code=code)
        assert answer.status_code == 403
        assert "not the agent&#x27;s verification code" in answer.text and "<form" in answer.text
    assert (await app.get(f"/api/agents/{agent.id}"))["owner"] is None


@with_app
async def test_an_agent_has_one_owner(app: ArenaApp) -> None:
    agent = await app.agent()
    await claim(app, agent)
    answer = await claim(app, agent, displayName="Ben")
    assert answer.status_code == 409 and "already been claimed" in answer.text
    assert (await app.get(f"/api/agents/{agent.id}"))["owner"] == {"displayName": "Ann"}


@pytest.mark.parametrize("name", ["", " ", "x" * 65, "a\x00b", "a\nb"])
@with_app
async def test_a_display_name_is_short_and_printable(app: ArenaApp, name: str) -> None:
    agent = await app.agent()
    answer = await claim(app, agent, displayName=name)
    assert answer.status_code == 400 and "A display name must have" in answer.text and "<form" in answer.text


@with_app
async def test_the_name_that_was_typed_is_still_there_after_a_refusal(app: ArenaApp) -> None:
    answer = await claim(app, await app.agent(), code="wrong", displayName='Ann "x"')
    assert 'value="Ann &quot;x&quot;"' in answer.text


@pytest.mark.parametrize(
    ("query", "headers", "language", "theme"),
    [
        ("", {}, "en", ""),
        ("", {"Accept-Language": "de-AT,en"}, "de", ""),
        ("", {"Accept-Language": "pt-BR, fr-CA;q=0.8, en;q=0.5"}, "fr", ""),
        ("&lang=de", {"Accept-Language": "en"}, "de", ""),
        ("&lang=es", {"Accept-Language": "en"}, "es", ""),
        ("&lang=en", {"Cookie": "ludus-language=de"}, "en", ""),
        ("", {"Accept-Language": "en", "Cookie": "ludus-language=de; ludus-theme=dark"}, "de", ' data-theme="dark"'),
        ("", {"Cookie": 'ludus-theme="><b>'}, "en", ""),
    ],
)
@with_app
async def test_language_and_colours_are_those_that_were_chosen(
    app: ArenaApp, query: str, headers: dict[str, str], language: str, theme: str
) -> None:
    path = f"/claim?agent={(await app.agent()).id}{query}"
    page = (await app.client.get(path, headers=headers)).text
    assert f'<html lang="{language}"{theme}>' in page
    assert f'action="/claim?lang={language}"' in page
    others = set(LANGUAGES) - {language}
    assert {code for code in LANGUAGES if f"&amp;lang={code}" in page} == others


@with_app
async def test_a_refusal_is_in_the_language_of_the_form(app: ArenaApp) -> None:
    answer = await app.ask("GET", "/claim?agent=nobody&lang=de")
    assert answer.status_code == 404 and "Diesen Agenten gibt es nicht" in answer.text


@with_app
async def test_names_are_shown_as_text(app: ArenaApp) -> None:
    agent = await app.agent("ab", "<b>&'\"")
    page = (await app.ask("GET", f"/claim?agent={agent.id}")).text
    assert "&lt;b&gt;&amp;&#x27;&quot;" in page and "<b>" not in page
    done = (await claim(app, agent, displayName="<script>alert(1)</script>")).text
    assert "&lt;script&gt;" in done and "<script" not in done


@pytest.mark.parametrize("missing", ["agent", "code", "displayName"])
@with_app
async def test_every_field_is_needed(app: ArenaApp, missing: str) -> None:
    answer = await claim(app, await app.agent(), **{missing: None})
    assert answer.status_code == 400 and f"{missing}: is needed" in answer.text


@pytest.mark.parametrize("body", [b"\xff\xfe", b"%ff=%ff", b"&" * 5000, b'{"agent": "x"}', b""])
@with_app
async def test_what_is_no_form_is_refused(app: ArenaApp, body: bytes) -> None:
    answer = await app.ask("POST", "/claim", body)
    assert answer.status_code == 400 and answer.headers["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("query", ["", "?agent=", "?agent=nobody", "?agent=house:easy", "?agent=%00"])
@with_app
async def test_an_agent_that_is_not_there_cannot_be_claimed(app: ArenaApp, query: str) -> None:
    answer = await app.ask("GET", f"/claim{query}")
    assert answer.status_code == 404 and "Agent not found" in answer.text


@with_app
async def test_the_page_takes_no_other_method(app: ArenaApp) -> None:
    answer = await app.ask("DELETE", "/claim")
    assert answer.status_code == 405 and answer.headers["Allow"] == "GET, HEAD, POST"
    assert answer.headers["Content-Type"].startswith("text/html")


@with_strict_app
async def test_tries_are_counted(app: ArenaApp) -> None:
    agent = await app.agent()
    statuses = [(await claim(app, agent, code="wrong")).status_code for _ in range(6)]
    assert statuses == [403] * 4 + [429] * 2
