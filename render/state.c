// Saves and restores the GL state of the host. Resets the GL state that the renderer changes to
// GL's defaults. State of one kind is listed in a table: glEnable() switches, parameters of pixel
// transfers, and buffer bindings.
#include "render/gl_internal.h"

#include <assert.h>

// Values of `is_desktop`. DESKTOP marks state that OpenGL ES does not have.
enum { ANY, DESKTOP };

// -- Tables -----------------------------------------------------------------------------------

// The switches of glEnable() and glDisable() that the renderer or transfers depend on.
static const struct {
    GLenum name;
    bool is_desktop;
    bool by_default;
} switches[] = {
    {GL_DEPTH_TEST, ANY, false},
    {GL_STENCIL_TEST, ANY, false},
    {GL_SCISSOR_TEST, ANY, false},
    {GL_CULL_FACE, ANY, false},
    {GL_BLEND, ANY, false},
    {GL_POLYGON_OFFSET_FILL, ANY, false},
    {GL_RASTERIZER_DISCARD, ANY, false},
    {GL_SAMPLE_ALPHA_TO_COVERAGE, ANY, false},
    {GL_SAMPLE_COVERAGE, ANY, false},
    {GL_COLOR_LOGIC_OP, DESKTOP, false},
    {GL_POLYGON_OFFSET_LINE, DESKTOP, false},
    {GL_FRAMEBUFFER_SRGB, DESKTOP, false},
    {GL_PRIMITIVE_RESTART, DESKTOP, false},
    {GL_SAMPLE_ALPHA_TO_ONE, DESKTOP, false},
    {GL_SAMPLE_MASK, DESKTOP, false},
    {GL_DEPTH_CLAMP, DESKTOP, false},
    {GL_MULTISAMPLE, DESKTOP, true},
};

// The parameters of glPixelStorei(). They describe the layout of texels in memory when textures are
// uploaded or read.
static const struct {
    GLenum name;
    bool is_desktop;
    GLint by_default;
} pixel_stores[] = {
    {GL_PACK_ALIGNMENT, ANY, 4},      {GL_PACK_ROW_LENGTH, ANY, 0},
    {GL_PACK_SKIP_ROWS, ANY, 0},      {GL_PACK_SKIP_PIXELS, ANY, 0},
    {GL_PACK_SWAP_BYTES, DESKTOP, 0}, {GL_UNPACK_ALIGNMENT, ANY, 4},
    {GL_UNPACK_ROW_LENGTH, ANY, 0},   {GL_UNPACK_SKIP_ROWS, ANY, 0},
    {GL_UNPACK_SKIP_PIXELS, ANY, 0},  {GL_UNPACK_SWAP_BYTES, DESKTOP, 0},
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])
static_assert(COUNT(switches) <= MD5GL_MAX_SWITCHES, "md5gl_host_state.switches is too small");
static_assert(COUNT(pixel_stores) <= MD5GL_MAX_PIXEL_STORES, "pixel_stores is too small");

// Buffer bindings that are not indexed. GL_ELEMENT_ARRAY_BUFFER is not listed, because it belongs
// to the vertex array.
typedef struct buffer_binding {
    GLenum target;
    GLenum query;
} buffer_binding;

