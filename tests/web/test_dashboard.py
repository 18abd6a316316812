"""A tenant looks after its own affairs: sessions, rooms, webhooks, keys, colours."""

from __future__ import annotations

import json
from itertools import count

import pytest
from playwright.sync_api import Page, Route, expect

from ..server_process import ServerProcess, Tenant
from .conftest import Visit

NOBODY = "http://127.0.0.1:9/hooks"
"""Nothing listens there, so every webhook is given up."""

_names = count(1)


@pytest.fixture
def owner(server: ServerProcess) -> Tenant:
    return server.tenant(f"Dashboard {next(_names)}", webhook=NOBODY)


def enter(page: Page, key: str) -> None:
    page.get_by_label("Live key").fill(key)
    page.get_by_role("button", name="Sign in").click()


def make_session(server: ServerProcess, owner: Tenant) -> None:
    body = {"game": "checkers", "matchType": "private", "players": [{"id": "ann", "displayName": "Ann"}]}
    server.post("/v1/sessions", owner.live, body)


def test_a_wrong_key_is_refused_and_forgotten(visit: Visit) -> None:
    visitor = visit()
    page = visitor.open("/dashboard")
    enter(page, "ludus_live_wrong")
    page.get_by_role("alert").get_by_text("Invalid or revoked key.").wait_for()
    assert page.evaluate("sessionStorage.length + localStorage.length") == 0
    assert "401" in visitor.complaint()


def test_the_key_stays_in_its_tab_and_signing_out_forgets_it(visit: Visit, owner: Tenant) -> None:
    visitor = visit()
    page = visitor.open("/dashboard")
    enter(page, owner.live)
    page.get_by_role("button", name="Sign out").wait_for()
    page.reload()
    page.get_by_role("button", name="Sign out").wait_for()
    assert owner.live not in page.url and page.evaluate("localStorage.length") == 0
    other = visitor.new_page()
    other.goto("/dashboard")
    other.get_by_label("Live key").wait_for()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Live key").wait_for()
    assert page.evaluate("sessionStorage.length") == 0


def test_sessions_and_usage_are_shown(visit: Visit, server: ServerProcess, owner: Tenant) -> None:
    make_session(server, owner)
    page = visit().open("/dashboard")
    enter(page, owner.live)
    row = page.get_by_role("row").filter(has_text="Ann")
    expect(row).to_contain_text("waiting")
    expect(row).to_contain_text("private")
    expect(page.locator(".figures")).to_contain_text("Waiting")


def test_a_webhook_that_was_given_up_is_sent_again(visit: Visit, server: ServerProcess, owner: Tenant) -> None:
    make_session(server, owner)
    visitor = visit(own=True)
    page = visitor.open("/dashboard#deliveries")
    enter(page, owner.live)
    row = page.get_by_role("row").filter(has_text="session.created")
    refresh = page.get_by_role("button", name="All", exact=True)
    for _ in range(500):
        if row.get_by_text("failed").count():
            break
        page.wait_for_timeout(100)
        refresh.click()
    row.get_by_text("Body").click()
    expect(row.locator("pre")).to_contain_text('"event": "session.created"')
    visitor.stop_time()
    row.get_by_role("button", name="Resend").click()
    page.get_by_text("Queued for delivery.").wait_for()


def test_a_tenant_bound_to_its_own_site_can_still_act(visit: Visit, server: ServerProcess) -> None:
    bound = server.tenant("Bound", origins=["https://app.example"])
    page = visit().open("/dashboard#keys")
    enter(page, bound.live)
    page.get_by_role("button", name="New test key").click()
    page.get_by_role("button", name="Create key").click()
    assert page.locator(".secret").inner_text().startswith("ludus_test_")


def test_the_key_that_a_new_one_replaced_is_seen_to_have_ended(visit: Visit, owner: Tenant) -> None:
    page = visit().open("/dashboard#keys")
    enter(page, owner.live)
    expect(page.locator(".key-line")).to_have_count(2)
    page.get_by_role("button", name="New live key").click()
    page.get_by_role("button", name="Create key").click()
    expect(page.locator(".key-line")).to_have_count(3)
    expect(page.locator(".key-line").filter(has_text="in use here")).to_contain_text("active")
    expect(page.locator(".key-line").filter(has_text="revoked")).to_have_count(1)
    assert page.locator(".secret").inner_text().startswith("ludus_live_")


def test_a_slow_answer_does_not_take_the_place_of_the_tab_chosen_later(visit: Visit, owner: Tenant) -> None:
    page = visit().page
    held: list[Route] = []
    page.goto("/dashboard#theme")
    enter(page, owner.live)
    page.get_by_label("Dark squares").wait_for()
    page.route("**/v1/tenant/deliveries*", lambda route: held.append(route))
    with page.expect_request("**/v1/tenant/deliveries*"):
        page.get_by_role("tab", name="Webhooks").click()
    page.get_by_role("tab", name="Keys").click()
    page.get_by_role("button", name="New live key").wait_for()
    with page.expect_response("**/v1/tenant/deliveries*"):
        held[0].fulfill(json={"deliveries": []})
    page.wait_for_timeout(100)
    assert page.get_by_role("button", name="New live key").is_visible()


