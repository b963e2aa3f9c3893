// Images from untrusted sources: valid images of each kind are decoded correctly, and damaged
// images do no harm. MD5_HOSTILE_IMAGES sets the number of damaged images; test/long/images.sh
// tries 100 000 with stb_image and our decoders built with sanitizers.
#include "test/scoped.h"
#include "test/viewer/test_view_image.h"

#include "demo/common/file.h"
#include "demo/looks/image.h"

// Decodes from a block of exactly the file's size, so that sanitizers detect each read past its
// end.
static bool decode(const image_file *file, view_image *image, md5_error *error)
{
    SCOPED uint8_t *const exact = test_copy(file->bytes, file->size);
    const bool is_read = view_decode_image(exact, file->size, MD5_MAX_IMAGE_PIXELS, image, error);
    return is_read;
}

// -- Valid images ---------------------------------------------------------------------------

static bool begins_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

// Returns the tolerance of a sample: 0, or the precision that the format lacks.
static int tolerance(const char *name)
{
    if (begins_with(name, "jpeg"))
        return 24;
    if (strcmp(name, "tga-16") == 0)
        return 8;
    return begins_with(name, "png-gray-") ? 255 >> name[9] % 8 : 0;
}

// Checks a few pixels in the first row, in the last column and between them. Images with a palette
// or with packets have other expected colors.
static void check_pixels(const char *name, const view_image *image, bool is_packed)
{
    static const int pixels_to_check[][2] = {{0, 0}, {9, 0}, {36, 3}, {17, 17}, {1, 28}, {20, 11}};
    for (size_t i = 0; i < sizeof pixels_to_check / sizeof *pixels_to_check; i++) {
        const int x = pixels_to_check[i][0];
        const int y = pixels_to_check[i][1];
        const uint8_t *const rgba = image->rgba + 4 * (y * IMAGE_WIDTH + x);
        if (strstr(name, "palette"))
            CHECK(rgba[0] % 5 == 0 && rgba[3] == 255);
        else if (!is_packed) {
            uint8_t expected[4];
            image_pixel(x, y, expected);
            const bool is_gray = strstr(name, "gray") || strcmp(name, "tga-8") == 0;
            const bool has_alpha = strstr(name, "alpha") || begins_with(name, "png-rgba")
                                   || strcmp(name, "tga-32") == 0;
            for (int j = 0; j < 4; j++) {
                int wanted = expected[is_gray ? 0 : j];
                if (j == 3)
                    wanted = has_alpha ? expected[3] : 255;
                CHECK_THAT(abs(rgba[j] - wanted) <= tolerance(name),
                           "%s: channel %d of %d %d is %d, expected %d", name, j, x, y, rgba[j],
                           wanted);
            }
        }
    }
}

TEST (images_of_each_kind_are_read) {
    image_file file;
    const char *name;
    for (int i = 0; image_make(i, &file, &name); i++) {
        view_image image;
        md5_error error = {0};
        CHECK_THAT(decode(&file, &image, &error), "%s: %s", name, error.message);
        if (image.rgba && CHECK(image.width == IMAGE_WIDTH && image.height == IMAGE_HEIGHT))
            check_pixels(name, &image, begins_with(name, "tga") && i % 2);
        free(image.rgba);
        free(file.bytes);
    }
}

// -- Crafted images -------------------------------------------------------------------------

static void check_refused(const image_file *file, const char *description, const char *word)
{
    view_image image;
    md5_error error = {0};
    const bool is_read = decode(file, &image, &error);
    CHECK_THAT(!is_read && image.rgba == NULL && strstr(error.message, word),
               "%s: %s, expected '%s'", description, is_read ? "is read" : error.message, word);
    free(image.rgba);
}

// Returns the offset of the first occurrence of `bytes` in a file.
static size_t find(const image_file *file, const char *bytes, size_t size)
{
    size_t at = 0;
    while (at + size < file->size && memcmp(file->bytes + at, bytes, size) != 0)
        at++;
    return at;
}

