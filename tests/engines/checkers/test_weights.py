from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ludus.engines.checkers import weights
from ludus.engines.checkers.evaluation import ALL_CELLS
from ludus.engines.checkers.weights import MalformedWeights


def test_weights_round_trip_through_a_file(tmp_path: Path) -> None:
    weights.save(tmp_path / "w.npz", weights.packaged())
    assert np.array_equal(weights.load(tmp_path / "w.npz"), weights.packaged())


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(MalformedWeights, match="No such file"):
        weights.load(tmp_path / "none.npz")


def test_a_corrupt_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "w.npz").write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(MalformedWeights, match="not a weights file"):
        weights.load(tmp_path / "w.npz")


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"format": 2, "cells": np.zeros((ALL_CELLS, 2), np.int16)}, "format 2"),
        ({"format": 1, "cells": np.zeros((ALL_CELLS, 3), np.int16)}, "shape"),
        ({"format": 1, "cells": np.zeros((ALL_CELLS, 2), np.float32)}, "float32"),
        ({"format": 1}, "not a weights file"),
    ],
)
def test_files_of_another_format_are_refused(tmp_path: Path, parts: dict[str, object], problem: str) -> None:
    np.savez(tmp_path / "w.npz", **parts)  # type: ignore[arg-type]  # NumPy's stub takes them for its own options
    with pytest.raises(MalformedWeights, match=problem):
        weights.load(tmp_path / "w.npz")


def test_the_packaged_weights_are_small() -> None:
    assert Path(weights.__file__).with_name(weights.PACKAGED).stat().st_size < 2_000_000
