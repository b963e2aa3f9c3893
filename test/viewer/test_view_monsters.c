// The monsters of our own game folder, models/game: each can be opened without errors, looks at a
// point, stands on a stair, and is hit on its skin.
#include "test/own.h"
#include "test/real.h"
#include "test/viewer/test_view_case.h"

enum { MAX_JOINTS = 96, MAX_BODIES = 32 };

typedef struct monster_case {
    common_game_paths places;
    md5_game *game;
    md5_load_opts opts;
    md5_entity *entity;
    md5_actor *actors[2]; // body, head
    md5_monster *monster;
    md5_monster_tick tick;
    md5_xform pose[MAX_JOINTS];
    md5_mat34 joints[MAX_JOINTS], palette[MAX_JOINTS];
    float step; // the height of the ground on the monster's left
} monster_case;

static void fail_with_warning(void *user, const md5_error *warning)
{
    (void)user;
    CHECK_STRING(warning->message, "");
}

// Returns false without libzip, because the folder has no models then.
static bool open_monsters(monster_case *it)
{
    md5_error error;
    *it = (monster_case){.opts = {.warn = fail_with_warning}};
    return common_add_game_path(&it->places, test_path("models/game/base"), &error)
           && (it->game = md5_create_game(it->places.paths, it->places.count, &it->opts, &error))
           && md5_game_set_parse_mode(it->game, MD5_PARSE_ENGINE, &error);
}

static void close_monster(monster_case *it)
{
    md5_destroy_monster(it->monster);
    for (int i = 0; i < 2; i++)
        md5_destroy_actor(it->actors[i]);
    md5_free_entity(it->entity);
}

static void close_monsters(monster_case *it)
{
    close_monster(it);
    md5_destroy_game(it->game);
    common_free_game_paths(&it->places);
}

static float floor_height(void *user, md5_vec3 from, md5_vec3 to, float size, bool is_waist)
{
    (void)size, (void)is_waist;
    return fmaxf(to.z, from.y > 0.0f ? ((const monster_case *)user)->step : 0.0f);
}

// Opens a monster that stands in the second frame of "idle".
static bool open_monster(monster_case *it, const char *name)
{
    close_monster(it);
    it->entity = md5_load_entity(it->game, name, &it->opts, NULL);
    const bool has_head =
        it->entity->num_parts > 0 && strcmp(it->entity->parts[0].key, "def_head") == 0;
    it->actors[0] = md5_create_actor(it->entity, NULL, NULL);
    it->actors[1] = has_head ? md5_create_actor(it->entity->parts[0].entity, NULL, NULL) : NULL;
    md5_actor_set_in_place(it->actors[0], true);
    md5_actor_play(it->actors[0], MD5_CHANNEL_ALL, md5_actor_choose(it->actors[0], NULL, "idle"),
                   MD5_ACTOR_HOLD, 2, 0);
    md5_actor_advance(it->actors[0], 1, NULL, NULL);
    const md5_monster_desc desc = {it->entity, it->actors[0], it->actors[1], false, {0}};
    it->monster = md5_create_monster(&desc, &it->opts, NULL);
    it->tick = (md5_monster_tick){
        .rotation = {0, 0, 0, 1}, .has_ground = true, .sweep = floor_height, .user = it};
    it->step = 0.0f;
    return CHECK(it->monster);
}

static md5_monster_status advance_monster(monster_case *it)
{
    for (int i = 0; i < 240; i++) {
        it->tick.time += 16;
        md5_monster_think(it->monster, &it->tick);
    }
    md5_monster_pose(it->monster, it->pose, it->joints, NULL);
    return md5_monster_state(it->monster);
}

// All joints together rotate "eye" or "head" by the whole angle.
static void check_looking(monster_case *it)
{
    const md5_skeleton *const skeleton = &it->entity->model->skeleton;
    const uint32_t eye = md5_find_joint(skeleton, it->actors[1] ? "head" : "eye");
    const double wanted = atan2(40.0, 100.0);
    advance_monster(it);
    const double before = atan2((double)it->joints[eye].m[4], (double)it->joints[eye].m[0]);
    it->tick.target = (md5_vec3){100, 40, 30};
    md5_monster_look_at(it->monster, 1, it->tick.time, 10000);
    CHECK_NEAR(advance_monster(it).look.yaw, wanted * 180.0 / acos(-1.0), 0.5);
    const double after = atan2((double)it->joints[eye].m[4], (double)it->joints[eye].m[0]);
    CHECK_NEAR(after - before, wanted, 0.03);
}

