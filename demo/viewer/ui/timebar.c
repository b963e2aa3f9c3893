// The time bar: buttons of playback, the timeline of the clip, and numbers. Their widths are
// constant, so that they do not move during playback. A drag on the timeline sets the time.
#include "demo/viewer/ui/timebar.h"

#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

// Sizes in em.
static const float icon_width = 1.7f;
static const float play_width = 2.6f;
static const float button_gap = 0.45f;
static const float max_clip_width = 10;  // button with the name of the clip, without its border
static const float progress_width = 9;   // bar that displays the progress of a transition
static const float min_state_width = 12; // space below which no state is displayed

// Sizes in layout units.
static const float track_height = 4;
static const float track_radius = 2;
static const float knob_radius = 7;

static const double event_lifetime = 1.5; // duration of the display of an event, seconds

static const view_color play_icon_color = 0x0E1116FFu;
static const view_color tick_color = 0x8A93A1A0u;
static const char minus[] = "\xE2\x88\x92";

enum { FRAMES_PER_LONG_TICK = 10 };

// == Buttons ==============================================================================

typedef enum bar_button {
    BUTTON_FIRST,
    BUTTON_BACK,
    BUTTON_PLAY,
    BUTTON_ON,
    BUTTON_LAST,
    BUTTON_DOCK,
} bar_button;

static const struct {
    const char *label;
    const char *icon;
    view_action action;
} buttons[] = {
    [BUTTON_FIRST] = {"first", "\xE2\x9D\x99\xE2\x97\x80", VIEW_GO_FIRST},
    [BUTTON_BACK] = {"back", "\xE2\x97\x82", VIEW_STEP_BACK},
    [BUTTON_PLAY] = {"play", "\xE2\x96\xB6", VIEW_PLAY},
    [BUTTON_ON] = {"on", "\xE2\x96\xB8", VIEW_STEP_ON},
    [BUTTON_LAST] = {"last", "\xE2\x96\xB6\xE2\x9D\x99", VIEW_GO_LAST},
    [BUTTON_DOCK] = {"panels", "\xE2\x97\xA7", VIEW_NOTHING},
};

// Draws the next button with an icon at the left end of the bar, handles its input, and removes
// its space from `bar`. While a clip plays, BUTTON_PLAY has the icon for pausing. Returns true
// if the button was pressed.
static bool icon_button(view_ui *ui, bar_button button, view_rect *bar)
{
    const float em = ui->em;
    const bool is_play = button == BUTTON_PLAY;
    const float width = is_play ? play_width : icon_width;
    const view_rect box = view_cut(bar, VIEW_AT_LEFT, roundf(width * em));
    const bool is_pressed = ui_item(ui, box, buttons[button].label);

    view_color background = VIEW_CONTROL;
    if (is_play)
        background = VIEW_ACCENT;
    else if (ui_is_hot(ui))
        background = VIEW_HOVERED;
    view_draw_round_rect(ui->canvas, box, 0.3f * em, background);

    const bool is_pause = is_play && ui->stage->play->playing;
    const char *const icon = is_pause ? "\xE2\x9D\x9A\xE2\x9D\x9A" : buttons[button].icon;
    ui_text_in(ui, box, is_play ? play_icon_color : VIEW_BRIGHT, icon);
    view_cut(bar, VIEW_AT_LEFT, roundf(button_gap * em));

    ui_command_tooltip(ui, buttons[button].action);
    if (is_pressed)
        UI_COMMAND(ui, buttons[button].action);
    return is_pressed;
}

// Draws a button with a text at the right end of the bar, handles its input, and removes its
// space from `bar`. The button is as wide as the text `widest` requires, so that it does not
// move when its text changes.
static void text_button(view_ui *ui, view_rect *bar, const char *widest, const char *text,
                        view_action action)
{
    const float em = ui->em;
    const view_rect box = view_cut(bar, VIEW_AT_RIGHT, ceilf(ui_text_width(ui, widest) + em));
    if (ui_button(ui, box, text, false))
        UI_COMMAND(ui, action);
    ui_command_tooltip(ui, action);
    view_cut(bar, VIEW_AT_RIGHT, roundf(button_gap * em));
}

