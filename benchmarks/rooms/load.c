/* The players of the rooms benchmark: pairs of Socket.IO clients that play given moves against each other.
 *
 *     load PORT[,PORT...] PLAN LATENCIES
 *
 * PLAN is a text file, a line for each thing, its parts separated by tabs (load.py writes it):
 *
 *     set      NAME VALUE                     what the server calls things; see `struct settings`
 *     game     MOVE MOVE ...                  JSON of each move
 *     player   AUTH JOIN FIELD FIELD FIELD    two of them make a pair; pair i plays game i, i modulo the number of games
 *
 * With several ports, one server process each, `spread` says whether the two of a pair connect to different ones (1) or
 * each pair to one (0).
 *
 * It connects all players, prints `ready` when all have received the start of their game, and on a line from
 * stdin plays: who sees the opponent's move answers it, at once or after a time to think. At the end it prints its
 * figures as JSON, writes every latency in microseconds (32-bit integers: moves seen by the opponent, then moves
 * acknowledged) to LATENCIES, and holds the connections until stdin is closed. One thread, epoll, nothing parsed that
 * need not be, so that it costs a fraction of any server.
 */
#define _GNU_SOURCE
#include "wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FIELDS = 3, WAIT_S = 30, ROOM = 1 << 14, PORTS = 16 };
#define STDIN UINT32_MAX

struct settings {
    const char *path;       /* of the Engine.IO handshake */
    const char *name_space; /* "/checkers", or "" for the main one */
    const char *started;    /* the event after which a player may play */
    const char *made;       /* the event that shows a move */
    const char *refused;    /* an event that must not come */
    const char *move;       /* what a player sends: %0 %1 %2 fields, %m the move, %n its number */
    const char *first;      /* "KEY=VALUE" in `started` makes a player the first mover; else the first of a pair is */
    const char *capture[FIELDS]; /* keys of `started` whose values replace the player's fields */
    int acks;               /* whether moves ask for an acknowledgement that must say "ok":true */
    int both;               /* whether the mover gets its own move too */
    int most;               /* moves to play of each game, 0 for all */
    int think_us;
    int spread;             /* whether the players of a pair use different ports, where there are several */
};

struct player {
    struct wire wire;
    int is_open, is_in, has_started, made, sent;
    const char *auth, *join;
    char field[FIELDS][160];
};

struct pair {
    struct player *seat[2]; /* the first mover first */
    char **moves;
    int64_t *sent_at;
    int number, next, seen;
};

static struct settings set;
static struct player *players;
static struct pair *pairs;
static char ***games;
static int *game_length, n_games, n_players, n_started, ports[PORTS], n_ports;
static uint32_t *seen, *acked;
static int n_seen, n_acked, n_moves, has_command;
static int *due_pair, due_first, due_last; /* pairs in the order of their time: everybody thinks equally long */
static int64_t *due_at;

/* The plan */

static void put_setting(const char *name, char *value) {
    if (!strcmp(name, "path")) set.path = value;
    else if (!strcmp(name, "namespace")) set.name_space = value;
    else if (!strcmp(name, "started")) set.started = value;
    else if (!strcmp(name, "made")) set.made = value;
    else if (!strcmp(name, "refused")) set.refused = value;
    else if (!strcmp(name, "move")) set.move = value;
    else if (!strcmp(name, "first")) set.first = value;
    else if (!strncmp(name, "capture", 7)) set.capture[atoi(name + 7)] = value;
    else if (!strcmp(name, "acks")) set.acks = atoi(value);
    else if (!strcmp(name, "both")) set.both = atoi(value);
    else if (!strcmp(name, "most")) set.most = atoi(value);
    else if (!strcmp(name, "think_us")) set.think_us = atoi(value);
    else if (!strcmp(name, "spread")) set.spread = atoi(value);
    else fail("no setting is called %s", name);
}

