#include "demo/view_panel.h"

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

static float row_height(const view_rows *rows, const view_row *row)
{
    switch (row->kind) {
    case VIEW_ROW_TITLE:
        return rows->font->line[VIEW_TITLE];
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
        height += row_height(rows, &rows->rows[i]);
    return height;
}

void view_draw_rows(view_canvas *canvas, const view_rows *rows, float x, float y)
{
    const float padding = VIEW_PADDING * rows->font->scale;
    const view_rect box = {x, y, rows->width + 2.0f * padding, view_rows_height(rows)};
    view_draw_round_rect(canvas, box, VIEW_RADIUS * rows->font->scale, VIEW_BOX);

    const float left = x + padding;
    float top = y + padding;
    for (uint32_t i = 0; i < rows->count; i++) {
        const view_row *const row = &rows->rows[i];
        const view_text_size size = row->kind == VIEW_ROW_TITLE ? VIEW_TITLE : VIEW_TEXT;
        const float indent = row->kind == VIEW_ROW_PAIR ? rows->label_width : 0.0f;
        if (row->kind == VIEW_ROW_PAIR)
            view_draw_text(canvas, size, left, top, indent, VIEW_DIM, row->label);
        if (row->kind != VIEW_ROW_GAP)
            view_draw_text(canvas, size, left + indent, top, rows->width - indent, row->color,
                           row->text);
        top += row_height(rows, row);
    }
}
