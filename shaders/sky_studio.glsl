// The sky of the studio: one color from above, and its reflection from the ground.
// sky_environment.glsl defines the same functions.
const vec3 GROUND = vec3(0.40, 0.36, 0.33); // fraction of the sky's light that the ground reflects

// Returns the light that a white matt surface reflects if its normal is `direction`.
vec3 sky_light(vec3 direction)
{
    return ambient.rgb * mix(GROUND, vec3(1.0), 0.5 + 0.5 * direction.z);
}

// Returns the light that a glossy surface reflects, if `direction` is the mirrored view. The sky is
// so smooth that roughness has no effect.
vec3 sky_mirror(vec3 direction, float roughness)
{
    return sky_light(direction);
}

// Returns the sky's light at grazing angles, times `factor`.
vec3 sky_rim(float factor, vec3 normal)
{
    float upward = 0.5 + 0.5 * normal.z;
    return factor * upward * ambient.rgb;
}