// On a flat floor nothing moves, so the knees keep their bend. Then the left side of the monster is
// on a stair.
static void check_standing(monster_case *it)
{
    const md5_skeleton *const skeleton = &it->entity->model->skeleton;
    md5_mat34 plain[MAX_JOINTS];
    md5_actor_pose(it->actors[0], it->pose, plain, NULL);
    const md5_monster_status flat = advance_monster(it);
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        CHECK_THAT(
            real_distance(md5_mat34_translation(plain[i]), md5_mat34_translation(it->joints[i]))
                < 0.5,
            "%s moves", skeleton->joints[i].name);
    it->step = 3.0f;
    const md5_monster_status now = advance_monster(it);
    CHECK(now.num_legs == 2 || now.num_legs == 6);
    for (uint32_t i = 0; i < now.num_legs; i++) {
        char key[24];
        snprintf(key, sizeof key, "ik_ankle%u", (unsigned)i + 1);
        const uint32_t ankle = md5_find_joint(skeleton, md5_entity_def_value(it->entity->def, key));
        const double wanted = plain[ankle].m[7] > 0.0f ? 3.0 : 0.0;
        CHECK_NEAR(now.ankle_heights[i] - flat.ankle_heights[i], wanted, 1e-3);
        CHECK_NEAR(it->joints[ankle].m[11] - plain[ankle].m[11], wanted, 0.02);
    }
}

// If all feet are lower, the body is lower too, and so is the muzzle, if there is one.
static void check_shot(monster_case *it)
{
    const md5_skeleton *const skeleton = &it->entity->model->skeleton;
    const uint32_t tip = md5_find_joint(skeleton, "bolt_tip");
    const uint32_t body = md5_find_joint(skeleton, "body");
    if (tip == MD5_NONE)
        return;
    md5_mat34 plain[MAX_JOINTS];
    md5_actor_pose(it->actors[0], it->pose, plain, NULL);
    it->step = -4.0f;
    advance_monster(it);
    const double lower = (double)(it->joints[body].m[11] - plain[body].m[11]);
    CHECK(lower < -3);
    CHECK_NEAR(it->joints[tip].m[11] - plain[tip].m[11], lower, 1e-4);
}

// Keys that would move the waist far away leave it at finite coordinates.
static void check_wild_keys(monster_case *it)
{
    const md5_entity_def *const def = it->entity->def;
    OWN_ARRAY(md5_entity_key, keys, def->num_keys);
    for (uint32_t i = 0; i < def->num_keys; i++) {
        keys[i] = def->keys[i];
        if (strcmp(keys[i].name, "scriptobject") == 0)
            keys[i].name = "ik_waistSmoothing", keys[i].value = "-1e38";
    }
    const md5_entity_def wild = {def->decl, def->num_keys, keys};
    md5_entity entity = *it->entity;
    entity.def = &wild;
    const md5_monster_desc desc = {.entity = &entity, .body = it->actors[0]};
    md5_monster *const tame = it->monster;
    it->monster = md5_create_monster(&desc, &it->opts, NULL);
    it->step = 0.0f;
    md5_monster_think(it->monster, &it->tick);
    it->step = -4.0f;
    CHECK(fabsf(advance_monster(it).waist_height) > 1e9f);
    for (uint32_t i = 0; i < entity.model->skeleton.num_joints; i++)
        CHECK(isfinite(it->joints[i].m[11]));
    md5_destroy_monster(it->monster);
    it->monster = tame;
}

// Returns the distance of a point above the planes of a body.
static float height_above(const md5_figure *figure, const md5_body_part *body, md5_xform place,
                          md5_vec3 point)
{
    const md5_vec3 *const v = figure->vertices;
    float height = -INFINITY;
    point =
        md5_quat_rotate(md5_quat_conjugate(place.rotation), md5_vec3_sub(point, place.translation));
    for (uint32_t i = 0; i < body->num_triangles; i++) {
        const uint32_t *const corners = figure->triangles[body->first_triangle + i];
        const md5_vec3 normal = md5_vec3_cross(md5_vec3_sub(v[corners[2]], v[corners[0]]),
                                               md5_vec3_sub(v[corners[1]], v[corners[0]]));
        height = fmaxf(height, md5_vec3_dot(md5_vec3_normalize(normal, normal),
                                            md5_vec3_sub(point, v[corners[0]])));
    }
    return height;
}

// Returns the fraction of the skin that is in a body, or above it by less than 2 units.
static double part_in_bodies(const md5_figure *figure, const md5_body_state *bodies,
                             const md5_mat34 *palette)
{
    const md5_mesh *const mesh = &figure->entity->model->meshes[0];
    OWN_ARRAY(md5_vec3, points, mesh->num_vertices);
    unsigned count = 0;
    md5_skin(mesh, palette, points, NULL, NULL);
    for (uint32_t i = 0; i < mesh->num_vertices; i++) {
        float above = INFINITY;
        for (uint32_t b = 0; b < figure->num_bodies; b++)
            above = fminf(above,
                          height_above(figure, &figure->bodies[b], bodies[b].transform, points[i]));
        count += above < 2.0f;
    }
    return (double)count / mesh->num_vertices;
}

