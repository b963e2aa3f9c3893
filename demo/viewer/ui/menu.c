// Menus: the bar, what is below its words, the menu of what was clicked on, the search for
// commands. All are lists of rows of the table of commands.
#include "demo/viewer/ui/ui.h"

#include <assert.h>
#include <ctype.h>
#include <strings.h>

// == Lines ========================================================================================

// A row of the table, or one of the things in its list. A group opens a submenu.
typedef struct menu_line {
    const view_command_row *row;
    size_t number; // in the row's list
    bool is_group;
    bool is_set;
    uint32_t missing;                    // what it needs
    int score;                           // of the search: the greatest first
    char label[192], keys[64], word[24]; // word: of the option
    const char *value; // of the row's option, up to the end or '|', or a path; NULL: none
} menu_line;

static const view_command_row *const table = view_command_rows;

// Of long lists the first are shown; all can be searched for.
enum { MAX_LINES = 400, NOT_FOUND = -1000000, LEAST_SCORE = -10000 };

typedef struct menu_lines {
    char sought[256]; // begins with a space
    size_t count;
    menu_line lines[MAX_LINES];
} menu_lines;

uint32_t view_found_needs(const view_document *document)
{
    const view_scene *const scene = &document->scene;
    const view_mode mode = view_mode_of(document);
    return (scene->model != NULL ? VIEW_NEEDS_MODEL : 0u)
           | (view_clock(scene) != NULL || scene->num_clips > 0 ? VIEW_NEEDS_CLIP : 0u)
           | (mode == VIEW_MODE_MACHINE ? VIEW_NEEDS_MACHINE : 0u)
           | (mode == VIEW_MODE_CLIPS ? VIEW_NEEDS_CLIPS : 0u)
           | (mode != VIEW_MODE_CROWD ? VIEW_NEEDS_ONE : 0u)
           | (scene->camera_path.camera != NULL ? VIEW_NEEDS_CAMERA_PATH : 0u)
           | (view_mover_of(scene)->take_over != NULL ? VIEW_NEEDS_MOVER : 0u);
}

uint32_t view_missing_for(const view_stage *stage, const view_command_row *row)
{
    const uint32_t have = view_found_needs(stage->document)
                          | (stage->environment->light != NULL ? VIEW_NEEDS_ENVIRONMENT : 0u);
    return row->needs & ~have;
}

// -- What is in a row's list ----------------------------------------------------------------

// A word of "a|b|c", which ends there or at '|'; NULL: there are not so many.
static const char *find_word(const char *words, size_t number)
{
    for (; words != NULL && number > 0; number--) {
        words = strchr(words, '|');
        words += words != NULL;
    }
    return words;
}

// The state of a machine that is so far behind the first, over all layers.
static bool find_state(const md5_machine_desc *desc, size_t number, uint32_t *layer,
                       uint32_t *state)
{
    for (*layer = 0; *layer < desc->num_layers; ++*layer) {
        if (number < desc->layers[*layer].num_states) {
            *state = (uint32_t)number;
            return true;
        }
        number -= desc->layers[*layer].num_states;
    }
    return false;
}

// Whether it is a switch that is on. Those that leave something out are called by what is there.
static bool is_on(const view_stage *stage, const view_command_row *row)
{
    const view_option *const option = view_option_of(row);
    const view_scene *const scene = &stage->document->scene;
    if (option != NULL)
        return option->kind <= COMMON_EITHER
               && *(const bool *)((const unsigned char *)stage->options + option->place)
                      != (option->kind == COMMON_SWITCH && strncmp(option->name, "no-", 3) == 0);
    switch (row->action) {
    case VIEW_PLAY:
        return stage->play->playing;
    case VIEW_REVERSE:
        return stage->play->backward;
    case VIEW_WALK:
        return view_mover_of(scene) == &view_legs_motion;
    case VIEW_ORTHOGRAPHIC:
        return stage->camera->orthographic;
    case VIEW_CAMERA_PATH:
        return stage->following;
    case VIEW_RECORD:
        return stage->recorded >= 0;
    case VIEW_DRIVE:
        return stage->is_driving && view_mover_of(scene)->take_over != NULL;
    default:
        return false;
    }
}

