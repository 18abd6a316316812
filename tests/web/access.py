"""What axe finds on a page that keeps people out."""

from __future__ import annotations

from typing import Any, Final, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SETTLE: Final = """() => new Promise((done) => requestAnimationFrame(() => {
  for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish();
  requestAnimationFrame(done);
}))"""
"""Colours that change are in between for a moment."""
AXE: Final = Axe()
RUN: Final = "axe.run({resultTypes: ['violations']}).then(({violations}) => violations)"
SERIOUS: Final = ("serious", "critical")


def barriers(page: Page) -> list[str]:
    """In either colouring."""
    return [*_found(page, "light"), *_found(page, "dark")]


def _found(page: Page, colouring: Literal["light", "dark"]) -> list[str]:
    page.emulate_media(color_scheme=colouring)
    page.evaluate(SETTLE)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.axe_script)
    found: list[dict[str, Any]] = page.evaluate(RUN)
    return [
        f"{each['id']} ({colouring}): {each['help']}: {[node['target'] for node in each['nodes']][:5]}"
        for each in found
        if each["impact"] in SERIOUS
    ]
