// Clips bound to a skeleton that has no model.
#include "test/real.h"
#include "test/misuse.h"
#include "test/scoped.h"
#include "test/pose/test_generated_pose.h"

enum { MAX_JOINTS = 40 };

static md5_binding *bind_skeleton(const generated_pose *generated, const md5_load_opts *opts)
{
    md5_error error = {0};
    md5_binding *const binding = md5_bind_skeleton(
        &generated->model.skeleton, generated->model.bind_local, &generated->anim, opts, &error);
    CHECK(binding || error.status == MD5_ERROR_MEMORY);
    return binding;
}

static double difference(const md5_mat34 *a, const md5_mat34 *b)
{
    double max_difference = 0;
    for (int i = 0; i < 12; i++) {
        real_update_max(&max_difference, fabs((double)a->m[i] - b->m[i]));
    }
    return max_difference;
}

TEST (bind_skeleton_samples_as_bind) {
    uint64_t random = 21;
    for (int round = 0; round < 40; round++) {
        SCOPED_GENERATED_POSE generated;
        generate_pose(&generated, 1 + test_random_u32(&random) % MAX_JOINTS,
                      (joint_pairing)(round % NUM_PAIRINGS), 0.5, 0.5, &random);
        const uint32_t count = generated.model.skeleton.num_joints;
        SCOPED_BINDING found = bind_skeleton(&generated, NULL);
        CHECK(!found->model && found->skeleton == &generated.model.skeleton);
        CHECK_UINT(found->num_missing, generated.binding->num_missing);
        CHECK_UINT(found->num_extra, generated.binding->num_extra);
        CHECK_UINT(found->num_rebases, generated.binding->num_rebases);
        CHECK_BYTES(found->tracks, generated.binding->tracks, count * sizeof *found->tracks);
        md5_xform pose[MAX_JOINTS];
        md5_xform expected[MAX_JOINTS];
        const md5_sample_position sample = make_sample_position(&generated.anim, &random);
        md5_sample(found, sample, (md5_root)(round % 3), pose);
        md5_sample(generated.binding, sample, (md5_root)(round % 3), expected);
        CHECK_BYTES(pose, expected, count * sizeof *pose);
    }
}

// The posed bind pose times the inverse bind pose is the identity. Palettes use the inverse, for
// one character and for many.
TEST (bind_skeleton_inverts_the_bind_pose) {
    enum { JOBS = 16 };
    static md5_mat34 palettes[JOBS][MAX_JOINTS];
    const md5_mat34 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    uint64_t random = 22;
    for (int round = 0; round < 40; round++) {
        SCOPED_GENERATED_POSE generated;
        generate_pose(&generated, 1 + test_random_u32(&random) % MAX_JOINTS,
                      (joint_pairing)(round % NUM_PAIRINGS), 0.5, 0.5, &random);
        const uint32_t count = generated.model.skeleton.num_joints;
        SCOPED_BINDING binding = bind_skeleton(&generated, NULL);
        md5_mat34 joints[MAX_JOINTS];
        md5_mat34 palette[MAX_JOINTS];
        md5_xform scratch[MAX_JOINTS];
        md5_local_to_model(binding->skeleton, generated.model.bind_local, joints);
        for (uint32_t i = 0; i < count; i++) {
            const md5_mat34 undone = md5_mat34_mul(joints[i], binding->inverse_bind[i]);
            // The tolerance is large because positions are hundreds of units.
            CHECK_SMALL(difference(&undone, &identity), 2e-4);
        }
        const md5_sample_position sample = make_sample_position(&generated.anim, &random);
        md5_pose_palette(binding, sample, MD5_ROOT_FILE, scratch, joints, palette);
        for (uint32_t i = 0; i < count; i++) {
            const md5_mat34 expected = md5_mat34_mul(joints[i], binding->inverse_bind[i]);
            CHECK_EXACT(difference(&palette[i], &expected), 0);
        }
        md5_pose_job jobs[JOBS];
        for (int i = 0; i < JOBS; i++)
            jobs[i] = (md5_pose_job){.binding = binding,
                                     .sample = sample,
                                     .root = MD5_ROOT_FILE,
                                     .palette = palettes[i]};
        SCOPED void *const memory = malloc(md5_pose_batch_scratch(jobs, JOBS, NULL));
        md5_pose_batch(jobs, JOBS, NULL, memory);
        for (int i = 0; i < JOBS; i++)
            CHECK_BYTES(palettes[i], palette, count * sizeof *palette);
    }
}

TEST (bind_skeleton_survives_every_failing_allocation) {
    uint64_t random = 23;
    SCOPED_GENERATED_POSE generated;
    generate_pose(&generated, MAX_JOINTS, PAIRING_REPARENTED, 0.5, 0.5, &random);
    md5_binding *binding = NULL;
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        binding = bind_skeleton(&generated, &failure.opts);
        CHECK_UINT(failure.heap.live, binding ? 1 : 0);
        md5_free_binding(binding);
    }
}

// The number of joints is so large that each step needs a separate memory chunk.
TEST (bind_skeleton_frees_all_memory_on_failure) {
    enum { COUNT = 3000 };
    static md5_joint joints[COUNT];
    static uint32_t order[COUNT];
    static md5_xform bind_local[COUNT];
    static char names[COUNT][8];
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "j%u", (unsigned)i);
        joints[i] = (md5_joint){names[i], i - 1};
        order[i] = i;
        bind_local[i] = (md5_xform){.rotation = {.w = 1}};
    }
    const md5_skeleton skeleton = {.num_joints = COUNT, .joints = joints, .order = order};
    const md5_anim anim = {
        .skeleton = skeleton, .num_frames = 1, .frame_rate = 1, .constant = bind_local};
    uint32_t num_bound = 0;
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_BINDING binding =
            md5_bind_skeleton(&skeleton, bind_local, &anim, &failure.opts, &failure.error);
        num_bound += binding != NULL;
        CHECK((failure.error.status == MD5_ERROR_MEMORY) == (binding == NULL));
    }
    CHECK_UINT(num_bound, 1);
}

#if !defined(NDEBUG)
TEST (bind_skeleton_asserts_the_order_of_joints) {
    static const uint32_t orders[3][3] = {{0, 1, 3}, {0, 1, 1}, {1, 0, 2}};
    for (int i = 0; i < 3; i++)
        MISUSE("md5_bind_skeleton(): ", {
            static const md5_joint joints[3] = {{"a", MD5_NONE}, {"b", 0}, {"c", 1}};
            static const md5_xform bind_local[3];
            const md5_skeleton skeleton = {.num_joints = 3, .joints = joints, .order = orders[i]};
            const md5_anim anim = {.skeleton = skeleton, .num_frames = 1, .constant = bind_local};
            md5_bind_skeleton(&skeleton, bind_local, &anim, NULL, NULL);
        });
}
#endif
