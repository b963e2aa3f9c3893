// Temporary overlays over the picture: the list of keys, and errors.
#include "demo/viewer/ui/panels.h"

#include <math.h>

// -- Keys -----------------------------------------------------------------------------------

enum { MAX_COLUMNS = 4 };

// In lines: the height of a heading with its spacing, and the space before a group.
static const float heading_lines = 1.3f, gap_lines = 1.0f;

typedef struct key_column {
    uint32_t begin, end; // its lines: whole groups
    float height;        // in lines
    float keys, help;    // widths in pixels
} key_column;

// The keys of the current mode, in columns.
typedef struct key_page {
    view_key_line lines[VIEW_MAX_KEY_LINES];
    uint32_t num_lines;
    key_column columns[MAX_COLUMNS];
    uint32_t num_columns;
    float width, height; // pixels, padding included
} key_page;

// The number of lines of the group at `begin`; `end`: the beginning of the next group.
static float measure_group(const key_page *page, uint32_t begin, uint32_t *end)
{
    *end = begin + 1;
    while (*end < page->num_lines && page->lines[*end].heading == NULL)
        ++*end;
    return heading_lines + (float)(*end - begin);
}

// Fills at most `num` columns of at most `most` lines. Returns whether that was enough.
static bool split_columns(key_page *page, float most, uint32_t num)
{
    page->num_columns = 0;
    for (uint32_t begin = 0, end; begin < page->num_lines; begin = end) {
        const float lines = measure_group(page, begin, &end);
        key_column *const last = &page->columns[page->num_columns > 0 ? page->num_columns - 1 : 0];
        if (page->num_columns > 0 && last->height + gap_lines + lines <= most) {
            last->height += gap_lines + lines;
            last->end = end;
            continue;
        }
        if (page->num_columns == num)
            return false;
        page->columns[page->num_columns++] = (key_column){begin, end, lines, 0, 0};
    }
    return true;
}

static void measure_column(const view_font *font, const key_page *page, key_column *column)
{
    for (uint32_t i = column->begin; i < column->end; i++) {
        const view_key_line *const line = &page->lines[i];
        column->keys = fmaxf(column->keys, view_text_width(font, VIEW_TEXT, line->keys));
        column->help = fmaxf(column->help, view_text_width(font, VIEW_TEXT, line->help));
    }
}

static float key_padding(const view_font *font)
{
    return 24.0f * font->scale;
}

// The space between keys and their texts, and between columns.
static float key_gap(const view_font *font)
{
    return 18.0f * font->scale;
}

// The columns of least height, at most `num` of them.
static void lay_out_keys(const view_font *font, key_page *page, uint32_t num)
{
    float most = 1.0f;
    while (!split_columns(page, most, num))
        most += 0.1f;
    page->width = 2.0f * key_padding(font) - 2.0f * key_gap(font);
    page->height = 0.0f;
    for (uint32_t i = 0; i < page->num_columns; i++) {
        key_column *const column = &page->columns[i];
        measure_column(font, page, column);
        page->width += column->keys + column->help + 3.0f * key_gap(font);
        page->height = fmaxf(page->height, column->height);
    }
    page->height = page->height * font->line[VIEW_TEXT] + 2.0f * key_padding(font);
}

// With the number of columns that allows the largest text.
static float fit_keys(const view_font *font, key_page *page, float width, float height)
{
    float best = 0.0f;
    uint32_t best_num = 1;
    for (uint32_t num = 1; num <= MAX_COLUMNS; num++) {
        lay_out_keys(font, page, num);
        const float factor = fminf(1.0f, fminf(width / page->width, height / page->height));
        if (factor > best) {
            best = factor;
            best_num = num;
        }
    }
    lay_out_keys(font, page, best_num);
    return best;
}

