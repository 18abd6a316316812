"""Replays: a message that comes twice counts once."""

from __future__ import annotations

import pytest

from ..rooms import frames
from ..rooms.raw_client import RawClient
from ..server_process import ServerProcess
from .tables import MOVE, Spectator, Table, refused

ANSWER = {"from": 17, "to": 24, "captures": []}


def test_a_repeated_move_gets_the_same_answer_and_changes_nothing(table: Table, spectator: Spectator) -> None:
    payload = table.own(0, move=MOVE, commandId="once")
    answer = table.first.must("game:move", payload)
    before = spectator.version()
    for _ in range(3):
        assert table.first.must("game:move", payload) == answer
    assert spectator.version() == before == answer["version"]
    assert table.second.ask("afk:check", {"roomId": table.room})["ok"]
    assert len(table.second.heard("game:move:made")) == 1


def test_a_repeated_command_id_returns_the_first_result_whatever_the_payload(
    table: Table, spectator: Spectator
) -> None:
    answer = table.first.must("game:move", table.own(0, move=MOVE, commandId="once"))
    before = spectator.version()
    assert table.first.must("game:move", table.own(0, move={"from": 40, "to": 33}, commandId="once")) == answer
    assert spectator.version() == before


def test_a_command_id_may_be_reused_for_another_kind_of_command(table: Table, spectator: Spectator) -> None:
    before = table.first.must("game:move", table.own(0, move=MOVE, commandId="once"))["version"]
    assert table.first.must("game:resign", table.own(0, commandId="once"))["version"] == before + 1
    assert spectator.version() == before + 1


def test_two_players_may_use_the_same_command_id(table: Table, spectator: Spectator) -> None:
    one = table.first.must("game:move", table.own(0, move=MOVE, commandId="same"))["version"]
    two = table.second.must("game:move", table.own(1, move=ANSWER, commandId="same"))["version"]
    assert two == one + 1 == spectator.version()


def test_a_replayed_frame_without_a_command_id_is_out_of_turn(table: Table, spectator: Spectator) -> None:
    frame = frames.event("/checkers", "game:move", table.own(0, move=MOVE), id=77)
    table.first.send_frame(frame)
    assert table.first.answer(77)["ok"] is True
    before = spectator.version()
    table.first.send_frame(frame)
    assert table.first.answer(77)["error"]["code"] == "not_your_turn"
    assert spectator.version() == before


def test_a_replay_on_another_connection_of_the_player_counts_once_too(
    server: ServerProcess, table: Table, spectator: Spectator
) -> None:
    payload = table.own(0, move=MOVE, commandId="once")
    answer = table.first.must("game:move", payload)
    before = spectator.version()
    with RawClient(server.url, auth={"token": table.tokens[0]}) as again:
        again.must("game:reconnect", {"playerId": table.ids[0]})
        assert again.must("game:move", payload) == answer
    assert spectator.version() == before


def test_a_replay_by_another_client_is_refused(server: ServerProcess, table: Table, spectator: Spectator) -> None:
    payload = table.own(0, move=MOVE, commandId="once")
    table.first.must("game:move", payload)
    before = spectator.version()
    refused(table.second, "game:move", payload, "forbidden")
    with RawClient(server.url) as stranger:
        refused(stranger, "game:move", payload, "forbidden")
    assert spectator.version() == before


@pytest.mark.parametrize("version", [0, 2, 10**9])
def test_a_move_for_another_state_is_stale(table: Table, spectator: Spectator, version: int) -> None:
    before = spectator.version()
    refused(table.first, "game:move", table.own(0, move=MOVE, version=version), "stale_version")
    assert spectator.version() == before


def test_a_repeated_resignation_counts_once(table: Table, spectator: Spectator) -> None:
    answer = table.first.must("game:resign", table.own(0, commandId="enough"))
    assert table.first.must("game:resign", table.own(0, commandId="enough")) == answer
    assert len(table.first.heard("game:over")) == 1
    refused(table.first, "game:resign", table.own(0, commandId="again"), "game_over")
    assert table.first.heard("game:over") == []
    assert spectator.version() == answer["version"]
