// Leaves depth behind, but not in the holes of a texture.
uniform sampler2D diffuse;
uniform vec2 surface; // gloss; alpha below which texels are holes

in vec2 texcoord;
in vec4 tint;

void main()
{
    if (texture(diffuse, texcoord).a * tint.a < surface.y)
        discard;
}
