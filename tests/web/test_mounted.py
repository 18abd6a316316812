"""A server under a path of another host, behind proxies that keep the path and that remove it."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

import httpx2
import pytest
from playwright.sync_api import expect

from ..reverse_proxy import ReverseProxy
from ..server_process import PATIENCE, ServerProcess
from .board_player import BoardPlayer
from .conftest import UNHURRIED, Visit
from .test_watch import ROOM

pytestmark = pytest.mark.slow
PREFIX = "/games"
"""Also the path of one of our pages, which is the hardest case."""


@pytest.fixture(scope="module")
def keeping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReverseProxy]:
    with ReverseProxy(PREFIX) as proxy:
        server = ServerProcess(tmp_path_factory.mktemp("mounted") / "data", **UNHURRIED, public_url=proxy.url)
        proxy.target = server.url
        yield proxy
        server.close()


@pytest.fixture(scope="module", params=["keeps the prefix", "removes it"])
def proxy(request: pytest.FixtureRequest, keeping: ReverseProxy) -> Iterator[ReverseProxy]:
    if request.param == "keeps the prefix":
        yield keeping
        return
    with ReverseProxy(PREFIX, strips=True) as proxy:
        proxy.target = keeping.target
        yield proxy


def get(proxy: ReverseProxy, path: str, **more: str) -> httpx2.Response:
    return httpx2.get(proxy.url + path, headers={"Accept": "text/html", **more}, timeout=PATIENCE)


def test_a_visitor_plays_under_the_path_and_every_link_stays_there(keeping: ReverseProxy, visit: Visit) -> None:
    page = visit(url=keeping.origin).open(f"{PREFIX}/")
    links = page.locator("a[href]").evaluate_all("(links) => links.map((link) => link.pathname)")
    assert links and all(link.startswith(f"{PREFIX}/") for link in links)
    page.locator('[data-game="checkers"] button').click()
    page.wait_for_selector("ludus-checkers:not([compact])")
    BoardPlayer(page, "checkers", seed=1).play(4)
    assert urlsplit(page.url).path.startswith(f"{PREFIX}/play/")
    spectator = visit(url=keeping.origin).open(f"{PREFIX}/watch/{page.evaluate(ROOM)}")
    expect(spectator.get_by_text("1 watching")).to_be_visible()
    page.locator("nav.nav").get_by_role("link", name="Games").click()
    expect(page).to_have_url(f"{keeping.url}/games")
    expect(page.get_by_role("heading", name="Checkers").first).to_be_visible()


def test_pages_and_their_files_are_found_through_either_proxy(proxy: ReverseProxy) -> None:
    for path in ("/", "/watch", "/claim?agent=x", "/docs/no-such-page", "/no-such-page"):
        page = get(proxy, path).text
        assert f'"{PREFIX}/' in page, path
        assert 'href="/static' not in page
    style = get(proxy, "/").text.split('rel="stylesheet" href="')[1].split('"')[0]
    assert httpx2.get(proxy.origin + style, timeout=PATIENCE).status_code == 200


def test_redirects_stay_under_the_path(proxy: ReverseProxy) -> None:
    for path, target in (("/watch/", "/watch"), ("/watch/x/?lang=de", "/watch/x?lang=de"), ("/docs", "/docs/")):
        found = get(proxy, path)
        assert found.status_code == 308
        assert urljoin(proxy.url + path, found.headers["Location"]) == proxy.url + target


def test_agents_are_told_addresses_that_work(proxy: ReverseProxy, keeping: ReverseProxy) -> None:
    made = httpx2.post(f"{proxy.url}/api/agents", json={"name": f"Mounted {id(proxy)}"}, timeout=PATIENCE)
    assert made.status_code == 201, made.text
    assert made.json()["claim_url"].startswith(f"{keeping.url}/claim?agent=")
    assert made.headers["Location"].startswith(f"{PREFIX}/api/agents/")
    assert httpx2.get(proxy.origin + made.headers["Location"], timeout=PATIENCE).status_code == 200
    assert f"{keeping.url}/api/" in get(proxy, "/api/guide").text
    assert f"]({PREFIX}/api/guide)" in get(proxy, "/llms.txt").text


@pytest.mark.parametrize("path", ["/api/docs/json", "/v1/openapi.json"])
def test_the_openapi_documents_name_the_server(proxy: ReverseProxy, keeping: ReverseProxy, path: str) -> None:
    assert get(proxy, path).json()["servers"] == [{"url": keeping.url}]


def test_probes_inside_need_no_prefix(keeping: ReverseProxy) -> None:
    assert httpx2.get(f"{keeping.target}/healthz", timeout=PATIENCE).status_code == 200
