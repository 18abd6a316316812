"""Takebacks, hints, explanations, boards of earlier moves, phrases and the results of rematches."""

from __future__ import annotations

from typing import Any

import pytest

from .app import App, seated
from .player import ClientKind, Player
from .shapes import refused, wait_for_over

every_game = pytest.mark.parametrize("game", ["checkers", "backgammon"])
PYTHON = ClientKind("python", "websocket")
BOARD = {"checkers": ("board",), "backgammon": ("board", "bar", "off", "dice", "pipCounts")}


def practising(app: App, game: str, kind: ClientKind = PYTHON) -> Player:
    """A guest against a bot, who is to move."""
    player = app.guest("Gus", kind, game, wantsBot=True, botDifficulty="easy")
    player.begin()
    assert player.started["practice"] is True
    return player


def state(player: Player) -> dict[str, Any]:
    """The whole state, with the player to move."""
    while True:
        player.must("game:reconnect", {"playerId": player.id})
        found: dict[str, Any] = player.wait("game:reconnected")
        if found["currentPlayerId"] == player.id and found.get("dice") != []:
            return found
        player.wait("game:move:made")


def first_move(player: Player) -> dict[str, Any]:
    moves = player.act("game:get_moves", ackOnly=True)["moves"]
    return {"moves": moves[0]} if player.game == "backgammon" else moves[0]


@every_game
def test_a_move_and_its_reply_are_taken_back(app: App, game: str) -> None:
    player = practising(app, game)
    before = state(player)
    player.act("game:move", move=first_move(player))
    after = state(player)
    assert len(after["moveHistory"]) >= len(before["moveHistory"]) + 2
    version = player.act("game:takeback")["version"]
    taken = player.wait("game:takeback:made")
    assert (taken["playerId"], taken["version"], taken["part"]) == (player.id, version, 0)
    assert taken["movesTakenBack"] == len(after["moveHistory"]) - len(before["moveHistory"])
    for name in (*BOARD[game], "moveHistory", "currentTurn", "currentPlayerId", "currentColor"):
        assert taken[name] == before[name]
    back = state(player)
    assert {name: back[name] for name in BOARD[game]} == {name: before[name] for name in BOARD[game]}
    player.act("game:move", move=first_move(player))
    again = state(player)
    assert again["moveHistory"][: len(before["moveHistory"])] == before["moveHistory"]


@every_game
def test_a_player_who_was_away_during_a_takeback_gets_it_and_what_followed(app: App, game: str) -> None:
    player = practising(app, game)
    state(player)
    player.act("game:move", move=first_move(player))
    seen = state(player)
    other = app.reconnect(player)
    other.must("game:reconnect", {"playerId": other.id})
    player.act("game:move", move=first_move(player))
    state(player)
    player.act("game:takeback")
    player.act("game:move", move=first_move(player))
    now = state(player)
    late = app.reconnect(player)
    late.must("game:reconnect", {"playerId": late.id, "version": seen["version"]})
    assert late.wait("game:reconnected")["moveHistory"] == now["moveHistory"]
    news = [event for event in late.events if event.name in ("game:takeback:made", "game:move:made")]
    assert news[0].name == "game:takeback:made"
    assert news[0].payload["moveHistory"] == seen["moveHistory"]
    assert news[-1].payload["moveHistory"] == now["moveHistory"]
    assert other.wait("game:takeback:made") == player.wait("game:takeback:made")


def test_between_people_nothing_is_taken_back_or_hinted(app: App) -> None:
    first, _ = app.pair()
    assert first.started["practice"] is False
    for event in ("game:takeback", "game:hint"):
        refused(first, event, first.own(), "only_in_practice")
    refused(first, "game:tutor", first.own(move=first_move(first)), "only_in_practice")


def test_a_rated_game_against_a_bot_is_no_practice(app: App) -> None:
    player = app.enter(app.session("Ann", matchType="bot", botDifficulty="easy"))
    player.begin()
    refused(player, "game:takeback", player.own(), "only_in_practice")
    refused(player, "game:tutor", player.own(move=first_move(player)), "only_in_practice")


def test_nothing_is_taken_back_before_the_first_move(app: App) -> None:
    player = practising(app, "checkers")
    refused(player, "game:takeback", player.own(), "nothing_to_take_back")


@every_game
def test_a_hint_is_one_of_the_legal_moves(app: App, game: str) -> None:
    player = practising(app, game)
    version = state(player)["version"]
    player.act("game:hint")
    hint = player.wait("game:hint:found")
    assert (hint["roomId"], hint["version"]) == (player.room, version)
    assert hint["notation"]
    player.act("game:move", move=hint["move"])


