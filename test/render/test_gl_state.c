// The renderer in a host's context: GL state, errors, memory, several contexts.
#include "test/scoped.h"
#include "test/render/test_gl_values.h"

// -- State ------------------------------------------------------------------------------------

// Draws nothing and changes the GL state, as the caster of a careless host.
static void disturb(void *user, const md5gl_shadow_map *map)
{
    (void)map;
    values_disturb(user);
}

// Draws a frame with a model, shadows, edges, a blob, the ground, a grid, lines and a panel.
static void draw_all(gl_scene *scene, md5gl_model *copy, md5gl_target *target, gl_picture *picture)
{
    md5gl_renderer *const renderer = scene->renderer;
    const md5gl_line_vertex line[2] = {{{5, -70, 30}, {255, 0, 0, 255}},
                                       {{5, 70, 40}, {0, 0, 255, 128}}};
    const md5gl_panel_vertex triangle[3] = {{0, 0, 0, 0, {9, 200, 9, 200}},
                                            {30, 0, 1, 0, {9, 200, 9, 200}},
                                            {0, 30, 0, 1, {9, 200, 9, 200}}};
    md5gl_frame frame = scene_frame(target);
    frame.casters = (md5_bounds){{-20, -20, -20}, {20, 20, 20}};
    frame.ground = -20;
    const md5gl_point_light spot = {.position = {50, 0, 0},
                                    .range = 99,
                                    .cone = 60,
                                    .direction = {-1, 0, 0},
                                    .casts_shadow = true};
    const md5gl_blob_shadow blob = {.position = {9, 0, 0}, .radius = 9, .normal = {1, 0, 0}};
    frame.point_lights = &spot;
    frame.num_point_lights = 1;
    md5gl_begin_frame(renderer, &frame);
    CHECK(scene_pose(renderer, copy, scene_identities, scene_identities, 1, NULL));
    md5gl_draw_casters(renderer, disturb, scene);
    md5gl_draw_shadows(renderer, copy);
    md5gl_draw_model(renderer, copy, MD5GL_LIT | MD5GL_WIREFRAME | MD5GL_NO_CULLING);
    md5gl_draw_blob_shadows(renderer, &blob, 1);
    md5gl_draw_ground(renderer, (md5_vec3){0, 0, 0}, 100);
    md5gl_draw_grid(renderer, -20, 10, (md5_vec3){0, 0, 0}, 100);
    md5gl_draw_lines(renderer, line, 2, 3, true);
    md5gl_draw_panel(renderer, 0, MD5GL_TEXTURE_MASK, triangle, 3);
    scene_finish(scene, &frame, picture);
}

TEST_UNSHARED_SCENE (gl_state_is_reset_after_every_call) {
    static const uint8_t texel[4] = {1, 2, 3, 4};
    gl_picture undisturbed;
    gl_picture disturbed;
    md5_vec3 positions[4];
    md5_vec3 normals[4];
    values_are_defaults(scene, "creating a renderer");
    SCOPED_MODEL model = scene_square();
    md5gl_model *const copy = md5gl_create_model(scene->renderer, model, MD5GL_PATH_EXACT, NULL);
    values_are_defaults(scene, "creating a model");
    md5gl_target *const target =
        md5gl_create_target(scene->renderer, SCENE_WIDTH, SCENE_HEIGHT, 4, NULL);
    values_are_defaults(scene, "creating a target");
    const md5gl_texture texture =
        scene_texture(scene->renderer, MD5GL_TEXTURE_COLOR, 1, 1, texel, NULL);
    values_are_defaults(scene, "creating a texture");
    md5gl_destroy_texture(scene->renderer, scene_normals(scene->renderer, 1, 1, texel, 3, NULL));
    values_are_defaults(scene, "creating a normal map");
    draw_all(scene, copy, target, &undisturbed);
    values_are_defaults(scene, "a frame");
    CHECK(
        md5gl_capture(scene->renderer, copy, 0, scene_identities, positions, normals, NULL, NULL));
    values_are_defaults(scene, "capturing");
    for (int path = MD5GL_PATH_4; path <= MD5GL_PATH_COMPUTE; path++) {
        md5gl_model *const second_model =
            md5gl_has_path(scene->renderer, (md5gl_path)path)
                ? md5gl_create_model(scene->renderer, model, (md5gl_path)path, NULL)
                : NULL;
        CHECK(!second_model
              || scene_pose(scene->renderer, second_model, scene_identities, scene_identities, 1,
                            NULL));
        values_are_defaults(scene, "posing outside of a frame");
        md5gl_destroy_model(scene->renderer, second_model);
    }

    values_disturb(scene);
    draw_all(scene, copy, target, &disturbed);
    CHECK_BYTES(&undisturbed, &disturbed, sizeof disturbed);
    values_are_defaults(scene, "a frame with a careless host");
    md5gl_destroy_texture(scene->renderer, texture);
    md5gl_destroy_target(scene->renderer, target);
    md5gl_destroy_model(scene->renderer, copy);
}

