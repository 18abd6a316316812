"""The page as an app: what it caches, what it shows without a connection, and how it upgrades to a newer version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from aiohttp import web
from playwright.sync_api import Page, Route, expect

from ..reverse_proxy import ReverseProxy
from ..server_process import ServerProcess
from .browser import OFFLINE, Visitor
from .conftest import UNHURRIED, Visit

pytestmark = pytest.mark.slow
PREFIX = "/games"
OLD = "0123456789ab"
"""The version of files that a server had before it was upgraded."""
CONTROLLED = "() => navigator.serviceWorker.controller !== null"
KEPT = """async () => {
  const found = {};
  for (const name of await caches.keys()) {
    found[name] = (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname);
  }
  return found;
}"""
UNTIL = """async () => {{
  const end = Date.now() + 60_000;
  while (!({})) {{
    if (Date.now() > end) throw new Error("it never came");
    await new Promise((next) => setTimeout(next, 20));
  }}
}}"""
"""Waits for a promise, which `wait_for_function` does not."""
UPDATE = "async () => { await (await navigator.serviceWorker.getRegistration()).update(); }"
"""Looks for a newer worker, as browsers do by themselves some time after a page was opened."""
GIVEN_UP = """async () => {
  const real = self.fetch;
  let asked = 0;
  self.fetch = (request) => { asked += 1; return real(request); };
  const request = new Request("/offline", { signal: AbortSignal.abort() });
  const { name } = await fetchWithRetries(request).catch((error) => error);
  self.fetch = real;
  return [name, asked];
}"""
"""How a worker's request ends that was given up, and how often it was made."""
VISITS = 20
FORGIVEN = (*OFFLINE, "ERR_FAILED", "Failed to load resource", "Failed to fetch")


class Upgrade(ReverseProxy):
    """While `is_old`, everything behind it has another version, as before an upgrade."""

    version = ""
    is_old = True

    async def _pass_on(self, request: web.Request) -> web.StreamResponse:
        if not self.is_old or "Upgrade" in request.headers:
            return await super()._pass_on(request)
        path = request.raw_path.replace(OLD, self.version)
        headers = {"Host": request.headers["Host"], "Accept-Encoding": "identity"}
        body = await request.read()
        async with self._session.request(request.method, self.target + path, headers=headers, data=body) as found:
            body = (await found.read()).replace(self.version.encode(), OLD.encode())
            kept = ("Content-Type", "Cache-Control", "Content-Security-Policy")
            headers = {name: found.headers[name] for name in kept if name in found.headers}
            return web.Response(body=body, status=found.status, headers=headers)


@pytest.fixture(scope="module")
def mounted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Upgrade]:
    with Upgrade(PREFIX) as proxy:
        server = ServerProcess(tmp_path_factory.mktemp("offline") / "data", **UNHURRIED, public_url=proxy.url)
        proxy.target = server.url
        home = server.request("GET", f"{PREFIX}/").text
        proxy.version = home.partition("/static/")[2].partition("/")[0]
        yield proxy
        server.close()


def installed(visit: Visit, path: str, **more: Any) -> Visitor:
    """A visitor whose browser has the worker."""
    visitor = visit(own=True, service_workers="allow", forgives=FORGIVEN, **more)
    visitor.open(path)
    visitor.page.wait_for_function(CONTROLLED)
    return visitor


def goes_offline(page: Page, path: str) -> None:
    page.context.set_offline(True)
    page.goto(path)
    expect(page.get_by_role("heading", level=1, name="You're offline")).to_be_visible()


def test_without_a_connection_there_is_a_page_with_the_rules_and_a_way_back(visit: Visit) -> None:
    page = installed(visit, "/games").page
    goes_offline(page, "/watch")
    page.locator("summary").first.click()
    expect(page.get_by_text("If you can jump, you must.")).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_role("heading", level=1, name="Live now")).to_be_visible()


def test_a_file_that_failed_to_load_is_requested_again(visit: Visit) -> None:
    visitor = installed(visit, "/games")
    failed: list[str] = []

    def fail_once(route: Route) -> None:
        if route.request.service_worker is None or failed:
            return route.continue_()
        failed.append(route.request.url)
        return route.abort("internetdisconnected")

    visitor.context.route("**/watch/list.js", fail_once)
    visitor.page.goto("/watch")
    expect(visitor.page.get_by_role("heading", level=1, name="Live now")).to_be_visible()
    assert len(failed) == 1


def test_a_request_that_was_given_up_is_not_made_again(visit: Visit) -> None:
    worker = installed(visit, "/games").context.service_workers[0]
    assert worker.evaluate(GIVEN_UP) == ["AbortError", 1]


def test_the_offline_page_is_in_the_readers_language(visit: Visit) -> None:
    page = installed(visit, "/games", locale="fr-FR").page
    page.context.set_offline(True)
    page.goto("/watch")
    expect(page.get_by_role("heading", level=1, name="Vous êtes hors ligne")).to_be_visible()
    page.locator("summary").last.click()
    expect(page.get_by_role("heading", name="Le videau")).to_be_visible()


def test_answers_of_the_server_are_never_kept(visit: Visit, server: ServerProcess) -> None:
    page = installed(visit, "/games").page
    page.goto("/watch")
    page.get_by_role("heading", name="Live now").wait_for()
    page.evaluate("fetch('/api/games').then((answer) => answer.json())")
    [paths] = page.evaluate(KEPT).values()
    assert "/offline" in paths
    assert [path for path in paths if path != "/offline" and not path.startswith("/static/")] == []


def test_a_newer_version_takes_over_when_the_older_pages_are_closed(visit: Visit, mounted: Upgrade) -> None:
    mounted.is_old = True
    visitor = installed(visit, f"{PREFIX}/watch", url=mounted.origin)
    old, new = f"ludus {PREFIX}/ {OLD}", f"ludus {PREFIX}/ {mounted.version}"
    assert list(visitor.page.evaluate(KEPT)) == [old]
    mounted.is_old = False
    page = visitor.new_page()
    page.goto(f"{PREFIX}/watch")
    page.get_by_role("heading", name="Live now").wait_for()
    assert mounted.version in (page.locator("script[type=module]").get_attribute("src") or "")
    page.evaluate(UPDATE)
    page.evaluate(UNTIL.format("(await navigator.serviceWorker.getRegistration()).waiting"))
    assert set(page.evaluate(KEPT)) == {old, new}
    goes_offline(visitor.page, f"{PREFIX}/watch")  # the older worker still has all that its page needs
    visitor.context.set_offline(False)
    for each in visitor.context.pages:
        each.close()
    page = visitor.new_page()
    for _ in range(VISITS):  # the first one may come before the browser has let go of the closed pages
        page.goto(f"{PREFIX}/watch")
        if list(page.evaluate(KEPT)) == [new]:
            break
        page.goto("about:blank")
    assert list(page.evaluate(KEPT)) == [new]
    page.wait_for_function(CONTROLLED)
    goes_offline(page, f"{PREFIX}/me")


def test_a_worker_that_is_switched_off_leaves_nothing_behind(
    visit: Visit, server: ServerProcess, tmp_path_factory: pytest.TempPathFactory
) -> None:
    without = ServerProcess(tmp_path_factory.mktemp("without") / "data", **UNHURRIED, service_worker=False)
    with ReverseProxy("") as proxy:
        proxy.target = server.url
        page = installed(visit, "/games", url=proxy.origin).page
        proxy.target = without.url
        page.goto("/watch")
        gone = "!(await caches.keys()).length && !(await navigator.serviceWorker.getRegistration())"
        page.evaluate(UNTIL.format(gone))
    without.close()
