// Image programs: 29 programs are compared with results of the original engine (MD5_CORPUS), and
// each operation is compared with arithmetic in the test.
#include "test/material/test_image_case.h"
#include "test/scoped.h"

// -- Golden ---------------------------------------------------------------------------------------

enum { GOLDEN_PROGRAMS = 29 };

static uint32_t number_at(const char *bytes)
{
    const uint8_t *const at = (const uint8_t *)bytes;
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

// Returns the greatest difference of a byte, or 256 if the sizes differ.
static int difference(const md5_image *image, const char *raw, size_t size)
{
    int max_difference = 0;
    if (size < 12 || number_at(raw) != image->width || number_at(raw + 4) != image->height
        || size != 12 + (size_t)4 * image->width * image->height)
        return 256;
    for (size_t i = 0; i < size - 12; i++) {
        const int off = abs(image->pixels[i] - (uint8_t)raw[12 + i]);
        max_difference = off > max_difference ? off : max_difference;
    }
    return max_difference;
}

// Returns true if a program has the result of the engine: its image, or no image if the engine
// could not load a file.
static bool is_golden(md5_game *game, const char *text, int number)
{
    char name[64];
    size_t size = 0;
    md5_error error = {0};
    snprintf(name, sizeof name, "verdicts/images/img_%02d.raw", number);
    SCOPED_STRING raw = test_read_file(test_pathf("golden/d3/%s", name), &size);
    SCOPED_IMAGE image = load_image_text(game, text, NULL, &error);
    const bool is_missing = raw && size >= 12 && number_at(raw) == 0;
    int off = 256;
    if (is_missing && !image)
        off = 0;
    else if (raw && !is_missing && image)
        off = difference(image, raw, size);
    const bool held =
        CHECK_THAT(off == 0, "%s is off by %d: %s", text, off, image ? "" : error.message);
    return held;
}

TEST (image_programs_equal_those_of_the_engine) {
    image_folder source_folder = {.count = 0};
    size_t size = 0;
    SCOPED_STRING rows =
        test_corpus() ? test_read_file(test_path("golden/d3/verdicts/image_programs.tsv"), &size)
                      : NULL;
    if (!rows) {
        test_skip("MD5_CORPUS has no golden/d3");
        return;
    }
    static char folder[1024];
    STRINGS(names) = {"img_a",    "img_black", "img_gray",  "img_h",     "img_n",
                      "img_npot", "img_rle",   "img_rle24", "img_small", "img_top"};
    static char paths[COUNT_OF(names)][64];
    snprintf(folder, sizeof folder, "%s", test_path("golden/d3/minigame/base"));
    source_folder.folder = folder;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        snprintf(paths[i], sizeof paths[i], "textures/t/%s.tga", names[i]);
        image_folder_add(&source_folder, paths[i], NULL, 0);
    }
    SCOPED_GAME game = open_images(&source_folder, NULL);
    int number = 0;
    int num_equal = 0;
    for (char *row = strchr(rows, '\n'); row && row[1]; row = strchr(row, '\n')) {
        char text[256] = "";
        row++;
        snprintf(text, sizeof text, "%.*s", (int)strcspn(row, "\t"), row);
        num_equal += is_golden(game, text, number++);
    }
    CHECK_UINT((uint64_t)number, GOLDEN_PROGRAMS);
    CHECK_UINT((uint64_t)num_equal, GOLDEN_PROGRAMS);
    printf("note: %d of %d image programs are equal to the engine's\n", num_equal, number);
}

// -- Operations -----------------------------------------------------------------------------------

// An image a of 4 by 4 texels, and an image b of 2 by 2 texels.
enum { SIDE = 4, TEXELS = SIDE * SIDE, FILE_SIZE = IMAGE_TGA_HEADER + 4 * TEXELS };

typedef struct random_images {
    uint8_t a[TEXELS][4], b[4][4];
    uint8_t a_file[FILE_SIZE], b_file[FILE_SIZE];
    image_folder source_folder;
    md5_game *game;
} random_images;

static void make_images(random_images *images)
{
    uint64_t random = 7;
    memset(images, 0, sizeof *images);
    for (int i = 0; i < TEXELS * 4; i++)
        images->a[i / 4][i % 4] = (uint8_t)test_random_u32(&random);
    for (int i = 0; i < 16; i++)
        images->b[i / 4][i % 4] = (uint8_t)test_random_u32(&random);
    image_folder_add(&images->source_folder, "a.tga", images->a_file,
                     image_write_tga(images->a_file, images->a[0], SIDE, SIDE));
    image_folder_add(&images->source_folder, "b.tga", images->b_file,
                     image_write_tga(images->b_file, images->b[0], 2, 2));
    images->game = open_images(&images->source_folder, NULL);
}

