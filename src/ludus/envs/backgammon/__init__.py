"""Backgammon for learners."""

from __future__ import annotations

from ludus.envs.backgammon.encoding import BackgammonEncoding

ENCODING = BackgammonEncoding()
