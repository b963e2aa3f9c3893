// Encodes a linear color as sRGB. The framebuffer contains sRGB colors, premultiplied by alpha.
// GL_FRAMEBUFFER_SRGB would encode them too, but window framebuffers often do not support it.
vec3 srgb_from_linear(vec3 linear)
{
    vec3 low = 12.92 * linear;
    vec3 high = 1.055 * pow(max(linear, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055;
    return mix(high, low, lessThanEqual(linear, vec3(0.0031308)));
}

// Compresses bright colors. Colors below KNEE are unchanged, so that textures look as they were
// painted. Brighter colors approach 1 asymptotically. All three channels are scaled by the same
// factor, which preserves the hue. Very bright colors also become paler, like overexposed film.
const float KNEE = 0.72, PALING = 0.15;
vec3 tone_map(vec3 linear)
{
    float peak = max(max(linear.r, linear.g), linear.b);
    if (peak <= KNEE)
        return linear;
    float headroom = 1.0 - KNEE;
    float shown = 1.0 - headroom * headroom / (peak - KNEE + headroom);
    float pale = 1.0 - 1.0 / (1.0 + PALING * (peak - shown));
    return mix(linear * (shown / peak), vec3(shown), pale);
}
