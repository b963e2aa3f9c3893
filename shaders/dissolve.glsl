// Fades models, material stages and impostors by hiding pixels.

// Returns true for the fraction `fraction` (0..1) of all pixels. They are selected by a fixed,
// evenly distributed pattern, interleaved gradient noise (Jimenez, "Next Generation Post Processing
// in Call of Duty", 2014). An object that fades out hides these pixels, and an object that fades in
// shows them. Both together therefore cover each pixel once.
bool dissolves(float fraction)
{
    vec2 pixel = floor(gl_FragCoord.xy);
    float number = fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
    return number < fraction;
}
