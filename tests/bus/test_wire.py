"""What processes write to the streams, and what they refuse to read."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.bus.wire import (
    KINDS,
    MAX_ENTRY,
    MAX_EVENT,
    MAX_ID,
    MAX_NOTES,
    STREAMS,
    Beacon,
    Entry,
    Malformed,
    is_local,
    read_beacon,
    read_entry,
    stream_of,
    write_beacon,
    write_entry,
)
from ludus.service.ports.bus import (
    AdviceFound,
    AdviceWanted,
    DeadlinesMoved,
    ExhibitionsWatched,
    HintFound,
    HintWanted,
    Note,
    OpinionFound,
    OpinionUnwanted,
    OpinionWanted,
    PhraseSaid,
    PlayerErased,
    PlayerSeated,
    PresenceChanged,
    SessionCancelled,
    SocketOpened,
    TableChanged,
    TableRedacted,
)
from ludus.service.records import Event

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
NOTES: list[Note] = [
    TableChanged("t1", 1),
    TableChanged("t1", 2, TRACE),
    TableChanged("t1", 3, "", Event("t1", 3, 1_700_000_000_000, 5, "played", 1, {"move": [1, "ä"]}, "1/play/c1")),
    TableChanged("t1", 4, "", Event("t1", 4, 1_700_000_000_000, 6, "warned", None, {}, None)),
    PlayerSeated("acme/live/ann", "t1"),
    SessionCancelled("s1"),
    TableRedacted("t1"),
    PlayerErased("acme/live/änn"),
    PresenceChanged("t1", 1, "", True),
    PresenceChanged("t1", 0, "sid", False),
    SocketOpened("agent/a1", 5, "s1"),
    PhraseSaid("t1", 1, "well_played"),
    HintWanted("t1", 0, 7, "address/0f"),
    HintFound("t1", 0, 7, "11-15"),
    HintFound("t1", 0, 7, ""),
    AdviceWanted("t1", 0, 7, "address/0f", "11-15"),
    AdviceFound("t1", 0, 7, "11-15", "9-14", 0.25),
    AdviceFound("t1", 0, 7, "11-15", "", 0.0),
    OpinionWanted("o1", "checkers", "B:W21:B1", "address/0f"),
    OpinionFound("o1", "[1,2,0,[],null]"),
    OpinionFound("o1", ""),
    OpinionUnwanted("o1"),
    ExhibitionsWatched(),
]


def entry_of(*notes: Any) -> bytes:
    return json.dumps(["p1", 1, 1_700_000_000_000, notes]).encode()


def test_every_kind_of_note_travels_or_is_local() -> None:
    assert {type(note) for note in NOTES} == set(KINDS.values())
    assert set(get_args(Note)) - set(KINDS.values()) == {DeadlinesMoved}
    assert is_local(DeadlinesMoved()) and not any(map(is_local, NOTES))


def test_notes_arrive_as_they_were_sent() -> None:
    entry = Entry("p1", 7, 1_700_000_000_000, NOTES)
    assert read_entry(write_entry(entry)) == entry
    beacon = Beacon("p1", [0, 1, 2, 3])
    assert read_beacon(write_beacon(beacon)) == beacon


def test_a_large_event_is_left_to_the_store() -> None:
    event = Event("t1", 2, 1, 1, "played", 0, {"move": "x" * MAX_EVENT})
    sent = Entry("p1", 7, 1, [TableChanged("t1", 2, "", event)])
    assert read_entry(write_entry(sent)).notes == [TableChanged("t1", 2)]


def test_processes_are_spread_over_the_streams() -> None:
    assert {stream_of(f"p{number}") for number in range(100)} == set(range(STREAMS))


def test_kinds_of_a_later_version_are_left_out() -> None:
    content = entry_of(["paused", "t1", {"by": 1}], ["redacted", "t1"], ["new"])
    assert read_entry(content).notes == [TableRedacted("t1")]


@pytest.mark.parametrize(
    "note",
    [
        None,
        [],
        "changed",
        {"kind": "changed"},
        [1, "t1"],
        ["changed"],
        ["changed", "t1", 2],
        ["changed", "t1", "2", ""],
        ["changed", "t1", 2.0, ""],
        ["changed", "t1", True, ""],
        ["changed", "t1", -1, ""],
        ["changed", "t1", 2**60, ""],
        ["changed", "", 2, ""],
        ["changed", "t" * (MAX_ID + 1), 2, ""],
        ["changed", "t1", 2, "", "more"],
        ["changed", "t1", 2, "", None, "more"],
        ["changed", "t1", 2, "", [1, 2, "played", 0, {}]],
        ["changed", "t1", 2, "", [1, 2, "played", 0, [], None]],
        ["changed", "t1", 2, "", [1, 2, "played", "0", {}, None]],
        ["changed", "t1", 2, "", [1, -2, "played", 0, {}, None]],
        ["changed", "t1", 2, "", [True, 2, "played", 0, {}, None]],
        ["changed", "t1", 2, "", [1, 2, "played", 0, {}, 7]],
        ["changed", "t1", 2, "00-trace"],
        ["changed", "t1", 2, TRACE.upper()],
        ["seated", "ann"],
        ["seated", "ann", 1],
        ["seated", "", "t1"],
        ["redacted", None],
        ["cancelled", "s1", "s2"],
        ["erased", ["ann"]],
        ["presence", "t1", 0, "sid", 1],
        ["presence", "t1", -1, "sid", True],
        ["presence", "t1", True, "sid", True],
        ["presence", "t1", 0, None, True],
        ["presence", "t1", 0, "s" * (MAX_ID + 1), True],
        ["presence", "t1", 0, "sid"],
        ["socket", "agent/a1", "5", "s1"],
        ["socket", "agent/a1", 5, ""],
        ["socket", "", 5, "s1"],
    ],
)
def test_a_malformed_note_spoils_its_entry(note: Any) -> None:
    with pytest.raises(Malformed):
        read_entry(entry_of(["redacted", "t1"], note))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        b"\xff",
        b"[]",
        b"{}",
        b'["p1",1,1]',
        b'["p1",1,1,[],1]',
        b'["",1,1,[]]',
        b'["p1",-1,1,[]]',
        b'["p1",1.5,1,[]]',
        b'["p1",true,1,[]]',
        b'["p1",1,"now",[]]',
        b'["p1",1,1,{}]',
        b"[" * 5000,
        entry_of(*[["redacted", "t1"]] * (MAX_NOTES + 1)),
        entry_of(["redacted", "t1"]) + b" " * MAX_ENTRY,
    ],
)
def test_what_is_no_entry_is_malformed(content: bytes) -> None:
    with pytest.raises(Malformed):
        read_entry(content)


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b'["p1"]', b'["p1",[1,2,3]]', b'["p1",[1,2,3,"4"]]', b'["p1",[1,2,3,true]]', b"[1,[1,2,3,4]]"],
)
def test_what_is_no_beacon_is_malformed(content: bytes) -> None:
    with pytest.raises(Malformed):
        read_beacon(content)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.sampled_from([*KINDS]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(json_values)
def test_any_json_is_read_or_refused(value: Any) -> None:
    for content in (json.dumps(value).encode(), entry_of(value)):
        for read in (read_entry, read_beacon):
            try:
                read(content)
            except Malformed:
                continue
