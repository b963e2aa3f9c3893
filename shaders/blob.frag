// Draws a blob shadow: a soft black disc. Its darkness is written as alpha.
in vec2 from_center;
flat in float darkness;

out vec4 color;

void main()
{
    float falloff = max(1.0 - dot(from_center, from_center), 0.0);
    color = vec4(0.0, 0.0, 0.0, darkness * falloff * falloff);
}
