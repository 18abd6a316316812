"""What a tenant may ask of its own affairs."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from ludus.server.rest import examples_tenant as examples
from ludus.server.rest.examples import shown
from ludus.server.rest.requests import Request


class RotateKey(Request):
    model_config = ConfigDict(json_schema_extra=shown(examples.ROTATE))

    kind: Literal["live", "test"]
    keep: bool = Field(False, description="Whether the old keys stay good.")
