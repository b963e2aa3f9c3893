// Shadows are drawn with depth maps. One map is seen from the key light, which is the frame's
// directional light and is also called sun. One map is seen from below the ground and provides
// contact shadows, which darken the ground near the feet of a model. The other maps are seen from
// spot lights. A caster is an object that casts shadows.
//
// Models are drawn into all maps with the vertex shaders of the other passes. The host draws its
// own geometry. Opaque meshes use programs without a fragment stage, which are faster. On the
// ground, only the part that shadows can reach is drawn, because software GL runs the shadow
// filters for every pixel.
#include "render/gl_internal.h"

#include <math.h>
#include <string.h>

enum {
    DEFAULT_SIDE = 768,  // side of the key light's map, texels
    CONTACT_DIVISOR = 3, // the side of the contact map is smaller by this factor
    SPOT_SIDE = 512,     // side of a spot light's map, texels
};

static const float max_spot_angle = 150.0f; // largest field of view of a spot light's map, degrees
static const float spot_near = 0.005f; // near plane of that map, as a fraction of the light's range

// Range of the contact map above and below the ground, as fractions of the height of the casters. A
// flat caster would make the map empty. Therefore the height counts as at least the third value
// times the radius of the casters.
static const float contact_height = 0.26f;
static const float contact_depth = 0.06f;
static const float min_height_per_radius = 0.05f;

// Width of the border of the key light's map, in texels, that filtering and the offset of surfaces
// need.
static const float margin_texels = 4.0f;

// Largest radius around a point that shaders/shadow.glsl samples. The first value is a fraction of
// the width of the key light's map. The second is a fraction of the contact map's height above the
// ground. Both must match the shader.
static const float max_filter_radius = 0.06f;
static const float contact_radius = 0.75f;

// -- Maps -------------------------------------------------------------------------------------

// Allocates the depth texture of a map. The map is a square with sides of `texels` texels.
static void allocate_depth_texture(md5gl_renderer *renderer, GLuint texture, uint32_t texels)
{
    const GladGLContext *gl = &renderer->gl;
    const GLsizei side = (GLsizei)texels;
    md5gli_bind_texture(renderer, NULL, MD5GL_UNIT_TEXTURE, GL_TEXTURE_2D, texture);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, side, side, 0, GL_DEPTH_COMPONENT,
                   GL_UNSIGNED_INT, NULL);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
}

// Sets the side of the key light's map or of the contact map, in texels.
static void resize_map(md5gl_renderer *renderer, int index, uint32_t texels)
{
    md5gl_shadow_map *const map = &renderer->maps[index].shown;
    if (map->texels == texels)
        return;
    map->texels = texels;
    allocate_depth_texture(renderer, map->depth, texels);
}

// Sets the side of the maps of all spot lights, in texels. The four maps are the quarters of one
// texture.
static void resize_spot_maps(md5gl_renderer *renderer, uint32_t texels)
{
    md5gl_depth_map *const maps = &renderer->maps[MD5GL_MAP_SPOT];
    if (maps[0].shown.texels == texels)
        return;
    for (uint32_t i = 0; i < MD5GL_MAX_SPOT_SHADOWS; i++) {
        maps[i].shown.texels = texels;
        maps[i].shown.x = i % 2 * texels;
        maps[i].shown.y = i / 2 * texels;
    }
    allocate_depth_texture(renderer, maps[0].shown.depth, 2 * texels);
}

// Creates a sampler for depth maps. Outside of a map it returns the largest depth, so that nothing
// is shadowed there. OpenGL ES 3.0 has no border colors, so there the texels at the edge repeat.
// They are empty if the frame's bounds of the casters are correct. If `compare` is GL_NONE, shaders
// read depth values. Otherwise they read the result of a depth comparison.
static GLuint create_sampler(const md5gl_renderer *renderer, GLint filter, GLint compare)
{
    static const float largest_depth[4] = {1.0f, 1.0f, 1.0f, 1.0f};
    const GladGLContext *gl = &renderer->gl;
    const GLint wrap = renderer->is_es ? GL_CLAMP_TO_EDGE : GL_CLAMP_TO_BORDER;
    GLuint sampler = 0;
    gl->GenSamplers(1, &sampler);
    gl->SamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, filter);
    gl->SamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER, filter);
    gl->SamplerParameteri(sampler, GL_TEXTURE_WRAP_S, wrap);
    gl->SamplerParameteri(sampler, GL_TEXTURE_WRAP_T, wrap);
    if (!renderer->is_es)
        gl->SamplerParameterfv(sampler, GL_TEXTURE_BORDER_COLOR, largest_depth);
    gl->SamplerParameteri(sampler, GL_TEXTURE_COMPARE_MODE, compare);
    gl->SamplerParameteri(sampler, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    return sampler;
}

