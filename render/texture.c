// Creates textures and their mipmaps. The CPU computes the mipmaps, so that they are equal with all
// drivers. This is also faster with Mesa's software renderer, which compiles shaders for mipmaps in
// each process: this takes longer than decoding the images of a model.
#include "render/gl_internal.h"
#include "render/texels.h"

#include <math.h>
#include <string.h>

// -- Encodings --------------------------------------------------------------------------------

// Converts an sRGB value to linear color, both 0..1.
static double decode_srgb(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

// Fills the tables of an encoding, which replace a call of pow() per channel. Decoding is one
// lookup. Encoding is one lookup and one comparison, and its result is exact.
//
// `min_linear` contains the smallest linear value of each byte. `encoded` contains the bytes of the
// linear values 0, 16, 32 and so on. A linear value is looked up at the next lower multiple of 16.
// Its byte is the byte found there or the next one. Other bytes are impossible, because each byte
// after byte 0 covers more than 16 linear values. The bytes near 0 cover the fewest. There sRGB is
// 12.92 times the linear value, so a byte covers
//
//   65535 / (255 * 12.92) = 19.9 linear values.
void md5gli_prepare_encoding(md5gl_encoding *encoding, bool is_srgb)
{
    encoding->is_srgb = is_srgb;
    if (!is_srgb)
        return;
    for (uint32_t i = 0; i < 256; i++) {
        encoding->linear[i] = (uint16_t)(65535.0 * decode_srgb(i / 255.0) + 0.5);
        encoding->min_linear[i] =
            (uint16_t)(i == 0 ? 0.0 : ceil(65535.0 * decode_srgb((i - 0.5) / 255.0)));
    }
    encoding->min_linear[256] = 65535;

    uint32_t byte = 0;
    for (uint32_t i = 0; i < 1 << 12; i++) {
        if (byte < 255 && 16 * i >= encoding->min_linear[byte + 1])
            byte++;
        encoding->encoded[i] = (uint8_t)byte;
    }
}

// Returns the sRGB byte of a linear value, 0..65535.
static uint8_t encode_srgb(const md5gl_encoding *encoding, uint32_t linear)
{
    uint32_t byte = encoding->encoded[linear / 16];
    if (byte < 255 && linear >= encoding->min_linear[byte + 1])
        byte++;
    return (uint8_t)byte;
}

// -- Halving ----------------------------------------------------------------------------------

// The texels along one axis that one texel of the next mipmap level covers, and their weights. If
// the side is even, these are two texels with equal weights. If the side is 2 n + 1, the next level
// has n texels. Its texel i covers 2 + 1 / n texels, which are
//
//   the fraction (n - i) / n  of texel 2 i
//   all                       of texel 2 i + 1
//   the fraction (i + 1) / n  of texel 2 i + 2.
//
// The weights are these fractions times n, so that they are integers.
typedef struct texel_footprint {
    uint32_t count;
    uint32_t weights[3];
    uint32_t sum;
} texel_footprint;

// Returns the texels that texel `index` of the next mipmap level covers along an axis. `side` is
// the number of texels of the current level along this axis.
static texel_footprint get_footprint(uint32_t side, uint32_t index)
{
    if (side == 1)
        return (texel_footprint){1, {1, 0, 0}, 1};
    if (side % 2 == 0)
        return (texel_footprint){2, {1, 1, 0}, 2};
    return (texel_footprint){3, {side / 2 - index, side / 2, index + 1}, side};
}

// Returns the weighted mean of one channel of the texels that a texel of the next level covers.
// `from` points to the channel in the first of these texels. `row` is the number of bytes per row.
// `srgb` is NULL if the channel is linear.
static uint8_t weighted_mean(const uint8_t *from, size_t row, const texel_footprint *horizontal,
                             const texel_footprint *vertical, const md5gl_encoding *srgb)
{
    const uint64_t sum_of_weights = (uint64_t)horizontal->sum * vertical->sum;
    uint64_t sum = 0;
    for (uint32_t y = 0; y < vertical->count; y++) {
        for (uint32_t x = 0; x < horizontal->count; x++) {
            const uint64_t weight = (uint64_t)vertical->weights[y] * horizontal->weights[x];
            const uint8_t value = from[y * row + 4 * (size_t)x];
            sum += weight * (srgb ? srgb->linear[value] : value);
        }
    }
    const uint32_t mean = (uint32_t)((sum + sum_of_weights / 2) / sum_of_weights);
    return srgb ? encode_srgb(srgb, mean) : (uint8_t)mean;
}

// Writes row `y` of the next level to `to`, for sides of any length. `to` may overlap the rows that
// are read, as md5gli_halve() describes. Each texel is therefore computed completely before it is
// written.
static void halve_odd_row(const md5gl_encoding *encoding, const md5gl_level *level, uint32_t y,
                          uint8_t *to)
{
    const size_t bytes_per_row = 4 * (size_t)level->width;
    const uint32_t width = level->width > 1 ? level->width / 2 : 1; // width of the next level
    const texel_footprint vertical = get_footprint(level->height, y);
    const md5gl_encoding *const color_encoding = encoding->is_srgb ? encoding : NULL;
    const uint8_t *from = level->rgba + 2 * (size_t)y * bytes_per_row;
    for (uint32_t x = 0; x < width; x++) {
        const texel_footprint horizontal = get_footprint(level->width, x);
        uint8_t texel[4];
        for (uint32_t i = 0; i < 3; i++)
            texel[i] =
                weighted_mean(from + i, bytes_per_row, &horizontal, &vertical, color_encoding);
        texel[3] = weighted_mean(from + 3, bytes_per_row, &horizontal, &vertical, NULL); // alpha
        memcpy(to + 4 * (size_t)x, texel, sizeof texel);
        from += 8; // two texels
    }
}

// Returns the mean of one linear channel of 2 x 2 texels, whose first is at `from`.
static uint8_t mean_of_bytes(const uint8_t *from, size_t row)
{
    return (uint8_t)((from[0] + from[4] + from[row] + from[row + 4] + 2) / 4);
}

// Returns the mean of one sRGB channel of 2 x 2 texels, whose first is at `from`.
static uint8_t mean_of_srgb(const md5gl_encoding *encoding, const uint8_t *from, size_t row)
{
    const uint16_t *const linear = encoding->linear;
    const uint32_t sum =
        (uint32_t)linear[from[0]] + linear[from[4]] + linear[from[row]] + linear[from[row + 4]];
    return encode_srgb(encoding, (sum + 2) / 4);
}

// Writes row `y` of the next level to `to` if both sides are even, faster than halve_odd_row().
static void halve_even_row(const md5gl_encoding *encoding, const md5gl_level *level, uint32_t y,
                           uint8_t *to)
{
    const size_t row = 4 * (size_t)level->width;
    const uint8_t *from = level->rgba + 2 * (size_t)y * row;
    for (size_t x = 0; x < row / 8; x++, from += 8) {
        uint8_t texel[4];
        for (uint32_t i = 0; i < 3; i++)
            texel[i] = encoding->is_srgb ? mean_of_srgb(encoding, from + i, row)
                                         : mean_of_bytes(from + i, row);
        texel[3] = mean_of_bytes(from + 3, row);
        memcpy(to + 4 * x, texel, sizeof texel);
    }
}

// Writes the next mipmap level to `half` and returns it. `half` may be the memory of `level`. This
// is safe because a texel is written only after all texels that it covers were read. Texels that
// are read later are stored after it.
md5gl_level md5gli_halve(const md5gl_encoding *encoding, const md5gl_level *level, uint8_t *half)
{
    const bool is_even = level->width % 2 == 0 && level->height % 2 == 0;
    const uint32_t width = level->width > 1 ? level->width / 2 : 1;
    const uint32_t height = level->height > 1 ? level->height / 2 : 1;
    const md5gl_level next = {width, height, half};
    for (uint32_t y = 0; y < next.height; y++) {
        uint8_t *const to = half + 4 * (size_t)y * next.width;
        if (is_even)
            halve_even_row(encoding, level, y, to);
        else
            halve_odd_row(encoding, level, y, to);
    }
    return next;
}

// -- Uploading --------------------------------------------------------------------------------

// Returns true if a wrap mode replaces the texels at the edges by a border color.
static bool has_border(md5gl_wrap wrap)
{
    return wrap == MD5GL_WRAP_CLAMP_BLACK || wrap == MD5GL_WRAP_CLAMP_CLEAR;
}

// Replaces the texels at the edges by the border color of a wrap mode. OpenGL ES 3.0 has no border
// colors, so the color must be stored in texels, as in id's engine.
static void fill_border(const md5gl_level *level, md5gl_wrap wrap)
{
    const uint8_t alpha = wrap == MD5GL_WRAP_CLAMP_BLACK ? 255 : 0;
    const uint8_t border[4] = {0, 0, 0, alpha};
    const uint32_t last_x = level->width - 1;
    const uint32_t last_y = level->height - 1;
    for (uint32_t y = 0; y < level->height; y++) {
        uint8_t *const row = level->rgba + 4 * (size_t)y * level->width;
        if (y == 0 || y == last_y) {
            for (size_t x = 0; x < level->width; x++)
                memcpy(row + 4 * x, border, 4);
        } else {
            memcpy(row, border, 4);
            memcpy(row + 4 * (size_t)last_x, border, 4);
        }
    }
}

// The destination of an upload: arguments of glTexImage2D().
typedef struct upload_target {
    const GladGLContext *gl;
    GLenum target; // GL_TEXTURE_2D or a face of a cube map
    GLint format;
} upload_target;

// Uploads a mipmap level. Level 0 is the largest.
static void upload_level(const upload_target *to, GLint number, const md5gl_level *level)
{
    to->gl->TexImage2D(to->target, number, to->format, (GLsizei)level->width,
                       (GLsizei)level->height, 0, GL_RGBA, GL_UNSIGNED_BYTE, level->rgba);
}

// Computes and uploads the levels after `level`, down to 1 x 1 texels. `scratch` has space for the
// first of them and may be the memory of `level`. Each level gets its own border. Otherwise its
// edge would be a mixture of the border and the texels inside.
static void upload_mipmaps(const upload_target *to, md5gl_wrap wrap, md5gl_level level,
                           uint8_t *scratch)
{
    md5gl_encoding encoding;
    md5gli_prepare_encoding(&encoding, to->format == GL_SRGB8_ALPHA8);
    for (GLint number = 1; level.width > 1 || level.height > 1; number++) {
        level = md5gli_halve(&encoding, &level, scratch);
        if (has_border(wrap))
            fill_border(&level, wrap);
        upload_level(to, number, &level);
    }
}

// Uploads an image without a border. The image is uploaded from the caller's memory without a copy.
// Unless desc->is_nearest, also computes and uploads mipmaps. Returns false and fills the error if
// memory for the mipmaps runs out.
static bool upload_plain_image(md5gl_renderer *renderer, const upload_target *to,
                               const md5gl_texture_desc *desc, const uint8_t *rgba,
                               md5_error *error)
{
    // The cast removes const; this level is only read.
    const md5gl_level image = {desc->width, desc->height, (uint8_t *)(uintptr_t)rgba};
    const bool has_one_texel = desc->width == 1 && desc->height == 1;
    upload_level(to, 0, &image);
    if (desc->is_nearest || has_one_texel)
        return true;

    // All mipmaps use the same memory, because each is uploaded before the next is computed.
    const size_t half_width = desc->width > 1 ? desc->width / 2 : 1;
    const size_t half_height = desc->height > 1 ? desc->height / 2 : 1;
    uint8_t *const scratch = MD5GL_NEW(renderer, uint8_t, 4 * half_width * half_height, error);
    if (!scratch)
        return false;
    upload_mipmaps(to, desc->wrap, image, scratch);
    md5gli_free(renderer, scratch);
    return true;
}

// Uploads a copy of an image whose edges are replaced by the border color. Computes the mipmaps in
// the memory of the copy. Returns false and fills the error if memory runs out.
static bool upload_bordered_image(md5gl_renderer *renderer, const upload_target *to,
                                  const md5gl_texture_desc *desc, const uint8_t *rgba,
                                  md5_error *error)
{
    const size_t size = 4 * (size_t)desc->width * desc->height;
    uint8_t *const copy = MD5GL_NEW(renderer, uint8_t, size, error);
    if (!copy)
        return false;

    memcpy(copy, rgba, size);
    const md5gl_level image = {desc->width, desc->height, copy};
    fill_border(&image, desc->wrap);
    upload_level(to, 0, &image);
    if (!desc->is_nearest)
        upload_mipmaps(to, desc->wrap, image, copy);
    md5gli_free(renderer, copy);
    return true;
}

// Uploads an image to the bound texture or to one of its faces, with mipmaps unless
// desc->is_nearest. `rgba` has the size that `desc` specifies. Returns false and fills the error if
// memory runs out.
static bool upload_image(md5gl_renderer *renderer, GLenum target, GLint format,
                         const md5gl_texture_desc *desc, const uint8_t *rgba, md5_error *error)
{
    const upload_target to = {&renderer->gl, target, format};
    if (has_border(desc->wrap))
        return upload_bordered_image(renderer, &to, desc, rgba, error);
    return upload_plain_image(renderer, &to, desc, rgba, error);
}

// -- Normal maps ------------------------------------------------------------------------------

// Returns the height of a texel of a height map, 0..255. The map repeats.
static double height_at(const md5gl_texture_desc *map, uint32_t x, uint32_t y)
{
    const uint8_t *const texel = texel_at(map, x % map->width, y % map->height);
    return (texel[0] + texel[1] + texel[2]) / 3.0;
}

// Returns the slopes of a height map in the square between a texel and its next neighbors. A slope
// is the mean of the height differences along two sides of the square. A difference of 256 gray
// levels is as high as 4 texels are wide, as in id's heightmap() with a scale of 4.
static md5gl_slopes slopes_of_heights(const md5gl_texture_desc *map, uint32_t x, uint32_t y)
{
    const double half_scale = 0.5 * 4.0 / 256.0;
    const double corner = height_at(map, x, y);
    const double right = height_at(map, x + 1, y);
    const double below = height_at(map, x, y + 1);
    const double opposite = height_at(map, x + 1, y + 1);
    return (md5gl_slopes){half_scale * (right - corner + opposite - below),
                          half_scale * (below - corner + opposite - right)};
}

// Converts a texel of a normal map to id's encoding: x in red, y along increasing v in green, z in
// blue. `flags` are bits of md5gl_normals that describe the encoding of the map.
static void convert_normal(const uint8_t *from, uint32_t flags, uint8_t *to)
{
    to[0] = flags & MD5GL_NORMALS_RXGB ? from[3] : from[0];
    to[1] = flags & MD5GL_NORMALS_GREEN_UP ? (uint8_t)(255 - from[1]) : from[1];
    to[2] = from[2];
    to[3] = 255;
}

// Writes a surface's slopes as the texel of its unit normal, which is (-u, -v, 1), normalized.
static void write_slopes(md5gl_slopes slopes, uint8_t *to)
{
    const double u = slopes.u;
    const double v = slopes.v;
    const double scale = 127.5 / sqrt(u * u + v * v + 1.0);
    to[0] = (uint8_t)lround(127.5 - u * scale);
    to[1] = (uint8_t)lround(127.5 - v * scale);
    to[2] = (uint8_t)lround(127.5 + scale);
}

// Returns the slopes of a height map at a texel of the normal map `desc`. The maps may differ in
// size.
static md5gl_slopes scaled_height_slopes(const md5gl_texture_desc *heights,
                                         const md5gl_texture_desc *desc, uint32_t x, uint32_t y)
{
    const uint64_t height_x = (uint64_t)x * heights->width / desc->width;
    const uint64_t height_y = (uint64_t)y * heights->height / desc->height;
    return slopes_of_heights(heights, (uint32_t)height_x, (uint32_t)height_y);
}

// Writes the texels of `desc` to `normals` in id's encoding. `heights` is a height map, whose
// slopes are added to the slopes of the normals. It is NULL if there is no height map. It is `desc`
// if the texels of `desc` are heights themselves.
static void convert_normals(const md5gl_texture_desc *desc, const md5gl_texture_desc *heights,
                            uint8_t *normals)
{
    for (uint32_t y = 0; y < desc->height; y++) {
        for (uint32_t x = 0; x < desc->width; x++) {
            const uint8_t *const from = texel_at(desc, x, y);
            uint8_t *const to = normals + (from - desc->texels); // the same offset
            convert_normal(from, desc->normals, to);
            if (!heights)
                continue;

            // If `desc` is the height map itself, it contains no normals to add to.
            md5gl_slopes slopes = {0.0, 0.0};
            if (heights != desc)
                slopes = read_slopes(to, 0);
            const md5gl_slopes added = scaled_height_slopes(heights, desc, x, y);
            slopes.u += added.u;
            slopes.v += added.v;
            write_slopes(slopes, to);
        }
    }
}

// Converts a normal map to id's encoding and uploads it. Conversion is needed if the map has
// another encoding, consists of heights, or has an additional height map. Returns false and fills
// the error on failure.
static bool upload_normals(md5gl_renderer *renderer, const md5gl_texture_desc *desc,
                           md5_error *error)
{
    const bool contains_heights = (desc->normals & MD5GL_NORMALS_HEIGHTS) != 0;
    const md5gl_texture_desc *const heights = contains_heights ? desc : desc->heights;
    if (heights && (heights->width == 0 || heights->height == 0))
        return md5gli_fail(error, MD5_ERROR_GPU,
                           "height map is empty: expected at least 1 x 1 texels, found %u x %u",
                           heights->width, heights->height);

    uint8_t *const normals =
        MD5GL_NEW(renderer, uint8_t, 4 * (size_t)desc->width * desc->height, error);
    if (!normals)
        return false;
    convert_normals(desc, heights, normals);
    const bool is_uploaded = upload_image(renderer, GL_TEXTURE_2D, GL_RGBA8, desc, normals, error);
    md5gli_free(renderer, normals);
    return is_uploaded;
}

// -- Textures ---------------------------------------------------------------------------------

// Uploads a texture with one byte per texel. Its rows need not be multiples of 4 bytes, so the
// default alignment is changed.
static void upload_mask(const GladGLContext *gl, const md5gl_texture_desc *desc)
{
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 1);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_R8, (GLsizei)desc->width, (GLsizei)desc->height, 0, GL_RED,
                   GL_UNSIGNED_BYTE, desc->texels);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

