// The panel of figures at the left: the document, what the pose is compared with, what was clicked
// on.
#include "demo/viewer/ui/panels.h"

#include "demo/common/file.h"
#include "demo/viewer/base/math.h"

#include <stdio.h>
#include <string.h>

// == What the pose is compared with ========================================================

static void list_compare(const view_stage *stage, view_rows *rows)
{
    enum { LISTED = 8 };
    const view_document *const document = stage->document;
    const view_compare *const compare = &document->compare;
    if (compare->model == NULL || view_shows_crowd(document))
        return;
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_ACCENT, "Compared", "%s", compare->name);
    if (compare->num_same < compare->num_joints)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_AMBER, " ", "%u joints are not in it",
                     (unsigned)(compare->num_joints - compare->num_same));
    for (uint32_t i = 0; i < compare->num_same && i < LISTED; i++) {
        const view_difference *const difference = &compare->differences[i];
        view_add_row(rows, VIEW_ROW_PAIR, i == 0 ? VIEW_BRIGHT : VIEW_PLAIN,
                     document->scene.skeleton->joints[difference->joint].name, "%.3f  %.1f\xC2\xB0",
                     (double)difference->distance, (double)difference->angle);
        rows->rows[rows->count - 1].fixed = true; // changes in every frame
    }
    if (compare->measured == NULL)
        return;
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_ACCENT, "Whole clip", "largest, at frame");
    for (uint32_t i = 0; i < compare->num_same && i < LISTED; i++) {
        const view_peak *const peak = &compare->peaks[i];
        view_add_row(rows, VIEW_ROW_PAIR, i == 0 ? VIEW_BRIGHT : VIEW_PLAIN,
                     document->scene.skeleton->joints[peak->joint].name,
                     "%.3f at %u  %.1f\xC2\xB0 at %u", (double)peak->distance,
                     (unsigned)peak->distance_frame, (double)peak->angle,
                     (unsigned)peak->angle_frame);
    }
}

// == What was clicked on ===================================================================

#define DOT "  \xE2\x80\xA2  "

static void add_point(view_rows *rows, const char *label, md5_vec3 p)
{
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, label, "%.4g  %.4g  %.4g", (double)p.x,
                 (double)p.y, (double)p.z);
}

// A rotation as in the format: x, y and z of the quaternion with w <= 0.
static void add_transform(view_rows *rows, const char *label, md5_mat34 matrix)
{
    const md5_quat q = md5_quat_from_mat34(matrix);
    const float sign = q.w > 0.0f ? -1.0f : 1.0f;
    add_point(rows, label, md5_mat34_translation(matrix));
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Rotation", "(%.4g  %.4g  %.4g)",
                 (double)(sign * q.x), (double)(sign * q.y), (double)(sign * q.z));
}

static void add_weights(const md5_model *model, const view_pick *pick, view_rows *rows)
{
    enum { LISTED = 6 };
    const md5_mesh *const mesh = &model->meshes[pick->mesh];
    const uint32_t first = mesh->first_influence[pick->vertex];
    const uint32_t count = mesh->first_influence[pick->vertex + 1] - first;
    for (uint32_t i = 0; i < count && i < LISTED; i++)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, i == 0 ? "Weights" : " ", "%.3f  %s",
                     (double)mesh->influences[first + i].w,
                     model->skeleton.joints[mesh->influence_joints[first + i]].name);
    if (count > LISTED)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_DIM, " ", "and %u more", (unsigned)(count - LISTED));
}

static void add_joint(const view_scene *scene, uint32_t number, view_rows *rows)
{
    const md5_joint *const joint = &scene->skeleton->joints[number];
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Joint", "%u" DOT "%s", (unsigned)number,
                 joint->name);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Parent", "%s",
                 joint->parent >= 0 ? scene->skeleton->joints[joint->parent].name : "none");
    add_transform(rows, "Local", view_joint_in_parent(scene, number));
    add_transform(rows, "Model", view_joint_in_model(scene, number));
}

