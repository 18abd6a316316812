from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.escapes import escape, unescape

SPECIAL = re.compile(r'[\\"}\n]')


@pytest.mark.parametrize(
    ("text", "written"),
    [('say "hi"', r"say \"hi\""), ("a}b", r"a\u007db"), ("\\n\n", r"\\n\u000a"), ("é", "é")],
)
def test_special_characters_are_escaped_and_no_others(text: str, written: str) -> None:
    assert escape(text, SPECIAL) == written


@given(st.text() | st.text('\\"}\nu007d'))
def test_reading_undoes_writing(text: str) -> None:
    assert unescape(escape(text, SPECIAL)) == text


@pytest.mark.parametrize("text", ["\\", "\\n", "\\u12", "\\ud800"])
def test_what_is_no_escape_stands_for_itself(text: str) -> None:
    assert unescape(text) == text
