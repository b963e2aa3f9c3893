// What is reported: the window of an error, with its place in the file, the list of warnings, and
// the sign of a recording.
#include "demo/viewer/ui/ui.h"

#include "demo/common/file.h"
#include "demo/viewer/base/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <SDL.h>

const char *view_open_report(const view_ui *ui, const view_stage *stage)
{
    if (ui->browser.kind != VIEW_BROWSE_NOTHING)
        return NULL;
    return stage->log->error[0] != '\0' ? "error" : ui->warnings.is_open ? "warnings" : NULL;
}

// -- Text -----------------------------------------------------------------------------------

// Moves past the words of one line of that width, or past a part of a word that is too long.
// Returns how many bytes they have.
static size_t take_line(const view_font *font, float width, const char **text)
{
    char line[512];
    size_t fitting = 0, end = 0;
    const char *const begin = *text;
    while (begin[end] != '\0' && end + 1 < sizeof line) {
        do
            line[end] = begin[end];
        while (((unsigned char)begin[++end] & 0xC0) == 0x80 && end + 1 < sizeof line);
        line[end] = '\0';
        const bool is_word = begin[end] == ' ' || begin[end] == '\0';
        if (view_text_width(font, VIEW_TEXT, line) > width) {
            fitting = fitting > 0 ? fitting : end;
            break;
        }
        fitting = is_word || strchr(line, ' ') == NULL ? end : fitting;
    }
    *text += fitting + strspn(begin + fitting, " ");
    return fitting;
}

// Writes a text in lines of the rectangle's width; with `is_drawn` as many as it is high. Returns
// the height of all.
static float write_lines(view_ui *ui, view_rect room, view_color color, const char *text,
                         bool is_drawn)
{
    const float line = ui->canvas->font->line[VIEW_TEXT];
    float y = 0.0f;
    while (*text != '\0') {
        const char *const begin = text;
        const size_t length = take_line(ui->canvas->font, room.width, &text);
        char *const words = common_format("%.*s", (int)length, begin);
        if (is_drawn && y + line < room.height + 1.0f)
            view_draw_text(ui->canvas, VIEW_TEXT, room.x, room.y + y, 0.0f, color, words);
        free(words);
        y += line;
    }
    return y;
}

// Names of files may have any bytes; the clipboard takes UTF-8.
static void copy_text(const char *text)
{
    char *const clean = SDL_iconv_string("UTF-8", "UTF-8", text, strlen(text) + 1);
    (void)SDL_SetClipboardText(clean != NULL ? clean : text);
    SDL_free(clean);
}

// "walk.md5anim:3:7", or "" if there is no file.
static char *describe_place(const char *file, uint32_t line, uint32_t column)
{
    return file == NULL || file[0] == '\0' ? common_copy("")
           : line == 0                     ? common_copy(file)
           : column == 0                   ? common_format("%s:%u", file, (unsigned)line)
                         : common_format("%s:%u:%u", file, (unsigned)line, (unsigned)column);
}

// Buttons in a row, from the left; returns the number of the one that was pressed, or -1.
static int run_buttons(view_ui *ui, view_rect row, const char *const *words, int count, int primary)
{
    const float padding = 10.0f * ui->canvas->font->scale;
    int pressed = -1;
    for (int i = 0; i < count; i++) {
        row.width = view_text_width(ui->canvas->font, VIEW_TEXT, words[i]) + 2.0f * padding;
        if (ui_button(ui, row, words[i], i == primary))
            pressed = i;
        row.x += row.width + 0.6f * padding;
    }
    return pressed;
}

// -- The place of an error in its file ------------------------------------------------------

