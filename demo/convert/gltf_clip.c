// Animations of glTF, sampled. How far the result is off is measured and named.
//
// A channel of glTF moves one property of a node, with keys of its own; a frame of MD5 has all
// joints. Frames are taken from time 0 on, as players begin there, even if the first key comes
// later. If all keys lie on the frames of a usual rate, that rate loses nothing of linear keys:
// players of MD5 interpolate joints as glTF does.
#include "demo/convert/convert.h"

#ifdef HAS_JANSSON

#include "demo/convert/gltf_clip.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Tracks ---------------------------------------------------------------------------------------

typedef enum keys_kind { KEYS_LINEAR, KEYS_STEP, KEYS_CUBIC, NUM_KINDS } keys_kind;
static const char *const kinds[NUM_KINDS] = {"LINEAR", "STEP", "CUBICSPLINE"};

typedef enum track_path {
    PATH_TRANSLATION,
    PATH_ROTATION,
    PATH_SCALE,
    PATH_WEIGHTS, // of morph targets
    NUM_PATHS
} track_path;

static const struct path {
    const char *name;
    gltf_shape shape;
    size_t width; // 0: as many as there are targets
} paths[NUM_PATHS] = {{"translation", GLTF_VEC3, 3},
                      {"rotation", GLTF_VEC4, 4},
                      {"scale", GLTF_VEC3, 3},
                      {"weights", GLTF_SCALAR, 0}};

typedef struct key_track { // a channel with its sampler
    track_path path;
    uint32_t node, joint; // MD5_NONE: no joint, as of weights
    keys_kind kind;
    size_t num_keys, width; // numbers of a value
    const float *times;     // [num_keys] ascending
    const float *values;    // [num_keys][width]; of KEYS_CUBIC three of them a key
} key_track;

typedef struct sampled_clip {
    const gltf_meshes *meshes;
    char *name;
    key_track *tracks;
    size_t num_tracks, num_frames;
    double rate;
    bool is_exact;  // all keys lie on frames
    float *numbers; // [num_frames][num_joints][6]
} sampled_clip;

// A key's time; on its frame if all keys are.
static double key_time(const sampled_clip *clip, const key_track *track, size_t key)
{
    const double time = (double)track->times[key];
    return clip->is_exact ? floor(time * clip->rate + 0.5) / clip->rate : time;
}

static convert_quat quat_of(const double q[4])
{
    return convert_unit((convert_quat){q[0], q[1], q[2], q[3]});
}

// The value at a time: `width` numbers from `first` on, up to 4. Rotations are of any length.
static void sample(const sampled_clip *clip, const key_track *track, double time, size_t first,
                   size_t width, double *value)
{
    // Frames are as late as the keys that lie on them, up to rounding.
    const double slack = 1e-5;
    size_t low = 0, high = track->num_keys; // the last key at or before the time, or the first one
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (key_time(clip, track, middle) <= time + slack)
            low = middle;
        else
            high = middle;
    }
    const bool is_cubic = track->kind == KEYS_CUBIC;
    const size_t next = low + 1 < track->num_keys ? low + 1 : low;
    const double from = key_time(clip, track, low), to = key_time(clip, track, next);
    const double step = to - from;
    const double s = step > 0.0 ? fmin(1.0, fmax(0.0, (time - from) / step)) : 0.0;
    const size_t row = (is_cubic ? 3 : 1) * track->width, inner = is_cubic ? track->width : 0;
    const float *const a = track->values + low * row + first,
                       *b = track->values + next * row + first;
    const bool is_still = track->kind == KEYS_STEP || next == low || time <= from;
    double p[4] = {0}, q[4] = {0};
    for (size_t i = 0; i < width; i++) {
        const double ss = s * s, sss = ss * s;
        p[i] = (double)a[inner + i];
        q[i] = (double)b[inner + i];
        value[i] = is_still    ? p[i]
                   : !is_cubic ? p[i] + s * (q[i] - p[i])
                               : (2.0 * sss - 3.0 * ss + 1.0) * p[i] + (3.0 * ss - 2.0 * sss) * q[i]
                                     + step * (sss - 2.0 * ss + s) * (double)a[2 * inner + i]
                                     + step * (sss - ss) * (double)b[i];
    }
    if (track->path == PATH_ROTATION && !is_cubic && !is_still) {
        const convert_quat turn = convert_slerp(quat_of(p), quat_of(q), s);
        memcpy(value, &turn, sizeof turn);
    }
}