// Returns the buffer bindings that this context has, and stores their number in *count. They are
// the first entries of one table. The table begins with the bindings of all contexts. The binding
// that only desktop OpenGL has follows, then the binding of contexts with storage buffers.
static const buffer_binding *get_bindings(const md5gl_renderer *renderer, size_t *count)
{
    // The number of entries for each kind of context.
    enum { NUM_ES_BINDINGS = 5, NUM_DESKTOP_BINDINGS = 6, NUM_STORAGE_BINDINGS = 7 };
    static const buffer_binding all[NUM_STORAGE_BINDINGS] = {
        {GL_ARRAY_BUFFER, GL_ARRAY_BUFFER_BINDING},
        {GL_UNIFORM_BUFFER, GL_UNIFORM_BUFFER_BINDING},
        {GL_TRANSFORM_FEEDBACK_BUFFER, GL_TRANSFORM_FEEDBACK_BUFFER_BINDING},
        {GL_PIXEL_PACK_BUFFER, GL_PIXEL_PACK_BUFFER_BINDING},
        {GL_PIXEL_UNPACK_BUFFER, GL_PIXEL_UNPACK_BUFFER_BINDING},
        {GL_TEXTURE_BUFFER, GL_TEXTURE_BUFFER}, // the query has the same value
        {MD5GL_SHADER_STORAGE_BUFFER, MD5GL_SHADER_STORAGE_BUFFER_BINDING},
    };
    if (renderer->is_es)
        *count = NUM_ES_BINDINGS;
    else if (renderer->has_storage_buffers)
        *count = NUM_STORAGE_BINDINGS;
    else
        *count = NUM_DESKTOP_BINDINGS;
    return all;
}

// Resets the state that affects transfers between memory and textures to GL's defaults: the pixel
// buffers and the layout of texels in memory.
void md5gli_reset_transfers(md5gl_renderer *renderer)
{
    const GladGLContext *gl = &renderer->gl;
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    gl->BindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    for (uint32_t i = 0; i < COUNT(pixel_stores); i++) {
        if (!renderer->is_es || !pixel_stores[i].is_desktop)
            gl->PixelStorei(pixel_stores[i].name, pixel_stores[i].by_default);
    }
}

// -- Saving -----------------------------------------------------------------------------------

// Returns the value of a state variable that is an object name or an enumerator.
static GLuint get_integer(const GladGLContext *gl, GLenum name)
{
    GLint value = 0;
    gl->GetIntegerv(name, &value);
    return (GLuint)value;
}

// Returns the buffer that is bound to an indexed binding point, and the bound range of its bytes.
static md5gl_range_state get_range(const GladGLContext *gl, GLenum binding, GLenum start,
                                   GLenum size, GLuint index)
{
    md5gl_range_state range = {0};
    gl->GetIntegeri_v(binding, index, &range.buffer);
    gl->GetInteger64i_v(start, index, &range.start);
    gl->GetInteger64i_v(size, index, &range.size);
    return range;
}

// Saves the bindings of the program, the vertex array, framebuffers and buffers.
static void save_bindings(const md5gl_renderer *renderer, md5gl_host_state *host)
{
    const GladGLContext *gl = &renderer->gl;
    size_t count;
    const buffer_binding *const bindings = get_bindings(renderer, &count);
    host->program = get_integer(gl, GL_CURRENT_PROGRAM);
    host->array = get_integer(gl, GL_VERTEX_ARRAY_BINDING);
    host->draw_framebuffer = get_integer(gl, GL_DRAW_FRAMEBUFFER_BINDING);
    host->read_framebuffer = get_integer(gl, GL_READ_FRAMEBUFFER_BINDING);
    host->renderbuffer = get_integer(gl, GL_RENDERBUFFER_BINDING);
    for (uint32_t i = 0; i < count; i++)
        host->buffers[i] = get_integer(gl, bindings[i].query);
    host->frame = get_range(gl, GL_UNIFORM_BUFFER_BINDING, GL_UNIFORM_BUFFER_START,
                            GL_UNIFORM_BUFFER_SIZE, MD5GL_FRAME_BINDING);

    for (uint32_t i = 0; i < MD5GL_NUM_CAPTURED; i++)
        host->captured[i] =
            get_range(gl, GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, GL_TRANSFORM_FEEDBACK_BUFFER_START,
                      GL_TRANSFORM_FEEDBACK_BUFFER_SIZE, i);

    if (renderer->has_storage_buffers) {
        for (GLuint i = 0; i < MD5GL_NUM_STORAGE_BINDINGS; i++)
            host->storage[i] =
                get_range(gl, MD5GL_SHADER_STORAGE_BUFFER_BINDING,
                          MD5GL_SHADER_STORAGE_BUFFER_START, MD5GL_SHADER_STORAGE_BUFFER_SIZE, i);
    }
}

