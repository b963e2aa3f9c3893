// Mistakes of callers of compressed clips, which end the program in builds with assertions.
#include "test/mistake.h"
#include "test/pose/own_clip.h"
#include "test/test.h"

#if !defined(NDEBUG)

#define MODEL "models/bobbin/bobbin.md5mesh"
#define ANIM "models/bobbin/idle.md5anim"
enum { MOST_JOINTS = 128 };

static void frame_beyond_the_end(const void *context)
{
    md5_xform pose[MOST_JOINTS];
    sample_own(context, (md5_moment){.frame1 = 1000000}, MD5_ROOT_FILE, pose);
}

static void reserved_of_options(const void *context)
{
    const md5_compress_opts options = {.reserved = {[7] = 1}};
    md5_compress_anim(context, &options, NULL, NULL);
}

static void reserved_of_loading(const void *context)
{
    const md5_load_opts opts = {.reserved = {1}};
    md5_compress_anim(context, NULL, &opts, NULL);
}

static void write_nothing(const void *context)
{
    (void)context;
    md5_write_anim(test_null(), NULL, 0);
}

static void write_nowhere(const void *context)
{
    md5_write_anim(context, test_null(), 100);
}

static void sample_without_pose(const void *context)
{
    sample_own(context, (md5_moment){.frame0 = 0}, MD5_ROOT_FILE, test_null());
}

static void sample_no_such_root(const void *context)
{
    md5_xform pose[MOST_JOINTS];
    sample_own(context, (md5_moment){.frame0 = 0}, (md5_root)7, pose);
}

static void sample_without_binding(const void *context)
{
    md5_xform pose[MOST_JOINTS];
    (void)context;
    md5_sample(test_null(), (md5_moment){.frame0 = 0}, MD5_ROOT_FILE, pose);
}

// Samples through a binding.
static void sample_bound(const md5_anim *compressed, md5_root root, md5_xform *pose)
{
    md5_model *const model = md5_load_model(test_path(MODEL), NULL, NULL);
    md5_sample(md5_bind(model, compressed, NULL, NULL), (md5_moment){.frame0 = 0}, root, pose);
}

static void sample_bound_without_pose(const void *context)
{
    sample_bound(context, MD5_ROOT_FILE, test_null());
}

static void sample_bound_no_such_root(const void *context)
{
    md5_xform pose[MOST_JOINTS];
    sample_bound(context, (md5_root)7, pose);
}

static void bind_with_half_an_allocator(const void *context)
{
    const md5_load_opts opts = {.allocator = {test_heap_alloc, NULL, NULL, 0}};
    md5_model *const model = md5_load_model(test_path(MODEL), NULL, NULL);
    md5_bind(model, context, &opts, NULL);
}

static const void *open_nothing(void *user, const char *path, size_t *size, md5_error *error)
{
    (void)user, (void)path, (void)size, (void)error;
    return NULL;
}

static void bind_with_half_of_files(const void *context)
{
    const md5_load_opts opts = {.files = {.open = open_nothing}};
    md5_model *const model = md5_load_model(test_path(MODEL), NULL, NULL);
    md5_bind(model, context, &opts, NULL);
}

static void compress_with_half_of_files(const void *context)
{
    const md5_load_opts opts = {.files = {.open = open_nothing}};
    md5_compress_anim(context, NULL, &opts, NULL);
}

static void compress_with_half_an_allocator(const void *context)
{
    const md5_load_opts opts = {.allocator = {test_heap_alloc, NULL, NULL, 0}};
    md5_compress_anim(context, NULL, &opts, NULL);
}

static void bind_with_a_reserved_member(const void *context)
{
    const md5_load_opts opts = {.reserved = {1}};
    md5_model *const model = md5_load_model(test_path(MODEL), NULL, NULL);
    md5_bind(model, context, &opts, NULL);
}

static void moment_of_nothing(const void *context)
{
    (void)context;
    md5_moment_at(test_null(), 0.0, MD5_WRAP_LOOP);
}

static void moment_of_no_wrap(const void *context)
{
    md5_moment_at(context, 0.0, (md5_wrap)9);
}

static void motion_of_nothing(const void *context)
{
    const md5_moment moment = {.frame0 = 0};
    (void)context;
    md5_anim_root_motion(test_null(), moment, moment);
}

typedef struct mistake {
    void (*make)(const void *context);
    const char *says;
} mistake;

// Their context is a compressed clip; the test also tries mistakes whose context is the animation.
static const mistake mistakes[] = {
    {frame_beyond_the_end, "frames of this clip"},
    {write_nothing, "anim: not NULL"},
    {write_nowhere, "bytes: not NULL"},
    {sample_without_pose, "pose: not NULL"},
    {sample_no_such_root, "root: a md5_root"},
    {sample_without_binding, "binding: not NULL"},
    {sample_bound_without_pose, "pose: not NULL"},
    {sample_bound_no_such_root, "root: a md5_root"},
    {bind_with_half_an_allocator, "both functions or none"},
    {bind_with_half_of_files, "both functions or none"},
    {bind_with_a_reserved_member, "reserved members must be 0"},
    {moment_of_nothing, "anim: not NULL"},
    {moment_of_no_wrap, "wrap: a md5_wrap"},
    {motion_of_nothing, "anim: not NULL"},
};

TEST (compress_ends_with_the_callers_mistakes) {
    md5_anim *const anim = md5_load_anim(test_path(ANIM), NULL, NULL);
    md5_anim *const compressed = md5_compress_anim(anim, NULL, NULL, NULL);
    for (size_t i = 0; i < COUNT_OF(mistakes); i++)
        CHECK_THAT(strstr(test_message_of(mistakes[i].make, compressed), mistakes[i].says) != NULL,
                   "mistake %zu: %s", i, mistakes[i].says);
    CHECK(strstr(test_message_of(reserved_of_options, anim), "reserved members must be 0"));
    CHECK(strstr(test_message_of(compress_with_half_of_files, anim), "both functions or none"));
    CHECK(strstr(test_message_of(compress_with_half_an_allocator, anim), "both functions or none"));
    CHECK(strstr(test_message_of(reserved_of_loading, anim), "reserved members must be 0"));
    md5_free_anim(compressed);
    md5_free_anim(anim);
}

#endif

// -- Missing joints -------------------------------------------------------------------------------

// A clip that lacks joints of the model whose skin is measured.

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
        const double x = (double)a[1].m[3] - b[1].m[3];
        const double y = (double)a[1].m[7] - b[1].m[7];
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
        CHECK_THAT(distance <= 0.0501, "%g", distance);
    }
    md5_free_anim(compressed);
    md5_free_anim(anim);
    md5_free_model(model);
}
