// What is reported: the window of an error, with its place in the file, the list of warnings, and
// the sign of a recording.
#include "demo/viewer/ui/ui.h"

const char *view_open_report(const view_ui *ui, const view_stage *stage)
{
    return stage->log->error[0] != '\0' ? "error" : ui->warnings.is_open ? "warnings" : NULL;
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
    const uint32_t cut = column > BEFORE ? column - BEFORE : 0, last = place->line + around;
    uint32_t line = 1, at = 0;
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
    const float scale = canvas->font->scale, height = canvas->font->line[VIEW_TEXT];
    view_rect row;
    char number[16], text[VIEW_EXCERPT_BYTES + 8];
    COMMON_TEXT(number, "%u", (excerpt->first + excerpt->count));
    const float margin = view_text_width(canvas->font, VIEW_TEXT, number) + 12 * scale;
    COMMON_FOR (i, excerpt->count) {
        const bool is_wrong = excerpt->first + i == line;
        ui_take_row(ui, is_wrong ? 2 * height : height, &row);
        const float width = row.width - 12 * scale;
        COMMON_TEXT(number, "%u", (excerpt->first + i));
        COMMON_TEXT(text, "%s%s", excerpt->is_cut ? "\xE2\x80\xA6" : "", excerpt->lines[i]);
        view_draw_rect(canvas, (view_rect){row.x, row.y, width, row.height}, VIEW_FIELD);
        view_draw_text(canvas, VIEW_TEXT, row.x + 6 * scale, row.y, 0, VIEW_DIM, number);
        view_draw_text(canvas, VIEW_TEXT, row.x + margin, row.y, width - margin,
                       is_wrong ? VIEW_BRIGHT : VIEW_PLAIN, text);
        if (!is_wrong)
            continue;
        const size_t length = strlen(text), caret = excerpt->caret + (excerpt->is_cut ? 3 : 0);
        text[caret < length ? caret : length] = '\0';
        const float x = margin + view_text_width(canvas->font, VIEW_TEXT, text);
        view_draw_text(canvas, VIEW_TEXT, row.x + fminf(x, width - 10 * scale), row.y + height, 0,
                       VIEW_WRONG, "^");
    }
}

// -- The window of an error -----------------------------------------------------------------

// What is copied: the message, its place, and the lines there.
static void copy_error(const view_ui *ui, const char *message, const char *place, uint32_t line)
{
    const view_excerpt *const excerpt = &ui->excerpt;
    char *text = common_format("%s\n%s%s", message, place, place[0] != '\0' ? "\n" : "");
    COMMON_FOR (i, excerpt->count) {
        const bool is_wrong = excerpt->first + i == line;
        common_extend(&text, "%6u  %s\n%*s%s", excerpt->first + i, excerpt->lines[i],
                      is_wrong ? (int)excerpt->caret + 8 : 0, "", is_wrong ? "^\n" : "");
    }
    view_copy_text(text);
    free(text);
}

static void error_window(view_ui *ui, const view_stage *stage)
{
    enum { TRY, COPY, OPEN, CLOSE, NUM_BUTTONS };
    static const char *const words[] = {"Try again", "Copy", "Open\xE2\x80\xA6", "Close"};
    const view_log *const log = stage->log;
    const md5_error *const failure = &log->failure;
    const view_font *const font = stage->font;
    const bool has_file = failure->file[0] != '\0';
    const char *const message = has_file ? failure->message : log->error;
    if (ui->excerpt.error != log->num_errors) { // once: the file may change meanwhile
        read_excerpt(&ui->excerpt, failure);
        ui->excerpt.error = log->num_errors;
    }
    char *const place = describe_place(failure->file, failure->line, failure->column);
    ui_column column;
    view_rect foot, gap;
    const view_rect inside =
        ui_footed_dialog(ui, "error", 620, ui->excerpt.count > 0 ? 260 : 130,
                         has_file ? common_base(failure->file) : "Error", &foot);
    ui_begin_list(ui, &column, inside, &ui->scrolls[UI_SCROLL_REPORT]);
    ui_column_text(ui, VIEW_BRIGHT, message);
    ui_column_text(ui, VIEW_DIM, place);
    ui_take_row(ui, 0.5f * font->line[VIEW_TEXT], &gap);
    draw_excerpt(ui, failure->line);
    ui_end_column(ui);
    const int first = has_file ? TRY : COPY; // only a file can be tried again
    const int number =
        ui_buttons(ui, &foot, words + first, NUM_BUTTONS - first, has_file ? 0 : 2, true);
    const int pressed = number >= 0 ? first + number : -1;
    const bool is_return = ui_key(ui, VIEW_KEY_RETURN) || ui_key(ui, VIEW_KEY_PAD_ENTER);
    if (pressed == COPY || (ui->mouse.control && ui_key(ui, 'c')))
        copy_error(ui, message, place, failure->line);
    else if (pressed == TRY || (is_return && has_file))
        ui->command.action = VIEW_TRY_AGAIN;
    else if (pressed == OPEN)
        ui->command.action = VIEW_FILES;
    else if (pressed == CLOSE || is_return || ui_key(ui, VIEW_KEY_ESCAPE))
        ui->command.action = VIEW_CLOSE_LISTS;
    free(place);
}

// -- The list of warnings -------------------------------------------------------------------

// What a warning is about: the ending of its file.
static const char *kind_of(const view_report *report)
{
    const char *const dot = report->file != NULL ? strrchr(common_base(report->file), '.') : NULL;
    return dot != NULL ? dot + 1 : report->file != NULL ? "file" : "viewer";
}

