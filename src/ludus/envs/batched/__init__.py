"""Many games at once on a CPU or a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from ludus.core.errors import UnknownOption
from ludus.envs.batched.environment import Batch, Options

if TYPE_CHECKING:
    from ludus.envs.batched.cpu import CpuBatch
    from ludus.envs.batched.functions import StatelessEnv


@overload
def batch(
    game: str, num_envs: int, *, device: Literal["cpu"] = "cpu", threads: int | None = None, **options: Unpack[Options]
) -> CpuBatch: ...


@overload
def batch(game: str, num_envs: int, *, device: str, **options: Unpack[Options]) -> Batch[Any]: ...


def batch(game: str, num_envs: int, *, device: str = "cpu", **options: Any) -> Batch[Any]:
    """A batched environment on `cpu` or `cuda`; see `Batch` for the options."""
    if device == "cpu":
        from ludus.envs.batched.cpu import CpuBatch

        return CpuBatch(game, num_envs, **options)
    if device == "cuda":
        from ludus.envs.batched.cuda import CudaBatch

        return CudaBatch(game, num_envs, **options)
    raise UnknownOption(f"there is no device {device!r}; there are cpu, cuda")


def stateless(game: str, *, device: str = "cpu", **options: Any) -> StatelessEnv[Any]:
    """Pure functions over states on `cpu` or `cuda`, with the options of a batch except `seed`."""
    if device == "cpu":
        from ludus.envs.batched.cpu import CpuStatelessEnv

        return CpuStatelessEnv(game, **options)
    if device == "cuda":
        from ludus.envs.batched.cuda import CudaStatelessEnv

        return CudaStatelessEnv(game, **options)
    raise UnknownOption(f"there is no device {device!r}; there are cpu, cuda")
