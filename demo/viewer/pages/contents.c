// Draws the contents, which show a thumbnail of each lesson. The thumbnails are drawn once, into
// one texture.
#include "demo/viewer/pages/page.h"

#include "demo/viewer/ui/window_layout.h"

enum { THUMBNAIL_WIDTH = 208, THUMBNAIL_HEIGHT = 124, THUMBNAIL_COLUMNS = 8 };

// Draws the curves of a lesson's first plot over the lower half of its thumbnail.
static void draw_thumbnail_plot(const view_picture *picture, view_canvas *canvas)
{
    const float margin = 4; // distance between the plot and the edges of the thumbnail, pixels
    const float half_height = 0.5f * (float)THUMBNAIL_HEIGHT;
    const view_rect area = {margin, half_height, (float)THUMBNAIL_WIDTH - 2 * margin,
                            half_height - margin};
    if (picture->num_plots > 0)
        view_draw_series(picture->plots, canvas, area, 1.5f);
}

// Draws the thumbnail of a lesson into `rgba`: its figures at the start time, and the curves of its
// first plot. A separate stage is used, so the open lesson does not change. Returns false if the
// thumbnail cannot be drawn.
static bool draw_thumbnail(const view_stage *given, view_document *document, int32_t number,
                           md5gl_target *target, uint8_t *rgba)
{
    view_pages pages = {.open = -1};
    view_shown shown = *given->shown;
    shown.shadows = false; // they are slow without a GPU
    shown.grid = false;    // its lines are too fine for a thumbnail
    view_camera camera = VIEW_DEFAULT_CAMERA;
    camera.azimuth = view_page_azimuth(view_page_at((uint32_t)number));
    view_stage stage = *given;
    stage.shown = &shown;
    stage.document = document;
    stage.camera = &camera;
    stage.pages = &pages;
    stage.width = THUMBNAIL_WIDTH;
    stage.height = THUMBNAIL_HEIGHT;

    md5_error error = {0};
    view_open_page(&pages, number);
    bool is_drawn = view_draw_page(&stage, 0, target, VIEW_OMIT_INTERFACE, &error);
    view_clear_canvas(stage.canvas);
    draw_thumbnail_plot(&pages.picture, stage.canvas);
    view_draw_canvas(&stage);

    if (!md5gl_end_frame(stage.renderer, &error))
        is_drawn = false;
    if (is_drawn)
        is_drawn = md5gl_read_pixels(stage.renderer, target, THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT,
                                     rgba, &error);
    view_free_pages(&pages, stage.renderer);
    return is_drawn;
}

// Loads a character of the lessons from the folder `models`. Returns NULL if its file does not
// exist. This is no error: in a browser, the file may still be downloading.
static view_document *load_character(const view_stage *stage, const char *models, const char *name)
{
    const view_loader loader = {stage->options, stage->renderer, stage->log, NULL};
    char *const path = common_join(models, name);
    view_document *document = NULL;
    if (common_is_file(path)) {
        const char *const names[1] = {path};
        document = view_load_document(&loader, names, 1, true, false,
                                      (view_document_settings){.dual = false});
    }
    free(path);
    if (document != NULL)
        view_measure_document(document, NULL);
    return document;
}

bool view_lacks_thumbnails(const view_pages *pages)
{
    return pages->open == VIEW_CONTENTS && pages->folder != NULL
           && pages->num_thumbnails < view_num_pages;
}

// Returns the number of rows of thumbnails in the texture of all thumbnails.
static uint32_t count_atlas_rows(void)
{
    return (view_num_pages + THUMBNAIL_COLUMNS - 1) / THUMBNAIL_COLUMNS;
}

// The atlas is the texture that contains all thumbnails. Pitches are bytes per row of texels.
static const size_t thumbnail_pitch = 4 * (size_t)THUMBNAIL_WIDTH;

static const size_t atlas_pitch = 4 * (size_t)THUMBNAIL_WIDTH * THUMBNAIL_COLUMNS;

// Copies the texels of thumbnail `index` to its tile of the atlas.
static void copy_to_atlas(uint8_t *atlas, const uint8_t *rgba, uint32_t index)
{
    const uint32_t row = index / THUMBNAIL_COLUMNS;
    const uint32_t column = index % THUMBNAIL_COLUMNS;
    uint8_t *const begin = atlas + row * THUMBNAIL_HEIGHT * atlas_pitch + column * thumbnail_pitch;
    for (size_t y = 0; y < THUMBNAIL_HEIGHT; y++)
        memcpy(begin + y * atlas_pitch, rgba + y * thumbnail_pitch, thumbnail_pitch);
}

// Draws the next thumbnail into the atlas. It remains black if its character or `target` is missing
// or it cannot be drawn.
static void prepare_thumbnail(const view_stage *stage, md5gl_target *target, uint8_t *rgba)
{
    view_pages *const pages = stage->pages;
    const uint32_t index = pages->num_thumbnails++;
    const char *const model = view_page_at(index)->model; // NULL: the default character
    view_document *special = NULL;
    if (model != NULL)
        special = load_character(stage, pages->folder, model);
    view_document *const document = model != NULL ? special : pages->default_character;
    const bool is_drawn = target != NULL && document != NULL
                          && draw_thumbnail(stage, document, (int32_t)index, target, rgba);
    if (is_drawn)
        copy_to_atlas(pages->atlas, rgba, index);
    view_free_document(special, stage->renderer);
}

