// Off-screen targets, frames, and reading images back.
//
// A frame is the time between md5gl_begin_frame() and md5gl_end_frame(). In this time, the renderer
// draws into one target or one framebuffer of the host. Camera and lights do not change during a
// frame.
#include "render/gl_internal.h"

#include <math.h>
#include <string.h>

// -- Targets --------------------------------------------------------------------------------

enum { OUTPUT_NORMALS, OUTPUT_MOTION, OUTPUT_IDS, NUM_OUTPUTS }; // locations of outputs.frag

// An off-screen image. A multisampled target has two framebuffers. Frames are drawn into `drawn`.
// Resolving averages the samples of each pixel into `readable`. In all other targets both are the
// same framebuffer.
struct md5gl_target {
    uint32_t width;
    uint32_t height;
    uint32_t samples;
    GLuint drawn;                // framebuffer that frames are drawn into
    GLuint readable;             // framebuffer that is read
    GLuint color;                // texture of `readable`
    GLuint depth;                // texture of `readable`; 0 if multisampled
    GLuint outputs[NUM_OUTPUTS]; // textures of `readable` instead of `color`
    GLuint color_samples;        // multisampled color: a texture, in OpenGL ES a renderbuffer
    GLuint depth_samples;        // multisampled depth: a renderbuffer
};

// Creates a multisampled renderbuffer and attaches it to the bound framebuffer.
static GLuint create_renderbuffer(const GladGLContext *gl, const md5gl_target *target,
                                  GLenum format, GLenum attachment)
{
    GLuint storage = 0;
    gl->GenRenderbuffers(1, &storage);
    gl->BindRenderbuffer(GL_RENDERBUFFER, storage);
    gl->RenderbufferStorageMultisample(GL_RENDERBUFFER, (GLsizei)target->samples, format,
                                       (GLsizei)target->width, (GLsizei)target->height);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, storage);
    return storage;
}

// The format of a texture of a framebuffer. `components` and `type` describe the layout of texels
// in memory. GL requires it, although no texels are uploaded.
typedef struct texture_form {
    GLenum attachment;
    GLenum format;
    GLenum components;
    GLenum type;
    GLint filter;
} texture_form;

static const texture_form color_form = {GL_COLOR_ATTACHMENT0, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE,
                                        GL_LINEAR};
static const texture_form depth_form = {GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT24,
                                        GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, GL_NEAREST};
static const texture_form output_forms[NUM_OUTPUTS] = {
    {GL_COLOR_ATTACHMENT0, GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, GL_NEAREST},
    {GL_COLOR_ATTACHMENT1, GL_RG16F, GL_RG, GL_HALF_FLOAT, GL_NEAREST},
    {GL_COLOR_ATTACHMENT2, GL_RG32UI, GL_RG_INTEGER, GL_UNSIGNED_INT, GL_NEAREST},
};

// Creates a texture and attaches it to the bound framebuffer. `kind` is GL_TEXTURE_2D, or
// GL_TEXTURE_2D_MULTISAMPLE with the target's number of samples.
static GLuint create_attached_texture(const GladGLContext *gl, const md5gl_target *target,
                                      GLenum kind, const texture_form *form)
{
    const GLsizei width = (GLsizei)target->width;
    const GLsizei height = (GLsizei)target->height;
    GLuint texture = 0;
    gl->GenTextures(1, &texture);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(kind, texture);
    if (kind == GL_TEXTURE_2D) {
        gl->TexImage2D(kind, 0, (GLint)form->format, width, height, 0, form->components, form->type,
                       NULL);
        gl->TexParameteri(kind, GL_TEXTURE_MAX_LEVEL, 0);
        md5gli_set_sampling(gl, kind, false, form->filter, form->filter);
    } else {
        gl->TexImage2DMultisample(kind, (GLsizei)target->samples, form->format, width, height,
                                  GL_TRUE);
    }
    gl->BindTexture(kind, 0);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, form->attachment, kind, texture, 0);
    return texture;
}

