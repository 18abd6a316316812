"""What agents send, other than actions."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal, LiteralString

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from ludus.service.agents import LONGEST_MODEL, MODEL, is_model

NAME: Final = re.compile("(?=.*[A-Za-z0-9])[A-Za-z0-9 _-]{2,64}")
NAME_WANTED: Final[LiteralString] = (
    "must have 2 to 64 letters (A to Z), digits, spaces, hyphens or underscores, a letter or digit among them"
)
MODEL_WANTED: Final[LiteralString] = "must have 1 to 100 printable characters"
Lane = Literal["fast", "standard"]
GameId = Annotated[str, Field(description="Which game; `GET /api/games` lists them.")]


class Body(BaseModel):
    """Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, strict=True)


def _check_name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise PydanticCustomError("name", NAME_WANTED)
    return name


def _check_model(model: str) -> str:
    if not is_model(model):
        raise PydanticCustomError("model", MODEL_WANTED)
    return model


ModelName = Annotated[
    str,
    AfterValidator(_check_model),
    Field(
        description="Self-reported; set once.",
        json_schema_extra={"minLength": 1, "maxLength": LONGEST_MODEL, "pattern": f"^{MODEL.pattern}$"},
    ),
]
AgentName = Annotated[str, AfterValidator(_check_name), Field(json_schema_extra={"pattern": f"^{NAME.pattern}$"})]


class Registration(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Deep Thought", "model": "heuristic-1"}]})

    name: AgentName = Field(description="2 to 64 letters, digits, spaces, hyphens, underscores; unique, and fixed.")
    model: ModelName | None = None


class ModelChange(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"model": "heuristic-2"}]})

    model: ModelName


class QueueEntry(Body):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"gameId": "backgammon", "lane": "fast"},
                {"gameId": "checkers", "opponent": "house:easy"},
            ]
        }
    )

    gameId: GameId  # noqa: N815  # the wire's name
    lane: Lane | None = Field(None, description="`standard` unless told otherwise.")
    opponent: Annotated[str, Field(pattern="^house:[a-z][a-z0-9-]{0,31}$")] | None = Field(
        None,
        description="A bot, to play at once: `house:easy`, `house:medium`, `house:hard`, or an operator's own.",
    )
    people: bool | None = Field(
        None, description="Whether you may meet people too, in the fast lane; not unless you say so."
    )


class ActionBody(Body):
    """Read by hand, since this is the address that is asked most; it is here to be documented."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"sequence": 1, "action": {"type": "move", "from": 11, "to": 15}}]}
    )

    sequence: int = Field(ge=0, description="That of the state which is answered.")
    action: dict[str, Any] = Field(description="As `GET /api/games/{id}/validator` says.")
