#include "demo/viewer/pages/panel.h"

#include "demo/viewer/base/panel.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const view_color code_box = 0x1B2029FFu, code_color = 0xD8DEE9FFu,
                        comment_color = 0x8FB573FFu, axis_color = 0x4A5361FFu;

float view_panel_width(const view_font *font, float width)
{
    return fminf(0.46f * width, 520.0f * font->scale);
}

float view_plots_height(const view_picture *picture, float height)
{
    return picture->num_plots > 0 ? 0.36f * height : 0.0f;
}

// -- Panel ----------------------------------------------------------------------------------

// What is written so far: from the top downward.
typedef struct column {
    view_canvas *canvas;
    float x, y, width;
} column;

static float line_height(const column *c)
{
    return c->canvas->font->line[VIEW_TEXT];
}

static void write_wrapped(column *c, view_color color, const char *text)
{
    view_rows rows = {.font = c->canvas->font, .width = c->width};
    view_add_wrapped(&rows, color, text, 6);
    for (uint32_t i = 0; i < rows.count; i++) {
        view_draw_text(c->canvas, VIEW_TEXT, c->x, c->y, c->width, color, rows.rows[i].text);
        c->y += line_height(c);
    }
}

// Where a line of code is broken that is longer than `columns`: rather not deep in brackets, nor
// within an argument, nor in the first two fifths of a row.
static size_t find_break(const char *code, size_t length, size_t columns, bool in_comment)
{
    size_t best = 0;
    int depth = 0, least = INT_MAX;
    bool in_text = false;
    if (length <= columns)
        return length;
    for (size_t i = 0; i <= columns; i++) {
        in_comment = in_comment || (!in_text && code[i] == '/' && code[i + 1] == '/');
        in_text = in_text != (code[i] == '"');
        depth += strchr("([{", code[i]) != NULL ? 1 : strchr(")]}", code[i]) != NULL ? -1 : 0;
        if (code[i] != ' ' || (in_text && !in_comment))
            continue;
        const bool ends = i > 0 && strchr(",;", code[i - 1]) != NULL;
        const int early = 5 * i < columns && !ends ? 8 : 5 * i < 2 * columns ? 2 : 0;
        const int cost = in_comment ? INT_MIN : 4 * depth + (ends ? 0 : 3) + early;
        if (cost <= least) {
            best = i;
            least = cost;
        }
    }
    return best > 0 ? best : length;
}

// Writes a part of a line; what follows `//` has the colour of comments.
static void write_piece(const column *c, float x, const char *code, size_t length, bool *in_comment)
{
    char text[512];
    (void)snprintf(text, sizeof text, "%.*s", (int)length, code);
    char *const comment = *in_comment ? text : strstr(text, "//");
    char note[512] = "";
    if (comment != NULL) {
        (void)snprintf(note, sizeof note, "%s", comment);
        *comment = '\0';
        *in_comment = true;
    }
    x += view_draw_text(c->canvas, VIEW_CODE, x, c->y, 0.0f, code_color, text);
    view_draw_text(c->canvas, VIEW_CODE, x, c->y, 0.0f, comment_color, note);
}

// Writes one line of C, in as many rows as it needs; further rows are indented.
static void write_code_line(column *c, float inset, const char *line, size_t length)
{
    const view_font *const font = c->canvas->font;
    const float letter = view_text_width(font, VIEW_CODE, " "), row = font->line[VIEW_CODE];
    size_t indent = strspn(line, " "), at = indent;
    bool in_comment = false;
    if (at >= length)
        c->y += 0.5f * row;
    while (at < length) {
        const float x = (float)indent * letter;
        const size_t columns = (size_t)((c->width - 2.0f * inset - x) / letter);
        const size_t part = find_break(line + at, length - at, columns, in_comment);
        write_piece(c, c->x + inset + x, line + at, part, &in_comment);
        c->y += row;
        indent += at == indent ? 4 : 0;
        at += part + strspn(line + at + part, " ");
    }
}

// Writes a line with those that continue it, which are indented farther than a block is. Returns
// what follows.
static const char *join_lines(const char *line, char *joined, size_t size)
{
    const size_t indent = strspn(line, " ");
    size_t length = strcspn(line, "\n");
    (void)snprintf(joined, size, "%.*s", (int)length, line);
    line += length + (line[length] == '\n' ? 1 : 0);
    for (;;) {
        const size_t next = strspn(line, " ");
        const size_t used = strlen(joined);
        if (next <= indent + 4 || line[next] == '\n' || strstr(joined, "//") != NULL)
            return line;
        length = strcspn(line, "\n");
        const bool is_open = used > 0 && (joined[used - 1] == '(' || joined[used - 1] == '{');
        (void)snprintf(joined + used, size - used, "%s%.*s", is_open ? "" : " ",
                       (int)(length - next), line + next);
        line += length + (line[length] == '\n' ? 1 : 0);
    }
}

