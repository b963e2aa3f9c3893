#include "demo/viewer/assets/quake.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The .md2 that a model of Quake II stands for, or NULL.
static char *find_md2(const char *path)
{
    char *const folder = common_folder(path), *const absolute = common_absolute(folder);
    char *const above = common_folder(absolute), *const stem = common_stem(path);
    char *const name = common_format("%s.md2", stem);
    char *const found = strcmp(common_base(absolute), "md5") == 0 ? common_find(above, name) : NULL;
    free(folder);
    free(absolute);
    free(above);
    free(stem);
    free(name);
    return found;
}

view_quake view_quake_of(const char *path)
{
    char *const folder = common_folder(path), *const absolute = common_absolute(folder);
    const bool is_progs = strcmp(common_base(absolute), "progs") == 0;
    char *const md2 = is_progs ? NULL : find_md2(path);
    const view_quake quake = is_progs ? VIEW_QUAKE_1 : md2 != NULL ? VIEW_QUAKE_2 : VIEW_QUAKE_NONE;
    free(folder);
    free(absolute);
    free(md2);
    return quake;
}

static uint32_t little_32(const unsigned char *bytes)
{
    return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

// A name in an .md2's list of skins: "models/monsters/x/skin.pcx". The head has their number at
// byte 20 and where they are at byte 44; each takes 64 bytes. NULL if there is none.
static char *find_md2_skin(const char *path, uint32_t skin)
{
    enum { HEAD = 68, NUM_SKINS = 20, SKINS = 44, VERSION = 8, NAME = 64 };
    unsigned char head[HEAD];
    char name[NAME + 1] = "";
    FILE *const file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    const bool is_md2 =
        fread(head, 1, HEAD, file) == HEAD && memcmp(head, "IDP2", 4) == 0
        && little_32(head + 4) == VERSION && little_32(head + NUM_SKINS) > skin
        && little_32(head + SKINS) < 1u << 30
        && fseek(file, (long)little_32(head + SKINS) + (long)skin * NAME, SEEK_SET) == 0
        && fread(name, 1, NAME, file) == NAME && name[0] != '\0';
    fclose(file);
    return is_md2 ? common_stem(name) : NULL;
}

char *view_quake_skin(const char *model_path, const char *shader, uint32_t skin, uint32_t image)
{
    enum { SIZE = 256 };
    const view_quake quake = view_quake_of(model_path);
    if (quake == VIEW_QUAKE_1 && *shader != '\0') {
        char name[SIZE];
        const size_t size =
            md5_quake_image_name(common_base(shader), skin, image, name, sizeof name);
        return size < SIZE ? common_copy(name) : NULL;
    }
    char *const md2 = quake == VIEW_QUAKE_2 ? find_md2(model_path) : NULL;
    char *const found = md2 != NULL && image == 0 ? find_md2_skin(md2, skin) : NULL;
    free(md2);
    return found;
}

void view_quake_rate(const char *path, md5_anim *anim)
{
    const double rate = 10.0;
    if (view_quake_of(path) == VIEW_QUAKE_NONE)
        return;
    anim->frame_rate = rate;
    anim->duration = (anim->num_frames - 1) / rate;
}

md5_scales *view_quake_scales(const char *anim_path, const md5_anim *anim,
                              const md5_load_opts *opts, md5_error *error)
{
    char *const folder = common_folder(anim_path), *const stem = common_stem(anim_path);
    char *const name = common_format("%s.md5scale", stem);
    char *const path = common_find(folder, name);
    *error = (md5_error){.status = MD5_OK};
    md5_scales *const scales = path != NULL ? md5_load_scales(path, anim, opts, error) : NULL;
    free(folder);
    free(stem);
    free(name);
    free(path);
    return scales;
}