// Another monster that is restored from a saved state continues bit-identically. Changed bytes are
// rejected.
static void check_saving(monster_case *it, const char *name)
{
    monster_case copy = {.game = it->game, .opts = it->opts};
    REQUIRE(open_monster(&copy, name));
    const size_t size = md5_monster_save_size(it->monster);
    OWN_ARRAY(uint8_t, bytes, size);
    md5_error error;
    md5_monster_save(it->monster, bytes);
    CHECK_FAILS(md5_monster_restore(copy.monster, bytes, size - 1, &error), error,
                MD5_ERROR_MISMATCH);
    CHECK_FAILS(md5_monster_restore(copy.monster, bytes, 5, &error), error, MD5_ERROR_SYNTAX);
    bytes[size - 1] ^= 0x7f; // the top byte of a float: a large value
    CHECK_FAILS(md5_monster_restore(copy.monster, bytes, size, &error), error, MD5_ERROR_RANGE);
    bytes[size - 1] ^= 0x7f;
    REQUIRE(md5_monster_restore(copy.monster, bytes, size, NULL));
    uint8_t actor[MD5_ACTOR_SAVE_SIZE];
    for (int i = 0; i < 2 && it->actors[i]; i++) {
        md5_actor_save(it->actors[i], actor);
        CHECK(md5_actor_restore(copy.actors[i], actor, sizeof actor, NULL));
    }
    copy.tick = it->tick;
    copy.tick.user = &copy;
    copy.step = it->step = -2.0f;
    copy.tick.target = it->tick.target = (md5_vec3){50, -30, 10};
    advance_monster(it);
    advance_monster(&copy);
    CHECK(
        memcmp(it->joints, copy.joints, sizeof *it->joints * it->entity->model->skeleton.num_joints)
        == 0);
    close_monster(&copy);
}

// Dropped items are reported with time and joint, newest first, as in the engine: neo/game/Item.cpp
// of dhewm3, DropItems(), and neo/game/ai/AI.cpp, Killed().
static void check_drops(const monster_case *it, md5_states *states)
{
    static const md5_entity_key keys[] = {{.name = "def_dropGibItem", .value = "bone"},
                                          {.name = "def_dropDeathItem2", .value = "key"},
                                          {.name = "dropDeathItem2Joint", .value = "hand"},
                                          {.name = "def_dropdeathAF", .value = "rags"},
                                          {.name = "def_drops1", .value = "soul"}};
    static const char *const texts[] = {"drops soul", "drops rags", "drops key at hand",
                                        "if gibbed, drops bone"};
    const md5_entity_def def = {.num_keys = COUNT_OF(keys), .keys = keys};
    md5_entity entity = *it->entity;
    entity.def = &def;
    static const md5_script_variable flags[] = {{"AI_PAIN", MD5_SCRIPT_BOOLEAN},
                                                {"AI_DEAD", MD5_SCRIPT_BOOLEAN}};
    md5_script script = {.variables = flags};
    view_entity figure = {.entity = &entity, .states = states, .script = &script, .time = 1.5};
    view_run_script_item(&figure, true, 0, true);
    view_run_script_item(&figure, true, 1, false);
    CHECK_UINT(figure.num_fired, 0);
    view_run_script_item(&figure, true, 1, true);
    free(figure.orders);
    CHECK_UINT(figure.num_fired, COUNT_OF(texts));
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        CHECK_STRING(figure.fired[i].text, texts[i]);
        CHECK_NEAR(figure.fired[i].time, 1.5, 0);
    }
}

