// What is added before a colour is stored in 8 bits, so that gradients have no bands: up to half a step,
// another one in each pixel, and the same in each picture. In whole numbers: the same on all machines.
float dither()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    int part = ((pixel.x * 4398 + pixel.y * 383) & 65535) * 3391 >> 6 & 65535;
    return (float(part) - 32767.5) / (65536.0 * 255.0);
}
