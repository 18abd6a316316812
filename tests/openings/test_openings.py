"""What the books of openings say, and how an opening is read from a game."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from ludus.core.game import Game
from ludus.games import GAMES
from ludus.openings import Name, Ply, Reader, book, name_of, names
from ludus.openings.checkers import NAMES, ballots


def after(game: str, *moves: str, variant: str = "standard") -> Any:
    played = Game(GAMES[game], variant)
    for text in moves:
        played.play(text)
    return played.position


def read(game: str, *moves: str, variant: str = "standard") -> list[Ply]:
    rules, reader = GAMES[game], Reader(GAMES[game])
    position = rules.start(variant)
    for text in moves:
        move = rules.notation.read_move(position, text)
        reader.add(position, move)
        position = rules.play(position, move)
    return reader.plies


def key(game: str, *moves: str, variant: str = "standard") -> str:
    return book(game).key(after(game, *moves, variant=variant))


def test_the_deck_has_156_different_ballots_and_each_is_found_by_its_number() -> None:
    deck = ballots()
    found = {name.ballot: name for name in names("checkers").values() if name.ballot}
    assert sorted(found) == list(range(1, 157))
    assert all(len(ballot.split()) == 3 for ballot in deck)
    for number, ballot in enumerate(deck, 1):
        named = name_of("checkers", after("checkers", *ballot.split()))
        assert named is not None and named.ballot == number


def test_every_name_is_that_of_one_position() -> None:
    texts = [name.text for name in names("checkers").values() if name.text]
    assert sorted(texts) == sorted(NAMES.values())
    for moves, text in NAMES.items():
        named = name_of("checkers", after("checkers", *moves.split()))
        assert named is not None and named.text == text


def test_a_named_opening_keeps_its_name_in_another_order_of_moves() -> None:
    assert name_of("checkers", after("checkers", "9-14", "22-17", "11-15", "23-19", "5-9")) == Name("Fife")


def test_a_ballot_with_a_name_has_both() -> None:
    assert name_of("checkers", after("checkers", "11-15", "22-17", "15-19")) == Name("Dyke", 106)


def test_most_positions_have_no_name() -> None:
    assert name_of("checkers", after("checkers")) is None
    assert name_of("checkers", after("checkers", "11-15", "22-17")) is None


def test_the_moves_that_led_to_a_position_of_checkers_do_not_matter() -> None:
    assert key("checkers", "11-15", "24-20", "8-11") != key("checkers", "11-15", "22-17", "8-11")
    assert key("checkers", "9-14", "22-17", "11-15") == key("checkers", "11-15", "22-17", "9-14")


def test_both_sides_of_backgammon_have_the_same_openings() -> None:
    white, black = read("backgammon", "31", "8/5 6/5"), read("backgammon", "13", "8/5 6/5")
    assert [(ply.key, ply.move) for ply in white] == [(ply.key, ply.move) for ply in black]
    assert [ply.player for ply in (*white, *black)] == [0, 0, 1, 1]
    assert key("backgammon", "31", "8/5 6/5") == key("backgammon", "13", "8/5 6/5")
    for roll in ("31", "13"):
        assert name_of("backgammon", after("backgammon", roll, "8/5 6/5")) == Name("Making the five point")


def test_the_cube_and_the_score_make_no_other_opening() -> None:
    plain = read("backgammon", "31", "8/5 6/5", "62", "24/18 13/11")
    for variant in ("standard+cube", "standard+match7"):
        assert read("backgammon", "31", "8/5 6/5", "roll", "62", "24/18 13/11", variant=variant) == plain
        doubled = ("31", "8/5 6/5", "double", "take", "62", "24/18 13/11")
        assert read("backgammon", *doubled, variant=variant) == plain


def test_another_layout_is_another_opening() -> None:
    assert key("backgammon", variant="nackgammon") != key("backgammon")


def test_a_roll_is_told_from_the_position_before_it_and_belongs_to_whoever_plays_it() -> None:
    roll, play, reply, *_ = read("backgammon", "52", "13/8 24/22", "63", "24/15")
    assert (roll.move, play.move, reply.move) == ("52", "24/22 13/8", "63")
    assert len({roll.key, play.key, reply.key}) == 3
    assert [roll.player, play.player, reply.player] == [0, 0, 1]


@pytest.mark.parametrize("game", GAMES)
def test_an_opening_is_not_longer_than_the_book_says(game: str) -> None:
    rng, played = Random(1), Game(GAMES[game])
    reader = Reader(GAMES[game])
    while not reader.is_done and not played.outcome:
        before, move = played.position, rng.choice(played.legal_moves())
        played.play(move)
        reader.add(before, move)
    length = len(reader.plies)
    assert length == book(game).plies
    for move in played.legal_moves()[:1]:
        reader.add(played.position, move)
    assert len(reader.plies) == length
