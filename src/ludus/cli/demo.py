"""`ludus demo`: agents that play each other at a person's pace, so that a server has something to show."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer

from ludus.cli.precompile import prepare
from ludus.cli.terminal import counted
from ludus.core.errors import BadInput
from ludus.engines.engine import OWN_LIMIT
from ludus.games import GAMES
from ludus.players import find_player

if TYPE_CHECKING:
    from ludus.client import Action, Agent, Arena, GameOver, Keyring, View

PORT: Final = 8000
HOME: Final = f"http://127.0.0.1:{PORT}"
OPEN: Final = "Ludus is open at "
LANE: Final = "fast"
LEVELS: Final = ("easy", "medium")
"""The agents' levels; the highest one would take a core of its own."""
NAMES: Final = (
    "Ada", "Alba", "Arne", "Bela", "Bruno", "Clara", "Dario", "Edda", "Emil", "Fadi", "Greta",
    "Hugo", "Ines", "Ivo", "Jana", "Karl", "Lena", "Lior", "Mara", "Milo", "Nora", "Olaf",
    "Petra", "Ravi", "Rosa", "Sami", "Tara", "Timo", "Uma", "Vera", "Yuki", "Zeno",
)  # fmt: skip
MOST_GAMES: Final = len(NAMES) // 2


class Player(NamedTuple):
    name: str
    level: str
    game: str


def demo(
    url: Annotated[
        str | None, typer.Option(help=f"A running server; otherwise the one at {HOME}, or else a new one.")
    ] = None,
    games: Annotated[int, typer.Option(help="Games at a time.", min=1, max=MOST_GAMES)] = 4,
    matches: Annotated[int | None, typer.Option(help="Stop after this many games.", min=1)] = None,
    pace: Annotated[float, typer.Option(help="1 is a person's pace, 0 as fast as possible.", min=0, max=10)] = 1.0,
) -> None:
    """Fill a server with games: agents register, meet and play until Ctrl-C."""
    for game in GAMES:
        prepare(game, LEVELS)
    with find_server(url) as (address, keys):
        with Report(games) as report, suppress(KeyboardInterrupt):
            asyncio.run(play_all(address, keys, lineup(games), pace, report, matches))
        typer.echo(f"{counted(report.finished, 'game')} finished.")


def lineup(games: int) -> list[Player]:
    """Two agents for each game at a time; the games take turns."""
    pairs = [game for game, _ in zip(cycle(GAMES), range(games), strict=False)]
    rows = zip(NAMES, (game for game in pairs for _ in range(2)), cycle((*LEVELS, *reversed(LEVELS))), strict=False)
    return [Player(name, level, game) for name, game, level in rows]


class Report:
    """Prints a line for each game that ends and, on a terminal, one about the games in progress."""

    def __init__(self, games: int) -> None:
        from rich.console import Console

        self.finished = 0
        self._names: dict[str, str] = {}
        self._status = Console(stderr=True).status(f"{counted(games, 'game')} at a time")
        self._is_shown = sys.stderr.isatty()

    def __enter__(self) -> Report:
        if self._is_shown:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._status.stop()

    def enter(self, id: str, name: str) -> None:
        self._names[id] = name

    def add(self, over: GameOver) -> None:
        """Called by both players; the winner's call counts or, in a draw, the first listed player's."""
        if over.outcome != "win" and not (over.outcome == "draw" and over.you == next(iter(over.outcomes))):
            return
        self.finished += 1
        mine, other = (
            self._names.get(id, "someone else") for id in sorted(over.outcomes, key=lambda id: id != over.you)
        )
        verb = "beat" if over.outcome == "win" else "drew with"
        typer.echo(f"{over.game}: {mine} {verb} {other} ({over.reason.replace('_', ' ')})")
        self._status.update(f"{counted(self.finished, 'game')} finished")


async def play_all(
    url: str, keys: Keyring, players: list[Player], pace: float, report: Report, matches: int | None
) -> None:
    """Plays until enough games are finished or one of the players fails."""
    typer.echo(f"{counted(len(players), 'agent')} play at {url}; watch them at {url}/watch. Ctrl-C stops.")
    enough, thinking = asyncio.Event(), asyncio.Lock()

    def tell(over: GameOver) -> None:
        report.add(over)
        if matches is not None and report.finished >= matches:
            enough.set()

    tasks = [asyncio.create_task(_play(url, keys, player, pace, report, tell, thinking)) for player in players]
    tasks.append(asyncio.create_task(_wait(enough)))
    done, others = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    for task in done:
        task.result()


