"""The page's people: who a request comes from, and what they can change about themselves.

The credential is a cookie that scripts cannot read. Whatever changes something with it must come from our own page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.core.errors import InvalidInput
from ludus.server.http.downloads import download
from ludus.server.http.errors import Malformed, TooManyRequests
from ludus.server.http.fields import GuestName
from ludus.server.http.rate_limit import RequestLimit
from ludus.server.http.request import JSON, Pipeline, Request, address_of, json_response, prefix_of
from ludus.service import origins
from ludus.service.clock import iso
from ludus.service.erasure import Erasures
from ludus.service.export import Exports
from ludus.service.people import COLORS, NewDevice, OnDevice, People
from ludus.service.platform import Platform
from ludus.service.player_keys import person_key
from ludus.service.ratings import aged, is_provisional
from ludus.service.records import Person
from ludus.service.sessions import Forbidden
from ludus.service.tokens import Unauthorized

COOKIE: Final = "ludus_device"
COOKIE_SECONDS: Final = 400 * 24 * 3600
"""The longest that browsers keep a cookie."""
SAFE: Final = ("GET", "HEAD")
OWN_SITE: Final = ("same-origin", "none")
"""What browsers send with requests from our own page, or that the person made directly."""
MAX_LABEL: Final = 60
BROWSERS: Final = (("Edge", "Edg/"), ("Opera", "OPR/"), ("Firefox", "Firefox/"), ("Chrome", "Chrome/"))
SYSTEMS: Final = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("macOS", "Mac OS X"),
    ("ChromeOS", "CrOS"),
    ("Linux", "Linux"),
)
"""By text in the user agent; the first match counts."""

SIGN_IN_SECONDS: Final = 600
"""The window in which attempts to sign in are counted."""

SetCookie = Callable[[Response], None]
Name = Annotated[str, StringConstraints(pattern="^[a-z][a-z0-9-]{0,31}$")]


def _without_dashes(code: str) -> str:
    return code.replace("-", "").replace(" ", "")


class Body(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", alias_generator=to_camel)


class Preferences(Body):
    """The names and types of `static/preferences.js`, which has the defaults."""

    sound: bool | None = None
    animation: bool | None = None
    auto_roll: bool | None = None
    confirm_moves: bool | None = None
    premove: bool | None = None
    hints: bool | None = None
    tutor: bool | None = None
    arrows: bool | None = None
    phrases: bool | None = None
    board_theme: Name | None = None
    piece_theme: Name | None = None
    language: Name | None = None
    theme: Literal["auto", "light", "dark"] | None = None


class PersonChange(Body):
    name: GuestName | None = None
    color: str | None = Field(None, pattern=f"^({'|'.join(COLORS)})$")
    preferences: Preferences | None = None


class CodeUse(Body):
    code: Annotated[
        str, StringConstraints(strip_whitespace=True, to_upper=True, max_length=20), AfterValidator(_without_dashes)
    ]


class Ensured(NamedTuple):
    person: Person
    set_cookie: SetCookie
    """Call it with the response; it does nothing for someone who already has the cookie."""


class PeopleAuth:
    """Tells other handlers who a request comes from."""

    def __init__(self, people: People, new_people: RequestLimit, sign_ins: RequestLimit, *, has_guests: bool) -> None:
        """Limits by address: `new_people` on how many are created, `sign_ins` on the use of codes and passkeys."""
        self._people = people
        self._new_people = new_people
        self._sign_ins = sign_ins
        self._has_guests = has_guests

    async def on_device(self, request: Request) -> OnDevice | None:
        """The person and their device. A request that changes something must come from our own page."""
        if request.method not in SAFE:
            refuse_foreign(request)
        secret = request.cookies.get(COOKIE)
        return await self._people.by_device(secret) if secret else None

    async def require_device(self, request: Request) -> OnDevice:
        found = await self.on_device(request)
        if found is None:
            raise Unauthorized("this needs a player of this page")
        return found

    async def person(self, request: Request) -> Person | None:
        found = await self.on_device(request)
        return found.person if found else None

    async def require(self, request: Request) -> Person:
        return (await self.require_device(request)).person

    async def ensure(self, request: Request, name: str = "") -> Ensured:
        """The person, or a new one with this name."""
        person = await self.person(request)
        if person is not None:
            return Ensured(person, _no_cookie)
        if not self._has_guests:
            raise Unauthorized("this server does not accept guests")
        _count(self._new_people, request)
        new = await self._people.create(name, label_of(request))
        return Ensured(new.person, cookie_of(request, new))

    def count_sign_in(self, request: Request) -> None:
        """Every attempt counts, whether it succeeds or not."""
        refuse_foreign(request)
        _count(self._sign_ins, request)

    async def sign_in(self, request: Request, new: NewDevice) -> SetCookie:
        """Makes this browser a device of the person; it is no longer one of somebody else's."""
        before = await self.on_device(request)
        if before is not None:
            await self._people.leave(before)
        return cookie_of(request, new)


