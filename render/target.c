// Frames, off-screen targets and reading pictures back.
#include "render/gl_internal.h"

#include <math.h>
#include <string.h>

// -- Targets --------------------------------------------------------------------------------

enum { OUTPUT_NORMALS, OUTPUT_MOTION, OUTPUT_IDS, NUM_OUTPUTS }; // locations of outputs.frag

// Of several samples, what is drawn is resolved into the framebuffer that is read, and there are
// renderbuffers instead of the depth texture; else both are one.
struct md5gl_target {
    uint32_t width;
    uint32_t height;
    uint32_t samples;
    GLuint drawn, readable;               // framebuffers
    GLuint colour, depth;                 // textures of `readable`
    GLuint outputs[NUM_OUTPUTS];          // likewise, instead of `colour`
    GLuint colour_samples, depth_samples; // renderbuffers, but on desktops the color is a texture
};

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

typedef struct texture_form {
    GLenum attachment, format, components, type; // of texels in memory, of which there are none
    GLint filter;
} texture_form;

static const texture_form colour_form = {GL_COLOR_ATTACHMENT0, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE,
                                         GL_LINEAR};
static const texture_form depth_form = {GL_DEPTH_ATTACHMENT, GL_DEPTH_COMPONENT24,
                                        GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, GL_NEAREST};
static const texture_form output_forms[NUM_OUTPUTS] = {
    {GL_COLOR_ATTACHMENT0, GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, GL_NEAREST},
    {GL_COLOR_ATTACHMENT1, GL_RG16F, GL_RG, GL_HALF_FLOAT, GL_NEAREST},
    {GL_COLOR_ATTACHMENT2, GL_RG32UI, GL_RG_INTEGER, GL_UNSIGNED_INT, GL_NEAREST},
};

// `kind`: GL_TEXTURE_2D, or GL_TEXTURE_2D_MULTISAMPLE of the target's samples.
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

static bool check_target(md5gl_renderer *renderer, const md5gl_target *target, md5_error *error)
{
    if (!md5gli_check(renderer, "creating a target", error))
        return false;
    const GLenum state = renderer->gl.CheckFramebufferStatus(GL_FRAMEBUFFER);
    return state == GL_FRAMEBUFFER_COMPLETE
           || md5gli_fail(error, MD5_ERROR_GPU,
                          "render target of %u x %u pixels is not complete (0x%04x)%s",
                          target->width, target->height, state,
                          target->outputs[OUTPUT_MOTION] && renderer->is_es
                              ? ": motion vectors need EXT_color_buffer_float in OpenGL ES"
                              : "");
}

static md5gl_target *create_target(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                   uint32_t samples, bool has_outputs, md5_error *error)
{
    if (!renderer) {
        md5gli_fail_missing(error, "renderer");
        return NULL;
    }
    MD5GL_ASSERT_NO_FRAME(renderer);
    const uint32_t limit = renderer->max_target_size;
    if (width == 0 || height == 0 || width > limit || height > limit) {
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
    (void)md5gli_take_errors(renderer);
    md5gli_reset_transfers(renderer);
    const GladGLContext *gl = &renderer->gl;
    bool created = true;
    if (target->samples > 1) {
        gl->GenFramebuffers(1, &target->drawn);
        gl->BindFramebuffer(GL_FRAMEBUFFER, target->drawn);
        target->colour_samples =
            renderer->is_es
                ? create_renderbuffer(gl, target, GL_RGBA8, GL_COLOR_ATTACHMENT0)
                : create_attached_texture(gl, target, GL_TEXTURE_2D_MULTISAMPLE, &colour_form);
        target->depth_samples =
            create_renderbuffer(gl, target, GL_DEPTH_COMPONENT24, GL_DEPTH_ATTACHMENT);
        created = check_target(renderer, target, error);
        gl->GetIntegerv(GL_SAMPLES, (GLint *)&target->samples); // a device may have made more
    }
    if (created) {
        gl->GenFramebuffers(1, &target->readable);
        gl->BindFramebuffer(GL_FRAMEBUFFER, target->readable);
        GLenum drawn[NUM_OUTPUTS];
        if (has_outputs) {
            for (uint32_t i = 0; i < NUM_OUTPUTS; i++) {
                target->outputs[i] =
                    create_attached_texture(gl, target, GL_TEXTURE_2D, &output_forms[i]);
                drawn[i] = output_forms[i].attachment;
            }
        }
        if (has_outputs)
            gl->DrawBuffers(NUM_OUTPUTS, drawn);
        else
            target->colour = create_attached_texture(gl, target, GL_TEXTURE_2D, &colour_form);
        if (target->samples <= 1) {
            target->depth = create_attached_texture(gl, target, GL_TEXTURE_2D, &depth_form);
            target->drawn = target->readable;
        }
        created = check_target(renderer, target, error);
    }
    gl->BindRenderbuffer(GL_RENDERBUFFER, 0);
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    if (created)
        return target;
    md5gl_destroy_target(renderer, target);
    return NULL;
}

md5gl_target *md5gl_create_target(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                  uint32_t samples, md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    return create_target(renderer, width, height, samples, false, error);
}

md5gl_target *md5gl_create_outputs(md5gl_renderer *renderer, uint32_t width, uint32_t height,
                                   md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    return create_target(renderer, width, height, 1, true, error);
}

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
    gl->DeleteTextures(1, &target->colour);
    gl->DeleteTextures(1, &target->depth);
    gl->DeleteTextures(NUM_OUTPUTS, target->outputs);
    if (renderer->is_es)
        gl->DeleteRenderbuffers(1, &target->colour_samples);
    else
        gl->DeleteTextures(1, &target->colour_samples);
    gl->DeleteRenderbuffers(1, &target->depth_samples);
    md5gli_free(renderer, target);
}

