// The panel of textures, in place of the outliner: which image each mesh has as each map, where it
// was looked for, and the images of any folder, to choose from.
#include "demo/viewer/ui/ui.h"

#include "demo/common/memory.h"
#include "demo/viewer/assets/look.h"
#include "demo/viewer/base/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <SDL.h>

#define GREEN 0x7BD88FFFu

// The maps that can be chosen, in the order of the columns.
enum { NUM_MAPS = 4 };
static const struct {
    md5gl_picture map;
    const char *name;
} maps[NUM_MAPS] = {{MD5GL_PICTURE_DIFFUSE, "Texture"},
                    {MD5GL_PICTURE_NORMALS, "Normals"},
                    {MD5GL_PICTURE_SPECULAR, "Specular"},
                    {MD5GL_PICTURE_GLOW, "Glow"}};

static const char *name_of(md5gl_picture map)
{
    int number = 0;
    while (number < NUM_MAPS - 1 && maps[number].map != map)
        number++;
    return maps[number].name;
}

// == What is listed =======================================================================

static void clear_tiles(view_texture_panel *panel, md5gl_renderer *renderer)
{
    for (size_t i = 0; i < panel->num_tiles; i++) {
        if (panel->tiles[i].preview != 0)
            md5gl_destroy_texture(renderer, panel->tiles[i].preview);
        free(panel->tiles[i].path);
    }
    free(panel->tiles);
    panel->tiles = NULL;
    panel->num_tiles = 0;
}

void view_clear_textures(view_texture_panel *panel, md5gl_renderer *renderer)
{
    clear_tiles(panel, renderer);
    free(panel->offered);
    free(panel->saved);
    *panel = (view_texture_panel){.is_open = false};
}

void view_list_images(view_texture_panel *panel, md5gl_renderer *renderer, const char *folder)
{
    char *const absolute = common_absolute(folder), *const clean = common_clean(absolute);
    free(absolute);
    clear_tiles(panel, renderer);
    panel->filter[0] = '\0';
    (void)snprintf(panel->folder, sizeof panel->folder, "%s", clean);
    common_list lists[2] = {common_list_folder(clean, NULL), common_list_folder(clean, "")};
    panel->tiles = common_alloc(lists[0].count + lists[1].count + 1, sizeof *panel->tiles);
    for (int kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < lists[kind].count; i++)
            if (kind == 0 || view_is_image(lists[kind].names[i]))
                panel->tiles[panel->num_tiles++] =
                    (view_tile){.path = common_copy(lists[kind].names[i]), .is_folder = kind == 0};
        common_free_list(&lists[kind]);
    }
    free(clean);
}

// == Parts of rows ========================================================================

static float text_top(const view_ui *ui, view_rect row)
{
    return row.y + floorf(0.5f * (row.height - ui->canvas->font->line[VIEW_TEXT]));
}

// A row of the column without its padding; false if it is not seen.
static bool take_row(view_ui *ui, float height, view_rect *row)
{
    const float em = view_em(ui->canvas->font), padding = 0.7f * em;
    const bool is_seen = ui_take_row(ui, ceilf(height * em), row);
    row->x += padding;
    row->width -= 2.0f * padding;
    return is_seen;
}

static void draw_text(view_ui *ui, view_rect row, view_color color, const char *text)
{
    view_draw_text(ui->canvas, VIEW_TEXT, row.x, text_top(ui, row), fmaxf(row.width, 1.0f), color,
                   text);
}

// An image in the middle of a square, not larger than it is.
static void draw_fitting(view_ui *ui, view_rect box, md5gl_texture image, float width, float height,
                         bool is_color)
{
    static const float whole[4] = {0.0f, 0.0f, 1.0f, 1.0f};
    const float factor = fminf(box.width / fmaxf(width, 1.0f), box.height / fmaxf(height, 1.0f));
    const view_rect place = {box.x + 0.5f * (box.width - factor * width),
                             box.y + 0.5f * (box.height - factor * height), factor * width,
                             factor * height};
    const view_rect clip = ui->canvas->clip;
    if (!(clip.width > 0.0f) || (place.y < clip.y + clip.height && place.y + place.height > clip.y))
        view_draw_image(ui->canvas, place, whole, image, is_color);
}

