// Computes how much light of a point light or spot light reaches a surface. grid.frag tests
// POINT_LIGHTS: of the two programs that draw the floor, only one contains this file.
#define POINT_LIGHTS

// Returns the fraction of the light of point light `i` that reaches a position on a surface with the
// unit normal `flat_side`. Sets `to_light` to the direction to the light.
float point_light(int i, vec3 position, vec3 flat_side, out vec3 to_light)
{
    vec3 offset = point_positions[i].xyz - position;
    float square = dot(offset, offset);
    float fraction = square / (point_positions[i].w * point_positions[i].w);
    to_light = offset * inversesqrt(max(square, 1e-12));
    float edge = clamp(1.0 - fraction * fraction, 0.0, 1.0);
    float cone = clamp(dot(point_cones[i].xyz, to_light) + point_cones[i].w, 0.0, 1.0);
    float falloff = edge * edge / (1.0 + 16.0 * fraction) * (cone * cone * (3.0 - 2.0 * cone));
#ifdef SPOTS
    falloff *= spotlight(i, position, flat_side);
#endif
    return falloff;
}
