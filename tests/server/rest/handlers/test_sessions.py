"""Sessions: their fields, who may see them, and the results of their games."""

from __future__ import annotations

import re
import uuid
from typing import Any

import jwt
import pytest
from tests.server.rest.rest_app import ANN, BEN, NOW, RestApp

from ludus.core.rules import Outcome
from ludus.games import GAMES
from ludus.service import proof
from ludus.service.analysis import signature
from ludus.service.commands import AcceptDraw, AcceptResignation, OfferDraw, OfferResignation, Resign
from ludus.wire import codec

pytestmark = pytest.mark.anyio

THEME = {"primaryColor": "#ff6b00", "corners": [1, 2.5, True, None]}


def claims(token: str) -> dict[str, Any]:
    return dict(jwt.decode(token, options={"verify_signature": False}))


async def refused(app: RestApp, method: str, path: str, **more: Any) -> tuple[int, str, str]:
    answer = await app.ask(method, path, **more)
    body = answer.json()
    assert set(body) == {"error", "code"}
    return answer.status_code, body["code"], body["error"]


async def test_a_session_is_rendered_in_full(app: RestApp) -> None:
    made = await app.create(theme=THEME)
    token, id = made.pop("sessionToken"), made.pop("sessionId")
    assert str(uuid.UUID(id)) == id
    assert made == {
        "expiresIn": 300,
        "expiresAt": "2023-11-14T22:18:20.000Z",
        "game": "checkers",
        "mode": "live",
        "matchType": "matchmaking",
        "roomCode": None,
        "players": [ANN],
        "theme": THEME,
        "webhooksEnabled": False,
    }
    assert claims(token) == {
        "sessionId": id,
        "game": "checkers",
        "matchType": "matchmaking",
        "players": [ANN],
        "theme": THEME,
        "iat": NOW // 1000,
        "exp": NOW // 1000 + 300,
    }


async def test_what_was_requested_is_stored(app: RestApp) -> None:
    made = await app.create(game="backgammon", matchType="bot", botDifficulty="hard", afkTimeoutEnabled=False)
    kept = await app.platform.sessions.get(made["sessionId"])
    assert (kept.game, kept.match_type, kept.bot_level, kept.has_afk_limit) == ("backgammon", "bot", "hard", False)
    assert kept.tenant == app.tenant.tenant.id


async def test_what_is_not_asked_for_has_its_default(app: RestApp) -> None:
    kept = await app.platform.sessions.get((await app.create())["sessionId"])
    assert (kept.mode, kept.match_type, kept.bot_level, kept.has_afk_limit, kept.theme) == (
        "live", "matchmaking", "", True, None,
    )  # fmt: skip
    assert (kept.is_afk_limit_optional, kept.has_auto_pass) == (True, True)
    named = await app.create(botDifficulty="hard", afkTimeoutEnabled=True, autoPass=False)
    kept = await app.platform.sessions.get(named["sessionId"])
    assert (kept.bot_level, kept.has_afk_limit) == ("hard", True)
    assert (kept.is_afk_limit_optional, kept.has_auto_pass) == (False, False)


@pytest.mark.parametrize("chosen", ["5+3", {"type": "fischer", "seconds": 300, "increment": 3}])
async def test_a_time_control_is_shown_wherever_the_session_is(app: RestApp, chosen: Any) -> None:
    made = await app.create(matchType="private", timeControl=chosen)
    shown = {"type": "fischer", "seconds": 300, "increment": 3}
    listed = (await app.ask("GET", "/v1/tenant/sessions")).json()["sessions"][0]
    exported = (await app.ask("GET", "/v1/tenant/export")).json()["sessions"][0]
    for answer in (made, await app.join(made), await app.show(made), listed, exported):
        assert answer["timeControl"] == shown
    assert "timeControl" not in await app.show(await app.create())


