"""Keys on disk."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from ludus.client import Credentials, Keyring, Registration
from ludus.core.errors import BadInput

ANN = Registration("a1", "Ann 2", None, "secret", "http://arena/claim?agent=a1", "sc-verify-0")
URL = "http://127.0.0.1:8000"


def test_a_key_is_found_again_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    Keyring(tmp_path).keep(URL, ANN)
    assert Keyring(tmp_path).find(URL, "Ann 2") == Credentials("a1", "Ann 2", "secret")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600]
    assert "sc-verify-0" in files[0].read_text()


def test_each_arena_has_its_own(tmp_path: Path) -> None:
    keys = Keyring(tmp_path)
    keys.keep(URL, ANN)
    assert keys.find("http://127.0.0.1:8001", "Ann 2") is None
    assert keys.find(URL, "Ben") is None


def test_a_new_key_replaces_the_old_one(tmp_path: Path) -> None:
    keys = Keyring(tmp_path)
    keys.keep(URL, ANN)
    keys.keep(URL, ANN._replace(key="newer"))
    found = keys.find(URL, "ann 2")
    assert found and found.key == "newer"


def test_a_broken_file_is_not_taken_for_a_missing_one(tmp_path: Path) -> None:
    keys = Keyring(tmp_path)
    keys.keep(URL, ANN)
    next(path for path in tmp_path.rglob("*.json")).write_text("{")
    with pytest.raises(BadInput, match="cannot read the agent's key"):
        keys.find(URL, "Ann 2")


@pytest.mark.parametrize("name", ["../../etc/passwd", "a", "x" * 65, "Ann!", ""])
def test_invalid_names_never_become_file_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match="is not a name"):
        Keyring(tmp_path).find(URL, name)


def test_by_default_keys_are_in_the_users_configuration_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert Keyring().folder == tmp_path / "ludus" / "agents"
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Keyring().folder == tmp_path / ".config" / "ludus" / "agents"
