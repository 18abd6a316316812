"""`ludus play`: a game in the terminal, between two people or against a bot."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from ludus.cli.replay import result
from ludus.cli.terminal import GameArgument, has_colour
from ludus.core.errors import LudusError
from ludus.core.game import Game
from ludus.core.rules import Player, Turn
from ludus.engines import ENGINES
from ludus.engines.engine import Engine, roll
from ludus.games import GAMES

HELP = """Type a move as the list shows it, or one of:
  moves        list the legal moves
  undo         take back the last move (and the bot's answer)
  flip         turn the board
  draw         offer a draw
  resign       give up
  save FILE    write the game to a file
  quit         leave the game"""


def play(
    game: GameArgument,
    bot: Annotated[str | None, typer.Option(help=f"Play against a bot: {', '.join(ENGINES)}.")] = None,
    side: Annotated[str, typer.Option(help="Your side against a bot: first or second.")] = "first",
    variant: Annotated[str, typer.Option(help="The starting position by name.")] = "standard",
    position: Annotated[
        str | None, typer.Option(help="Start from a FEN (checkers), XGID or GNU ID (backgammon).")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Repeat the dice and the bot's choices.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the game to this file when it ends.")] = None,
) -> None:
    """Play in the terminal: two people in turn, or you against a bot."""
    rules = GAMES[game]
    if bot is not None and bot not in ENGINES:
        raise LudusError(f"there is no bot {bot!r}; there are {', '.join(ENGINES)}")
    if side not in ("first", "second"):
        raise LudusError(f"--side is first or second, not {side!r}")
    start = rules.notation.read_position(position) if position else None
    seats = {Player.FIRST: None, Player.SECOND: None} | ({Player[side.upper()].other: ENGINES[bot]} if bot else {})
    rng = random.SystemRandom() if seed is None else random.Random(seed)
    Table(Game(rules, variant, start=start), seats, rng, save).run()


class Table:
    """One game at one terminal; a seat without an engine is a person's."""

    def __init__(
        self, game: Game[Any, Any], seats: dict[Player, Engine | None], rng: random.Random, save: Path | None
    ) -> None:
        self.game = game
        self.seats = seats
        self.rng = rng
        self.save = save
        self.flipped = seats[Player.FIRST] is not None
        self.is_left = False
        self.commands: dict[str, Callable[[str], None]] = {
            "help": lambda _: typer.echo(HELP),
            "?": lambda _: typer.echo(HELP),
            "moves": lambda _: self.list_moves(),
            "undo": lambda _: self.undo(),
            "flip": lambda _: self.flip(),
            "draw": lambda _: self.offer_draw(),
            "resign": lambda _: self.resign(),
            "save": self.write,
            "quit": lambda _: self.leave(),
        }

    def run(self) -> None:
        typer.echo(f"{self.game.rules.name.capitalize()}. Type `help` for what you can type.")
        while not self.game.outcome and not self.is_left:
            self.take_turn()
        self.show()
        typer.echo(result(self.game))
        if self.save:
            self.write(str(self.save))

    def take_turn(self) -> None:
        game = self.game
        if game.turn is Turn.DICE:
            self.announce("dice", roll(game.rules, game.position, self.rng))
            return
        engine = self.seats[self.player]
        if engine:
            self.announce(self.name, engine.choose(game.rules, game.position, self.rng))
        elif game.legal_moves() == (game.rules.pass_move,):
            self.announce(self.name, game.rules.pass_move)
        else:
            self.show()
            self.ask()

    @property
    def player(self) -> Player:
        player = self.game.turn.player
        assert player is not None
        return player

    @property
    def name(self) -> str:
        return self.game.rules.players[self.player]

    def announce(self, who: str, move: Any) -> None:
        typer.echo(f"{who}: {self.game.rules.notation.write_move(self.game.position, move)}")
        self.game.play(move)

    def show(self) -> None:
        typer.echo("\n" + self.game.board().text(colour=has_colour(), flipped=self.flipped) + "\n")

    def ask(self) -> None:
        """One line from the person whose turn it is: a command or a move."""
        try:
            text = input(f"{self.name}> ").strip()
        except (EOFError, KeyboardInterrupt):
            return self.leave()
        command, _, argument = text.partition(" ")
        try:
            if command.lower() in self.commands:
                self.commands[command.lower()](argument.strip())
            elif text:
                self.game.play(text)
        except LudusError as error:
            typer.echo(str(error))
        return None

    def list_moves(self) -> None:
        write = self.game.rules.notation.write_move
        typer.echo("  ".join(write(self.game.position, move) for move in self.game.legal_moves()))

    def undo(self) -> None:
        """Back to a person's last decision; dice that had fallen by then stay."""
        now, turns = len(self.game.moves), map(self.game.rules.turn, self.game.positions)
        past = [ply for ply, turn in enumerate(turns) if ply < now and self.is_persons(turn)]
        if not past:
            raise LudusError("there is no move to take back")
        for _ in range(now - past[-1]):
            self.game.undo()

    def is_persons(self, turn: Turn) -> bool:
        return turn.player is not None and self.seats[turn.player] is None

    def flip(self) -> None:
        self.flipped = not self.flipped

    def offer_draw(self) -> None:
        if self.seats[self.player.other]:
            typer.echo("The bot plays on.")
        elif typer.confirm(f"{self.game.rules.players[self.player.other]}, do you agree to a draw?"):
            self.game.agree_draw()

    def resign(self) -> None:
        if typer.confirm("Resign the game?"):
            self.game.resign(self.player)

    def write(self, name: str) -> None:
        if not name:
            raise LudusError(f"say where to: save FILE{self.game.rules.notation.suffix}")
        try:
            Path(name).write_text(self.game.rules.notation.write_games([self.game]), encoding="utf-8")
        except OSError as error:
            raise LudusError(f"{name}: {error.strerror}") from None
        typer.echo(f"Written to {name}.")

    def leave(self) -> None:
        self.is_left = True