// A button at the right end of a row, which becomes shorter.
static bool add_button(view_ui *ui, view_rect *row, const char *text, bool is_primary)
{
    const float em = view_em(ui->canvas->font);
    const float width = view_text_width(ui->canvas->font, VIEW_TEXT, text) + 1.4f * em;
    row->width -= width + 0.45f * em;
    return ui_button(ui,
                     (view_rect){row->x + row->width + 0.45f * em, row->y, width,
                                 row->height - floorf(0.2f * em)},
                     text, is_primary);
}

// == Meshes and their maps ================================================================

static const char *mesh_name(const md5_model *model, uint32_t mesh, char *text, size_t size)
{
    (void)snprintf(text, size, "Mesh %u", mesh);
    return model->meshes[mesh].name[0] != '\0' ? model->meshes[mesh].name : text;
}

// Whether a mesh without a texture lacks one: its material may draw it in stages alone.
static bool is_missing(const view_textures *textures, uint32_t mesh, md5gl_picture map)
{
    return map == MD5GL_PICTURE_DIFFUSE && view_mesh_image(textures, mesh, map) == NULL
           && view_find_layered(&textures->layers, mesh) == NULL;
}

static void give(view_ui *ui, size_t mesh, md5gl_picture map, const char *path)
{
    ui->command = (view_command){.action = VIEW_TAKE_TEXTURE,
                                 .number = mesh,
                                 .item = (size_t)map,
                                 .path = path != NULL ? common_copy(path) : NULL};
}

// A cell shows an image, or that there is none. A press chooses it, or gives it what was dropped.
static void add_cell(view_ui *ui, const view_textures *textures, view_rect cell, uint32_t mesh,
                     int number)
{
    view_texture_panel *const panel = &ui->textures;
    const md5gl_picture map = maps[number].map;
    const view_texture *const image = view_mesh_image(textures, mesh, map);
    const bool is_chosen = panel->mesh == mesh && panel->map == map;
    char label[48];
    (void)snprintf(label, sizeof label, "%s %u", maps[number].name, mesh);
    if (ui_item(ui, cell, label)) {
        panel->mesh = mesh;
        panel->map = map;
        if (panel->offered != NULL)
            give(ui, mesh, map, panel->offered);
    }
    if (ui->is_event)
        return;
    view_draw_round_rect(ui->canvas, cell, 4.0f * ui->canvas->font->scale,
                         is_chosen       ? VIEW_CHOSEN
                         : ui_is_hot(ui) ? VIEW_HOVERED
                                         : VIEW_CONTROL);
    const view_rect inside = view_inset(cell, 3.0f * ui->canvas->font->scale);
    if (image != NULL)
        draw_fitting(ui, inside, image->texture, (float)image->width, (float)image->height,
                     map != MD5GL_PICTURE_NORMALS);
    else if (is_missing(textures, mesh, map))
        draw_text(ui, inside, VIEW_AMBER, "\xE2\x9A\xA0 missing");
    else
        draw_text(ui, inside, VIEW_DIM, "none");
}

// The table. In a narrow window the name of a mesh has a row of its own.
static void list_meshes(view_ui *ui, const view_stage *stage)
{
    const md5_model *const model = stage->document->scene.model;
    const float em = view_em(stage->font), gap = 0.3f * em;
    const bool is_narrow = ui->column->area.width < 30.0f * em;
    const float share = is_narrow ? 0.0f : 0.28f;
    view_rect row;
    char text[32];
    if (take_row(ui, 1.6f, &row))
        for (int i = 0; i < NUM_MAPS; i++) {
            const float width = (1.0f - share) * row.width / (float)NUM_MAPS;
            draw_text(ui,
                      (view_rect){row.x + share * row.width + (float)i * width, row.y, width - gap,
                                  row.height},
                      VIEW_DIM, maps[i].name);
        }
    for (uint32_t mesh = 0; mesh < model->num_meshes; mesh++) {
        const char *const name = mesh_name(model, mesh, text, sizeof text);
        if (is_narrow && take_row(ui, 1.6f, &row))
            draw_text(ui, row, VIEW_PLAIN, name);
        const bool is_seen = take_row(ui, 3.0f, &row);
        const float left = share * row.width, width = (row.width - left) / (float)NUM_MAPS;
        if (is_seen && !is_narrow)
            draw_text(ui, (view_rect){row.x, row.y, left - gap, row.height}, VIEW_PLAIN, name);
        for (int i = 0; i < NUM_MAPS; i++)
            add_cell(
                ui, &stage->document->textures,
                (view_rect){row.x + left + (float)i * width, row.y, width - gap, row.height - gap},
                mesh, i);
    }
}

// == Where was looked =====================================================================

