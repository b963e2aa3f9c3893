// Skins a vertex and hands it to transform feedback instead of the rasterizer: what drawing
// computes, in model space, for checking.
out vec3 captured_position;
out vec3 captured_normal;
out vec4 captured_tangent;

void main()
{
    skinned made = skin();
    captured_position = made.position;
    captured_normal = made.normal;
    captured_tangent = made.tangent;
}
