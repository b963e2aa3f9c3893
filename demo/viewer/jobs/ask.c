// Changes options while the window is open, as if they had been given on the command line.
//
// The table view_option_rows contains the effect of each option (view_effect), such as loading the
// files again. `effect_functions` contains the function of each effect. apply_changes() compares
// all options with their former values, and applies the effect of each option that differs. Undo
// steps, previews of list items, and cards (dialogs for one option) use the same function.
#include "demo/viewer/jobs/export.h"
#include "demo/viewer/jobs/view.h"

#include <assert.h>

// Some state, such as the size of the window, is changed without an option. Copies this state into
// the options, because settings and undo steps are made from the options.
void view_update_options(view_state *viewer)
{
    view_options *const options = viewer->options;
    const view_entity *const entity = &viewer->document->scene.entity;
    const view_fall *const fall = viewer->document->scene.fall;

    // A clip that the user selects ends the state of the script and cancels a scheduled death. In
    // this case the options must not start them again.
    const bool has_pending_commands = entity->num_executed != entity->num_orders;
    const bool is_death_scheduled = fall != NULL && fall->death_time < INFINITY;
    if (!entity->is_in_states && !has_pending_commands)
        view_reset_option(VIEW_OPTION(states), options);
    if (fall != NULL && !is_death_scheduled)
        options->ragdoll_time_given = false;

    options->range_first = viewer->play.range_first;
    options->range_last = viewer->play.range_last;
    memcpy(options->docks, viewer->ui.docks.sizes, sizeof options->docks);
    if (viewer->window == NULL || view_is_full_screen(viewer->window))
        return;

    // Store the size in points, the unit in which the next window is opened. The lower limits keep
    // the next window large enough to be found.
    int width, height;
    view_window_points(viewer->window, &width, &height);
    options->width = (uint32_t)view_clamp((float)width, 320, VIEW_MAX_PICTURE_SIDE);
    options->height = (uint32_t)view_clamp((float)height, 200, VIEW_MAX_PICTURE_SIDE);
}

// == Effects =====================================================================================
//
// Each function applies the options that have one effect. It returns false if that is not possible.

// VIEW_EFFECT_NONE: the option is read where it is needed.
static bool apply_nothing(view_state *viewer)
{
    (void)viewer;
    return true;
}

// Loads the files again, with the options of the command line.
static bool reload_files(view_state *viewer)
{
    viewer->document->uses_options = true;
    return view_reload(viewer);
}

// Measures the bounds of the document again.
static bool measure_document(view_state *viewer)
{
    view_measure(viewer);
    return true;
}

// Places the camera as the options specify.
static bool reset_camera(view_state *viewer)
{
    view_reset_camera(viewer);
    return true;
}

// Applies the option --animation-time: stops the playback at its last time. Always returns true.
static bool show_time(view_state *viewer)
{
    const view_options *const options = viewer->options;
    const md5_anim *const anim = view_timing_anim(&viewer->document->scene);
    if (options->num_times == 0)
        return true;
    const double time = options->times[options->num_times - 1];
    viewer->play.playing = false;
    if (anim != NULL && view_get_mode(viewer->document) != VIEW_MODE_MACHINE)
        view_seek(&viewer->play, anim, time);
    else
        viewer->play.time = fmax(time, 0);
    return true;
}

// Applies the option --animation-index: shows the clip with this index. Returns false and logs an
// error if it does not exist.
static bool select_clip(view_state *viewer)
{
    const view_options *const options = viewer->options;
    const size_t count = viewer->document->scene.num_clips;
    if (!options->animation_index_given)
        return true;
    if (options->animation_index >= count)
        return view_error(
            &viewer->log, "--animation-index %u is out of range: the model has %zu %s",
            options->animation_index, count, common_noun(count, "animation", "animations"));
    view_change_clip(viewer, options->animation_index);
    view_reset_camera(viewer);
    return true;
}

// Applies the option --range: plays its frames, from the first. Without the option, plays the whole
// clip. Returns false and logs an error if the clip does not contain the range.
static bool select_range(view_state *viewer)
{
    const view_options *const options = viewer->options;
    view_play play = viewer->play;
    play.range_first = options->range_first;
    play.range_last = options->range_last;
    const bool has_range = options->range_last != 0;
    if (has_range) {
        const md5_anim *const anim = view_timing_anim(&viewer->document->scene);
        double begin;
        double end;
        if (!view_find_range(&play, anim, &begin, &end))
            return view_error(&viewer->log,
                              "--range %u-%u is out of range: expected frames of the clip",
                              play.range_first, play.range_last);
        play.time = begin;
    }
    viewer->play = play;
    return true;
}