md5gl_target_names md5gl_get_target_names(const md5gl_target *target)
{
    MD5GL_ASSERT_ALIVE(target, TARGET);
    return (md5gl_target_names){.framebuffer = target->drawn,
                                .color = target->colour,
                                .depth = target->depth,
                                .normals = target->outputs[OUTPUT_NORMALS],
                                .motion = target->outputs[OUTPUT_MOTION],
                                .ids = target->outputs[OUTPUT_IDS]};
}

// Copies one of the target's framebuffers.
static void copy(const GladGLContext *gl, const md5gl_target *target, GLuint from, GLuint to,
                 uint32_t width, uint32_t height)
{
    const bool has_size = width == target->width && height == target->height;
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, from);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
    gl->BlitFramebuffer(0, 0, (GLint)target->width, (GLint)target->height, 0, 0, (GLint)width,
                        (GLint)height, GL_COLOR_BUFFER_BIT, has_size ? GL_NEAREST : GL_LINEAR);
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
}

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
    (void)md5gli_take_errors(renderer);
    copy(&renderer->gl, target, target->readable, framebuffer, width, height);
    return md5gli_check(renderer, "copying a target", error);
}

// Draws every pixel of a framebuffer of the target's size from its texture.
static bool repaint(md5gl_renderer *renderer, const md5gl_target *target,
                    enum md5gl_fixed_program which, GLenum kind, GLuint texture, GLuint framebuffer,
                    md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    md5gli_reset_state(renderer);
    const md5gl_program *const program = md5gli_fixed_program(renderer, which, error);
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
    MD5_ASSERT(target->colour != 0, "target: must be created by md5gl_create_target()");
    (void)md5gli_take_errors(renderer);
    return repaint(renderer, target, MD5GL_PROGRAM_SMOOTH, GL_TEXTURE_2D, target->colour,
                   framebuffer, error)
           && md5gli_check(renderer, "smoothing a target", error);
}

// -- Frames ---------------------------------------------------------------------------------

