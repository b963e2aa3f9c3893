// Tiles, which display files and clips as images in a grid, and scrolling of lists by whole lines.
// ui_tile.h documents each function.
#include "demo/viewer/ui/ui_tile.h"

// Sizes in em.
static const float grid_gap = 0.6f;     // distance between tiles
static const float tile_gap = 0.4f;     // distance between the edge of a tile and its content
static const float folder_width = 1.5f; // space for the icon of a folder

// Scrolls a list of `count` lines by the wheel or a finger, in whole lines. Returns true if the
// event was used for it.
bool ui_scroll_lines(view_ui *ui, float height, size_t num_visible, size_t count, size_t *first)
{
    const float lines_per_wheel_step = 3;
    const float max_first = count > num_visible ? (float)(count - num_visible) : 0;
    const bool is_wheel = ui->mouse.wheel != 0;
    const bool is_dragged = ui->mouse.dragged != 0;
    const bool can_drag = max_first > 0; // a finger on a short list presses its lines instead
    if (!is_wheel && !(is_dragged && can_drag))
        return false;

    // A list scrolls by whole lines. A movement of less than a line is stored for the next event.
    ui->scroll_rest = is_dragged ? ui->scroll_rest + ui->mouse.dragged : 0;
    const float dragged_lines = truncf(ui->scroll_rest / height);
    ui->scroll_rest -= dragged_lines * height;

    const float wheel_lines = truncf(lines_per_wheel_step * ui->mouse.wheel);
    *first = (size_t)view_clamp((float)*first - wheel_lines - dragged_lines, 0, max_first);
    ui->is_event_handled = true;
    return true;
}

// Returns the preview of a file, or of an item of the listed game, from the cache. If it is not in
// the cache, requests it. It appears after it was loaded in the background.
view_thumbnail *ui_thumbnail(view_ui *ui, const char *request, bool is_in_game)
{
    view_thumbnail *unused = NULL; // the first unused element of the cache
    for (int i = 0; i < VIEW_MAX_THUMBNAILS; i++) {
        view_thumbnail *const thumbnail = &ui->pictures[i];
        if (thumbnail->request == NULL) {
            if (unused == NULL)
                unused = thumbnail;
            continue;
        }
        const bool is_same_kind = thumbnail->is_in_game == is_in_game;
        if (is_same_kind && strcmp(thumbnail->request, request) == 0) {
            thumbnail->is_visible = true;
            return thumbnail;
        }
    }
    if (unused == NULL)
        return NULL;

    *unused = (view_thumbnail){
        .request = common_copy(request), .is_in_game = is_in_game, .is_visible = true};
    view_wake_window(); // so that the window loads it
    return unused;
}

// Sets `box` to the rectangle of the next tile of a grid, at least `min_width` pixels wide. Returns
// true if the tile is visible.
bool ui_next_tile(view_ui *ui, ui_grid *grid, float min_width, float height, view_rect *box)
{
    const float gap = grid_gap * ui->em;
    const uint32_t tiles_per_row = grid->per_row > 0 ? grid->per_row : 1;
    const uint32_t column = grid->count % tiles_per_row;
    grid->count++;
    if (column == 0) { // begin a row, and find the number of tiles that fit into it
        grid->height = ceilf(height);
        grid->is_visible = ui_reserve_row(ui, grid->height, &grid->row);
        grid->per_row = (uint32_t)fmaxf(floorf(grid->row.width / (min_width + gap)), 1);
        grid->count = 1;
    }

    const float step = (grid->row.width - gap) / (float)grid->per_row; // without the scroll bar
    *box = (view_rect){grid->row.x + step * (float)column, grid->row.y, step - gap,
                       grid->row.height - 0.5f * gap};
    return grid->is_visible;
}

// Returns the color of the name of a tile.
static view_color tile_name_color(const view_ui *ui, const ui_tile_content *content)
{
    if (content->is_gray)
        return VIEW_DISABLED;
    if (content->is_selected || ui_is_hot(ui))
        return VIEW_BRIGHT;
    return content->is_link ? VIEW_ACCENT : VIEW_PLAIN;
}

