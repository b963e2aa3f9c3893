// Skins of the Quake re-release: progs/SHADER_SS_FF, skin SS and image FF of its group.
#include "md5/core/assert.h"
#include "md5/md5dialects.h"

#include <math.h>
#include <stdio.h>

size_t md5_quake_image_name(const char *shader, uint32_t skin, uint32_t image, char *text,
                            size_t size)
{
    MD5_ASSERT(shader != NULL, "shader: not NULL");
    MD5_ASSERT(text != NULL || size == 0, "text: not NULL unless size is 0");
    const int length = snprintf(text, size, "%s_%02u_%02u", shader, skin, image);
    return length > 0 ? (size_t)length : 0;
}

static bool has_any(const char *shader, uint32_t skin, uint32_t image,
                    md5_quake_has_image *has_image, void *user)
{
    enum { FOLDER = 64, ROOM = 1024 };
    static const char *const folders[] = {"", "progs/", "textures/"};
    char name[ROOM], path[FOLDER + ROOM];
    if (md5_quake_image_name(shader, skin, image, name, sizeof name) >= sizeof name)
        return false;
    for (int i = 0; i < 3; i++) {
        (void)snprintf(path, sizeof path, "%s%s", folders[i], name);
        if (has_image(user, path))
            return true;
    }
    return false;
}

void md5_find_quake_skins(const char *shader, md5_quake_has_image *has_image, void *user,
                          md5_quake_skins *skins)
{
    MD5_ASSERT(shader != NULL, "shader: not NULL");
    MD5_ASSERT(has_image != NULL, "has_image: not NULL");
    MD5_ASSERT(skins != NULL, "skins: not NULL");
    skins->num_skins = 0;
    for (uint32_t skin = 0; skin < MD5_QUAKE_MAX_SKINS; skin++) {
        uint32_t count = 0;
        while (count < MD5_QUAKE_MAX_IMAGES && has_any(shader, skin, count, has_image, user))
            count++;
        skins->num_images[skin] = count;
        if (count == 0)
            return;
        skins->num_skins = skin + 1;
    }
}

uint32_t md5_quake_image_at(const md5_quake_skins *skins, uint32_t skin, double time)
{
    MD5_ASSERT(skins != NULL, "skins: not NULL");
    const uint32_t count = skin < skins->num_skins ? skins->num_images[skin] : 0;
    const double tenths = floor(time * 10.0);
    if (count < 2 || !(tenths >= 0.0 && tenths < 9e15)) // whole numbers that a double has exactly
        return 0;
    const uint32_t slot = (uint32_t)((uint64_t)tenths % MD5_QUAKE_MAX_IMAGES);
    return slot % count; // four slots: 0 1 0 1, 0 1 2 0 or 0 1 2 3
}
