// Error reports: the window of an error with the lines of its file, the list of problems, repairs
// of files, and the indicator of a recording.
#include "demo/viewer/ui/reports.h"

#include "demo/viewer/ui/outliner.h"
#include "demo/viewer/ui/retarget.h"
#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

const char *view_open_report(const view_ui *ui, const view_problems *problems)
{
    const bool has_error = ui->stage->log->error[0] != '\0';
    if (has_error || problems->shown > 0 || problems->repair != NULL)
        return "error";
    return NULL;
}

void view_forget_repair(view_problems *problems)
{
    free(problems->repair);
    free(problems->broken);
    free(problems->repaired);
    problems->repair = problems->broken = problems->repaired = NULL;
}

// -- Text -----------------------------------------------------------------------------------

// Returns a text such as "walk.md5anim:3:7", to be freed, or "" if there is no file.
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

// Reads the lines around an error, if its file can be read. Of long lines only the bytes around the
// column are stored; tabs and other control bytes become spaces.
static void read_excerpt(view_excerpt *excerpt, const md5_error *error)
{
    enum { MAX_BYTES = 64 << 20, BEFORE = VIEW_EXCERPT_BYTES / 2 };
    const uint32_t around = VIEW_EXCERPT_LINES / 2;
    *excerpt = (view_excerpt){.first = error->line > around ? error->line - around : 1};
    if (error->line == 0 || !common_is_file(error->file))
        return;
    FILE *const file = fopen(error->file, "rb");
    if (file == NULL)
        return;
    const uint32_t column = error->column > 0 ? error->column - 1 : 0;
    const uint32_t cut = column > BEFORE ? column - BEFORE : 0;
    const uint32_t last = error->line + around;
    uint32_t line = 1;
    uint32_t at = 0;
    int byte = getc(file);
    excerpt->is_cut = cut > 0;
    excerpt->caret = column - cut;
    for (int i = 0; byte != EOF && line <= last && i < MAX_BYTES; i++, byte = getc(file)) {
        if (line >= excerpt->first)
            excerpt->count = line - excerpt->first + 1;
        if (byte == '\n') {
            line++;
            at = 0;
            continue;
        }
        if (line >= excerpt->first && at >= cut && at - cut < VIEW_EXCERPT_BYTES - 1) {
            const bool is_control = byte < ' ' || byte == 127;
            excerpt->lines[line - excerpt->first][at - cut] = is_control ? ' ' : (char)byte;
        }
        at++;
    }
    fclose(file);
}

// Displays the lines of the excerpt with their numbers, and a caret below the wrong byte, in the
// current column.
static void draw_excerpt(view_ui *ui, const view_problems *problems, uint32_t line)
{
    view_canvas *const canvas = ui->canvas;
    const view_excerpt *const excerpt = &problems->excerpt;
    const float scale = ui->scale;
    const float height = ui->line;
    view_rect row;
    char number[16];
    char text[VIEW_EXCERPT_BYTES + 8];
    COMMON_TEXT(number, "%u", (excerpt->first + excerpt->count));
    const float margin = ui_text_width(ui, number) + 12 * scale;
    for (uint32_t i = 0; i < excerpt->count; i++) {
        const bool is_wrong = excerpt->first + i == line;
        ui_reserve_row(ui, is_wrong ? 2 * height : height, &row);
        const float width = row.width - 12 * scale;
        COMMON_TEXT(number, "%u", (excerpt->first + i));
        COMMON_TEXT(text, "%s%s", excerpt->is_cut ? "\xE2\x80\xA6" : "", excerpt->lines[i]);
        view_draw_rect(canvas, (view_rect){row.x, row.y, width, row.height}, VIEW_FIELD);
        ui_text(ui, row.x + 6 * scale, row.y, 0, VIEW_DIM, number);
        ui_text(ui, row.x + margin, row.y, width - margin, is_wrong ? VIEW_BRIGHT : VIEW_PLAIN,
                text);
        if (!is_wrong)
            continue;
        const size_t length = strlen(text);
        const size_t caret = excerpt->caret + (excerpt->is_cut ? 3 : 0);
        text[caret < length ? caret : length] = '\0';
        const float x = margin + ui_text_width(ui, text);
        ui_text(ui, row.x + fminf(x, width - 10 * scale), row.y + height, 0, VIEW_WRONG, "^");
    }
}

