#include "demo/viewer/lanterns/game.h"

#include "demo/viewer/base/sounds.h"
#include "demo/viewer/pages/page.h"

static const double tick = 1.0 / (double)VIEW_STEPS_A_SECOND;
// Of the world, in units; Bobbin is 57 high.
static const float cell = 40, hills = 28, post_scale = 3;
static const float light_reach = 62;                 // from where he lights a lantern
static const float light_range = 300, far_off = 330; // far_off: the camera
static const float camera_aside = 15; // degrees, so that he does not hide his lantern
static const float post_radius = 16, watcher_radius = 24;
static const float pass_reach = 130; // closer, and away again without light, is a miss
// Nights, the easiest first: oil at most, and what a lantern gives back, in seconds.
static const float oils[VIEW_GAME_NIGHTS][2] = {{60, 30}, {45, 22}, {35, 15}, {29, 12}, {24, 9}};

// == The state ====================================================================================

enum { NUM_WATCHERS = 14, NUM_PRINTS = 48, LAMP_JOINTS = 8, NUM_LAMPS = 1 + VIEW_GAME_LANTERNS };
enum { NUM_BLOBS = NUM_PRINTS + 1 + NUM_WATCHERS };

// Somebody in the crowd: Bobbin's character with a player of its own.
typedef struct watcher {
    view_machine machine;
    const view_terrain *terrain;
    float scale;
} watcher;

typedef struct post {
    md5_mat34 placement;
    md5_vec3 foot, lamp; // in the world
    bool is_lit;
} post;

struct view_game {
    view_document *document, *lantern; // lantern: the model; its machine is in his hand
    view_machine *hero, *carried;
    uint32_t arm, hand, lamp;     // joints of the models
    view_game_facts facts, heard; // heard: whose sounds were played
    double pictured; // time of the round that `extra` is of; below 0: it is not written
    double begun;    // time of view_play when the round began
    post posts[VIEW_GAME_LANTERNS];
    watcher watchers[NUM_WATCHERS];
    const post *passed; // the nearest dark one, and how close he has come to it
    float closest;
    float yaw, height, distance; // of the camera: degrees, units
    md5gl_blob blobs[NUM_BLOBS]; // footprints, then shadows under everybody

    // What is drawn besides the document: see view_extra.
    view_extra extra;
    md5gl_model *crowd; // his model once more: a model has one set of instances
    md5_mat34 *palettes, placements[NUM_WATCHERS];
    md5_vec4 tints[NUM_WATCHERS];
    float *weights;    // of morph targets
    md5_xform *pose;   // scratch memory, as `joints`
    md5_mat34 *joints; // [num_joints]
    md5_mat34 lamp_palettes[NUM_LAMPS * LAMP_JOINTS];
    md5_mat34 lamp_placements[NUM_LAMPS];
    md5_vec4 lamp_tints[NUM_LAMPS];
    uint32_t lamp_skins[NUM_LAMPS]; // 0: lit
};

// == Places =======================================================================================

static md5_vec3 on_ground(const view_terrain *terrain, float x, float y)
{
    return (md5_vec3){x, y, view_ground_height(terrain, x, y)};
}

// The dark lantern that is nearest to him, of all or those before him; NULL: there is none.
static post *nearest_dark(view_game *game, bool is_before)
{
    post *nearest = NULL;
    float least = INFINITY;
    COMMON_FOR (i, VIEW_GAME_LANTERNS) {
        const md5_vec3 at = view_seen_from(game->hero, game->posts[i].foot);
        const float distance = hypotf(at.x, at.y);
        if (!game->posts[i].is_lit && distance < least && (!is_before || at.x > fabsf(at.y))) {
            least = distance;
            nearest = &game->posts[i];
        }
    }
    return nearest;
}

// md5_ground_fn of the crowd, whose members have their own sizes.
static void find_ground(void *user, const md5_player *player, md5_vec3 ankle, md5_foot *foot)
{
    const watcher *const who = user;
    const md5_xform place = who->machine.place;
    const md5_vec3 at = md5_xform_point(place, md5_vec3_scale(ankle, who->scale));
    (void)player;
    foot->floor = (view_ground_height(who->terrain, at.x, at.y) - place.translation.z) / who->scale;
}

// A placement for what is larger or smaller than in its file.
static md5_mat34 scaled_place(md5_quat rotation, md5_vec3 foot, float scale)
{
    md5_mat34 place = md5_mat34_from_xform((md5_xform){.rotation = rotation, .translation = foot});
    COMMON_FOR (i, 12)
        place.m[i] *= i % 4 < 3 ? scale : 1;
    return place;
}

// The posts' pose at a time, into palette[LAMP_JOINTS]; their lanterns swing in the wind.
static void pose_post(const view_game *game, double time, md5_mat34 *joints, md5_mat34 *palette)
{
    const md5_binding *const swing = game->carried->character->bindings[0];
    md5_pose_palette(swing, md5_moment_at(swing->anim, time, MD5_WRAP_LOOP), MD5_ROOT_FILE,
                     game->lantern->scene.pose, joints, palette);
}

