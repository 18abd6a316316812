"""Puzzles for players: the next one, the daily one, attempts, ratings and streaks.

A player's first attempt at a puzzle is rated like a game between the two. It ends with the last move of the solution,
or with the first wrong one; afterwards the player may try on, or see the solution. An attempt is one row for each
player and puzzle, so a repeated request finds what the first one did, whichever process it reaches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from hashlib import sha256
from random import Random
from typing import Any, Final, NamedTuple

from ludus import puzzles as shipped
from ludus.core.errors import BadInput
from ludus.core.rules import Player
from ludus.games import GAMES
from ludus.puzzles import Answer, Puzzle, answer
from ludus.service import ratings
from ludus.service.player_keys import person_in
from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import (
    DropPuzzleAttempts,
    PutPuzzleAttempt,
    PutPuzzleRating,
    PutPuzzleStreaks,
    Write,
)
from ludus.service.ratings import STRANGERS, Meeting
from ludus.service.records import PuzzleAttempt, PuzzleStreaks, Rating
from ludus.service.tables import NotFound

DAY: Final = 24 * 3600 * 1000
"""In milliseconds."""
HISTORY: Final = 1000
"""Attempts that are kept of each player, all games together; a puzzle from before them counts as a new one."""
DEVIATION: Final = 90.0
"""Of a puzzle's estimated rating. It counts as settled from the start; otherwise no rating would ever settle."""
UNBRIBED: Final = Meeting(is_bot=True, is_new=True)
"""What a puzzle is to its solver."""
FRESH_MS: Final = 60_000
"""How long the puzzles' ratings are kept in memory, to choose by."""
BATCH: Final = 50
"""Puzzles looked at together, the nearest in rating first."""
CHOICE: Final = 10
"""Of how many of the nearest the next one is drawn."""
MAX_TRIES: Final = 20
"""Many may solve the daily puzzle at once, and each changes its rating."""


class State(StrEnum):
    """How a player's first attempt at a puzzle ended, or that they have seen the solution of one they hadn't solved."""

    OPEN = "open"
    SOLVED = "solved"
    FAILED = "failed"
    """By a wrong move."""
    HINTED = "hinted"
    """After a hint it counts for nothing."""
    SHOWN = "shown"
    """The player has seen the solution: an open attempt has failed by it, one that was over keeps its rating."""


RATED: Final = frozenset({State.SOLVED, State.FAILED, State.SHOWN})


class PuzzleSet(NamedTuple):
    """The puzzles of a game, one at least."""

    by_id: Mapping[str, Puzzle]
    in_daily_order: Sequence[Puzzle]
    """Shuffled, and always in the same way."""
    themes: Sequence[str]


class Standing(NamedTuple):
    """A player's rating and streaks in one game's puzzles."""

    rating: Rating
    streaks: PuzzleStreaks
    days: int
    """Days in a row with the daily puzzle solved, until today or yesterday."""


class Tried(NamedTuple):
    answer: Answer
    attempt: PuzzleAttempt


