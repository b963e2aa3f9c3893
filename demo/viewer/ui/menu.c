// Menus: the menu bar, context menus, and the command search.
//
// An entry (view_menu_entry) describes a command or an option, with its label, shortcuts and
// requirements. A menu displays lines (menu_line). They are created from entries whenever the menu
// is drawn. An entry becomes one line. An entry with a list, for example of clips, becomes one line
// for each item of the list.
#include "demo/viewer/ui/menu.h"

#include "demo/viewer/ui/ui_tile.h"
#include "demo/viewer/ui/window_layout.h"

#include "demo/viewer/base/search.h"

#include <assert.h>
#include <ctype.h>
#include <strings.h>

void view_close_menu(view_ui *ui, view_menus *menus)
{
    ui_open_overlay(ui, VIEW_OVERLAY_NONE);
    *menus = (view_menus){.kind = VIEW_NO_MENU, .used = menus->used};
}

// Opens a context menu, a menu of the menu bar, or the command search at (x, y), in pixels. No
// line is selected at first (SIZE_MAX). The search has the focus in its text field and selects
// its first line.
void view_open_menu(view_ui *ui, view_menus *menus, view_menu_kind kind, float x, float y)
{
    const bool is_search = kind == VIEW_MENU_SEARCH;
    ui_open_overlay(ui, is_search ? VIEW_OVERLAY_SEARCH : VIEW_OVERLAY_MENU);
    *menus = (view_menus){.kind = kind, .x = x, .y = y, .selected = SIZE_MAX, .used = menus->used};
    if (!is_search)
        return;
    ui->focus.item = (ui_item_id){.panel = "menu", .number = 2}; // its text field
    ui->focus.selects_all = false;
    menus->selected = 0;
}

// == Menu lines ===================================================================================

// A line of a menu or of the search. It is a command, an item of an entry's list (for example a
// clip or a recent file), a submenu, or a message.
typedef struct menu_line {
    const view_menu_entry *entry; // the command, or the command of the submenu
    size_t number;                // index of the item in the list of the entry
    bool is_group;                // the line opens a submenu
    bool is_set;                  // the line has a check mark
    bool is_text;     // a message of the search, which cannot be selected; `entry` is NULL
    uint32_t missing; // VIEW_NEEDS_* that are not satisfied
    int score;        // score in the search; larger is better
    size_t order;     // index of the entry among all entries
    char label[192];
    char keys[64];
    char word[24];          // name of a choice on the command line, which the search also finds
    common_value value;     // value to which the command's option is set; COMMON_VALUE_NONE: none
    const char *path;       // path of a recent file, or NULL
    const char *suggestion; // search text that a click on a message enters, or NULL
} menu_line;

// MAX_LINES limits the lines of a menu with a long list. The search finds the other lines.
// MIN_SCORE is the score of a line that does not match the search text.
enum { MAX_LINES = 400, MIN_SCORE = -10000 };

// The lines of a menu, of a submenu or of the search. They are created again in each run.
typedef struct menu_lines {
    char query[256]; // search text after a space, so that each of its words follows a space
    size_t count;
    menu_line lines[MAX_LINES];
} menu_lines;

// Returns the requirements of menu entries that the document satisfies, as VIEW_NEEDS_ bits. A
// menu entry is disabled if one of its requirements is missing.
uint32_t view_found_needs(const view_document *document)
{
    const view_scene *const scene = &document->scene;
    const view_mode mode = view_get_mode(document);
    uint32_t found = 0;
    if (scene->model != NULL)
        found |= VIEW_NEEDS_MODEL;
    if (view_timing_anim(scene) != NULL || scene->num_clips > 0)
        found |= VIEW_NEEDS_CLIP;
    if (mode == VIEW_MODE_MACHINE)
        found |= VIEW_NEEDS_MACHINE;
    if (mode == VIEW_MODE_CLIPS)
        found |= VIEW_NEEDS_CLIPS;
    if (mode != VIEW_MODE_CROWD)
        found |= VIEW_NEEDS_ONE;
    if (scene->camera_path.camera != NULL)
        found |= VIEW_NEEDS_CAMERA_PATH;
    if (view_get_mover(scene)->take_control != NULL)
        found |= VIEW_NEEDS_MOVER;
    return found;
}

// Returns the satisfied requirements of menu entries as VIEW_NEEDS_ bits. Some require a part of
// the document, others something of the window, such as an undo step.
static uint32_t met_needs(const view_stage *stage)
{
    uint32_t met = view_found_needs(stage->document);
    if (stage->environment->light != NULL)
        met |= VIEW_NEEDS_ENVIRONMENT;
    if (stage->document->scene.entity.states != NULL)
        met |= VIEW_NEEDS_SCRIPT;
    if (stage->pages != NULL)
        met |= VIEW_NEEDS_LESSON;
    if (stage->document->companions[VIEW_RETARGETED].model != NULL)
        met |= VIEW_NEEDS_RETARGET;
    if (stage->step > 0)
        met |= VIEW_NEEDS_UNDO;
    if (stage->step + 1 < stage->num_steps)
        met |= VIEW_NEEDS_REDO;
    if (stage->num_steps > 1)
        met |= VIEW_NEEDS_STEPS;
    return met;
}

uint32_t view_missing_needs(const view_stage *stage, const view_menu_entry *entry)
{
    return entry->needs & ~met_needs(stage);
}

// Returns true if menus and the search list an entry.
static bool is_listed(const view_stage *stage, const view_menu_entry *entry)
{
    return (entry->listed_if & ~met_needs(stage)) == 0;
}

// -- Entries of a command's list ------------------------------------------------------------

// Returns the word with an index in a list "a|b|c". The word ends at '|' or at the end of the text.
// Returns NULL if the list has no such word, or if `words` is NULL.
static const char *find_word(const char *words, size_t index)
{
    const char *word = words;
    for (size_t i = 0; i < index && word != NULL; i++) {
        const char *const separator = strchr(word, '|');
        word = separator != NULL ? separator + 1 : NULL;
    }
    return word;
}

// Finds a state by its index among all states of a machine. Sets `layer` to its layer, and `state`
// to its index in this layer. Returns false if there is no such state.
static bool find_state(const md5_machine_desc *desc, size_t index, uint32_t *layer, uint32_t *state)
{
    size_t first = 0; // index of the layer's first state
    for (uint32_t i = 0; i < desc->num_layers; i++) {
        const size_t num_states = desc->layers[i].num_states;
        if (index < first + num_states) {
            *layer = i;
            *state = (uint32_t)(index - first);
            return true;
        }
        first += num_states;
    }
    return false;
}

// Returns true if an option switches a feature off, because its name is "no-" and the name of the
// feature. Menus display the feature. Its check mark means that the option is not set.
static bool has_inverse_name(const view_option *option)
{
    return option->kind == COMMON_SWITCH && strncmp(option->name, "no-", 3) == 0;
}

// Returns true if the line of an option has a check mark, which means that the switch is on.
static bool is_option_on(const view_stage *stage, const view_option *option)
{
    const bool is_switch = option->kind <= COMMON_EITHER;
    if (!is_switch)
        return false;
    const bool is_set = view_get_choice(option, stage->options) != 0;
    return is_set != has_inverse_name(option);
}

// Returns true if the line of an entry has a check mark. The entry is an option that is on, or a
// command with a state, for example playback.
static bool is_on(const view_stage *stage, const view_menu_entry *entry)
{
    const view_option *const option = view_get_option(entry);
    const view_scene *const scene = &stage->document->scene;
    if (option != NULL)
        return is_option_on(stage, option);
    switch (entry->action) {
    case VIEW_PLAY:
        return stage->play->playing;
    case VIEW_REVERSE:
        return stage->play->backward;
    case VIEW_WALK:
        return view_get_mover(scene) == &view_legs_motion;
    case VIEW_ORTHOGRAPHIC:
        return stage->camera->orthographic;
    case VIEW_CAMERA_PATH:
        return stage->following;
    case VIEW_RECORD:
        return stage->recorded >= 0;
    case VIEW_DRIVE:
        return stage->is_driving && view_get_mover(scene)->take_control != NULL;
    default:
        return false;
    }
}

