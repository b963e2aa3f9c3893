// Edits of the frames of a clip. Frames can be selected, resampled, reversed and closed to a loop.
// An edit can also reduce the components that a clip stores.
//
// An edit first plans the new frames (frame_plan). Then it samples all of them twice. The first
// time it finds the components that need a flag (find_flags()). The second time it writes their
// numbers (write_frames()). Thus the poses of all frames are never in memory at the same time.
#include "md5/edit/repair.h"
#include "md5/read/tables.h"

// Returns the components of a transform as files store them. Files store x y z of the quaternion
// with w <= 0.
static md5_joint_components components_from_transform(const md5_xform *joint)
{
    return (md5_joint_components){.pair = {joint->translation, md5_quat_to_xyz(joint->rotation)}};
}

// Returns true if a joint of the binding has the same parent in the clip as in the skeleton.
static bool has_same_parent(const md5_repair *repair, uint32_t joint)
{
    const uint32_t *const tracks = repair->binding->tracks;
    const uint32_t parent = repair->binding->skeleton->joints[joint].parent;
    const uint32_t track = tracks[joint];
    const uint32_t clip_parent = repair->anim->skeleton.joints[track].parent;
    if (parent == MD5_NONE || clip_parent == MD5_NONE)
        return parent == clip_parent;
    return tracks[parent] == clip_parent;
}

// Returns the base frame of a joint of the binding. It is the clip's base frame if the joint has
// the same parent there. Otherwise it is the current pose, which is the pose of the first frame.
static const md5_xform *base_transform(const md5_repair *repair, uint32_t joint)
{
    const uint32_t track = repair->binding->tracks[joint];
    if (track != MD5_NONE && has_same_parent(repair, joint))
        return &repair->anim->base_frame[track];
    return &repair->pose[joint];
}

// Returns true if two joints have the same name, parent and components.
static bool is_same_joint(const md5_doc_joint *a, const md5_doc_joint *b)
{
    const char *const name = a->name ? a->name : "";
    if (strcmp(name, b->name) != 0 || a->parent != b->parent || a->track.flags != b->track.flags)
        return false;
    return b->track.flags == 0 || a->track.first == b->track.first;
}

// Returns true if a joint of the document differs from the new joint with the same index, in its
// properties or in a frame. `new_numbers` contains the new frames, each with `num_new_components`
// numbers. Differences in the last bits of unit rotations do not count.
static bool is_joint_changed(const md5_doc *doc, const md5_doc_joint *old_joint,
                             const md5_doc_joint *new_joint, const float *new_numbers,
                             size_t num_new_components)
{
    const float tolerance = 0.25f * MD5_LENGTH_SLACK;
    if (!is_same_joint(old_joint, new_joint))
        return true;
    if (md5_vec3_length(md5_vec3_sub(old_joint->rotation, new_joint->rotation)) > tolerance)
        return true;

    // Compare the components that the frames contain. Both joints have the same flags.
    const uint32_t count = md5i_count_flags(new_joint->track.flags);
    if (count == 0)
        return false;
    for (size_t f = 0; f < doc->num_frames; f++) {
        const float *const old_frame = doc->numbers + f * doc->num_components;
        const float *const new_frame = new_numbers + f * num_new_components;
        const float *const old_values = old_frame + old_joint->track.first;
        const float *const new_values = new_frame + new_joint->track.first;
        for (uint32_t i = 0; i < count; i++) {
            if (fabsf(old_values[i] - new_values[i]) > tolerance)
                return true;
        }
    }
    return false;
}

// The extent of the motion of a joint over all frames.
typedef struct joint_span {
    md5_xform first; // transform in the first frame
    float move;      // longest translation from the first frame, units
    float chord;     // largest movement of a point at distance 1 by rotations from the first frame
    float length;    // longest translation from the parent, units
    float reach;     // upper limit of the distance of the points that the joint moves, units
    float used_tolerance; // part of the tolerance that the joint and its ancestors use, units
    float depth;          // number of joints from the root to this joint
    float height;         // number of joints from this joint to the farthest descendant
} joint_span;

