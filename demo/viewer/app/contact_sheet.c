#include "demo/viewer/app/contact_sheet.h"

#include "demo/common/file.h"
#include "demo/common/system.h"
#include "demo/viewer/app/open.h"
#include "demo/viewer/jobs/output.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MODELS = 2000, MOST_FOLDERS = 4000, LEAST_SIDE = 96 };

static void add_all(common_list *list, common_list *more, size_t most)
{
    for (size_t i = 0; i < more->count && list->count < most; i++) {
        list->names = common_realloc(list->names, list->count + 1, sizeof *list->names);
        list->names[list->count++] = common_copy(more->names[i]);
    }
    common_free_list(more);
}

// Breadth-first, through no links.
static common_list list_models(const char *folder)
{
    common_list folders = {0}, models = {0}, first = {common_alloc(1, sizeof(char *)), 1};
    first.names[0] = common_copy(folder);
    add_all(&folders, &first, MOST_FOLDERS);
    for (size_t i = 0; i < folders.count; i++) {
        common_list files = common_list_folder(folders.names[i], ".md5mesh");
        common_list below = common_list_folder(folders.names[i], NULL);
        add_all(&models, &files, MOST_MODELS);
        if (i == 0 || !common_is_link(folders.names[i]))
            add_all(&folders, &below, MOST_FOLDERS);
        common_free_list(&below);
    }
    common_free_list(&folders);
    return models;
}

// A grid of cells; each has a line of text below its picture.
typedef struct grid {
    uint32_t columns, rows, width, height; // of a cell, with its line
    uint32_t line;
} grid;

// The grid of up to `count` cells whose pictures are the largest.
static grid choose_grid(const view_state *viewer, size_t count)
{
    grid best = {.line = (uint32_t)viewer->font.line[VIEW_TEXT] + 2};
    const uint32_t width = viewer->options->width, height = viewer->options->height;
    uint32_t most = 0;
    for (uint32_t columns = 1; columns <= count && columns <= width; columns++) {
        const uint32_t tall = best.line + LEAST_SIDE, fitting = height > tall ? height / tall : 1;
        const uint32_t needed = ((uint32_t)count + columns - 1) / columns;
        const uint32_t rows = needed < fitting ? needed : fitting, cell = height / rows;
        const uint32_t high = cell > best.line ? cell - best.line : 1;
        const uint32_t side = width / columns < high ? width / columns : high;
        // More cells come before larger ones, down to the least size.
        const uint32_t shown = rows * columns < count ? rows * columns : (uint32_t)count;
        const uint32_t worth = side < LEAST_SIDE && columns > 1 ? 0 : (shown << 14) + side;
        if (worth > most) {
            most = worth;
            best = (grid){columns, rows, width / columns, cell, best.line};
        }
    }
    return best;
}

// Of the beginning of a text, the bytes that fit into a line: up to a space, if there is one.
static size_t fitting(const view_state *viewer, const char *text, float width)
{
    char part[256] = "";
    size_t length = strlen(text) < sizeof part ? strlen(text) : sizeof part - 1;
    memcpy(part, text, length);
    while (length > 1 && view_text_width(&viewer->font, VIEW_TEXT, part) > width)
        part[--length] = '\0';
    const char *const space = text[length] != '\0' ? strrchr(part, ' ') : NULL;
    return space != NULL ? (size_t)(space - part) + 1 : length;
}

// Writes text on a plain ground, in as many lines as fit; the last one is cut off.
static bool draw_text(view_state *viewer, md5gl_target *target, uint32_t width, uint32_t height,
                      view_color color, const char *text, uint8_t *rgba)
{
    md5_error error;
    const float line = viewer->font.line[VIEW_TEXT], room = (float)width - 8.0f;
    const md5gl_frame frame = {
        .target = target, .width = width, .height = height, .background = {0.1f, 0.11f, 0.13f, 1}};
    view_clear_canvas(&viewer->canvas);
    for (float y = 1.0f; *text != '\0'; y += line) {
        const bool is_last = y + 2.0f * line > (float)height;
        const size_t length = is_last ? strlen(text) : fitting(viewer, text, room);
        char *const part = common_format("%.*s", (int)length, text);
        (void)view_draw_text(&viewer->canvas, VIEW_TEXT, 4.0f, y, room, color, part);
        free(part);
        text += length;
    }
    md5gl_begin_frame(viewer->renderer, &frame);
    const view_facts facts = view_facts_of(viewer, (float)width, (float)height);
    view_draw_canvas(&facts.stage);
    const bool is_drawn =
        md5gl_end_frame(viewer->renderer, &error)
        && md5gl_read_pixels(viewer->renderer, target, width, height, rgba, &error);
    if (!is_drawn)
        view_log_error(&viewer->log, &error);
    return is_drawn;
}

