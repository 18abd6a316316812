"""`python -m benchmarks.rules`: move generation, perft, interpreter and start-up."""

from __future__ import annotations

from benchmarks.report import heading, machine
from benchmarks.rules import interpreter, perft, plays, startup

if __name__ == "__main__":
    print(f"Rules, {machine()}\n")
    heading("what", "ours", "peer", "ratio", "aim")
    for part in (perft, plays, interpreter, startup):
        part.run()