// -- Reading --------------------------------------------------------------------------------------

// Reads one channel; counts those that nothing can be made of. Keys are checked here, so that
// sampling may trust them: as many values as times, which ascend.
static bool read_channel(sampled_clip *clip, const char *where, const json_t *animation,
                         const json_t *channel, size_t *num_left)
{
    const gltf_rig *const rig = clip->meshes->rig;
    gltf_file *const file = rig->file;
    const json_t *const target = json_object_get(channel, "target");
    const json_t *const samplers = json_object_get(animation, "samplers");
    const json_t *const sampler = json_array_get(samplers, gltf_size(channel, "sampler", 0));
    const char *const name = gltf_text(target, "path"), *kind = gltf_text(sampler, "interpolation");
    const uint32_t input = gltf_index(sampler, "input"), output = gltf_index(sampler, "output");
    key_track track = {.node = gltf_index(target, "node"), .joint = MD5_NONE};
    if (input == MD5_NONE || output == MD5_NONE)
        return gltf_fail(file, "%s: it has no sampler, or that has no input or no output", where);
    while (track.path < NUM_PATHS && (name == NULL || strcmp(name, paths[track.path].name) != 0))
        track.path++;
    while (kind != NULL && track.kind < NUM_KINDS && strcmp(kind, kinds[track.kind]) != 0)
        track.kind++;
    if (track.kind == NUM_KINDS)
        return gltf_fail(file, "%s: unknown interpolation %.40s", where, kind);
    const gltf_node *const node = track.node == MD5_NONE ? NULL : &rig->nodes[track.node];
    const bool has_weights = track.path == PATH_WEIGHTS && node != NULL && node->mesh != MD5_NONE;
    if (track.path < PATH_WEIGHTS && node != NULL && !node->is_matrix)
        track.joint = node->joint;
    if (!has_weights && track.joint == MD5_NONE) {
        ++*num_left;
        return true;
    }
    track.width = paths[track.path].width;
    if (has_weights) {
        const json_t *const primitives =
            json_object_get(gltf_item(file, "meshes", node->mesh), "primitives");
        track.width = json_array_size(json_object_get(json_array_get(primitives, 0), "targets"));
        if (track.width == 0)
            return gltf_fail(file, "%s: the mesh of nodes/%u has no morph targets", where,
                             track.node);
    }
    size_t num_values = 0;
    track.times = gltf_read(file, input, GLTF_SCALAR, &track.num_keys);
    track.values =
        track.times ? gltf_read(file, output, paths[track.path].shape, &num_values) : NULL;
    if (track.values == NULL || !gltf_spend(file, track.num_keys))
        return false;
    if (num_values / (has_weights ? track.width : 1)
        < (track.kind == KEYS_CUBIC ? 3 : 1) * track.num_keys)
        return gltf_fail(file, "%s: %zu keys, but accessors/%u has %zu elements", where,
                         track.num_keys, output, num_values);
    for (size_t k = 0; k < track.num_keys; k++)
        if (!(track.times[k] >= 0.0f) || (k > 0 && !(track.times[k] > track.times[k - 1])))
            return gltf_fail(file, "accessors/%u: key %zu is not later than that before it", input,
                             k);
    clip->tracks = common_grow(clip->tracks, clip->num_tracks, sizeof track);
    clip->tracks[clip->num_tracks++] = track;
    return true;
}

static bool are_on_frames(const sampled_clip *clip, double rate)
{
    for (const key_track *track = clip->tracks; track < clip->tracks + clip->num_tracks; track++)
        for (size_t k = 0; k < track->num_keys; k++) {
            const double frame = (double)track->times[k] * rate;
            if (!(fabs(frame - floor(frame + 0.5)) < 1e-4 * rate))
                return false;
        }
    return true;
}

