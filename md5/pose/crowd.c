// Poses many characters: those with the same binding are computed together, one in each lane.
#include "md5/core/jobs.h"
#include "md5/pose/binding.h"
#include "md5/pose/kernels.h"
#include "md5/pose/moment.h"

enum {
    MAX_WIDTH = 16,
    NUM_GROUPS = 64, // a power of two
    NUM_PROBES = 4,
};

// Jobs of one binding, waiting until they fill all lanes.
typedef struct job_group {
    const md5_binding *binding;
    const md5_pose_job *jobs[MAX_WIDTH];
    uint32_t num_jobs;
} job_group;

typedef struct crowd crowd;

// State of one call: how a single character is posed, and `width` of them. The scratch memory holds
// the matrices of all joints in all lanes, or pose and joints of a single character.
struct crowd {
    const md5_pose_kernels *kernels;
    void (*pose_single)(const crowd *all, const md5_pose_job *job);
    void (*pose_lanes)(const md5_pose_job *const *jobs, float *scratch); // NULL: single ones only
    float *scratch;
    job_group groups[NUM_GROUPS];
};

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

static void pose_single_nlerp(const crowd *all, const md5_pose_job *job)
{
    const md5_binding *const binding = job->binding;
    md5_mat34 *const joints = (md5_mat34 *)all->scratch;
    md5_xform *const pose = (md5_xform *)(joints + binding->skeleton->num_joints);
    const md5_moment clamped = md5_clamp_moment(binding->anim, &job->moment);
    md5i_sample_nlerp_with(all->kernels, binding, &clamped, job->root, pose);
    all->kernels->finish(binding->skeleton, binding->inverse_bind, pose,
                         job->joints ? job->joints : joints, job->palette);
}

// Up to half of the lanes, single characters are faster.
static void pose_group(const crowd *all, job_group *waiting)
{
    const uint32_t width = all->kernels->width;
    if (2 * waiting->num_jobs <= width) {
        for (uint32_t i = 0; i < waiting->num_jobs; i++)
            all->pose_single(all, waiting->jobs[i]);
    } else {
        // Unused lanes repeat the first job.
        for (uint32_t i = waiting->num_jobs; i < width; i++)
            waiting->jobs[i] = waiting->jobs[0];
        all->pose_lanes(waiting->jobs, all->scratch);
    }
    waiting->num_jobs = 0;
}

static uint32_t hash(const md5_binding *binding)
{
    const uint64_t bits = (uint64_t)(uintptr_t)binding * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(bits >> 32);
}

// Returns the binding's group, or a new one: empties the one with the fewest jobs of a few slots.
static job_group *find_group(crowd *all, const md5_binding *binding)
{
    const uint32_t begin = hash(binding);
    job_group *emptiest = NULL;
    for (uint32_t probe = 0; probe < NUM_PROBES; probe++) {
        job_group *const candidate = &all->groups[(begin + probe) % NUM_GROUPS];
        if (candidate->binding == binding)
            return candidate;
        if (!emptiest || candidate->num_jobs < emptiest->num_jobs)
            emptiest = candidate;
    }
    pose_group(all, emptiest);
    emptiest->binding = binding;
    return emptiest;
}

static void pose_all(crowd *all, const md5_pose_job *jobs, size_t count, void *scratch)
{
    for (uint32_t i = 0; i < NUM_GROUPS; i++) {
        all->groups[i].binding = NULL;
        all->groups[i].num_jobs = 0;
    }
    const uint32_t width = all->kernels->width;
    const uintptr_t misaligned = (uintptr_t)scratch % CACHE_LINE;
    unsigned char *const bytes = (unsigned char *)scratch;
    all->scratch = (float *)(void *)(bytes + (misaligned > 0 ? CACHE_LINE - misaligned : 0));
    for (size_t i = 0; i < count; i++) {
        const md5_binding *const binding = jobs[i].binding;
        if (width == 1 || binding->num_rebases > 0
            || !md5_is_moment_of(binding->anim, &jobs[i].moment)) {
            all->pose_single(all, &jobs[i]);
            continue;
        }
        job_group *const waiting = find_group(all, binding);
        waiting->jobs[waiting->num_jobs++] = &jobs[i];
        if (waiting->num_jobs == width)
            pose_group(all, waiting);
    }
    for (uint32_t i = 0; i < NUM_GROUPS; i++)
        pose_group(all, &all->groups[i]);
}

// Not initialised in full: the groups are large.
void md5i_pose_batch_with(const md5_pose_kernels *kernels, const md5_pose_job *jobs, size_t count,
                          void *scratch)
{
    crowd all;
    all.kernels = kernels;
    all.pose_single = pose_single;
    all.pose_lanes = kernels->crowd;
    pose_all(&all, jobs, count, scratch);
}

void md5i_pose_batch_nlerp_with(const md5_pose_kernels *kernels, const md5_pose_job *jobs,
                                size_t count, void *scratch)
{
    crowd all;
    all.kernels = kernels;
    all.pose_single = pose_single_nlerp;
    all.pose_lanes = kernels->crowd_nlerp;
    pose_all(&all, jobs, count, scratch);
}

// What the threads of a batch share.
typedef struct pose_batch {
    void (*pose)(const md5_pose_kernels *kernels, const md5_pose_job *jobs, size_t count,
                 void *scratch);
    const md5_pose_kernels *kernels;
    const md5_pose_job *jobs;
} pose_batch;

static void pose_some(void *user, size_t begin, size_t end, void *scratch)
{
    const pose_batch *const all = (const pose_batch *)user;
    all->pose(all->kernels, all->jobs + begin, end - begin, scratch);
}

static void pose_divided(pose_batch all, size_t count, const md5_threads *threads, void *scratch)
{
    const md5_batch batch = {.run = pose_some,
                             .user = &all,
                             .count = count,
                             .scratch = scratch,
                             .size = threads ? scratch_size(all.jobs, count) : 0};
    md5i_run_batch(threads, &batch);
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
    const pose_batch all = {md5i_pose_batch_with, md5i_posing_kernels_best(), jobs};
    pose_divided(all, count, threads, scratch);
}

void md5_pose_batch_nlerp(const md5_pose_job *jobs, size_t count, const md5_threads *threads,
                          void *scratch)
{
    MD5_ASSERT(jobs != NULL || count == 0, "jobs: not NULL");
    MD5_ASSERT(scratch != NULL || count == 0, "scratch: not NULL");
    MD5_VALIDATE(are_jobs_complete(jobs, count),
                 "jobs: each has a binding, a moment of its clip, a palette");
    const pose_batch all = {md5i_pose_batch_nlerp_with, md5i_pose_kernels_best(), jobs};
    pose_divided(all, count, threads, scratch);
}
