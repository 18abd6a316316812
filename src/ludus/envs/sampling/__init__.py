"""Draws legal actions from masks and logits, compiled, on a CPU or a GPU.

All functions take NumPy's arrays, torch's tensors and arrays of a GPU without a copy. A random number is a function of
seed, row and counter, as in batches.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from ludus.core.errors import MalformedObservation, UnknownOption
from ludus.envs.batched.streams import LOW
from ludus.envs.options import check_integer, check_seed
from ludus.envs.policy import check_temperature
from ludus.envs.sampling import arrays, cpu, rows
from ludus.envs.sampling.arrays import Shape
from ludus.envs.sampling.cpu import NO_KEYS, Numbers, Softmax

__all__ = ["Sample", "TopK", "gumbel_top_k", "log_softmax", "sample"]

STEEPEST = float(np.finfo(np.float32).max)


class Sample(NamedTuple):
    """An action for each row, and its log-probability, in arrays on the mask's device."""

    actions: Any
    log_probs: Any


class TopK(NamedTuple):
    """Actions of each row, the best first, and logit plus noise; -1 and minus infinity if a row has fewer."""

    actions: Any
    scores: Any


@overload
def sample(
    mask: Any,
    logits: Any = None,
    *,
    seed: int | None = None,
    counter: int = 0,
    temperature: float = 1.0,
    log_probs: Literal[False] = False,
    game: str | None = None,
    check: bool = True,
    threads: int | None = None,
) -> Any: ...


@overload
def sample(
    mask: Any,
    logits: Any = None,
    *,
    seed: int | None = None,
    counter: int = 0,
    temperature: float = 1.0,
    log_probs: Literal[True],
    game: str | None = None,
    check: bool = True,
    threads: int | None = None,
) -> Sample: ...


def sample(
    mask: Any,
    logits: Any = None,
    *,
    seed: int | None = None,
    counter: int = 0,
    temperature: float = 1.0,
    log_probs: bool = False,
    game: str | None = None,
    check: bool = True,
    threads: int | None = None,
) -> Any:
    """A legal action for each row: from the softmax of its logits, or each with the same chance.

    The same seed and counter give the same actions; without a seed they are different each time. At temperature 0 the
    action with the highest logit is chosen, of equal ones the first. With `log_probs` a `Sample` is returned. `game`
    names the game of a packed mask. Without `check` the host doesn't wait for a GPU, and a bad row gets action -1.
    """
    mask = arrays.detached(mask)
    shape, numbers, softmax = arrays.shape_of(mask, game), _numbers(seed, counter), _softmax(temperature)
    if logits is not None:
        logits = arrays.checked_logits(logits, shape.rows, shape.actions)
    actions, logs = _new(mask, shape.rows, np.int64), _new(mask, shape.rows, np.float32) if log_probs else None
    draw(mask, logits, shape, numbers, softmax, Sample(actions, logs), check, threads, is_on_device(mask))
    return Sample(actions, logs) if log_probs else actions


def log_softmax(
    mask: Any,
    logits: Any,
    *,
    temperature: float = 1.0,
    game: str | None = None,
    check: bool = True,
    threads: int | None = None,
) -> Any:
    """The log-probability of every action, minus infinity where it is illegal; no gradients."""
    mask = arrays.detached(mask)
    shape, softmax = arrays.shape_of(mask, game), _softmax(temperature)
    if softmax.is_greedy:
        raise UnknownOption("a temperature of 0 has no log-probabilities")
    logits = arrays.checked_logits(logits, shape.rows, shape.actions)
    out = _new(mask, (shape.rows, shape.actions), np.float32)
    if is_on_device(mask):
        _refuse(_cuda().log_softmax(mask, logits, shape, softmax, out, check))
    else:
        _refuse(cpu.log_softmax(mask, logits, shape, softmax, out, threads))
    return out


def gumbel_top_k(
    mask: Any,
    logits: Any,
    k: int,
    *,
    seed: int | None = None,
    counter: int = 0,
    game: str | None = None,
    check: bool = True,
    threads: int | None = None,
) -> TopK:
    """Draws up to `k` different actions for each row, as if one by one from the softmax of its logits."""
    mask = arrays.detached(mask)
    shape, numbers = arrays.shape_of(mask, game), _numbers(seed, counter)
    logits = arrays.checked_logits(logits, shape.rows, shape.actions)
    size = shape.rows, check_integer("k", k, 1, shape.actions)
    found = TopK(_new(mask, size, np.int64), _new(mask, size, np.float32))
    if is_on_device(mask):
        _refuse(_cuda().top_k(mask, logits, shape, numbers, *found, check))
    else:
        _refuse(cpu.top_k(mask, logits, shape, numbers, *found, threads))
    return found