async def _wait(event: asyncio.Event) -> None:
    await event.wait()


async def _play(
    url: str,
    keys: Keyring,
    player: Player,
    pace: float,
    report: Report,
    tell: Callable[[GameOver], None],
    thinking: asyncio.Lock,
) -> None:
    from ludus.client import Arena, find_match, play

    async with Arena(url) as arena:
        report.enter(await _join(arena, player, keys), player.name)
        agent = agent_for(player, pace, thinking)
        while True:
            match = await find_match(arena, player.game, lane=LANE)
            tell(await play(arena, match, agent))


async def _join(arena: Arena, player: Player, keys: Keyring) -> str:
    """The id of the agent; a number is added to a name that is taken."""
    from ludus.client import Refused
    from ludus.client.run import join

    model = f"ludus {player.level}"
    for name in (player.name, *(f"{player.name} {number}" for number in range(2, 100))):
        try:
            await join(arena, name, model, keys)
        except Refused as refusal:
            if refusal.error != "name_taken":
                raise
            continue
        known = keys.find(arena.http.url, name)
        assert known
        return known.id
    raise BadInput(f"all names like {player.name} are taken at {arena.http.url}")


def agent_for(player: Player, pace: float, thinking: asyncio.Lock) -> Agent:
    """Plays at the player's level, after a pause; only one agent thinks at a time."""
    from ludus.service.pauses import pause
    from ludus.wire import codec

    rules, engine, arena = GAMES[player.game], find_player(player.level, player.game), codec(player.game).arena
    rng = random.Random()

    async def agent(view: View) -> Action:
        await asyncio.sleep(pause(player.level, rng, pace))
        position: Any = arena.position(view)
        async with thinking:
            move = await asyncio.to_thread(engine.choose, rules, position, OWN_LIMIT, rng)
        return arena.action(position, move)

    return agent


@contextmanager
def find_server(url: str | None) -> Iterator[tuple[str, Keyring]]:
    """The server's address and a place for the agents' keys."""
    from ludus.client import Keyring, Unreachable

    try:
        asyncio.run(_greet(url or HOME))
    except Unreachable:
        if url is not None:
            raise
    else:
        yield (url or HOME).rstrip("/"), Keyring()
        return
    with TemporaryDirectory(prefix="ludus-demo-") as folder, new_server(Path(folder)) as address:
        typer.echo(f"There is no server at {HOME}: this is a new one, whose games are deleted when you stop.")
        yield address, Keyring(Path(folder) / "keys")


async def _greet(url: str) -> None:
    from ludus.client import Arena
    from ludus.client.http import RetryPolicy

    async with Arena(url, retry=RetryPolicy(tries=1)) as arena:
        await arena.games()


@contextmanager
def new_server(folder: Path, port: int = PORT) -> Iterator[str]:
    """Runs `ludus serve` with default settings and its data in the folder; yields its address."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LUDUS_")}
    if cache := os.environ.get("LUDUS_CACHE_DIR"):
        kept["LUDUS_CACHE_DIR"] = cache
    command = [sys.executable, "-m", "ludus", "serve", "--port", str(port), "--data", str(folder / "data")]
    # The server gets its own session, so that Ctrl-C stops the agents first, which still have to leave their queues.
    with subprocess.Popen(  # noqa: S603  # ourselves
        command, stdout=subprocess.PIPE, text=True, env=kept, cwd=folder, start_new_session=True
    ) as process:
        assert process.stdout
        previous = signal.signal(signal.SIGTERM, signal.default_int_handler)  # nor may the server outlive a `kill`
        try:
            opened = next((line for line in process.stdout if line.startswith(OPEN)), None)
            if opened is None:
                raise BadInput("the new server did not start")
            yield opened.removeprefix(OPEN).strip()
        finally:
            process.terminate()
            signal.signal(signal.SIGTERM, previous)
