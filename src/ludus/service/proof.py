"""Verifies a finished game: the dice against their commitment, the moves, and the result.

A proof is a JSON document or a game file with the tags from `tags`; `docs/dice.md` describes both.
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
from ludus.service.table import standing_moves

FORMAT: Final = "proof 1"
MAX_LENGTH: Final = 200
"""Characters of an id, name or reason."""
HEX: Final = re.compile("[0-9a-f]{64}", re.IGNORECASE)
ON_BOARD: Final = frozenset(
    {Reason.NO_PIECES, Reason.NO_MOVES, Reason.BORNE_OFF, Reason.DROPPED, Reason.FORTY_MOVES, Reason.REPETITION}
)
"""The reasons that the board or its history shows; the others come from the players or the clock."""


class Check(NamedTuple):
    is_good: bool
    text: str
    """A sentence that says what was verified or what is wrong."""


class ProofResult(NamedTuple):
    game: Game[Any, Any]
    """The game, as far as it could be replayed."""
    checks: tuple[Check, ...]

    @property
    def is_good(self) -> bool:
        return all(check.is_good for check in self.checks)


class DiceProof(NamedTuple):
    """The seed of a table's dice and the commitment published beforehand."""

    table: str
    seed: bytes | None
    commitment: str | None


class PlayedRoll(NamedTuple):
    """A roll in a game; `ply` counts moves from 1, including rolls."""

    ply: int
    position: Any
    roll: Any


class Claim(NamedTuple):
    """The contents of a document."""

    rules: Rules[Any, Any]
    variant: str
    dice_proof: DiceProof
    moves: tuple[str, ...]
    outcome: Outcome | None


def tags(table: str, seed: bytes | None) -> dict[str, str]:
    """The extra tags that make a game file verifiable."""
    if seed is None:
        return {"Table": table}
    return {"Table": table, "DiceSeed": seed.hex(), "DiceCommitment": dice.commitment(seed, table)}


def document(row: TableRow, events: Sequence[Event]) -> dict[str, Any]:
    """The proof of a stored game. A live game has none: its seed would reveal the coming rolls."""
    if row.status != "over" or row.result is None:
        raise BadInput("this game is still going on; its dice can be verified when it is over")
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
        "moves": moves(events),
        "outcome": {**row.result, "winner": None if winner is None else GAMES[row.game].players[winner]},
    }


def moves(events: Sequence[Event]) -> list[str]:
    """The moves of a stored game, rolls included."""
    return [text for text, _ in standing_moves(events)]


def prove(document: object) -> ProofResult:
    """Verifies a proof document; raises `BadInput` for anything else."""
    claim = _read(document)
    game = Game(claim.rules, claim.variant)
    problem = _replay(game, claim.moves)
    checks = [*_dice(game, claim.dice_proof), Check(not problem, problem or _all_legal(game))]
    if not problem:
        checks.append(_result(game, claim.outcome))
    return ProofResult(game, tuple(checks))


def prove_record(game: Game[Any, Any]) -> ProofResult:
    """Verifies a game read from a file; reading it has already checked the moves."""
    seed = _seed(game.tags.get("DiceSeed"))
    table = "" if seed is None else _plain(game.tags.get("Table"), "Table")
    dice_proof = DiceProof(table, seed, _commitment(game.tags.get("DiceCommitment")))
    over = Check(True, "The result fits the board.") if game.outcome else Check(False, "The game is not finished.")
    return ProofResult(game, (*_dice(game, dice_proof), Check(True, _all_legal(game)), over))


def _dice(game: Game[Any, Any], dice_proof: DiceProof) -> Iterator[Check]:
    """Yields nothing for a game without dice."""
    rolls = _rolls(game)
    if not rolls and not game.rules.chances(game.start):
        return
    if dice_proof.seed is None:
        yield Check(False, "There is no seed, so the dice cannot be verified.")
        return
    yield _commitment_check(dice_proof, dice.commitment(dice_proof.seed, dice_proof.table))
    yield _rolls_check(game.rules, rolls, dice_proof.seed, dice_proof.table)


def _commitment_check(dice_proof: DiceProof, expected: str) -> Check:
    if dice_proof.commitment is None:
        return Check(False, f"There is no commitment to compare; the seed's would be {expected}.")
    if dice_proof.commitment.lower() != expected:
        return Check(False, f"The commitment was {dice_proof.commitment}, but the seed's is {expected}.")
    return Check(True, f"The seed matches the commitment {expected}.")


