// md5_compress_anim(): compresses an animation within a tolerance.
//
// The function first copies the rotations and translations of each joint into tracks. It then makes
// several attempts. An attempt gives each joint an error budget, quantizes the tracks within the
// budgets, and measures the resulting error. The result is the smallest attempt whose error is
// within the tolerance.
//
// A key is a stored value of a track. A key step is the number of frames from one key to the next.
// A scale is the index of a quantization step. Keys are rounded to multiples of this step.
#include "md5/compress/file.h"
#include "md5/core/math.h"
#include "md5/core/slerp.h"
#include "md5/pose/kernels.h"

#include <stdlib.h>

// The rotations or the translations of one joint over all frames.
typedef struct md5_packed_track {
    uint32_t joint;
    uint8_t kind;
    uint8_t form;
    bool is_constant;
    float min_omitted; // smallest magnitude of the omitted component over all frames
    float max_value;   // largest magnitude of a component over all frames
    float ranges[4];   // maximum minus minimum of each component
    // Largest difference to the animation if only the frames at multiples of
    // md5i_packed_key_steps[k] are keys. Unit: half radians for rotations, units for translations.
    float deviations[MD5_PACKED_NUM_STEPS];
    const md5_packed_value *values; // [num_frames] in storage order; one element if constant
    md5_packed_value middle;        // the middle of the range of each component
    float middle_deviation;         // largest distance of a frame from `middle`

    // The members below are selected again in each attempt.
    uint8_t step; // index of the key step; 0: (almost) constant, `middle` is the only key
    uint8_t bits[4];
    uint8_t offset_bits;
    uint32_t scale;
    int32_t offsets[4];
} md5_packed_track;

// Buffers for measuring the largest displacement of a point of the skin: see md5_anim.max_error.
typedef struct md5_error_measurement {
    md5_xform *pose;
    struct md5_joint_transform *anim_joints;
    struct md5_joint_transform *packed_joints;
    double *errors; // [joints] result for each joint, units
} md5_error_measurement;

// == Tracks ======================================================================================
//
// Reads the tracks of an animation. Selects which components are stored, and in which order.
// Measures how far frames deviate from the interpolation of keys.

// Minimum magnitude of an omitted component, which the decoder computes from the stored components.
// With this limit, its error is at most five times the error of the stored components.
#define MIN_OMITTED 0.2f

// -- Values -----------------------------------------------------------------------------------

// Copies the first `components` components of the value of each frame, and sets the others to 0.
// The value of frame i begins at first[i * step]. Returns NULL if memory runs out.
static md5_packed_value *copy_values(md5_arena *arena, const float *first, size_t step,
                                     uint32_t components, uint32_t count)
{
    md5_packed_value *const values = MD5_ALLOC_ZEROED(arena, md5_packed_value, count);
    if (values) {
        for (uint32_t frame = 0; frame < count; frame++)
            memcpy(values[frame].v, first + frame * step, components * sizeof(float));
    }
    return values;
}

// Returns the component of rotations to omit in storage. The decoder computes it from the others,
// which magnifies errors if the component is near 0. Therefore the function selects the component
// whose smallest magnitude over all frames is the largest. Sets *min_magnitude to this magnitude.
static uint32_t select_omitted(const md5_packed_value *values, uint32_t count, float *min_magnitude)
{
    // Start above the magnitudes of all components of unit quaternions, which are at most 1.
    float minima[4] = {2, 2, 2, 2};
    uint32_t selected = 0;
    for (uint32_t frame = 0; frame < count; frame++) {
        for (uint32_t c = 0; c < 4; c++) {
            const float magnitude = fabsf(values[frame].v[c]);
            minima[c] = magnitude < minima[c] ? magnitude : minima[c];
        }
    }
    for (uint32_t c = 1; c < 4; c++) {
        if (minima[c] >= minima[selected])
            selected = c;
    }
    *min_magnitude = minima[selected];
    return selected;
}

// Finds the smallest and the largest value of component `c`.
static void find_range(const md5_packed_track *track, uint32_t count, int c, float *min, float *max)
{
    *min = track->values[0].v[c];
    *max = *min;
    for (uint32_t frame = 1; frame < count; frame++) {
        const float value = track->values[frame].v[c];
        *min = value < *min ? value : *min;
        *max = value > *max ? value : *max;
    }
}

// Measures the range (maximum - minimum) of each component over the `count` values of a track, and
// the largest magnitude of all components.
static void measure_ranges(md5_packed_track *track, uint32_t count)
{
    for (int c = 0; c < 4; c++) {
        float min;
        float max;
        find_range(track, count, c, &min, &max);
        const float magnitude = fmaxf(fabsf(min), fabsf(max));
        track->ranges[c] = max - min;
        track->max_value = fmaxf(track->max_value, magnitude);
    }
}

// -- Keys -------------------------------------------------------------------------------------

// Returns the difference between the rotation `at` and the interpolation of `a` and `b`. The
// difference is the distance of the two unit quaternions as points in 4D. It is about half of the
// angle between the rotations, in radians.
static double rotation_difference(const md5_packed_value *a, const md5_packed_value *b,
                                  const md5_packed_value *at, float fraction)
{
    const md5_quat from = {a->v[0], a->v[1], a->v[2], a->v[3]};
    const md5_quat to = {b->v[0], b->v[1], b->v[2], b->v[3]};
    const md5_quat q = md5_quat_slerp(from, to, fraction);
    const double interpolated[4] = {q.x, q.y, q.z, q.w};

    // q and -q are the same rotation, so the smaller of the two differences counts.
    double square = 0;
    double opposite_square = 0;
    for (uint32_t c = 0; c < 4; c++) {
        const double v = at->v[c];
        square += (interpolated[c] - v) * (interpolated[c] - v);
        opposite_square += (interpolated[c] + v) * (interpolated[c] + v);
    }
    return sqrt(square < opposite_square ? square : opposite_square);
}

// Returns the distance between the translation `at` and the interpolation of `a` and `b`.
static double translation_difference(const md5_packed_value *a, const md5_packed_value *b,
                                     const md5_packed_value *at, float fraction)
{
    double square = 0;
    for (uint32_t c = 0; c < 3; c++) {
        const double from = a->v[c];
        const double to = b->v[c];
        const double difference = from + (to - from) * fraction - at->v[c];
        square += difference * difference;
    }
    return sqrt(square);
}

// Returns the difference between a frame and the interpolation of the keys before and after it.
// Unit: half radians or units, see md5_packed_track.deviations.
static double frame_deviation(const md5_packed_track *track, uint32_t key, uint32_t frame,
                              uint32_t next_key)
{
    const md5_packed_value *const values = track->values;
    const float fraction = (float)(frame - key) / (float)(next_key - key);
    if (track->kind == MD5_PACKED_ROTATION)
        return rotation_difference(&values[key], &values[next_key], &values[frame], fraction);
    return translation_difference(&values[key], &values[next_key], &values[frame], fraction);
}

