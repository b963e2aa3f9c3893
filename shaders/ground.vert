// The part of the ground that shadows may reach, drawn as a strip of four vertices that need no
// buffer.
uniform vec4 ground_area;  // centre x, centre y, height, radius; world space
uniform vec4 ground_sides; // least x and y, largest x and y; world space

out vec3 ground_position;

void main()
{
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    ground_position = vec3(mix(ground_sides.xy, ground_sides.zw, corner), ground_area.z);
    gl_Position = clip_from_world * vec4(ground_position, 1.0);
}
