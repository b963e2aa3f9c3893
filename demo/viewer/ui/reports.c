// Shows errors and warnings. This file contains the window of an error with the lines of its file,
// the list of problems in the bottom dock, and the dialog that repairs a file. It also contains the
// indicator of a recording.
//
// Terms: A report (view_report) is a warning or an error. Its subject is the file or the object of
// the scene to which it refers. A cause (view_cause) is the group of all reports that one fault of
// a file has caused. The excerpt is the lines of a file around an error.
#include "demo/viewer/ui/reports.h"

#include "demo/viewer/ui/outliner.h"
#include "demo/viewer/ui/retarget.h"
#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

static const view_color white = 0xFFFFFFFFu;
static const char ellipsis[] = "\xE2\x80\xA6";

// Sizes of the window of an error, in layout units.
static const float report_width = 620;
static const float report_height = 260;
static const float short_report_height = 130; // without lines of a file
static const float number_padding = 6;        // left and right of the line numbers
static const float excerpt_margin = 12;       // at the right of the lines
static const float caret_width = 10;

const char *view_open_report(const view_ui *ui, const view_problems *problems)
{
    const bool has_error = ui->stage->log->error[0] != '\0';
    if (has_error || problems->shown > 0 || problems->repair != NULL)
        return "error";
    return NULL;
}

void view_clear_repair(view_problems *problems)
{
    free(problems->repair);
    free(problems->broken);
    free(problems->repaired);
    problems->repair = problems->broken = problems->repaired = NULL;
}

// -- Text -----------------------------------------------------------------------------------

// Returns a location as text, for example "walk.md5anim:3:7". The caller frees it. A line or column
// of 0 is omitted. Returns "" if there is no file.
static char *describe_location(const char *file, uint32_t line, uint32_t column)
{
    if (file == NULL || file[0] == '\0')
        return common_copy("");
    if (line == 0)
        return common_copy(file);
    if (column == 0)
        return common_format("%s:%u", file, line);
    return common_format("%s:%u:%u", file, line, column);
}

// -- The lines of a file around an error ----------------------------------------------------

// Stores a byte of the file if the excerpt contains its position. `line` counts from 1 and `column`
// from 0. The lines of the excerpt begin at `first_column`. Tabs and other control bytes are
// replaced by spaces.
static void store_byte(view_excerpt *excerpt, uint32_t line, uint32_t column, uint32_t first_column,
                       int byte)
{
    enum { DELETE_BYTE = 127 };
    if (line < excerpt->first || column < first_column)
        return;
    if (column - first_column >= VIEW_EXCERPT_BYTES - 1)
        return;

    const bool is_control = byte < ' ' || byte == DELETE_BYTE;
    excerpt->lines[line - excerpt->first][column - first_column] = is_control ? ' ' : (char)byte;
}

// Reads the lines of the excerpt, excerpt->first to `last_line`, each from `first_column` on. The
// file must be at its beginning, because lines are found by counting.
static void read_lines(view_excerpt *excerpt, FILE *file, uint32_t last_line, uint32_t first_column)
{
    enum { MAX_BYTES = 64 << 20 }; // limits the time for a line far down in a huge file
    uint32_t line = 1;
    uint32_t column = 0;
    for (int i = 0; i < MAX_BYTES && line <= last_line; i++) {
        const int byte = getc(file);
        if (byte == EOF)
            return;
        if (line >= excerpt->first)
            excerpt->count = line - excerpt->first + 1;

        if (byte == '\n') {
            line++;
            column = 0;
        } else {
            store_byte(excerpt, line, column, first_column, byte);
            column++;
        }
    }
}

// Reads the lines around an error. The excerpt is empty if the error has no line, or if its file
// cannot be read. Only the bytes around the column of the error are stored, because a line can be
// very long.
static void read_excerpt(view_excerpt *excerpt, const md5_error *error)
{
    enum { BYTES_BEFORE = VIEW_EXCERPT_BYTES / 2, LINES_AROUND = VIEW_EXCERPT_LINES / 2 };
    const uint32_t first_line = error->line > LINES_AROUND ? error->line - LINES_AROUND : 1;
    *excerpt = (view_excerpt){.first = first_line};
    if (error->line == 0 || !common_is_file(error->file))
        return;
    FILE *const file = fopen(error->file, "rb");
    if (file == NULL)
        return;

    const uint32_t column = error->column > 0 ? error->column - 1 : 0; // from 0
    const uint32_t first_column = column > BYTES_BEFORE ? column - BYTES_BEFORE : 0;
    excerpt->is_cut = first_column > 0;
    excerpt->caret = column - first_column;
    read_lines(excerpt, file, error->line + LINES_AROUND, first_column);
    fclose(file);
}

// Draws a caret below the wrong byte of a line. `text` is the displayed line, with an ellipsis if
// it is truncated. It begins `text_left` pixels right of the left edge of `row`.
static void draw_caret(const view_ui *ui, const view_excerpt *excerpt, view_rect row,
                       float text_left, const char *text)
{
    const size_t ellipsis_length = excerpt->is_cut ? strlen(ellipsis) : 0;
    const size_t caret = ellipsis_length + excerpt->caret;
    char text_before[VIEW_EXCERPT_BYTES + sizeof ellipsis];
    COMMON_TEXT(text_before, "%.*s", (int)caret, text);

    const float x = text_left + ui_text_width(ui, text_before);
    const float max_x = row.width - caret_width * ui->scale;
    ui_text(ui, row.x + fminf(x, max_x), row.y + ui->line, 0, VIEW_WRONG, "^");
}

// Adds the lines of the excerpt with their numbers to the column. The line `wrong_line` is
// highlighted, with a caret below the wrong byte.
static void draw_excerpt(view_ui *ui, const view_problems *problems, uint32_t wrong_line)
{
    const view_excerpt *const excerpt = &problems->excerpt;
    const float scale = ui->scale;
    char widest_number[16];
    COMMON_TEXT(widest_number, "%u", (excerpt->first + excerpt->count));
    const float text_left = ui_text_width(ui, widest_number) + 2 * number_padding * scale;

    for (uint32_t i = 0; i < excerpt->count; i++) {
        const bool is_wrong = excerpt->first + i == wrong_line;
        view_rect row;
        ui_reserve_row(ui, is_wrong ? 2 * ui->line : ui->line, &row);
        row.width -= excerpt_margin * scale;
        char number[16];
        char text[VIEW_EXCERPT_BYTES + sizeof ellipsis];
        COMMON_TEXT(number, "%u", (excerpt->first + i));
        COMMON_TEXT(text, "%s%s", excerpt->is_cut ? ellipsis : "", excerpt->lines[i]);

        view_draw_rect(ui->canvas, row, VIEW_FIELD);
        ui_text(ui, row.x + number_padding * scale, row.y, 0, VIEW_DIM, number);
        const view_color color = is_wrong ? VIEW_BRIGHT : VIEW_PLAIN;
        ui_text(ui, row.x + text_left, row.y, row.width - text_left, color, text);
        if (is_wrong)
            draw_caret(ui, excerpt, row, text_left, text);
    }
}

