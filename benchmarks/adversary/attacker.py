"""The attackers' process: `python -m benchmarks.adversary.attacker PLAN`, where PLAN is JSON.

Prints `ready` when the attacks are prepared, begins when a line comes from stdin, and prints a `Report` as JSON after
the given time.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from typing import NamedTuple

import orjson
import uvloop

from benchmarks.adversary.attack import Attack, Field
from benchmarks.adversary.attacks import BY_NAME
from benchmarks.adversary.processes import told

NICE = 10


class Plan(NamedTuple):
    port: int
    seconds: float
    addresses: list[str]
    attacks: dict[str, int]
    """Connections by name."""


class Report(NamedTuple):
    served: int
    refused: dict[str, int]
    closed: dict[str, int]
    bytes_in: int
    more: dict[str, float]
    cpu_s: float
    failed: list[str]
    """Attacks that could not go on by themselves."""


async def main(plan: Plan) -> None:
    attacks = [BY_NAME[name](Field(plan.port, tuple(plan.addresses), number)) for name, number in plan.attacks.items()]
    for attack in attacks:
        await attack.prepare()
    print("ready", flush=True)
    await told()
    tasks = [asyncio.create_task(attack.run()) for attack in attacks]
    await asyncio.wait(tasks, timeout=plan.seconds)
    failed = [f"{type(task.exception()).__name__}: {task.exception()}" for task in tasks if task.done()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    print(orjson.dumps(report(attacks, failed)._asdict()).decode(), flush=True)


def report(attacks: list[Attack], failed: list[str]) -> Report:
    refused, closed, more = attacks[0].refused, attacks[0].closed, dict(attacks[0].more)
    for attack in attacks[1:]:
        refused, closed = refused + attack.refused, closed + attack.closed
        more |= {f"{attack.name} {name}": value for name, value in attack.more.items()}
    served, read = sum(attack.served for attack in attacks), sum(attack.bytes_in for attack in attacks)
    return Report(served, dict(refused), dict(closed), read, more, time.process_time(), failed)


if __name__ == "__main__":
    os.nice(NICE)
    uvloop.run(main(Plan(**orjson.loads(sys.argv[1]))))