// Draws the button with the name of the current clip and handles its input. It opens the list of
// clips. It is as wide as the longest name requires, so that the timeline does not move when the
// clip changes.
static void clip_button(view_ui *ui, view_rect *bar)
{
    const view_clip *const shown = view_shown_clip(ui->scene);
    const float em = ui->em;
    if (shown == NULL || view_get_mode(ui->stage->document) != VIEW_MODE_CLIPS)
        return;

    float name_width = 0;
    for (size_t i = 0; i < ui->scene->num_clips; i++)
        name_width = fmaxf(name_width, ui_text_width(ui, ui->scene->clips[i].name));
    const float width = ceilf(fminf(name_width, max_clip_width * em) + em);
    view_cut(bar, VIEW_AT_LEFT, roundf(button_gap * em));
    if (ui_button(ui, view_cut(bar, VIEW_AT_LEFT, width), shown->name, false))
        UI_COMMAND(ui, VIEW_CLIPS);
}

// Draws a right-aligned text at the right end of the bar, and removes the width of the text
// `widest` from `bar`. All digits have the same width, so that a changing number does not move.
static void bar_text(view_ui *ui, view_rect *bar, const char *widest, const char *text,
                     view_color color)
{
    const view_rect box = view_cut(bar, VIEW_AT_RIGHT, ceilf(ui_text_width(ui, widest)));
    ui_right_aligned_text(ui, box.x + box.width, ui_text_top(ui, box), color, text);
    view_cut(bar, VIEW_AT_RIGHT, UI_PADDING * ui->em);
}

// == The timeline =========================================================================

// Draws a tick for each frame below the timeline. Every tenth tick is longer. If the ticks would be
// too close together, only the long ticks are drawn, or none. `length` is the duration of the
// timeline in seconds.
static void draw_ticks(const view_stage *stage, view_rect track, const md5_anim *anim,
                       double length)
{
    const float scale = stage->font->scale;
    const double frame_width = track.width / (length * anim->frame_rate); // pixels
    const uint32_t stride = frame_width >= 5.0 * scale ? 1 : FRAMES_PER_LONG_TICK;
    if (frame_width * stride < 4.0 * scale)
        return;

    for (uint32_t frame = 0; frame < anim->num_frames; frame += stride) {
        const bool is_long = frame % FRAMES_PER_LONG_TICK == 0;
        const view_rect tick = {track.x + (float)(frame_width * frame),
                                track.y + track.height + 3 * scale, scale,
                                (is_long ? 6 : 3) * scale};
        view_draw_rect(stage->canvas, tick, tick_color);
    }
}

// Draws the range that is played, if it is not the whole clip, with a mark at each end. `length` is
// the duration of the timeline in seconds.
static void draw_range(const view_stage *stage, view_rect track, const md5_anim *anim,
                       double length)
{
    double begin; // seconds
    double end;
    if (!view_find_range(stage->play, anim, &begin, &end))
        return;

    view_canvas *const canvas = stage->canvas;
    const float scale = stage->font->scale;
    const float left = track.x + track.width * (float)(begin / length);
    const float right = track.x + track.width * (float)fmin(end / length, 1);
    const float top = track.y - 5 * scale;
    const float height = track.height + 10 * scale;
    view_draw_rect(canvas, (view_rect){left, track.y, right - left, track.height}, VIEW_AMBER);
    view_draw_rect(canvas, (view_rect){left - scale, top, 2 * scale, height}, VIEW_AMBER);
    view_draw_rect(canvas, (view_rect){right - scale, top, 2 * scale, height}, VIEW_AMBER);
}

// Draws a triangle that points down to the timeline at `x`.
static void draw_command_mark(const view_stage *stage, view_rect track, float x, view_color color)
{
    const float scale = stage->font->scale;
    const float half_width = 4 * scale;
    const float bottom = track.y - 4 * scale;
    const float top = bottom - 6 * scale;
    const float corners[6] = {x - half_width, top, x + half_width, top, x, bottom};
    view_draw_triangle(stage->canvas, corners, color);
}

