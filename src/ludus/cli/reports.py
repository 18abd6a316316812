"""`ludus reports`: lists people's reports about other players."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ludus.cli.database import DatabaseOption, DataOption, open_store
from ludus.cli.tenant import JsonOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludus.service.records import Report


class Line(NamedTuple):
    report: Report
    reported: str
    """The reported player's current name, or the key of a player without one."""
    reporter: str


def reports(
    most: Annotated[int, typer.Option("--most", "-n", min=1, max=100_000, help="How many, newest first.")] = 100,
    data: DataOption = None,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """List people's reports about other players; the replay of each game is at /matches/ID on the server."""
    from ludus.service.clock import iso

    lines = asyncio.run(_read(most, data, database))
    if as_json:
        typer.echo(json.dumps([_listed(line) for line in lines]))
        return
    if not lines:
        typer.echo("no reports")
    for report, reported, reporter in lines:
        typer.echo(f"{iso(report.made_at)}  {report.reason}  {reported}  reported by {reporter}  game {report.table}")


async def _read(most: int, data: Path | None, database: str | None) -> Sequence[Line]:
    from ludus.service.player_keys import person_in
    from ludus.service.ports.store import NEWEST

    async with open_store(data, database) as (store, _):
        found = await store.reports(NEWEST, most)
        ids = {id for each in found for id in (each.person, person_in(each.player)) if id}
        names = {person.id: person.name for person in await store.people(sorted(ids))}
    return [
        Line(each, names.get(person_in(each.player) or "", each.player), names.get(each.person, each.person))
        for each in found
    ]


def _listed(line: Line) -> dict[str, Any]:
    from ludus.service.clock import iso

    report = line.report
    return {
        "id": report.id,
        "at": iso(report.made_at),
        "reason": report.reason,
        "player": report.player,
        "name": line.reported,
        "by": report.person,
        "game": report.table,
    }
