"""The network in torch: a wide input layer, two narrow hidden ones for each kind of position, six chances.

The input layer's activation is a squared clipped ReLU, so that the next layer sees products of inputs.
"""

from __future__ import annotations

from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from ludus.core.errors import BadInput
from ludus.engines.backgammon.network.features import KINDS
from ludus.training.backgammon.inputs import WIDTH, columns
from ludus.training.backgammon.turns import OUTCOMES

POINTS: Final = (1.0, 2.0, 3.0, -1.0, -2.0, -3.0)

BASE_RATES: Final = (0.36, 0.13, 0.01) * 2
"""Initial chances."""


class Net(nn.Module):
    def __init__(self, hidden: int, narrow: int) -> None:
        super().__init__()
        self.hidden, self.narrow = hidden, narrow
        self.first = nn.Linear(WIDTH, hidden)
        self.second = nn.Linear(hidden, KINDS * narrow)
        self.third = nn.Linear(narrow, KINDS * narrow)
        self.last = nn.Linear(narrow, KINDS * OUTCOMES)
        with torch.no_grad():
            self.last.bias.copy_(torch.tensor(BASE_RATES).log().repeat(KINDS))

    def forward(self, inputs: Tensor, kinds: Tensor) -> Tensor:
        """Logits of the six outcomes."""
        wide = functional.hardtanh(self.first(inputs), 0, 1, inplace=True).square()
        narrow = _of_kind(self.second(wide), kinds, self.narrow).relu()
        narrow = _of_kind(self.third(narrow), kinds, self.narrow).relu()
        return _of_kind(self.last(narrow), kinds, OUTCOMES)


def _of_kind(all_kinds: Tensor, kinds: Tensor, width: int) -> Tensor:
    """Selects the outputs for each position's kind."""
    index = kinds.view(-1, 1, 1).expand(-1, 1, width)
    return all_kinds.view(len(kinds), KINDS, width).gather(1, index).squeeze(1)


def equity(chances: Tensor) -> Tensor:
    """Expected points of the side to roll."""
    return chances @ torch.tensor(POINTS, device=chances.device, dtype=chances.dtype)


def loss(logits: Tensor, target: Tensor, equity_weight: float = 1.0) -> Tensor:
    """Cross entropy of the outcomes, plus `equity_weight` times the squared error of the equity."""
    log_chances = functional.log_softmax(logits, 1)
    entropy = -(target * log_chances).sum(1).mean()
    return entropy + equity_weight * (equity(log_chances.exp()) - equity(target)).square().mean()


def pair_loss(logits: Tensor, target: Tensor) -> Tensor:
    """Squared error of the difference in equity; the first half's partners are in the second half."""
    error = equity(logits.softmax(1)) - equity(target)
    best, other = error.chunk(2)
    return (best - other).square().mean()


def flip(chances: Tensor) -> Tensor:
    """The outcomes as the other side sees them."""
    return chances.roll(3, -1)


def arrays(net: Net) -> dict[str, Any]:
    """The weights in the file's format, without the padding columns."""
    hidden, narrow = net.hidden, net.narrow
    parts = {name: part.detach().float().cpu().numpy() for name, part in net.state_dict().items()}
    return {
        "weight_0": parts["first.weight"].T[columns()],
        "bias_0": parts["first.bias"],
        "weight_1": parts["second.weight"].reshape(KINDS, narrow, hidden).transpose(0, 2, 1),
        "bias_1": parts["second.bias"].reshape(KINDS, narrow),
        "weight_2": parts["third.weight"].reshape(KINDS, narrow, narrow).transpose(0, 2, 1),
        "bias_2": parts["third.bias"].reshape(KINDS, narrow),
        "weight_3": parts["last.weight"].reshape(KINDS, OUTCOMES, narrow).transpose(0, 2, 1),
        "bias_3": parts["last.bias"].reshape(KINDS, OUTCOMES),
    }


def load_arrays(net: Net, parts: dict[str, Any]) -> None:
    """Loads the weights of a network that may be less wide.

    Added units start with zero output weights, but can learn.
    """
    old, narrow = parts["weight_1"].shape[1:]
    if old > net.hidden or narrow != net.narrow:
        raise BadInput(f"weights of width {old} and {narrow} do not fit into {net.hidden} and {net.narrow}")
    given = {name: torch.from_numpy(part).to(net.first.weight) for name, part in parts.items()}
    with torch.no_grad():
        net.first.weight[:old].zero_()
        net.first.weight[:old, torch.from_numpy(columns())] = given["weight_0"].T
        net.first.bias[:old] = given["bias_0"]
        net.second.weight.zero_()
        net.second.weight[:, :old] = given["weight_1"].transpose(1, 2).flatten(0, 1)
        net.second.bias.copy_(given["bias_1"].flatten())
        for layer, number in ((net.third, 2), (net.last, 3)):
            layer.weight.copy_(given[f"weight_{number}"].transpose(1, 2).flatten(0, 1))
            layer.bias.copy_(given[f"bias_{number}"].flatten())
