// Options that are set while the window is open, as if they had been given on the command line.
#include "demo/viewer/jobs/view.h"

#include <assert.h>

void view_note_state(view_state *viewer)
{
    view_options *const options = viewer->options;
    int width, height;
    options->game_demo = viewer->pages.game != NULL;
    options->range_first = viewer->play.range_first;
    options->range_last = viewer->play.range_last;
    memcpy(options->docks, viewer->ui.docks.sizes, sizeof options->docks);
    if (viewer->window == NULL || view_is_full_screen(viewer->window))
        return;
    // In points, in which a window is opened; smaller than that one would not find it again.
    view_window_points(viewer->window, &width, &height);
    options->width = (uint32_t)view_clamp((float)width, 320, VIEW_MAX_PICTURE_SIDE);
    options->height = (uint32_t)view_clamp((float)height, 200, VIEW_MAX_PICTURE_SIDE);
}

// == Effects ======================================================================================

static bool go_to_time(view_state *viewer)
{
    const view_options *const options = viewer->options;
    const md5_anim *const anim = view_clock(&viewer->document->scene);
    if (options->num_times == 0)
        return true;
    viewer->play.playing = false;
    if (anim != NULL && view_mode_of(viewer->document) != VIEW_MODE_MACHINE)
        view_seek(&viewer->play, anim, options->times[options->num_times - 1]);
    else
        viewer->play.time = fmax(options->times[options->num_times - 1], 0);
    return true;
}

static bool select_range(view_state *viewer)
{
    const view_options *const options = viewer->options;
    double begin, end;
    view_play play = viewer->play;
    play.range_first = options->range_first;
    play.range_last = options->range_last;
    const bool is_all = options->range_last == 0;
    if (!is_all && !view_find_range(&play, view_clock(&viewer->document->scene), &begin, &end))
        return view_error(&viewer->log, "--range %u-%u: the clip has no such frames",
                          play.range_first, play.range_last);
    viewer->play = play;
    return true;
}

static bool mark_joint(view_state *viewer)
{
    const char *const name = viewer->options->joint;
    const md5_skeleton *const skeleton = viewer->document->scene.skeleton;
    const int32_t joint =
        name != NULL && skeleton != NULL ? (int32_t)md5_find_joint(skeleton, name) : -1;
    if (name != NULL && joint < 0)
        return view_error(&viewer->log, "--joint %s: the model has no joint of that name", name);
    viewer->ui.selected_joint = joint;
    return true;
}

static void turn_to(view_state *viewer, view_turn turn)
{
    viewer->document->scene.turn = turn;
    view_measure(viewer);
    view_frame_again(viewer, viewer->width, viewer->height);
}

static bool turn_up(view_state *viewer)
{
    const view_turn none = {0};
    turn_to(viewer, viewer->options->up_is_y ? view_turn_further(none, 0) : none);
    return true;
}

static bool verify(view_state *viewer)
{
    viewer->options->verify = false; // once
    const bool is_same = view_run_verify(viewer);
    if (is_same)
        view_notice(viewer, "The GPU skins as the CPU does");
    return is_same;
}

static const struct {
    const char *option;
    bool (*show)(view_state *viewer);
} own_effects[] = {
    {"animation-time", go_to_time},
    {"range", select_range},
    {"joint", mark_joint},
    {"environment", view_select_environment},
    {"page", view_select_page},
    {"game-demo", view_select_game},
    {"up", turn_up},
    {"verify", verify},
};

// Shows what an option was set to. Returns false if that is not possible.
static bool show(view_state *viewer, const view_option *option)
{
    switch (option->effect) {
    case VIEW_EFFECT_REOPENS:
        viewer->document->as_asked = true;
        return view_reload(viewer);
    case VIEW_EFFECT_MEASURES:
        view_measure(viewer);
        return true;
    case VIEW_EFFECT_FRAMES:
        view_frame_anew(viewer);
        return true;
    case VIEW_EFFECT_OWN:
        COMMON_FOR (i, COMMON_LENGTH(own_effects))
            if (strcmp(own_effects[i].option, option->name) == 0)
                return own_effects[i].show(viewer);
        assert(false); // each such option has a row
        return true;
    default:
        return true;
    }
}

// == Setting ======================================================================================

// What the options were, with the lists where they are now: those only grow.
static void undo(view_options *options, const view_options *before)
{
    view_options undone = *before;
    undone.settings = options->settings;
    undone.morphs = options->morphs;
    undone.times = options->times;
    undone.hidden.names = options->hidden.names;
    undone.bases.names = options->bases.names;
    for (size_t i = before->num_morphs; i < options->num_morphs; i++)
        free(options->morphs[i].parameter);
    *options = undone;
}

// NAME=VALUE of a page or a machine, which the options need not know of.
static bool set_parameter(view_state *viewer, const view_option *option, const char *text)
{
    view_options given = {.num_settings = 0};
    const bool is_set = view_read_option(option, text, &given) && given.num_settings == 1
                        && view_set_parameter(viewer, &given.settings[0]);
    view_free_options(&given);
    return is_set;
}

