// Skins a vertex with the same code as the programs that draw. Writes it in model space to
// transform feedback, so that tests can compare it with the CPU's result.
out vec3 captured_position;
out vec3 captured_normal;
out vec4 captured_tangent;

void main()
{
    skinned vertex = skin();
    captured_position = vertex.position;
    captured_normal = vertex.normal;
    captured_tangent = vertex.tangent;
}
