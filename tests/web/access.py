"""What keeps people out: all that axe finds, of any severity, and pages that are wider than a window."""

from __future__ import annotations

from typing import Any, Final, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

SETTLE: Final = """() => new Promise((done) => requestAnimationFrame(() => {
  for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish();
  requestAnimationFrame(done);
}))"""
"""Colours that change are in between for a moment."""
AXE: Final = Axe()
RUN: Final = "axe.run({resultTypes: ['violations']}).then(({violations}) => violations)"
"""Best practices are among its rules."""
COLOURINGS: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
WINDOWS: Final[dict[str, ViewportSize]] = {
    "desktop": {"width": 1280, "height": 800},
    "phone": {"width": 390, "height": 844},
}
WIDTHS: Final = (320, 390, 768, 1280)
WIDE: Final = """() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const isWide = (each) => each.getBoundingClientRect().right > clientWidth + 0.5;
  const wide = [...document.querySelectorAll("body *")].filter(isWide).slice(0, 5);
  return wide.map((each) => `${each.tagName.toLowerCase()}.${each.className}`);
}"""


def barriers(page: Page) -> list[str]:
    """In either colouring, on a desktop and on a phone."""
    before = page.viewport_size
    found = []
    for name, size in WINDOWS.items():
        page.set_viewport_size(size)
        for colouring in COLOURINGS:
            page.emulate_media(color_scheme=colouring)
            found += [f"{each['id']} ({colouring}, {name}): {_where(each)}" for each in _violations(page)]
    if before is not None:
        page.set_viewport_size(before)
    return found


def overflows(page: Page) -> list[str]:
    """What makes the page wider than windows from the smallest phone's on."""
    before = page.viewport_size
    found = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        page.evaluate(SETTLE)
        found += [f"{width}: {element}" for element in page.evaluate(WIDE)]
    if before is not None:
        page.set_viewport_size(before)
    return found


def _violations(page: Page) -> list[dict[str, Any]]:
    page.evaluate(SETTLE)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.axe_script)
    found: list[dict[str, Any]] = page.evaluate(RUN)
    return found


def _where(violation: dict[str, Any]) -> str:
    nodes = [(node["target"], node["failureSummary"][:300]) for node in violation["nodes"]][:5]
    return f"{violation['help']}: {nodes}"
