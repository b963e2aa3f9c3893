// Panels for the displays of the surface: the legend of the weights in the lower right corner of
// the image, and the UV layout of a mesh. Also the markers of points in the image.
#include "demo/viewer/ui/surface.h"

#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

// Sizes in layout units.
static const float band_width = 230; // of the color scale
static const float band_height = 12;
static const float spacing = 8; // above and below the color scale, together

static const view_color mark_color = 0xF2C14EFFu;
static const view_color mark_edge_color = 0x12151AE0u;
static const view_color triangle_color = 0xF1F3F690u; // of triangles in the UV layout

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

// Draws the color scale of the legend as a band. The colors of weights, 0 to 1, are continuous. The
// colors of the numbers of influences, 1 to 4 and more, are four steps (`are_counts`).
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

// Draws the legend in `box`: the weights of the selected joint or, without a selected joint, the
// numbers of influences per vertex.
static void draw_weights(const view_ui *ui, const view_stage *stage, view_rect box)
{
    const int32_t joint = stage->joint;
    const bool are_counts = joint < 0;
    const view_heatmap_stats heat = view_measure_heat(ui->scene->model, joint);
    const char *const vertices = common_noun(heat.num_vertices, "vertex", "vertices");
    char title[96] = "Influences per vertex";
    char text[96];
    if (are_counts) {
        COMMON_TEXT(text, "max. %.0f" VIEW_DOT "%u %s above 4", heat.max_value, heat.num_vertices,
                    vertices);
    } else {
        COMMON_TEXT(title, "Weights of %s", ui->scene->skeleton->joints[joint].name);
        COMMON_TEXT(text, "%u %s" VIEW_DOT "max. %.3f", heat.num_vertices, vertices,
                    heat.max_value);
    }

    view_rect inside = view_inset(box, VIEW_PADDING * ui->scale);
    view_draw_text(stage->canvas, VIEW_TITLE, inside.x, inside.y, inside.width, VIEW_BRIGHT, title);
    inside.y += stage->font->line[VIEW_TITLE];
    ui_text(ui, inside.x, inside.y, inside.width, VIEW_PLAIN, text);
    const view_rect band = {inside.x, inside.y + ui->line + 0.5f * spacing * ui->scale,
                            inside.width, band_height * ui->scale};
    draw_color_band(stage, band, are_counts);
    draw_band_labels(ui, band, are_counts);
}

// -- Texture coordinates --------------------------------------------------------------------

// The displayed part of the plane of texture coordinates. It contains the image and coordinates
// outside of it.
typedef struct uv_window {
    float low[2];   // texture coordinates of the upper left corner
    float size;     // in texture coordinates
    view_rect area; // in the window, pixels
} uv_window;

// Draws the sides of a triangle of a mesh in the UV layout. Sides that are partly outside of the
// displayed part are omitted.
static void draw_triangle_sides(const view_stage *stage, const md5_mesh *mesh, uint32_t triangle,
                                const uv_window *window, float width, view_color color)
{
    const view_rect area = window->area;
    const view_rect bounds = view_inset(area, -1);
    const uint32_t *const corners = mesh->indices + 3 * (size_t)triangle;
    for (uint32_t i = 0; i < 3u; i++) { // the side from corner i to the next corner
        float ends[4];                  // x and y of both corners, pixels
        for (uint32_t k = 0; k < 2u; k++) {
            const md5_vec2 uv = mesh->texcoords[corners[(i + k) % 3]];
            ends[2 * k] = area.x + (uv.x - window->low[0]) / window->size * area.width;
            ends[2 * k + 1] = area.y + (uv.y - window->low[1]) / window->size * area.height;
        }
        if (view_contains(bounds, ends[0], ends[1]) && view_contains(bounds, ends[2], ends[3]))
            view_draw_segment(stage->canvas, ends, width, color);
    }
}

// Sets the displayed part of the UV plane: it contains the image and the texture coordinates of all
// vertices of a mesh. Texture coordinates of repeated images may be large; at most MAX_IMAGES
// images in each direction are displayed. Returns the number of vertices outside of the image.
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
        num_outside += !is_inside;
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

