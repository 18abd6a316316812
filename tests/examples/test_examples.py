"""The examples run. Those that need torch are always compiled, and run where torch is."""

from __future__ import annotations

import ast
import os
import py_compile
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from ludus.envs.policy import Policy
from ludus.envs.value import Value

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))
CLOCK = str(Path(__file__).with_name("clock.py"))
FOREIGN = {"chat_bot", "webhook_receiver"}
"""Programs that know the protocol and nothing of ours."""
WITHOUT_MATPLOTLIB = """
import runpy, sys
sys.modules["matplotlib"] = None
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
BROKEN_OFF = "import torch; torch.optim.Adam.step = lambda *_: exit()"
each_example = pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)


def needs(*modules: str) -> pytest.MarkDecorator:
    missing = [module for module in modules if find_spec(module) is None]
    return pytest.mark.skipif(bool(missing), reason=f"needs {', '.join(missing)}")


def run(example: str, *options: str, before: tuple[str, ...] = ()) -> str:
    command = [sys.executable, *before, str(FOLDER / example), *options]
    environment = os.environ | {"PYTHONIOENCODING": "utf-8"}
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8", env=environment).stdout


def names_from_ludus(example: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(example.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "ludus":
            yield from ((node.module, alias.name) for alias in node.names)


@each_example
def test_every_example_compiles(example: Path, tmp_path: Path) -> None:
    py_compile.compile(str(example), str(tmp_path / "compiled"), doraise=True)


@each_example
def test_what_an_example_imports_is_there(example: Path) -> None:
    names = list(names_from_ludus(example))
    assert bool(names) != (example.stem in FOREIGN)
    for module, name in names:
        assert hasattr(import_module(module), name) or find_spec(f"{module}.{name}"), name


@each_example
def test_every_example_is_listed(example: Path) -> None:
    assert f"]({example.name})" in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_the_loop_plays_a_game_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(FOLDER / "pettingzoo_loop.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "│░░░░ 1  ░░░░ 2 " in printed
    assert "reason: " in printed


@needs("sb3_contrib", "matplotlib")
def test_maskable_ppo_learns_for_a_moment_and_leaves_a_policy(tmp_path: Path) -> None:
    """Skipped without sb3-contrib, which brings torch: too large to be among the tools for development."""
    printed = run("maskable_ppo.py", "--steps", "1", "--games", "8", "--out", str(tmp_path))
    assert "8,192 steps: " in printed
    assert Policy.load(tmp_path / "policy.npz").game == "checkers"
    assert {path.name for path in tmp_path.iterdir()} == {"model.zip", "policy.npz", "curve.png"}


@needs("torch", "matplotlib")
@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_ppo_goes_on_from_its_checkpoint_and_leaves_a_policy(game: str, tmp_path: Path) -> None:
    """Skipped without torch, which is too large to be among the tools for development."""
    options = "--games", "8", "--envs", "8", "--out", str(tmp_path)
    assert " 512 steps, " in run("ppo.py", game, "--steps", "512", *options)
    printed = run("ppo.py", game, "--steps", "1024", "--resume", *options)
    assert " 1,024 steps, " in printed
    assert " 512 steps, " not in printed
    assert Policy.load(tmp_path / "policy.npz").game == game
    assert {path.name for path in tmp_path.iterdir()} == {"checkpoint.pt", "policy.npz", "scores.json", "curve.png"}
    (tmp_path / "curve.png").unlink()
    assert run("ppo.py", game, "--plot", "--out", str(tmp_path)).startswith("the results are in")
    assert (tmp_path / "curve.png").exists()


@needs("torch")
def test_ppo_leaves_a_policy_after_every_evaluation_and_needs_no_matplotlib(tmp_path: Path) -> None:
    """The first run breaks off when it has evaluated the untrained network."""
    options = "checkers", "--steps", "512", "--games", "8", "--envs", "8", "--out", str(tmp_path)
    files = {"checkpoint.pt", "policy.npz", "scores.json"}
    for more, after, said in ((), BROKEN_OFF, " 0 steps, "), (("--resume",), "", "matplotlib is missing"):
        assert said in run("ppo.py", *options, *more, before=("-c", f"{after}{WITHOUT_MATPLOTLIB}"))
        assert {path.name for path in tmp_path.iterdir()} == files
        assert Policy.load(tmp_path / "policy.npz").game == "checkers"


ALPHAZERO = "--envs", "16", "--length", "8", "--simulations", "4", "--games", "4"
TD_LAMBDA = "--envs", "16", "--games", "4", "--evaluations", "1"


@needs("torch", "matplotlib")
def test_alphazero_learns_for_a_moment_and_leaves_a_policy_that_searches(tmp_path: Path) -> None:
    printed = run("alphazero.py", "--steps", "512", *ALPHAZERO, "--out", str(tmp_path))
    assert " 512 steps, " in printed
    policy = Policy.load(tmp_path / "policy.npz")
    assert (policy.game, policy.simulations, len(policy.layers)) == ("checkers", 4, 3)
    assert {path.name for path in tmp_path.iterdir()} == {"policy.npz", "scores.json", "curve.png"}


@needs("torch", "matplotlib")
def test_alphazero_searches_groups_of_games_with_a_network_of_any_size(tmp_path: Path) -> None:
    sizes = "--groups", "2", "--layers", "3", "--width", "32", "--play-simulations", "9"
    run("alphazero.py", "--steps", "256", *ALPHAZERO, *sizes, "--out", str(tmp_path))
    policy = Policy.load(tmp_path / "policy.npz")
    assert policy.simulations == 9
    assert [layer.bias.size for layer in policy.layers] == [32, 32, 32, 256]


@needs("torch", "matplotlib")
def test_td_lambda_learns_for_a_moment_and_leaves_a_value_function(tmp_path: Path) -> None:
    assert " 512 turns, " in run("td_lambda.py", "--turns", "512", *TD_LAMBDA, "--out", str(tmp_path))
    assert Value.load(tmp_path / "value.npz").game == "backgammon"
    assert {path.name for path in tmp_path.iterdir()} == {"value.npz", "scores.json", "curve.png"}


@needs("torch", "matplotlib")
@pytest.mark.parametrize(("hidden", "layers", "widths"), [(0, 1, [6]), (8, 2, [8, 8, 6])])
def test_td_lambda_has_a_network_of_any_size(hidden: int, layers: int, widths: list[int], tmp_path: Path) -> None:
    sizes = "--hidden", str(hidden), "--layers", str(layers)
    run("td_lambda.py", "--turns", "256", *TD_LAMBDA, *sizes, "--out", str(tmp_path))
    _, *learned = Value.load(tmp_path / "value.npz").layers
    assert [layer.bias.size for layer in learned] == widths


@needs("torch", "matplotlib")
@pytest.mark.parametrize(("example", "small"), [("alphazero.py", ALPHAZERO), ("td_lambda.py", TD_LAMBDA)])
def test_a_training_ends_when_its_minutes_are_over(example: str, small: tuple[str, ...], tmp_path: Path) -> None:
    """The curve can be drawn again from the scores."""
    printed = run(example, "--minutes", "1", *small, "--out", str(tmp_path), before=(CLOCK,))
    *_, trained = re.findall(r"([\d,]+) (?:steps|turns), ", printed)
    assert 256 < int(trained.replace(",", "")) < 256 * 60
    (tmp_path / "curve.png").unlink()
    assert run(example, "--plot", "--out", str(tmp_path)).startswith("the results are in")
    assert (tmp_path / "curve.png").exists()


@needs("torch", "matplotlib")
def test_td_lambda_does_not_train_in_no_minutes(tmp_path: Path) -> None:
    printed = run("td_lambda.py", "--minutes", "0", *TD_LAMBDA, "--out", str(tmp_path))
    assert re.findall(r"([\d,]+) turns, ", printed) == ["0"]
