// Compressed synthetic clips: tracks of every kind, bindings, damaged files, errors.
#include "md5/pose/kernels.h"
#include "md5/compress/file.h"
#include "test/scoped.h"
#include "test/pose/test_generated_pose.h"
#include "test/real.h"

enum { FRAMES = 21, JOINTS = 4, ROOM = 16384 };

// Creates a clip of a chain of four joints: a moves by `move` along x, b rotates about z by
// `angular_speed` radians during the clip, c has the name `c_name` and nods, d is constant.
static md5_anim *make_anim(double angular_speed, double move, const char *c_name)
{
    SCOPED_STRING text = malloc(ROOM);
    int size = snprintf(text, ROOM,
                        "MD5Version 10\ncommandline \"\"\nnumFrames %d\nnumJoints 4\nframeRate 24\n"
                        "numAnimatedComponents 4\nhierarchy {\n\"a\" -1 1 0\n\"b\" 0 32 1\n"
                        "\"%s\" 1 24 2\n\"d\" 2 0 0\n}\nbounds {\n",
                        FRAMES, c_name);
    for (int i = 0; i < FRAMES; i++)
        size += snprintf(text + size, (size_t)(ROOM - size), "( 0 0 0 ) ( 1 1 1 )\n");
    size += snprintf(text + size, (size_t)(ROOM - size),
                     "}\nbaseframe {\n( 1 2 3 ) ( 0 0 0 )\n( 10 0 0 ) ( 0 0 0 )\n"
                     "( 12 0 0 ) ( 0 0 0 )\n( 5 0.5 0 ) ( 0.1 0.2 0.3 )\n}\n");
    for (int i = 0; i < FRAMES; i++) {
        const double at = (double)i / (FRAMES - 1);
        const double half = angular_speed * at * 0.5;
        size += snprintf(text + size, (size_t)(ROOM - size), "frame %d {\n%f %f %f %f\n}\n", i,
                         move * at * at, cos(half) > 0 ? -sin(half) : sin(half), 0.2 * sin(9 * at),
                         0.1 * at);
    }
    md5_error error = {0};
    md5_anim *const anim = md5_parse_anim(text, (size_t)size, NULL, &error);
    CHECK_DONE(anim, error);
    return anim;
}

static md5_anim *compress(const md5_anim *anim, float tolerance)
{
    md5_error error = {0};
    const md5_compress_opts options = {.tolerance = tolerance};
    md5_anim *const compressed = md5_compress_anim(anim, &options, NULL, &error);
    CHECK_DONE(compressed, error);
    return compressed;
}

// Returns the distance between the unit quaternions (about half of the angle between the rotations,
// in radians) plus the distance between the translations.
static double difference(const md5_xform *a, const md5_xform *b)
{
    const real4 p = to_real4(a->rotation);
    const real4 q = real4_towards(to_real4(b->rotation), p);
    const real4 delta = real4_add(p, real4_scale(q, -1));
    return sqrt(real4_dot(delta, delta)) + real_distance(a->translation, b->translation);
}

// -- Steps and distances ----------------------------------------------------------------------

TEST (compress_may_select_each_step) {
    for (int i = 1; i < MD5_PACKED_NUM_STEPS; i++)
        CHECK(md5i_packed_key_steps[i] > md5i_packed_key_steps[i - 1]);
}

// Without a model, the size of a joint's skin is the length of its longest child bone or, at the
// end of a chain, of its own bone.
TEST (compress_without_a_model_uses_bone_lengths) {
    SCOPED_ANIM anim = make_anim(1, 0, "c");
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, NULL);
    md5_arena arena = {.context = &context};
    md5_skin_reach reach_tables;
    const bool is_found =
        CHECK(md5i_find_reach(&arena, anim, &(md5_compress_opts){0}, &reach_tables));
    const double last = sqrt(5 * 5 + 0.5 * 0.5);
    const double distances[JOINTS] = {10, 12, last, last};
    const double reach[JOINTS] = {2 * last + 22, 2 * last + 12, 2 * last, last};
    if (is_found) {
        for (int i = 0; i < JOINTS; i++) {
            CHECK_NEAR(reach_tables.direct[i], distances[i], 1e-5);
            CHECK_NEAR(reach_tables.reach[i], reach[i], 1e-5);
            CHECK_NEAR(reach_tables.budgets[i], 0.5, 1e-6); // four joints are on the path: sqrt(4)
        }
    }
    md5i_arena_free(&arena);
}

// -- Tracks -----------------------------------------------------------------------------------

