// A stage of a material: a texture times a color, blended with what is there. All numbers are those
// of the files: nothing is decoded from sRGB or encoded.
uniform sampler2D layer;
uniform vec3 texture_rows[2]; // (u, v, 1) of the vertices to u, v of the texture
uniform vec4 stage_colour;    // 0..1
uniform ivec3 stage_mode;     // vertex colours: 0 ignored, 1 multiplied, 2 inverted;
                              // 1 = alpha is tested;
                              // alpha that is written: 0 as it is, 1 one, 2 the largest component
uniform float alpha_limit;

in vec2 texcoord;
in vec4 tint;
flat in float dissolved; // share of the pixels that is hidden

out vec4 colour;

void main()
{
    if (dissolved > 0.0 && dissolves(dissolved))
        discard;
    vec3 place = vec3(texcoord, 1.0);
    vec4 value = texture(layer, vec2(dot(texture_rows[0], place), dot(texture_rows[1], place)));
    value *= stage_colour;
    // Texture combiners invert the colour only: alpha is multiplied in both modes.
    vec4 own = clamp(tint, 0.0, 1.0);
    if (stage_mode.x != 0)
        value *= vec4(stage_mode.x == 2 ? 1.0 - own.rgb : own.rgb, own.a);
    if (stage_mode.y != 0 && !(value.a > alpha_limit))
        discard;
    if (stage_mode.z != 0)
        value.a = stage_mode.z == 1 ? 1.0 : max(max(value.r, value.g), value.b);
    colour = value;
}
