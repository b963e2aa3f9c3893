#include "demo/viewer/lanterns/state.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"
#include "demo/viewer/base/math.h"

#include <stdlib.h>
#include <string.h>

static const double tick = 1.0 / (double)VIEW_STEPS_A_SECOND;

// Of the world, in units; Bobbin is 57 high.
static const float cell = 40.0f, hills = 28.0f, post_scale = 3.0f;
static const float light_reach = 62.0f; // from where he lights a lantern
static const float post_radius = 16.0f, watcher_radius = 24.0f;

// Seconds after the end until the demo begins anew.
static const double demo_rest = 25.0;

// Seconds of oil at most, and what a lantern that is lit gives back.
static const float most_oil = 35.0f, oil_of_lantern = 15.0f;

// == Places =======================================================================================

static md5_vec3 on_ground(const view_terrain *terrain, float x, float y)
{
    return (md5_vec3){x, y, view_ground_height(terrain, x, y)};
}

static void set(const view_machine *machine, const char *parameter, float value)
{
    (void)md5_player_set(machine->player,
                         md5_find_parameter(machine->character->machine, parameter), value);
}

static float yaw_of(md5_quat rotation)
{
    const md5_vec3 ahead = md5_quat_rotate(rotation, (md5_vec3){1, 0, 0});
    return view_degrees(atan2f(ahead.y, ahead.x));
}

// Where a point is, seen from somebody: ahead, to the left, upward.
static md5_vec3 seen_from(const view_machine *machine, md5_vec3 point)
{
    return md5_quat_rotate(md5_quat_conjugate(machine->place.rotation),
                           md5_vec3_sub(point, machine->place.translation));
}

