// Statistics in the inspector: the document, the clip, the comparison, the clicked point, the
// distance between two items, and the frame time.
#include "demo/viewer/ui/info.h"

#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

// == Numbers ===============================================================================
//
// The numbers change during playback. Digits are equally wide and signs have fixed positions, so
// that the texts do not move. The following constants are the numbers of decimal places.

// Width of the names, in layout units.
static const float label_width = 118;

enum { UNIT_PLACES = 3, DEGREE_PLACES = 2, WEIGHT_PLACES = 4, UV_PLACES = 4 };

// A formatted number.
typedef struct written {
    char text[32];
} written;

// Formats a number. `has_place` reserves the space of a sign.
static written format_signed(double value, int places, bool has_place)
{
    written result;
    view_format_number(result.text, sizeof result.text, value, places, has_place);
    return result;
}

static written format_value(double value, int places)
{
    return format_signed(value, places, false);
}

static void add_three(view_ui *ui, const char *label, md5_vec3 v, int places)
{
    ui_figure(ui, VIEW_PLAIN, label, "%s  %s  %s", format_signed(v.x, places, true).text,
              format_signed(v.y, places, true).text, format_signed(v.z, places, true).text);
}

// == Selected points and joints ============================================================

md5_mat34 view_model_from_world(const view_scene *scene)
{
    const md5_mat34 back = md5_mat34_from_xform(md5_xform_inverse(view_placement(scene)));
    return scene->turn.is_set ? md5_mat34_mul(md5_mat34_inverse(scene->turn.matrix), back) : back;
}

md5_vec3 view_pick_difference(const view_scene *scene, const view_pick *from, const view_pick *to)
{
    const md5_vec3 difference =
        md5_vec3_sub(view_pick_point(scene, to), view_pick_point(scene, from));
    return md5_mat34_direction(view_model_from_world(scene), difference);
}

md5_mat34 view_joint_matrix(const view_scene *scene, uint32_t joint, bool in_parent)
{
    const uint32_t parent = scene->skeleton->joints[joint].parent;
    const bool is_relative = in_parent && parent != MD5_NONE;
    const md5_mat34 from_world =
        is_relative ? md5_mat34_inverse(scene->joints[parent]) : view_model_from_world(scene);
    return md5_mat34_mul(from_world, scene->joints[joint]);
}

// Displays the triangle, vertex, position, texture coordinates and weights of the clicked point.
static void list_pick(view_ui *ui)
{
    enum { LISTED = 6 };
    const view_pick *const pick = ui->stage->pick;
    if (!pick->is_set || ui->scene->model == NULL)
        return;
    const md5_joint *const joints = ui->scene->skeleton->joints;
    const md5_mesh *const mesh = &ui->scene->model->meshes[pick->mesh];
    const uint32_t *const corners = mesh->indices + 3 * (size_t)pick->triangle;
    const md5_vec2 uv = mesh->texcoords[pick->vertex];
    if (!ui_section(ui, UI_SECTION_SPOT, "Selected point", ""))
        return;
    ui_figure(ui, VIEW_ACCENT, "Mesh", "%u" VIEW_DOT "%s", pick->mesh,
              mesh->name[0] != '\0' ? mesh->name : mesh->shader);
    ui_figure(ui, VIEW_BRIGHT, "Triangle", "%u" VIEW_DOT "%u %u %u", pick->triangle, corners[0],
              corners[1], corners[2]);
    ui_figure(ui, VIEW_BRIGHT, "Vertex", "%u", mesh->sources[pick->vertex]);
    add_three(ui, "Position",
              md5_mat34_point(view_model_from_world(ui->scene),
                              ui->scene->skinned[pick->mesh].positions[pick->vertex]),
              UNIT_PLACES);
    ui_figure(ui, VIEW_PLAIN, "UV", "%s  %s", format_value(uv.x, UV_PLACES).text,
              format_value(uv.y, UV_PLACES).text);
    const uint32_t first = mesh->first_influence[pick->vertex];
    const uint32_t count = mesh->first_influence[pick->vertex + 1] - first;
    for (uint32_t i = 0; i < count && i < LISTED; i++)
        ui_figure(ui, VIEW_PLAIN, i == 0 ? "Weights" : " ", "%s  %s",
                  format_value(mesh->influences[first + i].w, WEIGHT_PLACES).text,
                  joints[mesh->influence_joints[first + i]].name);
    if (count > LISTED)
        ui_figure(ui, VIEW_DIM, " ", "and %u more", count - LISTED);
}