// "12" or "12f" is a frame, of a machine one that it is stepped by, "0.5s" a time. Writes seconds;
// returns false if it is neither.
static bool read_place(const view_state *viewer, const char *text, char *seconds, size_t size)
{
    const md5_anim *const anim = view_clock(&viewer->document->scene);
    const bool has_frames = anim != NULL && view_mode_of(viewer->document) != VIEW_MODE_MACHINE;
    const double rate = has_frames ? anim->frame_rate : (double)VIEW_STEPS_A_SECOND;
    char *end;
    const double number = strtod(text, &end);
    snprintf(seconds, size, "%.17g", *end == 's' ? number : number / rate);
    return end != text && isfinite(number)
           && (*end == '\0' || strcmp(end, "f") == 0 || strcmp(end, "s") == 0);
}

bool view_set_option(view_state *viewer, size_t number, const char *text)
{
    char seconds[32];
    const view_option *const option = &view_option_rows[number];
    view_options *const options = viewer->options;
    view_note_state(viewer);
    const view_options before = *options;
    const bool is_place = strcmp(option->name, "animation-time") == 0 && text[0] != '\0';
    bool is_set;
    if (is_place && !read_place(viewer, text, seconds, sizeof seconds)) {
        view_notice(viewer, "12 or 12f is a frame, 0.5s a time; '%s' is neither", text);
        return false;
    }
    text = is_place ? seconds : text;
    if (strcmp(option->name, "set") == 0) {
        is_set = set_parameter(viewer, option, text);
    } else if (text[0] == '\0') {
        view_reset_option(option, options);
        is_set = true;
    } else {
        char *const own = common_copy(text); // which a field may point into
        common_add(&viewer->texts, own);
        is_set = view_read_option(option, own, options);
    }
    if (!is_set && viewer->log.error[0] == '\0')
        view_notice(viewer, "--%s takes %s, not '%s'", option->name,
                    option->value != NULL ? option->value : "yes or no", text);
    view_take_options(viewer);
    is_set = is_set && show(viewer, option);
    if (!is_set) {
        undo(options, &before);
        view_take_options(viewer);
    }
    view_answer_card(&viewer->ui, &viewer->log, option, is_set);
    return is_set;
}

void view_take_back(view_state *viewer, bool is_reset)
{
    view_card *const card = &viewer->ui.card;
    for (size_t i = 0; card->before != NULL && i < view_num_options; i++) {
        char *const now = view_write_option(&view_option_rows[i], viewer->options);
        const char *const before = card->before[i];
        if (before != NULL && (is_reset || now == NULL || strcmp(now, before) != 0))
            view_set_option(viewer, i, is_reset ? "" : before);
        free(now);
    }
    if (!is_reset)
        view_lay_over(&viewer->ui, VIEW_OVER_NOTHING);
}

// == Undo =========================================================================================

static bool is_turned(const view_turn *a, const view_turn *b)
{
    return a->is_set != b->is_set
           || (a->is_set && memcmp(&a->matrix, &b->matrix, sizeof a->matrix) != 0);
}

void view_note_step(view_state *viewer)
{
    if (viewer->left != NULL) // it is not changed meanwhile
        return;
    view_note_state(viewer);
    view_step now = viewer->steps[viewer->step];
    bool differs = viewer->num_steps == 0 || is_turned(&now.turn, &viewer->document->scene.turn);
    now.turn = viewer->document->scene.turn;
    COMMON_FOR (i, view_num_options)
        differs |= view_keep_option(&view_option_rows[i], &now.options, viewer->options);
    if (!differs)
        return;
    viewer->step += viewer->num_steps > 0;
    if (viewer->step == VIEW_MAX_STEPS) // the oldest goes
        memmove(viewer->steps, viewer->steps + 1, --viewer->step * sizeof now);
    viewer->steps[viewer->step] = now;
    viewer->num_steps = viewer->step + 1;
}

void view_go_to_step(view_state *viewer, size_t number)
{
    const view_options before = *viewer->options;
    view_options old = before;
    bool is_shown = true;
    if (number >= viewer->num_steps) {
        view_notice(viewer, "Nothing to %s", number == viewer->step + 1 ? "redo" : "undo");
        return;
    }
    const view_options *const step = &viewer->steps[number].options;
    const view_turn *const turn = &viewer->steps[number].turn;
    COMMON_FOR (i, view_num_options)
        view_keep_option(&view_option_rows[i], viewer->options, step);
    view_take_options(viewer);
    COMMON_FOR (i, view_num_options)
        if (view_keep_option(&view_option_rows[i], &old, step))
            is_shown = show(viewer, &view_option_rows[i]) && is_shown;
    if (is_shown && is_turned(turn, &viewer->document->scene.turn))
        turn_to(viewer, *turn);
    if (is_shown)
        viewer->step = number;
    else // a file is gone, which is told: all stays
        *viewer->options = before;
    view_take_options(viewer);
}
