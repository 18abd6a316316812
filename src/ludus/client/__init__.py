"""A client of the arena: ten lines make an agent. It depends on the arena's contract, not on the server's code.

`run` is all that most agents need, and `serve` offers an agent to `ludus match`. `Arena` has a method for every request
of the contract; `find_match` and `play` handle one match.
"""

from __future__ import annotations

from ludus.client.agent import Action, Agent, View, resigned
from ludus.client.agent_server import serve
from ludus.client.arena import Arena
from ludus.client.errors import ArenaError, Refused, Unexpected, Unreachable
from ludus.client.keys import Credentials, Keyring
from ludus.client.match import play
from ludus.client.matchmaking import find_match
from ludus.client.responses import GameOver, OwnTournament, QueueStatus, Registration, State
from ludus.client.run import enter, play_tournament, run, run_tournament

Place = QueueStatus  # deprecated

__all__ = [
    "Action",
    "Agent",
    "Arena",
    "ArenaError",
    "Credentials",
    "GameOver",
    "Keyring",
    "OwnTournament",
    "Place",
    "QueueStatus",
    "Refused",
    "Registration",
    "State",
    "Unexpected",
    "Unreachable",
    "View",
    "enter",
    "find_match",
    "play",
    "play_tournament",
    "resigned",
    "run",
    "run_tournament",
    "serve",
]
