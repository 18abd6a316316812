"""`/ws/watch/ID`: how things stand, every move, the result."""

from __future__ import annotations

from tests.server.arena.wires import Hall, in_a_hall, version

RESIGN = {"type": "resign"}


@in_a_hall
async def test_a_watcher_sees_how_things_stand_then_every_move_then_the_result(hall: Hall) -> None:
    match, ann, ben = await hall.pair()
    await hall.play(match, ann)
    wire = await hall.opened(f"/ws/watch/{match}")
    state = wire.frames[0]
    assert (state["matchId"], state["gameId"], state["sequence"], state["status"]) == (match, "checkers", 2, "active")
    assert [player["id"] for player in state["players"]] == [ann.id, ben.id]
    assert state["view"]["currentPlayer"] == ben.id and state["view"]["you"] is None
    assert not state["view"]["legalMoves"]
    await hall.play(match, ben)
    await hall.play(match, ann)
    await wire.hear("state", "move", "move")
    assert [frame["sequence"] for frame in wire.frames] == [2, 3, 4]
    assert [frame["move"]["player"] for frame in wire.all("move")] == [ben.id, ann.id]
    assert wire.frames[2]["view"]["lastMove"]["to"] == wire.frames[2]["move"]["to"]
    await hall.act(match, ben, 4, RESIGN)
    await wire.end()
    assert wire.kinds == ["state", "move", "move", "game_over"]
    assert {each["agentId"]: each["outcome"] for each in wire.frames[3]["results"]} == {ann.id: "win", ben.id: "loss"}
    assert "rating" not in wire.frames[3]
    assert wire.frames[3]["replayUrl"] == f"http://arena.example/api/matches/{match}"
    assert wire.frames[3]["replayMarkdownUrl"] == f"http://arena.example/api/matches/{match}/replay.md"
    assert wire.code == 1000


@in_a_hall
async def test_a_watcher_of_backgammon_sees_the_dice_of_each_play(hall: Hall) -> None:
    match, ann, _ = await hall.pair("backgammon")
    wire = await hall.opened(f"/ws/watch/{match}")
    state = await hall.state(match, ann)
    move = {"type": "move", "moves": state["view"]["legalMoves"][0]}
    await hall.act(match, ann, 1, move)
    await wire.hear("state", "move")
    assert wire.frames[1]["move"]["dice"] == state["view"]["dice"][:2]
    assert wire.frames[1]["move"]["moves"] == move["moves"]
    assert wire.frames[1]["move"]["notation"]


@in_a_hall
async def test_a_match_that_is_over_shows_its_result(hall: Hall) -> None:
    match, ann, _ = await hall.pair()
    await hall.act(match, ann, 1, RESIGN)
    wire = hall.open(f"/ws/watch/{match}")
    await wire.end()
    assert wire.kinds == ["state", "game_over"]
    assert wire.frames[0]["status"] == "game_over"
    assert wire.code == 1000


@in_a_hall
async def test_a_watcher_has_nothing_to_say(hall: Hall) -> None:
    match, _, _ = await hall.pair()
    wire = await hall.opened(f"/ws/watch/{match}")
    wire.send({"type": "action", "sequence": 1, "payload": RESIGN})
    await wire.end()
    assert wire.code == 1008
    assert version(hall, match) == 1
