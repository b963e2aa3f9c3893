// The page of the selected mesh in the inspector. It displays the material, the image of each map,
// the locations that were searched for the image, the geometry, problems, and the UV layout. A map
// is an image for one property of the surface, for example the diffuse color.
#include "demo/viewer/ui/textures.h"

#include "demo/viewer/ui/outliner.h"
#include "demo/viewer/ui/reports.h"
#include "demo/viewer/ui/surface.h"
#include "demo/viewer/ui/ui_tile.h"

#define WARNING "\xE2\x9A\xA0 "

// Heights of rows in em.
static const float maps_height = 7.4f;
static const float text_row_height = 1.8f;

// The maps that have a tile, from left to right. The material of a mesh without a texture may draw
// stages instead.
enum { NUM_COLUMNS = 4 };
static const struct {
    md5gl_image_kind map;
    const char *name;
    const char *none; // text of a map that has no image and does not need one
} columns[NUM_COLUMNS] = {{MD5GL_IMAGE_DIFFUSE, "Texture", "in stages"},
                          {MD5GL_IMAGE_NORMALS, "Normals", "none"},
                          {MD5GL_IMAGE_SPECULAR, "Specular", "none"},
                          {MD5GL_IMAGE_GLOW, "Glow", "none"}};

// Frees the names of the dropped image and of the saved file, and resets the page. The selected
// column remains, so that the page shows the same map for the next mesh.
void view_clear_textures(view_texture_panel *panel)
{
    const uint32_t column = panel->column;
    free(panel->offered);
    free(panel->saved);
    memset(panel, 0, sizeof *panel);
    panel->column = column;
}

// == Parts of rows ========================================================================

// Reserves the next row of the column without its padding. Returns false if it is not visible.
static bool reserve_padded_row(view_ui *ui, float height, view_rect *row)
{
    const float padding = UI_PADDING * ui->em;
    const bool is_visible = ui_reserve_row(ui, ceilf(height * ui->em), row);
    row->x += padding;
    row->width -= 2 * padding;
    return is_visible;
}

// Draws a text in a row, truncated at its end.
static void draw_text(view_ui *ui, view_rect row, view_color color, const char *text)
{
    const float y = ui_text_top(ui, row);
    ui_text(ui, row.x, y, fmaxf(row.width, 1), color, text);
}

// Requests the command that assigns an image to the selected map of the selected mesh. If `path` is
// NULL, the image is found automatically again.
static void assign_image(view_ui *ui, view_texture_panel *panel, const char *path)
{
    UI_COMMAND(ui, VIEW_ASSIGN_TEXTURE, .number = (size_t)ui->selection.mesh,
               .item = columns[panel->column].map, .path = path != NULL ? common_copy(path) : NULL);
    view_clear_textures(panel);
}

// == Maps =================================================================================

// Writes the size of an image to `size`, for example "512x512", or a text about a missing image.
// The tile has space for only one number. Therefore `short_size` is the side of a square image.
static void describe_map(const view_texture *image, bool is_missing, int column, char size[48],
                         char short_size[48])
{
    if (image == NULL) {
        snprintf(size, 48, "%s", is_missing ? "missing" : columns[column].none);
        snprintf(short_size, 48, "%s", size);
        return;
    }
    snprintf(size, 48, "%u\xC3\x97%u", image->width, image->height);
    if (image->width == image->height)
        snprintf(short_size, 48, "%u\xC2\xB2", image->width);
    else
        snprintf(short_size, 48, "%s", size);
}