void view_two_panel(view_ui *ui)
{
    const view_stage *const stage = ui->stage;
    const int32_t from = stage->measured_from;
    const int32_t to = stage->joint;
    const bool are_joints = from >= 0 && to >= 0 && to != from;
    const bool are_spots =
        ui->scene->model != NULL && stage->pick->is_set && stage->measured->is_set;
    char text[256];
    md5_mat34 ends[2] = {{{0}}};
    if ((!are_joints && !are_spots) || view_shows_crowd(stage->document))
        return;
    for (int i = 0; i < 2 && are_joints; i++)
        ends[i] = view_joint_matrix(ui->scene, (uint32_t)(i == 0 ? from : to), false);
    const md5_vec3 difference =
        are_joints ? md5_vec3_sub(md5_mat34_translation(ends[1]), md5_mat34_translation(ends[0]))
                   : view_pick_difference(ui->scene, stage->pick, stage->measured);
    const float angle = are_joints ? view_angle_between(ends[0], ends[1]) : 0;
    ui_begin(ui, "two");
    ui->label_width = label_width * ui->scale;
    if (!ui_section(ui, UI_SECTION_TWO, are_joints ? "Two joints selected" : "Two points selected",
                    ""))
        return;
    if (are_joints)
        ui_figure(ui, VIEW_BRIGHT, "Joints", "%s \xE2\x86\x92 %s",
                  ui->scene->skeleton->joints[from].name, ui->scene->skeleton->joints[to].name);
    const bool is_copied =
        ui_row(ui, &(ui_row_style){.name = "Distance", .color = VIEW_ACCENT, .hint = "Copy"},
               format_value(md5_vec3_length(difference), UNIT_PLACES).text);
    add_three(ui, "Difference", difference, UNIT_PLACES);
    if (are_joints)
        ui_figure(ui, VIEW_PLAIN, "Angle", "%s\xC2\xB0", format_value(angle, DEGREE_PLACES).text);
    if (!is_copied)
        return;
    COMMON_TEXT(text, "distance\t%.9g\ndifference\t%.9g\t%.9g\t%.9g\ndegrees\t%.9g\n",
                md5_vec3_length(difference), difference.x, difference.y, difference.z, angle);
    if (!are_joints)
        *strstr(text, "degrees") = '\0';
    ui_copy(ui, stage->now, text, "measurement");
}

// == The document ==========================================================================

// Displays the names of all clips of a machine. The active clips are highlighted.
static void list_words(view_ui *ui, const view_machine *machine)
{
    const float inset = VIEW_INSET * ui->scale;
    const float gap = 9 * ui->scale;
    bool *const active = view_active_clips(machine);
    float used = INFINITY;
    view_rect row = {0};
    for (uint32_t i = 0; i < machine->desc->num_clips; i++) {
        const char *const name = machine->desc->clips[i].name;
        const float width = ui_text_width(ui, name);
        if (used + width > row.width) {
            ui_reserve_row(ui, ui->line, &row);
            row = view_inset(row, inset);
            used = 0;
        }
        ui_text(ui, row.x + used, row.y - inset, fmaxf(row.width - used, 1),
                active[i] ? VIEW_ACCENT : VIEW_DIM, name);
        used += width + gap;
    }
    free(active);
}

