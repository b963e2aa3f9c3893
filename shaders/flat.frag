// A constant colour, for edges.
uniform vec4 flat_colour; // sRGB, premultiplied

out vec4 colour;

void main()
{
    colour = flat_colour;
}