// Sets the time from which the ragdoll falls. Returns false and logs an error if the option was
// given and the model has no ragdoll.
static bool set_death_time(view_state *viewer)
{
    const view_options *const options = viewer->options;
    view_fall *const fall = viewer->document->scene.fall;
    if (fall == NULL && options->ragdoll_time_given)
        return view_error(&viewer->log,
                          "--ragdoll-time requires an articulated figure: expected an entity of a "
                          "game with a figure, or NAME.af in the model's folder");
    if (fall != NULL)
        view_set_death_time(fall, options->ragdoll_time_given ? options->ragdoll_time : INFINITY);
    return true;
}

// Selects the joint of --joint. Returns false and logs an error if the model does not have it.
// Without the option, no joint is selected.
static bool select_joint(view_state *viewer)
{
    const char *const name = viewer->options->joint;
    const md5_skeleton *const skeleton = viewer->document->scene.skeleton;
    int32_t joint = -1;
    if (name != NULL && skeleton != NULL)
        joint = (int32_t)md5_find_joint(skeleton, name);
    if (name != NULL && joint < 0)
        return view_error(&viewer->log, "--joint %s: joint not found in the model", name);
    viewer->ui.selection.joint = joint;
    return true;
}

// Rotates the model, and frames it again.
static void set_model_rotation(view_state *viewer, view_rotation rotation)
{
    viewer->document->scene.rotation = rotation;
    view_measure(viewer);
    view_frame_document(viewer, viewer->width, viewer->height);
}

// Rotates a model whose y axis points up, for --up.
static bool set_up_axis(view_state *viewer)
{
    const view_rotation none = {0};
    set_model_rotation(viewer, viewer->options->up_is_y ? view_rotate_further(none, 0) : none);
    return true;
}

// The function of each effect, in the order of view_effect.
static bool (*const effect_functions[])(view_state *viewer) = {
    apply_nothing,              // VIEW_EFFECT_NONE
    reload_files,               // VIEW_EFFECT_RELOAD
    view_apply_texture_options, // VIEW_EFFECT_TEXTURES
    measure_document,           // VIEW_EFFECT_MEASURE
    reset_camera,               // VIEW_EFFECT_CAMERA
    set_up_axis,                // VIEW_EFFECT_UP_AXIS
    view_hide_meshes,           // VIEW_EFFECT_MESHES
    view_apply_script_options,  // VIEW_EFFECT_SCRIPT
    set_death_time,             // VIEW_EFFECT_RAGDOLL
    select_clip,                // VIEW_EFFECT_CLIP
    show_time,                  // VIEW_EFFECT_TIME
    select_range,               // VIEW_EFFECT_RANGE
    view_select_environment,    // VIEW_EFFECT_ENVIRONMENT
    select_joint,               // VIEW_EFFECT_JOINT
    view_select_page,           // VIEW_EFFECT_LESSON
};
static_assert(COMMON_LENGTH(effect_functions) == VIEW_NUM_EFFECTS, "one function per effect");

// Applies the options that need an open document. The order ensures that no effect undoes an
// earlier one.
bool view_apply_start_options(view_state *viewer)
{
    // Opening the files has already applied all options with other effects. The clip is selected
    // before the script's state, because the state replaces the clip.
    static const view_effect start_effects[] = {
        VIEW_EFFECT_CLIP,    VIEW_EFFECT_RANGE,       VIEW_EFFECT_JOINT, VIEW_EFFECT_SCRIPT,
        VIEW_EFFECT_RAGDOLL, VIEW_EFFECT_ENVIRONMENT, VIEW_EFFECT_LESSON};
    for (size_t i = 0; i < COMMON_LENGTH(start_effects); i++) {
        const view_effect effect = start_effects[i];
        if (!effect_functions[effect](viewer))
            return false;
    }
    if (viewer->options->num_times > 0)
        viewer->play.time = viewer->options->times[0];
    return true;
}

// == Setting =====================================================================================

// Returns a copy of all options, which view_free_options() frees.
static view_options copy_all_options(const view_options *options)
{
    return view_copy_options(options, VIEW_SCOPE_JOB, VIEW_SCOPE_CAMERA);
}