static void add_measure(const view_stage *stage, view_rows *rows)
{
    const view_pick *const to = stage->measured;
    if (!to->is_set)
        return;
    const md5_vec3 way = view_pick_difference(&stage->document->scene, stage->pick, to);
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_ACCENT, "Distance", "%.6g units",
                 (double)md5_vec3_length(way));
    add_point(rows, "Difference", way);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "To", "mesh %u" DOT "triangle %u",
                 (unsigned)to->mesh, (unsigned)to->triangle);
}

static void list_pick(const view_stage *stage, view_rows *rows)
{
    const view_scene *const scene = &stage->document->scene;
    const view_pick *const pick = stage->pick;
    if (!pick->is_set || scene->model == NULL)
        return;
    const md5_mesh *const mesh = &scene->model->meshes[pick->mesh];
    const uint32_t *const corners = mesh->indices + 3 * (size_t)pick->triangle;
    const md5_mat34 back = view_model_from_world(scene);
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_ACCENT, "Mesh", "%u" DOT "%s", (unsigned)pick->mesh,
                 mesh->name[0] != '\0' ? mesh->name : mesh->shader);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Triangle", "%u" DOT "%u %u %u",
                 (unsigned)pick->triangle, (unsigned)corners[0], (unsigned)corners[1],
                 (unsigned)corners[2]);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Vertex", "%u",
                 (unsigned)mesh->sources[pick->vertex]);
    add_point(rows, "Position", md5_mat34_point(back, view_pick_vertex(scene, pick)));
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "UV", "%.4f  %.4f",
                 (double)mesh->texcoords[pick->vertex].x, (double)mesh->texcoords[pick->vertex].y);
    add_weights(scene->model, pick, rows);
    if (pick->joint >= 0)
        add_joint(scene, (uint32_t)pick->joint, rows);
    add_measure(stage, rows);
}

// == The document ==========================================================================

enum { WIDTH = 270, COMPACT_WIDTH = 190, LABEL_WIDTH = 84 };

// Meshes in the list of statistics: without figures if there are more than MESHES_IN_FULL.
enum { MESHES_IN_FULL = 5, MESHES_LISTED = 20 };

// Clickable rows: their numbers in view_rows; the last two begin those of meshes.
enum { HIT_FILES = 1, HIT_CLIPS, HIT_TEXTURES, HIT_MESHES = HIT_TEXTURES + MESHES_LISTED };

#define DOT "  \xE2\x80\xA2  "

// -- Figures --------------------------------------------------------------------------------

// In a small window the figures are hidden, unless statistics are switched on.
static bool is_brief(const view_stage *stage)
{
    return view_is_compact(stage) && !stage->shown->statistics;
}

static void add_clip_rows(const view_stage *stage, view_rows *rows)
{
    const view_scene *const scene = &stage->document->scene;
    const view_play *const play = stage->play;
    const view_clip *const clip = view_shown_clip(scene);
    const md5_anim *const anim = view_clock(scene);
    const view_motion_kind *const mover = view_mover_of(scene);
    char text[256];
    view_describe_motion(scene, text, sizeof text);
    if (clip != NULL && view_shows_crowd(stage->document)) // each character plays its own
        view_add_row(rows, VIEW_ROW_TEXT, VIEW_ACCENT, "", "%zu clip%s", scene->num_clips,
                     scene->num_clips == 1 ? "" : "s");
    else if (text[0] != '\0')
        view_add_row(rows, VIEW_ROW_TEXT, VIEW_ACCENT, "", "%s", text);
    if (scene->num_clips > 0 && view_mode_of(stage->document) == VIEW_MODE_CLIPS)
        view_make_hit(rows, HIT_CLIPS, "A");
    // In a small window the states are only in the machine's panel.
    if (mover->list_clips != NULL && !view_shows_crowd(stage->document) && !is_brief(stage))
        mover->list_clips(scene, rows);
    if (anim == NULL || is_brief(stage))
        return;
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Time", "%.3f of %.3f s",
                 view_cycle_time(play, anim), view_cycle_length(play, anim));
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Frame", "%.1f" DOT "%u frames" DOT "%g fps",
                 view_frame_place(play, anim), (unsigned)anim->num_frames, anim->frame_rate);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Speed", "%s%g\xC3\x97" DOT "%s",
                 play->backward ? "\xE2\x88\x92" : "", play->speed, view_wrap_name(play->wrap));
    double begin, end;
    if (view_find_range(play, anim, &begin, &end))
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_AMBER, "Range", "frames %.0f to %.0f",
                     begin * anim->frame_rate, end * anim->frame_rate);
    if (scene->root != MD5_ROOT_FILE)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Root", "%s",
                     scene->root == MD5_ROOT_ID ? "as id's engine" : "in place");
}

