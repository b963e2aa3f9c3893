// Tests stage lists in combination with bases, depth, instances, skins, paths, coverage, shadows
// and errors.
#include "test/misuse.h"
#include "test/render/test_gl_stages.h"

static const uint8_t black[4] = {0, 0, 0, 255};
static const uint8_t white[4] = {255, 255, 255, 255};

static const md5gl_stage adding = {
    .source = MD5GL_FACTOR_ONE, .target = MD5GL_FACTOR_ONE, .color = {0.5f, 0.25f, 0, 1}};

static md5gl_texture make_layer(gl_stage *stage, uint32_t width, const uint8_t *rgba)
{
    return stage_keep(
        stage, scene_stage_texture(stage->renderer, width, 1, rgba, MD5GL_WRAP_CLAMP, true, NULL));
}

// Draws the lit surface, then the bases and stages of a list, which may be NULL.
static void draw_all(gl_stage *stage, const md5gl_stage_list *list, const md5_mat34 *placements,
                     uint32_t count, gl_picture *picture)
{
    const uint32_t num_lists = list ? 1 : 0;
    stage_begin(stage);
    stage_pose(stage, scene_identities, placements, count);
    md5gl_draw_model(stage->renderer, stage->copy, MD5GL_LIT);
    CHECK(md5gl_draw_stages(stage->renderer, stage->copy, MD5GL_STAGE_PASS_BASES, list, num_lists,
                            NULL));
    CHECK(md5gl_draw_stages(stage->renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, list, num_lists,
                            NULL));
    stage_finish(stage, picture);
}

// A staged mesh is drawn only by its list: a muzzle flash adds light, and its quad is not visible.
TEST_SQUARE (gl_staged_mesh_is_not_lit) {
    static const uint8_t orange[4] = {128, 64, 0, 255};
    gl_picture picture;
    const md5gl_material staged = {.is_staged = true};
    md5gl_set_material(stage->renderer, stage->copy, 0, 0, &staged);
    draw_all(stage, NULL, NULL, 1, &picture);
    CHECK_PIXEL(&picture, 0, 0, black, 0);
    draw_all(stage, &(md5gl_stage_list){ROW(stages, adding)}, NULL, 1, &picture);
    CHECK_PIXEL(&picture, 0, 0, orange, 1);
    md5gl_set_visible(stage->copy, 0, false);
    draw_all(stage, &(md5gl_stage_list){ROW(stages, adding)}, NULL, 1, &picture);
    CHECK_PIXEL(&picture, 0, 0, black, 0);
}

// Stages over the lit surface add to its sRGB values.
TEST_SQUARE (gl_stage_is_added_to_the_lit_surface) {
    gl_picture plain;
    gl_picture added;
    stage_light(stage, 0, 0.1f);
    md5gl_stage over = adding;
    over.depth_equal = true;
    draw_all(stage, NULL, NULL, 1, &plain);
    draw_all(stage, &(md5gl_stage_list){ROW(stages, over)}, NULL, 1, &added);
    const uint8_t *const pixel = picture_at(&plain, 3, 3);
    CHECK(pixel[0] > 40 && pixel[0] < 120);
    const uint8_t expected[4] = {(uint8_t)(pixel[0] + 128), (uint8_t)(pixel[1] + 64), pixel[2],
                                 255};
    CHECK_PIXEL(&added, 3, 3, expected, 1);
}

// The left half of the square burns away: the surface is lit where the stage's alpha is above the
// threshold, and the background is visible elsewhere. The kept part equals the lit surface without
// stages.
TEST_SQUARE (gl_lit_base_is_cut_out_by_stages) {
    static const uint8_t halves[8] = {0, 0, 0, 100, 0, 0, 0, 200};
    gl_picture plain;
    gl_picture cut;
    gl_picture all_stages;
    draw_all(stage, NULL, NULL, 1, &plain);
    md5gl_stage burning = {.texture = make_layer(stage, 2, halves),
                           .target = MD5GL_FACTOR_ONE,
                           .color = {1, 1, 1, 1},
                           .is_tested = true,
                           .alpha_test = 0.5f};
    const md5gl_stage_list list = {.base = MD5GL_BASE_LIT, ROW(stages, burning)};
    STAGE_MATERIAL(stage, .is_staged = true);
    draw_all(stage, &list, NULL, 1, &cut);
    CHECK_PIXEL(&cut, -5, 0, black, 0);
    CHECK_PIXEL(&cut, 5, 0, picture_at(&plain, 5, 0), 1);
    burning.alpha_test = 0.2f;
    draw_all(stage, &list, NULL, 1, &all_stages);
    CHECK(layer_difference(&all_stages, &plain) <= 1);
}

