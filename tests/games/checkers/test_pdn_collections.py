"""Public collections are read although they are not all PDN."""

from __future__ import annotations

import itertools
from random import Random

import pytest

from ludus.core.errors import MalformedRecord
from ludus.core.rules import Outcome, Player, Reason

from .collections import STYLES, Record, random_game, written
from .records import RULES, moves, one, outcome, played, read, write

CIRCLING = ("1-6", "32-27", "6-1", "27-32")
KINGS = "B:WK32:BK1"


@pytest.fixture(scope="module")
def games() -> list[Record]:
    """With some in which a position occurs a third time and the game goes on."""
    rng = Random(18)
    return [random_game(RULES, rng) for _ in range(40)]


def test_games_go_on_after_a_third_repetition(games: list[Record]) -> None:
    assert any(has_unclaimed_draw(game) for game in games)


def has_unclaimed_draw(game: Record) -> bool:
    keys = [RULES.repeats(position) for position in game.positions[:-1]]
    return any(keys.count(key) >= 3 for key in keys)


@pytest.mark.parametrize("style", STYLES)
def test_a_collection_is_read_in_every_style(games: list[Record], style: str) -> None:
    found = read(written(games, itertools.repeat(STYLES[style])))
    assert [game.moves for game in found] == [game.moves for game in games]
    if style != "prose_for_tags":
        assert [who_won(game) for game in found] == [who_won(game) for game in games]


def test_a_collection_may_change_its_style(games: list[Record]) -> None:
    styles = [write for name, write in STYLES.items() if name != "prose_for_tags"]
    found = read(written(games, itertools.cycle(styles)))
    assert [(game.moves, who_won(game)) for game in found] == [(game.moves, who_won(game)) for game in games]


def who_won(game: Record) -> tuple[bool, Player | None]:
    return game.outcome is not None, game.outcome.winner if game.outcome else None


def test_the_sign_of_a_move_does_not_matter() -> None:
    assert moves(one("11x15 22x18 15-22 25-18")) == ["11-15", "22-18", "15x22", "25x18"]


def test_a_chain_may_be_written_jump_by_jump() -> None:
    fen = '[FEN "B:W6,15,31:B1,9"]'
    assert moves(one(f"{fen} 1x10 10x19 31-27")) == ["1x19", "31-27"]
    assert moves(one(f"{fen} 1. 1x10 {{and}} 10x19")) == ["1x19"]


@pytest.mark.parametrize("rest", ["", "*", "31-27", "9-14", '[Event "next"]'])
def test_half_a_chain_is_refused(rest: str) -> None:
    with pytest.raises(MalformedRecord, match="line 2: 1x10 is not legal here: a jump is available and must be comp"):
        read(f'[FEN "B:W6,15,31:B1,9"]\n1x10\n{rest}')


def test_of_a_tag_that_occurs_twice_the_first_value_counts() -> None:
    assert one('[Black "a"]\n[Black "b"]\n[Date "????.??.??"]\n[Date "1904"] *').tags == {"Black": "a", "Date": "1904"}


def test_a_later_tag_counts_if_the_first_says_nothing() -> None:
    assert one('[Event "?"]\n[Event ""]\n[Event "c"]\n[Note ""]\n[Note "d"] *').tags == {"Event": "c", "Note": "d"}


def test_a_tag_that_fills_its_line_may_have_quotes_in_it() -> None:
    assert one('[Event "The "Old" game"]\n[Site "a"] [Round "1"]\n\n9-13 *').tags == {
        "Event": 'The "Old" game', "Site": "a", "Round": "1"
    }  # fmt: skip


def test_a_result_may_follow_a_star() -> None:
    assert outcome("9-13 * 1-0") == Outcome(Player.FIRST, Reason.RESIGNATION)


def test_prose_ends_a_game_and_begins_the_next() -> None:
    text = "A book\n\nGame 1\n1. 9-13 22-17\nBlack resigned, for 13x22 loses.\n\nGame 2\n1. 11-15\nEnd"
    assert [moves(game) for game in read(text)] == [["9-13", "22-17"], ["11-15"]]


def test_another_number_one_begins_the_next_game() -> None:
    text = "1. 9-13 22-17 2. 13x22\n1. 11-15 {or 11-16} 1. ... 22-18\n1. 12-16 24-20"
    assert [moves(game) for game in read(text)] == [["9-13", "22-17", "13x22"], ["11-15", "22-18"], ["12-16", "24-20"]]


