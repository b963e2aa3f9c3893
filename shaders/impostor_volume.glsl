// Pictures of impostors in a 3D texture: a slice for each frame, with the pictures of all views.
// Between slices the sampler blends frames.
#define PICTURES sampler3D

const float PICTURE_EDGE = 1.0 - 1.0 / 8.0; // as in the atlas

vec4 picture(PICTURES pictures, int view, float frame, vec2 at, float level)
{
    vec2 cell = vec2(view % picture_grid.x, view / picture_grid.x);
    vec2 inside = 0.5 + 0.5 * clamp(at, -PICTURE_EDGE, PICTURE_EDGE);
    vec3 place = vec3((cell + inside) / vec2(picture_grid.xy), (frame + 0.5) / float(picture_grid.z));
    return textureLod(pictures, place, level);
}
