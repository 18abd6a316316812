from __future__ import annotations

import sys

import numba
import pytest

from ludus.core.cuda import cuda
from ludus.core.errors import NoDevice
from ludus.envs import batch


@pytest.fixture
def without_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("ludus.core.cuda", "ludus.envs.batched.cuda"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.delattr(numba, "cuda", raising=False)
    monkeypatch.setitem(sys.modules, "numba.cuda", None)


@pytest.mark.usefixtures("without_libraries")
def test_without_cudas_libraries_the_error_says_what_to_install() -> None:
    with pytest.raises(
        NoDevice, match=r"^CUDA cannot be loaded \(.+\); .*pip install 'ludus-games\[cuda\]'; device='cpu'"
    ):
        batch("checkers", 4, device="cuda")


def test_without_a_device_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "is_available", lambda: False)
    with pytest.raises(NoDevice, match=r"^Numba finds no CUDA device; .*\[cuda\]"):
        batch("checkers", 4, device="cuda")