def test_a_choice_of_webhooks_that_fails_says_so(visit: Visit, owner: Tenant) -> None:
    visitor = visit(own=True, forgives=("net::ERR",))
    page = visitor.open("/dashboard#deliveries")
    enter(page, owner.live)
    chip = page.get_by_role("button", name="failed")
    chip.wait_for()
    visitor.context.set_offline(True)
    chip.click()
    page.get_by_role("tabpanel").get_by_role("alert").wait_for()
    visitor.context.set_offline(False)
    chip.click()
    page.get_by_text("No deliveries.").wait_for()


def test_a_new_key_takes_the_place_of_the_one_in_use(visit: Visit, server: ServerProcess, owner: Tenant) -> None:
    page = visit().open("/dashboard#keys")
    enter(page, owner.live)
    page.get_by_role("button", name="New live key").click()
    page.get_by_role("button", name="Create key").click()
    key = page.locator(".secret").inner_text()
    assert key.startswith("ludus_live_") and key != owner.live
    page.reload()
    page.get_by_text("in use here").wait_for()
    assert server.request("GET", "/v1/tenant", key).status_code == 200


def test_a_theme_is_seen_before_it_is_used(visit: Visit, owner: Tenant) -> None:
    page = visit().open("/dashboard#theme")
    enter(page, owner.live)
    page.get_by_label("Dark squares").fill("#123456")
    expect(page.locator("[role=tabpanel] pre")).to_contain_text('"darkColor": "#123456"')
    assert "#123456" in str(page.evaluate("document.querySelector('ludus-checkers').getAttribute('style')"))


def test_a_test_key_sees_its_own_sessions_and_no_webhooks(visit: Visit, owner: Tenant) -> None:
    page = visit().open("/dashboard")
    enter(page, owner.test)
    page.get_by_text("No sessions yet.").wait_for()
    page.get_by_role("tab", name="Webhooks").click()
    page.get_by_text("Only the live key can do this.").wait_for()


def test_on_a_phone_the_chosen_part_is_in_sight(visit: Visit, owner: Tenant) -> None:
    page = visit(phone=True).open("/dashboard#theme")
    enter(page, owner.live)
    page.get_by_label("Dark squares").wait_for()
    expect(page.get_by_role("tab", name="Theme")).to_be_in_viewport(ratio=1)
    page.get_by_role("tab", name="Theme").press("ArrowRight")
    expect(page.get_by_role("tab", name="Data")).to_be_in_viewport(ratio=0.99)
    page.get_by_role("tab", name="Data").press("ArrowRight")
    expect(page.get_by_role("tab", name="Sessions")).to_be_in_viewport(ratio=1)


def test_a_waiting_session_is_cancelled(visit: Visit, server: ServerProcess, owner: Tenant) -> None:
    make_session(server, owner)
    page = visit().open("/dashboard")
    enter(page, owner.live)
    row = page.get_by_role("row").filter(has_text="Ann")
    row.get_by_role("button", name="Cancel session").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel session").click()
    page.get_by_text("Session cancelled.").wait_for()
    expect(row).to_contain_text("ended")
    expect(row.get_by_role("button")).to_have_count(0)


def test_a_player_is_exported_and_deleted(visit: Visit, server: ServerProcess, owner: Tenant) -> None:
    make_session(server, owner)
    page = visit().open("/dashboard#data")
    enter(page, owner.live)
    page.get_by_label("Player ID in your app").fill("ann")
    part = page.locator("form").filter(has_text="One player")
    with page.expect_download() as download:
        part.get_by_role("button", name="Export").click()
    exported = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert (exported["id"], exported["sessions"][0]["players"][0]["displayName"]) == ("ann", "Ann")
    part.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_text("Deleted.", exact=True).wait_for()
    page.get_by_role("tab", name="Sessions").click()
    page.get_by_role("row").filter(has_text="Deleted player").wait_for()


def test_a_tenant_is_deleted_once_its_name_is_typed(visit: Visit, server: ServerProcess) -> None:
    owner = server.tenant("Gone tomorrow")
    visitor = visit()
    page = visitor.open("/dashboard#data")
    enter(page, owner.live)
    page.locator("section section").filter(has_text="Everything").get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").fill("gone")
    dialog.get_by_role("button", name="Delete").click()
    expect(dialog).to_be_visible()
    dialog.get_by_role("textbox").fill("Gone tomorrow")
    dialog.get_by_role("button", name="Delete").click()
    page.get_by_label("Live key").wait_for()
    enter(page, owner.live)
    page.get_by_role("alert").get_by_text("Invalid or revoked key.").wait_for()
    assert "401" in visitor.complaint()
