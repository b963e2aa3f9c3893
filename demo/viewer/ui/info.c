// The figures of the inspector: the document, what the pose is compared with, what was clicked
// on.
#include "demo/viewer/ui/ui.h"

void view_begin_inspector_rows(const view_stage *stage, view_rows *rows, float label_width)
{
    const float em = view_em(stage->font), scale = stage->font->scale;
    const view_rect dock = view_layout_of(stage).docks[VIEW_DOCK_RIGHT];
    const float width = dock.width > 0 ? dock.width : 25 * em;
    rows->font = stage->font;
    rows->width = width - 2 * VIEW_INSET * scale;
    rows->label_width = label_width * scale;
    rows->count = 0;
    rows->is_docked = true;
}

// == Numbers ===============================================================================
//
// They change while the pose does: digits are equally wide, and signs have places of their own. How
// many decimal places there are is said here.

enum { UNIT_PLACES = 3, DEGREE_PLACES = 2, WEIGHT_PLACES = 4, UV_PLACES = 4 };

typedef struct written {
    char text[32];
} written;

static written number_of(double value, int places)
{
    written result;
    view_format_number(result.text, sizeof result.text, value, places, false);
    return result;
}

static void add_three(view_rows *rows, const char *label, md5_vec3 v, int places)
{
    const float values[3] = {v.x, v.y, v.z};
    written numbers[3];
    COMMON_FOR (i, 3)
        view_format_number(numbers[i].text, sizeof numbers[i].text, values[i], places, true);
    view_add_row(rows, VIEW_PLAIN, label, "%s  %s  %s", numbers[0].text, numbers[1].text,
                 numbers[2].text);
}

// == What was clicked on ===================================================================

md5_mat34 view_model_from_world(const view_scene *scene)
{
    const md5_mat34 back = md5_mat34_from_xform(md5_xform_inverse(view_place_of(scene)));
    return scene->turn.is_set ? md5_mat34_mul(md5_mat34_inverse(scene->turn.matrix), back) : back;
}

md5_vec3 view_pick_difference(const view_scene *scene, const view_pick *from, const view_pick *to)
{
    const md5_vec3 way = md5_vec3_sub(view_pick_point(scene, to), view_pick_point(scene, from));
    return md5_mat34_direction(view_model_from_world(scene), way);
}

md5_mat34 view_joint_matrix(const view_scene *scene, uint32_t joint, bool in_parent)
{
    const uint32_t parent = scene->skeleton->joints[joint].parent;
    return md5_mat34_mul(in_parent && parent != MD5_NONE ? md5_mat34_inverse(scene->joints[parent])
                                                         : view_model_from_world(scene),
                         scene->joints[joint]);
}

static void list_pick(const view_stage *stage, view_rows *rows)
{
    enum { LISTED = 6 };
    const view_scene *const scene = &stage->document->scene;
    const view_pick *const pick = stage->pick;
    if (!pick->is_set || scene->model == NULL)
        return;
    const md5_joint *const joints = scene->skeleton->joints;
    const md5_mesh *const mesh = &scene->model->meshes[pick->mesh];
    const uint32_t *const corners = mesh->indices + 3 * (size_t)pick->triangle;
    const md5_vec2 uv = mesh->texcoords[pick->vertex];
    view_add_section(rows, UI_SECTION_SPOT, "Spot");
    view_add_row(rows, VIEW_ACCENT, "Mesh", "%u" VIEW_DOT "%s", pick->mesh,
                 mesh->name[0] != '\0' ? mesh->name : mesh->shader);
    view_add_row(rows, VIEW_BRIGHT, "Triangle", "%u" VIEW_DOT "%u %u %u", pick->triangle,
                 corners[0], corners[1], corners[2]);
    view_add_row(rows, VIEW_BRIGHT, "Vertex", "%u", mesh->sources[pick->vertex]);
    add_three(rows, "Position",
              md5_mat34_point(view_model_from_world(scene),
                              scene->skinned[pick->mesh].positions[pick->vertex]),
              UNIT_PLACES);
    view_add_row(rows, VIEW_PLAIN, "UV", "%s  %s", number_of(uv.x, UV_PLACES).text,
                 number_of(uv.y, UV_PLACES).text);
    const uint32_t first = mesh->first_influence[pick->vertex];
    const uint32_t count = mesh->first_influence[pick->vertex + 1] - first;
    for (uint32_t i = 0; i < count && i < LISTED; i++)
        view_add_row(rows, VIEW_PLAIN, i == 0 ? "Weights" : " ", "%s  %s",
                     number_of(mesh->influences[first + i].w, WEIGHT_PLACES).text,
                     joints[mesh->influence_joints[first + i]].name);
    if (count > LISTED)
        view_add_row(rows, VIEW_DIM, " ", "and %u more", count - LISTED);
}