// Parses "on" or "off" as the value of a switch. Sets line->value to it, and line->keys to a text
// about the current value. Returns false for other words.
static bool read_switch_word(const view_stage *stage, const view_option *option, const char *word,
                             menu_line *line)
{
    const bool turns_on = strcasecmp(word, "on") == 0;
    const bool turns_off = strcasecmp(word, "off") == 0;
    line->value = common_choice_value(turns_on != has_inverse_name(option));
    COMMON_TEXT(line->keys, "current: %s", is_on(stage, line->entry) ? "on" : "off");
    return turns_on || turns_off;
}

// Returns true if a word is a time: a number that may end in 'f' (frames) or 's' (seconds). Sets
// line->keys to a text about the current frame. The value is the word itself, because only the
// option can convert frames to seconds.
static bool read_time_word(const view_stage *stage, const char *word, menu_line *line)
{
    const md5_anim *const anim = view_timing_anim(&stage->document->scene);
    if (anim != NULL)
        COMMON_TEXT(line->keys, "current: %.0f", view_frame_position(stage->play, anim));

    char *unit; // the rest of the word after the number
    strtod(word, &unit);
    const bool begins_with_digit = isdigit((unsigned char)word[0]);
    const bool is_unit_valid = unit[0] == '\0' || strcmp(unit, "f") == 0 || strcmp(unit, "s") == 0;
    return begins_with_digit && is_unit_valid;
}

// Parses the last word of a search text as a value of an option. A search for "speed 2", for
// example, offers to set the speed to 2. Sets line->value to the value, and line->keys to a text
// about the current value. `query` must contain a space. Returns false if the word is not a value
// of the option.
static bool read_word(const view_stage *stage, const view_option *option, const char *query,
                      menu_line *line)
{
    const char *const word = strrchr(query, ' ') + 1;
    line->value = common_text_value(word);
    if (option->kind <= COMMON_EITHER)
        return read_switch_word(stage, option, word, line);
    if (option->kind == VIEW_OPTION_TIMES)
        return read_time_word(stage, word, line);

    char *const current = view_write_option(option, stage->options);
    if (current != NULL)
        COMMON_TEXT(line->keys, "current: %.7s", current);
    free(current);
    const bool is_single_value = option->kind > COMMON_CHOICE && option->kind < COMMON_TEXT;
    return is_single_value && view_parse_value(option, word, &line->value);
}

// Describes a step of the undo history. Step 0 is the newest. Returns its label, or NULL if there
// is no such step.
static const char *describe_step(const view_stage *stage, size_t number, menu_line *line)
{
    if (number >= stage->num_steps)
        return NULL;
    const size_t step = stage->num_steps - 1 - number; // the history begins with the oldest step
    line->number = step;
    line->is_set = step == stage->step;
    return stage->steps[step].label;
}

// Describes a mesh. The check mark of its line means that it is visible. Sets no label if the mesh
// does not exist, or if it cannot be hidden. Only the first 64 meshes can be hidden.
static void describe_mesh(const view_stage *stage, size_t number, menu_line *line)
{
    const md5_model *const model = stage->document->scene.model;
    if (model != NULL && number < model->num_meshes && number < 64)
        COMMON_TEXT(line->label, "%zu  %s", number, model->meshes[number].name);
    line->is_set = (stage->hidden_meshes >> number % 64 & 1) == 0;
}

// Describes a joint. The value of its line is the name of the joint. Returns the name, or NULL if
// the joint does not exist.
static const char *describe_joint(const view_stage *stage, size_t number, menu_line *line)
{
    const view_scene *const scene = &stage->document->scene;
    if (number >= scene->num_joints)
        return NULL;
    const char *const name = scene->skeleton->joints[number].name;
    line->value = common_text_value(name);
    line->is_set = (int32_t)number == stage->joint;
    return name;
}

// Describes a joint of the model to which clips are retargeted. At the right of its line is the
// joint that moves it. Returns the name of the joint, or NULL if it does not exist.
static const char *describe_target_joint(const view_stage *stage, size_t number, menu_line *line)
{
    const md5_model *const target = stage->document->companions[VIEW_RETARGETED].model;
    if (target == NULL || number >= target->skeleton.num_joints)
        return NULL;
    const convert_pair *const pairs = stage->retargeting->pairs; // NULL before the first frame
    const uint32_t mover = pairs != NULL ? pairs[number].source : MD5_NONE;
    if (mover == MD5_NONE)
        COMMON_TEXT(line->keys, "unmapped");
    else
        COMMON_TEXT(line->keys, "moved by %.48s",
                    stage->document->scene.skeleton->joints[mover].name);
    return target->skeleton.joints[number].name;
}

// Describes a state of the open state machine by its index among the states of all layers. Sets no
// label if there is no such state.
static void describe_state(const view_stage *stage, size_t number, menu_line *line)
{
    const view_machine *const machine = &stage->document->scene.machine;
    uint32_t layer;
    uint32_t state;
    if (view_get_mode(stage->document) != VIEW_MODE_MACHINE
        || !find_state(machine->desc, number, &layer, &state))
        return;
    const md5_layer_desc *const desc = &machine->desc->layers[layer];
    COMMON_TEXT(line->label, "%s: %s", desc->name, desc->states[state].name);
    line->is_set = md5_player_layer(machine->player, layer).state == state;
}

// Describes a trigger of the open state machine, with its key. Returns its name, or NULL if there
// is no such trigger.
static const char *describe_trigger(const view_stage *stage, size_t number, menu_line *line)
{
    const view_machine *const machine = &stage->document->scene.machine;
    if (view_get_mode(stage->document) != VIEW_MODE_MACHINE)
        return NULL;
    const int32_t trigger = view_find_trigger(machine, (uint32_t)number);
    view_print_trigger_key((uint32_t)number, line->keys, sizeof line->keys);
    return trigger >= 0 ? machine->desc->parameters[trigger].name : NULL;
}

// Describes value `number` of an option that is a choice. Sets no label if there is no such value.
static void describe_choice(const view_stage *stage, const view_option *option, size_t number,
                            menu_line *line)
{
    const char *const text = find_word(view_get_choices(option), number);
    const char *const word = find_word(option->value, number);
    if (text == NULL || word == NULL)
        return;
    line->value = common_choice_value((unsigned)number);
    line->is_set = view_get_choice(option, stage->options) == number;
    COMMON_TEXT(line->word, "%.*s", (int)strcspn(word, "|"), word);
    COMMON_TEXT(line->label, "%.*s", (int)strcspn(text, "|"), text);
}