// Returns the largest difference between frames and their interpolation, if only the frames at
// multiples of `step` and the last frame are keys. `step` is in frames.
static float step_deviation(const md5_packed_track *track, uint32_t num_frames, uint32_t step)
{
    const uint32_t last = num_frames - 1;
    double max_deviation = 0;
    for (uint32_t key = 0; key < last; key += step) {
        const uint32_t next_key = last - key > step ? key + step : last;
        for (uint32_t frame = key + 1; frame < next_key; frame++) {
            const double deviation = frame_deviation(track, key, frame, next_key);
            max_deviation = deviation > max_deviation ? deviation : max_deviation;
        }
    }
    return (float)max_deviation;
}

// Measures the deviations of an animated track for all key steps. At index 1, every frame is a key,
// so that the deviation remains 0.
static void measure_deviations(md5_packed_track *track, uint32_t num_frames)
{
    if (track->is_constant)
        return;
    for (uint32_t k = 2; k < MD5_PACKED_NUM_STEPS; k++)
        track->deviations[k] = step_deviation(track, num_frames, md5i_packed_key_steps[k]);
}

// Returns the largest distance of a frame of a track from track->middle.
static float distance_from_middle(const md5_packed_track *track, uint32_t num_frames)
{
    double max_square = 0;
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        double square = 0;
        for (uint32_t c = 0; c < 4; c++) {
            const double difference = (double)track->values[frame].v[c] - track->middle.v[c];
            square += difference * difference;
        }
        max_square = square > max_square ? square : max_square;
    }
    return (float)sqrt(max_square);
}

// Computes the value that represents the track if it is stored as a constant. It is the middle of
// the range of each component. If the format omits a component, computes it from the others as the
// decoder does. Sets track->middle_deviation to the largest distance of a frame from this value.
static void measure_middle(md5_packed_track *track, uint32_t count)
{
    md5_packed_value *const middle = &track->middle;
    for (int c = 0; c < 4; c++) {
        float min;
        float max;
        find_range(track, count, c, &min, &max);
        middle->v[c] = count > 1 ? min + (max - min) * 0.5f : min;
    }

    const bool omits_component =
        track->kind == MD5_PACKED_ROTATION && track->form != MD5_PACKED_FULL;
    if (count > 1 && omits_component) {
        const float *const v = middle->v;
        middle->v[3] = sqrtf(fmaxf(0.0f, 1 - (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])));
    }
    track->middle_deviation = distance_from_middle(track, count);
}

// -- Tracks -----------------------------------------------------------------------------------

// Changes the sign of a quaternion. The rotation remains the same.
static void negate_value(md5_packed_value *value)
{
    for (uint32_t c = 0; c < 4; c++)
        value->v[c] = -value->v[c];
}

// Returns the cosine of half of the angle between two rotations. If it is negative, -b is nearer to
// a than b is, and both are the same rotation.
static float half_angle_cosine(const md5_packed_value *a, const md5_packed_value *b)
{
    return a->v[0] * b->v[0] + a->v[1] * b->v[1] + a->v[2] * b->v[2] + a->v[3] * b->v[3];
}

// Selects the sign of each rotation, because q and -q are the same rotation. If a component is
// omitted, selects the sign that makes this component positive, so that its sign need not be
// stored. If `is_full`, no component is omitted. The sign is then the one that is nearer to the
// previous frame.
static void select_signs(md5_packed_value *values, uint32_t count, bool is_full, uint32_t omitted)
{
    for (uint32_t frame = 0; frame < count; frame++) {
        md5_packed_value *const value = &values[frame];
        const md5_packed_value *const previous = frame > 0 ? value - 1 : value;
        const float sign = is_full ? half_angle_cosine(previous, value) : value->v[omitted];
        if (sign < 0)
            negate_value(value);
    }
}

// Converts rotations to storage order: the omitted component is last.
static void move_omitted_last(md5_packed_value *values, uint32_t count, uint32_t omitted)
{
    for (uint32_t frame = 0; frame < count; frame++) {
        float *const v = values[frame].v;
        const float last = v[omitted];
        for (uint32_t c = omitted; c < 3; c++)
            v[c] = v[c + 1];
        v[3] = last;
    }
}

// Reads the rotations of a joint into a track in storage order, and measures them. The rotation of
// frame i begins at first[i * step]. Returns false if memory runs out.
static bool read_rotation(md5_arena *arena, const float *first, size_t step, uint32_t count,
                          md5_packed_track *track)
{
    md5_packed_value *const values = copy_values(arena, first, step, 4, count);
    TRY(values);
    const uint32_t omitted = select_omitted(values, count, &track->min_omitted);
    const bool is_full = track->min_omitted < MIN_OMITTED; // no component can be omitted
    track->kind = MD5_PACKED_ROTATION;
    track->form = (uint8_t)(is_full ? (uint32_t)MD5_PACKED_FULL : omitted);
    track->values = values;

    select_signs(values, count, is_full, omitted);
    if (!is_full)
        move_omitted_last(values, count, omitted);
    measure_ranges(track, count);
    measure_middle(track, count);
    return true;
}

// Reads the translations of a joint into a track, and measures them. The translation of frame i
// begins at first[i * step]. Returns false if memory runs out.
static bool read_translation(md5_arena *arena, const float *first, size_t step, uint32_t count,
                             md5_packed_track *track)
{
    md5_packed_value *const values = copy_values(arena, first, step, 3, count);
    TRY(values);
    track->kind = MD5_PACKED_TRANSLATION;
    track->form = MD5_PACKED_WITHOUT_W;
    track->values = values;
    measure_ranges(track, count);
    measure_middle(track, count);
    return true;
}

// Reads two constant tracks for each joint. read_moving_tracks() later replaces the tracks of
// joints that rotate or move.
static bool read_constant_tracks(md5_arena *arena, const md5_anim *anim, md5_packed_track *tracks)
{
    for (uint32_t joint = 0; joint < anim->skeleton.num_joints; joint++) {
        const md5_xform *const constant = &anim->constant[joint];
        md5_packed_track *const rotation = &tracks[2 * joint];
        md5_packed_track *const translation = &tracks[2 * joint + 1];
        rotation->joint = joint;
        rotation->is_constant = true;
        translation->joint = joint;
        translation->is_constant = true;
        TRY(read_rotation(arena, &constant->rotation.x, 4, 1, rotation));
        TRY(read_translation(arena, &constant->translation.x, 3, 1, translation));
    }
    return true;
}

