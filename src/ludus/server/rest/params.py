"""What stands in an address."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Path, Query

from ludus.server.rest.requests import GameName
from ludus.service.tokens import MAX_LENGTH

UUID: Final = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"

Game = Annotated[GameName, Query(description="Which game.")]
OfGame = Annotated[GameName | None, Query(description="The session's game; another one's is not found.")]
SessionId = Annotated[str, Path(description="The `sessionId` of a session.", pattern=UUID)]
Token = Annotated[str, Query(description="A session's token.", max_length=MAX_LENGTH)]
