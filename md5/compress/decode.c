// Decodes lanes one by one, in plain C: the reference that all instruction sets must equal bit for
// bit.
#include "md5/compress/packed.h"
#include "md5/core/math.h"
#include "md5/pose/root.h"
#include "md5/pose/slerp.h"

#include <string.h>

#define ORDER(x, y, z, w) ((x) | (y) << 2 | (z) << 4 | (w) << 6)
const uint8_t md5_packed_orders[32] = {
    ORDER(0, 1, 2, 3), ORDER(0, 2, 1, 3), ORDER(1, 0, 2, 3), ORDER(2, 0, 1, 3), ORDER(1, 2, 0, 3),
    ORDER(2, 1, 0, 3), ORDER(0, 1, 3, 2), ORDER(0, 2, 3, 1), ORDER(1, 0, 3, 2), ORDER(2, 0, 3, 1),
    ORDER(1, 2, 3, 0), ORDER(2, 1, 3, 0), ORDER(0, 3, 1, 2), ORDER(0, 3, 2, 1), ORDER(1, 3, 0, 2),
    ORDER(2, 3, 0, 1), ORDER(1, 3, 2, 0), ORDER(2, 3, 1, 0), ORDER(3, 0, 1, 2), ORDER(3, 0, 2, 1),
    ORDER(3, 1, 0, 2), ORDER(3, 2, 0, 1), ORDER(3, 1, 2, 0), ORDER(3, 2, 1, 0),
};

// -- Keys of a moment -------------------------------------------------------------------------

// Moments are mostly between two frames in a row, which always have a common pair. Differences of
// frames are below a step, so that they are exact in floats.
bool md5_packed_between(const md5_packed_group *group, uint32_t num_frames,
                        const md5_moment *moment, md5_packed_span *span)
{
    const uint32_t from = moment->frame0, to = moment->frame1, last = num_frames - 1;
    if (group->is_constant || group->shift == 0) {
        *span = group->is_constant ? (md5_packed_span){0, 0, 0.0f}
                                   : (md5_packed_span){from, to, moment->fraction};
        return true;
    }
    const bool is_still = moment->fraction == 0.0f;
    const uint32_t lower = is_still || from < to ? from : to;
    const uint32_t upper = is_still || from > to ? from : to;
    const uint32_t key = lower >> group->shift, step = 1u << group->shift;
    const uint32_t start = key << group->shift;
    const uint32_t end = last - start > step ? start + step : last;
    if (upper > end)
        return false;
    const float length = end > start ? (float)(end - start) : 1.0f;
    const float way = ((float)to - (float)from) * moment->fraction;
    const float fraction = ((float)(from - start) + (is_still ? 0.0f : way)) / length;
    *span = (md5_packed_span){key, end > start ? key + 1 : key, fraction};
    return true;
}

// -- One lane ---------------------------------------------------------------------------------

static float power_of_two(uint32_t biased)
{
    const uint32_t bits = biased << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

static uint32_t bits_at(const uint8_t *from, uint32_t bit, uint32_t count)
{
    return md5_packed_32(from + bit / 8) >> bit % 8 & ((1u << count) - 1);
}

static int32_t signed_of(uint32_t value, uint32_t bits)
{
    const uint32_t sign = bits > 0 ? 1u << (bits - 1) : 0;
    return (int32_t)(value ^ sign) - (int32_t)sign;
}

static void complete(const md5_packed_group *group, float v[4])
{
    if (group->kind == MD5_PACKED_TRANSLATION) {
        v[3] = 0.0f;
        return;
    }
    const float square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (!group->is_full) {
        const float rest = 1.0f - square;
        v[3] = sqrtf(rest > 0.0f ? rest : 0.0f);
        return;
    }
    const float scale = 1.0f / sqrtf(square + v[3] * v[3]);
    for (int c = 0; c < 4; c++)
        v[c] *= scale;
}

md5_packed_value md5_packed_decode(const md5_packed *packed, const md5_packed_group *group,
                                   uint32_t lane, uint32_t key)
{
    const uint8_t *const lanes = packed->bytes + group->at + md5_packed_joint_bytes(packed, group);
    const uint8_t *offsets = lanes + group->count;
    const uint8_t *plane =
        packed->bytes + group->at + md5_packed_head_bytes(packed, group) + (size_t)key * group->row;
    const float scale = power_of_two(group->exponent + (lanes[lane] >> 5u));
    md5_packed_value value = {{0.0f, 0.0f, 0.0f, 0.0f}};
    for (uint32_t c = 0; c < md5_packed_components(group); c++) {
        const uint32_t bits = group->bits[c], offset_bits = group->offset_bits[c];
        const uint32_t offset = bits_at(offsets, lane * offset_bits, offset_bits);
        const int32_t level =
            signed_of(offset, offset_bits) + (int32_t)bits_at(plane, lane * bits, bits);
        value.v[c] = (float)level * scale;
        offsets += md5_packed_plane(group, offset_bits);
        plane += md5_packed_plane(group, bits);
    }
    complete(group, value.v);
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
        for (int c = 0; c < 4; c++)
            value.v[c] = a.v[c] + (b.v[c] - a.v[c]) * fraction;
    }
    return value;
}

