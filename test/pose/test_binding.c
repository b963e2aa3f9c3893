// Tests the matching of animation joints to model joints, and the resulting transforms.
#include "test/scoped.h"
#include "test/real.h"

#include "test/pose/test_generated_pose.h"

enum { MAX_JOINTS = 48 };

// -- Handmade models and clips ------------------------------------------------------------------

typedef struct part {
    const char *name;
    uint32_t parent;
} part;

// A skeleton with a bind pose and a clip of two frames in which all joints rotate and move.
typedef struct generated_clip {
    md5_joint joints[MAX_JOINTS];
    uint32_t order[MAX_JOINTS];
    uint32_t all[MAX_JOINTS];
    md5_xform local[MAX_JOINTS];
    md5_xform constant[MAX_JOINTS];
    md5_quat rotations[2 * MAX_JOINTS];
    md5_vec3 translations[2 * MAX_JOINTS];
    md5_model model;
    md5_anim anim;
} generated_clip;

static md5_xform random_transform(uint64_t *random)
{
    const float x = test_betweenf(-0.5f, 0.5f, random);
    const float y = test_betweenf(-0.5f, 0.5f, random);
    return (md5_xform){
        .rotation = rotation_from_file(x, y, test_betweenf(-0.5f, 0.5f, random)),
        .translation = {test_betweenf(-10, 10, random), test_betweenf(-10, 10, random),
                        test_betweenf(-10, 10, random)},
    };
}

// Builds a clip of two random frames for a handmade hierarchy.
static void make(generated_clip *m, const part *parts, uint32_t count, uint64_t *random)
{
    memset(m, 0, sizeof *m);
    for (uint32_t i = 0; i < count; i++) {
        m->joints[i] = (md5_joint){parts[i].name, parts[i].parent};
        m->all[i] = i;
        m->local[i] = random_transform(random);
        for (uint32_t frame = 0; frame < 2; frame++) {
            const md5_xform transform = random_transform(random);
            m->rotations[frame * count + i] = transform.rotation;
            m->translations[frame * count + i] = transform.translation;
            if (frame == 0)
                m->constant[i] = transform;
        }
    }

    // Parents may come after their children.
    uint32_t placed = 0;
    bool done[MAX_JOINTS] = {0};
    while (placed < count) {
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t parent = m->joints[i].parent;
            if (!done[i] && (parent == MD5_NONE || done[parent])) {
                done[i] = true;
                m->order[placed++] = i;
            }
        }
    }

    const md5_skeleton skeleton = {.num_joints = count, .joints = m->joints, .order = m->order};
    m->model = (md5_model){.skeleton = skeleton, .bind_local = m->local};
    m->anim = (md5_anim){
        .skeleton = skeleton,
        .base_frame = m->constant,
        .num_frames = 2,
        .frame_rate = 1,
        .duration = 1,
        .constant = m->constant,
        .num_rotations = count,
        .num_translations = count,
        .rotation_joints = m->all,
        .translation_joints = m->all,
        .rotations = m->rotations,
        .translations = m->translations,
    };
}

// -- Warnings -----------------------------------------------------------------------------------

typedef struct warnings {
    uint32_t count;
    char text[16][256];
} warnings;

static void note(void *user, const md5_error *warning)
{
    warnings *t = user;
    if (t->count < 16)
        snprintf(t->text[t->count], sizeof t->text[0], "%s", warning->message);
    t->count++;
    CHECK_UINT(warning->status, MD5_WARNING);
    CHECK_UINT(warning->line, 0);
    CHECK_STRING(warning->file, "walk.md5anim");
}

static bool was_reported(const warnings *t, const char *text)
{
    for (uint32_t i = 0; i < t->count && i < 16; i++) {
        if (strcmp(t->text[i], text) == 0)
            return true;
    }
    for (uint32_t i = 0; i < t->count && i < 16; i++)
        printf("warnings: %s\n", t->text[i]);
    return false;
}

