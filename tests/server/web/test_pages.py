"""The page's documents and files over HTTP: what they may do, how long they are kept, where nothing is."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from urllib.parse import urljoin

import pytest
from tests.server.rest.rest_app import RestApp, open_app

from ludus.games import GAMES
from ludus.server.web.pages import INVITATION, PLAY, PUZZLE, PUZZLES, WRITTEN, Document, site

pytestmark = pytest.mark.anyio

SOMEBODYS = ("/people/{id}", "/friends/{id}", PLAY, INVITATION, PUZZLES, PUZZLE)
"""Pages that look whether there is someone, or something."""
PLACE = re.compile(r"\{\w+\}")
HTML = {"Accept": "text/html,application/xhtml+xml"}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def app(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RestApp]:
    """Shared: a page changes nothing."""
    async with open_app(tmp_path_factory.mktemp("pages")) as app:
        yield app


@pytest.mark.parametrize("path", site().pages)
async def test_every_page_forbids_scripts_and_styles_that_are_not_ours(app: RestApp, path: str) -> None:
    page = await app.client.get(PLACE.sub("x", path))
    assert page.status_code == (404 if PLACE.search(path) and path in (*WRITTEN, *SOMEBODYS) else 200)
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    policy = page.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy and "frame-ancestors 'none'" in policy and "base-uri 'none'" in policy
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert page.headers["Referrer-Policy"] == "no-referrer"
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", page.text, re.DOTALL)
    assert scripts and not any(scripts), "no script is written into a page"
    assert not re.search(r"<style| style=| on\w+=", page.text)


async def test_a_page_is_asked_for_again_and_sent_only_if_it_has_changed(app: RestApp) -> None:
    page = await app.client.get("/watch")
    assert page.headers["Cache-Control"] == "no-cache"
    again = await app.client.get("/watch", headers={"If-None-Match": page.headers["ETag"]})
    assert again.status_code == 304 and again.content == b"" and again.headers["ETag"] == page.headers["ETag"]
    other = await app.client.get("/games", headers={"If-None-Match": page.headers["ETag"]})
    assert other.status_code == 200


async def test_files_are_cached_forever_under_an_address_that_changes_with_them(app: RestApp) -> None:
    page = await app.client.get("/watch")
    for name in set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)):
        file = await app.client.get(name)
        assert file.status_code == 200, name
        assert file.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert file.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize(
    "path", ["/static/old/style.css", "/static/{version}/nothing.js", "/static/{version}/%2e%2e/web.py"]
)
async def test_files_that_are_not_there_are_not_found(app: RestApp, path: str) -> None:
    file = await app.client.get(f"/static/{path.format(version=site().assets.version)}")
    assert file.status_code == 404


async def test_what_can_be_unzipped_travels_zipped(app: RestApp) -> None:
    path = f"{site().assets.base}/style.css"
    zipped = await app.client.get(path, headers={"Accept-Encoding": "gzip"})
    plain = await app.client.get(path, headers={"Accept-Encoding": "identity"})
    assert zipped.headers["Content-Encoding"] == "gzip" and "Content-Encoding" not in plain.headers
    assert int(zipped.headers["Content-Length"]) < int(plain.headers["Content-Length"]) / 2
    assert zipped.text == plain.text


async def test_people_get_a_page_and_programs_get_json_at_unknown_addresses(app: RestApp) -> None:
    person = await app.client.get("/no/such/page", headers=HTML)
    assert person.status_code == 404 and person.headers["Content-Type"].startswith("text/html")
    program = await app.client.get("/no/such/page")
    assert program.status_code == 404 and program.json()["code"] == "not_found"
    api = await app.client.get("/v1/nothing", headers=HTML)
    assert api.json()["code"] == "not_found"
    posted = await app.client.post("/no/such/page", headers=HTML)
    assert posted.status_code == 404 and posted.json()["code"] == "not_found"


@pytest.mark.parametrize("path", [PLACE.sub("a%20b", path) for path in site().pages if path != "/"])
async def test_an_address_with_a_slash_at_its_end_leads_to_the_page(app: RestApp, path: str) -> None:
    sent_on = await app.client.get(f"{path}/?lang=de", headers=HTML)
    assert sent_on.status_code == 308
    assert urljoin(f"/prefix{path}/", sent_on.headers["Location"]) == f"/prefix{path}?lang=de"
    assert urljoin(f"{path}/", (await app.client.get(f"{path}/")).headers["Location"]) == path


@pytest.mark.parametrize(
    ("element", "file"), [("game", "embed/ludus-game.js"), *((game, f"games/{game}/board.js") for game in GAMES)]
)
async def test_the_elements_for_other_pages_have_a_lasting_address(app: RestApp, element: str, file: str) -> None:
    module = await app.client.get(f"/embed/ludus-{element}.js")
    assert module.text == f'export * from "{site().assets.base}/{file}";\n'
    assert module.headers["Access-Control-Allow-Origin"] == "*" and module.headers["Cache-Control"] == "no-cache"


async def test_a_frame_is_for_the_pages_that_the_tenant_allows(app: RestApp) -> None:
    tenant = (await app.server.tenants.create("Framed", None)).tenant.id
    await app.server.tenants.change(tenant, origins=["https://app.example", "null"])
    own_pages = await app.client.get("/frame")
    assert own_pages.headers["Content-Security-Policy"].endswith("frame-ancestors 'self'")
    allowed = await app.client.get(f"/frame?tenant={tenant}")
    assert allowed.headers["Content-Security-Policy"].endswith("frame-ancestors 'self' https://app.example")
    for unknown in ("nobody", "x" * 500, "%00", "a;script-src *"):
        page = await app.client.get("/frame", params={"tenant": unknown})
        assert page.headers["Content-Security-Policy"].endswith("frame-ancestors 'self'")


def test_nothing_is_left_to_fill_in_and_all_that_a_page_names_is_there() -> None:
    served = site()
    for name, page in {**served.pages, "frame": served.frame, "missing": served.missing}.items():
        text = page.content.decode()
        assert "{{" not in text, name
        named = re.findall(rf'"{served.assets.base}/([^"]+)"', text)
        assert named and set(named) <= set(served.assets.files), name


def test_a_document_has_its_own_title_style_and_module() -> None:
    document = Document("a/b.js", "a/b.css", "Tom & Ann", 'He said "go".', soon=("later.js",))
    text = document.render(
        "<t>{{title}}</t><d '{{description}}'>{{static}}/{{style}} {{static}}/{{module}}\n{{modules}}"
    )
    assert text == (
        "<t>Tom &amp; Ann</t><d 'He said &quot;go&quot;.'>{{static}}/a/b.css {{static}}/a/b.js\n"
        "{{preload a/b.js}}\n{{preload later.js}}"
    )
