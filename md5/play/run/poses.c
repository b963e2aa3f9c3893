// The pose of a player: its level of detail, its bounds, poses of one character and of a batch, and
// poses between fixed steps.
//
// A batch processes groups of characters together (pose_group), so that code stays in the
// instruction cache and matrices use all SIMD lanes.
#include "md5/core/freed.h"
#include "md5/core/jobs.h"
#include "md5/core/math.h"
#include "md5/play/run/player_state.h"

// -- Level of detail ------------------------------------------------------------------------------

// Sets the level of detail: the mask of the joints that are computed, and the number of calls after
// which the pose is computed again. The calls between repeat the last pose. Returns false if the
// mask does not exist.
bool md5_player_set_detail(md5_player *player, const md5_detail *detail)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    MD5_ASSERT_RESERVED(detail);
    const md5_detail full = {0};
    const md5_detail *const set = detail ? detail : &full;
    const uint32_t mask = md5i_find_mask(player->machine, set->mask);
    if (set->mask && mask == MD5_NONE)
        return false;
    const uint32_t interval = set->interval > 1 ? set->interval : 1;
    player->detail.mask = mask;
    player->detail.interval = interval;
    player->detail.phase = set->phase % interval;
    return true;
}

// Counts a request for a pose. Returns true if the pose must be computed, and false if the stored
// pose is repeated. No stored pose becomes older than the interval.
//
// Requests are counted at any level of detail. The players of a crowd therefore compute poses in
// different calls, even if the game changes the level often.
static bool begin_player_pose(md5_player *player)
{
    md5_detail_state *const state = &player->detail;
    const uint32_t call = state->num_calls++;
    if (state->interval == 1)
        return true;
    state->age++;
    if (!state->has_stored_pose || state->age >= state->interval)
        return true;
    return (call % state->interval + state->phase) % state->interval == 0;
}

// Ends the computation of a pose. Stores the pose if later calls may repeat it.
static void end_pose(md5_player *player, const md5_xform *pose)
{
    md5_detail_state *const state = &player->detail;
    player->since_pose = 0;
    player->motion_since_pose = MD5_NO_DELTA;
    state->age = 0;
    state->has_stored_pose = state->interval > 1;
    if (state->has_stored_pose && player->machine->num_joints > 0)
        memcpy(player->stored_pose, pose, player->machine->num_joints * sizeof *pose);
}

// -- Bounds of the current pose -----------------------------------------------------------------

// Returns the maximum of a weighted sum of positions between `low` and `high`, along one axis. For
// each vertex, the sum of its positive weights is between min_positive_bias and max_positive_bias.
// The sum of its negative weights is at least -max_negative_bias.
static float max_sum(const md5_machine *machine, float low, float high)
{
    const float positive_weights =
        high > 0 ? machine->max_positive_bias : machine->min_positive_bias;
    const float max_of_negative = low < 0 ? -low * machine->max_negative_bias : 0.0f;
    return high * positive_weights + max_of_negative;
}

// Extends the range of joint positions along one axis to the range of the vertices.
static void extend_to_vertices(const md5_machine *machine, float *low, float *high)
{
    const float max = max_sum(machine, *low, *high);
    const float min = -max_sum(machine, -*high, -*low);
    // The slack covers rounding errors of the positions, and of any method to compute the vertices.
    const float relative_error = 1e-5f;
    const float slack = machine->loose_distance + relative_error * (fabsf(max) + fabsf(min));
    *low = min - slack;
    *high = max + slack;
}

// Returns bounds of the character in model space: a box around all joints, extended by the
// distances of their vertices. The box contains all vertices, but is larger than necessary.
md5_bounds md5_player_bounds(const md5_player *player, const md5_mat34 *joints)
{
    MD5_ASSERT_PLAYER(player);
    MD5_ASSERT(joints != NULL || player->machine->num_joints == 0, "joints: must not be NULL");

    const md5_machine *const machine = player->machine;
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t i = 0; i < machine->num_joints; i++) {
        const float reach = machine->reaches[i];
        if (reach < 0 && machine->has_vertices)
            continue;
        const float extent = reach > 0 ? reach : 0.0f;
        const md5_vec3 position = md5_mat34_translation(joints[i]);
        const md5_vec3 size = {extent, extent, extent};
        bounds = md5_bounds_union(
            bounds, (md5_bounds){md5_vec3_sub(position, size), md5_vec3_add(position, size)});
    }
    if (!machine->has_vertices)
        return bounds;

    extend_to_vertices(machine, &bounds.min.x, &bounds.max.x);
    extend_to_vertices(machine, &bounds.min.y, &bounds.max.y);
    extend_to_vertices(machine, &bounds.min.z, &bounds.max.z);
    return bounds;
}