// The box lies below the text: it is drawn first, when its height is known.
static void write_code(column *c, const char *lines)
{
    if (lines[0] == '\0')
        return;
    const float scale = c->canvas->font->scale, inset = 8.0f * scale;
    const float top = c->y + 0.4f * line_height(c);
    for (int pass = 0; pass < 2; pass++) {
        const uint32_t before = c->canvas->count;
        if (pass == 1)
            view_draw_round_rect(c->canvas, (view_rect){c->x, top, c->width, c->y - top},
                                 6.0f * scale, code_box);
        c->y = top + inset;
        for (const char *line = lines; *line != '\0';) {
            char joined[512];
            line = join_lines(line, joined, sizeof joined);
            write_code_line(c, inset, joined, strlen(joined));
        }
        c->y += inset;
        if (pass == 0)
            c->canvas->count = before;
    }
    c->y += 0.4f * line_height(c);
}

static void format_value(const view_slider *slider, float value, char *text, size_t size)
{
    if (slider->word != NULL)
        (void)snprintf(text, size, "%s", slider->word(roundf(value)));
    else if (slider->whole)
        (void)snprintf(text, size, "%.0f", (double)value);
    else
        (void)snprintf(text, size, "%.3g", (double)value);
}

static void write_slider(column *c, const view_slider *slider, float value, view_rect *rect)
{
    const float scale = c->canvas->font->scale, line = 1.15f * line_height(c);
    const float label = 0.34f * c->width, number = 0.3f * c->width;
    char text[64];
    format_value(slider, value, text, sizeof text);
    view_draw_text(c->canvas, VIEW_TEXT, c->x, c->y, label - 8.0f * scale, VIEW_PLAIN,
                   slider->name);
    *rect = (view_rect){c->x + label, c->y, c->width - label - number, line_height(c)};
    view_draw_slider(c->canvas, *rect, (value - slider->low) / (slider->high - slider->low));
    view_draw_text(c->canvas, VIEW_TEXT, c->x + c->width - number + 14.0f * scale, c->y,
                   number - 14.0f * scale, VIEW_BRIGHT, text);
    c->y += line;
}

static void write_fact(column *c, const view_fact *fact)
{
    char text[64];
    const double size = fabs(fact->value);
    const char *const format = size >= 1e4 || (size > 0.0 && size < 1e-3) ? "%.2e %s" : "%.4g %s";
    (void)snprintf(text, sizeof text, format, fact->value, fact->unit);
    view_draw_text(c->canvas, VIEW_TEXT, c->x, c->y, 0.6f * c->width, VIEW_DIM, fact->name);
    view_draw_text(c->canvas, VIEW_TEXT, c->x + 0.62f * c->width, c->y, 0.38f * c->width,
                   VIEW_BRIGHT, text);
    c->y += line_height(c);
}

static void write_column(column *c, view_pages *pages, const view_page *page,
                         const view_picture *picture)
{
    char where[64];
    (void)snprintf(where, sizeof where, "%s  %u / %u   Y: next   Esc: close", page->family,
                   (unsigned)pages->open + 1, (unsigned)view_num_pages());
    view_draw_text(c->canvas, VIEW_TEXT, c->x, c->y, c->width, VIEW_DIM, where);
    c->y += line_height(c);
    view_draw_text(c->canvas, VIEW_TITLE, c->x, c->y, c->width, VIEW_BRIGHT, page->title);
    c->y += c->canvas->font->line[VIEW_TITLE];
    write_wrapped(c, VIEW_PLAIN, page->about);
    write_code(c, view_page_lines(page->name));
    for (uint32_t i = 0; i < page->num_sliders; i++)
        write_slider(c, &page->sliders[i], pages->values[i], &pages->sliders[i]);
    c->y += 0.3f * line_height(c);
    for (uint32_t i = 0; i < picture->num_facts; i++)
        write_fact(c, &picture->facts[i]);
}

static view_rect shrink_rect(view_rect rect, float x, float y, float factor)
{
    return (view_rect){x + (rect.x - x) * factor, y + (rect.y - y) * factor, rect.width * factor,
                       rect.height * factor};
}

