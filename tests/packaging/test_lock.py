"""requirements-dev.txt, which `make lock` writes, belongs to pyproject.toml and to no particular machine."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
PINNED = re.compile(r"^([a-z0-9][a-z0-9._-]*)(?:\[[a-z,]+\])?==(\S+)", re.MULTILINE)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def wanted() -> list[Requirement]:
    """What the project and its developers need."""
    listed = [*PROJECT["dependencies"], *(text for extra in ("envs", "train", "docs", "dev") for text in EXTRAS[extra])]
    return [one for one in map(Requirement, listed) if one.name != PROJECT["name"]]


@pytest.mark.parametrize("requirement", wanted(), ids=lambda requirement: requirement.name)
def test_every_requirement_is_locked_within_its_bounds(requirement: Requirement) -> None:
    pinned = [version for name, version in PINNED.findall(LOCK) if name == canonicalize_name(requirement.name)]
    assert pinned, "run make lock"
    assert all(map(requirement.specifier.contains, pinned)), "run make lock"


def test_every_version_has_hashes() -> None:
    blocks = re.split(r"\n(?=[a-z0-9])", LOCK)[1:]
    assert len(blocks) == len(PINNED.findall(LOCK)) > 50
    assert all("--hash=sha256:" in block for block in blocks)


def test_no_address_of_an_index_is_in_it() -> None:
    assert not re.search(r"://|--(?:extra-)?index|--find-links", LOCK)
