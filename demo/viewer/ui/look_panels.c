// What the model looks like, at the right: lights, materials, and the surface that the body shows.
#include "demo/viewer/ui/panels.h"

#include "demo/viewer/assets/file_words.h"
#include "demo/common/file.h"
#include "demo/viewer/base/math.h"

#include <math.h>
#include <stdio.h>

// == Sliders ===============================================================================

static view_rect lights_panel(view_ui *ui, const view_stage *stage, float bottom)
{
    const view_rect box = ui_open_sliders(ui, "lights", stage->width, bottom, "Lights",
                                          "Click on a name to reset it", VIEW_NUM_LIGHTS, 70.0f);
    for (view_light light = 0; light < VIEW_NUM_LIGHTS; light++) {
        const view_light_range *const range = view_range_of_light(light);
        float value = stage->lights->values[light];
        char text[32];
        (void)snprintf(text, sizeof text, range->usual > 0.0f ? "%.2f" : "%.0f\xC2\xB0",
                       (double)value);
        const ui_slider_row row = {range->name,   text,       range->low, range->high,
                                   &range->usual, VIEW_PLAIN, VIEW_BRIGHT};
        if (ui_slider(ui, &row, &value))
            stage->lights->values[light] = value;
    }
    return box;
}

// The upper end of a slider: further steps of the usual range if the value is beyond it, so that
// time, which runs on, can be moved wherever it is.
static float parm_high(float usual_high, float value)
{
    const bool is_beyond = value > usual_high && value < 1e6f * usual_high;
    return is_beyond ? usual_high * ceilf(value / usual_high) : usual_high;
}

// Rows that no material of the model reads are dim.
static view_rect materials_panel(view_ui *ui, const view_stage *stage, float right, float bottom)
{
    const view_rect box =
        ui_open_sliders(ui, "parms", right, bottom, "Materials",
                        "Bright: in use. Click on a name to reset it", VIEW_NUM_PARM_ROWS, 100.0f);
    for (int number = 0; number < VIEW_NUM_PARM_ROWS; number++) {
        const view_parm_range *const range = view_range_of_parm(number);
        const bool is_time = number == VIEW_PARM_TIME;
        float value = is_time ? view_material_time(stage->parms, stage->play->time)
                              : view_parm_of(stage, number);
        const bool is_read = stage->document->textures.layers.read >> number & 1;
        const view_color color = is_read ? VIEW_BRIGHT : VIEW_DIM;
        char text[32];
        (void)snprintf(text, sizeof text, is_time ? "%.2f s" : "%.2f", (double)value);
        const ui_slider_row row = {range->name,   text,  0.0f, parm_high(range->high, value),
                                   &range->usual, color, color};
        if (ui_slider(ui, &row, &value))
            view_set_parm(stage->parms, number, value, stage->play->time);
    }
    return box;
}

float view_sliders_panel(view_ui *ui, const view_stage *stage, float bottom)
{
    const view_shown *const shown = stage->shown;
    float right = stage->width, top = bottom;
    if (shown->light_list) {
        const view_rect box = lights_panel(ui, stage, bottom);
        right = box.x;
        top = box.y;
    }
    if (shown->parm_list) {
        const view_rect box = materials_panel(ui, stage, right, bottom);
        top = shown->light_list ? top : box.y;
    }
    return top;
}

// == The surface ===========================================================================
//
// What belongs to the surface that the body shows, in the lower right corner: the scale of the
// weights, the layout of a mesh's texture coordinates, or the images of a mesh.

#define DOT "  \xE2\x80\xA2  "

// In layout units.
static const float widest = 400.0f, scale_width = 230.0f, scale_height = 12.0f, spacing = 8.0f;

static view_surface surface_of(const view_stage *stage)
{
    const view_document *const document = stage->document;
    const bool is_one = document->drawn != NULL && !view_shows_crowd(document);
    return is_one ? stage->surface : VIEW_SURFACE_LIT;
}

