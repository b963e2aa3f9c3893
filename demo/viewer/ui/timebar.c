// The time bar: buttons, a timeline of the clip, and numbers of constant width. Dragging on the
// timeline seeks.
#include "demo/viewer/ui/timebar.h"

#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

// == Buttons ==============================================================================

typedef enum bar_sign { SIGN_FIRST, SIGN_BACK, SIGN_PLAY, SIGN_ON, SIGN_LAST, SIGN_DOCK } bar_sign;

static const struct {
    const char *label;
    const char *sign;
    view_action action;
} signs[] = {
    [SIGN_FIRST] = {"first", "\xE2\x9D\x99\xE2\x97\x80", VIEW_GO_FIRST},
    [SIGN_BACK] = {"back", "\xE2\x97\x82", VIEW_STEP_BACK},
    [SIGN_PLAY] = {"play", "\xE2\x96\xB6", VIEW_PLAY},
    [SIGN_ON] = {"on", "\xE2\x96\xB8", VIEW_STEP_ON},
    [SIGN_LAST] = {"last", "\xE2\x96\xB6\xE2\x9D\x99", VIEW_GO_LAST},
    [SIGN_DOCK] = {"panels", "\xE2\x97\xA7", VIEW_NOTHING},
};

// The next button, cut off the left end of the bar. Returns true if it was pressed.
static bool sign_button(view_ui *ui, bar_sign sign, view_rect *bar)
{
    const float em = ui->em;
    const bool is_play = sign == SIGN_PLAY;
    const view_rect box = view_cut(bar, VIEW_AT_LEFT, roundf((is_play ? 2.6f : 1.7f) * em));
    const bool is_pressed = ui_item(ui, box, signs[sign].label);
    view_color background = VIEW_CONTROL;
    if (is_play)
        background = VIEW_ACCENT;
    else if (ui_is_hot(ui))
        background = VIEW_HOVERED;
    view_draw_round_rect(ui->canvas, box, 0.3f * em, background);
    const bool is_pause = is_play && ui->stage->play->playing;
    const char *const icon = is_pause ? "\xE2\x9D\x9A\xE2\x9D\x9A" : signs[sign].sign;
    ui_text_in(ui, box, is_play ? 0x0E1116FFu : VIEW_BRIGHT, icon);
    view_cut(bar, VIEW_AT_LEFT, roundf(0.45f * em));
    ui_tip_command(ui, signs[sign].action);
    if (is_pressed)
        ui->command.action = signs[sign].action;
    return is_pressed;
}

// A button with a text, cut off the right end of the bar, as wide as the text `widest` would need.
static void word_button(view_ui *ui, view_rect *bar, const char *widest, const char *word,
                        view_action action)
{
    const float em = ui->em;
    if (ui_button(ui, view_cut(bar, VIEW_AT_RIGHT, ceilf(ui_text_width(ui, widest) + em)), word,
                  false))
        ui->command.action = action;
    ui_tip_command(ui, action);
    view_cut(bar, VIEW_AT_RIGHT, roundf(0.45f * em));
}

// The button with the name of the current clip, which opens the list of clips. It is as wide as the
// longest name of a clip.
static void clip_button(view_ui *ui, view_rect *bar)
{
    const view_clip *const shown = view_shown_clip(ui->scene);
    const float em = ui->em;
    float width = 0;
    if (shown == NULL || view_mode_of(ui->stage->document) != VIEW_MODE_CLIPS)
        return;
    for (size_t i = 0; i < ui->scene->num_clips; i++)
        width = fmaxf(width, ui_text_width(ui, ui->scene->clips[i].name));
    view_cut(bar, VIEW_AT_LEFT, roundf(0.45f * em));
    if (ui_button(ui, view_cut(bar, VIEW_AT_LEFT, ceilf(fminf(width, 10 * em) + em)), shown->name,
                  false))
        ui->command.action = VIEW_CLIPS;
}

