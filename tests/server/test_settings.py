"""Settings come from four places, and nothing wrong or unknown gets past."""

from __future__ import annotations

import os
import random
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ludus.cli.config import written
from ludus.core.errors import BadInput, LudusError, UnknownOption
from ludus.server.settings import (
    DEFAULTS,
    FIELDS,
    Settings,
    config_file,
    described,
    hidden,
    hide_password,
    is_loopback,
    load,
    nearest_variable,
    refuse_weak_secret,
    secret_of,
    variable,
)

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "settings.md"
STRONG = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"


def toml(folder: Path, text: str) -> Path:
    file = folder / "ludus.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_without_anything_every_setting_is_its_default() -> None:
    loaded = load({}, None, {})
    assert loaded.settings == Settings()
    assert set(loaded.origins.values()) == {"default"}
    assert set(loaded.origins) == set(FIELDS)


def test_the_command_line_goes_before_the_environment_and_that_before_the_file(tmp_path: Path) -> None:
    file = toml(tmp_path, 'port = 1\nhost = "file"\ndata = "file"\n')
    settings, origins, _ = load({"LUDUS_PORT": "2", "LUDUS_HOST": "environment"}, file, {"port": 3})
    assert (settings.port, settings.host, settings.data) == (3, "environment", "file")
    assert [origins[name] for name in ("port", "host", "data")] == ["command line", "environment", "ludus.toml"]


def test_what_the_command_line_leaves_open_is_not_given() -> None:
    settings, origins, _ = load({"LUDUS_PORT": "2"}, None, {"port": None})
    assert (settings.port, origins["port"]) == (2, "environment")


def test_a_path_may_be_given_as_a_path() -> None:
    assert load({}, None, {"data": Path("games")}).settings.data == "games"


@pytest.mark.parametrize(("name", "text", "value"), [
    ("port", " 9000 ", 9000),
    ("guests", "no", False),
    ("guests", "TRUE", True),
    ("webhook_private", "1", True),
    ("afk_seconds", "75.5", 75.5),
    ("afk_seconds", "75", 75.0),
    ("bot_pause", "0", 0.0),
    ("database", "postgresql://ludus@db/ludus", "postgresql://ludus@db/ludus"),
    ("database", "", ""),
    ("log_format", "json", "json"),
    ("webhook_prefix", "Beta-Gamer", "Beta-Gamer"),
])  # fmt: skip
def test_the_environment_is_read_in_the_type_of_the_setting(name: str, text: str, value: object) -> None:
    found = getattr(load({variable(name): text}, None, {}).settings, name)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(("name", "text", "wanted"), [
    ("port", "http", "a whole number from 0 to 65535, not 'http'"),
    ("port", "80.0", "a whole number"),
    ("port", "", "a whole number"),
    ("port", "65536", "from 0 to 65535"),
    ("port", "-1", "from 0 to 65535"),
    ("port", "٣", "a whole number"),
    ("port", "1_000", "a whole number"),
    ("afk_seconds", "nan", "a number from"),
    ("afk_seconds", "inf", "a number from"),
    ("afk_seconds", "0", "a number from 0.01"),
    ("guests", "maybe", "true or false"),
    ("log_level", "loud", "debug, info, warning or error"),
    ("log_format", "xml", "text or json"),
    ("host", "", "a host name"),
    ("data", "", "a folder"),
    ("database", "mysql://db", "`sqlite:PATH` or `postgresql://"),
    ("webhook_prefix", "X:\r\nEvil", "letters and digits"),
])  # fmt: skip
def test_a_value_that_is_not_allowed_is_named_with_its_origin(name: str, text: str, wanted: str) -> None:
    with pytest.raises(BadInput) as caught:
        load({variable(name): text}, None, {})
    assert str(caught.value).startswith(f"{variable(name)} (environment) is ")
    assert wanted in str(caught.value)