// Describes item `number` of an entry's list in `line`. `query` is the search text. An entry
// without a list has at most one item: the last word of `query`, if it is a value of the entry's
// option. Returns false if there is no such item.
static bool describe_item(const view_stage *stage, const view_menu_entry *entry, size_t number,
                          const char *query, menu_line *line)
{
    const view_scene *const scene = &stage->document->scene;
    const view_option *const option = view_get_option(entry);
    const char *text = NULL; // label of the item; NULL if line->label is the label
    *line =
        (menu_line){.entry = entry, .number = number, .missing = view_missing_needs(stage, entry)};

    // Each case sets `text` or line->label if the item exists.
    switch (entry->list) {
    case VIEW_LIST_RECENT:
        if (stage->config != NULL && number < stage->config->recent.count)
            line->path = stage->config->recent.names[number];
        text = line->path;
        break;
    case VIEW_LIST_STEPS:
        text = describe_step(stage, number, line);
        break;
    case VIEW_LIST_CLIPS:
        text = number < scene->num_clips ? scene->clips[number].name : NULL;
        line->is_set = number == scene->clip;
        break;
    case VIEW_LIST_MESHES:
        describe_mesh(stage, number, line);
        break;
    case VIEW_LIST_JOINTS:
        text = describe_joint(stage, number, line);
        break;
    case VIEW_LIST_TARGET_JOINTS:
        text = describe_target_joint(stage, number, line);
        break;
    case VIEW_LIST_STATES:
        describe_state(stage, number, line);
        break;
    case VIEW_LIST_TRIGGERS:
        text = describe_trigger(stage, number, line);
        break;
    case VIEW_LIST_WORDS:
        describe_choice(stage, option, number, line);
        break;
    default:
        if (number == 0 && option != NULL && read_word(stage, option, query, line))
            text = strrchr(query, ' ') + 1;
        break;
    }

    if (text != NULL)
        COMMON_TEXT(line->label, "%s", text);
    const bool exists = text != NULL || line->label[0] != '\0';
    return exists;
}

// Writes the name of item `number` of a list, and the value to which an option is set if the item
// is selected. Returns false if the list has no such item.
bool view_list_item(const view_stage *stage, view_menu_list list, const view_option *option,
                    size_t number, char name[128], common_value *value)
{
    const view_menu_entry entry = {.list = list, .field = option->offset};
    menu_line line;
    if (list == VIEW_LIST_NONE || !describe_item(stage, &entry, number, "", &line))
        return false;
    snprintf(name, 128, "%.127s", line.label);
    *value = line.value;
    if (value->type == COMMON_VALUE_NONE)
        *value = common_number_value((double)number);
    return true;
}

// Returns the command of a line. `target` is the object for which a context menu was opened.
// Commands about this object contain its index, and its name or path.
static view_command line_command(const view_stage *stage, const menu_line *line,
                                 const view_target *target)
{
    const view_menu_entry *const entry = line->entry;
    const view_option *const option = view_get_option(entry);
    if (option != NULL && line->value.type != COMMON_VALUE_NONE)
        return view_set_command(option, line->value);

    const view_machine *const machine = &stage->document->scene.machine;
    view_command command = {.action = view_get_action(entry), .number = line->number};
    const char *path = line->path;
    if (entry->menu == VIEW_MENU_TARGET) {
        command.number = target->number;
        command.item = target->item;
        path = entry->action == VIEW_COPY_NAME ? target->name : target->path;
    } else if (entry->list == VIEW_LIST_STATES) {
        uint32_t layer;
        uint32_t state;
        if (find_state(machine->desc, line->number, &layer, &state)) {
            command.number = layer;
            command.item = state;
        }
    } else if (entry->list == VIEW_LIST_TRIGGERS) {
        command.number = (size_t)view_find_trigger(machine, (uint32_t)line->number);
    }

    // A command that asks for the value of an option must contain the index of the option.
    const bool needs_option = command.action < VIEW_TOGGLE;
    if (option != NULL && needs_option)
        command.number = (size_t)(option - view_option_rows);
    if (path != NULL && path[0] != '\0')
        command.path = common_copy(path);
    return command;
}

// -- Lists of lines -------------------------------------------------------------------------

// Returns true if the line of an entry opens a submenu with the items of the entry's list.
static bool has_menu(const view_menu_entry *entry)
{
    return entry->list != VIEW_LIST_NONE && entry->action != VIEW_ASK;
}

// Adds a line for a command or, if `is_group` is true, for a submenu. Returns NULL if the list is
// full.
static menu_line *add_line(menu_lines *lines, const view_stage *stage, const view_menu_entry *entry,
                           const char *label, bool is_group)
{
    if (lines->count == MAX_LINES)
        return NULL;
    menu_line *const line = &lines->lines[lines->count++];
    *line = (menu_line){.entry = entry, .is_group = is_group};
    COMMON_TEXT(line->label, "%s", label);

    // Undo and Redo also display the label of the step that they would undo or redo.
    const size_t step = entry->action == VIEW_REDO ? stage->step + 1 : stage->step;
    const bool is_undo = entry->action == VIEW_UNDO && step > 0;
    const bool is_redo = entry->action == VIEW_REDO && step < stage->num_steps;
    if (is_undo || is_redo)
        COMMON_TEXT(line->label, "%s: %s", label, stage->steps[step].label);

    // Each command of a submenu has its own requirements. Therefore the submenu itself is always
    // enabled.
    const bool is_group_of_commands = is_group && entry->list == VIEW_LIST_NONE;
    if (!is_group_of_commands)
        line->missing = view_missing_needs(stage, entry);
    if (!is_group) {
        view_print_keys(entry, line->keys, sizeof line->keys);
        line->is_set = is_on(stage, entry);
        line->value = entry->value;
    }
    return line;
}

// Returns the length of the submenu's name in a label "Submenu/Command", or 0.
static size_t group_length(const view_menu_entry *entry)
{
    const char *const slash = strchr(entry->label, '/');
    return slash != NULL ? (size_t)(slash - entry->label) : 0;
}

// Adds a line for each item of an entry's list.
static void list_items(menu_lines *lines, const view_stage *stage, const view_menu_entry *entry)
{
    menu_line item;
    for (size_t i = 0; lines->count < MAX_LINES; i++) {
        if (!describe_item(stage, entry, i, " ", &item))
            return;
        lines->lines[lines->count++] = item;
    }
}

// Returns true if two entries are in the same submenu. `group_length` is the length of the
// submenu's name in the label of `entry`, more than 0.
static bool has_same_group(const view_menu_entry *entry, size_t group_length,
                           const view_menu_entry *other)
{
    // Also compare the '/' after the group, so that a longer name is not taken for this group.
    return strncmp(entry->label, other->label, group_length + 1) == 0;
}

// Adds the lines of a menu of the bar. If `group` is not empty, adds the lines of the submenu with
// this name instead. A submenu contains the commands with the label "GROUP/COMMAND", or the items
// of an entry's list.
static void list_menu(menu_lines *lines, const view_stage *stage, view_menu menu, const char *group)
{
    const size_t length = strlen(group);
    view_menu_entries list;
    view_list_menu_entries(&list);
    for (size_t i = 0; i < list.count; i++) {
        const view_menu_entry *const entry = list.entries[i];
        if (entry->menu != menu || !is_listed(stage, entry))
            continue;

        const size_t entry_length = group_length(entry);
        const bool is_in_group =
            entry_length == length && strncmp(entry->label, group, entry_length) == 0;
        if (is_in_group) {
            add_line(lines, stage, entry, view_get_label(entry), has_menu(entry));
        } else if (length == 0 && !has_same_group(entry, entry_length, list.entries[i - 1])) {
            // The first command of a submenu adds the line that opens the submenu. All its commands
            // are adjacent. Entry 0 is not in a submenu, so i - 1 is valid.
            char name[64];
            COMMON_TEXT(name, "%.*s", (int)entry_length, entry->label);
            const bool is_card = strstr(name, "\xE2\x80\xA6") != NULL; // "…": opens a dialog
            add_line(lines, stage, entry, name, !is_card);
        }
        if (strcmp(group, entry->label) == 0)
            list_items(lines, stage, entry);
    }
}

