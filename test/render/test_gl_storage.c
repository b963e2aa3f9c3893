// Path storage: multi-draws, batches, palettes that are written in place, and contexts without
// support for it.
#include "test/render/test_gl_scene.h"

#include "render/storage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUM_SQUARES = 6, NUM_JOINTS = 2, MANY = 40 };

// -- Scenes -----------------------------------------------------------------------------------

// Squares of 10 units in a row, facing +x, each a mesh, the first 55 units to the left. The last
// one is coplanar with the one before it and covers its right half.
static md5_model *make_squares(void)
{
    static char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes %d\n"
                                   "joints {\n\"low\" -1 ( 0 0 0 ) ( 0 0 0 )\n"
                                   "\"high\" 0 ( 0 0 0 ) ( 0 0 0 )\n}\n",
                                   NUM_SQUARES);
    for (int i = 0; i < NUM_SQUARES; i++) {
        const int left = i == NUM_SQUARES - 1 ? -55 + 20 * (i - 1) + 5 : -55 + 20 * i;
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "mesh {\nshader \"\"\nnumverts 4\nvert 0 ( 0 1 ) 0 1\n"
                                 "vert 1 ( 1 1 ) 1 1\nvert 2 ( 0 0 ) 2 1\nvert 3 ( 1 0 ) 3 1\n"
                                 "numtris 2\ntri 0 0 2 1\ntri 1 1 2 3\nnumweights 4\n");
        for (int v = 0; v < 4; v++)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "weight %d %d 1 ( 0 %d %d )\n", v,
                                 i % NUM_JOINTS, left + 10 * (v % 2), -5 + 10 * (v / 2));
        used += (size_t)snprintf(text + used, sizeof text - used, "}\n");
    }
    md5_error error;
    md5_model *const model = md5_parse_model(text, used, NULL, &error);
    CHECK(model != NULL);
    return model;
}

// Opens a stage whose copy takes path storage, or skips.
static bool open_stage(gl_stage *stage, md5_model *(*make)(void))
{
    if (!scene_open_stage(stage, make, 1))
        return false;
    md5gl_renderer *const renderer = stage->scene.renderer;
    if (!md5gl_has_path(renderer, MD5GL_PATH_STORAGE)) {
        test_skip("path storage: %s", renderer->no_storage_reason);
        scene_close_stage(stage);
        return false;
    }
    md5gl_destroy_model(renderer, stage->copy);
    stage->copy = md5gl_create_model(renderer, stage->model, MD5GL_PATH_STORAGE, NULL);
    return CHECK(stage->copy != NULL);
}