// Reads the lines around the place of the log's error, if it has one that can be read. Of long
// lines only the bytes around its column are kept; tabs and other control bytes become spaces.
static void read_excerpt(view_excerpt *excerpt, const md5_error *place)
{
    enum { MOST_BYTES = 64 << 20, BEFORE = VIEW_EXCERPT_BYTES / 2 };
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
    for (int i = 0; byte != EOF && line <= last && i < MOST_BYTES; i++, byte = getc(file)) {
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
    (void)fclose(file);
}

// The lines `from` to `to` of the excerpt, with their numbers, and the caret.
static void draw_excerpt(view_ui *ui, view_rect room, uint32_t from, uint32_t to, uint32_t line)
{
    view_canvas *const canvas = ui->canvas;
    const view_excerpt *const excerpt = &ui->excerpt;
    const float scale = canvas->font->scale, height = canvas->font->line[VIEW_TEXT];
    char number[16];
    (void)snprintf(number, sizeof number, "%u", (unsigned)(excerpt->first + to));
    const float margin = view_text_width(canvas->font, VIEW_TEXT, number) + 12.0f * scale;
    view_draw_round_rect(canvas, room, 4.0f * scale, VIEW_FIELD);
    float y = room.y + 4.0f * scale;
    for (uint32_t i = from; i < to; i++) {
        const bool is_wrong = excerpt->first + i == line;
        char *const text =
            common_format("%s%s", excerpt->is_cut ? "\xE2\x80\xA6" : "", excerpt->lines[i]);
        (void)snprintf(number, sizeof number, "%u", (unsigned)(excerpt->first + i));
        view_draw_text(canvas, VIEW_TEXT, room.x + 6.0f * scale, y, 0.0f, VIEW_DIM, number);
        view_draw_text(canvas, VIEW_TEXT, room.x + margin, y, room.width - margin - 4.0f * scale,
                       is_wrong ? VIEW_BRIGHT : VIEW_PLAIN, text);
        if (is_wrong) {
            text[strlen(text) - strlen(excerpt->lines[i])
                 + SDL_min(excerpt->caret, strlen(excerpt->lines[i]))] = '\0';
            y += height;
            const float x = room.x + margin + view_text_width(canvas->font, VIEW_TEXT, text);
            const float tip = fminf(x + 3.0f * scale, room.x + room.width - 6.0f * scale);
            const float corners[6] = {tip,
                                      y,
                                      tip + 5.0f * scale,
                                      y + 0.6f * height,
                                      tip - 5.0f * scale,
                                      y + 0.6f * height};
            view_draw_triangle(canvas, corners, VIEW_WRONG);
        }
        free(text);
        y += height;
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
        char *const longer = common_format(
            "%s%6u  %s\n%*s%s", text, (unsigned)(excerpt->first + i), excerpt->lines[i],
            is_wrong ? (int)excerpt->caret + 8 : 0, "", is_wrong ? "^\n" : "");
        free(text);
        text = longer;
    }
    copy_text(text);
    free(text);
}

static void error_window(view_ui *ui, const view_stage *stage)
{
    static const char *const words[] = {"Copy", "Try again", "Open\xE2\x80\xA6", "Close"};
    static const char *const fewer[] = {"Copy", "Open\xE2\x80\xA6", "Close"};
    const view_log *const log = stage->log;
    const md5_error *const failure = &log->failure;
    const view_font *const font = stage->font;
    const float scale = font->scale, line = font->line[VIEW_TEXT], gap = 8.0f * scale;
    const float edges = 2.0f * (VIEW_PADDING + 4.0f) * scale, button = 26.0f * scale;
    const bool has_file = failure->file[0] != '\0';
    const char *const message = has_file ? failure->message : log->error;
    if (ui->excerpt.error != log->num_errors) { // once: the file may change meanwhile
        read_excerpt(&ui->excerpt, failure);
        ui->excerpt.error = log->num_errors;
    }
    char *const place = describe_place(failure->file, failure->line, failure->column);
    view_rect room = {0.0f, 0.0f, fminf(48.0f * 13.0f * scale, stage->width - edges), 0.0f};
    const float title = font->line[VIEW_TITLE] + 0.5f * VIEW_PADDING * scale;
    const float most = stage->height - edges - title - button - gap;
    const float text_height = fminf(write_lines(ui, room, 0, message, false), most);
    const float place_height =
        fminf(write_lines(ui, room, 0, place, false), fmaxf(most - text_height, 0.0f));
    // As many lines of the file as there is room for, at both sides of the wrong one.
    const view_excerpt *const excerpt = &ui->excerpt;
    const uint32_t wrong = failure->line - excerpt->first;
    const float left = most - text_height - place_height - 2.0f * gap;
    uint32_t around = VIEW_EXCERPT_LINES / 2, from = 0, to = 0;
    float excerpt_height = 0.0f;
    if (excerpt->count > wrong) {
        while (around > 0 && line * (float)(2 * around + 2) + gap > left)
            around--;
        from = wrong > around ? wrong - around : 0;
        to = SDL_min(wrong + around + 1, excerpt->count);
        excerpt_height = line * (float)(to - from + 1) + gap;
        excerpt_height = excerpt_height <= left ? excerpt_height : 0.0f;
    }
    const float all = text_height + place_height + gap + button
                      + (excerpt_height > 0.0f ? excerpt_height + gap : 0.0f);
    view_rect part =
        ui_dialog(ui, "error", room.width, all, has_file ? common_base(failure->file) : "Error");
    part.height = text_height;
    (void)write_lines(ui, part, VIEW_BRIGHT, message, true);
    part.y += text_height;
    part.height = place_height;
    (void)write_lines(ui, part, VIEW_DIM, place, true);
    part.y += place_height + gap;
    if (excerpt_height > 0.0f) {
        part.height = excerpt_height;
        draw_excerpt(ui, part, from, to, failure->line);
        part.y += excerpt_height + gap;
    }
    part.height = button;
    int pressed =
        has_file ? run_buttons(ui, part, words, 4, 1) : run_buttons(ui, part, fewer, 3, 2);
    if (!has_file && pressed > 0)
        pressed++;
    const bool is_return = ui_key(ui, SDLK_RETURN) || ui_key(ui, SDLK_KP_ENTER);
    if (pressed == 0 || (ui->mouse.control && ui_key(ui, SDLK_c)))
        copy_error(ui, message, place, failure->line);
    else if (pressed == 1 || (is_return && has_file))
        ui->command.action = VIEW_TRY_AGAIN;
    else if (pressed == 2)
        ui->command.action = VIEW_FILES;
    else if (pressed == 3 || is_return || ui_key(ui, SDLK_ESCAPE))
        ui->command.action = VIEW_CLOSE_LISTS;
    free(place);
}

// -- The list of warnings -------------------------------------------------------------------

// What a warning is about, by the ending of its file.
static const char *kind_of(const view_report *report)
{
    static const char *const kinds[][2] = {
        {".md5mesh", "model"},    {".md5anim", "clip"},   {".md5machine", "machine"},
        {".md5camera", "camera"}, {".md5scale", "scale"}, {".cfg", "parts"},
        {".mtr", "material"},     {".skin", "skin"},      {".def", "entity"},
        {".pk4", "archive"},      {".zip", "archive"},    {".pak", "archive"},
    };
    for (size_t i = 0; report->file != NULL && i < sizeof kinds / sizeof kinds[0]; i++)
        if (common_has_ending(report->file, kinds[i][0]))
            return kinds[i][1];
    return report->file != NULL ? "file" : "viewer";
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
    for (size_t i = 0; i < reports->count; i++)
        size += strlen(reports->rows[i].text) + 64
                + (reports->rows[i].file != NULL ? strlen(reports->rows[i].file) : 0);
    char *const text = common_alloc(size, 1);
    for (size_t i = 0; i < reports->count; i++) {
        const view_report *const report = &reports->rows[i];
        if (!is_listed(list, report))
            continue;
        char *const place = describe_place(report->file, report->line, report->column);
        used += (size_t)snprintf(text + used, size - used, "%s\t%s\t%s\t%u\n", kind_of(report),
                                 report->text, place, (unsigned)report->count);
        free(place);
    }
    copy_text(text);
    free(text);
}

// Keys and the wheel move the choice.
static void move_choice(view_ui *ui, view_warnings *list, size_t count, size_t room)
{
    const int32_t keys[] = {SDLK_UP, SDLK_DOWN, SDLK_PAGEUP, SDLK_PAGEDOWN, SDLK_HOME, SDLK_END};
    const long long page = (long long)room, all = (long long)count;
    const long long steps[] = {-1, 1, -page, page, -all, all};
    long long place = (long long)list->chosen;
    for (int i = 0; i < 6; i++)
        if (ui_key(ui, keys[i]))
            place += steps[i];
    if (ui->mouse.wheel != 0.0f) {
        place += (long long)view_clamp(-3.0f * ui->mouse.wheel, -1e6f, 1e6f);
        ui->has_taken = true;
    }
    place = place >= all ? all - 1 : place;
    list->chosen = place > 0 ? (size_t)place : 0;
    if (list->chosen < list->first)
        list->first = list->chosen;
    if (list->chosen >= list->first + room)
        list->first = list->chosen - room + 1;
    if (list->first + room > count)
        list->first = count > room ? count - room : 0;
}

// A line of the table; returns whether it was pressed.
static bool run_warning(view_ui *ui, view_rect row, const view_report *report, bool is_chosen)
{
    view_canvas *const canvas = ui->canvas;
    const float scale = canvas->font->scale, gap = 10.0f * scale;
    const bool is_wide = row.width > 460.0f * scale, is_pressed = ui_item(ui, row, report->text);
    const float kind = is_wide ? 70.0f * scale : 0.0f, place = is_wide ? 0.28f * row.width : 0.0f;
    const view_color color = is_chosen ? VIEW_BRIGHT : VIEW_PLAIN;
    if (is_chosen || ui_is_hot(ui))
        view_draw_round_rect(canvas, view_inset(row, -1.0f), 3.0f * scale,
                             is_chosen ? VIEW_CHOSEN : VIEW_CONTROL);
    char *const text = report->count > 1
                           ? common_format("%u \xC3\x97 %s", (unsigned)report->count, report->text)
                           : common_copy(report->text);
    view_draw_text(canvas, VIEW_TEXT, row.x + kind, row.y, row.width - kind - place - gap, color,
                   text);
    free(text);
    if (!is_wide)
        return is_pressed;
    char *const where =
        describe_place(report->file != NULL ? common_base(report->file) : NULL, report->line, 0);
    view_draw_text(canvas, VIEW_TEXT, row.x, row.y, kind - gap, VIEW_AMBER, kind_of(report));
    view_draw_text(canvas, VIEW_TEXT, row.x + row.width - place, row.y, place,
                   is_chosen ? VIEW_BRIGHT : VIEW_DIM, where);
    free(where);
    return is_pressed;
}

static void warnings_window(view_ui *ui, const view_stage *stage)
{
    static const char *const words[] = {"Copy all", "Close"};
    view_warnings *const list = &ui->warnings;
    static const view_reports none = {NULL, 0};
    const view_reports *const reports = stage->log->reports != NULL ? stage->log->reports : &none;
    const view_font *const font = stage->font;
    const float scale = font->scale, line = font->line[VIEW_TEXT], gap = 8.0f * scale;
    const float edges = 2.0f * (VIEW_PADDING + 4.0f) * scale, control = 26.0f * scale;
    const float title = font->line[VIEW_TITLE] + 0.5f * VIEW_PADDING * scale;
    const float width = fminf(860.0f * scale, stage->width - edges);
    const float height = fminf(560.0f * scale, stage->height - edges - title);
    // The chosen one is written out below the table.
    const float details = height > 300.0f * scale ? 4.0f * line : 2.0f * line;
    size_t count = 0;
    char *const head = common_format("%u warning%s", (unsigned)stage->log->num_warnings,
                                     stage->log->num_warnings == 1 ? "" : "s");
    const view_rect all = ui_dialog(ui, "warnings", width, height, head);
    free(head);
    view_rect part = {all.x, all.y, all.width, control};
    const float buttons = 2.0f * (20.0f * scale + gap) + view_text_width(font, VIEW_TEXT, words[0])
                          + view_text_width(font, VIEW_TEXT, words[1]);
    part.width -= buttons;
    ui_focus_next(ui);
    if (ui_field(ui, part, "Filter", list->filter, sizeof list->filter))
        list->chosen = list->first = 0;
    part.x += part.width + gap;
    const int pressed = run_buttons(ui, part, words, 2, -1);
    if (pressed == 0)
        copy_warnings(list, reports);
    if (pressed == 1 || ui_key(ui, SDLK_ESCAPE))
        ui->command.action = VIEW_WARNINGS;
    for (size_t i = 0; i < reports->count; i++)
        count += is_listed(list, &reports->rows[i]);
    ui_list rows = {.rows = {all.x, all.y + control + gap, all.width - 10.0f * scale,
                             height - control - 2.0f * gap - details},
                    .count = count,
                    .bar_x = all.x + all.width - 4.0f * scale};
    const size_t room =
        SDL_max(ui_list_room(ui, (view_rect){0, 0, 0, rows.rows.height - 0.5f * line}), 1);
    move_choice(ui, list, count, room);
    rows.first = list->first;
    rows.rows.height = line * (float)room;
    const view_report *chosen = NULL;
    for (size_t i = 0, place = 0; i < reports->count && place < list->first + room; i++) {
        const view_report *const report = &reports->rows[i];
        if (!is_listed(list, report))
            continue;
        const view_rect row = {rows.rows.x,
                               rows.rows.y + line * (float)place - line * (float)list->first,
                               rows.rows.width, line};
        if (place >= list->first && run_warning(ui, row, report, place == list->chosen))
            list->chosen = place;
        chosen = place == list->chosen ? report : chosen;
        place++;
    }
    ui_scroll_bar(ui, &rows);
    part = (view_rect){all.x, all.y + height - details + 0.5f * gap, all.width, details};
    if (chosen == NULL) {
        view_draw_text(ui->canvas, VIEW_TEXT, rows.rows.x, rows.rows.y, rows.rows.width, VIEW_DIM,
                       reports->count > 0 ? "None of them contains this text." : "There are none.");
        return;
    }
    char *const place = describe_place(chosen->file, chosen->line, chosen->column);
    char *const whole = common_format("%s  %s", chosen->text, place);
    (void)write_lines(ui, part, VIEW_BRIGHT, whole, true);
    free(whole);
    free(place);
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
    const float scale = font->scale, height = 24.0f * scale, radius = 4.5f * scale;
    const unsigned seconds = (unsigned)fmax(stage->recorded, 0.0);
    char text[32];
    if (stage->recorded < 0.0)
        return;
    (void)snprintf(text, sizeof text, "REC %u:%02u", seconds / 60, seconds % 60);
    const float width = view_text_width(font, VIEW_TEXT, text) + 38.0f * scale;
    const view_rect free = view_layout_of(stage).free;
    const view_rect box = {roundf(free.x + 0.5f * (free.width - width)), free.y + 6.0f * scale,
                           width, height};
    ui->canvas = stage->canvas;
    view_draw_round_rect(stage->canvas, box, 0.5f * height, VIEW_RECORDING);
    view_draw_disc(stage->canvas, box.x + 16.0f * scale, box.y + 0.5f * height, radius,
                   0xFFFFFFFFu);
    view_draw_text(stage->canvas, VIEW_TEXT, box.x + 26.0f * scale,
                   box.y + 0.5f * (height - font->line[VIEW_TEXT]), 0.0f, 0xFFFFFFFFu, text);
    ui_begin(ui, "recording");
    if (ui_item(ui, box, "REC"))
        ui->command.action = VIEW_RECORD;
}
