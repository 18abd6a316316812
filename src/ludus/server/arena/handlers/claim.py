"""How a person becomes the owner of an agent: a page with a form, which needs the code that the agent was given."""

from __future__ import annotations

from urllib.parse import parse_qs

from starlette.responses import Response

from ludus.core.errors import LudusError
from ludus.server.arena.asking import Ask
from ludus.server.arena.errors import InvalidInput, answer_to
from ludus.server.arena.handlers.identity import known_agent
from ludus.server.arena.pages import Reader, claim_form, claimed_page, problem_text, reader_of

FIELDS = ("agent", "code", "displayName")


async def show(ask: Ask) -> Response:
    agent = await known_agent(ask.arena, ask.query("agent") or "")
    reader = _reader(ask)
    return claimed_page(agent, reader) if agent.owner is not None else claim_form(agent, reader)


async def claim(ask: Ask) -> Response:
    form, reader = await _form(ask), _reader(ask)
    agent = await known_agent(ask.arena, form["agent"])
    try:
        return claimed_page(await ask.arena.agents.claim(agent.id, form["code"], form["displayName"]), reader)
    except LudusError as error:
        status, body = answer_to(error)
        if status not in (400, 403):
            raise
        problem = problem_text("bad_name" if status == 400 else body["error"], reader.language) or str(error)
        return claim_form(agent, reader, problem, status, form["displayName"])


def _reader(ask: Ask) -> Reader:
    return reader_of(ask.request.headers, ask.request.query_params.get("lang"))


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
