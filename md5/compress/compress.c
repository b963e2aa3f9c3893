// md5_compress_anim(): tracks are taken from the animation, once; then each attempt selects steps
// for budgets of joints, writes groups and is measured.
#include "md5/compress/file.h"
#include "md5/core/math.h"
#include "md5/core/slerp.h"
#include "md5/pose/kernels.h"

#include <stdlib.h>

// A rotation or translation of one joint: its frames in stored order.
typedef struct md5_packed_track {
    uint32_t joint;
    uint8_t kind;
    uint8_t form;
    bool is_constant;
    float weakest;   // the smallest absolute value of the component that is not stored
    float largest;   // absolute value of a component
    float ranges[4]; // of components, over all frames
    // The largest difference from the animation if only each md5i_packed_key_steps[k]-th frame is a
    // key: half a radian, or units.
    float deviations[MD5_PACKED_NUM_STEPS];
    const md5_packed_value *values; // [num_frames], or one if it is constant
    md5_packed_value middle;        // of all frames, and the largest difference from it
    float middle_deviation;

    // Selected in each attempt.
    uint8_t step; // 0: constant, or near enough to it: `middle` is the only key
    uint8_t bits[4];
    uint8_t offset_bits;
    uint32_t scale;
    int32_t offsets[4];
} md5_packed_track;

// Measures the largest displacement of a point of the skin, in units, as md5_anim.max_error says.
typedef struct md5_measuring {
    md5_xform *pose;
    struct md5_placed *of_anim;
    struct md5_placed *of_packed;
    double *errors; // [joints], written: of each
} md5_measuring;

// == Tracks ======================================================================================
//
// Takes the tracks from an animation: which components are stored, in which order, and how far
// frames are from what their neighbours make of them.

// A component that is never nearer to 0 follows from the others with at most five times their
// error.
#define WEAKEST 0.2f

// -- Values -----------------------------------------------------------------------------------

static md5_packed_value *copy_values(md5_arena *arena, const float *first, size_t step,
                                     uint32_t components, uint32_t count)
{
    md5_packed_value *const values = MD5_NEW(arena, md5_packed_value, count);
    if (values) {
        for (uint32_t frame = 0; frame < count; frame++)
            memcpy(values[frame].v, first + frame * step, components * sizeof(float));
    }
    return values;
}

static uint32_t strongest_component(const md5_packed_value *values, uint32_t count, float *weakest)
{
    float least[4] = {2, 2, 2, 2};
    uint32_t strongest = 0;
    for (uint32_t frame = 0; frame < count; frame++) {
        for (uint32_t c = 0; c < 4; c++) {
            const float size = fabsf(values[frame].v[c]);
            least[c] = size < least[c] ? size : least[c];
        }
    }
    for (uint32_t c = 1; c < 4; c++) {
        if (least[c] >= least[strongest])
            strongest = c;
    }
    *weakest = least[strongest];
    return strongest;
}

// The range of component `c`.
static void find_range(const md5_packed_track *track, uint32_t count, int c, float *min, float *max)
{
    *min = *max = track->values[0].v[c];
    for (uint32_t frame = 1; frame < count; frame++) {
        const float value = track->values[frame].v[c];
        *min = value < *min ? value : *min;
        *max = value > *max ? value : *max;
    }
}

static void measure_ranges(md5_packed_track *track, uint32_t count)
{
    for (int c = 0; c < 4; c++) {
        float min, max;
        find_range(track, count, c, &min, &max);
        track->ranges[c] = max - min;
        track->largest = fmaxf(track->largest, fmaxf(fabsf(min), fabsf(max)));
    }
}

// -- Keys -------------------------------------------------------------------------------------

static double difference_of_rotations(const md5_packed_value *a, const md5_packed_value *b,
                                      const md5_packed_value *at, float fraction)
{
    const md5_quat q = md5_quat_slerp((md5_quat){a->v[0], a->v[1], a->v[2], a->v[3]},
                                      (md5_quat){b->v[0], b->v[1], b->v[2], b->v[3]}, fraction);
    const double r[4] = {q.x, q.y, q.z, q.w};
    double same = 0;
    double opposite = 0;
    for (uint32_t c = 0; c < 4; c++) {
        const double v = at->v[c];
        same += (r[c] - v) * (r[c] - v);
        opposite += (r[c] + v) * (r[c] + v);
    }
    return sqrt(same < opposite ? same : opposite);
}

