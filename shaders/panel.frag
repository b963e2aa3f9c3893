// Multiplies the vertex colour by the coverage in the mask.
uniform sampler2D mask; // coverage in red

in vec2 texcoord;
in vec4 panel_colour; // sRGB

out vec4 colour;

void main()
{
    float alpha = panel_colour.a * texture(mask, texcoord).r;
    // Dither only gradients, so that areas of one colour are unchanged.
    float dither_weight = any(greaterThan(fwidth(panel_colour), vec4(0.0))) ? alpha : 0.0;
    colour = vec4(panel_colour.rgb * alpha + dither_weight * dither(), alpha);
}