// Uploads the six faces of a cube map.
static bool upload_faces(md5gl_renderer *renderer, const md5gl_texture_desc *desc, md5_error *error)
{
    renderer->gl.TexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_R, GL_CLAMP_TO_EDGE);
    for (GLenum i = 0; i < 6; i++) {
        const GLenum face = GL_TEXTURE_CUBE_MAP_POSITIVE_X + i;
        if (!upload_image(renderer, face, GL_RGBA8, desc, desc->faces[i], error))
            return false;
    }
    return true;
}

// Returns true if the alpha of all texels is 255.
static bool is_opaque(const md5gl_texture_desc *desc)
{
    const size_t num_texels = (size_t)desc->width * desc->height;
    for (size_t i = 0; i < num_texels; i++) {
        if (desc->texels[4 * i + 3] != 255)
            return false;
    }
    return true;
}

// Uploads a color texture. If all its texels are opaque, sets a swizzle that replaces alpha by the
// constant 1. This does not change the sampled colors, but marks the texture as opaque.
// md5gl_pose() reads the mark, and then omits the alpha test. WebGL has no swizzles.
static bool upload_color(md5gl_renderer *renderer, const md5gl_texture_desc *desc, md5_error *error)
{
    if (!renderer->is_webgl && is_opaque(desc))
        renderer->gl.TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_A, GL_ONE);
    return upload_image(renderer, GL_TEXTURE_2D, GL_SRGB8_ALPHA8, desc, desc->texels, error);
}