@pytest.mark.parametrize("line", [
    'port = "8000"', "port = 8000.0", "port = true", "guests = 1", 'guests = "yes"', "afk_seconds = inf",
    "afk_seconds = nan", "host = 1", "data = ['x']", "log_level = 2000-01-01",
])  # fmt: skip
def test_the_file_does_not_take_one_type_for_another(tmp_path: Path, line: str) -> None:
    with pytest.raises(BadInput, match=rf"^{line.split()[0]} \(ludus\.toml\) is "):
        load({}, toml(tmp_path, line), {})


def test_a_whole_number_does_for_a_number(tmp_path: Path) -> None:
    assert load({}, toml(tmp_path, "afk_seconds = 100"), {}).settings.afk_seconds == 100.0


def test_a_setting_that_does_not_exist_is_refused_in_the_file_and_on_the_command_line(tmp_path: Path) -> None:
    with pytest.raises(UnknownOption, match=r"'server' \(ludus\.toml\); there are host, port, "):
        load({}, toml(tmp_path, "[server]\nport = 1\n"), {})
    with pytest.raises(UnknownOption, match=r"'PORT' \(ludus\.toml\)"):
        load({}, toml(tmp_path, "PORT = 1"), {})
    with pytest.raises(UnknownOption, match=r"'prot' \(command line\)"):
        load({}, None, {"prot": 1})


KUBERNETES = {
    "LUDUS_SERVICE_HOST": "10.96.0.7",
    "LUDUS_PORT": "tcp://10.96.0.7:8000",
    "LUDUS_PORT_8000_TCP_PROTO": "tcp",
}
"""What every container gets in a namespace with a service called `ludus`."""


def test_variables_of_others_are_listed_and_ignored() -> None:
    environ = {"LUDUS_PROT": "1", "LUDUS_port": "1", "LUDUS_LIVE_KEY": "x", **KUBERNETES}
    loaded = load({**environ, "LUDUS_HOST": "::1", "LUDUS_CONFIG": "x", "LUDUS_ENDGAMES": "/"}, None, {})
    assert loaded.foreign == tuple(environ)
    assert loaded.settings == Settings(host="::1")
    assert loaded.origins["port"] == "default"


@pytest.mark.parametrize(("key", "nearest"), [
    ("LUDUS_PROT", "LUDUS_PORT"),
    ("LUDUS_port", "LUDUS_PORT"),
    ("LUDUS_BOT_WORKER", "LUDUS_BOT_WORKERS"),
    ("LUDUS_XYZZY", None),
])  # fmt: skip
def test_the_nearest_variable_is_known(key: str, nearest: str | None) -> None:
    assert nearest_variable(key) == nearest


def test_a_value_that_is_overridden_is_checked_too(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"^port \(ludus\.toml\) is a whole number"):
        load({"LUDUS_PORT": "2"}, toml(tmp_path, 'port = "one"'), {})
    with pytest.raises(BadInput, match=r"^LUDUS_PORT \(environment\) is a whole number"):
        load({"LUDUS_PORT": "two"}, None, {"port": 3})


def test_a_path_need_not_be_utf_8() -> None:
    folder = os.fsdecode(b"/srv/caf\xe9")
    assert load({"LUDUS_DATA": folder}, None, {}).settings.data == folder


def test_the_old_name_of_a_setting_works_for_one_more_version(tmp_path: Path) -> None:
    for loaded in (
        load({"LUDUS_LONELY_SECONDS": "5"}, None, {}),
        load({}, toml(tmp_path, "lonely_seconds = 5"), {}),
        load({}, None, {"lonely_seconds": 5}),
    ):
        assert loaded.settings.bot_fallback_seconds == 5.0
    with pytest.raises(BadInput, match=r"^LUDUS_BOT_FALLBACK_SECONDS \(environment\) is a number from 0"):
        load({"LUDUS_LONELY_SECONDS": "soon"}, None, {})


def test_other_variables_are_ignored() -> None:
    assert load({"HOME": "/", "PORT": "x", "LUDUS_CONFIG": "elsewhere.toml"}, None, {}).settings == Settings()


@pytest.mark.parametrize("text", ["port =", "port = 1\nport = 2", "\x00", "port = " + "[" * 5000], ids=range(4))
def test_a_file_that_is_not_toml_is_refused_by_name(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match=r"ludus\.toml is not TOML"):
        load({}, toml(tmp_path, text), {})


