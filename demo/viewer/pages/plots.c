// Draws the plots of a lesson.
#include "demo/viewer/pages/page.h"

#include <limits.h>

// Returns the pixel of a point of a plot. Points outside of the axes are moved to the edge.
static md5_vec2 plot_to_screen(const view_plot *plot, view_rect area, md5_vec2 point)
{
    const md5_vec2 low = plot->row.low;
    const md5_vec2 high = plot->row.high;
    const float across = view_clamp((point.x - low.x) / (high.x - low.x), 0, 1);
    const float up = view_clamp((point.y - low.y) / (high.y - low.y), 0, 1);
    return (md5_vec2){area.x + across * area.width, area.y + area.height - up * area.height};
}

// Returns the number of series, which ends before the first entry without a name.
static int count_series(const view_plot *plot)
{
    int count = 0;
    while (count < VIEW_PAGE_SERIES && plot->row.series[count].name != NULL)
        count++;
    return count;
}

// Draws a curve between two points: a straight line or, with `has_steps`, a horizontal line
// followed by a vertical line.
static void draw_step(view_canvas *canvas, md5_vec2 from, md5_vec2 to, bool has_steps, float width,
                      view_color color)
{
    if (!has_steps) {
        view_draw_segment(canvas, (const float[4]){from.x, from.y, to.x, to.y}, width, color);
        return;
    }
    view_draw_segment(canvas, (const float[4]){from.x, from.y, to.x, from.y}, width, color);
    view_draw_segment(canvas, (const float[4]){to.x, from.y, to.x, to.y}, width, color);
}

void view_draw_series(const view_plot *plot, view_canvas *canvas, view_rect area, float width)
{
    const int num_series = count_series(plot);
    for (int i = 0; i < num_series; i++) {
        const view_series *const series = &plot->series[i];
        for (uint32_t p = 1; p < series->count; p++) {
            const md5_vec2 from = plot_to_screen(plot, area, series->points[p - 1]);
            const md5_vec2 to = plot_to_screen(plot, area, series->points[p]);
            draw_step(canvas, from, to, plot->row.series[i].has_steps, width,
                      plot->row.series[i].color);
        }
    }
}

// Writes a number; the fraction `shift` of its width is at the left of x. Returns its width.
static float draw_number(view_canvas *canvas, float x, float y, float shift, float value)
{
    char text[32];
    COMMON_TEXT(text, "%.4g", value);
    const float width = view_text_width(canvas->font, VIEW_TEXT, text);
    view_draw_text(canvas, VIEW_TEXT, x - shift * width, y, 0, VIEW_DIM, text);
    return width;
}

// Writes the limits of the horizontal axis at its ends, and its name between them if the name fits.
static void draw_horizontal_labels(const view_plot *plot, view_canvas *canvas, view_rect area)
{
    const float scale = canvas->font->scale;
    const float y = area.y + area.height + 2 * scale;
    const float low_width = draw_number(canvas, area.x, y, 0, plot->row.low.x);
    const float high_width = draw_number(canvas, area.x + area.width, y, 1, plot->row.high.x);

    const float name_width = view_text_width(canvas->font, VIEW_TEXT, plot->row.across);
    const float space = 0.5f * (area.width - name_width); // at both sides of the centered name
    const bool fits = space >= fmaxf(low_width, high_width) + 4 * scale;
    if (fits)
        view_draw_text(canvas, VIEW_TEXT, area.x + space, y, 0, VIEW_DIM, plot->row.across);
}

// Draws a horizontal line at each power of ten.
static void draw_power_lines(const view_plot *plot, view_canvas *canvas, view_rect area)
{
    const int first = (int)ceilf(plot->row.low.y);
    const int last = (int)floorf(plot->row.high.y);
    for (int power = first; power <= last; power++) {
        const float y = plot_to_screen(plot, area, (md5_vec2){plot->row.low.x, (float)power}).y;
        view_draw_rect(canvas, (view_rect){area.x, y, area.width, canvas->font->scale}, VIEW_EDGE);
    }
}

