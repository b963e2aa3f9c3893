// OpenGL ES 3.0: vertices equal the results of the CPU, images equal images of OpenGL 3.3, and
// missing features are reported. A simulated WebGL context draws the same.
#include "test/scoped.h"
#include "test/real.h"
#include "test/render/test_gl_values.h"
#include "test/skin/skin_jobs.h"

typedef struct state_value {
    GLenum name;
    const char *text;
    bool desktop; // not in OpenGL ES 3.0
    int count;
    double defaults[4];
} state_value;

#define ONE(name, value)       \
    {                          \
        name, #name, false, 1, \
        {                      \
            value              \
        }                      \
    }
#define DESKTOP(name, value)  \
    {                         \
        name, #name, true, 1, \
        {                     \
            value             \
        }                     \
    }
#define MANY(name, count, ...)     \
    {                              \
        name, #name, false, count, \
        {                          \
            __VA_ARGS__            \
        }                          \
    }

// GL's defaults, from the state tables of the OpenGL 3.3 and OpenGL ES 3.0 specifications.
static const state_value states[] = {
    ONE(GL_CURRENT_PROGRAM, 0),
    ONE(GL_VERTEX_ARRAY_BINDING, 0),
    ONE(GL_DRAW_FRAMEBUFFER_BINDING, 0),
    ONE(GL_READ_FRAMEBUFFER_BINDING, 0),
    ONE(GL_RENDERBUFFER_BINDING, 0),
    ONE(GL_ARRAY_BUFFER_BINDING, 0),
    DESKTOP(GL_TEXTURE_BUFFER, 0),
    ONE(GL_UNIFORM_BUFFER_BINDING, 0),
    ONE(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, 0),
    ONE(GL_PIXEL_PACK_BUFFER_BINDING, 0),
    ONE(GL_PIXEL_UNPACK_BUFFER_BINDING, 0),
    ONE(GL_ACTIVE_TEXTURE, GL_TEXTURE0),
    ONE(GL_DEPTH_TEST, 0),
    DESKTOP(GL_DEPTH_CLAMP, 0),
    ONE(GL_STENCIL_TEST, 0),
    ONE(GL_SCISSOR_TEST, 0),
    ONE(GL_CULL_FACE, 0),
    ONE(GL_BLEND, 0),
    DESKTOP(GL_COLOR_LOGIC_OP, 0),
    ONE(GL_POLYGON_OFFSET_FILL, 0),
    DESKTOP(GL_POLYGON_OFFSET_LINE, 0),
    ONE(GL_POLYGON_OFFSET_FACTOR, 0),
    ONE(GL_POLYGON_OFFSET_UNITS, 0),
    DESKTOP(GL_FRAMEBUFFER_SRGB, 0),
    ONE(GL_RASTERIZER_DISCARD, 0),
    DESKTOP(GL_PRIMITIVE_RESTART, 0),
    ONE(GL_SAMPLE_ALPHA_TO_COVERAGE, 0),
    DESKTOP(GL_SAMPLE_ALPHA_TO_ONE, 0),
    ONE(GL_SAMPLE_COVERAGE, 0),
    DESKTOP(GL_SAMPLE_MASK, 0),
    DESKTOP(GL_MULTISAMPLE, 1),
    ONE(GL_DEPTH_WRITEMASK, 1),
    ONE(GL_DEPTH_FUNC, GL_LESS),
    MANY(GL_DEPTH_RANGE, 2, 0, 1),
    ONE(GL_DEPTH_CLEAR_VALUE, 1),
    MANY(GL_COLOR_WRITEMASK, 4, 1, 1, 1, 1),
    ONE(GL_CULL_FACE_MODE, GL_BACK),
    ONE(GL_FRONT_FACE, GL_CCW),
    ONE(GL_BLEND_SRC_RGB, GL_ONE),
    ONE(GL_BLEND_SRC_ALPHA, GL_ONE),
    ONE(GL_BLEND_DST_RGB, GL_ZERO),
    ONE(GL_BLEND_DST_ALPHA, GL_ZERO),
    ONE(GL_BLEND_EQUATION_RGB, GL_FUNC_ADD),
    ONE(GL_BLEND_EQUATION_ALPHA, GL_FUNC_ADD),
    DESKTOP(GL_POLYGON_MODE, GL_FILL),
    ONE(GL_PACK_ALIGNMENT, 4),
    DESKTOP(GL_PACK_SWAP_BYTES, 0),
    ONE(GL_PACK_ROW_LENGTH, 0),
    ONE(GL_PACK_SKIP_ROWS, 0),
    ONE(GL_PACK_SKIP_PIXELS, 0),
    ONE(GL_UNPACK_ALIGNMENT, 4),
    DESKTOP(GL_UNPACK_SWAP_BYTES, 0),
    ONE(GL_UNPACK_ROW_LENGTH, 0),
    ONE(GL_UNPACK_SKIP_ROWS, 0),
    ONE(GL_UNPACK_SKIP_PIXELS, 0),
    MANY(GL_VIEWPORT, 4, NAN, NAN, NAN, NAN),
    MANY(GL_SCISSOR_BOX, 4, NAN, NAN, NAN, NAN),
    MANY(GL_COLOR_CLEAR_VALUE, 4, NAN, NAN, NAN, NAN),
};