static double difference_of_translations(const md5_packed_value *a, const md5_packed_value *b,
                                         const md5_packed_value *at, float fraction)
{
    double square = 0;
    for (uint32_t c = 0; c < 3; c++) {
        const double from = a->v[c];
        const double to = b->v[c];
        const double off = from + (to - from) * fraction - at->v[c];
        square += off * off;
    }
    return sqrt(square);
}

static float deviation_of_step(const md5_packed_track *track, uint32_t num_frames, uint32_t step)
{
    double worst = 0;
    const md5_packed_value *const values = track->values;
    for (uint32_t from = 0; from < num_frames - 1; from += step) {
        const uint32_t to = num_frames - 1 - from > step ? from + step : num_frames - 1;
        for (uint32_t at = from + 1; at < to; at++) {
            const float fraction = (float)(at - from) / (float)(to - from);
            const double off =
                track->kind == MD5_PACKED_ROTATION
                    ? difference_of_rotations(&values[from], &values[to], &values[at], fraction)
                    : difference_of_translations(&values[from], &values[to], &values[at], fraction);
            worst = off > worst ? off : worst;
        }
    }
    return (float)worst;
}

static void measure_deviations(md5_packed_track *track, uint32_t num_frames)
{
    for (uint32_t k = 2; k < MD5_PACKED_NUM_STEPS && !track->is_constant; k++)
        track->deviations[k] = deviation_of_step(track, num_frames, md5i_packed_key_steps[k]);
}

// The middle of the range of each component, and how far frames are from it.
static void measure_middle(md5_packed_track *track, uint32_t count)
{
    md5_packed_value *const middle = &track->middle;
    for (int c = 0; c < 4; c++) {
        float min, max;
        find_range(track, count, c, &min, &max);
        middle->v[c] = count > 1 ? min + (max - min) * 0.5f : min;
    }
    if (count > 1 && track->kind == MD5_PACKED_ROTATION && track->form != MD5_PACKED_FULL) {
        const float *const v = middle->v;
        middle->v[3] = sqrtf(fmaxf(0.0f, 1 - (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])));
    }
    double worst = 0;
    for (uint32_t frame = 0; frame < count; frame++) {
        double square = 0;
        for (uint32_t c = 0; c < 4; c++) {
            const double off = (double)track->values[frame].v[c] - middle->v[c];
            square += off * off;
        }
        worst = square > worst ? square : worst;
    }
    track->middle_deviation = (float)sqrt(worst);
}

// -- Tracks -----------------------------------------------------------------------------------

static bool take_rotation(md5_arena *arena, const float *first, size_t step, uint32_t count,
                          md5_packed_track *track)
{
    md5_packed_value *const values = copy_values(arena, first, step, 4, count);
    TRY(values);
    const uint32_t last = strongest_component(values, count, &track->weakest);
    const bool is_full = track->weakest < WEAKEST;
    track->kind = MD5_PACKED_ROTATION;
    track->form = (uint8_t)(is_full ? (uint32_t)MD5_PACKED_FULL : last);
    track->values = values;

    // q and -q are the same rotation: the sign is that of the component that is not stored or, if
    // all are, that of the frame before.
    for (uint32_t frame = 0; frame < count; frame++) {
        const float *const v = values[frame].v;
        const float *const u = frame > 0 ? values[frame - 1].v : v;
        const float cosine = u[0] * v[0] + u[1] * v[1] + u[2] * v[2] + u[3] * v[3];
        if (is_full ? cosine < 0 : v[last] < 0)
            for (uint32_t c = 0; c < 4; c++)
                values[frame].v[c] = -v[c];
    }

    if (!is_full) {
        // Components in stored order: `last` behind the others.
        for (uint32_t frame = 0; frame < count; frame++) {
            float *const v = values[frame].v;
            const float moved = v[last];
            for (uint32_t c = last; c < 3; c++)
                v[c] = v[c + 1];
            v[3] = moved;
        }
    }
    measure_ranges(track, count);
    measure_middle(track, count);
    return true;
}