// Seven posts in a wide spiral around him, other ones in each round, and two of the crowd at each.
static void place_all(view_game *game)
{
    const view_terrain *const terrain = &game->document->scene.terrain;
    uint32_t random = 2654435769u * game->facts.round;
    md5_mat34 joints[LAMP_JOINTS];
    pose_post(game, 0, joints, NULL);
    const md5_vec3 lamp = md5_mat34_translation(joints[game->lamp]);
    COMMON_FOR (i, VIEW_GAME_LANTERNS) {
        post *const at = &game->posts[i];
        random = 1664525 * random + 1013904223;
        const float jitter = (float)(random >> 16) / 65536.0f - 0.5f;
        const float distance = 170 + 48 * (float)i + 40 * jitter;
        const float angle =
            (0.3f + 2.4f * (float)i + 0.5f * jitter) * (game->facts.round % 2 == 0 ? 1 : -1);
        const md5_quat turn = view_turn_by((md5_quat){.w = 1}, angle + VIEW_PI); // to the middle
        at->foot = on_ground(terrain, distance * cosf(angle), distance * sinf(angle));
        at->placement = scaled_place(turn, at->foot, post_scale);
        at->lamp = md5_mat34_point(at->placement, lamp);
        at->is_lit = false;
        COMMON_FOR (k, 2) {
            watcher *const who = &game->watchers[2 * i + k];
            const float aside = angle + (k == 0 ? 62 : -58) / distance;
            who->machine.start.translation =
                on_ground(terrain, distance * cosf(aside), distance * sinf(aside));
            who->machine.start.rotation = turn;
            view_restart_machine(&who->machine);
            md5_player_advance(who->machine.player, 0.7 * (2 * i + k), NULL, NULL); // not alike
        }
    }
}

// == Beginning and end ============================================================================

// Turns a joint, and what descends from it, out to the right: he does not hide his lantern.
static void hold_out(view_scene *scene, uint32_t arm)
{
    const md5_quat turn = view_turn_by((md5_quat){.w = 1}, view_radians(-40));
    const md5_vec3 shoulder = md5_mat34_translation(scene->joints[arm]);
    const md5_mat34 way = md5_mat34_from_xform((md5_xform){
        .rotation = turn, .translation = md5_vec3_sub(shoulder, md5_quat_rotate(turn, shoulder))});
    for (uint32_t i = arm; i < scene->num_joints; i++) {
        uint32_t joint = i;
        while (joint > arm && joint != MD5_NONE)
            joint = scene->skeleton->joints[joint].parent;
        if (joint != arm)
            continue;
        view_move_matrices(way, scene->joints + i, 1);
        view_move_matrices(way, scene->palette + i, 1);
    }
}

// Poses him, and his lantern, which hangs in his hand.
static void pose_hero(view_game *game)
{
    view_scene *const lantern = &game->lantern->scene;
    view_pose(&game->document->scene, &(view_play){.time = game->hero->time});
    hold_out(&game->document->scene, game->arm);
    const md5_mat34 hand = game->document->scene.joints[game->hand];
    view_run_machine(game->carried, game->hero->time);
    game->carried->place = (md5_xform){.rotation = md5_quat_from_mat34(hand),
                                       .translation = md5_mat34_translation(hand)};
    view_pose_machine(game->carried, lantern->num_joints, lantern->pose, lantern->joints,
                      lantern->palette);
}

// A round of 0 is the demo's.
static void begin_round(view_game *game, double time, uint32_t night, uint32_t round)
{
    const bool is_demo = round == 0;
    game->begun = time;
    game->facts = (view_game_facts){.is_demo = is_demo, .oil = 1, .night = night, .round = round};
    game->pictured = -1;
    game->passed = NULL;
    memset(game->blobs, 0, sizeof game->blobs);
    const view_control input = game->hero->control;
    view_restart_machine(game->hero);
    view_restart_machine(game->carried);
    game->hero->control = input;
    game->hero->acts = is_demo; // until somebody drives: see view_take_over()
    game->hero->next_row = MD5_NONE;
    game->hero->place.translation = on_ground(&game->document->scene.terrain, 0, 0);
    view_set_in_machine(game->hero, "carry", 1);
    md5_player_advance(game->hero->player, 0.5, NULL, NULL); // his arm is up
    game->yaw = 0;
    game->height = game->hero->place.translation.z;
    place_all(game);
    pose_hero(game);
}