class Puzzles:
    def __init__(
        self,
        store: Store,
        now: Callable[[], int],
        rng: Random,
        puzzles: Callable[[str], Sequence[Puzzle]] = shipped.puzzles,
    ) -> None:
        self._store, self._now, self._rng, self._all = store, now, rng, puzzles
        self._sets: dict[str, PuzzleSet] = {}
        self._known: dict[str, tuple[int, Mapping[str, Rating]]] = {}
        """The stored ratings of each game's puzzles, and when they were read."""

    def games(self) -> list[str]:
        """Those that have puzzles."""
        return [game for game in GAMES if self._all(game)]

    def of(self, game: str) -> PuzzleSet:
        if game not in self._sets:
            found = self._all(game) if game in GAMES else ()
            if not found:
                raise NotFound("this game has no puzzles")
            self._sets[game] = puzzle_set(found)
        return self._sets[game]

    def get(self, game: str, id: str) -> Puzzle:
        found = self.of(game).by_id.get(id)
        if found is None:
            raise NotFound("there is no such puzzle")
        return found

    def find(self, id: str) -> Puzzle:
        """The puzzle of any game with this id."""
        for game in self.games():
            if found := self.of(game).by_id.get(id):
                return found
        raise NotFound("there is no such puzzle")

    def today(self) -> int:
        """The number of the day since 1970, UTC."""
        return self._now() // DAY

    def daily(self, game: str) -> Puzzle:
        """The same for everyone. All others have their day before it comes again."""
        order = self.of(game).in_daily_order
        return order[self.today() % len(order)]

    async def next(self, game: str, player: str | None = None, theme: str = "", skipped: str = "") -> Puzzle:
        """One near the player's rating that they have not had; if there is none, the one they had longest ago."""
        puzzles = [each for each in self.of(game).in_daily_order if not theme or theme in each.themes]
        if not puzzles:
            raise NotFound("no puzzle of this game has that theme")
        puzzles = [each for each in puzzles if each.id != skipped] or puzzles
        own = (await self.standing(player, game)).rating if player else ratings.fresh("", game, self._now())
        level = level_of(own)
        known = await self._ratings(game)
        rated = {each.id: known[each.id].rating if each.id in known else each.rating for each in puzzles}
        nearest = sorted(puzzles, key=lambda each: (abs(rated[each.id] - level), each.id))
        had: dict[str, int] = {}
        for start in range(0, len(nearest), BATCH):
            batch = nearest[start : start + BATCH]
            had |= await self._had(player, game, batch)
            if new := [each for each in batch if each.id not in had]:
                return self._rng.choice(new[:CHOICE])
        return min(nearest, key=lambda each: had[each.id])

    async def _had(self, player: str | None, game: str, puzzles: Sequence[Puzzle]) -> dict[str, int]:
        """When a player was last at those that they are done with."""
        ids = [each.id for each in puzzles]
        attempts = await self._store.puzzle_attempts(player, game, ids) if player else ()
        return {each.puzzle: each.at for each in attempts if each.state != State.OPEN}

    async def standing(self, player: str, game: str) -> Standing:
        own = await self._store.puzzle_ratings_of(player)
        streaks = await self._store.puzzle_streaks_of(player)
        return _standing(player, game, own, streaks, self._now())

    async def standings(self, player: str) -> list[Standing]:
        """In all games whose puzzles the player has tried."""
        own, streaks = await self._store.puzzle_ratings_of(player), await self._store.puzzle_streaks_of(player)
        tried = {each.game for each in own} | {each.game for each in streaks}
        games = [game for game in GAMES if game in tried]
        return [_standing(player, game, own, streaks, self._now()) for game in games]

    async def attempt(self, player: str, puzzle: Puzzle) -> PuzzleAttempt:
        """What the player has done so far; version 0 if that is nothing."""
        found = await self._store.puzzle_attempt(player, puzzle.game, puzzle.id)
        return found or PuzzleAttempt(player, puzzle.game, puzzle.id, 0, State.OPEN, 0, 0)

    async def rating(self, puzzle: Puzzle) -> Rating:
        stored = await self._store.puzzle_ratings(puzzle.game, [puzzle_key(puzzle.id)])
        return stored[0] if stored else _estimate(puzzle, self._now())

    async def try_move(self, player: str, puzzle: Puzzle, number: int, move: str) -> Tried:
        """Judges the solver's move of this number, in notation; the first is 0. It must have been reached."""
        said: Answer | None = None

        def decide(attempt: PuzzleAttempt) -> PuzzleAttempt:
            nonlocal said
            refuse_unreached(attempt.found, number)
            said = answer(puzzle, 2 * number, move)
            return tried(attempt, puzzle, number, is_right=said.is_right)

        attempt = await self._change(player, puzzle, decide, lambda: said is not None and said.is_solved)
        assert said is not None
        return Tried(said, attempt)

    async def hint(self, player: str, puzzle: Puzzle) -> PuzzleAttempt:
        """Allows the player a hint; an open attempt no longer counts."""
        return await self._change(player, puzzle, hinted)

    async def show(self, player: str, puzzle: Puzzle) -> PuzzleAttempt:
        """Allows the player to see the solution; an open attempt has then failed."""
        return await self._change(player, puzzle, lambda attempt: shown(attempt, puzzle))

    async def _change(
        self,
        player: str,
        puzzle: Puzzle,
        decide: Callable[[PuzzleAttempt], PuzzleAttempt],
        is_finished: Callable[[], bool] = lambda: False,
    ) -> PuzzleAttempt:
        """Stores the decision and all its consequences in one transaction; decides again if it lost a race."""
        for _ in range(MAX_TRIES):
            before = await self.attempt(player, puzzle)
            after = decide(before)
            writes: list[Write] = []
            if before.state == State.OPEN and after.state in RATED:
                after, changed = await self._rated(puzzle, after)
                writes += changed
            writes += await self._streaks(puzzle, before, after, is_finished=is_finished())
            if after != before:
                after = after._replace(version=before.version + 1, at=self._now())
                writes.append(PutPuzzleAttempt(after))
                writes += [] if before.version else [DropPuzzleAttempts(player, HISTORY)]
            with suppress(Conflict):
                await self._store.commit(*writes)
                return after
        raise Conflict("this puzzle is too busy; try again")

    async def _rated(self, puzzle: Puzzle, attempt: PuzzleAttempt) -> tuple[PuzzleAttempt, list[Write]]:
        """The attempt with the rating it ended with, and the new ratings."""
        now, key = self._now(), puzzle_key(puzzle.id)
        stored = {each.player: each for each in await self._store.puzzle_ratings(puzzle.game, [attempt.player, key])}
        own = stored.get(attempt.player) or ratings.fresh(attempt.player, puzzle.game, now)
        other = (stored.get(key) or _estimate(puzzle, now))._replace(updated_at=now)  # a puzzle does not age
        winner = Player.FIRST if attempt.state == State.SOLVED else Player.SECOND
        new, puzzles = ratings.after(own, other, winner, now, (UNBRIBED, STRANGERS))
        writes: list[Write] = [PutPuzzleRating(new)]
        if person_in(attempt.player) is not None:  # programs would make all puzzles look easy
            writes.append(PutPuzzleRating(puzzles))
        return attempt._replace(before=own.rating, after=new.rating), writes

    async def _streaks(
        self, puzzle: Puzzle, before: PuzzleAttempt, after: PuzzleAttempt, *, is_finished: bool
    ) -> list[Write]:
        today = self.today()
        stored = await self._store.puzzle_streaks_of(after.player)
        old = next((each for each in stored if each.game == puzzle.game), _no_streaks(after.player, puzzle.game))
        new = old
        if before.state == State.OPEN and after.state in RATED:
            streak = old.streak + 1 if after.state == State.SOLVED else 0
            new = new._replace(streak=streak, best=max(old.best, streak))
        was_shown = before.state == State.SHOWN and before.at // DAY == today
        if is_finished and not was_shown and puzzle == self.daily(puzzle.game):
            new = with_day(new, today)
        return [] if new == old else [PutPuzzleStreaks(new._replace(version=old.version + 1))]

    async def _ratings(self, game: str) -> Mapping[str, Rating]:
        """The ratings of puzzles that somebody has tried, by their ids, as they were a moment ago."""
        read_at, known = self._known.get(game, (0, {}))
        now = self._now()
        if not 0 <= now - read_at < FRESH_MS:
            keys = {puzzle_key(id): id for id in self.of(game).by_id}
            known = {keys[each.player]: each for each in await self._store.puzzle_ratings(game, list(keys))}
            self._known[game] = now, known
        return known