static md5_binding *bind(const generated_clip *model, const generated_clip *anim, warnings *t)
{
    memset(t, 0, sizeof *t);
    const md5_load_opts opts = {.file_name = "walk.md5anim", .warn = note, .warn_user = t};
    md5_error error = {0};
    md5_binding *binding = md5_bind(&model->model, &anim->anim, &opts, &error);
    CHECK(binding);
    CHECK_UINT(error.status, MD5_OK);
    return binding;
}

static const md5_sample_position half_way = {.frame0 = 0, .frame1 = 1, .fraction = 0.5f};

// Computes the model-space matrices of model and animation halfway between frames 0 and 1.
static void pose_both(const md5_binding *binding, md5_root root, md5_xform *pose, md5_mat34 *joints,
                      md5_mat34 *anim_joints)
{
    md5_xform anim_pose[MAX_JOINTS];
    sample_anim(binding->anim, half_way, root, anim_pose);
    md5_local_to_model(&binding->anim->skeleton, anim_pose, anim_joints);
    md5_sample(binding, half_way, root, pose);
    md5_local_to_model(binding->skeleton, pose, joints);
}

static double difference(const md5_mat34 *a, const md5_mat34 *b)
{
    double max_difference = 0;
    for (int i = 0; i < 12; i++)
        real_update_max(&max_difference, fabs((double)a->m[i] - b->m[i]));
    return max_difference;
}

// A model and a clip of random poses, bound.
typedef struct bound {
    generated_clip model;
    generated_clip anim;
    warnings t;
    md5_binding *binding;
} bound;

static void begin(bound *fixture, uint64_t seed, const part *model, uint32_t num_joints,
                  const part *anim, uint32_t num_tracks, uint32_t num_warnings)
{
    make(&fixture->model, model, num_joints, &seed);
    make(&fixture->anim, anim, num_tracks, &seed);
    fixture->binding = bind(&fixture->model, &fixture->anim, &fixture->t);
    CHECK_UINT(fixture->t.count, num_warnings);
}

#define TEST_HERE(title, seed, model, anim, num_warnings)                                        \
    TEST_WITH (title, bound, fixture,                                                            \
               begin(fixture, seed, model, COUNT_OF(model), anim, COUNT_OF(anim), num_warnings), \
               md5_free_binding(fixture->binding))

static void check_counts(const md5_binding *binding, uint32_t missing, uint32_t extra,
                         uint32_t rebases)
{
    CHECK_UINT(binding->num_missing, missing);
    CHECK_UINT(binding->num_extra, extra);
    CHECK_UINT(binding->num_rebases, rebases);
}

// Joints have the transforms of the clip, or of the bind pose if the clip does not drive them.
static bool is_driven(const md5_binding *binding, const generated_clip *model, md5_root root,
                      double tolerance)
{
    md5_xform pose[MAX_JOINTS];
    md5_mat34 joints[MAX_JOINTS];
    md5_mat34 anim_joints[MAX_JOINTS];
    bool all = true;
    pose_both(binding, root, pose, joints, anim_joints);
    for (uint32_t i = 0; i < binding->skeleton->num_joints; i++) {
        const uint32_t track = binding->tracks[i];
        all = all
              && (track == MD5_NONE ? memcmp(&pose[i], &model->local[i], sizeof pose[i]) == 0
                                    : difference(&joints[i], &anim_joints[track]) <= tolerance);
    }
    return all;
}

// Each joint has the transforms of its track.
static void check_tracks(const bound *fixture, md5_root root)
{
    md5_xform pose[MAX_JOINTS];
    md5_xform expected[MAX_JOINTS];
    md5_sample(fixture->binding, half_way, root, pose);
    sample_anim(&fixture->anim.anim, half_way, root, expected);
    for (uint32_t i = 0; i < fixture->binding->skeleton->num_joints; i++)
        CHECK_BYTES(&pose[i], &expected[fixture->binding->tracks[i]], sizeof *pose);
}

// -- Cases --------------------------------------------------------------------------------------

static const part walker[] = {{"origin", MD5_NONE}, {"hips", 0}, {"spine", 1},
                              {"head", 2},          {"arm", 2},  {"hand", 4}};