// The mesh that was clicked on, or the first that is not hidden.
static uint32_t mesh_of(const view_stage *stage)
{
    const uint32_t num_meshes = stage->document->scene.model->num_meshes;
    uint32_t mesh = 0;
    if (stage->pick->is_set && stage->pick->mesh < num_meshes)
        return stage->pick->mesh;
    while (mesh + 1 < num_meshes && mesh < 64 && (stage->hidden_meshes >> mesh & 1) != 0)
        mesh++;
    return mesh;
}

float view_right_column(const view_stage *stage)
{
    float left = stage->width;
    if (stage->shown->hierarchy && stage->document->scene.skeleton != NULL)
        left = fminf(left, view_joints_left(stage));
    else if (view_mode_of(stage->document) == VIEW_MODE_MACHINE)
        left = fminf(left, view_box_of(stage, view_list_machine).x);
    else if (view_shows_channels(stage))
        left = fminf(left, view_box_of(stage, view_list_channels).x);
    return left;
}

// A box at the right, above the time bar or the state graph and beside what is there already, with
// `inner` pixels of height between its title and its edge.
static view_rect place_box(const view_stage *stage, float width, float inner)
{
    const view_font *const font = stage->font;
    const float margin = VIEW_MARGIN * font->scale, padding = VIEW_PADDING * font->scale;
    const float bottom = view_shows_graph(stage) ? view_graph_box(stage).y : view_bar_top(stage);
    const float height = font->line[VIEW_TITLE] + inner + 2.0f * padding;
    return (view_rect){view_right_column(stage) - margin - width - 2.0f * padding,
                       fmaxf(bottom - margin - height, margin), width + 2.0f * padding, height};
}

// Draws the box and its title; returns what is inside, below the title.
static view_rect open_box(const view_stage *stage, view_rect box, const char *title)
{
    const view_font *const font = stage->font;
    const float padding = VIEW_PADDING * font->scale;
    const view_rect inside = {box.x + padding, box.y + padding + font->line[VIEW_TITLE],
                              box.width - 2.0f * padding,
                              box.height - font->line[VIEW_TITLE] - 2.0f * padding};
    view_draw_round_rect(stage->canvas, box, VIEW_RADIUS * font->scale, VIEW_BOX);
    view_draw_text(stage->canvas, VIEW_TITLE, inside.x, box.y + padding, inside.width, VIEW_BRIGHT,
                   title);
    return inside;
}

// The side of a square panel: a third of the picture, as far as there is room.
static float side_of(const view_stage *stage)
{
    const float least = fminf(stage->width, stage->height);
    return fmaxf(fminf(0.42f * least, widest * stage->font->scale), 32.0f);
}

// -- Weights --------------------------------------------------------------------------------

static view_color color_of(float value)
{
    const md5_vec4 linear = view_heat_color(value);
    const float channels[3] = {linear.x, linear.y, linear.z};
    view_color color = 0xFF;
    for (int i = 0; i < 3; i++) {
        const float c = channels[i];
        const float encoded = c <= 0.0031308f ? 12.92f * c : 1.055f * powf(c, 1.0f / 2.4f) - 0.055f;
        color |= (view_color)(255.0f * encoded + 0.5f) << (24 - 8 * i);
    }
    return color;
}

