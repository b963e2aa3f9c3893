// Draws a grid or a floor on the ground. The lines of the grid are one pixel wide at any distance.
// Cells of only a few pixels fade out, because they would flicker. The floor has no lines, and
// point lights can light it. Both fade out towards the radius.
uniform vec4 grid_area;  // center x, center y, height, radius; world space
uniform float grid_cell; // distance between lines in units; 0 draws a floor
uniform int grid_light;  // index of the first point light that lights the floor

in vec2 ground;

out vec4 color;

const vec3 LINE = vec3(0.50, 0.53, 0.57); // sRGB, like the axes
const vec3 FLOOR = vec3(0.82, 0.64, 0.47), LINEAR_FLOOR = vec3(0.6383, 0.3673, 0.1873);
const vec3 X_AXIS = vec3(0.82, 0.27, 0.28), Y_AXIS = vec3(0.40, 0.68, 0.25);

// Returns the fraction of a pixel that is covered by lines at integer coordinates. `span` is the
// size of a pixel in the same coordinates.
float lines(vec2 position, vec2 span)
{
    vec2 from_line = abs(fract(position - 0.5) - 0.5) / span;
    vec2 covered = clamp(1.25 - from_line, 0.0, 1.0) * (1.0 - smoothstep(0.12, 0.45, span));
    return max(covered.x, covered.y);
}

// Returns the color of the floor with the light of point lights. This loop is in a separate program,
// because software GL executes the body of a loop once even if it has no iterations. Frames without
// point lights use the program without the loop.
#ifdef POINT_LIGHTS
vec3 lit_floor()
{
    vec3 light = vec3(0.0);
    for (int i = grid_light; i < int(mode.z); i++) {
        vec3 to_light;
        float falloff = point_light(i, vec3(ground, grid_area.z), vec3(0.0, 0.0, 1.0), to_light);
        light += falloff * max(to_light.z, 0.0) * point_colors[i].rgb;
    }
    return srgb_from_linear(tone_map(LINEAR_FLOOR * (1.0 + light)));
}
#else
vec3 lit_floor() { return FLOOR; }
#endif

void main()
{
    float distance = length(ground - grid_area.xy) / grid_area.w;
    if (grid_cell == 0.0) {
        float covered = 1.0 - smoothstep(0.08, 1.0, distance);
        color = vec4(lit_floor() * covered + dither(), covered);
        return;
    }
    vec2 span = max(fwidth(ground), vec2(1e-9));
    float minor = lines(ground / grid_cell, span / grid_cell);
    float major = lines(ground / (10.0 * grid_cell), span / (10.0 * grid_cell));
    vec2 axes = clamp(1.6 - abs(ground) / span, 0.0, 1.0);

    vec4 line = vec4(LINE, max(0.30 * minor, 0.60 * major));
    line = mix(line, vec4(Y_AXIS, 0.85), axes.x); // x = 0 is the y axis
    line = mix(line, vec4(X_AXIS, 0.85), axes.y);

    float alpha = line.a * (1.0 - smoothstep(0.35, 1.0, distance));
    color = vec4(line.rgb * alpha, alpha);
}
