// Samples the animations of libassimp's scene and adds them to the glTF file. Reports motion that
// the samples do not reproduce.
#include "demo/convert/assimp_import.h"

#if defined(HAS_ASSIMP) && defined(HAS_JANSSON)

enum { TRANSFORM_WIDTH = 3 + 4 + 3 }; // numbers of a translation, a rotation and a scale

// Returns the distance of two keys, each of which has `width` numbers. Four numbers are a
// quaternion q, and -q is the same rotation.
static double key_distance(const float *a, const float *b, size_t width)
{
    double difference = 0;
    double sum = 0;
    for (size_t i = 0; i < width; i++) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        sum += (a[i] + b[i]) * (a[i] + b[i]);
    }
    const bool is_rotation = width == 4;
    return sqrt(is_rotation ? fmin(difference, sum) : difference);
}

// Returns the largest change between adjacent keys that are more than `min_gap` ticks apart. The
// change is the distance of the two values, each of which has `width` numbers. A key has `stride`
// bytes: the time as a double, then the value.
static double widest_gap(const void *keys, size_t stride, unsigned count, size_t width,
                         double min_gap)
{
    const char *const bytes = keys;
    double max_change = 0;
    for (unsigned k = 1; k < count; k++) {
        const double gap =
            assimp_get_key_time(keys, stride, k) - assimp_get_key_time(keys, stride, k - 1);
        if (!(gap > min_gap))
            continue;
        float before[4];
        float after[4];
        memcpy(before, bytes + (k - 1) * stride + sizeof(double), width * sizeof *before);
        memcpy(after, bytes + k * stride + sizeof(double), width * sizeof *after);
        max_change = fmax(max_change, key_distance(before, after, width));
    }

    return max_change;
}

// Returns the name of a clip of a Collada file. libassimp begins the names of all clips with the
// name of the first one, such as "walk_walk" and "walk_run".
static const char *get_collada_name(const struct aiScene *scene, const char *name)
{
    const char *const first = scene->mAnimations[0]->mName.data;
    // The name has this length, and so has the prefix without the '_'.
    const size_t length = strlen(first) / 2;
    const bool has_prefix = first[length] == '_' && strncmp(first, first + length + 1, length) == 0;
    if (has_prefix && strncmp(name, first, length + 1) == 0)
        return name + length + 1;
    return name;
}

// Returns the name of a clip. Exporters write clips as "Armature|name", so the text up to the bar
// is removed. The name of the file replaces names that do not describe a clip. Mixamo uses one name
// for all clips. "Take 001" is the default of several programs, and libassimp names clips of
// Collada files without names "animation". These two names are replaced only if another file was
// read before.
static const char *select_clip_name(const assimp_importer *importer, const struct aiAnimation *clip,
                                    const assimp_order *job)
{
    const char *const bar = strrchr(clip->mName.data, '|');
    const char *name = bar ? bar + 1 : clip->mName.data;
    if (common_has_suffix(importer->path, ".dae"))
        name = get_collada_name(importer->scene, name);
    static const char *const defaults[] = {"Take 001", "animation"};
    bool is_default = false;
    for (size_t i = 0; i < COMMON_LENGTH(defaults); i++)
        is_default |= job->is_another && strcmp(name, defaults[i]) == 0;
    if (name[0] == '\0' || strcmp(name, "mixamo.com") == 0 || is_default)
        return common_stem(job->input->path);
    return name;
}

// Adds the times of keys to a search for their frame rate. See assimp_get_key_time() for the
// arguments.
static void add_key_times(plain_rate_search *search, const void *keys, size_t stride,
                          unsigned count, double ticks)
{
    for (unsigned k = 0; k < count; k++)
        plain_add_key_time(search, assimp_get_key_time(keys, stride, k) / ticks);
}