// The frames that an edit creates. "Old" frames are the selected frames of the document. Closing a
// loop changes the last created frames, so that the clip can repeat without a jump.
typedef struct frame_plan {
    const md5_frame_edit *edit;
    uint32_t first;      // first old frame
    uint32_t num_old;    // old frames
    uint32_t num_frames; // created frames
    bool is_changed;     // the created frames are not the frames of the document
    joint_span *spans;   // [joints]
    md5_xform *begin;    // [joints] pose of the first created frame before the loop is closed
    md5_xform *end;      // [joints] pose of the last created frame before the loop is closed
    // The members below are only used when the edit closes a loop.
    md5_loop loop;
    bool adds_frame; // the first frame is repeated after the last frame
    bool walks;      // joint 0 moves on along x and y when the clip repeats
    // The two members below are only used if `walks`. The first is the position of joint 0 in the
    // last old frame. The second contains three steps of joint 0 along x and y: to the last frame,
    // from the last frame to the first, and from the first frame to the second.
    md5_vec3 last_root;
    md5_vec3 root_steps[3];
} frame_plan;

// Returns the index in the document of an old frame. Old frames are counted in the order of the
// result.
static uint32_t selected_frame(const frame_plan *plan, uint32_t index)
{
    return plan->first + (plan->edit->is_reversed ? plan->num_old - 1 - index : index);
}

// Returns the number of intervals between old frames that the created frames cover. There is one
// more interval if the first frame is repeated after the last one.
static uint32_t num_old_intervals(const frame_plan *plan)
{
    return plan->adds_frame ? plan->num_old : plan->num_old - 1;
}

// Returns the sample position of a created frame. Created frames are distributed evenly from the
// first to the last old frame. Integer arithmetic ensures that a created frame at an old frame is
// bit-identical to it. If a frame is added, old frame 0 follows the last old frame.
static md5_sample_position planned_sample_position(const md5_repair *repair, const frame_plan *plan,
                                                   uint32_t frame)
{
    const uint64_t num_steps = plan->num_frames > 1 ? plan->num_frames - 1 : 1;
    const uint64_t position = (uint64_t)frame * num_old_intervals(plan);
    const uint64_t remainder = position % num_steps;
    const uint32_t before = (uint32_t)(position / num_steps);
    const uint32_t next = remainder > 0 ? before + 1 : before;
    const uint32_t frame0 = before < plan->num_old ? before : 0;
    const uint32_t frame1 = next < plan->num_old ? next : 0;
    return md5_sample_position_from_frames(repair->anim, selected_frame(plan, frame0),
                                           selected_frame(plan, frame1),
                                           (float)((double)remainder / (double)num_steps));
}

// Writes the pose of a created frame before the loop is closed.
static void sample_frame(const md5_repair *repair, const frame_plan *plan, uint32_t frame,
                         md5_xform *pose)
{
    md5_sample(repair->binding, planned_sample_position(repair, plan, frame), MD5_ROOT_FILE, pose);
    if (plan->edit->change)
        plan->edit->change(plan->edit->user, pose);
}

// Returns the weight of the correction that closes a loop, 0 to 1. It increases smoothly from 0 to
// 1 during the last loop.num_blended frames of the original clip, and is 0 before them.
static float closing_weight(const frame_plan *plan, uint32_t frame)
{
    const uint32_t num_steps = plan->num_frames > 1 ? plan->num_frames - 1 : 1;
    if (!plan->edit->is_closed || plan->adds_frame || frame == 0)
        return 0;
    // Time from the created frame to the last frame, in frames of the original clip.
    const double to_end = (double)(num_steps - frame) * (plan->num_old - 1) / (double)num_steps;
    const float t = (float)fmin(to_end / plan->loop.num_blended, 1.0);
    return 1 - t * t * (3 - 2 * t);
}

