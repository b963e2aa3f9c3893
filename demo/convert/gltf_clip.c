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

typedef enum keys_kind { KEYS_LINEAR, KEYS_STEP, KEYS_CUBIC } keys_kind;

typedef struct key_track { // a channel with its sampler
    keys_kind kind;
    size_t num_keys, width; // numbers of a value
    const float *times;     // [num_keys] ascending
    const float *values;    // [num_keys][width]; of KEYS_CUBIC three of them a key
} key_track;

typedef enum track_path { PATH_TRANSLATION, PATH_ROTATION, PATH_SCALE, NUM_PATHS } track_path;

static const struct path {
    const char *name;
    gltf_shape shape;
    size_t width;
} paths[] = {{"translation", GLTF_VEC3, 3}, {"rotation", GLTF_VEC4, 4}, {"scale", GLTF_VEC3, 3}};

typedef struct morph { // a channel of weights
    key_track keys;
    uint32_t node;
} morph;

typedef struct sampled_clip {
    const gltf_meshes *meshes;
    char *name;
    key_track *tracks; // [num_joints][NUM_PATHS] without keys: the rest pose
    morph *morphs;
    size_t num_morphs, num_frames;
    double rate;
    bool is_exact;  // all keys lie on frames
    float *numbers; // [num_frames][num_joints][6]
} sampled_clip;

// What was found in the keys of a clip.
typedef struct survey {
    double first, last; // times
    size_t num_keys, num_jumps;
    bool has_curves, has_scale;
} survey;

// A key's time; on its frame if all keys are.
static double key_time(const sampled_clip *clip, const key_track *track, size_t key)
{
    const double time = (double)track->times[key];
    return clip->is_exact ? floor(time * clip->rate + 0.5) / clip->rate : time;
}

// The slerp of the standard, on the shorter way.
static void slerp(const double a[4], const double b[4], double s, double out[4])
{
    double dot = 0.0;
    for (int i = 0; i < 4; i++)
        dot += a[i] * b[i];
    const double sign = dot < 0.0 ? -1.0 : 1.0, angle = acos(fmin(1.0, fabs(dot)));
    const double whole = sin(angle);
    const double p = angle > 1e-6 ? sin((1.0 - s) * angle) / whole : 1.0 - s;
    const double q = (angle > 1e-6 ? sin(s * angle) / whole : s) * sign;
    for (int i = 0; i < 4; i++)
        out[i] = p * a[i] + q * b[i];
}

static void normalize(double q[4])
{
    const convert_quat unit = convert_unit((convert_quat){q[0], q[1], q[2], q[3]});
    q[0] = unit.x;
    q[1] = unit.y;
    q[2] = unit.z;
    q[3] = unit.w;
}

// The value at a time: `width` numbers from `first` on, which are a rotation or each for itself.
static void sample(const sampled_clip *clip, const key_track *track, double time, size_t first,
                   size_t width, bool is_rotation, double *value)
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
    const size_t row = (is_cubic ? 3 : 1) * track->width;
    const float *const a = track->values + low * row + first,
                       *b = track->values + next * row + first;
    double p[4] = {0}, q[4] = {0};
    for (size_t i = 0; i < width; i++) {
        p[i] = (double)a[is_cubic ? track->width + i : i];
        q[i] = (double)b[is_cubic ? track->width + i : i];
    }
    if (is_rotation && !is_cubic) {
        normalize(p);
        normalize(q);
    }
    if (track->kind == KEYS_STEP || next == low || time <= from) {
        memcpy(value, p, width * sizeof *value);
    } else if (is_cubic) {
        const double ss = s * s, sss = ss * s;
        for (size_t i = 0; i < width; i++)
            value[i] = (2.0 * sss - 3.0 * ss + 1.0) * p[i] + (3.0 * ss - 2.0 * sss) * q[i]
                       + step * (sss - 2.0 * ss + s) * (double)a[2 * track->width + i]
                       + step * (sss - ss) * (double)b[i];
    } else if (is_rotation) {
        slerp(p, q, s, value);
    } else {
        for (size_t i = 0; i < width; i++)
            value[i] = p[i] + s * (q[i] - p[i]);
    }
    if (is_rotation)
        normalize(value);
}

// -- Reading --------------------------------------------------------------------------------------

