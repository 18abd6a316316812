"""An operator's settings, where each came from, and the platform's secret."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import ipaddress
import itertools
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, get_args

from annotated_types import Ge, Le
from pydantic import Field, GetCoreSchemaHandler, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core.core_schema import CoreSchema, no_info_after_validator_function
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from ludus.core.errors import BadInput, UnknownOption
from ludus.engines.adapters import adapter
from ludus.games import GAMES
from ludus.server.http.addresses import Proxies

Value = str | int | float | bool
Origin = Literal["default", "environment", "ludus.toml", "command line"]

PREFIX: Final = "LUDUS_"
CONFIG: Final = "LUDUS_CONFIG"
FILE: Final = "ludus.toml"
HIDDEN: Final = "•••"
WEEK: Final = 7 * 24 * 3600
WORDS: Final = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
MIN_SECRET: Final = 32
"""Characters."""
COMMON: Final = re.compile(
    "change.?me|password|secret|example|default|replace|insecure|placeholder|qwerty", re.IGNORECASE
)
TYPES: Final = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
KUBERNETES_PORT: Final = re.compile("(tcp|udp|sctp)://")
"""What Kubernetes puts into LUDUS_PORT where a service is called `ludus`."""
RENAMED: Final = {"lonely_seconds": "bot_fallback_seconds"}
"""Old names, accepted for one more version."""


class Pattern(NamedTuple):
    """A check of a whole text. Python's own, since pydantic's refuses paths that aren't UTF-8."""

    pattern: str
    expected: str
    """The pattern in words."""
    parse: Callable[[str], object] | None = None
    """Raises `ValueError` for texts that the pattern cannot tell from good ones."""

    def check(self, text: str) -> str:
        if not re.fullmatch(self.pattern, text):
            raise ValueError(self.expected)
        if self.parse is not None:
            self.parse(text)
        return text

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return no_info_after_validator_function(self.check, handler(source))


Seconds = Annotated[float, Field(ge=0.01, le=WEEK)]
Share = Annotated[float, Field(ge=0.001, le=1000)]
Limit = Annotated[int, Field(ge=1, le=1_000_000)]
Bytes = Annotated[int, Field(ge=256, le=1 << 30)]
ProxyList = Annotated[str, Pattern(r"[^\0]*", "empty, `*`, or addresses and networks between commas", Proxies)]
Host = Annotated[str, Pattern(r"\S+", "a host name or an address")]
Folder = Annotated[str, Pattern(r"[^\0]+", "the path of a folder")]
CacheFolder = Annotated[str, Pattern(r"[^\0]*", "empty, or the path of a folder")]
Database = Annotated[str, Pattern(r"|sqlite:[^\0]+|postgresql://\S+", "empty, `sqlite:PATH` or `postgresql://…`")]
Bus = Annotated[
    str,
    Pattern(r"|(rediss?|valkeys?|unix)://\S+", "empty, or redis://…, rediss://…, valkey://…, valkeys://… or unix://…"),
]
PrivateHost = Annotated[str, Pattern(r"\S*", "empty, or an address")]
Modes = Annotated[
    str,
    Pattern("|(live|test|training)(,(live|test|training))*", "empty, or some of live, test, training between commas"),
]
Url = Annotated[
    str,
    Pattern(r"|https?://[^\s/?#]+(/[A-Za-z0-9._~-]+)*", "empty, or http(s)://host, with a path or without"),
]
Players = Annotated[
    str,
    Pattern(
        r"|[^=\0]+=[^=,\0]+(,[^=\0]+=[^=,\0]+)*", "empty, or NAME=FILE.npz and NAME=module:function between commas"
    ),
]
Paths = Annotated[str, Pattern(r"[^\0]*", "empty, or files and folders between commas")]
Prefix = Annotated[str, Pattern("[A-Za-z0-9]+(-[A-Za-z0-9]+)*", "letters and digits, with hyphens between them")]