void view_two_panel(view_ui *ui, const view_stage *stage)
{
    const view_scene *const scene = &stage->document->scene;
    const int32_t from = stage->measured_from, to = stage->joint;
    const bool are_joints = from >= 0 && to >= 0 && to != from;
    const bool are_spots = scene->model != NULL && stage->pick->is_set && stage->measured->is_set;
    char text[256];
    md5_mat34 ends[2] = {{{0}}};
    if ((!are_joints && !are_spots) || view_shows_crowd(stage->document))
        return;
    for (int i = 0; i < 2 && are_joints; i++)
        ends[i] = view_joint_matrix(scene, (uint32_t)(i == 0 ? from : to), false);
    const md5_vec3 way =
        are_joints ? md5_vec3_sub(md5_mat34_translation(ends[1]), md5_mat34_translation(ends[0]))
                   : view_pick_difference(scene, stage->pick, stage->measured);
    const float angle = are_joints ? view_angle_between(ends[0], ends[1]) : 0;
    view_rows rows = {0};
    view_begin_inspector_rows(stage, &rows, 84);
    view_add_section(&rows, UI_SECTION_TWO, "Two chosen");
    if (are_joints)
        view_add_row(&rows, VIEW_BRIGHT, "Joints", "%s \xE2\x86\x92 %s",
                     scene->skeleton->joints[from].name, scene->skeleton->joints[to].name);
    view_make_hit(view_add_row(&rows, VIEW_ACCENT, "Distance", "%s",
                               number_of(md5_vec3_length(way), UNIT_PLACES).text),
                  1, "copy");
    add_three(&rows, "Difference", way, UNIT_PLACES);
    if (are_joints)
        view_add_row(&rows, VIEW_PLAIN, "Angle", "%s\xC2\xB0",
                     number_of(angle, DEGREE_PLACES).text);
    if (ui_column_rows(ui, "two", &rows) != 1)
        return;
    COMMON_TEXT(text, "distance\t%.9g\ndifference\t%.9g\t%.9g\t%.9g\ndegrees\t%.9g\n",
                md5_vec3_length(way), way.x, way.y, way.z, angle);
    if (!are_joints)
        *strstr(text, "degrees") = '\0';
    ui_copy(ui, stage->now, text, "what is between two");
}

// == The document ==========================================================================

// Clickable rows: their numbers in view_rows; the last begins those of meshes.
enum { HIT_FILES = 1, HIT_CLIPS, HIT_COMPARE, HIT_MESHES };

// What plays, and where.
static void list_clip(const view_stage *stage, view_rows *rows)
{
    const view_scene *const scene = &stage->document->scene;
    const view_play *const play = stage->play;
    const md5_anim *const anim = view_clock(scene);
    const view_motion_kind *const mover = view_mover_of(scene);
    const bool is_crowd = view_shows_crowd(stage->document);
    char text[256];
    view_describe_motion(scene, text, sizeof text);
    if (view_shown_clip(scene) != NULL && is_crowd) // each character plays its own
        COMMON_TEXT(text, "%zu clip%s", scene->num_clips, scene->num_clips == 1 ? "" : "s");
    if (text[0] != '\0')
        view_add_row(rows, VIEW_ACCENT, NULL, "%s", text);
    if (scene->num_clips > 0 && view_mode_of(stage->document) == VIEW_MODE_CLIPS)
        view_make_hit(&rows->rows[rows->count - 1], HIT_CLIPS, "Ctrl+L");
    if (mover->list_clips != NULL && !is_crowd)
        mover->list_clips(scene, rows);
    if (anim == NULL)
        return;
    view_add_section(rows, UI_SECTION_TIME, "Time");
    view_add_row(rows, VIEW_BRIGHT, "Time", "%.3f of %.3f s", view_cycle_time(play, anim),
                 view_cycle_length(play, anim));
    view_add_row(rows, VIEW_BRIGHT, "Frame", "%.1f" VIEW_DOT "%u frames" VIEW_DOT "%g fps",
                 view_frame_place(play, anim), anim->num_frames, anim->frame_rate);
    view_add_row(rows, VIEW_BRIGHT, "Speed", "%s%g\xC3\x97" VIEW_DOT "%s",
                 play->backward ? "\xE2\x88\x92" : "", play->speed, view_wrap_name(play->wrap));
    double begin, end;
    if (view_find_range(play, anim, &begin, &end))
        view_add_row(rows, VIEW_AMBER, "Range", "frames %.0f to %.0f", begin * anim->frame_rate,
                     end * anim->frame_rate);
    if (scene->root != MD5_ROOT_FILE)
        view_add_row(rows, VIEW_BRIGHT, "Root", "%s",
                     scene->root == MD5_ROOT_ID ? "as id's engine" : "in place");
}