// Draws the UV layout of a mesh in the rectangle `inside`: its texture and, over it, its triangles
// at their texture coordinates. A square window into the texture space shows all vertices.
void view_draw_uv(const view_stage *stage, uint32_t number, view_rect inside)
{
    enum { MAX_TRIANGLES = 20000 };
    const md5_mesh *const mesh = &stage->document->scene.model->meshes[number];
    const view_texture *const image =
        view_mesh_image(&stage->document->textures, number, MD5GL_IMAGE_DIFFUSE);
    const float line = stage->font->line[VIEW_TEXT];
    uv_window window;
    const uint32_t num_outside = measure_uv(mesh, &window);
    draw_uv_title(stage, mesh, num_outside, image, inside);
    if (mesh->num_vertices == 0)
        return;

    // Draw the image, repeated over the displayed part, or a grid.
    const float side = fminf(inside.width, inside.height - line);
    window.area = (view_rect){inside.x, inside.y + line, side, side};
    const float uv[4] = {window.low[0], window.low[1], window.low[0] + window.size,
                         window.low[1] + window.size};
    view_draw_image(stage->canvas, window.area, uv,
                    image != NULL ? image->texture : stage->document->surfaces.uv_grid, true);

    // Draw the triangles. The selected triangle is highlighted.
    const float scale = stage->font->scale;
    const view_pick *const pick = stage->pick;
    for (uint32_t i = 0; i < mesh->num_triangles && i < MAX_TRIANGLES; i++)
        draw_triangle_sides(stage, mesh, i, &window, scale, triangle_color);
    if (pick->is_set && pick->mesh == number)
        draw_triangle_sides(stage, mesh, pick->triangle, &window, 3 * scale, mark_color);
}

// -- The panel ------------------------------------------------------------------------------

// Draws and handles the legend of the weights in the lower right corner of the image, while the
// surface displays weights.
void view_surface_panel(view_ui *ui)
{
    const view_stage *const stage = ui->stage;
    const bool shows_weights =
        stage->options->surface == VIEW_SURFACE_WEIGHTS && stage->document->drawn != NULL;
    if (!shows_weights || view_shows_crowd(stage->document))
        return;

    // In the lower right corner of the image.
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
    const view_lens lens = view_stage_lens(stage);
    // Half of the visible height at the distance of the point, in world units; 0 or less if the
    // point is behind the camera.
    const float half_height = view_half_height_at(&lens, position);
    const md5_vec3 offset = md5_vec3_sub(position, lens.eye);
    const float pixels_per_unit = 0.5f * stage->height / half_height;
    const float right = md5_vec3_dot(offset, lens.axes.right);
    const float up = md5_vec3_dot(offset, lens.axes.up);
    at[0] = 0.5f * stage->width * (1 + lens.shift_x) + right * pixels_per_unit;
    at[1] = 0.5f * stage->height * (1 - lens.shift_y) - up * pixels_per_unit;
    const float max_pixel = 1e5f; // far outside of any window
    return half_height > 0 && fabsf(at[0]) < max_pixel && fabsf(at[1]) < max_pixel;
}

// Draws a marker with a name at a pixel.
void view_mark_pixel(const view_stage *stage, const float at[2], const char *name)
{
    view_canvas *const canvas = stage->canvas;
    const float scale = stage->font->scale;
    const float x = at[0];
    const float y = at[1];
    view_draw_disc(canvas, x, y, 7 * scale, mark_edge_color);
    view_draw_disc(canvas, x, y, 4.5f * scale, mark_color);

    // The name in a pill right of the disc.
    const float text_width = view_text_width(stage->font, VIEW_TEXT, name);
    const view_rect box = {x + 12 * scale, y - 13 * scale, text_width + 16 * scale, 26 * scale};
    view_draw_round_rect(canvas, box, 13 * scale, VIEW_BOX);
    view_draw_text(canvas, VIEW_TEXT, box.x + 8 * scale, box.y + 4 * scale, 0, VIEW_BRIGHT, name);
}
