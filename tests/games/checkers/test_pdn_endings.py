"""Game files of checkers: who won, and why."""

from __future__ import annotations

from ludus.core.game import Game
from ludus.core.rules import Outcome, Player, Reason
from ludus.games import GAMES

from .records import movetext, outcome, played, written


def test_one_nil_is_a_win_of_black() -> None:
    assert outcome("11-15 1-0") == Outcome(Player.FIRST, Reason.RESIGNATION)


def test_the_winner_tag_is_believed_before_the_result() -> None:
    assert outcome('[Winner "White"] 11-15 1-0') == Outcome(Player.SECOND, Reason.RESIGNATION)
    assert outcome('[Winner "draw"] 11-15 *') == Outcome(None, Reason.AGREEMENT)


def test_the_result_tag_counts_where_the_moves_end_with_a_star() -> None:
    assert outcome('[Result "0 - 1"] 11-15 *') == outcome('[Result "0-1"] 11-15') == outcome("11-15 0-1")
    assert outcome('[Result "0-1"] 11-15 1-0') == outcome("11-15 1-0")


def test_an_unknown_result_leaves_the_game_open() -> None:
    assert outcome('[Result "1+ - 1-"] 11-15') is None


def test_termination_gives_the_reason() -> None:
    assert outcome('[Termination "time"] 11-15 0-1') == Outcome(Player.SECOND, "time")
    assert outcome('[Termination "Normal"] 11-15 0-1') == Outcome(Player.SECOND, Reason.RESIGNATION)
    assert outcome('[Termination "unterminated"] 11-15 *') is None


def test_normal_is_no_reason_unless_the_winner_is_told_beside_it() -> None:
    assert outcome('[Winner "white"] [Termination "normal"] 11-15 *') == Outcome(Player.SECOND, "normal")
    assert outcome('[Winner "white"] [Termination ""] 11-15 *') == Outcome(Player.SECOND, Reason.RESIGNATION)


def test_the_result_tag_may_have_a_half_sign() -> None:
    assert outcome('[Result "½-½"] 11-15') == Outcome(None, Reason.AGREEMENT)


def test_the_board_is_believed_before_all() -> None:
    tags = '[FEN "W:W11:B7"] [Winner "black"] [Termination "time"]'
    assert outcome(f"{tags} 11x2 1-0") == Outcome(Player.SECOND, Reason.NO_PIECES)


def test_a_start_can_be_the_end() -> None:
    assert outcome('[FEN "W:W5:B1"] 0-1') == Outcome(Player.FIRST, Reason.NO_MOVES)
    assert outcome('[FEN "B:WK30:BK1:H80"] *') == Outcome(None, Reason.FORTY_MOVES)


def test_the_winner_is_always_written() -> None:
    game = played("11-15")
    game.resign(Player.FIRST)
    assert '[Result "0-1"]\n[GameType "21"]\n[Winner "white"]\n\n1. 11-15 0-1\n' in written(game)
    assert '[Winner "white"]' in written(played("11x2", fen="W:W11:B7"))


def test_an_unusual_reason_is_written() -> None:
    for ending in (
        Outcome(Player.FIRST, "time"),
        Outcome(None, "resignation"),
        Outcome(Player.SECOND, "agreement"),
        Outcome(Player.SECOND, "normal"),
    ):
        game = played("11-15")
        game.end(ending)
        assert f'[Termination "{ending.reason}"]' in written(game)


def test_an_end_on_the_board_needs_no_reason() -> None:
    circling = ("1-6", "32-27", "6-1", "27-32") * 2
    for game in (played(*circling, fen="B:WK32:BK1"), played(fen="B:WK32:BK1:H80"), played(fen="W:W5:B1")):
        assert game.outcome
        assert "Termination" not in written(game)


def test_a_double_forfeit_is_no_draw() -> None:
    game = played()
    game.end(Outcome(None, "double_forfeit"))
    assert movetext(game) == "0-0"


def test_a_cancelled_game_has_no_result_and_is_read_back_as_cancelled() -> None:
    game = Game(GAMES["checkers"])
    game.play("11-15")
    game.end(Outcome(None, Reason.CANCELLED))
    text = game.rules.notation.write_games([game])
    assert '[Result "*"]' in text and '[Termination "cancelled"]' in text and "Winner" not in text
    assert game.rules.notation.read_games(text) == [game]


def test_a_winner_is_kept_whatever_the_reason_is_called() -> None:
    game = Game(GAMES["checkers"])
    game.end(Outcome(Player.FIRST, Reason.CANCELLED))
    text = game.rules.notation.write_games([game])
    assert '[Result "1-0"]' in text
    assert game.rules.notation.read_games(text) == [game]
