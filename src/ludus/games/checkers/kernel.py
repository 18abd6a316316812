"""Checkers on bit sets, one bit for each square of the 8×8 board: row * 8 + column, row 0 on top.

Only dark squares are used, so bit 63 never is, and every set is a non-negative 64-bit integer. Squares that touch at a
corner are 7 or 9 bits apart; a shift over the left or right edge ends on a light square, which no set holds.

A position is `own` and `other` (the pieces of the side to move and of its opponent), `kings` (of both), and `side`:
0 for the first player, whose men move down, 1 for the second, whose men move up. Directions are 0 north-west,
1 north-east, 2 south-west, 3 south-east.
"""

from __future__ import annotations

from ludus.core.bits import Words, count

DARK = 0x55AA55AA55AA55AA
TOP = 0xFF
BOTTOM = 0xFF << 56 & DARK
FIRST_START = DARK & 0xFFFFFF
SECOND_START = DARK & 0xFFFFFF << 40

WORDS = 4
"""A move in a list is four integers: its origin, its landing (each one bit), the pieces taken (a set), and its path."""
QUIET_LIMIT = 80
"""Forty moves by each side without a capture or a man's move draw the game."""
MOST_MOVES = 192
"""Twelve pieces of sixteen chains each: no piece has more over any set of victims, and no chain is longer than nine."""

Four = tuple[int, int, int, int]


def shift(squares: int, direction: int) -> int:
    """The squares one corner further on; take them `& DARK`."""
    distance = 9 if direction == 0 or direction == 3 else 7
    return squares >> distance if direction < 2 else squares << distance


def upward(own: int, kings: int, side: int) -> int:
    return own if side == 1 else own & kings


def downward(own: int, kings: int, side: int) -> int:
    return own if side == 0 else own & kings


def jumpers(own: int, other: int, kings: int, side: int) -> Four:
    """The pieces that can jump, one set for each direction."""
    empty = DARK & ~(own | other)
    up = upward(own, kings, side)
    down = downward(own, kings, side)
    return (
        up & (other & empty << 9) << 9,
        up & (other & empty << 7) << 7,
        down & (other & empty >> 7) >> 7,
        down & (other & empty >> 9) >> 9,
    )


def steppers(own: int, other: int, kings: int, side: int) -> Four:
    """The pieces that can step, one set for each direction; call it only when nothing can jump."""
    empty = DARK & ~(own | other)
    up = upward(own, kings, side)
    down = downward(own, kings, side)
    return up & empty << 9, up & empty << 7, down & empty >> 7, down & empty >> 9


def can_move(own: int, other: int, kings: int, side: int) -> bool:
    a, b, c, d = jumpers(own, other, kings, side)
    e, f, g, h = steppers(own, other, kings, side)
    return (a | b | c | d | e | f | g | h) != 0


def write_move(out: Words, n: int, origin: int, landing: int, taken: int, path: int) -> int:
    out[n * WORDS] = origin
    out[n * WORDS + 1] = landing
    out[n * WORDS + 2] = taken
    out[n * WORDS + 3] = path
    return n + 1


def write_steps(out: Words, n: int, movers: int, direction: int) -> int:
    while movers:
        origin = movers & -movers
        movers ^= origin
        n = write_move(out, n, origin, shift(origin, direction), 0, 0)
    return n


def write_chains(out: Words, n: int, own: int, other: int, kings: int, side: int, origin: int) -> int:
    """Every complete chain of jumps of one piece: a walk over the directions, each hop undone by its own direction.

    `path` holds the hops, two bits each, the first lowest. A man jumps forward only, so the far row
    ends its chain; there it is crowned.
    """
    own ^= origin
    first, last = 0, 4
    if not origin & kings:
        first, last = (0, 2) if side == 1 else (2, 4)
    here, taken, path, hops, direction, is_end = origin, 0, 0, 0, first, False
    while True:
        middle = landing = 0
        while direction < last:
            middle = shift(here, direction) & other & ~taken
            landing = shift(middle, direction) & DARK & ~(own | other)
            if landing:
                break
            direction += 1
        if direction < last:
            here, taken, path = landing, taken | middle, path | direction << 2 * hops
            hops, direction, is_end = hops + 1, first, True
            continue
        if hops == 0:
            return n
        if is_end:
            n = write_move(out, n, origin, here, taken, path)
        hops -= 1
        direction = path >> 2 * hops
        path ^= direction << 2 * hops
        middle = shift(here, 3 - direction)
        here, taken = shift(middle, 3 - direction), taken ^ middle
        direction, is_end = direction + 1, False