@every_game
def test_the_tutor_says_what_a_move_would_give_away(app: App, game: str) -> None:
    player = practising(app, game)
    version = state(player)["version"]
    move = first_move(player)
    player.act("game:tutor", move=move)
    advice = player.wait("game:tutor:found")
    assert (advice["roomId"], advice["version"]) == (player.room, version)
    assert advice["loss"] >= 0 and advice["best"]["notation"]
    assert (advice["mark"] is None) == (advice["loss"] < (0.1 if game == "checkers" else 0.04))
    assert advice["loss"] == 0 or advice["best"]["notation"] != advice["notation"]
    nowhere = {"from": 1, "to": 1}
    refused(player, "game:tutor", player.own(move=nowhere | {"moves": [nowhere]}), "illegal_move")
    player.act("game:move", move=advice["best"]["move"])


@every_game
def test_the_boards_are_those_of_the_history(app: App, game: str) -> None:
    player = practising(app, game)
    history = state(player)["moveHistory"]  # first: it waits for a bot that opens the game
    assert len(player.act("game:boards")["boards"]) == len(history) + 1
    player.act("game:move", move=first_move(player))
    now = state(player)
    boards = player.act("game:boards")["boards"]
    assert len(boards) == len(now["moveHistory"]) + 1
    if game == "checkers":
        letters = {None: ".", ("red", "man"): "r", ("black", "man"): "b"}
        packed = [letters[piece and (piece["player"], piece["type"])] for piece in now["board"]]
        assert boards[-1] == "".join(packed)
    else:
        assert boards[-1]["board"] == now["board"]


def test_a_piece_that_cannot_move_says_why(app: App) -> None:
    first, second = app.pair()
    ask = {"position": 62, "explain": True, "ackOnly": True}
    assert first.act("game:get_moves", **ask)["refusal"]["reason"] == "blocked"
    assert set(first.act("game:get_moves", **ask)["refusal"]["places"]) <= set(range(64))
    assert first.act("game:get_moves", position=40, explain=True)["refusal"] is None
    assert first.act("game:get_moves", position=40, target=26, explain=True)["refusal"]["reason"] == "unreachable"
    assert second.act("game:get_moves", **ask)["refusal"] == {"reason": "not_your_turn", "places": []}
    assert "refusal" not in first.act("game:get_moves", position=62)
    refused(first, "game:get_moves", first.own(position="x", explain=True), "malformed")


def test_a_point_that_is_blocked_says_so(app: App) -> None:
    player = practising(app, "backgammon")
    state(player)
    answers = [player.act("game:get_moves", position=point, soFar=[], explain=True) for point in range(1, 25)]
    reasons = {answer["refusal"]["reason"] for answer in answers if answer["refusal"]}
    assert reasons <= {"empty", "not_yours", "blocked", "both_dice", "not_home"} and {"empty", "not_yours"} <= reasons
    assert any(answer["refusal"] is None and answer["moves"] for answer in answers)


def test_a_phrase_reaches_both_players_and_nobody_else(app: App) -> None:
    first, second = app.pair()
    spectator = app.connect("Eve")
    spectator.must("game:spectate", {"roomId": first.room, "username": "Eve"})
    first.act("game:phrase", phrase="well_played")
    said = {"roomId": first.room, "playerId": first.id, "phrase": "well_played"}
    assert first.wait("game:phrase:said") == second.wait("game:phrase:said") == said
    assert not spectator.heard("game:phrase:said")
    refused(first, "game:phrase", first.own(phrase="anything else"), "malformed")


def test_only_so_much_is_said_at_once(app: App) -> None:
    first, _ = app.pair()
    for _ in range(5):
        first.act("game:phrase", phrase="hello")
    refused(first, "game:phrase", first.own(phrase="hello"), "too_many_phrases")
    first.act("game:resign")  # the connection is still there


def test_bots_are_not_talked_to(app: App) -> None:
    player = practising(app, "checkers")
    refused(player, "game:phrase", player.own(phrase="hello"), "forbidden")


def test_rematches_count_the_results(app: App) -> None:
    first, second = players = app.pair((PYTHON, PYTHON))
    assert "series" not in first.started
    first.act("game:resign")
    assert "series" not in wait_for_over(players)
    for player in players:
        player.act("game:rematch")
    seated(*players)
    assert first.started["series"] == second.started["series"] == {"wins": [1, 0], "draws": 0}
    second.act("game:resign")
    assert [player.wait("game:over")["series"] for player in players] == [{"wins": [1, 1], "draws": 0}] * 2
