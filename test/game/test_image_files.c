// Which files are tried for a picture, formats and damaged files.
#include "test/game/test_image_case.h"
#include "test/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t red_file[IMAGE_TGA_HEADER + 4], green_file[IMAGE_TGA_HEADER + 4];
enum { FILE_SIZE = sizeof red_file };

static void make_files(void)
{
    static const uint8_t red[4] = {255, 0, 0, 255}, green[4] = {0, 255, 0, 255};
    image_write_tga(red_file, red, 1, 1);
    image_write_tga(green_file, green, 1, 1);
}

// -- Names ----------------------------------------------------------------------------------------

// 'r', 'g', or 0 if there is no picture.
static char color_of(md5_game *game, const char *text, md5_error *error)
{
    md5_image *const image = load_image_text(game, text, NULL, error);
    const char color = !image ? '\0' : image->pixels[0] ? 'r' : 'g';
    md5_free_image(image);
    return color;
}

// Whether a name gives red if there are two files, of which the second one is green.
static bool prefers(const char *name, const char *red, const char *green)
{
    image_place place = {.count = 0};
    md5_error error = {0};
    make_files();
    image_place_add(&place, red, red_file, FILE_SIZE);
    if (green)
        image_place_add(&place, green, green_file, FILE_SIZE);
    md5_game *const game = open_images(&place, NULL);
    const char color = color_of(game, name, &error);
    md5_destroy_game(game);
    return color == 'r';
}

// The format of a file follows from its bytes, so that TGA may stand for all.
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

// Programs that were compressed as a whole: the first four separators are folders, the next blanks.
TEST (images_of_programs_are_found_compressed) {
    CHECK(prefers("heightmap(t/a,4)", "dds/heightmap/t/a 4.dds", NULL));
    CHECK(prefers("addnormals(a/b/c/d/e.tga, heightmap(f, 2))",
                  "dds/addnormals/a/b/c/d e heightmap  f 2.dds", NULL));
    CHECK(!prefers("heightmap(t/a,4)", "dds/heightmap/t/a 5.dds", NULL));
}

TEST (images_that_are_missing_name_all_that_was_tried) {
    image_place place = {.count = 0};
    md5_game *const game = open_images(&place, NULL);
    md5_error error = {0};
    CHECK(!color_of(game, "add(t/a,b)", &error));
    CHECK_UINT(error.status, MD5_ERROR_IO);
    CHECK_STRING(error.file, "t/a");
    CHECK_STRING(error.message, ".tga: no such file; .jpg: no such file; .png: no such file; "
                                "dds/t/a.dds: no such file");
    CHECK(!color_of(game, "t/a.bmp", &error));
    CHECK_STRING(error.message, ".bmp: no such file; dds/t/a_bmp.dds: no such file");
    char text[400];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    CHECK(!color_of(game, text, &error));
    md5_image *const image = load_image_text(game, "a", NULL, NULL);
    CHECK(!image);
    md5_destroy_game(game);
}

static void keep_line(void *user, const md5_error *warning)
{
    (void)md5_format_error(warning, user, 512);
}

TEST (images_that_are_damaged_say_so) {
    image_place place = {.count = 0};
    char line[512] = "";
    const md5_load_opts opts = {.warn = keep_line, .warn_user = line};
    md5_error error = {0};
    make_files();
    image_place_add(&place, "a.tga", red_file, FILE_SIZE - 1);
    image_place_add(&place, "b.tga", red_file, FILE_SIZE - 1);
    image_place_add(&place, "b.png", green_file, FILE_SIZE);
    image_place_add(&place, "c.tga", NULL, 0);
    md5_game *const game = open_images(&place, &opts);
    CHECK(!color_of(game, "a", &error));
    CHECK_UINT(error.status, MD5_ERROR_SYNTAX);
    CHECK_STRING(error.message, ".tga: the TGA file ends after 0 of 1 pixels; .jpg: no such file; "
                                ".png: no such file; dds/a.dds: no such file");
    error = (md5_error){0};
    CHECK(color_of(game, "b", &error) == 'g');
    CHECK_UINT(error.status, MD5_OK);
    CHECK_STRING(line, "b: warning: .tga: the TGA file ends after 0 of 1 pixels; .jpg: no such "
                       "file; b.png is read instead");
    CHECK(!color_of(game, "c", &error));
    CHECK(strstr(error.message, ".tga: not on disk; "));
    md5_destroy_game(game);
}