static void put_game(char *moves) {
    char **list = NULL, *move;
    int n = 0;
    while ((move = strsep(&moves, "\t"))) {
        list = realloc(list, (n + 1) * sizeof *list);
        list[n++] = move;
    }
    games = realloc(games, (n_games + 1) * sizeof *games);
    game_length = realloc(game_length, (n_games + 1) * sizeof *game_length);
    games[n_games] = list;
    game_length[n_games++] = n;
}

static void put_player(char *parts) {
    players = realloc(players, (n_players + 1) * sizeof *players);
    struct player *p = &players[n_players++];
    memset(p, 0, sizeof *p);
    p->auth = strsep(&parts, "\t");
    p->join = strsep(&parts, "\t");
    for (int i = 0; i < FIELDS && parts; i++) snprintf(p->field[i], sizeof p->field[i], "%s", strsep(&parts, "\t"));
}

static void read_plan(const char *file) {
    FILE *plan = fopen(file, "r");
    if (!plan) fail("cannot open %s", file);
    char *line = NULL;
    size_t size = 0;
    for (ssize_t n; (n = getline(&line, &size, plan)) > 0;) {
        line[n - 1] = 0;
        char *rest = strdup(line), *word = strsep(&rest, "\t");
        if (!strcmp(word, "game")) put_game(rest);
        else if (!strcmp(word, "player")) put_player(rest);
        else word = strsep(&rest, "\t"), put_setting(word, rest);
    }
    fclose(plan);
}

/* Engine.IO and Socket.IO packets */

static void send_packet(struct player *p, const char *kind, const char *id, const char *body) {
    char text[ROOM];
    int n = snprintf(text, sizeof text, "%s%s%s%s%s", kind, set.name_space, *set.name_space ? "," : "", id, body);
    send_text(&p->wire, text, n);
}

/* What follows the packet type and namespace, or NULL if the packet is of another type. */
static char *body_of(char *packet, const char *kind) {
    size_t n = strlen(kind), m = strlen(set.name_space);
    if (strncmp(packet, kind, n) || strncmp(packet + n, set.name_space, m)) return NULL;
    return packet + n + m + (m > 0);
}

static int is_event(const char *body, const char *name) {
    size_t n = name ? strlen(name) : 0;
    return n && body[0] == '[' && body[1] == '"' && !strncmp(body + 2, name, n) && body[2 + n] == '"';
}

/* Play */

static struct pair *pair_of(struct player *p) { return &pairs[(p - players) / 2]; }

static int moves_of(struct pair *pair) { return set.most && set.most < pair->number ? set.most : pair->number; }

static void send_move(struct pair *pair) {
    struct player *p = pair->seat[pair->next & 1];
    char body[ROOM], id[16] = "";
    size_t n = 0;
    for (const char *c = set.move; *c; c++) {
        if (*c != '%') { body[n++] = *c; continue; }
        char number[16];
        const char *part = number;
        if (*++c == 'm') part = pair->moves[pair->next];
        else if (*c == 'n') snprintf(number, sizeof number, "%d", pair->next);
        else part = p->field[*c - '0'];
        n += snprintf(body + n, sizeof body - n, "%s", part);
    }
    body[n] = 0;
    p->sent++;
    if (set.acks) snprintf(id, sizeof id, "%d", p->sent);
    n_moves++;
    pair->sent_at[pair->next++] = now_ns();
    send_packet(p, "42", id, body);
}

static void wait_and_move(struct pair *pair, int64_t at) {
    due_pair[due_last] = pair - pairs;
    due_at[due_last++] = at;
}

static void note_seen(struct player *p, int ply) {
    struct pair *pair = pair_of(p);
    int64_t now = now_ns();
    if (ply != pair->seen) fail("move %d seen after %d", ply, pair->seen);
    pair->seen++;
    seen[n_seen++] = (now - pair->sent_at[ply]) / 1000;
    if (pair->seen == moves_of(pair)) return;
    if (set.think_us) wait_and_move(pair, now + set.think_us * 1000LL);
    else send_move(pair);
}

static void note_acked(struct pair *pair, int ply) { acked[n_acked++] = (now_ns() - pair->sent_at[ply]) / 1000; }

