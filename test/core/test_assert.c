// Tests of invalid calls: with assertions they end the program with a message that contains
// function and argument; without assertions the most probable of them are harmless.
#include "test/scoped.h"
#include "test/misuse.h"
#include "test/pose/test_generated_pose.h"

static const char *const model_path = "models/bobbin/bobbin.md5mesh";
static const char *const anim_path = "models/bobbin/walk.md5anim";

enum { MAX_JOINTS = 128 };

typedef struct loaded {
    md5_model *model;
    md5_anim *anim;
    md5_binding *binding;
} loaded;

static loaded load(void)
{
    loaded assets = {.model = our_model(model_path)};
    assets.anim = our_anim(anim_path);
    assets.binding = md5_bind(assets.model, assets.anim, NULL, NULL);
    return assets;
}

static void unload(loaded *assets)
{
    md5_free_binding(assets->binding);
    md5_free_anim(assets->anim);
    md5_free_model(assets->model);
}

#if defined(NDEBUG)

// A sample position of a longer clip: its frames are clamped, so that nothing is read past the
// array.
TEST (sample_position_of_another_clip_shows_the_last_frame) {
    loaded assets = load();
    const uint32_t last = assets.anim->num_frames - 1;
    const uint32_t count = assets.model->skeleton.num_joints;
    const md5_sample_position end = {.frame0 = last, .frame1 = last};
    const md5_sample_position wrong = {.frame0 = UINT32_MAX, .frame1 = last + 1, .fraction = 0.5f};
    static md5_xform expected[MAX_JOINTS];
    static md5_xform found[MAX_JOINTS];
    static md5_xform scratch[MAX_JOINTS];
    static md5_mat34 joints[MAX_JOINTS], palettes[3][MAX_JOINTS];

    md5_sample(assets.binding, end, MD5_ROOT_FILE, expected);
    md5_sample(assets.binding, wrong, MD5_ROOT_FILE, found);
    CHECK_BYTES(found, expected, count * sizeof *found);
    sample_anim(assets.anim, wrong, MD5_ROOT_FILE, found);
    md5_sample_position modified = wrong;
    modified.interpolation = MD5_INTERPOLATE_NLERP;
    md5_sample(assets.binding, modified, MD5_ROOT_FILE, found);
    CHECK_BYTES(found, expected, count * sizeof *found);
    modified.interpolation = MD5_INTERPOLATE_CUBIC;
    md5_sample(assets.binding, modified, MD5_ROOT_ID, found);
    md5_anim_bounds(assets.anim, wrong, MD5_ROOT_ID);
    const md5_vec3 motion = md5_anim_root_motion(assets.anim, wrong, end);
    CHECK(motion.x == 0 && motion.y == 0 && motion.z == 0);

    md5_pose_palette(assets.binding, end, MD5_ROOT_FILE, scratch, joints, palettes[0]);
    md5_pose_palette(assets.binding, wrong, MD5_ROOT_FILE, scratch, joints, palettes[1]);
    static unsigned char batch[MAX_JOINTS * 1024];
    md5_pose_job job = {.binding = assets.binding, .sample = wrong, .palette = palettes[2]};
    CHECK(md5_pose_batch_scratch(&job, 1, NULL) <= sizeof batch);
    md5_pose_batch(&job, 1, NULL, batch);
    CHECK_BYTES(palettes[1], palettes[0], count * sizeof **palettes);
    CHECK_BYTES(palettes[2], palettes[0], count * sizeof **palettes);
    memset(palettes[2], 0, count * sizeof **palettes);
    job.sample.interpolation = MD5_INTERPOLATE_NLERP;
    md5_pose_batch(&job, 1, NULL, batch);
    CHECK_BYTES(palettes[2], palettes[0], count * sizeof **palettes);
    unload(&assets);
}

#elif defined(__unix__) || defined(__APPLE__)

static md5_xform pose[MAX_JOINTS];
static md5_mat34 matrices[MAX_JOINTS];
static const md5_sample_position first_frame = {0};

static void no_range(void *user, uint32_t worker, size_t begin, size_t end)
{
    (void)user, (void)worker, (void)begin, (void)end;
}

TEST (an_error_is_reported_with_function_and_argument) {
    loaded assets = load();
    MISUSE("md5_sample(): pose: must not be NULL",
           md5_sample(assets.binding, first_frame, MD5_ROOT_FILE, NULL));
    MISUSE("md5_sample(): sample: must be a position", {
        const md5_sample_position wrong = {.frame0 = assets.anim->num_frames};
        md5_sample(assets.binding, wrong, MD5_ROOT_FILE, pose);
    });
    MISUSE(
        "md5_pose_palette(): joints, palette: must not overlap",
        md5_pose_palette(assets.binding, first_frame, MD5_ROOT_FILE, pose, matrices, matrices + 1));
    MISUSE("md5_pack_loss(): mesh: must be an index into model->meshes",
           md5_pack_loss(assets.model, assets.model->num_meshes, 4, NULL));
    MISUSE("md5_pose_batch(): jobs: must have a binding", {
        static _Alignas(64) unsigned char scratch[1 << 16];
        const md5_pose_job job = {.binding = assets.binding};
        md5_pose_batch(&job, 1, NULL, scratch);
    });
    MISUSE("md5_threads_run(): threads: run must not be NULL",
           md5_threads_run(&(md5_threads){.num_workers = 2}, 2, no_range, NULL));
    MISUSE("md5_threads_run(): range: must not be NULL", md5_threads_run(NULL, 2, NULL, NULL));
    MISUSE("md5_bind(): opts: reserved members must be 0",
           md5_bind(assets.model, assets.anim, &(md5_load_opts){.reserved = {1}}, NULL));
    MISUSE("md5_blend_poses(): from: must not be NULL",
           md5_blend_poses(NULL, pose, 0.5f, NULL, 3, pose));
    MISUSE("md5_blend_batch(): jobs: interpolation must be LINEAR or NLERP",
           md5_blend_batch(&(md5_blend_job){.from = pose,
                                            .to = pose,
                                            .pose = pose,
                                            .count = 1,
                                            .interpolation = MD5_INTERPOLATE_STEP},
                           1));
    unload(&assets);
}

#endif