// Written several times: until its height is known, and fits. If the window is too low, it is
// written wider and scaled down.
void view_draw_page_panel(view_pages *pages, const view_page *page, const view_picture *picture,
                          view_canvas *canvas, float width, float height)
{
    const float scale = canvas->font->scale, margin = VIEW_MARGIN * scale;
    const float padding = VIEW_PADDING * scale, room = height - 2.0f * (margin + padding);
    view_rect box = {margin, margin, view_panel_width(canvas->font, width) - 1.5f * margin, 0.0f};
    const uint32_t before = canvas->count;
    const float left = box.x + padding, top = box.y + padding;
    const float step = 0.03f, least = 0.4f;
    float factor = 1.0f;
    for (;;) {
        canvas->count = before;
        view_draw_round_rect(canvas, box, VIEW_RADIUS * scale, VIEW_BOX);
        const uint32_t first = canvas->count;
        column c = {canvas, left, top, (box.width - 2.0f * padding) / factor};
        write_column(&c, pages, page, picture);
        view_shrink(canvas, first, left, top, factor);
        for (uint32_t i = 0; i < page->num_sliders; i++)
            pages->sliders[i] = shrink_rect(pages->sliders[i], left, top, factor);
        const float used = (c.y - top) * factor;
        const bool fits = used <= room + 0.5f || factor < least;
        if (fits && box.height > 0.0f)
            break;
        if (fits)
            box.height = used + 2.0f * padding; // once more, over the box
        else
            factor -= step;
    }
    pages->panel = box;
    pages->shrunk = factor;
}

// -- Plots ----------------------------------------------------------------------------------

static void draw_segment(view_canvas *canvas, md5_vec2 from, md5_vec2 to, float width,
                         view_color color)
{
    const float x = to.x - from.x, y = to.y - from.y, length = sqrtf(x * x + y * y);
    if (!(length > 1e-4f))
        return;
    const float ax = -y / length * 0.5f * width, ay = x / length * 0.5f * width;
    const float upper[6] = {from.x + ax, from.y + ay, to.x + ax, to.y + ay, to.x - ax, to.y - ay};
    const float lower[6] = {from.x + ax, from.y + ay, to.x - ax,
                            to.y - ay,   from.x - ax, from.y - ay};
    view_draw_triangle(canvas, upper, color);
    view_draw_triangle(canvas, lower, color);
}

static md5_vec2 on_screen(const view_plot *plot, view_rect area, md5_vec2 point)
{
    const float x = (point.x - plot->low.x) / (plot->high.x - plot->low.x);
    const float y = (point.y - plot->low.y) / (plot->high.y - plot->low.y);
    return (md5_vec2){area.x + fminf(fmaxf(x, 0.0f), 1.0f) * area.width,
                      area.y + area.height - fminf(fmaxf(y, 0.0f), 1.0f) * area.height};
}

// The names of the series in their colours, in one line.
static void draw_legend(const view_plot *plot, view_canvas *canvas, float x, float y, float width)
{
    const float scale = canvas->font->scale, right = x + width;
    for (uint32_t i = 0; i < plot->num_series && x < right; i++) {
        const view_series *const series = &plot->series[i];
        view_draw_disc(canvas, x + 4.0f * scale, y + 0.5f * canvas->font->line[VIEW_TEXT],
                       4.0f * scale, series->color | 0xFFu);
        x += 12.0f * scale;
        x += view_draw_text(canvas, VIEW_TEXT, x, y, fmaxf(right - x, 1.0f), VIEW_PLAIN,
                            series->name)
             + 12.0f * scale;
    }
}

static void draw_axes(const view_plot *plot, view_canvas *canvas, view_rect area)
{
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    char text[32];
    view_draw_rect(canvas, (view_rect){area.x, area.y, scale, area.height}, axis_color);
    view_draw_rect(canvas, (view_rect){area.x, area.y + area.height, area.width, scale},
                   axis_color);
    if (plot->low.y < 0.0f && plot->high.y > 0.0f) {
        const md5_vec2 zero = on_screen(plot, area, (md5_vec2){plot->low.x, 0.0f});
        view_draw_rect(canvas, (view_rect){area.x, zero.y, area.width, scale}, axis_color);
    }
    (void)snprintf(text, sizeof text, "%.3g", (double)plot->high.y);
    view_draw_text(canvas, VIEW_TEXT,
                   area.x - 6.0f * scale - view_text_width(canvas->font, VIEW_TEXT, text),
                   area.y - 0.3f * line, 0, VIEW_DIM, text);
    (void)snprintf(text, sizeof text, "%.3g", (double)plot->low.y);
    view_draw_text(canvas, VIEW_TEXT,
                   area.x - 6.0f * scale - view_text_width(canvas->font, VIEW_TEXT, text),
                   area.y + area.height - 0.7f * line, 0, VIEW_DIM, text);
    (void)snprintf(text, sizeof text, "%.3g", (double)plot->low.x);
    const float below = area.y + area.height + 2.0f * scale;
    view_draw_text(canvas, VIEW_TEXT, area.x, below, 0, VIEW_DIM, text);
    const float name = view_text_width(canvas->font, VIEW_TEXT, plot->across);
    view_draw_text(canvas, VIEW_TEXT, area.x + 0.5f * (area.width - name), below, 0, VIEW_DIM,
                   plot->across);
    (void)snprintf(text, sizeof text, "%.3g", (double)plot->high.x);
    view_draw_text(canvas, VIEW_TEXT,
                   area.x + area.width - view_text_width(canvas->font, VIEW_TEXT, text), below, 0,
                   VIEW_DIM, text);
}

