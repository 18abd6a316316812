"""`ludus verify`: checks a finished game, especially its dice."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated, Any

import typer

from ludus.cli.database import DatabaseOption, DataOption, NoDatabase, open_store
from ludus.cli.replay import GameFile, SkipBadOption, nth_game, open_file, read_text, result
from ludus.cli.terminal import GameOption, has_colour
from ludus.core.errors import BadInput, BadMove, MalformedRecord
from ludus.games import GAMES
from ludus.service import proof
from ludus.service.proof import Check, ProofResult

SUFFIXES = frozenset({".json", *(rules.notation.suffix for rules in GAMES.values())})
MARKS = {True: ("✓", typer.colors.GREEN), False: ("✗", typer.colors.RED)}


def verify(
    what: Annotated[
        str,
        typer.Argument(
            metavar="GAME_ID|FILE",
            help="The id of a finished game on this server, or a proof (JSON) or game file.",
            show_default=False,
        ),
    ],
    commitment: Annotated[
        str | None, typer.Option(help="The commitment shown when the game began, to check the seed against.")
    ] = None,
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="Which game in the file.")] = 1,
    game: GameOption = None,
    skip_bad: SkipBadOption = False,
    data: DataOption = None,
    database: DatabaseOption = None,
) -> None:
    """Check a finished game: the dice against the seed and its commitment, the moves, the result."""
    file = Path(what)
    if file.suffix.lower() == ".json":
        proof = prove(read_document(file), commitment)
    elif file.suffix.lower() in SUFFIXES or file.is_file():
        proof = prove_record(open_file(file, game), number, commitment, skip_bad=skip_bad)
    else:
        proof = prove(asyncio.run(stored(what, data, database)), commitment)
    for check in proof.checks:
        show(check)
    if not proof.is_good:
        raise typer.Exit(1)
    typer.echo(result(proof.game))


def prove(document: Any, commitment: str | None) -> ProofResult:
    if commitment is not None and isinstance(document, dict):
        document = document | {"commitment": commitment}
    return proof.prove(document)


def prove_record(file: GameFile, number: int, commitment: str | None, *, skip_bad: bool) -> ProofResult:
    try:
        record = nth_game(file, number, skip_bad=skip_bad)
    except MalformedRecord as error:
        if isinstance(error.__cause__, BadMove):  # the file is well-formed, but a move in it is illegal
            show(Check(False, f"{file.path}: {error}."))
            raise typer.Exit(1) from None
        raise BadInput(f"{file.path}: {error}") from error
    if commitment is not None:
        record.tags["DiceCommitment"] = commitment
    return proof.prove_record(record)


def read_document(file: Path) -> Any:
    text = read_text(file)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput(f"{file} is not JSON") from None


async def stored(id: str, data: Path | None, database: str | None) -> dict[str, Any]:
    """The proof of a game in the server's database."""
    try:
        async with open_store(data, database) as (store, _):
            row = await store.table(id)
            if row is None:
                raise BadInput(f"there is no game {id[:80]!r} in the database, and no file of that name")
            return proof.document(row, await store.events(id))
    except NoDatabase as error:
        raise BadInput(f"{id[:80]!r} is not a file, and {error}") from None


def show(check: Check) -> None:
    mark, colour = MARKS[check.is_good]
    typer.echo(f"{typer.style(mark, fg=colour) if has_colour() else mark} {check.text}")
