// Samples the animations of a plain scene to clips and camera paths, and measures the errors.
//
// A track animates one part of a node: its translation, rotation or scale, or the weights of its
// morph targets. Each track has its own keys. In contrast, a frame of MD5 contains the transforms
// of all joints. Frames begin at time 0 even if the first key is later, because players begin
// there.
//
// If all keys are at frames of a common rate, sampling at this rate does not change linear tracks.
// Players of MD5 interpolate linearly, too. The main structure is clip_builder.
#include "demo/convert/loss.h"
#include "demo/convert/meshes.h"

// State of converting all animations. The clips are created one after the other.
typedef struct clip_builder {
    const rig_meshes *meshes;
    const convert_rig *rig;
    const plain_scene *plain;
    const md5_model *model; // model whose skin defines the bounds of clips, or NULL
    convert_scene *scene;
    convert_loss worst;        // largest displacement of a vertex by scale so far
    double max_scale;          // largest change of a joint's scale so far
    md5_doc *model_doc;        // document of the model that was read before, or NULL
    const md5_doc *measured;   // document whose vertices measure the effect of scale
    uint32_t *measured_joints; // [joints of `measured`] the same joint in this file, or MD5_NONE
    double *reach;         // [num_joints] largest distance of a vertex from its joint, bind pose
    bool *has_camera_path; // [num_nodes] an earlier clip contains a path of this camera
    uint32_t *node_tracks; // [num_nodes] first track of the node, or MD5_NONE

    // The pose at the last sampled time:
    rig_state *states;           // [num_nodes]
    rig_posed *posed;            // [num_joints]
    convert_xform *interpolated; // [num_joints] world transforms, as players interpolate them
    convert_affine *scale_moves; // [joints of `measured`] displacement of points by scale

    // The data of the clip that is currently created.
    char *name;
    plain_track *tracks;   // [num_tracks] tracks that move a joint, a camera or a morph target
    uint32_t *next_tracks; // [num_tracks] next track of the node, or MD5_NONE
    size_t num_tracks;
    size_t num_frames;
    double rate;
    bool is_exact;     // all keys are at frames
    md5_xform *stored; // [num_frames][num_joints] local transforms as they are stored
    md5_bounds *boxes; // [num_frames] boxes of the joints, for clips without vertices
} clip_builder;

// Returns the time of a key in seconds. If all keys are at frames, removes the rounding error of
// the file.
static double key_time(const clip_builder *clip, const plain_track *track, size_t key)
{
    const double time = track->times[key];
    return clip->is_exact ? floor(time * clip->rate + 0.5) / clip->rate : time;
}

static convert_quat quat_from_floats(const float q[4])
{
    return convert_unit((convert_quat){q[0], q[1], q[2], q[3]});
}

// A track jumps at a time if several of its keys have this time, as at a cut of a camera. The
// camera then has several views at this time. The parameter `view` of the following functions
// selects the key: 0 is the first key, and LAST_VIEW is the last.
enum { LAST_VIEW = 1 << 30, MAX_CUTS = 8 };

// Returns the index of the last key at or before a time, or 0 if the time is before all keys. If
// the track jumps at this time, `view` selects the key. Times that differ only by rounding count as
// equal.
static size_t find_key(const clip_builder *clip, const plain_track *track, double time, size_t view)
{
    const double rounding = 1e-5; // seconds
    size_t low = 0;
    size_t high = track->num_keys;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (key_time(clip, track, middle) <= time + rounding)
            low = middle;
        else
            high = middle;
    }

    if (view == LAST_VIEW)
        return low;

    // A stepped track jumps at each key. Other tracks jump if a key has the time of the key before
    // it.
    const size_t step_offset = track->kind != PLAIN_STEP ? 1 : 0;
    size_t earlier = low; // the first key with this time
    while (earlier > 0 && low - earlier < MAX_CUTS
           && key_time(clip, track, earlier - step_offset) >= time - rounding)
        earlier--;

    return view < low - earlier ? earlier + view : low;
}

// The interpolated value between two keys is the sum of their values and tangents, multiplied by
// these factors. Tangents exist only in tracks of kind PLAIN_CUBIC.
typedef struct key_factors {
    double a;           // coefficient of the first key's value
    double b;           // coefficient of the second key's value
    double out_tangent; // coefficient of the first key's tangent to the second key
    double in_tangent;  // coefficient of the second key's tangent to the first key
} key_factors;

// Returns the factors for linear or cubic interpolation. `s` is the position between the keys, from
// 0 to 1. `step` is the time between the keys in seconds. Cubic interpolation uses the factors of a
// Hermite spline. Tangents are derivatives by time, so they are multiplied by the step.
static key_factors interpolate_keys(plain_keys kind, double s, double step)
{
    if (kind != PLAIN_CUBIC)
        return (key_factors){.a = 1 - s, .b = s};
    const double ss = s * s;
    const double sss = ss * s;
    return (key_factors){.a = 2 * sss - 3 * ss + 1,
                         .b = 3 * ss - 2 * sss,
                         .out_tangent = step * (sss - 2 * ss + s),
                         .in_tangent = step * (sss - ss)};
}

// The two keys around a time, and the position of the time between them.
typedef struct key_interval {
    size_t low;
    size_t high;      // equal to `low` at the last key
    double step;      // from the key `low` to the key `high`, seconds
    double fraction;  // position between the keys, from 0 to 1
    bool is_constant; // the value at this time is the value of the key `low`
} key_interval;

