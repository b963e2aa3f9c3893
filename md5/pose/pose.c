// Public functions that choose a kernel: local transforms to model space and back, palettes,
// blending, crowds.
#include "md5/core/assert.h"
#include "md5/core/jobs.h"
#include "md5/core/math.h"
#include "md5/pose/kernels.h"
#include "md5/pose/moment.h"

// == Hierarchy ===================================================================================
//
// Converts local transforms to model space and back, and model space to palettes.

// Without one of the results the other takes its place: a palette is multiplied where the joints
// were composed.
static void finish(const md5_pose_kernels *kernels, const md5_skeleton *skeleton,
                   const md5_mat34 *inverse_bind, const md5_xform *pose, md5_mat34 *joints,
                   md5_mat34 *palette)
{
    if (joints && palette) {
        kernels->finish(skeleton, inverse_bind, pose, joints, palette);
        return;
    }
    if (joints || palette)
        kernels->compose(skeleton, pose, joints ? joints : palette);
    if (palette)
        kernels->multiply(skeleton->num_joints, palette, inverse_bind, palette);
}

void md5i_pose_palette_with(const md5_pose_kernels *kernels, const md5_binding *binding,
                            const md5_moment *moment, md5_root root, md5_xform *pose,
                            md5_mat34 *joints, md5_mat34 *palette)
{
    const bool is_slerp = moment->interpolation == MD5_INTERPOLATE_LINEAR
                          || moment->interpolation == MD5_INTERPOLATE_STEP;
    if (is_slerp && binding->num_rebases == 0 && !binding->anim->packed && joints && palette) {
        kernels->single(binding, moment, root, pose, joints, palette);
        return;
    }
    md5i_sample_with(kernels, binding, moment, root, pose);
    finish(kernels, binding->skeleton, binding->inverse_bind, pose, joints, palette);
}

#if !defined(NDEBUG)
static bool are_matrices_apart(uint32_t num_joints, const md5_mat34 *a, const md5_mat34 *b)
{
    const size_t size = num_joints * sizeof(md5_mat34);
    return md5_are_apart(a, size, b, size);
}
#endif

void md5_local_to_model(const md5_skeleton *skeleton, const md5_xform *pose, md5_mat34 *joints)
{
    MD5_ASSERT(skeleton != NULL, "skeleton: not NULL");
    MD5_ASSERT(pose != NULL || skeleton->num_joints == 0, "pose: not NULL");
    MD5_ASSERT(joints != NULL || skeleton->num_joints == 0, "joints: not NULL");
    // Each joint waits for its parent, so the instruction set with the lowest latency is fastest.
    md5i_pose_kernels_of(md5i_cpu_best())->compose(skeleton, pose, joints);
}

// -- Transforms -----------------------------------------------------------------------------

// a * b at unit length. Rounding errors of a long chain of joints would add up.
static md5_xform product(md5_xform a, md5_xform b)
{
    md5_xform result = md5_xform_mul(a, b);
    const md5_quat q = result.rotation;
    const float scale = 1.0f / sqrtf(((q.x * q.x + q.y * q.y) + q.z * q.z) + q.w * q.w);
    result.rotation = (md5_quat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
    return result;
}

void md5_local_to_model_xforms(const md5_skeleton *skeleton, const md5_xform *pose,
                               md5_xform *joints)
{
    MD5_ASSERT(skeleton != NULL, "skeleton: not NULL");
    MD5_ASSERT(pose != NULL || skeleton->num_joints == 0, "pose: not NULL");
    MD5_ASSERT(joints != NULL || skeleton->num_joints == 0, "joints: not NULL");
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        joints[joint] = parent == MD5_NONE ? pose[joint] : product(joints[parent], pose[joint]);
    }
}

// Children first, so that the parent's transform is still there if both arrays are one.
void md5_model_to_local_xforms(const md5_skeleton *skeleton, const md5_xform *joints,
                               md5_xform *pose)
{
    MD5_ASSERT(skeleton != NULL, "skeleton: not NULL");
    MD5_ASSERT(joints != NULL || skeleton->num_joints == 0, "joints: not NULL");
    MD5_ASSERT(pose != NULL || skeleton->num_joints == 0, "pose: not NULL");
    for (uint32_t i = skeleton->num_joints; i-- > 0;) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t parent = skeleton->joints[joint].parent;
        pose[joint] = parent == MD5_NONE
                          ? joints[joint]
                          : product(md5_xform_inverse(joints[parent]), joints[joint]);
    }
}

// -- Palettes -------------------------------------------------------------------------------

void md5_build_palette(const md5_model *model, const md5_mat34 *joints, md5_mat34 *palette)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_ASSERT(joints != NULL || model->skeleton.num_joints == 0, "joints: not NULL");
    MD5_ASSERT(palette != NULL || model->skeleton.num_joints == 0, "palette: not NULL");
    md5i_pose_kernels_best()->multiply(model->skeleton.num_joints, joints, model->inverse_bind,
                                       palette);
}