// Stages are drawn for all instances that have the list's skin, and for no others.
TEST_SQUARE (gl_stages_are_drawn_for_all_instances_of_a_skin) {
    static const uint32_t skins[3] = {0, 1, 0};
    gl_picture picture;
    const md5_mat34 placements[3] = {scene_moved(0, -50, 0), scene_moved(0, 0, 0),
                                     scene_moved(0, 50, 0)};
    const md5gl_stage_list list = {ROW(stages, adding)};
    CHECK(md5gl_set_num_skins(stage->renderer, stage->copy, 2, NULL));
    for (int worn = 0; worn < 2; worn++) {
        stage_begin(stage);
        stage_pose(stage, scene_identities, placements, 3);
        CHECK(!worn || scene_look(stage->renderer, stage->copy, NULL, skins, NULL));
        CHECK(md5gl_draw_stages(stage->renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, &list, 1,
                                NULL));
        stage_finish(stage, &picture);
        for (int i = 0; i < 3; i++)
            CHECK((picture_at(&picture, 50 * (i - 1), 0)[0] > 100) == (!worn || skins[i] == 0));
    }
}

// All paths draw the same image.
TEST_STAGE (gl_stages_look_the_same_on_all_paths, layer_quad, 1) {
    static const uint8_t texels[8] = {200, 50, 20, 255, 10, 220, 90, 100};
    gl_picture first;
    gl_picture picture;
    const md5_mat34 placements[2] = {scene_moved(0, -30, 0), scene_moved(0, 30, 0)};
    md5gl_stage stages[2] = {adding, adding};
    stages[0].texture = stages[1].texture = make_layer(stage, 2, texels);
    stages[0].is_tested = stages[0].depth_equal = stages[1].depth_equal = true;
    stages[0].alpha_test = 0.6f;
    stages[1].vertex_color = MD5GL_VERTEX_COLOR_MODULATE;
    const md5gl_stage_list list = {.base = MD5GL_BASE_LIT, ROWS(stages, stages)};
    draw_all(stage, &list, placements, 2, &first);
    for (md5gl_path path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++) {
        if (!md5gl_has_path(stage->renderer, path))
            continue;
        stage_use_path(stage, path);
        draw_all(stage, &list, placements, 2, &picture);
        CHECK_THAT(layer_difference(&first, &picture) <= 1, "path %s", md5gl_path_name(path));
    }
}

// Each further lit layer adds the light that it has as the only layer.
TEST_SQUARE (gl_lit_layers_are_added) {
    static const uint8_t texels[2][4] = {{200, 90, 0, 255}, {60, 120, 30, 10}};
    gl_picture alone[2];
    gl_picture both;
    md5gl_material materials[2] = {{.is_opaque = true}, {.is_opaque = true}};
    stage->frame.ambient[0] = stage->frame.ambient[1] = 0.3f;
    for (int i = 0; i < 2; i++) {
        materials[i].diffuse = stage_color(stage, 1, 1, texels[i]);
        md5gl_set_material(stage->renderer, stage->copy, 0, 0, &materials[i]);
        draw_all(stage, NULL, NULL, 1, &alone[i]);
    }
    materials[0].is_staged = true;
    materials[1].is_opaque = false; // the alpha of a further layer has no effect
    md5gl_set_material(stage->renderer, stage->copy, 0, 0, &materials[0]);
    const md5gl_stage_list list = {.base = MD5GL_BASE_LIT, ROW(lit_layers, materials[1])};
    draw_all(stage, &list, NULL, 1, &both);
    CHECK(picture_at(&alone[0], 3, 3)[0] > 50 && picture_at(&alone[1], 3, 3)[1] > 50);
    for (int i = 0; i < SCENE_WIDTH * SCENE_HEIGHT; i++) {
        const uint8_t *const first = alone[0].rgba[i / SCENE_WIDTH][i % SCENE_WIDTH];
        const uint8_t *const second = alone[1].rgba[i / SCENE_WIDTH][i % SCENE_WIDTH];
        for (int k = 0; k < 3; k++) {
            const int sum = first[k] + second[k];
            CHECK_NEAR(both.rgba[i / SCENE_WIDTH][i % SCENE_WIDTH][k], sum < 255 ? sum : 255, 2);
        }
    }
}

