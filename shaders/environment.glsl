// Maps directions to texture coordinates of the environment's panorama. The center of the panorama
// shows +x, and its top row shows +z.
const float PI = 3.14159265;

// Rotates a direction about z from world axes to the axes of the panorama.
vec3 rotated_to_panorama(vec3 direction)
{
    return vec3(environment.x * direction.x + environment.y * direction.y,
                environment.x * direction.y - environment.y * direction.x, direction.z);
}

// Returns the texture coordinates of a unit direction in the axes of the panorama. v = 0 is the
// top. The azimuth of straight up and down is undefined, so 0 is used.
vec2 panorama_coords(vec3 direction)
{
    bool upright = abs(direction.x) + abs(direction.y) < 1e-6;
    float azimuth = upright ? 0.0 : atan(direction.y, direction.x);
    return vec2(0.5 - azimuth / (2.0 * PI), acos(clamp(direction.z, -1.0, 1.0)) / PI);
}

// Returns the light that a white matt surface reflects if its normal is `direction`. The light is a
// polynomial of degree 2 of the normal. render/environment.c computes the coefficients from
// spherical harmonics (Ramamoorthi and Hanrahan, "An Efficient Representation for Irradiance
// Environment Maps", 2001).
vec3 sky_light(vec3 direction)
{
    vec3 d = rotated_to_panorama(direction);
    vec3 sum = harmonics[0].rgb + harmonics[1].rgb * d.x + harmonics[2].rgb * d.y
               + harmonics[3].rgb * d.z;
    sum += harmonics[4].rgb * (d.x * d.y) + harmonics[5].rgb * (d.y * d.z)
           + harmonics[6].rgb * (d.x * d.z) + harmonics[7].rgb * (d.z * d.z)
           + harmonics[8].rgb * (d.x * d.x - d.y * d.y);
    return max(sum, vec3(0.0));
}
