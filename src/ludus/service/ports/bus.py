"""The port of the bus: notes from one process to all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

from ludus.service.records import Event


class TableChanged(NamedTuple):
    """A table has reached this version; subscribers read the new events."""

    table: str
    version: int
    traceparent: str = ""
    """The span that it was stored in, as in the W3C's header of that name; empty unless the command is traced."""
    event: Event | None = None
    """The event that led to it, so that other processes need not read it; None where they have to."""


class PlayerSeated(NamedTuple):
    """A queued player has a seat."""

    player: str
    table: str


class SessionCancelled(NamedTuple):
    """A session has ended before its game has begun."""

    session: str


class TableRedacted(NamedTuple):
    """The players of a finished table have changed without a new version, or it has been deleted."""

    table: str


class PlayerErased(NamedTuple):
    """A player's data are being erased: their connections must be closed."""

    player: str


class DeadlinesMoved(NamedTuple):
    """All deadlines are at other wall-clock times: the platform did not work for a while, or the clock was set."""


class PresenceChanged(NamedTuple):
    """A player of a finished table has left it, or come back; while a game lasts, that is an event of the table."""

    table: str
    seat: int
    socket: str
    is_here: bool


class SocketOpened(NamedTuple):
    """A player or an agent has opened a socket of a kind that each has one of: earlier ones, at any process, end."""

    place: str
    """Whose socket, and which kind."""
    at: int
    """In uptime."""
    socket: str
    """An id, which orders two that were opened at the same time."""


class PhraseSaid(NamedTuple):
    """A player says one of the set phrases to the other. It is not stored."""

    table: str
    seat: int
    phrase: str


class HintWanted(NamedTuple):
    """A player asks for a move at this version of the table; the process whose bots play there looks for one."""

    table: str
    seat: int
    version: int
    owner: str
    """The owner of the request, for sharing the engines' time: a mark of an address, never the address itself."""


class HintFound(NamedTuple):
    table: str
    seat: int
    version: int
    """As in `HintWanted`."""
    move: str
    """In notation; empty if the engine has failed."""


class AdviceWanted(NamedTuple):
    """A player asks whether a move would be a mistake at this version; answered by the same process as hints."""

    table: str
    seat: int
    version: int
    owner: str
    """As in `HintWanted`."""
    move: str
    """In notation."""


class AdviceFound(NamedTuple):
    table: str
    seat: int
    version: int
    move: str
    """As in `AdviceWanted`."""
    best: str
    """In notation; empty if the engine has failed."""
    loss: float
    """Points that the move gives away."""


class OpinionWanted(NamedTuple):
    """Somebody looks at a position; the process whose bots would play at a table of this id lets an engine look too."""

    id: str
    """Of the request."""
    game: str
    position: str
    """In notation."""
    owner: str
    """As in `HintWanted`."""


class OpinionFound(NamedTuple):
    """Comes several times for a request, each one from a deeper search."""

    id: str
    content: str
    """JSON; empty if the engine has failed."""


class OpinionUnwanted(NamedTuple):
    """Nobody waits for more of it."""

    id: str


class ExhibitionsWatched(NamedTuple):
    """Somebody looks at a page that shows live games; see `exhibitions`."""


Note = (
    TableChanged
    | PlayerSeated
    | SessionCancelled
    | TableRedacted
    | PlayerErased
    | PresenceChanged
    | SocketOpened
    | PhraseSaid
    | HintWanted
    | HintFound
    | AdviceWanted
    | AdviceFound
    | OpinionWanted
    | OpinionFound
    | OpinionUnwanted
    | ExhibitionsWatched
    | DeadlinesMoved
)


Concern = Callable[[TableChanged], bool]
"""Whether a change of a table matters to a listener."""


class Bus(Protocol):
    """Notifies all processes of changes. A note may be lost, late or repeated: the store is the truth."""

    on_gap: list[Callable[[], None]]
    """Called when notes of other processes may have been missed: what is in memory must be compared with the store."""

    @property
    def is_connected(self) -> bool:
        """Whether notes of other processes arrive; always true where there are none."""
        ...

    async def publish(self, note: Note) -> None:
        """Returns at once. Listeners are called in the background, for each table in the order of its notes.

        Where several changes of a table wait to be handled, listeners are called for the latest only.
        """
        ...

    def notify(self, note: Note) -> None:
        """The same for the listeners of this process only."""
        ...

    def subscribe(self, listener: Callable[[Note], Awaitable[None]], concerns: Concern | None = None) -> None:
        """With `concerns`, the listener is called for those changes of tables only; it is asked at every move."""
        ...

    async def drain(self) -> None:
        """Waits until the listeners of this process have handled everything."""
        ...

    async def start(self) -> None:
        """Returns at once, whether or not other processes can be reached."""
        ...

    async def stop(self) -> None:
        """Handles what was published. Afterwards nothing is handled or sent any more."""
        ...