// Returns true if an effect must be applied. This is the case if an option with this effect differs
// from its value in `before`, or if `always` has this effect. `always` may be NULL.
static bool is_effect_due(const view_options *options, const view_options *before,
                          const view_option *always, view_effect effect)
{
    for (size_t i = 0; i < view_num_options; i++) {
        const view_option *const option = &view_option_rows[i];
        if (option->effect != effect)
            continue;
        if (option == always || !view_is_equal(option, options, before))
            return true;
    }
    return false;
}

// Restores the values of all options that differ from their values in `before`.
static void restore_values(view_options *options, const view_options *before)
{
    for (size_t i = 0; i < view_num_options; i++) {
        if (!view_is_equal(&view_option_rows[i], options, before))
            view_copy_value(&view_option_rows[i], before, options);
    }
}

// Applies the effects of all options that differ from their values in `before`. Each effect is
// applied once, in the order of view_effect, which begins with loading files. The effect of
// `always` is applied even if its value has not changed; it may be NULL. On failure, restores the
// values of `before` and returns false. Frees the memory of `before`.
static bool apply_changes(view_state *viewer, view_options *before, const view_option *always)
{
    view_options *const options = viewer->options;
    bool is_applied = true;
    view_apply_options(viewer);
    for (view_effect effect = VIEW_EFFECT_RELOAD; effect < VIEW_NUM_EFFECTS && is_applied;
         effect++) {
        if (is_effect_due(options, before, always, effect))
            is_applied = effect_functions[effect](viewer);
    }
    if (!is_applied)
        restore_values(options, before);
    view_free_options(before);
    view_apply_options(viewer);
    return is_applied;
}

// Sets all options that can be undone to their values in `values`, or to their defaults if `values`
// is NULL. On failure, changes nothing.
static bool apply_values(view_state *viewer, const view_options *values)
{
    view_options before = copy_all_options(viewer->options);
    view_restore_options(viewer->options, values, VIEW_SCOPE_LOOK, VIEW_SCOPE_FILE);
    return apply_changes(viewer, &before, NULL);
}

// Applies --set NAME=VALUE, which sets a slider of the open lesson or a parameter of the machine.
// The value is stored there, not in the viewer's options.
static bool set_parameter(view_state *viewer, const view_option *option, const char *text)
{
    view_options given = {.skin = 0};
    const bool is_set = view_read_option(option, text, &given) && given.settings.count == 1
                        && view_set_parameter(viewer, &given.settings.rows[0]);
    view_free_options(&given);
    return is_set;
}

// Parses a frame ("12" or "12f") or a time ("0.5s"), and sets *seconds. The frames of a machine are
// the steps of its simulation. Returns false if the text is neither.
static bool parse_time(const view_state *viewer, const char *text, double *seconds)
{
    const md5_anim *const anim = view_timing_anim(&viewer->document->scene);
    const bool has_frames = anim != NULL && view_get_mode(viewer->document) != VIEW_MODE_MACHINE;
    const double rate = has_frames ? anim->frame_rate : (double)VIEW_STEPS_PER_SECOND;
    char *unit;
    const double number = strtod(text, &unit);
    const bool is_number = unit != text && isfinite(number);
    const bool is_frame = *unit == '\0' || strcmp(unit, "f") == 0;
    const bool is_time = strcmp(unit, "s") == 0;
    *seconds = is_time ? number : number / rate;
    return is_number && (is_frame || is_time);
}

// Stores a value in the options. If an option may be repeated, a text is added to its values; ""
// and a text of several lines replace them. Returns false if the value is not valid.
static bool store_value(view_state *viewer, const view_option *option, common_value value)
{
    const bool is_text = value.type == COMMON_VALUE_TEXT && value.text[0] != '\0';
    if (is_text && option->kind == VIEW_OPTION_SETTING)
        return set_parameter(viewer, option, value.text);
    const bool is_one_value = is_text && strchr(value.text, '\n') == NULL;
    if (is_one_value && view_is_repeated(option)) // is added to the other values
        return view_read_option(option, value.text, viewer->options);
    return view_set_value(option, value, viewer->options);
}

// Shows a notice about a value that an option does not accept.
static void report_value(view_state *viewer, const view_option *option, common_value value)
{
    char *const text = view_print_value(option, value);
    view_notice(viewer, "--%s: expected %s, found '%s'", option->name,
                option->value != NULL ? option->value : "yes or no", text);
    free(text);
}

// Replaces the text of a frame or a time by its time in seconds. Shows a notice and returns false
// if the text is neither.
static bool convert_time_value(view_state *viewer, common_value *value)
{
    double seconds;
    if (!parse_time(viewer, value->text, &seconds)) {
        view_notice(viewer, "expected a frame (12 or 12f) or a time (0.5s), found '%s'",
                    value->text);
        return false;
    }
    *value = common_number_value(seconds);
    return true;
}

