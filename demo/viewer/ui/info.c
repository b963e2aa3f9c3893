// Statistics in the inspector. They contain values of the document, the clip, the comparison and
// the clicked point, the distance between two objects, and the frame time.
#include "demo/viewer/ui/info.h"

#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

// Width of the column of names, in layout units.
static const float label_width = 118;

// Colors of the graph of frame times.
static const view_color good_time_color = 0x6BBF59FFu;
static const view_color slow_time_color = 0xE5534BFFu;
static const view_color goal_color = 0xF1F3F680u;

#define BYTES_PER_KIB 1024.0

// == Numbers ===============================================================================
//
// The numbers change during playback. Digits are equally wide and signs have fixed positions, so
// that the texts do not move.

// Numbers of decimal places of each unit.
enum { UNIT_DECIMALS = 3, DEGREE_DECIMALS = 2, WEIGHT_DECIMALS = 4, UV_DECIMALS = 4 };

// A formatted number, as the result of a function.
typedef struct written {
    char text[32];
} written;

// Formats a number with `num_decimals` decimal places. If `reserves_sign` is true, a number without
// a minus sign begins with a blank of the same width, so that digits are aligned.
static written format_signed(double value, int num_decimals, bool reserves_sign)
{
    written result;
    view_format_number(result.text, sizeof result.text, value, num_decimals, reserves_sign);
    return result;
}

// Formats a number with `num_decimals` decimal places, without space for a sign.
static written format_value(double value, int num_decimals)
{
    return format_signed(value, num_decimals, false);
}

// Adds a row with the components of a vector.
static void add_three(view_ui *ui, const char *label, md5_vec3 v, int num_decimals)
{
    ui_figure(ui, VIEW_PLAIN, label, "%s  %s  %s", format_signed(v.x, num_decimals, true).text,
              format_signed(v.y, num_decimals, true).text,
              format_signed(v.z, num_decimals, true).text);
}

// == Selected points and joints ============================================================

// Returns the matrix from world space to the space of the model file. The viewer transforms the
// coordinates of the file in two steps: it rotates the model so that z points up, and then
// places it in the world. The result undoes both steps.
md5_mat34 view_model_from_world(const view_scene *scene)
{
    const md5_mat34 rotated_from_world =
        md5_mat34_from_xform(md5_xform_inverse(view_placement(scene)));
    if (!scene->rotation.is_set)
        return rotated_from_world;
    const md5_mat34 model_from_rotated = md5_mat34_inverse(scene->rotation.matrix);
    return md5_mat34_mul(model_from_rotated, rotated_from_world);
}

md5_vec3 view_pick_difference(const view_scene *scene, const view_pick *from, const view_pick *to)
{
    const md5_vec3 difference =
        md5_vec3_sub(view_pick_point(scene, to), view_pick_point(scene, from));
    return md5_mat34_direction(view_model_from_world(scene), difference);
}

// Returns the transform of a joint in the space of the model file or, with `in_parent`, relative
// to its parent. scene->joints contains the transforms of the joints in world space.
md5_mat34 view_joint_matrix(const view_scene *scene, uint32_t joint, bool in_parent)
{
    const md5_mat34 world_from_joint = scene->joints[joint];
    const uint32_t parent = scene->skeleton->joints[joint].parent;
    if (in_parent && parent != MD5_NONE) {
        const md5_mat34 parent_from_world = md5_mat34_inverse(scene->joints[parent]);
        return md5_mat34_mul(parent_from_world, world_from_joint);
    }
    return md5_mat34_mul(view_model_from_world(scene), world_from_joint);
}

