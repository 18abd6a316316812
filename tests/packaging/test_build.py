"""The wheel and the sdist hold what they should, and the index can show them."""

from __future__ import annotations

import email
import re
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from pathlib import Path

import pytest
from tests.packaging.conftest import REPOSITORY, ROOT

from ludus import __version__
from ludus.cli.commit import commit

pytestmark = pytest.mark.slow

MAX_SIZE = 20_000_000
RELATIVE = re.compile(r"\]\((?![a-z]+:|#)[^)\s]+\)")


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (file,) = dist.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def sdist(dist: Path) -> Path:
    (file,) = dist.glob("*.tar.gz")
    return file


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def metadata(unpacked: Path) -> Message:
    (file,) = unpacked.glob("*.dist-info/METADATA")
    return email.message_from_string(file.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def tracked() -> list[str]:
    """The repository's files, as git lists them."""
    if not (ROOT / ".git").exists():
        pytest.skip("needs a checkout")
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.split("\0") if (ROOT / name).is_file()]


def test_the_wheel_is_small_and_for_every_system(wheel: Path) -> None:
    assert wheel.name == f"ludus_games-{__version__}-py3-none-any.whl"
    assert wheel.stat().st_size < MAX_SIZE


def test_the_wheel_has_every_file_of_the_package(unpacked: Path, tracked: list[str]) -> None:
    files = {name.removeprefix("src/") for name in tracked if name.startswith("src/ludus/")}
    assert {"ludus/py.typed", "ludus/__main__.py"} < files
    packed = {str(file.relative_to(unpacked)) for file in (unpacked / "ludus").rglob("*") if file.is_file()}
    assert files <= packed
    built = {name for name in packed if name == "ludus/COMMIT" or name.startswith("ludus/web/docs_site/")}
    assert packed - files - built <= untracked()


def untracked() -> set[str]:
    """Files of the package that are yet to be committed."""
    command = ["git", "ls-files", "--others", "--exclude-standard", "src"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return {name.removeprefix("src/") for name in done.stdout.splitlines()}


def test_the_sdist_has_every_file_of_the_repository(sdist: Path, tracked: list[str]) -> None:
    with tarfile.open(sdist) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    assert {name for name in tracked if not name.startswith(".")} <= packed
    assert {"conftest.py", "PKG-INFO", "examples/README.md", "benchmarks/RESULTS.md"} <= packed
    assert sdist.stat().st_size < MAX_SIZE


def test_the_index_learns_who_what_and_where(metadata: Message) -> None:
    assert metadata["Name"] == "ludus-games"
    assert metadata["Version"] == __version__
    assert metadata["Author"]
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == ">=3.11"
    urls = dict(url.split(", ") for url in metadata.get_all("Project-URL", []))
    assert urls["Repository"] == REPOSITORY
    assert {"Documentation", "Changelog", "Issues"} < set(urls)
    for version in ("3.11", "3.12", "3.13", "3.14"):
        assert f"Programming Language :: Python :: {version}" in metadata.get_all("Classifier", [])


def test_links_of_the_description_work_outside_the_repository(metadata: Message) -> None:
    text = metadata.get_payload()
    assert isinstance(text, str)
    assert f"]({REPOSITORY}/blob/v{__version__}/docs/" in text
    assert f"]({REPOSITORY}/raw/v{__version__}/docs/images/" in text
    assert not RELATIVE.search(text)
    assert RELATIVE.search((ROOT / "README.md").read_text(encoding="utf-8"))


def test_the_wheel_knows_its_commit(unpacked: Path, tracked: list[str]) -> None:
    built = commit()
    assert built
    command = [sys.executable, "-P", "-m", "ludus", "--version"]
    done = subprocess.run(command, env={"PYTHONPATH": str(unpacked), "PATH": ""}, capture_output=True, text=True)
    assert done.stdout == f"ludus {__version__} ({built})\n", done.stderr


def test_a_wheel_from_the_sdist_is_the_same(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    """Without git and without the address of the repository."""
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (root,) = tmp_path.iterdir()
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(tmp_path / "dist"), "--target", "wheel"]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    again = tmp_path / "dist" / wheel.name
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as two:
        assert {item.filename: item.CRC for item in one.infolist()} == {
            item.filename: item.CRC for item in two.infolist()
        }
