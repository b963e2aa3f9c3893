// Radiance images: every kind of packing, errors in damaged files, and images as environment maps.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

#define HEADER "#?RADIANCE\nEXPOSURE=2\nFORMAT=32-bit_rle_rgbe\n\n"

// Decodes a header and rows from a block of exactly their size.
static bool decode(const char *header, const void *rows, size_t size, view_panorama *panorama,
                   md5_error *error)
{
    const size_t length = strlen(header);
    SCOPED uint8_t *const exact = malloc(length + size);
    memcpy(exact, header, length);
    if (size > 0)
        memcpy(exact + length, rows, size);
    return view_decode_radiance(exact, length + size, panorama, error);
}

// Checks a pixel against the definition of the format: a byte m with exponent e is m / 256 * 2^(e -
// 128).
static void check_pixel(const view_panorama *panorama, size_t pixel, const uint8_t rgbe[4])
{
    for (uint32_t i = 0; i < 3; i++) {
        const double expected = rgbe[3] > 0 ? rgbe[i] / 256.0 * pow(2.0, rgbe[3] - 128) : 0.0;
        CHECK_NEAR(panorama->rgb[3 * pixel + i], expected, 1e-6 * expected);
    }
}

static void check_refused(const char *header, const void *rows, size_t size, const char *why)
{
    view_panorama panorama;
    md5_error error = {0};
    CHECK(!decode(header, rows, size, &panorama, &error));
    CHECK(!panorama.rgb);
    CHECK_THAT(strstr(error.message, why) != NULL, "\"%s\" instead of \"%s\"", error.message, why);
}

TEST (view_radiance_reads_plain_pixels_and_runs_of_them) {
    static const uint8_t rows[2][3][4] = {{{128, 64, 32, 129}, {9, 8, 7, 140}, {1, 2, 3, 0}},
                                          {{10, 20, 30, 120}, {1, 1, 1, 2}, {0, 0, 0, 0}}};
    view_panorama panorama;
    md5_error error;
    // The second row consists of one pixel and a code that repeats it twice.
    REQUIRE(decode(HEADER "-Y 2 +X 3\n", rows, 12 + 8, &panorama, &error));
    CHECK(panorama.width == 3 && panorama.height == 2);
    CHECK_EXACT(panorama.rgb[0], 1); // 128 / 256 * 2
    for (uint32_t i = 0; i < 3; i++) {
        check_pixel(&panorama, i, rows[0][i]);
        check_pixel(&panorama, 3 + i, rows[1][0]);
    }
    free(panorama.rgb);
}

// The count of a repetition code directly after another repetition code is multiplied by 256.
TEST (view_radiance_reads_long_runs) {
    static const uint8_t row[] = {5, 6, 7, 128, 1, 1, 1, 3, 1, 1, 1, 1};
    view_panorama panorama;
    md5_error error;
    REQUIRE(decode(HEADER "-Y 1 +X 260\n", row, sizeof row, &panorama, &error));
    for (uint32_t i = 0; i < 260; i++)
        check_pixel(&panorama, i, row);
    free(panorama.rgb);
}

TEST (view_radiance_reads_packed_channels) {
    // A packed row of eight pixels, one channel after another: red is a run, green is literal, blue
    // is a literal part and a run, and the exponents follow.
    static const uint8_t row[] = {2,  2,  0,  8, 136, 77, 8, 10,  20, 30,  40, 50,
                                  60, 70, 80, 3, 1,   2,  3, 133, 9,  136, 129};
    view_panorama panorama;
    md5_error error;
    REQUIRE(decode(HEADER "-Y 1 +X 8\n", row, sizeof row, &panorama, &error));
    for (uint8_t i = 0; i < 8; i++) {
        const uint8_t blue = i < 3 ? (uint8_t)(i + 1) : 9;
        const uint8_t expected[4] = {77, (uint8_t)(10 * (i + 1)), blue, 129};
        check_pixel(&panorama, i, expected);
    }
    free(panorama.rgb);
    // The data are cut off at each byte.
    for (size_t size = 0; size < sizeof row; size++)
        check_refused(HEADER "-Y 1 +X 8\n", row, size,
                      size < 8 ? "cannot be stored in" : "row 1 of 1");
}

