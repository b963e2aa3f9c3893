// Collects the triangles and images of the user interface in a view_canvas, and lays out text and
// numbers.
//
// Clipping is done on the CPU. Therefore panels with different clip rectangles can share one draw
// call.
#include "demo/viewer/base/canvas.h"

#include "demo/common/memory.h"

void view_clear_canvas(view_canvas *canvas)
{
    canvas->count = canvas->num_images = 0;
    canvas->clip = (view_rect){0};
}

view_rect view_clip_canvas(view_canvas *canvas, view_rect clip)
{
    const view_rect previous = canvas->clip;
    canvas->clip = clip;
    return previous;
}

// Indices of the four sides in an array. `side & 1` is the axis of the coordinate: 0 for x, 1 for
// y.
enum { LEFT, TOP, RIGHT, BOTTOM };

// Writes the coordinates of the sides of the clip rectangle to `edges`, in pixels. Returns false if
// no clip rectangle is set.
static bool get_clip_edges(const view_canvas *canvas, float edges[4])
{
    const view_rect clip = canvas->clip;
    edges[LEFT] = clip.x;
    edges[TOP] = clip.y;
    edges[RIGHT] = clip.x + fmaxf(clip.width, 0);
    edges[BOTTOM] = clip.y + fmaxf(clip.height, 0);
    return clip.x != 0 || clip.y != 0 || clip.width != 0 || clip.height != 0;
}

// Removes a strip of `size` pixels from one side of *rect and returns the strip. The strip is never
// larger than the rectangle.
view_rect view_cut(view_rect *rect, view_side side, float size)
{
    view_rect part = *rect;
    const bool is_vertical_side = side <= VIEW_AT_RIGHT;
    if (is_vertical_side) {
        part.width = fminf(size, rect->width);
        rect->width -= part.width;
        if (side == VIEW_AT_LEFT)
            rect->x += part.width;
        else
            part.x += rect->width;
        return part;
    }
    part.height = fminf(size, rect->height);
    rect->height -= part.height;
    if (side == VIEW_AT_TOP)
        rect->y += part.height;
    else
        part.y += rect->height;
    return part;
}

bool view_contains(view_rect rect, float x, float y)
{
    const bool is_in_columns = x >= rect.x && x < rect.x + rect.width;
    const bool is_in_rows = y >= rect.y && y < rect.y + rect.height;
    return is_in_columns && is_in_rows;
}

// -- Triangles ------------------------------------------------------------------------------

// Appends one vertex of a triangle. The position (x, y) is in pixels and (u, v) are texture
// coordinates.
static void add_vertex(view_canvas *canvas, float x, float y, float u, float v, view_color color)
{
    if (canvas->count == canvas->capacity) {
        canvas->capacity = canvas->capacity > 0 ? 2 * canvas->capacity : 6144;
        canvas->vertices =
            common_realloc(canvas->vertices, canvas->capacity, sizeof *canvas->vertices);
    }
    canvas->vertices[canvas->count++] = (md5gl_panel_vertex){
        x,
        y,
        u,
        v,
        {(uint8_t)(color >> 24), (uint8_t)(color >> 16), (uint8_t)(color >> 8), (uint8_t)color},
    };
}

// Interpolates linearly between two colors. `part` is between 0, which returns `from`, and 1, which
// returns `to`.
static view_color mix(view_color from, view_color to, float part)
{
    view_color color = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        const float a = (float)(from >> shift & 255);
        const float b = (float)(to >> shift & 255);
        color |= (view_color)(a + (b - a) * part + 0.5f) << shift;
    }
    return color;
}

// A textured rectangle in the window. Its color changes linearly from the top to the bottom. Both
// arrays contain the coordinates of the left, top, right and bottom side.
typedef struct canvas_quad {
    float xy[4]; // pixels
    float uv[4]; // texture coordinates
    view_color top;
    view_color bottom;
} canvas_quad;