static bool take_translation(md5_arena *arena, const float *first, size_t step, uint32_t count,
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

// Two tracks for each joint: rotation 2 j, translation 2 j + 1.
static md5_packed_track *take_tracks(md5_arena *arena, const md5_anim *anim)
{
    const size_t num_tracks = 2 * (size_t)anim->skeleton.num_joints;
    const uint32_t num_frames = anim->num_frames;
    md5_packed_track *const tracks = MD5_NEW(arena, md5_packed_track, num_tracks);
    if (!tracks)
        return NULL;
    for (uint32_t joint = 0; joint < anim->skeleton.num_joints; joint++) {
        const md5_xform *const constant = &anim->constant[joint];
        md5_packed_track *const own = &tracks[2 * joint];
        own[0].joint = own[1].joint = joint;
        own[0].is_constant = own[1].is_constant = true;
        if (!take_rotation(arena, &constant->rotation.x, 4, 1, &own[0])
            || !take_translation(arena, &constant->translation.x, 3, 1, &own[1]))
            return NULL;
    }
    for (uint32_t slot = 0; slot < anim->num_rotations; slot++) {
        md5_packed_track *const track = &tracks[2 * (size_t)anim->rotation_joints[slot]];
        const float *const first = &anim->rotations[slot].x;
        *track = (md5_packed_track){.joint = track->joint};
        if (!take_rotation(arena, first, 4 * (size_t)anim->num_rotations, num_frames, track))
            return NULL;
        measure_deviations(track, num_frames);
    }
    for (uint32_t slot = 0; slot < anim->num_translations; slot++) {
        md5_packed_track *const track = &tracks[2 * (size_t)anim->translation_joints[slot] + 1];
        const float *const first = &anim->translations[slot].x;
        *track = (md5_packed_track){.joint = track->joint};
        if (!take_translation(arena, first, 3 * (size_t)anim->num_translations, num_frames, track))
            return NULL;
        measure_deviations(track, num_frames);
    }
    return tracks;
}

// == An attempt ==================================================================================
//
// One attempt: scales of all tracks for a budget, distances of keys, bits.

// Rotations in steps coarser than this could leave the unit sphere; with finer ones than so many of
// the largest value, sums would not be exact in floats.
#define COARSEST_ROTATION 0x1p-6
#define COARSEST_TRANSLATION 0x1p30
#define MIN_STEPS 0x1p22

// Keys may take that much of a track's budget for what lies between them.
#define MAX_DEVIATION 0.9

// Constants are stored once, and get steps that leave the budget to the others.
#define HELD_SHARE 0.25

// -- Scales -----------------------------------------------------------------------------------

// The largest scale that is at most `value`; `value` above 0.
static int32_t scale_below(double value)
{
    int exponent;
    const double mantissa = frexp(value, &exponent) * 2;
    int32_t quarter = 3;
    while (quarter > 0
           && mantissa
                  < md5i_packed_decode_scale((uint32_t)(quarter - 4 * MD5_PACKED_MIN_EXPONENT)))
        quarter--;
    const int32_t scale = (exponent - 1 - MD5_PACKED_MIN_EXPONENT) * 4 + quarter;
    return scale < 0 ? 0 : scale < MD5_PACKED_NUM_SCALES ? scale : MD5_PACKED_NUM_SCALES - 1;
}

static uint32_t bits_of(uint64_t value)
{
    uint32_t bits = 0;
    for (; value > 0; value >>= 1)
        bits++;
    return bits;
}

// The largest error of a component is half a step. Three of them turn a rotation by up to
// sqrt(3) / weakest steps, in radians, since the fourth component errs the more the nearer it is to
// 0; four by 2 steps. Three move a translation by sqrt(3) / 2 steps.
static uint32_t select_scale(const md5_packed_track *track, double units, double reach)
{
    const bool is_rotation = track->kind == MD5_PACKED_ROTATION;
    const double root = 1.7320508075688772;
    const double step = !is_rotation                     ? units * 2.0 / root
                        : track->form == MD5_PACKED_FULL ? units / (2 * reach)
                                                         : units * track->weakest / (root * reach);
    const double most = is_rotation ? COARSEST_ROTATION : COARSEST_TRANSLATION;
    const double least = track->largest / MIN_STEPS;
    const double bounded = step > least ? step : least;
    return (uint32_t)(bounded > 0 ? scale_below(bounded < most ? bounded : most) : 0);
}

static uint32_t components_of(const md5_packed_track *track)
{
    return md5_packed_components(track->form);
}

static double cost_of(const md5_packed_track *track, uint32_t scale, uint32_t step,
                      uint32_t num_frames)
{
    const double size = md5i_packed_decode_scale(scale);
    double bits = 0;
    for (uint32_t c = 0; c < components_of(track); c++)
        bits += bits_of((uint64_t)(track->ranges[c] / size + 0.5));
    return bits * md5i_packed_num_keys((uint8_t)step, num_frames);
}

static int32_t level_of(float value, uint32_t scale)
{
    return (int32_t)floor((double)value / md5i_packed_decode_scale(scale) + 0.5);
}

static const float *key_of(const md5_packed_track *track, uint32_t num_frames, uint32_t key)
{
    const uint64_t frame = (uint64_t)key * md5i_packed_key_steps[track->step];
    return track->step == 0 ? track->middle.v
                            : track->values[frame < num_frames ? frame : num_frames - 1].v;
}

static void select_keys(md5_packed_track *track, uint32_t num_frames, double budget, double unit,
                        double reach)
{
    double least = 0;
    for (uint32_t k = 1; k < MD5_PACKED_NUM_STEPS; k++) {
        const double deviation = track->deviations[k] * unit;
        if (k > 1 && !(deviation <= MAX_DEVIATION * budget))
            continue;
        const double rest = sqrt(budget * budget - deviation * deviation);
        const uint32_t scale = select_scale(track, k == 1 ? budget : rest, reach);
        const double cost = cost_of(track, scale, k, num_frames);
        if (k > 1 && !(cost < least))
            continue;
        least = cost;
        track->step = (uint8_t)k;
        track->scale = scale;
    }
}

// -- Bits -------------------------------------------------------------------------------------

static uint32_t head_bits(const md5_packed_track *track)
{
    const uint32_t components = components_of(track);
    const uint32_t form = track->kind == MD5_PACKED_ROTATION ? 3 : 0;
    const uint32_t scale = track->step != 0 || track->offset_bits > 0 ? 9 : 0;
    return 4 + form + 5 + scale + components * ((track->step != 0 ? 5u : 0u) + track->offset_bits);
}

// Bytes are 0 before.
static void put_bits(uint8_t *bytes, uint64_t *bit, uint32_t value, uint32_t count)
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
// How far a joint moves the skin: by itself, and with the joints below it.

// -- From a model -----------------------------------------------------------------------------

static float distance_between(md5_vec3 a, md5_vec3 b)
{
    return (float)md5_vec3d_length(md5_vec3d_sub(md5_vec3d_of(a), md5_vec3d_of(b)));
}

static void grow(float *value, float to)
{
    if (to > *value)
        *value = to;
}

static bool measure_model(md5_arena *arena, const md5_model *model, const md5_anim *anim,
                          float *own)
{
    md5_error error = {.status = MD5_OK};
    const md5_context *const context = arena->context;
    const md5_load_opts opts = {.allocator = context->allocator,
                                .file_name = context->error.file,
                                .warn = context->warn,
                                .warn_user = context->warn_user,
                                .max_warnings = context->max_warnings,
                                .allow_partial_binding = context->allow_partial_binding};
    float *const of_model = MD5_NEW(arena, float, model->skeleton.num_joints);
    TRY(of_model);
    md5_binding *const binding = md5_bind(model, anim, &opts, &error);
    if (!binding)
        return MD5_FAIL(arena->context, error.status, "%s", error.message);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        if (model->meshes[i].influences) {
            // A vertex is a sum of points of its joints, each in the bind pose.
            const md5_mesh *const mesh = &model->meshes[i];
            for (uint32_t j = 0; j < mesh->num_influences; j++) {
                const md5_vec4 influence = mesh->influences[j];
                const uint32_t joint = mesh->influence_joints[j];
                if (influence.w == 0)
                    continue;
                const float scale = 1.0f / influence.w;
                const md5_vec3 point = {influence.x * scale, influence.y * scale,
                                        influence.z * scale};
                const float *const m = model->bind[joint].m;
                grow(&of_model[joint], distance_between(point, (md5_vec3){m[3], m[7], m[11]}));
            }
        }
    }

    // A joint without a track moves with its parent: so do its vertices.
    const md5_skeleton *const skeleton = &model->skeleton;
    for (uint32_t i = skeleton->num_joints; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        if (binding->tracks[joint] != MD5_NONE || parent == MD5_NONE || of_model[joint] == 0)
            continue;
        const float bone = distance_between(md5_mat34_translation(model->bind[joint]),
                                            md5_mat34_translation(model->bind[parent]));
        grow(&of_model[parent], of_model[joint] + bone);
    }

    for (uint32_t joint = 0; joint < model->skeleton.num_joints; joint++) {
        if (binding->tracks[joint] != MD5_NONE)
            grow(&own[binding->tracks[joint]], of_model[joint]);
    }
    md5_free_binding(binding);
    return true;
}