TEST_HERE (bind_of_equal_skeletons_keeps_all_tracks, 1, walker, walker, 0) {
    CHECK(fixture->binding->same_order);
    check_counts(fixture->binding, 0, 0, 0);
    for (int root = MD5_ROOT_FILE; root <= MD5_ROOT_IN_PLACE; root++)
        check_tracks(fixture, (md5_root)root);
    md5_free_binding(NULL);
}

static const part shuffled[] = {{"hand", 3}, {"head", 2}, {"spine", 4},
                                {"arm", 2},  {"hips", 5}, {"origin", MD5_NONE}};

TEST_HERE (bind_finds_joints_in_another_order, 2, shuffled, walker, 0) {
    static const uint32_t tracks[] = {5, 3, 2, 4, 1, 0};
    CHECK(!fixture->binding->same_order);
    check_counts(fixture->binding, 0, 0, 0);
    CHECK_BYTES(fixture->binding->tracks, tracks, sizeof tracks);
    for (int root = MD5_ROOT_FILE; root <= MD5_ROOT_IN_PLACE; root++)
        check_tracks(fixture, (md5_root)root);
}

static const part without_arm[] = {{"origin", MD5_NONE}, {"hips", 0}, {"spine", 1}, {"head", 2}};

TEST_HERE (bind_missing_joint_keeps_its_bind_pose, 3, walker, without_arm, 2) {
    CHECK(was_reported(
        &fixture->t,
        "joint 4 'arm' of the model is missing in the animation: it keeps its bind pose"));
    check_counts(fixture->binding, 2, 0, 0);
    CHECK(!fixture->binding->same_order && fixture->binding->tracks[5] == MD5_NONE);
    md5_xform pose[MAX_JOINTS];
    md5_sample(fixture->binding, half_way, MD5_ROOT_FILE, pose);
    CHECK_BYTES(&pose[4], &fixture->model.local[4], 2 * sizeof *pose);
}

// If the animation has additional joints after the model's joints, it is still sampled in the order
// of the model, and writes nothing past the pose.
TEST_HERE (bind_extra_joints_at_the_end, 4, without_arm, walker, 2) {
    CHECK(was_reported(&fixture->t,
                       "joint 5 'hand' of the animation is missing in the model: it is ignored"));
    CHECK(fixture->binding->same_order);
    check_counts(fixture->binding, 0, 2, 0);
    check_tracks(fixture, MD5_ROOT_ID);
    md5_xform pose[MAX_JOINTS];
    memset(pose, 0x5A, sizeof pose);
    md5_sample(fixture->binding, half_way, MD5_ROOT_ID, pose);
    CHECK(*(const unsigned char *)&pose[4] == 0x5A);
}

// The model does not have the animation's root, and not a joint between the root and the hand.
static const part rootless[] = {{"hips", MD5_NONE}, {"spine", 0}, {"head", 1}, {"hand", 1}};

TEST_HERE (bind_extra_joints_move_their_descendants, 5, rootless, walker, 4) {
    CHECK(was_reported(&fixture->t,
                       "parent of joint 'hand' differs: 'arm' in the animation, 'spine' in the "
                       "model; the joint follows the joints in between, which the model lacks"));
    CHECK(was_reported(
        &fixture->t, "parent of joint 'hips' differs: 'origin' in the animation, no parent in the "
                     "model; the joint follows the joints in between, which the model lacks"));
    check_counts(fixture->binding, 0, 2, 2);
    for (int root = MD5_ROOT_FILE; root <= MD5_ROOT_IN_PLACE; root++)
        CHECK(is_driven(fixture->binding, &fixture->model, (md5_root)root, 2e-5));
}

// The model has a joint above the root and one in the middle that the animation does not have.
static const part between[] = {{"world", MD5_NONE}, {"origin", 0}, {"hips", 1}, {"belly", 2},
                               {"spine", 3},        {"head", 4},   {"arm", 4},  {"hand", 6}};

