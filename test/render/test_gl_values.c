#include "test/render/test_gl_values.h"

#include "render/gl_internal.h"

#include <math.h>

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

// -- Reading ----------------------------------------------------------------------------------

static void add(gl_values *values, const char *name, int index, double value, double by_default)
{
    if (CHECK(values->count < GL_MAX_VALUES))
        values->list[values->count++] = (gl_value){name, index, value, by_default};
}

static void add_unit(const GladGLContext *gl, bool es, GLuint unit, gl_values *values)
{
    static const struct {
        GLenum name;
        const char *text;
    } bindings[] = {{GL_TEXTURE_BINDING_2D, "GL_TEXTURE_BINDING_2D"},
                    {GL_SAMPLER_BINDING, "GL_SAMPLER_BINDING"},
                    {GL_TEXTURE_BINDING_BUFFER, "GL_TEXTURE_BINDING_BUFFER"}};
    gl->ActiveTexture(GL_TEXTURE0 + unit);
    for (int k = 0; k < (es ? 2 : 3); k++) {
        GLint bound = -1;
        gl->GetIntegerv(bindings[k].name, &bound);
        add(values, bindings[k].text, (int)unit, bound, 0);
    }
}

// Adds the buffer, the start and the size of each indexed binding.
static void add_ranges(const GladGLContext *gl, const char *name, GLenum binding, GLenum start,
                       GLenum size, GLuint count, gl_values *values)
{
    for (GLuint i = 0; i < count; i++) {
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

static void add_buffers(const gl_scene *scene, gl_values *values)
{
    const GladGLContext *const gl = &scene->renderer->gl;
    GLint major = 0, minor = 0, commands = 0;
    add_ranges(gl, "GL_UNIFORM_BUFFER", GL_UNIFORM_BUFFER_BINDING, GL_UNIFORM_BUFFER_START,
               GL_UNIFORM_BUFFER_SIZE, 1, values);
    add_ranges(gl, "GL_TRANSFORM_FEEDBACK_BUFFER", GL_TRANSFORM_FEEDBACK_BUFFER_BINDING,
               GL_TRANSFORM_FEEDBACK_BUFFER_START, GL_TRANSFORM_FEEDBACK_BUFFER_SIZE, 3, values);
    gl->GetIntegerv(GL_MAJOR_VERSION, &major);
    gl->GetIntegerv(GL_MINOR_VERSION, &minor);
    if (scene->renderer->is_es || 10 * major + minor < 43)
        return;
    // GL_SHADER_STORAGE_BUFFER_BINDING, START, SIZE; GL_DRAW_INDIRECT_BUFFER_BINDING.
    add_ranges(gl, "GL_SHADER_STORAGE_BUFFER", 0x90D3, 0x90D4, 0x90D5, 8, values);
    gl->GetIntegerv(0x8F43, &commands);
    add(values, "GL_DRAW_INDIRECT_BUFFER", 0, commands, 0);
}

void values_read(const gl_scene *scene, gl_values *values)
{
    const GladGLContext *const gl = &scene->renderer->gl;
    const bool es = scene->renderer->is_es;
    values->count = 0;
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        GLfloat read[4] = {-1, -1, -1, -1};
        if (states[i].desktop && es)
            continue;
        gl->GetFloatv(states[i].name, read);
        for (int k = 0; k < states[i].count; k++)
            add(values, states[i].text, k, (double)read[k], states[i].defaults[k]);
    }
    add_buffers(scene, values);
    GLint active = GL_TEXTURE0;
    gl->GetIntegerv(GL_ACTIVE_TEXTURE, &active);
    for (GLuint unit = 0; unit < MD5GL_NUM_UNITS; unit++)
        add_unit(gl, es, unit, values);
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
        test_check(isnan(value->by_default) || value->value == value->by_default, __FILE__,
                   __LINE__, "%s[%d] is %g after %s, by default it is %g", value->name,
                   value->index, value->value, when, value->by_default);
    }
}

void values_are_equal(const gl_values *found, const gl_values *expected, const char *when)
{
    CHECK_UINT((uint64_t)found->count, (uint64_t)expected->count);
    for (int i = 0; i < found->count; i++)
        test_check(found->list[i].value == expected->list[i].value, __FILE__, __LINE__,
                   "%s[%d] is %g after %s, it was %g", found->list[i].name, found->list[i].index,
                   found->list[i].value, when, expected->list[i].value);
}

