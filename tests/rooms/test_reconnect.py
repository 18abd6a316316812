"""Who drops out comes back to where the game is, or is too late."""

from __future__ import annotations

import pytest

from .backgammon import men_of, options
from .checkers import make, opening, play_out
from .door import Door, seated
from .player import WAYS, Player, Way
from .shapes import RECONNECTED, fits, is_in_order, last_seen, places, refused, wait_for_over

every_way = pytest.mark.parametrize("way", WAYS, ids=str)
FIRST = {"from": 40, "to": 33, "captures": []}
SECOND = {"from": 17, "to": 24, "captures": []}
THIRD = {"from": 44, "to": 35, "captures": []}


@every_way
def test_who_comes_back_in_time_hears_what_was_missed_in_order_and_once(door: Door, way: Way) -> None:
    red, black = door.pair((way, way))
    one = make(red, [black], opening(), FIRST)
    two = make(black, [red], one["board"], SECOND)
    seen = last_seen(black)
    black.drop()
    gone = red.wait("player:disconnected")
    assert (gone["playerId"], gone["secondsRemaining"]) == (black.id, 60)
    three = make(red, [], two["board"], THIRD)

    back = door.come_back(black)
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


@every_way
def test_who_saw_the_start_alone_hears_the_whole_game(door: Door, way: Way) -> None:
    players = door.pair((way, way))
    story = play_out(players, [], seed=39, most=30)
    gone, stays = players
    gone.drop()
    stays.wait("player:disconnected")
    back = door.come_back(gone)
    back.must("game:reconnect", {"playerId": back.id, "version": gone.started["version"]})
    back.wait("game:reconnected")
    assert back.heard("game:move:made") == story
    assert is_in_order(back)


def check_return(state: dict[str, object], stayed: Player, gone: Player, last: dict[str, object]) -> None:
    """The whole state as in `game:started`, from the point of view of who came back."""
    fits(state, RECONNECTED)
    started = gone.started
    same = ("roomId", "playerId", "color", "players", "afkTimeoutEnabled", "afkTimeoutSeconds", "afkWarnSeconds")
    assert {name: state[name] for name in same} == {name: started[name] for name in same}
    assert {name: state[name] for name in ("board", "moveHistory", "currentTurn")} == {
        name: last[name] for name in ("board", "moveHistory", "currentTurn")
    }
    assert state["roomId"] == stayed.room


@every_way
def test_who_does_not_name_a_version_gets_the_state_alone(door: Door, way: Way) -> None:
    red, black = door.pair((way, way))
    made = make(red, [black], opening(), FIRST)
    black.disconnect()
    red.wait("player:disconnected")
    back = door.come_back(black)
    back.must("game:reconnect", {"playerId": back.id})
    check_return(back.wait("game:reconnected"), red, black, made)
    assert not back.heard("game:move:made")


@every_way
def test_a_guest_comes_back_with_the_private_token(door: Door, way: Way) -> None:
    gus = door.guest("Gus", way)
    gus.wait("matchmaking:waiting")
    red, black = seated(gus, door.guest("Gil", way))
    made = make(red, [black], opening(), FIRST)
    black.drop()
    assert red.wait("player:disconnected")["playerId"] == black.id
    back = door.come_back(black)
    back.must("game:reconnect", {"playerId": back.id})
    check_return(back.wait("game:reconnected"), red, black, made)
    make(back, [red], made["board"], SECOND)


def test_an_id_alone_does_not_bring_anybody_back(door: Door) -> None:
    red, black = door.pair()
    black.disconnect()
    red.wait("player:disconnected")
    eve = door.connect("Eve")
    refused(eve, "game:reconnect", {"playerId": black.id}, "forbidden", "unauthorized", "not_found")
    mallory = door.connect("Mallory", token=door.session("Mallory")["sessionToken"])
    refused(mallory, "game:reconnect", {"playerId": black.id}, "forbidden")
    assert not red.heard("player:reconnected")


@every_way
def test_backgammon_goes_on_where_it_was(door: Door, way: Way) -> None:
    players = door.pair((way, way), "backgammon")
    mover, other = [players[players[0].started["currentTurn"] - shift] for shift in (0, 1)]
    seen = last_seen(other)
    other.drop()
    mover.wait("player:disconnected")
    mover.act("game:move", move={"moves": options(mover)[0]})
    made = mover.wait("game:move:made")
    back = door.come_back(other)
    back.must("game:reconnect", {"playerId": back.id, **seen})
    state = back.wait("game:reconnected")
    fits(state, {**RECONNECTED, "diceCommitment": str})
    assert men_of(state) == men_of(made)
    assert state["moveHistory"] == made["moveHistory"]
    assert back.wait("game:move:made") == made
    roll = back.heard("game:dice")[-1]
    mover.until(lambda: mover.heard("game:dice")[-1] == roll, "the roll after the move")
    plays = options(back)
    if plays:  # a roll that cannot be played is rare, and has passed by itself
        back.act("game:move", move={"moves": plays[0]})
        assert back.wait("game:move:made") == mover.wait("game:move:made")


@pytest.mark.parametrize("way", [Way("js", "websocket"), Way("python", "websocket")], ids=str)
def test_who_stays_away_too_long_has_lost(hasty_door: Door, way: Way) -> None:
    stays, goes = hasty_door.pair((way, way), afkTimeoutEnabled=False)
    goes.drop()
    gone = stays.wait("player:disconnected")
    assert gone["playerId"] == goes.id
    over = wait_for_over([stays])
    assert (over["winner"], over["reason"]) == (stays.id, "disconnect")


@every_way
def test_the_window_closes_only_for_who_is_away(hasty_door: Door, way: Way) -> None:
    """One drops and returns, the other drops for good: the deadline of the first must not fire."""
    first, second = hasty_door.pair((way, way), afkTimeoutEnabled=False)
    second.disconnect()
    first.wait("player:disconnected")
    back = hasty_door.come_back(second)
    back.must("game:reconnect", {"playerId": back.id})
    back.wait("game:reconnected")
    first.disconnect()
    assert back.wait("player:disconnected")["playerId"] == first.id
    over = wait_for_over([back])
    assert (over["winner"], over["reason"]) == (back.id, "disconnect")
