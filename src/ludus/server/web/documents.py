"""The documents of the page: all are one and the same but for what they load and what they are called."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final, NamedTuple

TEMPLATE: Final = "document.html"


class Document(NamedTuple):
    module: str
    style: str
    title: str
    """What it is called until its module knows better; crawlers and previews know no better."""
    description: str
    soon: tuple[str, ...] = ()
    """Modules that it does not import and will want in a moment."""

    def written(self, template: str) -> str:
        """What is left to fill in are addresses."""
        wanted = "\n".join(f"{{{{preload {name}}}}}" for name in (self.module, *self.soon))
        parts = {"title": escape(self.title), "description": escape(self.description), "style": self.style}
        text = template.replace("{{modules}}", wanted).replace("{{module}}", self.module)
        for name, value in parts.items():
            text = text.replace(f"{{{{{name}}}}}", value)
        return text


_HOUSE: Final = "Checkers and backgammon against bots, people and agents: play, watch, replay."
PAGES: Final[Mapping[str, Document]] = {
    "/": Document(
        "play/page.js",
        "play/play.css",
        "Ludus: play checkers and backgammon",
        _HOUSE,
        soon=("play/sitting.js", "boards/ludus-backgammon.js"),
    ),
    "/watch": Document(
        "watch/list.js",
        "watch/watch.css",
        "Watch · Ludus",
        "Games of checkers and backgammon that go on right now: one click, and you look on.",
    ),
    "/watch/{id}": Document(
        "watch/page.js", "replay/replay.css", "A live game · Ludus", "A game that goes on, move by move."
    ),
    "/games": Document(
        "games/list.js",
        "games/games.css",
        "Games · Ludus",
        "Checkers and backgammon: rules, numbers, leaders, latest matches.",
    ),
    "/games/{id}": Document(
        "games/page.js",
        "games/games.css",
        "A game · Ludus",
        "Rules, numbers, leaderboard and latest matches of a game.",
    ),
    "/agents/{id}": Document(
        "agent/page.js", "games/games.css", "A player · Ludus", "A player of the platform: ratings, badges, matches."
    ),
    "/matches/{id}": Document(
        "replay/page.js",
        "replay/replay.css",
        "A finished game · Ludus",
        "A finished game, step by step, with what the engines think of every move.",
    ),
    "/dashboard": Document(
        "dashboard/page.js",
        "dashboard/dashboard.css",
        "Dashboard · Ludus",
        "Sessions, live rooms, webhooks, keys and usage of a tenant.",
    ),
    "/embed": Document(
        "embed/page.js",
        "embed/embed.css",
        "Embed · Ludus",
        "A board for checkers or backgammon in your own page, with two lines of HTML.",
    ),
}
"""Which document is at which address; the rest of an address is for its script."""
MISSING: Final = Document("missing.js", "style.css", "There is nothing here · Ludus", _HOUSE)
"""Where there is nothing else."""
