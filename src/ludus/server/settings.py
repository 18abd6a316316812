"""What an operator can choose: the settings, where each came from, and the platform's secret."""

from __future__ import annotations

import contextlib
import hashlib
import ipaddress
import itertools
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, cast

from ludus.core.errors import BadInput, UnknownOption

Value = str | int | float | bool
Origin = Literal["default", "environment", "ludus.toml", "command line"]

PREFIX: Final = "LUDUS_"
CONFIG: Final = "LUDUS_CONFIG"
FILE: Final = "ludus.toml"
HIDDEN: Final = "•••"
WEEK: Final = 7 * 24 * 3600
WORDS: Final = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
ENOUGH: Final = 32
"""Characters of a secret that is not too short."""
COMMON: Final = re.compile(
    "change.?me|password|secret|example|default|replace|insecure|placeholder|qwerty", re.IGNORECASE
)
KINDS: Final = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


class Allowed(NamedTuple):
    """What a setting means and which values it takes; numbers have bounds, texts choices or a pattern."""

    meaning: str
    least: float = 0
    most: float = 0
    choices: tuple[str, ...] = ()
    pattern: str = ""
    wanted: str = ""
    """The pattern in words."""


def _setting(default: Value, allowed: Allowed) -> Any:
    return field(default=default, metadata={"allowed": allowed})


def _text(default: str, meaning: str, pattern: str = "", wanted: str = "") -> Any:
    return _setting(default, Allowed(meaning, pattern=pattern, wanted=wanted))


def _one_of(default: str, choices: tuple[str, ...], meaning: str) -> Any:
    return _setting(default, Allowed(meaning, choices=choices))


def _number(default: float, least: float, most: float, meaning: str) -> Any:
    return _setting(default, Allowed(meaning, least=least, most=most))


def _switch(default: bool, meaning: str) -> Any:
    return _setting(default, Allowed(meaning))


@dataclass(frozen=True, slots=True, repr=False)
class Settings:
    host: str = _text("127.0.0.1", "address to listen on", r"\S+", "a host name or an address")
    port: int = _number(8000, 0, 65535, "port to listen on; 0 picks a free one")
    proxies: str = _text("", "addresses of proxies, between commas, that are believed when they say who asks")
    data: str = _text("ludus-data", "folder of the database and of the secret", r"[^\0]+", "the path of a folder")
    database: str = _text(
        "",
        "where games are kept; empty is a SQLite file in `data`",
        r"|sqlite:[^\0]+|postgresql://\S+",
        "empty, `sqlite:PATH` or `postgresql://…`",
    )
    secret: str = _text("", "signs the tokens; empty, on loopback only, makes one and keeps it in `data`")
    guests: bool = _switch(True, "whether people may play without a session")
    afk_warn_seconds: float = _number(60.0, 0.01, WEEK, "idle time of a player until a warning")
    afk_seconds: float = _number(90.0, 0.01, WEEK, "idle time of a player until the game is lost")
    reconnect_seconds: float = _number(60.0, 0.01, WEEK, "time a player has to come back")
    session_seconds: float = _number(300.0, 0.01, WEEK, "time a session waits to be joined, and life of its token")
    room_code_seconds: float = _number(600.0, 0.01, WEEK, "time a room code is good for")
    fast_turn_seconds: float = _number(900.0, 0.01, WEEK, "time an agent has for a turn in the fast lane")
    standard_turn_seconds: float = _number(3900.0, 0.01, WEEK, "time an agent has for a turn in the standard lane")
    fast_queue_seconds: float = _number(1200.0, 0.01, WEEK, "time an agent waits in the fast lane's queue")
    standard_queue_seconds: float = _number(3900.0, 0.01, WEEK, "time an agent waits in the standard lane's queue")
    lonely_seconds: float = _number(20.0, 0, WEEK, "time an agent waits for another until it meets a bot; 0 is never")
    most_refusals: int = _number(20, 1, 1_000_000, "refused actions in one match by which an agent forfeits it")
    registrations: int = _number(200, 1, 1_000_000, "agents that one address may register in an hour")
    agent_rate_limit: int = _number(600, 1, 1_000_000, "requests a minute for one agent")
    open_seats: str = _text(
        "test,training",
        "modes of sessions in which people may meet agents, between commas",
        r"|(live|test|training)(,(live|test|training))*",
        "empty, or some of live, test, training between commas",
    )
    public_url: str = _text(
        "",
        "where the platform is reached from outside, for links; empty is where a request came to",
        r"|https?://[^\s/?#]+",
        "empty, or http(s)://host without a path",
    )
    bot_pause: float = _number(1.0, 0, 100, "scale of the bots' pauses; 0 is none")
    bot_workers: int = _number(1, 1, 256, "processes in which bots think")
    players: str = _text(
        "",
        "bots of your own beside the levels, between commas: a name, `=`, a policy file, weights or `module:function`",
        r"|[^=\0]+=[^=,\0]+(,[^=\0]+=[^=,\0]+)*",
        "empty, or NAME=FILE.npz and NAME=module:function between commas",
    )
    rate_limit: int = _number(60, 1, 1_000_000, "REST requests a minute for one key")
    max_sockets: int = _number(64, 1, 1_000_000, "sockets open at once from one address")
    max_events: int = _number(1000, 1, 1_000_000, "socket events a second from one client")
    max_body: int = _number(65536, 256, 1 << 30, "bytes of a REST request at most")
    max_frame: int = _number(16384, 256, 1 << 30, "bytes of a socket message at most")
    webhook_retries: int = _number(3, 0, 100, "times a failed webhook is tried again")
    webhook_pause_seconds: float = _number(5.0, 0, WEEK, "pause before the first retry; later ones are longer")
    webhook_days: int = _number(30, 0, 36500, "days for which delivered and dead webhooks are kept; 0 is for ever")
    webhook_prefix: str = _text(
        "Ludus",
        "what stands after `X-` in the names of the webhooks' headers",
        r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*",
        "letters and digits, with hyphens between them",
    )
    webhook_private: bool = _switch(False, "whether webhooks may go to private addresses")
    log_level: str = _one_of("info", ("debug", "info", "warning", "error"), "least level that is logged")
    log_format: str = _one_of("text", ("text", "json"), "form of the log, on standard error")
    stop_seconds: float = _number(8.0, 0, 3600, "time the server gives itself to stop")

    def __repr__(self) -> str:
        """Without the secret and the database's password, since this gets into logs."""
        return f"Settings({', '.join(f'{name}={hidden(name, getattr(self, name))!r}' for name in ALLOWED)})"


