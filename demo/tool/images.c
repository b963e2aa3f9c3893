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

// Reads the size of a JPEG file, which is in the segment that begins its frame, after other
// segments.
static bool read_jpeg(const uint8_t *bytes, size_t size, tool_image *image)
{
    for (size_t at = 2; at + 10 <= size && bytes[at] == 0xFF;) {
        const uint8_t marker = bytes[at + 1];
        const bool is_table = marker == 0xC4 || marker == 0xC8 || marker == 0xCC;
        const bool is_frame = marker >= 0xC0 && marker <= 0xCF && !is_table;
        if (is_frame) {
            *image = (tool_image){"JPEG", read_big_endian(bytes + at + 7, 2),
                                  read_big_endian(bytes + at + 5, 2),
                                  (uint32_t)bytes[at + 4] * bytes[at + 9], marker};
            return true;
        }
        at += 2 + (size_t)read_big_endian(bytes + at + 2, 2);
    }
    return false;
}

bool tool_read_image(md5_game *game, const char *path, tool_image *image)
{
    enum { HEADER_SIZE = 1 << 17 }; // JPEG files may contain many bytes before their size
    static const uint8_t channels[] = {1, 0, 3, 1, 2, 0, 4}; // of PNG files, by color type
    FILE *const file = !game && common_is_file(path) ? fopen(path, "rb") : NULL;
    size_t size = 0;
    char *const packed = game ? tool_read_file(game, path, &size) : NULL;
    uint8_t *const bytes = packed ? (uint8_t *)packed : common_alloc(HEADER_SIZE, 1);
    size = file ? fread(bytes, 1, HEADER_SIZE, file) : size;
    bool is_read = true;
    if (file)
        fclose(file);
    if (size >= 26 && memcmp(bytes, "\x89PNG\r\n\x1A\n", 8) == 0)
        *image = (tool_image){"PNG", read_big_endian(bytes + 16, 4), read_big_endian(bytes + 20, 4),
                              (uint32_t)bytes[24] * (bytes[25] < 7 ? channels[bytes[25]] : 0u),
                              bytes[25]};
    else if (size >= 92 && memcmp(bytes, "DDS ", 4) == 0)
        *image = (tool_image){"DDS", common_read_little_endian(bytes + 16, 4),
                              common_read_little_endian(bytes + 12, 4),
                              common_read_little_endian(bytes + 88, 4),
                              common_read_little_endian(bytes + 84, 4)};
    else if (size >= 2 && bytes[0] == 0xFF && bytes[1] == 0xD8)
        is_read = read_jpeg(bytes, size, image);
    else if (size >= 128 && bytes[0] == 10 && common_has_suffix(path, ".pcx"))
        *image = (tool_image){
            "PCX",
            common_read_little_endian(bytes + 8, 2) - common_read_little_endian(bytes + 4, 2) + 1,
            common_read_little_endian(bytes + 10, 2) - common_read_little_endian(bytes + 6, 2) + 1,
            (uint32_t)bytes[3] * bytes[65], bytes[1] == 5 && bytes[2] == 1};
    else if (size >= 18 && common_has_suffix(path, ".tga"))
        *image = (tool_image){"TGA", common_read_little_endian(bytes + 12, 2),
                              common_read_little_endian(bytes + 14, 2), bytes[16],
                              bytes[2] | (uint32_t)bytes[1] << 8};
    else if (size >= 100 && common_has_suffix(path, ".wal"))
        *image = (tool_image){"WAL", common_read_little_endian(bytes + 32, 4),
                              common_read_little_endian(bytes + 36, 4), 8, 0};
    else if (size >= 8 && common_has_suffix(path, ".lmp"))
        *image = (tool_image){"LMP", common_read_little_endian(bytes, 4),
                              common_read_little_endian(bytes + 4, 4), 8, 0};
    else
        is_read = false;
    free(bytes);
    return is_read;
}

