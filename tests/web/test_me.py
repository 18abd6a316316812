"""A person's own page: signing in on another browser by a code, a link or a passkey, and signing out again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from ..server_process import ServerProcess
from .access import AXE, RUN, SETTLE
from .browser import Visitor
from .conftest import Visit

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def named(visitor: Visitor, name: str) -> Page:
    page = visitor.open("/me")
    page.get_by_role("textbox", name="Name").fill(name)
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", name="Devices").wait_for()
    return page


def code_of(page: Page) -> str:
    page.get_by_role("button", name="Use on another device").click()
    shown = page.locator("output.code")
    shown.wait_for()
    return "".join(shown.locator("span").all_inner_texts())


def confirm(page: Page, name: str) -> None:
    page.get_by_role("dialog").get_by_role("button", name=name).click()


def chip(page: Page) -> Any:
    return page.get_by_role("banner").get_by_role("link", name="Ann")


def test_nobody_is_made_by_looking(visit: Visit) -> None:
    visitor = visit()
    for path in ("/", "/games", "/me"):
        with visitor.page.expect_response("**/web/me") as asked:
            visitor.open(path)
        assert asked.value.json() == {"person": None}
    assert visitor.context.cookies() == []
    assert visitor.page.evaluate("localStorage.length") == 0


def test_a_name_makes_a_person_who_is_shown_on_every_page(visit: Visit) -> None:
    page = named(visit(), "Ann")
    page.get_by_role("radio", name="Purple").check()
    expect(page.locator(".whoami .monogram-purple")).to_have_text("A")
    page.goto("/watch")
    expect(chip(page)).to_be_visible()
    chip(page).click()
    expect(page.get_by_role("textbox", name="Name")).to_have_value("Ann")
    expect(page.get_by_role("radio", name="Purple")).to_be_checked()


def test_a_code_brings_name_and_preferences_to_another_device_until_it_is_removed(visit: Visit) -> None:
    laptop, phone = named(visit(), "Ann"), visit(phone=True, forgives=("401",)).open("/me")
    laptop.get_by_role("checkbox", name="Sound").uncheck()
    with laptop.expect_response(lambda answer: answer.request.method == "PATCH"):
        laptop.get_by_role("radio", name="Ocean").check()
    code = code_of(laptop)
    phone.get_by_role("textbox", name="Code").fill(f"{code[:4]}-{code[4:].lower()}")
    phone.get_by_role("button", name="Use code").click()
    phone.get_by_text("Welcome back, Ann!").wait_for()
    expect(phone.get_by_role("checkbox", name="Sound")).not_to_be_checked()
    expect(phone.get_by_role("radio", name="Ocean")).to_be_checked()
    laptop.reload()
    laptop.get_by_role("button", name="Remove: ").click()
    confirm(laptop, "Remove")
    laptop.get_by_text("Signed out").wait_for()
    phone.get_by_role("button", name="Use on another device").click()
    phone.get_by_text("You're no longer signed in on this device.").wait_for()
    phone.get_by_role("heading", name="Already playing on another device?").wait_for()


def test_a_link_asks_before_this_browser_becomes_somebody_else(visit: Visit) -> None:
    code = code_of(named(visit(), "Ann"))
    other = visit()
    named(other, "Ben").goto("about:blank")
    page = other.open(f"/me#code={code}")
    assert page.evaluate("location.hash") == ""  # neither in the history nor in a screenshot
    page.get_by_role("button", name="Use code").click()
    page.get_by_role("dialog").get_by_text("Ben").wait_for()
    confirm(page, "Cancel")
    expect(page.get_by_role("banner").get_by_role("link", name="Ben")).to_be_visible()
    page.get_by_role("button", name="Use code").click()
    confirm(page, "Switch")
    expect(chip(page)).to_be_visible()


def test_a_wrong_code_says_so(visit: Visit) -> None:
    page = visit(forgives=("403",)).open("/me")
    page.get_by_role("textbox", name="Code").fill("ABCD2345")
    page.get_by_role("textbox", name="Code").press("Enter")
    page.get_by_text("That code is wrong, already used or expired.").wait_for()


def with_authenticator(visitor: Visitor, credentials: list[Any]) -> tuple[Any, str]:
    """Chromium's virtual authenticator."""
    session = visitor.context.new_cdp_session(visitor.page)
    session.send("WebAuthn.enable")
    id = session.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})["authenticatorId"]
    for each in credentials:
        session.send("WebAuthn.addCredential", {"authenticatorId": id, "credential": each})
    return session, id


def test_a_passkey_brings_a_person_back(visit: Visit, server: ServerProcess) -> None:
    home = server.url.replace("127.0.0.1", "localhost")  # passkeys belong to a name
    first, second = visit(url=home, own=True), visit(url=home, own=True, forgives=("404",))
    page = named(first, "Ann")
    session, id = with_authenticator(first, [])
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_text("Passkey added").wait_for()
    kept = session.send("WebAuthn.getCredentials", {"authenticatorId": id})["credentials"]
    second.open("/me")
    with_authenticator(second, kept)
    second.page.get_by_role("button", name="Sign in with a passkey").click()
    second.page.get_by_text("Welcome back, Ann!").wait_for()
    second.page.get_by_role("region", name="Passkeys").get_by_role("button", name="Remove: ").click()
    confirm(second.page, "Remove")
    second.page.get_by_text("Passkey removed").wait_for()
    second.page.get_by_role("button", name="Sign in with a passkey").click()
    confirm(second.page, "Switch")
    second.page.get_by_text("This passkey isn't known here.").wait_for()


def test_at_a_number_passkeys_are_not_offered(visit: Visit) -> None:
    page = named(visit(), "Ann")
    page.get_by_text("This browser can't use passkeys at this address.").wait_for()


def test_a_person_takes_their_data_and_goes(visit: Visit) -> None:
    page = named(visit(), "Ann")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download my data").click()
    content = json.loads(download.value.path().read_text())
    assert (content["kind"], content["person"]["name"]) == ("person", "Ann")
    page.get_by_role("button", name="Delete my data").click()
    confirm(page, "Delete my data")
    page.get_by_text("Everything about you has been deleted.").wait_for()
    expect(chip(page)).to_have_count(0)
    assert page.context.cookies() == []
    assert page.evaluate("localStorage.getItem('ludus-person')") is None
    page.reload()
    page.get_by_role("heading", name="Already playing on another device?").wait_for()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [320, 1280])
def test_it_fits_and_axe_finds_nothing_at_any_severity(visit: Visit, width: int, dark: bool) -> None:
    visitor = visit(dark=dark)
    page = named(visitor, "Ann with a rather long name for a phone")
    page.set_viewport_size({"width": width, "height": 800})
    code_of(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(SETTLE)
    page.evaluate(AXE.axe_script)
    assert [(each["id"], each["nodes"][0]["target"]) for each in page.evaluate(RUN)] == []
