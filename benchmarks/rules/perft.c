/* The peer of the perft benchmark: checkers move paths counted in straightforward C.
 *
 * Written for the benchmark alone, apart from the project's kernel: bit boards of 32 squares, the shift depending on the
 * row's parity, chains by recursion, counting at the last ply without making moves.
 *
 *     gcc -O3 -march=native -o perft perft.c && ./perft 11
 *
 * prints the number of lines and the seconds of CPU time they took.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef uint32_t set;
typedef struct { set men[2], kings[2]; } board;
typedef struct { set from, to, taken; } move;

#define EVEN 0x0f0f0f0fu /* rows 0, 2, 4, 6: columns 1, 3, 5, 7 */
#define ODD 0xf0f0f0f0u
#define LEFT_EDGE 0x10101010u  /* column 0, on odd rows */
#define RIGHT_EDGE 0x08080808u /* column 7, on even rows */

static inline set north_west(set s) { return (s & EVEN) >> 4 | (s & ODD & ~LEFT_EDGE) >> 5; }
static inline set north_east(set s) { return (s & EVEN & ~RIGHT_EDGE) >> 3 | (s & ODD) >> 4; }
static inline set south_west(set s) { return (s & EVEN) << 4 | (s & ODD & ~LEFT_EDGE) << 3; }
static inline set south_east(set s) { return (s & EVEN & ~RIGHT_EDGE) << 5 | (s & ODD) << 4; }

static inline set shift(set s, int direction) {
    switch (direction) {
    case 0: return north_west(s);
    case 1: return north_east(s);
    case 2: return south_west(s);
    default: return south_east(s);
    }
}

static move *chain(move *list, set empty, set other, set from, set here, set taken, int first, int last, set far) {
    int more = 0;
    if (!(here & far))
        for (int d = first; d < last; d++) {
            set middle = shift(here, d) & other & ~taken, to = shift(middle, d) & empty;
            if (to) {
                more = 1;
                list = chain(list, empty, other, from, to, taken | middle, first, last, far);
            }
        }
    if (!more && taken) *list++ = (move){from, here, taken};
    return list;
}

static set jumpers(set own, set kings, set other, set empty, int side) {
    set up = side ? own : kings, down = side ? kings : own;
    return (up & (south_east(other & south_east(empty)) | south_west(other & south_west(empty)))) |
           (down & (north_east(other & north_east(empty)) | north_west(other & north_west(empty))));
}

static move *generate(const board *b, int side, move *list) {
    set own = b->men[side] | b->kings[side], other = b->men[!side] | b->kings[!side], empty = ~(own | other);
    set jump = jumpers(own, b->kings[side], other, empty, side);
    if (jump) {
        for (; jump; jump &= jump - 1) {
            set from = jump & -jump;
            if (from & b->kings[side]) list = chain(list, empty | from, other, from, from, 0, 0, 4, 0);
            else list = chain(list, empty, other, from, from, 0, side ? 0 : 2, side ? 2 : 4, side ? 0xfu : 0xf0000000u);
        }
        return list;
    }
    for (int d = 0; d < 4; d++) {
        set movers = (d < 2) == side ? own : b->kings[side];
        for (set to = shift(movers, d) & empty; to; to &= to - 1) {
            set one = to & -to;
            *list++ = (move){shift(one, 3 - d), one, 0};
        }
    }
    return list;
}

static int count_steps(const board *b, int side, set own, set empty) {
    int total = 0;
    for (int d = 0; d < 4; d++)
        total += __builtin_popcount(shift((d < 2) == side ? own : b->kings[side], d) & empty);
    return total;
}

static uint64_t perft(const board *b, int side, int depth) {
    move list[256];
    if (depth == 1) {
        set own = b->men[side] | b->kings[side], other = b->men[!side] | b->kings[!side], empty = ~(own | other);
        if (!jumpers(own, b->kings[side], other, empty, side)) return count_steps(b, side, own, empty);
    }
    move *end = generate(b, side, list);
    if (depth == 1) return end - list;
    uint64_t total = 0;
    for (move *m = list; m < end; m++) {
        board after = *b;
        if (after.kings[side] & m->from) after.kings[side] = (after.kings[side] ^ m->from) | m->to;
        else if (m->to & (side ? 0xfu : 0xf0000000u)) after.men[side] ^= m->from, after.kings[side] |= m->to;
        else after.men[side] = (after.men[side] ^ m->from) | m->to;
        after.men[!side] &= ~m->taken;
        after.kings[!side] &= ~m->taken;
        total += perft(&after, !side, depth - 1);
    }
    return total;
}

int main(int argc, char **argv) {
    board start = {{0x00000fffu, 0xfff00000u}, {0, 0}};
    if (argc != 2) {
        fprintf(stderr, "say how deep: perft 11\n");
        return 2;
    }
    int depth = atoi(argv[1]);
    struct timespec a, b;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    uint64_t nodes = perft(&start, 0, depth);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    printf("%llu %.6f\n", (unsigned long long)nodes, (b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) * 1e-9);
    return 0;
}
