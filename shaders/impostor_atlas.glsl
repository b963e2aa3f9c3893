// Pictures of impostors in an atlas: blocks of frames, each with the pictures of all views. At the
// edge of a picture it stays half a texel of the coarsest level away from its neighbours.
#define PICTURES sampler2D

const float PICTURE_EDGE = 1.0 - 1.0 / 8.0; // MIN_LEVEL_SIDE in render/impostor.c is 8

vec4 picture(PICTURES pictures, int view, float frame, vec2 at, float level)
{
    int number = int(frame + 0.5);
    ivec2 block = ivec2(number % picture_grid.z, number / picture_grid.z);
    ivec2 cell = ivec2(view % picture_grid.x, view / picture_grid.x) + block * picture_grid.xy;
    vec2 inside = 0.5 + 0.5 * clamp(at, -PICTURE_EDGE, PICTURE_EDGE);
    vec2 cells = vec2(picture_grid.xy * picture_grid.zw);
    return textureLod(pictures, (vec2(cell) + inside) / cells, level);
}
