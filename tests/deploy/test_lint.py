"""The files in `deploy/` pass the linters of their kind, and name only what exists."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import promql_parser
import pytest
from tests.deploy.files import (
    ALERTS,
    COMPOSE,
    CONTAINERFILE,
    DASHBOARD,
    DEPLOY,
    KUBERNETES,
    PROXY,
    ROOT,
    SYSTEMD,
    compose,
    documents,
    image,
    kubernetes,
    manifests,
    pod,
    unit,
)

from ludus.cli.app import app
from ludus.server.settings import foreign_variables

PROGRAMS = Path(sys.executable).parent
GIVEN = {"POSTGRES_PASSWORD": "password", "LUDUS_SECRET": "secret"}
COMMANDS = {
    "image": image(),
    "compose server": compose("server", GIVEN),
    "compose worker": compose("worker", GIVEN),
    "kubernetes server": kubernetes("server"),
    "kubernetes worker": kubernetes("worker"),
    "systemd server": unit("ludus-server", "8001"),
    "systemd worker": unit("ludus-worker", "1"),
}
SUFFIXES = ("_bucket", "_sum", "_count")
REFERENCE = (ROOT / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")
METRICS = {"up", *re.findall(r"^\| `(ludus_\w+)`", REFERENCE, re.M)}


def lint(*command: str | Path, **environment: str) -> str:
    """What a linter says; it must find nothing."""
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def needed(program: str) -> str:
    found = shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin")
    return found or pytest.skip(f"{program} is not installed; see .ci/run")


def test_the_yaml_files_are_tidy() -> None:
    lint(PROGRAMS / "yamllint", "--strict", "--config-file", DEPLOY / ".yamllint.yaml", DEPLOY)


def test_the_compose_file_keeps_to_the_specification() -> None:
    lint(PROGRAMS / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", COMPOSE)


def test_hadolint_finds_nothing_in_the_containerfile() -> None:
    lint(PROGRAMS / "hadolint", "--failure-threshold", "style", CONTAINERFILE)


def test_the_build_context_has_everything_that_the_containerfile_builds_from() -> None:
    kept = {line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().split() if line.startswith("!")}
    assert {"src", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "requirements-dev.txt"} <= kept
    assert all((ROOT / name).exists() for name in kept)


def test_the_image_gets_the_tested_versions_of_all_that_a_server_imports(tmp_path: Path) -> None:
    (command,) = re.findall(r"sed -nE .* > constraints.txt", CONTAINERFILE.read_text())
    shutil.copy(ROOT / "requirements-dev.txt", tmp_path)
    subprocess.run(command, shell=True, check=True, cwd=tmp_path)
    constraints = (tmp_path / "constraints.txt").read_text()
    assert not re.search(r"[\\]|--hash", constraints)
    pinned = set(re.findall(r"^([a-z0-9-]+)==", constraints, re.M))
    project = (ROOT / "pyproject.toml").read_text()
    (wanted,) = re.findall(r"^dependencies = \[(.*?)^\]", project, re.M | re.S)
    (traced,) = re.findall(r"^otel = \[(.*)\]$", project, re.M)
    assert set(re.findall(r'"([a-z0-9-]+)', wanted + traced)) <= pinned


@pytest.mark.parametrize("manifest", list(manifests()), ids=lambda each: f"{each['kind']} {each['metadata']['name']}")
def test_kubernetes_knows_every_field_of(manifest: dict[str, Any]) -> None:
    kubernetes_validate.validate(manifest, "1.30", strict=True)
    kubernetes_validate.validate(manifest, kubernetes_validate.latest_version(), strict=True)


@pytest.mark.parametrize("component", ["server", "worker"])
def test_pods_run_without_rights_on_a_file_system_that_they_cannot_write_to(component: str) -> None:
    specification = pod(component)
    assert specification["securityContext"]["runAsNonRoot"]
    (container,) = specification["containers"]
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert {probe for probe in container if probe.endswith("Probe")} == {
        "startupProbe",
        "livenessProbe",
        "readinessProbe",
    }
    assert {"cpu", "memory"} <= container["resources"]["requests"].keys()


def test_every_selector_finds_the_pods_it_is_for() -> None:
    """A budget or a service whose labels match nothing is accepted by Kubernetes without a word."""
    found = list(manifests())
    pods = [each["spec"]["template"]["metadata"]["labels"] for each in found if each["kind"] == "Deployment"]
    for each in found:
        selector = each.get("spec", {}).get("podSelector") or each.get("spec", {}).get("selector") or {}
        labels = selector.get("matchLabels", selector)
        assert any(labels.items() <= pod.items() for pod in pods), each["metadata"]["name"]
        if each["kind"] == "HorizontalPodAutoscaler":
            assert each["spec"]["scaleTargetRef"]["name"] in ("server", "worker")
    ports = {port["name"] for each in ("server", "worker") for port in pod(each)["containers"][0]["ports"]}
    used = re.findall(r"^[- ]*(?:port|targetPort): ([a-z]\w*)", "".join(map(_text, KUBERNETES.glob("*.yaml"))), re.M)
    assert set(used) <= ports


@pytest.mark.parametrize("name", COMMANDS)
def test_every_setting_and_command_exists(name: str) -> None:
    words, environment = COMMANDS[name]
    assert foreign_variables(environment) == ()
    registered = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    assert words[0] in registered


def test_the_proxy_accepts_its_configuration() -> None:
    proxy = documents(COMPOSE)[0]["services"]["proxy"]
    said = lint(needed("haproxy"), "-c", "-f", PROXY, **proxy["environment"])
    assert "warning" not in said.lower()


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    names = ["ludus.target", "ludus-server@8001.service", "ludus-worker@1.service"]
    for name in names:
        text = (SYSTEMD / re.sub("@.*[.]", "@.", name)).read_text().replace("/opt/ludus/bin/ludus", sys.executable)
        (tmp_path / name).write_text(text)
    program = needed("systemd-analyze")
    assert lint(program, "verify", "--man=no", *(tmp_path / name for name in names)) == ""
    for name in names[1:]:
        lint(program, "security", "--offline=yes", "--threshold=20", tmp_path / name)


def test_every_alert_is_a_query_of_metrics_that_exist_and_says_what_to_do() -> None:
    (rules,) = documents(ALERTS)
    alerts = [rule for group in rules["groups"] for rule in group["rules"]]
    assert len({alert["alert"] for alert in alerts}) == len(alerts)
    for alert in alerts:
        assert alert.keys() <= {"alert", "expr", "for", "labels", "annotations"}
        assert alert["annotations"].keys() == {"summary", "description"}
        assert alert["labels"]["severity"] in ("warning", "critical")
        promql_parser.parse_duration(alert.get("for", "1m"))
        assert unknown_metrics(alert["expr"]) == set()


def test_every_panel_of_the_dashboard_shows_metrics_that_exist() -> None:
    dashboard = json.loads(DASHBOARD.read_text())
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
    places = [tuple(panel["gridPos"][key] for key in "xy") for panel in dashboard["panels"]]
    assert len(set(places)) == len(places)
    for panel in panels:
        for target in panel["targets"]:
            assert unknown_metrics(target["expr"].replace("$__rate_interval", "5m")) == set(), panel["title"]


def selected(query: str) -> set[str]:
    """The metrics that a query reads; anything that is not PromQL is an error."""
    names: set[str] = set()

    def visit(part: object) -> None:
        if isinstance(part, promql_parser.MatrixSelector):
            part = part.vector_selector
        if isinstance(part, promql_parser.VectorSelector) and part.name:
            names.add(part.name)

    promql_parser.walk(promql_parser.parse(query), visit)
    return names


def unknown_metrics(query: str) -> set[str]:
    names = selected(query)
    assert names
    return {name for name in names if base(name) not in METRICS and not name.startswith("ludus_process_")}


def base(name: str) -> str:
    return next((name.removesuffix(suffix) for suffix in SUFFIXES if name.endswith(suffix)), name)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")