void md5_local_to_palette(const md5_model *model, const md5_xform *pose, md5_mat34 *joints,
                          md5_mat34 *palette)
{
    MD5_ASSERT(model != NULL, "model: not NULL");
    MD5_ASSERT(pose != NULL || model->skeleton.num_joints == 0, "pose: not NULL");
    MD5_ASSERT(are_matrices_apart(model->skeleton.num_joints, joints, palette),
               "joints, palette: must not overlap");
    finish(md5i_pose_kernels_best(), &model->skeleton, model->inverse_bind, pose, joints, palette);
}

void md5_pose_palette(const md5_binding *binding, md5_moment moment, md5_root root, md5_xform *pose,
                      md5_mat34 *joints, md5_mat34 *palette)
{
    MD5_ASSERT(binding != NULL, "binding: not NULL");
    MD5_ASSERT(pose != NULL || binding->skeleton->num_joints == 0, "pose: not NULL");
    MD5_ASSERT((unsigned)root <= MD5_ROOT_IN_PLACE, "root: a md5_root");
    MD5_ASSERT(are_matrices_apart(binding->skeleton->num_joints, joints, palette),
               "joints, palette: must not overlap");
    MD5_ASSERT_MOMENT(binding->anim, moment);
    const md5_moment clamped = md5_clamp_moment(binding->anim, &moment);
    md5i_pose_palette_with(md5i_pose_kernels_best(), binding, &clamped, root, pose, joints,
                           palette);
}

// == Blending ====================================================================================
//
// Blends, adds and subtracts poses: checks arguments and chooses a kernel.

#define MD5_ASSERT_POSE(pose) MD5_ASSERT((pose) != NULL || count == 0, #pose ": not NULL")

void md5_blend_poses(const md5_xform *from, const md5_xform *to, float weight,
                     const float *joint_weights, uint32_t count, md5_xform *pose)
{
    MD5_ASSERT_POSE(from);
    MD5_ASSERT_POSE(to);
    MD5_ASSERT_POSE(pose);
    md5i_pose_kernels_best()->blend(from, to, weight, joint_weights, count, pose);
}

md5_xform md5_xform_blend(md5_xform a, md5_xform b, float t)
{
    md5_xform blend;
    md5i_pose_kernels_best()->blend(&a, &b, t, NULL, 1, &blend);
    return blend;
}

void md5_subtract_pose(const md5_xform *source, const md5_xform *reference, uint32_t count,
                       md5_xform *difference)
{
    MD5_ASSERT_POSE(source);
    MD5_ASSERT_POSE(reference);
    MD5_ASSERT_POSE(difference);
    md5i_pose_kernels_best()->subtract(source, reference, count, difference);
}

void md5_add_pose(const md5_xform *pose, const md5_xform *source, const md5_xform *reference,
                  float weight, const float *joint_weights, uint32_t count, md5_xform *out)
{
    MD5_ASSERT_POSE(pose);
    MD5_ASSERT_POSE(source);
    MD5_ASSERT_POSE(out);
    const md5_pose_kernels *const kernels = md5i_pose_kernels_best();
    if (reference)
        kernels->add_difference(pose, source, reference, weight, joint_weights, count, out);
    else
        kernels->add(pose, source, weight, joint_weights, count, out);
}

// == Crowds ======================================================================================
//
// Poses many characters: those with the same binding are computed together, one in each lane.

enum {
    MAX_WIDTH = 16,
    NUM_GROUPS = 64, // a power of two
    NUM_PROBES = 4,
};

// Jobs of one binding and one interpolation, waiting until they fill all lanes.
typedef struct job_group {
    const md5_binding *binding;
    md5_interpolation interpolation;
    const md5_pose_job *jobs[MAX_WIDTH];
    uint32_t num_jobs;
} job_group;

// State of one call. The scratch memory holds the matrices of all joints in all lanes, or pose and
// joints of a single character.
typedef struct crowd {
    const md5_pose_kernels *kernels;
    float *scratch;
    job_group groups[NUM_GROUPS];
} crowd;

enum {
    BYTES_OF_A_JOINT = MAX_WIDTH * sizeof(md5_mat34),
    CACHE_LINE = 64, // accesses that cross its border take twice as long
};

// Of one worker.
static size_t scratch_size(const md5_pose_job *jobs, size_t count)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t num_joints = jobs[i].binding->skeleton->num_joints;
        most = num_joints > most ? num_joints : most;
    }
    return most * BYTES_OF_A_JOINT + CACHE_LINE;
}

size_t md5_pose_batch_scratch(const md5_pose_job *jobs, size_t count, const md5_threads *threads)
{
    return md5i_scratch_of_all(threads, scratch_size(jobs, count));
}