// -- From bones -------------------------------------------------------------------------------

static float bone_of(const md5_anim *anim, uint32_t joint)
{
    return distance_between(anim->constant[joint].translation, (md5_vec3){0, 0, 0});
}

// -- Paths ------------------------------------------------------------------------------------

bool md5i_find_reach(md5_arena *arena, const md5_anim *anim, const md5_compress_opts *compress,
                     md5_skin_reach *reach)
{
    const uint32_t num_joints = anim->skeleton.num_joints;
    float *const above = MD5_NEW(arena, float, num_joints);
    reach->own = MD5_NEW(arena, float, num_joints);
    reach->reach = MD5_NEW(arena, float, num_joints);
    reach->budgets = MD5_NEW(arena, float, num_joints);
    TRY(above && reach->own && reach->reach && reach->budgets);
    float *const own = reach->own;
    const float scale = md5_scale_of(&anim->skeleton);
    if (compress->distances) {
        for (uint32_t joint = 0; joint < num_joints; joint++)
            grow(&own[joint], compress->distances[joint]);
    } else if (compress->model) {
        TRY(measure_model(arena, compress->model, anim, own));
    } else {
        for (uint32_t i = num_joints; i-- > 0;) {
            const uint32_t joint = anim->skeleton.order[i];
            const uint32_t parent = anim->skeleton.joints[joint].parent;
            if (parent == MD5_NONE)
                continue;
            const float bone = bone_of(anim, joint);
            if (own[joint] == 0) // no child has set it
                own[joint] = bone;
            grow(&own[parent], bone);
        }
    }
    for (uint32_t joint = 0; joint < num_joints; joint++) {
        own[joint] = own[joint] > scale ? own[joint] : scale;
        if (!(own[joint] <= 1e9f * scale))
            return MD5_FAIL(arena->context, MD5_ERROR_RANGE,
                            "cannot compress animation: skin distance of joint %u is out of range: "
                            "expected at most 1e9 units, found %g",
                            joint, (double)(own[joint] / scale));
    }

    const md5_skeleton *const skeleton = &anim->skeleton;
    for (uint32_t i = num_joints; i-- > 0;) { // joints below, this one included
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        grow(&reach->reach[joint], reach->own[joint]);
        grow(&reach->budgets[joint], 1);
        if (parent == MD5_NONE)
            continue;
        grow(&reach->reach[parent], reach->reach[joint] + bone_of(anim, joint));
        grow(&reach->budgets[parent], reach->budgets[joint] + 1);
    }
    // `budgets` counts the joints of the longest path downwards. With those above it is the longest
    // path through a joint; independent errors of n joints add up to sqrt(n) of one.
    for (uint32_t i = 0; i < num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        above[joint] = parent == MD5_NONE ? 0 : above[parent] + 1;
        reach->budgets[joint] = 1.0f / sqrtf(reach->budgets[joint] + above[joint]);
    }
    return true;
}

