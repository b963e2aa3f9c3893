// Editors of options whose value is a text, a name, a file or a choice. Names are selected in a
// list below the row, files in the list of files, and choices in a segmented control or a list.
#include "demo/viewer/ui/option_editor.h"

#include "demo/viewer/ui/menu.h"

#include <ctype.h>

static const float browse_width = 5.5f; // button "Browse", em

// Returns the kind of list from which the user selects a value of an option, or VIEW_LIST_NONE.
static view_menu_list value_list(const option_editor *editor)
{
    const int kind = editor->option->kind;
    const int names = (int)editor->option->names;
    if (kind == COMMON_EITHER || kind == COMMON_CHOICE)
        return VIEW_LIST_WORDS;
    if (names == VIEW_NAMES_CLIP)
        return VIEW_LIST_CLIPS;
    if (names == VIEW_NAMES_MESH || view_is_texture(editor->option))
        return VIEW_LIST_MESHES;
    if (names == VIEW_NAMES_JOINT || kind == COMMON_PAIR_TEXT)
        return VIEW_LIST_JOINTS;
    return VIEW_LIST_NONE;
}

// Finds a value by its index in an option's list of values. Writes its name to `name` and sets
// `value`. Returns false if the index is out of range. Callers increment the index until then.
static bool value_at(const option_editor *editor, size_t number, char name[128],
                     common_value *value)
{
    const md5_morph *const morph = editor->stage->document->morphs.morph;
    const bool are_morph_targets = editor->option->names == VIEW_NAMES_MORPH && morph != NULL;
    if (are_morph_targets && number < morph->num_targets) {
        snprintf(name, 128, "%s", morph->targets[number].name);
        *value = common_text_value(morph->targets[number].name);
        return true;
    }
    return view_list_item(editor->stage, value_list(editor), editor->option, number, name, value);
}

// Writes a value of a list in the form that the text of an option requires. This is the index of a
// mesh or clip, or a name.
static void print_listed_value(const option_editor *editor, const common_value *value,
                               char text[128])
{
    text[0] = '\0';
    if (value->type == COMMON_VALUE_NUMBERS) {
        snprintf(text, 128, "%.0f", value->numbers[0]);
        return;
    }
    char *const printed = view_print_value(editor->option, *value);
    snprintf(text, 128, "%s", printed);
    free(printed);
}

// Returns the number of vertices that each joint influences. The array has scene->num_joints
// elements, and the caller frees it. Vertices are counted as in the file, before they are split at
// seams.
static uint32_t *count_moved(const view_scene *scene)
{
    uint32_t *const counts = common_alloc((size_t)scene->num_joints + 1, sizeof *counts);
    for (uint32_t m = 0; m < view_count_meshes(scene); m++) {
        const md5_mesh *const mesh = &scene->model->meshes[m];
        const uint32_t end = mesh->first_influence[mesh->num_file_vertices];
        for (uint32_t i = 0; i < end; i++)
            counts[mesh->influence_joints[i]]++;
    }
    return counts;
}

// Writes the parent and the number of influenced vertices of a joint.
static void describe_joint(const md5_skeleton *skeleton, uint32_t joint, uint32_t num_vertices,
                           char text[192])
{
    const uint32_t parent = skeleton->joints[joint].parent;
    const char *const name = parent != MD5_NONE ? skeleton->joints[parent].name : "root";
    if (num_vertices > 0)
        snprintf(text, 192, "%s" VIEW_DOT "%u %s", name, num_vertices,
                 common_noun(num_vertices, "vertex", "vertices"));
    else
        snprintf(text, 192, "%s" VIEW_DOT "no vertices", name);
}

// Displays a value of a list in the next row. `info` is a text at the right. If there is no space
// for it, it becomes the tooltip. Returns true if the row was pressed.
static bool value_tile(view_ui *ui, const char *name, const char *info, bool is_selected)
{
    ui_begin_row(ui);
    const bool is_pressed = ui_tile(ui, ui->space, name, is_selected);
    const bool is_bright = is_selected || ui_is_hot(ui);
    ui_tooltip(ui, info);

    view_rect text = view_inset(ui->space, 0.5f * ui->em);
    text.y = ui_text_top(ui, ui->space);
    const view_color color = is_bright ? VIEW_BRIGHT : VIEW_PLAIN;
    const float name_width = ui_text(ui, text.x, text.y, text.width, color, name);
    if (ui_text_width(ui, info) + name_width < text.width - ui->em)
        ui_right_aligned_text(ui, text.x + text.width, text.y, VIEW_PLAIN, info);
    return is_pressed;
}