// Adds a fraction (`weight`) of the difference from the last to the first pose to repair->pose. The
// frames thus approach the first pose. The difference of a rotation is in the axes of the joint, so
// it is multiplied from the right.
static void close_pose(const md5_repair *repair, const frame_plan *plan, float weight)
{
    const md5_quat identity = {0, 0, 0, 1};
    for (uint32_t j = 0; j < repair->binding->skeleton->num_joints; j++) {
        const md5_xform *const begin = &plan->begin[j];
        const md5_xform *const end = &plan->end[j];
        md5_xform *const joint = &repair->pose[j];
        const md5_quat end_to_begin =
            md5_quat_mul(md5_quat_conjugate(end->rotation), begin->rotation);
        const md5_quat part = md5_quat_slerp(identity, end_to_begin, weight);
        joint->rotation = md5_quat_normalize(md5_quat_mul(joint->rotation, part), joint->rotation);
        const md5_vec3 offset = md5_vec3_sub(begin->translation, end->translation);
        joint->translation = md5_vec3_add(joint->translation, md5_vec3_scale(offset, weight));
    }
}

// Sets x and y of joint 0 in a closed loop. Closing a loop must not move a walking character back
// to its start, so x and y are the sampled values. The jump is the step from the last old frame
// back to the first. Created frames after the last old frame are inside of the jump. There joint 0
// continues with the mean speed before and after it.
static void write_root(const md5_repair *repair, const frame_plan *plan, uint32_t frame,
                       md5_vec3 sampled)
{
    const uint32_t num_steps = plan->num_frames > 1 ? plan->num_frames - 1 : 1;
    const float fraction = (float)frame / (float)num_steps;
    // The distance of the created frame from the last old frame, in old frames.
    const float past_last = fraction * (float)plan->num_old - (float)(plan->num_old - 1);
    md5_vec3 *const root = &repair->pose[0].translation;
    const bool is_after_last = plan->walks && past_last > 0;
    if (!is_after_last) {
        root->x = sampled.x;
        root->y = sampled.y;
        return;
    }
    // The steps on both sides of the gap can differ, so the root moves by their mean: half of their
    // sum.
    const md5_vec3 steps = md5_vec3_add(plan->root_steps[0], plan->root_steps[2]);
    root->x = plan->last_root.x + 0.5f * past_last * steps.x;
    root->y = plan->last_root.y + 0.5f * past_last * steps.y;
}

// Writes the pose of a created frame to repair->pose: samples the frame, closes the loop and moves
// the root as the edit requests.
static void pose_frame(const md5_repair *repair, const frame_plan *plan, uint32_t frame)
{
    const size_t pose_size = repair->binding->skeleton->num_joints * sizeof *repair->pose;
    const float weight = closing_weight(plan, frame);
    const bool is_last = frame + 1 == plan->num_frames;
    sample_frame(repair, plan, frame, repair->pose);
    const md5_vec3 sampled_root = repair->pose[0].translation;
    if (weight > 0 && is_last) // exactly the first frame, without the rounding of close_pose()
        memcpy(repair->pose, plan->begin, pose_size);
    else if (weight > 0)
        close_pose(repair, plan, weight);
    if (plan->edit->is_closed)
        write_root(repair, plan, frame, sampled_root);
    if (plan->edit->is_in_place)
        repair->pose[0].translation = plan->begin[0].translation;
}

// Includes the transform of a joint in one more frame in the extent of its motion.
static void widen_span(joint_span *span, const md5_xform *joint)
{
    const md5_xform *const first = &span->first;
    const md5_quat q = md5_quat_mul(md5_quat_conjugate(first->rotation), joint->rotation);
    const float move = md5_vec3_length(md5_vec3_sub(joint->translation, first->translation));
    const float half_angle_sine = md5_vec3_length((md5_vec3){q.x, q.y, q.z});
    span->move = fmaxf(span->move, move);
    span->chord = fmaxf(span->chord, 2 * half_angle_sine);
    span->length = fmaxf(span->length, md5_vec3_length(joint->translation));
}

