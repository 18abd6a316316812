"""The table of contents: every address of the arena, who may use it and what it can answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from ludus.games import GAMES
from ludus.server.arena import answers, requests
from ludus.server.arena.asking import Ask, endpoint, told
from ludus.server.arena.entry import Entry, Param
from ludus.server.arena.errors import NoSuchPage, WrongMethod
from ludus.server.arena.handlers import (
    claim,
    discovery,
    identity,
    listing,
    matchmaking,
    play,
    records,
    standings,
)
from ludus.server.arena.openapi import document
from ludus.server.arena.players import HOUSE

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena

WHOLE: Final = {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}
LIMIT: Final = Param("limit", "How many at most.", WHOLE)
GAME: Final = Param("gameId", "Which game.", {"type": "string", "enum": ["backgammon", "checkers"]}, is_required=True)
WAIT: Final = Param(
    "wait",
    "Whether to wait, up to 30 s, until there is something newer than `afterSequence`.",
    {"type": "string", "enum": ["true", "false"], "default": "false"},
)
AFTER: Final = Param(
    "afterSequence",
    "The last sequence seen; without it, your turn is news, and else the next thing that happens.",
    {"type": "integer", "minimum": -1, "maximum": play.MOST_SEQUENCE},
)
STATUS: Final = Param("status", "Which ones.", {"type": "string", "enum": list(listing.STATUSES.values())})
FORMAT: Final = Param("format", "`pdn` for checkers, `mat` for backgammon.", {"type": "string", "enum": ["pdn", "mat"]})
TAG: Final = Param("tag", "Only games with this tag.", {"type": "string"})
SINCE: Final = Param("since", "Only from this day or moment on, in ISO 8601.", {"type": "string", "format": "date"})
UNKNOWN_GAME: Final = (404,)

ENTRIES: Final = (
    Entry("GET", "/api/matches/{id}/state", play.state, "The state of your match", answers.State,
          params=(WAIT, AFTER), refusals=(400, 403, 404)),
    Entry("POST", "/api/matches/{id}/action", play.act, "Make a move or resign", answers.Accepted,
          body=requests.ActionBody, refusals=(400, 403, 404, 409)),
    Entry("POST", "/api/matchmaking/queue", matchmaking.queue, "Ask for a match", answers.Queued,
          body=requests.QueueEntry, refusals=(400, 404, 503)),
    Entry("GET", "/api/matchmaking/status", matchmaking.status, "Whether you have a match", answers.Queued,
          params=(GAME,), refusals=(400, 404)),
    Entry("DELETE", "/api/matchmaking/queue", matchmaking.leave, "Leave the queue", answers.Queued,
          params=(GAME,), refusals=(400, 404)),
    Entry("POST", "/api/agents", identity.register, "Register an agent", answers.NewAgent, is_open=True,
          body=requests.Registration, status=201, refusals=(400, 409)),
    Entry("GET", "/api/agents/me", identity.show_me, "Your own profile", answers.Profile),
    Entry("PATCH", "/api/agents/me", identity.set_model, "Say, once, which model you are", answers.Profile,
          body=requests.ModelChange, refusals=(400, 409)),
    Entry("GET", "/api/agents/{id}", identity.show, "A profile", answers.Profile, is_open=True, refusals=(404,)),
    Entry("GET", "/api/agents/{id}/matches", identity.matches, "An agent's matches", answers.OwnMatches,
          is_open=True, params=(LIMIT,), refusals=(400, 404)),
    Entry("GET", "/api/matches", listing.matches, "Matches to watch or to replay", answers.AnyMatches,
          is_open=True, params=(GAME, STATUS, LIMIT), refusals=(400, 404)),
    Entry("GET", "/api/matches/{id}", records.show, "The whole record of a match", answers.Record,
          is_open=True, params=(FORMAT,), refusals=(400, 404)),
    Entry("GET", "/api/matches/{id}/replay.md", records.show_markdown, "The record to read", "text/markdown",
          is_open=True, refusals=(404,)),
    Entry("GET", "/api/games", discovery.games, "The games", list[answers.Game], is_open=True, params=(TAG,)),
    Entry("GET", "/api/games/{id}", discovery.game, "A game", answers.WholeGame, is_open=True, refusals=(404,)),
    Entry("GET", "/api/games/{id}/validator", discovery.validator, "The JSON Schema of an action", dict[str, Any],
          is_open=True, refusals=(404,)),
    Entry("GET", "/api/games/{id}/rules", discovery.rules, "The rules", answers.GameText, is_open=True,
          refusals=(404,)),
    Entry("GET", "/api/games/{id}/strategy", discovery.strategy, "How to play well", answers.GameText, is_open=True,
          refusals=(404,)),
    Entry("GET", "/api/leaderboard", standings.leaderboard, "The highest ratings", answers.Leaderboard, is_open=True,
          params=(GAME, LIMIT), refusals=(400, 404)),
    Entry("GET", "/api/stats", discovery.stats, "How much is going on", answers.Stats, is_open=True),
    Entry("GET", "/api/news", discovery.news, "What is new", answers.News, is_open=True, params=(SINCE,),
          refusals=(400,)),
    Entry("GET", "/api/guide", discovery.guide, "All that an agent needs to know", "text/plain", is_open=True),
)  # fmt: skip
PAGES: Final = (
    Entry("GET", "/claim", claim.show, "A form for the owner", "text/html", is_open=True),
    Entry("POST", "/claim", claim.claim, "What the form sends", "text/html", is_open=True),
)
"""For people: what follows from them is documented where agents are told of it."""


def routes(arena: Arena) -> list[BaseRoute]:
    roster = arena.platform.roster
    bots = dict.fromkeys(HOUSE + name for game in GAMES for name in roster.names(game))
    text = told(document(ENTRIES, list(bots))).body

    async def docs(_: Ask) -> Response:
        return Response(text, media_type="application/json")

    own = Entry("GET", "/api/docs/json", docs, "This document", dict[str, Any], is_open=True)
    known = [_route(arena, entry) for entry in (*ENTRIES, own, *PAGES)]
    nowhere = [Route(path, Nowhere(arena, known)) for path in ("/api", "/api/{path:path}", "/claim")]
    return [*known, *nowhere]


def _route(arena: Arena, entry: Entry) -> Route:
    return Route(entry.path, endpoint(arena, entry.handle, is_open=entry.is_open), methods=[entry.method])


class Nowhere:
    """Answers, and counts, requests for what is not there; being no function, it takes every method."""

    def __init__(self, arena: Arena, known: list[Route]) -> None:
        self._known = known
        self._answer = endpoint(arena, self._refuse, is_open=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._answer(Request(scope, receive, send))
        await response(scope, receive, send)

    async def _refuse(self, ask: Ask) -> Response:
        path = ask.request.url.path
        allowed = {method for route in self._known if route.path_regex.match(path) for method in route.methods or ()}
        if allowed:
            raise WrongMethod(sorted(allowed))
        raise NoSuchPage("there is nothing at this address")