def puzzle_key(id: str) -> str:
    """The key of a puzzle where players have theirs."""
    return f"puzzle/{id}"


def puzzle_set(puzzles: Sequence[Puzzle]) -> PuzzleSet:
    shuffled = sorted(puzzles, key=lambda each: sha256(f"{each.game} {each.id}".encode()).digest())
    themes = sorted({theme for puzzle in puzzles for theme in puzzle.themes})
    return PuzzleSet({each.id: each for each in puzzles}, shuffled, themes)


def level_of(rating: Rating) -> float:
    """What puzzles are chosen by: less than the rating as long as that is uncertain, so that easy ones come first."""
    return rating.rating - max(0.0, rating.deviation - ratings.SETTLED)


def moves_to_find(puzzle: Puzzle) -> int:
    return (len(puzzle.moves) + 1) // 2


def refuse_unreached(found: int, number: int) -> None:
    """A later position gives away part of the solution."""
    if number > found:
        raise BadInput("the moves before this one have not been found yet")


def tried(attempt: PuzzleAttempt, puzzle: Puzzle, number: int, *, is_right: bool) -> PuzzleAttempt:
    """After a move; only the next one of an attempt that is open can end it."""
    found = max(attempt.found, number + 1) if is_right else attempt.found
    state = attempt.state
    if state == State.OPEN and not is_right and number == attempt.found:
        state = State.FAILED
    elif state == State.OPEN and found >= moves_to_find(puzzle):
        state = State.SOLVED
    return attempt._replace(state=state, found=found)