// Displays the tile of a map. A press selects the map and opens the list of images. If an image was
// dropped on the window, the press assigns this image instead.
static void show_map(view_ui *ui, view_texture_panel *panel, uint32_t mesh, int column,
                     view_rect box)
{
    const view_textures *const textures = &ui->stage->document->textures;
    const md5gl_image_kind map = columns[column].map;
    const view_texture *const image = view_mesh_image(textures, mesh, map);
    const bool is_missing = view_lacks_image(textures, mesh, map);
    view_thumbnail preview = {.texture = 0};
    if (image != NULL)
        preview = (view_thumbnail){
            .texture = image->texture, .width = image->width, .height = image->height};

    char size[48];
    char short_size[48];
    describe_map(image, is_missing, column, size, short_size);
    const ui_tile_content tile = {.label = columns[column].name,
                                  .name = columns[column].name,
                                  .text = short_size,
                                  .sign = "+",
                                  .picture = &preview,
                                  .is_selected = panel->column == (uint32_t)column,
                                  .is_wrong = is_missing,
                                  .is_data = map == MD5GL_IMAGE_NORMALS};
    if (panel->takes_focus && tile.is_selected) {
        ui_focus_next(ui);
        ui->focus.is_shown = true;
        panel->takes_focus = false;
    }
    if (ui_content_tile(ui, box, &tile)) {
        panel->column = (uint32_t)column;
        if (panel->offered != NULL)
            assign_image(ui, panel, panel->offered);
        else
            UI_COMMAND(ui, VIEW_FIND_TEXTURE, mesh, map, NULL);
    }
    ui_tooltip(ui, size);
    if (ui_is_hot(ui) && ui->mouse.is_moved)
        panel->hovered = 1 + map; // 0: no map
    ui_context(ui, VIEW_ON_IMAGE, mesh, map, image != NULL ? image->path : NULL, NULL);
}

// Displays a row with a tile for each map.
static void show_maps(view_ui *ui, view_texture_panel *panel, uint32_t mesh)
{
    const float gap = 0.3f * ui->em;
    view_rect row;
    reserve_padded_row(ui, maps_height, &row);
    view_cut(&row, VIEW_AT_TOP, gap);
    const float step = (row.width + gap) / (float)NUM_COLUMNS;
    for (int i = 0; i < NUM_COLUMNS; i++) {
        show_map(ui, panel, mesh, i, view_cut(&row, VIEW_AT_LEFT, step - gap));
        view_cut(&row, VIEW_AT_LEFT, gap);
    }
}

// == Searched locations =====================================================================

// Displays a row about a searched location. `result` is '+' for a found file, '-' for a missing
// file, and ' ' if `text` is a remark. A missing file is a warning only if the map has no image.
static void show_searched(view_ui *ui, char result, bool has_image, const char *text)
{
    const char *label = "";
    view_color label_color = has_image ? VIEW_DIM : VIEW_AMBER;
    if (result == '+') {
        label = "found";
        label_color = VIEW_FINE;
    } else if (result == '-') {
        label = has_image ? "missing" : WARNING "missing";
    }

    ui_cells cells = {.name = text,
                      .count = 1,
                      .color = label[0] != '\0' ? VIEW_PLAIN : VIEW_DIM,
                      .colors = &label_color};
    COMMON_TEXT(cells.texts[0], "%s", label);
    view_rect row;
    if (ui_reserve_row(ui, ceilf(1.5f * ui->em), &row))
        ui_draw_cells(ui, row, ui_text_width(ui, label), &cells);
}

// Lists the locations that were searched for the texture of a mesh, and the files whose names were
// tried.
static void list_texture_locations(view_ui *ui, const view_look *look, bool has_image)
{
    for (size_t i = 0; i < look->searched_locations.count; i++) {
        const char *const location =
            look->searched_locations.names[i]; // the first character is the result
        show_searched(ui, location[0], has_image, location + 1);
    }
    for (size_t i = 0; i < look->tried.count; i++)
        show_searched(ui, ' ', has_image, common_base(look->tried.names[i]));
}

// Lists the locations that were searched for the image of the selected map, and the path of the
// image. Other maps than the texture are searched in its folder, by a keyword in their names. An
// image that the user has selected was not searched.
static void list_searched(view_ui *ui, const view_texture_panel *panel,
                          const view_textures *textures, uint32_t mesh)
{
    const md5gl_image_kind map = columns[panel->column].map;
    const view_texture *const image = view_mesh_image(textures, mesh, map);
    const view_texture *const texture = view_mesh_image(textures, mesh, MD5GL_IMAGE_DIFFUSE);
    const bool has_image = image != NULL;
    const bool has_texture_file = texture != NULL && texture->program == NULL;
    const bool is_searched = !textures->meshes[mesh].is_selected[map];
    const bool is_texture = map == MD5GL_IMAGE_DIFFUSE;
    if (is_searched && is_texture) {
        list_texture_locations(ui, view_mesh_look(textures, mesh), has_image);
    } else if (is_searched && has_texture_file) {
        const char *const keywords = md5gl_texture_keywords(map);
        char *const names = common_format("%s +%s", common_base(texture->path), keywords);
        show_searched(ui, has_image ? '+' : '-', true, names);
        free(names);
    }
    if (has_image)
        show_searched(ui, '+', true, image->path);
}

