"""OpenSpiel in both directions: our rules as OpenSpiel games, and records as states of its own games.

Importing this registers every game that has environments as `ludus_NAME` with pyspiel. Actions and observations are
those of the environments; a roll of the dice is a chance node.
"""

from __future__ import annotations

import importlib
from functools import cache
from importlib.util import find_spec
from typing import Any, ClassVar, NamedTuple, Self
from urllib.parse import quote, unquote

import numpy as np

from ludus.core.errors import BadInput, IllegalAction, UnknownOption
from ludus.core.extras import extra
from ludus.core.game import Game
from ludus.core.rules import Rules, Turn
from ludus.envs.batched.environment import SCORINGS
from ludus.envs.encoding import Encoding, games
from ludus.envs.options import check_choice, check_integer, find_version
from ludus.envs.simulator import Simulator
from ludus.games import GAMES, layer

with extra("openspiel"):
    import pyspiel

PREFIX = "ludus_"
PARAMETERS: dict[str, Any] = {"variant": "standard", "position": "", "scoring": SCORINGS[0], "max_game_length": 10_000}


class Setup:
    """What all states of a game share; their copies share it too."""

    def __init__(self, game: str, variant: str, position: str, scoring: str, max_game_length: int) -> None:
        check_choice("scoring", scoring, SCORINGS)
        self.is_scored = scoring == "points"
        self.length = check_integer("max_game_length", max_game_length, 1)
        encoding, self.variant = find_version(game, variant, {})
        self.encoding: Encoding = encoding
        self.rules: Rules[Any, Any] = _compiled(encoding.game)
        self.start: Any = self.simulator().read_position(unquote(position)) if position else None

    def simulator(self) -> Simulator:
        """A simulator at the start."""
        simulator = Simulator(self.encoding.name, self.variant)
        simulator.seed(0)
        simulator.reset()
        return simulator

    def record(self) -> Game[Any, Any]:
        """An empty record from the start."""
        return Game(self.rules, self.variant, start=self.start)

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    @property
    def most(self) -> int:
        """The most that a game can be worth; options such as a cube multiply it."""
        if not self.is_scored:
            return 1
        has_options = bool(self.rules.options_of(self.variant))
        return int(np.iinfo(self.encoding.reward).max) if has_options else self.rules.most_points


@cache
def _compiled(game: str) -> Rules[Any, Any]:
    return GAMES[game].compiled()


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel is untyped
    """`pyspiel.load_game("ludus_NAME")`, with the parameters in `PARAMETERS`."""

    name: ClassVar[str]

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        chosen = PARAMETERS | (params or {})
        self.setup = setup = Setup(self.name, **chosen)
        chosen["position"] = quote(unquote(chosen["position"]), safe="")  # commas and the like end a parameter
        info = pyspiel.GameInfo(
            num_distinct_actions=setup.encoding.num_actions,
            max_chance_outcomes=len(setup.rules.chances(setup.rules.start("standard"))),
            num_players=2,
            min_utility=-float(setup.most),
            max_utility=float(setup.most),
            utility_sum=0.0,
            max_game_length=setup.length,
        )
        super().__init__(game_type(self.name), info, chosen)

    def __reduce__(self) -> Any:
        """Copies are loaded again, since those that pyspiel makes have no `setup`."""
        return load, (str(self),)

    def new_initial_state(self) -> SpielState:
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver:
        return SpielObserver(self.setup.encoding, params)


def load(name: str) -> Any:
    """`pyspiel.load_game`, which knows our games once this module is imported."""
    return pyspiel.load_game(name)


class SpielState(pyspiel.State):  # type: ignore[misc]  # pyspiel is untyped
    """The rules hold the position at the start of a move; a simulator, the move as far as it has been made."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self._setup = setup = game.setup
        self.position = setup.record().start
        """That of the rules at the start of the move."""
        self._simulator = setup.simulator()
        if setup.start is not None:
            self._simulator.set_position(setup.start)
        self._actions: list[int] = []
        self._length = 0
        self._points: int | None = None
        self._is_chance = setup.rules.turn(self.position) is Turn.DICE

    def current_player(self) -> int:
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if self._is_chance else self._simulator.player

    def is_terminal(self) -> bool:
        return self._points is not None

    def returns(self) -> list[float]:
        points = self._points or 0
        return [float(points), -float(points)]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        weights = [weight for _, weight in self._setup.rules.chances(self.position)]
        total = sum(weights)
        return [(number, weight / total) for number, weight in enumerate(weights)]

    def _legal_actions(self, player: int) -> list[int]:
        return self._simulator.legal_actions()

    def _apply_action(self, action: int) -> None:
        if self._is_chance:
            rolls = self._setup.rules.chances(self.position)
            if not 0 <= action < len(rolls):
                raise IllegalAction(f"action {action} is not legal here: there are {len(rolls)} rolls")
            self.position = self._setup.rules.play(self.position, rolls[action][0])
            self._simulator.set_position(self.position)
            self._is_chance = False
        elif 0 <= action < self._simulator.num_actions and self._simulator.is_legal(action):
            self._act(action)
        else:
            raise IllegalAction(f"action {action} is not legal here")

    def _act(self, action: int) -> None:
        player, setup = self._simulator.player, self._setup
        self._actions.append(action)
        self._length += 1
        code, is_move = self._simulator.advance(action)
        if is_move:
            move = setup.encoding.decode_move(setup.rules, self.position, self._actions)
            self.position = setup.rules.play(self.position, move)
            self._actions = []
            self._is_chance = setup.rules.turn(self.position) is Turn.DICE
        if code:
            points = self._simulator.points() if code == 1 else 0
            worth = points if setup.is_scored else min(max(points, -1), 1)
            self._points = worth if player == 0 else -worth
        elif self._length >= setup.length:
            self._points = 0

    def _action_to_string(self, player: int, action: int) -> str:
        setup = self._setup
        if player == pyspiel.PlayerId.CHANCE:
            roll, _ = setup.rules.chances(self.position)[action]
            return setup.rules.notation.write_move(self.position, roll)
        return self._simulator.write_action(action)

    def observe(self, player: int) -> Any:
        """The environments' observation, without dice at chance nodes and at the end."""
        seen = self._simulator.observe(player)
        if self._is_chance or self.is_terminal():
            self._setup.encoding.finish(seen[None], np.array([player]))
        return seen

    def __str__(self) -> str:
        board = self._setup.rules.board(self.position).text()
        return f"{board}\n{self._actions}" if self._actions else board