def test_a_file_that_cannot_be_read_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere\.toml: No such file"):
        load({}, tmp_path / "nowhere.toml", {})
    (tmp_path / "latin").write_bytes(b'host = "\xe9"')
    with pytest.raises(BadInput, match="latin is not TOML"):
        load({}, tmp_path / "latin", {})


def test_the_file_is_the_one_in_the_folder_unless_another_is_named(tmp_path: Path) -> None:
    assert config_file({}, tmp_path) is None
    file = toml(tmp_path, "")
    assert config_file({}, tmp_path) == file
    assert config_file({"LUDUS_CONFIG": "other.toml"}, tmp_path) == Path("other.toml")


def test_the_warning_must_come_before_the_end() -> None:
    with pytest.raises(BadInput, match=r"afk_warn_seconds 60\.0 \(default\) and afk_seconds 5\.0 \(environment\)"):
        load({"LUDUS_AFK_SECONDS": "5"}, None, {})


@given(st.sampled_from(sorted(FIELDS)), st.text() | st.from_regex(r"-?[0-9]+(\.[0-9]+)?"))
@example("port", "9" * 5000)
def test_whatever_the_environment_says_is_taken_or_refused(name: str, text: str) -> None:
    try:
        found = getattr(load({variable(name): text}, None, {}).settings, name)
    except LudusError as error:
        assert variable(name) in str(error) or "afk" in name
    else:
        assert type(found) is type(DEFAULTS[name])


@pytest.mark.parametrize("name", FIELDS)
def test_every_setting_is_documented_with_its_default_range_and_meaning(name: str) -> None:
    row = f"| `{name}` | `{written(DEFAULTS[name])}` | {described(name)} | {FIELDS[name].description} |"
    assert row in PAGE.read_text(encoding="utf-8").splitlines()


def test_no_default_is_out_of_its_own_range() -> None:
    assert load({}, None, DEFAULTS).settings == Settings()


def test_settings_never_show_their_secrets() -> None:
    settings = Settings(
        secret=STRONG, database="postgresql://ludus:hunter2@db/ludus", bus="redis://ludus:hunter2@cache"
    )
    assert STRONG not in f"{settings} {settings!r}"
    assert "hunter2" not in f"{settings} {settings!r}"
    assert "port=8000" in repr(settings)


def test_a_refused_secret_is_not_repeated(tmp_path: Path) -> None:
    for line in ("secret = 31415926535", 'database = "mysql://root:31415926535@db"'):
        with pytest.raises(BadInput) as caught:
            load({}, toml(tmp_path, line), {})
        assert "31415926535" not in str(caught.value)


@pytest.mark.parametrize(("url", "seen"), [
    ("postgresql://ludus:pass@db:5432/ludus", "postgresql://ludus:•••@db:5432/ludus"),
    ("postgresql://ludus:p@ss:w@db/ludus", "postgresql://ludus:•••@db/ludus"),
    ("postgresql://:pass@db/ludus", "postgresql://:•••@db/ludus"),
    ("postgresql://ludus@db/ludus", "postgresql://ludus@db/ludus"),
    ("postgresql://db/ludus?user=u&password=pass", "postgresql://db/ludus?•••"),
    ("postgresql://ludus:pa?ss@db/ludus", "postgresql://•••"),
    ("postgresql://u:x@db/ludus?password=a@pass", "postgresql://•••"),
    ("postgresql://a/b:pass@db/ludus", "postgresql://a/b:•••@db/ludus"),
    ("sqlite:games.db", "sqlite:games.db"),
    ("", ""),
])  # fmt: skip
def test_a_database_is_shown_without_its_password(url: str, seen: str) -> None:
    assert hide_password(url) == seen == hidden("database", url)


@given(st.text(min_size=1).map("pw".__add__))
def test_no_password_shows_in_a_database_url(password: str) -> None:
    assert password not in hide_password(f"postgresql://ludus:{password}@db/ludus")