// What is missing matters if there is no image in the end.
static void add_looked(view_ui *ui, bool is_found, bool has_image, const char *text)
{
    view_rect row;
    const char *const word = is_found ? "found" : has_image ? "missing" : "\xE2\x9A\xA0 missing";
    if (!take_row(ui, 1.5f, &row))
        return;
    const float width = view_text_width(ui->canvas->font, VIEW_TEXT, word);
    ui_text_left_of(ui, row.x + row.width, text_top(ui, row),
                    is_found    ? GREEN
                    : has_image ? VIEW_DIM
                                : VIEW_AMBER,
                    word);
    row.width -= width + 0.5f * view_em(ui->canvas->font);
    draw_text(ui, row, VIEW_PLAIN, text);
}

// The names of a map beside the texture, up to the one that is there.
static void list_map_names(view_ui *ui, const view_texture *diffuse, const view_texture *image,
                           md5gl_picture map)
{
    char *const stem = common_stem(diffuse->path);
    bool is_found = false;
    char word[32];
    int used = 0;
    for (const char *rest = md5gl_picture_words(map);
         !is_found && sscanf(rest, " %31s%n", word, &used) == 1; rest += used) {
        char *const name = common_format("%s_%s", stem, word);
        char *const there = image != NULL ? common_stem(image->path) : common_copy("");
        const size_t length = strlen(there), tail = strlen(word);
        is_found = length >= tail && common_compare_case(there + length - tail, word) == 0;
        add_looked(ui, is_found, true, is_found ? common_base(image->path) : name);
        free(there);
        free(name);
    }
    free(stem);
}

static void list_looked(view_ui *ui, const view_stage *stage)
{
    const view_texture_panel *const panel = &ui->textures;
    const view_textures *const textures = &stage->document->textures;
    const view_look *const look = view_mesh_look(textures, panel->mesh);
    const view_texture *const diffuse =
        view_mesh_image(textures, panel->mesh, MD5GL_PICTURE_DIFFUSE);
    const view_texture *const image = view_mesh_image(textures, panel->mesh, panel->map);
    if (!ui_section(ui, UI_SECTION_LOOKED, "Where was looked", ""))
        return;
    if (textures->meshes[panel->mesh].is_chosen[panel->map] && image != NULL)
        add_looked(ui, true, true, image->path); // and nothing else was looked for
    else if (panel->map != MD5GL_PICTURE_DIFFUSE && diffuse != NULL && diffuse->program == NULL)
        list_map_names(ui, diffuse, image, panel->map);
    else if (panel->map != MD5GL_PICTURE_DIFFUSE || look->looked.count == 0)
        add_looked(ui, image != NULL, image != NULL,
                   image != NULL ? image->path : "the texture, beside which");
    for (size_t i = 0; i < look->looked.count && panel->map == MD5GL_PICTURE_DIFFUSE; i++)
        add_looked(ui, look->looked.names[i][0] == '+', image != NULL, look->looked.names[i] + 1);
    for (size_t i = 0; i < look->tried.count && panel->map == MD5GL_PICTURE_DIFFUSE; i++) {
        view_rect row;
        if (take_row(ui, 1.5f, &row))
            draw_text(ui, row, VIEW_DIM, common_base(look->tried.names[i]));
    }
}

// What the chosen cell holds, and where it was looked for.
static void show_chosen(view_ui *ui, const view_stage *stage)
{
    const view_texture_panel *const panel = &ui->textures;
    const view_textures *const textures = &stage->document->textures;
    const view_texture *const image = view_mesh_image(textures, panel->mesh, panel->map);
    const bool is_chosen = textures->meshes[panel->mesh].is_chosen[panel->map];
    char text[256], name[32];
    view_rect row;
    if (take_row(ui, 1.9f, &row)) {
        if (is_chosen && add_button(ui, &row, "Clear", false))
            give(ui, panel->mesh, panel->map, NULL);
        (void)snprintf(text, sizeof text, "%s of %s", name_of(panel->map),
                       mesh_name(stage->document->scene.model, panel->mesh, name, sizeof name));
        draw_text(ui, row, VIEW_BRIGHT, text);
    }
    if (image != NULL)
        (void)snprintf(text, sizeof text, "%s" VIEW_DOT "%u \xC3\x97 %u%s",
                       common_base(image->path), image->width, image->height,
                       is_chosen ? VIEW_DOT "chosen" : "");
    else if (is_missing(textures, panel->mesh, panel->map))
        (void)snprintf(text, sizeof text, "\xE2\x9A\xA0 missing: choose an image below");
    else
        (void)snprintf(text, sizeof text, "none");
    if (take_row(ui, 1.5f, &row))
        draw_text(ui, row, is_missing(textures, panel->mesh, panel->map) ? VIEW_AMBER : VIEW_DIM,
                  text);
    list_looked(ui, stage);
    (void)take_row(ui, 0.5f, &row);
}

