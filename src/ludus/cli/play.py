"""`ludus play`: a game in the terminal, between two people or against a bot."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ludus.cli.precompile import prepare
from ludus.cli.replay import result, result_of_game
from ludus.cli.terminal import (
    BeaversOption,
    CubeOption,
    GameArgument,
    JacobyOption,
    MatchLengthOption,
    complete_player,
    complete_variant,
    completing,
    drawn,
    line_editing,
)
from ludus.core.errors import BadInput, BadMove, LudusError
from ludus.core.game import Game
from ludus.core.rules import Player, Rules, Turn
from ludus.engines import ENGINES, analyst
from ludus.engines.engine import OWN_LIMIT, Engine, Line, roll
from ludus.engines.levels import LEVELS
from ludus.engines.resignation import is_enough
from ludus.games import ABOUT, GAMES
from ludus.players import BOT_PREFIX, find_player

HELP = """Type a move as `moves` shows it (with a doubling cube also roll, double, take or accept, drop or pass, and
beaver), or one of:
  moves        list the legal moves
  hint         show what the strongest engine would play
  undo         take back your last move (and the bot's reply)
  board        show the board again
  flip         turn the board around
  draw         offer a draw
  resign [N]   concede the game; in backgammon as a gammon (2) or a backgammon (3)
  save FILE    write the game to a file
  quit         leave the game"""

SYNONYMS = {"accept": "take", "pass": "drop", "decline": "drop", "reject": "drop"}
"""Answers to a double."""


def play(
    game: GameArgument,
    bot: Annotated[
        str | None,
        typer.Option(
            help=f"Play against a bot: {', '.join(ENGINES)}, a policy or weights (.npz), module:function.",
            autocompletion=complete_player,
        ),
    ] = None,
    side: Annotated[
        str,
        typer.Option(help="Your side against a bot: first or second.", autocompletion=completing(("first", "second"))),
    ] = "first",
    variant: Annotated[
        str | None,
        typer.Option(help="The starting position by name, if not standard.", autocompletion=complete_variant),
    ] = None,
    position: Annotated[
        str | None, typer.Option(help="Start from a FEN (checkers), XGID or GNU ID (backgammon).")
    ] = None,
    match_length: MatchLengthOption = None,
    cube: CubeOption = None,
    jacoby: JacobyOption = None,
    beavers: BeaversOption = None,
    seed: Annotated[int | None, typer.Option(help="Seed that repeats the dice and the bot's choices.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the game to this file when it ends.")] = None,
    pause: Annotated[bool, typer.Option(help="Let the bot take as long as a person might.")] = True,
) -> None:
    """Play in the terminal: two people in turn, or you against a bot."""
    choices = {"match_length": match_length, "cube": cube, "jacoby": jacoby, "beavers": beavers}
    record = new_game(GAMES[game], variant, position, **choices)
    seats = seat_players(bot, side, record)
    rng = random.SystemRandom() if seed is None else random.Random(seed)
    if save:
        refuse_unwritable(save)
    if bot:
        prepare(game, [bot])
    is_watched = sys.stdin.isatty() and sys.stdout.isatty()
    pace = Pace(bot, random.SystemRandom()) if bot and pause and is_watched else None
    with line_editing() as ask:
        TerminalGame(record, seats, rng, save, pace, ask).run()


def new_game(
    rules: Rules[Any, Any], variant: str | None, position: str | None, **choices: int | None
) -> Game[Any, Any]:
    """`choices` are options of the game's rules; None leaves one out."""
    if variant and position:
        raise BadInput("--variant and --position both set the start; give one of them")
    if position and any(value is not None for value in choices.values()):
        raise BadInput("--position says whether there is a cube or a match; leave out the options for these")
    start = rules.notation.read_position(position) if position else None
    return Game(rules, rules.variant_name(variant or "standard", **choices), start=start)


def seat_players(bot: str | None, side: str, game: Game[Any, Any]) -> dict[Player, Engine | None]:
    """A seat without an engine is a person's."""
    if side not in ("first", "second"):
        raise BadInput(f"--side is first or second, not {side!r}")
    people: dict[Player, Engine | None] = dict.fromkeys(Player)
    if not bot:
        return people
    engine = find_player(bot, game.rules.name, game.variant or "standard")
    return people | {Player[side.upper()].other: engine}


def refuse_unwritable(file: Path) -> None:
    """Fails before the game rather than after it; the file keeps its content until then."""
    try:
        file.open("a").close()
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from None


@dataclass(frozen=True)
class Pace:
    """Makes a bot take about as long as a person. `rng` is not the game's, so that pauses don't change the dice."""

    bot: str
    rng: random.Random
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    @contextmanager
    def wait(self) -> Iterator[None]:
        """Makes the block take a natural time in all, and shows a status line during it."""
        from rich.console import Console

        from ludus.service.pauses import pause

        began, seconds = self.clock(), pause(self.bot.removeprefix(BOT_PREFIX), self.rng)
        with Console(stderr=True).status(f"{self.bot} is thinking"):
            yield
            self.sleep(max(0.0, began + seconds - self.clock()))


class TerminalGame:
    def __init__(
        self,
        game: Game[Any, Any],
        seats: dict[Player, Engine | None],
        rng: random.Random,
        save: Path | None = None,
        pace: Pace | None = None,
        ask: Callable[[str], str] | None = None,
    ) -> None:
        """`ask` reads a line at the prompt; `input` by default."""
        self.game = game
        self.seats = seats
        self.rng = rng
        self.save = save
        self.pace = pace
        self.ask = ask
        self.viewer = Player.SECOND if seats[Player.FIRST] else Player.FIRST
        self.is_turned = False
        self.has_quit = False
        self.last_view: object = None
        self.commands: dict[str, Callable[[str], None]] = {
            "help": lambda _: typer.echo(HELP),
            "?": lambda _: typer.echo(HELP),
            "moves": lambda _: self.list_moves(),
            "hint": lambda _: self.hint(),
            "undo": lambda _: self.undo(),
            "board": lambda _: self.show(),
            "flip": lambda _: self.flip(),
            "draw": lambda _: self.offer_draw(),
            "resign": self.resign,
            "save": self.write,
            "quit": lambda _: self.quit(),
        }

    def run(self) -> None:
        """Plays until the game is over; `quit`, the end of the input and Ctrl-C leave it."""
        typer.echo(f"{ABOUT[self.game.rules.name].title}. Type `help` for a list of commands.")
        try:
            with suppress(EOFError, KeyboardInterrupt):
                while not self.game.outcome and not self.has_quit:
                    self.take_turn()
        finally:  # a bot that fails must not lose the game
            self.show_if_new()
            typer.echo(result(self.game))
            if self.save:
                self.write_or_print(self.save)

    def take_turn(self) -> None:
        game = self.game
        if game.turn is Turn.DICE:
            self.announce("dice", roll(game.rules, game.position, self.rng))
            return
        engine = self.seats[self.player]
        if engine:
            self.announce(self.name, self.choice(engine))
        elif game.legal_moves() == (game.rules.pass_move,):
            self.announce(self.name, game.rules.pass_move)
        else:
            if game.rules.has_own_numbers:
                self.viewer = self.player
            self.show_if_new()
            self.prompt()

    def choice(self, engine: Engine) -> Any:
        game = self.game
        try:
            with self.pace.wait() if self.pace else nullcontext():
                return engine.choose(game.rules, game.position, OWN_LIMIT, self.rng, game.positions[:-1])
        except BadMove as error:
            where = game.rules.notation.write_position(game.position)
            raise BadInput(f"the bot made no legal move in {where}: {error}") from error

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
        self.play(move)

    def play(self, move: Any) -> None:
        """Plays a move, or its text, and says how a game of a match ended."""
        self.game.play(move)
        if ended := result_of_game(self.game, self.game.length):
            typer.echo(ended)

    @property
    def is_flipped(self) -> bool:
        return (self.viewer is Player.SECOND) is not self.is_turned

    def show(self) -> None:
        typer.echo("\n" + drawn(self.game.board(), flipped=self.is_flipped) + "\n")

    def show_if_new(self) -> None:
        """Shows the board only if it changed, so that replies to commands stay in view."""
        view = self.game.position, self.game.outcome, self.is_flipped
        if view != self.last_view:
            self.last_view = view
            self.show()

    def prompt(self) -> None:
        """Reads one line from the player to move: a command or a move."""
        text = (self.ask or input)(f"{self.name}> ").strip()
        command, _, argument = text.partition(" ")
        try:
            if command.lower() in self.commands:
                self.commands[command.lower()](argument.strip())
            elif text:
                self.play(self.typed(text))
        except LudusError as error:
            typer.echo(str(error))

    def typed(self, text: str) -> Any:
        """The move that a player typed, except for resignations, which the other side may refuse."""
        rules = self.game.rules
        move = rules.notation.read_move(self.game.position, self.meant(text))
        kinds = range(1, rules.most_points + 1)
        if move in [rules.resignation(player, win) for player in Player for win in kinds]:
            raise BadInput("type `resign`, `resign 2` or `resign 3` to concede the game")
        return move

    def meant(self, text: str) -> str:
        """The notation of a synonym, such as `pass` for dropping a double; any other text stays as it is."""
        word = SYNONYMS.get(text.lower())
        if word is None:
            return text
        write = self.game.rules.notation.write_move
        return word if word in (write(self.game.position, move) for move in self.game.legal_moves()) else text

    def confirm(self, question: str) -> bool:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")

    def list_moves(self) -> None:
        write = self.game.rules.notation.write_move
        typer.echo("  ".join(write(self.game.position, move) for move in self.game.legal_moves()))

    def best(self) -> Line[Any]:
        """The line that the strongest engine would play."""
        game = self.game
        prepare(game.rules.name, [LEVELS[-1]])
        return analyst(game.rules.name).analyse(game.rules, game.position, OWN_LIMIT, game.positions[:-1], 1)[0]

    def hint(self) -> None:
        game, best = self.game, self.best()
        typer.echo(f"{game.rules.notation.write_move(game.position, best.move)} ({best.value:+.2f} points)")

    def undo(self) -> None:
        """Goes back to a person's last decision; dice rolled before it stay."""
        now, turns = len(self.game.moves), map(self.game.rules.turn, self.game.positions)
        past = [ply for ply, turn in enumerate(turns) if ply < now and self.is_persons(turn)]
        if not past:
            raise BadInput("there is no move to take back")
        for _ in range(now - past[-1]):
            self.game.undo()

    def is_persons(self, turn: Turn) -> bool:
        return turn.player is not None and self.seats[turn.player] is None

    def flip(self) -> None:
        self.is_turned = not self.is_turned

    def offer_draw(self) -> None:
        rules, other = self.game.rules, self.player.other
        if not rules.has_draws:
            typer.echo(f"There are no draws in {rules.name}.")
        elif self.seats[other]:
            typer.echo("The bot declines.")
        elif self.confirm(f"{rules.players[other]}, do you agree to a draw?"):
            self.game.agree_draw()

    def resign(self, kind: str) -> None:
        rules = self.game.rules
        win = {str(number): number for number in range(1, rules.most_points + 1)}.get(kind or "1")
        if win is None:
            kinds = "1" if rules.most_points == 1 else f"1 to {rules.most_points}"
            raise BadInput(f"a game of {rules.name} is resigned for {kinds}")
        what = "the game" if win == 1 else f"a {ABOUT[rules.name].win(win)}"
        move = rules.resignation(self.player, win)
        if move is None:
            if self.confirm("Resign the game?"):
                self.game.resign(self.player, win)
            return
        rules.play(self.game.position, move)  # refuses what can't be resigned here
        if self.is_accepted(what, win):
            self.play(move)

    def is_accepted(self, what: str, win: int) -> bool:
        """Whether the player means it, and the other side doesn't want to play on for more."""
        other = self.player.other
        if self.seats[other] is None:
            return self.confirm(f"{self.name} resigns {what}. {self.game.rules.players[other]}, do you accept?")
        if not self.confirm(f"Resign {what}?"):
            return False
        if is_enough(self.game.rules, self.game.position, win, self.best(), is_winners=False):
            return True
        typer.echo("The bot declines: it expects to win more.")
        return False

    def write(self, name: str) -> None:
        if not name:
            raise BadInput(f"name a file: save FILE{self.game.rules.notation.suffix}")
        try:
            Path(name).write_text(self.text, encoding="utf-8")
        except OSError as error:
            raise BadInput(f"{name}: {error.strerror}") from None
        typer.echo(f"Written to {name}.")

    def write_or_print(self, file: Path) -> None:
        """Writes the game to its file or, if that fails, to the screen."""
        try:
            self.write(str(file))
        except BadInput:
            typer.echo(self.text)
            raise

    @property
    def text(self) -> str:
        return self.game.rules.notation.write_games([self.game])

    def quit(self) -> None:
        self.has_quit = True
