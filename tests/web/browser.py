"""Debian's Chromium under Playwright, and visitors that record every console error."""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, sync_playwright

NAMES: Final = (
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib/chromium/chromium",
    "chromium",
    "chromium-browser",
    "google-chrome",
)
"""The first two are Debian's: without a window, which takes a quarter less CPU, and without the script around it,
which adds options for people's desktops."""
WINDOW_PAGES: Final = ("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "SpareRendererForSitePerProcess")
"""What the browser renders for the window around a page that nobody sees: half of its work."""
PLAYWRIGHTS: Final = (
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
)
"""What Playwright switches off; the browser obeys only the last list."""
ARGUMENTS: Final = (
    f"--disable-features={','.join(WINDOW_PAGES + PLAYWRIGHTS)}",
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
    "--in-process-gpu",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DESKTOP: Final = {"width": 1280, "height": 800}
PHONE: Final = {"width": 390, "height": 844}
PATIENCE_MS: Final = 120_000
"""Nothing here is about time: a machine that does ten other things may be slow."""
PIXEL: Final = """async ([picture, x, y]) => {
  const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
  const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
  canvas.drawImage(image, 0, 0);
  return `rgb(${[...canvas.getImageData(x, y, 1, 1).data].slice(0, 3).join(", ")})`;
}"""
FORGET: Final = "() => { sessionStorage.clear(); Storage.prototype.setItem = () => {}; }"
"""What a tab stores, and what the page's scripts would still store until it is left."""
OFFLINE: Final = ("ERR_INTERNET_DISCONNECTED", "WebSocket is closed before the connection is established")
"""Console messages of a page without a network, and of one that restarts when the network is back."""
NO_WORKER: Final = "Service Worker registration blocked by Playwright"
"""Tests have no service worker unless they are about it: requests that it passes on cannot be changed by a test."""
LOUD: Final = (
    "NO BROWSER: the page is NOT TESTED. Install one (apt-get install chromium-headless-shell) or name it in CHROMIUM."
)


def browser_path() -> str | None:
    """Where the browser is: what CHROMIUM names, or else one of the usual names."""
    named = os.environ.get("CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def opened_browser(path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS), timeout=PATIENCE_MS)
        try:
            yield browser
        finally:
            browser.close()


class SharedBrowser:
    """One for all tests of the page. While it is open, no test of its thread can run an event loop of its own.

    Contexts are reused as well, with a page of each: they keep the page's files in their cache, and nothing else.
    """

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._browser: Browser | None = None
        self._idle: defaultdict[str, list[BrowserContext]] = defaultdict(list)

    def open(self, path: str) -> Browser:
        if self._browser is None:
            self._browser = self._stack.enter_context(opened_browser(path))
        return self._browser

    def take(self, options: dict[str, Any]) -> BrowserContext:
        """A context with these options that nobody else uses now. It has one page at most, which is blank."""
        assert self._browser is not None
        idle = self._idle[json.dumps(options, sort_keys=True)]
        return idle.pop() if idle else self._browser.new_context(**options)

    def give_back(self, options: dict[str, Any], context: BrowserContext) -> None:
        """Only the cache is left of what its pages stored."""
        if not context.pages:
            context.new_page()
        page, *others = context.pages
        for other in others:
            other.close()
        is_at_home = page.url.startswith(f"{options['base_url']}/")
        if is_at_home:
            self._blank(page, options)
        session = context.new_cdp_session(page)
        session.send("Storage.clearDataForOrigin", {"origin": options["base_url"], "storageTypes": "all"})
        session.detach()
        context.clear_cookies()
        if not is_at_home:  # what a tab stored can be cleared only from its origin
            page.close()
        self._idle[json.dumps(options, sort_keys=True)].append(context)

    @staticmethod
    def _blank(page: Page, options: dict[str, Any]) -> None:
        """As good as a new page, for half of the work."""
        page.unroute_all()
        page.evaluate(FORGET)
        page.goto("about:blank")
        page.mouse.move(-1, -1)
        page.emulate_media(media="null", color_scheme=options["color_scheme"], reduced_motion=options["reduced_motion"])
        if page.viewport_size != options["viewport"]:
            page.set_viewport_size(options["viewport"])

    def close(self) -> None:
        self._browser = None
        self._idle.clear()
        self._stack.close()


class Visitor:
    """Shares nothing with other visitors, and records what the console says.

    `own` gives it a context that is not reused, for tests that change the context itself: its clock,
    its network, its scripts.
    Pages stand still unless the visitor `is_animated`, since painting what moves takes longer than all the rest.
    """

    def __init__(
        self,
        shared: SharedBrowser,
        url: str,
        *,
        phone: bool = False,
        dark: bool = False,
        own: bool = False,
        is_animated: bool = False,
        forgives: tuple[str, ...] = (),
        **more: Any,
    ) -> None:
        """Messages that contain one of the forgiven texts are ignored, whenever they come."""
        self.url = url
        self.is_own = own
        self.forgives = (*forgives, NO_WORKER)
        self.complaints: list[str] = []
        viewport = PHONE if phone else DESKTOP
        scheme = "dark" if dark else "light"
        motion = "no-preference" if is_animated else "reduce"
        appearance = {"color_scheme": scheme, "reduced_motion": motion, "viewport": viewport}
        options = {"base_url": url, "locale": "en-GB", "service_workers": "block", **appearance, **more}
        if phone:
            options |= {"has_touch": True, "is_mobile": True, "device_scale_factor": 2}
        self._shared, self._options = shared, options
        self.context = shared.take(options)
        self.context.set_default_timeout(PATIENCE_MS)
        self.page = self._listening(self.context.pages[0]) if self.context.pages else self.new_page()

    def new_page(self) -> Page:
        return self._listening(self.context.new_page())

    def _listening(self, page: Page) -> Page:
        page.on("console", self._hear)
        page.on("pageerror", self._hear_error)
        return page

    def open(self, path: str) -> Page:
        self.page.goto(path)
        return self.page

    def fake_time(self) -> None:
        """From now on the page's clock can be moved forward."""
        assert self.is_own
        self.page.clock.install()

    def stop_time(self) -> None:
        """From now on nothing on the page happens by itself: toasts stay, and autoplay stops."""
        self.fake_time()
        self.page.clock.pause_at(datetime.now(UTC) + timedelta(hours=1))

    def complaint(self) -> str:
        """Waits for the only one, and forgets it."""
        while not self.complaints:
            self.page.wait_for_event("console")
        [said], self.complaints = self.complaints, []
        return said

    def colour(self, x: float, y: float) -> str:
        """What is painted at a place of the window, which may differ from what the page believes."""
        picture = base64.b64encode(self.page.screenshot()).decode()
        blank = self.context.new_page()
        found: str = blank.evaluate(PIXEL, [picture, x, y])
        blank.close()
        return found

    def shoot(self, file: Path) -> None:
        self.page.screenshot(path=str(file), full_page=True)

    def close(self) -> None:
        if self.is_own:
            self.context.close()
        else:
            for page in self.context.pages:
                page.evaluate("0")  # when this is answered, all that was said before has been heard
                page.remove_listener("console", self._hear)
                page.remove_listener("pageerror", self._hear_error)
            self._shared.give_back(self._options, self.context)
        assert not self.complaints, f"the console said: {self.complaints}"

    def _hear_error(self, error: Error) -> None:
        self.complaints.append(str(error))

    def _hear(self, message: ConsoleMessage) -> None:
        is_forgiven = any(words in message.text for words in self.forgives)
        if message.type in ("error", "warning") and not is_forgiven:
            self.complaints.append(f"{message.type}: {message.text} ({message.location})")
