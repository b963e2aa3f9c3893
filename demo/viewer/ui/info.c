// The panel: what is shown, in figures, and the time bar.
#include "demo/viewer/jobs/view.h"

#include "demo/common/file.h"
#include "demo/viewer/base/math.h"
#include "demo/viewer/base/panel.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 270, COMPACT_WIDTH = 190, LABEL_WIDTH = 84 };

// Rows that can be clicked on: their numbers in view_rows, and from the last on those of meshes.
enum { HIT_FILES = 1, HIT_CLIPS, HIT_MESHES };

#define DOT "  \xE2\x80\xA2  "

// -- Figures --------------------------------------------------------------------------------

// In a small window the figures are left out, unless they are asked for.
static bool is_brief(const view_state *viewer, float width)
{
    return view_is_compact(viewer, width) && !viewer->shown.statistics;
}

static void add_clip_rows(const view_state *viewer, float width, view_rows *rows)
{
    const view_scene *const scene = &viewer->document->scene;
    const view_play *const play = &viewer->play;
    const view_clip *const clip = view_shown_clip(scene);
    const md5_anim *const anim = view_clock(scene);
    if (clip != NULL && viewer->document->crowd.count > 0) // each character plays its own
        view_add_row(rows, VIEW_ROW_TEXT, VIEW_ACCENT, "", "%zu clip%s", scene->num_clips,
                     scene->num_clips == 1 ? "" : "s");
    else if (clip != NULL)
        view_add_row(rows, VIEW_ROW_TEXT, VIEW_ACCENT, "", "%s" DOT "%zu of %zu", clip->name,
                     scene->clip + 1, scene->num_clips);
    else if (scene->machine.player != NULL && !scene->bind_pose)
        view_add_row(rows, VIEW_ROW_TEXT, VIEW_ACCENT, "", "state machine" DOT "%u clip%s",
                     (unsigned)scene->machine.desc->num_clips,
                     scene->machine.desc->num_clips == 1 ? "" : "s");
    else if (scene->skeleton != NULL)
        view_add_row(rows, VIEW_ROW_TEXT, VIEW_ACCENT, "", "bind pose");
    if (scene->num_clips > 0 && view_mode_of(viewer) == VIEW_MODE_CLIPS)
        view_make_hit(rows, HIT_CLIPS, "A");
    // In a small window the states in the machine's own panel have to do.
    if (view_mode_of(viewer) == VIEW_MODE_MACHINE && !is_brief(viewer, width))
        view_add_machine_clips(&scene->machine, rows);
    if (anim == NULL || is_brief(viewer, width))
        return;
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Time", "%.3f of %.3f s",
                 view_cycle_time(play, anim), view_cycle_length(play, anim));
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Frame", "%.1f of %u" DOT "%g a second",
                 1.0 + view_frame_place(play, anim), (unsigned)anim->num_frames, anim->frame_rate);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Speed", "%s%g\xC3\x97" DOT "%s",
                 play->backward ? "\xE2\x88\x92" : "", play->speed, view_wrap_name(play->wrap));
    if (scene->root != MD5_ROOT_FILE)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Root", "%s",
                     scene->root == MD5_ROOT_ID ? "as id's engine" : "in place");
}

static void add_flight_rows(const view_state *viewer, view_rows *rows)
{
    const view_flight *const flight = &viewer->document->scene.flight;
    if (flight->camera == NULL)
        return;
    const view_flight_place place = view_find_place(flight, &viewer->play);
    const md5_camera_view view = view_flight_at(flight, &viewer->play);
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Camera", "%s",
                 viewer->flying ? flight->name : "own" DOT "V: flight");
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Shot", "%u of %u" DOT "frame %.1f of %u",
                 (unsigned)place.shot + 1, (unsigned)flight->camera->num_cuts + 1,
                 1.0 + place.frame, (unsigned)flight->camera->num_frames);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "View", "%.1f\xC2\xB0 wide", (double)view.fov);
}

