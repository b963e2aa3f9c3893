// Computes the light that a surface reflects to the eye, in linear color. The color of a light is
// the light that a white matt surface facing it reflects. The usual factors of pi are therefore
// missing.
struct surface_point {
    vec3 position;  // world space
    vec3 flat_side; // unit normal of the mesh, on the eye's side
    vec3 normal;    // unit length, with the normal map applied
    vec3 albedo;
    vec3 specular;      // reflectance at normal incidence
    float roughness;    // 0 mirror .. 1 chalk
    float reflectivity; // strength of the reflection of the surroundings
    float thinness;     // fraction of the light from behind that shines through
};

const float RIM = 0.35; // strength of the light at grazing angles
const float THICKNESS = 3.0; // units; thinner parts do not cast shadows on themselves

// Returns Schlick's approximation of the Fresnel reflectance. `f0` is the reflectance at normal incidence,
// `cosine` the cosine of the angle of incidence.
vec3 schlick(vec3 f0, float cosine)
{
    float away = 1.0 - clamp(cosine, 0.0, 1.0);
    float squared = away * away;
    return f0 + (1.0 - f0) * (squared * squared * away);
}

// Returns the fraction of the color of one light that a surface reflects to the eye. All directions
// are unit vectors. The result is the sum of diffuse light and a GGX highlight (Walter et al. 2007)
// with Hammon's visibility term (GDC 2017). Light that is reflected specularly is not scattered a
// second time. Thin surfaces let light from behind shine through.
vec3 light_by(surface_point at, vec3 to_light, vec3 to_eye)
{
    float facing = dot(at.normal, to_light);
    if (facing <= 0.0)
        return -facing * at.thinness * at.albedo;
    float facing_eye = max(dot(at.normal, to_eye), 0.02);
    vec3 halfway = normalize(to_light + to_eye);
    float alpha = at.roughness * at.roughness;
    float peak = max(dot(at.normal, halfway), 0.0);
    float lobe = peak * peak * (alpha * alpha - 1.0) + 1.0;
    float distribution = alpha * alpha / (lobe * lobe); // times 1 / pi, see above
    float visible = 0.5 / mix(2.0 * facing * facing_eye, facing + facing_eye, alpha);
    vec3 reflected = schlick(at.specular, dot(to_light, halfway));
    return facing * ((1.0 - reflected) * at.albedo + reflected * (distribution * visible));
}

// Returns the light of the key light, of all point lights and of the sky that a surface reflects to the eye.
vec3 light_surface(surface_point at, vec3 to_eye)
{
    vec3 to_sun = light_direction.xyz;
    vec3 sum = vec3(0.0);
    // The light comes from behind if the surface faces away. Thin surfaces then need the shadow at
    // their other side.
    bool is_behind = dot(at.normal, to_sun) <= 0.0;
    if (!is_behind || at.thinness > 0.0)
        sum += light.rgb * light_by(at, to_sun, to_eye)
               * sunlight(is_behind ? at.position + THICKNESS * to_sun : at.position,
                          is_behind ? -at.flat_side : at.flat_side);
    for (int i = 0; i < int(mode.z); i++) {
        vec3 to_light;
        float falloff = point_light(i, at.position, at.flat_side, to_light);
        if (falloff > 0.0)
            sum += falloff * point_colors[i].rgb * light_by(at, to_light, to_eye);
    }
    // Add the sky: diffuse, specular if the surface is glossy, and a rim at grazing angles.
    float away = 1.0 - clamp(dot(at.normal, to_eye), 0.0, 1.0);
    float grazing = away * away * away * away;
    vec3 reflected = at.reflectivity * schlick(at.specular, 1.0 - away) * (1.0 - at.roughness);
    vec3 mirrored = sky_mirror(reflect(-to_eye, at.normal), at.roughness);
    sum += at.albedo * (1.0 - reflected) * sky_light(at.normal) + reflected * mirrored;
    return sum + sky_rim(RIM * grazing, at.normal);
}
