// A ragdoll of our game folder that falls down stairs of triangles, for test/long/instructions.sh.
#ifndef TEST_BENCH_BENCH_RAGDOLL_H
#define TEST_BENCH_BENCH_RAGDOLL_H

#include "test/bench/bench_monster.h"

#include "md5/md5ragdoll.h"

enum { MAX_RAGDOLL_BODIES = 32, TICKS_PER_FALL = 100 };

// Stairs of eight steps that begin at the origin. A step is 24 units deep and 12 units high.
enum { STAIR_DEPTH = 24, STAIR_HEIGHT = 12, NUM_STAIRS = 8 };

typedef struct falling {
    md5_game *game;
    md5_entity *entity;
    md5_figure *figure;
    md5_ragdoll *ragdoll;
    md5_body_state bodies[MAX_RAGDOLL_BODIES]; // at the start of a fall
    uint32_t tick;                             // ticks since the start of the current fall
} falling;

// Returns the triangles that touch a box: the tread and the riser of each step.
static uint32_t stair_triangles(void *user, md5_bounds box, md5_vec3 (*triangles)[3],
                                uint32_t capacity)
{
    (void)user;
    uint32_t count = 0;
    for (int i = 0; i <= NUM_STAIRS; i++) {
        const bool is_last = i == NUM_STAIRS; // has no riser
        const float begin = i == 0 ? -1e4f : (float)(STAIR_DEPTH * (i - 1));
        const float end = is_last ? 1e4f : (float)(STAIR_DEPTH * i);
        const float top = (float)(STAIR_HEIGHT * (NUM_STAIRS - i));
        const float bottom = top - (float)STAIR_HEIGHT;
        const md5_vec3 a = {begin, -1e3f, top};
        const md5_vec3 b = {begin, 1e3f, top};
        const md5_vec3 c = {end, 1e3f, top};
        const md5_vec3 d = {end, -1e3f, top};
        const md5_vec3 e = {end, 1e3f, bottom};
        const md5_vec3 f = {end, -1e3f, bottom};
        const md5_vec3 step[4][3] = {{a, b, c}, {a, c, d}, {d, c, e}, {d, e, f}};
        const bool is_near = box.max.x >= begin && box.min.x <= end && box.min.z <= top;
        const uint32_t num_triangles = is_last ? 2 : 4;
        for (uint32_t k = 0; is_near && k < num_triangles && count < capacity; k++)
            memcpy(triangles[count++], step[k], sizeof step[k]);
    }
    return count;
}

// Returns false if the game folder cannot be read, because libzip is missing.
static bool make_falling(falling *falling_case)
{
    common_game_paths game_paths = {.count = 0};
    common_add_game_path(&game_paths, "models/game/base", NULL);
    falling_case->game = md5_create_game(game_paths.paths, game_paths.count, NULL, NULL);
    falling_case->entity = md5_load_entity(falling_case->game, "monster_bobbin", NULL, NULL);
    const md5_figure_def *const def = md5_game_figure_def(falling_case->game, "bobbin", NULL);
    if (!falling_case->entity || !def)
        return false;
    falling_case->figure = md5_create_figure(def, falling_case->entity, NULL, NULL);
    const md5_ragdoll_desc desc = {.figure = falling_case->figure,
                                   .ground = {.triangles = stair_triangles}};
    falling_case->ragdoll = falling_case->figure ? md5_create_ragdoll(&desc, NULL, NULL) : NULL;
    if (!falling_case->ragdoll || falling_case->figure->num_bodies > MAX_RAGDOLL_BODIES)
        return false;
    const md5_xform start = {.rotation = {0.0f, 0.6f, 0.0f, 0.8f}, .translation = {20, 0, 130}};
    for (uint32_t i = 0; i < falling_case->figure->num_bodies; i++)
        falling_case->bodies[i] =
            (md5_body_state){.transform = md5_xform_mul(start, falling_case->figure->setup[i]),
                             .linear = {120, 0, 0}};
    return true;
}

static void free_falling(falling *falling_case)
{
    md5_destroy_ragdoll(falling_case->ragdoll);
    md5_free_figure(falling_case->figure);
    md5_free_entity(falling_case->entity);
    md5_destroy_game(falling_case->game);
}

// Simulates one tick of 1/60 s. After TICKS_PER_FALL ticks the figure falls again.
static uint64_t work_ragdoll(void *fixture, md5_cpu level)
{
    falling *const falling_case = fixture;
    (void)level;
    if (falling_case->tick++ % TICKS_PER_FALL == 0)
        md5_ragdoll_start(falling_case->ragdoll, falling_case->bodies);
    md5_ragdoll_advance(falling_case->ragdoll, 1.0 / 60.0);
    return !md5_ragdoll_is_at_rest(falling_case->ragdoll);
}

#endif