// Finds the keys before and after a time. If several keys have this time, `view` selects one of
// them; see find_key().
static key_interval find_interval(const clip_builder *clip, const plain_track *track, double time,
                                  size_t view)
{
    const size_t low = find_key(clip, track, time, view);
    const size_t high = low + 1 < track->num_keys ? low + 1 : low;
    const double from = key_time(clip, track, low);
    const double step = key_time(clip, track, high) - from;
    const double fraction = step > 0 ? fmin(1.0, fmax(0.0, (time - from) / step)) : 0;
    return (key_interval){.low = low,
                          .high = high,
                          .step = step,
                          .fraction = fraction,
                          .is_constant = track->kind == PLAIN_STEP || high == low || time <= from};
}

// Evaluates a track at a time and writes `width` numbers of its value, at most 4, beginning with
// number `first`.
//
// A cubic key consists of the tangent to the previous key, the value, and the tangent to the next
// key. Other keys consist of the value only. Linear rotations are interpolated spherically. Cubic
// rotations are not normalized.
static void sample_track(const clip_builder *clip, const plain_track *track, double time,
                         size_t view, size_t first, size_t width, double *value)
{
    const key_interval keys = find_interval(clip, track, time, view);
    key_factors factors = {.a = 1};
    if (!keys.is_constant)
        factors = interpolate_keys(track->kind, keys.fraction, keys.step);

    const bool is_cubic = track->kind == PLAIN_CUBIC;
    const size_t key_size = (is_cubic ? 3 : 1) * track->width;
    const size_t value_offset = is_cubic ? track->width : 0;
    const size_t out_offset = 2 * value_offset; // offset of the tangent to the next key
    const float *const a = track->values + keys.low * key_size + first;
    const float *const b = track->values + keys.high * key_size + first;
    for (size_t i = 0; i < width; i++)
        value[i] = factors.a * a[value_offset + i] + factors.b * b[value_offset + i]
                   + factors.out_tangent * a[out_offset + i] + factors.in_tangent * b[i];

    if (track->part == PLAIN_ROTATION && !is_cubic && !keys.is_constant) {
        const convert_quat rotation =
            convert_slerp(quat_from_floats(a), quat_from_floats(b), keys.fraction);
        memcpy(value, &rotation, sizeof rotation);
    }
}

// Returns true if a track animates a joint, a camera or the weights of a mesh.
static bool is_usable(const clip_builder *clip, const plain_track *track)
{
    const rig_node *const node = &clip->rig->nodes[track->node];
    if (track->part == PLAIN_WEIGHTS)
        return node->in->mesh != MD5_NONE;
    return !node->in->is_matrix && (node->joint != MD5_NONE || node->has_camera);
}

// Adds the usable tracks of an animation to the clip. *num_skipped is the number of its other
// channels. Returns false if the budget of the file is exceeded.
static bool select_tracks(clip_builder *clip, const plain_animation *animation, size_t *num_skipped)
{
    *num_skipped = animation->num_skipped;
    for (size_t i = 0; i < animation->num_tracks; i++) {
        const plain_track *const track = &animation->tracks[i];
        if (!is_usable(clip, track)) {
            ++*num_skipped;
            continue;
        }
        // The cost per key: select_rate() tries several rates, and convert_clip() counts the
        // changes of stepped tracks.
        if (!plain_charge(clip->plain, (4 + (uint64_t)track->width) * track->num_keys))
            return false;
        *COMMON_ADD_ITEM(clip->tracks, clip->num_tracks) = *track;
    }
    return true;
}

// Links the tracks of each node in their order. If several tracks animate the same part of a node,
// the last one takes effect, because it is evaluated last.
static void link_tracks(clip_builder *clip)
{
    free(clip->next_tracks);
    clip->next_tracks = common_alloc(clip->num_tracks, sizeof *clip->next_tracks);
    for (size_t i = 0; i < clip->rig->num_nodes; i++)
        clip->node_tracks[i] = MD5_NONE;
    for (size_t i = clip->num_tracks; i-- > 0;) {
        const plain_track *const track = &clip->tracks[i];
        if (track->part == PLAIN_WEIGHTS)
            continue;
        clip->next_tracks[i] = clip->node_tracks[track->node];
        clip->node_tracks[track->node] = (uint32_t)i;
    }
}

// Returns true if all keys of the clip are at frames of this rate.
static bool is_exact_rate(const clip_builder *clip, double rate)
{
    for (size_t t = 0; t < clip->num_tracks; t++) {
        for (size_t k = 0; k < clip->tracks[t].num_keys; k++) {
            if (!plain_is_frame_time(clip->tracks[t].times[k], rate))
                return false;
        }
    }
    return true;
}

// Sets the frame rate of the clip. The rate that the user requested has priority. Otherwise it is
// the first rate at which all keys are at frames: the rate that the file contains, which is
// `stored` or 0, or a common rate. If there is no such rate, it is 60 Hz.
static void select_rate(clip_builder *clip, double stored)
{
    const double requested = clip->plain->job->rate;
    if (requested > 0) {
        clip->rate = requested;
        clip->is_exact = is_exact_rate(clip, requested);
        return;
    }

    const bool is_valid = stored > 0 && stored <= 1e6;
    const double rates[] = {is_valid ? stored : 24, 24, 25, 30, 50, 60, 120};
    for (size_t i = 0; i < COMMON_LENGTH(rates); i++) {
        clip->rate = rates[i];
        clip->is_exact = is_exact_rate(clip, rates[i]);
        if (clip->is_exact)
            return;
    }
    clip->rate = 60;
}