// Displays the current clip and its time, frame, speed and range.
static void list_clip(view_ui *ui, const view_stage *stage)
{
    const view_scene *const scene = ui->scene;
    const view_play *const play = stage->play;
    const md5_anim *const anim = view_timing_anim(scene);
    const bool is_crowd = view_shows_crowd(stage->document);
    char text[256];
    view_describe_motion(scene, text, sizeof text);
    if (view_shown_clip(scene) != NULL && is_crowd) // each character plays a different clip
        COMMON_TEXT(text, "%zu clip%s", scene->num_clips, scene->num_clips == 1 ? "" : "s");
    const bool is_link = scene->num_clips > 0 && view_mode_of(stage->document) == VIEW_MODE_CLIPS;
    if (text[0] != '\0'
        && ui_row(ui, &(ui_row_style){.color = VIEW_ACCENT, .hint = is_link ? "Ctrl+L" : NULL},
                  text))
        ui->command.action = VIEW_CLIPS;
    if (view_shows_machine(stage))
        list_words(ui, &scene->machine);
    if (anim == NULL || !ui_section(ui, UI_SECTION_TIME, "Time", ""))
        return;
    ui_figure(ui, VIEW_BRIGHT, "Time", "%.3f of %.3f s", view_cycle_time(play, anim),
              view_cycle_length(play, anim));
    ui_figure(ui, VIEW_BRIGHT, "Frame", "%.1f" VIEW_DOT "%u frames" VIEW_DOT "%g fps",
              view_frame_position(play, anim), anim->num_frames, anim->frame_rate);
    ui_figure(ui, VIEW_BRIGHT, "Speed", "%s%g\xC3\x97" VIEW_DOT "%s",
              play->backward ? "\xE2\x88\x92" : "", play->speed, view_wrap_name(play->wrap));
    double begin;
    double end;
    if (view_find_range(play, anim, &begin, &end))
        ui_figure(ui, VIEW_AMBER, "Range", "frames %.0f to %.0f", begin * anim->frame_rate,
                  end * anim->frame_rate);
    if (scene->root != MD5_ROOT_FILE)
        ui_figure(ui, VIEW_BRIGHT, "Root", "%s",
                  scene->root == MD5_ROOT_ID ? "as in Doom 3" : "in place");
}

static void list_model(view_ui *ui, const view_stage *stage)
{
    const view_scene *const scene = ui->scene;
    char paths[128] = "";
    if (scene->skeleton == NULL || !ui_section(ui, UI_SECTION_MODEL, "Model", ""))
        return;
    if (stage->document->crowd.num_kinds > 1) // of several models, only the first has statistics
        ui_figure(ui, VIEW_DIM, NULL, "%s only:", scene->name);
    ui_figure(ui, VIEW_BRIGHT, "Joints", "%u", scene->num_joints);
    if (scene->model == NULL)
        return;
    ui_figure(ui, VIEW_BRIGHT, "Vertices", "%u", view_count_vertices(scene->model));
    ui_figure(ui, VIEW_BRIGHT, "Triangles", "%u", view_count_triangles(scene->model));

    // The skinning paths of the meshes: "4, 8".
    uint32_t counts[MD5GL_PATH_COMPUTE + 1] = {0};
    for (uint32_t i = 0; i < scene->model->num_meshes; i++)
        counts[md5gl_mesh_path(stage->document->drawn, i, NULL)]++;
    for (md5gl_path path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++)
        if (counts[path] > 0)
            common_append(paths, sizeof paths, ", ", "%s", md5gl_path_name(path));
    ui_figure(ui, VIEW_BRIGHT, "Max. influences", "%s%s", paths,
              scene->dual ? VIEW_DOT "dual quaternions" : "");
    const char *const lighting = stage->shown->classic ? "classic" : "studio";
    ui_figure(ui, VIEW_BRIGHT, "Light", "%s%s", lighting,
              stage->shown->shadows ? "" : VIEW_DOT "no shadows");
}

// Displays the defects of normals and tangents, one row per kind.
static void list_faults(view_ui *ui, const view_mesh_defects *faults, const char *label)
{
    char text[192];
    view_describe_defects(faults, text, sizeof text);
    const view_color color = view_count_defects(faults) > 0 ? VIEW_AMBER : VIEW_PLAIN;
    for (const char *kind = text; *kind != '\0'; label = " ") {
        const size_t length = strcspn(kind, ",");
        ui_figure(ui, color, label, "%.*s", (int)length, kind);
        kind += length + strspn(kind + length, ", ");
    }
}

