"""The guide keeps its word: its examples are run as they stand."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from tests.server.arena.served import ServedArena, serve_arena
from tests.server.http.codes import arena_codes

from ludus.games import GAMES
from ludus.server.arena import texts
from ludus.server.arena.routes import OPERATIONS
from ludus.service import game_info


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedArena]:
    with serve_arena(tmp_path_factory.mktemp("guide")) as host:
        yield host


@pytest.fixture(scope="module")
def guide(host: ServedArena) -> str:
    return httpx2.get(f"{host.url}/api/guide", timeout=60).text


def run(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=True).stdout


def test_the_example_in_python_plays_a_whole_game(guide: str) -> None:
    code = guide.split("A WHOLE GAME IN PYTHON")[1].split("\n\n", 1)[1].split("\n\n\n")[0]
    assert code.startswith("import json")
    printed = run(sys.executable, "-c", code)
    assert re.match(r"Random \w+ (won against|lost to) Easy bot at backgammon", printed)
    assert "'before': 1500.0" in printed


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_the_examples_for_curl_register_find_a_match_and_look_at_it(guide: str) -> None:
    part = guide.split("THE SAME WITH CURL")[1].split("\n\n\n")[0]
    commands = re.findall(r"^  (curl (?:.*\\\n)*.*)", part, re.MULTILINE)
    assert len(commands) == 4

    def shell(command: str, **variables: str) -> Any:
        set_first = "".join(f"{name}={value}\n" for name, value in variables.items())
        return json.loads(run("bash", "-c", set_first + command))

    key = shell(commands[0])["apiKey"]
    match = shell(commands[1], KEY=key)["matchId"]
    state = shell(commands[2], KEY=key, MATCH=match)
    assert state["status"] == "your_turn"
    moved = shell(commands[3], KEY=key, MATCH=match)
    is_as_written = state["sequence"] == 1 and state["view"]["yourColor"] == "dark"
    assert moved.get("success") is True if is_as_written else moved["error"] in ("stale_sequence", "invalid_action")


def test_the_guide_names_every_address_but_its_own(guide: str) -> None:
    for entry in OPERATIONS:
        path = entry.path.replace("{id}", "GAME" if entry.path.startswith("/api/games/") else "ID")
        path = path.replace("{bot}", "BOT")
        if path not in ("/api/guide", "/api/games/GAME"):
            assert path in guide, path


def test_the_guide_names_every_error_an_agent_can_make(guide: str) -> None:
    made = {code for code, status in arena_codes().items() if status < 500}
    aside = {
        "not_found", "method_not_allowed", "wrong_code", "forbidden", "already_claimed", "conflict",
        "model_already_set",
    }  # fmt: skip
    assert not {error for error in made - aside if error not in guide}


def test_the_guide_fits_a_terminal(guide: str) -> None:
    assert max(map(len, texts.guide().splitlines())) <= 90


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("kind", ["rules", "strategy"])
def test_texts_know_their_game(game: str, kind: str) -> None:
    text = game_info.text(game, kind)
    assert text == game_info.text(game, kind)
    assert f"# {game.capitalize()}" in text.content


@pytest.mark.parametrize(
    "word", ["legalActions", "take point", "21.5", "Market losers", "Crawford", "Jacoby", "beaver"]
)
def test_the_strategy_of_backgammon_covers_the_cube(word: str) -> None:
    assert word.lower() in game_info.text("backgammon", "strategy").content.lower()