// -- The window of an error -----------------------------------------------------------------

// Copies an error to the clipboard. The text contains its message, its location, and the lines of
// the file with a caret below the wrong byte.
static void copy_error(const view_problems *problems, const char *message, const char *location,
                       uint32_t line)
{
    enum { NUMBER_WIDTH = 8 }; // line number and gap, characters
    const view_excerpt *const excerpt = &problems->excerpt;
    char *text = common_format("%s\n%s%s", message, location, location[0] != '\0' ? "\n" : "");
    for (uint32_t i = 0; i < excerpt->count; i++) {
        common_extend(&text, "%6u  %s\n", excerpt->first + i, excerpt->lines[i]);
        if (excerpt->first + i == line)
            common_extend(&text, "%*s^\n", (int)excerpt->caret + NUMBER_WIDTH, "");
    }
    view_copy_text(text);
    free(text);
}

static const char map_joints[] = "Map joints\xE2\x80\xA6";

// Returns true if a joint map can retarget clips to the open model. A joint map is a list of
// corresponding joints. It requires the file of the model.
static bool can_map(const view_stage *stage)
{
    const view_scene *const scene = &stage->document->scene;
    return scene->model != NULL && common_is_file(scene->path);
}

// Returns true if the error is about a clip whose joints do not match the open model. Loading the
// clip again would fail again, so the window offers a joint map instead.
static bool is_mismatched_clip(const view_ui *ui, const md5_error *error)
{
    if (error->status != MD5_ERROR_MISMATCH || !can_map(ui->stage))
        return false;
    return common_has_suffix(error->file, ".md5anim") && common_is_file(error->file);
}

// The error that the window displays. It is the error in the log. If the log has no error, it is a
// problem of the list.
typedef struct shown_error {
    md5_error error;
    uint64_t key;   // identifies the error; see view_excerpt.error_key
    bool is_logged; // it is the error in the log, not a problem of the list
    bool has_file;  // the error is about a file, which can be loaded again
    bool can_map;   // a joint map can solve the error
    char *location; // such as "walk.md5anim:3:7"; to be freed
} shown_error;

// Converts a report of the list to an error, so that the window can display it.
static md5_error error_from_report(const view_report *report)
{
    md5_error error = {.line = report->line, .column = report->column};
    COMMON_TEXT(error.file, "%s", report->file);
    COMMON_TEXT(error.message, "%s", report->text);
    return error;
}

// Returns the error that the window displays. An error in the log has priority. Otherwise it is the
// report that the user has selected in the list. The caller frees the location of the result.
static shown_error find_shown_error(const view_ui *ui, const view_problems *problems)
{
    const view_log *const log = ui->stage->log;
    shown_error shown = {.is_logged = log->error[0] != '\0'};
    if (shown.is_logged) {
        shown.error = log->failure;
        shown.key = log->num_errors;
        shown.can_map = is_mismatched_clip(ui, &log->failure);
    } else {
        const size_t index = problems->shown - 1; // 0 means that no report is displayed
        const view_report *const report = &log->reports->rows[index];
        shown.error = error_from_report(report);
        shown.key = report->hash;
    }
    shown.has_file = shown.error.file[0] != '\0';
    shown.location = describe_location(shown.error.file, shown.error.line, shown.error.column);
    return shown;
}

// Returns the message of the displayed error. An error without a file has the message of the log.
static const char *error_message(const view_ui *ui, const shown_error *shown)
{
    return shown->has_file ? shown->error.message : ui->stage->log->error;
}

// Writes the title of the window: the name of the file, or the line of a problem in the list.
static void write_error_title(const shown_error *shown, char *title, size_t size)
{
    if (!shown->is_logged)
        snprintf(title, size, "Line %u", shown->error.line);
    else if (shown->has_file)
        snprintf(title, size, "%s", common_base(shown->error.file));
    else
        snprintf(title, size, "Error");
}

// Displays the message of an error, its location, and the lines of its file in a column that
// scrolls.
static void list_error_text(view_ui *ui, const view_problems *problems, const shown_error *shown,
                            view_rect area)
{
    ui_column column;
    ui_begin_list(ui, &column, area, &ui->scrolls[UI_SCROLL_REPORT]);
    ui_column_text(ui, VIEW_BRIGHT, error_message(ui, shown));
    ui_column_text(ui, VIEW_DIM, shown->location);
    ui_gap(ui);
    draw_excerpt(ui, problems, shown->error.line);
    ui_end_column(ui);
}

// The buttons of the window, from left to right. An error in the log has all buttons; "Try again"
// requires a file. A report of the list has only "Copy" and "Close".
typedef enum error_choice {
    CHOICE_TRY_AGAIN, // if shown_error.can_map, the button is "Map joints"
    CHOICE_OPEN,
    CHOICE_COPY,
    CHOICE_CLOSE,
    NUM_CHOICES,
    CHOICE_NONE = NUM_CHOICES,
} error_choice;

// Returns the first button of the window. All later members of error_choice follow.
static error_choice first_choice(const shown_error *shown)
{
    if (!shown->is_logged)
        return CHOICE_COPY;
    return shown->has_file ? CHOICE_TRY_AGAIN : CHOICE_OPEN;
}

// Draws the buttons of the window, and handles clicks on them and their keys Enter, Ctrl+C and
// Escape. Returns the choice of the user, or CHOICE_NONE.
static error_choice run_error_buttons(view_ui *ui, const shown_error *shown, view_rect foot)
{
    const char *const labels[NUM_CHOICES] = {shown->can_map ? map_joints : "Try again",
                                             "Open\xE2\x80\xA6", "Copy", "Close"};
    const error_choice first = first_choice(shown);
    const error_choice primary = shown->has_file ? first : CHOICE_CLOSE;
    const int count = NUM_CHOICES - (int)first;
    view_rect row = foot;
    const int pressed = ui_buttons(ui, &row, labels + first, count, (int)primary - (int)first);
    if (pressed >= 0)
        return (error_choice)((int)first + pressed);

    if (ui_key(ui, VIEW_KEY_RETURN))
        return first == CHOICE_TRY_AGAIN ? CHOICE_TRY_AGAIN : CHOICE_CLOSE;
    if (ui->mouse.control && ui_key(ui, 'c'))
        return CHOICE_COPY;
    return ui_key(ui, VIEW_KEY_ESCAPE) ? CHOICE_CLOSE : CHOICE_NONE;
}

