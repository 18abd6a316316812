"""Fixed opponents to be measured by: one that plays anything, and one that adds up a few plain signs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import torch
from torch import Tensor

from ludus.engines.backgammon.network.features import SMALL, Sign
from ludus.training.backgammon.judge import Verdict

WEIGHTS: Final[Mapping[Sign, float]] = MappingProxyType(
    {
        Sign.PIPS: -0.008,
        Sign.HITS: 0.012,
        Sign.ESCAPES: 0.004,
        Sign.HOME_POINTS: 0.06,
        Sign.PRIME: 0.08,
        Sign.BEHIND: -0.01,
        Sign.BLOTS: -0.03,
    }
)
"""What a side's signs are worth to it, in points; the other side's count against it."""


class Random:
    def __init__(self, seed: int, device: str) -> None:
        self._generator = torch.Generator(device).manual_seed(seed)

    def judge(self, packed: Tensor, number: int) -> Verdict:
        chances = torch.zeros((number, 6), device=packed.device)
        return Verdict(chances, torch.rand(number, generator=self._generator, device=packed.device))


class Linear:
    def judge(self, packed: Tensor, number: int) -> Verdict:
        chances = torch.zeros((number, 6), device=packed.device)
        equity = torch.zeros(number, device=packed.device)
        for sign, weight in WEIGHTS.items():
            equity += weight * (_read(packed, number, 8, sign) - _read(packed, number, 10, sign))
        return Verdict(chances, equity)


def _read(packed: Tensor, number: int, word: int, sign: Sign) -> Tensor:
    return packed[word + sign // 6, :number] >> 8 * (sign % 6) & SMALL