def _count(limit: RequestLimit, request: Request) -> None:
    quota = limit.hit(address_of(request))
    if not quota.allowed:
        raise TooManyRequests(quota)


class PeopleHandlers:
    def __init__(self, platform: Platform, people: People, auth: PeopleAuth, erasures: Erasures) -> None:
        self._platform = platform
        self._people = people
        self._auth = auth
        self._erasures = erasures
        self._exports = Exports(platform.store, lambda: platform.clock.moment().at)

    async def show(self, request: Request) -> Response:
        """Also renews the cookie, once a day, and clears one that no longer belongs to anybody."""
        found = await self._auth.on_device(request)
        if found is None:
            response = json_response({"person": None})
            if COOKIE in request.cookies:
                clear_cookie(request, response)
            return response
        response = json_response({"person": await self._serialize(found.person)})
        if not self._people.is_seen_today(found.device):
            await self._people.see(found.device)
            _set_cookie(request, response, request.cookies[COOKIE])
        return response

    async def change(self, request: Request) -> Response:
        body = await request.parse(PersonChange)
        if body.name == "":
            raise InvalidInput("name: must have a visible character")
        person, set_cookie = await self._auth.ensure(request, body.name or "")
        chosen = body.preferences.model_dump(by_alias=True, exclude_none=True) if body.preferences else None
        person = await self._people.change(person, body.name, body.color, chosen)
        return await self.respond(person, set_cookie)

    async def respond(self, person: Person, set_cookie: SetCookie) -> Response:
        """The person, as `GET /web/me` shows them."""
        response = json_response({"person": await self._serialize(person)})
        set_cookie(response)
        return response

    async def export(self, request: Request) -> Response:
        person = await self._auth.require(request)
        return download(await self._exports.person(person), "person")

    async def delete(self, request: Request) -> Response:
        """Live games are resigned; finished ones keep a pseudonym."""
        person = await self._auth.require(request)
        is_complete = await self._erasures.finish(await self._erasures.request_person(person))
        response = json_response({"status": "deleted" if is_complete else "deleting"})
        clear_cookie(request, response)
        return response

    async def create_code(self, request: Request) -> Response:
        person = await self._auth.require(request)
        self._auth.count_sign_in(request)
        code, expires_at = await self._people.new_code(person)
        return json_response({"code": code, "expiresAt": iso(expires_at)}, 201)

    async def use_code(self, request: Request) -> Response:
        self._auth.count_sign_in(request)
        body = await request.parse(CodeUse)
        new = await self._people.use_code(body.code, label_of(request))
        return await self.respond(new.person, await self._auth.sign_in(request, new))

    async def devices(self, request: Request) -> Response:
        found = await self._auth.require_device(request)
        devices, passkeys = await self._people.devices(found.person), await self._people.passkeys(found.person)
        return json_response({
            "devices": [
                {
                    "id": each.id,
                    "label": each.label,
                    "createdAt": iso(each.created_at),
                    "seenAt": iso(each.seen_at),
                    "isThis": each.hash == found.device.hash,
                }
                for each in devices
            ],
            "passkeys": [
                {"id": each.id, "label": each.label, "createdAt": iso(each.created_at), "usedAt": iso(each.used_at)}
                for each in passkeys
            ],
        })  # fmt: skip

    async def remove_device(self, request: Request) -> Response:
        found = await self._auth.require_device(request)
        id = request.param("id")
        await self._people.remove_device(found.person, id)
        response = Response(status_code=204)
        if id == found.device.id:
            clear_cookie(request, response)
        return response

    async def _serialize(self, person: Person) -> dict[str, Any]:
        store, now = self._platform.store, self._platform.clock.moment().at
        ratings = [aged(each, now) for each in await store.ratings_of(person_key(person.id))]
        return {
            "id": person.id,
            "name": person.name,
            "color": person.color,
            "preferences": dict(person.preferences),
            "ratings": [
                {
                    "game": each.game,
                    "rating": round(each.rating),
                    "deviation": round(each.deviation),
                    "games": each.games,
                    "provisional": is_provisional(each),
                }
                for each in ratings
            ],
            "createdAt": iso(person.created_at),
            "devices": len(await store.devices_of(person.id)),
            "passkeys": len(await store.passkeys_of(person.id)),
        }