// Whether the last word that is sought is a value of an option. Sets how a command has it, and what
// is set now.
static bool read_word(const view_stage *stage, const view_option *option, const char *sought,
                      menu_line *line)
{
    const char *const word = strrchr(sought, ' ') + 1;
    const md5_anim *const anim = view_clock(&stage->document->scene);
    view_options copy = *stage->options;
    char *end, *now;
    line->value = word;
    if (option->kind <= COMMON_EITHER) {
        const bool on = strcasecmp(word, "on") == 0;
        line->value = option->kind == COMMON_EITHER                  ? find_word(option->value, on)
                      : on != (strncmp(option->name, "no-", 3) == 0) ? "yes"
                                                                     : "no";
        COMMON_TEXT(line->keys, "current: %s", is_on(stage, line->row) ? "on" : "off");
        return on || strcasecmp(word, "off") == 0;
    }
    if (option->kind == VIEW_OPTION_TIMES) {
        if (anim != NULL)
            COMMON_TEXT(line->keys, "current: %.0f", view_frame_place(stage->play, anim));
        strtod(word, &end);
        return isdigit((unsigned char)word[0]) && strlen(end) < 2
               && strspn(end, "fs") == strlen(end);
    }
    now = view_write_option(option, &copy);
    if (now != NULL)
        COMMON_TEXT(line->keys, "current: %.7s", now);
    free(now);
    return option->kind > COMMON_CHOICE && option->kind < COMMON_TEXT
           && view_read_option(option, word, &copy);
}

// Describes what is at a place of a row's list or, where it has none, the last word that is sought
// as a value of its option. False: the list ends before it.
static bool describe_item(const view_stage *stage, const view_command_row *row, size_t number,
                          const char *sought, menu_line *line)
{
    const view_scene *const scene = &stage->document->scene;
    const view_machine *const machine = &scene->machine;
    const view_option *const option = view_option_of(row);
    const bool has_machine = view_mode_of(stage->document) == VIEW_MODE_MACHINE;
    const char *text = NULL;
    char *now;
    uint32_t layer, state;
    int32_t trigger;
    *line = (menu_line){.row = row, .number = number, .missing = view_missing_for(stage, row)};
    switch (row->list) {
    case VIEW_LIST_RECENT:
        if (stage->config != NULL && number < stage->config->recent.count)
            text = line->value = stage->config->recent.names[number];
        break;
    case VIEW_LIST_STEPS: // the latest first
        number = stage->num_steps - 1 - number;
        line->number = number;
        text = number < stage->num_steps ? stage->steps[number].label : NULL;
        line->is_set = number == stage->step;
        break;
    case VIEW_LIST_CLIPS:
        text = number < scene->num_clips ? scene->clips[number].name : NULL;
        line->is_set = number == scene->clip;
        break;
    case VIEW_LIST_MESHES:
        if (scene->model != NULL && number < scene->model->num_meshes && number < 64)
            COMMON_TEXT(line->label, "%zu  %s", number, scene->model->meshes[number].name);
        line->is_set = (stage->hidden_meshes >> number % 64 & 1) == 0;
        break;
    case VIEW_LIST_JOINTS:
        if (number < scene->num_joints)
            text = line->value = scene->skeleton->joints[number].name;
        line->is_set = (int32_t)number == stage->joint;
        break;
    case VIEW_LIST_STATES:
        if (!has_machine || !find_state(machine->desc, number, &layer, &state))
            break;
        COMMON_TEXT(line->label, "%s: %s", machine->desc->layers[layer].name,
                    machine->desc->layers[layer].states[state].name);
        line->is_set = md5_player_layer(machine->player, layer).state == state;
        break;
    case VIEW_LIST_TRIGGERS:
        trigger = has_machine ? view_find_trigger(machine, (uint32_t)number) : -1;
        text = trigger >= 0 ? machine->desc->parameters[trigger].name : NULL;
        view_print_trigger_key((uint32_t)number, line->keys, sizeof line->keys);
        break;
    case VIEW_LIST_WORDS:
        line->value = find_word(option->value, number);
        text = find_word(view_words_of(option), number);
        if (line->value == NULL || text == NULL)
            break;
        now = view_write_option(option, stage->options);
        line->is_set = now != NULL && strncmp(now, line->value, strlen(now)) == 0;
        free(now);
        COMMON_TEXT(line->word, "%.*s", (int)strcspn(line->value, "|"), line->value);
        COMMON_TEXT(line->label, "%.*s", (int)strcspn(text, "|"), text);
        text = NULL;
        break;
    default:
        if (number == 0 && option != NULL && read_word(stage, option, sought, line))
            text = strrchr(sought, ' ') + 1;
        break;
    }
    if (text != NULL)
        COMMON_TEXT(line->label, "%s", text);
    return text != NULL || line->label[0] != '\0';
}

bool view_list_thing(const view_stage *stage, view_menu_list list, const view_option *option,
                     size_t number, char name[128], char text[128])
{
    const view_command_row row = {.list = list, .option = option->name};
    menu_line line;
    if (list == VIEW_LIST_NONE || !describe_item(stage, &row, number, "", &line))
        return false;
    snprintf(name, 128, "%.127s", line.label);
    snprintf(text, 128, "%zu", number);
    if (line.value != NULL)
        snprintf(text, 128, "%.*s", (int)strcspn(line.value, "|"), line.value);
    return true;
}

