"""`ludus rollout` as a person in a terminal uses it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from ludus.cli.app import app
from ludus.cli.backgammon.rollout import CUBE_MOVES
from ludus.core.errors import BadInput, BadMove, MalformedPosition
from ludus.engines.backgammon.rollout import Rollouts

BEFORE = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
ROLLED = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
BEAR_OFF = "XGID=-EDBB--------------cbcc---:0:0:-1:00:0:0:0:0:10"
OWN_CUBE = "XGID=-b----E-C---eE---c-e----B-:1:1:1:00:0:0:0:0:10"
OTHERS_CUBE = "XGID=-b----E-C---eE---c-e----B-:1:-1:1:00:0:0:0:0:10"
CRAWFORD = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:6:3:1:7:10"
HOPELESS = "-------------K----cbbbbbbD"
"""White has four men on the bar, and black's home is closed."""
SCORES = ("4:4:0:5:10", "3:3:0:5:10")
QUICK = ("--trials", "4", "--truncate", "2", "--cores", "1")


def said(*words: str) -> str:
    done = CliRunner().invoke(app, ["rollout", *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_before_the_roll_it_shows_equity_and_chances_of_both_sides() -> None:
    lines = said(BEFORE, *QUICK).splitlines()
    assert lines[0] == "4 trials, 2 rolls each, plays at sight, without the cube, seed 0"
    assert re.fullmatch(
        r"  equity  \+0\.\d{4} ± 0\.\d{4}, with the luck of the rolls [+-]0\.\d{4} ± 0\.\d{4}", lines[1]
    )
    assert re.fullmatch(r"  win     5\d\.\d\d % ± \S+, gammon 1\d\.\d\d % ± \S+, backgammon 0\.\d\d % ± \S+", lines[2])
    assert re.fullmatch(r"  lose    4\d\.\d\d % ± .*", lines[3])
    assert re.fullmatch(r"  95 % error bars; each trial says as much as [\d,]+ would .*", lines[4])


def test_a_single_trial_has_no_error() -> None:
    once = ("--trials", "1", "--truncate", "1")
    assert "±" not in said(BEFORE, *once)
    [found] = json.loads(said(BEFORE, *once, "--json"))["results"]
    assert found["equity"]["error"] is None and found["errors"] is None


def test_after_the_roll_plays_are_compared_best_first() -> None:
    lines = said(ROLLED, *QUICK, "--lines", "2").splitlines()
    assert lines[1].split()[:2] == ["equity", "behind"]
    assert lines[2].startswith("8/5 6/5 ") and re.search(r"-0\.1\d+ ± 0\.\d{4}", lines[3])
    assert len(lines) == 5


def test_plays_can_be_named() -> None:
    found = json.loads(said(ROLLED, *QUICK, "--json", "--play", "24/23 13/10", "--play", "8/5 6/5", "--plies", "1"))
    assert (found["trials"], found["plies"], found["truncate"], found["seed"]) == (4, 1, 2, 0)
    assert [each["move"] for each in found["results"]] == ["8/5 6/5", "24/23 13/10"]
    best, other = found["results"]
    assert best["difference"] == {"mean": 0, "error": 0} and other["difference"]["mean"] < -0.1
    assert len(best["chances"]) == len(best["errors"]) == 5


@pytest.mark.parametrize("score", ["0:0:0:0:10", "2:1:0:7:10"])
def test_a_play_that_ends_the_game_is_compared_with_one_that_does_not(score: str) -> None:
    found = json.loads(said(f"XGID=-AA---------------------c-:0:0:1:21:{score}", *QUICK, "--json"))
    best, other = found["results"]
    assert (best["move"], best["equity"]) == ("2/off 1/off", {"mean": 1, "error": 0})
    assert other["move"] == "2/off" and other["equity"]["mean"] < 1


def test_sides_that_bear_off_have_an_effective_pip_count() -> None:
    found = json.loads(said(BEAR_OFF, *QUICK, "--json"))
    assert found["effectivePips"].keys() == {"white", "black"}
    assert f"  white: 27 pips, effectively {found['effectivePips']['white']:.2f}\n" in said(BEAR_OFF, *QUICK)
    assert json.loads(said(BEFORE, *QUICK, "--json"))["effectivePips"] == {}


def test_where_a_double_is_possible_both_decisions_are_rolled_out() -> None:
    text = said(BEFORE, *QUICK, "--cube")
    assert text.startswith("4 trials, 2 rolls each, plays at sight, with the cube, seed 0\n")
    assert re.search(
        r"^no double +\+0\.\d+ ± .*^double, take +[+-]0\.\d+ ± .*^double, pass +\+1\.0000$", text, re.M | re.S
    )
    assert "  best: no double; a double should be taken\n" in text
    found = json.loads(said(OWN_CUBE, *QUICK, "--json"))
    assert found["cube"] is True and {each["move"] for each in found["results"]} == {"no double", "double, take"}


def test_where_beavers_are_allowed_their_equity_is_shown() -> None:
    text = said(BEFORE[:-9] + "0:0:2:0:10", *QUICK)
    take, beaver = (re.search(rf"^double, {name} +([+-]\d\.\d+) ±", text, re.M) for name in ("take", "beaver"))
    assert take and beaver and float(beaver[1]) == pytest.approx(2 * float(take[1]), abs=2e-4)
    columns = {line.index("0.") for line in text.splitlines() if line.startswith(("no double ", "double, beaver "))}
    assert len(columns) == 1 and "double, pass    +1.0000\n" in text
    assert text.splitlines()[-2] == "  best: no double; a double should be beavered"


@pytest.mark.parametrize(("men", "answer"), [(BEFORE[5:31], "taken"), (HOPELESS, "dropped")])
def test_a_beaver_is_answered(men: str, answer: str) -> None:
    text = said(f"XGID={men}:0:0:1:B:0:0:3:0:10", *QUICK)
    assert f"  this beaver should be {answer}\n" in text
    assert "this beaver" not in said(f"XGID={men}:0:0:1:D:0:0:3:0:10", *QUICK)


def test_the_decision_is_in_json_as_analysis_has_it() -> None:
    found = json.loads(said(OWN_CUBE, *QUICK, "--json"))
    decision, equities = found["decision"], {each["move"]: each["equity"]["mean"] for each in found["results"]}
    keys = ["no_double", "double_take", "double_pass", "double_beaver", "action", "beaver_response"]
    assert list(decision) == keys
    assert [decision["no_double"], decision["double_take"]] == [round(equities[move], 4) for move in CUBE_MOVES]
    assert (decision["action"], decision["double_beaver"]) == ("no_double", None)
    for text in (BEFORE, ROLLED):
        assert json.loads(said(text, *QUICK, "--json"))["decision"] is None


def test_so_are_beavers() -> None:
    found = json.loads(said(BEFORE[:-9] + "0:0:3:0:10", *QUICK, "--json"))["decision"]
    assert (found["action"], found["beaver_response"]) == ("no_double_beaver", None)
    assert found["double_beaver"] == pytest.approx(2 * found["double_take"], abs=1e-4)
    open_ = json.loads(said(f"XGID={HOPELESS}:0:0:1:B:0:0:3:0:10", *QUICK, "--json"))["decision"]
    assert open_["beaver_response"] == "drop"


def test_who_plays_on_for_a_gammon_is_too_good_to_double() -> None:
    crushing = f"XGID={HOPELESS}:0:0:-1:00:0:0:0:0:10"
    assert "  best: too good to double; a double should be dropped\n" in said(crushing, *QUICK, "--cube")
    assert json.loads(said(crushing, *QUICK, "--cube", "--json"))["decision"]["action"] == "too_good"


def test_the_other_sides_cube_or_none_leaves_one_position() -> None:
    for words in ((OTHERS_CUBE,), (OWN_CUBE, "--no-cube"), (CRAWFORD,)):
        assert len(json.loads(said(*words, *QUICK, "--json"))["results"]) == 1
    assert json.loads(said(OWN_CUBE, "--no-cube", *QUICK, "--json"))["cube"] is False


def test_plays_in_a_match_are_compared_at_its_score() -> None:
    """Where white needs one point and has no use for gammons, and where white needs two."""
    scores = [json.loads(said(ROLLED[:-9] + score, *QUICK, "--json", "--play", "8/5 6/5")) for score in SCORES]
    equities = [found["results"][0]["equity"]["mean"] for found in scores]
    assert equities[0] != equities[1]


def test_an_interrupted_rollout_reports_the_trials_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Rollouts.run

    def interrupted(self: Rollouts, cores: int) -> Iterator[int]:
        yield from run(self, cores)
        raise KeyboardInterrupt

    monkeypatch.setattr(Rollouts, "run", interrupted)
    text = said(BEFORE, *QUICK)
    assert text.startswith("stopped; here are the trials so far\n4 trials, ")


def test_one_trial_has_no_error_bars() -> None:
    assert "±" not in said(BEFORE, "--trials", "1", "--truncate", "1", "--cores", "1").splitlines()[1]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ((BEFORE, "--play", "8/5 6/5"), "--play is for a position with dice"),
        (("XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:0:10",), "nobody's turn|whose"),
        (("XGID=-A----------------------a-:0:0:1:66:0:0:0:0:10",), "nothing to roll out"),
        ((ROLLED, "--play", "6/5"), "both dice must be played"),
        (("match.mat",), "^'match.mat' is neither an XGID"),
    ],
)
def test_what_cannot_be_rolled_out_is_refused(words: tuple[str, ...], error: str) -> None:
    with pytest.raises((BadInput, BadMove, MalformedPosition), match=error):
        said(*words, *QUICK)
