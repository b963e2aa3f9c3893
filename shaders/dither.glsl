// Returns an offset of up to half a step of an 8-bit color. Adding it before the color is stored
// hides bands in gradients. The offset is different in each pixel and constant over time. Integer
// arithmetic gives the same result on all GPUs.
float dither()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    int part = ((pixel.x * 4398 + pixel.y * 383) & 65535) * 3391 >> 6 & 65535;
    return (float(part) - 32767.5) / (65536.0 * 255.0);
}
