"""Any process accepts what another has issued to a person: a cookie, a code, a challenge, a removal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx2
import pytest

from ..server.web.authenticator import Authenticator
from ..server_pair import ServerPair

ORIGIN = "http://play.example"
HEADERS = {"Host": "play.example", "Origin": ORIGIN}


class Browser:
    """Behind a load balancer: any request may reach either process."""

    def __init__(self, clients: list[httpx2.Client]) -> None:
        self._clients = clients
        self._cookies: dict[str, str] = {}

    def status(self, process: int, method: str, path: str) -> int:
        """The response to a request, whatever its status."""
        return self._send(process, method, path, None).status_code

    def ask(self, process: int, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        answer = self._send(process, method, path, body)
        assert answer.status_code == status, answer.text
        self._cookies |= dict(answer.cookies)
        self._clients[process].cookies.clear()
        return answer.json() if answer.content else None

    def _send(self, process: int, method: str, path: str, body: Any) -> httpx2.Response:
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        sent = None if method in ("GET", "DELETE") else body or {}
        return self._clients[process].request(method, path, json=sent, headers={"Cookie": cookies})


@pytest.fixture
def clients(server: ServerPair) -> Iterator[list[httpx2.Client]]:
    with ExitStack() as stack:
        made = [httpx2.Client(base_url=each.url, headers=HEADERS, timeout=60) for each in server.processes]
        yield [stack.enter_context(client) for client in made]


def test_a_code_of_one_process_is_used_once_at_the_other(clients: list[httpx2.Client]) -> None:
    laptop, phone, late = (Browser(clients) for _ in range(3))
    ann = laptop.ask(0, "PATCH", "/web/me", {"name": "Ann"})["person"]
    assert laptop.ask(1, "GET", "/web/me")["person"] == ann
    code = laptop.ask(1, "POST", "/web/me/codes", status=201)["code"]
    assert phone.ask(0, "POST", "/web/me/devices", {"code": code})["person"]["id"] == ann["id"]
    for process in (0, 1):
        late.ask(process, "POST", "/web/me/devices", {"code": code}, 403)
    devices = phone.ask(1, "GET", "/web/me/devices")["devices"]
    other = next(each["id"] for each in devices if not each["isThis"])
    phone.ask(0, "DELETE", f"/web/me/devices/{other}", status=204)
    assert laptop.ask(1, "GET", "/web/me")["person"] is None


def test_a_code_is_dead_after_wrong_tries_at_both_processes(clients: list[httpx2.Client]) -> None:
    ann, eve = Browser(clients), Browser(clients)
    ann.ask(0, "PATCH", "/web/me")
    code = ann.ask(0, "POST", "/web/me/codes", status=201)["code"]
    wrong = code[:-1] + ("A" if code[-1] != "A" else "B")
    for number in range(5):
        eve.ask(number % 2, "POST", "/web/me/devices", {"code": wrong}, 403)
    eve.ask(1, "POST", "/web/me/devices", {"code": code}, 403)


def test_a_challenge_of_one_process_is_answered_at_the_other(clients: list[httpx2.Client]) -> None:
    laptop, phone, key = Browser(clients), Browser(clients), Authenticator(ORIGIN)
    ann = laptop.ask(0, "PATCH", "/web/me", {"name": "Ann"})["person"]
    made = key.create(laptop.ask(0, "POST", "/web/passkeys/options"))
    laptop.ask(1, "POST", "/web/passkeys", {"credential": made})
    laptop.ask(0, "POST", "/web/passkeys", {"credential": made}, 403)
    answer = key.get(phone.ask(1, "POST", "/web/passkeys/login/options"))
    assert phone.ask(0, "POST", "/web/passkeys/login", {"credential": answer})["person"]["id"] == ann["id"]
    phone.ask(1, "POST", "/web/passkeys/login", {"credential": answer}, 403)


def test_a_deleted_person_is_gone_at_both_processes(clients: list[httpx2.Client]) -> None:
    laptop = Browser(clients)
    laptop.ask(0, "PATCH", "/web/me", {"name": "Ann"})
    assert laptop.ask(1, "DELETE", "/web/me") in ({"status": "deleted"}, {"status": "deleting"})
    for process in (0, 1):
        assert laptop.ask(process, "GET", "/web/me")["person"] is None