// Returns the texel of b at the position of texel i of a.
static const uint8_t *over(const random_images *images, int i)
{
    return images->b[i / SIDE / 2 * 2 + i % SIDE / 2];
}

// Compares the image of a program with the bytes that `expect` returns for each texel of a.
typedef void expect_texel(const random_images *images, int i, uint8_t expected[4]);

static void check_program(random_images *images, const char *text, expect_texel *expect,
                          int tolerance)
{
    md5_error error = {0};
    SCOPED_IMAGE image = load_image_text(images->game, text, NULL, &error);
    if (!CHECK_THAT(image != NULL, "%s: %s", text, error.message))
        return;
    CHECK(image->width == SIDE && image->height == SIDE);
    for (int i = 0; i < TEXELS; i++) {
        uint8_t expected[4];
        expect(images, i, expected);
        for (int j = 0; j < 4; j++)
            CHECK_THAT(abs(image->pixels[4 * i + j] - expected[j]) <= tolerance,
                       "%s: channel %d of texel %d is %d, expected %d", text, j, i,
                       image->pixels[4 * i + j], expected[j]);
    }
}

static void expect_file(const random_images *images, int i, uint8_t expected[4])
{
    memcpy(expected, images->a[i], 4);
}

static void expect_sum(const random_images *images, int i, uint8_t expected[4])
{
    for (int j = 0; j < 4; j++) {
        const int sum = images->a[i][j] + over(images, i)[j];
        expected[j] = (uint8_t)(sum > 255 ? 255 : sum);
    }
}

// Writes the channels of a texel times 3, 0.5, 1 and 100, modulo 256.
static void expect_products(const random_images *images, int i, uint8_t expected[4])
{
    expected[0] = (images->a[i][0] * 3 % 256);
    expected[1] = (images->a[i][1] / 2);
    expected[2] = images->a[i][2];
    expected[3] = (images->a[i][3] * 100 % 256);
}

static void expect_inverse_alpha(const random_images *images, int i, uint8_t expected[4])
{
    memcpy(expected, images->a[i], 4);
    expected[3] = (255 - expected[3]);
}

static void expect_inverse_color(const random_images *images, int i, uint8_t expected[4])
{
    for (int j = 0; j < 4; j++)
        expected[j] = (j < 3 ? 255 - images->a[i][j] : images->a[i][j]);
}

static void expect_intensity(const random_images *images, int i, uint8_t expected[4])
{
    memset(expected, images->a[i][0], 4);
}

static int gray_value(const random_images *images, int i)
{
    return (images->a[i][0] + images->a[i][1] + images->a[i][2]) / 3;
}

static void expect_alpha(const random_images *images, int i, uint8_t expected[4])
{
    memset(expected, 255, 4);
    expected[3] = (uint8_t)gray_value(images, i);
}

TEST (image_programs_change_texels) {
    random_images images;
    make_images(&images);
    check_program(&images, "a", expect_file, 0);
    check_program(&images, "A.TGA", expect_file, 0);
    check_program(&images, "add(a,b)", expect_sum, 0);
    check_program(&images, "scale( a, 3, 0.5, 1, 100 )", expect_products, 0);
    check_program(&images, "invertAlpha(a)", expect_inverse_alpha, 0);
    check_program(&images, "INVERTCOLOR(a)", expect_inverse_color, 0);
    check_program(&images, "makeIntensity(a)", expect_intensity, 0);
    check_program(&images, "makeAlpha(a)", expect_alpha, 0);
    check_program(&images, "invertColor(invertColor(a))", expect_file, 0);
    md5_destroy_game(images.game);
}

// -- Normals, in double precision -----------------------------------------------------------------

static void write_unit(const double vector[3], uint8_t expected[4])
{
    const double length =
        sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
    for (int i = 0; i < 3; i++)
        expected[i] = (uint8_t)(128 + 127 * (length > 0 ? vector[i] / length : 0));
    expected[3] = 255;
}

static double height_at(const random_images *images, int x, int y)
{
    return gray_value(images, (y % SIDE) * SIDE + x % SIDE);
}

