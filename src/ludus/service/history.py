"""Finished games and results of the page's people, written with the end of each game."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final

from ludus.service.decisions import Decision
from ludus.service.player_keys import person_in
from ludus.service.ports.writes import AddScore, PutHistory, Write
from ludus.service.records import HistoryEntry, Score
from ludus.service.table import EventKind, SeatKind, Table

PEOPLE: Final = "people"
PRIVATE: Final = "private"
"""Games that only their players see."""
BOTS: Final = "bots"
AGENTS: Final = "agents"
KINDS: Final = (AGENTS, BOTS, PEOPLE, PRIVATE)
"""Kinds of opponents for which results are totalled."""
PUBLIC_KINDS: Final = (AGENTS, PEOPLE)
"""The kinds whose totals everyone may see."""


def on_decision(decision: Decision) -> Awaitable[list[Write]] | None:
    """What a person's finished game adds, in the transaction that ends it; a cancelled one adds nothing."""
    if not decision.is_end or decision.event.kind == EventKind.ABORTED:
        return None
    if not any(person_in(seat.key) for seat in decision.after.seats):
        return None
    return _writes(decision.after)


async def _writes(table: Table) -> list[Write]:
    return [write for seat in (0, 1) if person_in(table.seats[seat].key) for write in _writes_for(table, seat)]


def _writes_for(table: Table, seat: int) -> list[Write]:
    own, other = table.seats[seat].key, table.seats[1 - seat].key
    kind = _kind(table, 1 - seat)
    assert table.ended_at is not None
    opponents = [kind, *([other] if person_in(other) else [])]
    entry = HistoryEntry(own, table.ended_at, table.id, kind in PUBLIC_KINDS)
    return [PutHistory(entry), *(AddScore(_score(table, seat, opponent)) for opponent in opponents)]


def _kind(table: Table, opponent: int) -> str:
    if table.seats[opponent].kind == SeatKind.BOT:
        return BOTS
    if table.opening.is_private:
        return PRIVATE
    return AGENTS if table.seats[opponent].kind == SeatKind.AGENT else PEOPLE


def _score(table: Table, seat: int, opponent: str) -> Score:
    outcome = table.outcome
    assert outcome is not None
    wins, draws = int(outcome.winner == seat), int(outcome.winner is None)
    return Score(table.seats[seat].key, opponent, table.opening.game, wins, draws, 1 - wins - draws)
