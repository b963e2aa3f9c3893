// Retargets clips to a model with another skeleton. The source is the skeleton for which a clip was
// made. The target is the skeleton of the model. The conversion has three steps:
//
// 1. Joints get roles in the human body, such as the left thigh. Roles are found by the names of
//    joints, and then by their positions in the hierarchy. A retarget_figure is a skeleton with its
//    roles.
// 2. Joints of both skeletons with the same role become pairs. The library transfers poses with
//    these pairs.
// 3. The poses of all frames are written as a clip whose feet stand on the ground
//    (retarget_transfer).
#include "demo/convert/retarget_figure.h"

// -- Retargets ------------------------------------------------------------------------------------

// Returns the index of the source joint that rotates a target joint, or MD5_NONE. The joint may
// also be paired by its name, which the library does.
static uint32_t find_source_joint(const retarget_figure *source, const retarget_figure *target,
                                  uint32_t index)
{
    const retarget_joint *const joint = &target->joints[index];
    if (joint->is_idle)
        return MD5_NONE;
    if (joint->low != MD5_NONE)
        return joint->low;
    return md5_find_joint(source->skeleton, target->skeleton->joints[index].name);
}

// Creates the retarget from one model to another. Joints are first paired by the map of the job,
// then by their roles, then by equal names. `job` may be NULL. Unless `pairs` is NULL, pairs[i]
// receives the source joint of target joint i.
md5_retarget *convert_create_retarget(const convert_job *job, const md5_model *source,
                                      const md5_model *target, convert_pair *pairs,
                                      md5_error *error)
{
    retarget_figure from = retarget_create_figure(source, NULL, retarget_no_rotation);
    retarget_figure to = retarget_create_figure(target, NULL, retarget_no_rotation);
    const bool has_map = job && (job->map || job->pairs);
    const bool is_read =
        !has_map || retarget_read_map(job, (retarget_figure *[]){&from, &to}, error);
    retarget_complete_figure(&from);
    retarget_complete_figure(&to);
    retarget_pair_joints(&from, &to, false, has_map);
    md5_retarget *const retarget = is_read ? retarget_create(&from, &to, error) : NULL;

    const uint32_t num_pairs = pairs ? target->skeleton.num_joints : 0;
    for (uint32_t i = 0; i < num_pairs; i++) {
        pairs[i].is_mapped = to.joints[i].is_mapped;
        pairs[i].source = retarget ? find_source_joint(&from, &to, i) : MD5_NONE;
    }

    retarget_free_figure(&from);
    retarget_free_figure(&to);
    return retarget;
}

// -- Motion ---------------------------------------------------------------------------------------

// State of retargeting one clip from the skeleton for which it was made (source) to the skeleton of
// the model (target).
typedef struct retarget_transfer {
    const convert_job *job;
    retarget_figure source; // rotated to the model's space
    retarget_figure target;
    const md5_binding *binding; // binding of the clip
    md5_retarget *retarget;
    float ratio;             // scale of the path
    md5_xform clip_to_model; // transform from the clip's space to the model's space

    // The poses of the current frame. `poses` is one allocation, which begins with the bind pose of
    // the source; the four other poses follow.
    md5_xform *poses;
    md5_xform *source_local; // [source joints] local space
    md5_xform *source_pose;  // [source joints] model space
    md5_xform *target_local; // [joints] local space
    md5_xform *target_pose;  // [joints] model space
    void *scratch;

    float lift;           // distance by which the model is raised, in units of the model
    float source_ground;  // height of the source's standing feet
    bool is_captured;     // the clip may begin at any position
    bool has_path;        // the pelvis is known in both skeletons
    bool has_uneven_legs; // thighs and shins have different ratios of lengths
    md5_vec3 *feet[2];    // [frames] displacement of the source's feet from the rest pose
    float *stands[2];     // [frames] weights from 0 to 1 with which the source's feet stand

    // Measurements while the clip is written:
    md5_vec3 plant_positions[2]; // position at which a foot began to stand
    double angle_sum;            // sum of angles between bones of both skeletons, radians
    double max_angle;            // largest of these angles, radians
    unsigned num_bones;          // angles in angle_sum
    float max_slide;             // largest displacement of a standing foot
    float max_foot_depth;        // largest depth of a foot below the ground
} retarget_transfer;

// Returns the displacement of a joint from the rest pose in the figure's space.
static md5_vec3 rest_displacement(const retarget_figure *figure, const md5_xform *posed,
                                  uint32_t joint)
{
    return md5_quat_rotate(figure->space,
                           md5_vec3_sub(posed[joint].translation, figure->rest[joint].translation));
}

// Rotates a vector from the common space of both figures (x forward, y left, z up) to the model's
// space.
static md5_vec3 to_model(const retarget_transfer *transfer, md5_vec3 v)
{
    return md5_quat_rotate(md5_quat_conjugate(transfer->target.space), v);
}