// Lists the values of an option whose names contain the search text `query`. A joint also displays
// its parent and its number of vertices. `chosen` is the text of the current value. A press selects
// a value, and Enter selects the first one. Returns true if a value was selected, and sets
// `selected` to it.
static bool list_values(const option_editor *editor, const char *query, const char *chosen,
                        common_value *selected)
{
    enum { MAX_VALUES = 100 };
    view_ui *const ui = editor->ui;
    const view_scene *const scene = &editor->stage->document->scene;
    const bool are_joints = value_list(editor) == VIEW_LIST_JOINTS;
    const bool selects_first = query[0] != '\0' && ui->mouse.key == VIEW_KEY_RETURN;
    uint32_t *const num_vertices = are_joints ? count_moved(scene) : NULL;
    char name[128];
    common_value value;
    int num_listed = 0;
    bool is_selected = false;
    for (size_t i = 0; num_listed < MAX_VALUES && value_at(editor, i, name, &value); i++) {
        if (!common_contains(name, query))
            continue;
        char info[192] = "";
        if (are_joints)
            describe_joint(scene->skeleton, (uint32_t)i, num_vertices[i], info);
        char text[128];
        print_listed_value(editor, &value, text);
        const bool is_pressed = value_tile(ui, name, info, strcmp(text, chosen) == 0);

        // Preview the value under the mouse. A joint is only marked in the image; other values are
        // set temporarily.
        if (are_joints && ui_is_hot(ui) && ui->mouse.is_moved)
            ui->selection.hovered_joint = (int32_t)i;
        ui_preview_option(ui, editor->option, value);

        const bool is_first = num_listed == 0;
        if (is_pressed || (selects_first && is_first)) {
            *selected = value;
            is_selected = true;
        }
        num_listed++;
    }
    free(num_vertices);
    return is_selected;
}

// The two parts of a value "A=B". If a value has no "=", its first part is empty.
typedef char value_parts[2][VIEW_TARGET_TEXT];

// Splits the first line of an option's text into its two parts. If the line is empty and the first
// part is the name of a joint, the selected joint becomes the first part. Returns the length of the
// line.
static size_t split_line(const option_editor *editor, const char *text, bool is_pair,
                         value_parts parts)
{
    const size_t length = strcspn(text, "\n");
    const size_t first_length = is_pair ? strcspn(text, "=\n") : 0;
    const bool has_separator = is_pair && text[first_length] == '=';
    const size_t second_start = has_separator ? first_length + 1 : first_length;
    snprintf(parts[0], sizeof parts[0], "%.*s", (int)first_length, text);
    snprintf(parts[1], sizeof parts[1], "%.*s", (int)(length - second_start), text + second_start);

    const int32_t joint = editor->ui->selection.joint;
    const bool begins_with_joint = editor->option->kind == COMMON_PAIR_TEXT;
    if (length == 0 && begins_with_joint && joint >= 0)
        snprintf(parts[0], sizeof parts[0], "%s",
                 editor->stage->document->scene.skeleton->joints[joint].name);
    return length;
}

