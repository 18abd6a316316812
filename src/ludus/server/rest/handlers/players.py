"""A tenant's players: exporting and deleting what is stored about one."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from starlette.responses import StreamingResponse

from ludus.server.http.downloads import download
from ludus.server.http.exports import Deletion
from ludus.server.rest.auth import CurrentKey
from ludus.server.rest.handlers.sessions import MODES
from ludus.service.erasure import Erasures
from ludus.service.export import Exports
from ludus.service.platform import Platform

Id = Annotated[str, Path(description="The player's `id`, as the tenant gave it.", min_length=1, max_length=128)]


class Players:
    def __init__(self, platform: Platform, erasures: Erasures) -> None:
        self._erasures = erasures
        self._exports = Exports(platform.store, lambda: platform.clock.moment().at)

    async def export(self, id: Id, key: CurrentKey) -> StreamingResponse:
        """Everything stored about a player in the modes of the key: sessions, games with moves, ratings."""
        return download(await self._exports.player(key.tenant, id, MODES[key.kind]), "player")

    async def delete(self, id: Id, key: CurrentKey) -> Deletion:
        """Deletes a player in the modes of the key.

        Waiting sessions are cancelled and running games resigned. Finished games stay, for the other player's sake, but
        show a pseudonym.
        """
        erasures = await self._erasures.request_player(key.tenant, id, MODES[key.kind])
        return deletion(is_complete=await self._erasures.finish(erasures))


def deletion(*, is_complete: bool) -> Deletion:
    return Deletion(status="deleted" if is_complete else "deleting")
