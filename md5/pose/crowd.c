// Poses many characters: those with the same binding are computed together, one in each lane.
#include "md5/core/jobs.h"
#include "md5/pose/kernels.h"
#include "md5/pose/sample_position.h"
#include "md5/pose/tracks.h"

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
    md5_pose_palette(job->binding, job->sample, job->root, pose, job->joints ? job->joints : joints,
                     job->palette);
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
        if (candidate->binding == binding && candidate->interpolation == job->sample.interpolation)
            return candidate;
        if (!emptiest || candidate->num_jobs < emptiest->num_jobs)
            emptiest = candidate;
    }
    pose_group(all, emptiest);
    emptiest->binding = binding;
    emptiest->interpolation = job->sample.interpolation;
    return emptiest;
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
        if (kernels->width <= 1 || !md5i_fits_kernels(jobs[i].binding, &jobs[i].sample)) {
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
    md5i_pose_batch_with(MD5_POSE_KERNELS(AVX512), jobs + begin, end - begin, scratch);
}

#if !defined(NDEBUG)
static bool are_jobs_complete(const md5_pose_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!jobs[i].binding || (!jobs[i].palette && jobs[i].binding->skeleton->num_joints > 0)
            || (jobs[i].num_joints > 0
                && jobs[i].num_joints < jobs[i].binding->skeleton->num_joints)
            || !md5_is_sample_position_in(jobs[i].binding->anim, &jobs[i].sample))
            return false;
    return true;
}
#endif

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
    const md5_batch batch = {.run = pose_some,
                             .user = (void *)jobs, // which pose_some() only reads
                             .count = count,
                             .scratch = scratch,
                             .size = threads ? scratch_size(jobs, count) : 0};
    md5i_run_batch(threads, &batch);
}