static md5gl_frame_block describe_frame(const md5gl_frame *frame)
{
    md5gl_frame_block block;
    memset(&block, 0, sizeof block);
    const md5_mat44 clip_from_world = md5_mat44_mul(frame->clip_from_view, frame->view_from_world);
    memcpy(block.clip_from_world, clip_from_world.m, sizeof block.clip_from_world);

    // All 0: as this frame's, bit for bit.
    static const md5_mat44 none = {{0}};
    const md5_mat44 *const previous = &frame->previous_clip_from_world;
    const float *const from =
        memcmp(previous, &none, sizeof none) ? previous->m : block.clip_from_world;
    memcpy(block.previous_clip_from_world, from, sizeof block.previous_clip_from_world);

    // The camera's position (w = 1), or the direction to it if the projection is orthographic
    // (w = 0). The view is rigid, so its inverse is its transpose.
    const float *const view = frame->view_from_world.m;
    const bool has_perspective = frame->clip_from_view.m[11] != 0.0f;
    for (uint32_t axis = 0; axis < 3; axis++) {
        const float *const column = view + 4 * axis;
        block.eye[axis] =
            has_perspective ? -(column[0] * view[12] + column[1] * view[13] + column[2] * view[14])
                            : column[2];
    }
    block.eye[3] = has_perspective ? 1.0f : 0.0f;

    // Straight up if the direction has no length.
    const md5_vec3 direction = frame->light_direction;
    float *const unit = block.light_direction;
    const float length = sqrtf(md5_vec3_dot(direction, direction));
    const bool is_direction = length > 0.0f && isfinite(length);
    unit[0] = is_direction ? direction.x / length : 0.0f;
    unit[1] = is_direction ? direction.y / length : 0.0f;
    unit[2] = is_direction ? direction.z / length : 1.0f;

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

void md5gli_bind_frame(md5gl_renderer *renderer)
{
    const GladGLContext *gl = &renderer->gl;
    gl->BindFramebuffer(GL_FRAMEBUFFER, renderer->framebuffer);
    gl->Viewport((GLint)renderer->x, (GLint)renderer->y, (GLsizei)renderer->width,
                 (GLsizei)renderer->height);
    gl->BindBufferBase(GL_UNIFORM_BUFFER, MD5GL_FRAME_BINDING, renderer->frame_block);
}

// Sets what drawing relies on and is not GL's default.
static void set_frame_state(md5gl_renderer *renderer)
{
    const GladGLContext *gl = &renderer->gl;
    md5gli_bind_frame(renderer);
    md5gli_bind_texture(renderer, NULL, MD5GL_UNIT_ENVIRONMENT, GL_TEXTURE_2D,
                        renderer->reflections);
    // Lit programs read only those of spot lights if the frame has such.
    md5gli_bind_shadows(renderer, MD5GL_UNIT_SUN,
                        MD5GL_NUM_SHADOW_UNITS - (renderer->end_map <= MD5GL_MAP_SPOT));
    gl->BlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    gl->DepthFunc(GL_LEQUAL); // later draws win on coplanar surfaces
    gl->FrontFace(renderer->front_face);
}

void md5gl_resume_frame(md5gl_renderer *renderer)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_IN_FRAME(renderer);
    md5gli_reset_state(renderer);
    set_frame_state(renderer);
}

void md5gl_begin_frame(md5gl_renderer *renderer, const md5gl_frame *frame)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5_ASSERT_NOT_NULL(frame);
    MD5_ASSERT(!renderer->in_frame, "must be called after md5gl_end_frame()");
    MD5_ASSERT_RESERVED(frame);
    MD5_VALIDATE_RESERVED(frame->point_lights, frame->num_point_lights);
    const GladGLContext *gl = &renderer->gl;
    (void)md5gli_take_errors(renderer);
    md5gli_reset_state(renderer);
    renderer->in_frame = true;
    renderer->target = frame->target;
    renderer->has_outputs = frame->target && frame->target->outputs[OUTPUT_IDS] != 0;
    renderer->framebuffer = frame->target ? frame->target->drawn : frame->framebuffer;
    renderer->x = frame->x;
    renderer->y = frame->y;
    renderer->width = frame->width;
    renderer->height = frame->height;
    md5gl_frame_block block = describe_frame(frame);
    renderer->is_classic = frame->lighting == MD5GL_LIGHTING_CLASSIC;
    md5gli_begin_environment(renderer, frame, &block);
    md5gli_begin_shadows(renderer, frame, &block);
    md5gli_stream(renderer, GL_UNIFORM_BUFFER, renderer->frame_block, &block, sizeof block);
    // id's winding, unless the projection mirrors the picture, as for a framebuffer whose first row
    // is the top one. A view that mirrors belongs to a model in a left-handed space, whose
    // triangles it turns back. The shadow maps are drawn without culling.
    const float *const m = frame->clip_from_view.m;
    renderer->front_face = m[0] * m[5] - m[1] * m[4] < 0.0f ? GL_CCW : GL_CW;
    set_frame_state(renderer);
    renderer->ground = frame->ground;
    renderer->opaque = !frame->keep_contents && frame->background[3] >= 1.0f;
    // Alpha becomes coverage then. OpenGL ES cannot write another alpha at the same time, so there
    // it must be 1 already in the whole target.
    GLint samples = 0;
    gl->GetIntegerv(GL_SAMPLES, &samples);
    renderer->multisampled = samples > 1 && (!renderer->is_es || renderer->opaque);
    if (!frame->keep_contents) { // the viewport, which may be a part of the framebuffer
        // Premultiplied alpha makes resolving and blending weight colours by their coverage.
        const float *const colour = frame->background;
        const float alpha = colour[3];
        gl->ClearColor(colour[0] * alpha, colour[1] * alpha, colour[2] * alpha, alpha);
        gl->Scissor((GLint)frame->x, (GLint)frame->y, (GLsizei)frame->width,
                    (GLsizei)frame->height);
        gl->Enable(GL_SCISSOR_TEST);
        static const GLfloat nothing[4] = {0.0f};
        static const GLuint no_id[4] = {0};
        if (renderer->has_outputs) { // glClear() is not defined for integers
            gl->ClearBufferfv(GL_COLOR, OUTPUT_NORMALS, nothing);
            gl->ClearBufferfv(GL_COLOR, OUTPUT_MOTION, nothing);
            gl->ClearBufferuiv(GL_COLOR, OUTPUT_IDS, no_id);
        }
        gl->Clear(GL_DEPTH_BUFFER_BIT | (renderer->has_outputs ? 0 : GL_COLOR_BUFFER_BIT));
        gl->Disable(GL_SCISSOR_TEST);
    }
}