static void list_model(const view_stage *stage, view_rows *rows)
{
    const view_scene *const scene = &stage->document->scene;
    char paths[128] = "";
    if (scene->skeleton == NULL)
        return;
    view_add_section(rows, UI_SECTION_MODEL, "Model");
    if (stage->document->crowd.num_kinds > 1) // the others have figures of their own
        view_add_row(rows, VIEW_DIM, NULL, "%s only:", scene->name);
    view_add_row(rows, VIEW_BRIGHT, "Joints", "%u", scene->num_joints);
    if (scene->model == NULL)
        return;
    view_add_row(rows, VIEW_BRIGHT, "Vertices", "%u", view_count_vertices(scene->model));
    view_add_row(rows, VIEW_BRIGHT, "Triangles", "%u", view_count_triangles(scene->model));

    // "1 x 8, 1 x 4": the meshes of each vertex path.
    uint32_t counts[MD5GL_PATH_COMPUTE + 1] = {0};
    COMMON_FOR (i, scene->model->num_meshes)
        counts[md5gl_mesh_path(stage->document->drawn, i, NULL)]++;
    for (md5gl_path path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++)
        if (counts[path] > 0)
            common_append(paths, sizeof paths, ", ", "%u \xC3\x97 %s", counts[path],
                          md5gl_path_name(path));
    view_add_row(rows, VIEW_BRIGHT, "Skinned by", "%s%s", paths,
                 scene->dual ? VIEW_DOT "dual quaternions" : "");
    view_add_row(rows, VIEW_BRIGHT, "Light", "%s%s", stage->shown->classic ? "classic" : "studio",
                 stage->shown->shadows ? "" : VIEW_DOT "no shadows");
}

// Of normals and tangents. One row for each kind.
static void list_faults(const view_faults *faults, const char *label, view_rows *rows)
{
    char text[192];
    view_describe_faults(faults, text, sizeof text);
    const view_color color = view_count_faults(faults) > 0 ? VIEW_AMBER : VIEW_PLAIN;
    for (const char *kind = text; *kind != '\0'; label = " ") {
        const size_t length = strcspn(kind, ",");
        view_add_row(rows, color, label, "%.*s", (int)length, kind);
        kind += length + strspn(kind + length, ", ");
    }
}

// How many stages the material has, and what is not shown of them.
static void list_material(const view_stage *stage, uint32_t mesh, view_rows *rows)
{
    const view_layers *const layers = &stage->document->textures.layers;
    const view_layered *const layered = view_find_layered(layers, mesh);
    if (layered != NULL)
        view_add_row(rows, VIEW_PLAIN, "Stages", "%u", layered->material->num_stages);
    COMMON_FOR (i, layers->num_notes)
        if (layers->notes[i].mesh == mesh)
            view_add_row(rows, VIEW_AMBER, NULL, "%s", layers->notes[i].text);
}

// The selected material, and its meshes.
static void list_selected_material(const view_stage *stage, view_rows *rows)
{
    const md5_model *const model = stage->document->scene.model;
    const uint32_t first = (uint32_t)stage->material;
    if (stage->material < 0 || model == NULL || first >= model->num_meshes
        || view_shows_crowd(stage->document))
        return;
    view_add_section(rows, UI_SECTION_MATERIAL, "Material");
    view_add_row(rows, VIEW_ACCENT, NULL, "%s", model->meshes[first].shader);
    for (uint32_t i = first; i < model->num_meshes && i < VIEW_MAX_MATERIALS; i++)
        if (strcmp(model->meshes[i].shader, model->meshes[first].shader) == 0)
            view_make_hit(
                view_add_row(rows, VIEW_ACCENT, NULL, "Mesh %u  %s", i, model->meshes[i].name),
                HIT_MESHES + (int32_t)i, "");
    list_material(stage, first, rows);
}