class Settings(BaseSettings):
    """Made from arguments alone; `load` reads the environment and the file too."""

    model_config = SettingsConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False, env_prefix=PREFIX)

    host: Host = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(default=8000, ge=0, le=65535, description="port to listen on; 0 picks a free one")
    proxies: ProxyList = Field(
        default="", description="trusted proxies, comma-separated: their forwarding headers name the client"
    )
    data: Folder = Field(default="ludus-data", description="folder for the database and the secret")
    cache_dir: CacheFolder = Field(
        default="",
        description="folder for compiled engines; by default the package's or the user's, or else `cache` in `data`",
    )
    database: Database = Field(default="", description="where games are stored; by default a SQLite file in `data`")
    bus: Bus = Field(
        default="", description="Redis or Valkey, through which the processes of a cluster notify each other"
    )
    workers: int = Field(
        default=1, ge=1, le=256, description="server processes on this machine; more than one need a bus and PostgreSQL"
    )
    internal_host: PrivateHost = Field(
        default="",
        description="address at which other processes reach this one; by default the one from which it reaches the bus",
    )
    internal_port: int = Field(
        default=0, ge=0, le=65535, description="port for other processes, probes and metrics; 0 picks a free one"
    )
    secret: str = Field(
        default="", description="signs tokens; if empty, on loopback only, one is generated and kept in `data`"
    )
    guests: bool = Field(default=True, description="whether people may play without a session")
    service_worker: bool = Field(
        default=True, description="whether browsers cache an offline page; if not, browsers that have it delete it"
    )
    guest_games: Limit = Field(default=200, description="games that guests of one address may start per hour")
    max_guest_games: Limit = Field(default=64, description="games that guests of one address may have at once")
    sign_ins: Limit = Field(
        default=60, description="codes and passkeys that one address may make or try in ten minutes"
    )
    new_tournaments: Limit = Field(
        default=30, description="tournaments that people and agents of one address may create per day"
    )
    afk_warn_seconds: Seconds = Field(default=60.0, description="idle time before a player is warned")
    afk_seconds: Seconds = Field(default=90.0, description="idle time before a player loses")
    reconnect_seconds: Seconds = Field(default=60.0, description="how long a disconnected player may take to return")
    session_seconds: Seconds = Field(
        default=300.0, description="how long a session waits to be joined; its token's lifetime"
    )
    room_code_seconds: Seconds = Field(default=600.0, description="how long a room code is valid")
    invitation_seconds: Seconds = Field(
        default=86400.0, description="how long an invitation to a game with a friend on the page is valid"
    )
    page_reconnect_seconds: Seconds = Field(
        default=180.0, description="how long a disconnected player may take to return to a game on the page"
    )
    no_show_seconds: Seconds = Field(
        default=120.0, description="how long a player of a tournament may take for the first move of a game"
    )
    page_abandon_days: int = Field(
        default=30,
        ge=0,
        le=36500,
        description="days without a move after which a game on the page, or one without any limit, is cancelled without"
        " a loser; 0 is never",
    )
    fast_turn_seconds: Seconds = Field(default=900.0, description="an agent's time for a turn in the fast lane")
    standard_turn_seconds: Seconds = Field(
        default=3900.0, description="an agent's time for a turn in the standard lane"
    )
    fast_queue_seconds: Seconds = Field(default=1200.0, description="how long an agent waits in the fast lane's queue")
    standard_queue_seconds: Seconds = Field(
        default=3900.0, description="how long an agent waits in the standard lane's queue"
    )
    bot_fallback_seconds: float = Field(
        default=20.0,
        ge=0,
        le=WEEK,
        description="how long an agent waits for another before it gets a bot; 0 is forever",
    )
    most_refusals: Limit = Field(default=20, description="refused actions after which an agent forfeits a match")
    registrations: Limit = Field(default=200, description="agents one address may register per hour")
    agent_rate_limit: Limit = Field(default=600, description="requests per minute for one agent")
    open_seats: Modes = Field(
        default="test,training", description="modes in which people may meet agents, comma-separated"
    )
    public_url: Url = Field(
        default="",
        description="the server's address in links, with the path it is mounted under; by default that of the request",
    )
    bot_pause: float = Field(default=1.0, ge=0, le=100, description="factor on the bots' pauses; 0 is no pause")
    bot_workers: int = Field(
        default=1, ge=0, le=256, description="processes for the bots' engines; 0 leaves them to `ludus worker`"
    )
    bot_warmup: bool = Field(
        default=True, description="whether the engines are loaded before the server is ready; else at the first move"
    )
    exhibitions: bool = Field(
        default=True, description="whether house bots play for spectators when there is no other public game"
    )
    players: Players = Field(
        default="",
        description="extra bots, comma-separated: a name, `=`, and a policy file, weights or `module:function`",
    )
    puzzles: Paths = Field(
        default="",
        description="puzzles besides those of the package, comma-separated: files of `ludus puzzles mine`, and folders"
        " of them",
    )
    rate_limit: Limit = Field(default=60, description="REST requests per minute for one key")
    max_sockets: Limit = Field(default=64, description="open sockets per address")
    max_events: Limit = Field(default=1000, description="socket events per second from one client")
    max_connections: Limit = Field(
        default=10_000, description="open connections in total; fewer if there aren't enough file handles"
    )
    max_queued: Bytes = Field(
        default=1 << 20, description="bytes that one client may leave unread before it is cut off"
    )
    max_queued_total: Bytes = Field(
        default=256 << 20,
        description="the same for all clients together; beyond it, the client with the most is cut off",
    )
    cpu_share: Share = Field(
        default=0.2, description="how much of one core the requests of one address may use, as long as few are busy"
    )
    cpu_total: Share = Field(
        default=0.6, description="how much of one core all clients above their share may use together"
    )
    max_body: Bytes = Field(default=65536, description="maximum size of an HTTP request's body in bytes")
    max_frame: Bytes = Field(default=16384, description="maximum size of a socket message in bytes")
    webhook_retries: int = Field(default=3, ge=0, le=100, description="how often a failed webhook is retried")
    webhook_pause_seconds: float = Field(
        default=5.0, ge=0, le=WEEK, description="pause before the first retry; later ones are longer"
    )
    webhook_days: int = Field(
        default=30, ge=0, le=36500, description="days delivered and dead webhooks are kept; 0 is forever"
    )
    retention_games_days: int = Field(
        default=0, ge=0, le=36500, description="days finished games and tournaments are kept; 0 is forever"
    )
    retention_sessions_days: int = Field(
        default=0, ge=0, le=36500, description="days ended sessions are kept; 0 is forever"
    )
    retention_guests_days: int = Field(
        default=0, ge=0, le=36500, description="days finished games of guests are kept; 0 is forever"
    )
    retention_people_days: int = Field(
        default=0,
        ge=0,
        le=36500,
        description="days without a visit after which people of the page are deleted; 0 is never",
    )
    retention_unplayed_days: int = Field(
        default=30,
        ge=0,
        le=36500,
        description="days finished games of guests with fewer than two moves are kept; 0 is forever",
    )
    webhook_prefix: Prefix = Field(
        default="Ludus", description="what follows `X-` in the names of the webhooks' headers"
    )
    webhook_private: bool = Field(default=False, description="whether webhooks may go to private addresses")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="lowest level that is logged"
    )
    log_format: Literal["text", "json"] = Field(default="text", description="format of the log on standard error")
    access_log: bool = Field(default=False, description="whether each HTTP request is logged, at level info")
    otel_endpoint: Url = Field(
        default="", description="OpenTelemetry collector that traces are sent to, over HTTP; by default none are sent"
    )
    stop_seconds: float = Field(default=8.0, ge=0, le=3600, description="time allowed for a clean stop")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003  # pydantic's signature
        init_settings: PydanticBaseSettingsSource,
        *_: Any,
        **__: Any,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)

    def __repr__(self) -> str:
        """Without the secret and the database's password: this ends up in logs."""
        shown = (f"{name}={hidden(name, getattr(self, name))!r}" for name in FIELDS)
        return f"Settings({', '.join(shown)})"

    __str__ = __repr__


