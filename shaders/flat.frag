// Draws a constant color, for the edges of triangles.
uniform vec4 flat_color; // sRGB, premultiplied

out vec4 color;

void main()
{
    color = flat_color;
}
