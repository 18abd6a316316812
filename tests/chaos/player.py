"""Somebody who plays game after game, and comes back whenever the server was killed."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import httpx2

from .message_log import STATES
from .raw_client import Lost, RawClient, Refused
from .seat import Seat
from .state import Ack, RunState

MARGIN = 30.0
"""Seconds of the house's clock by which a deadline may be late on a busy machine."""
COURTESY = 3.0
"""Seconds that an opponent is given to want a rematch too."""
GLANCE = 0.25
"""Seconds between two looks at the state for whoever waits."""


class ChaosPlayer:
    def __init__(self, state: RunState, name: str, game: str, kind: str) -> None:
        """`kind` is `guest`, `member` (with a session's token) or `friend` (of bots, every other with a token)."""
        self._world = state
        self._name = name
        self._game = game
        self._wants_bot = kind == "friend"
        self._has_token = kind == "member" or (kind == "friend" and name.endswith(("0", "2", "4", "6", "8")))
        self._rng = state.rng
        self._line: RawClient | None = None
        self._token: str | None = None
        self._seat: Seat | None = None
        self._commands = 0
        self._lost_at: float | None = None
        """When the server that killed the last connection was open again."""

    async def live(self) -> None:
        while not self._world.is_closing:
            await self._enter()
            while self._seat is not None and not self._seat.is_over:
                await self._keep_at(self._play_on)
                if self._seat.is_over:
                    await self._try_rematch(self._seat)
            self._seat = None
            await self._hang_up()

    async def _enter(self) -> None:
        self._token = None
        while self._seat is None and not self._world.is_closing:
            await self._keep_at(self._join)

    async def _join(self) -> None:
        if self._has_token and self._token is None:
            self._token = await self._new_token()
        client = await self._be_connected()
        self._lost_at = None
        wish = {"username": self._name, "wantsBot": self._wants_bot, "botDifficulty": "easy"}
        ack = await client.ask("matchmaking:join", wish)
        if not ack["ok"]:
            self._world.object(f"{self._name} could not join: {ack['error']}")
            await asyncio.sleep(GLANCE)
        while self._seat is None and not self._world.is_closing:
            await client.changed(GLANCE)

    async def _keep_at(self, command: Any) -> None:
        """Does something, or as much of it as can be done before the server is gone; waits for the next one then."""
        try:
            await command()
        except Lost:
            await self._hang_up()
            await self._world.server.up.wait()
            self._lost_at = time.monotonic()
            await asyncio.sleep(self._rng.uniform(0, 0.2))

    async def _be_connected(self) -> RawClient:
        if self._line is None:
            try:
                self._line = await RawClient.open(self._world.server.url, self._game, self._token, self._hear)
            except Refused as refusal:
                self._world.object(f"{self._name} was refused: {refusal}")
                self._token = None
                raise Lost from None
        return self._line

    async def _be_at_the_table(self, seat: Seat) -> RawClient:
        """Connected and, if that is news, told what was missed."""
        if self._line is not None:
            return self._line
        client = await self._be_connected()
        seen: dict[str, Any] = {"playerId": seat.player, "version": seat.log.version}
        if seat.log.part is not None:
            seen["part"] = seat.log.part
        ack = await client.ask("game:reconnect", seen)
        self._check_return(seat, ack)
        self._world.count["resumed"] += 1
        if self._lost_at is not None:
            self._world.resumed.append(time.monotonic() - self._lost_at)
            self._lost_at = None
        return client

    def _check_return(self, seat: Seat, ack: dict[str, Any]) -> None:
        """Whatever was missed comes before the acknowledgement."""
        if not ack["ok"]:
            self._world.object(f"{seat.log} could not come back: {ack['error']}")
            seat.is_over = True
        elif ack["roomId"] == seat.room and seat.log.version < ack["version"]:
            self._world.object(f"{seat.log} was told up to {seat.log.version} of {ack['version']} on return")

    async def _hang_up(self) -> None:
        client, self._line = self._line, None
        if client is not None:
            await client.close()

    async def _new_token(self) -> str:
        match_type = "bot" if self._wants_bot else "matchmaking"
        player = {"id": f"{self._name}-{self._rng.getrandbits(32):08x}", "displayName": self._name}
        body = {"game": self._game, "matchType": match_type, "players": [player], "botDifficulty": "easy"}
        key = {"Authorization": f"Bearer {self._world.key}"}
        try:
            answer = await self._world.http.post(f"{self._world.server.url}/v1/sessions", json=body, headers=key)
        except httpx2.TransportError as error:
            raise Lost from error
        return str(answer.raise_for_status().json()["sessionToken"])

    def _hear(self, event: str, data: dict[str, Any]) -> None:
        if event in STATES:
            if self._seat is None or self._seat.room != data["roomId"]:
                self._sit(data)
            assert self._seat is not None
            self._seat.log.check_state(event, data["version"])
            self._seat.learn(data)
        elif "part" in data and self._seat is not None:
            if data["roomId"] != self._seat.room:
                self._world.object(f"{self._seat.log} hears {event} of table {data['roomId'][:8]}")
            self._seat.log.note(event, data)
            self._seat.learn(data)
            if event == "game:over":
                self._seat.is_over = True
                self._world.over.add(self._seat.room)
                self._world.count[f"over: {data['reason']}"] += 1

    def _sit(self, state: dict[str, Any]) -> None:
        self._seat = Seat(self._game, state, self._role(state), self._rng.randrange(self._world.plan.patience))
        self._token = state.get("reconnectToken", self._token)
        self._world.logs.append(self._seat.log)
        self._world.roles[self._seat.room, self._seat.player] = self._seat.role
        self._world.count["seats"] += 1

    def _role(self, state: dict[str, Any]) -> str:
        """Only the first player leaves, and no bot: so there is always somebody to hear how the game ends."""
        is_last_witness = self._wants_bot or state["playerId"] != state["players"][0]["id"]
        role = next(self._world.next_roles)
        return "idles" if role == "leaves" and is_last_witness else role

    async def _play_on(self) -> None:
        """The next thing to do at the table."""
        seat = self._seat
        assert seat is not None
        client = await self._be_at_the_table(seat)
        if self._seat is not seat or seat.is_over:
            return None
        if seat.is_tired:
            return await (self._idle(seat, client) if seat.role == "idles" else self._stay_away(seat))
        if seat.pending is None and self._world.is_closing and seat.role == "plays":
            seat.pending = seat.command("game:resign", self._command())
        elif seat.pending is None and seat.is_to_move:
            await asyncio.sleep(self._rng.uniform(0, self._world.plan.thinking))
            await self._choose(seat, client)
        if seat.pending is not None:
            return await self._send(seat, client)
        return await client.changed(GLANCE)

    async def _choose(self, seat: Seat, client: RawClient) -> None:
        questions = seat.questions()
        self._rng.shuffle(questions)
        for question in questions:
            answer = await client.ask("game:get_moves", question)
            if answer["ok"] and answer["moves"]:
                move = self._rng.choice(answer["moves"])
                move = {"moves": move} if seat.game == "backgammon" else move
                if seat.is_to_move:
                    seat.pending = seat.command("game:move", self._command(), move=move)
                return

    async def _send(self, seat: Seat, client: RawClient) -> None:
        """Until it is acknowledged it stays pending, and the next connection sends it again."""
        command = seat.pending
        assert command is not None
        had_heard, was_sent = seat.log.version, seat.is_sent
        seat.is_sent = True
        ack = await client.ask(command.event, command.payload)
        seat.pending, seat.is_sent = None, False
        if ack["ok"]:
            self._world.count["done before"] += was_sent and ack["version"] <= had_heard
            self._world.count["sent again"] += was_sent
            self._world.acks.append(Ack(seat.room, ack["version"], seat.player, command.command))
            seat.moves += command.event == "game:move"
            self._world.count[command.event] += 1
        elif ack["error"]["code"] != "game_over":
            self._world.object(f"{seat.log}: {command.event} was refused: {ack['error']}")

    async def _idle(self, seat: Seat, client: RawClient) -> None:
        """Stays connected and does nothing until the time is up."""
        clock = self._world.server
        seat.tired_at = seat.tired_at or clock.house_seconds
        while not seat.is_over:
            await client.changed(GLANCE)
            if clock.house_seconds > seat.tired_at + self._world.plan.idle + MARGIN:
                self._world.object(f"{seat.log} idles and does not lose")
                seat.role = "plays"
                return

    async def _stay_away(self, seat: Seat) -> None:
        """Leaves, and looks in again when the opponent has won."""
        clock = self._world.server
        await self._hang_up()
        until = clock.house_seconds + self._world.plan.reconnect + MARGIN
        while seat.room not in self._world.over and clock.house_seconds < until:
            await asyncio.sleep(GLANCE)
        seat.role = "plays"
        await clock.up.wait()
        await self._be_at_the_table(seat)
        if not seat.is_over:
            self._world.object(f"{seat.log} stayed away and does not lose")

    async def _try_rematch(self, seat: Seat) -> None:
        """After every fourth game or so both ask for another one."""
        if int(seat.room[:2], 16) % 4 or self._world.is_closing:
            return
        command = seat.command("game:rematch", self._command())
        until = self._world.server.house_seconds + COURTESY
        is_asked = False

        async def ask() -> None:
            nonlocal is_asked
            client = await self._be_at_the_table(seat)
            if self._seat is seat and not is_asked:
                is_asked = (await client.ask(command.event, command.payload))["ok"]
            elif self._seat is seat:
                await client.changed(GLANCE)

        while self._seat is seat and self._world.server.house_seconds < until and not self._world.is_closing:
            await self._keep_at(ask)

    def _command(self) -> str:
        self._commands += 1
        return f"{self._name}-{self._commands}"
