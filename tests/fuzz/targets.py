"""All parsers of input from outside, one line each. A new parser gets a line here."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np
from pydantic import BaseModel
from starlette.types import Message
from tests.fuzz.connection import CHUNKED, GET, HANDSHAKE, POST, frames, talk
from tests.fuzz.target import Target
from tests.server.web.authenticator import Authenticator, encoded
from websockets.frames import Opcode

from ludus.core.errors import (
    BadInput,
    BadMove,
    InvalidInput,
    MalformedPolicy,
    MalformedPosition,
    MalformedRecord,
    UnknownOption,
)
from ludus.core.game import Game
from ludus.engines.engine import roll
from ludus.envs.dataset import Dataset, build
from ludus.envs.encoding import find_encoding
from ludus.envs.policy import Policy, highest
from ludus.envs.value import Value
from ludus.games import GAMES
from ludus.games.backgammon import position_text
from ludus.puzzles import puzzles
from ludus.puzzles import read as read_puzzles
from ludus.puzzles import write as write_puzzles
from ludus.server.arena import schemas as arena
from ludus.server.arena.sockets import game as game_socket
from ludus.server.cluster.peers import Signature, owner_of
from ludus.server.http.addresses import Proxies
from ludus.server.http.cursors import read_cursor
from ludus.server.http.errors import Malformed
from ludus.server.http.request import Request
from ludus.server.rooms import requests
from ludus.server.settings import load
from ludus.server.socketio import engine
from ludus.server.socketio.packets import BadPacket, TextPacket, read_event
from ludus.server.web import passkeys
from ludus.server.web.passkeys import RelyingParty, WrongPasskey
from ludus.server.web.people import CodeUse, PersonChange
from ludus.server.web.play import JoinGame, NewGame, TakeSeat
from ludus.server.web.relations import NewChallenge, NewReport
from ludus.server.web.tournaments import NewTournament
from ludus.service import origins, pasted, proof
from ludus.service.records import Passkey, Session
from ludus.service.roster import Roster
from ludus.service.time_control import TimeControl
from ludus.service.tokens import Claims, GuestClaims, Tokens, Unauthorized
from ludus.service.webhooks.addresses import BadAddress, check_url
from ludus.wire import codec
from ludus.wire.state import view

PARTY: Final = RelyingParty("play.example", "https://play.example")
KEY: Final = Authenticator(PARTY.origin)
CHALLENGE: Final = b"a challenge of thirty-two bytes.."
NEW_PASSKEY: Final = {"challenge": encoded(CHALLENGE), "rp": {"id": PARTY.id}, "user": {"id": encoded(b"ann")}}
USE_OF_PASSKEY: Final = {"challenge": encoded(CHALLENGE), "rpId": PARTY.id}
PASSKEY: Final = Passkey(encoded(KEY.id), "ann", encoded(KEY.public_key), 0, "", 0, 0)
TOKENS: Final = Tokens(b"a secret of thirty-two bytes.....")
SIGNATURE: Final = Signature(b"secret")
TARGET: Final = "/socket.io/?EIO=4&sid=one.c2Vzc2lvbg"
PROXIES: Final = Proxies("10.0.0.0/8, 2001:db8::/32")
XGIDS: Final = (
    "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10",
    "XGID=aB---BD-B---eB---c-eA---A-:0:0:-1:00:0:0:3:5:10",
)
TIME_CONTROLS: Final = ("5+3", "1:30+0", "2 d12", "15s/move", "2d/move", "none")
GNU_IDS: Final = ("4HPwATDgc/ABMA", "4HPwAaBhz2BACA", "4HPwATDgc/ABMA:cIkFAAAAAAAA")
PASTED: Final = (
    *XGIDS,
    *GNU_IDS,
    "B:W21,22,K30:B1,2,K9",
    "1. 11-15 23-19 2. 8-11",
)
URLS: Final = ("https://example.org/hook", "http://[2606:4700::1111]:8080/a?b=c", "https://xn--bcher-kva.example/")
TOML: Final = ('port = 9000\nhost = "::1"\nguests = false\nafk_seconds = 90.5\n', 'proxies = "10.0.0.1, 10.1.0.0/16"\n')
ENVIRONMENT: Final = ("LUDUS_PORT=9000\nLUDUS_GUESTS=no", "LUDUS_AFK_SECONDS=90.5\nLUDUS_HOST=::1\nHOME=/root")
PAGES: Final = ("after=0", "limit=100&after=99", "limit=1", "live=true&lane=fast")
FRAMES: Final = (
    frames(
        (Opcode.TEXT, b'{"type":"action","sequence":1,"payload":{}}'), (Opcode.PING, b"x"), (Opcode.CLOSE, b"\3\xe8")
    ),
    frames((Opcode.TEXT, b"a"), fin=False)
    + frames((Opcode.CONT, b"b"), (Opcode.BINARY, bytes(300)), (Opcode.PONG, b"")),
)


TESTS = Path(__file__).parents[1]
CUP = {
    "name": "Cup",
    "game": "checkers",
    "system": "swiss",
    "rounds": 5,
    "timeControl": "5+3",
    "startsAt": "2026-11-18T19:30:00Z",
}


def forwarded(header: str) -> object:
    return SIGNATURE.client("GET", TARGET, header)


def played(name: str, seed: int, moves: int = 30, match_length: int | None = None) -> Game[Any, Any]:
    """A random game, or its beginning."""
    rules, rng = GAMES[name], Random(seed)
    game = Game(rules, rules.variant_name(match_length=match_length))
    while not game.outcome and game.length < moves:
        position = game.position
        game.play(roll(rules, position, rng) if rules.chances(position) else rng.choice(rules.moves(position)))
    if not game.outcome and rules.chances(game.position):
        game.play(roll(rules, game.position, rng))
    return game


def set_up(name: str, setup: object) -> object:
    """The body of a request is checked to be an object."""
    codecs = codec(name)
    assert codecs.setup is not None
    return codecs.setup.read(setup if isinstance(setup, dict) else {})


def of_game(name: str) -> Iterator[Target]:
    notation, codecs = GAMES[name].notation, codec(name)
    games = [played(name, seed, moves) for seed, moves in ((1, 8), (2, 31), (3, 500))]
    game = games[1]
    position, legal = game.position, game.legal_moves()[:5]
    positions = [notation.write_position(each) for each in game.positions]
    moves = [notation.write_move(position, move) for move in legal]
    if "match_length" in GAMES[name].options:
        games.append(played(name, 4, 200, match_length=3))
        positions += [notation.write_position(each) for each in games[-1].positions[::10]]
    files = [notation.write_games(games[:2]), notation.write_games(games[2:])]
    payloads = [codecs.rooms.move(position, move) for move in legal]
    actions = [codecs.arena.action(position, move) for move in legal]
    seen = view(game, game.turn.player, ("a", "b"))

    def act(payload: object) -> object:
        return codecs.arena.resolve(position, codecs.arena.parse_action(payload))

    def explain(asked: object) -> object:
        given = asked if isinstance(asked, dict) else {"place": asked}
        return codecs.rooms.refusal(position, given.get("place"), given.get("target"), given.get("so_far"))

    yield Target(f"{name}: position", notation.read_position, (MalformedPosition,), positions)
    yield Target(f"{name}: move", partial(notation.read_move, position), (BadMove,), moves, 3000)
    yield Target(f"{name}: games", notation.read_games, (MalformedRecord,), files, 3000)
    yield Target(f"{name}: games, the good ones", partial(notation.read_games, errors="skip"), (), files, 3000)
    exports = ["\n".join(positions[:5]), "\n".join(positions[-5:])]
    exports += [file.read_text() for file in (TESTS / "games" / name / "data").glob("*_export.txt")]
    if notation.recognizes(exports[0]):
        yield Target(f"{name}: a file of positions", notation.read_games, (MalformedRecord,), exports, 3000)
    yield Target(f"{name}: move in rooms", partial(codecs.rooms.parse_move, position), (BadMove,), payloads)
    asked: list[object] = [{"place": place, "target": 5, "so_far": []} for place in (1, 12, 24)]
    if codecs.setup is not None:
        packed, colors = codecs.rooms.packed_board(position), codecs.rooms.colors
        setup = {**packed, "turn": colors[1]} if isinstance(packed, dict) else {"board": packed, "turn": colors[0]}
        yield Target(f"{name}: position set up", partial(set_up, name), (MalformedPosition,), [setup])
    yield Target(f"{name}: why not in rooms", explain, (BadMove,), asked)
    yield Target(f"{name}: action in the arena", act, (BadMove, InvalidInput), actions)
    yield Target(f"{name}: move in words", partial(codecs.text.parse_action, seen), (BadMove,), ["1", "resign", *moves])


def read_query(text: str) -> None:
    request = Request({"type": "http", "query_string": text.encode("utf8", "replace"), "headers": []})
    request.number("after", 0, 1_000_000, 0)
    request.number("limit", 1, 100, 20)
    request.one_of("lane", ("fast", "standard"), "fast")
    request.flag("live")


def read_time_control(value: object) -> object:
    return TimeControl.from_data(value) if isinstance(value, dict) else None


def read_body(model: type[BaseModel], body: bytes) -> None:
    async def receive() -> Message:
        return {"type": "http.request", "body": body}

    asyncio.run(Request({"type": "http", "headers": []}, receive).parse(model))


def read_new_passkey(credential: Any) -> None:
    passkeys.check(lambda: passkeys.read_registration(credential))
    passkeys.check(lambda: passkeys.verified_registration(PARTY, credential, CHALLENGE))


def read_passkey(credential: Any) -> None:
    passkeys.check(lambda: passkeys.read_login(credential))
    passkeys.check(lambda: passkeys.verified_login(PARTY, credential, CHALLENGE, PASSKEY))


def read_packet(text: str) -> None:
    if text:  # an empty one is refused before
        TextPacket(encoded_packet=text)
        read_event(text)


def read_policy(data: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        file.write(data)
        file.flush()
        Policy.load(Path(file.name))


def policy(name: str) -> bytes:
    shape = highest(name).size, find_encoding(name).num_actions
    with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        Policy.from_layers(name, [(np.zeros(shape), np.zeros(shape[1]))]).save(Path(file.name))
        return Path(file.name).read_bytes()


def read_value(data: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        file.write(data)
        file.flush()
        Value.load(Path(file.name))


def value_file(name: str) -> bytes:
    with tempfile.NamedTemporaryFile(suffix=".npz") as file:
        Value.from_layers(name, [1, -1], [(np.zeros((highest(name).size, 2)), np.zeros(2))]).save(Path(file.name))
        return Path(file.name).read_bytes()


@cache
def dataset_files() -> dict[str, bytes]:
    """Those of a small dataset, by name."""
    with tempfile.TemporaryDirectory() as folder:
        record, out = Path(folder, "one.pdn"), Path(folder, "out")
        record.write_text("1. 11-15 23-19 *")
        build([record], out)
        return {file.name: file.read_bytes() for file in out.iterdir()}


def read_dataset(data: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for file, content in (dataset_files() | {name: data}).items():
            Path(folder, file).write_bytes(content)
        Dataset(folder)


def read_toml(text: str) -> None:
    with tempfile.NamedTemporaryFile(suffix=".toml") as file:
        file.write(text.encode("utf8", "surrogatepass"))
        file.flush()
        load({}, Path(file.name), {})


def read_environment(text: str) -> None:
    load(dict(line.partition("=")[::2] for line in text.split("\n")), None, {})


def bodies(*examples: Mapping[str, Any]) -> list[bytes]:
    return [json.dumps(example).encode() for example in examples]


def proof_of(name: str) -> dict[str, Any]:
    game = played(name, 1)
    write = game.rules.notation.write_move
    moves = [write(game.position_at(ply), game.move_at(ply)) for ply in range(game.length)]
    return {"ludus": proof.FORMAT, "game": name, "variant": "standard", "table": "t", "moves": moves, "result": None}


def token() -> str:
    players = ({"id": "ann", "displayName": "Ann"},)
    session = Session("s", 1, "acme", "g", "live", "bot", "pending", players, "", True, None, None, None, None, 0)
    return TOKENS.write(session, Claims("s", "ann", 2_000_000_000), 1_900_000_000)


JOIN: Final = {
    "username": "Ann",
    "playerId": "p",
    "wantsBot": True,
    "botDifficulty": "easy",
    "afkTimeoutEnabled": False,
}
MOVE: Final = {
    "roomId": "r",
    "playerId": "p",
    "commandId": "c",
    "version": 3,
    "move": {"from": 40, "to": 33, "captures": []},
}
ASKED: Final = {"roomId": "r", "position": 42, "soFar": [], "explain": True, "target": 33, "ackOnly": True}
RESUME: Final = {"roomId": "r", "version": 7, "part": 0}
ACTION: Final = '{"type":"action","sequence":1,"payload":{"type":"move","from":11,"to":15}}'


def targets() -> Iterator[Target]:
    for name in GAMES:
        yield from of_game(name)
    yield Target("time control: text", TimeControl.read_text, (InvalidInput,), TIME_CONTROLS)
    chosen = [TimeControl.read_text(text).to_data() for text in TIME_CONTROLS]
    yield Target("time control: JSON", read_time_control, (InvalidInput,), chosen)
    mined = [write_puzzles(puzzles(name)[:2]) for name in GAMES if puzzles(name)]
    yield Target("puzzles", read_puzzles, (MalformedRecord,), mined, 3000)
    yield Target("XGID", position_text.read_xgid, (MalformedPosition,), XGIDS)
    yield Target("GNU ID", position_text.read_position_id, (MalformedPosition,), GNU_IDS)
    yield Target("rooms: join", partial(requests.parse, requests.Join), (Malformed,), [JOIN])
    yield Target("rooms: move", partial(requests.parse, requests.MakeMove), (Malformed,), [MOVE])
    yield Target("rooms: moves", partial(requests.parse, requests.GetMoves), (Malformed,), [ASKED])
    yield Target(
        "rooms: phrase", partial(requests.parse, requests.Say), (Malformed,), [{"roomId": "r", "phrase": "hello"}]
    )
    yield Target("rooms: resume", partial(requests.parse, requests.Reconnect), (Malformed,), [RESUME])
    yield Target(
        "rooms: packet", read_packet, (BadPacket,), [f'2/checkers,7["game:move",{json.dumps(MOVE)}]', "0/x,", "1/x,"]
    )
    yield Target("rooms: polled payload", engine.is_payload, (), [b'42/checkers,["a"]', b"2\x1e3\x1e40/checkers,{}"])
    yield Target("arena: frame", lambda text: game_socket.read({"text": text}), (InvalidInput,), [ACTION])
    yield Target(
        "arena: registration",
        partial(read_body, arena.Registration),
        (InvalidInput,),
        bodies({"name": "Ann", "model": "m-1"}),
    )
    yield Target(
        "arena: queue",
        partial(read_body, arena.QueueEntry),
        (InvalidInput,),
        bodies({"gameId": "g", "lane": "fast", "opponent": "house:easy"}),
    )
    yield Target(
        "page: new game",
        partial(read_body, NewGame),
        (InvalidInput,),
        bodies({"game": "checkers", "opponent": "friend", "timeControl": {"type": "none"}, "public": True}),
    )
    yield Target(
        "page: person",
        partial(read_body, PersonChange),
        (InvalidInput,),
        bodies({"name": "Ann", "color": "teal", "preferences": {"sound": True, "boardTheme": "classic"}}),
    )
    yield Target("page: code", partial(read_body, CodeUse), (InvalidInput,), bodies({"code": "ABCD-2345"}))
    yield Target("page: new passkey", read_new_passkey, (WrongPasskey,), [KEY.create(NEW_PASSKEY)])
    yield Target("page: passkey", read_passkey, (WrongPasskey,), [KEY.get(USE_OF_PASSKEY)])
    control = {"type": "fischer", "seconds": 300, "increment": 3}
    challenge = {"person": "p1", "game": "checkers", "timeControl": control, "rated": True}
    yield Target("page: challenge", partial(read_body, NewChallenge), (InvalidInput,), bodies(challenge))
    yield Target("page: tournament", partial(read_body, NewTournament), (InvalidInput,), bodies(CUP))
    yield Target(
        "page: report", partial(read_body, NewReport), (InvalidInput,), bodies({"game": "t", "reason": "abuse"})
    )
    yield Target("page: older games", read_cursor, (InvalidInput,), ["1700000000000.018bcfe5-68", "1.a"])
    yield Target("page: join", partial(read_body, JoinGame), (InvalidInput,), bodies({"code": "ABC234", "name": "Ben"}))
    yield Target("page: take a seat", partial(read_body, TakeSeat), (InvalidInput,), bodies({"code": "ABC2345"}))
    texts = [*PASTED, *(GAMES[name].notation.write_games([played(name, 5, 20)]) for name in GAMES)]
    yield Target("page: pasted text", pasted.read, (MalformedPosition, MalformedRecord), texts, 3000)
    yield Target("paging", read_query, (InvalidInput,), PAGES)
    yield Target("token", TOKENS.read, (Unauthorized,), [token()])
    yield Target("guest's token", TOKENS.read_guest, (Unauthorized,), [TOKENS.write_guest(GuestClaims("t", "k"))])
    yield Target("webhook URL", check_url, (BadAddress,), URLS)
    yield Target("allowed origin", origins.read_origin, (BadInput,), ["https://play.example:443", "*", "null"])
    yield Target(
        "X-Forwarded-For",
        PROXIES.client,
        (ValueError,),
        ["203.0.113.5, 10.0.0.1", "[2001:db8::1]:4711", "::ffff:1.2.3.4"],
    )
    yield Target("session owner", owner_of, (), ["a3f1.c2Vzc2lvbg", "c2Vzc2lvbg", "one.two.three"])
    yield Target("forwarded client", forwarded, (), [SIGNATURE.sign("GET", TARGET, "203.0.113.5"), "0 203.0.113.5"])
    yield Target("proxies", Proxies, (ValueError,), ["10.0.0.1, 10.1.0.0/16", "*", "::1/128"])
    yield Target("settings: file", read_toml, (BadInput, UnknownOption), TOML, 2000)
    yield Target("settings: environment", read_environment, (BadInput, UnknownOption), ENVIRONMENT, 2000)
    yield Target("settings: players", Roster.read, (BadInput,), ["a=easy", "a=easy, b-2=hard"], 2000)
    yield Target("policy file", read_policy, (MalformedPolicy,), [policy(name) for name in GAMES])
    yield Target("value file", read_value, (MalformedPolicy,), [value_file(name) for name in GAMES])
    for name in ("dataset.json", "offsets.npy"):
        yield Target(f"dataset: {name}", partial(read_dataset, name=name), (BadInput,), [dataset_files()[name]])
    yield Target("proof of a game", proof.prove, (BadInput,), [proof_of(name) for name in GAMES], 3000)
    yield Target("WebSocket frames", partial(talk, opening=HANDSHAKE), (), FRAMES)
    yield Target("HTTP", talk, (), [GET, POST, CHUNKED, HANDSHAKE, GET + POST])
