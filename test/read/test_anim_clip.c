// Conversion of the tables of an .md5anim file to a clip: every flag is decoded, and tracks whose
// values do not change are found.
#include "test/pose/clip_case.h"
#include "test/scoped.h"

#include "md5/read/tables.h"

typedef struct built_clip {
    uint8_t *changes;
    uint8_t *moves;
    uint32_t num_rotations;
    uint32_t num_translations;
    md5_clip_arrays arrays;
} built_clip;

static built_clip build(const md5_anim_file *source)
{
    built_clip clip = {0};
    clip.changes = test_calloc(source->num_components, 1);
    clip.moves = test_calloc(source->num_joints, 1);
    md5i_plan_clip(source, clip.changes, clip.moves, &clip.num_rotations, &clip.num_translations);
    const size_t frames = source->num_frames;
    clip.arrays = (md5_clip_arrays){
        .base_frame = test_calloc(source->num_joints, sizeof(md5_xform)),
        .constant = test_calloc(source->num_joints, sizeof(md5_xform)),
        .rotation_joints = test_calloc(clip.num_rotations, sizeof(uint32_t)),
        .translation_joints = test_calloc(clip.num_translations, sizeof(uint32_t)),
        .rotations = test_calloc(frames * clip.num_rotations, sizeof(md5_quat)),
        .translations = test_calloc(frames * clip.num_translations, sizeof(md5_vec3)),
    };
    md5i_build_clip(source, clip.moves, NULL, &clip.arrays);
    return clip;
}

static void free_clip(built_clip *clip)
{
    free(clip->changes);
    free(clip->moves);
    free(clip->arrays.base_frame);
    free(clip->arrays.constant);
    free(clip->arrays.rotation_joints);
    free(clip->arrays.translation_joints);
    free(clip->arrays.rotations);
    free(clip->arrays.translations);
}

// -- Access to internal functions for other tests -------------------------------------------------

void decode_clip(const clip_source *source, const clip_arrays *arrays, uint32_t *num_rotations,
                 uint32_t *num_translations)
{
    const md5_anim_file file = {
        .num_joints = source->num_joints,
        .num_frames = source->num_frames,
        .num_components = source->num_components,
        .tracks = source->tracks,
        .base_frame = source->base_frame,
        .numbers = source->numbers,
    };
    SCOPED uint8_t *const changes = test_calloc(source->num_components, 1);
    SCOPED uint8_t *const moves = test_calloc(source->num_joints, 1);
    md5i_plan_clip(&file, changes, moves, num_rotations, num_translations);
    const md5_clip_arrays decoded = {
        arrays->base_frame,         arrays->constant,  arrays->rotation_joints,
        arrays->translation_joints, arrays->rotations, arrays->translations,
    };
    md5i_build_clip(&file, moves, NULL, &decoded);
}

// -- Decoding -------------------------------------------------------------------------------------

// Decodes a joint of a frame by the rule of the format: of six components, those with a flag are
// overwritten in order.
static void decode(const md5_anim_file *source, uint32_t joint, uint32_t frame, double out[7])
{
    const md5_xform *base = &source->base_frame[joint];
    double slots[6] = {
        base->translation.x, base->translation.y, base->translation.z,
        base->rotation.x,    base->rotation.y,    base->rotation.z,
    };
    uint32_t next = source->tracks[joint].first;
    for (int i = 0; i < 6; i++) {
        if (source->tracks[joint].flags >> i & 1)
            slots[i] = source->numbers[(size_t)frame * source->num_components + next++];
    }
    memcpy(out, slots, sizeof slots);
    const double square = slots[3] * slots[3] + slots[4] * slots[4] + slots[5] * slots[5];
    out[6] = source->tracks[joint].flags >> 3 ? -sqrt(fabs(1.0 - square)) : base->rotation.w;
}

static void check_transform(const md5_xform *found, const double expected[7])
{
    CHECK(found->translation.x == expected[0]);
    CHECK(found->translation.y == expected[1]);
    CHECK(found->translation.z == expected[2]);
    CHECK(found->rotation.x == expected[3]);
    CHECK(found->rotation.y == expected[4]);
    CHECK(found->rotation.z == expected[5]);
    CHECK_NEAR(found->rotation.w, expected[6], 1e-6);
    CHECK(found->pad == 0);
}

static float small(uint64_t *random)
{
    return (float)(test_random(random) - 0.5);
}

enum { ALL_FLAGS = 64, FRAMES = 3 };

