"""Passkeys: how people sign in without a password, on another device or after clearing their cookies.

WebAuthn's relying party is the host that the page was loaded from, so a passkey made at one name works at that name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import urlsplit

import orjson
import structlog
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.core.errors import LudusError
from ludus.server.http.errors import Malformed
from ludus.server.http.request import Pipeline, Request, base_url, json_response
from ludus.server.web.people import PeopleAuth, PeopleHandlers, label_of
from ludus.service.people import CHALLENGE_MS, LOGIN, REGISTRATION, People
from ludus.service.records import Passkey, Person

V = TypeVar("V")

SITE: Final = "Ludus"
MAX_CREDENTIAL_ID: Final = 1400
"""Characters in base64url; authenticators use up to 1023 bytes."""
MAX_PUBLIC_KEY: Final = 4000

log = structlog.get_logger("ludus.passkeys")


class WrongPasskey(LudusError):
    """What the authenticator sent could not be verified."""

    code = "wrong_passkey"


class UnknownPasskey(LudusError):
    """It was never added here, or was removed."""

    code = "unknown_passkey"


class Credential(BaseModel):
    """As `PublicKeyCredential.toJSON()` writes it; the library checks what is in it."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    credential: dict[str, Any]


class RelyingParty(NamedTuple):
    id: str
    """The host, without a port."""
    origin: str


class Answer(NamedTuple):
    """An authenticator's response, before it is verified."""

    id: str
    challenge: bytes
    user: str
    """The id of a person; empty unless they sign in."""


class NewCredential(NamedTuple):
    id: str
    public_key: str
    sign_count: int


class Passkeys:
    def __init__(self, people: People, auth: PeopleAuth, handlers: PeopleHandlers, public_url: str) -> None:
        self._people = people
        self._auth = auth
        self._handlers = handlers
        self._public_url = public_url

    async def registration_options(self, request: Request) -> Response:
        person = await self._auth.require(request)
        self._auth.count_sign_in(request)
        party = self._party(request)
        known = [each.id for each in await self._people.passkeys(person)]
        challenge = await self._people.new_challenge(REGISTRATION, person)
        return json_response(await _aside(lambda: _registration_options(party, person, challenge, known)))

    async def register(self, request: Request) -> Response:
        person = await self._auth.require(request)
        self._auth.count_sign_in(request)
        party, credential = self._party(request), (await request.parse(Credential)).credential
        answer = await _checked(lambda: read_registration(credential))
        await self._people.take_challenge(REGISTRATION, answer.challenge, person)
        new = await _checked(lambda: verified_registration(party, credential, answer.challenge))
        await self._people.add_passkey(person, *new, label_of(request))
        return await self._handlers.respond(person, lambda _: None)

    async def login_options(self, request: Request) -> Response:
        self._auth.count_sign_in(request)
        party = self._party(request)
        challenge = await self._people.new_challenge(LOGIN)
        return json_response(await _aside(lambda: _login_options(party, challenge)))

    async def login(self, request: Request) -> Response:
        self._auth.count_sign_in(request)
        party, credential = self._party(request), (await request.parse(Credential)).credential
        answer = await _checked(lambda: read_login(credential))
        await self._people.take_challenge(LOGIN, answer.challenge)
        passkey = await self._people.passkey(answer.id)
        if passkey is None:
            raise UnknownPasskey("this passkey is not known here; it may have been removed")
        if answer.user not in ("", passkey.person):
            raise WrongPasskey("this passkey belongs to somebody else")
        count = await _checked(lambda: verified_login(party, credential, answer.challenge, passkey))
        new = await self._people.use_passkey(passkey, count, label_of(request))
        return await self._handlers.respond(new.person, await self._auth.sign_in(request, new))

    async def remove(self, request: Request) -> Response:
        await self._people.remove_passkey(await self._auth.require(request), request.param("id"))
        return Response(status_code=204)

    def _party(self, request: Request) -> RelyingParty:
        address = urlsplit(base_url(request, self._public_url))
        if not address.hostname:
            raise Malformed("the request names no host")
        return RelyingParty(address.hostname, f"{address.scheme}://{address.netloc}")


