"""Agents at an address as contenders, over a real connection and a scripted one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import httpx2
import pytest

from ludus.client import Agent, resigned
from ludus.client.agent_server import AgentServer
from ludus.core.errors import AmbiguousMove, IllegalMove, InvalidInput, LudusError
from ludus.core.game import Game
from ludus.core.rules import Player, Turn
from ludus.engines.engine import roll
from ludus.games import GAMES
from ludus.games.backgammon.position import BAR, OFF, Play, Position, men
from ludus.series import remote
from ludus.series.contender import AgentFailed, Resignation, find_contender
from ludus.series.plan import Plan
from ludus.series.records import write
from ludus.series.remote import RemoteContender, move_of, state_of
from ludus.series.run import play
from ludus.server.arena.states import state as arena_state
from ludus.service.table import Limits, Opening, Seat, SeatKind, Table

URL = "http://agents.example/tortoise"
OPENING = {"type": "move", "from": 11, "to": 15}
ANSWERS = "accept", "decline"


@contextmanager
def served(agent: Agent) -> Iterator[str]:
    with AgentServer(agent) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.url
        finally:
            server.shutdown()
            thread.join()


def first(view: Any) -> Any:
    return view["legalMoves"][0]


class Scripted:
    """Answers each request with the next line of the script."""

    def __init__(self, *lines: Any, seconds: float = 5.0) -> None:
        self._lines = list(lines)
        self.asked: list[Any] = []
        self.pauses: list[float] = []
        self.now = 0.0
        self.contender = RemoteContender(
            URL, seconds, transport=httpx2.MockTransport(self), clock=lambda: self.now, sleep=self.pauses.append
        )

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        assert (request.method, str(request.url)) == ("POST", URL)
        self.asked.append(json.loads(request.content))
        line = self._lines.pop(0)
        if isinstance(line, Exception):
            raise line
        return line if isinstance(line, httpx2.Response) else httpx2.Response(200, json=line)

    def move(self, game: Game[Any, Any] | None = None) -> Any:
        return self.contender.move(game or Game(GAMES["checkers"]), Random(1))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_served_agent_plays_the_games_that_the_same_function_would_play_here(game: str, jobs: int) -> None:
    with served(first) as url:
        away = list(play(Plan(game, (url, "random"), 4, seed=2), jobs))
    home = list(play(Plan(game, ("contestants:first_move", "random"), 4, seed=2)))
    assert away == home


def test_an_agent_that_resigns_loses_only_that_game() -> None:
    def timid(view: Any) -> Any:
        return resigned() if view["yourColor"] == "white" else first(view)

    with served(timid) as url:
        plan = Plan("backgammon", (url, "random"), 2, seed=2)
        pairs = list(play(plan))
    lost, played = pairs[0]
    assert (lost.winner, lost.outcome.reason, lost.outcome.points) == (1, "resignation", 1)
    assert played.outcome.reason == "borne_off"
    games = GAMES["backgammon"].notation.read_games(write(plan, pairs[0]))
    assert [game.outcome for game in games] == [lost.outcome, played.outcome]


def test_the_request_is_a_state_of_the_arena() -> None:
    script = Scripted({"action": OPENING})
    script.move(Game(GAMES["checkers"], tags={"Round": "7.3"}))
    question = script.asked[0]
    assert {name: value for name, value in question.items() if name != "view"} == {
        "matchId": "7.3",
        "gameId": "checkers",
        "gameType": "sequential",
        "status": "your_turn",
        "sequence": 1,
    }
    assert question["view"]["yourColor"] == "dark" and len(question["view"]["legalMoves"]) == 7


def test_an_agent_may_answer_with_one_of_the_legal_moves() -> None:
    assert Scripted({"action": {"from": 11, "to": 15, "captures": []}}).move().path == (11, 15)


def test_an_agent_may_resign() -> None:
    assert Scripted({"action": {"type": "resign"}}).move() == Resignation()


def test_a_refused_action_may_be_corrected_once() -> None:
    script = Scripted({"action": {"type": "move", "from": 1, "to": 2}}, {"action": OPENING})
    assert script.move().path == (11, 15)
    assert script.asked[1]["view"]["refused"] == {
        "action": {"type": "move", "from": 1, "to": 2},
        "error": "invalid_action",
        "details": "the piece on 1 cannot move to 2",
    }
    assert script.pauses == []


def test_a_failure_is_retried_once_after_a_pause() -> None:
    script = Scripted(httpx2.ConnectError("refused"), {"action": OPENING})
    assert script.move().path == (11, 15)
    assert script.pauses == [1.0]


@pytest.mark.parametrize(("line", "problem"), [
    (httpx2.ConnectError("refused"), "no answer: refused"),
    (httpx2.ReadTimeout(""), "no answer within 5 s"),
    (httpx2.Response(500, text="oh\nno"), "it answers with status 500 oh no"),
    (httpx2.Response(302, headers={"location": "http://elsewhere.example"}), "it answers with status 302$"),
    (httpx2.Response(200, content=b"[" * 50_000), "its answer is not JSON"),
    (httpx2.Response(200, content=b" " * 70_000), "its answer has more than 65536 bytes"),
    ([], "its answer has no action"),
    ({"move": OPENING}, "its answer has no action"),
    ({"action": "11-15"}, "an agent returns an action or one of legalMoves, not '11-15'"),
    ({"action": {"type": "move", "from": 1, "to": 2}}, "the piece on 1 cannot move to 2"),
    ({"action": {"type": "move", "from": 1}}, "action.to: must be a whole number from 1 to 32"),
])  # fmt: skip
def test_an_agent_that_fails_twice_ends_the_series_with_the_reason(line: Any, problem: str) -> None:
    again = line
    if isinstance(line, httpx2.Response):
        again = httpx2.Response(line.status_code, headers=line.headers, content=line.content)
    with pytest.raises(AgentFailed, match=rf"agents\.example/tortoise failed 2 times in B:W21.*: .*{problem}"):
        Scripted(line, again).move()


def test_an_answer_that_trickles_in_too_slowly_is_a_failure() -> None:
    def drops(script: list[Scripted]) -> Iterator[bytes]:
        for _ in range(1000):
            script[0].now += 1.0
            yield b" "

    script: list[Scripted] = []
    script.append(Scripted(*[httpx2.Response(200, content=drops(script)) for _ in range(2)]))
    with pytest.raises(AgentFailed, match="no whole answer within 5 s"):
        script[0].move()


def test_an_agent_without_a_legal_move_is_not_asked() -> None:
    shut = men(dict.fromkeys(range(1, 7), 2) | {OFF: 3})
    start = Position(men({BAR: 1, OFF: 14}), shut, Player.FIRST, (6, 5))
    game = Game(GAMES["backgammon"], start=start)
    script = Scripted()
    assert script.move(game) == Play(())
    assert script.asked == []


def test_an_unreachable_agent_fails_over_a_real_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "PAUSE", 0.0)
    with served(first) as url:
        pass
    with pytest.raises(AgentFailed, match="no answer"):
        find_contender(url, "checkers").move(Game(GAMES["checkers"]), Random(1))


def test_games_before_a_failure_still_count(tmp_path: Path) -> None:
    """The command prints the games so far, then one line with the reason."""

    def mortal(view: Any) -> Any:
        seen.append(view)
        return "nothing" if view["yourColor"] == "dark" and len(seen) > 40 else first(view)

    seen: list[Any] = []
    file = tmp_path / "games.pdn"
    with served(mortal) as url:
        words = ["checkers", url, "contestants:first_move", "--games", "100", "--out", str(file)]
        command = [sys.executable, "-m", "ludus", "match", *words]
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 2
    assert "  result " in run.stdout and "games written to" in run.stdout
    assert GAMES["checkers"].notation.read_games(file.read_text())
    said = run.stderr.splitlines()
    assert said[-1].startswith(f"ludus: {url.removeprefix('http://')} failed 2 times in B:W")
    assert "agent_failed" in said[-1]


def random_games(name: str, number: int) -> Iterator[Game[Any, Any]]:
    """Games at each of the players' turns."""
    for seed in range(number):
        game, rng = Game(GAMES[name]), Random(seed)
        while game.turn is not Turn.OVER:
            if game.turn is Turn.DICE:
                game.play(roll(game.rules, game.position, rng))
                continue
            yield game
            game.play(rng.choice(game.legal_moves()))