// Reads the tracks of the joints that rotate or move, replacing their constant tracks. Joint j has
// the tracks 2 j for its rotation and 2 j + 1 for its translation.
static bool read_moving_tracks(md5_arena *arena, const md5_anim *anim, md5_packed_track *tracks)
{
    const uint32_t num_frames = anim->num_frames;
    for (uint32_t slot = 0; slot < anim->num_rotations; slot++) {
        md5_packed_track *const track = &tracks[2 * (size_t)anim->rotation_joints[slot]];
        const float *const first = &anim->rotations[slot].x;
        *track = (md5_packed_track){.joint = track->joint};
        TRY(read_rotation(arena, first, 4 * (size_t)anim->num_rotations, num_frames, track));
        measure_deviations(track, num_frames);
    }

    for (uint32_t slot = 0; slot < anim->num_translations; slot++) {
        md5_packed_track *const track = &tracks[2 * (size_t)anim->translation_joints[slot] + 1];
        const float *const first = &anim->translations[slot].x;
        *track = (md5_packed_track){.joint = track->joint};
        TRY(read_translation(arena, first, 3 * (size_t)anim->num_translations, num_frames, track));
        measure_deviations(track, num_frames);
    }
    return true;
}

// Returns two tracks for each joint j: the rotation 2 j and the translation 2 j + 1. Returns NULL
// if memory runs out.
static md5_packed_track *read_tracks(md5_arena *arena, const md5_anim *anim)
{
    const size_t num_tracks = 2 * (size_t)anim->skeleton.num_joints;
    md5_packed_track *const tracks = MD5_ALLOC_ZEROED(arena, md5_packed_track, num_tracks);
    if (!tracks)
        return NULL;
    const bool were_read =
        read_constant_tracks(arena, anim, tracks) && read_moving_tracks(arena, anim, tracks);
    return were_read ? tracks : NULL;
}

// == An attempt ==================================================================================
//
// Selects scales and key steps of all tracks for the budgets of the joints, and writes the bits.
// The budget of a joint is the displacement of the skin, in units, that its tracks may cause.

// Limits of the quantization step. With larger steps, rounded rotations could differ too much from
// unit quaternions. The largest value of a track has at most MAX_LEVELS steps, multiplied by up to
// 2^(1/4) because scale_below() rounds steps down. Floats store up to 2^24 steps exactly.
#define MAX_ROTATION_STEP 0x1p-6
#define MAX_TRANSLATION_STEP 0x1p30
#define MAX_LEVELS 0x1p22

// Largest fraction of a track's budget that the error of frames between keys may use. The remaining
// budget is for the rounding of the keys.
#define MAX_DEVIATION 0.9

// Fraction of the budget for constant tracks. Precise constants cost few bits, because each is
// stored only once, and they leave the tolerance to the animated tracks.
#define CONSTANT_BUDGET_FRACTION 0.25

// -- Scales -----------------------------------------------------------------------------------

// Returns the index of the largest quantization step that is at most `value`, which is positive.
// The steps grow by quarters of an octave and begin at 2 to the power of MD5_PACKED_MIN_EXPONENT.
// The result is limited to the existing indices.
static int32_t scale_below(double value)
{
    int exponent;
    const double mantissa = frexp(value, &exponent) * 2; // from 1 to below 2
    const int32_t scale_of_one = -4 * MD5_PACKED_MIN_EXPONENT;
    int32_t quarter = 3;
    while (quarter > 0 && mantissa < md5i_packed_decode_scale((uint32_t)(scale_of_one + quarter)))
        quarter--;
    const int32_t scale = (exponent - 1 - MD5_PACKED_MIN_EXPONENT) * 4 + quarter;
    if (scale < 0)
        return 0;
    return scale < MD5_PACKED_NUM_SCALES ? scale : MD5_PACKED_NUM_SCALES - 1;
}

// Returns the number of bits of a value without its leading zeros.
static uint32_t bit_length(uint64_t value)
{
    uint32_t bits = 0;
    for (; value > 0; value >>= 1)
        bits++;
    return bits;
}

// Returns the largest quantization step whose rounding error moves the skin by at most `units`.
// `reach` is the distance from the joint to the farthest skin that it moves.
//
// Rounding changes a component by at most half a step. The result depends on the stored components:
//
//   three of a translation   The translation moves by at most sqrt(3) / 2 steps.
//   three of a rotation      It turns by at most sqrt(3) / min_omitted steps, in radians. The error
//                            of the omitted component grows as this component comes near 0.
//   four of a rotation       It turns by at most 2 steps, in radians.
static double max_step_for_error(const md5_packed_track *track, double units, double reach)
{
    const double root = 1.7320508075688772;
    if (track->kind != MD5_PACKED_ROTATION)
        return units * 2.0 / root;
    if (track->form == MD5_PACKED_FULL)
        return units / (2 * reach);
    return units * track->min_omitted / (root * reach);
}

// Returns the largest scale whose rounding error moves the skin by at most `units`. `reach` is the
// distance from the joint to the farthest skin that it moves.
static uint32_t select_scale(const md5_packed_track *track, double units, double reach)
{
    const bool is_rotation = track->kind == MD5_PACKED_ROTATION;
    const double step = max_step_for_error(track, units, reach);
    const double max_step = is_rotation ? MAX_ROTATION_STEP : MAX_TRANSLATION_STEP;
    const double min_step = track->max_value / MAX_LEVELS;
    const double bounded = step > min_step ? step : min_step;
    if (!(bounded > 0))
        return 0;
    return (uint32_t)scale_below(bounded < max_step ? bounded : max_step);
}

static uint32_t count_track_components(const md5_packed_track *track)
{
    return md5_packed_components(track->form);
}

// Estimates the number of bits of a track's keys. `scale` is the index of the quantization step,
// and `step` is the index of the key step.
static double estimate_bits(const md5_packed_track *track, uint32_t scale, uint32_t step,
                            uint32_t num_frames)
{
    const double level_size = md5i_packed_decode_scale(scale);
    double bits_per_key = 0;
    for (uint32_t c = 0; c < count_track_components(track); c++)
        bits_per_key += bit_length((uint64_t)(track->ranges[c] / level_size + 0.5));
    return bits_per_key * md5i_packed_num_keys((uint8_t)step, num_frames);
}

// Rounds a value to the nearest multiple of a quantization step, and returns the factor, which is
// called the level of the value. `scale` is the index of the quantization step.
static int32_t quantize(float value, uint32_t scale)
{
    return (int32_t)floor((double)value / md5i_packed_decode_scale(scale) + 0.5);
}

// Returns the value of a track at a key. The last key can lie after the last frame. It then has the
// value of the last frame. A constant track has the middle of its range.
static const float *key_value(const md5_packed_track *track, uint32_t num_frames, uint32_t key)
{
    if (track->step == 0)
        return track->middle.v;
    const uint64_t frame = (uint64_t)key * md5i_packed_key_steps[track->step];
    return track->values[frame < num_frames ? frame : num_frames - 1].v;
}