// A mesh that is hidden by another mesh: its stage is hidden unless a depth offset moves it in
// front. The offset of a stage replaces the offset of its list.
TEST_SQUARE (gl_stages_are_tested_against_depth) {
    gl_picture picture;
    const md5_mat34 behind = scene_moved(-0.01f, 0, 0);
    const float offsets[4] = {0, -100000, 0, 100000};
    const float stage_offsets[4] = {0, 0, -100000, -100000};
    for (int i = 0; i < 4; i++) {
        md5gl_stage lifted = adding;
        lifted.depth_offset = stage_offsets[i];
        const md5gl_stage_list list = {.depth_offset = offsets[i], ROW(stages, lifted)};
        stage_light(stage, 0, 0.1f);
        stage_begin(stage);
        CHECK(scene_pose_and_draw(stage->renderer, stage->copy, scene_identities, NULL, 1,
                                  MD5GL_LIT, NULL));
        stage_pose(stage, scene_identities, &behind, 1);
        CHECK(md5gl_draw_stages(stage->renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, &list, 1,
                                NULL));
        stage_finish(stage, &picture);
        CHECK((picture_at(&picture, 3, 3)[0] > 150) == (i > 0));
    }
}

// The list selects the side that is culled; only the opposite side is visible.
TEST_SQUARE (gl_stages_cull_faces) {
    gl_picture picture;
    for (int behind = 0; behind < 2; behind++) {
        if (behind)
            scene_look_from_behind(&stage->frame);
        for (int cull = 0; cull <= (int)MD5GL_CULL_NONE; cull++) {
            const md5gl_stage_list list = {.cull = (md5gl_cull)cull, ROW(stages, adding)};
            layer_draw(stage, &list, &picture);
            const bool is_visible = cull == (int)MD5GL_CULL_NONE || cull == behind;
            CHECK((picture_at(&picture, 3, 3)[0] > 100) == is_visible);
        }
    }
}

// The alpha of stages in a transparent picture: a blended stage has its own alpha, an additive one
// its brightness, a replacing one 1, a filter and a stage with masked colors 0.
TEST_SQUARE (gl_stages_cover_transparent_pictures) {
    static const struct {
        md5gl_factor source;
        md5gl_factor target;
        uint32_t masked;
        uint8_t alpha;
    } cases[] = {
        {MD5GL_FACTOR_SOURCE_ALPHA, MD5GL_FACTOR_ONE_MINUS_SOURCE_ALPHA, 0, 102},
        {MD5GL_FACTOR_ONE, MD5GL_FACTOR_ONE, 0, 128},
        {MD5GL_FACTOR_ONE, MD5GL_FACTOR_ZERO, 0, 255},
        {MD5GL_FACTOR_TARGET_COLOR, MD5GL_FACTOR_ZERO, 0, 0},
        {MD5GL_FACTOR_ONE, MD5GL_FACTOR_ONE, 7, 0},
    };
    gl_picture picture;
    stage->frame.background[3] = 0;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const md5gl_stage drawn = {.source = cases[i].source,
                                   .target = cases[i].target,
                                   .color = {0.5f, 0.25f, 0.1f, 0.4f},
                                   .masked = cases[i].masked};
        layer_draw(stage, &(md5gl_stage_list){ROW(stages, drawn)}, &picture);
        CHECK_NEAR(picture_at(&picture, 3, 3)[3], cases[i].alpha, 1);
    }
}