def routes(pipeline: Pipeline, passkeys: Passkeys) -> list[BaseRoute]:
    return [
        pipeline.route("/web/passkeys/options", passkeys.registration_options, "POST"),
        pipeline.route("/web/passkeys", passkeys.register, "POST"),
        pipeline.route("/web/passkeys/login/options", passkeys.login_options, "POST"),
        pipeline.route("/web/passkeys/login", passkeys.login, "POST"),
        pipeline.route("/web/passkeys/{id}", passkeys.remove, "DELETE"),
    ]


async def _aside(work: Callable[[], V]) -> V:
    """In a thread: the library takes a tenth of a second to import, which no move should wait for."""
    return await asyncio.to_thread(work)


async def _checked(work: Callable[[], V]) -> V:
    return await _aside(lambda: check(work))


def check(work: Callable[[], V]) -> V:
    """The library's parsers raise exceptions of many types; all of them mean that the credential is invalid."""
    try:
        return work()
    except Exception as error:
        log.info("a passkey was refused", error=type(error).__name__)
        raise WrongPasskey("this passkey could not be verified") from error


def _registration_options(party: RelyingParty, person: Person, challenge: bytes, known: list[str]) -> Any:
    from webauthn import base64url_to_bytes, generate_registration_options, options_to_json
    from webauthn.helpers.structs import (
        AuthenticatorSelectionCriteria,
        PublicKeyCredentialDescriptor,
        ResidentKeyRequirement,
        UserVerificationRequirement,
    )

    options = generate_registration_options(
        rp_id=party.id,
        rp_name=SITE,
        user_id=person.id.encode(),
        user_name=person.name,
        user_display_name=person.name,
        challenge=challenge,
        timeout=CHALLENGE_MS,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            require_resident_key=True,
            user_verification=UserVerificationRequirement.PREFERRED,
        ),
        exclude_credentials=[PublicKeyCredentialDescriptor(base64url_to_bytes(each)) for each in known],
    )
    return orjson.loads(options_to_json(options))


def read_registration(credential: dict[str, Any]) -> Answer:
    from webauthn.helpers import parse_client_data_json, parse_registration_credential_json

    parsed = parse_registration_credential_json(credential)
    return Answer(parsed.id, parse_client_data_json(parsed.response.client_data_json).challenge, "")


def verified_registration(party: RelyingParty, credential: dict[str, Any], challenge: bytes) -> NewCredential:
    from webauthn import verify_registration_response
    from webauthn.helpers import bytes_to_base64url

    new = verify_registration_response(
        credential=credential, expected_challenge=challenge, expected_rp_id=party.id, expected_origin=party.origin
    )
    id, public_key = bytes_to_base64url(new.credential_id), bytes_to_base64url(new.credential_public_key)
    if len(id) > MAX_CREDENTIAL_ID or len(public_key) > MAX_PUBLIC_KEY:
        raise ValueError("the credential is too long")
    return NewCredential(id, public_key, new.sign_count)


def _login_options(party: RelyingParty, challenge: bytes) -> Any:
    from webauthn import generate_authentication_options, options_to_json

    return orjson.loads(
        options_to_json(generate_authentication_options(rp_id=party.id, challenge=challenge, timeout=CHALLENGE_MS))
    )


def read_login(credential: dict[str, Any]) -> Answer:
    from webauthn.helpers import parse_authentication_credential_json, parse_client_data_json

    parsed = parse_authentication_credential_json(credential)
    challenge = parse_client_data_json(parsed.response.client_data_json).challenge
    return Answer(parsed.id, challenge, (parsed.response.user_handle or b"").decode())


def verified_login(party: RelyingParty, credential: dict[str, Any], challenge: bytes, passkey: Passkey) -> int:
    """The authenticator's counter, which must have moved if it has one."""
    from webauthn import base64url_to_bytes, verify_authentication_response

    verified = verify_authentication_response(
        credential=credential,
        expected_challenge=challenge,
        expected_rp_id=party.id,
        expected_origin=party.origin,
        credential_public_key=base64url_to_bytes(passkey.public_key),
        credential_current_sign_count=passkey.sign_count,
    )
    return verified.new_sign_count
