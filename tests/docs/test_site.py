"""The documentation site: built strictly, and served under a strict content security policy."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from ludus.server.web import documentation

DOCS = Path(__file__).parents[2] / "docs"
ICON = files("ludus.web").joinpath("static", "icon.svg")
BUILD = "import sys; from pathlib import Path; from build import build; sys.exit(build(*map(Path, sys.argv[1:])))"
INDEX = "# Ludus\n\n[other](other.md)\n\n```{toctree}\nother\n```\n"

pytestmark = pytest.mark.slow


def build(source: Path, target: Path, **pages: str) -> subprocess.CompletedProcess[str]:
    """A site of a few pages, with the settings and the theme of the whole one."""
    shutil.copytree(DOCS / "theme", source / "theme")
    shutil.copy(DOCS / "conf.py", source)
    (source / "icon.svg").write_bytes(ICON.read_bytes())
    for name, text in pages.items():
        (source / f"{name}.md").write_text(text, encoding="utf-8")
    command = [sys.executable, "-c", BUILD, str(source), str(target)]
    return subprocess.run(command, cwd=DOCS, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    folder = tmp_path_factory.mktemp("docs")
    done = build(folder / "source", folder / "site", index=INDEX, other="# Other\n\nThe word is perft.\n")
    assert done.returncode == 0, done.stderr
    return TestClient(Starlette(routes=documentation.routes(folder / "site")), follow_redirects=True)


def test_pages_are_served_with_a_slash_so_that_their_links_work(client: TestClient) -> None:
    answer = client.get("/docs")
    assert str(answer.url).endswith("/docs/")
    assert 'href="other/"' in answer.text
    assert str(client.get("/docs/other").url).endswith("/docs/other/")


def test_every_page_obeys_its_policy(client: TestClient) -> None:
    for path in ("/docs/", "/docs/other/", "/docs/search/"):
        answer = client.get(path)
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "http" not in policy
        inline = re.findall(r"<(script|style)>(.*?)</\1>", answer.text, re.DOTALL)
        assert inline
        for _, content in inline:
            assert base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() in policy
        assert not re.search(r'<[^>]* (style|on[a-z]+)="', answer.text)
        assert not re.search(r'<(script|link|img)[^>]*(src|href)="(https?:)?//', answer.text)


def test_the_search_index_and_the_scripts_are_served(client: TestClient) -> None:
    page = client.get("/docs/search/")
    for source in re.findall(r'<script src="\.\./([^"]+)"', page.text):
        assert client.get(f"/docs/{source}").status_code == 200, source
    assert "perft" in client.get("/docs/searchindex.js").text


@pytest.mark.parametrize("path", ["nowhere/", "../conf.py", "..%2f..%2fconf.py", "%3Cscript%3E"])
def test_other_files_are_not_found(client: TestClient, path: str) -> None:
    answer = client.get(f"/docs/{path}", follow_redirects=False)
    assert answer.status_code == 404
    assert "<script>" not in answer.text


def test_a_broken_link_fails_the_build_and_keeps_the_old_site(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "old").touch()
    done = build(tmp_path / "source", tmp_path / "site", index="# Ludus\n\n[gone](gone.md)\n")
    assert done.returncode != 0
    assert "gone" in done.stderr
    assert (tmp_path / "site" / "old").exists()


def test_a_server_without_a_built_site_says_how_to_build_it(tmp_path: Path) -> None:
    bare = TestClient(Starlette(routes=documentation.routes(tmp_path / "nothing")))
    answer = bare.get("/docs/")
    assert answer.status_code == 404
    assert "make docs" in answer.text