// Returns the height of the lowest foot or toe relative to the rest pose, or INFINITY without feet.
static float lowest_foot(const retarget_figure *figure, const md5_xform *posed)
{
    float lowest = INFINITY;
    for (int r = 2 * BODY_FOOT; r < 2 * BODY_TOE + 2; r++) {
        if (figure->roles[r].last != MD5_NONE)
            lowest = fminf(lowest, rest_displacement(figure, posed, figure->roles[r].last).z);
    }
    return lowest;
}

// Computes the pose of the source in a frame of its clip, in the model's space. The clip can have
// other axes and another position, so the transforms of its roots are changed first.
static void pose_source(const retarget_transfer *transfer, uint32_t frame)
{
    const retarget_figure *const source = &transfer->source;
    const md5_sample_position sample = {.frame0 = frame, .frame1 = frame};
    md5_sample(transfer->binding, sample, MD5_ROOT_FILE, transfer->source_local);
    for (uint32_t i = 0; i < source->skeleton->num_joints; i++) {
        if (retarget_parent_joint(source, i) == MD5_NONE)
            transfer->source_local[i] =
                md5_xform_mul(transfer->clip_to_model, transfer->source_local[i]);
    }
    md5_local_to_model_xforms(source->skeleton, transfer->source_local, transfer->source_pose);
}

// Moves the path along the ground from the body to joint 0. Games use the motion of joint 0 as the
// motion of the character. Does nothing if joint 0 already moves, or if it is not an ancestor of
// the body.
static void move_path_to_root(const retarget_transfer *transfer)
{
    const retarget_figure *const target = &transfer->target;
    const retarget_figure *const source = &transfer->source;
    md5_xform *const local = transfer->target_local;
    const uint32_t body = target->body;
    const bool has_idle_root =
        target->joints[0].is_idle && retarget_parent_joint(target, 0) == MD5_NONE;
    const bool is_root_above = body != 0 && retarget_common_parent(target, 0, body) == 0;
    if (!transfer->has_path || !has_idle_root || !is_root_above)
        return;

    md5_vec3 source_path = rest_displacement(source, transfer->source_pose, source->pelvis);
    source_path.z = 0;
    const md5_vec3 path = md5_vec3_scale(to_model(transfer, source_path), transfer->ratio);
    local[0].translation = md5_vec3_add(local[0].translation, path);

    // The motion of joint 0 also moves the body, so subtract the path from the body. The
    // translation of the body is relative to its parent.
    const md5_quat parent_rotation = target->rest[retarget_parent_joint(target, body)].rotation;
    const md5_vec3 path_in_parent = md5_quat_rotate(md5_quat_conjugate(parent_rotation), path);
    local[body].translation = md5_vec3_sub(local[body].translation, path_in_parent);
}

// Returns the model-space transform of a joint that moves rigidly with its leader. The transform of
// the joint relative to its leader is the same as in the bind pose.
static md5_xform follow_leader(const retarget_figure *target, const md5_xform *joints,
                               uint32_t joint, uint32_t leader)
{
    const md5_xform relative_to_leader =
        md5_xform_mul(md5_xform_inverse(target->rest[leader]), target->rest[joint]);
    return md5_xform_mul(joints[leader], relative_to_leader);
}

// A duplicate joint that no joint of the source rotates moves rigidly with its leader. Computes the
// poses of these joints and of their descendants.
static void pose_followers(const retarget_transfer *transfer)
{
    const retarget_figure *const target = &transfer->target;
    md5_xform *const local_pose = transfer->target_local;
    md5_xform *const joints = transfer->target_pose; // in model space
    bool has_followers = false;

    for (uint32_t i = 0; i < target->skeleton->num_joints; i++) { // parents before their children
        const uint32_t joint = target->skeleton->order[i];
        const uint32_t parent = retarget_parent_joint(target, joint);
        const uint32_t leader = target->joints[joint].leader;
        const bool is_follower = leader != MD5_NONE && target->joints[joint].low == MD5_NONE;
        if (is_follower) {
            joints[joint] = follow_leader(target, joints, joint, leader);
            has_followers = true;
        } else if (parent != MD5_NONE && has_followers) {
            joints[joint] = md5_xform_mul(joints[parent], local_pose[joint]);
        }
    }

    if (has_followers)
        md5_model_to_local_xforms(target->skeleton, joints, local_pose);
}

// Computes the pose of the model in a frame of the clip, in local space and in model space.
static void pose_model(const retarget_transfer *transfer, uint32_t frame)
{
    pose_source(transfer, frame);
    md5_retarget_pose(transfer->retarget, transfer->source_local, transfer->target_local,
                      transfer->scratch);
    move_path_to_root(transfer);
    md5_local_to_model_xforms(transfer->target.skeleton, transfer->target_local,
                              transfer->target_pose);
    pose_followers(transfer);
}

// Adds a linear fade from 1 to 0 before and after the frames with weight 1. It lasts a tenth of a
// second. Without the fade, a foot would jump when it begins or ends to stand.
static void fade_weights(float *weights, uint32_t num_frames, float rate)
{
    const float fades_per_second = 10.0f;
    for (uint32_t i = 1; i < num_frames; i++)
        weights[i] = fmaxf(weights[i], weights[i - 1] - fades_per_second / rate);
    for (uint32_t i = num_frames; i-- > 1;)
        weights[i - 1] = fmaxf(weights[i - 1], weights[i] - fades_per_second / rate);
}