static void on_made(struct player *p) {
    struct pair *pair = pair_of(p);
    int seat = p == pair->seat[1];
    if (!set.both) { note_seen(p, 2 * p->made++ + !seat); return; }
    int ply = p->made++;
    if ((ply & 1) != seat) note_seen(p, ply);
    else if (!set.acks) note_acked(pair, ply);
}

/* The number of an acknowledgement counts the player's own moves from 1; 0 is joining. */
static void on_ack(struct player *p, const char *body) {
    struct pair *pair = pair_of(p);
    int number = atoi(body);
    if (!strstr(body, "\"ok\":true")) fail("refused: %s", body);
    if (number) note_acked(pair, 2 * (number - 1) + (p == pair->seat[1]));
}

static void on_started(struct player *p, const char *body) {
    struct pair *pair = pair_of(p);
    int place = (p - players) & 1;
    if (p->has_started) return;
    for (int i = 0; i < FIELDS; i++)
        if (set.capture[i] && !string_at(body, set.capture[i], p->field[i], sizeof p->field[i]))
            fail("no %s in %s", set.capture[i], body);
    if (set.first) {
        char key[32], value[32];
        const char *equals = strchr(set.first, '=');
        snprintf(key, sizeof key, "%.*s", (int)(equals - set.first), set.first);
        if (!string_at(body, key, value, sizeof value)) fail("no %s in %s", key, body);
        place = strcmp(value, equals + 1) != 0;
    }
    pair->seat[place] = p;
    p->has_started = 1;
    n_started++;
}

static void on_packet(struct player *p, char *text) {
    char *body;
    if (!strcmp(text, "2")) send_text(&p->wire, "3", 1);
    else if (*text == '0') p->is_open = 1;
    else if (body_of(text, "40")) p->is_in = 1;
    else if ((body = body_of(text, "42"))) {
        if (is_event(body, set.made)) on_made(p);
        else if (is_event(body, set.started)) on_started(p, body);
        else if (is_event(body, set.refused)) fail("refused: %s", body);
    } else if ((body = body_of(text, "43"))) on_ack(p, body);
    else fail("unexpected: %s", text);
}

static void take_packets(struct player *p) {
    for (char *text; (text = next_text(&p->wire));) on_packet(p, text);
}

/* Connecting, one player after the other */

static void await(struct player *p, const int *flag) {
    for (take_packets(p); !*flag; take_packets(p)) receive(&p->wire);
}

static int port_of(struct player *p) {
    int number = p - players;
    return ports[(set.spread ? number : number / 2) % n_ports];
}

static void read_ports(char *text) {
    for (char *one; n_ports < PORTS && (one = strsep(&text, ","));) ports[n_ports++] = atoi(one);
}

static void connect_player(struct player *p, int poll) {
    open_wire(&p->wire, port_of(p), set.path);
    await(p, &p->is_open);
    send_packet(p, "40", "", p->auth);
    await(p, &p->is_in);
    unblock(&p->wire);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = p - players};
    epoll_ctl(poll, EPOLL_CTL_ADD, p->wire.fd, &event);
    if (*p->join) send_packet(p, "42", set.acks ? "0" : "", p->join);
}

static void pump(int poll, int timeout_ms) {
    struct epoll_event events[256];
    int n = epoll_wait(poll, events, 256, timeout_ms);
    for (int i = 0; i < n; i++) {
        if (events[i].data.u32 == STDIN) {
            char line[16];
            has_command = read(0, line, sizeof line) > 0 ? 1 : -1;
            continue;
        }
        struct player *p = &players[events[i].data.u32];
        if (receive(&p->wire)) take_packets(p);
    }
}

static void pump_until(int poll, const int *count, int all, const char *what) {
    int64_t late = now_ns() + WAIT_S * 1000000000LL;
    for (int last = *count; *count < all; pump(poll, 100)) {
        if (*count > last) last = *count, late = now_ns() + WAIT_S * 1000000000LL;
        if (now_ns() > late) fail("%s: %d of %d, and nothing more for %d s", what, *count, all, WAIT_S);
    }
}