// == Its error ===================================================================================
//
// The error of a compressed clip, measured: both clips are sampled, and all joints are placed in
// model space, in doubles.

typedef struct md5_placed {
    md5_quatd rotation;
    md5_vec3d position;
} md5_placed;

// v + 2 w (u x v) + 2 u x (u x v), with u = x y z of a unit quaternion.
static md5_vec3d rotate(md5_quatd q, md5_vec3d v)
{
    const md5_vec3d u = {q.x, q.y, q.z};
    const md5_vec3d across = md5_vec3d_scale(md5_vec3d_cross(u, v), 2);
    return md5_vec3d_add(v,
                         md5_vec3d_add(md5_vec3d_scale(across, q.w), md5_vec3d_cross(u, across)));
}

static md5_quatd normalized(md5_quat rotation)
{
    const md5_quatd q = md5_quatd_of(rotation);
    const double scale = 1.0 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (md5_quatd){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

static void place(const md5_skeleton *skeleton, const md5_xform *pose, md5_placed *placed)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        md5_placed local = {normalized(pose[joint].rotation),
                            md5_vec3d_of(pose[joint].translation)};
        if (parent != MD5_NONE) {
            const md5_placed *const above = &placed[parent];
            local.position =
                md5_vec3d_add(above->position, rotate(above->rotation, local.position));
            local.rotation = md5_quatd_mul(above->rotation, local.rotation);
        }
        placed[joint] = local;
    }
}

// A rotation by an angle moves points at distance 1 by up to the chord 2 sin(angle / 2), which is
// twice the length of x y z of the rotation between both.
static double displacement(const md5_placed *a, const md5_placed *b, double distance)
{
    const md5_quatd turn = md5_quatd_mul(md5_quatd_conjugate(a->rotation), b->rotation);
    const double chord = 2 * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    return md5_vec3d_length(md5_vec3d_sub(a->position, b->position)) + distance * chord;
}

