// Makes of clips what a shader poses from: what hangs on what, and the frames, row by row.
#include "render/clips.h"

#include <string.h>

// md5_bind() follows a clip's hierarchy across as many joints, whatever else it is given.
enum { MOST_BETWEEN = 32 };

typedef struct clip_maker {
    md5gl_clip_data *data;
    md5_error *error;
    uint32_t most_nodes;
    int32_t *tracks;    // [nodes] the clip's joint that drives each; -1 = keeps its bind pose
    size_t most_joints; // of a clip
    int32_t *nodes_of;  // [most_joints] node of each of the clip's joints; -1 = none
    md5_transform *frame, *first; // [most_joints]
} clip_maker;

// -- What hangs on what -----------------------------------------------------------------------

static bool add_node(clip_maker *maker, md5gl_clip *clip, int32_t track)
{
    if (clip->num_nodes == maker->most_nodes)
        return md5gl_fail(maker->error, MD5_ERROR_GPU,
                          "a clip that moves more than %u joints, for which "
                          "GL_MAX_COMPUTE_SHARED_MEMORY_SIZE is too small",
                          (unsigned)maker->most_nodes);
    const size_t place = maker->data->num_nodes++;
    const uint32_t node = clip->num_nodes++;
    maker->data->nodes[place] =
        (md5gl_node){.parent = node, .flags = track == 0 ? MD5GL_NODE_ROOT : 0};
    maker->tracks[place] = track;
    if (track >= 0)
        maker->nodes_of[track] = (int32_t)node;
    return true;
}

// Whether `joint` hangs below `above`, which may be -1, the top. Counts the joints in between.
static bool is_below(const md5_joint *joints, uint32_t joint, int32_t above, uint32_t *between)
{
    int32_t at = joints[joint].parent;
    for (; at >= 0 && at != above; at = joints[at].parent)
        ++*between;
    return at == above;
}

// Hangs a joint through those above its track that only the clip has on `anchor`, a joint of the
// model, or -1.
static bool hang(clip_maker *maker, md5gl_clip *clip, uint32_t joint, int32_t anchor)
{
    const md5_joint *const tracks = clip->binding->anim->skeleton.joints;
    const size_t first = clip->first_node;
    size_t below = joint;
    for (int32_t at = tracks[maker->tracks[first + joint]].parent;
         at >= 0 && (anchor < 0 || maker->nodes_of[at] != anchor); at = tracks[at].parent) {
        const bool hangs = maker->nodes_of[at] >= 0;
        if (!hangs && !add_node(maker, clip, at))
            return false;
        const uint32_t node = (uint32_t)maker->nodes_of[at];
        maker->data->nodes[first + below].parent = node;
        if (hangs)
            return true;
        below = node;
    }
    maker->data->nodes[first + below].parent = anchor < 0 ? (uint32_t)below : (uint32_t)anchor;
    return true;
}

// Hangs a joint where md5_bind() says: below what drives a joint further up the same branch of the
// model, else as in the model.
static bool hang_by_clip(clip_maker *maker, md5gl_clip *clip, uint32_t joint)
{
    const md5_joint *const tracks = clip->binding->anim->skeleton.joints;
    const md5_skeleton *const skeleton = &clip->binding->model->skeleton;
    uint32_t between = 0;
    int32_t anchor = -1;
    for (int32_t at = tracks[clip->binding->tracks[joint]].parent;
         at >= 0 && anchor < 0 && between <= MOST_BETWEEN; at = tracks[at].parent) {
        const int32_t node = maker->nodes_of[at];
        if (node >= 0 && (uint32_t)node < skeleton->num_joints)
            anchor = node;
        else
            between++;
    }
    if (between <= MOST_BETWEEN && !is_below(skeleton->joints, joint, anchor, &between))
        return true;
    if (between > MOST_BETWEEN)
        return md5gl_fail(maker->error, MD5_ERROR_GPU,
                          "more than %d joints between joint %u and what the clip hangs it on",
                          MOST_BETWEEN, (unsigned)joint);
    return hang(maker, clip, joint, anchor);
}

