"""Two people on a clock: what they see and hear, and how a flag falls."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from ..server_process import ServerProcess, Tenant
from .board_player import BoardPlayer
from .conftest import Visit

CLOCKS = (".strip-top .clock", ".strip-bottom .clock")
CHOICE = """async ([root, options]) => {
  const { timeControlChoice } = await import(`${root}/play/time-control.js`);
  window.changes = [];
  window.choice = timeControlChoice({ ...options, onchange: (value) => window.changes.push(value) });
  document.querySelector(".time-control")?.remove();
  document.body.append(window.choice.element);  // the page draws its own part when it likes
}"""


def meet(visit: Visit, server: ServerProcess, tenant: Tenant, time_control: str, game: str = "checkers") -> list[Page]:
    """Two people at a table, the one to move first in front."""
    pages = []
    for player in ("ann", "ben"):
        body = {"game": game, "players": [{"id": player, "displayName": player.title()}], "timeControl": time_control}
        token = server.post("/v1/sessions", tenant.live, body)["sessionToken"]
        pages.append(visit().open(f"/#game={game}&token={token}"))
    for page in pages:
        page.wait_for_selector(f"ludus-{game}:not([compact])")
    return sorted(pages, key=lambda page: page.locator(".turn.is-mine").count(), reverse=True)


def choose(page: Page, **options: Any) -> None:
    """Shows the chooser alone on the page."""
    root = page.locator("script[type=module]").first.get_attribute("src")
    assert root
    page.evaluate(CHOICE, [root.rpartition("/catalog/")[0], options])


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_both_clocks_stand_beside_the_board_and_the_mover_s_runs(
    visit: Visit, server: ServerProcess, tenant: Tenant, game: str
) -> None:
    mover, other = meet(visit, server, tenant, "60+5", game)
    for page in (mover, other):
        for clock in CLOCKS:
            expect(page.locator(clock)).to_have_text(re.compile(r"^(1:00:00|59:\d\d)$"))
    expect(mover.locator(".strip-bottom .clock.running")).to_be_visible()
    expect(other.locator(".strip-top .clock.running")).to_be_visible()
    BoardPlayer(mover, game, 1).play(1)
    expect(other.locator(".strip-bottom .clock.running")).to_be_visible()
    expect(other.locator(".strip-top .clock")).to_have_text(re.compile(r"^(1:00:0\d|59:\d\d)$"))
    expect(mover.locator(".strip-bottom .clock.running")).to_have_count(0)


def test_a_player_whose_time_runs_out_loses(visit: Visit, server: ServerProcess, tenant: Tenant) -> None:
    mover, other = meet(visit, server, tenant, "3s/move")
    expect(mover.locator("[data-over=lost]")).to_contain_text("You ran out of time.")
    expect(other.locator("[data-over=won]")).to_contain_text("ran out of time.")
    expect(mover.locator(".strip-bottom .clock")).to_have_text("0.0")
    expect(mover.locator(".clock.running")).to_have_count(0)


def test_a_clock_that_runs_low_changes_its_color_and_is_announced_once(
    visit: Visit, server: ServerProcess, tenant: Tenant
) -> None:
    mover = meet(visit, server, tenant, "10+0")[0]
    clock = mover.locator(".strip-bottom .clock")
    mover.evaluate(
        """async (script) => {
          const { ClockFace } = await import(script.replace(/play\\/page\\.js.*/, "clock-face.js"));
          const { ClockWarnings } = await import(script.replace(/play\\/page\\.js.*/, "play/clock-warnings.js"));
          Object.assign(window, { ClockFace, ClockWarnings });
        }""",
        mover.locator("script[type=module]").first.get_attribute("src"),
    )
    said = mover.evaluate(
        """() => {
          const face = new ClockFace(document.querySelector(".strip-bottom .clock"), { language: "en", days: "" });
          const warnings = new ClockWarnings();
          const said = [];
          for (const remaining of [31, 30, 29, 10.2, 10, 9.5, 5].map((seconds) => seconds * 1000)) {
            const clock = { remainingMs: [remaining, remaining], running: 0, at: performance.now() };
            const room = { clock, timeControl: { type: "game", seconds: 600 }, turn: 0, isMine: true };
            face.show({ ...clock, running: null }, 0, 600);
            said.push([face.element.textContent, face.element.classList.contains("short"), warnings.due(room)]);
          }
          return said;
        }"""
    )
    assert said == [
        ["0:31", False, ""],
        ["0:30", True, "You have 30 seconds left."],
        ["0:29", True, ""],
        ["0:11", True, ""],
        ["0:10", True, "You have 10 seconds left."],
        ["9.5", True, ""],
        ["5.0", True, ""],
    ]
    expect(clock).to_have_attribute("role", "timer")
    expect(clock).to_have_attribute("aria-label", re.compile("clock$"))


def test_those_who_watch_see_the_clocks_and_the_replay_the_time_of_each_move(
    visit: Visit, server: ServerProcess, tenant: Tenant
) -> None:
    mover, _ = meet(visit, server, tenant, "60 d5", "backgammon")
    BoardPlayer(mover, "backgammon", 1).play(1)
    chosen = {"type": "bronstein", "seconds": 3600, "delay": 5}
    (table,) = [each for each in server.get("/web/live")["tables"] if each.get("timeControl") == chosen]
    watcher = visit().open(f"/watch/{table['id']}")
    expect(watcher.locator(".seat .clock")).to_have_text([re.compile(r"^(1:00:00|59:\d\d)$")] * 2)
    expect(watcher.locator(".seat .clock.running")).to_have_count(1)
    expect(watcher.locator("[data-started]")).to_contain_text("Backgammon · 60 min, 5 s delay ·")
    replay = visit().open(f"/matches/{table['id']}")
    expect(replay.locator(".move .took")).to_have_text(re.compile(r"\d s$"))
    expect(replay.locator(".seat .clock.running")).to_have_count(0)
    replay.keyboard.press("Home")
    expect(replay.locator(".seat .clock")).to_have_text(["1:00:00"] * 2)


def test_an_embedded_game_shows_both_clocks(visit: Visit, server: ServerProcess, tenant: Tenant) -> None:
    body = {
        "game": "checkers",
        "matchType": "bot",
        "botDifficulty": "easy",
        "players": [{"id": "eve", "displayName": "Eve"}],
        "timeControl": "60 d30",
    }
    token = server.post("/v1/sessions", tenant.live, body)["sessionToken"]
    page = visit().open(f"/frame#game=checkers&token={token}")
    clocks = page.locator("ludus-game [role=timer].face")
    expect(clocks).to_have_text([re.compile(r"^(1:00:00|59:\d\d)$")] * 2)
    expect(clocks.nth(1)).to_have_attribute("aria-label", "Your clock")
    expect(clocks.nth(1)).to_have_class(re.compile("running"))
    expect(clocks.nth(1)).to_have_attribute("data-delay", re.compile(r"^\d+$"))


def test_presets_and_own_values_can_be_chosen(visit: Visit) -> None:
    page = visit().open("/games")
    choose(page)
    expect(page.locator(".time-control select option")).to_have_text(
        [
            "Unlimited",
            "3+2",
            "5+3",
            "10+5",
            "2 min, 8 s delay",
            "5 min, 12 s delay",
            "15 s per move",
            "1 day per move",
            "Custom",
        ]
    )
    assert page.evaluate("choice.value") == {"type": "fischer", "seconds": 180, "increment": 2}
    page.get_by_label("Time control").select_option("15 s per move")
    expect(page.locator("#time-control-note")).to_have_text("15 seconds for each move.")
    page.get_by_label("Time control").select_option("Custom")
    page.get_by_label("Type").select_option("Bronstein delay")
    page.get_by_label("Minutes").fill("7.5")
    page.get_by_label("Delay (s)").fill("500")
    assert page.get_by_label("Delay (s)").get_attribute("aria-invalid") == "true"
    assert page.evaluate("choice.value") == {"type": "bronstein", "seconds": 450, "delay": 12}
    page.get_by_label("Delay (s)").fill("10")
    assert page.evaluate("changes.at(-1)") == {"type": "bronstein", "seconds": 450, "delay": 10}


def test_what_an_opponent_does_not_allow_is_not_offered(visit: Visit) -> None:
    page = visit().open("/games")
    choose(page, value={"type": "none"}, allowed=["none", "move", "game", "fischer"], game="checkers")
    assert page.evaluate("choice.value") == {"type": "none"}
    page.evaluate("choice.allow(['fischer', 'game'])")
    fallback = {"type": "fischer", "seconds": 180, "increment": 2}
    assert page.evaluate("[choice.value, changes]") == [fallback, [fallback]]
    expect(page.locator(".time-control select option")).to_have_text(["3+2", "5+3", "10+5", "Custom"])
    choose(page, value={"type": "fischer", "seconds": 1})
    assert page.evaluate("choice.value") == fallback