// Saves the textures and samplers that are bound to the texture units of the renderer.
static void save_units(const md5gl_renderer *renderer, md5gl_host_state *host)
{
    const GladGLContext *gl = &renderer->gl;
    host->active_unit = get_integer(gl, GL_ACTIVE_TEXTURE);
    for (uint32_t i = 0; i < MD5GL_NUM_UNITS; i++) {
        md5gl_unit_state *const unit = &host->units[i];
        gl->ActiveTexture(GL_TEXTURE0 + i);
        unit->texture = get_integer(gl, GL_TEXTURE_BINDING_2D);
        unit->cube = get_integer(gl, GL_TEXTURE_BINDING_CUBE_MAP);
        if (!renderer->is_es) {
            unit->buffer_texture = get_integer(gl, GL_TEXTURE_BINDING_BUFFER);
            unit->samples = get_integer(gl, GL_TEXTURE_BINDING_2D_MULTISAMPLE);
        }
        unit->sampler = get_integer(gl, GL_SAMPLER_BINDING);
    }
    gl->ActiveTexture(host->active_unit);
}

// Saves the switches and the parameters of pixel transfers.
static void save_tables(const md5gl_renderer *renderer, md5gl_host_state *host)
{
    const GladGLContext *gl = &renderer->gl;
    for (uint32_t i = 0; i < COUNT(switches); i++) {
        if (!renderer->is_es || !switches[i].is_desktop)
            host->switches[i] = gl->IsEnabled(switches[i].name);
    }
    for (uint32_t i = 0; i < COUNT(pixel_stores); i++) {
        if (!renderer->is_es || !pixel_stores[i].is_desktop)
            gl->GetIntegerv(pixel_stores[i].name, &host->pixel_stores[i]);
    }
}

// Saves the state of blending, masks, depth, culling, polygons and the viewport.
static void save_drawing(const md5gl_renderer *renderer, md5gl_host_state *host)
{
    const GladGLContext *gl = &renderer->gl;
    host->blend_functions[0] = get_integer(gl, GL_BLEND_SRC_RGB);
    host->blend_functions[1] = get_integer(gl, GL_BLEND_DST_RGB);
    host->blend_functions[2] = get_integer(gl, GL_BLEND_SRC_ALPHA);
    host->blend_functions[3] = get_integer(gl, GL_BLEND_DST_ALPHA);
    host->blend_equations[0] = get_integer(gl, GL_BLEND_EQUATION_RGB);
    host->blend_equations[1] = get_integer(gl, GL_BLEND_EQUATION_ALPHA);

    gl->GetBooleanv(GL_DEPTH_WRITEMASK, &host->depth_mask);
    gl->GetBooleanv(GL_COLOR_WRITEMASK, host->color_mask);
    gl->GetFloatv(GL_DEPTH_RANGE, host->depth_range);
    gl->GetFloatv(GL_DEPTH_CLEAR_VALUE, &host->clear_depth);
    gl->GetFloatv(GL_COLOR_CLEAR_VALUE, host->clear_color);
    // The offset is `factor` times the slope of a polygon plus `units` times the depth resolution.
    gl->GetFloatv(GL_POLYGON_OFFSET_FACTOR, &host->polygon_offset[0]);
    gl->GetFloatv(GL_POLYGON_OFFSET_UNITS, &host->polygon_offset[1]);

    host->depth_function = get_integer(gl, GL_DEPTH_FUNC);
    host->culled_face = get_integer(gl, GL_CULL_FACE_MODE);
    host->front_face = get_integer(gl, GL_FRONT_FACE);
    if (!renderer->is_es)
        gl->GetIntegerv(GL_POLYGON_MODE, host->polygon_mode);
    gl->GetIntegerv(GL_VIEWPORT, host->viewport);
    gl->GetIntegerv(GL_SCISSOR_BOX, host->scissor);
}

