"""A chat bot through which people play by commands, as in Discord or Slack; here the chat is this terminal.

pip install aiohttp                          for the Socket.IO client
ludus serve                                  in one terminal
python examples/chat_bot.py                  in another; then type, for instance: ann: !play checkers easy

Each line is `NAME: TEXT`. To use a real chat, write a class with the two methods of `Terminal`.
"""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator
from typing import Any

import socketio

HELP = "!play [checkers|backgammon] [easy|medium|hard] · !moves · !move NUMBER · !board · !resign · !help"
MARKS = {("red", "man"): "r", ("red", "king"): "R", ("black", "man"): "b", ("black", "king"): "B"}


class Terminal:
    """The chat: who said what, and what to say."""

    async def messages(self) -> AsyncIterator[tuple[str, str]]:
        while line := await asyncio.to_thread(sys.stdin.readline):
            name, colon, text = line.strip().partition(":")
            if colon:
                yield name.strip(), text.strip()

    async def say(self, name: str, text: str) -> None:
        print(f"@{name} {text}", flush=True)


class Game:
    """One person's game against a bot, on a connection of its own."""

    def __init__(self, chat: Any, person: str, game: str) -> None:
        self.chat, self.person, self.game = chat, person, game
        self.state: dict[str, Any] = {}
        self.id = ""
        self._offered = 0
        self.moves: list[Any] = []
        self.is_over = False
        self._socket = socketio.AsyncClient()
        for event, handle in {
            "game:started": self._start,
            "game:reconnected": self._start,
            "game:move:made": self._show,
            "game:dice": self._show,
            "game:over": self._end,
        }.items():
            self._socket.on(event, handle, namespace=f"/{game}")

    async def start(self, url: str, level: str) -> None:
        await self._socket.connect(url, namespaces=[f"/{self.game}"], transports=["websocket"])
        await self._ask("matchmaking:join", username=self.person[:40], wantsBot=True, botDifficulty=level)

    async def _ask(self, event: str, **payload: Any) -> dict[str, Any]:
        """The server's answer; a refusal goes to the chat."""
        answer: dict[str, Any] = await self._socket.call(event, payload, namespace=f"/{self.game}")
        if not answer["ok"]:
            await self.chat.say(self.person, answer["error"]["message"])
        return answer

    async def _start(self, message: dict[str, Any]) -> None:
        self.id = message["playerId"]  # in other messages it is the mover's
        await self._show(message)

    async def _show(self, message: dict[str, Any]) -> None:
        self.state |= message
        if message["version"] != self._offered:
            self.moves = []
        # Not awaited: the answer comes over the same connection, which waits for this handler.
        self._socket.start_background_task(self._offer_moves)

    async def _offer_moves(self) -> None:
        if self.is_over or self.state["currentPlayerId"] != self.id:
            return
        answer = await self._ask("game:get_moves", roomId=self.state["roomId"], ackOnly=True)
        version = self.state["version"]
        if answer["ok"] and answer["moves"] and version != self._offered:  # a move and a roll are two messages
            self.moves, self._offered = answer["moves"], version
            await self.chat.say(
                self.person, f"your turn ({self.state['color']}), {len(self.moves)} moves: !moves, !move"
            )

    async def _end(self, message: dict[str, Any]) -> None:
        self.is_over = True
        result = "you win" if message["winner"] == self.id else "you do not win"
        await self.chat.say(self.person, f"{result}: {message['reason']}")

    async def move(self, number: str) -> None:
        if not number.isdecimal() or not 1 <= int(number) <= len(self.moves):
            return await self.chat.say(self.person, f"a number from 1 to {len(self.moves)}, please")
        move = self.moves[int(number) - 1]
        payload = {"moves": move} if isinstance(move, list) else move
        await self._ask("game:move", roomId=self.state["roomId"], move=payload)
        return None

    async def resign(self) -> None:
        await self._ask("game:resign", roomId=self.state["roomId"])

    async def close(self) -> None:
        await self._socket.disconnect()


def written(move: Any) -> str:
    """A listed move: a whole play is a list of steps."""
    if isinstance(move, list):
        return " ".join(f"{step['from']}/{step['to']}" for step in move)
    return f"{move['from']}{'x' if move['captures'] else '-'}{move['to']}"


def drawn(state: dict[str, Any]) -> str:
    board = state["board"]
    if len(board) == 64:
        letters = [MARKS[piece["player"], piece["type"]] if piece else "." for piece in board]
        return "\n".join(f"{row * 8:2} {' '.join(letters[row * 8 : row * 8 + 8])}" for row in range(8))
    points = ", ".join(f"{point}: {men:+}" for point, men in enumerate(board) if men)
    return f"white +, black -: {points}; bar {state['bar']}, off {state['off']}, dice {state['dice']}"


class Bot:
    def __init__(self, chat: Any, url: str) -> None:
        self._chat, self._url = chat, url
        self._games: dict[str, Game] = {}

    async def run(self) -> None:
        async for person, text in self._chat.messages():
            command, *words = text.split() or [""]
            if command.startswith("!"):
                await self._answer(person, command[1:], words)
        for game in self._games.values():
            await game.close()

    async def _answer(self, person: str, command: str, words: list[str]) -> None:
        game = self._games.get(person)
        match command, words:
            case "play", _:
                await self._play(person, *[*words, "checkers", "easy"][:1], *[*words[1:], "easy"][:1])
            case (("moves" | "move" | "board" | "resign"), _) if game is None or game.is_over:
                await self._chat.say(person, "you have no game; !play starts one")
            case "moves", _:
                listed = [f"{number} {written(move)}" for number, move in enumerate(game.moves, start=1)]
                await self._chat.say(person, ", ".join(listed) or "it is not your turn")
            case "move", [number]:
                await game.move(number)
            case "board", _:
                await self._chat.say(person, "\n" + drawn(game.state))
            case "resign", _:
                await game.resign()
            case _:
                await self._chat.say(person, HELP)

    async def _play(self, person: str, game: str, level: str) -> None:
        known = self._games.get(person)
        if known is not None and not known.is_over:
            return await self._chat.say(person, "you have a game already; !resign ends it")
        if known is not None:
            await known.close()
        if game not in ("checkers", "backgammon"):
            return await self._chat.say(person, HELP)
        self._games[person] = made = Game(self._chat, person, game)
        await made.start(self._url, level)
        return None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Play by chat commands.")
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="the server")
    asyncio.run(Bot(Terminal(), parser.parse_args().url).run())
