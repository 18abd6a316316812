"""How a person becomes the owner of an agent: a page with a form, which needs the code that the agent was given."""

from __future__ import annotations

from urllib.parse import parse_qs

from starlette.responses import Response

from ludus.core.errors import LudusError
from ludus.server.arena.asking import Ask
from ludus.server.arena.errors import InvalidInput, answer_to
from ludus.server.arena.identity import known_agent
from ludus.server.arena.pages import claim_form, claimed_page, language_of, problem_text

FIELDS = ("agent", "code", "displayName")


async def show(ask: Ask) -> Response:
    agent = await known_agent(ask.arena, ask.query("agent") or "")
    language = language_of(ask.request.headers)
    return claimed_page(agent, language) if agent.owner is not None else claim_form(agent, language=language)


async def claim(ask: Ask) -> Response:
    form, language = await _form(ask), language_of(ask.request.headers)
    agent = await known_agent(ask.arena, form["agent"])
    try:
        return claimed_page(await ask.arena.agents.claim(agent.id, form["code"], form["displayName"]), language)
    except LudusError as error:
        status, body = answer_to(error)
        if status not in (400, 403):
            raise
        problem = problem_text(body["error"], language) or "; ".join(body["details"])
        return claim_form(agent, problem, status, language)


async def _form(ask: Ask) -> dict[str, str]:
    """The fields, without the spaces that get around a text that is copied."""
    try:
        sent = parse_qs((await ask.request.body()).decode(), keep_blank_values=True, max_num_fields=10, errors="strict")
    except ValueError:  # also half a character
        sent = {}
    missing = [f"{name}: is needed" for name in FIELDS if name not in sent]
    if missing:
        raise InvalidInput(*missing)
    return {name: sent[name][-1].strip() for name in FIELDS}