TEST_HERE (bind_intermediate_joints_do_not_displace_others, 6, between, walker, 4) {
    CHECK(was_reported(&fixture->t, "parent of joint 'spine' differs: 'hips' in the animation, "
                                    "'belly' in the model; the joint follows the animation"));
    CHECK(was_reported(&fixture->t, "parent of joint 'origin' differs: no parent in the animation, "
                                    "'world' in the model; the joint follows the animation"));
    check_counts(fixture->binding, 2, 0, 2);
    CHECK(is_driven(fixture->binding, &fixture->model, MD5_ROOT_ID, 2e-5));
}

// In the animation the hand is a child of the origin, not of the arm. The model's joints between
// the origin and the hand must not affect the hand, although the clip drives them. In the animation
// they also have other parents.
static const part undone[] = {{"hand", 1},  {"origin", MD5_NONE}, {"hips", 1}, {"extra", 2},
                              {"spine", 3}, {"head", 4},          {"arm", 2}};

TEST_HERE (bind_compensates_animated_intermediate_joints, 13, walker, undone, 4) {
    CHECK(was_reported(&fixture->t, "parent of joint 'hand' differs: 'origin' in the animation, "
                                    "'arm' in the model; the joint follows the animation"));
    check_counts(fixture->binding, 0, 1, 3);
    CHECK(is_driven(fixture->binding, &fixture->model, MD5_ROOT_FILE, 2e-5));
}

// In the animation the hand is a child of the head, which is not its ancestor in the model.
static const part contrary[] = {{"origin", MD5_NONE}, {"hips", 0}, {"spine", 1},
                                {"head", 2},          {"arm", 2},  {"hand", 3}};

TEST_HERE (bind_uses_the_models_hierarchy_where_they_contradict, 7, walker, contrary, 1) {
    CHECK(was_reported(
        &fixture->t, "parent of joint 'hand' differs: 'head' in the animation, 'arm' in the model; "
                     "the hierarchies contradict each other: using the hierarchy of the model"));
    CHECK_UINT(fixture->binding->num_rebases, 1);
    CHECK(fixture->binding->same_order);
    check_tracks(fixture, MD5_ROOT_FILE);
}

static const part two[] = {{"a", MD5_NONE}, {"x", 0}, {"x", 0}, {"b", 0}, {"X", 0}};
static const part three[] = {{"x", 3}, {"b", 3}, {"x", 3}, {"a", MD5_NONE}, {"x", 3}};

// One joint of the model and one joint of the clip remain without a partner, because their names
// differ only by case.
TEST_HERE (bind_pairs_joints_of_one_name_in_order, 8, three, two, 2) {
    static const uint32_t tracks[] = {1, 3, 2, 0, MD5_NONE};
    CHECK_BYTES(fixture->binding->tracks, tracks, sizeof tracks);
    CHECK_UINT(fixture->binding->num_missing, 1);
    CHECK_UINT(fixture->binding->num_extra, 1);
}

TEST (bind_error_names_the_first_difference) {
    uint64_t random = 9;
    static const part parts[] = {{"root", MD5_NONE}, {"body\n", 0}};
    generated_clip model;
    generated_clip anim;
    make(&model, walker, 6, &random);
    make(&anim, parts, 2, &random);
    md5_error error = {0};
    memset(&error, 0x5A, sizeof error);
    const md5_load_opts opts = {.file_name = "other.md5anim"};
    CHECK_FAILS(md5_bind(&model.model, &anim.anim, &opts, &error), error, MD5_ERROR_MISMATCH);
    CHECK_STRING(error.file, "other.md5anim");
    CHECK_STRING(error.message,
                 "animation and model have no common joint names: joint 0 is 'origin' in the "
                 "model, 'root' in the animation");

    generated_clip empty;
    make(&empty, parts, 0, &random);
    CHECK_REFUSED(md5_bind(&empty.model, &anim.anim, NULL, &error), error, MD5_ERROR_MISMATCH,
                  "model has no joints: expected at least 1");
    CHECK_REFUSED(md5_bind(&model.model, &empty.anim, NULL, &error), error, MD5_ERROR_MISMATCH,
                  "animation has no joints: expected at least 1");
    CHECK(md5_bind(&model.model, &anim.anim, NULL, NULL) == NULL);
}