// Returns the label of a command in a context menu. A command that hides meshes shows them if they
// are already hidden. Its label is then "Show" or "Show all".
static const char *context_label(const view_stage *stage, const view_target *target,
                                 const view_menu_entry *entry)
{
    // A set of meshes has one bit per mesh.
    const uint64_t mesh = target->number < 64 ? (uint64_t)1 << target->number : 0;
    const uint64_t hidden = stage->hidden_meshes;
    const bool is_hidden = (hidden & mesh) != 0;
    if (entry->action == VIEW_HIDE_MESH && is_hidden)
        return "Show";

    const bool is_visible = (hidden & mesh) != mesh;
    if (entry->action == VIEW_ONLY_MESH && hidden != 0 && is_visible) {
        // If all other meshes are hidden, all bits are set. Adding 1 then results in the bit after
        // the last mesh.
        const uint64_t end = (uint64_t)1 << stage->document->scene.model->num_meshes % 64;
        const bool are_others_hidden = (hidden | mesh) + 1 == end;
        if (are_others_hidden)
            return "Show all";
    }
    return view_get_label(entry);
}

// Writes the label of a command that hides or shows a mesh, for example "Hide mesh skin". A mesh
// without a name has its index in the label.
static void write_mesh_label(const char *label, const md5_mesh *mesh, size_t index, char *text,
                             size_t size)
{
    if (mesh->name[0] != '\0')
        snprintf(text, size, "%s mesh %s", label, mesh->name);
    else
        snprintf(text, size, "%s mesh %zu", label, index);
}

// Writes the label of a command in a context menu, for example "Hide mesh body". The kind and
// the name of the clicked object are appended to a label that does not contain them.
static void write_context_label(const view_stage *stage, const view_target *target,
                                const view_menu_entry *entry, char *text, size_t size)
{
    const view_scene *const scene = &stage->document->scene;
    const size_t index = target->number;
    const char *const label = context_label(stage, target, entry);
    const bool is_about_mesh = entry->action == VIEW_HIDE_MESH || entry->action == VIEW_ONLY_MESH;
    const bool is_about_all = strcmp(label, "Show all") == 0;
    const bool has_mesh = scene->model != NULL && index < scene->model->num_meshes;
    if (is_about_mesh && !is_about_all && has_mesh)
        write_mesh_label(label, &scene->model->meshes[index], index, text, size);
    else if (entry->action == VIEW_OPEN_CLIP && index < scene->num_clips)
        snprintf(text, size, "%s clip %s", label, scene->clips[index].name);
    else if (entry->action == VIEW_OPEN_FILE && target->path[0] != '\0')
        snprintf(text, size, "%s %s", label, common_base(target->path));
    else
        snprintf(text, size, "%s", label);
}

// Adds a command of a context menu.
static void add_context_line(menu_lines *lines, const view_stage *stage, const view_target *target,
                             const view_menu_entry *entry)
{
    char label[64];
    write_context_label(stage, target, entry, label, sizeof label);
    add_line(lines, stage, entry, label, has_menu(entry));
}

// Adds the lines of a context menu: the commands for the kind of the clicked object. The last line
// is the command search.
static void list_context(menu_lines *lines, const view_stage *stage, const view_target *target)
{
    const view_menu_entry *search = NULL; // the last line
    view_menu_entries list;
    view_list_menu_entries(&list);
    for (size_t i = 0; i < list.count; i++) {
        const view_menu_entry *const entry = list.entries[i];
        if (entry->action == VIEW_SEARCH)
            search = entry;
        else if ((entry->context & target->context) != 0 && is_listed(stage, entry))
            add_context_line(lines, stage, target, entry);
    }
    assert(search != NULL);
    add_line(lines, stage, search, "All commands\xE2\x80\xA6", false);
}

// -- Lines of the search ---------------------------------------------------------------------

// Orders lines for qsort() by decreasing score. Lines with equal scores keep the order of the
// commands and of their lists.
static int compare_scores(const void *a, const void *b)
{
    const menu_line *const first = a;
    const menu_line *const second = b;
    if (first->score != second->score)
        return second->score - first->score;
    if (first->order != second->order)
        return first->order < second->order ? -1 : 1;
    return (int)first->number - (int)second->number;
}

// Sets the score of a line from the score of its match. A recently used command gets a bonus, and a
// disabled command a penalty.
static void score_line(const view_menus *menus, menu_line *line, int score)
{
    enum { USED_BONUS = 150, DISABLED_PENALTY = 400 };
    bool is_used = false;
    for (int i = 0; i < VIEW_NUM_USED; i++)
        is_used |= menus->used.entries[i] == line->entry;
    line->score = score;
    if (is_used)
        line->score += USED_BONUS;
    if (line->missing != 0)
        line->score -= DISABLED_PENALTY;
}

// Returns the score of an item of an entry's list, or MIN_SCORE if it does not match.
//
// The search text may begin with words for the command, followed by words for the item, for example
// "clip walk". All divisions of the text are rated, and the best one counts. If `needs_words` is
// true, words for the command are required.
static int rate_item(const menu_line *item, const char *query, bool needs_words)
{
    enum { MAX_WORDS = 8, SCORE_OF_BOTH = 400 };
    const char *const end = query + strlen(query);
    const char *split = query; // the words before it are for the command, the others for the item
    int best = MIN_SCORE;
    for (int i = 0; i < MAX_WORDS && split < end; i++) {
        const int item_score = view_rate_name(item->label, item->word, split, end);
        const bool has_command_words = split > query;
        int score = item_score - 1;
        if (has_command_words) {
            const int command_score = view_rate_entry(item->entry, query, split);
            score = command_score + SCORE_OF_BOTH + item_score / 20;
        }
        if ((has_command_words || !needs_words) && score > best)
            best = score;
        split += strcspn(split, " ");
        split += strspn(split, " ");
    }
    return best;
}

// Adds a line for an item of an entry's list that the search has found. The label is "Command:
// item" or, for a value that was typed, "Command value".
static void add_found_item(menu_lines *lines, const menu_line *item)
{
    const view_menu_entry *const entry = item->entry;
    const bool is_listed_item = entry->list != VIEW_LIST_NONE;
    const char *const command = view_get_label(entry);
    const size_t command_length = strcspn(command, "\xE2"); // without the ellipsis, byte E2
    menu_line *const line = &lines->lines[lines->count++];
    *line = *item;
    COMMON_TEXT(line->label, "%.*s%s%.150s", (int)command_length, command,
                is_listed_item ? ": " : " ", item->label);
}

// Adds the best items of an entry's list that match the search text. If the entry has no list, adds
// the last typed word, provided that it is a value of the entry's option. Words for the command may
// precede it. They are required for most options, because many options have the same values. Frames
// and joints do not require them.
static void list_names(menu_lines *lines, const view_ui *ui, const view_menus *menus,
                       const view_menu_entry *entry)
{
    enum { MAX_ENTRIES = 8 };
    const char *const query = lines->query + 1;
    if (query[0] == '\0')
        return;

    const view_option *const option = view_get_option(entry);
    const bool needs_words =
        option != NULL && option->kind != VIEW_OPTION_TIMES && entry->list != VIEW_LIST_JOINTS;
    const size_t first = lines->count;
    const size_t max_count = first + MAX_ENTRIES;
    menu_line item;
    for (size_t i = 0; lines->count < MAX_LINES; i++) {
        if (!describe_item(ui->stage, entry, i, lines->query, &item))
            break;
        const int score = rate_item(&item, query, needs_words);
        if (score == MIN_SCORE)
            continue;
        score_line(menus, &item, score);
        add_found_item(lines, &item);
    }

    // Keep only the items with the best scores.
    qsort(lines->lines + first, lines->count - first, sizeof item, compare_scores);
    if (lines->count > max_count)
        lines->count = max_count;
}

