// Light that reaches the eye from a matt surface with a faint gloss: a key light that wraps a
// little around the edge to the shade, sky above and a warmer, darker ground below, and a rim
// where the surface turns away. All in linear colour.
const float WRAP = 0.2;                        // how far the key light reaches into the shade
const vec3 GROUND = vec3(0.40, 0.36, 0.33);    // of the sky's light, thrown back from below
const float GLOSS = 20.0, REFLECTANCE = 0.03; // Blinn-Phong exponent, Schlick's F0
const float RIM = 0.35;

vec3 light_surface(vec3 albedo, vec3 normal, vec3 to_eye)
{
    vec3 to_light = light_direction.xyz;
    float facing = dot(normal, to_light);
    float key = max((facing + WRAP) / (1.0 + WRAP), 0.0);
    float upward = 0.5 + 0.5 * normal.z;
    vec3 sky = ambient.rgb * mix(GROUND, vec3(1.0), upward);

    float away = 1.0 - clamp(dot(normal, to_eye), 0.0, 1.0);
    float grazing = away * away * away * away;
    vec3 rim = RIM * grazing * upward * ambient.rgb;

    vec3 halfway = normalize(to_light + to_eye);
    float fresnel = REFLECTANCE + (1.0 - REFLECTANCE) * grazing * away;
    float highlight = pow(max(dot(normal, halfway), 0.0), GLOSS) * (GLOSS + 8.0) / 8.0;
    vec3 gloss = light.rgb * fresnel * highlight * max(facing, 0.0);

    return albedo * (key * light.rgb + sky) + rim + gloss;
}
