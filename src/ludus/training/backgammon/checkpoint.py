"""Checkpoints as they come from the disk, which may be cut short or of something else."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import torch

from ludus.core.errors import BadInput
from ludus.engines.backgammon.network.weights import BAD_FILE

BAD_CHECKPOINT: Final = (*BAD_FILE, RuntimeError, AttributeError, pickle.UnpicklingError)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Whatever goes wrong with what the file holds is the file's fault; torch's own words run over many lines."""
    try:
        yield
    except BAD_CHECKPOINT as error:
        raise BadInput(f"{path} is damaged, cut short or no checkpoint of this training") from error


def read(path: Path, device: str) -> dict[str, Any]:
    with reading(path):
        return dict(torch.load(path, map_location=device, weights_only=True))
