"""The examples with a page, in a browser."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests import npm
from tests.clients.app_folder import AppFolder

from ..server_process import ServerProcess, Tenant
from .conftest import Visit
from .test_embed import make_first_move

FOLDER = Path(__file__).parents[2] / "examples"
BUILD = """import { build } from "esbuild";
const [folder] = process.argv.slice(2);
const paths = { entryPoints: [`${folder}/app.jsx`], outfile: `${folder}/app.js` };
await build({ ...paths, bundle: true, format: "esm", jsx: "automatic", logLevel: "error" });
"""
"""What `npm run build` does; the program's own file differs by machine."""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> AppFolder:
    return AppFolder(tmp_path_factory.mktemp("app"))


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name of the base class
        pass


@pytest.fixture
def react_page(app: AppFolder) -> Iterator[str]:
    """The address of the built example."""
    folder = app.add(FOLDER / "react")
    (script := folder / "build.mjs").write_text(BUILD)
    app.run(script, str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/index.html"
        server.shutdown()
        thread.join()


def test_the_react_example_plays_and_returns_after_a_reload(
    visit: Visit, server: ServerProcess, react_page: str
) -> None:
    page = visit().open(f"{react_page}?server={server.url}")
    page.get_by_role("button", name="checkers").click()
    make_first_move(page)
    expect(page.get_by_text("2 moves")).to_be_visible()
    expect(page.get_by_text("Your turn")).to_be_visible()
    page.reload()
    expect(page.get_by_text("2 moves")).to_be_visible()
    page.get_by_role("button", name="Resign").click()
    expect(page.get_by_text("Not this time: resignation.")).to_be_visible()
    page.get_by_role("button", name="Another game").click()
    page.get_by_role("button", name="backgammon").click()
    page.locator("ludus-backgammon [data-mark=source]").first.wait_for(state="attached")


def test_the_express_example_plays_in_its_page(
    visit: Visit, server: ServerProcess, tenant: Tenant, app: AppFolder
) -> None:
    script = app.add(FOLDER / "express") / "server.mjs"
    own = {"LUDUS_URL": server.url, "LUDUS_LIVE_KEY": tenant.live, "PORT": "0"}
    with subprocess.Popen([npm.NODE, script], stdout=subprocess.PIPE, text=True, env=os.environ | own) as back_end:
        try:
            assert back_end.stdout
            page = visit().open(back_end.stdout.readline().removeprefix("open at ").strip())
            page.get_by_label("Your name").fill("Ann")
            page.get_by_role("button", name="Play").click()
            make_first_move(page)
            page.get_by_role("button", name="Resign").click()
        finally:
            back_end.kill()