// Selects the key step and the scale that need the fewest bits within the budget of the track's
// joint. Larger key steps need fewer keys, but frames between the keys deviate. Index 1 makes each
// frame a key, which is always possible.
//
// The error has two independent parts: the deviation of frames between keys, and the rounding of
// the keys. The squares of independent errors add up, so the rounding may use
//
//   sqrt(budget^2 - deviation^2).
//
// `unit` converts deviations to units at the skin. `reach` is the distance from the joint to the
// farthest skin that it moves.
static void select_keys(md5_packed_track *track, uint32_t num_frames, double budget, double unit,
                        double reach)
{
    double min_bits = 0;
    for (uint32_t k = 1; k < MD5_PACKED_NUM_STEPS; k++) {
        const bool is_key_per_frame = k == 1; // without deviation; always possible
        const double deviation = track->deviations[k] * unit;
        const bool is_within_budget = deviation <= MAX_DEVIATION * budget;
        if (!is_key_per_frame && !is_within_budget)
            continue;

        const double remaining = sqrt(budget * budget - deviation * deviation);
        const double rounding_budget = is_key_per_frame ? budget : remaining;
        const uint32_t scale = select_scale(track, rounding_budget, reach);
        const double bits = estimate_bits(track, scale, k, num_frames);
        const bool is_smallest = is_key_per_frame || bits < min_bits;
        if (is_smallest) {
            min_bits = bits;
            track->step = (uint8_t)k;
            track->scale = scale;
        }
    }
}

// -- Bits -------------------------------------------------------------------------------------

// Numbers of bits of the fields of a track's header. SIZE_BITS is for fields that store a number of
// bits.
enum { STEP_BITS = 4, FORM_BITS = 3, SIZE_BITS = 5, SCALE_BITS = 9 };

// Returns the number of bits of a track's header in a compressed clip. It must count the same
// fields as write_header() writes. Constant tracks have no keys, and therefore no sizes of keys.
static uint32_t header_bits(const md5_packed_track *track)
{
    const bool is_animated = track->step != 0;
    const bool has_scale = is_animated || track->offset_bits > 0;
    const uint32_t form_bits = track->kind == MD5_PACKED_ROTATION ? FORM_BITS : 0;
    const uint32_t scale_bits = has_scale ? SCALE_BITS : 0;
    const uint32_t size_bits = is_animated ? SIZE_BITS : 0;
    return STEP_BITS + form_bits + SIZE_BITS + scale_bits
           + count_track_components(track) * (size_bits + track->offset_bits);
}

// Writes the lowest `count` bits of a value at the position *bit, and moves this position. The bits
// there must be 0, because the function only sets bits.
static void write_bits(uint8_t *bytes, uint64_t *bit, uint32_t value, uint32_t count)
{
    const uint64_t mask = ((uint64_t)1 << count) - 1;
    const uint64_t shifted = (value & mask) << *bit % 8;
    uint8_t *const to = bytes + *bit / 8;
    for (uint32_t i = 0; i < 8 && shifted >> (8 * i) != 0; i++)
        to[i] = (uint8_t)(to[i] | shifted >> (8 * i));
    *bit += count;
}

// == Distances of the skin =======================================================================
//
// Computes the distance from each joint to the farthest skin that the joint itself moves, and to
// the farthest skin that the joint or a descendant moves.

// -- From a model -----------------------------------------------------------------------------

static float distance_between(md5_vec3 a, md5_vec3 b)
{
    return (float)md5_vec3d_length(md5_vec3d_sub(md5_vec3d_from_vec3(a), md5_vec3d_from_vec3(b)));
}

static void raise_to_at_least(float *value, float to)
{
    if (to > *value)
        *value = to;
}

// Returns the distance of an influence's point from its joint in the bind pose. An influence stores
// the point multiplied by its bias in x y z, and the bias in w.
static float influence_distance(md5_vec4 influence, const md5_mat34 *bind)
{
    const float scale = 1.0f / influence.w;
    const md5_vec3 point = {influence.x * scale, influence.y * scale, influence.z * scale};
    return distance_between(point, md5_mat34_translation(*bind));
}

// Raises distances[model joints] to the distance of the farthest point that each joint influences.
static void measure_vertices(const md5_model *model, float *distances)
{
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        if (!mesh->influences)
            continue;
        for (uint32_t j = 0; j < mesh->num_influences; j++) {
            const md5_vec4 influence = mesh->influences[j];
            const uint32_t joint = mesh->influence_joints[j];
            if (influence.w != 0)
                raise_to_at_least(&distances[joint],
                                  influence_distance(influence, &model->bind[joint]));
        }
    }
}

// Adds the skin of joints without a track to their parents, because these joints move with their
// parents. The distance from the parent is at most the distance from the joint plus the length of
// the bone between them.
static void add_distances_to_parents(const md5_model *model, const md5_binding *binding,
                                     float *distances)
{
    const md5_skeleton *const skeleton = &model->skeleton;
    for (uint32_t i = skeleton->num_joints; i-- > 0;) { // children before their parents
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        const bool has_track = binding->tracks[joint] != MD5_NONE;
        const bool has_skin = distances[joint] != 0;
        if (has_track || !has_skin || parent == MD5_NONE)
            continue;
        const float bone = distance_between(md5_mat34_translation(model->bind[joint]),
                                            md5_mat34_translation(model->bind[parent]));
        raise_to_at_least(&distances[parent], distances[joint] + bone);
    }
}

// Binds a model to an animation, with the options that the caller of the compression passed.
// Returns NULL and sets the context's error if model and animation do not match.
static md5_binding *bind_for_measuring(md5_context *context, const md5_model *model,
                                       const md5_anim *anim)
{
    md5_error error = {.status = MD5_OK};
    const md5_load_opts opts = {.allocator = context->allocator,
                                .file_name = context->error.file,
                                .warn = context->warn,
                                .warn_user = context->warn_user,
                                .max_warnings = context->max_warnings,
                                .allow_partial_binding = context->allow_partial_binding};
    md5_binding *const binding = md5_bind(model, anim, &opts, &error);
    if (!binding)
        MD5_FAIL(context, error.status, "%s", error.message);
    return binding;
}

// Measures the distances of a model's skin from its joints, and raises direct[anim joints] to them.
// A binding contains the joint of the animation that moves each joint of the model.
static bool measure_model(md5_arena *arena, const md5_model *model, const md5_anim *anim,
                          float *direct)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    // Distances of the model's joints.
    float *const distances = MD5_ALLOC_ZEROED(arena, float, num_joints);
    TRY(distances);
    md5_binding *const binding = bind_for_measuring(arena->context, model, anim);
    TRY(binding);

    measure_vertices(model, distances);
    add_distances_to_parents(model, binding, distances);
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        if (binding->tracks[joint] != MD5_NONE)
            raise_to_at_least(&direct[binding->tracks[joint]], distances[joint]);
    }
    md5_free_binding(binding);
    return true;
}

// -- From bones -------------------------------------------------------------------------------

// Returns the length of the bone from a joint's parent to the joint.
static float bone_length(const md5_anim *anim, uint32_t joint)
{
    return distance_between(anim->constant[joint].translation, (md5_vec3){0, 0, 0});
}