static bool make_nodes(clip_maker *maker, md5gl_clip *clip)
{
    const md5_binding *const binding = clip->binding;
    const md5_skeleton *const skeleton = &binding->model->skeleton;
    for (uint32_t i = 0; i < binding->anim->skeleton.num_joints; i++)
        maker->nodes_of[i] = -1;
    clip->first_node = (uint32_t)maker->data->num_nodes;
    for (uint32_t joint = 0; joint < skeleton->num_joints; joint++) {
        const int32_t parent = skeleton->joints[joint].parent;
        if (!add_node(maker, clip, binding->tracks[joint]))
            return false;
        if (parent >= 0)
            maker->data->nodes[clip->first_node + joint].parent = (uint32_t)parent;
    }
    for (uint32_t joint = 0; joint < skeleton->num_joints && binding->num_rebases > 0; joint++) {
        if (binding->tracks[joint] >= 0 && !hang_by_clip(maker, clip, joint))
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

static bool turned(md5_quat a, md5_quat b)
{
    return a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w;
}

static bool moved(md5_vec3 a, md5_vec3 b)
{
    return a.x != b.x || a.y != b.y || a.z != b.z;
}

// Finds which nodes turn and move at all, and how many rows that makes a frame.
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
            if (track >= 0 && turned(now[track].rotation, first[track].rotation))
                nodes[i].flags |= MD5GL_NODE_TURNS;
            if (track >= 0 && moved(now[track].translation, first[track].translation))
                nodes[i].flags |= MD5GL_NODE_MOVES;
        }
    }
    for (uint32_t i = 0; i < clip->num_nodes; i++)
        clip->stride += (nodes[i].flags & MD5GL_NODE_TURNS ? 1U : 0U)
                        + (nodes[i].flags & MD5GL_NODE_MOVES ? 1U : 0U);
}

// What never changes stands before the first frame.
static size_t count_rows(const md5gl_clip *clip)
{
    return 2 * (size_t)clip->num_nodes - clip->stride + (size_t)clip->num_frames * clip->stride;
}

static void place_rows(md5gl_node *nodes, const md5gl_clip *clip, size_t first)
{
    uint32_t still = (uint32_t)first, changing = still + 2 * clip->num_nodes - clip->stride;
    for (uint32_t i = 0; i < clip->num_nodes; i++) {
        nodes[i].rotation = nodes[i].flags & MD5GL_NODE_TURNS ? changing++ : still++;
        nodes[i].translation = nodes[i].flags & MD5GL_NODE_MOVES ? changing++ : still++;
    }
}

static void write_rows(const clip_maker *maker, const md5gl_clip *clip)
{
    const md5gl_node *const nodes = maker->data->nodes + clip->first_node;
    const int32_t *const tracks = maker->tracks + clip->first_node;
    md5gl_row *const rows = maker->data->rows;
    for (uint32_t frame = 0; frame < clip->num_frames; frame++) {
        sample_frame(clip->binding->anim, frame, maker->frame);
        const size_t further = (size_t)frame * clip->stride;
        for (uint32_t i = 0; i < clip->num_nodes; i++) {
            const md5_transform *const local =
                tracks[i] < 0 ? &clip->binding->model->bind_local[i] : &maker->frame[tracks[i]];
            const md5_quat q = local->rotation;
            const md5_vec3 t = local->translation;
            const bool turns = nodes[i].flags & MD5GL_NODE_TURNS;
            const bool moves = nodes[i].flags & MD5GL_NODE_MOVES;
            rows[nodes[i].rotation + (turns ? further : 0)] = (md5gl_row){q.x, q.y, q.z, q.w};
            rows[nodes[i].translation + (moves ? further : 0)] = (md5gl_row){t.x, t.y, t.z, 0.0f};
        }
    }
}

// Root motion needs the way of joint 0 only: see md5_root.
static void note_root(const clip_maker *maker, md5gl_clip *clip)
{
    const md5_anim *const anim = clip->binding->anim;
    sample_frame(anim, 0, maker->first);
    sample_frame(anim, clip->num_frames - 1, maker->frame);
    const md5_vec3 base = anim->base_frame[0].translation, end = maker->frame[0].translation;
    clip->root_first = maker->first[0].translation;
    clip->root_base = base;
    clip->root_way = (md5_vec3){end.x - base.x, end.y - base.y, end.z - base.z};
}