// Joint b rotates by several full rotations, so that every component of its quaternion passes
// through 0.
TEST (compress_keeps_rotations_by_any_angle) {
    static const double speeds[] = {0, 0.5, 3.1, 6.2, 40};
    for (size_t i = 0; i < COUNT_OF(speeds); i++) {
        SCOPED_ANIM anim = make_anim(speeds[i], 50, "c");
        SCOPED_ANIM compressed = compress(anim, 0.01f);
        if (compressed) {
            for (int k = 0; k < 100; k++) {
                md5_xform exact[JOINTS];
                md5_xform pose[JOINTS];
                const md5_sample_position sample =
                    md5_sample_position_at(anim, 0.0123 * k, MD5_WRAP_CYCLE);
                sample_anim(anim, sample, MD5_ROOT_FILE, exact);
                sample_anim(compressed, sample, MD5_ROOT_FILE, pose);
                for (int joint = 0; joint < JOINTS; joint++)
                    CHECK_SMALL(difference(&exact[joint], &pose[joint]), 0.011);
            }
        }
    }
}

// q and -q are the same rotation. The signs in the frames have no effect: the compressed bits are
// equal, and the sign of each frame follows the sign of the previous frame.
TEST (compress_ignores_the_signs_of_rotations) {
    static const double speeds[] = {1, 4.5}; // by 4.5 radians no component stays away from 0
    for (size_t j = 0; j < COUNT_OF(speeds); j++) {
        SCOPED_ANIM anim = make_anim(speeds[j], 50, "c");
        SCOPED_ANIM before = compress(anim, 0.00003f);
        uint64_t random = 7;
        for (uint32_t i = anim->num_rotations; i < anim->num_rotations * FRAMES; i++) {
            md5_quat *const q = (md5_quat *)&anim->rotations[i];
            if (test_random_u32(&random) % 2)
                *q = (md5_quat){-q->x, -q->y, -q->z, -q->w};
        }
        SCOPED_ANIM after = compress(anim, 0.00003f);
        const md5_packed *const a = before->internal.packed;
        const md5_packed *const b = after->internal.packed;
        if (CHECK(a->num_bytes == b->num_bytes))
            CHECK_BYTES(a->bytes, b->bytes, a->num_bytes);
        real4 last = {0};
        for (uint32_t frame = 0; frame < anim->num_frames; frame++) {
            md5_xform pose[JOINTS];
            sample_anim(after, (md5_sample_position){.frame0 = frame, .frame1 = frame},
                        MD5_ROOT_FILE, pose);
            const real4 current = to_unit_real4(pose[1].rotation);
            CHECK(frame == 0 || real4_dot(last, current) > 0);
            last = current;
        }
    }
}

static void check_levels(const md5_anim *anim, const md5_anim *compressed)
{
    if (compressed) {
        for (int k = 0; k < 100; k++) {
            md5_xform a[JOINTS] = {{.pad = 0}};
            md5_xform b[JOINTS] = {{.pad = 0}};
            const md5_sample_position sample =
                md5_sample_position_at(anim, 0.0123 * k, MD5_WRAP_CYCLE);
            md5i_packed_sample_all(md5i_packed_sample_scalar, compressed->internal.packed, &sample,
                                   a);
            for (md5_cpu level = MD5_CPU_SCALAR + 1; level < MD5_CPU_COUNT; level++) {
                if (!md5i_cpu_has(level))
                    continue;
                md5i_packed_sample_all(md5i_get_pose_kernels(level)->sample_packed,
                                       compressed->internal.packed, &sample, b);
                CHECK_BYTES(a, b, sizeof a);
            }
        }
    }
}

TEST (compress_scalar_code_is_the_reference_of_all_kinds_of_tracks) {
    SCOPED_ANIM anim = make_anim(40, 50, "c");
    SCOPED_ANIM compressed = compress(anim, 0.5f);
    check_levels(anim, compressed);
}

// Three components of more than 19 bits: a key is wider than a word.
TEST (compress_stores_large_ranges_in_fine_steps) {
    SCOPED_TEXT text = {0};
    test_append(&text,
                "MD5Version 10\ncommandline \"\"\nnumFrames %d\nnumJoints 1\nframeRate 24\n"
                "numAnimatedComponents 3\nhierarchy {\n\"a\" -1 7 0\n}\nbounds {\n",
                FRAMES);
    for (int i = 0; i < FRAMES; i++)
        test_append(&text, "( 0 0 0 ) ( 1 1 1 )\n");
    test_append(&text, "}\nbaseframe {\n( 1 2 3 ) ( 0 0 0 )\n}\n");
    for (int i = 0; i < FRAMES; i++)
        test_append(&text, "frame %d {\n%f %f %f\n}\n", i, i * i * 50.017, i * 1000.013,
                    20000 - i * i * 40.019);
    SCOPED_ANIM anim = md5_parse_anim(text.bytes, text.used, NULL, NULL);
    SCOPED_ANIM compressed = compress(anim, 0.01f);
    if (CHECK(compressed)) {
        md5_packed_cursor cursor = md5_packed_begin(compressed->internal.packed);
        md5i_packed_read_header(compressed->internal.packed, MD5_PACKED_ROTATION, &cursor);
        CHECK(md5i_packed_read_header(compressed->internal.packed, MD5_PACKED_TRANSLATION, &cursor)
                  .key_bits
              > MD5_PACKED_WORD_BITS);
        CHECK(compressed->max_error <= 0.01f);
    }
    check_levels(anim, compressed);
}