// Finds the frames in which a foot of the source stands. The foot must be near its lowest height
// and slow. Stores the weights of all frames in stands[side].
static void find_standing_frames(retarget_transfer *transfer, int side)
{
    const float max_height = 0.03f; // height above the lowest position, in lengths of the leg
    const float max_speed = 0.1f;   // lengths of the leg per second
    const retarget_figure *const source = &transfer->source;
    const uint32_t num_frames = transfer->binding->anim->num_frames;
    const float rate = (float)transfer->binding->anim->frame_rate;
    const md5_vec3 *const feet = transfer->feet[side];
    float *const stands = transfer->stands[side];
    const float leg = retarget_bone_length(source, 2 * BODY_THIGH + side)
                      + retarget_bone_length(source, 2 * BODY_SHIN + side);

    float lowest = INFINITY;
    for (uint32_t i = 0; i < num_frames; i++)
        lowest = fminf(lowest, feet[i].z);

    float last_distance = INFINITY; // from the previous frame
    for (uint32_t i = 0; i < num_frames; i++) {
        float next_distance = INFINITY; // to the next frame
        if (i + 1 < num_frames)
            next_distance = md5_vec3_length(md5_vec3_sub(feet[i + 1], feet[i]));
        const bool is_low = feet[i].z <= lowest + max_height * leg;
        const bool is_slow = fminf(last_distance, next_distance) * rate <= max_speed * leg;
        stands[i] = is_low && is_slow ? 1 : 0.0f;
        last_distance = next_distance;
    }

    fade_weights(stands, num_frames, rate);
}

// Returns the height that 5 % of the heights do not exceed. Sorts the heights.
static double low_percentile(double *heights, uint32_t count)
{
    qsort(heights, count, sizeof *heights, common_compare_doubles);
    return heights[count / 20];
}

// Stores the displacement of the source's feet in a frame.
static void store_feet(retarget_transfer *transfer, uint32_t frame)
{
    const retarget_figure *const source = &transfer->source;
    for (int side = 0; side < 2; side++) {
        const uint32_t foot = source->roles[2 * BODY_FOOT + side].last;
        if (foot != MD5_NONE)
            transfer->feet[side][frame] = rest_displacement(source, transfer->source_pose, foot);
    }
}

// Poses both skeletons in all frames, and stores the height of the lowest foot of each.
//
// In a clip that was not captured, feet may intentionally be below the ground. The heights of the
// target are then relative to the scaled heights of the source.
static void measure_feet(retarget_transfer *transfer, double *source_lows, double *target_lows)
{
    const uint32_t num_frames = transfer->binding->anim->num_frames;
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        pose_model(transfer, frame);
        store_feet(transfer, frame);
        source_lows[frame] = (double)lowest_foot(&transfer->source, transfer->source_pose);
        target_lows[frame] = (double)lowest_foot(&transfer->target, transfer->target_pose);
        if (!transfer->is_captured && isfinite(source_lows[frame]))
            target_lows[frame] -= (double)transfer->ratio * source_lows[frame];
    }
}

// Raises or lowers the model so that its feet stand at the height that they have in the bind pose.
// In 95 % of the frames, no foot is then below this height. Also finds the frames in which each
// foot stands.
static void find_ground(retarget_transfer *transfer)
{
    const uint32_t num_frames = transfer->binding->anim->num_frames;
    for (int side = 0; side < 2; side++) {
        transfer->feet[side] = common_alloc(num_frames, sizeof(md5_vec3));
        transfer->stands[side] = common_alloc(num_frames, sizeof(float));
    }

    double *const target_lows = common_alloc(2 * (size_t)num_frames, sizeof *target_lows);
    double *const source_lows = target_lows + num_frames;
    measure_feet(transfer, source_lows, target_lows);
    const float lift = (float)-low_percentile(target_lows, num_frames);
    const double ground = low_percentile(source_lows, num_frames);
    free(target_lows);

    const float rounding = 1e-5f * retarget_bone_length(&transfer->target, 2 * BODY_THIGH);
    const bool is_lifted = transfer->has_path && isfinite(lift); // not finite without feet
    if (is_lifted && fabsf(lift) > rounding)
        transfer->lift = lift;
    if (transfer->is_captured && isfinite(ground))
        transfer->source_ground = (float)ground;

    // The path of the model is the path of the source times `ratio`. To raise the model by `lift`,
    // the source must therefore be raised by lift / ratio.
    const md5_vec3 source_lift = {0, 0, transfer->lift / transfer->ratio};
    transfer->clip_to_model.translation =
        md5_vec3_add(transfer->clip_to_model.translation, to_model(transfer, source_lift));
    for (int side = 0; side < 2; side++)
        find_standing_frames(transfer, side);
}

// Returns the angle by which the first frame of a clip is rotated to the left about the vertical
// axis, in degrees; 0 if the source has no limbs.
static double find_start_yaw(const retarget_transfer *transfer)
{
    const double pi = 3.14159265358979323846;
    const float min_left_length = 0.5f; // length of a sum of unit vectors
    pose_source(transfer, 0);
    const md5_vec3 left = retarget_left_direction(&transfer->source, transfer->source_pose);
    if (!(md5_vec3_length(left) > min_left_length))
        return 0;
    return atan2((double)-left.x, (double)left.y) * 180.0 / pi;
}