// Returns the frame rate of a clip in Hz. It is the rate of the job, if it is set. Otherwise it is
// the number of ticks per second, if this is a plausible frame rate, or else a rate at which all
// keys are at frames.
static double select_rate(const assimp_order *job, const struct aiAnimation *clip, double ticks)
{
    if (job->rate > 0)
        return job->rate;
    if (ticks >= 10 && ticks <= 240)
        return ticks;
    plain_rate_search search = {{false}};
    for (unsigned c = 0; c < clip->mNumChannels; c++) {
        const struct aiNodeAnim *const keys = clip->mChannels[c];
        add_key_times(&search, keys->mPositionKeys, sizeof *keys->mPositionKeys,
                      keys->mNumPositionKeys, ticks);
        add_key_times(&search, keys->mRotationKeys, sizeof *keys->mRotationKeys,
                      keys->mNumRotationKeys, ticks);
        add_key_times(&search, keys->mScalingKeys, sizeof *keys->mScalingKeys,
                      keys->mNumScalingKeys, ticks);
    }
    return plain_find_rate(&search);
}

// Returns true if the curves of the selected clip can be evaluated for a node.
static bool can_evaluate_curves(const assimp_importer *importer, const assimp_node *node)
{
    return node->model != SIZE_MAX && node->has_same_rest
           && fbx_is_supported(importer->curves, node->model);
}

// Reports models whose motion in a clip is wrong. libassimp does not blend layers, and the
// converter cannot evaluate the curves of these models itself.
static void note_unblended_models(assimp_importer *importer, const char *clip)
{
    const size_t num_models = fbx_num_models(importer->curves);
    bool *const is_evaluated = common_alloc(num_models, sizeof *is_evaluated);
    for (int i = 0; i < importer->num_nodes; i++) {
        if (importer->nodes[i].has_curves)
            is_evaluated[importer->nodes[i].model] = true;
    }

    for (size_t i = 0; i < num_models; i++) {
        const char *const layer = fbx_blended_layer(importer->curves, i);
        if (layer && !is_evaluated[i])
            assimp_add_line(
                importer,
                ASSIMP_LOSS
                "clip '%s': animation layer '%s' of node '%s' cannot be blended with the "
                "layers below it; merge the layers before you export the file",
                clip, layer, fbx_model_name(importer->curves, i));
    }
    free(is_evaluated);
}

// Reports animation layers that are missing in a clip. libassimp does not blend layers. The motion
// of a model with several layers is therefore correct only if the converter evaluates its curves
// itself. `has_curves` is true if the FBX file contains the curves of the clip.
static void note_layers(assimp_importer *importer, const char *clip, bool has_curves)
{
    if (!importer->curves)
        return;
    if (!has_curves) {
        if (fbx_has_blended_layers(importer->curves))
            assimp_add_line(
                importer,
                ASSIMP_LOSS
                "clip '%s': animation layers cannot be blended, because the name of the "
                "clip is not unique or the file is too complex; merge the layers before "
                "you export the file",
                clip);
        return;
    }

    const char *const skipped_layer = fbx_skipped_layer(importer->curves);
    if (skipped_layer)
        assimp_add_line(importer,
                        ASSIMP_NOTE
                        "clip '%s': skipped animation layer '%s': it is muted, or another layer is "
                        "solo",
                        clip, skipped_layer);
    note_unblended_models(importer, clip);
}

// Marks the pivots of nodes whose curves are evaluated: the result of fbx_evaluate() already
// contains the transforms of the pivots.
static void mark_replaced_pivots(assimp_importer *importer)
{
    for (int i = 0; i < importer->num_nodes; i++) {
        const assimp_node *const node = &importer->nodes[i];
        if (!node->has_curves)
            continue;
        for (int k = node->parent; k != node->above; k = importer->nodes[k].parent)
            importer->nodes[k].is_replaced = true;
    }
}

// Returns the distance of a node from its nearest ancestor that is not a pivot, in the rest pose.
static double bone_length(const assimp_node *node)
{
    const struct aiMatrix4x4 rest = node->rest;
    return (double)sqrtf(rest.a4 * rest.a4 + rest.b4 * rest.b4 + rest.c4 * rest.c4);
}