// Keys are at multiples of a number of frames, and the last key is at the last frame. If the value
// of each key is its frame, then a sample has the value of its position.
TEST (compress_interpolates_between_the_keys_around_a_position) {
    enum { MAX_FRAMES = 70 };
    for (uint8_t step = 1; step < MD5_PACKED_NUM_STEPS; step++) {
        const uint32_t spacing = md5i_packed_key_steps[step];
        for (uint32_t i = 0; i < MAX_FRAMES * MAX_FRAMES; i++) {
            const uint32_t num_frames = 2 + i / MAX_FRAMES;
            const uint32_t last = num_frames - 1;
            const uint32_t frame = i % MAX_FRAMES % last;
            const bool is_backward = i % 2 == 1;
            const md5_sample_position sample = {.frame0 = frame + is_backward,
                                                .frame1 = frame + !is_backward,
                                                .fraction = 0.25f * (float)(i / 2 % 4)};
            const double expected =
                (double)sample.frame0 + (is_backward ? -1 : 1) * (double)sample.fraction;
            const uint32_t num_keys = md5i_packed_num_keys(step, num_frames);
            CHECK((num_keys - 1) * spacing >= last && (num_keys - 2) * spacing < last);
            md5_packed_span span;
            REQUIRE(md5i_packed_find_span(step, num_frames, &sample, &span));
            REQUIRE(span.key0 < num_keys && span.key1 < num_keys);
            const double low = fmin(span.key0 * (double)spacing, last);
            const double high = fmin(span.key1 * (double)spacing, last);
            CHECK_NEAR(low + (high - low) * (double)span.fraction, expected, 1e-5);
        }
    }
}

TEST (compress_drops_components_that_hardly_change) {
    SCOPED_ANIM still = make_anim(0, 0.004, "c");
    SCOPED_ANIM moving = make_anim(2, 50, "c");
    SCOPED_ANIM few = compress(still, 5);
    SCOPED_ANIM many = compress(moving, 0.001f);
    if (CHECK(few && many)) {
        CHECK(few->packed_size < 200);
        CHECK(many->packed_size > few->packed_size);
        CHECK(few->packed_size < few->size);
        CHECK((few->internal.packed->header_bits + 7) / 8
              == few->internal.packed->num_bytes); // no keys
    }
}

TEST (compress_gives_the_motion_of_the_root) {
    SCOPED_ANIM anim = make_anim(1, 50, "c");
    SCOPED_ANIM compressed = compress(anim, 0.01f);
    if (compressed) {
        for (int k = 0; k < 40; k++) {
            const md5_sample_position from = md5_sample_position_at(anim, 0.3 * k, MD5_WRAP_LOOP);
            const md5_sample_position to =
                md5_sample_position_at(compressed, 0.3 * k + 0.2, MD5_WRAP_LOOP);
            const md5_vec3 exact = md5_anim_root_motion(anim, from, to);
            CHECK_NEAR(md5_anim_root_motion(compressed, from, to).x, exact.x, 0.05);
            for (int root = 0; root <= MD5_ROOT_IN_PLACE; root++) {
                md5_xform a[JOINTS];
                md5_xform b[JOINTS];
                sample_anim(anim, from, (md5_root)root, a);
                sample_anim(compressed, from, (md5_root)root, b);
                // The error of a frame is multiplied by the number of cycles.
                CHECK_SMALL(difference(&a[0], &b[0]), 0.3);
            }
        }
    }
}

// A track whose frames are within the tolerance of the middle of their range does not
// change, also if it has only two frames.
TEST (compress_stores_the_middle_of_a_short_range) {
    const float tolerance = 0.1f;
    const double range = 0.15; // larger than the tolerance, and less than twice as large
    for (int num_frames = 1; num_frames <= 3; num_frames++) {
        test_text text = {0};
        test_append(&text,
                    "MD5Version 10\ncommandline \"\"\nnumFrames %d\nnumJoints 1\nframeRate 24\n"
                    "numAnimatedComponents 1\nhierarchy {\n\"a\" -1 1 0\n}\nbounds {\n",
                    num_frames);
        for (int i = 0; i < num_frames; i++)
            test_append(&text, "( 0 0 0 ) ( 1 1 1 )\n");
        test_append(&text, "}\nbaseframe {\n( 0 0 0 ) ( 0 0 0 )\n}\n");
        for (int i = 0; i < num_frames; i++)
            test_append(&text, "frame %d {\n%g\n}\n", i, i == 1 ? 5 + range : 5.0);
        md5_error error = {0};
        SCOPED_ANIM anim = md5_parse_anim(text.bytes, text.used, NULL, &error);
        SCOPED_ANIM compressed = anim ? compress(anim, tolerance) : NULL;
        free(text.bytes);
        REQUIRE(compressed);
        md5_xform poses[3];
        for (uint32_t i = 0; i < (uint32_t)num_frames; i++) {
            const md5_sample_position sample = {.frame0 = i, .frame1 = i};
            sample_anim(compressed, sample, MD5_ROOT_FILE, &poses[i]);
            CHECK_NEAR(poses[i].translation.x, i == 1 ? 5 + range : 5, (double)tolerance);
            CHECK_BYTES(&poses[i], &poses[0], sizeof poses[0]);
        }
    }
}

