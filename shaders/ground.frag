// Draws only the shadows on the ground: black, with the darkness of the shadow as alpha.
uniform vec4 ground_area; // center x, center y, height, radius; world space

in vec3 ground_position;

out vec4 color;

const float SHADOW_OPACITY = 0.52; // of the key light's shadow
const float CONTACT_OPACITY = 0.70; // of a caster that touches the ground all around

// Computes sums over the pixel's block of 2 x 2 pixels: the value of its first pixel, the sum of
// its first row and the sum of its first column. The order of the pixels follows from the signs of
// the derivatives, because the image can be flipped.
//
// Some devices, for example in browsers, use the derivatives of the first row for both rows, and of
// the first column for both columns. The fourth pixel is therefore not used. Where the derivatives
// of the second row differ, their difference is subtracted. The result is then the same on all
// devices.
void block_sums(vec2 value, out vec2 first, out vec2 row, out vec2 column)
{
    vec2 odd = vec2(ivec2(gl_FragCoord.xy) & 1);
    vec2 side = (2.0 * odd - 1.0) * vec2(dFdx(odd.x), dFdy(odd.y)); // -1: first column or row, 1: second
    vec2 is_second = max(side, 0.0);
    row = dFdx(value * side.x); // the difference of value and -value is a sum
    row -= is_second.y * dFdy(row);
    column = dFdy(value * side.y);
    column -= is_second.x * dFdx(column);
    vec2 change = dFdx(value);
    change -= is_second.y * dFdy(change);
    first = 0.5 * (row - change);
}

void main()
{
    float from_center = length(ground_position.xy - ground_area.xy) / ground_area.w;
    float fade = 1.0 - smoothstep(0.6, 1.0, from_center);
    vec2 light_and_contact = vec2(1.0, 0.0); // x: visibility of the key light; y: contact shadow
    first_rotation = pixel_rotation();
    if (light_direction.z > 0.0 && fade > 0.0)
        light_and_contact.x = sunlight(ground_position, vec3(0.0, 0.0, 1.0));
    light_and_contact.y = contact_shade(ground_position);
    // Average a block of 2 x 2 pixels to remove noise: the taps of its pixels are rotated by
    // different angles. An edge of the shadow that is not wider than a pixel has no noise and must
    // remain sharp.
    vec2 x = dFdx(ground_position.xy), y = dFdy(ground_position.xy);
    vec2 wide = clamp(edge * shadow.z / vec2(length(x), length(y)) - 1.0, 0.0, 1.0);
    vec2 first, row, column;
    block_sums(light_and_contact, first, row, column);
    vec2 block = (row + column - first) / 3.0;
    vec2 weight_x = vec2(wide.x, 1.0), weight_y = vec2(wide.y, 1.0);
    light_and_contact = mix(mix(light_and_contact, 0.5 * row, weight_x),
                            mix(0.5 * column, block, weight_x), weight_y);
    float sky = mode.x != 0.0 ? 1.0 : 1.0 - CONTACT_OPACITY * light_and_contact.y;
    float darkness = 1.0 - (1.0 - SHADOW_OPACITY * (1.0 - light_and_contact.x)) * sky;
    if (darkness * fade < 0.002) // true for most pixels
        discard;
    color = vec4(0.0, 0.0, 0.0, darkness * fade);
}