// "4, 4, exact": the vertex path of each mesh, or the number of each kind where there are many.
static void describe_paths(const view_state *viewer, char *text, size_t size)
{
    enum { LISTED = 6 };
    const uint32_t num_meshes = viewer->document->scene.model->num_meshes;
    uint32_t counts[MD5GL_PATH_STORAGE + 1] = {0};
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < num_meshes; i++) {
        const md5gl_path path = md5gl_mesh_path(viewer->document->drawn, i);
        counts[path]++;
        if (num_meshes <= LISTED)
            used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                                     md5gl_path_name(path));
    }
    for (md5gl_path path = MD5GL_PATH_4; num_meshes > LISTED && path <= MD5GL_PATH_STORAGE; path++)
        if (counts[path] > 0)
            used +=
                (size_t)snprintf(text + used, size - used, "%s%u \xC3\x97 %s", used > 0 ? ", " : "",
                                 (unsigned)counts[path], md5gl_path_name(path));
}

static void add_crowd_rows(const view_state *viewer, view_rows *rows)
{
    const view_crowd *const crowd = &viewer->document->crowd;
    if (crowd->count == 0)
        return;
    const uint32_t num_seen = view_count_seen(crowd), num_kinds = crowd->num_kinds;
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Crowd", "%u" DOT "%u model%s",
                 (unsigned)crowd->count, (unsigned)num_kinds, num_kinds == 1 ? "" : "s");
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Drawn", "%u" DOT "%u out of sight",
                 (unsigned)num_seen, (unsigned)(crowd->count - num_seen));
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Update", "%u" DOT "%.1f ms, %u threads",
                 (unsigned)crowd->num_posed, 1e3 * crowd->seconds,
                 (unsigned)view_count_workers(crowd->workers));
    size_t clips_size = 0;
    for (uint32_t k = 0; k < num_kinds; k++)
        if (crowd->kinds[k].gpu_clips != NULL)
            clips_size += md5gl_clips_size(crowd->kinds[k].gpu_clips);
    if (clips_size > 0)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Clips", "on the GPU" DOT "%.1f MB",
                     1e-6 * (double)clips_size);
}

static void add_model_rows(const view_state *viewer, view_rows *rows)
{
    char paths[128];
    if (viewer->document->scene.skeleton == NULL)
        return;
    view_add_gap(rows);
    if (viewer->document->crowd.num_kinds > 1) // the others have figures of their own
        view_add_row(rows, VIEW_ROW_TEXT, VIEW_DIM, "",
                     "Of %s alone:", viewer->document->scene.name);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Joints", "%u",
                 (unsigned)viewer->document->scene.num_joints);
    if (viewer->document->scene.model != NULL) {
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Vertices", "%u",
                     (unsigned)view_count_vertices(&viewer->document->scene));
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Triangles", "%u",
                     (unsigned)view_count_triangles(&viewer->document->scene));
        describe_paths(viewer, paths, sizeof paths);
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Skinned by", "%s%s", paths,
                     viewer->document->scene.dual ? DOT "dual quaternions" : "");
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Light", "%s%s",
                     viewer->shown.classic ? "classic" : "studio",
                     viewer->shown.shadows ? "" : DOT "no shadows");
    }
}

static void add_frame_time(const view_state *viewer, view_rows *rows)
{
    if (!viewer->shown.frame_time)
        return;
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Frame time", "%.2f ms",
                 1000.0 * viewer->frame_seconds);
    if (viewer->shown.statistics && rows->num_times > 0)
        view_add_row(rows, VIEW_ROW_GRAPH, VIEW_PLAIN, "", "%s", "");
}

// The texture, or that there is none, and what else was found beside it.
static void add_map_rows(const view_state *viewer, view_rows *rows, uint32_t mesh)
{
    static const char *const labels[VIEW_NUM_MAPS] = {"Texture", "Normals", "Heights", "Specular",
                                                      "Glow"};
    for (view_map map = VIEW_MAP_DIFFUSE; map < VIEW_NUM_MAPS; map++) {
        const char *const path = view_mesh_map_path(&viewer->document->textures, mesh, map);
        if (path != NULL || map == VIEW_MAP_DIFFUSE)
            view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, labels[map], "%s",
                         path != NULL ? common_base(path) : "none");
    }
}

