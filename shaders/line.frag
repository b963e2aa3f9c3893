// A line with round ends and an edge that is soft over one pixel.
uniform float line_width; // pixels

in vec4 line_colour; // sRGB
noperspective in vec2 along_across;
flat in float line_length;

out vec4 colour;

void main()
{
    float beyond = along_across.x - clamp(along_across.x, 0.0, line_length);
    float away = length(vec2(beyond, along_across.y));
    float coverage = clamp(0.5 * line_width + 0.5 - away, 0.0, 1.0);
    float alpha = line_colour.a * coverage;
    colour = vec4(line_colour.rgb * alpha, alpha);
}