TEST (gl_transfers_ignore_the_hosts_pixel_storage) {
    static const uint8_t image[12] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120};
    uint8_t back[12];
    gl_scene scene;
    if (!scene_open(&scene, NULL))
        return;
    const GladGLContext *const gl = scene_gl(scene.renderer);
    values_disturb(&scene);
    const md5gl_texture mask = scene_texture(scene.renderer, MD5GL_TEXTURE_MASK, 3, 4, image, NULL);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, mask);
    if (scene_is_es(scene.renderer)) {
        test_skip("OpenGL ES cannot read textures");
        scene_close(&scene);
        return;
    }
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    gl->PixelStorei(GL_PACK_ALIGNMENT, 1);
    gl->PixelStorei(GL_PACK_ROW_LENGTH, 0);
    gl->GetTexImage(GL_TEXTURE_2D, 0, GL_RED, GL_UNSIGNED_BYTE, back);
    CHECK_BYTES(image, back, sizeof image);
    md5gl_destroy_texture(scene.renderer, mask);
    scene_close(&scene);
}

// -- Several contexts -------------------------------------------------------------------------

TEST (gl_two_renderers_are_independent) {
    gl_scene scenes[2];
    gl_picture pictures[2][2];
    if (!scene_open(&scenes[0], NULL))
        return;
    if (!scene_open(&scenes[1], NULL)) {
        scene_close(&scenes[0]);
        return;
    }
    SCOPED_MODEL model = scene_square();
    md5gl_model *copies[2];
    md5gl_target *targets[2];
    for (int i = 0; i < 2; i++) {
        scene_make_current(&scenes[i]);
        copies[i] = md5gl_create_model(scenes[i].renderer, model, MD5GL_PATH_AUTO, NULL);
        targets[i] = md5gl_create_target(scenes[i].renderer, SCENE_WIDTH, SCENE_HEIGHT, 1, NULL);
    }
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2; i++) {
            scene_make_current(&scenes[i]);
            draw_all(&scenes[i], copies[i], targets[i], &pictures[round][i]);
        }
    }
    CHECK_BYTES(&pictures[0][0], &pictures[0][1], sizeof(gl_picture));
    CHECK_BYTES(&pictures[0][0], &pictures[1][1], sizeof(gl_picture));
    for (int i = 0; i < 2; i++) {
        scene_make_current(&scenes[i]);
        md5gl_destroy_model(scenes[i].renderer, copies[i]);
        md5gl_destroy_target(scenes[i].renderer, targets[i]);
        scene_close(&scenes[i]);
    }
}

// -- Errors -----------------------------------------------------------------------------------

static md5gl_proc load_nothing(void *user, const char *name)
{
    (void)user, (void)name;
    return NULL;
}

static md5gl_proc load_except(void *user, const char *name)
{
    return strcmp(name, user) == 0 ? NULL : scene_load(NULL, name);
}

TEST (gl_create_without_functions_fails) {
    md5_error error = {0};
    const md5gl_opts none = {0};
    const md5gl_opts nothing = {.load = load_nothing};
    CHECK_SAYS(md5gl_create_renderer(&none, &error), error, MD5_ERROR_GPU, "loader");
    CHECK(md5gl_create_renderer(NULL, NULL) == NULL);
    CHECK_SAYS(md5gl_create_renderer(&nothing, &error), error, MD5_ERROR_GPU, "glGetString");
    md5gl_destroy_renderer(NULL);
}

