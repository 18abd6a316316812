"""Game files of checkers: what is understood, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ludus.core.errors import IllegalMove, MalformedRecord
from ludus.core.rules import Outcome, Player, Reason

from .records import DETOUR, RULES, moves, one, outcome, played, read, write

ANNOTATED = (Path(__file__).parent / "data" / "annotated.pdn").read_text(encoding="utf-8")


def problem(text: str) -> str:
    with pytest.raises(MalformedRecord) as caught:
        read(text)
    return str(caught.value)


def test_an_annotated_file_is_understood() -> None:
    game, study, tagless, unplayed, forfeit, last = read(ANNOTATED)
    assert " ".join(moves(game)) == "11-15 23-19 8-11 22-17 4-8 17-13 15-18 24-20 11-15 28-24 8-11 26-23"
    assert game.tags == {
        "Event": 'The "Old Fourteenth" evening',
        "Site": "Glasgow SCO",
        "Date": "1998.03.14",
        "Black": "McIntyre, Fiona",
        "White": "Okafor, Ben",
        "Annotator": "C:\\Games",
    }
    assert game.comments == {
        0: "Three games and a study Ben's first season",
        4: "This and the next move make the opening.",
        7: "the usual move (others lose)",
        12: "[%clk 0:42:10] Ben smiled. Fiona had to catch her train.",
    }
    assert game.outcome == Outcome(Player.SECOND, Reason.RESIGNATION)
    assert study.comments == {0: "Not 15x6, which takes one."}
    assert study.outcome == Outcome(Player.SECOND, Reason.NO_PIECES)
    assert (moves(tagless), tagless.tags) == (["9-14", "22-18"], {})
    assert unplayed.tags == {"Event": "A game not played", "White": "Okafor, Ben"}
    assert unplayed.outcome == Outcome(Player.FIRST, Reason.RESIGNATION)
    assert forfeit.outcome == Outcome(None, "double_forfeit")
    assert (last.start.quiet, moves(last), last.outcome, last.tags) == (12, ["9-14", "30-26"], None, {})


@pytest.mark.parametrize("text", ["", " \n", "% nothing\n", "{a word} ; and another\n", "\ufeff"])
def test_a_file_may_have_no_games(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "11-15 23-19",
        "1.11-15 23-19",
        "1. 11-15 1... 23-19",
        "1. 11 - 15 1. ... 23-19",
        "17.11-15\r\n23-19 *",
        "11-15! 23-19?",
    ],
)
def test_move_numbers_and_blanks_do_not_matter(text: str) -> None:
    assert moves(one(text)) == ["11-15", "23-19"]


def test_a_star_at_a_move_is_praise_and_alone_it_ends_the_game() -> None:
    assert [moves(game) for game in read("11-15* 23-19!* * 9-13 *")] == [["11-15", "23-19"], ["9-13"]]


def test_signs_have_other_spellings() -> None:
    assert read("11–15 22-18 15X22 ½-½") == read("11-15 22 – 18 15×22 1/2–1/2") == read("11-15 22-18 15x22 1/2-1/2")


def test_a_result_that_is_there_twice_ends_one_game() -> None:
    assert [moves(game) for game in read("9-13 1-0\n{bye} 1-0\n9-14 * *")] == [["9-13"], ["9-14"]]


def test_results_end_games() -> None:
    games = read("9-13 1-0 9-13 0-1 9-13 2-0 9-13 0-2 9-13 1-1 9-13 1/2-1/2 9-13 0-0 9-13 *")
    assert [game.outcome and game.outcome.winner for game in games] == [0, 1, 0, 1, None, None, None, None]
    assert [game.outcome is None for game in games] == [False] * 7 + [True]


def test_a_number_can_stand_for_a_game_without_moves() -> None:
    assert outcome("1. 2-0") == Outcome(Player.FIRST, Reason.RESIGNATION)


def test_tags_after_moves_begin_the_next_game() -> None:
    assert [game.tags for game in read('9-13 [Event "b"] 9-13 [Event "c"]')] == [
        {},
        {"Event": "b"},
        {"Event": "c"},
    ]


def test_a_comment_between_games_belongs_to_the_first() -> None:
    first, second = read("9-13 * {one} ; two\n 9-14 {three}")
    assert (first.comments, second.comments) == ({1: "one two"}, {1: "three"})


def test_variations_are_passed_over_whatever_they_hold() -> None:
    assert moves(one("11-15 (or 9-13 (see (7) { ) }) ; )\n%)\n maybe) 23-19")) == ["11-15", "23-19"]


def test_game_type_21_is_understood() -> None:
    for kind in ("21", "21,B,8,8,N1,0", "21, W, 8, 8, N1", "?", ""):
        assert one(f'[GameType "{kind}"] *').tags == {}


def test_a_position_is_set_up_by_tag_or_in_the_moves() -> None:
    games = read(f'[SetUp "1"] [FEN "{DETOUR}"] 1... 15x6 * /FEN "{DETOUR}"/ 1... 15x6')
    assert games == [played("15x6", fen=DETOUR)] * 2


def test_unknown_values_of_the_usual_tags_are_not_kept() -> None:
    assert one('[Event "?"] [Date "????.??.??"] [Round ""] [Opening "?"] *').tags == {"Round": "", "Opening": "?"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n\n11-16 23-19\n11-15", "line 4: 11-15 is not legal here: square 11 is empty"),
        ('[Event "a"]\r\n\r\n1. 11-15 11-16', "line 3: 11-16 is not legal here"),
        ("11-15\r23-19\r1-0x", "line 3: 'x' is not a move, tag, comment or result"),
        ('[FEN "W:WK7:B10,11,18,19"]\n7x7', "line 2: 7x7 can be 7x14"),
        ("{two\nlines} 11-55", "line 2: '11-55': squares are numbered 1 to 32"),
        ("11-15 (two\nlines) 23-19\n111", "line 3: '111' is not a move, tag, comment or result"),
        ("\n11-15 {not\nclosed", "line 2: the comment that begins here is not closed"),
        ("\n11-15 (not (closed)\n", "line 2: the variation that begins here is not closed"),
        ("11-15\n)", "line 2: a ) closes a variation that was never opened"),
        ("11-15\n}", "line 2: a } closes a comment that was never opened"),
        ('[Event "a"]\n[Site "b]\n[Round "1"]', 'line 2: a tag is written [Name "value"]'),
        ("11-15\n/FEN/", "line 2: a position is set up with /FEN"),
        (f'11-15\n/FEN "{DETOUR}"/', "line 2: a position can only be set up at the start of a game"),
        ('[Event "a"]\n[FEN "B:W99:B1"]\n*', "line 2: '99' is not a piece"),
        ('\n[GameType "25,W,8,8,A0,0"]\nc3-d4', "line 2: game type '25,W,8,8,A0,0' is not English draughts"),
        ('[GameType "21,B,10,10,N1,0"]', "line 1: game type '21,B,10,10,N1,0' is not"),
        ('[GameType "२१"]', "line 1: game type '२१' is not"),
        ('[Event "a"]\n[Winner "Fiona"]\n*', "line 2: the winner 'Fiona' is not black, white, draw"),
        ('[FEN "W:W11:B7"]\n11x2\n2-6', "line 3: 2-6 comes after the end: no_pieces"),
        ("9-13 0-1\n1-0", "line 2: the result 1-0 has no game before it"),
        ("११-१५", "line 1: '११-१५' is not a move, tag, comment or result"),
        ("11-15 \0", "line 1: '\\x00' is not a move"),
        ("x" * 16_000_001, "line 1: a file of more than 16,000,000 characters is not read"),
    ],
)
def test_mistakes_are_reported_with_their_line(text: str, message: str) -> None:
    assert problem(text).startswith(message)


def test_games_before_a_bad_one_are_read() -> None:
    games = RULES.notation.each_game('[Event "a"] 9-13 * [Event "b"] 9-13 1-2 *')
    assert next(games).tags == {"Event": "a"}
    with pytest.raises(MalformedRecord, match="1-2 is not legal here"):
        next(games)


def test_reading_goes_on_with_the_next_game_when_asked() -> None:
    text = """[Event "good"]
