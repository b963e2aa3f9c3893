// A soft black disc with its darkness as alpha.
in vec2 from_centre;
flat in float darkness;

out vec4 colour;

void main()
{
    float falloff = max(1.0 - dot(from_centre, from_centre), 0.0);
    colour = vec4(0.0, 0.0, 0.0, darkness * falloff * falloff);
}