@pytest.mark.parametrize(
    ("chosen", "problem"),
    [
        ("5 minutes", "timeControl: a time control is written as 5+3, 2 d12, 15s/move, 2d/move or none"),
        (5, "timeControl: a time control is an object, or text such as 5+3"),
        ({"type": "game", "seconds": 5}, "timeControl: seconds: a whole number from 10 to 10800"),
        ("none", "timeControl: only games with friends and bots can be without a limit"),
    ],
)
async def test_other_time_controls_are_refused(app: RestApp, chosen: Any, problem: str) -> None:
    body = {"game": "checkers", "players": [ANN], "timeControl": chosen}
    assert await refused(app, "POST", "/v1/sessions", json=body) == (400, "malformed", problem)


async def test_options_are_shown_wherever_the_session_is(app: RestApp) -> None:
    made = await app.create(game="backgammon", matchType="private", matchLength=5)
    listed = (await app.ask("GET", "/v1/tenant/sessions")).json()["sessions"][0]
    for answer in (made, await app.join(made), await app.show(made), listed):
        assert (answer["matchLength"], answer["cube"]) == (5, True)
        assert not {"jacoby", "beavers", "variant"} & set(answer)
    exported = (await app.ask("GET", "/v1/tenant/export")).json()["sessions"][0]
    assert exported["options"] == {"matchLength": 5, "cube": True}
    assert (await app.platform.sessions.get(made["sessionId"])).variant == "standard+match5"
    plain = await app.show(await app.create(game="backgammon", cube=False))
    assert not {"matchLength", "cube"} & set(plain)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"matchLength": 26}, "malformed"),
        ({"matchLength": "7"}, "malformed"),
        ({"matchLength": 7, "beavers": True}, "unknown_option"),
        ({"jacoby": True}, "unknown_option"),
        ({"game": "checkers", "cube": True}, "unknown_option"),
    ],
    ids=str,
)
async def test_options_that_make_no_sense_are_refused(app: RestApp, options: dict[str, Any], code: str) -> None:
    body = {"game": "backgammon", "players": [ANN], **options}
    assert (await refused(app, "POST", "/v1/sessions", json=body))[:2] == (400, code)


async def test_the_result_of_a_match_has_its_score(app: RestApp) -> None:
    made = await app.create(game="backgammon", matchType="private", players=[ANN, BEN], matchLength=1)
    table = await app.seat(made["sessionToken"], (await app.join(made))["sessionToken"])
    await app.platform.tables.execute(table.id, OfferResignation(0, 2))
    await app.platform.tables.execute(table.id, AcceptResignation(1))
    result = (await app.show(made))["result"]
    assert (result["winner"], result["points"], result["result"], result["stake"]) == (
        table.seats[1].id,
        2,
        "gammon",
        1,
    )
    assert result["match"] == {"length": 1, "score": {"white": 0, "black": 2}, "isCrawford": False}
    proved = (await app.ask("GET", f"/v1/sessions/{made['sessionId']}/proof")).json()
    assert proof.prove(proved).is_good and proved["variant"] == "standard+match1"


@pytest.mark.parametrize("match_type", ["bot", "private"])
async def test_games_with_friends_and_bots_can_be_without_a_limit(app: RestApp, match_type: str) -> None:
    made = await app.create(matchType=match_type, timeControl={"type": "none"})
    assert made["timeControl"] == {"type": "none"}


async def test_each_kind_of_key_makes_its_own_modes(app: RestApp) -> None:
    test = app.tenant.test_key
    assert (await app.create(mode="test", key=test))["mode"] == "test"
    for mode in ("live", "training"):
        assert (await app.create(mode=mode))["mode"] == mode
        body = {"game": "checkers", "mode": mode, "players": [ANN]}
        text = f"Test API key cannot create {mode} sessions"
        assert await refused(app, "POST", "/v1/sessions", key=test, json=body) == (403, "forbidden", text)
    body = {"game": "checkers", "mode": "test", "players": [ANN]}
    text = "Live API key cannot create test sessions"
    assert await refused(app, "POST", "/v1/sessions", json=body) == (403, "forbidden", text)


async def test_in_training_no_one_has_a_name(app: RestApp) -> None:
    first, second = [await app.create(mode="training") for _ in range(2)]
    for made in (first, second):
        (player,) = made["players"]
        assert (player["displayName"], str(uuid.UUID(player["id"]))) == ("Player", player["id"])
    assert first["players"] != second["players"]