// -- Sampling -------------------------------------------------------------------------------------

// Evaluates a track at a time and updates the transform of its node.
static void move_node(clip_builder *clip, const plain_track *track, double time, size_t view)
{
    rig_state *const state = &clip->states[track->node];
    sample_track(clip, track, time, view, 0, track->width, state->parts[track->part]);
    rig_join_parts(state);
}

// Evaluates the tracks of a node and of all its ancestors at a time.
static void move_branch(clip_builder *clip, uint32_t node, double time, size_t view)
{
    for (; node != MD5_NONE; node = clip->rig->nodes[node].in->parent) {
        for (uint32_t t = clip->node_tracks[node]; t != MD5_NONE; t = clip->next_tracks[t])
            move_node(clip, &clip->tracks[t], time, view);
    }
}

// Computes the pose of all joints at a time: evaluates all tracks, then the hierarchy.
static void pose_at(clip_builder *clip, double time)
{
    for (size_t i = 0; i < clip->num_tracks; i++) {
        if (clip->tracks[i].part != PLAIN_WEIGHTS)
            move_node(clip, &clip->tracks[i], time, LAST_VIEW);
    }
    rig_pose(clip->rig, clip->states, clip->posed);
}

// Computes how the current scale displaces the points of each measured joint, because MD5 cannot
// store this change. M and D are defined in rig.h. MD5 stores the value that D has in the rest
// pose. The displacement of a point is therefore
//
//     M (D(t) / D - 1)
//
// Returns the largest element of D(t) / D - 1.
static double compute_scale_moves(clip_builder *clip)
{
    const convert_rig *const rig = clip->rig;
    double max = 0;
    for (size_t i = 0; i < clip->measured->num_joints; i++) {
        const uint32_t j = clip->measured_joints[i];
        if (j == MD5_NONE)
            continue;
        const convert_affine residue = rig_residue(&clip->posed[j]);
        convert_affine change = convert_mul_affine(&residue, &rig->joints[j].inverse_residue);
        change.c[0].x -= 1;
        change.c[1].y -= 1;
        change.c[2].z -= 1;
        max = fmax(max, convert_max_element(&change));
        const convert_affine rotation =
            convert_affine_from_xform((convert_xform){clip->posed[j].pose.rotation, {0, 0, 0}});
        clip->scale_moves[i] = convert_mul_affine(&rotation, &change);
    }
    return max;
}

// Measures how far the current scale moves vertices, and stores the largest displacement so far.
static void measure_scale(clip_builder *clip, double time)
{
    const convert_loss_clip measured = {.model = clip->measured,
                                        .name = clip->name,
                                        .num_frames = (uint32_t)clip->num_frames,
                                        .num_clips = clip->plain->num_animations};
    const double scale = compute_scale_moves(clip);
    clip->max_scale = fmax(clip->max_scale, scale);
    if (scale > 1e-5)
        convert_measure_loss(&clip->worst, &measured, clip->scale_moves, time);
}

// Returns an upper limit of how far a joint moves the points within `reach` of it when its
// transform changes from `a` to `b`. A rotation by an angle moves a point at most by
//
//     2 sin(angle / 2) * distance of the point from the joint
static double max_displacement(convert_xform a, convert_xform b, double reach)
{
    const convert_vec offset = convert_sub(a.translation, b.translation);
    const convert_quat rotation = convert_quat_mul(convert_conjugate(a.rotation), b.rotation);
    const double sine = // of half of the angle
        sqrt(rotation.x * rotation.x + rotation.y * rotation.y + rotation.z * rotation.z);
    return sqrt(convert_dot(offset, offset)) + reach * 2 * sine;
}

// Interpolates the stored poses of a frame and the next frame as players of MD5 do. `s` is the
// position between the frames, from 0 to 1. Returns the largest distance between this pose and the
// current pose of the file, for joints and for points within their reach.
static double measure_interpolation(clip_builder *clip, size_t frame, double s)
{
    const convert_rig *const rig = clip->rig;
    double worst = 0;
    for (size_t j = 0; j < rig->num_joints; j++) {
        const md5_xform *const stored = &clip->stored[frame * rig->num_joints + j];
        const convert_xform from = convert_from_xform(stored[0]);
        const convert_xform to = convert_from_xform(stored[rig->num_joints]);
        const convert_xform local = {
            convert_slerp(from.rotation, to.rotation, s),
            convert_add(convert_times(from.translation, 1 - s), convert_times(to.translation, s))};
        const uint32_t parent = rig->joints[j].clip_parent;
        clip->interpolated[j] =
            parent == MD5_NONE ? local : convert_mul(clip->interpolated[parent], local);
        worst = fmax(worst,
                     max_displacement(clip->interpolated[j], clip->posed[j].pose, clip->reach[j]));
    }
    return worst;
}

