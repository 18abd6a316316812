"""The evaluation network, trained by self-play: no lookahead, no torch.

`Network.load()` reads the package's weights, or a file made by `ludus train backgammon`.
"""

from __future__ import annotations

from ludus.engines.backgammon.network.inference import Weights
from ludus.engines.backgammon.network.network import Chances, MalformedNetwork, Network

__all__ = ["Chances", "MalformedNetwork", "Network", "Weights"]