// Estimates direct[] without a model, from the lengths of bones. The skin of a joint is assumed to
// reach as far as its longest child bone. A joint without children uses the bone from its parent.
static void measure_bones(const md5_anim *anim, float *direct)
{
    const md5_skeleton *const skeleton = &anim->skeleton;
    for (uint32_t i = skeleton->num_joints; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        if (parent == MD5_NONE)
            continue;
        const float bone = bone_length(anim, joint);
        if (direct[joint] == 0) // no child has set it
            direct[joint] = bone;
        raise_to_at_least(&direct[parent], bone);
    }
}

// -- Paths ------------------------------------------------------------------------------------

// Computes reach->reach from reach->direct. Also computes heights[joints]: the number of joints on
// the longest path from a joint down to a joint without children, including both.
static void measure_reach(const md5_anim *anim, float *heights, md5_skin_reach *reach)
{
    const md5_skeleton *const skeleton = &anim->skeleton;
    for (uint32_t i = skeleton->num_joints; i-- > 0;) { // children before their parents
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        raise_to_at_least(&reach->reach[joint], reach->direct[joint]);
        raise_to_at_least(&heights[joint], 1);
        if (parent == MD5_NONE)
            continue;
        raise_to_at_least(&reach->reach[parent], reach->reach[joint] + bone_length(anim, joint));
        raise_to_at_least(&heights[parent], heights[joint] + 1);
    }
}

// Computes the budgets of all joints for a tolerance of 1 unit. Independent errors of n joints add
// up to about sqrt(n) times the error of one joint. Therefore each joint of a path of n joints gets
// the budget 1 / sqrt(n). `heights` come from measure_reach(). depths[joints] is a buffer for the
// number of ancestors of each joint.
static void set_budgets(const md5_skeleton *skeleton, const float *heights, float *depths,
                        float *budgets)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) { // parents before their children
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        depths[joint] = parent == MD5_NONE ? 0 : depths[parent] + 1;
        const float path_length = heights[joint] + depths[joint];
        budgets[joint] = 1.0f / sqrtf(path_length);
    }
}

// Raises direct[anim joints] to the distance from each joint to the farthest point of the skin that
// it moves itself, in the scale of the clip. The source is the first that exists: the distances of
// the caller, a model, or the lengths of bones.
static bool find_direct_distances(md5_arena *arena, const md5_anim *anim,
                                  const md5_compress_opts *options, float *direct)
{
    if (options->distances) {
        for (uint32_t joint = 0; joint < anim->skeleton.num_joints; joint++)
            raise_to_at_least(&direct[joint], options->distances[joint]);
        return true;
    }
    if (options->model)
        return measure_model(arena, options->model, anim, direct);
    measure_bones(anim, direct);
    return true;
}

// Raises distances to at least one unit. Fails if a distance is above 1e9 units.
static bool limit_distances(md5_context *context, const md5_skeleton *skeleton, float *direct)
{
    const float unit = md5_skeleton_scale(skeleton); // one unit in the scale of the clip
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
        direct[joint] = direct[joint] > unit ? direct[joint] : unit;
        if (!(direct[joint] <= 1e9f * unit))
            return MD5_FAIL(context, MD5_ERROR_RANGE,
                            "cannot compress the animation: skin distance of joint %u is out of "
                            "range: expected at most 1e9 units, found %g units",
                            joint, (double)(direct[joint] / unit));
    }
    return true;
}

// Computes the distances from all joints to the skin that they move, and the error budgets of the
// joints. See md5_skin_reach.
bool md5i_find_reach(md5_arena *arena, const md5_anim *anim, const md5_compress_opts *compress,
                     md5_skin_reach *reach)
{
    const uint32_t num_joints = anim->skeleton.num_joints;
    float *const depths = MD5_ALLOC_ZEROED(arena, float, num_joints);
    float *const heights = MD5_ALLOC_ZEROED(arena, float, num_joints);
    reach->direct = MD5_ALLOC_ZEROED(arena, float, num_joints);
    reach->reach = MD5_ALLOC_ZEROED(arena, float, num_joints);
    reach->budgets = MD5_ALLOC_ZEROED(arena, float, num_joints);
    TRY(depths && heights && reach->direct);
    TRY(reach->reach && reach->budgets);

    TRY(find_direct_distances(arena, anim, compress, reach->direct));
    TRY(limit_distances(arena->context, &anim->skeleton, reach->direct));
    measure_reach(anim, heights, reach);
    set_budgets(&anim->skeleton, heights, depths, reach->budgets);
    return true;
}

// == Errors ======================================================================================
//
// Measures the error of a compressed clip. Samples the animation and the compressed clip at the
// same times, and compares the joints in model space.

// The transform of a joint in model space.
typedef struct md5_joint_transform {
    md5_quatd rotation;
    md5_vec3d position;
} md5_joint_transform;

// Rotates a vector v by a unit quaternion with the vector part u and the scalar part w:
//
//   v + 2 w (u x v) + 2 u x (u x v)
static md5_vec3d rotate_vector(md5_quatd q, md5_vec3d v)
{
    const md5_vec3d u = {q.x, q.y, q.z};
    const md5_vec3d cross = md5_vec3d_scale(md5_vec3d_cross(u, v), 2);
    return md5_vec3d_add(v, md5_vec3d_add(md5_vec3d_scale(cross, q.w), md5_vec3d_cross(u, cross)));
}

// Converts a rotation to double precision and normalizes it.
static md5_quatd normalized_quatd(md5_quat rotation)
{
    const md5_quatd q = md5_quatd_from_quat(rotation);
    const double scale = 1.0 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (md5_quatd){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

// Computes the transforms of all joints in model space from a local pose. Uses doubles, so that
// rounding does not add to the measured errors.
static void compute_model_space(const md5_skeleton *skeleton, const md5_xform *pose,
                                md5_joint_transform *joints)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) { // parents before their children
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        md5_joint_transform local = {normalized_quatd(pose[joint].rotation),
                                     md5_vec3d_from_vec3(pose[joint].translation)};
        if (parent != MD5_NONE) {
            const md5_joint_transform parent_transform = joints[parent];
            const md5_vec3d offset = rotate_vector(parent_transform.rotation, local.position);
            local.position = md5_vec3d_add(parent_transform.position, offset);
            local.rotation = md5_quatd_mul(parent_transform.rotation, local.rotation);
        }
        joints[joint] = local; // in model space from here on
    }
}

// Returns the largest displacement of a point that is `distance` from a joint, between two
// transforms of the joint. A rotation by an angle moves a point at distance 1 by at most the chord
//
//   2 sin(angle / 2).
//
// sin(angle / 2) is the length of x y z in the quaternion of the rotation between both transforms.
static double joint_displacement(const md5_joint_transform *a, const md5_joint_transform *b,
                                 double distance)
{
    const md5_quatd q = md5_quatd_mul(md5_quatd_conjugate(a->rotation), b->rotation);
    const double chord = 2 * sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    return md5_vec3d_length(md5_vec3d_sub(a->position, b->position)) + distance * chord;
}

