"""Backgammon for learners."""

from __future__ import annotations

from types import MappingProxyType

from ludus.envs.backgammon.cube.encoding import CubeEncoding
from ludus.envs.backgammon.encoding import BackgammonEncoding

ENCODING = BackgammonEncoding()
VERSIONS = MappingProxyType({"backgammon_v0": ENCODING, "backgammon_v1": CubeEncoding()})
