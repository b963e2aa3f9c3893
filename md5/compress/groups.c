// Groups of tracks that are sampled together, made of heads; and what needs no model.
#include "md5/compress/packed.h"
#include "md5/core/math.h"

#include <stddef.h>

// -- Kernels ----------------------------------------------------------------------------------

md5_packed_kernel *md5i_packed_kernel_of(md5_cpu level)
{
    switch (level) {
#if MD5_HAS_SSE2
    case MD5_CPU_SSE2:
        return md5i_packed_sample_sse2;
#endif
#if MD5_HAS_AVX2
    case MD5_CPU_AVX2:
    case MD5_CPU_AVX512:
        return md5i_packed_sample_avx2;
#endif
#if MD5_HAS_NEON
    case MD5_CPU_NEON:
        return md5i_packed_sample_neon;
#endif
    default:
        return md5i_packed_sample_scalar;
    }
}

md5_packed_kernel *md5i_packed_kernel_best(void)
{
    return md5i_packed_kernel_of(md5i_cpu_best());
}

// -- Grouping ---------------------------------------------------------------------------------

void md5i_packed_begin_groups(md5_packed_grouping *grouping, md5_packed_emit_fn *emit, void *user)
{
    grouping->emit = emit;
    grouping->user = user;
    for (int i = 0; i < MD5_PACKED_CLASSES; i++)
        grouping->pending[i].count = 0;
}

static void set_lane(md5_packed_lanes *group, uint32_t lane, const md5_packed_head *head,
                     uint32_t target)
{
    const size_t within = head->kind == MD5_PACKED_ROTATION ? offsetof(md5_xform, rotation)
                                                            : offsetof(md5_xform, translation);
    group->at[lane] = head->at;
    group->to[lane] = (uint32_t)(target * sizeof(md5_xform) + within);
    group->scales[lane] = head->scale;
    group->rows[lane] = head->row;
    group->forms[lane] = (float)head->form;
    group->steps[lane] = head->step;
    for (int c = 0; c < 4; c++) {
        group->offsets[c][lane] = head->offsets[c];
        group->bits[c][lane] = head->bits[c];
    }
}

// Each kind has tracks like most, and odd ones.
static uint32_t class_of(const md5_packed_head *head)
{
    const bool is_odd = head->form == MD5_PACKED_FULL || head->row > MD5_PACKED_WORD;
    return 2u * head->kind + is_odd;
}

static void emit(const md5_packed_grouping *grouping, uint32_t group_class, md5_packed_lanes *group)
{
    group->kind = (uint8_t)(group_class / 2);
    group->is_odd = group_class % 2 != 0;
    group->is_mixed = false;
    for (uint32_t lane = 1; lane < MD5_LANES; lane++)
        group->is_mixed = group->is_mixed || group->steps[lane] != group->steps[0];
    grouping->emit(grouping->user, group);
    group->count = 0;
}

void md5i_packed_add(md5_packed_grouping *grouping, const md5_packed_head *head, uint32_t target)
{
    const uint32_t group_class = class_of(head);
    md5_packed_lanes *const group = &grouping->pending[group_class * MD5_PACKED_STEPS + head->step];
    set_lane(group, group->count++, head, target);
    if (group->count == MD5_LANES)
        emit(grouping, group_class, group);
}

static void copy_lane(const md5_packed_lanes *from, uint32_t lane, md5_packed_lanes *to,
                      uint32_t to_lane)
{
    to->at[to_lane] = from->at[lane];
    to->to[to_lane] = from->to[lane];
    to->scales[to_lane] = from->scales[lane];
    to->rows[to_lane] = from->rows[lane];
    to->forms[to_lane] = from->forms[lane];
    to->steps[to_lane] = from->steps[lane];
    for (int c = 0; c < 4; c++) {
        to->offsets[c][to_lane] = from->offsets[c][lane];
        to->bits[c][to_lane] = from->bits[c][lane];
    }
}

static void emit_rest(const md5_packed_grouping *grouping, uint32_t group_class,
                      md5_packed_lanes *group)
{
    if (group->count == 0)
        return;
    for (uint32_t lane = group->count; lane < MD5_LANES; lane++)
        copy_lane(group, 0, group, lane);
    emit(grouping, group_class, group);
}

// What is left of all steps goes into common groups.
void md5i_packed_end_groups(md5_packed_grouping *grouping)
{
    for (uint32_t c = 0; c < MD5_PACKED_CLASSES / MD5_PACKED_STEPS; c++) {
        md5_packed_lanes *const pending = &grouping->pending[c * MD5_PACKED_STEPS];
        md5_packed_lanes *const rest = &pending[0]; // no track is pending with step 0
        for (uint32_t step = 1; step < MD5_PACKED_STEPS; step++) {
            for (uint32_t lane = 0; lane < pending[step].count; lane++) {
                copy_lane(&pending[step], lane, rest, rest->count++);
                if (rest->count == MD5_LANES)
                    emit(grouping, c, rest);
            }
        }
        emit_rest(grouping, c, rest);
    }
}

// -- Without a model --------------------------------------------------------------------------

typedef struct sampling {
    md5_packed_kernel *kernel;
    const md5_packed *packed;
    const md5_moment *moment;
    md5_xform *pose;
} sampling;

static void sample_group(void *user, const md5_packed_lanes *group)
{
    const sampling *const to = (const sampling *)user;
    to->kernel(to->packed, group, 1, to->moment, to->pose);
}

void md5i_packed_sample_with(md5_packed_kernel *kernel, const md5_packed *packed,
                             const md5_moment *moment, md5_xform *pose)
{
    sampling to = {kernel, packed, moment, pose};
    md5_packed_grouping grouping;
    md5_packed_place place = md5_packed_first(packed);
    md5i_packed_begin_groups(&grouping, sample_group, &to);
    for (uint32_t i = 0; i < 2 * packed->num_joints; i++) {
        const md5_packed_head head = md5i_packed_take_head(packed, (uint8_t)(i % 2), &place);
        float value[4];
        if (head.step != 0) {
            md5i_packed_add(&grouping, &head, i / 2);
            continue;
        }
        md5i_packed_at(packed, &head, moment, value);
        if (head.kind == MD5_PACKED_ROTATION)
            memcpy(&pose[i / 2].rotation, value, sizeof value);
        else
            pose[i / 2] = (md5_xform){.rotation = pose[i / 2].rotation,
                                      .translation = {value[0], value[1], value[2]}};
    }
    md5i_packed_end_groups(&grouping);
}

void md5i_packed_sample(const md5_packed *packed, const md5_moment *moment, md5_xform *pose)
{
    md5i_packed_sample_with(md5i_packed_kernel_best(), packed, moment, pose);
}