ALLOWED: Final[Mapping[str, Allowed]] = {each.name: each.metadata["allowed"] for each in fields(Settings)}
"""Every setting by name."""
DEFAULTS: Final[Mapping[str, Value]] = {each.name: cast("Value", each.default) for each in fields(Settings)}


class Loaded(NamedTuple):
    settings: Settings
    origins: dict[str, Origin]


def config_file(environ: Mapping[str, str], folder: Path) -> Path | None:
    """The file that LUDUS_CONFIG names, or else `ludus.toml` in the folder, if it is there."""
    if named := environ.get(CONFIG):
        return Path(named)
    return folder / FILE if (folder / FILE).exists() else None


def load(environ: Mapping[str, str], file: Path | None, given: Mapping[str, object]) -> Loaded:
    """The command line (`given`; None is not given) goes before the environment, that before the file."""
    values: dict[str, Value] = dict(DEFAULTS)
    origins: dict[str, Origin] = dict.fromkeys(DEFAULTS, "default")
    for origin, name, spelling, raw in _sources(environ, file, given):
        values[name] = _checked(name, raw, f"{spelling} ({origin})")
        origins[name] = origin
    settings = Settings(**cast("Any", values))
    if settings.afk_warn_seconds >= settings.afk_seconds:
        told = " and ".join(f"{name} {values[name]} ({origins[name]})" for name in ("afk_warn_seconds", "afk_seconds"))
        raise BadInput(f"{told}: the warning must come before the end")
    return Loaded(settings, origins)


def variable(name: str) -> str:
    """The setting's name in the environment."""
    return f"{PREFIX}{name.upper()}"


def hidden(name: str, value: Value) -> Value:
    """The value as people may see it."""
    if name == "secret" and value:
        return HIDDEN
    return hide_password(str(value)) if name == "database" else value


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
    """Which values a setting takes, in words."""
    allowed = ALLOWED[name]
    if allowed.choices:
        return f"{', '.join(allowed.choices[:-1])} or {allowed.choices[-1]}"
    kind = KINDS[type(DEFAULTS[name])]
    return f"{kind} from {allowed.least} to {allowed.most}" if allowed.most else allowed.wanted or kind