class SpielObserver:
    """The environments' observation as a tensor; `dict["observation"]` has its shape."""

    def __init__(self, encoding: Encoding, params: Any) -> None:
        if params:
            raise UnknownOption("observers have no parameters")
        self.tensor = np.zeros(encoding.high.size, np.float32)
        self.dict = {"observation": self.tensor.reshape(encoding.shape)}

    def set_from(self, state: SpielState, player: int) -> None:
        self.dict["observation"][:] = state.observe(player)

    def string_from(self, state: SpielState, player: int) -> str:
        return str(state)


@cache
def game_type(game: str) -> Any:
    rules = GAMES[game]
    is_rolled = any(rules.chances(start) for start in rules.variants.values())
    modes = pyspiel.GameType.ChanceMode
    return pyspiel.GameType(
        short_name=PREFIX + game,
        long_name=f"Ludus {game}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=modes.EXPLICIT_STOCHASTIC if is_rolled else modes.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=PARAMETERS,
    )


class Replay(NamedTuple):
    """A turn of an OpenSpiel game: its player, the actions as text, and the state after them."""

    player: int
    texts: list[str]
    after: Any


def to_openspiel(record: Game[Any, Any], *, scoring: str = "win") -> Any:
    """The record replayed on OpenSpiel's own game, as its state, whose returns are 1 for a win or its points."""
    check_choice("scoring", scoring, SCORINGS)
    adapter = _adapter(record.rules.name)
    state = pyspiel.load_game(adapter.write_game(record, scoring)).new_initial_state()
    for number in range(record.length):
        if state.is_terminal():
            raise BadInput(f"OpenSpiel's rules end this game after {number} of {record.length} moves")
        adapter.apply_move(state, record, number)
    return state


def from_openspiel(state: Any) -> Game[Any, Any]:
    """The record of a state of our game or of OpenSpiel's own; a move that isn't finished is left out.

    If OpenSpiel plays on after a third repetition, so does the record.
    """
    if isinstance(state, SpielState):
        return _own_record(state)
    theirs = state.get_game()
    name = theirs.get_type().short_name
    adapter = _adapter(name)
    record = Game(_compiled(name), adapter.read_variant(theirs))
    for turn in _turns(theirs.new_initial_state(), state.full_history()):
        record.play_on()
        record.play(adapter.read_move(record, turn))
    return record


def _own_record(state: SpielState) -> Game[Any, Any]:
    game: SpielGame = state.get_game()
    setup, replay, actions = game.setup, game.new_initial_state(), list[int]()
    record = setup.record()
    for done in state.full_history():
        before = replay.position
        replay.apply_action(done.action)
        actions.append(done.action)
        if done.player == pyspiel.PlayerId.CHANCE:
            record.play(setup.rules.chances(before)[done.action][0])
            actions = []
        elif replay.position is not before:
            record.play(setup.encoding.decode_move(setup.rules, before, actions))
            actions = []
    return record


def _turns(state: Any, history: Any) -> Any:
    """The finished turns; one whose player is to act again is not finished."""
    texts: list[str] = []
    for done in history:
        texts.append(state.action_to_string(done.player, done.action))
        state.apply_action(done.action)
        if state.is_terminal() or state.current_player() != done.player:
            yield Replay(done.player, texts, state)
            texts = []


def _adapter(game: str) -> Any:
    """The game's module `openspiel`: `write_game`, `read_variant`, `apply_move`, `read_move`."""
    own = layer(game, "envs") if game in GAMES else None
    if own is None or not hasattr(own, "__path__") or find_spec(f"{own.__name__}.openspiel") is None:
        raise UnknownOption(f"there is no conversion between {game!r} here and in OpenSpiel")
    return importlib.import_module(f"{own.__name__}.openspiel")


def _register() -> None:
    for game in games():
        pyspiel.register_game(game_type(game), type(f"Spiel{game.title()}", (SpielGame,), {"name": game}))


_register()