// Creates the texture and the framebuffer of a map. Returns false if the device does not support
// framebuffers without colors.
static bool create_map(md5gl_renderer *renderer, int index)
{
    const GladGLContext *gl = &renderer->gl;
    const GLenum none = GL_NONE;
    md5gl_depth_map *const map = &renderer->maps[index];
    gl->GenTextures(1, &map->shown.depth);
    if (index == MD5GL_MAP_SPOT)
        resize_spot_maps(renderer, 1); // until a frame has spot lights with shadows
    else
        resize_map(renderer, index, DEFAULT_SIDE);
    gl->GenFramebuffers(1, &map->framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, map->framebuffer);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, map->shown.depth,
                             0);
    gl->DrawBuffers(1, &none);
    gl->ReadBuffer(GL_NONE);
    return gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

// Creates the depth textures and framebuffers of all shadow maps: sun, contact shadows and spot
// lights. Sets has_shadows if the device supports them. Leaves a framebuffer bound.
void md5gli_create_shadows(md5gl_renderer *renderer)
{
    // OpenGL ES cannot filter depth values, only the results of a depth comparison. For equal
    // shadows on all systems, depth values are therefore read without a filter everywhere.
    renderer->compare_sampler = create_sampler(renderer, GL_LINEAR, GL_COMPARE_REF_TO_TEXTURE);
    renderer->depth_sampler = create_sampler(renderer, GL_NEAREST, GL_NONE);

    renderer->has_shadows = true;
    for (int i = 0; i < MD5GL_NUM_MAPS && renderer->has_shadows; i++) {
        md5gl_depth_map *const map = &renderer->maps[i];
        renderer->gl.GenBuffers(1, &map->frame_block);
        map->shown.kind = (md5gl_shadow_kind)(i < MD5GL_MAP_SPOT ? i : MD5GL_MAP_SPOT);
        map->shown.light = MD5_NONE;
        if (i <= MD5GL_MAP_SPOT) {
            renderer->has_shadows = create_map(renderer, i);
        } else { // all spot lights share one texture
            const md5gl_depth_map *const first_spot = &renderer->maps[MD5GL_MAP_SPOT];
            map->framebuffer = first_spot->framebuffer;
            map->shown.depth = first_spot->shown.depth;
        }
    }
}

// -- Views ------------------------------------------------------------------------------------

// An orthographic view. It transforms -half..half along each axis, relative to the center, to
// -1..1.
typedef struct box_view {
    md5_vec3 axes[3]; // unit vectors
    md5_vec3 center;
    float half[3];
} box_view;

// Returns the matrix from world space to the clip space of a view, for a map with sides of `texels`
// texels. The offset is rounded to whole texels. Shadow edges therefore do not flicker when the
// center moves.
static md5_mat44 view_matrix(const box_view *view, uint32_t texels)
{
    md5_mat44 matrix = {{0}};
    const float texels_per_unit = 0.5f * (float)texels;
    for (uint32_t row = 0; row < 3; row++) {
        const md5_vec3 axis = view->axes[row];
        const float unit = 1.0f / view->half[row];
        matrix.m[row] = axis.x * unit;
        matrix.m[4 + row] = axis.y * unit;
        matrix.m[8 + row] = axis.z * unit;
        const float offset = -md5_vec3_dot(axis, view->center) * unit;
        matrix.m[12 + row] = row < 2 ? floorf(offset * texels_per_unit) / texels_per_unit : offset;
    }
    matrix.m[15] = 1.0f;
    return matrix;
}

// Sets the view of a map for the current frame. `eye` has the format of md5gl_frame_block.eye.
static void set_view(md5gl_depth_map *map, md5_mat44 clip_from_world, const float eye[4])
{
    static const md5_mat44 half = {
        {0.5f, 0, 0, 0, 0, 0.5f, 0, 0, 0, 0, 0.5f, 0, 0.5f, 0.5f, 0.5f, 1}};
    map->shown.clip_from_world = clip_from_world;
    map->shown.map_from_world = md5_mat44_mul(half, clip_from_world);
    memcpy(map->eye, eye, sizeof map->eye);
}

