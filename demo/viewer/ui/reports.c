// What is reported: the window of an error, with its place in the file, the list of problems, and
// the sign of a recording.
#include "demo/viewer/ui/ui.h"

const char *view_open_report(const view_ui *ui)
{
    return ui->stage->log->error[0] != '\0' || ui->problems.shown > 0 || ui->problems.repair != NULL
               ? "error"
               : NULL;
}

void view_forget_repair(view_problems *problems)
{
    free(problems->repair);
    free(problems->broken);
    free(problems->repaired);
    problems->repair = problems->broken = problems->repaired = NULL;
}

// -- Text -----------------------------------------------------------------------------------

// "walk.md5anim:3:7", or "" if there is no file.
static char *describe_place(const char *file, uint32_t line, uint32_t column)
{
    return file == NULL || file[0] == '\0' ? common_copy("")
           : line == 0                     ? common_copy(file)
           : column == 0                   ? common_format("%s:%u", file, line)
                                           : common_format("%s:%u:%u", file, line, column);
}

// -- The place of an error in its file ------------------------------------------------------

// Reads the lines around the place of the log's error, if it has one that can be read. Of long
// lines only the bytes around its column are kept; tabs and other control bytes become spaces.
static void read_excerpt(view_excerpt *excerpt, const md5_error *place)
{
    enum { MAX_BYTES = 64 << 20, BEFORE = VIEW_EXCERPT_BYTES / 2 };
    const uint32_t around = VIEW_EXCERPT_LINES / 2;
    *excerpt = (view_excerpt){.first = place->line > around ? place->line - around : 1};
    FILE *const file =
        place->line > 0 && common_is_file(place->file) ? fopen(place->file, "rb") : NULL;
    if (file == NULL)
        return;
    const uint32_t column = place->column > 0 ? place->column - 1 : 0;
    const uint32_t cut = column > BEFORE ? column - BEFORE : 0;
    const uint32_t last = place->line + around;
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
        if (line >= excerpt->first && at >= cut && at - cut < VIEW_EXCERPT_BYTES - 1)
            excerpt->lines[line - excerpt->first][at - cut] =
                (char)(byte < ' ' || byte == 127 ? ' ' : byte);
        at++;
    }
    fclose(file);
}

