// From a surface to the colour of a pixel, shared by models and impostors.
const float BASE_REFLECTANCE = 0.04; // of a dielectric at normal incidence

// Returns the colour in sRGB. `gloss` 0..1; `shine`: the specular map's colour, if there is one;
// `emitted`: light of its own.
vec3 shade(vec3 position, vec3 normal, vec3 flat_side, vec3 albedo, float gloss, bool has_shine,
           vec3 shine, vec3 emitted)
{
    surface_point point;
    point.position = position;
    point.normal = normal;
    point.flat_side = flat_side;
    point.albedo = albedo;
    point.specular = vec3(BASE_REFLECTANCE);
    point.roughness = 1.0 - gloss;
    point.reflectivity = 0.0;
    if (has_shine) {
        float bright = max(max(shine.r, shine.g), shine.b);
        point.specular = BASE_REFLECTANCE * (1.0 - bright) + 0.16 * shine;
        point.roughness = mix(min(point.roughness + 0.2, 1.0), 0.3 * point.roughness, sqrt(bright));
        point.reflectivity = 1.0;
    }
    point.roughness = max(point.roughness, 0.08);

    vec3 to_eye = normalize(eye.xyz - eye.w * position);
    if (mode.x != 0.0) {
        point.albedo = srgb_from_linear(point.albedo);
        point.specular = srgb_from_linear(has_shine ? shine : vec3(0.0));
        return clamp(classic_surface(point, to_eye) + srgb_from_linear(emitted), 0.0, 1.0);
    }
    vec3 linear = light_surface(point, to_eye) + emitted;
    return srgb_from_linear(mode.y != 0.0 ? tone_map(linear) : linear);
}
