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

// Returns true if there is a clip rectangle, and writes the positions of its sides.
static bool get_clip_edges(const view_canvas *canvas, float edges[4])
{
    const view_rect clip = canvas->clip;
    edges[LEFT] = clip.x;
    edges[TOP] = clip.y;
    edges[RIGHT] = clip.x + fmaxf(clip.width, 0);
    edges[BOTTOM] = clip.y + fmaxf(clip.height, 0);
    return clip.x != 0 || clip.y != 0 || clip.width != 0 || clip.height != 0;
}

// Cuts a part off one side of a rectangle and returns it.
view_rect view_cut(view_rect *rect, view_side side, float size)
{
    view_rect part = *rect;
    if (side <= VIEW_AT_RIGHT) {
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

// Adds a rectangle of the screen that shows a rectangle of the texture. Both are given as left,
// top, right and bottom. Returns false if the rectangle is outside of the clip rectangle.
static bool add_quad(view_canvas *canvas, const float rect[4], const float texels[4],
                     view_color top, view_color bottom)
{
    float xy[4];
    float uv[4];
    float edges[4];
    memcpy(xy, rect, sizeof xy);
    memcpy(uv, texels, sizeof uv);
    if (get_clip_edges(canvas, edges)) {
        // Move each side to the clip rectangle, and the texture coordinate in proportion.
        for (int side = LEFT; side <= BOTTOM; side++) {
            const int axis = side & 1; // index of the first side of its axis: LEFT or TOP
            const float size = rect[axis + 2] - rect[axis];
            xy[side] = fminf(fmaxf(rect[side], edges[axis]), edges[axis + 2]);
            const float part = size > 0 ? (xy[side] - rect[axis]) / size : 0;
            uv[side] = texels[axis] + (texels[axis + 2] - texels[axis]) * part;
        }
        if (!(xy[RIGHT] > xy[LEFT] && xy[BOTTOM] > xy[TOP]))
            return false;

        const float height = rect[BOTTOM] - rect[TOP];
        const view_color clipped_top = mix(top, bottom, (xy[TOP] - rect[TOP]) / height);
        bottom = mix(top, bottom, (xy[BOTTOM] - rect[TOP]) / height);
        top = clipped_top;
    }

    add_vertex(canvas, xy[LEFT], xy[TOP], uv[LEFT], uv[TOP], top);
    add_vertex(canvas, xy[RIGHT], xy[TOP], uv[RIGHT], uv[TOP], top);
    add_vertex(canvas, xy[RIGHT], xy[BOTTOM], uv[RIGHT], uv[BOTTOM], bottom);
    add_vertex(canvas, xy[LEFT], xy[TOP], uv[LEFT], uv[TOP], top);
    add_vertex(canvas, xy[RIGHT], xy[BOTTOM], uv[RIGHT], uv[BOTTOM], bottom);
    add_vertex(canvas, xy[LEFT], xy[BOTTOM], uv[LEFT], uv[BOTTOM], bottom);
    return true;
}

void view_draw_gradient(view_canvas *canvas, view_rect rect, view_color top, view_color bottom)
{
    const float u = canvas->font->solid_u;
    const float v = canvas->font->solid_v;
    const float xy[4] = {rect.x, rect.y, rect.x + rect.width, rect.y + rect.height};
    const float uv[4] = {u, v, u, v};
    add_quad(canvas, xy, uv, top, bottom);
}

void view_draw_rect(view_canvas *canvas, view_rect rect, view_color color)
{
    view_draw_gradient(canvas, rect, color, color);
}

// Draws nine pieces: a quarter of the disc in each corner, and the solid center of the disc,
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

// Draws a line as two triangles.
void view_draw_segment(view_canvas *canvas, const float ends[4], float width, view_color color)
{
    const float x = ends[2] - ends[0];
    const float y = ends[3] - ends[1];
    const float length = hypotf(x, y);
    if (!(length > 0))
        return;
    const float right = -0.5f * width * y / length;
    const float down = 0.5f * width * x / length;
    const float first[6] = {ends[0] + right, ends[1] + down,  ends[2] + right,
                            ends[3] + down,  ends[0] - right, ends[1] - down};
    const float second[6] = {ends[2] + right, ends[3] + down,  ends[2] - right,
                             ends[3] - down,  ends[0] - right, ends[1] - down};
    view_draw_triangle(canvas, first, color);
    view_draw_triangle(canvas, second, color);
}

// Draws an image in a rectangle. It is stored separately, because each image needs its own draw
// call.
void view_draw_image(view_canvas *canvas, view_rect rect, const float uv[4], md5gl_texture image,
                     bool is_color)
{
    const float xy[4] = {rect.x, rect.y, rect.x + rect.width, rect.y + rect.height};
    if (canvas->num_images == VIEW_MAX_CANVAS_IMAGES)
        return;
    if (!add_quad(canvas, xy, uv, 0xFFFFFFFFu, 0xFFFFFFFFu))
        return;
    view_canvas_image *const drawn = &canvas->images[canvas->num_images++];
    canvas->count -= 6; // the quad's vertices move to the image
    *drawn = (view_canvas_image){.image = image, .is_color = is_color, .first = canvas->count};
    memcpy(drawn->vertices, canvas->vertices + canvas->count, sizeof drawn->vertices);
}

// -- Text -----------------------------------------------------------------------------------

float view_text_width(const view_font *font, view_text_size size, const char *text)
{
    float width = 0;
    const view_letter *letter;
    while ((letter = view_next_letter(font, size, &text)) != NULL)
        width += letter->advance;
    return width;
}

// Copies the words of a text that fit in `width` pixels to `line`, and returns the rest of the
// text. A word that is too long is divided.
const char *view_next_line(const view_font *font, view_text_size size, float width,
                           const char *text, char line[VIEW_MAX_LINE])
{
    size_t length = 0;
    size_t space = 0;
    float used = 0;
    for (const char *end = text; *end != '\0' && *end != '\n';) {
        const char *next = end;
        used += view_next_letter(font, size, &next)->advance;
        const bool fits = used <= width && next - text < VIEW_MAX_LINE;
        if (!fits && end > text) {
            length = space > 0 ? space : length;
            break;
        }
        length = (size_t)(next - text);
        space = *next == ' ' ? length : space;
        end = next;
    }
    snprintf(line, VIEW_MAX_LINE, "%.*s", (int)length, text);
    return text + length + strspn(text + length, " \n");
}

// Draws a letter whose base line is at `base`. Returns the position of the next letter.
static float draw_letter(view_canvas *canvas, const view_letter *letter, float pen, float base,
                         view_color color)
{
    const float xy[4] = {pen + letter->x0, base + letter->y0, pen + letter->x1, base + letter->y1};
    const float uv[4] = {letter->u0, letter->v0, letter->u1, letter->v1};
    add_quad(canvas, xy, uv, color, color);
    return pen + letter->advance;
}

// Draws a line of text, letter by letter, at whole pixels.
float view_draw_text(view_canvas *canvas, view_text_size size, float x, float y, float width,
                     view_color color, const char *text)
{
    const char *ellipsis = "\xE2\x80\xA6";
    const float full = view_text_width(canvas->font, size, text);
    const bool cut = width > 0 && full > width;
    const float limit = cut ? width - view_text_width(canvas->font, size, ellipsis) : full;
    const float base = roundf(y) + canvas->font->ascent[size];
    const float begin = roundf(x);

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

const char *view_format_number(char *text, size_t size, double value, int places, bool has_column)
{
    // Each digit before the decimal point after the fourth replaces a decimal place, so that the
    // text keeps its width.
    const double absolute = fabs(value);
    double half = 0.5; // half a unit of the last decimal place
    for (int i = 0; i < places; i++)
        half *= 0.1;
    double limit = 1e4;
    while (places > 0 && absolute + half >= limit) { // the rounded value reaches the limit
        places--;
        limit *= 10;
        half *= 10;
    }

    char digits[32];
    if (!isfinite(value))
        COMMON_TEXT(digits, "%s", isnan(value) ? "\xE2\x80\x93" : "\xE2\x88\x9E");
    else
        COMMON_TEXT(digits, absolute < 1e15 ? "%.*f" : "%.*e", places, absolute);

    // A value that is rounded to 0 has no sign. U+2212 is the minus sign; U+2007 is a blank that
    // has the same width in the font. \xE2 begins the sign of infinity.
    const bool is_negative = value < 0 && strpbrk(digits, "123456789\xE2") != NULL;
    const char *sign = "";
    if (is_negative)
        sign = "\xE2\x88\x92";
    else if (has_column)
        sign = "\xE2\x80\x87";
    snprintf(text, size, "%s%s", sign, digits);
    return text;
}
