"""Every text of the page in all languages."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from ludus.server.web.claim import TEXTS
from ludus.server.web.languages import LANGUAGES

from .conftest import Visit

STATIC = Path(str(files("ludus.web"))) / "static"
READ = """async (root) => {
  const read = async (path) => (await import(`${root}/${path}`)).default;
  const parts = ["pages", "play", "board", "explorer", "puzzles", "tournaments", "dashboard"];
  const texts = async (language) =>
    Object.assign({}, ...await Promise.all(parts.map((part) => read(`strings/${language}/${part}.js`))));
  const { GAMES } = await import(`${root}/games/index.js`);
  const boards = {};
  for (const { id, load, tag } of Object.values(GAMES)) {
    await load.board();
    boards[id] = customElements.get(tag).words;
  }
  const { LANGUAGES } = await import(`${root}/languages.js`);
  const found = { boards, games: {}, words: (await import(`${root}/embed/words.js`)).WORDS, names: LANGUAGES };
  for (const language of Object.keys(LANGUAGES)) {
    found[language] = await texts(language);
    found.games[language] = await read(`games/${language}.js`);
  }
  return found;
}"""
TRANSLATIONS = [language for language in LANGUAGES if language != "en"]
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


def test_a_translation_has_every_key_of_english_and_no_other(texts: Any) -> None:
    for language in TRANSLATIONS:
        assert set(texts[language]) == set(texts["en"]), language
        assert set(texts["words"][language]) == set(texts["words"]["en"]), language


def test_no_key_is_written_twice() -> None:
    """The second text would silently replace the first."""
    paths = [*STATIC.glob("strings/*/*.js"), *STATIC.glob("games/*/??.js")]
    assert len(paths) > 2 * len(LANGUAGES)
    for path in paths:
        keys = re.findall(r'^  "([^"]+)": ', path.read_text(encoding="utf-8"), re.MULTILINE)
        assert sorted(set(keys)) == sorted(keys), path


def test_all_languages_fill_in_the_same_values(texts: Any) -> None:
    def places(text: str) -> list[str]:
        return sorted(set(re.findall(r"\{(\w+)\}", text)))

    for language in TRANSLATIONS:
        own, words = texts[language], texts["words"]
        assert {key: places(text) for key, text in own.items()} == {key: places(texts["en"][key]) for key in own}
        assert {key: places(text) for key, text in words[language].items()} == {
            key: places(text) for key, text in words["en"].items()
        }


def test_every_text_is_translated(texts: Any) -> None:
    for language in TRANSLATIONS:
        own = texts[language]
        assert [key for key, text in own.items() if bool(text.strip()) != bool(texts["en"][key].strip())] == []
        assert [
            key for key, text in own.items() if text == texts["en"][key] and len(re.sub(r"\{\w+\}", "", text)) > 20
        ] == []


def test_server_and_page_have_the_same_languages(texts: Any) -> None:
    assert texts["names"] == dict(LANGUAGES)
    early = (STATIC / "theme.js").read_text(encoding="utf-8")
    assert f"const languages = {json.dumps(list(LANGUAGES))};" in early
    assert set(TEXTS) == set(LANGUAGES)
    for language in TRANSLATIONS:
        assert TEXTS[language].keys() == TEXTS["en"].keys(), language


def test_french_keeps_its_double_punctuation_on_the_line(texts: Any) -> None:
    rules = [path.read_text(encoding="utf-8") for path in STATIC.glob("games/*/rules/fr.js")]
    assert rules
    wrong = re.compile(r"[\w)}…*] [;:!?»]|« ")
    assert [text for text in [*texts["fr"].values(), *TEXTS["fr"].values(), *rules] if wrong.search(text)] == []


def test_english_writes_percentages_without_a_blank(texts: Any) -> None:
    assert [text for text in texts["en"].values() if re.search(r"\s%", text)] == []


@pytest.mark.parametrize("language", ["en", "de", "es", "fr"])
def test_problems_with_offers_fit_resignations_too(texts: Any, language: str) -> None:
    """They are sent for draws and resignations, and backgammon has no draws."""
    shown = [texts[language][f"problem.{code}"] for code in ("no_offer", "too_many_offers")]
    assert not [text for text in shown if re.search("draw|remis|tablas|nulle", text, re.IGNORECASE)]


def test_players_of_backgammon_read_of_checkers_and_not_of_men(texts: Any) -> None:
    own = {key: text for key, text in texts["en"].items() if key.startswith("backgammon.")}
    assert own and not {key: text for key, text in own.items() if re.search(r"\bm[ae]n\b", text)}


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
        ("es-MX", 150, "Se han empezado demasiadas partidas desde tu red. Espera 3 minutos."),
        ("fr-CA", 60, "Trop de parties ont été lancées depuis votre réseau. Patientez 60\u00a0secondes."),
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