static const md5_load_opts any = {.allow_partial_binding = true};

// Half of the joints of each skeleton must have a partner. The names of the other joints do not
// matter.
TEST (bind_rejects_fewer_than_half_of_either_skeleton) {
    static const struct {
        uint32_t num_model;
        uint32_t num_anim;
        uint32_t num_shared;
        const char *message; // NULL: it is bound
    } rows[] = {
        {6, 6, 3, NULL},
        {6, 3, 3, NULL},
        {3, 6, 3, NULL},
        {6, 6, 2,
         "too few common joints: 2 of 6 joints of the model are in the animation, expected at "
         "least half; set 'allow_partial_binding' to allow it; missing: 'spine', 'head', 'arm', "
         "'hand'"},
        {6, 2, 2,
         "too few common joints: 2 of 6 joints of the model are in the animation, expected at "
         "least half; set 'allow_partial_binding' to allow it; missing: 'spine', 'head', 'arm', "
         "'hand'"},
        {2, 5, 2,
         "too few common joints: 2 of 5 joints of the animation are in the model, expected at "
         "least half; set 'allow_partial_binding' to allow it; missing: 'c', 'd', 'e'"},
    };
    uint64_t random = 12;
    for (size_t j = 0; j < COUNT_OF(rows); j++) {
        part parts[] = {{"a", MD5_NONE}, {"b", 0}, {"c", 1}, {"d", 2}, {"e", 2}, {"f", 4}};
        for (uint32_t i = 0; i < rows[j].num_shared; i++)
            parts[i].name = walker[i].name;
        generated_clip model;
        generated_clip anim;
        make(&model, walker, rows[j].num_model, &random);
        make(&anim, parts, rows[j].num_anim, &random);
        for (int by_model = 0; by_model < 2; by_model++) {
            md5_error error = {0};
            SCOPED_BINDING strict = by_model ? md5_bind(&model.model, &anim.anim, NULL, &error)
                                             : md5_bind_skeleton(&model.model.skeleton, model.local,
                                                                 &anim.anim, NULL, &error);
            CHECK(!strict == (rows[j].message != NULL));
            const md5_status status = rows[j].message ? MD5_ERROR_MISMATCH : MD5_OK;
            const char *const message = rows[j].message ? rows[j].message : "";
            CHECK_ERROR(error, status, message);
        }
        SCOPED_BINDING partial = md5_bind(&model.model, &anim.anim, &any, NULL);
        CHECK(partial);
        CHECK_UINT(partial->num_missing, rows[j].num_model - rows[j].num_shared);
        CHECK_UINT(partial->num_extra, rows[j].num_anim - rows[j].num_shared);
    }
}

// A message contains as many whole names as fit into it.
TEST (bind_error_names_few_of_many_joints) {
    char names[6][200];
    part parts[6];
    for (uint32_t i = 0; i < 6; i++) {
        memset(names[i], 'a' + (int)i, sizeof names[i] - 1);
        names[i][sizeof names[i] - 1] = '\0';
        parts[i] = (part){names[i], 0};
    }
    parts[0] = (part){"origin", MD5_NONE};
    uint64_t random = 13;
    generated_clip model;
    generated_clip anim;
    make(&model, walker, 2, &random);
    make(&anim, parts, 6, &random);
    md5_error error = {0};
    CHECK_FAILS(md5_bind(&model.model, &anim.anim, NULL, &error), error, MD5_ERROR_MISMATCH);
    CHECK(strstr(error.message, "missing: 'bbbb") && !strstr(error.message, "ccc"));
    CHECK(strlen(error.message) < sizeof error.message - 1);
}

// -- Many joints --------------------------------------------------------------------------------

// Pairs of names whose 64-bit FNV-1a hashes have the same last 32 bits.
static const char *const equal_hashes[] = {"joint_16059",  "joint_674174", "joint_16058",
                                           "joint_674175", "joint_16055",  "joint_674178"};