// Moves a captured motion to the position of the model. Also rotates it by a multiple of 90
// degrees, so that the first frame faces forward as far as possible. The remaining rotation may be
// intended, so it is only reported.
static void align_captured_motion(retarget_transfer *transfer)
{
    const retarget_figure *const source = &transfer->source;
    const double pi = 3.14159265358979323846;
    const double max_unnoticed_yaw = 15; // degrees
    const double yaw = find_start_yaw(transfer);
    const double num_quarter_turns = floor(yaw / 90.0 + 0.5);
    const char *const side = yaw < 0 ? "right" : "left";
    if (num_quarter_turns != 0)
        convert_note(transfer->job,
                     "the motion starts rotated by %.0f degrees to the %s: it was rotated by "
                     "%.0f degrees to face forward",
                     fabs(yaw), side, fabs(90 * num_quarter_turns));
    else if (fabs(yaw) > max_unnoticed_yaw)
        convert_note(
            transfer->job,
            "the motion starts rotated by %.0f degrees to the %s; use --rotate %.0f to make "
            "it face forward",
            fabs(yaw), side, -yaw);

    // The rotation is about z in the figure's space. The clip is rotated in the model's space.
    const md5_quat to_figure = source->space;
    const md5_quat from_figure = md5_quat_conjugate(to_figure);
    // Half of the rotation's angle, in radians.
    const double half_angle = -num_quarter_turns * pi / 4.0;
    const md5_quat about_z = {0, 0, (float)sin(half_angle), (float)cos(half_angle)};
    const md5_quat in_model_space = md5_quat_mul(from_figure, md5_quat_mul(about_z, to_figure));
    transfer->clip_to_model.rotation =
        md5_quat_mul(in_model_space, transfer->clip_to_model.rotation);
    if (!transfer->has_path)
        return;

    pose_source(transfer, 0);
    transfer->clip_to_model.translation =
        md5_vec3_sub(source->rest[source->pelvis].translation,
                     transfer->source_pose[source->pelvis].translation);
}

// Moves standing feet of the model by two-bone IK to the positions that follow from the source's
// feet. The displacement of a source foot from its bind pose is scaled to the model.
// find_standing_frames() has computed the weights.
static void hold_feet(const retarget_transfer *transfer, uint32_t frame)
{
    const retarget_figure *const target = &transfer->target;
    for (int side = 0; side < 2; side++) {
        const md5_limb leg = {target->roles[2 * BODY_THIGH + side].last,
                              target->roles[2 * BODY_SHIN + side].last,
                              target->roles[2 * BODY_FOOT + side].last};
        md5_vec3 source_path = transfer->feet[side][frame];
        source_path.z -= transfer->source_ground;
        const md5_vec3 path = to_model(transfer, md5_vec3_scale(source_path, transfer->ratio));
        const md5_vec3 foot = md5_vec3_add(target->rest[leg.tip].translation, path);
        const md5_two_bone_job job = {
            .tip = leg.tip, .limb = &leg, .target = foot, .weight = transfer->stands[side][frame]};
        md5_solve_two_bone(target->skeleton, &job, transfer->target_local);
    }
    md5_local_to_model_xforms(target->skeleton, transfer->target_local, transfer->target_pose);
}

// Returns the angle between two vectors in radians.
static double angle_between(md5_vec3 a, md5_vec3 b)
{
    const float sine = md5_vec3_length(md5_vec3_cross(a, b)); // times both lengths
    const float cosine = md5_vec3_dot(a, b);                  // times both lengths
    return atan2((double)sine, (double)cosine);
}

// Measures the angles between the limb bones of both skeletons in the current frame: upper arms,
// forearms, thighs and shins.
static void measure_bones(retarget_transfer *transfer)
{
    const retarget_figure *const target = &transfer->target;
    const retarget_figure *const source = &transfer->source;
    for (int r = 2 * BODY_UPPER_ARM; r < 2 * BODY_FOOT; r++) {
        const bool has_bones =
            retarget_bone_length(source, r) > 0 && retarget_bone_length(target, r) > 0;
        if (r / 2 == BODY_HAND || !has_bones)
            continue;
        const int next = r + 2; // role at the end of the bone
        const md5_vec3 target_bone = retarget_bone_vector(
            target, transfer->target_pose, target->roles[r].last, target->roles[next].last);
        const md5_vec3 source_bone = retarget_bone_vector(
            source, transfer->source_pose, source->roles[r].last, source->roles[next].last);
        const double angle = angle_between(target_bone, source_bone);
        transfer->angle_sum += angle;
        transfer->max_angle = fmax(transfer->max_angle, angle);
        transfer->num_bones++;
    }
}

