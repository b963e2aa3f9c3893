// Clips of one model on another: the clips that are made contain what retargeting returns.
#include "demo/viewer/crowd/kind.h"
#include "md5/md5pose.h"
#include "test/test.h"

#include <math.h>
#include <stdlib.h>

static bool is_same_rotation(md5_quat a, md5_quat b)
{
    const float sign = a.w * b.w < 0.0f ? -1.0f : 1.0f;
    return a.x == sign * b.x && a.y == sign * b.y && a.z == sign * b.z
           && fabsf(a.w - sign * b.w) < 1e-5f;
}

// The clip is the same to the last bit, but for w, which files omit.
static void check_frame(const md5_binding *source, const md5_binding *made, uint32_t frame)
{
    const uint32_t count = made->model->skeleton.num_joints;
    const uint32_t num_source = source->model->skeleton.num_joints;
    const md5_moment moment = {.frame0 = frame, .frame1 = frame};
    md5_retarget *const retarget =
        md5_create_retarget(source->model, made->model, NULL, 0, NULL, NULL);
    md5_xform *const poses = calloc((size_t)2 * num_source + 2 * count, sizeof *poses);
    if (CHECK(retarget != NULL && poses != NULL)) {
        md5_xform *const wanted = poses + 2 * num_source, *const found = wanted + count;
        md5_sample(source, moment, MD5_ROOT_FILE, poses);
        md5_retarget_pose(retarget, poses, wanted, poses + num_source);
        md5_sample(made, moment, MD5_ROOT_FILE, found);
        for (uint32_t i = 0; i < count; i++) {
            const md5_vec3 a = wanted[i].translation, b = found[i].translation;
            CHECK(a.x == b.x && a.y == b.y && a.z == b.z);
            CHECK(is_same_rotation(wanted[i].rotation, found[i].rotation));
        }
    }
    free(poses);
    md5_destroy_retarget(retarget);
}

static void check_clip(const char *path)
{
    md5_model *const source = md5_load_model(test_path("models/bobbin/bobbin.md5mesh"), NULL, NULL);
    md5_model *const target =
        md5_load_model(test_path("models/thimble/thimble.md5mesh"), NULL, NULL);
    md5_anim *const anim = md5_load_anim(path, NULL, NULL);
    if (CHECK(source != NULL && target != NULL && anim != NULL)) {
        view_retargeted made;
        md5_binding *const binding = md5_bind(source, anim, NULL, NULL);
        const md5_binding *const bindings[1] = {binding};
        if (CHECK(binding != NULL)
            && CHECK(view_retarget_clips(&made, target, bindings, 1, NULL, NULL))) {
            CHECK_UINT(made.anims[0]->num_frames, anim->num_frames);
            CHECK(made.anims[0]->frame_rate == anim->frame_rate);
            for (uint32_t frame = 0; frame < anim->num_frames; frame++)
                check_frame(binding, made.bindings[0], frame);
            view_free_retargeted(&made);
        }
        md5_free_binding(binding);
    }
    md5_free_anim(anim);
    md5_free_model(target);
    md5_free_model(source);
}

TEST (view_retargeted_clips_have_the_bits_of_retargeting) {
    check_clip(test_path("models/bobbin/run.md5anim"));
    check_clip(test_path("models/bobbin/stand.md5anim")); // mostly zeros
}