static bool is_listed(const view_warnings *list, const view_report *report)
{
    return common_contains(report->text, list->filter)
           || common_contains(kind_of(report), list->filter)
           || (report->file != NULL && common_contains(report->file, list->filter));
}

// All that are listed: a line each, its columns separated by tabs.
static void copy_warnings(const view_warnings *list, const view_reports *reports)
{
    size_t size = 1, used = 0;
    COMMON_FOR (i, reports->count)
        size += strlen(reports->rows[i].text) + 64
                + (reports->rows[i].file != NULL ? strlen(reports->rows[i].file) : 0);
    char *const text = common_alloc(size, 1);
    COMMON_FOR (i, reports->count) {
        const view_report *const report = &reports->rows[i];
        if (!is_listed(list, report))
            continue;
        char *const place = describe_place(report->file, report->line, report->column);
        used += (size_t)snprintf(text + used, size - used, "%s\t%s\t%s\t%u\n", kind_of(report),
                                 report->text, place, report->count);
        free(place);
    }
    view_copy_text(text);
    free(text);
}

// A row of the table; the selected one is written out below. Returns whether it was pressed.
static bool run_warning(view_ui *ui, const view_report *report, bool is_selected)
{
    view_canvas *const canvas = ui->canvas;
    const float scale = canvas->font->scale, gap = 10 * scale;
    view_rect row;
    const bool is_seen = ui_take_row(ui, canvas->font->line[VIEW_TEXT], &row);
    row.width -= gap;
    const bool is_wide = row.width > 460 * scale, is_pressed = ui_item(ui, row, report->text);
    const float kind = is_wide ? 95 * scale : 0, place = is_wide ? 0.28f * row.width : 0;
    const view_color color = is_selected ? VIEW_BRIGHT : VIEW_PLAIN;
    char *const where = describe_place(report->file, report->line, report->column);
    if (is_seen) {
        if (is_selected || ui_is_hot(ui))
            view_draw_round_rect(canvas, view_inset(row, -1), 3 * scale,
                                 is_selected ? VIEW_SELECTED : VIEW_CONTROL);
        char *const text = report->count > 1
                               ? common_format("%u \xC3\x97 %s", report->count, report->text)
                               : common_copy(report->text);
        view_draw_text(canvas, VIEW_TEXT, row.x + kind, row.y, row.width - kind - place - gap,
                       color, text);
        free(text);
        if (is_wide) {
            view_draw_text(canvas, VIEW_TEXT, row.x, row.y, kind - gap, VIEW_AMBER,
                           kind_of(report));
            view_draw_text(canvas, VIEW_TEXT, row.x + row.width - place, row.y, place,
                           is_selected ? VIEW_BRIGHT : VIEW_DIM, common_base(where));
        }
    }
    if (is_selected) {
        ui_column_text(ui, VIEW_BRIGHT, report->text);
        ui_column_text(ui, VIEW_DIM, where);
    }
    free(where);
    return is_pressed;
}

static void warnings_window(view_ui *ui, const view_stage *stage)
{
    static const char *const words[] = {"Copy all", "Close"};
    static const view_reports none = {NULL, 0};
    view_warnings *const list = &ui->warnings;
    const view_reports *const reports = stage->log->reports != NULL ? stage->log->reports : &none;
    const float scale = stage->font->scale;
    size_t count = 0;
    ui_column column;
    view_rect foot;
    const unsigned num_notes = stage->log->num_notes;
    char notes[32] = "";
    if (num_notes > 0)
        COMMON_TEXT(notes, ", %u note%s", num_notes, num_notes == 1 ? "" : "s");
    char *const head = common_format("%u warning%s%s", stage->log->num_warnings,
                                     stage->log->num_warnings == 1 ? "" : "s", notes);
    view_rect inside = ui_footed_dialog(ui, "warnings", 860, 470, head, &foot);
    free(head);
    const view_rect field = {inside.x, inside.y, inside.width, foot.height};
    ui_focus_next(ui);
    if (ui_field(ui, field, "Filter", list->filter, sizeof list->filter)) {
        list->selected = 0;
        ui->scrolls[UI_SCROLL_REPORT].wanted = 0;
    }
    inside.y += foot.height + 8 * scale;
    inside.height -= foot.height + 8 * scale;
    ui_begin_list(ui, &column, inside, &ui->scrolls[UI_SCROLL_REPORT]);
    COMMON_FOR (i, reports->count)
        if (is_listed(list, &reports->rows[i])
            && run_warning(ui, &reports->rows[i], count++ == list->selected))
            list->selected = count - 1;
    if (count == 0)
        ui_column_text(ui, VIEW_DIM,
                       reports->count > 0 ? "None of them contains this text."
                                          : "There are no warnings.");
    ui_end_column(ui);
    const int pressed = ui_buttons(ui, &foot, words, 2, -1, true);
    if (pressed == 0)
        copy_warnings(list, reports);
    if (pressed == 1 || ui_key(ui, VIEW_KEY_ESCAPE))
        ui->command.action = VIEW_WARNINGS;
}

void view_reports_panel(view_ui *ui, const view_stage *stage)
{
    const char *const open = view_open_report(ui, stage);
    if (open != NULL && strcmp(open, "error") == 0)
        error_window(ui, stage);
    else if (open != NULL)
        warnings_window(ui, stage);
}

// -- Recording ------------------------------------------------------------------------------

void view_recording_panel(view_ui *ui, const view_stage *stage)
{
    const view_font *const font = stage->font;
    const float scale = font->scale, height = 24 * scale, radius = 4.5f * scale;
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