// Sets an option to a value while the window is open, and applies its effect. All widgets, keys
// and commands call this function.
bool view_set_option(view_state *viewer, const view_option *option, common_value value)
{
    view_options *const options = viewer->options;
    const bool is_text = value.type == COMMON_VALUE_TEXT && value.text[0] != '\0';
    common_value new_value = value;
    view_update_options(viewer);
    if (option->kind == VIEW_OPTION_TIMES && is_text && !convert_time_value(viewer, &new_value))
        return false;

    view_options before = copy_all_options(options);
    const bool is_stored = store_value(viewer, option, new_value);
    if (!is_stored && viewer->log.error[0] == '\0')
        report_value(viewer, option, new_value);
    if (!is_stored)
        view_copy_value(option, &before, options);
    const bool is_applied = apply_changes(viewer, &before, is_stored ? option : NULL);
    const bool is_set = is_stored && is_applied;
    view_report_to_card(&viewer->ui, &viewer->panels.card, &viewer->log, option, is_set);
    return is_set;
}

void view_set_switch(view_state *viewer, const view_option *option, bool is_on)
{
    view_set_option(viewer, option, common_choice_value(is_on));
}

void view_execute_set(view_state *viewer, const view_command *command)
{
    const common_value value = view_command_value(command);
    // The context menu of a clip that is not a file has no path, so its command has no value.
    if (value.type != COMMON_VALUE_NONE)
        view_set_option(viewer, &view_option_rows[command->number], value);
}

// == Previews of list items ======================================================================

// Ends the preview of a list item below the pointer: restores the options, the clip and the
// time.
void view_end_hover_preview(view_state *viewer)
{
    view_hover_preview *const preview = &viewer->ui.hover_preview;
    if (preview->before == NULL)
        return;
    const bool is_clip = preview->clip != viewer->document->scene.clip;
    if (is_clip)
        view_change_clip(viewer, preview->clip);
    apply_values(viewer, preview->before);
    if (is_clip)
        viewer->play = preview->play;
    view_free_options(preview->before);
    free(preview->before);
    preview->before = NULL;
}

// Stores the state that the preview of an option changes, and applies the option. Returns true if
// the image changes.
static bool begin_hover_preview(view_state *viewer, bool is_clip)
{
    view_hover_preview *const preview = &viewer->ui.hover_preview;
    preview->before = common_alloc(1, sizeof *preview->before);
    *preview->before = view_copy_options(viewer->options, VIEW_SCOPE_LOOK, VIEW_SCOPE_FILE);
    preview->shown = preview->due;
    preview->clip = viewer->document->scene.clip;
    preview->play = viewer->play;
    if (is_clip) {
        view_change_clip(viewer, (size_t)preview->value.numbers[0]);
        return true;
    }
    view_options before = copy_all_options(viewer->options);
    view_set_value(preview->option, preview->value, viewer->options);
    return apply_changes(viewer, &before, NULL);
}

// Begins or ends the preview of the option under the mouse. Returns true if the image changes.
// `due` is the time at which the preview begins. It also identifies the preview, because it changes
// when the mouse reaches another option or value.
bool view_update_hover_preview(view_state *viewer)
{
    view_hover_preview *const preview = &viewer->ui.hover_preview;
    const bool has_option = preview->option != NULL;

    // A preview is shown: end it if the mouse has left its option.
    if (preview->before != NULL) {
        const bool is_unchanged = has_option && preview->due == preview->shown;
        if (!is_unchanged)
            view_end_hover_preview(viewer);
        return !is_unchanged;
    }

    // Wait until the mouse has rested on an option long enough.
    if (!has_option || viewer->uptime < preview->due)
        return false;
    const bool is_clip = preview->option->names == VIEW_NAMES_CLIP;
    if (is_clip && view_shown_clip(&viewer->document->scene) == NULL)
        return false;
    return begin_hover_preview(viewer, is_clip);
}

