#include "demo/viewer/base/panel.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void view_add_row(view_rows *rows, view_row_kind kind, view_color color, const char *label,
                  const char *format, ...)
{
    if (rows->count == VIEW_MAX_ROWS)
        return;
    view_row *const row = &rows->rows[rows->count++];
    *row = (view_row){.kind = kind, .color = color};
    (void)snprintf(row->label, sizeof row->label, "%s", label);
    va_list values;
    va_start(values, format);
    (void)vsnprintf(row->text, sizeof row->text, format, values);
    va_end(values);
}

void view_add_gap(view_rows *rows)
{
    view_add_row(rows, VIEW_ROW_GAP, 0, "", "%s", "");
}

void view_make_hit(view_rows *rows, int32_t hit, const char *key)
{
    view_row *const row = &rows->rows[rows->count - 1];
    row->hit = hit;
    (void)snprintf(row->hint, sizeof row->hint, "%s", key);
}

// How many bytes of `text` fit on a line: up to a space, or, in a word that is too long, all.
static size_t line_length(const view_rows *rows, const char *text)
{
    size_t fitting = 0;
    char line[sizeof rows->rows[0].text] = "";
    for (size_t i = 0;; i++) {
        if (i + 1 >= sizeof line)
            return fitting > 0 ? fitting : i;
        if (text[i] == ' ' || text[i] == '\0') {
            line[i] = '\0';
            if (view_text_width(rows->font, VIEW_TEXT, line) > rows->width && fitting > 0)
                return fitting;
            fitting = i;
        }
        if (text[i] == '\0')
            return i;
        line[i] = text[i];
    }
}

void view_add_wrapped(view_rows *rows, view_color color, const char *text, int max_lines)
{
    for (int line = 1; *text != '\0'; line++) {
        // The last one takes all that is left and is cut where it is drawn.
        const size_t length = line < max_lines ? line_length(rows, text) : strlen(text);
        view_add_row(rows, VIEW_ROW_TEXT, color, "", "%.*s", (int)length, text);
        text += length;
        while (*text == ' ')
            text++;
    }
}

float view_row_height(const view_rows *rows, const view_row *row)
{
    switch (row->kind) {
    case VIEW_ROW_TITLE:
        return rows->font->line[VIEW_TITLE];
    case VIEW_ROW_GRAPH:
        return 2.5f * rows->font->line[VIEW_TEXT];
    case VIEW_ROW_GAP:
        return 0.5f * rows->font->line[VIEW_TEXT];
    default:
        return rows->font->line[VIEW_TEXT];
    }
}

float view_rows_height(const view_rows *rows)
{
    float height = 2.0f * VIEW_PADDING * rows->font->scale;
    for (uint32_t i = 0; i < rows->count; i++)
        height += view_row_height(rows, &rows->rows[i]);
    return height;
}

// Bars, the newest at the right; lines at 60 and 30 frames a second, as far as they are in sight.
static void draw_graph(view_canvas *canvas, const view_rows *rows, view_rect place)
{
    const float goals[2] = {1.0f / 60.0f, 1.0f / 30.0f};
    float top = 1.25f * goals[0];
    for (uint32_t i = 0; i < rows->num_times; i++)
        top = fmaxf(top, 1.1f * rows->times[i]);
    view_draw_rect(canvas, place, 0x2A303AFFu);
    const float step = place.width / 120.0f, bottom = place.y + place.height;
    const float begin = place.x + place.width - step * (float)rows->num_times;
    for (uint32_t i = 0; i < rows->num_times; i++) {
        const float height = place.height * rows->times[i] / top;
        const view_color color = rows->times[i] <= goals[0]   ? 0x6BBF59FFu
                                 : rows->times[i] <= goals[1] ? VIEW_AMBER
                                                              : 0xE5534BFFu;
        view_draw_rect(canvas, (view_rect){begin + step * (float)i, bottom - height, step, height},
                       color);
    }
    for (int i = 0; i < 2; i++)
        if (goals[i] < top)
            view_draw_rect(canvas,
                           (view_rect){place.x, bottom - place.height * goals[i] / top, place.width,
                                       rows->font->scale},
                           0xF1F3F680u);
}

// Returns the room that the box takes.
static float draw_switch(view_canvas *canvas, const view_rows *rows, const view_row *row, float x)
{
    const float scale = rows->font->scale, side = 11.0f * scale;
    const float y = row->y + 0.5f * (rows->font->line[VIEW_TEXT] - side);
    view_draw_round_rect(canvas, (view_rect){x, y, side, side}, 2.0f * scale,
                         row->on ? VIEW_ACCENT : VIEW_DIM);
    if (!row->on)
        view_draw_rect(canvas,
                       (view_rect){x + scale, y + scale, side - 2.0f * scale, side - 2.0f * scale},
                       0x12151AFFu);
    return side + 8.0f * scale;
}

static void draw_row(view_canvas *canvas, const view_rows *rows, const view_row *row, float left)
{
    const view_text_size size = row->kind == VIEW_ROW_TITLE ? VIEW_TITLE : VIEW_TEXT;
    float indent = row->kind == VIEW_ROW_PAIR ? rows->label_width : 0.0f, hint = 0.0f;
    if (row->kind == VIEW_ROW_GRAPH) {
        const view_rect place = {left, row->y + 3.0f * rows->font->scale, rows->width,
                                 view_row_height(rows, row) - 6.0f * rows->font->scale};
        draw_graph(canvas, rows, place);
        return;
    }
    if (row->hint[0] != '\0') {
        hint = view_text_width(rows->font, VIEW_TEXT, row->hint) + 8.0f * rows->font->scale;
        view_draw_text(canvas, VIEW_TEXT, left + rows->width - hint + 8.0f * rows->font->scale,
                       row->y, 0, VIEW_DIM, row->hint);
    }
    if (row->kind == VIEW_ROW_PAIR)
        view_draw_text(canvas, size, left, row->y, indent, VIEW_DIM, row->label);
    else if (row->kind == VIEW_ROW_SWITCH)
        indent = draw_switch(canvas, rows, row, left);
    if (row->kind != VIEW_ROW_GAP)
        view_draw_text(canvas, size, left + indent, row->y, rows->width - indent - hint, row->color,
                       row->text);
}

void view_draw_rows(view_canvas *canvas, view_rows *rows, float x, float y)
{
    const float padding = VIEW_PADDING * rows->font->scale;
    const view_rect box = {x, y, rows->width + 2.0f * padding, view_rows_height(rows)};
    view_draw_round_rect(canvas, box, VIEW_RADIUS * rows->font->scale, VIEW_BOX);

    const float left = x + padding;
    float top = y + padding;
    for (uint32_t i = 0; i < rows->count; i++) {
        view_row *const row = &rows->rows[i];
        row->y = top;
        draw_row(canvas, rows, row, left);
        top += view_row_height(rows, row);
    }
}

void view_draw_slider(view_canvas *canvas, view_rect row, float part)
{
    const float scale = canvas->font->scale, middle = row.y + 0.5f * row.height;
    const float place = row.width * fminf(fmaxf(part, 0.0f), 1.0f);
    view_rect track = {row.x, middle - 2.0f * scale, row.width, 4.0f * scale};
    view_draw_round_rect(canvas, track, 2.0f * scale, 0x4A5361FFu);
    track.width = place;
    view_draw_round_rect(canvas, track, 2.0f * scale, VIEW_ACCENT);
    view_draw_disc(canvas, row.x + place, middle, 6.0f * scale, VIEW_BRIGHT);
}