9-13 *
[Event "illegal"]
9-13 1-2 24-19 *
9-14 22-17 *
[Event "tag"]
[Bad tag
[Site "here"]

9-13 22-17 *

[Event "variation"]
9-13 ( 22-18 {closed}
[Event "word"]
9-13 (9-14) hello 22-17 *
[Event "fen"]
[FEN "x"]
9-13
[Event "winner"]
[Winner "me"]
9-13 *
[Event "also good"]
9-13 (9-14) 22-17 1-0
[Event "comment"]
9-13 {open
"""
    skipped: list[MalformedRecord] = []
    games = RULES.notation.read_games(text, errors="skip", skipped=skipped)
    assert [game.tags.get("Event") for game in games] == ["good", None, "also good"]
    assert [(problem.line, problem.problem.partition(":")[0]) for problem in skipped] == [
        (4, "1-2 is not legal here"),
        (7, 'a tag is written [Name "value"]'),
        (13, "the variation that begins here is not closed"),
        (15, "'hello' is not a move, tag, comment or result"),
        (17, "'x' is not a FEN such as B"),
        (20, "the winner 'me' is not black, white, draw"),
        (25, "the comment that begins here is not closed"),
    ]
    assert RULES.notation.read_games(text, errors="skip") == games


@pytest.mark.parametrize("piece", ["(", "{", "[", '[A "b"] (\n', '[A "b"] {\n', '[A "b"] 1 (2\n', "1-2 *\n"])
def test_a_long_file_without_a_good_game_is_skipped(piece: str) -> None:
    """If each problem took a search of the whole file, this would not end."""
    assert RULES.notation.read_games(piece * (100_000 // len(piece)), errors="skip") == []


@pytest.mark.parametrize(("text", "is_game"), [
    ('[Event "x"]\n\n1. 11-15 22-18', True), ("{first} 11x18", True), ("11-15", True), ("", False), ("Hello", False),
    (" 3 point match\n\n Game 1\n Ann : 0   Bob : 0\n  1) 31: 8/5 6/5", False), ('{"game": "checkers"}', False),
])  # fmt: skip
def test_a_file_without_a_name_is_recognized(text: str, is_game: bool) -> None:
    assert RULES.notation.recognizes(text) is is_game


def test_the_cause_of_a_bad_move_is_kept() -> None:
    with pytest.raises(MalformedRecord) as caught:
        read("11-20")
    assert isinstance(caught.value.__cause__, IllegalMove)


@pytest.mark.parametrize(
    "text", ["(", "((", "{", "[", "/", "1", "1x", "1.", '[A "', "\\", "{}", "()", "!", "$", "*", "%\n", ";", "\n"]
)
def test_much_of_anything_is_read_or_refused(text: str) -> None:
    try:
        read(text * (300_000 // len(text)))
    except MalformedRecord as error:
        assert len(str(error)) < 200


def read_or_refuse(text: str) -> None:
    try:
        some = read(text)
    except MalformedRecord as error:
        assert 1 <= error.line <= 1 + text.count("\n") + text.count("\r")
    else:
        assert read(write(*some)) == some


WORDS = [
    "11-15",
    "23-19",
    "8-11",
    "1.",
    "...",
    "1-0",
    "*",
    "{",
    "}",
    "(",
    ")",
    ";",
    "%",
    "\n",
    '[Event "a"]',
    '[FEN "',
    '"]',
]
PATCHES = st.tuples(st.integers(0, len(ANNOTATED)), st.integers(0, 9), st.sampled_from(WORDS) | st.text(max_size=5))


@settings(deadline=None)
@given(st.text() | st.lists(st.sampled_from(WORDS)).map(" ".join))
@example("[" * 9)
def test_any_text_is_read_or_refused(text: str) -> None:
    read_or_refuse(text)


@settings(deadline=None)
@given(st.lists(PATCHES, min_size=1, max_size=3))
def test_a_damaged_file_is_read_or_refused(patches: list[tuple[int, int, str]]) -> None:
    text = ANNOTATED
    for start, length, patch in patches:
        text = text[:start] + patch + text[start + length :]
    read_or_refuse(text)
