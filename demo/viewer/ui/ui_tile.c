// Lists of tiles: thumbnails of files and clips in a grid, and scrolling of lists by whole lines.
// ui.h documents the functions.
#include "demo/viewer/ui/ui.h"

bool ui_scroll_lines(view_ui *ui, float height, size_t room, size_t count, size_t *first)
{
    const float max_first = count > room ? (float)(count - room) : 0;
    if (ui->mouse.wheel == 0 && (ui->mouse.dragged == 0 || !(max_first > 0)))
        return false;
    // Remember a distance of less than a line for the next event.
    ui->scroll_rest = ui->mouse.dragged != 0 ? ui->scroll_rest + ui->mouse.dragged : 0;
    const float lines = truncf(ui->scroll_rest / height);
    ui->scroll_rest -= lines * height;
    *first = (size_t)view_clamp((float)*first - truncf(3 * ui->mouse.wheel) - lines, 0, max_first);
    ui->has_taken = true;
    return true;
}

view_thumbnail *ui_thumbnail(view_ui *ui, const char *request, bool is_in_game)
{
    view_thumbnail *unused = NULL;
    for (int i = 0; i < VIEW_MAX_THUMBNAILS; i++) {
        view_thumbnail *const picture = &ui->pictures[i];
        if (picture->request == NULL) {
            unused = unused != NULL ? unused : picture;
        } else if (picture->is_in_game == is_in_game && strcmp(picture->request, request) == 0) {
            picture->is_visible = true;
            return picture;
        }
    }
    if (unused == NULL)
        return NULL;
    *unused = (view_thumbnail){
        .request = common_copy(request), .is_in_game = is_in_game, .is_visible = true};
    view_wake_window();
    return unused;
}

bool ui_next_tile(view_ui *ui, ui_grid *grid, float least, float height, view_rect *box)
{
    const float gap = 0.6f * ui->em;
    const uint32_t column = grid->count++ % (grid->per_row > 0 ? grid->per_row : 1);
    if (column == 0) {
        grid->height = ceilf(height);
        grid->is_visible = ui_reserve_row(ui, grid->height, &grid->row);
        grid->per_row = (uint32_t)fmaxf(floorf(grid->row.width / (least + gap)), 1);
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
    if (content->is_grey)
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

// Copies a name that is wider than `width` with an ellipsis after its first `head` bytes, so that
// its end remains, by which similar names differ.
static void shorten_name(const view_ui *ui, const char *name, size_t head, float width,
                         char text[256])
{
    const char *end = name + head;
    snprintf(text, 256, "%s", name);
    while (*end != '\0' && ui_text_width(ui, text) > width) {
        end++;
        while ((*end & 0xC0) == 0x80) // inside of a character
            end++;
        snprintf(text, 256, "%.*s\xE2\x80\xA6%s", (int)head, name, end);
    }
}

// Draws the name of a tile in one row, or in two rows if it is too long: the second row is the file
// extension if the rest fits into the first row.
static void draw_tile_name(view_ui *ui, view_rect row, view_color color, const char *name)
{
    char line[VIEW_MAX_LINE];
    char last[256];
    const char *rest = view_next_line(ui->canvas->font, VIEW_TEXT, row.width, name, line);
    const char *const dot = strrchr(name, '.');
    const bool has_stem = dot != NULL && dot > name && dot < rest;
    if (has_stem && *rest != '\0') {
        COMMON_TEXT(line, "%.*s", (int)(dot - name), name);
        rest = dot;
    }
    ui_text_in(ui, row, color, line);
    row.y += row.height;
    shorten_name(ui, rest, 0, row.width, last);
    ui_text_in(ui, row, color, last);
}

// Draws the name of a wide tile. The middle of a long name is omitted.
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
    const view_rect body = {roundf(box.x + 0.5f * (box.width - 1.3f * em)),
                            roundf(box.y + 0.5f * box.height - 0.4f * em), roundf(1.3f * em),
                            roundf(0.95f * em)};
    const view_rect tab = {body.x, body.y - roundf(0.2f * em), roundf(0.6f * em),
                           roundf(0.4f * em)};
    view_draw_round_rect(ui->canvas, tab, 0.12f * em, VIEW_AMBER);
    view_draw_round_rect(ui->canvas, body, 0.12f * em, VIEW_AMBER);
}

bool ui_content_tile(view_ui *ui, view_rect box, const ui_tile_content *content)
{
    const float line = ui->line;
    const float gap = 0.4f * ui->em;
    const bool is_wide = box.width > 2 * box.height;
    const bool is_pressed = ui_tile(ui, box, content->label, content->is_selected && is_wide);
    if (!is_wide) { // images have a background
        view_draw_round_rect(ui->canvas, box, gap, VIEW_CONTROL);
        if (content->is_selected || ui_is_hot(ui))
            view_draw_frame(ui->canvas, box, 0.4f * gap,
                            content->is_selected ? VIEW_ACCENT : VIEW_DISABLED);
    }
    const view_color color = tile_name_color(ui, content);
    const view_color below = tile_text_color(content, is_wide);
    view_rect image = view_inset(box, gap);
    view_rect row = image;
    ui_tip_cut(ui, content->name, is_wide ? 0.6f * row.width : 2 * row.width);
    if (is_wide) {
        if (content->is_link)
            image.width = content->is_folder ? 1.5f * ui->em : 0;
        else
            image.width = image.height;
        row.x += image.width + gap;
        row.width -= image.width + gap;
        row.y = box.y + 0.5f * (box.height - line);
        const float used = fminf(ui_text_width(ui, content->text), 0.5f * row.width);
        ui_text(ui, row.x + row.width - used, row.y, used + 1, below, content->text);
        row.width -= used > 0 ? used + gap : 0;
        draw_row_name(ui, row, color, content->name);
    } else {
        const bool is_long = ui_text_width(ui, content->name) > row.width;
        const float name_height = is_long ? 2 * line : line;
        image.height -= name_height + (*content->text != '\0' ? line : 0);
        row.height = line;
        row.y = image.y + image.height;
        draw_tile_name(ui, row, color, content->name);
        row.y += name_height;
        ui_text_in(ui, row, below, content->text);
    }
    if (content->is_folder)
        draw_folder(ui, image);
    const view_thumbnail square = {.texture = content->texture, .width = 1, .height = 1};
    const view_thumbnail *const shown = content->picture != NULL ? content->picture : &square;
    if (shown->texture != 0 && !content->is_link)
        ui_image(ui, image, shown->texture, shown->width, shown->height, !content->is_data);
    else if (content->is_wrong || content->sign != NULL)
        ui_text_in(ui, image, below, content->is_wrong ? "\xE2\x9A\xA0" : content->sign);
    return is_pressed;
}

bool ui_clip_tile(view_ui *ui, view_rect box, size_t number, bool is_selected, bool is_visible)
{
    const view_document *const document = ui->stage->document;
    const view_clip *const clip = &document->scene.clips[number];
    view_clip_picture *const picture =
        is_visible && number < document->num_pictures ? &document->pictures[number] : NULL;
    char text[32];
    COMMON_TEXT(text, "%.2f s", clip->anim->duration);
    if (picture != NULL && !picture->is_wanted) // images of clips are drawn one per frame
        view_wake_window();
    if (picture != NULL)
        picture->is_wanted = true;
    return ui_content_tile(ui, box,
                           &(ui_tile_content){.label = clip->name,
                                              .name = clip->name,
                                              .text = text,
                                              .texture = picture != NULL ? picture->texture : 0,
                                              .is_selected = is_selected});
}
