// Images of files: the paths that are tried, formats, damaged files.
#include "test/material/test_image_case.h"
#include "test/scoped.h"

static uint8_t image_files_red_file[IMAGE_TGA_HEADER + 4],
    image_files_green_file[IMAGE_TGA_HEADER + 4];
enum { FILE_SIZE = sizeof image_files_red_file };

static void make_files(void)
{
    static const uint8_t red[4] = {255, 0, 0, 255};
    static const uint8_t green[4] = {0, 255, 0, 255};
    image_write_tga(image_files_red_file, red, 1, 1);
    image_write_tga(image_files_green_file, green, 1, 1);
}

// -- Names ----------------------------------------------------------------------------------------

// Returns 'r', 'g', or 0 if the image cannot be loaded.
static char load_color(md5_game *game, const char *text, md5_error *error)
{
    SCOPED_IMAGE image = load_image_text(game, text, NULL, error);
    char color = '\0';
    if (image)
        color = image->pixels[0] ? 'r' : 'g';
    return color;
}

// Returns true if a name loads the red file if the green file also exists.
static bool prefers(const char *name, const char *red, const char *green)
{
    image_folder folder = {.count = 0};
    make_files();
    image_folder_add(&folder, red, image_files_red_file, FILE_SIZE);
    if (green)
        image_folder_add(&folder, green, image_files_green_file, FILE_SIZE);
    SCOPED_GAME game = open_images(&folder, NULL);
    const char color = load_color(game, name, NULL);
    return color == 'r';
}

// The format of a file is detected by its bytes, so TGA represents all formats.
TEST (images_are_found_by_the_engines_extensions) {
    CHECK(prefers("t/a", "T/A.TGA", "t/a.jpg"));
    CHECK(prefers("t\\a.tga", "t/a.tga", "t/a.jpg"));
    CHECK(prefers("t/a", "t/a.jpg", "t/a.png"));
    CHECK(prefers("t/a.tga", "t/a.jpg", NULL));
    CHECK(prefers("t/a", "t/a.png", "dds/t/a.dds"));
    CHECK(prefers("t/a", "dds/t/a.dds", NULL));
    CHECK(prefers("t/a.jpg", "t/a.jpg", "t/a.tga"));
    CHECK(!prefers("t/a.jpg", "t/a.tga", NULL));
    CHECK(prefers("t/a.jpg", "dds/t/a_jpg.dds", NULL));
    CHECK(prefers("t.x/a", "t.x/a.tga", NULL));
}

// Compressed images of programs: the first four separators become folders, the next separators
// become spaces.
TEST (images_of_programs_are_found_compressed) {
    CHECK(prefers("heightmap(t/a,4)", "dds/heightmap/t/a 4.dds", NULL));
    CHECK(prefers("addnormals(a/b/c/d/e.tga, heightmap(f, 2))",
                  "dds/addnormals/a/b/c/d e heightmap  f 2.dds", NULL));
    CHECK(!prefers("heightmap(t/a,4)", "dds/heightmap/t/a 5.dds", NULL));
}

TEST (images_that_are_missing_report_all_tried_paths) {
    image_folder folder = {.count = 0};
    SCOPED_GAME game = open_images(&folder, NULL);
    md5_error error = {0};
    CHECK_FAILS(load_color(game, "add(t/a,b)", &error), error, MD5_ERROR_IO);
    CHECK_STRING(error.file, "t/a");
    CHECK_STRING(error.message, ".tga: file not found; .jpg: file not found; .png: file not found; "
                                "dds/t/a.dds: file not found");
    CHECK(!load_color(game, "t/a.bmp", &error));
    CHECK_STRING(error.message, ".bmp: file not found; dds/t/a_bmp.dds: file not found");
    char text[400];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    CHECK(!load_color(game, text, &error));
    md5_image *const image = load_image_text(game, "a", NULL, NULL);
    CHECK(!image);
}

static void keep_line(void *user, const md5_error *warning)
{
    md5_format_error(warning, user, 512);
}

