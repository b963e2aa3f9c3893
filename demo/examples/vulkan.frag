#version 450
// Lights a checkered surface, which replaces a texture, with one directional light. The output is a
// linear color. The image has an sRGB format, so Vulkan encodes the color.
layout(location = 0) in vec3 posed_normal;
layout(location = 1) in vec2 posed_texcoord;
layout(location = 0) out vec4 color;

void main()
{
    ivec2 square = ivec2(floor(32.0 * posed_texcoord));
    vec3 diffuse = (square.x + square.y) % 2 == 0 ? vec3(0.42, 0.16, 0.05) : vec3(0.55, 0.28, 0.1);
    float facing = dot(normalize(posed_normal), normalize(vec3(1.0, 0.5, 1.0)));
    color = vec4(diffuse * (vec3(0.2, 0.22, 0.26) + vec3(1.2, 1.15, 1.05) * max(facing, 0.0)), 1.0);
}
