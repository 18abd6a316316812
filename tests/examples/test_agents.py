"""The example agents play in a real arena."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.client.conftest import UNLIMITED
from tests.examples import endpoint
from tests.server_process import ServerProcess

from ludus import GAMES, Game
from ludus.envs.policy import Policy, widths

FOLDER = Path(__file__).parents[2] / "examples"
RESULT = re.compile(r"(win|loss|draw) \(\w+\), rating \d+")
Agent = Callable[..., list[str]]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path_factory.mktemp("arena") / "data", **UNLIMITED)
    yield server
    server.close()


@pytest.fixture
def agent(server: ServerProcess, tmp_path: Path) -> Agent:
    """Runs an example against the easiest bot; returns the lines it prints."""

    def run(example: str, *options: str) -> list[str]:
        words = [sys.executable, str(FOLDER / example), "--url", server.url, "--opponent", "house:easy", *options]
        environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "OPENAI_API_KEY": "a key"}
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


def test_the_random_agent_plays_and_returns_as_the_same_agent(agent: Agent) -> None:
    for game in ("backgammon", "checkers"):
        lines = agent("agent_random.py", "--game", game, "--matches", "2")
        assert len(lines) == 2
        assert all(RESULT.fullmatch(line) for line in lines)


@pytest.mark.parametrize("game", ["backgammon", "checkers"])
def test_the_engine_agent_plays(agent: Agent, game: str) -> None:
    lines = agent("agent_engine.py", "--engine", "medium", "--game", game, "--name", f"Engine {game}")
    assert RESULT.fullmatch(lines[-1])


def test_the_engine_agent_remembers_only_its_current_match() -> None:
    memory, game = runpy.run_path(str(FOLDER / "agent_engine.py"))["Memory"](GAMES["checkers"]), Game(GAMES["checkers"])
    memory.look(game.position)
    assert memory.past == []
    for mine, theirs in (("11-15", "22-18"), ("15x22", "25x18")):
        memory.keep(game.position, game.rules.notation.read_move(game.position, mine))
        game.play(mine)
        game.play(theirs)
        memory.look(game.position)
        assert tuple(memory.past) == game.positions[:-1]
    memory.keep(game.position, game.legal_moves()[0])
    memory.look(game.position)  # the move was refused
    assert tuple(memory.past) == game.positions[:-1]
    memory.look(GAMES["checkers"].variants["standard"])
    assert memory.past == []


@pytest.mark.parametrize("game", ["backgammon", "checkers"])
def test_the_engine_agent_plays_with_a_policy(agent: Agent, tmp_path: Path, game: str) -> None:
    shape = widths(game)
    layer = np.random.default_rng(1).normal(size=shape), np.zeros(shape[1])
    Policy.from_layers(game, [layer]).save(file := tmp_path / "policy.npz")
    lines = agent("agent_engine.py", "--engine", str(file), "--game", game, "--name", f"Policy {game}")
    assert RESULT.fullmatch(lines[-1])


@pytest.mark.parametrize("game", ["backgammon", "checkers"])
def test_the_language_model_agent_survives_nonsense(agent: Agent, game: str) -> None:
    with endpoint.opened() as model:
        lines = agent("agent_llm.py", "--endpoint", model.url, "--model", "fake", "--game", game, "--name", f"M {game}")
    assert RESULT.fullmatch(lines[-1])
    first = model.asked[0]
    assert (first["path"], first["model"], first["key"]) == ("/v1/chat/completions", "fake", "Bearer a key")
    assert game in first["messages"][0]["content"]
    assert "Legal moves: 1 " in first["messages"][1]["content"]
    corrections = [asked for asked in model.asked if "That is not a move" in asked["messages"][-1]["content"]]
    assert corrections


@pytest.mark.parametrize("game", ["backgammon", "checkers"])
def test_the_agent_with_tools_plays_by_rules(agent: Agent, game: str) -> None:
    lines = agent("agent_tools.py", "--game", game, "--name", f"Tools {game}")
    assert RESULT.fullmatch(lines[-1]) and len(lines) == 1


def test_a_model_that_makes_no_move_is_replaced_by_chance() -> None:
    example = runpy.run_path(str(FOLDER / "agent_tools.py"))
    asked: list[str] = []

    def idle(messages: list[dict[str, str]], tools: list[dict[str, str]]) -> dict[str, object]:
        asked.append(messages[-1]["content"])
        call = {"id": "1", "name": "play_move", "arguments": {"number": 99}}
        return {"content": "", "tool_calls": [call, {"id": "2", "name": "think", "arguments": {}}]}

    view = {"legalMoves": [{"from": 11, "to": 15}]}
    assert example["agent_with"](idle, "checkers")(view) == {"from": 11, "to": 15}
    assert len(asked) == example["MOST_STEPS"] and asked[-1] == "There is no tool think."
