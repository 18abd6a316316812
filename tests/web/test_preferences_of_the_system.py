"""What a system asks of every page: no motion, more contrast, its own colors."""

from __future__ import annotations

from .conftest import Visit

CONTRASTS = """() => {
  return ["--muted", "--text"].map((name) => {
    const probe = document.createElement("i");
    probe.style.color = `var(${name})`;
    return getComputedStyle(document.body.appendChild(probe)).color;
  });
}"""


def test_with_more_contrast_nothing_is_written_in_a_muted_color(visit: Visit) -> None:
    muted, text = visit().open("/games").evaluate(CONTRASTS)
    assert muted != text
    muted, text = visit(contrast="more").open("/games").evaluate(CONTRASTS)
    assert muted == text


def test_in_forced_colors_buttons_have_borders_and_boards_keep_their_colors(visit: Visit) -> None:
    page = visit(forced_colors="active").open("/games")
    page.locator("ludus-checkers rect").first.wait_for()
    assert page.locator("main .button").first.evaluate("each => getComputedStyle(each).borderTopStyle") == "solid"
    fills = page.locator("ludus-checkers rect").evaluate_all(
        "all => [...new Set(all.map((each) => getComputedStyle(each).fill))]"
    )
    assert len(fills) == 2, "light and dark squares"


def test_without_motion_nothing_moves(visit: Visit) -> None:
    page = visit().open("/watch")
    page.get_by_role("heading", name="Live now").wait_for()
    running = "() => document.getAnimations().filter((each) => each.effect.getTiming().iterations === Infinity).length"
    assert page.evaluate(running) == 0
