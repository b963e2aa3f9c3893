// Collects the triangles and images of the interface (view_canvas), and lays out text and numbers.
//
// Triangles and rectangles are clipped here, on the CPU, so that panels with different clip
// rectangles share one draw call.
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

// Sides of a rectangle. `side & 1` is the axis of a side: 0 for x, 1 for y.
enum { LEFT, TOP, RIGHT, BOTTOM };

// Writes the positions of the sides of the clip rectangle, in pixels. Returns false if there is no
// clip rectangle.
static bool get_clip_edges(const view_canvas *canvas, float edges[4])
{
    const view_rect clip = canvas->clip;
    edges[LEFT] = clip.x;
    edges[TOP] = clip.y;
    edges[RIGHT] = clip.x + fmaxf(clip.width, 0);
    edges[BOTTOM] = clip.y + fmaxf(clip.height, 0);
    return clip.x != 0 || clip.y != 0 || clip.width != 0 || clip.height != 0;
}

// Cuts a part off one side of a rectangle and returns it. The part is at most as large as the
// rectangle.
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

// Appends a vertex of a triangle, in pixels, with texture coordinates and a color as 0xRRGGBBAA.
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

// Blends two colors 0xRRGGBBAA: `part` is 0 for the first and 1 for the second.
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

// A rectangle of the window with a part of the texture and a vertical gradient. The arrays contain
// the left, top, right and bottom side.
typedef struct canvas_quad {
    float xy[4]; // pixels
    float uv[4]; // texture coordinates
    view_color top;
    view_color bottom;
} canvas_quad;

// Sets `visible` to the part of a rectangle in the clip rectangle, whose sides are `edges`. Texture
// coordinates and colors change in proportion. Returns false if the rectangle is outside.
static bool clip_quad(const canvas_quad *whole, const float edges[4], canvas_quad *visible)
{
    for (int side = LEFT; side <= BOTTOM; side++) {
        const int first = side & 1; // first side on the same axis: LEFT or TOP
        const int last = first + 2;
        const float size = whole->xy[last] - whole->xy[first];
        visible->xy[side] = fminf(fmaxf(whole->xy[side], edges[first]), edges[last]);
        const float part = size > 0 ? (visible->xy[side] - whole->xy[first]) / size : 0;
        visible->uv[side] = whole->uv[first] + (whole->uv[last] - whole->uv[first]) * part;
    }
    const bool is_visible =
        visible->xy[RIGHT] > visible->xy[LEFT] && visible->xy[BOTTOM] > visible->xy[TOP];
    if (!is_visible)
        return false;

    const float whole_top = whole->xy[TOP];
    const float height = whole->xy[BOTTOM] - whole_top;
    visible->top = mix(whole->top, whole->bottom, (visible->xy[TOP] - whole_top) / height);
    visible->bottom = mix(whole->top, whole->bottom, (visible->xy[BOTTOM] - whole_top) / height);
    return true;
}