static md5_packed_value at_span(const md5_packed *packed, const md5_packed_group *group,
                                uint32_t lane, const md5_packed_span *span,
                                const md5_slerp_weights *weights)
{
    const md5_packed_value a = md5_packed_decode(packed, group, lane, span->key0);
    if (group->is_constant)
        return a;
    return between(group->kind, weights, a, md5_packed_decode(packed, group, lane, span->key1),
                   span->fraction);
}

static md5_packed_value at_frame(const md5_packed *packed, const md5_packed_group *group,
                                 uint32_t lane, uint32_t frame)
{
    const md5_moment still = {.frame0 = frame, .frame1 = frame};
    md5_packed_span span = {0, 0, 0.0f};
    (void)md5_packed_between(group, packed->num_frames, &still, &span); // always true
    const md5_slerp_weights weights = md5_slerp_weights_at(span.fraction);
    return at_span(packed, group, lane, &span, &weights);
}

static void write_in_order(uint8_t lane, md5_packed_value value, float out[4])
{
    const uint8_t order = md5_packed_orders[lane & 31];
    for (uint32_t i = 0; i < 4; i++)
        out[i] = value.v[md5_packed_source(order, i)];
}

void md5_packed_lane_at(const md5_packed *packed, const md5_packed_group *group, uint32_t lane,
                        const md5_moment *moment, float out[4])
{
    md5_packed_span span;
    md5_packed_value value;
    if (md5_packed_between(group, packed->num_frames, moment, &span)) {
        const md5_slerp_weights weights = md5_slerp_weights_at(span.fraction);
        value = at_span(packed, group, lane, &span, &weights);
    } else {
        const md5_slerp_weights weights = md5_slerp_weights_at(moment->fraction);
        value = between(group->kind, &weights, at_frame(packed, group, lane, moment->frame0),
                        at_frame(packed, group, lane, moment->frame1), moment->fraction);
    }
    write_in_order(md5_packed_lane(packed, group, lane), value, out);
}

// -- All of them ------------------------------------------------------------------------------

static void store(uint8_t kind, const float value[4], md5_transform *to)
{
    if (kind == MD5_PACKED_ROTATION) {
        to->rotation = (md5_quat){value[0], value[1], value[2], value[3]};
        return;
    }
    to->translation = (md5_vec3){value[0], value[1], value[2]};
    to->pad = 0.0f;
}

void md5_packed_sample_group(const md5_packed *packed, const md5_packed_group *group,
                             const md5_moment *moment, const int32_t *targets, md5_transform *pose)
{
    md5_packed_span span;
    const bool is_common = md5_packed_between(group, packed->num_frames, moment, &span);
    const md5_slerp_weights weights =
        md5_slerp_weights_at(is_common ? span.fraction : moment->fraction);
    for (uint32_t lane = 0; lane < group->count; lane++) {
        const int32_t target =
            targets ? targets[lane] : (int32_t)md5_packed_joint(packed, group, lane);
        if (target < 0)
            continue;
        float value[4];
        if (is_common)
            write_in_order(md5_packed_lane(packed, group, lane),
                           at_span(packed, group, lane, &span, &weights), value);
        else
            md5_packed_lane_at(packed, group, lane, moment, value);
        store(group->kind, value, &pose[target]);
    }
}

void md5_packed_sample_scalar(const md5_packed *packed, const md5_moment *moment,
                              const int32_t *targets, bool has_constants, md5_transform *pose)
{
    for (uint32_t i = 0; i < packed->num_groups; i++) {
        const md5_packed_group *const group = &packed->groups[i];
        if (!(has_constants && group->is_constant))
            md5_packed_sample_group(packed, group, moment, targets, pose);
        targets = targets ? targets + group->count : NULL;
    }
}

// -- The root ---------------------------------------------------------------------------------

static md5_vec3 root_at(const md5_packed *packed, const md5_moment *moment)
{
    float value[4];
    md5_packed_lane_at(packed, &packed->groups[packed->root], packed->root_lane, moment, value);
    return (md5_vec3){value[0], value[1], value[2]};
}

static md5_vec3 root_of_frame(const md5_packed *packed, uint32_t frame)
{
    const md5_moment still = {.frame0 = frame, .frame1 = frame};
    return root_at(packed, &still);
}

md5_vec3 md5_packed_root(const md5_packed *packed, const md5_moment *moment, md5_root root)
{
    if (root == MD5_ROOT_IN_PLACE)
        return root_of_frame(packed, 0);
    const md5_root_frames frames = {
        .base = packed->base,
        .last = root_of_frame(packed, packed->num_frames - 1),
        .frame0 = root_of_frame(packed, moment->frame0),
        .frame1 = root_of_frame(packed, moment->frame1),
    };
    return md5_root_of_id(&frames, moment);
}

md5_vec3 md5_packed_root_motion(const md5_packed *packed, const md5_moment *from,
                                const md5_moment *to)
{
    const md5_vec3 frames[4] = {
        root_of_frame(packed, from->frame0), root_of_frame(packed, from->frame1),
        root_of_frame(packed, to->frame0), root_of_frame(packed, to->frame1)};
    return md5_root_between(from, to, frames, root_of_frame(packed, 0),
                            root_of_frame(packed, packed->num_frames - 1));
}
