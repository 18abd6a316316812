"""Recorded games as arrays on disk."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.envs.records import KINDS, random_record, records

from ludus import GAMES, Game
from ludus.core.errors import BadInput, UnknownOption
from ludus.envs.codecs import codec
from ludus.envs.dataset import Dataset, Progress, Summary, build

ILLEGAL = '[Event "bad"]\n\n1. 1-2 *\n'
UNPLAYED = '[Event "unplayed"]\n\n1-0\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files of checkers in folders, a third with nothing to learn, and what is no game file."""
    folder = tmp_path_factory.mktemp("records")
    notation, games = GAMES["checkers"].notation, records("checkers")
    (folder / "deep").mkdir()
    (folder / "a.pdn").write_text(notation.write_games(games[:2]) + UNPLAYED)
    (folder / "deep" / "b.PDN").write_text(ILLEGAL + notation.write_games(games[2:]))
    (folder / "readme.txt").write_text("1. 11-15")
    return folder


@pytest.fixture(scope="module")
def dataset(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    out = tmp_path_factory.mktemp("datasets") / "new" / "checkers"
    build([folder], out, errors="skip")
    return Dataset(out)


def test_a_dataset_has_the_trajectories_of_all_games(dataset: Dataset) -> None:
    assert dataset.num_games == 3
    for number, game in enumerate(records("checkers")):
        expected = codec("checkers").trajectory(game)
        for found, wanted in zip(dataset.trajectory(number), expected, strict=True):
            assert (np.asarray(found) == wanted).all()
        assert dataset.record(number) == game
    assert len(dataset) == dataset.offsets[-1] == len(dataset.action)


@pytest.mark.deep
@pytest.mark.parametrize(("game", "number", "ending"), [("checkers", 3000, "pdn"), ("backgammon", 600, "mat")])
def test_thousands_of_games_are_read_back(game: str, number: int, ending: str, tmp_path: Path) -> None:
    played, notation, of_games = [random_record(game, Random(i)) for i in range(number)], GAMES[game].notation, 500
    for first in range(0, number, of_games):
        text = notation.write_games(played[first : first + of_games])
        (tmp_path / f"{first:05}.{ending}").write_text(text)
    version = {"checkers": "checkers_v4", "backgammon": "backgammon_v0"}[game]
    summary = build([tmp_path], tmp_path / "out", game=version)
    found = Dataset(tmp_path / "out")
    assert (summary.games, summary.skipped, summary.actions) == (number, 0, len(found))
    for i, record in enumerate(played):
        assert found.record(i).moves == record.moves
        expected = codec(version).trajectory(record)
        assert all((np.asarray(one) == two).all() for one, two in zip(found.trajectory(i), expected, strict=True))


def test_arrays_are_mapped_not_read(dataset: Dataset) -> None:
    assert isinstance(dataset.observation, np.memmap)
    assert not dataset.observation.flags.writeable


def test_a_pickle_maps_the_same_files_from_any_folder(
    dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(dataset._folder.parent)
    pickled = pickle.dumps(Dataset(dataset._folder.name))
    monkeypatch.chdir(tmp_path)
    assert len(pickled) < 1000
    again = pickle.loads(pickled)
    assert isinstance(again.observation, np.memmap)
    assert np.array_equal(again.observation, dataset.observation)


def test_a_game_says_where_it_came_from(dataset: Dataset, folder: Path) -> None:
    assert dataset.files == (str(folder / "a.pdn"), str(folder / "deep" / "b.PDN"))
    assert (dataset.source.tolist(), dataset.number.tolist()) == ([0, 0, 1], [1, 2, 1])


def test_what_is_skipped_is_listed_with_its_reason(folder: Path, tmp_path: Path) -> None:
    seen: list[Progress] = []
    summary = build([folder], tmp_path / "out", errors="skip", progress=seen.append)
    assert summary == Summary(games=3, actions=summary.actions, empty=1, skipped=1)
    problem = "line 3: 1-2 is not legal here: square 2 is occupied"
    assert [progress.problems for progress in seen] == [(), (problem,)]
    assert (tmp_path / "out" / "skipped.txt").read_text() == f"{folder / 'deep' / 'b.PDN'}: {problem}\n"


def test_a_bad_game_stops_everything_unless_it_is_skipped(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"b\.PDN: line 3: 1-2 is not legal here"):
        build([folder], tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "text"), [("a.pdn", "Dear Ada,"), ("a.pdn", "{ a comment }"), ("a.mat", " 7 point match\n")]
)
def test_a_file_without_a_game_is_reported_or_stops_everything(name: str, text: str, tmp_path: Path) -> None:
    file, problem = tmp_path / name, "no game is found in this file"
    file.write_text(text)
    seen: list[Progress] = []
    summary = build(file, tmp_path / "out", errors="skip", progress=seen.append)
    assert summary == Summary(games=0, actions=0, empty=0, skipped=0, gameless=1)
    assert [progress.is_gameless for progress in seen] == [True]
    assert (tmp_path / "out" / "skipped.txt").read_text() == f"{file}: {problem}\n"
    with pytest.raises(BadInput, match=rf"{name}: {problem}"):
        build(file, tmp_path / "other")


def test_what_is_no_text_is_skipped_as_a_game(tmp_path: Path) -> None:
    file = tmp_path / "a.pdn"
    file.write_bytes(bytes(range(256)))
    assert build(file, tmp_path / "out", errors="skip")[2:] == (0, 1, 0)
    with pytest.raises(BadInput, match=r"line 1: .* is not a move"):
        build(file, tmp_path / "other")


@pytest.mark.parametrize("data", [b"", b"\n \n", b"\xef\xbb\xbf\r\n"])
def test_an_empty_file_has_nothing_to_report(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.pdn").write_bytes(data)
    assert build(tmp_path / "a.pdn", tmp_path / "out") == Summary(0, 0, 0, 0, 0)
    assert (tmp_path / "out" / "skipped.txt").read_text() == ""


@pytest.mark.parametrize("kind", [kind for kind in KINDS if KINDS[kind][0] == "backgammon"])
def test_backgammon_has_the_cube_unless_another_version_is_named(kind: str, tmp_path: Path) -> None:
    file, games = tmp_path / "games.mat", records(kind)
    file.write_text(GAMES["backgammon"].notation.write_games(games))
    build([file], tmp_path / "out")
    found = Dataset(tmp_path / "out")
    assert found.codec.name == "backgammon_v1"
    assert [found.record(number).moves for number in range(found.num_games)] == [game.moves for game in games]
    if kind == "backgammon":
        build([file], tmp_path / "plain", game="backgammon_v0")
        assert Dataset(tmp_path / "plain").observation.shape[1:] == (59,)
    else:
        with pytest.raises(BadInput, match="game 1: backgammon does not show all of this position; backgammon_v1 does"):
            build([file], tmp_path / "plain", game="backgammon_v0")
        summary = build([file], tmp_path / "plain", game="backgammon_v0", errors="skip")
        assert (summary.games, summary.skipped) == (0, 3)


def test_a_resigned_game_counts_for_the_winner(tmp_path: Path) -> None:
    (tmp_path / "a.pdn").write_text("1. 11-15 22-18 0-1\n")
    build([tmp_path / "a.pdn"], tmp_path / "out")
    found = Dataset(tmp_path / "out")
    assert (found.outcome.tolist(), found.is_over.tolist()) == ([-1, 1], [True])


def test_a_file_is_recognized_by_its_text(tmp_path: Path) -> None:
    (tmp_path / "games").write_text("1. 11-15 *\n")
    assert build([tmp_path / "games"], tmp_path / "out").games == 1


def test_batches_have_every_action_once_in_a_new_order(dataset: Dataset) -> None:
    batches = list(dataset.batches(32, np.random.default_rng(1)))
    assert {len(batch.action) for batch in batches[:-1]} == {32}
    assert sum(len(batch.action) for batch in batches) == len(dataset)
    together = np.concatenate([batch.observation for batch in batches])
    assert not (together == dataset.observation).all()
    assert sorted(map(bytes, together)) == sorted(map(bytes, dataset.observation))
    for batch in batches:
        assert (batch.action_mask[np.arange(len(batch.action)), batch.action] == 1).all()


def test_batches_need_a_generator(dataset: Dataset) -> None:
    with pytest.raises(UnknownOption, match="default_rng"):
        next(dataset.batches(32, 1))  # type: ignore[arg-type]


def test_batches_may_leave_games_out(dataset: Dataset) -> None:
    assert dataset.rows([2, 0]).tolist() == [
        *range(dataset.offsets[2], dataset.offsets[3]), *range(dataset.offsets[0], dataset.offsets[1])
    ]  # fmt: skip
    assert np.array_equal(dataset.rows(np.array([True, False, True])), dataset.rows([0, 2]))
    (batch,) = dataset.batches(10_000, np.random.default_rng(1), games=[1])
    assert sorted(batch.action.tolist()) == sorted(dataset.trajectory(1).action.tolist())


@pytest.mark.parametrize(
    ("paths", "options", "problem"),
    [
        ([], {}, "there are no files"),
        (["missing.pdn"], {}, "missing.pdn: No such file or directory"),
        (["empty"], {}, "empty has no file whose name ends in .pdn or .mat"),
        (["a.pdn", "b.mat"], {}, "there are files of backgammon and checkers; name the one to read"),
        (["c"], {}, "c: neither the name nor the text tells which game it is"),
        (["a.pdn"], {"game": "chess"}, "there is no game 'chess'"),
        (["a.pdn"], {"game": "backgammon"}, "a.pdn: line 1: "),
        (["a.pdn"], {"errors": "ignore"}, "there is no errors 'ignore'; there are raise, skip"),
    ],
)
def test_what_cannot_be_read_is_refused(
    paths: list[str], options: dict[str, Any], problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    Path("a.pdn").write_text("1. 11-15 *\n")
    Path("b.mat").write_text(GAMES["backgammon"].notation.write_games([Game(GAMES["backgammon"])]))
    Path("c").write_text("Hello")
    with pytest.raises((BadInput, UnknownOption)) as caught:
        build(paths, "out", **options)
    assert str(caught.value).startswith(problem)
    assert not Path("out").exists()


def test_a_single_path_needs_no_list(folder: Path, tmp_path: Path) -> None:
    assert build(folder / "a.pdn", tmp_path / "one").games == build(str(folder / "a.pdn"), tmp_path / "two").games == 2


def test_a_folder_is_never_overwritten(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="already exists"):
        build([folder], tmp_path)


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    (tmp_path / "a.pdn").write_text("1. 11-15 22-18 *\n1. 9-13 *\n")
    build([tmp_path / "a.pdn"], tmp_path / "out")
    return tmp_path / "out"


@pytest.mark.parametrize(
    ("name", "array", "problem"),
    [
        ("action", None, "No such file"),
        ("action", np.zeros(3, np.int64), "action.npy has the wrong type or shape"),
        ("observation", np.zeros((3, 6, 8, 9), np.int8), "observation.npy has the wrong type or shape"),
        ("to_play", np.zeros(4, np.int8), "different lengths"),
        ("source", np.zeros(3, np.int32), "different numbers of games"),
        ("offsets", np.array([0, 4, 3]), "doesn't divide the actions"),
        ("offsets", np.array([0, 2, 4]), "doesn't divide the actions"),
        ("offsets", b"\x93NUMPY\x01\x00v\x00{'descr': '<i8', 'fortran_order': False2,), }", "is not a dataset"),
        ("action", np.array([{}]), "Object arrays cannot be loaded|allow_pickle|Array can't be memory-mapped"),
    ],
)
def test_a_damaged_dataset_is_refused(damaged: Path, name: str, array: Any, problem: str) -> None:
    Dataset(damaged)
    (damaged / f"{name}.npy").unlink()
    if isinstance(array, bytes):
        (damaged / f"{name}.npy").write_bytes(array.ljust(128) + b"\n")
    elif array is not None:
        np.save(damaged / f"{name}.npy", array, allow_pickle=True)
    with pytest.raises(BadInput, match=problem):
        Dataset(damaged)


@pytest.mark.parametrize(
    ("about", "problem"),
    [
        ("{", "Expecting"),
        ("[]", "is not that of a dataset"),
        ({"format": 2}, "its format is 2, and this version of Ludus reads 1"),
        ({"encoding": "chess"}, "there is no game 'chess'"),
    ],
)
def test_a_dataset_of_another_format_is_refused(damaged: Path, about: Any, problem: str) -> None:
    file = damaged / "dataset.json"
    file.write_text(about if isinstance(about, str) else json.dumps(json.loads(file.read_text()) | about))
    with pytest.raises(BadInput, match=problem):
        Dataset(damaged)


def test_a_missing_dataset_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is not a dataset: No such file"):
        Dataset(tmp_path / "nothing")


@pytest.mark.parametrize("game", [-1, 3, "a"])
def test_there_are_only_so_many_games(dataset: Dataset, game: Any) -> None:
    with pytest.raises(UnknownOption, match="game must be an integer, 0 to 2"):
        dataset.trajectory(game)
    with pytest.raises(UnknownOption, match="numbers from 0 to 2"):
        dataset.rows([game])
