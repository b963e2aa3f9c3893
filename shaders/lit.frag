// A textured, lit surface. Texels with alpha below a half are holes. Where pixels have samples, the
// alpha that is written decides how many of them a hole's edge covers, and is stored as 1.
uniform sampler2D diffuse; // decoded from sRGB by the sampler
uniform bool multisampled;

in vec3 world_position;
in vec3 world_normal;
in vec2 texcoord;

out vec4 colour;

// Mipmaps average alpha, so that hair and leaves, thinner than a half of what lies around them, would
// vanish at a distance: each level gives a quarter back.
const float ALPHA_A_LEVEL = 0.25;

float mipmap_level()
{
    vec2 texel = texcoord * vec2(textureSize(diffuse, 0));
    vec2 right = dFdx(texel), up = dFdy(texel);
    return max(0.5 * log2(max(dot(right, right), dot(up, up))), 0.0);
}

// 0.5 at the edge of a hole, and going from 0 to 1 over the width of one pixel.
float coverage(float alpha)
{
    float kept = alpha * (1.0 + ALPHA_A_LEVEL * mipmap_level());
    return clamp((kept - 0.5) / max(fwidth(kept), 1e-4) + 0.5, 0.0, 1.0);
}

void main()
{
    vec4 texel = texture(diffuse, texcoord);
    float covered = coverage(texel.a);
    if (covered < (multisampled ? 0.05 : 0.5))
        discard;
    vec3 normal = normalize(world_normal);
    if (!gl_FrontFacing)
        normal = -normal;
    vec3 to_eye = normalize(eye.xyz - eye.w * world_position);
    colour = vec4(srgb_from_linear(light_surface(texel.rgb, normal, to_eye)), multisampled ? covered : 1.0);
}