enum { NUM_UNITS = 17 }; // the texture units in the list of md5gl.h

// -- Reading ----------------------------------------------------------------------------------

static void add(gl_values *values, const char *name, int index, double value, double by_default)
{
    if (CHECK(values->count < GL_MAX_VALUES))
        values->list[values->count++] = (gl_value){name, index, value, by_default};
}

// Adds the buffer, the start and the size of each indexed binding.
static void add_ranges(const GladGLContext *gl, const char *name, GLenum binding, GLenum start,
                       GLenum size, GLuint count, gl_values *values)
{
    for (uint32_t i = 0; i < count; i++) {
        GLint buffer = -1;
        GLint64 range[2] = {-1, -1};
        gl->GetIntegeri_v(binding, i, &buffer);
        gl->GetInteger64i_v(start, i, &range[0]);
        gl->GetInteger64i_v(size, i, &range[1]);
        add(values, name, (int)i, buffer, 0);
        add(values, name, (int)i, (double)range[0], 0);
        add(values, name, (int)i, (double)range[1], 0);
    }
}

static bool has_storage_buffers(const gl_scene *scene)
{
    const GladGLContext *const gl = scene_gl(scene->renderer);
    GLint major = 0;
    GLint minor = 0;
    gl->GetIntegerv(GL_MAJOR_VERSION, &major);
    gl->GetIntegerv(GL_MINOR_VERSION, &minor);
    return !scene_is_es(scene->renderer) && 10 * major + minor >= 43;
}

static void add_buffers(const gl_scene *scene, gl_values *values)
{
    const GladGLContext *const gl = scene_gl(scene->renderer);
    GLint commands = 0;
    add_ranges(gl, "GL_UNIFORM_BUFFER", GL_UNIFORM_BUFFER_BINDING, GL_UNIFORM_BUFFER_START,
               GL_UNIFORM_BUFFER_SIZE, 1, values);
    add_ranges(gl, "GL_TRANSFORM_FEEDBACK_BUFFER", GL_TRANSFORM_FEEDBACK_BUFFER_BINDING,
               GL_TRANSFORM_FEEDBACK_BUFFER_START, GL_TRANSFORM_FEEDBACK_BUFFER_SIZE, 3, values);
    if (!has_storage_buffers(scene))
        return;
    // GL_SHADER_STORAGE_BUFFER_BINDING, START, SIZE; GL_DRAW_INDIRECT_BUFFER_BINDING.
    add_ranges(gl, "GL_SHADER_STORAGE_BUFFER", 0x90D3, 0x90D4, 0x90D5, 8, values);
    gl->GetIntegerv(0x8F43, &commands);
    add(values, "GL_DRAW_INDIRECT_BUFFER", 0, commands, 0);
}

