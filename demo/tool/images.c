// Finds the images of models, reads their headers, and reports images that engines reject.
//
// The rules are those of the image loaders of dhewm3 (Image_files.cpp, Image_load.cpp),
// RBDOOM-3-BFG 218f7ff7, Ironwail 8fca359e, vkQuake 009c959 and q2pro 050f260c.
#include "demo/tool/tool.h"

// -- Headers --------------------------------------------------------------------------------------

static uint32_t read_big_endian(const uint8_t *bytes, int count)
{
    uint32_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

// Returns true if a segment is the header of a frame (SOF0 to SOF15). Three values of this range
// are other segments.
static bool is_frame_header(uint8_t marker)
{
    enum { SOF0 = 0xC0, DHT = 0xC4, JPG = 0xC8, DAC = 0xCC, SOF15 = 0xCF };
    if (marker == DHT || marker == JPG || marker == DAC)
        return false;
    return marker >= SOF0 && marker <= SOF15;
}

// Reads the size of a JPEG file from the header of its frame, which follows other segments.
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
        at += MARKER_SIZE + (size_t)read_big_endian(segment + 2, 2);
    }
    return false;
}

static tool_image read_png(const uint8_t *bytes)
{
    static const uint8_t channels[] = {1, 0, 3, 1, 2, 0, 4}; // by color type
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

// Reads an image of Quake, whose width and height are at an offset.
static tool_image read_quake_image(const char *kind, const uint8_t *bytes, size_t offset)
{
    return (tool_image){
        .kind = kind,
        .width = common_read_little_endian(bytes + offset, 4),
        .height = common_read_little_endian(bytes + offset + 4, 4),
        .bits = 8,
    };
}

// Reads the header of an image. Some formats are recognized by their first bytes, the others by the
// extension of their file. The file must contain the complete header. Returns false for other
// files.
static bool read_header(const char *path, const uint8_t *bytes, size_t size, tool_image *image)
{
    if (size >= 26 && memcmp(bytes, "\x89PNG\r\n\x1A\n", 8) == 0)
        *image = read_png(bytes);
    else if (size >= 92 && memcmp(bytes, "DDS ", 4) == 0)
        *image = read_dds(bytes);
    else if (size >= 2 && bytes[0] == 0xFF && bytes[1] == 0xD8)
        return read_jpeg(bytes, size, image);
    else if (size >= 128 && bytes[0] == 10 && common_has_suffix(path, ".pcx"))
        *image = read_pcx(bytes);
    else if (size >= 18 && common_has_suffix(path, ".tga"))
        *image = read_tga(bytes);
    else if (size >= 100 && common_has_suffix(path, ".wal"))
        *image = read_quake_image("WAL", bytes, 32);
    else if (size >= 8 && common_has_suffix(path, ".lmp"))
        *image = read_quake_image("LMP", bytes, 0);
    else
        return false;
    return true;
}

// Returns the start of a file, or the whole file if it is in a game. The caller frees the bytes.
// *size is 0 if the file cannot be read.
static uint8_t *read_start(md5_game *game, const char *path, size_t *size)
{
    enum { MAX_SIZE = 1 << 17 }; // JPEG files may contain many bytes before their size
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

bool tool_read_image(md5_game *game, const char *path, tool_image *image)
{
    size_t size = 0;
    uint8_t *const bytes = read_start(game, path, &size);
    const bool is_read = bytes && read_header(path, bytes, size, image);
    free(bytes);
    return is_read;
}

// -- Search ---------------------------------------------------------------------------------------

static const char *const extensions[] = {"",      ".tga", ".png", ".jpg",
                                         ".jpeg", ".dds", ".pcx", ".wal"};
enum { NUM_EXTENSIONS = COMMON_LENGTH(extensions) };

// Returns the path if it is a file. Otherwise frees it and returns NULL.
static char *find_file(const md5_game *game, char *path)
{
    if (tool_is_file(game, path))
        return path;
    free(path);
    return NULL;
}

// Returns FOLDER/NAME with one of the extensions, or NULL. The extension is appended or replaces
// the extension of the name.
static char *find_in(const md5_game *game, const char *folder, const char *name)
{
    char *const path = common_join(folder, name);
    char *const path_folder = common_folder(path);
    const char *const dot = strrchr(common_base(name), '.');
    const int whole_length = (int)strlen(path);
    const int stem_length = whole_length - (dot ? (int)strlen(dot) : 0);
    // Search a subfolder only if it exists, which saves system calls.
    const bool may_exist = game || common_base(name) == name || common_is_folder(path_folder);
    char *found = NULL;
    for (int i = 0; i < NUM_EXTENSIONS && may_exist && !found; i++) {
        found = find_file(game, common_format("%.*s%s", whole_length, path, extensions[i]));
        if (!found && dot && i > 0)
            found = find_file(game, common_format("%.*s%s", stem_length, path, extensions[i]));
    }
    free(path_folder);
    free(path);
    return found;
}

// Returns the file name of a path without the extension of an image. *is_image is true if it has
// one.
static char *image_stem(const char *path, bool *is_image)
{
    char *const stem = common_copy(common_base(path));
    *is_image = false;
    for (int i = 1; i < NUM_EXTENSIONS && !*is_image; i++) {
        *is_image = common_has_suffix(stem, extensions[i]);
        if (*is_image)
            stem[strlen(stem) - strlen(extensions[i])] = '\0';
    }
    return stem;
}

// Compares an image with a wrong path: with the same name in any folder, or a similar name in the
// same folder. nearest->name is then the path of the image, not its stem.
static void compare_image(tool_nearest *nearest, const char *wrong_folder, const char *wrong_stem,
                          const char *name)
{
    const size_t best = nearest->name ? nearest->distance : SIZE_MAX;
    bool is_image = false;
    char *const stem = image_stem(name, &is_image);
    char *const folder = common_folder(name);
    const bool has_same_name = common_compare_case(stem, wrong_stem) == 0;
    const bool is_in_folder = common_compare_case(folder, wrong_folder) == 0;
    if (is_image && has_same_name) // also if the names differ in case
        tool_compare_name(nearest, wrong_stem, wrong_stem);
    else if (is_image && is_in_folder)
        tool_compare_name(nearest, wrong_stem, stem);
    if (nearest->name && nearest->distance < best)
        nearest->name = name;
    free(folder);
    free(stem);
}

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

char *tool_find_texture(const md5_game *game, const char *model, const char *shader)
{
    enum { MAX_FOLDERS = 8, MAX_LENGTH = 1000 };
    if (shader[0] == '\0' || strlen(shader) > MAX_LENGTH)
        return NULL;

    char *folder = common_folder(model);
    char *found = find_in(game, folder, common_base(shader));
    // A path of a game is relative to this folder or to one of its parents.
    const bool is_path = common_base(shader) != shader && !common_is_absolute(shader);

    for (int i = 0; i < MAX_FOLDERS && !found && is_path; i++) {
        found = find_in(game, folder, shader);
        if (strcmp(folder, ".") == 0)
            break;
        char *const above = common_folder(folder);
        free(folder);
        folder = above;
    }
    free(folder);
    return found;
}

// -- Rules ----------------------------------------------------------------------------------------

static bool is_power_of_two(uint32_t side)
{
    return side > 0 && (side & (side - 1)) == 0;
}

// Returns true if engines read TGA files of this type: colors (2; 10 with run lengths) or gray (3).
static bool is_tga_supported(uint32_t type, uint32_t bits)
{
    const bool is_24_or_32 = bits == 24 || bits == 32;
    const bool is_color = (type == 2 || type == 10) && is_24_or_32;
    const bool is_gray = type == 3 && (bits == 8 || is_24_or_32);
    return is_color || is_gray;
}

void tool_check_image(md5_game *game, md5_check *file_check, const char *path)
{
    tool_image image;
    if (!tool_read_image(game, path, &image))
        return;

    const char *const name = common_base(path);
    const uint32_t type = image.type;
    const uint32_t bits = image.bits;
    const bool is_tga = strcmp(image.kind, "TGA") == 0;
    const bool is_pcx = strcmp(image.kind, "PCX") == 0;
    const bool is_jpeg = strcmp(image.kind, "JPEG") == 0;

    if (is_tga && !is_tga_supported(type, bits))
        tool_add_violation(file_check, "tga-kind", 0,
                           "%.80s: TGA type %u%s with %u bits per pixel is not supported: expected "
                           "type 2 or 10 with 24 or 32 bits, or type 3 with 8, 24 or 32 bits",
                           name, type & 255, type > 255 ? " and a color map" : "", bits);
    if (is_pcx && bits != 8)
        tool_add_violation(file_check, "pcx-kind", 0,
                           "%.80s: PCX with %u bits per pixel is not supported: expected 8 bits",
                           name, bits);
    else if (is_pcx && type != 1)
        tool_add_violation(file_check, "pcx-kind", 0,
                           "%.80s: this kind of PCX is not supported: expected version 5 with run "
                           "lengths",
                           name);

    const bool has_good_sides = is_power_of_two(image.width) && is_power_of_two(image.height);
    if ((is_tga || is_jpeg) && !has_good_sides)
        tool_add_violation(file_check, "image-sides", 0,
                           "%.80s: the image is %u x %u: expected powers of two", name, image.width,
                           image.height);
}
