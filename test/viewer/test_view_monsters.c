// The monsters of our own game folder, models/game: each can be opened without errors, looks at a
// point, stands on a stair, and is hit on its skin.
#include "test/scoped.h"
#include "test/real.h"
#include "test/viewer/test_view_case.h"

enum { MAX_JOINTS = 96, MAX_BODIES = 32 };

typedef struct monster_case {
    common_game_paths game_paths;
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
static bool open_monsters(monster_case *fixture)
{
    md5_error error;
    *fixture = (monster_case){.opts = {.warn = fail_with_warning}};
    return common_add_game_path(&fixture->game_paths, test_path("models/game/base"), &error)
           && (fixture->game = md5_create_game(fixture->game_paths.paths, fixture->game_paths.count,
                                               &fixture->opts, &error))
           && md5_game_set_parse_mode(fixture->game, MD5_PARSE_ENGINE, &error);
}

static void close_monster(monster_case *fixture)
{
    md5_destroy_monster(fixture->monster);
    for (int i = 0; i < 2; i++)
        md5_destroy_actor(fixture->actors[i]);
    md5_free_entity(fixture->entity);
}

static void close_monsters(monster_case *fixture)
{
    close_monster(fixture);
    md5_destroy_game(fixture->game);
    common_free_game_paths(&fixture->game_paths);
}

static float floor_height(void *user, md5_vec3 from, md5_vec3 to, float size, bool is_waist)
{
    (void)size, (void)is_waist;
    return fmaxf(to.z, from.y > 0.0f ? ((const monster_case *)user)->step : 0.0f);
}

// Opens a monster that stands in the second frame of "idle".
static bool open_monster(monster_case *fixture, const char *name)
{
    close_monster(fixture);
    fixture->entity = md5_load_entity(fixture->game, name, &fixture->opts, NULL);
    const bool has_head =
        fixture->entity->num_parts > 0 && strcmp(fixture->entity->parts[0].key, "def_head") == 0;
    fixture->actors[0] = md5_create_actor(fixture->entity, NULL, NULL);
    fixture->actors[1] =
        has_head ? md5_create_actor(fixture->entity->parts[0].entity, NULL, NULL) : NULL;
    md5_actor_set_in_place(fixture->actors[0], true);
    md5_actor_play(fixture->actors[0], MD5_CHANNEL_ALL,
                   md5_actor_choose(fixture->actors[0], NULL, "idle"), MD5_ACTOR_HOLD, 2, 0);
    md5_actor_advance(fixture->actors[0], 1, NULL, NULL);
    const md5_monster_desc desc = {
        fixture->entity, fixture->actors[0], fixture->actors[1], false, {0}};
    fixture->monster = md5_create_monster(&desc, &fixture->opts, NULL);
    fixture->tick = (md5_monster_tick){
        .rotation = {0, 0, 0, 1}, .has_ground = true, .sweep = floor_height, .user = fixture};
    fixture->step = 0.0f;
    return CHECK(fixture->monster);
}

static md5_monster_status advance_monster(monster_case *fixture)
{
    for (int i = 0; i < 240; i++) {
        fixture->tick.time += 16;
        md5_monster_think(fixture->monster, &fixture->tick);
    }
    md5_monster_pose(fixture->monster, fixture->pose, fixture->joints, NULL);
    return md5_monster_state(fixture->monster);
}

// Checks that all joints together rotate "eye" or "head" by the whole angle.
static void check_looking(monster_case *fixture)
{
    const md5_skeleton *const skeleton = &fixture->entity->model->skeleton;
    const uint32_t eye = md5_find_joint(skeleton, fixture->actors[1] ? "head" : "eye");
    const double wanted = atan2(40.0, 100.0);
    advance_monster(fixture);
    const double before =
        atan2((double)fixture->joints[eye].m[4], (double)fixture->joints[eye].m[0]);
    fixture->tick.target = (md5_vec3){100, 40, 30};
    md5_monster_look_at(fixture->monster, 1, fixture->tick.time, 10000);
    CHECK_NEAR(advance_monster(fixture).look.yaw, wanted * 180.0 / acos(-1.0), 0.5);
    const double after =
        atan2((double)fixture->joints[eye].m[4], (double)fixture->joints[eye].m[0]);
    CHECK_NEAR(after - before, wanted, 0.03);
}

// Checks that on a flat floor the feet do not move, so that the knees keep their bend. Then the
// left side of the monster stands on a stair.
static void check_standing(monster_case *fixture)
{
    const md5_skeleton *const skeleton = &fixture->entity->model->skeleton;
    md5_mat34 plain[MAX_JOINTS];
    md5_actor_pose(fixture->actors[0], fixture->pose, plain, NULL);
    const md5_monster_status flat = advance_monster(fixture);
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        CHECK_THAT(real_distance(md5_mat34_translation(plain[i]),
                                 md5_mat34_translation(fixture->joints[i]))
                       < 0.5,
                   "%s moves", skeleton->joints[i].name);
    fixture->step = 3.0f;
    const md5_monster_status status = advance_monster(fixture);
    CHECK(status.num_legs == 2 || status.num_legs == 6);
    for (uint32_t i = 0; i < status.num_legs; i++) {
        char key[24];
        snprintf(key, sizeof key, "ik_ankle%u", (unsigned)i + 1);
        const uint32_t ankle =
            md5_find_joint(skeleton, md5_entity_def_value(fixture->entity->def, key));
        const double wanted = plain[ankle].m[7] > 0.0f ? 3.0 : 0.0;
        CHECK_NEAR(status.ankle_heights[i] - flat.ankle_heights[i], wanted, 1e-3);
        CHECK_NEAR(fixture->joints[ankle].m[11] - plain[ankle].m[11], wanted, 0.02);
    }
}

// Checks that the body is lower if the ground below all feet is lower. So must be the muzzle from
// which the monster shoots, if it has one.
static void check_shot(monster_case *fixture)
{
    const md5_skeleton *const skeleton = &fixture->entity->model->skeleton;
    const uint32_t tip = md5_find_joint(skeleton, "bolt_tip");
    const uint32_t body = md5_find_joint(skeleton, "body");
    if (tip == MD5_NONE)
        return;
    md5_mat34 plain[MAX_JOINTS];
    md5_actor_pose(fixture->actors[0], fixture->pose, plain, NULL);
    fixture->step = -4.0f;
    advance_monster(fixture);
    const double lower = (double)(fixture->joints[body].m[11] - plain[body].m[11]);
    CHECK(lower < -3);
    CHECK_NEAR(fixture->joints[tip].m[11] - plain[tip].m[11], lower, 1e-4);
}

// Keys that would move the waist far away leave it at finite coordinates.
static void check_wild_keys(monster_case *fixture)
{
    const md5_entity_def *const def = fixture->entity->def;
    SCOPED_ARRAY(md5_entity_key, keys, def->num_keys);
    for (uint32_t i = 0; i < def->num_keys; i++) {
        keys[i] = def->keys[i];
        if (strcmp(keys[i].name, "scriptobject") == 0) {
            keys[i].name = "ik_waistSmoothing";
            keys[i].value = "-1e38";
        }
    }
    const md5_entity_def wild = {def->decl, def->num_keys, keys};
    md5_entity entity = *fixture->entity;
    entity.def = &wild;
    const md5_monster_desc desc = {.entity = &entity, .body = fixture->actors[0]};
    md5_monster *const tame = fixture->monster;
    fixture->monster = md5_create_monster(&desc, &fixture->opts, NULL);
    fixture->step = 0.0f;
    md5_monster_think(fixture->monster, &fixture->tick);
    fixture->step = -4.0f;
    CHECK(fabsf(advance_monster(fixture).waist_height) > 1e9f);
    for (uint32_t i = 0; i < entity.model->skeleton.num_joints; i++)
        CHECK(isfinite(fixture->joints[i].m[11]));
    md5_destroy_monster(fixture->monster);
    fixture->monster = tame;
}

// Returns the distance of a point above the planes of a body.
static float height_above(const md5_figure *figure, const md5_body_part *body, md5_xform transform,
                          md5_vec3 point)
{
    const md5_vec3 *const v = figure->vertices;
    float height = -INFINITY;
    point = md5_quat_rotate(md5_quat_conjugate(transform.rotation),
                            md5_vec3_sub(point, transform.translation));
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
    SCOPED_ARRAY(md5_vec3, points, mesh->num_vertices);
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
static void check_saving(monster_case *fixture, const char *name)
{
    monster_case copy = {.game = fixture->game, .opts = fixture->opts};
    REQUIRE(open_monster(&copy, name));
    const size_t size = md5_monster_save_size(fixture->monster);
    SCOPED_ARRAY(uint8_t, bytes, size);
    md5_error error;
    md5_monster_save(fixture->monster, bytes);
    CHECK_FAILS(md5_monster_restore(copy.monster, bytes, size - 1, &error), error,
                MD5_ERROR_MISMATCH);
    CHECK_FAILS(md5_monster_restore(copy.monster, bytes, 5, &error), error, MD5_ERROR_SYNTAX);
    bytes[size - 1] ^= 0x7f; // the top byte of a float: a large value
    CHECK_FAILS(md5_monster_restore(copy.monster, bytes, size, &error), error, MD5_ERROR_RANGE);
    bytes[size - 1] ^= 0x7f;
    REQUIRE(md5_monster_restore(copy.monster, bytes, size, NULL));
    uint8_t actor[MD5_ACTOR_SAVE_SIZE];
    for (int i = 0; i < 2 && fixture->actors[i]; i++) {
        md5_actor_save(fixture->actors[i], actor);
        CHECK(md5_actor_restore(copy.actors[i], actor, sizeof actor, NULL));
    }
    copy.tick = fixture->tick;
    copy.tick.user = &copy;
    copy.step = fixture->step = -2.0f;
    copy.tick.target = fixture->tick.target = (md5_vec3){50, -30, 10};
    advance_monster(fixture);
    advance_monster(&copy);
    CHECK(memcmp(fixture->joints, copy.joints,
                 sizeof *fixture->joints * fixture->entity->model->skeleton.num_joints)
          == 0);
    close_monster(&copy);
}

// Dropped items are reported with time and joint, newest first, as in the engine: neo/game/Item.cpp
// of dhewm3, DropItems(), and neo/game/ai/AI.cpp, Killed().
static void check_drops(const monster_case *fixture, md5_states *states)
{
    static const md5_entity_key keys[] = {{.name = "def_dropGibItem", .value = "bone"},
                                          {.name = "def_dropDeathItem2", .value = "key"},
                                          {.name = "dropDeathItem2Joint", .value = "hand"},
                                          {.name = "def_dropdeathAF", .value = "rags"},
                                          {.name = "def_drops1", .value = "soul"}};
    static const char *const texts[] = {"drops soul", "drops rags", "drops key at hand",
                                        "if gibbed, drops bone"};
    const md5_entity_def def = {.num_keys = COUNT_OF(keys), .keys = keys};
    md5_entity entity = *fixture->entity;
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
static void check_states(monster_case *fixture)
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
    md5_load_opts opts = fixture->opts;
    opts.files = md5_game_files(fixture->game);
    md5_script *const script = md5_load_script(
        "script/doom_main.script", md5_entity_def_value(fixture->entity->def, "scriptobject"),
        fixture->entity, &opts, &error);
    CHECK_THAT(!error.message[0], "%s:%u:%u: %s", error.file, error.line, error.column,
               error.message);
    REQUIRE(script && script->num_states <= 64);
    CHECK_UINT(script->num_unknown, 0);
    const md5_states_desc desc = {.script = script,
                                  .entity = fixture->entity,
                                  .body = fixture->actors[0],
                                  .head = fixture->actors[1],
                                  .monster = fixture->monster};
    md5_states *const states = md5_create_states(&desc, NULL, NULL);
    CHECK(md5_states_set(states, MD5_CHANNEL_ALL, "state_Stand", 0));
    uint64_t visited_states = 0;
    for (int tick = 0; tick < 1800; tick++) {
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            if (rows[i].tick == tick)
                (void)md5_states_set_variable(states, rows[i].variable, rows[i].value);
        }
        md5_states_advance(states, 16, NULL, NULL);
        for (int i = 0; i < MD5_NUM_CHANNELS; i++) {
            const md5_channel_state state = md5_states_channel(states, (md5_channel)i);
            CHECK(!state.was_stopped);
            for (uint32_t k = 0; k < script->num_states; k++)
                visited_states |= (uint64_t)(strcmp(script->states[k].name, state.name) == 0) << k;
        }
    }
    for (uint32_t k = 0; k < script->num_states; k++)
        CHECK_THAT(visited_states >> k & 1, "%s is not played", script->states[k].name);
    // A frame command has called a script function.
    const char *const object = md5_entity_def_value(fixture->entity->def, "scriptobject");
    CHECK_NEAR(md5_states_variable(states, "unfolded"), strstr(object, "thimble") ? 1 : 0, 0);
    check_drops(fixture, states);
    md5_destroy_states(states);
    md5_free_script(script);
}

static void check_figure(monster_case *fixture)
{
    const md5_figure_def *const def = md5_game_figure_def(
        fixture->game, md5_entity_def_value(fixture->entity->def, "ragdoll"), NULL);
    md5_figure *const figure =
        def ? md5_create_figure(def, fixture->entity, &fixture->opts, NULL) : NULL;
    REQUIRE(figure && figure->num_bodies <= MAX_BODIES);
    CHECK_UINT(figure->num_constraints, figure->num_bodies - 1);
    for (uint32_t i = 0; i < figure->num_bodies; i++)
        CHECK(md5_entity_damage_zone(fixture->entity, figure->bodies[i].joint).name[0]);
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
    md5_local_to_palette(fixture->entity->model, figure->setup_pose, fixture->joints,
                         fixture->palette);
    md5_figure_from_joints(figure, fixture->joints, (md5_xform){.rotation = {0, 0, 0, 1}}, 0.0f,
                           bodies);
    const double part = part_in_bodies(figure, bodies, fixture->palette);
    CHECK_THAT(part > 0.9, "%g of the skin is in bodies", part);
    const md5_bounds skin = md5_skin_bounds(fixture->entity->model, fixture->palette);
    const md5_bounds box = md5_figure_bounds(figure, bodies, (md5_xform){.rotation = {0, 0, 0, 1}});
    CHECK(box.min.x > skin.min.x - 3 && box.min.y > skin.min.y - 3 && box.min.z > skin.min.z - 3);
    md5_free_figure(figure);
}

TEST_IF (our_monsters_look_stand_and_can_be_hit, monster_case, fixture, open_monsters(fixture),
         close_monsters(fixture)) {
    unsigned count = 0;
    for (uint32_t i = 0; i < md5_game_num_decls(fixture->game, MD5_DECL_ENTITY); i++) {
        const char *const name = md5_game_decl(fixture->game, MD5_DECL_ENTITY, i)->name;
        if (strncmp(name, "monster_", 8) != 0)
            continue;
        CHECK(md5_game_check_entity_keys(fixture->game, name, NULL));
        REQUIRE(open_monster(fixture, name));
        check_looking(fixture);
        REQUIRE(open_monster(fixture, name));
        check_standing(fixture);
        check_shot(fixture);
        check_wild_keys(fixture);
        check_saving(fixture, name);
        check_states(fixture);
        check_figure(fixture);
        count++;
    }
    CHECK_UINT(count, 6); // the number in models/game/README.md
}
