// Finds out from the motion of all joints whether a clip is a loop, a loop without its last frame,
// or no loop.
#include "md5/edit/repair.h"

// Sums of squares for judging the jump, which is the step from the last frame back to the first. It
// is compared with the steps before and after it.
typedef struct jump_sums {
    double jump;
    double mean;      // mean of the steps before and after the jump
    double deviation; // difference of the jump and the mean
} jump_sums;

// Adds three consecutive steps to the sums: before the jump, the jump itself, and after the jump.
static void add_steps(jump_sums *sums, const md5_vec3 steps[3])
{
    const md5_vec3 mean = md5_vec3_scale(md5_vec3_add(steps[0], steps[2]), 0.5f);
    const md5_vec3 deviation = md5_vec3_sub(steps[1], mean);
    sums->jump += (double)md5_vec3_dot(steps[1], steps[1]);
    sums->mean += (double)md5_vec3_dot(mean, mean);
    sums->deviation += (double)md5_vec3_dot(deviation, deviation);
}

// Returns true if the jump continues the motion like a step between two frames.
static bool is_regular_jump(const jump_sums *sums)
{
    return sums->deviation <= 0.25 * fmax(sums->jump, sums->mean) + 1e-12;
}

// Returns true if the step from the last frame of a clip to the first continues the motion. This
// step is steps[1]. The others are the steps before and after it.
bool md5i_is_regular_step(const md5_vec3 steps[3])
{
    jump_sums sums = {0};
    add_steps(&sums, steps);
    return is_regular_jump(&sums);
}

// Returns the motion of a track between two frames. Tracks are the translations of a clip, then its
// rotations. For joint 0, only uses the translation along z, because x and y may be root motion.
// The motion of a rotation is its axis, scaled to the distance that a point at distance `reach`
// moves.
static md5_vec3 motion_between(const md5_anim *anim, uint32_t track, size_t frame, size_t next,
                               float reach)
{
    const uint32_t num_translations = anim->num_translations;
    const uint32_t num_rotations = anim->num_rotations;
    if (track < num_translations) {
        const md5_vec3 *const positions = anim->translations + track;
        const md5_vec3 motion =
            md5_vec3_sub(positions[next * num_translations], positions[frame * num_translations]);
        return anim->translation_joints[track] > 0 ? motion : (md5_vec3){0, 0, motion.z};
    }
    const md5_quat *const rotations = anim->rotations + (track - num_translations);
    const md5_quat q = md5_quat_mul(md5_quat_conjugate(rotations[frame * num_rotations]),
                                    rotations[next * num_rotations]);
    // x, y and z are the axis times the sine of half of the angle. The angle is small, so twice the
    // sine is nearly the angle.
    return md5_vec3_scale((md5_vec3){q.x, q.y, q.z}, q.w < 0 ? -2 * reach : 2 * reach);
}

// Returns the length of the motion from the first to the last frame. It is the sum of the lengths
// of all steps from a frame to the next. The length of a step is the root of the sum of the squared
// motions of all tracks.
static double path_length(const md5_anim *anim, uint32_t first, uint32_t last, uint32_t num_tracks,
                          float reach)
{
    double length = 0;
    for (uint32_t f = first; f < last; f++) {
        double sum = 0;
        for (uint32_t i = 0; i < num_tracks; i++) {
            const md5_vec3 step = motion_between(anim, i, f, f + (size_t)1, reach);
            sum += (double)md5_vec3_dot(step, step);
        }
        length += sqrt(sum);
    }
    return length;
}

// Returns the length of the longest bone of a clip, at least 1, in units.
static float longest_bone(const md5_anim *anim)
{
    float length = 1;
    for (uint32_t j = 1; j < anim->skeleton.num_joints; j++)
        length = fmaxf(length, md5_vec3_length(anim->base_frame[j].translation));
    return length;
}

// Measures the jump from frame `last` to frame `first` for all tracks, and the steps before and
// after it. All steps are 0 if there is only one frame.
static jump_sums measure_jump(const md5_anim *anim, uint32_t first, uint32_t last,
                              uint32_t num_tracks, float reach)
{
    const uint32_t second = first < last ? first + 1 : first;
    const uint32_t second_to_last = first < last ? last - 1 : last;
    jump_sums sums = {0};
    for (uint32_t track = 0; track < num_tracks; track++) {
        const md5_vec3 steps[] = {motion_between(anim, track, second_to_last, last, reach),
                                  motion_between(anim, track, last, first, reach),
                                  motion_between(anim, track, first, second, reach)};
        add_steps(&sums, steps);
    }
    return sums;
}

// Finds out if frames of a clip form a loop, and how many frames must be blended to close it. If
// `num_frames` is 0, all frames from `first` on are used.
//
// The jump from the last frame to the first reveals a loop without its last frame, because it
// continues the steps around it. For a sine of N frames,
//
//   mean of the steps before and after the jump = cos(2 pi / N) * jump.
//
// In a clip that ends in another pose, the jump has another direction.
md5_loop md5_find_loop(const md5_anim *anim, uint32_t first, uint32_t num_frames)
{
    MD5_ASSERT_ALIVE(anim, MD5_TAG_ANIM);
    const md5_loop open_loop = {.end = MD5_LOOP_OPEN};
    if (anim->packed_size || first >= anim->num_frames)
        return open_loop;
    const uint32_t num_available = anim->num_frames - first;
    const uint32_t count = num_frames > 0 ? num_frames : num_available;
    if (count > num_available)
        return open_loop;

    const uint32_t num_tracks = anim->num_translations + anim->num_rotations;
    const uint32_t last = first + count - 1;
    const float reach = longest_bone(anim);
    const jump_sums sums = measure_jump(anim, first, last, num_tracks, reach);
    const bool is_closed = sums.jump <= 1e-6 * (double)(reach * reach);
    if (is_closed)
        return (md5_loop){MD5_LOOP_CLOSED, 1};

    // The weights of blended frames increase by at most 1.5 times the mean increase per frame.
    // Blend as many frames as necessary to keep the correction per frame below the mean motion.
    const double path = path_length(anim, first, last, num_tracks, reach);
    const double num_blended = ceil(1.5 * sqrt(sums.jump) * (count - 1) / path);
    const bool lacks_last_frame = count >= 4 && is_regular_jump(&sums);
    return (md5_loop){
        .end = lacks_last_frame ? MD5_LOOP_WITHOUT_LAST_FRAME : MD5_LOOP_OPEN,
        .num_blended = (uint32_t)fmin(num_blended, count - 1),
    };
}
