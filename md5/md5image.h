// md5image: pictures as Doom 3's materials name them: files and image programs.
//
//   md5_image *image = md5_parse_image(bytes, size, NULL, &error);       // TGA, DDS, PCX
//   ... image->pixels[4 * (y * image->width + x)] ...
//   md5_free_image(image);
//
// TGA, DDS and PCX are decoded here. Other formats, such as PNG and JPEG, are decoded by functions
// that the caller gives, since games have such decoders. An image program computes a picture from
// others: "heightmap(textures/rock_h, 4)". md5material.h finds files by the names in them.
//
// Everything is reentrant: calls share nothing but what the caller gives them.
#ifndef MD5IMAGE_H
#define MD5IMAGE_H

#include "md5model.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// -- Pictures -------------------------------------------------------------------------------------

// Larger pictures are errors.
enum { MD5_MAX_IMAGE_SIDE = 16384, MD5_MAX_IMAGE_PIXELS = 1 << 26 };

// A picture: RGBA with 8 bits for each channel, not premultiplied.
typedef struct md5_image {
    uint32_t width, height; // >= 1
    uint8_t *pixels;        // [height][width][4] red, green, blue, alpha; the top row first
    size_t size;            // bytes of the block that holds all of this
    md5_internal internal;
} md5_image;

// Decodes what the library does not. The function returns pixels[height][width][4] as in md5_image
// and sets their size, or returns NULL with a reason in error->message. It must check the size that
// a file claims before it takes memory. `release` frees the pixels.
typedef struct md5_image_decoder {
    const void *(*decode)(void *user, const void *bytes, size_t size, uint32_t *width,
                          uint32_t *height, md5_error *error);
    void (*release)(void *user, const void *pixels);
    void *user;
} md5_image_decoder;

// Begin with `md5_image_opts opts = {0};`. Zero in a field means its default.
typedef struct md5_image_opts {
    md5_allocator allocator;
    const char *file_name;     // the name that messages use for bytes in memory; NULL = none
    md5_image_decoder decoder; // both functions, or none: then only TGA, DDS and PCX can be read
    // Of programs: leave files of other sizes than powers of two as they are. The engine resamples
    // them to the power of two below.
    bool keep_size;
    // Of md5_load_image(): the compressed form in dds/ comes before all others, as in the
    // engine, unless it is older than one of the files that it was made of (md5_game_path.time).
    // The engine compares their times when it loads a picture again; here that is always done.
    bool compressed_first;
    uint64_t reserved[8]; // 0
} md5_image_opts;

// Decodes the bytes of a file, whose first bytes tell the format:
//
// - TGA with a palette, color or gray, packed or not: 8, 15, 16, 24 and 32 bits a pixel, any size,
//   the top or the bottom row first. As in the engine, rows are from left to right, whatever the
//   file says, and 32 bits are color and alpha.
// - DDS: DXT1, DXT3, DXT5 (BC1 to BC3), Doom 3's RXGB (red is stored as alpha) and uncompressed
//   color, luminance and alpha of 8 to 32 bits; the largest level, and of a cube map its first
//   side.
// - PCX of 8 bits with a palette, or in three planes.
// - whatever opts->decoder reads.
//
// `opts` and `error` may be NULL. Returns NULL and fills `error` if the format is another one or
// the file is damaged. Sizes are checked against the limits, and against what the file can hold,
// before memory is taken. Time is linear in the size of the file and of the picture.
MD5_GAME_API md5_image *md5_parse_image(const void *bytes, size_t size, const md5_image_opts *opts,
                                        md5_error *error);

// Frees a picture. NULL is allowed.
MD5_GAME_API void md5_free_image(md5_image *image);

// -- Programs -------------------------------------------------------------------------------------

typedef enum md5_image_kind {
    MD5_IMAGE_FILE,           // `file`
    MD5_IMAGE_HEIGHTMAP,      // of one image; values[0] = scale
    MD5_IMAGE_ADD_NORMALS,    // of two
    MD5_IMAGE_SMOOTH_NORMALS, // of one
    MD5_IMAGE_ADD,            // of two
    MD5_IMAGE_SCALE,          // of one; values = red, green, blue, alpha
    MD5_IMAGE_INVERT_ALPHA,   // of one, as the rest
    MD5_IMAGE_INVERT_COLOR,
    MD5_IMAGE_MAKE_INTENSITY,
    MD5_IMAGE_MAKE_ALPHA
} md5_image_kind;

// One operation of an image program. A file gives an image; the others take one or two images that
// the steps before them gave, the second image being the later one, and give one.
typedef struct md5_image_step {
    md5_image_kind kind;
    const char *file; // lower case, / between folders, without .tga; NULL unless MD5_IMAGE_FILE
    float values[4];
} md5_image_step;

// An image or an image program: its tree, children before their parents. md5_load_image() of
// md5material.h computes its picture, as the engine does: bytes are cut off, not rounded; of two
// pictures the second is resampled to the size of the first. Its operations are
//
//   heightmap       the normals of a height: gray (r + g + b) / 3, in units of 256 / scale texels
//   addnormals      the normals of the first, tilted by x and y of the second
//   smoothnormals   the mean normal of 3 x 3 texels, unused ones (black or gray) left out
//   add             sums, at most 255
//   scale           products, modulo 256
//   invertAlpha     255 - alpha
//   invertColor     255 - red, green and blue
//   makeIntensity   red in all channels
//   makeAlpha       white, with gray as alpha
//
// Pictures repeat at their borders. Time is linear in the number of steps times that of pixels.
// Only the pictures that are still needed are held.
typedef struct md5_image_program {
    const char *text; // the engine's spelling; "" = no image
    uint32_t num_steps;
    const md5_image_step *steps; // [num_steps]
} md5_image_program;

// -- How materials use images ---------------------------------------------------------------------

typedef enum md5_image_repeat {
    MD5_IMAGE_REPEAT,
    MD5_IMAGE_CLAMP,
    MD5_IMAGE_CLAMP_BORDER,    // materials have no word for it
    MD5_IMAGE_CLAMP_ZERO,      // black, with alpha 1, outside
    MD5_IMAGE_CLAMP_ZERO_ALPHA // black, with alpha 0, outside
} md5_image_repeat;

typedef enum md5_image_filter {
    MD5_FILTER_LINEAR,
    MD5_FILTER_NEAREST,
    MD5_FILTER_DEFAULT
} md5_image_filter;

typedef enum md5_image_cube { MD5_IMAGE_2D, MD5_IMAGE_CUBE, MD5_IMAGE_CAMERA_CUBE } md5_image_cube;

typedef enum md5_dynamic_image {
    MD5_IMAGE_STATIC,
    MD5_IMAGE_MIRROR = 3,
    MD5_IMAGE_XRAY,
    MD5_IMAGE_REMOTE // a camera's view
} md5_dynamic_image;

#ifdef __cplusplus
}
#endif

#endif
