"""Tournaments between programs: the same plan gives the same games, and every format comes to its end."""

from __future__ import annotations

from typing import Any

import pytest

from ludus.core.errors import BadInput, UnknownOption
from ludus.series.tournament import REPLAYS, Tournament, TournamentPlan, names
from ludus.tournaments.records import cards

FEW = TournamentPlan("checkers", ("easy", "random", "random"), seed=3, games=1)


def finished(plan: TournamentPlan, jobs: int = 1) -> Tournament:
    tournament = Tournament(plan)
    for _ in tournament.run(jobs):
        pass
    return tournament


def test_everyone_meets_everyone_and_the_strongest_wins() -> None:
    played = finished(FEW._replace(games=2))
    assert len(played.rounds) == played.number_of_rounds == 3
    assert len(played.meetings) == 3 and all(len(meeting.games) == 2 for meeting in played.meetings)
    table = played.standings
    assert (table[0].seed, table[0].score) == (0, 2.0)
    assert names(played.plan) == ["easy", "random 1", "random 2"]


def test_processes_do_not_change_the_games() -> None:
    plan = FEW._replace(entrants=("random",) * 4, format="swiss", rounds=1)
    one, two = finished(plan), finished(plan, jobs=2)
    assert one.rounds == two.rounds and one.meetings == two.meetings
    assert finished(plan._replace(seed=4)).meetings != one.meetings


def test_sixty_four_bots_play_a_swiss_tournament() -> None:
    played = finished(TournamentPlan("checkers", ("random",) * 64, "swiss", games=1, seed=1))
    assert len(played.rounds) == 8
    for card in cards(64, played.rounds):
        assert len(set(card.opponents)) == 8 and None not in card.opponents


def test_a_level_meeting_of_a_knockout_is_played_on(monkeypatch: pytest.MonkeyPatch) -> None:
    from ludus.core.rules import Outcome, Reason
    from ludus.series import tournament
    from ludus.series.plan import Played

    numbers: list[int] = []

    def draw(_plan: Any, task: tournament.Task) -> Played:
        numbers.append(task.number)
        return Played(task.number, (), Outcome(None, Reason.AGREEMENT))

    monkeypatch.setattr(tournament, "play_game", draw)
    played = finished(FEW._replace(entrants=("random", "random"), format="knockout"))
    assert numbers == list(range(1 + 2 * REPLAYS))
    assert [row.seed for row in played.standings] == [0, 1]


@pytest.mark.parametrize(
    "wrong",
    [{"entrants": ("easy",)}, {"games": 0}, {"rounds": 0}, {"format": "knockout", "rounds": 2}],
)
def test_a_plan_that_cannot_be_played_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        Tournament(FEW._replace(**wrong))


def test_an_unknown_format_names_those_there_are() -> None:
    with pytest.raises(UnknownOption, match="round-robin, swiss, knockout"):
        Tournament(FEW._replace(format="ladder"))
