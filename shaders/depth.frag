// Draws only depth, for shadow maps. Discards pixels with alpha up to the limit.
uniform sampler2D diffuse;
uniform vec2 surface; // gloss; alpha limit below which texels are discarded

in vec2 texcoord;
in vec4 tint;

void main()
{
    if (!(texture(diffuse, texcoord).a * tint.a > surface.y))
        discard;
}