void values_read(const gl_scene *scene, gl_values *values)
{
    const GladGLContext *const gl = scene_gl(scene->renderer);
    const bool es = scene_is_es(scene->renderer);
    values->count = 0;
    for (size_t i = 0; i < COUNT_OF(states); i++) {
        const state_value *const state = &states[i];
        GLfloat read[4] = {-1, -1, -1, -1};
        if (state->desktop && es)
            continue;
        gl->GetFloatv(state->name, read);
        for (int k = 0; k < state->count; k++)
            add(values, state->text, k, read[k], state->defaults[k]);
    }
    add_buffers(scene, values);
    GLint active = GL_TEXTURE0;
    gl->GetIntegerv(GL_ACTIVE_TEXTURE, &active);
    for (GLuint unit = 0; unit < NUM_UNITS; unit++) {
        static const struct {
            GLenum name;
            const char *text;
        } bindings[] = {{GL_TEXTURE_BINDING_2D, "GL_TEXTURE_BINDING_2D"},
                        {GL_SAMPLER_BINDING, "GL_SAMPLER_BINDING"},
                        {GL_TEXTURE_BINDING_BUFFER, "GL_TEXTURE_BINDING_BUFFER"},
                        {GL_TEXTURE_BINDING_2D_MULTISAMPLE, "GL_TEXTURE_BINDING_2D_MULTISAMPLE"}};
        gl->ActiveTexture(GL_TEXTURE0 + unit);
        for (int k = 0; k < (es ? 2 : 4); k++) {
            GLint bound = -1;
            gl->GetIntegerv(bindings[k].name, &bound);
            add(values, bindings[k].text, (int)unit, bound, 0);
        }
    }
    gl->ActiveTexture((GLenum)active);
    CHECK_UINT(gl->GetError(), GL_NO_ERROR);
}

// -- Comparing --------------------------------------------------------------------------------

void values_are_defaults(const gl_scene *scene, const char *when)
{
    gl_values values;
    values_read(scene, &values);
    for (int i = 0; i < values.count; i++) {
        const gl_value *const value = &values.list[i];
        CHECK_THAT(isnan(value->by_default) || value->value == value->by_default,
                   "%s[%d] is %g after %s, by default it is %g", value->name, value->index,
                   value->value, when, value->by_default);
    }
}

void values_are_equal(const gl_values *found, const gl_values *expected, const char *when)
{
    CHECK_UINT((uint64_t)found->count, (uint64_t)expected->count);
    for (int i = 0; i < found->count; i++)
        CHECK_THAT(found->list[i].value == expected->list[i].value,
                   "%s[%d] is %g after %s, it was %g", found->list[i].name, found->list[i].index,
                   found->list[i].value, when, expected->list[i].value);
}

// -- Changing the state of GL -----------------------------------------------------------------

static GLuint make_buffer(const GladGLContext *gl, GLenum target)
{
    GLuint buffer = 0;
    gl->GenBuffers(1, &buffer);
    gl->BindBuffer(target, buffer);
    gl->BufferData(target, 4096, NULL, GL_STATIC_DRAW);
    return buffer;
}

static void bind_buffers(const gl_scene *scene)
{
    const GladGLContext *const gl = scene_gl(scene->renderer);
    static const GLenum storage = 0x90D2;
    make_buffer(gl, GL_ARRAY_BUFFER);
    make_buffer(gl, GL_PIXEL_UNPACK_BUFFER);
    make_buffer(gl, GL_PIXEL_PACK_BUFFER);
    gl->BindBufferRange(GL_UNIFORM_BUFFER, 0, make_buffer(gl, GL_UNIFORM_BUFFER), 256, 512);
    make_buffer(gl, GL_UNIFORM_BUFFER);
    for (uint32_t i = 0; i < 3; i++)
        gl->BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, i,
                           make_buffer(gl, GL_TRANSFORM_FEEDBACK_BUFFER));
    if (scene_is_es(scene->renderer))
        return;
    make_buffer(gl, GL_TEXTURE_BUFFER);
    for (GLuint i = 0; i < 3 && has_storage_buffers(scene); i++)
        gl->BindBufferBase(storage, i, make_buffer(gl, storage));
}

// Binds new objects to all points of the context, as another part of the program could have done.
static void bind_objects(const gl_scene *scene)
{
    const GladGLContext *const gl = scene_gl(scene->renderer);
    GLuint array;
    GLuint storage;
    GLuint sampled;
    GLuint samplers[NUM_UNITS];
    GLuint textures[NUM_UNITS];
    gl->GenVertexArrays(1, &array);
    gl->BindVertexArray(array);
    bind_buffers(scene);
    gl->GenRenderbuffers(1, &storage);
    gl->BindRenderbuffer(GL_RENDERBUFFER, storage);
    gl->GenSamplers(NUM_UNITS, samplers); // the default filter needs mipmaps
    gl->GenTextures(NUM_UNITS, textures);
    gl->GenTextures(1, &sampled);
    for (GLuint unit = 0; unit < NUM_UNITS; unit++) {
        gl->BindSampler(unit, samplers[unit]);
        gl->ActiveTexture(GL_TEXTURE0 + unit);
        gl->BindTexture(GL_TEXTURE_2D, textures[unit]);
        if (!scene_is_es(scene->renderer))
            gl->BindTexture(GL_TEXTURE_2D_MULTISAMPLE, sampled);
    }
}

