// Draws a constant colour, for the edges of triangles.
uniform vec4 flat_colour; // sRGB, premultiplied

out vec4 colour;

void main()
{
    colour = flat_colour;
}
