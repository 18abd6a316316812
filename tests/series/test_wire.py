"""A series says the same as the arena does, and understands the same."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from ludus.client.positions import action_of
from ludus.core.errors import AmbiguousMove, BadMove, IllegalMove, MalformedMove
from ludus.core.game import Game
from ludus.core.rules import Turn
from ludus.engines.engine import roll
from ludus.games import GAMES
from ludus.series.contender import Resignation
from ludus.series.wire import move_of, state_of
from ludus.server.arena.views import VIEWS
from ludus.service.table import Limits, Opening, Seat, SeatKind, Table

each_game = pytest.mark.parametrize("name", GAMES)


def table_of(game: Game[Any, Any]) -> Table:
    seats = (Seat("agent/a", "a", "A", SeatKind.AGENT), Seat("agent/b", "b", "B", SeatKind.AGENT))
    opening = Opening("m1", game.rules.name, "fast", "arena", seats, Limits(None, None, None), False, None)
    return Table(opening, game, version=1, opened_at=0, turn_since=0, players=())


def random_games(name: str, number: int, variant: str = "standard") -> Any:
    """Games at each of the players' turns."""
    for seed in range(number):
        game, rng = Game(GAMES[name], variant), Random(seed)
        while game.turn is not Turn.OVER:
            if game.turn is Turn.DICE:
                game.play(roll(game.rules, game.position, rng))
                continue
            yield game
            game.play(rng.choice(game.legal_moves()))


@each_game
def test_an_agent_sees_what_the_arena_would_show_it(name: str) -> None:
    turns = 0
    for game in random_games(name, 3):
        state = state_of(game)
        seen = {field: value for field, value in state["view"].items() if field not in ("you", "currentPlayer")}
        shown = VIEWS[name].view(table_of(game), is_to_move=True)
        color = VIEWS[name].colors[game.turn.player]
        assert seen == {**shown, "yourColor": color, "isYourTurn": True}
        assert state["view"]["you"] == state["view"]["currentPlayer"]
        turns += 1
    assert turns > 100


@each_game
def test_what_is_offered_is_understood_as_the_arena_would(name: str) -> None:
    for game in random_games(name, 2):
        for move in game.legal_moves():
            action = action_of(game.position, move)
            found = move_of(game, action)
            arena = VIEWS[name].read(action).choose
            assert arena is not None
            assert game.rules.play(game.position, found) == game.rules.play(game.position, arena(game.position))


def test_steps_may_come_in_another_order() -> None:
    game = Game(GAMES["backgammon"])
    game.play("31")
    for action in ([(8, 5), (6, 5)], [(6, 5), (8, 5)]):
        steps = [{"from": source, "to": target} for source, target in action]
        after = game.rules.play(game.position, move_of(game, {"type": "move", "moves": steps}))
        assert after.white.on(5) == 2


def test_a_resignation_is_understood() -> None:
    assert move_of(Game(GAMES["checkers"]), {"type": "resign"}) == Resignation()


@pytest.mark.parametrize(("action", "kind"), [
    ({}, MalformedMove),
    ({"type": "dance"}, MalformedMove),
    ({"type": "move"}, IllegalMove),
    ({"type": "move", "from": 11, "to": 16, "captures": 3}, MalformedMove),
    ({"type": "move", "from": 11, "to": 16, "captures": [7]}, IllegalMove),
    ({"type": "move", "from": 11, "to": 16, "path": [11, 15]}, IllegalMove),
    ({"type": "move", "from": 11, "to": 20}, IllegalMove),
    ({"type": "move", "from": [11], "to": {}}, IllegalMove),
])  # fmt: skip
def test_what_is_no_move_of_checkers_is_refused(action: dict[str, Any], kind: type[BadMove]) -> None:
    with pytest.raises(kind):
        move_of(Game(GAMES["checkers"]), action)


@pytest.mark.parametrize(("moves", "kind"), [
    (None, MalformedMove),
    ([{"from": 8, "to": 5}] * 5, MalformedMove),
    ([{"from": 0, "to": 5}], MalformedMove),
    ([{"from": [], "to": 5}], MalformedMove),
    (["8/5"], MalformedMove),
    ([{"from": 8, "to": 5}], IllegalMove),
    ([], IllegalMove),
    ([{"from": "bar", "to": 22}, {"from": 24, "to": 23}], IllegalMove),
])  # fmt: skip
def test_what_is_no_play_of_backgammon_is_refused(moves: Any, kind: type[BadMove]) -> None:
    game = Game(GAMES["backgammon"])
    game.play("31")
    with pytest.raises(kind):
        move_of(game, {"type": "move", "moves": moves})


def test_chains_with_the_same_ends_are_told_apart() -> None:
    rules = GAMES["checkers"]
    game = Game(rules, start=rules.notation.read_position("B:W6,7,14,15:B2"))
    ends: dict[tuple[int, int], set[Any]] = {}
    for move in game.legal_moves():
        ends.setdefault((move.origin, move.landing), set()).add(frozenset(move.captures))
    (origin, landing), _ = next(item for item in ends.items() if len(item[1]) > 1)
    action = {"type": "move", "from": origin, "to": landing}
    with pytest.raises(AmbiguousMove):
        move_of(game, action)
    for move in game.legal_moves():
        if (move.origin, move.landing) == (origin, landing):
            assert set(move_of(game, {**action, "captures": list(move.captures)[::-1]}).captures) == set(move.captures)
            assert move_of(game, {**action, "path": list(move.path)}) == move