// Raises *error to a value if the value is larger. NaN counts as infinite, so that a broken pose
// never passes as within the tolerance.
static void raise_error(double *error, double value)
{
    if (!(value <= *error))
        *error = value >= 0 ? value : INFINITY;
}

// Samples both clips at one position. Raises scratch->errors[] of all joints to the displacements
// of their skin. distances[joint] is the distance of the skin that a joint moves itself.
static void measure_position(const md5_anim *anim, const md5_packed *packed, const float *distances,
                             const md5_error_measurement *scratch,
                             const md5_sample_position *sample)
{
    const md5_pose_kernels *const kernels = MD5_POSE_KERNELS(AVX512);
    md5i_sample_anim_with(kernels, anim, sample, MD5_ROOT_FILE, scratch->pose);
    compute_model_space(&anim->skeleton, scratch->pose, scratch->anim_joints);
    md5i_packed_sample_all(kernels->sample_packed, packed, sample, scratch->pose);
    compute_model_space(&anim->skeleton, scratch->pose, scratch->packed_joints);
    for (uint32_t joint = 0; joint < anim->skeleton.num_joints; joint++) {
        const double displacement = joint_displacement(
            &scratch->anim_joints[joint], &scratch->packed_joints[joint], distances[joint]);
        raise_error(&scratch->errors[joint], displacement);
    }
}

// Measures the errors of all joints at each frame and halfway between frames. Stores the largest
// error of each joint in scratch->errors[], and returns the largest of all.
static double measure_packed(const md5_anim *anim, const md5_packed *packed, const float *distances,
                             const md5_error_measurement *scratch)
{
    const uint32_t num_joints = anim->skeleton.num_joints;
    for (uint32_t joint = 0; joint < num_joints; joint++)
        scratch->errors[joint] = 0;

    for (uint32_t frame = 0; frame < anim->num_frames; frame++) {
        const md5_sample_position at_frame = {.frame0 = frame, .frame1 = frame};
        measure_position(anim, packed, distances, scratch, &at_frame);
        const bool is_last = frame + 1 == anim->num_frames;
        if (is_last)
            break;
        const md5_sample_position halfway = {
            .frame0 = frame, .frame1 = frame + 1, .fraction = 0.5f};
        measure_position(anim, packed, distances, scratch, &halfway);
    }

    double max_error = 0;
    for (uint32_t joint = 0; joint < num_joints; joint++)
        raise_error(&max_error, scratch->errors[joint]);
    return max_error;
}

// == Budgets =====================================================================================
//
// Searches for budgets of the joints whose measured error is within the tolerance, with as few
// bytes as possible. Errors of joints add up along a path, but rarely in the same direction, so the
// total cannot be predicted well. The search therefore adapts the budgets after each attempt: it
// increases the budgets of joints with small errors, and reduces the budgets on a path to a large
// error.

enum {
    ATTEMPTS = 10,     // attempts with budgets that are adapted for each joint
    SCALINGS = 6,      // further attempts that multiply all budgets by SCALING
    MAX_HALVINGS = 24, // attempts that halve all budgets if no other attempt met the tolerance
};
#define SCALING 0.93f
// An attempt changes the budget of a joint by a factor from MIN_CHANGE to 1 / MIN_CHANGE.
#define MIN_CHANGE 0.125
// Reduces the changed budgets, so that the next error is more likely below the tolerance than above
// it.
#define SAFETY_FACTOR 0.97

// A compression in progress.
typedef struct compression {
    md5_arena *arena;
    const md5_anim *anim;
    md5_packed_track *tracks; // two for each joint: see read_tracks()
    md5_skin_reach reach;     // distances and current budgets of the joints
    md5_error_measurement scratch;
    float *best;       // [joints] budgets of the smallest attempt within the tolerance
    size_t best_bytes; // size of this attempt; 0 while no attempt is within the tolerance
    double tolerance;  // largest allowed displacement of the skin, in the scale of the clip
    md5_packed packed; // result of the last attempt
    double error;      // error of the last attempt
} compression;

// Selects the key step and the scale of a track for the budget of its joint. A track that hardly
// changes becomes constant (step 0).
static void select_track(const compression *job, md5_packed_track *track)
{
    const double budget = job->reach.budgets[track->joint];
    const double reach = job->reach.reach[track->joint];
    const double unit = track->kind == MD5_PACKED_ROTATION ? 2 * reach : 1;
    const double deviation = track->middle_deviation * unit;
    track->step = 0;
    if (track->is_constant || deviation <= MAX_DEVIATION * budget)
        track->scale = select_scale(track, budget * CONSTANT_BUDGET_FRACTION, reach);
    else
        select_keys(track, job->anim->num_frames, budget, unit, reach);
}

// Returns the number of bits that a signed value needs, including its sign. The value 0 needs none.
static uint32_t signed_bit_length(int32_t value)
{
    if (value == 0)
        return 0;
    const int64_t magnitude = value < 0 ? -((int64_t)value + 1) : value;
    return bit_length((uint64_t)magnitude) + 1;
}

// The smallest and the largest level of a component. See quantize().
typedef struct level_range {
    int32_t min;
    int32_t max;
} level_range;

// Returns the range of the levels of component `c` over all keys of a track.
static level_range find_level_range(const md5_packed_track *track, uint32_t num_frames, uint32_t c)
{
    const uint32_t num_keys = md5i_packed_num_keys(track->step, num_frames);
    const int32_t first = quantize(key_value(track, num_frames, 0)[c], track->scale);
    level_range range = {first, first};
    for (uint32_t key = 1; key < num_keys; key++) {
        const int32_t level = quantize(key_value(track, num_frames, key)[c], track->scale);
        range.min = level < range.min ? level : range.min;
        range.max = level > range.max ? level : range.max;
    }
    return range;
}

// Rounds the keys of a track to its quantization step. The offset of a component becomes its
// smallest level, and bits[] the size of the largest difference from it. If all keys are equal
// after rounding, the track becomes constant.
static void quantize_track(md5_packed_track *track, uint32_t num_frames)
{
    bool is_constant = true;
    track->offset_bits = 0;
    for (uint32_t c = 0; c < count_track_components(track); c++) {
        const level_range range = find_level_range(track, num_frames, c);
        const uint32_t offset_bits = signed_bit_length(range.min);
        track->offsets[c] = range.min;
        track->bits[c] = (uint8_t)bit_length((uint64_t)((int64_t)range.max - range.min));
        if (offset_bits > track->offset_bits)
            track->offset_bits = (uint8_t)offset_bits;
        is_constant = is_constant && track->bits[c] == 0;
    }
    if (is_constant)
        track->step = 0;
}

// Returns the number of bits of all keys of a track.
static uint64_t keys_bits(const md5_packed_track *track, uint32_t num_frames)
{
    if (track->step == 0)
        return 0;
    uint64_t key_bits = 0;
    for (uint32_t c = 0; c < count_track_components(track); c++)
        key_bits += track->bits[c];
    return key_bits * md5i_packed_num_keys(track->step, num_frames);
}