// -- Point lights -----------------------------------------------------------------------------

static const float radians_per_degree = 3.14159265f / 180.0f;

// Returns the direction of a spot light as a unit vector. Returns straight down if the light's
// direction is not a valid vector.
static md5_vec3 spot_direction(const md5gl_point_light *light)
{
    const float length = sqrtf(md5_vec3_dot(light->direction, light->direction));
    if (length > 0.0f && isfinite(length))
        return md5_vec3_scale(light->direction, 1.0f / length);
    return (md5_vec3){0.0f, 0.0f, -1.0f};
}

// Writes the cone of a spot light for the shader. The intensity rises from 0 at the outer angle to
// 1 at the inner angle. It is a linear function of the cosine of the angle. The shader therefore
// needs only one dot product, with the unit vector d from the surface to the light:
//
//   intensity = cone[0..2] . d + cone[3]
static void write_cone(const md5gl_point_light *light, md5_vec3 axis, float cone[4])
{
    const float angle = fminf(0.5f * light->cone, 180.0f) * radians_per_degree;
    const float edge = light->cone_edge > 0.0f ? fminf(light->cone_edge, 1.0f) : 0.2f;
    const float rise = 1.0f / fmaxf(cosf(angle * (1.0f - edge)) - cosf(angle), 1e-4f);
    cone[0] = -axis.x * rise;
    cone[1] = -axis.y * rise;
    cone[2] = -axis.z * rise;
    cone[3] = -cosf(angle) * rise;
}

// Sets the view of a spot light's map. `index` counts only the maps of spot lights. Writes the
// matrix of the view and the width of the map at distance 1 from the light to the block.
// begin_spot_maps() later divides this width by the number of texels.
static void begin_spot(md5gl_renderer *renderer, const md5gl_point_light *light, md5_vec3 axis,
                       uint32_t index, md5gl_frame_block *block)
{
    static const md5_vec3 up = {0.0f, 0.0f, 1.0f};
    const md5_vec3 position = light->position;
    const float eye[4] = {position.x, position.y, position.z, 1};
    const float fov = fminf(light->cone, max_spot_angle);
    const md5_mat44 view = md5_mat44_look_at(position, md5_vec3_add(position, axis), up);
    const md5_mat44 clip = md5_mat44_perspective(fov, 1.0f, spot_near * light->range, light->range,
                                                 MD5_DEPTH_MINUS_ONE_TO_ONE);
    md5gl_depth_map *const map = &renderer->maps[MD5GL_MAP_SPOT + index];
    set_view(map, md5_mat44_mul(clip, view), eye);
    memcpy(block->spot_from_world[index], map->shown.map_from_world.m, sizeof(md5_mat44));
    block->spot_texels[index] = 2.0f * tanf(0.5f * fov * radians_per_degree);
}

// Returns true if a point light is a spot light, which shines only in a cone.
static bool is_spot_light(const md5gl_point_light *light)
{
    return light->cone > 0.0f; // false for NaN
}

// Writes a point light to the uniform block, as element `index` of its arrays.
static void write_point_light(const md5gl_point_light *light, uint32_t index,
                              md5gl_frame_block *block)
{
    float *const position = block->point_positions[index];
    position[0] = light->position.x;
    position[1] = light->position.y;
    position[2] = light->position.z;
    position[3] = light->range;
    memcpy(block->point_colors[index], light->color, sizeof light->color);
    block->point_cones[index][3] = 1.0f; // without a cone, the intensity is 1 in all directions
    if (is_spot_light(light))
        write_cone(light, spot_direction(light), block->point_cones[index]);
}

