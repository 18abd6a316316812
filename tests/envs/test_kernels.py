"""Every kernel has what `ludus.envs.encoding` lists."""

from __future__ import annotations

import re

import pytest

from ludus.envs import encoding
from ludus.envs.encoding import find_encoding, games, versions

NAMES = [name for game in games() for name in versions(game)]


def listed() -> set[str]:
    """The names in the first column of the module's tables, without those that some kernels need not have."""
    rows = [line.split("|") for line in (encoding.__doc__ or "").splitlines() if line.startswith("| `")]
    required = [cells[1] for cells in rows if not re.search(r"optional|only with", cells[2])]
    return {name for cell in required for name in re.findall(r"`(\w+)", cell)}


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_has_the_listed_names(name: str) -> None:
    names = listed()
    assert {"WORDS", "STEPS", "apply_action", "mask_word"} <= names
    assert [missing for missing in sorted(names) if not hasattr(find_encoding(name).kernel, missing)] == []
