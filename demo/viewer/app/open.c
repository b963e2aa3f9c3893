// Opening: from the names of files to what is on the screen.
#include "demo/viewer/app/view.h"

#include "demo/common/file.h"
#include "demo/viewer/base/math.h"

#include <stdlib.h>
#include <string.h>

#include <SDL.h>

// Where our own models lie: told by the build, for the place that the program runs from.
#ifndef MD5VIEW_MODELS
#define MD5VIEW_MODELS "models"
#endif

void view_close(view_state *viewer)
{
    if (viewer->renderer != NULL) {
        view_free_textures(&viewer->textures, viewer->renderer);
        md5gl_destroy_model(viewer->renderer, viewer->drawn);
    }
    viewer->drawn = NULL;
    view_free_companions(viewer);
    view_free_crowd(viewer); // which refers to the scene
    view_free_scene(&viewer->scene);
}

// -- Own model ------------------------------------------------------------------------------

// The first machine in a folder of `models`, or NULL.
static char *first_machine(const char *models)
{
    char *found = NULL;
    common_list folders = common_list_folder(models, NULL);
    for (size_t i = 0; i < folders.count && found == NULL; i++) {
        common_list files = common_list_folder(folders.names[i], ".md5machine");
        if (files.count > 0)
            found = common_copy(files.names[0]);
        common_free_list(&files);
    }
    common_free_list(&folders);
    return found;
}

// Beside where the program was built or installed, or where the build says.
static char *find_own_model(void)
{
    char *found = NULL;
    char *const base = SDL_GetBasePath(); // folder of the program, with a slash
    static const char *const places[] = {"models", "../models", "../../models",
                                         "../share/md5model/models"};
    for (size_t i = 0; i < 4 && base != NULL && found == NULL; i++) {
        char *models = common_join(base, places[i]);
        found = first_machine(models);
        free(models);
    }
    SDL_free(base);
    return found != NULL ? found : first_machine(MD5VIEW_MODELS);
}

typedef struct own_files {
    char *paths[3];
    size_t count;
} own_files;

// What is shown when nothing is named; in a crowd, with company.
static bool find_own_files(view_state *viewer, own_files *own)
{
    static const char *const company[] = {"../spindle/spindle.md5mesh",
                                          "../thimble/thimble.md5mesh"};
    own->paths[0] = find_own_model();
    if (own->paths[0] == NULL) {
        view_error(&viewer->log, "no file given, and no model of our own under %s", MD5VIEW_MODELS);
        return false;
    }
    own->count = 1;
    char *const folder = common_folder(own->paths[0]);
    for (size_t i = 0; i < 2 && viewer->options->crowd > 2; i++) {
        char *const path = common_join(folder, company[i]);
        if (common_is_file(path))
            own->paths[own->count++] = path;
        else
            free(path);
    }
    free(folder);
    return true;
}

// -- Framing --------------------------------------------------------------------------------

// By a square that reaches so far in every direction.
static void widen_by_square(view_state *viewer, float reach)
{
    md5_bounds *const bounds = &viewer->bounds;
    for (int i = 0; i < VIEW_HULL_POINTS; i++) {
        md5_vec3 *const point = &viewer->hull.points[i];
        point->x += point->x > 0.0f ? reach : -reach;
        point->y += point->y > 0.0f ? reach : -reach;
    }
    bounds->min.x -= reach;
    bounds->max.x += reach;
    bounds->min.y -= reach;
    bounds->max.y += reach;
}

static void widen_by_box(view_state *viewer, md5_bounds box)
{
    viewer->bounds = md5_bounds_union(viewer->bounds, box);
    for (unsigned corner = 0; corner < 8 && !view_is_empty(box); corner++) {
        const md5_vec3 point = view_corner(box, corner);
        view_widen_hull(&viewer->hull, &point, 1);
    }
}

// By the box of the body that stands beside.
static void widen_by_companion(view_state *viewer, const md5_model *other)
{
    const float aside = view_companion_distance(viewer);
    md5_bounds box = other->bounds;
    box.min.y += aside;
    box.max.y += aside;
    widen_by_box(viewer, box);
}