// Plays half a minute in which each state of its script is active.
static void check_states(monster_case *it)
{
    static const struct {
        int tick;
        const char *variable;
        float value;
    } rows[] = {{50, "AI_FORWARD", 1},  {100, "run", 1},     {150, "run", 0},
                {200, "AI_FORWARD", 0}, {250, "attack", 1},  {500, "talk", 1},
                {600, "talk", 0},       {650, "gesture", 1}, {1000, "AI_FORWARD", 1},
                {1050, "AI_PAIN", 1},   {1500, "AI_DEAD", 1}};
    md5_error error = {0};
    md5_load_opts opts = it->opts;
    opts.files = md5_game_files(it->game);
    md5_script *const script = md5_load_script(
        "script/doom_main.script", md5_entity_def_value(it->entity->def, "scriptobject"),
        it->entity, &opts, &error);
    CHECK_THAT(!error.message[0], "%s:%u:%u: %s", error.file, error.line, error.column,
               error.message);
    REQUIRE(script && script->num_states <= 64);
    CHECK_UINT(script->num_unknown, 0);
    const md5_states_desc desc = {.script = script,
                                  .entity = it->entity,
                                  .body = it->actors[0],
                                  .head = it->actors[1],
                                  .monster = it->monster};
    md5_states *const states = md5_create_states(&desc, NULL, NULL);
    CHECK(md5_states_set(states, MD5_CHANNEL_ALL, "state_Stand", 0));
    uint64_t seen = 0;
    for (int tick = 0; tick < 1800; tick++) {
        for (size_t i = 0; i < COUNT_OF(rows); i++)
            if (rows[i].tick == tick)
                (void)md5_states_set_variable(states, rows[i].variable, rows[i].value);
        md5_states_advance(states, 16, NULL, NULL);
        for (int i = 0; i < MD5_NUM_CHANNELS; i++) {
            const md5_channel_state now = md5_states_channel(states, (md5_channel)i);
            CHECK(!now.was_stopped);
            for (uint32_t k = 0; k < script->num_states; k++)
                seen |= (uint64_t)(strcmp(script->states[k].name, now.name) == 0) << k;
        }
    }
    for (uint32_t k = 0; k < script->num_states; k++)
        CHECK_THAT(seen >> k & 1, "%s is not played", script->states[k].name);
    // A frame command has called a script function.
    const char *const object = md5_entity_def_value(it->entity->def, "scriptobject");
    CHECK_NEAR(md5_states_variable(states, "unfolded"), strstr(object, "thimble") ? 1 : 0, 0);
    check_drops(it, states);
    md5_destroy_states(states);
    md5_free_script(script);
}

static void check_figure(monster_case *it)
{
    const md5_figure_def *const def =
        md5_game_figure_def(it->game, md5_entity_def_value(it->entity->def, "ragdoll"), NULL);
    md5_figure *const figure = def ? md5_create_figure(def, it->entity, &it->opts, NULL) : NULL;
    REQUIRE(figure && figure->num_bodies <= MAX_BODIES);
    CHECK_UINT(figure->num_constraints, figure->num_bodies - 1);
    for (uint32_t i = 0; i < figure->num_bodies; i++)
        CHECK(md5_entity_damage_zone(it->entity, figure->bodies[i].joint).name[0]);
    // The limits of the figure are satisfied in its initial pose.
    for (uint32_t i = 0; i < figure->num_constraints; i++) {
        const md5_body_constraint *const limit = &figure->constraints[i];
        CHECK_THAT(real3_dot(to_real3(md5_quat_rotate(figure->setup[limit->bodies[0]].rotation,
                                                      limit->limit_shaft)),
                             to_real3(md5_quat_rotate(figure->setup[limit->bodies[1]].rotation,
                                                      limit->limit_axis)))
                       > limit->limit_cosines[0],
                   "%s is beyond its limit", limit->def->name);
    }
    md5_body_state bodies[MAX_BODIES];
    md5_local_to_palette(it->entity->model, figure->setup_pose, it->joints, it->palette);
    md5_figure_from_joints(figure, it->joints, (md5_xform){.rotation = {0, 0, 0, 1}}, 0.0f, bodies);
    const double part = part_in_bodies(figure, bodies, it->palette);
    CHECK_THAT(part > 0.9, "%g of the skin is in bodies", part);
    const md5_bounds skin = md5_skin_bounds(it->entity->model, it->palette);
    const md5_bounds box = md5_figure_bounds(figure, bodies, (md5_xform){.rotation = {0, 0, 0, 1}});
    CHECK(box.min.x > skin.min.x - 3 && box.min.y > skin.min.y - 3 && box.min.z > skin.min.z - 3);
    md5_free_figure(figure);
}

TEST_IF (our_monsters_look_stand_and_can_be_hit, monster_case, it, open_monsters(it),
         close_monsters(it)) {
    unsigned count = 0;
    for (uint32_t i = 0; i < md5_game_num_decls(it->game, MD5_DECL_ENTITY); i++) {
        const char *const name = md5_game_decl(it->game, MD5_DECL_ENTITY, i)->name;
        if (strncmp(name, "monster_", 8) != 0)
            continue;
        CHECK(md5_game_check_entity_keys(it->game, name, NULL));
        REQUIRE(open_monster(it, name));
        check_looking(it);
        REQUIRE(open_monster(it, name));
        check_standing(it);
        check_shot(it);
        check_wild_keys(it);
        check_saving(it, name);
        check_states(it);
        check_figure(it);
        count++;
    }
    CHECK_UINT(count, 6); // the number in models/game/README.md
}
