"""The tutorial of rooms, followed from its first block to its last: two players, a killed server, webhooks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from .. import npm
from ..npm import NODE
from ..ports import free_port
from ..rooms import js_client
from ..server_process import ServerProcess
from .blocks import Block, blocks
from .output import matches
from .reader import Process, Reader

PAGE = "docs/tutorial-rooms.md"
SETTINGS = {"bot_pause": 0, "webhook_private": 1, "log_level": "warning"}
"""The tutorial sets the second one itself, and restarts the server for it."""
PORT = "3000"
"""Of the webhook receiver, in the tutorial."""

pytestmark = pytest.mark.slow


class Tutorial:
    """The blocks in order; none can be left out."""

    def __init__(self) -> None:
        self._blocks = [block for block in blocks(PAGE) if not block.is_session]
        self._at = 0

    def next(self, text: str, *replaced: tuple[str, str]) -> Block:
        """The next block, with what the reader has instead of the page's examples."""
        block = self._blocks[self._at]
        self._at += 1
        assert text in block.text, f"{block} does not have {text!r}"
        for old, new in replaced:
            assert old in block.text
            block = block._replace(text=block.text.replace(old, new))
        return block

    @property
    def is_finished(self) -> bool:
        return self._at == len(self._blocks)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[list[ServerProcess]]:
    servers = [ServerProcess(tmp_path / "ludus-data", **SETTINGS)]
    yield servers
    servers[-1].close()


@pytest.fixture
def reader(tmp_path: Path, opened: list[ServerProcess]) -> Iterator[Reader]:
    npm.install(js_client.FOLDER)
    folder = tmp_path / "reader"
    folder.mkdir()
    reading = Reader(folder, opened[0], "", NODE, js_client.FOLDER / "node_modules")
    (folder / "ludus-data").symlink_to(opened[0].data)
    yield reading
    reading.close()


def test_the_tutorial_of_rooms(reader: Reader, opened: list[ServerProcess]) -> None:
    page = Tutorial()
    page.next("make serve")
    assert matches(page.next("The database is empty").text, opened[0].output)
    (key,) = re.findall(r"ludus_live_\S+", opened[0].output)
    reader.run(page.next("export KEY", ("ludus_live_RBOUZ…", key)))
    assert '"sessionToken"' in reader.run(page.next('"id": "ann"'))
    reader.save(page.next("python session.py NAME"))
    reader.save(page.next("python player.py TOKEN"))

    ann = reader.start(page.next("session.py Ann"))
    ann.await_line(re.escape(page.next("matchmaking:waiting").text.strip()))
    ben = reader.start(page.next("session.py Ben"))
    red, black = seats(ann, ben)
    read_board(red, page.next("you are red"))
    wrong, refusal = page.next("cannot move to 24").text.splitlines()
    red.type(wrong)
    red.await_line(refusal)
    move(red, black, "42-33", "black")
    move(black, red, "17-24", "red")

    page.next("kill -9")
    opened[0].kill()
    opened.append(ServerProcess(opened[0].data, port=opened[0].url.rpartition(":")[2], **SETTINGS))
    read_board(red, page.next("24 b . . . . . . ."), "you are red")
    black.await_line("you are black")
    black.await_line("red to move")
    red.type("resign")
    red.finish()
    black.finish()

    against_bot = reader.start(page.next("botDifficulty=easy"))
    against_bot.await_line("you are")
    against_bot.type("resign")
    against_bot.finish()
    reader.save(page.next("// bot.mjs"))
    assert re.search(r"^I (won|didn't win): \w+$", reader.run(page.next("node bot.mjs")), re.MULTILINE)
    page.next("I didn't win")
    reader.save(page.next("// backgammon.mjs"))
    printed = reader.run(page.next("node backgammon.mjs"))
    found = re.search(r"^room (\S+) commitment (\w+)$", printed, re.MULTILINE)
    assert found, printed
    verified = reader.run(page.next("ludus verify", ("ROOM", found[1]), (" COMMITMENT", f" {found[2]}")))
    assert "✓ All rolls follow from the seed" in verified

    created = reader.run(page.next('"matchType": "private"'))
    (code,) = re.findall(r'"roomCode":"(\w+)"', created)
    assert matches(page.next("roomCode", ("9CYWRT", code)).text, created[created.index("{") :])
    assert '"sessionToken"' in reader.run(page.next("sessions/join", ("9CYWRT", code)))

    watch(page, reader)
    webhooks(page, reader, str(free_port()))
    assert page.is_finished


def watch(page: Tutorial, reader: Reader) -> None:
    reader.save(page.next("python watch.py"))
    ann, ben = (reader.start(player(name)) for name in ("Ann", "Ben"))
    red, black = seats(ann, ben)
    red.await_line("red to move")
    black.await_line("red to move")
    spectator = reader.start(page.next("python watch.py"))
    joined, first, second = page.next("watching").text.splitlines()
    spectator.await_line(joined.partition(" ")[0])
    move(red, black, "42-33", "black")
    spectator.await_line(re.escape(first.partition(" ")[2]))
    move(black, red, "17-24", "red")
    spectator.await_line(re.escape(second.partition(" ")[2]))
    red.type("resign")
    spectator.await_line("resignation")
    red.finish()
    black.finish()


def webhooks(page: Tutorial, reader: Reader, port: str) -> None:
    reader.save(page.next("python hooks.py", (PORT, port)))
    created = reader.run(page.next("ludus tenant create", (PORT, port)))
    assert matches(page.next("webhook secret").text, created)
    (key,), (secret,) = re.findall(r"ludus_live_\S+", created), re.findall(r"whsec_\S+", created)
    receiver = reader.start(page.next("python hooks.py", ("whsec_epu+v…", secret)))
    playing = reader.start(page.next("export KEY", ("ludus_live_f-X8U…", key)))
    playing.await_line("red to move")
    playing.type("42-33")
    playing.await_line("black to move")
    playing.await_line("red to move")
    playing.type("resign")
    playing.finish()
    for line in page.next("session.created").text.splitlines():
        receiver.await_line(rf"^{re.escape(line.partition(' ')[0])} \{{")


def player(name: str) -> Block:
    return Block(PAGE, 0, "sh", "", f"python player.py $(python session.py {name})\n")


def seats(*players: Process) -> tuple[Process, Process]:
    """The players in the order of their seats, once both are at the table."""
    colours = {each.await_line("you are (red|black)")[1]: each for each in players}
    return colours["red"], colours["black"]


def read_board(player: Process, block: Block, *first: str) -> None:
    """Waits for the lines of a board that the page shows, after the first one."""
    for line in (*first, *block.text.splitlines()[1:]):
        player.await_line(rf"^{re.escape(line)}$")


def move(mover: Process, other: Process, text: str, after: str) -> None:
    mover.type(text)
    for each in (mover, other):
        each.await_line(f"{after} to move")
