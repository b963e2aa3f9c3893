// Writes depth, except where the texture is cut out.
uniform sampler2D diffuse;
uniform vec2 surface; // gloss; alpha up to which texels are cut out

in vec2 texcoord;
in vec4 tint;

void main()
{
    if (!(texture(diffuse, texcoord).a * tint.a > surface.y))
        discard;
}