// == The images of a folder ===============================================================

static void open_folder(view_ui *ui, const char *folder)
{
    ui->command = (view_command){
        .action = VIEW_TEXTURES, .number = 1 + ui->textures.mesh, .path = common_copy(folder)};
}

// The folder, typed or by its parts, and the filter.
static void list_folders(view_ui *ui)
{
    view_texture_panel *const panel = &ui->textures;
    const float em = view_em(ui->canvas->font), gap = 0.45f * em, height = ceilf(1.7f * em);
    view_rect row;
    if (take_row(ui, 2.1f, &row))
        row.height = height;
    if (ui_field(ui, row, "Folder", panel->folder, sizeof panel->folder)
        && common_is_folder(panel->folder))
        panel->is_typed = true;
    if (panel->is_typed && (ui_key(ui, SDLK_RETURN) || ui_key(ui, SDLK_KP_ENTER))) {
        panel->is_typed = false;
        open_folder(ui, panel->folder);
    }
    (void)take_row(ui, 2.1f, &row);
    row.height = height;
    (void)ui_field(ui, row, "Filter", panel->filter, sizeof panel->filter);
    char *const above = common_folder(panel->folder);
    float x = 0.0f;
    (void)take_row(ui, 2.0f, &row);
    for (size_t i = 0; i <= panel->num_tiles; i++) {
        const view_tile *const tile = i > 0 ? &panel->tiles[i - 1] : NULL;
        if (tile != NULL && !tile->is_folder)
            break; // folders come first
        const char *const name = tile != NULL ? common_base(tile->path) : "../";
        if (tile != NULL && !common_contains(name, panel->filter))
            continue;
        const float width =
            fminf(view_text_width(ui->canvas->font, VIEW_TEXT, name) + 1.4f * em, row.width);
        if (x > 0.0f && x + width > row.width) {
            (void)take_row(ui, 2.0f, &row);
            x = 0.0f;
        }
        if (ui_button(ui, (view_rect){row.x + x, row.y, width, height}, name, false))
            open_folder(ui, tile != NULL ? tile->path : above);
        x += width + gap;
    }
    free(above);
}

static void add_tile(view_ui *ui, view_tile *tile, view_rect box)
{
    view_texture_panel *const panel = &ui->textures;
    const view_canvas *const canvas = ui->canvas;
    const float line = canvas->font->line[VIEW_TEXT];
    const char *const ending = strrchr(tile->path, '.');
    char text[48];
    if (ui_item(ui, box, common_base(tile->path)))
        give(ui, panel->mesh, panel->map, tile->path);
    view_draw_round_rect(ui->canvas, box, 4.0f * canvas->font->scale,
                         ui_is_hot(ui) ? VIEW_HOVERED : VIEW_CONTROL);
    const view_rect inside = view_inset(box, 4.0f * canvas->font->scale);
    const view_rect picture = {inside.x, inside.y, inside.width, inside.height - 2.0f * line};
    view_rect row = {inside.x, inside.y + picture.height, inside.width, line};
    if (tile->preview != 0)
        draw_fitting(ui, picture, tile->preview, (float)tile->width, (float)tile->height, true);
    draw_text(ui, row, ui_is_hot(ui) ? VIEW_BRIGHT : VIEW_PLAIN, common_base(tile->path));
    row.y += line;
    const bool is_lost = tile->is_made && tile->width == 0;
    if (tile->width > 0)
        (void)snprintf(text, sizeof text, "%u\xC3\x97%u %s", tile->width, tile->height,
                       ending != NULL ? ending + 1 : "");
    else
        (void)snprintf(text, sizeof text, "%s", is_lost ? "\xE2\x9A\xA0 cannot be read" : "");
    draw_text(ui, row, is_lost ? VIEW_AMBER : VIEW_DIM, text);
}

