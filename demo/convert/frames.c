// Builds MD5 files from a plain scene whose meshes contain the position of every vertex in every
// frame, instead of a skin.
//
// Frame 0 becomes the model, and each other frame becomes a morph target. A clip consists of
// consecutive frames that are in one group, or whose names have ascending numbers. In a clip, the
// weight of each target is 1 at the time of its frame and 0 at all other frames.
//
// Nodes become joints, but no joint moves a vertex relative to the others. rig.c, meshes.c and
// clips.c are made for skeletons, so they are not used here. A file without meshes, such as the
// hand of a Quake 3 weapon, contains only tags. It becomes clips without a model. The main
// structure is frame_builder.
#include "demo/convert/plain_scene.h"

// State of converting the frames of one file.
typedef struct frame_builder {
    plain_scene *plain;
    convert_scene *scene;
    md5_doc model;         // in the current frame
    convert_joint *joints; // [model.num_joints]
    md5_bounds *boxes;     // [num_frames]
    const char **targets;  // [num_frames] names of the morph targets
    uint32_t first;        // first frame of the current clip
} frame_builder;

// -- Joints ---------------------------------------------------------------------------------------

// Returns the bounding box of all joints. All tags are children of the joint `origin`, which does
// not move, so their translations are positions.
static md5_bounds find_joint_box(size_t num_joints, const convert_xform *local)
{
    md5_bounds box = {{0, 0, 0}, {0, 0, 0}}; // the joint origin
    for (size_t i = 0; i < num_joints; i++) {
        const convert_vec t = local[i].translation;
        const md5_vec3 position = {(float)t.x, (float)t.y, (float)t.z};
        box = md5_bounds_union(box, (md5_bounds){position, position});
    }
    return convert_extend_empty_box(box);
}

// Computes the pose of a frame. It is a callback for convert_motion.pose. Each track has one key
// per frame, so no interpolation is needed. Without meshes, the bounding box of the frame encloses
// the joints.
static void pose_frame(void *user, uint32_t frame, convert_xform *local)
{
    const frame_builder *const to = user;
    const plain_scene *const plain = to->plain;
    for (size_t i = 0; i < plain->num_nodes; i++) {
        const double *const t = plain->nodes[i].parts[PLAIN_TRANSLATION];
        const double *const r = plain->nodes[i].parts[PLAIN_ROTATION];
        local[i] = (convert_xform){{r[0], r[1], r[2], r[3]}, {t[0], t[1], t[2]}};
    }

    for (size_t i = 0; i < plain->num_animations; i++) {
        const plain_animation *const animation = &plain->animations[i];
        for (size_t k = 0; k < animation->num_tracks; k++) {
            const plain_track *const track = &animation->tracks[k];
            const float *const v = track->values + track->width * (to->first + frame);
            if (track->part == PLAIN_TRANSLATION)
                local[track->node].translation = (convert_vec){v[0], v[1], v[2]};
            else
                local[track->node].rotation = convert_unit((convert_quat){v[0], v[1], v[2], v[3]});
        }
    }

    if (plain->num_meshes == 0)
        to->boxes[to->first + frame] = find_joint_box(plain->num_nodes, local);
}

// Adds a joint for each node, in its transform of frame 0.
static void add_joints(frame_builder *to)
{
    const plain_scene *const plain = to->plain;
    const size_t count = plain->num_nodes;
    convert_xform *const placed = common_alloc(count, sizeof *placed);
    to->model.num_joints = (uint32_t)count;
    to->model.joints = common_alloc(count, sizeof *to->model.joints);
    to->joints = common_alloc(count, sizeof *to->joints);
    pose_frame(to, 0, placed);
    for (size_t i = 0; i < count; i++) {
        const plain_node *const node = &plain->nodes[i];
        if (node->parent != MD5_NONE)
            placed[i] = convert_mul(placed[node->parent], placed[i]);
        to->joints[i] = (convert_joint){.name = node->name, .parent = node->parent};
        to->model.joints[i] = convert_doc_joint(node->name, node->parent, placed[i]);
    }
    free(placed);
}

// -- Meshes ---------------------------------------------------------------------------------------