// -- The window of an error -----------------------------------------------------------------

// Copies the message of an error, its location, and the lines there.
static void copy_error(const view_problems *problems, const char *message, const char *location,
                       uint32_t line)
{
    const view_excerpt *const excerpt = &problems->excerpt;
    char *text = common_format("%s\n%s%s", message, location, location[0] != '\0' ? "\n" : "");
    for (uint32_t i = 0; i < excerpt->count; i++) {
        common_extend(&text, "%6u  %s\n", excerpt->first + i, excerpt->lines[i]);
        if (excerpt->first + i == line)
            common_extend(&text, "%*s^\n", (int)excerpt->caret + 8, "");
    }
    view_copy_text(text);
    free(text);
}

static const char map_joints[] = "Map joints\xE2\x80\xA6";

// Returns true if clips can be retargeted to the open model: the model is a file.
static bool can_map(const view_stage *stage)
{
    const view_scene *const scene = &stage->document->scene;
    return scene->model != NULL && common_is_file(scene->path);
}

// Returns true if the error is a clip whose joints do not match the open model. Loading the clip
// again would fail again.
static bool is_mismatched_clip(const view_ui *ui, const md5_error *error)
{
    if (error->status != MD5_ERROR_MISMATCH || !can_map(ui->stage))
        return false;
    return common_has_suffix(error->file, ".md5anim") && common_is_file(error->file);
}

// Returns the error in the log or, if there is none, the problem that is displayed. Sets `hash` to
// a number that identifies it.
static md5_error displayed_error(const view_ui *ui, const view_problems *problems, uint64_t *hash)
{
    const view_log *const log = ui->stage->log;
    if (log->error[0] != '\0') {
        *hash = log->num_errors;
        return log->failure;
    }
    const view_report *const report = &log->reports->rows[problems->shown - 1];
    md5_error error = {.line = report->line, .column = report->column};
    COMMON_TEXT(error.file, "%s", report->file);
    COMMON_TEXT(error.message, "%s", report->text);
    *hash = report->hash;
    return error;
}

// The window of the error in the log, or of a problem.
static void error_window(view_ui *ui, view_problems *problems)
{
    enum { TRY_AGAIN, OPEN, COPY, CLOSE, NUM_BUTTONS };
    const view_log *const log = ui->stage->log;
    const bool is_error = log->error[0] != '\0';
    uint64_t hash;
    const md5_error failure = displayed_error(ui, problems, &hash);
    const bool has_file = failure.file[0] != '\0';
    const bool can_retarget = is_error && is_mismatched_clip(ui, &failure);
    const char *const words[] = {can_retarget ? map_joints : "Try again", "Open\xE2\x80\xA6",
                                 "Copy", "Close"};
    const char *const message = has_file ? failure.message : log->error;
    char title[32];
    COMMON_TEXT(title, "Line %u", failure.line);
    if (problems->excerpt.error_key != hash) { // read once, because the file may change
        read_excerpt(&problems->excerpt, &failure);
        problems->excerpt.error_key = hash;
    }
    char *const location = describe_location(failure.file, failure.line, failure.column);
    ui_column column;
    view_rect foot;
    const char *heading = title;
    if (is_error)
        heading = has_file ? common_base(failure.file) : "Error";
    const view_rect inside =
        ui_footed_dialog(ui, "error", 620, problems->excerpt.count > 0 ? 260 : 130, heading, &foot);
    ui_begin_list(ui, &column, inside, &ui->scrolls[UI_SCROLL_REPORT]);
    ui_column_text(ui, VIEW_BRIGHT, message);
    ui_column_text(ui, VIEW_DIM, location);
    ui_gap(ui);
    draw_excerpt(ui, problems, failure.line);
    ui_end_column(ui);
    int first = COPY;
    if (is_error)
        first = has_file ? TRY_AGAIN : OPEN; // only a file can be loaded again
    const int number =
        ui_buttons(ui, &foot, words + first, NUM_BUTTONS - first, has_file ? 0 : 2, true);
    const int pressed = number >= 0 ? first + number : -1;
    const bool is_return = ui_key(ui, VIEW_KEY_RETURN);
    const bool tries = pressed == TRY_AGAIN || (is_return && has_file);
    const bool closes = pressed == CLOSE || is_return;
    if (pressed == COPY || (ui->mouse.control && ui_key(ui, 'c')))
        copy_error(problems, message, location, failure.line);
    else if (!is_error && (closes || ui_key(ui, VIEW_KEY_ESCAPE)))
        problems->shown = 0;
    else if (tries && can_retarget)
        UI_COMMAND(ui, VIEW_MAP_JOINTS, .path = common_copy(failure.file));
    else if (tries)
        ui->command.action = VIEW_TRY_AGAIN;
    else if (pressed == OPEN)
        ui->command.action = VIEW_FILES;
    else if (closes || ui_key(ui, VIEW_KEY_ESCAPE))
        ui->command.action = VIEW_CLOSE_LISTS;
    free(location);
}

