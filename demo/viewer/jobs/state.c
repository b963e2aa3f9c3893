// Beginning and end of the viewer's state, and what it tells of itself.
#include "demo/viewer/jobs/view.h"

#include "demo/common/memory.h"
#include "demo/viewer/base/math.h"

#include <stdarg.h>
#include <stdio.h>

void view_begin(view_state *viewer, const view_options *options)
{
    *viewer = (view_state){.options = options, .hovered_joint = -1, .chosen_joint = -1};
    viewer->document = common_alloc(1, sizeof *viewer->document);
    *viewer->document = (view_document){0};
    viewer->log.level = options->level;
    viewer->width = options->width;
    viewer->height = options->height;
    viewer->text_scale = 1.0f;
    viewer->camera = view_default_camera();
    viewer->play = (view_play){
        .playing = options->output == NULL,
        .speed = fabs(options->speed),
        .backward = options->speed<0.0, .time = options->num_times> 0 ? options->times[0] : 0.0,
    };
    view_take_switches(viewer);
}

void view_end(view_state *viewer)
{
    if (viewer->renderer != NULL)
        view_free_font(&viewer->font, viewer->renderer);
    view_free_canvas(&viewer->canvas);
    view_free_lines(&viewer->lines);
    view_clear_browser(&viewer->browser);
}

bool view_set_scale(view_state *viewer, float scale)
{
    md5_error error;
    view_font font;
    if (viewer->font.mask != 0 && viewer->font.scale == scale)
        return true;
    if (!view_make_font(&font, viewer->renderer, scale, &error)) {
        view_log_error(&viewer->log, &error);
        return false;
    }
    view_free_font(&viewer->font, viewer->renderer);
    viewer->font = font;
    viewer->canvas.font = &viewer->font;
    return true;
}

bool view_is_moving(const view_state *viewer)
{
    const md5_anim *const anim = view_clock(&viewer->document->scene);
    const bool has_machine =
        viewer->document->scene.machine.player != NULL && !viewer->document->scene.bind_pose;
    return viewer->play.playing && viewer->play.speed > 0.0
           && (has_machine || (anim != NULL && anim->num_frames > 1));
}

void view_notice(view_state *viewer, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(viewer->notice, sizeof viewer->notice, format, values);
    va_end(values);
    viewer->notice_end = viewer->now + 2.5;
}

static void tell_machine(view_state *viewer, const char *action)
{
    const view_machine *const machine = &viewer->document->scene.machine;
    const md5_vec3 place = machine->place.translation;
    char states[256] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < machine->desc->num_layers && used < sizeof states; i++) {
        const md5_layer_status status = md5_player_layer(machine->player, i);
        const char *const name = machine->desc->layers[i].states[status.state].name;
        used +=
            (size_t)snprintf(states + used, sizeof states - used, "%s%s", i > 0 ? "," : "", name);
    }
    view_debug(&viewer->log, "%s machine: place=%.3f,%.3f states=%s", action, (double)place.x,
               (double)place.y, states);
}

