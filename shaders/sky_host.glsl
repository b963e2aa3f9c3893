// The sky in a host's own shaders, which light surfaces without specular maps in all frames:
// sky_light() is that of environment.glsl. render/environment.c writes the studio's sky as such a
// polynomial.
vec3 sky_mirror(vec3 direction, float roughness)
{
    return sky_light(direction);
}

// As in sky_studio.glsl, or, if the frame has a picture, as in sky_environment.glsl.
vec3 sky_rim(float share, vec3 normal)
{
    float upward = 0.5 + 0.5 * normal.z;
    return share * (environment.w != 0.0 ? sky_light(normal) : upward * ambient.rgb);
}