TEST (images_that_are_damaged_are_reported) {
    image_folder folder = {.count = 0};
    char line[512] = "";
    const md5_load_opts opts = {.warn = keep_line, .warn_user = line};
    md5_error error = {0};
    make_files();
    image_folder_add(&folder, "a.tga", image_files_red_file, FILE_SIZE - 1);
    image_folder_add(&folder, "b.tga", image_files_red_file, FILE_SIZE - 1);
    image_folder_add(&folder, "b.png", image_files_green_file, FILE_SIZE);
    image_folder_add(&folder, "c.tga", NULL, 0);
    SCOPED_GAME game = open_images(&folder, &opts);
    CHECK_REFUSED(load_color(game, "a", &error), error, MD5_ERROR_SYNTAX,
                  ".tga: truncated TGA file: expected 1 pixels, found 0; .jpg: file not found; "
                  ".png: file not found; dds/a.dds: file not found");
    error = (md5_error){0};
    CHECK(load_color(game, "b", &error) == 'g');
    CHECK_UINT(error.status, MD5_OK);
    CHECK_STRING(line, "b: warning: .tga: truncated TGA file: expected 1 pixels, found 0; .jpg: "
                       "file not found; using b.png instead");
    CHECK(!load_color(game, "c", &error));
    CHECK(strstr(error.message, ".tga: not on disk; "));
}

// -- Formats --------------------------------------------------------------------------------------

static void check_refused(const void *bytes, size_t size, const char *message)
{
    md5_error error = {0};
    SCOPED_IMAGE image = parse_exact(bytes, size, NULL, &error);
    CHECK(!image && error.status != MD5_OK);
    CHECK_STRING(error.message, message);
}

TEST (images_of_unknown_formats_are_rejected) {
    static const char unknown[] = "unknown image format: expected TGA, PCX or DDS, or, with "
                                  "md5_image_opts.decoder, PNG, JPEG, BMP, GIF, OpenEXR or "
                                  "Radiance HDR";
    check_refused("", 0, "image file is empty: expected at least 1 byte");
    check_refused("text that is no picture", 23, unknown);
    check_refused("\x89PNG\r\n\x1a\n", 8,
                  "unsupported image format: found PNG; set md5_image_opts.decoder to read it");
    check_refused("\xff\xd8\xff\xe0", 4,
                  "unsupported image format: found JPEG; set md5_image_opts.decoder to read it");
    uint8_t file[IMAGE_TGA_HEADER + 8] = {[2] = 2, [12] = 1, [14] = 1, [16] = 32};
    check_refused(file, IMAGE_TGA_HEADER - 1, unknown);
    static const uint8_t wrong[][3] = {{1, 2, 0}, {2, 7, 0}, {2, 0, 0}, {16, 12, 0}, {16, 8, 0}};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        const uint8_t original_byte = file[wrong[i][0]];
        file[wrong[i][0]] = wrong[i][1];
        check_refused(file, sizeof file, unknown);
        file[wrong[i][0]] = original_byte;
    }
}

// A decoder of the caller: the arguments that it received, and the result that it returns.
typedef struct fake_decoder {
    uint8_t pixels[8];
    uint32_t width;
    const char *reason;
    size_t size;
    int num_held;
} fake_decoder;

static const void *fake_decode(void *user, const void *bytes, size_t size, uint32_t *width,
                               uint32_t *height, md5_error *error)
{
    fake_decoder *const fake = user;
    (void)bytes;
    fake->size = size;
    if (fake->reason) {
        snprintf(error->message, sizeof error->message, "%s", fake->reason);
        return NULL;
    }
    *width = fake->width;
    *height = 1;
    fake->num_held++;
    return fake->pixels;
}

static void fake_release(void *user, const void *pixels)
{
    fake_decoder *const fake = user;
    fake->num_held -= pixels == fake->pixels;
}