// Of many meshes only the names: it is there to switch them.
static void add_mesh_rows(const view_state *viewer, view_rows *rows)
{
    enum { IN_FULL = 5, LISTED = 20 };
    const md5_model *const model = viewer->document->scene.model;
    const bool in_full = model->num_meshes <= IN_FULL;
    if (!in_full)
        view_add_gap(rows);
    for (uint32_t i = 0; i < model->num_meshes && i < LISTED; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        if (in_full)
            view_add_gap(rows);
        view_add_row(rows, VIEW_ROW_SWITCH, VIEW_PLAIN, "", "Mesh %u  %s", (unsigned)i, mesh->name);
        view_make_hit(rows, HIT_MESHES + (int32_t)i, "");
        rows->rows[rows->count - 1].on = (viewer->hidden_meshes >> i & 1) == 0;
        if (!in_full)
            continue;
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Vertices", "%u" DOT "%u triangles",
                     (unsigned)mesh->num_vertices, (unsigned)mesh->num_triangles);
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Weights", "%u" DOT "at most %u a vertex",
                     (unsigned)mesh->num_weights, (unsigned)mesh->max_weights);
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Path", "%s" DOT "%s",
                     md5gl_path_name(md5gl_mesh_path(viewer->document->drawn, i)),
                     md5gl_path_reason(viewer->document->drawn, i));
        add_map_rows(viewer, rows, i);
    }
    if (model->num_meshes > LISTED)
        view_add_row(rows, VIEW_ROW_TEXT, VIEW_DIM, "", "and %u more",
                     (unsigned)(model->num_meshes - LISTED));
}

// Of all clips that are loaded: those of a machine are its own.
static void add_clips_size(const view_scene *scene, view_rows *rows)
{
    const common_machine *const machine = &scene->machine.loaded;
    const size_t count = scene->num_clips + machine->num_clips;
    size_t size = 0;
    for (size_t i = 0; i < scene->num_clips; i++)
        size += scene->clips[i].anim->size;
    for (uint32_t i = 0; i < machine->num_clips; i++)
        size += machine->anims[i]->size;
    if (count > 0)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Clips", "%zu" DOT "%.1f KiB", count,
                     (double)size / 1024.0);
    else
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Clips", "none");
}

static void add_statistics(const view_state *viewer, view_rows *rows)
{
    const view_scene *const scene = &viewer->document->scene;
    const md5_vec3 size =
        view_is_empty(viewer->document->bounds)
            ? (md5_vec3){0, 0, 0}
            : view_sub(viewer->document->bounds.max, viewer->document->bounds.min);
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Size", "%.4g \xC3\x97 %.4g \xC3\x97 %.4g",
                 (double)size.x, (double)size.y, (double)size.z);
    if (scene->model != NULL)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Model", "%.1f KiB",
                     (double)scene->model->size / 1024.0);
    add_clips_size(scene, rows);
    if (scene->num_unopened > 0)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Unopened", "%zu animations",
                     scene->num_unopened);
    view_add_wrapped(rows, VIEW_DIM, md5gl_device_name(viewer->renderer), 3);
    if (scene->model != NULL)
        add_mesh_rows(viewer, rows);
}