// == Poses ======================================================================================

// Poses are aligned to cache lines. A transform in two cache lines costs twice as much.
enum { CACHE_LINE = 64 };

// Returns the first address in the scratch memory at which a cache line begins, so that poses are
// aligned.
static md5_xform *align_to_cache_line(void *scratch)
{
    const uintptr_t misplaced = (uintptr_t)scratch % CACHE_LINE;
    unsigned char *const bytes = (unsigned char *)scratch;
    return (md5_xform *)(void *)(bytes + (misplaced > 0 ? CACHE_LINE - misplaced : 0));
}

// Returns the size of the scratch memory for md5_player_pose(), in bytes.
size_t md5_player_pose_scratch(const md5_machine *machine)
{
    MD5_ASSERT_ALIVE(machine, MD5_TAG_MACHINE);
    // One pose for a layer, one for the second of two blended states, one for a state whose
    // difference is computed, and the scratch poses of a state: max_poses - 1. One-shot clips need
    // three poses.
    const size_t num_spare = 2 + (machine->max_poses > 0 ? machine->max_poses : 1);
    return num_spare * machine->num_joints * sizeof(md5_xform) + CACHE_LINE;
}

// Computes the requested matrices. If `joints` is NULL but needed, uses `spare`, which has more
// than two poses, for them.
static void compute_matrices(const md5_machine *machine, const md5_xform *pose, md5_xform *spare,
                             md5_mat34 *joints, md5_mat34 *palette)
{
    if (palette)
        md5_local_to_palette(machine->model, pose, joints ? joints : (md5_mat34 *)spare, palette);
    else if (joints)
        md5_local_to_model(&machine->model->skeleton, pose, joints);
}

// Computes the pose of the layers, without modifiers. If `is_computed` is false, copies the stored
// pose instead.
static void compute_or_load_pose(md5_player *player, bool is_computed, md5_xform *spare,
                                 md5_xform *pose)
{
    if (!is_computed) {
        md5_copy_items(pose, player->stored_pose, player->machine->num_joints, sizeof *pose);
        return;
    }
    md5i_update_weights(player);
    md5i_blend_layers(player, spare, pose);
}

// Computes the pose of a character at the current time, then its matrices: blends the layers,
// applies the modifiers, and composes the joints. If the level of detail skips this pose, repeats
// the previous pose and returns false.
bool md5_player_pose(md5_player *player, md5_xform *pose, md5_mat34 *joints, md5_mat34 *palette,
                     void *scratch)
{
    MD5_ASSERT_PLAYER_CHANGE(player);
    MD5_VALIDATE_CLIPS(player);
    MD5_ASSERT_NOT_NULL(scratch);
    MD5_ASSERT(pose != NULL || player->machine->num_joints == 0, "pose: must not be NULL");
    MD5_ASSERT_DISJOINT(joints, player->machine->num_joints, palette, player->machine->num_joints);
    md5_xform *const spare = align_to_cache_line(scratch);
    const bool is_computed = begin_player_pose(player);
    compute_or_load_pose(player, is_computed, spare, pose);
    if (is_computed) {
        md5i_apply_modifiers(player, pose);
        end_pose(player, pose);
    }
    compute_matrices(player->machine, pose, spare, joints, palette);
    return is_computed;
}

// Number of characters that a batch processes together, in four passes: advance, blend, modifiers,
// matrices. The code of each pass fits into the instruction cache. The group fills all lanes of a
// SIMD register, because no instruction set has more lanes.
enum { GROUP_SIZE = MD5_MAX_HOOKED };

// Returns the number of joints of a pose, rounded up so that the next pose is aligned.
static size_t round_to_cache_line(size_t num_joints)
{
    const size_t in_line = CACHE_LINE / sizeof(md5_xform);
    return (num_joints + in_line - 1) / in_line * in_line;
}

static size_t larger_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