// Measures how far a standing foot moves from the position at which it began to stand. Ignores
// frames in which its weight is less than 1.
static void measure_slide(retarget_transfer *transfer, int side, uint32_t frame)
{
    const retarget_figure *const target = &transfer->target;
    const uint32_t foot = target->roles[2 * BODY_FOOT + side].last;
    const float *const stands = transfer->stands[side];
    if (foot == MD5_NONE || stands[frame] < 1)
        return;
    const md5_vec3 position = rest_displacement(target, transfer->target_pose, foot);
    const bool is_first = frame == 0 || stands[frame - 1] < 1;
    if (is_first)
        transfer->plant_positions[side] = position;
    const md5_vec3 slide = md5_vec3_sub(position, transfer->plant_positions[side]);
    transfer->max_slide = fmaxf(transfer->max_slide, md5_vec3_length(slide));
}

// Computes the pose of a frame of the new clip. It is a callback for convert_motion.pose. If the
// legs of both skeletons have different proportions, holds standing feet in place. Also measures
// the differences that note_results() reports.
static void pose_clip(void *user, uint32_t frame, convert_xform *local)
{
    retarget_transfer *const transfer = user;
    const retarget_figure *const target = &transfer->target;
    pose_model(transfer, frame);
    if (transfer->has_uneven_legs)
        hold_feet(transfer, frame);
    for (uint32_t i = 0; i < target->skeleton->num_joints; i++)
        local[i] = convert_from_xform(transfer->target_local[i]);

    transfer->max_foot_depth =
        fmaxf(transfer->max_foot_depth, -lowest_foot(target, transfer->target_pose));
    for (int side = 0; side < 2; side++)
        measure_slide(transfer, side, frame);
    measure_bones(transfer);
}

// Marks a joint of the source as used. Returns true if it was not used before.
static bool mark_used(bool *is_used, uint32_t joint)
{
    const bool is_new = !is_used[joint];
    is_used[joint] = true;
    return is_new;
}

// Reports how many joints of the model received motion, how many did not, and how many joints of
// the motion were not used.
static void note_mapped_joints(const retarget_transfer *transfer)
{
    const retarget_figure *const target = &transfer->target;
    const uint32_t num_joints = target->skeleton->num_joints;
    const uint32_t num_source = transfer->source.skeleton->num_joints;
    bool *const is_used = common_alloc(num_source, sizeof *is_used);
    unsigned num_idle = 0;
    unsigned num_unused = num_source;
    for (uint32_t i = 0; i < num_joints; i++) {
        const retarget_joint *const joint = &target->joints[i];
        if (joint->is_idle)
            num_idle++;
        if (joint->low != MD5_NONE) {
            num_unused -= mark_used(is_used, joint->low);
            num_unused -= mark_used(is_used, joint->high);
        } else if (!joint->is_idle) {
            num_unused--; // matched by an equal name
        }
    }
    free(is_used);

    const uint32_t num_mapped = num_joints - num_idle;
    convert_note(transfer->job,
                 "mapped %u %s of the model; unmapped joints: %u of the model, %u of the motion",
                 num_mapped, common_noun(num_mapped, "joint", "joints"), num_idle, num_unused);
}

// Reports how well the retargeted clip follows the original: directions of limbs, sliding of
// planted feet, and soles below the ground.
static void note_results(const retarget_transfer *transfer)
{
    const retarget_figure *const target = &transfer->target;
    const double degrees = 180.0 / 3.14159265358979323846;
    const float leg =
        retarget_bone_length(target, 2 * BODY_THIGH) + retarget_bone_length(target, 2 * BODY_SHIN);
    note_mapped_joints(transfer);
    convert_note(transfer->job,
                 "limb directions differ from the motion by at most %.3g degrees, %.3g on average",
                 degrees * transfer->max_angle,
                 degrees * transfer->angle_sum / fmax(transfer->num_bones, 1.0));
    convert_note(
        transfer->job,
        "scaled the motion by %.6g and raised it by %.4g units; planted feet slide by up to %.3g "
        "units (%.3g %% of the leg length); soles are up to %.3g units below the ground",
        transfer->ratio, transfer->lift, transfer->max_slide,
        100.0 * (double)transfer->max_slide / fmax((double)leg, 1e-9), transfer->max_foot_depth);
}

// Rotates the bind pose of the source to the model's space and scales it to the unit of the clip.
static void move_source_to_model_space(retarget_transfer *transfer, const md5_model *source_model,
                                       md5_error *error)
{
    retarget_figure *const source = &transfer->source;
    const retarget_figure *const target = &transfer->target;
    md5_check *const check = md5_check_doc(MD5_DOC_ANIM, NULL, 0, (md5_engines){0}, NULL, error);
    float unit = 1;
    if (check && md5_check_binding(check, transfer->binding))
        unit = 1.0f / check->space.scale;
    md5_free_check(check);

    md5_xform *const bind = transfer->poses;
    transfer->clip_to_model.rotation =
        md5_quat_mul(md5_quat_conjugate(target->space), source->space);
    for (uint32_t i = 0; i < source->skeleton->num_joints; i++) {
        bind[i] = source_model->bind_local[i];
        if (retarget_parent_joint(source, i) == MD5_NONE)
            bind[i] = md5_xform_mul(transfer->clip_to_model, bind[i]);
        bind[i].translation = md5_vec3_scale(bind[i].translation, unit);
    }
    source->space = target->space;
    md5_local_to_model_xforms(source->skeleton, bind, source->rest);
}

