"""A network that judges packed positions by the million: half precision on a GPU, single on a CPU."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from ludus.engines.backgammon.network.features import KIND_BIT
from ludus.training.backgammon import inputs
from ludus.training.backgammon.machine import Machine
from ludus.training.backgammon.net import Net, equity
from ludus.training.backgammon.turns import OUTCOMES

IMPOSSIBLE = 30.0
"""Taken from a logit, it leaves a chance of nothing."""
GAMMONS = torch.tensor([[0.0, 1, 1, 0, 0, 0], [0, 0, 0, 0, 1, 1]])
"""The outcomes that a man off rules out: one of the other side's, one of our own."""


class Verdict(NamedTuple):
    chances: Tensor
    equity: Tensor


class Judge(Protocol):
    def judge(self, packed: Tensor, number: int) -> Verdict:
        """The first `number` positions of `packed` (words × positions), each by its side to roll."""
        ...


class Inputs:
    """Expands packed positions into a matrix; all values are exact in half precision."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._values = torch.from_numpy(inputs.values()).to(machine.device)
        if machine.device == "cuda":
            self._values = self._values.half().view(torch.int16).long()
        self._fours = torch.from_numpy(inputs.fours()).to(machine.device)

    def expand(self, packed: Tensor, first: int, number: int) -> Tensor:
        """Half-precision numbers are written four at a time, as the integers that have the same bits."""
        stride, flat = packed.shape[1], packed.view(-1)
        given = flat, stride, first, self._fours, self._values
        if self._machine.device == "cuda":
            bits = torch.empty(number * inputs.WIDTH // 4, dtype=torch.int64, device=packed.device)
            self._machine.run("expand_four", len(bits), *given, bits)
            return bits.view(torch.float16).view(number, inputs.WIDTH)
        out = torch.zeros((number, inputs.WIDTH))
        self._machine.run("expand_row", number, *given, out)
        return out


def logits_of(net: Net, matrix: Tensor, packed: Tensor, first: int = 0) -> Tensor:
    """What the network says of the positions whose inputs are in `matrix`; nobody loses a gammon with a man off."""
    words = packed[:, first : first + len(matrix)]
    kinds = (words[8] >> KIND_BIT).float().log2().round().long()
    logits: Tensor = net(matrix, kinds).float()
    has_off = (words[[7, 3]] >> 25 & 1).T.float()
    return logits - IMPOSSIBLE * has_off @ GAMMONS.to(logits.device)


class NetJudge:
    def __init__(self, net: Net, machine: Machine, chunk: int) -> None:
        self._dtype = torch.float16 if machine.device == "cuda" else torch.float32
        self._inputs, self._chunk = Inputs(machine), chunk
        self._net = Net(net.hidden, net.narrow).to(machine.device, self._dtype)
        self.take(net)

    def take(self, net: Net) -> None:
        """From now on judges as `net` does now."""
        self._net.load_state_dict(net.state_dict())

    def judge(self, packed: Tensor, number: int) -> Verdict:
        chances = torch.empty((number, OUTCOMES), device=packed.device)
        for first in range(0, number, self._chunk):
            matrix = self._inputs.expand(packed, first, min(self._chunk, number - first))
            with torch.no_grad():
                chances[first : first + len(matrix)] = logits_of(self._net, matrix, packed, first).softmax(1)
        return Verdict(chances, equity(chances))