// The crowd shares his character; of its own are players.
static bool make_crowd(view_game *game, const view_loader *loader)
{
    md5_error error = {0};
    const view_scene *const scene = &game->document->scene;
    const md5_morph *const morph = game->document->morphs.morph;
    const size_t num_targets = morph != NULL ? morph->num_targets : 0;
    game->palettes = common_alloc((size_t)NUM_WATCHERS * scene->num_joints, sizeof *game->palettes);
    game->pose = common_alloc(scene->num_joints, sizeof *game->pose);
    game->joints = common_alloc(scene->num_joints, sizeof *game->joints);
    game->weights = common_alloc(NUM_WATCHERS * num_targets + 1, sizeof *game->weights);
    COMMON_FOR (i, NUM_WATCHERS) {
        watcher *const who = &game->watchers[i];
        const float share = (float)(i * 5 % 7) / 7.0f;
        who->machine = (view_machine){.character = game->hero->character,
                                      .desc = game->hero->desc,
                                      .scratch = game->hero->scratch,
                                      .has_target = true};
        who->terrain = &scene->terrain;
        who->scale = 0.6f + 0.45f * share;
        who->machine.player = md5_create_player(game->hero->character->machine, NULL, &error);
        if (error.status != MD5_OK)
            return view_log_error(loader->log, &error);
        md5_player_set_ground(who->machine.player, find_ground, who);
        game->tints[i] = (md5_vec4){1.6f, 0.4f + 0.2f * share, 1.1f - 0.4f * share, 1};
    }
    game->crowd = loader->renderer != NULL ? view_create_model(loader, scene->model) : NULL;
    return loader->renderer == NULL || game->crowd != NULL;
}

static bool make_lantern(view_game *game, const char *models, const view_loader *loader)
{
    md5_error error = {0};
    char *const path = common_join(models, VIEW_GAME_LANTERN);
    const char *const files[1] = {path};
    game->lantern = view_load_document(loader, files, 1, true, false, (view_manner){.dual = false});
    free(path);
    if (game->lantern == NULL)
        return false;
    const view_scene *const scene = &game->lantern->scene;
    md5gl_model *const drawn = game->lantern->drawn;
    game->carried = &game->lantern->scene.machine;
    game->lamp = scene->skeleton != NULL ? md5_find_joint(scene->skeleton, "lamp") : MD5_NONE;
    if (view_machine_of(scene) == NULL || game->carried->character->num_clips == 0
        || game->lamp == MD5_NONE || scene->num_joints > LAMP_JOINTS)
        return view_error(loader->log, "%s: expected a machine with a clip and a joint 'lamp'",
                          scene->path);
    if (drawn != NULL && !md5gl_set_num_skins(loader->renderer, drawn, 2, &error))
        return view_log_error(loader->log, &error);
    for (uint32_t i = 0; drawn != NULL && i < scene->model->num_meshes; i++) { // skin 1 is dark
        md5gl_material dark =
            view_mesh_material(&game->lantern->textures, loader->renderer, i, true, false, 0);
        dark.glow = 0;
        dark.diffuse_color = (md5_vec3){0.4f, 0.4f, 0.45f};
        md5gl_set_material(loader->renderer, drawn, 1, i, &dark);
    }
    return true;
}

view_game *view_make_game(view_document *document, const char *models, const view_loader *loader)
{
    view_scene *const scene = &document->scene;
    view_game *const game = common_alloc(1, sizeof *game);
    game->document = document;
    game->hero = &scene->machine;
    const bool is_walker =
        view_machine_of(scene) != NULL && view_find_feet(&scene->terrain, scene, VIEW_HILLS) == 2;
    game->arm = is_walker ? md5_find_joint(scene->skeleton, "upperarm_r") : MD5_NONE;
    game->hand = is_walker ? md5_find_joint(scene->skeleton, "prop_r") : MD5_NONE;
    scene->terrain.cell = cell;
    scene->terrain.height = hills;
    view_free_ground(&document->uneven, loader->renderer);
    if (game->arm == MD5_NONE || game->hand == MD5_NONE)
        view_error(loader->log,
                   "%s: expected a machine with two feet and joints 'upperarm_r' and 'prop_r'",
                   scene->path);
    else if ((loader->renderer == NULL
              || view_load_ground(&document->uneven, &scene->terrain, loader))
             && make_lantern(game, models, loader) && make_crowd(game, loader)) {
        begin_round(game, 0, 0, 0);
        return game;
    }
    view_free_game(game, loader->renderer);
    return NULL;
}

void view_free_game(view_game *game, md5gl_renderer *renderer)
{
    if (game == NULL)
        return;
    if (game->crowd != NULL)
        md5gl_destroy_model(renderer, game->crowd);
    COMMON_FOR (i, NUM_WATCHERS)
        md5_destroy_player(game->watchers[i].machine.player);
    view_free_document(game->lantern, renderer);
    free(game->palettes);
    free(game->weights);
    free(game->pose);
    free(game->joints);
    free(game);
}

// == Rules ========================================================================================

