// As id's engine of 2004 drew it: each light adds its colour times the cosine of its slant times the
// diffuse texture and twice the specular map in a small, sharp highlight; all is cut off at 1, in
// the colours as the files have them. Of the sky only a flat rest. Source of the figures: the
// interaction program and the specular table of the published engine (the table is
// ((x - 3/4) * 4)^2, x being the cosine between the normal and the halfway direction).
vec3 classic_by(surface_point at, vec3 to_light, vec3 to_eye)
{
    float facing = max(dot(at.normal, to_light), 0.0);
    float peak = max((dot(at.normal, normalize(to_light + to_eye)) - 0.75) * 4.0, 0.0);
    return facing * (at.albedo + 2.0 * peak * peak * at.mirror);
}

vec3 classic_surface(surface_point at, vec3 to_eye)
{
    vec3 sum = at.albedo * ambient.rgb;
    if (dot(at.normal, light_direction.xyz) > 0.0)
        sum += light.rgb * classic_by(at, light_direction.xyz, to_eye)
               * sunlight(at.place, at.flat_side);
    for (int i = 0; i < int(mode.z); i++) {
        vec3 to_light;
        float left = reach_point(i, at.place, to_light);
        sum += left * point_colours[i].rgb * classic_by(at, to_light, to_eye);
    }
    return sum;
}
