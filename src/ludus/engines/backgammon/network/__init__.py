"""What a backgammon position is worth, by a network that learned it from self-play: no look-ahead, no torch.

`Network.load()` reads the weights of the package, or a file of your own that `ludus train backgammon` has made.
"""

from __future__ import annotations

from ludus.engines.backgammon.network.network import Chances, Network
from ludus.engines.backgammon.network.weights import MalformedNetwork, Weights

__all__ = ["Chances", "MalformedNetwork", "Network", "Weights"]