TEST (images_of_other_formats_are_decoded_by_the_caller) {
    fake_decoder fake = {.pixels = {1, 2, 3, 4, 5, 6, 7, 8}, .width = 2};
    const md5_image_opts opts = {.decoder = {fake_decode, fake_release, &fake}};
    md5_error error = {0};
    md5_image *image = parse_exact("\x89PNG\r\n\x1a\n?", 9, &opts, &error);
    if (CHECK(image))
        CHECK(image->width == 2 && image->height == 1
              && memcmp(image->pixels, fake.pixels, 8) == 0);
    CHECK_UINT(fake.size, 9);
    CHECK_UINT((uint64_t)fake.num_held, 0);
    md5_free_image(image);
    fake.width = MD5_MAX_IMAGE_SIDE + 1;
    CHECK(!parse_exact("\x89PNG\r\n\x1a\n?", 9, &opts, &error));
    CHECK_STRING(error.message, "image is too large: 16385 x 1 pixels; expected at most 16384 per "
                                "side and 67108864 in total");
    CHECK_UINT((uint64_t)fake.num_held, 0);
    fake.reason = "no moon in it";
    CHECK(!parse_exact("\x89PNG\r\n\x1a\n?", 9, &opts, &error));
    CHECK_STRING(error.message, "no moon in it");
    fake.reason = "";
    CHECK(!parse_exact("\x89PNG\r\n\x1a\n?", 9, &opts, &error));
    CHECK_STRING(error.message,
                 "cannot decode the image: md5_image_opts.decoder failed without a message");
}

static const void *decode_size(void *user, const void *bytes, size_t size, uint32_t *width,
                               uint32_t *height, md5_error *error)
{
    const uint32_t *const sides = user;
    (void)bytes, (void)size, (void)error;
    *width = sides[0];
    *height = sides[1];
    return user;
}

static void release_size(void *user, const void *pixels)
{
    (void)user, (void)pixels;
}

// The limits of images also apply to the caller's decoder. The memory limit is too small for every
// image, so that images within the limits fail with another status.
TEST (images_are_made_within_limits) {
    static const struct {
        uint32_t sides[2];
        md5_status status;
    } rows[] = {
        {{0, 2}, MD5_ERROR_RANGE},        {{2, 0}, MD5_ERROR_RANGE},
        {{16, 16}, MD5_ERROR_MEMORY},     {{16384, 1}, MD5_ERROR_MEMORY},
        {{16385, 1}, MD5_ERROR_RANGE},    {{1, 16384}, MD5_ERROR_MEMORY},
        {{1, 16385}, MD5_ERROR_RANGE},    {{16384, 4096}, MD5_ERROR_MEMORY},
        {{16384, 4097}, MD5_ERROR_RANGE}, {{16384, 16384}, MD5_ERROR_RANGE},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const md5_image_opts opts = {
            .allocator = {.limit = 1000},
            .file_name = "big",
            .decoder = {decode_size, release_size, (void *)(uintptr_t)rows[i].sides},
        };
        md5_error error = {0};
        CHECK(!parse_exact("\x89PNG\r\n\x1a\n?", 9, &opts, &error));
        CHECK_THAT(error.status == rows[i].status, "%u x %u: %s", rows[i].sides[0],
                   rows[i].sides[1], error.message);
        CHECK_STRING(error.file, "big");
    }
    md5_free_image(NULL);
}

// -- PCX, built-in images, compressed files -------------------------------------------------------

// PCX, built-in images, and compressed files that are tried first.

// -- PCX ------------------------------------------------------------------------------------------

enum { PCX_HEADER = 128, PCX_PALETTE = 768, PCX_MARK = 769 };

// Writes the header of a file with left column 1 and top row 2.
static void write_pcx_header(uint8_t *file, unsigned width, unsigned height, unsigned planes,
                             unsigned row_size)
{
    const uint8_t header[] = {10, 5, 1, 8, 1, 0, 2, 0, (uint8_t)width, 0, (uint8_t)(height + 1), 0};
    memset(file, 0, PCX_HEADER);
    memcpy(file, header, sizeof header);
    file[65] = (uint8_t)planes;
    file[66] = (uint8_t)row_size;
}

static void check_texels(const md5_image *image, const uint8_t (*texels)[4], size_t count)
{
    CHECK(image && (size_t)image->width * image->height == count);
    if (image)
        CHECK_BYTES(image->pixels, texels, 4 * count);
}

