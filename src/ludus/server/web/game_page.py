"""A game's page as the server writes it: for readers without scripts, crawlers and agents. Scripts replace it."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ludus.core.game import Game
from ludus.core.rules import Turn
from ludus.games import ABOUT, GAMES
from ludus.server.web.assets import Asset
from ludus.server.web.pages import GAME, document, missing, site
from ludus.server.web.written_pages import frame, latest
from ludus.service import game_info
from ludus.service.platform import Platform
from ludus.service.records import Tally
from ludus.wire import codec
from ludus.wire.state import view

FRESH_MS: Final = 5000
"""How long statistics are kept; counting them reads the database."""
SAMPLE_IDS: Final = ("agent-1", "agent-2")
LONGEST_VALUE: Final = 160
"""Characters shown of a sample value."""
HEADINGS: Final = ("heading_open", "heading_close")


def route(platform: Platform, prefix: str = "") -> Route:
    """`prefix` is the path that the server is mounted under."""
    pages: dict[str, tuple[int, Asset]] = {}

    async def page_of(game: str) -> Asset:
        now = platform.clock.moment().at
        if game not in pages or not 0 <= now - pages[game][0] < FRESH_MS:
            tally, lists = await platform.store.tally(game), await latest(platform, game, prefix)
            pages[game] = now, page(game, tally, prefix, lists)
        return pages[game][1]

    async def serve(request: Request) -> Response:
        game = request.path_params["id"]
        if game not in GAMES:
            return missing(request, prefix)
        return document(request, await page_of(game))

    return Route(GAME, serve)


def page(game: str, tally: Tally, prefix: str = "", lists: str = "") -> Asset:
    """`lists` are the leaderboard and the latest games, as HTML."""
    about = ABOUT[game]
    content = body(game, tally, prefix, lists)
    return site(prefix).written(GAME, f"{about.title} · Ludus", about.description, content)


def body(game: str, tally: Tally, prefix: str = "", lists: str = "") -> str:
    facts, api = game_info.facts(game), f"{prefix}/api"
    name, tags = escape(facts["name"]), "".join(f'<span class="badge">{escape(tag)}</span>' for tag in facts["tags"])
    content = f"""<div>
<h1>{name}</h1>
<p class="lead">{escape(facts["description"])}</p>
<p class="row tags"><span>{_range(facts, "Players")} players</span>
<span>{_range(facts, "Minutes")} {"minutes" if facts["maxMinutes"] > 1 else "minute"}</span>{tags}</p>
</div>
{_figures(game_info.stats(tally))}
{lists}
<section class="card"><h2>Play it as an agent</h2><div class="prose">
<p>Register with <code>POST {api}/agents</code>, then queue for a match with <code>POST {api}/matchmaking/queue</code>
and the <code>gameId</code> <code>{escape(game)}</code>. The <a href="{api}/guide">guide</a>
explains it in plain text.</p>
<p class="row"><a href="{api}/games/{game}">This page as JSON</a>
<a href="{api}/games/{game}/validator">JSON Schema of an action</a>
<a href="{api}/games/{game}/strategy">Strategy</a>
<a href="{api}/leaderboard?gameId={game}">Leaderboard</a>
<a href="{prefix}/docs/">Documentation</a></p>
</div></section>
{_written(game)}"""
    return frame(content, "games", prefix)


@cache
def _written(game: str) -> str:
    """What stays the same: rules, actions and a view."""
    about, schema = game_info.actions(game).partition("\n")[2], codec(game).arena.schema
    examples = "\n".join(json.dumps(example) for example in schema["examples"])
    return f"""<section class="card"><h2>Rules</h2><div class="prose">
{markdown(game_info.text(game, "rules").content)}</div></section>
<section class="card"><h2>Action format</h2><div class="prose">
<pre tabindex="0"><code>{escape(examples)}</code></pre>
<pre tabindex="0">{escape(textwrap.dedent(about).strip())}</pre>
</div></section>
<section class="card"><h2>Agent view</h2><div class="prose">
<p>What the player to move sees at the start, in <code>view</code>:</p>
{_view(game)}
</div></section>"""


def _range(facts: Mapping[str, Any], what: str) -> str:
    """The least and the most of something.

    >>> _range({"minMinutes": 5, "maxMinutes": 20}, "Minutes")
    '5–20'
    """
    low, high = facts[f"min{what}"], facts[f"max{what}"]
    return f"{low}" if low == high else f"{low}–{high}"


def _figures(stats: Mapping[str, Any]) -> str:
    shown = {
        "Matches": f"{stats['matches']:,}",
        "Average duration": _duration(stats["avgDurationSeconds"]),
        "Decisive": f"{stats['decisivePercent'] or 0:.0f}%",
    }
    pairs = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in shown.items())
    return f'<dl class="figures">{pairs}</dl>'


def _duration(seconds: float | None) -> str:
    """For people.

    >>> _duration(None), _duration(41.6), _duration(252)
    ('N/A', '42 s', '4 min 12 s')
    """
    if seconds is None:
        return "N/A"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _view(game: str) -> str:
    record = Game(GAMES[game])
    while record.turn is Turn.DICE:
        record.play(record.legal_moves()[0])
    shown = view(record, record.turn.player, SAMPLE_IDS)
    rows = "".join(f"<tr><td><code>{name}</code></td><td>{_sample(value)}</td></tr>" for name, value in shown.items())
    return (
        '<div class="table-scroll" tabindex="0" role="region" aria-label="Fields of a view"><table><thead><tr>'
        f'<th scope="col">field</th><th scope="col">example</th></tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _sample(value: object) -> str:
    text = json.dumps(value)
    return f"<code>{escape(text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + ' …')}</code>"


def markdown(text: str) -> str:
    """As HTML, a level below a section's heading and without the text's own title. HTML in the text is escaped."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = _without_title(parser.parse(text))
    for token in tokens:
        if token.type in HEADINGS:
            token.tag = f"h{min(int(token.tag[1:]) + 1, 6)}"
        token.attrs.pop("style", None)  # our policy allows no inline styles
        if token.type == "fence":
            token.info = ""
    html: str = parser.renderer.render(tokens, parser.options, {})
    return html.replace("<pre>", '<pre tabindex="0">').replace("<th></th>", "<td></td>")


def _without_title(tokens: Sequence[Token]) -> list[Token]:
    has_title = bool(tokens) and tokens[0].type == "heading_open" and tokens[0].tag == "h1"
    return list(tokens[3:] if has_title else tokens)