// Draws marks above the timeline at frames that have commands. A mark is brighter for a short time
// after its command was executed. `length` is the duration of the timeline in seconds.
static void draw_commands(const view_stage *stage, view_rect track, const md5_anim *anim,
                          double length)
{
    enum { MAX_COMMANDS = 2000 }; // limits the time for a hostile file
    const double lit_time = 0.35; // duration of a mark's higher brightness, seconds
    const double cycle_time = view_cycle_time(stage->play, anim);
    const md5_model_anim *const source = view_selected_commands(&stage->document->scene);
    const uint32_t num_commands = source != NULL ? source->num_commands : 0;

    // The commands are sorted by frame, and their frames are numbered from 1.
    uint32_t marked_frame = 0; // frame of the last mark
    for (uint32_t i = 0; i < num_commands && i < MAX_COMMANDS; i++) {
        const uint32_t frame = source->commands[i].frame;
        if (frame == marked_frame || frame == 0 || frame > anim->num_frames)
            continue;
        marked_frame = frame;
        const double time = (frame - 1) / anim->frame_rate;
        const double age = cycle_time - time;
        const bool is_lit = age >= 0 && age < lit_time;
        const float x = track.x + track.width * (float)fmin(time / length, 1);
        draw_command_mark(stage, track, x, is_lit ? VIEW_BRIGHT : VIEW_AMBER);
    }
}

// Draws the content of the timeline: ticks, the part before the current time, the played range, and
// marks of frame commands. `length` is the duration of the timeline in seconds, more than 0.
static void draw_marks(const view_stage *stage, view_rect track, const md5_anim *anim,
                       double length)
{
    draw_ticks(stage, track, anim, length);

    const double cycle_time = view_cycle_time(stage->play, anim);
    view_rect played = track;
    played.width = track.width * (float)fmin(cycle_time / length, 1);
    view_draw_round_rect(stage->canvas, played, track_radius * stage->font->scale, VIEW_ACCENT);

    draw_range(stage, track, anim, length);
    draw_commands(stage, track, anim, length);
}

// Draws the buttons of the speed, and the button that selects what happens at the end of the clip.
// Also handles their input. Removes their space from the right end of `bar`. `is_wide` means that
// there is space for buttons that change the speed by a step. The first text that is passed to
// text_button() determines the width of a button. With "+" as the first text of both step buttons,
// they have the same width.
static void run_speed_buttons(view_ui *ui, bool is_wide, view_rect *bar)
{
    const view_play *const play = ui->stage->play;
    char speed[48];
    char widest[48];
    COMMON_TEXT(speed, "%s%.3g\xC3\x97", play->backward ? minus : "", play->speed);
    COMMON_TEXT(widest, "%s0.25\xC3\x97", minus);

    text_button(ui, bar, "cycle", view_wrap_name(play->wrap), view_get_toggle(VIEW_OPTION(wrap)));
    if (is_wide)
        text_button(ui, bar, "+", "+", VIEW_FASTER);
    text_button(ui, bar, widest, speed, VIEW_NORMAL_SPEED);
    if (is_wide)
        text_button(ui, bar, "+", minus, VIEW_SLOWER);
    view_cut(bar, VIEW_AT_RIGHT, button_gap * ui->em);
}

// Displays the buttons of the speed, the time and the frame at the right end of the bar, from right
// to left. Removes their space from `bar`. They do not move during playback.
static void show_numbers(view_ui *ui, view_arrangement arrangement, view_rect *bar)
{
    const view_play *const play = ui->stage->play;
    const md5_anim *const anim = view_timing_anim(ui->scene);
    const double length = view_cycle_length(play, anim);
    const bool is_wide = arrangement == VIEW_ARRANGE_BESIDE;
    char text[48];
    char widest[48];
    if (arrangement != VIEW_ARRANGE_SHEET)
        run_speed_buttons(ui, is_wide, bar);

    if (is_wide) { // the time in seconds
        COMMON_TEXT(text, "/ %.3f s", length);
        bar_text(ui, bar, text, text, VIEW_DIM);
        COMMON_TEXT(text, "%.3f", view_cycle_time(play, anim));
        COMMON_TEXT(widest, "%.3f", fmax(length, 0));
        bar_text(ui, bar, widest, text, VIEW_BRIGHT);
    }

    COMMON_TEXT(text, "of %u", anim->num_frames);
    bar_text(ui, bar, text, text, VIEW_DIM);
    COMMON_TEXT(text, "%.1f", view_frame_position(play, anim));
    COMMON_TEXT(widest, "%u.0", anim->num_frames);
    bar_text(ui, bar, widest, text, VIEW_BRIGHT);
}