// Replaces the texture of the thumbnails by the current texels of the atlas.
static void upload_atlas(view_pages *pages, md5gl_renderer *renderer, md5_error *error)
{
    const md5gl_texture_desc desc = {.kind = MD5GL_TEXTURE_COLOR,
                                     .width = THUMBNAIL_WIDTH * THUMBNAIL_COLUMNS,
                                     .height = THUMBNAIL_HEIGHT * count_atlas_rows(),
                                     .texels = pages->atlas};
    md5gl_destroy_texture(renderer, pages->thumbnails);
    pages->thumbnails = md5gl_create_texture(renderer, &desc, error);
}

// Draws the next missing thumbnail, or for --output all. Call it outside of a frame.
void view_prepare_thumbnails(const view_stage *stage)
{
    view_pages *const pages = stage->pages;
    if (!view_lacks_thumbnails(pages))
        return;
    if (pages->atlas == NULL) {
        pages->atlas = common_alloc(atlas_pitch, THUMBNAIL_HEIGHT * count_atlas_rows());
        pages->default_character = load_character(stage, pages->folder, VIEW_DEFAULT_MODEL);
    }

    // A window stays responsive with one thumbnail per call; an output needs all of them.
    md5_error error = {0};
    md5gl_target *const target =
        md5gl_create_target(stage->renderer, THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT, 4, &error);
    uint8_t *const rgba = common_alloc(thumbnail_pitch, THUMBNAIL_HEIGHT);
    do {
        prepare_thumbnail(stage, target, rgba);
    } while (stage->options->output != NULL && view_lacks_thumbnails(pages));
    free(rgba);
    upload_atlas(pages, stage->renderer, &error);
    md5gl_destroy_target(stage->renderer, target);

    // After the last thumbnail, only the texture is still needed.
    const bool is_complete = pages->num_thumbnails == view_num_pages;
    if (is_complete) {
        view_free_document(pages->default_character, stage->renderer);
        free(pages->atlas);
        pages->default_character = NULL;
        pages->atlas = NULL;
    }
}

// Frees the texture with the thumbnails and its texels, the document with the character of most
// lessons, and the path of the folder.
void view_free_thumbnails(view_pages *pages, md5gl_renderer *renderer)
{
    if (renderer != NULL)
        md5gl_destroy_texture(renderer, pages->thumbnails);
    view_free_document(pages->default_character, renderer);
    free(pages->atlas);
    free(pages->folder);
}

// Draws the title of a lesson below its thumbnail, in one or two rows. The second row is cut at
// `width` if the title is too long.
static void draw_lesson_title(view_canvas *canvas, float x, float y, float width, const char *title)
{
    char row[VIEW_MAX_LINE];
    for (int i = 0; i < 2 && *title != '\0'; i++) {
        title = view_next_line(canvas->font, VIEW_TEXT, i == 0 ? width : INFINITY, title, row);
        view_draw_text(canvas, VIEW_TEXT, x, y, width, VIEW_BRIGHT, row);
        y += canvas->font->line[VIEW_TEXT];
    }
}

// Returns the number of tiles below one name of a chapter. They are the lessons of the chapter from
// `number` to the end of a row. A row has `per_row` tiles.
static uint32_t count_chapter_tiles(uint32_t number, uint32_t per_row)
{
    const char *const family = view_page_at(number)->family;
    uint32_t end = number + 1;
    while (end < view_num_pages && end % per_row != 0
           && strcmp(view_page_at(end)->family, family) == 0)
        end++;
    return end - number;
}

// Draws the name of a chapter above its tiles, below a line that separates it from the titles of
// the row above.
static void draw_chapter_name(view_canvas *canvas, view_rect tiles, const char *name)
{
    const float line = canvas->font->line[VIEW_TEXT];
    const view_rect rule = {tiles.x, tiles.y + 0.5f * line, tiles.width, canvas->font->scale};
    view_draw_rect(canvas, rule, VIEW_EDGE);
    view_draw_text(canvas, VIEW_TEXT, tiles.x, tiles.y + 0.75f * line, tiles.width, VIEW_AMBER,
                   name);
}

// Draws the thumbnail of a lesson from the texture of all thumbnails.
static void draw_lesson_thumbnail(view_canvas *canvas, const view_pages *pages, view_rect box,
                                  uint32_t number)
{
    const uint32_t row = number / THUMBNAIL_COLUMNS;
    const uint32_t column = number % THUMBNAIL_COLUMNS;
    const float u = 1.0f / (float)THUMBNAIL_COLUMNS;
    const float v = 1.0f / (float)count_atlas_rows();
    const float left = u * (float)column;
    const float top = v * (float)row;
    if (pages->thumbnails != 0)
        view_draw_image(canvas, box, (const float[4]){left, top, left + u, top + v},
                        pages->thumbnails, true);
}

