"""The npm package `ludus-client`, packed and installed, against a real server."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from tests.clients.app_folder import JS, PACKAGE, ROOT, AppFolder
from tests.room_schemas import problems
from tests.server_process import ServerProcess

pytestmark = pytest.mark.slow

TYPESCRIPT = {
    "strict": True,
    "noEmit": True,
    "skipDefaultLibCheck": True,  # those of the compiler itself; the packages' are checked
    "target": "es2022",
    "module": "nodenext",
    "jsx": "react-jsx",
    "lib": ["es2022", "dom"],
    "types": [],
}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> AppFolder:
    return AppFolder(tmp_path_factory.mktemp("app"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path_factory.mktemp("server") / "data", bot_pause=0, log_level="warning")
    yield server
    server.close()


@pytest.fixture(scope="module")
def openapi(app: AppFolder, server: ServerProcess) -> list[str]:
    """Files of types, generated from the OpenAPI documents."""
    documents = {"rooms": "/v1/openapi.json", "arena": "/api/docs/json"}
    for name, path in documents.items():
        response = server.request("GET", path, origin="https://editor.example")
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        (app.path / f"{name}.json").write_text(response.text)
        made = app.tool("openapi-typescript/bin/cli.js", f"{name}.json", "--output", f"{name}.ts")
        assert made.returncode == 0, made.stderr
    return [f"{name}.ts" for name in documents]


@pytest.mark.parametrize("name", ["events.d.ts", "room.js", "outbox.js"])
def test_a_generated_file_is_up_to_date(name: str) -> None:
    generated = runpy.run_path(str(PACKAGE / "generate.py"))["files"]()
    assert (PACKAGE / name).read_text(encoding="utf-8") == generated[name], "run clients/js/generate.py"


def test_the_package_has_all_its_files_and_no_others(app: AppFolder) -> None:
    own = [path.name for path in PACKAGE.iterdir() if path.suffix in (".js", ".ts", ".json", ".md")]
    assert app.packed == sorted([*own, "LICENSE"])


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def compile_types(app: AppFolder, *files: str, **options: bool) -> None:
    (app.path / "tsconfig.json").write_text(json.dumps({"compilerOptions": TYPESCRIPT | options, "files": files}))
    done = app.tool("typescript/bin/tsc", "--project", str(app.path))
    assert done.returncode == 0, done.stdout


def test_typescript_programs_compile_and_their_mistakes_are_found(app: AppFolder, openapi: list[str]) -> None:
    """One of the documentation, one with the package, one with types generated from the OpenAPI documents."""
    (typed,) = blocks((ROOT / "docs" / "client-js.md").read_text(encoding="utf-8"), "ts")
    (app.path / "documented.ts").write_text(typed)
    for name in ("types.tsx", "documents.ts"):
        (app.path / name).write_text((JS / name).read_text())
    compile_types(app, "documented.ts", "types.tsx", "documents.ts", *openapi)


def test_the_documented_programs_in_jsx_compile(app: AppFolder) -> None:
    """They have no types of their own, but those of the package are checked."""
    page = (ROOT / "docs" / "client-js.md").read_text(encoding="utf-8")
    for number, block in enumerate(found := blocks(page, "jsx")):
        (app.path / f"documented{number}.tsx").write_text(block)
    assert found
    untyped = {"noImplicitAny": False}
    compile_types(app, *(f"documented{number}.tsx" for number in range(len(found))), **untyped)


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
@pytest.mark.parametrize("has_session", [True, False], ids=["session", "guest"])
def test_a_whole_game_survives_a_break_and_a_reload(
    app: AppFolder, server: ServerProcess, game: str, has_session: bool
) -> None:
    token = ""
    if has_session:
        wanted = {
            "game": game,
            "matchType": "bot",
            "botDifficulty": "easy",
            "players": [{"id": "ann", "displayName": "Ann"}],
        }
        token = server.post("/v1/sessions", server.tenant(f"{game} app").live, wanted)["sessionToken"]
    played = json.loads(app.run(JS / "game.mjs", server.url, game, token))
    assert played["made"] > 4 and played["isSame"] and not played["kept"]
    assert played["links"].count("offline") >= 1 and played["links"].count("online") >= 3
    assert played["over"]["reason"] in ("victory", "draw")
    received: list[dict[str, Any]] = played["received"]
    found = [problem for each in received for problem in problems(game, "received", each["name"], each["data"])]
    assert not found
    places = [(each["data"]["version"], each["data"]["part"]) for each in received if "part" in (each["data"] or {})]
    assert places == sorted(set(places)), "each message once and in order"
    before, after = received[: played["reloadedAt"]], received[played["reloadedAt"] :]
    assert is_complete(before) and is_complete(after)
    state = next(each["data"] for each in after if each["name"] == "game:reconnected")
    assert moves_in(before)[-1] <= len(state["moveHistory"]) == moves_in(after)[0] - 1  # the bot may move meanwhile


def moves_in(received: list[dict[str, Any]]) -> list[int]:
    """The number of moves so far, at each move."""
    return [len(each["data"]["moveHistory"]) for each in received if each["name"] == "game:move:made"]


def is_complete(received: list[dict[str, Any]]) -> bool:
    """Whether no move is missing."""
    numbers = moves_in(received)
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


@pytest.mark.parametrize("page", [PACKAGE / "README.md", ROOT / "docs" / "client-js.md"], ids=lambda page: page.name)
def test_the_first_example_of_a_page_plays_a_game(app: AppFolder, server: ServerProcess, page: Path) -> None:
    block = blocks(page.read_text(encoding="utf-8"), "js")[0]
    (script := app.path / "documented" / "example.mjs").parent.mkdir(exist_ok=True)
    script.write_text(block.replace("http://127.0.0.1:8000", server.url))
    assert re.search("(victory|draw)\n$", app.run(script))


def test_a_game_is_played_with_the_react_hook(app: AppFolder, server: ServerProcess) -> None:
    seen = json.loads(app.run(JS / "hooks.mjs", server.url))
    assert seen["html"] == "<p>connecting theirs not yet</p>"
    assert seen["board"] == '<ludus-checkers class="wide" compact=""></ludus-checkers>'
    assert seen["game"] == f'<ludus-game game="checkers" level="easy" server="{server.url}"></ludus-game>'
    assert "online mine connected" in seen["texts"]
    assert seen["refusals"] == ["illegal_move"]
    assert seen["last"] == f"over: {seen['over']['reason']}"


def test_the_asyncapi_document_is_valid(app: AppFolder, server: ServerProcess) -> None:
    schema = json.loads(
        (JS / "node_modules/@asyncapi/specs/schemas/3.0.0-without-$id.json").read_text(encoding="utf-8")
    )
    response = server.request("GET", "/asyncapi.json", origin="https://studio.example")
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert not [error.message for error in jsonschema_rs.validator_for(schema).iter_errors(response.json())]
    assert response.json()["servers"]["rooms"]["host"] == server.url.removeprefix("http://")
