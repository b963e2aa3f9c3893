// Writes depth. Discards pixels whose alpha is below the limit.
uniform sampler2D diffuse;
uniform vec2 surface; // gloss; alpha limit below which texels are discarded

in vec2 texcoord;
in vec4 tint;

void main()
{
    if (!(texture(diffuse, texcoord).a * tint.a > surface.y))
        discard;
}
