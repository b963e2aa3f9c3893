// Determines the purpose of an image from its file name and its texels. Programs that do not draw
// also use this file to find images, so it does not depend on OpenGL.
#include "render/assert.h"
#include "render/md5gl_material_files.h"
#include "render/texels.h"

// -- Names ----------------------------------------------------------------------------------------

// Returns the keywords by which file names mark a kind of image, such as "local" in "imp_local.tga"
// for a normal map. The result is one text, with a space before and after each keyword.
const char *md5gl_texture_keywords(md5gl_image_kind kind)
{
    static const char diffuse[] = " d diffuse diff dif color colour col albedo basecolor cc skin "
                                  "skins texture textures tex images img maps ";
    static const char *const words[MD5GL_NUM_IMAGE_KINDS] = {
        diffuse,
        " local n nor norm normal normals nrm bmp nm nrml nrmls ",
        " h height bump ",
        " s spec specular gloss specc sc ",
        " add glow emit luma glo ",
    };
    return (unsigned)kind < MD5GL_NUM_IMAGE_KINDS ? words[kind] : " ";
}

const char *const *md5gl_image_extensions(void)
{
    static const char *const endings[] = {".tga", ".png", ".jpg", ".jpeg", ".dds", NULL};
    return endings;
}

// -- Texels ---------------------------------------------------------------------------------------

// Returns true if alpha contains x of a normal map: red is constant and alpha is not.
static bool is_red_empty(const md5gl_texture_desc *desc)
{
    // Find the range of red ([0]) and of alpha ([1]).
    uint8_t low[2] = {255, 255};
    uint8_t high[2] = {0, 0};
    for (size_t i = 0; i < (size_t)desc->width * desc->height; i++) {
        for (size_t k = 0; k < 2; k++) {
            const uint8_t value = desc->texels[4 * i + 3 * k];
            low[k] = value < low[k] ? value : low[k];
            high[k] = value > high[k] ? value : high[k];
        }
    }
    return high[0] - low[0] <= 2 && high[1] - low[1] > 8;
}

// Guesses the encoding of a normal map: which channel contains x, and the direction of green.
//
// The slopes of the map show the direction of green. The surface is a height field h(u, v). Red
// contains the slope dh/du, and green contains dh/dv. The derivative of dh/du along v and the
// derivative of dh/dv along u are both the mixed derivative of h. They are therefore equal if green
// points along v, and opposite if green points against v. Without noise, their correlation over the
// whole map is 1 or -1. Its sign decides.
uint32_t md5gl_guess_normals(const md5gl_texture_desc *desc)
{
    enum { ROWS_READ = 256 }; // reading all rows of a large map would take longer than decoding it
    // Correlation of a map whose green points against v.
    static const double max_correlation = -0.02;
    MD5_ASSERT(desc != NULL && desc->texels != NULL, "desc: must have texels");

    // The correlation is product / squares.
    const bool is_rxgb = is_red_empty(desc);
    const int red = is_rxgb ? 3 : 0;
    const uint32_t step = 1 + desc->height / (ROWS_READ + 1);
    double product = 0.0;
    double squares = 0.0;
    for (uint32_t y = 0; y + 1 < desc->height; y += step) {
        for (uint32_t x = 0; x + 1 < desc->width; x++) {
            const md5gl_slopes here = read_slopes(texel_at(desc, x, y), red);
            const double u_along_v = read_slopes(texel_at(desc, x, y + 1), red).u - here.u;
            const double v_along_u = read_slopes(texel_at(desc, x + 1, y), red).v - here.v;
            product += u_along_v * v_along_u;
            squares += 0.5 * (u_along_v * u_along_v + v_along_u * v_along_u);
        }
    }

    uint32_t normals = 0;
    if (is_rxgb)
        normals |= MD5GL_NORMALS_RXGB;
    if (product < max_correlation * squares)
        normals |= MD5GL_NORMALS_GREEN_UP;
    return normals;
}

// Returns true if more than 1 % of the texels have an alpha below 0.5. Such a texture has holes,
// for example between leaves or hairs, at which the surface is not drawn (see
// md5gl_material.alpha_test).
bool md5gl_has_transparent_texels(const md5gl_texture_desc *desc)
{
    MD5_ASSERT(desc != NULL && desc->texels != NULL, "desc: must have texels");
    const size_t count = (size_t)desc->width * desc->height;
    size_t num_transparent = 0;
    for (size_t i = 0; i < count; i++) {
        if (desc->texels[4 * i + 3] < 128)
            num_transparent++;
    }
    // Ignore up to 1 % of transparent texels, because they can be errors of compression.
    return num_transparent > count / 100;
}
