"""Evaluators of packed positions, by the million: the network, and two fixed opponents to measure it against."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol

import torch
from torch import Tensor

from ludus.engines.backgammon.network.features import KIND_BIT, KINDS, SMALL, Feature
from ludus.training.backgammon import inputs
from ludus.training.backgammon.backend import Backend
from ludus.training.backgammon.net import Net, equity
from ludus.training.backgammon.turns import OUTCOMES

IMPOSSIBLE = 30.0
"""Subtracted from a logit, leaves a chance of zero."""
GAMMONS = torch.tensor([[0.0, 1, 1, 0, 0, 0], [0, 0, 0, 0, 1, 1]])
"""Outcomes ruled out by a man off: one of the opponent's, one of one's own."""
LINEAR: Final[Mapping[Feature, float]] = MappingProxyType(
    {
        Feature.PIPS: -0.008,
        Feature.HITS: 0.012,
        Feature.ESCAPES: 0.004,
        Feature.HOME_POINTS: 0.06,
        Feature.PRIME: 0.08,
        Feature.BEHIND: -0.01,
        Feature.BLOTS: -0.03,
    }
)
"""The value of a side's features to it, in points; the opponent's features count against it."""


class Evaluation(NamedTuple):
    chances: Tensor
    equity: Tensor


class Evaluator(Protocol):
    def evaluate(self, packed: Tensor, number: int) -> Evaluation:
        """The first `number` positions of `packed` (words × positions), each for its side to roll."""
        ...


class Inputs:
    """Expands packed positions into a matrix; all values are exact in half precision."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._values = torch.from_numpy(inputs.values()).to(backend.device)
        if backend.device == "cuda":
            self._values = self._values.half().view(torch.int16).long()
        self._fours = torch.from_numpy(inputs.fours()).to(backend.device)

    def expand(self, packed: Tensor, first: int, number: int) -> Tensor:
        """On a GPU, four half-precision numbers are written at a time, as one integer."""
        stride, flat = packed.shape[1], packed.view(-1)
        given = flat, stride, first, self._fours, self._values
        if self._backend.device == "cuda":
            bits = torch.empty(number * inputs.WIDTH // 4, dtype=torch.int64, device=packed.device)
            self._backend.run("expand_four", len(bits), *given, bits)
            return bits.view(torch.float16).view(number, inputs.WIDTH)
        out = torch.zeros((number, inputs.WIDTH))
        self._backend.run("expand_row", number, *given, out)
        return out


def logits_of(net: Net, matrix: Tensor, packed: Tensor) -> Tensor:
    """The network's logits for the inputs in `matrix`, without impossible gammons."""
    logits: Tensor = net(matrix, kinds_of(packed)).float()
    return without_impossible(logits, packed)


def kinds_of(packed: Tensor) -> Tensor:
    return (packed[8] >> KIND_BIT).float().log2().round().long()


def without_impossible(logits: Tensor, packed: Tensor) -> Tensor:
    """The logits without impossible gammons: a side with a man off can't lose one."""
    has_off = (packed[[7, 3]] >> 25 & 1).T.float()
    return logits - IMPOSSIBLE * has_off @ GAMMONS.to(logits.device)


class NetEvaluator:
    """Half precision on a GPU, single on a CPU.

    Positions are sorted by kind, so that only the layers of their own kind are computed.
    """

    def __init__(self, net: Net, backend: Backend, chunk: int) -> None:
        self._dtype = torch.float16 if backend.device == "cuda" else torch.float32
        self._inputs, self._chunk = Inputs(backend), chunk
        self.load(net)

    def load(self, net: Net) -> None:
        """Copies the network's weights."""
        self._first = _transposed(net.first.weight, net.first.bias, self._dtype)
        layers = (net.second, net.narrow), (net.third, net.narrow), (net.last, OUTCOMES)
        self._layers = [
            [
                _transposed(layer.weight.view(KINDS, width, -1)[kind], layer.bias.view(KINDS, width)[kind], self._dtype)
                for layer, width in layers
            ]
            for kind in range(KINDS)
        ]

    @torch.no_grad()
    def evaluate(self, packed: Tensor, number: int) -> Evaluation:
        kinds = kinds_of(packed[:, :number])
        order = kinds.argsort()
        by_kind = packed[:, order].contiguous()
        logits = torch.empty((number, OUTCOMES), device=packed.device)
        first = 0
        for kind, count in enumerate(torch.bincount(kinds, minlength=KINDS).tolist()):
            end = first + count
            while first < end:
                size = min(self._chunk, end - first)
                logits[first : first + size] = self._logits(self._inputs.expand(by_kind, first, size), kind)
                first += size
        chances = torch.empty_like(logits)
        chances[order] = without_impossible(logits, by_kind).softmax(1)
        return Evaluation(chances, equity(chances))

    def _logits(self, matrix: Tensor, kind: int) -> Tensor:
        weight, bias = self._first
        values = torch.addmm(bias, matrix.to(self._dtype), weight).clamp_(0, 1).square_()
        (second, second_bias), (third, third_bias), (last, last_bias) = self._layers[kind]
        values = torch.addmm(second_bias, values, second).relu_()
        values = torch.addmm(third_bias, values, third).relu_()
        return torch.addmm(last_bias, values, last).float()


def _transposed(weight: Tensor, bias: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """A copy: the network goes on learning."""
    return weight.detach().T.to(dtype, copy=True).contiguous(), bias.detach().to(dtype, copy=True)


class RandomEvaluator:
    def __init__(self, seed: int, device: str) -> None:
        self._generator = torch.Generator(device).manual_seed(seed)

    def evaluate(self, packed: Tensor, number: int) -> Evaluation:
        chances = torch.zeros((number, OUTCOMES), device=packed.device)
        return Evaluation(chances, torch.rand(number, generator=self._generator, device=packed.device))


class LinearEvaluator:
    """A weighted sum of a few features."""

    def evaluate(self, packed: Tensor, number: int) -> Evaluation:
        chances = torch.zeros((number, OUTCOMES), device=packed.device)
        total = torch.zeros(number, device=packed.device)
        for feature, weight in LINEAR.items():
            total += weight * (_read(packed, number, 8, feature) - _read(packed, number, 10, feature))
        return Evaluation(chances, total)


def _read(packed: Tensor, number: int, word: int, feature: Feature) -> Tensor:
    return packed[word + feature // 6, :number] >> 8 * (feature % 6) & SMALL
