"""A player who lost the connection returns to the game; what happens if not is in test_time_limits.py."""

from __future__ import annotations

import pytest

from .app import App, seated
from .backgammon import men_of, options
from .checkers import make, opening, play_out
from .player import CLIENT_KINDS, ClientKind, Player
from .shapes import RECONNECTED, fits, is_in_order, last_seen, places, refused

every_client_kind = pytest.mark.parametrize("kind", CLIENT_KINDS, ids=str)
FIRST = {"from": 40, "to": 33, "captures": []}
SECOND = {"from": 17, "to": 24, "captures": []}
THIRD = {"from": 44, "to": 35, "captures": []}


@every_client_kind
def test_a_returning_player_gets_missed_messages_in_order_and_once(app: App, kind: ClientKind) -> None:
    red, black = app.pair((kind, kind))
    one = make(red, [black], opening(), FIRST)
    two = make(black, [red], one["board"], SECOND)
    seen = last_seen(black)
    black.drop()
    gone = red.wait("player:disconnected")
    assert (gone["playerId"], gone["secondsRemaining"]) == (black.id, 60)
    three = make(red, [], two["board"], THIRD)

    back = app.reconnect(black)
    back.must("game:reconnect", {"playerId": back.id, **seen})
    state = back.wait("game:reconnected")

    check_return(state, red, black, three)
    names = [event.name for event in back.events]
    assert names.count("game:move:made") == 1
    assert names.index("game:move:made") < names.index("game:reconnected")
    assert back.wait("game:move:made") == three
    assert is_in_order(back)
    assert min(places(back)) > max(places(black))
    assert red.wait("player:reconnected")["playerId"] == black.id
    assert red.wait("game:reconnected")["board"] == state["board"]
    make(back, [red], three["board"], {"from": 19, "to": 26, "captures": []})


@every_client_kind
def test_a_player_who_only_saw_the_start_gets_the_whole_game(app: App, kind: ClientKind) -> None:
    players = app.pair((kind, kind))
    moves_made = play_out(players, [], seed=39, most=30)
    gone, stays = players
    gone.drop()
    stays.wait("player:disconnected")
    back = app.reconnect(gone)
    back.must("game:reconnect", {"playerId": back.id, "version": gone.started["version"]})
    back.wait("game:reconnected")
    assert back.heard("game:move:made") == moves_made
    assert is_in_order(back)


def check_return(state: dict[str, object], stayed: Player, gone: Player, last: dict[str, object]) -> None:
    """The whole state as in `game:started`, from the returning player's point of view."""
    fits(state, RECONNECTED)
    started = gone.started
    same = ("roomId", "playerId", "color", "players", "afkTimeoutEnabled", "afkTimeoutSeconds", "afkWarnSeconds")
    assert {name: state[name] for name in same} == {name: started[name] for name in same}
    assert {name: state[name] for name in ("board", "moveHistory", "currentTurn")} == {
        name: last[name] for name in ("board", "moveHistory", "currentTurn")
    }
    assert state["roomId"] == stayed.room


@every_client_kind
def test_without_a_version_only_the_state_comes(app: App, kind: ClientKind) -> None:
    red, black = app.pair((kind, kind))
    made = make(red, [black], opening(), FIRST)
    black.disconnect()
    red.wait("player:disconnected")
    back = app.reconnect(black)
    back.must("game:reconnect", {"playerId": back.id})
    check_return(back.wait("game:reconnected"), red, black, made)
    assert not back.heard("game:move:made")


@every_client_kind
def test_a_guest_returns_with_the_private_token(app: App, kind: ClientKind) -> None:
    gus = app.guest("Gus", kind)
    gus.wait("matchmaking:waiting")
    red, black = seated(gus, app.guest("Gil", kind))
    made = make(red, [black], opening(), FIRST)
    black.drop()
    assert red.wait("player:disconnected")["playerId"] == black.id
    back = app.reconnect(black)
    back.must("game:reconnect", {"playerId": back.id})
    check_return(back.wait("game:reconnected"), red, black, made)
    make(back, [red], made["board"], SECOND)


def test_an_id_alone_does_not_resume_a_game(app: App) -> None:
    red, black = app.pair()
    black.disconnect()
    red.wait("player:disconnected")
    eve = app.connect("Eve")
    refused(eve, "game:reconnect", {"playerId": black.id}, "forbidden", "unauthorized", "not_found")
    mallory = app.connect("Mallory", token=app.session("Mallory")["sessionToken"])
    refused(mallory, "game:reconnect", {"playerId": black.id}, "forbidden")
    assert not red.heard("player:reconnected")


@every_client_kind
def test_backgammon_continues_where_it_was(app: App, kind: ClientKind) -> None:
    players = app.pair((kind, kind), "backgammon")
    mover, other = [players[players[0].started["currentTurn"] - shift] for shift in (0, 1)]
    seen = last_seen(other)
    other.drop()
    mover.wait("player:disconnected")
    mover.act("game:move", move={"moves": options(mover)[0]})
    made = mover.wait("game:move:made")
    back = app.reconnect(other)
    back.must("game:reconnect", {"playerId": back.id, **seen})
    state = back.wait("game:reconnected")
    fits(state, {**RECONNECTED, "diceCommitment": str})
    assert men_of(state) == men_of(made)
    assert state["moveHistory"] == made["moveHistory"]
    assert back.wait("game:move:made") == made
    roll = back.heard("game:dice")[-1]
    mover.until(lambda: mover.heard("game:dice")[-1] == roll, "the roll after the move")
    plays = options(back)
    if plays:  # rarely there is none, and the turn was passed
        back.act("game:move", move={"moves": plays[0]})
        assert back.wait("game:move:made") == mover.wait("game:move:made")
