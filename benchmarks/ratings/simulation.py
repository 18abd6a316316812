"""Agents of known strength play each other; some collude. Ratings are updated by the service's own functions.

The peer is plain Glicko-2, which every game moves in full. Both systems see the same games and results.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count
from random import Random
from typing import Final, NamedTuple, Protocol

from ludus.core.rules import Player
from ludus.service import ratings
from ludus.service.rating_updates import HALF_LIFE
from ludus.service.ratings import LISTED_OPPONENTS, Meeting, is_provisional
from ludus.service.records import Rating

DAY: Final = 24 * 60 * 60 * 1000
MEAN, SPREAD = 1500.0, 300.0
"""Of the true strengths, in points of a rating."""
QUEUE: Final = 50
"""Agents that look for an opponent at the same time; the nearest ratings meet, as in the arena."""
GAME: Final = "simulated"


class Agent(NamedTuple):
    name: str
    strength: float
    address: str


class Ratings(Protocol):
    """A rating system under test."""

    def now(self, agent: Agent) -> Rating: ...

    def play(self, first: Agent, second: Agent, winner: Player, at: int, *, is_early: bool = False) -> None:
        """`is_early` if the loser resigned before the least number of moves."""

    def is_listed(self, agent: Agent) -> bool: ...


class PlainGlicko:
    """What the server did before: the board lists everyone who has played."""

    def __init__(self) -> None:
        self._ratings: dict[str, Rating] = {}

    def now(self, agent: Agent) -> Rating:
        return self._ratings.get(agent.name) or ratings.fresh(agent.name, GAME, 0)

    def play(self, first: Agent, second: Agent, winner: Player, at: int, *, is_early: bool = False) -> None:
        one, two = (ratings.aged(self.now(agent), at) for agent in (first, second))
        score = float(winner == Player.FIRST)
        for own, other, points in ((one, two, score), (two, one, 1 - score)):
            after = ratings.rated(own, [(other, points)])
            self._ratings[own.player] = after._replace(
                rating=min(max(after.rating, ratings.MIN_RATING), ratings.MAX_RATING),
                deviation=min(after.deviation, ratings.MAX_DEVIATION),
                volatility=min(after.volatility, ratings.MAX_VOLATILITY),
                games=own.games + 1,
                updated_at=at,
            )

    def is_listed(self, agent: Agent) -> bool:
        return agent.name in self._ratings


class Met(NamedTuple):
    games: float = 0.0
    at: int = 0
    is_counted: bool = False


class OurRatings:
    """As `service.rating_updates` does it, with encounters in memory."""

    def __init__(self) -> None:
        self._ratings: dict[str, Rating] = {}
        self._met: dict[str, dict[str, Met]] = defaultdict(dict)

    def now(self, agent: Agent) -> Rating:
        return self._ratings.get(agent.name) or ratings.fresh(agent.name, GAME, 0)

    def play(self, first: Agent, second: Agent, winner: Player, at: int, *, is_early: bool = False) -> None:
        before = self.now(first), self.now(second)
        meetings = self._meeting(first, second, at), self._meeting(second, first, at)
        after = ratings.after(*before, winner, at, meetings)
        for seat, (agent, other) in enumerate(((first, second), (second, first))):
            if is_early and winner == seat:
                continue
            self._ratings[agent.name] = after[seat]
            self._note(agent, other, at, is_counted=after[seat].opponents > before[seat].opponents)

    def _meeting(self, own: Agent, other: Agent, at: int) -> Meeting:
        met = [self._met[own.name].get(key, Met(at=at)) for key in (other.name, other.address)]
        earlier = max(_lately(each, at) for each in met)
        is_new = not any(each.is_counted for each in met)
        return Meeting(earlier, are_related=own.address == other.address, is_new=is_new)

    def _note(self, own: Agent, other: Agent, at: int, *, is_counted: bool) -> None:
        for key in (other.name, other.address):
            met = self._met[own.name].get(key, Met(at=at))
            self._met[own.name][key] = Met(_lately(met, at) + 1, at, met.is_counted or is_counted)

    def is_listed(self, agent: Agent) -> bool:
        rating = self.now(agent)
        return not is_provisional(rating) and rating.opponents >= LISTED_OPPONENTS


def _lately(met: Met, at: int) -> float:
    return float(met.games * 0.5 ** ((at - met.at) / HALF_LIFE))


class Arena:
    """Honest agents, and a clock that goes on with every round."""

    def __init__(self, systems: Sequence[Ratings], agents: int, seed: int) -> None:
        self.systems = systems
        self.rng = Random(seed)
        self._numbers = count(1)
        self.at = 0
        self.honest = [self.agent(self.rng.gauss(MEAN, SPREAD)) for _ in range(agents)]

    def agent(self, strength: float = MEAN, address: str = "") -> Agent:
        """A new one, at an address of its own unless one is given."""
        number = next(self._numbers)
        return Agent(f"agent/{number}", strength, address or f"address/{number}")

    def play_rounds(self, rounds: int) -> None:
        """A game a day for everyone."""
        for _ in range(rounds):
            self.at += DAY
            for system in self.systems:  # each pairs by its own ratings
                self._play_round(system, Random(self.rng.random()))

    def _play_round(self, system: Ratings, rng: Random) -> None:
        agents = self.honest[:]
        rng.shuffle(agents)
        for start in range(0, len(agents), QUEUE):
            queue = sorted(agents[start : start + QUEUE], key=lambda agent: system.now(agent).rating)
            for first, second in zip(queue[::2], queue[1::2], strict=False):
                system.play(first, second, _winner(first, second, rng), self.at)

    def throw(self, loser: Agent, winner: Agent, *, is_early: bool = False) -> None:
        """A game that is lost on purpose."""
        for system in self.systems:
            system.play(winner, loser, Player.FIRST, self.at, is_early=is_early)


def _winner(first: Agent, second: Agent, rng: Random) -> Player:
    chance = 1 / (1 + 10 ** ((second.strength - first.strength) / 400))
    return Player.FIRST if rng.random() < chance else Player.SECOND


def rank_correlation(system: Ratings, agents: Iterable[Agent]) -> float:
    """Spearman's, between ratings and true strengths."""
    listed = list(agents)
    ranks = [
        {agent.name: rank for rank, agent in enumerate(sorted(listed, key=key))}
        for key in (lambda agent: system.now(agent).rating, lambda agent: agent.strength)
    ]
    total = sum((ranks[0][agent.name] - ranks[1][agent.name]) ** 2 for agent in listed)
    number = len(listed)
    return 1 - 6 * total / (number * (number**2 - 1))


def place(system: Ratings, agent: Agent, among: Iterable[Agent]) -> int | None:
    """On the board of those who are listed; None if the agent isn't."""
    if not system.is_listed(agent):
        return None
    own = system.now(agent).rating
    return 1 + sum(system.is_listed(other) and system.now(other).rating > own for other in among)