static void disturb_desktop(const GladGLContext *gl)
{
    static const GLenum on[] = {GL_COLOR_LOGIC_OP, GL_FRAMEBUFFER_SRGB, GL_DEPTH_CLAMP,
                                GL_POLYGON_OFFSET_LINE, GL_SAMPLE_ALPHA_TO_ONE};
    for (size_t i = 0; i < COUNT_OF(on); i++)
        gl->Enable(on[i]);
    gl->Disable(GL_MULTISAMPLE);
    gl->LogicOp(GL_INVERT);
    gl->DepthRange(1.0, 0.0);
    gl->ClearDepth(0.0);
    gl->PolygonMode(GL_FRONT_AND_BACK, GL_POINT);
}

void values_disturb(gl_scene *scene)
{
    scene->has_objects = true;
    const GladGLContext *const gl = scene_gl(scene->renderer);
    static const GLenum on[] = {
        GL_SCISSOR_TEST,    GL_STENCIL_TEST,        GL_RASTERIZER_DISCARD,
        GL_SAMPLE_COVERAGE, GL_POLYGON_OFFSET_FILL, GL_BLEND,
        GL_DEPTH_TEST,      GL_CULL_FACE,           GL_SAMPLE_ALPHA_TO_COVERAGE};
    bind_objects(scene);
    for (size_t i = 0; i < COUNT_OF(on); i++)
        gl->Enable(on[i]);
    gl->Scissor(1, 2, 1, 1);
    gl->Viewport(3, 4, 5, 6);
    gl->ClearColor(0.25f, 0.5f, 0.75f, 0.125f);
    gl->StencilFunc(GL_NEVER, 0, 0);
    gl->ColorMask(GL_FALSE, GL_TRUE, GL_FALSE, GL_TRUE);
    gl->DepthMask(GL_FALSE);
    gl->DepthFunc(GL_NEVER);
    gl->CullFace(GL_FRONT_AND_BACK);
    gl->FrontFace(GL_CW);
    gl->PolygonOffset(-500, -400);
    gl->BlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_DST_ALPHA, GL_DST_COLOR, GL_SRC_COLOR);
    gl->BlendEquationSeparate(GL_FUNC_REVERSE_SUBTRACT, GL_MAX);
    gl->SampleCoverage(0.0f, GL_FALSE);
    gl->PixelStorei(GL_PACK_ROW_LENGTH, 1000);
    gl->PixelStorei(GL_PACK_ALIGNMENT, 8);
    gl->PixelStorei(GL_UNPACK_SKIP_ROWS, 3);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 8);
    if (scene_is_es(scene->renderer)) {
        gl->DepthRangef(1.0f, 0.0f);
        gl->ClearDepthf(0.0f);
    } else {
        disturb_desktop(gl);
    }
}

// The palette takes two rows of a table of the renderer, the second of them in part.
enum { NUM_JOINTS = 400, NUM_VERTICES = 900, TABLE_WIDTH = 1024 };

// -- Vertices ---------------------------------------------------------------------------------

typedef struct vertices {
    md5_vec3 positions[NUM_VERTICES];
    md5_vec3 normals[NUM_VERTICES];
    md5_vec4 tangents[NUM_VERTICES];
} vertices;

static void skin_on_cpu(const md5_model *model, const md5_mat34 *palette, md5gl_blending blending,
                        vertices *out)
{
    static md5_dual_quat dual[NUM_JOINTS];
    if (blending == MD5GL_BLEND_LINEAR) {
        md5_skin(&model->meshes[0], palette, out->positions, out->normals, out->tangents);
        return;
    }
    md5_build_dual_palette(palette, NUM_JOINTS, dual);
    skin_by_duals(&model->meshes[0], dual, out->positions, out->normals, out->tangents);
}