static view_command command_of(const view_stage *stage, const menu_line *line,
                               const view_target *target)
{
    const view_command_row *const row = line->row;
    const view_machine *const machine = &stage->document->scene.machine;
    const view_option *const option = view_option_of(row);
    const bool is_target = row->menu == VIEW_MENU_TARGET;
    view_command command = {.action = view_action_of(row), .number = line->number};
    const char *text = line->value;
    uint32_t layer, state;
    if (is_target) {
        command.number = target->number;
        command.item = target->item;
        text = row->action == VIEW_COPY_NAME ? target->name : target->path;
    } else if (row->list == VIEW_LIST_STATES) {
        if (find_state(machine->desc, line->number, &layer, &state)) {
            command.number = layer;
            command.item = state;
        }
    } else if (row->list == VIEW_LIST_TRIGGERS) {
        command.number = (size_t)view_find_trigger(machine, (uint32_t)line->number);
    }
    if (option != NULL && command.action < VIEW_TOGGLE)
        command.number = (size_t)(option - view_option_rows);
    if (text != NULL && text[0] != '\0')
        command.path = common_format("%.*s",
                                     (int)strcspn(text, line->value != NULL && option != NULL
                                                                && row->list != VIEW_LIST_JOINTS
                                                            ? "|"
                                                            : ""),
                                     text);
    if (option != NULL && line->value != NULL)
        command = view_set_command(option, command.path);
    return command;
}

// -- Lists of lines -------------------------------------------------------------------------

// Whether it is a menu of its own.
static bool has_menu(const view_command_row *row)
{
    return row->list != VIEW_LIST_NONE && row->action != VIEW_ASK;
}

static menu_line *add_line(menu_lines *lines, const view_stage *stage, const view_command_row *row,
                           const char *label, bool is_group)
{
    if (lines->count == MAX_LINES)
        return NULL;
    menu_line *const line = &lines->lines[lines->count++];
    *line = (menu_line){.row = row, .is_group = is_group};
    COMMON_TEXT(line->label, "%s", label);
    const size_t step = stage->step + (row->action == VIEW_REDO);
    if ((row->action == VIEW_UNDO && step > 0)
        || (row->action == VIEW_REDO && step < stage->num_steps))
        COMMON_TEXT(line->label, "%s: %s", label, stage->steps[step].label);
    if (!is_group || row->list != VIEW_LIST_NONE)
        line->missing = view_missing_for(stage, row);
    if (!is_group) {
        view_print_keys(row, line->keys, sizeof line->keys);
        line->is_set = is_on(stage, row);
        line->value = row->action == VIEW_SET ? row->choices : NULL;
    }
    return line;
}

// How much of a label is the name of the menu within that it is in.
static size_t group_length(const view_command_row *row)
{
    const char *const slash = strchr(row->label, '/');
    return slash != NULL ? (size_t)(slash - row->label) : 0;
}

// The lines of a menu of the bar or, if `group` names one, of the menu within.
static void list_menu(menu_lines *lines, const view_stage *stage, view_menu menu, const char *group)
{
    const size_t length = strlen(group);
    for (size_t i = 0; i < view_num_commands; i++) {
        const view_command_row *const row = &table[i];
        const size_t own = group_length(row);
        menu_line item;
        if (row->menu != menu)
            continue;
        if (own == length && strncmp(row->label, group, own) == 0) {
            add_line(lines, stage, row, view_label_of(row), has_menu(row));
        } else if (length == 0 && strncmp(row->label, row[-1].label, own + 1) != 0) {
            char name[64]; // rows of a submenu follow each other, and none is the first of all
            COMMON_TEXT(name, "%.*s", (int)own, row->label);
            add_line(lines, stage, row, name, strstr(name, "\xE2\x80\xA6") == NULL);
        }
        for (size_t k = 0; strcmp(group, row->label) == 0 && lines->count < MAX_LINES
                           && describe_item(stage, row, k, " ", &item);
             k++)
            lines->lines[lines->count++] = item;
    }
}

static void list_context(menu_lines *lines, const view_stage *stage, const view_target *target)
{
    const view_command_row *search = NULL; // is the last line
    const uint64_t mesh = target->number < 64 ? (uint64_t)1 << target->number : 0;
    const uint64_t hidden = stage->hidden_meshes;
    for (size_t i = 0; i < view_num_commands; i++) {
        const bool is_shown = table[i].action == VIEW_HIDE_MESH && (hidden & mesh) != 0;
        const bool are_all =
            table[i].action == VIEW_ONLY_MESH && hidden != 0 && (hidden | mesh) != hidden
            && (hidden | mesh) + 1 == (uint64_t)1 << stage->document->scene.model->num_meshes % 64;
        if (table[i].action == VIEW_SEARCH)
            search = &table[i];
        else if ((table[i].context & target->context) != 0)
            add_line(lines, stage, &table[i],
                     is_shown  ? "Show"
                     : are_all ? "Show all"
                               : view_label_of(&table[i]),
                     has_menu(&table[i]));
    }
    assert(search != NULL);
    add_line(lines, stage, search, "All commands\xE2\x80\xA6", false);
}

