// md5image: decodes the image files of Doom 3 (TGA, DDS and PCX), describes image programs, and
// defines how materials use images.
//
//   md5_image *image = md5_parse_image(bytes, size, NULL, &error);       // TGA, DDS, PCX
//   uint8_t red = image->pixels[4 * (y * image->width + x)];
//   md5_free_image(image);
//
// Functions of the caller can decode other formats, such as PNG and JPEG (md5_image_decoder).
//
// An image program is an expression in a material that computes an image from other images. For
// example, "heightmap(textures/rock_h, 4)" computes a normal map from a height map. md5material.h
// finds the files whose names are in a program, and computes the image.
//
// All functions are reentrant: several threads may call them at the same time, because calls share
// only the data that the caller passes to them.
#ifndef MD5IMAGE_H
#define MD5IMAGE_H

#include "md5model.h" // installed in the same folder

#ifdef __cplusplus
extern "C" {
#endif

// -- Images ---------------------------------------------------------------------------------------

// The largest allowed width or height of an image, and the largest allowed number of pixels. An
// image that exceeds a limit causes an error instead of being loaded.
enum { MD5_MAX_IMAGE_SIDE = 16384, MD5_MAX_IMAGE_PIXELS = 1 << 26 };

// An image with four channels of 8 bits: red, green, blue and alpha. The colors are not multiplied
// by alpha.
typedef struct md5_image {
    uint32_t width, height; // width and height in pixels, at least 1
    // [height][width][4] Red, green, blue and alpha of each pixel. The top row is first.
    uint8_t *pixels;
    size_t size; // size in bytes of the memory block that contains this structure and the pixels
    md5_internal internal;
} md5_image;

// Functions of the caller that decode formats that the library does not support. Set both functions
// or none of them.
typedef struct md5_image_decoder {
    // Decodes bytes[size]. Returns pixels[height][width][4] in the format of md5_image and writes
    // *width and *height. On failure, returns NULL and may write the reason to error->message. The
    // function must check the width and height that the file contains before it allocates memory.
    const void *(*decode)(void *user, const void *bytes, size_t size, uint32_t *width,
                          uint32_t *height, md5_error *error);
    // Frees the pixels that decode() returned.
    void (*release)(void *user, const void *pixels);
    void *user; // first argument of both functions
} md5_image_decoder;

// Options of functions that load images. Initialize the structure with `md5_image_opts opts =
// MD5_INIT;`. A member that is 0 has its default.
typedef struct md5_image_opts {
    md5_allocator allocator; // functions that allocate and free the memory of images
    // File name that messages contain if the image is loaded from memory. If NULL, messages contain
    // no file name.
    const char *file_name;
    // Functions that decode further formats. If they are NULL, only TGA, DDS and PCX can be read.
    md5_image_decoder decoder;
    // Setting for image programs (expressions that compute an image). If false, an image whose
    // width or height is not a power of two is resampled to the next smaller power of two, as in
    // the engine. If true, images are not resampled.
    bool keep_size;
    // Setting for md5_load_image(). If true, the compressed form of an image in the folder dds/ is
    // preferred, as in the engine. The compressed form is not used if it is older than a file from
    // which it was created (md5_game_path.time). The engine compares these times only when it
    // reloads an image; this library always compares them.
    bool compressed_first;
    uint64_t reserved[8]; // must be 0
} md5_image_opts;

// Decodes the content of an image file in memory, bytes[size]. `opts` and `error` may be NULL. Free
// the result with md5_free_image(). The first bytes determine the format:
//
// - TGA with a palette, with colors or with gray values, compressed or not. The file may have 8,
//   15, 16, 24 or 32 bits per pixel, any size, and the top or the bottom row first. As in the
//   engine, rows are always read from left to right, even if the header contains the opposite, and
//   32 bits per pixel always mean color and alpha.
// - DDS with DXT1, DXT3 or DXT5 (BC1 to BC3); with Doom 3's format RXGB, in which the red channel
//   is stored as alpha; and uncompressed with color, luminance and alpha of 8 to 32 bits. The
//   function reads the largest mipmap level. If the file is a cube map, it reads the first side.
// - PCX with 8 bits and a palette, or with three planes.
// - Other formats, if opts->decoder contains functions.
//
// Returns NULL and writes an error if the format is not supported or if the file is damaged. Before
// memory is allocated, the width and height are checked against the limits and against the size of
// the file. The time is linear in the size of the file and of the image.
MD5_GAME_API md5_image *md5_parse_image(const void *bytes, size_t size, const md5_image_opts *opts,
                                        md5_error *error);

// Frees an image. Accepts NULL.
MD5_GAME_API void md5_free_image(md5_image *image);

// -- Programs -------------------------------------------------------------------------------------

// The operations of image programs. Names in quotes are the keywords of the engine.
// md5_image_program describes the results.
typedef enum md5_image_kind {
    MD5_IMAGE_FILE, // reads the image from the file md5_image_step.file
    // "heightmap" converts its input image, a height map, to normals. values[0] is the scale of the
    // heights.
    MD5_IMAGE_HEIGHTMAP,
    // "addnormals" combines its two input images, which are normal maps.
    MD5_IMAGE_ADD_NORMALS,
    // "smoothnormals" smooths its input image, a normal map.
    MD5_IMAGE_SMOOTH_NORMALS,
    // "add" adds its two input images.
    MD5_IMAGE_ADD,
    // "scale" multiplies the channels of its input image. `values` are the factors of red, green,
    // blue and alpha.
    MD5_IMAGE_SCALE,
    // "invertAlpha" replaces alpha in its input image by 255 - alpha.
    MD5_IMAGE_INVERT_ALPHA,
    // "invertColor" replaces each color in its input image by 255 - color.
    MD5_IMAGE_INVERT_COLOR,
    // "makeIntensity" copies red to all channels of its input image.
    MD5_IMAGE_MAKE_INTENSITY,
    // "makeAlpha" converts the colors of its input image to alpha.
    MD5_IMAGE_MAKE_ALPHA
} md5_image_kind;

// One operation of an image program. To compute a program, perform its steps in order with a stack
// of images. MD5_IMAGE_FILE adds an image to the stack. Each other operation removes its one or two
// input images from the end of the stack and adds the result. If an operation has two input images,
// the second input is the one that was added last.
typedef struct md5_image_step {
    md5_image_kind kind; // the operation
    // Name of the file in lower case, with / between folders and without .tga. Only MD5_IMAGE_FILE
    // uses it; it is NULL for all other operations.
    const char *file;
    float values[4]; // numbers that the operation uses; see md5_image_kind
} md5_image_step;

// An image program. A program that is only the name of a file has a single step. Otherwise, the
// program is a tree of operations, and its steps are sorted so that the inputs of an operation are
// before the operation.
//
// md5_load_image() of md5material.h computes the image of a program in the same way as the engine.
// Results are truncated, not rounded, to bytes. If an operation has two input images, the second is
// resampled to the size of the first. At its borders, an image continues with its opposite side.
// The results of the operations are:
//
//   heightmap       The normals of a height map. The height of a texel, measured in texels, is
//                   (red + green + blue) / 3 * scale / 256, where the colors are 0 to 255.
//   addnormals      The normals of the first image, tilted by x and y of the normals of the second.
//   smoothnormals   The mean of the normals of 3 x 3 texels. Texels whose colors are all 0 or all
//                   128 are not used, because they do not contain normals.
//   add             The sums of the channels, at most 255.
//   scale           The products of the channels and their factors, modulo 256.
//   invertAlpha     255 - alpha; the colors are unchanged.
//   invertColor     255 - red, 255 - green and 255 - blue; alpha is unchanged.
//   makeIntensity   The value of red in all channels.
//   makeAlpha       White. Alpha is the gray value (red + green + blue) / 3 of the input.
//
// The time is linear in the number of steps times the number of pixels. Only images that a later
// step needs are kept in memory.
typedef struct md5_image_program {
    // Text of the program in the spelling of the engine. "" means that there is no image.
    const char *text;
    uint32_t num_steps; // number of operations in the program
    // [num_steps] operations that compute the image, in order of execution
    const md5_image_step *steps;
} md5_image_program;

// -- How materials use images ---------------------------------------------------------------------

// Selects how an image continues outside of the texture coordinates 0 to 1.
typedef enum md5_image_repeat {
    MD5_IMAGE_REPEAT, // the image is repeated
    MD5_IMAGE_CLAMP,  // the texels at the border of the image continue
    // The texels at the border have the value 0, and continue outside. Only the built-in image
    // _borderClamp has this value; materials cannot select it.
    MD5_IMAGE_CLAMP_BORDER,
    // The color outside is black with alpha 1.
    MD5_IMAGE_CLAMP_ZERO,
    // The color outside is black with alpha 0.
    MD5_IMAGE_CLAMP_ZERO_ALPHA
} md5_image_repeat;

// Selects how texels are combined if an image is drawn larger or smaller than its size.
typedef enum md5_image_filter {
    MD5_FILTER_LINEAR,  // interpolates between texels (keyword `linear`)
    MD5_FILTER_NEAREST, // uses the nearest texel (keyword `nearest`)
    // The filter that the user of the engine has selected. This is the value if a material has no
    // such keyword.
    MD5_FILTER_DEFAULT
} md5_image_filter;

// The kind of an image: a 2D image, or a cube map that consists of six images. MD5_IMAGE_CUBE is
// the keyword `cubeMap` of materials, MD5_IMAGE_CAMERA_CUBE is the keyword `cameraCubeMap`. The two
// kinds of cube maps differ in the names and the orientation of the six files.
typedef enum md5_image_cube { MD5_IMAGE_2D, MD5_IMAGE_CUBE, MD5_IMAGE_CAMERA_CUBE } md5_image_cube;

// Selects the source of an image: a file, or a view that the engine draws in each frame.
typedef enum md5_dynamic_image {
    MD5_IMAGE_STATIC,     // an image file or an image program; the image does not change
    MD5_IMAGE_MIRROR = 3, // the view in a mirror (keyword `mirrorRenderMap`)
    // the view through the surface in the X-ray mode of the engine (keyword `xrayRenderMap`)
    MD5_IMAGE_XRAY,
    // the view of a camera that is an entity of the map (keyword `remoteRenderMap`)
    MD5_IMAGE_REMOTE
} md5_dynamic_image;

#ifdef __cplusplus
}
#endif

#endif