// -- Bindings ---------------------------------------------------------------------------------

// The skeleton has other joints in another order: c is missing, x is additional, and d has another
// parent.
static const char reordered_model[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 4\nnumMeshes 0\njoints {\n"
    "\"x\" -1 ( 0 0 1 ) ( 0 0 0 )\n\"d\" 0 ( 3 0 1 ) ( 0 0.1 0 )\n\"a\" 0 ( 0 0 2 ) ( 0 0 0 )\n"
    "\"b\" 2 ( 0 4 2 ) ( 0 0 0 )\n}\n";

TEST (compress_binding_equals_that_of_the_clip) {
    SCOPED_MODEL model = text_model(reordered_model, NULL);
    SCOPED_ANIM anim = make_anim(1, 50, "c");
    SCOPED_ANIM compressed = compress(anim, 0.001f);
    SCOPED_BINDING plain = md5_bind(model, anim, NULL, NULL);
    SCOPED_BINDING binding = md5_bind(model, compressed, NULL, NULL);
    if (CHECK(plain && binding)) {
        CHECK(plain->num_missing > 0 && plain->num_extra > 0 && plain->num_rebases > 0);
        for (int k = 0; k < 90; k++) {
            md5_xform a[JOINTS];
            md5_xform b[JOINTS];
            const md5_root root = (md5_root)(k % 3);
            const md5_sample_position sample =
                md5_sample_position_at(anim, 0.01 * k, MD5_WRAP_LOOP);
            md5_sample(plain, sample, root, a);
            md5_sample(binding, sample, root, b);
            for (int joint = 0; joint < JOINTS; joint++)
                CHECK_SMALL(difference(&a[joint], &b[joint]), 0.01);
        }
    }
    md5_free_binding(NULL);
}

TEST (compress_binding_reports_the_same_errors) {
    md5_error error = {0};
    static const char unrelated_model[] =
        "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 0\n"
        "joints {\n\"q\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n";
    SCOPED_MODEL model = text_model(unrelated_model, &error);
    SCOPED_ANIM anim = make_anim(1, 50, "c");
    SCOPED_ANIM compressed = compress(anim, 0.01f);
    CHECK_FAILS(md5_bind(model, compressed, NULL, &error), error, MD5_ERROR_MISMATCH);
    const md5_compress_opts options = {.model = model};
    CHECK_FAILS(md5_compress_anim(anim, &options, NULL, &error), error, MD5_ERROR_MISMATCH);
}

// -- Errors -----------------------------------------------------------------------------------

static void check_refused(const md5_anim *anim, md5_compress_opts options, md5_status status,
                          const char *message)
{
    md5_error error = {0};
    SCOPED_ANIM compressed = md5_compress_anim(anim, &options, NULL, &error);
    CHECK_FAILS(compressed, error, status);
    CHECK_THAT(strstr(error.message, message) != NULL, "'%s' lacks '%s'", error.message, message);
}

TEST (compress_rejects_invalid_arguments) {
    SCOPED_ANIM anim = make_anim(1, 1e7, "c");
    const float endless[JOINTS] = {1, 1, INFINITY, 1};
    check_refused(anim, (md5_compress_opts){.tolerance = -1}, MD5_ERROR_RANGE, "tolerance");
    check_refused(anim, (md5_compress_opts){.tolerance = NAN}, MD5_ERROR_RANGE, "tolerance");
    check_refused(anim, (md5_compress_opts){.tolerance = 2e9f}, MD5_ERROR_RANGE, "tolerance");
    check_refused(anim, (md5_compress_opts){.tolerance = 1e-4f}, MD5_ERROR_RANGE,
                  "tolerance is too small: found");
    check_refused(anim, (md5_compress_opts){.distances = endless}, MD5_ERROR_RANGE, "joint 2");
    md5_anim invalid = *anim;
    invalid.parents_unknown = true;
    check_refused(&invalid, (md5_compress_opts){.tolerance = 1}, MD5_ERROR_VERSION, "version 6");
    invalid = *anim;
    invalid.skeleton.num_joints = 0;
    check_refused(&invalid, (md5_compress_opts){.tolerance = 1}, MD5_ERROR_RANGE,
                  "expected 1 to 65535 joints, found 0");
    invalid.skeleton.num_joints = 65536;
    check_refused(&invalid, (md5_compress_opts){.tolerance = 1}, MD5_ERROR_RANGE,
                  "expected 1 to 65535 joints, found 65536");
}

// A clip of the largest number of joints is compressed, saved and parsed.
TEST (compress_accepts_65535_joints) {
    enum { COUNT = 65535 };
    test_text text = {0};
    test_append(&text,
                "MD5Version 10\ncommandline \"\"\nnumFrames 1\nnumJoints %d\nframeRate 24\n"
                "numAnimatedComponents 0\nhierarchy {\n",
                COUNT);
    for (int i = 0; i < COUNT; i++)
        test_append(&text, "\"j%d\" %d 0 0\n", i, i > 0 ? 0 : -1);
    test_append(&text, "}\nbounds {\n( 0 0 0 ) ( 1 1 1 )\n}\nbaseframe {\n");
    for (int i = 0; i < COUNT; i++)
        test_append(&text, "( 0 0 0 ) ( 0 0 0 )\n");
    test_append(&text, "}\nframe 0 {\n}\n");
    SCOPED_ANIM anim = text_anim(text.bytes, NULL);
    free(text.bytes);
    SCOPED_ANIM compressed = anim ? compress(anim, 0.01f) : NULL;
    REQUIRE(compressed);
    const size_t size = md5_write_anim(compressed, NULL, 0);
    SCOPED uint8_t *const bytes = malloc(size);
    CHECK_UINT(md5_write_anim(compressed, bytes, size), size);
    md5_error error = {0};
    SCOPED_ANIM parsed = md5_parse_anim(bytes, size, NULL, &error);
    if (CHECK_DONE(parsed, error))
        CHECK_UINT(parsed->skeleton.num_joints, COUNT);
}

// A tolerance and a distance of 1e9 units are accepted, the next float is not.
TEST (compress_accepts_tolerances_and_distances_up_to_a_limit) {
    const float limit = 1e9f;
    const float beyond = nextafterf(limit, INFINITY);
    const float far_skin[JOINTS] = {1, 1, 1, limit};
    const float too_far[JOINTS] = {1, 1, 1, beyond};
    SCOPED_ANIM anim = make_anim(1, 50, "c");
    SCOPED_ANIM coarse = compress(anim, limit);
    md5_error error = {0};
    SCOPED_ANIM far = md5_compress_anim(
        anim, &(md5_compress_opts){.tolerance = limit, .distances = far_skin}, NULL, &error);
    CHECK_DONE(far, error);
    check_refused(anim, (md5_compress_opts){.tolerance = beyond}, MD5_ERROR_RANGE,
                  "tolerance is out of range: expected 0 to 1e9 units, found 1e+09 units");
    check_refused(anim, (md5_compress_opts){.tolerance = limit, .distances = too_far},
                  MD5_ERROR_RANGE,
                  "cannot compress the animation: skin distance of joint 3 is out of range: "
                  "expected at most 1e9 units, found 1e+09 units");
}

TEST (compress_survives_failure_of_every_allocation) {
    SCOPED_ANIM anim = make_anim(1, 50, "c");
    SCOPED_MODEL model = text_model(reordered_model, NULL);
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        const md5_compress_opts options = {.model = model};
        SCOPED_ANIM compressed = md5_compress_anim(anim, &options, &failure.opts, &failure.error);
        SCOPED_BINDING binding =
            compressed ? md5_bind(model, compressed, &failure.opts, &failure.error) : NULL;
        CHECK_FAILURE(failure, binding);
    }
}

// -- Files ------------------------------------------------------------------------------------

typedef struct saved {
    uint8_t *bytes;
    size_t size;
} saved;

static saved save(const md5_anim *compressed)
{
    const size_t size = md5_write_anim(compressed, NULL, 0);
    const saved file = {.bytes = malloc(size), .size = size};
    CHECK_UINT(md5_write_anim(compressed, file.bytes, size - 1), size);
    CHECK_UINT(md5_write_anim(compressed, file.bytes, size), size);
    return file;
}

static void store_u32(uint8_t *to, uint64_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

// Updates the checksum (FNV-1a of all bytes after the first 20), so that the parser checks the
// numbers after it.
static void seal(uint8_t *bytes, size_t size)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 20; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001B3u;
    store_u32(bytes + 12, hash);
    store_u32(bytes + 16, hash >> 32);
}

static bool is_sound(const md5_xform *pose)
{
    const md5_quat q = pose->rotation;
    const float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    const md5_vec3 t = pose->translation;
    return fabsf(square - 1) < 0.01f && isfinite(t.x) && isfinite(t.y) && isfinite(t.z);
}

// Parses a copy of the bytes. The memory block has exactly their size, so that a read beyond the
// end is detected.
static md5_status parse(const uint8_t *bytes, size_t size)
{
    md5_error error = {0};
    uint8_t *const copy = test_copy(bytes, size);
    SCOPED_ANIM compressed = md5_parse_anim(copy, size, NULL, &error);
    free(copy);
    CHECK((compressed != NULL) == (error.status == MD5_OK));
    CHECK(compressed || error.message[0] != '\0');
    if (compressed && compressed->skeleton.num_joints <= JOINTS) {
        for (int i = 0; i < 5; i++) {
            md5_xform pose[JOINTS];
            const md5_sample_position sample =
                md5_sample_position_at(compressed, 0.21 * i, MD5_WRAP_CYCLE);
            sample_anim(compressed, sample, MD5_ROOT_FILE, pose);
            for (uint32_t joint = 0; joint < compressed->skeleton.num_joints; joint++)
                CHECK(is_sound(&pose[joint]));
        }
    }
    return error.status;
}

static saved saved_clip(double angular_speed)
{
    SCOPED_ANIM anim = make_anim(angular_speed, 50, "c");
    SCOPED_ANIM compressed = compress(anim, 0.05f);
    const saved file = save(compressed);
    return file;
}

TEST (compress_file_round_trips) {
    SCOPED_ANIM anim = make_anim(1, 50, "c");
    SCOPED_ANIM compressed = compress(anim, 0.01f);
    const saved file = save(compressed);
    SCOPED_ANIM read = md5_parse_anim(file.bytes, file.size, NULL, NULL);
    if (CHECK(read)) {
        const saved second_save = save(read);
        CHECK_UINT(second_save.size, file.size);
        CHECK_BYTES(second_save.bytes, file.bytes, file.size);
        CHECK(read->max_error == compressed->max_error && read->tolerance == compressed->tolerance);
        CHECK(read->duration == compressed->duration);
        CHECK_UINT(read->packed_size, compressed->packed_size);
        CHECK_UINT(read->size, compressed->size);
        for (int i = 0; i < JOINTS; i++) {
            CHECK_STRING(read->skeleton.joints[i].name, anim->skeleton.joints[i].name);
            CHECK(read->skeleton.joints[i].parent == anim->skeleton.joints[i].parent);
        }
        free(second_save.bytes);
    }
    md5_free_anim(NULL);
    free(file.bytes);
}

TEST (compress_file_may_have_one_joint) {
    static const char text[] = "MD5Version 10 commandline \"\" numFrames 2 numJoints 1\n"
                               "frameRate 24 numAnimatedComponents 1\n"
                               "hierarchy { \"a\" -1 1 0 }\n"
                               "bounds { ( 0 0 0 ) ( 1 1 1 ) ( 0 0 0 ) ( 1 1 1 ) }\n"
                               "baseframe { ( 0 0 0 ) ( 0 0 0 ) }\n"
                               "frame 0 { 0 } frame 1 { 8 }\n";
    SCOPED_ANIM anim = text_anim(text, NULL);
    SCOPED_ANIM compressed = compress(anim, 0.01f);
    const saved file = save(compressed);
    SCOPED_ANIM read = md5_parse_anim(file.bytes, file.size, NULL, NULL);
    if (CHECK(read)) {
        md5_xform pose;
        sample_anim(read, md5_sample_position_at(anim, 1.0 / 24.0, MD5_WRAP_CLAMP), MD5_ROOT_FILE,
                    &pose);
        CHECK_NEAR(pose.translation.x, 8, 0.011);
    }
    free(file.bytes);
}

TEST (compress_file_that_is_truncated_is_rejected) {
    const saved file = saved_clip(1);
    for (size_t size = 0; size < file.size; size++) {
        CHECK_UINT(parse(file.bytes, size), MD5_ERROR_SYNTAX);
        SCOPED uint8_t *const copy = test_copy(file.bytes, file.size);
        store_u32(copy + 8, size);
        seal(copy, size > 20 ? size : 20);
        CHECK(parse(copy, size) != MD5_OK);
    }
    free(file.bytes);
}

TEST (compress_file_with_changed_bits_is_rejected_or_valid) {
    static const double speeds[] = {1, 40};
    for (int k = 0; k < 2; k++) {
        const saved file = saved_clip(speeds[k]);
        size_t num_sound = 0;
        for (size_t i = 0; i < file.size * 8; i++) {
            file.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
            CHECK(parse(file.bytes, file.size) != MD5_OK); // the checksum is wrong
            seal(file.bytes, file.size);
            num_sound += parse(file.bytes, file.size) == MD5_OK;
            file.bytes[i / 8] ^= (uint8_t)(1u << i % 8);
            seal(file.bytes, file.size);
        }
        CHECK(num_sound > 100 && num_sound < file.size * 8); // a changed key may still be valid
        CHECK_UINT(parse(file.bytes, file.size), MD5_OK);
        free(file.bytes);
    }
}

TEST (compress_file_with_random_bytes_is_rejected_or_valid) {
    const saved file = saved_clip(1);
    SCOPED uint8_t *const copy = malloc(file.size);
    uint64_t random = 11;
    for (int i = 0; i < 20000; i++) {
        memcpy(copy, file.bytes, file.size);
        for (uint32_t k = test_random_u32(&random) % 4; k < 4u; k++)
            copy[8 + test_random_u32(&random) % (file.size - 8)] =
                (uint8_t)test_random_u32(&random);
        store_u32(copy + 8, file.size);
        seal(copy, file.size);
        parse(copy, file.size);
    }
    free(file.bytes);
}

// Offsets of the numbers at the start of a file.
enum {
    AT_JOINTS = 20,
    AT_FRAMES = 24,
    AT_BYTES = 28,
    AT_NAMES = 32,
    AT_AXES = 36,
    AT_FRAME_RATE = 40,
    AT_SCALE = 48,
    AT_TOLERANCE = 52,
    AT_ERROR = 56,
    AT_BASE = 60,
    AT_ORDER = 80, // parent and order of each joint, from byte 76
};

static uint32_t get_32(const uint8_t *from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

// Adds to two numbers of a file, so that their sum can stay the same.
static md5_status parse_changed(const saved *file, size_t at, int32_t change, size_t second_offset,
                                int32_t second_change)
{
    SCOPED uint8_t *const copy = test_copy(file->bytes, file->size);
    store_u32(copy + at, get_32(copy + at) + (uint32_t)change);
    store_u32(copy + second_offset, get_32(copy + second_offset) + (uint32_t)second_change);
    seal(copy, file->size);
    return parse(copy, file->size);
}

TEST (compress_file_with_contradictory_numbers_is_rejected) {
    const saved file = saved_clip(1);
    CHECK_UINT(parse_changed(&file, AT_JOINTS, 0, AT_BYTES, 0), MD5_OK);
    CHECK_UINT(parse_changed(&file, AT_JOINTS, -JOINTS, AT_BYTES, 8 * JOINTS), MD5_ERROR_RANGE);
    CHECK_UINT(parse_changed(&file, AT_FRAMES, -FRAMES, AT_BYTES, 0), MD5_ERROR_RANGE);
    CHECK_UINT(parse_changed(&file, AT_NAMES, 1, AT_BYTES, -1), MD5_ERROR_RANGE);
    CHECK_UINT(parse_changed(&file, AT_NAMES, -1, AT_BYTES, 1), MD5_ERROR_RANGE);
    CHECK_UINT(parse_changed(&file, AT_SCALE, 0x7fc00000, AT_BYTES, 0), MD5_ERROR_RANGE);
    free(file.bytes);
}

// The order of two joints is exchanged, so that the child precedes its parent.
TEST (compress_file_with_children_before_parents_is_rejected) {
    const saved file = saved_clip(1);
    CHECK_UINT(parse_changed(&file, AT_ORDER, 1, AT_ORDER + 8, -1), MD5_ERROR_RANGE);
    free(file.bytes);
}

// Each number is accepted at its limit and rejected at the next number beyond it.
TEST (compress_file_limits_its_numbers) {
    static const struct {
        size_t at;
        float limit;
        float beyond;
    } rows[] = {
        {AT_SCALE, 1e6f, 2e6f},        {AT_SCALE, 1e-6f, 0},        {AT_TOLERANCE, 1e15f, 2e15f},
        {AT_TOLERANCE, 0, -1},         {AT_ERROR, 1e15f, 2e15f},    {AT_ERROR, 0, -1},
        {AT_BASE, 1e15f, 2e15f},       {AT_BASE, -1e15f, -2e15f},   {AT_BASE + 4, 1e15f, 2e15f},
        {AT_BASE + 4, -1e15f, -2e15f}, {AT_BASE + 8, 1e15f, 2e15f}, {AT_BASE + 8, -1e15f, -2e15f},
    };
    const saved file = saved_clip(1);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (int is_beyond = 0; is_beyond < 2; is_beyond++) {
            const float next = nextafterf(rows[i].limit, rows[i].beyond);
            const float value = is_beyond ? next : rows[i].limit;
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            store_u32(file.bytes + rows[i].at, bits);
            seal(file.bytes, file.size);
            const md5_status expected = is_beyond ? MD5_ERROR_RANGE : MD5_OK;
            CHECK_THAT(parse(file.bytes, file.size) == expected, "byte %zu: %g", rows[i].at,
                       (double)value);
        }
        const float original = rows[i].at == AT_SCALE ? 1.0f : 0.0f;
        uint32_t bits;
        memcpy(&bits, &original, sizeof bits);
        store_u32(file.bytes + rows[i].at, bits);
    }

    store_u32(file.bytes + AT_AXES, MD5_AXES_BLENDER);
    seal(file.bytes, file.size);
    CHECK_UINT(parse(file.bytes, file.size), MD5_OK);
    store_u32(file.bytes + AT_AXES, MD5_AXES_BLENDER + 1);
    seal(file.bytes, file.size);
    CHECK_UINT(parse(file.bytes, file.size), MD5_ERROR_RANGE);
    store_u32(file.bytes + AT_AXES, MD5_AXES_ID);

    for (int is_beyond = 0; is_beyond < 2; is_beyond++) {
        const double rate = is_beyond ? nextafter(1e9, 2e9) : 1e9;
        uint64_t bits;
        memcpy(&bits, &rate, sizeof bits);
        store_u32(file.bytes + AT_FRAME_RATE, bits);
        store_u32(file.bytes + AT_FRAME_RATE + 4, bits >> 32);
        seal(file.bytes, file.size);
        CHECK_UINT(parse(file.bytes, file.size), is_beyond ? MD5_ERROR_RANGE : MD5_OK);
    }
    free(file.bytes);
}

static void append_bits(uint8_t *bytes, uint32_t *at, uint32_t value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, (*at)++)
        bytes[*at / 8] |= (uint8_t)((value >> i & 1) << *at % 8);
}

