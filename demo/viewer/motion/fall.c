// Loads the articulated figure of a model, and replaces the motion of the model by a ragdoll after
// its death; see fall.h.
//
// An .af file contains articulated figures of Doom 3. The library reads them only as a part of a
// game. Therefore file_name(), open_file() and close_file() implement a game whose only file is the
// .af file.
#include "demo/viewer/motion/motion.h"

#include "demo/viewer/base/math.h"

// -- Figure from an .af file ---------------------------------------------------------------------

// Returns the name of the game's only file. `user` is a view_fall, as in the next functions.
static const char *file_name(void *user, size_t file)
{
    (void)file;
    return ((const view_fall *)user)->name;
}

// Opens the .af file for the library, which reads files only through this callback.
static const void *open_file(void *user, size_t file, size_t *size, md5_error *error)
{
    const char *reason;
    (void)file;
    char *const text = common_read_stream(((const view_fall *)user)->path, size, &reason);
    if (text == NULL && error != NULL) {
        error->status = MD5_ERROR_IO;
        COMMON_TEXT(error->message, "%s", reason);
    }
    return text;
}

// Frees the text of the file.
static void close_file(void *user, const void *bytes, size_t size)
{
    (void)user, (void)size;
    free((void *)(uintptr_t)bytes);
}

// Loads a clip and binds it to the model. Returns false if the file does not exist, cannot be read
// or does not fit the model.
static bool load_setup_clip(md5_entity_clip *clip, const md5_model *model, const char *path,
                            const md5_load_opts *opts)
{
    if (!common_is_file(path))
        return false;
    md5_anim *const anim = md5_load_anim(path, opts, NULL);
    if (anim == NULL)
        return false;
    md5_binding *const binding = md5_bind(model, anim, opts, NULL);
    if (binding == NULL) {
        md5_free_anim(anim);
        return false;
    }
    clip->anims[0] = anim;
    clip->bindings[0] = binding;
    clip->num_files = 1;
    return true;
}

// Creates an entity from the scene's model, whose only clip is the setup pose of the figure. An .af
// file contains the positions of the bodies for the setup pose. Returns false if `folder` does not
// contain this pose.
static bool load_setup(view_fall *fall, const md5_model *model, const char *folder,
                       const md5_load_opts *opts)
{
    static const char *const names[] = {"af_pose.md5anim", "idle.md5anim"};
    bool is_loaded = false;
    for (size_t i = 0; i < COMMON_LENGTH(names) && !is_loaded; i++) {
        char *const path = common_join(folder, names[i]);
        is_loaded = load_setup_clip(&fall->clip, model, path, opts);
        free(path);
    }
    // md5_create_figure() searches the setup pose by this name.
    fall->anim = (md5_model_anim){.name = "af_pose"};
    fall->clip.anim = &fall->anim;
    fall->entity = (md5_entity){.model = model, .num_clips = 1, .clips = &fall->clip};
    return is_loaded;
}

// Creates the articulated figure `name` of the file fall->path. Its setup pose is in `folder`.
// Returns NULL on success, otherwise a text with the reason. The text may be stored in `error`.
static const char *create_figure(view_fall *fall, const md5_model *model, const char *name,
                                 const char *folder, const md5_load_opts *opts, md5_error *error)
{
    if (!load_setup(fall, model, folder, opts))
        return "setup pose not found: expected af_pose.md5anim or idle.md5anim in the same folder";

    const md5_game_path path = {
        .num_files = 1, .name = file_name, .open = open_file, .close = close_file, .user = fall};
    fall->game = md5_create_game(&path, 1, opts, error);
    const md5_figure_def *def = NULL;
    if (fall->game != NULL)
        def = md5_game_figure_def(fall->game, name, error);
    if (def != NULL)
        fall->created_bodies = md5_create_figure(def, &fall->entity, opts, error);
    fall->bodies = fall->created_bodies;
    if (fall->bodies != NULL)
        return NULL;
    return error->message[0] != '\0' ? error->message : "articulatedFigure of this name not found";
}