// Executes the button that the user has pressed in the window of an error. The buttons try again,
// open another file, copy the message, or close the window.
static void execute_error_choice(view_ui *ui, view_problems *problems, const shown_error *shown,
                                 error_choice choice)
{
    switch (choice) {
    case CHOICE_TRY_AGAIN:
        if (shown->can_map)
            UI_COMMAND(ui, VIEW_MAP_JOINTS, .path = common_copy(shown->error.file));
        else
            UI_COMMAND(ui, VIEW_TRY_AGAIN);
        break;
    case CHOICE_OPEN:
        UI_COMMAND(ui, VIEW_FILES);
        break;
    case CHOICE_COPY:
        copy_error(problems, error_message(ui, shown), shown->location, shown->error.line);
        break;
    case CHOICE_CLOSE:
        if (shown->is_logged)
            UI_COMMAND(ui, VIEW_CLOSE_LISTS);
        else
            problems->shown = 0;
        break;
    case CHOICE_NONE:
        break;
    }
}

// Draws the window that displays the error in the log, or a problem of the list. Also handles
// its input.
static void error_window(view_ui *ui, view_problems *problems)
{
    const shown_error shown = find_shown_error(ui, problems);
    if (problems->excerpt.error_key != shown.key) { // read once, because the file may change
        read_excerpt(&problems->excerpt, &shown.error);
        problems->excerpt.error_key = shown.key;
    }

    char title[256];
    write_error_title(&shown, title, sizeof title);
    const float height = problems->excerpt.count > 0 ? report_height : short_report_height;
    view_rect foot;
    const view_rect inside = ui_footed_dialog(ui, "error", report_width, height, title, &foot);
    list_error_text(ui, problems, &shown, inside);

    const error_choice choice = run_error_buttons(ui, &shown, foot);
    execute_error_choice(ui, problems, &shown, choice);
    free(shown.location);
}

// -- Repairs --------------------------------------------------------------------------------

// Draws the dialog of a repair and handles its input. It lists the changes before the repaired
// file is saved. Enter saves and opens the repaired file. Escape closes the dialog.
static void repair_window(view_ui *ui, view_problems *problems)
{
    enum { SAVE_AND_OPEN, SAVE, CLOSE, NUM_BUTTONS };
    static const char *const labels[] = {"Save and open", "Save", "Close"};
    char *const title = common_format("Repair %s", common_base(problems->broken));
    char *const target = common_format("Will be saved as %s", common_base(problems->repaired));
    view_rect foot;
    const view_rect inside =
        ui_footed_dialog(ui, "error", report_width, report_height, title, &foot);

    ui_column column;
    ui_begin_list(ui, &column, inside, &ui->scrolls[UI_SCROLL_REPORT]);
    ui_column_text(ui, VIEW_DIM, target);
    ui_column_text(ui, VIEW_BRIGHT, problems->repair);
    ui_end_column(ui);

    const int pressed = ui_buttons(ui, &foot, labels, NUM_BUTTONS, SAVE_AND_OPEN);
    const bool opens = pressed == SAVE_AND_OPEN || ui_key(ui, VIEW_KEY_RETURN);
    const bool saves = opens || pressed == SAVE;
    if (saves) // number 1: save the repaired file; item 1: also open it
        UI_COMMAND(ui, VIEW_REPAIR, .number = 1, .item = opens,
                   .path = common_copy(problems->broken));
    else if (pressed == CLOSE || ui_key(ui, VIEW_KEY_ESCAPE))
        view_clear_repair(problems);
    free(target);
    free(title);
}

// -- The list of problems -------------------------------------------------------------------

// Returns the number of objects in the scene that have the kind of a report's subject: clips,
// joints or meshes. Returns 0 if the report is about another model.
static size_t count_items(const view_scene *scene, const view_about *about)
{
    if (scene->model == NULL || about->model != scene->model)
        return 0;
    switch (about->kind) {
    case VIEW_ABOUT_CLIP:
        return scene->num_clips;
    case VIEW_ABOUT_JOINT:
        return scene->num_joints;
    default:
        return scene->model->num_meshes;
    }
}

// Returns true if the scene contains the subject of a report.
static bool exists_in_scene(const view_scene *scene, const view_about *about)
{
    if (about->number >= count_items(scene, about))
        return false;
    if (about->kind != VIEW_ABOUT_VERTEX)
        return true;
    return about->vertex < scene->model->meshes[about->number].num_vertices;
}

// Returns the index of the clip that was read from a file, or the number of clips.
static size_t find_clip_of_file(const view_scene *scene, const char *file)
{
    size_t clip = 0;
    while (clip < scene->num_clips && strcmp(file, scene->clips[clip].path) != 0)
        clip++;
    return clip;
}

// Returns the object of the scene that a report is about. A report about the file of a clip is
// about the clip. If the scene does not contain the object, the report is only about its file. This
// happens, for example, after another model was opened.
static view_about find_subject(const view_stage *stage, const view_report *report)
{
    const view_scene *const scene = &stage->document->scene;
    view_about about = report->about;
    const bool is_about_file = about.kind == VIEW_ABOUT_FILE || about.kind == VIEW_ABOUT_BINDING;
    if (is_about_file && report->file != NULL) {
        const size_t clip = find_clip_of_file(scene, report->file);
        if (clip < scene->num_clips)
            about = (view_about){VIEW_ABOUT_CLIP, (uint32_t)clip, 0, scene->model};
    }

    if (!exists_in_scene(scene, &about))
        about.kind = VIEW_ABOUT_FILE;
    return about;
}

bool view_lacks_image(const view_textures *textures, uint32_t mesh, md5gl_image_kind map)
{
    return map == MD5GL_IMAGE_DIFFUSE && view_mesh_image(textures, mesh, map) == NULL
           && view_find_layered(&textures->layers, mesh) == NULL;
}