// Writes the name of a joint to `name`. The first joints form pairs whose names have equal hashes,
// and each of these names occurs twice. The remaining joints have different names.
static void name_joint(uint32_t joint, char name[16])
{
    if (joint < 2 * COUNT_OF(equal_hashes))
        snprintf(name, 16, "%s", equal_hashes[joint % COUNT_OF(equal_hashes)]);
    else
        snprintf(name, 16, "bone%u", (unsigned)joint);
}

// Appends a model or a clip of one frame whose joints have no parents. Joint i has the name of
// joint order[i].
static void append_joints(test_text *text, bool is_model, const uint32_t *order, uint32_t count)
{
    if (is_model)
        test_append(text, "MD5Version 10 numJoints %u numMeshes 0 joints {", (unsigned)count);
    else
        test_append(text,
                    "MD5Version 10 numFrames 1 numJoints %u frameRate 24 "
                    "numAnimatedComponents 0 hierarchy {",
                    (unsigned)count);
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        name_joint(order[i], name);
        test_append(text, " \"%s\" -1 %s\n", name, is_model ? "( 0 0 0 ) ( 0 0 0 )" : "0 0");
    }
    test_append(text, "}");
    if (is_model)
        return;
    test_append(text, " bounds { ( 0 0 0 ) ( 0 0 0 ) } baseframe {");
    for (uint32_t i = 0; i < count; i++)
        test_append(text, " ( 0 0 0 ) ( 0 0 0 )\n");
    test_append(text, "} frame 0 { }");
}

// Checks `tracks` by a search of all joints: the k-th joint of a name belongs to the k-th joint of
// this name in the animation.
static void check_matches(const md5_skeleton *model, const md5_skeleton *anim,
                          const uint32_t *tracks)
{
    bool *const is_used = calloc(anim->num_joints, sizeof *is_used);
    for (uint32_t joint = 0; joint < model->num_joints; joint++) {
        uint32_t expected = 0;
        while (is_used[expected]
               || strcmp(model->joints[joint].name, anim->joints[expected].name) != 0)
            expected++;
        is_used[expected] = true;
        CHECK_UINT(tracks[joint], expected);
    }
    free(is_used);
}

// From 256 names on, a different sorting algorithm is used.
TEST (bind_finds_each_of_many_joints) {
    static const uint32_t counts[] = {255, 256, 257, 1000};
    uint64_t random = 14;
    for (size_t row = 0; row < COUNT_OF(counts); row++) {
        const uint32_t count = counts[row];
        uint32_t order[1000];
        for (uint32_t i = 0; i < count; i++)
            order[i] = i;
        test_text model_text = {0};
        append_joints(&model_text, true, order, count);
        SCOPED_MODEL model = md5_parse_model(model_text.bytes, model_text.used, NULL, NULL);
        free(model_text.bytes);
        for (uint32_t i = count; i-- > 1;) {
            const uint32_t swapped = test_random_u32(&random) % i;
            const uint32_t swap = order[i];
            order[i] = order[swapped];
            order[swapped] = swap;
        }
        test_text anim_text = {0};
        append_joints(&anim_text, false, order, count);
        SCOPED_ANIM anim = md5_parse_anim(anim_text.bytes, anim_text.used, NULL, NULL);
        free(anim_text.bytes);
        SCOPED_BINDING binding = md5_bind(model, anim, NULL, NULL);
        CHECK(binding);
        check_matches(&model->skeleton, &anim->skeleton, binding->tracks);
    }
}

// -- Properties ---------------------------------------------------------------------------------

