#include "demo/viewer/base/canvas.h"

#include "demo/common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void view_clear_canvas(view_canvas *canvas)
{
    canvas->count = canvas->num_images = 0;
}

bool view_contains(view_rect rect, float x, float y)
{
    return x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height;
}

void view_shrink(view_canvas *canvas, uint32_t first, float x, float y, float factor)
{
    for (uint32_t i = first; i < canvas->count && factor < 1.0f; i++) {
        md5gl_panel_vertex *const vertex = &canvas->vertices[i];
        vertex->x = x + (vertex->x - x) * factor;
        vertex->y = y + (vertex->y - y) * factor;
    }
}

// -- Triangles ------------------------------------------------------------------------------

static void add_vertex(view_canvas *canvas, const md5gl_panel_vertex *vertex)
{
    if (canvas->count == canvas->room) {
        canvas->room = canvas->room > 0 ? 2 * canvas->room : 6144;
        canvas->vertices = common_realloc(canvas->vertices, canvas->room, sizeof *canvas->vertices);
    }
    canvas->vertices[canvas->count++] = *vertex;
}

static void add(view_canvas *canvas, float x, float y, float u, float v, view_color color)
{
    add_vertex(canvas, &(md5gl_panel_vertex){
                           x,
                           y,
                           u,
                           v,
                           {(uint8_t)(color >> 24), (uint8_t)(color >> 16), (uint8_t)(color >> 8),
                            (uint8_t)color},
                       });
}

// How far a vertex is within one of the four sides of a rectangle.
static float depth_at(const md5gl_panel_vertex *vertex, view_rect rect, int side)
{
    return side == 0   ? vertex->x - rect.x
           : side == 1 ? rect.x + rect.width - vertex->x
           : side == 2 ? vertex->y - rect.y
                       : rect.y + rect.height - vertex->y;
}

void view_clip_canvas(view_canvas *canvas, uint32_t first, view_rect rect)
{
    enum { MOST = 3 + 4 }; // corners: each side adds one
    const uint32_t count = canvas->count - first;
    md5gl_panel_vertex *const all = common_alloc((size_t)count + 1, sizeof *all);
    memcpy(all, canvas->vertices + first, count * sizeof *all);
    canvas->count = first;
    for (uint32_t i = 0; i + 2 < count; i += 3) {
        md5gl_panel_vertex corners[MOST], kept[MOST];
        uint32_t num_corners = 3;
        memcpy(corners, all + i, 3 * sizeof *corners);
        for (int side = 0; side < 4 && num_corners > 0; side++) {
            uint32_t num_kept = 0;
            for (uint32_t k = 0; k < num_corners; k++) {
                const md5gl_panel_vertex *const a = &corners[k],
                                                *const b = &corners[(k + 1) % num_corners];
                const float from = depth_at(a, rect, side), to = depth_at(b, rect, side);
                if (from >= 0.0f)
                    kept[num_kept++] = *a;
                if ((from >= 0.0f) == (to >= 0.0f))
                    continue;
                const float part = from / (from - to);
                md5gl_panel_vertex cut = *a; // all corners of what is clipped have one colour
                cut.x += (b->x - a->x) * part;
                cut.y += (b->y - a->y) * part;
                cut.u += (b->u - a->u) * part;
                cut.v += (b->v - a->v) * part;
                kept[num_kept++] = cut;
            }
            num_corners = num_kept;
            memcpy(corners, kept, num_kept * sizeof *corners);
        }
        for (uint32_t k = 2; k < num_corners; k++) {
            const md5gl_panel_vertex *const fan[3] = {&corners[0], &corners[k - 1], &corners[k]};
            for (int j = 0; j < 3; j++)
                add_vertex(canvas, fan[j]);
        }
    }
    free(all);
}

// A rectangle of the texture on one of the screen.
static void add_quad(view_canvas *canvas, const float xy[4], const float uv[4], view_color top,
                     view_color bottom)
{
    add(canvas, xy[0], xy[1], uv[0], uv[1], top);
    add(canvas, xy[2], xy[1], uv[2], uv[1], top);
    add(canvas, xy[2], xy[3], uv[2], uv[3], bottom);
    add(canvas, xy[0], xy[1], uv[0], uv[1], top);
    add(canvas, xy[2], xy[3], uv[2], uv[3], bottom);
    add(canvas, xy[0], xy[3], uv[0], uv[3], bottom);
}

void view_draw_gradient(view_canvas *canvas, view_rect rect, view_color top, view_color bottom)
{
    const float u = canvas->font->solid_u, v = canvas->font->solid_v;
    const float xy[4] = {rect.x, rect.y, rect.x + rect.width, rect.y + rect.height};
    const float uv[4] = {u, v, u, v};
    add_quad(canvas, xy, uv, top, bottom);
}

void view_draw_rect(view_canvas *canvas, view_rect rect, view_color color)
{
    view_draw_gradient(canvas, rect, color, color);
}