bool md5gl_end_frame(md5gl_renderer *renderer, md5_error *error)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    MD5_ASSERT(renderer->in_frame, "must be called after md5gl_begin_frame()");
    const md5gl_target *const target = renderer->target;
    bool is_resolved = true;
    if (target && target->samples == 4 && !renderer->is_es) {
        // As usual. A blit does it too, but for that Mesa's software GL compiles a shader of its
        // own, anew in each process: 29 ms.
        is_resolved = repaint(renderer, target, MD5GL_PROGRAM_RESOLVE, GL_TEXTURE_2D_MULTISAMPLE,
                              target->colour_samples, target->readable, error);
        md5gli_bind_frame(renderer); // whose viewport stays
    } else if (target && target->samples > 1) {
        copy(&renderer->gl, target, target->drawn, target->readable, target->width, target->height);
    }
    renderer->target = NULL;
    renderer->in_frame = false;
    renderer->environment = NULL;
    renderer->is_classic = false;
    md5gli_reset_state(renderer);
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
    (void)md5gli_take_errors(renderer);
    md5gli_reset_transfers(renderer);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, target ? target->readable : 0);
    gl->ReadPixels(0, 0, (GLsizei)width, (GLsizei)height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    if (!md5gli_check(renderer, "reading pixels", error) || !md5gli_check_context(renderer, error))
        return false;
    const size_t row = 4 * (size_t)width;
    for (size_t y = 0; y < height / 2; y++) { // GL's first row is the bottom row
        uint8_t *const upper = rgba + row * y;
        uint8_t *const lower = rgba + row * (height - 1 - y);
        for (size_t i = 0; i < row; i++) {
            const uint8_t byte = upper[i];
            upper[i] = lower[i];
            lower[i] = byte;
        }
    }
    // Premultiplied becomes straight alpha, as PNG requires.
    for (size_t i = 0; i < (size_t)width * height; i++) {
        uint8_t *const pixel = rgba + 4 * i;
        const uint32_t alpha = pixel[3];
        if (alpha == 0 || alpha == 255)
            continue;
        for (uint32_t channel = 0; channel < 3; channel++) {
            const uint32_t straight = (pixel[channel] * 255u + alpha / 2) / alpha;
            pixel[channel] = (uint8_t)(straight < 255 ? straight : 255);
        }
    }
    return true;
}

uint32_t md5gl_pick(md5gl_renderer *renderer, md5gl_target *target, uint32_t x, uint32_t y,
                    uint32_t *mesh, md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    MD5GL_ASSERT_NULL_OR_ALIVE(target, TARGET);
    if (mesh)
        *mesh = MD5_NONE;
    if (!renderer || !target) {
        md5gli_fail_missing(error, renderer ? "target" : "renderer");
        return false;
    } // 0
    MD5GL_ASSERT_NO_FRAME(renderer);
    MD5_ASSERT(target->outputs[OUTPUT_IDS] != 0,
               "target: must be created by md5gl_create_outputs()");
    const GladGLContext *gl = &renderer->gl;
    GLuint texel[4] = {0};
    if (x >= target->width || y >= target->height)
        return 0;
    (void)md5gli_take_errors(renderer);
    md5gli_reset_transfers(renderer);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, target->readable);
    gl->ReadBuffer(GL_COLOR_ATTACHMENT0 + OUTPUT_IDS);
    // OpenGL ES has no other way to read integers.
    gl->ReadPixels((GLint)x, (GLint)(target->height - 1 - y), 1, 1, GL_RGBA_INTEGER,
                   GL_UNSIGNED_INT, texel);
    gl->ReadBuffer(GL_COLOR_ATTACHMENT0); // as the other functions expect it
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    if (!md5gli_check(renderer, "reading an object index", error)
        || !md5gli_check_context(renderer, error))
        return 0;
    if (mesh && texel[0] != 0)
        *mesh = texel[1];
    return texel[0];
}