def write_moves(out: Words, n: int, own: int, other: int, kings: int, side: int) -> int:
    """Appends every legal move to the list; returns its new length."""
    a, b, c, d = jumpers(own, other, kings, side)
    movers = a | b | c | d
    if movers:
        while movers:
            origin = movers & -movers
            movers ^= origin
            n = write_chains(out, n, own, other, kings, side, origin)
        return n
    a, b, c, d = steppers(own, other, kings, side)
    n = write_steps(out, n, a, 0)
    n = write_steps(out, n, b, 1)
    n = write_steps(out, n, c, 2)
    return write_steps(out, n, d, 3)


def play(own: int, other: int, kings: int, side: int, origin: int, landing: int, taken: int) -> Four:
    """The position after a move, as the next player sees it: (own, other, kings, side)."""
    moved = own ^ origin | landing
    crowned = kings ^ origin | landing if kings & origin else kings | landing & (TOP if side == 1 else BOTTOM)
    return other & ~taken, moved, crowned & ~taken, 1 - side


def hoppers(own: int, other: int, kings: int, side: int, chain: int) -> Four:
    """The pieces that may go one square on, by step or jump, one set for each direction.

    `chain` is the piece that has jumped and must go on jumping, or 0 at the start of a move.
    """
    a, b, c, d = jumpers(own, other, kings, side)
    if chain:
        return a & chain, b & chain, c & chain, d & chain
    if a | b | c | d:
        return a, b, c, d
    return steppers(own, other, kings, side)


def hop(own: int, other: int, kings: int, side: int, origin: int, direction: int) -> Four:
    """One step or one jump of a move: (own, other, kings, chain); if `chain` is 0, the move is complete."""
    landing = shift(origin, direction)
    taken = landing & other
    if taken:
        landing = shift(landing, direction)
    other, own, crowned, _ = play(own, other, kings, side, origin, landing, taken)
    if not taken or (crowned & landing and not kings & origin):
        return own, other, crowned, 0
    a, b, c, d = jumpers(own, other, crowned, side)
    return own, other, crowned, landing & (a | b | c | d)


def is_repeated(out: Words, n: int, i: int) -> bool:
    """Whether a move before `i`, from `n` on, has the same result: it takes the same pieces another way."""
    for j in range(n * WORDS, i * WORDS, WORDS):
        if out[j] == out[i * WORDS] and out[j + 1] == out[i * WORDS + 1] and out[j + 2] == out[i * WORDS + 2]:
            return True
    return False


def perft(own: int, other: int, kings: int, side: int, depth: int, merged: bool, out: Words, n: int) -> int:
    """How many lines of `depth` moves there are, each path of jumps counted or, `merged`, each result of a move once.

    `out` is scratch space for MOST_MOVES moves at each depth.
    """
    if depth == 0:
        return 1
    if depth == 1:
        a, b, c, d = jumpers(own, other, kings, side)
        if not a | b | c | d:
            a, b, c, d = steppers(own, other, kings, side)
            return count(a) + count(b) + count(c) + count(d)
    end = write_moves(out, n, own, other, kings, side)
    if depth == 1 and not merged:
        return end - n
    total = 0
    for i in range(n, end):
        if merged and out[i * WORDS + 2] and is_repeated(out, n, i):
            continue
        o, t, k, s = play(own, other, kings, side, out[i * WORDS], out[i * WORDS + 1], out[i * WORDS + 2])
        total += perft(o, t, k, s, depth - 1, merged, out, end)
    return total