// Returns true if the search includes an entry. It includes all entries of the menu bar and all
// settings.
static bool is_searched(const view_stage *stage, const view_menu_entry *entry)
{
    const bool is_in_menu = entry->menu < VIEW_NUM_MENUS || entry->menu == VIEW_MENU_SETTINGS;
    return is_in_menu && is_listed(stage, entry);
}

// Adds a message below the found lines. `suggestion` is the search text that a click on the message
// enters, or NULL.
static void add_message(menu_lines *lines, const char *text, const char *suggestion)
{
    if (lines->count == MAX_LINES)
        return;
    menu_line *const line = &lines->lines[lines->count++];
    *line = (menu_line){.is_text = true, .suggestion = suggestion};
    COMMON_TEXT(line->label, "%s", text);
}

// Adds messages below the found lines. They are added if nothing was found, or if the search text
// names a feature that only another program has. If nothing was found, a command with a similar
// label is suggested.
static void add_messages(menu_lines *lines, const view_menu_entries *list)
{
    const char *const query = lines->query + 1;
    const char *const answer = view_find_missing_feature(query);
    const bool has_found = lines->count > 0;
    if (!has_found)
        add_message(lines, "No matches", NULL);
    if (answer != NULL)
        add_message(lines, answer, NULL);
    if (has_found || answer != NULL)
        return;

    const view_menu_entry *const similar = view_find_similar_entry(list, query);
    if (similar == NULL)
        return;
    char text[96];
    COMMON_TEXT(text, "Did you mean: %s", view_get_label(similar));
    add_message(lines, text, view_get_label(similar));
}

// Adds the lines that match the search text menus->text. These are commands and items of their
// lists, the best first. Messages follow.
static void list_found(menu_lines *lines, const view_ui *ui, const view_menus *menus)
{
    COMMON_TEXT(lines->query, " %s", menus->text + strspn(menus->text, " "));
    const char *const query = lines->query + 1;
    const char *const end = query + strlen(query);
    view_menu_entries list;
    view_list_menu_entries(&list);
    for (size_t i = 0; i < list.count; i++) {
        const view_menu_entry *const entry = list.entries[i];
        if (!is_searched(ui->stage, entry))
            continue;

        const size_t first = lines->count;
        const int score = view_rate_entry(entry, query, end);
        if (score != VIEW_NO_MATCH) {
            menu_line *const line =
                add_line(lines, ui->stage, entry, view_get_label(entry), has_menu(entry));
            if (line != NULL)
                score_line(menus, line, score);
        }
        list_names(lines, ui, menus, entry);
        for (size_t k = first; k < lines->count; k++)
            lines->lines[k].order = i;
    }
    qsort(lines->lines, lines->count, sizeof lines->lines[0], compare_scores);
    add_messages(lines, &list);
}

// == Drawing and input ============================================================================

static const float row_lines = 1.3f; // height of a menu line, in lines of text

// Sizes in layout units.
static const float menu_padding = 10;
static const float mark_width = 20; // space for the mark of a switch that is on
static const float bar_padding = 9; // left and right of the names of menus

// Returns the line to which an arrow key moves the selection. It is the next enabled line after
// `from` if `step` is 1, or before it if `step` is -1. The search continues at the other end of the
// list. If `from` is outside of the list, it begins at the first or the last line. Returns `from`
// if no line is enabled.
static size_t next_line(const menu_lines *lines, size_t from, int step)
{
    const size_t count = lines->count;
    const size_t start = step > 0 ? 0 : count - 1;
    const size_t advance = step > 0 ? 1 : count - 1; // modulo count: 1 or -1
    size_t index = from;
    for (size_t i = 0; i < count; i++) {
        index = index >= count ? start : (index + advance) % count;
        const menu_line *const line = &lines->lines[index];
        if (line->missing == 0 && !line->is_text)
            return index;
    }
    return from;
}

// Opens the submenu of a line. If the line is a result of the search, first opens the menu of the
// bar that contains the submenu.
static void open_submenu(view_ui *ui, view_menus *menus, const menu_line *line)
{
    if (menus->kind == VIEW_MENU_SEARCH) {
        view_open_menu(ui, menus, VIEW_MENU_OF_BAR, 0, view_current_layout(ui->stage).menu.height);
        menus->menu = line->entry->menu;
    }
    COMMON_TEXT(menus->group, "%s", line->label);
    menus->row = line->entry;
}

// Executes a line: opens its submenu, or requests its command and closes the menu. If the line is
// disabled, shows a notice with the reason.
static void execute_line(view_ui *ui, view_menus *menus, const menu_line *line)
{
    if (line->is_text)
        return;
    if (line->missing != 0) {
        ui_show_notice(ui, ui->stage->uptime, "%s: %s", line->label, view_reason(line->missing));
        return;
    }
    if (line->is_group) {
        open_submenu(ui, menus, line);
        return;
    }

    view_command command = line_command(ui->stage, line, &menus->target);
    if (command.action == VIEW_EXPORT && menus->text[0] != '\0')
        command.path = common_copy(menus->text); // may name a format, such as "export glb"
    menus->used.entries[menus->used.count % VIEW_NUM_USED] = line->entry;
    menus->used.count++;
    view_close_menu(ui, menus);
    ui_request(ui, command);
}

// The layout of a list of lines: the part that is visible, and its rectangle.
typedef struct line_list {
    const menu_lines *lines;
    bool is_search;   // the list is below the search field
    float min_y;      // upper edge of the list if it is as high as possible, pixels
    size_t selected;  // line that was selected by keys, or SIZE_MAX
    size_t *first;    // first visible line
    size_t count;     // visible lines
    float row_height; // pixels
    float keys_width; // width of the column with the keys at the right, pixels
    view_rect box;
} line_list;

// Scrolls a list to its selected line, and by the wheel if the mouse is over the list. Sets the
// first visible line.
static void scroll_menu(view_ui *ui, const line_list *list)
{
    const size_t num_lines = list->lines->count;
    size_t *const first = list->first;
    const bool has_selection = list->selected < num_lines;
    if (has_selection && list->selected < *first)
        *first = list->selected;
    if (has_selection && list->selected >= *first + list->count)
        *first = list->selected + 1 - list->count;
    if (view_contains(list->box, ui->mouse.x, ui->mouse.y))
        ui_scroll_lines(ui, list->row_height, list->count, num_lines, first);

    // If the list has become shorter, move its first visible line back, so that the list is filled.
    if (*first + list->count > num_lines)
        *first = num_lines - list->count;
}

// Requests a preview of the value that a line sets.
static void preview_line(view_ui *ui, const menu_line *line)
{
    if (line->entry->list == VIEW_LIST_CLIPS && !line->is_group) {
        const common_value clip = common_number_value((double)line->number);
        ui_preview_option(ui, VIEW_OPTION(animation_index), clip);
    } else if (line->entry->list == VIEW_LIST_WORDS && !line->is_group) {
        ui_preview_option(ui, view_get_option(line->entry), line->value);
    }
}

