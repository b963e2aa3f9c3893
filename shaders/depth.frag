// Draws only depth, for shadow maps. Discards pixels whose alpha is not above the limit.
uniform sampler2D diffuse;
uniform vec2 surface; // x: not used here; y: alpha limit

in vec2 texcoord;
in vec4 tint;

void main()
{
    if (!(texture(diffuse, texcoord).a * tint.a > surface.y))
        discard;
}
