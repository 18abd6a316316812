"""Masked softmax, compiled: the weights of actions are integers, so that every device draws the same ones.

A weight is exp((logit - highest) / temperature) with thirty bits after the point. It takes a subtraction and a product
of float32, which are the same everywhere, and a polynomial in integers. Sums of integers don't depend on the order of
their terms, so it doesn't matter how a device shares out the actions of a row.

`mask` is flat and has bytes in either layout; `bits` says which bit of a packed row stands for which action.
"""

from __future__ import annotations

import math
from typing import Any

from ludus.core.bits import count, nth, read_half
from ludus.envs.batched.streams import LOW, draw, key_of, mix

POINT = 30
ONE = 1 << POINT
LEAST = -31.0
"""The binary logarithm below which a weight is 0."""
FRACTION = 26
C1, C2, C3, C4, C5, C6 = -744261112, 257940802, -59591844, 10304738, -1386885, 123394
"""2 ** -x = 1 + C1 * x + C2 * x ** 2 and so on for x from 0 to 1, with a relative error of 2e-8."""
GOLDEN = 0x9E3779B9
LOG_ONE = POINT * math.log(2)
LOG_2 = math.log(2)


def purpose_of(stream: int) -> int:
    """What tells the draws of one stream from those of others, of the dice and of random play."""
    return mix((stream + GOLDEN) & LOW)


def higher(value: float, highest: float) -> float:
    """The greater of two logits, or NaN if either is one."""
    if highest != highest or value <= highest:  # NaN differs from itself
        return highest
    return value


def weight_of(value: float, highest: float, scale: float, is_greedy: bool) -> int:
    """`scale` is log2(e) / temperature. Without a finite highest logit it is 0 for all actions."""
    if is_greedy:
        return 1 if value - highest == 0 else 0
    exponent = (value - highest) * scale
    if not exponent > LEAST:
        return 0
    distance = int(exponent * -(1 << FRACTION))
    part = distance & (1 << FRACTION) - 1
    power = C5 + (C6 * part >> FRACTION)
    power = C4 + (power * part >> FRACTION)
    power = C3 + (power * part >> FRACTION)
    power = C2 + (power * part >> FRACTION)
    power = C1 + (power * part >> FRACTION)
    return ONE + (power * part >> FRACTION) >> (distance >> FRACTION)


def scaled(number: int, total: int) -> int:
    """A 32-bit number scaled to 0 .. total - 1, for totals below 2**47."""
    return (number * (total >> 16) >> 16) + (number * (total & 0xFFFF) >> 32)


def log_probability(value: float, highest: float, scale: float, is_greedy: bool, total: int) -> float:
    """Of an action with this logit in a row of this total weight."""
    return 0.0 if is_greedy else float(value - highest) * scale * LOG_2 - (math.log(total) - LOG_ONE)


def gumbel(word: int, action: int) -> float:
    """Noise for one action of a row; `word` is the row's random number."""
    uniform = (mix((word + action * GOLDEN) & LOW) + 0.5) / (LOW + 1)
    return -math.log(-math.log(uniform))


def is_legal_bit(mask: Any, at: int, bit: int) -> bool:
    """In a packed row of bytes; `bit` is negative for an action without one."""
    return bit >= 0 and (mask[at + (bit >> 3)] >> (bit & 7) & 1) != 0


def read_word(mask: Any, at: int) -> Any:
    """Eight bytes, the lowest first."""
    low = mask[at] & 255 | (mask[at + 1] & 255) << 8 | (mask[at + 2] & 255) << 16 | (mask[at + 3] & 255) << 24
    high = mask[at + 4] & 255 | (mask[at + 5] & 255) << 8 | (mask[at + 6] & 255) << 16 | (mask[at + 7] & 255) << 24
    return low | high << 32


def read_legal(mask: Any, at: int, width: int, actions: Any, legal: Any) -> None:
    """The legal actions of a row as sets of 64. A packed row has as many bits as `actions`, a row of bytes none."""
    if len(actions):
        read_packed(mask, at, actions, legal)
        return
    for part in range(width >> 6):
        legal[part] = read_half(mask, at + 64 * part) | read_half(mask, at + 64 * part + 32) << 32
    rest = width & 63
    if rest:
        legal[width >> 6] = read_rest(mask, at + width - rest, rest, width >= 32)


def read_rest(mask: Any, at: int, rest: int, is_long: bool) -> int:
    """Fewer than 64 bytes. In a long row the last thirty-two may overlap with those read before."""
    if not is_long:
        found = 0
        for part in range(rest):
            found |= (1 << part) if mask[at + part] else 0
        return found
    last = read_half(mask, at + rest - 32)
    return last >> (32 - rest) if rest <= 32 else read_half(mask, at) | last << (rest - 32)


def read_packed(mask: Any, at: int, actions: Any, legal: Any) -> None:
    for part in range(len(legal)):
        legal[part] = 0
    for word in range(len(actions) >> 6):
        left = read_word(mask, at + 8 * word)
        while left:
            action = actions[64 * word + count((left & -left) - 1)]
            if action >= 0:
                legal[action >> 6] |= 1 << (action & 63)
            left &= left - 1


def count_legal(legal: Any) -> int:
    total = 0
    for part in range(len(legal)):
        total += count(legal[part])
    return total


def nth_legal(legal: Any, number: int) -> int:
    part = 0
    while number >= count(legal[part]):
        number -= count(legal[part])
        part += 1
    return 64 * part + nth(legal[part], number)


