"""What the tools do for an agent, and which agent a call is for."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

from mcp.server.mcpserver.exceptions import ToolError

from ludus.client.arena import Arena
from ludus.client.errors import Refused
from ludus.client.keys import Keyring
from ludus.client.responses import MATCHED, NOT_QUEUED, GameOver, QueueStatus, State
from ludus.client.run import join
from ludus.core.errors import LudusError
from ludus.mcp import tournaments
from ludus.wire import text_codec
from ludus.wire.actions import PASS, is_pass

POLL_SECONDS: Final = 1.0
MOST_AGENTS: Final = 10_000
"""The most agents whose current match is remembered; for others the arena is asked."""
HINTS: Final = {
    "invalid_action": " Give the number of a legal move.",
    "stale_sequence": " Call get_turn.",
    "not_your_turn": " Call get_turn.",
    "game_already_over": " Call get_turn.",
    "no_offer": " Call get_turn.",
    "too_many_offers": " Play on, or offer more points.",
    "game_not_found": " list_games has the ids.",
    "not_found": " list_tournaments has the ids.",
    "name_taken": " Choose another name.",
    "unauthorized": " Call register_agent.",
    "unavailable": " The server can't save anything right now: call get_turn in a moment.",
}


class Session:
    """One agent in the arena; `seconds` is how long a call waits for a turn."""

    def __init__(self, arena: Arena, seconds: float) -> None:
        self._arena = arena
        self._seconds = seconds
        self.match: str | None = None
        """The match of the latest call."""

    async def queue(
        self, game: str, lane: str | None, opponent: str | None, time_control: str | None = None, **options: Any
    ) -> str:
        """`options` are those of `Arena.queue`."""
        status = await self._arena.queue(game, lane, opponent, time_control=time_control, **options)
        self.match = status.match
        if status.match:
            return f"matched: match {status.match}. Call get_turn."
        return f"{_status_text(game, status)}. Call get_turn; it waits for an opponent."

    async def leave(self, game: str | None) -> str:
        left = [await self._arena.leave(name) for name in ([game] if game else await self._game_names())]
        return "left. A match that has started goes on." if any(left) else "you were not in a queue."

    async def tournament(self, id: str) -> str:
        own = await self._arena.own_tournament(id)
        return tournaments.whole_text(await self._arena.tournament(id), own.number)

    async def join_tournament(self, id: str) -> str:
        return tournaments.joined_text(id, await self._arena.join_tournament(id))

    async def leave_tournament(self, id: str) -> str:
        await self._arena.withdraw(id)
        return "left. A match that has started goes on."

    async def turn(self, match: str | None = None, tournament: str | None = None) -> str:
        """The state of the agent's match once it is the agent's turn, or when the time is up.

        With a tournament, this waits for the agent's match there.
        """
        until = asyncio.get_running_loop().time() + self._seconds
        if tournament and match is None:
            own = await tournaments.wait_for_match(self._arena, tournament, until, POLL_SECONDS)
            if own.match is None:
                return await tournaments.without_match_text(self._arena, tournament, own)
            match = own.match
        found = match or self.match or await self._find_match(until)
        if found is None:
            return await self._without_match()
        self.match = found
        return await self._wait_for_turn(await self._arena.state(found), until)

    async def act(self, said: object, token: int | None, match: str | None = None) -> str:
        """Plays, then waits as `turn` does, so that the next turn usually comes with the answer."""
        found = match or self.match or (await self._current_match())[0]
        if found is None:
            return await self._without_match()
        self.match = found
        state = await self._arena.state(found)
        if not state.is_your_turn:
            return self._render(state, "")
        action = text_codec(state.game).parse_action(state.view, said)
        after = await self._arena.act(found, state.sequence if token is None else token, action)
        until = asyncio.get_running_loop().time() + self._seconds
        return await self._wait_for_turn(after, until)

    async def _wait_for_turn(self, state: State, until: float) -> str:
        news = ""
        while True:
            if state.is_your_turn and is_pass(state.view):
                news += f"{text_codec(state.game).dice(state.view)}You had no legal move and passed.\n"
                state = await self._arena.act(state.match, state.sequence, PASS)
            elif state.over or state.is_your_turn or (newer := await self._newer(state, until)) is None:
                return self._render(state, news)
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
                if newer == state:  # the arena does not hold requests: poll slowly
                    await asyncio.sleep(POLL_SECONDS)
                return newer
        except TimeoutError:
            return None

    async def _find_match(self, until: float) -> str | None:
        """The agent's match once it has one; None if it is not in a queue or the time is up."""
        while True:
            match, is_waiting = await self._current_match()
            if match or not is_waiting or asyncio.get_running_loop().time() + POLL_SECONDS > until:
                return match
            await asyncio.sleep(POLL_SECONDS)

    async def _current_match(self) -> tuple[str | None, bool]:
        """The agent's match according to the arena, and whether the agent is in a queue."""
        statuses = [await self._arena.status(game) for game in await self._game_names()]
        match = next((status.match for status in statuses if status.status == MATCHED), None)
        return match, any(status.status not in (MATCHED, NOT_QUEUED) for status in statuses)

    async def _without_match(self) -> str:
        for game in await self._game_names():
            status = await self._arena.status(game)
            if status.status not in (MATCHED, NOT_QUEUED):
                return f"no_match: {_status_text(game, status)}. Call get_turn again."
        return "not_joined: call queue_match first."

    async def _game_names(self) -> list[str]:
        return [game.id for game in await self._arena.games()]

    def _render(self, state: State, news: str) -> str:
        if state.over:
            self.match = None
            return news + game_over_text(state.over)
        if not state.is_your_turn:
            return f"{news}waiting: the opponent is thinking. Call get_turn again."
        return news + turn_text(state)


