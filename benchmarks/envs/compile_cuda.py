"""Compiles every CUDA kernel of the environments, without a GPU: `python -m benchmarks.envs.compile_cuda`.

It needs the CUDA toolkit: libnvvm, libnvrtc and ptxas. `CUDA_HOME` says where it is. For each kernel it prints the
registers and the bytes of stack and spills that ptxas reports. `--arch 80` compiles for an A100 instead of an H200.
"""

from __future__ import annotations

import argparse
import inspect
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

from numba import boolean, float32, float64, int8, int16, int64, types

from benchmarks.report import heading, row
from ludus.core.cuda import cuda
from ludus.envs.batched import cuda as batched
from ludus.envs.batched.afterstates import cuda as afterstates
from ludus.envs.batched.environment import LAYOUTS
from ludus.envs.encoding import Encoding, games, versions
from ludus.envs.expectimax import cuda as expectimax
from ludus.envs.jax import cuda as jax_cuda
from ludus.envs.sampling import cuda as sampling


class Missing(Exception):
    """A part of the toolkit is not there."""


class Kernel(NamedTuple):
    name: str
    function: Any
    arguments: tuple[Any, ...]


class Figures(NamedTuple):
    registers: int
    stack: int
    spills: int


def array(kind: Any, dimensions: int = 1, layout: Literal["C", "A"] = "C") -> Any:
    return types.Array(kind, dimensions, layout)


ROW, TABLE = array(int64), array(int64, 2)
NAMES = {
    ROW: "actions bad bits child_flat chosen counts counters flat games history illegal initial keys mask moves "
    "observation offsets out outcomes past scratch starts sums totals waiting weights",
    TABLE: "children dice last listed new rows source state states target",
    int64: "counter first limit player_word purpose seed steps tag task threads width",
    boolean: "has_keys has_logits is_any_good is_greedy is_random scored show wants_log",
    array(int8): "discount pieces terminated to_play truncated which",
    array(float32): "log_probs",
    array(float32, 2): "logits scores",
    array(float64): "values worth",
    float32: "scale",
}
PARAMETERS = {name: kind for kind, names in NAMES.items() for name in names.split()}
"""The types of the kernels' parameters, which mean the same wherever they have the same name."""
EXCEPTIONS: dict[tuple[str, str], Any] = {
    ("step_moves", "moves"): array(int16, 2),
    ("write_all", "actions"): array(int16, 2),
    ("top_k_all", "actions"): TABLE,
    ("log_softmax_all", "out"): array(float32, 2),
}


def kernels() -> Iterator[Kernel]:
    for game in games():
        for encoding in versions(game).values():
            for layout, number in LAYOUTS.items():
                yield from game_kernels(encoding, layout, number)
            name = encoding.name
            run = jax_cuda.make_kernel(encoding.kernel).py_func
            yield Kernel(f"{name}, JAX: {run.__name__}", run, jax_cuda.SIGNATURE.args)
            yield typed(f"{name}, random draws", sampling.random_kernel(encoding.kernel))
            yield typed(f"{name}, draws", sampling.column_kernel(encoding.kernel))
    for is_packed in (False, True):
        mask = {"mask": TABLE if is_packed else array(int8, 2)}
        for function in sampling.kernels(is_packed):
            yield typed(f"masks, {'packed' if is_packed else 'bytes'}", function, mask)
            if "keys" in inspect.signature(function.py_func).parameters:  # those of no game have gaps
                gaps = array(int64, 1, "A")
                yield typed("masks, a seed", function, mask | {"keys": gaps, "counters": gaps})
    for function in afterstates.segment_kernels():
        yield typed("after-states", function)
    yield typed("after-states, float32", afterstates.segment_kernels().best, {"values": array(float32)})
    for kind in (int8, int16):
        yield typed(f"expectimax, {kind}", expectimax.add_values, {"reward": array(kind)})
    yield typed("expectimax, float32", expectimax.add_values, {"reward": array(int8), "values": array(float32)})
    yield typed("expectimax", expectimax.back_up)
    for function in (afterstates.scan_blocks, afterstates.add_sums):
        yield typed("after-states", function, {"values": ROW})
    for function in (batched.copy_columns, batched.copy_rows):
        yield typed("copies", function)


