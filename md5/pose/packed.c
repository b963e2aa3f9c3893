// Compressed clips, sampled: tracks decoded one by one in plain C, the reference that all
// instruction sets must equal bit for bit; groups of tracks that are sampled together; and a whole
// clip through a binding.
#include "md5/pose/packed.h"

#include "md5/core/math.h"
#include "md5/core/slerp.h"

const uint8_t md5i_packed_steps[MD5_PACKED_STEPS] = {0,  1,  2,  3,  4,  5,  6,  8,
                                                     10, 12, 16, 20, 24, 32, 48, 64};

// -- Heads ------------------------------------------------------------------------------------

// The powers of two are exact, and the roots constants, so that all platforms have the same.
float md5i_packed_scale(uint32_t scale)
{
    static const float roots[4] = {1, 1.18920712f, 1.41421356f, 1.68179283f};
    const uint32_t bits = (scale / 4 + 127 + (uint32_t)MD5_PACKED_LEAST_EXPONENT) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power * roots[scale % 4];
}

static uint32_t take_bits(const md5_packed *packed, uint32_t *bit, uint32_t count)
{
    *bit += count;
    return md5_packed_bits(packed->bytes, *bit - count, count);
}

md5_packed_head md5i_packed_take_head(const md5_packed *packed, uint8_t kind,
                                      md5_packed_place *place)
{
    uint32_t *const bit = &place->head;
    md5_packed_head head = {.at = place->keys, .kind = kind, .form = MD5_PACKED_WITHOUT_W};
    head.step = (uint8_t)take_bits(packed, bit, 4);
    if (kind == MD5_PACKED_ROTATION)
        head.form = (uint8_t)take_bits(packed, bit, 3);
    const uint32_t offset_bits = take_bits(packed, bit, 5);
    const uint32_t components = md5_packed_components(head.form);
    if (offset_bits > 0 || head.step != 0)
        head.scale = md5i_packed_scale(take_bits(packed, bit, 9));
    if (head.step != 0) {
        for (uint32_t c = 0; c < components; c++) {
            head.bits[c] = (uint8_t)take_bits(packed, bit, 5);
            head.row = (uint8_t)(head.row + head.bits[c]);
        }
    }
    const uint32_t sign = (uint32_t)(((uint64_t)1 << offset_bits) >> 1);
    for (uint32_t c = 0; c < components; c++)
        head.offsets[c] = (int32_t)(take_bits(packed, bit, offset_bits) ^ sign) - (int32_t)sign;
    if (head.step != 0)
        place->keys += md5i_packed_num_keys(head.step, packed->num_frames) * head.row;
    return head;
}

// -- Keys at a sample position
// -------------------------------------------------------------------------

uint32_t md5i_packed_num_keys(uint8_t step, uint32_t num_frames)
{
    const uint64_t apart = md5i_packed_steps[step];
    const uint64_t last = num_frames - 1;
    return apart == 0 ? 1 : (uint32_t)((last + apart - 1) / apart + 1);
}

// Sample positions are mostly between two frames in a row, which always have a common pair.
// Differences of frames are below a step, so that they are exact in floats.
bool md5i_packed_between(uint8_t step, uint32_t num_frames, const md5_sample_position *sample,
                         md5_packed_span *span)
{
    const uint32_t from = sample->frame0;
    const uint32_t to = sample->frame1;
    const uint32_t last = num_frames - 1;
    const uint32_t apart = md5i_packed_steps[step];
    if (apart <= 1) {
        *span =
            apart == 0 ? (md5_packed_span){0, 0, 0} : (md5_packed_span){from, to, sample->fraction};
        return true;
    }
    const bool is_still = sample->fraction == 0;
    const uint32_t lower = is_still || from < to ? from : to;
    const uint32_t upper = is_still || from > to ? from : to;
    const uint32_t key = lower / apart;
    const uint32_t start = key * apart;
    const uint32_t end = last - start > apart ? start + apart : last;
    if (upper > end)
        return false;
    const float length = end > start ? (float)(end - start) : 1;
    const float way = ((float)to - (float)from) * sample->fraction;
    const float fraction = ((float)(from - start) + (is_still ? 0 : way)) / length;
    *span = (md5_packed_span){key, end > start ? key + 1 : key, fraction};
    return true;
}

// -- One track --------------------------------------------------------------------------------

static void complete(const md5_packed_head *head, float v[4])
{
    if (head->kind == MD5_PACKED_TRANSLATION) {
        v[3] = 0;
        return;
    }
    const float square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (head->form != MD5_PACKED_FULL) {
        const float rest = 1 - square;
        v[3] = sqrtf(rest > 0 ? rest : 0);
        return;
    }
    const float scale = 1.0f / sqrtf(square + v[3] * v[3]);
    for (uint32_t c = 0; c < 4; c++)
        v[c] *= scale;
}

