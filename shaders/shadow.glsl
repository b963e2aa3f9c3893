// Computes the visibility of the key light at a point, and the contact shadow of a point on the ground.
uniform sampler2DShadow sun;   // with depth comparison; filtered over four texels
uniform sampler2D sun_depth;   // the same map, read as depth values
uniform sampler2D contact_map; // height of the lowest caster above the ground; 1: no caster

// A tap is one sample of a shadow map. Taps are distributed evenly over a disc of radius 1. Tap i
// of n is at the radius sqrt((i + 0.5) / n), rotated by the golden angle from the previous tap
// (Vogel's sunflower spiral). Tap -1 is at the center. Tables of taps are not used, because shading
// of the ground then takes 1.5 times as long on software GL.
const int BLOCKER_TAPS = 6, FILTER_TAPS = 12;
const mat2 GOLDEN = mat2(-0.7373689, 0.6754903, -0.6754903, -0.7373689);

// Returns the position of tap i of n, and rotates `rotation` to the next tap.
vec2 next_tap(int i, int n, inout vec2 rotation)
{
    vec2 tap = sqrt(max(float(i) + 0.5, 0.0) / float(n)) * rotation;
    rotation = GOLDEN * rotation;
    return tap;
}

// Returns the rotation of the taps of a pixel. Each block of 2 x 2 pixels has another angle
// (Jimenez, "Next Generation Post Processing in Call of Duty", 2014). With equal angles, each tap
// would show a copy of the shadow's edge. ground.frag averages three pixels of a block. Their
// angles differ by 120 degrees, so the average has taps in all directions. All machines must read
// the same texels. The function therefore uses integers and no sines, because their last digits
// depend on the driver.
vec2 pixel_rotation()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy), square = pixel >> 1;
    int part = ((square.x * 4398 + square.y * 383) & 65535) * 3391 >> 6 & 65535; // 65536ths of 90 degrees
    float tangent = float(part) / 65536.0 * 0.4142; // tangent of half the angle
    vec2 rotation = vec2(1.0 - tangent * tangent, 2.0 * tangent) / (1.0 + tangent * tangent);
    const mat2 THIRD = mat2(-0.5, 0.8660254, -0.8660254, -0.5); // a rotation by 120 degrees
    rotation = (pixel.x & 1) == 0 ? rotation : THIRD * rotation;
    return (pixel.y & 1) == 0 ? rotation : rotation * THIRD; // by -120 degrees
}

// Rotation of the first tap. ground.frag sets another rotation in each pixel. On models it is equal in
// all pixels, so that they do not show noise.
vec2 first_rotation = vec2(1.0, 0.0);
// Half of the width of the shadow's edge at the point of the last call of sunlight(), as a fraction of
// the map's width. If no tap found a blocker, this is the largest possible value, because the taps can
// have missed a narrow caster.
float edge = 0.0;

// Returns the visibility of the key light, where 1 is full light. Shadow edges get softer with the
// distance of the caster, as under an area light. First the mean depth of the blockers is found,
// then a filter of the corresponding width is applied (Fernando, "Percentage-Closer Soft Shadows",
// 2005). The compared depth follows the plane of the surface, so that a surface does not shadow
// itself.
//
// Software GL executes both sides of branches and skips only loops. Pixels that need no filter
// therefore use loops with 0 iterations instead of an early return.
const float MAX_SLOPE = 6.0;
float sunlight(vec3 position, vec3 normal)
{
    float texel = 1.0 / float(textureSize(sun_depth, 0).x);
    vec3 at = (sun_from_world * vec4(position + normal * (1.5 * texel * shadow.z), 1.0)).xyz;
    float depth = at.z - texel;
    bool inside = shadow.x != 0.0 && all(lessThanEqual(abs(at.xy - 0.5), vec2(0.5)));

    // The scale of the map is the same in width and depth, so the slope depends only on the normal.
    vec3 across = mat3(sun_from_world) * normal;
    vec2 slope = clamp(across.xy / max(-across.z, 1e-6), -MAX_SLOPE, MAX_SLOPE);

    // A blocker is a tap at which the map contains a caster, nearer to the light than the surface.
    // Count the blockers, and add up their distances from the surface along the light.
    bool soft = shadow.y > 0.0;
    int num_blockers = inside && soft ? BLOCKER_TAPS : -1;
    float sum = 0.0, count = 0.0;
    vec2 rotation = first_rotation * GOLDEN; // rotated back by one tap
    for (int i = -1; i < num_blockers; i++) { // tap -1 finds a narrow caster in the middle
        vec2 offset = shadow.w * next_tap(i, BLOCKER_TAPS, rotation);
        float blocker = textureLod(sun_depth, at.xy + offset, 0.0).r;
        float gap = depth + dot(slope, offset) - blocker;
        float blocks = step(0.0, gap);
        sum += blocks * gap;
        count += blocks;
    }
    // Filter with a radius that is proportional to the mean distance of the blockers.
    int num_filters = 0;
    if (inside && !soft)
        num_filters = 1;
    else if (inside && count > 0.0)
        num_filters = FILTER_TAPS;
    float radius = soft ? clamp(0.5 * shadow.y * sum / max(count, 1.0), 1.2 * texel, shadow.w) : 0.0;
    float lit = 0.0;
    edge = count > 0.0 ? radius : shadow.w;
    rotation = first_rotation;
    for (int i = 0; i < num_filters; i++) {
        vec2 offset = radius * next_tap(i, FILTER_TAPS, rotation);
        float reference = depth + dot(slope, offset) - (soft ? texel : 0.0);
        lit += textureLod(sun, vec3(at.xy + offset, min(reference, 1.0)), 0.0);
    }
    return num_filters > 0 ? lit / float(num_filters) : 1.0;
}

// Returns the fraction of the sky that casters close above a point hide from it. A caster far below
// the point is ignored, because it is on lower ground next to the point.
float contact_shade(vec3 position)
{
    vec3 at = (contact_from_world * vec4(position, 1.0)).xyz;
    bool inside = shadow.x != 0.0 && all(lessThanEqual(abs(at.xy - 0.5), vec2(0.5)));
    int num_taps = inside ? FILTER_TAPS : 0;
    float reach = contact.y * 0.75 / contact.x; // contact_radius in render/shadow.c
    vec2 rotation = reach * first_rotation;
    float hidden = 0.0;
    for (int i = 0; i < num_taps; i++) {
        float lowest = textureLod(contact_map, at.xy + next_tap(i, FILTER_TAPS, rotation), 0.0).r;
        float height = (lowest - at.z) * (contact.y + contact.z) / contact.y;
        float proximity = 1.0 - clamp(height, 0.0, 1.0);
        // Outer taps have less weight, so that the contact shadow has no edge.
        float tap_weight = 2.0 - 2.0 * (float(i) + 0.5) / float(FILTER_TAPS);
        hidden += lowest < 1.0 && height > -0.5 ? tap_weight * proximity * proximity : 0.0;
    }
    return hidden / float(FILTER_TAPS);
}