def _sources(
    environ: Mapping[str, str], file: Path | None, given: Mapping[str, object]
) -> Iterator[tuple[Origin, str, str, object]]:
    """Each value with its origin and the name of its setting, here and there; later ones go before earlier ones."""
    for key, value in _read(file).items() if file else ():
        yield "ludus.toml", _known(key, key, "ludus.toml"), key, value
    variables = {variable(name): name for name in ALLOWED}
    for key, text in environ.items():
        if key.startswith(PREFIX) and key != CONFIG:
            yield "environment", _known(variables.get(key, key), key, "environment"), key, Written(text)
    for key, value in given.items():
        if value is not None:
            yield "command line", _known(key, key, "command line"), f"--{key.replace('_', '-')}", value


class Written(str):
    """A value that came as text, whatever it stands for."""


def _known(name: str, spelling: str, origin: Origin) -> str:
    if name not in ALLOWED:
        raise UnknownOption(f"there is no setting {spelling!r} ({origin}); there are {', '.join(ALLOWED)}")
    return name


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}") from error
    except ValueError as error:  # not UTF-8, or not TOML
        raise BadInput(f"{file} is not TOML: {error}") from error


def _checked(name: str, raw: object, where: str) -> Value:
    """The value in the setting's own type, if it is one that is allowed; secrets are not repeated in the complaint."""
    value = _converted(type(DEFAULTS[name]), raw)
    if value is None or not _fits(ALLOWED[name], value):
        said = "" if name in ("secret", "database") else f", not {raw!r}"
        raise BadInput(f"{where} is {described(name)}{said}")
    return value


def _converted(kind: type, raw: object) -> Value | None:
    """None for what is not of this kind."""
    if isinstance(raw, Written) and kind is not str:
        return _parsed(kind, raw.strip())
    if kind is str and isinstance(raw, str | os.PathLike):
        return str(os.fspath(raw))
    if kind is float and type(raw) is int:
        return float(raw)
    return cast("Value", raw) if type(raw) is kind else None


def _parsed(kind: type, text: str) -> Value | None:
    if kind is bool:
        return WORDS.get(text.lower())
    if not re.fullmatch(r"-?[0-9]{1,15}" if kind is int else r"-?[0-9]{1,15}(\.[0-9]{1,15})?", text, re.ASCII):
        return None
    return cast("Value", kind(text))


def _fits(allowed: Allowed, value: Value) -> bool:
    if isinstance(value, str):
        if allowed.choices:
            return value in allowed.choices
        return not allowed.pattern or re.fullmatch(allowed.pattern, value) is not None
    return isinstance(value, bool) or allowed.least <= value <= allowed.most


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host; False for a name that somebody could have given another meaning."""
    try:
        return host.lower() == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def refuse_weak_secret(settings: Settings) -> None:
    """Whoever guesses the secret can play as anybody, so a server that others can reach needs a good one."""
    problem = _weakness(settings.secret.strip())
    if problem and not is_loopback(settings.host):
        raise BadInput(
            f"{settings.host} can be reached from outside and the secret {problem}: set {variable('secret')}"
            " to what `openssl rand -hex 32` prints, or listen on 127.0.0.1"
        )


def _weakness(secret: str) -> str:
    """What is wrong with a secret; empty for one that does not look guessable."""
    if len(secret) < ENOUGH:
        return f"has {len(secret)} characters of at least {ENOUGH}" if secret else "is empty"
    if COMMON.search(secret):
        return "contains a word of examples"
    steps = sum(abs(ord(one) - ord(other)) <= 1 for one, other in itertools.pairwise(secret))
    if len(set(secret)) < 8 or secret in (secret + secret)[1:-1] or 2 * steps > len(secret):
        return "repeats itself or counts up"
    return ""


def secret_of(settings: Settings) -> bytes:
    """32 bytes that sign the tokens, from the secret or else from DATA/secret, which the first call makes."""
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
    if len(text) < ENOUGH:
        raise BadInput(f"{file} holds no secret: remove it, and a new one is made; tokens given out before end with it")
    return text


def _create(file: Path) -> None:
    """The file appears whole or not at all, also when two processes make it at once; the first wins."""
    file.parent.mkdir(parents=True, exist_ok=True)
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
    """Makes the names in a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
