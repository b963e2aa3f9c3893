// Computes the mean of the four samples of each pixel.
uniform sampler2DMS samples;

out vec4 color;

void main()
{
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    color = 0.25
             * (texelFetch(samples, pixel, 0) + texelFetch(samples, pixel, 1)
                + texelFetch(samples, pixel, 2) + texelFetch(samples, pixel, 3));
}
