"""Shares the batched environment's GPU arrays with torch, CuPy and JAX without a copy.

PYTHONPATH=src python tests/envs/batched/sharing.py    # on a machine with a GPU and these libraries
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ludus.envs import batch


def address(array: Any) -> int:
    return int(array.__cuda_array_interface__["data"][0])


def main() -> None:
    torch, cupy, jax = (import_module(name) for name in ("torch", "cupy", "jax"))
    for game in ("checkers", "backgammon"):
        env = batch(game, 1024, device="cuda", seed=1)
        for ours in (env.observation, env.action_mask, env.to_play):
            tensor = torch.as_tensor(ours, device="cuda")
            assert tensor.data_ptr() == address(ours)
            assert cupy.asarray(ours).data.ptr == address(ours)
            theirs = jax.dlpack.from_dlpack(tensor.contiguous())
            is_padded = game == "backgammon" and ours.ndim == 2  # the one case in which JAX needs a copy
            assert (theirs.unsafe_buffer_pointer() == address(ours)) != is_padded
        mask = torch.as_tensor(env.action_mask, device="cuda")
        for _ in range(500):
            env.step(torch.multinomial(mask.float(), 1).squeeze(1))
        assert mask.any(dim=1).all()
        logits = torch.randn(1024, env.num_actions, device="cuda")
        drawn = env.sample(logits, log_probs=True)
        actions, found = (torch.as_tensor(array, device="cuda") for array in drawn)
        theirs = logits.masked_fill(mask == 0, -torch.inf).log_softmax(1).gather(1, actions[:, None]).squeeze(1)
        assert torch.allclose(found, theirs, atol=1e-5)
        print(f"{game}: torch, CuPy and JAX see the same memory")


if __name__ == "__main__":
    main()
