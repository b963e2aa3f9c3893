// The time bar: shows the clip's time; dragging it seeks.
#include "demo/viewer/ui/panels.h"

#include "demo/viewer/base/math.h"

#include <math.h>
#include <stdio.h>

// -- Drawing --------------------------------------------------------------------------------

// A triangle while paused, two bars while playing.
static void draw_play_sign(const view_facts *facts, float x, float y, float size)
{
    view_canvas *const canvas = facts->stage.canvas;
    if (facts->stage.play->playing) {
        view_draw_rect(canvas, (view_rect){x, y, 0.32f * size, size}, VIEW_BRIGHT);
        view_draw_rect(canvas, (view_rect){x + 0.6f * size, y, 0.32f * size, size}, VIEW_BRIGHT);
        return;
    }
    const bool back = facts->stage.play->backward;
    const float base = back ? x + size : x, tip = back ? x : x + size;
    const float corners[6] = {base, y, base, y + size, tip, y + 0.5f * size};
    view_draw_triangle(canvas, corners, VIEW_BRIGHT);
}

// One line per frame if there is space, every tenth longer.
static void draw_ticks(const view_facts *facts, view_rect track, const md5_anim *anim,
                       double length)
{
    const float scale = facts->stage.font->scale;
    const double step = (double)track.width / (length * anim->frame_rate);
    const uint32_t stride = step >= 5.0 * (double)scale ? 1 : 10;
    if (step * stride < 4.0 * (double)scale)
        return;
    for (uint32_t frame = 0; frame < anim->num_frames; frame += stride) {
        const float x = track.x + (float)(step * frame);
        const float height = (frame % 10 == 0 ? 6.0f : 3.0f) * scale;
        const view_rect tick = {x, track.y + track.height + 3.0f * scale, scale, height};
        view_draw_rect(facts->stage.canvas, tick, 0x8A93A1A0u);
    }
}

// The range that is played, with a mark at each end.
static void draw_range(const view_facts *facts, view_rect track, const md5_anim *anim,
                       double length)
{
    double begin, end;
    const float scale = facts->stage.font->scale;
    if (!view_find_range(facts->stage.play, anim, &begin, &end))
        return;
    const float left = track.x + track.width * (float)(begin / length);
    const float right = track.x + track.width * (float)fmin(end / length, 1.0);
    const float top = track.y - 5.0f * scale, height = track.height + 10.0f * scale;
    view_canvas *const canvas = facts->stage.canvas;
    view_draw_rect(canvas, (view_rect){left, track.y, right - left, track.height}, VIEW_AMBER);
    view_draw_rect(canvas, (view_rect){left - scale, top, 2.0f * scale, height}, VIEW_AMBER);
    view_draw_rect(canvas, (view_rect){right - scale, top, 2.0f * scale, height}, VIEW_AMBER);
}

// Frame commands of the clip as marks above the line; those that have just passed are bright.
static void draw_commands(const view_facts *facts, view_rect track, const md5_anim *anim,
                          double length)
{
    enum { MOST_DRAWN = 2000 };
    const double lit = 0.35; // seconds
    const view_scene *const scene = &facts->stage.document->scene;
    const float scale = facts->stage.font->scale, top = track.y - 4.0f * scale;
    const md5_model_anim *const from = view_commands_of(scene);
    if (from == NULL)
        return;
    const double now = view_cycle_time(facts->stage.play, anim);
    uint32_t last = 0;
    for (uint32_t i = 0; i < from->num_commands && i < MOST_DRAWN; i++) {
        const uint32_t frame = from->commands[i].frame;
        if (frame == last || frame == 0 || frame > anim->num_frames)
            continue;
        last = frame;
        const double at = (frame - 1) / anim->frame_rate, since = now - at;
        const float x = track.x + track.width * (float)fmin(at / length, 1.0);
        const float corners[6] = {
            x - 4.0f * scale, top - 6.0f * scale, x + 4.0f * scale, top - 6.0f * scale, x, top};
        view_draw_triangle(facts->stage.canvas, corners,
                           since >= 0.0 && since < lit ? VIEW_BRIGHT : VIEW_AMBER);
    }
}

// Left of the line is the button that plays and pauses.
void view_bar_panel(view_ui *ui, const view_facts *facts)
{
    const md5_anim *const anim = view_clock(&facts->stage.document->scene);
    const float scale = facts->stage.font->scale, margin = VIEW_MARGIN * scale;
    const double length = view_cycle_length(facts->stage.play, anim);
    view_canvas *const canvas = facts->stage.canvas;
    const view_rect bar = {margin, view_bar_top(facts), facts->width - 2.0f * margin,
                           VIEW_BAR_HEIGHT * scale};
    view_draw_round_rect(canvas, bar, VIEW_RADIUS * scale, VIEW_BOX);
    draw_play_sign(facts, bar.x + 14.0f * scale, bar.y + 13.0f * scale, 14.0f * scale);

    char text[48];
    (void)snprintf(text, sizeof text, "%.2f / %.2f s", view_cycle_time(facts->stage.play, anim),
                   length);
    const float measured = view_text_width(facts->stage.font, VIEW_TEXT, text);
    const float text_width = fmaxf(118.0f * scale, measured + 16.0f * scale);
    const float text_left = bar.x + bar.width - 16.0f * scale - measured;
    view_draw_text(canvas, VIEW_TEXT, text_left, bar.y + 10.0f * scale, 0, VIEW_PLAIN, text);

    const view_rect track = {bar.x + 46.0f * scale, bar.y + 16.0f * scale,
                             bar.width - 46.0f * scale - text_width - 16.0f * scale, 4.0f * scale};
    float part;
    ui_begin(ui, "scrub");
    if (ui_item(ui, bar, "time")) {
        if (ui->x < track.x - 8.0f * scale)
            ui_ask_action(ui, VIEW_PLAY);
        else
            ui_hold(ui);
    }
    if (track.width <= 0.0f)
        return;
    if (ui_follow(ui, track, &part))
        view_seek(facts->play, anim, (double)part * length);
    const double place = length > 0.0 ? view_cycle_time(facts->stage.play, anim) / length : 0.0;
    const float done = track.width * (float)fmin(place, 1.0);
    view_draw_round_rect(canvas, track, 2.0f * scale, 0x4A5361FFu);
    if (length > 0.0)
        draw_ticks(facts, track, anim, length);
    view_draw_round_rect(canvas, (view_rect){track.x, track.y, done, track.height}, 2.0f * scale,
                         VIEW_ACCENT);
    if (length > 0.0)
        draw_range(facts, track, anim, length);
    if (length > 0.0)
        draw_commands(facts, track, anim, length);
    view_draw_disc(canvas, track.x + done, track.y + 0.5f * track.height, 7.0f * scale,
                   VIEW_BRIGHT);
}
