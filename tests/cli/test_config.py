"""`ludus config` as an operator sees it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ludus.cli.config import config
from ludus.core.errors import UnknownOption
from ludus.server.settings import FIELDS


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, and no settings in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in [each for each in os.environ if each.startswith("LUDUS_")]:
        monkeypatch.delenv(name)


def rows(said: str) -> dict[str, list[str]]:
    """The lines of the table by setting, cut where two spaces or more stand."""
    cut = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in said.splitlines()]
    return {cells[0]: cells[1:] for cells in cut if cells and cells[0] in FIELDS}


def test_every_setting_is_one_line_with_its_origin_and_meaning(capsys: pytest.CaptureFixture[str]) -> None:
    config()
    found = rows(capsys.readouterr().out)
    assert list(found) == list(FIELDS)
    assert found["port"] == ["8000", "default", FIELDS["port"].description]
    assert found["database"][0] == '""'


def test_values_are_shown_with_where_they_came_from(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("ludus.toml").write_text('host = "[bold]"\nguests = false\n', encoding="utf-8")
    monkeypatch.setenv("LUDUS_PORT", "9000")
    config()
    said = capsys.readouterr().out
    assert rows(said)["port"][:2] == ["9000", "environment"]
    assert rows(said)["host"][:2] == ["[bold]", "ludus.toml"]
    assert rows(said)["guests"][:2] == ["false", "ludus.toml"]
    assert said.rstrip().endswith("ludus.toml: ludus.toml")


def test_secrets_are_not_shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_SECRET", "hunter2")
    monkeypatch.setenv("LUDUS_DATABASE", "postgresql://ludus:hunter2@db/ludus")
    config()
    said = capsys.readouterr().out
    assert "hunter2" not in said
    assert rows(said)["secret"][0] == "•••"
    assert rows(said)["database"][0] == "postgresql://ludus:•••@db/ludus"


def test_what_is_wrong_is_said_instead() -> None:
    Path("ludus.toml").write_text("prot = 1\n", encoding="utf-8")
    with pytest.raises(UnknownOption, match="prot"):
        config()


def test_variables_of_others_are_named_in_one_line_without_their_values(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_PROT", "1")
    monkeypatch.setenv("LUDUS_LIVE_KEY", "hunter2")
    config()
    said = capsys.readouterr().err
    assert said == (
        "ludus: not settings, so ignored: LUDUS_PROT (did you mean LUDUS_PORT?), LUDUS_LIVE_KEY;"
        " `ludus config` lists the settings\n"
    )
