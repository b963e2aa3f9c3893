// Converts clips to the data that animate.comp reads: the hierarchy as nodes, the frames as rows.
#include "render/clips.h"

#include <string.h>

// md5_bind() follows a clip's hierarchy across at least this many joints.
enum { MAX_BETWEEN = 32 };

typedef struct clip_maker {
    md5gl_clip_data *data;
    md5_error *error;
    uint32_t max_nodes;
    int32_t *tracks;   // [nodes] joint of the clip that drives each node; -1 = stays in bind pose
    size_t max_joints; // of a clip
    int32_t *nodes_by_track;      // [max_joints] node of each of the clip's joints; -1 = none
    md5_transform *frame, *first; // [max_joints]
} clip_maker;

// -- Hierarchy --------------------------------------------------------------------------------

static bool add_node(clip_maker *maker, md5gl_clip *clip, int32_t track)
{
    if (clip->num_nodes == maker->max_nodes)
        return md5gl_fail(maker->error, MD5_ERROR_GPU,
                          "a clip moves more than %u joints: "
                          "GL_MAX_COMPUTE_SHARED_MEMORY_SIZE is too small",
                          (unsigned)maker->max_nodes);
    const size_t index = maker->data->num_nodes++;
    const uint32_t node = clip->num_nodes++;
    maker->data->nodes[index] =
        (md5gl_node){.parent = node, .flags = track == 0 ? (uint32_t)MD5GL_NODE_ROOT : 0u};
    maker->tracks[index] = track;
    if (track >= 0)
        maker->nodes_by_track[track] = (int32_t)node;
    return true;
}

// Whether `ancestor` is an ancestor of `joint`; -1 is above all roots. Adds the number of joints in
// between to *between.
static bool is_below(const md5_joint *joints, uint32_t joint, int32_t ancestor, uint32_t *between)
{
    int32_t at = joints[joint].parent;
    for (; at >= 0 && at != ancestor; at = joints[at].parent)
        ++*between;
    return at == ancestor;
}

// Attaches a joint to `anchor`, a joint of the model, or -1, through the ancestors of its track
// that only the clip has.
static bool attach(clip_maker *maker, md5gl_clip *clip, uint32_t joint, int32_t anchor)
{
    const md5_joint *const tracks = clip->binding->anim->skeleton.joints;
    const size_t first = clip->first_node;
    size_t below = joint;
    for (int32_t at = tracks[maker->tracks[first + joint]].parent;
         at >= 0 && (anchor < 0 || maker->nodes_by_track[at] != anchor); at = tracks[at].parent) {
        const bool is_attached = maker->nodes_by_track[at] >= 0;
        if (!is_attached && !add_node(maker, clip, at))
            return false;
        const uint32_t node = (uint32_t)maker->nodes_by_track[at];
        maker->data->nodes[first + below].parent = node;
        if (is_attached)
            return true;
        below = node;
    }
    maker->data->nodes[first + below].parent = anchor < 0 ? (uint32_t)below : (uint32_t)anchor;
    return true;
}

// Attaches a joint as md5_bind() does: below the nearest ancestor in the clip that drives a joint
// of the same branch of the model, else as in the model.
static bool attach_by_clip(clip_maker *maker, md5gl_clip *clip, uint32_t joint)
{
    const md5_joint *const tracks = clip->binding->anim->skeleton.joints;
    const md5_skeleton *const skeleton = clip->binding->skeleton;
    uint32_t between = 0;
    int32_t anchor = -1;
    for (int32_t at = tracks[clip->binding->tracks[joint]].parent;
         at >= 0 && anchor < 0 && between <= MAX_BETWEEN; at = tracks[at].parent) {
        const int32_t node = maker->nodes_by_track[at];
        if (node >= 0 && (uint32_t)node < skeleton->num_joints)
            anchor = node;
        else
            between++;
    }
    if (between <= MAX_BETWEEN && !is_below(skeleton->joints, joint, anchor, &between))
        return true;
    if (between > MAX_BETWEEN)
        return md5gl_fail(maker->error, MD5_ERROR_GPU,
                          "more than %d joints between joint %u and its parent in the clip",
                          MAX_BETWEEN, (unsigned)joint);
    return attach(maker, clip, joint, anchor);
}

static bool make_nodes(clip_maker *maker, md5gl_clip *clip)
{
    const md5_binding *const binding = clip->binding;
    const md5_skeleton *const skeleton = binding->skeleton;
    for (uint32_t i = 0; i < binding->anim->skeleton.num_joints; i++)
        maker->nodes_by_track[i] = -1;
    clip->first_node = (uint32_t)maker->data->num_nodes;
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
        const int32_t parent = skeleton->joints[joint].parent;
        if (!add_node(maker, clip, binding->tracks[joint]))
            return false;
        if (parent >= 0)
            maker->data->nodes[clip->first_node + joint].parent = (uint32_t)parent;
    }
    for (uint32_t joint = 0; joint < skeleton->num_joints && binding->num_rebases > 0; joint++) {
        if (binding->tracks[joint] >= 0 && !attach_by_clip(maker, clip, joint))
            return false;
    }
    return true;
}