// Returns a text about how the image of a map was found. It is "chosen" by the user, "found", or
// "guessed" from similar names, with the reason. The caller frees the text. Only textures have
// reasons.
static char *describe_origin(const view_look *look, bool is_selected, bool is_texture)
{
    const char *const reason = look->why != NULL ? look->why : "";
    if (is_selected)
        return common_copy("chosen");
    if (is_texture && look->is_guess)
        return common_format("guessed: %s", reason);
    if (is_texture && look->why != NULL)
        return common_format("found: %s", reason);
    return common_copy("found");
}

// Returns a text about the image of the selected map. The caller frees it. While a dropped image
// waits for a map, the text asks the user to select one.
static char *describe_selected(const view_texture_panel *panel, const view_textures *textures,
                               uint32_t mesh)
{
    const md5gl_image_kind map = columns[panel->column].map;
    const view_texture *const image = view_mesh_image(textures, mesh, map);
    const bool is_missing = view_lacks_image(textures, mesh, map);
    if (panel->offered != NULL)
        return common_format("Click a tile to assign %s", common_base(panel->offered));
    if (image == NULL)
        return common_format("%s: %s", columns[panel->column].name,
                             is_missing ? "missing; click to choose an image" : "none");

    const bool is_selected = textures->meshes[mesh].is_selected[map];
    const bool is_texture = map == MD5GL_IMAGE_DIFFUSE;
    char *const origin = describe_origin(view_mesh_look(textures, mesh), is_selected, is_texture);
    char *const text = common_format("%s" VIEW_DOT "%s", common_base(image->path), origin);
    free(origin);
    return text;
}

// Displays a row of text about the image of the selected map of a mesh: the name of its file and
// how it was found. If the user has dropped an image on the window, the text asks for the map to
// which it is assigned. The text is amber if the user should act: for a dropped or missing image.
// If the user has chosen the image, the button "Automatic" removes this choice, and the viewer
// searches for an image itself.
static void show_selected(view_ui *ui, view_texture_panel *panel, uint32_t mesh)
{
    static const char *const labels[] = {"Automatic"};
    const view_textures *const textures = &ui->stage->document->textures;
    const md5gl_image_kind map = columns[panel->column].map;
    const bool has_image = view_mesh_image(textures, mesh, map) != NULL;
    const bool is_chosen = textures->meshes[mesh].is_selected[map];
    char *const text = describe_selected(panel, textures, mesh);
    view_rect row;
    reserve_padded_row(ui, text_row_height, &row);
    if (is_chosen && ui_buttons(ui, &row, labels, 1, -1) == 0)
        assign_image(ui, panel, NULL);

    view_color color = has_image ? VIEW_BRIGHT : VIEW_DIM;
    if (panel->offered != NULL || view_lacks_image(textures, mesh, map))
        color = VIEW_AMBER;
    draw_text(ui, row, color, text);
    ui_item(ui, row, ""); // for the tooltip
    ui_tooltip_if_wider(ui, text, row.width);
    free(text);
}

// == The page =============================================================================

// Returns the text that is displayed before a .mtr file is written. The caller frees it. It
// contains the name and the folder of the file, and a note if the file already exists.
static char *describe_saved_file(const view_texture_panel *panel)
{
    char *const folder = common_folder(panel->saved);
    char *const text = common_format("%s%s in %s", common_base(panel->saved),
                                     panel->replaces ? " already exists" : "", folder);
    free(folder);
    return text;
}

// Displays the row with the button that saves the textures as a .mtr file. The first press only
// requests the path of the file, panel->saved. The row then displays this path and a button that
// writes the file.
static void show_saving(view_ui *ui, const view_texture_panel *panel)
{
    const bool is_confirmation = panel->saved != NULL;
    const char *label = "Save as .mtr\xE2\x80\xA6";
    char *text = NULL;
    view_color color = VIEW_DIM;
    if (is_confirmation) {
        label = panel->replaces ? "Replace" : "Save";
        text = describe_saved_file(panel);
        color = panel->replaces ? VIEW_AMBER : VIEW_DIM;
    }

    view_rect row;
    reserve_padded_row(ui, text_row_height, &row);
    if (ui_buttons(ui, &row, &label, 1, -1) == 0)
        UI_COMMAND(ui, VIEW_SAVE_TEXTURES, .number = is_confirmation);
    draw_text(ui, row, color, text != NULL ? text : "");
    free(text);
}

