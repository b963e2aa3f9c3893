// Sky for shaders of hosts, which light surfaces without specular maps in all frames. sky_light() is
// defined in environment.glsl; render/environment.c also expresses the studio's sky by its polynomial.
vec3 sky_mirror(vec3 direction, float roughness)
{
    return sky_light(direction);
}

// Same as in sky_environment.glsl if the frame has an environment, otherwise as in sky_studio.glsl.
vec3 sky_rim(float factor, vec3 normal)
{
    float upward = 0.5 + 0.5 * normal.z;
    return factor * (environment.w != 0.0 ? sky_light(normal) : upward * ambient.rgb);
}
