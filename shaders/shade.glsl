// Computes the color of a pixel from its surface, for models and impostors.
const float BASE_REFLECTANCE = 0.04; // reflectance of a dielectric at normal incidence

// Returns the unit vector from a position in world space to the eye.
vec3 direction_to_eye(vec3 position)
{
    return normalize(eye.xyz - eye.w * position);
}

// Returns a surface without maps. The unit normal must be on the eye's side.
surface_point plain(vec3 position, vec3 normal, vec3 albedo, float gloss)
{
    return surface_point(position, normal, normal, albedo, vec3(BASE_REFLECTANCE),
                         max(1.0 - gloss, 0.08), 0.0, 0.0);
}

// Returns the color of a surface as sRGB. `gloss` is 0..1. If `has_shine`, `shine` is the texel of
// the specular map: the color of highlights, and in alpha the thinness of thin parts. `emitted` is
// light that the surface emits. `paint` multiplies the albedo and `polish` multiplies `shine`. Both
// are sRGB values in classic lighting, otherwise linear colors.
vec3 shade(vec3 position, vec3 normal, vec3 flat_side, vec3 albedo, float gloss, bool has_shine,
           vec4 shine, vec3 emitted, vec3 paint, vec3 polish)
{
    surface_point point = plain(position, normal, albedo * paint, gloss);
    point.flat_side = flat_side;
    if (has_shine) {
        vec3 polished = shine.rgb * polish;
        float bright = max(max(polished.r, polished.g), polished.b);
        point.specular = BASE_REFLECTANCE * (1.0 - bright) + 0.16 * polished;
        float rough = 1.0 - gloss;
        rough = mix(min(rough + 0.2, 1.0), 0.3 * rough, sqrt(bright));
        point.roughness = max(rough, 0.08);
        point.reflectivity = 1.0;
        point.thinness = shine.a > 0.5 ? 1.0 - shine.a : 0.0;
    }
    vec3 to_eye = direction_to_eye(position);
#ifdef CLASSIC
    point.albedo = srgb_from_linear(albedo) * paint;
    point.specular = srgb_from_linear(has_shine ? shine.rgb : vec3(0.0)) * polish;
    return clamp(classic_surface(point, to_eye) + srgb_from_linear(emitted), 0.0, 1.0);
#else
    vec3 linear = light_surface(point, to_eye) + emitted;
    return srgb_from_linear(mode.y != 0.0 ? tone_map(linear) : linear);
#endif
}

// Returns the color of a surface without maps, for shaders of hosts. The unit normal must be on the
// eye's side.
vec3 shade(vec3 position, vec3 normal, vec3 albedo, float gloss)
{
    return shade(position, normal, normal, albedo, gloss, false, vec4(0.0), vec3(0.0), vec3(1.0),
                 vec3(1.0));
}
