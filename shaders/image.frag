// Multiplies the vertex colour by an image, whose alpha is ignored. The sampler decodes colours from sRGB,
// so they are encoded again. Directions in normal maps are not encoded.
uniform sampler2D diffuse;
uniform bool is_colour;

in vec2 texcoord;
in vec4 panel_colour; // sRGB

out vec4 colour;

void main()
{
    vec3 texel = texture(diffuse, texcoord).rgb;
    vec3 shown = (is_colour ? srgb_from_linear(texel) : texel) * panel_colour.rgb;
    colour = vec4(shown * panel_colour.a, panel_colour.a);
}
