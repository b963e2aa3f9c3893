// A square on the ground, drawn as a strip of four vertices without a vertex buffer.
uniform vec4 grid_area; // center x, center y, height, radius; world space

out vec2 ground;

void main()
{
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    ground = grid_area.xy + grid_area.w * corner;
    gl_Position = clip_from_world * vec4(ground, grid_area.z, 1.0);
}