// Returns the largest error between the frames. It is measured at a quarter, a half and three
// quarters of the way from each frame to the next.
static double measure_between(clip_builder *clip)
{
    enum { STEPS_PER_FRAME = 4 };
    double worst = 0;
    for (size_t frame = 0; frame + 1 < clip->num_frames; frame++) {
        for (int step = 1; step < STEPS_PER_FRAME; step++) {
            const double s = (double)step / (double)STEPS_PER_FRAME;
            pose_at(clip, ((double)frame + s) / clip->rate);
            worst = fmax(worst, measure_interpolation(clip, frame, s));
        }
    }
    return worst;
}

// Computes the pose of a frame of the clip. It is a callback for convert_motion.pose. Also measures
// the effect of scale. Stores the pose as the file will contain it, for measure_between(), and the
// box of the joints.
static void pose_frame(void *user, uint32_t frame, convert_xform *local)
{
    clip_builder *const clip = user;
    const size_t num_joints = clip->rig->num_joints;
    const double time = frame / clip->rate;
    pose_at(clip, time);
    measure_scale(clip, time);

    md5_xform *const stored = clip->stored + frame * num_joints;
    md5_bounds box = {{0, 0, 0}, {0, 0, 0}};
    for (size_t j = 0; j < num_joints; j++) {
        const uint32_t parent = clip->rig->joints[j].clip_parent;
        const convert_xform *const pose = &clip->posed[j].pose;
        const md5_vec3 position = convert_to_vec3(pose->translation);
        const md5_bounds point = {position, position};
        box = j == 0 ? point : md5_bounds_union(box, point);

        local[j] = *pose;
        if (parent != MD5_NONE)
            local[j] = convert_mul(convert_inverse(clip->posed[parent].pose), *pose);
        local[j].rotation = convert_unit(local[j].rotation);
        stored[j] = convert_stored_pose(local[j]);
    }
    clip->boxes[frame] = convert_extend_empty_box(box);
}

// -- Clips ----------------------------------------------------------------------------------------

// Samples the weights of one morph target in all frames. The default weight of the target is
// subtracted, because the model in the bind pose already contains it. The caller frees the result.
static float *sample_target(const clip_builder *clip, const plain_track *track, size_t target)
{
    const plain_node *const node = clip->rig->nodes[track->node].in;
    const float start = target < node->num_weights ? node->weights[target] : 0;
    float *const weights = common_alloc(clip->num_frames, sizeof *weights);
    for (size_t frame = 0; frame < clip->num_frames; frame++) {
        double value[4] = {0}; // sample_track() can write four numbers
        sample_track(clip, track, (double)frame / clip->rate, LAST_VIEW, target, 1, value);
        weights[frame] = (float)value[0] - start;
    }
    return weights;
}

// Adds the weights of the morph targets that a track animates. Targets in the index `added` are
// skipped, because an earlier track has animated them.
static void add_track_weights(const clip_builder *clip, const plain_track *track, const char *name,
                              common_text_index *added)
{
    convert_scene *const scene = clip->scene;
    for (size_t k = 0; k < track->width; k++) {
        char *const target = rig_target_name(clip->rig, track->node, k);
        if (common_has_text(added, target)) {
            free(target);
            continue;
        }
        common_index_text(added, target, strlen(target));
        *COMMON_ADD_ITEM(scene->weights, scene->num_weights) =
            (convert_weights){.clip = common_copy(name),
                              .target = target,
                              .keys = sample_target(clip, track, k),
                              .num_keys = clip->num_frames};
    }
}

// Adds the weights of each morph target that the clip animates. If several tracks animate a target,
// the first track applies.
static bool add_weights(const clip_builder *clip, const char *name)
{
    common_text_index added = {0};
    bool is_done = true;
    for (size_t i = 0; i < clip->num_tracks && is_done; i++) {
        const plain_track *const track = &clip->tracks[i];
        if (track->part != PLAIN_WEIGHTS)
            continue;
        is_done =
            plain_charge(clip->plain, track->width * (uint64_t)(clip->num_frames + track->width));
        if (is_done)
            add_track_weights(clip, track, name, &added);
    }
    common_free_text_index(&added);
    return is_done;
}

// Computes the number of frames of the clip, which ends at time `last`. Charges the cost of
// sampling `num_nodes` nodes and `num_tracks` tracks in each frame. Fails if the clip is too large.
static bool count_frames(clip_builder *clip, double last, size_t num_nodes, size_t num_tracks)
{
    const double elements_per_track = 4; // cost of a sample of a track
    // measure_between() takes samples between the frames.
    const double samples_per_frame = clip->is_exact ? 1 : 4;
    const double num_frames = floor(last * clip->rate + 0.5) + 1;
    const double elements_per_sample = (double)num_nodes + elements_per_track * (double)num_tracks;
    const double num_elements = num_frames * elements_per_sample * samples_per_frame;
    if (!(num_elements < 1e15) || !convert_can_charge(clip->plain->job, (uint64_t)num_elements))
        return plain_fail(clip->plain,
                          "clip %s is too large: it would have %.0f frames of %zu joints; use "
                          "--rate to reduce the number of frames",
                          clip->name, num_frames, num_nodes);
    clip->num_frames = (size_t)num_frames;
    return convert_charge_bytes(clip->plain->job, clip->num_frames, num_nodes * sizeof(md5_xform),
                                clip->plain->error);
}