// Adds the visible part of a rectangle as two triangles. Returns false if the rectangle is outside
// of the clip rectangle.
static bool add_quad(view_canvas *canvas, const canvas_quad *whole)
{
    float edges[4];
    canvas_quad visible = *whole;
    if (get_clip_edges(canvas, edges) && !clip_quad(whole, edges, &visible))
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

// Draws nine pieces: a quarter of the font's disc in each corner, and the solid center of the disc,
// stretched, between the corners.
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

// A convex polygon in the window, pixels.
typedef struct clip_polygon {
    float corners[3 + 4][2]; // a triangle; each edge of the clip rectangle adds at most one corner
    size_t count;
} clip_polygon;

// Returns the part of a polygon on the inner side of one edge of the clip rectangle. `side` is the
// side of the rectangle, `edge` its x or y. Corners outside are removed; where a side of the
// polygon crosses the edge, a corner is added (one step of the Sutherland-Hodgman algorithm).
static clip_polygon clip_at_edge(const clip_polygon *polygon, int side, float edge)
{
    const int axis = side & 1;                  // 0: x, 1: y
    const int other_axis = 1 - axis;            // along the edge
    const float inward = side < RIGHT ? 1 : -1; // sign of the direction into the rectangle
    clip_polygon clipped = {.count = 0};
    for (size_t i = 0; i < polygon->count; i++) {
        const float *const from = polygon->corners[i];
        const float *const to = polygon->corners[(i + 1) % polygon->count];

        // Distances to the edge; negative: outside.
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

// Draws a triangle, of which the part outside of the clip rectangle is cut off.
void view_draw_triangle(view_canvas *canvas, const float corners[6], view_color color)
{
    clip_polygon polygon = {.count = 3};
    memcpy(polygon.corners, corners, 6 * sizeof *corners);
    float edges[4];
    if (get_clip_edges(canvas, edges)) {
        for (int side = LEFT; side <= BOTTOM; side++)
            polygon = clip_at_edge(&polygon, side, edges[side]);
    }

    // Triangles between the first corner and each side that does not touch it.
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

// Draws a line as two triangles. The line extends by half of its width to both sides.
void view_draw_segment(view_canvas *canvas, const float ends[4], float width, view_color color)
{
    const float x = ends[2] - ends[0];
    const float y = ends[3] - ends[1];
    const float length = hypotf(x, y);
    if (!(length > 0))
        return;

    // The displacement of the corners from the ends: half of the width, perpendicular to the line.
    const float right = -0.5f * width * y / length;
    const float down = 0.5f * width * x / length;
    const float first[6] = {ends[0] + right, ends[1] + down,  ends[2] + right,
                            ends[3] + down,  ends[0] - right, ends[1] - down};
    const float second[6] = {ends[2] + right, ends[3] + down,  ends[2] - right,
                             ends[3] - down,  ends[0] - right, ends[1] - down};
    view_draw_triangle(canvas, first, color);
    view_draw_triangle(canvas, second, color);
}

// Draws an image in a rectangle. Its vertices are stored separately, because each image needs its
// own draw call.
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

    // The six vertices of the rectangle move from the canvas to the image.
    view_canvas_image *const drawn = &canvas->images[canvas->num_images++];
    canvas->count -= 6;
    *drawn = (view_canvas_image){.image = image, .is_color = is_color, .first = canvas->count};
    memcpy(drawn->vertices, canvas->vertices + canvas->count, sizeof drawn->vertices);
}

// -- Text -----------------------------------------------------------------------------------

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

// Copies the words of a text that fit in `width` pixels to `line`, and returns the rest of the
// text. A word that is too long for a line is divided.
const char *view_next_line(const view_font *font, view_text_size size, float width,
                           const char *text, char line[VIEW_MAX_LINE])
{
    size_t length = 0;     // bytes that fit so far
    size_t last_space = 0; // position of the last space among them; 0: none
    float used_width = 0;
    const char *end = text; // of the letters that fit so far
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

// Draws a letter at the position `pen` on the line `base`, on which letters stand. Returns the
// position of the next letter.
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

// Draws a line of text, which begins at a whole pixel. If it is wider than `width`, it ends with an
// ellipsis; a width of 0 is no limit.
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

// Returns the number of decimal places with which a number is written. Each digit before the
// decimal point after the fourth replaces a decimal place, so that the text keeps its width.
static int reduce_places(double absolute, int max_places)
{
    int places = max_places;
    double rounding = 0.5; // half a unit of the last decimal place
    for (int i = 0; i < places; i++)
        rounding *= 0.1;
    double limit = 1e4;
    while (places > 0 && absolute + rounding >= limit) { // the rounded value reaches the limit
        places--;
        limit *= 10;
        rounding *= 10;
    }
    return places;
}

const char *view_format_number(char *text, size_t size, double value, int places, bool has_column)
{
    static const char dash[] = "\xE2\x80\x93"; // for a value that is not a number
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
        COMMON_TEXT(digits, absolute < max_fixed ? "%.*f" : "%.*e", reduce_places(absolute, places),
                    absolute);

    // A value that is rounded to 0 has no sign. \xE2 is the first byte of the sign of infinity.
    const bool is_rounded_to_zero = strpbrk(digits, "123456789\xE2") == NULL;
    const bool is_negative = value < 0 && !is_rounded_to_zero;
    const char *sign = "";
    if (is_negative)
        sign = minus;
    else if (has_column)
        sign = figure_space;
    snprintf(text, size, "%s%s", sign, digits);
    return text;
}
