// The sky of frames with an environment: ambient light and reflections come from a panorama. See
// render/md5gl.h.
uniform sampler2D reflections; // level k of n is blurred for the roughness k / (n - 1)

// Returns the light that a glossy surface with this roughness reflects, if `direction` is the
// mirrored view.
vec3 sky_mirror(vec3 direction, float roughness)
{
    vec2 coords = panorama_coords(rotated_to_panorama(direction));
    return ambient.rgb * textureLod(reflections, coords, roughness * environment.z).rgb;
}

// Returns the sky's light at grazing angles, times `factor`.
vec3 sky_rim(float factor, vec3 normal)
{
    return factor * sky_light(normal);
}