bool view_is_about_mesh(const view_stage *stage, const view_report *report, uint32_t mesh)
{
    const view_about about = find_subject(stage, report);
    return (about.kind == VIEW_ABOUT_MESH || about.kind == VIEW_ABOUT_VERTEX)
           && about.number == mesh;
}

// Writes the name of a report's subject, for example "joint head". An object in the scene is a link
// with this label. For a file, writes its name or "".
static void describe_about(const view_stage *stage, const view_report *report, view_about about,
                           char *text, size_t size)
{
    const view_scene *const scene = &stage->document->scene;
    const char *const file = report->file != NULL ? common_base(report->file) : "";
    const char *mesh_name;
    switch (about.kind) {
    case VIEW_ABOUT_FILE:
        snprintf(text, size, "%s", file);
        break;
    case VIEW_ABOUT_CLIP:
        snprintf(text, size, "clip %s", scene->clips[about.number].name);
        break;
    case VIEW_ABOUT_JOINT:
        snprintf(text, size, "joint %s", scene->skeleton->joints[about.number].name);
        break;
    default: // a mesh, or a vertex of it
        mesh_name = scene->model->meshes[about.number].name;
        if (mesh_name[0] != '\0')
            snprintf(text, size, "mesh %s", mesh_name);
        else
            snprintf(text, size, "mesh %u", about.number);
        break;
    }
}

// Selects the object that a report is about. A vertex is highlighted until the next press. The
// camera does not move, so that the user keeps the view.
static void show_about(view_ui *ui, const view_about *about)
{
    UI_COMMAND(ui, VIEW_JOINT_SELECTED);
    if (about->kind == VIEW_ABOUT_CLIP)
        UI_COMMAND(ui, VIEW_OPEN_CLIP, .number = about->number);
    else if (about->kind == VIEW_ABOUT_JOINT)
        ui->selection.joint = (int32_t)about->number;
    else
        view_select_mesh(ui, ui->stage->uptime, about->number);

    const bool has_vertex = about->kind == VIEW_ABOUT_VERTEX;
    ui->selection.keeps_highlight = has_vertex;
    ui->selection.highlighted_point =
        (view_pick){.is_set = has_vertex, .mesh = about->number, .vertex = about->vertex};
}

// Returns true if a report is about the file of --retarget-map.
static bool is_of_map(const view_stage *stage, const view_report *report)
{
    const char *const map = stage->options->retarget_map;
    return map != NULL && report->file != NULL && strcmp(report->file, map) == 0;
}

// Returns true if a report is about a clip whose joints do not match the model.
static bool is_mismatch(const view_stage *stage, const view_report *report, const view_about *about)
{
    if (about->kind != VIEW_ABOUT_CLIP || report->about.kind != VIEW_ABOUT_BINDING)
        return false;
    const view_clip *const clip = &stage->document->scene.clips[about->number];
    return common_is_file(clip->path) && clip->binding->num_extra > 0 && can_map(stage);
}

// Returns true if md5tool can repair the file of a report.
static bool can_repair_file(const view_report *report)
{
    if (report->line == 0 || !common_is_file(report->file))
        return false;
    return common_has_suffix(report->file, ".md5mesh")
           || common_has_suffix(report->file, ".md5anim");
}

// Returns the label of the button that helps to solve a problem, or NULL if there is none. `about`
// is the subject of the report. run_solution() executes the button. list_buttons() identifies the
// label `map_joints` by its address.
static const char *solution_label(const view_stage *stage, const view_report *report,
                                  const view_about *about)
{
    if (about->kind == VIEW_ABOUT_VERTEX)
        return "Show vertex";
    const bool is_about_texture =
        about->kind == VIEW_ABOUT_MESH && common_contains(report->text, "texture");
    const view_textures *const textures = &stage->document->textures;
    if (is_about_texture && view_lacks_image(textures, about->number, MD5GL_IMAGE_DIFFUSE))
        return "Choose image\xE2\x80\xA6";
    if (is_of_map(stage, report) || is_mismatch(stage, report, about))
        return map_joints;
    return NULL;
}

// Executes the button with the label of solution_label(). It opens the page or the list in which
// the user can solve the problem, or shows the vertex.
static void run_solution(view_ui *ui, view_retarget_page *retarget, const view_report *report,
                         const view_about *about)
{
    if (is_of_map(ui->stage, report)) {
        view_show_retarget(ui, retarget);
        UI_COMMAND(ui, VIEW_JOINT_SELECTED);
    } else if (about->kind == VIEW_ABOUT_CLIP) {
        UI_COMMAND(ui, VIEW_MAP_JOINTS, .path = common_copy(ui->scene->clips[about->number].path));
    } else {
        show_about(ui, about);
        if (about->kind == VIEW_ABOUT_MESH)
            UI_COMMAND(ui, VIEW_FIND_TEXTURE, about->number, MD5GL_IMAGE_DIFFUSE, NULL);
    }
}

// Returns true if a report matches the filter.
static bool is_listed(const view_problems *problems, const view_report *report)
{
    return common_contains(report->text, problems->filter)
           || (report->file != NULL && common_contains(report->file, problems->filter));
}

// Copies the listed problems to the clipboard, in the order of the list. Each problem is one line
// with the message, the location and the number of occurrences, separated by tabs.
static void copy_problems(const view_problems *problems, const view_reports *reports)
{
    char *text = common_copy("");
    for (size_t i = 0; i < reports->num_causes; i++) {
        const view_cause *const cause = &reports->causes[i];
        const uint32_t *const report_indices = reports->order + cause->first;
        for (size_t k = 0; k < cause->num_reports; k++) {
            const view_report *const report = &reports->rows[report_indices[k]];
            if (!is_listed(problems, report))
                continue;
            char *const location = describe_location(report->file, report->line, report->column);
            common_extend(&text, "%s\t%s\t%u\n", report->text, location, report->count);
            free(location);
        }
    }
    view_copy_text(text);
    free(text);
}

// -- Causes with several reports --------------------------------------------------------------

// A line of the list: a report, or the header of a cause that has several reports.
typedef struct problem_line {
    const view_cause *cause; // NULL: the line is a report
    size_t report;           // index of the report, or of the first report of the cause
    bool is_detail;          // a report below the header of its cause
    bool is_open;            // the reports of the cause are listed
    view_level level;
    view_about about; // subject that all reports of the line have in common
    char *text;       // to be freed
} problem_line;