// The first rate of all that has keys on frames only; else 60.
static void choose_rate(sampled_clip *clip, const json_t *animation)
{
    const double asked = clip->meshes->rig->file->job->rate;
    const double stored = gltf_number(gltf_extras(animation), "frameRate", 0.0);
    const double rates[] = {
        stored >= 0.01 && stored <= 1e4 ? stored : 24.0, 24, 25, 30, 50, 60, 120};
    const size_t count = asked > 0.0 ? 1 : sizeof rates / sizeof rates[0];
    for (size_t i = 0; i < count && !clip->is_exact; i++) {
        clip->rate = asked > 0.0 ? asked : rates[i];
        clip->is_exact = are_on_frames(clip, clip->rate);
    }
    if (!clip->is_exact && !(asked > 0.0))
        clip->rate = 60.0;
}

// -- Sampling -------------------------------------------------------------------------------------

typedef struct pose_memory { // of a rig
    double (*parts)[PATH_WEIGHTS][4];
    gltf_local *locals;
    convert_xform *pose;
    gltf_affine *worlds;
} pose_memory;

// What no track moves rests.
static void begin_poses(const gltf_rig *rig, pose_memory *memory)
{
    for (uint32_t j = 0; j < rig->num_joints; j++) {
        memory->locals[j] = gltf_rest_local(rig, j);
        if (rig->joints[j].node == MD5_NONE)
            continue;
        const gltf_node *const node = &rig->nodes[rig->joints[j].node];
        memcpy(memory->parts[j][PATH_TRANSLATION], node->translation, sizeof node->translation);
        memcpy(memory->parts[j][PATH_ROTATION], node->rotation, sizeof node->rotation);
        memcpy(memory->parts[j][PATH_SCALE], node->scale, sizeof node->scale);
    }
}

// Evaluates all tracks at a time, and the joints' hierarchy.
static void pose_at(const sampled_clip *clip, pose_memory *memory, double time)
{
    for (const key_track *track = clip->tracks; track < clip->tracks + clip->num_tracks; track++) {
        if (track->joint == MD5_NONE)
            continue;
        double(*const parts)[4] = memory->parts[track->joint];
        sample(clip, track, time, 0, track->width, parts[track->path]);
        memory->locals[track->joint] =
            gltf_local_of(parts[PATH_TRANSLATION], parts[PATH_ROTATION], parts[PATH_SCALE]);
    }
    gltf_pose(clip->meshes->rig, memory->locals, memory->pose, memory->worlds);
}

// The largest displacement of vertices by scale that MD5 cannot say.
typedef struct scale_loss {
    double distance;
    char *clip;
    uint32_t joint;
    double time;
    const char *mesh;
} scale_loss;

static double largest(const gltf_affine *a)
{
    double most = 0.0;
    for (int i = 0; i < 9; i++)
        most = fmax(most, fabs(a->m[i / 3][i % 3]));
    return most;
}

// What scale displaces at the present pose: (D(t) / D - 1) p, for each weight.
static void measure_scale(const sampled_clip *clip, const pose_memory *memory, double time,
                          gltf_affine *moves, scale_loss *worst)
{
    const double most_points = 1 << 26; // of all frames; of more, some are looked at
    const gltf_rig *const rig = clip->meshes->rig;
    const md5_doc *const model = &clip->meshes->model;
    double most = 0.0;
    for (size_t j = 0; j < rig->num_joints; j++) {
        const gltf_joint *const joint = &rig->joints[j];
        gltf_affine change = gltf_residue(memory->pose[j], &memory->worlds[j]);
        change = gltf_mul(&change, &joint->inverse_residue);
        for (int i = 0; i < 3; i++)
            change.m[i][i] -= 1.0;
        most = fmax(most, largest(&change));
        gltf_affine turn = gltf_from_xform((convert_xform){memory->pose[j].rotation, {0, 0, 0}});
        moves[j] = gltf_mul(&turn, &change);
    }
    for (uint32_t m = 0; m < model->num_meshes && most > 1e-5; m++) {
        const md5_doc_mesh *const mesh = &model->meshes[m];
        const double points = (double)mesh->num_vertices * (double)clip->num_frames;
        const uint32_t stride = 1 + (uint32_t)fmin(points / most_points, 1e9);
        for (uint32_t v = 0; v < mesh->num_vertices; v += stride) {
            convert_vec off = {0, 0, 0};
            const md5_weight *const weights = mesh->weights + mesh->vertices[v].first_weight;
            for (uint32_t w = 0; w < mesh->vertices[v].num_weights; w++)
                off =
                    convert_add(off, convert_times(gltf_point(&moves[weights[w].joint],
                                                              convert_from_vec3(weights[w].offset)),
                                                   (double)weights[w].bias));
            const double distance = sqrt(convert_dot(off, off));
            if (!(distance > worst->distance))
                continue;
            uint32_t joint = weights[0].joint; // the highest that is scaled
            for (uint32_t above = joint; above != MD5_NONE; above = rig->joints[above].parent)
                joint = largest(&moves[above]) > 1e-5 ? above : joint;
            free(worst->clip);
            *worst = (scale_loss){distance, common_copy(clip->name), joint, time, mesh->name};
        }
    }
}

