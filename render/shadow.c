// Shadows: one depth map seen from the key light, and one seen from below the ground for contact
// shadows. Models are drawn into both with the same vertex shaders as into the picture. On the
// ground only the rectangle is drawn that the casters and their shadow reach, because the filters
// run for every pixel of it on software GL. Opaque meshes take programs without a fragment stage.
#include "render/gl_internal.h"

#include <math.h>
#include <string.h>

// Texels along a side of the key light's map, and the factor by which the contact map's side is
// smaller.
enum { DEFAULT_SIDE = 768, CONTACT_DIVISOR = 3 };

// Range of the contact map above and below the ground, as fractions of the casters' height.
static const float contact_height = 0.26f, contact_depth = 0.06f;

// Largest radius that shaders/shadow.glsl samples around a point: a fraction of the width of the
// key light's map, and of the contact map's height above the ground. Must match the shader.
static const float max_filter_radius = 0.06f, contact_radius = 0.75f;

// -- Maps -------------------------------------------------------------------------------------

// The contact map is smaller than that of the key light.
static void resize_maps(md5gl_renderer *renderer, GLsizei side)
{
    const GladGLContext *gl = &renderer->gl;
    for (int i = 0; i < MD5GL_NUM_MAPS; i++) {
        md5gl_shadow_map *const map = &renderer->maps[i];
        const GLsizei smaller = side / CONTACT_DIVISOR > 0 ? side / CONTACT_DIVISOR : 1;
        const GLsizei texels = i == MD5GL_MAP_CONTACT ? smaller : side;
        if (map->side == texels)
            continue;
        map->side = texels;
        gl->ActiveTexture(GL_TEXTURE0);
        gl->BindTexture(GL_TEXTURE_2D, map->texture);
        gl->TexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, texels, texels, 0,
                       GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, NULL);
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
        gl->BindTexture(GL_TEXTURE_2D, 0);
    }
}

// Beyond the map there are no casters. OpenGL ES 3.0 has no border for that: there the texels at
// the edge repeat, which are empty if the frame's bounds of the casters are right.
static GLuint create_sampler(const md5gl_renderer *renderer, GLint filter, GLint compare)
{
    static const float nothing[4] = {1.0f, 1.0f, 1.0f, 1.0f};
    const GladGLContext *gl = &renderer->gl;
    const GLint wrap = renderer->is_es ? GL_CLAMP_TO_EDGE : GL_CLAMP_TO_BORDER;
    GLuint sampler = 0;
    gl->GenSamplers(1, &sampler);
    gl->SamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, filter);
    gl->SamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER, filter);
    gl->SamplerParameteri(sampler, GL_TEXTURE_WRAP_S, wrap);
    gl->SamplerParameteri(sampler, GL_TEXTURE_WRAP_T, wrap);
    if (!renderer->is_es)
        gl->SamplerParameterfv(sampler, GL_TEXTURE_BORDER_COLOR, nothing);
    gl->SamplerParameteri(sampler, GL_TEXTURE_COMPARE_MODE, compare);
    gl->SamplerParameteri(sampler, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    return sampler;
}

void md5gli_create_shadows(md5gl_renderer *renderer)
{
    // OpenGL ES filters depth only where it is compared.
    renderer->compare_sampler = create_sampler(renderer, GL_LINEAR, GL_COMPARE_REF_TO_TEXTURE);
    renderer->depth_sampler =
        create_sampler(renderer, renderer->is_es ? GL_NEAREST : GL_LINEAR, GL_NONE);

    const GladGLContext *gl = &renderer->gl;
    const GLenum none = GL_NONE;
    for (int i = 0; i < MD5GL_NUM_MAPS; i++)
        gl->GenTextures(1, &renderer->maps[i].texture);
    resize_maps(renderer, DEFAULT_SIDE);
    renderer->has_shadows = true;
    for (int i = 0; i < MD5GL_NUM_MAPS && renderer->has_shadows; i++) {
        md5gl_shadow_map *const map = &renderer->maps[i];
        gl->GenBuffers(1, &map->frame_block);
        gl->GenFramebuffers(1, &map->framebuffer);
        gl->BindFramebuffer(GL_FRAMEBUFFER, map->framebuffer);
        gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, map->texture,
                                 0);
        gl->DrawBuffers(1, &none);
        gl->ReadBuffer(GL_NONE);
        renderer->has_shadows =
            gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    }
}