static void list_statistics(const view_stage *stage, view_rows *rows)
{
    const view_scene *const scene = &stage->document->scene;
    const md5_bounds bounds = stage->document->bounds;
    const md5_vec3 size =
        view_is_empty(bounds) ? (md5_vec3){0, 0, 0} : md5_vec3_sub(bounds.max, bounds.min);
    view_add_section(rows, UI_SECTION_STATISTICS, "Statistics");
    view_add_row(rows, VIEW_PLAIN, "Size", "%s \xC3\x97 %s \xC3\x97 %s",
                 number_of(size.x, UNIT_PLACES).text, number_of(size.y, UNIT_PLACES).text,
                 number_of(size.z, UNIT_PLACES).text);
    if (scene->model != NULL)
        view_add_row(rows, VIEW_PLAIN, "Model", "%.1f KiB",
                     (double)(scene->model->size + scene->model->geometry_size) / 1024.0);
    // All loaded clips, or a machine's own ones.
    const md5_character *const character = scene->machine.character;
    const size_t num_clips = scene->num_clips + (character != NULL ? character->num_clips : 0);
    size_t clips_size = character != NULL ? character->anims_size : 0;
    COMMON_FOR (i, scene->num_clips)
        clips_size += scene->clips[i].anim->size;
    if (num_clips > 0)
        view_add_row(rows, VIEW_PLAIN, "Clips", "%zu" VIEW_DOT "%.1f KiB", num_clips,
                     (double)clips_size / 1024.0);
    else
        view_add_row(rows, VIEW_PLAIN, "Clips", "none");
    if (scene->num_unopened > 0)
        view_add_row(rows, VIEW_PLAIN, "Unopened", "%zu animations", scene->num_unopened);
    view_add_wrapped(rows, VIEW_DIM, md5gl_device_name(stage->renderer), 3);
}

static int by_size(const void *a, const void *b)
{
    const float first = *(const float *)a, second = *(const float *)b;
    return (first > second) - (first < second);
}

// The times of the last pictures, the oldest first; returns how many there are, `most` at most.
static uint32_t last_times(const view_stage *stage, uint32_t most, float *times)
{
    const uint32_t all = stage->num_frame_times, count = all < most ? all : most;
    COMMON_FOR (i, count)
        times[i] = stage->frame_times[(all - count + i) % VIEW_NUM_FRAME_TIMES];
    return count;
}

// The median of the last pictures, once there are some, while more are drawn: a slow one among them
// does not count. Before that, and while the picture stands, there is no time to tell.
static void list_frame_time(const view_stage *stage, view_rows *rows)
{
    enum { LEAST = 10, MOST = 60 };
    const float slow = 0.05f;
    float times[MOST];
    const uint32_t count = last_times(stage, MOST, times);
    qsort(times, count, sizeof *times, by_size);
    const float median = count > 0 ? times[count / 2] : 0;
    char text[32] = "\xE2\x80\x93";
    if (stage->is_moving && count >= LEAST && median > 0)
        COMMON_TEXT(text, "%.2f ms%s", fmax(1e3 * median, 0.01),
                    median > slow ? "  \xE2\x9A\xA0" : "");
    view_add_row(rows, VIEW_BRIGHT, "Frame time", "%s", text)->fixed = true;
}

