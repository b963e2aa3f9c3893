// Panels about the displayed surface: the legend of weights in the lower right corner of the image,
// and the UV layout of a mesh. This file also draws markers at points of the image.
#include "demo/viewer/ui/surface.h"

#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

// Sizes in layout units.
static const float band_width = 230; // width of the color scale
static const float band_height = 12;
static const float spacing = 8; // above and below the color scale, together

static const view_color mark_color = 0xF2C14EFFu;
static const view_color mark_edge_color = 0x12151AE0u;
static const view_color triangle_color = 0xF1F3F690u; // color of triangles in the UV layout

// -- Weights --------------------------------------------------------------------------------

// Converts a color with linear channels to an sRGB color.
static view_color encode_color(md5_vec4 linear)
{
    const float channels[3] = {linear.x, linear.y, linear.z};
    view_color color = 0xFF; // alpha
    for (int i = 0; i < 3; i++) {
        const float c = channels[i];
        const float encoded = c <= 0.0031308f ? 12.92f * c : 1.055f * powf(c, 1.0f / 2.4f) - 0.055f;
        color |= (view_color)(255 * encoded + 0.5f) << (24 - 8 * i);
    }
    return color;
}

// Draws the color scale of the legend. The colors of weights, from 0 to 1, are continuous. If
// `are_counts` is true, the scale has four steps, for 1, 2, 3, and 4 or more influences.
static void draw_color_band(const view_stage *stage, view_rect band, bool are_counts)
{
    enum { STEPS = 64 };
    const float step = band.width / (float)STEPS;
    for (int i = 0; i < STEPS; i++) {
        const float value = ((float)i + 0.5f) / (float)STEPS;
        const md5_vec4 color = view_heat_color(are_counts ? ceilf(4 * value) / 4 : value);
        const view_rect part = {band.x + (float)i * step, band.y, step + 0.5f, band.height};
        view_draw_rect(stage->canvas, part, encode_color(color));
    }
}

// Draws the labels below the color scale. A weight is below its position, a number of influences is
// below the middle of its step.
static void draw_band_labels(const view_ui *ui, view_rect band, bool are_counts)
{
    enum { NUM_LABELS = 5 };
    static const char *const weights[NUM_LABELS] = {"0", "0.25", "0.5", "0.75", "1"};
    static const char *const counts[NUM_LABELS] = {"", "1", "2", "3", "4+"};
    for (int i = 0; i < NUM_LABELS; i++) {
        const char *const label = are_counts ? counts[i] : weights[i];
        const float half_width = 0.5f * ui_text_width(ui, label);
        const float part = are_counts ? ((float)i - 0.5f) / 4.0f : (float)i / 4.0f;
        const float x = band.x + part * band.width - half_width;
        const float max_x = band.x + band.width - 2 * half_width;
        ui_text(ui, view_clamp(x, band.x, max_x), band.y + band.height, 0, VIEW_DIM, label);
    }
}

// Writes the title and the text of the legend. If a joint is selected, they are about its weights.
// Otherwise they are about the numbers of influences per vertex.
static void describe_weights(const view_ui *ui, int32_t joint, char title[96], char text[96])
{
    const view_heatmap_stats heat = view_measure_heat(ui->scene->model, joint);
    const char *const vertices = common_noun(heat.num_vertices, "vertex", "vertices");
    if (joint < 0) {
        snprintf(title, 96, "Influences per vertex");
        snprintf(text, 96, "max. %.0f" VIEW_DOT "%u %s above 4", heat.max_value, heat.num_vertices,
                 vertices);
    } else {
        snprintf(title, 96, "Weights of %s", ui->scene->skeleton->joints[joint].name);
        snprintf(text, 96, "%u %s" VIEW_DOT "max. %.3f", heat.num_vertices, vertices,
                 heat.max_value);
    }
}

// Draws the legend in `box`: its title, its text, and the color scale with labels.
static void draw_weights(const view_ui *ui, const view_stage *stage, view_rect box)
{
    const bool are_counts = stage->joint < 0; // numbers of influences, not weights
    char title[96];
    char text[96];
    describe_weights(ui, stage->joint, title, text);

    const view_rect inside = view_inset(box, VIEW_PADDING * ui->scale);
    const float text_y = inside.y + stage->font->line[VIEW_TITLE];
    view_draw_text(stage->canvas, VIEW_TITLE, inside.x, inside.y, inside.width, VIEW_BRIGHT, title);
    ui_text(ui, inside.x, text_y, inside.width, VIEW_PLAIN, text);
    const view_rect band = {inside.x, text_y + ui->line + 0.5f * spacing * ui->scale, inside.width,
                            band_height * ui->scale};
    draw_color_band(stage, band, are_counts);
    draw_band_labels(ui, band, are_counts);
}

