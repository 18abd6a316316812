"""The games in the page: which there are, and their static files.

A game's files are in `static/games/NAME/` of the page, or in `static/` of a third party's package. All are optional:

| file | what it is |
|---|---|
| `board.js` | defines the element `ludus-NAME`; without it the generic board is used |
| `game.js` | overrides of `games/generic/game.js`: notation, shape, details |
| `demo.js` | a recorded game for the start page |
| `editor.js` | how a position is set up on the board; the game's codecs have a `setup` that reads it |
| `en.js`, `de.js`, … | texts |
| `rules/en.js`, `rules/de.js`, … | rules and strategy for people |
| `lesson/en.js`, `lesson/de.js`, … | what the steps of the game's lesson say; see `ludus.lessons` |
| `themes/en.js`, `themes/de.js`, … | the themes of the game's puzzles in words; see `ludus.puzzles` |
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

from ludus.engines import adapter
from ludus.games import ABOUT, GAMES, package
from ludus.puzzles import puzzles
from ludus.server.web.languages import LANGUAGES
from ludus.wire import codec

FOLDER: Final = "games"


def facts(game: str) -> dict[str, Any]:
    """What the page's scripts know of a game without loading its files."""
    rules, about, rooms = GAMES[game], ABOUT[game], codec(game).rooms
    return {
        "id": game,
        "title": about.title,
        "description": about.description,
        "hasDraws": rules.has_draws,
        "hasAnalysis": adapter(game).analyst is not None,
        "colors": rooms.colors,
        "hasPuzzles": bool(puzzles(game)),
        "start": rooms.packed_board(rules.variants["standard"]),
    }


def third_party_files() -> Iterator[tuple[str, Traversable]]:
    """The folders of static files that packages of games bring along, by the games' names."""
    for game in GAMES:
        name = package(game)
        folder = files(name).joinpath("static")
        if not name.startswith("ludus.") and folder.is_dir():
            yield game, folder


def modules(found: Mapping[str, bytes], games: Iterable[Mapping[str, Any]]) -> dict[str, bytes]:
    """Modules that name the games and their files, since only the server knows which there are."""
    listed = list(games)
    made = {f"{FOLDER}/index.js": _index(found, listed)}
    for language in LANGUAGES:
        own = [game["id"] for game in listed if f"{FOLDER}/{game['id']}/{language}.js" in found]
        imports = [f'import game{at} from "./{id}/{language}.js";' for at, id in enumerate(own)]
        texts = ", ".join(f'"{id}": game{at}' for at, id in enumerate(own))
        made[f"{FOLDER}/{language}.js"] = "\n".join([*imports, f"export default {{ {texts} }};", ""]).encode()
    return made


def _index(found: Mapping[str, bytes], games: list[Mapping[str, Any]]) -> bytes:
    imports, entries = ['import * as generic from "./generic/game.js";'], []
    for at, game in enumerate(games):
        id, own = game["id"], ""
        if f"{FOLDER}/{id}/game.js" in found:
            imports.append(f'import * as game{at} from "./{id}/game.js";')
            own = f"...game{at}, "
        entries.append(f'  "{id}": {{ ...generic, {own}...{_facts(found, game)}, {_loaders(found, id)} }},')
    return "\n".join([*imports, "export const GAMES = {", *entries, "};", ""]).encode()


def _facts(found: Mapping[str, bytes], game: Mapping[str, Any]) -> str:
    tag = f"ludus-{game['id']}" if f"{FOLDER}/{game['id']}/board.js" in found else "ludus-generic"
    return json.dumps({**game, "tag": tag}, separators=(",", ":"))


def _loaders(found: Mapping[str, bytes], game: str) -> str:
    """Functions that load what a game has, when it is needed."""

    def load(path: str) -> str:
        return f'() => import("./{path}")'

    board = load(f"{game}/board.js" if f"{FOLDER}/{game}/board.js" in found else "generic/board.js")
    parts = [f"board: {board}"]
    for part in ("demo", "editor"):
        if f"{FOLDER}/{game}/{part}.js" in found:
            parts.append(f"{part}: {load(f'{game}/{part}.js')}")
    for text in ("rules", "lesson", "themes"):
        written = [language for language in LANGUAGES if f"{FOLDER}/{game}/{text}/{language}.js" in found]
        if written:
            loaded = [f"{language}: {load(f'{game}/{text}/{language}.js')}" for language in written]
            parts.append(f"{text}: {{ {', '.join(loaded)} }}")
    return f"load: {{ {', '.join(parts)} }}"


def boards(found: Iterable[str]) -> tuple[str, ...]:
    """The modules of the boards of all games, for pages that show any of them."""
    own = set(found)
    paths = (f"{FOLDER}/{game}/board.js" for game in GAMES)
    return tuple(dict.fromkeys(path if path in own else f"{FOLDER}/generic/board.js" for path in paths))
