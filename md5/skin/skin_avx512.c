// The skinning kernel for AVX-512. It skins rigid vertices in contiguous groups, two groups at a
// time. A contiguous group consists of eight consecutive vertices, and all of them are moved by one
// joint. AVX2 skins all other vertices.
//
// A register has sixteen lanes. Lanes 0 to 7 contain one coordinate of the first group ("low").
// Lanes 8 to 15 contain the same coordinate of the second group ("high"). A matrix element is also
// one register: the lower lanes contain the element for the first group's joint, and the upper
// lanes that for the second group's joint. Therefore one multiplication moves both groups, even if
// their joints differ. Rigid vertices need no blending, so the matrix remains in registers.
#include "md5/skin/kernels.h"

#if MD5_HAS_AVX512

#define MD5_WIDE_AVX512
#include "md5/skin/transform_wide.h"

// Returns one register for each of the four elements of a matrix row. Its lower lanes contain the
// element of the row `low`, and its upper lanes the element of the row `high`.
MD5_WIDE_INLINE lanes4 spread_two_rows(const float *low, const float *high)
{
    const md5_mask lower_lanes = 0x00ff; // bit i is lane i
    md5_wide e[4];
    MD5_UNROLL
    for (uint32_t i = 0; i < 4; i++)
        e[i] = md5_wide_select(lower_lanes, md5_wide_set1(low[i]), md5_wide_set1(high[i]));
    return lanes4_from_array(e);
}

// Copies the matrix of one joint to the lower lanes, and the matrix of a second joint to the upper
// lanes.
MD5_WIDE_INLINE lanes_mat34 spread_two(const md5_mat34 *low, const md5_mat34 *high)
{
    return (lanes_mat34){
        spread_two_rows(low->m, high->m),
        spread_two_rows(low->m + 4, high->m + 4),
        spread_two_rows(low->m + 8, high->m + 8),
    };
}

// Skins a run of contiguous groups of rigid vertices, two groups at a time. firsts[i] is the first
// vertex of group i, and joints[i] is its joint. If the number of groups is odd, AVX2 skins the
// last group.
MD5_WIDE_CODE static void skin_rigid_contiguous(const md5i_skin_job *job, const md5_skin_run *run)
{
    const md5_mesh *const mesh = job->mesh;
    const md5_vec3 *const bind_positions = mesh->positions;
    const md5_vec3 *const bind_normals = mesh->normals;
    md5_vec3 *const positions = job->positions;
    md5_vec3 *const normals = job->normals;
    const uint32_t *const firsts = mesh->skin_plan->vertices + run->vertices;
    const uint32_t *const joints = mesh->skin_plan->words + run->words;

    // The joints whose matrices are in `m`. Consecutive groups often have the same joint, so `m` is
    // loaded only when a joint changes.
    uint32_t low = joints[0];
    uint32_t high = joints[0];
    lanes_mat34 m = spread_two(&job->palette[low], &job->palette[high]);
    uint32_t i = 0;
    for (; i + 2 <= run->count; i += 2) {
        if (joints[i] != low || joints[i + 1] != high) {
            low = joints[i];
            high = joints[i + 1];
            m = spread_two(&job->palette[low], &job->palette[high]);
        }

        const uint32_t a = firsts[i];
        const uint32_t b = firsts[i + 1];
        const lanes3 bind = load_two_groups(bind_positions + a, bind_positions + b);
        store_two_groups(positions + a, positions + b, move_points(&m, bind));
        if (normals) {
            const lanes3 rotated =
                rotate_wide(&m, load_two_groups(bind_normals + a, bind_normals + b));
            store_two_groups(normals + a, normals + b, rotated);
        }
    }

    const bool has_single_group = i < run->count;
    if (has_single_group) {
        md5_skin_run last = *run;
        last.vertices += i;
        last.words += i;
        last.count = 1;
        md5i_skin_run_avx2(job, &last);
    }
}

// Skins a mesh. Only runs of contiguous rigid groups use the registers of AVX-512. AVX2 skins
// everything else, because AVX-512 is not faster there.
void md5i_skin_avx512(const md5i_skin_job *job)
{
    const md5_skin_plan *const plan = job->mesh->skin_plan;
    const bool has_strides = job->position_stride > 0 || job->normal_stride > 0;
    const bool is_special = job->duals || job->bounds || job->tangents;
    if (has_strides || is_special) {
        md5i_skin_avx2(job);
        return;
    }
    for (uint32_t i = 0; i < plan->num_runs; i++) {
        const md5_skin_run *const run = &plan->runs[i];
        if (run->kind == MD5_SKIN_RIGID && run->order == MD5_SKIN_CONTIGUOUS)
            skin_rigid_contiguous(job, run);
        else
            md5i_skin_run_avx2(job, run);
    }
}

#endif
