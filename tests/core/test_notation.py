"""Game files as JSON lines, over checkers' moves and positions."""

from __future__ import annotations

import json

import pytest

from ludus import GAMES, Game, Outcome, Player
from ludus.core.errors import MalformedRecord
from ludus.core.notation import JsonNotation, decode
from ludus.games.checkers.position import Move, Position

RULES = GAMES["checkers"]


class Notation(JsonNotation[Position, Move]):
    def write_position(self, position: Position) -> str:
        return RULES.notation.write_position(position)

    def read_position(self, text: str) -> Position:
        position: Position = RULES.notation.read_position(text)
        return position


NOTATION = Notation(RULES)


def game() -> Game[Position, Move]:
    game = Game(RULES, tags={"Event": 'An "odd"\nname'})
    game.play("11-15")
    game.comments[1] = "hm"
    game.end(Outcome(Player.SECOND, "time"))
    return game


def test_games_are_lines_that_read_back() -> None:
    text = NOTATION.write_games([game(), Game(RULES)])
    assert text.count("\n") == 2
    assert NOTATION.read_games(text) == [game(), Game(RULES)]
    assert NOTATION.read_games(f"\ufeff\n{text}\n") == [game(), Game(RULES)]


def test_a_draw_reads_back() -> None:
    drawn = Game(RULES)
    drawn.agree_draw()
    assert NOTATION.read_games(NOTATION.write_games([drawn])) == [drawn]


def test_a_game_that_went_on_after_a_third_repetition_reads_back() -> None:
    endless = Game(RULES, start=RULES.notation.read_position("B:WK32:BK1"))
    for move in ("1-6", "32-27", "6-1", "27-32") * 3:
        endless.play_on()
        endless.play(move)
    assert NOTATION.read_games(NOTATION.write_games([endless])) == [endless]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_files_are_utf_8_or_utf_16_or_what_older_programs_write(encoding: str) -> None:
    assert decode("José 11–15 ½-½\r\nb\rc".encode(encoding)) == "José 11–15 ½-½\nb\nc"
    assert decode(b"\x81\xff") == "\ufffdÿ"
    assert decode(b"\xff\xfeab!") == "ÿþab!"


@pytest.mark.parametrize("change", [
    {"moves": ["11-18"]}, {"moves": [7]}, {"start": "nonsense"}, {"start": None}, {"tags": {"Event": 1}},
    {"comments": {"one": "hm"}}, {"ending": "won"}, {"ending": [2, "time", 1]}, {"ending": [0, "time", 9]},
])  # fmt: skip
def test_a_mistake_is_reported_with_its_line(change: dict[str, object]) -> None:
    data = json.loads(NOTATION.write_games([game()])) | change
    text = NOTATION.write_games([game()]) + json.dumps(data)
    games = NOTATION.each_game(text)
    assert next(games) == game()
    with pytest.raises(MalformedRecord, match="line 2"):
        next(games)


@pytest.mark.parametrize("text", ["{", "[]", "7", "null", "[" * 100_000])
def test_a_line_that_is_no_game_is_refused(text: str) -> None:
    with pytest.raises(MalformedRecord, match="line 1"):
        NOTATION.read_games(text)


def test_lines_that_cannot_be_read_are_skipped_when_asked() -> None:
    line = NOTATION.write_games([game()])
    skipped: list[MalformedRecord] = []
    assert NOTATION.read_games(f"{line}nonsense\n[]\n{line}", errors="skip", skipped=skipped) == [game(), game()]
    assert [problem.line for problem in skipped] == [2, 3]
    assert NOTATION.read_games("nonsense", errors="skip") == []


@pytest.mark.parametrize(("text", "is_game"), [
    ('\ufeff\n{"game": "checkers"}\n{', True), ('{"game": "chess"}', False), ("7", False), ("", False),
    ("[" * 100_000, False),
])  # fmt: skip
def test_a_file_names_its_game(text: str, is_game: bool) -> None:
    assert NOTATION.recognizes(text) is is_game


def test_an_ending_may_have_a_stake() -> None:
    data = json.loads(NOTATION.write_games([game()])) | {"ending": [0, "time", 1]}
    (short,) = NOTATION.read_games(json.dumps(data))
    assert short.ending == Outcome(Player.FIRST, "time", 1, 1)
