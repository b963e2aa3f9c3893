// The part of the ground that shadows may reach: a rectangle, and all over which it is moved. A strip
// of six vertices that need no buffer, from side to side of that hexagon.
uniform vec4 ground_area;      // centre x, centre y, height, radius; world space
uniform vec4 ground_shaded[2]; // x and y of its first corner and of the last; how far it is moved

out vec3 ground_position;

void main()
{
    int i = gl_VertexID;
    vec3 corner = vec3(i & 1, i == 2 || i > 3, i > 2); // the last: of the moved rectangle
    ground_position = vec3(mix(ground_shaded[0].xy, ground_shaded[0].zw, corner.xy)
                               + corner.z * ground_shaded[1].xy, ground_area.z);
    gl_Position = clip_from_world * vec4(ground_position, 1.0);
}