// Completes a clip for a model that was read from another file: adds the joints that only the model
// has. Fails if the clip and the model have no common joint, unless --force is given.
static bool match_joints(const clip_builder *clip, convert_part *part)
{
    if (!clip->rig->model)
        return true;
    md5_error *const error = clip->plain->error;
    md5_doc *const doc = convert_parse_doc(part, error);
    bool is_done = doc && md5_fix_joints(doc, clip->rig->model, false, error) != MD5_NONE;
    is_done = is_done && convert_print_doc(doc, &part->bytes, &part->size, error);
    md5_free_doc(doc);
    return is_done || (clip->plain->job->is_forced && error->status == MD5_ERROR_MISMATCH);
}

// Returns the joints of the rig as a clip declares them. The caller frees the array.
static convert_joint *list_joints(const convert_rig *rig)
{
    convert_joint *const joints = common_alloc(rig->num_joints, sizeof *joints);
    for (size_t j = 0; j < rig->num_joints; j++)
        joints[j] =
            (convert_joint){.name = rig->joints[j].name, .parent = rig->joints[j].clip_parent};
    return joints;
}

// Samples the motion of the joints and the weights of the morph targets, and adds them as the
// scene's next part. The tracks, the rate and the number of frames are set.
static bool add_motion(clip_builder *clip)
{
    const convert_rig *const rig = clip->rig;
    const plain_scene *const plain = clip->plain;
    const size_t index = clip->scene->num_parts;
    const bool has_vertices = clip->model && clip->model->max_vertices > 0;
    convert_joint *const joints = list_joints(rig);
    const convert_motion motion = {.path = plain->path,
                                   .num_joints = (uint32_t)rig->num_joints,
                                   .num_frames = (uint32_t)clip->num_frames,
                                   .rate = clip->rate,
                                   .joints = joints,
                                   .bounds = has_vertices ? NULL : clip->boxes,
                                   .pose = pose_frame,
                                   .user = clip};
    const bool is_added =
        convert_add_clip(plain->job, clip->scene, clip->name, &motion, clip->model, plain->error)
        && match_joints(clip, &clip->scene->parts[index])
        && add_weights(clip, clip->scene->parts[index].name);
    free(joints);
    return is_added;
}

// Samples a clip from time 0 to `last` and adds it. The tracks and the rate must be set.
// `has_curves` means that the keys are connected by curves. The error between the frames is then
// reported.
static bool add_clip(clip_builder *clip, double last, bool has_curves)
{
    const size_t num_joints = clip->rig->num_joints;
    if (!count_frames(clip, last, num_joints, clip->num_tracks))
        return false;

    clip->stored = common_alloc(clip->num_frames * num_joints, sizeof *clip->stored);
    clip->boxes = common_alloc(clip->num_frames, sizeof *clip->boxes);
    const bool is_added = add_motion(clip);
    if (is_added && (!clip->is_exact || has_curves))
        convert_note(
            clip->plain->job,
            "clip %s: sampled at %g frames per second; largest error between frames: %.3g units",
            clip->name, clip->rate, measure_between(clip));

    free(clip->stored);
    free(clip->boxes);
    return is_added;
}

// -- Cameras --------------------------------------------------------------------------------------

// Counts the tracks that move a node or its ancestors. *num_keys is the number of their keys.
static size_t count_tracks(const clip_builder *clip, uint32_t node, size_t *num_keys)
{
    size_t count = 0;
    *num_keys = 0;
    for (uint32_t n = node; n != MD5_NONE; n = clip->rig->nodes[n].in->parent) {
        for (uint32_t t = clip->node_tracks[n]; t != MD5_NONE; t = clip->next_tracks[t]) {
            *num_keys += clip->tracks[t].num_keys;
            count++;
        }
    }
    return count;
}

// Returns true if the value of a key differs from the value of the previous key.
static bool is_changed_key(const plain_track *track, size_t key)
{
    const float *const value = track->values + key * track->width;
    return memcmp(value, value - track->width, track->width * sizeof *value) != 0;
}

// Returns the number of keys of a track whose values differ from the previous keys.
static size_t count_changed_keys(const plain_track *track)
{
    size_t count = 0;
    for (size_t k = 1; k < track->num_keys; k++) {
        if (is_changed_key(track, k))
            count++;
    }
    return count;
}

// Counts the jumps of a track at each frame. A jump is a change of a stepped track, or a key that
// is less than 0.1 frames after the previous key. Consecutive jumps at one frame form a sequence.
// cuts[frame] becomes the length of the longest sequence so far, up to MAX_CUTS.
static void count_jumps(const clip_builder *clip, const plain_track *track, uint32_t *cuts)
{
    const double max_gap = 0.1; // frames
    uint32_t sequence = 0;      // jumps at the current frame
    for (size_t k = 1; k < track->num_keys; k++) {
        const double gap = (double)track->times[k] - track->times[k - 1];
        const bool is_near = gap * clip->rate < max_gap;
        const bool is_step = track->kind == PLAIN_STEP && is_changed_key(track, k);
        if (!is_near)
            sequence = 0;
        if (is_near || is_step)
            sequence++;

        const size_t frame = (size_t)(key_time(clip, track, k) * clip->rate + 0.5);
        if (sequence > cuts[frame] && sequence <= MAX_CUTS)
            cuts[frame] = sequence;
    }
}

