"""Makes the package of docs/add-a-game.md from the page, as if pip had installed it."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "add-a-game.md"
BLOCK = re.compile(r"^```\w+ file=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def files() -> dict[str, str]:
    """The page's files by their paths."""
    return dict(BLOCK.findall(PAGE.read_text(encoding="utf-8")))


def install(folder: Path) -> dict[str, str]:
    """Writes package and metadata to a folder; returns an environment in which Python finds them."""
    found = files()
    for path, text in found.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    project = tomllib.loads(found["pyproject.toml"])["project"]
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8"
    )
    entries = "".join(f"{name} = {value}\n" for name, value in project["entry-points"]["ludus.games"].items())
    (info / "entry_points.txt").write_text(f"[ludus.games]\n{entries}", encoding="utf-8")
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