// A band of the scale's colours, with what its ends and quarters mean.
static void draw_scale(const view_stage *stage, view_rect band, bool is_count)
{
    enum { STEPS = 64 };
    static const char *const weights[5] = {"0", "0.25", "0.5", "0.75", "1"};
    static const char *const counts[5] = {"", "1", "2", "3", "4+"};
    const float step = band.width / (float)STEPS;
    for (int i = 0; i < STEPS; i++) {
        const float value = ((float)i + 0.5f) / (float)STEPS;
        const view_rect part = {band.x + (float)i * step, band.y, step + 0.5f, band.height};
        view_draw_rect(stage->canvas, part, color_of(is_count ? ceilf(4 * value) / 4 : value));
    }
    for (int i = 0; i < 5; i++) {
        const char *const word = is_count ? counts[i] : weights[i];
        const float text = view_text_width(stage->font, VIEW_TEXT, word);
        // Below its colour: counts in the middle of their quarter, weights at their place.
        const float at = is_count ? ((float)i - 0.5f) / 4.0f : (float)i / 4.0f;
        const float x = band.x + at * band.width - 0.5f * text;
        view_draw_text(stage->canvas, VIEW_TEXT, view_clamp(x, band.x, band.x + band.width - text),
                       band.y + band.height, 0, VIEW_DIM, word);
    }
}

static view_rect weights_box(const view_stage *stage)
{
    const view_font *const font = stage->font;
    return place_box(stage, scale_width * font->scale,
                     2.0f * font->line[VIEW_TEXT] + (scale_height + spacing) * font->scale);
}

static void draw_weights(const view_stage *stage, view_rect box)
{
    const view_scene *const scene = &stage->document->scene;
    const view_font *const font = stage->font;
    const int32_t joint = stage->joint;
    const view_heat_facts heat = view_measure_heat(scene->model, joint);
    char title[96], text[96];
    (void)snprintf(title, sizeof title, joint >= 0 ? "Weights of %s" : "Joints of each vertex",
                   joint >= 0 ? scene->skeleton->joints[joint].name : "");
    if (joint >= 0)
        (void)snprintf(text, sizeof text, "%u vertices" DOT "at most %.3f", heat.num_vertices,
                       heat.most);
    else
        (void)snprintf(text, sizeof text, "at most %.0f" DOT "%u with more than 4", heat.most,
                       heat.num_vertices);
    const view_rect inside = open_box(stage, box, title);
    view_draw_text(stage->canvas, VIEW_TEXT, inside.x, inside.y, inside.width, VIEW_PLAIN, text);
    const view_rect band = {inside.x,
                            inside.y + font->line[VIEW_TEXT] + 0.5f * spacing * font->scale,
                            inside.width, scale_height * font->scale};
    draw_scale(stage, band, joint < 0);
}

// -- Texture coordinates --------------------------------------------------------------------

// The part of the plane of texture coordinates that is shown: the image, and what is beyond it.
typedef struct uv_window {
    float low[2], size;
} uv_window;

// Texture coordinates of repeated images may be far out: as far as MOST images are shown.
static uv_window find_window(const md5_mesh *mesh)
{
    enum { MOST = 4 };
    float low[2] = {0.0f, 0.0f}, high[2] = {1.0f, 1.0f};
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const float at[2] = {mesh->texcoords[v].x, mesh->texcoords[v].y};
        for (int i = 0; i < 2; i++) {
            low[i] = fmaxf(fminf(low[i], at[i]), -(float)MOST);
            high[i] = fminf(fmaxf(high[i], at[i]), (float)MOST);
        }
    }
    return (uv_window){{low[0], low[1]}, fmaxf(high[0] - low[0], high[1] - low[1])};
}

static void place_uv(const uv_window *window, view_rect area, md5_vec2 uv, float xy[2])
{
    xy[0] = area.x + (uv.x - window->low[0]) / window->size * area.width;
    xy[1] = area.y + (uv.y - window->low[1]) / window->size * area.height;
}

// Sides that leave the window are left out.
static void draw_triangle_sides(const view_stage *stage, const md5_mesh *mesh, uint32_t triangle,
                                const uv_window *window, view_rect area, float width,
                                view_color color)
{
    const view_rect room = {area.x - 1.0f, area.y - 1.0f, area.width + 2.0f, area.height + 2.0f};
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t *const corners = mesh->indices + 3 * (size_t)triangle;
        float ends[4];
        place_uv(window, area, mesh->texcoords[corners[i]], ends);
        place_uv(window, area, mesh->texcoords[corners[(i + 1) % 3]], ends + 2);
        if (view_contains(room, ends[0], ends[1]) && view_contains(room, ends[2], ends[3]))
            view_draw_segment(stage->canvas, ends, width, color);
    }
}

