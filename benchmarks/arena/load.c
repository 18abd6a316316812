/* The players of the arena benchmark: pairs of agents that play given actions against each other.
 *
 *     load PORT PLAN LATENCIES
 *
 * PLAN is a text file, a line for each thing, its parts separated by tabs (load.py writes it):
 *
 *     set      NAME VALUE         see `struct settings`
 *     game     ACTION ACTION ...  JSON of each action
 *     player   PATH KEY           two of them make a pair, the first mover first; pair i plays game i, i modulo the games
 *
 * Over WebSockets a player has one socket at PATH and answers the opponent's move as soon as it is notified of its turn. Over
 * HTTP a player has one connection, posts its action to PATH/action, and waits for the next turn with a long poll of
 * PATH/state. It connects all players, prints `ready`, and does what a line from stdin says:
 *
 *     play      all games from beginning to end
 *     idle N    N seconds in which everybody waits (HTTP only)
 *
 * At the end of each it prints its figures as JSON, and writes every latency in microseconds (32-bit integers: from an
 * action to the opponent's turn, then, over HTTP, from an action to its answer) to LATENCIES. One thread, epoll, nothing
 * parsed that need not be.
 */
#define _GNU_SOURCE
#include "../rooms/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAIT_S = 30, ROOM = 1 << 14 };
#define STDIN UINT32_MAX

struct settings {
    int is_http;
    const char *turn; /* what a frame contains that tells a player to move */
    const char *end;  /* what the frame after the last move contains, empty where it is as every other */
    int greeted;      /* frames that each socket is sent before the first move of anybody, one more for the first mover */
    int think_us;
};

struct player {
    struct wire wire;
    const char *path, *key;
    int frames;    /* received */
    int is_posted; /* HTTP: an action is not answered yet */
    int ply;       /* of that action */
};

struct pair {
    struct player *seat[2];
    char **actions;
    int64_t *sent_at;
    int number, next, seen;
};

static struct settings set;
static struct player *players;
static struct pair *pairs;
static char ***games;
static int *game_length, n_games, n_players, port;
static uint32_t *seen, *acked;
static int n_seen, n_acked, n_moves, n_ready, n_polls, is_idle;
static char line[64];
static int has_command;
static int *due_pair, due_first, due_last; /* pairs in the order of their time: everybody thinks equally long */
static int64_t *due_at;

/* The plan */

static void put_setting(const char *name, char *value) {
    if (!strcmp(name, "is_http")) set.is_http = atoi(value);
    else if (!strcmp(name, "turn")) set.turn = value;
    else if (!strcmp(name, "end")) set.end = value;
    else if (!strcmp(name, "greeted")) set.greeted = atoi(value);
    else if (!strcmp(name, "think_us")) set.think_us = atoi(value);
    else fail("no setting is called %s", name);
}

static void put_game(char *actions) {
    char **list = NULL, *action;
    int n = 0;
    while ((action = strsep(&actions, "\t"))) {
        list = realloc(list, (n + 1) * sizeof *list);
        list[n++] = action;
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
    p->path = strsep(&parts, "\t");
    p->key = parts ? parts : "";
}

static void read_plan(const char *file) {
    FILE *plan = fopen(file, "r");
    if (!plan) fail("cannot open %s", file);
    char *text = NULL;
    size_t size = 0;
    for (ssize_t n; (n = getline(&text, &size, plan)) > 0;) {
        text[n - 1] = 0;
        char *rest = strdup(text), *word = strsep(&rest, "\t");
        if (!strcmp(word, "game")) put_game(rest);
        else if (!strcmp(word, "player")) put_player(rest);
        else word = strsep(&rest, "\t"), put_setting(word, rest);
    }
    fclose(plan);
}

/* Connections */

static void put_bytes(struct player *p, const char *data, size_t n) {
    traffic.bytes_out += n;
    for (size_t done = 0; done < n;) {
        ssize_t r = send(p->wire.fd, data + done, n - done, MSG_NOSIGNAL);
        if (r < 0 && errno != EAGAIN) fail("send: %s", strerror(errno));
        if (r > 0) done += r;
    }
}

static void connect_player(struct player *p) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int on = 1;
    p->wire.fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(p->wire.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(p->wire.fd, (void *)&address, sizeof address)) fail("connect: %s", strerror(errno));
}

static void upgrade(struct player *p) {
    struct wire *w = &p->wire;
    char text[1024], *end;
    int n = snprintf(text, sizeof text,
        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
        p->path, port, p->key);
    put_bytes(p, text, n);
    do receive(w);
    while (!(end = memmem(w->in, w->length, "\r\n\r\n", 4)));
    if (!memmem(w->in, w->length, " 101 ", 5)) fail("no socket: %.300s", w->in);
    w->at = (unsigned char *)end + 4 - w->in;
}

