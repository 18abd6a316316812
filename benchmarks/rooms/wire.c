#define _GNU_SOURCE
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 1 << 14, TEXT = 1, CLOSE = 8, PING = 9, PONG = 10 };

struct traffic traffic;

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void write_all(struct wire *w, const void *data, size_t n) {
    traffic.bytes_out += n;
    for (size_t done = 0; done < n;) {
        ssize_t r = send(w->fd, (const char *)data + done, n - done, MSG_NOSIGNAL);
        if (r < 0 && errno != EAGAIN) fail("send: %s", strerror(errno));
        if (r > 0) done += r;
    }
}

static void send_frame(struct wire *w, int opcode, const char *text, size_t n) {
    static const unsigned char key[4] = {0x37, 0xfa, 0x21, 0x3d};
    unsigned char frame[ROOM];
    size_t head = 2;
    if (n + 8 > sizeof frame) fail("too long to send: %.200s", text);
    frame[0] = 0x80 | opcode;
    frame[1] = 0x80 | (n < 126 ? n : 126);
    if (n >= 126) frame[head++] = n >> 8, frame[head++] = n & 255;
    memcpy(frame + head, key, 4);
    head += 4;
    for (size_t i = 0; i < n; i++) frame[head + i] = text[i] ^ key[i & 3];
    write_all(w, frame, head + n);
}

void send_text(struct wire *w, const char *text, size_t n) { send_frame(w, TEXT, text, n); }

int receive(struct wire *w) {
    if (w->length + ROOM / 2 > w->size) w->in = realloc(w->in, w->size = w->size * 2 + ROOM);
    ssize_t r = recv(w->fd, w->in + w->length, w->size - w->length - 1, 0);
    if (r == 0) fail("the server hung up");
    if (r < 0 && errno != EAGAIN) fail("recv: %s", strerror(errno));
    if (r > 0) w->length += r, traffic.bytes_in += r;
    return r > 0;
}

static void give_back(struct wire *w) {
    if (w->lent_at) w->in[w->lent_at] = w->lent;
    w->lent_at = 0;
}

static char *lend_end(struct wire *w, size_t start, size_t end) {
    w->lent_at = end;
    w->lent = w->in[end];
    w->in[end] = 0;
    return (char *)w->in + start;
}

/* The size of the frame at the head, or 0 if it is not all there; its text starts at *text. */
static size_t whole_frame(struct wire *w, size_t *text) {
    unsigned char *f = w->in + w->at;
    size_t have = w->length - w->at, n, head = 2;
    if (have < 2) return 0;
    n = f[1] & 127;
    if (n == 127) fail("a frame over 64 KiB");
    if (n == 126) {
        if (have < 4) return 0;
        n = f[2] << 8 | f[3], head = 4;
    }
    *text = w->at + head;
    return have < head + n ? 0 : head + n;
}

char *next_text(struct wire *w) {
    size_t n, text;
    give_back(w);
    while ((n = whole_frame(w, &text))) {
        int opcode = w->in[w->at] & 15;
        w->at += n;
        traffic.frames_in++;
        if (opcode == TEXT) return lend_end(w, text, w->at);
        if (opcode == PING) send_frame(w, PONG, (char *)w->in + text, w->at - text); // another pong would not count
        if (opcode == CLOSE) fail("the server closed a connection");
    }
    memmove(w->in, w->in + w->at, w->length -= w->at);
    w->at = 0;
    return NULL;
}

static void expect(struct wire *w, const char *words) {
    char *found;
    while (!(found = memmem(w->in + w->at, w->length - w->at, words, strlen(words)))) receive(w);
    w->at = found + strlen(words) - (char *)w->in;
}

void open_wire(struct wire *w, int port, const char *path) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int on = 1;
    char text[1024];
    int n = snprintf(text, sizeof text,
        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n", path, port);
    w->fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(w->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(w->fd, (void *)&address, sizeof address)) fail("connect: %s", strerror(errno));
    write_all(w, text, n);
    expect(w, " 101 ");
    expect(w, "\r\n\r\n");
}

void unblock(struct wire *w) { fcntl(w->fd, F_SETFL, fcntl(w->fd, F_GETFL) | O_NONBLOCK); }

int string_at(const char *text, const char *key, char *out, size_t size) {
    size_t n = strlen(key);
    int depth = 0;
    for (const char *c = text; *c; c++) {
        if (*c == '{' || *c == '[') depth++;
        if (*c == '}' || *c == ']') depth--;
        if (*c != '"') continue;
        const char *start = ++c;
        while (*c && *c != '"') c += 1 + (*c == '\\');
        if (depth != 2 || (size_t)(c - start) != n || strncmp(start, key, n) || strncmp(c, "\":", 2)) continue;
        c += 2 + strspn(c + 2, " ");
        if (*c++ != '"') return 0;
        snprintf(out, size, "%.*s", (int)strcspn(c, "\""), c);
        return 1;
    }
    return 0;
}
