"""What axe finds on a page that keeps people out."""

from __future__ import annotations

from typing import Final, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SETTLE: Final = """() => new Promise((done) => requestAnimationFrame(() => {
  for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish();
  requestAnimationFrame(done);
}))"""
"""Colours that change are in between for a moment."""
SERIOUS: Final = ("serious", "critical")


def barriers(page: Page) -> list[str]:
    """In either colouring."""
    return [*_found(page, "light"), *_found(page, "dark")]


def _found(page: Page, colouring: Literal["light", "dark"]) -> list[str]:
    page.emulate_media(color_scheme=colouring)
    page.evaluate(SETTLE)
    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']} ({colouring}): {each['help']}: {[node['target'] for node in each['nodes']][:5]}"
        for each in found
        if each["impact"] in SERIOUS
    ]