// Writes the header of a track at the bit *header of the stream, and moves this position past it.
static void write_header(const md5_packed_track *track, uint8_t *bytes, uint64_t *header)
{
    const uint32_t components = count_track_components(track);
    const bool is_animated = track->step != 0;
    write_bits(bytes, header, track->step, STEP_BITS);
    if (track->kind == MD5_PACKED_ROTATION)
        write_bits(bytes, header, track->form, FORM_BITS);
    write_bits(bytes, header, track->offset_bits, SIZE_BITS);
    if (is_animated || track->offset_bits > 0)
        write_bits(bytes, header, track->scale, SCALE_BITS);

    if (is_animated) {
        for (uint32_t c = 0; c < components; c++)
            write_bits(bytes, header, track->bits[c], SIZE_BITS);
    }
    for (uint32_t c = 0; c < components; c++)
        write_bits(bytes, header, (uint32_t)track->offsets[c], track->offset_bits);
}

// Writes the keys of a track at the bit *key of the stream, and moves this position past them. A
// constant track has no keys: the offsets in its header are its value.
static void write_keys(const md5_packed_track *track, uint32_t num_frames, uint8_t *bytes,
                       uint64_t *key)
{
    if (track->step == 0)
        return;
    const uint32_t components = count_track_components(track);
    const uint32_t num_keys = md5i_packed_num_keys(track->step, num_frames);
    for (uint32_t k = 0; k < num_keys; k++) {
        for (uint32_t c = 0; c < components; c++) {
            const int32_t level = quantize(key_value(track, num_frames, k)[c], track->scale);
            write_bits(bytes, key, (uint32_t)(level - track->offsets[c]), track->bits[c]);
        }
    }
}

// Writes all tracks of a job to job->packed, in the format that packed.h describes. All headers
// come first, with `num_header_bits` bits in total. All keys follow. Returns false and sets the
// context's error if memory runs out.
static bool write_tracks(compression *job, uint64_t num_header_bits, uint64_t num_key_bits)
{
    const md5_skeleton *const skeleton = &job->anim->skeleton;
    const uint32_t num_frames = job->anim->num_frames;
    const uint32_t num_bytes = (uint32_t)((num_header_bits + num_key_bits + 7) / 8);
    uint8_t *const bytes = MD5_ALLOC_ZEROED(job->arena, uint8_t, num_bytes + MD5_PACKED_PADDING);
    TRY(bytes);
    job->packed = (md5_packed){.num_joints = skeleton->num_joints,
                               .num_frames = num_frames,
                               .bytes = bytes,
                               .num_bytes = num_bytes,
                               .header_bits = (uint32_t)num_header_bits};

    uint64_t header = 0; // bit at which the next header is written
    uint64_t key = num_header_bits;
    for (uint32_t i = 0; i < 2 * skeleton->num_joints; i++) {
        write_header(&job->tracks[i], bytes, &header);
        write_keys(&job->tracks[i], num_frames, bytes, &key);
    }
    return true;
}

// The sizes of the two parts of a compressed clip, in bits.
typedef struct packed_sizes {
    uint64_t headers;
    uint64_t keys;
} packed_sizes;

// Selects the key steps, scales and offsets of all tracks for the current budgets. Returns the
// number of bits that they need.
static packed_sizes select_tracks(compression *job)
{
    const uint32_t num_frames = job->anim->num_frames;
    packed_sizes sizes = {0, 0};
    for (uint32_t i = 0; i < 2 * job->anim->skeleton.num_joints; i++) {
        md5_packed_track *const track = &job->tracks[i];
        select_track(job, track);
        quantize_track(track, num_frames);
        sizes.headers += header_bits(track);
        sizes.keys += keys_bits(track, num_frames);
    }
    return sizes;
}

// Compresses with the current budgets into job->packed, and measures the error. A rewind of the
// arena to `mark` frees the bytes of the previous attempt. Fails if memory runs out or the clip is
// too large.
static bool try_budgets(compression *job, md5_arena_mark mark)
{
    md5i_arena_rewind(job->arena, mark);
    const packed_sizes sizes = select_tracks(job);
    const uint64_t num_bits = sizes.headers + sizes.keys;
    if (num_bits > UINT32_MAX - 64)
        return MD5_FAIL(job->arena->context, MD5_ERROR_MEMORY,
                        "compressed animation is too large: expected at most 512 MiB, found %llu "
                        "bytes; increase the tolerance",
                        (unsigned long long)(num_bits + 7) / 8);

    TRY(write_tracks(job, sizes.headers, sizes.keys));
    job->error = measure_packed(job->anim, &job->packed, job->reach.direct, &job->scratch);
    return true;
}

// Saves the budgets of the last attempt in job->best if it is within the tolerance and smaller than
// all earlier such attempts.
static void save_if_best(compression *job)
{
    const uint32_t num_joints = job->anim->skeleton.num_joints;
    const size_t size = job->packed.num_bytes;
    const bool is_within_tolerance = job->error <= job->tolerance;
    const bool is_smallest = job->best_bytes == 0 || size < job->best_bytes;
    if (!is_within_tolerance || !is_smallest)
        return;
    job->best_bytes = size;
    memcpy(job->best, job->reach.budgets, num_joints * sizeof *job->best);
}

// Returns the factor of a partial change: 1 for part 0, and `factor` for part 1. A factor below 1
// is interpolated through its reciprocal, so that opposite changes cancel out. pow(factor, part) is
// not used, because its results differ between platforms.
static double partial_factor(double factor, double part)
{
    if (factor > 1)
        return 1 + (factor - 1) * part;
    return 1.0 / (1 + (1.0 / factor - 1) * part);
}

// Returns the factor by which to multiply a budget so that the error becomes the tolerance. Assumes
// that errors are proportional to budgets. Limits the factor to MIN_CHANGE .. 1 / MIN_CHANGE.
static double budget_change(double tolerance, double error)
{
    const double min_error = tolerance * MIN_CHANGE;
    const double change = tolerance / (error > min_error ? error : min_error);
    return change > MIN_CHANGE ? change : MIN_CHANGE;
}

static void scale_budgets(compression *job, float factor)
{
    for (uint32_t joint = 0; joint < job->anim->skeleton.num_joints; joint++)
        job->reach.budgets[joint] *= factor;
}

// Raises the error of each joint to the largest error among the joint and its descendants.
static void raise_errors_to_descendants(const md5_skeleton *skeleton, double *errors)
{
    for (uint32_t i = skeleton->num_joints; i-- > 0;) { // children before their parents
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        if (parent != MD5_NONE && errors[joint] > errors[parent])
            errors[parent] = errors[joint];
    }
}