// Draws a model, or why it cannot be shown, and its name.
static bool draw_cell(view_state *viewer, md5gl_target *target, const grid *cells, const char *file,
                      const char *name, uint8_t *rgba)
{
    const uint32_t width = cells->width, height = cells->height - cells->line;
    viewer->width = width;
    viewer->height = height;
    bool is_drawn;
    if (view_open(viewer, &file, 1, false)) {
        view_frame_still(viewer);
        is_drawn = view_draw_picture(viewer, target, width, height, false, true, rgba);
    } else {
        is_drawn = draw_text(viewer, target, width, height, 0xff9a8aff, viewer->log.error, rgba);
    }
    // Of a long name the end says more.
    while (view_text_width(&viewer->font, VIEW_TEXT, name) > (float)width - 8.0f
           && strchr(name, '/') != NULL)
        name = strchr(name, '/') + 1;
    return is_drawn
           && draw_text(viewer, target, width, cells->line, 0xd8dce2ff, name,
                        rgba + 4 * (size_t)width * height);
}

static bool draw_page(view_state *viewer, md5gl_target *target, const grid *cells,
                      const common_list *models, size_t first, uint8_t *sheet)
{
    const size_t width = viewer->options->width, count = (size_t)cells->columns * cells->rows;
    const size_t row = 4 * (size_t)cells->width;
    uint8_t *const tile = common_alloc((size_t)cells->height, row);
    bool is_drawn = draw_text(viewer, target, cells->width, cells->height, 0, "", tile);
    for (size_t i = 0; i < width * viewer->options->height; i++)
        memcpy(sheet + 4 * i, tile, 4); // the ground
    for (size_t i = 0; i < count && first + i < models->count && is_drawn; i++) {
        const char *const file = models->names[first + i];
        char *const name = common_copy(file + strlen(viewer->options->folders[0]));
        name[strlen(name) - strlen(".md5mesh")] = '\0';
        view_log_progress(&viewer->log, "models", first + i, models->count);
        is_drawn = draw_cell(viewer, target, cells, file, name + strspn(name, "/"), tile);
        for (size_t y = 0; y < cells->height; y++)
            memcpy(sheet + 4 * width * (i / cells->columns * cells->height + y)
                       + i % cells->columns * row,
                   tile + y * row, row);
        free(name);
    }
    free(tile);
    return is_drawn;
}

bool view_run_contact_sheet(view_state *viewer)
{
    md5_error error;
    const view_options *const options = viewer->options;
    common_list models = list_models(options->folders[0]);
    const grid cells = choose_grid(viewer, models.count);
    const size_t a_page = (size_t)cells.columns * cells.rows;
    const bool is_stdout = strcmp(options->output, "-") == 0;
    md5gl_target *const target = models.count > 0
                                     ? md5gl_create_target(viewer->renderer, cells.width,
                                                           cells.height, options->samples, &error)
                                     : NULL;
    if (models.count == 0)
        view_error(&viewer->log, "%s: there is no .md5mesh in it", options->folders[0]);
    else if (target == NULL)
        view_log_error(&viewer->log, &error);
    if (models.count == MOST_MODELS)
        view_warn(&viewer->log, "%s: only the first %d models are drawn", options->folders[0],
                  MOST_MODELS);
    bool is_saved = target != NULL;
    for (size_t first = 0; first < models.count && is_saved; first += a_page) {
        const uint32_t page = (uint32_t)(first / a_page) + 1;
        if (is_stdout && page > 1) {
            view_warn(&viewer->log, "%zu of %zu models do not fit into one picture",
                      models.count - a_page, models.count);
            break;
        }
        uint8_t *const sheet = common_alloc((size_t)options->height * options->width, 4);
        char *const path = models.count > a_page && !is_stdout
                               ? view_number_name(options->output, page)
                               : common_copy(options->output);
        is_saved = draw_page(viewer, target, &cells, &models, first, sheet)
                   && view_write_png(&viewer->log, path, options->width, options->height, sheet);
        if (is_saved && !is_stdout)
            view_info(&viewer->log, "%s", path);
        free(path);
        free(sheet);
    }
    view_log_progress(&viewer->log, "models", models.count, models.count);
    md5gl_destroy_target(viewer->renderer, target);
    common_free_list(&models);
    return is_saved;
}