// Returns the common subject of all reports of a cause. Reports about different vertices of a mesh
// have the mesh in common. Reports about different objects have only the file in common.
static view_about find_common_subject(const view_stage *stage, const view_cause *cause)
{
    const view_reports *const reports = stage->log->reports;
    const uint32_t *const report_indices = reports->order + cause->first;
    const view_report *const first_report = &reports->rows[report_indices[0]];
    const view_about first = first_report->about;
    view_about common = find_subject(stage, first_report);
    for (size_t i = 1; i < cause->num_reports; i++) {
        const view_about about = reports->rows[report_indices[i]].about;
        const bool is_same_item =
            about.kind == first.kind && about.number == first.number && about.model == first.model;
        if (!is_same_item)
            common.kind = VIEW_ABOUT_FILE;
        else if (common.kind == VIEW_ABOUT_VERTEX && about.vertex != first.vertex)
            common.kind = VIEW_ABOUT_MESH;
    }
    return common;
}

char *view_describe_binding(const view_clip *clip)
{
    const md5_binding *const binding = clip->binding;
    if (binding->num_extra == 0)
        return common_format("%s does not animate %u %s of the model", clip->name,
                             binding->num_missing,
                             common_noun(binding->num_missing, "joint", "joints"));

    const uint32_t num_joints = clip->anim->skeleton.num_joints;
    const uint32_t num_matches = num_joints - binding->num_extra;
    const bool matches_mostly = num_matches >= binding->num_extra;
    if (!matches_mostly)
        return common_format("%s was made for another skeleton (%u of %u joints match)", clip->name,
                             num_matches, num_joints);
    return common_format("%s matches only a part of the skeleton (%u of %u joints match)",
                         clip->name, num_matches, num_joints);
}

// Returns the text of a cause with several reports. The caller frees it. `subject` is the common
// subject of the reports.
static char *describe_cause_text(const view_stage *stage, const view_cause *cause,
                                 const view_about *subject)
{
    if (cause->is_binding && subject->kind == VIEW_ABOUT_CLIP)
        return view_describe_binding(&stage->document->scene.clips[subject->number]);
    if (cause->is_binding)
        return common_copy("The joints of the clip and the model do not match");

    // A report counts how often it has occurred, so the number of occurrences is the sum over all
    // reports.
    const view_reports *const reports = stage->log->reports;
    const uint32_t *const report_indices = reports->order + cause->first;
    size_t num_occurrences = 0;
    for (size_t i = 0; i < cause->num_reports; i++)
        num_occurrences += reports->rows[report_indices[i]].count;

    if (cause->is_merged)
        return common_format("%zu other %s", num_occurrences,
                             common_noun(num_occurrences, "problem", "problems"));
    const char *const first_text = reports->rows[report_indices[0]].text;
    return common_format("%s (and %zu similar)", first_text, num_occurrences - 1);
}

// Returns the header line of a cause with several reports. The caller frees its text.
static problem_line describe_cause(const view_ui *ui, const view_problems *problems,
                                   const view_cause *cause)
{
    const view_stage *const stage = ui->stage;
    const view_about subject = find_common_subject(stage, cause);
    return (problem_line){.cause = cause,
                          .report = stage->log->reports->order[cause->first],
                          .is_open = problems->open_cause == cause->key,
                          .level = cause->level,
                          .about = subject,
                          .text = describe_cause_text(stage, cause, &subject)};
}

// Returns the line of a report. The caller frees its text.
static problem_line describe_report(const view_stage *stage, size_t index, bool is_detail)
{
    const view_report *const report = &stage->log->reports->rows[index];
    problem_line line = {.report = index,
                         .is_detail = is_detail,
                         .level = report->level,
                         .about = find_subject(stage, report)};
    if (report->count > 1)
        line.text = common_format("%u \xC3\x97 %s", report->count, report->text);
    else
        line.text = common_copy(report->text);
    return line;
}

// Folds or unfolds the reports of a cause. Only one cause is unfolded at a time.
static void toggle_cause(view_problems *problems, const problem_line *line)
{
    problems->open_cause = line->is_open ? 0 : line->cause->key;
}

// -- Lines of the list ------------------------------------------------------------------------

// Each problem has five items (see ui.h): its row, two buttons, and two links.
enum { MAX_PROBLEM_BUTTONS = 2, ITEMS_PER_PROBLEM = 5 };

static const char repair_label[] = "Repair\xE2\x80\xA6";

// Sizes in em.
static const float wide_list_min_width = 52; // width of a list whose rows have one line
static const float wide_row_height = 1.8f;
static const float narrow_row_height = 3.3f;  // two lines
static const float icon_indent = 0.7f;        // indent of the icon of a problem
static const float message_indent = 2.4f;     // indent of the message of a problem
static const float detail_indent = 3.8f;      // indent of the message of a report below its cause
static const float fold_icon_width = 1.4f;    // icon of a cause whose reports can be folded
static const float narrow_subject_width = 12; // link to the item in a narrow row
static const float scroll_bar_width = 0.7f;
static const float typical_buttons_width = 10; // buttons of most rows
static const float two_buttons_min_width = 80; // width of a list with two buttons per row
static const float header_height = 2;          // header of the dock
static const float tabs_width = 24;            // tabs of the dock
static const float close_button_width = 2.5f;  // button that closes the dock
static const float filter_width = 15.5f;

// Parts of the width of a wide row.
static const float message_width = 0.52f;
static const float cause_width = 0.62f; // message of a row without space for a location
static const float subject_width = 0.18f;

// Returns true if the rows of a list with this width (pixels) have one line. Otherwise they have
// two.
static bool is_wide_list(const view_ui *ui, float width)
{
    return width > wide_list_min_width * ui->em;
}

// Adds a link with its upper left corner at (x, y). Returns true if it was pressed.
static bool run_link(view_ui *ui, float x, float y, float width, bool is_selected, const char *text)
{
    const view_rect box = {x, y, fmaxf(width, 1), ui->line};
    const bool is_pressed = ui_item(ui, box, text);
    const bool is_bright = is_selected || ui_is_hot(ui);
    ui_text(ui, x, y, box.width, is_bright ? VIEW_BRIGHT : VIEW_ACCENT, text);
    return is_pressed;
}

// Returns the color of the icon of a problem by its level.
static view_color level_color(view_level level)
{
    switch (level) {
    case VIEW_ERROR:
        return VIEW_WRONG;
    case VIEW_INFO:
        return VIEW_ACCENT;
    default:
        return VIEW_AMBER;
    }
}