// -- Views ------------------------------------------------------------------------------------

// An orthographic view: maps -half..half along each axis (unit length) about the centre to -1..1.
typedef struct box_view {
    md5_vec3 axes[3], centre;
    float half[3];
} box_view;

// Writes the column-major matrix of a view, to -1..1 (`scale` 1, `shift` 0) or 0..1 (both 0.5).
static void set_matrix(const box_view *view, float scale, float shift, float matrix[16])
{
    memset(matrix, 0, 16 * sizeof *matrix);
    for (int row = 0; row < 3; row++) {
        const md5_vec3 axis = view->axes[row];
        const float unit = scale / view->half[row];
        matrix[row] = axis.x * unit;
        matrix[4 + row] = axis.y * unit;
        matrix[8 + row] = axis.z * unit;
        matrix[12 + row] = shift - md5_vec3_dot(axis, view->centre) * unit;
    }
    matrix[15] = 1.0f;
}

// -- Frames -----------------------------------------------------------------------------------

// Measures what the maps must cover. Returns false if the frame has no shadows.
static bool measure_casters(const md5gl_frame *frame, float *radius, float heights[2])
{
    const md5_bounds bounds = frame->casters;
    const md5_vec3 size = {bounds.max.x - bounds.min.x, bounds.max.y - bounds.min.y,
                           bounds.max.z - bounds.min.z};
    *radius = 0.51f * sqrtf(md5_vec3_dot(size, size));
    const float height = fmaxf(size.z, 0.05f * *radius);
    heights[0] = contact_height * height;
    heights[1] = contact_depth * height;
    return bounds.min.x <= bounds.max.x && *radius > 0.0f && isfinite(*radius);
}

static uint32_t side_of_sun(const md5gl_frame *frame)
{
    return frame->shadow_texels > 0 ? frame->shadow_texels : DEFAULT_SIDE;
}

// Returns the largest radius of a shadow's edge, as a fraction of the key light's map: a caster is
// at most as far from its shadow as the light travels through the height of the bounds.
static float filter_radius_of(const md5gl_frame *frame, float radius)
{
    const md5_vec3 light = frame->light_direction;
    const float height = frame->casters.max.z - frame->casters.min.z;
    const float through = height * sqrtf(md5_vec3_dot(light, light)) / fmaxf(fabsf(light.z), 1e-6f);
    const float texels = 4.0f / (float)side_of_sun(frame);
    return fminf(fmaxf(frame->softness * through / (2.0f * radius), texels), max_filter_radius);
}

float md5gl_shadow_reach(const md5gl_frame *frame)
{
    MD5_ASSERT(frame != NULL, "frame: not NULL");
    MD5_ASSERT_RESERVED(frame);
    const float texels = 4.0f; // margin for filtering and for the surface offset
    float radius, heights[2];
    if (!measure_casters(frame, &radius, heights))
        return 0.0f;
    const float texel = 1.0f / (float)side_of_sun(frame);
    const float sun = 2.0f * radius * (filter_radius_of(frame, radius) + texels * texel);
    const float beside =
        contact_radius * heights[0] + 2.3f * radius * texels * (float)CONTACT_DIVISOR * texel;
    const float contact = sqrtf(beside * beside + heights[0] * heights[0]);
    return sun > contact ? sun : contact;
}