def _rolls_check(rules: Rules[Any, Any], rolls: Sequence[PlayedRoll], seed: bytes, table: str) -> Check:
    wrong = []
    for number, (ply, position, found) in enumerate(rolls):
        expected = dice.roll(rules, position, seed, table, number)
        if found != expected:
            one, other = (rules.notation.write_move(position, roll) for roll in (found, expected))
            wrong.append(f"Roll {number} (move {ply}) is {one}, but the seed gives {other}")
    if not wrong:
        return Check(True, f"All rolls follow from the seed ({len(rolls)}).")
    others = f"; {len(wrong)} of {len(rolls)} rolls are wrong" if len(wrong) > 1 else ""
    return Check(False, f"{wrong[0]}{others}.")


def _rolls(game: Game[Any, Any]) -> list[PlayedRoll]:
    played = enumerate(zip(game.positions, game.moves, strict=False), start=1)
    return [PlayedRoll(ply, *made) for ply, made in played if game.rules.turn(made[0]) is Turn.DICE]


def _replay(game: Game[Any, Any], moves: Sequence[str]) -> str:
    """Plays the moves up to the first that fails, and returns what is wrong with it."""
    for number, text in enumerate(moves, start=1):
        try:
            game.play(text)
        except LudusError as error:
            return f"Move {number} of {len(moves)} cannot be played: {error}."
    return ""


def _all_legal(game: Game[Any, Any]) -> str:
    return f"All moves are legal ({len(game.moves) - len(_rolls(game))})."


def _result(game: Game[Any, Any], said: Outcome | None) -> Check:
    """Compares the result with the board where the board shows it, and otherwise takes it as stated."""
    if said is None:
        return Check(False, "The document does not say how the game ended.")
    if game.outcome is None and said.reason not in ON_BOARD:
        try:
            game.end(said)
        except LudusError as error:
            return Check(False, f"The result cannot be: {error}.")
    if game.outcome != said:
        shown = _words(game, game.outcome) if game.outcome else "a game still in progress"
        return Check(False, f"The document says {_words(game, said)}, but the board shows {shown}.")
    return Check(True, "The result is correct.")


def _words(game: Game[Any, Any], outcome: Outcome) -> str:
    who = "a draw" if outcome.winner is None else f"a win for {game.rules.players[outcome.winner]}"
    return f"{who} ({outcome.reason}, {outcome.points})"


def _read(document: object) -> Claim:
    if not isinstance(document, Mapping) or document.get("ludus") != FORMAT:
        raise BadInput(f'this is not a proof, which is a JSON object with "ludus": "{FORMAT}"')
    name, moves = _plain(document.get("game"), "game"), document.get("moves")
    if name not in GAMES:
        raise BadInput(f"there is no game {name!r}; there are {', '.join(GAMES)}")
    if not isinstance(moves, list) or not all(isinstance(text, str) for text in moves):
        raise BadInput('"moves" of the proof is not a list of texts')
    seed, commitment = _seed(document.get("seed")), _commitment(document.get("commitment"))
    dice_proof = DiceProof(_plain(document.get("table"), "table"), seed, commitment)
    outcome = _outcome(GAMES[name], document.get("outcome"))
    return Claim(GAMES[name], _plain(document.get("variant"), "variant"), dice_proof, tuple(moves), outcome)


def _outcome(rules: Rules[Any, Any], said: object) -> Outcome | None:
    if said is None:
        return None
    if not isinstance(said, Mapping):
        raise BadInput('"outcome" of the proof is not an object')
    winners: dict[object, Player | None] = {**dict(zip(rules.players, Player, strict=True)), None: None}
    winner, points, stake = said.get("winner"), said.get("points"), said.get("stake", 1)
    if not isinstance(winner, str | None) or winner not in winners:
        raise BadInput(f'"winner" of the proof is not {", ".join(rules.players)} or null')
    if type(points) is not int or type(stake) is not int:
        raise BadInput('"points" or "stake" of the proof is not a whole number')
    return Outcome(winners[winner], Reason.named(_plain(said.get("reason"), "reason")), points, stake)


def _plain(text: object, name: str) -> str:
    """A short printable text; lone surrogates and control characters are refused."""
    if not isinstance(text, str) or not 0 < len(text) <= MAX_LENGTH or not text.isprintable():
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