TEST_IF (gl_create_names_a_missing_function, gl_scene, scene, scene_open_context(scene),
         scene_close(scene)) {
    static char missing[] = "glDrawElementsInstanced";
    md5_error error = {0};
    const md5gl_opts opts = {.load = load_except, .load_user = missing};
    CHECK_SAYS(md5gl_create_renderer(&opts, &error), error, MD5_ERROR_GPU, missing);
}

// Drivers for Windows have only the names of OpenGL for functions that have a suffix in OpenGL ES.
TEST_IF (gl_create_needs_no_extension, gl_scene, scene, scene_open_context(scene),
         scene_close(scene)) {
    static char missing[] = "glDebugMessageCallbackKHR";
    md5_error error = {0};
    const md5gl_opts opts = {.load = load_except, .load_user = missing};
    md5gl_renderer *const renderer = md5gl_create_renderer(&opts, &error);
    CHECK_DONE(renderer, error);
    md5gl_destroy_renderer(renderer);
}

static const GLubyte *GLAD_API_PTR old_string(GLenum name)
{
    static const GLubyte version[] = "2.1 Mesa 20.0";
    static const GLubyte placeholder[] = "x";
    return name == GL_VERSION ? version : placeholder;
}

static md5gl_proc load_old(void *user, const char *name)
{
    return strcmp(name, "glGetString") == 0 ? (md5gl_proc)old_string : scene_load(user, name);
}

TEST_IF (gl_create_on_an_old_context_fails, gl_scene, scene, scene_open_context(scene),
         scene_close(scene)) {
    md5_error error = {0};
    const md5gl_opts opts = {.load = load_old};
    CHECK_FAILS(md5gl_create_renderer(&opts, &error), error, MD5_ERROR_GPU);
    CHECK(strstr(error.message, "expected OpenGL 3.3 or OpenGL ES 3.0, found")
          && strstr(error.message, "2.1 Mesa"));
}

TEST_UNSHARED_SCENE (gl_device_has_a_name) {
    CHECK(strstr(md5gl_device_name(scene->renderer), "OpenGL"));
    CHECK(md5gl_checker_texture(scene->renderer) != 0);
    CHECK_STRING(md5gl_path_name(MD5GL_PATH_4), "4");
    CHECK_STRING(md5gl_path_name(MD5GL_PATH_8), "8");
    CHECK_STRING(md5gl_path_name(MD5GL_PATH_EXACT), "exact");
}

TEST_UNSHARED_SCENE (gl_sizes_beyond_the_device_are_refused) {
    static const uint8_t texel[4] = {0};
    md5_error error = {0};
    md5gl_renderer *const renderer = scene->renderer;
    const uint32_t too_large = *scene_limits(renderer).max_texture_size + 1;
    CHECK_SAYS(scene_texture(renderer, MD5GL_TEXTURE_COLOR, too_large, 1, texel, &error), error,
               MD5_ERROR_GPU, "GL_MAX_TEXTURE_SIZE");
    CHECK(scene_texture(renderer, MD5GL_TEXTURE_COLOR, 1, 0, texel, NULL) == 0);
    CHECK_FAILS(scene_texture(renderer, MD5GL_TEXTURE_MASK, 1, too_large, texel, &error), error,
                MD5_ERROR_GPU);
    CHECK_FAILS(
        md5gl_create_target(renderer, 1, scene_limits(renderer).max_target_size + 1, 1, &error),
        error, MD5_ERROR_GPU);
    CHECK(md5gl_create_target(renderer, 0, 1, 1, &error) == NULL);
    md5gl_target *const target = md5gl_create_target(renderer, 8, 8, 1000, &error);
    CHECK(target); // with as many samples as the device has
    uint8_t rgba[9 * 8 * 4];
    CHECK_FAILS(md5gl_read_pixels(renderer, target, 9, 8, rgba, &error), error, MD5_ERROR_GPU);
    md5gl_destroy_target(renderer, target);
    md5gl_destroy_target(renderer, NULL);
    md5gl_destroy_texture(renderer, 0);
    md5gl_destroy_model(renderer, NULL);
}

