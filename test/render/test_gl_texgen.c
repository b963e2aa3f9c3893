// Stages whose texture coordinates are generated from directions or positions in the picture,
// against the CPU.
#include "test/render/test_gl_stages.h"

enum { SIDE = 8 };

typedef struct sky {
    uint8_t rgba[6][SIDE * SIDE][4];
    md5gl_texture texture;
} sky;

static void make_sky(gl_stage *stage, sky *texels)
{
    uint64_t random = 3;
    const uint8_t *sides[6];
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 4 * SIDE * SIDE; k++)
            texels->rgba[i][k / 4][k % 4] = (uint8_t)(test_random_u32(&random) % 256);
        sides[i] = texels->rgba[i][0];
    }
    texels->texture = stage_keep(stage, scene_stage_cube(stage->renderer, SIDE, sides, true, NULL));
    CHECK(texels->texture != 0);
}

// Returns the texel in a direction, by the table of the OpenGL specification, "Cube Map Texture
// Selection"; NULL near the border of two texels.
static const uint8_t *look(const sky *from, const double direction[3])
{
    int axis = 0;
    for (int i = 1; i < 3; i++)
        axis = fabs(direction[i]) > fabs(direction[axis]) ? i : axis;
    const double sign = direction[axis] < 0 ? -1 : 1;
    const double size = fabs(direction[axis]);
    const double columns[] = {-sign * direction[2], direction[0], sign * direction[0]};
    const double s = columns[axis];
    const double t = axis == 1 ? sign * direction[2] : -direction[1];
    const double column = 0.5 * (s / size + 1) * (int)SIDE;
    const double row = 0.5 * (t / size + 1) * (int)SIDE;
    if (fabs(column - round(column)) < 0.02 || fabs(row - round(row)) < 0.02)
        return NULL;
    return from->rgba[2 * axis + (sign < 0 ? 1 : 0)][(int)row * SIDE + (int)column];
}

// Draws the square at a placement with a stage.
static void draw(gl_stage *stage, const md5gl_stage *drawn, const md5_mat34 *placement,
                 gl_picture *picture)
{
    const md5gl_stage_list list = {.cull = MD5GL_CULL_NONE, .stages = drawn, .num_stages = 1};
    stage_begin(stage);
    stage_pose(stage, scene_identities, placement, 1);
    CHECK(md5gl_draw_stages(stage->renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, &list, 1, NULL));
    stage_finish(stage, picture);
}

static bool is_near(const uint8_t *pixel, const uint8_t *texel)
{
    for (int i = 0; i < 3; i++) {
        if (abs(pixel[i] - texel[i]) > 2)
            return false;
    }
    return true;
}

// the reflected direction 2 (N.E) N - E with E = (1, 0, 0)
static void reflect(const double normal[3], double reflected[3])
{
    for (int k = 0; k < 3; k++)
        reflected[k] = 2 * normal[0] * normal[k] - (k == 0 ? 1 : 0);
}

// The square, seen along -x by parallel rays, with random rotations: one direction for all of its
// pixels.
TEST_SQUARE (gl_texgen_looks_along_normals_and_reflections) {
    uint64_t random = 11;
    gl_picture picture;
    sky around;
    int num_visible = 0;
    make_sky(stage, &around);
    md5gl_stage drawn = {
        .texture = around.texture, .source = MD5GL_FACTOR_ONE, .color = {1, 1, 1, 1}};
    for (int i = 0; i < 40; i++) {
        const md5_mat34 rotated = scene_rotation(&random);
        const double normal[3] = {rotated.m[0], rotated.m[4], rotated.m[8]}; // its x axis
        const double facing = normal[0];
        double reflected[3];
        reflect(normal, reflected);
        const bool reflects = i % 2 == 1;
        const uint8_t *const texel = look(&around, reflects ? reflected : normal);
        drawn.texgen = reflects ? MD5GL_TEXGEN_REFLECT : MD5GL_TEXGEN_NORMAL;
        if (fabs(facing) < 0.2 || !texel)
            continue;
        draw(stage, &drawn, &rotated, &picture);
        CHECK_THAT(is_near(picture_at(&picture, 0, 0), texel), "turn %d", i);
        num_visible++;
    }
    CHECK(num_visible > 20);
}

