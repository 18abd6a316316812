"""Metrics count what happened, and clients can't add names or labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from ludus.games import GAMES
from ludus.server.http.cpu_budget import CpuBudget
from ludus.server.metrics import MOST_ROUTES, Metrics


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(name, labels)


def test_requests_are_counted_by_method_route_and_status() -> None:
    metrics = Metrics()
    for status in (200, 200, 404):
        metrics.request("GET", "/v1/sessions/{id}", status, 0.002)
    requests = "ludus_http_requests_total"
    assert value(metrics, requests, method="GET", route="/v1/sessions/{id}", status="200") == 2
    assert value(metrics, requests, method="GET", route="/v1/sessions/{id}", status="404") == 1
    assert value(metrics, "ludus_http_request_seconds_count", route="/v1/sessions/{id}") == 3
    assert value(metrics, "ludus_http_request_seconds_sum", route="/v1/sessions/{id}") == pytest.approx(0.006)


def test_notes_are_counted_by_direction_with_their_lag_and_gaps() -> None:
    metrics = Metrics()
    metrics.bus_notes("sent", 3)
    metrics.bus_notes("received", 2)
    metrics.bus_notes("sideways", 1)
    metrics.bus_lag(0.004)
    metrics.bus_gap()
    notes = "ludus_bus_notes_total"
    counted = [value(metrics, notes, direction=direction) for direction in ("sent", "received", "other")]
    assert counted == [3, 2, 1]
    assert value(metrics, "ludus_bus_lag_seconds_sum") == pytest.approx(0.004)
    assert value(metrics, "ludus_bus_gaps_total") == 1


def test_events_moves_and_deliveries_are_counted_by_kind() -> None:
    metrics = Metrics()
    metrics.socket_event("game:move")
    metrics.socket_event("game:move", "not_your_turn")
    metrics.move("checkers")
    metrics.delivery("dead")
    assert value(metrics, "ludus_socket_events_total", event="game:move", result="ok") == 1
    assert value(metrics, "ludus_socket_events_total", event="game:move", result="not_your_turn") == 1
    assert value(metrics, "ludus_moves_total", game="checkers") == 1
    assert value(metrics, "ludus_webhook_deliveries_total", state="dead") == 1


def test_commits_and_thinking_are_timed() -> None:
    metrics = Metrics()
    metrics.commit(0.0004, 12)
    metrics.thinking("backgammon", 1.5)
    assert value(metrics, "ludus_store_commit_seconds_bucket", le="0.00025") == 0
    assert value(metrics, "ludus_store_commit_seconds_bucket", le="0.0005") == 1
    assert value(metrics, "ludus_store_commit_size_sum") == 12
    assert value(metrics, "ludus_bot_thinking_seconds_sum", game="backgammon") == 1.5


@pytest.mark.parametrize(("name", "gauge"), [
    ("ludus_socket_connections", lambda metrics: metrics.sockets),
    ("ludus_live_tables", lambda metrics: metrics.live_tables),
    ("ludus_queue_waiting", lambda metrics: metrics.waiting),
])  # fmt: skip
def test_gauges_go_up_and_down(name: str, gauge: Callable[[Metrics], Any]) -> None:
    metrics = Metrics()
    found = gauge(metrics)
    found.inc(3)
    found.dec()
    assert value(metrics, name) == 2


def test_two_servers_in_one_process_count_apart() -> None:
    one, other = Metrics(), Metrics()
    one.move("checkers")
    assert value(one, "ludus_moves_total", game="checkers") == 1
    assert value(other, "ludus_moves_total", game="checkers") is None


def test_the_page_is_what_prometheus_reads() -> None:
    metrics = Metrics()
    metrics.move("checkers")
    page, kind = metrics.render()
    assert kind.startswith("text/plain")
    families = list(text_string_to_metric_families(page.decode()))
    assert {"ludus_moves", "ludus_live_tables", "ludus_store_commit_seconds"} <= {each.name for each in families}
    assert all(each.name.startswith("ludus_") and each.documentation for each in families)


@given(st.lists(st.text(max_size=12), min_size=1, max_size=30))
def test_what_clients_make_up_becomes_other(names: list[str]) -> None:
    metrics = Metrics()
    for name in names:
        made_up = f"?{name}"
        metrics.request(made_up, None, 999, 0.1)
        metrics.socket_event(made_up, made_up)
        metrics.move(made_up)
        metrics.thinking(made_up, 0.1)
        metrics.delivery(made_up)
    many = float(len(names))
    assert value(metrics, "ludus_http_requests_total", method="other", route="unmatched", status="other") == many
    assert value(metrics, "ludus_socket_events_total", event="other", result="other") == many
    assert value(metrics, "ludus_moves_total", game="other") == many
    assert value(metrics, "ludus_bot_thinking_seconds_count", game="other") == many
    assert value(metrics, "ludus_webhook_deliveries_total", state="other") == many


def test_paths_in_the_place_of_templates_do_not_grow_without_end() -> None:
    metrics = Metrics()
    for number in range(MOST_ROUTES + 50):
        metrics.request("GET", f"/v1/sessions/{number}", 200, 0.1)
    requests = "ludus_http_requests_total"
    assert value(metrics, requests, method="GET", route="/v1/sessions/0", status="200") == 1
    assert value(metrics, requests, method="GET", route="other", status="200") == 50


def test_every_game_has_its_own_label() -> None:
    metrics = Metrics()
    for game in GAMES:
        metrics.move(game)
    assert value(metrics, "ludus_moves_total", game="other") is None


def test_what_the_budget_counted_is_taken_over_and_never_decreases() -> None:
    metrics, budget = Metrics(), CpuBudget(0.2, 0.6)
    budget.charge(budget.payer("192.0.2.1"), 0.001)
    budget.refused = 3
    metrics.cpu(budget)
    assert value(metrics, "ludus_cpu_charged_seconds_total") == pytest.approx(0.001)
    assert value(metrics, "ludus_cpu_refused_total") == 3
    assert value(metrics, "ludus_cpu_share") == 0.2
    budget.correct(budget.payer("192.0.2.1"), -0.0005)
    metrics.cpu(budget)
    assert value(metrics, "ludus_cpu_charged_seconds_total") == pytest.approx(0.001)
    budget.correct(budget.payer("192.0.2.1"), 0.0015)
    metrics.cpu(budget)
    assert value(metrics, "ludus_cpu_charged_seconds_total") == pytest.approx(0.002)