// Parses a file of one joint at the position 128 * `offset` along axis `axis`. The layout of tracks
// is described in md5/pose/packed.h.
static bool parse_position(int32_t offset, int axis, md5_error *error)
{
    SCOPED_ANIM anim =
        text_anim("MD5Version 10\ncommandline \"\"\nnumFrames 1\nnumJoints 1\n"
                  "frameRate 24\nnumAnimatedComponents 0\nhierarchy {\n\"a\" -1 0 0\n}\n"
                  "bounds {\n( 0 0 0 ) ( 1 1 1 )\n}\n"
                  "baseframe {\n( 0 0 0 ) ( 0 0 0 )\n}\nframe 0 {\n}\n",
                  error);
    SCOPED_ANIM compressed = anim ? compress(anim, 0.01f) : NULL;
    if (!CHECK(compressed))
        return false;
    const saved file = save(compressed);
    uint8_t tracks[16] = {0};
    uint32_t num_bits = 0;
    append_bits(tracks, &num_bits, 0, 4 + 3 + 5);    // rotation: constant, no offsets
    append_bits(tracks, &num_bits, 0, 4);            // position: constant,
    append_bits(tracks, &num_bits, 25, 5);           // offsets of 25 bits,
    append_bits(tracks, &num_bits, 4 * (80 + 7), 9); // scale 2^7
    for (int i = 0; i < 3; i++)
        append_bits(tracks, &num_bits, i == axis ? (uint32_t)offset : 0, 25);
    const size_t num_bytes = (num_bits + 7) / 8;
    const size_t start = file.size - compressed->internal.packed->num_bytes;
    SCOPED uint8_t *const bytes = malloc(start + num_bytes);
    memcpy(bytes, file.bytes, start);
    memcpy(bytes + start, tracks, num_bytes);
    store_u32(bytes + 8, start + num_bytes);
    store_u32(bytes + AT_BYTES, num_bytes);
    seal(bytes, start + num_bytes);
    free(file.bytes);
    SCOPED_ANIM parsed = md5_parse_anim(bytes, start + num_bytes, NULL, error);
    return parsed != NULL;
}