static void draw_layout(const view_stage *stage, const md5_mesh *mesh, uint32_t mesh_number,
                        view_rect area)
{
    enum { MOST_TRIANGLES = 20000 };
    const uv_window window = find_window(mesh);
    const float scale = stage->font->scale;
    const float uv[4] = {window.low[0], window.low[1], window.low[0] + window.size,
                         window.low[1] + window.size};
    const view_texture *const image =
        view_mesh_image(&stage->document->textures, mesh_number, VIEW_MAP_DIFFUSE);
    view_draw_image(stage->canvas, area, uv,
                    image != NULL ? image->texture : stage->document->surfaces.uv_grid, true);
    for (uint32_t t = 0; t < mesh->num_triangles && t < MOST_TRIANGLES; t++)
        draw_triangle_sides(stage, mesh, t, &window, area, scale, 0xF1F3F690u);
    if (stage->pick->is_set && stage->pick->mesh == mesh_number)
        draw_triangle_sides(stage, mesh, stage->pick->triangle, &window, area, 3.0f * scale,
                            0xF2C14EFFu);
}

static uint32_t count_outside(const md5_mesh *mesh)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const md5_vec2 uv = mesh->texcoords[v];
        count += !(uv.x >= 0.0f && uv.x <= 1.0f && uv.y >= 0.0f && uv.y <= 1.0f);
    }
    return count;
}

static view_rect layout_box(const view_stage *stage)
{
    const float side = side_of(stage), line = stage->font->line[VIEW_TEXT];
    return place_box(stage, side, side + line);
}

static void draw_uv(const view_stage *stage, view_rect box)
{
    const uint32_t number = mesh_of(stage);
    const md5_mesh *const mesh = &stage->document->scene.model->meshes[number];
    const char *const path =
        view_mesh_map_path(&stage->document->textures, number, VIEW_MAP_DIFFUSE);
    const float line = stage->font->line[VIEW_TEXT];
    const uint32_t num_outside = count_outside(mesh);
    char title[96], text[160];
    (void)snprintf(title, sizeof title, "UV of mesh %u  %s", number, mesh->name);
    if (num_outside > 0)
        (void)snprintf(text, sizeof text, "%u of %u vertices outside 0 to 1", num_outside,
                       mesh->num_vertices);
    else
        (void)snprintf(text, sizeof text, "%s", path != NULL ? common_base(path) : "no texture");
    const view_rect inside = open_box(stage, box, title);
    const float side = fminf(inside.width, inside.height - line);
    view_draw_text(stage->canvas, VIEW_TEXT, inside.x, inside.y, inside.width,
                   num_outside > 0 ? VIEW_AMBER : VIEW_PLAIN, text);
    if (mesh->num_vertices > 0)
        draw_layout(stage, mesh, number, (view_rect){inside.x, inside.y + line, side, side});
}

// -- Images ---------------------------------------------------------------------------------

static uint32_t list_images(const view_stage *stage, uint32_t mesh,
                            const view_texture *images[VIEW_NUM_MAPS])
{
    uint32_t count = 0;
    for (view_map map = VIEW_MAP_DIFFUSE; map < VIEW_NUM_MAPS; map++) {
        const view_texture *const image = view_mesh_image(&stage->document->textures, mesh, map);
        if (image != NULL)
            images[count++] = image;
    }
    return count;
}

// Columns and rows of tiles.
static void count_tiles(uint32_t count, uint32_t *columns, uint32_t *rows)
{
    *columns = count > 1 ? 2 : 1;
    *rows = count > 0 ? (count + *columns - 1) / *columns : 1;
}