static void insert_segment(image_file *file, int marker, const uint8_t *body, size_t size)
{
    const uint8_t head[4] = {0xff, (uint8_t)marker, (uint8_t)((size + 2) >> 8),
                             (uint8_t)(size + 2)};
    image_append(file, head, sizeof head);
    image_append(file, body, size);
}

// stb_image 2.27 writes 4080 sizes into the 257 entries of its table.
TEST (images_jpeg_table_of_too_many_codes) {
    image_file file = {0};
    uint8_t table[17 + 4080] = {0};
    memset(table + 1, 255, 16);
    image_append(&file, "\xff\xd8", 2);
    insert_segment(&file, 0xc4, table, sizeof table);
    check_refused(&file, "a table of 4080 codes", "Huffman");
    free(file.bytes);
}

// A scan refers to tables that are not defined: stb_image 2.27 decodes with uninitialized memory.
TEST (images_jpeg_without_its_tables) {
    static const uint8_t frame[9] = {8, 0, 16, 0, 16, 1, 1, 0x11, 0};
    static const uint8_t scan[6] = {1, 1, 0x33, 0, 63, 0};
    uint8_t scale[65];
    memset(scale, 1, sizeof scale);
    scale[0] = 0;
    for (int has_scale = 0; has_scale < 2; has_scale++) {
        image_file file = {0};
        image_append(&file, "\xff\xd8", 2);
        if (has_scale)
            insert_segment(&file, 0xdb, scale, sizeof scale);
        insert_segment(&file, 0xc0, frame, sizeof frame);
        insert_segment(&file, 0xda, scan, sizeof scan);
        for (int i = 0; i < 64; i++)
            image_append(&file, "\x5a", 1);
        image_append(&file, "\xff\xd9", 2);
        check_refused(&file, "no tables", has_scale ? "Huffman" : "uantization");
        free(file.bytes);
    }
}

// The data of a scan end early. The file must be rejected, because a decoder could fill the missing
// part with gray.
TEST (images_jpeg_that_ends_early) {
    for (int progressive = 0; progressive < 2; progressive++) {
        image_file file =
            image_make_jpeg((image_jpeg_options){.num_channels = 3, .progressive = progressive});
        const size_t full_size = file.size;
        for (size_t size = full_size - 3; size > 3; size -= 7) {
            file.size = size;
            check_refused(&file, "half a JPEG file",
                          "copy the file again, or save the image again");
        }
        file.size = full_size / 2 + 200 < full_size ? full_size / 2 + 200 : full_size / 2;
        image_append(&file, "\xff\xd9", 2);
        check_refused(&file, "a JPEG file with an early end", " rows of pixels, found ");
        free(file.bytes);
    }
}

// A scan for each coefficient and bit: each takes as long as decoding all pixels, but may have only
// a few bytes.
TEST (images_jpeg_of_many_scans) {
    image_file file = image_make_jpeg((image_jpeg_options){.num_channels = 1, .scan_each_bit = 1});
    check_refused(&file, "hundreds of scans",
                  "JPEG file has too many scans: expected at most 100; save the image again");
    free(file.bytes);
}

// Image sizes above the limit, or too large for the bytes of the file.
TEST (images_of_huge_sizes) {
    image_file jpeg = image_make_jpeg((image_jpeg_options){.num_channels = 3});
    const size_t frame = find(&jpeg, "\xff\xc0", 2) + 5;
    memset(jpeg.bytes + frame, 0xff, 4);
    check_refused(&jpeg, "JPEG of 65535 by 65535", "65");
    memcpy(jpeg.bytes + frame, "\x3f\xff\x3f\xff", 4);
    check_refused(&jpeg, "JPEG of 16383 by 16383", "image is too large: 16383 x 16383 pixels");

    for (int interlaced = 0; interlaced < 2; interlaced++) {
        image_file png = image_make_png(6, 16, interlaced);
        memcpy(png.bytes + 16, "\x7f\xff\xff\xff\x7f\xff\xff\xff", 8);
        check_refused(&png, "PNG of 2147483647 by 2147483647",
                      "image is too large: 2147483647 x 2147483647 pixels");
        memcpy(png.bytes + 16, "\0\0\x20\0\0\0\x20\0", 8);
        check_refused(&png, "PNG of 8192 by 8192 in 8 KB",
                      "truncated PNG: 8192 x 8192 pixels cannot be stored in ");
        free(png.bytes);
    }
    for (int packed = 0; packed < 2; packed++) {
        image_file tga = image_make_tga(32, 0, packed);
        memcpy(tga.bytes + 12, "\xff\xff\xff\xff", 4);
        check_refused(&tga, "TGA of 65535 by 65535", "image is too large: 65535 x 65535 pixels");
        memcpy(tga.bytes + 12, "\0\x20\0\x20", 4);
        check_refused(&tga, "TGA of 8192 by 8192 in 4 KB",
                      "truncated TGA file: expected 67108864 pixels, found ");
        free(tga.bytes);
    }
    free(jpeg.bytes);
}