// Raises the reach of each joint to the distance of its most distant weight in a model.
static void measure_weights(const md5_model *model, joint_span *spans)
{
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        const uint32_t num_weights = mesh->weights ? mesh->num_weights : 0;
        for (uint32_t w = 0; w < num_weights; w++) {
            float *const reach = &spans[mesh->weights[w].joint].reach;
            *reach = fmaxf(*reach, md5_vec3_length(mesh->weights[w].offset));
        }
    }
}

// Sets the reach and the height of all joints. Without a model the weights are unknown. A joint is
// then assumed to move points at the distance of its own bone.
static void measure_reach(const md5_repair *repair, const frame_plan *plan)
{
    const md5_skeleton *const skeleton = repair->binding->skeleton;
    const md5_model *const model = plan->edit->model;
    for (uint32_t j = 0; j < skeleton->num_joints; j++)
        plan->spans[j].reach = model ? 1 : fmaxf(1.0f, plan->spans[j].length);
    if (model)
        measure_weights(model, plan->spans);
    for (uint32_t i = skeleton->num_joints; i-- > 0;) { // children before their parents
        const uint32_t j = skeleton->order[i];
        const uint32_t parent = skeleton->joints[j].parent;
        const joint_span *const span = &plan->spans[j];
        if (parent == MD5_NONE)
            continue;
        joint_span *const parent_span = &plan->spans[parent];
        parent_span->height = fmaxf(parent_span->height, span->height + 1);
        parent_span->reach = fmaxf(parent_span->reach, span->length + span->reach);
    }
}

// Number of md5_joint_components.pair. The components of a pair are kept or reduced together.
enum { NUM_PAIRS = 2 }; // translation, rotation

// Stores components that hardly change only once, in the base frame, instead of in every frame. No
// vertex may move by more than the tolerance because of that. Clears the flags of these components.
// They keep the value of the first frame.
//
// A vertex moves by at most the sum of the errors of all joints from the root to its own joint. An
// error of a translation moves it by the length of the error. An error of a rotation moves it by
// the chord of the angle times the distance from the joint, which is at most the length of all
// bones in a straight line. Each joint of the chain may use an equal part of the tolerance, and
// what its ancestors have not used. Joint 0 keeps the flags of its translation, because games read
// them.
static void reduce_flags(const md5_repair *repair, const frame_plan *plan, md5_doc_joint *joints,
                         md5_joint_components *base)
{
    static const uint32_t pair_flags[] = {MD5_TRANSLATION_FLAGS, MD5_ROTATION_FLAGS};
    const md5_skeleton *const skeleton = repair->binding->skeleton;
    const float tolerance = plan->edit->tolerance;
    measure_reach(repair, plan);

    for (uint32_t i = 0; i < skeleton->num_joints; i++) { // parents before their children
        const uint32_t j = skeleton->order[i];
        const uint32_t parent = skeleton->joints[j].parent;
        joint_span *const span = &plan->spans[j];
        span->depth = 1;
        span->used_tolerance = 0;
        if (parent != MD5_NONE) {
            span->depth = 1 + plan->spans[parent].depth;
            span->used_tolerance = plan->spans[parent].used_tolerance;
        }

        // Each joint of the longest chain through this joint has an equal part of the tolerance.
        // This is the sum for the joint and its ancestors.
        const float limit = tolerance * (span->depth / (span->depth + span->height));
        // Movements of a vertex if the translation or the rotation becomes constant, units.
        const float translation_movement = j > 0 ? span->move : INFINITY;
        const float rotation_movement = span->chord * (span->reach + tolerance);
        const float movements[NUM_PAIRS] = {translation_movement, rotation_movement};

        for (uint32_t k = 0; k < NUM_PAIRS; k++) {
            const bool is_animated = (joints[j].track.flags & pair_flags[k]) != 0;
            const bool fits_limit = span->used_tolerance + movements[k] <= limit;
            if (!is_animated || !fits_limit)
                continue;
            base[j].pair[k] = components_from_transform(&span->first).pair[k];
            joints[j].track.flags &= ~pair_flags[k];
            span->used_tolerance += movements[k];
        }
    }
}

