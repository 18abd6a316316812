"""The attackers' process: `python -m benchmarks.adversary.attacker PLAN`, where PLAN is JSON.

Prints `ready` when the attacks are prepared, begins when a line comes from stdin, and prints a `Report` as JSON after
the given time.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import time
from collections import Counter
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
    attacks = [
        BY_NAME[name](Field(plan.port, tuple(plan.addresses), number, f"127.21.{place}.1"))
        for place, (name, number) in enumerate(plan.attacks.items())
    ]
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
    refused, closed, more = Counter[str](), Counter[str](), dict[str, float]()
    for attack in attacks:
        refused, closed = refused + attack.refused, closed + attack.closed
        prefix = f"{attack.name}: " if len(attacks) > 1 else ""
        more |= {f"{prefix}{name}": value for name, value in attack.more.items()}
    served, read = sum(attack.served for attack in attacks), sum(attack.bytes_in for attack in attacks)
    return Report(served, dict(refused), dict(closed), read, more, time.process_time(), failed)


if __name__ == "__main__":
    os.nice(NICE)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    uvloop.run(main(Plan(**orjson.loads(sys.argv[1]))))