// NaN counts as the largest error.
static void grow_error(double *error, double to)
{
    if (!(to <= *error))
        *error = to >= 0 ? to : INFINITY;
}

static void measure_at(const md5_anim *anim, const md5_packed *packed, const float *own,
                       const md5_measuring *scratch, const md5_sample_position *sample)
{
    const md5_pose_kernels *const kernels = MD5_POSE_KERNELS(AVX512);
    md5i_sample_anim_with(kernels, anim, sample, MD5_ROOT_FILE, scratch->pose);
    place(&anim->skeleton, scratch->pose, scratch->of_anim);
    md5i_packed_sample_all(kernels->sample_packed, packed, sample, scratch->pose);
    place(&anim->skeleton, scratch->pose, scratch->of_packed);
    for (uint32_t joint = 0; joint < anim->skeleton.num_joints; joint++)
        grow_error(&scratch->errors[joint],
                   displacement(&scratch->of_anim[joint], &scratch->of_packed[joint], own[joint]));
}

static double measure_packed(const md5_anim *anim, const md5_packed *packed, const float *own,
                             const md5_measuring *scratch)
{
    double worst = 0;
    for (uint32_t joint = 0; joint < anim->skeleton.num_joints; joint++)
        scratch->errors[joint] = 0;
    for (uint32_t frame = 0;; frame++) {
        md5_sample_position at = {.frame0 = frame, .frame1 = frame};
        measure_at(anim, packed, own, scratch, &at);
        if (frame + 1 == anim->num_frames)
            break;
        at.frame1++;
        at.fraction = 0.5f;
        measure_at(anim, packed, own, scratch, &at);
    }
    for (uint32_t joint = 0; joint < anim->skeleton.num_joints; joint++)
        grow_error(&worst, scratch->errors[joint]);
    return worst;
}

// == Budgets =====================================================================================
//
// Compresses: looks for budgets of joints with which the measured error is within the tolerance, at
// least bytes. Errors of joints add up along a path, but rarely all in one direction, so that the
// budgets that hold are found by trying: each attempt gives more to joints below which the error is
// small, and less to those on the path to a larger one.

enum { ATTEMPTS = 10, SCALINGS = 6, MAX_HALVINGS = 24 };

typedef struct compressing {
    md5_arena *arena;
    const md5_anim *anim;
    md5_packed_track *tracks;
    md5_skin_reach reach;
    md5_measuring scratch;
    float *best;      // [joints] budgets of the smallest attempt that holds
    size_t num_bytes; // of that
    double tolerance;
    md5_packed packed; // of the last attempt
    double error;
} compressing;

