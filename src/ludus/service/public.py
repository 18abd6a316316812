"""What everyone may know about a table: its players' public ids and names, its moves, result and record file.

Agents appear by their id, bots as `house:LEVEL`; a person's id and name stay with the app they came from. The people of
our own page have names there: to agents they are persons like all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from ludus.players import BOT_PREFIX
from ludus.service import proof
from ludus.service.agents import player_key
from ludus.service.lobby import bot_seat
from ludus.service.matches import LANES
from ludus.service.player_keys import person_in
from ludus.service.records import Event, TableRow
from ludus.service.roster import Roster
from ludus.service.sessions import PAGE_TENANT
from ludus.service.table import Seat, SeatKind, Table, is_pseudonym, row_player, standing_moves

Json = dict[str, Any]

PERSON: Final = "A person"
REASONS: Final = {"afk_timeout": "timeout", "invalid_actions": "aborted"}
"""Where the contract's name of a reason differs."""
DETAILED: Final = frozenset({"invalid_actions"})
"""Reasons that say more than the contract's name for them."""
SEED: Final = "DiceSeed"


class PlayerMove(NamedTuple):
    """A player's move in a game's record; rolls aren't counted."""

    number: int
    ply: int
    """How many moves, rolls included, came before."""
    seat: int
    at: int
    version: int
    """Of the event that made it."""
    spent: int
    """Milliseconds of uptime since the move before it."""


def public_id(table: Table, seat: int) -> str:
    player = table.seats[seat]
    return _public_id(player.kind, player.id, seat)


def _public_id(kind: str, id: str, seat: int) -> str:
    if kind == SeatKind.BOT:
        return BOT_PREFIX + id.removeprefix("bot-")
    return id if kind == SeatKind.AGENT else f"person:{seat}"


def public_name(table: Table, seat: int) -> str:
    return _public_name(table.seats[seat].kind, table.seats[seat].name)


def _public_name(kind: str, name: str) -> str:
    return PERSON if kind == SeatKind.PERSON else name


def player(table: Table, seat: int) -> Json:
    kind = str(table.seats[seat].kind)
    return {"id": public_id(table, seat), "name": public_name(table, seat), "kind": kind}


def page_player(table: Table, seat: int) -> Json:
    """The same as our own page shows it."""
    who = table.seats[seat]
    return page_identity(row_player(who)) or player(table, seat)


def page_identity(stored: Mapping[str, Any]) -> Json | None:
    """One of the page's people as it shows them, also one who has been deleted; None for all other players."""
    person, name = person_in(stored["key"]), stored["name"]
    if person is None and not (stored["key"].startswith(f"{PAGE_TENANT}/") and is_pseudonym(stored["id"])):
        return None
    return {"id": stored["id"] if person is None else f"person:{person}", "name": name, "kind": str(SeatKind.PERSON)}


def page_players_of(row: TableRow) -> list[Json]:
    """The same, from a table's row."""
    shown = zip(row.players, players_of(row), strict=True)
    return [page_identity(each) or other for each, other in shown]


def players_of(row: TableRow) -> list[Json]:
    """The same, from a table's row."""
    return [
        {
            "id": _public_id(each["kind"], each["id"], seat),
            "name": _public_name(each["kind"], each["name"]),
            "kind": each["kind"],
        }
        for seat, each in enumerate(row.players)
    ]


def public_seats(table: Table) -> tuple[Seat, Seat]:
    """The seats as strangers see them: people have no name, and no id of their app's. Those of the page have both."""
    first, second = (
        seat._replace(id=page_player(table, number)["id"], name=page_player(table, number)["name"])
        if seat.kind == SeatKind.PERSON
        else seat
        for number, seat in enumerate(table.seats)
    )
    return first, second


def has_agent(table: Table) -> bool:
    """Whether the arena shows this table: games between people are not matches."""
    first, second = table.seats
    return first.kind == SeatKind.AGENT or second.kind == SeatKind.AGENT


def level_of(id: str, roster: Roster) -> str | None:
    """A bot's level by its public id; None for any other id."""
    level = id.removeprefix(BOT_PREFIX)
    return level if id.startswith(BOT_PREFIX) and level in roster else None


def bot(level: str) -> Seat:
    """The bot of this level that agents meet."""
    return bot_seat(level, LANES[0])


def key_of(id: str, roster: Roster) -> str:
    """The platform's key of an agent or a bot."""
    level = level_of(id, roster)
    return player_key(id) if level is None else bot(level).key


def reason_of(reason: str) -> Json:
    """Why a match ended: the contract's `reason`, and our own as `detail` where it says more."""
    return {"reason": REASONS.get(reason, str(reason)), "detail": str(reason) if reason in DETAILED else None}


def outcome_for(table: Table, seat: int) -> str:
    """`win`, `loss` or `draw`."""
    winner = table.outcome.winner if table.outcome else None
    return "draw" if winner is None else "win" if winner == seat else "loss"


def results(table: Table) -> list[dict[str, str]]:
    return [{"agentId": public_id(table, seat), "outcome": outcome_for(table, seat)} for seat in (0, 1)]


def player_moves(table: Table, events: Sequence[Event]) -> Iterator[PlayerMove]:
    """Each with the time of the event that recorded it."""
    number, before = 0, events[0].clock
    for ply, (_, event) in enumerate(standing_moves(events)):
        maker = table.game.rules.maker(table.game.position_at(ply), table.game.move_at(ply))
        if maker is not None:
            number += 1
            yield PlayerMove(number, ply, maker, event.at, event.version, max(0, event.clock - before))
            before = event.clock


def record_file(table: Table, names: Sequence[str] | None = None) -> str:
    """The game in its own file format, with public names unless others are given: agents' matches name no people.

    The seed of the dice is included once no more of them can be rolled.
    """
    game = table.game.copy()
    shown = names or [_name_in_file(table, seat) for seat in (0, 1)]
    game.tags.update(_tags(table, shown))
    return game.rules.notation.write_games([game])


def _name_in_file(table: Table, seat: int) -> str:
    return public_name(table, seat) if has_agent(table) else str(page_player(table, seat)["name"])


def _tags(table: Table, names: Sequence[str]) -> Mapping[str, str]:
    """The day is in UTC."""
    colors = (name.capitalize() for name in table.game.rules.players)
    day = datetime.fromtimestamp(table.opened_at / 1000, UTC).strftime("%Y.%m.%d")
    dice = proof.tags(table.id, table.opening.seed)
    if table.outcome is None:
        dice = {name: text for name, text in dice.items() if name != SEED}
    return {"Date": day, **dict(zip(colors, names, strict=True)), **dice}
