"""The modules that tell the page which games there are."""

from __future__ import annotations

import pytest

from ludus.games import GAMES
from ludus.server.web.games import boards, facts, modules
from ludus.server.web.pages import site


def test_every_game_is_listed_with_the_files_it_has() -> None:
    files = site().assets.files
    index = files["games/index.js"].content.decode()
    for game in GAMES:
        assert f'"{game}": {{ ...generic, ' in index
        assert f'"tag":"ludus-{game}"' in index and f'import("./{game}/board.js")' in index
        assert f'from "./{game}/de.js"' in files["games/de.js"].content.decode()


@pytest.mark.parametrize("game", GAMES)
def test_the_facts_of_a_game_are_those_of_its_rules(game: str) -> None:
    found = facts(game)
    assert (found["id"], found["hasDraws"]) == (game, GAMES[game].has_draws)
    assert len(found["colors"]) == 2 and found["start"] and found["title"] and found["description"]


def test_a_game_without_files_gets_the_generic_board() -> None:
    made = modules({}, [{"id": "nim", "title": "Nim"}])
    assert made["games/en.js"] == b"export default {  };\n"
    assert made["games/index.js"].decode() == (
        'import * as generic from "./generic/game.js";\n'
        "export const GAMES = {\n"
        '  "nim": { ...generic, ...{"id":"nim","title":"Nim","tag":"ludus-generic"},'
        ' load: { board: () => import("./generic/board.js") } },\n'
        "};\n"
    )


def test_pages_preload_the_boards_of_all_games() -> None:
    assert boards(site().assets.files) == tuple(f"games/{game}/board.js" for game in GAMES)
    assert boards([]) == ("games/generic/board.js",)