def sample_batch(env: Any, logits: Any, temperature: float, stream: int, log_probs: bool, check: bool) -> Any:
    """Implements `Batch.sample`: the random numbers are those of the games.

    On a CPU, Python takes as much time here as the draws do, so little is looked up or called twice.
    """
    found, is_random = env._samples, logits is None and stream == 0
    purpose, softmax = _settings(temperature, stream)
    if logits is not None:
        logits = arrays.checked_logits(logits, env.num_envs, env.num_actions)
    if log_probs or not is_random:
        _draw_games(env, logits, softmax, purpose, log_probs, check)
    if is_random and env.device == "cpu":
        env._draw_random()
    elif is_random:
        _cuda().sample_random(env._kernel, env._state, found.actions)
    return found if log_probs else found.actions


def _draw_games(env: Any, logits: Any, softmax: Softmax, purpose: int, log_probs: bool, check: bool) -> None:
    """Draws from the columns of the batch if the kernel can tell the legal actions from them, else from the mask."""
    if env.device == "cpu" and env._sampler.can_list:
        if type(logits) is not np.ndarray:
            _check_host(logits)
        _refuse(env._draw(logits, purpose, softmax, log_probs))
        return
    state, kernel, found = env._state, env._kernel, env._samples
    if env.device == "cuda" and hasattr(kernel, "write_legal"):
        logs = found.log_probs if log_probs else None
        _refuse(_cuda().sample_columns(kernel, state, logits, purpose, softmax, found.actions, logs, check))
        return
    numbers = Numbers(state[kernel.KEY], state[kernel.STEPS], True, 0, 0, purpose)
    shape = Shape(env.num_envs, env.num_actions, env._encoding if env.layout == "packed" else None)
    out = found if log_probs else Sample(found.actions, None)
    draw(env.action_mask, logits, shape, numbers, softmax, out, check, env._threads, env.device == "cuda")


def new_samples(like: Any, number: int) -> Sample:
    """Room for the actions and log-probabilities of `number` rows, on the device of an array."""
    return Sample(_new(like, number, np.int64), _new(like, number, np.float32))


def draw(
    mask: Any,
    logits: Any,
    shape: Shape,
    numbers: Numbers,
    softmax: Softmax,
    out: Sample,
    check: bool,
    threads: int | None,
    on_device: bool,
) -> None:
    """Fills `out`, whose log-probabilities may be None."""
    if on_device:
        _refuse(_cuda().sample(mask, logits, shape, numbers, softmax, *out, check))
        return
    _check_host(logits)
    _refuse(cpu.sample(mask, logits, shape, numbers, softmax, *out, threads))


def is_on_device(array: Any) -> bool:
    """Whether it is one of Numba's device arrays, or shares the memory of one."""
    if isinstance(array, np.ndarray):
        return False
    return hasattr(array, "__cuda_ndarray__") or hasattr(array, "__cuda_array_interface__")


def _check_host(logits: Any) -> None:
    if is_on_device(logits):
        raise UnknownOption("the logits are on a GPU, but the mask is not")


def _cuda() -> Any:
    from ludus.envs.sampling import cuda

    return cuda


def _new(like: Any, shape: int | tuple[int, ...], kind: Any) -> Any:
    """An uninitialised array on the device of another one."""
    return _cuda().device_array(shape, kind) if is_on_device(like) else np.empty(shape, kind)


def _numbers(seed: int | None, counter: int) -> Numbers:
    counter = check_integer("counter", counter, 0, (1 << 63) - 1)
    return Numbers(NO_KEYS, NO_KEYS, False, check_seed(seed), counter, _purpose(0))


@lru_cache
def _purpose(stream: int) -> int:
    return rows.purpose_of(stream)


def _settings(temperature: float, stream: int) -> tuple[int, Softmax]:
    """The number that distinguishes the stream from others, and how steep the softmax is."""
    if type(temperature) is not float or type(stream) is not int:
        check_temperature(temperature)
        temperature, stream = float(temperature), check_integer("stream", stream, 0, LOW)
    return _settings_of(temperature, stream)


@lru_cache
def _settings_of(temperature: float, stream: int) -> tuple[int, Softmax]:
    return _purpose(check_integer("stream", stream, 0, LOW)), _softmax(temperature)


def _softmax(temperature: float) -> Softmax:
    check_temperature(temperature)
    return _softmax_of(float(temperature))


@lru_cache
def _softmax_of(temperature: float) -> Softmax:
    steepness = math.log2(math.e) / temperature if temperature > 1e-38 else STEEPEST
    return Softmax(np.float32(min(steepness, STEEPEST)), temperature == 0)


def _refuse(row: int) -> None:
    if row >= 0:
        raise MalformedObservation(
            f"row {row} has no action to draw: the mask allows none, or a logit is not a number or infinite"
        )
