"""Recorded games as arrays on disk, for learning from them: `build` writes a folder, `Dataset` maps it into memory.

The files of a folder are described in docs/envs/datasets.md.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from os import PathLike
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ludus.core.errors import BadInput, MalformedRecord, UnknownOption
from ludus.core.game import Game
from ludus.core.notation import MOST_BYTES, Errors, decode
from ludus.core.npz import BAD_FILE
from ludus.core.rules import Rules
from ludus.envs.batched.environment import read_indices
from ludus.envs.codecs import Codec
from ludus.envs.encoding import Encoding, find_encoding, games, versions
from ludus.envs.options import check_choice, check_integer
from ludus.envs.trajectory import Trajectory
from ludus.games import GAMES, find_game

FORMAT: Final = 1
MOST_META: Final = 64 << 20
"""The longest `dataset.json` that is read, in bytes."""
ROWS: Final[Mapping[str, Any]] = {
    "observation": np.int8,
    "action_mask": np.int8,
    "action": np.int16,
    "to_play": np.int8,
    "outcome": np.int16,
}
GAME_ROWS: Final[Mapping[str, Any]] = {"offsets": np.int64, "is_over": np.bool_, "source": np.int32, "number": np.int32}
GAMELESS: Final = "no game is found in this file"

Array = NDArray[Any]
AnyPath = str | PathLike[str]
Record = Game[Any, Any]


class Summary(NamedTuple):
    games: int
    actions: int
    empty: int
    """Games without an action, which are left out."""
    skipped: int
    """Games that can't be read."""
    gameless: int = 0
    """Files that are not empty, but contain no game."""


class Progress(NamedTuple):
    """Reported after each file, and after every hundred games of a file."""

    files: int
    done: int
    file: Path
    problems: Sequence[str]
    """The problems of this file's games that are skipped."""
    so_far: Summary
    is_gameless: bool = False
    """Whether the file is not empty, but contains no game."""


class Sample(NamedTuple):
    """Some actions; the fields are the files of a dataset."""

    observation: Array
    action_mask: Array
    action: Array
    to_play: Array
    outcome: Array


def build(
    paths: AnyPath | Iterable[AnyPath],
    out: AnyPath,
    *,
    game: str | None = None,
    errors: Errors = "raise",
    progress: Callable[[Progress], None] | None = None,
) -> Summary:
    """Writes the games of a file or several, and of the game files in folders, to the new folder `out`.

    `game` names a game or one version of its environments; by default it is that of the files, in a version that shows
    every variant. With `errors="skip"`, games that can't be read are left out, and files without a game. Memory use
    doesn't depend on the number of files. The folder appears only when it is complete.
    """
    check_choice("errors", errors, get_args(Errors))
    encoding = None if game is None else _encoding(game)
    found = list(find_files(paths, encoding.game if encoding else None))
    codec = Codec(encoding or _encoding(_only(file.rules.name for file in found)))
    target = Path(out)
    if target.exists():
        raise BadInput(f"{target} already exists")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        try:
            summary = _write(folder, codec, found, errors, progress)
            folder.chmod(0o755)
            folder.rename(target)
        except BaseException:
            shutil.rmtree(folder)
            raise
    except OSError as error:
        raise BadInput(f"{target}: {error.strerror}") from None
    return summary


class GameFile(NamedTuple):
    path: Path
    rules: Rules[Any, Any]
    text: str | None = None
    """The text, if the file was read to find out its game: a pipe can be read only once."""


def find_files(paths: AnyPath | Iterable[AnyPath], game: str | None = None) -> Iterator[GameFile]:
    """The files with their games; in a folder, those whose names end like a game file's, in order."""
    known = [rules for rules in GAMES.values() if game in (None, rules.name)]
    for path in map(Path, [paths] if isinstance(paths, str | PathLike) else paths):
        if path.is_dir():
            named = ((file, find_game(file.name)) for file in sorted(path.rglob("*")))
            inside = [GameFile(file, rules) for file, rules in named if rules in known and file.is_file()]
            if not inside:
                suffixes = " or ".join(rules.notation.suffix for rules in known)
                raise BadInput(f"{path} has no file whose name ends in {suffixes}")
            yield from inside
        elif rules := find_game(path.name) if game is None else GAMES[game]:
            yield GameFile(path, rules)
        else:
            text = read_text(path)
            if (rules := find_game(path.name, text)) is None:
                raise BadInput(f"{path}: neither the name nor the text tells which game it is")
            yield GameFile(path, rules, text)


def read_text(path: Path) -> str:
    """The text of a file, as far as needed to notice that it is too long."""
    try:
        with path.open("rb") as file:
            return decode(file.read(MOST_BYTES))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None


