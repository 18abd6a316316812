"""Passkeys, with an authenticator in software."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.server.rest.rest_app import RestApp, open_app
from tests.server.web.authenticator import Authenticator, encoded
from tests.server.web.test_people import ask, browser, change, me

from ludus.service.people import CHALLENGE_MS

pytestmark = pytest.mark.anyio

HOME = "http://localhost:8000"


async def register(client: httpx2.AsyncClient, key: Authenticator, status: int = 200) -> Any:
    options = await ask(client, "/web/passkeys/options")
    return await ask(client, "/web/passkeys", {"credential": key.create(options)}, status)


async def sign_in(client: httpx2.AsyncClient, key: Authenticator, status: int = 200) -> Any:
    options = await ask(client, "/web/passkeys/login/options")
    return await ask(client, "/web/passkeys/login", {"credential": key.get(options)}, status)


async def test_a_passkey_brings_a_person_to_a_new_browser(app: RestApp) -> None:
    key = Authenticator(HOME)
    async with browser(app, HOME) as laptop, browser(app, HOME) as phone:
        ann = await change(laptop, name="Ann")
        assert (await register(laptop, key))["person"] == {**ann, "passkeys": 1}
        for devices in (2, 3):  # the browser is a new one each time
            assert (await sign_in(phone, key))["person"]["id"] == ann["id"]
            phone.cookies.clear() if devices == 2 else None
        assert (await me(phone))["devices"] == 3
        (listed,) = (await ask(phone, "/web/me/devices", method="GET"))["passkeys"]
        assert (listed["id"], listed["label"]) == (encoded(key.id), "Firefox on Linux")


async def test_the_relying_party_is_the_host_of_the_page(app: RestApp) -> None:
    async with browser(app, "https://play.example:444") as client:
        await change(client)
        options = await ask(client, "/web/passkeys/options")
        assert options["rp"] == {"id": "play.example", "name": "Ludus"}
        assert options["authenticatorSelection"]["residentKey"] == "required"
        assert (await ask(client, "/web/passkeys/login/options"))["rpId"] == "play.example"
        await register(client, Authenticator("https://play.example:444"))


async def test_the_public_address_counts_if_there_is_one(tmp_path: Path) -> None:
    async with open_app(tmp_path, public_url="https://play.example") as app, browser(app, HOME) as client:
        await change(client)
        assert (await ask(client, "/web/passkeys/options"))["rp"]["id"] == "play.example"
        await register(client, Authenticator("https://play.example"))


async def test_a_passkey_from_another_site_is_refused(app: RestApp) -> None:
    async with browser(app, HOME) as client:
        await change(client)
        assert (await register(client, Authenticator("https://evil.example"), 403))["code"] == "wrong_passkey"
        key = Authenticator(HOME)
        await register(client, key)
        key.origin = "https://evil.example"
        assert (await sign_in(client, key, 403))["code"] == "wrong_passkey"


async def test_a_challenge_is_answered_once_soon_and_by_whom_it_was_made_for(app: RestApp) -> None:
    key = Authenticator(HOME)
    async with browser(app, HOME) as client, browser(app, HOME) as other:
        await change(client), await change(other)
        options = await ask(client, "/web/passkeys/options")
        assert (await ask(other, "/web/passkeys", {"credential": key.create(options)}, 403))["code"] == "wrong_code"
        await ask(client, "/web/passkeys", {"credential": key.create(options)})
        await ask(client, "/web/passkeys", {"credential": key.create(options)}, 403)
        options = await ask(other, "/web/passkeys/login/options")
        answered = {"credential": key.get(options)}
        await ask(other, "/web/passkeys/login", answered)
        assert (await ask(other, "/web/passkeys/login", answered, 403))["code"] == "wrong_code"
        options = await ask(other, "/web/passkeys/login/options")
        app.clock.ms += CHALLENGE_MS
        await ask(other, "/web/passkeys/login", {"credential": key.get(options)}, 403)


async def test_a_copied_authenticator_is_noticed(app: RestApp) -> None:
    key = Authenticator(HOME)
    async with browser(app, HOME) as client:
        await change(client)
        await register(client, key)
        for _ in range(3):
            await sign_in(client, key)
        key.count = 1
        assert (await sign_in(client, key, 403))["code"] == "wrong_passkey"


async def test_a_signature_of_another_key_is_refused(app: RestApp) -> None:
    key, other = Authenticator(HOME), Authenticator(HOME)
    async with browser(app, HOME) as client, browser(app, HOME) as eve:
        await change(client)
        await register(client, key)
        other.id, other.user = key.id, key.user
        assert (await sign_in(eve, other, 403))["code"] == "wrong_passkey"
        key.user = b"somebody else"
        assert (await sign_in(eve, key, 403))["code"] == "wrong_passkey"
        assert await me(eve) is None


async def test_a_removed_passkey_works_no_longer(app: RestApp) -> None:
    key = Authenticator(HOME)
    async with browser(app, HOME) as client, browser(app, HOME) as other:
        await change(client), await change(other)
        await register(client, key)
        await ask(other, f"/web/passkeys/{encoded(key.id)}", method="DELETE", status=404)
        await ask(client, f"/web/passkeys/{encoded(key.id)}", method="DELETE", status=204)
        assert (await sign_in(other, key, 404))["code"] == "unknown_passkey"


async def test_a_passkey_is_added_once(app: RestApp) -> None:
    key = Authenticator(HOME)
    async with browser(app, HOME) as client, browser(app, HOME) as other:
        await change(client), await change(other)
        await register(client, key)
        options = await ask(client, "/web/passkeys/options")
        assert [each["id"] for each in options["excludeCredentials"]] == [encoded(key.id)]
        assert (await register(other, key, 409))["code"] == "conflict"


async def test_deleting_a_person_deletes_the_passkey(app: RestApp) -> None:
    key = Authenticator(HOME)
    async with browser(app, HOME) as client:
        await change(client)
        await register(client, key)
        await ask(client, "/web/me", method="DELETE")
        await sign_in(client, key, 404)


@pytest.mark.parametrize("path", ["/web/passkeys", "/web/passkeys/login"])
@pytest.mark.parametrize(
    "credential",
    [
        {},
        {"id": "x", "rawId": "x", "type": "public-key", "response": {}},
        {
            "id": "x",
            "rawId": "x",
            "type": "public-key",
            "response": {"clientDataJSON": "e30", "attestationObject": "oA"},
        },
        {
            "id": "!",
            "rawId": "!",
            "type": "public-key",
            "response": {"clientDataJSON": "!", "authenticatorData": "!", "signature": "!", "userHandle": "_w"},
        },
    ],
)
async def test_what_is_no_credential_is_refused(app: RestApp, path: str, credential: dict[str, Any]) -> None:
    async with browser(app, HOME) as client:
        await change(client)
        assert (await ask(client, path, {"credential": credential}, 403))["code"] == "wrong_passkey"
        for body in ({}, {"credential": "text"}, {"credential": credential, "more": 1}):
            assert (await ask(client, path, body, 400))["code"] == "invalid_input"


async def test_adding_a_passkey_needs_a_person(app: RestApp) -> None:
    async with browser(app, HOME) as client:
        for path in ("/web/passkeys/options", "/web/passkeys"):
            await ask(client, path, status=401)