// Returns true if the bound framebuffer of a target is complete. Otherwise fills the error.
static bool check_target(md5gl_renderer *renderer, const md5gl_target *target, md5_error *error)
{
    if (!md5gli_check(renderer, "creating a target", error))
        return false;
    const GLenum state = renderer->gl.CheckFramebufferStatus(GL_FRAMEBUFFER);
    if (state == GL_FRAMEBUFFER_COMPLETE)
        return true;
    const char *cause = "";
    if (target->outputs[OUTPUT_MOTION] && renderer->is_es)
        cause = ": motion vectors need EXT_color_buffer_float in OpenGL ES";
    return md5gli_fail(
        error, MD5_ERROR_GPU,
        "OpenGL does not support this render target of %u x %u pixels (status 0x%04x)%s",
        target->width, target->height, state, cause);
}

// Creates the framebuffer that frames of a multisampled target are drawn into. Leaves it bound.
// Returns false and fills the error on failure.
static bool create_multisampled(md5gl_renderer *renderer, md5gl_target *target, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    gl->GenFramebuffers(1, &target->drawn);
    gl->BindFramebuffer(GL_FRAMEBUFFER, target->drawn);
    if (renderer->is_es)
        target->color_samples = create_renderbuffer(gl, target, GL_RGBA8, GL_COLOR_ATTACHMENT0);
    else
        target->color_samples =
            create_attached_texture(gl, target, GL_TEXTURE_2D_MULTISAMPLE, &color_form);
    target->depth_samples =
        create_renderbuffer(gl, target, GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT);
    const bool created = check_target(renderer, target, error);
    gl->GetIntegerv(GL_SAMPLES, (GLint *)&target->samples); // can be more than requested
    return created;
}

// The textures of a target.
typedef enum target_content {
    TARGET_COLOR,
    TARGET_OUTPUTS, // normals, motion vectors and ids
} target_content;

// Creates the textures for normals, motion vectors and ids, attaches them to the bound framebuffer,
// and makes it write all of them.
static void create_output_textures(const GladGLContext *gl, md5gl_target *target)
{
    GLenum attachments[NUM_OUTPUTS];
    for (uint32_t i = 0; i < NUM_OUTPUTS; i++) {
        target->outputs[i] = create_attached_texture(gl, target, GL_TEXTURE_2D, &output_forms[i]);
        attachments[i] = output_forms[i].attachment;
    }
    gl->DrawBuffers(NUM_OUTPUTS, attachments);
}

// Creates the framebuffer from which the image is read. Frames are also drawn into it, unless the
// target is multisampled. Leaves it bound. Returns false and fills the error on failure.
static bool create_readable(md5gl_renderer *renderer, md5gl_target *target, target_content content,
                            md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    gl->GenFramebuffers(1, &target->readable);
    gl->BindFramebuffer(GL_FRAMEBUFFER, target->readable);
    if (content == TARGET_OUTPUTS)
        create_output_textures(gl, target);
    else
        target->color = create_attached_texture(gl, target, GL_TEXTURE_2D, &color_form);
    if (target->samples <= 1) {
        target->depth = create_attached_texture(gl, target, GL_TEXTURE_2D, &depth_form);
        target->drawn = target->readable;
    }
    return check_target(renderer, target, error);
}

// Creates the framebuffers of a target. Returns false and fills the error on failure.
static bool create_framebuffers(md5gl_renderer *renderer, md5gl_target *target,
                                target_content content, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    bool created = true;
    if (target->samples > 1)
        created = create_multisampled(renderer, target, error);
    if (created)
        created = create_readable(renderer, target, content, error);
    gl->BindRenderbuffer(GL_RENDERBUFFER, 0);
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    return created;
}

// Creates a target. `samples` is the number of samples per pixel, which is reduced to the limit of
// the context. Returns NULL and fills the error on failure.
static md5gl_target *create_target(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                   uint32_t samples, target_content content, md5_error *error)
{
    if (!renderer) {
        md5gli_fail_missing(error, "renderer");
        return NULL;
    }
    MD5GL_ASSERT_NO_FRAME(renderer);
    const uint32_t limit = renderer->max_target_size;
    const bool is_empty = width == 0 || height == 0;
    if (is_empty || width > limit || height > limit) {
        md5gli_fail(
            error, MD5_ERROR_GPU,
            "render target size is out of range: expected 1 to %u pixels per side, found %u x %u",
            limit, width, height);
        return NULL;
    }

    md5gl_target *const target = MD5GL_NEW(renderer, md5gl_target, 1, error);
    md5gli_set_kind(target, MD5GL_KIND_TARGET);
    if (!target)
        return NULL;
    target->width = width;
    target->height = height;
    target->samples = samples < renderer->max_samples ? samples : renderer->max_samples;

    (void)md5gli_clear_errors(renderer);
    md5gli_reset_transfers(renderer);
    if (create_framebuffers(renderer, target, content, error))
        return target;
    md5gl_destroy_target(renderer, target);
    return NULL;
}

