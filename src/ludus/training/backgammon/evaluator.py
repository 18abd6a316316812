"""Evaluators of packed positions, by the million: the network, and two fixed opponents to measure it against."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol

import torch
from torch import Tensor

from ludus.engines.backgammon.network.features import KIND_BIT, SMALL, Feature
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
"""What a side's features are worth to it, in points; the opponent's count against it."""


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


def logits_of(net: Net, matrix: Tensor, packed: Tensor, first: int = 0) -> Tensor:
    """The network's logits for the inputs in `matrix`, without impossible gammons."""
    words = packed[:, first : first + len(matrix)]
    kinds = (words[8] >> KIND_BIT).float().log2().round().long()
    logits: Tensor = net(matrix, kinds).float()
    has_off = (words[[7, 3]] >> 25 & 1).T.float()
    return logits - IMPOSSIBLE * has_off @ GAMMONS.to(logits.device)


class NetEvaluator:
    """Half precision on a GPU, single on a CPU."""

    def __init__(self, net: Net, backend: Backend, chunk: int) -> None:
        self._dtype = torch.float16 if backend.device == "cuda" else torch.float32
        self._inputs, self._chunk = Inputs(backend), chunk
        self._net = Net(net.hidden, net.narrow).to(backend.device, self._dtype)
        self.load(net)

    def load(self, net: Net) -> None:
        """Copies the network's weights."""
        self._net.load_state_dict(net.state_dict())

    def evaluate(self, packed: Tensor, number: int) -> Evaluation:
        chances = torch.empty((number, OUTCOMES), device=packed.device)
        for first in range(0, number, self._chunk):
            matrix = self._inputs.expand(packed, first, min(self._chunk, number - first))
            with torch.no_grad():
                chances[first : first + len(matrix)] = logits_of(self._net, matrix, packed, first).softmax(1)
        return Evaluation(chances, equity(chances))


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
