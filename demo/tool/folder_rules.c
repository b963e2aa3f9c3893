// Checks the files in the folder of a file, as engines use them: replaced models, clips, images.
#include "demo/tool/tool.h"

// Files of Quake's and Quake II's engines that MD5 models replace.
static const struct {
    const char *folder;
    const char *extension;
    const char *magic;
    size_t offset; // of the number of frames in the header
} replaced[] = {{"", ".mdl", "IDPO", 68}, {"", ".md2", "IDP2", 40}, {"../", ".md2", "IDP2", 40}};
enum { NUM_REPLACED = COMMON_LENGTH(replaced) };

char *tool_find_replaced(const md5_game *game, const char *path)
{
    char *found = NULL;
    for (int i = 0; i < NUM_REPLACED && !found; i++)
        found = tool_find_sibling(game, path, replaced[i].folder, replaced[i].extension);
    return found;
}

// Returns the number of frames of the model that a clip's model replaces, or 0.
static int32_t count_replaced_frames(md5_game *game, const char *path)
{
    size_t size = 0;
    int32_t frames = 0;
    char *const file = tool_find_replaced(game, path);
    char *const bytes = file ? tool_read_file(game, file, &size) : NULL;
    if (bytes) {
        for (int i = 0; i < NUM_REPLACED; i++)
            if (size >= replaced[i].offset + 4 && memcmp(bytes, replaced[i].magic, 4) == 0)
                for (int k = 0; k < 3; k++) // 24 bits: no model has more frames
                    frames |= (int32_t)(unsigned char)bytes[replaced[i].offset + (size_t)k]
                              << 8 * k;
    }
    free(bytes);
    free(file);
    return frames;
}

void tool_check_folder(md5_game *game, md5_check *file_check)
{
    static const char *const images[] = {"png", "tga", "jpg", "pcx", "lmp"};
    if (file_check->kind == MD5_DOC_ANIM) {
        const int32_t frames = count_replaced_frames(game, file_check->file);
        if (frames > file_check->num_frames)
            tool_add_violation(file_check, "fewer-frames", 1,
                               "%d frames, but the replaced model has %d frames",
                               file_check->num_frames, frames);
        return;
    }
    char *const folder = common_folder(file_check->file);
    char *const stem = common_stem(file_check->file);
    const bool is_of_quake = strcmp(common_base(folder), "progs") == 0;
    size_t work = 1 << 24; // for suggestions
    if (is_of_quake && !tool_has_sibling(game, file_check->file, "", ".md5anim"))
        tool_add_violation(file_check, "no-clip", 1, "missing file %.100s.md5anim", stem);
    for (uint32_t i = 0; i < file_check->num_shaders; i++) {
        char *found = is_of_quake
                          ? NULL
                          : tool_find_texture(game, file_check->file, file_check->shaders[i].name);
        for (size_t k = 0; k < COMMON_LENGTH(images) && is_of_quake && !found; k++) {
            char *const name =
                common_format("%s_00_00.%s", common_base(file_check->shaders[i].name), images[k]);
            found = tool_find_sibling(game, file_check->file, name, NULL);
            free(name);
        }
        if (found)
            tool_check_image(game, file_check, found);
        else if (is_of_quake) {
            const char *const name = file_check->shaders[i].name;
            char *const missing = common_format("%s/%s_00_00", folder, common_base(name));
            char *const nearest = tool_near_image(game, missing, &work);
            tool_add_violation(file_check, "no-skin", file_check->shaders[i].line,
                               nearest ? "image not found: %.100s_00_00: did you mean '%.150s'?"
                                       : "image not found: %.100s_00_00",
                               name, nearest);
            free(nearest);
            free(missing);
        }
        free(found);
    }
    free(folder);
    free(stem);
}