// What stands in the way, as he sees it, and the circle that it takes: posts, then the crowd.
enum { NUM_OBSTACLES = VIEW_GAME_LANTERNS + NUM_WATCHERS };
static md5_vec3 see_obstacle(const view_game *game, int number, float *radius)
{
    const bool is_post = number < VIEW_GAME_LANTERNS;
    const watcher *const who = is_post ? NULL : &game->watchers[number - VIEW_GAME_LANTERNS];
    *radius = is_post ? post_radius : watcher_radius * who->scale;
    return view_seen_from(game->hero,
                          is_post ? game->posts[number].foot : who->machine.place.translation);
}

// Whether something is before him, closer than `room` beyond its circle.
static bool is_blocked(const view_game *game, float room)
{
    COMMON_FOR (i, NUM_OBSTACLES) {
        float radius;
        const md5_vec3 at = see_obstacle(game, i, &radius);
        if (at.x > 0 && at.x < radius + room && fabsf(at.y) < radius + 4)
            return true;
    }
    return false;
}

// The player of the demo: towards a lantern, and around what is in the way.
static view_control play_alone(const view_game *game, const post *goal)
{
    const float shy = 90; // from how far away he goes around things
    const md5_vec3 to = view_seen_from(game->hero, goal->foot);
    const float distance = hypotf(to.x, to.y);
    md5_vec2 way = {to.x / distance, to.y / distance};
    COMMON_FOR (i, NUM_OBSTACLES) {
        float radius;
        const md5_vec3 at = see_obstacle(game, i, &radius);
        const float apart = hypotf(at.x, at.y);
        if (apart > shy || apart > distance || i == goal - game->posts)
            continue;
        // Away from it, and past it on the side where the goal is.
        const float push = 1.8f * (shy - apart) / (shy * apart);
        const float side = at.x * to.y > at.y * to.x ? 1 : -1;
        way.x -= push * (at.x + side * at.y);
        way.y -= push * (at.y - side * at.x);
    }
    const float yaw = view_degrees(atan2f(way.y, way.x));
    const bool is_far = distance > 110;
    return (view_control){
        .ahead = fabsf(yaw) < (is_far ? 60 : 35),
        .side = (yaw < -7) - (yaw > 7),
        .fast = is_far,
        .moves_ahead = true,
        .moves_side = true,
    };
}

// Those of the crowd who are near enough rejoice.
static void cheer(view_game *game, md5_vec3 at, float distance, const char *trigger)
{
    COMMON_FOR (i, NUM_WATCHERS) {
        const view_machine *const who = &game->watchers[i].machine;
        if (view_distance(who->place.translation, at) < distance)
            view_set_in_machine(who, trigger, 1);
    }
}

// Lanterns near him are lit; the round ends when all are, or without oil.
static void follow_rules(view_game *game)
{
    view_game_facts *const facts = &game->facts;
    if (facts->phase != VIEW_GAME_PLAYS) {
        facts->rest += tick;
        return;
    }
    const float *const oil = oils[facts->night];
    facts->seconds += tick;
    facts->oil = fmaxf(facts->oil - (float)tick / oil[0], 0);
    post *const near = nearest_dark(game, false);
    const float distance = view_distance(near->foot, game->hero->place.translation);
    game->closest = fminf(near == game->passed ? game->closest : pass_reach, distance);
    game->passed = near;
    if (game->closest < pass_reach && distance > game->closest + 20) {
        facts->missed = facts->seconds;
        game->closest = pass_reach;
    }
    if (distance < light_reach) {
        near->is_lit = true;
        facts->oil = fminf(facts->oil + oil[1] / oil[0], 1);
        cheer(game, near->foot, 200, facts->num_lit % 2 == 0 ? "wave" : "jump");
        facts->num_lit++;
    }
    facts->phase = facts->num_lit == VIEW_GAME_LANTERNS ? VIEW_GAME_WON
                   : facts->oil > 0                     ? VIEW_GAME_PLAYS
                                                        : VIEW_GAME_LOST;
    if (facts->phase != VIEW_GAME_WON)
        return;
    cheer(game, near->foot, INFINITY, "dance");
    view_set_in_machine(game->hero, "dance", 1);
    view_set_in_machine(game->hero, "smile", 1);
}

// Steps leave prints and are heard: his machine says when a foot falls, and which.
static void note_steps(view_game *game)
{
    const view_scene *const scene = &game->document->scene;
    for (int i = 0; i < VIEW_EVENTS && game->hero->events[i].time == game->hero->time; i++) {
        const char *const text = game->hero->events[i].text;
        const bool is_right = strcmp(text, "footstep right") == 0;
        if (!is_right && strcmp(text, "footstep left") != 0)
            continue;
        const uint32_t ankle = scene->terrain.feet[is_right].ankle;
        const md5_vec3 at = md5_mat34_translation(scene->joints[ankle]);
        game->blobs[game->facts.num_steps++ % NUM_PRINTS] = (md5gl_blob){
            .position = on_ground(&scene->terrain, at.x, at.y), .radius = 6, .darkness = 0.4f};
    }
}

static void run_on_ground(view_machine *machine, const view_terrain *terrain, double time)
{
    md5_vec3 *const at = &machine->place.translation;
    view_run_machine(machine, time);
    at->z = view_ground_height(terrain, at->x, at->y);
}