// Resets the state of a node at the beginning of a clip. `has_curves` is true if the FBX file
// contains the curves of the clip.
static void reset_node(const assimp_importer *importer, assimp_node *node, bool has_curves)
{
    node->has_curves = has_curves && can_evaluate_curves(importer, node);
    node->is_moved |= node->has_curves && fbx_is_animated(importer->curves, node->model);
    // In a file with bones, a node that is not a joint gets no channels while it stays in its rest
    // pose. All other animated nodes always get channels.
    node->is_still = importer->has_bones && !node->is_joint;
    node->is_changing = false;
    node->is_replaced = false;
    node->channel = NULL;
}

// Begins a clip: resets the states of all nodes and sets their channels. *num_moved receives the
// number of animated nodes. *reach receives the largest distance of a joint from its parent.
static void begin_clip(assimp_importer *importer, const struct aiAnimation *clip, size_t *num_moved,
                       double *reach)
{
    *num_moved = 0;
    *reach = 0;
    const bool has_curves = importer->curves && fbx_select_clip(importer->curves, clip->mName.data);
    for (int i = 0; i < importer->num_nodes; i++) {
        assimp_node *const node = &importer->nodes[i];
        reset_node(importer, node, has_curves);
        if (node->is_moved)
            (*num_moved)++;
        if (!importer->has_bones || node->is_joint)
            *reach = fmax(*reach, bone_length(node));
    }

    for (uint32_t c = 0; c < clip->mNumChannels; c++) {
        const int found = assimp_find_node(importer, &clip->mChannels[c]->mNodeName);
        if (found != ASSIMP_NONE)
            importer->nodes[found].channel = clip->mChannels[c];
    }
    mark_replaced_pivots(importer);
    note_layers(importer, clip->mName.data, has_curves);
}

// Stores the transforms of all animated nodes in a frame. values[] contains an array for each
// animated node. The array consists of the translations of all frames (3 numbers each), the
// rotations (4), and the scales (3).
static void sample_nodes(assimp_importer *importer, size_t frame, size_t num_frames, float *values)
{
    float *node_values = values;
    for (int i = 0; i < importer->num_nodes; i++) {
        assimp_node *const node = &importer->nodes[i];
        if (!node->is_moved)
            continue;
        if (frame == 0)
            node->first = node->local;
        node->is_still &= aiMatrix4AreEqualEpsilon(&node->local, &node->rest, 1e-4f) != 0;
        node->is_changing |= !aiMatrix4AreEqualEpsilon(&node->local, &node->first, 1e-3f);

        float *const translations = node_values;
        float *const rotations = translations + 3 * num_frames;
        float *const scales = rotations + 4 * num_frames;
        assimp_split(&node->local, translations + 3 * frame, rotations + 4 * frame,
                     scales + 3 * frame);
        node_values += num_frames * TRANSFORM_WIDTH;
    }
}

// Adds the glTF channels of a node: translation, rotation and scale. `values` are the samples of
// the node; see sample_nodes().
static void add_node_channels(assimp_importer *importer, json_t *item, size_t node,
                              const float *times, size_t num_frames, const float *values)
{
    static const struct part {
        const char *path;
        size_t columns;
    } parts[] = {{"translation", 3}, {"rotation", 4}, {"scale", 3}};
    const float *part_values = values;
    for (size_t k = 0; k < COMMON_LENGTH(parts); k++) {
        const gltf_channel channel = {.node = node,
                                      .path = parts[k].path,
                                      .times = times,
                                      .values = part_values,
                                      .num_keys = num_frames,
                                      .num_values = num_frames,
                                      .columns = parts[k].columns};
        gltf_add_channel(&importer->file, item, &channel);
        part_values += num_frames * parts[k].columns;
    }
}

// Adds the channels of all animated nodes that differ from the rest pose in the clip. `values` are
// the samples of all animated nodes.
static void add_channels(assimp_importer *importer, json_t *item, const float *times,
                         size_t num_frames, const float *values)
{
    const float *node_values = values;
    for (size_t i = 0; i < (size_t)importer->num_nodes; i++) {
        const assimp_node *const node = &importer->nodes[i];
        if (!node->is_moved)
            continue;
        if (!node->is_pivot && !node->is_still)
            add_node_channels(importer, item, i, times, num_frames, node_values);
        node_values += num_frames * TRANSFORM_WIDTH;
    }
}

