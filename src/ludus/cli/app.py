"""The commands. A game can add a command group of its own: `app` in its module for the layer `cli`."""

from __future__ import annotations

from typing import Annotated

import typer

from ludus import __version__
from ludus.cli import agent, explorer, puzzles, tenant, webhook
from ludus.cli.analyse import analyse
from ludus.cli.backup import backup, restore
from ludus.cli.bench import bench
from ludus.cli.commit import commit
from ludus.cli.config import config
from ludus.cli.dataset import dataset
from ludus.cli.demo import demo
from ludus.cli.doctor import doctor
from ludus.cli.match import match
from ludus.cli.mcp import mcp
from ludus.cli.perft import perft
from ludus.cli.play import play
from ludus.cli.precompile import precompile
from ludus.cli.replay import replay
from ludus.cli.reports import reports
from ludus.cli.serve import serve
from ludus.cli.tournament import tournament
from ludus.cli.train import train
from ludus.cli.verify import verify
from ludus.cli.worker import worker
from ludus.games import GAMES, layer

app = typer.Typer(
    name="ludus",
    help="Play, host and learn board games such as checkers and backgammon.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS = (
    serve,
    worker,
    demo,
    play,
    replay,
    analyse,
    verify,
    dataset,
    perft,
    bench,
    match,
    tournament,
    train,
    mcp,
    precompile,
    config,
)
for command in (*COMMANDS, reports, backup, restore, doctor):
    app.command()(command)
app.command("warm", hidden=True)(precompile)  # its name up to 0.1
for group in (*(layer(game, "cli") for game in GAMES), puzzles, explorer, tenant, agent, webhook):
    if group is not None:
        app.add_typer(group.app)


def _version(wanted: bool) -> None:
    if wanted:
        built = commit()
        typer.echo(f"ludus {__version__} ({built})" if built else f"ludus {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and the commit.")
    ] = False,
) -> None:
    pass
