// How much of the key light reaches a point, and how much of the sky's a point on the ground.
uniform sampler2DShadow sun;   // compared with; filtered over four texels
uniform sampler2D sun_depth;   // the same map, depth as a number
uniform sampler2D contact_map; // height above the ground of the lowest thing, 1 = nothing

const float GOLDEN = 2.39996323; // radians between two points of a sunflower's head

// Point `i` of `count` spread evenly over a disc of radius 1.
vec2 spread(int i, int count)
{
    float angle = float(i) * GOLDEN;
    return sqrt((float(i) + 0.5) / float(count)) * vec2(cos(angle), sin(angle));
}

// Edges are the softer the farther off what casts the shadow is, as under a lamp with a size:
// first the mean depth of what stands between, then a filter of the width that this makes
// (Fernando, "Percentage-Closer Soft Shadows", 2005). A surface does not shade itself: what is
// compared with follows its plane. 1 = full light.
const int LOOKS = 6, TAPS = 12;
const float STEEPEST = 6.0;
float sunlight(vec3 place, vec3 normal)
{
    if (shadow.x == 0.0)
        return 1.0;
    float texel = 1.0 / float(textureSize(sun_depth, 0).x);
    vec3 at = (sun_from_world * vec4(place + normal * (1.5 * texel * shadow.z), 1.0)).xyz;
    if (any(greaterThan(abs(at.xy - 0.5), vec2(0.5))))
        return 1.0;
    float depth = at.z - texel;
    if (shadow.y <= 0.0)
        return textureLod(sun, vec3(at.xy, min(depth, 1.0)), 0.0);

    // Across and along the map units are the same, so the plane's slope is that of its normal.
    vec3 across = mat3(sun_from_world) * normal;
    vec2 slope = clamp(across.xy / max(-across.z, 1e-6), -STEEPEST, STEEPEST);
    float sum = 0.0, count = 0.0;
    for (int i = 0; i < LOOKS; i++) {
        vec2 offset = shadow.w * spread(i, LOOKS);
        float between = textureLod(sun_depth, at.xy + offset, 0.0).r;
        float gap = depth + dot(slope, offset) - between;
        float stands = step(0.0, gap);
        sum += stands * gap;
        count += stands;
    }
    if (count == 0.0)
        return 1.0;
    float radius = clamp(0.5 * shadow.y * sum / count, 1.2 * texel, shadow.w);
    float lit = 0.0;
    for (int i = 0; i < TAPS; i++) {
        vec2 offset = radius * spread(i, TAPS);
        float compared = min(depth + dot(slope, offset) - texel, 1.0);
        lit += textureLod(sun, vec3(at.xy + offset, compared), 0.0);
    }
    return lit / float(TAPS);
}

// The part of the sky that what hangs or stands close over a point of the ground hides from it.
const int CONTACT_TAPS = 12;
float contact_shade(vec3 place)
{
    vec2 at = (contact_from_world * vec4(place, 1.0)).xy;
    if (shadow.x == 0.0 || any(greaterThan(abs(at - 0.5), vec2(0.5))))
        return 0.0;
    float reach = contact.y * 0.75 / contact.x; // render/shadow.c knows
    float hidden = 0.0;
    for (int i = 0; i < CONTACT_TAPS; i++) {
        float height = textureLod(contact_map, at + reach * spread(i, CONTACT_TAPS), 0.0).r;
        height = (height * (contact.y + contact.z) - contact.z) / contact.y;
        float low = 1.0 - clamp(height, 0.0, 1.0);
        hidden += low * low;
    }
    return hidden / float(CONTACT_TAPS);
}