// Adds one row for each joint that influences a vertex, with its weight. If there are more than
// MAX_LISTED joints, the last row contains the number of further joints.
static void list_influences(view_ui *ui, const md5_mesh *mesh, uint32_t vertex)
{
    enum { MAX_LISTED = 6 };
    const md5_joint *const joints = ui->scene->skeleton->joints;
    const uint32_t first = mesh->first_influence[vertex];
    const uint32_t count = mesh->first_influence[vertex + 1] - first;
    for (uint32_t i = 0; i < count && i < MAX_LISTED; i++) {
        const float weight = mesh->influences[first + i].w;
        const char *const joint = joints[mesh->influence_joints[first + i]].name;
        const char *const label = i == 0 ? "Weights" : " ";
        ui_figure(ui, VIEW_PLAIN, label, "%s  %s", format_value(weight, WEIGHT_DECIMALS).text,
                  joint);
    }
    if (count > MAX_LISTED)
        ui_figure(ui, VIEW_DIM, " ", "and %u more", count - MAX_LISTED);
}

// Adds the section of the clicked point: its mesh, its triangle, and the nearest vertex with its
// position, texture coordinates and weights.
static void list_pick(view_ui *ui)
{
    const view_pick *const pick = &ui->selection.pick;
    if (!pick->is_set || ui->scene->model == NULL)
        return;
    if (!ui_section(ui, UI_SECTION_SPOT, "Selected point", ""))
        return;

    const md5_mesh *const mesh = &ui->scene->model->meshes[pick->mesh];
    const uint32_t *const triangle = mesh->indices + 3 * (size_t)pick->triangle;
    const md5_vec3 world_position = ui->scene->skinned[pick->mesh].positions[pick->vertex];
    const md5_vec2 uv = mesh->texcoords[pick->vertex];
    ui_figure(ui, VIEW_ACCENT, "Mesh", "%u" VIEW_DOT "%s", pick->mesh,
              mesh->name[0] != '\0' ? mesh->name : mesh->shader);
    ui_figure(ui, VIEW_BRIGHT, "Triangle", "%u" VIEW_DOT "%u %u %u", pick->triangle, triangle[0],
              triangle[1], triangle[2]);
    ui_figure(ui, VIEW_BRIGHT, "Vertex", "%u", mesh->sources[pick->vertex]);
    add_three(ui, "Position", md5_mat34_point(view_model_from_world(ui->scene), world_position),
              UNIT_DECIMALS);
    ui_figure(ui, VIEW_PLAIN, "UV", "%s  %s", format_value(uv.x, UV_DECIMALS).text,
              format_value(uv.y, UV_DECIMALS).text);
    list_influences(ui, mesh, pick->vertex);
}

// The distance between two selected objects, which are joints or points of the surface.
typedef struct measurement {
    bool are_joints;     // the items are joints, not points of the surface
    md5_vec3 difference; // from the first to the second item, in model space
    float angle;         // between the orientations of two joints, degrees; 0 for points
} measurement;

// Measures the two selected joints. If fewer than two joints are selected, measures the two
// selected points. Returns false if there are not two objects.
static bool measure_selection(const view_stage *stage, measurement *result)
{
    const view_scene *const scene = &stage->document->scene;
    const int32_t from = stage->selection->measured_from;
    const int32_t to = stage->joint;
    const view_pick *const first_point = &stage->selection->pick;
    const view_pick *const second_point = &stage->selection->measured;
    const bool are_joints = from >= 0 && to >= 0 && to != from;
    const bool are_points = scene->model != NULL && first_point->is_set && second_point->is_set;
    if (view_shows_crowd(stage->document))
        return false;

    if (are_joints) {
        const md5_mat34 first = view_joint_matrix(scene, (uint32_t)from, false);
        const md5_mat34 second = view_joint_matrix(scene, (uint32_t)to, false);
        const md5_vec3 difference =
            md5_vec3_sub(md5_mat34_translation(second), md5_mat34_translation(first));
        *result = (measurement){.are_joints = true,
                                .difference = difference,
                                .angle = view_angle_between(first, second)};
        return true;
    }
    if (are_points)
        *result =
            (measurement){.difference = view_pick_difference(scene, first_point, second_point)};
    return are_points;
}