// -- Formats --------------------------------------------------------------------------------------

static md5_image *parse(const void *bytes, size_t size, const md5_image_opts *opts,
                        md5_error *error)
{
    void *const exact = malloc(size ? size : 1); // exact size, to detect reads past the end
    if (!exact)
        abort();
    if (size > 0)
        memcpy(exact, bytes, size);
    md5_image *const image = md5_parse_image(exact, size, opts, error);
    free(exact);
    return image;
}

static void check_refused(const void *bytes, size_t size, const char *message)
{
    md5_error error = {0};
    md5_image *const image = parse(bytes, size, NULL, &error);
    CHECK(!image && error.status != MD5_OK);
    CHECK_STRING(error.message, message);
    md5_free_image(image);
}

TEST (images_of_unknown_formats_are_refused) {
    static const char unknown[] = "the format of the picture is unknown";
    check_refused("", 0, "the file is empty");
    check_refused("text that is no picture", 23, unknown);
    check_refused("\x89PNG\r\n\x1a\n", 8, "PNG, for which no decoder is given");
    check_refused("\xff\xd8\xff\xe0", 4, "JPEG, for which no decoder is given");
    uint8_t file[IMAGE_TGA_HEADER + 8] = {[2] = 2, [12] = 1, [14] = 1, [16] = 32};
    check_refused(file, IMAGE_TGA_HEADER - 1, unknown);
    static const uint8_t wrong[][3] = {{1, 2, 0}, {2, 7, 0}, {2, 0, 0}, {16, 12, 0}, {16, 8, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const uint8_t before = file[wrong[i][0]];
        file[wrong[i][0]] = wrong[i][1];
        check_refused(file, sizeof file, unknown);
        file[wrong[i][0]] = before;
    }
}

// What a caller's decoder was given, and what it returns.
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
        (void)snprintf(error->message, sizeof error->message, "%s", fake->reason);
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

TEST (images_of_other_formats_go_to_the_callers_decoder) {
    fake_decoder fake = {.pixels = {1, 2, 3, 4, 5, 6, 7, 8}, .width = 2};
    const md5_image_opts opts = {.decoder = {fake_decode, fake_release, &fake}};
    md5_error error = {0};
    md5_image *image = parse("\x89PNG\r\n\x1a\n?", 9, &opts, &error);
    if (CHECK(image))
        CHECK(image->width == 2 && image->height == 1
              && memcmp(image->pixels, fake.pixels, 8) == 0);
    CHECK_UINT(fake.size, 9);
    CHECK_UINT((uint64_t)fake.num_held, 0);
    md5_free_image(image);
    fake.width = MD5_MAX_IMAGE_SIDE + 1;
    CHECK(!parse("\x89PNG\r\n\x1a\n?", 9, &opts, &error));
    CHECK_STRING(error.message, "16385 by 1 pixels; at most 16384 a side and 67108864 in all");
    CHECK_UINT((uint64_t)fake.num_held, 0);
    fake.reason = "no moon in it";
    CHECK(!parse("\x89PNG\r\n\x1a\n?", 9, &opts, &error));
    CHECK_STRING(error.message, "no moon in it");
    fake.reason = "";
    CHECK(!parse("\x89PNG\r\n\x1a\n?", 9, &opts, &error));
    CHECK_STRING(error.message, "the picture cannot be decoded");
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

// No limit of a picture is left to the caller's decoder.
TEST (images_are_made_within_limits) {
    static const uint32_t sizes[][2] = {{0, 2}, {16384, 16384}, {16, 16}};
    for (int i = 0; i < 3; i++) {
        const md5_image_opts opts = {
            .allocator = {.limit = i < 2 ? 0 : 1000},
            .file_name = "big",
            .decoder = {decode_size, release_size, (void *)(uintptr_t)sizes[i]},
        };
        md5_error error = {0};
        CHECK(!parse("\x89PNG\r\n\x1a\n?", 9, &opts, &error));
        CHECK_UINT(error.status, i < 2 ? MD5_ERROR_RANGE : MD5_ERROR_MEMORY);
        CHECK_STRING(error.file, "big");
    }
    md5_free_image(NULL);
}
