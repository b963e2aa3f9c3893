// Environments: their textures, the frame's parameters, and the background.
#include "render/environment.h"

#include <math.h>

// The largest side of the background's picture. Reflections are so blurred that fewer texels do.
static const uint32_t most_texels = 4096, mirror_width = 256;
enum { NUM_MIRRORS = 6 };

// -- Textures ---------------------------------------------------------------------------------

static void set_levels(const GladGLContext *gl, uint32_t num_levels)
{
    md5gli_set_sampling(gl, false, GL_LINEAR, GL_LINEAR_MIPMAP_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, (GLint)num_levels - 1);
}

// `format` needs no alpha; floats are converted by GL.
static void upload(const GladGLContext *gl, uint32_t level, GLint format,
                   const md5gl_panorama *panorama)
{
    gl->TexImage2D(GL_TEXTURE_2D, (GLint)level, format, (GLsizei)panorama->width,
                   (GLsizei)panorama->height, 0, GL_RGB, GL_FLOAT, panorama->rgb);
}

static md5gl_texture create_background(md5gl_renderer *renderer, const md5gl_pyramid *pyramid,
                                       md5_error *error)
{
    const md5gl_panorama *const largest = &pyramid->levels[0];
    const GLuint texture = md5gli_begin_texture(renderer, largest->width, largest->height, error);
    if (texture == 0)
        return 0;
    set_levels(&renderer->gl, pyramid->num_levels);
    for (uint32_t i = 0; i < pyramid->num_levels; i++)
        upload(&renderer->gl, i, GL_RGB9_E5, &pyramid->levels[i]);
    return md5gli_end_texture(renderer, texture, true, error);
}

// Level k is what a mirror of roughness k / (n - 1) shows.
static md5gl_texture create_reflections(md5gl_renderer *renderer, const md5gl_pyramid *pyramid,
                                        md5_error *error)
{
    const uint32_t height = mirror_width / 2;
    const size_t size = (size_t)mirror_width * height * 3 * sizeof(float);
    float *const texels = (float *)md5gli_alloc(&renderer->allocator, size, 1, error);
    if (!texels)
        return 0;
    const GLuint texture = md5gli_begin_texture(renderer, mirror_width, height, error);
    if (texture != 0)
        set_levels(&renderer->gl, NUM_MIRRORS);
    for (uint32_t i = 0; i < NUM_MIRRORS && texture != 0; i++) {
        md5gl_panorama level = {mirror_width >> i, height >> i, texels};
        md5gli_blur_panorama(pyramid, (float)i / (float)(NUM_MIRRORS - 1), &level);
        upload(&renderer->gl, i, GL_RGB16F, &level);
    }
    md5gli_free(&renderer->allocator, texels, size);
    return texture != 0 ? md5gli_end_texture(renderer, texture, true, error) : 0;
}

static bool create_textures(md5gl_renderer *renderer, const md5gl_panorama *picture,
                            md5gl_environment *environment, md5_error *error)
{
    const uint32_t most =
        renderer->max_texture_size < most_texels ? renderer->max_texture_size : most_texels;
    md5gl_pyramid pyramid;
    if (!md5gli_create_pyramid(&renderer->allocator, picture, most, &pyramid, error))
        return false;
    const md5gl_panorama *const largest = &pyramid.levels[0];
    md5_vec3 harmonics[9];
    md5gl_project_light(largest->width, largest->height, largest->rgb, harmonics);
    md5gl_reflect_light(harmonics, environment->light);
    environment->width = largest->width;
    environment->num_levels = pyramid.num_levels;
    environment->panorama = create_background(renderer, &pyramid, error);
    if (environment->panorama != 0)
        environment->reflections = create_reflections(renderer, &pyramid, error);
    md5gli_free_pyramid(&renderer->allocator, &pyramid);
    return environment->reflections != 0;
}

md5gl_environment *md5gl_create_environment(md5gl_renderer *renderer, uint32_t width,
                                            uint32_t height, const float *rgb, md5_error *error)
{
    MD5_ASSERT(renderer != NULL && rgb != NULL, "renderer, rgb: not NULL");
    MD5_ASSERT(!renderer->in_frame, "call it outside of a frame");
    // The library reads it only.
    const md5gl_panorama picture = {width, height, (float *)(uintptr_t)rgb};
    md5gli_clear_error(error);
    if (width == 0 || height == 0) {
        md5gli_fail(error, MD5_ERROR_GPU, "an environment of %u x %u texels", (unsigned)width,
                    (unsigned)height);
        return NULL;
    }
    md5gl_environment *const environment =
        (md5gl_environment *)md5gli_alloc(&renderer->allocator, 1, sizeof *environment, error);
    if (environment && md5gli_build_background(renderer, error)
        && create_textures(renderer, &picture, environment, error))
        return environment;
    md5gl_destroy_environment(renderer, environment);
    return NULL;
}

