"""A tournament between programs without a server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Final, NamedTuple

from ludus.core.errors import BadInput, UnknownOption
from ludus.core.processes import ordered_results
from ludus.series.contender import MOVE_SECONDS, Contender, display_name, find_contender
from ludus.series.plan import Plan, Played
from ludus.series.run import Series
from ludus.tournaments import knockout, round_robin, swiss
from ludus.tournaments.records import Pairing, Result, Standing, standings

FORMATS: Final = ("round-robin", "swiss", "knockout")
MOST_ENTRANTS: Final = 512
MOST_ROUNDS: Final = 1000
MOST_GAMES: Final = 1000
REPLAYS: Final = 3
"""How often a level meeting of a knock-out gets two more games; after that the better seed advances."""

_plan: TournamentPlan
_tasks: Sequence[Task]
"""The tasks of a worker process, set when it starts."""


class TournamentPlan(NamedTuple):
    """Determines the games: the same plan gives the same games, however many processes play them."""

    game: str
    entrants: tuple[str, ...]
    """Contenders by name, the strongest first; a name may occur more than once."""
    format: str = "round-robin"
    rounds: int | None = None
    """The rounds of a Swiss system, or how often everyone meets everyone; None chooses a number."""
    games: int = 2
    """The games in each meeting, with sides swapped from one to the next."""
    seed: int = 0
    opening: int = 0
    variant: str = "standard"
    move_seconds: float = MOVE_SECONDS

    def check(self) -> None:
        if self.format not in FORMATS:
            raise UnknownOption(f"there is no format {self.format!r}; there are {', '.join(FORMATS)}")
        if not 2 <= len(self.entrants) <= MOST_ENTRANTS:
            raise BadInput(f"a tournament has 2 to {MOST_ENTRANTS} entrants, not {len(self.entrants)}")
        if not 1 <= self.games <= MOST_GAMES:
            raise BadInput(f"a meeting has 1 to {MOST_GAMES} games, not {self.games}")
        if self.rounds is not None and not 1 <= self.rounds <= MOST_ROUNDS:
            raise BadInput(f"a tournament has 1 to {MOST_ROUNDS} rounds, not {self.rounds}")
        if self.rounds is not None and self.format == "knockout":
            raise BadInput("a knock-out lasts until one is left; leave out the rounds")
        self.meeting(0, Pairing(0, 1))._replace(games=2).check()

    def meeting(self, number: int, pairing: Pairing) -> Plan:
        """The games of two entrants in a round."""
        first, second = pairing
        assert second is not None
        seed = Random(f"{self.seed} {number} {first} {second}").getrandbits(48)
        names = self.entrants[first], self.entrants[second]
        return Plan(self.game, names, self.games, seed, self.opening, self.variant, self.move_seconds)


class Task(NamedTuple):
    """One game."""

    round: int
    pairing: Pairing
    number: int


class Meeting(NamedTuple):
    """What two entrants have played against each other in a round."""

    round: int
    pairing: Pairing
    games: tuple[Played, ...]

    @property
    def result(self) -> Result:
        """Who won more games; an equal number is a draw."""
        balance = sum(0 if game.winner is None else 1 if game.winner == 0 else -1 for game in self.games)
        return Result(*self.pairing, 1.0 if balance > 0 else 0.0 if balance < 0 else 0.5)


class Tournament:
    """Plays a plan. `rounds` and `meetings` have what is complete after each game."""

    def __init__(self, plan: TournamentPlan) -> None:
        plan.check()
        self.plan = plan
        self.rounds: list[list[Result]] = []
        self.meetings: list[Meeting] = []

    @property
    def number_of_rounds(self) -> int:
        entrants = len(self.plan.entrants)
        if self.plan.format == "knockout":
            return len(knockout.bracket(entrants)).bit_length() - 1
        if self.plan.format == "swiss":
            return self.plan.rounds or swiss.rounds_needed(entrants)
        return (self.plan.rounds or 1) * (entrants - 1 + entrants % 2)

    @property
    def standings(self) -> list[Standing]:
        table = knockout.standings if self.plan.format == "knockout" else standings
        return table(len(self.plan.entrants), self.rounds)

    def run(self, jobs: int = 1) -> Iterator[Task]:
        """Plays on to the end, and yields each game when it is over."""
        if jobs < 1:
            raise BadInput(f"games cannot be played by {jobs} processes")
        while pairings := self._next_rounds():
            yield from self._play_rounds(pairings, jobs)

    def _next_rounds(self) -> list[list[Pairing]]:
        """The rounds that can be paired now: all of them if everyone meets everyone, else one."""
        entrants = len(self.plan.entrants)
        if len(self.rounds) == self.number_of_rounds:
            return []
        if self.plan.format == "round-robin":
            return round_robin.rounds(entrants, self.plan.rounds or 1)
        if self.plan.format == "swiss":
            return [swiss.next_round(entrants, self.rounds)]
        return [knockout.next_round(entrants, self.rounds)]

    def _play_rounds(self, rounds: Sequence[Sequence[Pairing]], jobs: int) -> Iterator[Task]:
        start = len(self.rounds)
        tasks = [
            Task(number, pairing, game)
            for number, pairings in enumerate(rounds, start)
            for pairing in pairings
            if pairing.second is not None
            for game in range(self.plan.games)
        ]
        played: dict[tuple[int, Pairing], list[Played]] = {}
        for task, game in self._play(tasks, jobs):
            played.setdefault((task.round, task.pairing), []).append(game)
            yield task
        if self.plan.format == "knockout":
            yield from self._play_replays(start, played, jobs)
        for number, pairings in enumerate(rounds, start):
            self.rounds.append([self._result(number, pairing, played) for pairing in pairings])

    def _play_replays(self, number: int, played: dict[tuple[int, Pairing], list[Played]], jobs: int) -> Iterator[Task]:
        for _ in range(REPLAYS):
            level = [
                (pairing, len(games))
                for (_, pairing), games in played.items()
                if Meeting(number, pairing, tuple(games)).result.score == 0.5
            ]
            tasks = [Task(number, pairing, game + more) for pairing, game in level for more in range(2)]
            for task, game in self._play(tasks, jobs):
                played[number, task.pairing].append(game)
                yield task

    def _result(self, number: int, pairing: Pairing, played: dict[tuple[int, Pairing], list[Played]]) -> Result:
        if pairing.second is None:
            return Result(*pairing, score=0.0 if self.plan.format == "round-robin" else 1.0)
        meeting = Meeting(number, pairing, tuple(played[number, pairing]))
        self.meetings.append(meeting)
        return meeting.result

    def _play(self, tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Played]]:
        if min(jobs, len(tasks)) <= 1:
            return ((task, play_game(self.plan, task)) for task in tasks)
        results = ordered_results(_play_task, len(tasks), min(jobs, len(tasks)), _start_worker, (self.plan, tasks))
        return zip(tasks, results, strict=True)


def play_game(plan: TournamentPlan, task: Task) -> Played:
    return Series(plan.meeting(task.round, task.pairing), _contender).play_game(task.number, with_luck=False)


@cache
def _contender(name: str, game: str, move_seconds: float) -> Contender:
    """The contender, looked up once because engines read their weights."""
    return find_contender(name, game, move_seconds)


def _start_worker(plan: TournamentPlan, tasks: Sequence[Task]) -> None:
    global _plan, _tasks
    _plan, _tasks = plan, tasks


def _play_task(number: int) -> Played:
    return play_game(_plan, _tasks[number])


def names(plan: TournamentPlan) -> list[str]:
    """The entrants' names, numbered if several are the same."""
    made: list[str] = []
    shown = [display_name(name) for name in plan.entrants]
    for at, name in enumerate(shown):
        number = shown[: at + 1].count(name)
        made.append(f"{name} {number}" if shown.count(name) > 1 else name)
    return made
