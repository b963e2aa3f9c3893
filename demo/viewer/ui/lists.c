// What lies over the picture for a while: the keys, and errors.
#include "demo/viewer/jobs/view.h"

#include "demo/viewer/base/panel.h"

#include <math.h>

// -- Keys -----------------------------------------------------------------------------------

enum { MAX_COLUMNS = 3 };

// In lines: a heading with what sets it off, and what sets it off from the group before.
static const float heading_lines = 1.3f, gap_lines = 1.0f;

// Some columns of the table, each with whole groups.
typedef struct key_columns {
    int count;
    size_t begins[MAX_COLUMNS + 1];
    float lines[MAX_COLUMNS];
} key_columns;

// Lines that the group beginning at `begin` needs; `end` is where the next one begins.
static float measure_group(size_t begin, size_t *end)
{
    size_t count;
    float lines = heading_lines;
    const view_binding *const table = view_bindings(&count);
    size_t i = begin;
    do
        lines += table[i].keys != NULL ? 1.0f : 0.0f;
    while (++i < count && table[i].heading == NULL);
    *end = i;
    return lines;
}

// Fills columns of at most `most` lines, as many as it takes.
static bool split_columns(float most, key_columns *columns)
{
    size_t count, end;
    (void)view_bindings(&count);
    *columns = (key_columns){0};
    for (size_t begin = 0; begin < count; begin = end) {
        const float lines = measure_group(begin, &end);
        const int last = columns->count - 1;
        if (last >= 0 && columns->lines[last] + gap_lines + lines <= most) {
            columns->lines[last] += gap_lines + lines;
            continue;
        }
        if (columns->count == MAX_COLUMNS)
            return false;
        columns->begins[columns->count] = begin;
        columns->lines[columns->count++] = lines;
    }
    columns->begins[columns->count] = count;
    return true;
}

// Widths of the keys and of what they do, in a column.
static void measure_column(const view_font *font, size_t begin, size_t end, float *keys,
                           float *help)
{
    size_t count;
    const view_binding *const table = view_bindings(&count);
    *keys = *help = 0.0f;
    for (size_t i = begin; i < end; i++) {
        if (table[i].keys == NULL)
            continue;
        *keys = fmaxf(*keys, view_text_width(font, VIEW_TEXT, table[i].keys));
        *help = fmaxf(*help, view_text_width(font, VIEW_TEXT, table[i].help));
    }
}

static void draw_keys_column(view_state *viewer, size_t begin, size_t end, float x, float help_x,
                             float y)
{
    const float line = viewer->font.line[VIEW_TEXT];
    size_t count;
    const view_binding *const table = view_bindings(&count);
    for (size_t i = begin; i < end; i++) {
        const view_binding *const b = &table[i];
        if (b->keys == NULL)
            continue;
        if (b->heading != NULL) {
            y += i > begin ? gap_lines * line : 0.0f;
            view_draw_text(&viewer->canvas, VIEW_TEXT, x, y, 0, VIEW_ACCENT, b->heading);
            y += heading_lines * line;
        }
        view_draw_text(&viewer->canvas, VIEW_TEXT, x, y, 0, VIEW_BRIGHT, b->keys);
        view_draw_text(&viewer->canvas, VIEW_TEXT, help_x, y, 0, VIEW_PLAIN, b->help);
        y += line;
    }
}

static void draw_keys(view_state *viewer, float width, float height)
{
    const float scale = viewer->font.scale, line = viewer->font.line[VIEW_TEXT];
    const float padding = 24.0f * scale, between = 36.0f * scale, inner = 18.0f * scale;
    key_columns columns;
    float most = 1.0f;
    while (!split_columns(most, &columns))
        most += 0.1f;

    float keys[MAX_COLUMNS] = {0}, help[MAX_COLUMNS] = {0};
    view_rect box = {.width = 2.0f * padding - between, .height = most * line + 2.0f * padding};
    for (int i = 0; i < columns.count; i++) {
        measure_column(&viewer->font, columns.begins[i], columns.begins[i + 1], &keys[i], &help[i]);
        box.width += keys[i] + inner + help[i] + between;
    }
    box.x = roundf(0.5f * (width - box.width));
    box.y = roundf(0.5f * (height - box.height));
    const uint32_t first = viewer->canvas.count;
    view_draw_round_rect(&viewer->canvas, box, VIEW_RADIUS * scale, 0x12151AF6u);
    float x = box.x + padding;
    for (int i = 0; i < columns.count; i++) {
        draw_keys_column(viewer, columns.begins[i], columns.begins[i + 1], x, x + keys[i] + inner,
                         box.y + padding);
        x += keys[i] + inner + help[i] + between;
    }
    view_shrink(&viewer->canvas, first, 0.5f * width, 0.5f * height,
                fminf(width / box.width, height / box.height));
}

// -- Errors ---------------------------------------------------------------------------------

// What went wrong with the last file, until it is seen: Esc, a click on it, or a file that opens.
static void draw_error(view_state *viewer, float width)
{
    const float scale = viewer->font.scale, margin = VIEW_MARGIN * scale;
    const float inner = fmaxf(
        fminf(440.0f * scale, width - 2.0f * margin - 2.0f * VIEW_PADDING * scale), 40.0f * scale);
    view_rows rows = {.font = &viewer->font, .width = inner};
    view_add_row(&rows, VIEW_ROW_TITLE, 0xFF8A80FFu, "", "This did not work");
    view_add_wrapped(&rows, VIEW_BRIGHT, viewer->log.error, 6);
    view_add_gap(&rows);
    view_add_row(&rows, VIEW_ROW_TEXT, VIEW_DIM, "", "Esc or a click takes this away");
    const view_rect box = {roundf(0.5f * width - 0.5f * inner - VIEW_PADDING * scale), margin,
                           inner + 2.0f * VIEW_PADDING * scale, view_rows_height(&rows)};
    view_draw_round_rect(&viewer->canvas, box, VIEW_RADIUS * scale, 0x3A1719F0u);
    view_draw_rows(&viewer->canvas, &rows, box.x, box.y);
    viewer->layout.error = box;
}

void view_draw_lists(view_state *viewer, float width, float height)
{
    if (viewer->shown.lamps)
        view_draw_lamps(viewer, width, height);
    if (viewer->shown.hierarchy && viewer->document->scene.skeleton != NULL)
        view_draw_hierarchy(viewer, width, height);
    view_draw_joint(viewer, width, height);
    if (viewer->shown.help)
        draw_keys(viewer, width, height);
    view_draw_browser(viewer, width, height);
    if (viewer->log.error[0] != '\0' && viewer->browser.kind == VIEW_BROWSE_NOTHING)
        draw_error(viewer, width);
}