def test_after_a_bad_game_the_next_begins_with_its_number() -> None:
    skipped: list[MalformedRecord] = []
    found = RULES.notation.read_games("1. 9-13 1-2 2. 3-7\n1. 11-15 22-18", errors="skip", skipped=skipped)
    assert [moves(game) for game in found] == [["11-15", "22-18"]]
    assert [problem.line for problem in skipped] == [1]


def test_words_may_end_a_game_on_the_line_of_its_last_move() -> None:
    assert moves(one("1. 9-13 22-17 White resigns")) == ["9-13", "22-17"]
    assert outcome("1. 9-13 22-17 Black resigned here 0-1") == Outcome(Player.SECOND, Reason.RESIGNATION)


@pytest.mark.parametrize("rest", ["better 22-18", "K13x22", "or 13x22\n25x18"])
def test_words_between_moves_are_refused(rest: str) -> None:
    with pytest.raises(MalformedRecord, match=f"line 1: '{rest.split()[0].rstrip('0123456789x')}'"):
        read(f"1. 9-13 22-17 {rest}")


def test_moves_may_be_listed_in_other_ways() -> None:
    assert moves(one("1) 9-13, 22—17 2) 13−22 26x17 1/2\n\x1a")) == ["9-13", "22-17", "13x22", "26x17"]
    assert moves(one("1. 0913 2217 2. 1322 2617 *")) == ["9-13", "22-17", "13x22", "26x17"]
    assert outcome("1. 9-13 22-17 1/2") == Outcome(None, Reason.AGREEMENT)
    assert moves(one('[FEN "B:W6,15,31:B1,9"] 1-10-19 31-27')) == ["1x19", "31-27"]


def test_prose_may_come_before_the_first_move_and_before_the_result() -> None:
    text = '[Event "a"]\nNotes by Ann:\n1. 9-13 22-17\nBlack resigned\n0-1'
    assert outcome(text) == Outcome(Player.SECOND, Reason.RESIGNATION)


def test_prose_between_moves_is_refused() -> None:
    with pytest.raises(MalformedRecord, match="line 2: 'Better' is not a move, tag, comment or result"):
        read("1. 9-13 22-17\nBetter is 22-18.\n13x22")


def test_the_game_after_a_bad_one_may_begin_with_prose() -> None:
    skipped: list[MalformedRecord] = []
    found = RULES.notation.read_games("1. 9-13 1-2\nGame 2\n1. 11-15", errors="skip", skipped=skipped)
    assert [moves(game) for game in found] == [["11-15"]]
    assert [problem.line for problem in skipped] == [1]


def test_the_players_may_go_on_after_a_third_repetition() -> None:
    text = " ".join(CIRCLING * 3)
    game = one(f'[FEN "{KINGS}"] {text} 1-5 1-0')
    assert game.length == 13
    assert game.outcome == Outcome(Player.FIRST, Reason.RESIGNATION)
    assert read(write(game)) == [game]


def test_a_draw_by_repetition_stands_unless_the_file_names_a_winner() -> None:
    text = f'[FEN "{KINGS}"] {" ".join(CIRCLING * 2)}'
    assert outcome(f"{text} *") == outcome(f"{text} 1/2-1/2") == Outcome(None, Reason.REPETITION)
    assert outcome(f"{text} 0-1") == Outcome(Player.SECOND, Reason.RESIGNATION)


def test_a_game_played_on_ends_at_the_next_repetition_again() -> None:
    game = played(*CIRCLING * 2, fen=KINGS)
    assert game.outcome == Outcome(None, Reason.REPETITION)
    game.play_on()
    assert game.outcome is None
    game.play("1-6")
    assert game.outcome == Outcome(None, Reason.REPETITION)


def test_no_other_end_can_be_played_on() -> None:
    game = played("11x2", fen="W:W11:B7")
    game.play_on()
    assert game.outcome == Outcome(Player.SECOND, Reason.NO_PIECES)
    agreed = played(*CIRCLING, fen=KINGS)
    agreed.agree_draw()
    agreed.play_on()
    assert agreed.outcome == Outcome(None, Reason.AGREEMENT)