// -- Disturbing -------------------------------------------------------------------------------

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
    const GladGLContext *const gl = &scene->renderer->gl;
    static const GLenum storage = 0x90D2;
    make_buffer(gl, GL_ARRAY_BUFFER);
    make_buffer(gl, GL_PIXEL_UNPACK_BUFFER);
    make_buffer(gl, GL_PIXEL_PACK_BUFFER);
    gl->BindBufferRange(GL_UNIFORM_BUFFER, 0, make_buffer(gl, GL_UNIFORM_BUFFER), 256, 512);
    make_buffer(gl, GL_UNIFORM_BUFFER);
    for (GLuint i = 0; i < 3; i++)
        gl->BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, i,
                           make_buffer(gl, GL_TRANSFORM_FEEDBACK_BUFFER));
    if (scene->renderer->is_es)
        return;
    make_buffer(gl, GL_TEXTURE_BUFFER);
    for (GLuint i = 0; i < 3 && scene->renderer->has_storage_buffers; i++)
        gl->BindBufferBase(storage, i, make_buffer(gl, storage));
}

static void bind_objects(const gl_scene *scene)
{
    const GladGLContext *const gl = &scene->renderer->gl;
    GLuint array, storage, samplers[MD5GL_NUM_UNITS], textures[MD5GL_NUM_UNITS];
    gl->GenVertexArrays(1, &array);
    gl->BindVertexArray(array);
    bind_buffers(scene);
    gl->GenRenderbuffers(1, &storage);
    gl->BindRenderbuffer(GL_RENDERBUFFER, storage);
    gl->GenSamplers(MD5GL_NUM_UNITS, samplers); // the default filter needs mipmaps
    gl->GenTextures(MD5GL_NUM_UNITS, textures);
    for (GLuint unit = 0; unit < MD5GL_NUM_UNITS; unit++) {
        gl->BindSampler(unit, samplers[unit]);
        gl->ActiveTexture(GL_TEXTURE0 + unit);
        gl->BindTexture(GL_TEXTURE_2D, textures[unit]);
    }
}

static void disturb_desktop(const GladGLContext *gl)
{
    static const GLenum on[] = {GL_COLOR_LOGIC_OP, GL_FRAMEBUFFER_SRGB, GL_DEPTH_CLAMP,
                                GL_POLYGON_OFFSET_LINE, GL_SAMPLE_ALPHA_TO_ONE};
    for (size_t i = 0; i < sizeof on / sizeof on[0]; i++)
        gl->Enable(on[i]);
    gl->Disable(GL_MULTISAMPLE);
    gl->LogicOp(GL_INVERT);
    gl->DepthRange(1.0, 0.0);
    gl->ClearDepth(0.0);
    gl->PolygonMode(GL_FRONT_AND_BACK, GL_POINT);
}

void values_disturb(const gl_scene *scene)
{
    const GladGLContext *const gl = &scene->renderer->gl;
    static const GLenum on[] = {
        GL_SCISSOR_TEST,    GL_STENCIL_TEST,        GL_RASTERIZER_DISCARD,
        GL_SAMPLE_COVERAGE, GL_POLYGON_OFFSET_FILL, GL_BLEND,
        GL_DEPTH_TEST,      GL_CULL_FACE,           GL_SAMPLE_ALPHA_TO_COVERAGE};
    bind_objects(scene);
    for (size_t i = 0; i < sizeof on / sizeof on[0]; i++)
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
    gl->PolygonOffset(-500.0f, -400.0f);
    gl->BlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_DST_ALPHA, GL_DST_COLOR, GL_SRC_COLOR);
    gl->BlendEquationSeparate(GL_FUNC_REVERSE_SUBTRACT, GL_MAX);
    gl->SampleCoverage(0.0f, GL_FALSE);
    gl->PixelStorei(GL_PACK_ROW_LENGTH, 1000);
    gl->PixelStorei(GL_PACK_ALIGNMENT, 8);
    gl->PixelStorei(GL_UNPACK_SKIP_ROWS, 3);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 8);
    if (scene->renderer->is_es) {
        gl->DepthRangef(1.0f, 0.0f);
        gl->ClearDepthf(0.0f);
    } else {
        disturb_desktop(gl);
    }
}