// The lines of the excerpt, with their numbers, and a caret below the wrong byte, in the column.
static void draw_excerpt(view_ui *ui, uint32_t line)
{
    view_canvas *const canvas = ui->canvas;
    const view_excerpt *const excerpt = &ui->excerpt;
    const float scale = ui->scale;
    const float height = ui->line;
    view_rect row;
    char number[16], text[VIEW_EXCERPT_BYTES + 8];
    COMMON_TEXT(number, "%u", (excerpt->first + excerpt->count));
    const float margin = ui_text_width(ui, number) + 12 * scale;
    for (uint32_t i = 0; i < excerpt->count; i++) {
        const bool is_wrong = excerpt->first + i == line;
        ui_take_row(ui, is_wrong ? 2 * height : height, &row);
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

// What is copied: the message, its place, and the lines there.
static void copy_error(const view_ui *ui, const char *message, const char *place, uint32_t line)
{
    const view_excerpt *const excerpt = &ui->excerpt;
    char *text = common_format("%s\n%s%s", message, place, place[0] != '\0' ? "\n" : "");
    for (uint32_t i = 0; i < excerpt->count; i++) {
        const bool is_wrong = excerpt->first + i == line;
        common_extend(&text, "%6u  %s\n%*s%s", excerpt->first + i, excerpt->lines[i],
                      is_wrong ? (int)excerpt->caret + 8 : 0, "", is_wrong ? "^\n" : "");
    }
    view_copy_text(text);
    free(text);
}

static const char map_joints[] = "Map joints\xE2\x80\xA6";

// Whether clips can be carried over to what is shown: a file's model.
static bool can_map(const view_stage *stage)
{
    const view_scene *const scene = &stage->document->scene;
    return scene->model != NULL && common_is_file(scene->path);
}

// Also that of a problem.
static void error_window(view_ui *ui)
{
    enum { TRY, OPEN, COPY, CLOSE, NUM_BUTTONS };
    const view_log *const log = ui->stage->log;
    const bool is_error = log->error[0] != '\0';
    md5_error failure = log->failure;
    uint64_t excerpted = log->num_errors;
    if (!is_error) {
        const view_report *const report = &log->reports->rows[ui->problems.shown - 1];
        failure = (md5_error){.line = report->line, .column = report->column};
        COMMON_TEXT(failure.file, "%s", report->file);
        COMMON_TEXT(failure.message, "%s", report->text);
        excerpted = report->hash;
    }
    const bool has_file = failure.file[0] != '\0';
    // A clip of another skeleton would fail again.
    const bool is_misfit = is_error && failure.status == MD5_ERROR_MISMATCH
                           && common_has_ending(failure.file, ".md5anim")
                           && common_is_file(failure.file) && can_map(ui->stage);
    const char *const words[] = {is_misfit ? map_joints : "Try again", "Open\xE2\x80\xA6", "Copy",
                                 "Close"};
    const char *const message = has_file ? failure.message : log->error;
    char title[32];
    COMMON_TEXT(title, "Line %u", failure.line);
    if (ui->excerpt.of != excerpted) { // once: the file may change meanwhile
        read_excerpt(&ui->excerpt, &failure);
        ui->excerpt.of = excerpted;
    }
    char *const place = describe_place(failure.file, failure.line, failure.column);
    ui_column column;
    view_rect foot;
    const view_rect inside = ui_footed_dialog(ui, "error", 620, ui->excerpt.count > 0 ? 260 : 130,
                                              !is_error  ? title
                                              : has_file ? common_base(failure.file)
                                                         : "Error",
                                              &foot);
    ui_begin_list(ui, &column, inside, &ui->scrolls[UI_SCROLL_REPORT]);
    ui_column_text(ui, VIEW_BRIGHT, message);
    ui_column_text(ui, VIEW_DIM, place);
    ui_gap(ui);
    draw_excerpt(ui, failure.line);
    ui_end_column(ui);
    const int first = !is_error ? COPY : has_file ? TRY : OPEN; // only a file can be tried again
    const int number =
        ui_buttons(ui, &foot, words + first, NUM_BUTTONS - first, has_file ? 0 : 2, true);
    const int pressed = number >= 0 ? first + number : -1;
    const bool is_return = ui_key(ui, VIEW_KEY_RETURN);
    const bool tries = pressed == TRY
    || (is_return && has_file);
    if (pressed == COPY || (ui->mouse.control && ui_key(ui, 'c')))
        copy_error(ui, message, place, failure.line);
    else if (!is_error && (pressed == CLOSE || is_return || ui_key(ui, VIEW_KEY_ESCAPE)))
        ui->problems.shown = 0;
    else if (tries && is_misfit)
        UI_ASK(ui, VIEW_MAP_JOINTS, .path = common_copy(failure.file));
    else if (tries)
        ui->command.action = VIEW_TRY_AGAIN;
    else if (pressed == OPEN)
        ui->command.action = VIEW_FILES;
    else if (pressed == CLOSE || is_return || ui_key(ui, VIEW_KEY_ESCAPE))
        ui->command.action = VIEW_CLOSE_LISTS;
    free(place);
}

// -- Repairs --------------------------------------------------------------------------------

// Says what would be changed, before it is.
static void repair_window(view_ui *ui)
{
    enum { OPEN, SAVE, CLOSE, NUM_BUTTONS };
    static const char *const words[] = {"Save and open", "Save", "Close"};
    view_problems *const list = &ui->problems;
    ui_column column;
    view_rect foot;
    char *const title = common_format("Repair %s", common_base(list->broken));
    char *const as = common_format("Will be saved as %s", common_base(list->repaired));
    const view_rect inside = ui_footed_dialog(ui, "error", 620, 260, title, &foot);
    ui_begin_list(ui, &column, inside, &ui->scrolls[UI_SCROLL_REPORT]);
    ui_column_text(ui, VIEW_DIM, as);
    ui_column_text(ui, VIEW_BRIGHT, list->repair);
    ui_end_column(ui);
    const int pressed = ui_buttons(ui, &foot, words, NUM_BUTTONS, OPEN, true);
    const bool is_return = ui_key(ui, VIEW_KEY_RETURN);
    if (pressed == OPEN || pressed == SAVE || is_return)
        UI_ASK(ui, VIEW_REPAIR, 1, pressed != SAVE, common_copy(list->broken));
    else if (pressed == CLOSE || ui_key(ui, VIEW_KEY_ESCAPE))
        view_forget_repair(list);
    free(as);
    free(title);
}

// -- The list of problems -------------------------------------------------------------------

// What it is about in the scene, also by its file; of another model it is only about its file.
static view_about about_of(const view_stage *stage, const view_report *report)
{
    const view_scene *const scene = &stage->document->scene;
    view_about about = report->about;
    for (uint32_t i = 0;
         about.kind == VIEW_ABOUT_FILE && report->file != NULL && i < (uint32_t)scene->num_clips;
         i++)
        if (strcmp(report->file, scene->clips[i].path) == 0)
            about = (view_about){VIEW_ABOUT_CLIP, i, 0, scene->model};
    const size_t count = scene->model == NULL || about.model != scene->model ? 0
                         : about.kind == VIEW_ABOUT_CLIP                     ? scene->num_clips
                         : about.kind == VIEW_ABOUT_JOINT                    ? scene->num_joints
                                                          : scene->model->num_meshes;
    if (about.number >= count
        || (about.kind == VIEW_ABOUT_VERTEX
            && about.vertex >= scene->model->meshes[about.number].num_vertices))
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
    const view_about about = about_of(stage, report);
    return (about.kind == VIEW_ABOUT_MESH || about.kind == VIEW_ABOUT_VERTEX)
           && about.number == mesh;
}

// What it is about, as a link; or its file, which is none.
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

// Selects what it is about, and shows it; the camera stays where it is.
static void show_about(view_ui *ui, const view_about *about)
{
    ui->command.action = VIEW_MARKED;
    if (about->kind == VIEW_ABOUT_CLIP)
        UI_ASK(ui, VIEW_OPEN_CLIP, .number = about->number);
    else if (about->kind == VIEW_ABOUT_JOINT)
        ui->selected_joint = (int32_t)about->number;
    else
        view_select_mesh(ui, ui->stage->now, about->number);
    ui->keeps_lit = about->kind == VIEW_ABOUT_VERTEX;
    ui->lit = (view_pick){.is_set = ui->keeps_lit, .mesh = about->number, .vertex = about->vertex};
}

// Whether it is of the map by which clips are retargeted.
static bool is_of_map(const view_stage *stage, const view_report *report)
{
    const char *const map = stage->options->retarget_map;
    return map != NULL && report->file != NULL && strcmp(report->file, map) == 0;
}

// Whether the joints of a clip are not those of the model, and the report says so.
static bool is_misfit(const view_stage *stage, const view_report *report, const view_about *about)
{
    const view_scene *const scene = &stage->document->scene;
    return about->kind == VIEW_ABOUT_CLIP && common_is_file(scene->clips[about->number].path)
           && scene->clips[about->number].binding->num_extra > 0 && can_map(stage)
           && common_contains(report->text, "joint");
}

// Whether it is of a file that md5tool writes anew.
static bool is_repaired(const view_report *report)
{
    return report->line > 0 && common_is_file(report->file)
           && (common_has_ending(report->file, ".md5mesh")
               || common_has_ending(report->file, ".md5anim"));
}

// What mends it, or NULL.
static const char *button_of(const view_stage *stage, const view_report *report,
                             const view_about *about)
{
    const bool lacks_image =
        about->kind == VIEW_ABOUT_MESH && common_contains(report->text, "texture")
        && view_lacks_image(&stage->document->textures, about->number, MD5GL_IMAGE_DIFFUSE);
    return about->kind == VIEW_ABOUT_VERTEX ? "Show vertex"
           : lacks_image                    ? "Choose image\xE2\x80\xA6"
           : is_of_map(stage, report) || is_misfit(stage, report, about) ? map_joints
                                                                         : NULL;
}

// Does what the button says.
static void mend(view_ui *ui, const view_report *report, const view_about *about)
{
    if (is_of_map(ui->stage, report)) {
        view_show_retarget(ui);
        ui->command.action = VIEW_MARKED;
    } else if (about->kind == VIEW_ABOUT_CLIP) {
        UI_ASK(ui, VIEW_MAP_JOINTS, .path = common_copy(ui->scene->clips[about->number].path));
    } else {
        show_about(ui, about);
        if (about->kind == VIEW_ABOUT_MESH)
            UI_ASK(ui, VIEW_FIND_TEXTURE, about->number, MD5GL_IMAGE_DIFFUSE, NULL);
    }
}

static bool is_listed(const view_problems *list, const view_report *report)
{
    return common_contains(report->text, list->filter)
           || (report->file != NULL && common_contains(report->file, list->filter));
}

// All that are listed: a line each, its columns separated by tabs.
static void copy_problems(const view_problems *list, const view_reports *reports)
{
    char *text = common_copy("");
    for (size_t i = 0; i < reports->count; i++) {
        const view_report *const report = &reports->rows[i];
        if (!is_listed(list, report))
            continue;
        char *const place = describe_place(report->file, report->line, report->column);
        common_extend(&text, "%s\t%s\t%u\n", report->text, place, report->count);
        free(place);
    }
    view_copy_text(text);
    free(text);
}

// A text that is pressed, from `x` on. Returns whether it was.
static bool run_link(view_ui *ui, float x, float y, float width, bool is_selected, const char *text)
{
    const view_rect box = {x, y, fmaxf(width, 1), ui->line};
    const bool is_pressed = ui_item(ui, box, text);
    ui_text(ui, x, y, box.width, is_selected || ui_is_hot(ui) ? VIEW_BRIGHT : VIEW_ACCENT, text);
    return is_pressed;
}

// A row, in two lines where it is narrow; the selected one acts by Enter. Returns whether it was
// selected.
static bool run_problem(view_ui *ui, const view_stage *stage, size_t number, bool is_selected)
{
    static const char *const signs[] = {"", "\xE2\x9C\x95", "\xE2\x9A\xA0", "i"};
    const view_report *const report = &stage->log->reports->rows[number];
    const float em = ui->em;
    const bool is_wide = ui->column->area.width > 52 * em;
    enum { ITEMS = 5 };
    const uint32_t item = ui->item.number;
    char name[160];
    view_rect row;
    ui->item.number += ITEMS; // all rows have the same, for they may be many, and not seen
    if (!ui_take_row(ui, ceilf((is_wide ? 1.8f : 3.3f) * em), &row))
        return false;
    ui->item.number = item;
    const view_about about = about_of(stage, report);
    const char *const word = button_of(stage, report, &about);
    const char *words[2];
    int num_words = 0;
    const bool repairs = is_repaired(report) && (word == NULL || about.kind == VIEW_ABOUT_VERTEX);
    if (word != NULL && (!repairs || row.width > 80 * em)) // the vertex is a link, too
        words[num_words++] = word;
    if (repairs)
        words[num_words++] = "Repair\xE2\x80\xA6";
    const bool is_pressed = ui_item(ui, row, report->text);
    if (is_selected || ui_is_hot(ui))
        view_draw_rect(ui->canvas, row, is_selected ? VIEW_SELECTED : VIEW_CONTROL);
    view_rect rest = view_inset(row, 0.15f * em);
    rest.width -= 0.7f * em; // of the scroll bar
    int mended = num_words > 0 ? ui_buttons(ui, &rest, words, num_words, -1, true) : -1;
    if (num_words > 0 && is_selected && ui->problems.has_keys && ui_key(ui, VIEW_KEY_RETURN))
        mended = 0;
    if (num_words == 0 || !is_wide)
        rest.width = fminf(rest.width, row.width - (is_wide ? 10 * em : 0));
    const float left = row.x + 2.4f * em;
    const float end = rest.x + rest.width;
    const float y = row.y + (is_wide ? 0.5f * (row.height - ui->line) : 0.25f * em);
    const float second = is_wide ? fmaxf(row.x + 0.52f * row.width, left) : left;
    const float third = is_wide ? second + 0.18f * row.width : left + 12 * em;
    const float below = is_wide ? y : y + ui->line;
    char *const text = report->count > 1
                           ? common_format("%u \xC3\x97 %s", report->count, report->text)
                           : common_copy(report->text);
    char *const place =
        describe_place(report->line > 0 ? common_base(report->file) : NULL, report->line, 0);
    ui_text(ui, row.x + 0.7f * em, y, 0,
            is_selected                   ? VIEW_BRIGHT
            : report->level == VIEW_ERROR ? VIEW_WRONG
            : report->level == VIEW_INFO  ? VIEW_ACCENT
                                          : VIEW_AMBER,
            signs[report->level]);
    ui_text(ui, left, y, (is_wide ? second : end) - left - em,
            is_selected ? VIEW_BRIGHT : VIEW_PLAIN, text);
    describe_about(stage, report, about, name, sizeof name);
    const float wide = (is_wide || place[0] != '\0' ? third : end) - second - em;
    if (about.kind == VIEW_ABOUT_FILE)
        ui_text(ui, second, below, fmaxf(wide, 1), is_selected ? VIEW_PLAIN : VIEW_DIM, name);
    else if (run_link(ui, second, below, wide, is_selected, name))
        show_about(ui, &about);
    if (place[0] != '\0' && run_link(ui, third, below, end - third - 0.5f * em, is_selected, place))
        ui->problems.shown = number + 1;
    if (mended >= 0 && words[mended] != word)
        UI_ASK(ui, VIEW_REPAIR, .path = common_copy(report->file));
    else if (mended >= 0)
        mend(ui, report, &about);
    ui->item.number = item + ITEMS;
    free(place);
    free(text);
    return is_pressed;
}

void view_problems_panel(view_ui *ui, view_rect area)
{
    static const char *const words[] = {"Copy all"};
    static const view_reports none = {.count = 0};
    view_problems *const list = &ui->problems;
    const view_reports *const reports =
        ui->stage->log->reports != NULL ? ui->stage->log->reports : &none;
    const float em = ui->em;
    const bool is_wide = area.width > 52 * em;
    size_t count = 0;
    ui_column column;
    ui_begin(ui, "problems");
    if (is_wide) { // in the head of the dock, beside the tabs
        view_rect head = {area.x + 24 * em, area.y - ceilf(2 * em), area.width - 26.5f * em,
                          ceilf(2 * em)};
        head = view_inset(head, 0.15f * em);
        if (ui_buttons(ui, &head, words, 1, -1, true) == 0)
            copy_problems(list, reports);
        head.x += fmaxf(head.width - 16 * em, 0);
        head.width = fminf(head.width, 15.5f * em);
        if (ui_field(ui, head, "Filter", list->filter, sizeof list->filter))
            list->selected = 0;
    }
    const bool has_keys = list->has_keys && !ui_is_focused(ui);
    if (has_keys && ui_key(ui, VIEW_KEY_DOWN))
        list->selected++;
    if (has_keys && list->selected > 0 && ui_key(ui, VIEW_KEY_UP))
        list->selected--;
    if (has_keys && ui_key(ui, VIEW_KEY_ESCAPE))
        ui->command.action = VIEW_WARNINGS;
    ui_begin_column(ui, &column, area, &ui->scrolls[UI_SCROLL_REPORT]);
    for (size_t i = 0; i < reports->count; i++) {
        const view_report *const report = &reports->rows[i];
        if (!is_listed(list, report))
            continue;
        const float top = column.y;
        if (run_problem(ui, ui->stage, i, count == list->selected)) {
            list->selected = count;
            list->has_keys = true;
        }
        if (has_keys && count == list->selected && ui->mouse.key != 0) // it comes into sight
            column.scroll->wanted +=
                fminf(top - area.y, 0) + fmaxf(column.y - area.y - area.height, 0);
        count++;
    }
    if (count == 0)
        ui_column_text(ui, VIEW_DIM, reports->count > 0 ? "No matches" : "No problems");
    ui_end_column(ui);
    list->selected = count == 0 ? 0 : list->selected < count ? list->selected : count - 1;
}

void view_reports_panel(view_ui *ui)
{
    if (ui->stage->log->error[0] == '\0' && ui->problems.repair != NULL)
        repair_window(ui);
    else if (view_open_report(ui) != NULL)
        error_window(ui);
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
    const view_rect free = view_layout_of(stage).free;
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
