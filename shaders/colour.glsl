// The framebuffer holds sRGB, premultiplied by alpha. Encoding here, not by GL_FRAMEBUFFER_SRGB,
// because a window's framebuffer often has no such mode.
vec3 srgb_from_linear(vec3 linear)
{
    vec3 low = 12.92 * linear;
    vec3 high = 1.055 * pow(max(linear, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055;
    return mix(high, low, lessThanEqual(linear, vec3(0.0031308)));
}