// Stages do not change later draws.
TEST_SQUARE (gl_stages_leave_the_state_of_the_frame) {
    static const md5gl_line_vertex line[2] = {{{0, -30, 30}, {255, 255, 255, 128}},
                                              {{0, 30, 30}, {255, 255, 255, 128}}};
    gl_picture pictures[2];
    md5gl_stage strange = adding; // no color: invisible
    memset(strange.color, 0, sizeof strange.color);
    strange.masked = MD5GL_MASK_RED;
    const md5gl_stage_list list = {
        .cull = MD5GL_CULL_FRONT, .depth_offset = 5, ROW(stages, strange)};
    for (uint32_t i = 0; i < 2; i++) {
        stage_begin(stage);
        stage_pose(stage, scene_identities, NULL, 1);
        CHECK(md5gl_draw_stages(stage->renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, &list, i,
                                NULL));
        md5gl_draw_model(stage->renderer, stage->copy, MD5GL_LIT | MD5GL_WIREFRAME);
        md5gl_draw_lines(stage->renderer, line, 2, 5, false);
        stage_finish(stage, &pictures[i]);
    }
    CHECK(layer_difference(&pictures[0], &pictures[1]) == 0);
}

// Opens a stage with a floor that is to be raised and casts its shadow sideways.
static bool open_caster(gl_stage *stage)
{
    if (!scene_open_stage(stage, scene_floor, 1))
        return false;
    scene_look_down(&stage->frame);
    stage->frame.casters = (md5_bounds){{-40, -40, 0}, {40, 40, 40}};
    for (int i = 0; i < 3; i++)
        stage->frame.background[i] = 1;
    stage->frame.light_direction = (md5_vec3){0, 1, 0.5f};
    return true;
}

static void draw_caster(gl_stage *stage, const md5gl_material *material,
                        const md5gl_stage_list *list, gl_picture *picture)
{
    const md5_mat34 raised = scene_moved(0, 0, 30);
    md5gl_set_material(stage->renderer, stage->copy, 0, 0, material);
    stage_begin(stage);
    stage_pose(stage, scene_identities, &raised, 1);
    md5gl_draw_shadows(stage->renderer, stage->copy);
    CHECK(md5gl_draw_stages(stage->renderer, stage->copy, MD5GL_STAGE_PASS_SHADOWS, list,
                            list ? 1 : 0, NULL));
    md5gl_draw_ground(stage->renderer, (md5_vec3){0, 0, 0}, 500);
    stage_finish(stage, picture);
}

// Burnt parts cast no shadow. The expected shadow is the shadow of a lit surface with the stage's
// texture and alpha test.
TEST_IF (gl_shadow_of_a_base_is_cut_out_by_its_stages, gl_stage, stage, open_caster(stage),
         scene_close_stage(stage)) {
    static const uint8_t halves[8] = {0, 0, 0, 100, 0, 0, 0, 200};
    static const float tests[4] = {99.5f / 255.0f, 100.5f / 255.0f, 199.5f / 255.0f,
                                   200.5f / 255.0f};
    gl_picture drawn, expected[3]; // whole, its half, nothing
    md5gl_stage burning = {.texture = make_layer(stage, 2, halves),
                           .target = MD5GL_FACTOR_ONE,
                           .color = {1, 1, 1, 1},
                           .is_tested = true};
    md5gl_stage_list list = {.base = MD5GL_BASE_LIT, .casts_shadow = true, ROW(stages, burning)};
    md5gl_material hidden = {.is_staged = true, .no_shadow = true};
    for (int i = 0; i < 3; i++) {
        const md5gl_material plain = {.diffuse = burning.texture,
                                      .alpha_test = i == 0 ? 0 : tests[2 * i - 1],
                                      .is_opaque = i == 0};
        draw_caster(stage, &plain, NULL, &expected[i]);
    }
    CHECK(layer_difference(&expected[0], &expected[1]) > 20);
    CHECK(layer_difference(&expected[1], &expected[2]) > 20);
    for (int i = 0; i < 4; i++) {
        burning.alpha_test = tests[i];
        draw_caster(stage, &hidden, &list, &drawn);
        CHECK(layer_difference(&drawn, &expected[(i + 1) / 2]) <= 2);
    }
    list.casts_shadow = false;
    draw_caster(stage, &hidden, &list, &drawn);
    CHECK(layer_difference(&drawn, &expected[2]) == 0);
    stage->frame.no_shadows = true;
    list.casts_shadow = true;
    draw_caster(stage, &hidden, &list, &drawn);
    CHECK_PIXEL(&drawn, 70, 50, white, 3);
}

