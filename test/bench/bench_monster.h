// Compares a thousand monsters of our game folder that look at a target and stand on a stair with
// monsters that only play their clip.
#ifndef TEST_BENCH_BENCH_MONSTER_H
#define TEST_BENCH_BENCH_MONSTER_H

#include "test/bench/bench_measure.h"

#include "demo/common/game_folder.h"

static float stair_below(void *user, md5_vec3 from, md5_vec3 to, float size, bool is_waist)
{
    (void)user, (void)to, (void)size, (void)is_waist;
    return 3.0f * floorf(from.x / 8.0f);
}

// A monster that stands on a stair, for test/long/instructions.sh.
typedef struct standing {
    md5_game *game;
    md5_entity *entity;
    md5_actor *actor;
    md5_monster *monster;
    md5_monster_tick tick;
    md5_xform pose[128];
    md5_mat34 joints[128], palette[128];
} standing;

// Returns false if the game folder cannot be read, because libzip is missing.
static bool make_standing(standing *monster)
{
    common_game_paths game_paths = {.count = 0};
    common_add_game_path(&game_paths, "models/game/base", NULL);
    monster->game = md5_create_game(game_paths.paths, game_paths.count, NULL, NULL);
    monster->entity = md5_load_entity(monster->game, "monster_bobbin", NULL, NULL);
    if (!monster->entity)
        return false;
    monster->actor = md5_create_actor(monster->entity, NULL, NULL);
    const md5_monster_desc desc = {.entity = monster->entity, .body = monster->actor};
    monster->monster = md5_create_monster(&desc, NULL, NULL);
    monster->tick =
        (md5_monster_tick){.rotation = {0, 0, 0, 1}, .has_ground = true, .sweep = stair_below};
    md5_actor_play(monster->actor, MD5_CHANNEL_ALL, 0, MD5_ACTOR_CYCLE, 0, 0);
    return true;
}

static void free_standing(standing *monster)
{
    md5_destroy_monster(monster->monster);
    md5_destroy_actor(monster->actor);
    md5_free_entity(monster->entity);
    md5_destroy_game(monster->game);
}

static void advance_standing(standing *monster)
{
    monster->tick.time += 16;
    monster->tick.origin.x = fmodf(monster->tick.origin.x + 1.0f, 32.0f);
    md5_actor_advance(monster->actor, 16, NULL, NULL);
}

// Work in which the monster only plays its clip.
static uint64_t work_actor(void *fixture, md5_cpu level)
{
    standing *const monster = fixture;
    (void)level;
    advance_standing(monster);
    md5_actor_pose(monster->actor, monster->pose, monster->joints, monster->palette);
    return monster->palette[0].m[0] > 0.0f;
}

// Work in which the monster plays its clip, looks at a point and stands on the stair.
static uint64_t work_monster(void *fixture, md5_cpu level)
{
    standing *const monster = fixture;
    (void)level;
    advance_standing(monster);
    md5_monster_look_at(monster->monster, 1, monster->tick.time, 1000);
    md5_monster_think(monster->monster, &monster->tick);
    md5_monster_pose(monster->monster, monster->pose, monster->joints, monster->palette);
    return monster->palette[0].m[0] > 0.0f;
}

// Measures a tick of 1000 monsters that only play their clips, and of monsters that also look at
// points and stand on stairs.
static void measure_monsters(bench_table *table)
{
    static md5_actor *actors[1000];
    static md5_monster *monsters[1000];
    static md5_xform pose[128];
    static md5_mat34 joints[128], palette[128];
    common_game_paths game_paths = {.count = 0};
    double seconds[2] = {0.0};
    md5_monster_tick tick = {.rotation = {0, 0, 0, 1}, .has_ground = true, .sweep = stair_below};
    common_add_game_path(&game_paths, "models/game/base", NULL);
    md5_game *const game = md5_create_game(game_paths.paths, game_paths.count, NULL, NULL);
    const md5_entity *const entity = md5_load_entity(game, "monster_bobbin", NULL, NULL);
    bench_heading("1000 monsters");
    if (!entity) {
        puts("  not measured: without libzip the game folder's archive is not read");
        return;
    }
    for (uint32_t i = 0; i < 1000; i++) {
        actors[i] = md5_create_actor(entity, NULL, NULL);
        const md5_monster_desc desc = {.entity = entity, .body = actors[i]};
        monsters[i] = md5_create_monster(&desc, NULL, NULL);
        md5_actor_play(actors[i], MD5_CHANNEL_ALL, 0, MD5_ACTOR_CYCLE, 0, 0);
    }
    for (uint32_t i = 0; i < 60000; i++) {
        const uint32_t k = i % 1000;
        const uint32_t looks = i / 1000 % 2;
        tick.time += k == 0 ? 16 : 0;
        tick.origin.x = (float)k;
        seconds[looks] -= k == 0 ? bench_processor_seconds() : 0.0;
        md5_actor_advance(actors[k], 16, NULL, NULL);
        if (looks) {
            md5_monster_look_at(monsters[k], 1, tick.time, 1000);
            md5_monster_think(monsters[k], &tick);
            md5_monster_pose(monsters[k], pose, joints, palette);
        } else {
            md5_actor_pose(actors[k], pose, joints, palette);
        }
        seconds[looks] += k == 999 ? bench_processor_seconds() : 0.0;
        table->checksum += palette[0].m[0] > 0.0f;
    }
    bench_figure(table, "look and stand, over only playing", "x", seconds[1] / seconds[0], 1.5);
}

#endif
