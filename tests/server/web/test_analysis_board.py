"""The analysis board's API: texts, lines of play, legal moves, positions that were set up, and opinions."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.server.rest.rest_app import ADDRESS, RestApp

from ludus.engines.study import CubeWindow
from ludus.games import GAMES
from ludus.server.web.analysis_board import MAX_MOVES
from ludus.service.analysis import Busy
from ludus.service.engine_pool import EngineFailed
from ludus.service.opinions import Opinion, OpinionLine
from ludus.wire import codec

pytestmark = pytest.mark.anyio
DATA = Path(__file__).parents[2] / "games"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
BEFORE_ROLL = "XGID=-b----E-C---eE---c-e----B-:0:0:-1:00:0:0:0:0:10"
EMPTY = "." * 64


async def post(app: RestApp, path: str, **body: Any) -> Any:
    answer = await app.client.post(f"/web/analysis/{path}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_pasted_game_is_read_with_the_position_after_every_move(app: RestApp) -> None:
    read = await post(app, "read", text=(DATA / "backgammon/data/match.mat").read_text())
    assert (read["game"], read["games"]) == ("backgammon", ["Ann – Bob"])
    assert read["start"]["isRoll"] and read["start"]["turn"] is None
    roll, play = read["moves"][:2]
    assert (roll["notation"], roll["move"], roll["seat"], roll["after"]["turn"]) == ("25", None, None, 1)
    assert (play["notation"], play["seat"]) == ("24/22 13/8", 1)
    assert read["moves"][-1]["after"]["result"]["winner"] in (0, 1)
    assert any(move["ended"] for move in read["moves"])


async def test_a_resignation_before_a_roll_is_a_move_of_the_one_who_resigns(app: RestApp) -> None:
    text = " 3 point match\n\n Game 1\n Ann : 0      Bob : 2\n  1) 31: 8/5 6/5\n      Wins 1 point\n"
    roll, _, resignation = (await post(app, "read", text=text))["moves"]
    assert (roll["move"], roll["seat"]) == (None, None)
    assert (resignation["notation"], resignation["seat"]) == ("black resigns 1", 1)
    assert resignation["move"]["resign"] == {"color": "black", "points": 1}
    assert resignation["ended"]["points"] == 1


async def test_one_of_several_games_can_be_chosen(app: RestApp) -> None:
    text = '[Event "One"]\n1. 11-15 *\n\n[Event "Two"]\n[Black "Ann"]\n[White "Ben"]\n1. 9-14 *\n'
    read = await post(app, "read", text=text, number=2)
    assert read["games"] == ["One", "Ann – Ben, Two"]
    assert [move["notation"] for move in read["moves"]] == ["9-14"]


@pytest.mark.parametrize("game", GAMES)
async def test_a_line_can_be_walked_and_left(app: RestApp, game: str) -> None:
    """Positions are texts, so what is played from one is what the whole line has there."""
    played: list[Any] = []
    node = (await post(app, f"{game}/line", moves=[]))["start"]
    for _ in range(8):
        listed = await post(app, f"{game}/moves", position=node["position"])
        if listed["rolls"]:
            move = {"notation": listed["rolls"][-1]}
        else:
            first = listed["moves"][0]
            move = {"move": {"moves": first} if isinstance(first, list) else first}
        entry = await post(app, f"{game}/play", position=node["position"], **move)
        played.append(entry)
        node = entry["after"]
    line = await post(app, f"{game}/line", moves=[entry["notation"] for entry in played])
    assert line["moves"] == played


async def test_a_move_that_is_not_legal_says_which_one(app: RestApp) -> None:
    answer = await app.client.post("/web/analysis/checkers/line", json={"moves": ["11-15", "11-15"]})
    assert answer.status_code == 400 and answer.json()["error"].startswith("move 2: 11-15 is not legal here")


async def test_steps_of_a_play_are_listed_one_by_one(app: RestApp) -> None:
    found = await post(app, "backgammon/moves", position=XGID, soFar=[{"from": 8, "to": 5}])
    assert {(step["from"], step["to"]) for step in found["moves"]} >= {(6, 5), (24, 23)}


async def test_a_position_that_was_set_up_comes_back_as_text(app: RestApp) -> None:
    rules = GAMES["checkers"]
    board = codec("checkers").rooms.packed_board(rules.notation.read_position("W:WK5,22:B1,K30"))
    node = await post(app, "checkers/setup", setup={"board": board, "turn": "black"})
    assert (node["position"], node["board"], node["turn"]) == ("W:WK5,22:B1,K30", board, 1)
    men = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 1]
    setup: dict[str, Any] = {
        "board": men,
        "bar": {"white": 1, "black": 0},
        "turn": "white",
        "dice": [1, 3],
        "cube": {"value": 2, "owner": "white"},
        "match": {"length": 7, "score": {"white": 2, "black": 6}, "isCrawford": False},
    }
    node = await post(app, "backgammon/setup", setup=setup)
    assert node["position"] == "XGID=-b----E-C---eE---c-e----AA:1:1:1:31:2:6:0:7:10"
    nackgammon = setup["match"] | {"layout": "nackgammon"}
    node = await post(app, "backgammon/setup", setup=setup | {"match": nackgammon})
    assert node["position"].endswith(":31:2:6:0:7:10 nackgammon")
    node = await post(app, "backgammon/setup", setup=setup | {"match": None, "dice": [], "cube": None})
    assert node["position"] == "XGID=-b----E-C---eE---c-e----AA:0:0:1:00:0:0:0:0:10"


GOOD: Any = {
    "board": [0] * 25,
    "bar": {"white": 1, "black": 1},
    "turn": "white",
    "dice": [],
    "cube": None,
    "match": None,
}


@pytest.mark.parametrize(
    ("game", "setup", "says"),
    [
        ("checkers", {"board": f"r{EMPTY[1:]}", "turn": "red"}, "dark squares"),
        ("checkers", {"board": f".r{EMPTY[2:]}", "turn": "red"}, "must be a king"),
        ("checkers", {"board": "x" * 64, "turn": "red"}, "64 letters"),
        ("checkers", {"board": EMPTY, "turn": "green"}, "turn must be"),
        (
            "checkers",
            {"board": ".b.b.b.bb.b.b.b..b.b.b.bb.b....." + EMPTY[32:], "turn": "red"},
            "12",
        ),
        ("backgammon", GOOD | {"board": [0, 15, *[0] * 23]}, "16 men"),
        ("backgammon", GOOD | {"board": [0, True, *[0] * 23]}, "25 numbers"),
        ("backgammon", GOOD | {"dice": [7, 1]}, "dice"),
        ("backgammon", GOOD | {"turn": None}, "turn"),
        ("backgammon", GOOD | {"cube": {"value": 3, "owner": None}}, "power of two"),
        (
            "backgammon",
            GOOD | {"match": {"length": 3, "score": {"white": 0, "black": 0}, "layout": ["chess"]}},
            "layout of a match",
        ),
        ("backgammon", GOOD | {"match": {"length": 5, "score": {"white": 5, "black": 0}}}, "over at 5-0"),
        (
            "backgammon",
            GOOD | {"match": {"length": 5, "score": {"white": 1, "black": 0}, "isCrawford": True}},
            "one point to go",
        ),
    ],
)
async def test_a_position_that_cannot_be_says_why(app: RestApp, game: str, setup: Any, says: str) -> None:
    answer = await app.client.post(f"/web/analysis/{game}/setup", json={"setup": setup})
    assert answer.status_code == 400 and answer.json()["code"] == "malformed_position"
    assert says in answer.json()["error"]


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("nothing/line", {"moves": []}, 404, "not_found"),
        ("checkers/line", {"moves": ["11-15"] * (MAX_MOVES + 1)}, 400, "invalid_input"),
        ("checkers/line", {"start": "x", "moves": []}, 400, "malformed_position"),
        ("checkers/moves", {"position": "x"}, 400, "malformed_position"),
        ("backgammon/moves", {"position": XGID, "soFar": 1}, 400, "malformed"),
        ("checkers/play", {"position": "B:W21:B1", "move": 1}, 400, "malformed_move"),
        ("checkers/play", {"position": "B:W21:B", "notation": "1-5"}, 400, "illegal_move"),
        ("backgammon/play", {"position": XGID, "notation": "66"}, 400, "illegal_move"),
        ("read", {"text": "x" * 60_000}, 400, "invalid_input"),
        ("read", {"text": "1. 11-11", "game": "checkers"}, 400, "malformed_record"),
    ],
)
async def test_what_is_not_a_request_is_refused(app: RestApp, path: str, body: Any, status: int, code: str) -> None:
    answer = await app.client.post(f"/web/analysis/{path}", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def asked(app: RestApp, monkeypatch: pytest.MonkeyPatch, position: str, *found: Any) -> Any:
    """The answer of engines that say this of a position."""

    async def stream(game: str, position: str, owner: str) -> AsyncGenerator[Opinion]:
        for each in found:
            if isinstance(each, Exception):
                raise each
            yield each

    monkeypatch.setattr(app.platform.opinions, "stream", stream)
    return await app.client.get("/web/analysis/backgammon/opinion", params={"position": position})


LINE = OpinionLine("8/5 6/5", 0.2, False, (0.5, 0.1, 0.0, 0.1, 0.0), ("8/5 6/5",))


async def test_opinions_are_streamed_line_by_line(app: RestApp, monkeypatch: pytest.MonkeyPatch) -> None:
    worse = LINE._replace(move="24/20", value=-0.1)
    answer = await asked(app, monkeypatch, XGID, *(Opinion(stage, 2, stage, (LINE, worse)) for stage in (1, 2)))
    first, second = map(json.loads, answer.text.splitlines())
    assert (first["stage"], second["stage"], first["stages"], first["seat"]) == (1, 2, 2, 0)
    assert first["lines"][0]["move"] == {"moves": [{"from": 8, "to": 5}, {"from": 6, "to": 5}]}
    assert [(line["loss"], line["mark"]) for line in first["lines"]] == [(0.0, None), (0.3, "blunder")]


async def test_an_opinion_has_the_window_of_the_cube_and_effective_pip_counts(
    app: RestApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = CubeWindow(0.2, 0.25, 0.19, 0.7, 0.8, None, 0.3, 0.5)
    whole = Opinion(1, 1, 0, (LINE,), window=window, effective_pips=(43.38, None))
    found = json.loads((await asked(app, monkeypatch, XGID, whole)).text)
    assert found["window"] == {
        "takePoint": 0.2, "takePointDead": 0.25, "takePointLive": 0.19, "doublingPoint": 0.7, "cashPoint": 0.8,
        "tooGoodPoint": None, "marketLosers": 0.3, "marketLosersWithReply": 0.5,
    }  # fmt: skip
    assert found["effectivePips"] == [43.38, None]
    plain = json.loads(
        (await asked(app, monkeypatch, XGID, Opinion(1, 1, 0, (LINE,), effective_pips=(None, None)))).text
    )
    assert (plain["window"], plain["effectivePips"]) == (None, None)


async def test_before_a_roll_the_opinion_is_that_of_the_player_who_rolls(
    app: RestApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = await asked(app, monkeypatch, BEFORE_ROLL, Opinion(1, 1, 0, (LINE._replace(move="", moves=()),)))
    found = json.loads(answer.text)
    assert found["seat"] == 1 and found["lines"][0]["move"] is None


async def test_an_engine_that_fails_midway_says_so_in_a_last_line(
    app: RestApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = await asked(app, monkeypatch, XGID, Opinion(1, 2, 0, (LINE,)), EngineFailed("gone"))
    assert [json.loads(line).get("code") for line in answer.text.splitlines()] == [None, "engine_failed"]


async def test_engines_share_their_time_by_a_mark_that_does_not_tell_the_address(
    app: RestApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    owners: list[str] = []
    monkeypatch.setattr(app.platform.opinions, "refuse_if_busy", owners.append)
    for _ in range(2):
        await asked(app, monkeypatch, XGID)
    assert owners == [app.platform.address_marks.mark(ADDRESS)] * 2


async def test_who_asks_for_too_much_is_refused_before_anything_is_sent(
    app: RestApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(owner: str) -> None:
        raise Busy("too many")

    monkeypatch.setattr(app.platform.opinions, "refuse_if_busy", refuse)
    assert (await asked(app, monkeypatch, XGID)).status_code == 429
    assert (await asked(app, monkeypatch, "nonsense")).json()["code"] == "malformed_position"