// Draws a line of a menu. It consists of the check mark and the label. At the right are the keys or
// the sign of a submenu. `keys_width` is the width of the column of keys, in pixels. If
// `has_menu_name` is true, also draws the name of the menu that contains the command. `is_lit` is
// true if the line is highlighted.
static void draw_line(view_ui *ui, const menu_line *line, view_rect box, float keys_width,
                      bool is_lit, bool has_menu_name)
{
    const float scale = ui->scale;
    const float left = box.x + mark_width * scale;
    const float top = box.y + 0.5f * (box.height - ui->line);
    const bool can_press = !line->is_text || line->suggestion != NULL;
    if (can_press && (is_lit || ui_is_hot(ui))) {
        const view_color background = is_lit ? VIEW_SELECTED : VIEW_CONTROL;
        view_draw_round_rect(ui->stage->canvas, box, 3 * scale, background);
    }
    if (line->is_text) {
        ui_text(ui, left, top, box.width - mark_width * scale, VIEW_DIM, line->label);
        return;
    }

    const bool is_disabled = line->missing != 0;
    const view_color mark_color = is_lit ? VIEW_BRIGHT : VIEW_ACCENT;
    const view_color menu_color = is_lit ? VIEW_PLAIN : VIEW_DIM;
    const view_color keys_color = is_disabled ? VIEW_DISABLED : menu_color;
    view_color label_color = is_lit ? VIEW_BRIGHT : VIEW_PLAIN;
    if (is_disabled)
        label_color = VIEW_DISABLED;

    // The mark, the label, and the name of the menu if there is space for it.
    if (line->is_set)
        ui_text(ui, box.x + 4 * scale, top, 0, mark_color, "\xE2\x9C\x93");
    const float width = box.width - mark_width * scale - keys_width;
    const float label_width = ui_text(ui, left, top, width, label_color, line->label);
    const float menu_offset = 8 * scale + label_width;
    const char *const menu = view_menu_names[line->entry->menu];
    if (has_menu_name && menu_offset + ui_text_width(ui, menu) < width)
        ui_text(ui, left + menu_offset, top, 0, menu_color, menu);

    const char *const keys = line->is_group ? UI_SIGN_FOLDED : line->keys;
    ui_right_aligned_text(ui, box.x + box.width - 6 * scale, top, keys_color, keys);
}

// Draws a mark at the right edge of a menu that is higher than the window. It shows which lines are
// visible: `count` lines from line `first` on.
static void draw_scroll_mark(const view_ui *ui, view_rect box, size_t first, size_t count,
                             size_t num_lines)
{
    const float width = 3 * ui->scale;
    const float height = box.height / (float)num_lines;
    const view_rect mark = {box.x + box.width - width, box.y + height * (float)first, width,
                            height * (float)count};
    if (count < num_lines)
        view_draw_round_rect(ui->canvas, mark, 0.5f * width, VIEW_DIM);
}

// Computes the rectangle of a list, its number of visible lines, and the width of its keys. Its
// upper left corner is at (x, y) in pixels. If the list would exceed the window, it is moved, but
// not above list->min_y. It is at least `min_width` wide.
static void lay_out_lines(const view_ui *ui, line_list *list, float x, float y, float min_width)
{
    const view_stage *const stage = ui->stage;
    const menu_lines *const lines = list->lines;
    const float scale = ui->scale;
    const float padding = menu_padding * scale;
    const float mark = mark_width * scale;
    float labels_width = 0;
    float keys_width = 0;
    for (size_t i = 0; i < lines->count; i++) {
        labels_width = fmaxf(labels_width, ui_text_width(ui, lines->lines[i].label));
        keys_width = fmaxf(keys_width, ui_text_width(ui, lines->lines[i].keys));
    }
    keys_width += keys_width > 0 ? 2 * padding : mark; // the sign of a submenu needs space, too
    list->keys_width = keys_width;
    list->row_height = roundf(row_lines * ui->line);

    // The tooltip of a line needs space below the list.
    const float bottom = stage->height - 2 * padding - ui->line;
    const float max_height = bottom - list->min_y;
    list->count = lines->count;
    if ((float)list->count * list->row_height > max_height)
        list->count = (size_t)fmaxf(max_height / list->row_height, 1);

    const float needed_width = mark + labels_width + keys_width + 2 * padding;
    const float width = fminf(fmaxf(needed_width, min_width), stage->width - 2 * scale);
    const float height = (float)list->count * list->row_height + padding;
    list->box =
        (view_rect){roundf(fmaxf(fminf(x, stage->width - width - scale), scale)),
                    roundf(fmaxf(fminf(y, bottom + padding - height), list->min_y)), width, height};
}

// Draws a visible line of a list and handles its input. Sets `hovered` to `index` if the line is
// under the mouse, and requests the preview of its value. Returns true if the line was pressed.
static bool run_line(view_ui *ui, const line_list *list, size_t index, size_t *hovered)
{
    const menu_line *const line = &list->lines->lines[index];
    const float padding = menu_padding * ui->scale;
    const float first_y = list->box.y + 0.5f * padding;
    const size_t num_lines_above = index - *list->first;
    const view_rect box = {list->box.x + 0.3f * padding,
                           first_y + (float)num_lines_above * list->row_height,
                           list->box.width - 0.6f * padding, list->row_height};
    const bool is_pressed = ui_item(ui, box, line->label);
    const bool is_hot = ui_is_hot(ui);
    if (is_hot)
        *hovered = index;
    if (!line->is_text)
        preview_line(ui, line);

    // Without a selection by keys, the line under the mouse is highlighted.
    const bool has_selection = list->selected < list->lines->count;
    const bool is_selected = index == list->selected;
    const bool is_lit = !line->is_text && (is_selected || (is_hot && !has_selection));
    draw_line(ui, line, box, list->keys_width, is_lit, list->is_search);
    return is_pressed;
}

// Draws a list of lines, handles its input, and executes the pressed line. The upper left corner
// of the list is near (x, y). `min_width` is the width of the search field, or 0 for menus. Sets
// `hovered` to the line under the mouse, if any. Returns the rectangle of the list.
static view_rect draw_lines(view_ui *ui, view_menus *menus, line_list *list, float x, float y,
                            float min_width, size_t *hovered)
{
    const menu_lines *const lines = list->lines;
    list->is_search = min_width > 0;
    list->min_y = ui->scale;
    if (list->is_search)
        list->min_y = y;
    else if (menus->kind == VIEW_MENU_OF_BAR) // the bar remains visible
        list->min_y = view_current_layout(ui->stage).menu.height;
    lay_out_lines(ui, list, x, y, min_width);
    scroll_menu(ui, list);

    ui_popover(ui, list->box, 5, VIEW_EDGE);
    ui_item(ui, list->box, "");
    draw_scroll_mark(ui, list->box, *list->first, list->count, lines->count);
    const size_t end = *list->first + list->count;
    for (size_t i = *list->first; i < end; i++) {
        const menu_line *const line = &lines->lines[i];
        const bool is_pressed = run_line(ui, list, i, hovered);
        if (!is_pressed)
            continue;
        if (line->suggestion != NULL)
            COMMON_TEXT(menus->text, "%s", line->suggestion);
        execute_line(ui, menus, line);
        break;
    }
    return list->box;
}

// Draws the tooltip of a line below the list `box`. It contains the description of the command or
// the reason why the command is disabled. A tooltip that only repeats the label is not drawn.
static void draw_help(const view_ui *ui, view_rect box, const menu_line *line)
{
    if (line->is_text)
        return;
    const bool is_disabled = line->missing != 0;
    ui_line note = {.color = is_disabled ? VIEW_AMBER : VIEW_PLAIN};
    if (is_disabled)
        COMMON_TEXT(note.text, "%s", view_reason(line->missing));
    else
        COMMON_TEXT(note.text, "%s", view_get_tooltip(line->entry));
    const bool repeats_label = strcmp(note.text, view_get_label(line->entry)) == 0;
    if (!repeats_label)
        ui_note(ui, box.x, box.y + box.height + 3 * ui->scale, INFINITY, &note, 1);
}

// Moves the selection by the keys Up, Down and End, and executes the selected line by Enter.
static void select_by_keys(view_ui *ui, view_menus *menus, const menu_lines *lines)
{
    size_t *const selected = &menus->selected;
    if (ui_key(ui, VIEW_KEY_DOWN))
        *selected = next_line(lines, *selected, 1);
    else if (ui_key(ui, VIEW_KEY_UP))
        *selected = next_line(lines, *selected, -1);
    else if (ui_key(ui, VIEW_KEY_END))
        *selected = next_line(lines, 0, -1);
    else if (ui_key(ui, VIEW_KEY_RETURN) && *selected < lines->count)
        execute_line(ui, menus, &lines->lines[*selected]);
}