// Sets `visible` to the part of a rectangle that is inside the clip rectangle. `edges` are the
// sides of the clip rectangle. Texture coordinates and colors are interpolated at the new sides.
// Returns false if nothing is visible.
static bool clip_quad(const canvas_quad *quad, const float edges[4], canvas_quad *visible)
{
    for (int side = LEFT; side <= BOTTOM; side++) {
        const int first = side & 1; // first side on the same axis: LEFT or TOP
        const int last = first + 2;
        const float size = quad->xy[last] - quad->xy[first];
        visible->xy[side] = fminf(fmaxf(quad->xy[side], edges[first]), edges[last]);
        const float part = size > 0 ? (visible->xy[side] - quad->xy[first]) / size : 0;
        visible->uv[side] = quad->uv[first] + (quad->uv[last] - quad->uv[first]) * part;
    }
    const bool is_visible =
        visible->xy[RIGHT] > visible->xy[LEFT] && visible->xy[BOTTOM] > visible->xy[TOP];
    if (!is_visible)
        return false;

    const float quad_top = quad->xy[TOP];
    const float height = quad->xy[BOTTOM] - quad_top;
    visible->top = mix(quad->top, quad->bottom, (visible->xy[TOP] - quad_top) / height);
    visible->bottom = mix(quad->top, quad->bottom, (visible->xy[BOTTOM] - quad_top) / height);
    return true;
}

// Appends the visible part of a rectangle as two triangles. Returns false if the rectangle is
// completely outside of the clip rectangle.
static bool add_quad(view_canvas *canvas, const canvas_quad *quad)
{
    float edges[4];
    canvas_quad visible = *quad;
    if (get_clip_edges(canvas, edges) && !clip_quad(quad, edges, &visible))
        return false;

    const float *const xy = visible.xy;
    const float *const uv = visible.uv;
    add_vertex(canvas, xy[LEFT], xy[TOP], uv[LEFT], uv[TOP], visible.top);
    add_vertex(canvas, xy[RIGHT], xy[TOP], uv[RIGHT], uv[TOP], visible.top);
    add_vertex(canvas, xy[RIGHT], xy[BOTTOM], uv[RIGHT], uv[BOTTOM], visible.bottom);
    add_vertex(canvas, xy[LEFT], xy[TOP], uv[LEFT], uv[TOP], visible.top);
    add_vertex(canvas, xy[RIGHT], xy[BOTTOM], uv[RIGHT], uv[BOTTOM], visible.bottom);
    add_vertex(canvas, xy[LEFT], xy[BOTTOM], uv[LEFT], uv[BOTTOM], visible.bottom);
    return true;
}

// Draws a rectangle whose color changes linearly from `top` to `bottom`. All corners have the
// texture coordinates of a fully covered texel of the glyph texture. Rectangles and text can
// therefore share one draw call.
void view_draw_gradient(view_canvas *canvas, view_rect rect, view_color top, view_color bottom)
{
    const float u = canvas->font->solid_u;
    const float v = canvas->font->solid_v;
    const canvas_quad filled = {.xy = {rect.x, rect.y, rect.x + rect.width, rect.y + rect.height},
                                .uv = {u, v, u, v},
                                .top = top,
                                .bottom = bottom};
    add_quad(canvas, &filled);
}

void view_draw_rect(view_canvas *canvas, view_rect rect, view_color color)
{
    view_draw_gradient(canvas, rect, color, color);
}

