"""The interfaces of a game's codecs. Values from outside are refused with an error from `ludus.core.errors`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ludus.core.game import Game
from ludus.wire.actions import Action

if TYPE_CHECKING:
    from ludus.wire.text import TextCodec


Schema = Mapping[str, Any]
"""A JSON Schema. One with a `title` is a type of its own in documents and generated code."""


class RoomSchemas(NamedTuple):
    """What a room codec reads and writes."""

    board: Mapping[str, Schema]
    """The fields of `board`; all are always there."""
    move: Schema
    """A move as `move` writes it."""
    move_request: Schema
    """A move as `parse_move` reads it."""
    place: Schema
    """A place from which to list moves."""
    steps: Schema
    """The steps made so far."""
    legal_move: Schema
    """One of the moves that `moves_from` lists."""
    move_fields: Mapping[str, Schema]
    """The fields of `move_fields`; all are always there."""
    events: Mapping[str, Mapping[str, Schema]]
    """The fields of each of `events`; all are always there."""
    board_options: Mapping[str, Schema] = MappingProxyType({})
    """The fields of `board` that only games with certain options have."""
    move_options: Mapping[str, Schema] = MappingProxyType({})
    """`ended`, in games that have matches."""
    result_options: Mapping[str, Schema] = MappingProxyType({})
    """Further fields of a result, in games with certain options."""
    target: Schema | None = None
    """A place to which a piece should go; the same as `place` unless given."""


class Refusal(NamedTuple):
    """Why a piece can't move, or not where it should."""

    reason: str
    places: tuple[Any, ...] = ()
    """What can be done instead: the pieces that can move or, if the target is the problem, the places within reach."""


class RoomCodec(Protocol):
    """A game as rooms and the web page see it."""

    @property
    def schemas(self) -> RoomSchemas: ...

    @property
    def colors(self) -> tuple[str, str]:
        """What the first and the second player are called."""
        ...

    def board(self, position: Any) -> dict[str, Any]:
        """The fields of a message that show a position. They may be shared between messages; do not mutate."""
        ...

    def packed_board(self, position: Any) -> Any:
        """The board, as short as possible, since a record holds hundreds of boards."""
        ...

    def move(self, position: Any, move: Any) -> dict[str, Any]:
        """A move (not a roll) made in this position."""
        ...

    def parse_move(self, position: Any, payload: object) -> Any:
        """The legal move a client asks for, or one of the three `BadMove` errors."""
        ...

    def moves_from(self, position: Any, place: object = None, so_far: object = None) -> list[Any]:
        """What the player to move can do from a place; None stands for what the client left out."""
        ...

    def refusal(self, position: Any, place: object, target: object = None, so_far: object = None) -> Refusal | None:
        """Why the player to move can't do this, or None if it is legal; without a target, why the piece can't move."""
        ...

    def move_fields(self, before: Any, move: Any, after: Any) -> dict[str, Any]:
        """The fields of `game:move:made` that only this game has."""
        ...

    def ended(self, before: Any, move: Any, after: Any) -> dict[str, Any] | None:
        """How a game of a match ended, if the move ended one."""
        ...

    def events(self, before: Any, move: Any, after: Any) -> Iterable[tuple[str, dict[str, Any]]]:
        """The move's webhook events besides `game.move`: their names, without the game's, and their data."""
        ...


class ArenaCodec(Protocol):
    """A game as agents see it."""

    @property
    def colors(self) -> tuple[str, str]:
        """What the first and the second player are called."""
        ...

    @property
    def schema(self) -> Mapping[str, Any]:
        """The JSON Schema of an action; it accepts exactly what `parse_action` accepts."""
        ...

    def view(self, game: Game[Any, Any], *, is_to_move: bool) -> dict[str, Any]:
        """The fields of a view that only this game has; legal moves are listed for the player to move."""
        ...

    def position(self, view: Mapping[str, Any]) -> Any:
        """The position that a view shows."""
        ...

    def move(self, position: Any, move: Any) -> dict[str, Any]:
        """A move (not a roll) made in this position, as records show it."""
        ...

    def action(self, position: Any, move: Any) -> dict[str, Any]:
        """The action that plays a move."""
        ...

    def parse_action(self, payload: object) -> Action:
        """The action, if it is well-formed; `InvalidInput` if not."""
        ...

    def resolve(self, position: Any, action: Action) -> Any:
        """The legal move that an action other than a resignation means here, or a `BadMove`."""
        ...

    def board_text(self, game: Game[Any, Any]) -> str:
        """The board drawn as text, in the words agents know."""
        ...


class SetupCodec(Protocol):
    """Positions that people set up on the page's board, in a game whose board can be edited."""

    def read(self, payload: Mapping[str, Any]) -> Any:
        """The position, or `MalformedPosition`, which says what is wrong with it."""
        ...


class Codec(NamedTuple):
    """A game's codecs."""

    rooms: RoomCodec
    arena: ArenaCodec
    text: TextCodec
    setup: SetupCodec | None = None
