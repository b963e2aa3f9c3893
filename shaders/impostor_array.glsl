// Pictures of impostors as layers of an array texture. All layouts define PICTURES and picture().
#define PICTURES sampler2DArray

vec4 picture(PICTURES pictures, int view, float frame, vec2 at, float level)
{
    int layer = int(frame + 0.5) * NUM_VIEWS + view;
    return textureLod(pictures, vec3(0.5 + 0.5 * at, float(layer)), level);
}
