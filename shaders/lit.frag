// A textured, lit surface. Texels with little alpha are holes. Where pixels have samples, the
// alpha that is written decides how many of them a hole's edge covers, and is stored as 1.
uniform bool multisampled;

out vec4 colour;

const float STRAIGHT = 0.04; // what a plain matt thing mirrors of light that falls straight on it

void main()
{
    vec4 texel = texture(diffuse, texcoord) * tint;
    float covered = coverage(texel.a);
    if (covered < (multisampled ? 0.05 : 0.5))
        discard;
    surface_point at;
    at.place = world_position;
    at.normal = mapped_normal(at.flat_side);
    at.albedo = texel.rgb;
    at.mirror = vec3(STRAIGHT);
    at.roughness = 1.0 - surface.x;
    at.sheen = 0.0;
    vec3 shine = vec3(0.0), added = vec3(0.0);
    if (maps.y != 0) {
        shine = texture(specular, texcoord).rgb;
        float bright = max(max(shine.r, shine.g), shine.b);
        at.mirror = STRAIGHT * (1.0 - bright) + 0.16 * shine;
        at.roughness = mix(min(at.roughness + 0.2, 1.0), 0.3 * at.roughness, sqrt(bright));
        at.sheen = 1.0;
    }
    at.roughness = max(at.roughness, 0.08);
    if (maps.z != 0)
        added = texture(glow, texcoord).rgb;

    vec3 to_eye = normalize(eye.xyz - eye.w * world_position);
    vec3 shown;
    if (mode.x != 0.0) {
        at.albedo = srgb_from_linear(at.albedo);
        at.mirror = srgb_from_linear(shine);
        shown = clamp(classic_surface(at, to_eye) + srgb_from_linear(added), 0.0, 1.0);
    } else {
        vec3 linear = light_surface(at, to_eye) + added;
        shown = srgb_from_linear(mode.y != 0.0 ? tone_map(linear) : linear);
    }
    colour = vec4(shown, multisampled ? covered : 1.0);
}
