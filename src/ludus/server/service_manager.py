"""Notifies systemd, so that `systemctl restart` returns when the new process is ready (`Type=notify`)."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

VARIABLE: Final = "NOTIFY_SOCKET"
READY: Final = "READY=1"
STOPPING: Final = "STOPPING=1"


def notify(state: str, environ: Mapping[str, str] = os.environ) -> None:
    """Does nothing where no service manager asks for it."""
    address = environ.get(VARIABLE, "")
    if not address.startswith(("/", "@")):
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender, suppress(OSError):  # it starts us either way
        sender.connect(address.replace("@", "\0", 1) if address[0] == "@" else address)
        sender.send(state.encode())
