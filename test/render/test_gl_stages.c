// The reference for stages, and every blend, mask, matrix, color and alpha test against it.
#include "test/scoped.h"
#include "test/render/test_gl_stages.h"

// -- Reference --------------------------------------------------------------------------------

typedef struct stages_rgba {
    double component[4];
} stages_rgba;

static double clamped(double value)
{
    return fmin(fmax(value, 0), 1);
}

static int clamp_texel(int value, int last)
{
    if (value < 0)
        return 0;
    return value > last ? last : value;
}

// Returns a texel; outside of the texture, or on its border, by the wrap mode.
static stages_rgba texel_at(const gl_layer *layer, int x, int y)
{
    stages_rgba texel = {{0, 0, 0, layer->wrap == MD5GL_WRAP_CLAMP_BLACK ? 1 : 0}};
    const int last = LAYER_SIDE - 1;
    const bool has_border =
        layer->wrap == MD5GL_WRAP_CLAMP_BLACK || layer->wrap == MD5GL_WRAP_CLAMP_CLEAR;
    if (has_border && (x <= 0 || y <= 0 || x >= last || y >= last))
        return texel;
    if (layer->wrap == MD5GL_WRAP_REPEAT) {
        x = (x % LAYER_SIDE + LAYER_SIDE) % LAYER_SIDE;
        y = (y % LAYER_SIDE + LAYER_SIDE) % LAYER_SIDE;
    }
    x = clamp_texel(x, last);
    y = clamp_texel(y, last);
    for (int i = 0; i < 4; i++)
        texel.component[i] = layer->rgba[y * LAYER_SIDE + x][i] / 255.0;
    return texel;
}

// Samples the texture at u, v: the nearest texel, or four texels blended linearly.
static stages_rgba sampled(const gl_layer *layer, double u, double v)
{
    const double side = (int)LAYER_SIDE;
    const double x = u * side - 0.5;
    const double y = v * side - 0.5;
    if (layer->nearest)
        return texel_at(layer, (int)floor(x + 0.5), (int)floor(y + 0.5));
    const int left = (int)floor(x);
    const int top = (int)floor(y);
    stages_rgba sum = {{0}};
    for (int corner = 0; corner < 4; corner++) {
        const double right = x - left;
        const double below = y - top;
        const double weight_x = corner % 2 ? right : 1 - right;
        const double weight_y = corner / 2 ? below : 1 - below;
        const double weight = weight_x * weight_y;
        const stages_rgba texel = texel_at(layer, left + corner % 2, top + corner / 2);
        for (int i = 0; i < 4; i++)
            sum.component[i] += weight * texel.component[i];
    }
    return sum;
}

// The values that the rasterizer interpolates at a point of the surface.
typedef struct surface_point {
    double u;
    double v;
    stages_rgba color;
} surface_point;

static double cross(double ax, double ay, double bx, double by)
{
    return ax * by - ay * bx;
}

// Finds the triangle at a point of the picture, in units from its center.
static bool find_point(const md5_mesh *mesh, double y, double z, surface_point *found)
{
    for (uint32_t t = 0; t < mesh->num_triangles; t++) {
        const uint32_t *const corners = mesh->indices + 3 * (size_t)t;
        const md5_vec3 *const at = mesh->positions;
        const md5_vec3 a = at[corners[0]];
        const md5_vec3 b = at[corners[1]];
        const md5_vec3 c = at[corners[2]];
        const double area = cross(b.y - a.y, b.z - a.z, c.y - a.y, c.z - a.z);
        const double second = cross(y - a.y, z - a.z, c.y - a.y, c.z - a.z) / area;
        const double third = cross(b.y - a.y, b.z - a.z, y - a.y, z - a.z) / area;
        const double shares[3] = {1 - second - third, second, third};
        if (shares[0] < 0 || second < 0 || third < 0)
            continue;
        *found = (surface_point){0};
        for (int i = 0; i < 3; i++) {
            found->u += shares[i] * mesh->texcoords[corners[i]].x;
            found->v += shares[i] * mesh->texcoords[corners[i]].y;
            const md5_vec4 color = mesh->colors ? mesh->colors[corners[i]] : (md5_vec4){1, 1, 1, 1};
            const float channels[4] = {color.x, color.y, color.z, color.w};
            for (int k = 0; k < 4; k++)
                found->color.component[k] += shares[i] * channels[k];
        }
        return true;
    }
    return false;
}