void view_measure(view_state *viewer)
{
    viewer->bounds = view_clip_bounds(&viewer->scene, &viewer->hull);
    for (uint32_t i = 1; i < viewer->crowd.num_kinds; i++)
        widen_by_box(viewer, viewer->crowd.kinds[i].model->bounds);
    if (viewer->crowd.count > 0)
        widen_by_square(viewer, viewer->crowd.spread);
    else if (viewer->companions[0].model != NULL)
        widen_by_companion(viewer, viewer->companions[0].model);
    // The ground is at 0, where id's characters stand, unless the model floats or sinks.
    const float size = view_size(viewer->bounds), low = viewer->bounds.min.z;
    viewer->ground = fabsf(low) <= 0.1f * size || view_is_empty(viewer->bounds) ? 0.0f : low;
    view_pose(&viewer->scene, &viewer->play);
}

// So that all is seen; but before a crowd one stands as before people, with the others behind those
// of the first row.
static void frame_for(view_state *viewer, float width, float height)
{
    view_camera *const camera = &viewer->camera;
    const view_crowd *const crowd = &viewer->crowd;
    view_frame_all(camera, viewer->bounds, &viewer->hull, width, height);
    const float before = crowd->spread + 2.0f * crowd->size;
    if (crowd->count == 0 || camera->orthographic || camera->distance <= before)
        return;
    camera->distance = before;
    camera->target = view_centre(viewer->bounds);
}

void view_frame_anew(view_state *viewer)
{
    const view_options *const options = viewer->options;
    view_camera camera = view_default_camera();
    camera.orthographic = options->orthographic;
    if (options->azimuth_given)
        camera.azimuth = options->azimuth;
    if (options->elevation_given)
        camera.elevation = options->elevation;
    viewer->camera = camera;
    frame_for(viewer, (float)viewer->width, (float)viewer->height);
    if (options->distance_given)
        viewer->camera.distance = options->distance;
    // A flight with nothing to look at is looked at itself.
    viewer->flying = viewer->scene.flight.camera != NULL && viewer->scene.skeleton != NULL
                     && !options->camera_path;
}

void view_frame_for(view_state *viewer, uint32_t width, uint32_t height)
{
    if (viewer->options->distance_given)
        return;
    frame_for(viewer, (float)width, (float)height);
}

void view_leave_flight(view_state *viewer)
{
    if (!viewer->flying)
        return;
    const md5_camera_view view = view_flight_at(&viewer->scene.flight, &viewer->play);
    const md5_vec3 walked = view_walked(viewer);
    const md5_vec3 centre = view_add(view_centre(viewer->bounds), walked);
    const view_lens lens = view_flight_lens(&view, centre, viewer->camera.scene_radius,
                                            (float)viewer->width, (float)viewer->height);
    view_take_lens(&viewer->camera, &lens, centre);
    viewer->camera.target = view_sub(viewer->camera.target, walked);
    viewer->flying = false;
}

void view_change_clip(view_state *viewer, size_t clip)
{
    view_choose_clip(&viewer->scene, clip);
    viewer->play.time = 0.0;
    viewer->play.held_at_end = false;
    view_measure(viewer);
}

// -- Opening --------------------------------------------------------------------------------

md5gl_model *view_create_model(view_state *viewer, const md5_model *model)
{
    const view_options *const options = viewer->options;
    md5_error error;
    md5gl_model *drawn = md5gl_create_model(viewer->renderer, model, options->path, &error);
    if (drawn == NULL && options->path != MD5GL_PATH_AUTO && !options->verify
        && error.status == MD5_ERROR_GPU) {
        view_warn(&viewer->log, "%s; taking another", error.message);
        drawn = md5gl_create_model(viewer->renderer, model, MD5GL_PATH_AUTO, &error);
    }
    if (drawn == NULL)
        view_log_error(&viewer->log, &error);
    return drawn;
}