async def test_two_can_train_in_a_room_of_their_own(app: RestApp) -> None:
    made = await app.create(mode="training", playerCount=2)
    assert (made["matchType"], len(made["players"])) == ("private", 1)
    body = {"roomCode": made["roomCode"], "game": "checkers"}
    joined = (await app.ask("POST", "/v1/sessions/join", json=body)).json()
    assert joined["players"][1:] == made["players"]
    assert joined["players"][0]["displayName"] == "Player"
    table = await app.seat(made["sessionToken"], joined["sessionToken"])
    assert {seat.id for seat in table.seats} == {player["id"] for player in joined["players"]}


async def test_a_friend_joins_by_the_code_in_any_case_and_as_often_as_they_like(app: RestApp) -> None:
    made = await app.create(matchType="private", theme=THEME)
    assert re.fullmatch("[A-Z0-9]{6}", made["roomCode"])
    first = await app.join(made)
    again = await app.join({**made, "roomCode": made["roomCode"].lower()})
    for joined in (first, again):
        assert claims(joined.pop("sessionToken"))["players"] == [BEN, ANN]
        assert joined == {name: made[name] for name in joined} | {"players": [BEN, ANN]}
    assert (await app.show(made))["players"] == [ANN, BEN]


async def test_a_room_has_two_places(app: RestApp) -> None:
    made = await app.create(matchType="private", players=[ANN, BEN])
    assert claims((await app.join(made, BEN))["sessionToken"])["players"][0] == BEN
    body = {"roomCode": made["roomCode"], "game": "checkers"}
    third = {**body, "player": {"id": "eve", "displayName": "Eve"}}
    assert (await refused(app, "POST", "/v1/sessions/join", json=third))[:2] == (409, "room_full")
    assert claims((await app.join(made, ANN))["sessionToken"])["players"][0] == ANN  # the creator has one of them
    nobody = await refused(app, "POST", "/v1/sessions/join", json=body)
    assert nobody == (400, "malformed", "player is required")


async def test_a_code_opens_the_room_it_was_made_for_only(app: RestApp) -> None:
    made = await app.create(matchType="private")
    other = await app.server.tenants.create("Other")
    good = {"roomCode": made["roomCode"], "game": "checkers", "player": BEN}
    nowhere = (404, "not_found", "there is no open room with this code")
    for body, key in (
        ({**good, "game": "backgammon"}, None),
        ({**good, "roomCode": "AAAAA1"}, None),
        (good, other.live_key),
        (good, app.tenant.test_key),
    ):
        assert await refused(app, "POST", "/v1/sessions/join", key=key, json=body) == nowhere
    app.clock.ms += 600_000
    assert await refused(app, "POST", "/v1/sessions/join", json=good) == nowhere


async def test_a_session_is_seen_by_its_own_tenant_with_a_key_of_its_kind(app: RestApp) -> None:
    made = await app.create(mode="test", key=app.tenant.test_key)
    path = f"/v1/sessions/{made['sessionId']}"
    assert (await app.show(made, app.tenant.test_key))["mode"] == "test"
    other = await app.server.tenants.create("Other")
    for key in (app.tenant.live_key, other.test_key):
        for address in (path, f"{path}/proof"):
            assert await refused(app, "GET", address, key=key) == (404, "not_found", "there is no such session")


NOBODYS = "69a9f5fa-85fc-4d97-be9d-50cb19361e93"


@pytest.mark.parametrize("id", [NOBODYS, "x", "%00", "A" * 300, NOBODYS.upper()])
async def test_an_unknown_session_is_not_found(app: RestApp, id: str) -> None:
    assert await refused(app, "GET", f"/v1/sessions/{id}") == (404, "not_found", "there is no such session")


async def test_a_session_is_looked_up_in_its_game(app: RestApp) -> None:
    path = f"/v1/sessions/{(await app.create())['sessionId']}"
    assert (await app.ask("GET", path)).status_code == 200
    assert (await refused(app, "GET", f"{path}?game=backgammon"))[0] == 404
    wrong = await refused(app, "GET", f"{path}?game=chess")
    assert wrong == (400, "malformed", "Invalid game. Valid: checkers, backgammon")