static stages_rgba stage_value(const md5gl_stage *stage, const gl_layer *layer,
                               const surface_point *point, bool has_vertex_color)
{
    double u = point->u;
    double v = point->v;
    if (stage->has_matrix) {
        const float(*const m)[3] = stage->matrix;
        u = m[0][0] * point->u + m[0][1] * point->v + m[0][2];
        v = m[1][0] * point->u + m[1][1] * point->v + m[1][2];
    }
    stages_rgba value = sampled(layer, u, v);
    for (int i = 0; i < 4; i++) {
        double base_color = clamped(point->color.component[i]);
        if (stage->vertex_color == MD5GL_VERTEX_COLOR_INVERSE && i < 3)
            base_color = 1 - base_color;
        value.component[i] *= clamped(stage->color[i]);
        if (has_vertex_color && stage->vertex_color != MD5GL_VERTEX_COLOR_IGNORE)
            value.component[i] *= base_color;
    }
    return value;
}

// Returns a factor by the table in the OpenGL specification, "Blending".
static double blend_factor(md5gl_factor factor, const stages_rgba *source,
                           const stages_rgba *target, int channel)
{
    const double alpha = source->component[3];
    const double below = target->component[3];
    switch (factor) {
    case MD5GL_FACTOR_ZERO:
        return 0;
    case MD5GL_FACTOR_ONE:
        return 1;
    case MD5GL_FACTOR_SOURCE_COLOR:
        return source->component[channel];
    case MD5GL_FACTOR_ONE_MINUS_SOURCE_COLOR:
        return 1 - source->component[channel];
    case MD5GL_FACTOR_TARGET_COLOR:
        return target->component[channel];
    case MD5GL_FACTOR_ONE_MINUS_TARGET_COLOR:
        return 1 - target->component[channel];
    case MD5GL_FACTOR_SOURCE_ALPHA:
        return alpha;
    case MD5GL_FACTOR_ONE_MINUS_SOURCE_ALPHA:
        return 1 - alpha;
    case MD5GL_FACTOR_TARGET_ALPHA:
        return below;
    case MD5GL_FACTOR_ONE_MINUS_TARGET_ALPHA:
        return 1 - below;
    case MD5GL_FACTOR_SOURCE_ALPHA_SATURATE:
        break;
    }
    return channel == 3 ? 1 : fmin(alpha, 1 - below);
}

// Returns the value that a framebuffer with 8 bits per channel stores.
static double stored(double value)
{
    return round(255 * clamped(value)) / 255.0;
}

static bool reads_alpha(const md5gl_stage_list *list)
{
    for (uint32_t i = 0; i < list->num_stages; i++) {
        const md5gl_stage *const stage = &list->stages[i];
        for (int side = 0; side < 2; side++) {
            const md5gl_factor factor = side ? stage->source : stage->target;
            if (factor >= MD5GL_FACTOR_TARGET_ALPHA)
                return true;
        }
    }
    return false;
}

// Returns true if the base of a list covers the point: no stage is tested, or a tested stage keeps
// it.
static bool has_base(const md5gl_stage_list *list, const gl_layer *layers,
                     const surface_point *point)
{
    bool is_tested = false;
    bool is_kept = false;
    for (uint32_t i = 0; i < list->num_stages; i++) {
        const md5gl_stage *const stage = &list->stages[i];
        if (!stage->is_tested || stage->color[3] <= 0)
            continue;
        const stages_rgba value = stage_value(stage, &layers[i], point, false);
        is_tested = true;
        is_kept = is_kept || value.component[3] > stage->alpha_test;
    }
    return is_kept || !is_tested;
}

