// The sky for shaders of hosts. They light surfaces without specular maps, so reflections need not
// be sharp. One shader must work in all frames. It uses sky_light() of environment.glsl, because
// render/environment.c expresses the studio's sky by the same polynomial.
vec3 sky_mirror(vec3 direction, float roughness)
{
    return sky_light(direction);
}

// Returns the sky's light at grazing angles, times `factor`. The sky is the sky of
// sky_environment.glsl if the frame has an environment, otherwise the sky of sky_studio.glsl.
vec3 sky_rim(float factor, vec3 normal)
{
    float upward = 0.5 + 0.5 * normal.z;
    return factor * (environment.w != 0.0 ? sky_light(normal) : upward * ambient.rgb);
}
