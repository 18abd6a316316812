"""The page offers the levels of the engines, each with a name in every language."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

from ludus.engines.levels import LEVELS
from ludus.service.lobby import bot_seat

STATIC = Path(str(files("ludus.web"))) / "static"
LANGUAGES = sorted(path.name for path in (STATIC / "strings").iterdir())


def test_the_page_has_the_levels_of_the_engines_in_their_order() -> None:
    found = re.search(r"LEVELS = (\[.*\]);", (STATIC / "levels.js").read_text(encoding="utf-8"))
    assert found is not None
    assert tuple(json.loads(found[1])) == LEVELS


def test_every_level_and_its_bot_have_a_name_in_every_language() -> None:
    for language in LANGUAGES:
        text = (STATIC / "strings" / language / "play.js").read_text(encoding="utf-8")
        assert re.findall(r'"play\.level\.(\w+)"', text) == list(LEVELS), language
        assert re.findall(r'"play\.bot\.bot-(\w+)"', text) == list(LEVELS), language


def test_the_english_page_calls_a_bot_what_the_server_and_the_records_call_it() -> None:
    text = (STATIC / "strings" / "en" / "play.js").read_text(encoding="utf-8")
    names = dict(re.findall(r'"play\.bot\.(bot-\w+)": "([^"]+)"', text))
    seats = [bot_seat(level, "live") for level in LEVELS]
    assert names == {seat.id: seat.name for seat in seats}