// Saves all GL state of the host that the renderer changes. md5gl_restore_state() sets it again.
void md5gl_save_state(md5gl_renderer *renderer)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NO_FRAME(renderer);
    MD5_ASSERT(!renderer->host.saved, "must be called after md5gl_restore_state()");
    md5gl_host_state *const host = &renderer->host;
    save_bindings(renderer, host);
    save_units(renderer, host);
    save_tables(renderer, host);
    save_drawing(renderer, host);
    host->saved = true;
}

// -- Setting ----------------------------------------------------------------------------------

// Binds a range that get_range() has saved to an indexed binding point. If its size is 0, binds the
// whole buffer.
static void restore_range(const GladGLContext *gl, GLenum target, GLuint index,
                          const md5gl_range_state *range)
{
    if (range->size > 0)
        gl->BindBufferRange(target, index, (GLuint)range->buffer, (GLintptr)range->start,
                            (GLsizeiptr)range->size);
    else
        gl->BindBufferBase(target, index, (GLuint)range->buffer);
}

// Sets the bindings of the program, the vertex array, framebuffers and buffers.
static void set_bindings(const md5gl_renderer *renderer, const md5gl_host_state *state)
{
    const GladGLContext *gl = &renderer->gl;
    size_t count;
    const buffer_binding *const bindings = get_bindings(renderer, &count);
    gl->UseProgram(state->program);
    gl->BindVertexArray(state->array);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, state->draw_framebuffer);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, state->read_framebuffer);
    gl->BindRenderbuffer(GL_RENDERBUFFER, state->renderbuffer);
    // Binding a range also changes the binding without an index. The bindings without an index are
    // therefore set last.
    restore_range(gl, GL_UNIFORM_BUFFER, MD5GL_FRAME_BINDING, &state->frame);
    for (uint32_t i = 0; i < MD5GL_NUM_CAPTURED; i++)
        restore_range(gl, GL_TRANSFORM_FEEDBACK_BUFFER, i, &state->captured[i]);
    if (renderer->has_storage_buffers) {
        for (GLuint i = 0; i < MD5GL_NUM_STORAGE_BINDINGS; i++)
            restore_range(gl, MD5GL_SHADER_STORAGE_BUFFER, i, &state->storage[i]);
    }
    for (uint32_t i = 0; i < count; i++)
        gl->BindBuffer(bindings[i].target, state->buffers[i]);
}

// Binds textures and samplers to the texture units that the renderer uses.
static void set_units(md5gl_renderer *renderer, const md5gl_host_state *state)
{
    const GladGLContext *gl = &renderer->gl;
    for (uint32_t i = 0; i < MD5GL_NUM_UNITS; i++) {
        const md5gl_unit_state *const unit = &state->units[i];
        renderer->bound[i] = 0; // unknown: the next draw binds its texture
        gl->ActiveTexture(GL_TEXTURE0 + i);
        gl->BindTexture(GL_TEXTURE_2D, unit->texture);
        gl->BindTexture(GL_TEXTURE_CUBE_MAP, unit->cube);
        if (!renderer->is_es) {
            gl->BindTexture(GL_TEXTURE_BUFFER, unit->buffer_texture);
            gl->BindTexture(GL_TEXTURE_2D_MULTISAMPLE, unit->samples);
        }
        gl->BindSampler(i, unit->sampler); // a sampler overrides the parameters of textures
    }
    gl->ActiveTexture(state->active_unit);
}

