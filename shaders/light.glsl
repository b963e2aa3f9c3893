// What a surface sends to the eye of the light that reaches it. All in linear colour. A light's
// colour is what a white matt surface that faces it sends back, so that pi is nowhere.
struct surface_point {
    vec3 place;     // world space
    vec3 flat_side; // unit normal of the mesh, towards the eye's side
    vec3 normal;    // unit, with the normal map
    vec3 albedo;
    vec3 mirror;     // colour reflected straight back
    float roughness; // 0 mirror .. 1 chalk
    float sheen;     // how much of its surroundings it shows besides the lights
};

const vec3 GROUND = vec3(0.40, 0.36, 0.33); // of the sky's light, thrown back from below
const float RIM = 0.35;

vec3 schlick(vec3 straight, float cosine)
{
    float away = 1.0 - clamp(cosine, 0.0, 1.0);
    float squared = away * away;
    return straight + (1.0 - straight) * (squared * squared * away);
}

// GGX highlights (Walter et al. 2007) with Hammon's visibility (GDC 2017); what is mirrored is not
// scattered.
vec3 light_by(surface_point at, vec3 to_light, vec3 to_eye)
{
    float facing = dot(at.normal, to_light);
    if (facing <= 0.0)
        return vec3(0.0);
    float toward = max(dot(at.normal, to_eye), 0.02);
    vec3 halfway = normalize(to_light + to_eye);
    float alpha = at.roughness * at.roughness;
    float peak = max(dot(at.normal, halfway), 0.0);
    float lobe = peak * peak * (alpha * alpha - 1.0) + 1.0;
    float distribution = alpha * alpha / (lobe * lobe); // times 1 / pi, which the light has taken
    float visible = 0.5 / mix(2.0 * facing * toward, facing + toward, alpha);
    vec3 mirrored = schlick(at.mirror, dot(to_light, halfway));
    return facing * ((1.0 - mirrored) * at.albedo + mirrored * (distribution * visible));
}

// Of point light `i`: the direction to it, and what is left of its light.
float reach_point(int i, vec3 place, out vec3 to_light)
{
    vec3 way = point_places[i].xyz - place;
    float square = dot(way, way), part = square / (point_places[i].w * point_places[i].w);
    to_light = way * inversesqrt(max(square, 1e-12));
    float edge = clamp(1.0 - part * part, 0.0, 1.0);
    return edge * edge / (1.0 + 16.0 * part);
}

vec3 sky_light(vec3 direction)
{
    return ambient.rgb * mix(GROUND, vec3(1.0), 0.5 + 0.5 * direction.z);
}

vec3 light_surface(surface_point at, vec3 to_eye)
{
    vec3 to_sun = light_direction.xyz;
    vec3 sum = vec3(0.0);
    if (dot(at.normal, to_sun) > 0.0)
        sum += light.rgb * light_by(at, to_sun, to_eye) * sunlight(at.place, at.flat_side);
    for (int i = 0; i < int(mode.z); i++) {
        vec3 to_light;
        float left = reach_point(i, at.place, to_light);
        if (left > 0.0)
            sum += left * point_colours[i].rgb * light_by(at, to_light, to_eye);
    }
    // The surroundings: scattered, mirrored where the surface is glossy, and along its edge.
    float away = 1.0 - clamp(dot(at.normal, to_eye), 0.0, 1.0);
    float grazing = away * away * away * away;
    vec3 mirrored = at.sheen * schlick(at.mirror, 1.0 - away) * (1.0 - at.roughness);
    vec3 seen = sky_light(reflect(-to_eye, at.normal));
    float upward = 0.5 + 0.5 * at.normal.z;
    sum += at.albedo * (1.0 - mirrored) * sky_light(at.normal) + mirrored * seen;
    return sum + RIM * grazing * upward * ambient.rgb;
}
