"""`ludus mcp`: the arena as tools for language models, over the Model Context Protocol."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ludus.cli.terminal import completing
from ludus.core.errors import BadInput

TRANSPORTS = ("stdio", "http")


def mcp(
    url: Annotated[str, typer.Option(help="Address of the arena.")] = "http://127.0.0.1:8000",
    transport: Annotated[
        str, typer.Option(help="stdio for one agent, http for many.", autocompletion=completing(TRANSPORTS))
    ] = "stdio",
    name: Annotated[str | None, typer.Option(help="Play as this agent, without registering.")] = None,
    model: Annotated[str | None, typer.Option(help="With --name: the name of the model that plays.")] = None,
    host: Annotated[str, typer.Option(help="With http: address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="With http: port to listen on; 0 picks a free one.")] = 8765,
    token: Annotated[str | None, typer.Option(help="With http and --name: the bearer token callers must send.")] = None,
    keys: Annotated[
        Path | None, typer.Option(help="Folder for agents' keys; ~/.config/ludus/agents by default.")
    ] = None,
) -> None:
    """Open the arena to language models, over the Model Context Protocol."""
    if token is not None and (transport != "http" or name is None or not token.strip()):
        raise BadInput("--token goes with --transport http and --name; otherwise each caller has its own key")
    if transport not in TRANSPORTS:
        raise BadInput(f"--transport is stdio or http, not {transport!r}")
    if not url.startswith(("http://", "https://")):
        raise BadInput(f"{url!r} is not the address of an arena, such as http://127.0.0.1:8000")
    from ludus.client.arena import Arena
    from ludus.client.keys import Keyring
    from ludus.mcp.server import WAIT_SECONDS, build, new_token, serve_http
    from ludus.mcp.session import Identity, Sessions
    from ludus.server.settings import is_loopback

    is_alone = transport == "stdio" or name is not None
    identity = Identity(name, model) if name else None
    server = build(Sessions(partial(Arena, url), Keyring(keys) if is_alone else None, identity, WAIT_SECONDS))
    if transport == "stdio":
        server.run("stdio")
        return
    needs_token = name is not None and token is None and not is_loopback(host)
    token = new_token() if needs_token else token

    def announce(address: str) -> None:
        typer.echo(f"The tools are at {address}")
        if needs_token:
            typer.echo(f"Callers play as {name} and must send Authorization: Bearer {token}")

    serve_http(server, host, port, token, announce)