// A row of the list while it is drawn and handled. A wide row has one line of text with the
// message, the links and the buttons. A narrow row has two lines, and the links are below the
// message.
typedef struct problem_row {
    const problem_line *line;
    view_rect box;
    bool is_wide;
    bool is_selected;
} problem_row;

// Positions of the texts of a problem's row, in pixels.
typedef struct problem_layout {
    float message_left;
    float message_y;
    float subject_left;  // left edge of the link to the item
    float location_left; // left edge of the link to the location in a file
    float links_y;
    float texts_end; // right edge of the texts, at the left of the buttons
} problem_layout;

// Returns true if a wide row leaves space for a location. The header of a cause has no location,
// and the reports below it have one if they are about a line of a file. All other rows leave the
// space, so that their columns are aligned.
static bool leaves_space_for_location(const view_ui *ui, const problem_line *line)
{
    if (!line->is_detail)
        return line->cause == NULL;
    return ui->stage->log->reports->rows[line->report].line > 0;
}

// Computes the positions of the texts in a row. `texts_end` is the left edge of the space for the
// buttons.
static problem_layout lay_out_problem(const view_ui *ui, const problem_row *row, float texts_end)
{
    const view_rect box = row->box;
    const float em = ui->em;
    const float indent = row->line->is_detail ? detail_indent : message_indent;
    problem_layout layout = {.message_left = box.x + indent * em, .texts_end = texts_end};
    if (row->is_wide) {
        const float message_part =
            leaves_space_for_location(ui, row->line) ? message_width : cause_width;
        layout.message_y = box.y + 0.5f * (box.height - ui->line);
        layout.subject_left = fmaxf(box.x + message_part * box.width, layout.message_left);
        layout.location_left = layout.subject_left + subject_width * box.width;
        layout.links_y = layout.message_y;
    } else {
        layout.message_y = box.y + 0.25f * em;
        layout.subject_left = layout.message_left;
        layout.location_left = layout.message_left + narrow_subject_width * em;
        layout.links_y = layout.message_y + ui->line;
    }
    return layout;
}

// Returns the right edge of a problem's message. In a wide row the message ends before the texts at
// its right: the subject or, if there is none, the location. A cause has no location.
static float find_message_end(const view_ui *ui, const problem_row *row,
                              const problem_layout *layout)
{
    if (!row->is_wide)
        return layout->texts_end;
    const problem_line *const line = row->line;
    const view_report *const report = &ui->stage->log->reports->rows[line->report];
    char subject[160];
    describe_about(ui->stage, report, line->about, subject, sizeof subject);
    if (subject[0] != '\0')
        return layout->subject_left;
    const bool has_location = line->cause == NULL && report->line > 0;
    return has_location ? layout->location_left : layout->texts_end;
}

// Draws the icon of a problem's level, the fold icon of a cause, and the message.
static void draw_problem(const view_ui *ui, const problem_row *row, const problem_layout *layout)
{
    static const char *const level_icons[] = {"", "\xE2\x9C\x95", "\xE2\x9A\xA0", "i"};
    const problem_line *const line = row->line;
    const float em = ui->em;
    const float y = layout->message_y;
    if (!line->is_detail) { // the header of the cause has the icon of its reports
        const view_color color = row->is_selected ? VIEW_BRIGHT : level_color(line->level);
        ui_text(ui, row->box.x + icon_indent * em, y, 0, color, level_icons[line->level]);
    }

    float left = layout->message_left;
    if (line->cause != NULL) {
        ui_text(ui, left, y, 0, VIEW_DIM, line->is_open ? UI_SIGN_OPEN : UI_SIGN_FOLDED);
        left += fold_icon_width * em;
    }

    const float right = find_message_end(ui, row, layout);
    const view_color color = row->is_selected ? VIEW_BRIGHT : VIEW_PLAIN;
    ui_text(ui, left, y, right - left - em, color, line->text);
}

// Draws the link to a problem's subject, which is `width` pixels wide. Also handles its input.
// If the subject is a file, draws its name without a link.
static void run_subject_link(view_ui *ui, const problem_row *row, const problem_layout *layout,
                             float width)
{
    const problem_line *const line = row->line;
    const view_report *const report = &ui->stage->log->reports->rows[line->report];
    char name[160];
    describe_about(ui->stage, report, line->about, name, sizeof name);
    if (line->about.kind == VIEW_ABOUT_FILE)
        ui_text(ui, layout->subject_left, layout->links_y, fmaxf(width, 1),
                row->is_selected ? VIEW_PLAIN : VIEW_DIM, name);
    else if (run_link(ui, layout->subject_left, layout->links_y, width, row->is_selected, name))
        show_about(ui, &line->about);
}

// Draws the links of a problem and handles their input. The first link selects its subject. The
// second link opens the window with the lines of the file.
static void run_links(view_ui *ui, view_problems *problems, const problem_row *row,
                      const problem_layout *layout)
{
    const problem_line *const line = row->line;
    const view_report *const report = &ui->stage->log->reports->rows[line->report];
    const bool is_report = line->cause == NULL;
    const bool has_location = is_report && report->line > 0;
    char *const location =
        describe_location(has_location ? common_base(report->file) : NULL, report->line, 0);
    const bool has_text = location[0] != '\0';

    // In a narrow row without a location, the link to the subject may use the whole row.
    const bool ends_at_location = row->is_wide || has_text;
    const float subject_end = ends_at_location ? layout->location_left : layout->texts_end;
    run_subject_link(ui, row, layout, subject_end - layout->subject_left - ui->em);

    const float location_width = layout->texts_end - layout->location_left - 0.5f * ui->em;
    if (has_text
        && run_link(ui, layout->location_left, layout->links_y, location_width, row->is_selected,
                    location))
        problems->shown = line->report + 1;
    free(location);
}

// Writes the labels of a problem's buttons: its solution and "Repair". `solution` is the result of
// solution_label(). Returns the number of buttons. Callers compare the labels by address, because
// map_joints and repair_label are constants of this file.
static int list_buttons(const view_ui *ui, const problem_row *row, const char *solution,
                        const char *labels[MAX_PROBLEM_BUTTONS])
{
    const problem_line *const line = row->line;
    const view_report *const report = &ui->stage->log->reports->rows[line->report];
    // The header of the cause already has this button.
    const bool is_in_header = line->is_detail && solution == map_joints;
    if (is_in_header)
        return 0;

    // A solution replaces "Repair". "Show vertex" does not, because it has the same effect as the
    // link to the subject. If there is no space for two buttons, "Show vertex" is omitted.
    const bool is_vertex = line->about.kind == VIEW_ABOUT_VERTEX;
    const bool can_repair = can_repair_file(report) && (solution == NULL || is_vertex);
    const bool has_space_for_two = row->box.width > two_buttons_min_width * ui->em;
    const bool shows_solution = solution != NULL && (!can_repair || has_space_for_two);
    int count = 0;
    if (shows_solution)
        labels[count++] = solution;
    if (can_repair)
        labels[count++] = repair_label;
    return count;
}

