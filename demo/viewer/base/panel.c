#include "demo/viewer/base/panel.h"

#include <stdarg.h>

// If there is no room, a row that is not shown.
static view_row *add_row(view_rows *rows, view_row_kind kind, view_color color)
{
    if (rows->count == VIEW_MAX_ROWS) {
        view_row *const last = &rows->rows[VIEW_MAX_ROWS - 1];
        *last = (view_row){.color = VIEW_AMBER, .fixed = true};
        COMMON_TEXT(last->text, "more rows do not fit");
    }
    view_row *const row = &rows->rows[rows->count];
    *row = (view_row){.kind = kind, .color = color};
    rows->count += rows->count < VIEW_MAX_ROWS;
    return row;
}

view_row *view_add_row(view_rows *rows, view_color color, const char *label, const char *format,
                       ...)
{
    view_row *const row = add_row(rows, label != NULL ? VIEW_ROW_PAIR : VIEW_ROW_TEXT, color);
    if (label != NULL)
        COMMON_TEXT(row->label, "%s", label);
    va_list values;
    va_start(values, format);
    vsnprintf(row->text, sizeof row->text, format, values);
    va_end(values);
    return row;
}

void view_add_gap(view_rows *rows)
{
    add_row(rows, VIEW_ROW_GAP, 0);
}

view_row *view_add_section(view_rows *rows, uint32_t number, const char *title)
{
    view_row *const row = add_row(rows, VIEW_ROW_SECTION, VIEW_BRIGHT);
    row->on = (rows->folded >> number & 1) == 0;
    row->hit = -1 - (int32_t)number;
    COMMON_TEXT(row->text, "%s", title);
    return row;
}

view_row *view_begin_rows(view_rows *rows, const view_font *font, float width, float label_width,
                          const char *title)
{
    rows->font = font;
    rows->width = width * font->scale;
    rows->label_width = label_width * font->scale;
    rows->count = 0;
    view_row *const row = view_add_row(rows, VIEW_BRIGHT, NULL, "%s", title);
    row->kind = VIEW_ROW_TITLE;
    return row;
}

void view_make_hit(view_row *row, int32_t hit, const char *key)
{
    row->hit = hit;
    COMMON_TEXT(row->hint, "%s", key);
}

// -- Lines ----------------------------------------------------------------------------------

static view_text_size size_of(const view_row *row)
{
    return row->kind == VIEW_ROW_TITLE ? VIEW_TITLE : VIEW_TEXT;
}

// How many bytes of `text` fit into `width`: up to a space, or, in a word that is too long, up to a
// character; at least one.
static size_t line_length(const view_font *font, view_text_size size, float width, const char *text)
{
    size_t space = 0;
    float used = 0;
    for (const char *end = text; *end != '\0';) {
        const char *next = end;
        used += view_next_letter(font, size, &next)->advance;
        if (used > width && end > text)
            return space > 0 ? space : (size_t)(end - text);
        if (*next == ' ')
            space = (size_t)(next - text);
        end = next;
    }
    return strlen(text);
}

void view_add_wrapped(view_rows *rows, view_color color, const char *text, int max_lines)
{
    for (int line = 1; *text != '\0'; line++) {
        // The last row takes the rest of the text, which is cut when it is drawn.
        const size_t length = line == max_lines
                                  ? strlen(text)
                                  : line_length(rows->font, VIEW_TEXT, rows->width, text);
        view_add_row(rows, color, NULL, "%.*s", (int)length, text)->fixed = true;
        text += length;
        text += strspn(text, " ");
    }
}

static float hint_width(const view_rows *rows, const view_row *row)
{
    if (row->hint[0] == '\0')
        return 0;
    return view_text_width(rows->font, VIEW_TEXT, row->hint) + 8 * rows->font->scale;
}

static float indent_of(const view_rows *rows, const view_row *row)
{
    const bool is_labelled = row->kind == VIEW_ROW_PAIR || row->kind == VIEW_ROW_WORDS;
    return is_labelled && row->label[0] != '\0' ? rows->label_width : 0;
}

void view_wrap_rows(view_rows *rows)
{
    enum { MAX_LINES = 3 };
    for (uint32_t i = 0, lines = 1; i < rows->count && rows->count < VIEW_MAX_ROWS; i++) {
        view_row *const row = &rows->rows[i], *const rest = row + 1;
        const float wide = rows->width - indent_of(rows, row) - hint_width(rows, row);
        const size_t length = line_length(rows->font, size_of(row), wide, row->text);
        if (lines == MAX_LINES || row->fixed || row->kind == VIEW_ROW_WORDS
            || row->text[length] == '\0') {
            lines = 1;
            continue;
        }
        // The excess of a row that is too long becomes a row below the text, on which a click has
        // the same effect.
        lines++;
        memmove(rest + 1, rest, (rows->count - i - 1) * sizeof *rest);
        rows->count++;
        *rest = *row;
        rest->hint[0] = '\0';
        if (row->kind == VIEW_ROW_PAIR)
            COMMON_TEXT(rest->label, " ");
        const char *const from = row->text + length;
        COMMON_TEXT(rest->text, "%s", from + strspn(from, " "));
        row->text[length] = '\0';
    }
}

// -- Words ----------------------------------------------------------------------------------

// In layout units: between words.
static const float word_gap = 9;

void view_add_word(view_rows *rows, bool is_indented, const char *word, bool is_lit)
{
    const float width = view_text_width(rows->font, VIEW_TEXT, word);
    const float room = rows->width - (is_indented ? rows->label_width : 0);
    view_row *row = &rows->rows[rows->count - 1];
    if (row->kind != VIEW_ROW_WORDS || row->rect.width + width > room
        || strlen(row->text) + strlen(word) + 2 > sizeof row->text) {
        row = add_row(rows, VIEW_ROW_WORDS, VIEW_DIM);
        COMMON_TEXT(row->label, "%s", is_indented ? " " : "");
    }
    common_append(row->text, sizeof row->text, "\n", "%s", word);
    row->lit |= (uint64_t)is_lit << (row->words++ & 63);
    row->rect.width += width + word_gap * rows->font->scale;
}

