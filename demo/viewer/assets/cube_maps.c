// Reads the six images of a cube map of a game, and uploads the cube map.
#include "demo/viewer/assets/textures.h"

// Copies each texel of a side from the camera's image of this side. (s, t) is the position of the
// texel on the side, in the directions that OpenGL defines for this side. (right, down) is its
// position in the camera's image.
void view_rotate_camera_side(int number, uint32_t side, const uint8_t *from, uint8_t *to)
{
    const bool is_transposed = number != 2 && number != 3; // right along t, down along s
    const bool flips_right = number == 1 || number == 3;
    const bool flips_down = number == 1 || number == 2;
    for (uint32_t t = 0; t < side; t++) {
        for (uint32_t s = 0; s < side; s++) {
            const uint32_t right = is_transposed ? t : s;
            const uint32_t down = is_transposed ? s : t;
            const size_t column = flips_right ? side - 1 - right : right;
            const size_t row = flips_down ? side - 1 - down : down;
            const size_t source = row * side + column;
            const size_t target = (size_t)t * side + s;
            memcpy(to + 4 * target, from + 4 * source, 4);
        }
    }
}

// Returns true if the engine creates the cube map itself. The name of such a cube map begins with
// "_". All other cube maps are read from files.
static bool is_built_in(const md5_stage *stage)
{
    return stage->image.text[0] == '_';
}

// Reads one image of a cube map. A cube map that the engine creates (is_built_in()) has one image
// with its name. Any other cube map has six files, whose names are its name with a suffix for the
// side. `number` is the index of the side.
static bool read_cube_image(md5_game *game, const md5_stage *stage, int number, view_image *image,
                            md5_error *error)
{
    static const char *const axis_suffixes[] = {"_px", "_nx", "_py", "_ny", "_pz", "_nz"};
    static const char *const camera_suffixes[] = {"_forward", "_back", "_left",
                                                  "_right",   "_up",   "_down"};
    if (is_built_in(stage))
        return view_read_game_image(game, &stage->image, image, error);

    const bool is_camera = stage->cube == MD5_IMAGE_CAMERA_CUBE;
    const char *const suffix = is_camera ? camera_suffixes[number] : axis_suffixes[number];
    char *const name = common_format("%s%s.tga", stage->image.text, suffix);
    md5_image_program program;
    const bool is_valid = md5_game_image_program(game, name, &program, error);
    free(name);
    return is_valid && view_read_game_image(game, &program, image, error);
}

enum { NUM_CUBE_SIDES = 6 };

// Copies one image of a cube map to *rgba, which contains all sides. The first image (`number` 0)
// sets the width of the sides, desc->width, and allocates *rgba. Returns false and fills `error` if
// the sides in the image are not squares of this width.
static bool store_cube_image(const md5_stage *stage, int number, const view_image *image,
                             md5gl_texture_desc *desc, uint8_t **rgba, md5_error *error)
{
    const bool has_all_sides = is_built_in(stage); // below each other
    const uint32_t num_sides = has_all_sides ? NUM_CUBE_SIDES : 1;
    const size_t side_size = 4 * (size_t)image->width * image->width; // bytes
    if (number == 0) {
        desc->width = image->width;
        desc->height = image->width;
        *rgba = common_alloc(NUM_CUBE_SIDES, side_size);
    }
    if (image->width != desc->width || image->height != num_sides * image->width) {
        COMMON_TEXT(
            error->message,
            "the sizes of the cube map's faces are invalid: expected squares of equal size");
        return false;
    }

    uint8_t *const side = *rgba + side_size * (size_t)number;
    if (stage->cube == MD5_IMAGE_CAMERA_CUBE && !has_all_sides)
        view_rotate_camera_side(number, image->width, image->rgba, side);
    else
        memcpy(side, image->rgba, num_sides * side_size);
    return true;
}

// Reads the six sides of a cube map into one block, which the caller frees. Also sets the size and
// the sides of `desc`. The sides are in six images; in a cube map of the engine they are below each
// other in one image. Returns NULL and fills `error` on failure.
static uint8_t *read_cube_sides(md5_game *game, const md5_stage *stage, md5gl_texture_desc *desc,
                                md5_error *error)
{
    const int num_images = is_built_in(stage) ? 1 : NUM_CUBE_SIDES;
    uint8_t *rgba = NULL;
    for (int number = 0; number < num_images; number++) {
        view_image image = {NULL, 0, 0};
        const bool is_stored = read_cube_image(game, stage, number, &image, error)
                               && store_cube_image(stage, number, &image, desc, &rgba, error);
        free(image.rgba);
        if (!is_stored) {
            free(rgba);
            return NULL;
        }
    }
    if (rgba == NULL) // not possible: there is at least one image
        return NULL;
    const size_t side_size = 4 * (size_t)desc->width * desc->width; // bytes
    for (size_t i = 0; i < NUM_CUBE_SIDES; i++)
        desc->faces[i] = rgba + side_size * i;
    return rgba;
}

md5gl_texture view_upload_cube(md5gl_renderer *renderer, md5_game *game, const md5_stage *stage,
                               md5_error *error)
{
    md5gl_texture_desc desc = {.kind = MD5GL_TEXTURE_STAGE_CUBE,
                               .is_nearest = stage->filter == MD5_FILTER_NEAREST};
    uint8_t *const rgba = read_cube_sides(game, stage, &desc, error);
    if (rgba == NULL)
        return 0;
    const md5gl_texture texture = md5gl_create_texture(renderer, &desc, error);
    free(rgba);
    return texture;
}