// The dark lantern that is nearest to him; NULL: all are lit.
static post *nearest_dark(view_game *game)
{
    post *nearest = NULL;
    float least = INFINITY;
    for (int i = 0; i < VIEW_GAME_LANTERNS; i++) {
        const float distance = view_distance(game->posts[i].foot, game->hero->place.translation);
        if (!game->posts[i].is_lit && distance < least) {
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

void view_pose_post(const view_game *game, double time, md5_mat34 *joints, md5_mat34 *palette)
{
    const md5_binding *const swing = game->carried->character->bindings[0];
    md5_pose_palette(swing, md5_moment_at(swing->anim, time, MD5_WRAP_LOOP), MD5_ROOT_FILE,
                     game->lantern->scene.pose, joints, palette);
}

// Seven posts in a wide spiral around him, and two of the crowd at each.
static void place_all(view_game *game)
{
    const view_terrain *const terrain = &game->document->scene.terrain;
    md5_mat34 joints[LAMP_JOINTS], palette[LAMP_JOINTS];
    view_pose_post(game, 0.0, joints, palette);
    const md5_vec3 lamp = md5_mat34_translation(joints[game->lamp]);
    for (int i = 0; i < VIEW_GAME_LANTERNS; i++) {
        post *const at = &game->posts[i];
        const float angle = 0.3f + 2.4f * (float)i, distance = 170.0f + 48.0f * (float)i;
        const md5_quat turn =
            md5_quat_from_axis_angle((md5_vec3){0, 0, 1}, angle + VIEW_PI); // towards the middle
        at->foot = on_ground(terrain, distance * cosf(angle), distance * sinf(angle));
        at->is_lit = false;
        at->placement =
            md5_mat34_from_xform((md5_xform){.rotation = turn, .translation = at->foot});
        for (int k = 0; k < 12; k++)
            at->placement.m[k] *= k % 4 < 3 ? post_scale : 1.0f;
        at->lamp = md5_mat34_point(at->placement, lamp);
        for (int k = 0; k < 2; k++) {
            watcher *const who = &game->watchers[2 * i + k];
            const float aside = angle + (k == 0 ? 52.0f : -46.0f) / distance;
            who->machine.start.translation = on_ground(terrain, (distance + 42.0f) * cosf(aside),
                                                       (distance + 42.0f) * sinf(aside));
            who->machine.start.rotation = turn;
        }
    }
}

// == Beginning and end ============================================================================

static void begin_round(view_game *game, double time, bool is_demo)
{
    game->begun = time;
    game->facts = (view_game_facts){.is_demo = is_demo, .oil = 1.0f};
    game->has_stick = false;
    game->pictured = -1.0;
    game->num_prints = 0;
    memset(game->prints, 0, sizeof game->prints);
    const view_control input = game->hero->control;
    view_restart_machine(game->hero);
    view_restart_machine(game->carried);
    game->hero->control = input;
    game->hero->acts = is_demo; // until somebody drives: see view_take_over()
    game->hero->next_act = INFINITY;
    game->hero->place.translation = on_ground(&game->document->scene.terrain, 0.0f, 0.0f);
    set(game->hero, "carry", 1.0f);
    game->yaw = yaw_of(game->hero->place.rotation);
    game->height = game->hero->place.translation.z;
    for (int i = 0; i < VIEW_GAME_LANTERNS; i++)
        game->posts[i].is_lit = false;
    for (int i = 0; i < NUM_WATCHERS; i++) {
        view_restart_machine(&game->watchers[i].machine);
        md5_player_advance(game->watchers[i].machine.player, 0.7 * (double)i, NULL,
                           NULL); // not all alike
    }
}

// The crowd shares his character; of its own are players.
static bool make_crowd(view_game *game, const view_loader *loader)
{
    md5_error error = {0};
    const view_scene *const scene = &game->document->scene;
    for (int i = 0; i < NUM_WATCHERS; i++) {
        watcher *const who = &game->watchers[i];
        const float share = (float)(i * 5 % 7) / 7.0f;
        who->machine = (view_machine){
            .character = game->hero->character,
            .desc = game->hero->desc,
            .scratch = game->hero->scratch,
            .reach = game->hero->reach,
            .has_target = true,
        };
        who->terrain = &scene->terrain;
        who->scale = 0.6f + 0.45f * share;
        md5_player *const player = md5_create_player(who->machine.character->machine, NULL, &error);
        if (player == NULL)
            return view_log_error(loader->log, &error);
        who->machine.player = player;
        md5_player_set_ground(player, find_ground, who);
        game->tints[i] = (md5_vec4){1.0f, 0.55f + 0.45f * share, 1.0f - 0.5f * share, 1.0f};
    }
    if (loader->renderer == NULL)
        return true;
    game->crowd = view_create_model(loader, scene->model);
    return game->crowd != NULL;
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
    game->carried = &game->lantern->scene.machine;
    game->lamp = scene->skeleton != NULL ? md5_find_joint(scene->skeleton, "lamp") : MD5_NONE;
    if (view_machine_of(scene) == NULL || game->carried->character->num_clips == 0
        || game->lamp == MD5_NONE || scene->num_joints > LAMP_JOINTS)
        return view_error(loader->log,
                          "%s: expected a machine with a clip, whose model has a joint 'lamp'",
                          scene->path);
    md5gl_model *const drawn = game->lantern->drawn;
    if (drawn == NULL)
        return true;
    if (!md5gl_set_num_skins(loader->renderer, drawn, 2, &error))
        return view_log_error(loader->log, &error);
    for (uint32_t i = 0; i < scene->model->num_meshes; i++) { // skin 1 is dark
        md5gl_material dark =
            view_mesh_material(&game->lantern->textures, loader->renderer, i, true, false, 0.0);
        dark.glow = 0;
        dark.diffuse_color = (md5_vec3){0.4f, 0.4f, 0.45f};
        md5gl_set_material(drawn, 1, i, &dark);
    }
    return true;
}

view_game *view_make_game(view_document *document, const char *models, const view_loader *loader)
{
    view_scene *const scene = &document->scene;
    view_game *const game = common_alloc(1, sizeof *game);
    game->document = document;
    game->hero = &scene->machine;
    const uint32_t num_feet = scene->skeleton != NULL ? view_find_feet(&scene->terrain, scene) : 0;
    const bool is_walker = view_machine_of(scene) != NULL && num_feet > 1;
    game->hand = is_walker ? md5_find_joint(scene->skeleton, "prop_r") : MD5_NONE;
    if (game->hand == MD5_NONE) {
        view_error(loader->log, "%s: a game needs a machine whose model has feet and 'prop_r'",
                   scene->path);
        free(game);
        return NULL;
    }
    game->feet[0] = scene->terrain.feet[0].ankle;
    game->feet[1] = scene->terrain.feet[1].ankle;
    scene->terrain.cell = cell;
    scene->terrain.height = hills;
    view_free_ground(&document->uneven, loader->renderer);
    game->palettes = common_alloc((size_t)NUM_WATCHERS * scene->num_joints, sizeof *game->palettes);
    game->pose = common_alloc(scene->num_joints, sizeof *game->pose);
    game->joints = common_alloc(scene->num_joints, sizeof *game->joints);
    const size_t num_targets =
        document->morphs.morph != NULL ? document->morphs.morph->num_targets : 0;
    game->weights = common_alloc(NUM_WATCHERS * num_targets + 1, sizeof *game->weights);
    if ((loader->renderer != NULL && !view_load_ground(&document->uneven, &scene->terrain, loader))
        || !make_lantern(game, models, loader) || !make_crowd(game, loader)) {
        view_free_game(game, loader->renderer);
        return NULL;
    }
    place_all(game);
    begin_round(game, 0.0, true);
    return game;
}

void view_free_game(view_game *game, md5gl_renderer *renderer)
{
    if (game == NULL)
        return;
    if (game->crowd != NULL)
        md5gl_destroy_model(renderer, game->crowd);
    for (int i = 0; i < NUM_WATCHERS; i++)
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
    return seen_from(game->hero,
                     is_post ? game->posts[number].foot : who->machine.place.translation);
}

// Whether something is before him, closer than `room` beyond its circle.
static bool is_blocked(const view_game *game, float room)
{
    bool blocked = false;
    for (int i = 0; i < NUM_OBSTACLES && !blocked; i++) {
        float radius;
        const md5_vec3 at = see_obstacle(game, i, &radius);
        blocked = at.x > 0.0f && at.x < radius + room && fabsf(at.y) < radius + 4.0f;
    }
    return blocked;
}

// The player of the demo: towards the nearest dark lantern, and around what is in the way.
static view_control play_alone(view_game *game)
{
    const float shy = 90.0f; // from how far away he goes around things
    const post *const goal = nearest_dark(game);
    if (goal == NULL)
        return (view_control){.ahead = 0};
    const md5_vec3 to = seen_from(game->hero, goal->foot);
    const float distance = hypotf(to.x, to.y);
    md5_vec2 way = {to.x / distance, to.y / distance};
    for (int i = 0; i < NUM_OBSTACLES; i++) {
        float radius;
        const md5_vec3 at = see_obstacle(game, i, &radius);
        const float apart = hypotf(at.x, at.y);
        if (apart > shy || apart > distance || &game->posts[i] == goal)
            continue;
        // Away from it, and past it on the side where the goal is.
        const float push = 1.8f * (shy - apart) / (shy * apart);
        const float side = at.x * to.y > at.y * to.x ? 1.0f : -1.0f;
        way.x -= push * (at.x + side * at.y);
        way.y -= push * (at.y - side * at.x);
    }
    const float yaw = view_degrees(atan2f(way.y, way.x));
    const bool is_far = distance > 110.0f;
    return (view_control){
        .ahead = fabsf(yaw) < (is_far ? 60.0f : 35.0f),
        .side = yaw > 7.0f    ? -1
                : yaw < -7.0f ? 1
                              : 0,
        .fast = is_far,
    };
}

// What the stick asks for: it is pushed as keys are pressed.
static view_control read_stick(const view_game *game)
{
    const md5_vec2 way = game->stick;
    return (view_control){
        .ahead = way.y < -0.25f ? 1
                 : way.y > 0.5f ? -1
                                : 0,
        .side = way.x > 0.3f    ? 1
                : way.x < -0.3f ? -1
                                : 0,
        .fast = way.y < -0.75f,
    };
}

// Those of the crowd who are near enough rejoice.
static void cheer(view_game *game, md5_vec3 at, float distance, const char *trigger)
{
    for (int i = 0; i < NUM_WATCHERS; i++) {
        const view_machine *const who = &game->watchers[i].machine;
        if (view_distance(who->place.translation, at) < distance)
            set(who, trigger, 1.0f);
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
    facts->seconds += tick;
    facts->oil -= (float)tick / most_oil;
    post *const near = nearest_dark(game);
    if (view_distance(near->foot, game->hero->place.translation) < light_reach) {
        near->is_lit = true;
        facts->oil = fminf(facts->oil + oil_of_lantern / most_oil, 1.0f);
        cheer(game, near->foot, 200.0f, facts->num_lit % 2 == 0 ? "wave" : "jump");
        facts->num_lit++;
    }
    if (facts->num_lit == VIEW_GAME_LANTERNS) {
        facts->phase = VIEW_GAME_WON;
        cheer(game, near->foot, INFINITY, "dance");
        set(game->hero, "dance", 1.0f);
        set(game->hero, "smile", 1.0f);
    } else if (facts->oil <= 0.0f) {
        facts->oil = 0.0f;
        facts->phase = VIEW_GAME_LOST;
    }
}

// Steps leave prints and are heard: his machine says when a foot falls, and which.
static void note_steps(view_game *game)
{
    const view_scene *const scene = &game->document->scene;
    for (int i = 0; i < VIEW_EVENTS && game->hero->events[i].time == game->hero->time; i++) {
        const char *const text = game->hero->events[i].text;
        const bool is_step = strncmp(text, "footstep", 8) == 0;
        if (!is_step && strncmp(text, "landing", 7) != 0)
            continue;
        game->facts.num_steps++;
        for (int foot = 0; foot < 2; foot++) {
            const md5_vec3 at = md5_mat34_translation(scene->joints[game->feet[foot]]);
            if (!is_step || (strstr(text, "left") != NULL) == (foot == 0))
                game->prints[game->num_prints++ % NUM_PRINTS] =
                    (md5gl_blob){.position = on_ground(&scene->terrain, at.x, at.y),
                                 .radius = 6.0f,
                                 .darkness = 0.4f};
        }
    }
}

// He looks at the nearest dark lantern while it is before him; behind him it would turn him round.
static void look_about(view_game *game)
{
    const post *const goal = nearest_dark(game);
    const md5_vec3 to = goal != NULL ? seen_from(game->hero, goal->lamp) : (md5_vec3){-1, 0, 0};
    game->hero->has_target = to.x > 0.7f * fabsf(to.y);
    game->hero->pointed = game->hero->time;
    if (goal != NULL)
        game->hero->target = goal->lamp;
}

static void pose_hero(view_game *game)
{
    view_scene *const scene = &game->document->scene;
    view_scene *const lantern = &game->lantern->scene;
    view_pose(scene, &(view_play){.time = game->hero->time});
    const md5_mat34 hand = scene->joints[game->hand];
    game->carried->place = (md5_xform){.rotation = md5_quat_from_mat34(hand),
                                       .translation = md5_mat34_translation(hand)};
    view_pose_machine(game->carried, lantern->num_joints, lantern->pose, lantern->joints,
                      lantern->palette);
}

static void take_step(view_game *game)
{
    view_machine *const hero = game->hero;
    const view_terrain *const terrain = &game->document->scene.terrain;
    const view_control input = hero->control;
    view_control asked = game->facts.is_demo ? play_alone(game)
                         : game->has_stick   ? read_stick(game)
                                             : input;
    if (game->facts.phase != VIEW_GAME_PLAYS)
        asked = (view_control){.ahead = 0};
    asked.fast = asked.fast && !is_blocked(game, 48.0f);
    if (asked.ahead > 0 && is_blocked(game, 20.0f))
        asked.ahead = 0;
    look_about(game);
    hero->control.ahead = asked.ahead;
    hero->control.side = asked.side;
    hero->control.fast = asked.fast;
    view_run_machine(hero, hero->time + tick);
    hero->control.ahead = input.ahead;
    hero->control.side = input.side;
    hero->control.fast = input.fast;
    hero->place.translation =
        on_ground(terrain, hero->place.translation.x, hero->place.translation.y);
    view_run_machine(game->carried, hero->time);
    pose_hero(game);
    note_steps(game);
    for (int i = 0; i < NUM_WATCHERS; i++) {
        view_machine *const who = &game->watchers[i].machine;
        who->target = view_along(hero->place.translation, (md5_vec3){0, 0, 1}, 40.0f);
        who->pointed = who->time;
        view_run_machine(who, hero->time);
        who->place.translation =
            on_ground(terrain, who->place.translation.x, who->place.translation.y);
    }
    follow_rules(game);
    // The camera comes after; at the end it goes around him.
    const float behind = remainderf(yaw_of(hero->place.rotation) - game->yaw, 360.0f);
    game->yaw +=
        game->facts.phase == VIEW_GAME_PLAYS ? 1.8f * behind * (float)tick : 14.0f * (float)tick;
    game->height += 4.0f * (hero->place.translation.z - game->height) * (float)tick;
}

// == The clock, and who drives ====================================================================

void view_run_game(view_game *game, double time)
{
    const bool is_taken_over = game->facts.is_demo && !game->hero->acts;
    if (is_taken_over || time < game->begun + game->hero->time - 4.0 * tick)
        begin_round(game, is_taken_over ? time : fmin(time, 0.0), !is_taken_over);
    while (game->hero->time + tick <= time - game->begun + 1e-9) {
        take_step(game);
        if (game->facts.is_demo && game->facts.rest > demo_rest)
            begin_round(game, game->begun + game->hero->time, true);
    }
}

view_game_facts view_get_game_facts(const view_game *game)
{
    return game->facts;
}

bool view_play_again(view_game *game)
{
    const bool has_ended = game->facts.rest > 1.0 || game->facts.is_demo;
    if (has_ended)
        begin_round(game, game->begun + game->hero->time, false);
    return has_ended;
}

void view_move_stick(view_game *game, const md5_vec2 *from, md5_vec2 to, float reach)
{
    game->has_stick = from != NULL;
    if (from == NULL)
        return;
    const md5_vec2 way = {(to.x - from->x) / reach, (to.y - from->y) / reach};
    const float most = fmaxf(hypotf(way.x, way.y), 1.0f);
    game->stick = (md5_vec2){way.x / most, way.y / most};
    game->stick_at = *from;
    game->stick_reach = reach;
}