static void add_camera_path_rows(const view_stage *stage, view_rows *rows)
{
    const view_camera_path *const camera_path = &stage->document->scene.camera_path;
    if (camera_path->camera == NULL)
        return;
    const view_camera_path_place place = view_find_place(camera_path, stage->play);
    const md5_camera_view view = view_camera_path_at(camera_path, stage->play);
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Camera", "%s",
                 stage->following ? camera_path->name : "free" DOT "V: path");
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Shot", "%u of %u" DOT "frame %.1f",
                 (unsigned)place.shot + 1, (unsigned)camera_path->camera->num_cuts + 1,
                 place.frame);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "View", "%.1f\xC2\xB0 wide", (double)view.fov);
}

// "4, 4, exact": the vertex path of each mesh, or the number of each kind where there are many.
static void describe_paths(const view_stage *stage, char *text, size_t size)
{
    enum { LISTED = 6 };
    const uint32_t num_meshes = stage->document->scene.model->num_meshes;
    uint32_t counts[MD5GL_PATH_COMPUTE + 1] = {0};
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < num_meshes; i++) {
        const md5gl_path path = md5gl_mesh_path(stage->document->drawn, i, NULL);
        counts[path]++;
        if (num_meshes <= LISTED)
            used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                                     md5gl_path_name(path));
    }
    for (md5gl_path path = MD5GL_PATH_4; num_meshes > LISTED && path <= MD5GL_PATH_COMPUTE; path++)
        if (counts[path] > 0)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%u \xC3\x97 %s", used > 0 ? ", " : "",
                                 (unsigned)counts[path], md5gl_path_name(path));
}

// The file's axes, if they are not those of the viewer.
static void add_turn(const view_stage *stage, view_rows *rows)
{
    char text[32];
    const view_turn *const turn = &stage->document->scene.turn;
    view_describe_turn(turn, text, sizeof text);
    if (turn->is_set && !view_shows_crowd(stage->document))
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_AMBER, "Axes", "%s", text);
}

static void add_crowd_rows(const view_stage *stage, view_rows *rows)
{
    const view_crowd *const crowd = &stage->document->crowd;
    if (crowd->count == 0)
        return;
    const uint32_t num_seen = view_count_seen(crowd), num_kinds = crowd->num_kinds;
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Crowd", "%u" DOT "%u model%s",
                 (unsigned)crowd->count, (unsigned)num_kinds, num_kinds == 1 ? "" : "s");
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Drawn", "%u" DOT "%u culled",
                 (unsigned)num_seen, (unsigned)(crowd->count - num_seen));
    if (crowd->baked_pixels > 0.0f)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Baked", "%u" DOT "%.1f MB",
                     (unsigned)crowd->num_baked,
                     1e-6 * (double)md5gl_get_stats(stage->renderer).baked_bytes);
    if (crowd->impostor_pixels > 0.0f)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Impostors", "%u" DOT "%u fading",
                     (unsigned)crowd->num_far, (unsigned)crowd->num_faded);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Update", "%u" DOT "%.1f ms, %u threads",
                 (unsigned)crowd->num_posed, 1e3 * crowd->seconds,
                 (unsigned)crowd->threads->num_workers);
}

static void add_model_rows(const view_stage *stage, view_rows *rows)
{
    char paths[128];
    if (stage->document->scene.skeleton == NULL)
        return;
    view_add_gap(rows);
    if (stage->document->crowd.num_kinds > 1) // the others have figures of their own
        view_add_row(rows, VIEW_ROW_TEXT, VIEW_DIM, "",
                     "%s only:", stage->document->scene.name);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Joints", "%u",
                 (unsigned)stage->document->scene.num_joints);
    if (stage->document->scene.model != NULL) {
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Vertices", "%u",
                     (unsigned)view_count_vertices(&stage->document->scene));
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Triangles", "%u",
                     (unsigned)view_count_triangles(&stage->document->scene));
        describe_paths(stage, paths, sizeof paths);
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Skinned by", "%s%s", paths,
                     stage->document->scene.dual ? DOT "dual quaternions" : "");
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Light", "%s%s",
                     stage->shown->classic ? "classic" : "studio",
                     stage->shown->shadows ? "" : DOT "no shadows");
    }
}