FIELDS: Final[Mapping[str, FieldInfo]] = Settings.model_fields
DEFAULTS: Final[Mapping[str, Value]] = {name: field.default for name, field in FIELDS.items()}


class Environment(EnvSettingsSource):
    """Reads a given environment, and numbers and switches only as the docs write them."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = {key: text for key, text in environ.items() if key.startswith(PREFIX) and key != CONFIG}
        super().__init__(Settings)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return {
            variable(_current(name)).lower(): self._environ[variable(name)]
            for name in (*RENAMED, *FIELDS)
            if _is_own(variable(name), self._environ.get(variable(name)))
        }

    def prepare_field_value(self, field_name: str, field: FieldInfo, value: Any, value_is_complex: bool) -> Any:
        return value if value is None else _parsed(type(DEFAULTS[field_name]), value)


class Loaded(NamedTuple):
    settings: Settings
    origins: dict[str, Origin]
    foreign: tuple[str, ...] = ()
    """Variables that start with LUDUS_ and are not ours; they are ignored."""


def config_file(environ: Mapping[str, str], folder: Path) -> Path | None:
    """The file that LUDUS_CONFIG names, or else `ludus.toml` in the folder if it exists."""
    if named := environ.get(CONFIG):
        return Path(named)
    return folder / FILE if (folder / FILE).exists() else None


def load(environ: Mapping[str, str], file: Path | None, given: Mapping[str, object]) -> Loaded:
    """The command line (`given`; None is not given) overrides the environment, which overrides the file."""
    sources: dict[Origin, Mapping[str, object]] = {
        "ludus.toml": _renamed(_read(file) if file else {}, "ludus.toml"),
        "environment": Environment(environ)(),
        "command line": _renamed({key: _plain(value) for key, value in given.items()}, "command line"),
    }
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = dict.fromkeys(FIELDS, "default")
    for origin, found in sources.items():
        _check(found, origin, environ)  # also what another source overrides
        values.update(found)
        origins.update(dict.fromkeys(found, origin))
    settings = Settings(**values)
    if settings.afk_warn_seconds >= settings.afk_seconds:
        both = " and ".join(
            f"{name} {getattr(settings, name)} ({origins[name]})" for name in ("afk_warn_seconds", "afk_seconds")
        )
        raise BadInput(f"{both}: the warning must come before the end")
    return Loaded(settings, origins, foreign_variables(environ))


def foreign_variables(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Others use our prefix too: Kubernetes describes a service called `ludus` in LUDUS_PORT and a dozen more."""
    own = {*map(variable, (*FIELDS, *RENAMED)), CONFIG, *(name for game in GAMES for name in adapter(game).variables)}
    return tuple(
        key for key, text in environ.items() if key.startswith(PREFIX) and not (key in own and _is_own(key, text))
    )


