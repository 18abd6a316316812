"""Who sits at a table, as the arena names them: agents by their id, bots as `house:LEVEL`, people without theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ludus.service.agents import player_key
from ludus.service.lobby import bot_seat
from ludus.service.matches import LANES
from ludus.service.roster import Roster
from ludus.service.table import Seat, SeatKind, Table

HOUSE: Final = "house:"
PERSON: Final = "A person"
"""What everybody outside their app knows of somebody's name."""


def public_id(table: Table, seat: int) -> str:
    """People are nobody outside the app they came from: what it calls them is not told."""
    player = table.seats[seat]
    return _public_id(player.kind, player.id, seat)


def _public_id(kind: str, id: str, seat: int) -> str:
    if kind == SeatKind.BOT:
        return HOUSE + id.removeprefix("bot-")
    return id if kind == SeatKind.AGENT else f"person:{seat}"


def public_name(table: Table, seat: int) -> str:
    """Agents and bots have theirs for all to see; a person's was given to an app, not to the arena."""
    return _public_name(table.seats[seat].kind, table.seats[seat].name)


def _public_name(kind: str, name: str) -> str:
    return PERSON if kind == SeatKind.PERSON else name


def shown(table: Table, seat: int) -> dict[str, Any]:
    """A player as records show one."""
    kind = str(table.seats[seat].kind)
    return {"id": public_id(table, seat), "name": public_name(table, seat), "kind": kind}


def shown_in_row(players: tuple[Mapping[str, Any], ...], seat: int) -> dict[str, Any]:
    """The same from a table's row."""
    player = players[seat]
    name = _public_name(player["kind"], player["name"])
    return {"id": _public_id(player["kind"], player["id"], seat), "name": name, "kind": player["kind"]}


def has_agent(table: Table) -> bool:
    """Whether this is a match: people's games among themselves are no business of the arena."""
    return any(seat.kind == SeatKind.AGENT for seat in table.seats)


def level_of(id: str, roster: Roster) -> str | None:
    """The name of a bot by its public id; None for any other."""
    level = id.removeprefix(HOUSE)
    return level if id.startswith(HOUSE) and level in roster else None


def bot(level: str) -> Seat:
    """The bot of this level that agents meet."""
    return bot_seat(level, LANES[0])


def key_of(id: str, roster: Roster) -> str:
    """What the platform calls an agent or a bot."""
    level = level_of(id, roster)
    return player_key(id) if level is None else bot(level).key