// Compares the skinning of a path with the CPU.
static void check_path(gl_scene *scene, const md5_model *model, md5gl_path path,
                       md5gl_blending blending)
{
    static vertices cpu;
    static vertices gpu;
    static md5_mat34 palette[NUM_JOINTS];
    uint64_t random = 8;
    md5_error error = {0};
    for (int i = 0; i < NUM_JOINTS; i++)
        palette[i] = scene_rotation(&random);
    md5gl_model *const copy = md5gl_create_model(scene->renderer, model, path, &error);
    CHECK_DONE(copy, error);
    CHECK(md5gl_set_blending(scene->renderer, copy, blending, NULL));
    CHECK(md5gl_capture(scene->renderer, copy, 0, palette, gpu.positions, gpu.normals, gpu.tangents,
                        NULL));
    skin_on_cpu(model, palette, blending, &cpu);
    const double size = real_distance(model->bounds.min, model->bounds.max);
    for (int i = 0; i < NUM_VERTICES; i++) {
        CHECK_SMALL(real_distance(cpu.positions[i], gpu.positions[i]), 1e-5 * size);
        CHECK_SMALL(real_distance(cpu.normals[i], gpu.normals[i]), 1e-3);
        CHECK_EXACT(cpu.tangents[i].w, gpu.tangents[i].w);
    }
    md5gl_destroy_model(scene->renderer, copy);
}

TEST_ES_SCENE (gl_es_skins_as_the_cpu_does) {
    uint64_t random = 5;
    CHECK(3 * NUM_JOINTS > TABLE_WIDTH && 3 * NUM_JOINTS % TABLE_WIDTH != 0);
    for (uint32_t max_influences = 4; max_influences <= 16; max_influences *= 2) {
        md5gl_path path = MD5GL_PATH_EXACT;
        if (max_influences == 4)
            path = MD5GL_PATH_4;
        else if (max_influences == 8)
            path = MD5GL_PATH_8;
        SCOPED_MODEL model = scene_cloud(NUM_JOINTS, NUM_VERTICES, max_influences,
                                         path == MD5GL_PATH_EXACT, &random);
        check_path(scene, model, path, MD5GL_BLEND_LINEAR);
        check_path(scene, model, MD5GL_PATH_CPU, MD5GL_BLEND_LINEAR);
    }
    SCOPED_MODEL model = scene_cloud(NUM_JOINTS, NUM_VERTICES, 4, false, &random);
    check_path(scene, model, MD5GL_PATH_4, MD5GL_BLEND_DUAL);
    check_path(scene, model, MD5GL_PATH_EXACT, MD5GL_BLEND_DUAL);
}

// -- Pictures ---------------------------------------------------------------------------------

// Draws two instances with shadows, materials, lines and a grid.
static void draw_scene(gl_scene *scene, md5_model *model, md5gl_path path, uint32_t samples,
                       gl_picture *picture)
{
    static const uint8_t texels[] = {255, 40, 40,  255, 40,  255, 40, 0,
                                     40,  40, 255, 255, 255, 255, 40, 255};
    static const uint8_t slope[] = {160, 128, 240, 255};
    const md5_mat34 palettes[4] = {scene_identity, scene_moved(8, 0, 0), scene_identity,
                                   scene_moved(0, 0, 6)};
    const md5_mat34 placements[2] = {scene_moved(0, -30, 0), scene_moved(0, 30, 8)};
    const md5_vec4 tints[2] = {{1, 1, 1, 1}, {0.5f, 0.7f, 1, 1}};
    const md5gl_line_vertex line[2] = {{{5, -70, -40}, {255, 200, 0, 255}},
                                       {{5, 70, 30}, {0, 200, 255, 128}}};
    const md5gl_point_light lamp = {
        .position = {40, 0, 40}, .range = 120, .color = {0.6f, 0.5f, 0.3f}};
    md5gl_renderer *const renderer = scene->renderer;
    const md5gl_texture diffuse = scene_texture(renderer, MD5GL_TEXTURE_COLOR, 2, 2, texels, NULL);
    const md5gl_texture normals = scene_normals(renderer, 1, 1, slope, 0, NULL);
    md5gl_target *const target =
        md5gl_create_target(renderer, SCENE_WIDTH, SCENE_HEIGHT, samples, NULL);
    md5gl_model *const copy = md5gl_create_model(renderer, model, path, NULL);
    md5gl_frame frame = scene_frame(target);
    frame.light_direction = (md5_vec3){0.5f, 0.3f, 1};
    memcpy(frame.light, (float[3]){1, 0.9f, 0.8f}, sizeof frame.light);
    frame.casters = (md5_bounds){{-20, -60, -25}, {20, 60, 40}};
    frame.ground = -25;
    frame.softness = 0.05f;
    frame.point_lights = &lamp;
    frame.num_point_lights = 1;
    md5gl_set_material(
        renderer, copy, 0, 0,
        &(md5gl_material){
            .diffuse = diffuse, .normals = normals, .specular = diffuse, .gloss = 0.6f});
    md5gl_begin_frame(renderer, &frame);
    CHECK(scene_pose(renderer, copy, palettes, placements, 2, NULL));
    CHECK(scene_look(renderer, copy, tints, NULL, NULL));
    md5gl_draw_shadows(renderer, copy);
    md5gl_draw_model(renderer, copy, MD5GL_LIT | MD5GL_NO_CULLING);
    md5gl_draw_ground(renderer, (md5_vec3){0, 0, 0}, 100);
    md5gl_draw_grid(renderer, -25, 10, (md5_vec3){0, 0, 0}, 100);
    md5gl_draw_lines(renderer, line, 2, 3, false);
    scene_finish(scene, &frame, picture);
    md5gl_destroy_model(renderer, copy);
    md5gl_destroy_target(renderer, target);
    md5gl_destroy_texture(renderer, diffuse);
    md5gl_destroy_texture(renderer, normals);
}