static view_rect images_box(const view_stage *stage)
{
    const view_texture *images[VIEW_NUM_MAPS];
    const float line = stage->font->line[VIEW_TEXT], side = side_of(stage);
    const float gap = spacing * stage->font->scale;
    const uint32_t count = list_images(stage, mesh_of(stage), images);
    uint32_t columns, rows;
    count_tiles(count, &columns, &rows);
    const float tile = count > 0 ? (side - gap) / (float)columns : 0.0f;
    return place_box(stage, side, (float)rows * (tile + 2.0f * line + gap));
}

static void draw_tile(const view_stage *stage, const view_texture *image, view_rect tile)
{
    static const float whole[4] = {0.0f, 0.0f, 1.0f, 1.0f};
    const float line = stage->font->line[VIEW_TEXT];
    const float longest = (float)(image->width > image->height ? image->width : image->height);
    const float width = tile.width * (float)image->width / longest;
    const float height = tile.width * (float)image->height / longest;
    const bool is_color = image->map != VIEW_MAP_NORMALS && image->map != VIEW_MAP_HEIGHT;
    char text[96];
    (void)snprintf(text, sizeof text, "%u\xC3\x97%u" DOT "%s", image->width, image->height,
                   view_map_name(image->map));
    view_draw_image(stage->canvas, (view_rect){tile.x, tile.y, width, height}, whole,
                    image->texture, is_color);
    view_draw_text(stage->canvas, VIEW_TEXT, tile.x, tile.y + tile.width, tile.width, VIEW_PLAIN,
                   common_base(image->path));
    view_draw_text(stage->canvas, VIEW_TEXT, tile.x, tile.y + tile.width + line, tile.width,
                   VIEW_DIM, text);
}

static void draw_images(const view_stage *stage, view_rect box)
{
    const view_texture *images[VIEW_NUM_MAPS];
    const uint32_t mesh = mesh_of(stage), count = list_images(stage, mesh, images);
    const float line = stage->font->line[VIEW_TEXT];
    const float gap = spacing * stage->font->scale;
    uint32_t columns, rows;
    char title[96];
    count_tiles(count, &columns, &rows);
    (void)snprintf(title, sizeof title, "Images of mesh %u  %s", mesh,
                   stage->document->scene.model->meshes[mesh].name);
    const view_rect inside = open_box(stage, box, title);
    const float tile = columns > 1 ? 0.5f * (inside.width - gap) : inside.width;
    if (count == 0)
        view_draw_text(stage->canvas, VIEW_TEXT, inside.x, inside.y, inside.width, VIEW_DIM,
                       "none");
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t column = i % columns, row = i / columns;
        draw_tile(stage, images[i],
                  (view_rect){inside.x + (float)column * (tile + gap),
                              inside.y + (float)row * (tile + 2.0f * line + gap), tile, tile});
    }
}

// -- The panel ------------------------------------------------------------------------------

view_rect view_surface_box(const view_stage *stage)
{
    switch (surface_of(stage)) {
    case VIEW_SURFACE_WEIGHTS:
        return weights_box(stage);
    case VIEW_SURFACE_UV:
        return layout_box(stage);
    case VIEW_SURFACE_TEXTURES:
        return images_box(stage);
    default:
        return (view_rect){stage->width, stage->height, 0.0f, 0.0f};
    }
}

void view_surface_panel(view_ui *ui, const view_stage *stage)
{
    const view_rect box = view_surface_box(stage);
    ui_begin(ui, "surface");
    (void)ui_item(ui, box, "");
    if (ui->is_event) // many triangles
        return;
    switch (surface_of(stage)) {
    case VIEW_SURFACE_WEIGHTS:
        draw_weights(stage, box);
        break;
    case VIEW_SURFACE_UV:
        draw_uv(stage, box);
        break;
    case VIEW_SURFACE_TEXTURES:
        draw_images(stage, box);
        break;
    default:
        break;
    }
}