// What a player reads from the numbers of a frame.
static convert_xform frame_local(const sampled_clip *clip, size_t frame, size_t joint)
{
    const float *const n = clip->numbers + (frame * clip->meshes->rig->num_joints + joint) * 6;
    const md5_xform t = {.rotation = md5_quat_from_xyz(n[3], n[4], n[5]),
                         .translation = {n[0], n[1], n[2]}};
    return convert_from_xform(t);
}

// How far joints, and what is at `reach` from them, are from what players of MD5 show between two
// frames.
static double measure_between(const sampled_clip *clip, pose_memory *memory, const double *reach,
                              convert_xform *shown)
{
    const gltf_rig *const rig = clip->meshes->rig;
    double worst = 0.0;
    for (size_t f = 0; f + 1 < clip->num_frames; f++) {
        for (int quarter = 1; quarter < 4; quarter++) {
            const double s = quarter / 4.0;
            pose_at(clip, memory, ((double)f + s) / clip->rate);
            for (size_t j = 0; j < rig->num_joints; j++) {
                const convert_xform a = frame_local(clip, f, j), b = frame_local(clip, f + 1, j);
                const uint32_t parent = rig->joints[j].parent;
                const convert_xform local = {convert_slerp(a.rotation, b.rotation, s),
                                             convert_add(convert_times(a.translation, 1.0 - s),
                                                         convert_times(b.translation, s))};
                shown[j] = parent == MD5_NONE ? local : convert_mul(shown[parent], local);
                const convert_vec off =
                    convert_sub(shown[j].translation, memory->pose[j].translation);
                const convert_quat turn = convert_quat_mul(convert_conjugate(shown[j].rotation),
                                                           memory->pose[j].rotation);
                const double chord =
                    2.0 * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
                worst = fmax(worst, sqrt(convert_dot(off, off)) + reach[j] * chord);
            }
        }
    }
    return worst;
}

// Writes the numbers of all frames, and looks at each for scale that they cannot say.
static void sample_frames(sampled_clip *clip, pose_memory *memory, scale_loss *worst)
{
    const gltf_rig *const rig = clip->meshes->rig;
    gltf_affine *const moves = common_alloc(rig->num_joints, sizeof *moves);
    float *number = clip->numbers;
    for (size_t f = 0; f < clip->num_frames; f++) {
        const double time = (double)f / clip->rate;
        pose_at(clip, memory, time);
        measure_scale(clip, memory, time, moves, worst);
        for (size_t j = 0; j < rig->num_joints; j++, number += 6) {
            const uint32_t parent = rig->joints[j].parent;
            const convert_xform local =
                parent == MD5_NONE
                    ? memory->pose[j]
                    : convert_mul(convert_inverse(memory->pose[parent]), memory->pose[j]);
            const md5_vec3 rotation = gltf_stored_rotation(convert_unit(local.rotation));
            const md5_vec3 translation = gltf_stored_point(local.translation);
            memcpy(number, &translation, sizeof translation);
            memcpy(number + 3, &rotation, sizeof rotation);
        }
    }
    free(moves);
}

// -- Clips ----------------------------------------------------------------------------------------

