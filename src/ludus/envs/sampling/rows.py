"""Masked softmax, compiled, for rows of masks and logits.

`mask` is flat, and in bytes for either layout; `bits` says which bit of a packed row stands for which action. The legal
actions of up to `ROWS` rows are in `sets` of 64 actions each.
"""

from __future__ import annotations

import math
from typing import Any

from ludus.core.bits import count, nth, read_half
from ludus.envs.batched.streams import LOW, draw, key_of, mix
from ludus.envs.sampling.lanes import LANES, count_up_to, gather, list_set, lower, weigh
from ludus.envs.sampling.weights import log_probability, weight_of

ROWS = 32
"""Rows that are drawn together, so that a processor doesn't wait for each step of each draw."""
WIDEST = 256
"""The most actions of a row that can be drawn with others: their ids are bytes."""
GOLDEN = 0x9E3779B9


def purpose_of(stream: int) -> int:
    """A number that distinguishes the draws of a stream from those of others, the dice and random play."""
    return mix((stream + GOLDEN) & LOW)


def higher(value: float, highest: float) -> float:
    """The greater of two logits, or NaN if either is one."""
    if highest != highest or value <= highest:  # NaN differs from itself
        return highest
    return value


def scaled(number: int, total: int) -> int:
    """A 32-bit number scaled to 0 .. total - 1, for totals below 2**47."""
    return (number * (total >> 16) >> 16) + (number * (total & 0xFFFF) >> 32)


def gumbel(word: int, action: int) -> float:
    """Noise for one action of a row; `word` is the row's random number."""
    uniform = (mix((word + action * GOLDEN) & LOW) + 0.5) / (LOW + 1)
    return -math.log(-math.log(uniform))


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
    """Reads fewer than 64 bytes. In a long row the last thirty-two may overlap with those read before."""
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


def list_legal(legal: Any, logits: Any, at: int, found: Any, values: Any) -> int:
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


def add_weights(values: Any, number: int, scale: float, is_greedy: bool, sums: Any) -> Any:
    """The cumulative weights of the first logits; returns the highest of these."""
    highest, total = values[0], 0
    for k in range(number):
        highest = higher(values[k], highest)
    for k in range(number):
        total += weight_of(values[k], highest, scale, is_greedy)
        sums[k] = total
    return highest


def sample_row(legal: Any, logits: Any, at: int, word: int, softmax: Any, wants_log: bool, scratch: Any) -> Any:
    """An action, and its log-probability if wanted; -1 without a legal action or a finite highest logit."""
    scale, is_greedy = softmax
    found, values, sums = scratch
    number = list_legal(legal, logits, at, found, values)
    if number == 0:
        return -1, math.nan
    highest = add_weights(values, number, scale, is_greedy, sums)
    total = sums[number - 1]
    if total == 0:
        return -1, math.nan
    mark = 0 if is_greedy else scaled(word, total)
    k = 0
    for other in range(number):
        k += sums[other] <= mark
    return found[k], log_probability(values[k] - highest, scale, is_greedy, total) if wants_log else 0.0


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
    sets, parts, bad = scratch[0], width + 63 >> 6, -1
    for start in range(0, len(actions), ROWS):
        stop = min(start + ROWS, len(actions))
        for i in range(start, stop):
            legal = sets[(i - start) * parts : (i - start + 1) * parts]
            read_legal(mask, (first + i) * stride, width, packed, legal)
            actions[i] = word_of(numbers, first + i)
        found = draw_rows(first + start, width, logits, softmax, actions[start:stop], log_probs[start:stop], scratch)
        bad = found if bad < 0 else bad
    return bad


def draw_rows(first: int, width: int, logits: Any, softmax: Any, actions: Any, log_probs: Any, scratch: Any) -> int:
    """Replaces random numbers by actions. Returns the first bad row, or -1; what is legal is in `scratch`."""
    sets, _, _, _, ids, starts = scratch
    if can_draw_together(width, logits, softmax):
        list_actions(sets, width + 63 >> 6, len(actions), ids, starts)
        draw_together(first, logits, softmax, actions, log_probs, scratch)
    else:
        draw_one_by_one(first, width, logits, softmax, actions, log_probs, scratch)
    return first_bad(first, actions)


def can_draw_together(width: int, logits: Any, softmax: Any) -> bool:
    _, is_greedy = softmax
    return len(logits[0]) > 0 and width <= WIDEST and not is_greedy


def first_bad(first: int, actions: Any) -> int:
    for i in range(len(actions)):
        if actions[i] < 0:
            return first + i
    return -1