// Selects some joints of a tree, in random order, and returns their number. The model and the
// animation contain different selections. The children of an omitted joint become children of its
// nearest ancestor that is present.
static uint32_t select_subtree(const int32_t *parents, uint32_t count, const bool *kept,
                               char (*names)[16], part *parts, uint64_t *random)
{
    uint32_t kept_indices[MAX_JOINTS];
    uint32_t num_kept = 0;
    uint32_t number[MAX_JOINTS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (kept[i])
            kept_indices[num_kept++] = i;
    }
    for (uint32_t i = num_kept; i-- > 1;) {
        const uint32_t swap_index = test_random_u32(random) % (i + 1);
        const uint32_t swap = kept_indices[i];
        kept_indices[i] = kept_indices[swap_index];
        kept_indices[swap_index] = swap;
    }
    for (uint32_t i = 0; i < num_kept; i++)
        number[kept_indices[i]] = i;
    for (uint32_t i = 0; i < num_kept; i++) {
        int32_t parent = parents[kept_indices[i]];
        while (parent >= 0 && !kept[parent])
            parent = parents[parent];
        parts[i] = (part){names[kept_indices[i]], parent < 0 ? MD5_NONE : number[parent]};
    }
    return num_kept;
}

// The model and the animation omit and add random joints. If their ancestors do not contradict each
// other, each driven joint has the transform of the animation.
TEST (bind_places_animated_joints_as_the_clip_does) {
    uint64_t random = 10;
    char names[MAX_JOINTS][16];
    for (int i = 0; i < MAX_JOINTS; i++)
        snprintf(names[i], sizeof names[i], "j%d", i);
    uint32_t num_rebases = 0;
    for (int round = 0; round < 1000; round++) {
        const uint32_t count = 2 + test_random_u32(&random) % (MAX_JOINTS - 2);
        int32_t parents[MAX_JOINTS];
        bool in_model[MAX_JOINTS];
        bool in_anim[MAX_JOINTS];
        const double loss = 0.5 * test_random(&random);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t num_choices = i < 3 ? i : 3;
            parents[i] = -1;
            if (i > 0)
                parents[i] = (int32_t)(i - 1 - test_random_u32(&random) % num_choices);
            in_model[i] = i == 1 || test_random(&random) >= loss;
            in_anim[i] = i == 1 || test_random(&random) >= loss;
        }
        part parts[MAX_JOINTS];
        generated_clip model;
        generated_clip anim;
        make(&model, parts, select_subtree(parents, count, in_model, names, parts, &random),
             &random);
        make(&anim, parts, select_subtree(parents, count, in_anim, names, parts, &random), &random);

        SCOPED_BINDING binding = md5_bind(&model.model, &anim.anim, &any, NULL);
        REQUIRE(binding);
        num_rebases += binding->num_rebases;
        REQUIRE(is_driven(binding, &model, (md5_root)(round % 3), 2e-4));
    }
    CHECK(num_rebases > 1000);
}

TEST (bind_survives_failure_of_every_allocation) {
    uint64_t random = 11;
    static const part parts[] = {{"world", MD5_NONE}, {"hips", 0}, {"hand", 1}};
    generated_clip model;
    generated_clip anim;
    make(&model, parts, 3, &random);
    make(&anim, walker, 6, &random);
    size_t num_failed = 0;
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        failure.opts.allow_partial_binding = true;
        SCOPED_BINDING binding = md5_bind(&model.model, &anim.anim, &failure.opts, &failure.error);
        CHECK_FAILURE(failure, binding);
        CHECK_UINT(failure.heap.live, binding ? 1 : 0);
        CHECK_UINT(failure.heap.live_bytes, binding ? binding->size : 0);
        num_failed += !binding;
    }
    CHECK(num_failed > 1);
    md5_error error = {0};
    const md5_load_opts small = {.allocator = {.limit = 100}, .allow_partial_binding = true};
    CHECK_FAILS(md5_bind(&model.model, &anim.anim, &small, &error), error, MD5_ERROR_MEMORY);
}

