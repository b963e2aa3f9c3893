// Draws the environment's panorama as the background. Exposure and tone mapping are the same as for
// surfaces, so that both match.
uniform sampler2D panorama;
uniform mat3 rays;     // maps a viewport position (x, y, 1) to the direction from the eye
uniform float level;   // mipmap level whose texels are about as large as pixels

in vec2 viewport_position;

out vec4 color;

void main()
{
    vec3 direction = rotated_to_panorama(normalize(rays * vec3(viewport_position, 1.0)));
    vec3 linear = ambient.rgb * textureLod(panorama, panorama_coords(direction), level).rgb;
    color = vec4(srgb_from_linear(mode.y != 0.0 ? tone_map(linear) : linear), 1.0);
}