// Keys are checked here, so that sampling may trust them: as many values as times, which ascend.
static bool read_track(gltf_file *file, const char *where, const json_t *sampler, gltf_shape shape,
                       size_t width, key_track *track)
{
    const char *const kind = gltf_text(sampler, "interpolation");
    uint32_t input = MD5_NONE, output = MD5_NONE;
    if (!gltf_get_index(file, where, sampler, "input", "accessors", &input)
        || !gltf_get_index(file, where, sampler, "output", "accessors", &output))
        return false;
    if (input == MD5_NONE || output == MD5_NONE)
        return gltf_fail(file, "%s: its sampler has no input or no output", where);
    if (kind != NULL && strcmp(kind, "LINEAR") != 0 && strcmp(kind, "STEP") != 0
        && strcmp(kind, "CUBICSPLINE") != 0)
        return gltf_fail(file, "%s: unknown interpolation %.40s", where, kind);
    track->kind = kind == NULL || kind[0] == 'L' ? KEYS_LINEAR
                  : kind[0] == 'S'               ? KEYS_STEP
                                                 : KEYS_CUBIC;
    track->width = width;
    track->num_keys = file->accessors[input].count;
    track->times = gltf_read(file, input, GLTF_SCALAR);
    track->values = track->times ? gltf_read(file, output, shape) : NULL;
    if (track->values == NULL || !gltf_spend(file, track->num_keys))
        return false;
    const size_t rows = (track->kind == KEYS_CUBIC ? 3 : 1) * track->num_keys;
    const size_t per_row = shape == GLTF_SCALAR ? width : 1;
    if (file->accessors[output].count / per_row < rows)
        return gltf_fail(file, "%s: %zu keys, but accessors/%u has %zu elements", where,
                         track->num_keys, output, file->accessors[output].count);
    for (size_t k = 0; k < track->num_keys; k++)
        if (!(track->times[k] >= 0.0f) || (k > 0 && !(track->times[k] > track->times[k - 1])))
            return gltf_fail(file, "accessors/%u: key %zu is not later than that before it", input,
                             k);
    return true;
}

// Reads one channel; counts those that nothing can be made of.
static bool read_channel(sampled_clip *clip, const char *where, const json_t *animation,
                         const json_t *channel, size_t *num_left)
{
    const gltf_rig *const rig = clip->meshes->rig;
    gltf_file *const file = rig->file;
    const json_t *const target = json_object_get(channel, "target");
    const char *const name = gltf_text(target, "path");
    const json_t *const samplers = json_object_get(animation, "samplers");
    uint32_t node = MD5_NONE;
    size_t sampler = 0;
    key_track track = {.num_keys = 0};
    if (!gltf_get_index(file, where, target, "node", "nodes", &node)
        || !gltf_get_size(file, where, channel, "sampler", SIZE_MAX, &sampler))
        return false;
    if (sampler >= json_array_size(samplers))
        return gltf_fail(file, "%s: sampler is %zu, but the animation has %zu", where, sampler,
                         json_array_size(samplers));
    const json_t *const keys = json_array_get(samplers, sampler);
    const uint32_t mesh = node == MD5_NONE ? MD5_NONE : rig->nodes[node].mesh;
    if (name != NULL && mesh != MD5_NONE && strcmp(name, "weights") == 0) {
        size_t count = 0, num_targets = 0;
        const json_t *const primitives =
            gltf_array(gltf_item(file, "meshes", mesh), "primitives", &count);
        (void)gltf_array(json_array_get(primitives, 0), "targets", &num_targets);
        if (num_targets == 0)
            return gltf_fail(file, "%s: the mesh of nodes/%u has no morph targets", where, node);
        if (!read_track(file, where, keys, GLTF_SCALAR, num_targets, &track))
            return false;
        clip->morphs = common_grow(clip->morphs, clip->num_morphs, sizeof *clip->morphs);
        clip->morphs[clip->num_morphs++] = (morph){track, node};
        return true;
    }
    int path = 0;
    while (path < NUM_PATHS && (name == NULL || strcmp(name, paths[path].name) != 0))
        path++;
    const uint32_t joint = node == MD5_NONE ? MD5_NONE : rig->nodes[node].joint;
    if (path == NUM_PATHS || joint == MD5_NONE || rig->nodes[node].is_matrix) {
        ++*num_left;
        return true;
    }
    return read_track(file, where, keys, paths[path].shape, paths[path].width,
                      &clip->tracks[joint * NUM_PATHS + (size_t)path]);
}

// Adds what matters of a track to what is known of its clip.
static void survey_track(survey *found, const key_track *track)
{
    if (track->num_keys == 0)
        return;
    found->first = fmin(found->first, (double)track->times[0]);
    found->last = fmax(found->last, (double)track->times[track->num_keys - 1]);
    found->num_keys += track->num_keys;
    found->has_curves |= track->kind == KEYS_CUBIC && track->num_keys > 1;
    for (size_t k = 1; k < track->num_keys && track->kind == KEYS_STEP; k++)
        found->num_jumps +=
            memcmp(track->values + k * track->width, track->values + (k - 1) * track->width,
                   track->width * sizeof *track->values)
            != 0;
}

