// What lies beside a file, as engines see it.
#include "demo/common/file.h"
#include "demo/common/text.h"
#include "demo/tool/tool.h"

#include <stdlib.h>
#include <string.h>

// The number of frames of the .mdl of Quake or .md2 of Quake II that a clip's model replaces; 0:
// there is none.
static int32_t frames_of_replaced(const char *path)
{
    static const struct {
        const char *where, *ending, *word;
        size_t at; // of the number in the file's header
    } rows[] = {{"", ".mdl", "IDPO", 68}, {"", ".md2", "IDP2", 40}, {"../", ".md2", "IDP2", 40}};
    char *const folder = common_folder(path), *const stem = common_stem(path);
    int32_t frames = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && frames == 0; i++) {
        char *const name = common_format("%s%s%s", rows[i].where, stem, rows[i].ending);
        char *const file = common_join(folder, name);
        const char *reason = NULL;
        size_t size = 0;
        char *const bytes = common_is_file(file) ? common_read_stream(file, &size, &reason) : NULL;
        if (bytes && size >= rows[i].at + 4 && memcmp(bytes, rows[i].word, 4) == 0)
            for (int k = 0; k < 3; k++) // more than 2^24 are none
                frames |= (int32_t)(unsigned char)bytes[rows[i].at + (size_t)k] << 8 * k;
        free(bytes);
        free(file);
        free(name);
    }
    free(folder);
    free(stem);
    return frames;
}

void tool_judge_place(md5_check *facts)
{
    static const char *const images[] = {"png", "tga", "jpg", "pcx", "lmp"};
    if (facts->kind == MD5_DOC_ANIM) {
        const int32_t frames = frames_of_replaced(facts->file);
        if (frames > facts->num_frames)
            tool_found(facts, "fewer-frames", 1, "%d frames, but the model that is replaced has %d",
                       facts->num_frames, frames);
        return;
    }
    char *const folder = common_folder(facts->file), *const stem = common_stem(facts->file);
    const bool is_of_quake = strcmp(common_base(folder), "progs") == 0;
    if (is_of_quake && !tool_has_sibling(facts->file, stem, ".md5anim"))
        tool_found(facts, "no-clip", 1, "there is no %.100s.md5anim", stem);
    for (size_t i = 0; i < facts->num_shaders; i++) {
        char *found = is_of_quake ? NULL : tool_find_texture(facts->file, facts->shaders[i].name);
        for (size_t k = 0; is_of_quake && k < sizeof images / sizeof images[0] && !found; k++) {
            char *const name =
                common_format("%s_00_00.%s", common_base(facts->shaders[i].name), images[k]);
            found = common_join(folder, name);
            if (!common_is_file(found)) {
                free(found);
                found = NULL;
            }
            free(name);
        }
        if (found)
            tool_judge_image(facts, found);
        else if (is_of_quake)
            tool_found(facts, "no-skin", facts->shaders[i].line, "no image %.100s_00_00",
                       facts->shaders[i].name);
        free(found);
    }
    free(folder);
    free(stem);
}