static void take_step(view_game *game)
{
    view_machine *const hero = game->hero;
    const view_terrain *const terrain = &game->document->scene.terrain;
    const view_control input = hero->control;
    // Who has won turns to the camera, and then dances.
    const float yaw = view_degrees(2 * atan2f(hero->place.rotation.z, hero->place.rotation.w));
    const float left = remainderf(game->yaw + 180 + camera_aside - yaw, 360);
    const post *const goal = nearest_dark(game, true);
    if (game->facts.phase != VIEW_GAME_PLAYS) {
        hero->control = (view_control){.moves_ahead = true, .moves_side = true};
        if (game->facts.phase == VIEW_GAME_WON && game->facts.rest < 4)
            hero->control.side = (left < -20) - (left > 20);
    } else if (game->facts.is_demo) {
        hero->control = play_alone(game, nearest_dark(game, false));
    } else if (hero->control.ahead > 0 && hero->control.side == 0 && goal != NULL) {
        hero->control.side = play_alone(game, goal).side; // who goes ahead is led to what is there
    }
    hero->control.fast = hero->control.fast && !is_blocked(game, 48);
    if (hero->control.ahead > 0 && is_blocked(game, 20))
        hero->control.ahead = 0;
    // He looks at a dark lantern before him; one behind him would turn him round.
    hero->has_target = goal != NULL;
    if (goal != NULL)
        hero->target = goal->lamp;
    hero->pointed = hero->time;
    run_on_ground(hero, terrain, hero->time + tick);
    memcpy(&hero->control, &input, offsetof(view_control, moves_ahead)); // what keys ask for stays
    pose_hero(game);
    note_steps(game);
    COMMON_FOR (i, NUM_WATCHERS) {
        view_machine *const who = &game->watchers[i].machine;
        who->target = view_along(hero->place.translation, (md5_vec3){0, 0, 1}, 40);
        who->pointed = who->time;
        run_on_ground(who, terrain, hero->time);
    }
    follow_rules(game);
    // The camera comes after; around one who has lost it goes.
    game->yaw += (game->facts.phase == VIEW_GAME_PLAYS  ? 1.8f * remainderf(yaw - game->yaw, 360)
                  : game->facts.phase == VIEW_GAME_LOST ? 14
                                                        : 0)
                 * (float)tick;
    game->height += 4 * (hero->place.translation.z - game->height) * (float)tick;
}

// == The picture ==================================================================================

// The share that is hidden of what stands between him and the camera, where the picture's lower
// edge would cut it.
static float hidden_share(const view_game *game, md5_vec3 foot)
{
    const float way = view_radians(game->extra.camera.azimuth);
    const md5_vec3 at = game->hero->place.translation;
    const float nearer = (foot.x - at.x) * cosf(way) + (foot.y - at.y) * sinf(way);
    return view_clamp(24 * nearer / game->distance - 4.5f, 0, 1);
}

// Lantern 0 is his, the others are those of the posts. Dark ones hang still.
static void list_lanterns(view_game *game)
{
    const view_scene *const his = &game->lantern->scene;
    view_extra *const extra = &game->extra;
    COMMON_FOR (i, NUM_LAMPS) {
        const post *const at = i > 0 ? &game->posts[i - 1] : NULL;
        const bool is_his = at == NULL, is_dark = !is_his && !at->is_lit;
        const double time = game->hero->time + 0.37 * i;
        md5_mat34 *const palette = game->lamp_palettes + (size_t)i * his->num_joints;
        if (is_his)
            memcpy(palette, his->palette, his->num_joints * sizeof *palette);
        else
            pose_post(game, is_dark ? 0 : time, NULL, palette);
        game->lamp_placements[i] = is_his ? md5_mat34_from_xform(view_at_origin()) : at->placement;
        game->lamp_skins[i] = is_dark;
        game->lamp_tints[i] = (md5_vec4){1, 1, 1, is_his ? 1 : 1 + hidden_share(game, at->foot)};
        if (is_dark)
            continue;
        // His flame gets smaller with the oil.
        const float size = is_his ? 0.3f + 0.5f * game->facts.oil : 1;
        const float strength = size * (1 + 0.06f * sinf(23 * (float)time));
        extra->points[extra->num_points++] = (md5gl_point_light){
            .position = is_his ? md5_mat34_translation(his->joints[game->lamp]) : at->lamp,
            .range = light_range * (0.25f + 0.75f * size),
            .color = {4 * strength, 2.06f * strength, 0.69f * strength},
        };
    }
    extra->bodies[0] = (view_body){
        .uses = VIEW_BODY_CASTS | VIEW_BODY_SHOWN,
        .textures = &game->lantern->textures,
        .drawn = game->lantern->drawn,
        .instances = {.count = NUM_LAMPS,
                      .palettes = game->lamp_palettes,
                      .placements = game->lamp_placements,
                      .tints = game->lamp_tints,
                      .skins = game->lamp_skins},
    };
}

