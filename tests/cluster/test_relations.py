"""People at different processes become friends, challenge each other, and see the same state."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import httpx2

from .test_people import Browser, clients

__all__ = ["clients"]


def two_people(clients: list[httpx2.Client]) -> tuple[Browser, Browser, str, str]:
    ann, ben = Browser(clients), Browser(clients)
    one, two = (each.ask(at, "PATCH", "/web/me", {})["person"]["id"] for at, each in enumerate((ann, ben)))
    return ann, ben, one, two


def test_friends_challenge_each_other_across_processes(clients: list[httpx2.Client]) -> None:
    ann, ben, one, two = two_people(clients)
    code = ann.ask(0, "GET", "/web/me/friends")["code"]
    ben.ask(1, "POST", "/web/me/friends", {"code": code}, 201)
    ben.ask(1, "GET", "/web/me/challenges")
    (friend,) = ann.ask(0, "GET", "/web/me/friends")["friends"]
    assert (friend["id"], friend["isOnline"]) == (two, True)
    made = ann.ask(0, "POST", "/web/me/challenges", {"person": two, "game": "checkers"}, 201)
    (asked,) = ben.ask(1, "GET", "/web/me/challenges")["incoming"]
    assert (asked["id"], asked["person"]["id"]) == (made["id"], one)
    session = ben.ask(1, "POST", f"/web/me/challenges/{made['id']}/accept")["sessionId"]
    (mine,) = ann.ask(0, "GET", "/web/me/challenges")["outgoing"]
    assert (mine["state"], mine["sessionId"]) == ("accepted", session)
    ben.ask(0, "POST", "/web/me/blocks", {"person": one}, 201)
    ann.ask(1, "POST", "/web/me/challenges", {"person": two, "game": "checkers"}, 403)


def test_a_challenge_is_answered_once_whoever_is_faster(clients: list[httpx2.Client]) -> None:
    ann, ben, _, two = two_people(clients)
    id = ann.ask(0, "POST", "/web/me/challenges", {"person": two, "game": "checkers"}, 201)["id"]
    with ThreadPoolExecutor(2) as pool:
        withdrawn = pool.submit(ann.status, 0, "DELETE", f"/web/me/challenges/{id}")
        accepted = pool.submit(ben.status, 1, "POST", f"/web/me/challenges/{id}/accept")
    results = withdrawn.result(), accepted.result()
    assert results in ((204, 409), (409, 200))
    assert len(ann.ask(1, "GET", "/web/me/challenges")["outgoing"]) == (results == (409, 200))