static bool same_picture(const gl_picture *a, const gl_picture *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

// -- Multi-draws ------------------------------------------------------------------------------

// Draws and commands that reached GL, counted by count_draw(), which wraps GL's function.
static unsigned num_draws, num_commands;
static void(GLAD_API_PTR *real_draw)(GLenum, GLenum, const void *, GLsizei, GLsizei);

static void GLAD_API_PTR count_draw(GLenum mode, GLenum type, const void *first, GLsizei count,
                                    GLsizei stride)
{
    num_draws++;
    num_commands += (unsigned)count;
    real_draw(mode, type, first, count, stride);
}

static void count_draws(md5gl_renderer *renderer)
{
    num_draws = num_commands = 0;
    real_draw = renderer->optional.MultiDrawElementsIndirect;
    renderer->optional.MultiDrawElementsIndirect = count_draw;
}

static void draw_style(gl_stage *stage, md5gl_model *copy, uint32_t style, gl_picture *picture)
{
    num_draws = num_commands = 0;
    scene_draw(&stage->scene, &stage->frame, copy, style, picture);
}

// Gives the meshes materials of three textures.
static void set_materials(md5gl_model *copy, const md5gl_texture *textures)
{
    static const int of_mesh[NUM_SQUARES] = {0, 1, 0, 2, 0, 1};
    for (uint32_t i = 0; i < NUM_SQUARES; i++) {
        const md5gl_material material = {.diffuse = textures[of_mesh[i]]};
        md5gl_set_material(copy, i, &material);
    }
}

TEST (gl_storage_draws_equal_materials_in_one_call) {
    static const uint8_t texels[3][4] = {{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 250}};
    gl_stage stage;
    gl_picture expected, picture;
    if (!open_stage(&stage, make_squares))
        return;
    md5gl_renderer *const renderer = stage.scene.renderer;
    md5gl_model *const other = md5gl_create_model(renderer, stage.model, MD5GL_PATH_EXACT, NULL);
    md5gl_texture textures[3];
    // In reverse: the order of the textures' names differs from the file's.
    for (int i = 2; i >= 0; i--)
        textures[i] = md5gl_create_texture(renderer, 1, 1, texels[i], NULL);
    count_draws(renderer);
    set_materials(stage.copy, textures);
    set_materials(other, textures);

    draw_style(&stage, other, MD5GL_LIT, &expected);
    draw_style(&stage, stage.copy, MD5GL_LIT, &picture);
    CHECK(same_picture(&expected, &picture));
    CHECK_UINT(num_draws, 3);
    CHECK_UINT(num_commands, NUM_SQUARES);
    // Of two coplanar meshes, the later one in the file is visible.
    CHECK(picture_at(&picture, 27, 0)[0] > 100 && picture_at(&picture, 33, 0)[1] > 100);

    draw_style(&stage, stage.copy, MD5GL_WIREFRAME, &picture);
    CHECK_UINT(num_draws, 1);
    draw_style(&stage, other, MD5GL_WIREFRAME, &expected);
    CHECK(same_picture(&expected, &picture));

    // One hidden mesh, one two-sided mesh.
    md5gl_model *const both[2] = {stage.copy, other};
    for (int i = 0; i < 2; i++) {
        const md5gl_material two_sided = {.diffuse = textures[0], .two_sided = true};
        md5gl_set_visible(both[i], 3, false);
        md5gl_set_material(both[i], 0, &two_sided);
        md5gl_set_texture(both[i], 2, textures[1]);
    }
    scene_look_from_behind(&stage.frame);
    draw_style(&stage, other, MD5GL_LIT | MD5GL_WIREFRAME, &expected);
    draw_style(&stage, stage.copy, MD5GL_LIT | MD5GL_WIREFRAME, &picture);
    CHECK(same_picture(&expected, &picture));
    CHECK_UINT(num_draws, 3 + 2);
    CHECK_UINT(num_commands, 2 * (NUM_SQUARES - 1));
    for (int i = 0; i < 3; i++)
        md5gl_destroy_texture(renderer, textures[i]);
    md5gl_destroy_model(renderer, other);
    scene_close_stage(&stage);
}

// Each shadow map takes one draw for all opaque meshes, and one for all meshes of an equal alpha
// test.
TEST (gl_storage_draws_opaque_casters_in_one_call) {
    static const uint8_t texels[3][4] = {{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 0, 0}};
    const md5_mat34 palette[NUM_JOINTS] = {scene_identity, scene_identity};
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, make_squares))
        return;
    md5gl_renderer *const renderer = stage.scene.renderer;
    md5gl_texture textures[3];
    for (int i = 0; i < 3; i++)
        textures[i] = md5gl_create_texture(renderer, 1, 1, texels[i], NULL);
    const md5gl_texture solid[3] = {textures[0], textures[1], 0};
    count_draws(renderer);
    stage.frame.casters = stage.model->bounds;
    for (int holes = 0; holes < 2; holes++) {
        set_materials(stage.copy, holes ? textures : solid);
        num_draws = num_commands = 0;
        md5gl_begin_frame(renderer, &stage.frame);
        CHECK(md5gl_pose_models(renderer, stage.copy, palette, NULL, 1, NULL));
        md5gl_draw_shadows(renderer, stage.copy);
        scene_finish(&stage.scene, &stage.frame, &picture);
        CHECK_UINT(num_draws, holes ? 2 * 2 : 2 * 1);
        CHECK_UINT(num_commands, 2 * NUM_SQUARES);
    }
    for (int i = 0; i < 3; i++)
        md5gl_destroy_texture(renderer, textures[i]);
    scene_close_stage(&stage);
}