// Copies a measurement to the clipboard with full precision. The distance, the difference and the
// angle are on separate lines.
static void copy_measurement(view_ui *ui, const measurement *measured)
{
    const md5_vec3 difference = measured->difference;
    char text[256];
    COMMON_TEXT(text, "distance\t%.9g\ndifference\t%.9g\t%.9g\t%.9g\n", md5_vec3_length(difference),
                difference.x, difference.y, difference.z);
    if (measured->are_joints)
        common_append(text, sizeof text, "", "degrees\t%.9g\n", measured->angle);
    ui_copy(ui, ui->stage->uptime, text, "measurement");
}

// Adds the section with the distance between two selected joints or two clicked points. A click on
// the distance copies the measurement.
void view_distance_section(view_ui *ui)
{
    const view_stage *const stage = ui->stage;
    measurement measured;
    if (!measure_selection(stage, &measured))
        return;

    ui_begin(ui, "two");
    ui->label_width = label_width * ui->scale;
    const char *const title = measured.are_joints ? "Two joints selected" : "Two points selected";
    if (!ui_section(ui, UI_SECTION_TWO, title, ""))
        return;

    if (measured.are_joints) {
        const md5_joint *const joints = ui->scene->skeleton->joints;
        ui_figure(ui, VIEW_BRIGHT, "Joints", "%s \xE2\x86\x92 %s",
                  joints[ui->selection.measured_from].name, joints[stage->joint].name);
    }
    const ui_row_style style = {.name = "Distance", .color = VIEW_ACCENT, .hint = "Copy"};
    const float distance = md5_vec3_length(measured.difference);
    const bool is_pressed = ui_row(ui, &style, format_value(distance, UNIT_DECIMALS).text);
    add_three(ui, "Difference", measured.difference, UNIT_DECIMALS);
    if (measured.are_joints)
        ui_figure(ui, VIEW_PLAIN, "Angle", "%s\xC2\xB0",
                  format_value(measured.angle, DEGREE_DECIMALS).text);
    if (is_pressed)
        copy_measurement(ui, &measured);
}

// == The document ==========================================================================

// Lists the names of a state machine's clips, several per row. Clips that contribute to the current
// pose are highlighted.
static void list_machine_clips(view_ui *ui, const view_machine *machine)
{
    const float inset = VIEW_INSET * ui->scale;
    const float gap = 9 * ui->scale;
    bool *const active = view_active_clips(machine);
    view_rect row = {0};
    float used_width = INFINITY; // used width of the row; INFINITY: the next name begins a row
    for (uint32_t i = 0; i < machine->desc->num_clips; i++) {
        const char *const name = machine->desc->clips[i].name;
        const float width = ui_text_width(ui, name);
        if (used_width + width > row.width) {
            ui_reserve_row(ui, ui->line, &row);
            row = view_inset(row, inset);
            used_width = 0;
        }
        const float max_width = fmaxf(row.width - used_width, 1);
        const view_color color = active[i] ? VIEW_ACCENT : VIEW_DIM;
        ui_text(ui, row.x + used_width, row.y - inset, max_width, color, name);
        used_width += width + gap;
    }
    free(active);
}

// Displays the name of the current clip, or another description of the motion. If the user can
// select clips, the name is a link to the list of clips. The members of a crowd play different
// clips, so the number of clips is displayed instead.
static void list_clip_name(view_ui *ui, const view_stage *stage)
{
    const view_scene *const scene = ui->scene;
    const size_t num_clips = scene->num_clips;
    const bool is_crowd_with_clips =
        view_shown_clip(scene) != NULL && view_shows_crowd(stage->document);
    char text[256];
    if (is_crowd_with_clips)
        COMMON_TEXT(text, "%zu clip%s", num_clips, num_clips == 1 ? "" : "s");
    else
        view_describe_motion(scene, text, sizeof text);
    if (text[0] == '\0')
        return;

    const bool is_link = num_clips > 0 && view_get_mode(stage->document) == VIEW_MODE_CLIPS;
    const ui_row_style style = {.color = VIEW_ACCENT, .hint = is_link ? "Ctrl+L" : NULL};
    if (ui_row(ui, &style, text))
        UI_COMMAND(ui, VIEW_CLIPS);
}