// Uploads a texture of any kind to the bound texture. The first row in memory is the top row of the
// image and has v = 0, as in MD5. Returns false and fills the error on failure.
static bool upload_texture(md5gl_renderer *renderer, const md5gl_texture_desc *desc,
                           md5_error *error)
{
    const bool must_convert_normals =
        desc->kind == MD5GL_TEXTURE_NORMALS && (desc->normals != 0 || desc->heights);
    if (desc->kind == MD5GL_TEXTURE_MASK) {
        upload_mask(&renderer->gl, desc);
        return true;
    }
    if (desc->kind == MD5GL_TEXTURE_STAGE_CUBE)
        return upload_faces(renderer, desc, error);
    if (desc->kind == MD5GL_TEXTURE_COLOR)
        return upload_color(renderer, desc, error);
    if (must_convert_normals)
        return upload_normals(renderer, desc, error);
    // The texels of the remaining kinds are linear, so they are uploaded without a conversion.
    return upload_image(renderer, GL_TEXTURE_2D, GL_RGBA8, desc, desc->texels, error);
}

// Sets the sampling of the texture that is bound to `target`: whether it repeats or is clamped at
// its edges, and the filters for magnification and minification.
void md5gli_set_sampling(const GladGLContext *gl, GLenum target, bool repeats, GLint magnify,
                         GLint minify)
{
    const GLint wrap = repeats ? GL_REPEAT : GL_CLAMP_TO_EDGE;
    gl->TexParameteri(target, GL_TEXTURE_WRAP_S, wrap);
    gl->TexParameteri(target, GL_TEXTURE_WRAP_T, wrap);
    gl->TexParameteri(target, GL_TEXTURE_MAG_FILTER, magnify);
    gl->TexParameteri(target, GL_TEXTURE_MIN_FILTER, minify);
}