def game_kernels(encoding: Encoding, layout: str, number: int) -> Iterator[Kernel]:
    """Those of one layout; a game without dice has none to set."""
    kernel, reward = encoding.kernel, {"reward": array(int8 if encoding.reward.__name__ == "int8" else int16)}
    name = f"{encoding.name}, {layout}"
    with_dice = ("count_rolls", "expand_rolls", "set_dice")
    for part, function in batched.kernels(kernel, number)._asdict().items():
        if getattr(kernel, "MOST_ROLLS", 1) > 1 or part not in with_dice:
            yield typed(name, function, reward)
    if hasattr(kernel, "MOST_MOVES"):
        for function in afterstates.kernels(kernel, number):
            yield typed(f"{name}, after-states", function, reward)


def typed(name: str, function: Any, more: dict[str, Any] | None = None) -> Kernel:
    """With the types that a launch has."""
    plain, known = function.py_func, PARAMETERS | (more or {})
    parameters = inspect.signature(plain).parameters
    arguments = tuple(EXCEPTIONS.get((plain.__name__, each)) or known[each] for each in parameters)
    return Kernel(f"{name}: {plain.__name__}", plain, arguments)


def find_ptxas() -> str:
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
    found = shutil.which("ptxas", path=f"{home}/bin{os.pathsep}{os.environ.get('PATH', '')}")
    if not found:
        raise Missing("ptxas")
    return found


def check_compiler(capability: tuple[int, int]) -> None:
    """Numba compiles with libnvvm and libnvrtc, which it loads at the first use."""

    def nothing(out: Any) -> None:
        out[0] = 0

    try:
        cuda.compile_ptx(nothing, types.void(ROW), cc=capability)
    except Exception as error:  # each missing part has one of its own
        raise Missing(str(error).partition("\n")[0]) from error


def compile_kernel(kernel: Kernel, capability: tuple[int, int], ptxas: str) -> Figures:
    ptx, _ = cuda.compile_ptx(kernel.function, types.void(*kernel.arguments), cc=capability)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernel.ptx"
        source.write_text(ptx)
        arch = f"-arch=sm_{capability[0]}{capability[1]}"
        command = [ptxas, arch, "-v", str(source), "-o", str(source.with_suffix(".cubin"))]
        report = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    return read_figures(report)


def read_figures(report: str) -> Figures:
    """The most of any function in it."""
    patterns = (r"Used (\d+) registers", r"(\d+) bytes stack frame", r"(\d+) bytes spill stores")
    return Figures(*(max(map(int, re.findall(pattern, report))) for pattern in patterns))


def main() -> int:
    parser = argparse.ArgumentParser(description="compiles the CUDA kernels of the environments, without a GPU")
    parser.add_argument("--arch", type=int, default=90, help="compute capability, 90 for an H200 (%(default)s)")
    capability = divmod(parser.parse_args().arch, 10)
    dispatcher: Any = import_module("numba.cuda.dispatcher")
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)  # there is none to ask
    try:
        ptxas = find_ptxas()
        check_compiler(capability)
    except Missing as missing:
        print(f"the CUDA toolkit is needed: libnvvm, libnvrtc and ptxas; set CUDA_HOME ({missing})", file=sys.stderr)
        return 2
    heading("kernel", "registers", "stack, bytes", "spilled, bytes")
    compiled = [report(kernel, capability, ptxas) for kernel in kernels()]
    print(f"{sum(compiled)} of {len(compiled)} kernels compile for sm_{capability[0]}{capability[1]}")
    return 0 if all(compiled) else 1


def report(kernel: Kernel, capability: tuple[int, int], ptxas: str) -> bool:
    """Prints a row; whether it compiles."""
    try:
        row(kernel.name, *compile_kernel(kernel, capability, ptxas))
    except Exception as error:  # the rest is compiled all the same
        row(kernel.name, type(error).__name__, str(error)[-600:], "")
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
