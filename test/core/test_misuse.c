// A table of invalid calls, one entry each: the message in builds with assertions, and the harmless
// effect of the most probable of them in builds without assertions.
#include "test/misuse.h"
#include "test/scoped.h"

enum { MAX_JOINTS = 128, MAX_KEPT = 4096 };

// Freed memory belongs to the test until its end, so that reads of it are defined.
typedef struct misused {
    md5_model *model;
    md5_anim *anim;
    md5_binding *binding;
    md5_character *character;
    md5_player *player;
    md5_load_opts opts;
    md5_xform pose[MAX_JOINTS];
    md5_mat34 joints[MAX_JOINTS];
    md5_vec3 positions[256];
    void *kept[MAX_KEPT];
    size_t num_kept;
} misused;

static void *keep_alloc(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

static void keep_freed(void *user, void *memory, size_t size)
{
    misused *const fixture = user;
    (void)size;
    if (CHECK(fixture->num_kept < MAX_KEPT))
        fixture->kept[fixture->num_kept++] = memory;
}

static void begin(misused *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    fixture->opts.allocator = (md5_allocator){keep_alloc, keep_freed, fixture, 0};
    fixture->model =
        md5_load_model(test_path("test/reference/data/seam.md5mesh"), &fixture->opts, NULL);
    fixture->anim =
        md5_load_anim(test_path("test/reference/data/seam.md5anim"), &fixture->opts, NULL);
    fixture->binding = md5_bind(fixture->model, fixture->anim, &fixture->opts, NULL);
    fixture->character =
        md5_load_character(test_path("models/tendril/tendril.md5machine"), &fixture->opts, NULL);
    fixture->player =
        fixture->character ? md5_create_player(fixture->character->machine, NULL, NULL) : NULL;
}

static void end(misused *fixture)
{
    md5_destroy_player(fixture->player);
    md5_free_character(fixture->character);
    md5_free_binding(fixture->binding);
    md5_free_anim(fixture->anim);
    md5_free_model(fixture->model);
    for (size_t i = 0; i < fixture->num_kept; i++)
        free(fixture->kept[i]);
}

// -- NULL and sizes -------------------------------------------------------------------------

static void sample_nowhere(misused *fixture)
{
    md5_sample(fixture->binding, (md5_sample_position){0}, MD5_ROOT_FILE, test_null());
}

static void sample_beyond(misused *fixture)
{
    const md5_sample_position last = {.frame0 = fixture->anim->num_frames - 1,
                                      .frame1 = fixture->anim->num_frames - 1};
    md5_xform expected[MAX_JOINTS];
    md5_sample(fixture->binding, last, MD5_ROOT_FILE, expected);
    md5_sample(fixture->binding, (md5_sample_position){UINT32_MAX, UINT32_MAX, 0.5f, 0, 0, 0},
               MD5_ROOT_FILE, fixture->pose);
    CHECK_BYTES(fixture->pose, expected, fixture->model->skeleton.num_joints * sizeof *expected);
}

static void skin_baked_beyond(misused *fixture)
{
    md5_mat34 palettes[2 * MAX_JOINTS];
    const uint32_t count = fixture->model->skeleton.num_joints;
    for (uint32_t i = 0; i < 2; i++)
        md5_pose_palette(fixture->binding, md5_sample_position_from_frames(fixture->anim, i, i, 0),
                         MD5_ROOT_FILE, fixture->pose, NULL, palettes + i * count);
    SCOPED_BAKED baked = md5_create_baked(fixture->model, palettes, 2, NULL, NULL);
    const uint32_t num_vertices = fixture->model->meshes[0].num_vertices;
    md5_vec3 expected[256];
    REQUIRE(num_vertices <= 256);
    md5_skin_baked(baked, 0, num_vertices, (md5_sample_position){.frame0 = 1, .frame1 = 1},
                   expected, NULL);
    md5_skin_baked(baked, 0, num_vertices, (md5_sample_position){.frame0 = 7, .frame1 = UINT32_MAX},
                   fixture->positions, NULL);
    CHECK_BYTES(fixture->positions, expected, num_vertices * sizeof *expected);
}

static void skin_by_a_small_palette(misused *fixture)
{
    md5_skin_one(&(md5_skin_job){.mesh = fixture->model->meshes,
                                 .palette = fixture->model->bind,
                                 .num_joints = fixture->model->skeleton.num_joints - 1,
                                 .positions = fixture->positions});
}

static void skin_by_a_whole_palette(misused *fixture)
{
    md5_skin_one(&(md5_skin_job){.mesh = fixture->model->meshes,
                                 .palette = fixture->model->bind,
                                 .num_joints = fixture->model->skeleton.num_joints,
                                 .positions = fixture->positions});
}

static void pose_to_a_small_palette(misused *fixture)
{
    static _Alignas(64) unsigned char scratch[1 << 18];
    const md5_pose_job job = {.binding = fixture->binding,
                              .palette = fixture->joints,
                              .num_joints = fixture->model->skeleton.num_joints - 1};
    CHECK(md5_pose_batch_scratch(&job, 1, NULL) <= sizeof scratch);
    md5_pose_batch(&job, 1, NULL, scratch);
}

static void ask_for_no_parameter(misused *fixture)
{
    const uint32_t none = md5_require_parameter(fixture->character->machine, "no such parameter");
    CHECK_UINT(none, MD5_NONE);
    CHECK(!md5_player_set(fixture->player, none, 1));
}

static void require_a_missing_joint(misused *fixture)
{
    CHECK_UINT(md5_require_joint(&fixture->model->skeleton, "no such joint"), MD5_NONE);
}

static void require_a_joint_without_a_name(misused *fixture)
{
    CHECK_UINT(md5_require_joint(&fixture->model->skeleton, NULL), MD5_NONE);
}

static void require_each_joint(misused *fixture)
{
    const md5_skeleton *const skeleton = &fixture->model->skeleton;
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        CHECK_UINT(md5_require_joint(skeleton, skeleton->joints[i].name), i);
}

static void mask_a_missing_joint(misused *fixture)
{
    float weights[MAX_JOINTS];
    md5_error error = {0};
    CHECK_SAYS(md5_build_mask(&fixture->model->skeleton, "*no_such_joint", 0, weights, &error),
               error, MD5_ERROR_SYNTAX, "unknown joint 'no_such_joint'");
    CHECK_UINT(error.column, 2);
}

static void ask_for_a_parameter(misused *fixture)
{
    const md5_machine_desc *const tables = md5_machine_tables(fixture->character->machine);
    REQUIRE(tables->num_parameters > 0);
    CHECK_UINT(md5_require_parameter(fixture->character->machine, tables->parameters[0].name), 0);
}

// -- Freed objects --------------------------------------------------------------------------

static void bind_a_freed_model(misused *fixture)
{
    md5_free_model(fixture->model);
    md5_bind(fixture->model, fixture->anim, NULL, NULL);
}

static void bind_a_freed_clip(misused *fixture)
{
    md5_free_anim(fixture->anim);
    md5_bind(fixture->model, fixture->anim, NULL, NULL);
}

static void sample_a_freed_binding(misused *fixture)
{
    md5_free_binding(fixture->binding);
    md5_sample(fixture->binding, (md5_sample_position){0}, MD5_ROOT_FILE, fixture->pose);
}

static void skin_a_freed_mesh(misused *fixture)
{
    const md5_mesh *const mesh = fixture->model->meshes;
    md5_free_model(fixture->model);
    md5_skin(mesh, fixture->joints, fixture->positions, NULL, NULL);
}

static void advance_a_freed_player(misused *fixture)
{
    md5_destroy_player(fixture->player);
    md5_player_advance(fixture->player, 0.1, NULL, NULL);
}

// -- Other skeletons, large numbers ---------------------------------------------------------

static void bind_another_skeleton(misused *fixture)
{
    md5_error error = {0};
    CHECK_SAYS(md5_bind(fixture->character->model, fixture->anim, NULL, &error), error,
               MD5_ERROR_MISMATCH, "animation");
    md5_error_clear(&error);
    CHECK(error.status == MD5_OK && error.message[0] == '\0' && error.file[0] == '\0');
    md5_error_clear(NULL);
}

static void play_for_ever(misused *fixture)
{
    static const double times[] = {1e300, -1e300, INFINITY, NAN};
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        const md5_sample_position sample =
            md5_sample_position_at(fixture->anim, times[i], MD5_WRAP_LOOP);
        CHECK(sample.frame0 < fixture->anim->num_frames
              && sample.frame1 < fixture->anim->num_frames);
        md5_player_advance(fixture->player, times[i], NULL, NULL);
        CHECK(isfinite(md5_player_root_motion(fixture->player).translation.x));
    }
}

