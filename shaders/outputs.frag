// Writes the normal, motion vector and identity of a surface for other passes of a host. See
// md5gl_draw_outputs().
flat in float dissolved; // fraction of the pixels that is hidden
in vec3 current_xyw, previous_xyw; // clip space, current and previous frame
flat in uvec2 identity;

layout(location = 0) out vec4 output_normal;
layout(location = 1) out vec2 output_motion;
layout(location = 2) out uvec2 output_identity;

void main()
{
    if (dissolved > 0.0 && dissolves(dissolved))
        discard;
    if (!(coverage(texture(diffuse, texcoord).a * tint.a) > 0.5))
        discard;
    vec3 flat_side;
    output_normal = vec4(0.5 + 0.5 * mapped_normal(flat_side), 1.0);
    // Divide both positions before the subtraction, so that the motion of static objects is exactly
    // 0. A motion of 2 marks a position that was behind the eye.
    vec2 motion = 0.5 * (current_xyw.xy / current_xyw.z - previous_xyw.xy / previous_xyw.z);
    output_motion = previous_xyw.z > 0.0 ? clamp(motion, -2.0, 2.0) : vec2(2.0);
    output_identity = identity;
}