// Loads NAME.af in the folder of the model NAME. Warns if the file exists, but no figure can be
// created from it.
static void load_figure_file(view_fall *fall, const md5_model *model, const char *model_path,
                             const md5_load_opts *opts, view_log *log)
{
    char *const folder = common_folder(model_path);
    char *const name = common_stem(model_path);
    char *const file = common_format("%s.af", name);
    fall->path = common_join(folder, file);
    fall->name = common_format("af/%s", file); // the folder in which a game has its figures

    if (common_is_file(fall->path)) {
        md5_error error = {.message = ""};
        const char *const reason = create_figure(fall, model, name, folder, opts, &error);
        if (reason != NULL)
            view_warn(log, "%s: cannot create an articulated figure: %s", fall->path, reason);
    }
    free(file);
    free(name);
    free(folder);
}

// Finds the articulated figure with which a character falls at its death. An entity has its own
// figure. For other models, the figure is a file in the folder of the model. Without a figure,
// scene->fall remains NULL.
void view_load_fall(view_scene *scene, const char *model_path, const md5_load_opts *opts,
                    view_log *log)
{
    view_fall *const fall = common_alloc(1, sizeof *fall);
    fall->bodies = scene->entity.bodies;
    fall->dragged = MD5_NONE;
    view_set_death_time(fall, INFINITY);
    if (fall->bodies == NULL && model_path != NULL)
        load_figure_file(fall, scene->model, model_path, opts, log);
    if (fall->bodies == NULL) {
        view_free_fall(fall);
        return;
    }
    fall->states = common_alloc(fall->bodies->num_bodies, sizeof *fall->states);
    scene->fall = fall;
}

// Frees a ragdoll with its simulation. Its articulated figure is freed only if it was read from
// a file; the figure of an entity belongs to the entity. Accepts NULL.
void view_free_fall(view_fall *fall)
{
    if (fall == NULL)
        return;
    md5_destroy_ragdoll(fall->ragdoll);
    free(fall->states);
    md5_free_figure(fall->created_bodies);
    md5_destroy_game(fall->game);
    if (fall->clip.num_files > 0) {
        md5_free_binding((md5_binding *)(uintptr_t)fall->clip.bindings[0]);
        md5_free_anim((md5_anim *)(uintptr_t)fall->clip.anims[0]);
    }
    free(fall->path);
    free(fall->name);
    free(fall);
}

// -- Simulation ----------------------------------------------------------------------------------

// Duration of about one tick of the engine, seconds.
static const double tick = 1.0 / 60.0;

void view_set_death_time(view_fall *fall, double time)
{
    fall->death_time = time;
    fall->simulated_time = fall->listed_death_time = INFINITY;
    view_drag(fall, NULL);
}

bool view_has_died(const view_fall *fall, double time)
{
    return fall != NULL && time >= fall->death_time;
}

// Implements md5_height_fn; `user` is a terrain. Computes the normal from the heights of two points
// that are 0.05 units away along x and y.
static float height_at(void *user, float x, float y, md5_vec3 *normal)
{
    const float distance = 0.05f;
    const float height = view_ground_height(user, x, y);
    const float rise_x = view_ground_height(user, x + distance, y) - height;
    const float rise_y = view_ground_height(user, x, y + distance) - height;
    *normal = md5_vec3_normalize((md5_vec3){-rise_x, -rise_y, distance}, (md5_vec3){0, 0, 1});
    return height;
}

// Writes the two triangles of the quad between a column of corners and the next column. This quad
// is the tread (the level part) or the riser of a stair. It extends from `min_y` to `max_y`.
static void write_stair_quad(const view_terrain *stairs, int32_t column, float min_y, float max_y,
                             md5_vec3 (*triangles)[3])
{
    const float near_x = view_corner_x(stairs, column);
    const float near_z = view_corner_height(stairs, column, 0);
    const float far_x = view_corner_x(stairs, column + 1);
    const float far_z = view_corner_height(stairs, column + 1, 0);
    const md5_vec3 quad[4] = {{near_x, min_y, near_z},
                              {near_x, max_y, near_z},
                              {far_x, min_y, far_z},
                              {far_x, max_y, far_z}};
    for (int i = 0; i < 3; i++) {
        triangles[0][i] = quad[i];
        triangles[1][i] = quad[3 - i];
    }
}

