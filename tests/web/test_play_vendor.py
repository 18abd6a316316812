"""Third-party files of the page are what their table says."""

from __future__ import annotations

import re
from importlib.resources import files

VENDOR = files("ludus.web").joinpath("static/vendor")


def test_the_version_in_the_file_in_the_script_and_in_the_table_are_one() -> None:
    banner = re.search(r"Socket\.IO v([\d.]+)", VENDOR.joinpath("socket.io.esm.min.js").read_text("utf-8")[:200])
    script = re.search(r"^version=([\d.]+)$", VENDOR.joinpath("refresh.sh").read_text("utf-8"), re.MULTILINE)
    assert banner is not None
    assert script is not None
    assert banner[1] == script[1]
    assert f"| {banner[1]} |" in VENDOR.joinpath("README.md").read_text("utf-8")


def test_every_script_has_its_licence_beside_it() -> None:
    names = {each.name for each in VENDOR.iterdir()}
    assert names == {"README.md", "refresh.sh", "socket.io.esm.min.js", "socket.io.LICENSE.txt"}
    assert "MIT License" in VENDOR.joinpath("socket.io.LICENSE.txt").read_text("utf-8")