// A normal map with one direction, and a square that is rotated at random: the reflection is
// computed with the map's normal, whose axes are the square's u (along its y), v (down its z) and
// normal (its x).
TEST_SQUARE (gl_texgen_reflects_by_the_normal_map) {
    static const uint8_t texels[2][4] = {{180, 90, 220, 255}, {60, 150, 230, 255}};
    uint64_t random = 13;
    gl_picture picture;
    sky around;
    int num_visible = 0;
    make_sky(stage, &around);
    md5gl_texture maps[2];
    for (int i = 0; i < 2; i++)
        maps[i] = stage_keep(stage, scene_normals(stage->renderer, 1, 1, texels[i], 0, NULL));
    md5gl_stage drawn = {.texture = around.texture,
                         .source = MD5GL_FACTOR_ONE,
                         .color = {1, 1, 1, 1},
                         .texgen = MD5GL_TEXGEN_REFLECT};
    for (int i = 0; i < 40; i++) {
        const md5_mat34 rotated = scene_rotation(&random);
        const uint8_t *const texel = texels[i % 2];
        double normal[3];
        double length = 0;
        for (int k = 0; k < 3; k++) {
            const float *const row = rotated.m + 4 * k;
            normal[k] = (texel[0] / 127.5 - 1.0) * row[1] - (texel[1] / 127.5 - 1.0) * row[2]
                        + (texel[2] / 127.5 - 1.0) * row[0];
            length += normal[k] * normal[k];
        }
        for (int k = 0; k < 3; k++)
            normal[k] /= sqrt(length);
        double reflected[3];
        reflect(normal, reflected);
        const uint8_t *const expected = look(&around, reflected);
        drawn.normals = maps[i % 2];
        if (fabsf(rotated.m[0]) < 0.2f || !expected)
            continue;
        draw(stage, &drawn, &rotated, &picture);
        CHECK_THAT(is_near(picture_at(&picture, 0, 0), expected), "turn %d", i);
        num_visible++;
    }
    CHECK(num_visible > 20);
}

// Sets the view from 30 units in front of the square, at which a unit is a pixel.
static void look_closely(md5gl_frame *frame)
{
    const float eye = 30;
    const float near_z = 1;
    const float far_z = 100;
    memset(&frame->clip_from_view, 0, sizeof frame->clip_from_view);
    frame->clip_from_view.m[0] = 2 * eye / (float)SCENE_WIDTH;
    frame->clip_from_view.m[5] = 2 * eye / (float)SCENE_HEIGHT;
    frame->clip_from_view.m[10] = -(far_z + near_z) / (far_z - near_z);
    frame->clip_from_view.m[11] = -1;
    frame->clip_from_view.m[14] = -2 * far_z * near_z / (far_z - near_z);
    frame->view_from_world.m[14] = -eye;
}

TEST_SQUARE (gl_texgen_shows_the_sky_behind_the_surface) {
    gl_picture picture;
    sky around;
    int num_visible = 0;
    make_sky(stage, &around);
    look_closely(&stage->frame);
    md5gl_stage drawn = {.texture = around.texture,
                         .source = MD5GL_FACTOR_ONE,
                         .color = {1, 1, 1, 1},
                         .texgen = MD5GL_TEXGEN_SKYBOX};
    draw(stage, &drawn, NULL, &picture);
    for (int y = -19; y < 19; y++) {
        for (int z = -19; z < 19; z++) {
            const double direction[3] = {-30, y + 0.5, z + 0.5};
            const uint8_t *const texel = look(&around, direction);
            if (!texel)
                continue;
            CHECK(is_near(picture_at(&picture, y, z), texel));
            num_visible++;
        }
    }
    CHECK(num_visible > 1000);
    // A matrix rotates the sky about the vertical: y of the direction to x, x to -y.
    const float quarter[2][3] = {{0, 1, 0}, {-1, 0, 0}};
    memcpy(drawn.matrix, quarter, sizeof quarter);
    drawn.has_matrix = true;
    draw(stage, &drawn, NULL, &picture);
    const double rotated[3] = {5.5, 30, 2.5};
    CHECK(is_near(picture_at(&picture, 5, 2), look(&around, rotated)));
}

