// A picture of all that surrounds the scene as its sky: see render/md5gl.h.
uniform sampler2D reflections; // level k of n is blurred as a mirror of roughness k / (n - 1)

// What a white matt surface that faces a direction reflects: a polynomial of degree 2, whose
// coefficients render/environment.c computes from spherical harmonics (Ramamoorthi and Hanrahan,
// "An Efficient Representation for Irradiance Environment Maps", 2001).
vec3 sky_light(vec3 direction)
{
    vec3 d = turned_to_picture(direction);
    vec3 sum = harmonics[0].rgb + harmonics[1].rgb * d.x + harmonics[2].rgb * d.y
               + harmonics[3].rgb * d.z;
    sum += harmonics[4].rgb * (d.x * d.y) + harmonics[5].rgb * (d.y * d.z)
           + harmonics[6].rgb * (d.x * d.z) + harmonics[7].rgb * (d.z * d.z)
           + harmonics[8].rgb * (d.x * d.x - d.y * d.y);
    return max(sum, vec3(0.0));
}

vec3 sky_mirror(vec3 direction, float roughness)
{
    vec2 place = place_in_picture(turned_to_picture(direction));
    return ambient.rgb * textureLod(reflections, place, roughness * environment.z).rgb;
}

vec3 sky_rim(float share, vec3 normal)
{
    return share * sky_light(normal);
}
