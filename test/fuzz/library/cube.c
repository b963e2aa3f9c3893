// Fuzz target for md5.cfg files. The input is an md5.cfg, a NUL byte, and a file that it can run as
// b.cfg. Every part, its animations and a skin are looked up.
#include "test/fuzz/memory.h"

#include "md5/md5dialects.h"

typedef struct fuzz_cube_files {
    const char *bytes[2];
    size_t sizes[2];
} fuzz_cube_files;

static const void *open_fuzz_cube(void *user, const char *path, size_t *size, md5_error *error)
{
    const fuzz_cube_files *const files = user;
    const int which = strcmp(path, "b.cfg") == 0;
    (void)error;
    if (!which && strcmp(path, "md5.cfg") != 0)
        return NULL;
    *size = files->sizes[which];
    return files->bytes[which];
}

static void close_fuzz_cube(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
}

// Returns a description of a fault of a part of a Cube 2 model, or NULL.
static const char *cube_part_fault(const md5_cube2_part *part)
{
    const md5_joint joints[] = {{"a", MD5_NONE}, {"b", 0}};
    const uint32_t order[] = {0, 1};
    const md5_skeleton skeleton = {.num_joints = 2, .joints = joints, .order = order};
    md5_xform pose[2] = {{.rotation = {0, 0, 0, 1}}};
    md5_cube2_material skin;
    uint32_t first, count;
    for (uint32_t i = 0; i < part->num_anims && i < 100; i++) {
        const md5_cube2_anim *const anim = &part->anims[i];
        md5_cube2_anim_range(anim, 10, &first, &count);
        if (first > 9 || count < 1 || count > 10 - first)
            return "frames outside of the animation";
        if (anim->mask >= part->num_masks || anim->num_adjustments > part->num_adjustments)
            return "an animation without its mask or adjustments";
        if (anim->num_adjustments < 100)
            md5_cube2_adjust_pose(part, anim, &skeleton, pose);
        md5_find_cube2_anim(part, anim->mask, anim->names);
    }
    md5_build_cube2_material(part, "a", &skin);
    return skin.texture.commands && skin.masks.commands && skin.normal_map.commands
               ? NULL
               : "an image without commands";
}

static void *make_cube(const void *fixture, const md5_load_opts *opts, md5_error *error)
{
    (void)fixture;
    return md5_load_cube2("md5.cfg", NULL, opts, error);
}
FUZZ_DESTROY(destroy_cube, md5_cube2, md5_free_cube2)

const char *fuzz_cube(const uint8_t *data, size_t size)
{
    const char *const bytes = (const char *)data;
    const char *const end = size > 0 ? memchr(bytes, '\0', size) : NULL;
    const size_t length = end ? (size_t)(end - bytes) : size;
    fuzz_cube_files files = {{bytes, ""}, {length, 0}};
    if (end) {
        files.bytes[1] = end + 1;
        files.sizes[1] = size - length - 1;
    }
    const md5_load_opts opts = {
        .allocator = {.limit = FUZZ_MEMORY_LIMIT},
        .files = {.open = open_fuzz_cube, .close = close_fuzz_cube, .user = &files},
    };
    const char *fault = NULL;
    md5_error error = {0};
    md5_cube2 *const cube = md5_load_cube2("md5.cfg", NULL, &opts, &error);
    if (!cube)
        return error.status != MD5_OK ? NULL : "no model and no error message";
    for (uint32_t i = 0; i < cube->num_parts && i < 100 && !fault; i++)
        fault = cube_part_fault(&cube->parts[i]);
    if (!fault && cube->num_parts == 0)
        fault = "a model without parts";
    md5_free_cube2(cube);
    return fault ? fault : fuzz_memory(make_cube, destroy_cube, NULL, opts, size);
}