// Returns true if the motion of a node can move a vertex. In a file with bones, only bones, their
// ancestors and their descendants can; the motion of a camera cannot.
static bool can_move_vertices(const assimp_importer *importer, const assimp_node *node)
{
    return !importer->has_bones || node->is_joint || node->is_above_bone;
}

// The largest changes of a node between adjacent keys that are more than a frame apart.
typedef struct key_changes {
    double rotation; // distance of two quaternions, which is about half of the angle in radians
    double movement; // units
} key_changes;

// Returns the changes of a node between keys that are more than `min_gap` ticks apart.
static key_changes measure_gaps(const struct aiNodeAnim *keys, double min_gap)
{
    return (key_changes){.rotation = widest_gap(keys->mRotationKeys, sizeof *keys->mRotationKeys,
                                                keys->mNumRotationKeys, 4, min_gap),
                         .movement = widest_gap(keys->mPositionKeys, sizeof *keys->mPositionKeys,
                                                keys->mNumPositionKeys, 3, min_gap)};
}

// Returns true if note_sparse_keys() must consider the keys of a node. The node must move vertices,
// and its keys must not be replaced by evaluated curves.
static bool has_used_keys(const assimp_importer *importer, const assimp_node *node)
{
    if (!node->channel || !node->is_changing || !can_move_vertices(importer, node))
        return false;
    return !node->has_curves && !node->is_replaced;
}

// Reports keys of an FBX file that are more than a frame apart. Curves may connect such keys, but
// libassimp connects them by straight lines. A curve deviates from a line by about a tenth of the
// change, so large changes matter.
//
// libassimp also connects rotations by the shortest rotation, but FBX interpolates several angles.
// Between two keys that differ by 25 degrees, the two positions of a point differ by up to about
// 1 % of its distance from the joint.
//
// If the changes are large, this is a loss; otherwise it is a note.
// `ticks_per_frame` is for the lower of the two rates of the file and of the clip.
static void note_sparse_keys(assimp_importer *importer, const struct aiAnimation *clip,
                             const char *name, double ticks_per_frame, double reach,
                             const assimp_fbx_info *info)
{
    // Smaller changes are not reported. Movements are fractions of `reach`, the length of the
    // longest bone. Changes above the limits "bent" are a loss if the file has curves. Rotations
    // above `min_angles_rotation` are always a loss.
    const double min_rotation = 0.004;
    const double min_movement = 0.004;
    const double min_bent_rotation = 0.087;   // half of 10 degrees, radians
    const double min_angles_rotation = 0.218; // half of 25 degrees, radians
    const double min_bent_movement = 0.1;
    const double min_gap = 1.5 * ticks_per_frame;
    size_t num_sparse = 0;
    const char *sparse_node = "";
    size_t num_bent = 0;
    size_t num_wide = 0;

    for (int i = 0; i < importer->num_nodes; i++) {
        const assimp_node *const node = &importer->nodes[i];
        if (!has_used_keys(importer, node))
            continue;
        const key_changes changes = measure_gaps(node->channel, min_gap);
        if (changes.rotation > min_rotation || changes.movement > min_movement * reach) {
            num_sparse++;
            sparse_node = assimp_node_name(importer, node);
        }
        if (changes.rotation > min_bent_rotation || changes.movement > min_bent_movement * reach)
            num_bent++;
        num_wide += changes.rotation > min_angles_rotation;
    }

    if (num_sparse == 0)
        return;
    const bool has_bent_curves = info->has[ASSIMP_CURVES] && num_bent > 0;
    assimp_add_line(
        importer,
        "%cclip '%s': %zu of %u animated nodes, such as '%s', have keys more than one frame "
        "apart; between these keys, curves are read as straight lines and rotations around "
        "several axes as one rotation; bake the animation when you export it",
        has_bent_curves || num_wide > 0 ? ASSIMP_LOSS[0] : ASSIMP_NOTE[0], name, num_sparse,
        clip->mNumChannels, sparse_node);
}

// Returns true if a key of a morph target has a weight other than 0.
static bool has_weight(const struct aiMeshMorphKey *key)
{
    for (uint32_t w = 0; w < key->mNumValuesAndWeights; w++) {
        if (key->mWeights[w] != 0)
            return true;
    }
    return false;
}