// Creates an off-screen framebuffer of `width` x `height` pixels with color and depth. `samples`
// above 1 creates a multisampled framebuffer with that number of samples per pixel. The number is
// reduced to the maximum of the device.
md5gl_target *md5gl_create_target(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                  uint32_t samples, md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    return create_target(renderer, width, height, samples, TARGET_COLOR, error);
}

// Creates an off-screen framebuffer for md5gl_draw_outputs(), with one sample per pixel.
md5gl_target *md5gl_create_outputs(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                   md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    return create_target(renderer, width, height, 1, TARGET_OUTPUTS, error);
}

// Destroys a target and its textures. `target` may be NULL.
void md5gl_destroy_target(md5gl_renderer *renderer, md5gl_target *target)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_ALIVE(target, TARGET);
    if (!target)
        return;

    const GladGLContext *gl = &renderer->gl;
    gl->DeleteFramebuffers(1, &target->readable);
    if (target->drawn != target->readable)
        gl->DeleteFramebuffers(1, &target->drawn);
    gl->DeleteTextures(1, &target->color);
    gl->DeleteTextures(1, &target->depth);
    gl->DeleteTextures(NUM_OUTPUTS, target->outputs);
    if (renderer->is_es)
        gl->DeleteRenderbuffers(1, &target->color_samples);
    else
        gl->DeleteTextures(1, &target->color_samples);
    gl->DeleteRenderbuffers(1, &target->depth_samples);
    md5gli_free(renderer, target);
}

// Returns the GL names of a target, for example to use its image as a texture.
md5gl_target_names md5gl_get_target_names(const md5gl_target *target)
{
    MD5GL_ASSERT_ALIVE(target, TARGET);
    return (md5gl_target_names){.framebuffer = target->drawn,
                                .color = target->color,
                                .depth = target->depth,
                                .normals = target->outputs[OUTPUT_NORMALS],
                                .motion = target->outputs[OUTPUT_MOTION],
                                .ids = target->outputs[OUTPUT_IDS]};
}

// Copies the colors of `from`, a framebuffer of the target, to the framebuffer `to` of width x
// height pixels. If `from` is multisampled, each pixel becomes the average of its samples. If the
// sizes differ, the image is scaled.
static void copy_colors(const GladGLContext *gl, const md5gl_target *target, GLuint from, GLuint to,
                        uint32_t width, uint32_t height)
{
    const bool has_same_size = width == target->width && height == target->height;
    const GLenum filter = has_same_size ? GL_NEAREST : GL_LINEAR;
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, from);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
    gl->BlitFramebuffer(0, 0, (GLint)target->width, (GLint)target->height, 0, 0, (GLint)width,
                        (GLint)height, GL_COLOR_BUFFER_BIT, filter);
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
}

// Copies the image of a target into a framebuffer of the host, scaled to width x height pixels.
bool md5gl_copy_target(md5gl_renderer *renderer, const md5gl_target *target, uint32_t framebuffer,
                       uint32_t width, uint32_t height, md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_ALIVE(target, TARGET);
    if (!renderer || !target) {
        md5gli_fail_missing(error, renderer ? "target" : "renderer");
        return false;
    }
    MD5GL_ASSERT_NO_FRAME(renderer);
    (void)md5gli_clear_errors(renderer);
    copy_colors(&renderer->gl, target, target->readable, framebuffer, width, height);
    return md5gli_check(renderer, "copying a target", error);
}

// Draws all pixels of a framebuffer with a program that filters `texture`, a texture of the target.
// The framebuffer has the size of the target. `kind` is GL_TEXTURE_2D or GL_TEXTURE_2D_MULTISAMPLE.
// Returns false and fills the error if the program cannot be built.
static bool repaint(md5gl_renderer *renderer, const md5gl_target *target,
                    enum md5gl_fixed_program which, GLenum kind, GLuint texture, GLuint framebuffer,
                    md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    md5gli_reset_state(renderer);
    const md5gl_program *const program = md5gli_get_fixed_program(renderer, which, error);
    if (!program)
        return false;
    gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl->Viewport(0, 0, (GLsizei)target->width, (GLsizei)target->height);
    gl->UseProgram(program->name);
    gl->BindVertexArray(renderer->empty_array);
    md5gli_bind_texture(renderer, program, MD5GL_UNIT_TEXTURE, kind, texture);
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
    md5gli_reset_state(renderer);
    return true;
}

