// Smooths the edges of an image that has one sample per pixel. Averages colors along an edge, over
// its stair steps, as in Lottes, "FXAA", 2009. Where neighbors are similar, the loop has 0
// iterations, because software GL executes both sides of branches and skips only loops.
uniform sampler2D diffuse; // the image, sRGB

out vec4 color;

// With half the weight and a short reach (in pixels), the result is closest to an image with four
// samples per pixel. Larger values would blur textures.
const float MIN_CONTRAST = 0.1, REACH = 2.0, WEIGHT = 0.5;
const int TAPS = 4;

// Returns the perceived brightness of a color (luma of Rec. 601).
float brightness(vec3 color)
{
    return dot(color, vec3(0.299, 0.587, 0.114));
}

// Returns the brightness of a pixel. Pixels outside of the image have the brightness of the nearest pixel.
float pixel_brightness(ivec2 at)
{
    return brightness(texelFetch(diffuse, clamp(at, ivec2(0), textureSize(diffuse, 0) - 1), 0).rgb);
}

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec4 middle = texelFetch(diffuse, pixel, 0);
    vec4 around = vec4(pixel_brightness(pixel + ivec2(-1, -1)),
                       pixel_brightness(pixel + ivec2(1, -1)),
                       pixel_brightness(pixel + ivec2(-1, 1)),
                       pixel_brightness(pixel + ivec2(1, 1)));
    float center_brightness = brightness(middle.rgb);
    float min_brightness = min(min(min(around.x, around.y), min(around.z, around.w)), center_brightness);
    float max_brightness = max(max(max(around.x, around.y), max(around.z, around.w)), center_brightness);

    // Direction along the edge, perpendicular to the gradient of brightness. It is longer for
    // flatter stair steps.
    vec2 along = vec2(around.x + around.y - around.z - around.w,
                      around.y + around.w - around.x - around.z);
    float flattest = max(min(abs(along.x), abs(along.y)), 0.03 * (max_brightness + min_brightness) + 0.01);
    along = clamp(along / flattest, -REACH, REACH) / vec2(textureSize(diffuse, 0));
    vec2 coords = gl_FragCoord.xy / vec2(textureSize(diffuse, 0));

    // `whole` is the mean of four samples along the edge, `inner` the mean of the two inner samples.
    vec4 inner = vec4(0.0), whole = vec4(0.0);
    int num_taps = max_brightness - min_brightness > MIN_CONTRAST ? TAPS : 0;
    for (int i = 0; i < num_taps; i++) {
        vec4 texel = textureLod(diffuse, coords + along * (float(i) / 3.0 - 0.5), 0.0);
        inner += i == 1 || i == 2 ? 0.5 * texel : vec4(0.0);
        whole += 0.25 * texel;
    }
    // The outer samples can be past the end of the edge, on another surface. Then use only the two
    // inner samples.
    float mean = brightness(whole.rgb);
    vec4 smoothed = mean < min_brightness || mean > max_brightness ? inner : whole;
    color = num_taps == 0 ? middle : mix(middle, smoothed, WEIGHT);
}
