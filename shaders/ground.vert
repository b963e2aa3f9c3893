// A square on the ground, drawn as a strip of four vertices that need no buffer.
uniform vec4 ground_area; // centre x, centre y, height, radius; world space

out vec3 ground_position;

void main()
{
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    ground_position = vec3(ground_area.xy + ground_area.w * corner, ground_area.z);
    gl_Position = clip_from_world * vec4(ground_position, 1.0);
}
