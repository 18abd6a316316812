"""Messages match the record, in order, and contain nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from random import Random
from typing import Any, NamedTuple

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.room_schemas import problems
from tests.service.games import SEATS, finished_game
from tests.service.parts import opening, random_play

from ludus.core.game import Game
from ludus.games import ABOUT, GAMES
from ludus.games.backgammon.match import match_games
from ludus.server.rooms.messages import Forms, MessageRenderer
from ludus.service.clock import Moment
from ludus.service.commands import (
    Abort,
    AcceptDraw,
    AcceptResignation,
    AskRematch,
    Command,
    DeclineDraw,
    DeclineResignation,
    Leave,
    OfferDraw,
    OfferResignation,
    Play,
    Refuse,
    Resign,
    Return,
    TakeBack,
    Tick,
)
from ludus.service.decisions import NothingToTakeBack, decide, open_table
from ludus.service.records import Event
from ludus.service.table import EventKind, SeatKind, Table, folded
from ludus.wire import codec

every_game = pytest.mark.parametrize("game", GAMES)
IDS = [seat.id for seat in SEATS]
MATCH = ("backgammon", "standard+match5")


class Read(NamedTuple):
    """A message as a client decodes it."""

    event: str
    data: Any


def rendered(events: Iterable[Event], table: Table, *, is_compact: bool = False) -> list[Read]:
    """All messages, as a client decodes them."""
    renderer = MessageRenderer(table)
    messages = [message for event in events for message in renderer.render(event, table)]
    return [Read(each.event, orjson.loads(orjson.dumps(each.form(is_compact=is_compact)))) for each in messages]


def after(
    *commands: tuple[float, Command], game: str = "checkers", has_bot: bool = False, variant: str = "standard"
) -> tuple[list[Event], Table]:
    """A table that received these commands at these seconds; the second player may be a bot."""
    wanted = opening(game)._replace(variant=variant)
    if has_bot:
        wanted = wanted._replace(seats=(wanted.seats[0], wanted.seats[1]._replace(kind=SeatKind.BOT)))
    decision = open_table(wanted, Moment(0, 0))
    events = [decision.event]
    for seconds, command in commands:
        found = decide(decision.after, command, Moment(round(seconds * 1000), round(seconds * 1000)))
        assert found is not None
        decision = found
        events.append(decision.event)
    return events, decision.after


def first(seat: int) -> Play:
    return Play(seat, ("11-16", "22-18")[seat])


def last_of(*commands: tuple[float, Command], game: str = "checkers") -> Read:
    return rendered(*after(*commands, game=game))[-1]


@every_game
def test_every_move_and_roll_is_rendered_once_and_in_order(game: str) -> None:
    events = finished_game(game).events
    table = folded(events)
    rules, record = table.game.rules, table.game
    expected = [
        "game:dice" if rules.chances(record.position_at(number)) else "game:move:made"
        for number in range(record.length)
    ]
    names = [name for name, _ in rendered(events, table) if name in ("game:dice", "game:move:made")]
    assert names == expected


@every_game
def test_a_move_comes_with_the_board_and_the_turn_after_it(game: str) -> None:
    events = finished_game(game).events
    table, rooms = folded(events), codec(game).rooms
    record = table.game
    at = 0
    for name, data in rendered(events, table):
        if name not in ("game:dice", "game:move:made"):
            continue
        before, move, now = record.position_at(at), record.move_at(at), record.position_at(at + 1)
        at += 1
        assert (data["currentTurn"], data["currentPlayerId"]) == (now.mover, IDS[now.mover])
        assert data["currentColor"] == rooms.colors[now.mover]
        if name == "game:dice":
            assert (data["dice"], data["playerId"]) == (rooms.board(now)["dice"], IDS[now.mover])
            assert set(data["dice"]) == set(move)
        else:
            assert data["playerId"] == IDS[before.mover]
            assert data["move"] == rooms.move(before, move)
            assert {"becameKing": data["becameKing"]} == rooms.move_fields(before, move, now)
            assert {key: data[key] for key in rooms.board(now)} == rooms.board(now)
    assert at == record.length


@every_game
def test_the_history_grows_by_each_move(game: str) -> None:
    events = finished_game(game).events
    history: list[Any] = []
    by_version = {event.version: event for event in events}
    for name, data in rendered(events, folded(events)):
        if name == "game:move:made":
            at = by_version[data["version"]].at
            history.append({"move": data["move"], "playerId": data["playerId"], "timestamp": at})
            shown = [{name: each[name] for name in history[0]} for each in data["moveHistory"]]
            assert shown == history
    assert len(history) == finished_game(game).row.moves


def test_the_history_of_backgammon_has_the_dice_and_the_notation_of_each_move() -> None:
    table = folded(events := finished_game("backgammon").events)
    record, dice, last = table.game, list[Any](), list[Any]()
    for name, data in rendered(events, table):
        if name == "game:dice":
            dice.append(data["dice"])
        elif name == "game:move:made":
            last = data["moveHistory"]
            assert [entry["dice"] for entry in last] == dice
    plays = [at for at in range(record.length) if not record.rules.chances(record.position_at(at))]
    write = record.rules.notation.write_move
    assert [entry["notation"] for entry in last] == [write(record.position_at(at), record.move_at(at)) for at in plays]


def test_the_history_of_checkers_has_no_dice() -> None:
    *_, made = (data for name, data in rendered(*after((1, first(0)))) if name == "game:move:made")
    assert made["moveHistory"][0].keys() == {"move", "playerId", "timestamp"}


@every_game
def test_the_parts_of_each_version_count_from_zero(game: str) -> None:
    events = finished_game(game).events
    table = folded(events)
    renderer = MessageRenderer(table)
    for event in events:
        messages = renderer.render(event, table)
        places = [(each.data["version"], each.data["part"], each.data["roomId"]) for each in messages]
        assert places == [(event.version, part, table.id) for part in range(len(messages))]
        assert renderer.version == event.version


@every_game
def test_the_end_is_rendered_once_and_last(game: str) -> None:
    events = finished_game(game).events
    table = folded(events)
    messages = rendered(events, table)
    assert [name for name, _ in messages].count("game:over") == 1
    name, data = messages[-1]
    outcome = table.outcome
    assert outcome is not None
    winner = None if outcome.winner is None else IDS[outcome.winner]
    assert (name, data["winner"]) == ("game:over", winner)
    assert data["reason"] == ("draw" if winner is None else "victory")


def test_the_end_of_backgammon_has_points_and_the_seed_of_the_dice() -> None:
    table = folded(events := finished_game("backgammon").events)
    data = rendered(events, table)[-1].data
    assert table.outcome is not None
    assert table.opening.seed is not None
    assert data["points"] == table.outcome.points
    assert data["result"] == ("single", "gammon", "backgammon")[table.outcome.points - 1]
    assert data["dice"] == {"commitment": table.commitment, "seed": table.opening.seed.hex()}


def test_a_draw_is_worth_nothing_where_wins_have_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ABOUT._found, "checkers", ABOUT["checkers"]._replace(wins=("plain", "double")))  # type: ignore[attr-defined]  # what the registry has found
    over = last_of((1, OfferDraw(0)), (2, AcceptDraw(1))).data
    assert (over["winner"], over["reason"], over["points"], over["result"]) == (None, "draw", 0, None)
    won = last_of((1, Resign(0))).data
    assert (won["points"], won["result"]) == (1, "plain")


def test_the_end_of_checkers_has_neither_points_nor_dice() -> None:
    events = finished_game("checkers").events
    assert rendered(events, folded(events))[-1].data.keys() == {"winner", "reason", "roomId", "version", "part"}


@every_game
@settings(max_examples=8)
@given(data=st.data())
def test_messages_are_the_same_however_far_the_table_is_ahead(game: str, data: st.DataObject) -> None:
    events = finished_game(game).events
    whole = folded(events)
    cut = data.draw(st.integers(1, len(events)))
    assert rendered(events[:cut], folded(events[:cut])) == rendered(events[:cut], whole)


@every_game
@settings(max_examples=8)
@given(data=st.data())
def test_the_state_is_that_after_the_last_message(game: str, data: st.DataObject) -> None:
    events = finished_game(game).events
    table = folded(events)
    cut = data.draw(st.integers(1, len(events)))
    renderer = MessageRenderer(table)
    for event in events[:cut]:
        renderer.render(event, table)
    state, then = renderer.state(table), folded(events[:cut])
    board = codec(game).rooms.board(then.game.position)
    assert {key: state[key] for key in board} == board
    assert (state["version"], state["roomId"], state["game"]) == (cut, table.id, game)
    assert state["currentTurn"] == then.game.position.mover
    assert len(orjson.loads(orjson.dumps(renderer.history()))) == then.moves


def test_a_pass_is_rendered_as_a_move_that_passed() -> None:
    events = finished_game("backgammon").events
    table = folded(events)
    record: Game[Any, Any] = table.game
    shown = [data for name, data in rendered(events, table) if name == "game:move:made"]
    assert [data["passed"] for data in shown] == [
        move == record.rules.pass_move
        for number, move in enumerate(record.moves)
        if not record.rules.chances(record.position_at(number))
    ]
    passed = [data for data in shown if data["passed"]]
    assert passed
    assert all(data["move"] == {"moves": []} for data in passed)
    assert "passed" not in rendered(*after((1, first(0))))[-1].data


def test_a_warning_has_the_time_left_and_is_cleared_by_a_move() -> None:
    events, table = after((60, Tick()), (70, first(0)), (80, first(1)))
    messages = rendered(events, table)
    assert [name for name, _ in messages] == [
        "checkers:afk_warning",
        "checkers:afk_warning_cleared",
        "game:move:made",
        "game:move:made",
    ]
    assert (messages[0].data["playerId"], messages[0].data["secondsRemaining"]) == ("ann", 30)


def test_a_warning_in_backgammon_has_its_own_name() -> None:
    events, table = after((60, Tick()), game="backgammon")
    name, data = rendered(events, table)[-1]
    assert (name, data["playerId"]) == ("backgammon:afk_warning", table.seats[table.mover or 0].id)


@pytest.mark.parametrize(
    ("commands", "winner", "reason"),
    [
        ([(1, Resign(0))], "ben", "resignation"),
        ([(1, OfferDraw(0)), (2, AcceptDraw(1))], None, "draw"),
        ([(60, Tick()), (90, Tick())], "ben", "afk_timeout"),
        ([(1, Leave(1)), (62, Tick())], "ann", "disconnect"),
    ],
)
def test_the_other_ways_to_end_are_rendered_too(
    commands: list[tuple[float, Command]], winner: str, reason: str
) -> None:
    name, data = last_of(*commands)
    assert (name, data["winner"], data["reason"]) == ("game:over", winner, reason)


def test_a_game_resigned_after_moves_is_over_once() -> None:
    names = [name for name, _ in rendered(*after((1, first(0)), (2, first(1)), (3, Resign(1))))]
    assert names == ["game:move:made", "game:move:made", "game:over"]


def test_a_resigned_game_of_backgammon_is_a_single_game() -> None:
    data = last_of((1, Resign(0)), game="backgammon").data
    assert (data["points"], data["result"]) == (1, "single")
    assert "seed" in data["dice"]


@pytest.mark.parametrize(
    ("commands", "name", "data"),
    [
        ([(1, Leave(0, "s1"))], "player:disconnected", {"playerId": "ann", "secondsRemaining": 60, "socketId": "s1"}),
        ([(1, Leave(0)), (2, Return(0))], "player:reconnected", {"playerId": "ann"}),
        ([(1, OfferDraw(1))], "game:draw:offered", {"playerId": "ben"}),
        ([(1, OfferDraw(1)), (2, DeclineDraw(0))], "game:draw:declined", {"playerId": "ann"}),
        ([(1, Resign(1)), (2, AskRematch(0, "next"))], "game:rematch:offered", {"playerId": "ann"}),
        (
            [(1, Resign(1)), (2, AskRematch(0, "x")), (3, AskRematch(1, "next"))],
            "game:rematch:agreed",
            {"playerId": "ben", "nextRoomId": "next"},
        ),
    ],
)
def test_other_events_are_rendered_as_one_message(
    commands: list[tuple[float, Command]], name: str, data: dict[str, Any]
) -> None:
    found = last_of(*commands)
    place = {"version": len(commands) + 1, "part": 0, "roomId": found.data["roomId"]}
    assert found == Read(name, data | place)


def test_every_kind_of_event_has_a_message_except_an_opening_without_dice() -> None:
    before: list[tuple[float, Command]] = [(60, Tick()), (61, first(0)), (62, OfferDraw(0)), (63, DeclineDraw(1))]
    before += [(64, Leave(1)), (65, Return(1))]
    endings: list[list[tuple[float, Command]]] = [
        [(66, Resign(0)), (67, AskRematch(0, "x")), (68, AskRematch(1, "x"))],
        [(66, OfferDraw(1)), (67, AcceptDraw(0))],
        [(200, Tick())],
        [(66, Refuse(0, 1))],
        [(66, Abort(None, "cancelled"))],
        [(66, TakeBack(0))],
    ]
    offers: list[tuple[float, Command]] = [(1, OfferResignation(0, 1)), (2, DeclineResignation(1))]
    offers += [(3, OfferResignation(0, 2)), (4, AcceptResignation(1))]
    seen = set()
    for ending in endings:
        events, table = after(*before, *ending, has_bot=ending[-1][1] == TakeBack(0))
        versions = {data["version"] for _, data in rendered(events, table)}
        assert versions == {event.version for event in events[1:]}
        seen |= {EventKind(event.kind) for event in events}
    events, table = after(*offers, game="backgammon")
    assert {data["version"] for _, data in rendered(events, table)} == {event.version for event in events}
    seen |= {EventKind(event.kind) for event in events}
    assert seen == set(EventKind) - {EventKind.REFUSED}


def test_an_agents_refused_action_has_no_message() -> None:
    assert [data["version"] for _, data in rendered(*after((1, Refuse(0, 9)), (2, first(0))))] == [3]


def completed(message: dict[str, Any], board: dict[str, Any], history: list[Any]) -> dict[str, Any]:
    """A compact message as a client completes it, from what it has seen."""
    data = dict(message)
    record, number, changes = data.pop("record"), data.pop("moveNumber"), data.pop("changes")
    for name, entries in changes.items():
        data[name] = [entries.get(str(at), last) for at, last in enumerate(board[name])]
    entry = {"move": data["move"], "playerId": data["playerId"], **record}
    return {**data, "moveHistory": [*history[: number - 1], entry]}


@pytest.mark.parametrize("variant", ["standard+cube+jacoby+beavers", "standard+match5"])
@pytest.mark.parametrize("is_compact", [False, True])
def test_the_messages_of_a_match_are_as_their_schemas_say(variant: str, is_compact: bool) -> None:
    events = finished_game("backgammon", variant=variant).events
    table, kind = folded(events), "received compact" if is_compact else "received"
    messages = rendered(events, table, is_compact=is_compact)
    assert [problems("backgammon", kind, name, data) for name, data in messages] == [[]] * len(messages)
    over = messages[-1].data
    assert over["points"] % over["stake"] == 0
    games = [data["ended"] for _, data in messages if "ended" in data]
    if variant.endswith("match5"):
        assert over["match"]["score"] == games[-1]["score"] and max(games[-1]["score"].values()) >= 5
        assert [each["points"] for each in games] == [
            part.outcome.points for part in match_games(table.game) if part.outcome
        ]
    else:
        assert not games and "match" not in over


@pytest.mark.parametrize("sees_rolls", [False, True])
@pytest.mark.parametrize(("game", "variant"), [*((game, "standard") for game in GAMES), MATCH])
def test_a_compact_message_completes_to_the_whole_one(game: str, variant: str, sees_rolls: bool) -> None:
    """Of a client that was there when the dice were rolled, and of one that got the state after the roll."""
    events = finished_game(game, variant=variant).events
    table = folded(events)
    board, history = codec(game).rooms.board(table.game.position_at(0)), list[Any]()
    at = 0
    for whole, compact in zip(rendered(events, table), rendered(events, table, is_compact=True), strict=True):
        assert whole.event == compact.event
        if whole.event == "game:dice":
            at += 1
            board |= codec(game).rooms.board(table.game.position_at(at)) if sees_rolls else {"dice": whole.data["dice"]}
        elif whole.event == "game:move:made":
            at += 1
            done = completed(compact.data, board, history)
            assert done == whole.data
            board, history = {name: done[name] for name in board}, done["moveHistory"]
        else:
            assert compact == whole
    assert len(history) > 10


def test_a_compact_move_is_short_however_long_the_game() -> None:
    events = finished_game("checkers").events
    moves = [each for each in rendered(events, folded(events), is_compact=True) if each.event == "game:move:made"]
    assert max(len(orjson.dumps(each.data)) for each in moves) < 600
    assert all({"board", "moveHistory"}.isdisjoint(each.data) for each in moves)


def test_a_form_that_nobody_wants_is_not_built() -> None:
    events, table = after((1, first(0)))
    for forms in (Forms(whole=True, compact=False), Forms(whole=False, compact=True)):
        renderer = MessageRenderer(table)
        (made,) = [message for event in events for message in renderer.render(event, table, forms)]
        assert (made.data is not None, made.compact is not None) == forms


@pytest.mark.parametrize(("game", "variant"), [*((game, "standard") for game in GAMES), MATCH])
@given(st.integers(0, 14), st.integers(0, 1_000_000))
@settings(max_examples=25)
def test_a_history_with_takebacks_is_the_line_that_stands(game: str, variant: str, commands: int, seed: int) -> None:
    """Also for a client that gets the messages of a table that is ahead of them."""
    rng = Random(seed)
    events, table = after(game=game, has_bot=True, variant=variant)
    for number in range(commands if variant == "standard" else 3 * commands):
        if table.outcome:
            break
        command = TakeBack(0) if rng.random() < 0.3 else random_play(table, rng)
        with suppress(NothingToTakeBack):
            decision = decide(table, command, Moment(number, number))
            assert decision is not None
            events, table = [*events, decision.event], decision.after
    renderer = MessageRenderer(table)
    history: list[Any] = []
    for event in events:
        for message in renderer.render(event, table):
            history = orjson.loads(orjson.dumps(message.data)).get("moveHistory", history)
    assert [(entry["move"], entry["playerId"]) for entry in history] == replay_of(table)
    board = codec(game).rooms.board(table.game.position)
    if "match" in board:
        board["match"]["game"] = len(match_games(table.game))
    assert {key: renderer.state(table)[key] for key in board} == board


def replay_of(table: Table) -> list[tuple[Any, str]]:
    """The moves that stand, with who made them."""
    record, rooms = table.game, codec(table.opening.game).rooms
    pairs = [(record.position_at(number), record.move_at(number)) for number in range(record.length)]
    return [
        (rooms.move(before, move), table.seats[record.rules.maker(before, move) or 0].id)
        for before, move in pairs
        if not record.rules.chances(before)
    ]