static void pose_single(const crowd *all, const md5_pose_job *job)
{
    const size_t num_joints = job->binding->skeleton->num_joints;
    md5_mat34 *const joints = (md5_mat34 *)all->scratch;
    md5_xform *const pose = (md5_xform *)(joints + num_joints);
    const md5_moment clamped = md5_clamp_moment(job->binding->anim, &job->moment);
    md5i_pose_palette_with(all->kernels, job->binding, &clamped, job->root, pose,
                           job->joints ? job->joints : joints, job->palette);
}

// Up to half of the lanes, single characters are faster.
static void pose_group(const crowd *all, job_group *waiting)
{
    const uint32_t width = all->kernels->width;
    if (2 * waiting->num_jobs <= width) {
        for (uint32_t i = 0; i < waiting->num_jobs; i++)
            pose_single(all, waiting->jobs[i]);
    } else {
        // Unused lanes repeat the first job.
        for (uint32_t i = waiting->num_jobs; i < width; i++)
            waiting->jobs[i] = waiting->jobs[0];
        all->kernels->crowd(waiting->jobs, all->scratch);
    }
    waiting->num_jobs = 0;
}

// Returns the group of jobs like this one, or a new one: empties the one with the fewest jobs of a
// few slots.
static job_group *find_group(crowd *all, const md5_pose_job *job)
{
    const md5_binding *const binding = job->binding;
    const uint64_t bits = (uint64_t)(uintptr_t)binding * UINT64_C(0x9e3779b97f4a7c15);
    const uint32_t begin = (uint32_t)(bits >> 32);
    job_group *emptiest = NULL;
    for (uint32_t probe = 0; probe < NUM_PROBES; probe++) {
        job_group *const candidate = &all->groups[(begin + probe) % NUM_GROUPS];
        if (candidate->binding == binding && candidate->interpolation == job->moment.interpolation)
            return candidate;
        if (!emptiest || candidate->num_jobs < emptiest->num_jobs)
            emptiest = candidate;
    }
    pose_group(all, emptiest);
    emptiest->binding = binding;
    emptiest->interpolation = job->moment.interpolation;
    return emptiest;
}

// What the lanes can pose: see md5_pose_kernels.crowd.
static bool fits_lanes(const md5_pose_job *job)
{
    const md5_moment *const moment = &job->moment;
    const md5_binding *const binding = job->binding;
    return binding->num_rebases == 0 && !binding->anim->packed
           && md5_is_moment_of(binding->anim, moment)
           && (moment->interpolation == MD5_INTERPOLATE_LINEAR
               || moment->interpolation == MD5_INTERPOLATE_NLERP);
}

void md5i_pose_batch_with(const md5_pose_kernels *kernels, const md5_pose_job *jobs, size_t count,
                          void *scratch)
{
    crowd all; // not initialised in full: the groups are large
    all.kernels = kernels;
    for (uint32_t i = 0; i < NUM_GROUPS; i++) {
        all.groups[i].binding = NULL;
        all.groups[i].num_jobs = 0;
    }
    const uintptr_t misaligned = (uintptr_t)scratch % CACHE_LINE;
    unsigned char *const bytes = (unsigned char *)scratch;
    all.scratch = (float *)(void *)(bytes + (misaligned > 0 ? CACHE_LINE - misaligned : 0));
    for (size_t i = 0; i < count; i++) {
        if (kernels->width == 1 || !fits_lanes(&jobs[i])) {
            pose_single(&all, &jobs[i]);
            continue;
        }
        job_group *const waiting = find_group(&all, &jobs[i]);
        waiting->jobs[waiting->num_jobs++] = &jobs[i];
        if (waiting->num_jobs == kernels->width)
            pose_group(&all, waiting);
    }
    for (uint32_t i = 0; i < NUM_GROUPS; i++)
        pose_group(&all, &all.groups[i]);
}

static void pose_some(void *user, size_t begin, size_t end, void *scratch)
{
    const md5_pose_job *const jobs = (const md5_pose_job *)user;
    md5i_pose_batch_with(md5i_pose_kernels_best(), jobs + begin, end - begin, scratch);
}

#if !defined(NDEBUG)
static bool are_jobs_complete(const md5_pose_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (jobs[i].binding == NULL
            || (jobs[i].palette == NULL && jobs[i].binding->skeleton->num_joints > 0)
            || !md5_is_moment_of(jobs[i].binding->anim, &jobs[i].moment))
            return false;
    return true;
}
#endif

void md5_pose_batch(const md5_pose_job *jobs, size_t count, const md5_threads *threads,
                    void *scratch)
{
    MD5_ASSERT(jobs != NULL || count == 0, "jobs: not NULL");
    MD5_ASSERT(scratch != NULL || count == 0, "scratch: not NULL");
    MD5_VALIDATE(are_jobs_complete(jobs, count),
                 "jobs: each has a binding, a moment of its clip, a palette");
    const md5_batch batch = {.run = pose_some,
                             .user = (void *)jobs, // which pose_some() only reads
                             .count = count,
                             .scratch = scratch,
                             .size = threads ? scratch_size(jobs, count) : 0};
    md5i_run_batch(threads, &batch);
}
