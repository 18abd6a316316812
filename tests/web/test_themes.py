"""Themes of boards and styles of pieces: chosen once, applied everywhere, with enough contrast."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect

from .conftest import Visit

COLORS = """async (root) => {
  const { BOARD_THEMES, PIECE_THEMES, showTheme } = await import(`${root}/boards/themes.js`);
  const { makeBoard } = await import(`${root}/games.js`);
  const { GAMES } = await import(`${root}/games/index.js`);
  const grounds = (game) => GAMES[game].colors[0] === "red" ? ["dark"] : ["felt", "point-a", "point-b"];
  const found = [];
  for (const game of Object.keys(GAMES).filter((name) => GAMES[name].tag !== "ludus-generic")) {
    await GAMES[game].load.board();
    const board = document.body.appendChild(makeBoard(game));
    const probe = board.shadowRoot.appendChild(document.createElement("i"));
    const color = (value) => {
      probe.style.color = value;
      return getComputedStyle(probe).color.match(/[\\d.]+/g).slice(0, 3).map(Number);
    };
    for (const boardTheme of Object.keys(BOARD_THEMES)) {
      for (const pieceTheme of Object.keys(PIECE_THEMES)) {
        showTheme(document.documentElement, "boardTheme", boardTheme);
        showTheme(document.documentElement, "pieceTheme", pieceTheme);
        const seen = Object.fromEntries(["first", "second"].map((side) => [side,
          ["", "-edge", "-mark"].map((part) => color(`var(--_${side}${part})`))]));
        for (const ground of grounds(game)) {
          const name = [game, boardTheme, pieceTheme, ground].join(" ");
          const ring = [color("var(--_last)"), color("var(--_ring-edge)")];
          const dot = [color("var(--_accent)"), [255, 255, 255]];
          found.push({ name, ground: color(`var(--_${ground})`), ...seen, ring, dot });
        }
      }
    }
    board.remove();
  }
  return found;
}"""
LEAST_CONTRAST = 3
"""WCAG 2.2, 1.4.11: for graphics that are needed to understand the content."""
Color = tuple[float, float, float]


def luminance(color: Color) -> float:
    """As WCAG defines it."""
    parts = [value / 255 for value in color]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Color, other: Color) -> float:
    """
    >>> round(contrast((255, 255, 255), (0, 0, 0)))
    21
    """
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def root_of(page: Page) -> str:
    return (page.locator("script[type=module]").get_attribute("src") or "").partition("/catalog/")[0]


@pytest.mark.parametrize("coloring", ["light", "dark"])
def test_pieces_rings_and_dots_stand_out_from_every_board(visit: Visit, coloring: Literal["light", "dark"]) -> None:
    page = visit(dark=coloring == "dark").open("/games")
    seen: list[dict[str, Any]] = page.evaluate(COLORS, root_of(page))
    assert len(seen) == (1 + 3) * 5 * 4, "two games, five boards, four styles of pieces"
    weak = [
        f"{each['name']}: {part}"
        for each in seen
        for part in ("first", "second", "ring", "dot")
        if max(contrast(color, each["ground"]) for color in each[part]) < LEAST_CONTRAST
    ]
    assert weak == []


def test_a_theme_is_chosen_in_the_header_seen_at_once_and_kept(visit: Visit) -> None:
    page = visit().open("/games")
    square = (
        "() => getComputedStyle(document.querySelector('main ludus-checkers').shadowRoot.querySelector('rect')).fill"
    )
    page.locator("main ludus-checkers").first.wait_for()
    page.get_by_role("button", name="Appearance").click()
    page.get_by_role("radio", name="Ocean").check()
    page.get_by_role("radio", name="Bold").check()
    assert page.evaluate(square) == "rgb(227, 237, 242)"
    page.reload()
    page.locator("main ludus-checkers").first.wait_for()
    page.wait_for_function(f"() => ({square})() === 'rgb(227, 237, 242)'")
    page.get_by_role("button", name="Appearance").click()
    expect(page.get_by_role("radio", name="Bold")).to_be_checked()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Appearance")).to_be_hidden()


def test_a_sessions_theme_replaces_the_persons(visit: Visit) -> None:
    page = visit().open("/games")
    fills = page.evaluate(
        """async (root) => {
          const { showTheme } = await import(`${root}/boards/themes.js`);
          const { makeBoard } = await import(`${root}/games.js`);
          const board = document.body.appendChild(makeBoard("checkers"));
          showTheme(document.documentElement, "boardTheme", "ocean");
          await customElements.whenDefined("ludus-checkers");
          const probe = board.shadowRoot.appendChild(document.createElement("i"));
          const colors = () => ["var(--_light)", "var(--_dark)"].map((value) => {
            probe.style.color = value;
            return getComputedStyle(probe).color;
          });
          const own = colors();
          board.theme = { darkColor: "#112233" };
          const tenants = colors();
          board.theme = {};
          return [own, tenants, colors()];
        }""",
        root_of(page),
    )
    ocean, classic_light = ["rgb(227, 237, 242)", "rgb(104, 150, 176)"], "rgb(238, 223, 196)"
    assert fills == [ocean, [classic_light, "rgb(17, 34, 51)"], ocean]


def test_light_and_dark_are_chosen_beside_the_themes(visit: Visit) -> None:
    page = visit().open("/games")
    page.get_by_role("button", name="Appearance").click()
    page.get_by_role("radio", name="Dark").check()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("radio", name="System").check()
    expect(page.locator("html")).not_to_have_attribute("data-theme", "dark")