def nearest_variable(key: str) -> str | None:
    """The setting that a mistyped variable may have meant."""
    names = {name.upper(): variable(name) for name in FIELDS}
    found = difflib.get_close_matches(key.removeprefix(PREFIX).upper(), names, 1)
    return names[found[0]] if found else None


def _is_own(key: str, text: str | None) -> bool:
    return text is not None and not (key == variable("port") and KUBERNETES_PORT.match(text))


def _check(found: Mapping[str, Any], origin: Origin, environ: Mapping[str, str]) -> None:
    try:
        Settings(**found)
    except ValidationError as error:
        name = str(error.errors()[0]["loc"][0])
        raw = environ.get(variable(name), found[name]) if origin == "environment" else found[name]
        raise _invalid(name, raw, origin) from None


def _renamed(found: Mapping[str, object], origin: Origin) -> dict[str, object]:
    for key in found:
        if _current(key) not in FIELDS:
            raise _unknown(key, origin)
    return {_current(key): value for key, value in found.items() if value is not None}


def _current(name: str) -> str:
    return RENAMED.get(name, name)


def _plain(value: object) -> object:
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))  # pydantic's source would ignore the case of names
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # not UTF-8, or not TOML, or nested too deep
        raise BadInput(f"{file} is not TOML: {error}") from error


def _parsed(kind: type, text: str) -> Value:
    """The text itself where it isn't of this kind."""
    short = text.strip()
    if kind is bool:
        return WORDS.get(short.lower(), text)
    if kind is int and re.fullmatch(r"-?[0-9]{1,15}", short, re.ASCII):
        return int(short)
    if kind is float and re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", short, re.ASCII):
        return float(short)
    return text