// Computes the expected normal of a texel. The height rises by 16 / 256 of a texel for each step of
// gray.
static void expect_heights(const random_images *images, int i, uint8_t expected[4])
{
    const double k = 16.0 / 256.0;
    const int x = i % SIDE;
    const int y = i / SIDE;
    const double here = height_at(images, x, y);
    const double right = height_at(images, x + 1, y);
    const double below = height_at(images, x, y + 1);
    const double across = height_at(images, x + 1, y + 1);
    const double parts[2][2] = {{-(right - here) * k, -(below - here) * k},
                                {-(across - below) * k, (here - below) * k}};
    double sum[3] = {0, 0, 0};
    for (int j = 0; j < 2; j++) {
        const double length = sqrt(parts[j][0] * parts[j][0] + parts[j][1] * parts[j][1] + 1);
        sum[0] += parts[j][0] / length;
        sum[1] += parts[j][1] / length;
        sum[2] += 1.0 / length;
    }
    write_unit(sum, expected);
}

static void expect_smooth(const random_images *images, int i, uint8_t expected[4])
{
    double sum[3] = {0, 0, 0};
    for (int j = 0; j < 9; j++) {
        const int x = (i % SIDE + SIDE + j % 3 - 1) % SIDE;
        const int y = (i / SIDE + SIDE + j / 3 - 1) % SIDE;
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += images->a[y * SIDE + x][axis] - 128.0;
    }
    write_unit(sum, expected);
    expected[3] = images->a[i][3];
}

static void expect_tilted(const random_images *images, int i, uint8_t expected[4])
{
    double normal[3];
    for (int axis = 0; axis < 3; axis++)
        normal[axis] = (images->a[i][axis] - 128.0) / 127.0;
    if (normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2] < 1)
        normal[2] = sqrt(1 - normal[0] * normal[0] - normal[1] * normal[1]);
    for (int axis = 0; axis < 2; axis++)
        normal[axis] += (over(images, i)[axis] - 128.0) / 127.0;
    write_unit(normal, expected);
}

TEST (image_programs_compute_normals) {
    random_images images;
    make_images(&images);
    check_program(&images, "heightmap(a,16)", expect_heights, 1);
    check_program(&images, "smoothnormals(a)", expect_smooth, 1);
    check_program(&images, "addnormals(a,b)", expect_tilted, 1);
    md5_destroy_game(images.game);
}

// Texels 0 0 0 and 128 128 128 are ignored; a texel without other neighbors becomes 128 128 128.
TEST (image_programs_smooth_over_unused_texels) {
    uint8_t file[IMAGE_TGA_HEADER + 8];
    uint8_t texels[8] = {0, 0, 0, 9, 128, 128, 128, 8};
    image_folder source_folder = {.count = 0};
    image_folder_add(&source_folder, "a.tga", file, image_write_tga(file, texels, 2, 1));
    SCOPED_GAME game = open_images(&source_folder, NULL);
    SCOPED_IMAGE image = load_image_text(game, "smoothnormals(a)", NULL, NULL);
    const uint8_t expected[8] = {128, 128, 128, 9, 128, 128, 128, 8};
    CHECK(image && memcmp(image->pixels, expected, 8) == 0);
}

// Values outside the range of floats do not give a useful image, but are safe.
TEST (image_programs_survive_huge_scales) {
    random_images images;
    make_images(&images);
    STRINGS(texts) = {"heightmap(a,1e38)", "scale(a,1e38,1e38,1e38,1e38)",
                      "addnormals(a,heightmap(b,1e38))"};
    for (size_t j = 0; j < COUNT_OF(texts); j++) {
        SCOPED_IMAGE image = load_image_text(images.game, texts[j], NULL, NULL);
        CHECK(image);
    }
    md5_destroy_game(images.game);
}

// -- Programs without a text ----------------------------------------------------------------------

// Opens a game with one file, "a.tga", which contains one texel.
static md5_game *open_texel(image_folder *source_folder)
{
    static const uint8_t texel[4] = {1, 2, 3, 4};
    static uint8_t file[IMAGE_TGA_HEADER + 4];
    *source_folder = (image_folder){.count = 0};
    image_folder_add(source_folder, "a.tga", file, image_write_tga(file, texel, 1, 1));
    return open_images(source_folder, NULL);
}