// -- Instances --------------------------------------------------------------------------------

// Makes palettes and placements that differ between instances, in rows of 100.
static void place_many(md5_mat34 *palettes, md5_mat34 *placements, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const float row = (float)(i % 100), column = (float)(i / 100);
        palettes[2 * i] = scene_moved(0, 0, 0.1f * row);
        palettes[2 * i + 1] = scene_moved(column, 0, 0.1f * row);
        placements[i] = scene_moved(-0.01f * (float)i, 1.5f * row - 75.0f, -0.3f * column);
    }
}

static void draw_many(gl_stage *stage, md5gl_model *copy, const md5_mat34 *palettes,
                      const md5_mat34 *placements, uint32_t count, gl_picture *picture)
{
    md5_error error;
    md5gl_begin_frame(stage->scene.renderer, &stage->frame);
    CHECK(md5gl_draw_models(stage->scene.renderer, copy, palettes, placements, count, MD5GL_LIT,
                            &error));
    scene_finish(&stage->scene, &stage->frame, picture);
}

TEST (gl_storage_draws_ten_thousand_in_any_number_of_batches) {
    enum { COUNT = 10000 };
    static md5_mat34 palettes[COUNT * NUM_JOINTS], placements[COUNT];
    gl_stage stage;
    gl_picture expected, picture;
    if (!open_stage(&stage, scene_hinge))
        return;
    md5gl_renderer *const renderer = stage.scene.renderer;
    const uint64_t limits[] = {renderer->max_block, 777777, 4999 * 2 * sizeof(md5_mat34)};
    md5gl_model *const other = md5gl_create_model(renderer, stage.model, MD5GL_PATH_EXACT, NULL);
    place_many(palettes, placements, COUNT);
    draw_many(&stage, other, palettes, placements, COUNT, &expected);
    count_draws(renderer);
    for (int i = 0; i < 3; i++) {
        renderer->max_block = limits[i];
        md5gl_destroy_model(renderer, stage.copy);
        stage.copy = md5gl_create_model(renderer, stage.model, MD5GL_PATH_STORAGE, NULL);
        num_draws = 0;
        draw_many(&stage, stage.copy, palettes, placements, COUNT, &picture);
        CHECK(same_picture(&expected, &picture));
        CHECK_UINT(num_draws, i == 0 ? 1 : i == 1 ? 2 : 3);
    }
    renderer->max_block = limits[0];
    md5gl_destroy_model(renderer, other);
    scene_close_stage(&stage);
}

// More poses than the ring has regions, of several sizes, on every path.
TEST (gl_mapped_palettes_are_drawn_as_copied_ones) {
    static const uint32_t counts[] = {3, MANY, 1, 7, 8, MANY, 2, MANY};
    md5_mat34 palettes[MANY * NUM_JOINTS], placements[MANY];
    gl_stage stage;
    gl_picture expected, picture;
    if (!scene_open_stage(&stage, scene_hinge, 1))
        return;
    md5gl_renderer *const renderer = stage.scene.renderer;
    place_many(palettes, placements, MANY);
    for (int path = MD5GL_PATH_4; path <= MD5GL_PATH_STORAGE; path++) {
        if (!md5gl_has_path(renderer, (md5gl_path)path))
            continue;
        md5gl_model *const copy = md5gl_create_model(renderer, stage.model, (md5gl_path)path, NULL);
        for (uint32_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            const uint32_t count = counts[i];
            draw_many(&stage, stage.copy, palettes, i % 2 ? placements : NULL, count, &expected);
            // Memory for more instances than are drawn.
            md5_mat34 *const mapped = md5gl_map_palettes(renderer, copy, count + i % 3, NULL);
            CHECK(mapped != NULL);
            if (mapped)
                memcpy(mapped, palettes, count * NUM_JOINTS * sizeof *mapped);
            draw_many(&stage, copy, mapped, i % 2 ? placements : NULL, count, &picture);
            CHECK(same_picture(&expected, &picture));
        }
        md5gl_destroy_model(renderer, copy);
    }
    scene_close_stage(&stage);
}