def gather(legal: Any, logits: Any, at: int, found: Any, values: Any) -> int:
    """Lists the legal actions of a row and their logits."""
    number = 0
    for part in range(len(legal)):
        left = legal[part]
        while left:
            action = 64 * part + count((left & -left) - 1)
            found[number] = action
            values[number] = logits[at + action]
            number += 1
            left &= left - 1
    return number


def weigh(values: Any, number: int, scale: float, is_greedy: bool, sums: Any) -> Any:
    """The cumulative weights of the first logits; returns the highest of these."""
    highest, total, has_nan = values[0], 0, False
    for k in range(number):
        has_nan |= values[k] != values[k]  # NaN differs from itself
        highest = values[k] if values[k] > highest else highest
    if has_nan:
        highest = values[0] * math.nan
    for k in range(number):
        total += weight_of(values[k], highest, scale, is_greedy)
        sums[k] = total
    return highest


def sample_row(legal: Any, logits: Any, at: int, word: int, softmax: Any, wants_log: bool, scratch: Any) -> Any:
    """An action, and its log-probability if wanted; -1 without a legal action or a finite highest logit."""
    scale, is_greedy = softmax
    found, values, sums = scratch
    number = gather(legal, logits, at, found, values)
    if number == 0:
        return -1, math.nan
    highest = weigh(values, number, scale, is_greedy, sums)
    total = sums[number - 1]
    if total == 0:
        return -1, math.nan
    mark = 0 if is_greedy else scaled(word, total)
    k = 0
    for other in range(number):
        k += sums[other] <= mark
    return found[k], log_probability(values[k], highest, scale, is_greedy, total) if wants_log else 0.0


def uniform_row(legal: Any, word: int, wants_log: bool) -> Any:
    total = count_legal(legal)
    if total == 0:
        return -1, math.nan
    return nth_legal(legal, scaled(word, total)), -math.log(total) if wants_log else 0.0


def word_of(numbers: Any, row: int) -> int:
    """The random number of a row: a function of its game's key and counter, or of the seed's."""
    keys, counters, has_keys, seed, counter, purpose = numbers
    if has_keys:
        return draw(keys[row], purpose, counters[row])
    return draw(key_of(seed, row), purpose, counter)


def sample_rows(
    first: int, masks: Any, logits: Any, numbers: Any, softmax: Any, actions: Any, log_probs: Any, scratch: Any
) -> int:
    """Draws for the rows from `first` on; `log_probs` may be empty. Returns the first bad row, or -1."""
    mask, stride, width, packed = masks
    values, value_stride = logits
    legal, buffers, wants_log, bad = scratch[0], scratch[1:], len(log_probs) > 0, -1
    for i in range(len(actions)):
        row = first + i
        read_legal(mask, row * stride, width, packed, legal)
        word = word_of(numbers, row)
        if len(values):
            action, log = sample_row(legal, values, row * value_stride, word, softmax, wants_log, buffers)
        else:
            action, log = uniform_row(legal, word, wants_log)
        actions[i] = action
        if wants_log:
            log_probs[i] = log
        if action < 0 and bad < 0:
            bad = row
    return bad


def log_softmax_rows(first: int, masks: Any, logits: Any, softmax: Any, out: Any, scratch: Any) -> int:
    """Log-probabilities of all actions, minus infinity for illegal ones. Returns the first bad row, or -1."""
    mask, stride, width, packed = masks
    values, value_stride = logits
    scale, is_greedy = softmax
    legal, found, some, sums = scratch
    bad = -1
    for i in range(len(out)):
        row = first + i
        read_legal(mask, row * stride, width, packed, legal)
        number = gather(legal, values, row * value_stride, found, some)
        highest = weigh(some, number, scale, is_greedy, sums) if number else values[0]
        total = sums[number - 1] if number else 0
        for action in range(width):
            out[i, action] = -math.inf if total else math.nan
        for k in range(number if total else 0):
            out[i, found[k]] = log_probability(some[k], highest, scale, is_greedy, total)
        if total == 0 and bad < 0:
            bad = row
    return bad


def insert(scores: Any, actions: Any, row: int, score: float, action: int) -> None:
    """Keeps the scores of a row sorted, the highest first; the last one drops out."""
    k = scores.shape[1] - 1
    while k >= 0 and scores[row, k] < score:
        if k + 1 < scores.shape[1]:
            scores[row, k + 1] = scores[row, k]
            actions[row, k + 1] = actions[row, k]
        k -= 1
    if k + 1 < scores.shape[1]:
        scores[row, k + 1] = score
        actions[row, k + 1] = action


def clear(scores: Any, actions: Any, row: int) -> None:
    for k in range(scores.shape[1]):
        scores[row, k] = -math.inf
        actions[row, k] = -1


def top_k_rows(first: int, masks: Any, logits: Any, numbers: Any, actions: Any, scores: Any, scratch: Any) -> int:
    """The actions with the highest sum of logit and Gumbel noise. Returns the first bad row, or -1."""
    mask, stride, width, packed = masks
    values, value_stride = logits
    legal, found, some, _ = scratch
    bad = -1
    for i in range(len(actions)):
        row = first + i
        read_legal(mask, row * stride, width, packed, legal)
        number = gather(legal, values, row * value_stride, found, some)
        word = word_of(numbers, row)
        clear(scores, actions, i)
        is_bad = number == 0
        for k in range(number):
            is_bad |= not some[k] < math.inf
            insert(scores, actions, i, some[k] + gumbel(word, found[k]), found[k])
        if (is_bad or actions[i, 0] < 0) and bad < 0:
            bad = row
    return bad