// Draws the buttons at the right end of a row and handles their input. `solution` is the label
// of the button that solves the problem, or NULL. If `presses_first` is true, the first button
// counts as pressed. Sets `texts_end` to the right edge of the space for texts. Returns the
// label of the pressed button, or NULL.
static const char *run_problem_buttons(view_ui *ui, const problem_row *row, const char *solution,
                                       bool presses_first, float *texts_end)
{
    const char *labels[MAX_PROBLEM_BUTTONS];
    const int count = list_buttons(ui, row, solution, labels);
    const float em = ui->em;
    view_rect rest = view_inset(row->box, 0.15f * em);
    rest.width -= scroll_bar_width * em;
    int pressed = -1;
    if (count > 0) {
        pressed = ui_buttons(ui, &rest, labels, count, -1);
        if (presses_first)
            pressed = 0;
    }

    // The columns of the list must be aligned. Therefore the texts of a wide row without buttons
    // end at the same position as the texts of most rows with buttons.
    if (row->is_wide && count == 0)
        rest.width = fminf(rest.width, row->box.width - typical_buttons_width * em);
    *texts_end = rest.x + rest.width;
    return pressed >= 0 ? labels[pressed] : NULL;
}

// Draws a visible row and handles its input. Enter presses the first button of the selected
// problem. If it has no button, Enter folds or unfolds its cause. Returns true if the row was
// pressed, so that the caller selects it.
static bool run_visible_problem(view_ui *ui, view_problems *problems, view_retarget_page *retarget,
                                const problem_row *row)
{
    const problem_line *const line = row->line;
    const view_report *const report = &ui->stage->log->reports->rows[line->report];
    const char *const solution = solution_label(ui->stage, report, &line->about);
    const bool is_pressed = ui_item(ui, row->box, line->text);
    if (row->is_selected || ui_is_hot(ui)) {
        const view_color background = row->is_selected ? VIEW_SELECTED : VIEW_CONTROL;
        view_draw_rect(ui->canvas, row->box, background);
    }

    const bool is_enter = row->is_selected && problems->has_keys && ui_key(ui, VIEW_KEY_RETURN);
    float texts_end;
    const char *const pressed_label = run_problem_buttons(ui, row, solution, is_enter, &texts_end);
    const problem_layout layout = lay_out_problem(ui, row, texts_end);
    draw_problem(ui, row, &layout);
    run_links(ui, problems, row, &layout);

    // Execute the pressed button. If no button was pressed, a press on the row or Enter folds or
    // unfolds a cause.
    const bool has_cause = line->cause != NULL;
    if (pressed_label == repair_label)
        UI_COMMAND(ui, VIEW_REPAIR, .path = common_copy(report->file));
    else if (pressed_label != NULL)
        run_solution(ui, retarget, report, &line->about);
    else if (has_cause && (is_pressed || is_enter))
        toggle_cause(problems, line);
    return is_pressed;
}

// Reserves the row of a problem. If the row is visible, draws it and handles its input. Returns
// true if the row was pressed, so that the caller selects it.
static bool run_problem(view_ui *ui, view_problems *problems, view_retarget_page *retarget,
                        const problem_line *line, bool is_selected)
{
    problem_row row = {.line = line,
                       .is_wide = is_wide_list(ui, ui->column->area.width),
                       .is_selected = is_selected};
    const float height = row.is_wide ? wide_row_height : narrow_row_height;
    const bool is_visible = ui_reserve_row(ui, ceilf(height * ui->em), &row.box);

    // An invisible row reserves the same item numbers as a visible one. Therefore the number of an
    // item does not depend on the scroll position.
    const uint32_t first_item = ui->item.number;
    const bool is_pressed = is_visible && run_visible_problem(ui, problems, retarget, &row);
    ui->item.number = first_item + ITEMS_PER_PROBLEM;
    return is_pressed;
}

// Handles the arrow keys of the selected cause: Right unfolds it and Left folds it.
static void run_fold_keys(view_ui *ui, view_problems *problems, const problem_line *line)
{
    if (line->cause == NULL)
        return;
    const int32_t toggle_key = line->is_open ? VIEW_KEY_LEFT : VIEW_KEY_RIGHT;
    if (ui_key(ui, toggle_key))
        toggle_cause(problems, line);
}

// The lines of the list while they are displayed.
typedef struct problem_lines {
    size_t count;                 // lines so far
    bool has_keys;                // keys select a line
    view_retarget_page *retarget; // page that a button opens
    view_rect area;
} problem_lines;

// Scrolls so that the last row of a column is visible. The row extends from `top` to column->y, in
// pixels.
static void scroll_to_row(const ui_column *column, view_rect area, float top)
{
    const float above = fminf(top - area.y, 0);
    const float below = fmaxf(column->y - area.y - area.height, 0);
    column->scroll->wanted += above + below;
}

// Adds the next line to the list, handles the keys if it is selected, and frees its text.
static void add_line(view_ui *ui, view_problems *problems, problem_lines *lines, problem_line line)
{
    const bool is_selected = lines->count == problems->selected;
    const bool follows_keys = is_selected && lines->has_keys;
    const float top = ui->column->y;
    if (follows_keys)
        run_fold_keys(ui, problems, &line);

    if (run_problem(ui, problems, lines->retarget, &line, is_selected)) {
        problems->selected = lines->count;
        problems->has_keys = true;
    }
    if (follows_keys && ui->mouse.key != 0)
        scroll_to_row(ui->column, lines->area, top);
    lines->count++;
    free(line.text);
}

// Returns the number of reports of a cause that match the filter.
static size_t count_listed(const view_problems *problems, const view_reports *reports,
                           const view_cause *cause)
{
    size_t count = 0;
    for (size_t i = 0; i < cause->num_reports; i++) {
        if (is_listed(problems, &reports->rows[reports->order[cause->first + i]]))
            count++;
    }
    return count;
}

