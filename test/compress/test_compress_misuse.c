// Errors of callers of compressed clips, which end the program in builds with assertions.
#include "test/real.h"
#include "test/misuse.h"
#include "test/scoped.h"
#include "test/pose/test_generated_pose.h"

#if !defined(NDEBUG)

#define MODEL "models/bobbin/bobbin.md5mesh"
#define ANIM "models/bobbin/idle.md5anim"
enum { MAX_JOINTS = 128 };

static const void *open_nothing(void *user, const char *path, size_t *size, md5_error *error)
{
    (void)user, (void)path, (void)size, (void)error;
    return NULL;
}

// Invalid arguments of a caller, such as NULL, stop debug builds with a message that names the
// argument, for compressed clips as for others.
TEST (compress_ends_with_the_callers_errors) {
    SCOPED_MODEL model = our_model(MODEL);
    SCOPED_ANIM anim = our_anim(ANIM);
    SCOPED_ANIM compressed = md5_compress_anim(anim, NULL, NULL, NULL);
    SCOPED_BINDING binding = md5_bind(model, compressed, NULL, NULL);
    const md5_load_opts half_an_allocator = {.allocator = {test_heap_alloc, NULL, NULL, 0}};
    const md5_load_opts incomplete_files = {.files = {.open = open_nothing}};
    const md5_load_opts reserved = {.reserved = {1}};
    const md5_sample_position start = {.frame0 = 0};
    md5_xform pose[MAX_JOINTS];
    MISUSE("must be a position in this clip",
           sample_anim(compressed, (md5_sample_position){.frame1 = 1000000}, MD5_ROOT_FILE, pose));
    MISUSE("anim: must not be NULL", md5_write_anim(test_null(), NULL, 0));
    MISUSE("bytes: must not be NULL", md5_write_anim(compressed, test_null(), 100));
    MISUSE("pose: must not be NULL", sample_anim(compressed, start, MD5_ROOT_FILE, test_null()));
    MISUSE("root: must be a value of md5_root", sample_anim(compressed, start, (md5_root)7, pose));
    MISUSE("binding: must not be NULL", md5_sample(test_null(), start, MD5_ROOT_FILE, pose));
    MISUSE("pose: must not be NULL", md5_sample(binding, start, MD5_ROOT_FILE, test_null()));
    MISUSE("root: must be a value of md5_root", md5_sample(binding, start, (md5_root)7, pose));
    MISUSE("must both be set or both be NULL",
           md5_bind(model, compressed, &half_an_allocator, NULL));
    MISUSE("must both be set or both be NULL",
           md5_bind(model, compressed, &incomplete_files, NULL));
    MISUSE("reserved members must be 0", md5_bind(model, compressed, &reserved, NULL));
    MISUSE("anim: must not be NULL", md5_sample_position_at(test_null(), 0, MD5_WRAP_LOOP));
    MISUSE("wrap: must be a value of md5_wrap", md5_sample_position_at(compressed, 0, (md5_wrap)9));
    MISUSE("anim: must not be NULL", md5_anim_root_motion(test_null(), start, start));
    MISUSE("reserved members must be 0",
           md5_compress_anim(anim, &(md5_compress_opts){.reserved = {[7] = 1}}, NULL, NULL));
    MISUSE("must both be set or both be NULL",
           md5_compress_anim(anim, NULL, &incomplete_files, NULL));
    MISUSE("must both be set or both be NULL",
           md5_compress_anim(anim, NULL, &half_an_allocator, NULL));
    MISUSE("reserved members must be 0", md5_compress_anim(anim, NULL, &reserved, NULL));
}

#endif

// -- Missing joints -------------------------------------------------------------------------------

// A clip without some joints of the measured model.

enum { FRAMES = 24 };

// A model whose vertices are 100 units from the arm, and depend only on the hand.
static const char model_text[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\njoints {\n"
    "\"arm\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"hand\" 0 ( 100 0 0 ) ( 0 0 0 )\n}\n"
    "mesh {\nshader \"\"\nnumverts 3\n"
    "vert 0 ( 0 0 ) 0 1\nvert 1 ( 0 1 ) 1 1\nvert 2 ( 1 0 ) 2 1\n"
    "numtris 1\ntri 0 0 1 2\nnumweights 3\n"
    "weight 0 1 1 ( 0 0 0 )\nweight 1 1 1 ( 0 1 0 )\nweight 2 1 1 ( 0 0 1 )\n}\n";

static void count_warning(void *user, const md5_error *warning)
{
    CHECK(strstr(warning->message, "hand"));
    ++*(int *)user;
}

// Returns the largest distance between the hand in both clips.
static double hand_distance(const md5_model *model, const md5_anim *anim,
                            const md5_anim *compressed)
{
    double max_distance = 0;
    SCOPED_BINDING plain = md5_bind(model, anim, NULL, NULL);
    SCOPED_BINDING packed = md5_bind(model, compressed, NULL, NULL);
    for (uint32_t frame = 0; CHECK(plain && packed) && frame < FRAMES; frame++) {
        const md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
        md5_xform pose[2];
        md5_mat34 a[2];
        md5_mat34 b[2];
        md5_sample(plain, sample, MD5_ROOT_FILE, pose);
        md5_local_to_model(&model->skeleton, pose, a);
        md5_sample(packed, sample, MD5_ROOT_FILE, pose);
        md5_local_to_model(&model->skeleton, pose, b);
        const double x = (double)a[1].m[3] - b[1].m[3];
        const double y = (double)a[1].m[7] - b[1].m[7];
        real_update_max(&max_distance, sqrt(x * x + y * y));
    }
    return max_distance;
}

TEST (compress_meets_the_tolerance_at_joints_that_the_clip_lacks) {
    int num_warnings = 0;
    md5_error error = {0};
    SCOPED_MODEL model = text_model(model_text, NULL);

    // A clip that contains only the arm, rotated by angles without a pattern.
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
    SCOPED_ANIM anim = md5_parse_anim(text, (size_t)length, NULL, NULL);

    REQUIRE(model && anim);
    const md5_load_opts opts = {.warn = count_warning, .warn_user = &num_warnings};
    const md5_compress_opts compress = {.tolerance = 0.05f, .model = model};
    SCOPED_ANIM compressed = md5_compress_anim(anim, &compress, &opts, &error);
    CHECK_STRING(error.message, "");
    CHECK(num_warnings == 1);
    if (compressed) {
        const double distance = hand_distance(model, anim, compressed);
        CHECK_THAT(distance <= 0.0501, "%g", distance);
    }
}