// Returns true if a clip moves a morph target.
static bool has_morph_weights(const struct aiAnimation *clip)
{
    for (uint32_t c = 0; c < clip->mNumMorphMeshChannels; c++) {
        const struct aiMeshMorphAnim *const keys = clip->mMorphMeshChannels[c];
        for (uint32_t k = 0; k < keys->mNumKeys; k++) {
            if (has_weight(&keys->mKeys[k]))
                return true;
        }
    }
    return false;
}

// A clip while it is sampled.
typedef struct clip_sampler {
    const char *name;
    double ticks; // libassimp's time units per second
    double rate;  // frames per second
    size_t num_frames;
    size_t num_moved; // nodes that the clip animates
    double reach;     // size of the model, for note_sparse_keys()
} clip_sampler;

// Charges the cost of sampling a clip to the budget. Returns false after an error.
static bool charge_clip(assimp_importer *importer, const clip_sampler *clip)
{
    const uint64_t cost_per_node = importer->curves ? 40 : 4;
    const uint64_t num_blended = importer->curves ? fbx_num_blended(importer->curves) : 0;
    const uint64_t cost_per_frame = cost_per_node * ((uint64_t)importer->num_nodes + num_blended)
                                    + TRANSFORM_WIDTH * (uint64_t)clip->num_moved;
    const uint64_t node_size = clip->num_frames * (uint64_t)TRANSFORM_WIDTH;
    return assimp_charge(importer, clip->num_frames * cost_per_frame)
           && assimp_charge_bytes(importer, clip->num_moved * node_size, sizeof(float));
}

// Returns false and adds a line if the samples of a clip contain an invalid number. `values` are
// the samples of all animated nodes.
static bool check_samples(assimp_importer *importer, const clip_sampler *clip, const float *values)
{
    const size_t num_values = clip->num_moved * clip->num_frames * TRANSFORM_WIDTH;
    const size_t invalid = assimp_find_invalid(values, num_values);
    if (invalid == num_values)
        return true;

    size_t num_before = invalid / (clip->num_frames * TRANSFORM_WIDTH); // animated nodes
    int node = 0;
    while (!importer->nodes[node].is_moved || num_before-- > 0)
        node++;
    assimp_add_line(importer,
                    ASSIMP_PROBLEM
                    "clip '%s': the motion of node '%s' is out of range: " ASSIMP_EXPECTED_NUMBERS
                    ", found %g; " ASSIMP_REPAIR_ADVICE,
                    clip->name, assimp_node_name(importer, &importer->nodes[node]),
                    (double)values[invalid]);
    return false;
}

// Samples all frames of a clip and adds it as a glTF animation. Exporters write some clips twice,
// as "name" and as "Armature|name". A clip is therefore skipped if its name and samples equal the
// name and samples of an earlier clip. Returns false after an error.
static bool sample_clip(assimp_importer *importer, const clip_sampler *clip)
{
    const size_t num_values = clip->num_moved * clip->num_frames * TRANSFORM_WIDTH;
    float *const times = common_alloc(clip->num_frames, sizeof *times);
    float *const values = common_alloc(num_values, sizeof *values);
    for (size_t f = 0; f < clip->num_frames; f++) {
        const double time = (double)f / clip->rate;
        times[f] = (float)time;
        assimp_evaluate(importer, time, clip->ticks);
        sample_nodes(importer, f, clip->num_frames, values);
    }

    const bool is_valid = check_samples(importer, clip, values);
    const bool is_duplicate = gltf_find_or_add_bytes(&importer->file, GLTF_CLIP, clip->name, values,
                                                     num_values * sizeof *values, &(size_t){0});
    if (is_valid && !is_duplicate) {
        json_t *const item = gltf_add_animation(&importer->file, clip->name,
                                                json_pack("{s:f}", "frameRate", clip->rate));
        add_channels(importer, item, times, clip->num_frames, values);
    }
    free(values);
    free(times);
    return is_valid;
}

