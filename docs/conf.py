"""Settings of Sphinx. `build.py` beside it prepares the pages and runs Sphinx on them."""

from typing import Any

from sphinx.application import Sphinx

from ludus import __version__

project = "Ludus"
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 4
exclude_patterns = ["theme/**"]
nitpicky = False  # types in signatures lead to modules that are no part of the API

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
default_role = "code"

html_theme = "furo"
html_title = f"Ludus {__version__}"
html_static_path = ["theme"]
html_css_files = ["ludus.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
html_use_index = False
html_favicon = "icon.svg"
pygments_style = "friendly"


def fences_to_rst(*event: Any) -> None:
    """Docstrings are Markdown; of what they use, only fenced code means something else to autodoc."""
    lines: list[str] = event[-1]
    inside, out = False, list[str]()
    for line in lines:
        if line.strip().startswith("```"):
            out += [] if inside else ["", "::", ""]
            inside = not inside
            out += [] if inside else [""]
        else:
            out.append(f"   {line}" if inside else line)
    lines[:] = out


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-docstring", fences_to_rst)