// Marks all joints of a figure as idle: no joint of the source moves them.
static void mark_all_joints_idle(const retarget_figure *target)
{
    for (uint32_t i = 0; i < target->skeleton->num_joints; i++)
        target->joints[i].is_idle = true;
}

// Returns the number of joints of a figure that no joint of the source moves.
static uint32_t count_idle_joints(const retarget_figure *target)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < target->skeleton->num_joints; i++) {
        if (target->joints[i].is_idle)
            count++;
    }
    return count;
}

// Pairs the joints of both skeletons, moves the source to the model's space, and creates the
// retarget. `moved_source` receives the source in this space; the retarget uses it. Fails if too
// few joints are matched, except if the job only prints the joint map.
static bool match_skeletons(retarget_transfer *transfer, const md5_model *source_model,
                            md5_model *moved_source, md5_error *error)
{
    const convert_job *const job = transfer->job;
    retarget_figure *const source = &transfer->source;
    retarget_figure *const target = &transfer->target;
    retarget_complete_figure(source);
    retarget_complete_figure(target);
    const bool has_map = job->map || job->pairs;
    const bool has_roles = retarget_pair_joints(source, target, transfer->is_captured, has_map);

    move_source_to_model_space(transfer, source_model, error);
    *moved_source = *source_model;
    moved_source->bind_local = transfer->poses;
    source->model = moved_source;
    transfer->retarget = retarget_create(source, target, error);

    if (!transfer->retarget)
        mark_all_joints_idle(target);
    const uint32_t num_idle = count_idle_joints(target);
    if (job->prints_map)
        return true;
    if (!has_roles && 2 * num_idle >= target->skeleton->num_joints)
        return convert_fail(
            error, MD5_ERROR_MISMATCH, job->target,
            "cannot match the skeletons: too few joint names are recognized; write a joint map "
            "with --print-map, edit the map, and use it with --map FILE");
    return transfer->retarget;
}

// Returns true if the ratio of thigh to shin differs between the skeletons. Equal rotations of the
// joints then move the feet to different positions.
static bool has_uneven_legs(const retarget_figure *source, const retarget_figure *target)
{
    const float max_difference = 1e-3f; // relative
    for (int side = 0; side < 2; side++) {
        // Products are compared instead of ratios. The length of a missing bone is 0, and would
        // cause a division by 0.
        const int thigh = 2 * BODY_THIGH + side;
        const int shin = 2 * BODY_SHIN + side;
        const float a = retarget_bone_length(target, thigh) * retarget_bone_length(source, shin);
        const float b = retarget_bone_length(target, shin) * retarget_bone_length(source, thigh);
        const float smaller = fminf(a, b);
        if (smaller > 0 && fabsf(a - b) > max_difference * smaller)
            return true;
    }
    return false;
}

// Divides the allocation `poses` into the poses of the current frame, and initializes the members
// that depend on both skeletons.
static void init_transfer(retarget_transfer *transfer)
{
    const retarget_figure *const source = &transfer->source;
    const retarget_figure *const target = &transfer->target;
    const uint32_t num_source = source->skeleton->num_joints;
    transfer->source_local = transfer->poses + num_source; // after the bind pose of the source
    transfer->source_pose = transfer->source_local + num_source;
    transfer->target_local = transfer->source_pose + num_source;
    transfer->target_pose = transfer->target_local + target->skeleton->num_joints;
    transfer->scratch = common_alloc(1, md5_retarget_pose_scratch(transfer->retarget));
    transfer->ratio = md5_retarget_ratio(transfer->retarget);
    transfer->has_path = source->pelvis != MD5_NONE && target->body != MD5_NONE;
    transfer->has_uneven_legs = has_uneven_legs(source, target);
}

// Adds the retargeted clip to the scene and reports the differences from the motion.
static bool add_retargeted_clip(retarget_transfer *transfer, const md5_model *model,
                                const convert_part *part, convert_scene *scene, md5_error *error)
{
    init_transfer(transfer);
    if (transfer->is_captured)
        align_captured_motion(transfer);
    find_ground(transfer);

    const retarget_figure *const target = &transfer->target;
    const uint32_t num_joints = target->skeleton->num_joints;
    convert_joint *const joints = common_alloc(num_joints, sizeof *joints);
    for (uint32_t i = 0; i < num_joints; i++)
        joints[i] = (convert_joint){.name = target->skeleton->joints[i].name,
                                    .parent = retarget_parent_joint(target, i)};

    const md5_anim *const anim = transfer->binding->anim;
    const convert_motion motion = {.num_joints = num_joints,
                                   .joints = joints,
                                   .num_frames = anim->num_frames,
                                   .rate = anim->frame_rate,
                                   .rounding = 1e-6f,
                                   .pose = pose_clip,
                                   .user = transfer};
    const bool is_done = convert_add_clip(transfer->job, scene, part->name, &motion, model, error);
    free(joints);
    note_results(transfer);
    return is_done;
}

