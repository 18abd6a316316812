"""One game of a MAT file while it is read, cell by cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludus.core.errors import BadInput, GameIsOver
from ludus.core.rules import Outcome, Player, Reason, Turn
from ludus.games.backgammon.mat.cells import OFFER, OFFERS, WIN, Cell, Cube
from ludus.games.backgammon.position import Play

if TYPE_CHECKING:
    from ludus.core.game import Game
    from ludus.games.backgammon.position import Position
    from ludus.games.backgammon.rules import Move

UNPLAYED = frozenset({"", "???", "????"})
"""What is written behind a roll that was not played, or could not be."""


class Sheet:
    def __init__(self, game: Game[Position, Move], reason: str | None, points: int | None) -> None:
        """Takes the game before its first move, and the reason for its end and its points where headers give them."""
        self._game = game
        self._reason = reason
        self._points = points
        self._cube = Cube()
        self._winner: Player | None = None
        self._worth = 1
        self._shows_start = bool(game.start.dice)
        self._notes = {number: [text] for number, text in game.comments.items()}

    def remark(self, text: str) -> None:
        self._note(text, "\n")

    def take(self, cell: Cell) -> None:
        if cell.head == "Wins":
            self._win(cell)
            return
        if self._winner is not None:
            raise GameIsOver("the game is over: it has been won")
        if cell.head in OFFERS:
            self._double(cell)
        elif cell.head in ("Takes", "Drops"):
            self._answer(cell)
        else:
            self._roll(cell)

    def finish(self) -> Game[Position, Move]:
        game = self._game
        game.comments |= {number: "".join(notes) for number, notes in self._notes.items()}
        if game.outcome:
            if self._reason is not None:
                game.tags["Termination"] = self._reason
        elif self._winner is not None or self._reason is not None:
            reason = Reason.RESIGNATION if self._reason is None else self._reason
            game.end(Outcome(self._winner, reason, self._worth if self._points is None else self._points))
        return game

    def _roll(self, cell: Cell) -> None:
        one, two = int(cell.head[0]), int(cell.head[1])
        high, low = max(one, two), min(one, two)
        if self._shows_start:
            self._check_start((high, low))
        else:
            self._pass()
            is_opening = self._game.position.mover is None
            self._game.play(f"{low}{high}" if is_opening and cell.player is Player.SECOND else f"{high}{low}")
        self._check_turn(cell.player)
        self._cube.take()
        if cell.text not in UNPLAYED:
            self._game.play(cell.text)

    def _check_start(self, dice: tuple[int, int]) -> None:
        self._shows_start = False
        if dice != self._game.start.dice:
            raise BadInput("the game starts with the dice {}{}".format(*self._game.start.dice))

    def _check_turn(self, player: Player) -> None:
        mover = self._game.position.mover
        if mover is not None and mover is not player:
            raise BadInput(f"it is {self._game.rules.players[mover]}'s turn")

    def _pass(self) -> None:
        """Makes the play of no steps, which a file need not tell, so that the other player can go on."""
        if self._game.turn.player is None:
            return
        if self._game.legal_moves() != (Play(()),):
            raise BadInput("the roll {}{} has not been played".format(*self._game.position.dice))
        self._game.play(Play(()))

    def _double(self, cell: Cell) -> None:
        self._pass()
        match = OFFER.fullmatch(cell.text)
        if not match and cell.text:
            raise BadInput(f"{cell.text[:40]!r} is not a cube's value such as => 2")
        if self._game.turn is not Turn.DICE or self._game.position.mover is None:
            raise BadInput("nobody can double now")
        if cell.head == "Doubles":
            self._check_turn(cell.player)
        else:
            self._check_offer(cell)
        value = int(match[1]) if match else 2 * (self._cube.offer or self._cube.stake)
        self._cube.double(cell.player, value)
        self._note(f"{cell.head} => {value}")

    def _answer(self, cell: Cell) -> None:
        self._check_offer(cell)
        self._note(cell.head)
        if cell.head == "Takes":
            self._cube.take()
        else:
            self._winner = self._cube.offerer

    def _check_offer(self, cell: Cell) -> None:
        if self._cube.offerer is not cell.player.other:
            raise BadInput("there is no double to answer")

    def _win(self, cell: Cell) -> None:
        """Believes who is said to have won, and for how much, unless the board or the cube shows it."""
        match = WIN.fullmatch(cell.text)
        if not match:
            raise BadInput(f"{cell.text[:40]!r} does not tell the points of a win")
        worth = -(-int(match[1]) // self._cube.stake)
        if self._game.outcome:
            return
        if not 1 <= worth <= self._game.rules.most_points:
            raise BadInput(f"a game played for {self._cube.stake} is won 1 to 3 times that, not {match[1]} points")
        self._worth = worth
        if self._winner is None:
            self._winner = cell.player

    def _note(self, text: str, glue: str = "; ") -> None:
        notes = self._notes.setdefault(len(self._game.moves), [])
        notes += [glue, text] if notes else [text]