static void blend_by_infinity(misused *fixture)
{
    const uint32_t count = fixture->model->skeleton.num_joints;
    md5_sample(fixture->binding, (md5_sample_position){0}, MD5_ROOT_FILE, fixture->pose);
    md5_xform blend[MAX_JOINTS];
    md5_blend_poses(fixture->model->bind_local, fixture->pose, INFINITY, NULL, count, blend);
    CHECK_BYTES(blend, fixture->pose, count * sizeof *blend);
}

static void move_far(misused *fixture)
{
    (void)fixture;
    const md5_xform start = {.rotation = {0, 0, 0, 1}};
    const md5_xform delta = {.rotation = {0, 0, 2e-7f, 1}, .translation = {1, 0, 0}};
    md5_xform placement = start;
    md5_xform drifting = start;
    for (int i = 0; i < 100000; i++) {
        placement = md5_xform_advance(placement, delta);
        drifting = md5_xform_mul(drifting, (md5_xform){.rotation = {0, 0, 0, 1.00001f}});
    }
    const md5_quat q = placement.rotation;
    const md5_quat d = drifting.rotation;
    CHECK_NEAR(sqrt((double)q.z * q.z + (double)q.w * q.w), 1, 1e-6);
    CHECK(d.w > 2); // md5_xform_mul() does not normalize
    const md5_xform none = md5_xform_advance(start, (md5_xform){.rotation = {0, 0, 0, 0}});
    CHECK(none.rotation.w == 1);
}

