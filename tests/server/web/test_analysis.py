"""Analysis as the page asks for it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.server.rest.rest_app import ANN, BEN, RestApp, open_app
from tests.service.parts import opening

from ludus.service.analysis import signature
from ludus.service.commands import AcceptResignation, OfferResignation, Resign
from ludus.service.opinions import Opinion, OpinionLine
from ludus.service.table import Table
from ludus.wire import codec

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def pair(app: RestApp, game: str) -> Table:
    made = await app.create(game=game, matchType="private", players=[ANN, BEN])
    return await app.seat(made["sessionToken"], (await app.join(made))["sessionToken"])


def numbers(table: Table) -> set[int]:
    """Of the players' moves; one who had to pass adds to them."""
    game = table.game
    return set(range(1, 1 + sum(not game.rules.chances(game.position_at(ply)) for ply in range(game.length))))


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
async def test_an_analysis_survives_a_restart(tmp_path: Path, game: str) -> None:
    async with open_app(tmp_path) as app:
        table = await app.play(await pair(app, game), most=6)
        table = (await app.platform.tables.execute(table.id, Resign(0))).table
        await app.analyse(table, signature(game))
    async with open_app(tmp_path) as app:
        shown = (await app.client.get(f"/web/tables/{table.id}/analysis")).json()
        assert (shown["state"], shown["done"]) == ("done", shown["total"])
        assert {move["number"] for move in shown["moves"]} == numbers(table)
        asked = await app.client.post(f"/web/tables/{table.id}/analysis")
        assert asked.status_code == 200 and asked.json() == shown


