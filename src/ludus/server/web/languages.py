"""The page's languages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

LANGUAGES: Final[Mapping[str, str]] = {"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français"}
"""The languages' own names by their codes; the same list is in `static/languages.js` and `static/theme.js`."""


def preferred(tags: Iterable[str]) -> str:
    """The first of these language tags that the page has, without its region; English if it has none of them.

    >>> preferred(["", "pt-BR", "fr-CA;q=0.8", "en"])
    'fr'
    """
    codes = (tag.partition(";")[0].strip().lower().partition("-")[0] for tag in tags)
    return next((code for code in codes if code in LANGUAGES), "en")