static bool try_budgets(compressing *job, md5_arena_mark mark)
{
    md5i_arena_rewind(job->arena, mark);

    // The steps of all tracks, for displacements of budgets[joint] units; then their bits.
    const md5_anim *const anim = job->anim;
    md5_packed_track *const tracks = job->tracks;
    md5_packed *const packed = &job->packed;
    const uint32_t num_tracks = 2 * anim->skeleton.num_joints;
    const uint32_t num_frames = anim->num_frames;
    for (uint32_t i = 0; i < num_tracks; i++) {
        md5_packed_track *const track = &tracks[i];
        const double budget = job->reach.budgets[track->joint];
        const double reach = job->reach.reach[track->joint];
        const double unit = track->kind == MD5_PACKED_ROTATION ? 2 * reach : 1;
        const double deviation = track->middle_deviation * unit;
        track->step = 0;
        if (track->is_constant || deviation <= MAX_DEVIATION * budget)
            track->scale = select_scale(track, budget * HELD_SHARE, reach);
        else
            select_keys(track, num_frames, budget, unit, reach);

        // A track whose keys are all the same is constant.
        const uint32_t num_keys = md5i_packed_num_keys(track->step, num_frames);
        uint32_t row = 0;
        track->offset_bits = 0;
        for (uint32_t c = 0; c < components_of(track); c++) {
            int32_t min = level_of(key_of(track, num_frames, 0)[c], track->scale);
            int32_t max = min;
            for (uint32_t key = 1; key < num_keys; key++) {
                const int32_t level = level_of(key_of(track, num_frames, key)[c], track->scale);
                min = level < min ? level : min;
                max = level > max ? level : max;
            }
            // With a sign.
            const uint32_t bits =
                min == 0 ? 0 : bits_of((uint64_t)(min < 0 ? -((int64_t)min + 1) : min)) + 1;
            track->offsets[c] = min;
            track->bits[c] = (uint8_t)bits_of((uint64_t)((int64_t)max - min));
            track->offset_bits = (uint8_t)(bits > track->offset_bits ? bits : track->offset_bits);
            row += track->bits[c];
        }
        track->step = row > 0 ? track->step : 0;
    }
    *packed = (md5_packed){.num_joints = anim->skeleton.num_joints, .num_frames = num_frames};
    uint64_t bits = 0;
    for (uint32_t i = 0; i < num_tracks; i++)
        bits += head_bits(&tracks[i]);
    uint64_t head = 0;
    uint64_t key = bits;
    packed->header_bits = (uint32_t)bits;
    for (uint32_t i = 0; i < num_tracks; i++) {
        uint64_t row = 0;
        if (tracks[i].step != 0) {
            for (uint32_t c = 0; c < components_of(&tracks[i]); c++)
                row += tracks[i].bits[c];
        }
        bits += row * md5i_packed_num_keys(tracks[i].step, num_frames);
    }
    if (bits > UINT32_MAX - 64)
        return MD5_FAIL(
            job->arena->context, MD5_ERROR_MEMORY,
            "compressed clip is too large: the limit is 512 MiB; increase the tolerance");
    packed->num_bytes = (uint32_t)((bits + 7) / 8);
    uint8_t *const bytes = MD5_NEW(job->arena, uint8_t, packed->num_bytes + MD5_PACKED_PADDING);
    TRY(bytes);
    packed->bytes = bytes;
    for (uint32_t i = 0; i < num_tracks; i++) {
        const md5_packed_track *const track = &tracks[i];
        const uint32_t components = components_of(track);
        put_bits(bytes, &head, track->step, 4);
        if (track->kind == MD5_PACKED_ROTATION)
            put_bits(bytes, &head, track->form, 3);
        put_bits(bytes, &head, track->offset_bits, 5);
        if (track->step != 0 || track->offset_bits > 0)
            put_bits(bytes, &head, track->scale, 9);
        if (track->step != 0) {
            for (uint32_t c = 0; c < components; c++)
                put_bits(bytes, &head, track->bits[c], 5);
        }
        for (uint32_t c = 0; c < components; c++)
            put_bits(bytes, &head, (uint32_t)track->offsets[c], track->offset_bits);
        const uint32_t num_keys =
            track->step != 0 ? md5i_packed_num_keys(track->step, num_frames) : 0;
        for (uint32_t k = 0; k < num_keys; k++)
            for (uint32_t c = 0; c < components; c++) {
                const int32_t level = level_of(key_of(track, num_frames, k)[c], track->scale);
                put_bits(bytes, &key, (uint32_t)(level - track->offsets[c]), track->bits[c]);
            }
    }

    job->error = measure_packed(job->anim, &job->packed, job->reach.own, &job->scratch);
    return true;
}

static void keep_if_best(compressing *job)
{
    const uint32_t num_joints = job->anim->skeleton.num_joints;
    const size_t size = job->packed.num_bytes;
    if (!(job->error <= job->tolerance) || (job->num_bytes > 0 && size >= job->num_bytes))
        return;
    job->num_bytes = size;
    memcpy(job->best, job->reach.budgets, num_joints * sizeof *job->best);
}

// A part of the way from 1 to a factor, of quotients only: pow() differs between platforms.
static double part_of(double factor, double part)
{
    return factor > 1 ? 1 + (factor - 1) * part : 1.0 / (1 + (1.0 / factor - 1) * part);
}