// Returns the scratch size of one worker: the poses of a group, then the larger of the scratch
// memory of one character and the matrices of a group.
static size_t scratch_size(const md5_play_job *jobs, size_t count)
{
    if (count == 0)
        return 0;
    size_t max_joints = 0;
    size_t max_pose_scratch = 0;
    for (size_t i = 0; i < count; i++) {
        const md5_machine *const machine = jobs[i].player->machine;
        max_joints = larger_size(max_joints, machine->num_joints);
        max_pose_scratch = larger_size(max_pose_scratch, md5_player_pose_scratch(machine));
    }
    const size_t poses_size = GROUP_SIZE * round_to_cache_line(max_joints) * sizeof(md5_xform);
    const size_t matrices_size = GROUP_SIZE * max_joints * sizeof(md5_mat34) + CACHE_LINE;
    return poses_size + larger_size(max_pose_scratch, matrices_size);
}

// Returns the size of the scratch memory for md5_play_batch() with these threads, in bytes.
size_t md5_play_batch_scratch(const md5_play_job *jobs, size_t count, const md5_threads *threads)
{
    MD5_ASSERT(jobs != NULL || count == 0, "jobs: must not be NULL");
    if (MD5_HAS_ASSERTS) {
        for (size_t i = 0; i < count; i++)
            MD5_ASSERT_PLAYER(jobs[i].player);
    }
    return md5i_batch_scratch_size(threads, scratch_size(jobs, count));
}

// Jobs that are processed together. The distance between their poses is `step` transforms.
typedef struct job_group {
    md5_play_job *jobs[GROUP_SIZE];
    size_t count;
    size_t step;
    md5_xform *poses;
    md5_xform *spare;
} job_group;

// Returns the number of characters that the SIMD kernel of the machine's clips processes at the
// same time, or 1 for a machine without clips, which has no kernel.
static size_t num_lanes(const md5_machine *machine)
{
    if (machine->tables.num_clips == 0)
        return 1;
    return machine->sources[0].binding->internal.plan->kernels->width;
}

// Returns true if jobs fill more than half of the lanes and all request palettes of the same model.
static bool can_share_kernels(md5_play_job *const *jobs, size_t count, size_t width)
{
    const md5_machine *const machine = jobs[0]->player->machine;
    if (width <= 1 || 2 * count <= width)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!jobs[i]->palette || jobs[i]->player->machine->model != machine->model)
            return false;
    }
    return true;
}

// Computes joint matrices and palettes of several characters from their poses, one character in
// each SIMD lane. Unused lanes repeat the work of the first character; the poses have space for all
// lanes.
static void compute_group_matrices(const job_group *group, size_t begin, size_t count)
{
    md5_play_job *const *const jobs = group->jobs + begin;
    md5_xform *const poses = group->poses + begin * group->step;
    const md5_machine *const machine = jobs[0]->player->machine;
    const md5_binding *const binding = machine->sources[0].binding;
    const size_t width = num_lanes(machine);

    md5_pose_job lane_jobs[GROUP_SIZE];
    const md5_pose_job *lanes[GROUP_SIZE];
    for (size_t i = 0; i < width; i++) {
        const bool is_unused = i >= count;
        if (is_unused) {
            lanes[i] = &lane_jobs[0];
            memcpy(poses + i * group->step, poses, machine->num_joints * sizeof *poses);
            continue;
        }
        lanes[i] = &lane_jobs[i];
        lane_jobs[i] = (md5_pose_job){
            .binding = binding,
            .palette = jobs[i]->palette,
            .joints = jobs[i]->joints,
        };
    }
    binding->internal.plan->kernels->finish_crowd(lanes, poses, group->step, (float *)group->spare);
}

// Calls the hook of jobs[count], which have the same hook.
static void call_hook(const md5_play_job *jobs, uint32_t count, md5_xform *const *poses)
{
    for (uint32_t i = 0; i < count; i++)
        md5_mark_callback(&jobs[i].player->internal, MD5_SETTING_CALLBACK);
    jobs->hook(jobs->hook_user, jobs, count, poses);
    for (uint32_t i = 0; i < count; i++)
        md5_mark_callback(&jobs[i].player->internal, MD5_NO_CALLBACK);
}

// Returns the end of the adjacent jobs in a group with the same hook as job `begin`.
static size_t find_hook_end(const job_group *group, size_t begin)
{
    const md5_play_job *const first = group->jobs[begin];
    size_t end = begin;
    while (end < group->count) {
        const md5_play_job *const job = group->jobs[end];
        const bool is_adjacent = job == first + (end - begin);
        if (!is_adjacent || job->hook != first->hook || job->hook_user != first->hook_user)
            break;
        end++;
    }
    return end;
}

