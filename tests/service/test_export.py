"""Exports are long, and leave the event loop to others between one item and the next."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import orjson

from ludus.service.export import _document


def test_others_get_a_turn_after_each_item() -> None:
    turns = 0

    async def wait_for_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def items() -> AsyncIterator[dict[str, object]]:
        for number in range(10):
            yield {"number": number}

    async def go() -> None:
        other = asyncio.create_task(wait_for_turns())
        text = b"".join([part async for part in _document({"kind": "test"}, {"items": items(), "none": items()})])
        other.cancel()
        assert turns >= 20
        numbers = [{"number": number} for number in range(10)]
        assert orjson.loads(text) == {"kind": "test", "items": numbers, "none": numbers}

    asyncio.run(go())
