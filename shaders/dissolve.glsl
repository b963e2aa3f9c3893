// Fading by hiding pixels, shared by all that may fade: models, their stages, impostors.

// Whether a pixel belongs to the first `share` of a fixed pattern that spreads evenly: interleaved
// gradient noise (Jimenez, "Next Generation Post Processing in Call of Duty", 2014). What fades out
// hides these pixels, what fades in shows them.
bool dissolves(float share)
{
    vec2 pixel = floor(gl_FragCoord.xy);
    float number = fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
    return number < share;
}