@pytest.mark.parametrize("name", GAMES)
def test_an_agent_sees_what_the_arena_would_show_it(name: str) -> None:
    turns = 0
    for game in random_games(name, 3):
        seats = (Seat("agent/a", "player:0", "A", SeatKind.AGENT), Seat("agent/b", "player:1", "B", SeatKind.AGENT))
        opening = Opening("1", name, "fast", "arena", seats, Limits(None, None, None), False, None)
        table = Table(opening, game, version=1, opened_at=0, turn_since=0, players=())
        assert game.turn.player is not None
        assert state_of(game) == arena_state(table, game.turn.player, "your_turn", game.length + 1)
        turns += 1
    assert turns > 100


def test_steps_may_come_in_another_order() -> None:
    game = Game(GAMES["backgammon"])
    game.play("31")
    for action in ([(8, 5), (6, 5)], [(6, 5), (8, 5)]):
        steps = [{"from": source, "to": target} for source, target in action]
        after = game.rules.play(game.position, move_of(game, {"type": "move", "moves": steps}))
        assert after.white.on(5) == 2


def test_a_resignation_is_understood() -> None:
    assert move_of(Game(GAMES["checkers"]), {"type": "resign"}) == Resignation()


@pytest.mark.parametrize(
    "action", [{"type": "offer_resignation", "points": 1}, *({"type": f"{word}_resignation"} for word in ANSWERS)]
)
def test_an_offer_to_resign_and_the_answer_to_one_resign_nothing(action: dict[str, Any]) -> None:
    game = Game(GAMES["backgammon"], "standard+match3")
    game.play("31")
    with pytest.raises(IllegalMove, match="there are no offers to resign"):
        move_of(game, action)