static unsigned count_differences(const gl_picture *a, const gl_picture *b, int tolerance)
{
    unsigned count = 0;
    for (int y = 0; y < SCENE_HEIGHT; y++) {
        for (int x = 0; x < SCENE_WIDTH; x++) {
            int largest = 0;
            for (int i = 0; i < 4; i++) {
                const int apart = abs(a->rgba[y][x][i] - b->rgba[y][x][i]);
                largest = apart > largest ? apart : largest;
            }
            count += largest > tolerance;
        }
    }
    return count;
}

TEST (gl_es_draws_the_picture_of_opengl) {
    static gl_picture pictures[2][2][4]; // API, samples, path
    static const md5gl_path paths[] = {MD5GL_PATH_4, MD5GL_PATH_8, MD5GL_PATH_EXACT,
                                       MD5GL_PATH_CPU};
    SCOPED_MODEL model = scene_square();
    for (int es = 0; es < 2; es++) {
        gl_scene scene;
        if (es ? !scene_open_es(&scene) : !scene_open(&scene, NULL))
            return;
        CHECK(scene_is_es(scene.renderer) == (es == 1) || scene_wants_es());
        for (int samples = 0; samples < 2; samples++) {
            for (int path = 0; path < 4; path++)
                draw_scene(&scene, model, paths[path], samples ? 4 : 1,
                           &pictures[es][samples][path]);
        }
        scene_close(&scene);
    }
    for (int samples = 0; samples < 2; samples++) {
        const gl_picture *const expected = &pictures[0][samples][0];
        for (int path = 0; path < 4; path++)
            // OpenGL ES does not filter depth in soft shadows.
            CHECK(count_differences(expected, &pictures[1][samples][path], 3) < 20);
    }
}

// Edges are visible on the front of the square, not hidden by its own surface.
TEST_ES_SCENE (gl_es_draws_edges) {
    gl_picture plain;
    gl_picture edged;
    SCOPED_MODEL model = scene_square();
    md5gl_model *const copy = md5gl_create_model(scene->renderer, model, MD5GL_PATH_AUTO, NULL);
    md5gl_frame frame = scene_frame(NULL);
    for (int edges = 0; edges < 2; edges++) {
        md5gl_begin_frame(scene->renderer, &frame);
        CHECK(scene_pose_and_draw(scene->renderer, copy, scene_identities, NULL, 1,
                                  edges ? MD5GL_LIT | MD5GL_WIREFRAME : MD5GL_LIT, NULL));
        scene_finish(scene, &frame, edges ? &edged : &plain);
    }
    // Sides and diagonal of 40 pixels each, some of which lie outside the square; not the interior.
    const unsigned count = count_differences(&plain, &edged, 20);
    CHECK(count >= 110 && count <= 200);
    CHECK(picture_is(&edged, -10, -10, scene_sideways(1, 1, 1).rgba, 1)
          || picture_is(&edged, -10, 10, scene_sideways(1, 1, 1).rgba, 1));
    md5gl_destroy_model(scene->renderer, copy);
}

// A frame with a transparent background keeps its alpha, also with several samples.
TEST_ES_SCENE (gl_es_keeps_alpha_in_multisampled_targets) {
    gl_picture picture;
    SCOPED_MODEL model = scene_square();
    md5gl_model *const copy = md5gl_create_model(scene->renderer, model, MD5GL_PATH_AUTO, NULL);
    md5gl_target *const target =
        md5gl_create_target(scene->renderer, SCENE_WIDTH, SCENE_HEIGHT, 4, NULL);
    md5gl_frame frame = scene_frame(target);
    for (int opaque = 0; opaque < 2; opaque++) {
        frame.background[3] = (float)opaque;
        scene_draw(scene, &frame, copy, MD5GL_LIT, &picture);
        CHECK_PIXEL(&picture, 0, 0, scene_sideways(1, 1, 1).rgba, 1);
        CHECK_PIXEL(&picture, 40, 0, (uint8_t[4]){0, 0, 0, opaque ? 255 : 0}, 0);
    }
    md5gl_destroy_target(scene->renderer, target);
    md5gl_destroy_model(scene->renderer, copy);
}