// Writes the point lights of a frame, including spot lights, to the uniform block. Sets the views
// of the spot lights with shadow maps. Returns the number of these maps. Lights without a range are
// skipped.
static uint32_t begin_lights(md5gl_renderer *renderer, const md5gl_frame *frame,
                             md5gl_frame_block *block)
{
    uint32_t num_lights = 0;
    uint32_t num_maps = 0;
    for (uint32_t i = 0; i < frame->num_point_lights && num_lights < MD5GL_MAX_POINT_LIGHTS; i++) {
        const md5gl_point_light *const light = &frame->point_lights[i];
        const bool has_range = light->range > 0.0f; // false for NaN
        if (!has_range)
            continue;
        const uint32_t index = num_lights++;
        write_point_light(light, index, block);
        if (!is_spot_light(light) || !light->casts_shadow || num_maps == MD5GL_MAX_SPOT_SHADOWS)
            continue;

        begin_spot(renderer, light, spot_direction(light), num_maps, block);
        renderer->maps[MD5GL_MAP_SPOT + num_maps].shown.light = i;
        num_maps++;
        block->point_colors[index][3] = (float)num_maps; // 1 + index of the map, or 0
    }
    block->mode[2] = (float)num_lights;
    renderer->num_lights = num_lights;
    return num_maps;
}

// -- Frames -----------------------------------------------------------------------------------

// The extent of a frame's shadow maps, units.
typedef struct shadow_sizes {
    float radius;        // radius of the key light's map
    float width;         // width of the contact map
    float heights[2];    // range of the contact map above and below the ground
    float filter;        // largest radius of a shadow's edge, as a fraction of the key light's map
    float sun_reach;     // distance from its hard shadow at which a caster still darkens points
    float contact_reach; // the same for contact shadows
} shadow_sizes;

// Rounds a length up to the next of a series of lengths. They are 1, 1.25, 1.5, 1.75, and these
// multiplied by powers of 2. Maps therefore keep their scale while the pose changes only slightly.
// view_matrix() then also keeps their texels, so edges do not flicker.
//
// A float has a fraction of 23 bits. In the lengths of the series, only its highest two bits are
// used. Rounding up can carry from the fraction into the exponent, which gives the correct power of
// 2.
static float round_up_length(float length)
{
    const uint32_t mask = (1u << 21) - 1; // the lowest 21 of the 23 bits of the fraction
    uint32_t bits;
    memcpy(&bits, &length, sizeof bits);
    bits = (bits + mask) & ~mask;
    memcpy(&length, &bits, sizeof bits);
    return length;
}

// Returns the side of the key light's map in texels, as the frame requests it.
static uint32_t requested_side(const md5gl_frame *frame)
{
    return frame->shadow_texels > 0 ? frame->shadow_texels : DEFAULT_SIDE;
}

// Returns true if the frame has shadows of the key light.
static bool has_sun_shadows(const md5gl_frame *frame, float radius)
{
    if (frame->no_shadows)
        return false;
    return frame->casters.min.x <= frame->casters.max.x && radius > 0.0f && isfinite(radius);
}

// Returns the radius of a sphere around bounds of this size. It is half of the diagonal and a
// margin of 2 %.
static float sphere_radius(md5_vec3 size)
{
    static const float radius_per_diagonal = 0.51f;
    return radius_per_diagonal * sqrtf(md5_vec3_dot(size, size));
}

// Returns the largest distance between a caster and its shadow on the ground. Light travels this
// distance from the top of the casters' bounding box down to its bottom.
static float longest_shadow(const md5gl_frame *frame, float height)
{
    static const float min_slope = 1e-6f; // slope of a light along the ground
    const md5_vec3 light = frame->light_direction;
    const float length = sqrtf(md5_vec3_dot(light, light));
    return height * length / fmaxf(fabsf(light.z), min_slope);
}

// Computes the extent of the key light's map for casters with bounds of this size. `margin` is the
// fraction of the map that filtering and the offset of surfaces need at its border. The penumbra,
// the soft edge of a shadow, becomes wider with the distance between caster and shadow.
static void measure_sun_map(const md5gl_frame *frame, md5_vec3 size, float margin,
                            shadow_sizes *sizes)
{
    const float radius = fmaxf(sphere_radius(size), frame->shadow_radius);
    sizes->radius = round_up_length(radius);
    const float map_width = 2.0f * sizes->radius;
    const float penumbra = frame->softness * longest_shadow(frame, size.z) / map_width;
    sizes->filter = fminf(fmaxf(penumbra, margin), max_filter_radius);
    sizes->sun_reach = map_width * (sizes->filter + margin);
}

