"""A person becomes an agent's owner: a page, a form, a code."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.server.arena.stage import HOST, Agent, Answer, Stage, on_a_strict_stage, on_stage


async def claim(stage: Stage, who: Agent, **changes: Any) -> Answer:
    form = {"agent": who.id, "code": who.told["verification_code"], "displayName": "Ann", **changes}
    body = urlencode({name: value for name, value in form.items() if value is not None}).encode()
    kind = "application/x-www-form-urlencoded"
    return await stage.client.post("/claim", content=body, headers={"Content-Type": kind})


@on_stage
async def test_the_claim_url_leads_to_a_form_that_makes_one_the_owner(stage: Stage) -> None:
    agent = await stage.agent("Deep Thought", "earth-1")
    page = await stage.ask("GET", agent.told["claim_url"].removeprefix(HOST))
    assert page.status_code == 200 and page.headers["Content-Type"].startswith("text/html")
    assert '<form method="post" action="/claim?lang=en">' in page.text
    assert "Deep Thought" in page.text and "earth-1" in page.text
    assert f'name="agent" value="{agent.id}"' in page.text
    assert set(re.findall(r'name="(\w+)"', page.text.split("<form")[1])) == {"agent", "code", "displayName"}
    done = await claim(stage, agent)
    assert done.status_code == 200 and "belongs to Ann" in done.text
    assert (await stage.get(f"/api/agents/{agent.id}"))["owner"] == {"displayName": "Ann"}
    again = await stage.ask("GET", f"/claim?agent={agent.id}")
    assert "belongs to Ann" in again.text and "<form" not in again.text


@on_stage
async def test_no_page_runs_scripts_or_loads_anything(stage: Stage) -> None:
    agent = await stage.agent()
    for page in (
        await stage.ask("GET", f"/claim?agent={agent.id}"),
        await stage.ask("GET", "/claim"),
        await claim(stage, agent, code="wrong"),
        await claim(stage, agent),
    ):
        policy = page.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none';") and "script" not in policy and "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy and "form-action 'self'" in policy
        assert "<script" not in page.text and "src=" not in page.text and " style=" not in page.text
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        assert page.headers["Cache-Control"] == "no-store"


@on_stage
async def test_spaces_around_a_copied_code_do_not_matter(stage: Stage) -> None:
    agent = await stage.agent()
    assert (await claim(stage, agent, code=f" {agent.told['verification_code']}\n")).status_code == 200


@on_stage
async def test_a_wrong_code_claims_nothing_and_shows_the_form_again(stage: Stage) -> None:
    agent, other = await stage.agent(), await stage.agent()
    for code in ("", "sc-verify-0000000000000000", other.told["verification_code"], agent.key, "é", "x" * 5000):
        answer = await claim(stage, agent, code=code)
        assert answer.status_code == 403
        assert "not the agent&#x27;s verification code" in answer.text and "<form" in answer.text
    assert (await stage.get(f"/api/agents/{agent.id}"))["owner"] is None


@on_stage
async def test_an_agent_has_one_owner(stage: Stage) -> None:
    agent = await stage.agent()
    await claim(stage, agent)
    answer = await claim(stage, agent, displayName="Ben")
    assert answer.status_code == 409 and "already been claimed" in answer.text
    assert (await stage.get(f"/api/agents/{agent.id}"))["owner"] == {"displayName": "Ann"}


@pytest.mark.parametrize("name", ["", " ", "x" * 65, "a\x00b", "a\nb"])
@on_stage
async def test_a_display_name_is_short_and_printable(stage: Stage, name: str) -> None:
    agent = await stage.agent()
    answer = await claim(stage, agent, displayName=name)
    assert answer.status_code == 400 and "A display name has" in answer.text and "<form" in answer.text


@on_stage
async def test_the_name_that_was_typed_is_still_there_after_a_refusal(stage: Stage) -> None:
    answer = await claim(stage, await stage.agent(), code="wrong", displayName='Ann "x"')
    assert 'value="Ann &quot;x&quot;"' in answer.text


@pytest.mark.parametrize(
    ("query", "headers", "language", "theme"),
    [
        ("", {}, "en", ""),
        ("", {"Accept-Language": "de-AT,en"}, "de", ""),
        ("&lang=de", {"Accept-Language": "en"}, "de", ""),
        ("&lang=en", {"Cookie": "ludus-language=de"}, "en", ""),
        ("", {"Accept-Language": "en", "Cookie": "ludus-language=de; ludus-theme=dark"}, "de", ' data-theme="dark"'),
        ("", {"Cookie": 'ludus-theme="><b>'}, "en", ""),
    ],
)
@on_stage
async def test_language_and_colours_are_those_that_were_chosen(
    stage: Stage, query: str, headers: dict[str, str], language: str, theme: str
) -> None:
    path = f"/claim?agent={(await stage.agent()).id}{query}"
    page = (await stage.client.get(path, headers=headers)).text
    assert f'<html lang="{language}"{theme}>' in page
    assert f'action="/claim?lang={language}"' in page
    assert f"&amp;lang={'en' if language == 'de' else 'de'}" in page


@on_stage
async def test_a_refusal_is_in_the_language_of_the_form(stage: Stage) -> None:
    answer = await stage.ask("GET", "/claim?agent=nobody&lang=de")
    assert answer.status_code == 404 and "Diesen Agenten gibt es nicht" in answer.text


@on_stage
async def test_names_are_shown_as_text(stage: Stage) -> None:
    agent = await stage.agent("ab", "<b>&'\"")
    page = (await stage.ask("GET", f"/claim?agent={agent.id}")).text
    assert "&lt;b&gt;&amp;&#x27;&quot;" in page and "<b>" not in page
    done = (await claim(stage, agent, displayName="<script>alert(1)</script>")).text
    assert "&lt;script&gt;" in done and "<script" not in done


@pytest.mark.parametrize("missing", ["agent", "code", "displayName"])
@on_stage
async def test_every_field_is_needed(stage: Stage, missing: str) -> None:
    answer = await claim(stage, await stage.agent(), **{missing: None})
    assert answer.status_code == 400 and f"{missing}: is needed" in answer.text


@pytest.mark.parametrize("body", [b"\xff\xfe", b"%ff=%ff", b"&" * 5000, b'{"agent": "x"}', b""])
@on_stage
async def test_what_is_no_form_is_refused(stage: Stage, body: bytes) -> None:
    answer = await stage.ask("POST", "/claim", body)
    assert answer.status_code == 400 and answer.headers["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("query", ["", "?agent=", "?agent=nobody", "?agent=house:easy", "?agent=%00"])
@on_stage
async def test_an_agent_that_is_not_there_cannot_be_claimed(stage: Stage, query: str) -> None:
    answer = await stage.ask("GET", f"/claim{query}")
    assert answer.status_code == 404 and "no such agent" in answer.text


@on_stage
async def test_the_page_takes_no_other_method(stage: Stage) -> None:
    answer = await stage.ask("DELETE", "/claim")
    assert answer.status_code == 405 and answer.headers["Allow"] == "GET, HEAD, POST"
    assert answer.headers["Content-Type"].startswith("text/html")


@on_a_strict_stage
async def test_tries_are_counted(stage: Stage) -> None:
    agent = await stage.agent()
    statuses = [(await claim(stage, agent, code="wrong")).status_code for _ in range(6)]
    assert statuses == [403] * 4 + [429] * 2