// Undoes the changes that were made on a card, and closes it. If `is_reset` is true, resets the
// options on the card to their defaults instead. Changes that are still delayed are dropped.
void view_revert_card(view_state *viewer, bool is_reset)
{
    view_card *const card = &viewer->panels.card;
    while (card->num_delayed > 0) // delayed values are not set
        free(view_pop_delayed_command(card, INFINITY).path);
    view_update_options(viewer);
    view_options before = copy_all_options(viewer->options);
    const size_t num_options = card->before != NULL ? view_num_options : 0;
    for (size_t i = 0; i < num_options; i++) {
        const view_option *const option = &view_option_rows[i];
        if (!view_is_on_card(card, option))
            continue;
        if (is_reset)
            view_reset_option(option, viewer->options);
        else
            view_copy_value(option, card->before, viewer->options);
    }
    apply_changes(viewer, &before, NULL);
    if (!is_reset)
        view_open_overlay(&viewer->ui, &viewer->panels, VIEW_OVERLAY_NONE);
}

// == Undo ========================================================================================

// Returns true if two rotations of the model differ.
static bool has_different_rotation(const view_rotation *a, const view_rotation *b)
{
    if (a->is_set != b->is_set)
        return true;
    return a->is_set && memcmp(&a->matrix, &b->matrix, sizeof a->matrix) != 0;
}

// Returns true if all options that can be undone are equal.
static bool has_equal_options(const view_step *a, const view_step *b)
{
    for (size_t i = 0; i < view_num_options; i++) {
        const view_option *const option = &view_option_rows[i];
        if (view_is_undone(option) && !view_is_equal(option, &a->options, &b->options))
            return false;
    }
    return true;
}

// Returns the start of the line after a line of `length` bytes, or the end of the text.
static const char *after_line(const char *line, size_t length)
{
    const bool is_last = line[length] == '\0';
    return is_last ? line + length : line + length + 1;
}

// Returns true if `lines` contains a line of `length` bytes. `lines` may be NULL.
static bool contains_line(const char *lines, const char *line, size_t length)
{
    const char *next = lines;
    while (next != NULL && *next != '\0') {
        const size_t next_length = strcspn(next, "\n");
        if (next_length == length && strncmp(next, line, length) == 0)
            return true;
        next = after_line(next, next_length);
    }
    return false;
}

// Returns the value that an option has in `options` but not in `reference`, as text for a label. If
// the option may be repeated, returns the first such value. Returns NULL if there is none or the
// option has its default. The caller frees the text.
static char *print_new_value(const view_option *option, const view_options *options,
                             const view_options *reference)
{
    if (view_is_equal(option, options, reference) || view_is_default(option, options))
        return NULL;
    char *const lines = view_write_option(option, options);
    char *const reference_lines = view_write_option(option, reference);
    char *value = NULL;
    const char *line = lines;
    while (line != NULL && *line != '\0' && value == NULL) {
        const size_t length = strcspn(line, "\n");
        if (!contains_line(reference_lines, line, length))
            value = common_format("%.*s", (int)length, line);
        line = after_line(line, length);
    }
    free(lines);
    free(reference_lines);
    return value;
}

// Returns the first option that has a value in `options` but not in `reference`, or NULL. *value
// receives the value as text, which the caller frees, or NULL.
static const view_option *find_first_difference(const view_options *options,
                                                const view_options *reference, char **value)
{
    for (size_t i = 0; i < view_num_options; i++) {
        const view_option *const option = &view_option_rows[i];
        *value = view_is_undone(option) ? print_new_value(option, options, reference) : NULL;
        if (*value != NULL)
            return option;
    }
    *value = NULL;
    return NULL;
}

// Returns the name of the mesh whose index is at the start of `value`. Returns NULL if the value
// does not begin with an index, or if the model does not have this mesh. `model` may be NULL.
static const char *find_mesh_name(const md5_model *model, const char *value)
{
    if (model == NULL || *value < '0' || *value > '9')
        return NULL;
    const unsigned long index = strtoul(value, NULL, 10);
    return index < model->num_meshes ? model->meshes[index].name : NULL;
}

// Returns the label of a step that changed an option of a mesh. The label is "Mesh eyes hidden" for
// a value "MESH" of --hide. It is "Texture of skin: moss.png" for a value "MESH=FILE" of --texture
// or another map. Returns NULL if the value does not name a mesh. The caller frees the label.
static char *make_mesh_label(const md5_model *model, const view_option *option, const char *value)
{
    const char *const file = view_file_in(option, value);
    const bool can_name_mesh = file != NULL ? file != value : option->names == VIEW_NAMES_MESH;
    const char *const mesh = can_name_mesh ? find_mesh_name(model, value) : NULL;
    if (mesh == NULL)
        return NULL;
    if (file == NULL)
        return common_format("Mesh %s hidden", mesh);
    return common_format("%s of %s: %s", view_map_name(view_get_map_kind(option)), mesh,
                         common_base(file));
}

