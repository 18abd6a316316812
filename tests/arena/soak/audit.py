"""What must hold after a soak, according to the arena's API and in its database."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import httpx2

from ludus.games import ABOUT
from ludus.service.ratings import BOT_RATINGS

Json = dict[str, Any]
Row = tuple[Any, ...]
START = 1500.0
BOTS = {f"bot/{level}": rating for level, rating in BOT_RATINGS.items()}
"""Starting ratings; those of the bots depend on their level."""


LEFT = frozenset({"resignation", "timeout", "afk_timeout", "disconnect", "aborted", "invalid_actions"})
"""Endings other than by the rules, as the API and the database call them."""


def is_early(reason: str, game: str, moves: int) -> bool:
    """Whether a match was left too early to be rated for the winner."""
    return reason in LEFT and moves < 2 * ABOUT[game].rated_moves


class Audit:
    def __init__(self, url: str, http: httpx2.AsyncClient) -> None:
        self._url = url
        self._http = http
        self.problems: list[str] = []
        self.reasons: Counter[str] = Counter()

    async def check_matches(self, matches: Iterable[str]) -> None:
        """Each has ended, with a winner and a loser or a draw, and its record says how."""
        for match in matches:
            record = await self._get(f"/api/matches/{match}")
            result = record["result"]
            if result is None:
                self.problems.append(f"match {match} has no end: {record['status']}, {len(record['moves'])} moves")
                continue
            outcomes = sorted(each["outcome"] for each in result["results"])
            if outcomes not in (["loss", "win"], ["draw", "draw"]):
                self.problems.append(f"match {match} ended as {outcomes}")
            self.reasons[result["reason"]] += 1

    async def check_agent(self, id: str, matches: set[str]) -> None:
        """An agent's matches are all over, and add up to its ratings; wins that came too early don't count."""
        profile = await self._get(f"/api/agents/{id}")
        listed = (await self._get(f"/api/agents/{id}/matches?limit=100"))["matches"]
        unfinished = [each["id"] for each in listed if "outcome" not in each]
        unknown = {each["id"] for each in listed} - matches
        if unfinished:
            self.problems.append(f"agent {id} is still in {unfinished}")
        if unknown:
            self.problems.append(f"agent {id} never heard of {unknown}")
        for game, rating in profile["ratings"].items():
            own = [
                each
                for each in listed
                if each["gameId"] == game
                and "outcome" in each
                and not (each["outcome"] == "win" and is_early(each["reason"], game, each["moveCount"]))
            ]
            counted = Counter(each["outcome"] for each in own)
            said = {name: rating[name] for name in ("games", "wins", "draws", "losses")}
            found = {"games": len(own), "wins": counted["win"], "draws": counted["draw"], "losses": counted["loss"]}
            if len(listed) < 100 and said != found:
                self.problems.append(f"agent {id} has {found} at {game}, and its rating says {said}")

    async def _get(self, path: str) -> Json:
        answer = await self._http.get(self._url + path)
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text}"
        found: Json = answer.json()
        return found


class Stored(NamedTuple):
    """What the database holds of a soak, by the rows of `QUERIES`."""

    left: Sequence[Row]
    over: Sequence[Row]
    changes: Sequence[Row]
    ratings: Sequence[Row]


QUERIES = {
    "left": "SELECT id FROM tables WHERE status = 'live' AND door = 'arena' UNION ALL SELECT id FROM entries",
    "over": "SELECT id, game, moves, result FROM tables WHERE status = 'over' AND door = 'arena'",
    "changes": 'SELECT "table", player, game, before, after FROM settlements',
    "ratings": "SELECT player, game, rating, games, wins, draws FROM ratings",
}


def check_store(data: Path) -> list[str]:
    """The database of a stopped server: nothing is left over, and every rating is the sum of its changes."""
    with closing(sqlite3.connect(f"file:{data / 'ludus.sqlite3'}?mode=ro", uri=True)) as store:
        return check_stored(Stored(**{name: store.execute(query).fetchall() for name, query in QUERIES.items()}))


def check_stored(stored: Stored) -> list[str]:
    return [*_left_over(stored), *_unsettled(stored), *_wrong_sums(stored), *_uneven(stored)]


def _left_over(stored: Stored) -> Iterable[str]:
    for (id,) in stored.left:
        yield f"{id} is left among matches that go on or in the queue"


def _unsettled(stored: Stored) -> Iterable[str]:
    """Every finished match has a rating change for both players, or for the one who left early."""
    settled = Counter(table for table, *_ in stored.changes)
    for table, game, moves, result in stored.over:
        if settled[table] != (1 if is_early(json.loads(result)["reason"], game, moves) else 2):
            yield f"match {table} is settled for {settled[table]} players"


def _wrong_sums(stored: Stored) -> Iterable[str]:
    """A player's changes form a chain from the first rating to the current one."""
    for player, game, rating, games, *_ in stored.ratings:
        changes = [change[3:] for change in stored.changes if change[1:3] == (player, game)]
        start = BOTS.get(player, START)
        total = start + sum(after - before for before, after in changes)
        if len(changes) != games or abs(total - rating) > 1e-6:
            yield f"{player} at {game}: {len(changes)} changes lead to {total}, {games} games to {rating}"
        befores, afters = sorted(before for before, _ in changes), sorted(after for _, after in changes)
        if sorted([*befores, rating]) != sorted([*afters, start]):
            yield f"{player} at {game}: the changes are no chain"


def _uneven(stored: Stored) -> Iterable[str]:
    """One player's win is another's loss, unless it came too early."""
    settled = Counter((table, game) for table, _, game, *_ in stored.changes)
    early = Counter(game for (_, game), many in settled.items() if many == 1)
    for game in {rating[1] for rating in stored.ratings}:
        own = [rating[3:] for rating in stored.ratings if rating[1] == game]
        games, wins, draws = (sum(column) for column in zip(*own, strict=True))
        if 2 * wins + draws + early[game] != games:
            yield f"{game}: {games} games, but {wins} wins, {draws} draws and {early[game]} left early"
