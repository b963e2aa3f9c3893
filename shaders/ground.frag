// Shadows alone, black with an alpha, on whatever is there.
uniform vec4 ground_area; // centre x, centre y, height, radius; world space

in vec3 ground_place;

out vec4 colour;

const float DARKEST = 0.52; // of the key light's shadow
const float CONTACT = 0.70; // of what touches the ground all around

void main()
{
    float away = length(ground_place.xy - ground_area.xy) / ground_area.w;
    float fade = 1.0 - smoothstep(0.6, 1.0, away);
    float lit = 1.0;
    if (light_direction.z > 0.0 && fade > 0.0)
        lit = sunlight(ground_place, vec3(0.0, 0.0, 1.0));
    float open = mode.x != 0.0 ? 1.0 : 1.0 - CONTACT * contact_shade(ground_place);
    float dark = 1.0 - (1.0 - DARKEST * (1.0 - lit)) * open;
    if (dark * fade < 0.002) // most of it
        discard;
    colour = vec4(0.0, 0.0, 0.0, dark * fade);
}