@pytest.mark.parametrize(("host", "local"), [
    ("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("localhost", True), ("LocalHost", True),
    ("0.0.0.0", False), ("::", False), ("10.0.0.1", False), ("localhost.example", False), ("127.0.0.1.example", False),
    ("", False), ("127.1", False),
])  # fmt: skip
def test_loopback_is_what_only_this_machine_reaches(host: str, local: bool) -> None:
    assert is_loopback(host) is local


@pytest.mark.parametrize(("secret", "problem"), [
    ("", "is empty"),
    ("   ", "is empty"),
    (STRONG[:31], "has 31 characters instead of at least 32"),
    (STRONG[:20] + " " * 40, "has 20 characters"),
    ("change-me-0x9f86d081884c7d659a2feaa0", "a word that is common in examples"),
    ("MySecret9f86d081884c7d659a2feaa0c55a", "a word that is common in examples"),
    ("a" * 64, "repeats itself"),
    ("9f86d0814c7a" * 3, "repeats itself"),
    ("axqaqxmaqxaamqqaxqamxaqaxmqxaaqxamqx", "repeats itself"),
    ("abcdefghijklmnopqrstuvwxyz0123456789", "counts up"),
    ("0123456789" * 3 + "01", "counts up"),
])  # fmt: skip
def test_a_weak_secret_is_refused_except_on_loopback(secret: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem) as caught:
        refuse_weak_secret(Settings(host="0.0.0.0", secret=secret))
    assert "LUDUS_SECRET" in str(caught.value)
    assert not secret.strip() or secret not in str(caught.value)
    refuse_weak_secret(Settings(host="127.0.0.1", secret=secret))


@given(st.integers(0, 1 << 32))
def test_random_bytes_in_hexadecimal_are_strong(seed: int) -> None:
    refuse_weak_secret(Settings(host="0.0.0.0", secret=random.Random(seed).randbytes(32).hex()))


def test_a_made_secret_is_private_and_survives_a_restart(tmp_path: Path) -> None:
    settings = Settings(data=str(tmp_path / "new" / "data"))
    first = secret_of(settings)
    file = tmp_path / "new" / "data" / "secret"
    assert len(first) == 32
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert secret_of(settings) == first
    assert [each.name for each in file.parent.iterdir()] == ["secret"]


def test_each_server_makes_its_own_secret(tmp_path: Path) -> None:
    assert secret_of(Settings(data=str(tmp_path / "a"))) != secret_of(Settings(data=str(tmp_path / "b")))


def test_processes_that_make_the_secret_at_once_agree(tmp_path: Path) -> None:
    settings = Settings(data=str(tmp_path))
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: secret_of(settings), range(32)))) == 1


def test_a_damaged_secret_is_refused_and_not_replaced(tmp_path: Path) -> None:
    for content in (b"", b"short\n", b"\xff" * 64):
        (tmp_path / "secret").write_bytes(content)
        with pytest.raises(BadInput, match="holds no secret"):
            secret_of(Settings(data=str(tmp_path)))
        assert (tmp_path / "secret").read_bytes() == content


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="file"):
        secret_of(Settings(data=str(tmp_path / "file" / "data")))


def test_a_given_secret_makes_no_file_and_signs_with_32_bytes(tmp_path: Path) -> None:
    for host, secret in (("127.0.0.1", "x"), ("0.0.0.0", STRONG)):
        settings = Settings(host=host, secret=secret, data=str(tmp_path / "none"))
        assert len(secret_of(settings)) == 32
        assert secret_of(settings) == secret_of(settings.model_copy(update={"port": 1}))
    assert not (tmp_path / "none").exists()


def test_no_secret_is_made_for_a_server_that_others_can_reach(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="can be reached from outside"):
        secret_of(Settings(host="0.0.0.0", data=str(tmp_path)))
    assert not list(tmp_path.iterdir())


def test_settings_are_read_without_the_server() -> None:
    code = "import sys, ludus.server.settings; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"fastapi", "starlette", "structlog", "uvicorn", "sqlite3", "rich"}.isdisjoint(run.stdout.split())
