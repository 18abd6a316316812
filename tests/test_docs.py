"""The documentation holds together: its links lead somewhere, and no error code is left out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ludus.core import errors
from ludus.core.errors import LudusError

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r'\]\(([^)\s]+)\)|\b(?:src|href)="([^"]+)"')
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
CODES = sorted({kind.code for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, LudusError)})


def links(page: Path) -> list[str]:
    """Every link and image of a page that stays in the project."""
    found = [one or other for one, other in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8")))]
    return [link for link in found if not re.match("[a-z]+:", link)]


def anchors(page: Path) -> set[str]:
    """What a link can point at inside a page: its headings in small letters, with hyphens and without signs."""
    headings = HEADING.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target), link


def test_links_are_found() -> None:
    assert {"docs/images/checkers.svg", "docs/images/backgammon.svg"} <= set(links(ROOT / "README.md"))


def test_every_page_of_the_documentation_is_in_its_table_of_contents() -> None:
    contents = ROOT / "docs" / "README.md"
    listed = {(contents.parent / link).resolve() for link in links(contents)}
    assert set((ROOT / "docs").rglob("*.md")) - {contents} <= listed


@pytest.mark.parametrize("code", CODES)
def test_every_error_code_is_documented(code: str) -> None:
    assert f"| `{code}` |" in (ROOT / "docs" / "reference" / "rules.md").read_text(encoding="utf-8")