def hinted(attempt: PuzzleAttempt) -> PuzzleAttempt:
    return attempt._replace(state=State.HINTED if attempt.state == State.OPEN else attempt.state)


def shown(attempt: PuzzleAttempt, puzzle: Puzzle) -> PuzzleAttempt:
    if attempt.state == State.SOLVED:
        return attempt
    return attempt._replace(state=State.SHOWN, found=moves_to_find(puzzle))


def with_day(streaks: PuzzleStreaks, today: int) -> PuzzleStreaks:
    """With today's daily puzzle solved; a second time changes nothing."""
    if streaks.last_day >= today:
        return streaks
    days = streaks.days + 1 if streaks.last_day == today - 1 else 1
    return streaks._replace(days=days, best_days=max(streaks.best_days, days), last_day=today)


def next_number(attempt: PuzzleAttempt, puzzle: Puzzle) -> int:
    """Of the solver's move to find next; an attempt that is over starts again."""
    is_going_on = attempt.state in (State.OPEN, State.HINTED) and attempt.found < moves_to_find(puzzle)
    return attempt.found if is_going_on else 0


def shown_attempt(attempt: PuzzleAttempt) -> dict[str, Any]:
    """As JSON."""
    rating = None
    if attempt.before is not None and attempt.after is not None:
        rating = {"before": round(attempt.before), "after": round(attempt.after)}
    return {"state": attempt.state, "rating": rating}


def shown_standing(standing: Standing, today: int) -> dict[str, Any]:
    """As JSON."""
    rating, streaks = standing.rating, standing.streaks
    return {
        "rating": round(rating.rating),
        "provisional": ratings.is_provisional(rating),
        "tried": rating.games,
        "solved": rating.wins,
        "streak": streaks.streak,
        "bestStreak": streaks.best,
        "days": standing.days,
        "bestDays": streaks.best_days,
        "isDailySolved": streaks.last_day >= today,
    }


def _standing(player: str, game: str, own: Iterable[Rating], streaks: Iterable[PuzzleStreaks], now: int) -> Standing:
    rating = next((each for each in own if each.game == game), None) or ratings.fresh(player, game, now)
    found = next((each for each in streaks if each.game == game), _no_streaks(player, game))
    days = found.days if found.last_day >= now // DAY - 1 else 0
    return Standing(ratings.aged(rating, now), found, days)


def _no_streaks(player: str, game: str) -> PuzzleStreaks:
    return PuzzleStreaks(player, game, 0, 0, 0, 0, 0, -1)


def _estimate(puzzle: Puzzle, now: int) -> Rating:
    """The rating that a puzzle comes with, until somebody has tried it."""
    start = ratings.fresh(puzzle_key(puzzle.id), puzzle.game, now)
    return start._replace(rating=float(puzzle.rating), deviation=DEVIATION)