async def test_a_session_goes_from_pending_over_active_to_ended(app: RestApp) -> None:
    made = await app.create(matchType="private")
    friend = await app.join(made)
    assert await app.show(made) == {
        "id": made["sessionId"],
        "game": "checkers",
        "mode": "live",
        "matchType": "private",
        "status": "pending",
        "players": [ANN, BEN],
        "result": None,
    }
    table = await app.seat(made["sessionToken"], friend["sessionToken"])
    assert (await app.show(made))["status"] == "active"
    app.clock.ms += 12_345
    await app.platform.tables.execute(table.id, OfferDraw(0))
    await app.platform.tables.execute(table.id, AcceptDraw(1))
    shown = await app.show(made)
    pdn = shown["result"].pop("pdn")
    assert shown["result"] == {"winner": None, "reason": "draw", "duration": 12, "moveCount": 0}
    assert shown["status"] == "ended"
    assert GAMES["checkers"].notation.read_games(pdn)[0].outcome == Outcome(None, "agreement")


async def test_a_token_tells_how_its_session_stands(app: RestApp) -> None:
    made = await app.create(matchType="private")
    friend = await app.join(made)
    path = f"/v1/sessions/validate?token={made['sessionToken']}"
    assert (await app.ask("GET", path, key="")).json() == {"status": "pending", "result": None}
    table = await app.seat(made["sessionToken"], friend["sessionToken"])
    app.clock.ms += 400_000
    assert (await app.ask("GET", path, key="")).json() == {"status": "active", "result": None}
    await app.platform.tables.execute(table.id, Resign(0))
    found = (await app.ask("GET", path, key="")).json()
    assert found == {"status": "ended", "result": (await app.show(made))["result"]}
    assert (found["result"]["winner"], found["result"]["reason"]) == (table.seats[1].id, "resignation")


@pytest.mark.parametrize("match_type", ["matchmaking", "private"])
async def test_a_session_that_expired_has_ended_without_a_result(app: RestApp, match_type: str) -> None:
    """Published clients ask before they connect, and show a result if the status is `ended`."""
    made = await app.create(matchType=match_type)
    path = f"/v1/sessions/validate?token={made['sessionToken']}"
    app.clock.ms += 300_000
    assert (await app.ask("GET", path, key="")).json() == {"status": "ended", "result": None}
    app.clock.ms += 300_000  # a private room waits longer than its token
    await app.platform.sweep()
    assert (await app.ask("GET", path, key="")).json() == {"status": "ended", "result": None}
    shown = await app.show(made)
    assert (shown["status"], shown["result"]) == ("ended", None)


@pytest.mark.parametrize("match_type", ["matchmaking", "bot", "agent"])
async def test_of_two_players_the_first_gets_the_session_unless_it_is_private(app: RestApp, match_type: str) -> None:
    """The request and the response of the published documents' first example."""
    made = await app.create(mode="test", matchType=match_type, players=[ANN, BEN], key=app.tenant.test_key)
    assert (made["players"], made["roomCode"], made["matchType"]) == ([ANN, BEN], None, match_type)
    assert claims(made["sessionToken"])["players"] == [ANN], "a token is for one player"
    assert (await app.show(made, app.tenant.test_key))["players"] == [ANN]


async def test_both_players_of_such_an_example_meet_each_with_a_token_of_their_own(app: RestApp) -> None:
    ann = await app.create(players=[ANN, BEN])
    ben = await app.create(players=[BEN, ANN])
    table = await app.seat(ann["sessionToken"], ben["sessionToken"])
    assert {seat.id for seat in table.seats} == {"ann", "ben"}