// -- Repairs --------------------------------------------------------------------------------

// The dialog that lists the changes of a repair before the repaired file is saved.
static void repair_window(view_ui *ui, view_problems *problems)
{
    enum { OPEN, SAVE, CLOSE, NUM_BUTTONS };
    static const char *const words[] = {"Save and open", "Save", "Close"};
    ui_column column;
    view_rect foot;
    char *const title = common_format("Repair %s", common_base(problems->broken));
    char *const as = common_format("Will be saved as %s", common_base(problems->repaired));
    const view_rect inside = ui_footed_dialog(ui, "error", 620, 260, title, &foot);
    ui_begin_list(ui, &column, inside, &ui->scrolls[UI_SCROLL_REPORT]);
    ui_column_text(ui, VIEW_DIM, as);
    ui_column_text(ui, VIEW_BRIGHT, problems->repair);
    ui_end_column(ui);
    const int pressed = ui_buttons(ui, &foot, words, NUM_BUTTONS, OPEN, true);
    const bool is_return = ui_key(ui, VIEW_KEY_RETURN);
    if (pressed == OPEN || pressed == SAVE || is_return)
        UI_COMMAND(ui, VIEW_REPAIR, 1, pressed != SAVE, common_copy(problems->broken));
    else if (pressed == CLOSE || ui_key(ui, VIEW_KEY_ESCAPE))
        view_forget_repair(problems);
    free(as);
    free(title);
}

// -- The list of problems -------------------------------------------------------------------

// Returns the number of items of a kind in the scene, or 0 if a report is about another model.
static size_t count_items(const view_scene *scene, const view_about *about)
{
    if (scene->model == NULL || about->model != scene->model)
        return 0;
    if (about->kind == VIEW_ABOUT_CLIP)
        return scene->num_clips;
    return about->kind == VIEW_ABOUT_JOINT ? scene->num_joints : scene->model->num_meshes;
}

// Returns true if the item of a report exists in the scene.
static bool exists_in_scene(const view_scene *scene, const view_about *about)
{
    if (about->number >= count_items(scene, about))
        return false;
    return about->kind != VIEW_ABOUT_VERTEX
           || about->vertex < scene->model->meshes[about->number].num_vertices;
}