// Returns the flags of the components that differ. Floats are compared as bytes, because 0 and -0
// must count as different.
static uint32_t flag_differences(const md5_joint_components *a, const md5_joint_components *b)
{
    uint32_t flags = 0;
    for (uint32_t i = 0; i < MD5_COUNT(a->values); i++) {
        if (memcmp(&a->values[i], &b->values[i], sizeof a->values[i]) != 0)
            flags |= UINT32_C(1) << i;
    }
    return flags;
}

// Samples all frames. Writes the base frame and the spans of all joints, and sets the flag of each
// component that differs from the base frame in any frame.
static void find_flags(const md5_repair *repair, const frame_plan *plan, md5_doc_joint *joints,
                       md5_joint_components *base)
{
    for (uint32_t f = 0; f < plan->num_frames; f++) {
        pose_frame(repair, plan, f);
        for (uint32_t j = 0; j < repair->binding->skeleton->num_joints; j++) {
            const md5_joint_components posed = components_from_transform(&repair->pose[j]);
            if (f == 0) {
                base[j] = components_from_transform(base_transform(repair, j));
                plan->spans[j] = (joint_span){.first = repair->pose[j]};
            }
            widen_span(&plan->spans[j], &repair->pose[j]);
            joints[j].track.flags |= flag_differences(&posed, &base[j]);
        }
    }
}

// Returns the flags of a new joint: the flags of the changing components and the flags that the
// edit keeps. `old_joint` is the joint of the document, or NULL. Without a tolerance every
// component keeps its flag, because the author of the file may have a reason for it.
static uint32_t edited_flags(const md5_frame_edit *edit, const md5_doc_joint *old_joint,
                             uint32_t changing)
{
    uint32_t flags = changing;
    if (edit->tolerance == 0 && old_joint)
        flags |= old_joint->track.flags;
    if (edit->all_components)
        flags |= MD5_TRANSLATION_FLAGS | MD5_ROTATION_FLAGS;
    return flags;
}

// Sets names, parents, tracks and base frame of the joints of the new document. Returns the number
// of components of a frame.
static uint32_t set_edited_joints(md5_repair *repair, const md5_frame_edit *edit,
                                  const md5_doc *doc, const md5_joint_components *base,
                                  md5_doc_joint *joints)
{
    const md5_skeleton *const skeleton = repair->binding->skeleton;
    uint32_t num_components = 0;
    for (uint32_t j = 0; j < skeleton->num_joints; j++) {
        md5_doc_joint *const joint = &joints[j];
        const uint32_t track = repair->binding->tracks[j];
        const md5_doc_joint *const old = track != MD5_NONE ? &doc->joints[track] : NULL;
        const char *const name = skeleton->joints[j].name;

        const uint32_t flags = edited_flags(edit, old, joint->track.flags);
        joint->track = (md5_track){flags, flags > 0 ? num_components : 0};
        num_components += md5i_count_flags(flags);

        joint->name = md5_copy_text(&repair->arena, name, strlen(name));
        joint->comment = old ? old->comment : NULL;
        joint->parent = skeleton->joints[j].parent;
        joint->position = base[j].pair[0];
        joint->rotation = base[j].pair[1];
    }
    return num_components;
}

// Samples all frames again, and writes the components that have a flag.
static void write_frames(const md5_repair *repair, const frame_plan *plan,
                         const md5_doc_joint *joints, float *numbers)
{
    float *next = numbers;
    for (uint32_t f = 0; f < plan->num_frames; f++) {
        pose_frame(repair, plan, f);
        for (uint32_t j = 0; j < repair->binding->skeleton->num_joints; j++) {
            const md5_joint_components posed = components_from_transform(&repair->pose[j]);
            next += md5i_write_components(&posed, joints[j].track.flags, next);
        }
    }
}