// Adds the document of the sampled frames: numbers that no frame changes stand in the base frame.
static bool add_doc(const sampled_clip *clip, const md5_model *model, convert_scene *scene)
{
    const gltf_rig *const rig = clip->meshes->rig;
    const size_t row = rig->num_joints * 6;
    md5_doc doc = {.kind = MD5_DOC_ANIM,
                   .num_joints = (uint32_t)rig->num_joints,
                   .num_frames = (uint32_t)clip->num_frames,
                   .frame_rate = clip->rate,
                   .numbers = clip->numbers};
    for (size_t i = 0; i < clip->num_frames * row; i++)
        if (!(fabsf(clip->numbers[i]) <= 1e9f))
            return gltf_fail(rig->file, "clip %s: frame %zu leads beyond 1e9 units", clip->name,
                             i / row);
    doc.joints = common_alloc(rig->num_joints, sizeof *doc.joints);
    bool *const is_moved = common_alloc(row, sizeof *is_moved);
    float longest = 0.0f; // of what stands still up to rounding of products
    for (size_t j = 0; j < rig->num_joints; j++)
        for (size_t k = 0; k < 3; k++)
            longest = fmaxf(longest, fabsf(clip->numbers[6 * j + k]));
    for (size_t i = row; i < clip->num_frames * row; i++)
        is_moved[i % row] |=
            fabsf(clip->numbers[i] - clip->numbers[i % row]) > 1e-7f * (i % 6 < 3 ? longest : 1.0f);
    for (size_t j = 0; j < rig->num_joints; j++) {
        md5_doc_joint *const joint = &doc.joints[j];
        *joint = (md5_doc_joint){.name = rig->joints[j].name,
                                 .parent = rig->joints[j].parent,
                                 .track = {.first = doc.num_components}};
        memcpy(&joint->position, clip->numbers + 6 * j, sizeof joint->position);
        memcpy(&joint->rotation, clip->numbers + 6 * j + 3, sizeof joint->rotation);
        for (uint32_t k = 0; k < 6; k++)
            joint->track.flags |= (uint32_t)is_moved[6 * j + k] << k;
        for (uint32_t k = 0; k < 6; k++)
            doc.num_components += is_moved[6 * j + k];
    }
    float *kept = clip->numbers;
    for (size_t f = 0; f < clip->num_frames; f++)
        for (size_t i = 0; i < row; i++)
            if (is_moved[i])
                *kept++ = clip->numbers[f * row + i];
    free(is_moved);
    md5_error *const error = rig->file->error;
    const bool has_bounds =
        model == NULL || model->num_meshes == 0 || md5_fix_bounds(&doc, model, error) != MD5_NONE;
    const bool is_added =
        has_bounds && convert_add_doc(scene, CONVERT_CLIP, clip->name, &doc, error);
    md5_free_doc(&doc);
    free(doc.joints);
    return is_added;
}

// Adds a row of weights for each morph target that the clip's channels move.
static bool add_weights(const sampled_clip *clip, const char *name, convert_scene *scene)
{
    gltf_file *const file = clip->meshes->rig->file;
    for (const key_track *keys = clip->tracks; keys < clip->tracks + clip->num_tracks; keys++) {
        if (keys->path != PATH_WEIGHTS)
            continue;
        if (!gltf_spend(file, keys->width * (clip->num_frames + scene->num_weights + keys->width)))
            return false;
        for (size_t k = 0; k < keys->width; k++) {
            char *const target = gltf_target_name(clip->meshes->rig, keys->node, k);
            bool is_new = true;
            for (size_t w = 0; w < scene->num_weights && is_new; w++)
                is_new = strcmp(scene->weights[w].target, target) != 0
                         || strcmp(scene->weights[w].clip, name) != 0;
            if (!is_new) {
                free(target);
                continue;
            }
            float *const values = common_alloc(clip->num_frames, sizeof *values);
            for (size_t f = 0; f < clip->num_frames; f++) {
                double value = 0.0;
                sample(clip, keys, (double)f / clip->rate, k, 1, &value);
                values[f] = (float)value;
            }
            scene->weights =
                common_grow(scene->weights, scene->num_weights, sizeof *scene->weights);
            scene->weights[scene->num_weights++] =
                (convert_weights){common_copy(name), target, values, clip->num_frames};
        }
    }
    return true;
}

