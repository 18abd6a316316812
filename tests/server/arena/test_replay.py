"""A match to read."""

from __future__ import annotations

import pytest
from tests.server.arena.arena_app import ArenaApp, with_app

from ludus.games import GAMES


async def read(app: ArenaApp, match: str) -> str:
    answer = await app.ask("GET", f"/api/matches/{match}/replay.md")
    assert answer.status_code == 200 and answer.headers["Content-Type"] == "text/markdown; charset=utf-8"
    return answer.text


@pytest.mark.parametrize("game", GAMES)
@with_app
async def test_it_has_every_move_in_the_column_of_its_player(app: ArenaApp, game: str) -> None:
    match, one, two = await app.pair(game)
    await app.play_out(match, one, two)
    text = await read(app, match)
    record = await app.get(f"/api/matches/{match}")
    rows = [line.split("|")[2:4] for line in text.splitlines() if line.startswith("| ") and not line.startswith("| |")]
    columns = {player["color"]: index for index, player in enumerate(record["players"])}
    recorded = [(columns[move["color"]], move["notation"]) for move in record["moves"]]
    written = [(column, cell.split("`")[1]) for row in rows for column, cell in enumerate(row) if "`" in cell]
    assert written == recorded


@with_app
async def test_it_says_who_won_and_how(app: ArenaApp) -> None:
    match, one, two = await app.pair("backgammon")
    assert "The match is in progress." in await read(app, match)
    await one.act(match, 1, {"type": "resign"})
    winner = next(player for player in (await app.get(f"/api/matches/{match}"))["players"] if player["id"] == two.id)
    assert f"{winner['name']} ({winner['color']}) won: resignation." in await read(app, match)


@with_app
async def test_it_shows_the_last_board(app: ArenaApp) -> None:
    match, *_ = await app.pair("checkers")
    table = await app.arena.table(match)
    drawing = table.game.board().text().replace("black ─", "dark ──").replace("white", "light")
    assert "● dark ─" in drawing and "○ light ─" in drawing
    assert f"```text\n{drawing}\n```" in await read(app, match)


@with_app
async def test_nothing_in_a_name_is_markup(app: ArenaApp) -> None:
    one, two = await app.agent("_a_ --b"), await app.agent("plain")
    await one.queue("checkers")
    match = (await two.queue("checkers"))["matchId"]
    assert r"\_a\_ \-\-b" in await read(app, match)