// Computes the extent of the contact map for casters with bounds of this size. `margin` is as in
// measure_sun_map(). Casters also darken points next to them, so the map is wider than the casters.
static void measure_contact_map(const md5gl_frame *frame, md5_vec3 size, float margin,
                                shadow_sizes *sizes)
{
    const float min_height = min_height_per_radius * round_up_length(sphere_radius(size));
    const float height = fmaxf(size.z, min_height);
    const float above_ground = contact_height * height;
    const float border = 1.05f * contact_radius * above_ground;
    const float width = 1.02f * fmaxf(size.x, size.y) + 2.0f * border;
    sizes->width = round_up_length(fmaxf(width, 2.0f * frame->shadow_radius));
    sizes->heights[0] = above_ground;
    sizes->heights[1] = contact_depth * height;
    sizes->contact_reach = border + (float)CONTACT_DIVISOR * margin * sizes->width;
}

// Computes the extents of the key light's map and of the contact map from the bounds of the frame's
// casters. Returns false if the frame has no shadows of the key light.
static bool measure_maps(const md5gl_frame *frame, shadow_sizes *sizes)
{
    const md5_vec3 size = md5_vec3_sub(frame->casters.max, frame->casters.min);
    const float margin = margin_texels / (float)requested_side(frame);
    measure_sun_map(frame, size, margin, sizes);
    measure_contact_map(frame, size, margin, sizes);
    return has_sun_shadows(frame, sizes->radius);
}

// Returns the distance in units by which shadows can extend beyond the bounds of an object. Hosts
// need it for culling. Returns 0 in a frame without shadows.
float md5gl_shadow_reach(const md5gl_frame *frame)
{
    MD5_ASSERT_NOT_NULL(frame);
    MD5_ASSERT_RESERVED(frame);
    shadow_sizes sizes;
    if (!measure_maps(frame, &sizes))
        return 0.0f;
    const float contact = sizes.contact_reach;
    const float height = sizes.heights[0];
    return fmaxf(sizes.sun_reach, sqrtf(contact * contact + height * height));
}

// Computes the part of the ground that shadows can reach. Only that part is drawn, because the
// filters of shadows are slow.
//
// The part is the area over which a rectangle sweeps when it moves away from the light. The
// rectangle is the area below the casters, enlarged by the softness of their shadows. A light from
// below casts no shadows on the ground, so the rectangle then does not move.
//
// `to_light` is a unit vector.
static md5gl_shaded_ground find_shaded_ground(const md5gl_frame *frame, const shadow_sizes *sizes,
                                              const float to_light[3])
{
    // The smallest z of the direction to the light that is used. It limits the length of shadows.
    static const float min_light_height = 1e-3f;
    const md5_bounds bounds = frame->casters;
    const float min[2] = {bounds.min.x, bounds.min.y};
    const float max[2] = {bounds.max.x, bounds.max.y};
    const float caster_height = fmaxf(bounds.max.z - frame->ground, 0.0f) + sizes->sun_reach;
    const float reach = fmaxf(sizes->sun_reach, sizes->contact_reach);
    float near_corner[2];
    float far_corner[2];
    float shift[2];
    for (uint32_t axis = 0; axis < 2; axis++) {
        // A point at the height h above the ground casts its shadow away from the light. The shadow
        // is at the distance slope * h from the point on the ground below.
        float slope = 0.0f;
        if (to_light[2] > 0.0f)
            slope = to_light[axis] / fmaxf(to_light[2], min_light_height);

        // Begin the movement outside of the casters, on the side of the light.
        const float start = slope * sizes->sun_reach;
        const float lower = min[axis] - reach + start;
        const float upper = max[axis] + reach + start;
        shift[axis] = -slope * caster_height - start;
        const bool moves_down = shift[axis] < 0.0f; // to smaller coordinates
        near_corner[axis] = moves_down ? upper : lower;
        far_corner[axis] = moves_down ? lower : upper;
    }
    return (md5gl_shaded_ground){
        .near_corner = {near_corner[0], near_corner[1]},
        .far_corner = {far_corner[0], far_corner[1]},
        .shift = {shift[0], shift[1]},
    };
}