// What all clips need.
typedef struct clip_maker {
    const gltf_meshes *meshes;
    const md5_model *model;
    convert_scene *scene;
    pose_memory memory;
    convert_xform *shown;
    double *reach;      // [num_joints] of the farthest point of a weight
    size_t num_samples; // frames times joints so far
    scale_loss worst;
} clip_maker;

// Samples a clip whose tracks and rate are set up to a time, and adds it.
static bool add_clip(clip_maker *to, sampled_clip *clip, double last, bool has_curves)
{
    // Enough for minutes of any skeleton; more in large files.
    const double free_samples = 1 << 20, samples_in_byte = 64.0, most_samples = 1 << 26;
    const gltf_rig *const rig = to->meshes->rig;
    gltf_file *const file = rig->file;
    const double num_frames = floor(last * clip->rate + 0.5) + 1.0;
    const double most = fmin(most_samples, free_samples + samples_in_byte * (double)file->size);
    if (!(num_frames * (double)rig->num_joints + (double)to->num_samples <= most))
        return gltf_fail(file,
                         "clip %s: %.0f frames of %zu joints are too many: --rate takes fewer",
                         clip->name, num_frames, rig->num_joints);
    clip->num_frames = (size_t)num_frames;
    to->num_samples += clip->num_frames * rig->num_joints;
    clip->numbers = common_alloc(clip->num_frames * rig->num_joints * 6, sizeof *clip->numbers);
    begin_poses(rig, &to->memory);
    sample_frames(clip, &to->memory, &to->worst);
    if (!clip->is_exact || has_curves)
        convert_note(file->job, "clip %s: %g frames a second; between them at most %.3g units off",
                     clip->name, clip->rate,
                     measure_between(clip, &to->memory, to->reach, to->shown));
    const size_t number = to->scene->num_parts;
    return gltf_spend(file, number) && add_doc(clip, to->model, to->scene)
           && add_weights(clip, to->scene->parts[number].name, to->scene);
}

// Reads the channels of an animation; one that moves nothing is left out.
static bool read_clip(clip_maker *to, size_t index)
{
    const gltf_rig *const rig = to->meshes->rig;
    gltf_file *const file = rig->file;
    const json_t *const animation = gltf_item(file, "animations", index);
    const json_t *const channels = json_object_get(animation, "channels");
    sampled_clip clip = {.meshes = to->meshes,
                         .name = gltf_file_name(gltf_text(animation, "name"))};
    size_t num_left = 0, num_jumps = 0;
    double first = HUGE_VAL, last = 0.0;
    bool has_curves = false, is_read = gltf_spend(file, rig->num_joints * PATH_WEIGHTS);
    if (clip.name == NULL)
        clip.name = common_format("clip_%zu", index + 1);
    for (size_t i = 0; i < json_array_size(channels) && is_read; i++) {
        char where[64];
        (void)snprintf(where, sizeof where, "animations/%zu/channels/%zu", index, i);
        is_read = read_channel(&clip, where, animation, json_array_get(channels, i), &num_left);
    }
    for (size_t i = 0; i < clip.num_tracks; i++) {
        const key_track *const track = &clip.tracks[i];
        first = fmin(first, (double)track->times[0]);
        last = fmax(last, (double)track->times[track->num_keys - 1]);
        has_curves |= track->kind == KEYS_CUBIC && track->num_keys > 1;
        for (size_t k = 1; k < track->num_keys && track->kind == KEYS_STEP; k++)
            num_jumps +=
                memcmp(track->values + k * track->width, track->values + (k - 1) * track->width,
                       track->width * sizeof *track->values)
                != 0;
    }
    if (is_read && clip.num_tracks > 0) {
        choose_rate(&clip, animation);
        if (first > 0.0)
            convert_note(file->job,
                         "clip %s: the keys begin at %g s; the pose before them stays, as players "
                         "show it",
                         clip.name, first);
        if (num_jumps > 0)
            convert_note(file->job, "clip %s: %zu steps between keys become slides of one frame",
                         clip.name, num_jumps);
        if (num_left > 0)
            convert_note(file->job, "clip %s: %zu channels that move no joint are left out",
                         clip.name, num_left);
        is_read = add_clip(to, &clip, last, has_curves);
    } else if (is_read) {
        convert_note(file->job, "clip %s is left out: it moves no joint", clip.name);
    }
    free(clip.name);
    free(clip.tracks);
    free(clip.numbers);
    return is_read;
}

