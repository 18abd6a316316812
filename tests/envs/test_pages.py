from __future__ import annotations

import pytest

from .pages import NAMES, page, path

SECTIONS = [
    "Usage",
    "Manual control",
    "The fast loop",
    "Observation",
    "Action mask",
    "Actions",
    "Rewards",
    "Termination",
    "Differences from the original",
    "Version history",
]


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_an_environment_is_its_docstring(name: str) -> None:
    assert path(name).read_text(encoding="utf-8") == page(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_page_follows_the_template(name: str) -> None:
    assert [line[3:] for line in page(name).splitlines() if line.startswith("## ")] == SECTIONS
