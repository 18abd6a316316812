"""The manifest, its icons and the service worker, as browsers get them."""

from __future__ import annotations

import json
import re
import runpy
import struct
import zlib
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from tests.server.rest.rest_app import RestApp, open_app

from ludus.games import GAMES
from ludus.server.web.installation import APIS, manifest, no_service_worker, service_worker
from ludus.server.web.pages import site

ICONS = Path(str(files("ludus.web"))) / "static" / "icons"
DRAW: dict[str, Any] = runpy.run_path(str(ICONS / "draw.py"))


@pytest.mark.parametrize("prefix", ["", "/play"])
def test_the_manifest_names_addresses_under_the_path_and_icons_of_the_sizes_it_says(prefix: str) -> None:
    served = site(prefix).assets
    content = json.loads(manifest(served).content)
    assert content["start_url"] == content["scope"] == content["id"] == f"{prefix}/"
    assert [shortcut["url"] for shortcut in content["shortcuts"]] == [
        *(f"{prefix}/?game={game}" for game in GAMES),
        f"{prefix}/watch",
    ]
    assert {icon["purpose"] for icon in content["icons"]} == {"any", "maskable"}
    for icon in content["icons"]:
        file = served.files[icon["src"].removeprefix(f"{served.base}/")].content
        assert icon["sizes"] == "{}x{}".format(*struct.unpack(">II", file[16:24]))


@pytest.mark.parametrize("name", DRAW["ICONS"])
def test_an_icon_is_what_its_script_draws(name: str) -> None:
    """Other versions of zlib compress the same pixels differently."""

    def rows(png: bytes) -> bytes:
        length = int.from_bytes(png[33:37], "big")
        return zlib.decompress(png[41 : 41 + length])

    drawn = DRAW["png"](DRAW["picture"](*DRAW["ICONS"][name]))
    kept = (ICONS / name).read_bytes()
    assert kept[:33] == drawn[:33] and rows(kept) == rows(drawn)


def test_the_worker_changes_with_the_version_and_keeps_only_files_that_are_there() -> None:
    served = site("").assets
    text = service_worker(served).content.decode()
    setup = json.loads(re.search(r"= (\{.*\});$", text, re.MULTILINE)[1])  # type: ignore[index]  # None fails the test
    assert setup["cache"] == f"ludus / {served.version}" and setup["offline"] == "/offline"
    kept = [*setup["files"], *(file for own in setup["languages"].values() for file in own)]
    assert all(file.removeprefix(f"{served.base}/") in served.files for file in kept)
    assert set(setup["languages"]) == {"en", "de", "es", "fr"}
    assert any(file.endswith("/rules/fr.js") for file in setup["languages"]["fr"])
    assert {"/web/", "/v1/", "/api/", "/socket.io"} <= set(APIS)
    assert "{{" not in text and "{{" not in no_service_worker(served).content.decode()


@pytest.mark.anyio
async def test_browsers_ask_for_the_worker_again_on_every_visit(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app:
        await _check_headers(app)


async def _check_headers(app: RestApp) -> None:
    worker = await app.client.get("/service-worker.js")
    assert worker.headers["Content-Type"].startswith("text/javascript")
    assert worker.headers["Cache-Control"] == "no-cache"
    assert worker.headers["Content-Security-Policy"] == "default-src 'none'; connect-src 'self'"
    found = await app.client.get("/manifest.webmanifest")
    assert found.headers["Content-Type"] == "application/manifest+json"
    page = await app.client.get("/")
    assert "worker-src 'self'" in page.headers["Content-Security-Policy"]
    assert '<link rel="manifest" href="/manifest.webmanifest">' in page.text