// Copies the image of a target into a framebuffer of the host and smooths jagged edges with a
// filter.
bool md5gl_smooth_target(md5gl_renderer *renderer, const md5gl_target *target, uint32_t framebuffer,
                         md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_ALIVE(target, TARGET);
    if (!renderer || !target) {
        md5gli_fail_missing(error, renderer ? "target" : "renderer");
        return false;
    }
    MD5GL_ASSERT_NO_FRAME(renderer);
    MD5_ASSERT(target->color != 0, "target: must be created by md5gl_create_target()");
    (void)md5gli_clear_errors(renderer);
    return repaint(renderer, target, MD5GL_PROGRAM_SMOOTH, GL_TEXTURE_2D, target->color,
                   framebuffer, error)
           && md5gli_check(renderer, "smoothing a target", error);
}

// -- Frames ---------------------------------------------------------------------------------

// Computes the position of the camera for shaders, with w = 1. If the projection is orthographic,
// computes the direction to the camera instead, with w = 0. The view matrix is rigid, so the
// transpose of its rotation is the inverse.
static void compute_eye(const md5gl_frame *frame, float eye[4])
{
    const float *const view = frame->view_from_world.m;
    const bool has_perspective = frame->clip_from_view.m[11] != 0.0f;
    for (uint32_t axis = 0; axis < 3; axis++) {
        const float *const column = view + 4 * axis;
        if (has_perspective)
            eye[axis] = -(column[0] * view[12] + column[1] * view[13] + column[2] * view[14]);
        else
            eye[axis] = column[2];
    }
    eye[3] = has_perspective ? 1.0f : 0.0f;
}

// Normalizes the direction to the light. A direction that is zero or not finite becomes straight
// up.
static void normalize_light(md5_vec3 direction, float unit[3])
{
    const float length = sqrtf(md5_vec3_dot(direction, direction));
    const bool is_direction = length > 0.0f && isfinite(length);
    unit[0] = is_direction ? direction.x / length : 0.0f;
    unit[1] = is_direction ? direction.y / length : 0.0f;
    unit[2] = is_direction ? direction.z / length : 1.0f;
}

// Writes the matrices of the current and the previous frame to the uniform block. Shaders compute
// motion vectors from the difference. If the host leaves the previous matrix at zeros, the camera
// has not moved, and the current matrix is written twice. Points at rest then have motion vectors
// of exactly 0.
static void write_camera_matrices(const md5gl_frame *frame, md5gl_frame_block *block)
{
    static const md5_mat44 unset = {{0}};
    const md5_mat44 current = md5_mat44_mul(frame->clip_from_view, frame->view_from_world);
    md5_mat44 previous = frame->previous_clip_from_world;
    if (memcmp(&previous, &unset, sizeof unset) == 0)
        previous = current;
    memcpy(block->clip_from_world, current.m, sizeof block->clip_from_world);
    memcpy(block->previous_clip_from_world, previous.m, sizeof block->previous_clip_from_world);
}

// Returns the uniform block of a frame, which contains all values of the frame that shaders read.
// The values of environments and shadows are added later.
static md5gl_frame_block describe_frame(const md5gl_frame *frame)
{
    md5gl_frame_block block;
    memset(&block, 0, sizeof block);
    write_camera_matrices(frame, &block);
    compute_eye(frame, block.eye);
    normalize_light(frame->light_direction, block.light_direction);
    memcpy(block.light, frame->light, sizeof frame->light);
    memcpy(block.ambient, frame->ambient, sizeof frame->ambient);
    block.viewport[0] = (float)frame->width;
    block.viewport[1] = (float)frame->height;
    block.viewport[2] = 1.0f / (float)frame->width;
    block.viewport[3] = 1.0f / (float)frame->height;
    block.origin[0] = (float)frame->x;
    block.origin[1] = (float)frame->y;
    block.mode[0] = frame->lighting == MD5GL_LIGHTING_CLASSIC ? 1.0f : 0.0f;
    block.mode[1] = frame->tone_mapped ? 1.0f : 0.0f;
    return block;
}