// -- The search -----------------------------------------------------------------------------

// What a word counts in a text, in tenths: as one of its words, as the beginning of one, within
// one; more at the beginning of the text.
static int meet(const char *text, const char *word, size_t length, const int counts[4])
{
    int best = 0;
    for (size_t i = 0; text != NULL && text[i] != '\0'; i++) {
        const bool begins = i == 0 || !isalnum((unsigned char)text[i - 1]);
        if (strncasecmp(text + i, word, length) != 0 || (!begins && length < 3))
            continue;
        const int part = begins ? isalnum((unsigned char)text[i + length]) != 0 : 2;
        const int count = counts[part] + (i == 0 ? counts[3] : 0);
        best = count > best ? count : best;
    }
    return best;
}

// How well the words from here to an end are met by what is called so, by its other words, by the
// menu and the group that it is in. NOT_FOUND: one is not.
static int rate(const char *const texts[4], const char *sought, const char *end)
{
    static const int counts[4][4] = {{1000, 800, 200, 100}, {600, 500}, {300, 300}, {300, 300}};
    int sum = 0;
    int count = 0;
    for (size_t length; sought < end; sought += length + strspn(sought + length, " ")) {
        int best = 0;
        length = strcspn(sought, " ");
        for (int k = 0; k < 4; k++) {
            const int met = meet(texts[k], sought, length, counts[k]);
            best = met > best ? met : best;
        }
        if (best == 0)
            return NOT_FOUND;
        sum += best;
        count++;
    }
    return count > 0 ? sum / count - (int)strlen(texts[0]) : 0;
}

// Better ones first; those that are equal stay in the order of the table.
static int compare_lines(const void *a, const void *b)
{
    const menu_line *const first = a;
    const menu_line *const second = b;
    return first->score != second->score ? second->score - first->score
           : first->row != second->row   ? (first->row < second->row ? -1 : 1)
                                         : (int)first->number - (int)second->number;
}

static void score_line(const view_ui *ui, menu_line *line, int score)
{
    bool is_used = false;
    for (int i = 0; i < VIEW_NUM_USED; i++)
        is_used |= ui->used[i] == line->row;
    line->score = score + (is_used ? 150 : 0) - (line->missing != 0 ? 400 : 0);
}

// Adds the best names of a row's list, or what is typed last as the value of its option. Words of
// the row may lead; to values of an option they must, but to a frame.
static void list_names(menu_lines *lines, const view_ui *ui, const view_command_row *row,
                       const char *const texts[4])
{
    const view_option *const option = view_option_of(row);
    const bool is_named = row->list != VIEW_LIST_NONE;
    const bool leads =
        option != NULL && option->kind != VIEW_OPTION_TIMES && row->list != VIEW_LIST_JOINTS;
    const size_t first = lines->count;
    const size_t most = first + 8;
    const char *const sought = lines->sought + 1;
    const char *const end = sought + strlen(sought);
    menu_line item;
    for (size_t i = 0; sought < end && lines->count < MAX_LINES
                       && describe_item(ui->stage, row, i, lines->sought, &item);
         i++) {
        const char *const own[4] = {item.label, item.word};
        int score = LEAST_SCORE;
        const char *name = sought;
        for (int k = 0; k < 8 && name < end; k++) { // of any words that are typed
            const int named = rate(own, name, end);
            const int both =
                name > sought ? rate(texts, sought, name) + 400 + named / 20 : named - 1;
            if ((name > sought || !leads) && both > score)
                score = both;
            name += strcspn(name, " ");
            name += strspn(name, " ");
        }
        if (score == LEAST_SCORE)
            continue;
        score_line(ui, &item, score);
        menu_line *const line = &lines->lines[lines->count++];
        *line = item;
        COMMON_TEXT(line->label, "%.*s%s%.150s", (int)strcspn(texts[0], "\xE2"), texts[0],
                    is_named ? ": " : " ", item.label);
    }
    qsort(lines->lines + first, lines->count - first, sizeof item, compare_lines);
    lines->count = lines->count < most ? lines->count : most;
}