// One row for each kind.
static void add_kinds_of_faults(const view_faults *faults, const char *label, view_rows *rows)
{
    char text[192];
    view_describe_faults(faults, text, sizeof text);
    const view_color color = view_count_faults(faults) > 0 ? VIEW_AMBER : VIEW_PLAIN;
    for (const char *kind = text; *kind != '\0'; label = " ") {
        const size_t length = strcspn(kind, ",");
        view_add_row(rows, VIEW_ROW_PAIR, color, label, "%.*s", (int)length, kind);
        kind += length + strspn(kind + length, ", ");
    }
}

// Of normals and tangents: with these, also in the pose that is drawn; and in the statistics.
static void add_faults(const view_stage *stage, view_rows *rows)
{
    const view_shown *const shown = stage->shown;
    const view_document *const document = stage->document;
    const bool has_glyphs = shown->normals || shown->tangents;
    if (document->scene.model == NULL || !(has_glyphs || shown->statistics))
        return;
    add_kinds_of_faults(&document->faults, "Faults", rows);
    if (has_glyphs && !view_shows_crowd(document))
        add_kinds_of_faults(&document->pose_faults, "In pose", rows);
}

// What the window leaves out to keep real time.
static void add_quality(const view_stage *stage, view_rows *rows)
{
    char text[64];
    view_describe_economy(&stage->economy, text, sizeof text);
    if (text[0] != '\0')
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_AMBER, "Quality", "%s", text);
}

static void add_frame_time(const view_stage *stage, view_rows *rows)
{
    if (!stage->shown->frame_time)
        return;
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Frame time", "%.2f ms",
                 1000.0 * stage->frame_seconds);
    if (stage->shown->statistics && rows->num_times > 0)
        view_add_row(rows, VIEW_ROW_GRAPH, VIEW_PLAIN, "", "%s", "");
}

// The likeliest images and why none was taken, if there is no texture.
static void add_tried_rows(const view_look *look, view_rows *rows)
{
    enum { LISTED = 4 };
    for (size_t i = 0; i < look->tried.count && i < LISTED; i++)
        view_add_row(rows, VIEW_ROW_TEXT, VIEW_DIM, "", "not %s", look->tried.names[i]);
    if (look->tried.count > LISTED)
        view_add_row(rows, VIEW_ROW_TEXT, VIEW_DIM, "", "and %u more: --verbose debug",
                     (unsigned)(look->tried.count - LISTED));
}

// Where a texture comes from, if that is not certain.
static const char *texture_origin(const char *path, const view_look *look)
{
    if (path == NULL)
        return "";
    return look->is_chosen ? DOT "chosen" : look->is_guess ? DOT "guessed" : "";
}

// The texture, or a note that it is missing, and its maps.
static void add_map_rows(const view_stage *stage, view_rows *rows, uint32_t mesh)
{
    static const char *const labels[VIEW_NUM_MAPS] = {"Texture", "Normals", "Heights", "Specular",
                                                      "Glow"};
    const view_textures *const textures = &stage->document->textures;
    const view_look *const look = view_mesh_look(textures, mesh);
    for (view_map map = VIEW_MAP_DIFFUSE; map < VIEW_NUM_MAPS; map++) {
        const char *const path = view_mesh_map_path(textures, mesh, map);
        const bool is_texture = map == VIEW_MAP_DIFFUSE;
        const char *const name = path != NULL ? common_base(path) : "none";
        if (is_texture) {
            view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, labels[map], "%s%s", name,
                         texture_origin(path, look));
            view_make_hit(rows, HIT_TEXTURES + (int32_t)mesh,
                          path == NULL || look->is_guess ? "choose" : "");
        } else if (path != NULL) {
            view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, labels[map], "%s", name);
        }
        if (path == NULL && is_texture)
            add_tried_rows(look, rows);
    }
}