class Identity(NamedTuple):
    """The agent that a process plays as."""

    name: str
    model: str | None = None


class Sessions:
    """Finds the agent that makes a call.

    With a keyring there is one agent, whose key is kept there; without one, every call has to bring a key. An identity
    makes that agent the only one, whatever key a caller brings.
    """

    def __init__(
        self, connect: Callable[[str | None], Arena], keys: Keyring | None, identity: Identity | None, seconds: float
    ) -> None:
        """`connect` gets an agent's key, or None for what is public; `seconds` is how long a call waits for a turn."""
        self._connect = connect
        self._keys = keys
        self._identity = identity
        self._seconds = seconds
        self._key: str | None = None
        self._matches: OrderedDict[str, str | None] = OrderedDict()

    @property
    def has_one_agent(self) -> bool:
        """Whether calls need no key."""
        return self._keys is not None

    @asynccontextmanager
    async def arena(self, key: str | None = None) -> AsyncIterator[Arena]:
        """A connection whose errors are reported to the model."""
        try:
            async with self._connect(key) as arena:
                yield arena
        except Refused as refusal:
            raise ToolError(refusal_text(refusal)) from refusal
        except LudusError as error:
            raise ToolError(str(error)) from error

    @asynccontextmanager
    async def open(self, headers: Mapping[str, str] | None, key: str | None) -> AsyncIterator[Session]:
        key = await self._own_key() if self._keys else key or _bearer(headers)
        if key is None:
            raise ToolError(
                "not registered: call register_agent first" + ("" if self._keys else ", then pass agentKey")
            )
        async with self.arena(key) as arena:
            session = Session(arena, self._seconds)
            session.match = self._matches.get(key)
            try:
                yield session
            finally:
                self._remember(key, session.match)

    async def register(self, name: str, model: str | None) -> str:
        if self._identity and name != self._identity.name:
            raise ToolError(f"this server plays as {self._identity.name}: call queue_match")
        async with self.arena() as arena:
            if self._keys:
                made = await join(arena, name, model, self._keys)
                self._key = arena.http.key
                news = "registered" if made else "already registered"
                hint = ""
            else:
                made = await arena.register(name, model)
                news, hint = "registered", f"\nagentKey: {made.key}\nPass it with every call; it is shown only now."
        claim = f" Your operator can claim you at {made.claim_url} with {made.verification_code}." if made else ""
        return f"{news} as {name}.{hint}{claim}"

    async def _own_key(self) -> str | None:
        if self._key is None and self._keys and self._identity:
            await self.register(*self._identity)
        return self._key

    def _remember(self, key: str, match: str | None) -> None:
        self._matches[key] = match
        self._matches.move_to_end(key)
        while len(self._matches) > MOST_AGENTS:
            self._matches.popitem(last=False)


def turn_text(state: State) -> str:
    text, view = text_codec(state.game), state.view
    until = f", until {state.turn_ends_at}" if state.turn_ends_at else ""
    head = f"your_turn: {state.game}, {text.side(view)}; turnToken {state.sequence}{until}"
    return f"{head}{_clock_text(view)}\n{text.turn(view)}"


def _clock_text(view: Mapping[str, Any]) -> str:
    clock = view.get("clock")
    if not clock:
        return ""
    yours, opponents = (round(clock[name] / 1000) for name in ("yourMs", "opponentMs"))
    return f"; you have {yours} s left, your opponent {opponents} s"


def game_over_text(over: GameOver) -> str:
    rating = f" Rating {over.rating.before:.0f} to {over.rating.after:.0f}." if over.rating else ""
    badges = ", ".join(_badge_name(badge) for badge in over.body.get("newBadges") or ())
    more = f" New badges: {badges}." if badges else ""
    link = f" Replay: {over.body['replayMarkdownUrl']}" if over.body.get("replayMarkdownUrl") else ""
    return f"game_over: {over.outcome} ({over.reason}).{rating}{more}{link}"


def _badge_name(badge: object) -> str:
    """Arenas send objects; those of earlier versions sent ids."""
    return str(badge.get("name") or badge.get("badgeId")) if isinstance(badge, Mapping) else str(badge)


def refusal_text(refusal: Refused) -> str:
    return f"{refusal}.{HINTS.get(refusal.error, '')}"


def _status_text(game: str, status: QueueStatus) -> str:
    position = f", position {status.position}" if status.position is not None else ""
    return f"{status.status} for {game}{position}"


def _bearer(headers: Mapping[str, str] | None) -> str | None:
    scheme, _, key = (headers or {}).get("authorization", "").partition(" ")
    return key.strip() or None if scheme.lower() == "bearer" else None