// The limit is 2e9 = 128 * 15 625 000. The next float is larger by 128.
TEST (compress_file_limits_the_positions_of_keys) {
    for (int axis = 0; axis < 3; axis++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            md5_error error = {0};
            CHECK_DONE(parse_position(sign * 15625000, axis, &error), error);
            CHECK_SAYS(parse_position(sign * 15625001, axis, &error), error, MD5_ERROR_RANGE,
                       "position of a key is out of range: expected -2e9 to 2e9 units");
        }
    }
}

// Bytes are missing: the keys of the last track, then headers.
TEST (compress_file_with_missing_tracks_is_rejected) {
    md5_error error = {0};
    SCOPED_ANIM anim = make_anim(1, 50, "c");
    SCOPED_ANIM compressed = compress(anim, 0.05f);
    const size_t num_bytes = compressed->internal.packed->num_bytes;
    for (size_t left = 0; left < num_bytes; left++) {
        const saved file = save(compressed);
        const size_t size = file.size - num_bytes + left;
        store_u32(file.bytes + 8, size);
        store_u32(file.bytes + AT_BYTES, left);
        seal(file.bytes, size);
        CHECK_FAILS(md5_parse_anim(file.bytes, size, NULL, &error), error, MD5_ERROR_RANGE);
        const bool has_heads = left * 8 >= compressed->internal.packed->header_bits;
        CHECK(strstr(error.message,
                     has_heads ? "bytes of tracks, found" : "invalid compressed clip: joint "));
        free(file.bytes);
    }
}

TEST (compress_file_of_another_version_is_named) {
    md5_error error = {0};
    const saved file = saved_clip(1);
    file.bytes[4] = 9;
    CHECK_SAYS(md5_parse_anim(file.bytes, file.size, NULL, &error), error, MD5_ERROR_VERSION,
               "unsupported version of a compressed clip: expected 2, found 9");
    CHECK_FAILS(md5_load_anim(test_path("test/data/same_bits.txt"), NULL, &error), error,
                MD5_ERROR_SYNTAX);
    free(file.bytes);
}