// Adds the mesh of a primitive on joint 0, without the positions of its vertices.
static void add_mesh(frame_builder *to, const plain_mesh *mesh)
{
    const plain_primitive *const in = mesh->primitives;
    const size_t count = in->num_vertices;
    md5_doc_mesh *const out = &to->model.meshes[to->model.num_meshes++];
    *out = (md5_doc_mesh){.name = mesh->md5_name,
                          .shader = mesh->shader,
                          .num_vertices = (uint32_t)count,
                          .num_triangles = (uint32_t)(in->num_indices / 3),
                          .num_weights = (uint32_t)count,
                          .vertices = common_alloc(count, sizeof *out->vertices),
                          .texcoords = common_alloc(count, sizeof *out->texcoords),
                          .indices = common_alloc(in->num_indices, sizeof *out->indices),
                          .weights = common_alloc(count, sizeof *out->weights)};

    for (size_t i = 0; i < count; i++) {
        out->vertices[i] = (md5_vertex){(uint32_t)i, 1};
        out->texcoords[i] = (md5_vec2){in->texcoords[2 * i], in->texcoords[2 * i + 1]};
    }

    for (size_t i = 0; i < in->num_indices; i += 3) { // MD5's front faces are clockwise
        out->indices[i] = in->indices[i];
        out->indices[i + 1] = in->indices[i + 2];
        out->indices[i + 2] = in->indices[i + 1];
    }
}

// Sets the positions of the model to the positions of a frame, and computes the bounding box of the
// frame. The box also contains frame 0, because engines without morph targets show this frame.
static void set_frame(frame_builder *to, size_t frame)
{
    md5_bounds *const box = &to->boxes[frame];
    bool has_point = frame > 0;
    *box = to->boxes[0];
    for (uint32_t m = 0; m < to->model.num_meshes; m++) {
        const plain_primitive *const in = to->plain->meshes[m].primitives;
        const float *position = in->frames + 3 * in->num_vertices * frame;
        for (size_t i = 0; i < in->num_vertices; i++, position += 3) {
            const md5_vec3 p = {position[0], position[1], position[2]};
            const md5_bounds point = {p, p};
            to->model.meshes[m].weights[i] = (md5_weight){.bias = 1, .offset = p};
            *box = has_point ? md5_bounds_union(*box, point) : point;
            has_point = true;
        }
    }
}

// Adds a frame to the scene: frame 0 as the model, other frames as morph targets. Adds the size of
// its text to *size.
static bool add_frame(frame_builder *to, size_t frame, size_t *size)
{
    const plain_scene *const plain = to->plain;
    const bool is_model = frame == 0;
    const convert_part_kind kind = is_model ? CONVERT_MODEL : CONVERT_TARGET;
    set_frame(to, frame);
    char *const name =
        is_model ? common_stem(plain->path) : convert_file_name(plain->frames[frame].name);
    const bool is_added =
        convert_add_doc(plain->job, to->scene, kind, name, &to->model, plain->error);
    free(name);
    if (!is_added)
        return false;
    const convert_part *const part = &to->scene->parts[to->scene->num_parts - 1];
    to->targets[frame] = part->name;
    *size += part->size;
    return true;
}

// -- Clips ----------------------------------------------------------------------------------------

// Returns the length of the text that the names of all frames of a clip begin with. `name` is the
// name of the first frame. If it ends with 0 or 1, this digit and the zeros before it are assumed
// to be the number of the frame: the text is stand for stand01, and pain1 for pain101. Otherwise
// all digits at the end are the number.
static size_t find_stem(const char *name)
{
    size_t end = strlen(name);
    const char last = end > 0 ? name[end - 1] : 'a';
    if (last == '0' || last == '1') {
        end--;
        while (end > 0 && name[end - 1] == '0')
            end--;
        return end;
    }
    while (end > 0 && isdigit((unsigned char)name[end - 1]))
        end--;
    return end;
}

// Returns true if a frame continues the clip of the previous frame. It must be in the same group,
// or its name must have a higher number.
static bool continues_clip(const plain_frame *frame, const char *first, size_t stem)
{
    if (frame->group > 0 || frame[-1].group > 0)
        return frame->group == frame[-1].group;
    if (strncmp(frame->name, first, stem) != 0)
        return false;
    const char *const number = frame->name + stem;
    const char *const before = frame[-1].name + stem;
    if (number[strspn(number, "0123456789")] != '\0')
        return false;
    if (before[0] == '\0')
        return number[0] == '\0';
    return strtoull(number, NULL, 10) > strtoull(before, NULL, 10);
}

// Returns the name of a clip: the first `length` bytes of the name of its first frame, without
// separators at the end. If nothing is left, returns the name of the file.
static char *get_clip_name(const plain_scene *plain, const char *frame_name, size_t length)
{
    while (length > 0 && strchr("_-. ", frame_name[length - 1]))
        length--;
    char *const title =
        length > 0 ? common_format("%.*s", (int)length, frame_name) : common_stem(plain->path);
    char *const name = convert_file_name(title);
    free(title);
    return name;
}