static void list_found(menu_lines *lines, const view_ui *ui)
{
    const view_command_row *nearest = NULL;
    const char *const sought = lines->sought + 1;
    COMMON_TEXT(lines->sought, " %s", ui->menu.text + strspn(ui->menu.text, " "));
    const size_t length = strlen(sought);
    size_t least = (length + 5) / 4;
    for (size_t i = 0; i < view_num_commands && table[i].menu < VIEW_NUM_MENUS; i++) {
        const view_command_row *const row = &table[i];
        const char *const texts[] = {view_label_of(row), row->words, view_menu_names[row->menu],
                                     row->label};
        const int score = rate(texts, sought, sought + length);
        menu_line *const line =
            score != NOT_FOUND ? add_line(lines, ui->stage, row, texts[0], has_menu(row)) : NULL;
        if (line != NULL)
            score_line(ui, line, score);
        list_names(lines, ui, row, texts);
        for (int k = 0; k < 2 && texts[k] != NULL && lines->count == 0; k++) {
            const size_t distance = common_distance(sought, length, texts[k], true);
            nearest = distance < least ? row : nearest;
            least = distance < least ? distance : least;
        }
    }
    qsort(lines->lines, lines->count, sizeof lines->lines[0], compare_lines);
    if (lines->count == 0 && nearest != NULL)
        COMMON_TEXT(add_line(lines, ui->stage, nearest, "", has_menu(nearest))->label,
                    "No matches. Did you mean: %s", view_label_of(nearest));
}

// == Drawing and input ============================================================================

// In lines of text.
static const float row_lines = 1.3f;

// Keys that select a line: the next one that is not grey, or its end.
static size_t next_line(const menu_lines *lines, size_t from, int way)
{
    size_t line = from;
    for (size_t i = 0; i < lines->count; i++) {
        line = line >= lines->count ? (way > 0 ? 0 : lines->count - 1)
                                    : (line + (way > 0 ? 1 : lines->count - 1)) % lines->count;
        if (lines->lines[line].missing == 0)
            return line;
    }
    return from;
}

// What a line does: opens a submenu, or gives a command and closes the menu.
static void take_line(view_ui *ui, const menu_line *line)
{
    if (line->missing != 0) {
        COMMON_TEXT(ui->notice, "%s: %s", line->label, view_reason(line->missing));
        ui->notice_end = ui->stage->now + 2.5;
    } else if (line->is_group) {
        if (ui->menu.kind == VIEW_MENU_SEARCH) {
            view_open_menu(ui, VIEW_MENU_OF_BAR, 0, view_layout_of(ui->stage).menu.height);
            ui->menu.menu = line->row->menu;
        }
        COMMON_TEXT(ui->menu.group, "%s", line->label);
        ui->menu.row = line->row;
    } else {
        const view_command command = command_of(ui->stage, line, &ui->menu.target);
        ui->used[ui->num_used++ % VIEW_NUM_USED] = line->row;
        view_close_menu(ui);
        ui->command = command;
    }
}

