"""Without Firefox, the summary says that the page was not tested in it."""

from __future__ import annotations

from typing import Any

from .bidi import LOUD, firefox_path


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if firefox_path() is None:
        terminalreporter.write_line(LOUD, red=True, bold=True)