// -- Menus of the bar and context menus -----------------------------------------------------------

// Opens the submenu of the selected line of the menu `outer`. Returns false if a submenu is already
// open, or if the line has none.
static bool enter_submenu(view_ui *ui, view_menus *menus, const menu_lines *outer)
{
    const bool is_open = menus->group[0] != '\0';
    const bool has_selection = menus->selected < outer->count;
    if (is_open || !has_selection || !outer->lines[menus->selected].is_group)
        return false;
    execute_line(ui, menus, &outer->lines[menus->selected]);
    return true;
}

// Handles the left and right arrow keys. Right opens the submenu of the selected line, and Left
// closes an open submenu. If there is none, they open the next or the previous menu of the bar.
static void move_between_menus(view_ui *ui, view_menus *menus, const menu_lines *outer)
{
    if (menus->kind == VIEW_NO_MENU)
        return;
    if (menus->group[0] != '\0' && ui_key(ui, VIEW_KEY_LEFT)) {
        menus->group[0] = '\0';
        return;
    }
    if (menus->kind != VIEW_MENU_OF_BAR)
        return;
    if (!ui_key(ui, VIEW_KEY_LEFT) && !ui_key(ui, VIEW_KEY_RIGHT))
        return;

    const bool is_right = ui->mouse.key == VIEW_KEY_RIGHT;
    if (is_right && enter_submenu(ui, menus, outer))
        return;
    const int step = is_right ? 1 : VIEW_NUM_MENUS - 1; // modulo VIEW_NUM_MENUS: 1 or -1
    const view_menu next = (view_menu)(((int)menus->menu + step) % VIEW_NUM_MENUS);
    view_open_menu(ui, menus, VIEW_MENU_OF_BAR, 0, 0);
    menus->menu = next;
}

// Opens the submenu of the line under the mouse, `hovered`, and closes another submenu. On its way
// to an open submenu, the mouse crosses other lines. While it moves to the right, the submenu
// therefore remains open.
static void hover_submenu(view_ui *ui, view_menus *menus, const menu_lines *outer, size_t hovered)
{
    if (!ui->mouse.is_moved)
        return;
    const bool moves_right = ui->mouse.x > menus->last_x;
    if (!moves_right && hovered < outer->count) {
        const menu_line *const line = &outer->lines[hovered];
        menus->selected = SIZE_MAX;
        menus->group[0] = '\0';
        if (line->is_group && line->missing == 0)
            execute_line(ui, menus, line);
    }
    menus->last_x = ui->mouse.x;
}

// Draws the submenu `inner` next to the line of the menu `outer` that opens it. Also handles the
// input of the submenu. `box` is the rectangle of the menu. Sets `hovered` to the line of the
// submenu under the mouse, if any. Returns the rectangle of the submenu.
static view_rect draw_submenu(view_ui *ui, view_menus *menus, const menu_lines *outer,
                              const menu_lines *inner, view_rect box, size_t *hovered)
{
    // Find the line that opens the submenu. It is visible.
    size_t opened = menus->first;
    while (opened < outer->count) {
        const menu_line *const line = &outer->lines[opened];
        if (line->entry == menus->row && line->is_group)
            break;
        opened++;
    }

    // The submenu is at the right of the menu. If there is too little space, it is at the left and
    // covers a part of the menu.
    const float window_width = ui->stage->width;
    const bool has_space = box.x + 1.6f * box.width <= window_width;
    const bool is_left = !has_space && box.x > 0.5f * window_width;
    const float x = is_left ? box.x - 0.6f * box.width : box.x + box.width;
    const float y = box.y + (float)(opened - menus->first) * roundf(row_lines * ui->line);
    line_list list = {.lines = inner, .selected = menus->selected, .first = &menus->inner_first};
    return draw_lines(ui, menus, &list, x, y, 0, hovered);
}

// Draws an open menu, `outer`, and its open submenu, `inner`, which may be NULL. Also handles their
// input. A tooltip is drawn below them. It belongs to the line under the mouse or, without a mouse,
// to the selected line.
static void run_lines(view_ui *ui, view_menus *menus, const menu_lines *outer,
                      const menu_lines *inner)
{
    const size_t selected = inner != NULL ? SIZE_MAX : menus->selected;
    line_list list = {.lines = outer, .selected = selected, .first = &menus->first};
    size_t hovered = SIZE_MAX;
    view_rect box = draw_lines(ui, menus, &list, menus->x, menus->y, 0, &hovered);
    const menu_line *described = NULL; // line with a tooltip
    if (hovered < outer->count)
        described = &outer->lines[hovered];
    else if (menus->selected < outer->count)
        described = &outer->lines[menus->selected];
    hover_submenu(ui, menus, outer, hovered);

    if (inner != NULL) {
        size_t inner_hovered = SIZE_MAX;
        box = draw_submenu(ui, menus, outer, inner, box, &inner_hovered);
        described = inner_hovered < inner->count ? &inner->lines[inner_hovered] : NULL;
    }
    const bool is_executed = ui->command.action != VIEW_NOTHING;
    if (described != NULL && !is_executed)
        draw_help(ui, box, described);
}

// Draws the open menu of the bar or context menu, with its open submenu. Also handles its input.
// The keys move the selection in the submenu if one is open.
static void draw_menu(view_ui *ui, view_menus *menus, const view_stage *stage)
{
    menu_lines *const outer = common_alloc(1, sizeof *outer);
    if (menus->kind == VIEW_MENU_OF_BAR)
        list_menu(outer, stage, menus->menu, "");
    else
        list_context(outer, stage, &menus->target);

    menu_lines *inner = NULL; // the submenu
    if (menus->group[0] != '\0') {
        inner = common_alloc(1, sizeof *inner);
        list_menu(inner, stage, menus->row->menu, menus->group);
    }

    // A key may execute a line, which closes the menu. In that case do not draw it.
    select_by_keys(ui, menus, inner != NULL ? inner : outer);
    move_between_menus(ui, menus, outer);
    if (menus->kind != VIEW_NO_MENU)
        run_lines(ui, menus, outer, inner);
    free(outer);
    free(inner);
}

// -- The command search ---------------------------------------------------------------------

// Draws the list of lines that the search has found, below the search field. Also handles its
// input.
static void run_found_lines(view_ui *ui, view_menus *menus, const menu_lines *lines,
                            view_rect field)
{
    line_list list = {.lines = lines, .selected = menus->selected, .first = &menus->first};
    size_t hovered = SIZE_MAX;
    const view_rect box = draw_lines(ui, menus, &list, field.x, field.y + field.height + ui->scale,
                                     field.width, &hovered);
    const size_t described = hovered < lines->count ? hovered : menus->selected;
    const bool is_executed = ui->command.action != VIEW_NOTHING;
    if (described < lines->count && !is_executed)
        draw_help(ui, box, &lines->lines[described]);
}

// Draws the command search: its text field, and below it the lines that match the text. Also
// handles its input.
static void draw_search(view_ui *ui, view_menus *menus)
{
    const float scale = ui->scale;
    const float height = 1.6f * ui->line;
    const float width = fminf(36 * ui->line / 1.3f, ui->stage->width - 8 * scale);
    const view_rect field = {roundf(0.5f * (ui->stage->width - width)), 6 * scale, width, height};
    const bool has_changed = ui_field(ui, field, "Search commands, clips, states and files",
                                      menus->text, sizeof menus->text);
    if (has_changed) {
        menus->selected = 0;
        menus->first = 0;
    }

    // A key may execute a line, which closes the search. In that case do not draw the results.
    menu_lines *const lines = common_alloc(1, sizeof *lines);
    list_found(lines, ui, menus);
    select_by_keys(ui, menus, lines);
    if (menus->kind != VIEW_NO_MENU && lines->count > 0)
        run_found_lines(ui, menus, lines, field);
    free(lines);
}