// In a small window most figures are hidden, unless statistics are switched on.
void view_list_figures(const view_stage *stage, view_rows *rows)
{
    const view_document *const document = stage->document;
    const view_shown *const shown = stage->shown;
    const bool is_crowd = view_shows_crowd(document),
               has_glyphs = shown->normals || shown->tangents;
    char text[64];
    view_begin_inspector_rows(stage, rows, 84);
    view_row *const title = view_add_row(rows, VIEW_BRIGHT, NULL, "%s", document->scene.name);
    title->kind = VIEW_ROW_TITLE;
    view_make_hit(title, HIT_FILES, "Ctrl+O");
    list_selected_material(stage, rows);
    list_clip(stage, rows);
    // The file's axes, if they are not those of the viewer.
    view_describe_turn(&document->scene.turn, text, sizeof text);
    if (document->scene.turn.is_set && !is_crowd)
        view_add_row(rows, VIEW_AMBER, "Axes", "%s", text);
    const view_camera_path *const path = &stage->document->scene.camera_path;
    if (path->camera != NULL) {
        const view_camera_path_place place = view_find_place(path, stage->play);
        view_add_gap(rows);
        view_add_row(rows, VIEW_BRIGHT, "Camera", "%s",
                     stage->following ? path->name : "free" VIEW_DOT "V: path");
        view_add_row(rows, VIEW_BRIGHT, "Shot", "%u of %u" VIEW_DOT "frame %.1f", place.shot + 1,
                     path->camera->num_cuts + 1, place.frame);
        view_add_row(rows, VIEW_BRIGHT, "View", "%s\xC2\xB0 wide",
                     number_of(view_camera_path_at(path, stage->play).fov, DEGREE_PLACES).text);
    }
    const view_crowd *const crowd = &stage->document->crowd;
    if (crowd->count > 0) {
        const uint32_t num_seen = view_count_seen(crowd), num_kinds = crowd->num_kinds;
        view_add_gap(rows);
        view_add_row(rows, VIEW_BRIGHT, "Crowd", "%u" VIEW_DOT "%u model%s", crowd->count,
                     num_kinds, num_kinds == 1 ? "" : "s");
        view_add_row(rows, VIEW_BRIGHT, "Drawn", "%u" VIEW_DOT "%u culled", num_seen,
                     crowd->count - num_seen);
        if (crowd->baked_pixels > 0)
            view_add_row(rows, VIEW_BRIGHT, "Baked", "%u" VIEW_DOT "%.1f MB", crowd->num_baked,
                         1e-6 * (double)md5gl_get_stats(stage->renderer).baked_bytes);
        if (crowd->impostor_pixels > 0)
            view_add_row(rows, VIEW_BRIGHT, "Impostors", "%u" VIEW_DOT "%u fading", crowd->num_far,
                         crowd->num_faded);
        view_add_row(rows, VIEW_BRIGHT, "Update", "%u" VIEW_DOT "%.1f ms, %u threads",
                     crowd->num_posed, 1e3 * crowd->seconds, crowd->threads->num_workers);
    }
    list_model(stage, rows);
    // With normals and tangents, also in the pose that is drawn.
    if (document->scene.model != NULL && (has_glyphs || shown->statistics))
        list_faults(&document->faults, "Faults", rows);
    if (document->scene.model != NULL && has_glyphs && !is_crowd)
        list_faults(&document->pose_faults, "In pose", rows);
    if (shown->frame_time)
        list_frame_time(stage, rows);
    if (shown->frame_time && shown->statistics && stage->num_frame_times > 0)
        view_add_row(rows, VIEW_PLAIN, NULL, "%s", "")->kind = VIEW_ROW_GRAPH;
    view_describe_economy(&stage->economy, text, sizeof text);
    if (text[0] != '\0')
        view_add_row(rows, VIEW_AMBER, "Quality", "%s", text);
    if (shown->statistics)
        list_statistics(stage, rows);
    const view_compare *const compare = &document->compare;
    if (compare->model != NULL && !is_crowd)
        view_make_hit(view_add_row(rows, VIEW_ACCENT, "Compared", "%s", compare->name), HIT_COMPARE,
                      "list");
    if (compare->num_same < compare->num_joints && !is_crowd)
        view_add_row(rows, VIEW_AMBER, " ", "%u joints are not in it",
                     compare->num_joints - compare->num_same);
    list_pick(stage, rows);
    view_add_gap(rows);
    view_add_row(rows, VIEW_DIM, NULL, "F1: keys" VIEW_DOT "M: statistics");
}

void view_figures_panel(view_ui *ui, const view_stage *stage)
{
    float times[VIEW_NUM_FRAME_TIMES];
    view_rows rows = {.times = times, .num_times = last_times(stage, VIEW_NUM_FRAME_TIMES, times)};
    view_list_figures(stage, &rows);
    const size_t hit = (size_t)ui_column_rows(ui, "figures", &rows);
    if (hit >= HIT_MESHES)
        ui->command = (view_command){.action = VIEW_TEXTURES, .item = hit - HIT_MESHES + 1};
    else if (hit > 0)
        ui->command.action = hit == HIT_FILES   ? VIEW_FILES
                             : hit == HIT_CLIPS ? VIEW_CLIPS
                                                : view_toggle_of("differences");
}
