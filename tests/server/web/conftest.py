"""An app with a REST client, for tests of the page's requests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.server.rest.rest_app import RestApp, open_app


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[RestApp]:
    async with open_app(tmp_path) as app:
        yield app