// 3 by 2 pixels in rows of 4 bytes: 7 7 200 (0), then a run of 4, the last of which is not visible.
static size_t write_indexed_pcx(uint8_t *file)
{
    static const uint8_t rows[] = {0xC2, 7, 0xC1, 200, 0, 0xC4, 9};
    write_pcx_header(file, 3, 2, 1, 4);
    memcpy(file + PCX_HEADER, rows, sizeof rows);
    uint8_t *const palette = file + PCX_HEADER + sizeof rows;
    memset(palette, 0, PCX_MARK);
    palette[0] = 12;
    for (int i = 0; i < 3; i++) {
        palette[1 + 3 * 7 + i] = (uint8_t)(10 + i);
        palette[1 + 3 * 200 + i] = (uint8_t)(20 + i);
        palette[1 + 3 * 9 + i] = (uint8_t)(30 + i);
    }
    return PCX_HEADER + sizeof rows + PCX_MARK;
}

TEST (pcx_files_with_palettes_are_read) {
    static const uint8_t expected[][4] = {{10, 11, 12, 255}, {10, 11, 12, 255}, {20, 21, 22, 255},
                                          {30, 31, 32, 255}, {30, 31, 32, 255}, {30, 31, 32, 255}};
    uint8_t file[2 * PCX_MARK];
    const size_t size = write_indexed_pcx(file);
    SCOPED_IMAGE image = parse_exact(file, size, NULL, NULL);
    CHECK_UINT(image ? image->width : 0, 3);
    check_texels(image, expected, 6);
}

TEST (pcx_files_of_three_planes_are_read) {
    static const uint8_t expected[][4] = {{1, 3, 5, 255}, {2, 4, 6, 255}};
    static const uint8_t rows[] = {1, 2, 3, 4, 5, 6};
    uint8_t file[PCX_HEADER + sizeof rows];
    write_pcx_header(file, 2, 1, 3, 2);
    memcpy(file + PCX_HEADER, rows, sizeof rows);
    SCOPED_IMAGE image = parse_exact(file, sizeof file, NULL, NULL);
    check_texels(image, expected, 2);
}

static void check_pcx_refused(const uint8_t *file, size_t size, const char *message)
{
    md5_error error = {0};
    SCOPED_IMAGE image = parse_exact(file, size, NULL, &error);
    CHECK(!image && error.status != MD5_OK);
    CHECK_THAT(strstr(error.message, message) != NULL, "%s", error.message);
}

TEST (damaged_pcx_files_are_rejected) {
    uint8_t file[2 * PCX_MARK];
    md5_error error = {0};
    const size_t size = write_indexed_pcx(file);
    // A truncated file is rejected, unless only its last byte is missing: the byte that marks the
    // palette is not checked.
    for (size_t i = 3; i < size - 1; i++) {
        SCOPED_IMAGE image = parse_exact(file, i, NULL, &error);
        CHECK(!image && error.message[0]);
    }
    check_pcx_refused(file, 100, "truncated PCX header: expected 128 bytes, found 100");
    check_pcx_refused(file, PCX_HEADER + 4,
                      "PCX palette is missing: expected 768 bytes after the header, found 4");
    check_pcx_refused(file, PCX_HEADER + 3 + PCX_PALETTE,
                      "truncated PCX file: it ends in row 1 of 2");
    check_pcx_refused(file, PCX_HEADER + 5 + PCX_PALETTE,
                      "truncated PCX file: it ends in row 2 of 2");
    check_pcx_refused(file, PCX_HEADER + 6 + PCX_PALETTE,
                      "truncated PCX file: it ends in row 2 of 2");
    file[3] = 4;
    check_pcx_refused(file, size, "expected 8 bits in 1 or 3 planes, found 4 bits in 1 planes");
    file[3] = 8;
    file[65] = 2;
    check_pcx_refused(file, size, "expected 8 bits in 1 or 3 planes, found 8 bits in 2 planes");
    file[65] = 1;
    file[8] = 0;
    check_pcx_refused(file, size, "right edge 0 is left of the left edge 1");
    file[8] = 30;
    check_pcx_refused(file, size, "rows of 4 bytes are too short for 30 pixels");
    file[8] = file[9] = file[10] = file[11] = file[66] = file[67] = 255;
    check_pcx_refused(file, size, "image is too large: 65535 x 65534 pixels; expected at most");
    file[9] = file[11] = file[67] = 15;
    check_pcx_refused(file, size, "bytes are too few for 4095 x 4094 pixels");
}