static void draw_plot(const view_plot *plot, view_canvas *canvas, view_rect box)
{
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    const float padding = 10.0f * scale, left = 44.0f * scale;
    view_draw_round_rect(canvas, box, VIEW_RADIUS * scale, VIEW_BOX);
    const view_rect area = {box.x + padding + left, box.y + padding + 2.3f * line,
                            box.width - 2.0f * padding - left,
                            box.height - 2.0f * padding - 3.5f * line};
    view_draw_text(canvas, VIEW_TEXT, box.x + padding, box.y + padding, box.width - 2.0f * padding,
                   VIEW_BRIGHT, plot->title);
    draw_legend(plot, canvas, box.x + padding, box.y + padding + line, box.width - 2.0f * padding);
    draw_axes(plot, canvas, area);
    for (uint32_t i = 0; i < plot->num_series; i++) {
        const view_series *const series = &plot->series[i];
        for (uint32_t p = 1; p < series->count; p++)
            draw_segment(canvas, on_screen(plot, area, series->points[p - 1]),
                         on_screen(plot, area, series->points[p]), 2.0f * scale, series->color);
    }
    for (uint32_t i = 0; i < plot->num_marks; i++) {
        const md5_vec2 at = on_screen(plot, area, plot->marks[i].point);
        view_draw_disc(canvas, at.x, at.y, 5.0f * scale, plot->marks[i].color);
    }
}

void view_draw_plots(const view_picture *picture, view_canvas *canvas, view_rect area)
{
    const float margin = VIEW_MARGIN * canvas->font->scale;
    const float count = (float)(picture->num_plots > 0 ? picture->num_plots : 1);
    const float width = (area.width - margin * (count - 1.0f)) / count;
    for (uint32_t i = 0; i < picture->num_plots; i++)
        draw_plot(&picture->plots[i], canvas,
                  (view_rect){area.x + (float)i * (width + margin), area.y, width, area.height});
}

// -- Contents -------------------------------------------------------------------------------

void view_draw_contents(view_pages *pages, view_canvas *canvas, float width, float height)
{
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    const float margin = VIEW_MARGIN * scale, padding = VIEW_PADDING * scale;
    const view_rect box = {margin, margin, width - 2.0f * margin, height - 2.0f * margin};
    view_draw_round_rect(canvas, box, VIEW_RADIUS * scale, VIEW_BOX);
    view_draw_text(canvas, VIEW_TITLE, box.x + padding, box.y + padding, 0, VIEW_BRIGHT,
                   "Techniques");
    const float top = box.y + padding + 1.4f * canvas->font->line[VIEW_TITLE];
    const float column_width = (box.width - 2.0f * padding) / 3.0f;
    float x = box.x + padding, y = top;
    const char *family = "";
    for (uint32_t i = 0; i < view_num_pages() && i < VIEW_MAX_LISTED; i++) {
        const view_page *const page = view_page_at(i);
        const bool begins = strcmp(page->family, family) != 0;
        if (y + (begins ? 2.5f : 1.0f) * line > box.y + box.height - padding) {
            x += column_width;
            y = top;
        }
        if (begins) {
            y += y > top ? 0.5f * line : 0.0f;
            view_draw_text(canvas, VIEW_TEXT, x, y, column_width - padding, VIEW_AMBER,
                           page->family);
            y += line;
            family = page->family;
        }
        pages->listed[i] = (view_rect){x, y, column_width - padding, line};
        view_draw_text(canvas, VIEW_TEXT, x + 10.0f * scale, y,
                       column_width - padding - 10.0f * scale, VIEW_BRIGHT, page->title);
        y += line;
    }
    pages->panel = box;
    pages->shrunk = 1.0f;
}
