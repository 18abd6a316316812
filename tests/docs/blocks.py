"""The code blocks of a page, and what their languages mean.

| language | what it is |
|---|---|
| `sh` | commands; run in order, in one folder and one environment for the page |
| `console` | commands after `$`, each with what it prints |
| `python`, `py`, `js` | a program; saved if its first line names a file, else run |
| `python`, `pycon` with `>>>` | a session; pytest's doctests run it |
| `output` | what the block before it prints |
| `json`, `toml`, `ini` | data; parsed |
| `html` | its addresses on this server must exist |
| `text` | something to look at; not run |
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md", "docs/**/*.md")
FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^`\n]*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r'^(?:"""python |#!? |// |<!-- )([\w./-]+\.(?:py|mjs|js|html))\b')
"""How the first line of a block names the file to save it in."""


class Block(NamedTuple):
    page: str
    line: int
    language: str
    info: str
    """What follows the language."""
    text: str

    @property
    def is_session(self) -> bool:
        return self.language in ("python", "pycon") and ">>> " in self.text

    @property
    def file(self) -> str | None:
        named = FILE.match(self.text) or re.match(r"file=(\S+)", self.info)
        return named[1] if named else None

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    found = (path for pattern in PAGES for path in sorted(ROOT.glob(pattern)))
    return [path.relative_to(ROOT).as_posix() for path in found]


def blocks(page: str) -> list[Block]:
    """The blocks in order, without the indentation of a list they may stand in."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [_block(page, text, match) for match in FENCE.finditer(text)]


def _block(page: str, text: str, match: re.Match[str]) -> Block:
    language, _, info = match["info"].strip().partition(" ")
    indent = len(match["indent"])
    lines = [line[indent:] for line in match["text"].splitlines()]
    return Block(page, text.count("\n", 0, match.start()) + 1, language, info, "\n".join(lines) + "\n")
