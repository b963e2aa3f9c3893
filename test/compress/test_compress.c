// Compressed clips: compares the displacement of every vertex, computed in double from the weights
// of the file, with the error that the clip reports.
#include "test/scoped.h"
#include "test/pose/test_generated_pose.h"
#include "test/real.h"
#include "test/pose/instruction_sets.h"

// -- Independent forward kinematics, in doubles ------------------------------------------------

static void walk(const md5_skeleton *skeleton, const md5_xform *pose, real_transform *joints)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        const real_transform local = {to_unit_real4(pose[joint].rotation),
                                      to_real3(pose[joint].translation)};
        joints[joint] = local;
        if (parent != MD5_NONE) {
            const real_transform *const above = &joints[parent];
            joints[joint].rotation = real4_mul(above->rotation, local.rotation);
            joints[joint].translation =
                real3_add(above->translation, real4_rotate(above->rotation, local.translation));
        }
    }
}

static real3 placed(const real_transform *joint, real3 at)
{
    return real3_add(joint->translation, real4_rotate(joint->rotation, at));
}

// Returns the largest distance between the positions of a vertex in two poses.
static double vertex_distance(const md5_model *model, const real_transform *a,
                              const real_transform *b)
{
    double max_distance = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        for (uint32_t v = 0; v < mesh->num_file_vertices; v++) {
            real3 off = {0};
            for (uint32_t k = 0; k < mesh->file_vertices[v].num_weights; k++) {
                const md5_weight *const weight =
                    &mesh->weights[mesh->file_vertices[v].first_weight + k];
                const real3 at = to_real3(weight->offset);
                const real3 moved =
                    real3_sub(placed(&a[weight->joint], at), placed(&b[weight->joint], at));
                off = real3_add(off, real3_scale(moved, weight->bias));
            }
            real_update_max(&max_distance, real3_length(off));
        }
    }
    return max_distance;
}

// Returns the largest distance between the positions of a point in two poses. The points are at
// `distance` from each joint, in six directions.
static double point_distance(uint32_t num_joints, double distance, const real_transform *a,
                             const real_transform *b)
{
    double max_distance = 0;
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        for (int k = 0; k < 6; k++) {
            double axes[3] = {0, 0, 0};
            axes[k / 2] = k % 2 ? -distance : distance;
            const real3 point = {axes[0], axes[1], axes[2]};
            real_update_max(&max_distance,
                            real3_distance(placed(&a[joint], point), placed(&b[joint], point)));
        }
    }
    return max_distance;
}

// -- Real clips -------------------------------------------------------------------------------

typedef struct clip_case {
    md5_model *model; // NULL: points 4 units from each joint
    md5_anim *anim;
    md5_anim *compressed;
} clip_case;

static void free_case(clip_case *fixture)
{
    md5_free_anim(fixture->compressed);
    md5_free_anim(fixture->anim);
    md5_free_model(fixture->model);
}
#define SCOPED_CASE __attribute__((cleanup(free_case))) clip_case

static double measured(const clip_case *fixture)
{
    const md5_skeleton *const skeleton = &fixture->anim->skeleton;
    const size_t count = skeleton->num_joints;
    SCOPED_ARRAY(md5_xform, pose, count);
    SCOPED_ARRAY(real_transform, joints, 2 * count);
    double max_distance = 0;
    for (uint32_t frame = 0; frame < fixture->anim->num_frames; frame++) {
        const md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
        sample_anim(fixture->anim, sample, MD5_ROOT_FILE, pose);
        walk(skeleton, pose, joints);
        sample_anim(fixture->compressed, sample, MD5_ROOT_FILE, pose);
        walk(skeleton, pose, joints + count);
        const double error = fixture->model
                                 ? vertex_distance(fixture->model, joints, joints + count)
                                 : point_distance(skeleton->num_joints, 4, joints, joints + count);
        real_update_max(&max_distance, error);
    }
    return max_distance;
}