// The clip to retarget, and the two models between which it is transferred.
typedef struct retarget_request {
    const convert_job *job;
    const convert_part *clip;
    const convert_part *model; // file of the scene's model: the target or, with --mesh, the source
    const md5_model *source;   // model for which the clip was made, or NULL
    const md5_model *target;
} retarget_request;

// Creates the state for retargeting one clip: finds the roles of the joints of both skeletons,
// and allocates the poses. The caller frees it with free_transfer().
static retarget_transfer begin_transfer(const retarget_request *request, const md5_binding *clip)
{
    const convert_job *const job = request->job;
    const convert_part *const part = request->clip;
    const size_t num_source = request->source->skeleton.num_joints;
    const size_t num_target = request->target->skeleton.num_joints;

    // The files of the skeletons can declare bones.
    const convert_part *const source_file = part->skeleton_text ? part : request->model;
    const convert_part *const target_file = job->target ? NULL : request->model;
    retarget_transfer transfer = {
        .job = job,
        .source = retarget_create_figure(request->source, source_file, retarget_no_rotation),
        .target = retarget_create_figure(request->target, target_file, retarget_no_rotation),
        .binding = clip,
        .is_captured = part->is_captured,
        // three poses of the source and two of the target; see init_transfer()
        .poses = common_alloc(3 * num_source + 2 * num_target, sizeof(md5_xform))};
    transfer.source.path = part->path;
    transfer.target.path = job->target ? job->target : request->model->path;
    return transfer;
}

// Frees the state for retargeting one clip, with the roles of both skeletons.
static void free_transfer(retarget_transfer *transfer)
{
    for (int side = 0; side < 2; side++) {
        free(transfer->feet[side]);
        free(transfer->stands[side]);
    }
    md5_destroy_retarget(transfer->retarget);
    retarget_free_figure(&transfer->target);
    retarget_free_figure(&transfer->source);
    free(transfer->poses);
    free(transfer->scratch);
}

// Retargets one clip and adds the result to the scene. If the job requests only the map of
// joints, prints this map instead. Returns false on failure.
static bool transfer_clip(const retarget_request *request, const md5_binding *clip,
                          convert_scene *scene, md5_error *error)
{
    const convert_job *const job = request->job;
    retarget_transfer transfer = begin_transfer(request, clip);
    retarget_figure *const source = &transfer.source;
    retarget_figure *const target = &transfer.target;
    md5_model moved_source; // used by the retarget until it is destroyed
    bool is_done = retarget_read_map(job, (retarget_figure *[]){source, target}, error)
                   && match_skeletons(&transfer, request->source, &moved_source, error);
    if (is_done && job->prints_map)
        retarget_print_map(job->prints_map, source, target);
    else if (is_done)
        is_done = add_retargeted_clip(&transfer, request->target, request->clip, scene, error);
    free_transfer(&transfer);
    return is_done;
}

// Fails if a clip for the target would be too large.
static bool check_clip_size(const md5_anim *anim, uint32_t num_joints, const char *file_name,
                            md5_error *error)
{
    const uint64_t max_poses = 1 << 26; // joints times frames
    if ((uint64_t)anim->num_frames * num_joints <= max_poses)
        return true;
    return convert_fail(
        error, MD5_ERROR_RANGE, file_name,
        "clip is too large: found %u frames of %u joints; use --range to select frames",
        anim->num_frames, num_joints);
}

// Retargets a clip that was removed from the scene. A clip with a skeleton uses it instead of
// request->source.
static bool retarget_clip(const retarget_request *request, convert_scene *scene, md5_error *error)
{
    const convert_part *const clip = request->clip;
    const uint32_t num_joints = request->target->skeleton.num_joints;
    const md5_load_opts opts = {.file_name = clip->path ? clip->path : clip->name};
    retarget_request complete = *request;
    md5_model *clip_model = NULL;
    if (clip->skeleton_text) {
        clip_model = md5_parse_model(clip->skeleton_text, clip->skeleton_size, &opts, error);
        complete.source = clip_model;
    }
    if (!complete.source)
        return convert_fail(
            error, MD5_ERROR_MISSING, clip->path,
            "model of the clip is missing: add the model for which the clip was made; if the clip "
            "has the joint names of the target, pass the target as an input instead of --mesh");

    md5_anim *const anim = md5_parse_anim(clip->bytes, clip->size, &opts, error);
    md5_binding *const binding = md5_bind(complete.source, anim, NULL, error);
    const bool is_done = binding && check_clip_size(anim, num_joints, opts.file_name, error)
                         && transfer_clip(&complete, binding, scene, error);

    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(clip_model);
    return is_done;
}

// The content of the source scene while its clips are retargeted: convert_retarget_clips() first
// takes all parts out of the scene, and then moves each part back or to `discarded`.
typedef struct retarget_parts {
    convert_scene all;       // the scene before retargeting; owns nothing
    convert_scene discarded; // owns the data that is not moved back
} retarget_parts;

