// Fuzz target for .md5scale files, for an animation of three joints and 100 frames.
#include "test/fuzz/memory.h"

#include "md5/md5dialects.h"

static const char *scales_fault(const md5_scales *scales)
{
    for (uint32_t i = 0; i < scales->num_joints; i++) {
        const md5_scaled_joint *const joint = &scales->joints[i];
        if (joint->joint > 2 || (i > 0 && joint->joint <= scales->joints[i - 1].joint))
            return "joints that are not in order";
        for (uint32_t k = 0; k < joint->num_keys; k++) {
            if (joint->keys[k].frame >= 100
                || (k > 0 && joint->keys[k].frame <= joint->keys[k - 1].frame))
                return "frames that are not in order";
        }
    }
    return NULL;
}

typedef struct scale_text {
    const uint8_t *bytes;
    size_t size;
    const md5_anim *anim;
} scale_text;

static void *make_scales(const void *fixture, const md5_load_opts *opts, md5_error *error)
{
    const scale_text *const text = fixture;
    return md5_parse_scales(text->bytes, text->size, text->anim, opts, error);
}
FUZZ_DESTROY(destroy_scales, md5_scales, md5_free_scales)

// Loading needs only the names of joints and the number of frames.
const char *fuzz_scale(const uint8_t *data, size_t size)
{
    static const md5_joint joints[] = {{"root", MD5_NONE}, {"arm", 0}, {"hand", 1}};
    const md5_anim anim = {.skeleton = {.num_joints = 3, .joints = joints}, .num_frames = 100};
    const md5_load_opts opts = {.allocator = {.limit = FUZZ_MEMORY_LIMIT}};
    md5_error error = {0};
    md5_scales *const scales = md5_parse_scales(data, size, &anim, &opts, &error);
    if (!scales)
        return error.status != MD5_OK ? NULL : "no scales and no error message";
    const char *const fault = scales_fault(scales);
    md5_free_scales(scales);
    const scale_text text = {data, size, &anim};
    return fault ? fault : fuzz_memory(make_scales, destroy_scales, &text, opts, size);
}
