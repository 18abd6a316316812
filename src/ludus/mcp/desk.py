"""What the tools do for one agent, in the arena's words: not_joined, no_match, waiting, your_turn, game_over."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from ludus.client.answers import MATCHED, NOT_QUEUED, GameOver, Place, State
from ludus.client.arena import Arena
from ludus.client.errors import Refused
from ludus.wire import text_codec
from ludus.wire.actions import PASS, is_pass

POLL_SECONDS: Final = 1.0


class Desk:
    """One agent's place in the arena; `seconds` is how long a turn is waited for."""

    def __init__(self, arena: Arena, seconds: float) -> None:
        self._arena = arena
        self._seconds = seconds
        self.match: str | None = None
        """The match that was last spoken of."""

    async def queue(self, game: str, lane: str | None, opponent: str | None) -> str:
        place = await self._arena.queue(game, lane, opponent)
        self.match = place.match
        if place.match:
            return f"matched: match {place.match}. Call get_turn."
        return f"{_in_line(game, place)}. Call get_turn; it waits for an opponent."

    async def leave(self, game: str | None) -> str:
        left = [await self._arena.leave(name) for name in ([game] if game else await self._game_names())]
        return "left. A match that has begun goes on." if any(left) else "you were in no line."

    async def turn(self, match: str | None = None) -> str:
        """How the agent's match stands, at the latest when the time is up."""
        until = asyncio.get_running_loop().time() + self._seconds
        found = match or self.match or await self._find_match(until)
        if found is None:
            return await self._without_match()
        self.match = found
        return await self._await_turn(await self._arena.state(found), until)

    async def act(self, said: object, token: int | None, match: str | None = None) -> str:
        """Plays, and then waits as `turn` does: mostly the next turn comes with the answer."""
        found = match or self.match or (await self._match_now())[0]
        if found is None:
            return await self._without_match()
        self.match = found
        state = await self._arena.state(found)
        if not state.is_your_turn:
            return self._told(state, "")
        action = text_codec(state.game).parse_action(state.view, said)
        after = await self._arena.act(found, state.sequence if token is None else token, action)
        until = asyncio.get_running_loop().time() + self._seconds
        return await self._await_turn(after, until)

    async def _await_turn(self, state: State, until: float) -> str:
        news = ""
        while True:
            if state.is_your_turn and is_pass(state.view):
                news += f"{text_codec(state.game).dice(state.view)}You had no legal move and passed.\n"
                state = await self._arena.act(state.match, state.sequence, PASS)
            elif state.over or state.is_your_turn or (newer := await self._newer(state, until)) is None:
                return self._told(state, news)
            else:
                state = newer

    async def _newer(self, state: State, until: float) -> State | None:
        """The next state, or None when the time is up."""
        left = until - asyncio.get_running_loop().time()
        if left <= 0:
            return None
        try:
            async with asyncio.timeout(left):
                newer = await self._arena.state(state.match, after=state.sequence)
                if newer == state:  # an arena that answers at once must not be asked without a pause
                    await asyncio.sleep(POLL_SECONDS)
                return newer
        except TimeoutError:
            return None

    async def _find_match(self, until: float) -> str | None:
        """A match of this agent, as soon as it has one; None if it stands in no line or the time is up."""
        while True:
            match, is_waiting = await self._match_now()
            if match or not is_waiting or asyncio.get_running_loop().time() + POLL_SECONDS > until:
                return match
            await asyncio.sleep(POLL_SECONDS)

    async def _match_now(self) -> tuple[str | None, bool]:
        """The match that the arena knows of, and whether the agent is in line for one."""
        places = [await self._arena.status(game) for game in await self._game_names()]
        match = next((place.match for place in places if place.status == MATCHED), None)
        return match, any(place.status not in (MATCHED, NOT_QUEUED) for place in places)

    async def _without_match(self) -> str:
        for game in await self._game_names():
            place = await self._arena.status(game)
            if place.status not in (MATCHED, NOT_QUEUED):
                return f"no_match: {_in_line(game, place)}. Call get_turn again."
        return "not_joined: call queue_match first."

    async def _game_names(self) -> list[str]:
        return [game.id for game in await self._arena.games()]

    def _told(self, state: State, news: str) -> str:
        if state.over:
            self.match = None
            return news + game_over_text(state.over)
        if not state.is_your_turn:
            return f"{news}waiting: the opponent is thinking. Call get_turn again."
        return news + turn_text(state)


def turn_text(state: State) -> str:
    text, view = text_codec(state.game), state.view
    until = f", until {state.turn_ends_at}" if state.turn_ends_at else ""
    return f"your_turn: {state.game}, {text.side(view)}; turnToken {state.sequence}{until}\n{text.turn(view)}"


def game_over_text(over: GameOver) -> str:
    rating = f" Rating {over.rating.before:.0f} to {over.rating.after:.0f}." if over.rating else ""
    badges = ", ".join(map(str, over.body.get("newBadges") or ()))
    more = f" New badges: {badges}." if badges else ""
    link = f" Replay: {over.body['replayMarkdownUrl']}" if over.body.get("replayMarkdownUrl") else ""
    return f"game_over: {over.outcome} ({over.reason}).{rating}{more}{link}"


def _in_line(game: str, place: Place) -> str:
    position = f", position {place.position}" if place.position is not None else ""
    return f"{place.status} for {game}{position}"


def refusal_text(refusal: Refused) -> str:
    hints: dict[str, Any] = {
        "invalid_action": " Take a number of the list of legal moves.",
        "stale_sequence": " Call get_turn.",
        "not_your_turn": " Call get_turn.",
        "game_already_over": " Call get_turn.",
        "game_not_found": " list_games has the ids.",
        "name_taken": " Choose another name.",
        "unauthorized": " Call register_agent.",
    }
    return f"{refusal}.{hints.get(refusal.error, '')}"