// The coordinates run from -1 to 1 over the image, independent of the surface. Therefore the
// texture repeats twice.
TEST_SQUARE (gl_texgen_spans_the_picture) {
    uint64_t random = 5;
    gl_picture picture;
    int num_visible = 0;
    const gl_layer layer = layer_create(stage, MD5GL_WRAP_REPEAT, true, &random);
    const md5gl_stage drawn = {.texture = layer.texture,
                               .source = MD5GL_FACTOR_ONE,
                               .color = {1, 1, 1, 1},
                               .texgen = MD5GL_TEXGEN_SCREEN};
    draw(stage, &drawn, NULL, &picture);
    for (int y = -19; y < 19; y++) {
        for (int z = -19; z < 19; z++) {
            const double u = (y + 0.5) / (SCENE_WIDTH / 2);
            const double v = (z + 0.5) / (SCENE_HEIGHT / 2);
            const double column = (u - floor(u)) * (int)LAYER_SIDE;
            const double row = (v - floor(v)) * (int)LAYER_SIDE;
            if (fabs(column - round(column)) < 0.02 || fabs(row - round(row)) < 0.02)
                continue;
            CHECK(is_near(picture_at(&picture, y, z),
                          layer.rgba[(int)row * LAYER_SIDE + (int)column]));
            num_visible++;
        }
    }
    CHECK(num_visible > 1000);
}

TEST_UNSHARED_SCENE (gl_stage_cube_has_limits) {
    static const uint8_t texel[4] = {1, 2, 3, 4};
    static const uint8_t *const sides[6] = {texel, texel, texel, texel, texel, texel};
    md5_error error = {0};
    CHECK_FAILS(scene_stage_cube(scene->renderer, 0, sides, true, &error), error, MD5_ERROR_GPU);
    CHECK_FAILS(scene_stage_cube(scene->renderer, 1u << 30, sides, true, &error), error,
                MD5_ERROR_GPU);
    const md5gl_texture filtered = scene_stage_cube(scene->renderer, 1, sides, false, &error);
    CHECK(filtered != 0);
    md5gl_destroy_texture(scene->renderer, filtered);
}

// -- Deformed meshes ------------------------------------------------------------------------------

// Meshes whose surface the caller computes for each pose: md5gl_set_deform().

static const md5gl_stage adding = {.source = MD5GL_FACTOR_ONE,
                                   .target = MD5GL_FACTOR_ONE,
                                   .color = {1, 1, 1, 1},
                                   .vertex_color = MD5GL_VERTEX_COLOR_MODULATE};

// Draws two instances of the model side by side, or one if `placed` is false.
static void deform_draw(gl_stage *stage, md5gl_texture texture, bool placed, gl_picture *picture)
{
    const md5_mat34 placements[2] = {scene_moved(0, -25, 0), scene_moved(0, 25, 0)};
    md5gl_stage textured = adding;
    textured.texture = texture;
    const md5gl_stage_list list = {ROW(stages, textured)};
    stage_begin(stage);
    if (placed)
        stage_pose(stage, scene_identities, placements, 2);
    else
        stage_pose(stage, scene_identities, NULL, 1);
    CHECK(md5gl_draw_stages(stage->renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, &list, 1, NULL));
    stage_finish(stage, picture);
}

