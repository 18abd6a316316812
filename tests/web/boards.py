"""One board of the page by itself, with what a test gives it."""

from __future__ import annotations

from typing import Any, Final

from playwright.sync_api import Locator, Page

from .browser import Visitor

LAY: Final = """([tag, width, attributes, properties]) => {
  const board = document.createElement(tag);
  board.style.width = `${width}px`;
  for (const name of attributes) board.toggleAttribute(name, true);
  window.said = [];
  board.addEventListener("ludus-move", (event) => window.said.push(event.detail));
  Object.assign(board, properties);
  document.querySelector("main").replaceChildren(board);
}"""


class Laid:
    """A board that stands alone on the page."""

    def __init__(self, visitor: Visitor, game: str, *attributes: str, width: int = 600, **properties: Any) -> None:
        self.page: Page = visitor.page if visitor.page.url.startswith(visitor.url) else visitor.open("/")
        self.tag = f"ludus-{game}"
        self.page.wait_for_function("tag => customElements.get(tag)", arg=self.tag)
        self.page.wait_for_selector("main > *")
        self.page.evaluate(LAY, [self.tag, width, attributes, properties])
        self.page.wait_for_function(
            "tag => document.querySelector(tag).shadowRoot.querySelector('.pieces').children.length", arg=self.tag
        )

    def __call__(self, **properties: Any) -> None:
        self.page.evaluate("([tag, more]) => Object.assign(document.querySelector(tag), more)", [self.tag, properties])

    def inside(self, selector: str) -> Locator:
        return self.page.locator(self.tag).locator(selector)

    def cell(self, place: object) -> Locator:
        return self.inside(f'[data-place="{place}"]')

    def tap(self, *places: object) -> None:
        for place in places:
            self.cell(place).click()

    def drag(self, source: object, target: object) -> None:
        for place, act in ((source, self.page.mouse.down), (target, self.page.mouse.up)):
            box = self.cell(place).bounding_box()
            assert box is not None
            self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
            act()

    def marked(self, mark: str) -> set[str]:
        cells: list[str] = self.inside(f'[data-mark="{mark}"]').evaluate_all(
            "all => all.map(each => each.dataset.place)"
        )
        return set(cells)

    @property
    def said(self) -> list[Any]:
        moves: list[Any] = self.page.evaluate("window.said")
        return moves