async def test_what_an_older_engine_thought_is_not_shown(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app:
        table = await app.play(await pair(app, "checkers"), most=4)
        table = (await app.platform.tables.execute(table.id, Resign(0))).table
        await app.analyse(table, "an older one")
        assert (await app.client.get(f"/web/tables/{table.id}/analysis")).json()["state"] == "none"


async def test_a_live_game_has_no_analysis_even_if_one_is_stored(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app:
        table = await app.play(await pair(app, "checkers"), most=4)
        await app.analyse(table, signature("checkers"))
        assert (await app.client.get(f"/web/tables/{table.id}/analysis")).json()["state"] == "none"
        refused = await app.client.post(f"/web/tables/{table.id}/analysis")
        assert refused.status_code == 409 and refused.json()["code"] == "not_over"


async def over(app: RestApp, game: str) -> Table:
    """A game given up after six moves, and analysed."""
    table = await app.play(await pair(app, game), most=6)
    table = (await app.platform.tables.execute(table.id, Resign(0))).table
    await app.analyse(table, signature(game))
    return table


async def test_a_resignation_in_the_others_turn_is_charged_to_the_one_who_resigned(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app:
        table = await app.play(await pair(app, "backgammon"), most=6)
        assert table.mover is not None
        other = 1 - table.mover
        await app.platform.tables.execute(table.id, OfferResignation(other, 2))
        table = (await app.platform.tables.execute(table.id, AcceptResignation(table.mover))).table
        await app.analyse(table, signature("backgammon"))
        shown = (await app.client.get(f"/web/tables/{table.id}/analysis")).json()
        made = max(shown["moves"], key=lambda move: int(move["number"]))
        assert (made["kind"], made["seat"], made["mark"]) == ("resignation", other, "blunder")
        side = 1 if other == 0 else -1
        assert (made["value"], made["best"]["value"], made["loss"]) == (-2.0 * side, -0.5 * side, 1.5)
        assert (made["isForced"], made["isDecision"]) == (False, False)


async def test_a_move_is_shown_with_its_candidates_and_the_luck_of_its_roll(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app:
        table = await over(app, "backgammon")
        shown = (await app.client.get(f"/web/tables/{table.id}/analysis")).json()
        count = len(numbers(table))
        assert (len(shown["moves"]), shown["done"]) == (count, count + 1), "the last roll, not played, had its luck too"
        blunders = [move for move in shown["moves"] if move["mark"] == "blunder"]
        move = next(move for move in blunders if any(each["isPlayed"] for each in move["candidates"]))
        shown_first = move["candidates"][:5]
        assert [each["equity"] for each in shown_first] == [0.5, 0.3, 0.1, -0.1, -0.3][: len(shown_first)]
        assert [each["loss"] for each in shown_first] == [0, 0.2, 0.4, 0.6, 0.8][: len(shown_first)]
        [played] = [each for each in move["candidates"] if each["isPlayed"]]
        assert (move["loss"], move["kind"], move["isDecision"]) == (played["loss"], "move", True)
        assert (move["luck"], move["luckMark"], move["cube"]) == (0.4, "lucky", None)
        assert move["position"].startswith("XGID=") and move["board"]["dice"]
        assert sum(player["luck"] for player in shown["players"]) == pytest.approx((count + 1) * 0.4)
        first, second = shown["players"]
        assert first["resultLuck"] == pytest.approx(0.25 * first["luck"])
        assert first["luckAdjusted"] == pytest.approx(-1 - 0.25 * (first["luck"] - second["luck"]))
        losses = [each["loss"] for each in shown["moves"] if each["seat"] == 0 and not each["isForced"]]
        assert first["pr"] == pytest.approx(500 * sum(losses) / len(losses))
        assert first["snowieErrorRate"] == pytest.approx(1000 * sum(losses) / count)
        [only] = shown["games"]
        assert [only[field] for field in ("first", "last", "score", "winner", "points")] == [1, count, [0, 0], 1, 1]


async def test_checkers_has_no_luck_and_no_performance_rating(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app:
        table = await over(app, "checkers")
        shown = (await app.client.get(f"/web/tables/{table.id}/analysis")).json()
        assert (shown["players"], shown["games"], shown["moves"][0]["luck"]) == (None, None, None)
        assert len(shown["moves"][0]["candidates"]) > 1
        assert all(0 < share <= 1 for share in shown["accuracy"])


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
async def test_another_move_can_be_tried_where_one_was_a_blunder(tmp_path: Path, game: str) -> None:
    async with open_app(tmp_path) as app:
        path = f"/web/tables/{(await over(app, game)).id}/analysis"
        shown = (await app.client.get(path)).json()
        move = next(move for move in shown["moves"] if move["mark"] == "blunder")

        async def tried(candidate: dict[str, Any]) -> dict[str, Any]:
            asked = {"number": move["number"], "move": candidate["move"]}
            found: dict[str, Any] = (await app.client.post(f"{path}/try", json=asked)).json()
            return found

        best = await tried(move["candidates"][0])
        assert (best["isBest"], best["loss"], best["mark"]) == (True, 0, None)
        second = await tried(move["candidates"][1])
        assert (second["isBest"], second["loss"], second["mark"] is None) == (False, 0.2, False)
        assert (second["equity"], second["best"]["notation"]) == (0.3, best["notation"])


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
async def test_a_mistake_that_is_tried_again_costs_the_same(tmp_path: Path, game: str) -> None:
    async with open_app(tmp_path) as app:
        table = await over(app, game)
        path = f"/web/tables/{table.id}/analysis"
        record = (await app.client.get(f"/web/tables/{table.id}")).json()
        for move in (await app.client.get(path)).json()["moves"]:
            if move["mark"] is not None:
                asked = {"number": move["number"], "move": record["moves"][move["number"] - 1]["move"]}
                tried = (await app.client.post(f"{path}/try", json=asked)).json()
                assert (tried["loss"], tried["mark"]) == (move["loss"], move["mark"])


async def test_an_engine_judges_a_move_that_was_not_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_app(tmp_path) as app:
        table = await over(app, "checkers")
        path, rules = f"/web/tables/{table.id}/analysis", table.game.rules
        shown = (await app.client.get(path)).json()
        move = next(move for move in shown["moves"] if move["number"] == 1)
        compared = {each["notation"] for each in move["candidates"]}
        other = next(
            each
            for each in rules.moves(table.game.start)
            if rules.notation.write_move(table.game.start, each) not in compared
        )
        asked_about = list[str]()

        async def stream(game: str, position: str, owner: str) -> AsyncGenerator[Opinion]:
            asked_about.append(position)
            for stage in (1, 2, 3, 4):
                yield Opinion(stage, 4, 9, (OpinionLine("22-18", 0.4 - stage / 10, False, (), ()),))

        monkeypatch.setattr(app.platform.opinions, "stream", stream)
        asked = {"number": 1, "move": codec("checkers").rooms.move(table.game.start, other)}
        tried = (await app.client.post(f"{path}/try", json=asked)).json()
        assert asked_about == [rules.notation.write_position(rules.play(table.game.start, other))]
        assert (tried["equity"], tried["loss"], tried["mark"]) == (-0.1, 0.6, "blunder")


async def test_what_cannot_be_tried_is_refused(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app:
        path = f"/web/tables/{(await over(app, 'backgammon')).id}/analysis/try"
        for body, code in [
            ({"number": 99, "move": {"moves": []}}, "not_found"),
            ({"number": 1, "move": {"moves": [{"from": 24, "to": 2}]}}, "illegal_move"),
            ({"number": 1, "move": "24/2"}, "malformed_move"),
            ({"number": "1", "move": {"moves": []}}, "invalid_input"),
        ]:
            assert (await app.client.post(path, json=body)).json()["code"] == code
        live = await app.play(await pair(app, "backgammon"), most=2)
        asked = {"number": 1, "move": {"moves": []}}
        assert (await app.client.post(f"/web/tables/{live.id}/analysis/try", json=asked)).status_code == 404


async def test_the_legal_moves_of_an_earlier_position_are_listed(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app:
        table = await over(app, "checkers")
        path = f"/web/tables/{table.id}/analysis/moves"
        found = (await app.client.post(path, json={"number": 1})).json()["moves"]
        assert len(found) == len(table.game.rules.moves(table.game.start))
        assert (await app.client.post(path, json={"number": 1, "position": "x"})).json()["code"] == "malformed"
        live = await app.play(await pair(app, "checkers"), most=2)
        refused = await app.client.post(f"/web/tables/{live.id}/analysis/moves", json={"number": 1})
        assert refused.json()["code"] == "not_over"


async def test_a_match_has_cube_decisions_and_games(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app:
        terms = opening("backgammon")._replace(
            table="match", variant="standard+match3"
        )  # whose dice are always the same
        table = await app.play(await app.platform.tables.open(terms))
        await app.analyse(table, signature("backgammon"))
        shown = (await app.client.get(f"/web/tables/{table.id}/analysis")).json()
        cube_moves = [move for move in shown["moves"] if move["cube"] is not None]
        assert {move["kind"] for move in cube_moves} >= {"no_double", "double"}
        for move in cube_moves:
            names = ("noDouble", "doubleTake", "doublePass", "doubleBeaver")
            assert [move["cube"][name] for name in names] == [0.2, 0.5, 1.0, 1.5]
            assert move["cube"]["action"] == "double_take"
            wrong = move["loss"] > 0
            errors = {
                "no_double": "missed_double",
                "double": "wrong_double",
                "take": "wrong_take",
                "drop": "wrong_pass",
            }
            assert move["cube"]["error"] == (errors[move["kind"]] if wrong else None)
        games = shown["games"]
        assert [game["first"] for game in games] == [1, *(game["last"] + 1 for game in games[:-1])]
        assert games[-1]["last"] == len(numbers(table)) and games[0]["score"] == [0, 0]
        assert all(game["players"][0]["result"] is None for game in games if len(games) > 1)
        winner = table.outcome and table.outcome.winner
        assert [player["result"] for player in shown["players"]] == [0.5, -0.5][:: -1 if winner else 1]
        assert {player["resultUnit"] for player in shown["players"]} == {"match"}
        tried = {"number": cube_moves[0]["number"], "move": cube_moves[0]["candidates"][1]["move"]}
        answer = (await app.client.post(f"/web/tables/{table.id}/analysis/try", json=tried)).json()
        assert (answer["loss"], answer["isBest"]) == (0.2, False)
