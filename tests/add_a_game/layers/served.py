"""The game on a server: rooms, webhooks, the arena, watching, replay and the web page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.arena.client import Agent, Visitor
from tests.rooms.app import App, seated
from tests.rooms.player import ClientKind, Endpoint, Player
from tests.rooms.python_client import PythonClients, PythonPlayer
from tests.rooms.webhook_receiver import WebhookReceiver
from tests.server_process import ServerProcess

GAME = "tictactoe"
WEBSOCKET = ClientKind("python", "websocket")
X_WINS = ["1", "4", "2", "5", "3"]
SETTINGS = {
    "bot_pause": 0,
    "bot_fallback_seconds": 0,
    "webhook_private": 1,
    "rate_limit": 1_000_000,
    "max_events": 100_000,
    "log_level": "warning",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path_factory.mktemp("served") / "data", **SETTINGS)
    yield server
    server.close()


@pytest.fixture(scope="module")
def receiver() -> Iterator[WebhookReceiver]:
    receiver = WebhookReceiver()
    yield receiver
    receiver.close()


class Clients:
    """Players of the Python client only."""

    def __init__(self) -> None:
        self._loop = PythonClients()
        self._made: list[Player] = []

    def make(self, name: str, kind: ClientKind, place: Endpoint) -> Player:
        player = PythonPlayer(self._loop, name, kind, place)
        player.connect()
        self._made.append(player)
        return player

    def close(self) -> None:
        for player in self._made:
            player.close()
        self._loop.close()


@pytest.fixture
def app(server: ServerProcess, receiver: WebhookReceiver) -> Iterator[App]:
    clients: Any = Clients()
    yield App(server, server.tenant("app", webhook=receiver.url("/hook")), clients)
    clients.close()


@pytest.fixture
def visitor(server: ServerProcess) -> Iterator[Visitor]:
    visitor = Visitor(server.url)
    yield visitor
    visitor.close()


@pytest.fixture
def agents(server: ServerProcess, request: pytest.FixtureRequest) -> Iterator[list[Agent]]:
    agents = [Agent(server.url, f"{request.node.name[:40]} {number}") for number in (1, 2)]
    yield agents
    for agent in agents:
        agent.close()


def paired(app: App) -> list[Player]:
    return app.pair((WEBSOCKET, WEBSOCKET), GAME)


def play(players: list[Player], moves: list[str]) -> list[dict[str, Any]]:
    """Moves by turns; what the other player hears of each."""
    made = []
    for number, move in enumerate(moves):
        players[number % 2].act("game:move", move={"move": move})
        made += [player.wait("game:move:made") for player in players][:1]
    return made


def test_two_people_play_in_a_room_and_a_spectator_watches(app: App, visitor: Visitor) -> None:
    players = paired(app)
    assert {player.started["color"] for player in players} == {"x", "o"}
    watcher = app.connect("Wim", WEBSOCKET, game=GAME)
    watcher.must("game:spectate", {"roomId": players[0].room, "username": "Wim"})
    assert watcher.wait("game:spectate:joined")["board"] == [" .  .  . "] * 3
    moves = players[0].ask_moves()
    assert [move["move"] for move in moves["moves"]] == [str(square) for square in range(1, 10)]
    made = play(players, X_WINS)
    assert made[-1]["move"] == {"move": "3", "touched": [3]}
    assert made[-1]["board"] == [" x  x  x ", " o  o  . ", " .  .  . "]
    over = players[1].wait("game:over")
    assert (over["winner"], over["reason"]) == (players[0].id, "victory")
    watcher.wait("game:over")
    assert len(watcher.heard("game:move:made")) == 5
    record = visitor.get(f"/web/tables/{players[0].room}")
    assert len(record["moves"]) == 5
    file = visitor.ask("GET", f"/web/tables/{players[0].room}/file")
    assert file.text.startswith('{"game": "tictactoe"')
    assert file.headers["Content-Disposition"].endswith('.ttt"')


def test_an_illegal_move_is_refused(app: App) -> None:
    players = paired(app)
    play(players, ["5"])
    for move, code in ((("5"), "illegal_move"), ("ten", "malformed_move")):
        ack = players[1].emit("game:move", players[1].own(move={"move": move}))
        assert (ack["ok"], ack["error"]["code"]) == (False, code)
    players[1].act("game:resign")


def test_a_bot_plays_in_a_room(app: App) -> None:
    session = app.session("Ann", GAME, matchType="bot", botDifficulty="hard")
    player = app.enter(session, WEBSOCKET)
    player.begin()
    player.act("game:move", move={"move": "1"})
    made = [player.wait("game:move:made") for _ in range(2)]
    assert [each["playerId"] == player.id for each in made] == [True, False]
    player.act("game:resign")
    player.wait("game:over")
    assert app.status(session)["result"]["ttt"].startswith('{"game"')


def test_webhooks_tell_of_the_game(app: App, receiver: WebhookReceiver) -> None:
    session = app.session("Ann", GAME)
    first = app.enter(session, WEBSOCKET)
    first.wait("matchmaking:waiting")
    players = seated(first, app.enter(app.session("Ben", GAME), WEBSOCKET))
    play(players, X_WINS)
    ended = receiver.wait("/hook", "game.ended", session["sessionId"]).body
    assert (ended["game"], ended["data"]["reason"]) == (GAME, "victory")
    heard = [delivery.body["event"] for delivery in receiver.of("/hook", session["sessionId"])]
    assert heard == ["session.created", "session.started", *["game.move"] * 5, "game.ended"]


def test_agents_play_in_the_arena_over_http_and_websocket(agents: list[Agent], visitor: Visitor) -> None:
    assert GAME in [game["id"] for game in visitor.get("/api/games")]
    assert visitor.get(f"/api/games/{GAME}")["name"] == "Tic-tac-toe"
    assert visitor.get(f"/api/games/{GAME}/validator")["oneOf"]
    agents[0].queue(GAME)
    match = agents[1].queue(GAME)["matchId"]
    with visitor.watch(match) as watching:
        first, second = sorted(agents, key=lambda agent: agent.state(match)["status"] != "your_turn")
        with second.game(match) as socket:
            socket.expect("connected")
            state = first.state(match)
            assert len(state["view"]["legalMoves"]) == 9
            for move in X_WINS[0::2]:
                first.act(match, first.state(match)["sequence"], {"type": "move", "move": move})
                frame = socket.next()
                if frame["type"] == "your_turn":
                    socket.act(frame["sequence"], {"type": "move", "move": str(int(move) + 3)})
                    first.state(match, after=frame["sequence"])
            assert frame["type"] == "game_over"
        assert watching.ending() == 1000
    assert watching.heard[-1]["type"] == "game_over"
    record = visitor.get(f"/api/matches/{match}")
    assert [move["notation"] for move in record["moves"]] == X_WINS
    assert record["result"]["reason"] == "three_in_a_row"
    assert "| 1 | `1` | `4` |" in visitor.ask("GET", f"/api/matches/{match}/replay.md").text
    assert visitor.ask("GET", f"/api/matches/{match}", format="ttt").text.startswith('{"game"')


def test_an_agent_plays_a_house_bot(agents: list[Agent]) -> None:
    agent = agents[0]
    match = agent.queue(GAME, opponent="house:hard")["matchId"]
    state = agent.state(match)
    while state["status"] != "game_over":
        if state["status"] == "your_turn":
            state = agent.act(match, state["sequence"], {"type": "move", **state["view"]["legalMoves"][0]})
        else:
            state = agent.state(match, after=state["sequence"])
    assert state["results"]
