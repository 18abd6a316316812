"""Tournaments as short texts, and an agent's next match in one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ludus.client.arena import Arena
from ludus.client.responses import OwnTournament
from ludus.service.time_control import TimeControl

AGENT: Final = "agent"
MOST_LINES: Final = 20
"""The most tournaments, players or pairings listed, since a model reads all of them."""
SYSTEMS: Final = {"round_robin": "round robin", "knockout": "knock-out"}

Json = Mapping[str, Any]


def list_text(tournaments: Sequence[Json]) -> str:
    """The tournaments that agents may enter."""
    lines = [f"{each['id']}: {_head(each)}" for each in tournaments if AGENT in each["admits"]]
    return "\n".join(_cut(lines)) or "no tournament for agents at the moment."


def joined_text(id: str, own: OwnTournament) -> str:
    news = "It is running" if own.status == "running" else "It hasn't begun"
    return f"joined. {news}. Call get_turn with tournamentId {id}, also after each match; it waits for the next one."


def whole_text(tournament: Json, you: int | None) -> str:
    """`you` is the number of the agent that asks, if it has entered."""
    standings = tournament["standings"]
    names = {each["number"]: _name(each, you) for each in standings}
    lines = [_head(tournament)]
    if standings:
        lines += ["Standings:", *_cut([_place(each, you) for each in standings])]
        lines += [_place(each, you) for each in standings[MOST_LINES:] if each["number"] == you]
    if tournament["pairings"]:
        lines += ["The latest pairings:", *_cut([_pairing(each, names) for each in _latest(tournament)])]
    return "\n".join(lines)


def _latest(tournament: Json) -> list[Json]:
    """The pairings of the last round; in an arena, the latest ones first."""
    pairings: list[Json] = tournament["pairings"]
    if tournament["rounds"] is None:
        return pairings[::-1]
    return [each for each in pairings if each["round"] == tournament["round"]]


async def wait_for_match(arena: Arena, id: str, until: float, pause: float) -> OwnTournament:
    """The agent's standing once it has a match, can't get one, or the time is up."""
    while True:
        own = await arena.own_tournament(id)
        can_wait = own.is_in and not own.is_over and own.match is None
        if not can_wait or asyncio.get_running_loop().time() + pause > until:
            return own
        await asyncio.sleep(pause)


async def without_match_text(arena: Arena, id: str, own: OwnTournament) -> str:
    if own.status == "cancelled":
        return "tournament_over: it was cancelled."
    if own.is_over:
        return f"tournament_over: {_result(await arena.tournament(id), own.number)}"
    if not own.is_in:
        return "not_joined: call join_tournament first."
    news = "the tournament hasn't begun" if own.status == "created" else "you have no opponent at the moment"
    return f"no_match: {news}. Call get_turn again."


def _result(tournament: Json, you: int | None) -> str:
    standings = tournament["standings"]
    own = next((each for each in standings if each["number"] == you), None)
    place = f"you finished in place {own['rank']} of {len(standings)} with {_points(own['score'])}. " if own else ""
    return f"{place}get_tournament has the standings."


def _head(tournament: Json) -> str:
    """The first line, with the name in quotes, because strangers choose names."""
    options = "".join(f", {name} {json.dumps(value)}" for name, value in (tournament.get("options") or {}).items())
    system = SYSTEMS.get(tournament["system"], tournament["system"])
    rated = ", rated" if tournament["rated"] else ""
    clock = TimeControl.from_data(tournament["timeControl"]).text
    terms = f"{tournament['gameId']}{options}, {system}, {clock}{rated}"
    entrants = f"{tournament['entrants']} of at most {tournament['maxEntrants']} entrants"
    return f"{json.dumps(tournament['name'], ensure_ascii=False)}: {terms}; {_status(tournament)}, {entrants}"


def _status(tournament: Json) -> str:
    status = str(tournament["status"])
    if status == "created":
        return f"starts at {tournament['startsAt']}" if tournament["startsAt"] else "not started"
    if status != "running":
        winner = tournament.get("winner")
        return f"{status}, won by {winner['name']}" if winner else status
    if tournament["rounds"] is None:
        return f"running until {tournament['endsAt']}"
    return f"running, round {tournament['round']} of {tournament['rounds']}"


def _place(place: Json, you: int | None) -> str:
    record = f"{place['wins']} won, {place['draws']} drawn, {place['losses']} lost"
    left = "" if place["isIn"] else "; withdrawn"
    return f"{place['rank']} {_name(place, you)}: {_points(place['score'])} ({record}{left})"


def _pairing(pairing: Json, names: Mapping[int, str]) -> str:
    first = names[pairing["first"]]
    if pairing["second"] is None:
        return f"{first}: bye"
    return f"{first} - {names[pairing['second']]}: {_result_of(pairing)}"


def _result_of(pairing: Json) -> str:
    if pairing["status"] != "over":
        return "playing" if pairing["status"] == "live" else "not begun"
    if pairing["score"] is None:
        return str(pairing["outcome"]).replace("_", " ")
    forfeit = ", forfeit" if pairing["outcome"] == "forfeit" else ""
    return f"{pairing['score']:g}-{1 - pairing['score']:g}{forfeit}"


def _name(place: Json, you: int | None) -> str:
    """The name with the entrant's number, since people have no names here."""
    return f"{place['player']['name']} #{place['number']}" + (" (you)" if place["number"] == you else "")


def _points(score: float) -> str:
    return f"{score:g} point" + ("" if score == 1 else "s")


def _cut(lines: list[str]) -> list[str]:
    more = len(lines) - MOST_LINES
    return lines if more <= 0 else [*lines[:MOST_LINES], f"… and {more} more"]