// Moves all parts out of a scene. With --mesh (`has_target`), also discards the materials and
// all other data of the source model.
static retarget_parts empty_scene(convert_scene *scene, bool has_target)
{
    retarget_parts moved_parts = {.all = *scene};
    moved_parts.discarded = (convert_scene){.parts = scene->parts};
    scene->parts = NULL;
    scene->num_parts = 0;
    if (has_target) {
        moved_parts.discarded = moved_parts.all;
        moved_parts.discarded.name = NULL;
        moved_parts.discarded.num_parts = 0;
        *scene = (convert_scene){.name = moved_parts.all.name};
    }
    return moved_parts;
}

// Adds the file of the target model to the scene, if it can be read.
static void add_target_part(const convert_job *job, convert_scene *scene, const char *name)
{
    size_t size = 0;
    const char *reason = NULL;
    char *const bytes = common_read_stream(job->target, &size, &reason);
    if (bytes)
        convert_add_part(scene, CONVERT_MODEL, name, job->target, bytes, size);
}

// Returns true if a part is a clip to retarget. With --mesh, all clips are retargeted to its model.
// Otherwise the clips that have their own skeleton are retargeted to the scene's model.
static bool is_clip_to_retarget(const convert_job *job, const convert_part *part)
{
    return part->kind == CONVERT_CLIP && (job->target || part->skeleton_text);
}

// Moves a part back to the scene or to the discarded parts. A clip that was retargeted is
// discarded. With --mesh, everything except cameras is discarded, because it belongs to the source.
// `discarded` uses the array of the original scene's parts. The first elements of this array are
// overwritten, which is safe because they have been moved.
static void move_part(const convert_job *job, const convert_part *part, bool is_retargeted,
                      convert_scene *scene, convert_scene *discarded)
{
    const bool belongs_to_source = job->target && part->kind != CONVERT_CAMERA;
    if (is_retargeted || belongs_to_source)
        discarded->parts[discarded->num_parts++] = *part;
    else
        *COMMON_ADD_ITEM(scene->parts, scene->num_parts) = *part;
}

// Fails if the user requested retargeting, but the scene contains no clip to retarget.
static bool fail_without_clips(const convert_job *job, md5_error *error)
{
    if (!job->target && !job->map)
        return true;
    return convert_fail(
        error, MD5_ERROR_MISSING, job->inputs[0],
        job->target ? "--mesh has no effect, because the file contains no clips; remove the option"
                    : "--map has no effect without --mesh MODEL");
}

// Retargets the clips of parts->all to the model of `models`, and moves or discards all parts.
// `models` is a request without a clip; its target is NULL if no clip can be retargeted. Sets
// *num_clips to the number of clips. Returns false if a clip failed; all parts are moved
// nevertheless.
static bool retarget_parts_of_scene(const retarget_request *models, retarget_parts *parts,
                                    convert_scene *scene, size_t *num_clips, md5_error *error)
{
    const convert_job *const job = models->job;
    bool is_done = true;
    *num_clips = 0;
    for (size_t i = 0; i < parts->all.num_parts; i++) {
        const convert_part part = parts->all.parts[i];
        const bool is_finished = job->prints_map && *num_clips > 0; // a map is printed for one clip
        const bool can_retarget = is_done && models->target && !is_finished;
        const bool is_retargeted = can_retarget && is_clip_to_retarget(job, &part);
        if (is_retargeted) {
            retarget_request request = *models;
            request.clip = &part;
            is_done = retarget_clip(&request, scene, error);
            ++*num_clips;
        }
        move_part(job, &part, is_retargeted, scene, &parts->discarded);
    }
    return is_done;
}

// Replaces the clips of a scene by clips that are retargeted to a model. With --mesh this is the
// model job->target: the scene then contains only the new clips, its cameras and, if `adds_target`,
// the model. Without --mesh it is the model of the scene, which keeps all other parts. Returns
// false and fills `error` if a model cannot be loaded or a clip cannot be retargeted. The scene is
// then valid, but incomplete.
bool convert_retarget_clips(const convert_job *job, convert_scene *scene, bool adds_target,
                            md5_error *error)
{
    const convert_part *const first = convert_find_model(scene);
    md5_model *const source = first ? convert_parse_model(first, error) : NULL;
    md5_model *const target = job->target ? md5_load_model(job->target, NULL, error) : source;
    const bool has_source = source || !first;
    const bool has_target = target || !job->target;
    const bool is_loaded = has_source && has_target;

    // A copy, because the parts are moved.
    const convert_part model_part = first ? *first : (convert_part){.kind = CONVERT_MODEL};
    retarget_parts parts = empty_scene(scene, job->target);
    if (is_loaded && job->target && adds_target)
        add_target_part(job, scene, parts.all.name);

    const retarget_request models = {
        .job = job, .model = &model_part, .source = source, .target = is_loaded ? target : NULL};
    size_t num_clips = 0;
    bool is_done = retarget_parts_of_scene(&models, &parts, scene, &num_clips, error) && is_loaded;
    if (is_done && num_clips == 0)
        is_done = fail_without_clips(job, error);
    if (num_clips > 0 && job->target)
        scene->unit = 0; // the clips have the unit of the target, an MD5 file

    convert_free_scene(&parts.discarded);
    md5_free_model(source);
    if (job->target)
        md5_free_model(target);
    return is_done;
}