// Binds the framebuffer, viewport and uniform block of the current frame.
void md5gli_bind_frame(md5gl_renderer *renderer)
{
    const GladGLContext *gl = &renderer->gl;
    gl->BindFramebuffer(GL_FRAMEBUFFER, renderer->framebuffer);
    gl->Viewport((GLint)renderer->x, (GLint)renderer->y, (GLsizei)renderer->width,
                 (GLsizei)renderer->height);
    gl->BindBufferBase(GL_UNIFORM_BUFFER, MD5GL_FRAME_BINDING, renderer->frame_block);
}

// Sets the GL state of a frame where it differs from GL's defaults. All draws expect this state.
static void set_frame_state(md5gl_renderer *renderer)
{
    const GladGLContext *gl = &renderer->gl;
    md5gli_bind_frame(renderer);
    md5gli_bind_texture(renderer, NULL, MD5GL_UNIT_ENVIRONMENT, GL_TEXTURE_2D,
                        renderer->reflections);
    // Shadow maps use the consecutive texture units MD5GL_UNIT_SUN to MD5GL_UNIT_SPOTS. Only
    // programs for frames with shadows of spot lights sample MD5GL_UNIT_SPOTS, which is the last of
    // these units. Without such shadows it is therefore not bound.
    const bool has_spot_shadows = renderer->end_map > MD5GL_MAP_SPOT;
    const uint32_t num_units = MD5GL_NUM_SHADOW_UNITS;
    md5gli_bind_shadows(renderer, MD5GL_UNIT_SUN, has_spot_shadows ? num_units : num_units - 1);
    gl->BlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    gl->DepthFunc(GL_LEQUAL); // later draws replace coplanar surfaces
    gl->FrontFace(renderer->front_face);
}

// Sets all GL state for drawing again. Call it within a frame, after the host's own GL calls and
// before the next drawing function of md5gl.
void md5gl_resume_frame(md5gl_renderer *renderer)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_IN_FRAME(renderer);
    md5gli_reset_state(renderer);
    set_frame_state(renderer);
}

// Clears the viewport to the background of a frame. The scissor test limits clearing to the
// viewport, which can be a part of the framebuffer.
static void clear_viewport(md5gl_renderer *renderer, const md5gl_frame *frame)
{
    static const GLfloat nothing[4] = {0.0f};
    static const GLuint no_id[4] = {0};
    const GladGLContext *gl = &renderer->gl;
    // The framebuffer contains colors multiplied by alpha. When the samples of a pixel are
    // averaged, each color is then weighted by its coverage.
    const float *const color = frame->background;
    const float alpha = color[3];
    gl->ClearColor(color[0] * alpha, color[1] * alpha, color[2] * alpha, alpha);
    gl->Scissor((GLint)frame->x, (GLint)frame->y, (GLsizei)frame->width, (GLsizei)frame->height);
    gl->Enable(GL_SCISSOR_TEST);
    if (renderer->has_outputs) { // glClear() is not defined for integers
        gl->ClearBufferfv(GL_COLOR, OUTPUT_NORMALS, nothing);
        gl->ClearBufferfv(GL_COLOR, OUTPUT_MOTION, nothing);
        gl->ClearBufferuiv(GL_COLOR, OUTPUT_IDS, no_id);
    }
    gl->Clear(GL_DEPTH_BUFFER_BIT | (renderer->has_outputs ? 0 : GL_COLOR_BUFFER_BIT));
    gl->Disable(GL_SCISSOR_TEST);
}

// Stores the framebuffer and the viewport of a frame.
static void set_frame_target(md5gl_renderer *renderer, const md5gl_frame *frame)
{
    const md5gl_target *const target = frame->target;
    renderer->target = frame->target;
    renderer->has_outputs = target && target->outputs[OUTPUT_IDS] != 0;
    renderer->framebuffer = target ? target->drawn : frame->framebuffer;
    renderer->x = frame->x;
    renderer->y = frame->y;
    renderer->width = frame->width;
    renderer->height = frame->height;
}

// Returns the winding of front faces in the image. It is id's winding, clockwise, unless the
// projection mirrors the image. Hosts use such a projection if the first row of their framebuffer
// is the top row.
//
// A view matrix that mirrors does not change the winding. It is used for models in a left-handed
// space, and mirrors their triangles back. Shadow maps are drawn without culling, so they need no
// winding.
static GLenum frame_winding(const md5gl_frame *frame)
{
    const float *const m = frame->clip_from_view.m;
    const float determinant = m[0] * m[5] - m[1] * m[4];
    return determinant < 0.0f ? GL_CCW : GL_CW;
}

