"""A user's program, for mypy: what it finds out here, an editor shows."""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

from ludus import GAMES, Game, Outcome
from ludus.client import run
from ludus.envs import batch, checkers_v3
from ludus.envs.aec import Observation
from ludus.games.checkers import RULES
from ludus.games.checkers.position import Move, Position


def play() -> None:
    game = Game(RULES)
    assert_type(game.play("11-15"), Move)
    assert_type(game.position, Position)
    assert_type(game.legal_moves(), tuple[Move, ...])
    assert_type(game.outcome, Outcome | None)
    any_game = Game(GAMES["backgammon"])
    assert_type(any_game, Game[Any, Any])


def learn() -> None:
    games = batch("backgammon", 1000, seed=1, layout="packed", threads=2)
    assert_type(games.observation, NDArray[Any])
    assert_type(games.step(games.action_mask.argmax(axis=1)).reward, NDArray[Any])
    assert_type(games.rollout(steps=100).games, int)
    env = checkers_v3.raw_env()
    assert_type(env.observe("player_0"), Observation)
    assert_type(env.observe("player_0")["action_mask"], NDArray[np.int8])


def compete() -> None:
    def agent(view: Any) -> Any:
        return view["legalMoves"][0]

    run(agent, url="http://127.0.0.1:8000", game="backgammon", name="Typed")
