from __future__ import annotations

from random import Random

import pytest

from ludus.engines.backgammon.answers import Answers
from ludus.engines.backgammon.player import BackgammonPlayer
from ludus.engines.budget import Budget
from ludus.engines.levels import BOTS
from ludus.games import GAMES
from ludus.games.backgammon.position import VARIANTS, Play, Position, Roll

RULES = GAMES["backgammon"]
BY_LEVEL: dict[str, BackgammonPlayer] = {level: bot.games["backgammon"] for level, bot in BOTS.items()}


def rolled(one: int, two: int) -> Position:
    position: Position = RULES.play(VARIANTS["standard"], Roll(one, two))
    return position


@pytest.mark.parametrize("player", [BackgammonPlayer(nodes=0, whim=0), BY_LEVEL["hard"]], ids=["first look", "hard"])
@pytest.mark.parametrize(
    ("roll", "play"), [((3, 1), "8/5 6/5"), ((4, 2), "8/4 6/4"), ((6, 1), "13/7 8/7"), ((6, 5), "24/13")]
)
def test_openings_that_everybody_agrees_on(player: BackgammonPlayer, roll: tuple[int, int], play: str) -> None:
    position = rolled(*roll)
    assert player.choose(RULES, position, Random(1)) == RULES.notation.read_move(position, play)


def test_hard_takes_what_is_best_after_the_answers() -> None:
    position, player = rolled(6, 4), BackgammonPlayer(nodes=10**9, whim=0)
    answers = Answers(Budget(10**9))
    worths = {play: answers.worth(*after.other, *after.own) for play, after in options(position)}
    assert player.choose(RULES, position, Random(1)) == max(worths, key=lambda play: worths[play])


def options(position: Position) -> list[tuple[Play, Position]]:
    return [(play, RULES.play(position, play)) for play in RULES.moves(position)]


def test_without_a_budget_for_one_answer_the_first_look_decides() -> None:
    position = rolled(6, 4)
    hasty, shallow = BackgammonPlayer(nodes=1, whim=0), BackgammonPlayer(nodes=0, whim=0)
    assert hasty.choose(RULES, position, Random(1)) == shallow.choose(RULES, position, Random(1))


def test_easy_slips_now_and_then_and_the_others_do_not() -> None:
    assert BY_LEVEL["easy"].slips > 0
    assert BY_LEVEL["medium"].slips == BY_LEVEL["hard"].slips == 0


def test_a_player_that_always_slips_picks_any_play() -> None:
    position, blind = rolled(2, 1), BackgammonPlayer(nodes=0, whim=0, slips=1)
    assert {blind.choose(RULES, position, Random(seed)) for seed in range(300)} == set(RULES.moves(position))