@pytest.mark.parametrize(("action", "kind"), [
    ({}, InvalidInput),
    ({"type": "dance"}, InvalidInput),
    ({"type": "move"}, InvalidInput),
    ({"type": "move", "from": 11, "to": 16, "captures": 3}, InvalidInput),
    ({"type": "move", "from": 11, "to": 16, "captures": [7]}, IllegalMove),
    ({"type": "move", "from": 11, "to": 16, "path": [11, 15]}, IllegalMove),
    ({"type": "move", "from": 11, "to": 20}, IllegalMove),
    ({"type": "move", "from": [11], "to": {}}, InvalidInput),
])  # fmt: skip
def test_a_bad_checkers_action_is_refused(action: dict[str, Any], kind: type[LudusError]) -> None:
    with pytest.raises(kind):
        move_of(Game(GAMES["checkers"]), action)


@pytest.mark.parametrize(("moves", "kind"), [
    (None, InvalidInput),
    ([{"from": 8, "to": 5}] * 5, InvalidInput),
    ([{"from": 0, "to": 5}], InvalidInput),
    ([{"from": [], "to": 5}], InvalidInput),
    (["8/5"], InvalidInput),
    ([{"from": 8, "to": 5}], IllegalMove),
    ([], IllegalMove),
    ([{"from": "bar", "to": 22}, {"from": 24, "to": 23}], IllegalMove),
])  # fmt: skip
def test_a_bad_backgammon_action_is_refused(moves: Any, kind: type[LudusError]) -> None:
    game = Game(GAMES["backgammon"])
    game.play("31")
    with pytest.raises(kind):
        move_of(game, {"type": "move", "moves": moves})


def test_chains_with_the_same_ends_are_told_apart() -> None:
    rules = GAMES["checkers"]
    game = Game(rules, start=rules.notation.read_position("B:W6,7,14,15:B2"))
    ends: dict[tuple[int, int], set[Any]] = {}
    for move in game.legal_moves():
        ends.setdefault((move.origin, move.landing), set()).add(frozenset(move.captures))
    (origin, landing), _ = next(item for item in ends.items() if len(item[1]) > 1)
    action = {"type": "move", "from": origin, "to": landing}
    with pytest.raises(AmbiguousMove):
        move_of(game, action)
    for move in game.legal_moves():
        if (move.origin, move.landing) == (origin, landing):
            assert set(move_of(game, {**action, "captures": list(move.captures)[::-1]}).captures) == set(move.captures)
            assert move_of(game, {**action, "path": list(move.path)}) == move