// Returns the number of jumps of a camera at each frame. A path has cuts only if all keys are at
// frames; otherwise all numbers are 0. The caller frees the result.
static uint32_t *find_cuts(const clip_builder *clip, uint32_t camera)
{
    uint32_t *const cuts = common_alloc(clip->num_frames, sizeof *cuts);
    if (!clip->is_exact)
        return cuts;
    for (uint32_t n = camera; n != MD5_NONE; n = clip->rig->nodes[n].in->parent) {
        for (uint32_t t = clip->node_tracks[n]; t != MD5_NONE; t = clip->next_tracks[t])
            count_jumps(clip, &clip->tracks[t], cuts);
    }
    return cuts;
}

// Computes the position, rotation and field of view of a camera at a time. `camera` is the node of
// the camera. At a jump, `view` selects one of the views.
static md5_camera_view sample_camera(clip_builder *clip, uint32_t camera, double time, size_t view,
                                     double fov)
{
    // An MD5 camera looks along x, and z is up. A camera of a plain scene looks along -z, and y is
    // up. `flip` and then `axes` rotate the axes of an MD5 camera to the axes of a camera in the
    // plain scene.
    static const convert_quat axes = {-0.5, -0.5, -0.5, 0.5};
    static const convert_quat flip = {0, 0, 1, 0};
    move_branch(clip, camera, time, view);
    convert_affine world = clip->states[camera].affine;
    uint32_t above = clip->rig->nodes[camera].in->parent;
    for (; above != MD5_NONE; above = clip->rig->nodes[above].in->parent)
        world = convert_mul_affine(&clip->states[above].affine, &world);
    world = convert_mul_affine(&clip->rig->output, &world);

    const convert_quat file_rotation = convert_nearest_rotation(&world);
    const convert_quat rotation = convert_quat_mul(convert_quat_mul(file_rotation, axes), flip);
    const md5_vec3 q = convert_stored_rotation(rotation);
    return (md5_camera_view){convert_stored_point(world.c[3]), {q.x, q.y, q.z, 0}, (float)fov};
}

// Samples the views of a camera in all frames. A frame with n jumps gets n + 1 views, with a cut
// after each of the first n.
static void sample_views(clip_builder *clip, uint32_t camera, const uint32_t *num_jumps,
                         const double *fovs, md5_doc *doc)
{
    const uint32_t index = clip->rig->nodes[camera].in->camera;
    for (size_t frame = 0; frame < clip->num_frames; frame++) {
        const double time = (double)frame / clip->rate;
        for (uint32_t view = 0; view <= num_jumps[frame]; view++) {
            const bool is_last = view == num_jumps[frame];
            const double fov = fovs ? fovs[doc->num_frames] : clip->plain->cameras[index].fov;
            if (!is_last)
                doc->cuts[doc->num_cuts++] = doc->num_frames;
            doc->views[doc->num_frames++] =
                sample_camera(clip, camera, time, is_last ? LAST_VIEW : view, fov);
        }
    }
}

// Adds the path of a camera from time 0 to `last`. `animation` may contain the fields of view of
// all frames. It is NULL if no clip moves the camera.
static bool add_path(clip_builder *clip, uint32_t camera, double last,
                     const plain_animation *animation)
{
    const rig_node *const node = &clip->rig->nodes[camera];
    size_t num_keys = 0;
    const size_t num_tracks = count_tracks(clip, camera, &num_keys);
    if (!plain_charge(clip->plain, num_keys) || !count_frames(clip, last, node->depth, num_tracks))
        return false;

    uint32_t *const cuts = find_cuts(clip, camera);
    size_t num_jumps = 0;
    for (size_t frame = 0; frame < clip->num_frames; frame++)
        num_jumps += cuts[frame];
    const size_t num_views = clip->num_frames + num_jumps;
    md5_doc doc = {.kind = MD5_DOC_CAMERA,
                   .frame_rate = clip->rate,
                   .views = common_alloc(num_views, sizeof *doc.views),
                   .cuts = common_alloc(num_views, sizeof *doc.cuts)};

    const bool has_fovs = animation && animation->num_fovs == num_views;
    bool is_done = plain_charge(clip->plain, num_jumps * (uint64_t)(node->depth + 4 * num_tracks));
    if (is_done) {
        sample_views(clip, camera, cuts, has_fovs ? animation->fovs : NULL, &doc);
        is_done = convert_add_doc(clip->plain->job, clip->scene, CONVERT_CAMERA, clip->name, &doc,
                                  clip->plain->error);
    }

    free(doc.views);
    free(doc.cuts);
    free(cuts);
    return is_done;
}

// Returns true if a track moves a node or one of its ancestors.
static bool has_track_above(const clip_builder *clip, uint32_t node)
{
    for (uint32_t n = node; n != MD5_NONE; n = clip->rig->nodes[n].in->parent) {
        if (clip->node_tracks[n] != MD5_NONE)
            return true;
    }
    return false;
}

// Adds a path for each camera that the current clip moves. A clip without tracks is the rest pose,
// which is the last clip. It gets a path for each camera that no earlier clip moved, so that no
// camera is lost. `last` is the end of the clip in seconds.
static bool add_paths(clip_builder *clip, double last, const plain_animation *animation)
{
    for (uint32_t i = 0; i < clip->rig->num_nodes; i++) {
        const rig_node *const node = &clip->rig->nodes[i];
        const uint32_t camera = node->in->camera;
        if (camera == MD5_NONE || !node->in->is_in_scene)
            continue;
        if (!plain_charge(clip->plain, node->depth)) // has_track_above() visits `depth` nodes
            return false;

        const bool is_resting = clip->num_tracks == 0 && !clip->has_camera_path[i];
        if (!is_resting && !has_track_above(clip, i))
            continue;
        clip->has_camera_path[i] = true;
        if (!clip->plain->cameras[camera].is_perspective) {
            convert_note(clip->plain->job,
                         "skipped cameras/%u: expected a perspective camera, found another type",
                         camera);
            continue;
        }
        if (!add_path(clip, i, last, animation))
            return false;
    }
    return true;
}