// Returns true if the frame converts alpha to coverage, which requires several samples per pixel.
// The alpha that such a draw stores must nevertheless be 1. OpenGL can store 1 instead of the alpha
// of the shader. OpenGL ES can only leave the stored alpha unchanged, so there the alpha of the
// whole target must be 1 already.
static bool uses_coverage(const md5gl_renderer *renderer)
{
    GLint samples = 0;
    renderer->gl.GetIntegerv(GL_SAMPLES, &samples);
    return samples > 1 && (!renderer->is_es || renderer->opaque);
}

// Begins a frame. Selects the target, uploads the uniform block, clears shadow maps and viewport,
// and sets the GL state for drawing.
void md5gl_begin_frame(md5gl_renderer *renderer, const md5gl_frame *frame)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5_ASSERT_NOT_NULL(frame);
    MD5_ASSERT(!renderer->in_frame, "must be called after md5gl_end_frame()");
    MD5_ASSERT_RESERVED(frame);

    MD5_VALIDATE_RESERVED(frame->point_lights, frame->num_point_lights);
    (void)md5gli_clear_errors(renderer);
    md5gli_reset_state(renderer);
    renderer->in_frame = true;
    set_frame_target(renderer, frame);

    // Compute and upload the uniform block. md5gli_begin_shadows() also clears the shadow maps.
    md5gl_frame_block block = describe_frame(frame);
    renderer->is_classic = frame->lighting == MD5GL_LIGHTING_CLASSIC;
    md5gli_begin_environment(renderer, frame, &block);
    md5gli_begin_shadows(renderer, frame, &block);
    md5gli_stream(renderer, GL_UNIFORM_BUFFER, renderer->frame_block, &block, sizeof block);

    // Bind the framebuffer and clear it.
    renderer->front_face = frame_winding(frame);
    set_frame_state(renderer);
    renderer->ground = frame->ground;
    renderer->opaque = !frame->keep_contents && frame->background[3] >= 1.0f;
    renderer->multisampled = uses_coverage(renderer);
    if (!frame->keep_contents)
        clear_viewport(renderer, frame);
}

// Resolves a multisampled target: averages the samples of each pixel. Does nothing for other
// targets and if `target` is NULL. Returns false and fills the error on failure.
static bool resolve_samples(md5gl_renderer *renderer, const md5gl_target *target, md5_error *error)
{
    if (!target || target->samples <= 1)
        return true;
    const bool has_program = target->samples == 4 && !renderer->is_es; // see resolve.frag
    if (!has_program) {
        copy_colors(&renderer->gl, target, target->drawn, target->readable, target->width,
                    target->height);
        return true;
    }
    // The program is used because copy_colors(), which would give the same result, is slow in
    // Mesa's software GL. It compiles a shader for the copy in each process, which takes 29 ms.
    const bool is_resolved =
        repaint(renderer, target, MD5GL_PROGRAM_RESOLVE, GL_TEXTURE_2D_MULTISAMPLE,
                target->color_samples, target->readable, error);
    md5gli_bind_frame(renderer); // sets the viewport of the frame again
    return is_resolved;
}

// Ends a frame: resolves the samples of a multisampled target to one color per pixel, resets the GL
// state, and reports errors of the frame.
bool md5gl_end_frame(md5gl_renderer *renderer, md5_error *error)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5_ASSERT(renderer->in_frame, "must be called after md5gl_begin_frame()");
    const bool is_resolved = resolve_samples(renderer, renderer->target, error);

    renderer->target = NULL;
    renderer->in_frame = false;
    renderer->environment = NULL;
    renderer->is_classic = false;
    md5gli_reset_state(renderer);

    // Draws do not return errors, so their errors are reported here.
    if (!is_resolved)
        return false;
    if (renderer->shadows_unsupported)
        return md5gli_fail(error, MD5_ERROR_GPU,
                           "shadows are not supported: the device cannot create depth textures");
    if (renderer->light_error.status != MD5_OK)
        return md5gli_fail(error, MD5_ERROR_GPU, "%s", renderer->light_error.message);
    return md5gli_check(renderer, "drawing a frame", error)
           && md5gli_check_context(renderer, error);
}

