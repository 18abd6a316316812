"""A parser of input from outside: what it takes, what it may raise, and how much work it may do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from hypothesis import strategies as st
from tests.fuzz import mutations
from tests.fuzz.steps import count_steps

BASE_STEPS: Final = 60_000
"""For the shortest input: some parsers list legal moves or validate a model first."""


class Target(NamedTuple):
    name: str
    parse: Callable[[Any], object]
    errors: tuple[type[Exception], ...]
    """The documented ones; anything else is a defect."""
    examples: Sequence[Any]
    """Valid input: text, bytes, or values as JSON has them."""
    steps: int = 100
    """Lines of Python for each further character."""

    def inputs(self) -> st.SearchStrategy[Any]:
        if isinstance(self.examples[0], str):
            return mutations.texts(self.examples)
        if isinstance(self.examples[0], bytes):
            texts = mutations.texts([example.decode("latin1") for example in self.examples])
            return texts.map(lambda text: text.encode("latin1", "replace"))
        return mutations.values(self.examples)

    def warm_up(self) -> None:
        """Takes the examples, so that what happens once is not counted later."""
        for example in self.examples:
            self.parse(example)

    def check(self, given: Any) -> int:
        """Parses, and returns the steps that it took."""

        def parse() -> None:
            with suppress(*self.errors):
                self.parse(given)

        return count_steps(parse, BASE_STEPS + self.steps * size(given))


def size(given: Any) -> int:
    """In characters or bytes, or about as many as JSON would have."""
    if isinstance(given, str | bytes):
        return len(given)
    if isinstance(given, dict):
        return 2 + sum(len(str(key)) + size(value) + 2 for key, value in given.items())
    if isinstance(given, list | tuple):
        return 2 + sum(size(value) + 1 for value in given)
    return given.bit_length() // 3 if isinstance(given, int) else 8
