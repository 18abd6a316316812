"""Games in the manners of public PDN collections, which are not all PDN."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from random import Random

from ludus.core.game import Game
from ludus.core.rules import Outcome, Player
from ludus.games.checkers.position import Move, Position
from ludus.games.checkers.rules import Checkers

Record = Game[Position, Move]
Write = Callable[[Record, int], str]

PROSE = (
    "The following games were played by correspondence; 11-15 was barred.\n=====================\n",
    "Notes by the editor. See game 12.\n\n----------\n",
    "3. Single Corner, from the winter of 1884\n",
    '"A grand game" (11-15 22-18 15x22)\n**********\n',
)
LONGEST = 300
"""In moves: players who never claim a draw have to stop."""


def random_game(rules: Checkers, rng: Random) -> Record:
    """Kings go back and forth, and few players claim a third repetition; some resign, and some leave the board."""
    game: Record = Game(rules)
    resigned = rng.choice((rng.randrange(1, 80), LONGEST))
    while not game.outcome and game.length < LONGEST:
        legal = game.legal_moves()
        retreats = [move for move in legal if game.length > 1 and move.path == game.move_at(game.length - 2).path[::-1]]
        game.play(rng.choice(retreats if retreats and rng.random() < 0.6 else legal))
        if game.length == resigned or rng.random() < 0.9:
            game.play_on()
        if game.length == resigned and not game.outcome:
            game.resign(Player(rng.randrange(2)))
    return game


def texts(game: Record) -> list[str]:
    pairs = zip(game.positions, game.moves, strict=False)
    return [game.rules.notation.write_move(position, move) for position, move in pairs]


def result(outcome: Outcome | None) -> str:
    if outcome is None:
        return "*"
    return "1/2-1/2" if outcome.winner is None else "1-0" if outcome.winner is Player.FIRST else "0-1"


def numbered(moves: list[str], end: str = "\n") -> str:
    """Two moves to a number, in lines of a few numbers each."""
    turns = [f"{i // 2 + 1}. {' '.join(moves[i : i + 2])}" for i in range(0, len(moves), 2)]
    return end.join(" ".join(turns[i : i + 5]) for i in range(0, len(turns), 5))


def tags(game: Record, number: int) -> str:
    return f'[Event "Game {number}"]\n[Black "Ann"]\n[White "Bob"]\n[Result "{result(game.outcome)}"]\n\n'


def ours(game: Record, number: int) -> str:
    return f"{game.rules.notation.write_games([game])}\n"


def steps_like_jumps(game: Record, number: int) -> str:
    moves = [text.replace("-", "x") for text in texts(game)]
    return f"{tags(game, number)}{numbered(moves)} {result(game.outcome)}\n\n"


def jumps_like_steps(game: Record, number: int) -> str:
    moves = [text if text.count("x") > 1 else text.replace("x", "-") for text in texts(game)]
    return f"{tags(game, number)}{numbered(moves)} {result(game.outcome)}\n\n"


def jump_by_jump(game: Record, number: int) -> str:
    moves = []
    for move in game.moves:
        jumps = " ".join(f"{here}x{there}" for here, there in itertools.pairwise(move.path))
        moves.append(jumps if move.captures else f"{move.origin}-{move.landing}")
    return f"{tags(game, number)}{numbered(moves)} {result(game.outcome)}\n\n"


def tags_twice(game: Record, number: int) -> str:
    first, rest = tags(game, number).split("\n", 1)
    again = f'{first}\n[Date "????.??.??"]\n[Result "?"]\n[Date "1904.03.01"]\n{rest[:-1]}[Event "A match"]\n\n'
    return f"{again}{numbered(texts(game))} {result(game.outcome)}\n\n"


def prose_between(game: Record, number: int) -> str:
    prose = PROSE[number % len(PROSE)]
    return f"{prose}{tags(game, number)}{numbered(texts(game))} {result(game.outcome)}\n{prose}\n"


def prose_for_tags(game: Record, number: int) -> str:
    """Neither tags nor results: the outcome is known only if the board shows it."""
    return f"Game {number}. Old Fourteenth\n{numbered(texts(game))}\nDrawn, or so they say.\n\n"


def other_line_ends(game: Record, number: int) -> str:
    return f"{tags(game, number)}{' '.join(texts(game))}\n* {result(game.outcome)}\n\n".replace("\n", "\r\n")


STYLES: Mapping[str, Write] = {
    write.__name__: write
    for write in (
        ours,
        steps_like_jumps,
        jumps_like_steps,
        jump_by_jump,
        tags_twice,
        prose_between,
        prose_for_tags,
        other_line_ends,
    )
}


def written(games: list[Record], styles: Iterator[Write]) -> str:
    return "".join(write(game, number) for number, (game, write) in enumerate(zip(games, styles, strict=False), 1))