static bool is_on_frames(const key_track *track, double rate)
{
    for (size_t k = 0; k < track->num_keys; k++) {
        const double frame = (double)track->times[k] * rate;
        if (!(fabs(frame - floor(frame + 0.5)) < 1e-4 * rate))
            return false;
    }
    return true;
}

static bool are_on_frames(const sampled_clip *clip, double rate)
{
    for (size_t i = 0; i < clip->meshes->rig->num_joints * NUM_PATHS; i++)
        if (!is_on_frames(&clip->tracks[i], rate))
            return false;
    for (size_t i = 0; i < clip->num_morphs; i++)
        if (!is_on_frames(&clip->morphs[i].keys, rate))
            return false;
    return true;
}

// The first rate of all that has keys on frames only; else 60.
static void choose_rate(sampled_clip *clip, const json_t *animation)
{
    static const double usual[] = {24, 25, 30, 50, 60, 120};
    const gltf_file *const file = clip->meshes->rig->file;
    const double stored = gltf_number(gltf_extras(animation), "frameRate", 0.0);
    clip->rate = file->job->rate;
    if (clip->rate > 0.0) {
        clip->is_exact = are_on_frames(clip, clip->rate);
        return;
    }
    clip->rate = stored;
    clip->is_exact = stored >= 0.01 && stored <= 1e4 && are_on_frames(clip, stored);
    for (size_t i = 0; i < sizeof usual / sizeof usual[0] && !clip->is_exact; i++) {
        clip->rate = usual[i];
        clip->is_exact = are_on_frames(clip, clip->rate);
    }
    if (!clip->is_exact)
        clip->rate = 60.0;
}

// -- Sampling -------------------------------------------------------------------------------------

typedef struct pose_memory { // of a rig
    gltf_local *rest, *locals;
    convert_xform *pose;
    gltf_affine *worlds;
} pose_memory;

