// Multiplies the vertex color by the coverage in the mask.
uniform sampler2D mask; // coverage in red

in vec2 texcoord;
in vec4 panel_color; // sRGB

out vec4 color;

void main()
{
    float alpha = panel_color.a * texture(mask, texcoord).r;
    // Dither only gradients. Areas of one color have no bands and remain unchanged.
    float dither_weight = any(greaterThan(fwidth(panel_color), vec4(0.0))) ? alpha : 0.0;
    color = vec4(panel_color.rgb * alpha + dither_weight * dither(), alpha);
}