// A right-aligned text, cut off the right end of the bar, as wide as the text `widest`. Digits are
// equally wide.
static void place_text(view_ui *ui, view_rect *bar, const char *widest, const char *text,
                       view_color color)
{
    const view_rect box = view_cut(bar, VIEW_AT_RIGHT, ceilf(ui_text_width(ui, widest)));
    ui_text_left_of(ui, box.x + box.width, ui_text_top(ui, box), color, text);
    view_cut(bar, VIEW_AT_RIGHT, 0.7f * ui->em);
}

// == The timeline =========================================================================

// Draws the ticks of the frames: one per frame if there is space, every tenth longer.
static void draw_ticks(const view_stage *stage, view_rect track, const md5_anim *anim,
                       double length)
{
    const float scale = stage->font->scale;
    const double step = track.width / (length * anim->frame_rate);
    const uint32_t stride = step >= 5.0 * scale ? 1 : 10;
    if (step * stride < 4.0 * scale)
        return;
    for (uint32_t frame = 0; frame < anim->num_frames; frame += stride) {
        const view_rect tick = {track.x + (float)(step * frame), track.y + track.height + 3 * scale,
                                scale, (frame % 10 == 0 ? 6 : 3) * scale};
        view_draw_rect(stage->canvas, tick, 0x8A93A1A0u);
    }
}

// Draws the range that is played, with a mark at each end.
static void draw_range(const view_stage *stage, view_rect track, const md5_anim *anim,
                       double length)
{
    const float scale = stage->font->scale;
    view_canvas *const canvas = stage->canvas;
    double begin;
    double end;
    if (!view_find_range(stage->play, anim, &begin, &end))
        return;
    const float left = track.x + track.width * (float)(begin / length);
    const float right = track.x + track.width * (float)fmin(end / length, 1);
    const float top = track.y - 5 * scale;
    const float height = track.height + 10 * scale;
    view_draw_rect(canvas, (view_rect){left, track.y, right - left, track.height}, VIEW_AMBER);
    view_draw_rect(canvas, (view_rect){left - scale, top, 2 * scale, height}, VIEW_AMBER);
    view_draw_rect(canvas, (view_rect){right - scale, top, 2 * scale, height}, VIEW_AMBER);
}

// Draws the frame commands of the clip as marks above the timeline. Commands that were executed a
// short time ago are brighter.
static void draw_commands(const view_stage *stage, view_rect track, const md5_anim *anim,
                          double length)
{
    enum { MAX_COMMANDS = 2000 };
    const double lit = 0.35; // seconds
    const float scale = stage->font->scale;
    const double now = view_cycle_time(stage->play, anim);
    const md5_model_anim *const from = view_selected_commands(&stage->document->scene);
    const uint32_t num_commands = from != NULL ? from->num_commands : 0;
    uint32_t last = 0;
    for (uint32_t i = 0; i < num_commands && i < MAX_COMMANDS; i++) {
        const uint32_t frame = from->commands[i].frame;
        if (frame == last || frame == 0 || frame > anim->num_frames)
            continue;
        last = frame;
        const double time = (frame - 1) / anim->frame_rate;
        const double since = now - time;
        const float x = track.x + track.width * (float)fmin(time / length, 1);
        const float bottom = track.y - 4 * scale;
        const float top = bottom - 6 * scale;
        const float corners[6] = {x - 4 * scale, top, x + 4 * scale, top, x, bottom};
        view_draw_triangle(stage->canvas, corners,
                           since >= 0 && since < lit ? VIEW_BRIGHT : VIEW_AMBER);
    }
}

// Draws the content of the timeline.
static void draw_marks(const view_stage *stage, view_rect track, const md5_anim *anim,
                       double length)
{
    draw_ticks(stage, track, anim, length);
    const double now = view_cycle_time(stage->play, anim);
    const float done = track.width * (float)fmin(now / length, 1);
    view_draw_round_rect(stage->canvas, (view_rect){track.x, track.y, done, track.height},
                         2 * stage->font->scale, VIEW_ACCENT);
    draw_range(stage, track, anim, length);
    draw_commands(stage, track, anim, length);
}