static void add_warnings(const view_state *viewer, view_rows *rows)
{
    const view_log *const log = &viewer->log;
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
static uint32_t order_times(const view_state *viewer, float times[VIEW_NUM_FRAME_TIMES])
{
    const uint32_t all = viewer->num_frame_times;
    const uint32_t count = all < VIEW_NUM_FRAME_TIMES ? all : VIEW_NUM_FRAME_TIMES;
    for (uint32_t i = 0; i < count; i++)
        times[i] = viewer->frame_times[(all - count + i) % VIEW_NUM_FRAME_TIMES];
    return count;
}

// Where the rows lie that can be clicked on, after all was made smaller by `factor`.
static void lay_out_hits(view_state *viewer, const view_rows *rows, float margin, float factor)
{
    view_layout *const layout = &viewer->layout;
    for (uint32_t i = 0; i < rows->count && layout->num_hits < VIEW_MAX_HITS; i++) {
        const view_row *const row = &rows->rows[i];
        if (row->hit == 0)
            continue;
        view_hit *const hit = &layout->hits[layout->num_hits++];
        const float left = VIEW_PADDING * viewer->font.scale;
        hit->rect = (view_rect){margin + left * factor, margin + (row->y - margin) * factor,
                                rows->width * factor, view_row_height(rows, row) * factor};
        hit->kind = row->hit == HIT_FILES   ? VIEW_HIT_FILES
                    : row->hit == HIT_CLIPS ? VIEW_HIT_CLIPS
                                            : VIEW_HIT_MESH;
        hit->mesh = hit->kind == VIEW_HIT_MESH ? (uint32_t)(row->hit - HIT_MESHES) : 0;
    }
}

void view_list_figures(const view_state *viewer, float width, view_rows *rows)
{
    const float scale = viewer->font.scale;
    const bool brief = is_brief(viewer, width);
    rows->font = &viewer->font;
    rows->width = (brief ? COMPACT_WIDTH : WIDTH) * scale;
    rows->label_width = (float)LABEL_WIDTH * scale;
    rows->count = 0;
    view_add_row(rows, VIEW_ROW_TITLE, VIEW_BRIGHT, "", "%s", viewer->document->scene.name);
    view_make_hit(rows, HIT_FILES, "F");
    add_clip_rows(viewer, width, rows);
    if (!brief) {
        add_flight_rows(viewer, rows);
        add_crowd_rows(viewer, rows);
        add_model_rows(viewer, rows);
    }
    add_frame_time(viewer, rows);
    if (viewer->shown.statistics)
        add_statistics(viewer, rows);
    add_warnings(viewer, rows);
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_TEXT, VIEW_DIM, "", "H: keys" DOT "M: statistics");
    view_wrap_rows(rows);
}

// How much smaller the figures are drawn where the picture is too low for them.
static float figures_factor(const view_state *viewer, const view_rows *rows, float height)
{
    const float scale = viewer->font.scale;
    const float room = height - (3.0f * VIEW_MARGIN + VIEW_BAR_HEIGHT) * scale;
    return fminf(fmaxf(room / view_rows_height(rows), 0.5f), 1.0f);
}

view_rect view_figures_box(const view_state *viewer, float width, float height)
{
    view_rows rows;
    view_list_figures(viewer, width, &rows);
    const float scale = viewer->font.scale, margin = VIEW_MARGIN * scale;
    const float factor = figures_factor(viewer, &rows, height);
    return (view_rect){margin, margin, factor * (rows.width + 2.0f * VIEW_PADDING * scale),
                       factor * view_rows_height(&rows)};
}

static void draw_figures(view_state *viewer, float width, float height)
{
    const float margin = VIEW_MARGIN * viewer->font.scale;
    float times[VIEW_NUM_FRAME_TIMES];
    view_rows rows = {.times = times, .num_times = order_times(viewer, times)};
    view_list_figures(viewer, width, &rows);
    const uint32_t first = viewer->canvas.count;
    const float factor = figures_factor(viewer, &rows, height);
    view_draw_rows(&viewer->canvas, &rows, margin, margin);
    view_shrink(&viewer->canvas, first, margin, margin, factor);
    lay_out_hits(viewer, &rows, margin, factor);
}

// -- Time bar -------------------------------------------------------------------------------

// A triangle while paused, two bars while playing.
static void draw_play_sign(view_state *viewer, float x, float y, float size)
{
    view_canvas *const canvas = &viewer->canvas;
    if (viewer->play.playing) {
        view_draw_rect(canvas, (view_rect){x, y, 0.32f * size, size}, VIEW_BRIGHT);
        view_draw_rect(canvas, (view_rect){x + 0.6f * size, y, 0.32f * size, size}, VIEW_BRIGHT);
        return;
    }
    const bool back = viewer->play.backward;
    const float base = back ? x + size : x, tip = back ? x : x + size;
    const float corners[6] = {base, y, base, y + size, tip, y + 0.5f * size};
    view_draw_triangle(canvas, corners, VIEW_BRIGHT);
}