// Draws the rectangle in nine pieces. Each corner is a quarter of the disc in the font texture. The
// pieces between the corners stretch the texels in the middle row or column of the disc.
void view_draw_round_rect(view_canvas *canvas, view_rect rect, float radius, view_color color)
{
    const view_font *const font = canvas->font;
    const float r = fminf(radius, 0.5f * fminf(rect.width, rect.height));
    const float right = rect.x + rect.width;
    const float bottom = rect.y + rect.height;
    const float x[4] = {rect.x, rect.x + r, right - r, right};
    const float y[4] = {rect.y, rect.y + r, bottom - r, bottom};
    const float u[4] = {font->disc_u0, font->solid_u, font->solid_u, font->disc_u1};
    const float v[4] = {font->disc_v0, font->solid_v, font->solid_v, font->disc_v1};
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            const canvas_quad piece = {.xy = {x[column], y[row], x[column + 1], y[row + 1]},
                                       .uv = {u[column], v[row], u[column + 1], v[row + 1]},
                                       .top = color,
                                       .bottom = color};
            const bool is_empty =
                !(piece.xy[RIGHT] > piece.xy[LEFT] && piece.xy[BOTTOM] > piece.xy[TOP]);
            if (!is_empty)
                add_quad(canvas, &piece);
        }
    }
}

