"""The version is the same wherever it is written."""

from __future__ import annotations

import json
import re
from pathlib import Path

from ludus import __version__

ROOT = Path(__file__).parents[2]
RELEASE = re.compile(r"^## (\d+\.\d+\.\d+)(?: - (\d{4}-\d\d-\d\d))?$", re.MULTILINE)


def test_the_changelog_has_a_section_for_it_below_what_is_not_released() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", text, re.MULTILINE)[:2] == ["Unreleased", __version__]
    releases = RELEASE.findall(text)
    versions = [tuple(map(int, version.split("."))) for version, _ in releases]
    assert versions == sorted(versions, reverse=True)
    assert f"\ndate-released: {releases[0][1]}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_citation_names_it() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in text


def test_the_npm_package_has_it() -> None:
    package = json.loads((ROOT / "clients" / "js" / "package.json").read_text(encoding="utf-8"))
    assert package["version"] == __version__
