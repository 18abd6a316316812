"""Verdicts as they are kept, and whose they are."""

from __future__ import annotations

from random import Random
from typing import Any

import orjson
import pytest

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.engines.engine import Limit, Line, roll
from ludus.engines.review import Verdict, review
from ludus.games import GAMES
from ludus.service import analysis_record
from ludus.service.analysis_record import expected, read, signature, written


def played(name: str, seed: int) -> Game[Any, Any]:
    """A game by chance, to its end."""
    game: Game[Any, Any] = Game(GAMES[name])
    rng = Random(seed)
    while game.outcome is None:
        is_roll = game.rules.chances(game.position)
        game.play(roll(game.rules, game.position, rng) if is_roll else rng.choice(game.legal_moves()))
    return game


def judged(game: Game[Any, Any]) -> list[Verdict]:
    """By an engine that expects the first move of each list, as long as no dice are to be rolled."""
    rules = game.rules

    def line(position: Any, move: Any, value: float) -> Line[Any]:
        moves = [move]
        position = rules.play(position, move)
        while len(moves) < 12 and not rules.chances(position) and (legal := rules.moves(position)):
            moves.append(legal[0])
            position = rules.play(position, legal[0])
        return Line(move, value, tuple(moves), len(moves) < 4, (0.5, 0.1 + 0.2))

    def ask(position: Any, past: Any, lines: int) -> list[Line[Any]]:
        return [line(position, move, 0.1 + 0.2 - 0.1 * i) for i, move in enumerate(rules.moves(position)[:lines])]

    return list(review(game, ask))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["checkers", "backgammon"])
def test_verdicts_come_back_as_they_were_told(name: str, seed: int) -> None:
    game = played(name, seed)
    verdicts = judged(game)
    again = read(game, orjson.loads(orjson.dumps(written(game, verdicts))))
    assert len(again) == len(verdicts) > 10
    for one, other in zip(verdicts, again, strict=True):
        assert one[:3] == other[:3] and one[4:] == other[4:]
        assert (one.best.move, one.best.value, one.best.is_exact) == (*other.best[:2], other.best.is_exact)
        assert other.best.chances == (0.5, 0.3)
        assert list(expected(game, one)) == list(expected(game, other))
    longest = max(len(verdict.best.moves) for verdict in again)
    assert longest == (8 if name == "checkers" else 1), "more is not told, and dice end it"


@pytest.mark.parametrize("name", ["checkers", "backgammon"])
def test_the_longest_game_takes_little_room(name: str) -> None:
    game = played(name, 1)
    kept = orjson.dumps(written(game, judged(game)))
    assert len(kept) < 400 * len(judged(game))


def test_a_signature_is_of_one_game_and_changes_with_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = signature.__wrapped__
    before = fresh("checkers")
    assert before == fresh("checkers") != fresh("backgammon")
    monkeypatch.setitem(analysis_record.LIMITS, "checkers", Limit(nodes=1))
    assert fresh("checkers") != before
    monkeypatch.undo()
    monkeypatch.setattr(analysis_record, "PARTS", (".py",))
    assert fresh("checkers") != before, "weights and tables are a part of it"


def test_a_game_given_up_at_once_has_no_verdicts() -> None:
    game: Game[Any, Any] = Game(GAMES["checkers"])
    game.resign(Player.FIRST)
    assert read(game, written(game, judged(game))) == []