// Returns a unit vector that is perpendicular to a unit vector.
static md5_vec3 perpendicular(md5_vec3 v)
{
    // Select an axis that is not nearly parallel to the vector.
    const md5_vec3 reference =
        fabsf(v.z) < 0.9f ? (md5_vec3){0.0f, 0.0f, 1.0f} : (md5_vec3){1.0f, 0.0f, 0.0f};
    const md5_vec3 side = md5_vec3_cross(reference, v);
    const float length = sqrtf(md5_vec3_dot(side, side));
    return (md5_vec3){side.x / length, side.y / length, side.z / length};
}

// Returns the key light's view of a sphere around the casters. `away` is the unit vector from the
// light to the scene.
static box_view sun_view(md5_vec3 center, float radius, md5_vec3 away)
{
    const md5_vec3 side = perpendicular(away);
    return (box_view){
        .axes = {side, md5_vec3_cross(away, side), away},
        .center = center,
        .half = {radius, radius, radius},
    };
}

// Returns the view from below the ground straight up. The lowest caster has the smallest depth, so
// the map contains its height.
static box_view contact_view(md5_vec3 center, float ground, const shadow_sizes *sizes)
{
    const float above = sizes->heights[0];
    const float below = sizes->heights[1];
    const float half = 0.5f * sizes->width;
    return (box_view){
        .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        .center = {center.x, center.y, ground + 0.5f * (above - below)},
        .half = {half, half, 0.5f * (above + below)},
    };
}

// Sets the size and the view of a map. Writes its matrix to *map_from_world, a member of the block.
static void begin_map(md5gl_renderer *renderer, int index, uint32_t texels, const box_view *view,
                      const float eye[4], float *map_from_world)
{
    md5gl_depth_map *const map = &renderer->maps[index];
    resize_map(renderer, index, texels);
    set_view(map, view_matrix(view, texels), eye);
    memcpy(map_from_world, map->shown.map_from_world.m, sizeof(md5_mat44));
}

// Writes the vectors `shadow` and `contact` of shaders/frame.glsl. They contain the sizes of the
// maps, from which the shaders compute the width of a shadow's edge.
static void write_map_sizes(const md5gl_frame *frame, const shadow_sizes *sizes,
                            md5gl_frame_block *block)
{
    block->shadow[0] = 1.0f; // shadows are enabled
    block->shadow[1] = frame->softness > 0.0f ? frame->softness : 0.0f;
    block->shadow[2] = 2.0f * sizes->radius;
    block->shadow[3] = sizes->filter;
    block->contact[0] = sizes->width;
    block->contact[1] = sizes->heights[0];
    block->contact[2] = sizes->heights[1];
    block->contact[3] = 0.0f;
}

// Prepares the key light's map and the contact map for the casters of a frame. Sets their sizes and
// views, and writes the values that shaders need to read them to the block. Also finds the part of
// the ground that these shadows can reach.
static void begin_sun(md5gl_renderer *renderer, const md5gl_frame *frame, md5gl_frame_block *block,
                      const shadow_sizes *sizes)
{
    const md5_bounds bounds = frame->casters;
    const md5_vec3 center = md5_vec3_scale(md5_vec3_add(bounds.min, bounds.max), 0.5f);
    const uint32_t limit = renderer->max_texture_size;
    const uint32_t requested = requested_side(frame);
    const uint32_t texels = requested < limit ? requested : limit;

    // Both views are orthographic, so their eye is a direction: its last element is 0.
    const float *const to_light = block->light_direction;
    const md5_vec3 away = {-to_light[0], -to_light[1], -to_light[2]};
    const float sun_eye[4] = {to_light[0], to_light[1], to_light[2], 0.0f};
    const box_view sun = sun_view(center, sizes->radius, away);
    begin_map(renderer, MD5GL_MAP_SUN, texels, &sun, sun_eye, block->sun_from_world);

    static const float below[4] = {0, 0, -1, 0};
    const uint32_t contact_texels = texels >= CONTACT_DIVISOR ? texels / CONTACT_DIVISOR : 1;
    const box_view contact = contact_view(center, frame->ground, sizes);
    begin_map(renderer, MD5GL_MAP_CONTACT, contact_texels, &contact, below,
              block->contact_from_world);

    write_map_sizes(frame, sizes, block);
    renderer->shaded_ground = find_shaded_ground(frame, sizes, to_light);
}

// Returns the bounds of all models that have instances, in world space.
static md5_bounds find_casters(const md5gl_renderer *renderer)
{
    md5_bounds casters = md5_bounds_from_points(NULL, 0);
    for (const md5gl_model *model = renderer->models; model; model = model->next) {
        if (model->num_batches > 0)
            casters = md5_bounds_union(casters, model->posed);
    }
    return casters;
}