// Displays the time, the frame and the speed of a clip. If only a part of the clip is played, also
// displays the range.
static void list_time(view_ui *ui, const view_play *play, const md5_anim *anim)
{
    ui_figure(ui, VIEW_BRIGHT, "Time", "%.3f of %.3f s", view_cycle_time(play, anim),
              view_cycle_length(play, anim));
    ui_figure(ui, VIEW_BRIGHT, "Frame", "%.1f of %u" VIEW_DOT "%g fps",
              view_frame_position(play, anim), anim->num_frames, anim->frame_rate);
    ui_figure(ui, VIEW_BRIGHT, "Speed", "%s%g\xC3\x97" VIEW_DOT "%s",
              play->backward ? "\xE2\x88\x92" : "", play->speed, view_wrap_name(play->wrap));

    double begin;
    double end;
    if (view_find_range(play, anim, &begin, &end))
        ui_figure(ui, VIEW_AMBER, "Range", "frames %.0f to %.0f", begin * anim->frame_rate,
                  end * anim->frame_rate);
}

// Displays the current clip and the section of its time. For a state machine, lists its clips.
static void list_clip(view_ui *ui, const view_stage *stage)
{
    const view_scene *const scene = ui->scene;
    const md5_anim *const anim = view_timing_anim(scene);
    list_clip_name(ui, stage);
    if (view_shows_machine(stage))
        list_machine_clips(ui, &scene->machine);

    if (anim == NULL || !ui_section(ui, UI_SECTION_TIME, "Time", ""))
        return;
    list_time(ui, stage->play, anim);
    if (scene->root != MD5_ROOT_FILE)
        ui_figure(ui, VIEW_BRIGHT, "Root motion", "%s",
                  scene->root == MD5_ROOT_ID ? "as in Doom 3" : "in place");
}

// Writes the skinning paths that the meshes use, for example "4, 8" or "compute". A skinning path
// is a shader, and "4" is the shader for up to 4 influences per vertex.
static void write_skinning_paths(const view_stage *stage, char *text, size_t size)
{
    const uint32_t num_meshes = stage->document->scene.model->num_meshes;
    uint32_t counts[MD5GL_PATH_COMPUTE + 1] = {0};
    text[0] = '\0';
    for (uint32_t i = 0; i < num_meshes; i++)
        counts[md5gl_mesh_path(stage->document->drawn, i, NULL)]++;
    for (md5gl_path path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++) {
        if (counts[path] > 0)
            common_append(text, size, ", ", "%s", md5gl_path_name(path));
    }
}

// Displays the section of the model: counts of its elements, its skinning paths, and its light.
static void list_model(view_ui *ui, const view_stage *stage)
{
    const view_scene *const scene = ui->scene;
    const view_shown *const shown = stage->shown;
    if (scene->skeleton == NULL || !ui_section(ui, UI_SECTION_MODEL, "Model", ""))
        return;
    if (stage->document->crowd.num_kinds > 1) // only the first of several models has statistics
        ui_figure(ui, VIEW_DIM, NULL, "%s only:", scene->name);
    ui_figure(ui, VIEW_BRIGHT, "Joints", "%u", scene->num_joints);
    if (scene->model == NULL)
        return;

    char paths[128];
    write_skinning_paths(stage, paths, sizeof paths);
    ui_figure(ui, VIEW_BRIGHT, "Vertices", "%u", view_count_vertices(scene->model));
    ui_figure(ui, VIEW_BRIGHT, "Triangles", "%u", view_count_triangles(scene->model));
    ui_figure(ui, VIEW_BRIGHT, "Skinning paths", "%s%s", paths,
              scene->dual ? VIEW_DOT "dual quaternions" : "");
    const char *const light = shown->classic ? "classic" : "studio";
    ui_figure(ui, VIEW_BRIGHT, "Light", "%s%s", light, shown->shadows ? "" : VIEW_DOT "no shadows");
}

