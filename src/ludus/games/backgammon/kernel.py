"""Backgammon on bit planes.

A side's men stand on 26 places along its own road: 0 is the bar, 1 to 24 are the points from the far end (place p is
the owner's point 25 - p), 25 is off. A man moves from place p with die d to p + d. The other side walks the same
road backwards: its place p is our place 25 - p.

The number of men on a place is a four-bit number read across four planes, each a set of places: planes 0 and 1 are
the halves of `low` (bits 0-25 and 32-57), planes 2 and 3 those of `high`. One shift then moves or asks about all
places at once, and every integer stays a non-negative 64-bit one.

While a turn lasts, the other side is two sets as the mover sees them: `blocked` (its points of two or more, which
cannot change) and `blots` (its single men not yet hit).
"""

from __future__ import annotations

from ludus.core.bits import Words, count, reverse

BAR, OFF = 0, 25
PLACES = (1 << 26) - 1
POINTS = PLACES ^ 1 ^ 1 << OFF
HOME = 0b111111 << 19
OUTSIDE = PLACES ^ HOME ^ 1 << OFF

WORDS = 5
"""A play in a list is five integers: the mover's low and high, the other's low and high, and the steps."""
MOST_PLAYS = 3060
"""Four equal steps shared out among fifteen men: 18 choose 4."""

Two = tuple[int, int]
Three = tuple[int, int, int]


def occupied(low: int, high: int) -> int:
    """The places with at least one man."""
    return (low | low >> 32 | high | high >> 32) & PLACES


def crowded(low: int, high: int) -> int:
    """The places with at least two men."""
    return (low >> 32 | high | high >> 32) & PLACES


def men_on(low: int, high: int, place: int) -> int:
    return (low >> place & 1) + (low >> place + 32 & 1) * 2 + (high >> place & 1) * 4 + (high >> place + 32 & 1) * 8


def add(low: int, high: int, place: int) -> Two:
    """The men with one more on `place`: a carry through the planes."""
    carry = 1 << place
    up = (low & carry) << 32
    low ^= carry
    carry = (low & up) >> 32
    low ^= up
    up = (high & carry) << 32
    return low, high ^ carry ^ up


def remove(low: int, high: int, place: int) -> Two:
    """The men with one fewer on `place`: a borrow through the planes."""
    borrow = 1 << place
    low ^= borrow
    up = (low & borrow) << 32
    low ^= up
    borrow = (low & up) >> 32
    high ^= borrow
    up = (high & borrow) << 32
    return low, high ^ up


def mirror(places: int) -> int:
    """The same places as the other side counts them."""
    return reverse(places << 1) >> 37


def blocked_by(low: int, high: int) -> int:
    """The points that the other side, whose men these are, denies to the mover."""
    return mirror(crowded(low, high)) & POINTS


def blots_of(low: int, high: int) -> int:
    """The points where the mover can hit the other side, whose men these are."""
    return mirror(occupied(low, high) & ~crowded(low, high)) & POINTS


def sources(low: int, high: int, blocked: int, die: int) -> int:
    """The places from which a man may take one step with `die`."""
    men = occupied(low, high) & ~(1 << OFF)
    if men & 1:
        return 1 & ~(blocked >> die)
    movable = men & ~(blocked >> die)
    inside = movable & (1 << OFF - die) - 1
    if men & OUTSIDE:
        return inside
    last = men & -men
    return inside | men & 1 << OFF - die | (last if last > 1 << OFF - die else 0)


def step(low: int, high: int, blots: int, place: int, die: int) -> Three:
    """The men after one has moved from `place` by `die`: (low, high, blots)."""
    landing = min(place + die, OFF)
    low, high = remove(low, high, place)
    low, high = add(low, high, landing)
    return low, high, blots & ~(1 << landing)


def first_steps(low: int, high: int, blocked: int, higher: int, lower: int) -> Two:
    """The places from which a step with the higher or the lower of two dice begins a legal play."""
    highs = sources(low, high, blocked, higher)
    lows = sources(low, high, blocked, lower)
    then_lower = followed(low, high, blocked, highs, lows, higher, lower)
    then_higher = followed(low, high, blocked, lows, highs, lower, higher)
    if then_lower | then_higher:
        return then_lower, then_higher
    return (highs, 0) if highs else (0, lows)


def followed(low: int, high: int, blocked: int, firsts: int, thens: int, die: int, then: int) -> int:
    """The places among `firsts` after whose step with `die` there is one with `then`; `thens` are open from the start.

    A place that is open stays open, unless the only man there is the one that moves.
    """
    if thens & thens - 1 or thens & crowded(low, high):
        return firsts
    good = firsts & ~thens if thens else 0
    rest = firsts ^ good
    while rest:
        first = rest & -rest
        rest ^= first
        place = count(first - 1)
        a, b = remove(low, high, place)
        a, b = add(a, b, min(place + die, OFF))
        if sources(a, b, blocked, then):
            good |= first
    return good


def send_to_bar(low: int, high: int, hits: int) -> Two:
    """The other side's men after the mover has hit the blots in `hits`."""
    if not hits:
        return low, high
    low ^= mirror(hits)
    while hits:
        hits &= hits - 1
        low, high = add(low, high, BAR)
    return low, high


def write_play(out: Words, n: int, first: int, low: int, high: int, other_low: int, other_high: int, steps: int) -> int:
    """Appends a play unless the list, from `first` on, has one with the same result."""
    for i in range(first * WORDS, n * WORDS, WORDS):
        if out[i] == low and out[i + 1] == high and out[i + 2] == other_low and out[i + 3] == other_high:
            return n
    i = n * WORDS
    out[i] = low
    out[i + 1] = high
    out[i + 2] = other_low
    out[i + 3] = other_high
    out[i + 4] = steps
    return n + 1