// -- Limits -----------------------------------------------------------------------------------

TEST_ES_SCENE (gl_es_refuses_what_it_lacks) {
    md5_error error = {0};
    SCOPED_MODEL model = scene_square();
    CHECK(strstr(md5gl_device_name(scene->renderer), "/ OpenGL ES 3."));
    CHECK(!md5gl_has_path(scene->renderer, MD5GL_PATH_COMPUTE));
    CHECK_SAYS(md5gl_create_model(scene->renderer, model, MD5GL_PATH_COMPUTE, &error), error,
               MD5_ERROR_GPU, "OpenGL 4.");
}

// WebGL has no swizzles and cannot map buffers: an ES context that reports WebGL as its version
// draws the same.
static const GLubyte *GLAD_API_PTR webgl_string(GLenum name)
{
    static const GLubyte version[] = "OpenGL ES 3.0 (WebGL 2.0 (OpenGL ES 3.0))";
    const GLubyte *(GLAD_API_PTR * get)(GLenum);
    const md5gl_proc function = scene_load(NULL, "glGetString");
    memcpy(&get, &function, sizeof get);
    return name == GL_VERSION ? version : get(name);
}

static void GLAD_API_PTR refuse_parameter(GLenum target, GLenum name, GLint *values)
{
    (void)target, (void)name, (void)values;
    CHECK_THAT(false, "WebGL has no swizzles");
}

static void GLAD_API_PTR read_buffer(GLenum target, GLintptr offset, GLsizeiptr size, void *data)
{
    PFNGLMAPBUFFERRANGEPROC map;
    PFNGLUNMAPBUFFERPROC unmap;
    const md5gl_proc functions[] = {scene_load(NULL, "glMapBufferRange"),
                                    scene_load(NULL, "glUnmapBuffer")};
    memcpy(&map, &functions[0], sizeof map);
    memcpy(&unmap, &functions[1], sizeof unmap);
    memcpy(data, map(target, offset, size, GL_MAP_READ_BIT), (size_t)size);
    unmap(target);
}

static md5gl_proc load_webgl(void *user, const char *name)
{
    if (strcmp(name, "glMapBufferRange") == 0)
        return NULL;
    if (strcmp(name, "glGetBufferSubData") == 0)
        return (md5gl_proc)read_buffer;
    if (strcmp(name, "glGetString") == 0)
        return (md5gl_proc)webgl_string;
    if (strcmp(name, "glGetTexParameteriv") == 0)
        return (md5gl_proc)refuse_parameter;
    return scene_load(user, name);
}

static md5gl_proc load_without_reading(void *user, const char *name)
{
    return strcmp(name, "glGetBufferSubData") ? load_webgl(user, name) : NULL;
}

// WebGL draws nothing in two cases that other contexts allow: if a uniform block of the program has
// no buffer, or if the texture unit of an integer sampler contains a color texture.
static GladGLContext plain;

// Returns the type of the components of a texture: GL_UNSIGNED_NORMALIZED for colors,
// GL_UNSIGNED_INT for integers, GL_NONE for a texture without texels.
static GLenum component_type(GLuint texture)
{
    GLint bound = 0;
    GLint type = 0;
    GLuint framebuffer = 0;
    plain.GetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &bound);
    plain.GenFramebuffers(1, &framebuffer);
    plain.BindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    plain.FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture,
                               0);
    plain.GetFramebufferAttachmentParameteriv(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                              GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE, &type);
    plain.BindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)bound);
    plain.DeleteFramebuffers(1, &framebuffer);
    return (GLenum)type;
}