// Changes the budget of each joint after an attempt has measured the errors. A joint whose error
// exceeds the tolerance gets a smaller budget, and a joint with a small error a larger one. The
// error of a joint includes the errors of its descendants, because they move with it. `speed`
// (0..1) is the fraction of the change to apply.
static void adapt_budgets(compression *job, double speed)
{
    const md5_skeleton *const skeleton = &job->anim->skeleton;
    // The errors may be overwritten, because the next attempt measures them again.
    double *const errors = job->scratch.errors;
    raise_errors_to_descendants(skeleton, errors);
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
        const double change = budget_change(job->tolerance, errors[joint]) * SAFETY_FACTOR;
        job->reach.budgets[joint] *= (float)partial_factor(change, speed);
    }
}

// Compresses with all budgets multiplied by a factor. The factors of successive calls accumulate.
static bool try_scaled_budgets(compression *job, md5_arena_mark mark, float factor)
{
    scale_budgets(job, factor);
    TRY(try_budgets(job, mark));
    save_if_best(job);
    return true;
}

// First makes ATTEMPTS attempts. Before each, adapts the budgets to the errors of the previous
// attempt. Then makes SCALINGS attempts, each with slightly smaller budgets of all joints.
static bool try_adapted_budgets(compression *job, md5_arena_mark mark)
{
    for (uint32_t i = 0; i < ATTEMPTS; i++) {
        TRY(try_budgets(job, mark));
        save_if_best(job);
        // Later attempts change the budgets less. A small change of a budget can select another key
        // step and double an error, so that the search would not settle.
        adapt_budgets(job, 1.0 / (1 + 0.25 * i));
    }
    for (uint32_t i = 0; i < SCALINGS; i++)
        TRY(try_scaled_budgets(job, mark, SCALING));
    return true;
}

// Halves all budgets until an attempt is within the tolerance. Fails if no attempt is.
static bool try_halved_budgets(compression *job, md5_arena_mark mark)
{
    double min_error = job->error;
    for (uint32_t i = 0; i < MAX_HALVINGS && job->best_bytes == 0; i++) {
        TRY(try_scaled_budgets(job, mark, 0.5f));
        min_error = job->error < min_error ? job->error : min_error;
    }
    if (job->best_bytes == 0)
        return MD5_FAIL(job->arena->context, MD5_ERROR_RANGE,
                        "tolerance is too small: found %g units, but the smallest possible error "
                        "is %g units; increase the tolerance",
                        job->tolerance, min_error);
    return true;
}

// Searches for the budgets that give the smallest clip within the tolerance, and compresses with
// them. Each attempt first rewinds the arena to `mark`.
static bool find_budgets(compression *job, md5_arena_mark mark)
{
    const uint32_t num_joints = job->anim->skeleton.num_joints;
    scale_budgets(job, (float)job->tolerance); // convert the budgets from a tolerance of 1 unit
    TRY(try_adapted_budgets(job, mark));
    const bool is_found = job->best_bytes != 0;
    if (!is_found)
        TRY(try_halved_budgets(job, mark));
    memcpy(job->reach.budgets, job->best, num_joints * sizeof *job->best);
    return try_budgets(job, mark);
}

// Returns true if the animation can be compressed with this tolerance. Otherwise sets the context's
// error.
static bool check_compress_job(md5_context *context, const md5_anim *anim, double tolerance)
{
    const uint32_t num_joints = anim->skeleton.num_joints;
    if (anim->packed_size)
        return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                        "animation is already compressed: expected an uncompressed animation");
    if (anim->parents_unknown)
        return MD5_FAIL(context, MD5_ERROR_VERSION,
                        "cannot compress the animation: MD5 version 6 does not store the parents "
                        "of joints; run 'md5tool fix CLIP --mesh MESH' first");
    if (num_joints == 0 || num_joints > MD5_PACKED_MAX_JOINTS)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "cannot compress the animation: expected 1 to %u joints, found %u",
                        MD5_PACKED_MAX_JOINTS, num_joints);
    if (!(tolerance >= 0 && tolerance <= 1e9))
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "tolerance is out of range: expected 0 to 1e9 units, found %g units",
                        tolerance);
    return true;
}

// Allocates the arrays in which the error of a compressed pose is measured. Returns false if memory
// runs out.
static bool alloc_measurement(md5_arena *arena, uint32_t num_joints, md5_error_measurement *scratch)
{
    scratch->pose = MD5_ALLOC_ARRAY(arena, md5_xform, num_joints);
    scratch->anim_joints = MD5_ALLOC_ARRAY(arena, md5_joint_transform, num_joints);
    scratch->packed_joints = MD5_ALLOC_ARRAY(arena, md5_joint_transform, num_joints);
    scratch->errors = MD5_ALLOC_ARRAY(arena, double, num_joints);
    return scratch->pose && scratch->anim_joints && scratch->packed_joints && scratch->errors;
}

// Allocates the arrays of a compression, and reads the tracks of the animation. Returns false if
// memory runs out.
static bool begin_compression(compression *job)
{
    const uint32_t num_joints = job->anim->skeleton.num_joints;
    TRY(alloc_measurement(job->arena, num_joints, &job->scratch));
    job->tracks = read_tracks(job->arena, job->anim);
    TRY(job->tracks);
    job->best = MD5_ALLOC_ARRAY(job->arena, float, num_joints);
    return job->best != NULL;
}

// Compresses the animation of a job: reads its tracks, searches for budgets within the tolerance,
// and creates the compressed animation. Returns NULL and sets the context's error if it fails.
static md5_anim *compress(compression *job, const md5_compress_opts *options)
{
    md5_arena *const arena = job->arena;
    const md5_anim *const anim = job->anim;
    if (!check_compress_job(arena->context, anim, options->tolerance))
        return NULL;
    job->tolerance = options->tolerance;
    if (job->tolerance == 0)
        job->tolerance = 0.01 * md5_skeleton_scale(&anim->skeleton);

    if (!md5i_find_reach(arena, anim, options, &job->reach) || !begin_compression(job))
        return NULL;
    if (!find_budgets(job, md5i_arena_position(arena)))
        return NULL;

    md5_anim source = *anim;
    source.tolerance = (float)job->tolerance;
    source.max_error = (float)job->error;
    return md5i_packed_create(arena->context, &source, anim->base_frame[0].translation,
                              &job->packed);
}

// Returns a compressed copy of an animation. Its skin deviates from the original by at most the
// tolerance. `compress_opts` and `opts` may be NULL.
md5_anim *md5_compress_anim(const md5_anim *anim, const md5_compress_opts *compress_opts,
                            const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(anim, MD5_TAG_ANIM);
    if (!anim) {
        md5i_fail_missing(error, "anim");
        return NULL;
    }
    MD5_ASSERT_RESERVED(compress_opts);
    MD5_ASSERT_OPTS(opts);

    const md5_compress_opts defaults = {0};
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    md5_arena arena = {.context = &context};
    const md5_compress_opts *const options = compress_opts ? compress_opts : &defaults;

    compression job = {.arena = &arena, .anim = anim};
    md5_anim *const compressed = compress(&job, options);
    md5i_arena_free(&arena);
    return compressed;
}