// Data that unpack to more than an image of one pixel needs. stb_image doubles its buffer of 5
// bytes up to 2 (8 + size) + 65536 bytes: 81920 bytes are allowed from a size of 8184.
TEST (images_png_data_beyond_the_pixels) {
    static const struct bomb {
        size_t num_bytes, size;
        bool is_read;
    } bombs[] = {
        {5, 500, true},       {40000, 4000, true},  {50000, 8184, true},
        {50000, 8183, false}, {90000, 8184, false}, {1 << 23, 60000, false},
    };
    for (size_t i = 0; i < COUNT_OF(bombs); i++) {
        const struct bomb *const bomb = &bombs[i];
        image_file file = image_make_png_bomb(bomb->num_bytes, bomb->size);
        view_image image;
        md5_error error = {0};
        if (!bomb->is_read) {
            check_refused(&file, "a PNG bomb",
                          "invalid PNG: expected the pixels of the image, found more data");
        } else if (CHECK_THAT(decode(&file, &image, &error), "%zu bytes in %zu: %s",
                              bomb->num_bytes, bomb->size, error.message)) {
            CHECK(image.width == 1 && image.height == 1);
            free(image.rgba);
        }
        if (bomb->size < 50000)
            CHECK_UINT(file.size, bomb->size);
        free(file.bytes);
    }
}

// Chunks whose length exceeds the file.
TEST (images_png_chunk_longer_than_the_file) {
    for (int high = 0; high < 256; high += 51) {
        image_file file = image_make_png(2, 8, 0);
        const size_t data = find(&file, "IDAT", 4);
        file.bytes[data - 4] = (uint8_t)high;
        file.bytes[data - 3] = 0xff;
        check_refused(&file, "a PNG chunk longer than the file", "IDAT at byte 33 has length");
        free(file.bytes);
    }
}

// Indices above the size of the palette give black, not adjacent memory.
TEST (images_png_colors_outside_the_palette) {
    image_file file = image_make_png(3, 8, 0);
    const size_t palette = find(&file, "PLTE", 4);
    view_image image;
    md5_error error = {0};
    file.bytes[palette - 1] = 3; // one color; the remaining bytes of the chunk are removed
    memmove(file.bytes + palette + 7, file.bytes + palette + 4 + 48, file.size - palette - 4 - 48);
    file.size -= 45;
    if (CHECK(decode(&file, &image, &error))) {
        const uint8_t black[4] = {0, 0, 0, 255};
        for (int x = 1; x < 16; x++)
            CHECK_BYTES(image.rgba + 4 * x, black, 4);
    }
    free(image.rgba);
    free(file.bytes);
}

TEST (images_of_other_formats_are_rejected) {
    image_file file = {0};
    check_refused(&file, "nothing", "empty");
    image_append(&file, "not a picture, nor anything else", 32);
    check_refused(&file, "text", "unknown image format: expected PNG, JPEG, TGA, PCX or DDS");
    free(file.bytes);
    image_file bmp = {0};
    image_append(&bmp, "BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0\x02\0\0\0\1\0\x18\0",
                 30);
    check_refused(&bmp, "BMP",
                  "unsupported image format: found BMP: expected PNG, JPEG, TGA, PCX or DDS");
    free(bmp.bytes);
}

