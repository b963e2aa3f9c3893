// Finds the images of models, reads their headers, and reports images that engines reject.
//
// The rules follow the image loaders of dhewm3 (Image_files.cpp, Image_load.cpp), RBDOOM-3-BFG
// 218f7ff7, Ironwail 8fca359e, vkQuake 009c959 and q2pro 050f260c.
#include "demo/looks/look.h"
#include "demo/tool/tool.h"

// -- Headers --------------------------------------------------------------------------------------

// Returns the big-endian number in `count` bytes, at most 4.
static uint32_t read_big_endian(const uint8_t *bytes, int count)
{
    uint32_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

// Returns true if a marker begins the header of a JPEG frame (SOF0 to SOF15). Three markers in this
// range have another meaning.
static bool is_frame_header(uint8_t marker)
{
    enum { SOF0 = 0xC0, DHT = 0xC4, JPG = 0xC8, DAC = 0xCC, SOF15 = 0xCF };
    if (marker == DHT || marker == JPG || marker == DAC)
        return false;
    return marker >= SOF0 && marker <= SOF15;
}

// Reads the size of a JPEG image from the header of its frame. Other segments, such as metadata,
// may precede this header. Each segment begins with a marker and its length.
static bool read_jpeg(const uint8_t *bytes, size_t size, tool_image *image)
{
    enum { SIGNATURE_SIZE = 2, MARKER_SIZE = 2, MIN_FRAME_HEADER = 10 };
    size_t at = SIGNATURE_SIZE;
    while (at + MIN_FRAME_HEADER <= size && bytes[at] == 0xFF) {
        const uint8_t *const segment = bytes + at;
        const uint8_t marker = segment[1];
        if (is_frame_header(marker)) {
            const uint32_t bits_per_channel = segment[4];
            const uint32_t num_channels = segment[9];
            *image = (tool_image){
                .kind = "JPEG",
                .width = read_big_endian(segment + 7, 2),
                .height = read_big_endian(segment + 5, 2),
                .bits = bits_per_channel * num_channels,
                .type = marker,
            };
            return true;
        }
        // The length of a segment includes its two bytes, but not the marker.
        at += MARKER_SIZE + (size_t)read_big_endian(segment + 2, 2);
    }
    return false;
}

// Reads the first chunk of a PNG file, IHDR: width, height, bits per channel and color type, from
// byte 16 on.
static tool_image read_png(const uint8_t *bytes)
{
    static const uint8_t channels[] = {1, 0, 3, 1, 2, 0, 4}; // by color type; 0: invalid
    const uint8_t bits_per_channel = bytes[24];
    const uint8_t color_type = bytes[25];
    const uint32_t num_channels = color_type < COMMON_LENGTH(channels) ? channels[color_type] : 0;
    return (tool_image){
        .kind = "PNG",
        .width = read_big_endian(bytes + 16, 4),
        .height = read_big_endian(bytes + 20, 4),
        .bits = bits_per_channel * num_channels,
        .type = color_type,
    };
}

// Reads the header of a DDS file. Its pixel format contains the four characters of a compression
// method, or the bits per pixel.
static tool_image read_dds(const uint8_t *bytes)
{
    return (tool_image){
        .kind = "DDS",
        .width = common_read_little_endian(bytes + 16, 4),
        .height = common_read_little_endian(bytes + 12, 4),
        .bits = common_read_little_endian(bytes + 88, 4),
        .type = common_read_little_endian(bytes + 84, 4),
    };
}

// Reads the header of a PCX file, which contains the corners of the image instead of its size.
static tool_image read_pcx(const uint8_t *bytes)
{
    const uint32_t min_x = common_read_little_endian(bytes + 4, 2);
    const uint32_t min_y = common_read_little_endian(bytes + 6, 2);
    const uint32_t max_x = common_read_little_endian(bytes + 8, 2);
    const uint32_t max_y = common_read_little_endian(bytes + 10, 2);
    const bool is_version_5 = bytes[1] == 5;
    const bool has_run_lengths = bytes[2] == 1;
    const uint32_t bits_per_plane = bytes[3];
    const uint32_t num_planes = bytes[65];
    return (tool_image){
        .kind = "PCX",
        .width = max_x - min_x + 1,
        .height = max_y - min_y + 1,
        .bits = bits_per_plane * num_planes,
        .type = is_version_5 && has_run_lengths,
    };
}

// Reads the header of a TGA file. Byte 1 is 1 if the file contains a color map.
static tool_image read_tga(const uint8_t *bytes)
{
    const uint32_t has_color_map = bytes[1];
    return (tool_image){
        .kind = "TGA",
        .width = common_read_little_endian(bytes + 12, 2),
        .height = common_read_little_endian(bytes + 14, 2),
        .bits = bytes[16],
        .type = bytes[2] | has_color_map << 8,
    };
}

// Reads the header of a Quake image, which has 8 bits per pixel. Its width and height are at
// `offset`.
static tool_image read_quake_image(const char *kind, const uint8_t *bytes, size_t offset)
{
    return (tool_image){
        .kind = kind,
        .width = common_read_little_endian(bytes + offset, 4),
        .height = common_read_little_endian(bytes + offset + 4, 4),
        .bits = 8,
    };
}

// Reads the header of an image. A format with a signature is recognized by the signature, another
// format by the extension of the file. Returns false if the format is unknown, or if the header is
// incomplete.
static bool read_header(const char *path, const uint8_t *bytes, size_t size, tool_image *image)
{
    // The number of bytes that must be present to read each header.
    enum {
        PNG_HEADER = 26,
        DDS_HEADER = 92,
        JPEG_HEADER = 2,
        PCX_HEADER = 128,
        TGA_HEADER = 18,
        WAL_HEADER = 100,
        LMP_HEADER = 8,
    };
    enum { PCX_SIGNATURE = 10, WAL_SIZE_OFFSET = 32, LMP_SIZE_OFFSET = 0 };
    if (size >= PNG_HEADER && memcmp(bytes, "\x89PNG\r\n\x1A\n", 8) == 0)
        *image = read_png(bytes);
    else if (size >= DDS_HEADER && memcmp(bytes, "DDS ", 4) == 0)
        *image = read_dds(bytes);
    else if (size >= JPEG_HEADER && memcmp(bytes, "\xFF\xD8", 2) == 0)
        return read_jpeg(bytes, size, image);
    else if (size >= PCX_HEADER && bytes[0] == PCX_SIGNATURE && common_has_suffix(path, ".pcx"))
        *image = read_pcx(bytes);
    else if (size >= TGA_HEADER && common_has_suffix(path, ".tga"))
        *image = read_tga(bytes);
    else if (size >= WAL_HEADER && common_has_suffix(path, ".wal"))
        *image = read_quake_image("WAL", bytes, WAL_SIZE_OFFSET);
    else if (size >= LMP_HEADER && common_has_suffix(path, ".lmp"))
        *image = read_quake_image("LMP", bytes, LMP_SIZE_OFFSET);
    else
        return false;
    return true;
}

// Returns bytes from the start of a file, which contain the header of an image. Files on disk are
// read up to a limit, and files in a game completely. *size is 0 if the file cannot be read. The
// caller frees the bytes.
static uint8_t *read_start(md5_game *game, const char *path, size_t *size)
{
    enum { MAX_SIZE = 1 << 17 }; // bytes; metadata before the size of a JPEG image may be long
    *size = 0;
    if (game)
        return (uint8_t *)tool_read_file(game, path, size);
    uint8_t *const bytes = common_alloc(MAX_SIZE, 1);
    FILE *const file = common_is_file(path) ? fopen(path, "rb") : NULL;
    if (file) {
        *size = fread(bytes, 1, MAX_SIZE, file);
        fclose(file);
    }
    return bytes;
}

// Reads the format and the size of an image from its header. Returns false if the file cannot be
// read or its format is unknown.
bool tool_read_image(md5_game *game, const char *path, tool_image *image)
{
    size_t size = 0;
    uint8_t *const bytes = read_start(game, path, &size);
    const bool is_read = bytes && read_header(path, bytes, size, image);
    free(bytes);
    return is_read;
}

// -- Search ---------------------------------------------------------------------------------------

// Returns an extension of images, or NULL after the last one. They are in the order in which they
// are tried: first the extensions that the renderer tries, then the extensions of Quake's images.
static const char *image_extension(size_t index)
{
    static const char *const quake_extensions[] = {".pcx", ".wal"};
    const char *const *extension = md5gl_image_extensions();
    size_t num_before = 0;
    for (; *extension; extension++) {
        if (num_before == index)
            return *extension;
        num_before++;
    }
    const size_t quake_index = index - num_before;
    return quake_index < COMMON_LENGTH(quake_extensions) ? quake_extensions[quake_index] : NULL;
}

// Returns the path if it is a file. Otherwise frees the path and returns NULL.
static char *find_file(const md5_game *game, char *path)
{
    if (tool_is_file(game, path))
        return path;
    free(path);
    return NULL;
}

// Returns the file PATH with an extension, which is appended or replaces the extension of the path;
// or NULL. `stem_length` is the length of the path without its extension.
static char *find_with_extension(const md5_game *game, const char *path, size_t stem_length,
                                 const char *extension)
{
    char *const found = find_file(game, common_format("%s%s", path, extension));
    const bool has_extension = path[stem_length] != '\0';
    const bool can_replace = has_extension && extension[0] != '\0';
    if (found || !can_replace)
        return found;
    return find_file(game, common_format("%.*s%s", (int)stem_length, path, extension));
}

// Returns the first file FOLDER/NAME with one of the extensions, or NULL. The caller frees the
// result.
static char *find_in(const md5_game *game, const char *folder, const char *name)
{
    char *const path = common_join(folder, name);
    char *const path_folder = common_folder(path);
    const char *const dot = strrchr(common_base(name), '.');
    const size_t stem_length = strlen(path) - (dot ? strlen(dot) : 0);
    // If a subfolder in a name does not exist on disk, none of its files does. Checking the folder
    // first saves a system call for each extension.
    const bool is_in_subfolder = common_base(name) != name;
    const bool may_exist = game || !is_in_subfolder || common_is_folder(path_folder);
    char *found = NULL;
    if (may_exist) {
        found = find_with_extension(game, path, stem_length, "");
        for (size_t i = 0; image_extension(i) && !found; i++)
            found = find_with_extension(game, path, stem_length, image_extension(i));
    }
    free(path_folder);
    free(path);
    return found;
}

// Returns the file name of a path. If it has the extension of an image, the extension is removed
// and *is_image is true. The caller frees the name.
static char *image_stem(const char *path, bool *is_image)
{
    char *const stem = common_copy(common_base(path));
    *is_image = false;
    for (size_t i = 0; image_extension(i) && !*is_image; i++) {
        const char *const extension = image_extension(i);
        *is_image = common_has_suffix(stem, extension);
        if (*is_image)
            stem[strlen(stem) - strlen(extension)] = '\0';
    }
    return stem;
}

// Compares a file with the path of an image that does not exist. Candidates are images with the
// same name in any folder, and images with a similar name in the folder of the path. If the file is
// the best candidate so far, stores its path in nearest->name.
static void compare_image(tool_nearest *nearest, const char *wrong_folder, const char *wrong_stem,
                          const char *name)
{
    const size_t best = nearest->name ? nearest->distance : SIZE_MAX;
    bool is_image = false;
    char *const stem = image_stem(name, &is_image);
    char *const folder = common_folder(name);
    const bool has_same_name = common_compare_case(stem, wrong_stem) == 0;
    const bool is_in_folder = common_compare_case(folder, wrong_folder) == 0;
    if (is_image && has_same_name) // distance 0, even if the case differs
        tool_compare_name(nearest, wrong_stem, wrong_stem);
    else if (is_image && is_in_folder)
        tool_compare_name(nearest, wrong_stem, stem);

    // tool_compare_name() has stored a stem, which is freed below. Replace it by the path of the
    // file.
    const bool is_nearest = nearest->name && nearest->distance < best;
    if (is_nearest)
        nearest->name = name;
    free(folder);
    free(stem);
}

// Compares the path with all files of the game or, on disk, with the files of its folder. Listing a
// file counts as one comparison.
char *tool_near_image(const md5_game *game, const char *path, size_t *work)
{
    bool is_image = false;
    char *const stem = image_stem(path, &is_image);
    char *const folder = common_folder(path);
    common_list files = {0};
    if (!game)
        files = common_list_folder(folder, "");
    const size_t count = game ? md5_game_num_files(game) : files.count;
    tool_nearest nearest = {.work = *work > count ? *work - count : 0};

    for (size_t i = 0; i < count && nearest.work > 0; i++) {
        const char *const name = game ? md5_game_file(game, i) : files.names[i];
        compare_image(&nearest, folder, stem, name);
    }

    char *const copy = common_copy(nearest.name);
    *work = nearest.work;
    common_free_list(&files);
    free(folder);
    free(stem);
    return copy;
}

// Searches first for the file name of the shader in the folder of the model. Then searches for the
// path of the shader in this folder and in the folders above it. At most MAX_FOLDERS folders are
// searched, to limit the time.
char *tool_find_texture(const md5_game *game, const char *model, const char *shader)
{
    enum { MAX_FOLDERS = 8, MAX_LENGTH = 1000 };
    if (shader[0] == '\0' || strlen(shader) > MAX_LENGTH)
        return NULL;

    // Exporters often write the path of the author's machine, while the image is next to the model.
    char *folder = common_folder(model);
    char *found = find_in(game, folder, common_base(shader));

    // A path of a game is relative to the game's folder, which is this folder or one of its
    // parents.
    const bool is_path = common_base(shader) != shader && !common_is_absolute(shader);

    for (int i = 0; i < MAX_FOLDERS && !found && is_path; i++) {
        found = find_in(game, folder, shader);
        if (strcmp(folder, ".") == 0)
            break;
        char *const parent = common_folder(folder);
        free(folder);
        folder = parent;
    }
    free(folder);
    return found;
}

// -- Rules ----------------------------------------------------------------------------------------

// Returns true if only one bit of a side is set.
static bool is_power_of_two(uint32_t side)
{
    return side > 0 && (side & (side - 1)) == 0;
}

// Returns true if engines read TGA files of this type: colors (type 2, or type 10 with run lengths)
// or gray (type 3).
static bool is_tga_supported(uint32_t type, uint32_t bits)
{
    const bool is_24_or_32 = bits == 24 || bits == 32;
    const bool is_color = (type == 2 || type == 10) && is_24_or_32;
    const bool is_gray = type == 3 && (bits == 8 || is_24_or_32);
    return is_color || is_gray;
}

// Adds a violation if engines reject the number of bits or the type of an image.
static void check_image_format(md5_check *file_check, uint32_t line, const char *name,
                               const tool_image *image)
{
    const uint32_t type = image->type;
    const uint32_t bits = image->bits;
    const bool is_tga = strcmp(image->kind, "TGA") == 0;
    const bool is_pcx = strcmp(image->kind, "PCX") == 0;
    if (is_tga && !is_tga_supported(type, bits))
        tool_add_violation(file_check, "tga-kind", line,
                           "%.80s: TGA type %u%s with %u bits per pixel is not supported: expected "
                           "type 2 or 10 with 24 or 32 bits, or type 3 with 8, 24 or 32 bits",
                           name, type & 255, type > 255 ? " and a color map" : "", bits);
    if (is_pcx && bits != 8)
        tool_add_violation(file_check, "pcx-kind", line,
                           "%.80s: PCX with %u bits per pixel is not supported: expected 8 bits",
                           name, bits);
    else if (is_pcx && type != 1)
        tool_add_violation(file_check, "pcx-kind", line,
                           "%.80s: this kind of PCX is not supported: expected version 5 with run "
                           "lengths",
                           name);
}

// Adds a violation for each property of an image that engines reject, at a line of the checked
// file. Files of unknown formats have no violations.
void tool_check_image(md5_game *game, md5_check *file_check, uint32_t line, const char *path)
{
    tool_image image;
    if (!tool_read_image(game, path, &image))
        return;

    const char *const name = common_base(path);
    check_image_format(file_check, line, name, &image);
    const bool needs_power_of_two =
        strcmp(image.kind, "TGA") == 0 || strcmp(image.kind, "JPEG") == 0;
    const bool has_good_sides = is_power_of_two(image.width) && is_power_of_two(image.height);
    if (needs_power_of_two && !has_good_sides)
        tool_add_violation(file_check, "image-sides", line,
                           "%.80s: wrong image size: expected powers of two, found %u x %u texels",
                           name, image.width, image.height);
}