// Sets the switches and the parameters of pixel transfers.
static void set_tables(const md5gl_renderer *renderer, const md5gl_host_state *state)
{
    const GladGLContext *gl = &renderer->gl;
    for (uint32_t i = 0; i < COUNT(switches); i++) {
        if (renderer->is_es && switches[i].is_desktop)
            continue;
        if (state->switches[i])
            gl->Enable(switches[i].name);
        else
            gl->Disable(switches[i].name);
    }
    for (uint32_t i = 0; i < COUNT(pixel_stores); i++) {
        if (!renderer->is_es || !pixel_stores[i].is_desktop)
            gl->PixelStorei(pixel_stores[i].name, state->pixel_stores[i]);
    }
}

// Sets the state of blending, masks, depth, culling and polygons.
static void set_drawing(const md5gl_renderer *renderer, const md5gl_host_state *state)
{
    const GladGLContext *gl = &renderer->gl;
    const GLuint *const blend = state->blend_functions;
    const GLboolean *const mask = state->color_mask;
    gl->BlendFuncSeparate(blend[0], blend[1], blend[2], blend[3]);
    gl->BlendEquationSeparate(state->blend_equations[0], state->blend_equations[1]);
    gl->DepthMask(state->depth_mask);
    gl->ColorMask(mask[0], mask[1], mask[2], mask[3]);
    gl->PolygonOffset(state->polygon_offset[0], state->polygon_offset[1]);
    gl->DepthFunc(state->depth_function);
    gl->CullFace(state->culled_face);
    gl->FrontFace(state->front_face);

    if (renderer->is_es) { // functions of ES take floats, functions of OpenGL 3.3 take doubles
        gl->DepthRangef(state->depth_range[0], state->depth_range[1]);
        gl->ClearDepthf(state->clear_depth);
        return;
    }
    gl->DepthRange(state->depth_range[0], state->depth_range[1]);
    gl->ClearDepth(state->clear_depth);
    gl->PolygonMode(GL_FRONT_AND_BACK, (GLenum)state->polygon_mode[0]);
}

// Sets all state that md5gl_host_state contains, except the viewport, the scissor box and the clear
// color. The renderer sets these three before each use, so they need no reset.
static void set_state(md5gl_renderer *renderer, const md5gl_host_state *state)
{
    set_bindings(renderer, state);
    set_units(renderer, state);
    set_tables(renderer, state);
    set_drawing(renderer, state);
}

// Sets all GL state that the renderer changes to the defaults of GL.
void md5gli_reset_state(md5gl_renderer *renderer)
{
    md5gl_host_state state = {
        .active_unit = GL_TEXTURE0,
        .depth_mask = GL_TRUE,
        .color_mask = {GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE},
        .depth_range = {0.0f, 1.0f},
        .clear_depth = 1.0f,
        .depth_function = GL_LESS,
        .culled_face = GL_BACK,
        .front_face = GL_CCW,
        .polygon_mode = {GL_FILL},
        .blend_functions = {GL_ONE, GL_ZERO, GL_ONE, GL_ZERO},
        .blend_equations = {GL_FUNC_ADD, GL_FUNC_ADD},
    };
    for (uint32_t i = 0; i < COUNT(switches); i++)
        state.switches[i] = switches[i].by_default;
    for (uint32_t i = 0; i < COUNT(pixel_stores); i++)
        state.pixel_stores[i] = pixel_stores[i].by_default;
    set_state(renderer, &state);
}

// Restores the GL state of the host that md5gl_save_state() saved.
void md5gl_restore_state(md5gl_renderer *renderer)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NO_FRAME(renderer);
    MD5_ASSERT(renderer->host.saved, "must be called after md5gl_save_state()");
    md5gl_host_state *const host = &renderer->host;
    const GladGLContext *gl = &renderer->gl;
    const GLint *const view = host->viewport;
    const GLint *const scissor = host->scissor;
    const GLfloat *const clear = host->clear_color;
    set_state(renderer, host);
    gl->ClearColor(clear[0], clear[1], clear[2], clear[3]);
    gl->Viewport(view[0], view[1], view[2], view[3]);
    gl->Scissor(scissor[0], scissor[1], scissor[2], scissor[3]);
    host->saved = false;
}
