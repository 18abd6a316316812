"""Compares batches on another stream than the default one, and in CUDA graphs, with the CPU's.

NUMBA_ENABLE_CUDASIM=1 python -m tests.envs.batched.graphs 16 6    # games, steps; without a GPU
python -m tests.envs.batched.graphs 4096 200 checkers backgammon    # with torch; all versions without names
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from tests.envs import strict_cuda
from tests.envs.batched import gpu
from tests.envs.batched.gpu import DEVICES, check_same, host, must_raise
from tests.envs.sampling import gpu as sampling_gpu

from ludus.core.cuda import cuda, current_stream, on_stream, to_device
from ludus.core.errors import IllegalAction, NotCapturable
from ludus.envs import batch, sampling, stateless
from ludus.envs.batched.cuda import IS_SIMULATED, grid_of
from ludus.envs.batched.environment import LAYOUTS
from ludus.envs.expectimax import expectimax

GAMES = ("checkers", "checkers_v5", "backgammon", "backgammon_v1")
KINDS = 97
"""Positions told apart by the network."""
AT_ONCE = 8
"""Steps in the longer graph."""


class Network(NamedTuple):
    """Logits that depend on the legal actions, computed in integers: the same everywhere."""

    weights: Any
    table: Any

    def on_host(self, env: Any) -> Any:
        return self.table[(env.action_mask.astype(np.int64) * self.weights).sum(1) % KINDS]


def some_network(actions: int) -> Network:
    rng = np.random.default_rng(4)
    return Network(rng.integers(1, 1000, actions), rng.normal(scale=2, size=(KINDS, actions)).astype(np.float32))


class OfTorch:
    """torch's streams and graphs, on a GPU."""

    def __init__(self) -> None:
        self._torch: Any = import_module("torch")
        self.stream = self._torch.cuda.Stream()

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Everything on a stream of torch's, which the default one doesn't wait for."""
        self._torch.cuda.synchronize()
        with self._torch.cuda.stream(self.stream), on_stream(self.stream):
            yield
        self.stream.synchronize()

    def capture(self, env: Any, work: Callable[[], Any]) -> Callable[[], None]:
        graph = self._torch.cuda.CUDAGraph()
        with self._torch.cuda.graph(graph), env.on_stream(self._torch.cuda.current_stream()):
            work()
        return graph.replay  # type: ignore[no-any-return]

    def network(self, env: Any, given: Network) -> Callable[[], Any]:
        torch = self._torch
        mask = torch.as_tensor(env.action_mask, device="cuda")
        weights, table = (torch.as_tensor(part, device="cuda") for part in given)
        return lambda: table[(mask.long() * weights).sum(1) % KINDS]

    def finish(self) -> None:
        self._torch.cuda.synchronize()


class Simulated:
    """The same without a GPU: launches are recorded by the strict simulator."""

    def __init__(self) -> None:
        self.stream = strict_cuda.Stream(77)

    @contextmanager
    def beside(self) -> Iterator[None]:
        with strict_cuda.only_on(self.stream), on_stream(self.stream):
            yield

    def capture(self, env: Any, work: Callable[[], Any]) -> Callable[[], None]:
        with strict_cuda.capture(self.stream) as graph, env.on_stream(self.stream):
            work()
        return graph.replay

    def network(self, env: Any, given: Network) -> Callable[[], Any]:
        weights, table = (to_device(part) for part in given)
        logits = cuda.device_array((env.num_envs, env.num_actions), np.float32)

        def run() -> Any:
            look_up[grid_of(env.num_envs)](env.action_mask, weights, table, logits)
            return logits

        return run

    def finish(self) -> None:
        pass


@cuda.jit
def look_up(mask: Any, weights: Any, table: Any, logits: Any) -> None:
    i = cuda.grid(1)
    if i < mask.shape[0]:
        kind = 0
        for action in range(mask.shape[1]):
            kind += mask[i, action] * weights[action]
        for action in range(mask.shape[1]):
            logits[i, action] = table[kind % KINDS, action]


def compare(game: str, layout: str, games: int, steps: int, device: Any) -> None:
    compare_random(game, layout, games, steps, device)
    if layout == "bytes":
        compare_policy(game, games, steps, device)
        compare_sequence(game, games, steps, device)
        refuse_what_needs_the_host(game, games, device)
        find_illegal(game, games, device)
    print(f"{game}, {layout}: {games * steps} steps of graphs, the same", flush=True)


def compare_random(game: str, layout: str, games: int, steps: int, device: Any) -> None:
    cpu, gpu = both(game, games, layout)
    play(cpu, gpu, steps, device.capture(gpu, lambda: gpu.step(check=False)), cpu.step, device)


def compare_policy(game: str, games: int, steps: int, device: Any) -> None:
    """Network, draw and step, with log-probabilities."""
    cpu, gpu = both(game, games, "bytes")
    given = some_network(cpu.num_actions)
    network = device.network(gpu, given)

    def work() -> None:
        found = gpu.sample(network(), temperature=0.7, log_probs=True, check=False)
        gpu.step(found.actions, check=False)

    def on_cpu() -> None:
        cpu.step(cpu.sample(given.on_host(cpu), temperature=0.7, log_probs=True).actions)

    def look() -> None:
        """At the draws, whose arrays belong to the environments."""
        assert np.array_equal(cpu._samples.actions, host(gpu._samples.actions))
        assert np.allclose(cpu._samples.log_probs, host(gpu._samples.log_probs), rtol=1e-6, atol=1e-6)

    work()  # compiles
    on_cpu()
    play(cpu, gpu, steps, device.capture(gpu, work), on_cpu, device, look)


def compare_sequence(game: str, games: int, steps: int, device: Any) -> None:
    """Many steps in one graph."""
    cpu, gpu = both(game, games, "bytes")
    given = some_network(cpu.num_actions)
    network = device.network(gpu, given)

    def work() -> None:
        for _ in range(AT_ONCE):
            gpu.step(gpu.sample(network(), check=False), check=False)

    def on_cpu() -> None:
        for _ in range(AT_ONCE):
            cpu.step(cpu.sample(given.on_host(cpu)))

    work()
    on_cpu()
    play(cpu, gpu, -(-steps // AT_ONCE), device.capture(gpu, work), on_cpu, device)


def both(game: str, games: int, layout: str) -> Any:
    """The same batch on both devices; the kernels have run once."""
    found: Any = [batch(game, games, seed=5, layout=layout, max_steps=60, device=device) for device in DEVICES]
    for env in found:
        env.step()
    return found


def play(
    cpu: Any, gpu: Any, replays: int, replay: Any, on_cpu: Any, device: Any, look: Callable[[], None] = lambda: None
) -> None:
    check_same([cpu.save()], [gpu.save()])  # capturing has played nothing
    for _ in range(replays):
        replay()
        on_cpu()
        check_same(cpu._views, gpu._views)
        look()
    check_same(cpu.final, gpu.final)
    check_same([cpu.save()], [gpu.save()])
    for _ in range(3):  # without a look between them
        replay()
        on_cpu()
    device.finish()
    check_same(cpu._views, gpu._views)
    gpu.raise_illegal()


def refuse_what_needs_the_host(game: str, games: int, device: Any) -> None:
    """With an error of ours that leaves the capture as it was."""
    cpu, env = both(game, games, "bytes")
    functions: Any = stateless(game, device="cuda")
    states, actions, host_actions = functions.init(games), env.sample(), np.zeros(games, np.int64)
    env.afterstates()
    calls: list[Callable[[], Any]] = [
        env.reset, env.save, env.clone, env.raise_illegal, env.afterstates, env.positions,
        lambda: env.play(2), lambda: env.rollout(steps=2), lambda: env.final, lambda: env.restore(states),
        lambda: env.step(actions), lambda: env.step(host_actions, check=False), lambda: env.sample(stream=1),
        lambda: functions.step(states, check=False), lambda: functions.observe(states),
        lambda: sampling.sample(env.action_mask, game=game, check=False),
        lambda: env.step_afterstates(actions, check=False),
    ]  # fmt: skip

    def work() -> None:
        env.step(check=False)
        for call in calls:
            must_raise(NotCapturable, call)

    replay = device.capture(env, work)
    replay()
    cpu.step()
    check_same([cpu.save(), *cpu._views], [env.save(), *env._views])


def find_illegal(game: str, games: int, device: Any) -> None:
    _, env = both(game, games, "bytes")
    actions = to_device(np.full(games, -1, np.int64))
    before = host(env.save())
    replay = device.capture(env, lambda: env.step(actions, check=False))
    for _ in range(2):
        replay()
        must_raise(IllegalAction, env.raise_illegal)
        env.raise_illegal()
    assert np.array_equal(before, host(env.save()))


def compare_beside(names: Sequence[str], games: int, steps: int, device: Any) -> None:
    """All that batches, pure functions and draws can do, on a stream of its own."""
    with device.beside():
        assert int(current_stream()) == device.stream.cuda_stream
        for game in names:
            gpu.compare(game, "standard", "bytes", games, steps)
            sampling_gpu.compare(game, "bytes", games, 2)
            compare_ended(game)
        compare_lookahead(min(games, 100))
    print("on a stream of its own: the same", flush=True)


def compare_ended(game: str) -> None:
    """How all games looked when they were truncated."""
    cpu, gpu = (batch(game, 6, seed=1, max_steps=1, device=device) for device in DEVICES)
    check_same(cpu.step(), gpu.step())
    assert cpu.final.which.all()
    check_same(cpu.final, gpu.final)


def compare_lookahead(games: int) -> None:
    """Two moves ahead, by values that are the same on both devices."""
    cpu, gpu = (stateless("checkers", device=device) for device in DEVICES)
    ours = expectimax(cpu, cpu.init(games, seed=2), some_values, depth=2)
    theirs = expectimax(gpu, gpu.init(games, seed=2), lambda shown: to_device(some_values(shown)), depth=2)
    check_same([ours.worth, ours.chosen], [theirs.worth, theirs.chosen])


def some_values(shown: Any) -> Any:
    return np.arange(len(shown)) % 7 / 8


def main(games: int, steps: int, names: Sequence[str]) -> None:
    if IS_SIMULATED:
        strict_cuda.install()
    device: Any = Simulated() if IS_SIMULATED else OfTorch()
    for game in names:
        for layout in LAYOUTS:
            compare(game, layout, games, steps, device)
    compare_beside(names, games, min(steps, 20), device)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or GAMES)