// Returns the lit pass whose programs also read the maps of spot lights.
static enum md5gl_pass pass_with_spots(enum md5gl_pass pass)
{
    if (pass == MD5GL_PASS_LIT)
        return MD5GL_PASS_LIT_SPOTS;
    if (pass == MD5GL_PASS_LIT_CLASSIC)
        return MD5GL_PASS_LIT_CLASSIC_SPOTS;
    return MD5GL_PASS_LIT_ENVIRONMENT_SPOTS;
}

// Sets the size of the spot lights' maps, and selects the program that reads them.
static void begin_spot_maps(md5gl_renderer *renderer, const md5gl_frame *frame, uint32_t num_spots,
                            md5gl_frame_block *block)
{
    const uint32_t limit = renderer->max_texture_size / 2; // four maps form one texture
    const uint32_t texels = frame->spot_texels > 0 ? frame->spot_texels : SPOT_SIDE;
    renderer->lit_pass = pass_with_spots(renderer->lit_pass);
    resize_spot_maps(renderer, texels < limit ? texels : limit);
    for (uint32_t i = 0; i < num_spots; i++)
        block->spot_texels[i] /= (float)renderer->maps[MD5GL_MAP_SPOT].shown.texels;
}

// Uploads the uniform block for drawing a map. It is the frame's block, but with the matrix and the
// eye of the map's view.
static void upload_map_block(md5gl_renderer *renderer, const md5gl_depth_map *map,
                             const md5gl_frame_block *block)
{
    md5gl_frame_block map_block = *block;
    memcpy(map_block.clip_from_world, map->shown.clip_from_world.m,
           sizeof map_block.clip_from_world);
    memcpy(map_block.eye, map->eye, sizeof map_block.eye);
    md5gli_stream(renderer, GL_UNIFORM_BUFFER, map->frame_block, &map_block, sizeof map_block);
}

// Returns a copy of a frame that has the bounds of its casters. If the host has not set them, the
// casters are all posed models. `casters_are_set` then becomes false, so that md5gl_pose() computes
// their bounds.
static md5gl_frame with_casters(md5gl_renderer *renderer, const md5gl_frame *frame)
{
    static const md5_bounds unset = {0};
    md5gl_frame complete = *frame;
    renderer->casters_are_set =
        frame->no_shadows || memcmp(&frame->casters, &unset, sizeof unset) != 0;
    if (!renderer->casters_are_set)
        complete.casters = find_casters(renderer);
    return complete;
}

// Selects the shadow maps of a frame, a range of the array of maps. The maps of the key light
// (MD5GL_MAP_SUN and MD5GL_MAP_CONTACT) come first if it casts shadows. The maps of spot lights
// follow.
static void select_maps(md5gl_renderer *renderer, bool has_sun, uint32_t num_spots)
{
    const uint32_t first = has_sun ? MD5GL_MAP_SUN : MD5GL_MAP_SPOT;
    const uint32_t end = MD5GL_MAP_SPOT + num_spots;
    const bool needs_shadows = first < end;
    renderer->shadowed = needs_shadows && renderer->has_shadows;
    renderer->shadows_unsupported = needs_shadows && !renderer->has_shadows;
    renderer->first_map = first;
    renderer->end_map = renderer->shadowed ? end : first;
}

// Uploads the views of the frame's maps and clears the maps.
static void clear_maps(md5gl_renderer *renderer, const md5gl_frame_block *block)
{
    for (uint32_t i = renderer->first_map; i < renderer->end_map; i++) {
        upload_map_block(renderer, &renderer->maps[i], block);
        md5gli_bind_map(renderer, &renderer->maps[i]);
        if (i <= MD5GL_MAP_SPOT) // the first map of spot lights clears all four quarters
            renderer->gl.Clear(GL_DEPTH_BUFFER_BIT);
    }
}

