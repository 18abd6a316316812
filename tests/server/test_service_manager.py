"""The messages to systemd, and that nothing is sent where there is none."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from ludus.server.service_manager import READY, VARIABLE, notify


@pytest.fixture
def manager(tmp_path: Path) -> socket.socket:
    return socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)


def test_a_service_manager_is_notified_at_a_path(manager: socket.socket, tmp_path: Path) -> None:
    with manager:
        manager.bind(str(tmp_path / "notify"))
        notify(READY, {VARIABLE: str(tmp_path / "notify")})
        assert manager.recv(64) == b"READY=1"


def test_a_service_manager_is_notified_at_an_abstract_address(manager: socket.socket, tmp_path: Path) -> None:
    with manager:
        manager.bind(f"\0{tmp_path}")
        notify(READY, {VARIABLE: f"@{tmp_path}"})
        assert manager.recv(64) == b"READY=1"


@pytest.mark.parametrize("address", ["", "/nowhere/notify", "vsock:2:1234"])
def test_without_one_nothing_happens(address: str) -> None:
    notify(READY, {VARIABLE: address})
