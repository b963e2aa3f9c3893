// Multiplies the vertex color by an image. The alpha of the image is ignored. The sampler decodes
// colors from sRGB, so they are encoded again. Normal maps contain directions, which are not
// encoded.
uniform sampler2D diffuse;
uniform bool is_color;

in vec2 texcoord;
in vec4 panel_color; // sRGB

out vec4 color;

void main()
{
    vec3 texel = texture(diffuse, texcoord).rgb;
    vec3 shown = (is_color ? srgb_from_linear(texel) : texel) * panel_color.rgb;
    color = vec4(shown * panel_color.a, panel_color.a);
}