// Draws the numbers and buttons at the right of the timeline, beginning at the right end. The texts
// do not move during playback.
static void show_figures(view_ui *ui, view_arrangement arrangement, view_rect *bar)
{
    static const char minus[] = "\xE2\x88\x92";
    const view_play *const play = ui->stage->play;
    const md5_anim *const anim = view_timing_anim(ui->scene);
    const double length = view_cycle_length(play, anim);
    const bool is_wide = arrangement == VIEW_ARRANGE_BESIDE;
    char text[48];
    char widest[48];
    if (arrangement != VIEW_ARRANGE_SHEET) {
        word_button(ui, bar, "cycle", view_wrap_name(play->wrap),
                    view_get_toggle(VIEW_OPTION(wrap)));
        if (is_wide)
            word_button(ui, bar, "+", "+", VIEW_FASTER);
        COMMON_TEXT(text, "%s%.3g\xC3\x97", play->backward ? minus : "", play->speed);
        COMMON_TEXT(widest, "%s0.25\xC3\x97", minus);
        word_button(ui, bar, widest, text, VIEW_NORMAL_SPEED);
        if (is_wide)
            word_button(ui, bar, "+", minus, VIEW_SLOWER);
        view_cut(bar, VIEW_AT_RIGHT, 0.45f * ui->em);
    }
    if (is_wide) {
        COMMON_TEXT(text, "/ %.3f s", length);
        place_text(ui, bar, text, text, VIEW_DIM);
        COMMON_TEXT(text, "%.3f", view_cycle_time(play, anim));
        COMMON_TEXT(widest, "%.3f", fmax(length, 0));
        place_text(ui, bar, widest, text, VIEW_BRIGHT);
    }
    COMMON_TEXT(text, "of %u", anim->num_frames);
    place_text(ui, bar, text, text, VIEW_DIM);
    COMMON_TEXT(text, "%.1f", view_frame_position(play, anim));
    COMMON_TEXT(widest, "%u.0", anim->num_frames);
    place_text(ui, bar, widest, text, VIEW_BRIGHT);
}

// Draws the time of a machine, the active state or transition of a layer, and the last event.
static void show_machine(view_ui *ui, view_rect bar)
{
    const view_machine *const machine = &ui->scene->machine;
    const float em = ui->em;
    const float y = ui_text_top(ui, bar);
    const float right = bar.x + bar.width;
    const view_event *const event = &machine->events[0];
    char text[160];
    COMMON_TEXT(text, "%.2f", machine->time);
    float x = bar.x + 0.7f * em + fmaxf(ui_text_width(ui, "0000.00"), ui_text_width(ui, text));
    ui_text_left_of(ui, x, y, VIEW_BRIGHT, text);
    x += 0.4f * em;
    x += ui_text(ui, x, y, 0, VIEW_DIM, "s") + 2 * em;
    if (machine->desc->num_layers == 0 || right - x < 12 * em)
        return;
    // The last layer that overrides all joints and plays. The first layer may only wait.
    uint32_t number = 0;
    for (uint32_t i = 0; i < machine->desc->num_layers; i++) {
        const md5_layer_desc *const each = &machine->desc->layers[i];
        const uint32_t state = md5_player_layer(machine->player, i).state;
        if (each->mask == NULL && each->mode == MD5_LAYER_OVERRIDE
            && each->states[state].motion != NULL)
            number = i;
    }
    const md5_layer_desc *const layer = &machine->desc->layers[number];
    const md5_layer_status status = md5_player_layer(machine->player, number);
    if (status.from != MD5_NONE) {
        COMMON_TEXT(text, "%s \xE2\x86\x92 %s", layer->states[status.from].name,
                    layer->states[status.state].name);
        x += ui_text(ui, x, y, 0, VIEW_BRIGHT, text) + 0.7f * em;
        const view_rect line = {x, bar.y + 0.5f * bar.height - 0.15f * em, 9 * em, 0.3f * em};
        if (line.x + line.width < right)
            ui_bar(ui, line, status.progress);
        x += 9 * em;
    } else {
        x += ui_text(ui, x, y, fmaxf(right - x, 1), VIEW_BRIGHT, layer->states[status.state].name);
    }
    const bool is_fresh = fabs(machine->time - event->time) < 1.5;
    const float width = ui_text_width(ui, event->text);
    if (is_fresh && x + 2 * em + width < right)
        ui_text_left_of(ui, right, y, VIEW_AMBER, event->text);
}