// Returns the color of the second text of a tile.
static view_color tile_text_color(const ui_tile_content *content, bool is_wide)
{
    if (content->is_wrong)
        return VIEW_AMBER;
    return content->is_selected && is_wide ? VIEW_PLAIN : VIEW_DIM;
}

// Copies a name. If it is wider than `width`, an ellipsis replaces characters after the first
// `head` bytes. The end of the name is kept, because similar names usually differ at their ends.
static void shorten_name(const view_ui *ui, const char *name, size_t head, float width,
                         char text[256])
{
    const char *end = name + head;
    snprintf(text, 256, "%s", name);
    while (*end != '\0' && ui_text_width(ui, text) > width) {
        end++;
        while ((*end & 0xC0) == 0x80) // a byte that continues a UTF-8 character
            end++;
        snprintf(text, 256, "%.*s\xE2\x80\xA6%s", (int)head, name, end);
    }
}

// Draws the name of a tile in one line. A name that is too long gets two lines. If the name fits in
// the first line without its file extension, the second line contains the extension.
static void draw_tile_name(view_ui *ui, view_rect row, view_color color, const char *name)
{
    char first_line[VIEW_MAX_LINE];
    const char *remaining =
        view_next_line(ui->canvas->font, VIEW_TEXT, row.width, name, first_line);
    const char *const dot = strrchr(name, '.');
    const bool has_extension = dot != NULL && dot > name;
    const bool breaks_at_dot = has_extension && dot < remaining && *remaining != '\0';
    if (breaks_at_dot) {
        COMMON_TEXT(first_line, "%.*s", (int)(dot - name), name);
        remaining = dot;
    }
    ui_text_in(ui, row, color, first_line);

    char second_line[256];
    view_rect second_row = row;
    second_row.y += row.height;
    shorten_name(ui, remaining, 0, row.width, second_line);
    ui_text_in(ui, second_row, color, second_line);
}

// Draws the name of a wide tile in one line. If the name is too long, its beginning gets half of
// the width. An ellipsis and the end of the name follow.
static void draw_row_name(view_ui *ui, view_rect row, view_color color, const char *name)
{
    char line[VIEW_MAX_LINE];
    char text[256];
    view_next_line(ui->canvas->font, VIEW_TEXT, 0.5f * row.width, name, line);
    shorten_name(ui, name, strlen(line), row.width, text);
    ui_text(ui, row.x, row.y, row.width, color, text);
}

// Draws the icon of a folder in the middle of a box.
static void draw_folder(const view_ui *ui, view_rect box)
{
    const float em = ui->em;
    const float radius = 0.12f * em;
    const float width = 1.3f * em;
    const view_rect body = {roundf(box.x + 0.5f * (box.width - width)),
                            roundf(box.y + 0.5f * box.height - 0.4f * em), roundf(width),
                            roundf(0.95f * em)};
    const view_rect tab = {body.x, body.y - roundf(0.2f * em), roundf(0.6f * em),
                           roundf(0.4f * em)};
    view_draw_round_rect(ui->canvas, tab, radius, VIEW_AMBER);
    view_draw_round_rect(ui->canvas, body, radius, VIEW_AMBER);
}

// Draws the background of a tile that has an image. A tile that is selected or under the mouse has
// a frame.
static void draw_tile_background(const view_ui *ui, view_rect box, bool is_selected)
{
    const float gap = tile_gap * ui->em;
    view_draw_round_rect(ui->canvas, box, gap, VIEW_CONTROL);
    if (is_selected || ui_is_hot(ui))
        view_draw_frame(ui->canvas, box, 0.4f * gap, is_selected ? VIEW_ACCENT : VIEW_DISABLED);
}

// Draws the texts of a wide tile. The name is at the right of the image, and the text is at the
// right end of the tile. Returns the area for the image. A link has no image, but a link to a
// folder has an icon.
static view_rect draw_wide_tile_texts(view_ui *ui, view_rect box, const ui_tile_content *content)
{
    const float gap = tile_gap * ui->em;
    const view_rect inside = view_inset(box, gap);
    float image_width = inside.height; // a square
    if (content->is_link)
        image_width = content->is_folder ? folder_width * ui->em : 0;

    // The remaining area at the right of the image contains both texts.
    const float left = inside.x + (image_width + gap);
    const float width = inside.width - (image_width + gap);
    const float y = box.y + 0.5f * (box.height - ui->line);
    const float text_width = fminf(ui_text_width(ui, content->text), 0.5f * width);
    ui_text(ui, left + width - text_width, y, text_width + 1, tile_text_color(content, true),
            content->text);
    const float used_width = text_width > 0 ? text_width + gap : 0;
    const view_rect name = {left, y, width - used_width, inside.height};
    draw_row_name(ui, name, tile_name_color(ui, content), content->name);
    return (view_rect){inside.x, inside.y, image_width, inside.height};
}

