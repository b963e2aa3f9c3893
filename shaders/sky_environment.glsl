// Sky from the environment's panorama: see render/md5gl.h.
uniform sampler2D reflections; // level k of n is blurred for the roughness k / (n - 1)

// Returns the light that a mirror with a roughness reflects from a direction.
vec3 sky_mirror(vec3 direction, float roughness)
{
    vec2 coords = panorama_coords(rotated_to_panorama(direction));
    return ambient.rgb * textureLod(reflections, coords, roughness * environment.z).rgb;
}

// Returns the light that is added at grazing angles, times `factor`.
vec3 sky_rim(float factor, vec3 normal)
{
    return factor * sky_light(normal);
}