void view_time_bar(view_ui *ui, view_rect bar)
{
    const view_stage *const stage = ui->stage;
    const view_layout layout = view_current_layout(stage);
    const view_arrangement arrangement = layout.arrangement;
    const md5_anim *const anim = view_timing_anim(ui->scene);
    const view_play *const play = stage->play;
    const float scale = ui->scale;
    const float em = ui->em;
    const bool is_sheet = arrangement == VIEW_ARRANGE_SHEET;
    view_canvas *const canvas = stage->canvas;
    float part;
    view_rect line = {roundf(bar.x + 0.7f * em), roundf(bar.y + 0.65f * em), bar.width - 1.4f * em,
                      roundf(1.7f * em)};
    view_draw_rect(canvas, bar, VIEW_DOCK);
    if (!(layout.handle.width > 0))
        view_draw_rect(canvas, (view_rect){bar.x, bar.y, bar.width, fmaxf(1, roundf(0.08f * em))},
                       VIEW_EDGE);
    ui_begin(ui, "scrub");
    ui_item(ui, bar, "");
    if (is_sheet && !(layout.handle.width > 0) && sign_button(ui, SIGN_DOCK, &line)) {
        ui->docks.is_sheet_open = !ui->docks.is_sheet_open || ui->docks.is_folded;
        ui->docks.is_folded = false;
    }
    if (view_shows_machine(stage)) {
        sign_button(ui, SIGN_PLAY, &line);
        if (!is_sheet) {
            sign_button(ui, SIGN_FIRST, &line);
            sign_button(ui, SIGN_BACK, &line);
            sign_button(ui, SIGN_ON, &line);
        }
        show_machine(ui, line);
        return;
    }
    if (anim == NULL)
        return;
    for (bar_sign sign = SIGN_FIRST; sign <= SIGN_LAST; sign++)
        if (!is_sheet || sign == SIGN_PLAY)
            sign_button(ui, sign, &line);
    if (!is_sheet)
        clip_button(ui, &line);
    show_figures(ui, arrangement, &line);
    const double length = view_cycle_length(play, anim);
    const view_rect track = {line.x + 0.7f * em, bar.y + roundf(0.5f * bar.height - 2 * scale),
                             line.width - 1.4f * em, 4 * scale};
    if (track.width <= 0)
        return;
    const view_rect reach = {track.x, bar.y, track.width, bar.height};
    if (ui_drag(ui, ui_item(ui, reach, "time"), track, &part))
        view_seek(stage->play, anim, part * length);
    if (ui_context(ui, VIEW_ON_TIME, 0, 0, NULL,
                   NULL)) { // the menu is about the frame under the mouse
        part = view_clamp((ui->mouse.x - track.x) / track.width, 0, 1);
        stage->play->playing = false;
        view_seek(stage->play, anim, part * length);
    }
    const double fraction = length > 0 ? view_cycle_time(play, anim) / length : 0;
    view_draw_round_rect(canvas, track, 2 * scale, VIEW_EDGE);
    if (length > 0)
        draw_marks(stage, track, anim, length);
    view_draw_disc(canvas, track.x + track.width * (float)fmin(fraction, 1),
                   track.y + 0.5f * track.height, 7 * scale, VIEW_BRIGHT);
}
