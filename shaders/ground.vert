// Draws the part of the ground that shadows can reach. It is the area over which a rectangle moves
// along a vector, which is a hexagon. The hexagon is a strip of six vertices without a vertex
// buffer.
uniform vec4 ground_area;      // center x, center y, height, radius; world space
uniform vec4 ground_shaded[2]; // x, y of the first and the last corner of the rectangle; its displacement

out vec3 ground_position;

void main()
{
    int i = gl_VertexID;
    vec3 corner = vec3(i & 1, i == 2 || i > 3, i > 2); // z: 1 for corners of the moved rectangle
    ground_position = vec3(mix(ground_shaded[0].xy, ground_shaded[0].zw, corner.xy)
                               + corner.z * ground_shaded[1].xy, ground_area.z);
    gl_Position = clip_from_world * vec4(ground_position, 1.0);
}