TEST (gl_mapped_palettes_are_not_drawn_before_they_are_posed) {
    const md5_mat34 palettes[NUM_JOINTS] = {scene_identity, scene_identity};
    const uint32_t count = 9; // the ring must grow
    gl_stage stage;
    gl_picture first, second;
    if (!open_stage(&stage, scene_square))
        return;
    md5gl_renderer *const renderer = stage.scene.renderer;
    CHECK(md5gl_pose_models(renderer, stage.copy, palettes, NULL, 1, NULL));
    for (int i = 0; i < 2; i++) {
        md5gl_begin_frame(renderer, &stage.frame);
        md5gl_draw_posed(renderer, stage.copy, MD5GL_LIT);
        scene_finish(&stage.scene, &stage.frame, i == 0 ? &first : &second);
        md5_mat34 *const mapped = md5gl_map_palettes(renderer, stage.copy, count, NULL);
        for (uint32_t k = 0; k < count * NUM_JOINTS; k++)
            mapped[k] = scene_moved(0, 40, 0);
    }
    CHECK(same_picture(&first, &second));
    CHECK(picture_is(&first, 0, 0, scene_sideways(1, 1, 1).rgba, 1));
    // Posing other palettes discards the mapped ones.
    draw_many(&stage, stage.copy, palettes, NULL, 1, &second);
    CHECK(same_picture(&first, &second));
    scene_close_stage(&stage);
}

static GLenum GLAD_API_PTR never_ready(GLsync sync, GLbitfield flags, GLuint64 timeout)
{
    (void)sync, (void)flags, (void)timeout;
    return GL_TIMEOUT_EXPIRED;
}

// A region that the GPU does not release is replaced.
TEST (gl_storage_continues_if_the_gpu_does_not_respond) {
    md5_mat34 palettes[MANY * NUM_JOINTS], placements[MANY];
    gl_stage stage;
    gl_picture expected, picture;
    if (!open_stage(&stage, scene_hinge))
        return;
    place_many(palettes, placements, MANY);
    draw_many(&stage, stage.copy, palettes, placements, MANY, &expected);
    stage.scene.renderer->gl.ClientWaitSync = never_ready;
    for (int i = 0; i < 7; i++) {
        draw_many(&stage, stage.copy, palettes, placements, MANY, &picture);
        CHECK(same_picture(&expected, &picture));
    }
    scene_close_stage(&stage);
}

// -- No support -------------------------------------------------------------------------------

static GLint version_of(const GladGLContext *gl)
{
    GLint major = 0, minor = 0;
    gl->GetIntegerv(GL_MAJOR_VERSION, &major);
    gl->GetIntegerv(GL_MINOR_VERSION, &minor);
    return 10 * major + minor;
}

