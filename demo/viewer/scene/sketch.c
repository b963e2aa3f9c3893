#include "demo/viewer/scene/sketch.h"

#include "demo/common/memory.h"
#include "demo/viewer/base/math.h"

#include <math.h>
#include <stdlib.h>

// Pixels that are looked at, however large triangles are: a few tenths of a second, and 16 times
// those of the picture.
static const uint64_t least_work = (uint64_t)40 << 20;

typedef struct texel {
    float red, green, blue;
} texel;

struct view_sketch {
    md5_vec3 right, up, ahead, light; // unit vectors; the picture looks along `ahead`
    md5_vec3 center;
    float scale;       // pixels a unit
    size_t side, fine; // drawn larger by the factor `fine`, and averaged
    uint64_t work, most_work;
    float *depth; // [side * side] infinity where nothing is
    texel *colors;
};

// A corner in pixels, with its depth in units.
typedef struct corner {
    float x, y, depth, shade;
    md5_vec2 texcoord;
} corner;

// -- View -----------------------------------------------------------------------------------

// The size of the picture is that of the bounds as they are seen.
static float seen_size(const view_sketch *sketch, md5_bounds bounds)
{
    float most = 0.0f;
    for (unsigned i = 0; i < 8; i++) {
        const md5_vec3 at = md5_vec3_sub(view_corner(bounds, i), sketch->center);
        most = fmaxf(most, fabsf(md5_vec3_dot(at, sketch->right)));
        most = fmaxf(most, fabsf(md5_vec3_dot(at, sketch->up)));
    }
    return 2.0f * most;
}

view_sketch *view_begin_sketch(md5_bounds bounds, uint32_t size)
{
    const float azimuth = 0.52f, elevation = 0.2f; // radians: 30 and 12 degrees
    const md5_vec3 to_viewer = {cosf(elevation) * cosf(azimuth), cosf(elevation) * sinf(azimuth),
                                sinf(elevation)};
    view_sketch sketch = {.ahead = md5_vec3_scale(to_viewer, -1.0f)};
    sketch.right = (md5_vec3){-sinf(azimuth), cosf(azimuth), 0.0f};
    sketch.up = md5_vec3_cross(to_viewer, sketch.right);
    sketch.center = md5_vec3_scale(md5_vec3_add(bounds.min, bounds.max), 0.5f);
    const md5_vec3 light = {0.6f, 0.15f, 0.78f};
    sketch.light = md5_vec3_scale(light, 1.0f / md5_vec3_length(light));
    const float seen = seen_size(&sketch, bounds);
    if (view_is_empty(bounds) || !(seen > 1e-6f && seen < 1e9f))
        return NULL;
    sketch.fine = size <= 1024 ? 2 : 1;
    sketch.side = sketch.fine * size;
    const size_t count = sketch.side * sketch.side;
    sketch.most_work = least_work + 16 * count;
    sketch.depth = common_alloc(count, sizeof *sketch.depth);
    sketch.colors = common_alloc(count, sizeof *sketch.colors);
    for (size_t i = 0; i < count; i++)
        sketch.depth[i] = INFINITY;
    sketch.scale = 0.94f * (float)sketch.side / seen;
    view_sketch *const made = common_alloc(1, sizeof *made);
    *made = sketch;
    return made;
}

static corner corner_of(const view_sketch *sketch, md5_vec3 position, md5_vec3 normal,
                        md5_vec2 texcoord)
{
    const md5_vec3 at = md5_vec3_sub(position, sketch->center);
    const float half = 0.5f * (float)sketch->side;
    return (corner){
        .x = half + sketch->scale * md5_vec3_dot(at, sketch->right),
        .y = half - sketch->scale * md5_vec3_dot(at, sketch->up),
        .depth = md5_vec3_dot(at, sketch->ahead),
        .shade = 0.6f + 0.55f * fmaxf(md5_vec3_dot(normal, sketch->light), 0.0f),
        .texcoord = texcoord,
    };
}