static void list_crowd(view_game *game)
{
    const view_morphs *const morphs = &game->document->morphs;
    const uint32_t num_joints = game->document->scene.num_joints;
    const uint32_t num_targets = morphs->morph != NULL ? morphs->morph->num_targets : 0;
    COMMON_FOR (i, NUM_WATCHERS) {
        watcher *const who = &game->watchers[i];
        view_pose_machine(&who->machine, num_joints, game->pose, game->joints,
                          game->palettes + (size_t)i * num_joints);
        if (num_targets > 0)
            view_drive_morphs(morphs, who->machine.player, morphs->reported,
                              game->weights + (size_t)i * num_targets);
        // Palettes are in the world: their foot stays where it is.
        const md5_vec3 foot = who->machine.place.translation;
        game->placements[i] =
            scaled_place((md5_quat){.w = 1}, md5_vec3_scale(foot, 1 - who->scale), who->scale);
        game->tints[i].w = 1 + hidden_share(game, foot);
        game->blobs[NUM_PRINTS + 1 + i] = (md5gl_blob){.position = foot, .radius = 9 * who->scale};
    }
    game->extra.bodies[1] = (view_body){
        .uses = VIEW_BODY_CASTS | VIEW_BODY_SHOWN,
        .textures = &game->document->textures,
        .drawn = game->crowd,
        .instances = {.count = NUM_WATCHERS,
                      .palettes = game->palettes,
                      .placements = game->placements,
                      .tints = game->tints,
                      .morph = morphs->drawn,
                      .weights = game->weights},
    };
}

// A color between two.
static view_color mix(view_color a, view_color b, float share)
{
    view_color mixed = 0;
    for (int shift = 0; shift < 32; shift += 8)
        mixed |= (view_color)((1 - share) * (float)(a >> shift & 255)
                              + share * (float)(b >> shift & 255))
                 << shift;
    return mixed;
}

// Writes view_game.extra, and poses the crowd.
static void make_picture(view_game *game)
{
    const md5_vec3 at = game->hero->place.translation;
    const bool is_won = game->facts.phase == VIEW_GAME_WON;
    const float rest = (float)game->facts.rest, around = 450;
    const float end = fminf(rest / 2, 1), dawn = is_won ? fminf(rest / 3, 1) : 0;
    const float azimuth = game->yaw + 180 + camera_aside, way = view_radians(azimuth);
    const float lead = 90 * (1 - end), ahead = view_radians(game->yaw);
    game->distance = far_off * (1 + (is_won ? -0.35f : 0.3f) * end) + lead;
    game->extra = (view_extra){
        .camera = {.azimuth = azimuth,
                   .elevation = 11 + (is_won ? -1 : 11) * end,
                   .scene_radius = 60,
                   .target = {lead * cosf(ahead), lead * sinf(ahead),
                              45 - 0.2f * lead + game->height - at.z}},
        .sky = {mix(0x070B1EFF, 0x2B3A66FF, dawn), mix(0x2B3A66FF, 0xE8A06AFF, dawn)},
        .light_direction = {-0.6f, 0.7f, 0.42f}, // the moon; later the sun
        .light = {0.16f + 2.2f * dawn, 0.20f + 1.3f * dawn, 0.34f + 0.5f * dawn},
        .ambient = {0.035f + 0.22f * dawn, 0.05f + 0.13f * dawn, 0.10f + 0.1f * dawn},
        .casters = {{at.x - around, at.y - around, -30}, {at.x + around, at.y + around, 110}},
        .num_bodies = 2,
        .blobs = game->blobs,
        .num_blobs = NUM_BLOBS,
    };
    game->blobs[NUM_PRINTS] = (md5gl_blob){.position = at, .radius = 9};
    list_lanterns(game);
    if (!is_won) // the moon, from beyond him; of a dawn there are eight lights without it
        game->extra.points[game->extra.num_points++] = (md5gl_point_light){
            .position = {at.x - 260 * cosf(way - 0.7f), at.y - 260 * sinf(way - 0.7f), at.z + 160},
            .range = 700,
            .color = {0.64f, 1.05f, 4}, // #6F8CFF
        };
    list_crowd(game);
}

// == The panel ====================================================================================

static const view_color amber = 0xFFC65CFF, dark = 0x6B7788FF, box_color = 0x0B0F1AB8;

// A line of text in the middle of a picture, on a dark box. Returns the y below it.
static float draw_line(view_canvas *canvas, view_text_size size, float middle, float y,
                       view_color color, const char *words)
{
    const float padding = 8 * canvas->font->scale, line = canvas->font->line[size];
    const float width = view_text_width(canvas->font, size, words), left = middle - 0.5f * width;
    view_draw_round_rect(canvas,
                         (view_rect){left - padding, y, width + 2 * padding, line + padding},
                         padding, box_color);
    view_draw_text(canvas, size, left, y + 0.5f * padding, 0, color, words);
    return y + line + 1.4f * padding;
}

