"""Input that is almost valid: examples with a few changes, and anything else."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any, Final

from hypothesis import strategies as st

MAX_CHANGES: Final = 4
MAX_REPEATS: Final = 200
ODD_TEXTS: Final = (
    "", "\0", "\n", "\r\n", "\ufeff", "\ud800", "é", "٣", "½", "²", "\u202e", "-1", "0", "1e999", "NaN", "9" * 5000,
    "null", "true", '"', "'", "\\", "{", "}", "[", "]", "[" * 3000, "(", ")", ";", ":", "%00", "..", "/", "%n", "${x}",
)  # fmt: skip
ODD_VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1.0, 1.5, 2**63, -(2**63), 10**400, float("nan"), float("inf"), "", "bar", "\0", "\ud800",
    "9" * 5000, "x" * 70_000, [], {}, [[]], {"": None}, [None] * 300,
)  # fmt: skip


@st.composite
def texts(draw: st.DrawFn, examples: Sequence[str]) -> str:
    """One of the examples with a few changes, parts of two of them, or any text."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.text(max_size=200))
    text = draw(st.sampled_from(examples))
    for _ in range(draw(st.integers(0, MAX_CHANGES))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        patch = draw(_patches(text[start:end], examples))
        text = text[:start] + patch + text[end:]
    return text


def _patches(part: str, examples: Sequence[str]) -> st.SearchStrategy[str]:
    repeated = st.integers(2, MAX_REPEATS).map(lambda times: (part or " ") * times)
    other = st.tuples(st.sampled_from(examples), st.integers(0, 99)).map(lambda pair: pair[0][pair[1] :][:40])
    return st.just("") | st.sampled_from(ODD_TEXTS) | st.text(max_size=5) | repeated | other


@st.composite
def values(draw: st.DrawFn, examples: Sequence[Any]) -> Any:
    """One of the examples, which are JSON, with other values, missing ones and more of them."""
    value = copy.deepcopy(draw(st.sampled_from(examples)))
    for _ in range(draw(st.integers(0, MAX_CHANGES))):
        places = list(_places(value))
        if not places:
            return copy.deepcopy(draw(st.sampled_from(ODD_VALUES)))
        holder, key = draw(st.sampled_from(places))
        match draw(st.sampled_from(["replace", "delete", "repeat", "wrap"])):
            case "replace":
                holder[key] = copy.deepcopy(
                    draw(st.sampled_from(ODD_VALUES) | st.integers(-2, 70) | st.text(max_size=9))
                )
            case "delete":
                del holder[key]
            case "repeat" if isinstance(holder, list):
                holder += [copy.deepcopy(holder[key]) for _ in range(draw(st.integers(1, MAX_REPEATS)))]
            case _:
                holder[key] = [holder[key]]
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Where something can be changed: a list or an object, and an index or a key."""
    if isinstance(value, list | dict):
        for key in range(len(value)) if isinstance(value, list) else list(value):
            yield value, key
            yield from _places(value[key])