// -- Damaged images -------------------------------------------------------------------------

STRINGS(models) = {"models/bobbin/bobbin_eye_s.png", "models/lantern/lantern_add.png",
                   "models/lantern/lantern.png"};
enum { NUM_MODELS = sizeof models / sizeof *models, NUM_GENERATED = 64 };

static size_t make_all_images(image_file *files)
{
    size_t count = 0;
    const char *name;
    while (count < NUM_GENERATED && image_make((int)count, &files[count], &name))
        count++;
    for (int i = 0; i < NUM_MODELS; i++) {
        size_t size = 0;
        SCOPED_STRING bytes = test_read_file(test_path(models[i]), &size);
        if (CHECK(bytes)) {
            files[count] = (image_file){0};
            image_append(&files[count++], bytes, size);
        }
    }
    return count;
}

static bool decode_damaged(const image_file *sound, uint64_t *random)
{
    view_image image;
    md5_error error = {0};
    image_file file = {0};
    image_append(&file, sound->bytes, sound->size);
    image_damage(&file, random);
    const bool is_read = decode(&file, &image, &error);
    if (is_read) {
        unsigned sum = 0; // reads each pixel, for sanitizers
        for (size_t i = 0; i < (size_t)image.width * image.height * 4; i++)
            sum += image.rgba[i];
        CHECK(sum <= ~0u && image.width > 0 && image.height > 0);
    } else {
        CHECK(image.rgba == NULL && error.message[0] != '\0');
    }
    free(image.rgba);
    free(file.bytes);
    return is_read;
}

TEST (images_with_random_damage_cause_no_crash) {
    const char *const asked = getenv("MD5_HOSTILE_IMAGES");
    const long count = asked ? strtol(asked, NULL, 10) : 4000;
    image_file files[NUM_GENERATED + NUM_MODELS];
    const size_t num_files = make_all_images(files);
    uint64_t random = 1;
    long num_read = 0;
    REQUIRE(num_files > 0);
    for (long i = 0; i < count; i++)
        num_read += decode_damaged(&files[(size_t)i % num_files], &random);
    // Between 10 % and 90 % of the images are still readable, so the damage is neither too heavy
    // nor too light.
    CHECK_THAT(num_read > count / 10 && num_read < count * 9 / 10,
               "%ld of %ld damaged pictures are read", num_read, count);
    if (asked)
        printf("note: %ld of %ld damaged pictures are read\n", num_read, count);
    for (size_t i = 0; i < num_files; i++)
        free(files[i].bytes);
}

// The seeds and the corpus of the fuzzers must be decoded or refused without a crash.
TEST (images_of_fuzzers_cause_no_crash) {
    STRINGS(folders) = {"test/fuzz/seeds/image", "test/fuzz/corpus/image"};
    for (int i = 0; i < 2; i++) {
        common_list files = common_list_folder(test_path(folders[i]), "");
        CHECK(files.count > 0);
        for (size_t j = 0; j < files.count; j++) {
            size_t size = 0;
            SCOPED_STRING bytes = test_read_file(files.names[j], &size);
            image_file file = {0};
            if (CHECK(bytes))
                image_append(&file, bytes, size);
            view_image image;
            md5_error error = {0};
            CHECK(decode(&file, &image, &error) == (image.rgba != NULL));
            free(image.rgba);
            free(file.bytes);
        }
        common_free_list(&files);
    }
}

// Each file is cut off at each of its first 64 bytes, then in steps of about 1/64 of its length.
TEST (images_cut_off_anywhere) {
    image_file file;
    const char *name;
    for (int i = 0; image_make(i, &file, &name); i++) {
        const size_t full_size = file.size;
        for (size_t size = 0; size < full_size; size += 1 + size / 64) {
            view_image image;
            md5_error error = {0};
            file.size = size;
            if (!decode(&file, &image, &error))
                CHECK(image.rgba == NULL && error.message[0] != '\0');
            free(image.rgba);
        }
        free(file.bytes);
    }
}
