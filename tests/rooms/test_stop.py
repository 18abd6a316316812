"""The server stops cleanly, and games continue when it is back."""

from __future__ import annotations

import json

from tests.storage.cluster import cluster

from ..server_process import ServerProcess
from .app import App, Clients
from .checkers import make, opening
from .conftest import OpenServer
from .player import CLIENT_KINDS
from .shapes import fits, last_seen


def vanish_while_polling(server: ServerProcess) -> None:
    """Leaves messages on the server for a client that won't fetch them."""
    path = "/socket.io/?EIO=4&transport=polling"
    opened = server.request("GET", path).text
    path += f"&sid={json.loads(opened[1:])['sid']}"
    join = json.dumps(["matchmaking:join", {"username": "Gus", "wantsBot": True}])
    for packet in ("40/checkers,", f"42/checkers,{join}"):
        assert server.request("POST", path, content=packet).text.lower() == "ok"


def test_everyone_is_notified_of_a_restart_and_games_survive_it(open_server: OpenServer, clients: Clients) -> None:
    first = open_server()
    vanish_while_polling(first)  # which must not delay the stop
    app = App(first, first.tenant("app"), clients)
    tables = [app.pair((kind, kind)) for kind in CLIENT_KINDS]
    made = [make(red, [black], opening(), {"from": 40, "to": 33, "captures": []}) for red, black in tables]
    first.close()
    for player in [player for table in tables for player in table]:
        player.wait_for_the_end()
        fits(player.only("server:stopping"), {"message": str})
    second = open_server(first)
    after = App(second, app.tenant, clients)
    for (red, black), last in zip(tables, made, strict=True):
        back = [after.reconnect(player) for player in (red, black)]
        for player, before in zip(back, (red, black), strict=True):
            player.must("game:reconnect", {"playerId": player.id, **last_seen(before)})
            state = player.wait("game:reconnected")
            assert (state["board"], state["moveHistory"]) == (last["board"], last["moveHistory"])
            assert not player.heard("game:move:made")
        make(back[1], [back[0]], last["board"], {"from": 17, "to": 24, "captures": []})
    second.close()


def test_a_game_on_postgresql_survives_a_kill(open_server: OpenServer, clients: Clients) -> None:
    with cluster() as database:
        first = open_server(database=database)
        app = App(first, first.tenant("app"), clients)
        red, black = app.pair((CLIENT_KINDS[0], CLIENT_KINDS[0]))
        last = make(red, [black], opening(), {"from": 40, "to": 33, "captures": []})
        first.kill()
        second = open_server(first, database=database)
        after = App(second, app.tenant, clients)
        back = [after.reconnect(player) for player in (red, black)]
        for player in back:
            player.must("game:reconnect", {"playerId": player.id})
            assert player.wait("game:reconnected")["board"] == last["board"]
        make(back[1], [back[0]], last["board"], {"from": 17, "to": 24, "captures": []})
        second.close()
