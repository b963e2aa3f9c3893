// Skins a vertex and hands it to transform feedback instead of the rasterizer: what drawing
// computes, in model space, for checking.
out vec3 captured_position;
out vec3 captured_normal;

void main()
{
    skin(captured_position, captured_normal);
}