// -- Frames -----------------------------------------------------------------------------------

static void sample_frame(const md5_anim *anim, uint32_t frame, md5_transform *pose)
{
    const md5_moment moment = {.frame0 = frame, .frame1 = frame};
    md5_sample_anim(anim, &moment, MD5_ROOT_FILE, pose);
}

static bool rotations_differ(md5_quat a, md5_quat b)
{
    return a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w;
}

static bool translations_differ(md5_vec3 a, md5_vec3 b)
{
    return a.x != b.x || a.y != b.y || a.z != b.z;
}

// Finds which nodes rotate or translate over time, and from that the number of rows per frame.
static void find_changes(const clip_maker *maker, md5gl_clip *clip)
{
    md5gl_node *const nodes = maker->data->nodes + clip->first_node;
    const int32_t *const tracks = maker->tracks + clip->first_node;
    const md5_transform *const first = maker->first, *const now = maker->frame;
    sample_frame(clip->binding->anim, 0, maker->first);
    for (uint32_t frame = 1; frame < clip->num_frames; frame++) {
        sample_frame(clip->binding->anim, frame, maker->frame);
        for (uint32_t i = 0; i < clip->num_nodes; i++) {
            const int32_t track = tracks[i];
            if (track >= 0 && rotations_differ(now[track].rotation, first[track].rotation))
                nodes[i].flags |= MD5GL_NODE_ROTATES;
            if (track >= 0 && translations_differ(now[track].translation, first[track].translation))
                nodes[i].flags |= MD5GL_NODE_TRANSLATES;
        }
    }
    for (uint32_t i = 0; i < clip->num_nodes; i++)
        clip->stride += (nodes[i].flags & MD5GL_NODE_ROTATES ? 1U : 0U)
                        + (nodes[i].flags & MD5GL_NODE_TRANSLATES ? 1U : 0U);
}

// Constant rows precede those of the first frame.
static size_t count_rows(const md5gl_clip *clip)
{
    return 2 * (size_t)clip->num_nodes - clip->stride + (size_t)clip->num_frames * clip->stride;
}

static void assign_rows(md5gl_node *nodes, const md5gl_clip *clip, size_t first)
{
    uint32_t constant = (uint32_t)first;
    uint32_t changing = constant + 2 * clip->num_nodes - clip->stride;
    for (uint32_t i = 0; i < clip->num_nodes; i++) {
        nodes[i].rotation = nodes[i].flags & MD5GL_NODE_ROTATES ? changing++ : constant++;
        nodes[i].translation = nodes[i].flags & MD5GL_NODE_TRANSLATES ? changing++ : constant++;
    }
}

static void write_rows(const clip_maker *maker, const md5gl_clip *clip)
{
    const md5gl_node *const nodes = maker->data->nodes + clip->first_node;
    const int32_t *const tracks = maker->tracks + clip->first_node;
    md5gl_row *const rows = maker->data->rows;
    for (uint32_t frame = 0; frame < clip->num_frames; frame++) {
        sample_frame(clip->binding->anim, frame, maker->frame);
        const size_t offset = (size_t)frame * clip->stride;
        for (uint32_t i = 0; i < clip->num_nodes; i++) {
            const md5_transform *const local =
                tracks[i] < 0 ? &clip->binding->bind_local[i] : &maker->frame[tracks[i]];
            const md5_quat q = local->rotation;
            const md5_vec3 t = local->translation;
            const bool rotates = nodes[i].flags & MD5GL_NODE_ROTATES;
            const bool translates = nodes[i].flags & MD5GL_NODE_TRANSLATES;
            rows[nodes[i].rotation + (rotates ? offset : 0)] = (md5gl_row){q.x, q.y, q.z, q.w};
            rows[nodes[i].translation + (translates ? offset : 0)] =
                (md5gl_row){t.x, t.y, t.z, 0.0f};
        }
    }
}

// Root motion depends only on the displacement of joint 0: see md5_root.
static void store_root_motion(const clip_maker *maker, md5gl_clip *clip)
{
    const md5_anim *const anim = clip->binding->anim;
    sample_frame(anim, 0, maker->first);
    sample_frame(anim, clip->num_frames - 1, maker->frame);
    const md5_vec3 base = anim->base_frame[0].translation, end = maker->frame[0].translation;
    clip->root_first = maker->first[0].translation;
    clip->root_base = base;
    clip->root_displacement = (md5_vec3){end.x - base.x, end.y - base.y, end.z - base.z};
}