TEST_UNSHARED_SCENE (gl_forced_path_beyond_texture_buffers_is_refused) {
    md5_error error = {0};
    gl_picture picture;
    md5gl_renderer *const renderer = scene->renderer;
    md5_model *const model = scene_square();
    const uint32_t max_texels = *scene_limits(renderer).max_texels;
    *scene_limits(renderer).max_texels = 5; // less than two joints' six rows
    CHECK_SAYS(md5gl_create_model(renderer, model, MD5GL_PATH_EXACT, &error), error, MD5_ERROR_GPU,
               scene_limits(renderer).max_texels_name);
    *scene_limits(renderer).max_texels = max_texels;
    md5gl_model *const copy = md5gl_create_model(renderer, model, MD5GL_PATH_AUTO, &error);
    *scene_limits(renderer).max_texels = 5;
    const md5gl_frame frame = scene_frame(NULL);
    md5gl_begin_frame(renderer, &frame);
    CHECK_SAYS(scene_pose_and_draw(renderer, copy, scene_identities, NULL, 1, MD5GL_LIT, &error),
               error, MD5_ERROR_GPU, "6 texels");
    scene_finish(scene, &frame, &picture);
    CHECK_PIXEL(&picture, 0, 0, (uint8_t[4]){0, 0, 0, 255}, 0);
    md5gl_destroy_model(renderer, copy);
    md5_free_model(model);

    // The joints fit, the influences of the exact path do not.
    uint64_t random = 3;
    SCOPED_MODEL cloud = scene_cloud(4, 60, 3, true, &random);
    *scene_limits(renderer).max_texels = 59;
    CHECK_SAYS(md5gl_create_model(renderer, cloud, MD5GL_PATH_EXACT, &error), error, MD5_ERROR_GPU,
               "influences");
}

TEST_UNSHARED_SCENE (gl_errors_of_a_frame_are_reported_and_earlier_ones_are_not) {
    md5_error error = {0};
    md5gl_renderer *const renderer = scene->renderer;
    const md5gl_frame frame = scene_frame(NULL);
    scene_gl(renderer)->Enable(GL_RGBA); // an invalid enum
    md5gl_begin_frame(renderer, &frame);
    CHECK(md5gl_end_frame(renderer, &error));
    CHECK_UINT(error.status, MD5_OK);
    md5gl_begin_frame(renderer, &frame);
    scene_gl(renderer)->Enable(GL_RGBA);
    scene_gl(renderer)->DrawArrays(GL_TRIANGLES, -1, 1);
    CHECK_SAYS(md5gl_end_frame(renderer, &error), error, MD5_ERROR_GPU, "GL_INVALID_ENUM");
    CHECK_UINT(scene_gl(renderer)->GetError(), GL_NO_ERROR);
    md5gl_begin_frame(renderer, &frame);
    CHECK(md5gl_end_frame(renderer, &error));
    scene_expect_messages();
}

// glShaderSource() that replaces the text of one file: the text that contains `replaced_part`.
static PFNGLSHADERSOURCEPROC original_source;
static const char *replaced_part;
static const char *replacement;
static void GLAD_API_PTR replace_source(GLuint shader, GLsizei count, const GLchar *const *texts,
                                        const GLint *lengths)
{
    const GLchar *replaced[64];
    REQUIRE(count <= (GLsizei)COUNT_OF(replaced));
    for (GLsizei i = 0; i < count; i++)
        replaced[i] = strstr(texts[i], replaced_part) ? replacement : texts[i];
    original_source(shader, count, replaced, lengths);
}

// The program for lines is built when lines are first drawn: its vertex shader consists of
// frame.glsl and line.vert.
TEST_UNSHARED_SCENE (gl_compiler_errors_name_the_file) {
    static const struct {
        const char *part;
        const char *replacement;
        const char *message;
    } cases[] = {
        {"uniform Frame", "\nfloat two() { return nothing; }\n", "shaders/frame.glsl:2: "},
        {"uniform float line_width", "\n\nvoid main() { gl_Position = vec4(nothing); }\n",
         "shaders/line.vert:3: "},
        {"void main", "#error nothing\n", "shaders/line.vert:1: "},
        {"in vec4 line_color",
         "in vec3 line_color; out vec4 color; void main() { color = line_color.xyzx; }\n",
         "shaders/line.vert: shaders do not link"},
    };
    static const md5gl_line_vertex line[2] = {{.rgba = {255, 255, 255, 255}}};
    const md5gl_frame frame = scene_frame(NULL);
    GladGLContext *const gl = scene_gl(scene->renderer);
    original_source = gl->ShaderSource;
    gl->ShaderSource = replace_source;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        md5_error error = {0};
        replaced_part = cases[i].part;
        replacement = cases[i].replacement;
        md5gl_begin_frame(scene->renderer, &frame);
        md5gl_draw_lines(scene->renderer, line, 2, 1, false);
        CHECK_SAYS(md5gl_end_frame(scene->renderer, &error), error, MD5_ERROR_GPU,
                   cases[i].message);
        CHECK(i == 3 || strstr(error.message, "nothing"));
        CHECK(!strchr(error.message, '\n'));
    }
    gl->ShaderSource = original_source;
    scene_expect_messages();
}