// -- Texture coordinates --------------------------------------------------------------------

// The displayed square of the plane of texture coordinates. It contains the whole image, and may
// extend beyond it.
typedef struct uv_window {
    float low[2];   // texture coordinates of the upper left corner
    float size;     // in texture coordinates
    view_rect area; // in the window, pixels
} uv_window;

// Sets the position of a vertex of a mesh in the UV layout, in pixels.
static void uv_to_pixel(const uv_window *window, md5_vec2 uv, float pixel[2])
{
    const view_rect area = window->area;
    pixel[0] = area.x + (uv.x - window->low[0]) / window->size * area.width;
    pixel[1] = area.y + (uv.y - window->low[1]) / window->size * area.height;
}

// Draws the sides of a triangle of a mesh in the UV layout. Sides that are partly outside of the
// displayed part are omitted.
static void draw_triangle_sides(const view_stage *stage, const md5_mesh *mesh, uint32_t triangle,
                                const uv_window *window, float width, view_color color)
{
    const view_rect bounds = view_inset(window->area, -1);
    const uint32_t *const corners = mesh->indices + 3 * (size_t)triangle;
    for (uint32_t i = 0; i < 3; i++) { // the side from corner i to the next corner
        const uint32_t next = (i + 1) % 3;
        float ends[4]; // x and y of both corners, pixels
        uv_to_pixel(window, mesh->texcoords[corners[i]], ends);
        uv_to_pixel(window, mesh->texcoords[corners[next]], ends + 2);
        const bool is_begin_inside = view_contains(bounds, ends[0], ends[1]);
        const bool is_end_inside = view_contains(bounds, ends[2], ends[3]);
        if (is_begin_inside && is_end_inside)
            view_draw_segment(stage->canvas, ends, width, color);
    }
}

// Sets the displayed square, so that it contains the image and the texture coordinates of all
// vertices. Texture coordinates outside of 0 to 1 repeat the image and can be large. Therefore at
// most MAX_IMAGES images are displayed in each direction. Returns the number of vertices outside of
// the image.
static uint32_t measure_uv(const md5_mesh *mesh, uv_window *window)
{
    enum { MAX_IMAGES = 4 };
    float low[2] = {0, 0};
    float high[2] = {1, 1};
    uint32_t num_outside = 0;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const float uv[2] = {mesh->texcoords[v].x, mesh->texcoords[v].y};
        bool is_inside = true;
        for (int i = 0; i < 2; i++) {
            low[i] = fmaxf(fminf(low[i], uv[i]), -MAX_IMAGES);
            high[i] = fminf(fmaxf(high[i], uv[i]), MAX_IMAGES);
            is_inside = is_inside && uv[i] >= 0 && uv[i] <= 1;
        }
        if (!is_inside)
            num_outside++;
    }
    *window =
        (uv_window){.low = {low[0], low[1]}, .size = fmaxf(high[0] - low[0], high[1] - low[1])};
    return num_outside;
}

// Draws the text above a UV layout: a warning about vertices outside of the texture, or the name of
// the image. `image` may be NULL.
static void draw_uv_title(const view_stage *stage, const md5_mesh *mesh, uint32_t num_outside,
                          const view_texture *image, view_rect inside)
{
    char text[160];
    if (num_outside > 0)
        COMMON_TEXT(text, "%u of %u %s outside 0 to 1", num_outside, mesh->num_vertices,
                    common_noun(mesh->num_vertices, "vertex", "vertices"));
    else
        COMMON_TEXT(text, "%s", image != NULL ? common_base(image->path) : "no texture");
    view_draw_text(stage->canvas, VIEW_TEXT, inside.x, inside.y, inside.width,
                   num_outside > 0 ? VIEW_AMBER : VIEW_PLAIN, text);
}

// Draws the triangles of a mesh in the UV layout. The triangle that contains the selected point is
// highlighted.
static void draw_uv_triangles(const view_stage *stage, const md5_mesh *mesh, uint32_t mesh_index,
                              const uv_window *window)
{
    enum { MAX_TRIANGLES = 20000 }; // limits the time for a large mesh
    const float line_width = stage->font->scale;
    const view_pick *const pick = &stage->selection->pick;
    for (uint32_t i = 0; i < mesh->num_triangles && i < MAX_TRIANGLES; i++)
        draw_triangle_sides(stage, mesh, i, window, line_width, triangle_color);
    if (pick->is_set && pick->mesh == mesh_index)
        draw_triangle_sides(stage, mesh, pick->triangle, window, 3 * line_width, mark_color);
}