md5_packed_value md5i_packed_decode(const md5_packed *packed, const md5_packed_head *head,
                                    uint32_t key)
{
    uint32_t bit = head->at + key * head->row;
    md5_packed_value value = {{0, 0, 0, 0}};
    for (uint32_t c = 0; c < md5_packed_components(head->form); c++) {
        const int32_t level = (int32_t)take_bits(packed, &bit, head->bits[c]);
        value.v[c] = (float)(head->offsets[c] + level) * head->scale;
    }
    complete(head, value.v);
    return value;
}

static md5_packed_value between(uint8_t kind, const md5_slerp_weights *weights, md5_packed_value a,
                                md5_packed_value b, float fraction)
{
    md5_packed_value value;
    if (kind == MD5_PACKED_ROTATION) {
        const md5_quat q = md5_slerp_weighted(weights, (md5_quat){a.v[0], a.v[1], a.v[2], a.v[3]},
                                              (md5_quat){b.v[0], b.v[1], b.v[2], b.v[3]});
        value = (md5_packed_value){{q.x, q.y, q.z, q.w}};
    } else {
        for (uint32_t c = 0; c < 4; c++)
            value.v[c] = a.v[c] + (b.v[c] - a.v[c]) * fraction;
    }
    return value;
}

static md5_packed_value at_span(const md5_packed *packed, const md5_packed_head *head,
                                const md5_packed_span *span, const md5_slerp_weights *weights)
{
    const md5_packed_value a = md5i_packed_decode(packed, head, span->key0);
    if (head->step == 0)
        return a;
    return between(head->kind, weights, a, md5i_packed_decode(packed, head, span->key1),
                   span->fraction);
}

static md5_packed_value at_frame(const md5_packed *packed, const md5_packed_head *head,
                                 uint32_t frame)
{
    const md5_sample_position still = {.frame0 = frame, .frame1 = frame};
    md5_packed_span span = {0, 0, 0};
    md5i_packed_between(head->step, packed->num_frames, &still, &span); // always true
    const md5_slerp_weights weights = md5i_slerp_weights_at(span.fraction);
    return at_span(packed, head, &span, &weights);
}

void md5i_packed_at(const md5_packed *packed, const md5_packed_head *head,
                    const md5_sample_position *sample, float out[4])
{
    md5_packed_span span;
    md5_packed_value value;
    if (md5i_packed_between(head->step, packed->num_frames, sample, &span)) {
        const md5_slerp_weights weights = md5i_slerp_weights_at(span.fraction);
        value = at_span(packed, head, &span, &weights);
    } else {
        const md5_slerp_weights weights = md5i_slerp_weights_at(sample->fraction);
        value = between(head->kind, &weights, at_frame(packed, head, sample->frame0),
                        at_frame(packed, head, sample->frame1), sample->fraction);
    }

    // Which stored component is x, y, z and w.
    static const uint8_t orders[5][4] = {
        {3, 0, 1, 2}, {0, 3, 1, 2}, {0, 1, 3, 2}, {0, 1, 2, 3}, {0, 1, 2, 3}};
    for (uint32_t i = 0; i < 4; i++)
        out[i] = value.v[orders[head->form][i]];
}

md5_quat md5i_packed_joint_at(const md5_packed *packed, uint32_t joint, uint8_t kind,
                              const md5_sample_position *sample)
{
    md5_packed_place place = packed->places[joint];
    md5_packed_head head = md5i_packed_take_head(packed, MD5_PACKED_ROTATION, &place);
    if (kind == MD5_PACKED_TRANSLATION)
        head = md5i_packed_take_head(packed, kind, &place);
    float v[4];
    md5i_packed_at(packed, &head, sample, v);
    return (md5_quat){v[0], v[1], v[2], v[3]};
}

// -- Groups -----------------------------------------------------------------------------------

void md5i_packed_sample_scalar(const md5_packed *packed, const md5_packed_lanes *groups,
                               uint32_t num_groups, const md5_sample_position *sample,
                               md5_xform *pose)
{
    for (const md5_packed_lanes *group = groups; group < groups + num_groups; group++)
        for (uint32_t lane = 0; lane < group->count; lane++) {
            md5_packed_head head = {
                .at = group->at[lane],
                .kind = group->kind,
                .form = (uint8_t)group->forms[lane],
                .step = group->steps[lane],
                .row = group->rows[lane],
                .scale = group->scales[lane],
            };
            for (uint32_t c = 0; c < 4; c++) {
                head.bits[c] = group->bits[c][lane];
                head.offsets[c] = group->offsets[c][lane];
            }
            float value[4];
            md5i_packed_at(packed, &head, sample, value);
            memcpy(md5_packed_target(pose, group->to[lane]), value, sizeof value);
        }
}

// -- Grouping ---------------------------------------------------------------------------------

// Heads of up to 8 tracks that wait for others like them, and the joints that they drive.
typedef struct pending_heads {
    uint32_t count;
    uint32_t targets[MD5_LANES];
    md5_packed_head heads[MD5_LANES];
} pending_heads;

// Each kind has tracks like most, and odd ones.
enum { CLASSES = 4 };

