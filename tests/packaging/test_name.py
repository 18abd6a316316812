"""The distribution is `ludus-games`: `ludus` on the package index is someone else's."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = {".md", ".py", ".toml", ".txt", ".js", ".mjs", ".ts", ".json", ".yaml", ".yml", ".html", ".cff", ".sh", ""}
INSTALL = re.compile(r"\b(?:pip3?|pipx|uv tool|uv pip|uv|poetry|pdm) (?:install|add|download|wheel)\b([^\n`&;|#]*)")
RUN = re.compile(r"\b(?:uvx|pipx run|uv tool run)\b([^\n`&;|#]*)")
EXTRA = re.compile(r"(?<![\w/.-])ludus\[[a-z]")
NAME = re.compile(r"[A-Za-z0-9._-]+")


def installs_another(text: str) -> bool:
    """Whether a command in the text installs `ludus`, or it names an extra of that."""
    words = [word for found in INSTALL.finditer(text) for word in found[1].split()]
    for found in RUN.finditer(text):  # these run the package that has the command's name, unless told
        words += [] if "--from" in found[1] or "--spec" in found[1] else found[1].split()[:1]
        words += re.findall(r"(?:--from|--spec|--with)[ =](\S+)", found[1])
    names = (NAME.match(word.strip("'\"(,.)")) for word in words)
    return any(name and name[0].lower() == "ludus" for name in names) or bool(EXTRA.search(text))


def files() -> list[Path]:
    """What the repository holds: what git lists, or everything in an unpacked sdist."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    else:
        names = [str(file) for file in ROOT.rglob("*")]
    found = (ROOT / name for name in names if name)
    return [file for file in found if file.suffix in TEXT and file.is_file() and file != Path(__file__)]


@pytest.mark.parametrize(
    "line",
    [
        "pip install ludus",
        "pip install 'ludus'",
        "pip install ludus[envs]",
        "`pip install 'ludus[train,cuda]'`",
        "python -m pip install --upgrade ludus  # the newest",
        "pip install ludus==0.2.0",
        "uv pip install numpy ludus",
        "uv tool install ludus",
        "uv add ludus",
        "pipx install ludus",
        "uvx ludus serve",
        "uvx --from ludus ludus serve",
        "needs `ludus[client]`",
    ],
)
def test_installing_the_other_project_is_noticed(line: str) -> None:
    assert installs_another(line)


@pytest.mark.parametrize(
    "line",
    [
        "pip install ludus-games",
        "pip install 'ludus-games[envs]'",
        "pip install '.[envs]' && ludus serve",
        "pip install . && ludus serve",
        "pip install dist/ludus_games-0.2.0-py3-none-any.whl",
        "uvx --from . ludus serve",
        "uvx --from ludus-games ludus serve",
        "import ludus",
        "uv run ludus serve",
    ],
)
def test_our_own_commands_are_not(line: str) -> None:
    assert not installs_another(line)


def test_no_file_installs_the_other_project() -> None:
    wrong = [
        f"{file.relative_to(ROOT)}:{number}: {line}"
        for file in files()
        for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if "ludus" in line and installs_another(line)
    ]
    assert not wrong


def test_the_distribution_and_the_command_have_their_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == "ludus-games"
    assert project["scripts"] == {"ludus": "ludus.cli:main"}