// Returns the color of a point after all stages of a list, like the shaders.
static stages_rgba composite(const md5gl_stage_list *list, const gl_layer *layers,
                             const surface_point *point)
{
    stages_rgba target = {{0, 0, 0, 1}};
    const bool uses_alpha = reads_alpha(list);
    const bool is_base = list->base != MD5GL_BASE_NONE;
    const bool file_exists = is_base && has_base(list, layers, point);
    for (uint32_t i = 0; i < list->num_stages; i++) {
        const md5gl_stage *const stage = &list->stages[i];
        const stages_rgba value = stage_value(stage, &layers[i], point, true);
        if (stage->is_tested && !is_base && !(value.component[3] > stage->alpha_test))
            continue;
        if (stage->depth_equal && !file_exists)
            continue;
        stages_rgba result = target;
        for (int j = 0; j < 4; j++) {
            if (!(stage->masked >> j & 1))
                result.component[j] =
                    stored(value.component[j] * blend_factor(stage->source, &value, &target, j)
                           + target.component[j] * blend_factor(stage->target, &value, &target, j));
        }
        target = result;
        if (!uses_alpha)
            target.component[3] = 1;
    }
    target.component[3] = 1;
    return target;
}

void layer_reference(const md5_model *model, const md5gl_stage_list *list, const gl_layer *layers,
                     gl_picture *picture)
{
    const md5_mesh *const mesh = &model->meshes[list->mesh];
    for (int row = 0; row < SCENE_HEIGHT; row++) {
        for (int column = 0; column < SCENE_WIDTH; column++) {
            stages_rgba pixel = {{0, 0, 0, 1}};
            surface_point point;
            if (find_point(mesh, column + 0.5 - SCENE_WIDTH / 2, SCENE_HEIGHT / 2 - row - 0.5,
                           &point))
                pixel = composite(list, layers, &point);
            for (int i = 0; i < 4; i++)
                picture->rgba[row][column][i] = (uint8_t)lround(255 * pixel.component[i]);
        }
    }
}

// -- Scenes -----------------------------------------------------------------------------------

gl_layer layer_create(gl_stage *stage, md5gl_wrap wrap, bool nearest, uint64_t *random)
{
    gl_layer layer = {.wrap = wrap, .nearest = nearest};
    for (int i = 0; i < LAYER_SIDE * LAYER_SIDE; i++) {
        for (int k = 0; k < 4; k++)
            layer.rgba[i][k] = (uint8_t)(test_random_u32(random) % 256);
    }
    layer.texture = stage_keep(stage, scene_stage_texture(stage->renderer, LAYER_SIDE, LAYER_SIDE,
                                                          layer.rgba[0], wrap, nearest, NULL));
    CHECK(layer.texture != 0);
    return layer;
}

md5_model *layer_quad(void)
{
    static const char text[] =
        "MD5Version 12\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\njoints {\n"
        "\"low\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"high\" 0 ( 0 0 0 ) ( 0 0 0 )\n}\n"
        "mesh {\nshader \"\"\nnumverts 4\n"
        "vert 0 ( 0 1 ) 0 1 ( 1 0 0 ) ( 0 1 0 1 )\nvert 1 ( 1 1 ) 1 1 ( 1 0 0 ) ( 0 1 0 1 )\n"
        "vert 2 ( 0 0 ) 2 1 ( 1 0 0 ) ( 0 1 0 1 )\nvert 3 ( 1 0 ) 3 1 ( 1 0 0 ) ( 0 1 0 1 )\n"
        "numtris 2\ntri 0 0 2 1\ntri 1 1 2 3\nnumweights 4\nweight 0 0 1 ( 0 -20 -20 )\n"
        "weight 1 0 1 ( 0 20 -20 )\nweight 2 1 1 ( 0 -20 20 )\nweight 3 1 1 ( 0 20 20 )\n"
        "numvertexcolors 4\nvertexcolor 0 ( 1 0.5 0 0.75 )\nvertexcolor 1 ( 0.25 1 0.5 1 )\n"
        "vertexcolor 2 ( 0 0.25 1 0.5 )\nvertexcolor 3 ( 0.75 0 0.25 0.25 )\n}\n";
    md5_error error = {0};
    md5_model *const model = text_model(text, &error);
    CHECK_THAT(model != NULL, "line %u: %s", error.line, error.message);
    return model;
}

void layer_draw(gl_stage *stage, const md5gl_stage_list *list, gl_picture *picture)
{
    md5_error error = {0};
    stage_begin(stage);
    stage_pose(stage, scene_identities, NULL, 1);
    CHECK_DONE(
        md5gl_draw_stages(stage->renderer, stage->copy, MD5GL_STAGE_PASS_BASES, list, 1, &error)
            && md5gl_draw_stages(stage->renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, list, 1,
                                 &error),
        error);
    stage_finish(stage, picture);
}

