// The images of models: where they are, what their headers say, and which of them engines refuse.
//
// What engines do was read in the image loaders of dhewm3 (Image_files.cpp, Image_load.cpp),
// RBDOOM-3-BFG 218f7ff7, Ironwail 8fca359e, vkQuake 009c959 and q2pro 050f260c.
#include "demo/tool/tool.h"

// -- Headers --------------------------------------------------------------------------------------

static uint32_t big(const uint8_t *bytes, int count)
{
    uint32_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

// The size of a JPEG stands in the segment that begins its frame, behind any number of others.
static bool read_jpeg(const uint8_t *bytes, size_t size, tool_image *image)
{
    for (size_t at = 2; at + 10 <= size && bytes[at] == 0xFF;) {
        const uint8_t marker = bytes[at + 1];
        const bool is_frame =
            marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
        if (is_frame) {
            *image = (tool_image){"JPEG", big(bytes + at + 7, 2), big(bytes + at + 5, 2),
                                  (uint32_t)bytes[at + 4] * bytes[at + 9], marker};
            return true;
        }
        at += 2 + (size_t)big(bytes + at + 2, 2);
    }
    return false;
}

bool tool_read_image(md5_game *game, const char *path, tool_image *image)
{
    enum { HEAD = 1 << 17 }; // JPEGs may have much before their size
    static const uint8_t channels[] = {1, 0, 3, 1, 2, 0, 4}; // of PNGs, by their kind of color
    FILE *const file = !game && common_is_file(path) ? fopen(path, "rb") : NULL;
    size_t size = 0;
    char *const packed = game ? tool_read_file(game, path, &size) : NULL;
    uint8_t *const bytes = packed ? (uint8_t *)packed : common_alloc(HEAD, 1);
    size = file ? fread(bytes, 1, HEAD, file) : size;
    bool is_read = true;
    if (file)
        fclose(file);
    if (size >= 26 && memcmp(bytes, "\x89PNG\r\n\x1A\n", 8) == 0)
        *image = (tool_image){"PNG", big(bytes + 16, 4), big(bytes + 20, 4),
                              (uint32_t)bytes[24] * (bytes[25] < 7 ? channels[bytes[25]] : 0u),
                              bytes[25]};
    else if (size >= 92 && memcmp(bytes, "DDS ", 4) == 0)
        *image = (tool_image){"DDS", common_number(bytes + 16, 4), common_number(bytes + 12, 4),
                              common_number(bytes + 88, 4), common_number(bytes + 84, 4)};
    else if (size >= 2 && bytes[0] == 0xFF && bytes[1] == 0xD8)
        is_read = read_jpeg(bytes, size, image);
    else if (size >= 128 && bytes[0] == 10 && common_has_ending(path, ".pcx"))
        *image = (tool_image){"PCX", common_number(bytes + 8, 2) - common_number(bytes + 4, 2) + 1,
                              common_number(bytes + 10, 2) - common_number(bytes + 6, 2) + 1,
                              (uint32_t)bytes[3] * bytes[65], bytes[1] == 5 && bytes[2] == 1};
    else if (size >= 18 && common_has_ending(path, ".tga"))
        *image = (tool_image){"TGA", common_number(bytes + 12, 2), common_number(bytes + 14, 2),
                              bytes[16], bytes[2] | (uint32_t)bytes[1] << 8};
    else if (size >= 100 && common_has_ending(path, ".wal"))
        *image =
            (tool_image){"WAL", common_number(bytes + 32, 4), common_number(bytes + 36, 4), 8, 0};
    else if (size >= 8 && common_has_ending(path, ".lmp"))
        *image = (tool_image){"LMP", common_number(bytes, 4), common_number(bytes + 4, 4), 8, 0};
    else
        is_read = false;
    free(bytes);
    return is_read;
}

// -- Places ---------------------------------------------------------------------------------------

static const char *const endings[] = {"", ".tga", ".png", ".jpg", ".jpeg", ".dds", ".pcx", ".wal"};
enum { NUM_ENDINGS = COMMON_LENGTH(endings) };

// Returns FOLDER/NAME with one of the endings, also in place of the name's own; or NULL.
static char *find_in(const md5_game *game, const char *folder, const char *name)
{
    const char *const dot = strrchr(common_base(name), '.');
    char *const whole = common_join(folder, name);
    char *const within = common_folder(whole);
    char *found = NULL;
    const bool may_be_there = game || common_base(name) == name || common_is_folder(within);
    for (int i = 0; i < NUM_ENDINGS && may_be_there && !found; i++) {
        for (int is_cut = 0; is_cut < (dot && i > 0 ? 2 : 1) && !found; is_cut++) {
            const size_t length = strlen(whole) - (is_cut ? strlen(dot) : 0);
            char *const path = common_format("%.*s%s", (int)length, whole, endings[i]);
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

// Returns the last part of a path, without the ending of an image; sets whether it has one.
static char *stem_of(const char *path, bool *is_image)
{
    char *const stem = common_copy(common_base(path));
    *is_image = false;
    for (int i = 1; i < NUM_ENDINGS && !*is_image; i++)
        if ((*is_image = common_has_ending(stem, endings[i])))
            stem[strlen(stem) - strlen(endings[i])] = '\0';
    return stem;
}

char *tool_near_image(const md5_game *game, const char *path, size_t *work)
{
    bool is_image = false;
    char *const asked = stem_of(path, &is_image);
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
        char *const stem = stem_of(name, &is_image);
        char *const here = common_folder(name);
        const bool is_same = common_compare_case(stem, asked) == 0; // in any folder
        if (is_image && (is_same || common_compare_case(here, folder) == 0))
            tool_compare_name(&nearest, asked, is_same ? asked : stem);
        if (nearest.name && nearest.distance < before)
            nearest.name = found = name;
        free(here);
        free(stem);
    }
    char *const copy = common_copy(found);
    *work = nearest.work;
    common_free_list(&files);
    free(folder);
    free(asked);
    return copy;
}

char *tool_find_texture(const md5_game *game, const char *model, const char *shader)
{
    enum { MAX_FOLDERS = 8, LONGEST = 1000 };
    if (shader[0] == '\0' || strlen(shader) > LONGEST)
        return NULL;
    char *folder = common_folder(model);
    char *found = find_in(game, folder, common_base(shader));
    // A path as games write it is below this folder or one above.
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
    const bool is_color = (type == 2 || type == 10) && (bits == 24 || bits == 32);
    const bool is_gray = type == 3 && (bits == 8 || bits == 24 || bits == 32);
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
