"""Records of checkers for the tests of game files: short ways to read and write them, and Hypothesis's own."""

from __future__ import annotations

from hypothesis import strategies as st

from ludus.core.game import Game
from ludus.core.rules import Outcome, Player, Reason
from ludus.games.checkers import pdn
from ludus.games.checkers.position import SQUARES, STANDARD, Move, Position
from ludus.games.checkers.rules import Checkers

RULES = Checkers()
DETOUR = "W:WK15:BK10,K18,K19,K26,K27"

Record = Game[Position, Move]


def read(text: str) -> list[Record]:
    return RULES.notation.read_games(text)


def write(*games: Record) -> str:
    return RULES.notation.write_games(games)


def one(text: str) -> Record:
    [game] = read(text)
    return game


def moves(game: Record) -> list[str]:
    played = zip(game.positions, game.moves, strict=False)
    return [RULES.notation.write_move(position, move) for position, move in played]


def outcome(text: str) -> Outcome | None:
    return one(text).outcome


def written(game: Record) -> str:
    text = write(game)
    assert read(text) == [game]
    return text


def movetext(game: Record) -> str:
    return written(game).partition("\n\n")[2].removesuffix("\n")


def played(*texts: str, fen: str = "") -> Record:
    game: Record = Game(RULES, start=RULES.notation.read_position(fen) if fen else None)
    for text in texts:
        game.play(text)
    return game


ODD_TEXT = st.text() | st.text(' \t\n\r}{"\\u0d%;()[]\xa0\u2028é', max_size=200) | st.text(" ab", max_size=300)
SPOKEN_FOR = set(pdn.DERIVED)


@st.composite
def positions(draw: st.DrawFn) -> Position:
    squares = draw(st.lists(st.sampled_from(SQUARES), unique=True, max_size=16))
    cut = draw(st.integers(max(0, len(squares) - 12), min(12, len(squares))))
    kings = draw(st.sets(st.sampled_from(SQUARES)))
    white = [f"K{s}" if s in kings or s <= 4 else f"{s}" for s in squares[:cut]]
    black = [f"K{s}" if s in kings or s >= 29 else f"{s}" for s in squares[cut:]]
    fen = f"{draw(st.sampled_from('BW'))}:W{','.join(white)}:B{','.join(black)}:H{draw(st.integers(0, 80))}"
    return RULES.notation.read_position(fen)


@st.composite
def endings(draw: st.DrawFn) -> Outcome:
    reasons = st.sampled_from([*Reason, "time", "double_forfeit", "normal", "?"]) | ODD_TEXT
    return Outcome(draw(st.sampled_from([*Player, None])), draw(reasons.filter(bool)))


@st.composite
def tags(draw: st.DrawFn) -> dict[str, str]:
    names = st.sampled_from(list(pdn.UNKNOWN)) | st.from_regex(r"[A-Za-z0-9_]+", fullmatch=True)
    given_tags = draw(st.dictionaries(names, ODD_TEXT, max_size=4))
    return {
        name: value
        for name, value in given_tags.items()
        if name.lower() not in SPOKEN_FOR and value != pdn.UNKNOWN.get(name)
    }


@st.composite
def games(draw: st.DrawFn) -> Record:
    game: Record = Game(RULES, start=draw(st.just(STANDARD) | positions()), tags=draw(tags()))
    for choice in draw(st.lists(st.integers(0, 99), max_size=60)):
        if game.outcome:
            break
        legal = game.legal_moves()
        game.play(legal[choice % len(legal)])
    if not game.outcome and draw(st.booleans()):
        game.end(draw(endings()))
    game.comments.update(draw(st.dictionaries(st.integers(0, len(game.moves)), ODD_TEXT, max_size=3)))
    return game
