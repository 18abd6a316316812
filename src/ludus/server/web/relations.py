"""Friends, challenges, blocks and reports of the page's people."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel
from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.server.http.fields import ChosenOptions, GameName
from ludus.server.http.guest_games import GuestGames
from ludus.server.http.request import Pipeline, Request, address_of, json_response
from ludus.server.web.people import PeopleAuth
from ludus.service.challenges import Challenges, Terms
from ludus.service.clock import iso
from ludus.service.lobby import AGENTS, PEOPLE
from ludus.service.matches import check_game
from ludus.service.options import shown_options
from ludus.service.platform import Platform
from ludus.service.records import MAX_ID, Challenge, Person
from ludus.service.relations import REASONS, Acquaintance, Relations
from ludus.service.tables import NotFound
from ludus.service.time_control import TimeControl

Json = dict[str, Any]
Id = Annotated[str, StringConstraints(min_length=1, max_length=MAX_ID)]
DONE: Final = 204


class Body(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", alias_generator=to_camel)


class NewFriend(Body):
    code: Id


class NewChallenge(ChosenOptions, Body):
    person: Id
    game: GameName
    time_control: dict[str, Any] | None = None
    rated: bool = False


class NewBlock(Body):
    person: Id


class NewReport(Body):
    game: Id
    """The id of a game of theirs."""
    reason: str = Field(pattern=f"^({'|'.join(REASONS)})$")


class RelationHandlers:
    def __init__(
        self,
        platform: Platform,
        auth: PeopleAuth,
        guest_games: GuestGames,
        relations: Relations,
        challenges: Challenges,
    ) -> None:
        self._platform = platform
        self._auth = auth
        self._guest_games = guest_games
        self._relations = relations
        self._challenges = challenges

    async def friends(self, request: Request) -> Response:
        person = await self._auth.require(request)
        link = await self._relations.link(person)
        friends = [_acquaintance(each) for each in await self._relations.friends(person)]
        return json_response({"friends": friends, "code": link.code})

    async def link(self, request: Request) -> Response:
        """The owner of a friend link. Looking at it does not create a person."""
        owner = await self._relations.owner_of(request.param("code"))
        person = await self._auth.person(request)
        is_friend = person is not None and await self._relations.are_friends(person.id, owner.id)
        is_own = person is not None and person.id == owner.id
        return json_response({"person": serialize(owner), "isOwn": is_own, "isFriend": is_friend})

    async def renew_link(self, request: Request) -> Response:
        link = await self._relations.renew_link(await self._auth.require(request))
        return json_response({"code": link.code}, 201)

    async def befriend(self, request: Request) -> Response:
        """Creates a person for someone who has never played."""
        body = await request.parse(NewFriend)
        await self._relations.owner_of(body.code)
        person, set_cookie = await self._auth.ensure(request)
        owner = await self._relations.befriend(person, body.code)
        response = json_response({"person": serialize(owner)}, 201)
        set_cookie(response)
        return response

    async def unfriend(self, request: Request) -> Response:
        await self._relations.unfriend(await self._auth.require(request), request.param("id"))
        return Response(status_code=DONE)

    async def challenges(self, request: Request) -> Response:
        """Pages poll this; a person who has polled recently is online."""
        person = await self._auth.person(request)
        if person is None:
            return json_response({"incoming": [], "outgoing": []})
        await self._relations.see(person)
        incoming, outgoing = await self._challenges.inbox(person)
        shown = {
            "incoming": [_challenge(each) | {"person": serialize(who)} for each, who in incoming],
            "outgoing": [
                _challenge(each) | {"person": serialize(who), "sessionId": each.session} for each, who in outgoing
            ],
        }
        return json_response(shown)

    async def challenge(self, request: Request) -> Response:
        body = await request.parse(NewChallenge)
        time_control = None if body.time_control is None else TimeControl.from_data(body.time_control)
        person = await self._auth.require(request)
        opponent = await self._relations.person(body.person)
        terms = Terms(body.game, time_control, body.rated, body.variant(body.game))
        made = await self._challenges.make(person, opponent, terms)
        return json_response(_challenge(made) | {"person": serialize(opponent)}, 201)

    async def accept(self, request: Request) -> Response:
        self._platform.lobby.refuse_if_stopping()
        person = await self._auth.require(request)
        with self._guest_games.starting(address_of(request)):
            session = await self._challenges.accept(person, request.param("id"))
        return json_response({"sessionId": session.id, "game": session.game})

    async def decline(self, request: Request) -> Response:
        await self._challenges.decline(await self._auth.require(request), request.param("id"))
        return Response(status_code=DONE)

    async def cancel(self, request: Request) -> Response:
        await self._challenges.cancel(await self._auth.require(request), request.param("id"))
        return Response(status_code=DONE)

    async def blocks(self, request: Request) -> Response:
        blocked = await self._relations.blocked(await self._auth.require(request))
        return json_response({"people": [_acquaintance(each) for each in blocked]})

    async def block(self, request: Request) -> Response:
        body = await request.parse(NewBlock)
        person = await self._auth.require(request)
        other = await self._relations.person(body.person)
        await self._relations.block(person, other)
        await self._challenges.cancel_between(person.id, other.id)
        return json_response({"person": serialize(other)}, 201)

    async def unblock(self, request: Request) -> Response:
        await self._relations.unblock(await self._auth.require(request), request.param("id"))
        return Response(status_code=DONE)

    async def report(self, request: Request) -> Response:
        body = await request.parse(NewReport)
        report = await self._relations.report(await self._auth.require(request), body.game, body.reason)
        return json_response({"id": report.id, "reason": report.reason}, 201)

    async def agent(self, request: Request) -> Response:
        """Whether an agent waits for people in a game's queue, so that a challenge would reach it at once."""
        id, game = request.param("id"), request.query("game") or ""
        check_game(game)
        agent = await self._platform.store.agent(id) if len(id) <= MAX_ID else None
        if agent is None:
            raise NotFound("there is no such agent")
        entry = await self._platform.store.entry_of(game, AGENTS[0], f"agent/{agent.id}")
        return json_response({"isWaiting": entry is not None and bool(entry.seat.get(PEOPLE))})


