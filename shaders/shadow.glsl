// How much of the key light reaches a point, and how much of the sky a point on the ground sees.
uniform sampler2DShadow sun;   // with depth comparison; filtered over four texels
uniform sampler2D sun_depth;   // the same map, read as depth values
uniform sampler2D contact_map; // height above the ground of the lowest caster, 1 = none

const float GOLDEN_ANGLE = 2.39996323; // radians

// Returns point `i` of `count` spread evenly over a disc of radius 1 (Vogel's sunflower spiral).
vec2 spread(int i, int count)
{
    float angle = float(i) * GOLDEN_ANGLE;
    return sqrt((float(i) + 0.5) / float(count)) * vec2(cos(angle), sin(angle));
}

// Returns the visibility of the key light, 1 = full light. Edges get softer with the distance of
// the caster, as under an area light: first the mean depth of the blockers is found, then a filter
// of the resulting width is applied (Fernando, "Percentage-Closer Soft Shadows", 2005). The
// compared depth follows the plane of the surface, so that a surface does not shadow itself.
const int BLOCKER_TAPS = 6, FILTER_TAPS = 12;
const float MAX_SLOPE = 6.0;
float sunlight(vec3 position, vec3 normal)
{
    if (shadow.x == 0.0)
        return 1.0;
    float texel = 1.0 / float(textureSize(sun_depth, 0).x);
    vec3 at = (sun_from_world * vec4(position + normal * (1.5 * texel * shadow.z), 1.0)).xyz;
    if (any(greaterThan(abs(at.xy - 0.5), vec2(0.5))))
        return 1.0;
    float depth = at.z - texel;
    if (shadow.y <= 0.0)
        return textureLod(sun, vec3(at.xy, min(depth, 1.0)), 0.0);

    // The map's scale is the same in width and depth, so the slope follows from the normal alone.
    vec3 across = mat3(sun_from_world) * normal;
    vec2 slope = clamp(across.xy / max(-across.z, 1e-6), -MAX_SLOPE, MAX_SLOPE);
    float sum = 0.0, count = 0.0;
    for (int i = 0; i < BLOCKER_TAPS; i++) {
        vec2 offset = shadow.w * spread(i, BLOCKER_TAPS);
        float blocker = textureLod(sun_depth, at.xy + offset, 0.0).r;
        float gap = depth + dot(slope, offset) - blocker;
        float blocks = step(0.0, gap);
        sum += blocks * gap;
        count += blocks;
    }
    if (count == 0.0)
        return 1.0;
    float radius = clamp(0.5 * shadow.y * sum / count, 1.2 * texel, shadow.w);
    float lit = 0.0;
    for (int i = 0; i < FILTER_TAPS; i++) {
        vec2 offset = radius * spread(i, FILTER_TAPS);
        float reference = min(depth + dot(slope, offset) - texel, 1.0);
        lit += textureLod(sun, vec3(at.xy + offset, reference), 0.0);
    }
    return lit / float(FILTER_TAPS);
}

// Returns the part of the sky that casters close above a point of the ground hide from it.
const int CONTACT_TAPS = 12;
float contact_shade(vec3 position)
{
    vec2 at = (contact_from_world * vec4(position, 1.0)).xy;
    if (shadow.x == 0.0 || any(greaterThan(abs(at - 0.5), vec2(0.5))))
        return 0.0;
    float reach = contact.y * 0.75 / contact.x; // contact_radius in render/shadow.c
    float hidden = 0.0;
    for (int i = 0; i < CONTACT_TAPS; i++) {
        float height = textureLod(contact_map, at + reach * spread(i, CONTACT_TAPS), 0.0).r;
        height = (height * (contact.y + contact.z) - contact.z) / contact.y;
        float proximity = 1.0 - clamp(height, 0.0, 1.0);
        hidden += proximity * proximity;
    }
    return hidden / float(CONTACT_TAPS);
}
