"""Pages of reference that are made from the code, or that name what the code has."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from typing import Any

from benchmarks.cluster.capacity import FILE, tables
from prometheus_client import CollectorRegistry, ProcessCollector

from ludus.engines.levels import LEVELS
from ludus.games import GAMES
from ludus.server.metrics import Metrics
from ludus.wire import codec

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
ROW = re.compile(r"^\| `(ludus_\w+)` \| (\w+) \|([^|]*)\|", re.MULTILINE)
RULE = re.compile(r"\|(?: *:?-+:? *\|)+")
"""The line below the head of a table."""
SIDES = re.compile(r"^\| ([^|]+) \| (\w+, \w+) \| (\w+, \w+) \|$", re.MULTILINE)


def test_the_page_of_the_socket_events_is_up_to_date() -> None:
    made = runpy.run_path(str(DOCS / "socket_events.py"))["page"]()
    shown = (DOCS / "reference" / "socket-events.md").read_text(encoding="utf-8")
    assert made == shown, "run: python docs/socket_events.py"


def test_every_table_has_a_head() -> None:
    """An empty line within a table ends it, and its other rows are shown as text."""
    for page in [*DOCS.rglob("*.md"), ROOT / "README.md"]:
        for table in re.findall(r"(?:^\|.*\n)+", page.read_text(encoding="utf-8"), re.MULTILINE):
            lines = table.splitlines()
            assert len(lines) > 1 and RULE.fullmatch(lines[1]), f"{page.name}: {lines[0]}"


def test_every_metric_is_documented_with_its_type_and_labels_and_no_other() -> None:
    page = (DOCS / "reference" / "metrics.md").read_text(encoding="utf-8")
    shown = {name: (kind, tuple(re.findall(r"`(\w+)`", labels))) for name, kind, labels in ROW.findall(page)}
    assert shown == documented(Metrics().registry)


def documented(registry: CollectorRegistry) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Our own metrics as they appear at /metrics, but those of the process."""
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for each in registry._collector_to_names:
        collector: Any = each
        if not isinstance(each, ProcessCollector):
            name = f"{collector._name}_total" if collector._type == "counter" else collector._name
            found[name] = (collector._type, tuple(collector._labelnames))
    return found


def test_every_command_of_the_javascript_client_is_documented() -> None:
    types = (ROOT / "clients" / "js" / "room.d.ts").read_text(encoding="utf-8")
    page = (DOCS / "client-js.md").read_text(encoding="utf-8")
    commands = re.findall(r"^  (\w+)\(.*\): \S+;$", types, re.MULTILINE)
    assert len(commands) > 15
    assert [name for name in commands if f"`{name}(" not in page] == []


def test_the_page_of_the_arena_names_every_house_bot() -> None:
    page = (DOCS / "reference" / "arena.md").read_text(encoding="utf-8")
    profile = page.partition("The bots are")[2].partition("operator's own")[0]
    assert re.findall(r"`house:(\w+)`", profile) == list(LEVELS)


def test_the_glossary_names_the_sides_as_the_code_does() -> None:
    page = (DOCS / "glossary.md").read_text(encoding="utf-8")
    rows = {
        where: sides for where, *sides in re.findall(r"^\| ([^|]+) \| (\w+, \w+) \| (\w+, \w+) \|$", page, re.MULTILINE)
    }
    games = ("checkers", "backgammon")
    assert rows == {
        "rules, PDN, MAT, terminal, page": [", ".join(GAMES[game].players) for game in games],
        "rooms": [", ".join(codec(game).rooms.colors) for game in games],
        "arena": [", ".join(codec(game).arena.colors) for game in games],
        "environments": ["player_0, player_1"] * 2,
    }


def test_figures_in_the_readme_and_on_capacity_are_measured() -> None:
    """In the results, or in the tables that the simulation of capacity writes from its measurements."""
    simulated = [line for lines in tables(json.loads(FILE.read_text(encoding="utf-8"))) for line in lines]
    results = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8") + "\n".join(simulated)
    for page in (ROOT / "README.md", DOCS / "explanation" / "capacity.md"):
        text = page.read_text(encoding="utf-8")
        table = "\n".join(line for line in text.splitlines() if line.startswith("| "))
        figures = re.findall(r"\d[\d,]*\d\.\d+|\d{1,3}(?:,\d{3})+|\d+\.\d+", table)
        assert len(figures) > 5
        assert [figure for figure in figures if figure not in results] == []
