"""`ludus agent`: exports and deletes what is stored about an agent of the arena."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ludus.cli import personal_data
from ludus.cli.database import DatabaseOption, DataOption
from ludus.cli.personal_data import OpenService, OutOption, YesOption

if TYPE_CHECKING:
    from ludus.service.records import Erasure

app = typer.Typer(name="agent", help="Export or delete what is stored about an agent.", no_args_is_help=True)

AgentArgument = Annotated[str, typer.Argument(metavar="AGENT", help="The agent's id or name.", show_default=False)]


@app.command()
def export(
    agent: AgentArgument, out: OutOption = None, data: DataOption = None, database: DatabaseOption = None
) -> None:
    """Print everything stored about an agent, as JSON: profile, matches with their moves, ratings."""

    async def find(service: OpenService) -> AsyncIterator[bytes]:
        return await service.exports.agent(await service.agents.find(agent))

    personal_data.export(data, database, out, find)


@app.command()
def forget(
    agent: AgentArgument, yes: YesOption = False, data: DataOption = None, database: DatabaseOption = None
) -> None:
    """Delete an agent: its key stops working, it resigns its matches, and finished ones show a pseudonym."""
    personal_data.confirm(f"Delete the agent {agent!r}?", yes=yes)

    async def request(service: OpenService) -> Sequence[Erasure]:
        return await service.erasures.request_agent(await service.agents.find(agent))

    personal_data.report(f"The agent {agent!r}", is_complete=personal_data.forget(data, database, request))