// Binds a texture if the program samples it and it is not bound yet. If `program` is NULL, binds it
// in every case and leaves its unit active.
void md5gli_bind_texture(md5gl_renderer *renderer, const md5gl_program *program,
                         enum md5gl_unit unit, GLenum target, GLuint texture)
{
    const GladGLContext *gl = &renderer->gl;
    if (program) {
        const bool is_read = (program->units & 1u << unit) != 0;
        if (!is_read || renderer->bound[unit] == texture)
            return;
    }
    renderer->bound[unit] = texture;
    gl->ActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    gl->BindTexture(target, texture);
}

// Creates a texture and binds it to `target`, so that the caller can upload its texels. Returns 0
// and sets the error if the size is not supported.
GLuint md5gli_begin_texture(md5gl_renderer *renderer, GLenum target, uint32_t width,
                            uint32_t height, md5_error *error)
{
    const GladGLContext *gl = &renderer->gl;
    const uint32_t limit = renderer->max_texture_size;
    const bool is_empty = width == 0 || height == 0;
    if (is_empty || width > limit || height > limit) {
        md5gli_fail(error, MD5_ERROR_GPU,
                    "texture size is out of range: expected 1 to %u texels per side "
                    "(GL_MAX_TEXTURE_SIZE), found %u x %u",
                    limit, width, height);
        return 0;
    }

    (void)md5gli_clear_errors(renderer);
    md5gli_reset_transfers(renderer);
    GLuint texture = 0;
    gl->GenTextures(1, &texture);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(target, texture);
    if (texture == 0) // for example if the context is lost
        md5gli_fail(error, MD5_ERROR_GPU,
                    "OpenGL cannot create a texture: expected a current context that is not lost");
    return texture;
}