// -- Built-in images ------------------------------------------------------------------------------

typedef struct builtin_case {
    const char *name;
    uint32_t width;
    uint32_t height;
    uint32_t x;
    uint32_t y;
    uint8_t texel[4];
} builtin_case;

// Values computed manually from the definition of each image.
static const builtin_case builtin_cases[] = {
    {"_default", 16, 16, 3, 3, {0, 0, 0, 0}},
    {"default", 16, 16, 15, 15, {0, 0, 0, 0}},
    {"_white", 16, 16, 15, 0, {255, 255, 255, 255}},
    {"_WHITE.tga", 16, 16, 0, 15, {255, 255, 255, 255}},
    {"_black", 16, 16, 7, 7, {0, 0, 0, 0}},
    {"_flat", 2, 2, 1, 1, {128, 128, 255, 255}},
    {"_ambient", 2, 2, 0, 1, {127, 29, 227, 255}},
    {"_alphaNotch", 2, 1, 0, 0, {255, 255, 255, 0}},
    {"_alphaNotch", 2, 1, 1, 0, {255, 255, 255, 255}},
    {"_ramp", 256, 1, 77, 0, {77, 77, 77, 77}},
    {"_borderClamp", 32, 32, 31, 5, {0, 0, 0, 0}},
    {"_borderClamp", 32, 32, 30, 1, {255, 255, 255, 255}},
    {"_noFalloff", 64, 16, 62, 14, {255, 255, 255, 255}},
    {"_noFalloff", 64, 16, 62, 15, {0, 0, 0, 0}},
    {"_specularTable", 256, 1, 191, 0, {0, 0, 0, 0}},     // below 3/4
    {"_specularTable", 256, 1, 223, 0, {63, 63, 63, 63}}, // (4 * (223/255 - 3/4))^2 * 255
    {"_specularTable", 256, 1, 255, 0, {255, 255, 255, 255}},
    {"_quadratic", 32, 4, 15, 0, {255, 255, 255, 255}},
    {"_quadratic", 32, 4, 31, 3, {0, 0, 0, 255}},   // (1 - 15/16)^2 * 255 = 0.996
    {"_quadratic", 32, 4, 8, 1, {80, 80, 80, 255}}, // (1 - 7/16)^2 * 255 = 80.68
    {"_fog", 128, 128, 64, 64, {255, 255, 255, 0}},
    {"_fog", 128, 128, 64, 0, {255, 255, 255, 255}},
    {"_fog", 128, 128, 65, 64, {255, 255, 255, 17}},            // 255 * (1 - 0.982^4) = 17.86
    {"_specular2DTable", 256, 256, 0, 0, {255, 255, 255, 255}}, // power 0
    {"_specular2DTable", 256, 256, 255, 255, {255, 255, 255, 255}},
    {"_specular2DTable", 256, 256, 128, 2, {64, 64, 64, 64}},       // (128/255)^2 * 255 = 64.25
    {"_specular2DTable", 256, 256, 200, 10, {22, 22, 22, 22}},      // 22.46
    {"_specular2DTable", 256, 256, 254, 100, {172, 172, 172, 172}}, // 172.1
    {"_specular2DTable", 256, 256, 3, 2, {0, 0, 0, 0}},
    {"_fogEnter", 64, 64, 33, 33, {255, 255, 255, 0}},   // both ends are above the plane
    {"_fogEnter", 64, 64, 23, 23, {255, 255, 255, 255}}, // both ends are below the ramp of 8
    {"_fogEnter", 64, 64, 31, 31, {255, 255, 255, 31}},  // both ends are at 1/8 of the ramp: 31.9
    {"_fogEnter", 64, 64, 0, 63, {255, 255, 255, 255}},  // one end is deeper than 30
    // Half of the line from -8 to 0 is in fog; 8/30 of the other half is added: 255 * 0.6333 =
    // 161.5.
    {"_fogEnter", 64, 64, 24, 32, {255, 255, 255, 161}},
    {"_fogEnter", 64, 64, 32, 24, {255, 255, 255, 161}},
    // From -3 to 5, (3 - 2.4375) / 8 of the line is in fog: 255 * (0.0703 * 0.9 + 0.1) = 41.6.
    {"_fogEnter", 64, 64, 29, 37, {255, 255, 255, 41}},
    // 128 + 127 * the direction of a texel, computed manually in double precision.
    {"_normalCubeMap", 32, 192, 15, 15, {254, 131, 131, 255}},
    {"_normalCubeMap", 32, 192, 0, 32, {53, 200, 55, 255}},
    {"_normalCubeMap", 32, 192, 31, 64, {200, 202, 55, 255}},
    {"_normalCubeMap", 32, 192, 4, 116, {55, 27, 99, 255}},
    {"_normalCubeMap", 32, 192, 31, 159, {200, 55, 202, 255}},
    {"_scratchCubeMap", 32, 192, 10, 163, {161, 203, 31, 255}},
};