// A box of lines, its upper left corner at (x, y) or where it fits. Returns its outline; sets the
// line below the mouse and takes a press. `selected` is the line that keys have selected.
static view_rect draw_lines(view_ui *ui, const menu_lines *lines, float x, float y,
                            float least_width, size_t selected, size_t *first, size_t *hovered)
{
    const view_stage *const stage = ui->stage;
    view_canvas *const canvas = stage->canvas;
    const float scale = ui->scale;
    const float row = roundf(row_lines * ui->line);
    const float padding = 10 * scale;
    const float mark = 20 * scale;
    float labels = 0;
    float keys = 0;
    for (size_t i = 0; i < lines->count; i++) {
        labels = fmaxf(labels, ui_text_width(ui, lines->lines[i].label));
        keys = fmaxf(keys, ui_text_width(ui, lines->lines[i].keys));
    }
    keys += keys > 0 ? 2 * padding : mark;
    view_rect box = {x, y, fmaxf(mark + labels + keys + 2 * padding, least_width), 0};
    box.width = fminf(box.width, stage->width - 2 * scale);
    const float room = stage->height - 2 * padding - ui->line;
    size_t count = lines->count;
    if ((float)count * row > room - (least_width > 0 ? y : 0))
        count = (size_t)fmaxf((room - (least_width > 0 ? y : 0)) / row, 1);
    box.height = (float)count * row + padding;
    box.x = roundf(fmaxf(fminf(box.x, stage->width - box.width - scale), scale));
    box.y = roundf(fmaxf(fminf(box.y, room + padding - box.height), scale));
    // Keys and the wheel scroll.
    if (selected < lines->count && selected < *first)
        *first = selected;
    if (selected < lines->count && selected >= *first + count)
        *first = selected + 1 - count;
    if (view_contains(box, ui->mouse.x, ui->mouse.y))
        ui_scroll_lines(ui, row, count, lines->count, first);
    *first = *first + count > lines->count ? lines->count - count : *first;

    ui_popover(ui, box, 5, VIEW_EDGE);
    ui_item(ui, box, "");
    for (size_t i = *first; i < *first + count; i++) {
        const menu_line *const line = &lines->lines[i];
        const view_rect place = {box.x + 0.3f * padding,
                                 box.y + 0.5f * padding + (float)(i - *first) * row,
                                 box.width - 0.6f * padding, row};
        const bool is_pressed = ui_item(ui, place, line->label);
        const bool is_hot = ui_is_hot(ui);
        const bool is_lit = i == selected || (is_hot && selected >= lines->count);
        if (is_hot)
            *hovered = i;
        if (line->row->list == VIEW_LIST_CLIPS && !line->is_group) {
            char number[24];
            COMMON_TEXT(number, "%zu", line->number);
            ui_try(ui, &view_option_rows[view_number_of("animation-index")], number);
        } else if (line->word[0] != '\0') {
            ui_try(ui, view_option_of(line->row), line->word);
        }
        if (is_lit || is_hot)
            view_draw_round_rect(canvas, place, 3 * scale, is_lit ? VIEW_SELECTED : VIEW_CONTROL);
        const float top = place.y + 0.5f * (row - ui->line);
        const view_color color = line->missing != 0 ? VIEW_DISABLED
                                 : is_lit           ? VIEW_BRIGHT
                                                    : VIEW_PLAIN;
        const view_color dim = is_lit ? VIEW_PLAIN : VIEW_DIM;
        if (line->is_set)
            ui_text(ui, place.x + 4 * scale, top, 0, is_lit ? VIEW_BRIGHT : VIEW_ACCENT,
                    "\xE2\x9C\x93");
        const float most = place.width - mark - keys;
        const float used = 8 * scale + ui_text(ui, place.x + mark, top, most, color, line->label);
        const char *const menu = view_menu_names[line->row->menu];
        if (least_width > 0 && used + ui_text_width(ui, menu) < most) // the search
            ui_text(ui, place.x + mark + used, top, 0, dim, menu);
        ui_text_left_of(ui, place.x + place.width - 6 * scale, top,
                        line->missing != 0 ? VIEW_DISABLED : dim,
                        line->is_group ? UI_SIGN_FOLDED : line->keys);
        if (is_pressed) {
            take_line(ui, line);
            break;
        }
    }
    return box;
}

// What the line does, or why it cannot be done now, below the box.
static void draw_help(const view_ui *ui, view_rect box, const menu_line *line)
{
    ui_line note = {.color = line->missing != 0 ? VIEW_AMBER : VIEW_PLAIN};
    if (line->missing != 0)
        COMMON_TEXT(note.text, "%s", view_reason(line->missing));
    else
        COMMON_TEXT(note.text, "%s", view_tooltip_of(line->row));
    if (strcmp(note.text, view_label_of(line->row)) == 0) // there is no tooltip
        return;
    ui_note(ui, box.x, box.y + box.height + 3 * ui->scale, INFINITY, &note, 1);
}

// Moves the choice by keys, and takes it by Enter.
static void select_by_keys(view_ui *ui, const menu_lines *lines)
{
    size_t *const selected = &ui->menu.selected;
    if (ui_key(ui, VIEW_KEY_DOWN))
        *selected = next_line(lines, *selected, 1);
    else if (ui_key(ui, VIEW_KEY_UP))
        *selected = next_line(lines, *selected, -1);
    else if (ui_key(ui, VIEW_KEY_END))
        *selected = next_line(lines, 0, -1);
    else if (ui_key(ui, VIEW_KEY_RETURN) && *selected < lines->count)
        take_line(ui, &lines->lines[*selected]);
}

// -- The bar and its menus, the menu of what was clicked on ---------------------------------------