// Completes a texture of md5gli_begin_texture(). If `uploaded` is false or GL reports an error,
// deletes it and returns 0.
md5gl_texture md5gli_end_texture(md5gl_renderer *renderer, GLenum target, GLuint texture,
                                 bool uploaded, md5_error *error)
{
    renderer->gl.BindTexture(target, 0);
    if (uploaded && md5gli_check(renderer, "creating a texture", error))
        return texture;
    renderer->gl.DeleteTextures(1, &texture);
    return 0;
}

// -- Public -----------------------------------------------------------------------------------

// Sets the sampling of the bound texture as its description specifies. Cube maps and masks never
// repeat, and masks do not have mipmaps.
static void set_texture_sampling(const GladGLContext *gl, GLenum target,
                                 const md5gl_texture_desc *desc)
{
    const bool is_cube = target == GL_TEXTURE_CUBE_MAP;
    const bool is_mask = desc->kind == MD5GL_TEXTURE_MASK;
    const bool repeats = desc->wrap == MD5GL_WRAP_REPEAT && !is_cube && !is_mask;
    const bool has_mipmaps = !desc->is_nearest && !is_mask;
    const GLint filter = desc->is_nearest ? GL_NEAREST : GL_LINEAR;
    const GLint minify = has_mipmaps ? GL_LINEAR_MIPMAP_LINEAR : filter;
    md5gli_set_sampling(gl, target, repeats, filter, minify);
}

