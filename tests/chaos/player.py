"""A player who plays game after game, and reconnects whenever the server was killed."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import httpx2

from .message_log import STATES
from .raw_client import Lost, RawClient, Refused
from .seat import Seat
from .state import Ack, Answer, RunState

MARGIN = 30.0
"""Seconds of the server's clock by which a deadline may be late on a busy machine."""
REMATCH_SECONDS = 3.0
"""Seconds to wait for the opponent to agree to a rematch."""
UNAVAILABLE = frozenset({"unavailable", "stopping"})
"""The codes of a server that can store nothing just now, or is about to end."""
POLL_SECONDS = 0.25
"""Seconds between two checks of the state."""


class ChaosPlayer:
    def __init__(self, state: RunState, name: str, game: str, kind: str) -> None:
        """`kind`: `guest`, `member` (with a session) or `bot_player` (against bots; every other one with a session)."""
        self._run = state
        self._name = name
        self._game = game
        self._wants_bot = kind == "bot_player"
        self._has_token = kind == "member" or (kind == "bot_player" and name.endswith(("0", "2", "4", "6", "8")))
        self._rng = state.rng
        self._client: RawClient | None = None
        self._token: str | None = None
        self._seat: Seat | None = None
        self._commands = 0
        self._lost_at: float | None = None
        """When the server was open again after the last connection was lost."""

    async def live(self) -> None:
        """Game after game; at the end of the run, also one that starts while the player hangs up."""
        while not self._run.is_closing or self._seat is not None:
            await self._enter()
            while self._seat is not None and not self._seat.is_over:
                await self._attempt(self._play_on)
                if self._seat.is_over:
                    await self._try_rematch(self._seat)
            self._seat = None
            await self._disconnect()

    async def _enter(self) -> None:
        if self._seat is None:
            self._token = None
        while self._seat is None and not self._run.is_closing:
            await self._attempt(self._join)

    async def _join(self) -> None:
        if self._has_token and self._token is None:
            self._token = await self._new_token()
        client = await self._connected()
        self._lost_at = None
        options = {"username": self._name, "wantsBot": self._wants_bot, "botDifficulty": "easy"}
        ack = await client.ask("matchmaking:join", options)
        if self._is_unavailable(ack):
            return await asyncio.sleep(POLL_SECONDS)
        if not ack["ok"]:
            self._run.report_problem(f"{self._name} could not join: {ack['error']}")
            await asyncio.sleep(POLL_SECONDS)
        while self._seat is None and not self._run.is_closing:
            await client.changed(POLL_SECONDS)
        return None

    async def _attempt(self, command: Any) -> None:
        """Runs the command; if the server is lost on the way, waits until it is back."""
        try:
            await command()
        except Lost:
            await self._disconnect()
            await self._run.server.up.wait()
            self._lost_at = time.monotonic()
            await asyncio.sleep(self._rng.uniform(0, 0.2))

    async def _connected(self) -> RawClient:
        if self._client is None:
            try:
                url, patience = self._run.server.url, self._run.plan.answer
                self._client = await RawClient.open(url, self._game, self._token, self._receive, patience)
            except Refused as refusal:
                if refusal.code not in UNAVAILABLE:
                    self._run.report_problem(f"{self._name} was refused: {refusal}")
                    self._token = None
                await asyncio.sleep(POLL_SECONDS)
                raise Lost from None
        return self._client

    async def _at_table(self, seat: Seat) -> RawClient:
        """The connection to the seat, resumed if it is new."""
        if self._client is not None:
            return self._client
        client = await self._connected()
        seen: dict[str, Any] = {"playerId": seat.player, "version": seat.log.version}
        if seat.log.part is not None:
            seen["part"] = seat.log.part
        ack = await client.ask("game:reconnect", seen)
        if self._is_unavailable(ack):
            await asyncio.sleep(POLL_SECONDS)
            raise Lost
        self._check_return(seat, ack)
        self._run.count["resumed"] += 1
        if self._lost_at is not None:
            self._run.resumed.append(time.monotonic() - self._lost_at)
            self._lost_at = None
        return client

    def _check_return(self, seat: Seat, ack: dict[str, Any]) -> None:
        """Missed messages come before the acknowledgement."""
        if not ack["ok"]:
            self._run.report_problem(f"{seat.log} could not reconnect: {ack['error']}")
            seat.is_over = True
        elif ack["roomId"] == seat.room and seat.log.version < ack["version"]:
            self._run.report_problem(f"{seat.log} got messages up to {seat.log.version} of {ack['version']} on return")

    def hang_up(self) -> None:
        """As if the network failed."""
        if self._client is not None:
            self._client.abort()

    async def _disconnect(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _new_token(self) -> str:
        match_type = "bot" if self._wants_bot else "matchmaking"
        player = {"id": f"{self._name}-{self._rng.getrandbits(32):08x}", "displayName": self._name}
        body = {"game": self._game, "matchType": match_type, "players": [player], "botDifficulty": "easy"}
        key = {"Authorization": f"Bearer {self._run.key}"}
        try:
            answer = await self._run.http.post(f"{self._run.server.url}/v1/sessions", json=body, headers=key)
        except httpx2.TransportError as error:
            raise Lost from error
        if answer.status_code == 503:
            await asyncio.sleep(POLL_SECONDS)
            raise Lost
        return str(answer.raise_for_status().json()["sessionToken"])

    def _receive(self, event: str, data: dict[str, Any]) -> None:
        if event in STATES:
            if self._seat is None or self._seat.room != data["roomId"]:
                self._take_seat(data)
            assert self._seat is not None
            self._seat.log.check_state(event, data["version"])
            self._seat.learn(data)
        elif "part" in data and self._seat is not None:
            if data["roomId"] != self._seat.room:
                self._run.report_problem(f"{self._seat.log} got {event} of table {data['roomId'][:8]}")
            self._seat.log.add(event, data)
            self._seat.learn(data)
            if event == "game:over":
                self._seat.is_over = True
                self._run.over.add(self._seat.room)
                self._run.count[f"over: {data['reason']}"] += 1

    def _take_seat(self, state: dict[str, Any]) -> None:
        self._seat = Seat(self._game, state, self._role(state), self._rng.randrange(self._run.plan.patience))
        self._token = state.get("reconnectToken", self._token)
        self._run.logs.append(self._seat.log)
        self._run.roles[self._seat.room, self._seat.player] = self._seat.role
        self._run.count["seats"] += 1

    def _role(self, state: dict[str, Any]) -> str:
        """Only the first player leaves, never one against a bot, so that one player always sees how the game ends."""
        is_last_witness = self._wants_bot or state["playerId"] != state["players"][0]["id"]
        role = next(self._run.next_roles)
        return "idles" if role == "leaves" and is_last_witness else role

    async def _play_on(self) -> None:
        """Does the next thing at the table."""
        seat = self._seat
        assert seat is not None
        client = await self._at_table(seat)
        if self._seat is not seat or seat.is_over:
            return None
        if seat.has_stopped:
            self._run.stopped.add(seat.room)
            return await (self._idle(seat, client) if seat.role == "idles" else self._stay_away(seat))
        if seat.pending is None and self._run.is_closing and seat.role == "plays":
            seat.pending = seat.command("game:resign", self._command())
        elif seat.pending is None and seat.is_to_move:
            await asyncio.sleep(self._rng.uniform(0, self._run.plan.thinking))
            await self._choose(seat, client)
        if seat.pending is not None:
            return await self._send(seat, client)
        return await client.changed(POLL_SECONDS)

    async def _choose(self, seat: Seat, client: RawClient) -> None:
        answer = await client.ask("game:get_moves", {"roomId": seat.room, "playerId": seat.player})
        if answer["ok"] and answer["moves"] and seat.is_to_move:
            move = self._rng.choice(answer["moves"])
            move = {"moves": move} if seat.game == "backgammon" else move
            seat.pending = seat.command("game:move", self._command(), move=move)

    async def _send(self, seat: Seat, client: RawClient) -> None:
        """A command stays pending until it is acknowledged; the next connection sends it again."""
        command = seat.pending
        assert command is not None
        had_heard, was_sent = seat.log.version, seat.is_sent
        if not was_sent:
            seat.sent_at = time.monotonic()
        seat.is_sent = True
        ack = await client.ask(command.event, command.payload)
        if self._is_unavailable(ack):  # it may have been stored all the same
            return await asyncio.sleep(POLL_SECONDS)
        seat.pending, seat.is_sent = None, False
        if ack["ok"]:
            self._run.count["done before"] += was_sent and ack["version"] <= had_heard
            self._run.count["sent again"] += was_sent
            self._run.acks.append(Ack(seat.room, ack["version"], seat.player, command.command))
            now = self._run.played_at[seat.room] = time.monotonic()
            self._run.answers.append(Answer(seat.sent_at, now))
            seat.moves += command.event == "game:move"
            self._run.count[command.event] += 1
        elif ack["error"]["code"] != "game_over":
            self._run.report_problem(f"{seat.log}: {command.event} was refused: {ack['error']}")
        return None

    async def _idle(self, seat: Seat, client: RawClient) -> None:
        """Stays connected without moving until the time is up."""
        clock = self._run.server
        self._run.idle.add(seat.room)
        seat.stopped_at = seat.stopped_at or clock.clock_seconds
        while not seat.is_over:
            await client.changed(POLL_SECONDS)
            if clock.clock_seconds > seat.stopped_at + self._run.plan.idle + MARGIN:
                self._run.report_problem(f"{seat.log} idles and does not lose")
                seat.role = "plays"
                return

    async def _stay_away(self, seat: Seat) -> None:
        """Leaves, and reconnects when the opponent has won."""
        clock = self._run.server
        await self._disconnect()
        until = clock.clock_seconds + self._run.plan.reconnect + MARGIN
        while seat.room not in self._run.over and clock.clock_seconds < until:
            await asyncio.sleep(POLL_SECONDS)
        seat.role = "plays"
        await clock.up.wait()
        await self._at_table(seat)
        if not seat.is_over:
            self._run.report_problem(f"{seat.log} stayed away and does not lose")

    async def _try_rematch(self, seat: Seat) -> None:
        """About every fourth game both players ask for a rematch."""
        if int(seat.room[:2], 16) % 4 or self._run.is_closing:
            return
        command = seat.command("game:rematch", self._command())
        until = self._run.server.clock_seconds + REMATCH_SECONDS
        is_asked = False

        async def ask() -> None:
            nonlocal is_asked
            client = await self._at_table(seat)
            if self._seat is seat and not is_asked:
                is_asked = (await client.ask(command.event, command.payload))["ok"]
            elif self._seat is seat:
                await client.changed(POLL_SECONDS)

        while self._seat is seat and self._run.server.clock_seconds < until and not self._run.is_closing:
            await self._attempt(ask)

    def _is_unavailable(self, ack: dict[str, Any]) -> bool:
        """Whether the server can store nothing just now."""
        is_unavailable = not ack["ok"] and ack["error"]["code"] in UNAVAILABLE
        self._run.count["unavailable"] += is_unavailable
        return is_unavailable

    def _command(self) -> str:
        self._commands += 1
        return f"{self._name}-{self._commands}"