int layer_difference(const gl_picture *a, const gl_picture *b)
{
    const uint8_t *const left = a->rgba[0][0];
    const uint8_t *const right = b->rgba[0][0];
    int max_difference = 0;
    for (size_t i = 0; i < sizeof a->rgba; i++) {
        const int apart = abs(left[i] - right[i]);
        max_difference = apart > max_difference ? apart : max_difference;
    }
    return max_difference;
}

// -- Stages with textures ---------------------------------------------------------------------

static const md5gl_stage replacing = {
    .source = MD5GL_FACTOR_ONE, .target = MD5GL_FACTOR_ZERO, .color = {1, 1, 1, 1}};

enum { MAX_LAYERS = 3 };

// Draws stages with these textures; returns the largest difference from the reference.
static int max_stage_difference(gl_stage *stage, md5gl_stage *stages, const gl_layer *layers,
                                uint32_t count, md5gl_base base)
{
    static gl_picture expected;
    static gl_picture drawn;
    const md5gl_stage_list list = {.base = base, .stages = stages, .num_stages = count};
    for (uint32_t i = 0; i < count; i++)
        stages[i].texture = layers[i].texture;
    layer_reference(stage->model, &list, layers, &expected);
    layer_draw(stage, &list, &drawn);
    return layer_difference(&expected, &drawn);
}

// Tests each blend factor twice as source and twice as target (with MD5_TEST_LONG all pairs), as in
// the engine, over an image with alpha. Also tests factors that read the alpha of an earlier stage.
TEST_STAGE (gl_stages_blend_by_every_factor, layer_quad, 1) {
    enum { TARGETS = MD5GL_FACTOR_SOURCE_ALPHA_SATURATE };
    const char *const length = getenv("MD5_TEST_LONG");
    const bool are_all = length && length[0];
    uint64_t random = 1;
    const gl_layer layers[2] = {layer_create(stage, MD5GL_WRAP_REPEAT, true, &random),
                                layer_create(stage, MD5GL_WRAP_REPEAT, true, &random)};
    for (int source = 0; source < TARGETS + 1; source++) {
        for (int target = 0; target < TARGETS; target++) {
            if (!are_all && (source + target) % (TARGETS / 2) > 0)
                continue;
            md5gl_stage stages[2] = {replacing, replacing};
            stages[1].source = (md5gl_factor)source;
            stages[1].target = (md5gl_factor)target;
            const int difference = max_stage_difference(stage, stages, layers, 2, MD5GL_BASE_NONE);
            CHECK_THAT(difference <= 2, "factors %d and %d: differs by %d", source, target,
                       difference);
        }
    }
}

TEST_STAGE (gl_stages_have_colors_masks_and_vertex_colors, layer_quad, 1) {
    uint64_t random = 2;
    const gl_layer layers[2] = {layer_create(stage, MD5GL_WRAP_REPEAT, true, &random),
                                layer_create(stage, MD5GL_WRAP_REPEAT, true, &random)};
    for (int mode = 0; mode <= (int)MD5GL_VERTEX_COLOR_INVERSE; mode++) {
        for (uint32_t masked = 0; masked < 16; masked++) {
            md5gl_stage stages[2] = {replacing, replacing};
            stages[1] = (md5gl_stage){.source = MD5GL_FACTOR_SOURCE_ALPHA,
                                      .target = MD5GL_FACTOR_ONE_MINUS_SOURCE_ALPHA,
                                      .color = {0.5f, 2, 0.75f, 0.8f}, // 2: limited to 1
                                      .vertex_color = (md5gl_vertex_color)mode,
                                      .masked = masked};
            CHECK_SMALL(max_stage_difference(stage, stages, layers, 2, MD5GL_BASE_NONE), 2);
        }
    }
    md5gl_stage below_zero = replacing;
    below_zero.color[1] = -1;
    below_zero.color[2] = NAN;
    gl_picture drawn;
    below_zero.texture = layers[0].texture;
    layer_draw(stage, &(md5gl_stage_list){ROW(stages, below_zero)}, &drawn);
    CHECK(picture_at(&drawn, 3, 3)[1] == 0 && picture_at(&drawn, 3, 3)[2] == 0);
}

