"""The long form: many inputs for each parser, with progress. `make fuzz`, or python -m tests.fuzz [NUMBER] [WORD...]

NUMBER inputs for each parser (20,000 by default), of those whose names contain one of the words.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any, Final

from hypothesis import HealthCheck, given, settings
from tests.fuzz.target import BASE_STEPS, Target, size
from tests.fuzz.targets import targets

NUMBER: Final = 20_000
IGNORED: Final = [HealthCheck.too_slow]  # the machine may be busy


def fuzz(target: Target, number: int) -> float:
    """The most steps that an input took, as a part of its limit; an error that is not documented is raised."""
    worst = 0.0

    @settings(max_examples=number, deadline=None, database=None, suppress_health_check=IGNORED)
    @given(target.inputs())
    def check(given: Any) -> None:
        nonlocal worst
        worst = max(worst, target.check(given) / (BASE_STEPS + target.steps * size(given)))

    target.warm_up()
    run: Callable[[], None] = check
    run()
    return worst


def main(arguments: list[str]) -> int:
    number = int(arguments.pop(0)) if arguments and arguments[0].isdecimal() else NUMBER
    chosen = [each for each in targets() if not arguments or any(word in each.name for word in arguments)]
    logging.disable()  # clients' mistakes, thousands of them
    failed = []
    for place, target in enumerate(chosen, 1):
        print(f"{place:3} of {len(chosen)}  {target.name:32}", end="", flush=True)
        try:
            print(f"{number:8,} inputs, at most {fuzz(target, number):4.0%} of the work allowed", flush=True)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            failed.append(target.name)
            notes = "\n".join(getattr(error, "__notes__", ()))
            print(f"FAILED: {type(error).__name__}: {error}\n{notes}", flush=True)
    print(f"{len(failed)} of {len(chosen)} parsers failed" if failed else "every parser held")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