// Reports motions of a clip that are not converted: weights of morph targets, and the motion of a
// skinned mesh itself. Maya adds the latter to the motion of the bones. 3ds Max and the definition
// of FBX apply only the motion of the bones.
static void note_skipped_motion(assimp_importer *importer, const struct aiAnimation *source,
                                const char *name, int moved_skin)
{
    if (has_morph_weights(source))
        assimp_add_line(importer,
                        ASSIMP_LOSS "clip '%s' animates morph targets, which were skipped; export "
                                    "the model as glTF to keep them",
                        name);
    if (moved_skin != ASSIMP_NONE)
        assimp_add_line(
            importer,
            ASSIMP_LOSS
            "clip '%s' animates both the mesh '%s' and the bones of its skin; only the bones are "
            "used",
            name, assimp_node_name(importer, &importer->nodes[moved_skin]));
}

// Reports a clip whose first key is later than its first frame. The curves of FBX files replace the
// keys of libassimp, so their times do not matter.
static void note_late_keys(assimp_importer *importer, const struct aiAnimation *source,
                           const clip_sampler *clip)
{
    if (importer->curves)
        return;
    double first = HUGE_VAL;
    for (unsigned c = 0; c < source->mNumChannels; c++) {
        const struct aiNodeAnim *const keys = source->mChannels[c];
        if (keys->mNumPositionKeys > 0)
            first = fmin(first, keys->mPositionKeys[0].mTime);
        if (keys->mNumRotationKeys > 0)
            first = fmin(first, keys->mRotationKeys[0].mTime);
        if (keys->mNumScalingKeys > 0)
            first = fmin(first, keys->mScalingKeys[0].mTime);
    }
    const double seconds = first / clip->ticks;
    const double first_frame = floor(seconds * clip->rate + 0.5);
    if (first_frame >= 1 && first_frame < (double)clip->num_frames)
        assimp_add_line(
            importer,
            ASSIMP_NOTE
            "clip '%s': the first key is at %g s; the pose before it was extended to the "
            "start; use --range %.0f-%zu to convert only the frames with keys",
            clip->name, seconds, first_frame, clip->num_frames - 1);
}

// Returns the last node with a skinned mesh that changes in the current clip, or ASSIMP_NONE.
static int find_moved_skin(const assimp_importer *importer)
{
    for (int i = importer->num_nodes - 1; i >= 0; i--) {
        if (importer->nodes[i].is_skin && importer->nodes[i].is_changing)
            return i;
    }
    return ASSIMP_NONE;
}

bool assimp_add_clip(assimp_importer *importer, const struct aiAnimation *source,
                     const assimp_order *job, const assimp_fbx_info *info)
{
    const double default_ticks = 25;
    const double file_rate = source->mTicksPerSecond > 0 ? source->mTicksPerSecond : default_ticks;
    clip_sampler clip = {.name = select_clip_name(importer, source, job),
                         .rate = select_rate(job, source, file_rate),
                         .ticks = file_rate};
    if (importer->curves) // libassimp assumes the time unit of FBX 7
        clip.ticks /= fbx_time_factor(importer->curves);
    begin_clip(importer, source, &clip.num_moved, &clip.reach);

    const double seconds = source->mDuration / clip.ticks;
    if (!(seconds >= 0 && seconds <= (double)PLAIN_MAX_CLIP_SECONDS)) {
        assimp_add_line(
            importer,
            ASSIMP_PROBLEM
            "clip '%s' is too long: %g s; limit: %d s; shorten its time range when you export "
            "the file",
            clip.name, seconds, PLAIN_MAX_CLIP_SECONDS);
        return false;
    }
    clip.num_frames = (size_t)(floor(seconds * clip.rate + 0.5) + 1);
    if (!charge_clip(importer, &clip))
        return false;

    if (!sample_clip(importer, &clip))
        return false;
    note_late_keys(importer, source, &clip);
    const double ticks_per_frame = clip.ticks / fmin(clip.rate, file_rate);
    if (common_has_suffix(importer->path, ".fbx"))
        note_sparse_keys(importer, source, clip.name, ticks_per_frame, clip.reach, info);
    note_skipped_motion(importer, source, clip.name, find_moved_skin(importer));
    return true;
}

#endif