// Writes the name of each series to the left of its lane, centered in the lane.
static void draw_lane_names(const view_plot *plot, view_canvas *canvas, view_rect area)
{
    const float half_line = 0.5f * canvas->font->line[VIEW_TEXT];
    const float right = area.x - 6 * canvas->font->scale;
    const int num_series = count_series(plot);
    for (int i = 0; i < num_series; i++) {
        const md5_vec2 middle = {plot->row.low.x, 0.5f - (float)i};
        const float y = plot_to_screen(plot, area, middle).y - half_line;
        const char *const name = plot->row.series[i].name;
        const float width = view_text_width(canvas->font, VIEW_TEXT, name);
        const view_color opaque_color = plot->row.series[i].color | 0xFFu;
        view_draw_text(canvas, VIEW_TEXT, right - width, y, 0, opaque_color, name);
    }
}

// Draws the axes, a line at height 0, and the limits and the name of the axes. If the heights are
// logarithms, draws a line at each power of ten, and the limits as powers. If the series have
// lanes, the vertical axis has their names instead of limits.
static void draw_axes(const view_plot *plot, view_canvas *canvas, view_rect area)
{
    const float scale = canvas->font->scale;
    const float line = canvas->font->line[VIEW_TEXT];
    const float bottom = area.y + area.height;
    const float zero = plot_to_screen(plot, area, (md5_vec2){plot->row.low.x, 0}).y;
    view_draw_rect(canvas, (view_rect){area.x, area.y, scale, area.height}, VIEW_EDGE);
    view_draw_rect(canvas, (view_rect){area.x, bottom, area.width, scale}, VIEW_EDGE);

    float low = plot->row.low.y;
    float high = plot->row.high.y;
    if (plot->row.fit == VIEW_FIT_POWERS) {
        draw_power_lines(plot, canvas, area);
        low = powf(10, low);
        high = powf(10, high);
    }
    draw_horizontal_labels(plot, canvas, area);
    if (plot->row.fit == VIEW_FIT_LANES) {
        draw_lane_names(plot, canvas, area);
        return;
    }
    view_draw_rect(canvas, (view_rect){area.x, zero, area.width, scale}, VIEW_EDGE);
    const float numbers_right = area.x - 6 * scale;
    draw_number(canvas, numbers_right, area.y - 0.3f * line, 1, high);
    draw_number(canvas, numbers_right, bottom - 0.7f * line, 1, low);
}

// Distances of the names of the series, layout units.
static const float legend_disc_width = 12; // from the left of the disc to the name

static const float legend_gap = 12; // distance between two names

// Returns the width of the names of all series in one line.
static float legend_width(const view_plot *plot, const view_font *font)
{
    const int num_series = count_series(plot);
    float width = 0;
    for (int i = 0; i < num_series; i++)
        width += view_text_width(font, VIEW_TEXT, plot->row.series[i].name)
                 + (legend_disc_width + legend_gap) * font->scale;
    return width - legend_gap * font->scale;
}

// Writes the names of the series, each after a disc in the color of its curve. The lines extend
// from `left_top` to `right`. If `is_drawn` is false, only measures them. Returns the y of the end
// of the last line.
static float draw_legend(const view_plot *plot, view_canvas *canvas, md5_vec2 left_top, float right,
                         bool is_drawn)
{
    const float scale = canvas->font->scale;
    const float line = canvas->font->line[VIEW_TEXT];
    const float disc_width = legend_disc_width * scale;
    const float radius = 4 * scale;
    const int num_series = count_series(plot);
    float x = left_top.x;
    float y = left_top.y;
    for (int i = 0; i < num_series; i++) {
        const char *const name = plot->row.series[i].name;
        const float width = disc_width + view_text_width(canvas->font, VIEW_TEXT, name);
        const bool is_first_in_line = x <= left_top.x;
        if (!is_first_in_line && x + width > right) {
            x = left_top.x;
            y += line;
        }
        if (is_drawn) {
            const view_color opaque_color = plot->row.series[i].color | 0xFFu;
            const float max_name_width = fmaxf(right - x - disc_width, 1);
            view_draw_disc(canvas, x + radius, y + 0.5f * line, radius, opaque_color);
            view_draw_text(canvas, VIEW_TEXT, x + disc_width, y, max_name_width, VIEW_PLAIN, name);
        }
        x += width + legend_gap * scale;
    }
    return y + line;
}