// Returns the number of changes. It is the number of all frames if the frames changed, otherwise
// the number of joints that were added, removed or changed.
static uint32_t count_changes(const frame_plan *plan, const md5_doc *doc,
                              const md5_doc_joint *joints, uint32_t num_joints,
                              const float *numbers, size_t num_components)
{
    if (plan->is_changed)
        return plan->num_frames;
    uint32_t count = num_joints < doc->num_joints ? doc->num_joints - num_joints : 0;
    for (uint32_t j = 0; j < num_joints; j++) {
        const bool is_added = j >= doc->num_joints;
        if (is_added || is_joint_changed(doc, &doc->joints[j], &joints[j], numbers, num_components))
            count++;
    }
    return count;
}

// Replaces the joints and the frames of a document by the poses that the binding samples. The
// document then stores the animation as it looks on the model. Returns the number of changes, which
// is also 0 on failure.
static uint32_t fit_joints(md5_repair *repair, const frame_plan *plan, md5_doc *doc)
{
    const md5_frame_edit *const edit = plan->edit;
    const uint32_t num_joints = repair->binding->skeleton->num_joints;
    md5_doc_joint *const joints = MD5_ALLOC_ZEROED(&repair->arena, md5_doc_joint, num_joints);
    md5_joint_components *const base =
        MD5_ALLOC_ARRAY(&repair->scratch, md5_joint_components, num_joints);
    if (!joints || !base)
        return 0;

    find_flags(repair, plan, joints, base);
    if (edit->tolerance > 0)
        reduce_flags(repair, plan, joints, base);
    const uint32_t num_components = set_edited_joints(repair, edit, doc, base, joints);
    float *const numbers = (float *)md5i_arena_alloc_raw(&repair->arena, plan->num_frames,
                                                         num_components * sizeof *numbers);
    if (repair->context.error.status != MD5_OK)
        return 0;
    write_frames(repair, plan, joints, numbers);

    // The document gets the new tables only if they differ from its own.
    const bool adds_parents = doc->parents_unknown && edit->model;
    uint32_t count = count_changes(plan, doc, joints, num_joints, numbers, num_components);
    if (count == 0 && adds_parents)
        count = 1;
    if (count == 0)
        return 0;
    doc->num_joints = num_joints;
    doc->joints = joints;
    doc->num_components = num_components;
    doc->numbers = numbers;
    if (adds_parents)
        doc->parents_unknown = false;
    return count;
}

// Returns true if the created frames have exactly the poses of the document's frames.
static bool has_same_poses(const frame_plan *plan)
{
    const md5_frame_edit *const edit = plan->edit;
    const bool changes_poses = edit->change || edit->is_closed || edit->is_in_place;
    return !plan->is_changed && !changes_poses;
}

// Writes the bounding box of each created frame. This is the union of the boxes of the two old
// frames around it, moved by the distance by which the edit moves joint 0. Changes nothing if no
// frame has another pose.
static bool fit_bounds(md5_repair *repair, const frame_plan *plan, md5_doc *doc)
{
    if (has_same_poses(plan) || !doc->bounds)
        return true;
    md5_bounds *const bounds = MD5_ALLOC_ARRAY(&repair->arena, md5_bounds, plan->num_frames);
    TRY(bounds);
    for (uint32_t f = 0; f < plan->num_frames; f++) {
        const md5_sample_position sample = planned_sample_position(repair, plan, f);
        md5_sample(repair->binding, sample, MD5_ROOT_FILE, repair->pose);
        const md5_vec3 before = repair->pose[0].translation;
        pose_frame(repair, plan, f);
        const md5_vec3 offset = md5_vec3_sub(repair->pose[0].translation, before);
        const md5_bounds box =
            md5_bounds_union(doc->bounds[sample.frame0], doc->bounds[sample.frame1]);
        bounds[f] = (md5_bounds){md5_vec3_add(box.min, offset), md5_vec3_add(box.max, offset)};
    }
    doc->bounds = bounds;
    return true;
}