// One line a frame, where there is room for them, every tenth longer.
static void draw_ticks(view_state *viewer, const md5_anim *anim, double length)
{
    const view_rect track = viewer->layout.track;
    const float scale = viewer->font.scale;
    const double step = (double)track.width / (length * anim->frame_rate);
    const uint32_t stride = step >= 5.0 * (double)scale ? 1 : 10;
    if (step * stride < 4.0 * (double)scale)
        return;
    for (uint32_t frame = 0; frame < anim->num_frames; frame += stride) {
        const float x = track.x + (float)(step * frame);
        const float height = (frame % 10 == 0 ? 6.0f : 3.0f) * scale;
        const view_rect tick = {x, track.y + track.height + 3.0f * scale, scale, height};
        view_draw_rect(&viewer->canvas, tick, 0x8A93A1A0u);
    }
}

static void draw_bar(view_state *viewer, const md5_anim *anim, float width, float height)
{
    const float scale = viewer->font.scale, margin = VIEW_MARGIN * scale;
    const double length = view_cycle_length(&viewer->play, anim);
    view_canvas *const canvas = &viewer->canvas;
    const view_rect bar = {margin, height - margin - VIEW_BAR_HEIGHT * scale, width - 2.0f * margin,
                           VIEW_BAR_HEIGHT * scale};
    view_draw_round_rect(canvas, bar, VIEW_RADIUS * scale, VIEW_BOX);
    draw_play_sign(viewer, bar.x + 14.0f * scale, bar.y + 13.0f * scale, 14.0f * scale);

    char text[48];
    (void)snprintf(text, sizeof text, "%.2f / %.2f s", view_cycle_time(&viewer->play, anim),
                   length);
    const float measured = view_text_width(&viewer->font, VIEW_TEXT, text);
    const float text_width = fmaxf(118.0f * scale, measured + 16.0f * scale);
    const float text_left = bar.x + bar.width - 16.0f * scale - measured;
    view_draw_text(canvas, VIEW_TEXT, text_left, bar.y + 10.0f * scale, 0, VIEW_PLAIN, text);

    const view_rect track = {bar.x + 46.0f * scale, bar.y + 16.0f * scale,
                             bar.width - 46.0f * scale - text_width - 16.0f * scale, 4.0f * scale};
    viewer->layout.bar = bar;
    viewer->layout.track = track;
    if (track.width <= 0.0f)
        return;
    const double place = length > 0.0 ? view_cycle_time(&viewer->play, anim) / length : 0.0;
    const float done = track.width * (float)fmin(place, 1.0);
    view_draw_round_rect(canvas, track, 2.0f * scale, 0x4A5361FFu);
    if (length > 0.0)
        draw_ticks(viewer, anim, length);
    view_draw_round_rect(canvas, (view_rect){track.x, track.y, done, track.height}, 2.0f * scale,
                         VIEW_ACCENT);
    view_draw_disc(canvas, track.x + done, track.y + 0.5f * track.height, 7.0f * scale,
                   VIEW_BRIGHT);
}

bool view_shows_bar(const view_state *viewer)
{
    return !view_shows_machine(viewer) && view_clock(&viewer->document->scene) != NULL;
}

// -- All of it ------------------------------------------------------------------------------

static void draw_notice(view_state *viewer, float width, float height)
{
    const float scale = viewer->font.scale;
    if (viewer->now >= viewer->notice_end)
        return;
    const float text =
        fminf(view_text_width(&viewer->font, VIEW_TEXT, viewer->notice), width - 80.0f * scale);
    const view_rect box = {roundf(0.5f * (width - text) - 16.0f * scale), height - 100.0f * scale,
                           text + 32.0f * scale, 34.0f * scale};
    view_draw_round_rect(&viewer->canvas, box, 17.0f * scale, VIEW_BOX);
    view_draw_text(&viewer->canvas, VIEW_TEXT, box.x + 16.0f * scale, box.y + 7.0f * scale,
                   text + 1.0f, VIEW_BRIGHT, viewer->notice);
}

void view_draw_panel(view_state *viewer, float width, float height)
{
    const md5_anim *const anim = view_clock(&viewer->document->scene);
    if (!viewer->shown.help) // which needs the room
        draw_figures(viewer, width, height);
    if (view_shows_machine(viewer))
        view_draw_machine(viewer, width, height);
    else if (view_shows_bar(viewer))
        draw_bar(viewer, anim, width, height);
    draw_notice(viewer, width, height);
}
