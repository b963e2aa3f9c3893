// Skins a vertex with the code of the drawing programs and writes it to transform feedback, in model
// space, so that tests can compare it.
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