// Calls the hooks of a group. Adjacent jobs with the same hook are passed in one call.
static void call_hooks(const job_group *group)
{
    md5_xform *poses[GROUP_SIZE];
    size_t begin = 0;
    while (begin < group->count) {
        const size_t end = find_hook_end(group, begin);
        for (size_t i = begin; i < end; i++)
            poses[i - begin] = group->poses + i * group->step;
        if (group->jobs[begin]->hook)
            call_hook(group->jobs[begin], (uint32_t)(end - begin), poses);
        begin = end;
    }
}

// Computes or loads the poses of a group, and applies modifiers to computed poses.
static void compute_group_poses(const job_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        const md5_play_job *const job = group->jobs[i];
        compute_or_load_pose(job->player, job->is_computed, group->spare,
                             group->poses + i * group->step);
    }
    for (size_t i = 0; i < group->count; i++) {
        md5_player *const player = group->jobs[i]->player;
        md5_xform *const pose = group->poses + i * group->step;
        if (!group->jobs[i]->is_computed)
            continue;
        md5i_apply_modifiers(player, pose);
        end_pose(player, pose);
    }
}

// Computes the matrices of a group of jobs. Computes several characters at the same time with SIMD
// if they can share the kernels, and one character after the other if they cannot.
static void compute_all_matrices(const job_group *group)
{
    const size_t width = num_lanes(group->jobs[0]->player->machine);
    for (size_t begin = 0; begin < group->count; begin += width) {
        const size_t remaining = group->count - begin;
        const size_t count = remaining < width ? remaining : width;
        if (can_share_kernels(group->jobs + begin, count, width)) {
            compute_group_matrices(group, begin, count);
            continue;
        }
        for (size_t i = begin; i < begin + count; i++) {
            const md5_play_job *const job = group->jobs[i];
            compute_matrices(job->player->machine, group->poses + i * group->step, group->spare,
                             job->joints, job->palette);
        }
    }
}

// Computes the poses and matrices of the jobs in a group, and empties the group.
static void pose_group(job_group *group)
{
    size_t max_joints = 0;
    for (size_t i = 0; i < group->count; i++)
        max_joints = larger_size(max_joints, group->jobs[i]->player->machine->num_joints);
    group->step = round_to_cache_line(max_joints);
    group->spare = group->poses + GROUP_SIZE * group->step;

    compute_group_poses(group);
    call_hooks(group);
    compute_all_matrices(group);
    group->count = 0;
}

// Advances the player of a job, and decides whether its pose is computed or the stored pose used.
static void advance_job(md5_play_job *job)
{
    job->status = md5_player_advance(job->player, job->seconds, job->events, job->user);
    job->motion = md5_player_root_motion(job->player);
    job->is_computed = begin_player_pose(job->player);
}

// Adds a job to a group, unless its matrices remain unchanged. Poses the group when it is full.
static void add_to_group(job_group *group, md5_play_job *job)
{
    if (!job->is_computed && job->keeps_matrices)
        return;
    group->jobs[group->count++] = job;
    if (group->count == GROUP_SIZE)
        pose_group(group);
}

// Advances and poses the jobs first..last - 1 of a batch. The jobs are posed in groups, because
// SIMD kernels compute the matrices of several characters at the same time.
static void play_range(void *user, size_t first, size_t last, void *scratch)
{
    md5_play_job *const jobs = (md5_play_job *)user + first;
    const size_t count = last - first;
    job_group group = {.poses = align_to_cache_line(scratch)};
    for (size_t begin = 0; begin < count; begin += GROUP_SIZE) {
        const size_t end = count - begin < GROUP_SIZE ? count : begin + GROUP_SIZE;
        for (size_t i = begin; i < end; i++)
            advance_job(&jobs[i]);
        for (size_t i = begin; i < end; i++)
            add_to_group(&group, &jobs[i]);
    }
    if (group.count > 0)
        pose_group(&group);
}

// Advances and poses the characters of jobs[count] on several threads. The results are equal to
// those of a separate call for each character.
void md5_play_batch(md5_play_job *jobs, size_t count, const md5_threads *threads, void *scratch)
{
    MD5_ASSERT(jobs != NULL || count == 0, "jobs: must not be NULL");
    MD5_VALIDATE_RESERVED(jobs, count);
    MD5_ASSERT(scratch != NULL || count == 0, "scratch: must not be NULL");
    if (MD5_HAS_ASSERTS) {
        for (size_t i = 0; i < count; i++)
            MD5_ASSERT_PLAYER_CHANGE(jobs[i].player);
    }
    const md5_batch batch = {
        .run = play_range,
        .user = jobs,
        .count = count,
        .scratch = scratch,
        .size = threads ? scratch_size(jobs, count) : 0,
    };
    md5i_run_batch(threads, &batch);
}