// Adds the lines of a cause with several reports, if the cause or one of its reports matches the
// filter. They are a header and, if the cause is unfolded, one line per report. A filter unfolds
// all causes that have matching reports.
static void add_grouped_reports(view_ui *ui, view_problems *problems, problem_lines *lines,
                                const view_cause *cause)
{
    const view_reports *const reports = ui->stage->log->reports;
    const uint32_t *const report_indices = reports->order + cause->first;
    const bool has_listed_reports = count_listed(problems, reports, cause) > 0;
    const bool has_filter = problems->filter[0] != '\0';
    problem_line header = describe_cause(ui, problems, cause);
    if (!has_listed_reports && !common_contains(header.text, problems->filter)) {
        free(header.text);
        return;
    }

    if (has_filter && has_listed_reports)
        header.is_open = true;
    const bool is_open = header.is_open; // before a key or a click on the header changes it
    add_line(ui, problems, lines, header);
    if (!is_open)
        return;
    for (size_t i = 0; i < cause->num_reports; i++) {
        const uint32_t index = report_indices[i];
        if (is_listed(problems, &reports->rows[index]))
            add_line(ui, problems, lines, describe_report(ui->stage, index, true));
    }
}

// Adds the lines of a cause that match the filter. A cause with a single report is one line.
static void add_cause(view_ui *ui, view_problems *problems, problem_lines *lines,
                      const view_cause *cause)
{
    const view_reports *const reports = ui->stage->log->reports;
    if (cause->num_reports > 1) {
        add_grouped_reports(ui, problems, lines, cause);
        return;
    }
    const uint32_t index = reports->order[cause->first];
    if (is_listed(problems, &reports->rows[index]))
        add_line(ui, problems, lines, describe_report(ui->stage, index, false));
}

// Draws the filter field and the button that copies the list, and handles their input. They are
// in the header of the dock, next to its tabs. `area` is the area below the header.
static void run_problems_header(view_ui *ui, view_problems *problems, const view_reports *reports,
                                view_rect area)
{
    static const char *const labels[] = {"Copy all"};
    const float em = ui->em;
    const float height = ceilf(header_height * em);
    view_rect header = {area.x + tabs_width * em, area.y - height,
                        area.width - (tabs_width + close_button_width) * em, height};
    header = view_inset(header, 0.15f * em);
    if (ui_buttons(ui, &header, labels, 1, -1) == 0)
        copy_problems(problems, reports);

    view_rect field = header; // at the right end of the remaining header
    field.x += fmaxf(header.width - (filter_width + 0.5f) * em, 0);
    field.width = fminf(header.width, filter_width * em);
    if (ui_field(ui, field, "Filter", problems->filter, sizeof problems->filter))
        problems->selected = 0;
}

// Handles the keys of the list: the arrow keys move the selection, and Escape closes the dock.
static void run_problem_keys(view_ui *ui, view_problems *problems)
{
    if (ui_key(ui, VIEW_KEY_DOWN))
        problems->selected++;
    if (problems->selected > 0 && ui_key(ui, VIEW_KEY_UP))
        problems->selected--;
    if (ui_key(ui, VIEW_KEY_ESCAPE))
        UI_COMMAND(ui, VIEW_WARNINGS);
}

// Draws the list of problems in the bottom dock and handles its input. A button of a problem may
// open the page `retarget`.
void view_problems_panel(view_ui *ui, view_problems *problems, view_retarget_page *retarget,
                         view_rect area)
{
    view_reports no_reports = {.count = 0};
    view_reports *const logged = ui->stage->log->reports;
    view_reports *const reports = logged != NULL ? logged : &no_reports;
    view_find_causes(reports);
    ui_begin(ui, "problems");
    if (is_wide_list(ui, area.width))
        run_problems_header(ui, problems, reports, area);

    const bool has_keys = problems->has_keys && !ui_is_focused(ui); // not for the filter field
    problem_lines lines = {.area = area, .retarget = retarget, .has_keys = has_keys};
    if (has_keys)
        run_problem_keys(ui, problems);

    ui_column column;
    ui_begin_column(ui, &column, area, &ui->scrolls[UI_SCROLL_REPORT]);
    for (size_t i = 0; i < reports->num_causes; i++)
        add_cause(ui, problems, &lines, &reports->causes[i]);
    if (lines.count == 0)
        ui_column_text(ui, VIEW_DIM, reports->count > 0 ? "No matches" : "No problems");
    ui_end_column(ui);

    // The list may have become shorter. The selection must remain in it.
    if (lines.count == 0)
        problems->selected = 0;
    else if (problems->selected >= lines.count)
        problems->selected = lines.count - 1;
}

// Draws the window of an error and handles its input. If there is no error in the log, draws the
// dialog of a repair and handles its input.
void view_reports_panel(view_ui *ui, view_problems *problems)
{
    if (ui->stage->log->error[0] == '\0' && problems->repair != NULL)
        repair_window(ui, problems);
    else if (view_open_report(ui, problems) != NULL)
        error_window(ui, problems);
}

// -- Recording ------------------------------------------------------------------------------

// Draws the indicator of a recording at the top of the image and handles its input. The recorded
// movie does not contain it.
void view_recording_panel(view_ui *ui, const view_stage *stage)
{
    if (stage->recorded < 0)
        return;
    const view_font *const font = stage->font;
    const float scale = font->scale;
    const unsigned seconds = (unsigned)fmax(stage->recorded, 0);
    char text[32];
    COMMON_TEXT(text, "REC %u:%02u", seconds / 60, seconds % 60);

    // The indicator is a pill with a disc before the text.
    const float height = 24 * scale;
    const float width = view_text_width(font, VIEW_TEXT, text) + 38 * scale;
    const view_rect free = view_current_layout(stage).free;
    const view_rect box = {roundf(free.x + 0.5f * (free.width - width)), free.y + 6 * scale, width,
                           height};
    ui->canvas = stage->canvas;
    view_draw_round_rect(stage->canvas, box, 0.5f * height, VIEW_RECORDING);
    view_draw_disc(stage->canvas, box.x + 16 * scale, box.y + 0.5f * height, 4.5f * scale, white);
    view_draw_text(stage->canvas, VIEW_TEXT, box.x + 26 * scale,
                   box.y + 0.5f * (height - font->line[VIEW_TEXT]), 0, white, text);

    ui_begin(ui, "recording");
    if (ui_item(ui, box, "REC"))
        UI_COMMAND(ui, VIEW_RECORD);
}