// Nine pieces: the disc's quarters in the corners, its middle stretched between them.
void view_draw_round_rect(view_canvas *canvas, view_rect rect, float radius, view_color color)
{
    const view_font *const font = canvas->font;
    const float r = fminf(radius, 0.5f * fminf(rect.width, rect.height));
    const float right = rect.x + rect.width, bottom = rect.y + rect.height;
    const float x[4] = {rect.x, rect.x + r, right - r, right};
    const float y[4] = {rect.y, rect.y + r, bottom - r, bottom};
    const float u[4] = {font->disc_u0, font->solid_u, font->solid_u, font->disc_u1};
    const float v[4] = {font->disc_v0, font->solid_v, font->solid_v, font->disc_v1};
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            const float xy[4] = {x[column], y[row], x[column + 1], y[row + 1]};
            const float uv[4] = {u[column], v[row], u[column + 1], v[row + 1]};
            if (xy[2] > xy[0] && xy[3] > xy[1])
                add_quad(canvas, xy, uv, color, color);
        }
}

void view_draw_frame(view_canvas *canvas, view_rect rect, float width, view_color color)
{
    const float right = rect.x + rect.width - width, bottom = rect.y + rect.height - width;
    view_draw_rect(canvas, (view_rect){rect.x, rect.y, rect.width, width}, color);
    view_draw_rect(canvas, (view_rect){rect.x, bottom, rect.width, width}, color);
    view_draw_rect(canvas, (view_rect){rect.x, rect.y, width, rect.height}, color);
    view_draw_rect(canvas, (view_rect){right, rect.y, width, rect.height}, color);
}

void view_draw_disc(view_canvas *canvas, float x, float y, float radius, view_color color)
{
    view_draw_round_rect(canvas, (view_rect){x - radius, y - radius, 2 * radius, 2 * radius},
                         radius, color);
}

void view_draw_triangle(view_canvas *canvas, const float corners[6], view_color color)
{
    const float u = canvas->font->solid_u, v = canvas->font->solid_v;
    for (size_t i = 0; i < 6; i += 2)
        add(canvas, corners[i], corners[i + 1], u, v, color);
}

void view_draw_segment(view_canvas *canvas, const float ends[4], float width, view_color color)
{
    const float x = ends[2] - ends[0], y = ends[3] - ends[1], length = hypotf(x, y);
    if (!(length > 0.0f))
        return;
    const float right = -0.5f * width * y / length, down = 0.5f * width * x / length;
    const float first[6] = {ends[0] + right, ends[1] + down,  ends[2] + right,
                            ends[3] + down,  ends[0] - right, ends[1] - down};
    const float second[6] = {ends[2] + right, ends[3] + down,  ends[2] - right,
                             ends[3] - down,  ends[0] - right, ends[1] - down};
    view_draw_triangle(canvas, first, color);
    view_draw_triangle(canvas, second, color);
}

void view_draw_image(view_canvas *canvas, view_rect rect, const float uv[4], md5gl_texture image,
                     bool is_color)
{
    const float xy[4] = {rect.x, rect.y, rect.x + rect.width, rect.y + rect.height};
    if (canvas->num_images == VIEW_MAX_CANVAS_IMAGES)
        return;
    view_canvas_image *const drawn = &canvas->images[canvas->num_images++];
    add_quad(canvas, xy, uv, 0xFFFFFFFFu, 0xFFFFFFFFu);
    canvas->count -= 6; // which are the image's
    *drawn = (view_canvas_image){.image = image, .is_color = is_color, .first = canvas->count};
    memcpy(drawn->vertices, canvas->vertices + canvas->count, sizeof drawn->vertices);
}

// -- Text -----------------------------------------------------------------------------------

float view_text_width(const view_font *font, view_text_size size, const char *text)
{
    float width = 0.0f;
    const view_letter *letter;
    while ((letter = view_next_letter(font, size, &text)) != NULL)
        width += letter->advance;
    return width;
}

static float draw_letter(view_canvas *canvas, const view_letter *letter, float pen, float base,
                         view_color color)
{
    const float xy[4] = {pen + letter->x0, base + letter->y0, pen + letter->x1, base + letter->y1};
    const float uv[4] = {letter->u0, letter->v0, letter->u1, letter->v1};
    add_quad(canvas, xy, uv, color, color);
    return pen + letter->advance;
}

float view_draw_text(view_canvas *canvas, view_text_size size, float x, float y, float width,
                     view_color color, const char *text)
{
    const char *ellipsis = "\xE2\x80\xA6";
    const float full = view_text_width(canvas->font, size, text);
    const bool cut = width > 0.0f && full > width;
    const float limit = cut ? width - view_text_width(canvas->font, size, ellipsis) : full;
    const float base = roundf(y) + canvas->font->ascent[size], begin = roundf(x);

    float pen = begin;
    const view_letter *letter;
    while ((letter = view_next_letter(canvas->font, size, &text)) != NULL) {
        if (cut && pen + letter->advance > begin + limit)
            break;
        pen = draw_letter(canvas, letter, pen, base, color);
    }
    if (cut)
        pen =
            draw_letter(canvas, view_next_letter(canvas->font, size, &ellipsis), pen, base, color);
    return pen - begin;
}
