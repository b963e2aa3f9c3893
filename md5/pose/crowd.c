// Poses many characters. Characters with the same binding and the same interpolation are computed
// together, one in each SIMD lane. Their jobs wait in groups until there is one for each lane.
#include "md5/core/jobs.h"
#include "md5/pose/kernels.h"
#include "md5/pose/sample_position.h"
#include "md5/pose/tracks.h"

enum {
    MAX_WIDTH = 16,  // the largest number of lanes of a kernel, each of which poses one character
    NUM_GROUPS = 64, // elements of the hash table of groups, a power of two
    NUM_PROBES = 4,  // consecutive elements of the table that may contain the group of a binding
};

// Jobs with the same binding and the same interpolation. They wait until there is one for each lane
// of a kernel, or until the call ends.
typedef struct crowd_group {
    const md5_binding *binding;
    md5_interpolation interpolation;
    const md5_pose_job *jobs[MAX_WIDTH];
    uint32_t num_jobs;
} crowd_group;

// State of one call of md5i_pose_batch_with().
typedef struct crowd_state {
    const md5_pose_kernels *kernels;
    float *scratch; // matrices of all joints in all lanes, or joints and pose of one character
    crowd_group groups[NUM_GROUPS];
} crowd_state;

enum {
    BYTES_PER_JOINT = MAX_WIDTH * sizeof(md5_mat34),
    CACHE_LINE = 64, // bytes; an access that crosses two cache lines takes twice as long
};

// Returns the bytes of scratch memory that one thread needs for these jobs.
static size_t crowd_scratch_size(const md5_pose_job *jobs, size_t count)
{
    size_t max_joints = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t num_joints = jobs[i].binding->skeleton->num_joints;
        max_joints = num_joints > max_joints ? num_joints : max_joints;
    }
    return max_joints * BYTES_PER_JOINT + CACHE_LINE;
}

// Returns the bytes of scratch memory that md5_pose_batch() needs for these jobs and threads.
size_t md5_pose_batch_scratch(const md5_pose_job *jobs, size_t count, const md5_threads *threads)
{
    return md5i_batch_scratch_size(threads, crowd_scratch_size(jobs, count));
}

// Poses one character alone. The kernel needs space for the joint matrices. If the job does not
// request them, they are written to the scratch memory.
static void pose_single(const crowd_state *state, const md5_pose_job *job)
{
    const size_t num_joints = job->binding->skeleton->num_joints;
    md5_mat34 *const joints = (md5_mat34 *)state->scratch;
    md5_xform *const pose = (md5_xform *)(joints + num_joints);
    md5_pose_palette(job->binding, job->sample, job->root, pose, job->joints ? job->joints : joints,
                     job->palette);
}

// Poses the jobs of a group together, one in each lane, and empties the group.
static void pose_group(const crowd_state *state, crowd_group *group)
{
    const uint32_t width = state->kernels->width;
    // Posing the jobs one after the other is faster if half of the lanes or more would be unused.
    const bool has_too_few_jobs = 2 * group->num_jobs <= width;
    if (has_too_few_jobs) {
        for (uint32_t i = 0; i < group->num_jobs; i++)
            pose_single(state, group->jobs[i]);
    } else {
        // A kernel always poses `width` jobs, so unused lanes repeat the first job.
        for (uint32_t i = group->num_jobs; i < width; i++)
            group->jobs[i] = group->jobs[0];
        state->kernels->crowd(group->jobs, state->scratch);
    }
    group->num_jobs = 0;
}

// Returns the group for a job, which has the binding and the interpolation of the job. Groups are
// in a small hash table, in one of NUM_PROBES consecutive elements. If no element contains the
// group, the function selects the element with the fewest jobs, poses these jobs, and reuses the
// element.
static crowd_group *find_group(crowd_state *state, const md5_pose_job *job)
{
    const md5_binding *const binding = job->binding;
    const uint64_t hash = (uint64_t)(uintptr_t)binding * UINT64_C(0x9e3779b97f4a7c15);
    const uint32_t begin = (uint32_t)(hash >> 32);
    crowd_group *emptiest = NULL;
    for (uint32_t probe = 0; probe < NUM_PROBES; probe++) {
        crowd_group *const candidate = &state->groups[(begin + probe) % NUM_GROUPS];
        if (candidate->binding == binding && candidate->interpolation == job->sample.interpolation)
            return candidate;
        if (!emptiest || candidate->num_jobs < emptiest->num_jobs)
            emptiest = candidate;
    }
    pose_group(state, emptiest);
    emptiest->binding = binding;
    emptiest->interpolation = job->sample.interpolation;
    return emptiest;
}