static void list_tiles(view_ui *ui)
{
    view_texture_panel *const panel = &ui->textures;
    const float em = view_em(ui->canvas->font), gap = 0.45f * em, least = 9.0f;
    const float tall = ceilf(10.6f * em) + gap;
    uint32_t count = 0, columns = 1;
    float width = 0.0f;
    view_rect row = {0};
    bool is_seen = false, has_new = false;
    for (size_t i = 0; i < panel->num_tiles; i++) {
        view_tile *const tile = &panel->tiles[i];
        const bool was_seen = tile->is_seen;
        if (!ui->is_event)
            tile->is_seen = false;
        if (tile->is_folder || !common_contains(common_base(tile->path), panel->filter))
            continue;
        const uint32_t column = count++ % columns;
        if (column == 0) {
            is_seen = take_row(ui, tall / em, &row);
            columns = (uint32_t)fmaxf(floorf((row.width + gap) / (least * em + gap)), 1.0f);
            width = (row.width + gap) / (float)columns;
        }
        if (!ui->is_event)
            tile->is_seen = is_seen;
        has_new = has_new || (tile->is_seen && !was_seen);
        if (is_seen)
            add_tile(ui, tile,
                     (view_rect){row.x + (float)column * width, row.y, width - gap, tall - gap});
        else
            ui->item.number++;
    }
    SDL_Event wake = {.type = SDL_USEREVENT}; // a window that waits: their previews are wanted
    if (has_new)
        (void)SDL_PushEvent(&wake);
    if (count == 0 && take_row(ui, 1.6f, &row))
        draw_text(ui, row, VIEW_DIM,
                  panel->filter[0] != '\0' ? "No image here has such a name"
                                           : "No images here, or they cannot be read");
}

// == The panel ============================================================================

// What was dropped and waits for its place.
static void show_offer(view_ui *ui, view_rect row)
{
    view_texture_panel *const panel = &ui->textures;
    char text[160];
    if (add_button(ui, &row, "Not now", false)) {
        free(panel->offered);
        panel->offered = NULL;
        return;
    }
    if (add_button(ui, &row, "All meshes", true))
        give(ui, VIEW_ALL_MESHES, view_map_of(panel->offered), panel->offered);
    (void)snprintf(text, sizeof text, "%s: click where it belongs", common_base(panel->offered));
    draw_text(ui, row, VIEW_AMBER, text);
}

// Where it is saved is said before, and whether a file is replaced.
static void show_saving(view_ui *ui, view_rect row)
{
    view_texture_panel *const panel = &ui->textures;
    char text[160] = "Choices are remembered";
    const bool asks = panel->saved != NULL;
    if (asks && add_button(ui, &row, "Cancel", false)) {
        free(panel->saved);
        panel->saved = NULL;
        return;
    }
    if (add_button(ui, &row,
                   !asks             ? "Save as .mtr\xE2\x80\xA6"
                   : panel->replaces ? "Replace"
                                     : "Save",
                   asks))
        ui->command = (view_command){.action = VIEW_SAVE_TEXTURES, .number = asks ? 1 : 0};
    if (asks) {
        char *const folder = common_folder(panel->saved);
        (void)snprintf(text, sizeof text, "%s%s, in %s", common_base(panel->saved),
                       panel->replaces ? " exists" : "", folder);
        free(folder);
    }
    draw_text(ui, row, asks && panel->replaces ? VIEW_AMBER : VIEW_DIM, text);
}

void view_textures_panel(view_ui *ui, const view_stage *stage, view_rect area)
{
    view_texture_panel *const panel = &ui->textures;
    const md5_model *const model = stage->document->scene.model;
    const float em = view_em(stage->font), padding = 0.7f * em, height = ceilf(1.9f * em);
    ui_begin(ui, "textures");
    if (ui->focus.panel == NULL && ui_key(ui, SDLK_ESCAPE))
        ui->command.action = VIEW_TEXTURES;
    if (model == NULL || model->num_meshes == 0)
        return;
    if (panel->mesh >= model->num_meshes)
        panel->mesh = 0;
    view_rect row = {area.x + padding, area.y + 0.4f * padding, area.width - 2.0f * padding,
                     height};
    if (panel->offered != NULL) {
        show_offer(ui, row);
        area.y += height + 0.4f * padding;
        area.height -= height + 0.4f * padding;
    }
    row.y = area.y + area.height - height;
    show_saving(ui, row);
    area.height = fmaxf(area.height - height - 0.4f * padding, 1.0f);
    ui_column column;
    panel->scroll.shown = panel->scroll.wanted;
    ui_begin_column(ui, &column, area, &panel->scroll);
    list_meshes(ui, stage);
    show_chosen(ui, stage);
    list_folders(ui);
    list_tiles(ui);
    ui_end_column(ui);
}