/* The body of the next whole response and its length, or NULL; any status but 200 ends the program. */
static char *next_body(struct wire *w, size_t *length) {
    char *head = (char *)w->in + w->at, *end = memmem(head, w->length - w->at, "\r\n\r\n", 4), *at;
    if (!end) {
        memmove(w->in, w->in + w->at, w->length -= w->at);
        w->at = 0;
        return NULL;
    }
    *end = 0;
    if (!(at = strcasestr(head, "\r\ncontent-length:"))) fail("a response without a length: %s", head);
    *length = strtoul(at + 17, NULL, 10);
    int is_fine = !strncmp(head + 9, "200", 3);
    *end = '\r';
    if (w->length - (end + 4 - (char *)w->in) < *length) return NULL;
    if (!is_fine) fail("refused: %.*s", (int)(end + 4 + *length - head), head);
    w->at = end + 4 + *length - (char *)w->in;
    return end + 4;
}

/* Play */

static struct pair *pair_of(struct player *p) { return &pairs[(p - players) / 2]; }

static void poll_state(struct player *p, int after) {
    char text[1024];
    n_polls++;
    put_bytes(p, text, snprintf(text, sizeof text,
        "GET %s/state?wait=true&afterSequence=%d HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n\r\n",
        p->path, after, port, p->key));
}

static void post_action(struct player *p, int ply, const char *action) {
    char text[ROOM], body[ROOM];
    int length = snprintf(body, sizeof body, "{\"sequence\":%d,\"action\":%s}", ply + 1, action);
    p->is_posted = 1;
    p->ply = ply;
    put_bytes(p, text, snprintf(text, sizeof text,
        "POST %s/action HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n"
        "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", p->path, port, p->key, length, body));
}

static void send_action(struct pair *pair) {
    struct player *p = pair->seat[pair->next & 1];
    const char *action = pair->actions[pair->next];
    char text[ROOM];
    int ply = pair->next++;
    n_moves++;
    pair->sent_at[ply] = now_ns();
    if (set.is_http) { post_action(p, ply, action); return; }
    int n = snprintf(text, sizeof text, "{\"type\":\"action\",\"sequence\":%d,\"payload\":%s}", ply + 1, action);
    send_text(&p->wire, text, n);
}

static void wait_and_move(struct pair *pair, int64_t at) {
    due_pair[due_last] = pair - pairs;
    due_at[due_last++] = at;
}

static void note_seen(struct pair *pair) {
    int64_t now = now_ns();
    seen[n_seen++] = (now - pair->sent_at[pair->seen++]) / 1000;
    if (pair->seen == pair->number) return;
    if (set.think_us) wait_and_move(pair, now + set.think_us * 1000LL);
    else send_action(pair);
}

/* The server closes the sockets of a finished game, and so does the player. */
static void hang_up(struct player *p) {
    close(p->wire.fd);
    p->wire.fd = -1;
}

static void on_frame(struct player *p, const char *text) {
    struct pair *pair = pair_of(p);
    int is_first = p == pair->seat[0], greeting = set.greeted + (set.greeted && is_first);
    if (strstr(text, "\"type\":\"error\"")) fail("refused: %s", text);
    if (p->frames++ < greeting) {
        n_ready += p->frames == greeting;
        return;
    }
    int is_end = *set.end && strstr(text, set.end);
    if (!is_end && !strstr(text, set.turn)) fail("unexpected: %s", text);
    if (is_end && pair->next != pair->number) fail("an early end: %s", text);
    if (pair->seen < pair->number && (pair->seen & 1) == is_first) note_seen(pair); /* the other one has made it */
    if (is_end) hang_up(p);
}

static void on_body(struct player *p) {
    struct pair *pair = pair_of(p);
    if (is_idle) { poll_state(p, 1); return; }
    if (p->is_posted) {
        p->is_posted = 0;
        acked[n_acked++] = (now_ns() - pair->sent_at[p->ply]) / 1000;
        if (p->ply + 1 == pair->number) hang_up(p);
        else poll_state(p, p->ply + 2);
        return;
    }
    note_seen(pair);
    if (pair->seen == pair->number) hang_up(p);
}

static void take(struct player *p) {
    size_t length;
    if (set.is_http)
        while (p->wire.fd >= 0 && next_body(&p->wire, &length)) on_body(p);
    else
        for (char *text; p->wire.fd >= 0 && (text = next_text(&p->wire));) on_frame(p, text);
}