// Writes a deformed surface: a copy of the quad that is moved. `user` points to the displacement.
static void write_moved(void *user, uint32_t mesh, uint32_t instance, const md5_vec3 *positions,
                        const md5_vec3 *normals, md5_vec3 *to_positions, md5_vec2 *texcoords,
                        md5_vec4 *colors)
{
    const md5_vec3 *const by = user;
    CHECK(mesh == 0 && instance < 2 && normals[0].x > 0.99f);
    for (int i = 0; i < 4; i++) {
        to_positions[i] = md5_vec3_add(positions[i], *by);
        texcoords[i] = (md5_vec2){i % 2 == 0 ? 0 : 1.0f, i < 2 ? 1 : 0};
        colors[i] = (md5_vec4){1, 1, 1, 1};
    }
}

// Writes two quads side by side, the right one darker.
static void write_strip(void *user, uint32_t mesh, uint32_t instance, const md5_vec3 *positions,
                        const md5_vec3 *normals, md5_vec3 *to_positions, md5_vec2 *texcoords,
                        md5_vec4 *colors)
{
    (void)user, (void)mesh, (void)instance, (void)normals;
    for (int i = 0; i < 8; i++) {
        to_positions[i] = positions[i % 4];
        to_positions[i].y += i < 4 ? -20 : 20;
        texcoords[i] = (md5_vec2){0, 0};
        colors[i] = (md5_vec4){i < 4 ? 1 : 0.25f, 0, 0, 1};
    }
}

static bool open_on(gl_stage *stage, md5gl_path path)
{
    if (!scene_open_stage(stage, scene_square, 1))
        return false;
    stage_use_path(stage, path);
    return CHECK(stage->copy);
}

#define TEST_HERE(title) \
    TEST_IF (title, gl_stage, stage, open_on(stage, MD5GL_PATH_CPU), scene_close_stage(stage))

// A moved surface moves in the picture, also with two instances. Without the deform the mesh's own
// surface is drawn again.
TEST_HERE (gl_deform_moves_the_surface) {
    uint64_t random = 7;
    md5_vec3 by = {0, 0, 0};
    gl_picture drawn_by_renderer[2];
    gl_picture moved;
    gl_picture expected;
    const gl_layer layer = layer_create(stage, MD5GL_WRAP_REPEAT, true, &random);
    const md5gl_deform deform = {.num_vertices = 4,
                                 .num_triangles = 2,
                                 .indices = stage->model->meshes[0].indices,
                                 .write = write_moved,
                                 .user = &by};
    for (int placed = 0; placed < 2; placed++)
        deform_draw(stage, layer.texture, placed == 1, &drawn_by_renderer[placed]);
    CHECK(md5gl_set_deform(stage->renderer, stage->copy, 0, &deform, NULL));
    for (int placed = 0; placed < 2; placed++) {
        deform_draw(stage, layer.texture, placed == 1, &moved);
        CHECK(layer_difference(&moved, &drawn_by_renderer[placed]) == 0);
    }
    by = (md5_vec3){0, 10, -20};
    deform_draw(stage, layer.texture, true, &moved);
    CHECK(layer_difference(&moved, &drawn_by_renderer[1]) > 50);
    CHECK(md5gl_set_deform(stage->renderer, stage->copy, 0, NULL, NULL));
    deform_draw(stage, layer.texture, true, &expected);
    CHECK(layer_difference(&expected, &drawn_by_renderer[1]) == 0);
    for (int row = 0; row < SCENE_HEIGHT - 20; row++)
        CHECK_BYTES(moved.rgba[row + 20][10], expected.rgba[row][0],
                    sizeof expected.rgba[row] - sizeof expected.rgba[row][0] * 10);
}