// Begins the shadows of a frame. Selects the shadow maps and computes their views. Writes the point
// lights and shadows to the frame's uniform block, and clears the maps. Leaves other framebuffers
// bound.
void md5gli_begin_shadows(md5gl_renderer *renderer, const md5gl_frame *frame,
                          md5gl_frame_block *block)
{
    const md5gl_frame complete = with_casters(renderer, frame);
    shadow_sizes sizes;
    const bool has_sun = measure_maps(&complete, &sizes);
    const uint32_t num_spots = begin_lights(renderer, frame, block);
    select_maps(renderer, has_sun, num_spots);
    renderer->shaded_ground = (md5gl_shaded_ground){0};
    if (!renderer->shadowed)
        return;

    block->shadow[0] = 1.0f; // shadows are enabled
    // Disable the shadows of the key light until begin_sun() replaces these matrices. All other
    // elements are 0, so every point gets x = 2, which is outside of the map.
    block->sun_from_world[12] = 2.0f;
    block->contact_from_world[12] = 2.0f;
    if (has_sun)
        begin_sun(renderer, &complete, block, &sizes);
    if (num_spots > 0)
        begin_spot_maps(renderer, frame, num_spots, block);
    clear_maps(renderer, block);
}

// Binds a map for drawing into it.
void md5gli_bind_map(md5gl_renderer *renderer, const md5gl_depth_map *map)
{
    const GladGLContext *gl = &renderer->gl;
    const GLsizei side = (GLsizei)map->shown.texels;
    gl->BindFramebuffer(GL_FRAMEBUFFER, map->framebuffer);
    gl->Viewport((GLint)map->shown.x, (GLint)map->shown.y, side, side);
    gl->BindBufferBase(GL_UNIFORM_BUFFER, MD5GL_FRAME_BINDING, map->frame_block);
}

// Binds the shadow maps to consecutive units. They must be bound even if the frame has no shadows.
// A shadow sampler must refer to a depth texture, even if the shader does not read it.
void md5gli_bind_shadows(md5gl_renderer *renderer, uint32_t first_unit, uint32_t count)
{
    const GladGLContext *gl = &renderer->gl;
    // The same order as enum md5gl_unit from MD5GL_UNIT_SUN on. The key light's map is bound twice,
    // because shaders read it with and without a depth comparison.
    static const struct {
        uint8_t map;
        bool is_compared; // read with a depth comparison
    } units[MD5GL_NUM_SHADOW_UNITS] = {{MD5GL_MAP_SUN, true},
                                       {MD5GL_MAP_SUN, false},
                                       {MD5GL_MAP_CONTACT, false},
                                       {MD5GL_MAP_SPOT, true}};
    for (uint32_t i = 0; i < count; i++) {
        const GLuint sampler =
            units[i].is_compared ? renderer->compare_sampler : renderer->depth_sampler;
        gl->ActiveTexture(GL_TEXTURE0 + first_unit + i);
        gl->BindTexture(GL_TEXTURE_2D, renderer->maps[units[i].map].shown.depth);
        gl->BindSampler(first_unit + i, sampler);
    }
}

// -- Hosts ------------------------------------------------------------------------------------

// Connects a shader program of the host with the lights and shadow maps of the frame. The program
// must contain the code of md5gl_shadow_glsl(). `first_unit` is the first of MD5GL_NUM_SHADOW_UNITS
// consecutive texture units. `binding` is an index of uniform buffers.
void md5gl_use_shadows(md5gl_renderer *renderer, uint32_t program, uint32_t first_unit,
                       uint32_t binding)
{
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    static const char *const samplers[MD5GL_NUM_SHADOW_UNITS] = {
        "md5gl_sun", "md5gl_sun_depth", "md5gl_contact_map", "md5gl_spots"};
    MD5GL_ASSERT_IN_FRAME(renderer);
    const GladGLContext *gl = &renderer->gl;
    MD5_ASSERT(gl->IsProgram(program), "program: must be a program of this context");
    const GLuint block = gl->GetUniformBlockIndex(program, "md5gl_Frame");
    if (block != GL_INVALID_INDEX)
        gl->UniformBlockBinding(program, block, binding);
    gl->BindBufferBase(GL_UNIFORM_BUFFER, binding, renderer->frame_block);
    gl->UseProgram(program);
    for (uint32_t i = 0; i < MD5GL_NUM_SHADOW_UNITS; i++)
        gl->Uniform1i(gl->GetUniformLocation(program, samplers[i]), (GLint)(first_unit + i));
    md5gli_bind_shadows(renderer, first_unit, MD5GL_NUM_SHADOW_UNITS);
}