static bool make_rows(const clip_maker *maker, const md5gl_renderer *renderer, md5gl_clip *clips,
                      uint32_t num_clips, size_t most_bytes)
{
    md5gl_clip_data *const data = maker->data;
    const md5_model *const model = clips[0].binding->model;
    const size_t bind_rows = 3 * (size_t)model->skeleton.num_joints;
    size_t num_rows = bind_rows;
    for (uint32_t i = 0; i < num_clips; i++) {
        find_changes(maker, &clips[i]);
        num_rows += count_rows(&clips[i]);
        if (num_rows > most_bytes / sizeof *data->rows)
            return md5gl_fail(maker->error, MD5_ERROR_GPU,
                              "clips of more than %zu bytes, GL_MAX_SHADER_STORAGE_BLOCK_SIZE",
                              most_bytes);
    }
    data->rows = md5gl_alloc(&renderer->allocator, num_rows, sizeof *data->rows, maker->error);
    if (!data->rows)
        return false;
    data->num_rows = num_rows;
    memcpy(data->rows, model->inverse_bind, bind_rows * sizeof *data->rows);
    size_t first = bind_rows;
    for (uint32_t i = 0; i < num_clips; i++) {
        place_rows(data->nodes + clips[i].first_node, &clips[i], first);
        write_rows(maker, &clips[i]);
        note_root(maker, &clips[i]);
        first += count_rows(&clips[i]);
    }
    return true;
}

// -- All of it --------------------------------------------------------------------------------

static bool make_data(clip_maker *maker, const md5gl_renderer *renderer, md5gl_clip *clips,
                      uint32_t num_clips, size_t most_bytes)
{
    if (!maker->data->nodes || !maker->tracks || !maker->nodes_of || !maker->first)
        return false;
    maker->frame = maker->first + maker->most_joints;
    for (uint32_t i = 0; i < num_clips; i++) {
        if (!make_nodes(maker, &clips[i]))
            return false;
    }
    return make_rows(maker, renderer, clips, num_clips, most_bytes);
}

bool md5gl_make_clip_data(const md5gl_renderer *renderer, md5gl_clip *clips, uint32_t num_clips,
                          uint32_t most_nodes, size_t most_bytes, md5gl_clip_data *data,
                          md5_error *error)
{
    const md5_allocator *const allocator = &renderer->allocator;
    clip_maker maker = {.data = data, .error = error, .most_nodes = most_nodes};
    *data = (md5gl_clip_data){0};
    for (uint32_t i = 0; i < num_clips; i++) {
        const size_t model_joints = clips[i].binding->model->skeleton.num_joints;
        const size_t clip_joints = clips[i].binding->anim->skeleton.num_joints;
        clips[i].num_frames = clips[i].binding->anim->num_frames;
        const size_t nodes = model_joints + clip_joints;
        data->room_for_nodes += nodes < most_nodes ? nodes : most_nodes;
        if (clip_joints > maker.most_joints)
            maker.most_joints = clip_joints;
    }
    const size_t room = data->room_for_nodes, joints = maker.most_joints;
    if (room > most_bytes / sizeof *data->nodes)
        return md5gl_fail(error, MD5_ERROR_GPU, "clips of too many joints in all");
    data->nodes = md5gl_alloc(allocator, room, sizeof *data->nodes, error);
    maker.tracks = md5gl_alloc(allocator, room, sizeof *maker.tracks, error);
    maker.nodes_of = md5gl_alloc(allocator, joints, sizeof *maker.nodes_of, error);
    maker.first = md5gl_alloc(allocator, joints, 2 * sizeof *maker.first, error);
    const bool made = make_data(&maker, renderer, clips, num_clips, most_bytes);
    md5gl_free(allocator, maker.tracks, room * sizeof *maker.tracks);
    md5gl_free(allocator, maker.nodes_of, joints * sizeof *maker.nodes_of);
    md5gl_free(allocator, maker.first, joints * 2 * sizeof *maker.first);
    if (!made)
        md5gl_free_clip_data(renderer, data);
    return made;
}

void md5gl_free_clip_data(const md5gl_renderer *renderer, md5gl_clip_data *data)
{
    md5gl_free(&renderer->allocator, data->nodes, data->room_for_nodes * sizeof *data->nodes);
    md5gl_free(&renderer->allocator, data->rows, data->num_rows * sizeof *data->rows);
}