def routes(pipeline: Pipeline, handlers: PeopleHandlers) -> list[BaseRoute]:
    return [
        pipeline.route("/web/me", handlers.show),
        pipeline.route("/web/me", handlers.change, "PATCH"),
        pipeline.route("/web/me", handlers.delete, "DELETE"),
        pipeline.route("/web/me/export", handlers.export),
        pipeline.route("/web/me/codes", handlers.create_code, "POST"),
        pipeline.route("/web/me/devices", handlers.devices),
        pipeline.route("/web/me/devices", handlers.use_code, "POST"),
        pipeline.route("/web/me/devices/{id}", handlers.remove_device, "DELETE"),
    ]


def refuse_foreign(request: Request) -> None:
    """Refuses requests that another site's page sends with our cookie. Browsers say where a request comes from.

    Other programs don't, but they don't have anyone's cookie either.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        is_own = site in OWN_SITE
    else:
        is_own = origin is None or origins.is_own(origin, request.headers.get("host"))
    if not is_own:
        raise Forbidden("only the page of this server may do this")
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if request.method in ("POST", "PATCH", "PUT") and kind != JSON:
        raise Malformed("the content type must be application/json")


def label_of(request: HTTPConnection) -> str:
    """The browser and system that a request seems to come from, such as `Firefox on Linux`."""
    agent = request.headers.get("user-agent", "")[:500]
    browser = _found(BROWSERS, agent) or ("Safari" if "Safari/" in agent else "")
    parts = [part for part in (browser, _found(SYSTEMS, agent)) if part]
    return " on ".join(parts)[:MAX_LABEL]


def _found(marks: tuple[tuple[str, str], ...], agent: str) -> str:
    return next((name for name, mark in marks if mark in agent), "")


def cookie_of(request: HTTPConnection, new: NewDevice) -> SetCookie:
    return lambda response: _set_cookie(request, response, new.secret)


def _no_cookie(_response: Response) -> None:
    pass


def _set_cookie(request: HTTPConnection, response: Response, secret: str) -> None:
    response.set_cookie(COOKIE, secret, COOKIE_SECONDS, **_attributes(request))


def clear_cookie(request: HTTPConnection, response: Response) -> None:
    response.delete_cookie(COOKIE, **_attributes(request))


def _attributes(request: HTTPConnection) -> Mapping[str, Any]:
    """Only sent to this server, and only encrypted if that is how it is reached."""
    is_secure = request.scope["scheme"] in ("https", "wss")
    return {"path": prefix_of(request) or "/", "secure": is_secure, "httponly": True, "samesite": "lax"}