def _encoding(name: str) -> Encoding:
    """The encoding by name or, for a game, the first version of its environments that plays all variants."""
    if name not in games():
        return find_encoding(name)
    variants = list(_variants(GAMES[name]))
    return next(each for each in versions(name).values() if all(map(each.plays, variants)))


def _variants(rules: Rules[Any, Any]) -> Iterator[str]:
    for name, option in rules.options.items():
        with suppress(UnknownOption):  # some options need another one
            choice: dict[str, Any] = {name: option.most}
            yield rules.variant_name(**choice)


def _only(names: Iterable[str]) -> str:
    found = sorted(set(names))
    if len(found) != 1:
        raise BadInput(
            f"there are files of {' and '.join(found)}; name the one to read" if found else "there are no files"
        )
    return found[0]


class _Column:
    """A `.npy` file that grows. Its header is written again at the end; it has room for any number of rows."""

    def __init__(self, path: Path, dtype: Any, shape: tuple[int, ...] = ()) -> None:
        self._dtype, self._shape, self._rows = np.dtype(dtype), shape, 0
        self._file = path.open("wb")
        self._write_header()

    def _write_header(self) -> None:
        shape = (self._rows, *self._shape)
        descr = npy.dtype_to_descr(self._dtype)
        npy.write_array_header_1_0(self._file, {"descr": descr, "fortran_order": False, "shape": shape})

    def append(self, rows: Any) -> None:
        array = np.ascontiguousarray(rows, self._dtype)
        self._file.write(array.data)
        self._rows += len(array)

    def close(self) -> None:
        self._file.seek(0)
        self._write_header()
        self._file.close()


class _Writer:
    """The columns of a dataset while its games are read."""

    def __init__(self, folder: Path, codec: Codec, errors: Errors) -> None:
        self._codec = codec
        self._rules = codec.rules.compiled()
        self._errors = errors
        shapes = {"observation": codec.shape, "action_mask": (codec.num_actions,)}
        kinds = {**ROWS, **GAME_ROWS}
        self._columns = {
            name: _Column(folder / f"{name}.npy", kind, shapes.get(name, ())) for name, kind in kinds.items()
        }
        self._columns["offsets"].append([0])
        self.games = self.actions = self.empty = self.skipped = self.gameless = 0
        self.problems: list[str] = []
        self.is_gameless = False

    @property
    def summary(self) -> Summary:
        return Summary(self.games, self.actions, self.empty, self.skipped, self.gameless)

    def add_file(self, file: GameFile, source: int) -> Iterator[int]:
        """Yields the number of each game after it is written; `problems` has those of skipped games."""
        number = 0
        bad: list[MalformedRecord] = []
        unseen: list[str] = []
        text = read_text(file.path) if file.text is None else file.text
        try:
            records = self._rules.notation.each_game(text, errors=self._errors, skipped=bad)
            for number, record in enumerate(records, start=1):
                try:
                    self._add(self._codec.trajectory(record), source, number)
                except UnknownOption as error:
                    if self._errors != "skip":
                        raise BadInput(f"game {number}: {error}") from error
                    unseen.append(f"game {number}: {error}")
                yield number
        except (BadInput, MalformedRecord) as error:
            raise BadInput(f"{file.path}: {error}") from error
        self.problems = [*map(str, bad), *unseen]
        self.skipped += len(self.problems)
        self.is_gameless = not (number or self.problems) and text.strip("\ufeff \t\n") != ""
        if self.is_gameless and self._errors != "skip":
            raise BadInput(f"{file.path}: {GAMELESS}")
        self.gameless += self.is_gameless

    def _add(self, trajectory: Trajectory, source: int, number: int) -> None:
        rows = len(trajectory.action)
        if rows == 0:
            self.empty += 1
            return
        self.games += 1
        self.actions += rows
        for name in ROWS:
            self._columns[name].append(getattr(trajectory, name))
        ends = {"offsets": self.actions, "is_over": trajectory.is_over, "source": source, "number": number}
        for name, value in ends.items():
            self._columns[name].append([value])

    def close(self) -> None:
        for column in self._columns.values():
            column.close()