// Checks the objects that are bound before a draw: the uniform buffer exists, and `ids` does not
// sample a texture of normalized numbers.
static void check_draw(void)
{
    GLint current = 0;
    GLint unit = 0;
    GLint binding = 0;
    GLint buffer = 0;
    GLint ids = 0;
    plain.GetIntegerv(GL_CURRENT_PROGRAM, &current);
    const GLuint program = (GLuint)current;
    const GLuint block = plain.GetUniformBlockIndex(program, "Frame");
    if (block != GL_INVALID_INDEX) {
        plain.GetActiveUniformBlockiv(program, block, GL_UNIFORM_BLOCK_BINDING, &binding);
        plain.GetIntegeri_v(GL_UNIFORM_BUFFER_BINDING, (GLuint)binding, &buffer);
        CHECK(buffer != 0);
    }
    const GLint sampler = plain.GetUniformLocation(program, "ids");
    if (sampler >= 0) {
        plain.GetUniformiv(program, sampler, &unit);
        plain.ActiveTexture(GL_TEXTURE0 + (GLenum)unit);
        plain.GetIntegerv(GL_TEXTURE_BINDING_2D, &ids);
        CHECK(ids == 0 || component_type((GLuint)ids) != GL_UNSIGNED_NORMALIZED);
    }
}

static void GLAD_API_PTR draw_vertices(GLenum mode, GLint first, GLsizei count)
{
    check_draw();
    plain.DrawArrays(mode, first, count);
}

static void GLAD_API_PTR draw_corners(GLenum mode, GLsizei count, GLenum type, const void *first,
                                      GLsizei num_instances)
{
    check_draw();
    plain.DrawElementsInstanced(mode, count, type, first, num_instances);
}

static void check_outputs(gl_scene *scene, md5_model *model)
{
    md5_error error = {0};
    md5gl_renderer *const renderer = scene->renderer;
    md5gl_target *const target = md5gl_create_outputs(renderer, SCENE_WIDTH, SCENE_HEIGHT, &error);
    md5gl_model *const copy = md5gl_create_model(renderer, model, MD5GL_PATH_4, NULL);
    const md5gl_frame frame = scene_frame(target);
    CHECK(scene_pose(renderer, copy, scene_identities, NULL, 1, NULL));
    md5gl_begin_frame(renderer, &frame);
    CHECK(md5gl_draw_outputs(renderer, copy, &error));
    CHECK_DONE(md5gl_end_frame(renderer, &error), error);
    CHECK_UINT(md5gl_pick(renderer, target, SCENE_WIDTH / 2, SCENE_HEIGHT / 2, NULL, &error), 1);
    md5gl_destroy_model(renderer, copy);
    md5gl_destroy_target(renderer, target);
}

// WebGL lacks texture swizzles and mapped buffers. With a context that lacks both, the renderer
// draws the same pixels as with OpenGL ES.
TEST (gl_webgl_needs_no_swizzles_and_no_mapping) {
    static gl_picture expected;
    static gl_picture picture;
    md5_error error = {0};
    gl_scene scene;
    gl_scene web;
    if (!scene_open_es(&scene))
        return;
    uint64_t random = 6;
    SCOPED_MODEL model = scene_square();
    SCOPED_MODEL cloud = scene_cloud(NUM_JOINTS, NUM_VERTICES, 5, false, &random);
    draw_scene(&scene, model, MD5GL_PATH_4, 1, &expected);
    web = scene;
    web.renderer = md5gl_create_renderer(&(md5gl_opts){.load = load_webgl}, &error);
    if (CHECK_DONE(web.renderer, error)) {
        CHECK(strstr(md5gl_device_name(web.renderer), "WebGL"));
        plain = *scene_gl(web.renderer);
        scene_gl(web.renderer)->DrawArrays = draw_vertices;
        scene_gl(web.renderer)->DrawElementsInstanced = draw_corners;
        draw_scene(&web, model, MD5GL_PATH_4, 1, &picture);
        CHECK_UINT(count_differences(&expected, &picture, 0), 0);
        check_path(&web, cloud, MD5GL_PATH_EXACT, MD5GL_BLEND_LINEAR);
        check_outputs(&web, model);
        md5gl_destroy_renderer(web.renderer);
    }
    md5gl_renderer *const blind =
        md5gl_create_renderer(&(md5gl_opts){.load = load_without_reading}, &error);
    md5gl_model *const copy = md5gl_create_model(blind, cloud, MD5GL_PATH_4, &error);
    md5_mat34 palette[NUM_JOINTS] = {{{0}}};
    md5_vec3 positions[NUM_VERTICES];
    CHECK_FAILS(md5gl_capture(blind, copy, 0, palette, positions, NULL, NULL, &error), error,
                MD5_ERROR_GPU);
    md5gl_destroy_model(blind, copy);
    md5gl_destroy_renderer(blind);
    scene_close(&scene);
}