// Finds out if the selected frames are a loop. If the first frame is added after the last, also
// measures the movement of joint 0 around the end. This shows whether joint 0 moves on in each
// repetition.
static void find_loop(const md5_anim *anim, frame_plan *plan)
{
    plan->loop = md5_find_loop(anim, plan->first, plan->num_old);
    plan->adds_frame = plan->loop.end == MD5_LOOP_WITHOUT_LAST_FRAME;
    // Joint 0 is the first moving joint of a clip, if its translation changes.
    const bool root_moves = anim->num_translations > 0 && anim->translation_joints[0] == 0;
    if (!plan->adds_frame || !root_moves)
        return;

    // Joint 0 in four consecutive frames: the last two, then the first two.
    enum { NUM_AROUND_END = 4, LAST = 1 };
    const uint32_t last_frame = plan->num_old - 1;
    const uint32_t around_end[NUM_AROUND_END] = {last_frame - 1, last_frame, 0, 1};
    md5_vec3 root[NUM_AROUND_END];
    for (uint32_t i = 0; i < NUM_AROUND_END; i++) {
        const size_t frame = selected_frame(plan, around_end[i]);
        root[i] = anim->translations[frame * anim->num_translations];
    }

    plan->last_root = root[LAST];
    for (uint32_t i = 0; i + 1 < NUM_AROUND_END; i++) {
        plan->root_steps[i] = md5_vec3_sub(root[i + 1], root[i]);
        plan->root_steps[i].z = 0;
    }
    plan->walks = !md5i_is_regular_step(plan->root_steps);
}

// Moves the comments of old frames to the created frames. Removes the comments of frames that were
// not selected.
static bool move_comments(md5_repair *repair, const frame_plan *plan, md5_doc *doc)
{
    const uint32_t num_steps = plan->num_old > 1 ? num_old_intervals(plan) : 1;
    md5_doc_comment *const comments = (md5_doc_comment *)md5i_arena_copy(
        &repair->arena, doc->comments, doc->num_comments, sizeof *comments);
    TRY(comments);

    uint32_t count = 0;
    for (uint32_t i = 0; i < doc->num_comments; i++) {
        md5_doc_comment comment = comments[i];
        const bool is_in_frame = comment.block > 0; // block 0 is before all frames
        if (is_in_frame) {
            const uint64_t frame = (uint64_t)comment.block - 1 - plan->first;
            if (frame >= plan->num_old) // also if it is before the first old frame: wraps around
                continue;
            const uint64_t index = plan->edit->is_reversed ? plan->num_old - 1 - frame : frame;
            comment.block = 1 + (uint32_t)(index * (plan->num_frames - 1) / num_steps);
        }
        comments[count++] = comment;
    }

    doc->comments = comments;
    doc->num_comments = count;
    return true;
}

// Returns the frame rate of the edited clip. An edit with the rate 0 keeps the document's rate.
static double edited_frame_rate(const md5_frame_edit *edit, const md5_doc *doc)
{
    return edit->frame_rate == 0 ? doc->frame_rate : edit->frame_rate;
}

// Fails if the selected frames, the frame rate or the tolerance of an edit is out of range.
static bool check_frame_edit(md5_context *context, const md5_frame_edit *edit, const md5_doc *doc)
{
    const double rate = edited_frame_rate(edit, doc);
    if (edit->first >= doc->num_frames || edit->num_frames > doc->num_frames - edit->first)
        return MD5_FAIL(
            context, MD5_ERROR_RANGE,
            "frames are out of range: expected frames below %u, found %u frames from frame %u",
            doc->num_frames, edit->num_frames, edit->first);
    if (!(rate > 0))
        return MD5_FAIL(
            context, MD5_ERROR_RANGE,
            "frame rate is out of range: expected more than 0 frames per second, found %g", rate);
    if (!(edit->tolerance >= 0))
        return MD5_FAIL(context, MD5_ERROR_RANGE,
                        "tolerance is out of range: expected 0 or more, found %g",
                        (double)edit->tolerance);
    return true;
}

