"""Whole matches, between agents that check everything they receive."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from .boards import BACKGAMMON_START, applied, board_fields, choose
from .client import Agent, Visitor
from .players import Match, Playthrough, mover_first, paired, play

NewOne = Callable[..., Agent]
GAMES = ("checkers", "backgammon")
WAYS = (["http", "http"], ["socket", "socket"], ["http", "socket"])


@pytest.mark.parametrize("ways", WAYS, ids=" and ".join)
@pytest.mark.parametrize("game", GAMES)
def test_two_agents_play_a_whole_match(new_agent: NewOne, visitor: Visitor, game: str, ways: list[str]) -> None:
    agents = [new_agent(), new_agent()]
    match = paired(game, agents, lane="fast")
    played = play(match, agents, ways, seed=7)
    check_end(match, agents, played)
    check_record(match, agents, played, visitor)
    check_profiles(match, agents, played, visitor)


def check_end(match: Match, agents: list[Agent], played: list[Playthrough]) -> None:
    ends = [each.end for each in played]
    outcomes = [{result["agentId"]: result["outcome"] for result in end["results"]} for end in ends]
    assert outcomes[0] == outcomes[1]
    assert sorted(outcomes[0]) == sorted(agent.id for agent in agents)
    assert sorted(outcomes[0].values()) in (["loss", "win"], ["draw", "draw"])
    for agent, end in zip(agents, ends, strict=True):
        rating = end["rating"]
        change = rating["after"] - rating["before"]
        assert isinstance(rating["before"], float)
        assert (change > 0) - (change < 0) == {"win": 1, "draw": 0, "loss": -1}[outcomes[0][agent.id]]
        assert [badge["badgeId"] for badge in end["newBadges"]] == (
            ["first_win"] if outcomes[0][agent.id] == "win" else []
        ) or match.game == "backgammon"
        assert isinstance(end["suggestions"], list) and match.game not in end["suggestions"]
        assert agent.name in end["shareText"] and isinstance(end["reason"], str)
        assert match.id in end["replayUrl"] and match.id in end["replayMarkdownUrl"]
        assert end["view"]["you"] == agent.id and not end["view"]["isYourTurn"]
        assert agent.state(match.id)["results"] == end["results"]


def check_record(match: Match, agents: list[Agent], played: list[Playthrough], visitor: Visitor) -> None:
    record = visitor.get(f"/api/matches/{match.id}")
    assert [player["id"] for player in record["players"]] == match.players
    moves = record["moves"]
    for agent, seen in zip(agents, played, strict=True):
        assert sum(move["player"] == agent.id for move in moves) == seen.turns, "passes included"
    assert all(move["notation"] for move in moves)
    if match.game == "backgammon":
        assert all(len(move["dice"]) in (2, 4) for move in moves)
    assert record["startedAt"] < record["finishedAt"]
    assert record["result"]["reason"] == played[0].end["reason"]
    page = visitor.http.get(played[0].end["replayMarkdownUrl"])
    assert page.status_code == 200 and agents[0].name in page.text and moves[-1]["notation"] in page.text
    assert visitor.http.get(played[0].end["replayUrl"]).status_code == 200
    file = visitor.ask("GET", f"/api/matches/{match.id}", format={"checkers": "pdn", "backgammon": "mat"}[match.game])
    assert file.status_code == 200 and agents[1].name in file.text


def check_profiles(match: Match, agents: list[Agent], played: list[Playthrough], visitor: Visitor) -> None:
    for agent, seen in zip(agents, played, strict=True):
        rating = visitor.get(f"/api/agents/{agent.id}")["ratings"][match.game]
        assert rating["rating"] == seen.end["rating"]["after"]
        (entry,) = visitor.get(f"/api/agents/{agent.id}/matches", limit="5")["matches"]
        outcome = next(result["outcome"] for result in seen.end["results"] if result["agentId"] == agent.id)
        assert (entry["id"], entry["gameId"], entry["outcome"]) == (match.id, match.game, outcome)
        assert entry["finishedAt"] >= entry["startedAt"]
        assert next(other.id for other in agents if other is not agent) in str(entry["opponent"])
        assert match.id not in str(agent.status(match.game))


@pytest.mark.parametrize("game", GAMES)
def test_each_sees_the_others_move_as_it_was_made(new_agent: NewOne, game: str) -> None:
    agents = [new_agent(), new_agent()]
    match = paired(game, agents)
    rng = Random(3)
    for _ in range(12):
        mover, other = mover_first(match, agents)
        state = mover.state(match.id)
        action = choose(state["view"], rng)
        mover.act(match.id, state["sequence"], action)
        seen = other.state(match.id)["view"]
        assert board_fields(game, seen) == applied(game, state["view"], action)
        if game == "backgammon" and other.state(match.id)["status"] == "your_turn":
            assert seen["lastTurn"] == action["moves"]
        elif game == "checkers":
            assert {"type": "move", **seen["lastMove"]} == action


def test_backgammon_starts_as_the_contract_says(new_agent: NewOne) -> None:
    agents = [new_agent(), new_agent()]
    match = paired("backgammon", agents)
    first, second = mover_first(match, agents)
    for agent in (first, second):
        view = agent.state(match.id)["view"]
        assert {point: men for point, men in enumerate(view["board"]) if men} == BACKGAMMON_START
        assert view["pipCounts"] == {"white": 167, "black": 167}
        assert view["positionId"] == "4HPwATDgc/ABMA"
        assert len(set(view["dice"])) == 2  # the opening roll is no double
        assert view["lastTurn"] is None
    assert second.state(match.id)["view"]["legalMoves"] == []


def test_steps_in_any_legal_order_are_accepted(new_agent: NewOne) -> None:
    agents = [new_agent(), new_agent()]
    match = paired("backgammon", agents)
    first, _ = mover_first(match, agents)
    state = first.state(match.id)
    play = next(play for play in state["view"]["legalMoves"] if play[0]["to"] != play[1]["from"])
    first.act(match.id, state["sequence"], {"type": "move", "moves": play[::-1]})


def test_checkers_starts_as_the_contract_says(new_agent: NewOne) -> None:
    agents = [new_agent(), new_agent()]
    match = paired("checkers", agents)
    first, second = mover_first(match, agents)
    view = first.state(match.id)["view"]
    assert view["yourColor"] == "dark" and second.state(match.id)["view"]["yourColor"] == "light"
    pieces = {piece["position"]: piece["player"] for row in view["board"] for piece in row if piece}
    assert pieces == dict.fromkeys(range(1, 13), "dark") | dict.fromkeys(range(21, 33), "light")
    assert sorted((move["from"], move["to"]) for move in view["legalMoves"]) == [
        (9, 13), (9, 14), (10, 14), (10, 15), (11, 15), (11, 16), (12, 16),
    ]  # fmt: skip
    assert view["lastMove"] is None
    state = first.act(match.id, 1, {"type": "move", "from": 11, "to": 15})
    assert state["status"] == "waiting" and state["view"]["legalMoves"] == []


@pytest.mark.parametrize("is_mover", [True, False])
def test_a_player_may_resign(new_agent: NewOne, is_mover: bool) -> None:
    agents = [new_agent(), new_agent()]
    match = paired("checkers", agents)
    mover, other = mover_first(match, agents)
    loser, winner = (mover, other) if is_mover else (other, mover)
    state = loser.act(match.id, loser.state(match.id)["sequence"], {"type": "resign"})
    assert state["status"] == "game_over" and state["reason"] == "resignation"
    outcomes = {result["agentId"]: result["outcome"] for result in winner.state(match.id)["results"]}
    assert outcomes == {loser.id: "loss", winner.id: "win"}
    rating = loser.state(match.id)["rating"]
    assert rating["after"] < rating["before"] == 1500
    assert winner.state(match.id)["rating"] is None  # too early to be a win


def test_a_game_page_counts_finished_matches(new_agent: NewOne, visitor: Visitor) -> None:
    before = visitor.get("/api/games/checkers")["stats"]["matches"]
    agents = [new_agent(), new_agent()]
    match = paired("checkers", agents)
    first, _ = mover_first(match, agents)
    first.act(match.id, 1, {"type": "resign"})
    assert visitor.get("/api/games/checkers")["stats"]["matches"] == before + 1
    assert "?" in visitor.get(f"/api/agents/{first.id}")["ratings"]["checkers"]["display"]
    assert first.id not in str(visitor.get("/api/leaderboard", gameId="checkers", limit="100"))  # not settled


def test_an_unfinished_match_is_active_in_the_agents_list(new_agent: NewOne, visitor: Visitor) -> None:
    """Published clients look for just this when they have lost track of their match."""
    agents = [new_agent(), new_agent()]
    match = paired("checkers", agents)
    (entry,) = visitor.get(f"/api/agents/{agents[0].id}/matches", limit="5")["matches"]
    assert entry["id"] == match.id and not entry.get("finishedAt") and "outcome" not in entry
    assert entry["status"] in ("active", "waiting", "not_started")