// Lanterns as discs, with the time; oil as a bar.
static void draw_score(view_canvas *canvas, const view_game_facts *facts)
{
    const float em = 14 * canvas->font->scale, left = 2 * em, top = 1.2f * em;
    view_rect bar = {left + 2.5f * em, top + 2.2f * em, 10.4f * em, 0.5f * em};
    char words[64];
    view_draw_round_rect(canvas, (view_rect){em, 0.6f * em, 14.9f * em, 3.7f * em}, 0.5f * em,
                         box_color);
    for (uint32_t i = 0; i < VIEW_GAME_LANTERNS; i++)
        view_draw_disc(canvas, left + 0.5f * em + 1.4f * em * (float)i, top + 0.5f * em, 0.5f * em,
                       i < facts->num_lit ? amber : dark);
    COMMON_TEXT(words, "%u:%02u", (unsigned)facts->seconds / 60, (unsigned)facts->seconds % 60);
    view_draw_text(canvas, VIEW_TEXT, left + 10.6f * em, top - 0.1f * em, 0, VIEW_BRIGHT, words);
    view_draw_text(canvas, VIEW_TEXT, left, top + 1.8f * em, 0,
                   facts->oil < 0.3f ? amber : VIEW_PLAIN, facts->oil < 0.3f ? "Oil!" : "Oil");
    view_draw_rect(canvas, bar, dark);
    bar.width *= facts->oil;
    view_draw_rect(canvas, bar, amber);
}

// An arrow above each dark lantern, larger if that is nearer; of one that is not in the picture at
// the side to which he has to turn.
static void draw_marks(view_canvas *canvas, const view_game *game, const view_stage *stage)
{
    COMMON_FOR (i, VIEW_GAME_LANTERNS) {
        const post *const at = &game->posts[i];
        const md5_vec3 seen = view_seen_from(game->hero, at->foot);
        const float em =
            view_clamp(250 / hypotf(seen.x, seen.y), 0.5f, 1.6f) * 14 * canvas->font->scale;
        const float half = 0.5f * em, height = stage->height;
        float tip[2];
        const bool is_ahead =
            view_find_pixel(stage, view_along(at->lamp, (md5_vec3){0, 0, 1}, 18), tip);
        const float y = is_ahead ? view_clamp(tip[1], 0.025f * height, 0.8f * height)
                                 : 0.75f * height + em * (float)(i % 3);
        if (at->is_lit)
            continue;
        if (is_ahead && tip[0] > 0 && tip[0] < stage->width && hidden_share(game, at->foot) < 1) {
            view_draw_triangle(
                canvas, (const float[6]){tip[0] - half, y - em, tip[0] + half, y - em, tip[0], y},
                amber);
        } else {
            const float side = seen.y > 0 ? em : -em, x = side > 0 ? half : stage->width - half;
            view_draw_triangle(
                canvas, (const float[6]){x, y, x + side, y - half, x + side, y + half}, amber);
        }
    }
}

// They rise around him who has won, each again and again.
static void draw_sparks(view_canvas *canvas, const view_game *game, const view_stage *stage)
{
    const float rest = (float)game->facts.rest / 4;
    COMMON_FOR (i, 60) {
        const float age = fmodf(rest + 0.754878f * (float)i, 1);
        const float angle = 2.4f * (float)i + age, radius = 12 * sqrtf((float)i);
        const md5_vec3 way = {radius * cosf(angle), radius * sinf(angle), 150 * age};
        float at[2];
        if (rest > age
            && view_find_pixel(stage, md5_vec3_add(game->hero->place.translation, way), at))
            view_draw_disc(canvas, at[0], at[1], 0.008f * stage->height,
                           mix(amber, 0xFF802000, age));
    }
}