// Implements md5_triangles_fn for stairs; `user` is a terrain. Writes the treads and the risers of
// the stairs below `box`, as two triangles for each. Returns the number of triangles.
static uint32_t find_stair_triangles(void *user, md5_bounds box, md5_vec3 (*corners)[3],
                                     uint32_t capacity)
{
    // A stair has four columns of corners: both ends of its tread and both ends of its riser. One
    // more stair in each direction ensures that the triangles cover the box.
    enum { COLUMNS = 4, COLUMNS_PER_QUAD = 2, TRIANGLES_PER_QUAD = 2 };
    const view_terrain *const stairs = user;
    const float stair_width = (float)COLUMNS * stairs->cell;
    const int32_t first = COLUMNS * ((int32_t)floorf(box.min.x / stair_width) - 1);
    const int32_t last = COLUMNS * ((int32_t)floorf(box.max.x / stair_width) + 1);
    uint32_t count = 0;
    for (int32_t column = first; column <= last; column += COLUMNS_PER_QUAD) {
        if (count + TRIANGLES_PER_QUAD > capacity)
            break;
        write_stair_quad(stairs, column, box.min.y - stair_width, box.max.y + stair_width,
                         corners + count);
        count += TRIANGLES_PER_QUAD;
    }
    return count;
}

// Returns the terrain in the form with which the ragdoll computes contacts best. This is a plane
// for level ground, triangles for stairs, and a height function for other terrain.
static md5_ground make_ground(view_terrain *terrain)
{
    if (terrain->kind == VIEW_LEVEL)
        return (md5_ground){.plane_normal = {0, 0, 1}};
    if (terrain->kind == VIEW_STAIRS)
        return (md5_ground){.triangles = find_stair_triangles, .user = terrain};
    return (md5_ground){.heights = height_at, .user = terrain};
}

// Returns the distance of the ragdoll's first body from its setup position.
static md5_vec3 body_displacement(const view_fall *fall)
{
    return md5_vec3_sub(md5_ragdoll_bodies(fall->ragdoll)[0].transform.translation,
                        fall->bodies->setup[0].translation);
}

// Returns the placement of the character in the pose that `kind` wrote last.
static md5_xform get_placement(const view_scene *scene, const view_motion_kind *kind)
{
    return kind->placement != NULL ? kind->placement(scene) : view_at_origin();
}

// Creates the ragdoll on the scene's ground, unless it exists. Returns false if memory runs out.
static bool create_ragdoll(view_scene *scene)
{
    view_fall *const fall = scene->fall;
    if (fall->ragdoll != NULL)
        return true;
    const md5_ragdoll_desc desc = {.figure = fall->bodies, .ground = make_ground(&scene->terrain)};
    fall->ragdoll = md5_create_ragdoll(&desc, NULL, NULL);
    return fall->ragdoll != NULL;
}

// Computes fall->states: the positions and velocities of the bodies one tick after death. The
// motion is posed at the time of death and one tick later. The second call of
// md5_figure_from_joints() computes the velocities from both poses. The scene remains in the second
// pose; its play state is returned.
static view_play measure_bodies_at_death(view_scene *scene, const view_motion_kind *kind,
                                         const view_play *play)
{
    view_fall *const fall = scene->fall;
    view_play play_at_death = *play;
    for (int i = 0; i < 2; i++) {
        const double seconds_after_death = tick * i;
        play_at_death.time = fall->death_time + seconds_after_death;
        kind->pose(scene, &play_at_death);
        md5_figure_from_joints(fall->bodies, scene->joints, view_at_origin(),
                               (float)seconds_after_death, fall->states);
    }
    return play_at_death;
}

// Starts the ragdoll with the velocities that the character had at its death. Also called when the
// time has moved backward, to start the same fall again. The simulation begins one tick after
// death.
static void start_ragdoll(view_scene *scene, const view_motion_kind *kind, const view_play *play)
{
    view_fall *const fall = scene->fall;
    if (!create_ragdoll(scene))
        return;
    // List the effects of the death once, not again after each jump in time.
    if (scene->entity.entity != NULL && fall->listed_death_time != fall->death_time)
        view_list_drops(&scene->entity, fall->death_time);
    fall->listed_death_time = fall->death_time;

    const view_play play_at_death = measure_bodies_at_death(scene, kind, play);
    md5_ragdoll_start(fall->ragdoll, fall->states);
    fall->simulated_time = fall->death_time + tick;

    // The camera follows the displacement of the character, which must not jump at the death. The
    // ragdoll measures it from the setup position, so the distance that the character walked before
    // is added.
    md5_vec3 walked;
    if (kind->walked != NULL)
        walked = kind->walked(scene, &play_at_death);
    else
        walked = get_placement(scene, kind).translation;
    fall->root_offset = md5_vec3_sub(walked, body_displacement(fall));
}