// -- Animations -----------------------------------------------------------------------------------

// Begins a clip without tracks, in which all nodes have their rest pose. The name is converted to a
// valid file name. A clip without a name gets the name `missing`, followed by `number`.
static bool begin_clip(clip_builder *clip, const char *name, const char *missing, size_t number)
{
    const convert_rig *const rig = clip->rig;
    free(clip->name);
    free(clip->tracks);
    clip->name = plain_file_name(name);
    if (!clip->name)
        clip->name = common_format("%s%zu", missing, number);
    else if (strcmp(clip->name, name) != 0)
        convert_note(clip->plain->job, "renamed clip '%.100s' to %s", name, clip->name);
    clip->tracks = common_alloc(0, sizeof *clip->tracks);
    clip->num_tracks = 0;
    clip->rate = 24;
    clip->is_exact = true;
    for (size_t i = 0; i < rig->num_nodes; i++)
        clip->states[i] = rig->nodes[i].rest;
    link_tracks(clip);
    return plain_charge(clip->plain, 4 * (uint64_t)rig->num_nodes);
}

// Properties of the selected tracks of an animation.
typedef struct tracks_info {
    double first;     // time of the first key; HUGE_VAL without tracks
    double last;      // time of the last key
    bool has_joints;  // a track moves a joint or changes the weights of morph targets
    bool has_curves;  // a track has cubic keys
    size_t num_jumps; // keys at which a stepped value changes
} tracks_info;

// Computes the first and the last time of all keys of a clip, in seconds, and which kinds of
// tracks the clip has.
static tracks_info measure_tracks(const clip_builder *clip)
{
    tracks_info info = {.first = HUGE_VAL};
    for (size_t i = 0; i < clip->num_tracks; i++) {
        const plain_track *const track = &clip->tracks[i];
        const bool moves_joint = clip->rig->nodes[track->node].joint != MD5_NONE;
        info.first = fmin(info.first, track->times[0]);
        info.last = fmax(info.last, track->times[track->num_keys - 1]);
        info.has_joints |= track->part == PLAIN_WEIGHTS || moves_joint;
        info.has_curves |= track->kind == PLAIN_CUBIC && track->num_keys > 1;
        if (track->kind == PLAIN_STEP)
            info.num_jumps += count_changed_keys(track);
    }
    return info;
}

// Reports the differences between an animation and its clip that do not depend on the samples.
static void note_differences(const clip_builder *clip, const tracks_info *info, size_t num_skipped)
{
    const convert_job *const job = clip->plain->job;
    if (info->first > 0)
        convert_note(
            job, "clip %s: the first key is at %g s; the pose before it was extended to the start",
            clip->name, info->first);
    if (info->num_jumps > 0)
        convert_note(job,
                     "clip %s: the value changes over one frame at %zu stepped %s, because MD5 "
                     "interpolates between frames",
                     clip->name, info->num_jumps, common_noun(info->num_jumps, "key", "keys"));
    if (num_skipped > 0)
        convert_note(job, "clip %s: skipped %zu %s not animate a joint", clip->name, num_skipped,
                     common_noun(num_skipped, "channel that does", "channels that do"));
}

// Adds the clip and the camera paths of an animation. An animation that moves neither a joint nor
// a camera is skipped with a note.
static bool convert_clip(clip_builder *clip, size_t index)
{
    const plain_animation *const animation = &clip->plain->animations[index];
    size_t num_skipped = 0;
    if (!begin_clip(clip, animation->name, "clip_", index + 1)
        || !select_tracks(clip, animation, &num_skipped))
        return false;
    link_tracks(clip);
    select_rate(clip, animation->rate);

    const size_t num_parts = clip->scene->num_parts;
    const tracks_info info = measure_tracks(clip);
    if (clip->num_tracks > 0 && !add_paths(clip, info.last, animation))
        return false;
    const bool has_path = clip->scene->num_parts > num_parts;
    if (!info.has_joints && !has_path)
        convert_note(clip->plain->job, "skipped clip %s: the clip does not animate any joint",
                     clip->name);
    if (!info.has_joints)
        return true;

    note_differences(clip, &info, num_skipped);
    return add_clip(clip, info.last, info.has_curves);
}

// Returns the largest distance of a vertex between the bind pose and the rest pose. Returns 0 if
// the distance is less than a ten-thousandth of the model's size.
static double measure_rest_pose(const clip_builder *clip)
{
    const convert_rig *const rig = clip->rig;
    double moved = 0;
    double size = 0;
    for (size_t j = 0; j < rig->num_joints; j++) {
        const rig_joint *const joint = &rig->joints[j];
        moved = fmax(moved, max_displacement(joint->bind_pose, joint->rest_pose, clip->reach[j]));
        size = fmax(size, clip->reach[j]);
    }
    return moved > 1e-4 * size ? moved : 0;
}