// -- Drawing --------------------------------------------------------------------------------

static float row_height(const view_rows *rows, const view_row *row)
{
    const float line = rows->font->line[size_of(row)];
    return row->kind == VIEW_ROW_GRAPH     ? 2.5f * line
           : row->kind == VIEW_ROW_GAP     ? 0.5f * line
           : row->kind == VIEW_ROW_SECTION ? ceilf(1.5f * line)
                                           : line;
}

float view_place_rows(view_rows *rows)
{
    const float padding = (rows->is_docked ? VIEW_INSET : VIEW_PADDING) * rows->font->scale;
    float top = rows->y + (rows->is_docked ? 0 : padding);
    bool is_folded = false;
    COMMON_EACH (row, rows->rows, rows->count) {
        const bool is_head = row->kind == VIEW_ROW_SECTION;
        is_folded = is_head ? !row->on : is_folded;
        row->rect = (view_rect){rows->x + padding, top, rows->width,
                                is_folded && !is_head ? 0 : row_height(rows, row)};
        top += row->rect.height;
    }
    return top + (rows->is_docked ? 0 : padding) - rows->y;
}

void view_draw_fold(view_canvas *canvas, float x, float y, bool is_open)
{
    const float r = 4 * canvas->font->scale;
    const float open[6] = {x - r, y - 0.5f * r, x + r, y - 0.5f * r, x, y + 0.6f * r};
    const float folded[6] = {x - 0.5f * r, y - r, x + 0.6f * r, y, x - 0.5f * r, y + r};
    view_draw_triangle(canvas, is_open ? open : folded, VIEW_DIM);
}

static void draw_row(view_canvas *canvas, const view_rows *rows, const view_row *row)
{
    const float scale = rows->font->scale, left = row->rect.x, y = row->rect.y;
    const float indent = indent_of(rows, row), hint = hint_width(rows, row);
    if (hint > 0)
        view_draw_text(canvas, VIEW_TEXT, left + rows->width - hint + 8 * scale, y, 0, VIEW_DIM,
                       row->hint);
    if (row->kind == VIEW_ROW_GRAPH) {
        const view_rect place = {left, y + 3 * scale, rows->width, row->rect.height - 6 * scale};

        // Bars, the newest at the right; lines at 60 and 30 frames a second, if they are within the
        // graph.
        const float goals[2] = {1.0f / 60.0f, 1.0f / 30.0f};
        float top = 1.25f * goals[0];
        COMMON_FOR (i, rows->num_times)
            top = fmaxf(top, 1.1f * rows->times[i]);
        view_draw_rect(canvas, place, VIEW_CONTROL);
        const float step = place.width / 120.0f, bottom = place.y + place.height;
        const float begin = place.x + place.width - step * (float)rows->num_times;
        COMMON_FOR (i, rows->num_times) {
            const float height = place.height * rows->times[i] / top;
            const view_color color = rows->times[i] <= goals[0]   ? 0x6BBF59FFu
                                     : rows->times[i] <= goals[1] ? VIEW_AMBER
                                                                  : 0xE5534BFFu;
            view_draw_rect(
                canvas, (view_rect){begin + step * (float)i, bottom - height, step, height}, color);
        }
        COMMON_FOR (i, 2)
            if (goals[i] < top)
                view_draw_rect(canvas,
                               (view_rect){place.x, bottom - place.height * goals[i] / top,
                                           place.width, rows->font->scale},
                               0xF1F3F680u);
    } else if (row->kind == VIEW_ROW_WORDS) {
        const float right = left + rows->width;
        float x = left + indent;
        const char *rest = row->text;
        view_draw_text(canvas, VIEW_TEXT, left, y, indent, VIEW_DIM, row->label);
        for (uint32_t i = 0; *rest != '\0'; i++) {
            char word[sizeof row->text];
            const size_t length = strcspn(rest, "\n");
            COMMON_TEXT(word, "%.*s", (int)length, rest);
            x += view_draw_text(canvas, VIEW_TEXT, x, y, fmaxf(right - x, 1),
                                (row->lit >> (i & 63) & 1) != 0 ? VIEW_ACCENT : row->color, word);
            x += word_gap * scale;
            rest += length + (rest[length] == '\n');
        }
        return;
    } else if (row->kind == VIEW_ROW_PAIR) {
        view_draw_text(canvas, VIEW_TEXT, left, y, indent, VIEW_DIM, row->label);
    } else if (row->kind == VIEW_ROW_SECTION) {
        const float padding = left - rows->x, line = rows->font->line[VIEW_TEXT];
        const view_rect band = {left - padding, y, rows->width + 2 * padding,
                                row->rect.height - ceilf(0.2f * line)};
        view_draw_rect(canvas, band, VIEW_SECTION);
        view_draw_fold(canvas, left + 4 * scale, y + 0.5f * band.height, row->on);
        view_draw_text(canvas, VIEW_TEXT, left + 16 * scale,
                       y + floorf(0.5f * (band.height - line)), 0, row->color, row->text);
        return;
    }
    view_draw_text(canvas, size_of(row), left + indent, y, rows->width - indent - hint, row->color,
                   row->text);
}

void view_draw_rows(view_canvas *canvas, view_rows *rows)
{
    view_place_rows(rows);
    COMMON_FOR (i, rows->count)
        if (rows->rows[i].rect.height > 0)
            draw_row(canvas, rows, &rows->rows[i]);
}
