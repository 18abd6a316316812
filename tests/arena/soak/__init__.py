"""`python -m tests.arena.soak`: unreliable agents play for minutes, and nothing may be lost."""