static void draw_panel(view_ui *ui, const view_stage *stage)
{
    view_canvas *const canvas = stage->canvas;
    const view_game *const game = stage->pages->game;
    const view_game_facts *const facts = &game->facts;
    const float middle = 0.5f * stage->width, em = 14 * canvas->font->scale;
    const bool is_wide = stage->width > 44 * em, plays = facts->phase == VIEW_GAME_PLAYS;
    static const char *const words[] = {"light the seven lanterns", "all seven lanterns burn!",
                                        "the oil is used up"};
    char title[64];
    COMMON_TEXT(title, "Night %u: %s", (unsigned)facts->night + 1, words[facts->phase]);
    draw_marks(canvas, game, stage);
    if (facts->phase == VIEW_GAME_WON)
        draw_sparks(canvas, game, stage);
    draw_score(canvas, facts);
    ui_begin(ui, "game"); // for fingers, which have no Esc
    if (stage->options->output == NULL && !stage->is_paused
        && ui_button(ui, (view_rect){stage->width - 3.6f * em, 0.6f * em, 3 * em, 2.4f * em},
                     facts->is_demo ? "\xC3\x97" : "II", false))
        ui->command.action = VIEW_CLOSE_LISTS;
    // Beside the score, or below it.
    const float title_x = is_wide ? fmaxf(middle, 28.4f * em) : middle;
    float y = is_wide ? 0.6f * em : 5 * em;
    const bool has_title = (plays ? facts->seconds : facts->rest) < 6;
    if (has_title)
        y = draw_line(canvas, VIEW_TITLE, title_x, y, amber, title);
    if (plays ? has_title : !facts->is_demo) {
        draw_line(canvas, VIEW_TEXT, title_x, y, VIEW_BRIGHT,
                  plays ? "Walk up to one: your flame lights it and gets oil"
                  : facts->phase == VIEW_GAME_WON ? "Enter or a tap: another night"
                                                  : "Enter or a tap: again");
    } else if (facts->missed > 0 && facts->seconds < facts->missed + 5) {
        draw_line(canvas, VIEW_TEXT, title_x, y, amber,
                  "Closer! Right beside a lantern your flame lights it");
    }
    const bool is_high = stage->height > 24 * em;
    y = stage->height - (is_high ? 4.4f : 2.2f) * em;
    if (facts->is_demo)
        y = draw_line(canvas, VIEW_TEXT, middle, y, amber, "Press a key or touch to play");
    if (facts->is_demo && is_high) {
        draw_line(canvas, VIEW_TEXT, middle, y, VIEW_BRIGHT,
                  is_wide ? "W A S D, arrows, a drag, a gamepad: walk and turn   Shift, a far "
                            "drag: run   Space: jump"
                          : "Drag: walk and turn; far up: run");
    }
}

// == Sounds =======================================================================================

void view_hear_game(view_game *game, view_window *window, bool is_silent)
{
    const view_game_facts now = game->facts, before = game->heard;
    const bool ends = now.phase != before.phase && now.phase != VIEW_GAME_PLAYS;
    game->heard = now;
    if (is_silent)
        view_play_sound(window, NULL, 0);
    if (is_silent || now.is_demo || before.is_demo
        || !(ends || now.num_lit > before.num_lit || now.num_steps > before.num_steps))
        return;
    float samples[VIEW_LONGEST_SOUND] = {0};
    if (now.num_steps > before.num_steps)
        view_add_sound(samples, "footstep", 2);
    for (int i = 0; i < 2 && now.num_lit > before.num_lit; i++)
        view_add_note(samples, 0.09f * (float)i, (int)now.num_lit + 2 * i, 0, 0.15f);
    for (int i = 0; i < 5 && ends; i++)
        view_add_note(samples, 0.14f * (float)i, now.phase == VIEW_GAME_WON ? 2 * i : 5 - i,
                      now.phase == VIEW_GAME_WON ? 0 : -2, 0.1f);
    view_play_sound(window, samples, VIEW_LONGEST_SOUND);
}

// == Seen from outside ============================================================================

void view_run_game(view_game *game, double time)
{
    const view_game_facts *const facts = &game->facts;
    if (facts->is_demo && !game->hero->acts)
        begin_round(game, time, 0, 1);
    else if (time < game->begun + game->hero->time - 4 * tick)
        begin_round(game, fmin(time, 0), 0, 0);
    while (game->hero->time + tick <= time - game->begun + 1e-9) {
        take_step(game);
        if (facts->is_demo && facts->rest > 25)
            view_begin_night(game, 0, 0);
    }
}

view_game_facts view_get_game_facts(const view_game *game)
{
    return game->facts;
}

void view_begin_night(view_game *game, uint32_t night, uint32_t round)
{
    begin_round(game, game->begun + game->hero->time, night, round);
}

bool view_show_title(view_game *game)
{
    if (game == NULL || game->facts.is_demo)
        return false;
    view_begin_night(game, 0, 0);
    return true;
}

bool view_play_again(view_game *game, bool is_asked)
{
    const view_game_facts *const facts = &game->facts;
    if (!is_asked && facts->rest < 1 && !facts->is_demo)
        return false;
    const bool is_next = facts->phase == VIEW_GAME_WON && !facts->is_demo;
    view_begin_night(game, facts->night + (is_next && facts->night + 1 < VIEW_GAME_NIGHTS),
                     facts->round + 1);
    return true;
}

void view_stage_game(view_game *game, view_stage *stage)
{
    if (game->pictured != game->hero->time)
        make_picture(game);
    game->pictured = game->hero->time;
    // As much to the sides.
    game->extra.camera.distance = (stage->width < stage->height ? 1.35f : 1) * game->distance;
    // It may be drawn into files while no time passes.
    stage->is_paused = !stage->play->playing && stage->options->output == NULL;
    stage->hidden_meshes = 0; // of another document
    stage->extra = &game->extra;
    stage->camera = &game->extra.camera;
    stage->following = false;
    stage->region = (view_rect){0, 0, stage->width, stage->height};
    stage->page_panel = draw_panel;
}
