"""Builds the site from the Markdown of docs/ and of the project, with warnings as errors.

    python docs/build.py            into src/ludus/web/docs_site, where the server finds it
    python docs/build.py FOLDER     elsewhere

The pages are plain Markdown that reads well without the site, so whatever only Sphinx needs is added here: the
navigation, from the headings and links of docs/README.md, and the docstrings of the modules in reference/api.md.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path

from sphinx.cmd.build import main as sphinx

ROOT = Path(__file__).parents[1]
SITE = ROOT / "src" / "ludus" / "web" / "docs_site"
PROJECT = {
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "LICENSE": "project/license.txt",
    "SECURITY.md": "project/security.md",
    "README.md": "index.md",
    "examples/README.md": "project/examples/index.md",
    "benchmarks/RESULTS.md": "project/results.md",
}
"""Files outside docs/ and their places on the site."""
MODULE = re.compile(r"^## `(ludus[\w.]*)`\n", re.MULTILINE)
"""A heading of the page that lists the API."""
LINK = re.compile(r"\]\(([^)\s]+)\)")
STYLE = re.compile(r' style="[^"]*"')
"""Attributes that the server's content security policy forbids; the theme has some on its icons."""
SKIPPED = ("__pycache__", "*.py", "theme")


def main(target: Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "source")
        stage(source)
        return build(source, target)


def build(source: Path, target: Path) -> int:
    """Replaces the target if all is well; else leaves it as it was."""
    with tempfile.TemporaryDirectory() as folder:
        built, cache = Path(folder, "site"), Path(folder, "cache")
        options = ["--fail-on-warning", "--keep-going", "--quiet", "--jobs", "auto", "-b", "dirhtml"]
        status: int = sphinx([*options, "-d", str(cache), str(source), str(built)])
        if status == 0:
            for page in built.rglob("*.html"):
                replace(page, partial(STYLE.sub, ""))
            for unneeded in (built / ".buildinfo", built / "objects.inv", *built.rglob("*.map")):
                unneeded.unlink(missing_ok=True)
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(built, target)
        return status


def stage(source: Path) -> None:
    """All pages as Sphinx needs them."""
    docs = ROOT / "docs"
    shutil.copytree(docs, source, ignore=shutil.ignore_patterns(*SKIPPED))
    shutil.copytree(docs / "theme", source / "theme")
    shutil.copy(docs / "conf.py", source)
    shutil.copy(SITE.with_name("static") / "icon.svg", source)
    for path in (*PROJECT, *examples()):
        (source / place_of(path)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, source / place_of(path))
    (source / "README.md").replace(source / "index.md")
    for page in source.rglob("*.md"):
        replace(page, partial(with_links_of_the_site, page.relative_to(source).as_posix()))
    for page in (source / "project" / "examples").rglob("README.md"):
        replace(page, "---\norphan: true\n---\n\n{}".format)  # the page of the examples leads there
    replace(source / "reference" / "api.md", with_docstrings)
    replace(source / "index.md", with_navigation)


def examples() -> Iterator[str]:
    for path in (ROOT / "examples").rglob("*"):
        if path.is_file() and not {"node_modules", "__pycache__"} & set(path.parts):
            yield path.relative_to(ROOT).as_posix()


def origin(place: str) -> str:
    """Where a page of the site is in the repository."""
    outside = {site: path for path, site in PROJECT.items()} | {"index.md": "docs/README.md"}
    if place.startswith("project/examples/") and place not in outside:
        return place.removeprefix("project/")
    return outside.get(place, f"docs/{place}")


def place_of(path: str) -> str:
    """Where a file of the repository is on the site."""
    if path in PROJECT:
        return PROJECT[path]
    if path.startswith("examples/") and path.endswith(".md"):
        return f"project/{path}"
    if path.startswith("examples/"):
        return f"project/{path}.txt"  # to be read in a browser, and no module in the package
    if path == "docs/README.md":
        return "index.md"
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    raise SystemExit(f"{path} is linked but not on the site")


def replace(page: Path, change: Callable[[str], str]) -> None:
    page.write_text(change(page.read_text(encoding="utf-8")), encoding="utf-8")


def with_links_of_the_site(place: str, text: str) -> str:
    path = origin(place)

    def moved(match: re.Match[str]) -> str:
        name, hash, anchor = match[1].partition("#")
        if not name or re.match("[a-z]+:", name):
            return match[0]
        target = place_of(posixpath.normpath(posixpath.join(posixpath.dirname(path), name)))
        return f"]({posixpath.relpath(target, posixpath.dirname(place) or '.')}{hash}{anchor})"

    return LINK.sub(moved, text)


def with_navigation(contents: str) -> str:
    """A group for each heading of the table of contents, with the pages that its links name."""
    groups: dict[str, dict[str, None]] = {}
    title = ""
    for line in contents[contents.index("\n## ") :].splitlines():
        if heading := re.match(r"## +(.+)", line):
            title = heading[1]
        pages = (link.removesuffix(".md") for link in LINK.findall(line) if link.endswith(".md"))
        groups.setdefault(title, {}).update(dict.fromkeys(pages))
    trees = [
        "\n".join(["", "```{toctree}", ":hidden:", f":caption: {title}", "", *pages, "```", ""])
        for title, pages in groups.items()
        if pages
    ]
    return contents + "".join(trees)


def with_docstrings(text: str) -> str:
    def documented(heading: re.Match[str]) -> str:
        imported = "   :imported-members:\n" if hasattr(import_module(heading[1]), "__all__") else ""
        directive = f".. automodule:: {heading[1]}\n   :members:\n   :undoc-members:\n{imported}"
        return f"{heading[0]}\n```{{eval-rst}}\n{directive}```\n"

    return MODULE.sub(documented, text)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else SITE))
