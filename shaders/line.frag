// A line with round ends and an edge that is soft over one pixel.
uniform float line_width; // pixels

in vec4 line_color; // sRGB
flat in vec4 line_ends; // pixels: start, end

out vec4 color;

void main()
{
    // Uses the pixel's own position instead of an interpolated one. A line that passes close to the
    // eye is so long on the screen that interpolation is inaccurate.
    vec2 line = line_ends.zw - line_ends.xy, from_start = gl_FragCoord.xy - line_ends.xy;
    float fraction = clamp(dot(from_start, line) / max(dot(line, line), 1e-12), 0.0, 1.0);
    float from_line = length(from_start - fraction * line);
    float coverage = clamp(0.5 * line_width + 0.5 - from_line, 0.0, 1.0);
    float alpha = line_color.a * coverage;
    color = vec4(line_color.rgb * alpha, alpha);
}