// Returns the number of different joints that influence a mesh. `num_joints` is the number of
// joints of its model.
static uint32_t count_mesh_joints(const md5_mesh *mesh, uint32_t num_joints)
{
    bool *const moves_mesh = common_alloc(num_joints + 1, sizeof *moves_mesh);
    for (uint32_t i = 0; i < mesh->num_influences; i++)
        moves_mesh[mesh->influence_joints[i]] = true;
    uint32_t count = 0;
    for (uint32_t i = 0; i < num_joints; i++)
        count += moves_mesh[i];
    free(moves_mesh);
    return count;
}

// Computes the statistics and the defects of a mesh. `num_joints` is the number of joints of its
// model.
static void measure_mesh(view_mesh_stats *stats, const md5_mesh *mesh, uint32_t num_joints)
{
    *stats = (view_mesh_stats){.mesh = mesh,
                               .num_joints = count_mesh_joints(mesh, num_joints),
                               .min_influences = UINT32_MAX,
                               .faults = view_find_defects(mesh, NULL, NULL)};
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const uint32_t count = mesh->first_influence[v + 1] - mesh->first_influence[v];
        if (count < stats->min_influences)
            stats->min_influences = count;
    }
}

// Displays the rows of the section "Geometry". `number` is the index of the mesh. The rows contain
// counts, the skinning path with the reason for it, and the size of the mesh.
static void show_shape(view_ui *ui, const view_texture_panel *panel, uint32_t number)
{
    const md5_mesh *const mesh = &ui->scene->model->meshes[number];
    const view_mesh_stats *const stats = &panel->stats;
    ui_fact(ui, "Vertices", "%u", mesh->num_vertices);
    ui_fact(ui, "Triangles", "%u", mesh->num_triangles);
    ui_fact(ui, "Joints", "%u", stats->num_joints);
    if (mesh->num_vertices == 0)
        return;

    const double mean_influences = (double)mesh->num_influences / mesh->num_vertices;
    ui_fact(ui, "Weights", "%u to %u per vertex, mean %.1f", stats->min_influences,
            mesh->max_influences, mean_influences);
    const char *reason;
    const md5gl_path path = md5gl_mesh_path(ui->stage->document->drawn, number, &reason);
    ui_fact(ui, "Skinning", "%s" VIEW_DOT "%s", md5gl_path_name(path), reason);
    const md5_vec3 size = md5_vec3_sub(mesh->bounds.max, mesh->bounds.min);
    ui_fact(ui, "Size", "%.1f \xC3\x97 %.1f \xC3\x97 %.1f", size.x, size.y, size.z);
}

// Returns the number of lines that show_faults() lists.
static uint32_t count_faults(const view_texture_panel *panel, const view_stage *stage,
                             uint32_t mesh)
{
    const view_layers *const layers = &stage->document->textures.layers;
    const view_reports *const reports = stage->log->reports;
    const size_t num_reports = reports != NULL ? reports->count : 0;
    uint32_t count = 0;
    if (view_count_defects(&panel->stats.faults) > 0)
        count++;
    for (size_t i = 0; i < layers->num_notes; i++) {
        if (layers->notes[i].mesh == mesh)
            count++;
    }
    for (size_t i = 0; i < num_reports; i++) {
        if (view_is_about_mesh(stage, &reports->rows[i], mesh))
            count++;
    }
    return count;
}