// -- Search ---------------------------------------------------------------------------------------

static const char *const extensions[] = {"",      ".tga", ".png", ".jpg",
                                         ".jpeg", ".dds", ".pcx", ".wal"};
enum { NUM_EXTENSIONS = COMMON_LENGTH(extensions) };

// Returns FOLDER/NAME with one of the extensions, which is appended or replaces the extension of
// the name; or NULL.
static char *find_in(const md5_game *game, const char *folder, const char *name)
{
    const char *const dot = strrchr(common_base(name), '.');
    char *const whole = common_join(folder, name);
    char *const within = common_folder(whole);
    char *found = NULL;
    const bool may_exist = game || common_base(name) == name || common_is_folder(within);
    for (int i = 0; i < NUM_EXTENSIONS && may_exist && !found; i++) {
        const int num_forms = dot && i > 0 ? 2 : 1; // appended, replaced
        for (int form = 0; form < num_forms && !found; form++) {
            const size_t length = strlen(whole) - (form == 1 ? strlen(dot) : 0);
            char *const path = common_format("%.*s%s", (int)length, whole, extensions[i]);
            if (tool_is_file(game, path))
                found = path;
            else
                free(path);
        }
    }
    free(whole);
    free(within);
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

char *tool_near_image(const md5_game *game, const char *path, size_t *work)
{
    bool is_image = false;
    char *const wrong = image_stem(path, &is_image);
    char *const folder = common_folder(path);
    common_list files = {0};
    if (!game)
        files = common_list_folder(folder, "");
    const size_t count = game ? md5_game_num_files(game) : files.count;
    const char *found = NULL;
    tool_nearest nearest = {.work = *work > count ? *work - count : 0};
    for (size_t i = 0; i < count && nearest.work > 0; i++) {
        const char *const name = game ? md5_game_file(game, i) : files.names[i];
        const size_t before = found ? nearest.distance : SIZE_MAX;
        char *const stem = image_stem(name, &is_image);
        char *const name_folder = common_folder(name);
        const bool is_same = common_compare_case(stem, wrong) == 0; // in any folder
        const bool is_in_folder = common_compare_case(name_folder, folder) == 0;
        if (is_image && (is_same || is_in_folder))
            tool_compare_name(&nearest, wrong, is_same ? wrong : stem);
        if (nearest.name && nearest.distance < before) {
            nearest.name = name;
            found = name;
        }
        free(name_folder);
        free(stem);
    }
    char *const copy = common_copy(found);
    *work = nearest.work;
    common_free_list(&files);
    free(folder);
    free(wrong);
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

void tool_judge_image(md5_game *game, md5_check *facts, const char *path)
{
    tool_image image;
    if (!tool_read_image(game, path, &image))
        return;
    const char *const name = common_base(path);
    const uint32_t type = image.type;
    const uint32_t bits = image.bits;
    const bool is_24_or_32 = bits == 24 || bits == 32;
    const bool is_color = (type == 2 || type == 10) && is_24_or_32;
    const bool is_gray = type == 3 && (bits == 8 || is_24_or_32);
    if (strcmp(image.kind, "TGA") == 0 && !is_color && !is_gray)
        tool_found(facts, "tga-kind", 0, "%.80s: TGA type %u%s with %u bits per pixel", name,
                   type & 255, type > 255 ? " and a color map" : "", bits);
    if (strcmp(image.kind, "PCX") == 0 && (bits != 8 || type != 1))
        tool_found(facts, "pcx-kind", 0,
                   "%.80s: PCX with %u bits per pixel or an unsupported version", name, bits);
    const bool is_of_id = strcmp(image.kind, "TGA") == 0 || strcmp(image.kind, "JPEG") == 0;
    if (is_of_id && !(is_power_of_two(image.width) && is_power_of_two(image.height)))
        tool_found(facts, "image-sides", 0, "%.80s: %u x %u", name, image.width, image.height);
}