// Adds one row for each kind of defect of normals and tangents. Only the first row has the label.
static void list_faults(view_ui *ui, const view_mesh_defects *faults, const char *label)
{
    char list[192]; // "A, B, C"
    view_describe_defects(faults, list, sizeof list);
    const view_color color = view_count_defects(faults) > 0 ? VIEW_AMBER : VIEW_PLAIN;

    const char *kind = list;
    while (*kind != '\0') {
        const size_t length = strcspn(kind, ",");
        const char *const row_label = kind == list ? label : " ";
        ui_figure(ui, color, row_label, "%.*s", (int)length, kind);
        kind += length;
        kind += strspn(kind, ", ");
    }
}

// Displays the number of stages of a mesh's material, and notes about stages that the renderer
// cannot display. A stage is an image that the material draws over the previous stages.
static void list_material(view_ui *ui, uint32_t mesh)
{
    const view_layers *const layers = &ui->stage->document->textures.layers;
    const view_layered *const layered = view_find_layered(layers, mesh);
    if (layered != NULL)
        ui_figure(ui, VIEW_PLAIN, "Stages", "%u", layered->material->num_stages);
    for (size_t i = 0; i < layers->num_notes; i++) {
        if (layers->notes[i].mesh == mesh)
            ui_figure(ui, VIEW_AMBER, NULL, "%s", layers->notes[i].text);
    }
}

// Adds the section of the selected material: its name, links to its meshes, and its stages.
// ui->selection.material is the first mesh with the material, or -1.
static void list_selected_material(view_ui *ui)
{
    const md5_model *const model = ui->scene->model;
    const int32_t selected = ui->selection.material;
    if (selected < 0 || model == NULL || (uint32_t)selected >= model->num_meshes)
        return;
    if (view_shows_crowd(ui->stage->document))
        return;
    if (!ui_section(ui, UI_SECTION_MATERIAL, "Material", ""))
        return;

    const uint32_t first_mesh = (uint32_t)selected;
    const char *const material = model->meshes[first_mesh].shader;
    const ui_row_style link = {.color = VIEW_ACCENT, .hint = ""};
    ui_figure(ui, VIEW_ACCENT, NULL, "%s", material);
    for (uint32_t i = first_mesh; i < model->num_meshes && i < VIEW_MAX_MATERIALS; i++) {
        const bool has_material = strcmp(model->meshes[i].shader, material) == 0;
        if (!has_material)
            continue;
        char text[192];
        COMMON_TEXT(text, "Mesh %u  %s", i, model->meshes[i].name);
        if (ui_row(ui, &link, text))
            UI_COMMAND(ui, VIEW_TEXTURES, .item = i + 1);
    }
    list_material(ui, first_mesh);
}

// Displays the number and the memory of all loaded clips. These include the clips of a state
// machine.
static void list_clip_sizes(view_ui *ui, const view_scene *scene)
{
    const md5_character *const character = scene->machine.character;
    size_t num_clips = scene->num_clips;
    size_t bytes = 0;
    if (character != NULL) {
        num_clips += character->num_clips;
        bytes += character->anims_size;
    }
    for (size_t i = 0; i < scene->num_clips; i++)
        bytes += scene->clips[i].anim->size;

    if (num_clips > 0)
        ui_figure(ui, VIEW_PLAIN, "Clips", "%zu" VIEW_DOT "%.1f KiB", num_clips,
                  (double)bytes / BYTES_PER_KIB);
    else
        ui_figure(ui, VIEW_PLAIN, "Clips", "none");
}