// Creates one joint for each value of the flags, with the components of all joints in order.
static uint32_t fill_source(uint64_t *random, md5_track *tracks, md5_xform *base, float *numbers,
                            bool still)
{
    uint32_t width = 0;
    for (uint32_t flags = 0; flags < ALL_FLAGS; flags++) {
        tracks[flags] = (md5_track){.flags = flags, .first = flags ? width : 0};
        for (uint32_t bits = flags; bits; bits >>= 1)
            width += bits & 1;
        base[flags] = (md5_xform){
            .rotation = {small(random), small(random), small(random), 0},
            .translation = {small(random), small(random), small(random)},
        };
        const md5_quat q = base[flags].rotation;
        base[flags].rotation.w = -sqrtf(1.0f - (q.x * q.x + q.y * q.y + q.z * q.z));
    }
    for (uint32_t i = 0; i < FRAMES * width; i++)
        numbers[i] = still && i >= width ? numbers[i - width] : small(random);
    return width;
}

// Returns the transform of a joint in a frame of a clip.
static md5_xform transform_in_frame(const built_clip *clip, uint32_t joint, uint32_t frame)
{
    md5_xform found = clip->arrays.constant[joint];
    for (uint32_t i = 0; i < clip->num_rotations; i++) {
        if (clip->arrays.rotation_joints[i] == joint)
            found.rotation = clip->arrays.rotations[(size_t)frame * clip->num_rotations + i];
    }
    for (uint32_t i = 0; i < clip->num_translations; i++) {
        if (clip->arrays.translation_joints[i] == joint)
            found.translation =
                clip->arrays.translations[(size_t)frame * clip->num_translations + i];
    }
    return found;
}

TEST (clip_decodes_all_flags) {
    for (int still = 0; still < 2; still++) {
        uint64_t random = 1;
        static md5_track tracks[ALL_FLAGS];
        static md5_xform base[ALL_FLAGS];
        static float numbers[FRAMES * ALL_FLAGS * 6];
        const uint32_t width = fill_source(&random, tracks, base, numbers, still);
        const md5_anim_file source = {
            .num_joints = ALL_FLAGS,
            .num_frames = FRAMES,
            .num_components = width,
            .tracks = tracks,
            .base_frame = base,
            .numbers = numbers,
        };
        built_clip clip = build(&source);
        // 8 combinations of flags animate no component of the rotation, and 8 no component of the
        // translation.
        CHECK_UINT(clip.num_rotations, still ? 0 : ALL_FLAGS - 8);
        CHECK_UINT(clip.num_translations, still ? 0 : ALL_FLAGS - 8);
        for (uint32_t joint = 0; joint < ALL_FLAGS; joint++) {
            double expected[7];
            for (uint32_t frame = 0; frame < FRAMES; frame++) {
                const md5_xform found = transform_in_frame(&clip, joint, frame);
                decode(&source, joint, frame, expected);
                check_transform(&found, expected);
            }
            decode(&source, joint, 0, expected);
            check_transform(&clip.arrays.constant[joint], expected);
        }
        free_clip(&clip);
    }
}

TEST (clip_without_flags_is_the_base_frame) {
    const md5_track tracks[2] = {{0, 0}, {0, 0}};
    const md5_xform base[2] = {
        {.rotation = {0.6f, 0, 0, -0.8f}, .translation = {1, 2, 3}},
        {.rotation = {0, 0, 0, -1}},
    };
    // The clip has no numbers, and so many frames that a loop over all frames would take too long.
    const md5_anim_file source = {
        .num_joints = 2, .num_frames = UINT32_MAX, .tracks = tracks, .base_frame = base};
    uint8_t changes[1];
    uint8_t moves[2];
    uint32_t num_rotations = 9;
    uint32_t num_translations = 9;
    md5i_plan_clip(&source, changes, moves, &num_rotations, &num_translations);
    CHECK_UINT(num_rotations, 0);
    CHECK_UINT(num_translations, 0);

    const md5_anim_file once = {
        .num_joints = 2, .num_frames = 1, .tracks = tracks, .base_frame = base};
    built_clip clip = build(&once);
    CHECK_BYTES(clip.arrays.constant, base, sizeof base);
    free_clip(&clip);
}