TEST_HERE (gl_deform_has_its_own_triangles_and_colors) {
    static const uint32_t two_quads[12] = {0, 2, 1, 1, 2, 3, 4, 6, 5, 5, 6, 7};
    static const uint8_t left[4] = {255, 0, 0, 255};
    static const uint8_t right[4] = {64, 0, 0, 255};
    gl_picture picture;
    const md5gl_deform deform = {
        .num_vertices = 8, .num_triangles = 4, .indices = two_quads, .write = write_strip};
    CHECK(md5gl_set_deform(stage->renderer, stage->copy, 0, &deform, NULL));
    deform_draw(stage, 0, false, &picture);
    CHECK_PIXEL(&picture, -30, 5, left, 1);
    CHECK_PIXEL(&picture, 30, 5, right, 1);
    // A second deform replaces the first deform; the model frees it.
    CHECK(md5gl_set_deform(stage->renderer, stage->copy, 0, &deform, NULL));
    deform_draw(stage, 0, false, &picture);
    CHECK_PIXEL(&picture, 30, 5, right, 1);
}

// Moves only the second instance.
static void write_second(void *user, uint32_t mesh, uint32_t instance, const md5_vec3 *positions,
                         const md5_vec3 *normals, md5_vec3 *to_positions, md5_vec2 *texcoords,
                         md5_vec4 *colors)
{
    static const md5_vec3 by[2] = {{0, 0, 0}, {0, 0, -20}};
    (void)user;
    write_moved((void *)(uintptr_t)&by[instance], mesh, instance, positions, normals, to_positions,
                texcoords, colors);
}

// A deform moves a mesh of any path to the CPU path, and each instance has a separate surface: here
// the left instance is unchanged, and the right instance moves down by 20 pixels.
TEST (gl_deform_differs_between_instances) {
    static const md5gl_path paths[] = {MD5GL_PATH_4, MD5GL_PATH_8, MD5GL_PATH_EXACT,
                                       MD5GL_PATH_COMPUTE};
    uint64_t random = 9;
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        gl_stage stage;
        gl_picture drawn_by_renderer;
        gl_picture moved;
        if (!scene_open_stage(&stage, scene_square, 1))
            return;
        md5gl_renderer *const renderer = stage.renderer;
        if (md5gl_has_path(renderer, paths[i])) {
            const gl_layer layer = layer_create(&stage, MD5GL_WRAP_REPEAT, true, &random);
            const md5gl_deform deform = {.num_vertices = 4,
                                         .num_triangles = 2,
                                         .indices = stage.model->meshes[0].indices,
                                         .write = write_second};
            stage_use_path(&stage, paths[i]);
            deform_draw(&stage, layer.texture, true, &drawn_by_renderer);
            CHECK(md5gl_mesh_path(stage.copy, 0, NULL) == paths[i]);
            CHECK(md5gl_set_deform(renderer, stage.copy, 0, &deform, NULL));
            CHECK(md5gl_mesh_path(stage.copy, 0, NULL) == MD5GL_PATH_CPU);
            CHECK_STRING(scene_path_reason(stage.copy, 0), "deformed");
            deform_draw(&stage, layer.texture, true, &moved);
            CHECK(layer_difference(&drawn_by_renderer, &moved) > 50);
            enum { HALF = SCENE_WIDTH / 2 };
            for (int row = 0; row < SCENE_HEIGHT - 20; row++) {
                const size_t size = HALF * sizeof drawn_by_renderer.rgba[row][0];
                CHECK_BYTES(moved.rgba[row][0], drawn_by_renderer.rgba[row][0], size);
                CHECK_BYTES(moved.rgba[row + 20][HALF], drawn_by_renderer.rgba[row][HALF], size);
            }
        }
        scene_close_stage(&stage);
    }
}

TEST_HERE (gl_deform_is_rejected) {
    static const uint32_t none[3] = {0, 1, 2};
    md5gl_deform deform = {
        .num_vertices = 4, .num_triangles = 1, .indices = none, .write = write_strip};
    md5_error error = {0};
    deform.num_vertices = 3; // fewer than the mesh has
    CHECK_FAILS(md5gl_set_deform(stage->renderer, stage->copy, 0, &deform, &error), error,
                MD5_ERROR_RANGE);
    CHECK(md5gl_set_deform(stage->renderer, stage->copy, 0, NULL, &error));
}