// A stage writes an alpha mask for a later stage, as in smouldering materials.
TEST_STAGE (gl_stages_read_the_alpha_that_a_masked_stage_wrote, layer_quad, 1) {
    uint64_t random = 3;
    const gl_layer layers[3] = {layer_create(stage, MD5GL_WRAP_REPEAT, true, &random),
                                layer_create(stage, MD5GL_WRAP_REPEAT, true, &random),
                                layer_create(stage, MD5GL_WRAP_REPEAT, true, &random)};
    md5gl_stage stages[3] = {replacing, replacing, replacing};
    stages[1].masked = MD5GL_MASK_RED | MD5GL_MASK_GREEN | MD5GL_MASK_BLUE;
    stages[1].vertex_color = MD5GL_VERTEX_COLOR_INVERSE;
    stages[2].source = MD5GL_FACTOR_TARGET_ALPHA;
    stages[2].target = MD5GL_FACTOR_ONE;
    CHECK_SMALL(max_stage_difference(stage, stages, layers, 3, MD5GL_BASE_NONE), 2);
}

// Tests matrices that do not map an edge of a texel to the center of a pixel, with linear filtering
// and every wrap mode.
TEST_STAGE (gl_stages_move_turn_and_scale_textures, layer_quad, 1) {
    static const float matrices[][2][3] = {
        {{1, 0, 0.3f}, {0, 1, -0.7f}},
        {{1.7f, 0, -0.35f}, {0, 0.6f, 0.2f}},
        {{0.8f, -0.6f, 0.43f}, {0.6f, 0.8f, -0.31f}}, // a rotation
        {{1, 0.45f, -0.2f}, {0.3f, 1, 0.1f}},         // a shear
        {{0, 0, 0.55f}, {0, 0, 0.2f}},
    };
    uint64_t random = 4;
    for (int wrap = 0; wrap <= (int)MD5GL_WRAP_CLAMP_CLEAR; wrap++) {
        const gl_layer layer = layer_create(stage, (md5gl_wrap)wrap, false, &random);
        for (size_t i = 0; i < COUNT_OF(matrices); i++) {
            md5gl_stage moved = replacing;
            moved.source = MD5GL_FACTOR_SOURCE_ALPHA;
            moved.has_matrix = true;
            memcpy(moved.matrix, matrices[i], sizeof moved.matrix);
            const int difference = max_stage_difference(stage, &moved, &layer, 1, MD5GL_BASE_NONE);
            CHECK_THAT(difference <= 2, "wrap %d, matrix %zu: differs by %d", wrap, i, difference);
        }
    }
}

// The base is drawn where one of the tested stages keeps it; stages then follow its depth. Without
// a base each stage is tested separately.
TEST_STAGE (gl_stages_test_alpha, layer_quad, 1) {
    uint64_t random = 5;
    gl_layer layers[3];
    for (int i = 0; i < 3; i++)
        layers[i] = layer_create(stage, MD5GL_WRAP_REPEAT, true, &random);
    for (int base = 0; base <= (int)MD5GL_BASE_BLACK; base++) {
        for (int i = 0; i < 5; i++) {
            md5gl_stage stages[3] = {replacing, replacing, replacing};
            stages[0].is_tested = stages[2].is_tested = true;
            stages[0].alpha_test = (50.5f + 40 * (float)i) / 255.0f;
            stages[2].alpha_test = 200.5f / 255.0f;
            stages[2].color[3] = i == 4 ? 0 : 1.0f;
            stages[1].source = stages[1].target = MD5GL_FACTOR_ONE;
            for (int k = 0; k < 3; k++)
                stages[k].depth_equal = base != (int)MD5GL_BASE_NONE;
            CHECK_SMALL(max_stage_difference(stage, stages, layers, 3, (md5gl_base)base), 2);
        }
    }
}

