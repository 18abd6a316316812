"""Games of checkers as PDN 3.0 files.

`1-0` is read and written as a win of black, who moves first. Files disagree about that, so a tag `Winner` (`black`,
`white` or `draw`) is written beside it and believed before it. Neither is asked where the board shows the end. Any
other end is a resignation or an agreed draw, unless a tag `Termination` gives another reason.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from ludus.core.errors import BadInput, LudusError, MalformedRecord
from ludus.core.game import Game
from ludus.core.notation import MOST_TEXT
from ludus.core.rules import Outcome, Player, Reason
from ludus.games.checkers.position import STANDARD
from ludus.games.checkers.tokens import SIGNS, Kind, Token, comment_words, scan, tag_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ludus.games.checkers.position import Move, Position
    from ludus.games.checkers.rules import Checkers

COLUMNS: Final = 80

UNKNOWN: Final = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "Black": "?", "White": "?"}
"""The tags that are always written; with these values they are not kept when read."""
DERIVED: Final = {name.lower(): name for name in ("Result", "GameType", "SetUp", "FEN", "Winner", "Termination")}
"""The tags that say what the game itself knows; they are never kept."""
TAG_NAME: Final = re.compile(r"[A-Za-z0-9_]+")
GAME_TYPE: Final = re.compile(r"21(,[BW],8,8,N1(,[01])?)?|\??")

WINNERS: Final = {
    "1-0": Player.FIRST,
    "2-0": Player.FIRST,
    "0-1": Player.SECOND,
    "0-2": Player.SECOND,
    "1/2-1/2": None,
    "1-1": None,
    "0-0": None,
}
DOUBLE_FORFEIT: Final = "double_forfeit"
"""The reason of `0-0`, lost by both; it has no winner, as a draw has none."""
NO_REASON: Final = frozenset({"?", "normal"})
"""What foreign files write where they know none; beside a `Winner`, which is ours, these words are meant."""


def read(rules: Checkers, text: str) -> Iterator[Game[Position, Move]]:
    """The games of a file, each as soon as the next begins; a comment between two belongs to the first of them."""
    if len(text) > MOST_TEXT:
        raise MalformedRecord(f"a file of more than {MOST_TEXT:,} characters is not read", 1)
    draft = _Draft(rules)
    for token in scan(text):
        if draft.ends_before(token):
            yield draft.finish()
            draft = _Draft(rules)
        draft.add(token)
    if draft.is_begun:
        yield draft.finish()


class _Draft:
    """A game being read: its tags first, then, once there is a `_game`, its moves."""

    def __init__(self, rules: Checkers) -> None:
        self._rules = rules
        self._tags: dict[str, Token] = {}
        self._last_tag = 0
        self._game: Game[Position, Move] | None = None
        self._played = 0
        self._comments: dict[int, list[str]] = {}
        self._result: str | None = None

    @property
    def is_begun(self) -> bool:
        return bool(self._tags or self._game)

    def ends_before(self, token: Token) -> bool:
        """Whether the next game begins: after a result, with a tag after moves, or with a tag again after a gap.

        A result that is there twice ends one game.
        """
        if self._result:
            is_again = token.kind is Kind.RESULT and token.text == self._result
            return token.kind is not Kind.COMMENT and not is_again
        if token.kind is not Kind.TAG:
            return False
        return self._game is not None or (_name(token) in self._tags and token.line > self._last_tag + 1)

    def add(self, token: Token) -> None:
        match token.kind:
            case Kind.TAG:
                self._tag(token)
            case Kind.COMMENT:
                self._comments.setdefault(self._played, []).append(token.text)
            case Kind.SETUP:
                self._set_up(token)
            case Kind.NUMBER:
                self._begun()
            case Kind.MOVE:
                self._play(token)
            case Kind.RESULT:
                self._close(token)

    def _tag(self, token: Token) -> None:
        name = _name(token)
        if name in self._tags:
            raise MalformedRecord(f"the tag {name[:40]} is there twice", token.line)
        if name == "GameType" and not GAME_TYPE.fullmatch(token.text.replace(" ", "")):
            raise MalformedRecord(f"game type {token.text[:40]!r} is not English draughts, which is 21", token.line)
        self._tags[name] = token
        self._last_tag = token.line

    def _set_up(self, token: Token) -> None:
        if self._game or "FEN" in self._tags:
            raise MalformedRecord("a position can be set up at the start of a game only", token.line)
        self._tags["FEN"] = token
        self._begun()

    def _play(self, token: Token) -> None:
        game = self._begun()
        if game.outcome:
            raise MalformedRecord(f"{token.text[:40]} comes after the end: {game.outcome.reason}", token.line)
        with _at(token.line):
            game.play(token.text)
        self._played += 1

    def _close(self, token: Token) -> None:
        if not self.is_begun:
            raise MalformedRecord(f"the result {token.text} has no game before it", token.line)
        self._result = token.text

    def _begun(self) -> Game[Position, Move]:
        if self._game is None:
            self._game = Game(self._rules, start=self._start())
        return self._game

    def _start(self) -> Position:
        fen = self._tags.get("FEN")
        if not fen or not fen.text:
            return STANDARD
        with _at(fen.line):
            return self._rules.notation.read_position(fen.text)

    def finish(self) -> Game[Position, Move]:
        game = self._begun()
        game.tags.update(self._kept_tags())
        game.comments.update((number, " ".join(filter(None, texts))) for number, texts in self._comments.items())
        ending = self._ending()
        if ending and not game.outcome:
            game.end(ending)
        return game

    def _kept_tags(self) -> Iterator[tuple[str, str]]:
        for name, token in self._tags.items():
            if name not in DERIVED.values() and token.text != UNKNOWN.get(name):
                yield name, token.text

    def _ending(self) -> Outcome | None:
        """How the file says that the game ended; its last word counts before its tag, unless that word is `*`."""
        result = self._result if self._result in WINNERS else self._value("Result").replace(" ", "").translate(SIGNS)
        if "Winner" in self._tags:
            winner = self._winner()
        elif result in WINNERS:
            winner = WINNERS[result]
        else:
            return None
        return Outcome(winner, self._reason() or _usual_reason(winner, result))

    def _reason(self) -> str:
        reason = self._value("Termination")
        return "" if "Winner" not in self._tags and reason.lower() in NO_REASON else reason

    def _winner(self) -> Player | None:
        token = self._tags["Winner"]
        winners: dict[str, Player | None] = {**dict(zip(self._rules.players, Player, strict=True)), "draw": None}
        if token.text.lower() not in winners:
            raise MalformedRecord(f"the winner {token.text[:40]!r} is not {', '.join(winners)}", token.line)
        return winners[token.text.lower()]

    def _value(self, name: str) -> str:
        return self._tags[name].text if name in self._tags else ""


@contextmanager
def _at(line: int) -> Iterator[None]:
    """Tells the line of what is wrong."""
    try:
        yield
    except LudusError as error:
        raise MalformedRecord(str(error), line) from error


def _name(tag: Token) -> str:
    return DERIVED.get(tag.name.lower(), tag.name)


def _usual_reason(winner: Player | None, result: str) -> str:
    if winner is not None:
        return Reason.RESIGNATION
    return DOUBLE_FORFEIT if result == "0-0" else Reason.AGREEMENT


def write(rules: Checkers, games: Iterable[Game[Position, Move]]) -> str:
    return "\n".join(_text(rules, game) for game in games)


def _text(rules: Checkers, game: Game[Position, Move]) -> str:
    tags = "".join(f'[{name} "{tag_value(value)}"]\n' for name, value in _tags(rules, game).items())
    return "\n".join((tags, *_lines(_words(rules, game)), ""))


def _tags(rules: Checkers, game: Game[Position, Move]) -> dict[str, str]:
    own = {name: value for name, value in game.tags.items() if name.lower() not in DERIVED}
    for name in own:
        if not TAG_NAME.fullmatch(name):
            raise BadInput(f"{name[:40]!r} cannot be the name of a tag; letters, digits and _ can")
    tags = UNKNOWN | {"Result": _result(game), "GameType": "21"}
    if game.start != STANDARD:
        tags |= {"SetUp": "1", "FEN": rules.notation.write_position(game.start)}
    if game.outcome:
        winner = game.outcome.winner
        tags["Winner"] = "draw" if winner is None else rules.players[winner]
    if game.ending and game.ending.reason != _usual_reason(game.ending.winner, "*"):
        tags["Termination"] = game.ending.reason
    return tags | own


def _result(game: Game[Position, Move]) -> str:
    if not game.outcome:
        return "*"
    winner, reason, _ = game.outcome
    if winner is None:
        return "0-0" if reason == DOUBLE_FORFEIT else "1/2-1/2"
    return "1-0" if winner is Player.FIRST else "0-1"


def _words(rules: Checkers, game: Game[Position, Move]) -> Iterator[str]:
    notation = rules.notation
    for number in game.comments:
        if not 0 <= number <= len(game.moves):
            raise BadInput(f"a comment after {number} moves cannot be written in a game of {len(game.moves)}")
    for number, (position, move) in enumerate(zip(game.positions, game.moves, strict=False)):
        turn = (number + game.start.mover) // 2 + 1
        if number in game.comments:
            yield from comment_words(game.comments[number])
        if position.mover is Player.FIRST:
            yield f"{turn}."
        elif number == 0 or number in game.comments:
            yield f"{turn}..."
        yield notation.write_move(position, move)
    if len(game.moves) in game.comments:
        yield from comment_words(game.comments[len(game.moves)])
    yield _result(game)


def _lines(words: Iterable[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > COLUMNS:
            yield line
            line = ""
        line = f"{line} {word}" if line else word
    yield line
