// Draws a textured, lit surface. Texels with low alpha are discarded. In a multisampled target,
// alpha selects how many samples of an edge are covered, and GL stores 1.
// Alpha that is written. 0: the constant 1. 1: coverage, in multisampled targets. 2: the largest color
// component, for light that is added to the image.
uniform int alpha_mode;

flat in float dissolved; // fraction of the pixels that is hidden

out vec4 color;

void main()
{
    if (dissolved > 0.0 && dissolves(dissolved))
        discard;
    vec4 texel = texture(diffuse, texcoord) * tint;
    float covered = coverage(texel.a);
    if (!(covered > (alpha_mode == 1 ? 0.05 : 0.5)))
        discard;
    vec3 flat_side;
    vec3 normal = mapped_normal(flat_side);
    vec4 shine = maps.y != 0 ? texture(specular, texcoord) : vec4(0.0);
    shine.a = maps.y == 2 ? shine.a : 1.0;
    vec3 emitted = maps.z != 0 ? texture(glow, texcoord).rgb : vec3(0.0);
    vec3 shown = shade(world_position, normal, flat_side, texel.rgb, surface.x, maps.y != 0, shine,
                       emitted, paints[0], paints[1]);
    float largest = max(max(shown.r, shown.g), shown.b);
    color = vec4(shown, alpha_mode == 1 ? covered : alpha_mode == 2 ? largest : 1.0);
}
