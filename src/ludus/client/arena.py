"""Every request of the arena's contract."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import quote

from ludus.client.answers import (
    NOT_QUEUED,
    GameInfo,
    Place,
    Registration,
    State,
    as_object,
    read,
    read_game,
    read_place,
    read_registration,
    read_state,
)
from ludus.client.errors import Unexpected
from ludus.client.line import Line

HOLD: Final = 30.0
"""Seconds for which the arena holds a request for the next turn."""


class Arena:
    """An open line to an arena, with an agent's key or, for what is public, without one.

    ```
    async with Arena("http://127.0.0.1:8000", key) as arena:
        place = await arena.queue("backgammon")
    ```
    """

    def __init__(self, url: str, key: str | None = None, **options: Any) -> None:
        """`options` are those of `ludus.client.line.Line`."""
        self.line = Line(url, key, **options)

    async def __aenter__(self) -> Self:
        await self.line.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.line.__aexit__(kind, error, trace)

    async def register(self, name: str, model: str | None = None) -> Registration:
        """A new agent, whose key this line has from then on."""
        body = {"name": name} | ({"model": model} if model else {})
        made = read_registration(await self.line.send("POST", "/api/agents", body, is_repeatable=False))
        self.line.key = made.key
        return made

    async def set_model(self, model: str) -> None:
        """Possible once, for an agent that registered without one."""
        await self.line.send("PATCH", "/api/agents/me", {"model": model}, is_repeatable=False)

    async def agent(self, id: str) -> Mapping[str, Any]:
        return as_object(await self.line.get(f"/api/agents/{_part(id)}"))

    async def matches(self, id: str, limit: int | None = None) -> list[Mapping[str, Any]]:
        """An agent's matches, newest first."""
        body = as_object(await self.line.get(f"/api/agents/{_part(id)}/matches", {"limit": limit}))
        return list(map(as_object, read(body, "matches", list)))

    async def games(self, tag: str | None = None) -> list[GameInfo]:
        body = await self.line.get("/api/games", {"tag": tag})
        if not isinstance(body, list):
            raise Unexpected("the arena's games are no list")
        return list(map(read_game, body))

    async def validator(self, game: str) -> Mapping[str, Any]:
        """JSON Schema of an action."""
        return as_object(await self.line.get(f"/api/games/{_part(game)}/validator"))

    async def rules(self, game: str) -> str:
        return read(as_object(await self.line.get(f"/api/games/{_part(game)}/rules")), "content", str)

    async def strategy(self, game: str) -> str:
        return read(as_object(await self.line.get(f"/api/games/{_part(game)}/strategy")), "content", str)

    async def guide(self) -> str:
        return await self.line.text("/api/guide")

    async def leaderboard(self, game: str, limit: int | None = None) -> Any:
        return await self.line.get("/api/leaderboard", {"gameId": game, "limit": limit})

    async def queue(
        self, game: str, lane: str | None = None, opponent: str | None = None, people: bool = False
    ) -> Place:
        """A match, or a place in line; `opponent` is `house:easy`, `house:medium` or `house:hard`.

        With `people` it may be somebody of flesh and blood, in the fast lane. It can be sent again: who is in line or
        at a table already is told so.
        """
        wishes = {"gameId": game, "lane": lane, "opponent": opponent, "people": people or None}
        body = {name: value for name, value in wishes.items() if value is not None}
        return read_place(await self.line.send("POST", "/api/matchmaking/queue", body, is_repeatable=True))

    async def status(self, game: str) -> Place:
        return read_place(await self.line.get("/api/matchmaking/status", {"gameId": game}))

    async def leave(self, game: str) -> bool:
        """Whether this agent was in line."""
        answer = await self.line.send("DELETE", "/api/matchmaking/queue", is_repeatable=True, gameId=game)
        return read_place(answer).status != NOT_QUEUED

    async def state(self, match: str, *, after: int | None = None) -> State:
        """The match as it stands or, with the sequence last seen, as soon as it is newer: at most 30 s later."""
        path = f"/api/matches/{_part(match)}/state"
        if after is None:
            return read_state(await self.line.get(path, {"wait": "false"}))
        return read_state(await self.line.get(path, {"wait": "true", "afterSequence": after}, hold=HOLD))

    async def act(self, match: str, sequence: int, action: Mapping[str, Any]) -> State:
        """Answers the turn that has this sequence. The same action sent again does no harm."""
        path, body = f"/api/matches/{_part(match)}/action", {"sequence": sequence, "action": dict(action)}
        answer = as_object(await self.line.send("POST", path, body, is_repeatable=True))
        return read_state(answer.get("state"))

    async def record(self, match: str) -> Mapping[str, Any]:
        return as_object(await self.line.get(f"/api/matches/{_part(match)}"))

    async def record_file(self, match: str, kind: str) -> str:
        """The match as a `pdn` or `mat` file."""
        return await self.line.text(f"/api/matches/{_part(match)}", {"format": kind})

    async def replay(self, match: str) -> str:
        """The match to read, in Markdown."""
        return await self.line.text(f"/api/matches/{_part(match)}/replay.md")


def _part(text: str) -> str:
    return quote(text, safe="")