def _write(
    folder: Path, codec: Codec, files: Sequence[GameFile], errors: Errors, progress: Callable[[Progress], None] | None
) -> Summary:
    with closing(_Writer(folder, codec, errors)) as writer, (folder / "skipped.txt").open("w", encoding="utf-8") as log:
        for source, file in enumerate(files):
            for number in writer.add_file(file, source):
                if progress and number % 100 == 0:
                    progress(Progress(len(files), source, file.path, (), writer.summary))
            problems = tuple(writer.problems)
            log.writelines(f"{file.path}: {problem}\n" for problem in problems or [GAMELESS] * writer.is_gameless)
            if progress:
                progress(Progress(len(files), source + 1, file.path, problems, writer.summary, writer.is_gameless))
    about = {
        "format": FORMAT,
        "game": codec.encoding.game,
        "encoding": codec.name,
        "files": [str(file.path) for file in files],
    }
    (folder / "dataset.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return writer.summary


class Dataset:
    """A folder that `build` wrote, mapped into memory: rows are read from the disk when they are used."""

    observation: Array
    action_mask: Array
    action: Array
    to_play: Array
    outcome: Array
    offsets: Array
    is_over: Array
    source: Array
    number: Array

    def __init__(self, path: AnyPath) -> None:
        folder = Path(path)
        self._folder = folder.absolute()
        try:
            self._load(folder)
        except (*BAD_FILE, UserWarning) as error:
            problem = error.strerror if isinstance(error, OSError) and error.strerror else error
            raise BadInput(f"{folder} is not a dataset: {problem}") from error

    def _load(self, folder: Path) -> None:
        self.game, self.codec, self.files = _about(folder / "dataset.json")
        shapes = {"observation": self.codec.shape, "action_mask": (self.codec.num_actions,)}
        for name, kind in {**ROWS, **GAME_ROWS}.items():
            with warnings.catch_warnings(action="error"):  # about a header that we did not write
                array = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
            if array.dtype != kind or array.shape[1:] != shapes.get(name, ()):
                raise ValueError(f"{name}.npy has the wrong type or shape")
            setattr(self, name, array)
        rows, games = len(self.action), len(self.is_over)
        if any(len(getattr(self, name)) != rows for name in ROWS):
            raise ValueError("its arrays have different lengths")
        if any(len(getattr(self, name)) != games + (name == "offsets") for name in GAME_ROWS):
            raise ValueError("its arrays have different numbers of games")
        if self.offsets[0] != 0 or self.offsets[-1] != rows or (np.diff(self.offsets) < 1).any():
            raise ValueError("offsets.npy doesn't divide the actions into games")

    def __reduce__(self) -> Any:
        """Copies, such as those of a data loader's processes, map the same files."""
        return type(self), (self._folder,)

    def __len__(self) -> int:
        """The number of actions."""
        return len(self.action)

    @property
    def num_games(self) -> int:
        return len(self.is_over)

    def trajectory(self, game: int) -> Trajectory:
        rows = slice(*self.offsets[self._checked(game) :][:2].tolist())
        arrays = {name: getattr(self, name)[rows] for name in ROWS}
        return Trajectory(**arrays, is_over=bool(self.is_over[game]))

    def record(self, game: int) -> Record:
        """A game as a record. It lacks the tags, comments and resignations, which are in the file it came from."""
        seen = self.trajectory(game)
        return self.codec.game(seen.action, seen.observation, seen.to_play)

    def rows(self, games: Any) -> Array:
        """The numbers of all actions of some games, given by a mask or by their numbers, in order."""
        chosen = read_indices(games, self.num_games)
        starts, lengths = self.offsets[chosen], self.offsets[chosen + 1] - self.offsets[chosen]
        firsts = np.cumsum(lengths) - lengths
        return np.asarray(np.arange(lengths.sum()) + np.repeat(starts - firsts, lengths))

    def batches(self, size: int, rng: np.random.Generator, games: Any = None) -> Iterator[Sample]:
        """All actions once, or those of some games, in a random order, `size` at a time; fewer in the last batch."""
        size = check_integer("size", size, 1)
        if not isinstance(rng, np.random.Generator):
            raise UnknownOption(f"rng must be a NumPy generator such as np.random.default_rng(1), not {rng!r}")
        order = rng.permutation(len(self) if games is None else self.rows(games))
        for start in range(0, len(order), size):
            rows = np.sort(order[start : start + size])
            yield Sample(*(getattr(self, name)[rows] for name in ROWS))

    def _checked(self, game: int) -> int:
        return check_integer("game", game, 0, self.num_games - 1)


def _about(file: Path) -> tuple[str, Codec, tuple[str, ...]]:
    with file.open(encoding="utf-8") as opened:
        about = json.loads(opened.read(MOST_META))
    match about:
        case {"format": int(version), "game": str(game), "encoding": str(encoding), "files": list(files)}:
            if version != FORMAT:
                raise ValueError(f"its format is {version}, and this version of Ludus reads {FORMAT}")
            return game, Codec(find_encoding(encoding)), tuple(map(str, files))
    raise ValueError("dataset.json is not that of a dataset")