static void make_pairs(void) {
    pairs = calloc(n_players / 2, sizeof *pairs);
    for (int i = 0; i < n_players / 2; i++) {
        pairs[i].moves = games[i % n_games];
        pairs[i].number = game_length[i % n_games];
        pairs[i].sent_at = calloc(pairs[i].number, sizeof *pairs[i].sent_at);
    }
}

static int all_moves(void) {
    int all = 0;
    for (int i = 0; i < n_players / 2; i++) all += moves_of(&pairs[i]);
    return all;
}

static void send_due(void) {
    int64_t now = now_ns();
    while (due_first < due_last && due_at[due_first] <= now) send_move(&pairs[due_pair[due_first++]]);
}

static void play(int poll, int all) {
    int64_t start = now_ns(), late = start + WAIT_S * 1000000000LL, think = set.think_us * 1000LL;
    int last = 0, acks = set.acks || set.both;
    for (int i = 0; i < n_players / 2; i++)
        if (think) wait_and_move(&pairs[i], start + think * i / (n_players / 2));
        else send_move(&pairs[i]);
    while (n_seen < all || (acks && n_acked < all)) {
        if (think) send_due();
        pump(poll, think ? 1 : 100);
        if (n_seen > last) last = n_seen, late = now_ns() + WAIT_S * 1000000000LL;
        if (now_ns() > late) fail("%d moves seen, %d acknowledged of %d, nothing more", n_seen, n_acked, all);
    }
}

static double cpu_seconds(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void make_room(int moves) {
    seen = malloc(moves * sizeof *seen);
    acked = malloc(moves * sizeof *acked);
    due_pair = malloc((moves + n_players) * sizeof *due_pair);
    due_at = malloc((moves + n_players) * sizeof *due_at);
}

static void save_latencies(const char *name) {
    FILE *file = fopen(name, "w");
    fwrite(seen, sizeof *seen, n_seen, file);
    fwrite(acked, sizeof *acked, n_acked, file);
    fclose(file);
}

/* Connections live on while we wait for a line; the end of stdin ends the program. */
static void wait_for_line(int poll) {
    for (has_command = 0; !has_command;) pump(poll, 1000);
    if (has_command < 0) exit(0);
}

static void connect_all(int poll) {
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = STDIN};
    for (int i = 0; i < n_players; i++) connect_player(&players[i], poll);
    pump_until(poll, &n_started, n_players, "players started");
    epoll_ctl(poll, EPOLL_CTL_ADD, 0, &event);
    puts("ready");
    fflush(stdout);
}

static void play_and_print(int poll, int all, const char *latencies) {
    traffic = (struct traffic){0};
    double cpu = cpu_seconds();
    int64_t start = now_ns();
    play(poll, all);
    double wall = (now_ns() - start) / 1e9;
    cpu = cpu_seconds() - cpu;
    save_latencies(latencies);
    printf("{\"moves\":%d,\"seen\":%d,\"acked\":%d,\"wall_s\":%.6f,", n_moves, n_seen, n_acked, wall);
    printf("\"client_cpu_s\":%.6f,\"bytes_in\":%llu,\"bytes_out\":%llu,\"frames_in\":%llu,\"first\":\"", cpu,
           (unsigned long long)traffic.bytes_in, (unsigned long long)traffic.bytes_out, (unsigned long long)traffic.frames_in);
    for (int i = 0; i < n_players / 2; i++) putchar("01"[pairs[i].seat[0] - &players[2 * i]]);
    puts("\"}");
    fflush(stdout);
}

int main(int argc, char **argv) {
    if (argc != 4) fail("usage: load PORT[,PORT...] PLAN LATENCIES");
    read_ports(argv[1]);
    set.name_space = "";
    read_plan(argv[2]);
    make_pairs();
    int poll = epoll_create1(0), all = all_moves();
    make_room(all);
    connect_all(poll);
    wait_for_line(poll);
    play_and_print(poll, all, argv[3]);
    for (;;) wait_for_line(poll);
}
