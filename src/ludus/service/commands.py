"""What can be asked of a table. Commands are plain data: they can be logged, replayed and sent to another process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, get_args


class Payload(NamedTuple):
    """A move as a client sent it, resolved to a legal move when the command is decided."""

    codec: str
    """Which of the game's codecs reads it: `rooms` or `arena`."""
    value: Any
    """JSON."""


class Play(NamedTuple):
    seat: int
    move: str | Payload
    """In notation, or as the client sent it."""
    turn: int | None = None
    """The `turn_version` that the player answers; None answers the current turn."""


class Resign(NamedTuple):
    seat: int
    turn: int | None = None


class Refuse(NamedTuple):
    """Counts a malformed or illegal action. At `most` of them in one game the player forfeits."""

    seat: int
    most: int
    turn: int | None = None


class Abort(NamedTuple):
    """Ends a game from outside, or one that the bot in this seat cannot go on with: nobody wins, and it is unrated."""

    seat: int | None
    reason: str


class OfferDraw(NamedTuple):
    seat: int


class AcceptDraw(NamedTuple):
    seat: int


class DeclineDraw(NamedTuple):
    seat: int


class OfferResignation(NamedTuple):
    """Offers to concede the current game as a win of this kind, such as a gammon; the other player may refuse."""

    seat: int
    win: int
    turn: int | None = None


class AcceptResignation(NamedTuple):
    seat: int
    turn: int | None = None


class DeclineResignation(NamedTuple):
    seat: int
    turn: int | None = None


class TakeBack(NamedTuple):
    """Takes back the player's last move and what followed it; only in practice games."""

    seat: int


class Leave(NamedTuple):
    """The player's last connection has closed."""

    seat: int
    socket: str = ""
    since: int | None = None
    """When it closed, in uptime, if that was a while ago."""


class Return(NamedTuple):
    seat: int


class AskRematch(NamedTuple):
    seat: int
    table: str
    """The id of the new table, if it is opened."""


class Tick(NamedTuple):
    """Fires the deadlines that have passed."""

    until: int | None = None
    """In uptime; None for now. Deadlines after it are left alone, however late the command is executed."""


Command = (
    Play
    | Resign
    | Refuse
    | Abort
    | OfferDraw
    | AcceptDraw
    | DeclineDraw
    | OfferResignation
    | AcceptResignation
    | DeclineResignation
    | TakeBack
    | Leave
    | Return
    | AskRematch
    | Tick
)

KINDS: Final[Mapping[str, type[Command]]] = {kind.__name__: kind for kind in get_args(Command)}


def to_data(command: Command) -> dict[str, Any]:
    """The command as JSON."""
    data = {"kind": type(command).__name__, **command._asdict()}
    if isinstance(command, Play) and isinstance(command.move, Payload):
        data["move"] = command.move._asdict()
    return data


def from_data(data: Mapping[str, Any]) -> Command:
    fields = dict(data)
    kind = KINDS[fields.pop("kind")]
    if isinstance(fields.get("move"), Mapping):
        fields["move"] = Payload(**fields["move"])
    return kind(**fields)