void md5gli_begin_shadows(md5gl_renderer *renderer, const md5gl_frame *frame,
                          md5gl_frame_block *block)
{
    const md5_bounds bounds = frame->casters;
    float radius, heights[2];
    const bool has_casters = measure_casters(frame, &radius, heights);
    renderer->shadowed = has_casters && renderer->has_shadows;
    renderer->shadows_unsupported = has_casters && !renderer->has_shadows;
    if (!renderer->shadowed)
        return;
    const md5_vec3 centre = {0.5f * (bounds.min.x + bounds.max.x),
                             0.5f * (bounds.min.y + bounds.max.y),
                             0.5f * (bounds.min.z + bounds.max.z)};
    const float *const direction = block->light_direction;
    const md5_vec3 away = {-direction[0], -direction[1], -direction[2]};
    const md5_vec3 other =
        fabsf(away.z) < 0.9f ? (md5_vec3){0.0f, 0.0f, 1.0f} : (md5_vec3){1.0f, 0.0f, 0.0f};
    md5_vec3 side = md5_vec3_cross(other, away);
    const float length = sqrtf(md5_vec3_dot(side, side));
    side = (md5_vec3){side.x / length, side.y / length, side.z / length};
    const box_view views[MD5GL_NUM_MAPS] = {
        // The key light's view of a sphere around the casters.
        {{side, md5_vec3_cross(away, side), away}, centre, {radius, radius, radius}},
        // Seen from below the ground straight up, the lowest caster is the nearest.
        {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
         {centre.x, centre.y, frame->ground + 0.5f * (heights[0] - heights[1])},
         {1.15f * radius, 1.15f * radius, 0.5f * (heights[0] + heights[1])}},
    };

    // What shadows may reach of the ground: what casts, enlarged by the reach, and its shadow. Few
    // pixels of the plane are dark, and on software GL the others would cost as much.
    float *const sides = renderer->shaded_ground;
    const float reach = md5gl_shadow_reach(frame);
    const float smallest[3] = {bounds.min.x - reach, bounds.min.y - reach, bounds.min.z - reach};
    const float largest[3] = {bounds.max.x + reach, bounds.max.y + reach, bounds.max.z + reach};
    for (int axis = 0; axis < 2; axis++) {
        sides[axis] = smallest[axis];
        sides[2 + axis] = largest[axis];
        if (direction[2] <= 0.0f) // nothing is lit from below
            continue;
        const float slope = direction[axis] / direction[2];
        const float low = slope * (smallest[2] - frame->ground);
        const float high = slope * (largest[2] - frame->ground);
        sides[axis] -= fmaxf(fmaxf(low, high), 0.0f);
        sides[2 + axis] -= fminf(fminf(low, high), 0.0f);
    }

    set_matrix(&views[MD5GL_MAP_SUN], 0.5f, 0.5f, block->sun_from_world);
    set_matrix(&views[MD5GL_MAP_CONTACT], 0.5f, 0.5f, block->contact_from_world);
    const float softness = frame->softness > 0.0f ? frame->softness : 0.0f;
    const float shadow[4] = {1.0f, softness, 2.0f * radius, filter_radius_of(frame, radius)};
    const float contact_values[4] = {2.3f * radius, heights[0], heights[1], 0.0f};
    memcpy(block->shadow, shadow, sizeof shadow);
    memcpy(block->contact, contact_values, sizeof contact_values);
    const uint32_t limit = renderer->max_texture_size, requested = side_of_sun(frame);
    resize_maps(renderer, (GLsizei)(requested < limit ? requested : limit));
    for (int i = 0; i < MD5GL_NUM_MAPS; i++) {
        md5gl_frame_block seen = *block;
        set_matrix(&views[i], 1.0f, 0.0f, seen.clip_from_world);
        md5gli_stream(renderer, GL_UNIFORM_BUFFER, renderer->maps[i].frame_block, &seen,
                      sizeof seen);
        md5gli_bind_map(renderer, &renderer->maps[i]);
        renderer->gl.Clear(GL_DEPTH_BUFFER_BIT);
    }
}

void md5gli_bind_map(md5gl_renderer *renderer, const md5gl_shadow_map *map)
{
    const GladGLContext *gl = &renderer->gl;
    gl->BindFramebuffer(GL_FRAMEBUFFER, map->framebuffer);
    gl->Viewport(0, 0, map->side, map->side);
    gl->BindBufferBase(GL_UNIFORM_BUFFER, MD5GL_FRAME_BINDING, map->frame_block);
}

// Needed even if the frame has no shadows: a shadow sampler must be bound to a depth texture
// although the shader does not read it.
void md5gli_bind_shadows(md5gl_renderer *renderer)
{
    const GladGLContext *gl = &renderer->gl;
    const GLuint sun = renderer->maps[MD5GL_MAP_SUN].texture;
    const struct {
        enum md5gl_unit unit;
        GLuint texture, sampler;
    } lookups[] = {
        {MD5GL_UNIT_SUN, sun, renderer->compare_sampler},
        {MD5GL_UNIT_SUN_DEPTH, sun, renderer->depth_sampler},
        {MD5GL_UNIT_CONTACT, renderer->maps[MD5GL_MAP_CONTACT].texture, renderer->depth_sampler},
    };
    for (int i = 0; i < 3; i++) {
        md5gli_bind_texture(gl, lookups[i].unit, GL_TEXTURE_2D, lookups[i].texture);
        gl->BindSampler((GLuint)lookups[i].unit, lookups[i].sampler);
    }
}
