"""Checkers for learners."""

from __future__ import annotations

from types import MappingProxyType

from ludus.envs.checkers.encoding import CheckersEncoding
from ludus.envs.checkers.repetition.encoding import RepetitionEncoding

ENCODING = CheckersEncoding()
VERSIONS = MappingProxyType({"checkers_v4": ENCODING, "checkers_v5": RepetitionEncoding()})
