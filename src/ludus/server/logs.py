"""The log on standard error: one path for our lines and those of libraries, with secrets removed from all."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any, Final, TextIO

import structlog
from structlog.dev import ConsoleRenderer, plain_traceback
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict, Processor, WrappedLogger

about = structlog.contextvars.bound_contextvars
"""`with about(request=…, table=…)`: every line logged inside carries these ids."""

REDACTED: Final = "[redacted]"
MAX_DEPTH: Final = 32
SECRET_NAME: Final = re.compile(
    "(?i:token|secret|authorization|passw|cookie|credential)|(?:[kK]ey|KEY)s?(?![a-z])",
)
SECRET_WORD: Final = "(?:token|secret|passw(?:or[dt]|d)?|credential|key)s?"
NAMED: Final = rf"(?<![\w-])[\w-]*{SECRET_WORD}\\*['\"]?\s*(?:=|:|%3d|(?<=['\"]),)\s*b?\\*"
"""`token=`, `"apiKey": ` or `('secret', `; it starts at a word boundary, so that long words cost little."""
VALUE: Final = r"""'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|['\"]?[^\s&;,'\")}\]]+"""
SECRETS: Final = (
    (r"(?i)((?:authorization|cookie)\\*['\"]?\s*[:=,]\s*b?\\*['\"]?)[^'\"\r\n]+", rf"\1{REDACTED}"),
    (r"(?i)\bbearer(?:\s|%20|\+)+[^\s'\",;]+", f"Bearer {REDACTED}"),
    (r"eyJ[\w-]{8,}(?:\.[\w-]*)*", REDACTED),  # a JSON Web Token, or the start of one
    (r"(ludus_(?:live|test)_|whsec_)[\w+/=-]+", rf"\1{REDACTED}"),
    (r"(://[^\s:]*):\S{1,1024}@", rf"\1:{REDACTED}@"),
    (rf"(?i)({NAMED})(?:{VALUE})", rf"\1{REDACTED}"),
)
PATTERNS: Final = tuple((re.compile(pattern), instead) for pattern, instead in SECRETS)
CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
SEVERAL_LINES: Final = frozenset({"exception", "stack", "stack_info"})


def open_logs(level: str, form: str, stream: TextIO) -> None:
    """Sends every log line of this process to the stream, as `text` or `json`; may be called again."""
    first: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*first, structlog.processors.StackInfoRenderer(), ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    handler = LogStream(stream)
    last = [ProcessorFormatter.remove_processors_meta, redact, *_rendering(form, stream)]
    handler.setFormatter(ProcessorFormatter(processors=last, foreign_pre_chain=first))
    _take_over(level, handler)


def _rendering(form: str, stream: TextIO) -> list[Processor]:
    if form == "json":
        return [structlog.processors.JSONRenderer(ensure_ascii=False)]
    return [escape_controls, ConsoleRenderer(colors=stream.isatty(), exception_formatter=plain_traceback)]


def _take_over(level: str, handler: logging.Handler) -> None:
    """Replaces all other handlers of `logging`."""
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in ("engineio.server", "socketio.server"):  # else they add handlers of their own
        logging.getLogger(name).setLevel(logging.ERROR)
    logging.getLogger("asyncpg.pool").setLevel(logging.ERROR)  # else a traceback a second while the database is away
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "engineio.server", "socketio.server"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    logging.getLogger("uvicorn.error").addFilter(play_down)


def play_down(record: logging.LogRecord) -> bool:
    """Text that isn't UTF-8 is the client's fault: one line, where uvicorn logs a traceback."""
    if record.levelno == logging.ERROR and str(record.msg).startswith("Invalid UTF-8"):
        record.levelno, record.levelname, record.exc_info = logging.INFO, "INFO", None
    return record.levelno >= logging.getLogger().level


class LogStream(logging.StreamHandler[TextIO]):
    """Reports that a line failed, without the line: `logging` would print it with its secrets."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        self.stream.write(f"a line of {record.name} could not be logged\n")


def redact(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Removes secrets from a line: by the names of its values, and by patterns in its texts."""
    return {key: REDACTED if SECRET_NAME.search(key) else _clean(value) for key, value in event.items()}


def scrubbed(text: str) -> str:
    """The text without tokens, keys and passwords."""
    for pattern, instead in PATTERNS:
        text = pattern.sub(instead, text)
    return text


def escape_controls(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    r"""Writes control characters as `\x1b`, so that no name can forge a line or move the cursor."""
    return {key: _escaped(key, value) if isinstance(value, str) else value for key, value in event.items()}


def _escaped(key: str, value: str) -> str:
    value = CONTROL.sub(lambda match: repr(match[0])[1:-1], value)
    return value if key in SEVERAL_LINES else value.replace("\n", "\\n").replace("\t", "\\t")


def _clean(value: Any, depth: int = 0) -> Any:
    """A copy made of dicts, lists, texts and numbers."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return scrubbed(value)
    if isinstance(value, bytes | bytearray):
        return scrubbed(value.decode(errors="backslashreplace"))
    if isinstance(value, Mapping | list | tuple | set | frozenset):
        return _clean_parts(value, depth + 1) if depth < MAX_DEPTH else "[too deep]"
    try:
        return scrubbed(repr(value))
    except Exception as error:
        return f"<a {type(value).__name__} whose repr raised {type(error).__name__}>"


def _clean_parts(value: Any, depth: int) -> Any:
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {
            _name(key): REDACTED if SECRET_NAME.search(_name(key)) else _clean(each, depth)
            for key, each in value.items()
        }
    parts = [_clean(each, depth) for each in value]
    if len(parts) == 2 and isinstance(parts[0], str) and SECRET_NAME.search(parts[0]):  # a header
        parts[1] = REDACTED
    return parts


def _name(key: object) -> str:
    return str(_clean(key))
