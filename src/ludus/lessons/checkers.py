"""Checkers in ten steps."""

from __future__ import annotations

from functools import partial

from ludus.lessons import read

_step = partial(read, "checkers")

STEPS = (
    _step("move", "B:W30:B11"),
    _step("jump", "B:W18,29:B14"),
    _step("must", "B:W19,32:B5,15"),
    _step("chain", "B:W10,18,31:B6"),
    _step("choice", "B:W15,16,24,30:B11,12", "11x27", "12x28"),
    _step("crown", "B:W5:B27"),
    _step("king", "B:W10,14:BK18"),
    _step("offer", "B:W21,23,26:B5,9,14", "14-17"),
    _step("shot", "B:W14,23,26:B5,9"),
    _step("block", "B:W24,28:B15,16,19", "16-20"),
)
