// The sky of the studio: a colour from above, and its reflection from the ground.
// sky_environment.glsl defines the same functions.
const vec3 GROUND = vec3(0.40, 0.36, 0.33); // share of the sky's light reflected from below

// What a white matt surface that faces a direction reflects.
vec3 sky_light(vec3 direction)
{
    return ambient.rgb * mix(GROUND, vec3(1.0), 0.5 + 0.5 * direction.z);
}

// What a mirror of a roughness shows in a direction.
vec3 sky_mirror(vec3 direction, float roughness)
{
    return sky_light(direction);
}

// What is added at grazing angles, `share` of it.
vec3 sky_rim(float share, vec3 normal)
{
    float upward = 0.5 + 0.5 * normal.z;
    return share * upward * ambient.rgb;
}