// A clip of one frame if nodes rest elsewhere than they were bound.
static bool add_rest(clip_maker *to)
{
    const gltf_rig *const rig = to->meshes->rig;
    double moved = 0.0, size = 0.0;
    for (size_t j = 0; j < rig->num_joints; j++) {
        const gltf_joint *const joint = &rig->joints[j];
        const convert_vec off =
            convert_sub(joint->bind_pose.translation, joint->rest_pose.translation);
        const convert_quat turn = convert_quat_mul(convert_conjugate(joint->bind_pose.rotation),
                                                   joint->rest_pose.rotation);
        const double chord = 2.0 * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
        moved = fmax(moved, sqrt(convert_dot(off, off)) + to->reach[j] * chord);
        size = fmax(size, to->reach[j]);
    }
    if (!(moved > 1e-4 * size))
        return true;
    sampled_clip clip = {
        .meshes = to->meshes, .name = common_copy("rest"), .rate = 24.0, .is_exact = true};
    convert_note(rig->file->job,
                 "the nodes rest up to %.4g units from where they were bound: clip %s", moved,
                 clip.name);
    const bool is_added = add_clip(to, &clip, 0.0, false);
    free(clip.name);
    free(clip.numbers);
    return is_added;
}

// Refuses what scale displaces by more than 1 % of the size.
static bool accept_loss(const clip_maker *to)
{
    const gltf_rig *const rig = to->meshes->rig;
    const scale_loss *const worst = &to->worst;
    double size = 0.0;
    if (to->model != NULL) {
        const md5_vec3 sides = md5_vec3_sub(to->model->bounds.max, to->model->bounds.min);
        size = (double)md5_vec3_length(sides);
    }
    if (!(worst->distance > 1e-5 * size) || worst->clip == NULL)
        return true;
    char text[240];
    (void)snprintf(text, sizeof text,
                   "joint %.47s in clip %.47s: MD5 has no such scale: vertices are up to %.4g units"
                   " off (%.3g of the file, %.2g %% of the size)",
                   rig->joints[worst->joint].name, worst->clip, worst->distance,
                   worst->distance / rig->unit, 100.0 * worst->distance / size);
    convert_note(rig->file->job, "%s; the worst at %g s in mesh %s", text, worst->time,
                 worst->mesh);
    return worst->distance <= 0.01 * size || rig->file->job->is_forced
           || gltf_fail(rig->file, "%s: --force accepts that", text);
}

bool gltf_add_clips(const gltf_meshes *meshes, const md5_model *model, convert_scene *scene)
{
    const gltf_rig *const rig = meshes->rig;
    const size_t num_joints = rig->num_joints;
    clip_maker to = {.meshes = meshes, .model = model, .scene = scene};
    to.memory = (pose_memory){common_alloc(num_joints, sizeof *to.memory.parts),
                              common_alloc(num_joints, sizeof(gltf_local)),
                              common_alloc(num_joints, sizeof(convert_xform)),
                              common_alloc(num_joints, sizeof(gltf_affine))};
    to.shown = common_alloc(num_joints, sizeof *to.shown);
    to.reach = common_alloc(num_joints, sizeof *to.reach);
    for (uint32_t m = 0; m < meshes->model.num_meshes; m++)
        for (uint32_t w = 0; w < meshes->model.meshes[m].num_weights; w++) {
            const md5_weight *const weight = &meshes->model.meshes[m].weights[w];
            to.reach[weight->joint] =
                fmax(to.reach[weight->joint], (double)md5_vec3_length(weight->offset));
        }
    bool is_added = true;
    for (size_t i = 0; i < gltf_count(rig->file, "animations") && is_added; i++)
        is_added = read_clip(&to, i);
    is_added = is_added && add_rest(&to) && accept_loss(&to);
    free(to.worst.clip);
    free(to.memory.parts);
    free(to.memory.locals);
    free(to.memory.pose);
    free(to.memory.worlds);
    free(to.shown);
    free(to.reach);
    return is_added;
}

#endif