// The sizes of the grid of lessons, pixels. From top to bottom, a tile is a space for the name of a
// chapter, a thumbnail, and two lines for the title.
typedef struct lesson_grid {
    uint32_t tiles_per_row;
    float tile_width;
    float gap; // between two tiles of a row
    float chapter_height;
    float image_height;
    float row_height;
} lesson_grid;

// Returns the grid for a width in pixels. A row has as many tiles as fit at their minimum width.
// The tiles are then widened to fill the row.
static lesson_grid lay_out_tiles(const view_font *font, float width)
{
    const float line = font->line[VIEW_TEXT];
    const float min_width = 140 * font->scale;
    const float gap = 8 * font->scale;
    const float columns = fmaxf(floorf((width + gap) / (min_width + gap)), 1);
    lesson_grid grid = {.tiles_per_row = (uint32_t)columns,
                        .tile_width = (width + gap) / columns - gap,
                        .gap = gap,
                        .chapter_height = 1.9f * line};
    grid.image_height = grid.tile_width * (float)THUMBNAIL_HEIGHT / (float)THUMBNAIL_WIDTH;
    grid.row_height = grid.chapter_height + grid.image_height + 2 * line;
    return grid;
}

// Draws the tile of lesson `number`, whose left edge is `x`, in a visible row. The first tile of a
// chapter also shows the name of the chapter, which extends over the chapter's tiles in this row.
static void draw_lesson_tile(view_canvas *canvas, const view_pages *pages, const lesson_grid *grid,
                             view_rect row, float x, uint32_t number, bool begins_chapter)
{
    const view_page *const page = view_page_at(number);
    if (begins_chapter) {
        const float num_tiles = (float)count_chapter_tiles(number, grid->tiles_per_row);
        const float width = num_tiles * (grid->tile_width + grid->gap) - grid->gap;
        draw_chapter_name(canvas, (view_rect){x, row.y, width, row.height}, page->family);
    }
    const view_rect image = {x, row.y + grid->chapter_height, grid->tile_width, grid->image_height};
    draw_lesson_thumbnail(canvas, pages, image, number);
    draw_lesson_title(canvas, x, image.y + image.height, grid->tile_width, page->title);
}

// Draws the tiles of all lessons in rows that can be scrolled, and opens the lesson whose tile is
// pressed. The scroll bar is at the right of `area`.
static void show_lesson_tiles(view_ui *ui, view_pages *pages, view_rect area)
{
    const view_font *const font = ui->canvas->font;
    const lesson_grid grid = lay_out_tiles(font, area.width);
    view_rect area_with_bar = area;
    area_with_bar.width += VIEW_PADDING * font->scale;

    // The keyboard can also select tiles that are scrolled out of view, so the item of each tile is
    // added. Only visible tiles are drawn.
    ui_column rows;
    view_rect row = {0, 0, 0, 0};
    bool is_visible = false;
    const char *previous_chapter = "";
    ui_begin_column(ui, &rows, area_with_bar, &pages->scroll);
    for (uint32_t i = 0; i < view_num_pages; i++) {
        const view_page *const page = view_page_at(i);
        const bool begins_chapter = strcmp(page->family, previous_chapter) != 0;
        previous_chapter = page->family;
        const uint32_t column = i % grid.tiles_per_row;
        const bool begins_row = column == 0;
        if (begins_row)
            is_visible = ui_reserve_row(ui, grid.row_height, &row);

        const float x = row.x + (float)column * (grid.tile_width + grid.gap);
        const view_rect tile = {x, row.y, grid.tile_width, row.height};
        if (ui_item(ui, tile, page->title))
            UI_COMMAND(ui, VIEW_OPEN_PAGE, .number = i);
        if (is_visible)
            draw_lesson_tile(ui->canvas, pages, &grid, row, x, i, begins_chapter);
    }
    ui_end_column(ui);
}

void view_show_contents(view_ui *ui, const view_stage *stage)
{
    const view_font *const font = stage->font;
    const float margin = VIEW_MARGIN * font->scale;
    const float padding = VIEW_PADDING * font->scale;
    const float title_height = 1.4f * font->line[VIEW_TITLE];
    const float top = view_current_layout(stage).menu.height;
    const view_rect below_menu = {0, top, stage->width, stage->height - top};
    const view_rect box = view_inset(below_menu, margin);
    view_rect area = view_inset(box, padding);
    const view_rect title = view_cut(&area, VIEW_AT_TOP, title_height); // the tiles get the rest
    const view_rect close_button = {title.x + title.width - title_height, title.y, title_height,
                                    font->line[VIEW_TITLE]};

    ui_box(ui, "contents", box, "");
    view_draw_text(ui->canvas, VIEW_TITLE, title.x, title.y, 0, VIEW_BRIGHT, "Lessons");
    if (ui_sign(ui, close_button, "close", "\xE2\x9C\x95")) // a cross
        UI_COMMAND(ui, VIEW_CLOSE_LISTS);
    ui_tooltip(ui, "Close  Esc");
    show_lesson_tiles(ui, stage->pages, area);
}