// Simulates the ragdoll up to a time, seconds. On fixed ground, one call of the simulation is
// sufficient. A lift moves, so its height is set before each tick. The ragdoll is then also woken,
// because a resting ragdoll would not notice that the lift moves.
static void advance_ragdoll(view_scene *scene, double time)
{
    view_fall *const fall = scene->fall;
    if (scene->terrain.kind != VIEW_LIFT) {
        if (fall->simulated_time < time) {
            md5_ragdoll_advance(fall->ragdoll, time - fall->simulated_time);
            fall->simulated_time = time;
        }
        return;
    }

    while (fall->simulated_time < time) {
        const double step = fmin(time - fall->simulated_time, tick);
        fall->simulated_time += step;
        view_set_lift_time(&scene->terrain, fall->simulated_time);
        md5_ragdoll_wake(fall->ragdoll);
        md5_ragdoll_advance(fall->ragdoll, step);
    }
}

// Completes the pose of a character at `placement`, after the ragdoll has set the pose of the body
// relative to parents. Poses the attached parts, and writes the joints and the palette.
static void complete_pose(view_scene *scene, md5_xform placement)
{
    const md5_mat34 at = md5_mat34_from_xform(placement);
    md5_local_to_model(&scene->fall->bodies->entity->model->skeleton, scene->pose, scene->joints);
    if (scene->entity.entity != NULL) {
        view_follow_body(scene, at);
        return;
    }
    view_move_matrices(at, scene->joints, scene->num_joints);
    md5_build_palette(scene->model, scene->joints, scene->palette);
}

// Poses a scene that has an articulated figure: by its animation until the time of death,
// afterwards by the ragdoll. The simulation only runs forward. If the time has moved backward, it
// starts again at the death.
void view_pose_with_death(view_scene *scene, const view_motion_kind *kind, const view_play *play)
{
    view_fall *const fall = scene->fall;
    const double time = play->time;
    if (!view_has_died(fall, time)) {
        kind->pose(scene, play);
        fall->simulated_time = INFINITY; // the fall has not begun
        return;
    }
    const bool has_begun = fall->simulated_time <= time;
    const bool is_back_in_time = time < fall->pose_time;
    if (!has_begun || is_back_in_time)
        start_ragdoll(scene, kind, play);
    if (fall->ragdoll == NULL) // out of memory
        return;

    advance_ragdoll(scene, time);
    fall->pose_time = time;
    fall->walked = md5_vec3_add(body_displacement(fall), fall->root_offset);
    const md5_body_state *const bodies = md5_ragdoll_bodies(fall->ragdoll);
    const md5_xform placement = md5_figure_to_pose(fall->bodies, bodies, scene->pose);
    complete_pose(scene, placement);
}

// Finds the body of the ragdoll below the mouse pointer; view_drag() then pulls this body. The line
// from `from` to `to` contains all points that are drawn below the pointer.
bool view_grasp(view_fall *fall, md5_vec3 from, md5_vec3 to)
{
    if (fall->ragdoll == NULL)
        return false;
    md5_figure_hit hit;
    const md5_body_state *const bodies = md5_ragdoll_bodies(fall->ragdoll);
    if (!md5_raycast_figure(fall->bodies, bodies, from, to, &hit))
        return false;
    fall->dragged = hit.body;
    fall->grasped = hit.point;
    return true;
}

void view_drag(view_fall *fall, const md5_vec3 *target)
{
    if (fall->dragged != MD5_NONE && fall->ragdoll != NULL)
        md5_ragdoll_drag(fall->ragdoll, fall->dragged, fall->grasped, target);
    if (target == NULL)
        fall->dragged = MD5_NONE;
}