def write_singles(out: Words, n: int, low: int, high: int, other_low: int, other_high: int, die: int) -> int:
    """Appends the plays of one die alone."""
    blocked = blocked_by(other_low, other_high)
    blots = blots_of(other_low, other_high)
    froms = sources(low, high, blocked, die)
    while froms:
        place = count((froms & -froms) - 1)
        froms &= froms - 1
        a, b, left = step(low, high, blots, place, die)
        c, d = send_to_bar(other_low, other_high, blots & ~left)
        n = write_play(out, n, n, a, b, c, d, place << 3 | die)
    return n


def write_pairs(
    out: Words, n: int, first: int, low: int, high: int, other_low: int, other_high: int, die: int, then: int
) -> int:
    """Appends the plays of both dice in this order, the higher first or the lower.

    With the higher first, plays have different results unless one man makes both steps, or could have, or two men
    leave the board.
    """
    blocked = blocked_by(other_low, other_high)
    blots = blots_of(other_low, other_high)
    froms = sources(low, high, blocked, die)
    while froms:
        place = count((froms & -froms) - 1)
        froms &= froms - 1
        a, b, left = step(low, high, blots, place, die)
        next_froms = sources(a, b, blocked, then)
        while next_froms:
            next_place = count((next_froms & -next_froms) - 1)
            next_froms &= next_froms - 1
            e, f, rest = step(a, b, left, next_place, then)
            c, d = send_to_bar(other_low, other_high, blots & ~rest)
            is_chain = next_place == place + die or place == next_place + then
            can_repeat = die < then or is_chain or (place + die >= OFF and next_place + then >= OFF)
            steps = place << 3 | die | (next_place << 3 | then) << 8
            n = write_play(out, n, first if can_repeat else n, e, f, c, d, steps)
    return n


def write_doubles(
    out: Words, n: int, low: int, high: int, other_low: int, other_high: int, die: int, most: int = 4
) -> int:
    """Appends the plays of a double, or of the `most` steps that are left of one.

    A walk over that many steps, each from the same place as the last or a later one.

    In that order every play occurs once. A step that is open stays open until it is taken (nothing the mover does
    closes a point, and a man only comes nearer to bearing off), so every walk that ends has the same length.
    """
    blocked = blocked_by(other_low, other_high)
    blots = blots_of(other_low, other_high)
    left, taken, steps, depth = blots, 0, 0, 0
    froms = sources(low, high, blocked, die)
    while True:
        if froms and depth < most:
            place = count((froms & -froms) - 1)
            taken |= (left >> min(place + die, OFF) & 1) << depth
            steps |= (place << 3 | die) << 8 * depth
            low, high, left = step(low, high, left, place, die)
            depth += 1
            froms = sources(low, high, blocked, die)
            if froms == 0 or depth == most:
                c, d = send_to_bar(other_low, other_high, blots & ~left)
                n = write_play(out, n, n, low, high, c, d, steps)
                froms = 0
            froms &= -(1 << place)
            continue
        if depth == 0:
            return n
        depth -= 1
        place = steps >> 8 * depth + 3
        steps &= (1 << 8 * depth) - 1
        landing = min(place + die, OFF)
        low, high = remove(low, high, landing)
        low, high = add(low, high, place)
        left |= (taken >> depth & 1) << landing
        taken &= (1 << depth) - 1
        froms = sources(low, high, blocked, die) & -(2 << place)


def write_plays(out: Words, n: int, low: int, high: int, other_low: int, other_high: int, die: int, then: int) -> int:
    """Appends every legal play of a roll, one for each distinct result; returns the list's new length.

    Both dice if possible, else the higher, else the lower; without any, the play of no steps.
    """
    first = n
    if die == then:
        n = write_doubles(out, n, low, high, other_low, other_high, die)
    else:
        higher, lower = max(die, then), min(die, then)
        n = write_pairs(out, n, first, low, high, other_low, other_high, higher, lower)
        n = write_pairs(out, n, first, low, high, other_low, other_high, lower, higher)
        if n == first:
            n = write_singles(out, n, low, high, other_low, other_high, higher)
        if n == first:
            n = write_singles(out, n, low, high, other_low, other_high, lower)
    if n == first:
        n = write_play(out, n, n, low, high, other_low, other_high, 0)
    return n


def is_off(low: int, high: int) -> bool:
    """Whether all men are off: the game is over."""
    return occupied(low, high) == 1 << OFF


def points_lost(low: int, high: int) -> int:
    """What the loser of these men pays: 1, 2 with no man off, 3 if then one is on the bar or in the winner's home."""
    if occupied(low, high) & 1 << OFF:
        return 1
    return 3 if occupied(low, high) & 0b1111111 else 2


def perft(low: int, high: int, other_low: int, other_high: int, depth: int, weighted: bool, out: Words, n: int) -> int:
    """How many lines of `depth` rolls and plays there are, a roll counted once or, `weighted`, as often as it falls."""
    if depth == 0 or is_off(other_low, other_high):
        return 1 if depth == 0 else 0
    total = 0
    for die in range(1, 7):
        for then in range(1, die + 1):
            weight = 2 if weighted and die != then else 1
            end = write_plays(out, n, low, high, other_low, other_high, die, then)
            if depth == 1:
                total += weight * (end - n)
                continue
            for i in range(n * WORDS, end * WORDS, WORDS):
                total += weight * perft(out[i + 2], out[i + 3], out[i], out[i + 1], depth - 1, weighted, out, end)
    return total
