"""Types of fields that several kinds of requests share."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, StringConstraints

from ludus.service.names import strip_hidden

LONGEST_NAME: Final = 40

GuestName = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=LONGEST_NAME), AfterValidator(strip_hidden)
]
Level = Annotated[str, StringConstraints(pattern="^[a-z][a-z0-9-]{0,31}$")]
"""A bot's difficulty."""
