"""The few pages of HTML that the arena itself writes: for claiming an agent. They run no script."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any, Final, NamedTuple

from starlette.responses import HTMLResponse, Response

from ludus.server.arena.pages_texts import TEXTS
from ludus.server.web import assets as web_assets
from ludus.service.agents import CODE_PREFIX, LONGEST_OWNER
from ludus.service.records import Agent

POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {"Content-Security-Policy": POLICY, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
PLACES: Final = {"play": "/", "watch": "/watch", "games": "/games", "embed": "/embed", "dashboard": "/dashboard"}
LOGO: Final = (
    '<svg viewBox="0 0 24 24" class="icon" aria-hidden="true"><rect x="2" y="2" width="20" height="20" rx="5.5"'
    ' class="logo-back"/><circle cx="12" cy="12" r="6.2" class="logo-piece"/><circle cx="12" cy="12" r="3.4"'
    ' class="logo-ring"/></svg>'
)


class Reader(NamedTuple):
    """How somebody reads: in which language, and what the switches of the page say of its colours, if anything."""

    language: str = "en"
    theme: str = ""


def reader_of(headers: Mapping[str, str], asked: str | None = None) -> Reader:
    """As the address asks, or the page's own switches, or the browser."""
    kept = _kept(headers.get("cookie", ""))
    first = headers.get("accept-language", "").partition(",")[0].strip()
    wanted = asked or kept.get("ludus-language") or first
    theme = kept.get("ludus-theme", "")
    return Reader("de" if wanted.lower().startswith("de") else "en", theme if theme in ("light", "dark") else "")


def _kept(cookies: str) -> dict[str, str]:
    """What the page's switches have left."""
    pairs = (each.strip().partition("=") for each in cookies.split(";"))
    return {name: value for name, _, value in pairs}


def page(
    title: str,
    content: str,
    reader: Reader,
    status: int = 200,
    *,
    headers: Mapping[str, str] | None = None,
    switch: str = "",
) -> Response:
    """`content` is HTML already; `switch` is the address of the same in the other language, without the language."""
    base, language, texts = web_assets.own().base, reader.language, TEXTS[reader.language]
    theme = f' data-theme="{reader.theme}"' if reader.theme else ""
    links = "".join(f'<a href="{path}">{escape(texts[name])}</a>' for name, path in PLACES.items())
    text = (
        f'<!doctype html>\n<html lang="{language}"{theme}>\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(title)} · Ludus</title>\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<link rel="icon" type="image/svg+xml" href="{base}/icon.svg">\n'
        f'<link rel="stylesheet" href="{base}/style.css">\n</head>\n<body class="bare">\n'
        f'<header class="top"><a class="logo" href="/" aria-label="{escape(texts["home"])}">{LOGO}'
        "<span>Ludus</span></a>"
        f'<nav class="nav" aria-label="{escape(texts["pages"])}">{links}</nav>{_other(language, switch)}</header>\n'
        f'<main id="main" class="page narrow"><div class="card stack">\n<h1>{escape(title)}</h1>\n{content}\n</div>'
        "</main>\n</body>\n</html>\n"
    )
    return HTMLResponse(text, status, {**(headers or {}), **HEADERS, "Vary": "Accept-Language, Cookie"})


def _other(language: str, switch: str) -> str:
    """A link to the same in the other language."""
    if not switch:
        return ""
    other = "en" if language == "de" else "de"
    label = escape(TEXTS[other]["speak"])
    link = f'<a class="switch" lang="{other}" aria-label="{label}" href="{escape(switch)}&amp;lang={other}">'
    return f'<div class="switches">{link}{other.upper()}</a></div>'


def claim_form(agent: Agent, reader: Reader, problem: str = "", status: int = 200, owner: str = "") -> Response:
    """`owner` is what was typed before."""
    texts = TEXTS[reader.language]
    said = f'<p class="note bad" role="alert">{escape(problem)}</p>\n' if problem else ""
    model = texts["model"].format(model=escape(agent.model)) if agent.model else ""
    about = texts["about"].format(name=f"<strong>{escape(agent.name)}</strong>", model=model)
    content = (
        f'<p>{about}</p>\n{said}<form method="post" action="/claim?lang={reader.language}"><div class="stack">\n'
        f'<input type="hidden" name="agent" value="{escape(agent.id)}">\n'
        f'<label>{escape(texts["code"])} <input name="code" required autocomplete="off" spellcheck="false"'
        f' placeholder="{CODE_PREFIX}…"></label>\n'
        f'<label>{escape(texts["name"])} <input name="displayName" required autocomplete="nickname"'
        f' maxlength="{LONGEST_OWNER}" value="{escape(owner)}"></label>\n'
        f'<p class="hint">{escape(texts["hint"])}</p>\n'
        f'<button class="primary">{escape(texts["claim"])}</button>\n</div></form>'
    )
    return page(texts["title"], content, reader, status, switch=_address(agent))


def _address(agent: Agent) -> str:
    return f"/claim?agent={agent.id}"


def claimed_page(agent: Agent, reader: Reader) -> Response:
    texts = TEXTS[reader.language]
    name, owner = f"<strong>{escape(agent.name)}</strong>", escape(agent.owner or "")
    content = (
        f'<p class="note good">{texts["belongs"].format(name=name, owner=owner)}</p>\n'
        f'<p><a class="button" href="/agents/{escape(agent.id)}">{escape(texts["profile"])}</a></p>'
    )
    return page(texts["claimed"], content, reader, switch=_address(agent))


def problem_text(code: str, language: str) -> str | None:
    """What a refusal is in words for people, where there are some."""
    return TEXTS[language].get(f"problem.{code}")


def refusal_page(status: int, body: Mapping[str, Any], headers: Mapping[str, str], reader: Reader) -> Response:
    """An error as a page; `body` is what a program would be told."""
    texts = TEXTS[reader.language]
    problem = problem_text(body["error"], reader.language) or "; ".join(body.get("details", ())) or texts["sorry"]
    said = f'<p class="note bad" role="alert">{escape(problem)}</p>'
    return page(texts["title"], said, reader, status, headers=headers)