// Adds a path for each camera that no animation moves. If the rest pose differs from the bind pose,
// also adds a clip of one frame with the rest pose.
static bool add_rest_pose(clip_builder *clip)
{
    if (!begin_clip(clip, "camera", "", 0) || !add_paths(clip, 0, NULL))
        return false;

    // Clips for a model of another file do not need a rest pose.
    const bool has_model = clip->meshes->model.num_meshes > 0 && !clip->rig->model;
    const double moved = measure_rest_pose(clip);
    if (!has_model || !(moved > 0))
        return true;

    convert_note(clip->plain->job,
                 "the rest pose differs from the bind pose by up to %.4g units: it was stored as "
                 "the clip 'rest'",
                 moved);
    return begin_clip(clip, "rest", "", 0) && add_clip(clip, 0, false);
}

// Fails if scale moves a vertex by more than 1 % of the model's size, because MD5 joints have no
// scale. Reports a smaller displacement as a note.
static bool check_scale_loss(const clip_builder *clip)
{
    const plain_scene *const plain = clip->plain;
    double size = 0;
    if (clip->model)
        size = md5_vec3_length(md5_vec3_sub(clip->model->bounds.max, clip->model->bounds.min));
    if (clip->measured->num_meshes == 0 && clip->max_scale > 1e-3)
        convert_note(plain->job,
                     "%s: skipped the scale of joints, which changes by up to %.3g: MD5 joints "
                     "have no scale; add the model to measure the error",
                     plain->path, clip->max_scale);
    return convert_report_loss(plain->job, &clip->worst, clip->measured, size, clip->rig->unit,
                               plain->path, plain->error);
}

// Selects the document whose vertices measure the effect of scale. It is the model of this file or,
// if the file contains only clips, the model that was read before. Assigns to each joint of the
// document the joint of this file.
static void select_measured(clip_builder *clip)
{
    const convert_rig *const rig = clip->rig;
    const bool has_clips_only = clip->meshes->model.num_meshes == 0;
    const convert_part *const part = convert_find_model(clip->scene);
    if (has_clips_only && rig->model && part)
        clip->model_doc = convert_parse_doc(part, NULL);
    clip->measured = clip->model_doc ? clip->model_doc : &clip->meshes->model;

    const uint32_t count = clip->measured->num_joints;
    const bool is_same_file = !clip->model_doc;
    clip->measured_joints = common_alloc(count, sizeof *clip->measured_joints);
    clip->scale_moves = common_alloc(count, sizeof *clip->scale_moves);
    for (uint32_t i = 0; i < count; i++)
        clip->measured_joints[i] = is_same_file ? i : MD5_NONE;
    if (is_same_file)
        return;

    for (uint32_t j = 0; j < rig->num_joints; j++) {
        const uint32_t model_joint = rig->joints[j].model_joint;
        if (model_joint != MD5_NONE)
            clip->measured_joints[model_joint] = j;
    }
}

// Computes the reach of each joint: the largest distance of a vertex that it moves, in the bind
// pose.
static void measure_reach(clip_builder *clip)
{
    const md5_doc *const model = &clip->meshes->model;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_doc_mesh *const mesh = &model->meshes[i];
        for (uint32_t k = 0; k < mesh->num_weights; k++) {
            const md5_weight *const weight = &mesh->weights[k];
            double *const reach = &clip->reach[weight->joint];
            *reach = fmax(*reach, md5_vec3_length(weight->offset));
        }
    }
}

// Allocates the arrays of the builder, and selects the vertices that measure the errors.
static clip_builder create_builder(const rig_meshes *meshes, const md5_model *model,
                                   convert_scene *scene)
{
    const convert_rig *const rig = meshes->rig;
    clip_builder clip = {.meshes = meshes,
                         .rig = rig,
                         .plain = rig->plain,
                         .model = model,
                         .scene = scene,
                         .reach = common_alloc(rig->num_joints, sizeof(double)),
                         .has_camera_path = common_alloc(rig->num_nodes, sizeof(bool)),
                         .node_tracks = common_alloc(rig->num_nodes, sizeof(uint32_t)),
                         .states = common_alloc(rig->num_nodes, sizeof(rig_state)),
                         .posed = common_alloc(rig->num_joints, sizeof(rig_posed)),
                         .interpolated = common_alloc(rig->num_joints, sizeof(convert_xform))};
    select_measured(&clip);
    measure_reach(&clip);
    return clip;
}

// Frees the memory of a clip builder, but not the structure itself.
static void free_builder(clip_builder *clip)
{
    free(clip->name);
    free(clip->tracks);
    free(clip->next_tracks);
    free(clip->reach);
    free(clip->has_camera_path);
    free(clip->node_tracks);
    free(clip->states);
    free(clip->posed);
    free(clip->interpolated);
    free(clip->scale_moves);
    free(clip->measured_joints);
    md5_free_doc(clip->model_doc);
}

// Converts all animations of the plain scene to clips. At the end it checks how far vertices
// move because MD5 cannot store the scale of joints.
bool rig_add_clips(const rig_meshes *meshes, const md5_model *model, convert_scene *scene)
{
    clip_builder clip = create_builder(meshes, model, scene);
    bool is_added = true;
    for (size_t i = 0; i < clip.plain->num_animations && is_added; i++)
        is_added = convert_clip(&clip, i);
    is_added = is_added && add_rest_pose(&clip) && check_scale_loss(&clip);
    free_builder(&clip);
    return is_added;
}
