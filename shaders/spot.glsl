// Computes shadows of spot lights. Software GL executes the body of the inner loop even if it has 0
// iterations. Frames without such shadows therefore use programs without this file.
#define SPOTS

uniform sampler2DShadow spots; // maps of up to four lights, 2 x 2

// Returns the visibility of a point light at a position, or 1 if the light casts no shadows. Edges
// are three texels wide. The position is moved along the normal by that width, so that a surface
// does not shadow itself. The outer loop has 0 or 1 iterations and replaces a branch.
const float SPOT_RADIUS = 1.5, SPOT_OFFSET = 3.0; // texels
float spotlight(int light_index, vec3 position, vec3 normal)
{
    float lit = 1.0;
    int map = shadow.x != 0.0 ? int(point_colors[light_index].w) - 1 : -1;
    for (; map >= 0; map = -1) {
        float width = spot_texels[map] * (spot_from_world[map] * vec4(position, 1.0)).w;
        vec4 in_map = spot_from_world[map] * vec4(position + normal * (SPOT_OFFSET * width), 1.0);
        vec3 at = in_map.xyz / max(in_map.w, 1e-6);
        bool inside = in_map.w > 0.0 && all(lessThanEqual(abs(at.xy - 0.5), vec2(0.5)));
        float texel = 2.0 / float(textureSize(spots, 0).x);
        int num_taps = inside ? FILTER_TAPS : 0;
        lit = inside ? 0.0 : 1.0;
        vec2 rotation = vec2(SPOT_RADIUS * texel, 0.0);
        for (int i = 0; i < num_taps; i++) { // taps are clamped to the quarter of this light
            vec2 tap = at.xy + next_tap(i, FILTER_TAPS, rotation);
            tap = clamp(tap, 0.5 * texel, 1.0 - 0.5 * texel) + vec2(map & 1, map >> 1);
            lit += textureLod(spots, vec3(0.5 * tap, min(at.z, 1.0)), 0.0) / float(FILTER_TAPS);
        }
    }
    return lit;
}