// Draws the texts of a tile below its image: the name in one or two lines, then the text. Returns
// the area for the image.
static view_rect draw_tile_texts(view_ui *ui, view_rect box, const ui_tile_content *content)
{
    const view_rect inside = view_inset(box, tile_gap * ui->em);
    const bool is_long = ui_text_width(ui, content->name) > inside.width;
    const float name_height = is_long ? 2 * ui->line : ui->line;
    const float text_height = *content->text != '\0' ? ui->line : 0;
    const float image_height = inside.height - (name_height + text_height);

    const view_rect name = {inside.x, inside.y + image_height, inside.width, ui->line};
    view_rect text = name;
    text.y += name_height;
    draw_tile_name(ui, name, tile_name_color(ui, content), content->name);
    ui_text_in(ui, text, tile_text_color(content, false), content->text);
    return (view_rect){inside.x, inside.y, inside.width, image_height};
}

// Draws the image of a tile. If there is no image, draws an icon: a warning sign if
// content->is_wrong is true, otherwise content->sign. A folder has its own icon.
static void draw_tile_image(view_ui *ui, view_rect area, const ui_tile_content *content,
                            view_color icon_color)
{
    if (content->is_folder)
        draw_folder(ui, area);

    const view_thumbnail square = {.texture = content->texture, .width = 1, .height = 1};
    const view_thumbnail *const image = content->picture != NULL ? content->picture : &square;
    if (image->texture != 0 && !content->is_link)
        ui_image(ui, area, image->texture, image->width, image->height, !content->is_data);
    else if (content->is_wrong)
        ui_text_in(ui, area, icon_color, "\xE2\x9A\xA0");
    else if (content->sign != NULL)
        ui_text_in(ui, area, icon_color, content->sign);
}

// Adds a tile with an image above its name and its text. In a wide tile, the texts are at the right
// of the image. Returns true if the tile was pressed.
bool ui_content_tile(view_ui *ui, view_rect box, const ui_tile_content *content)
{
    const bool is_wide = box.width > 2 * box.height;
    const bool is_pressed = ui_tile(ui, box, content->label, content->is_selected && is_wide);
    if (!is_wide)
        draw_tile_background(ui, box, content->is_selected);

    // If the name is too long for its space, the tooltip shows it completely.
    const float width = view_inset(box, tile_gap * ui->em).width;
    ui_tooltip_if_wider(ui, content->name, is_wide ? 0.6f * width : 2 * width);

    const view_rect image =
        is_wide ? draw_wide_tile_texts(ui, box, content) : draw_tile_texts(ui, box, content);
    draw_tile_image(ui, image, content, tile_text_color(content, is_wide));
    return is_pressed;
}

// Adds the tile of a clip. Requests its image if the tile is visible. Only one image of a clip is
// drawn per frame, so the window must be woken for the following frames. Returns true if the tile
// was pressed.
bool ui_clip_tile(view_ui *ui, view_rect box, size_t number, bool is_selected, bool is_visible)
{
    const view_document *const document = ui->stage->document;
    const view_clip *const clip = &document->scene.clips[number];
    md5gl_texture texture = 0;
    const bool has_image = is_visible && number < document->num_pictures;
    if (has_image) {
        view_clip_picture *const image = &document->pictures[number];
        if (!image->is_wanted)
            view_wake_window();
        image->is_wanted = true;
        texture = image->texture;
    }

    char duration[32];
    COMMON_TEXT(duration, "%.2f s", clip->anim->duration);
    const ui_tile_content content = {.label = clip->name,
                                     .name = clip->name,
                                     .text = duration,
                                     .texture = texture,
                                     .is_selected = is_selected};
    return ui_content_tile(ui, box, &content);
}
