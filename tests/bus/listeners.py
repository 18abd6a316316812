"""Listeners to test with."""

from __future__ import annotations

import asyncio

from ludus.service.ports.bus import Note


class Listener:
    def __init__(self, name: str, heard: list[tuple[str, Note]], pauses: int = 0) -> None:
        self.name, self.heard, self.pauses = name, heard, pauses

    async def __call__(self, note: Note) -> None:
        for _ in range(self.pauses):
            await asyncio.sleep(0)
        self.heard.append((self.name, note))