static void draw_keys_column(const view_facts *facts, const key_page *page,
                             const key_column *column, float x, float y)
{
    const float line = facts->stage.font->line[VIEW_TEXT];
    const float help_x = x + column->keys + key_gap(facts->stage.font);
    for (uint32_t i = column->begin; i < column->end; i++) {
        const view_key_line *const of = &page->lines[i];
        if (of->heading != NULL) {
            y += i > column->begin ? gap_lines * line : 0.0f;
            view_draw_text(facts->stage.canvas, VIEW_TEXT, x, y, 0, VIEW_ACCENT, of->heading);
            y += heading_lines * line;
        }
        view_draw_text(facts->stage.canvas, VIEW_TEXT, x, y, 0, VIEW_BRIGHT, of->keys);
        view_draw_text(facts->stage.canvas, VIEW_TEXT, help_x, y, 0, VIEW_PLAIN, of->help);
        y += line;
    }
}

uint32_t view_current_keys(const view_document *document, view_key_line lines[VIEW_MAX_KEY_LINES])
{
    const char *triggers[VIEW_MAX_TRIGGERS];
    uint32_t count = 0;
    const view_mode mode = view_mode_of(document);
    const view_machine *const machine = &document->scene.machine;
    while (mode == VIEW_MODE_MACHINE && count < VIEW_MAX_TRIGGERS) {
        const int32_t trigger = view_find_trigger(machine, count);
        if (trigger < 0)
            break;
        triggers[count++] = machine->desc->parameters[trigger].name;
    }
    const bool walks = mode == VIEW_MODE_MACHINE && view_can_walk(machine);
    return view_list_keys(mode, triggers, count, walks, lines);
}

void view_draw_keys(const view_facts *facts)
{
    const float width = facts->width, height = facts->height;
    key_page page;
    page.num_lines = view_current_keys(facts->stage.document, page.lines);
    const float factor = fit_keys(facts->stage.font, &page, width, height);
    const float padding = key_padding(facts->stage.font), gap = key_gap(facts->stage.font);
    const view_rect box = {roundf(0.5f * (width - page.width)),
                           roundf(0.5f * (height - page.height)), page.width, page.height};
    const uint32_t first = facts->stage.canvas->count;
    view_draw_round_rect(facts->stage.canvas, box, VIEW_RADIUS * facts->stage.font->scale,
                         0x12151AF6u);
    float x = box.x + padding;
    for (uint32_t i = 0; i < page.num_columns; i++) {
        const key_column *const column = &page.columns[i];
        draw_keys_column(facts, &page, column, x, box.y + padding);
        x += column->keys + column->help + 3.0f * gap;
    }
    view_shrink(facts->stage.canvas, first, 0.5f * width, 0.5f * height, factor);
}

// -- Errors ---------------------------------------------------------------------------------

// The error of the last file, until it is dismissed by Esc, a click or the next file.
void view_error_panel(view_ui *ui, const view_facts *facts)
{
    const float width = facts->width;
    const float scale = facts->stage.font->scale, margin = VIEW_MARGIN * scale;
    const float inner = fmaxf(
        fminf(440.0f * scale, width - 2.0f * margin - 2.0f * VIEW_PADDING * scale), 40.0f * scale);
    view_rows rows = {.font = facts->stage.font, .width = inner};
    view_add_row(&rows, VIEW_ROW_TITLE, 0xFF8A80FFu, "", "Error");
    view_add_wrapped(&rows, VIEW_BRIGHT, facts->stage.log->error, 6);
    view_add_gap(&rows);
    view_add_row(&rows, VIEW_ROW_TEXT, VIEW_DIM, "", "Esc or click to dismiss");
    const view_rect box = {roundf(0.5f * width - 0.5f * inner - VIEW_PADDING * scale), margin,
                           inner + 2.0f * VIEW_PADDING * scale, view_rows_height(&rows)};
    view_draw_round_rect(facts->stage.canvas, box, VIEW_RADIUS * scale, 0x3A1719F0u);
    view_draw_rows(facts->stage.canvas, &rows, box.x, box.y);
    ui_begin(ui, "error");
    if (ui_item(ui, box, facts->stage.log->error))
        ui_ask_action(ui, VIEW_CLOSE_LISTS);
}
