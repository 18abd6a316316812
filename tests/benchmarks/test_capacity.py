"""The simulation behind the page on capacity, and the page's tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.cluster.capacity import FILE, document, tables
from benchmarks.cluster.simulation import PLANNED, TODAY, Costs, Crowd, Design, breaking_points, load, smallest

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "capacity.md"
KNOWN = json.loads(FILE.read_text(encoding="utf-8"))
COSTS = Costs(**KNOWN["costs"])


def test_the_file_holds_what_the_simulation_makes_of_the_costs() -> None:
    assert document(KNOWN["machine"], COSTS) == KNOWN, "run: python -m benchmarks.cluster.capacity --simulate"


def test_the_page_has_the_tables_of_the_file() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for lines in tables(KNOWN):
        assert "\n".join(lines) in page, "run: python -m benchmarks.cluster.capacity --simulate"


@pytest.mark.parametrize("design", [TODAY, PLANNED])
def test_more_players_need_more_processes(design: Design) -> None:
    found = [smallest(Crowd(players), COSTS, design) for players in (10_000, 50_000)]
    few, many = found
    assert few and many and few.processes < many.processes and few.holds and many.holds


def test_a_process_that_hears_every_note_has_less_time_for_its_own() -> None:
    crowd = Crowd(200_000)
    assert load(crowd, COSTS, TODAY, 100).busy > load(crowd, COSTS, PLANNED, 100).busy


def test_dearer_notes_break_the_bus_of_today_earlier() -> None:
    dear = COSTS._replace(foreign_note_us=10 * COSTS.foreign_note_us)
    assert breaking_points(dear, TODAY)["processes"] < breaking_points(COSTS, TODAY).get("processes", 10**9)


def test_the_players_of_a_lost_process_come_back_through_the_others() -> None:
    tight = load(Crowd(10_000), COSTS, TODAY, 2)
    assert tight.backlog_after_loss > tight.backlog
