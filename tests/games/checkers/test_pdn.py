"""Game files: what is understood, what is written, and that the one undoes the other."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ludus.core.errors import BadInput, IllegalMove, MalformedRecord
from ludus.core.game import Game
from ludus.core.rules import Outcome, Player, Reason
from ludus.games.checkers import pdn
from ludus.games.checkers.position import SQUARES, STANDARD, Move, Position
from ludus.games.checkers.rules import Checkers

RULES = Checkers()
READ = RULES.notation.read_games
ANNOTATED = (Path(__file__).parent / "data" / "annotated.pdn").read_text(encoding="utf-8")
DETOUR = "W:WK15:BK10,K18,K19,K26,K27"

Record = Game[Position, Move]


def one(text: str) -> Record:
    [game] = READ(text)
    return game


def moves(game: Record) -> list[str]:
    played = zip(game.positions, game.moves, strict=False)
    return [RULES.notation.write_move(position, move) for position, move in played]


def outcome(text: str) -> Outcome | None:
    return one(text).outcome


def problem(text: str) -> str:
    with pytest.raises(MalformedRecord) as caught:
        READ(text)
    return str(caught.value)


def written(game: Record) -> str:
    text = pdn.write(RULES, [game])
    assert READ(text) == [game]
    return text


def movetext(game: Record) -> str:
    return written(game).partition("\n\n")[2].removesuffix("\n")


def played(*texts: str, fen: str = "") -> Record:
    game: Record = Game(RULES, start=RULES.notation.read_position(fen) if fen else None)
    for text in texts:
        game.play(text)
    return game


class TestReading:
    def test_an_annotated_file_is_understood(self) -> None:
        game, study, tagless, unplayed, forfeit, last = READ(ANNOTATED)
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
    def test_a_file_may_have_no_games(self, text: str) -> None:
        assert READ(text) == []

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
    def test_move_numbers_and_blanks_do_not_matter(self, text: str) -> None:
        assert moves(one(text)) == ["11-15", "23-19"]

    def test_a_star_at_a_move_is_praise_and_alone_it_ends_the_game(self) -> None:
        assert [moves(game) for game in READ("11-15* 23-19!* * 9-13 *")] == [["11-15", "23-19"], ["9-13"]]

    def test_results_end_games(self) -> None:
        games = READ("9-13 1-0 9-13 0-1 9-13 2-0 9-13 0-2 9-13 1-1 9-13 1/2-1/2 9-13 0-0 9-13 *")
        assert [game.outcome and game.outcome.winner for game in games] == [0, 1, 0, 1, None, None, None, None]
        assert [game.outcome is None for game in games] == [False] * 7 + [True]

    def test_a_number_can_stand_for_a_game_without_moves(self) -> None:
        assert outcome("1. 2-0") == Outcome(Player.FIRST, Reason.RESIGNATION)

    def test_tags_after_moves_begin_the_next_game(self) -> None:
        assert [game.tags for game in READ('9-13 [Event "b"] 9-13 [Event "c"]')] == [
            {},
            {"Event": "b"},
            {"Event": "c"},
        ]

    def test_a_comment_between_games_belongs_to_the_first(self) -> None:
        first, second = READ("9-13 * {one} ; two\n 9-14 {three}")
        assert (first.comments, second.comments) == ({1: "one two"}, {1: "three"})

    def test_variations_are_passed_over_whatever_they_hold(self) -> None:
        assert moves(one("11-15 (or 9-13 (see (7) { ) }) ; )\n%)\n maybe) 23-19")) == ["11-15", "23-19"]

    def test_game_type_21_is_understood(self) -> None:
        for kind in ("21", "21,B,8,8,N1,0", "21, W, 8, 8, N1", "?", ""):
            assert one(f'[GameType "{kind}"] *').tags == {}

    def test_a_position_is_set_up_by_tag_or_in_the_moves(self) -> None:
        games = READ(f'[SetUp "1"] [FEN "{DETOUR}"] 1... 15x6 * /FEN "{DETOUR}"/ 1... 15x6')
        assert games == [played("15x6", fen=DETOUR)] * 2

    def test_unknown_values_of_the_usual_tags_are_not_kept(self) -> None:
        assert one('[Event "?"] [Date "????.??.??"] [Round ""] [Opening "?"] *').tags == {"Round": "", "Opening": "?"}


class TestResult:
    def test_one_nil_is_a_win_of_black(self) -> None:
        assert outcome("11-15 1-0") == Outcome(Player.FIRST, Reason.RESIGNATION)

    def test_the_winner_tag_is_believed_before_the_result(self) -> None:
        assert outcome('[Winner "White"] 11-15 1-0') == Outcome(Player.SECOND, Reason.RESIGNATION)
        assert outcome('[Winner "draw"] 11-15 *') == Outcome(None, Reason.AGREEMENT)

    def test_the_result_tag_counts_where_the_moves_end_with_a_star(self) -> None:
        assert outcome('[Result "0 - 1"] 11-15 *') == outcome('[Result "0-1"] 11-15') == outcome("11-15 0-1")
        assert outcome('[Result "0-1"] 11-15 1-0') == outcome("11-15 1-0")

    def test_an_unknown_result_leaves_the_game_open(self) -> None:
        assert outcome('[Result "1+ - 1-"] 11-15') is None

    def test_termination_gives_the_reason(self) -> None:
        assert outcome('[Termination "time"] 11-15 0-1') == Outcome(Player.SECOND, "time")
        assert outcome('[Termination "Normal"] 11-15 0-1') == Outcome(Player.SECOND, Reason.RESIGNATION)
        assert outcome('[Termination "unterminated"] 11-15 *') is None

    def test_the_board_is_believed_before_all(self) -> None:
        tags = '[FEN "W:W11:B7"] [Winner "black"] [Termination "time"]'
        assert outcome(f"{tags} 11x2 1-0") == Outcome(Player.SECOND, Reason.NO_PIECES)

    def test_a_start_can_be_the_end(self) -> None:
        assert outcome('[FEN "W:W5:B1"] 0-1') == Outcome(Player.FIRST, Reason.NO_MOVES)
        assert outcome('[FEN "B:WK30:BK1:H80"] *') == Outcome(None, Reason.FORTY_MOVES)


class TestWriting:
    def test_the_usual_tags_come_first(self) -> None:
        game = played("11-15")
        game.tags.update(Opening="Old Fourteenth", White="Ben", Event="Evening")
        assert written(game) == (
            '[Event "Evening"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n[Black "?"]\n'
            '[White "Ben"]\n[Result "*"]\n'
            '[GameType "21"]\n[Opening "Old Fourteenth"]\n\n1. 11-15 *\n'
        )

    def test_games_are_parted_by_an_empty_line(self) -> None:
        assert pdn.write(RULES, [played(), played()]).count('\n*\n\n[Event "?"]') == 1
        assert pdn.write(RULES, []) == ""

    def test_the_winner_is_always_told(self) -> None:
        game = played("11-15")
        game.resign(Player.FIRST)
        assert '[Result "0-1"]\n[GameType "21"]\n[Winner "white"]\n\n1. 11-15 0-1\n' in written(game)
        assert '[Winner "white"]' in written(played("11x2", fen="W:W11:B7"))

    def test_an_unusual_reason_is_told(self) -> None:
        for ending in (
            Outcome(Player.FIRST, "time"),
            Outcome(None, "resignation"),
            Outcome(Player.SECOND, "agreement"),
        ):
            game = played("11-15")
            game.end(ending)
            assert f'[Termination "{ending.reason}"]' in written(game)

    def test_an_end_on_the_board_needs_no_reason(self) -> None:
        circling = ("1-6", "32-27", "6-1", "27-32") * 2
        for game in (played(*circling, fen="B:WK32:BK1"), played(fen="B:WK32:BK1:H80"), played(fen="W:W5:B1")):
            assert game.outcome
            assert "Termination" not in written(game)

    def test_a_double_forfeit_is_no_draw(self) -> None:
        game = played()
        game.end(Outcome(None, "double_forfeit"))
        assert movetext(game) == "0-0"

    def test_the_start_is_told_where_it_is_not_the_usual_one(self) -> None:
        game = played("15x22x31x24x15x6", fen=DETOUR)
        assert f'[SetUp "1"]\n[FEN "{DETOUR}"]' in written(game)
        assert movetext(game) == "1... 15x22x31x24x15x6 0-1"

    def test_moves_are_numbered_from_the_side_that_begins(self) -> None:
        assert movetext(played("9-14", "22-18", "5-9")) == "1. 9-14 22-18 2. 5-9 *"
        assert movetext(played("22-18", "9-14", "18x9", fen="W:W21-32:B1-12")) == "1... 22-18 2. 9-14 18x9 *"

    def test_a_comment_is_followed_by_a_number(self) -> None:
        game = played("11-15", "23-19")
        game.comments.update({0: "before", 1: "between", 2: ""})
        assert movetext(game) == "{before} 1. 11-15 {between} 1... 23-19 {} *"

    def test_lines_have_80_columns_at_most(self) -> None:
        game = played("11-15")
        game.comments[1] = "many words " * 50 + "x" * 100
        lines = movetext(game).splitlines()
        assert max(len(line) for line in lines if "xxx" not in line) in range(70, 81)

    def test_what_cannot_stand_in_a_comment_is_escaped(self) -> None:
        game = played()
        game.comments[0] = " a}  b\n\\"
        assert movetext(game) == r"{\u0020a\u007d \u0020b\u000a\\} *"

    def test_what_cannot_stand_in_a_tag_is_escaped(self) -> None:
        game = played()
        game.tags["Event"] = 'a "b"\\\n]'
        assert r'[Event "a \"b\"\\\u000a]"]' in written(game)

    def test_tags_that_the_game_knows_better_are_not_copied(self) -> None:
        game = played()
        game.tags.update(Result="1-0", winner="black", fen="x")
        assert one(pdn.write(RULES, [game])) == played()

    def test_a_tag_needs_a_name_that_can_be_read(self) -> None:
        game = played()
        game.tags["my tag"] = "x"
        with pytest.raises(BadInput, match="'my tag' cannot be the name of a tag"):
            pdn.write(RULES, [game])


class TestProblems:
    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("\n\n11-16 23-19\n11-15", "line 4: 11-15 is not legal here: square 11 is empty"),
            ('[Event "a"]\r\n\r\n1. 11-15 11-16', "line 3: 11-16 is not legal here"),
            ("11-15\r23-19\r1-0x", "line 3: 'x' is not a move, tag, comment or result"),
            ('[FEN "W:WK7:B10,11,18,19"]\n7x7', "line 2: 7x7 can be 7x14"),
            ("{two\nlines} 11-55", "line 2: '11-55': squares are numbered 1 to 32"),
            ("11-15 (two\nlines) 23-19\n1118", "line 3: '1118' is not a move, tag, comment or result"),
            ("\n11-15 {not\nclosed", "line 2: the comment that begins here is not closed"),
            ("\n11-15 (not (closed)\n", "line 2: the variation that begins here is not closed"),
            ("11-15\n)", "line 2: a ) closes a variation that was never opened"),
            ("11-15\n}", "line 2: a } closes a comment that was never opened"),
            ('[Event "a"]\n[Site "b]\n[Round "1"]', 'line 2: a tag is written [Name "value"]'),
            ("11-15\n/FEN/", "line 2: a position is set up with /FEN"),
            (f'11-15\n/FEN "{DETOUR}"/', "line 2: a position can be set up at the start of a game only"),
            ('[Event "a"]\n[FEN "B:W99:B1"]\n*', "line 2: '99' is not a piece"),
            ('\n[GameType "25,W,8,8,A0,0"]\nc3-d4', "line 2: game type '25,W,8,8,A0,0' is not English draughts"),
            ('[GameType "21,B,10,10,N1,0"]', "line 1: game type '21,B,10,10,N1,0' is not"),
            ('[GameType "२१"]', "line 1: game type '२१' is not"),
            ('[Black "a"]\n[Black "b"]', "line 2: the tag Black is there twice"),
            ('[Event "a"]\n[Winner "Fiona"]\n*', "line 2: the winner 'Fiona' is not black, white, draw"),
            ('[FEN "W:W11:B7"]\n11x2\n2-6', "line 3: 2-6 comes after the end: no_pieces"),
            ("9-13 *\n*", "line 2: the result * has no game before it"),
            ("११-१५", "line 1: '११-१५' is not a move, tag, comment or result"),
            ("11-15 \0", "line 1: '\\x00' is not a move"),
            ("x" * 16_000_001, "line 1: a file of more than 16,000,000 characters is not read"),
        ],
    )
    def test_what_is_wrong_is_told_with_its_line(self, text: str, told: str) -> None:
        assert problem(text).startswith(told)

    def test_the_cause_of_a_bad_move_is_kept(self) -> None:
        with pytest.raises(MalformedRecord) as caught:
            READ("11-20")
        assert isinstance(caught.value.__cause__, IllegalMove)

    @pytest.mark.parametrize(
        "text", ["(", "((", "{", "[", "/", "1", "1x", "1.", '[A "', "\\", "{}", "()", "!", "$", "*", "%\n", ";", "\n"]
    )
    def test_much_of_anything_is_read_or_refused(self, text: str) -> None:
        try:
            READ(text * (300_000 // len(text)))
        except MalformedRecord as error:
            assert len(str(error)) < 200


ODD_TEXT = st.text() | st.text(' \t\n\r}{"\\u0d%;()[]\xa0\u2028é', max_size=200) | st.text(" ab", max_size=300)
SPOKEN_FOR = set(pdn.DERIVED)


@st.composite
def positions(draw: st.DrawFn) -> Position:
    squares = draw(st.lists(st.sampled_from(SQUARES), unique=True, max_size=16))
    cut = draw(st.integers(max(0, len(squares) - 12), min(12, len(squares))))
    kings = draw(st.sets(st.sampled_from(SQUARES)))
    white = [f"K{s}" if s in kings or s <= 4 else f"{s}" for s in squares[:cut]]
    black = [f"K{s}" if s in kings or s >= 29 else f"{s}" for s in squares[cut:]]
    fen = f"{draw(st.sampled_from('BW'))}:W{','.join(white)}:B{','.join(black)}:H{draw(st.integers(0, 80))}"
    return RULES.notation.read_position(fen)


@st.composite
def endings(draw: st.DrawFn) -> Outcome:
    reasons = st.sampled_from([*Reason, "time", "double_forfeit"]) | ODD_TEXT
    reason = draw(reasons.filter(lambda reason: reason.lower() not in pdn.NO_REASON))
    return Outcome(draw(st.sampled_from([*Player, None])), reason)


@st.composite
def tags(draw: st.DrawFn) -> dict[str, str]:
    names = st.sampled_from(list(pdn.UNKNOWN)) | st.from_regex(r"[A-Za-z0-9_]+", fullmatch=True)
    given_tags = draw(st.dictionaries(names, ODD_TEXT, max_size=4))
    return {
        name: value
        for name, value in given_tags.items()
        if name.lower() not in SPOKEN_FOR and value != pdn.UNKNOWN.get(name)
    }


@st.composite
def games(draw: st.DrawFn) -> Record:
    game: Record = Game(RULES, start=draw(st.just(STANDARD) | positions()), tags=draw(tags()))
    for choice in draw(st.lists(st.integers(0, 99), max_size=60)):
        if game.outcome:
            break
        legal = game.legal_moves()
        game.play(legal[choice % len(legal)])
    if not game.outcome and draw(st.booleans()):
        game.end(draw(endings()))
    game.comments.update(draw(st.dictionaries(st.integers(0, len(game.moves)), ODD_TEXT, max_size=3)))
    return game


@settings(deadline=None)
@given(st.lists(games(), max_size=3))
def test_games_written_and_read_again_are_the_same(some: list[Record]) -> None:
    text = pdn.write(RULES, some)
    assert READ(text) == some
    assert pdn.write(RULES, READ(text)) == text


@settings(deadline=None)
@given(games(), st.sampled_from(["\r", "\r\n"]))
def test_line_ends_of_any_kind_are_understood(game: Record, end: str) -> None:
    assert READ(pdn.write(RULES, [game]).replace("\n", end)) == [game]


def read_or_refuse(text: str) -> None:
    try:
        some = READ(text)
    except MalformedRecord as error:
        assert 1 <= error.line <= 1 + text.count("\n") + text.count("\r")
    else:
        assert READ(pdn.write(RULES, some)) == some


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