// The program has a million nested operations, and needs a million images on the stack.
TEST (image_programs_may_be_a_million_deep) {
    enum { DEPTH = 1000000 };
    SCOPED_ARRAY(md5_image_step, steps, 2 * DEPTH - 1);
    image_folder source_folder;
    md5_error error = {0};
    REQUIRE(steps);
    SCOPED_GAME game = open_texel(&source_folder);
    steps[0] = (md5_image_step){.kind = MD5_IMAGE_FILE, .file = "a"};
    for (int i = 1; i < DEPTH; i++)
        steps[i].kind = MD5_IMAGE_INVERT_COLOR;
    const md5_image_program chain = {"", DEPTH, steps};
    md5_image *image = md5_load_image(game, &chain, NULL, &error);
    CHECK(image && image->pixels[0] == 254 && image->pixels[2] == 252 && image->pixels[3] == 4);
    md5_free_image(image);
    for (int i = 0; i < 2 * DEPTH - 1; i++) {
        steps[i].kind = i < DEPTH ? MD5_IMAGE_FILE : MD5_IMAGE_ADD;
        steps[i].file = "a";
    }
    const md5_image_program wide = {"", 2 * DEPTH - 1, steps};
    image = md5_load_image(game, &wide, NULL, &error);
    CHECK(image && image->pixels[0] == 255 && image->pixels[3] == 255);
    md5_free_image(image);
    const md5_image_opts opts = {.allocator = {.limit = 1 << 24}};
    CHECK_FAILS(md5_load_image(game, &wide, &opts, &error), error, MD5_ERROR_MEMORY);
}

static void check_no_tree(const md5_image_step *steps, uint32_t num_steps, const char *message)
{
    const md5_image_program program = {"", num_steps, steps};
    image_folder source_folder;
    md5_error error = {0};
    SCOPED_GAME game = open_texel(&source_folder);
    CHECK_FAILS(md5_load_image(game, &program, NULL, &error), error, MD5_ERROR_SYNTAX);
    CHECK_STRING(error.message, message);
}

// An image program lists the steps of a tree: each step uses the results of the steps before it,
// and only the last result remains. These lists are not trees.
TEST (image_programs_must_be_trees) {
    static const char *const no_tree = "invalid image program: its steps do not form a tree";
    const md5_image_step file = {.kind = MD5_IMAGE_FILE, .file = "a"};
    const md5_image_step pair = {.kind = MD5_IMAGE_ADD};
    const md5_image_step single_step = {.kind = MD5_IMAGE_MAKE_ALPHA};
    const md5_image_step no_name = {.kind = MD5_IMAGE_FILE};
    const md5_image_step two_files[] = {file, file};
    const md5_image_step lone_pair[] = {file, pair};
    check_no_tree(
        NULL, 0, "image program is empty: expected an image name or a function such as addnormals");
    check_no_tree(two_files, 2, no_tree);
    check_no_tree(lone_pair, 2, no_tree);
    check_no_tree(&single_step, 1, no_tree);
    check_no_tree(&no_name, 1, no_tree);
}

// Sides of 12 and 20 texels are reduced to 8 and 16 texels, unless the option to keep the size is
// set.
TEST (image_programs_keep_sizes_if_asked) {
    static uint8_t texels[12 * 20 * 4], file[IMAGE_TGA_HEADER + sizeof texels];
    image_folder source_folder = {.count = 0};
    memset(texels, 77, sizeof texels);
    image_folder_add(&source_folder, "a.tga", file, image_write_tga(file, texels, 12, 20));
    SCOPED_GAME game = open_images(&source_folder, NULL);
    const md5_image_opts opts = {.keep_size = true};
    md5_image *image = load_image_text(game, "heightmap(a,4)", &opts, NULL);
    CHECK(image && image->width == 12 && image->height == 20 && image->pixels[0] == 128);
    md5_free_image(image);
    image = load_image_text(game, "a", NULL, NULL);
    CHECK(image && image->width == 8 && image->height == 16 && image->pixels[0] == 77);
    md5_free_image(image);
}

TEST (image_programs_survive_failure_of_every_allocation) {
    random_images images;
    make_images(&images);
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        const md5_image_opts opts = {.allocator = failure.opts.allocator};
        SCOPED_IMAGE image =
            load_image_text(images.game, "add(addnormals(a,heightmap(b,4)),smoothnormals(a))",
                            &opts, &failure.error);
        CHECK(image || failure.error.status == MD5_ERROR_MEMORY);
    }
    md5_destroy_game(images.game);
}
