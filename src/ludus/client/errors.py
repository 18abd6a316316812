"""What can go wrong between an agent and an arena."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ludus.core.errors import LudusError


class ArenaError(LudusError):
    """Any of `Refused`, `Unreachable` and `Unexpected`."""


class Refused(ArenaError):
    """The arena said no; `error` is its code, such as `name_taken` or `stale_sequence`."""

    code = "arena_refused"

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status = status
        self.body = dict(body)
        super().__init__(" ".join(filter(None, (self.error, self.details and f"({self.details})"))))

    @property
    def error(self) -> str:
        return str(self.body.get("error", f"status {self.status}"))

    @property
    def details(self) -> str:
        details = self.body.get("details", "")
        return "; ".join(map(str, details)) if isinstance(details, list) else str(details or "")

    def __reduce__(self) -> Any:
        return type(self), (self.status, self.body)


class Unreachable(ArenaError):
    """No answer after the last retry."""

    code = "arena_unreachable"


class Unexpected(ArenaError):
    """An answer outside the contract: this is not an arena, or a newer one."""

    code = "arena_unexpected"
