// A textured, lit surface. Texels with alpha below a half are holes.
uniform sampler2D diffuse; // decoded from sRGB by the sampler

in vec3 world_position;
in vec3 world_normal;
in vec2 texcoord;

out vec4 colour;

void main()
{
    vec4 texel = texture(diffuse, texcoord);
    if (texel.a < 0.5)
        discard;
    vec3 normal = normalize(world_normal);
    if (!gl_FrontFacing)
        normal = -normal;
    vec3 to_eye = normalize(eye.xyz - eye.w * world_position);
    colour = vec4(srgb_from_linear(light_surface(texel.rgb, normal, to_eye)), 1.0);
}