// -- Triangles ------------------------------------------------------------------------------

// The texel at (u, v), which repeat. Returns false in a hole.
static bool sample(const view_image *texture, bool has_holes, md5_vec2 at, texel *color)
{
    *color = (texel){150.0f, 155.0f, 165.0f};
    if (texture == NULL || !(fabsf(at.x) < 1e6f && fabsf(at.y) < 1e6f))
        return true;
    const uint32_t x = (uint32_t)((at.x - floorf(at.x)) * (float)texture->width);
    const uint32_t y = (uint32_t)((at.y - floorf(at.y)) * (float)texture->height);
    const size_t column = x < texture->width ? x : texture->width - 1;
    const size_t row = y < texture->height ? y : texture->height - 1;
    const uint8_t *const rgba = &texture->rgba[4 * (row * texture->width + column)];
    *color = (texel){(float)rgba[0], (float)rgba[1], (float)rgba[2]};
    return !has_holes || rgba[3] >= 128;
}

static float cross(corner a, corner b, float x, float y)
{
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

static void fill_pixel(view_sketch *sketch, const corner c[3], const float part[3], size_t pixel,
                       const view_image *texture, bool has_holes)
{
    texel color;
    const float depth = part[0] * c[0].depth + part[1] * c[1].depth + part[2] * c[2].depth;
    if (!(depth < sketch->depth[pixel]))
        return;
    const md5_vec2 at = {
        part[0] * c[0].texcoord.x + part[1] * c[1].texcoord.x + part[2] * c[2].texcoord.x,
        part[0] * c[0].texcoord.y + part[1] * c[1].texcoord.y + part[2] * c[2].texcoord.y};
    if (!sample(texture, has_holes, at, &color))
        return;
    const float shade = part[0] * c[0].shade + part[1] * c[1].shade + part[2] * c[2].shade;
    sketch->depth[pixel] = depth;
    sketch->colors[pixel] = (texel){color.red * shade, color.green * shade, color.blue * shade};
}

static int to_pixel(const view_sketch *sketch, float value)
{
    return (int)view_clamp(value, 0.0f, (float)(sketch->side - 1));
}

// Both sides: few models have back faces in view that would hide something.
static void fill_triangle(view_sketch *sketch, const corner c[3], const view_image *texture,
                          bool has_holes)
{
    const float area = cross(c[0], c[1], c[2].x, c[2].y);
    if (!(fabsf(area) > 1e-6f && fabsf(area) < 1e12f)) // also what is not finite
        return;
    const int left = to_pixel(sketch, fminf(fminf(c[0].x, c[1].x), c[2].x));
    const int right = to_pixel(sketch, ceilf(fmaxf(fmaxf(c[0].x, c[1].x), c[2].x)));
    const int top = to_pixel(sketch, fminf(fminf(c[0].y, c[1].y), c[2].y));
    const int bottom = to_pixel(sketch, ceilf(fmaxf(fmaxf(c[0].y, c[1].y), c[2].y)));
    sketch->work += (uint64_t)(right - left + 1) * (uint64_t)(bottom - top + 1);
    for (int y = top; y <= bottom; y++)
        for (int x = left; x <= right; x++) {
            const float px = (float)x + 0.5f, py = (float)y + 0.5f;
            const float part[3] = {cross(c[1], c[2], px, py) / area,
                                   cross(c[2], c[0], px, py) / area,
                                   cross(c[0], c[1], px, py) / area};
            if (part[0] >= 0.0f && part[1] >= 0.0f && part[2] >= 0.0f)
                fill_pixel(sketch, c, part, (size_t)y * sketch->side + (size_t)x, texture,
                           has_holes);
        }
}

bool view_sketch_mesh(view_sketch *sketch, const md5_mesh *mesh, const md5_vec3 *positions,
                      const md5_vec3 *normals, const view_image *texture, bool has_holes)
{
    for (uint32_t i = 0; i < mesh->num_triangles && sketch->work < sketch->most_work; i++) {
        corner corners[3];
        for (uint32_t j = 0; j < 3; j++) {
            const uint32_t index = mesh->indices[3 * (size_t)i + j];
            corners[j] =
                corner_of(sketch, positions[index], normals[index], mesh->texcoords[index]);
        }
        fill_triangle(sketch, corners, texture, has_holes);
        sketch->work++;
    }
    return sketch->work < sketch->most_work;
}

// -- Bones ----------------------------------------------------------------------------------

// A pyramid of four sides whose base, a tenth as wide as the bone is long, is at `from`.
void view_sketch_bone(view_sketch *sketch, md5_vec3 from, md5_vec3 to)
{
    const md5_vec3 along = md5_vec3_sub(to, from);
    const float length = md5_vec3_length(along);
    if (!(length > 1e-6f && length < 1e9f))
        return;
    const md5_vec3 axis = md5_vec3_scale(along, 1.0f / length);
    const md5_vec3 other = fabsf(axis.z) < 0.9f ? (md5_vec3){0, 0, 1} : (md5_vec3){1, 0, 0};
    const md5_vec3 across = md5_vec3_cross(axis, other);
    const md5_vec3 side = md5_vec3_scale(across, 1.0f / md5_vec3_length(across));
    const md5_vec3 sides[2] = {side, md5_vec3_cross(axis, side)};
    for (int i = 0; i < 4 && sketch->work < sketch->most_work; i++) {
        corner c[3];
        const float a = i < 2 ? 1.0f : -1.0f, b = i == 0 || i == 3 ? 1.0f : -1.0f;
        const md5_vec3 first = md5_vec3_scale(sides[0], a), second = md5_vec3_scale(sides[1], b);
        const float wide = 0.1f * length;
        const md5_vec3 normal = md5_vec3_scale(md5_vec3_add(first, second), 0.7071f);
        c[0] = corner_of(sketch, md5_vec3_add(from, md5_vec3_scale(first, wide)), normal,
                         (md5_vec2){0, 0});
        c[1] = corner_of(sketch, md5_vec3_add(from, md5_vec3_scale(second, wide)), normal,
                         (md5_vec2){0, 0});
        c[2] = corner_of(sketch, to, normal, (md5_vec2){0, 0});
        fill_triangle(sketch, c, NULL, false);
    }
}

// -- Result ---------------------------------------------------------------------------------

static void average(const view_sketch *sketch, size_t x, size_t y, uint8_t *rgba)
{
    texel sum = {0.0f, 0.0f, 0.0f};
    float count = 0.0f;
    const size_t fine = sketch->fine;
    for (size_t i = 0; i < fine * fine; i++) {
        const size_t pixel = (fine * y + i / fine) * sketch->side + fine * x + i % fine;
        if (!(sketch->depth[pixel] < INFINITY))
            continue;
        sum.red += sketch->colors[pixel].red;
        sum.green += sketch->colors[pixel].green;
        sum.blue += sketch->colors[pixel].blue;
        count += 1.0f;
    }
    if (count == 0.0f)
        return;
    rgba[0] = (uint8_t)fminf(sum.red / count + 0.5f, 255.0f);
    rgba[1] = (uint8_t)fminf(sum.green / count + 0.5f, 255.0f);
    rgba[2] = (uint8_t)fminf(sum.blue / count + 0.5f, 255.0f);
    rgba[3] = (uint8_t)(255.0f * count / (float)(fine * fine) + 0.5f);
}

void view_end_sketch(view_sketch *sketch, view_image *image)
{
    const size_t side = sketch->side / sketch->fine;
    if (image != NULL) {
        *image = (view_image){common_alloc(side * side, 4), (uint32_t)side, (uint32_t)side};
        for (size_t i = 0; i < side * side; i++)
            average(sketch, i % side, i / side, &image->rgba[4 * i]);
    }
    free(sketch->depth);
    free(sketch->colors);
    free(sketch);
}
