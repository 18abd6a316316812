"""Plays on a board of the page: picks at random among the squares and buttons it marks."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from playwright.sync_api import Page

LOOK: Final = """([tag, chance, goal]) => {
  if (document.querySelector("[data-over]")) return {kind: "over"};
  if (goal !== null && document.querySelectorAll(".ply").length >= goal) return {kind: "enough"};
  const root = document.querySelector(tag)?.shadowRoot;
  if (!root) return null;
  const done = root.querySelector(".confirm");
  const marked = (name) => [...root.querySelectorAll(`[data-mark="${name}"]`)];
  const [kind, found] = done && !done.hidden ? ["confirm", [done]]
    : marked("target").length ? ["target", marked("target")] : ["source", marked("source")];
  if (!found.length) return null;
  const chosen = found[Math.floor(chance * found.length)];
  const box = chosen.getBoundingClientRect();
  return {kind, place: chosen.dataset.place ?? null, x: box.x + box.width / 2, y: box.y + box.height / 2};
}"""
"""What to click next, picked at random, or null while there is nothing to click."""
FOCUSED: Final = """(tag) => {
  const cell = document.querySelector(tag).shadowRoot.activeElement;
  return cell && {mark: cell.dataset.mark ?? null, isDone: cell.classList.contains("confirm")};
}"""
IDLE: Final = ("over", "enough")
MOST_TAPS: Final = 3_000


class BoardPlayer:
    """Plays at the table on a page, with a mouse or by touch."""

    def __init__(self, page: Page, game: str, seed: int, *, has_touch: bool = False) -> None:
        self.page = page
        self.tag = f"ludus-{game}"
        self.rng = Random(seed)
        self.has_touch = has_touch

    def look(self, goal: int | None = None) -> dict[str, Any]:
        """Waits until there is something to click, or this many moves have been made."""
        wanted = [self.tag, self.rng.random(), goal]
        seen: dict[str, Any] = self.page.wait_for_function(LOOK, arg=wanted).json_value()
        return seen

    def tap(self, goal: int | None = None) -> str:
        """Clicks or taps one of the marked elements; returns its kind."""
        seen = self.look(goal)
        if seen["kind"] not in IDLE:
            press = self.page.touchscreen.tap if self.has_touch else self.page.mouse.click
            press(seen["x"], seen["y"])
        return str(seen["kind"])

    def play(self, moves: int) -> None:
        """Plays until this many more moves have been made by either side, or the game is over."""
        goal = self.made() + moves
        for _ in range(MOST_TAPS):
            if self.tap(goal) in IDLE:
                return
        raise AssertionError("the game takes too long")

    def finish(self) -> str:
        """Plays to the end; returns the result for this player."""
        for _ in range(MOST_TAPS):
            if self.tap() == "over":
                return self.page.locator("[data-over]").get_attribute("data-over") or ""
        raise AssertionError("the game takes too long")

    def made(self) -> int:
        return self.page.locator(".ply").count()


class KeyboardPlayer(BoardPlayer):
    """Plays with the keyboard alone."""

    def tap(self, goal: int | None = None) -> str:
        seen = self.look(goal)
        if seen["kind"] in IDLE:
            return str(seen["kind"])
        if self._focus()["isDone"]:
            self.page.keyboard.press("Enter")
            return "confirm"
        for _ in range(self.rng.randint(1, 3)):
            self.page.keyboard.press("PageDown")
        if self._focus()["mark"] == seen["kind"]:
            self.page.keyboard.press(self.rng.choice(["Enter", " "]))
        return str(seen["kind"])

    def _focus(self) -> dict[str, Any]:
        focus: dict[str, Any] | None = self.page.evaluate(FOCUSED, self.tag)
        assert focus is not None, "the keyboard has lost the board"
        return focus