// Displays the number of stages of a material, and notes about stages that are not displayed.
static void list_material(view_ui *ui, uint32_t mesh)
{
    const view_layers *const layers = &ui->stage->document->textures.layers;
    const view_layered *const layered = view_find_layered(layers, mesh);
    if (layered != NULL)
        ui_figure(ui, VIEW_PLAIN, "Stages", "%u", layered->material->num_stages);
    for (size_t i = 0; i < layers->num_notes; i++)
        if (layers->notes[i].mesh == mesh)
            ui_figure(ui, VIEW_AMBER, NULL, "%s", layers->notes[i].text);
}

// Displays the selected material and its meshes.
static void list_selected_material(view_ui *ui)
{
    const md5_model *const model = ui->scene->model;
    const uint32_t first = (uint32_t)ui->stage->material;
    const bool is_selected = ui->stage->material >= 0 && model != NULL && first < model->num_meshes;
    if (!is_selected || view_shows_crowd(ui->stage->document))
        return;
    if (!ui_section(ui, UI_SECTION_MATERIAL, "Material", ""))
        return;
    ui_figure(ui, VIEW_ACCENT, NULL, "%s", model->meshes[first].shader);
    for (uint32_t i = first; i < model->num_meshes && i < VIEW_MAX_MATERIALS; i++) {
        char text[192];
        COMMON_TEXT(text, "Mesh %u  %s", i, model->meshes[i].name);
        if (strcmp(model->meshes[i].shader, model->meshes[first].shader) == 0
            && ui_row(ui, &(ui_row_style){.color = VIEW_ACCENT, .hint = ""}, text))
            UI_COMMAND(ui, VIEW_TEXTURES, .item = i + 1);
    }
    list_material(ui, first);
}

static void list_statistics(view_ui *ui)
{
    const view_scene *const scene = ui->scene;
    const md5_bounds bounds = ui->stage->document->bounds;
    const md5_vec3 size =
        view_is_empty(bounds) ? (md5_vec3){0, 0, 0} : md5_vec3_sub(bounds.max, bounds.min);
    if (!ui_section(ui, UI_SECTION_STATISTICS, "Statistics", ""))
        return;
    ui_figure(ui, VIEW_PLAIN, "Size", "%s \xC3\x97 %s \xC3\x97 %s",
              format_value(size.x, UNIT_PLACES).text, format_value(size.y, UNIT_PLACES).text,
              format_value(size.z, UNIT_PLACES).text);
    if (scene->model != NULL)
        ui_figure(ui, VIEW_PLAIN, "Model", "%.1f KiB",
                  (double)(scene->model->size + scene->model->geometry_size) / 1024.0);
    // All loaded clips, and the clips of a machine.
    const md5_character *const character = scene->machine.character;
    const size_t num_clips = scene->num_clips + (character != NULL ? character->num_clips : 0);
    size_t clips_size = character != NULL ? character->anims_size : 0;
    for (size_t i = 0; i < scene->num_clips; i++)
        clips_size += scene->clips[i].anim->size;
    if (num_clips > 0)
        ui_figure(ui, VIEW_PLAIN, "Clips", "%zu" VIEW_DOT "%.1f KiB", num_clips,
                  (double)clips_size / 1024.0);
    else
        ui_figure(ui, VIEW_PLAIN, "Clips", "none");
    if (scene->num_unopened > 0)
        ui_figure(ui, VIEW_PLAIN, "Not loaded", "%zu animations", scene->num_unopened);
    ui_figure(ui, VIEW_DIM, NULL, "%s", md5gl_device_name(ui->stage->renderer));
}

// Writes the times of the last frames, the oldest first. Returns their number, at most `capacity`.
static uint32_t last_times(const view_stage *stage, uint32_t capacity, double *times)
{
    const uint32_t all = stage->num_frame_times;
    const uint32_t count = all < capacity ? all : capacity;
    for (uint32_t i = 0; i < count; i++)
        times[i] = stage->frame_times[(all - count + i) % VIEW_NUM_FRAME_TIMES];
    return count;
}

