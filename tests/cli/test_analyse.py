"""`ludus analyse` and `ludus bench` as a person in a terminal uses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ludus.cli.analyse import WINDOW_LABELS
from ludus.cli.app import app
from ludus.core.errors import BadInput
from ludus.core.game import Game
from ludus.games import GAMES

THREE_FOR_ONE = "B:W15,16,24,29,32:B3,4,8,9"
MONEY = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:1:0:10"
OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
BLUNDER = """[Event "a blunder"]
[GameType "21"]

1. 12-16 24-20 2. 16-19 23x16 3. 10-14 27-23 *
"""


def said(*words: str) -> str:
    done = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_the_best_moves_of_a_position_are_shown_with_its_board() -> None:
    text = said("analyse", THREE_FOR_ONE, "--depth", "9", "--lines", "2")
    lines = [line.split() for line in text.splitlines() if "8-11" in line or "points" in line]
    assert lines[0][:3] == ["move", "points", "depth"]
    assert lines[1][0] == "8-11"


def test_a_solved_ending_is_shown_to_its_end() -> None:
    (found,) = json.loads(said("analyse", "W:WK18,K14:BK1", "--json")).items()
    assert found[0] == "lines", "there is nothing else to say in checkers"
    best = found[1][0]
    assert (best["move"], best["exact"], len(best["moves"])) == ("14-9", True, 15)
    assert best["moves"][0] == "14-9" and "x" in best["moves"][-1]
    assert " ".join(best["moves"][1:6]) in said("analyse", "W:WK18,K14:BK1")


def test_an_option_of_the_other_kind_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "game.pdn"
    file.write_text("1. 11-15 *", encoding="utf-8")
    with pytest.raises(BadInput, match="--lines is for a position"):
        said("analyse", str(file), "--lines", "2")
    with pytest.raises(BadInput, match="--cube is for a position"):
        said("analyse", str(file), "--cube")
    with pytest.raises(BadInput, match="--cube is for games with a doubling cube"):
        said("analyse", THREE_FOR_ONE, "--no-cube")
    for option in (("--number", "1"), ("--annotate",)):
        with pytest.raises(BadInput, match=f"{option[0]} is for a file of games"):
            said("analyse", THREE_FOR_ONE, *option)


def test_a_roll_of_backgammon_has_chances() -> None:
    found = json.loads(said("analyse", OPENING, "--depth", "1", "--json"))
    assert (found["cube"], found["window"], found["effective_pips"]) == (None, None, {})
    best = found["lines"][0]
    assert (best["move"], best["depth"], best["exact"]) == ("8/5 6/5", 1, False)
    assert 0.5 < best["chances"][0] < 0.6


def test_a_bear_off_has_effective_pip_counts() -> None:
    text = said("analyse", "XGID=------F------------f------:0:0:1:00:0:0:0:0:10", "--depth", "0")
    assert "white: 36 pips, effectively 43.38\nblack: 36 pips, effectively 43.38\n" in text
    assert "effectively" not in said("analyse", OPENING, "--depth", "0")
    found = json.loads(said("analyse", "XGID=------F---------e--f------:0:0:1:00:0:0:0:0:10", "--depth", "0", "--json"))
    assert found["effective_pips"] == {"white": pytest.approx(43.38, abs=0.005)}


def test_a_proven_bear_off_is_marked_in_json() -> None:
    rows = json.loads(said("analyse", "XGID=-BBB---------------bbb----:0:0:1:21:0:0:0:0:10", "--json"))["lines"]
    assert [row["exact"] for row in rows] == [True] * 5


def test_a_gnu_id_with_dice_gives_the_best_plays() -> None:
    by_id, by_xgid = (
        said("analyse", text, "--depth", "1") for text in ("4HPwATDgc/ABMA:cAkWAAAAAAAA", MONEY.replace("00", "54"))
    )
    assert "24/20 13/8" in by_id
    assert by_id == by_xgid


def test_before_the_roll_a_double_is_decided_on() -> None:
    found = json.loads(said("analyse", MONEY, "--depth", "1", "--json"))
    rows = found["lines"]
    assert [row["move"] for row in rows] == ["roll", "double"] and rows[0]["value"] > rows[1]["value"] + 0.1
    lines = said("analyse", MONEY, "--depth", "1").splitlines()
    assert "right: no double, take" in lines
    assert [line.split()[:2] for line in lines if line.startswith("no double")] == [["no", "double"]]
    points = {line[:29].strip(): float(line.split()[-1].rstrip("%")) for line in lines if line.endswith(("% ", "%"))}
    assert points["take point, live cube"] < points["take point"] < points["take point, dead cube"]
    assert points["cash point"] + points["take point"] == pytest.approx(100)
    assert found["cube"]["action"] == "no_double" and found["cube"]["no_double"] == rows[0]["value"]
    window = [100 * value for value in found["window"].values() if value is not None]
    assert window == pytest.approx([points[label] for label in WINDOW_LABELS if label in points], abs=0.06)
    assert list(found["window"]).index("cash_point") == WINDOW_LABELS.index("cash point")


def test_where_the_cube_is_exact_the_window_has_no_estimates() -> None:
    last_roll = "XGID=--A--A------------------a-:0:0:1:00:0:0:0:0:10"
    lines = said("analyse", last_roll, "--cube").splitlines()
    assert "right: double, take" in lines
    labels = [label for label in WINDOW_LABELS if any(line[:29].strip() == label for line in lines)]
    assert labels == [label for label in WINDOW_LABELS if label.startswith(("take point, ", "market losers"))]
    window = json.loads(said("analyse", last_roll, "--cube", "--json"))["window"]
    assert [name for name in window if window[name] is None] == [
        "take_point",
        "doubling_point",
        "cash_point",
        "too_good_point",
    ]


def test_a_position_for_money_that_names_no_rules_has_no_cube_unless_one_is_added() -> None:
    """So XG exports games for money without the Jacoby rule and beavers."""
    text = MONEY.replace(":0:0:1:0:10", ":0:0:0:0:10")
    plain, with_cube = said("analyse", text, "--depth", "0"), said("analyse", text, "--depth", "0", "--cube")
    assert plain.count("read as a position without a doubling cube; --cube adds one\n") == 1
    assert "right:" not in plain and "right: no double, take" in with_cube.splitlines()
    assert "read as" not in with_cube + said("analyse", text, "--depth", "0", "--no-cube")
    found = json.loads(said("analyse", text, "--depth", "0", "--json", "--cube"))
    assert found["cube"]["action"] == "no_double" and found["window"]


def test_a_cube_can_be_left_out() -> None:
    found = json.loads(said("analyse", MONEY, "--depth", "0", "--json", "--no-cube"))
    assert found["cube"] is None and [row["move"] for row in found["lines"]] == [None]
    owned = MONEY.replace(":0:0:1:00:", ":2:1:1:00:")
    assert said("analyse", owned, "--depth", "0", "--cube") == said("analyse", owned, "--depth", "0")


def test_where_beavers_are_allowed_they_have_an_equity() -> None:
    """After 31 8/5 6/5 black, who is behind, is on roll."""
    with_beavers = "XGID=-b---BD-B---eE---c-e----B-:0:0:-1:00:0:0:2:0:10"
    lines = said("analyse", with_beavers, "--depth", "0").splitlines()
    take, beaver = (
        float(line.split()[2]) for name in ("take", "beaver") for line in lines if line.startswith(f"double, {name}")
    )
    assert beaver == pytest.approx(2 * take, abs=0.002) and take < -0.5
    assert "right: no double, beaver" in lines
    without = said("analyse", with_beavers.replace(":2:0:10", ":1:0:10"), "--depth", "0")
    assert "beaver" not in without and "right: no double, take" in without


def test_an_open_double_is_answered() -> None:
    found = json.loads(said("analyse", "XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:5:10", "--depth", "1", "--json"))
    rows = found["lines"]
    assert [row["move"] for row in rows] == ["take", "drop"] and rows[1]["value"] == -1


@pytest.mark.parametrize("text", ["4HPwATDgc/ABMA", OPENING.replace("31", "00")])
def test_before_the_roll_the_chances_are_printed(text: str) -> None:
    (row,) = json.loads(said("analyse", text, "--json"))["lines"]
    assert (row["move"], row["exact"], row["depth"]) == (None, False, 2)
    assert 0.05 < row["value"] < 0.1 and 0.5 < row["chances"][0] < 0.55
    shown = said("analyse", text).splitlines()
    assert shown[-2].startswith("before the roll") and shown[-1].split()[:2] == [f"{row['value']:+.3f}", "2"]


@pytest.fixture
def won(tmp_path: Path) -> str:
    """A file with the end of a game of backgammon, in which Ann, who is white, wins a single game."""
    rules = GAMES["backgammon"]
    start = rules.notation.read_position("XGID=-C--------------------b---:0:0:1:21:0:0:0:0:10")
    game = Game(rules, start=start, tags={"White": "Ann", "Black": "Bob"})
    for move in ("1/off(2)", "21", "3/off", "21", "1/off"):
        game.play(move)
    assert game.outcome and game.outcome.points == 1
    (file := tmp_path / "game.mat").write_text(rules.notation.write_games([game]))
    return str(file)


def test_a_saved_game_of_backgammon_is_looked_through(won: str) -> None:
    rows = json.loads(said("analyse", won, "--json"))
    assert [row["played"] for row in rows] == ["1/off(2)", "3/off", "1/off"]
    assert [row["player"] for row in rows] == ["white", "black", "white"]
    assert {row["best"]["exact"] for row in rows} == {True}


def test_a_game_can_be_annotated(won: str) -> None:
    text = said("analyse", won, "--annotate")
    assert "  1. Ann (white) 1/off(2)" in text, "its roll was made before the record"
    assert "  2. Bob (black) 21: 3/off" in text and "luck -" in text
    found = json.loads(said("analyse", won, "--annotate", "--json"))
    assert [line["move"] for line in found["moves"][1]["candidates"]] == ["3/2 3/1", "3/off"]
    [played] = [line for line in text.splitlines() if line.startswith("    * 2. 3/off")]
    assert played.endswith("-1.000 (+0.000)  0.0% 0.0% 0.0% - 100.0% 0.0% 0.0%")
    ann, bob = found["players"]
    assert ann["result"] == 1 and ann["luck_adjusted"] == -bob["luck_adjusted"]
    [only] = found["games"]
    assert (only["winner"], only["points"], only["reason"]) == (0, 1, "borne_off")
    assert [
        line.split()[0] for line in text.splitlines() if line.split()[:1] in (["PR"], ["rating"], ["luck"], ["without"])
    ] == ["PR", "rating", "luck", "without"]


def test_cube_errors_are_counted_with_plurals(tmp_path: Path) -> None:
    rules = GAMES["backgammon"]
    game = Game(rules, "standard+match3")
    for move in ("6-3", "24/18 13/10", "double", "drop", "4-2", "8/4 6/4", "double", "drop"):
        game.play(move)
    (file := tmp_path / "match.mat").write_text(rules.notation.write_games([game]))
    lines = said("analyse", str(file), "--depth", "0").splitlines()
    (row,) = [line.split() for line in lines if line.startswith("cube errors")]
    assert " ".join(row) == "cube errors 2 wrong passes 2 wrong doubles"


def test_luck_in_a_match_is_shown_as_the_result_is_too(tmp_path: Path) -> None:
    rules = GAMES["backgammon"]
    game = Game(rules, "standard+match3")
    for move in ("6-3", "24/18 13/10", "double", "drop", "4-2", "8/4 6/4", "double", "drop"):
        game.play(move)
    (file := tmp_path / "match.mat").write_text(rules.notation.write_games([game]))
    lines = said("analyse", str(file), "--depth", "0").splitlines()
    (row,) = [line.split() for line in lines if line.startswith("luck in result")]
    assert row[4::2] == ["%", "%"]
    players = json.loads(said("analyse", str(file), "--depth", "0", "--annotate", "--json"))["players"]
    first, second = (each["result_luck"] for each in players)
    assert players[0]["luck_adjusted"] is None, "the match is not over"
    assert first != players[0]["luck"] and (first > 0) == (players[0]["luck"] > 0) and second == 0


def test_a_wrong_resignation_is_a_mistake(tmp_path: Path) -> None:
    rules = GAMES["backgammon"]
    game = Game(rules)
    for move in ("6-3", "24/18 13/10", "3-1", "black resigns 2"):
        game.play(move)
    (file := tmp_path / "game.mat").write_text(rules.notation.write_games([game]))
    (row,) = [line.split() for line in said("analyse", str(file), "--depth", "0").splitlines() if "resigns" in line]
    assert row[2:6] == ["black", "resigns", "2", "??"] and row[-3:-1] == ["play", "on"]
    lines = said("analyse", str(file), "--depth", "0", "--annotate").splitlines()
    assert [line.split()[:2] for line in lines if line.strip().startswith(("play on", "resign "))] == [
        ["play", "on"], ["resign", "-2.000"],
    ]  # fmt: skip
    made = json.loads(said("analyse", str(file), "--depth", "0", "--annotate", "--json"))["moves"][-1]
    assert (made["kind"], made["value"], made["mark"], made["decision"]) == ("resignation", -2, "??", False)
    assert made["cost"] > 1.5


def test_a_game_won_is_as_high_as_the_line_goes_and_players_go_by_their_names(won: str) -> None:
    lines = said("analyse", won).splitlines()
    assert "Ann (white)'s prospects  ▅██" in lines
    assert [line.split(":")[0] for line in lines if "thousandths" in line] == ["Ann (white)", "Bob (black)"]


def test_a_game_is_looked_through_move_by_move(tmp_path: Path) -> None:
    (file := tmp_path / "game.pdn").write_text(BLUNDER)
    rows = json.loads(said("analyse", str(file), "--depth", "9", "--json"))
    assert [row["ply"] for row in rows] == list(range(6))
    assert [row["player"] for row in rows[:2]] == ["black", "white"]
    assert max(rows, key=lambda row: row["cost"])["played"] == "16-19"  # gives a man
    text = said("analyse", str(file), "--depth", "9")
    assert any("16-19" in line and "?" in line for line in text.splitlines())
    annotated = said("analyse", str(file), "--depth", "9", "--annotate")
    assert "  3. black 16-19?" in annotated and "      1. 11-15" in annotated
    assert "black's prospects" in text and "The game is not finished." in text


def test_of_one_there_is_no_plural(tmp_path: Path) -> None:
    (file := tmp_path / "game.pdn").write_text("1. 12-16 24-20 *")
    text = said("analyse", str(file), "--depth", "3")
    assert text.count(" in 1 decision; ") == 2
    assert "0 mistakes, 0 blunders" in text


def test_a_game_without_a_move_is_nothing_to_judge(tmp_path: Path) -> None:
    (file := tmp_path / "game.pdn").write_text('[Event "nobody came"]\n\n*\n')
    assert said("analyse", str(file)) == "No move was made in this game.\n"
    assert json.loads(said("analyse", str(file), "--json")) == []


XG_EXPORT = "XGID=------C-----------------a-:0:0:1:00:0:0:0:3:10\n\nX:Ann   O:Bob\nX on roll, cube action\n"


def test_a_file_with_one_position_is_analysed_as_that_position(tmp_path: Path) -> None:
    (file := tmp_path / "position.txt").write_text(XG_EXPORT)
    text = said("analyse", str(file), "--depth", "0")
    assert text == said("analyse", XG_EXPORT.partition("\n")[0], "--depth", "0")
    assert "double, take" in text
    assert "cube" in json.loads(said("analyse", str(file), "--depth", "0", "--json"))


@pytest.mark.parametrize("folder", [".", ""])
def test_a_folder_is_no_file(folder: str) -> None:
    with pytest.raises(BadInput, match=r"there is no file \.?, and it is not a position"):
        said("analyse", folder)


@pytest.mark.parametrize(("what", "problem"), [
    ("nonsense", "there is no file nonsense, and it is not a position"),
    ("nonsense " * 40, "and it is not a position"),
    ("W:W1:BK32", "it is not a position: the man on 1 has reached the far row and must be a king$"),
    ("XGID=-b----E-C---eE---c-e----B-:0:0:0:00:0:0:0:0:10", "it is nobody's turn before the opening roll"),
    ("W:W5:B1", "the game is over"),
])  # fmt: skip
def test_what_cannot_be_analysed_is_refused(what: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        said("analyse", what)


def test_the_signature_is_the_same_every_time() -> None:
    once, again = (
        [line.split(",")[0] for line in said("bench", "backgammon").splitlines() if "signature" in line] for _ in "ab"
    )
    assert once == again
    assert once[0].startswith("backgammon: signature ")