// Displays the section of the statistics: the size of the model, the memory of the model and its
// clips, and the name of the graphics device.
static void list_statistics(view_ui *ui)
{
    const view_scene *const scene = ui->scene;
    if (!ui_section(ui, UI_SECTION_STATISTICS, "Statistics", ""))
        return;

    const md5_bounds bounds = ui->stage->document->bounds;
    md5_vec3 size = {0, 0, 0};
    if (!view_is_empty(bounds))
        size = md5_vec3_sub(bounds.max, bounds.min);
    ui_figure(ui, VIEW_PLAIN, "Size", "%s \xC3\x97 %s \xC3\x97 %s",
              format_value(size.x, UNIT_DECIMALS).text, format_value(size.y, UNIT_DECIMALS).text,
              format_value(size.z, UNIT_DECIMALS).text);

    if (scene->model != NULL)
        ui_figure(ui, VIEW_PLAIN, "Model", "%.1f KiB",
                  (double)(scene->model->size + scene->model->geometry_size) / BYTES_PER_KIB);
    list_clip_sizes(ui, scene);
    if (scene->num_unopened > 0)
        ui_figure(ui, VIEW_PLAIN, "Not loaded", "%zu %s", scene->num_unopened,
                  common_noun(scene->num_unopened, "animation", "animations"));
    ui_figure(ui, VIEW_DIM, NULL, "%s", md5gl_device_name(ui->stage->renderer));
}

// Writes the times of the last frames, in seconds, with the oldest first. Returns their number,
// which is at most `capacity`.
static uint32_t last_times(const view_stage *stage, uint32_t capacity, double *times)
{
    const uint32_t num_measured = stage->num_frame_times;
    const uint32_t count = num_measured < capacity ? num_measured : capacity;
    const uint32_t first = num_measured - count;
    for (uint32_t i = 0; i < count; i++) // the stage stores the last times in a ring
        times[i] = stage->frame_times[(first + i) % VIEW_NUM_FRAME_TIMES];
    return count;
}

// Displays the median time of the last frames. A single slow frame would change the mean, but not
// the median. Displays a dash while there are too few frames or the image is still.
static void list_frame_time(view_ui *ui)
{
    enum { MIN_FRAMES = 10, MAX_FRAMES = 60 };
    const double slow_seconds = 0.05;     // a longer time has a warning sign
    const double min_milliseconds = 0.01; // smallest displayed time
    double times[MAX_FRAMES];
    const uint32_t count = last_times(ui->stage, MAX_FRAMES, times);
    qsort(times, count, sizeof *times, common_compare_doubles);
    const double median = count > 0 ? times[count / 2] : 0; // seconds

    char text[32] = "\xE2\x80\x93"; // a dash
    const bool is_measured = ui->stage->is_moving && count >= MIN_FRAMES && median > 0;
    if (is_measured) {
        COMMON_TEXT(text, "%.2f ms", fmax(1e3 * median, min_milliseconds));
        if (median > slow_seconds)
            common_append(text, sizeof text, "", "  \xE2\x9A\xA0");
    }
    ui_figure(ui, VIEW_BRIGHT, "Frame time", "%s", text);
}

// Returns the color of a bar: good, acceptable or slow. goals[0] is the longest good time and
// goals[1] the longest acceptable time, in seconds.
static view_color time_color(float time, const float goals[2])
{
    if (time <= goals[0])
        return good_time_color;
    return time <= goals[1] ? VIEW_AMBER : slow_time_color;
}

// Returns the time at the top of the bar graph, in seconds. It is a tenth more than the longest
// frame time, so that the highest bar does not reach the top. It is at least a quarter more than
// the goal of 60 frames per second, so that the line of this goal is always visible.
static float graph_top_time(const double *times, uint32_t count, const float goals[2])
{
    float top_time = 1.25f * goals[0];
    for (uint32_t i = 0; i < count; i++)
        top_time = fmaxf(top_time, 1.1f * (float)times[i]);
    return top_time;
}

