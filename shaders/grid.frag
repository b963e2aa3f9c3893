// Lines on the ground, one pixel wide at any distance; a cell that shrinks to a few pixels fades
// out before it can flicker, and all fades towards the radius.
uniform vec4 grid_area;  // centre x, centre y, height, radius; world space
uniform float grid_cell; // units between two lines

in vec2 ground;

out vec4 colour;

const vec3 LINE = vec3(0.50, 0.53, 0.57); // sRGB, as are the next
const vec3 X_AXIS = vec3(0.82, 0.27, 0.28), Y_AXIS = vec3(0.40, 0.68, 0.25);

// How much of a pixel is covered by lines at whole numbers. `span`: what a pixel spans.
float lines(vec2 place, vec2 span)
{
    vec2 away = abs(fract(place - 0.5) - 0.5) / span;
    vec2 covered = clamp(1.25 - away, 0.0, 1.0) * (1.0 - smoothstep(0.12, 0.45, span));
    return max(covered.x, covered.y);
}

void main()
{
    vec2 span = max(fwidth(ground), vec2(1e-9));
    float minor = lines(ground / grid_cell, span / grid_cell);
    float major = lines(ground / (10.0 * grid_cell), span / (10.0 * grid_cell));
    vec2 axes = clamp(1.6 - abs(ground) / span, 0.0, 1.0);

    vec4 marks = vec4(LINE, max(0.30 * minor, 0.60 * major));
    marks = mix(marks, vec4(Y_AXIS, 0.85), axes.x); // x = 0 is the y axis
    marks = mix(marks, vec4(X_AXIS, 0.85), axes.y);

    float fade = 1.0 - smoothstep(0.35, 1.0, length(ground - grid_area.xy) / grid_area.w);
    float alpha = marks.a * fade;
    colour = vec4(marks.rgb * alpha, alpha);
}
