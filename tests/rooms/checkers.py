"""A checkers client that knows no rules: it applies the server's moves to a board, and picks from the legal ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from .player import Payload, Player
from .shapes import CHECKERS_MADE, fits

Board = list[dict[str, str] | None]
FAR_ROW = {"red": 0, "black": 7}


def opening() -> Board:
    """Black in rows 0 to 2, red in rows 5 to 7, on the dark squares."""

    def man(index: int) -> dict[str, str] | None:
        row, column = divmod(index, 8)
        if (row + column) % 2 == 0 or row in (3, 4):
            return None
        return {"player": "black" if row < 3 else "red", "type": "man"}

    return [man(index) for index in range(64)]


def drawn(board: Board, move: Payload) -> tuple[Board, bool]:
    """The board after a move, and whether it made a king."""
    after = list(board)
    piece = after[move["from"]]
    assert piece
    for square in [move["from"], *move["captures"]]:
        after[square] = None
    crowned = piece["type"] == "man" and move["to"] // 8 == FAR_ROW[piece["player"]]
    after[move["to"]] = {**piece, "type": "king"} if crowned else piece
    return after, crowned


def pieces(board: Board, color: str) -> list[int]:
    return [index for index, piece in enumerate(board) if piece and piece["player"] == color]


def options(player: Player) -> list[Payload]:
    """All legal moves, in one answer; none when it isn't the player's turn."""
    ack = player.act("game:get_moves", ackOnly=True)
    fits(ack, {"moves": [{"from": int, "to": int, "captures": [int]}]})
    moves: list[Payload] = ack["moves"]
    return moves


def options_by_piece(player: Player, board: Board) -> list[Payload]:
    """The same, requested piece by piece."""
    found: list[Payload] = []
    for position in pieces(board, player.started["color"]):
        answer = player.ask_moves(position=position)
        fits(answer, {"position": {position}, "moves": [{"from": {position}, "to": int, "captures": [int]}]})
        found += answer["moves"]
    return found


def eager(board: Board, moves: list[Payload], chance: random.Random) -> Payload:
    """Prefers many captures, then crowning, so that games end."""

    def worth(move: Payload) -> tuple[int, bool, float]:
        return len(move["captures"]), drawn(board, move)[1], chance.random()

    return max(sorted(moves, key=lambda move: (move["from"], move["to"], move["captures"])), key=worth)


def make(player: Player, others: list[Player], board: Board, move: Payload) -> Payload:
    """Sends a move; everyone at the table must get the same message, and it must match what was sent."""
    player.act("game:move", move=move)
    made: Payload = player.wait("game:move:made")
    check(made, board, move, player.id)
    for other in others:
        assert other.wait("game:move:made") == other.sees(made, player.started["players"])
    return made


def check(made: Payload, board: Board, move: Payload | None, mover: str) -> None:
    fits(made, CHECKERS_MADE)
    assert move is None or made["move"] == move
    assert made["playerId"] == mover
    assert (made["board"], made["becameKing"]) == drawn(board, made["move"])
    last = made["moveHistory"][-1]
    assert (last["move"], last["playerId"]) == (made["move"], mover)


Trial = Callable[[Player, Board, list[Payload]], Any]


def play_out(
    players: list[Player], watchers: list[Player], seed: int, trial: Trial | None = None, most: int = 1000
) -> list[Payload]:
    """Plays a game, or `most` moves of it, with `trial` called before each; returns the `game:move:made` messages."""
    chance, board, turn = random.Random(seed), opening(), 0
    moves_made: list[Payload] = []
    while len(moves_made) < most and (moves := options(players[turn])):
        assert turn == len(moves_made) % 2
        if trial:
            trial(players[turn], board, moves)
        move = eager(board, moves, chance)
        moves_made.append(make(players[turn], [players[1 - turn], *watchers], board, move))
        assert len(moves_made[-1]["moveHistory"]) == len(moves_made)
        board, turn = moves_made[-1]["board"], moves_made[-1]["currentTurn"]
    return moves_made


def play_a_bot(player: Player, seed: int, most: int) -> list[Payload]:
    """Plays a game against a bot, or `most` moves of the person; returns the `game:move:made` messages."""
    chance, board = random.Random(seed), opening()
    moves_made: list[Payload] = []
    bot = player.started["players"][1]["id"]
    for _ in range(most):
        moves = options(player)
        if not moves:
            break
        moves_made.append(make(player, [], board, eager(board, moves, chance)))
        answer = player.next("game:move:made", "game:over", within=60)
        if answer.name == "game:over":
            break
        check(answer.payload, moves_made[-1]["board"], None, bot)
        moves_made.append(answer.payload)
        board = answer.payload["board"]
    return moves_made