TEST (view_radiance_reports_errors) {
    static const uint8_t none[8] = {2, 2, 0, 8, 0, 0, 0, 0};
    static const uint8_t damaged[8] = {2, 2, 0, 9, 0, 0, 0, 0};
    static const uint8_t early[8] = {1, 1, 1, 1, 0, 0, 0, 0};
    static const uint8_t far[8] = {0, 0, 0, 0, 1, 1, 1, 9};
    static const uint8_t longer[8] = {2, 2, 0, 8, 137, 5, 0, 0};
    static const uint8_t shifts[24] = {7, 7, 7, 7, 1, 1, 1, 0, 1, 1, 1, 0,
                                       1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1};
    check_refused("PNG", NULL, 0, "not a Radiance image: expected '#?' at the start of the file");
    check_refused("#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n", NULL, 0, "32-bit_rle_xyze");
    check_refused("#?RADIANCE\n", NULL, 0,
                  "unterminated header: expected an empty line, found the end of the file");
    check_refused("#?RADIANCE\n\n", NULL, 0, "size is missing");
    check_refused(HEADER "+X 3 -Y 2\n", NULL, 0, "-Y HEIGHT +X WIDTH");
    check_refused(HEADER "-Y 2 +X 3 4\n", NULL, 0, "-Y HEIGHT +X WIDTH");
    check_refused(HEADER "-Y 0 +X 3\n", NULL, 0,
                  "image is empty: expected at least 1 x 1 pixels, found 3 x 0");
    check_refused(HEADER "-Y 99999999999 +X 3\n", NULL, 0, "expected");
    check_refused(HEADER "-Y 16384 +X 16384\n", NULL, 0,
                  "image is too large: 16384 x 16384 pixels");
    check_refused(HEADER "-Y 1024 +X 1024\n", none, 8,
                  "truncated image: 1024 x 1024 pixels cannot be stored in 8 bytes");
    check_refused(HEADER "-Y 1 +X 8\n", none, 8, "row 1 of 1"); // a run of length 0
    check_refused(HEADER "-Y 1 +X 8\n", damaged, 8, "row 1 of 1");
    check_refused(HEADER "-Y 1 +X 8\n", longer, 8, "row 1 of 1");
    // an image without pixels cannot be repeated
    check_refused(HEADER "-Y 1 +X 2\n", early, 8, "row 1 of 1");
    check_refused(HEADER "-Y 1 +X 2\n", far, 8, "row 1 of 1");
    check_refused(HEADER "-Y 1 +X 9\n", shifts, 24, "row 1 of 1");
}

// An image is decoded from sRGB: 188 is one half.
TEST (view_panorama_reads_images_in_linear_color) {
    view_panorama panorama;
    md5_error error = {0};
    CHECK(!view_read_panorama("no/such/file.hdr", &panorama, &error));
    CHECK_STRING(error.message, "file not found");
    CHECK(!view_read_panorama(test_path("models"), &panorama, &error));
    CHECK(!view_read_panorama(test_path("README.md"), &panorama, &error));
    REQUIRE(view_read_panorama(test_path("models/place/spot.png"), &panorama, &error));
    view_image image;
    CHECK(
        view_read_image(test_path("models/place/spot.png"), MD5_MAX_IMAGE_PIXELS, &image, &error));
    double max_error = 0;
    uint32_t num_dark = 0; // bytes in the linear part of the curve, which ends between 10 and 11
    for (uint32_t i = 0; i < 3 * image.width * image.height; i++) {
        const uint8_t byte = image.rgba[i / 3 * 4 + i % 3];
        const double value = byte / 255.0;
        const double linear = byte <= 10 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
        max_error = fmax(max_error, fabs((double)panorama.rgb[i] - linear));
        num_dark += byte > 0 && byte <= 10;
    }
    CHECK_SMALL(max_error, 1e-5);
    CHECK(num_dark > 0);
    free(image.rgba);
    free(panorama.rgb);
}

TEST_SCENE (view_environment_is_unchanged_if_a_file_cannot_be_read) {
    view_environment environment = {.light = NULL};
    view_log log = quiet_log;
    const char *const picture = test_path("models/place/spot.png");
    CHECK(view_load_environment(&environment, scene->renderer, picture, &log));
    const md5gl_environment *const light = environment.light;
    CHECK(light != NULL && environment.exposure > 0.0f);
    CHECK_NEAR(md5_vec3_dot(environment.brightest, environment.brightest), 1, 1e-5);
    CHECK(!view_load_environment(&environment, scene->renderer, test_path("README.md"), &log));
    CHECK(environment.light == light);
    CHECK(strstr(log.error, "README.md"));
    md5gl_destroy_environment(scene->renderer, environment.light);
}
