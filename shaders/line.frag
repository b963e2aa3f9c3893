// A line with round ends and an edge that is soft over one pixel.
uniform float line_width; // pixels

in vec4 line_colour; // sRGB
flat in vec4 line_ends; // pixels: start, end

out vec4 colour;

void main()
{
    // From the pixel's own place, not from an interpolated one: lines that pass close by the eye are
    // so long on the screen that interpolation is not exact enough.
    vec2 way = line_ends.zw - line_ends.xy, from_start = gl_FragCoord.xy - line_ends.xy;
    float along = clamp(dot(from_start, way) / max(dot(way, way), 1e-12), 0.0, 1.0);
    float away = length(from_start - along * way);
    float coverage = clamp(0.5 * line_width + 0.5 - away, 0.0, 1.0);
    float alpha = line_colour.a * coverage;
    colour = vec4(line_colour.rgb * alpha, alpha);
}