// Draws the border of a rectangle, inside of its edges, as four filled rectangles of `width`
// pixels. They overlap at the corners.
void view_draw_frame(view_canvas *canvas, view_rect rect, float width, view_color color)
{
    const float right = rect.x + rect.width - width;
    const float bottom = rect.y + rect.height - width;
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

// A convex polygon in the window. The corners are in pixels.
typedef struct clip_polygon {
    float corners[3 + 4][2]; // a triangle; each edge of the clip rectangle adds at most one corner
    size_t count;
} clip_polygon;

// Clips a polygon at one side of the clip rectangle: one step of the Sutherland-Hodgman algorithm.
// `edge` is the x or y coordinate of this side. The result does not contain the corners outside. It
// has a new corner wherever the outline of the polygon crosses the side.
static clip_polygon clip_at_edge(const clip_polygon *polygon, int side, float edge)
{
    const int axis = side & 1;                  // 0: x, 1: y
    const int other_axis = 1 - axis;            // axis parallel to the side
    const float inward = side < RIGHT ? 1 : -1; // 1 if the inside has larger coordinates, else -1
    clip_polygon clipped = {.count = 0};
    for (size_t i = 0; i < polygon->count; i++) {
        const float *const from = polygon->corners[i];
        const float *const to = polygon->corners[(i + 1) % polygon->count];

        // Signed distances to the side, in pixels. A negative distance is outside.
        const float from_distance = inward * (from[axis] - edge);
        const float to_distance = inward * (to[axis] - edge);
        const bool is_from_inside = from_distance >= 0;
        const bool is_to_inside = to_distance >= 0;
        if (is_from_inside) {
            memcpy(clipped.corners[clipped.count], from, sizeof *clipped.corners);
            clipped.count++;
        }
        if (is_from_inside != is_to_inside) {
            float *const crossing = clipped.corners[clipped.count];
            const float part = from_distance / (from_distance - to_distance);
            crossing[axis] = edge;
            crossing[other_axis] = from[other_axis] + (to[other_axis] - from[other_axis]) * part;
            clipped.count++;
        }
    }
    return clipped;
}

// Draws the part of a triangle that is inside the clip rectangle. corners[] contains x and y of
// each corner, in pixels. Clipping at each side of the rectangle can add a corner, so the
// visible part is a convex polygon.
void view_draw_triangle(view_canvas *canvas, const float corners[6], view_color color)
{
    clip_polygon polygon = {.count = 3};
    memcpy(polygon.corners, corners, 6 * sizeof *corners);
    float edges[4];
    if (get_clip_edges(canvas, edges)) {
        for (int side = LEFT; side <= BOTTOM; side++)
            polygon = clip_at_edge(&polygon, side, edges[side]);
    }

    // Divide the convex polygon into triangles that share its first corner.
    const float u = canvas->font->solid_u;
    const float v = canvas->font->solid_v;
    for (size_t i = 2; i < polygon.count; i++) {
        const float *const first = polygon.corners[0];
        const float *const second = polygon.corners[i - 1];
        const float *const third = polygon.corners[i];
        add_vertex(canvas, first[0], first[1], u, v, color);
        add_vertex(canvas, second[0], second[1], u, v, color);
        add_vertex(canvas, third[0], third[1], u, v, color);
    }
}

// Draws a line as a rectangle of two triangles. The line is the center line of the rectangle.
void view_draw_segment(view_canvas *canvas, const float ends[4], float width, view_color color)
{
    const float x = ends[2] - ends[0];
    const float y = ends[3] - ends[1];
    const float length = hypotf(x, y);
    if (!(length > 0))
        return;

    // The offset from an end of the line to a corner: half of the width, perpendicular to the line.
    const float right = -0.5f * width * y / length;
    const float down = 0.5f * width * x / length;
    const float first[6] = {ends[0] + right, ends[1] + down,  ends[2] + right,
                            ends[3] + down,  ends[0] - right, ends[1] - down};
    const float second[6] = {ends[2] + right, ends[3] + down,  ends[2] - right,
                             ends[3] - down,  ends[0] - right, ends[1] - down};
    view_draw_triangle(canvas, first, color);
    view_draw_triangle(canvas, second, color);
}

// Draws an image in a rectangle. The vertices are stored with the image and not in the canvas. Each
// image has its own texture, so it needs its own draw call.
void view_draw_image(view_canvas *canvas, view_rect rect, const float uv[4], md5gl_texture image,
                     bool is_color)
{
    const view_color white = 0xFFFFFFFFu;
    if (canvas->num_images == VIEW_MAX_CANVAS_IMAGES)
        return;
    const canvas_quad shown = {.xy = {rect.x, rect.y, rect.x + rect.width, rect.y + rect.height},
                               .uv = {uv[LEFT], uv[TOP], uv[RIGHT], uv[BOTTOM]},
                               .top = white,
                               .bottom = white};
    if (!add_quad(canvas, &shown))
        return;

    // add_quad() has appended six vertices to the canvas. Move them to the image.
    view_canvas_image *const drawn = &canvas->images[canvas->num_images++];
    canvas->count -= 6;
    *drawn = (view_canvas_image){.image = image, .is_color = is_color, .first = canvas->count};
    memcpy(drawn->vertices, canvas->vertices + canvas->count, sizeof drawn->vertices);
}

// -- Text -----------------------------------------------------------------------------------

// Returns the width of a line of text in pixels: the sum of the widths of its characters.
// Requests glyphs that are not in the texture yet, in the same way as drawing.
float view_text_width(const view_font *font, view_text_size size, const char *text)
{
    float width = 0;
    const char *rest = text;
    const view_letter *letter = view_next_letter(font, size, &rest);
    while (letter != NULL) {
        width += letter->advance;
        letter = view_next_letter(font, size, &rest);
    }
    return width;
}

// Copies the words that fit in a line of `width` pixels to `line`, and returns the remaining text.
// A word that is wider than the line is divided between two letters.
const char *view_next_line(const view_font *font, view_text_size size, float width,
                           const char *text, char line[VIEW_MAX_LINE])
{
    size_t length = 0;     // number of bytes that fit
    size_t last_space = 0; // byte offset of the last space in the line; 0 if there is none
    float used_width = 0;
    const char *end = text; // end of the letters that fit
    while (*end != '\0' && *end != '\n') {
        const char *next = end;
        used_width += view_next_letter(font, size, &next)->advance;
        const bool fits = used_width <= width && next - text < VIEW_MAX_LINE;
        const bool is_first_letter = end == text; // each line has at least one letter
        if (!fits && !is_first_letter) {
            if (last_space > 0)
                length = last_space;
            break;
        }
        length = (size_t)(next - text);
        if (*next == ' ')
            last_space = length;
        end = next;
    }
    snprintf(line, VIEW_MAX_LINE, "%.*s", (int)length, text);
    const char *const rest = text + length;
    return rest + strspn(rest, " \n");
}

// Draws a letter at the x coordinate `pen`, on the base line at the y coordinate `base`. Returns
// the x coordinate of the next letter.
static float draw_letter(view_canvas *canvas, const view_letter *letter, float pen, float base,
                         view_color color)
{
    const canvas_quad glyph = {
        .xy = {pen + letter->x0, base + letter->y0, pen + letter->x1, base + letter->y1},
        .uv = {letter->u0, letter->v0, letter->u1, letter->v1},
        .top = color,
        .bottom = color};
    add_quad(canvas, &glyph);
    return pen + letter->advance;
}

// Draws a line of text. The position is rounded to a whole pixel, so that the letters are sharp.
// Text that is wider than `width` is cut and ends with an ellipsis. A width of 0 means no limit.
float view_draw_text(view_canvas *canvas, view_text_size size, float x, float y, float width,
                     view_color color, const char *text)
{
    const view_font *const font = canvas->font;
    const char *ellipsis = "\xE2\x80\xA6";
    const float full_width = view_text_width(font, size, text);
    const bool is_cut = width > 0 && full_width > width;
    const float max_width = is_cut ? width - view_text_width(font, size, ellipsis) : full_width;
    const float base = roundf(y) + font->ascent[size];
    const float begin = roundf(x);

    float pen = begin;
    const char *rest = text;
    const view_letter *letter = view_next_letter(font, size, &rest);
    while (letter != NULL) {
        if (is_cut && pen + letter->advance > begin + max_width)
            break;
        pen = draw_letter(canvas, letter, pen, base, color);
        letter = view_next_letter(font, size, &rest);
    }
    if (is_cut) {
        const view_letter *const sign = view_next_letter(font, size, &ellipsis);
        pen = draw_letter(canvas, sign, pen, base, color);
    }
    return pen - begin;
}

// Returns the number of decimal places of a displayed number. A number from 10 000 on has one place
// less for each further digit, so that its text does not become wider.
static int reduce_decimals(double absolute, int max_decimals)
{
    int num_decimals = max_decimals;
    double rounding = 0.5; // half a unit of the last decimal place
    for (int i = 0; i < num_decimals; i++)
        rounding *= 0.1;
    double limit = 1e4;
    while (num_decimals > 0 && absolute + rounding >= limit) { // the rounded value is too long
        num_decimals--;
        limit *= 10;
        rounding *= 10;
    }
    return num_decimals;
}

// Writes a number for display to text[size], with at most `num_decimals` decimal places. Formats
// the absolute value first, and then adds the sign. It is the minus sign of Unicode instead of the
// ASCII "-". If all digits are zero, it is omitted.
const char *view_format_number(char *text, size_t size, double value, int num_decimals,
                               bool reserves_sign)
{
    static const char dash[] = "\xE2\x80\x93"; // shown for NaN
    static const char infinity[] = "\xE2\x88\x9E";
    static const char minus[] = "\xE2\x88\x92";
    static const char figure_space[] = "\xE2\x80\x87"; // a blank as wide as the minus
    const double max_fixed = 1e15;                     // larger values are written with an exponent
    const double absolute = fabs(value);
    char digits[32];
    if (isnan(value))
        COMMON_TEXT(digits, "%s", dash);
    else if (isinf(value))
        COMMON_TEXT(digits, "%s", infinity);
    else
        COMMON_TEXT(digits, absolute < max_fixed ? "%.*f" : "%.*e",
                    reduce_decimals(absolute, num_decimals), absolute);

    // A value that is displayed as 0 has no sign. The search includes \xE2, the first byte of the
    // infinity sign, because infinity has no digits but has a sign.
    const bool is_rounded_to_zero = strpbrk(digits, "123456789\xE2") == NULL;
    const bool is_negative = value < 0 && !is_rounded_to_zero;
    const char *sign = "";
    if (is_negative)
        sign = minus;
    else if (reserves_sign)
        sign = figure_space;
    snprintf(text, size, "%s%s", sign, digits);
    return text;
}
