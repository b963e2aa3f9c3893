// Sky from the environment's panorama: see render/md5gl.h.
uniform sampler2D reflections; // level k of n is blurred for the roughness k / (n - 1)

vec3 sky_mirror(vec3 direction, float roughness)
{
    vec2 place = place_in_picture(turned_to_picture(direction));
    return ambient.rgb * textureLod(reflections, place, roughness * environment.z).rgb;
}

vec3 sky_rim(float share, vec3 normal)
{
    return share * sky_light(normal);
}
