from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ludus.cli.commit import commit


def package_in(root: Path) -> Path:
    (package := root / "src" / "ludus").mkdir(parents=True)
    return package


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    done = subprocess.run(["git", *identity, *arguments], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (package := package_in(tmp_path)).joinpath("__init__.py").touch()
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "First")
    git(tmp_path, "tag", "v9.9.9")
    return package


def test_a_checkout_asks_git(checkout: Path) -> None:
    assert commit(checkout) == git(checkout, "rev-parse", "--short=10", "HEAD")


def test_uncommitted_changes_show(checkout: Path) -> None:
    (checkout / "__init__.py").write_text("changed = True\n")
    assert commit(checkout) == git(checkout, "rev-parse", "--short=10", "HEAD") + "-dirty"


def test_a_built_package_has_it_in_a_file(tmp_path: Path) -> None:
    (package := package_in(tmp_path)).joinpath("COMMIT").write_text("0123456789\n")
    assert commit(package) == "0123456789"


def test_without_git_it_is_not_known(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert commit(checkout) is None


def test_a_package_in_a_folder_of_someone_elses_repository_is_none_of_its_commits(checkout: Path) -> None:
    assert commit(package_in(checkout / "site")) is None


def test_a_broken_repository_is_not_an_error(tmp_path: Path) -> None:
    package = package_in(tmp_path)
    (tmp_path / ".git").write_text("gitdir: /nowhere\n")
    assert commit(package) is None