async def test_only_our_own_tokens_are_validated(app: RestApp) -> None:
    forged = jwt.encode({"sessionId": "x", "players": [ANN], "exp": 9e9}, "k" * 32, "HS256")
    plain = jwt.encode({"sessionId": "x", "players": [ANN], "exp": 9e9}, "", "none")
    for token in ("", "nonsense", "a.b.c", forged, plain, "é.%00.x"):
        answer = await app.ask("GET", "/v1/sessions/validate", key="", params={"token": token})
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert (await refused(app, "GET", "/v1/sessions/validate", key=""))[:2] == (400, "malformed")
    assert (await refused(app, "GET", f"/v1/sessions/validate?token={'x' * 9000}", key=""))[:2] == (400, "malformed")


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
async def test_a_finished_game_can_be_proved_from_its_record_and_from_its_proof(app: RestApp, game: str) -> None:
    made = await app.create(game=game, matchType="private", players=[ANN, BEN])
    friend = await app.join(made)
    table = await app.seat(made["sessionToken"], friend["sessionToken"])
    path = f"/v1/sessions/{made['sessionId']}/proof"
    early = await refused(app, "GET", path)
    assert early == (404, "not_found", "there is nothing to prove before a game has ended")
    table = await app.play(table)
    result = (await app.show(made))["result"]
    text = result["mat" if game == "backgammon" else "pdn"]
    (record,) = GAMES[game].notation.read_games(text)
    assert proof.prove_record(record).is_good
    document = (await app.ask("GET", path)).json()
    checked = proof.prove(document)
    assert checked.is_good
    assert checked.game.moves == record.moves == table.game.moves
    assert (document["table"], document["commitment"]) == (table.id, table.commitment)


async def test_a_backgammon_result_says_what_the_win_is_worth(app: RestApp) -> None:
    made = await app.create(game="backgammon", matchType="private", players=[ANN, BEN])
    friend = await app.join(made)
    table = await app.play(await app.seat(made["sessionToken"], friend["sessionToken"]))
    assert table.outcome is not None and table.outcome.winner is not None
    result = (await app.show(made))["result"]
    assert result.pop("mat")
    assert result == {
        "winner": table.seats[table.outcome.winner].id,
        "reason": "victory",
        "duration": round((app.clock.ms - NOW) / 1000),
        "moveCount": table.moves,
        "points": table.outcome.points,
        "result": ("single", "gammon", "backgammon")[table.outcome.points - 1],
    }


async def test_webhooks_are_promised_for_live_sessions_of_who_wants_them(app: RestApp) -> None:
    hooked = await app.server.tenants.create("Told", "http://127.0.0.1:9/hook")
    found = [
        (await app.create(mode=mode, key=key))["webhooksEnabled"]
        for mode, key in (
            ("live", hooked.live_key),
            ("training", hooked.live_key),
            ("test", hooked.test_key),
        )
    ]
    assert found == [True, False, False]


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
async def test_the_game_of_an_ended_session_can_be_analyzed(app: RestApp, game: str) -> None:
    made = await app.create(game=game, matchType="private", players=[ANN, BEN])
    path = f"/v1/sessions/{made['sessionId']}/analysis"
    assert await refused(app, "POST", path) == (404, "not_found", "this session has no game")
    table = await app.play(await app.seat(made["sessionToken"], (await app.join(made))["sessionToken"]), most=6)
    await app.analyse(table, signature(game))
    assert await refused(app, "POST", path) == (409, "not_over", "only finished games can be analyzed")
    assert (await app.ask("GET", path)).json()["state"] == "none"
    table = (await app.platform.tables.execute(table.id, Resign(0))).table
    await app.analyse(table, signature(game))
    shown = (await app.ask("GET", path)).json()
    assert (await app.ask("POST", path)).json() == shown
    assert (shown["state"], shown["colors"]) == ("done", list(codec(game).rooms.colors))
    for move in shown["moves"]:
        position = table.game.rules.notation.read_position(move["position"])
        best = codec(game).rooms.parse_move(position, move["best"]["move"])
        assert table.game.rules.notation.write_move(position, best) == move["best"]["notation"]
    some = len(shown["moves"]) - 1
    assert (await app.ask("GET", f"{path}?after={some}")).json() == shown | {"moves": shown["moves"][some:]}


async def test_another_tenants_games_are_neither_analyzed_nor_shown(app: RestApp) -> None:
    made = await app.create(matchType="private", players=[ANN, BEN])
    await app.seat(made["sessionToken"], (await app.join(made))["sessionToken"])
    other = await app.server.tenants.create("Other", None)
    for method in ("GET", "POST"):
        found = await refused(app, method, f"/v1/sessions/{made['sessionId']}/analysis", key=other.live_key)
        assert found == (404, "not_found", "there is no such session")
