// Draws a line of any width. Core OpenGL guarantees only thin lines, so each line is an instance of
// a rectangle on the screen. The rectangle has a margin for round ends and a soft edge.
layout(location = 0) in vec3 start; // world space
layout(location = 1) in vec4 start_color;
layout(location = 2) in vec3 end;
layout(location = 3) in vec4 end_color;

uniform float line_width; // pixels

out vec4 line_color;
flat out vec4 line_ends; // pixels of the framebuffer, from its lower left corner: start, end

void main()
{
    vec4 a = clip_from_world * vec4(start, 1.0);
    vec4 b = clip_from_world * vec4(end, 1.0);
    // A point behind the near plane (z < -w) has no position on the screen. Clip the line at that
    // plane.
    float a_depth = a.z + a.w, b_depth = b.z + b.w;
    if (a_depth < 0.0 && b_depth > 0.0)
        a = mix(a, b, a_depth / (a_depth - b_depth));
    else if (b_depth < 0.0 && a_depth > 0.0)
        b = mix(b, a, b_depth / (b_depth - a_depth));

    vec2 half_size = 0.5 * viewport.xy;
    vec2 a_pixel = a.xy / a.w * half_size, b_pixel = b.xy / b.w * half_size;
    vec2 along_line = b_pixel - a_pixel;
    float line_length = length(along_line);
    vec2 direction = line_length > 1e-6 ? along_line / line_length : vec2(1.0, 0.0);
    vec2 side = vec2(-direction.y, direction.x);

    float margin = 0.5 * line_width + 1.0;
    bool at_end = gl_VertexID >= 2;
    float across = (gl_VertexID & 1) == 0 ? -margin : margin;
    vec2 offset = (at_end ? margin : -margin) * direction + across * side;
    vec4 base = at_end ? b : a;
    gl_Position = base + vec4(offset / half_size * base.w, 0.0, 0.0);
    // Both ends are behind the eye: move the line out of the clip volume.
    if (a_depth < 0.0 && b_depth < 0.0)
        gl_Position = vec4(0.0, 0.0, -2.0, 1.0);

    line_ends = vec4(a_pixel, b_pixel) + (origin.xy + half_size).xyxy;
    line_color = at_end ? end_color : start_color;
}