// Returns true if the crowd kernel supports the binding and the sample position of a job.
static bool fits_crowd_kernel(const md5_binding *binding, const md5_sample_position *sample)
{
    const bool has_kernel = sample->interpolation == MD5_INTERPOLATE_LINEAR
                            || sample->interpolation == MD5_INTERPOLATE_NLERP;
    if (binding->num_rebases > 0 || binding->anim->internal.packed || !has_kernel)
        return false;
    return md5_is_sample_position_in(binding->anim, sample);
}

// Poses jobs on the calling thread. Jobs that the crowd kernel supports wait in groups until there
// is one for each lane. Other jobs are posed one by one. `scratch` has crowd_scratch_size() bytes.
void md5i_pose_batch_with(const md5_pose_kernels *kernels, const md5_pose_job *jobs, size_t count,
                          void *scratch)
{
    crowd_state state; // only partly initialized, because the groups are large
    state.kernels = kernels;
    for (uint32_t i = 0; i < NUM_GROUPS; i++) {
        state.groups[i].binding = NULL;
        state.groups[i].num_jobs = 0;
    }

    // Align the scratch memory to a cache line.
    const uintptr_t misaligned = (uintptr_t)scratch % CACHE_LINE;
    const uintptr_t padding = misaligned > 0 ? CACHE_LINE - misaligned : 0;
    state.scratch = (float *)(void *)((unsigned char *)scratch + padding);

    const bool has_crowd_kernel = kernels->width > 1;
    for (size_t i = 0; i < count; i++) {
        if (!has_crowd_kernel || !fits_crowd_kernel(jobs[i].binding, &jobs[i].sample)) {
            pose_single(&state, &jobs[i]);
            continue;
        }

        crowd_group *const group = find_group(&state, &jobs[i]);
        group->jobs[group->num_jobs++] = &jobs[i];
        if (group->num_jobs == kernels->width)
            pose_group(&state, group);
    }

    // Pose the jobs in the groups that did not become full.
    for (uint32_t i = 0; i < NUM_GROUPS; i++)
        pose_group(&state, &state.groups[i]);
}

// Poses the jobs begin to end - 1 of the array `user`. This is the function that md5_batch calls on
// each thread.
static void pose_range(void *user, size_t begin, size_t end, void *scratch)
{
    const md5_pose_job *const jobs = (const md5_pose_job *)user;
    md5i_pose_batch_with(MD5_POSE_KERNELS(AVX512), jobs + begin, end - begin, scratch);
}

#if !defined(NDEBUG)
// Returns true if a job of md5_pose_batch() has everything that posing it needs: a binding, a
// palette with enough joints, and a sample position inside of the clip.
static bool is_job_complete(const md5_pose_job *job)
{
    if (!job->binding)
        return false;
    const uint32_t num_joints = job->binding->skeleton->num_joints;
    if (!job->palette && num_joints > 0)
        return false;
    if (job->num_joints > 0 && job->num_joints < num_joints)
        return false;
    return md5_is_sample_position_in(job->binding->anim, &job->sample);
}

// Returns true if is_job_complete() is true for all jobs.
static bool are_jobs_complete(const md5_pose_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_job_complete(&jobs[i]))
            return false;
    }
    return true;
}
#endif

// Poses all jobs. `threads` distributes them over threads; if it is NULL, the calling thread poses
// all of them. `scratch` has md5_pose_batch_scratch() bytes.
void md5_pose_batch(const md5_pose_job *jobs, size_t count, const md5_threads *threads,
                    void *scratch)
{
    MD5_ASSERT_ARRAY(jobs, count);
    MD5_VALIDATE_RESERVED(jobs, count);
    MD5_ASSERT_ARRAY(scratch, count);
    if (MD5_HAS_ASSERTS) {
        for (size_t i = 0; i < count; i++)
            MD5_ASSERT_BINDING(jobs[i].binding);
    }
    MD5_VALIDATE(are_jobs_complete(jobs, count), "jobs: must have a binding, a sample position of "
                                                 "its clip and a palette of its joints each");
    const md5_batch batch = {.run = pose_range,
                             .user = (void *)jobs, // pose_range() does not modify the jobs
                             .count = count,
                             .scratch = scratch,
                             .size = threads ? crowd_scratch_size(jobs, count) : 0};
    md5i_run_batch(threads, &batch);
}
