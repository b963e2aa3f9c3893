// Draws only the shadows on the ground: black, with the darkness of the shadow as alpha.
uniform vec4 ground_area; // centre x, centre y, height, radius; world space

in vec3 ground_position;

out vec4 colour;

const float SHADOW_OPACITY = 0.52; // of the key light's shadow
const float CONTACT_OPACITY = 0.70; // of a caster that touches the ground all around

void main()
{
    float from_centre = length(ground_position.xy - ground_area.xy) / ground_area.w;
    float fade = 1.0 - smoothstep(0.6, 1.0, from_centre);
    vec2 seen = vec2(1.0, 0.0); // visibility of the key light; contact shadow
    first_rotation = pixel_rotation();
    if (light_direction.z > 0.0 && fade > 0.0)
        seen.x = sunlight(ground_position, vec3(0.0, 0.0, 1.0));
    seen.y = contact_shade(ground_position);
    // Average a block of 2 x 2 pixels, whose taps are rotated differently, to remove the noise. An edge that is not wider than the
    // pixels does not show noise, and must remain sharp. Some devices, for example in browsers, compute the derivatives of one row
    // for both rows; then the result is the average of that row for all four pixels. The signs of the derivatives give the order of
    // the pixels, because the image can be flipped.
    vec2 x = dFdx(ground_position.xy), y = dFdy(ground_position.xy);
    vec2 wide = clamp(edge * shadow.z / vec2(length(x), length(y)) - 1.0, 0.0, 1.0);
    vec2 odd = vec2(ivec2(gl_FragCoord.xy) & 1);
    vec2 side = (2.0 * odd - 1.0) * vec2(dFdx(odd.x), dFdy(odd.y));
    seen = mix(seen, 0.5 * dFdx(seen * side.x), vec2(wide.x, 1.0));
    seen = mix(seen, 0.5 * dFdy(seen * side.y), vec2(wide.y, 1.0));
    float sky = mode.x != 0.0 ? 1.0 : 1.0 - CONTACT_OPACITY * seen.y;
    float darkness = 1.0 - (1.0 - SHADOW_OPACITY * (1.0 - seen.x)) * sky;
    if (darkness * fade < 0.002) // true for most pixels
        discard;
    colour = vec4(0.0, 0.0, 0.0, darkness * fade);
}