// How many stages its material has, and what is not shown of them.
static void add_stage_rows(const view_stage *stage, view_rows *rows, uint32_t mesh)
{
    const view_layers *const layers = &stage->document->textures.layers;
    const view_layered *const layered = view_find_layered(layers, mesh);
    if (layered != NULL)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Stages", "%u",
                     (unsigned)layered->material->num_stages);
    for (size_t i = 0; i < layers->num_notes; i++)
        if (layers->notes[i].mesh == mesh)
            view_add_row(rows, VIEW_ROW_TEXT, VIEW_AMBER, "", "%s", layers->notes[i].text);
}

// Only names if there are many meshes: the list serves to hide them.
static void add_mesh_rows(const view_stage *stage, view_rows *rows)
{
    const md5_model *const model = stage->document->scene.model;
    const bool in_full = model->num_meshes <= MESHES_IN_FULL;
    if (!in_full)
        view_add_gap(rows);
    for (uint32_t i = 0; i < model->num_meshes && i < MESHES_LISTED; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        if (in_full)
            view_add_gap(rows);
        view_add_row(rows, VIEW_ROW_SWITCH, VIEW_PLAIN, "", "Mesh %u  %s", (unsigned)i, mesh->name);
        view_make_hit(rows, HIT_MESHES + (int32_t)i, "");
        rows->rows[rows->count - 1].on = (stage->hidden_meshes >> i & 1) == 0;
        if (!in_full)
            continue;
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Vertices", "%u" DOT "%u triangles",
                     (unsigned)mesh->num_vertices, (unsigned)mesh->num_triangles);
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Weights", "%u" DOT "at most %u per vertex",
                     (unsigned)mesh->num_weights, (unsigned)mesh->max_weights);
        const char *reason;
        const md5gl_path path = md5gl_mesh_path(stage->document->drawn, i, &reason);
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Path", "%s" DOT "%s", md5gl_path_name(path),
                     reason);
        add_map_rows(stage, rows, i);
        add_stage_rows(stage, rows, i);
    }
    if (model->num_meshes > MESHES_LISTED)
        view_add_row(rows, VIEW_ROW_TEXT, VIEW_DIM, "", "and %u more",
                     (unsigned)(model->num_meshes - MESHES_LISTED));
}

// Sums over all loaded clips, or a machine's own clips.
static void add_clips_size(const view_scene *scene, view_rows *rows)
{
    const md5_character *const character = scene->machine.character;
    const size_t count = scene->num_clips + (character != NULL ? character->num_clips : 0);
    size_t size = character != NULL ? character->anims_size : 0;
    for (size_t i = 0; i < scene->num_clips; i++)
        size += scene->clips[i].anim->size;
    if (count > 0)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Clips", "%zu" DOT "%.1f KiB", count,
                     (double)size / 1024.0);
    else
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Clips", "none");
}

static void add_statistics(const view_stage *stage, view_rows *rows)
{
    const view_scene *const scene = &stage->document->scene;
    const md5_vec3 size =
        view_is_empty(stage->document->bounds)
            ? (md5_vec3){0, 0, 0}
            : md5_vec3_sub(stage->document->bounds.max, stage->document->bounds.min);
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Size", "%.4g \xC3\x97 %.4g \xC3\x97 %.4g",
                 (double)size.x, (double)size.y, (double)size.z);
    if (scene->model != NULL)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Model", "%.1f KiB",
                     (double)(scene->model->size + scene->model->geometry_size) / 1024.0);
    add_clips_size(scene, rows);
    if (scene->num_unopened > 0)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Unopened", "%zu animations",
                     scene->num_unopened);
    view_add_wrapped(rows, VIEW_DIM, md5gl_device_name(stage->renderer), 3);
    if (scene->model != NULL)
        add_mesh_rows(stage, rows);
}

