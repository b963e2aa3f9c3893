// Where the environment's picture shows a direction: its middle at +x, its top row at +z.
const float PI = 3.14159265;

// Turns a direction into the picture's axes, about z.
vec3 turned_to_picture(vec3 direction)
{
    return vec3(environment.x * direction.x + environment.y * direction.y,
                environment.x * direction.y - environment.y * direction.x, direction.z);
}

// Texture coordinates of a unit direction in the picture's axes; v = 0 at the top. Straight up and
// down have no azimuth.
vec2 place_in_picture(vec3 direction)
{
    bool upright = abs(direction.x) + abs(direction.y) < 1e-6;
    float azimuth = upright ? 0.0 : atan(direction.y, direction.x);
    return vec2(0.5 - azimuth / (2.0 * PI), acos(clamp(direction.z, -1.0, 1.0)) / PI);
}
