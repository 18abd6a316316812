"""A backgammon client that knows no rules: it moves men as the server says, and picks from the legal plays."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from .player import Payload, Player
from .shapes import MADE, OVER, fits

SIGN = {"white": 1, "black": -1}
OTHER = {"white": "black", "black": "white"}
STEP = {"from": {"bar", *range(1, 25)}, "to": {"off", *range(1, 25)}}
DICE = {"roomId": str, "playerId": str, "dice": [{1, 2, 3, 4, 5, 6}], "version": int, "part": int}


class Men(NamedTuple):
    """Where the men are, according to the messages."""

    board: list[int]
    bar: dict[str, int]
    off: dict[str, int]

    def stepped(self, color: str, step: Payload) -> Men:
        board, bar, off, sign = list(self.board), dict(self.bar), dict(self.off), SIGN[color]
        if step["from"] == "bar":
            bar[color] -= 1
        else:
            board[step["from"]] -= sign
        if step["to"] == "off":
            off[color] += 1
        elif board[step["to"]] == -sign:
            board[step["to"]] = sign
            bar[OTHER[color]] += 1
        else:
            board[step["to"]] += sign
        return Men(board, bar, off)

    def played(self, color: str, steps: list[Payload]) -> Men:
        men = self
        for step in steps:
            men = men.stepped(color, step)
        return men

    def blots(self, color: str) -> int:
        return sum(count == SIGN[color] for count in self.board)


def men_of(payload: Payload) -> Men:
    """Checks that each colour has fifteen men."""
    fits(payload, {"board": [int], "bar": {"white": int, "black": int}, "off": {"white": int, "black": int}})
    men = Men(payload["board"], payload["bar"], payload["off"])
    assert len(men.board) == 25 and men.board[0] == 0
    for color, sign in SIGN.items():
        assert sum(max(0, sign * count) for count in men.board) + men.bar[color] + men.off[color] == 15
    return men


def opening() -> Men:
    board = [0] * 25
    board[24], board[13], board[8], board[6] = 2, 5, 3, 5
    board[1], board[12], board[17], board[19] = -2, -5, -3, -5
    return Men(board, {"white": 0, "black": 0}, {"white": 0, "black": 0})


def options(player: Player) -> list[list[Payload]]:
    """The legal plays; none when it is no longer the player's turn, or the game is over."""
    ack = player.emit("game:get_moves", player.own())
    if not ack["ok"]:
        assert ack["error"]["code"] == "game_over"
        return []
    answer = player.wait("game:valid_moves")
    fits(answer, {"moves": [[STEP]]})
    plays: list[list[Payload]] = answer["moves"]
    return plays


def tapped(player: Player, men: Men) -> list[Payload]:
    """Builds a play by taking the first step that is offered until there is none."""
    color, steps = player.started["color"], list[Payload]()
    while True:
        now = men.played(color, steps)
        own = [point for point in range(1, 25) if now.board[point] * SIGN[color] > 0]
        positions: list[Any] = ["bar"] if now.bar[color] else own
        found = [step for position in positions for step in next_steps(player, position, steps)]
        if not found:
            return steps
        steps.append(found[0])


def next_steps(player: Player, position: int | str, so_far: list[Payload]) -> list[Payload]:
    answer = player.ask_moves(position=position, soFar=so_far)
    fits(answer, {"position": {position}, "moves": [{**STEP, "from": {position}}]})
    steps: list[Payload] = answer["moves"]
    return steps


def careful(men: Men, color: str, plays: list[list[Payload]], chance: random.Random) -> list[Payload]:
    """Bears off if possible, otherwise leaves few blots, so that games end."""

    def worth(play: list[Payload]) -> tuple[int, int, float]:
        after = men.played(color, play)
        return after.off[color], -after.blots(color), chance.random()

    return max(plays, key=worth)


class GameFollower:
    """Follows a game and checks each message against the one before."""

    def __init__(self, players: list[Player], watchers: list[Player]) -> None:
        self.players, self._receivers = players, [*players, *watchers]
        self.men, self.moves_made = men_of(players[0].started), list[Payload]()
        self.colors = {person["id"]: person["color"] for person in players[0].started["players"]}
        self.rolls: list[list[int]] = []
        self.over: Payload = {}

    def next(self) -> tuple[str, Payload]:
        """The table's next message, which must be the same for everyone, but for the players' names and ids."""
        events = [receiver.next("game:dice", "game:move:made", "game:over") for receiver in self._receivers]
        name, payload = events[0].name, events[0].payload
        seated = self.players[0].started["players"]
        for receiver, event in zip(self._receivers, events, strict=True):
            assert (event.name, event.payload) == (name, receiver.sees(payload, seated)), events
        if name == "game:dice":
            self._check_dice(payload)
        elif name == "game:move:made":
            self._check_move(payload)
        else:
            fits(payload, OVER)
            self.over = payload
        return name, payload

    def _check_dice(self, payload: Payload) -> None:
        fits(payload, DICE)
        assert len(payload["dice"]) == (4 if len(set(payload["dice"])) == 1 else 2)
        self.rolls.append(payload["dice"])
        self._roller = payload["playerId"]

    def _check_move(self, made: Payload) -> None:
        fits(made, {**MADE, "move": {"moves": [STEP]}})
        assert made["playerId"] == self._roller
        assert bool(made.get("passed")) == (made["move"]["moves"] == [])
        self.men = self.men.played(self.colors[self._roller], made["move"]["moves"])
        assert men_of(made) == self.men
        self.moves_made.append(made)
        last = made["moveHistory"][-1]
        assert (last["move"], last["playerId"]) == (made["move"], made["playerId"])


def play_out(players: list[Player], watchers: list[Player], seed: int, most: int = 1000) -> GameFollower:
    """Plays a game, or `most` messages of it; a seat without a connection here is a bot's."""
    chance, follower = random.Random(seed), GameFollower(players, watchers)
    for _ in range(most):
        name, payload = follower.next()
        if name == "game:over":
            break
        mover = next((player for player in players if player.id == payload["playerId"]), None)
        if name != "game:dice" or mover is None:
            continue
        if plays := options(mover):
            play = careful(follower.men, mover.started["color"], plays, chance)
            mover.act("game:move", move={"moves": play})
    return follower
