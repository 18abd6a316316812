/* Random legal play with the C core of PufferLib's checkers. A line each for two ways: steps, seconds of processor time,
 * finished games.
 *  1. Its moves, picked at random for both sides.
 *  2. Its step function, where its own player answers each action. That player reseeds its random numbers with the second
 *     of the day at every move and there are no draws, so that its games do not end: they are cut after LENGTH steps.
 *
 * The core draws with raylib; what it names of it is declared here, since nothing is drawn. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct { unsigned char r, g, b, a; } Color;
#define BLUE ((Color){0, 0, 255, 255})
#define RED ((Color){255, 0, 0, 255})
enum { FLAG_MSAA_4X_HINT, KEY_ESCAPE };
static int IsWindowReady(void) { return 0; }
static int IsKeyDown(int key) { return key < 0; }
static int GetScreenWidth(void) { return 0; }
static int GetScreenHeight(void) { return 0; }
#define SetConfigFlags(flags)
#define InitWindow(width, height, title)
#define SetTargetFPS(frames)
#define SetWindowSize(width, height)
#define CloseWindow()
#define BeginDrawing()
#define EndDrawing()
#define ClearBackground(color)
#define DrawRectangle(...)
#define DrawCircle(...)
#define DrawCircleGradient(...)
#include "checkers.h"

enum { LENGTH = 50 };

static unsigned long long seed = 88172645463325252ULL;

static unsigned draw(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 32);
}

/* A legal action of the side to move. The core offers no mask, so its own test is asked about that side's pieces. */
static int pick(Checkers *env) {
    int legal[512], n = 0;
    for (int action = 0; action < 512; action++) {
        int piece = env->observations[action / 8];
        if (piece != env->current_player && piece != env->current_player + 1) {
            action |= 7;
            continue;
        }
        if (is_valid_move(env, decode_action(env, action)))
            legal[n++] = action;
    }
    return legal[draw() % n];
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int count, char **words) {
    unsigned char board[64], is_over = 0;
    int action = 0;
    float reward = 0;
    Checkers env = {.observations = board, .actions = &action, .rewards = &reward, .terminals = &is_over, .size = 8};
    int steps = count > 1 ? atoi(words[1]) : 100000, games = 0;
    c_reset(&env);
    if (num_legal_moves(&env) != 7)
        return 1;

    double began = now();
    for (int i = 0; i < steps; i++) {
        is_over = 0;
        make_move(&env, pick(&env));
        if (is_over) {
            games++;
            c_reset(&env);
        }
    }
    printf("%d %f %d\n", steps, now() - began, games);

    c_reset(&env);
    began = now();
    for (int i = 0; i < steps; i++) {
        action = pick(&env);
        c_step(&env);
        if (env.tick >= LENGTH) {
            games++;
            c_reset(&env);
        }
    }
    printf("%d %f %d\n", steps, now() - began, games);
    return 0;
}