// Selects the frames of the document that the edit uses. Computes the number of new frames at the
// new frame rate. The last frame always has a new frame, so that a loop remains a loop. Several
// frames become at least two, so that the motion does not disappear. Fails if a value of the edit
// is out of range, or if there are too many new frames.
static bool plan_frames(md5_repair *repair, const md5_doc *doc, frame_plan *plan)
{
    enum { MAX_FRAMES = 1 << 24 };
    const md5_frame_edit *const edit = plan->edit;
    md5_context *const context = &repair->context;
    TRY(check_frame_edit(context, edit, doc));

    plan->first = edit->first;
    plan->num_old = edit->num_frames > 0 ? edit->num_frames : doc->num_frames - edit->first;
    if (edit->is_closed)
        find_loop(repair->anim, plan);

    const double rate = edited_frame_rate(edit, doc);
    const double rate_ratio = rate / doc->frame_rate;
    const double num_intervals = floor(num_old_intervals(plan) * rate_ratio + 0.5);
    const double num_frames = num_intervals + 1;
    const double max_frames = fmax((double)MAX_FRAMES, (double)doc->num_frames);
    if (!(num_frames <= max_frames))
        return MD5_FAIL(
            context, MD5_ERROR_RANGE,
            "too many frames: expected at most %.0f, found %.0f; use a lower frame rate",
            max_frames, num_frames);
    const bool has_motion = plan->num_old > 1;
    plan->num_frames = has_motion && num_frames < 2 ? 2 : (uint32_t)num_frames;
    plan->is_changed = plan->adds_frame || plan->num_old != doc->num_frames
                       || rate != doc->frame_rate || edit->is_reversed;
    return true;
}

// Plans the frames, allocates the arrays of the plan, and samples the first and the last frame.
static bool begin_plan(md5_repair *repair, const md5_doc *doc, frame_plan *plan)
{
    TRY(plan_frames(repair, doc, plan));
    const uint32_t num_joints = repair->binding->skeleton->num_joints;
    plan->begin = MD5_ALLOC_ARRAY(&repair->scratch, md5_xform, num_joints);
    plan->end = MD5_ALLOC_ARRAY(&repair->scratch, md5_xform, num_joints);
    plan->spans = MD5_ALLOC_ARRAY(&repair->scratch, joint_span, num_joints);
    TRY(repair->context.error.status == MD5_OK);
    sample_frame(repair, plan, 0, plan->begin);
    sample_frame(repair, plan, plan->num_frames - 1, plan->end);
    return true;
}

// Applies edits of frames to an animation, for example to cut, resample or loop it. The document
// changes only if all steps succeed. Returns the number of frames if they changed, otherwise the
// number of changed joints. Returns MD5_NONE after a failure.
uint32_t md5_edit_frames(md5_doc *doc, const md5_frame_edit *edit, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT_RESERVED(edit);

    md5_repair repair;
    frame_plan plan = {.edit = edit};
    if (!md5i_begin_clip(&repair, doc, edit->model, error) || !begin_plan(&repair, doc, &plan))
        return md5i_end_repair(&repair, doc, 0);
    if (edit->loop)
        *edit->loop = plan.loop;

    // Change a copy. It replaces the document once nothing can fail any more.
    md5_doc to = *doc;
    to.num_frames = plan.num_frames;
    to.frame_rate = edited_frame_rate(edit, doc);
    const uint32_t num_changes = fit_joints(&repair, &plan, &to);
    bool is_done = num_changes > 0 && fit_bounds(&repair, &plan, &to);
    if (is_done && plan.is_changed)
        is_done = move_comments(&repair, &plan, &to);
    if (is_done)
        *doc = to;
    return md5i_end_repair(&repair, doc, num_changes);
}

// Replaces the joints of an animation by the joints of `model`. Both then have the same names and
// parents in the same order, which id's engine and most Quake engines require.
uint32_t md5_fix_joints(md5_doc *doc, const md5_model *model, bool all_components, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT_NULL_OR_ALIVE(model, MD5_TAG_MODEL);
    const md5_frame_edit edit = {.model = model, .all_components = all_components};
    return md5_edit_frames(doc, &edit, error);
}
