"""A game that was not played as the document claims is detected, and the text says where."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.errors import BadInput, LudusError
from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.games import GAMES
from ludus.service import proof

from .games import SEED, TABLE, finished_game, played, texts

COMMITMENT = "accde30f3b6190e62e2bed2c0e1cf32a848711a153aeb1924fe0f67cf020ba11"


@cache
def _document(name: str) -> dict[str, Any]:
    return proof.document(*finished_game(name)[1:])


def document(name: str, **changes: Any) -> dict[str, Any]:
    return copy.deepcopy(_document(name)) | changes


def problems(checked: proof.ProofResult) -> list[str]:
    assert checked.is_good is all(check.is_good for check in checked.checks)
    return [check.text for check in checked.checks if not check.is_good]


def problem(checked: proof.ProofResult) -> str:
    (text,) = problems(checked)
    return text


def rolls(moves: list[str]) -> list[int]:
    return [i for i, text in enumerate(moves) if text.isdigit()]


def test_the_document_of_a_stored_game_tells_all() -> None:
    claim = document("backgammon")
    outcome = played("backgammon").outcome
    assert outcome and outcome.winner is not None
    assert claim.pop("moves") == texts(played("backgammon"))
    assert claim == {
        "ludus": "proof 1",
        "table": TABLE,
        "game": "backgammon",
        "variant": "standard",
        "seed": SEED.hex(),
        "commitment": COMMITMENT,
        "outcome": {"winner": ("white", "black")[outcome.winner], "reason": "borne_off", "points": outcome.points},
    }


def test_a_game_with_dice_is_proved() -> None:
    checked = proof.prove(json.loads(json.dumps(document("backgammon"))))
    game = played("backgammon")
    fallen = len(rolls(texts(game)))
    assert [check.text for check in checked.checks] == [
        f"The seed matches the commitment {COMMITMENT}.",
        f"All rolls follow from the seed ({fallen}).",
        f"All moves are legal ({len(game.moves) - fallen}).",
        "The result is correct.",
    ]
    assert checked.is_good
    assert checked.game == game


def test_a_game_without_dice_is_proved_by_its_moves_and_result() -> None:
    claim = document("checkers")
    assert claim["seed"] is claim["commitment"] is None
    checked = proof.prove(claim)
    assert [check.text for check in checked.checks] == [
        f"All moves are legal ({len(claim['moves'])}).",
        "The result is correct.",
    ]
    assert checked.is_good


def test_a_game_that_goes_on_has_no_proof() -> None:
    _, row, events = finished_game("backgammon")
    with pytest.raises(BadInput, match="when it is over"):
        proof.document(row._replace(status="live", result=None), events)


def test_another_seed_does_not_fit_the_commitment() -> None:
    found = problems(proof.prove(document("backgammon", seed="00" * 32)))
    assert found[0].startswith(f"The commitment was {COMMITMENT}, but the seed's is ")
    assert " rolls are wrong" in found[1]


def test_a_seed_of_another_table_does_not_fit() -> None:
    assert len(problems(proof.prove(document("backgammon", table="table-2")))) == 2


def test_without_a_seed_or_commitment_the_dice_are_not_proved() -> None:
    unproved = "There is no seed, so the dice cannot be verified."
    assert problem(proof.prove(document("backgammon", seed=None))) == unproved
    assert "There is no commitment" in problem(proof.prove(document("backgammon", commitment=None)))


def test_the_digits_may_be_capitals() -> None:
    assert proof.prove(document("backgammon", seed=SEED.hex().upper(), commitment=COMMITMENT.upper())).is_good


def test_a_roll_that_was_changed_is_named() -> None:
    """The last one, which nothing follows: the game was resigned on it."""
    moves = document("backgammon")["moves"]
    last = rolls(moves)[5]
    cut = [*moves[:last], "66" if moves[last] != "66" else "55"]
    outcome = {"winner": "black", "reason": "resignation", "points": 1}
    said = problem(proof.prove(document("backgammon", moves=cut, outcome=outcome)))
    assert said == f"Roll 5 (move {last + 1}) is {cut[last]}, but the seed gives {moves[last]}."


@given(data=st.data())
def test_no_roll_can_be_changed_unseen(data: st.DataObject) -> None:
    moves = document("backgammon")["moves"]
    ply = data.draw(st.sampled_from(rolls(moves)))
    one, two = data.draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
    text = f"{one}{two}" if ply == 0 else f"{max(one, two)}{min(one, two)}"
    checked = proof.prove(document("backgammon", moves=[*moves[:ply], text, *moves[ply + 1 :]]))
    assert checked.is_good is (text == moves[ply])


def test_a_roll_left_out_or_thrown_in_is_found() -> None:
    moves = document("backgammon")["moves"]
    assert "Move 3 of" in problem(proof.prove(document("backgammon", moves=moves[:2] + moves[3:])))
    assert "the dice are already rolled" in problem(proof.prove(document("backgammon", moves=[moves[0], *moves])))


def test_an_illegal_move_is_named() -> None:
    moves = document("checkers")["moves"]
    changed = [*moves[:4], "1-2", *moves[5:]]
    said = problem(proof.prove(document("checkers", moves=changed)))
    assert said.startswith(f"Move 5 of {len(moves)} cannot be played: 1-2 is not legal here")


def test_a_move_after_the_end_is_found() -> None:
    moves = document("checkers")["moves"]
    assert "the game is over" in problem(proof.prove(document("checkers", moves=[*moves, "11-15"])))


@pytest.mark.parametrize(("changes", "said"), [
    ({"winner": None}, "The document says a draw (borne_off, {points}), but the board shows a win for {winner}"),
    ({"winner": "other"}, "The document says a win for {other} (borne_off"),
    ({"points": "other"}, "but the board shows a win for {winner} (borne_off, {points})."),
    ({"reason": "resignation"}, "(resignation, {points}), but the board shows a win for {winner} (borne_off"),
])  # fmt: skip
def test_another_result_than_the_boards_is_found(changes: dict[str, Any], said: str) -> None:
    true = document("backgammon")["outcome"]
    other = {"winner": "black" if true["winner"] == "white" else "white", "points": true["points"] % 3 + 1}
    wrong = true | {name: other[name] if value == "other" else value for name, value in changes.items()}
    expected = said.format(**true, other=other["winner"])
    assert expected in problem(proof.prove(document("backgammon", outcome=wrong)))


def test_an_end_that_only_the_board_could_show_must_be_on_it() -> None:
    moves = document("checkers")["moves"][:6]
    outcome = {"winner": "black", "reason": "no_pieces", "points": 1}
    said = problem(proof.prove(document("checkers", moves=moves, outcome=outcome)))
    assert said == "The document says a win for black (no_pieces, 1), but the board shows a game still in progress."


@pytest.mark.parametrize("reason", ["resignation", "afk_timeout", "disconnect", "agreement"])
def test_an_end_that_the_board_cannot_show_is_taken_as_stated(reason: str) -> None:
    outcome = {"winner": None if reason == "agreement" else "white", "reason": reason, "points": 1}
    checked = proof.prove(document("checkers", moves=document("checkers")["moves"][:6], outcome=outcome))
    assert checked.is_good
    assert checked.game.outcome
    assert checked.game.outcome.reason == reason


def test_a_win_is_not_worth_more_than_the_rules_say() -> None:
    outcome = {"winner": "white", "reason": "resignation", "points": 4}
    checked = proof.prove(document("checkers", moves=["11-15"], outcome=outcome))
    assert "is worth 1 point, not 4" in problem(checked)


def test_a_document_without_an_end_is_not_proved() -> None:
    assert problem(proof.prove(document("checkers", outcome=None))) == "The document does not say how the game ended."


@pytest.mark.parametrize("changes", [
    {"ludus": "proof 2"},
    {"game": "chess"}, {"game": ["checkers"]}, {"game": None},
    {"variant": "tric trac"}, {"variant": 7},
    {"table": ""}, {"table": 5}, {"table": "half \ud800"}, {"table": "red \x1b[31m"}, {"table": "x" * 201},
    {"seed": "0" * 63}, {"seed": "g" * 64}, {"seed": 5}, {"seed": "٠" * 64},
    {"commitment": "no"}, {"commitment": [1]},
    {"moves": "11-15"}, {"moves": [1]}, {"moves": None},
    {"outcome": []}, {"outcome": {}}, {"outcome": {"winner": "nobody", "reason": "resignation", "points": 1}},
    {"outcome": {"winner": [], "reason": "resignation", "points": 1}},
    {"outcome": {"winner": "white", "reason": "resignation", "points": True}},
    {"outcome": {"winner": "white", "reason": "resignation", "points": 1.0}},
    {"outcome": {"winner": "white", "reason": "\x07", "points": 1}},
])  # fmt: skip
def test_what_is_no_proof_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(LudusError):
        proof.prove(document("backgammon", **changes))


@pytest.mark.parametrize("other", [None, [], "proof 1", 5, {}])
def test_what_is_no_document_is_refused(other: object) -> None:
    with pytest.raises(BadInput, match="this is not a proof"):
        proof.prove(other)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(name=st.sampled_from(sorted(_document("backgammon"))), value=JSON)
def test_whatever_a_document_holds_there_is_a_verdict_or_a_refusal(name: str, value: Any) -> None:
    claim = document("backgammon", **{name: value})
    try:
        checked = proof.prove(claim)
    except LudusError:
        return
    assert checked.is_good is (claim == document("backgammon"))


@pytest.mark.parametrize("name", ["backgammon", "checkers"])
def test_a_game_file_with_its_tags_is_a_proof(name: str) -> None:
    game = played(name)
    has_dice = name == "backgammon"
    game.tags |= proof.tags(TABLE, SEED if has_dice else None) | {"White": "Ada"}
    (read,) = game.rules.notation.read_games(game.rules.notation.write_games([game]))
    assert read == game
    checked = proof.prove_record(read)
    assert checked.is_good
    assert len(checked.checks) == (4 if has_dice else 2)


def test_a_match_of_several_games_keeps_each_games_own_tags() -> None:
    games = [played("backgammon", table) for table in ("table-1", "table-2")]
    for game, table in zip(games, ("table-1", "table-2"), strict=True):
        game.tags |= proof.tags(table, SEED)
    notation = GAMES["backgammon"].notation
    one, two = notation.read_games(notation.write_games(games))
    assert (one.tags["Table"], two.tags["Table"]) == ("table-1", "table-2")
    assert proof.prove_record(one).is_good
    assert proof.prove_record(two).is_good


def test_a_game_given_up_before_the_roll_was_played_keeps_that_roll_in_its_file() -> None:
    whole = played("backgammon")
    for plies in (1, 3, 9):
        game = Game(whole.rules, tags=proof.tags(TABLE, SEED))
        for move in whole.moves[:plies]:
            game.play(move)
        game.resign(Player.FIRST)
        (read,) = game.rules.notation.read_games(game.rules.notation.write_games([game]))
        assert len(read.moves) == plies
        assert proof.prove_record(read).is_good


def test_a_foreign_game_file_does_not_prove_its_dice() -> None:
    assert problem(proof.prove_record(played("backgammon"))) == "There is no seed, so the dice cannot be verified."


def test_an_unfinished_game_file_is_not_proved() -> None:
    assert problem(proof.prove_record(Game(GAMES["checkers"]))) == "The game is not finished."


@pytest.mark.parametrize("tags", [{"DiceSeed": "00"}, {"DiceSeed": "00" * 32}, {"DiceCommitment": "x"}])
def test_tags_that_make_no_sense_are_refused(tags: dict[str, str]) -> None:
    game = played("backgammon")
    game.tags |= tags
    with pytest.raises(BadInput):
        proof.prove_record(game)