// A mesh whose material has no_shadow casts no shadow, neither on the automatic path nor on the
// path of compute shaders.
TEST_IF (gl_material_without_shadow_casts_none, gl_stage, stage, open_caster(stage),
         scene_close_stage(stage)) {
    const md5gl_path paths[2] = {MD5GL_PATH_AUTO, MD5GL_PATH_COMPUTE};
    for (int i = 0; i < 2; i++) {
        if (!md5gl_has_path(stage->renderer, paths[i]))
            continue;
        stage_use_path(stage, paths[i]);
        for (int k = 0; k < 2; k++) {
            gl_picture picture;
            const md5gl_material material = {.no_shadow = k == 1};
            draw_caster(stage, &material, NULL, &picture);
            CHECK((picture_at(&picture, -55, 0)[1] < 250) == (k == 0));
            CHECK_PIXEL(&picture, 70, 50, white, 3);
        }
    }
}

// -- Added light ------------------------------------------------------------------------------

// Draws a floor, a film at a height above it, and the shadow of a roof above both.
typedef struct film_case {
    bool has_floor;
    bool has_roof;
    bool has_film;
    float height;
} film_case;

static bool open_film(gl_stage *stage, uint32_t samples)
{
    if (!scene_open_stage(stage, scene_floor, samples))
        return false;
    scene_look_down(&stage->frame);
    stage->frame.casters = (md5_bounds){{-40, -40, -30}, {40, 40, 40}};
    stage->frame.light_direction = (md5_vec3){0, 0, 1};
    stage_light(stage, 0.3f, 0.02f);
    return true;
}

// Draws a translucent film above a floor and below a roof that casts a shadow, as far as the case
// has them.
static void draw_film(gl_stage *stage, const film_case *drawn, gl_picture *picture)
{
    static const md5_vec3 red = {1, 0.2f, 0};
    md5gl_renderer *const renderer = stage->renderer;
    const md5gl_stage_list list = {.base = MD5GL_BASE_ADDED};
    const md5_mat34 roof = scene_moved(0, 0, 35);
    const md5_mat34 at = scene_moved(0, 0, drawn->height);
    stage_begin(stage);
    STAGE_MATERIAL(stage, .is_opaque = true);
    stage_pose(stage, scene_identities, &roof, 1);
    if (drawn->has_roof)
        md5gl_draw_shadows(renderer, stage->copy);
    stage_pose(stage, scene_identities, NULL, 1);
    if (drawn->has_floor)
        md5gl_draw_model(renderer, stage->copy, MD5GL_LIT);
    STAGE_MATERIAL(stage, .is_staged = true, .no_shadow = true, .diffuse_color = red);
    stage_pose(stage, scene_identities, &at, 1);
    md5gl_draw_model(renderer, stage->copy, MD5GL_LIT); // nothing
    CHECK(md5gl_draw_stages(renderer, stage->copy, MD5GL_STAGE_PASS_SHADOWS, &list, 1, NULL));
    CHECK(md5gl_draw_stages(renderer, stage->copy, MD5GL_STAGE_PASS_BASES, &list, 1, NULL));
    CHECK(md5gl_draw_stages(renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, &list, drawn->has_film,
                            NULL));
    stage_finish(stage, picture);
}

// The light of a translucent surface is added to the surfaces that are farther away. It receives no
// shadow; surfaces in front of it hide it, and the floor keeps its shadow.
TEST (gl_light_of_translucent_surfaces_is_added) {
    for (uint32_t samples = 1; samples <= 4; samples += 3) {
        gl_stage stage;
        gl_picture film;
        gl_picture below[2];
        gl_picture both[2];
        gl_picture hidden;
        if (!open_film(&stage, samples))
            return;
        draw_film(&stage, &(film_case){.has_film = true, .height = 20}, &film);
        for (int i = 0; i < 2; i++) {
            film_case drawn = {.has_floor = true, .has_roof = i == 1, .height = 20};
            draw_film(&stage, &drawn, &below[i]);
            drawn.has_film = true;
            draw_film(&stage, &drawn, &both[i]);
        }
        draw_film(&stage, &(film_case){true, false, true, -20}, &hidden);
        CHECK(layer_difference(&hidden, &below[0]) == 0);
        const uint8_t *const added = picture_at(&film, 3, 3);
        CHECK(added[0] > 60 && added[1] > 10 && added[0] > added[1] + 40);
        CHECK(picture_at(&below[0], 3, 3)[0] > picture_at(&below[1], 3, 3)[0] + 30);
        for (int i = 0; i < 2; i++) {
            for (int k = 0; k < 3; k++) {
                const int sum = picture_at(&below[i], 3, 3)[k] + added[k];
                CHECK_NEAR(picture_at(&both[i], 3, 3)[k], sum < 255 ? sum : 255, 2);
            }
        }
        CHECK(both[1].rgba[0][0][3] == 255 && picture_at(&both[1], 3, 3)[3] == 255);
        scene_close_stage(&stage);
    }
}

