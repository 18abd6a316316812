"""Files, their version, and the modules that a document preloads."""

from __future__ import annotations

import re

from ludus.server.web.assets import assets
from ludus.server.web.pages import site


def test_a_document_preloads_every_module_it_will_import_once() -> None:
    contents = {
        "deep/one.js": b'import { x } from "../two.js";\nimport "./three.js";\n',
        "two.js": b'export * from "./deep/three.js";\nawait import("./later.js");\n',
        "deep/three.js": b"export const x = 1;\n",
        "later.js": b"",
    }
    served = assets(contents)
    page = served.page(b'<script src="{{static}}/deep/one.js"></script>{{preload deep/one.js}}{{preload two.js}}')
    named = re.findall(r'modulepreload" href="([^"]+)"', page.content.decode())
    assert named == [f"{served.base}/{name}" for name in ("deep/one.js", "two.js", "deep/three.js")]
    assert assets(contents | {"later.js": b"changed"}).version != served.version


def test_files_are_served_as_they_were_written() -> None:
    script = b"// what it is\nconst shader = `\n// kept\n`;\n"
    assert assets({"a.js": script}).files["a.js"].content == script


def test_every_module_that_a_file_imports_is_there() -> None:
    served = site().assets
    for name in served.files:
        assert set(served.imported(name)) <= set(served.files), name