void md5gl_destroy_environment(md5gl_renderer *renderer, md5gl_environment *environment)
{
    if (!environment)
        return;
    MD5_ASSERT(renderer != NULL, "renderer: not NULL");
    const GLuint textures[2] = {environment->panorama, environment->reflections};
    renderer->gl.DeleteTextures(2, textures);
    md5gli_free(&renderer->allocator, environment, sizeof *environment);
}

const md5_vec3 *md5gl_environment_light(const md5gl_environment *environment)
{
    MD5_ASSERT(environment != NULL, "environment: not NULL");
    return environment->light;
}

// -- Frames -----------------------------------------------------------------------------------

// Writes the directions from the eye that belong to the right, the upper and the middle of the
// viewport, world space: columns of a matrix. A parallel projection has only one direction, so it
// is shown as one of 45 degrees.
static void find_rays(const md5gl_frame *frame, float rays[9])
{
    const float *const clip = frame->clip_from_view.m, *const view = frame->view_from_world.m;
    const float aspect = frame->height > 0 ? (float)frame->width / (float)frame->height : 1.0f;
    const bool has_perspective = clip[11] != 0.0f;
    const float slope = 0.41421356f; // the tangent of half of 45 degrees
    const float mirrored = clip[0] * clip[5] < 0.0f ? -1.0f : 1.0f;
    const float across = has_perspective ? 1.0f / clip[0] : slope * aspect;
    const float up = has_perspective ? 1.0f / clip[5] : slope * mirrored;
    const float middle[3] = {has_perspective ? clip[8] * across : 0.0f,
                             has_perspective ? clip[9] * up : 0.0f, -1.0f};
    for (int i = 0; i < 3; i++) {
        const float *const axes = view + 4 * i; // view axes' components along world axis i
        rays[i] = axes[0] * across;
        rays[3 + i] = axes[1] * up;
        rays[6 + i] = axes[0] * middle[0] + axes[1] * middle[1] + axes[2] * middle[2];
    }
}

void md5gli_begin_environment(md5gl_renderer *renderer, const md5gl_frame *frame,
                              md5gl_frame_block *block)
{
    const md5gl_environment *const environment = frame->environment;
    renderer->environment = environment;
    renderer->lit_pass = frame->lighting == MD5GL_LIGHTING_CLASSIC ? MD5GL_PASS_LIT_CLASSIC
                         : environment != NULL                     ? MD5GL_PASS_LIT_ENVIRONMENT
                                                                   : MD5GL_PASS_LIT;
    renderer->light_error.status = MD5_OK;
    if (!environment)
        return;
    renderer->gl.ActiveTexture(GL_TEXTURE0 + (GLenum)MD5GL_UNIT_ENVIRONMENT);
    renderer->gl.BindTexture(GL_TEXTURE_2D, environment->reflections); // of the whole frame
    find_rays(frame, renderer->rays);
    block->environment[0] = cosf(frame->environment_angle);
    block->environment[1] = sinf(frame->environment_angle);
    block->environment[2] = (float)(NUM_MIRRORS - 1);
    for (int i = 0; i < 9; i++) {
        block->harmonics[i][0] = environment->light[i].x * frame->ambient[0];
        block->harmonics[i][1] = environment->light[i].y * frame->ambient[1];
        block->harmonics[i][2] = environment->light[i].z * frame->ambient[2];
    }
}

void md5gli_fail_light(md5gl_renderer *renderer, const md5_error *error)
{
    renderer->light_error = *error;
    renderer->lit_pass = MD5GL_PASS_LIT;
}

// The level of the picture whose texels are as wide as pixels, in the middle of the viewport.
static float level_of_pixels(const md5gl_renderer *renderer)
{
    const float *const right = renderer->rays;
    const float across = sqrtf(right[0] * right[0] + right[1] * right[1] + right[2] * right[2]);
    const float pixel = 2.0f * across / (float)(renderer->width > 0 ? renderer->width : 1);
    const float texel = 6.2831853f / (float)renderer->environment->width;
    return fmaxf(log2f(pixel / texel), 0.0f);
}

void md5gl_draw_environment(md5gl_renderer *renderer)
{
    MD5_ASSERT(renderer != NULL, "renderer: not NULL");
    MD5_ASSERT(renderer->in_frame, "call it between md5gl_begin_frame() and md5gl_end_frame()");
    const GladGLContext *gl = &renderer->gl;
    const md5gl_program *const program = &renderer->background;
    if (!renderer->environment)
        return;
    gl->UseProgram(program->name);
    gl->BindVertexArray(renderer->empty_array);
    gl->Disable(GL_BLEND);
    gl->Disable(GL_CULL_FACE);
    gl->Disable(GL_DEPTH_TEST); // nor is depth written then
    gl->ActiveTexture(GL_TEXTURE0 + (GLenum)MD5GL_UNIT_TEXTURE);
    gl->BindTexture(GL_TEXTURE_2D, renderer->environment->panorama);
    gl->UniformMatrix3fv(program->uniforms[MD5GL_RAYS], 1, GL_FALSE, renderer->rays);
    gl->Uniform1f(program->uniforms[MD5GL_LEVEL], level_of_pixels(renderer));
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
}
