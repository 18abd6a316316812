/* A WebSocket client's end of a connection, no more than the load client needs. Whatever goes wrong ends the program. */
#include <stddef.h>
#include <stdint.h>

struct wire {
    int fd;
    unsigned char *in;           /* what came in and has not been taken: [at, length) of size bytes */
    size_t at, length, size;
    size_t lent_at;              /* where a text's end was written over the first byte after it, 0 for nowhere */
    unsigned char lent;
};

struct traffic { uint64_t bytes_in, bytes_out, frames_in; };
extern struct traffic traffic;

void fail(const char *format, ...);
int64_t now_ns(void);

void open_wire(struct wire *w, int port, const char *path); /* blocking */
void unblock(struct wire *w);
int receive(struct wire *w); /* 0 where nothing had come */
void send_text(struct wire *w, const char *text, size_t n);
char *next_text(struct wire *w); /* the next whole text frame, valid until the next call, or NULL */

/* The string at a key of the first object in an event's list, not of anything inside it; 0 if there is none. */
int string_at(const char *text, const char *key, char *out, size_t size);
