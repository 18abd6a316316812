"""What the files in `deploy/` say, so that tests can check and run it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import yaml

ROOT: Final = Path(__file__).parents[2]
DEPLOY: Final = ROOT / "deploy"
COMPOSE: Final = DEPLOY / "compose.yaml"
CONTAINERFILE: Final = DEPLOY / "Containerfile"
KUBERNETES: Final = DEPLOY / "kubernetes"
SYSTEMD: Final = DEPLOY / "systemd"
PROXY: Final = DEPLOY / "haproxy" / "haproxy.cfg"
ALERTS: Final = DEPLOY / "prometheus" / "alerts.yaml"
DASHBOARD: Final = DEPLOY / "grafana" / "ludus.json"
REFERENCE: Final = re.compile(r"\$\{(\w+)(?::?([-?])([^}]*))?\}")


class Command(NamedTuple):
    """A `ludus` command with the settings that its file gives it."""

    words: tuple[str, ...]
    environment: dict[str, str]


def documents(file: Path) -> list[dict[str, Any]]:
    return [each for each in yaml.safe_load_all(file.read_text(encoding="utf-8")) if each]


def manifests() -> Iterator[dict[str, Any]]:
    for name in documents(KUBERNETES / "kustomization.yaml")[0]["resources"]:
        yield from documents(KUBERNETES / name)


def variables(file: Path) -> dict[str, str]:
    """Of a file with one NAME=VALUE on each line."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def image() -> Command:
    """What the image runs if nothing else is said."""
    text = CONTAINERFILE.read_text(encoding="utf-8").rpartition("\nFROM ")[2].replace("\\\n", " ")
    entry, command = (json.loads(re.findall(rf"^{word} (.*)$", text, re.M)[0]) for word in ("ENTRYPOINT", "CMD"))
    assert entry == ["ludus"]
    defaults = dict(re.findall(r"^ARG (\w+)=(.*)$", text, re.M))
    pairs = [pair for line in re.findall(r"^ENV (.*)$", text, re.M) for pair in shlex.split(line)]
    return Command(tuple(command), expanded(dict(pair.split("=", 1) for pair in pairs), defaults))


def compose(service: str, given: Mapping[str, str]) -> Command:
    described = documents(COMPOSE)[0]["services"][service]
    environment = expanded(described["environment"], given)
    return Command(tuple(described["command"]), image().environment | environment)


def kubernetes(component: str) -> Command:
    container = pod(component)["containers"][0]
    own = {each["name"]: each.get("value", "") for each in container["env"]}
    shared = variables(KUBERNETES / "settings.env") | variables(KUBERNETES / "secrets.env.example")
    return Command(tuple(container["args"]), image().environment | shared | own)


def pod(component: str) -> dict[str, Any]:
    found = [each for each in manifests() if each["kind"] == "Deployment" and each["metadata"]["name"] == component]
    specification: dict[str, Any] = found[0]["spec"]["template"]["spec"]
    return specification


def unit(name: str, instance: str) -> Command:
    """An instance of a unit, as systemd would start it."""
    text = (SYSTEMD / f"{name}@.service").read_text(encoding="utf-8").replace("%i", instance)
    (start,) = re.findall(r"^ExecStart=(.*)$", text, re.M)
    program, *words = shlex.split(start)
    assert program == "/opt/ludus/bin/ludus"
    own = dict(pair.split("=", 1) for line in re.findall(r"^Environment=(.*)$", text, re.M) for pair in line.split())
    return Command(tuple(words), variables(SYSTEMD / "ludus.env.example") | own)


def expanded(values: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """With `${NAME}`, `${NAME:-default}` and `${NAME:?what is missing}` replaced."""

    def value(found: re.Match[str]) -> str:
        name, kind, text = found.groups()
        return given[name] if kind != "-" else given.get(name, text)

    return {name: REFERENCE.sub(value, str(text)) for name, text in values.items()}