static void compress_case(clip_case *fixture, float tolerance)
{
    md5_error error = {0};
    SCOPED_ARRAY(float, distances, fixture->anim->skeleton.num_joints);
    for (uint32_t i = 0; i < fixture->anim->skeleton.num_joints; i++)
        distances[i] = 4;
    const md5_compress_opts options = {.tolerance = tolerance,
                                       .model = fixture->model,
                                       .distances = fixture->model ? NULL : distances};
    fixture->compressed = md5_compress_anim(fixture->anim, &options, NULL, &error);
    CHECK_DONE(fixture->compressed, error);
}

static double bytes_per_joint_frame(const md5_anim *compressed)
{
    return (double)compressed->packed_size
           / ((double)compressed->skeleton.num_joints * compressed->num_frames);
}

static double check_clip(const char *model, const char *path, float tolerance)
{
    md5_error error = {0};
    double bytes = 0;
    SCOPED_CASE fixture = {.anim = md5_load_anim(path, NULL, &error)};
    fixture.model = model ? our_model(model) : NULL;
    if (CHECK_THAT(fixture.anim && (fixture.model != NULL) == (model != NULL), "%s: %s", path,
                   error.message)) {
        compress_case(&fixture, tolerance);
        if (fixture.compressed) {
            CHECK(fixture.compressed->max_error <= tolerance);
            const double max_found = fixture.compressed->max_error * 1.0001 + 1e-6;
            const double found = measured(&fixture);
            CHECK_THAT(found <= max_found, "%s: %g, but %g is reported", path, found,
                       fixture.compressed->max_error);
            bytes = bytes_per_joint_frame(fixture.compressed);
        }
    }
    return bytes;
}