// Returns the index of the layer whose state the bar displays. It is the layer that determines the
// pose: the last one that overrides all joints and plays a motion. If there is none, returns the
// first layer.
static uint32_t find_main_layer(const view_machine *machine)
{
    uint32_t main_layer = 0;
    for (uint32_t i = 0; i < machine->desc->num_layers; i++) {
        const md5_layer_desc *const layer = &machine->desc->layers[i];
        const uint32_t state = md5_player_layer(machine->player, i).state;
        const bool overrides_all = layer->mask == NULL && layer->mode == MD5_LAYER_OVERRIDE;
        if (overrides_all && layer->states[state].motion != NULL)
            main_layer = i;
    }
    return main_layer;
}

// Draws the time of a machine in seconds at the left end of the bar. Returns the left edge of the
// next text.
static float draw_machine_time(view_ui *ui, const view_machine *machine, view_rect bar)
{
    const float em = ui->em;
    const float y = ui_text_top(ui, bar);
    char time[160];
    COMMON_TEXT(time, "%.2f", machine->time);
    const float width = fmaxf(ui_text_width(ui, "0000.00"), ui_text_width(ui, time));
    float x = bar.x + UI_PADDING * em + width;
    ui_right_aligned_text(ui, x, y, VIEW_BRIGHT, time);
    x += 0.4f * em;
    const float unit_width = ui_text(ui, x, y, 0, VIEW_DIM, "s");
    return x + (unit_width + 2 * em);
}

// Draws the active state of a layer at `x`. During a transition, draws the previous state, the
// active state, and a bar with the progress. Returns the right edge of the texts.
static float draw_layer_state(view_ui *ui, const md5_layer_desc *layer,
                              const md5_layer_status *status, float x, view_rect bar)
{
    const float em = ui->em;
    const float y = ui_text_top(ui, bar);
    const float right = bar.x + bar.width;
    const char *const state = layer->states[status->state].name;
    if (status->from == MD5_NONE)
        return x + ui_text(ui, x, y, fmaxf(right - x, 1), VIEW_BRIGHT, state);

    char text[160];
    COMMON_TEXT(text, "%s \xE2\x86\x92 %s", layer->states[status->from].name, state);
    x += ui_text(ui, x, y, 0, VIEW_BRIGHT, text) + UI_PADDING * em;
    const view_rect line = {x, bar.y + 0.5f * bar.height - 0.5f * UI_BAR_HEIGHT * em,
                            progress_width * em, UI_BAR_HEIGHT * em};
    if (line.x + line.width < right)
        ui_bar(ui, line, status->progress);
    return x + progress_width * em;
}

// Draws the time of a machine, the active state or the current transition of a layer, and the last
// event.
static void show_machine(view_ui *ui, view_rect bar)
{
    const view_machine *const machine = &ui->scene->machine;
    const float em = ui->em;
    const float right = bar.x + bar.width;
    float x = draw_machine_time(ui, machine, bar);
    if (machine->desc->num_layers == 0 || right - x < min_state_width * em)
        return;

    const uint32_t layer = find_main_layer(machine);
    const md5_layer_status status = md5_player_layer(machine->player, layer);
    x = draw_layer_state(ui, &machine->desc->layers[layer], &status, x, bar);

    // The last event, at the right end if there is space.
    const view_event *const event = &machine->events[0];
    const bool is_recent = fabs(machine->time - event->time) < event_lifetime;
    if (is_recent && x + 2 * em + ui_text_width(ui, event->text) < right)
        ui_right_aligned_text(ui, right, ui_text_top(ui, bar), VIEW_AMBER, event->text);
}

// Draws the bar of a state machine and handles its input. It has no timeline, because a state
// machine has no end. `row` is the part of the bar for buttons and texts. `is_sheet` is true in
// a small window.
static void run_machine_bar(view_ui *ui, bool is_sheet, view_rect row)
{
    icon_button(ui, BUTTON_PLAY, &row);
    if (!is_sheet) {
        icon_button(ui, BUTTON_FIRST, &row);
        icon_button(ui, BUTTON_BACK, &row);
        icon_button(ui, BUTTON_ON, &row);
    }
    show_machine(ui, row);
}