TEST (builtin_pictures_equal_those_of_the_engine) {
    image_folder folder = {.count = 0};
    uint8_t file[IMAGE_TGA_HEADER + 4];
    static const uint8_t red[4] = {255, 0, 0, 255};
    image_write_tga(file, red, 1, 1);
    image_folder_add(&folder, "_white.tga", file, sizeof file); // never looked for
    SCOPED_GAME game = open_images(&folder, NULL);
    for (size_t i = 0; i < COUNT_OF(builtin_cases); i++) {
        const builtin_case *const row = &builtin_cases[i];
        const builtin_case *const expected = row;
        md5_error error = {0};
        SCOPED_IMAGE image = load_image_text(game, expected->name, NULL, &error);
        CHECK_THAT(image && image->width == expected->width && image->height == expected->height,
                   "%s", expected->name);
        CHECK_UINT(error.status, MD5_OK);
        if (!image)
            continue;
        const uint8_t *const texel =
            image->pixels + 4 * ((size_t)expected->y * image->width + expected->x);
        CHECK_THAT(memcmp(texel, expected->texel, 4) == 0, "%s: %d %d", expected->name, texel[0],
                   texel[3]);
    }
}

// Some image names, such as _currentRender, stand for images that the game draws. Loading them
// fails with an explanation, and so does loading a built-in image above the memory limit.
TEST (pictures_made_while_drawing_are_errors) {
    image_folder folder = {.count = 0};
    SCOPED_GAME game = open_images(&folder, NULL);
    md5_error error = {0};
    CHECK_FAILS(load_image_text(game, "_currentRender", NULL, &error), error, MD5_ERROR_MISMATCH);
    CHECK_STRING(error.file, "_currentrender");
    CHECK_STRING(error.message,
                 "image _currentrender has no file: the game creates it at run time");
    const md5_image_opts opts = {.allocator = {.limit = 100}};
    CHECK_FAILS(load_image_text(game, "_white", &opts, &error), error, MD5_ERROR_MEMORY);
}

// In engine mode, built-in images cannot be used inside of image programs: the engine searches for
// a file of this name.
TEST (builtin_pictures_inside_of_programs_are_lenient) {
    image_folder folder = {.count = 0};
    SCOPED_GAME game = open_images(&folder, NULL);
    md5_error error = {0};
    md5_image *const image = load_image_text(game, "add( _white, _black )", NULL, &error);
    CHECK(image && image->pixels[0] == 255);
    md5_free_image(image);
    CHECK(md5_game_set_parse_mode(game, MD5_PARSE_ENGINE, NULL));
    CHECK_FAILS(load_image_text(game, "add( _white, _black )", NULL, &error), error, MD5_ERROR_IO);
    CHECK_STRING(error.file, "_white");
}

// -- Compressed files first -----------------------------------------------------------------------