// Returns the label of a step for the list of steps, such as "Edges on", "Speed 0.5", "Mesh eyes
// hidden" or "Texture of skin: moss.png". `option` is NULL if no option has changed. The caller
// frees the label.
static char *make_step_label(const view_state *viewer, bool is_first, const view_option *option,
                             const char *value)
{
    if (is_first)
        return common_copy("As opened");
    if (option == NULL || value == NULL)
        return common_copy("Rotate");
    char *const mesh_label = make_mesh_label(viewer->document->scene.model, option, value);
    if (mesh_label != NULL)
        return mesh_label;

    const view_menu_entry *const entry = view_get_entry(option);
    const char *const label = entry != NULL ? view_get_label(entry) : option->name;
    const size_t label_length = strcspn(label, "\xE2"); // without an ellipsis
    const bool is_switch = option->value == NULL && strcmp(value, "default") != 0;
    if (!is_switch)
        return common_format("%.*s %s", (int)label_length, label, common_base(value));

    // The value of an opposite option, such as --no-maps, is "yes" if the feature is off.
    const bool is_yes = strcmp(value, "yes") == 0;
    const bool is_opposite = option->kind == COMMON_OPPOSITE;
    return common_format("%.*s %s", (int)label_length, label, is_yes != is_opposite ? "on" : "off");
}

// Returns the size of all texts that options own, bytes. The undo history limits their sum.
static size_t count_text_bytes(const view_options *options)
{
    const view_settings *const lists[] = {&options->settings, &options->morphs};
    size_t size = 0;
    if (options->strings != NULL) {
        for (size_t i = 0; i < view_num_options; i++) {
            for (size_t j = 0; j < options->strings[i].count; j++)
                size += strlen(options->strings[i].names[j]);
        }
    }
    for (size_t i = 0; i < COMMON_LENGTH(lists); i++) {
        for (size_t j = 0; j < lists[i]->count; j++)
            size += strlen(lists[i]->rows[j].parameter);
    }
    return size;
}

// Removes the oldest steps until the history, with a new step, is within its limits. `new_size` is
// the size of the new step's texts, bytes. The last step always remains, so that the new step can
// be undone.
static void drop_old_steps(view_state *viewer, size_t new_size)
{
    view_step *const steps = viewer->undo.steps;
    const size_t num_steps = viewer->undo.num_steps;
    size_t total_size = new_size;
    for (size_t i = 0; i < num_steps; i++)
        total_size += steps[i].num_text_bytes;

    size_t num_dropped = 0;
    while (num_dropped + 1 < num_steps) {
        const bool is_full = num_steps - num_dropped >= VIEW_MAX_STEPS;
        if (!is_full && total_size <= VIEW_MAX_STEP_BYTES)
            break;
        total_size -= steps[num_dropped].num_text_bytes;
        view_free_step(&steps[num_dropped]);
        num_dropped++;
    }
    viewer->undo.num_steps = num_steps - num_dropped;
    memmove(steps, steps + num_dropped, viewer->undo.num_steps * sizeof *steps);
}

// Returns the first option that differs between two steps, or NULL. *value receives its new value,
// or "default" if the new step does not set the option. The caller frees the value.
static const view_option *find_changed_option(const view_step *new_step, const view_step *last,
                                              char **value)
{
    const view_option *option = find_first_difference(&new_step->options, &last->options, value);
    if (option == NULL) {
        option = find_first_difference(&last->options, &new_step->options, value);
        free(*value);
        *value = common_copy("default");
    }
    return option;
}

// Completes a step whose options are set: finds the option that differs from the step `last` and
// writes the label. NULL: there is no earlier step.
static void describe_step(const view_state *viewer, const view_step *last, view_step *step)
{
    char *value = NULL;
    step->num_text_bytes = count_text_bytes(&step->options);
    if (last != NULL)
        step->row = find_changed_option(step, last, &value);
    step->label = make_step_label(viewer, last == NULL, step->row, value);
    free(value);
}

// Returns true if a new step replaces the last step. Changes of the same option in quick
// succession, such as the movement of a slider, become one step. A change back to the state before
// the last step is a new step.
static bool replaces_last_step(const view_undo *undo, double uptime, const view_step *new_step)
{
    const double merge_seconds = 0.8;
    const bool is_soon = undo->merges_steps && uptime < undo->step_time + merge_seconds;
    const bool is_newest = undo->step > 0 && undo->step + 1 == undo->num_steps;
    if (!is_soon || !is_newest)
        return false;
    const view_step *const last = &undo->steps[undo->step];
    return new_step->row == last->row && !has_equal_options(new_step, &last[-1]);
}