// Writes the title of a plot. A title that is wider than `max_width`, as on a phone, is wrapped. If
// `is_drawn` is false, only measures it. Returns the y of the end of the last line.
static float draw_plot_title(const view_plot *plot, view_canvas *canvas, md5_vec2 left_top,
                             float max_width, bool is_drawn)
{
    const char *remaining = plot->row.title;
    float y = left_top.y;
    while (*remaining != '\0') {
        char text[VIEW_MAX_LINE];
        remaining = view_next_line(canvas->font, VIEW_TEXT, max_width, remaining, text);
        if (is_drawn)
            view_draw_text(canvas, VIEW_TEXT, left_top.x, y, max_width, VIEW_BRIGHT, text);
        y += canvas->font->line[VIEW_TEXT];
    }
    return y;
}

// Returns the top left corner of the names of the series. They are to the right of the title if all
// fit there, otherwise below it, at `title_bottom`.
static md5_vec2 legend_position(const view_plot *plot, const view_canvas *canvas, md5_vec2 title,
                                float title_bottom, float right)
{
    const float gap = 24 * canvas->font->scale;
    const float title_width = view_text_width(canvas->font, VIEW_TEXT, plot->row.title);
    const float left = title.x + title_width + gap;
    const bool fits = left + legend_width(plot, canvas->font) <= right;
    return fits ? (md5_vec2){left, title.y} : (md5_vec2){title.x, title_bottom};
}

// Returns the width at the left of the vertical axis, for its numbers or for the names of lanes.
static float vertical_label_width(const view_plot *plot, const view_font *font)
{
    float width = 44 * font->scale; // width of numbers
    if (plot->row.fit != VIEW_FIT_LANES)
        return width;
    const int num_series = count_series(plot);
    for (int i = 0; i < num_series; i++) {
        const char *const name = plot->row.series[i].name;
        width = fmaxf(width, view_text_width(font, VIEW_TEXT, name) + 6 * font->scale);
    }
    return width;
}

// Positions of the parts of a plot.
typedef struct plot_layout {
    md5_vec2 title;  // left top corner
    md5_vec2 legend; // left top corner; unused if the series have lanes
    float right;     // right end of the title, the legend and the curves
    view_rect area;  // area of the curves
} plot_layout;

static plot_layout lay_out_plot(const view_plot *plot, view_canvas *canvas, view_rect box)
{
    const float line = canvas->font->line[VIEW_TEXT];
    const float padding = 10 * canvas->font->scale;
    const float left = box.x + padding + vertical_label_width(plot, canvas->font);
    const float right = box.x + box.width - padding;
    const float bottom = box.y + box.height - padding - 1.2f * line;
    plot_layout layout = {.title = {box.x + padding, box.y + padding}, .right = right};
    const float max_width = right - layout.title.x;
    const float title_bottom = draw_plot_title(plot, canvas, layout.title, max_width, false);
    float top = title_bottom + 0.3f * line;
    layout.legend = legend_position(plot, canvas, layout.title, title_bottom, right);
    if (plot->row.fit != VIEW_FIT_LANES)
        top = draw_legend(plot, canvas, layout.legend, right, false) + 0.3f * line;
    layout.area = (view_rect){left, top, right - left, bottom - top};
    return layout;
}

float view_min_plot_height(const view_plot *plot, view_canvas *canvas, float width)
{
    const float curves = 3 * canvas->font->line[VIEW_TEXT];
    const view_rect empty_box = {.width = width};
    return curves - lay_out_plot(plot, canvas, empty_box).area.height;
}

void view_draw_plot(const view_plot *plot, view_canvas *canvas, view_rect box)
{
    const float scale = canvas->font->scale;
    const plot_layout layout = lay_out_plot(plot, canvas, box);
    const view_rect area = layout.area;

    view_draw_round_rect(canvas, box, VIEW_RADIUS * scale, VIEW_BOX);
    draw_plot_title(plot, canvas, layout.title, layout.right - layout.title.x, true);
    draw_axes(plot, canvas, area);
    view_draw_series(plot, canvas, area, 2 * scale);
    if (plot->row.fit != VIEW_FIT_LANES)
        draw_legend(plot, canvas, layout.legend, layout.right, true);
    for (uint32_t i = 0; i < plot->num_marks; i++) {
        const md5_vec2 position = plot_to_screen(plot, area, plot->marks[i].point);
        view_draw_disc(canvas, position.x, position.y, 5 * scale, plot->marks[i].color);
    }
}