// -- The table ------------------------------------------------------------------------------

// `message` is NULL if the call is valid, or if the header permits it.
typedef struct misuse {
    const char *message;
    void (*make)(misused *fixture);
    bool is_harmless; // also without assertions
} misuse;

static const misuse rows[] = {
    {"md5_sample(): pose: must not be NULL", sample_nowhere, false},
    {"md5_sample(): sample: must be a position in this clip", sample_beyond, true},
    {"md5_skin_baked(): sample: must be a position in the baked clip", skin_baked_beyond, true},
    {"job->num_joints: must be above all joint indices of the mesh", skin_by_a_small_palette, true},
    {NULL, skin_by_a_whole_palette, true},
    {"md5_pose_batch(): jobs: must have a binding, a sample position of its clip and a palette of "
     "its joints each",
     pose_to_a_small_palette, true},
    {"md5_require_parameter(): name: parameter 'no such parameter' does not exist",
     ask_for_no_parameter, true},
    {NULL, ask_for_a_parameter, true},
    {"md5_require_joint(): name: joint 'no such joint' does not exist", require_a_missing_joint,
     true},
    {"md5_require_joint(): name: joint NULL does not exist", require_a_joint_without_a_name, true},
    {NULL, require_each_joint, true},
    {NULL, mask_a_missing_joint, true},
    {"md5_bind(): model: must not have been freed", bind_a_freed_model, false},
    {"md5_bind(): anim: must not have been freed", bind_a_freed_clip, false},
    {"md5_sample(): binding: must not have been freed", sample_a_freed_binding, false},
    {"md5_skin(): mesh: must not have been freed", skin_a_freed_mesh, false},
    {"md5_player_advance(): player: must not have been freed", advance_a_freed_player, false},
    {NULL, bind_another_skeleton, true},
    {NULL, play_for_ever, true},
    {NULL, blend_by_infinity, true},
    {NULL, move_far, true},
};

#if defined(NDEBUG)
enum { HAS_ASSERTIONS = false };
#else
enum { HAS_ASSERTIONS = true };
#endif

TEST_WITH (misuse_is_reported_by_assertions_and_mostly_harmless_without, misused, fixture,
           begin(fixture), end(fixture)) {
    REQUIRE(fixture->binding && fixture->player);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const misuse *const row = &rows[i];
        if (HAS_ASSERTIONS && row->message) {
            MISUSE(row->message, row->make(fixture));
            continue;
        }
        if (row->is_harmless)
            row->make(fixture);
    }
}

// The buffers are one block whose parts are aligned and have the documented sizes.
TEST (pose_buffers_have_room_for_a_pose) {
    SCOPED_MODEL model = our_model("test/reference/data/seam.md5mesh");
    const uint32_t count = model->skeleton.num_joints;
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        md5_pose_buffers *const buffers =
            md5_create_pose_buffers(model, 77, &failure.opts.allocator, &failure.error);
        CHECK_FAILURE(failure, buffers);
        CHECK_UINT(failure.heap.live, buffers ? 1 : 0);
        if (buffers) {
            CHECK_UINT(buffers->num_joints, count);
            CHECK_BYTES(buffers->pose, model->bind_local, count * sizeof *buffers->pose);
            md5_local_to_palette(model, buffers->pose, buffers->joints, buffers->palette);
            memset(buffers->scratch, 7, 77);
            CHECK_BYTES(buffers->pose, model->bind_local, count * sizeof *buffers->pose);
            CHECK((uintptr_t)buffers->palette % 16 == 0 && (uintptr_t)buffers->scratch % 16 == 0);
        }
        md5_destroy_pose_buffers(buffers);
    }
    md5_error error = {0};
    CHECK_FAILS(md5_create_pose_buffers(NULL, 0, NULL, &error), error, MD5_ERROR_MISSING);
    md5_destroy_pose_buffers(NULL);
}
