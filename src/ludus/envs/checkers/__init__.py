"""Checkers for learners."""

from __future__ import annotations

from ludus.envs.checkers.encoding import CheckersEncoding

ENCODING = CheckersEncoding()