def draw_one_by_one(
    first: int, width: int, logits: Any, softmax: Any, actions: Any, log_probs: Any, scratch: Any
) -> None:
    """Draws from the sets of legal actions."""
    values, stride = logits
    parts, wants_log = width + 63 >> 6, len(log_probs) > 0
    for i in range(len(actions)):
        legal = scratch[0][i * parts : (i + 1) * parts]
        if len(values):
            at = (first + i) * stride
            action, log = sample_row(legal, values, at, actions[i], softmax, wants_log, scratch[1:4])
        else:
            action, log = uniform_row(legal, actions[i], wants_log)
        actions[i] = action
        if wants_log:
            log_probs[i] = log


def draw_together(first: int, logits: Any, softmax: Any, actions: Any, log_probs: Any, scratch: Any) -> None:
    """Draws from the list of legal actions, in passes over all rows."""
    values, stride = logits
    scale, _ = softmax
    totals, _, lowered, sums, ids, starts = scratch
    lower_rows(values, first * stride, stride, len(actions), ids, starts, lowered)
    total = 0
    for k in range(0, starts[len(actions)] + LANES, LANES):
        total = weigh(lowered, k, scale, total, sums)
    choose(sums, ids, starts, actions, totals)
    for i in range(len(log_probs)):
        log = log_probability(lowered[starts[i]], scale, False, totals[i]) if totals[i] else math.nan
        log_probs[i] = log


def choose(sums: Any, ids: Any, starts: Any, actions: Any, totals: Any) -> None:
    """Replaces random numbers by actions, and the rows' starts by the actions' places in the list.

    Each row's cumulative weights continue those of the row before.
    """
    before = 0
    for i in range(len(actions)):
        total = sums[starts[i + 1] - 1] - before if starts[i + 1] > starts[i] else 0
        k = find_sum(sums, starts[i], before + scaled(actions[i], total)) if total else starts[i]
        before += total
        actions[i] = ids[k] if total else -1
        starts[i] = k
        totals[i] = total


def list_actions(sets: Any, parts: int, rows: int, ids: Any, starts: Any) -> None:
    """The legal actions of all rows in one list, and where each row begins in it."""
    end = 0
    for i in range(rows):
        starts[i] = end
        for part in range(parts):
            end = list_set(sets[i * parts + part], 64 * part, ids, end)
    starts[rows] = end


def lower_rows(logits: Any, at: int, stride: int, rows: int, ids: Any, starts: Any, values: Any) -> None:
    """The logits of the listed actions, less the highest of their row. Most rows have few actions."""
    for i in range(rows):
        row, first, end = at + i * stride, starts[i], starts[i + 1]
        highest = gather(logits, row, ids, first, end, values)
        if end <= first + LANES:
            lower(values, first, highest)
            continue
        for k in range(first + LANES, end, LANES):
            highest = higher(gather(logits, row, ids, k, end, values), highest)
        for k in range(first, end, LANES):
            lower(values, k, highest)


def find_sum(sums: Any, at: int, mark: int) -> int:
    """The first sum above the mark."""
    found = count_up_to(sums, at, mark)
    while found == LANES:
        at += LANES
        found = count_up_to(sums, at, mark)
    return at + found


def log_softmax_rows(first: int, masks: Any, logits: Any, softmax: Any, out: Any, scratch: Any) -> int:
    """Log-probabilities of all actions, minus infinity for illegal ones. Returns the first bad row, or -1."""
    mask, stride, width, packed = masks
    values, value_stride = logits
    scale, is_greedy = softmax
    legal, found, some, sums = scratch[0][: width + 63 >> 6], scratch[1], scratch[2], scratch[3]
    bad = -1
    for i in range(len(out)):
        row = first + i
        read_legal(mask, row * stride, width, packed, legal)
        number = list_legal(legal, values, row * value_stride, found, some)
        highest = add_weights(some, number, scale, is_greedy, sums) if number else values[0]
        total = sums[number - 1] if number else 0
        for action in range(width):
            out[i, action] = -math.inf if total else math.nan
        for k in range(number if total else 0):
            out[i, found[k]] = log_probability(some[k] - highest, scale, is_greedy, total)
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
    legal, found, some = scratch[0][: width + 63 >> 6], scratch[1], scratch[2]
    bad = -1
    for i in range(len(actions)):
        row = first + i
        read_legal(mask, row * stride, width, packed, legal)
        number = list_legal(legal, values, row * value_stride, found, some)
        word = word_of(numbers, row)
        clear(scores, actions, i)
        is_bad = number == 0
        for k in range(number):
            is_bad |= not some[k] < math.inf
            insert(scores, actions, i, some[k] + gumbel(word, found[k]), found[k])
        if (is_bad or actions[i, 0] < 0) and bad < 0:
            bad = row
    return bad