// In a transparent image, the alpha of a translucent surface is its brightness, as for a stage that
// is added.
TEST (gl_light_of_translucent_surfaces_adds_to_alpha) {
    for (uint32_t samples = 1; samples <= 4; samples += 3) {
        gl_stage stage;
        gl_picture opaque;
        gl_picture film;
        const film_case drawn = {.has_film = true, .height = 20};
        if (!open_film(&stage, samples))
            return;
        draw_film(&stage, &drawn, &opaque);
        stage.frame.background[3] = 0;
        draw_film(&stage, &drawn, &film);
        const uint8_t *const texel = picture_at(&film, 3, 3);
        CHECK_NEAR(texel[3], picture_at(&opaque, 3, 3)[0], 1);
        CHECK_NEAR(texel[1] * texel[3] / 255.0, picture_at(&opaque, 3, 3)[1], 2);
        scene_close_stage(&stage);
    }
}

static void GLAD_API_PTR report_failure(GLuint shader, GLenum name, GLint *value)
{
    (void)shader, (void)name;
    *value = GL_FALSE;
}

TEST_SQUARE (gl_stages_report_errors_of_the_driver) {
    static const uint8_t texel[4] = {0};
    md5_error error = {0};
    md5gl_renderer *const renderer = stage->renderer;
    const md5gl_stage_list list = {ROW(stages, adding)};
    const PFNGLGETSHADERIVPROC real = scene_gl(renderer)->GetShaderiv;
    stage_begin(stage);
    CHECK(md5gl_draw_stages(renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, &list, 1,
                            &error)); // no instances yet
    stage_pose(stage, scene_identities, NULL, 1);
    scene_gl(renderer)->GetShaderiv = report_failure;
    CHECK_FAILS(md5gl_draw_stages(renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, &list, 1, &error),
                error, MD5_ERROR_GPU);
    scene_gl(renderer)->GetShaderiv = real;
    CHECK(md5gl_draw_stages(renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, &list, 1, &error));
    CHECK(md5gl_end_frame(renderer, NULL));
    CHECK_FAILS(scene_stage_texture(renderer, 0, 1, texel, MD5GL_WRAP_REPEAT, false, &error), error,
                MD5_ERROR_GPU);
}

#if !defined(NDEBUG) && (defined(__unix__) || defined(__APPLE__))

static void draw_list(const gl_stage *stage, const md5gl_stage_list *list)
{
    stage_begin(stage);
    md5gl_draw_stages(stage->renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, list, 1, NULL);
}

TEST_SQUARE (gl_errors_with_stages_are_reported) {
    MISUSE("must be called between md5gl_begin_frame()", {
        const md5gl_stage_list list = {0};
        md5gl_draw_stages(stage->renderer, stage->copy, MD5GL_STAGE_PASS_STAGES, &list, 1, NULL);
    });
    MISUSE("mesh: must be an index", draw_list(stage, &(md5gl_stage_list){.mesh = 1}));
    MISUSE("skin: must be below the number", draw_list(stage, &(md5gl_stage_list){.skin = 1}));
    MISUSE("target: must be a value of md5gl_factor", {
        const md5gl_stage wrong = {.target = MD5GL_FACTOR_SOURCE_ALPHA_SATURATE};
        draw_list(stage, &(md5gl_stage_list){ROW(stages, wrong)});
    });
    MISUSE("wrap: must be a value of md5gl_wrap", {
        const uint8_t texel[4] = {0};
        scene_stage_texture(stage->renderer, 1, 1, texel, (md5gl_wrap)7, false, NULL);
    });
}

#endif