// Compares the options and the rotation of the model with the last undo step, and adds a step if
// they differ. If a key or the mouse wheel changed the same option a short time ago, the new
// step replaces the last one, so that the whole change is undone in one step.
void view_store_step(view_state *viewer)
{
    view_undo *const undo = &viewer->undo;
    // The preview of a list item does not create a step.
    if (viewer->ui.hover_preview.before != NULL)
        return;
    assert(undo->steps != NULL); // allocated by view_begin()
    view_update_options(viewer);

    view_step *const last = undo->num_steps > 0 ? &undo->steps[undo->step] : NULL;
    view_step new_step = {
        .options = view_copy_options(viewer->options, VIEW_SCOPE_LOOK, VIEW_SCOPE_FILE),
        .rotation = viewer->document->scene.rotation,
    };
    const bool is_unchanged = last != NULL && has_equal_options(&new_step, last)
                              && !has_different_rotation(&new_step.rotation, &last->rotation);
    if (is_unchanged) {
        view_free_step(&new_step);
        return;
    }
    describe_step(viewer, last, &new_step);
    const bool replaces_last = last != NULL && replaces_last_step(undo, viewer->uptime, &new_step);
    undo->step_time = viewer->uptime;
    if (replaces_last) {
        view_free_step(last);
        *last = new_step;
        return;
    }

    // Steps that were undone are replaced by the new step.
    while (undo->num_steps > undo->step + 1)
        view_free_step(&undo->steps[--undo->num_steps]);
    drop_old_steps(viewer, new_step.num_text_bytes);
    undo->step = undo->num_steps++;
    undo->steps[undo->step] = new_step;
}

// Shows the state of step `number` of the undo history. If there is no such step, or it cannot be
// restored, shows a notice.
void view_show_step(view_state *viewer, size_t number)
{
    const char *const verb = number == viewer->undo.step + 1 ? "redo" : "undo";
    if (number >= viewer->undo.num_steps) {
        view_notice(viewer, "Nothing to %s", verb);
        return;
    }
    const view_rotation *const rotation = &viewer->undo.steps[number].rotation;
    // This fails if a file of the step no longer exists; then nothing has changed.
    if (!apply_values(viewer, &viewer->undo.steps[number].options)) {
        view_notice(viewer, "Cannot %s: %s", verb, viewer->log.error);
        return;
    }
    if (has_different_rotation(rotation, &viewer->document->scene.rotation))
        set_model_rotation(viewer, *rotation);
    viewer->undo.step = number;
}

// Performs the commands that reset settings. VIEW_RESET_ALL resets the shown document.
// VIEW_CLEAR_ALL_SETTINGS deletes the stored settings of all files. Any other action resets the
// shown document and deletes its stored settings.
void view_reset_settings(view_state *viewer, view_action action)
{
    const bool is_all = action == VIEW_CLEAR_ALL_SETTINGS;
    if (!is_all)
        apply_values(viewer, NULL);
    if (action == VIEW_RESET_ALL)
        return;
    const char *const path = view_shown_file(viewer->document); // the files may be loaded again
    if (viewer->config != NULL && (is_all || path != NULL))
        view_delete_document_settings(viewer->config, is_all ? NULL : path);
    view_notice(viewer, is_all ? "All settings reset" : "Settings for this file reset");
}

// == Shown state =================================================================================

// Returns the open lesson, or NULL if none or the list of lessons is open.
const view_page *view_shown_page(const view_state *viewer)
{
    return viewer->pages.open >= 0 ? view_page_at((uint32_t)viewer->pages.open) : NULL;
}

// Resets the options of the window itself, which do not describe the shown document, to their
// defaults. Panels and statistics are turned off.
static void reset_window_options(view_options *options)
{
    view_shown *const shown = &options->shown;
    shown->panel = false;
    shown->statistics = false;
    shown->frame_time = false;
    shown->hierarchy = true; // the parts of the panels have their defaults
    shown->inspector = true;
    shown->light_list = false;
    shown->parm_list = false;
    shown->graph = false;
    shown->help = false;
    shown->auto_quality = true;
    options->watch = false;
    options->mute = false;
    options->level = VIEW_INFO;
    options->record_as = VIEW_RECORD_APNG;
    options->frame_rate = 0;
    options->game = NULL;
}