// Takes heads in order and makes groups of them, which are sampled at once if there is a kernel,
// else counted, and kept if there is room.
typedef struct md5_packed_grouping {
    md5_packed_kernel *kernel;
    const md5_packed *packed;
    const md5_sample_position *sample;
    md5_xform *pose;
    md5_packed_lanes *groups;
    uint32_t count;
    pending_heads pending[CLASSES][MD5_PACKED_STEPS];
} md5_packed_grouping;

static bool is_odd(const md5_packed_head *head)
{
    return head->form == MD5_PACKED_FULL || head->row > MD5_PACKED_WORD;
}

static void emit(md5_packed_grouping *to, pending_heads *pending)
{
    const md5_packed_head *const first = &pending->heads[0];
    md5_packed_lanes group = {
        .kind = first->kind, .count = (uint8_t)pending->count, .is_odd = is_odd(first)};
    const size_t within = first->kind == MD5_PACKED_ROTATION ? offsetof(md5_xform, rotation)
                                                             : offsetof(md5_xform, translation);
    for (uint32_t lane = 0; lane < MD5_LANES; lane++) {
        const uint32_t from = lane < pending->count ? lane : 0;
        const md5_packed_head *const head = &pending->heads[from];
        group.at[lane] = head->at;
        group.to[lane] = (uint32_t)(pending->targets[from] * sizeof(md5_xform) + within);
        group.scales[lane] = head->scale;
        group.rows[lane] = head->row;
        group.forms[lane] = (float)head->form;
        group.steps[lane] = head->step;
        group.is_mixed = group.is_mixed || head->step != first->step;
        for (uint32_t c = 0; c < 4; c++) {
            group.offsets[c][lane] = head->offsets[c];
            group.bits[c][lane] = head->bits[c];
        }
    }
    if (to->kernel)
        to->kernel(to->packed, &group, 1, to->sample, to->pose);
    else if (to->groups)
        to->groups[to->count] = group;
    to->count++;
    pending->count = 0;
}

static void add_head(md5_packed_grouping *grouping, pending_heads *pending,
                     const md5_packed_head *head, uint32_t target)
{
    pending->heads[pending->count] = *head;
    pending->targets[pending->count++] = target;
    if (pending->count == MD5_LANES)
        emit(grouping, pending);
}

// Takes all tracks. targets[joints]: the joint of the pose, or MD5_NONE; NULL: the same. Constant
// tracks are in no group: a kernel's are written at once. Returns the number of groups.
static uint32_t group_tracks(md5_packed_grouping *grouping, const uint32_t *targets)
{
    const md5_packed *const packed = grouping->packed;
    md5_packed_place place = md5_packed_first(packed);
    grouping->count = 0;
    for (uint32_t c = 0; c < CLASSES; c++)
        for (uint32_t step = 0; step < MD5_PACKED_STEPS; step++)
            grouping->pending[c][step].count = 0;
    for (uint32_t i = 0; i < 2 * packed->num_joints; i++) {
        const md5_packed_head head = md5i_packed_take_head(packed, (uint8_t)(i % 2), &place);
        const uint32_t joint = targets ? targets[i / 2] : i / 2;
        float value[4];
        if (head.step != 0 && joint != MD5_NONE)
            add_head(grouping, &grouping->pending[2 * head.kind + is_odd(&head)][head.step], &head,
                     joint);
        if (head.step != 0 || !grouping->kernel)
            continue;
        md5i_packed_at(packed, &head, grouping->sample, value);
        md5_xform *const transform = &grouping->pose[joint];
        if (head.kind == MD5_PACKED_ROTATION)
            memcpy(&transform->rotation, value, sizeof value);
        else
            *transform = (md5_xform){.rotation = transform->rotation,
                                     .translation = {value[0], value[1], value[2]}};
    }
    // What is left of all steps goes into common groups.
    for (uint32_t c = 0; c < CLASSES; c++) {
        pending_heads *const pending = grouping->pending[c];
        pending_heads *const rest = &pending[0]; // no track is pending with step 0
        for (uint32_t step = 1; step < MD5_PACKED_STEPS; step++)
            for (uint32_t i = 0; i < pending[step].count; i++)
                add_head(grouping, rest, &pending[step].heads[i], pending[step].targets[i]);
        if (rest->count > 0)
            emit(grouping, rest);
    }
    return grouping->count;
}

void md5i_packed_sample_with(md5_packed_kernel *kernel, const md5_packed *packed,
                             const md5_sample_position *sample, md5_xform *pose)
{
    md5_packed_grouping grouping; // not initialised in full: it is large
    grouping.kernel = kernel;
    grouping.packed = packed;
    grouping.sample = sample;
    grouping.pose = pose;
    group_tracks(&grouping, NULL);
}

uint32_t md5i_packed_group(const md5_packed *packed, const uint32_t *targets,
                           md5_packed_lanes *groups)
{
    md5_packed_grouping grouping;
    grouping.kernel = NULL;
    grouping.packed = packed;
    grouping.groups = groups;
    return group_tracks(&grouping, targets);
}