TEST (gl_storage_is_available_or_reports_why) {
    md5_error error;
    gl_scene scene;
    if (!scene_open(&scene, NULL))
        return;
    md5gl_renderer *const renderer = scene.renderer;
    md5_model *const model = scene_square();
    const bool has = md5gl_has_path(renderer, MD5GL_PATH_STORAGE);
    test_check(has == (renderer->no_storage_reason[0] == '\0'), __FILE__, __LINE__, "\"%s\"",
               renderer->no_storage_reason);
    // Mesa supports storage buffers in vertex shaders wherever it has them at all.
    if (version_of(&renderer->gl) >= 44 && strstr(md5gl_device_name(renderer), "Mesa"))
        test_check(has, __FILE__, __LINE__, "%s", renderer->no_storage_reason);
    (void)snprintf(renderer->no_storage_reason, sizeof renderer->no_storage_reason, "not today");
    renderer->has_storage = false;
    CHECK(!md5gl_has_path(renderer, MD5GL_PATH_STORAGE));
    CHECK(md5gl_create_model(renderer, model, MD5GL_PATH_STORAGE, &error) == NULL);
    CHECK(error.status == MD5_ERROR_GPU && strstr(error.message, "not today"));
    renderer->has_storage = has;
    CHECK_STRING(md5gl_path_name(MD5GL_PATH_STORAGE), "storage");
    md5_free_model(model);
    scene_close(&scene);
}

static md5gl_proc load_without_mapping(void *user, const char *name)
{
    return strcmp(name, "glBufferStorage") == 0 ? NULL : scene_load(user, name);
}

TEST (gl_storage_without_its_functions_is_disabled) {
    const md5gl_opts opts = {.load = load_without_mapping};
    md5_error error;
    gl_scene scene;
    if (!scene_open(&scene, NULL))
        return;
    md5gl_renderer *const renderer = md5gl_create(&opts, &error);
    CHECK(renderer && !md5gl_has_path(renderer, MD5GL_PATH_STORAGE));
    CHECK(renderer && renderer->no_storage_reason[0] != '\0');
    md5gl_destroy(renderer);
    scene_close(&scene);
}

TEST (gl_model_beyond_a_storage_block_is_refused) {
    md5_error error;
    gl_stage stage;
    if (!open_stage(&stage, scene_hinge))
        return;
    md5gl_renderer *const renderer = stage.scene.renderer;
    const uint64_t most = renderer->max_block;
    const struct {
        uint64_t limit;
        const char *message;
    } cases[] = {{16 * 2 * sizeof(md5_mat34) - 1, "palettes of 2 joints"},
                 {8 * sizeof(md5_vec4) - 1, "8 influences"}};
    for (int i = 0; i < 2; i++) {
        renderer->max_block = cases[i].limit;
        CHECK(!md5gl_create_model(renderer, stage.model, MD5GL_PATH_STORAGE, &error));
        CHECK_UINT(error.status, MD5_ERROR_GPU);
        test_check(strstr(error.message, cases[i].message), __FILE__, __LINE__, "%s",
                   error.message);
    }
    renderer->max_block = most;
    scene_close_stage(&stage);
}

static GLuint GLAD_API_PTR create_nothing(GLenum stage)
{
    (void)stage;
    return 0;
}

static void *GLAD_API_PTR map_nothing(GLenum target, GLintptr begin, GLsizeiptr size,
                                      GLbitfield access)
{
    (void)target, (void)begin, (void)size, (void)access;
    return NULL;
}

TEST (gl_storage_reports_missing_memory_for_palettes) {
    md5_mat34 palettes[MANY * NUM_JOINTS], placements[MANY];
    md5_error error;
    gl_stage stage;
    gl_picture expected, picture;
    if (!open_stage(&stage, scene_hinge))
        return;
    md5gl_renderer *const renderer = stage.scene.renderer;
    const PFNGLMAPBUFFERRANGEPROC map = renderer->gl.MapBufferRange;
    place_many(palettes, placements, MANY);
    draw_many(&stage, stage.copy, palettes, placements, MANY, &expected);
    renderer->gl.MapBufferRange = map_nothing;
    CHECK(!md5gl_pose_models(renderer, stage.copy, palettes, placements, MANY, &error));
    CHECK(error.status == MD5_ERROR_GPU && strstr(error.message, "palettes"));
    CHECK(md5gl_map_palettes(renderer, stage.copy, 1, &error) == NULL);
    CHECK_UINT(error.status, MD5_ERROR_GPU);
    renderer->gl.MapBufferRange = map;
    draw_many(&stage, stage.copy, palettes, placements, MANY, &picture);
    CHECK(same_picture(&expected, &picture));
    scene_close_stage(&stage);
}

