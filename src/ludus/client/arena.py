"""Every request of the arena's contract."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote

from ludus.client.errors import Unexpected
from ludus.client.http import HttpClient
from ludus.client.responses import (
    NOT_QUEUED,
    GameInfo,
    OwnTournament,
    QueueStatus,
    Registration,
    State,
    as_object,
    field,
    parse_game,
    parse_own_tournament,
    parse_queue_status,
    parse_registration,
    parse_state,
)

HOLD: Final = 30.0
"""Seconds that the arena holds a request for the next turn."""


TimeControl = str | Mapping[str, Any]
"""A time control as text, such as `5+3`, or as the object that the arena shows."""


class Arena:
    """A connection to an arena, with an agent's key or, for what is public, without one.

    ```
    async with Arena("http://127.0.0.1:8000", key) as arena:
        status = await arena.queue("backgammon")
    ```
    """

    def __init__(self, url: str, key: str | None = None, **options: Any) -> None:
        """`options` are those of `ludus.client.http.HttpClient`."""
        self.http = HttpClient(url, key, **options)

    async def __aenter__(self) -> Self:
        await self.http.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.http.__aexit__(kind, error, trace)

    async def register(self, name: str, model: str | None = None) -> Registration:
        """Registers an agent and uses its key from then on."""
        body = {"name": name} | ({"model": model} if model else {})
        made = parse_registration(await self.http.send("POST", "/api/agents", body, is_repeatable=False))
        self.http.key = made.key
        return made

    async def set_model(self, model: str) -> None:
        """Sets the model, once, of an agent that registered without one."""
        await self.http.send("PATCH", "/api/agents/me", {"model": model}, is_repeatable=False)

    async def export(self) -> Mapping[str, Any]:
        """Everything that is stored about the agent."""
        return as_object(await self.http.get("/api/agents/me/export"))

    async def delete(self) -> None:
        """Deletes the agent; its key stops working, and its finished matches show a pseudonym."""
        await self.http.send("DELETE", "/api/agents/me", is_repeatable=False)

    async def agent(self, id: str) -> Mapping[str, Any]:
        return as_object(await self.http.get(f"/api/agents/{_part(id)}"))

    async def matches(self, id: str, limit: int | None = None) -> list[Mapping[str, Any]]:
        """An agent's matches, newest first."""
        body = as_object(await self.http.get(f"/api/agents/{_part(id)}/matches", {"limit": limit}))
        return list(map(as_object, field(body, "matches", list)))

    async def games(self, tag: str | None = None) -> list[GameInfo]:
        body = await self.http.get("/api/games", {"tag": tag})
        if not isinstance(body, list):
            raise Unexpected("the arena's games are not a list")
        return list(map(parse_game, body))

    async def validator(self, game: str) -> Mapping[str, Any]:
        """The JSON Schema of an action."""
        return as_object(await self.http.get(f"/api/games/{_part(game)}/validator"))

    async def rules(self, game: str) -> str:
        return field(as_object(await self.http.get(f"/api/games/{_part(game)}/rules")), "content", str)

    async def strategy(self, game: str) -> str:
        return field(as_object(await self.http.get(f"/api/games/{_part(game)}/strategy")), "content", str)

    async def guide(self) -> str:
        return await self.http.get_text("/api/guide")

    async def leaderboard(self, game: str, limit: int | None = None) -> Any:
        return await self.http.get("/api/leaderboard", {"gameId": game, "limit": limit})

    async def queue(
        self,
        game: str,
        lane: str | None = None,
        opponent: str | None = None,
        people: bool = False,
        auto_pass: bool = True,
        time_control: TimeControl | None = None,
        *,
        match_length: int | None = None,
        cube: bool | None = None,
        jacoby: bool | None = None,
        beavers: bool | None = None,
    ) -> QueueStatus:
        """A match or a place in the queue; `opponent` is a house bot, such as `house:easy`.

        With `people` the opponent may be a person, in the fast lane. With `auto_pass` the arena passes for the agent
        if it has no legal move; without it, the arena asks, with empty `legalMoves`. Opponents are those who chose the
        same `time_control` and options: in backgammon a match to `match_length` points, or a game with a `cube`. Safe
        to repeat: an agent that is already queued or in a match stays there.
        """
        options = {
            "gameId": game,
            "lane": lane,
            "opponent": opponent,
            "people": people or None,
            "autoPass": auto_pass or None,
            "timeControl": time_control,
            "matchLength": match_length,
            "cube": cube,
            "jacoby": jacoby,
            "beavers": beavers,
        }
        body = {name: value for name, value in options.items() if value is not None}
        return parse_queue_status(await self.http.send("POST", "/api/matchmaking/queue", body, is_repeatable=True))

    async def status(self, game: str) -> QueueStatus:
        return parse_queue_status(await self.http.get("/api/matchmaking/status", {"gameId": game}))

    async def leave(self, game: str) -> bool:
        """Leaves the queue; false if the agent was not in it."""
        answer = await self.http.send("DELETE", "/api/matchmaking/queue", is_repeatable=True, gameId=game)
        return parse_queue_status(answer).status != NOT_QUEUED

    async def tournaments(self) -> list[Mapping[str, Any]]:
        """The tournaments that can be entered or are running."""
        body = as_object(await self.http.get("/api/tournaments/active"))
        return list(map(as_object, field(body, "tournaments", list)))

    async def tournament(self, id: str) -> Mapping[str, Any]:
        """A tournament with its standings and pairings."""
        return as_object(await self.http.get(f"/api/tournaments/{_part(id)}"))

    async def own_tournament(self, id: str) -> OwnTournament:
        return parse_own_tournament(await self.http.get(f"/api/tournaments/{_part(id)}/me"))

    async def join_tournament(self, id: str) -> OwnTournament:
        """Safe to repeat."""
        path = f"/api/tournaments/{_part(id)}/join"
        return parse_own_tournament(await self.http.send("POST", path, {}, is_repeatable=True))

    async def withdraw(self, id: str) -> OwnTournament:
        """Withdraws the agent from all rounds to come. Safe to repeat."""
        path = f"/api/tournaments/{_part(id)}/withdraw"
        return parse_own_tournament(await self.http.send("POST", path, {}, is_repeatable=True))

    async def state(self, match: str, *, after: int | None = None) -> State:
        """The current state or, if `after` is the last sequence seen, the next one, after 30 s at most."""
        path = f"/api/matches/{_part(match)}/state"
        if after is None:
            return parse_state(await self.http.get(path, {"wait": "false"}))
        return parse_state(await self.http.get(path, {"wait": "true", "afterSequence": after}, hold=HOLD))

    async def act(self, match: str, sequence: int, action: Mapping[str, Any]) -> State:
        """Answers the turn with this sequence. Safe to repeat."""
        path, body = f"/api/matches/{_part(match)}/action", {"sequence": sequence, "action": dict(action)}
        answer = as_object(await self.http.send("POST", path, body, is_repeatable=True))
        return parse_state(answer.get("state"))

    async def record(self, match: str) -> Mapping[str, Any]:
        return as_object(await self.http.get(f"/api/matches/{_part(match)}"))

    async def record_file(self, match: str, kind: str) -> str:
        """The match as a game file; `kind` is the game's format, such as `pdn`."""
        return await self.http.get_text(f"/api/matches/{_part(match)}", {"format": kind})

    async def analyze(self, match: str) -> Mapping[str, Any]:
        """Has a finished match analyzed; the analysis so far. Safe to repeat."""
        return as_object(await self.http.send("POST", f"/api/matches/{_part(match)}/analysis", {}, is_repeatable=True))

    async def analysis(self, match: str, after: int = 0) -> Mapping[str, Any]:
        """The analysis so far, without its first `after` moves."""
        return as_object(await self.http.get(f"/api/matches/{_part(match)}/analysis", {"after": after}))

    async def replay(self, match: str) -> str:
        """The match as Markdown, for people."""
        return await self.http.get_text(f"/api/matches/{_part(match)}/replay.md")


def _part(text: str) -> str:
    return quote(text, safe="")
