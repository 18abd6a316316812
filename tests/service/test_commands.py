"""Commands are plain data."""

from __future__ import annotations

import json

import pytest

from ludus.service import commands
from ludus.service.commands import (
    Abort,
    AcceptDraw,
    AcceptResignation,
    AskRematch,
    Command,
    DeclineDraw,
    DeclineResignation,
    Leave,
    OfferDraw,
    OfferResignation,
    Payload,
    Play,
    Refuse,
    Resign,
    Return,
    TakeBack,
    Tick,
)

EXAMPLES: list[Command] = [
    Play(0, "11-15"),
    Play(1, "24/20 13/10", turn=3),
    Play(0, Payload("rooms", {"from": 41, "to": 36, "captures": []})),
    Play(1, Payload("arena", {"type": "move", "moves": [{"from": 24, "to": 20}, {"from": "bar", "to": 3}]}), turn=9),
    Resign(0),
    Resign(1, turn=4),
    Refuse(0, 20, turn=1),
    Abort(1, "cancelled"),
    Abort(None, "cancelled"),
    OfferDraw(0),
    AcceptDraw(1),
    DeclineDraw(0),
    OfferResignation(0, 2),
    OfferResignation(1, 1, turn=4),
    AcceptResignation(1),
    DeclineResignation(0, turn=7),
    TakeBack(1),
    Leave(1, "socket-1"),
    Return(0),
    AskRematch(1, "11111111-1111-4111-8111-111111111111"),
    Tick(),
]


def test_there_is_an_example_of_every_command() -> None:
    assert {type(example) for example in EXAMPLES} == set(commands.KINDS.values())
    assert set(commands.KINDS.values()) == set(Command.__args__)


@pytest.mark.parametrize("command", EXAMPLES, ids=lambda command: type(command).__name__)
def test_a_command_survives_json(command: Command) -> None:
    again = commands.from_data(json.loads(json.dumps(commands.to_data(command))))
    assert type(again) is type(command)
    assert again == command