bool view_upload(view_state *viewer, const view_scene *scene, bool as_asked, md5gl_model **drawn,
                 view_textures *textures)
{
    *drawn = NULL;
    *textures = (view_textures){0};
    if (scene->model == NULL || viewer->renderer == NULL)
        return true;
    *drawn = view_create_model(viewer, scene->model);
    if (*drawn == NULL)
        return false;
    if (view_load_textures(textures, viewer->renderer, scene->model, scene->path,
                           as_asked ? viewer->options : NULL, &viewer->log))
        return true;
    md5gl_destroy_model(viewer->renderer, *drawn);
    *drawn = NULL;
    return false;
}

// Replaces what is open, once all of the new is there.
static bool open_files(view_state *viewer, const char *const *files, size_t num_files, bool pick_up,
                       bool as_asked)
{
    view_scene scene;
    md5gl_model *drawn;
    view_textures textures;
    const view_log before = viewer->log;
    view_log_clear(&viewer->log);
    const uint32_t crowd = viewer->options->crowd;
    const size_t own = crowd > 0 ? view_count_first(files, num_files) : num_files;
    const bool loaded = view_load_scene(&scene, files, own, pick_up, &viewer->log);
    if (!loaded || !view_upload(viewer, &scene, as_asked, &drawn, &textures)) {
        if (loaded)
            view_free_scene(&scene);
        view_log_restore(&viewer->log, &before);
        return false;
    }
    const md5_root root = viewer->scene.root;
    const bool dual = viewer->scene.dual;
    view_close(viewer);
    viewer->scene = scene;
    viewer->scene.root = root;
    viewer->scene.dual = dual;
    viewer->drawn = drawn;
    viewer->textures = textures;
    viewer->as_asked = as_asked;
    viewer->hierarchy_scroll = 0.0f;
    viewer->hovered_joint = viewer->chosen_joint = -1;
    viewer->hidden_meshes = 0;
    if (viewer->options->steps && viewer->scene.model != NULL
        && view_find_feet(&viewer->scene.steps, &viewer->scene) == 0)
        view_warn(&viewer->log, "--steps: no joints are called foot or ankle");
    if (!view_load_companions(viewer))
        return false;
    return crowd == 0 || view_make_crowd(viewer, files + own, num_files - own, crowd);
}

bool view_open(view_state *viewer, const char *const *files, size_t num_files, bool as_asked)
{
    const bool is_own = num_files == 0;
    own_files own = {.count = 0};
    if (is_own && !find_own_files(viewer, &own))
        return false;
    const bool opened =
        open_files(viewer, is_own ? (const char *const *)own.paths : files,
                   is_own ? own.count : num_files, !viewer->options->no_auto, as_asked);
    for (size_t i = 0; i < own.count; i++)
        free(own.paths[i]);
    if (!opened)
        return false;
    if (viewer->config != NULL)
        view_note_model(viewer->config, is_own ? NULL : viewer->scene.path);
    viewer->play.time = 0.0;
    viewer->play.held_at_end = false;
    viewer->scene.machine.settings = viewer->options->settings;
    viewer->scene.machine.num_settings = viewer->options->num_settings;
    viewer->scene.machine.acts = is_own && viewer->options->num_settings == 0;
    view_measure(viewer);
    view_frame_anew(viewer);
    view_debug(&viewer->log, "opened: %s, %zu clips, %u joints, %u vertices", viewer->scene.path,
               viewer->scene.num_clips, (unsigned)viewer->scene.num_joints,
               (unsigned)view_count_vertices(&viewer->scene));
    return true;
}

