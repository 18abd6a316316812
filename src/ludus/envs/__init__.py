"""Environments for learning code: PettingZoo, Gymnasium and batches of games. The rules are those of `ludus.games`.

Importing this registers the environments with PettingZoo and Gymnasium if they are installed, as the extra `envs`
does; batches need neither.
"""

from __future__ import annotations

from importlib.util import find_spec

from ludus.envs.batched import batch, stateless
from ludus.envs.codecs import codec
from ludus.envs.encoding import find_encoding, games

__all__ = ["batch", "codec", "stateless"]

if find_spec("pettingzoo"):
    import pettingzoo

    for _game in games():
        _ids = find_encoding(_game).aec_envs
        for _id, _entry in _ids.items():
            pettingzoo.register("aec", f"ludus/{_id}", entry_point=_entry)
        if not _ids:
            pettingzoo.register("aec", f"ludus/{_game}-v0", entry_point="ludus.envs.aec:env", kwargs={"game": _game})

if find_spec("gymnasium"):
    from ludus.envs.gym import register

    register()