// -- Between fixed steps ------------------------------------------------------------------------

// Returns a fraction of a movement. The movement is regarded as a screw motion: a rotation by 2 h
// about an axis, and a translation along it.
//
// The component of the translation perpendicular to the axis is the chord of an arc. The fraction
// of the arc has a shorter chord. It is rotated back by (1 - fraction) h, and its length is the
// length of the whole chord times
//
//   sin(fraction h) / sin(h)
static md5_xform partial_motion(md5_xform motion, double fraction)
{
    if (fraction >= 1)
        return motion;

    const md5_quatd q = md5_quatd_from_quat(motion.rotation);
    const double sign = q.w < 0 ? -1.0 : 1.0;                        // selects the shorter rotation
    const md5_vec3d rotation = {sign * q.x, sign * q.y, sign * q.z}; // the axis, times sin(h)
    const double sine = md5_vec3d_length(rotation);                  // sin(h)
    const double half_angle = md5i_atan2(sine, sign * q.w);          // h
    const double sine_ratio = sine > 0 ? md5i_sine(fraction * half_angle) / sine : fraction;

    // Split the translation into its components along and perpendicular to the axis.
    const md5_vec3d axis = md5_vec3d_scale(rotation, sine > 0 ? 1.0 / sine : 0.0);
    const md5_vec3d translation = md5_vec3d_from_vec3(motion.translation);
    const md5_vec3d along = md5_vec3d_scale(axis, md5_vec3d_dot(axis, translation));
    const md5_vec3d across = md5_vec3d_sub(translation, along);

    // Rotate the perpendicular component back.
    const md5_vec3d normal = md5_vec3d_cross(axis, translation);
    const double back_sine = md5i_sine((1.0 - fraction) * half_angle);
    const double back_cosine = sqrt(1.0 - back_sine * back_sine);
    const md5_vec3d chord =
        md5_vec3d_sub(md5_vec3d_scale(across, back_cosine), md5_vec3d_scale(normal, back_sine));

    const double partial_sine = sine * sine_ratio; // sin(fraction h)
    return (md5_xform){
        .rotation = {(float)(rotation.x * sine_ratio), (float)(rotation.y * sine_ratio),
                     (float)(rotation.z * sine_ratio),
                     (float)sqrt(1.0 - partial_sine * partial_sine)},
        .translation = md5_vec3d_round(
            md5_vec3d_add(md5_vec3d_scale(along, fraction), md5_vec3d_scale(chord, sine_ratio))),
    };
}

typedef struct interpolation_batch {
    md5_interpolated_pose_job *jobs;
    float fraction; // position within the step, 0 to 1
} interpolation_batch;

// Computes the poses and matrices of the jobs first..last of a batch.
static void interpolate_player_range(void *user, size_t first, size_t last, void *scratch)
{
    const interpolation_batch *const batch = (const interpolation_batch *)user;
    (void)scratch;
    for (size_t i = first; i < last; i++) {
        md5_interpolated_pose_job *const job = &batch->jobs[i];
        md5_blend_poses(job->before, job->after, job->has_cut ? 1.0f : batch->fraction, NULL,
                        job->model->skeleton.num_joints, job->pose);
        md5_local_to_palette(job->model, job->pose, job->joints, job->palette);
        job->partial_motion = partial_motion(job->motion, batch->fraction);
    }
}

// Computes poses between two fixed time steps of a game on several threads. `fraction` is the
// position between the steps, clamped to 0..1.
void md5_pose_interpolated(md5_interpolated_pose_job *jobs, size_t count, float fraction,
                           const md5_threads *threads)
{
    MD5_ASSERT(jobs != NULL || count == 0, "jobs: must not be NULL");
    MD5_VALIDATE_RESERVED(jobs, count);
    if (MD5_HAS_ASSERTS) {
        for (size_t i = 0; i < count; i++)
            MD5_ASSERT_ALIVE(jobs[i].model, MD5_TAG_MODEL);
    }
    float clamped = fraction > 0 ? fraction : 0.0f;
    if (clamped > 1)
        clamped = 1;
    interpolation_batch between = {jobs, clamped};
    const md5_batch batch = {.run = interpolate_player_range, .user = &between, .count = count};
    md5i_run_batch(threads, &batch);
}
