// Options that are set while the window is open, as if they had been given on the command line.
#include "demo/viewer/jobs/view.h"

#include <assert.h>

void view_note_state(view_state *viewer)
{
    view_options *const options = viewer->options;
    int width, height;
    const view_entity *const entity = &viewer->document->scene.entity;
    if (!entity->is_in_states && entity->num_obeyed == entity->num_orders) // clips have followed
        view_set_text(view_find_option("state", 5), NULL, options);
    if (viewer->document->scene.fall != NULL
        && !(viewer->document->scene.fall->death_time < INFINITY))
        options->dies_given = false; // a clip has followed
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

static bool select_clip(view_state *viewer)
{
    const view_options *const options = viewer->options;
    const size_t count = viewer->document->scene.num_clips;
    if (!options->animation_index_given)
        return true;
    if (options->animation_index >= count)
        return view_error(&viewer->log,
                          "--animation-index %u is out of range: the model has %zu animations",
                          options->animation_index, count);
    view_change_clip(viewer, options->animation_index);
    view_frame_anew(viewer);
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
        return view_error(&viewer->log, "--range %u-%u is outside the clip", play.range_first,
                          play.range_last);
    if (!is_all)
        play.time = begin;
    viewer->play = play;
    return true;
}

static bool set_death_time(view_state *viewer)
{
    const view_options *const options = viewer->options;
    view_fall *const fall = viewer->document->scene.fall;
    if (fall != NULL)
        view_set_death_time(fall, options->dies_given ? options->dies : INFINITY);
    return fall != NULL || !options->dies_given
           || view_error(&viewer->log,
                         "--ragdoll-time requires an articulated figure: an entity's of a "
                         "game, or NAME.af in the model's folder");
}

static bool mark_joint(view_state *viewer)
{
    const char *const name = viewer->options->joint;
    const md5_skeleton *const skeleton = viewer->document->scene.skeleton;
    const int32_t joint =
        name != NULL && skeleton != NULL ? (int32_t)md5_find_joint(skeleton, name) : -1;
    if (name != NULL && joint < 0)
        return view_error(&viewer->log, "--joint %s: joint not found in the model", name);
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

static const struct {
    const char *option;
    bool (*show)(view_state *viewer);
    bool is_place; // a document that is opened takes it
} own_effects[] = {
    {"animation-index", select_clip, true},
    {"range", select_range, true},
    {"joint", mark_joint, true},
    {"state", view_tell_script, true},
    {"flag", view_tell_script, false}, // that has told of both
    {"ragdoll-time", set_death_time, true},
    {"environment", view_select_environment, true},
    {"lesson", view_select_page, true},
    {"animation-time", go_to_time, false},
    {"hide", view_hide_meshes, false},
    {"up", turn_up, false},
};

bool view_take_place(view_state *viewer)
{
    bool is_shown = true;
    for (size_t i = 0; i < COMMON_LENGTH(own_effects); i++)
        is_shown = is_shown && (!own_effects[i].is_place || own_effects[i].show(viewer));
    if (is_shown && viewer->options->num_times > 0)
        viewer->play.time = viewer->options->times[0];
    return is_shown;
}

// Shows what an option was set to. Returns false if that is not possible.
static bool show(view_state *viewer, const view_option *option)
{
    switch (option->effect) {
    case VIEW_EFFECT_REOPENS:
        viewer->document->as_asked = true;
        return view_reload(viewer);
    case VIEW_EFFECT_DRESSES:
        return view_dress(viewer);
    case VIEW_EFFECT_MEASURES:
        view_measure(viewer);
        return true;
    case VIEW_EFFECT_FRAMES:
        view_frame_anew(viewer);
        return true;
    case VIEW_EFFECT_OWN:
        for (size_t i = 0; i < COMMON_LENGTH(own_effects); i++)
            if (strcmp(own_effects[i].option, option->name) == 0)
                return own_effects[i].show(viewer);
        assert(false); // each such option has a row
        return true;
    default:
        return true;
    }
}

// == Setting ======================================================================================

// The texts of all options, to be passed to show_changes().
static char **write_texts(const view_options *options)
{
    char **const texts = common_alloc(view_num_options, sizeof *texts);
    for (size_t i = 0; i < view_num_options; i++)
        texts[i] = view_write_option(&view_option_rows[i], options);
    return texts;
}

static bool has_text(const view_option *option, const view_options *options, const char *text)
{
    char *const now = view_write_option(option, options);
    const bool is_same = now != NULL && text != NULL ? strcmp(now, text) == 0 : now == text;
    free(now);
    return is_same;
}

// Shows which options differ from `before`, which it frees, and `always` this one, unless NULL:
// first what reads files, and each kind of effect once. If that is not possible, sets them to what
// they were.
static bool show_changes(view_state *viewer, char **before, const view_option *always)
{
    view_options *const options = viewer->options;
    const view_option *const rows = view_option_rows;
    bool is_shown = true;
    view_take_options(viewer);
    for (view_effect effect = VIEW_EFFECT_REOPENS; effect <= VIEW_EFFECT_OWN; effect++) {
        bool is_done = false;
        for (size_t i = 0; i < view_num_options && is_shown && !is_done; i++)
            if (rows[i].effect == effect
                && (&rows[i] == always || !has_text(&rows[i], options, before[i]))) {
                is_shown = show(viewer, &rows[i]);
                is_done = effect != VIEW_EFFECT_OWN;
            }
    }
    for (size_t i = 0; i < view_num_options; i++) {
        if (!is_shown && !has_text(&rows[i], options, before[i]))
            view_set_text(&rows[i], before[i], options);
        free(before[i]);
    }
    free(before);
    view_take_options(viewer);
    return is_shown;
}

// Shows what lines of all that can be undone say. If that is not possible, nothing is changed.
static bool show_lines(view_state *viewer, const char *lines)
{
    char **const before = write_texts(viewer->options);
    view_take_settings(viewer->options, lines, VIEW_SCOPE_LOOK, VIEW_SCOPE_FILE);
    return show_changes(viewer, before, NULL);
}

// NAME=VALUE of a page or a machine, which the options need not know of.
static bool set_parameter(view_state *viewer, const view_option *option, const char *text)
{
    view_options given = {.skin = 0};
    const bool is_set = view_read_option(option, text, &given) && given.settings.count == 1
                        && view_set_parameter(viewer, &given.settings.rows[0]);
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
    const bool has_unit = strcmp(end, "f") == 0 || strcmp(end, "s") == 0;
    return end != text && isfinite(number) && (*end == '\0' || has_unit);
}

bool view_set_option(view_state *viewer, size_t number, const char *text)
{
    char seconds[32];
    const view_option *const option = &view_option_rows[number];
    view_options *const options = viewer->options;
    const bool is_place = option->kind == VIEW_OPTION_TIMES && text[0] != '\0';
    // A single value is added to the values of an option that may be repeated.
    const bool is_one_value = text[0] != '\0' && strchr(text, '\n') == NULL;
    const bool is_added = view_is_repeated(option) && !is_place && is_one_value;
    view_note_state(viewer);
    if (is_place && !read_place(viewer, text, seconds, sizeof seconds)) {
        view_notice(viewer, "expected a frame (12 or 12f) or a time (0.5s), found '%s'", text);
        return false;
    }
    text = is_place ? seconds : text;
    char **const before = write_texts(options);
    bool is_set;
    if (option->kind == VIEW_OPTION_SETTING)
        is_set = set_parameter(viewer, option, text);
    else if (is_added)
        is_set = view_read_option(option, text, options);
    else
        is_set = view_set_text(option, text[0] != '\0' ? text : NULL, options);
    if (!is_set && viewer->log.error[0] == '\0')
        view_notice(viewer, "--%s: expected %s, found '%s'", option->name,
                    option->value != NULL ? option->value : "yes or no", text);
    if (!is_set)
        view_set_text(option, before[number], options);
    is_set = show_changes(viewer, before, is_set ? option : NULL) && is_set;
    view_report_to_card(&viewer->ui, &viewer->log, option, is_set);
    return is_set;
}

// == Trying =======================================================================================

void view_end_trial(view_state *viewer)
{
    view_trial *const trial = &viewer->ui.trial;
    if (trial->before == NULL)
        return;
    const bool is_clip = trial->clip != viewer->document->scene.clip;
    if (is_clip)
        view_change_clip(viewer, trial->clip);
    show_lines(viewer, trial->before);
    if (is_clip)
        viewer->play = trial->play;
    free(trial->before);
    trial->before = NULL;
}

bool view_follow_trial(view_state *viewer)
{
    view_trial *const trial = &viewer->ui.trial;
    const view_scene *const scene = &viewer->document->scene;
    if (trial->before != NULL) {
        const bool stays = trial->option != NULL && trial->due == trial->shown;
        if (!stays)
            view_end_trial(viewer);
        return !stays;
    }
    const bool is_clip = trial->option != NULL && trial->option->names == VIEW_NAMES_CLIP;
    if (trial->option == NULL || viewer->now < trial->due)
        return false;
    if (is_clip && view_shown_clip(scene) == NULL)
        return false;
    trial->before = view_write_settings(viewer->options, NULL, VIEW_SCOPE_LOOK, VIEW_SCOPE_FILE);
    trial->shown = trial->due;
    trial->clip = scene->clip;
    trial->play = viewer->play;
    if (is_clip) {
        view_change_clip(viewer, strtoul(trial->text, NULL, 10));
        return true;
    }
    char **const texts = write_texts(viewer->options);
    view_set_text(trial->option, trial->text, viewer->options);
    return show_changes(viewer, texts, NULL);
}

void view_take_back(view_state *viewer, bool is_reset)
{
    view_card *const card = &viewer->ui.card;
    view_note_state(viewer);
    char **const before = write_texts(viewer->options);
    for (size_t i = 0; card->before != NULL && i < view_num_options; i++)
        if (card->before[i] != NULL)
            view_set_text(&view_option_rows[i],
                          is_reset || card->before[i][0] == '\0' ? NULL : card->before[i],
                          viewer->options);
    show_changes(viewer, before, NULL);
    if (!is_reset)
        view_open_overlay(&viewer->ui, VIEW_OVERLAY_NONE);
}

// == Undo =========================================================================================

static bool is_turned(const view_turn *a, const view_turn *b)
{
    return a->is_set != b->is_set
           || (a->is_set && memcmp(&a->matrix, &b->matrix, sizeof a->matrix) != 0);
}

// The first option of `lines` that the others do not have so, and its value; or NULL.
static const view_option *find_news(const char *lines, const char *others, char **value)
{
    for (const view_option *row; (row = view_next_setting(&lines, value)) != NULL; free(*value)) {
        char *const line = common_format("--%s=%s\n", row->name, *value);
        const char *const same = strstr(others, line);
        free(line);
        if (same == NULL)
            return row;
    }
    *value = NULL; // it was freed
    return NULL;
}

// Returns the name of the mesh whose index is at the start of `value`, or NULL if the value does
// not begin with an index or the model does not have this mesh. `model` may be NULL.
static const char *find_mesh_name(const md5_model *model, const char *value)
{
    if (model == NULL || *value < '0' || *value > '9')
        return NULL;
    const unsigned long index = strtoul(value, NULL, 10);
    return index < model->num_meshes ? model->meshes[index].name : NULL;
}

// Returns the label of a step for the list of steps, such as "Edges on", "Speed 0.5", "Mesh eyes
// hidden" or "Texture of skin: moss.png". The caller frees it.
static char *label_of(const view_state *viewer, bool is_first, const view_option *row,
                      const char *value)
{
    const md5_model *const model = viewer->document->scene.model;
    if (is_first || row == NULL || value == NULL)
        return common_copy(is_first ? "As opened" : "Rotate");
    const view_command_row *const command = view_command_of(row);
    const char *const label = command != NULL ? view_label_of(command) : row->name;
    const size_t length = strcspn(label, "\xE2"); // without an ellipsis
    const char *const file = view_file_in(row, value);
    const bool can_name_mesh = file != NULL ? file != value : row->names == VIEW_NAMES_MESH;
    const char *const mesh = can_name_mesh ? find_mesh_name(model, value) : NULL;
    if (mesh != NULL && file == NULL)
        return common_format("Mesh %s hidden", mesh);
    if (mesh != NULL)
        return common_format("%s of %s: %s", view_map_name(view_map_of_option(row)), mesh,
                             common_base(file));
    const char *shown = common_base(value);
    if (row->value == NULL && strcmp(value, "default") != 0) {
        const bool is_yes = strcmp(value, "yes") == 0;
        shown = is_yes != (row->kind == COMMON_OPPOSITE) ? "on" : "off";
    }
    return common_format("%.*s %s", (int)length, label, shown);
}

// Removes the oldest steps until the others and a new step of `size` bytes are within the limits.
// The last step always remains, so that the new step can be undone.
static void drop_old_steps(view_state *viewer, size_t size)
{
    for (size_t i = 0; i < viewer->num_steps; i++)
        size += strlen(viewer->steps[i].lines);
    size_t num_dropped = 0;
    while (num_dropped + 1 < viewer->num_steps
           && (viewer->num_steps - num_dropped >= VIEW_MAX_STEPS || size > VIEW_MAX_STEP_BYTES)) {
        size -= strlen(viewer->steps[num_dropped].lines);
        view_free_step(&viewer->steps[num_dropped++]);
    }
    viewer->num_steps -= num_dropped;
    memmove(viewer->steps, viewer->steps + num_dropped, viewer->num_steps * sizeof *viewer->steps);
}

void view_note_step(view_state *viewer)
{
    const double soon = 0.8;             // seconds
    if (viewer->ui.trial.before != NULL) // it is not changed meanwhile
        return;
    assert(viewer->steps != NULL); // view_begin() has made room
    view_note_state(viewer);
    view_step *const last = viewer->num_steps > 0 ? &viewer->steps[viewer->step] : NULL;
    view_step now = {
        .lines = view_write_settings(viewer->options, NULL, VIEW_SCOPE_LOOK, VIEW_SCOPE_FILE),
        .turn = viewer->document->scene.turn};
    char *value = NULL;
    if (last != NULL && strcmp(now.lines, last->lines) == 0 && !is_turned(&now.turn, &last->turn)) {
        free(now.lines);
        return;
    }
    now.row = last != NULL ? find_news(now.lines, last->lines, &value) : NULL;
    if (last != NULL && now.row == NULL) {
        now.row = find_news(last->lines, now.lines, &value);
        free(value);
        value = common_copy("default");
    }
    now.label = label_of(viewer, last == NULL, now.row, value);
    free(value);
    const bool is_soon = viewer->joins && viewer->now < viewer->step_time + soon;
    const bool is_newest = viewer->step > 0 && viewer->step + 1 == viewer->num_steps;
    const bool has_same_option = last != NULL && now.row == last->row;
    // A change continues the last step, unless it restores the state before it: that is a new step.
    if (is_soon && is_newest && has_same_option && strcmp(now.lines, last[-1].lines) != 0) {
        view_free_step(last);
        *last = now;
        viewer->step_time = viewer->now;
        return;
    }
    viewer->step_time = viewer->now;
    while (viewer->num_steps > viewer->step + 1)
        view_free_step(&viewer->steps[--viewer->num_steps]);
    drop_old_steps(viewer, strlen(now.lines));
    viewer->step = viewer->num_steps++;
    viewer->steps[viewer->step] = now;
}

void view_go_to_step(view_state *viewer, size_t number)
{
    const char *const what = number == viewer->step + 1 ? "redo" : "undo";
    if (number >= viewer->num_steps) {
        view_notice(viewer, "Nothing to %s", what);
        return;
    }
    const view_turn *const turn = &viewer->steps[number].turn;
    if (!show_lines(viewer, viewer->steps[number].lines)) { // a file is gone: all stays
        view_notice(viewer, "Cannot %s: %s", what, viewer->log.error);
        return;
    }
    if (is_turned(turn, &viewer->document->scene.turn))
        turn_to(viewer, *turn);
    viewer->step = number;
}

void view_forget(view_state *viewer, view_action action)
{
    const char *const path = view_shown_file(viewer->document);
    const bool is_all = action == VIEW_FORGET_ALL;
    if (!is_all)
        show_lines(viewer, "");
    if (action == VIEW_RESET_ALL)
        return;
    if (viewer->config != NULL && (is_all || path != NULL))
        view_forget_document(viewer->config, is_all ? NULL : path);
    view_notice(viewer, is_all ? "All settings reset" : "Settings for this file reset");
}

// == What is shown ================================================================================

// NULL: none, or the contents.
const view_page *view_shown_page(const view_state *viewer)
{
    return viewer->pages.open >= 0 ? view_page_at((uint32_t)viewer->pages.open) : NULL;
}

// What the window shows, as options; some point into the viewer.
void view_describe_shown(view_state *viewer, view_options *now)
{
    const view_scene *const scene = &viewer->document->scene;
    const view_camera *const camera = &viewer->camera;
    const view_camera usual = VIEW_DEFAULT_CAMERA;
    const view_camera *const framed = &viewer->framed.camera;
    char up[3], front[3];
    *now = *viewer->options;
    // Nothing of the window itself.
    now->shown.panel = now->shown.statistics = now->shown.frame_time = false;
    now->shown.hierarchy = now->shown.inspector = true; // as usual: they are seen with the panels
    now->shown.light_list = now->shown.parm_list = now->shown.graph = now->shown.help = false;
    now->shown.auto_quality = true;
    now->watch = now->mute = false;
    now->level = VIEW_INFO;
    now->record_as = VIEW_RECORD_APNG;
    now->frame_rate = 0;
    now->game = NULL;
    const view_page *const page = view_shown_page(viewer);
    const bool is_page = viewer->pages.open >= 0;
    now->page = NULL;
    if (page != NULL)
        now->page = page->name;
    else if (is_page)
        now->page = "contents";
    now->settings.count = is_page ? 0 : now->settings.count; // but sliders

    view_name_axes(&scene->turn, up, front);
    now->up_is_y = strcmp(up, "+y") == 0;
    const int32_t joint = viewer->ui.selected_joint;
    now->joint = joint >= 0 && scene->skeleton != NULL ? scene->skeleton->joints[joint].name : NULL;
    now->animation_index = (uint32_t)scene->clip;
    now->animation_index_given = !is_page && scene->num_clips > 1 && !view_is_bind_pose(scene);
    now->no_auto = now->no_auto || (!is_page && view_is_bind_pose(scene) && scene->model != NULL);
    now->camera_path = scene->camera_path.camera != NULL && !viewer->following;

    // The camera: its distance, unless it shows the whole clip in any picture.
    const bool has_target = memcmp(&camera->target, &framed->target, sizeof camera->target) == 0;
    const bool is_framed =
        viewer->framed.width > 0 && camera->distance == framed->distance && has_target;
    now->azimuth = camera->azimuth;
    now->azimuth_given = camera->azimuth != usual.azimuth;
    now->elevation = camera->elevation;
    now->elevation_given = camera->elevation != usual.elevation;
    now->distance = camera->distance;
    now->distance_given = now->target_given = !is_framed && !viewer->following && !is_page;
    memcpy(now->target, &camera->target, sizeof now->target);
    now->orthographic = now->orthographic_given = camera->orthographic;
}

void view_remember_document(view_state *viewer)
{
    const view_document *const document = viewer->document;
    const char *const path = view_shown_file(document);
    view_options now;
    if (viewer->config == NULL || path == NULL)
        return;
    if (viewer->pages.open >= 0 || !document->as_asked)
        return;
    view_note_state(viewer);
    view_describe_shown(viewer, &now);
    now.times = &viewer->play.time;
    now.num_times = !viewer->play.playing && viewer->play.time > 0;
    char *const lines = view_write_settings(&now, NULL, VIEW_SCOPE_ANY, VIEW_SCOPE_PLACE);
    char *value;
    char *whole = common_copy(""); // with files from the root on
    const char *rest = lines;
    for (const view_option *o; (o = view_next_setting(&rest, &value)) != NULL; free(value)) {
        const char *const file = view_file_in(o, value);
        if (file != NULL && common_is_file(file)) {
            char *const full = common_absolute(file);
            common_extend(&whole, "--%s=%.*s%s\n", o->name, (int)(file - value), value, full);
            free(full);
        } else {
            common_extend(&whole, "--%s=%s\n", o->name, value);
        }
    }
    view_note_document(viewer->config, path, whole);
    free(whole);
    free(lines);
}
