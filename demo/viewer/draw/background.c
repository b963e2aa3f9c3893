// Draws what is behind the model: the gradient of a studio, or a sky with its horizon, and the
// scenery.
#include "demo/viewer/draw/draw.h"

// Returns the height of the horizon in an image, pixels from the top edge. The horizon is where the
// camera sees a point infinitely far away at its own height. If it is not visible, returns -1,
// which is above the image.
static float horizon_level(const view_lens *lens, float height)
{
    if (lens->orthographic || !(lens->axes.up.z > 0.1f))
        return -1;
    // Height above the axis of the lens, relative to half of the image's height.
    const float above_axis = lens->axes.back.z / (lens->axes.up.z * lens->half_y);
    return 0.5f * height * (1 - lens->shift_y - above_axis);
}

// Adds three areas to the canvas: a plain sky, a gradient down to the horizon, and a plain ground
// below.
static void add_sky(const view_stage *stage, const view_lens *lens)
{
    const view_rect image = {0, 0, stage->width, stage->height};
    const bool has_scenery = stage->document->scenery.drawn != NULL;
    const view_color sky = 0x2F4460FF;
    const view_color ground = has_scenery ? 0xC9986BFF : 0x8A7468FF;
    const float gradient_height = 0.4f * image.height;
    const float gradient_top = horizon_level(lens, image.height) - gradient_height;
    const view_rect above = {0, 0, image.width, gradient_top};
    const view_rect gradient = {0, gradient_top, image.width, gradient_height};
    view_draw_rect(stage->canvas, image, ground);
    view_draw_rect(stage->canvas, above, sky);
    view_draw_gradient(stage->canvas, gradient, sky, ground);
}

// Draws the background. With a lens, this is a sky and the ground, whose horizon depends on the
// lens. If `lens` is NULL, it is the gradient of a studio.
void view_draw_background(const view_stage *stage, const view_lens *lens)
{
    const view_rect image = {0, 0, stage->width, stage->height};
    view_clear_canvas(stage->canvas);
    if (lens != NULL)
        add_sky(stage, lens);
    else
        view_draw_gradient(stage->canvas, image, 0x47515FFF, 0x262B33FF);
    md5gl_draw_panel(stage->renderer, stage->font->mask, MD5GL_TEXTURE_MASK,
                     stage->canvas->vertices, stage->canvas->count);
}

// Returns a vertex of the scenery at its position in the image, pixels. Sets `depth` to its
// distance in front of the eye, units.
static md5gl_panel_vertex project_vertex(const view_stage *stage, const view_lens *lens,
                                         md5_vec3 position, md5_vec2 texcoord, float *depth)
{
    const md5_vec3 offset = md5_vec3_sub(position, lens->eye);
    *depth = -md5_vec3_dot(offset, lens->axes.back);
    // From -1 to 1 in the image.
    const float right = md5_vec3_dot(offset, lens->axes.right) / (lens->half_x * *depth);
    const float up = md5_vec3_dot(offset, lens->axes.up) / (lens->half_y * *depth);
    return (md5gl_panel_vertex){
        .x = 0.5f * stage->width * (1 + lens->shift_x + right),
        .y = 0.5f * stage->height * (1 - lens->shift_y - up),
        .u = texcoord.x,
        .v = texcoord.y,
        .rgba = {255, 255, 255, 255},
    };
}

// Returns true if a triangle of the image is clockwise, which means that its outside is visible.
// The y axis points down.
static bool is_clockwise(const md5gl_panel_vertex *triangle)
{
    const float twice_area = (triangle[1].x - triangle[0].x) * (triangle[2].y - triangle[0].y)
                             - (triangle[2].x - triangle[0].x) * (triangle[1].y - triangle[0].y);
    return twice_area > 0;
}

// Returns the distance of the character in front of the camera, units.
static float character_depth(const view_stage *stage, const view_lens *lens)
{
    const md5_vec3 character = view_walked(&stage->document->scene, stage->play);
    return -md5_vec3_dot(md5_vec3_sub(character, lens->eye), lens->axes.back);
}

// Projects the triangles of the scenery into the image. Omits triangles whose back side is visible
// and triangles that are nearer than `min_depth` units. Writes the others to vertices[3 *
// num_triangles]. Returns the number of written vertices.
static uint32_t project_scenery(const view_stage *stage, const view_lens *lens, float min_depth,
                                md5gl_panel_vertex *vertices)
{
    const view_companion *const scenery = &stage->document->scenery;
    const md5_mesh *const mesh = &scenery->model->meshes[0];
    md5_vec3 *const positions = common_alloc(mesh->num_vertices, sizeof *positions);
    md5_skin(mesh, scenery->palette, positions, NULL, NULL);
    uint32_t num_written = 0;
    for (uint32_t i = 0; i < mesh->num_triangles; i++) {
        // An omitted triangle is not counted, so the next triangle overwrites it.
        md5gl_panel_vertex *const triangle = &vertices[num_written];
        bool is_far_enough = true;
        for (uint32_t k = 0; k < 3u; k++) {
            const uint32_t vertex = mesh->indices[3 * i + k];
            float depth;
            triangle[k] =
                project_vertex(stage, lens, positions[vertex], mesh->texcoords[vertex], &depth);
            is_far_enough = is_far_enough && depth > min_depth;
        }
        if (is_far_enough && is_clockwise(triangle))
            num_written += 3;
    }
    free(positions);
    return num_written;
}

void view_draw_scenery(const view_stage *stage, const view_lens *lens)
{
    const view_companion *const scenery = &stage->document->scenery;
    const uint32_t num_triangles = scenery->model->meshes[0].num_triangles;
    const float min_depth = fmaxf(character_depth(stage, lens), lens->near_z);
    md5gl_panel_vertex *const vertices = common_alloc(3 * (size_t)num_triangles, sizeof *vertices);
    const uint32_t num_vertices = project_scenery(stage, lens, min_depth, vertices);
    const md5gl_material material =
        view_mesh_material(scenery->textures, stage->renderer, 0, false, false, 0);
    md5gl_draw_panel(stage->renderer, material.diffuse, MD5GL_TEXTURE_COLOR, vertices,
                     num_vertices);
    free(vertices);
}
