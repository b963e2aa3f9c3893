// The panel of textures, in place of the outliner: which image each mesh has as each map, where it
// was looked for, and the images of any folder, to select from.
#include "demo/viewer/ui/ui.h"

#define WARNING "\xE2\x9A\xA0 "

// The maps that can be selected.
enum { NUM_COLUMNS = 4 };
static const struct {
    md5gl_picture map;
    const char *name, *none;
} columns[NUM_COLUMNS] = {{MD5GL_PICTURE_DIFFUSE, "Texture", "in stages"},
                          {MD5GL_PICTURE_NORMALS, "Normals", "no normals"},
                          {MD5GL_PICTURE_SPECULAR, "Specular", "no specular"},
                          {MD5GL_PICTURE_GLOW, "Glow", "no glow"}};

// == What is listed =======================================================================

static void clear_tiles(view_texture_panel *panel, md5gl_renderer *renderer)
{
    COMMON_FOR (i, panel->num_tiles) {
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
    char *const clean = common_whole(folder);
    common_list lists[2] = {common_list_folder(clean, NULL), common_list_folder(clean, "")};
    clear_tiles(panel, renderer);
    panel->filter[0] = '\0';
    COMMON_TEXT(panel->folder, "%s", clean);
    panel->tiles = common_alloc(lists[0].count + lists[1].count + 1, sizeof *panel->tiles);
    panel->tiles[panel->num_tiles++] = (view_tile){.path = common_folder(clean), .is_folder = true};
    COMMON_FOR (kind, 2) {
        COMMON_FOR (i, lists[kind].count)
            if (kind == 0 || view_is_image(lists[kind].names[i]))
                panel->tiles[panel->num_tiles++] =
                    (view_tile){.path = common_copy(lists[kind].names[i]), .is_folder = kind == 0};
        common_free_list(&lists[kind]);
    }
    free(clean);
}

// == Parts of rows ========================================================================

// A row of the column without its padding; false if it is not seen.
static bool take_row(view_ui *ui, float height, view_rect *row)
{
    const float em = view_em(ui->canvas->font), padding = 0.7f * em;
    const bool is_seen = ui_take_row(ui, ceilf(height * em), row);
    row->x += padding;
    row->width -= 2 * padding;
    return is_seen;
}

static void draw_text(view_ui *ui, view_rect row, view_color color, const char *text)
{
    const float y = row.y + floorf(0.5f * (row.height - ui->canvas->font->line[VIEW_TEXT]));
    view_draw_text(ui->canvas, VIEW_TEXT, row.x, y, fmaxf(row.width, 1), color, text);
}

// A text with a button at its right, or NULL. Returns whether that was pressed.
static bool show_bar(view_ui *ui, view_rect row, view_color color, const char *text,
                     const char *name)
{
    const float em = view_em(ui->canvas->font);
    view_rect button = row;
    if (name != NULL) {
        button.width = view_text_width(ui->canvas->font, VIEW_TEXT, name) + 1.4f * em;
        button.x += row.width - button.width;
        button.height -= 0.2f * em;
        row.width -= button.width + 0.45f * em;
    }
    draw_text(ui, row, color, text);
    return name != NULL && ui_button(ui, button, name, false);
}

// Gives the selected mesh an image, or NULL.
static void give(view_ui *ui, md5gl_picture map, const char *path)
{
    ui->command = (view_command){.action = VIEW_TAKE_TEXTURE,
                                 .number = ui->textures.mesh,
                                 .item = map,
                                 .path = path != NULL ? common_copy(path) : NULL};
}

// == Meshes and their maps ================================================================

// A material may draw all in stages, without a texture.
static bool is_lacking(const view_textures *textures, uint32_t mesh, md5gl_picture map)
{
    return map == MD5GL_PICTURE_DIFFUSE && view_mesh_image(textures, mesh, map) == NULL
           && view_find_layered(&textures->layers, mesh) == NULL;
}

// The table. A press on a cell selects it, or gives it what was dropped.
static void list_meshes(view_ui *ui, const view_stage *stage)
{
    view_texture_panel *const panel = &ui->textures;
    const md5_model *const model = stage->document->scene.model;
    const view_textures *const textures = &stage->document->textures;
    const float gap = 0.3f * view_em(stage->font);
    char text[48];
    view_rect row;
    COMMON_FOR (mesh, model->num_meshes) {
        const char *const name = model->meshes[mesh].name;
        COMMON_TEXT(text, "Mesh %u", mesh);
        if (take_row(ui, 1.5f, &row))
            draw_text(ui, row, VIEW_PLAIN, name[0] != '\0' ? name : text);
        const bool is_seen = take_row(ui, 3, &row);
        const float width = row.width / (float)NUM_COLUMNS;
        for (uint32_t i = 0; i < NUM_COLUMNS; i++) {
            const view_rect cell = {row.x + (float)i * width, row.y, width - gap, row.height - gap};
            const md5gl_picture map = columns[i].map;
            const view_texture *const image = view_mesh_image(textures, mesh, map);
            const bool is_missing = is_lacking(textures, mesh, map);
            COMMON_TEXT(text, "%s %u", columns[i].name, mesh);
            if (ui_tile(ui, cell, text, panel->mesh == mesh && panel->column == i)) {
                panel->mesh = mesh;
                panel->column = i;
                if (panel->offered != NULL)
                    give(ui, map, panel->offered);
            }
            if (image == NULL)
                draw_text(ui, view_inset(cell, gap), is_missing ? VIEW_AMBER : VIEW_DIM,
                          is_missing ? WARNING "missing" : columns[i].none);
            else if (is_seen)
                ui_image(ui, view_inset(cell, gap), image->texture, image->width, image->height,
                         map != MD5GL_PICTURE_NORMALS);
        }
    }
}

// == Where was looked =====================================================================

// "+": found, "-": missing, which matters if there is no image in the end; else a remark.
static void add_looked(view_ui *ui, char sign, bool has_image, const char *text)
{
    const char *const word = sign == '+'   ? "found"
                             : sign != '-' ? ""
                             : has_image   ? "missing"
                                           : WARNING "missing";
    const float width = view_text_width(ui->canvas->font, VIEW_TEXT, word);
    view_rect row;
    if (!take_row(ui, 1.5f, &row))
        return;
    row.width -= width;
    draw_text(ui, row, word[0] != '\0' ? VIEW_PLAIN : VIEW_DIM, text);
    row.x += row.width;
    row.width = width + 1;
    draw_text(ui, row, sign == '+' ? VIEW_FINE : has_image ? VIEW_DIM : VIEW_AMBER, word);
}

// Of a map besides the texture: its names beside that.
static void list_looked(view_ui *ui, const view_textures *textures, const view_texture *image)
{
    const view_texture_panel *const panel = &ui->textures;
    const md5gl_picture map = columns[panel->column].map;
    const view_look *const look = view_mesh_look(textures, panel->mesh);
    const view_texture *const diffuse =
        view_mesh_image(textures, panel->mesh, MD5GL_PICTURE_DIFFUSE);
    const bool is_selected = textures->meshes[panel->mesh].is_selected[map],
               is_there = image != NULL;
    const bool is_searched = !is_selected && map == MD5GL_PICTURE_DIFFUSE;
    for (size_t i = 0; i < look->looked.count && is_searched; i++)
        add_looked(ui, look->looked.names[i][0], is_there, look->looked.names[i] + 1);
    for (size_t i = 0; i < look->tried.count && is_searched; i++)
        add_looked(ui, ' ', is_there, common_base(look->tried.names[i]));
    if (!is_selected && !is_searched && diffuse != NULL && diffuse->program == NULL) {
        char *const names =
            common_format("%s +%s", common_base(diffuse->path), md5gl_picture_words(map));
        add_looked(ui, is_there ? '+' : '-', true, names);
        free(names);
    }
    if (is_there)
        add_looked(ui, '+', true, image->path);
}

// What the selected cell holds, and where it was looked for.
static void show_selected(view_ui *ui, const view_stage *stage)
{
    const view_texture_panel *const panel = &ui->textures;
    const view_textures *const textures = &stage->document->textures;
    const md5gl_picture map = columns[panel->column].map;
    const view_texture *const image = view_mesh_image(textures, panel->mesh, map);
    const view_look *const look = view_mesh_look(textures, panel->mesh);
    const bool is_selected = textures->meshes[panel->mesh].is_selected[map];
    const bool is_missing = is_lacking(textures, panel->mesh, map);
    char text[256];
    view_rect row;
    take_row(ui, 1.9f, &row);
    if (image != NULL)
        COMMON_TEXT(text, "%s: %s" VIEW_DOT "%u \xC3\x97 %u%s", columns[panel->column].name,
                    common_base(image->path), image->width, image->height,
                    is_selected                            ? VIEW_DOT "chosen"
                    : look->is_guess && panel->column == 0 ? VIEW_DOT "guessed"
                                                           : "");
    else
        COMMON_TEXT(text, "%s: %schoose an image below", columns[panel->column].name,
                    is_missing ? WARNING "missing, " : "none, ");
    if (show_bar(ui, row, is_missing ? VIEW_AMBER : VIEW_BRIGHT, text,
                 is_selected ? "Clear" : NULL))
        give(ui, map, NULL);
    if (ui_section(ui, UI_SECTION_LOOKED, "Where was looked", ""))
        list_looked(ui, textures, image);
    take_row(ui, 0.5f, &row);
}

// == The folders and images in a folder ===================================================

static void show_tile(view_ui *ui, const view_tile *tile, view_rect box)
{
    const view_texture_panel *const panel = &ui->textures;
    const float line = ui->canvas->font->line[VIEW_TEXT];
    const char *const name = tile == panel->tiles ? ".." : common_base(tile->path);
    const char *const ending = strrchr(name, '.');
    const bool is_lost = tile->is_made && tile->width == 0;
    char text[48] = "";
    const bool is_pressed = ui_tile(ui, box, name, false);
    if (is_pressed && tile->is_folder)
        ui->command = (view_command){
            .action = VIEW_TEXTURES, .item = 1 + panel->mesh, .path = common_copy(tile->path)};
    else if (is_pressed)
        give(ui, columns[panel->column].map, tile->path);
    box = view_inset(box, 4 * ui->canvas->font->scale);
    box.height -= 2 * line;
    if (tile->preview != 0)
        ui_image(ui, box, tile->preview, tile->width, tile->height, true);
    if (tile->width > 0)
        COMMON_TEXT(text, "%u\xC3\x97%u %s", tile->width, tile->height,
                    ending != NULL ? ending + 1 : "");
    box.y += box.height;
    box.height = line;
    draw_text(ui, box, tile->is_folder ? VIEW_ACCENT : VIEW_PLAIN, name);
    box.y += line;
    draw_text(ui, box, is_lost ? VIEW_AMBER : VIEW_DIM,
              is_lost           ? WARNING "cannot be read"
              : tile->is_folder ? "folder"
                                : text);
}

// The folder, which may be typed, a filter, and what is there.
static void list_tiles(view_ui *ui)
{
    view_texture_panel *const panel = &ui->textures;
    const float em = view_em(ui->canvas->font), gap = 0.45f * em, least = 9, tall = 11;
    uint32_t count = 0, per_row = 1;
    bool is_seen = false, has_new = false;
    view_rect row;
    take_row(ui, 1.8f, &row);
    ui_field(ui, row, "Folder", panel->folder, sizeof panel->folder);
    if (ui_is_focused(ui) && common_is_folder(panel->folder) && ui_key(ui, VIEW_KEY_RETURN))
        ui->command = (view_command){
            .action = VIEW_TEXTURES, .item = 1 + panel->mesh, .path = common_copy(panel->folder)};
    take_row(ui, 0.4f, &row);
    take_row(ui, 1.8f, &row);
    ui_field(ui, row, "Filter", panel->filter, sizeof panel->filter);
    take_row(ui, 0.4f, &row);
    COMMON_FOR (i, panel->num_tiles) {
        view_tile *const tile = &panel->tiles[i];
        const bool was_seen = tile->is_seen;
        tile->is_seen = false;
        if (!common_contains(common_base(tile->path), panel->filter))
            continue;
        const uint32_t column = count++ % per_row;
        if (column == 0) {
            is_seen = take_row(ui, tall, &row);
            per_row = (uint32_t)fmaxf(floorf((row.width + gap) / (least * em + gap)), 1);
            row.width = (row.width + gap) / (float)per_row;
        }
        tile->is_seen = is_seen;
        has_new = has_new || (is_seen && !was_seen);
        if (is_seen)
            show_tile(ui, tile,
                      (view_rect){row.x + (float)column * row.width, row.y, row.width - gap,
                                  row.height - gap});
        else
            ui->item.number++; // so that the others keep theirs
    }
    if (count <= 1 && take_row(ui, 1.6f, &row))
        draw_text(ui, row, VIEW_DIM, "No such images here, or they cannot be read");
    if (has_new) // their previews are wanted
        view_wake_window();
}

// == The panel ============================================================================

// Where it is saved is said before, and whether a file is replaced.
static void show_saving(view_ui *ui, view_rect row)
{
    const view_texture_panel *const panel = &ui->textures;
    const bool asks = panel->saved != NULL, replaces = asks && panel->replaces;
    char *const folder = asks ? common_folder(panel->saved) : NULL;
    char *const text = asks ? common_format("%s%s, in %s", common_base(panel->saved),
                                            replaces ? " exists" : "", folder)
                            : common_copy("Choices are remembered");
    if (show_bar(ui, row, replaces ? VIEW_AMBER : VIEW_DIM, text,
                 replaces ? "Replace"
                 : asks   ? "Save"
                          : "Save as .mtr\xE2\x80\xA6"))
        ui->command = (view_command){.action = VIEW_SAVE_TEXTURES, .number = asks};
    free(folder);
    free(text);
}

void view_textures_panel(view_ui *ui, const view_stage *stage, view_rect area)
{
    view_texture_panel *const panel = &ui->textures;
    const md5_model *const model = stage->document->scene.model;
    const float em = view_em(stage->font), height = ceilf(2.2f * em);
    ui_begin(ui, "textures");
    if (ui->focus.panel == NULL && ui_key(ui, VIEW_KEY_ESCAPE))
        ui->command.action = VIEW_TEXTURES;
    if (model == NULL || model->num_meshes == 0)
        return;
    if (panel->mesh >= model->num_meshes) // of another document
        panel->mesh = 0;
    view_rect row = {area.x + 0.7f * em, area.y, area.width - 1.4f * em, height};
    if (panel->offered != NULL) { // what was dropped and waits for its place
        char *const text = common_format("%s: click where it belongs", common_base(panel->offered));
        draw_text(ui, row, VIEW_AMBER, text);
        free(text);
        area.y += height;
        area.height -= height;
    }
    area.height = fmaxf(area.height - height, 1);
    row.y = area.y + area.height + 0.2f * em;
    row.height -= 0.2f * em;
    show_saving(ui, row);
    ui_column column;
    ui_begin_column(ui, &column, area, &ui->scrolls[UI_SCROLL_TEXTURES]);
    list_meshes(ui, stage);
    show_selected(ui, stage);
    list_tiles(ui);
    ui_end_column(ui);
}