// If the path's programs do not compile, everything else still works.
TEST (gl_storage_reports_programs_that_do_not_compile) {
    md5_error error;
    gl_stage stage;
    if (!open_stage(&stage, scene_square))
        return;
    md5gl_renderer *const renderer = stage.scene.renderer;
    const PFNGLCREATESHADERPROC create = renderer->gl.CreateShader;
    for (int pass = 0; pass < MD5GL_NUM_PASSES; pass++) {
        md5gl_program *const program =
            &renderer->skinned[MD5GL_BLEND_LINEAR][MD5GL_SKIN_STORAGE][pass];
        renderer->gl.DeleteProgram(program->name);
        program->name = 0;
    }
    renderer->gl.CreateShader = create_nothing;
    CHECK(md5gl_create_model(renderer, stage.model, MD5GL_PATH_STORAGE, &error) == NULL);
    CHECK(error.status == MD5_ERROR_GPU && strstr(error.message, "compile"));
    scene_expect_messages();
    renderer->gl.CreateShader = create;
    md5gl_model *const copy = md5gl_create_model(renderer, stage.model, MD5GL_PATH_STORAGE, &error);
    CHECK(copy != NULL);
    md5gl_destroy_model(renderer, copy);
    scene_close_stage(&stage);
}

// A model without meshes can be posed and drawn.
TEST (gl_storage_draws_a_model_without_meshes) {
    static const char text[] = "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 0\n"
                               "joints {\n\"only\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n";
    const md5_mat34 palette = scene_identity;
    md5_error error;
    gl_stage stage;
    gl_picture picture;
    if (!open_stage(&stage, scene_square))
        return;
    md5gl_renderer *const renderer = stage.scene.renderer;
    md5_model *const model = md5_parse_model(text, sizeof text - 1, NULL, NULL);
    md5gl_model *const copy = md5gl_create_model(renderer, model, MD5GL_PATH_STORAGE, &error);
    test_check(copy != NULL, __FILE__, __LINE__, "%s", error.message);
    stage.frame.casters = stage.model->bounds;
    md5gl_begin_frame(renderer, &stage.frame);
    CHECK(md5gl_pose_models(renderer, copy, &palette, NULL, 1, NULL));
    md5gl_draw_shadows(renderer, copy);
    md5gl_draw_posed(renderer, copy, MD5GL_LIT | MD5GL_WIREFRAME);
    scene_finish(&stage.scene, &stage.frame, &picture);
    md5gl_destroy_model(renderer, copy);
    md5_free_model(model);
    scene_close_stage(&stage);
}

TEST (gl_storage_survives_failure_of_every_allocation) {
    test_heap heap = {0};
    const md5_allocator allocator = {test_heap_alloc, test_heap_free, &heap};
    gl_scene scene;
    if (!scene_open(&scene, &allocator))
        return;
    md5gl_renderer *const renderer = scene.renderer;
    md5_model *const model = make_squares();
    const size_t live = heap.live;
    bool has = md5gl_has_path(renderer, MD5GL_PATH_STORAGE);
    for (size_t i = 1; has; i++) {
        md5_error error;
        heap.fail_at = heap.num_allocs + i;
        md5gl_model *const copy = md5gl_create_model(renderer, model, MD5GL_PATH_STORAGE, &error);
        CHECK_UINT(error.status, copy ? MD5_OK : MD5_ERROR_MEMORY);
        has = copy == NULL;
        md5gl_destroy_model(renderer, copy);
        CHECK_UINT(heap.live, live);
    }
    md5_free_model(model);
    scene_close(&scene);
}
