"""What the build adds to the package: the commit, and a description whose links work outside the repository."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s]+)\)")
PAGES = {"Documentation": "blob/{ref}/docs/README.md", "Changelog": "blob/{ref}/CHANGELOG.md", "Issues": "issues"}


class Commit(BuildHookInterface):
    """Writes the file that `ludus --version` reads; an editable install asks git instead."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self.file: Path | None = None
        commit = runpy.run_path(str(Path(self.root, "src/ludus/cli/commit.py")))["commit"]()
        if version == "editable" or commit is None:
            return
        handle, name = tempfile.mkstemp()
        self.file = Path(name)
        with os.fdopen(handle, "w", encoding="ascii") as out:
            out.write(f"{commit}\n")
        self.file.chmod(0o644)
        target = "src/ludus/COMMIT" if self.target_name == "sdist" else "ludus/COMMIT"
        build_data["force_include"][name] = target

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.file:
            self.file.unlink()


class Description(MetadataHookInterface):
    """The README with absolute links, and the project's addresses, both under the address of the repository.

    That is `LUDUS_REPOSITORY`, or where git says the checkout came from. Without one, links become plain text.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        repository = os.environ.get("LUDUS_REPOSITORY") or origin(Path(self.root))
        ref = f"v{metadata['version']}"
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute(text, repository, ref)}
        if repository:
            pages = {name: f"{repository}/{path.format(ref=ref)}" for name, path in PAGES.items()}
            metadata["urls"] = {"Repository": repository, **pages}


def origin(root: Path) -> str | None:
    """The web address of the repository that this checkout was cloned from, if it has one."""
    command = ["git", "-C", str(root), "remote", "get-url", "origin"]
    try:
        remote = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
    found = re.fullmatch(r"(?:https://(?:[^@/]*@)?|ssh://git@|git@)([\w.-]+)[:/](.+?)(?:\.git)?/?", remote)
    return f"https://{found[1]}/{found[2]}" if found else None


def absolute(text: str, repository: str | None, ref: str) -> str:
    """The text with links to files of the repository; images need the file itself, not the page that shows it."""

    def replace(found: re.Match[str]) -> str:
        image, words, target = found.groups()
        if repository:
            return f"{image}[{words}]({repository}/{'raw' if image else 'blob'}/{ref}/{target})"
        return "" if image else words

    return LINK.sub(replace, text)