TEST (clip_finds_constants_by_value) {
    // Joint 0 moves along z in the last frame only; joint 1 rotates; joint 2 has flags, but its
    // numbers are constant: 0 and -0 are equal.
    const md5_track tracks[3] = {{7, 0}, {56, 3}, {63, 6}};
    md5_xform base[3];
    for (int joint = 0; joint < 3; joint++)
        base[joint] = (md5_xform){.rotation = {0, 0, 0, -1}};
    const float numbers[3][12] = {
        {1, 2, 3, 0.1f, 0.2f, 0.3f, 0, 5, 6, 0.5f, -0.0f, 0.5f},
        {1, 2, 3, 0.1f, 0.2f, 0.4f, -0.0f, 5, 6, 0.5f, 0, 0.5f},
        {1, 2, 7, 0.1f, 0.2f, 0.3f, 0, 5, 6, 0.5f, 0, 0.5f},
    };
    const md5_anim_file source = {.num_frames = 3,
                                  .num_joints = 3,
                                  .num_components = 12,
                                  .tracks = tracks,
                                  .base_frame = base,
                                  .numbers = numbers[0]};
    built_clip clip = build(&source);
    CHECK_UINT(clip.num_rotations, 1);
    CHECK_UINT(clip.num_translations, 1);
    CHECK_UINT(clip.arrays.translation_joints[0], 0);
    CHECK_UINT(clip.arrays.rotation_joints[0], 1);
    CHECK_UINT(clip.moves[2], 0);
    CHECK_EXACT(clip.arrays.translations[2].z, 7);
    CHECK_EXACT(clip.arrays.rotations[1].z, 0.4f);
    CHECK_EXACT(clip.arrays.constant[0].translation.z, 3);
    CHECK_NEAR(clip.arrays.constant[2].rotation.w, -0.70710678118654752, 1e-7);
    CHECK_EXACT(clip.arrays.constant[2].translation.y, 5);
    free_clip(&clip);
}

// A triple longer than 1 cannot be a rotation: it is normalized.
TEST (clip_shortens_overlong_rotations) {
    const md5_track track = {56, 0};
    const md5_xform base = {.rotation = {0, 0, 0, -1}};
    const float numbers[2][3] = {{0.9f, 0.9f, 0.9f}, {3, 0, -4}};
    const md5_anim_file source = {.num_frames = 2,
                                  .num_joints = 1,
                                  .num_components = 3,
                                  .tracks = &track,
                                  .base_frame = &base,
                                  .numbers = numbers[0]};
    built_clip clip = build(&source);
    const md5_quat found = clip.arrays.rotations[1];
    // w = -sqrt(24), all over sqrt(25 + 24).
    CHECK_NEAR(found.x, 3.0 / 7.0, 1e-7);
    CHECK_NEAR(found.z, -4.0 / 7.0, 1e-7);
    CHECK_NEAR(found.w, -sqrt(24.0) / 7.0, 1e-7);
    free_clip(&clip);
}

// A file with a million joints and many equal frames. Every second joint reads the same six
// numbers. A loop over joints and frames would take 10^11 steps.
TEST (clip_plan_is_linear_when_tracks_share_numbers) {
    enum { JOINTS = 1000000, MANY_FRAMES = 100000, WIDTH = 6 };
    SCOPED md5_track *tracks = test_calloc(JOINTS, sizeof *tracks);
    SCOPED md5_xform *base = test_calloc(JOINTS, sizeof *base);
    SCOPED float *numbers = test_calloc((size_t)MANY_FRAMES * WIDTH, sizeof *numbers);
    SCOPED uint8_t *moves = test_calloc(JOINTS, 1);
    uint8_t changes[WIDTH];
    for (int joint = 0; joint < JOINTS; joint++)
        tracks[joint] = (md5_track){.flags = joint % 2 ? 63 : 0};
    const md5_anim_file source = {.num_frames = MANY_FRAMES,
                                  .num_joints = JOINTS,
                                  .num_components = WIDTH,
                                  .tracks = tracks,
                                  .base_frame = base,
                                  .numbers = numbers};
    uint32_t num_rotations;
    uint32_t num_translations;
    md5i_plan_clip(&source, changes, moves, &num_rotations, &num_translations);
    CHECK_UINT(num_rotations, 0);
    CHECK_UINT(num_translations, 0);

    numbers[(size_t)MANY_FRAMES * WIDTH - 1] = 0.5f;
    md5i_plan_clip(&source, changes, moves, &num_rotations, &num_translations);
    CHECK_UINT(num_rotations, JOINTS / 2);
    CHECK_UINT(num_translations, 0);
}
