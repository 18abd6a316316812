"""Random numbers as a pure function of a key and a counter: the same in the interpreter, on a CPU and on a GPU.

Each game has its own key, made from the environment's seed and the game's index. Numbers have 32 bits, and products
stay below 2**63. The constants of `mix` are Ellis Hamilton's, found by a search for low bias.
"""

from __future__ import annotations

LOW = 0xFFFFFFFF
POLICY = 0x5BD1E995
"""Mixed into the key for the choices of a random policy, so that they don't affect the dice."""


def mix(word: int) -> int:
    """Scrambles a 32-bit number so that each input bit changes half of the output bits."""
    word = (word ^ word >> 16) * 0x21F0AAAD & LOW
    word = (word ^ word >> 15) * 0x735A2D97 & LOW
    return word ^ word >> 15


def key_of(seed: int, index: int) -> int:
    """The key of one game; only the low 63 bits of the seed count."""
    low = mix(seed & LOW ^ mix(index))
    high = mix(((seed >> 32) + low) & LOW) ^ mix(index ^ 0x9E3779B9)
    return low | (high & 0x7FFFFFFF) << 32


def draw(key: int, purpose: int, counter: int) -> int:
    """A number below 2**32."""
    word = mix((counter + (key & LOW) ^ purpose) & LOW)
    return mix((word + (key >> 32) + (counter >> 32)) & LOW)


def below(number: int, limit: int) -> int:
    """A 32-bit number scaled to 0 .. limit - 1; for a few dozen choices the bias is below 1 in 10**7."""
    return number * limit >> 32
