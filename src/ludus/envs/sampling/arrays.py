"""Masks and logits of any library as rows that compiled code reads in place."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ludus.core.errors import MalformedObservation, UnknownOption
from ludus.envs.encoding import Encoding, find_encoding

BYTES, PACKED, LOGITS = ("bool", "int8", "uint8"), ("int64",), ("float32",)
REAL = ("bool", "int", "uint", "float", "bfloat")
FLOAT32 = np.dtype(np.float32)
MAX_ACTIONS = 1 << 16


class Shape(NamedTuple):
    """The shape of a mask: its rows, the number of actions, and the encoding if it is packed."""

    rows: int
    actions: int
    encoding: Encoding | None


def detached(array: Any) -> Any:
    """A tensor without its gradient, which other libraries' arrays don't have."""
    return array if isinstance(array, np.ndarray) or not hasattr(array, "detach") else array.detach()


def readable(array: Any) -> Any:
    """A tensor as NumPy and Numba can read it: without its gradient, and of float32 if it is of bfloat16."""
    found = detached(array)
    return found.float() if dtype_of(found) == "bfloat16" and hasattr(found, "float") else found


def readable_row(values: Any) -> Any:
    """The same for a row of numbers, which may also be a list."""
    found = readable(values)
    return found if hasattr(found, "dtype") else np.asarray(found)


def on_host(array: Any) -> Any:
    """The array in the memory of the CPU, from any library."""
    if hasattr(array, "copy_to_host"):
        return array.copy_to_host()
    found = readable(array)
    return found.cpu().numpy() if hasattr(found, "cpu") else np.asarray(found)


def dtype_of(array: Any) -> str:
    """NumPy's name for the type, also for torch's types."""
    return _name_of(getattr(array, "dtype", type(array).__name__))


@cache
def _name_of(kind: Any) -> str:
    return str(kind).removeprefix("torch.")


def is_real(array: Any) -> bool:
    """Whether an array of any library has real numbers; NumPy has no kind for JAX's types, and torch's have none."""
    kind = getattr(array.dtype, "kind", "V")
    return kind in "biuf" or (kind == "V" and dtype_of(array).startswith(REAL))


def shape_of(mask: Any, game: Any = None) -> Shape:
    """`game` names the encoding of a packed mask, which has one bit for each action in an order of its own."""
    shape, kind = tuple(getattr(mask, "shape", ())), dtype_of(mask)
    if len(shape) != 2 or kind not in BYTES + PACKED or not 0 < shape[1] <= MAX_ACTIONS:
        raise MalformedObservation(
            f"a mask has a row a game, of bytes or booleans or of int64 if packed, not {kind} of shape {shape}"
        )
    if kind in BYTES:
        return Shape(shape[0], shape[1], None)
    if game is None:
        raise UnknownOption("a packed mask needs the game's name, which says what its bits mean")
    encoding = find_encoding(game)
    if shape[1] != encoding.kernel.PACKED_MASK:
        words = encoding.kernel.PACKED_MASK
        raise MalformedObservation(f"a packed mask of {encoding.name} has {words} words a row, not {shape[1]}")
    return Shape(shape[0], encoding.num_actions, encoding)


def checked_logits(logits: Any, rows: int, actions: int) -> Any:
    """The logits, without a tensor's gradient; raises if their shape or type is wrong."""
    if type(logits) is np.ndarray and logits.dtype == FLOAT32 and logits.shape == (rows, actions):
        return logits
    found, kind = tuple(getattr(logits, "shape", ())), dtype_of(logits)
    if found != (rows, actions) or kind not in LOGITS:
        raise MalformedObservation(f"logits must be float32 of shape {(rows, actions)}, not {kind} of shape {found}")
    return detached(logits)


def flat(array: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """All entries in one row, and the distance between the starts of two rows; a copy only if a row has gaps."""
    row: Any  # NumPy's own stubs have no positional flags, which take half the time
    if array.flags.c_contiguous:
        row, stride = array.ravel(), array.shape[1]
    else:
        if array.strides[1] != array.itemsize or array.strides[0] < 0 or array.strides[0] % array.itemsize:
            array = np.ascontiguousarray(array)
        stride = array.strides[0] // array.itemsize
        length = (len(array) - 1) * stride + array.shape[1] if len(array) else 0
        row = as_strided(array, (length,), (array.itemsize,))
    row.setflags(False)
    return row, stride


def flat_mask(mask: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """The same for a mask, as bytes."""
    entries, stride = flat(mask)
    return entries.view(np.int8), stride * mask.itemsize


@cache
def actions_of_bits(encoding: Encoding | None) -> NDArray[np.int64]:
    """The action that each bit of a packed row stands for, or -1; nothing for masks of bytes."""
    return np.zeros(0, np.int64) if encoding is None else encoding.packed_actions()


@cache
def bits_of_actions(encoding: Encoding) -> NDArray[np.int64]:
    """The bit of a packed row that stands for each action, or -1."""
    bits, actions = np.full(encoding.num_actions, -1, np.int64), actions_of_bits(encoding)
    used = np.flatnonzero(actions >= 0)
    bits[actions[used]] = used
    return bits