// The clip is Bobbin's walk: one second of 71 joints, most of which move.
TEST (compress_moves_no_vertex_beyond_the_tolerance) {
    const char *const model = "models/bobbin/bobbin.md5mesh";
    const char *const walk_clip = "models/bobbin/walk.md5anim";
    const double fine = check_clip(model, test_path(walk_clip), 0.01f);
    const double coarse = check_clip(model, test_path(walk_clip), 0.1f);
    CHECK(fine > 0 && fine < 3.6); // bytes per joint and frame; 16.2 uncompressed
    CHECK(coarse > 0 && coarse < 2.3);
    CHECK(check_clip(model, test_path(walk_clip), 1) < coarse);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

// Without a model, none of the usual step sizes meets this tolerance of 0.006 units. The compressor
// must try finer steps.
TEST (compress_uses_finer_steps_if_no_attempt_meets_the_tolerance) {
    SCOPED_ANIM anim = md5_load_anim(test_path("models/zoo/flags.md5anim"), NULL, NULL);
    REQUIRE(anim);
    const md5_compress_opts options = {.tolerance = 0.006f};
    SCOPED_ANIM compressed = md5_compress_anim(anim, &options, NULL, NULL);
    CHECK(compressed && compressed->max_error <= options.tolerance);
}

// Compresses all clips of the corpus with tolerances of 0.01 and 0.1 units. Also checks the median
// of the bytes per joint and frame for each tolerance.
TEST (compress_of_the_corpus_meets_the_tolerance) {
    enum { MAX = 256 };
    double bytes[2][MAX];
    size_t count = 0;
    REQUIRE_CORPUS();
    SCOPED_STRING list = test_read_file(test_path("corpus/PUBLIC_MANIFEST.tsv"), NULL);
    REQUIRE(list);
    for (char *line = strtok(list, "\n"); line && count < MAX; line = strtok(NULL, "\n")) {
        line[strcspn(line, "\t")] = '\0';
        const char *const dot = strrchr(line, '.');
        if (!dot || strcmp(dot, ".md5anim") != 0)
            continue;
        const char *const path = test_pathf("corpus/%s", line);
        bytes[0][count] = check_clip(NULL, path, 0.01f);
        bytes[1][count] = check_clip(NULL, path, 0.1f);
        count++;
    }
    REQUIRE(count > 20);
    qsort(bytes[0], count, sizeof(double), ascending);
    qsort(bytes[1], count, sizeof(double), ascending);
    CHECK(bytes[0][count / 2] <= 3.6);
    CHECK(bytes[1][count / 2] <= 2);
    printf("note: %zu clips, median of bytes a joint-frame at 0.01 and 0.1 units: %.2f, %.2f\n",
           count, bytes[0][count / 2], bytes[1][count / 2]);
}

// -- Sampling ---------------------------------------------------------------------------------

static bool is_same(const md5_xform *a, const md5_xform *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

// Returns a sample position: for even i between two random frames, for odd i at a time of the clip.
// Every fifth position has the fraction 0.
static md5_sample_position test_sample_position(const clip_case *fixture, int i, uint64_t *random)
{
    const uint32_t frames = fixture->anim->num_frames;
    md5_sample_position sample = md5_sample_position_from_frames(
        fixture->anim, test_random_u32(random) % frames, test_random_u32(random) % frames,
        (float)test_random(random));
    if (i % 2)
        sample = md5_sample_position_at(fixture->compressed, 0.0371 * i, MD5_WRAP_CYCLE);
    if (i % 5 == 0)
        sample.fraction = 0;
    return sample;
}

TEST (compress_samples_the_same_bits_with_every_instruction_set) {
    static const float tolerances[] = {0.01f, 0.05f, 0.4f};
    for (int k = 0; k < 3; k++) {
        SCOPED_CASE fixture = {
            .model = our_model("models/bobbin/bobbin.md5mesh"),
            .anim = our_anim("models/bobbin/walk.md5anim"),
        };
        compress_case(&fixture, tolerances[k]);
        SCOPED_BINDING binding = md5_bind(fixture.model, fixture.compressed, NULL, NULL);
        REQUIRE(fixture.compressed && binding);
        const size_t count = fixture.anim->skeleton.num_joints;
        SCOPED_ARRAY(md5_xform, poses, 2 * count);
        uint64_t random = 3;
        for (int i = 0; i < 100; i++) {
            const md5_sample_position sample = test_sample_position(&fixture, i, &random);
            sample_with_set(0, binding, &sample, MD5_ROOT_FILE, poses);
            for (uint32_t set = 1; set < num_instruction_sets(); set++) {
                if (!has_instruction_set(set))
                    continue;
                sample_with_set(set, binding, &sample, MD5_ROOT_FILE, poses + count);
                CHECK(is_same(poses, poses + count, count));
                sample_packed_with_set(set, fixture.compressed, &sample, poses + count);
                CHECK(is_same(poses, poses + count, count));
            }
        }
    }
}

// Sampling does not store state, so the order of samples does not matter. A clip that was written
// and parsed gives the same bits.
TEST (compress_samples_any_position_alone) {
    SCOPED_CASE fixture = {
        .anim = our_anim("models/bobbin/walk.md5anim"),
    };
    compress_case(&fixture, 0.1f);
    REQUIRE(fixture.compressed);
    const size_t size = md5_write_anim(fixture.compressed, NULL, 0);
    SCOPED uint8_t *const bytes = malloc(size);
    CHECK_UINT(md5_write_anim(fixture.compressed, bytes, size), size);
    SCOPED_ANIM again = md5_parse_anim(bytes, size, NULL, NULL);
    const size_t count = fixture.anim->skeleton.num_joints;
    const size_t frames = fixture.anim->num_frames;
    SCOPED_ARRAY(md5_xform, poses, (frames + 1) * count);
    for (uint32_t i = 0; i < frames; i++)
        sample_anim(fixture.compressed, (md5_sample_position){.frame0 = i, .frame1 = i},
                    MD5_ROOT_FILE, poses + i * count);
    md5_xform *const single_pose = poses + frames * count;
    if (again) {
        for (uint32_t i = 0; i < frames; i++) {
            const uint32_t frame = (uint32_t)(i * 7 % frames);
            const md5_sample_position sample = {.frame0 = frame,
                                                .frame1 = (frame + 1) % (uint32_t)frames};
            sample_anim(again, sample, MD5_ROOT_FILE, single_pose);
            CHECK(is_same(single_pose, poses + frame * count, count));
        }
    }
    CHECK(again);
}

// -- Interpolations -------------------------------------------------------------------------------

// Interpolations other than linear use the samples of the frames, and therefore equal the
// interpolation of the decompressed clip. A batch gives the pose of a single call, and palettes are
// the palettes of these poses.
TEST (compressed_clips_are_interpolated_in_all_ways) {
    SCOPED_CASE fixture = {
        .model = our_model("models/bobbin/bobbin.md5mesh"),
        .anim = our_anim("models/bobbin/walk.md5anim"),
    };
    compress_case(&fixture, 0.05f);
    SCOPED_ANIM again =
        fixture.compressed ? md5_decompress_anim(fixture.compressed, NULL, NULL) : NULL;
    SCOPED_BINDING packed = again ? md5_bind(fixture.model, fixture.compressed, NULL, NULL) : NULL;
    SCOPED_BINDING plain = again ? md5_bind(fixture.model, again, NULL, NULL) : NULL;
    if (CHECK(packed && plain)) {
        const size_t count = fixture.anim->skeleton.num_joints;
        SCOPED_ARRAY(md5_xform, poses, 2 * count);
        SCOPED_ARRAY(md5_mat34, palettes, 3 * count);
        uint64_t random = 5;
        for (int i = 0; i < 300; i++) {
            md5_pose_job job = {.binding = packed,
                                .sample = test_sample_position(&fixture, i, &random),
                                .root = (md5_root)(i % 3),
                                .palette = palettes + 2 * count};
            job.sample.interpolation = (md5_interpolation)(i / 3 % 4);
            md5_pose_palette(packed, job.sample, job.root, poses, NULL, palettes);
            md5_local_to_palette(fixture.model, poses, NULL, palettes + count);
            CHECK_BYTES(palettes, palettes + count, count * sizeof *palettes);
            void *const scratch = malloc(md5_pose_batch_scratch(&job, 1, NULL));
            md5_pose_batch(&job, 1, NULL, scratch);
            free(scratch);
            CHECK_BYTES(palettes, job.palette, count * sizeof *palettes);
            if (job.sample.interpolation == MD5_INTERPOLATE_LINEAR)
                continue;
            md5_sample(plain, job.sample, job.root, poses + count);
            CHECK(is_same(poses, poses + count, count));
        }
    }
}

// A compressed clip cannot be compressed again, and only a compressed clip can be written or
// decompressed.
TEST (compress_rejects_compressed_clips_and_decompress_the_others) {
    md5_error error = {0};
    SCOPED_CASE fixture = {.anim = our_anim("models/bobbin/walk.md5anim")};
    compress_case(&fixture, 0.05f);
    CHECK_REFUSED(md5_compress_anim(fixture.compressed, NULL, NULL, &error), error,
                  MD5_ERROR_MISMATCH,
                  "animation is already compressed: expected an uncompressed animation");
    CHECK_REFUSED(md5_decompress_anim(fixture.anim, NULL, &error), error, MD5_ERROR_MISMATCH,
                  "animation is not compressed: expected a compressed animation");
    CHECK(md5_write_anim(fixture.anim, NULL, 0) == 0);
}

// -- Decompressing ----------------------------------------------------------------------------

// The frames of a decompressed clip are bit-identical to the samples at these frames. Decompression
// also sets all other members that loading an animation sets.
TEST (decompress_gives_the_frames_of_the_clip) {
    md5_error error = {0};
    SCOPED_CASE fixture = {.anim = our_anim("models/bobbin/walk.md5anim")};
    compress_case(&fixture, 0.05f);
    const md5_anim *const anim = fixture.anim;
    md5_anim *const decompressed = md5_decompress_anim(fixture.compressed, NULL, &error);
    if (CHECK(decompressed)) {
        CHECK_UINT(decompressed->num_frames, anim->num_frames);
        CHECK(decompressed->frame_rate == anim->frame_rate
              && decompressed->duration == anim->duration);
        CHECK(decompressed->num_rotations > 40
              && decompressed->num_rotations <= anim->num_rotations);
        CHECK(decompressed->num_translations > 4
              && decompressed->num_translations <= anim->num_translations);
        CHECK_UINT(decompressed->num_components,
                   3 * (decompressed->num_rotations + decompressed->num_translations));
        CHECK(decompressed->base_frame[0].translation.z == anim->base_frame[0].translation.z);
        for (uint32_t i = 0; i < anim->skeleton.num_joints; i++) {
            CHECK_STRING(decompressed->skeleton.joints[i].name, anim->skeleton.joints[i].name);
            CHECK(decompressed->skeleton.joints[i].parent == anim->skeleton.joints[i].parent);
        }
        const size_t count = decompressed->skeleton.num_joints;
        SCOPED_ARRAY(md5_xform, poses, 2 * count);
        for (uint32_t frame = 0; frame < decompressed->num_frames; frame++) {
            const md5_sample_position still = {.frame0 = frame, .frame1 = frame};
            sample_anim(fixture.compressed, still, MD5_ROOT_ID, poses);
            sample_anim(decompressed, still, MD5_ROOT_ID, poses + count);
            CHECK(is_same(poses, poses + count, count));
        }
    }
    md5_free_anim(decompressed);
    test_heap heap = {.fail_at = 1};
    const md5_load_opts opts = heap_opts(&heap, 0);
    CHECK_FAILS(md5_decompress_anim(fixture.compressed, &opts, &error), error, MD5_ERROR_MEMORY);
    const md5_load_opts small = {.allocator = {.limit = 100}};
    CHECK_FAILS(md5_decompress_anim(fixture.compressed, &small, &error), error, MD5_ERROR_MEMORY);
}

// -- Large clips ----------------------------------------------------------------------------------

// Compressed clips of many joints: allocations that fail in every step of the work, and bindings to
// models that lack joints of a branch.

// -- Generated clips --------------------------------------------------------------------------

enum { LINE = 160 };

// Text that grows.
typedef struct text {
    char *at;
    size_t size;
    size_t capacity;
} text;

static void add(text *to, const char *line)
{
    const size_t length = strlen(line);
    if (to->size + length >= to->capacity) {
        to->capacity = 2 * (to->capacity + length);
        to->at = realloc(to->at, to->capacity);
    }
    memcpy(to->at + to->size, line, length + 1);
    to->size += length;
}

// Branches of four joints. Each joint rotates about z and, except every fifth, moves along x, each
// with a different curve.
static md5_anim *make_branches(uint32_t num_joints, uint32_t num_frames)
{
    text buffer = {.capacity = 4096, .at = malloc(4096)};
    char line[LINE];
    snprintf(line, LINE,
             "MD5Version 10\ncommandline \"\"\nnumFrames %u\nnumJoints %u\nframeRate 24\n"
             "numAnimatedComponents %u\nhierarchy {\n",
             num_frames, num_joints, 2 * num_joints);
    add(&buffer, line);
    for (uint32_t i = 0; i < num_joints; i++) {
        int32_t parent = (int32_t)i - 1;
        if (i % 4 == 0 && i > 0)
            parent = 0;
        snprintf(line, LINE, "\"joint%u\" %d 33 %u\n", i, parent, 2 * i);
        add(&buffer, line);
    }
    add(&buffer, "}\nbounds {\n");
    for (uint32_t i = 0; i < num_frames; i++)
        add(&buffer, "( 0 0 0 ) ( 1 1 1 )\n");
    add(&buffer, "}\nbaseframe {\n");
    for (uint32_t i = 0; i < num_joints; i++)
        add(&buffer, "( 1 2 3 ) ( 0 0 0 )\n");
    add(&buffer, "}\n");
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        snprintf(line, LINE, "frame %u {\n", frame);
        add(&buffer, line);
        for (uint32_t i = 0; i < num_joints; i++) {
            const double along = i % 5 == 4 ? 2 : 1 + sin(0.9 * frame + i);
            snprintf(line, LINE, "%f %f\n", along, 0.3 * cos(1.7 * frame + 0.5 * i));
            add(&buffer, line);
        }
        add(&buffer, "}\n");
    }
    md5_error error = {0};
    md5_anim *const anim = md5_parse_anim(buffer.at, buffer.size, NULL, &error);
    CHECK_DONE(anim, error);
    free(buffer.at);
    return anim;
}

// -- Memory -----------------------------------------------------------------------------------

static const char beginning[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 0\njoints {\n"
    "\"joint0\" -1 ( 0 0 1 ) ( 0 0 0 )\n}\n";

// The arena grows in steps, so clips of different sizes fail in different allocations.
static const struct {
    uint32_t joints;
    uint32_t frames;
} sizes[] = {{3, 2},    {40, 2},   {65, 2},   {90, 2},   {120, 2},  {150, 2},  {200, 2},
             {260, 2},  {330, 2},  {400, 2},  {550, 2},  {8, 150},  {20, 150}, {700, 2},
             {1100, 2}, {1500, 2}, {1900, 2}, {2400, 2}, {3000, 2}, {5000, 2}};
enum { NUM_SIZES = COUNT_OF(sizes), MAX_FAILURES = 100, LARGE = 600, FIRST = 6 };

// Returns the number of allocations that fail in turn. In large clips only the first ones fail,
// because a complete run takes long.
static size_t max_failures(int i)
{
    return sizes[i].joints > LARGE ? FIRST : MAX_FAILURES;
}

TEST_LONG (compress_of_many_joints_survives_failure_of_every_allocation) {
    for (int k = 0; k < 2 * NUM_SIZES; k++) {
        const int i = k / 2;
        SCOPED_ANIM anim = make_branches(sizes[i].joints, sizes[i].frames);
        SCOPED_MODEL model = text_model(beginning, NULL);
        bool done = false;
        for (size_t n = 1; n <= max_failures(i) && !done; n++) {
            test_heap heap = {.fail_at = n};
            md5_load_opts opts = heap_opts(&heap, 0);
            opts.allow_partial_binding = true; // the model has one of the joints
            md5_error error = {0};
            const md5_compress_opts options = {.model = k % 2 == 0 ? model : NULL};
            md5_anim *const compressed = md5_compress_anim(anim, &options, &opts, &error);
            CHECK_UINT(error.status, compressed ? MD5_OK : MD5_ERROR_MEMORY);
            CHECK(!compressed || compressed->max_error <= compressed->tolerance);
            done = compressed != NULL;
            md5_free_anim(compressed);
            CHECK_UINT(heap.live, 0);
        }
        CHECK(done || sizes[i].joints > LARGE);
    }
}

static bool poses_equal(const md5_anim *a, const md5_anim *b)
{
    const size_t num_joints = a->skeleton.num_joints;
    const md5_sample_position sample = {.frame1 = 1, .fraction = 0.25f};
    SCOPED_ARRAY(md5_xform, poses, 2 * num_joints);
    sample_anim(a, sample, MD5_ROOT_FILE, poses);
    sample_anim(b, sample, MD5_ROOT_FILE, poses + num_joints);
    const bool same = memcmp(poses, poses + num_joints, num_joints * sizeof *poses) == 0;
    return same && a->packed_size == b->packed_size;
}

TEST_LONG (compress_file_of_many_joints_survives_failure_of_every_allocation) {
    for (int i = 0; i < NUM_SIZES; i++) {
        SCOPED_ANIM anim = make_branches(sizes[i].joints, sizes[i].frames);
        SCOPED_ANIM buffer = md5_compress_anim(anim, NULL, NULL, NULL);
        const size_t size = md5_write_anim(buffer, NULL, 0);
        SCOPED void *const bytes = malloc(size);
        CHECK_UINT(md5_write_anim(buffer, bytes, size), size);
        bool done = false;
        for (size_t n = 1; n <= max_failures(i) && !done; n++) {
            test_heap heap = {.fail_at = n};
            const md5_load_opts opts = heap_opts(&heap, 0);
            md5_error error = {0};
            md5_anim *const read = md5_parse_anim(bytes, size, &opts, &error);
            CHECK_UINT(error.status, read ? MD5_OK : MD5_ERROR_MEMORY);
            CHECK(!read || poses_equal(buffer, read));
            done = read != NULL;
            md5_free_anim(read);
            CHECK_UINT(heap.live, 0);
        }
        CHECK(done || sizes[i].joints > LARGE);
    }
}

// -- Bindings ---------------------------------------------------------------------------------

// Three models: without the middle of a branch, without the beginning of a branch, without gaps.
STRINGS(gaps) = {
    "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 0\njoints {\n"
    "\"joint0\" -1 ( 0 0 1 ) ( 0 0 0 )\n\"joint3\" 0 ( 3 0 1 ) ( 0 0.1 0 )\n}\n",
    "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 0\njoints {\n"
    "\"joint2\" -1 ( 0 0 1 ) ( 0 0 0 )\n\"joint3\" 0 ( 3 0 1 ) ( 0 0.1 0 )\n}\n",
    "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 0\njoints {\n"
    "\"joint0\" -1 ( 0 0 1 ) ( 0 0 0 )\n\"joint1\" 0 ( 3 0 1 ) ( 0 0.1 0 )\n}\n",
};
enum { NUM_GAPS = 3 };

TEST (compress_binds_across_joints_that_the_model_lacks) {
    SCOPED_ANIM anim = make_branches(4, 12);
    const md5_compress_opts options = {.tolerance = 0.001f};
    SCOPED_ANIM compressed = md5_compress_anim(anim, &options, NULL, NULL);
    for (int i = 0; i < NUM_GAPS; i++) {
        SCOPED_MODEL model = text_model(gaps[i], NULL);
        SCOPED_BINDING plain = md5_bind(model, anim, NULL, NULL);
        SCOPED_BINDING binding = md5_bind(model, compressed, NULL, NULL);
        CHECK((plain->num_rebases > 0) == (i < 2));
        for (int k = 0; k < 60; k++) {
            md5_xform exact[2];
            md5_xform pose[2];
            const md5_sample_position sample =
                md5_sample_position_at(anim, 0.013 * k, MD5_WRAP_LOOP);
            md5_sample(plain, sample, (md5_root)(k % 3), exact);
            md5_sample(binding, sample, (md5_root)(k % 3), pose);
            for (int joint = 0; joint < 2; joint++)
                CHECK_SMALL(real_distance(exact[joint].translation, pose[joint].translation), 0.01);
        }
    }
}

// Half of the model's joints are driven. The tracks have keys at all possible distances.
TEST (compress_scalar_code_is_the_reference_of_bindings) {
    enum { COUNT = 37, DRIVEN = 19 };
    char line[LINE];
    text buffer = {.capacity = 4096, .at = malloc(4096)};
    snprintf(line, LINE, "MD5Version 10\ncommandline \"\"\nnumJoints %d\nnumMeshes 0\njoints {\n",
             DRIVEN);
    add(&buffer, line);
    for (int i = 0; i < DRIVEN; i++) {
        const int parent = i % 4 == 0 && i > 0 ? 0 : i - 1;
        snprintf(line, LINE, "\"joint%d\" %d ( 0 0 %d ) ( 0 0 0 )\n", i, parent, i);
        add(&buffer, line);
    }
    add(&buffer, "}\n");
    SCOPED_MODEL model = md5_parse_model(buffer.at, buffer.size, NULL, NULL);
    SCOPED_ANIM anim = make_branches(COUNT, 9);
    SCOPED_ANIM compressed = md5_compress_anim(anim, NULL, NULL, NULL);
    SCOPED_BINDING binding = md5_bind(model, compressed, NULL, NULL);
    CHECK(binding);
    if (binding) {
        for (int k = 0; k < 80; k++) {
            md5_xform a[DRIVEN];
            md5_xform b[DRIVEN];
            const md5_sample_position sample =
                md5_sample_position_at(anim, 0.011 * k, (md5_wrap)(k % 3));
            sample_with_set(0, binding, &sample, MD5_ROOT_FILE, a);
            md5_sample(binding, sample, MD5_ROOT_FILE, b);
            CHECK_BYTES(a, b, sizeof a);
        }
    }
    free(buffer.at);
}