TEST (compressed_files_have_precedence_on_request) {
    uint8_t red_file[IMAGE_TGA_HEADER + 4], green_file[IMAGE_TGA_HEADER + 4];
    static const uint8_t red[4] = {255, 0, 0, 255};
    static const uint8_t green[4] = {0, 255, 0, 255};
    image_folder folder = {.count = 0};
    char line[512] = "";
    const md5_load_opts opts = {.warn = keep_line, .warn_user = line};
    const md5_image_opts first = {.compressed_first = true};
    static const char program[] = "makeIntensity( b )";
    image_write_tga(red_file, red, 1, 1);
    image_write_tga(green_file, green, 1, 1);
    image_folder_add(&folder, "a.tga", red_file, sizeof red_file);
    image_folder_add(&folder, "dds/a.dds", green_file, sizeof green_file);
    image_folder_add(&folder, "b.tga", red_file, sizeof red_file);
    image_folder_add(&folder, "dds/makeintensity/b.dds", green_file, sizeof green_file);
    image_folder_add(&folder, "c.tga", red_file, sizeof red_file);
    image_folder_add(&folder, "dds/c.dds", red_file, 1);
    SCOPED_GAME game = open_images(&folder, &opts);
    md5_image *const images[] = {
        load_image_text(game, "a", NULL, NULL),     load_image_text(game, "a", &first, NULL),
        load_image_text(game, program, NULL, NULL), load_image_text(game, program, &first, NULL),
        load_image_text(game, "c", &first, NULL),
    };
    CHECK(images[0] && images[0]->pixels[0] == 255);
    CHECK(images[1] && images[1]->pixels[1] == 255 && images[1]->pixels[0] == 0);
    CHECK(images[2] && images[2]->pixels[2] == 255);
    CHECK(images[3] && images[3]->pixels[1] == 255 && images[3]->pixels[2] == 0);
    CHECK(images[4] && images[4]->pixels[0] == 255);
    CHECK_STRING(line, "c: warning: dds/c.dds: unknown image format: expected TGA, PCX or DDS, or, "
                       "with md5_image_opts.decoder, PNG, JPEG, BMP, GIF, OpenEXR or Radiance HDR");
    for (size_t i = 0; i < COUNT_OF(images); i++)
        md5_free_image(images[i]);
}

// Returns true if a program loads the green compressed image, with compressed images first.
static bool is_compressed(md5_game *game, const char *text)
{
    const md5_image_opts first = {.compressed_first = true};
    SCOPED_IMAGE image = load_image_text(game, text, &first, NULL);
    const bool is_green = image && image->pixels[1] == 255 && image->pixels[0] == 0;
    CHECK(image);
    return is_green;
}

TEST (compressed_files_older_than_their_sources_are_not_used) {
    static const uint8_t red[4] = {255, 0, 0, 255};
    static const uint8_t green[4] = {0, 255, 0, 255};
    static const char program[] = "add( a, makeAlpha( b ) )";
    uint8_t sources[IMAGE_TGA_HEADER + 4], compressed[IMAGE_TGA_HEADER + 4];
    image_folder folder = {.count = 0, .has_times = true};
    image_write_tga(sources, red, 1, 1);
    image_write_tga(compressed, green, 1, 1);
    image_folder_add(&folder, "a.jpg", sources, sizeof sources);
    image_folder_add(&folder, "b.tga", sources, sizeof sources);
    image_folder_add(&folder, "dds/a.dds", compressed, sizeof compressed);
    image_folder_add(&folder, "dds/add/a makealpha/b.dds", compressed, sizeof compressed);
    image_folder_add(&folder, "dds/c.dds", compressed, sizeof compressed);
    SCOPED_GAME game = open_images(&folder, NULL);
    // At first all files have the same time, like files in archives. A compressed image is used
    // unless its source is newer.
    CHECK(is_compressed(game, "a"));
    folder.files[0].time = 5;
    CHECK(!is_compressed(game, "a"));
    folder.files[2].time = 5;
    CHECK(is_compressed(game, "a"));
    folder.files[2].time = 6;
    CHECK(is_compressed(game, "a"));
    CHECK(is_compressed(game, "c")); // the source does not exist
    // For an image program, the times of all files that it uses are compared.
    folder.files[3].time = 7;
    CHECK(is_compressed(game, program));
    folder.files[1].time = 8;
    CHECK(!is_compressed(game, program));
}
