"""Policies made of torch's layers; `make libraries` runs it, as tests are installed without torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ludus.envs.policy import Policy
from ludus.envs.value import Value

torch: Any = pytest.importorskip("torch", reason="make libraries installs torch")


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "float64"])
def test_a_network_that_learns_can_be_copied_into_a_policy_layer_by_layer(kind: str) -> None:
    layer = torch.nn.Linear(59, 156, dtype=getattr(torch, kind))
    pairs = [(layer.weight.T, layer.bias)]
    found = Policy.from_layers("backgammon", pairs), Value.from_layers("backgammon", torch.ones(156), pairs)
    weight, bias = (part.detach().float().numpy().copy() for part in pairs[0])
    with torch.no_grad():
        layer.weight.zero_()
        layer.bias.zero_()
    for network in found:
        assert np.array_equal(network.layers[0].weight, weight)
        assert np.array_equal(network.layers[0].bias, bias)