// Displays the section "Problems". It contains the defects of normals and tangents, notes about
// stages of the material that are not displayed, and the reports about the mesh.
static void show_faults(view_ui *ui, const view_texture_panel *panel, const view_stage *stage,
                        uint32_t mesh)
{
    const view_layers *const layers = &stage->document->textures.layers;
    const view_reports *const reports = stage->log->reports;
    const uint32_t count = count_faults(panel, stage, mesh);
    char text[192];
    COMMON_TEXT(text, "%u", count);
    if (!ui_section(ui, UI_SECTION_FAULTS, "Problems", count > 0 ? text : "none"))
        return;

    view_describe_defects(&panel->stats.faults, text, sizeof text);
    if (view_count_defects(&panel->stats.faults) > 0)
        ui_column_text(ui, VIEW_AMBER, text);
    for (size_t i = 0; i < layers->num_notes; i++) {
        if (layers->notes[i].mesh == mesh)
            ui_column_text(ui, VIEW_AMBER, layers->notes[i].text);
    }
    const size_t num_reports = reports != NULL ? reports->count : 0;
    for (size_t i = 0; i < num_reports; i++) {
        if (view_is_about_mesh(stage, &reports->rows[i], mesh))
            ui_column_text(ui, VIEW_AMBER, reports->rows[i].text);
    }

    view_rect space;
    reserve_padded_row(ui, 0.4f, &space);
}

// Displays the header of the page. It contains the name of the mesh, buttons that hide, isolate or
// frame it, and a link to its material.
static void show_mesh_header(view_ui *ui, const md5_model *model, uint32_t mesh)
{
    static const view_action actions[] = {VIEW_HIDE_MESH, VIEW_ONLY_MESH, VIEW_FRAME_SELECTED};
    const bool is_hidden = view_is_hidden(ui->stage->hidden_meshes, mesh);
    const char *const labels[] = {is_hidden ? "Show" : "Hide", "Isolate", "Frame"};
    const char *const material = model->meshes[mesh].shader;
    const char *name = model->meshes[mesh].name;
    char number[32];
    char position[32];
    COMMON_TEXT(number, "mesh %u", mesh);
    COMMON_TEXT(position, "Mesh %u of %u", mesh + 1, model->num_meshes);
    if (name[0] == '\0')
        name = number;
    ui_page_title(ui, name, position);

    view_rect row;
    reserve_padded_row(ui, 1.9f, &row);
    const int pressed = ui_left_buttons(ui, &row, labels, COMMON_LENGTH(actions), -1);
    if (pressed >= 0)
        UI_COMMAND(ui, actions[pressed], .number = mesh);
    if (ui_link_pair(ui, "Material", material[0] != '\0' ? material : "none"))
        view_select_material(ui, mesh);
}

// Draws the triangles of a mesh in the plane of the texture coordinates.
static void show_uv_layout(view_ui *ui, uint32_t mesh)
{
    view_rect row;
    ui_reserve_row(ui, ui->column->area.width + ui->line, &row);
    if (!ui->is_event)
        view_draw_uv(ui->stage, mesh, view_inset(row, UI_PADDING * ui->em));
}

// Draws the page of the selected mesh and handles its input, if a mesh is selected.
void view_mesh_page(view_ui *ui, view_texture_panel *panel)
{
    const view_stage *const stage = ui->stage;
    const view_textures *const textures = &stage->document->textures;
    const md5_model *const model = ui->scene->model;
    const uint32_t mesh = (uint32_t)ui->selection.mesh;
    const bool is_selected = ui->selection.mesh >= 0 && model != NULL && mesh < model->num_meshes;
    if (!is_selected || view_shows_crowd(stage->document))
        return;
    if (panel->stats.mesh != &model->meshes[mesh]) // another mesh was selected
        measure_mesh(&panel->stats, &model->meshes[mesh], model->skeleton.num_joints);

    ui_begin(ui, "page");
    show_mesh_header(ui, model, mesh);
    if (ui_section(ui, UI_SECTION_TEXTURES, "Textures", "")) {
        show_maps(ui, panel, mesh);
        show_selected(ui, panel, mesh);
        show_saving(ui, panel);
    }
    char num_locations[32];
    COMMON_TEXT(num_locations, "%zu", view_mesh_look(textures, mesh)->searched_locations.count);
    if (ui_section(ui, UI_SECTION_LOOKED, "Searched locations", num_locations))
        list_searched(ui, panel, textures, mesh);
    if (ui_section(ui, UI_SECTION_SHAPE, "Geometry", ""))
        show_shape(ui, panel, mesh);
    show_faults(ui, panel, stage, mesh);
    if (ui_section(ui, UI_SECTION_UV, "UV layout", ""))
        show_uv_layout(ui, mesh);
}