// Adds the weights with which a clip shows its frames. The clip consists of the `count` frames of
// the file from to->first on. Each of these frames is a morph target. Its weight is 1 in its own
// frame of the clip and 0 in all others. Frame 0 of the file is the model itself, which is shown if
// all weights are 0.
static void add_weights(const frame_builder *to, const char *clip, uint32_t count)
{
    convert_scene *const scene = to->scene;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t file_frame = to->first + i;
        if (file_frame == 0) // the model does not have a morph target
            continue;
        convert_weights *const weights = COMMON_ADD_ITEM(scene->weights, scene->num_weights);
        *weights = (convert_weights){.clip = common_copy(clip),
                                     .target = common_copy(to->targets[file_frame]),
                                     .keys = common_alloc(count, sizeof *weights->keys),
                                     .num_keys = count};
        weights->keys[i] = 1; // common_alloc() has set the other keys to 0
    }
}

// Adds the clip that begins at frame to->first, and advances to->first past the clip.
static bool add_clip(frame_builder *to)
{
    const plain_scene *const plain = to->plain;
    const plain_frame *const frames = &plain->frames[to->first];
    const size_t stem = find_stem(frames->name);
    uint32_t count = 1;
    while (to->first + count < plain->num_frames
           && continues_clip(&frames[count], frames->name, stem))
        count++;

    const convert_motion motion = {.path = plain->path,
                                   .num_joints = to->model.num_joints,
                                   .num_frames = count,
                                   .rate = frames->rate,
                                   .joints = to->joints,
                                   .bounds = to->boxes + to->first,
                                   .pose = pose_frame,
                                   .user = to};
    char *const name = get_clip_name(plain, frames->name, stem);
    const bool is_added =
        convert_add_clip(plain->job, to->scene, name, &motion, NULL, plain->error);

    free(name);
    if (is_added && plain->num_meshes > 0)
        add_weights(to, to->scene->parts[to->scene->num_parts - 1].name, count);
    to->first += count;
    return is_added;
}

static bool add_clips(frame_builder *to)
{
    while (to->first < to->plain->num_frames) {
        if (!add_clip(to))
            return false;
    }
    return true;
}

// -- The scene ------------------------------------------------------------------------------------

// Adds the model, a morph target for each frame after the first one, and the clips. Morph
// targets are whole models, so the size of the result is checked against the budget first.
// Returns false on failure.
static bool add_parts(frame_builder *to)
{
    enum { ELEMENTS_PER_VERTEX = 8 }; // cost of a vertex in a frame
    const plain_scene *const plain = to->plain;
    uint64_t num_vertices = 0;
    size_t size = 0;
    for (size_t i = 0; i < plain->num_meshes; i++)
        num_vertices += plain->meshes[i].primitives->num_vertices;

    if (!plain_charge(plain, ELEMENTS_PER_VERTEX * num_vertices * plain->num_frames))
        return false;
    add_joints(to);
    if (plain->num_meshes == 0) {
        convert_note(plain->job, "%s: no meshes found: converted only the motion of the tags",
                     plain->path);
        return add_clips(to);
    }
    for (size_t i = 0; i < plain->num_meshes; i++)
        add_mesh(to, &plain->meshes[i]);

    for (size_t i = 0; i < plain->num_frames; i++) {
        if (!add_frame(to, i, &size))
            return false;
    }

    if (plain->num_frames == 1)
        return true;
    const size_t num_targets = plain->num_frames - 1;
    convert_note(
        plain->job,
        "%s: converted %zu frames to the model and %zu morph %s (%.1f MB); the format does not "
        "store which clips are loops",
        plain->path, plain->num_frames, num_targets, common_noun(num_targets, "target", "targets"),
        (double)size / 1e6);
    return add_clips(to);
}

// Converts vertex frames to MD5. MD5 stores motion only as joints. Each frame therefore becomes a
// morph target of a model without moving joints.
bool plain_build_frames(plain_scene *plain, convert_scene *scene)
{
    if (convert_find_model(scene))
        return plain_fail(plain, "cannot add the frames of the file: expected no other model, "
                                 "found a model that is already loaded; convert each model "
                                 "with frames separately");
    frame_builder to = {
        .plain = plain,
        .scene = scene,
        .model = {.kind = MD5_DOC_MODEL,
                  .command_line = "md5tool convert",
                  .meshes = common_alloc(plain->num_meshes, sizeof *to.model.meshes)},
        .boxes = common_alloc(plain->num_frames, sizeof *to.boxes),
        .targets = common_alloc(plain->num_frames, sizeof *to.targets)};
    const bool is_built = add_parts(&to);

    for (uint32_t i = 0; i < to.model.num_meshes; i++) {
        free(to.model.meshes[i].vertices);
        free(to.model.meshes[i].texcoords);
        free(to.model.meshes[i].indices);
        free(to.model.meshes[i].weights);
    }

    free(to.model.meshes);
    free(to.model.joints);
    free(to.joints);
    free(to.boxes);
    free((void *)to.targets);
    return is_built;
}
