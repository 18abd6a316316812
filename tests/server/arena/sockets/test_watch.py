"""`/ws/watch/ID`: how things stand, every move, the result."""

from __future__ import annotations

from tests.server.arena.socket_client import SocketApp, version, with_app

RESIGN = {"type": "resign"}


@with_app
async def test_a_watcher_sees_how_things_stand_then_every_move_then_the_result(app: SocketApp) -> None:
    match, ann, ben = await app.pair()
    await app.play(match, ann)
    socket = await app.opened(f"/ws/watch/{match}")
    state = socket.frames[0]
    assert (state["matchId"], state["gameId"], state["sequence"], state["status"]) == (match, "checkers", 2, "active")
    assert [player["id"] for player in state["players"]] == [ann.id, ben.id]
    assert state["view"]["currentPlayer"] == ben.id and state["view"]["you"] is None
    assert not state["view"]["legalMoves"]
    await app.play(match, ben)
    await app.play(match, ann)
    await socket.hear("state", "move", "move")
    assert [frame["sequence"] for frame in socket.frames] == [2, 3, 4]
    assert [frame["move"]["player"] for frame in socket.all("move")] == [ben.id, ann.id]
    assert socket.frames[2]["view"]["lastMove"]["to"] == socket.frames[2]["move"]["to"]
    await app.act(match, ben, 4, RESIGN)
    await socket.end()
    assert socket.kinds == ["state", "move", "move", "game_over"]
    assert {each["agentId"]: each["outcome"] for each in socket.frames[3]["results"]} == {ann.id: "win", ben.id: "loss"}
    assert "rating" not in socket.frames[3]
    assert socket.frames[3]["replayUrl"] == f"http://arena.example/api/matches/{match}"
    assert socket.frames[3]["replayMarkdownUrl"] == f"http://arena.example/api/matches/{match}/replay.md"
    assert socket.code == 1000


@with_app
async def test_a_watcher_of_backgammon_sees_the_dice_of_each_play(app: SocketApp) -> None:
    match, ann, _ = await app.pair("backgammon")
    socket = await app.opened(f"/ws/watch/{match}")
    state = await app.state(match, ann)
    move = {"type": "move", "moves": state["view"]["legalMoves"][0]}
    await app.act(match, ann, 1, move)
    await socket.hear("state", "move")
    assert socket.frames[1]["move"]["dice"] == state["view"]["dice"][:2]
    assert socket.frames[1]["move"]["moves"] == move["moves"]
    assert socket.frames[1]["move"]["notation"]


@with_app
async def test_a_match_that_is_over_shows_its_result(app: SocketApp) -> None:
    match, ann, _ = await app.pair()
    await app.act(match, ann, 1, RESIGN)
    socket = app.open(f"/ws/watch/{match}")
    await socket.end()
    assert socket.kinds == ["state", "game_over"]
    assert socket.frames[0]["status"] == "game_over"
    assert socket.code == 1000


@with_app
async def test_a_watcher_has_nothing_to_say(app: SocketApp) -> None:
    match, _, _ = await app.pair()
    socket = await app.opened(f"/ws/watch/{match}")
    socket.send({"type": "action", "sequence": 1, "payload": RESIGN})
    await socket.end()
    assert socket.code == 1008
    assert version(app, match) == 1
