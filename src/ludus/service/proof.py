"""Checks a whole game after its end: the dice against what was promised before it, the moves, the result.

A proof is a JSON document or a game file with the tags that `tags` gives; `docs/dice.md` describes both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ludus.core.errors import BadInput, LudusError
from ludus.core.game import Game
from ludus.core.rules import Outcome, Player, Reason, Rules, Turn
from ludus.games import GAMES
from ludus.service import dice
from ludus.service.records import Event, TableRow

FORMAT: Final = "proof 1"
LONGEST: Final = 200
"""No id, name or reason needs more characters than that."""
HEX: Final = re.compile("[0-9a-f]{64}", re.IGNORECASE)
SHOWN: Final = frozenset({Reason.NO_PIECES, Reason.NO_MOVES, Reason.BORNE_OFF, Reason.FORTY_MOVES, Reason.REPETITION})
"""The reasons that a board or its history shows; the others are the players' or the clock's doing."""


class Check(NamedTuple):
    is_good: bool
    text: str
    """A sentence: what was found right, or what is wrong."""


class Verdict(NamedTuple):
    game: Game[Any, Any]
    """As far as it could be played."""
    checks: tuple[Check, ...]

    @property
    def is_good(self) -> bool:
        return all(check.is_good for check in self.checks)


class Promise(NamedTuple):
    """What the dice of a table were made of, and what had been published of it."""

    table: str
    seed: bytes | None
    commitment: str | None


class Fallen(NamedTuple):
    """A roll in a game; `ply` counts its moves from 1, rolls included."""

    ply: int
    position: Any
    roll: Any


class Claim(NamedTuple):
    """What a document says."""

    rules: Rules[Any, Any]
    variant: str
    promise: Promise
    moves: tuple[str, ...]
    outcome: Outcome | None


def tags(table: str, seed: bytes | None) -> dict[str, str]:
    """What a game file has to tell besides the game, so that it can be checked."""
    if seed is None:
        return {"Table": table}
    return {"Table": table, "DiceSeed": seed.hex(), "DiceCommitment": dice.commitment(seed, table)}


def document(row: TableRow, events: Sequence[Event]) -> dict[str, Any]:
    """The proof of a stored game; one that goes on has none, since whoever knew its seed would know its dice."""
    if row.status != "over" or row.result is None:
        raise BadInput("this game goes on; its dice can be checked when it is over")
    opening = events[0].data
    seed = bytes.fromhex(opening["seed"]) if opening["seed"] else None
    winner = row.result["winner"]
    return {
        "ludus": FORMAT,
        "table": row.id,
        "game": row.game,
        "variant": opening["variant"],
        "seed": seed and seed.hex(),
        "commitment": seed and dice.commitment(seed, row.id),
        "moves": [text for event in events for text in event.data.get("moves", ())],
        "outcome": {**row.result, "winner": None if winner is None else GAMES[row.game].players[winner]},
    }


def prove(document: object) -> Verdict:
    """Checks a proof document; what is no such document at all raises `BadInput`."""
    claim = _read(document)
    game = Game(claim.rules, claim.variant)
    problem = _replay(game, claim.moves)
    checks = [*_dice(game, claim.promise), Check(not problem, problem or _all_legal(game))]
    if not problem:
        checks.append(_result(game, claim.outcome))
    return Verdict(game, tuple(checks))


def prove_record(game: Game[Any, Any]) -> Verdict:
    """Checks a game read from a file, which was found playable when it was read."""
    seed = _seed(game.tags.get("DiceSeed"))
    table = "" if seed is None else _plain(game.tags.get("Table"), "Table")
    promise = Promise(table, seed, _commitment(game.tags.get("DiceCommitment")))
    over = Check(True, "The result fits the board.") if game.outcome else Check(False, "The game is not finished.")
    return Verdict(game, (*_dice(game, promise), Check(True, _all_legal(game)), over))


def _dice(game: Game[Any, Any], promise: Promise) -> Iterator[Check]:
    """Nothing for a game without dice."""
    rolls = _rolls(game)
    if not rolls and not game.rules.chances(game.start):
        return
    if promise.seed is None:
        yield Check(False, "There is no seed, so the dice cannot be checked.")
        return
    yield _kept(promise, dice.commitment(promise.seed, promise.table))
    yield _rolled(game.rules, rolls, promise.seed, promise.table)


def _kept(promise: Promise, expected: str) -> Check:
    if promise.commitment is None:
        return Check(False, f"There is no commitment to hold the seed against; the seed's would be {expected}.")
    if promise.commitment.lower() != expected:
        return Check(False, f"The commitment was {promise.commitment}, but that of the seed is {expected}.")
    return Check(True, f"The seed is the one of the commitment {expected}.")


def _rolled(rules: Rules[Any, Any], rolls: Sequence[Fallen], seed: bytes, table: str) -> Check:
    wrong = []
    for number, (ply, position, found) in enumerate(rolls):
        expected = dice.roll(rules, position, seed, table, number)
        if found != expected:
            one, other = (rules.notation.write_move(position, roll) for roll in (found, expected))
            wrong.append(f"Roll {number} (move {ply}) is {one}, but the seed gives {other}")
    if not wrong:
        return Check(True, f"All rolls are the seed's: {len(rolls)}.")
    others = f"; {len(wrong)} of {len(rolls)} rolls are wrong" if len(wrong) > 1 else ""
    return Check(False, f"{wrong[0]}{others}.")


def _rolls(game: Game[Any, Any]) -> list[Fallen]:
    played = enumerate(zip(game.positions, game.moves, strict=False), start=1)
    return [Fallen(ply, *fallen) for ply, fallen in played if game.rules.turn(fallen[0]) is Turn.DICE]


def _replay(game: Game[Any, Any], moves: Sequence[str]) -> str:
    """Plays the moves, up to the first that cannot be played; returns what is wrong with that one."""
    for number, text in enumerate(moves, start=1):
        try:
            game.play(text)
        except LudusError as error:
            return f"Move {number} of {len(moves)} cannot be played: {error}."
    return ""


def _all_legal(game: Game[Any, Any]) -> str:
    return f"All moves are legal: {len(game.moves) - len(_rolls(game))}."


def _result(game: Game[Any, Any], said: Outcome | None) -> Check:
    """Compares with the board where that shows the end; where it does not, the end is taken as it is told."""
    if said is None:
        return Check(False, "The document does not tell how the game ended.")
    if game.outcome is None and said.reason not in SHOWN:
        try:
            game.end(said)
        except LudusError as error:
            return Check(False, f"The result cannot be: {error}.")
    if game.outcome != said:
        shown = _words(game, game.outcome) if game.outcome else "a game that goes on"
        return Check(False, f"The document says {_words(game, said)}, but the board shows {shown}.")
    return Check(True, "The result is as recorded.")


def _words(game: Game[Any, Any], outcome: Outcome) -> str:
    who = "a draw" if outcome.winner is None else f"a win of {game.rules.players[outcome.winner]}"
    return f"{who} ({outcome.reason}, {outcome.points})"


def _read(document: object) -> Claim:
    if not isinstance(document, Mapping) or document.get("ludus") != FORMAT:
        raise BadInput(f'this is no proof: that is a JSON object with "ludus": "{FORMAT}"')
    name, moves = _plain(document.get("game"), "game"), document.get("moves")
    if name not in GAMES:
        raise BadInput(f"there is no game {name!r}; there are {', '.join(GAMES)}")
    if not isinstance(moves, list) or not all(isinstance(text, str) for text in moves):
        raise BadInput('"moves" of the proof is not a list of texts')
    seed, commitment = _seed(document.get("seed")), _commitment(document.get("commitment"))
    promise = Promise(_plain(document.get("table"), "table"), seed, commitment)
    outcome = _outcome(GAMES[name], document.get("outcome"))
    return Claim(GAMES[name], _plain(document.get("variant"), "variant"), promise, tuple(moves), outcome)


def _outcome(rules: Rules[Any, Any], said: object) -> Outcome | None:
    if said is None:
        return None
    if not isinstance(said, Mapping):
        raise BadInput('"outcome" of the proof is not an object')
    winners: dict[object, Player | None] = {**dict(zip(rules.players, Player, strict=True)), None: None}
    winner, points = said.get("winner"), said.get("points")
    if not isinstance(winner, str | None) or winner not in winners:
        raise BadInput(f'"winner" of the proof is not {", ".join(rules.players)} or null')
    if type(points) is not int:
        raise BadInput('"points" of the proof is not a whole number')
    return Outcome(winners[winner], Reason.named(_plain(said.get("reason"), "reason")), points)


def _plain(text: object, name: str) -> str:
    """A text that can be shown and hashed; others, such as half a character, are refused."""
    if not isinstance(text, str) or not 0 < len(text) <= LONGEST or not text.isprintable():
        raise BadInput(f"{name!r} of the proof is not a short plain text")
    return text


def _seed(text: object) -> bytes | None:
    digits = _digits(text, "seed")
    return None if digits is None else bytes.fromhex(digits)


def _commitment(text: object) -> str | None:
    return _digits(text, "commitment")


def _digits(text: object, name: str) -> str | None:
    if text is None:
        return None
    if not isinstance(text, str) or not HEX.fullmatch(text):
        raise BadInput(f"the {name} is not 64 hexadecimal digits")
    return text