static void add_warnings(const view_stage *stage, view_rows *rows)
{
    const view_log *const log = stage->log;
    if (log->num_warnings == 0)
        return;
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_TEXT, VIEW_AMBER, "", "%u warning%s", (unsigned)log->num_warnings,
                 log->num_warnings == 1 ? "" : "s");
    const uint32_t listed = log->num_warnings < VIEW_LOG_LAST ? log->num_warnings : VIEW_LOG_LAST;
    const uint32_t others = log->num_warnings - listed;
    for (uint32_t i = others; i < log->num_warnings; i++)
        view_add_wrapped(rows, VIEW_PLAIN, log->last[i % VIEW_LOG_LAST], 3);
    if (others > 0)
        view_add_row(rows, VIEW_ROW_TEXT, VIEW_DIM, "", "and %u more before %s", (unsigned)others,
                     others == 1 ? "it" : "them");
}

// The times of the last frames, the oldest first.
static uint32_t order_times(const view_stage *stage, float times[VIEW_NUM_FRAME_TIMES])
{
    const uint32_t all = stage->num_frame_times;
    const uint32_t count = all < VIEW_NUM_FRAME_TIMES ? all : VIEW_NUM_FRAME_TIMES;
    for (uint32_t i = 0; i < count; i++)
        times[i] = stage->frame_times[(all - count + i) % VIEW_NUM_FRAME_TIMES];
    return count;
}

void view_list_figures(const view_stage *stage, view_rows *rows)
{
    const float scale = stage->font->scale;
    const bool brief = is_brief(stage);
    rows->font = stage->font;
    rows->width = (brief ? COMPACT_WIDTH : WIDTH) * scale;
    rows->label_width = (float)LABEL_WIDTH * scale;
    rows->count = 0;
    view_add_row(rows, VIEW_ROW_TITLE, VIEW_BRIGHT, "", "%s", stage->document->scene.name);
    view_make_hit(rows, HIT_FILES, "F");
    add_clip_rows(stage, rows);
    add_turn(stage, rows);
    if (!brief) {
        add_camera_path_rows(stage, rows);
        add_crowd_rows(stage, rows);
        add_model_rows(stage, rows);
    }
    add_faults(stage, rows);
    add_frame_time(stage, rows);
    add_quality(stage, rows);
    if (stage->shown->statistics)
        add_statistics(stage, rows);
    list_compare(stage, rows);
    list_pick(stage, rows);
    add_warnings(stage, rows);
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_TEXT, VIEW_DIM, "", "H: keys" DOT "M: statistics");
    view_wrap_rows(rows);
}

// The factor by which figures are scaled down if the picture is too low.
static float figures_factor(const view_stage *stage, const view_rows *rows)
{
    const float scale = stage->font->scale;
    const float room = stage->height - (3.0f * VIEW_MARGIN + VIEW_BAR_HEIGHT) * scale;
    return fminf(fmaxf(room / view_rows_height(rows), 0.5f), 1.0f);
}

view_rect view_figures_box(const view_stage *stage)
{
    view_rows rows;
    view_list_figures(stage, &rows);
    const float scale = stage->font->scale, margin = VIEW_MARGIN * scale;
    const float factor = figures_factor(stage, &rows);
    return (view_rect){margin, margin, factor * (rows.width + 2.0f * VIEW_PADDING * scale),
                       factor * view_rows_height(&rows)};
}

void view_figures_panel(view_ui *ui, const view_stage *stage)
{
    const float margin = VIEW_MARGIN * stage->font->scale;
    float times[VIEW_NUM_FRAME_TIMES];
    view_rows rows = {.times = times, .num_times = order_times(stage, times)};
    view_list_figures(stage, &rows);
    ui_begin(ui, "figures");
    ui_fit(ui, margin, margin, figures_factor(stage, &rows));
    const int32_t hit = ui_rows(ui, &rows, margin, margin);
    ui_end(ui);
    if (hit >= HIT_MESHES)
        ui_ask(ui, (view_command){.action = VIEW_HIDE_MESH, .number = (size_t)hit - HIT_MESHES});
    else if (hit >= HIT_TEXTURES)
        ui_ask(ui,
               (view_command){.action = VIEW_LIST_TEXTURES, .number = (size_t)hit - HIT_TEXTURES});
    else if (hit > 0)
        ui_ask_action(ui, hit == HIT_FILES ? VIEW_FILES : VIEW_CLIPS);
}
