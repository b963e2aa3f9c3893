// A clip that lacks joints of the model whose skin is measured.
#include "test/test.h"

#include "md5/md5model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FRAMES = 24 };

// Vertices 100 units away, on a joint of its own.
static const char model_text[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\njoints {\n"
    "\"arm\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"hand\" 0 ( 100 0 0 ) ( 0 0 0 )\n}\n"
    "mesh {\nshader \"\"\nnumverts 3\n"
    "vert 0 ( 0 0 ) 0 1\nvert 1 ( 0 1 ) 1 1\nvert 2 ( 1 0 ) 2 1\n"
    "numtris 1\ntri 0 0 1 2\nnumweights 3\n"
    "weight 0 1 1 ( 0 0 0 )\nweight 1 1 1 ( 0 1 0 )\nweight 2 1 1 ( 0 0 1 )\n}\n";

// The arm alone, rotated by angles without a pattern.
static md5_anim *make_arm(void)
{
    char text[4096];
    uint64_t random = 5;
    int length = snprintf(text, sizeof text,
                          "MD5Version 10\ncommandline \"\"\nnumFrames %d\nnumJoints 1\n"
                          "frameRate 24\nnumAnimatedComponents 1\n"
                          "hierarchy {\n\"arm\" -1 32 0\n}\nbounds {\n",
                          FRAMES);
    for (int i = 0; i < FRAMES; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "( 0 0 0 ) ( 0 0 0 )\n");
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "}\nbaseframe {\n( 0 0 0 ) ( 0 0 0 )\n}\n");
    for (int i = 0; i < FRAMES; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "frame %d {\n%.6f\n}\n", i,
                           test_random(&random) - 0.5);
    return md5_parse_anim(text, (size_t)length, NULL, NULL);
}

static void count_warning(void *user, const md5_error *warning)
{
    CHECK(strstr(warning->message, "hand") != NULL);
    ++*(int *)user;
}

// How far the hand is from where the plain clip has it, at most.
static double hand_distance(const md5_model *model, const md5_anim *anim,
                            const md5_anim *compressed)
{
    double worst = 0.0;
    md5_binding *const plain = md5_bind(model, anim, NULL, NULL);
    md5_binding *const packed = md5_bind(model, compressed, NULL, NULL);
    for (uint32_t frame = 0; CHECK(plain && packed) && frame < FRAMES; frame++) {
        const md5_moment moment = {.frame0 = frame, .frame1 = frame};
        md5_xform pose[2];
        md5_mat34 a[2], b[2];
        md5_sample(plain, moment, MD5_ROOT_FILE, pose);
        md5_local_to_model(&model->skeleton, pose, a);
        md5_sample(packed, moment, MD5_ROOT_FILE, pose);
        md5_local_to_model(&model->skeleton, pose, b);
        const double x = (double)a[1].m[3] - (double)b[1].m[3];
        const double y = (double)a[1].m[7] - (double)b[1].m[7];
        const double distance = sqrt(x * x + y * y);
        worst = distance > worst ? distance : worst;
    }
    md5_free_binding(packed);
    md5_free_binding(plain);
    return worst;
}

TEST (compress_holds_the_tolerance_at_joints_that_the_clip_lacks) {
    int num_warnings = 0;
    md5_error error = {0};
    md5_model *const model = md5_parse_model(model_text, sizeof model_text - 1, NULL, NULL);
    md5_anim *const anim = make_arm();
    if (!CHECK(model && anim))
        return;
    const md5_load_opts opts = {.warn = count_warning, .warn_user = &num_warnings};
    const md5_compress_opts compress = {.tolerance = 0.05f, .model = model};
    md5_anim *const compressed = md5_compress_anim(anim, &compress, &opts, &error);
    CHECK_STRING(error.message, "");
    CHECK(num_warnings == 1);
    if (compressed) {
        const double distance = hand_distance(model, anim, compressed);
        test_check(distance <= 0.0501, __FILE__, __LINE__, "%g", distance);
    }
    md5_free_anim(compressed);
    md5_free_anim(anim);
    md5_free_model(model);
}