static bool make_rows(const clip_maker *maker, const md5gl_renderer *renderer, md5gl_clip *clips,
                      uint32_t num_clips, size_t max_bytes)
{
    md5gl_clip_data *const data = maker->data;
    const md5_binding *const binding = clips[0].binding;
    const size_t bind_rows = 3 * (size_t)binding->skeleton->num_joints;
    size_t num_rows = bind_rows;
    for (uint32_t i = 0; i < num_clips; i++) {
        find_changes(maker, &clips[i]);
        num_rows += count_rows(&clips[i]);
        if (num_rows > max_bytes / sizeof *data->rows)
            return md5gl_fail(maker->error, MD5_ERROR_GPU,
                              "clips exceed GL_MAX_SHADER_STORAGE_BLOCK_SIZE, %zu bytes",
                              max_bytes);
    }
    data->rows =
        (md5gl_row *)md5gl_alloc(&renderer->allocator, num_rows, sizeof *data->rows, maker->error);
    if (!data->rows)
        return false;
    data->num_rows = num_rows;
    memcpy(data->rows, binding->inverse_bind, bind_rows * sizeof *data->rows);
    size_t first = bind_rows;
    for (uint32_t i = 0; i < num_clips; i++) {
        assign_rows(data->nodes + clips[i].first_node, &clips[i], first);
        write_rows(maker, &clips[i]);
        store_root_motion(maker, &clips[i]);
        first += count_rows(&clips[i]);
    }
    return true;
}

// -- Clip data --------------------------------------------------------------------------------

static bool make_data(clip_maker *maker, const md5gl_renderer *renderer, md5gl_clip *clips,
                      uint32_t num_clips, size_t max_bytes)
{
    if (!maker->data->nodes || !maker->tracks || !maker->nodes_by_track || !maker->first)
        return false;
    maker->frame = maker->first + maker->max_joints;
    for (uint32_t i = 0; i < num_clips; i++) {
        if (!make_nodes(maker, &clips[i]))
            return false;
    }
    return make_rows(maker, renderer, clips, num_clips, max_bytes);
}

bool md5gl_make_clip_data(const md5gl_renderer *renderer, md5gl_clip *clips, uint32_t num_clips,
                          uint32_t max_nodes, size_t max_bytes, md5gl_clip_data *data,
                          md5_error *error)
{
    const md5_allocator *const allocator = &renderer->allocator;
    clip_maker maker = {.data = data, .error = error, .max_nodes = max_nodes};
    *data = (md5gl_clip_data){0};
    for (uint32_t i = 0; i < num_clips; i++) {
        const size_t model_joints = clips[i].binding->skeleton->num_joints;
        const size_t clip_joints = clips[i].binding->anim->skeleton.num_joints;
        clips[i].num_frames = clips[i].binding->anim->num_frames;
        const size_t nodes = model_joints + clip_joints;
        data->node_capacity += nodes < max_nodes ? nodes : max_nodes;
        if (clip_joints > maker.max_joints)
            maker.max_joints = clip_joints;
    }
    const size_t capacity = data->node_capacity, joints = maker.max_joints;
    if (capacity > max_bytes / sizeof *data->nodes)
        return md5gl_fail(error, MD5_ERROR_GPU, "clips have too many joints in total");
    data->nodes = (md5gl_node *)md5gl_alloc(allocator, capacity, sizeof *data->nodes, error);
    maker.tracks = (int32_t *)md5gl_alloc(allocator, capacity, sizeof *maker.tracks, error);
    maker.nodes_by_track =
        (int32_t *)md5gl_alloc(allocator, joints, sizeof *maker.nodes_by_track, error);
    maker.first = (md5_transform *)md5gl_alloc(allocator, joints, 2 * sizeof *maker.first, error);
    const bool ok = make_data(&maker, renderer, clips, num_clips, max_bytes);
    md5gl_free(allocator, maker.tracks, capacity * sizeof *maker.tracks);
    md5gl_free(allocator, maker.nodes_by_track, joints * sizeof *maker.nodes_by_track);
    md5gl_free(allocator, maker.first, joints * 2 * sizeof *maker.first);
    if (!ok)
        md5gl_free_clip_data(renderer, data);
    return ok;
}

void md5gl_free_clip_data(const md5gl_renderer *renderer, md5gl_clip_data *data)
{
    md5gl_free(&renderer->allocator, data->nodes, data->node_capacity * sizeof *data->nodes);
    md5gl_free(&renderer->allocator, data->rows, data->num_rows * sizeof *data->rows);
}