// -- Reading back ---------------------------------------------------------------------------

// Reverses the order of the rows of an image, because GL's first row is the bottom row.
static void flip_rows(uint8_t *rgba, uint32_t width, uint32_t height)
{
    const size_t row = 4 * (size_t)width;
    for (size_t y = 0; y < height / 2; y++) {
        uint8_t *const upper = rgba + row * y;
        uint8_t *const lower = rgba + row * (height - 1 - y);
        for (size_t i = 0; i < row; i++) {
            const uint8_t byte = upper[i];
            upper[i] = lower[i];
            lower[i] = byte;
        }
    }
}

// Converts premultiplied alpha to straight alpha, which PNG requires.
static void unpremultiply(uint8_t *rgba, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t *const pixel = rgba + 4 * i;
        const uint32_t alpha = pixel[3];
        if (alpha == 0 || alpha == 255)
            continue;
        for (uint32_t channel = 0; channel < 3; channel++) {
            const uint32_t straight = (pixel[channel] * 255u + alpha / 2) / alpha;
            pixel[channel] = (uint8_t)(straight < 255 ? straight : 255);
        }
    }
}

// Reads the image of a target. If `target` is NULL, reads the image of the default framebuffer.
// Writes rgba[4 * width * height] with the top line first. Alpha is not premultiplied.
bool md5gl_read_pixels(md5gl_renderer *renderer, md5gl_target *target, uint32_t width,
                       uint32_t height, uint8_t *rgba, md5_error *error)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_ALIVE(target, TARGET);
    MD5_ASSERT_NOT_NULL(rgba);
    MD5GL_ASSERT_NO_FRAME(renderer);

    const GladGLContext *gl = &renderer->gl;
    if (target && (width > target->width || height > target->height))
        return md5gli_fail(error, MD5_ERROR_GPU,
                           "cannot read pixels: %u x %u pixels exceed the render target of %u x %u",
                           width, height, target->width, target->height);

    (void)md5gli_clear_errors(renderer);
    md5gli_reset_transfers(renderer);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, target ? target->readable : 0);
    gl->ReadPixels(0, 0, (GLsizei)width, (GLsizei)height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    if (!md5gli_check(renderer, "reading pixels", error) || !md5gli_check_context(renderer, error))
        return false;
    flip_rows(rgba, width, height);
    unpremultiply(rgba, (size_t)width * height);
    return true;
}

// Reads the id and the mesh index at a pixel. x and y are counted from the top left corner.
static void read_id_texel(const GladGLContext *gl, const md5gl_target *target, uint32_t x,
                          uint32_t y, GLuint texel[4])
{
    const GLint row = (GLint)(target->height - 1 - y); // GL's first row is the bottom row
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, target->readable);
    gl->ReadBuffer(GL_COLOR_ATTACHMENT0 + OUTPUT_IDS);
    // OpenGL ES can read integers only in this format.
    gl->ReadPixels((GLint)x, row, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, texel);
    gl->ReadBuffer(GL_COLOR_ATTACHMENT0); // all other functions expect this state
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
}

// Returns the id of the instance at a pixel of a target of md5gl_create_outputs(), and stores the
// index of the mesh in *mesh. x and y are pixels from the top left corner. Returns 0 for the
// background.
uint32_t md5gl_pick(md5gl_renderer *renderer, md5gl_target *target, uint32_t x, uint32_t y,
                    uint32_t *mesh, md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_ALIVE(target, TARGET);
    if (mesh)
        *mesh = MD5_NONE;
    if (!renderer || !target) {
        md5gli_fail_missing(error, renderer ? "target" : "renderer");
        return 0;
    }
    MD5GL_ASSERT_NO_FRAME(renderer);
    MD5_ASSERT(target->outputs[OUTPUT_IDS] != 0,
               "target: must be created by md5gl_create_outputs()");
    if (x >= target->width || y >= target->height)
        return 0;

    GLuint texel[4] = {0}; // id, index of the mesh, 0, 0
    (void)md5gli_clear_errors(renderer);
    md5gli_reset_transfers(renderer);
    read_id_texel(&renderer->gl, target, x, y, texel);
    if (!md5gli_check(renderer, "reading an object index", error)
        || !md5gli_check_context(renderer, error))
        return 0;
    if (mesh && texel[0] != 0)
        *mesh = texel[1];
    return texel[0];
}