static PFNGLLINKPROGRAMPROC original_link;
static void GLAD_API_PTR link_nothing(GLuint program)
{
    (void)program; // as after a failure
}

// A program for overlays is built within the frame; the frame's end reports its error.
TEST_UNSHARED_SCENE (gl_overlays_that_cannot_be_built_fail_the_frame) {
    static const md5gl_line_vertex line[2] = {{.rgba = {255, 255, 255, 255}}};
    md5_error error = {0};
    const md5gl_frame frame = scene_frame(NULL);
    original_link = scene_gl(scene->renderer)->LinkProgram;
    for (int i = 0; i < 2; i++) {
        scene_gl(scene->renderer)->LinkProgram = i == 0 ? link_nothing : original_link;
        md5gl_begin_frame(scene->renderer, &frame);
        md5gl_draw_lines(scene->renderer, line, 2, 1, false);
        if (i == 0)
            CHECK_SAYS(md5gl_end_frame(scene->renderer, &error), error, MD5_ERROR_GPU,
                       "shaders/line.vert: shaders do not link");
        else
            CHECK(md5gl_end_frame(scene->renderer, &error));
    }
}

// -- Memory -----------------------------------------------------------------------------------

static bool create_everything(gl_scene *scene, const md5_model *model, md5_error *error)
{
    md5gl_model *const exact = md5gl_create_model(scene->renderer, model, MD5GL_PATH_EXACT, error);
    md5gl_model *const packed =
        exact ? md5gl_create_model(scene->renderer, model, MD5GL_PATH_8, error) : NULL;
    md5gl_target *const target =
        packed ? md5gl_create_target(scene->renderer, 8, 8, 4, error) : NULL;
    md5gl_model *const skinned =
        target ? md5gl_create_model(scene->renderer, model, MD5GL_PATH_CPU, error) : NULL;
    const md5_mat34 palettes[10] = {scene_identity};
    const uint8_t texel[4] = {0};
    const bool posed = skinned && scene_pose(scene->renderer, skinned, palettes, NULL, 1, error);
    const md5gl_texture normals =
        posed ? scene_normals(scene->renderer, 1, 1, texel, MD5GL_NORMALS_RXGB, error) : 0;
    md5gl_destroy_texture(scene->renderer, normals);
    md5gl_destroy_model(scene->renderer, skinned);
    md5gl_destroy_model(scene->renderer, exact);
    md5gl_destroy_model(scene->renderer, packed);
    md5gl_destroy_target(scene->renderer, target);
    return normals != 0;
}

TEST (gl_allocates_and_frees_through_the_allocator) {
    uint64_t random = 11;
    md5_error error = {0};
    gl_scene context;
    if (!scene_open_context(&context))
        return;
    SCOPED_MODEL model = scene_cloud(10, 30, 6, false, &random);
    bool created = false;
    for (size_t fail_at = 1; !created && fail_at < 100; fail_at++) {
        test_heap heap = {.fail_at = fail_at};
        const md5gl_opts opts = {.load = scene_load,
                                 .allocator = {test_heap_alloc, test_heap_free, &heap, 0}};
        gl_scene scene = context;
        scene.renderer = md5gl_create_renderer(&opts, &error);
        created = scene.renderer && create_everything(&scene, model, &error);
        if (!created)
            CHECK_UINT(error.status, MD5_ERROR_MEMORY);
        md5gl_destroy_renderer(scene.renderer);
        CHECK_UINT(heap.live, 0);
        CHECK_UINT(heap.live_bytes, 0);
        CHECK(heap.num_allocs >= fail_at || created);
    }
    CHECK(created);
    scene_close(&context);
}
