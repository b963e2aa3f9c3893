// Resets the GL state that this room changes to GL's defaults.
#include "render/gl_internal.h"

void md5gl_reset_transfers(md5gl_renderer *renderer)
{
    const GladGLContext *gl = &renderer->gl;
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    gl->BindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    static const GLenum zero[] = {
        GL_PACK_SWAP_BYTES,   GL_PACK_ROW_LENGTH,   GL_PACK_SKIP_ROWS,   GL_PACK_SKIP_PIXELS,
        GL_UNPACK_SWAP_BYTES, GL_UNPACK_ROW_LENGTH, GL_UNPACK_SKIP_ROWS, GL_UNPACK_SKIP_PIXELS,
    };
    for (size_t i = 0; i < sizeof zero / sizeof zero[0]; i++)
        gl->PixelStorei(zero[i], 0);
    gl->PixelStorei(GL_PACK_ALIGNMENT, 4);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

static void reset_bindings(const md5gl_renderer *renderer)
{
    const GladGLContext *gl = &renderer->gl;
    gl->UseProgram(0);
    gl->BindVertexArray(0);
    for (GLuint unit = 0; unit < MD5GL_NUM_UNITS; unit++) {
        gl->ActiveTexture(GL_TEXTURE0 + unit);
        gl->BindTexture(GL_TEXTURE_2D, 0);
        gl->BindTexture(GL_TEXTURE_BUFFER, 0);
        gl->BindSampler(unit, 0); // a sampler object would override the textures' own
    }
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindBufferBase(GL_UNIFORM_BUFFER, MD5GL_FRAME_BINDING, 0);
    for (GLuint i = 0; i < MD5GL_NUM_CAPTURED; i++)
        gl->BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, i, 0);
    for (GLuint i = 0; i < MD5GL_NUM_STORAGE_BINDINGS && renderer->has_storage_buffers; i++)
        gl->BindBufferBase(MD5GL_SHADER_STORAGE_BUFFER, i, 0);
    if (renderer->has_storage_buffers)
        gl->BindBuffer(MD5GL_SHADER_STORAGE_BUFFER, 0);
    if (renderer->optional.MultiDrawElementsIndirect)
        gl->BindBuffer(MD5GL_DRAW_INDIRECT_BUFFER, 0);
    static const GLenum buffers[] = {GL_ARRAY_BUFFER, GL_TEXTURE_BUFFER, GL_UNIFORM_BUFFER,
                                     GL_TRANSFORM_FEEDBACK_BUFFER};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        gl->BindBuffer(buffers[i], 0);
    gl->BindRenderbuffer(GL_RENDERBUFFER, 0);
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0); // for drawing and for reading
}

static void reset_fixed_functions(const GladGLContext *gl)
{
    static const GLenum off[] = {
        GL_DEPTH_TEST,
        GL_STENCIL_TEST,
        GL_SCISSOR_TEST,
        GL_CULL_FACE,
        GL_BLEND,
        GL_COLOR_LOGIC_OP,
        GL_POLYGON_OFFSET_FILL,
        GL_POLYGON_OFFSET_LINE,
        GL_FRAMEBUFFER_SRGB,
        GL_RASTERIZER_DISCARD,
        GL_PRIMITIVE_RESTART,
        GL_SAMPLE_ALPHA_TO_COVERAGE,
        GL_SAMPLE_ALPHA_TO_ONE,
        GL_SAMPLE_COVERAGE,
        GL_SAMPLE_MASK,
        GL_DEPTH_CLAMP,
    };
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++)
        gl->Disable(off[i]);
    gl->Enable(GL_MULTISAMPLE);
    gl->DepthMask(GL_TRUE);
    gl->DepthFunc(GL_LESS);
    gl->DepthRange(0.0, 1.0);
    gl->ClearDepth(1.0);
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    gl->CullFace(GL_BACK);
    gl->FrontFace(GL_CCW);
    gl->BlendFunc(GL_ONE, GL_ZERO);
    gl->BlendEquation(GL_FUNC_ADD);
    gl->PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    gl->PolygonOffset(0.0f, 0.0f);
}

void md5gl_reset_state(md5gl_renderer *renderer)
{
    reset_bindings(renderer);
    reset_fixed_functions(&renderer->gl);
    md5gl_reset_transfers(renderer);
}