static bool find_budgets(compressing *job, md5_arena_mark mark)
{
    const uint32_t num_joints = job->anim->skeleton.num_joints;
    for (uint32_t joint = 0; joint < num_joints; joint++)
        job->reach.budgets[joint] *= (float)job->tolerance;
    for (uint32_t i = 0; i < ATTEMPTS; i++) {
        TRY(try_budgets(job, mark));
        keep_if_best(job);

        // Largest errors of joints become those of all below them; a budget changes by what is
        // missing to the tolerance, or is beyond it. `speed` falls, since steps are powers of two:
        // a small change of a budget may double an error.
        const double speed = 1.0 / (1 + 0.25 * i);
        const md5_skeleton *const skeleton = &job->anim->skeleton;
        double *const errors = job->scratch.errors;
        for (uint32_t j = skeleton->num_joints; j-- > 0;) {
            const uint32_t joint = skeleton->order[j];
            const uint32_t parent = skeleton->joints[joint].parent;
            if (parent != MD5_NONE && errors[joint] > errors[parent])
                errors[parent] = errors[joint];
            const double least = job->tolerance * 0.125;
            const double error = errors[joint];
            const double change = job->tolerance / (error > least ? error : least);
            const double limited = change > 0.125 ? change : 0.125;
            job->reach.budgets[joint] *= (float)part_of(limited * 0.97, speed);
        }
    }
    // Steps in between: all budgets by the same factor.
    for (uint32_t i = 0; i < SCALINGS; i++) {
        for (uint32_t joint = 0; joint < num_joints; joint++)
            job->reach.budgets[joint] *= 0.93f;
        TRY(try_budgets(job, mark));
        keep_if_best(job);
    }
    // If no attempt held: finer steps for all.
    double min_error = job->error;
    for (uint32_t i = 0; i < MAX_HALVINGS && job->num_bytes == 0; i++) {
        for (uint32_t joint = 0; joint < num_joints; joint++)
            job->reach.budgets[joint] *= 0.5f;
        TRY(try_budgets(job, mark));
        keep_if_best(job);
        min_error = job->error < min_error ? job->error : min_error;
    }
    if (job->num_bytes == 0)
        return MD5_FAIL(job->arena->context, MD5_ERROR_RANGE,
                        "tolerance of %g units cannot be reached: the smallest possible error is "
                        "%g; increase the tolerance",
                        job->tolerance, min_error);
    memcpy(job->reach.budgets, job->best, num_joints * sizeof *job->best);
    return try_budgets(job, mark);
}

// Sets the tolerance if it is 0.
static bool check(md5_context *context, const md5_anim *anim, double *tolerance)
{
    if (anim->packed_size)
        return MD5_FAIL(context, MD5_ERROR_MISMATCH,
                        "cannot compress animation: it is already compressed");
    if (anim->parents_unknown)
        return MD5_FAIL(context, MD5_ERROR_VERSION,
                        "cannot compress animation: MD5 version 6 stores no hierarchy");
    if (anim->skeleton.num_joints == 0 || anim->skeleton.num_joints > MD5_PACKED_MAX_JOINTS)
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "cannot compress animation: expected 1 to %u joints, found %u",
                        MD5_PACKED_MAX_JOINTS, anim->skeleton.num_joints);
    if (!(*tolerance >= 0 && *tolerance <= 1e9))
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "tolerance is out of range: expected 0 to 1e9 units, found %g", *tolerance);
    if (*tolerance == 0)
        *tolerance = 0.01 * md5_scale_of(&anim->skeleton);
    return true;
}

static md5_anim *compress(compressing *job, const md5_compress_opts *options)
{
    md5_arena *const arena = job->arena;
    const md5_anim *const anim = job->anim;
    const uint32_t num_joints = anim->skeleton.num_joints;
    if (!check(arena->context, anim, &job->tolerance)
        || !md5i_find_reach(arena, anim, options, &job->reach))
        return NULL;
    job->scratch = (md5_measuring){
        .pose = MD5_ROOM(arena, md5_xform, num_joints),
        .of_anim = MD5_ROOM(arena, md5_placed, num_joints),
        .of_packed = MD5_ROOM(arena, md5_placed, num_joints),
        .errors = MD5_ROOM(arena, double, num_joints),
    };
    job->tracks = take_tracks(arena, anim);
    job->best = MD5_ROOM(arena, float, num_joints);
    if (!job->scratch.pose || !job->scratch.of_anim || !job->scratch.of_packed
        || !job->scratch.errors || !job->tracks || !job->best
        || !find_budgets(job, md5i_arena_here(arena)))
        return NULL;
    md5_anim source = *anim;
    source.tolerance = (float)job->tolerance;
    source.max_error = (float)job->error;
    return md5i_packed_create(arena->context, &source, anim->base_frame[0].translation,
                              &job->packed);
}

md5_anim *md5_compress_anim(const md5_anim *anim, const md5_compress_opts *compress_opts,
                            const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(anim, MD5_TAG_ANIM);
    if (!anim) {
        md5i_fail_missing(error, "animation");
        return NULL;
    }
    MD5_ASSERT_RESERVED(compress_opts);
    MD5_ASSERT_OPTS(opts);
    const md5_compress_opts defaults = {0};
    md5_context context;
    md5i_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    md5_arena arena = {.context = &context};
    const md5_compress_opts *const options = compress_opts ? compress_opts : &defaults;
    compressing job = {.arena = &arena, .anim = anim, .tolerance = options->tolerance};
    md5_anim *const compressed = compress(&job, options);
    md5i_arena_free(&arena);
    return compressed;
}
