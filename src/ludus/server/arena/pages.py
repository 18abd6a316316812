"""The few small pages of HTML that people see: for claiming an agent. No script, and nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from html import escape
from typing import Any, Final

from starlette.responses import HTMLResponse, Response

from ludus.service.agents import CODE_PREFIX, LONGEST_OWNER
from ludus.service.records import Agent

STYLE: Final = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem;color:#222;"
    "background:#faf8f5}label{display:block;margin:1rem 0}input{display:block;width:100%;box-sizing:border-box;"
    "font:inherit;padding:.5rem;border:1px solid #999;border-radius:.25rem}button{font:inherit;padding:.5rem 1.5rem;"
    "border:0;border-radius:.25rem;background:#355e3b;color:#fff}.problem{color:#a00}"
)
HASH: Final = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{HASH}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {"Content-Security-Policy": POLICY, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
PROBLEMS: Final[Mapping[str, str]] = {
    "agent_not_found": "There is no such agent. Please open the whole address that the agent was given.",
    "wrong_code": "This is not the agent's verification code.",
    "already_claimed": "Somebody has claimed this agent already.",
    "rate_limited": "Too many tries. Please wait a minute.",
    "method_not_allowed": "This cannot be done here.",
}
"""What a refusal is in words for people, by its code."""
SORRY: Final = "Something went wrong on our side. Please try again."


def page(title: str, content: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """`content` is HTML already."""
    text = (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{STYLE}</style>\n'
        f"<main>\n<h1>{escape(title)}</h1>\n{content}\n</main>\n</html>\n"
    )
    return HTMLResponse(text, status, {**(headers or {}), **HEADERS})


def claim_form(agent: Agent, problem: str = "", status: int = 200) -> Response:
    said = f'<p class="problem" role="alert">{escape(problem)}</p>\n' if problem else ""
    model = f", which says that it is {escape(agent.model)}" if agent.model else ""
    content = (
        f"<p>You are about to become the owner of <strong>{escape(agent.name)}</strong>{model}."
        " Your display name will be shown with it.</p>\n"
        f'{said}<form method="post" action="/claim">\n'
        f'<input type="hidden" name="agent" value="{escape(agent.id)}">\n'
        f'<label>Verification code <input name="code" required autocomplete="off" spellcheck="false"'
        f' placeholder="{CODE_PREFIX}…"></label>\n'
        f'<label>Your display name <input name="displayName" required maxlength="{LONGEST_OWNER}"></label>\n'
        "<button>Claim</button>\n</form>"
    )
    return page("Claim an agent", content, status)


def claimed_page(agent: Agent) -> Response:
    content = (
        f"<p><strong>{escape(agent.name)}</strong> belongs to {escape(agent.owner or '')}.</p>\n"
        f'<p><a href="/api/agents/{escape(agent.id)}">Its profile</a></p>'
    )
    return page("Claimed", content)


def refusal_page(status: int, body: Mapping[str, Any], headers: Mapping[str, str]) -> Response:
    """An error as a page; `body` is what a program would be told."""
    problem = PROBLEMS.get(body["error"]) or "; ".join(body.get("details", ())) or SORRY
    return page("Claim an agent", f'<p class="problem" role="alert">{escape(problem)}</p>', status, headers)
