"""Every text of the page in both languages."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from .conftest import Visit

STATIC = Path(str(files("ludus.web"))) / "static"
READ = """async (root) => {
  const read = async (path) => (await import(`${root}/${path}`)).default;
  const texts = async (language) =>
    ({...await read(`strings/${language}/pages.js`), ...await read(`strings/${language}/play.js`)});
  const { GAMES } = await import(`${root}/games/index.js`);
  const boards = {};
  for (const { id, load, tag } of Object.values(GAMES)) {
    await load.board();
    boards[id] = customElements.get(tag).words;
  }
  return {
    en: await texts("en"), de: await texts("de"), boards,
    games: { en: await read("games/en.js"), de: await read("games/de.js") },
    words: (await import(`${root}/embed/words.js`)).WORDS,
  };
}"""
KEY = re.compile(r'(?<![\w.])tn?\("([a-z][\w.]*)"')


@pytest.fixture
def texts(visit: Visit) -> Any:
    """As the browser reads them: by language and key."""
    page = visit().open("/games")
    base = page.locator("script[type=module]").get_attribute("src")
    assert base
    found = page.evaluate(READ, base.rpartition("/catalog/")[0])
    for language, games in found.pop("games").items():
        found[language] |= {f"{game}.{key}": text for game, own in games.items() for key, text in own.items()}
    for game, words in found.pop("boards").items():  # boards know English by themselves
        found["en"] |= {f"{game}.board.{key}": text for key, text in words.items()}
    return found


def test_german_has_every_key_of_english_and_no_other(texts: Any) -> None:
    assert set(texts["de"]) == set(texts["en"])
    assert set(texts["words"]["de"]) == set(texts["words"]["en"])


def test_both_languages_fill_in_the_same_values(texts: Any) -> None:
    places = {key: set(re.findall(r"\{(\w+)\}", text)) for key, text in texts["en"].items()}
    assert {key: set(re.findall(r"\{(\w+)\}", text)) for key, text in texts["de"].items()} == places


def test_every_text_is_translated(texts: Any) -> None:
    assert [key for key, text in texts["en"].items() if bool(text.strip()) != bool(texts["de"][key].strip())] == []
    same = [key for key, text in texts["en"].items() if len(text) > 24 and text == texts["de"][key]]
    assert same == []


def test_every_key_that_a_script_names_is_there(texts: Any) -> None:
    scripts = [path for path in STATIC.rglob("*.js") if "vendor" not in path.parts]
    named = {(path.name, key) for path in scripts for key in KEY.findall(path.read_text(encoding="utf-8"))}
    plural = {key.rpartition("_")[0] for key in texts["en"]}
    assert len(named) > 100
    assert not {each for each in named if each[1] not in texts["en"] and each[1] not in plural}


@pytest.mark.parametrize(
    ("locale", "seconds", "text"),
    [
        ("en-GB", 60, "Too many games have been started from your network. Please wait 60 seconds."),
        ("en-GB", 3541, "Too many games have been started from your network. Please wait 60 minutes."),
        ("de-DE", 150, "Aus deinem Netzwerk wurden zu viele Partien gestartet. Bitte warte noch 3 Minuten."),
    ],
)
def test_a_guest_with_too_many_games_reads_how_long_to_wait(visit: Visit, locale: str, seconds: int, text: str) -> None:
    page = visit(locale=locale).open("/games")
    base = (page.locator("script[type=module]").get_attribute("src") or "").partition("/catalog/")[0]
    problem = {"code": "too_many_games", "message": "", "retryAfter": seconds}
    shown = page.evaluate(
        "async ([module, problem]) => (await import(module)).problemText(problem)", [f"{base}/strings.js", problem]
    )
    assert shown == text
