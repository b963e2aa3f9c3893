// The lighting of Doom 3's engine (2004). Each light contributes its color, times the cosine of its
// angle to the normal, times the material. The material is the diffuse texture plus twice the
// specular map in a small highlight. The sum of all lights is clamped to 1. Colors are used as
// stored, without sRGB decoding. The sky has the same color in all directions.
//
// Source: the interaction program and the specular table of the published engine. The table is ((x
// - 3/4) * 4)^2, where x is the cosine between the normal and the halfway direction.
#define CLASSIC

// Returns the fraction of the color of one light that a surface reflects to the eye.
vec3 classic_by(surface_point at, vec3 to_light, vec3 to_eye)
{
    float facing = max(dot(at.normal, to_light), 0.0);
    float peak = max((dot(at.normal, normalize(to_light + to_eye)) - 0.75) * 4.0, 0.0);
    return facing * (at.albedo + 2.0 * peak * peak * at.specular);
}

// Returns the light of the key light, of all point lights and of the sky that a surface reflects to the eye.
vec3 classic_surface(surface_point at, vec3 to_eye)
{
    vec3 sum = at.albedo * ambient.rgb;
    if (dot(at.normal, light_direction.xyz) > 0.0)
        sum += light.rgb * classic_by(at, light_direction.xyz, to_eye)
               * sunlight(at.position, at.flat_side);
    for (int i = 0; i < int(mode.z); i++) {
        vec3 to_light;
        float falloff = point_light(i, at.position, at.flat_side, to_light);
        sum += falloff * point_colors[i].rgb * classic_by(at, to_light, to_eye);
    }
    return sum;
}