// Draws the timeline of a clip and handles its input. A press or a drag sets the time. A click
// of the right button pauses at the time under the mouse and opens the context menu of this
// time. `track` is the line. It can be pressed over the full height of the bar.
static void run_timeline(view_ui *ui, view_rect bar, view_rect track)
{
    const view_stage *const stage = ui->stage;
    const md5_anim *const anim = view_timing_anim(ui->scene);
    const double length = view_cycle_length(stage->play, anim); // seconds
    const view_rect reach = {track.x, bar.y, track.width, bar.height};
    float part; // position of the mouse on the track, 0 to 1
    const bool is_pressed = ui_item(ui, reach, "time");
    if (ui_drag(ui, is_pressed, track, &part))
        view_seek(stage->play, anim, part * length);
    if (ui_context(ui, VIEW_ON_TIME, 0, 0, NULL, NULL)) {
        part = view_clamp((ui->mouse.x - track.x) / track.width, 0, 1);
        stage->play->playing = false;
        view_seek(stage->play, anim, part * length);
    }

    const float scale = ui->scale;
    const double position = length > 0 ? view_cycle_time(stage->play, anim) / length : 0;
    view_draw_round_rect(stage->canvas, track, track_radius * scale, VIEW_EDGE);
    if (length > 0)
        draw_marks(stage, track, anim, length);
    view_draw_disc(stage->canvas, track.x + track.width * (float)fmin(position, 1),
                   track.y + 0.5f * track.height, knob_radius * scale, VIEW_BRIGHT);
}

// Draws the bar of a clip: buttons, the timeline, and numbers. Also handles its input. `row` is
// the part of the bar for buttons and texts. In a small window, only the button that plays the
// clip is displayed.
static void run_clip_bar(view_ui *ui, view_rect bar, view_rect row)
{
    const view_arrangement arrangement = view_current_layout(ui->stage).arrangement;
    const bool is_sheet = arrangement == VIEW_ARRANGE_SHEET;
    const float em = ui->em;
    const float height = track_height * ui->scale;
    for (bar_button button = BUTTON_FIRST; button <= BUTTON_LAST; button++) {
        if (!is_sheet || button == BUTTON_PLAY)
            icon_button(ui, button, &row);
    }
    if (!is_sheet)
        clip_button(ui, &row);
    show_numbers(ui, arrangement, &row);

    const view_rect track = {row.x + UI_PADDING * em,
                             bar.y + roundf(0.5f * bar.height - 0.5f * height),
                             row.width - 2 * UI_PADDING * em, height};
    if (track.width > 0)
        run_timeline(ui, bar, track);
}

// Draws the time bar in the rectangle `bar`, for a clip or a state machine. Also handles its
// input.
void view_time_bar(view_ui *ui, view_rect bar)
{
    const view_layout layout = view_current_layout(ui->stage);
    const bool is_sheet = layout.arrangement == VIEW_ARRANGE_SHEET;
    const bool has_handle = layout.handle.width > 0;
    const float em = ui->em;
    view_draw_rect(ui->canvas, bar, VIEW_DOCK);
    if (!has_handle)
        view_draw_rect(ui->canvas, (view_rect){bar.x, bar.y, bar.width, ui_thin_line(ui)},
                       VIEW_EDGE);
    ui_begin(ui, "scrub");
    ui_item(ui, bar, "");

    view_rect row = {roundf(bar.x + UI_PADDING * em), roundf(bar.y + 0.65f * em),
                     bar.width - 2 * UI_PADDING * em, roundf(1.7f * em)};
    // In a small window the sheet has no handle, so a button opens and closes it.
    if (is_sheet && !has_handle && icon_button(ui, BUTTON_DOCK, &row)) {
        ui->docks.is_sheet_open = !ui->docks.is_sheet_open || ui->docks.is_folded;
        ui->docks.is_folded = false;
    }
    if (view_shows_machine(ui->stage))
        run_machine_bar(ui, is_sheet, row);
    else if (view_timing_anim(ui->scene) != NULL)
        run_clip_bar(ui, bar, row);
}
