from __future__ import annotations

import importlib
import sys

import pytest

from ludus.core.errors import BadInput
from ludus.core.extras import MissingExtra, extra


@pytest.mark.parametrize(("module", "title"), [("PIL", "Pillow"), ("torch", "torch")])
def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch, module: str, title: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with (
        pytest.raises(MissingExtra, match=rf"^this needs {title}: pip install 'ludus-games\[train\]'$"),
        extra("train"),
    ):
        importlib.import_module(module)


def test_it_is_bad_input_to_us_and_a_missing_module_to_python() -> None:
    assert issubclass(MissingExtra, BadInput)
    assert issubclass(MissingExtra, ModuleNotFoundError)


def test_the_inner_extra_is_the_one_that_is_named() -> None:
    with pytest.raises(MissingExtra, match=r"ludus-games\[envs\]"), extra("train"), extra("envs"):
        raise ModuleNotFoundError(name="gymnasium.spaces")


def test_a_missing_module_of_our_own_is_a_defect_and_stays_one() -> None:
    with pytest.raises(ModuleNotFoundError) as raised, extra("envs"):
        raise ModuleNotFoundError(name="ludus.nowhere")
    assert not isinstance(raised.value, MissingExtra)
