"""The limit on file handles is raised as far as needed and allowed."""

from __future__ import annotations

import resource

import pytest

from ludus.server.connections import handles

UNLIMITED = resource.RLIM_INFINITY


@pytest.mark.parametrize(("limits", "wanted", "raised"), [
    ((1024, 4096), 2000, (2000, 4096)),
    ((1024, 4096), 9000, (4096, 4096)),
    ((1024, UNLIMITED), 9000, (9000, UNLIMITED)),
    ((1024, 4096), 500, None),
    ((UNLIMITED, UNLIMITED), 9000, None),
])  # fmt: skip
def test_the_soft_limit_is_raised(
    limits: tuple[int, int], wanted: int, raised: tuple[int, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: limits)
    monkeypatch.setattr(resource, "setrlimit", lambda _kind, now: calls.append(now))
    held = handles.raise_limit(wanted)
    assert calls == ([] if raised is None else [raised])
    assert held == (raised[0] if raised else max(limits[0], wanted) if limits[0] == UNLIMITED else limits[0])


def test_a_reserve_is_kept_for_the_database_and_the_bots() -> None:
    assert handles.connections_within(1024, 10_000, workers=1) == 888
    assert handles.connections_within(1024, 10_000, workers=10) < 888
    assert handles.connections_within(1024, 500, workers=1) == 500
    assert handles.connections_within(64, 10_000, workers=1) == handles.FEWEST