// Evaluates all tracks at a time, and the joints' hierarchy.
static void pose_at(const sampled_clip *clip, pose_memory *memory, double time)
{
    const gltf_rig *const rig = clip->meshes->rig;
    for (size_t j = 0; j < rig->num_joints; j++) {
        const key_track *const tracks = clip->tracks + j * NUM_PATHS;
        const gltf_joint *const joint = &rig->joints[j];
        memory->locals[j] = memory->rest[j];
        if (joint->node == MD5_NONE
            || tracks[0].num_keys + tracks[1].num_keys + tracks[2].num_keys == 0)
            continue;
        const gltf_node *const node = &rig->nodes[joint->node];
        double values[NUM_PATHS][4];
        memcpy(values[PATH_TRANSLATION], node->translation, sizeof node->translation);
        memcpy(values[PATH_ROTATION], node->rotation, sizeof node->rotation);
        memcpy(values[PATH_SCALE], node->scale, sizeof node->scale);
        for (int path = 0; path < NUM_PATHS; path++)
            if (tracks[path].num_keys > 0)
                sample(clip, &tracks[path], time, 0, paths[path].width, path == PATH_ROTATION,
                       values[path]);
        memory->locals[j] =
            gltf_local_of(values[PATH_TRANSLATION], values[PATH_ROTATION], values[PATH_SCALE]);
    }
    gltf_pose(rig, memory->locals, memory->pose, memory->worlds);
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
                double q[4];
                slerp((const double[]){a.rotation.x, a.rotation.y, a.rotation.z, a.rotation.w},
                      (const double[]){b.rotation.x, b.rotation.y, b.rotation.z, b.rotation.w}, s,
                      q);
                const convert_xform local = {{q[0], q[1], q[2], q[3]},
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
    for (size_t i = 0; i < clip->num_frames * row; i++)
        if (is_moved[i % row])
            *kept++ = clip->numbers[i];
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
    for (size_t i = 0; i < clip->num_morphs; i++) {
        const key_track *const keys = &clip->morphs[i].keys;
        if (!gltf_spend(file, keys->width * (clip->num_frames + scene->num_weights + keys->width)))
            return false;
        for (size_t k = 0; k < keys->width; k++) {
            char *const target = gltf_target_name(clip->meshes->rig, clip->morphs[i].node, k);
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
                sample(clip, keys, (double)f / clip->rate, k, 1, false, &value);
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

// Says what was chosen and what is lost.
static void note_clip(const sampled_clip *clip, const survey *found, size_t num_left)
{
    const convert_job *const job = clip->meshes->rig->file->job;
    if (found->first > 0.0)
        convert_note(job,
                     "clip %s: the keys begin at %g s; the pose before them stays, as players "
                     "show it",
                     clip->name, found->first);
    if (found->num_jumps > 0)
        convert_note(job, "clip %s: %zu steps between keys become slides of one frame", clip->name,
                     found->num_jumps);
    if (num_left > 0)
        convert_note(job, "clip %s: %zu channels that move no joint are left out", clip->name,
                     num_left);
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

// Samples a clip whose tracks and rate are set, and adds it.
static bool add_clip(clip_maker *to, sampled_clip *clip, const survey *found)
{
    // Enough for minutes of any skeleton; more in large files.
    const double free_samples = 1 << 20, samples_in_byte = 64.0, most_samples = 1 << 26;
    const gltf_rig *const rig = to->meshes->rig;
    gltf_file *const file = rig->file;
    const double num_frames = floor(found->last * clip->rate + 0.5) + 1.0;
    const double most = fmin(most_samples, free_samples + samples_in_byte * (double)file->size);
    if (!(num_frames * (double)rig->num_joints + (double)to->num_samples <= most))
        return gltf_fail(file,
                         "clip %s: %.0f frames of %zu joints are too many: --rate takes fewer",
                         clip->name, num_frames, rig->num_joints);
    clip->num_frames = (size_t)num_frames;
    to->num_samples += clip->num_frames * rig->num_joints;
    clip->numbers = common_alloc(clip->num_frames * rig->num_joints * 6, sizeof *clip->numbers);
    sample_frames(clip, &to->memory, &to->worst);
    if (!clip->is_exact || found->has_curves)
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
    sampled_clip clip = {.meshes = to->meshes};
    survey found = {.first = HUGE_VAL};
    size_t num_channels = 0, num_left = 0;
    const json_t *const channels = gltf_array(animation, "channels", &num_channels);
    if (!gltf_spend(file, rig->num_joints * NUM_PATHS))
        return false;
    clip.tracks = common_alloc(rig->num_joints * NUM_PATHS, sizeof *clip.tracks);
    clip.name = gltf_file_name(gltf_text(animation, "name"));
    if (clip.name == NULL)
        clip.name = common_format("clip_%zu", index + 1);
    bool is_read = true;
    for (size_t i = 0; i < num_channels && is_read; i++) {
        char where[64];
        (void)snprintf(where, sizeof where, "animations/%zu/channels/%zu", index, i);
        is_read = read_channel(&clip, where, animation, json_array_get(channels, i), &num_left);
    }
    for (size_t i = 0; i < rig->num_joints * NUM_PATHS && is_read; i++)
        survey_track(&found, &clip.tracks[i]);
    for (size_t i = 0; i < clip.num_morphs && is_read; i++)
        survey_track(&found, &clip.morphs[i].keys);
    if (is_read && found.num_keys > 0) {
        choose_rate(&clip, animation);
        note_clip(&clip, &found, num_left);
        is_read = add_clip(to, &clip, &found);
    } else if (is_read) {
        convert_note(file->job, "clip %s is left out: it moves no joint", clip.name);
    }
    free(clip.name);
    free(clip.tracks);
    free(clip.morphs);
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
    const survey found = {.last = 0.0};
    clip.tracks = common_alloc(rig->num_joints * NUM_PATHS, sizeof *clip.tracks);
    convert_note(rig->file->job,
                 "the nodes rest up to %.4g units from where they were bound: clip %s", moved,
                 clip.name);
    const bool is_added = add_clip(to, &clip, &found);
    free(clip.name);
    free(clip.tracks);
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
    to.memory = (pose_memory){common_alloc(num_joints, sizeof(gltf_local)),
                              common_alloc(num_joints, sizeof(gltf_local)),
                              common_alloc(num_joints, sizeof(convert_xform)),
                              common_alloc(num_joints, sizeof(gltf_affine))};
    to.shown = common_alloc(num_joints, sizeof *to.shown);
    to.reach = common_alloc(num_joints, sizeof *to.reach);
    for (size_t j = 0; j < num_joints; j++)
        to.memory.rest[j] = gltf_rest_local(rig, (uint32_t)j);
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
    free(to.memory.rest);
    free(to.memory.locals);
    free(to.memory.pose);
    free(to.memory.worlds);
    free(to.shown);
    free(to.reach);
    return is_added;
}

#endif
