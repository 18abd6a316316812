"""The standings of a finished tournament, counted again from its games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any


def assert_recounted(over: Mapping[str, Any], records: Mapping[str, Any]) -> None:
    """`over` is a tournament of eight as the page gets it, after three rounds; `records` has its games by id."""
    assert (over["state"], over["round"], len(over["standings"])) == ("finished", 3, 8)
    met = Counter(frozenset((row["first"], row["second"])) for row in over["pairings"])
    assert len(over["pairings"]) == 12 and set(met.values()) == {1}
    scores = Counter[int]()
    for row in over["pairings"]:
        assert row["outcome"] == "played" and len(row["games"]) == 1
        winner = records[row["games"][0]]["result"]["winner"]
        assert row["score"] == {None: 0.5, 0: 1, 1: 0}[winner]
        scores.update({row["first"]: 2 * row["score"], row["second"]: 2 - 2 * row["score"]})
    assert {place["number"]: 2 * place["score"] for place in over["standings"]} == dict(scores)
    ranked = [place["score"] for place in over["standings"]]
    assert ranked == sorted(ranked, reverse=True) and sum(ranked) == 12
