"""Codes that hand one seat over to another device of its player: short, valid once and for a few minutes."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from typing import Final

from ludus.service.ports.clock import Clock
from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import DropSeatCodes, PutSeatCode, TakeSeatCode
from ludus.service.records import SeatCode
from ludus.service.sessions import CODE_LETTERS
from ludus.service.tables import NotFound

LENGTH: Final = 7
"""Differs from the lengths of room codes and device codes, so that one form can take them all."""
LIFE_MS: Final = 10 * 60_000


class SeatCodes:
    def __init__(self, store: Store, clock: Clock, choose: Callable[[str], str], secret: bytes) -> None:
        """`choose` picks a random character."""
        self._store = store
        self._clock = clock
        self._choose = choose
        self._secret = secret

    async def create(self, session: str, player: str) -> str:
        """A code for this player's seat; expired codes are deleted."""
        now = self._clock.now()
        code = "".join(self._choose(CODE_LETTERS) for _ in range(LENGTH))
        row = SeatCode(self._hash(code), session, player, now + LIFE_MS)
        await self._store.commit(DropSeatCodes(now), PutSeatCode(row))
        return code

    async def take(self, code: str) -> SeatCode:
        """Uses up the code, and returns the seat it is for."""
        row = await self._store.seat_code(self._hash(code))
        if row is None or row.expires_at <= self._clock.now():
            raise NotFound("this code has been used, or has expired")
        try:
            await self._store.commit(TakeSeatCode(row.hash))
        except Conflict:
            raise NotFound("this code has been used, or has expired") from None
        return row

    def _hash(self, code: str) -> str:
        """Keyed, since so short a code could be recovered from a plain hash."""
        return hmac.new(self._secret, b"seat " + code.encode(), hashlib.sha256).hexdigest()