// -- The menu bar ---------------------------------------------------------------------------

// Draws the button with the number of problems at the right end of the menu bar and handles its
// input. Removes its area from `bar`. A click opens the list of problems. Without problems,
// there is no button.
static void draw_problems(view_ui *ui, view_rect *bar)
{
    const bool is_error = ui->stage->log->error[0] != '\0';
    const uint32_t num_problems = view_count_problems(ui->stage->log);
    const uint32_t count = is_error ? num_problems + 1 : num_problems;
    char text[48];
    if (count == 0)
        return;
    COMMON_TEXT(text, "%s %u", is_error ? "\xE2\x9C\x95" : "\xE2\x9A\xA0", count);
    const view_rect box =
        view_cut(bar, VIEW_AT_RIGHT, ceilf(ui_text_width(ui, text) + 1.4f * ui->em));
    if (ui_item(ui, box, "Problems"))
        UI_COMMAND(ui, VIEW_WARNINGS);
    ui_command_tooltip(ui, VIEW_WARNINGS);
    ui_text_in(ui, box, is_error ? VIEW_WRONG : VIEW_AMBER, text);
}

// Draws the button of a narrow window with the name of the open file and the number of its clips.
// Also handles its input. A press lists the clips. If there are none, it lists the files of the
// folder.
static void draw_file_name(view_ui *ui, view_rect bar)
{
    const view_scene *const scene = ui->scene;
    const float em = ui->em;
    const float y = ui_text_top(ui, bar);
    const bool has_clips =
        view_get_mode(ui->stage->document) == VIEW_MODE_CLIPS && scene->num_clips > 0;
    if (ui_item(ui, bar, "Shown"))
        UI_COMMAND(ui, has_clips ? VIEW_CLIPS : VIEW_FILES);
    const float name_width = ui_text(ui, bar.x + 0.4f * em, y, bar.width, VIEW_BRIGHT, scene->name);

    const float remaining_width = bar.width - name_width - 1.4f * em;
    if (!has_clips || remaining_width <= 0)
        return;
    char text[48];
    COMMON_TEXT(text, "%zu clip%s", scene->num_clips, scene->num_clips == 1 ? "" : "s");
    ui_text(ui, bar.x + name_width + 1.2f * em, y, remaining_width, VIEW_DIM, text);
}

// Draws the menu bar of a narrow window: a button for the command search, the name of the open
// file, and the number of problems. Also handles its input.
static void draw_small_bar(view_ui *ui, view_menus *menus, view_rect bar)
{
    const view_rect button = view_cut(&bar, VIEW_AT_LEFT, bar.height);
    if (ui_item(ui, button, "Commands"))
        view_open_menu(ui, menus, VIEW_MENU_SEARCH, 0, 0);
    ui_command_tooltip(ui, VIEW_SEARCH);
    ui_text_in(ui, button, VIEW_BRIGHT, "\xE2\x98\xB0");

    draw_problems(ui, &bar);
    if (ui->scene->name != NULL && bar.width > 0)
        draw_file_name(ui, bar);
}

// Draws the name of a menu in the bar and handles its input. A press opens or closes the menu.
// If another menu of the bar is open, moving the mouse over the name is enough to open this one.
static void run_menu_name(view_ui *ui, view_menus *menus, view_menu menu, view_rect box)
{
    const bool is_bar_menu_open = menus->kind == VIEW_MENU_OF_BAR;
    const bool is_open = is_bar_menu_open && menus->menu == menu;
    if (is_open) {
        menus->x = box.x;
        menus->y = box.height;
    }
    const bool is_pressed = ui_item(ui, box, view_menu_names[menu]);
    const bool is_hot = ui_is_hot(ui);
    if (is_open || is_hot)
        view_draw_rect(ui->stage->canvas, box, is_open ? VIEW_SELECTED : VIEW_HOVERED);
    ui_text(ui, box.x + bar_padding * ui->scale, ui_text_top(ui, box), 0, VIEW_BRIGHT,
            view_menu_names[menu]);

    const bool replaces_open_menu = is_bar_menu_open && !is_open && is_hot && ui->mouse.is_moved;
    if (is_pressed && is_open) {
        view_close_menu(ui, menus);
    } else if (is_pressed || replaces_open_menu) {
        view_open_menu(ui, menus, VIEW_MENU_OF_BAR, box.x, box.height);
        menus->menu = menu;
        ui->is_event_handled = true;
    }
}

// Returns the width of the name of a menu with its padding.
static float menu_name_width(const view_ui *ui, int menu)
{
    return ui_text_width(ui, view_menu_names[menu]) + 2 * (bar_padding * ui->scale);
}

// Draws the menu bar. It contains the names of the menus and the number of problems. If there is
// space, it also contains the button of the command search. Also handles its input. If the window
// is too narrow for the names, draws the small bar instead.
static void draw_bar(view_ui *ui, view_menus *menus)
{
    static const char search[] = "Search  Ctrl+P";
    view_rect bar = view_current_layout(ui->stage).menu;
    float names_width = 0;
    for (int i = 0; i < VIEW_NUM_MENUS; i++)
        names_width += menu_name_width(ui, i);
    view_draw_rect(ui->stage->canvas, bar, VIEW_DOCK);
    ui_begin(ui, "bar");
    ui_item(ui, bar, "");
    if (names_width >= bar.width) {
        draw_small_bar(ui, menus, bar);
        return;
    }

    for (int i = 0; i < VIEW_NUM_MENUS; i++) {
        const view_rect name = view_cut(&bar, VIEW_AT_LEFT, ceilf(menu_name_width(ui, i)));
        run_menu_name(ui, menus, (view_menu)i, name);
    }
    draw_problems(ui, &bar);

    bar = view_inset(bar, 2 * ui->scale);
    const float search_width = ui_text_width(ui, search) + 2 * (bar_padding * ui->scale);
    if (search_width >= bar.width)
        return;
    const view_rect button = view_cut(&bar, VIEW_AT_RIGHT, search_width);
    if (ui_button(ui, button, search, false))
        view_open_menu(ui, menus, VIEW_MENU_SEARCH, 0, 0);
}

// Handles Escape and presses outside of the menu. Escape closes the submenu or, without a submenu,
// the menu. A press closes the menu. Returns true if either was closed.
static bool run_menu_closing(view_ui *ui, view_menus *menus, view_rect background)
{
    const bool is_closed = ui_item(ui, background, "") || ui_key(ui, VIEW_KEY_ESCAPE);
    if (!is_closed)
        return false;
    const bool has_submenu = menus->group[0] != '\0';
    if (has_submenu && ui->mouse.key == VIEW_KEY_ESCAPE)
        menus->group[0] = '\0';
    else
        view_close_menu(ui, menus);
    return true;
}

// Draws the menu bar and the open menu or search, and handles their input. A menu that the user
// closes is not drawn.
void view_menu_panel(view_ui *ui, view_menus *menus)
{
    const view_stage *const stage = ui->stage;
    const float bar_height = view_current_layout(stage).menu.height;
    if (bar_height > 0)
        draw_bar(ui, menus);
    if (menus->kind == VIEW_NO_MENU)
        return;

    ui_begin(ui, "menu");
    if (run_menu_closing(ui, menus, (view_rect){0, bar_height, stage->width, stage->height}))
        return;
    if (menus->kind == VIEW_MENU_SEARCH)
        draw_search(ui, menus);
    else
        draw_menu(ui, menus, stage);
}
