// Writes a pixel of an impostor's image: color before lighting, normal in the axes of the image,
// and depth. The alpha channel of the color contains the brightness of the specular map. The alpha
// channel of the surface contains coverage. Empty pixels are 0, so averages over pixels are
// weighted by coverage.
layout(location = 0) out vec4 picture_color;
layout(location = 1) out vec4 picture_surface;

void main()
{
    vec4 texel = texture(diffuse, texcoord) * tint;
    if (!(coverage(texel.a) > 0.5))
        discard;
    vec3 flat_side;
    vec3 normal = mapped_normal(flat_side);
    vec3 shine = maps.y != 0 ? texture(specular, texcoord).rgb : vec3(0.0);
    shine *= paints[1];
    picture_color = vec4(texel.rgb * paints[0], max(max(shine.r, shine.g), shine.b));
    picture_surface = vec4(0.5 + 0.5 * normal.xy, 1.0 - gl_FragCoord.z, 1.0);
}
