"""Illegal moves, out of turn or after the end: refused with a code, and the table is unchanged."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from ludus.core.game import Game
from ludus.games import GAMES
from ludus.wire import codec

from ..rooms.raw_client import Payload
from ..server_process import ServerProcess
from .tables import MOVE, Spectator, Table, refused, seated
from .test_payloads import AT_A_TABLE

RULES, VIEW = GAMES["checkers"], codec("checkers").rooms
SOON = 40
"""Moves within which a chain of captures must come up."""


def way_to_a_chain() -> tuple[list[Payload], Payload]:
    """Moves from the opening to a position with a chain of two captures or more, and that chain."""
    for seed in range(1000):
        game: Game[Any, Any] = Game(RULES)
        rng, made = random.Random(seed), list[Payload]()
        while not game.outcome and len(made) < SOON:
            shown = [VIEW.move(game.position, move) for move in game.legal_moves()]
            chains = [move for move in shown if len(move["captures"]) > 1]
            if chains:
                return made, chains[0]
            move = rng.choice(game.legal_moves())
            made.append(VIEW.move(game.position, move))
            game.play(move)
    raise AssertionError("no chain in a thousand games")


@pytest.fixture
def chain_table(server: ServerProcess) -> Iterator[tuple[Table, int, Payload]]:
    """A table at which the player of the seat can make the chain."""
    made, chain = way_to_a_chain()
    table = seated(server.url)
    for number, move in enumerate(made):
        client = (table.first, table.second)[number % 2]
        client.must("game:move", table.own(number % 2, move=move))
    yield table, len(made) % 2, chain
    table.close()


def bent(chain: Payload) -> list[Payload]:
    """The chain cut short, extended, reordered and misreported."""
    source, target, captures = chain["from"], chain["to"], chain["captures"]
    halfway = 2 * captures[0] - source  # where the first jump lands
    after = {"from": source, "to": halfway, "captures": captures[:1]}
    return [
        after,
        {"from": source, "to": halfway},
        {"from": source, "to": halfway, "captures": captures},
        {"from": halfway, "to": target, "captures": captures[1:]},
        {**chain, "captures": []},
        {**chain, "captures": captures[:-1]},
        {**chain, "captures": captures[::-1]},
        {**chain, "captures": [*captures, captures[0]]},
        {**chain, "captures": [*captures, 0]},
        {**chain, "captures": [source, *captures]},
        {**chain, "captures": [captures[0]] * len(captures)},
        {**chain, "to": source},
        {**chain, "from": target, "to": source},
        MOVE,
    ]


def test_only_a_complete_chain_is_accepted(server: ServerProcess, chain_table: tuple[Table, int, Payload]) -> None:
    table, seat, chain = chain_table
    client = (table.first, table.second)[seat]
    spectator = Spectator(server.url, "checkers", table.room)
    before = spectator.version()
    for move in bent(chain):
        refused(client, "game:move", table.own(seat, move=move), "illegal_move")
    assert spectator.version() == before
    client.must("game:move", table.own(seat, move=chain))
    spectator.close()


def test_no_one_moves_out_of_turn(table: Table, spectator: Spectator) -> None:
    before = spectator.version()
    for move in ({"from": 17, "to": 24}, MOVE, {"from": 0, "to": 0}):
        refused(table.second, "game:move", table.own(1, move=move), "not_your_turn")
    assert spectator.version() == before


def test_after_the_end_every_action_is_refused(table: Table, spectator: Spectator) -> None:
    table.second.must("game:resign", table.own(1))
    before = spectator.version()
    for seat, client in enumerate((table.first, table.second)):
        for event in AT_A_TABLE:
            if event not in ("game:get_moves", "game:boards", "game:phrase", "game:rematch"):
                refused(client, event, table.own(seat, move=MOVE, points=1), "game_over")
        assert client.must("game:get_moves", table.own(seat, position=42))["moves"] == []
    assert spectator.version() == before


def test_there_is_no_rematch_before_the_end(table: Table, spectator: Spectator) -> None:
    before = spectator.version()
    refused(table.first, "game:rematch", table.own(0), "not_over")
    assert spectator.version() == before


def test_players_cannot_answer_their_own_offer_or_one_not_made(table: Table, spectator: Spectator) -> None:
    refused(table.first, "game:draw:accept", table.own(0), "no_offer")
    table.first.must("game:draw:offer", table.own(0))
    before = spectator.version()
    refused(table.first, "game:draw:accept", table.own(0), "no_offer")
    refused(table.first, "game:draw:decline", table.own(0), "no_offer")
    refused(table.first, "game:draw:offer", table.own(0), "too_many_offers")
    assert spectator.version() == before


def test_a_backgammon_play_must_use_the_dice_rolled(server: ServerProcess) -> None:
    table = seated(server.url, "backgammon")
    spectator = Spectator(server.url, "backgammon", table.room)
    before = spectator.version()
    plays = table.first.must("game:get_moves", table.own(0))["moves"]
    play = plays[0]
    bad: list[list[Payload]] = [
        [],
        play[:1],
        [*play, play[0]],
        [{"from": step["to"], "to": step["from"]} for step in play],
        [{"from": 13, "to": 13}, {"from": 13, "to": 13}],
        [{"from": "bar", "to": 20}, *play[1:]],
        [{"from": 1, "to": "off"}, {"from": 1, "to": "off"}],
        [{"from": 24, "to": 1}, {"from": 1, "to": 24}],
        [{"from": 6, "to": "off"}],
    ]
    for moves in bad:
        refused(table.first, "game:move", table.own(0, move={"moves": moves}), "illegal_move", "malformed_move")
    refused(table.second, "game:move", table.own(1, move={"moves": play}), "not_your_turn")
    assert spectator.version() == before
    table.first.must("game:move", table.own(0, move={"moves": play}))
    spectator.close()
    table.close()