// Displays the median time of the last frames, which is not affected by single slow frames.
// Displays no time for the first frames, and while no frames are drawn.
static void list_frame_time(view_ui *ui)
{
    enum { MIN_FRAMES = 10, MAX_FRAMES = 60 };
    const double slow = 0.05;
    double times[MAX_FRAMES];
    const uint32_t count = last_times(ui->stage, MAX_FRAMES, times);
    qsort(times, count, sizeof *times, common_compare_doubles);
    const double median = count > 0 ? times[count / 2] : 0;
    char text[32] = "\xE2\x80\x93";
    if (ui->stage->is_moving && count >= MIN_FRAMES && median > 0) {
        COMMON_TEXT(text, "%.2f ms", fmax(1e3 * median, 0.01));
        if (median > slow)
            common_append(text, sizeof text, "", "  \xE2\x9A\xA0");
    }
    ui_figure(ui, VIEW_BRIGHT, "Frame time", "%s", text);
}

// Returns the color of the bar of a frame time: good, acceptable or slow.
static view_color time_color(float time, const float goals[2])
{
    if (time <= goals[0])
        return 0x6BBF59FFu;
    return time <= goals[1] ? VIEW_AMBER : 0xE5534BFFu;
}

// Draws the times of the last frames as bars, the newest at the right, and lines at 60 and 30
// frames per second, if they are within the graph.
static void draw_times(view_ui *ui)
{
    const float goals[2] = {1.0f / 60.0f, 1.0f / 30.0f};
    const float scale = ui->scale;
    double times[VIEW_NUM_FRAME_TIMES];
    float top = 1.25f * goals[0];
    const uint32_t count = last_times(ui->stage, VIEW_NUM_FRAME_TIMES, times);
    view_rect row;
    ui_reserve_row(ui, 2.5f * ui->line, &row);
    const view_rect box = {row.x + VIEW_INSET * scale, row.y + 3 * scale,
                           row.width - 2 * VIEW_INSET * scale, row.height - 6 * scale};
    for (uint32_t i = 0; i < count; i++)
        top = fmaxf(top, 1.1f * (float)times[i]);
    view_draw_rect(ui->canvas, box, VIEW_CONTROL);
    const float step = box.width / 120.0f;
    const float bottom = box.y + box.height;
    const float begin = box.x + box.width - step * (float)count;
    for (uint32_t i = 0; i < count; i++) {
        const float time = (float)times[i];
        const float height = box.height * time / top;
        view_draw_rect(ui->canvas,
                       (view_rect){begin + step * (float)i, bottom - height, step, height},
                       time_color(time, goals));
    }
    for (int i = 0; i < 2; i++)
        if (goals[i] < top)
            view_draw_rect(
                ui->canvas,
                (view_rect){box.x, bottom - box.height * goals[i] / top, box.width, scale},
                0xF1F3F680u);
}

// Displays the camera path of the document.
static void list_camera_path(view_ui *ui, const view_stage *stage)
{
    const view_camera_path *const path = &ui->scene->camera_path;
    if (path->camera == NULL)
        return;
    const view_camera_path_place place = view_find_path_position(path, stage->play);
    ui_gap(ui);
    ui_figure(ui, VIEW_BRIGHT, "Camera", "%s",
              stage->following ? path->name : "free" VIEW_DOT "V: follow path");
    ui_figure(ui, VIEW_BRIGHT, "Shot", "%u of %u" VIEW_DOT "frame %.1f", place.shot + 1,
              path->camera->num_cuts + 1, place.frame);
    ui_figure(ui, VIEW_BRIGHT, "Field of view", "%s\xC2\xB0",
              format_value(view_camera_path_at(path, stage->play).fov, DEGREE_PLACES).text);
}