// One line of words and numbers, for people who hunt a fault and for tests; of a machine one more.
void view_tell_state(view_state *viewer, const char *action)
{
    const view_scene *const scene = &viewer->document->scene;
    const view_play *const play = &viewer->play;
    const view_camera *const camera = &viewer->camera;
    const view_clip *const clip = view_shown_clip(scene);
    const md5_anim *const anim = view_clock(scene);
    const bool has_flight = scene->flight.camera != NULL;
    const view_flight_place place =
        has_flight ? view_find_place(&scene->flight, play) : (view_flight_place){0};
    static const char *const roots[] = {"file", "id", "in_place"};
    static const char *const lists[] = {"none", "files", "clips"};
    if (viewer->log.level < VIEW_DEBUG)
        return;
    char lamps[VIEW_LAMPS_TEXT], switches[512];
    view_write_switches(&viewer->shown, switches, sizeof switches);
    view_write_lamps(&viewer->lamps, lamps, sizeof lamps);
    view_debug(
        &viewer->log,
        "%s: model=%s clip=%s %zu/%zu time=%.4f frame=%.3f/%u playing=%d speed=%g backward=%d "
        "loop=%s root=%s skinning=%s azimuth=%.1f elevation=%.1f distance=%.4g "
        "target=%.4g,%.4g,%.4g "
        "orthographic=%d %s lamp=%s warnings=%u "
        "size=%ux%u flight=%s flying=%d shot=%u flight-frame=%.3f list=%s found=%zu joint=%d "
        "hidden=%u crowd=%u error=%d notice=%d",
        action, scene->name, clip != NULL ? clip->name : "bind-pose",
        clip != NULL ? scene->clip + 1 : 0, scene->num_clips,
        anim != NULL ? view_cycle_time(play, anim) : 0.0,
        anim != NULL ? view_frame_place(play, anim) : 0.0,
        anim != NULL ? (unsigned)anim->num_frames - 1 : 0, play->playing, play->speed,
        play->backward, view_wrap_name(play->wrap), roots[scene->root],
        scene->dual ? "dual" : "linear", (double)camera->azimuth, (double)camera->elevation,
        (double)camera->distance, (double)camera->target.x, (double)camera->target.y,
        (double)camera->target.z, camera->orthographic, switches, lamps,
        (unsigned)viewer->log.num_warnings, (unsigned)viewer->width, (unsigned)viewer->height,
        has_flight ? scene->flight.name : "none", viewer->flying, (unsigned)place.shot, place.frame,
        lists[viewer->browser.kind], viewer->browser.num_found, (int)view_marked_joint(viewer),
        (unsigned)viewer->hidden_meshes, (unsigned)viewer->document->crowd.count,
        viewer->log.error[0] != '\0', viewer->now < viewer->notice_end);
    if (scene->machine.player != NULL)
        tell_machine(viewer, action);
}

// -- Drawing --------------------------------------------------------------------------------

view_stage view_stage_of(view_state *viewer, float width, float height)
{
    // A camera that took over from a camera path shows what was seen there.
    const view_rect all = {0.0f, 0.0f, width, height};
    const bool is_framed = viewer->framed.width > 0.0f;
    return (view_stage){
        .region = is_framed ? view_free_region(viewer, width, height) : all,
        .options = viewer->options,
        .renderer = viewer->renderer,
        .log = &viewer->log,
        .document = viewer->document,
        .play = &viewer->play,
        .camera = &viewer->camera,
        .flying = viewer->flying,
        .shown = &viewer->shown,
        .lamps = &viewer->lamps,
        .font = &viewer->font,
        .canvas = &viewer->canvas,
        .lines = &viewer->lines,
    };
}

static void draw_text(view_state *viewer, const view_stage *stage, float width, float height)
{
    view_clear_canvas(&viewer->canvas);
    viewer->layout = (view_layout){0};
    if (viewer->shown.panel)
        view_draw_panel(viewer, width, height);
    view_draw_lists(viewer, width, height);
    view_draw_canvas(stage);
}

bool view_draw(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
               bool transparent, bool clean, md5_error *error)
{
    // First of all: a machine's character walks, and the camera goes along. In a crowd the camera
    // says who is seen.
    if (viewer->document->crowd.count == 0)
        view_pose(&viewer->document->scene, &viewer->play);
    view_keep_framed(viewer, width, height);
    const view_stage stage = view_stage_of(viewer, (float)width, (float)height);
    md5_error draw_error;
    const bool drawn = view_draw_world(&stage, target, width, height, transparent, &draw_error);
    if (!clean)
        draw_text(viewer, &stage, (float)width, (float)height);
    const bool ended = md5gl_end_frame(viewer->renderer, error);
    if (!drawn && error != NULL)
        *error = draw_error;
    return drawn && ended;
}
