"""A client of the arena: ten lines make an agent. It knows the arena's contract and nothing of the server's code.

`run` is all that most agents need, and `serve` offers one for a series of games. `Arena` is every request of the
contract, and `play` one match.
"""

from __future__ import annotations

from ludus.client.agent import Action, Agent, View, resigned
from ludus.client.answers import GameOver, Place, Registration, State
from ludus.client.arena import Arena
from ludus.client.errors import ArenaError, Refused, Unexpected, Unreachable
from ludus.client.keys import Credentials, Keyring
from ludus.client.match import play
from ludus.client.run import enter, run
from ludus.client.serving import serve

__all__ = [
    "Action",
    "Agent",
    "Arena",
    "ArenaError",
    "Credentials",
    "GameOver",
    "Keyring",
    "Place",
    "Refused",
    "Registration",
    "State",
    "Unexpected",
    "Unreachable",
    "View",
    "enter",
    "play",
    "resigned",
    "run",
    "serve",
]