// Creates a GL texture or cube map with mipmaps. Returns 0 and sets the error on failure.
md5gl_texture md5gl_create_texture(md5gl_renderer *renderer, const md5gl_texture_desc *desc,
                                   md5_error *error)
{
    MD5GL_ASSERT_NULL_OR_ALIVE(renderer, RENDERER);
    if (!renderer) {
        md5gli_fail_missing(error, "renderer");
        return 0;
    }

    MD5_ASSERT_NOT_NULL(desc);
    MD5_ASSERT((unsigned)desc->kind <= MD5GL_TEXTURE_MASK,
               "kind: must be a value of md5gl_texture_kind");
    MD5_ASSERT((unsigned)desc->wrap <= MD5GL_WRAP_CLAMP_CLEAR,
               "wrap: must be a value of md5gl_wrap");
    MD5_ASSERT(desc->normals <= MD5GL_NORMALS_HEIGHTS, "normals: must be flags of md5gl_normals");
    MD5_ASSERT(!desc->heights || desc->heights->texels, "heights: must have texels");
    MD5_ASSERT_RESERVED(desc);
    const bool is_cube = desc->kind == MD5GL_TEXTURE_STAGE_CUBE;
    MD5_ASSERT(is_cube || desc->texels != NULL, "texels: must not be NULL");
    for (uint32_t i = 0; i < 6; i++)
        MD5_ASSERT(!is_cube || desc->faces[i] != NULL, "faces: must have six sides");
    MD5GL_ASSERT_NO_FRAME(renderer);
    if (is_cube && desc->width != desc->height) {
        md5gli_fail(error, MD5_ERROR_GPU,
                    "faces of the cube map are not square: found %u x %u texels", desc->width,
                    desc->height);
        return 0;
    }

    const GLenum target = is_cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
    const GLuint texture = md5gli_begin_texture(renderer, target, desc->width, desc->height, error);
    if (texture == 0)
        return 0;

    set_texture_sampling(&renderer->gl, target, desc);
    const bool is_uploaded = upload_texture(renderer, desc, error);
    return md5gli_end_texture(renderer, target, texture, is_uploaded, error);
}

// Destroys a texture of md5gl_create_texture(). `texture` may be 0.
void md5gl_destroy_texture(md5gl_renderer *renderer, md5gl_texture texture)
{
    if (texture == 0)
        return;
    MD5GL_ASSERT_ALIVE(renderer, RENDERER);
    renderer->gl.DeleteTextures(1, &texture);
}