bool view_reload(view_state *viewer)
{
    // The names outlive the scene that they are of.
    const size_t num_clips = viewer->scene.picked_up ? 0 : viewer->scene.num_clips;
    const bool model = viewer->scene.model != NULL;
    const size_t shown = viewer->scene.clip;
    const bool bind_pose = viewer->scene.bind_pose;
    const int32_t joint = viewer->chosen_joint;
    const uint64_t hidden = viewer->hidden_meshes;
    const view_crowd *const crowd = &viewer->crowd;
    char **files = common_alloc(num_clips + 2 + crowd->num_files, sizeof *files);
    size_t count = 0;
    if (model)
        files[count++] = common_copy(viewer->scene.path);
    for (size_t i = 0; i < num_clips; i++)
        files[count++] = common_copy(viewer->scene.clips[i].path);
    if (viewer->scene.flight.camera != NULL)
        files[count++] = common_copy(viewer->scene.flight.path);
    for (size_t i = 0; i < crowd->num_files; i++)
        files[count++] = common_copy(crowd->files[i]);

    const bool opened = open_files(viewer, (const char *const *)files, count,
                                   viewer->scene.picked_up, viewer->as_asked);
    if (opened && shown < viewer->scene.num_clips)
        view_choose_clip(&viewer->scene, shown);
    if (opened) {
        viewer->scene.bind_pose = bind_pose && model;
        viewer->chosen_joint = joint;
        viewer->hidden_meshes = hidden;
        view_apply_hidden(viewer);
        view_measure(viewer);
    }
    for (size_t i = 0; i < count; i++)
        free(files[i]);
    free(files);
    return opened;
}

void view_open_neighbour(view_state *viewer, int step)
{
    const char *const ending = viewer->scene.machine.player != NULL ? ".md5machine"
                               : viewer->scene.model != NULL        ? ".md5mesh"
                               : viewer->scene.num_clips > 0        ? ".md5anim"
                                                                    : ".md5camera";
    char *folder = common_folder(viewer->scene.path);
    common_list list = common_list_folder(folder, ending);
    char *clean = common_join(folder, common_base(viewer->scene.path));
    size_t place = 0;
    for (size_t i = 0; i < list.count; i++)
        if (strcmp(list.names[i], clean) == 0)
            place = i;
    if (list.count < 2) {
        view_notice(viewer, "No other %s in this folder", ending);
    } else {
        place = (place + list.count + (step > 0 ? 1 : list.count - 1)) % list.count;
        const char *const file = list.names[place];
        if (!view_open(viewer, &file, 1, false))
            view_notice(viewer, "%s cannot be opened", common_base(file));
    }
    free(clean);
    common_free_list(&list);
    free(folder);
}

// What a flight that is alone was waiting for is opened with it.
static bool open_dropped(view_state *viewer, const char *path)
{
    const view_scene *const scene = &viewer->scene;
    const bool waiting = scene->flight.camera != NULL && scene->skeleton == NULL
                         && !common_has_ending(path, ".md5camera");
    char *flight = waiting ? common_copy(scene->flight.path) : NULL;
    const char *const files[2] = {path, flight};
    const bool opened = view_open(viewer, files, waiting ? 2 : 1, false);
    free(flight);
    return opened;
}

void view_drop(view_state *viewer, const char *path)
{
    bool done = false;
    const char *what = "opened";
    viewer->log.error[0] = '\0';
    if (common_is_folder(path)) {
        view_browse_folder(viewer, path);
        return;
    }
    if (view_is_image(path) && viewer->scene.model != NULL) {
        what = "texture";
        done = view_use_texture(&viewer->textures, viewer->renderer, path, &viewer->log);
    } else if (common_has_ending(path, ".md5anim") && viewer->scene.model != NULL) {
        what = "animation";
        done = view_add_clip(&viewer->scene, path, &viewer->log);
        if (done) {
            view_change_clip(viewer, viewer->scene.clip);
            viewer->play.playing = true;
        }
    } else if (common_has_ending(path, ".md5camera") && viewer->scene.skeleton != NULL) {
        what = "flight";
        done = view_load_flight(&viewer->scene, path, &viewer->log);
        viewer->flying = viewer->flying || done;
        if (done) {
            viewer->play.time = 0.0;
            viewer->play.playing = true;
        }
    } else {
        done = open_dropped(viewer, path);
    }
    if (done)
        view_notice(viewer, "%s: %s", what, common_base(path));
    else
        view_notice(viewer, "%s does not fit", common_base(path));
}