static void pump(int poll, int timeout_ms) {
    struct epoll_event events[256];
    int n = epoll_wait(poll, events, 256, timeout_ms);
    for (int i = 0; i < n; i++) {
        if (events[i].data.u32 == STDIN) {
            ssize_t r = read(0, line, sizeof line - 1);
            line[r > 0 ? r : 0] = 0;
            has_command = r > 0 ? 1 : -1;
            continue;
        }
        struct player *p = &players[events[i].data.u32];
        if (p->wire.fd >= 0 && receive(&p->wire)) take(p);
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
        pairs[i].seat[0] = &players[2 * i];
        pairs[i].seat[1] = &players[2 * i + 1];
        pairs[i].actions = games[i % n_games];
        pairs[i].number = game_length[i % n_games];
        pairs[i].sent_at = calloc(pairs[i].number, sizeof *pairs[i].sent_at);
    }
}

static int all_moves(void) {
    int all = 0;
    for (int i = 0; i < n_players / 2; i++) all += pairs[i].number;
    return all;
}

static void play(int poll, int all) {
    int64_t start = now_ns(), late = start + WAIT_S * 1000000000LL, think = set.think_us * 1000LL;
    int last = 0, n = n_players / 2;
    for (int i = 0; set.is_http && i < n; i++) poll_state(pairs[i].seat[1], 1);
    for (int i = 0; i < n; i++)
        if (think) wait_and_move(&pairs[i], start + think * i / n);
        else send_action(&pairs[i]);
    while (n_seen < all || (set.is_http && n_acked < all)) {
        while (due_first < due_last && due_at[due_first] <= now_ns()) send_action(&pairs[due_pair[due_first++]]);
        pump(poll, think ? 1 : 100);
        if (n_seen > last) last = n_seen, late = now_ns() + WAIT_S * 1000000000LL;
        if (now_ns() > late) fail("%d actions seen of %d, nothing more", n_seen, all);
    }
}

static void idle(int poll, int seconds) {
    int64_t until = now_ns() + seconds * 1000000000LL;
    is_idle = 1;
    for (int i = 0; i < n_players; i++) poll_state(&players[i], 1);
    while (now_ns() < until) pump(poll, 100);
}

static double cpu_seconds(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void save_latencies(const char *name) {
    FILE *file = fopen(name, "w");
    fwrite(seen, sizeof *seen, n_seen, file);
    fwrite(acked, sizeof *acked, n_acked, file);
    fclose(file);
}

static void connect_all(int poll) {
    for (int i = 0; i < n_players; i++) {
        struct player *p = &players[i];
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
        connect_player(p);
        if (!set.is_http) upgrade(p);
        unblock(&p->wire);
        epoll_ctl(poll, EPOLL_CTL_ADD, p->wire.fd, &event);
        take(p);
    }
    if (!set.is_http && set.greeted) pump_until(poll, &n_ready, n_players, "players greeted");
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = STDIN};
    epoll_ctl(poll, EPOLL_CTL_ADD, 0, &event);
    puts("ready");
    fflush(stdout);
}

static void do_and_print(int poll, int all, const char *latencies) {
    traffic = (struct traffic){0};
    double cpu = cpu_seconds();
    int64_t start = now_ns();
    if (!strncmp(line, "idle ", 5)) idle(poll, atoi(line + 5));
    else play(poll, all);
    double wall = (now_ns() - start) / 1e9;
    cpu = cpu_seconds() - cpu;
    save_latencies(latencies);
    printf("{\"moves\":%d,\"seen\":%d,\"acked\":%d,\"polls\":%d,\"wall_s\":%.6f,\"client_cpu_s\":%.6f,\"bytes_in\":%llu}\n",
           n_moves, n_seen, n_acked, n_polls, wall, cpu, (unsigned long long)traffic.bytes_in);
    fflush(stdout);
}

int main(int argc, char **argv) {
    if (argc != 4) fail("usage: load PORT PLAN LATENCIES");
    port = atoi(argv[1]);
    set.turn = set.end = "";
    read_plan(argv[2]);
    make_pairs();
    int poll = epoll_create1(0), all = all_moves();
    seen = malloc(all * sizeof *seen);
    acked = malloc(all * sizeof *acked);
    due_pair = malloc((all + n_players) * sizeof *due_pair);
    due_at = malloc((all + n_players) * sizeof *due_at);
    connect_all(poll);
    while (!has_command) pump(poll, 1000);
    if (has_command > 0) do_and_print(poll, all, argv[3]);
    return 0;
}
