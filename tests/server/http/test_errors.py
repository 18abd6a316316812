"""Every error has an answer, and none says what clients should not know."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from tests.server.http.codes import arena_codes

import ludus
from ludus.core.errors import BadInput, GameIsOver, IllegalMove, InvalidInput, LudusError, NoDevice
from ludus.server.http.errors import ERRORS, PublicError, arena_body, public, status_of
from ludus.service.decisions import NotYourTurn, StaleSequence

ASIDE = ("ludus.envs", "ludus.cli", "ludus.__main__", "ludus.client", "ludus.mcp", "ludus.series", "ludus.training")
"""Not run by a server: learning code, the command line, and clients."""
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "arena.md"


def modules(package: ModuleType) -> Iterator[ModuleType]:
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if not found.name.startswith(ASIDE):
            yield (module := importlib.import_module(found.name))
            if found.ispkg:
                yield from modules(module)


def kinds(of: type[LudusError] = LudusError) -> Iterator[type[LudusError]]:
    """The errors of the platform; tests have some of their own."""
    for kind in of.__subclasses__():
        if kind.__module__.startswith("ludus.") and not kind.__module__.startswith(ASIDE):
            yield kind
        yield from kinds(kind)


def test_every_error_has_a_response() -> None:
    assert "ludus.core.errors" in {module.__name__ for module in modules(ludus)}
    missing = {f"{kind.__module__}.{kind.__name__}: {kind.code}" for kind in kinds() if kind.code not in ERRORS}
    assert not missing


@pytest.mark.parametrize(("code", "status"), [
    ("unauthorized", 401), ("forbidden", 403), ("not_found", 404), ("conflict", 409), ("too_fast", 429),
    ("malformed", 400), ("not_your_turn", 409), ("game_over", 409), ("illegal_move", 400), ("ambiguous_move", 400),
    ("malformed_move", 400), ("engine_failed", 503), ("stopping", 503), ("internal", 500), ("bad_input", 400),
    ("unavailable", 503),
])  # fmt: skip
def test_the_codes_of_the_contract_have_their_statuses(code: str, status: int) -> None:
    assert ERRORS[code].status == status
    assert ERRORS[code].code == code


def test_an_error_made_for_clients_says_what_is_wrong() -> None:
    error = IllegalMove("11-16 is not legal here: square 16 is occupied")
    assert public(error) == PublicError("illegal_move", "11-16 is not legal here: square 16 is occupied")
    assert status_of(error) == 400
    assert status_of(GameIsOver("over")) == 409


@pytest.mark.parametrize("error", [
    RuntimeError("password=hunter2"),
    KeyError("hunter2"),
    OSError(2, "No such file", "/srv/hunter2"),
    NoDevice("hunter2"),
    LudusError("hunter2"),
])  # fmt: skip
def test_our_own_faults_are_not_explained_to_clients(error: Exception) -> None:
    assert public(error) == PublicError("internal", "Something went wrong on our side.")
    assert status_of(error) == 500


def test_an_error_without_an_answer_is_our_own_fault() -> None:
    class Unheard(LudusError):
        code = "unheard"

    assert public(Unheard("hunter2")) == PublicError("internal", "Something went wrong on our side.")


def test_a_particular_error_answers_for_its_code_and_not_for_its_class() -> None:
    class Particular(BadInput):
        pass

    assert public(Particular("too long")) == PublicError("bad_input", "too long")


def test_the_text_of_an_engine_failure_is_not_published() -> None:
    class Failed(LudusError):
        code = "engine_failed"

    error = Failed("worker 3 died: /srv/ludus")
    assert status_of(error) == 503
    assert public(error) == PublicError("engine_failed", "The bot can't respond right now.")


CONTRACT = {
    "invalid_input": 400, "invalid_action": 400, "unauthorized": 401, "not_a_player": 403, "match_not_found": 404,
    "game_not_found": 404, "name_taken": 409, "stale_sequence": 409, "not_your_turn": 409, "game_already_over": 409,
    "rate_limited": 429,
}  # fmt: skip


def test_the_codes_of_the_arena_have_their_statuses() -> None:
    assert {code: arena_codes().get(code) for code in CONTRACT} == CONTRACT


@pytest.mark.parametrize(("error", "status", "body"), [
    (InvalidInput("a: is wrong", "b: too"), 400, {"error": "invalid_input", "details": ["a: is wrong", "b: too"]}),
    (BadInput("too long"), 400, {"error": "invalid_input", "details": ["too long"]}),
    (IllegalMove("men move forward"), 400, {"error": "invalid_action", "details": "men move forward"}),
    (StaleSequence(7), 409, {"error": "stale_sequence", "currentSequence": 7}),
    (NotYourTurn("wait"), 409, {"error": "not_your_turn"}),
    (GameIsOver("over"), 409, {"error": "game_already_over"}),
    (RuntimeError("hunter2"), 500, {"error": "internal"}),
    (LudusError("hunter2"), 500, {"error": "internal"}),
])  # fmt: skip
def test_an_error_becomes_a_status_and_a_body_for_agents(error: Exception, status: int, body: object) -> None:
    assert (status_of(error), arena_body(error)) == (status, body)


def test_every_error_of_the_arena_is_documented_with_its_status() -> None:
    page = PAGE.read_text(encoding="utf-8")
    shown = {code: int(status) for code, status in re.findall(r"^\| `(\w+)` \| (\d+) \|", page, re.MULTILINE)}
    assert shown == arena_codes() | {"too_large": 413}
