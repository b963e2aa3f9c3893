// A textured, lit surface. Texels with little alpha are cut out. In a multisampled target the alpha
// that is written decides how many samples of an edge are covered, and is stored as 1.
uniform bool multisampled;

out vec4 colour;

const float BASE_REFLECTANCE = 0.04; // of a dielectric at normal incidence

void main()
{
    vec4 texel = texture(diffuse, texcoord) * tint;
    float covered = coverage(texel.a);
    if (covered < (multisampled ? 0.05 : 0.5))
        discard;
    surface_point point;
    point.position = world_position;
    point.normal = mapped_normal(point.flat_side);
    point.albedo = texel.rgb;
    point.specular = vec3(BASE_REFLECTANCE);
    point.roughness = 1.0 - surface.x;
    point.reflectivity = 0.0;
    vec3 specular_texel = vec3(0.0), emitted = vec3(0.0);
    if (maps.y != 0) {
        specular_texel = texture(specular, texcoord).rgb;
        float bright = max(max(specular_texel.r, specular_texel.g), specular_texel.b);
        point.specular = BASE_REFLECTANCE * (1.0 - bright) + 0.16 * specular_texel;
        point.roughness = mix(min(point.roughness + 0.2, 1.0), 0.3 * point.roughness, sqrt(bright));
        point.reflectivity = 1.0;
    }
    point.roughness = max(point.roughness, 0.08);
    if (maps.z != 0)
        emitted = texture(glow, texcoord).rgb;

    vec3 to_eye = normalize(eye.xyz - eye.w * world_position);
    vec3 shown;
    if (mode.x != 0.0) {
        point.albedo = srgb_from_linear(point.albedo);
        point.specular = srgb_from_linear(specular_texel);
        shown = clamp(classic_surface(point, to_eye) + srgb_from_linear(emitted), 0.0, 1.0);
    } else {
        vec3 linear = light_surface(point, to_eye) + emitted;
        shown = srgb_from_linear(mode.y != 0.0 ? tone_map(linear) : linear);
    }
    colour = vec4(shown, multisampled ? covered : 1.0);
}