// Alpha 128 is not greater than 128 / 255.
TEST_SQUARE (gl_alpha_test_of_stages_is_strict) {
    static const uint8_t half[4] = {255, 255, 255, 128};
    static const uint8_t black[4] = {0, 0, 0, 255};
    gl_picture drawn;
    md5gl_stage tested = replacing;
    tested.texture = stage_keep(
        stage, scene_stage_texture(stage->renderer, 1, 1, half, MD5GL_WRAP_REPEAT, false, NULL));
    tested.is_tested = true;
    tested.alpha_test = 128.0f / 255.0f;
    const md5gl_stage_list list = {ROW(stages, tested)};
    layer_draw(stage, &list, &drawn);
    CHECK_PIXEL(&drawn, 0, 0, black, 0);
    tested.alpha_test = 127.9f / 255.0f;
    layer_draw(stage, &list, &drawn);
    CHECK_PIXEL(&drawn, 0, 0, (const uint8_t[]){255, 255, 255, 255}, 0);
}

// -- Stage edges ----------------------------------------------------------------------------------

// Edges of bases that stages cut out: strict with one sample, soft with several.

enum { RAMP = 256 };

// Checks the edge at which stages are cut out. The background and the base are white and black, or
// black and lit.
static void check_edge(gl_stage *stage, md5gl_base base, uint32_t samples, md5gl_texture ramp)
{
    gl_picture picture;
    const float background = base == MD5GL_BASE_BLACK ? 1 : 0;
    for (int i = 0; i < 3; i++)
        stage->frame.background[i] = background;
    for (int part = 1; part < 10; part += 2) {
        const double covered = 1 - part / 10.0; // covered fraction of the pixel from 3 to 4 units

        // The square's edge lies at `at` units right of the middle; where alpha is above the limit,
        // on the right, it is drawn.
        double at = 3 + part / 10.0;
        // Texel i contains i / 255 at the position (i + 0.5) / 256.
        const double alpha = ((20 + at) / 40.0 * (double)RAMP - 0.5) / 255.0;
        const md5gl_stage tested = {.texture = ramp,
                                    .source = MD5GL_FACTOR_ZERO,
                                    .target = MD5GL_FACTOR_ONE,
                                    .color = {1, 1, 1, 1},
                                    .is_tested = true,
                                    .alpha_test = (float)alpha};
        const md5gl_stage_list list = {.base = base, ROW(stages, tested)};
        STAGE_MATERIAL(stage, .is_staged = true, .is_opaque = true);
        stage_begin(stage);
        stage_pose(stage, scene_identities, NULL, 1);
        CHECK(md5gl_draw_stages(stage->renderer, stage->copy, MD5GL_STAGE_PASS_BASES, &list, 1,
                                NULL));
        CHECK(md5gl_draw_stages(stage->renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, &list, 1,
                                NULL));
        stage_finish(stage, &picture);

        const double left = picture_at(&picture, 2, 0)[0];
        const double right = picture_at(&picture, 4, 0)[0];
        const double coverage = (picture_at(&picture, 3, 0)[0] - left) / (right - left);
        CHECK(fabs(right - left) > 200);
        if (samples == 1)
            CHECK_THAT(fabs(coverage - (covered > 0.5)) < 0.01 || part == 5, "part %d is %.2f",
                       part, coverage);
        else
            CHECK_THAT(fabs(coverage - covered) < 0.26, "%.1f of a pixel is %.2f", covered,
                       coverage);
        CHECK(samples == 1 || part != 5 || (coverage > 0.2 && coverage < 0.8));
        CHECK(picture_at(&picture, 3, 0)[3] == 255);
    }
}

static void check_edges(uint32_t samples)
{
    gl_stage stage;
    if (!scene_open_stage(&stage, scene_square, samples))
        return;

    // Alpha grows by the texture's width; the edge of an alpha test is a vertical line.
    uint8_t rgba[RAMP][4];
    for (int i = 0; i < RAMP; i++) {
        for (int k = 0; k < 4; k++)
            rgba[i][k] = k < 3 ? 255 : (uint8_t)i;
    }
    const md5gl_texture ramp =
        scene_stage_texture(stage.renderer, RAMP, 1, rgba[0], MD5GL_WRAP_CLAMP, false, NULL);

    check_edge(&stage, MD5GL_BASE_BLACK, samples, ramp);
    check_edge(&stage, MD5GL_BASE_LIT, samples, ramp);
    md5gl_destroy_texture(stage.renderer, ramp);
    scene_close_stage(&stage);
}

TEST (gl_stage_edges_are_strict_with_one_sample) {
    check_edges(1);
}

TEST (gl_stage_edges_are_soft_with_several_samples) {
    check_edges(4);
}