// An open menu with the one within, if that is open.
static void draw_menu(view_ui *ui, const view_stage *stage)
{
    view_menus *const menu = &ui->menu;
    const bool is_bar = menu->kind == VIEW_MENU_OF_BAR;
    menu_lines *const outer = common_alloc(1, sizeof *outer);
    menu_lines *const inner = common_alloc(1, sizeof *inner);
    const bool has_inner = menu->group[0] != '\0';
    if (is_bar)
        list_menu(outer, stage, menu->menu, "");
    else
        list_context(outer, stage, &menu->target);
    if (has_inner)
        list_menu(inner, stage, menu->row->menu, menu->group);
    menu_lines *const taking = has_inner ? inner : outer;
    select_by_keys(ui, taking);
    if (menu->kind != VIEW_NO_MENU && has_inner && ui_key(ui, VIEW_KEY_LEFT)) {
        menu->group[0] = '\0';
    } else if (menu->kind != VIEW_NO_MENU && is_bar
               && (ui_key(ui, VIEW_KEY_LEFT) || ui_key(ui, VIEW_KEY_RIGHT))) {
        const int step = ui->mouse.key == VIEW_KEY_RIGHT ? 1 : VIEW_NUM_MENUS - 1;
        const bool opens = step == 1 && menu->selected < outer->count
                           && outer->lines[menu->selected].is_group && !has_inner;
        if (opens) {
            take_line(ui, &outer->lines[menu->selected]);
        } else {
            const view_menu next = (view_menu)(((int)menu->menu + step) % VIEW_NUM_MENUS);
            view_open_menu(ui, VIEW_MENU_OF_BAR, 0, 0);
            menu->menu = next;
        }
    }
    if (menu->kind != VIEW_NO_MENU) {
        size_t hovered = SIZE_MAX;
        size_t inner_hovered = SIZE_MAX;
        const view_rect box =
            draw_lines(ui, outer, menu->x, menu->y, 0, has_inner ? SIZE_MAX : menu->selected,
                       &menu->first, &hovered);
        const menu_line *told = hovered < outer->count          ? &outer->lines[hovered]
                                : menu->selected < outer->count ? &outer->lines[menu->selected]
                                                                : NULL;
        view_rect last = box;
        // A menu within opens below the mouse, and stays while the mouse goes towards it.
        const bool is_moved = ui->mouse.is_moved && ui->mouse.x <= menu->last_x;
        if (is_moved && hovered < outer->count) {
            menu->selected = SIZE_MAX;
            menu->group[0] = '\0';
            if (outer->lines[hovered].is_group && outer->lines[hovered].missing == 0)
                take_line(ui, &outer->lines[hovered]);
        }
        menu->last_x = ui->mouse.is_moved ? ui->mouse.x : menu->last_x;
        if (has_inner) {
            size_t opened = menu->first;
            while (opened < outer->count
                   && !(outer->lines[opened].row == menu->row && outer->lines[opened].is_group))
                opened++;
            const float y = box.y + (float)(opened - menu->first) * roundf(row_lines * ui->line);
            const bool flips =
                box.x + 1.6f * box.width > stage->width && box.x > 0.5f * stage->width;
            last = draw_lines(ui, inner, flips ? box.x - 0.6f * box.width : box.x + box.width, y, 0,
                              menu->selected, &menu->inner_first, &inner_hovered);
            told = inner_hovered < inner->count ? &inner->lines[inner_hovered] : NULL;
        }
        if (told != NULL && ui->command.action == VIEW_NOTHING)
            draw_help(ui, last, told);
    }
    free(outer);
    free(inner);
}

// -- The search -----------------------------------------------------------------------------

static void draw_search(view_ui *ui)
{
    view_menus *const menu = &ui->menu;
    const float scale = ui->scale;
    const float height = 1.6f * ui->line;
    const float width = fminf(36 * ui->line / 1.3f, ui->stage->width - 8 * scale);
    const view_rect field = {roundf(0.5f * (ui->stage->width - width)), 6 * scale, width, height};
    menu_lines *const lines = common_alloc(1, sizeof *lines);
    if (ui_field(ui, field, "Search commands, clips, states and files", menu->text,
                 sizeof menu->text)) {
        menu->selected = 0;
        menu->first = 0;
    }
    list_found(lines, ui);
    select_by_keys(ui, lines);
    if (menu->kind != VIEW_NO_MENU && lines->count > 0) {
        size_t hovered = SIZE_MAX;
        const view_rect box = draw_lines(ui, lines, field.x, field.y + height + scale, width,
                                         menu->selected, &menu->first, &hovered);
        const size_t told = hovered < lines->count ? hovered : menu->selected;
        if (told < lines->count && ui->command.action == VIEW_NOTHING)
            draw_help(ui, box, &lines->lines[told]);
    }
    free(lines);
}

// -- All of them ----------------------------------------------------------------------------

// How many problems there are, cut off the right end of the bar; a click lists them.
static void draw_problems(view_ui *ui, view_rect *bar)
{
    const bool is_error = ui->stage->log->error[0] != '\0';
    const uint32_t count = ui->stage->log->num_warnings + is_error;
    char text[48];
    if (count == 0)
        return;
    COMMON_TEXT(text, "%s %u", is_error ? "\xE2\x9C\x95" : "\xE2\x9A\xA0", count);
    const view_rect place =
        view_cut(bar, VIEW_AT_RIGHT, ceilf(ui_text_width(ui, text) + 1.4f * ui->em));
    if (ui_item(ui, place, "Problems"))
        ui->command.action = VIEW_WARNINGS;
    ui_tip_command(ui, VIEW_WARNINGS);
    ui_text_in(ui, place, is_error ? VIEW_WRONG : VIEW_AMBER, text);
}