// A load that failed needs no check before md5_bind().
TEST (bind_keeps_the_error_of_a_failed_load) {
    uint64_t random = 11;
    static const part parts[] = {{"world", MD5_NONE}, {"hips", 0}, {"hand", 1}};
    generated_clip model;
    make(&model, parts, 3, &random);
    md5_error error = {.status = MD5_OK};
    md5_anim *const anim = md5_parse_anim("MD5Version 10 ?", 15, NULL, &error);
    const md5_error first = error;
    CHECK(!anim && first.status == MD5_ERROR_SYNTAX);
    CHECK(md5_bind(&model.model, anim, NULL, &error) == NULL);
    CHECK(md5_bind(NULL, anim, NULL, &error) == NULL && md5_bind(NULL, NULL, NULL, NULL) == NULL);
    CHECK_BYTES(&error, &first, sizeof error);
    // Without an earlier failure the error reports the missing argument.
    error = (md5_error){.status = MD5_OK};
    CHECK_SAYS(md5_bind(&model.model, NULL, NULL, &error), error, MD5_ERROR_MISSING,
               "argument 'anim' is missing: expected an object, found NULL");
}

// -- Hostile skeletons --------------------------------------------------------------------------

typedef struct giant {
    md5_joint *joints;
    uint32_t *order;
    md5_xform *transforms;
    char (*names)[12];
} giant;

static giant make_giant(uint32_t count)
{
    const giant big = {
        .joints = test_calloc(count, sizeof *big.joints),
        .order = test_calloc(count, sizeof *big.order),
        .transforms = test_calloc(count, sizeof *big.transforms),
        .names = test_calloc(count, sizeof *big.names),
    };
    for (uint32_t i = 0; i < count; i++) {
        big.joints[i] = (md5_joint){big.names[i], MD5_NONE};
        big.order[i] = i;
        big.transforms[i] = (md5_xform){.rotation = {0, 0, 0, -1}};
    }
    return big;
}

static void free_giant(giant *big)
{
    free(big->joints);
    free(big->order);
    free(big->transforms);
    free(big->names);
}

// A chain of joints that only the animation has, with a driven joint below each: composing each
// driven joint from all its ancestors would be 10^10 steps.
TEST (bind_and_sample_stay_linear) {
    enum { HALF = 100000 };
    giant model = make_giant(HALF);
    giant anim = make_giant(2 * HALF);
    for (uint32_t i = 0; i < HALF; i++) {
        snprintf(model.names[i], sizeof model.names[i], "j%u", HALF - i);
        snprintf(anim.names[2 * i], sizeof anim.names[0], "x%u", i);
        snprintf(anim.names[2 * i + 1], sizeof anim.names[0], "j%u", i + 1);
        anim.joints[2 * i].parent = i == 0 ? MD5_NONE : 2 * i - 2;
        anim.joints[2 * i + 1].parent = 2 * i;
        anim.transforms[2 * i].translation.x = 1;
    }
    const md5_model model_asset = {
        .skeleton = {.num_joints = HALF, .joints = model.joints, .order = model.order},
        .bind_local = model.transforms,
    };
    const md5_anim anim_asset = {
        .skeleton = {.num_joints = 2 * HALF, .joints = anim.joints, .order = anim.order},
        .base_frame = anim.transforms,
        .num_frames = 1,
        .frame_rate = 1,
        .constant = anim.transforms,
    };
    warnings t = {0};
    const md5_load_opts opts = {.file_name = "walk.md5anim", .warn = note, .warn_user = &t};
    SCOPED_BINDING binding = md5_bind(&model_asset, &anim_asset, &opts, NULL);
    if (CHECK(binding)) {
        CHECK_UINT(binding->num_missing, 0);
        CHECK_UINT(binding->num_extra, HALF);
        CHECK_UINT(binding->num_rebases, HALF);
        CHECK_UINT(t.count, 100); // further ones are only counted
        SCOPED_ARRAY(md5_xform, pose, HALF);
        const md5_sample_position start = {0};
        md5_sample(binding, start, MD5_ROOT_FILE, pose);
        // j<k> has k ancestors that the model lacks, each a unit further along x.
        CHECK_EXACT(pose[HALF - 1].translation.x, 1);
        CHECK_EXACT(pose[HALF - 30].translation.x, 30);
        // Long walks share a budget of steps (binding.c), which suffices for the first joint.
        CHECK_EXACT(pose[0].translation.x, HALF);
    }
    free_giant(&model);
    free_giant(&anim);
}