def routes(pipeline: Pipeline, handlers: RelationHandlers) -> list[BaseRoute]:
    return [
        pipeline.route("/web/friends/{code}", handlers.link),
        pipeline.route("/web/me/friends", handlers.friends),
        pipeline.route("/web/me/friends", handlers.befriend, "POST"),
        pipeline.route("/web/me/friends/link", handlers.renew_link, "POST"),
        pipeline.route("/web/me/friends/{id}", handlers.unfriend, "DELETE"),
        pipeline.route("/web/me/challenges", handlers.challenges),
        pipeline.route("/web/me/challenges", handlers.challenge, "POST"),
        pipeline.route("/web/me/challenges/{id}/accept", handlers.accept, "POST"),
        pipeline.route("/web/me/challenges/{id}/decline", handlers.decline, "POST"),
        pipeline.route("/web/me/challenges/{id}", handlers.cancel, "DELETE"),
        pipeline.route("/web/me/blocks", handlers.blocks),
        pipeline.route("/web/me/blocks", handlers.block, "POST"),
        pipeline.route("/web/me/blocks/{id}", handlers.unblock, "DELETE"),
        pipeline.route("/web/me/reports", handlers.report, "POST"),
        pipeline.route("/web/agents/{id}/queue", handlers.agent),
    ]


def serialize(person: Person) -> Json:
    """What everyone may see."""
    return {"id": person.id, "name": person.name, "color": person.color}


def _acquaintance(each: Acquaintance) -> Json:
    return serialize(each.person) | {"since": iso(each.since), "isOnline": each.is_online}


def _challenge(challenge: Challenge) -> Json:
    return {
        "id": challenge.id,
        "game": challenge.game,
        "timeControl": challenge.time_control,
        **shown_options(challenge.game, challenge.variant),
        "rated": challenge.is_rated,
        "state": challenge.state,
        "expiresAt": iso(challenge.expires_at),
    }