// Where there is no room for the words: the search for all commands, what is shown, whose clips or
// neighbours it lists, and problems.
static void draw_small_bar(view_ui *ui, view_rect bar)
{
    const float em = ui->em;
    const float y = ui_text_top(ui, bar);
    const bool has_clips =
        view_mode_of(ui->stage->document) == VIEW_MODE_CLIPS && ui->scene->num_clips > 0;
    char text[48] = "";
    const view_rect button = view_cut(&bar, VIEW_AT_LEFT, bar.height);
    if (ui_item(ui, button, "Commands"))
        view_open_menu(ui, VIEW_MENU_SEARCH, 0, 0);
    ui_tip_command(ui, VIEW_SEARCH);
    ui_text_in(ui, button, VIEW_BRIGHT, "\xE2\x98\xB0");
    draw_problems(ui, &bar);
    if (ui->scene->name == NULL || !(bar.width > 0))
        return;
    if (ui_item(ui, bar, "Shown"))
        ui->command.action = has_clips ? VIEW_CLIPS : VIEW_FILES;
    const float used = ui_text(ui, bar.x + 0.4f * em, y, bar.width, VIEW_BRIGHT, ui->scene->name);
    COMMON_TEXT(text, "%zu clip%s", ui->scene->num_clips, ui->scene->num_clips == 1 ? "" : "s");
    if (has_clips && used + 1.4f * em < bar.width)
        ui_text(ui, bar.x + used + 1.2f * em, y, bar.width - used - 1.4f * em, VIEW_DIM, text);
}

// The words of the bar.
static void draw_bar(view_ui *ui)
{
    static const char search[] = "Search  Ctrl+P";
    const float scale = ui->scale;
    const float padding = 9 * scale;
    view_rect bar = view_layout_of(ui->stage).menu;
    const float y = ui_text_top(ui, bar);
    float widths = 0;
    for (int i = 0; i < VIEW_NUM_MENUS; i++)
        widths += ui_text_width(ui, view_menu_names[i]) + 2 * padding;
    view_draw_rect(ui->stage->canvas, bar, VIEW_DOCK);
    ui_begin(ui, "bar");
    ui_item(ui, bar, "");
    if (widths >= bar.width) {
        draw_small_bar(ui, bar);
        return;
    }
    for (int i = 0; i < VIEW_NUM_MENUS; i++) {
        const view_rect place = view_cut(
            &bar, VIEW_AT_LEFT, ceilf(ui_text_width(ui, view_menu_names[i]) + 2 * padding));
        const bool is_open = ui->menu.kind == VIEW_MENU_OF_BAR && (int)ui->menu.menu == i;
        if (is_open) {
            ui->menu.x = place.x;
            ui->menu.y = place.height;
        }
        const bool is_pressed = ui_item(ui, place, view_menu_names[i]);
        const bool slides =
            ui->menu.kind == VIEW_MENU_OF_BAR && ui->mouse.is_moved && ui_is_hot(ui) && !is_open;
        if (is_open || ui_is_hot(ui))
            view_draw_rect(ui->stage->canvas, place, is_open ? VIEW_SELECTED : VIEW_HOVERED);
        ui_text(ui, place.x + padding, y, 0, VIEW_BRIGHT, view_menu_names[i]);
        if (is_pressed && is_open) {
            view_close_menu(ui);
        } else if (is_pressed || slides) {
            view_open_menu(ui, VIEW_MENU_OF_BAR, place.x, place.height);
            ui->menu.menu = (view_menu)i;
            ui->has_taken = true;
        }
    }
    draw_problems(ui, &bar);
    bar = view_inset(bar, 2 * scale);
    const float wide = ui_text_width(ui, search) + 2 * padding;
    if (wide < bar.width && ui_button(ui, view_cut(&bar, VIEW_AT_RIGHT, wide), search, false))
        view_open_menu(ui, VIEW_MENU_SEARCH, 0, 0);
}

void view_menu_panel(view_ui *ui)
{
    const view_stage *const stage = ui->stage;
    if (view_layout_of(stage).menu.height > 0)
        draw_bar(ui);
    if (ui->menu.kind == VIEW_NO_MENU)
        return;
    const view_rect all = {0, view_layout_of(stage).menu.height, stage->width, stage->height};
    ui_begin(ui, "menu");
    if (ui_item(ui, all, "") || ui_key(ui, VIEW_KEY_ESCAPE)) { // beside it
        if (ui->menu.group[0] != '\0' && ui->mouse.key == VIEW_KEY_ESCAPE)
            ui->menu.group[0] = '\0';
        else
            view_close_menu(ui);
        return;
    }
    if (ui->menu.kind == VIEW_MENU_SEARCH)
        draw_search(ui);
    else
        draw_menu(ui, stage);
}