// Writes the label of one part of a pair. It comes from the help of the option. "JOINT=MODEL" gives
// the labels "Joint" and "Model". Brackets mark an optional part: "[MESH=]FILE" gives "Mesh" and
// "File".
static void write_part_label(const view_option *option, int part, char label[32])
{
    const char *const pair = option->value;
    const char *const second = pair + strcspn(pair, "=") + 1;
    const char *name = part == 0 ? pair : second;
    name += strspn(name, "[]");
    snprintf(label, 32, "%.*s", (int)strcspn(name, "=["), name);
    if (label[0] == '\0')
        return;
    for (char *at = label + 1; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
}

// One line of the text of an option while its editor is drawn and handled. Each line of an option
// with several values is one value.
typedef struct option_line {
    uint32_t index;
    bool is_pair;
    bool is_file;   // the last part is a file
    bool has_list;  // the first part is selected in a list
    bool has_focus; // a field of the line has the keyboard focus
    value_parts parts;
} option_line;

// Returns the index of the part of a line that the user selects in a list. This is the first part
// of a pair. Without a pair it is the whole value, which is stored as the second part.
static int listed_part(const option_line *line)
{
    return line->is_pair ? 0 : 1;
}

// Returns true if the list of values of a line is open.
static bool is_list_open(const option_editor *editor, const option_line *line)
{
    return editor->card->opened == editor->option && editor->card->line == line->index;
}

// Draws the text field of a part of a line and handles its input. The parts of a pair have a row
// each, with a label. If the values of the part are listed, typing filters the list. Sets
// `browse` to the space for a button after the field. Returns true if the part has changed.
static bool edit_part(const option_editor *editor, option_line *line, int part, view_rect *browse)
{
    view_ui *const ui = editor->ui;
    view_card *const card = editor->card;
    const bool is_name = line->is_pair && part == 0;
    const bool has_button = part == 1 && line->is_file;
    char label[32];
    option_editor row_editor = *editor;
    if (line->is_pair) {
        write_part_label(editor->option, part, label);
        row_editor.name = label;
        ui_begin_row(ui);
    }
    view_rect field = view_name_row(&row_editor);
    *browse = view_cut(&field, VIEW_AT_RIGHT, has_button ? browse_width * ui->em : 0);

    const bool has_list = line->has_list && part == listed_part(line);
    const char *const placeholder = is_name ? "name" : view_placeholder_text(editor->option);
    char *const text = line->parts[part];
    bool is_set = false;
    if (view_type_value(editor, field, placeholder, text)) {
        if (has_list) {
            COMMON_TEXT(card->filter, "%.63s", card->typed);
        } else {
            snprintf(text, VIEW_TARGET_TEXT, "%s", card->typed);
            is_set = true;
        }
    }
    ui_tooltip_if_wider(ui, text, field.width);

    const bool is_focused = ui_is_focused(ui);
    line->has_focus = line->has_focus || is_focused;
    const bool opens_list = is_focused && has_list && !is_list_open(editor, line);
    if (opens_list) {
        card->opened = editor->option;
        card->line = line->index;
        card->filter[0] = '\0';
    }
    return is_set;
}

// Requests the list of files for the file of a line. `before` and `after` are the texts of the
// option before and after the line.
static void browse_files(const option_editor *editor, const option_line *line, const char *before,
                         const char *after)
{
    // The text of the option, in which the file that the user selects will replace "\1".
    const char *const separator = line->is_pair ? "=" : "";
    char *const form = common_format("%s%s%s\1%s", before, line->parts[0], separator, after);
    const size_t option = (size_t)(editor->option - view_option_rows);
    UI_COMMAND(editor->ui, VIEW_FILES, .item = 1 + option, .path = form);
}

// Returns true if Enter was pressed in a line whose file is the only missing part. Enter then lists
// the files, as the button does, and does not close the card.
static bool is_file_requested(const option_editor *editor, const option_line *line)
{
    if (!line->is_file || !line->has_focus || line->parts[1][0] != '\0')
        return false;
    const bool needs_name = editor->option->kind == COMMON_PAIR_TEXT;
    if (needs_name && line->parts[0][0] == '\0')
        return false;
    return ui_key(editor->ui, VIEW_KEY_RETURN);
}

// Draws the list of values of a line if it is open, and handles its input. Returns true if a value
// was selected. The text of the line has then changed.
static bool select_in_list(const option_editor *editor, option_line *line)
{
    view_card *const card = editor->card;
    char *const listed = line->parts[listed_part(line)];
    common_value selected;
    if (!is_list_open(editor, line) || !list_values(editor, card->filter, listed, &selected))
        return false;
    card->opened = NULL;
    card->typing = 0;
    const bool is_text = editor->option->kind >= COMMON_TEXT;
    if (!is_text) {
        view_request_value(editor, selected, VIEW_TYPING_DELAY);
        return false;
    }
    char text[128];
    print_listed_value(editor, &selected, text);
    snprintf(listed, sizeof line->parts[0], "%s", text);
    return true;
}

// Draws the editor of a line: its text fields, the button that lists files, and the list of
// values. Also handles its input. `before` and `after` are the texts of the option before and
// after the line. Returns true if the line has changed.
static bool edit_line(const option_editor *editor, option_line *line, const char *before,
                      const char *after)
{
    view_ui *const ui = editor->ui;
    view_rect browse;
    line->has_focus = false;
    bool has_changed = line->is_pair && edit_part(editor, line, 0, &browse);
    has_changed = edit_part(editor, line, 1, &browse) || has_changed;

    if (line->is_file && ui_button(ui, browse, "Browse\xE2\x80\xA6", false))
        browse_files(editor, line, before, after);
    has_changed = select_in_list(editor, line) || has_changed;
    if (is_file_requested(editor, line)) {
        browse_files(editor, line, before, after);
        return false; // the command contains the other parts of the line
    }
    return has_changed;
}

// Returns the first line of an option, without its text, to be freed.
static option_line *describe_lines(const option_editor *editor)
{
    const view_option *const option = editor->option;
    option_line *const line = common_alloc(1, sizeof *line);
    char name[128];
    common_value value;
    line->is_pair = option->value != NULL && strchr(option->value, '=') != NULL;
    line->is_file = option->names > 0 && option->names <= VIEW_NAMES_PICTURE;
    line->has_list = value_at(editor, 0, name, &value);
    return line;
}

// Appends an edited line and a separator to `text`, the new text of the option. An empty line is
// skipped, so that clearing a line removes its value.
static void append_line(char **text, const option_line *line, const char *separator)
{
    const char *const first = line->parts[0];
    const char *const second = line->parts[1];
    if (first[0] == '\0' && second[0] == '\0')
        return;
    const char *const equals = first[0] != '\0' ? "=" : "";
    common_extend(text, "%s%s%s%s", first, equals, second, separator);
}

// Converts a typed text to a value of the option. An empty text means the default. If the text
// cannot be parsed, returns it as a text, which the option rejects with an error message.
static common_value parse_typed(const view_option *option, const char *text)
{
    common_value value;
    if (option->kind >= COMMON_TEXT)
        return common_text_value(text);
    if (text[0] == '\0')
        return (common_value){.type = COMMON_VALUE_DEFAULT};
    return view_parse_value(option, text, &value) ? value : common_text_value(text);
}

// Returns the text of the current value, to be freed.
static char *current_text(const option_editor *editor)
{
    if (editor->current.type != COMMON_VALUE_NONE)
        return view_print_value(editor->option, editor->current);
    char *const text = view_write_option(editor->option, editor->stage->options);
    return text != NULL ? text : common_copy("");
}

void view_edit_lines(const option_editor *editor)
{
    const bool is_many =
        editor->option->kind == COMMON_TEXTS || editor->option->kind > VIEW_OPTION_TIMES;
    const char *const separator = is_many ? "\n" : "";
    option_line *const line = describe_lines(editor);
    option_editor row_editor = *editor;
    if (line->is_pair)
        (void)view_name_row(editor); // a heading above the rows of the parts

    // The text has a line for each value. Each line is edited separately, and the edited lines form
    // the new text. An option with several values has one more line, which is empty: typing there
    // adds a value.
    char *const text = current_text(editor);
    char *edited = common_copy("");
    const char *remaining = text;
    bool has_changed = false;
    bool is_complete = true; // each line with a name has a value
    bool has_more = true;
    while (has_more) {
        const size_t length = split_line(editor, remaining, line->is_pair, line->parts);
        const bool has_line_end = remaining[length] != '\0';
        remaining += has_line_end ? length + 1 : length;
        has_more = is_many && length > 0;
        if (line->index > 0 && !line->is_pair)
            ui_begin_row(editor->ui);

        char *const after = common_format("%s%s", separator, remaining);
        has_changed = edit_line(&row_editor, line, edited, after) || has_changed;
        free(after);
        append_line(&edited, line, separator);
        is_complete = is_complete && (line->parts[0][0] == '\0' || line->parts[1][0] != '\0');
        line->index++;
        row_editor.name = ""; // only the first row has the name
    }

    // An incomplete value would be an error. It is set only when another option is changed or the
    // card is closed.
    const double delay = is_complete ? VIEW_TYPING_DELAY : INFINITY;
    if (has_changed)
        view_request_value(editor, parse_typed(editor->option, edited), delay);
    free(edited);
    free(text);
    free(line);
}

// == Choices ======================================================================================

bool view_edit_segments(const option_editor *editor)
{
    enum { MAX_SEGMENTS = 4 };
    view_ui *const ui = editor->ui;
    char names[MAX_SEGMENTS + 1][128];
    common_value values[MAX_SEGMENTS + 1];
    const char *labels[MAX_SEGMENTS + 1];
    uint32_t count = 0; // MAX_SEGMENTS + 1: too many values
    uint32_t choice = UINT32_MAX;
    float segment_width = 0;
    while (count <= MAX_SEGMENTS && value_at(editor, count, names[count], &values[count])) {
        labels[count] = names[count];
        segment_width = fmaxf(segment_width, ui_text_width(ui, labels[count]) + ui->em);
        if (common_are_values_equal(&values[count], &editor->current))
            choice = count;
        count++;
    }
    const float width = segment_width * (float)count;
    if (count > MAX_SEGMENTS || width > ui->space.width)
        return false;

    view_rect rect = view_name_row(editor);
    if (width > rect.width) {
        ui_begin_row(editor->ui); // below the name
        rect = ui->space;
    }
    rect.width = width;
    if (ui_segment(ui, rect, labels, count, &choice))
        view_request_value(editor, values[choice], 0);
    return true;
}