// Draws a bar graph of the times of the last frames, with the newest at the right. Horizontal lines
// mark the times of 60 and 30 frames per second, if the graph is high enough.
static void draw_times(view_ui *ui)
{
    enum { NUM_BARS = 120 };                             // in the width of the graph
    const float goals[2] = {1.0f / 60.0f, 1.0f / 30.0f}; // seconds per frame
    const float lines_per_graph = 2.5f;                  // height in lines of text
    const float scale = ui->scale;                       // pixels per layout unit
    const float margin_x = VIEW_INSET * scale;
    const float margin_y = 3 * scale;
    view_rect row;
    ui_reserve_row(ui, lines_per_graph * ui->line, &row);
    const view_rect box = {row.x + margin_x, row.y + margin_y, row.width - 2 * margin_x,
                           row.height - 2 * margin_y};
    view_draw_rect(ui->canvas, box, VIEW_CONTROL);

    // Draw a bar for each frame. The newest bar is at the right edge.
    double times[VIEW_NUM_FRAME_TIMES];
    const uint32_t count = last_times(ui->stage, VIEW_NUM_FRAME_TIMES, times);
    const float top_time = graph_top_time(times, count, goals);
    const float bar_width = box.width / (float)NUM_BARS;
    const float bottom = box.y + box.height;
    const float left = box.x + box.width - bar_width * (float)count;
    for (uint32_t i = 0; i < count; i++) {
        const float time = (float)times[i];
        const float height = box.height * time / top_time;
        const view_rect bar = {left + bar_width * (float)i, bottom - height, bar_width, height};
        view_draw_rect(ui->canvas, bar, time_color(time, goals));
    }

    // Draw the lines of the goals.
    for (int i = 0; i < 2; i++) {
        const float y = bottom - box.height * goals[i] / top_time;
        if (goals[i] < top_time)
            view_draw_rect(ui->canvas, (view_rect){box.x, y, box.width, scale}, goal_color);
    }
}

// Displays the camera path of the document, if there is one. Shows its name, the current shot and
// frame, and the field of view.
static void list_camera_path(view_ui *ui, const view_stage *stage)
{
    const view_camera_path *const path = &ui->scene->camera_path;
    if (path->camera == NULL)
        return;
    const view_camera_path_position position = view_find_path_position(path, stage->play);
    ui_gap(ui);
    ui_figure(ui, VIEW_BRIGHT, "Camera", "%s",
              stage->following ? path->name : "free" VIEW_DOT "V: follow path");
    ui_figure(ui, VIEW_BRIGHT, "Shot", "%u of %u" VIEW_DOT "frame %.1f", position.shot + 1,
              path->camera->num_cuts + 1, position.frame);
    ui_figure(ui, VIEW_BRIGHT, "Field of view", "%s\xC2\xB0",
              format_value(view_camera_path_at(path, stage->play).fov, DEGREE_DECIMALS).text);
}

// Displays the statistics of a crowd: the numbers of characters that are drawn, baked, replaced by
// impostors and posed, and the duration of the last update. Does nothing for other documents.
static void list_crowd(view_ui *ui, const view_stage *stage)
{
    const view_crowd *const crowd = &stage->document->crowd;
    if (crowd->count == 0)
        return;
    const uint32_t num_visible = view_count_visible(crowd);
    const uint32_t num_kinds = crowd->num_kinds;

    ui_gap(ui);
    ui_figure(ui, VIEW_BRIGHT, "Crowd", "%u" VIEW_DOT "%u model%s", crowd->count, num_kinds,
              num_kinds == 1 ? "" : "s");
    ui_figure(ui, VIEW_BRIGHT, "Drawn", "%u" VIEW_DOT "%u culled", num_visible,
              crowd->count - num_visible);
    if (crowd->baked_pixels > 0)
        ui_figure(ui, VIEW_BRIGHT, "Baked", "%u" VIEW_DOT "%.1f MB", crowd->num_baked,
                  1e-6 * (double)md5gl_get_stats(stage->renderer).baked_bytes);
    if (crowd->impostor_pixels > 0)
        ui_figure(ui, VIEW_BRIGHT, "Impostors", "%u" VIEW_DOT "%u fading", crowd->num_far,
                  crowd->num_faded);
    ui_figure(ui, VIEW_BRIGHT, "Update", "%u" VIEW_DOT "%.1f ms, %u %s", crowd->num_posed,
              1e3 * crowd->seconds, crowd->threads->num_workers,
              common_noun(crowd->threads->num_workers, "thread", "threads"));
}