// Describes the user's camera as options. If the camera frames the whole clip, omits the distance
// and the target. The new camera then frames the clip too, in an image of any shape.
static void describe_camera(const view_cameras *cameras, bool is_page, view_options *options)
{
    const view_camera *const camera = &cameras->user;
    const view_camera *const framed = &cameras->framing.camera;
    const view_camera default_camera = VIEW_DEFAULT_CAMERA;
    const bool has_framed_target =
        memcmp(&camera->target, &framed->target, sizeof camera->target) == 0;
    const bool is_framed =
        cameras->framing.width > 0 && camera->distance == framed->distance && has_framed_target;
    const bool is_position_given = !is_framed && !cameras->follows_path && !is_page;
    options->azimuth = camera->azimuth;
    options->azimuth_given = camera->azimuth != default_camera.azimuth;
    options->elevation = camera->elevation;
    options->elevation_given = camera->elevation != default_camera.elevation;
    options->distance = camera->distance;
    options->distance_given = is_position_given;
    memcpy(options->target, &camera->target, sizeof options->target);
    options->target_given = is_position_given;
    options->orthographic = camera->orthographic;
    options->orthographic_given = camera->orthographic;
}

// Describes the open lesson, or the list of lessons, by the option --lesson.
static void describe_page(const view_state *viewer, view_options *options)
{
    const view_page *const page = view_shown_page(viewer);
    const bool is_page = viewer->pages.open >= 0; // a lesson, or the list of lessons
    options->page = NULL;
    if (page != NULL)
        options->page = page->name;
    else if (is_page)
        options->page = "contents";
    if (is_page)
        options->settings.count = 0; // lessons have sliders instead
}

// Describes the shown document, lesson and camera as options, with which md5view shows the same
// image. Begins with a copy of the current options. Then sets the options whose values are
// stored elsewhere, because the user changes them in the window: the lesson, the axes, the
// selected joint, the clip and the camera.
void view_describe_document(view_state *viewer, view_options *options)
{
    const view_scene *const scene = &viewer->document->scene;
    const bool is_page = viewer->pages.open >= 0; // a lesson, or the list of lessons
    *options = *viewer->options;
    reset_window_options(options);
    describe_page(viewer, options);

    char up[3], front[3];
    view_name_axes(&scene->rotation, up, front);
    options->up_is_y = strcmp(up, "+y") == 0;

    const int32_t joint = viewer->ui.selection.joint;
    const bool has_joint = joint >= 0 && scene->skeleton != NULL;
    options->joint = has_joint ? scene->skeleton->joints[joint].name : NULL;

    const bool is_bind_pose = view_is_bind_pose(scene);
    options->animation_index = (uint32_t)scene->clip;
    options->animation_index_given = !is_page && scene->num_clips > 1 && !is_bind_pose;
    if (!is_page && is_bind_pose && scene->model != NULL)
        options->no_auto = true; // without clips, the model is shown in its bind pose

    options->camera_path = scene->camera_path.camera != NULL && !viewer->cameras.follows_path;
    describe_camera(&viewer->cameras, is_page, options);
}

// Returns settings, lines "--NAME=VALUE", with absolute paths of files. The caller frees them.
static char *with_absolute_paths(const char *lines)
{
    char *absolute_lines = common_copy("");
    const view_option *option;
    char *value;
    while ((option = view_next_setting(&lines, &value)) != NULL) {
        const char *const file = view_file_in(option, value);
        if (file != NULL && common_is_file(file)) {
            char *const path = common_absolute(file);
            common_extend(&absolute_lines, "--%s=%.*s%s\n", option->name, (int)(file - value),
                          value, path);
            free(path);
        } else {
            common_extend(&absolute_lines, "--%s=%s\n", option->name, value);
        }
        free(value);
    }
    return absolute_lines;
}

// Stores those settings of the shown document that differ from the defaults in the configuration.
// They apply when the document is opened again. A lesson has no stored settings.
void view_store_shown_document(view_state *viewer)
{
    const view_document *const document = viewer->document;
    const char *const path = view_shown_file(document);
    if (viewer->config == NULL || path == NULL)
        return;
    if (viewer->pages.open >= 0 || !document->uses_options)
        return;

    view_options settings;
    view_update_options(viewer);
    view_describe_document(viewer, &settings);
    settings.times = &viewer->play.time;
    settings.num_times = !viewer->play.playing && viewer->play.time > 0;

    char *const lines = view_write_settings(&settings, NULL, VIEW_SCOPE_ANY, VIEW_SCOPE_CAMERA);
    char *const absolute_lines = with_absolute_paths(lines);
    view_store_document_settings(viewer->config, path, absolute_lines);
    free(absolute_lines);
    free(lines);
}
