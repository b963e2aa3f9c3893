// Skins a vertex as drawing does and writes it to transform feedback, in model space, for
// verification.
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