// Displays the statistics of a crowd.
static void list_crowd(view_ui *ui, const view_stage *stage)
{
    const view_crowd *const crowd = &stage->document->crowd;
    if (crowd->count == 0)
        return;
    const uint32_t num_seen = view_count_visible(crowd);
    const uint32_t num_kinds = crowd->num_kinds;
    ui_gap(ui);
    ui_figure(ui, VIEW_BRIGHT, "Crowd", "%u" VIEW_DOT "%u model%s", crowd->count, num_kinds,
              num_kinds == 1 ? "" : "s");
    ui_figure(ui, VIEW_BRIGHT, "Drawn", "%u" VIEW_DOT "%u culled", num_seen,
              crowd->count - num_seen);
    if (crowd->baked_pixels > 0)
        ui_figure(ui, VIEW_BRIGHT, "Baked", "%u" VIEW_DOT "%.1f MB", crowd->num_baked,
                  1e-6 * (double)md5gl_get_stats(stage->renderer).baked_bytes);
    if (crowd->impostor_pixels > 0)
        ui_figure(ui, VIEW_BRIGHT, "Impostors", "%u" VIEW_DOT "%u fading", crowd->num_far,
                  crowd->num_faded);
    ui_figure(ui, VIEW_BRIGHT, "Update", "%u" VIEW_DOT "%.1f ms, %u threads", crowd->num_posed,
              1e3 * crowd->seconds, crowd->threads->num_workers);
}

// Displays the compared model, and the number of joints that only one of the models has.
static void list_comparison(view_ui *ui, const view_compare *compare)
{
    if (compare->model != NULL
        && ui_row(ui, &(ui_row_style){.name = "Compared", .color = VIEW_ACCENT, .hint = "list"},
                  compare->name))
        ui->command.action = view_get_toggle(VIEW_OPTION(shown.differences));
    if (compare->num_same < compare->num_joints)
        ui_figure(ui, VIEW_AMBER, " ", "%u joints have no counterpart",
                  compare->num_joints - compare->num_same);
}

// All statistics of the document. Most of them are displayed only if --statistics is set.
void view_figures_panel(view_ui *ui)
{
    const view_stage *const stage = ui->stage;
    const view_document *const document = stage->document;
    const view_shown *const shown = stage->shown;
    const bool is_crowd = view_shows_crowd(document);
    const bool has_glyphs = shown->normals || shown->tangents;
    char text[64];
    ui_begin(ui, "figures");
    ui->label_width = label_width * ui->scale;
    if (ui_row(ui, &(ui_row_style){.color = VIEW_BRIGHT, .hint = "Ctrl+O", .is_title = true},
               document->scene.name))
        ui->command.action = VIEW_FILES;
    list_selected_material(ui);
    list_clip(ui, stage);
    // The rotation of the model, if its axes differ from those of the viewer.
    view_describe_rotation(&document->scene.turn, text, sizeof text);
    if (document->scene.turn.is_set && !is_crowd)
        ui_figure(ui, VIEW_AMBER, "Axes", "%s", text);
    list_camera_path(ui, stage);
    list_crowd(ui, stage);
    list_model(ui, stage);
    // With normals or tangents, also the defects in the displayed pose.
    if (document->scene.model != NULL && (has_glyphs || shown->statistics))
        list_faults(ui, &document->faults, "Mesh defects");
    if (document->scene.model != NULL && has_glyphs && !is_crowd)
        list_faults(ui, &document->pose_faults, "In this pose");
    const bool has_times = shown->statistics && stage->num_frame_times > 0;
    if (shown->frame_time || has_times)
        list_frame_time(ui);
    if (has_times)
        draw_times(ui);
    view_describe_economy(&stage->economy, text, sizeof text);
    if (shown->statistics && text[0] != '\0')
        ui_figure(ui, VIEW_AMBER, "Quality", "%s", text);
    if (shown->statistics)
        list_statistics(ui);
    if (!is_crowd)
        list_comparison(ui, &document->compare);
    list_pick(ui);
    if (!shown->statistics)
        return;
    ui_gap(ui);
    ui_figure(ui, VIEW_DIM, NULL, "F1: shortcuts" VIEW_DOT "M: statistics");
}
