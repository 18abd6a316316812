"""The log on standard error: one path for our lines and those of libraries, with secrets removed from all."""

from __future__ import annotations

import logging
import re
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from time import monotonic
from typing import Any, Final, NamedTuple, TextIO

import structlog
from structlog.dev import ConsoleRenderer, plain_traceback
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict, Processor, WrappedLogger

from ludus.service.ports.store import Unavailable

about = structlog.contextvars.bound_contextvars
"""`with about(request=…, table=…)`: every line logged inside carries these ids."""

REDACTED: Final = "[redacted]"
MAX_DEPTH: Final = 32
SECRET_NAME: Final = re.compile(
    "(?i:token|secret|authorization|passw|cookie|credential)|(?:[kK]ey|KEY)s?(?![a-z])",
)
SECRET_WORD: Final = "(?:token|secret|passw(?:or[dt]|d)?|credential|key)s?"  # noqa: S105  # a pattern
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
ACCESS: Final = "ludus.access"
"""The logger with a line for each request, whose text is always the same."""
PAUSE_SECONDS: Final = 1.0
"""Between two lines of one cause."""
CALM_SECONDS: Final = 60.0
"""A cause that was not seen for this long counts as new, and gets a traceback again."""
MAX_CAUSES: Final = 1000
CLIENTS_FAULTS: Final = ("Invalid HTTP request", "Unsupported upgrade request")
SEVERAL_LINES: Final = frozenset({"exception", "stack", "stack_info"})


class Cause(NamedTuple):
    """What lines with the same meaning have in common."""

    logger: str
    text: str
    error: type[BaseException] | None


class Admission(NamedTuple):
    is_first: bool
    suppressed: int
    """How many lines of the same cause were not written since the last one."""


class Throttle:
    """Admits one line a second of each cause, and one traceback in a row."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._seen: OrderedDict[Cause, tuple[float, float, int]] = OrderedDict()
        """When a line was last written and last asked for, and how many were suppressed; by cause."""

    def admit(self, cause: Cause) -> Admission | None:
        """None if the line is not to be written."""
        now = self._clock()
        written, asked, suppressed = self._seen.pop(cause, (-CALM_SECONDS, -CALM_SECONDS, 0))
        is_first = now - asked >= CALM_SECONDS
        if not is_first and now - written < PAUSE_SECONDS:
            self._seen[cause] = written, now, suppressed + 1
            return None
        self._seen[cause] = now, now, 0
        while len(self._seen) > MAX_CAUSES:
            self._seen.popitem(last=False)
        return Admission(is_first, suppressed)

    def overdue(self) -> Iterator[tuple[Cause, int]]:
        """Causes whose last lines were suppressed a while ago, with their numbers; each is returned once."""
        now = self._clock()
        for cause, (written, asked, suppressed) in list(self._seen.items()):
            if suppressed and now - asked >= PAUSE_SECONDS:
                self._seen[cause] = written, asked, 0
                yield cause, suppressed

    def process(self, logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
        """For structlog, before anything is rendered."""
        if method == "debug" or logger.name == ACCESS:
            return event
        error = _error_in(event.get("exc_info"))
        admission = self.admit(Cause(logger.name, str(event["event"]), type(error) if error else None))
        if admission is None:
            raise structlog.DropEvent
        if error is not None and not _has_traceback(error, admission):
            del event["exc_info"]
            event["error"] = _in_a_line(error)
        if admission.suppressed:
            event["suppressed"] = admission.suppressed
        return event

    def filter(self, record: logging.LogRecord) -> bool:
        """For the records of `logging`; those of structlog were processed before."""
        if isinstance(record.msg, dict) or record.levelno < logging.INFO:
            return True
        error = record.exc_info[1] if record.exc_info else None
        text = str(record.msg).partition("\n")[0]  # asyncio adds the task, which is different every time
        admission = self.admit(Cause(record.name, text, type(error) if error else None))
        if admission is None:
            return False
        if error is not None and not _has_traceback(error, admission):
            record.msg, record.args = f"{record.getMessage()}: {_in_a_line(error)}", ()
            record.exc_info = record.exc_text = None
        if admission.suppressed:
            record.msg, record.args = f"{record.getMessage()} ({admission.suppressed} more like this)", ()
        return True


def _error_in(exc_info: object) -> BaseException | None:
    if isinstance(exc_info, BaseException):
        return exc_info
    found = exc_info[1] if isinstance(exc_info, tuple) else sys.exc_info()[1] if exc_info else None
    return found if isinstance(found, BaseException) else None


def _has_traceback(error: BaseException, admission: Admission) -> bool:
    """A failing store isn't a bug."""
    return admission.is_first and not isinstance(error, Unavailable)


def _in_a_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def open_logs(level: str, form: str, stream: TextIO, process: str = "") -> None:
    """Sends the log lines of this process to the stream, as `text` or `json`; may be called again.

    `process` is in each line, where several processes write to one stream.
    """
    throttle = Throttle()

    def name_process(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        return {**event, "process": process} if process else event

    first: list[Processor] = [
        name_process,
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    last_of_ours: list[Processor] = [structlog.processors.StackInfoRenderer(), ProcessorFormatter.wrap_for_formatter]
    structlog.configure(
        processors=[throttle.process, *first, *last_of_ours],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    handler = LogStream(stream, throttle)
    handler.addFilter(throttle.filter)
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
    """What isn't HTTP or UTF-8 is the client's fault, and counted; uvicorn logs a line or a traceback."""
    if record.levelno == logging.WARNING and str(record.msg).startswith(CLIENTS_FAULTS):
        record.levelno, record.levelname = logging.DEBUG, "DEBUG"
    if record.levelno == logging.ERROR and str(record.msg).startswith("Invalid UTF-8"):
        record.levelno, record.levelname, record.exc_info = logging.INFO, "INFO", None
    return record.levelno >= logging.getLogger().level


class LogStream(logging.StreamHandler[TextIO]):
    """Reports that a line failed, without the line: `logging` would print it with its secrets."""

    def __init__(self, stream: TextIO, throttle: Throttle) -> None:
        super().__init__(stream)
        self._throttle = throttle

    def emit(self, record: logging.LogRecord) -> None:
        """First come the numbers of lines that were suppressed before."""
        for cause, number in self._throttle.overdue():
            text = f"{cause.text} ({number} more like this)"
            super().emit(logging.LogRecord(cause.logger, logging.WARNING, "", 0, text, (), None))
        super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # logging's name
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