def _unknown(key: str, origin: Origin) -> UnknownOption:
    return UnknownOption(f"there is no setting {key!r} ({origin}); there are {', '.join(FIELDS)}")


def _invalid(name: str, raw: object, origin: Origin) -> BadInput:
    """Secrets aren't repeated."""
    spelling = {"environment": variable(name), "command line": f"--{name.replace('_', '-')}"}.get(origin, name)
    given = "" if name in ("secret", "database", "bus") else f", not {raw!r}"
    return BadInput(f"{spelling} ({origin}) is {described(name)}{given}")


def variable(name: str) -> str:
    """The setting's name in the environment."""
    return f"{PREFIX}{name.upper()}"


def hidden(name: str, value: Value) -> Value:
    """The value as people may see it."""
    if name == "secret" and value:
        return HIDDEN
    return hide_password(str(value)) if name in ("database", "bus") else value


def hide_password(url: str) -> str:
    """The URL without its password and its query, which may hold one too."""
    scheme, mark, rest = url.partition("://")
    if not mark:
        return url
    place, question, query = rest.partition("?")
    if "@" in query:  # perhaps the ? is part of the password
        return f"{scheme}://{HIDDEN}"
    place = re.sub(r"^([^:]*):.*@", rf"\1:{HIDDEN}@", place, flags=re.DOTALL)
    return f"{scheme}://{place}{question}{HIDDEN if query else ''}"


def described(name: str) -> str:
    """The values a setting takes, in words."""
    field, kind = FIELDS[name], TYPES[type(DEFAULTS[name])]
    if choices := get_args(field.annotation):
        return f"{', '.join(choices[:-1])} or {choices[-1]}"
    marks = {type(mark): mark for mark in field.metadata}
    if Pattern in marks:
        return str(marks[Pattern].expected)
    return f"{kind} from {marks[Ge].ge} to {marks[Le].le}" if Le in marks else kind


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host; False for names, which can resolve to anything."""
    try:
        return host.lower() == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def refuse_weak_secret(settings: Settings) -> None:
    """Anyone who guesses the secret can play as anyone, so a server that others can reach needs a strong one."""
    problem = _weakness(settings.secret.strip())
    if problem and not is_loopback(settings.host):
        raise BadInput(
            f"{settings.host} can be reached from outside and the secret {problem}: set {variable('secret')}"
            " to what `openssl rand -hex 32` prints, or listen on 127.0.0.1"
        )


def _weakness(secret: str) -> str:
    """What is wrong with a secret; empty for one that doesn't look guessable."""
    if len(secret) < MIN_SECRET:
        return f"has {len(secret)} characters instead of at least {MIN_SECRET}" if secret else "is empty"
    if COMMON.search(secret):
        return "contains a word that is common in examples"
    steps = sum(abs(ord(one) - ord(other)) <= 1 for one, other in itertools.pairwise(secret))
    if len(set(secret)) < 8 or secret in (secret + secret)[1:-1] or 2 * steps > len(secret):
        return "repeats itself or counts up"
    return ""


def secret_of(settings: Settings) -> bytes:
    """The 32 bytes that sign tokens, from the secret or else from DATA/secret, which the first call creates."""
    refuse_weak_secret(settings)
    text = settings.secret.strip() or _kept(Path(settings.data) / "secret")
    return hashlib.sha256(text.encode(errors="surrogateescape")).digest()


def _kept(file: Path) -> str:
    try:
        if not file.exists():
            _create(file)
        text = file.read_text(encoding="ascii").strip()
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from error
    except ValueError:
        text = ""
    if len(text) < MIN_SECRET:
        raise BadInput(f"{file} holds no secret: remove it to get a new one; existing tokens then stop working")
    return text


def _create(file: Path) -> None:
    """Atomically, even if two processes do it at once; the first wins."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{os.urandom(8).hex()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write(f"{os.urandom(32).hex()}\n")
            out.flush()
            os.fsync(out.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(draft, file)
    finally:
        draft.unlink(missing_ok=True)
    _sync(file.parent)


def _sync(folder: Path) -> None:
    """Makes the folder's entries survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