// Returns the item of the scene that a report is about. A report about a file of a clip is about
// the clip. A report about another model is only about its file.
static view_about find_subject(const view_stage *stage, const view_report *report)
{
    const view_scene *const scene = &stage->document->scene;
    view_about about = report->about;
    for (uint32_t i = 0; report->file != NULL && i < (uint32_t)scene->num_clips; i++) {
        if (about.kind != VIEW_ABOUT_FILE && about.kind != VIEW_ABOUT_BINDING)
            break;
        if (strcmp(report->file, scene->clips[i].path) == 0)
            about = (view_about){VIEW_ABOUT_CLIP, i, 0, scene->model};
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

// Writes the label of the link to the item of a report, or the name of its file, which is not a
// link.
static void describe_about(const view_stage *stage, const view_report *report, view_about about,
                           char *text, size_t size)
{
    const view_scene *const scene = &stage->document->scene;
    if (about.kind == VIEW_ABOUT_FILE)
        snprintf(text, size, "%s", report->file != NULL ? common_base(report->file) : "");
    else if (about.kind == VIEW_ABOUT_CLIP)
        snprintf(text, size, "clip %s", scene->clips[about.number].name);
    else if (about.kind == VIEW_ABOUT_JOINT)
        snprintf(text, size, "joint %s", scene->skeleton->joints[about.number].name);
    else if (scene->model->meshes[about.number].name[0] != '\0')
        snprintf(text, size, "mesh %s", scene->model->meshes[about.number].name);
    else
        snprintf(text, size, "mesh %u", about.number);
}

// Selects the item of a report and shows it. The camera does not move.
static void show_about(view_ui *ui, const view_about *about)
{
    ui->command.action = VIEW_MARKED;
    if (about->kind == VIEW_ABOUT_CLIP)
        UI_COMMAND(ui, VIEW_OPEN_CLIP, .number = about->number);
    else if (about->kind == VIEW_ABOUT_JOINT)
        ui->selected_joint = (int32_t)about->number;
    else
        view_select_mesh(ui, ui->stage->now, about->number);
    ui->keeps_lit = about->kind == VIEW_ABOUT_VERTEX;
    ui->lit = (view_pick){.is_set = ui->keeps_lit, .mesh = about->number, .vertex = about->vertex};
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

// Returns the label of the button that helps to solve a problem, or NULL.
static const char *solution_label(const view_stage *stage, const view_report *report,
                                  const view_about *about)
{
    if (about->kind == VIEW_ABOUT_VERTEX)
        return "Show vertex";
    const bool is_texture =
        about->kind == VIEW_ABOUT_MESH && common_contains(report->text, "texture");
    if (is_texture
        && view_lacks_image(&stage->document->textures, about->number, MD5GL_IMAGE_DIFFUSE))
        return "Choose image\xE2\x80\xA6";
    if (is_of_map(stage, report) || is_mismatch(stage, report, about))
        return map_joints;
    return NULL;
}

// Executes the button of a problem.
static void run_button(view_ui *ui, view_retarget_page *retarget, const view_report *report,
                       const view_about *about)
{
    if (is_of_map(ui->stage, report)) {
        view_show_retarget(ui, retarget);
        ui->command.action = VIEW_MARKED;
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

// Copies the listed problems in the order of the list: one line each, with columns separated by
// tabs.
static void copy_problems(const view_problems *problems, const view_reports *reports)
{
    char *text = common_copy("");
    for (size_t i = 0; i < reports->num_causes; i++) {
        const view_cause *const cause = &reports->causes[i];
        for (size_t k = 0; k < cause->num_reports; k++) {
            const view_report *const report = &reports->rows[reports->order[cause->first + k]];
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

// A line of the list: a report, or the header of a cause with several reports.
typedef struct problem_line {
    const view_cause *cause; // NULL: the line is a report
    size_t report;           // index of the report, or of the first report of the cause
    bool is_detail;          // a report below the header of its cause
    bool is_open;            // the reports of the cause are listed
    view_level level;
    view_about about; // subject that all reports of the line have in common
    char *text;       // to be freed
} problem_line;

// Returns the subject that all reports of a cause have in common.
static view_about find_common_subject(const view_stage *stage, const view_cause *cause)
{
    const view_reports *const reports = stage->log->reports;
    const uint32_t *const order = reports->order + cause->first;
    const view_report *const report = &reports->rows[order[0]];
    const view_about first = report->about;
    view_about subject = find_subject(stage, report);
    for (size_t i = 1; i < cause->num_reports; i++) {
        const view_about about = reports->rows[order[i]].about;
        if (about.kind != first.kind || about.number != first.number || about.model != first.model)
            subject.kind = VIEW_ABOUT_FILE;
        else if (subject.kind == VIEW_ABOUT_VERTEX && about.vertex != first.vertex)
            subject.kind = VIEW_ABOUT_MESH;
    }
    return subject;
}

// Describes a clip whose joints do not match the joints of the model.
static char *describe_binding(const view_clip *clip)
{
    const uint32_t num_joints = clip->anim->skeleton.num_joints;
    const uint32_t num_matches = num_joints - clip->binding->num_extra;
    if (clip->binding->num_extra == 0)
        return common_format("%s does not animate %u joints of the model", clip->name,
                             clip->binding->num_missing);
    if (num_matches < num_joints - num_matches)
        return common_format("%s was made for another skeleton (%u of %u joints match)", clip->name,
                             num_matches, num_joints);
    return common_format("%s matches only a part of the skeleton (%u of %u joints match)",
                         clip->name, num_matches, num_joints);
}

// Returns the line of a cause with several reports. Its text is to be freed.
static problem_line describe_cause(const view_ui *ui, const view_problems *problems,
                                   const view_cause *cause)
{
    const view_stage *const stage = ui->stage;
    const view_reports *const reports = stage->log->reports;
    const uint32_t *const order = reports->order + cause->first;
    const view_report *const report = &reports->rows[order[0]];
    problem_line line = {.cause = cause,
                         .report = order[0],
                         .is_open = problems->open_cause == cause->key,
                         .level = cause->level,
                         .about = find_common_subject(stage, cause)};
    size_t count = 0;
    for (size_t i = 0; i < cause->num_reports; i++)
        count += reports->rows[order[i]].count;
    if (cause->is_binding && line.about.kind == VIEW_ABOUT_CLIP)
        line.text = describe_binding(&stage->document->scene.clips[line.about.number]);
    else if (cause->is_binding)
        line.text = common_copy("The joints of the clip and the model do not match");
    else if (cause->is_rest)
        line.text = common_format("%zu other problems", count);
    else
        line.text = common_format("%s (and %zu similar)", report->text, count - 1);
    return line;
}

// Returns the line of a report. Its text is to be freed.
static problem_line describe_report(const view_stage *stage, size_t number, bool is_detail)
{
    const view_report *const report = &stage->log->reports->rows[number];
    return (problem_line){.report = number,
                          .is_detail = is_detail,
                          .level = report->level,
                          .about = find_subject(stage, report),
                          .text = report->count > 1
                                      ? common_format("%u \xC3\x97 %s", report->count, report->text)
                                      : common_copy(report->text)};
}

// Folds or unfolds the reports of a cause. The reports of one cause are listed at a time.
static void toggle_cause(view_problems *problems, const problem_line *line)
{
    problems->open_cause = line->is_open ? 0 : line->cause->key;
}

// -- Lines of the list ------------------------------------------------------------------------

// A link with its upper left corner at (x, y). Returns true if it was pressed.
static bool run_link(view_ui *ui, float x, float y, float width, bool is_selected, const char *text)
{
    const view_rect box = {x, y, fmaxf(width, 1), ui->line};
    const bool is_pressed = ui_item(ui, box, text);
    ui_text(ui, x, y, box.width, is_selected || ui_is_hot(ui) ? VIEW_BRIGHT : VIEW_ACCENT, text);
    return is_pressed;
}

// Returns the color of the icon of a problem.
static view_color level_color(view_level level)
{
    if (level == VIEW_ERROR)
        return VIEW_WRONG;
    return level == VIEW_INFO ? VIEW_ACCENT : VIEW_AMBER;
}

// Positions of the parts of a problem's row, in pixels. A wide row has one line, a narrow row two.
typedef struct problem_layout {
    bool is_wide;
    float left;   // of the message
    float end;    // of the row without its buttons
    float y;      // of the message
    float second; // left edge of the link to the item
    float third;  // left edge of the link to the location
    float below;  // y of the links
} problem_layout;

static problem_layout lay_out_problem(const view_ui *ui, const problem_line *line, view_rect row,
                                      float end, bool is_wide)
{
    const float em = ui->em;
    const float left = row.x + (line->is_detail ? 3.8f : 2.4f) * em;
    problem_layout layout = {.is_wide = is_wide, .left = left, .end = end};
    if (is_wide) {
        layout.y = row.y + 0.5f * (row.height - ui->line);
        const float part = line->cause != NULL ? 0.62f : 0.52f; // a cause has no location
        layout.second = fmaxf(row.x + part * row.width, left);
        layout.third = layout.second + 0.18f * row.width;
        layout.below = layout.y;
    } else {
        layout.y = row.y + 0.25f * em;
        layout.second = left;
        layout.third = left + 12 * em;
        layout.below = layout.y + ui->line;
    }
    return layout;
}

// Draws the icon and the message of a problem.
static void draw_problem(const view_ui *ui, const problem_line *line, float x,
                         const problem_layout *layout, bool is_selected)
{
    static const char *const signs[] = {"", "\xE2\x9C\x95", "\xE2\x9A\xA0", "i"};
    const float em = ui->em;
    float left = layout->left;
    if (!line->is_detail)
        ui_text(ui, x, layout->y, 0, is_selected ? VIEW_BRIGHT : level_color(line->level),
                signs[line->level]);
    if (line->cause != NULL) {
        ui_text(ui, left, layout->y, 0, VIEW_DIM, line->is_open ? UI_SIGN_OPEN : UI_SIGN_FOLDED);
        left += 1.4f * em;
    }
    const float width = (layout->is_wide ? layout->second : layout->end) - left - em;
    ui_text(ui, left, layout->y, width, is_selected ? VIEW_BRIGHT : VIEW_PLAIN, line->text);
}

// Runs the links of a problem: its item, and its location in a file.
static void run_links(view_ui *ui, view_problems *problems, const problem_line *line,
                      const problem_layout *layout, bool is_selected)
{
    const float em = ui->em;
    const view_report *const report = &ui->stage->log->reports->rows[line->report];
    const bool has_location = report->line > 0 && line->cause == NULL;
    char name[160];
    char *const location =
        describe_location(has_location ? common_base(report->file) : NULL, report->line, 0);
    describe_about(ui->stage, report, line->about, name, sizeof name);
    const bool has_third = layout->is_wide || location[0] != '\0';
    const float wide = (has_third ? layout->third : layout->end) - layout->second - em;
    if (line->about.kind == VIEW_ABOUT_FILE)
        ui_text(ui, layout->second, layout->below, fmaxf(wide, 1),
                is_selected ? VIEW_PLAIN : VIEW_DIM, name);
    else if (run_link(ui, layout->second, layout->below, wide, is_selected, name))
        show_about(ui, &line->about);
    const float third_width = layout->end - layout->third - 0.5f * em;
    if (location[0] != '\0'
        && run_link(ui, layout->third, layout->below, third_width, is_selected, location))
        problems->shown = line->report + 1;
    free(location);
}

// Sets the labels of the buttons of a problem. `solution` is the result of solution_label().
// Returns their number.
static int list_buttons(const view_ui *ui, const problem_line *line, float width,
                        const char *solution, const char *labels[2])
{
    const view_report *const report = &ui->stage->log->reports->rows[line->report];
    const bool is_vertex = line->about.kind == VIEW_ABOUT_VERTEX;
    const bool can_repair = can_repair_file(report) && (solution == NULL || is_vertex);
    int count = 0;
    if (line->is_detail && solution == map_joints) // in the header
        return 0;
    if (solution != NULL && (!can_repair || width > 80 * ui->em)) // a vertex is also a link
        labels[count++] = solution;
    if (can_repair)
        labels[count++] = "Repair\xE2\x80\xA6";
    return count;
}

// Displays a problem in one row, or in two lines of a narrow dock. Enter presses the first button
// of the selected problem, or else unfolds a cause. Returns true if the problem was selected.
static bool run_problem(view_ui *ui, view_problems *problems, view_retarget_page *retarget,
                        const problem_line *line, bool is_selected)
{
    const view_report *const report = &ui->stage->log->reports->rows[line->report];
    const float em = ui->em;
    const bool is_wide = ui->column->area.width > 52 * em;
    enum { ITEMS = 5 };
    const uint32_t item = ui->item.number;
    view_rect row;
    // Each row has the same number of items, so that invisible rows can be skipped quickly.
    ui->item.number += ITEMS;
    if (!ui_reserve_row(ui, ceilf((is_wide ? 1.8f : 3.3f) * em), &row))
        return false;
    ui->item.number = item;
    const char *const solution = solution_label(ui->stage, report, &line->about);
    const char *labels[2];
    const int num_labels = list_buttons(ui, line, row.width, solution, labels);
    const bool is_pressed = ui_item(ui, row, line->text);
    if (is_selected || ui_is_hot(ui))
        view_draw_rect(ui->canvas, row, is_selected ? VIEW_SELECTED : VIEW_CONTROL);
    view_rect rest = view_inset(row, 0.15f * em);
    rest.width -= 0.7f * em; // of the scroll bar
    int pressed = -1;
    const bool has_return = is_selected && problems->has_keys && ui_key(ui, VIEW_KEY_RETURN);
    if (num_labels > 0) {
        pressed = ui_buttons(ui, &rest, labels, num_labels, -1, true);
        if (has_return)
            pressed = 0;
    }
    if (num_labels == 0 || !is_wide)
        rest.width = fminf(rest.width, row.width - (is_wide ? 10 * em : 0));
    const problem_layout layout = lay_out_problem(ui, line, row, rest.x + rest.width, is_wide);
    draw_problem(ui, line, row.x + 0.7f * em, &layout, is_selected);
    run_links(ui, problems, line, &layout, is_selected);
    if (pressed >= 0 && labels[pressed] != solution)
        UI_COMMAND(ui, VIEW_REPAIR, .path = common_copy(report->file));
    else if (pressed >= 0)
        run_button(ui, retarget, report, &line->about);
    else if (line->cause != NULL && (is_pressed || has_return))
        toggle_cause(problems, line);
    ui->item.number = item + ITEMS;
    return is_pressed;
}

// Handles the keys of the selected cause: Right unfolds it, and Left folds it.
static void run_fold_keys(view_ui *ui, view_problems *problems, const problem_line *line)
{
    if (line->cause != NULL && ui_key(ui, line->is_open ? VIEW_KEY_LEFT : VIEW_KEY_RIGHT))
        toggle_cause(problems, line);
}

// The lines of the list while they are displayed.
typedef struct problem_lines {
    size_t count;                 // lines so far
    bool has_keys;                // keys select a line
    view_retarget_page *retarget; // page that a button opens
    view_rect area;
} problem_lines;

// Displays the next line, and frees its text.
static void add_line(view_ui *ui, view_problems *problems, problem_lines *lines, problem_line line)
{
    ui_column *const column = ui->column;
    const view_rect area = lines->area;
    const float top = column->y;
    const bool is_selected = lines->count == problems->selected;
    if (is_selected && lines->has_keys)
        run_fold_keys(ui, problems, &line);
    if (run_problem(ui, problems, lines->retarget, &line, is_selected)) {
        problems->selected = lines->count;
        problems->has_keys = true;
    }
    if (is_selected && lines->has_keys && ui->mouse.key != 0) // scrolls the line into view
        column->scroll->wanted +=
            fminf(top - area.y, 0) + fmaxf(column->y - area.y - area.height, 0);
    lines->count++;
    free(line.text);
}

// Displays the lines of a cause: one report, or a header and, if it is unfolded, the reports. A
// filter unfolds all causes with reports that match it.
static void add_cause(view_ui *ui, view_problems *problems, problem_lines *lines,
                      const view_cause *cause)
{
    const view_stage *const stage = ui->stage;
    const view_reports *const reports = stage->log->reports;
    const uint32_t *const order = reports->order + cause->first;
    if (cause->num_reports == 1) {
        if (is_listed(problems, &reports->rows[order[0]]))
            add_line(ui, problems, lines, describe_report(stage, order[0], false));
        return;
    }
    size_t num_listed = 0;
    for (size_t i = 0; i < cause->num_reports; i++)
        num_listed += is_listed(problems, &reports->rows[order[i]]);
    problem_line header = describe_cause(ui, problems, cause);
    const bool is_filtered = problems->filter[0] != '\0' && num_listed > 0;
    header.is_open |= is_filtered;
    const bool is_open = header.is_open;
    if (num_listed == 0 && !common_contains(header.text, problems->filter)) {
        free(header.text);
        return;
    }
    add_line(ui, problems, lines, header);
    for (size_t i = 0; is_open && i < cause->num_reports; i++)
        if (is_listed(problems, &reports->rows[order[i]]))
            add_line(ui, problems, lines, describe_report(stage, order[i], true));
}

void view_problems_panel(view_ui *ui, view_problems *problems, view_retarget_page *retarget,
                         view_rect area)
{
    static const char *const words[] = {"Copy all"};
    view_reports none = {.count = 0};
    view_reports *const reports = ui->stage->log->reports != NULL ? ui->stage->log->reports : &none;
    const float em = ui->em;
    const bool is_wide = area.width > 52 * em;
    ui_column column;
    view_find_causes(reports);
    ui_begin(ui, "problems");
    if (is_wide) { // in the header of the dock, next to the tabs
        view_rect head = {area.x + 24 * em, area.y - ceilf(2 * em), area.width - 26.5f * em,
                          ceilf(2 * em)};
        head = view_inset(head, 0.15f * em);
        if (ui_buttons(ui, &head, words, 1, -1, true) == 0)
            copy_problems(problems, reports);
        head.x += fmaxf(head.width - 16 * em, 0);
        head.width = fminf(head.width, 15.5f * em);
        if (ui_field(ui, head, "Filter", problems->filter, sizeof problems->filter))
            problems->selected = 0;
    }
    problem_lines lines = {
        .area = area, .retarget = retarget, .has_keys = problems->has_keys && !ui_is_focused(ui)};
    if (lines.has_keys && ui_key(ui, VIEW_KEY_DOWN))
        problems->selected++;
    if (lines.has_keys && problems->selected > 0 && ui_key(ui, VIEW_KEY_UP))
        problems->selected--;
    if (lines.has_keys && ui_key(ui, VIEW_KEY_ESCAPE))
        ui->command.action = VIEW_WARNINGS;
    ui_begin_column(ui, &column, area, &ui->scrolls[UI_SCROLL_REPORT]);
    for (size_t i = 0; i < reports->num_causes; i++)
        add_cause(ui, problems, &lines, &reports->causes[i]);
    if (lines.count == 0)
        ui_column_text(ui, VIEW_DIM, reports->count > 0 ? "No matches" : "No problems");
    ui_end_column(ui);
    if (lines.count > 0 && problems->selected >= lines.count)
        problems->selected = lines.count - 1;
    if (lines.count == 0)
        problems->selected = 0;
}

void view_reports_panel(view_ui *ui, view_problems *problems)
{
    if (ui->stage->log->error[0] == '\0' && problems->repair != NULL)
        repair_window(ui, problems);
    else if (view_open_report(ui, problems) != NULL)
        error_window(ui, problems);
}

// -- Recording ------------------------------------------------------------------------------

void view_recording_panel(view_ui *ui, const view_stage *stage)
{
    const view_font *const font = stage->font;
    const float scale = font->scale;
    const float height = 24 * scale;
    const float radius = 4.5f * scale;
    const unsigned seconds = (unsigned)fmax(stage->recorded, 0);
    char text[32];
    if (stage->recorded < 0)
        return;
    COMMON_TEXT(text, "REC %u:%02u", seconds / 60, seconds % 60);
    const float width = view_text_width(font, VIEW_TEXT, text) + 38 * scale;
    const view_rect free = view_current_layout(stage).free;
    const view_rect box = {roundf(free.x + 0.5f * (free.width - width)), free.y + 6 * scale, width,
                           height};
    ui->canvas = stage->canvas;
    view_draw_round_rect(stage->canvas, box, 0.5f * height, VIEW_RECORDING);
    view_draw_disc(stage->canvas, box.x + 16 * scale, box.y + 0.5f * height, radius, 0xFFFFFFFFu);
    view_draw_text(stage->canvas, VIEW_TEXT, box.x + 26 * scale,
                   box.y + 0.5f * (height - font->line[VIEW_TEXT]), 0, 0xFFFFFFFFu, text);
    ui_begin(ui, "recording");
    if (ui_item(ui, box, "REC"))
        ui->command.action = VIEW_RECORD;
}
