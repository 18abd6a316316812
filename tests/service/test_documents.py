"""Documents are written once for each version of a table, within a number of bytes, and forgotten with its past."""

from __future__ import annotations

from typing import Any

from tests.service.games import finished_game

from ludus.service.documents import OVERHEAD, Documents
from ludus.service.table import Table, erased, folded


class Tables:
    def __init__(self) -> None:
        self.on_rewritten: list[Any] = []


class Builds:
    """Counts what was written."""

    def __init__(self, size: int = 10) -> None:
        self.number = 0
        self._size = size

    def __call__(self) -> str:
        self.number += 1
        return "x" * self._size + str(self.number)


def tables(*names: str) -> list[Table]:
    return [folded(finished_game("checkers", name).events) for name in names]


def documents(most: int = 100_000) -> tuple[Documents, Tables]:
    source = Tables()
    return Documents(source, most), source  # type: ignore[arg-type]  # a stand-in with the methods it needs


def test_a_document_is_written_once_for_a_version_and_a_kind() -> None:
    (table,), (found, _), builds = tables("a"), documents(), Builds()
    first = found.get(table, "file", builds)
    assert [found.get(table, "file", builds) for _ in range(100)] == [first] * 100
    assert builds.number == 1
    assert found.get(table, "other", builds) != first and builds.number == 2
    later = found.get(table._replace(version=table.version + 1), "file", builds)
    assert builds.number == 3 and later.etag != first.etag


def test_a_document_is_written_again_without_the_name_of_a_deleted_player() -> None:
    (table,), (found, _), builds = tables("a"), documents(), Builds()
    found.get(table, "file", builds)
    seats = (erased(table.seats[0], 0, None), table.seats[1])
    found.get(table._replace(opening=table.opening._replace(seats=seats)), "file", builds)
    assert builds.number == 2


def test_the_same_content_has_the_same_etag() -> None:
    one, two = tables("a", "b")
    found, _ = documents()
    assert found.get(one, "file", lambda: b"x") == found.get(two, "file", lambda: "x")


def test_no_more_is_kept_than_there_is_room_for_and_what_was_used_last_stays() -> None:
    names = [f"t{number}" for number in range(8)]
    found, _ = documents(5 * (1000 + 3 * OVERHEAD))
    builds = Builds(1000)
    listed = tables(*names)
    for table in listed:
        found.get(listed[0], "file", builds)
        found.get(table, "file", builds)
        assert found.size <= 5 * (1000 + 3 * OVERHEAD)
    assert builds.number == 8
    found.get(listed[0], "file", builds)
    assert builds.number == 8
    found.get(listed[1], "file", builds)
    assert builds.number == 9


def test_nothing_is_kept_of_a_table_whose_past_has_changed() -> None:
    (table,), (found, source), builds = tables("a"), documents(), Builds()
    found.get(table, "file", builds)
    for forget in source.on_rewritten:
        forget(table.id)
    assert found.size == 0
    found.get(table, "file", builds)
    assert builds.number == 2