// Displays the name of the compared model as a link to the list of distances. Also displays the
// number of joints that only one of the models has.
static void list_comparison(view_ui *ui, const view_compare *compare)
{
    const ui_row_style link = {.name = "Compared", .color = VIEW_ACCENT, .hint = "list"};
    if (compare->model != NULL && ui_row(ui, &link, compare->name))
        UI_COMMAND(ui, view_get_toggle(VIEW_OPTION(shown.differences)));
    const uint32_t num_single = compare->num_joints - compare->num_same;
    if (num_single > 0)
        ui_figure(ui, VIEW_AMBER, " ", "%u %s no counterpart", num_single,
                  common_noun(num_single, "joint has", "joints have"));
}

// Displays the defects of the model's normals and tangents. While normals or tangents are drawn,
// also displays their defects in the current pose.
static void list_all_faults(view_ui *ui, const view_stage *stage)
{
    const view_document *const document = stage->document;
    const bool draws_normals = stage->shown->normals || stage->shown->tangents;
    if (document->scene.model == NULL)
        return;
    if (draws_normals || stage->shown->statistics)
        list_faults(ui, &document->faults, "Mesh defects");
    if (draws_normals && !view_shows_crowd(document))
        list_faults(ui, &document->pose_faults, "In this pose");
}

// Displays the frame time, its bar graph, and the settings whose quality is currently reduced.
static void list_speed(view_ui *ui, const view_stage *stage)
{
    const view_shown *const shown = stage->shown;
    const bool has_times = shown->statistics && stage->num_frame_times > 0;
    if (shown->frame_time || has_times)
        list_frame_time(ui);
    if (has_times)
        draw_times(ui);

    char reduced[64];
    view_describe_quality_level(&stage->quality_level, reduced, sizeof reduced);
    if (shown->statistics && reduced[0] != '\0')
        ui_figure(ui, VIEW_AMBER, "Quality", "%s", reduced);
}

// Adds the sections about the document. Most of them are displayed only with the option
// --statistics.
void view_document_sections(view_ui *ui)
{
    const view_stage *const stage = ui->stage;
    const view_document *const document = stage->document;
    const bool is_crowd = view_shows_crowd(document);
    ui_begin(ui, "figures");
    ui->label_width = label_width * ui->scale;
    const ui_row_style title = {.color = VIEW_BRIGHT, .hint = "Ctrl+O", .is_title = true};
    if (ui_row(ui, &title, document->scene.name))
        UI_COMMAND(ui, VIEW_FILES);
    list_selected_material(ui);
    list_clip(ui, stage);

    // If the axes of the file differ from the axes of the viewer, display the rotation between
    // them.
    char rotation[64];
    view_describe_rotation(&document->scene.rotation, rotation, sizeof rotation);
    if (document->scene.rotation.is_set && !is_crowd)
        ui_figure(ui, VIEW_AMBER, "Axes", "%s", rotation);

    list_camera_path(ui, stage);
    list_crowd(ui, stage);
    list_model(ui, stage);
    list_all_faults(ui, stage);
    list_speed(ui, stage);
    if (stage->shown->statistics)
        list_statistics(ui);
    if (!is_crowd)
        list_comparison(ui, &document->compare);
    list_pick(ui);

    if (stage->shown->statistics) {
        ui_gap(ui);
        ui_figure(ui, VIEW_DIM, NULL, "F1: shortcuts" VIEW_DOT "M: statistics");
    }
}