// Draws the UV layout of a mesh in the rectangle `inside`. It consists of the texture, and of the
// triangles at their texture coordinates over it. A square part of the texture space is displayed,
// which contains all vertices. A mesh without a texture has a grid instead.
void view_draw_uv(const view_stage *stage, uint32_t number, view_rect inside)
{
    const view_document *const document = stage->document;
    const md5_mesh *const mesh = &document->scene.model->meshes[number];
    const view_texture *const image =
        view_mesh_image(&document->textures, number, MD5GL_IMAGE_DIFFUSE);
    uv_window window;
    const uint32_t num_outside = measure_uv(mesh, &window);
    draw_uv_title(stage, mesh, num_outside, image, inside);
    if (mesh->num_vertices == 0)
        return;

    // The displayed part can be larger than the image, which is then repeated.
    const float title_height = stage->font->line[VIEW_TEXT];
    const float side = fminf(inside.width, inside.height - title_height);
    window.area = (view_rect){inside.x, inside.y + title_height, side, side};
    const float uv[4] = {window.low[0], window.low[1], window.low[0] + window.size,
                         window.low[1] + window.size};
    const md5gl_texture texture = image != NULL ? image->texture : document->surfaces.uv_grid;
    view_draw_image(stage->canvas, window.area, uv, texture, true);
    draw_uv_triangles(stage, mesh, number, &window);
}

// -- The panel ------------------------------------------------------------------------------

// Draws the legend of the weights in the lower right corner of the image, while the surface
// displays weights. Also handles its input.
void view_surface_panel(view_ui *ui)
{
    const view_stage *const stage = ui->stage;
    const bool shows_weights =
        stage->options->surface == VIEW_SURFACE_WEIGHTS && stage->document->drawn != NULL;
    if (!shows_weights || view_shows_crowd(stage->document))
        return;

    // The scale of weights is in the lower right corner of the image.
    const float scale = ui->scale;
    const float margin = VIEW_MARGIN * scale;
    const float padding = VIEW_PADDING * scale;
    const float width = band_width * scale + 2 * padding;
    const float height = stage->font->line[VIEW_TITLE] + 2 * ui->line
                         + (band_height + spacing) * scale + 2 * padding;
    const view_rect free = view_current_layout(stage).free;
    const view_rect box = {free.x + free.width - margin - width,
                           free.y + fmaxf(free.height - margin - height, margin), width, height};
    ui_box(ui, "surface", box, "");
    if (!ui->is_event)
        draw_weights(ui, stage, box);
}

// -- Markers --------------------------------------------------------------------------------

// Projects a point of the world to a pixel of the window. Returns false if the point is behind the
// camera or far outside of the window.
bool view_find_pixel(const view_stage *stage, md5_vec3 position, float at[2])
{
    const float max_pixel = 1e5f; // far outside of any window
    const view_lens lens = view_stage_lens(stage);
    // Half of the visible height at the distance of the point, in world units. It is at most 0 if
    // the point is behind the camera.
    const float half_height = view_half_height_at(&lens, position);
    const float pixels_per_unit = 0.5f * stage->height / half_height;

    // The axis of the lens is in the middle of the image, unless the lens is shifted.
    const float axis_x = 0.5f * stage->width * (1 + lens.shift_x);
    const float axis_y = 0.5f * stage->height * (1 - lens.shift_y);
    const md5_vec3 offset = md5_vec3_sub(position, lens.eye);
    const float right = md5_vec3_dot(offset, lens.axes.right);
    const float up = md5_vec3_dot(offset, lens.axes.up);
    at[0] = axis_x + right * pixels_per_unit;
    at[1] = axis_y - up * pixels_per_unit;
    return half_height > 0 && fabsf(at[0]) < max_pixel && fabsf(at[1]) < max_pixel;
}

// Draws a marker at the pixel (at[0], at[1]), and a name to the right of it. The marker is a disc
// with a dark edge.
void view_mark_pixel(const view_stage *stage, const float at[2], const char *name)
{
    view_canvas *const canvas = stage->canvas;
    const float scale = stage->font->scale;
    const float x = at[0];
    const float y = at[1];
    view_draw_disc(canvas, x, y, 7 * scale, mark_edge_color);
    view_draw_disc(canvas, x, y, 4.5f * scale, mark_color);

    // The name is in a pill at the right of the disc.
    const float text_width = view_text_width(stage->font, VIEW_TEXT, name);
    const view_rect box = {x + 12 * scale, y - 13 * scale, text_width + 16 * scale, 26 * scale};
    view_draw_round_rect(canvas, box, 13 * scale, VIEW_BOX);
    view_draw_text(canvas, VIEW_TEXT, box.x + 8 * scale, box.y + 4 * scale, 0, VIEW_BRIGHT, name);
}
