"""The doubling cube, matches and offered resignations in the arena, over HTTP and over its sockets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tests.server.arena.arena_app import Agent, ArenaApp, with_app
from tests.server.arena.socket_client import SocketApp, SocketClient
from tests.server.arena.socket_client import with_app as with_sockets
from tests.service.platforms import until

from ludus.service import proof
from ludus.wire import codec

Json = dict[str, Any]
NEW = {"cube", "match", "legalActions", "lastAction", "resignation"}


async def pair(app: ArenaApp, **options: Any) -> tuple[str, dict[str, Agent]]:
    one, two = await app.agent(), await app.agent()
    assert (await one.queue("backgammon", autoPass=True, **options))["status"] == "queued"
    match = (await two.queue("backgammon", autoPass=True, **options))["matchId"]
    return match, {agent.id: agent for agent in (one, two)}


class Line:
    """A match and its agents."""

    def __init__(self, match: str, agents: dict[str, Agent]) -> None:
        self.match, self.agents = match, agents

    async def turn(self) -> tuple[Agent, Json]:
        """The agent to move, and its state."""
        any_agent = next(iter(self.agents.values()))
        agent = self.agents[(await any_agent.state(self.match))["view"]["currentPlayer"]]
        state = await agent.state(self.match)
        assert state["status"] == "your_turn"
        return agent, state

    async def act(self, **action: Any) -> Json:
        agent, state = await self.turn()
        answer = await agent.act(self.match, state["sequence"], action)
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()["state"]
        return found

    async def until_cube(self) -> tuple[Agent, Json]:
        while True:
            agent, state = await self.turn()
            if state["view"]["cube"]["actions"]:
                return agent, state
            await self.act(**state["view"]["legalActions"][0])


@with_app
async def test_an_agent_that_asked_for_nothing_sees_what_it_always_saw(app: ArenaApp) -> None:
    match, one, two = await app.pair("backgammon")
    state = await app.play_out(match, one, two, most=12)
    for agent in (one, two):
        assert not NEW & set((await agent.state(match))["view"])
    assert not {"options", "stake", "match"} & set(state)
    record = await app.get(f"/api/matches/{match}")
    assert "options" not in record and not [move for move in record["moves"] if "ended" in move]


@with_app
async def test_a_cube_decision_lists_its_actions_and_no_moves(app: ArenaApp) -> None:
    line = Line(*await pair(app, cube=True))
    agent, state = await line.until_cube()
    view = state["view"]
    assert view["legalMoves"] == [] and view["legalActions"] == [{"type": "roll"}, {"type": "double"}]
    refused = await agent.act(line.match, state["sequence"], {"type": "move", "moves": []})
    assert refused.json() == {"error": "invalid_action", "details": "decide about the cube first: roll, double"}
    refused = await agent.act(line.match, state["sequence"], {"type": "take"})
    assert (refused.json()["error"], "no double is offered" in refused.json()["details"]) == ("invalid_action", True)
    after = await line.act(type="double")
    assert (after["status"], after["view"]["cube"]["offered"]) == ("waiting", 2)
    other, asked = await line.turn()
    assert other is not agent and asked["sequence"] > state["sequence"]
    assert asked["view"]["legalActions"] == [{"type": "take"}, {"type": "drop"}]
    assert asked["view"]["lastAction"] == {"type": "double"}
    again = await agent.act(line.match, state["sequence"], {"type": "double"})
    assert again.status_code == 200, "safe to repeat"
    await line.act(type="take")
    mover, playing = await line.turn()
    assert mover is agent and playing["view"]["dice"]
    assert [action["moves"] for action in playing["view"]["legalActions"]] == playing["view"]["legalMoves"]
    assert playing["view"]["cube"]["owner"] == asked["view"]["yourColor"]


@with_app
async def test_a_match_to_three_points_with_every_kind_of_decision(app: ArenaApp) -> None:
    line = Line(*await pair(app, matchLength=3, timeControl="5+3"))
    winner, _ = await line.until_cube()
    await line.act(type="double")
    await line.act(type="drop")
    loser = next(agent for agent in line.agents.values() if agent is not winner)
    _, state = await line.turn()
    match = state["view"]["match"]
    assert (match["game"], sorted(match["score"].values()), state["view"]["lastTurn"]) == (2, [0, 1], None)
    await line.until_cube()
    await line.act(type="double")
    await line.act(type="take")

    while (await line.turn())[0] is not loser:  # offered on the loser's own turn, answered on the other's
        await line.act(**(await line.turn())[1]["view"]["legalActions"][0])
    kept = await line.act(type="offer_resignation", points=1)
    assert kept["status"] == "your_turn", "the turn goes on"
    assert kept["view"]["resignation"] == {"player": loser.id, "points": 1}
    while (await line.turn())[0] is loser:
        await line.act(**(await line.turn())[1]["view"]["legalActions"][0])
    _, asked = await line.turn()
    answers = [{"type": "accept_resignation"}, {"type": "decline_resignation"}]
    assert asked["view"]["legalActions"][:2] == answers
    await line.act(type="decline_resignation")
    assert "resignation" not in (await line.turn())[1]["view"]
    sequence = (await loser.state(line.match))["sequence"]
    assert (await loser.act(line.match, sequence, {"type": "offer_resignation", "points": 1})).status_code == 200
    over = await line.act(type="accept_resignation")
    assert (over["status"], over["reason"], over["points"], over["stake"]) == ("game_over", "resignation", 2, 2)
    assert sorted(over["match"]["score"].values()) == [0, 3] and over["rating"]
    assert "a match to 3" in over["shareText"]
    assert [result["outcome"] for result in over["results"] if result["agentId"] == winner.id] == ["win"]

    record = await app.get(f"/api/matches/{line.match}")
    assert (record["variant"], record["options"]) == ("standard+match3", {"matchLength": 3, "cube": True})
    ended = [move["ended"]["reason"] for move in record["moves"] if "ended" in move]
    assert ended == ["dropped", "resignation"]
    last = record["moves"][-1]
    assert (last["player"], last["resign"]["points"]) == (loser.id, 1)
    assert [move["cube"] for move in record["moves"] if move.get("cube") not in (None, "roll")] == [
        "double", "drop", "double", "take",
    ]  # fmt: skip
    text = (await app.ask("GET", f"/api/matches/{line.match}/replay.md")).text
    assert "`double`" in text and "Game 2" in text
    loaded = await app.platform.tables.load(line.match)
    assert proof.prove(proof.document(loaded.table.row(), loaded.events)).is_good


@pytest.mark.parametrize("points", [{"points": 4}, {"points": "2"}, {"points": 1.5}, {}])
@with_app
async def test_a_malformed_offer_to_resign_is_refused_alike_in_both_players_turns(app: ArenaApp, points: Json) -> None:
    line = Line(*await pair(app, cube=True))
    mover, state = await line.turn()
    other = next(agent for agent in line.agents.values() if agent is not mover)
    for agent in (mover, other):
        refused = await agent.act(line.match, state["sequence"], {"type": "offer_resignation", **points})
        wanted = {"error": "invalid_input", "details": ["action.points: must be a whole number from 1 to 3"]}
        assert (refused.status_code, refused.json()) == (400, wanted)
    table = (await app.platform.tables.load(line.match)).table
    assert table.refusals == (1, 1)
    stale = await other.act(line.match, state["sequence"] + 5, {"type": "offer_resignation", **points})
    assert stale.json()["error"] == "stale_sequence"
    malformed = await other.act(line.match, state["sequence"], {"type": "moves"})
    assert malformed.json()["error"] == "not_your_turn", "only an offer needs no turn"


@with_app
async def test_by_the_jacoby_rule_the_refusal_of_a_gammon_says_why(app: ArenaApp) -> None:
    line = Line(*await pair(app, cube=True, jacoby=True))
    agent, state = await line.turn()
    refused = await agent.act(line.match, state["sequence"], {"type": "offer_resignation", "points": 2})
    assert refused.json()["error"] == "invalid_action" and "Jacoby rule" in refused.json()["details"]


@with_app
async def test_random_actions_end_a_match(app: ArenaApp) -> None:
    line = Line(*await pair(app, matchLength=2))
    while True:
        agent, state = await line.turn()
        action = agent.rng.choice(state["view"]["legalActions"])
        after = await line.act(**action)
        arena = codec("backgammon").arena
        assert arena.position(state["view"]).match, "a view shows the whole position"
        if after["status"] == "game_over":
            break
    assert max(after["match"]["score"].values()) >= 2


@with_app
async def test_agents_with_other_options_are_not_met(app: ArenaApp) -> None:
    one, two, three = [await app.agent() for _ in range(3)]
    await one.queue("backgammon", matchLength=3)
    assert (await two.queue("backgammon"))["status"] == "queued"
    assert (await three.queue("backgammon", matchLength=3, cube=True))["status"] == "matched", "a match has a cube"
    assert (await two.queue("backgammon", cube=True))["status"] == "queued"
    assert len(await app.platform.store.pools()) == 1, "an agent that changes its mind leaves the other queue"


@pytest.mark.parametrize("options", [
    {"matchLength": 0}, {"matchLength": 26}, {"matchLength": 3, "jacoby": True}, {"beavers": True}, {"cube": 1},
])  # fmt: skip
@with_app
async def test_options_that_make_no_sense_are_refused(app: ArenaApp, options: Json) -> None:
    agent = await app.agent()
    answer = await agent.ask("POST", "/api/matchmaking/queue", {"gameId": "backgammon", **options})
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_input")
    answer = await agent.ask("POST", "/api/matchmaking/queue", {"gameId": "checkers", "cube": True})
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_input")


async def next_turn(sockets: Sequence[SocketClient], after: int) -> tuple[Json, int]:
    """The view and the sequence of the next turn that either player hears of."""

    def turns() -> list[Json]:
        frames = [frame for socket in sockets for frame in socket.frames]
        return [frame for frame in frames if frame["type"] == "your_turn" and frame["sequence"] > after]

    await until(lambda: bool(turns()))
    return turns()[0]["view"], turns()[0]["sequence"]


@with_sockets
async def test_doubles_and_the_end_of_a_game_reach_players_and_watchers(app: SocketApp) -> None:
    match, ann, ben = await app.pair("backgammon", "standard+match3")
    sockets = {each.id: await app.opened(f"/ws/game/{match}", each) for each in (ann, ben)}
    watcher = await app.opened(f"/ws/watch/{match}")
    view: Json = {}
    sequence = 0
    while view.get("match", {}).get("game", 1) != 2:
        view, sequence = await next_turn(list(sockets.values()), sequence)
        actions = view["legalActions"]
        wanted = [action for action in actions if action["type"] in ("double", "drop")] or actions
        sockets[view["you"]].act(sequence, wanted[0])
    assert sorted(view["match"]["score"].values()) == [0, 1]
    moves = [frame["move"] for frame in watcher.frames if frame["type"] == "move"]
    assert [move["cube"] for move in moves if move.get("cube") in ("double", "drop")] == ["double", "drop"]
