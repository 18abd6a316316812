"""One office for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from .office import Office, opened


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    async with opened(tmp_path) as office:
        yield office
